//! Writing a book.

use std::io::Write;
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, BookWriter, Wdl};
use tabia_core::chess::{Move, Position};
use tabia_core::error::{Error, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::Nag;
use tabia_core::games::Written;
use tabia_core::io::{OutputSet, Sink};
use tabia_core::loss::{Feature, Losses};

use super::book_page::results;
use super::key::Keys;
use super::merged_record::{Counts, MOST, Ratings, Said};
use super::moves::encode_move;
use super::nags;
use super::page_builder::Builder;
use super::record::Stats;
use super::record_sorter::RecordSorter;
use super::roundtrip_bytes::{RawMove, RawPage};
use crate::books::mirrored::orientation::Orientation;

/// Bytes kept in memory before they go to disk: 128 MiB.
const IN_MEMORY: usize = 128 << 20;
/// Some programs have room for 50 moves of a position.
const MOVES: usize = 49;

/// Writes a CTG book. What is said of a position and its twins (colours or files exchanged) adds
/// up in one record; every position that a move leads to gets a record, with what the move's
/// entry says when nothing else is known. The order in which positions come makes no difference
/// but to the order of moves within a record.
///
/// A position's own numbers, where it has any, go before those of moves that lead to it, and these
/// before those of its own moves. Weights of books that count no games become games, all drawn, so
/// that programs choose in proportion to them; weight 0 becomes *not to be played*.
#[derive(Debug)]
pub struct CtgWriter {
    set: OutputSet,
    sorter: RecordSorter,
    games: Option<u32>,
    split: bool,
}

impl CtgWriter {
    /// A new book at `path`, with `.ctb` and `.cto` beside it. The fact `games` in the options is
    /// the number of games for the header; without it those of the usual start are counted.
    ///
    /// # Errors
    /// When one of the files exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = OutputSet::new(options.force);
        set.create(path)?;
        for extension in ["cto", "ctb"] {
            set.create(&path.with_extension(extension))?;
        }
        let games = options.facts.iter().find(|(name, _)| name == "games");
        Ok(Self {
            set,
            sorter: RecordSorter::new(path, IN_MEMORY),
            games: games.and_then(|(_, value)| value.parse().ok()),
            split: true,
        })
    }

    /// Keeps about so many bytes in memory instead of 128 MiB.
    #[must_use]
    pub fn with_memory(mut self, path: &Path, bytes: usize) -> Self {
        self.sorter = RecordSorter::new(path, bytes);
        self
    }

    /// Leaves a book that fits one page on one page, as `ChessBase` does. Most other programs
    /// find nothing in such a book.
    #[must_use]
    pub fn with_single_page(mut self) -> Self {
        self.split = false;
        self
    }
}

/// What an entry says of its move.
struct Told {
    /// The annotation byte.
    annotation: u8,
    /// Of the position the move leads to.
    child: Said,
}

impl BookWriter for CtgWriter {
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses> {
        let mut losses = Losses::new();
        let links = page.games_ending_here.len() as u64 + u64::from(page.sample_game.is_some());
        losses.add(Feature::GameLinks, links, None);
        losses.add(Feature::Comments, u64::from(page.comment.is_some()), None);
        let Some(Keys {
            orientation, key, ..
        }) = Keys::of(position)
        else {
            let moves = page.entries.len().max(1) as u64;
            losses.add(Feature::BookMoves, moves, None);
            return Ok(losses);
        };
        let raw = RawPage::read(&page.raw);
        let mut said = of_page(page, orientation, raw.as_ref(), &mut losses);
        let room = if raw.is_some() { MOST } else { MOVES };
        for entry in &page.entries {
            let raw_move = RawMove::read(&entry.raw);
            losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
            let legal = entry.m.filter(|&m| position.is_legal(m));
            let code = match (entry.m, legal) {
                (_, Some(m)) => encode_move(position, orientation, m),
                (None, None) => raw_move.map(|raw| raw.code),
                (Some(_), None) => None,
            };
            let Some(code) = code.filter(|_| said.moves.len() < room) else {
                let feature = match legal {
                    Some(_) => Feature::BookMoves,
                    None => Feature::UnreadMoves,
                };
                losses.add(feature, 1, None);
                continue;
            };
            let told = of_entry(entry, !orientation.flipped, raw_move, &mut losses);
            if said.moves.iter().all(|known| known[0] != code) {
                said.moves.push([code, told.annotation]);
            }
            said.counts_moves.add(&told.child.counts_leading.turned());
            said.own_moves.add(&told.child.other_leading);
            if let Some(m) = legal {
                self.put_child(position, m, &told.child)?;
            }
        }
        self.sorter.push(&key, &said)?;
        Ok(losses)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self {
            mut set,
            sorter,
            games,
            split,
        } = *self;
        let start = Keys::of(&Position::standard()).map(|keys| keys.key);
        let mut games_of_start = 0;
        let out = set.file(0).ok_or_else(gone)?;
        let target = out.target().to_path_buf();
        let named = |error: Error| error.in_path(&target);
        let mut builder = Builder::new(out, split).map_err(named)?;
        sorter.finish(|key, said| {
            let mut sink = Sink::new();
            sink.bytes(key.as_bytes());
            let games = said.record(&mut sink);
            if start.as_ref() == Some(key) {
                games_of_start = games;
            }
            let order = key.hash().reverse_bits();
            builder.push(order, sink.into_vec()).map_err(named)
        })?;
        let games = games.unwrap_or(games_of_start);
        let (companions, records) = builder.finish(games).map_err(named)?;
        let nodes = set.file(1).ok_or_else(gone)?;
        companions.write_nodes(&mut *nodes)?;
        nodes.flush()?;
        let bits = set.file(2).ok_or_else(gone)?;
        companions.write_bits(&mut *bits)?;
        bits.flush()?;
        let (files, bytes) = set.commit()?;
        Ok(Written {
            records,
            files,
            bytes,
        })
    }
}

impl CtgWriter {
    fn put_child(&mut self, position: &Position, m: Move, child: &Said) -> Result<()> {
        let mut next = position.clone();
        next.play(m);
        match Keys::of(&next) {
            Some(keys) => self.sorter.push(&keys.key, child),
            // A move takes nothing that a key has room for.
            None => Ok(()),
        }
    }
}

fn gone() -> Error {
    Error::invalid("the target is gone")
}

/// What a page says of its position, its moves aside.
fn of_page(
    page: &BookPosition,
    orientation: Orientation,
    raw: Option<&RawPage<'_>>,
    losses: &mut Losses,
) -> Said {
    let flipped = orientation.flipped;
    let mut said = Said::default();
    let known = raw.map(|raw| raw.record.stats());
    let mut counts = counts(page.games, page.results, flipped);
    let mut own = Ratings::new(counts.games, page.average_rating);
    let mut other = Ratings::default();
    let mut nags = page.nags.iter().copied();
    if let Some(stats) = &known {
        said.flags = stats.flags;
        said.weight = stats.weight;
        if is_unchanged(stats, page.games, page.results, flipped) {
            counts = of_stats(stats);
            other = Ratings {
                rated: u64::from(stats.other_rated),
                sum: u64::from(stats.other_ratings),
            };
            if page.average_rating == stats.own_average() {
                said.is_whole = true;
                own = Ratings {
                    rated: u64::from(stats.own_rated),
                    sum: u64::from(stats.own_ratings),
                };
            }
        }
        if nags.clone().eq(nags::commentary(stats.commentary, flipped)) {
            said.commentary = stats.commentary;
            nags.by_ref().for_each(drop);
        }
    }
    if let Some(nag) = nags.next() {
        said.commentary = nags::commentary_byte(nag, flipped);
    }
    losses.add(Feature::Nags, nags.count() as u64, None);
    if page.is_duplicate || raw.is_some_and(|raw| raw.is_duplicate) {
        said.counts_again = counts;
        said.own_again = own;
        said.other_again = other;
    } else {
        said.counts = counts;
        said.own = own;
        said.other = other;
    }
    said
}

/// What an entry says of its move; `flipped` is the position after it.
fn of_entry(entry: &BookEntry, flipped: bool, raw: Option<RawMove>, losses: &mut Losses) -> Told {
    let mut child = Said::default();
    let mut red = entry.recommended == Some(false);
    let mut counts = counts(entry.games, entry.results, flipped);
    let is_counted = entry.games.is_some() || entry.results.is_some();
    if let Some(weight) = entry.weight {
        if !is_counted {
            let weight = u64::from(weight);
            counts = Counts::new(None, 0, 0, weight);
            red |= weight == 0;
        }
        losses.add(Feature::BookWeights, u64::from(!(red && weight == 0)), None);
    }
    for number in [entry.games, entry.results.map(Wdl::games)] {
        let most = u64::from(Stats::MAX_COUNT);
        let is_too_large = number.is_some_and(|games| games > most);
        losses.add(Feature::BookCounts, u64::from(is_too_large), None);
    }
    let performed = entry.performance.is_some() && entry.average_rating.is_none();
    losses.add(
        Feature::BookRatings,
        u64::from(performed && raw.is_none()),
        None,
    );
    child.counts_leading = counts;
    child.other_leading = Ratings::new(counts.games, entry.average_rating);
    let mut annotation = 0;
    let mut nags: Vec<Nag> = entry.nags.clone();
    let mut remark = None;
    if let Some(raw) = raw {
        let known = raw.child.map_or(0, |(_, _, commentary)| commentary);
        let of_raw = nags::annotation(raw.annotation)
            .into_iter()
            .chain(nags::commentary(known, flipped));
        if of_raw.eq(nags.iter().copied()) {
            annotation = raw.annotation;
            child.remark = known;
            nags.clear();
        } else {
            annotation = raw.annotation & !nags::ANNOTATION;
            remark = Some(0);
        }
        if let Some((flags, weight, _)) = raw.child {
            child.flags = flags;
            child.weight = weight;
            if raw.recommended() != entry.recommended {
                let kept = flags & !(Stats::MAIN | Stats::AVOID);
                child.new_flags = Some(kept | flag(entry.recommended, false));
            }
        }
    }
    let is_new = raw.is_none_or(|raw| raw.child.is_none());
    if is_new {
        child.flags |= flag(entry.recommended, red);
    }
    if let Some(place) = nags.iter().position(|&nag| nags::is_annotation(nag)) {
        annotation |= nags.remove(place).0;
    }
    if !nags.is_empty() {
        remark = Some(nags::commentary_byte(nags.remove(0), flipped));
    }
    if is_new {
        child.remark = remark.unwrap_or(child.remark);
    } else {
        child.new_commentary = remark;
    }
    losses.add(Feature::Nags, nags.len() as u64, None);
    Told { annotation, child }
}

const fn flag(recommended: Option<bool>, red: bool) -> u8 {
    match recommended {
        Some(true) => Stats::MAIN,
        Some(false) => Stats::AVOID,
        None if red => Stats::AVOID,
        None => 0,
    }
}

/// Numbers of a page or an entry from the view of the side to move.
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

fn of_stats(stats: &Stats) -> Counts {
    Counts {
        games: u64::from(stats.games),
        won: u64::from(stats.won),
        lost: u64::from(stats.lost),
        drawn: u64::from(stats.drawn),
        tenths: u64::from(stats.tenths),
    }
}

/// Whether games and results are still those of the record.
fn is_unchanged(stats: &Stats, games: Option<u64>, found: Option<Wdl>, flipped: bool) -> bool {
    games == Some(u64::from(stats.games)) && found == Some(results(stats, flipped))
}
