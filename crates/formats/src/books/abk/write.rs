//! Writing a book.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, BookWriter, CompleteBook, Wdl};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::FixedSorter;
use tabia_core::formats::CreateOptions;
use tabia_core::io::{Charset, Output, OutputSet, TemporaryFile};
use tabia_core::loss::{Feature, Losses};
use zerocopy::byteorder::little_endian::U32;

use super::header::Header;
use super::position_table::{PositionTable, TableMove};
use super::read::RAW;
use super::record::{Record, encode_move};
use super::tree_writer;

/// Bytes of moves kept in memory before they go to disk.
const MEMORY: usize = 32 << 20;

/// Writes an Arena book: a tree from the standard position through the positions that were put. The
/// same positions give the same bytes, whatever their order. Memory is bounded, apart from two bits for
/// each position.
#[derive(Debug)]
pub struct AbkWriter {
    set: OutputSet,
    header: Header,
    charset: Charset,
    repeats: Option<u64>,
    /// Number of records of the Arena book that is copied.
    records: Option<u64>,
    sorter: FixedSorter<TableMove>,
    memory: usize,
}

impl AbkWriter {
    /// Creates a book at `path`. `title` is its comment; facts named as in
    /// [`info`](tabia_core::books::Book::info) fill the header; `abk.repeats` limits how many moves are
    /// repeated for transpositions.
    ///
    /// # Errors
    /// If the target exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = options.outputs();
        set.create(path)?;
        let fact = |name: &str| {
            let found = options.facts.iter().find(|(key, _)| key == name);
            found.and_then(|(_, value)| value.parse().ok())
        };
        Ok(Self {
            set,
            header: Header::new(options),
            charset: options.charset,
            repeats: fact("abk.repeats"),
            records: fact("records"),
            sorter: FixedSorter::new(TemporaryFile::folder_of(path), MEMORY),
            memory: MEMORY,
        })
    }

    /// Keeps about `bytes` bytes of moves in memory instead of 32 MiB.
    #[must_use]
    pub fn with_memory(mut self, path: &Path, bytes: usize) -> Self {
        self.sorter = FixedSorter::new(TemporaryFile::folder_of(path), bytes);
        self.memory = bytes;
        self
    }

    fn add(&mut self, position: &Position, entry: &BookEntry) -> Result<Losses> {
        let mut losses = Losses::new();
        let Some(m) = entry.m.filter(|m| position.is_legal(*m)) else {
            losses.add(Feature::UnreadMoves, 1, None);
            return Ok(losses);
        };
        let Some((from, to, promotion)) = encode_move(position.turn(), m) else {
            losses.add(Feature::BookMoves, 1, None);
            return Ok(losses);
        };
        losses.add(Feature::Nags, entry.nags.len() as u64, None);
        losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
        let rated = entry.average_rating.is_some() || entry.performance.is_some();
        losses.add(Feature::BookRatings, u64::from(rated), None);
        let wanted = u64::from(entry.recommended == Some(true));
        losses.add(Feature::BookAdvice, wanted, None);
        let has_learn = entry.learn.is_some_and(|learn| !learn.is_zero());
        losses.add(Feature::BookLearn, u64::from(has_learn), None);
        let weight = match entry.recommended {
            Some(false) => Some(0),
            _ => entry.weight,
        };
        let mut next = position.clone();
        next.play(m);
        let mut table_move = TableMove::new(position.key(), next.key(), (from, to, promotion));
        table_move.set_weight(weight);
        let (results, undecided) = results(entry);
        table_move.set_results(results);
        // They become draws. A book without any results is read back as one.
        let is_drawn = undecided > 0 && entry.results.is_some();
        losses.add(Feature::BookResults, u64::from(is_drawn), None);
        // The flags of another Arena book are copied.
        if let [a, b, c, priority, f0, f1, f2, f3] = *entry.raw
            && [a, b, c] == *RAW
        {
            table_move.flags = U32::from_bytes([f0, f1, f2, f3]).get();
            if table_move.flags & Record::DELETED != 0 && entry.weight == Some(0) {
                table_move.delete(priority);
            } else {
                table_move.flags &= !Record::DELETED;
            }
        }
        self.sorter.push(table_move)?;
        Ok(losses)
    }
}

fn rewrite(out: &mut Output, header: &[u8]) -> std::io::Result<()> {
    out.seek(SeekFrom::Start(0))?;
    out.write_all(header)
}

/// The results of an entry, and the number of games without a result, which count as draws, because
/// ABK stores no number of draws.
fn results(entry: &BookEntry) -> (Wdl, u64) {
    let mut results = entry.results.unwrap_or_default();
    let undecided = entry.games.unwrap_or(0).saturating_sub(results.games());
    results.draws = results.draws.saturating_add(undecided);
    (results, undecided)
}

impl BookWriter for AbkWriter {
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses> {
        let mut losses = Losses::new();
        let links = u64::from(page.sample_game.is_some()) + page.games_ending_here.len() as u64;
        losses.add(Feature::GameLinks, links, None);
        losses.add(Feature::Nags, page.nags.len() as u64, None);
        losses.add(Feature::Comments, u64::from(page.comment.is_some()), None);
        let rated = page.average_rating.is_some() || page.performance.is_some();
        losses.add(Feature::BookRatings, u64::from(rated), None);
        for entry in &page.entries {
            losses.merge(&self.add(position, entry)?);
        }
        Ok(losses)
    }

    fn complete(self: Box<Self>) -> Result<CompleteBook> {
        let Self {
            set: mut files,
            mut header,
            charset,
            repeats,
            records,
            sorter,
            memory,
        } = *self;
        let mut losses = Losses::new();
        let Some(out) = files.file(0) else {
            return Err(Error::invalid("the target is gone"));
        };
        let target = out.target().to_path_buf();
        let table = PositionTable::new(sorter, TemporaryFile::folder_of(&target))?;
        losses.add(Feature::BookWeights, table.inexact, None);
        losses.add(Feature::BookCounts, table.scaled, None);
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        let (bytes, is_exact) = header.write(charset);
        losses.add(Feature::LongText, u64::from(!is_exact), None);
        out.write_all(&bytes).map_err(named)?;
        // A copy of an Arena book repeats no more moves than the book itself.
        let repeats = repeats.or_else(|| Some(records?.saturating_sub(table.move_total())));
        let tree = tree_writer::write(&table, repeats, memory, out)?;
        losses.add(Feature::BookMoves, tree.unreachable_moves, None);
        let [depth, moves, ..] = &mut header.numbers;
        *depth = tree.depth;
        *moves = tree.records - tree.deleted;
        let (bytes, _) = header.write(charset);
        rewrite(out, &bytes).map_err(named)?;
        Ok(CompleteBook {
            size: tree.reachable,
            losses,
            assumed_games: 0,
            records: tree.records,
            files,
        })
    }
}
