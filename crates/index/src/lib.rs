//! A saved index of the positions of a database: the games sorted by their moves.
//!
//! Games with equal first moves are neighbours in that order, so that the games which reached a position
//! are a few ranges of *ranks*. What is asked of them (moves, results, ratings) is read from columns in
//! the same order. Nothing is added up in advance, so that any choice of games can be asked.
//!
//! ```
//! use tabia_core::GameIndex;
//! use tabia_core::chess::Position;
//! use tabia_core::game::{Game, Visitor, Want};
//! use tabia_core::io::{Blob, Progress};
//! use tabia_index::{Batch, BuildOptions, Builder, Collector, PositionIndex};
//!
//! let (mut collector, mut batch) = (Collector::new(), Batch::default());
//! let _ = Game::new().replay(GameIndex(0), Want::ALL, &mut collector);
//! collector.swap(&mut batch);
//!
//! let progress = Progress::new();
//! let mut builder = Builder::in_memory(BuildOptions::default(), &progress)?;
//! builder.add(&batch, 0)?;
//! let (built, bytes) = builder.finish_bytes(b"one game")?.unwrap_or_default();
//! assert_eq!(built.games, 1);
//!
//! let index = PositionIndex::open(&Blob::from(bytes))?;
//! assert_eq!(index.find(&Position::standard())?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `move_symbols` | moves as bytes |
//! | `mainline_collector` | the lines of games as they are read |
//! | `segment_builder` | sorts games and makes the sections of a segment |
//! | `layout` | the parts of the file, and the records of its sections |
//! | `directory` | reading the headers and the directory |
//! | `section_writer` | writing sections and the directory |
//! | `section_reader` | reading sections, whose bytes are checked before they are used |
//! | `builder` | building and growing an index |
//! | `read_mark` | what the games of a grown database are recognised by |
//! | `postings` | which lines may have a position |
//! | `rank_lists` | ascending numbers in few bits |
//! | `reader` | finding positions, and lines by their material |
//! | `fast_replay` | the men along a line |
//! | `lines` | going through lines |
//! | `game_facts_row` | what is stored of a game |
//! | `keys` | keys and classes of positions |
#![warn(missing_docs)]

mod builder;
mod directory;
mod fast_replay;
mod game_facts_row;
mod keys;
mod layout;
mod lines;
mod mainline_collector;
mod move_symbols;
mod postings;
mod rank_lists;
mod read_mark;
mod reader;
mod section_reader;
mod section_writer;
mod segment_builder;

pub use builder::{BuildOptions, Builder, Built, Comparison, Kept};
pub use directory::Unusable;
pub use game_facts_row::Row;
pub use keys::is_same;
pub use lines::Lines;
pub use mainline_collector::{Batch, Collector};
pub use read_mark::ReadMark;
pub use reader::{Arrival, Continuation, PositionIndex, SectionFacts, SegmentRanks};
pub use segment_builder::digest_of_games;

/// CRC-32 of bytes, as ZIP archives have it.
///
/// ```
/// assert_eq!(tabia_index::crc32(b"abc"), 0x3524_41c2);
/// ```
pub fn crc32(bytes: &[u8]) -> u32 {
    directory::crc(bytes)
}

/// CRC-32 of bytes that come in parts.
///
/// ```
/// use tabia_index::{Crc32, crc32};
///
/// let mut crc = Crc32::default();
/// crc.update(b"a");
/// crc.update(b"bc");
/// assert_eq!(crc.sum(), crc32(b"abc"));
/// ```
#[derive(Debug, Default)]
pub struct Crc32(flate2::Crc);

impl Crc32 {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum so far.
    pub fn sum(&self) -> u32 {
        self.0.sum()
    }
}
