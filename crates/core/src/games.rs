//! Databases: random access, streams, writers.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use crate::error::{Error, Problem, Result};
use crate::game::{Date, Eco, Flow, Game, GameResult, Visitor, Want};
use crate::ids::{FormatId, GameIndex};
pub use crate::ids::{NameId, NameKind};
use crate::loss::Losses;

/// One game's row: fixed size, typed, names by number. Enough to filter, sort and list without
/// the moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexEntry {
    /// Player with White.
    pub white: Option<NameId>,
    /// Player with Black.
    pub black: Option<NameId>,
    /// Event.
    pub event: Option<NameId>,
    /// Place.
    pub site: Option<NameId>,
    /// Round, as a name.
    pub round: Option<NameId>,
    /// Annotator.
    pub annotator: Option<NameId>,
    /// When it was played.
    pub date: Date,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// How it ended.
    pub result: GameResult,
    /// Opening code.
    pub eco: Option<Eco>,
    /// Plies of the mainline, when the index knows exactly.
    pub ply_count: Option<u16>,
    /// Full moves of the mainline, when the index knows only that (ChessBase; 255 is *or more*).
    pub move_count: Option<u8>,
    /// Marked as deleted.
    pub deleted: bool,
    /// A guiding text instead of a game.
    pub is_text: bool,
    /// Starts from a setup position.
    pub has_setup: bool,
    /// Has variations, when the index knows.
    pub has_variations: Option<bool>,
    /// Has comments, when the index knows.
    pub has_comments: Option<bool>,
    /// Has symbols (NAGs), when the index knows.
    pub has_nags: Option<bool>,
}

impl Default for IndexEntry {
    fn default() -> Self {
        Self {
            white: None,
            black: None,
            event: None,
            site: None,
            round: None,
            annotator: None,
            date: Date::UNKNOWN,
            white_elo: None,
            black_elo: None,
            result: GameResult::Unknown,
            eco: None,
            ply_count: None,
            move_count: None,
            deleted: false,
            is_text: false,
            has_setup: false,
            has_variations: None,
            has_comments: None,
            has_nags: None,
        }
    }
}

/// What a database says about itself, and what was found on opening it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatabaseInfo {
    /// The format.
    pub format: FormatId,
    /// Version or flavour in words, for people.
    pub version: String,
    /// Records: games and texts, deleted ones too.
    pub records: u32,
    /// Guiding texts among them.
    pub texts: u32,
    /// Records marked as deleted.
    pub deleted: u32,
    /// The character set in use, in words.
    pub encoding: String,
    /// The title stored in the database, if any.
    pub title: Option<String>,
    /// Companion files: extension and whether it is there.
    pub companions: Vec<(String, bool)>,
    /// Faults found on opening, one line each.
    pub problems: Vec<String>,
    /// Distinct names by kind, where the format stores them apart.
    pub names: Vec<(NameKind, u32)>,
    /// What else the database says of itself, by the format's own key: (`flag1`, `Analysed`).
    pub facts: Vec<(String, String)>,
}

/// Changes a copy of a database; the copy takes its name when it is finished.
pub trait DatabaseEditor: Send {
    /// Number of records: games and texts, deleted ones too.
    fn len(&self) -> u32;

    /// Whether there are no records.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces a record by `game`; returns what of it could not be kept.
    ///
    /// # Errors
    /// When there is no such record, or the files cannot be written.
    fn replace(&mut self, record: GameIndex, game: &Game) -> Result<Losses>;

    /// Sets or removes the deletion mark of a record.
    ///
    /// # Errors
    /// When there is no such record.
    fn set_deleted(&mut self, record: GameIndex, deleted: bool) -> Result<()>;

    /// Reads the copy back and gives it its name.
    ///
    /// # Errors
    /// When what was read back differs, or the files cannot be written.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// Random access to games. Shared between threads: `&self` only, no shared cursor.
pub trait Database: Send + Sync {
    /// What it is and what was found on opening.
    fn info(&self) -> &DatabaseInfo;

    /// Number of records: games and texts, deleted ones too.
    fn len(&self) -> u32;

    /// Whether there are no records.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of a record. Touches only what the row needs.
    fn entry(&self, game: GameIndex) -> Result<IndexEntry>;

    /// The ratings of White and Black, 0 for none, of the records from `first` on, as many as
    /// `out` has room for: what a search can skip most records by. `false`: there is no quicker way
    /// than [`entry`], and `out` is as it was.
    ///
    /// [`entry`]: Database::entry
    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        let _ = (first, out);
        false
    }

    /// Where a record stands in the main file: its offset and length in bytes. `None` where records
    /// have no place of their own.
    fn span(&self, game: GameIndex) -> Option<(u64, u64)> {
        let _ = game;
        None
    }

    /// A name by its number.
    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>>;

    /// Compares all that the files say of themselves and of each other, and hands on what does not
    /// hold. What merely reading the records shows need not be repeated.
    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        let _ = found;
    }

    /// A cursor with its own scratch space; make one per thread.
    fn reader(&self) -> Box<dyn GameReader + '_>;
}

impl dyn Database + '_ {
    /// A range of records as a stream.
    pub fn games(&self, range: Range<u32>) -> Games<'_> {
        Games {
            reader: self.reader(),
            rest: range,
        }
    }
}

/// Reads games by index, reusing its scratch space.
pub trait GameReader {
    /// Hands one record to `visitor`. Faults inside the game go to [`Visitor::problem`]; an `Err`
    /// means that nothing of the record could be read. `Ok(Flow::Stop)` if the visitor said so.
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow>;
}

/// Games one after another, once: standard input, a compressed file, an archive member.
pub trait GameStream: Send {
    /// Hands the next game to `visitor`; `None` at the end. After an `Err` the next call goes on
    /// with the following game where that is possible.
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>>;
}

/// Bytes of whole games, cut from a stream.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// The bytes, from the start of one game to the end of another.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the stream.
    pub offset: u64,
}

/// Cuts a stream into blocks of whole games, so that several threads can read it. How the stream
/// is cut never shows: reading block after block gives the same as reading it whole.
pub trait Blocks: Send {
    /// Fills `block` (reusing its memory) with the next games; `false` at the end.
    fn next(&mut self, block: &mut Block) -> Result<bool>;

    /// A reader for one thread.
    fn reader(&self) -> Box<dyn BlockReader>;
}

/// What a [`BlockReader`] found in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Games in the block.
    pub games: u32,
    /// Lines of text in the block.
    pub lines: u64,
}

/// Reads the games of blocks.
pub trait BlockReader: Send {
    /// Hands all games of a block to `visitor`. Games, lines and offsets are those of the block,
    /// from 0; whoever puts the blocks in order adds what came before
    /// ([`Error::shift`](crate::Error::shift)).
    fn read(
        &mut self,
        block: &Block,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<(Flow, BlockCounts)>;
}

/// A visitor that writes games as text into its buffer; one for each thread, the buffers joined in
/// game order.
pub trait TextWriter: Visitor + Send {
    /// The text so far. The caller may take it and leave an empty buffer.
    fn text(&mut self) -> &mut Vec<u8>;

    /// Takes what was lost so far.
    fn take_losses(&mut self) -> Losses;
}

/// A range of a database as a stream.
pub struct Games<'d> {
    reader: Box<dyn GameReader + 'd>,
    rest: Range<u32>,
}

impl std::fmt::Debug for Games<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Games")
            .field("rest", &self.rest)
            .finish_non_exhaustive()
    }
}

impl Games<'_> {
    /// Hands the next game to `visitor`; see [`GameStream::next`].
    pub fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>> {
        self.rest
            .next()
            .map(|i| self.reader.read(GameIndex(i), want, visitor))
            .transpose()
    }
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Records in the new database.
    pub records: u32,
    /// The files, main file first.
    pub files: Vec<PathBuf>,
    /// Bytes in all of them.
    pub bytes: u64,
}

/// The part of a writer's work that needs no other game; one for each thread.
pub trait GameEncoder: Send {
    /// Appends to `out` what [`GameWriter::append`] takes for `game`, and says what of the game cannot
    /// be kept. After an error `out` is as before.
    fn encode(&mut self, game: &Game, out: &mut Vec<u8>) -> Result<Losses>;
}

/// Appends games to a new database.
pub trait GameWriter: Send {
    /// An encoder for a thread. `None` when [`GameWriter::write`] does all the work.
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        None
    }

    /// Appends games that encoders of this writer have made of some, in order; as if each had been
    /// written.
    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let _ = encoded;
        Err(Error::unsupported("this writer has no encoders"))
    }

    /// Appends `game` and says what of it could not be kept.
    fn write(&mut self, game: &Game) -> Result<Losses>;

    /// What of the title and the facts that the database was created with it does not hold. Known
    /// before the first game is written.
    fn lost_facts(&self) -> Losses {
        Losses::new()
    }

    /// Completes the files and gives them their names. A writer that is dropped without it leaves
    /// nothing behind.
    fn finish(self: Box<Self>) -> Result<Written>;
}
