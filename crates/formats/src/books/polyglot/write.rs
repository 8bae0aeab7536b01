//! Writing a book.

use std::cmp::Reverse;
use std::io::Write;
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, BookSize, BookWriter, CompleteBook};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::FixedSorter;
use tabia_core::formats::CreateOptions;
use tabia_core::io::{OutputSet, TemporaryFile};
use tabia_core::loss::{Feature, Losses};
use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U16, U64};

use super::entry::{Entry, encode_move};
use super::header::{self, Header};

/// Bytes of entries kept in memory before they go to disk.
const MEMORY: usize = 32 << 20;
/// Sorted entries that are written at a time, at least.
const WRITE: usize = 4 << 10;

/// Writes a Polyglot book: sorted by key, then by falling weight, then by move; every move once;
/// castling as king takes rook. The same entries give the same bytes, whatever their order, unless two
/// of them differ only in `learn`: then the first value that is not zero is written. A book without
/// entries gets a header, which distinguishes it from a file that was cut.
#[derive(Debug)]
pub struct PolyglotWriter {
    set: OutputSet,
    sorter: FixedSorter<Entry>,
    header: Option<Header>,
}

impl PolyglotWriter {
    /// Creates a book at `path`; `title` in the options adds a header with that comment.
    ///
    /// # Errors
    /// If the target exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = options.outputs();
        set.create(path)?;
        let header = options.title.as_ref().map(Header::with_comment);
        Ok(Self {
            set,
            sorter: FixedSorter::new(TemporaryFile::folder_of(path), MEMORY),
            header,
        })
    }

    /// Adds an entry unchanged, for copies between Polyglot books.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push(&mut self, entry: Entry) -> Result<()> {
        self.sorter.push(entry)
    }
}

impl BookWriter for PolyglotWriter {
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses> {
        let mut losses = Losses::new();
        let links = u64::from(page.sample_game.is_some()) + page.games_ending_here.len() as u64;
        losses.add(Feature::GameLinks, links, None);
        losses.add(Feature::Nags, page.nags.len() as u64, None);
        losses.add(Feature::Comments, u64::from(page.comment.is_some()), None);
        let rated = page.average_rating.is_some() || page.performance.is_some();
        losses.add(Feature::BookRatings, u64::from(rated), None);
        for entry in &page.entries {
            let Some(m) = entry.m.filter(|m| position.is_legal(*m)) else {
                losses.add(Feature::UnreadMoves, 1, None);
                continue;
            };
            add_losses(entry, &mut losses);
            self.sorter.push(Entry {
                key: U64::new(position.key()),
                move_bits: U16::new(encode_move(m)),
                weight: U16::new(weight(entry)),
                learn: entry.learn.unwrap_or_default().to_bytes(),
            })?;
        }
        Ok(losses)
    }

    fn complete(self: Box<Self>) -> Result<CompleteBook> {
        let Self {
            set: mut files,
            sorter,
            header,
        } = *self;
        let Some(out) = files.file(0) else {
            return Err(Error::invalid("the target is gone"));
        };
        let target = out.target().to_path_buf();
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        for record in header.iter().flat_map(header::write) {
            out.write_all(&record).map_err(named)?;
        }
        let mut size = BookSize::default();
        // Entries of complete positions, then from `start` on those of the last one.
        let mut entries: Vec<Entry> = Vec::new();
        let mut start = 0;
        sorter.finish(|entry| {
            let last = entries.get_mut(start..).and_then(<[Entry]>::last_mut);
            match last {
                Some(last) if last.key != entry.key => {
                    sort_position(&mut entries, start);
                    size.positions += 1;
                    start = entries.len();
                    if start >= WRITE {
                        size.moves += start as u64;
                        out.write_all(entries.as_bytes()).map_err(named)?;
                        entries.clear();
                        start = 0;
                    }
                    entries.push(entry);
                }
                Some(last) if last.move_bits == entry.move_bits => add(last, &entry),
                _ => entries.push(entry),
            }
            Ok(())
        })?;
        sort_position(&mut entries, start);
        size.positions += u64::from(!entries.is_empty());
        size.moves += entries.len() as u64;
        out.write_all(entries.as_bytes()).map_err(named)?;
        if size.moves == 0 && header.is_none() {
            let header = Header::with_comment("");
            header
                .records()
                .iter()
                .try_for_each(|record| out.write_all(record))
                .map_err(named)?;
        }
        Ok(CompleteBook {
            size,
            losses: Losses::new(),
            assumed_games: 0,
            records: u32::try_from(size.moves).unwrap_or(u32::MAX),
            files,
        })
    }
}

/// Adds what an entry loses: all but move, weight and `learn`. Advice against the move is a weight of 0.
fn add_losses(entry: &BookEntry, losses: &mut Losses) {
    losses.add(Feature::Nags, entry.nags.len() as u64, None);
    losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
    let counted = entry.games.is_some_and(|games| games > 0);
    losses.add(Feature::BookCounts, u64::from(counted), None);
    let decided = entry.results.is_some_and(|results| results.games() > 0);
    losses.add(Feature::BookResults, u64::from(decided), None);
    let rated = entry.average_rating.is_some() || entry.performance.is_some();
    losses.add(Feature::BookRatings, u64::from(rated), None);
    let wanted = entry.recommended == Some(true);
    losses.add(Feature::BookAdvice, u64::from(wanted), None);
    let is_too_large = entry.weight.is_some_and(|weight| weight > u16::MAX.into());
    losses.add(Feature::BookWeights, u64::from(is_too_large), None);
}

/// Adds a repetition of a move: the weights are summed, at most to 65535.
fn add(entry: &mut Entry, repeat: &Entry) {
    entry.weight = U16::new(entry.weight.get().saturating_add(repeat.weight.get()));
    if entry.learn == [0; 4] {
        entry.learn = repeat.learn;
    }
}

/// Sorts the entries of a position, which begin at `start`, by falling weight and then by move.
fn sort_position(entries: &mut [Entry], start: usize) {
    let position = entries.get_mut(start..).unwrap_or_default();
    if position.len() > 1 {
        position.sort_by_key(|entry| (Reverse(entry.weight.get()), entry.move_bits.get()));
    }
}

/// The weight of an entry, else its number of games, at most 65535; 1 if both are absent.
fn weight(entry: &BookEntry) -> u16 {
    // No counted game is no advice against the move.
    let games = entry
        .games
        .map(|games| u32::try_from(games.max(1)).unwrap_or(u32::MAX));
    let weight = entry.weight.or(games).unwrap_or(1);
    u16::try_from(weight).unwrap_or(u16::MAX)
}
