//! Merges books of any format position by position.

use std::path::Path;

use tabia_core::books::{
    Book, BookEntry, BookPosition, BookWriter, GameLink, Learn, RatingSum, Wdl, WrittenBook,
};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::DiskKeySet;
use tabia_core::formats::{BookFormat, CreateOptions};
use tabia_core::game::{Flow, Nag};
use tabia_core::io::{Progress, ProgressUnit};
use tabia_core::loss::{Feature, Losses};
use tabia_formats::books::MoveValues;
use tabia_formats::books::polyglot::{PolyglotBook, PolyglotWriter};

use super::weights::CombinedWeight;
use super::{MergeMode, MergeOptions, Merged, polyglot_entries};
use crate::book::default_weights::{
    WeightsAsGames, give_weights, has_16_bit_weights, has_weight_alone,
};
use crate::book::for_each_position::{for_each_board, for_each_board_unordered, stored_positions};
use crate::input::with_article;

/// The writer of the new book.
enum Writer {
    /// With keys, so that it takes positions without boards too.
    Keys(Box<PolyglotWriter>),
    Boards(Box<dyn BookWriter>),
}

impl Writer {
    fn create(format: &BookFormat, path: &Path, options: &CreateOptions) -> Result<Self> {
        if format.has_key_entries {
            return Ok(Self::Keys(Box::new(PolyglotWriter::create(path, options)?)));
        }
        (format.create)(path, options).map(Self::Boards)
    }

    fn as_dyn(&mut self) -> &mut dyn BookWriter {
        match self {
            Self::Keys(writer) => &mut **writer,
            Self::Boards(writer) => &mut **writer,
        }
    }

    fn finish(self) -> Result<WrittenBook> {
        match self {
            Self::Keys(writer) => writer.finish(),
            Self::Boards(writer) => writer.finish(),
        }
    }
}

/// Merges the books; `keyed`: those of them whose keys the new book can take, with their numbers.
pub(super) fn merge(
    books: &[Box<dyn Book>],
    keyed: &[(usize, PolyglotBook)],
    format: &'static BookFormat,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged> {
    let weighted = books.iter().map(|book| is_weighted(&**book));
    let weighted: Vec<bool> = weighted.collect::<Result<_>>()?;
    refuse_weight_options(&weighted, format, options)?;
    let create = create_options(books, format, &options.create);
    let mut writer = Writer::create(format, path, &create).map_err(Error::in_output)?;
    let keeps_links = keep_links(books, writer.as_dyn())?;
    let mut merger = PositionMerger {
        books,
        group: Vec::new(),
        format,
        options,
        writer,
        keeps_links,
        done: DiskKeySet::default(),
        reached: DiskKeySet::default(),
        probed: BookPosition::default(),
        others: Vec::new(),
        merged: Merged::default(),
    };
    let mut positions = 0;
    for book in books {
        positions += stored_positions(&**book)?;
    }
    progress.begin(ProgressUnit::Positions, positions);
    merger.merged.damage.resize(books.len(), Vec::new());
    // A move has games of its own or weights that become games, not both: books of weights are merged with each other,
    // and the writer adds up their games and those of the others.
    let is_mixed = MoveValues::of(format).weights_become_games;
    let is_mixed = is_mixed && weighted.contains(&true) && weighted.contains(&false);
    let groups: &[Option<bool>] = if is_mixed {
        &[Some(false), Some(true)]
    } else {
        &[None]
    };
    for group in groups {
        let is_in_group = |is_weighted: &bool| group.is_none_or(|wanted| wanted == *is_weighted);
        merger.group = weighted.iter().map(is_in_group).collect();
        for number in 0..books.len() {
            merger.add_book(number, progress)?;
        }
    }
    let PositionMerger {
        mut writer,
        mut merged,
        done,
        ..
    } = merger;
    if let Writer::Keys(writer) = &mut writer
        && !keyed.is_empty()
    {
        polyglot_entries::merge_rest(keyed, &done, options, writer, &mut merged, progress)?;
        // Only books with keys have such positions, and all of them are written now.
        merged.unreached = 0;
    }
    let book = writer.finish().map_err(Error::in_output)?;
    merged.set_written(book);
    Ok(merged)
}

/// Whether a book has weights and counts no games. An Arena book has counts of all its moves or of none.
fn is_weighted(book: &dyn Book) -> Result<bool> {
    let id = book.info().format;
    let format = tabia_formats::BOOKS
        .iter()
        .find(|known| known.file.id == id);
    let can = |feature| format.is_some_and(|format| format.can.has(feature));
    if !can(Feature::BookWeights) || !can(Feature::BookCounts) {
        return Ok(can(Feature::BookWeights));
    }
    let mut page = BookPosition::default();
    book.moves(&Position::standard(), &mut page)?;
    Ok(page.entries.iter().any(has_weight_alone))
}

/// Refuses options for weights where they would change nothing, or not what they are for: the new book has no
/// weights, and games that books count add up. `weighted`: whether each book has weights and counts no games.
fn refuse_weight_options(
    weighted: &[bool],
    format: &BookFormat,
    options: &MergeOptions,
) -> Result<()> {
    let become_games = MoveValues::of(format).weights_become_games;
    let is_all_weighted = become_games && weighted.iter().all(|is_weighted| *is_weighted);
    if format.can.has(Feature::BookWeights) || is_all_weighted {
        return Ok(());
    }
    let is_mixed = become_games && weighted.contains(&true);
    let is_scaled =
        |(factor, is_weighted): (&f64, &bool)| (*factor - 1.0).abs() > f64::EPSILON && !is_weighted;
    let mut scaled = options.factors.iter().zip(weighted);
    let has_factors = !options.factors.is_empty() && (!is_mixed || scaled.any(is_scaled));
    let mode = options.mode;
    let used = [
        (has_factors, "--factors"),
        (options.normalize, "--normalize"),
        (options.zero_wins && !is_mixed, "--zero-wins"),
        (mode == MergeMode::Max, "--mode max"),
        (mode == MergeMode::Average, "--mode average"),
        // Its records have the games of a position, whatever move of whatever book leads to it.
        (mode == MergeMode::Priority && is_mixed, "--mode priority"),
    ];
    let Some((_, option)) = used.into_iter().find(|(is_used, _)| *is_used) else {
        return Ok(());
    };
    let new = with_article(format.file.name);
    let text = if is_mixed {
        format!(
            "`{option}` cannot be used here: {new} has no weights, and the games that are made of them add up with those \
             of the other books"
        )
    } else {
        format!("`{option}` is for weights; {new} has none, its games add up")
    };
    let error = Error::usage(text);
    Err(error.with_hint("`-o` with a `.bin` makes a book that has weights"))
}

/// The options of a new book with what its format can keep of the header of a single source.
pub(crate) fn create_options(
    books: &[Box<dyn Book>],
    format: &BookFormat,
    options: &CreateOptions,
) -> CreateOptions {
    let mut options = options.clone();
    if let [book] = books
        && book.info().format == format.file.id
    {
        for (name, value) in &book.info().facts {
            if options.facts.iter().all(|(known, _)| known != name) {
                options.facts.push((name.clone(), value.clone()));
            }
        }
    }
    options
}

/// Has the writer keep the links to games of a single book, if it can.
pub(crate) fn keep_links(books: &[Box<dyn Book>], writer: &mut dyn BookWriter) -> Result<bool> {
    match books {
        [book] => writer.keep_links_of(&**book).map_err(Error::in_output),
        _ => Ok(false),
    }
}

/// Removes the links to games that the list of sources does not contain. Returns their number.
pub(crate) fn drop_unknown_links(book: &dyn Book, page: &mut BookPosition) -> Result<u64> {
    let mut lost = 0;
    let mut is_known = |link: GameLink| -> Result<bool> {
        let known = book.linked_game(link)?.is_some();
        lost += u64::from(!known);
        Ok(known)
    };
    if let Some(link) = page.sample_game
        && !is_known(link)?
    {
        page.sample_game = None;
    }
    let mut kept = Vec::with_capacity(page.games_ending_here.len());
    for link in page.games_ending_here.drain(..) {
        if is_known(link)? {
            kept.push(link);
        }
    }
    page.games_ending_here = kept;
    Ok(lost)
}

struct PositionMerger<'a> {
    books: &'a [Box<dyn Book>],
    /// Which of them are merged with each other now.
    group: Vec<bool>,
    format: &'static BookFormat,
    options: &'a MergeOptions,
    writer: Writer,
    /// Whether the links of the only book remain valid.
    keeps_links: bool,
    /// Keys of the positions that are merged.
    done: DiskKeySet,
    /// Keys of the positions after moves whose weights are written as games.
    reached: DiskKeySet,
    /// A buffer for the position in another book.
    probed: BookPosition,
    /// The position in other books, by their number.
    others: Vec<(usize, BookPosition)>,
    merged: Merged,
}

impl PositionMerger<'_> {
    /// Adds the positions of a book that no earlier book contains.
    fn add_book(&mut self, number: usize, progress: &Progress) -> Result<()> {
        let Some(book) = self.books.get(number).filter(|_| self.is_in_group(number)) else {
            return Ok(());
        };
        let has_ratings = tabia_formats::BOOKS.iter().any(|format| {
            format.file.id == book.info().format && format.can.has(Feature::BookRatings)
        });
        let counts = if self.format.has_key_entries && !has_ratings {
            // Entries are sorted by the writer, and hold nothing else of a book without ratings.
            for_each_board_unordered(&**book, progress, &mut |position, page| {
                self.add(number, position, page)
            })?
        } else {
            for_each_board(&**book, progress, &mut |position, page| {
                self.add(number, position, &mut page.clone())
            })?
        };
        self.merged.unreached += counts.unreached;
        let mut damage = book.damage()?;
        damage.extend(counts.problem());
        if let Some(of_book) = self.merged.damage.get_mut(number) {
            *of_book = damage;
        }
        Ok(())
    }

    fn is_in_group(&self, book: usize) -> bool {
        self.group.get(book) == Some(&true)
    }

    /// Adds a position of a book, merged with those of other books; `page` is a buffer.
    fn add(&mut self, number: usize, position: &Position, page: &mut BookPosition) -> Result<Flow> {
        // A tree of moves holds only what lines reach, and counts what it leaves out.
        if page.is_side_assumed && self.format.has_key_entries {
            self.merged.without_side += u64::from(!page.entries.is_empty());
            return Ok(Flow::Go);
        }
        if self.is_done(number, position)? {
            return Ok(Flow::Go);
        }
        // A copy of one format can keep the codes of moves that are not legal; a repaired book has none.
        if page.entries.iter().any(|entry| entry.m.is_none()) {
            let fixes = &mut self.merged.fixes;
            page.entries.retain(|entry| {
                if entry.m.is_none() {
                    // The code of no move is 0.
                    let is_move = entry.raw.iter().any(|byte| *byte != 0);
                    *(if is_move {
                        &mut fixes.illegal
                    } else {
                        &mut fixes.no_moves
                    }) += 1;
                }
                entry.m.is_some()
            });
        }
        self.probe_others(number, position)?;
        let mut first = number;
        if self.options.mode == MergeMode::Priority
            && let Some((earlier, theirs)) = self.others.pop()
        {
            *page = theirs;
            first = earlier;
        }
        self.merge_others(position, first, page);
        if let Some(book) = self.books.get(number).filter(|_| self.keeps_links) {
            let lost = drop_unknown_links(&**book, page)?;
            self.merged.losses.add(Feature::GameLinks, lost, None);
        }
        self.drop_counted_zeros(position, page)?;
        let as_games = WeightsAsGames::count(self.format, page);
        self.merged.invented_games += as_games.weighted;
        self.merged.unplayed_moves += as_games.unplayed;
        if as_games.weighted > 0 {
            for m in page.entries.iter().filter_map(|entry| entry.m) {
                let mut after = position.clone();
                after.play(m);
                self.merged.shared_games += u64::from(!self.reached.insert(after.key())?);
            }
        }
        let put = self.writer.as_dyn().put(position, page);
        self.merged.losses.merge(&put.map_err(Error::in_output)?);
        Ok(Flow::Go)
    }

    /// Leaves out moves of weight 0 that a book outside of the group has: what it counts is added to 0, and the move
    /// is to be played.
    fn drop_counted_zeros(&mut self, position: &Position, page: &mut BookPosition) -> Result<()> {
        let is_zero = |entry: &BookEntry| entry.weight == Some(0) && has_weight_alone(entry);
        let has_others = self.group.contains(&false) && !self.options.zero_wins;
        if !has_others || !page.entries.iter().any(is_zero) {
            return Ok(());
        }
        let others = self.books.iter().zip(&self.group);
        for (book, _) in others.filter(|(_, is_in_group)| !**is_in_group) {
            if book.moves(position, &mut self.probed)? {
                let counted = &self.probed.entries;
                let is_counted = |zero: &BookEntry| counted.iter().any(|other| other.m == zero.m);
                page.entries
                    .retain(|entry| !is_zero(entry) || !is_counted(entry));
            }
        }
        Ok(())
    }

    /// Whether a position was added from an earlier book.
    fn is_done(&mut self, number: usize, position: &Position) -> Result<bool> {
        if !self.format.is_mirrored {
            return Ok(self.books.len() > 1 && !self.done.insert(position.key())?);
        }
        // One record is a position and its mirror images: an earlier book that contains the record
        // has added it, whichever of them it visited.
        let earlier = self.books.iter().zip(&self.group).take(number);
        for (book, _) in earlier.filter(|(_, is_in_group)| **is_in_group) {
            if book.moves(position, &mut self.probed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks a position up in the other books that count.
    fn probe_others(&mut self, number: usize, position: &Position) -> Result<()> {
        self.others.clear();
        let is_first_only = self.options.mode == MergeMode::Priority;
        for (other, book) in self.books.iter().enumerate() {
            if other == number || !self.is_in_group(other) {
                continue;
            }
            if is_first_only && (other > number || !self.others.is_empty()) {
                break;
            }
            if book.probe(position, &mut self.probed)? {
                self.probed.entries.retain(|entry| entry.m.is_some());
                self.others.push((other, std::mem::take(&mut self.probed)));
            }
        }
        Ok(())
    }

    /// Merges the position of book `first` with those of the others; statistics are summed. Moves
    /// without a weight get one where it is needed: among others, or in a format with weights.
    fn merge_others(&mut self, position: &Position, first: usize, page: &mut BookPosition) {
        let options = self.options;
        let books = 1 + self.others.len();
        let white_to_move = position.turn().is_white();
        let is_unchanged = books == 1 && options.factors.is_empty() && !options.normalize;
        // Weights made from games are no weights of a book: where none can be written, they are no loss.
        let keeps_own_weights_only = !self.format.can.has(Feature::BookWeights);
        let has_advice = self.format.can.has(Feature::BookAdvice);
        let mut has_own_weight: Vec<bool> = own_weights(page).collect();
        let mut is_scaled = false;
        if self.format.can.has(Feature::BookWeights) || !is_unchanged {
            is_scaled |= give_weights(page, white_to_move);
        }
        let is_standard = position.key() == Position::standard().key();
        self.merged
            .add_max_weight(first, is_standard, max_weight(page));
        let has_16_bits = has_16_bit_weights(self.format) && !options.normalize;
        if is_unchanged {
            self.merged.scaled_positions += u64::from(is_scaled && has_16_bits);
            return;
        }
        let scaled = |book: usize, page: &BookPosition| -> Vec<f64> {
            let scale = options.scale(book, max_weight(page));
            let weights = page.entries.iter().map(|entry| entry.weight.unwrap_or(0));
            weights.map(|weight| f64::from(weight) * scale).collect()
        };
        let weights = scaled(first, page);
        let mut weights: Vec<_> = weights.into_iter().map(CombinedWeight::new).collect();
        for (book, mut other) in self.others.drain(..) {
            let other_has: Vec<bool> = own_weights(&other).collect();
            is_scaled |= give_weights(&mut other, white_to_move);
            self.merged
                .add_max_weight(book, is_standard, max_weight(&other));
            let other_weights = scaled(book, &other);
            let losses = &mut self.merged.losses;
            let entries = merge_statistics(page, other, losses);
            let entries = entries.into_iter().zip(other_weights).zip(other_has);
            for ((entry, weight), is_own) in entries {
                let same = |known: &BookEntry| known.m.is_some() && known.m == entry.m;
                let index = page.entries.iter().position(same);
                if let Some(index) = index
                    && let (Some(known), Some(combined), Some(has_own)) = (
                        page.entries.get_mut(index),
                        weights.get_mut(index),
                        has_own_weight.get_mut(index),
                    )
                {
                    options.combine(combined, weight);
                    *has_own |= is_own;
                    if has_advice {
                        merge_values(
                            &mut known.recommended,
                            entry.recommended,
                            Feature::BookAdvice,
                            losses,
                        );
                    } else if !keeps_own_weights_only && entry.recommended != Some(false) {
                        // Advice against a move is a weight of 0, and combined as such.
                        known.recommended = known.recommended.filter(|advice| *advice);
                    }
                    merge_entries(known, entry, losses);
                } else {
                    page.entries.push(entry);
                    weights.push(CombinedWeight::new(weight));
                    has_own_weight.push(is_own);
                }
            }
        }
        for (entry, weight) in page.entries.iter_mut().zip(weights) {
            entry.weight = Some(options.merged_weight(weight, books));
        }
        // Weights that become games need not fit into 16 bits.
        if !keeps_own_weights_only {
            is_scaled |= give_weights(page, white_to_move);
        }
        self.merged.scaled_positions += u64::from(is_scaled && has_16_bits);
        if keeps_own_weights_only {
            for (entry, has_own) in page.entries.iter_mut().zip(has_own_weight) {
                entry.weight = entry.weight.filter(|_| has_own);
            }
        }
    }
}

/// Whether each move has a weight of its own.
fn own_weights(page: &BookPosition) -> impl Iterator<Item = bool> {
    page.entries.iter().map(|entry| entry.weight.is_some())
}

fn max_weight(page: &BookPosition) -> Option<u32> {
    page.entries.iter().filter_map(|entry| entry.weight).max()
}

/// Takes over a value that the first book does not have, and counts another one as lost.
fn merge_values<T: PartialEq>(
    known: &mut Option<T>,
    other: Option<T>,
    feature: Feature,
    losses: &mut Losses,
) {
    let is_lost = known.is_some() && other.is_some() && *known != other;
    losses.add(feature, u64::from(is_lost), None);
    if known.is_none() {
        *known = other;
    }
}

/// The same of NAGs.
fn merge_nags(known: &mut Vec<Nag>, other: Vec<Nag>, losses: &mut Losses) {
    if known.is_empty() {
        *known = other;
        return;
    }
    let lost = other.iter().filter(|nag| !known.contains(nag)).count();
    losses.add(Feature::Nags, lost as u64, None);
}

/// Adds the statistics of the same position in another book, and counts what is lost; returns the other book's moves.
fn merge_statistics(
    page: &mut BookPosition,
    other: BookPosition,
    losses: &mut Losses,
) -> Vec<BookEntry> {
    let games = (page.games, other.games);
    page.ratings = sum_ratings(
        rating_sum(page.ratings, page.average_rating, page.games),
        rating_sum(other.ratings, other.average_rating, other.games),
    );
    page.average_rating = page.ratings.and_then(RatingSum::average);
    page.opponent_ratings = sum_ratings(page.opponent_ratings, other.opponent_ratings);
    page.performance = mean(page.performance, other.performance, games);
    page.games = sum(page.games, other.games);
    page.results = sum_results(page.results, other.results);
    merge_values(&mut page.comment, other.comment, Feature::Comments, losses);
    merge_nags(&mut page.nags, other.nags, losses);
    // No list of sources of several books is written; the writer counts the links as lost.
    page.games_ending_here.extend(other.sample_game);
    page.games_ending_here.extend(other.games_ending_here);
    other.entries
}

/// Adds the statistics of the same move in another book, and counts what is lost.
fn merge_entries(known: &mut BookEntry, entry: BookEntry, losses: &mut Losses) {
    let games = (known.games, entry.games);
    known.ratings = sum_ratings(
        rating_sum(known.ratings, known.average_rating, known.games),
        rating_sum(entry.ratings, entry.average_rating, entry.games),
    );
    known.average_rating = known.ratings.and_then(RatingSum::average);
    known.performance = mean(known.performance, entry.performance, games);
    known.games = sum(known.games, entry.games);
    known.results = sum_results(known.results, entry.results);
    merge_values(&mut known.comment, entry.comment, Feature::Comments, losses);
    // All zeros are no value.
    let is_set = |learn: &Learn| !learn.is_zero();
    known.learn = known.learn.filter(is_set);
    let learn = entry.learn.filter(is_set);
    merge_values(&mut known.learn, learn, Feature::BookLearn, losses);
    merge_nags(&mut known.nags, entry.nags, losses);
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

fn sum_results(a: Option<Wdl>, b: Option<Wdl>) -> Option<Wdl> {
    match (a, b) {
        (Some(a), Some(b)) => Some(crate::book::find::add(a, b)),
        (a, b) => a.or(b),
    }
}

/// The ratings of a position or a move; those of all its games if the book has only their average.
fn rating_sum(
    ratings: Option<RatingSum>,
    average: Option<u16>,
    games: Option<u64>,
) -> Option<RatingSum> {
    let of_average = || Some(RatingSum::of_average(games.unwrap_or(1).max(1), average?));
    ratings.or_else(of_average)
}

fn sum_ratings(a: Option<RatingSum>, b: Option<RatingSum>) -> Option<RatingSum> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.add(b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// The mean of two performances, weighted by their numbers of games.
fn mean(a: Option<u16>, b: Option<u16>, games: (Option<u64>, Option<u64>)) -> Option<u16> {
    let (Some(first), Some(second)) = (a, b) else {
        return a.or(b);
    };
    let (m, n) = (
        games.0.unwrap_or(1).max(1) as f64,
        games.1.unwrap_or(1).max(1) as f64,
    );
    Some(((f64::from(first) * m + f64::from(second) * n) / (m + n)).round() as u16)
}
