//! Writing a book.

use std::io::Write;
use std::path::Path;

use tabia_core::books::{
    BookEntry, BookPosition, BookSize, BookWriter, CompleteBook, RatingSum, Wdl,
};
use tabia_core::chess::{Move, Position};
use tabia_core::error::{Error, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::Nag;
use tabia_core::io::{CompanionNames, OutputSet, Sink};
use tabia_core::loss::{Feature, Losses};

use super::key::Keys;
use super::merged_record::{Counts, MAX_MOVES, MergedRecord, Ratings};
use super::moves::encode_move;
use super::nags;
use super::page_builder::PageBuilder;
use super::raw_page_and_move::{RawMove, RawPage};
use super::record::Stats;
use super::record_sorter::RecordSorter;
use super::record_to_book_position::results;
use crate::books::mirrored::orientation::Orientation;

/// Bytes kept in memory before they go to disk: 128 MiB.
const MEMORY: usize = 128 << 20;
/// Moves of a record that does not come from a CTG book: some programs have space for 50.
const MAX_COMPATIBLE_MOVES: usize = 49;

/// Writes a CTG book. Statistics of a position and its mirror images (colours or files exchanged)
/// are summed in one record. Every position that a move leads to gets a record, with the statistics
/// of the move's entry if the position itself is never put. The order in which positions come
/// affects only the order of moves within a record.
///
/// A position's own statistics are preferred to those of moves that lead to it, and these to those
/// of its own moves. Weights of books that count no games become games, all drawn, so that programs
/// choose in proportion to them; weight 0 becomes *not to be played*. They add up with the games of
/// other books that were put for the same position.
#[derive(Debug)]
pub struct CtgWriter {
    set: OutputSet,
    sorter: RecordSorter,
    games: Option<u32>,
    split: bool,
}

impl CtgWriter {
    /// Creates a book at `path`, with `.ctb` and `.cto` next to it. The fact `games` in the options
    /// is the number of games for the header; without it that of the standard position is used.
    ///
    /// # Errors
    /// If one of the files exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = options.outputs();
        set.create(path)?;
        let companions = CompanionNames::of(path)?;
        for extension in ["cto", "ctb"] {
            set.create(&companions.path(extension))?;
        }
        let games = options.facts.iter().find(|(name, _)| name == "games");
        Ok(Self {
            set,
            sorter: RecordSorter::new(path, MEMORY),
            games: games.and_then(|(_, value)| value.parse().ok()),
            split: true,
        })
    }

    /// Keeps about `bytes` bytes in memory instead of 128 MiB.
    #[must_use]
    pub fn with_memory(mut self, path: &Path, bytes: usize) -> Self {
        self.sorter = RecordSorter::new(path, bytes);
        self
    }

    /// Leaves a book that fits on one page on one page, as `ChessBase` does. Most other programs
    /// find nothing in such a book.
    #[must_use]
    pub fn with_single_page(mut self) -> Self {
        self.split = false;
        self
    }
}

/// What an entry contains of its move.
struct MoveParts {
    /// The annotation byte.
    annotation: u8,
    /// For the record of the position that the move leads to.
    child: MergedRecord,
}

impl BookWriter for CtgWriter {
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses> {
        let mut losses = Losses::new();
        let links = page.games_ending_here.len() as u64 + u64::from(page.sample_game.is_some());
        losses.add(Feature::GameLinks, links, None);
        losses.add(Feature::Comments, u64::from(page.comment.is_some()), None);
        let Some(keys) = Keys::of(position) else {
            let moves = page.entries.len().max(1) as u64;
            losses.add(Feature::BookMoves, moves, None);
            return Ok(losses);
        };
        let orientation = keys.orientation;
        let raw = RawPage::read(&page.raw);
        let mut record = position_part(page, orientation, raw.as_ref(), &mut losses);
        let max_moves = match raw {
            Some(_) => MAX_MOVES,
            None => MAX_COMPATIBLE_MOVES,
        };
        for entry in &page.entries {
            let raw_move = RawMove::read(&entry.raw);
            losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
            let has_learn = entry.learn.is_some_and(|learn| !learn.is_zero());
            losses.add(Feature::BookLearn, u64::from(has_learn), None);
            let legal = entry.m.filter(|&m| position.is_legal(m));
            let code = match (entry.m, legal) {
                (_, Some(m)) => encode_move(position, orientation, m),
                (None, None) => raw_move.map(|raw| raw.code),
                (Some(_), None) => None,
            };
            let Some(code) = code.filter(|_| record.moves.len() < max_moves) else {
                let feature = match legal {
                    Some(_) => Feature::BookMoves,
                    None => Feature::UnreadMoves,
                };
                losses.add(feature, 1, None);
                continue;
            };
            let MoveParts { annotation, child } =
                move_parts(entry, !orientation.flipped, raw_move, &mut losses);
            if record.moves.iter().all(|[other, _]| *other != code) {
                record.moves.push([code, annotation]);
            }
            record
                .outgoing_counts
                .add(&child.incoming_counts.reversed());
            record
                .outgoing_weights
                .add(&child.incoming_weights.reversed());
            record.own_outgoing.add(&child.other_incoming);
            if let Some(m) = legal {
                self.put_child(position, m, &child)?;
            }
        }
        self.sorter.push(&keys.key, &record)?;
        Ok(losses)
    }

    fn complete(self: Box<Self>) -> Result<CompleteBook> {
        let Self {
            set: mut files,
            sorter,
            games,
            split,
        } = *self;
        let start = Keys::of(&Position::standard()).map(|keys| keys.key);
        let mut games_of_start = 0;
        let mut moves = 0;
        let mut assumed = 0;
        let out = files.file(0).ok_or_else(target_missing)?;
        let target = out.target().to_path_buf();
        let named = |error: Error| error.in_path(&target);
        let mut builder = PageBuilder::new(out, split).map_err(named)?;
        sorter.finish(|key, record| {
            let mut sink = Sink::new();
            sink.bytes(key.as_bytes());
            let games = record.write_record(&mut sink);
            assumed += u64::from(record.has_assumed_game());
            moves += record.moves.len().min(MAX_MOVES) as u64;
            if start.as_ref() == Some(key) {
                games_of_start = games;
            }
            let order = key.hash().reverse_bits();
            builder.push(order, sink.into_vec()).map_err(named)
        })?;
        let games = games.unwrap_or(games_of_start);
        let (companions, records) = builder.finish(games).map_err(named)?;
        let nodes = files.file(1).ok_or_else(target_missing)?;
        companions.write_nodes(&mut *nodes)?;
        nodes.flush()?;
        let bits = files.file(2).ok_or_else(target_missing)?;
        companions.write_bits(&mut *bits)?;
        bits.flush()?;
        Ok(CompleteBook {
            size: BookSize::new(u64::from(records), moves),
            losses: Losses::new(),
            assumed_games: assumed,
            records,
            files,
        })
    }
}

impl CtgWriter {
    fn put_child(&mut self, position: &Position, m: Move, child: &MergedRecord) -> Result<()> {
        let mut next = position.clone();
        next.play(m);
        match Keys::of(&next) {
            Some(keys) => self.sorter.push(&keys.key, child),
            // Too many large pieces after a promotion: there is no record to add to.
            None => Ok(()),
        }
    }
}

fn target_missing() -> Error {
    Error::invalid("the target is gone")
}

/// What a page contributes to the record of its position, the moves excluded.
fn position_part(
    page: &BookPosition,
    orientation: Orientation,
    raw: Option<&RawPage<'_>>,
    losses: &mut Losses,
) -> MergedRecord {
    let flipped = orientation.flipped;
    let mut record = MergedRecord::default();
    let raw_stats = raw.map(|raw| raw.record.stats());
    let mut counts = counts(page.games, page.results, flipped);
    let mut own = ratings(page.ratings, counts.games, page.average_rating);
    let mut other = ratings(page.opponent_ratings, counts.games, None);
    let mut nags = page.nags.iter().copied();
    if let Some(stats) = &raw_stats {
        record.flags = stats.flags;
        record.weight = stats.weight;
        if is_unchanged(stats, page.games, page.results, flipped) {
            counts = stats_counts(stats);
            other = Ratings {
                rated: u64::from(stats.other_rated),
                sum: u64::from(stats.other_ratings),
            };
            if page.average_rating == stats.own_average() {
                record.has_all_ratings = true;
                own = Ratings {
                    rated: u64::from(stats.own_rated),
                    sum: u64::from(stats.own_ratings),
                };
            }
        }
        if nags.clone().eq(nags::commentary(stats.commentary, flipped)) {
            record.commentary = stats.commentary;
            nags.by_ref().for_each(drop);
        }
    }
    if let Some(nag) = nags.next() {
        record.commentary = nags::commentary_byte(nag, flipped);
    }
    losses.add(Feature::Nags, nags.count() as u64, None);
    if page.is_duplicate || raw.is_some_and(|raw| raw.is_duplicate) {
        record.duplicate_counts = counts;
        record.own_duplicate = own;
        record.other_duplicate = other;
    } else {
        record.page_counts = counts;
        record.own_page = own;
        record.other_page = other;
    }
    record
}

/// What an entry contributes to its move and to the position after it; `flipped` is that of the
/// position after the move.
fn move_parts(
    entry: &BookEntry,
    flipped: bool,
    raw: Option<RawMove>,
    losses: &mut Losses,
) -> MoveParts {
    let mut child = MergedRecord::default();
    let mut is_red = entry.recommended == Some(false);
    let counts = counts(entry.games, entry.results, flipped);
    let is_counted = entry.games.is_some() || entry.results.is_some();
    if let Some(weight) = entry.weight {
        if !is_counted {
            child.incoming_weights = Counts::new(None, 0, 0, u64::from(weight));
            is_red |= weight == 0;
        }
        let is_lost = !(is_red && weight == 0);
        losses.add(Feature::BookWeights, u64::from(is_lost), None);
    }
    for number in [entry.games, entry.results.map(Wdl::games)] {
        let is_too_large = number.is_some_and(|games| games > u64::from(Stats::MAX_COUNT));
        losses.add(Feature::BookCounts, u64::from(is_too_large), None);
    }
    let is_performance_lost =
        entry.performance.is_some() && entry.average_rating.is_none() && raw.is_none();
    losses.add(Feature::BookRatings, u64::from(is_performance_lost), None);
    child.incoming_counts = counts;
    child.other_incoming = ratings(
        entry.ratings,
        counts.games.max(child.incoming_weights.games),
        entry.average_rating,
    );
    let mut annotation = 0;
    let mut nags: Vec<Nag> = entry.nags.clone();
    let mut commentary = None;
    if let Some(raw) = raw {
        child.is_lost = raw.child.is_none();
        let raw_commentary = raw.child.map_or(0, |(_, _, commentary)| commentary);
        let raw_nags = nags::annotation(raw.annotation)
            .into_iter()
            .chain(nags::commentary(raw_commentary, flipped));
        if raw_nags.eq(nags.iter().copied()) {
            annotation = raw.annotation;
            child.incoming_commentary = raw_commentary;
            nags.clear();
        } else {
            annotation = raw.annotation & !nags::ANNOTATION;
            commentary = Some(0);
        }
        if let Some((flags, weight, _)) = raw.child {
            child.flags = flags;
            child.weight = weight;
            if raw.recommended() != entry.recommended {
                let other_flags = flags & !(Stats::MAIN | Stats::AVOID);
                child.new_flags = Some(other_flags | flag(entry.recommended, false));
            }
        }
    }
    let is_new = raw.is_none_or(|raw| raw.child.is_none());
    if is_new {
        child.flags |= flag(entry.recommended, is_red);
    }
    if let Some(number) = nags.iter().position(|&nag| nags::is_annotation(nag)) {
        annotation |= nags.remove(number).0;
    }
    if !nags.is_empty() {
        commentary = Some(nags::commentary_byte(nags.remove(0), flipped));
    }
    if is_new {
        child.incoming_commentary = commentary.unwrap_or(child.incoming_commentary);
    } else {
        child.new_commentary = commentary;
    }
    losses.add(Feature::Nags, nags.len() as u64, None);
    MoveParts { annotation, child }
}

/// The flag of a recommendation; `is_red`: the move is not to be played if there is no
/// recommendation.
const fn flag(recommended: Option<bool>, is_red: bool) -> u8 {
    match recommended {
        Some(true) => Stats::MAIN,
        Some(false) => Stats::AVOID,
        None if is_red => Stats::AVOID,
        None => 0,
    }
}

/// Counts of a page or an entry, from the view of the side to move.
fn counts(games: Option<u64>, results: Option<Wdl>, flipped: bool) -> Counts {
    let Wdl {
        white,
        draws,
        black,
    } = results.unwrap_or_default();
    let (won, lost) = if flipped {
        (black, white)
    } else {
        (white, black)
    };
    Counts::new(games, won, lost, draws)
}

/// The ratings of a page or an entry: all games have one if only their average is known.
fn ratings(sum: Option<RatingSum>, games: u64, average: Option<u16>) -> Ratings {
    let is_of_average = |sum: &RatingSum| average.is_none() || sum.average() == average;
    match sum.filter(is_of_average) {
        Some(sum) if sum.games > 0 => Ratings {
            rated: sum.games,
            sum: sum.sum,
        },
        _ => Ratings::new(games, average),
    }
}

fn stats_counts(stats: &Stats) -> Counts {
    Counts {
        games: u64::from(stats.games),
        won: u64::from(stats.won),
        lost: u64::from(stats.lost),
        drawn: u64::from(stats.drawn),
        tenths: u64::from(stats.tenths),
    }
}

/// Whether games and results are those of the record.
fn is_unchanged(stats: &Stats, games: Option<u64>, found: Option<Wdl>, flipped: bool) -> bool {
    games == Some(u64::from(stats.games)) && found == Some(results(stats, flipped))
}
