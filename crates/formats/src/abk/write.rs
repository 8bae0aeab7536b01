//! Writing a book.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::book::{BookEntry, BookPage, BookSize, BookWriter, Wdl};
use tabia_core::chess::Position;
use tabia_core::database::Written;
use tabia_core::error::{Error, Result};
use tabia_core::format::CreateOptions;
use tabia_core::io::{Charset, Output, OutputSet};
use tabia_core::loss::{Feature, Losses};

use super::header::Header;
use super::read::RAW;
use super::record::{Record, encode_move};
use super::tree::{Graph, Known};

/// Moves that one book may have: they are kept in memory, 56 bytes each.
const MOST: usize = 8 << 20;

/// Writes an Arena book: a tree from the usual start through the positions that were put in. The
/// same positions give the same bytes, in whatever order they came.
#[derive(Debug)]
pub struct AbkWriter {
    set: OutputSet,
    header: Header,
    charset: Charset,
    repeats: Option<u64>,
    known: Vec<Known>,
    records: Option<u32>,
    held: Option<BookSize>,
}

impl AbkWriter {
    /// A new book at `path`. `title` is its comment; facts with the names that
    /// [`info`](tabia_core::book::Book::info) gives them fill the header, `abk.repeats` limits how
    /// many moves are written again for transpositions.
    ///
    /// # Errors
    /// When the target exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = OutputSet::new(options.force);
        set.create(path)?;
        let repeats = options.facts.iter().find(|(key, _)| key == "abk.repeats");
        Ok(Self {
            set,
            header: Header::new(options),
            charset: options.charset,
            repeats: repeats.and_then(|(_, value)| value.parse().ok()),
            known: Vec::new(),
            records: None,
            held: None,
        })
    }

    fn add(&mut self, position: &Position, entry: &BookEntry) -> Result<Losses> {
        let mut losses = Losses::new();
        let Some(m) = entry.m else {
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
        losses.add(Feature::BookWeights, wanted, None);
        let weight = match entry.recommended {
            Some(false) => Some(0),
            _ => entry.weight,
        };
        if self.known.len() >= MOST {
            return Err(Error::unsupported(format!(
                "an Arena book of more than {MOST} moves"
            )));
        }
        let mut next = position.clone();
        next.play(m);
        // What another Arena book said beside the weight comes back as it was.
        let (deleted, flags) = match *entry.raw {
            [a, b, c, priority, f0, f1, f2, f3] if [a, b, c] == *RAW => {
                let flags = zerocopy::byteorder::little_endian::U32::from_bytes([f0, f1, f2, f3]);
                let deleted = flags.get() & Record::DELETED != 0 && entry.weight == Some(0);
                (deleted.then_some(priority), flags.get())
            }
            _ => (None, 0),
        };
        self.known.push(Known {
            key: position.key(),
            next: next.key(),
            from,
            to,
            promotion,
            deleted,
            flags: if deleted.is_none() {
                flags & !Record::DELETED
            } else {
                flags
            },
            weight,
            results: results(entry),
            priority: 0,
        });
        Ok(losses)
    }

    /// Writes the tree; says how many moves no line reaches.
    fn build(&mut self) -> Result<Losses> {
        let mut losses = Losses::new();
        let graph = Graph::new(std::mem::take(&mut self.known));
        losses.add(Feature::BookWeights, graph.scaled, None);
        let Some(out) = self.set.file(0) else {
            return Err(Error::invalid("the target is gone"));
        };
        let target = out.target().to_path_buf();
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        let (bytes, whole) = self.header.write(self.charset);
        losses.add(Feature::LongText, u64::from(!whole), None);
        out.write_all(&bytes).map_err(named)?;
        let written = graph.write(self.repeats, out).map_err(named)?;
        losses.add(Feature::BookMoves, written.unreached, None);
        let [depth, moves, ..] = &mut self.header.numbers;
        *depth = written.depth;
        *moves = written.records - written.deleted;
        let (bytes, _) = self.header.write(self.charset);
        rewrite(out, &bytes).map_err(named)?;
        self.records = Some(written.records);
        self.held = Some(written.held);
        Ok(losses)
    }
}

fn rewrite(out: &mut Output, header: &[u8]) -> std::io::Result<()> {
    out.seek(SeekFrom::Start(0))?;
    out.write_all(header)
}

/// Decided games and draws; without results all games count as draws, which is how they are read.
fn results(entry: &BookEntry) -> Wdl {
    let mut results = entry.results.unwrap_or_default();
    let undecided = entry.games.unwrap_or(0).saturating_sub(results.games());
    results.draws = results.draws.saturating_add(undecided);
    results
}

impl BookWriter for AbkWriter {
    fn put(&mut self, position: &Position, page: &BookPage) -> Result<Losses> {
        let mut losses = Losses::new();
        let links = u64::from(page.example.is_some()) + page.ending.len() as u64;
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

    fn settle(&mut self) -> Result<Losses> {
        if self.records.is_some() {
            return Ok(Losses::new());
        }
        self.build()
    }

    fn held(&self) -> Option<BookSize> {
        self.held
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.settle()?;
        let records = self.records.unwrap_or(0);
        let (files, bytes) = self.set.commit()?;
        Ok(Written {
            records,
            files,
            bytes,
        })
    }
}
