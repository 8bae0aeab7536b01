//! A book of positions that come one after another.

use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, BookWriter, Wdl};
use tabia_core::chess::Position;
use tabia_core::formats::CreateOptions;
use tabia_core::loss::Feature;
use tabia_core::{BookFormat, Error, Result};
use tabia_formats::books::polyglot::{Entry, PolyglotWriter};
use zerocopy::byteorder::big_endian::{U16, U64};

use crate::book::default_weights::{WeightsAsGames, give_weights, has_16_bit_weights};
use crate::book::merge::Merged;

/// Writes a book of positions in any order, in bounded memory. Statistics of a position that comes twice are summed. Moves
/// without a weight get one in formats with weights: points of the side that plays the move, or its games.
///
/// ```
/// use tabia::book::positions::Builder;
/// use tabia::{BookEntry, BookPosition, Position};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = std::env::temp_dir().join(format!("tabia-doc-builder-{}.bin", std::process::id()));
/// let start = Position::standard();
/// let mut page = BookPosition::default();
/// page.entries = start.legal_moves().iter().map(|m| BookEntry::new(*m).with_games(3)).collect();
/// let format = tabia::formats::BOOKS.iter().copied().find(|format| format.has_key_entries);
/// let mut book = Builder::create(format.unwrap(), &path, &Default::default())?;
/// book.put_board(&start, &mut page)?;
/// assert_eq!(book.finish()?.moves, 20);
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub struct Builder {
    format: &'static BookFormat,
    writer: Writer,
    merged: Merged,
    /// The last key without a board that was not written.
    last_unreached: Option<u64>,
}

enum Writer {
    Keys(Box<PolyglotWriter>),
    Boards(Box<dyn BookWriter>),
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.format.file.id;
        f.debug_struct("Builder")
            .field("format", name)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Begins a book.
    ///
    /// # Errors
    /// If the target exists and may not be replaced, or cannot be created.
    pub fn create(
        format: &'static BookFormat,
        path: &Path,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let writer = if format.has_key_entries {
            let writer = PolyglotWriter::create(path, options).map_err(Error::in_output)?;
            Writer::Keys(Box::new(writer))
        } else {
            Writer::Boards((format.create)(path, options).map_err(Error::in_output)?)
        };
        Ok(Self {
            format,
            writer,
            merged: Merged::default(),
            last_unreached: None,
        })
    }

    /// Adds a position; `page` is a buffer. Entries without a move are left out and counted.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn put_board(&mut self, position: &Position, page: &mut BookPosition) -> Result<(), Error> {
        let stored = page.entries.len();
        page.entries.retain(|entry| entry.m.is_some());
        self.merged.fixes.no_moves += (stored - page.entries.len()) as u64;
        if self.format.can.has(Feature::BookWeights) {
            let is_scaled = give_weights(page, position.turn().is_white());
            let is_scaled = is_scaled && has_16_bit_weights(self.format);
            self.merged.scaled_positions += u64::from(is_scaled);
        }
        let as_games = WeightsAsGames::count(self.format, page);
        self.merged.invented_games += as_games.weighted;
        self.merged.unplayed_moves += as_games.unplayed;
        let put = match &mut self.writer {
            Writer::Keys(writer) => writer.put(position, page),
            Writer::Boards(writer) => writer.put(position, page),
        };
        self.merged.losses.merge(&put.map_err(Error::in_output)?);
        Ok(())
    }

    /// Adds moves of a position of which only the key is known, each with its Polyglot code. The weight of a
    /// move without one is its number of games. Only formats that store keys can hold them; for others
    /// [`Merged::unreached`] counts the positions.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn put_key(&mut self, key: u64, moves: Vec<(u16, BookEntry)>) -> Result<(), Error> {
        let Writer::Keys(writer) = &mut self.writer else {
            self.merged.unreached += u64::from(self.last_unreached != Some(key));
            self.last_unreached = Some(key);
            return Ok(());
        };
        let mut page = BookPosition::default();
        let mut codes = Vec::with_capacity(moves.len());
        for (code, mut entry) in moves {
            let losses = &mut self.merged.losses;
            losses.add(Feature::Nags, entry.nags.len() as u64, None);
            losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
            // Whose points the results are is unknown.
            let results = entry.results.take();
            entry.games = entry.games.or(results.map(Wdl::games));
            page.entries.push(entry);
            codes.push(code);
        }
        self.merged.scaled_positions += u64::from(give_weights(&mut page, true));
        for (code, entry) in codes.into_iter().zip(&page.entries) {
            let weight = entry.weight.unwrap_or(1).min(u32::from(u16::MAX));
            let pushed = writer.push(Entry {
                key: U64::new(key),
                move_bits: U16::new(code),
                weight: U16::new(weight as u16),
                learn: entry.learn.unwrap_or_default().to_bytes(),
            });
            pushed.map_err(Error::in_output)?;
        }
        Ok(())
    }

    /// Writes the book and gives its files their names. The result has no damage.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(self) -> Result<Merged, Error> {
        let writer: Box<dyn BookWriter> = match self.writer {
            Writer::Keys(writer) => writer,
            Writer::Boards(writer) => writer,
        };
        let book = writer.finish().map_err(Error::in_output)?;
        let mut merged = self.merged;
        merged.set_written(book);
        Ok(merged)
    }
}
