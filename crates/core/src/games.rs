//! Databases of games: random access, streams, writers, editors.

mod blank_entries;
mod index_head;
mod lost_names;
mod text_limits;

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chess::{Material, PawnsGone, PieceLetters};
use crate::error::{Error, Problem, Result};
use crate::game::{Date, Eco, Flow, Game, GameResult, Visitor, Want};
use crate::ids::{FormatId, GameIndex};
pub use crate::ids::{NameId, NameKind};
use crate::io::Charset;
use crate::loss::Losses;

pub use blank_entries::{BlankEntries, blank_entry, is_blank_entry};
pub use index_head::{HeadName, HeadReader, IndexHead};
pub use lost_names::{is_lost_name, lost_name};
pub use text_limits::{NameLimit, TextLimits};

/// The index entry of a game: the values needed to filter, sort and list games without their moves.
/// Names are given by number; see [`Database::name`]. `None` if the index has no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexEntry {
    /// Player with White.
    pub white: Option<NameId>,
    /// Player with Black.
    pub black: Option<NameId>,
    /// The event or tournament.
    pub event: Option<NameId>,
    /// The site where the game was played.
    pub site: Option<NameId>,
    /// The round, as a name.
    pub round: Option<NameId>,
    /// The annotator.
    pub annotator: Option<NameId>,
    /// The date of the game.
    pub date: Date,
    /// Elo of White, from 1.
    pub white_elo: Option<u16>,
    /// Elo of Black, from 1.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: GameResult,
    /// The opening code.
    pub eco: Option<Eco>,
    /// Number of plies of the mainline; `None` if the index does not store it exactly.
    pub ply_count: Option<u16>,
    /// Number of full moves of the mainline, in indexes that store only that (ChessBase); 255 means 255
    /// or more.
    pub move_count: Option<u8>,
    /// Whether the record is marked as deleted.
    pub deleted: bool,
    /// Whether the record is a guiding text instead of a game.
    pub is_text: bool,
    /// Whether the game starts from a setup position.
    pub has_setup: bool,
    /// Whether the game has variations; `None` if the index does not store it.
    pub has_variations: Option<bool>,
    /// Whether the game has comments; `None` if the index does not store it.
    pub has_comments: Option<bool>,
    /// Whether the game has symbols (NAGs); `None` if the index does not store it.
    pub has_nags: Option<bool>,
    /// Whether the game has training questions; `None` if the index does not store it.
    pub has_training: Option<bool>,
}

impl IndexEntry {
    /// What makes the game an annotated one, as far as the index stores it: variations, comments, symbols, training
    /// questions.
    pub fn annotations(&self) -> [Option<bool>; 4] {
        [
            self.has_variations,
            self.has_comments,
            self.has_nags,
            self.has_training,
        ]
    }
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
            has_training: None,
        }
    }
}

/// The properties of a database, and problems found on opening it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct DatabaseInfo {
    /// The format.
    pub format: FormatId,
    /// Version or variant of the format, as text for users.
    pub version: String,
    /// Number of records: games and texts, including deleted ones.
    pub records: u32,
    /// Number of records that the database states to have and of which nothing is left; they are not
    /// among `records`. Only salvage counts them.
    pub missing: u32,
    /// Number of guiding texts among the records.
    pub texts: u32,
    /// Number of records marked as deleted.
    pub deleted: u32,
    /// Name of the character set in use.
    pub encoding: String,
    /// The title stored in the database; `None` if absent.
    pub title: Option<String>,
    /// Companion files: extension, and whether the file exists.
    pub companions: Vec<(String, bool)>,
    /// Problems found on opening, one line each.
    pub problems: Vec<String>,
    /// Entries of the index that have only zeros. They are among the problems, and reading one of these records is a
    /// [`blank_entry`] error.
    pub blank_entries: BlankEntries,
    /// Whether names of records may be those of others: the file of names contradicts itself or the index.
    pub has_doubtful_names: bool,
    /// Number of distinct names by kind, in formats that store names separately.
    pub names: Vec<(NameKind, u32)>,
    /// Further properties, as pairs of a key of the format and a value: (`flag1`, `Analysed`).
    pub facts: Vec<(String, String)>,
}

/// Changes a copy of a database; the copy takes its name when it is finished.
pub trait DatabaseEditor: Send {
    /// Number of records: games and texts, including deleted ones.
    fn len(&self) -> u32;

    /// Whether there are no records.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces a record by `game`; returns the losses.
    ///
    /// # Errors
    /// When the record does not exist, or the files cannot be written.
    fn replace(&mut self, record: GameIndex, game: &Game) -> Result<Losses>;

    /// Sets or removes the deletion mark of a record.
    ///
    /// # Errors
    /// When the record does not exist.
    fn set_deleted(&mut self, record: GameIndex, deleted: bool) -> Result<()>;

    /// Reads the copy back and gives it its name.
    ///
    /// # Errors
    /// When the copy reads back differently, or the files cannot be written.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// Some bytes of a record in a file of its database.
///
/// ```
/// use std::path::Path;
/// use tabia_core::games::{PartKind, StoredPart};
///
/// let (name, bytes) = (Path::new("games.cbg").into(), b"header, moves, more");
/// let part = StoredPart::of_file(PartKind::Moves, &name, bytes, 8, 5).unwrap();
/// assert_eq!((part.bytes, part.offset, part.kind.name()), (&b"moves"[..], 8, "moves"));
/// // A file that is cut off has fewer bytes; one that ends before has none.
/// let cut = StoredPart::of_file(PartKind::Moves, &name, bytes, 15, 9).unwrap();
/// assert_eq!(cut.bytes, b"more");
/// assert!(StoredPart::of_file(PartKind::Moves, &name, bytes, 19, 9).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredPart<'d> {
    /// What the bytes are.
    pub kind: PartKind,
    /// The file, as messages name it.
    pub file: Arc<Path>,
    /// Offset of the first byte in the file; in what was unpacked, of a compressed file.
    pub offset: u64,
    /// The bytes, as many of them as the file has.
    pub bytes: &'d [u8],
}

impl<'d> StoredPart<'d> {
    /// These bytes at an offset of a file.
    pub fn new(kind: PartKind, file: &Arc<Path>, offset: u64, bytes: &'d [u8]) -> Self {
        Self {
            kind,
            file: Arc::clone(file),
            offset,
            bytes,
        }
    }

    /// At most `length` of the `bytes` of a file, from an offset on. `None` if there are none.
    pub fn of_file(
        kind: PartKind,
        file: &Arc<Path>,
        bytes: &'d [u8],
        offset: u64,
        length: usize,
    ) -> Option<Self> {
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        let bytes = rest.get(..length).unwrap_or(rest);
        (!bytes.is_empty()).then(|| Self::new(kind, file, offset, bytes))
    }
}

/// What some bytes of a record are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartKind {
    /// The entry of the record in an index: names, date, result, where the rest is.
    IndexEntry,
    /// More of the index entry, in another file.
    ExtendedEntry,
    /// The whole record, or all but the index entry.
    Game,
    /// Moves, or the body of a text.
    Moves,
    /// Annotations that are not stored with the moves.
    Annotations,
}

impl PartKind {
    /// The name: `indexEntry`, `extendedEntry`, `game`, `moves`, `annotations`.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexEntry => "indexEntry",
            Self::ExtendedEntry => "extendedEntry",
            Self::Game => "game",
            Self::Moves => "moves",
            Self::Annotations => "annotations",
        }
    }
}

/// The bytes by which the moves of a game are stored: see [`Database::stored_moves`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredMoves<'d> {
    /// The bytes.
    pub bytes: &'d [u8],
    /// Comments, NAGs and other annotations are stored elsewhere too, and may differ.
    pub has_other_annotations: bool,
}

impl<'d> StoredMoves<'d> {
    /// Bytes and what they leave open.
    ///
    /// ```
    /// use tabia_core::games::StoredMoves;
    ///
    /// let moves = StoredMoves::new(&[1, 2], false);
    /// assert_eq!(moves.bytes, [1, 2]);
    /// ```
    pub fn new(bytes: &'d [u8], has_other_annotations: bool) -> Self {
        Self {
            bytes,
            has_other_annotations,
        }
    }
}

/// Random access to the games of a database. It is shared between threads, each of which reads with a
/// [`GameReader`] of its own.
pub trait Database: Send + Sync {
    /// The properties of the database, and problems found on opening it.
    fn info(&self) -> &DatabaseInfo;

    /// Number of records: games and texts, including deleted ones.
    fn len(&self) -> u32;

    /// Whether there are no records.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index entry of a record. Reads only the files that contain it.
    ///
    /// # Errors
    /// When the record does not exist or its entry cannot be read.
    fn entry(&self, game: GameIndex) -> Result<IndexEntry>;

    /// Fills `out` with the Elo of White and Black (0 if unknown) of the records from `first` on, so
    /// that a search can skip most records. `false`, with `out` unchanged, if there is no faster way
    /// than [`entry`].
    ///
    /// [`entry`]: Database::entry
    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        let _ = (first, out);
        false
    }

    /// Fills `out` with the players of the records from `first` on, White and Black, as [`entry`] has them, so
    /// that a search can skip most records. `None` where only the record itself can decide. `false`, with any
    /// contents of `out`, if there is no faster way than [`entry`].
    ///
    /// [`entry`]: Database::entry
    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        let _ = (first, out);
        false
    }

    /// The material at the end of the mainline of a game, and the order in which pawns left their start
    /// squares, if the index has them, so that a search for positions can skip most records. Without the
    /// pawns if the game did not begin in the standard position.
    fn signature(&self, game: GameIndex) -> Option<(Material, Option<PawnsGone>)> {
        let _ = game;
        None
    }

    /// Fills `out` with the signatures of the records from `first` on, as [`signature`](Database::signature) has
    /// them, so that a search can test thousands of records in one call. `false`, with any contents of `out`, if
    /// they are not known of all of these records without more work than that.
    fn signatures(&self, first: GameIndex, out: &mut [(Material, Option<PawnsGone>)]) -> bool {
        let _ = (first, out);
        false
    }

    /// A digest of the first records as they are stored: equal digests mean equal mainlines, ratings, dates,
    /// results and deletion marks, but for chance. The same records stored in another way may have another
    /// digest. `None` if the records have to be read to find that out, or if there are fewer.
    ///
    /// Takes a small part of the time of reading the games.
    fn digest(&self, records: u32) -> Option<u64> {
        let _ = records;
        None
    }

    /// The number of plies that are stored for the mainline of a game, if they can be counted without
    /// decoding moves and agree with its index entry; otherwise `None`, and the record has to be read.
    fn stored_plies(&self, game: GameIndex) -> Option<u32> {
        let _ = game;
        None
    }

    /// The bytes by which the moves of a game are stored, if they alone decide what moves it has: games of this
    /// database with equal bytes have the same mainline from the standard position, the same variations, and the
    /// same problems in them. `None` if that is not certain, or if finding out takes long.
    fn stored_moves(&self, game: GameIndex) -> Option<StoredMoves<'_>> {
        let _ = game;
        None
    }

    /// Offset and length in bytes of a record in the main file; `None` in formats whose records are not
    /// contiguous there.
    fn span(&self, game: GameIndex) -> Option<(u64, u64)> {
        let _ = game;
        None
    }

    /// Offset and length in bytes of a game in the main file where it can be replaced by another text: nothing else is
    /// between them, such as a line that is no part of the game.
    ///
    /// # Errors
    /// Why the game cannot be replaced there.
    fn replaceable_span(&self, game: GameIndex) -> Result<(u64, u64)> {
        let _ = game;
        Err(Error::unsupported(
            "records of this format cannot be replaced where they are",
        ))
    }

    /// The bytes of a record in the files of the database: its index entry first, then its game. Empty if the
    /// record does not exist, or if no file has its bytes as they are read.
    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let _ = game;
        Vec::new()
    }

    /// The name with a number.
    ///
    /// # Errors
    /// When the database has no such name or it cannot be read.
    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>>;

    /// Whether [`IndexEntry::has_comments`] is true for games too whose comments have only commands as `[%clk]`, which
    /// are annotations of other kinds: whether such a game has comments is known once it was read.
    fn counts_commands_as_comments(&self) -> bool {
        false
    }

    /// What the database changes in the texts of games that are added to it; `None` if nothing.
    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        None
    }

    /// Checks that the files agree with themselves and with each other, and passes on every problem.
    /// Problems that reading the records reports may be left out.
    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        let _ = found;
    }

    /// Why the names are those of other games, by how often the files state that each is used; `None` if they fit, or
    /// if the format states nothing. All records are looked at, but no moves.
    fn foreign_names(&self) -> Option<Error> {
        None
    }

    /// A reader with buffers of its own, for one thread.
    fn reader(&self) -> Box<dyn GameReader + '_>;

    /// A reader of heads that is faster than [`reader`](Database::reader) is for tags alone; `None` if there is none.
    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        None
    }
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

/// Reads games by index, reusing its buffers.
pub trait GameReader {
    /// Passes one record to `visitor`. Problems inside the game go to [`Visitor::problem`]. Returns
    /// [`Flow::Stop`] if the visitor returned it.
    ///
    /// # Errors
    /// When nothing of the record can be read, and for problems in
    /// [strict](crate::formats::OpenOptions::strict) mode.
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow>;
}

/// Games that can be read only once and in order: from standard input, a compressed file, an archive
/// member.
pub trait GameStream: Send {
    /// Passes the next game to `visitor`; `None` at the end.
    ///
    /// # Errors
    /// When the stream or the game cannot be read, and for problems in
    /// [strict](crate::formats::OpenOptions::strict) mode. The next call continues with the following
    /// game if possible.
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>>;
}

/// The bytes of complete games, cut from a stream.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// The bytes, from the start of one game to the end of another.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the stream.
    pub offset: u64,
}

/// What is found out about a text of games.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextFacts {
    /// The letters of pieces in its moves, unless they are English.
    pub pieces: Option<&'static PieceLetters>,
    /// The single-byte character set of what is not UTF-8 in it; `None` if there is nothing.
    pub charset: Option<Charset>,
}

/// Cuts a stream into blocks of complete games, so that several threads can read it. Reading all blocks
/// in order gives the same games and problems as reading the stream.
pub trait Blocks: Send {
    /// Fills `block`, reusing its memory, with the next games; `false` at the end.
    ///
    /// # Errors
    /// When the stream cannot be read.
    fn next(&mut self, block: &mut Block) -> Result<bool>;

    /// Blocks are handed on only when they are full or the stream ends, from now on, also if its bytes come
    /// slowly: which games a block has then depends on these bytes alone. To be called before the first block.
    fn wait_for_full_blocks(&mut self) {}

    /// What was found out about the text of the blocks so far, where options left it open.
    fn found(&self) -> TextFacts {
        TextFacts::default()
    }

    /// A reader for one thread.
    fn reader(&self) -> Box<dyn BlockReader>;
}

/// Numbers of games and lines in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Games in the block.
    pub games: u32,
    /// Lines of text in the block.
    pub lines: u64,
}

/// Reads the games of blocks, on one thread.
pub trait BlockReader: Send {
    /// Passes all games of a block to `visitor`. Games, lines and offsets are counted from the start of
    /// the block; [`Error::shift`](crate::Error::shift) adds those of earlier blocks.
    ///
    /// # Errors
    /// When reading cannot continue, as after a problem in
    /// [strict](crate::formats::OpenOptions::strict) mode.
    fn read(
        &mut self,
        block: &Block,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<(Flow, BlockCounts)>;
}

/// A visitor that writes games as text into its buffer. Each thread has one, and the buffers are joined
/// in the order of games.
pub trait TextWriter: Visitor + Send {
    /// The text before the first game of a file, such as the names of columns; empty for most formats.
    fn header(&self) -> &'static str {
        ""
    }

    /// The text written so far. The caller may take it, leaving an empty buffer.
    fn text(&mut self) -> &mut Vec<u8>;

    /// Takes the losses so far.
    fn take_losses(&mut self) -> Losses;

    /// From now on the text lacks where its games came from: [`take_origins`](Self::take_origins) returns where
    /// [`write_origin`](Self::write_origin) is to put it. Threads that read a part of a text do not know the
    /// numbers of its games. Without effect on formats that do not state it.
    fn defer_origins(&mut self) {}

    /// Takes the offsets of deferred origins in the text, ascending.
    fn take_origins(&mut self) -> Vec<OriginOffset> {
        Vec::new()
    }

    /// Appends where a game came from, as it is at an [`OriginOffset`].
    fn write_origin(&self, origin: &GameOrigin<'_>, out: &mut Vec<u8>) {
        let _ = (origin, out);
    }
}

/// Where a game of a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameOrigin<'a> {
    /// Its index in its database.
    pub game: GameIndex,
    /// The name of the file; empty if it is not known.
    pub source: &'a str,
    /// Problems found while it was read.
    pub problems: u32,
}

/// An offset in a text at which the origin of a game is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginOffset {
    /// The number of bytes before it.
    pub at: usize,
    /// The index of the game as it was passed to the writer.
    pub game: GameIndex,
    /// Problems found while the game was read.
    pub problems: u32,
}

/// A range of a database as a stream; made by [`games`](trait.Database.html#method.games).
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
    /// Passes the next game to `visitor`; `None` at the end. See [`GameStream::next`].
    ///
    /// # Errors
    /// As for [`GameReader::read`].
    pub fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>> {
        self.rest
            .next()
            .map(|i| self.reader.read(GameIndex(i), want, visitor))
            .transpose()
    }
}

/// The files of a new database or book.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Number of records.
    pub records: u32,
    /// Paths of the files, main file first.
    pub files: Vec<PathBuf>,
    /// Total length of the files in bytes.
    pub bytes: u64,
    /// Losses that are known only when all games are written.
    pub losses: Losses,
}

impl Written {
    /// `records` records in files of `bytes` bytes together, main file first.
    pub fn new(records: u32, files: Vec<PathBuf>, bytes: u64) -> Self {
        Self {
            records,
            files,
            bytes,
            losses: Losses::new(),
        }
    }
}

/// The part of a writer's work that is independent of other games; each thread has one.
pub trait GameEncoder: Send {
    /// Appends the encoded game to `out`, for [`GameWriter::append`]; returns the losses.
    ///
    /// # Errors
    /// When the game cannot be encoded; `out` is then unchanged.
    fn encode(&mut self, game: &Game, out: &mut Vec<u8>) -> Result<Losses>;
}

/// Appends games to a new database.
pub trait GameWriter: Send {
    /// An encoder for one thread; `None` if the format is written with [`GameWriter::write`] only.
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        None
    }

    /// Appends games that encoders of this writer have encoded, in order; equivalent to writing each.
    ///
    /// # Errors
    /// When the files cannot be written, or the writer has no encoders.
    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let _ = encoded;
        Err(Error::unsupported("this writer has no encoders"))
    }

    /// Appends a game; returns the losses.
    ///
    /// # Errors
    /// When the game cannot be encoded or the files cannot be written.
    fn write(&mut self, game: &Game) -> Result<Losses>;

    /// The losses of title and facts in [`CreateOptions`](crate::formats::CreateOptions); known before
    /// the first game is written.
    fn lost_facts(&self) -> Losses {
        Losses::new()
    }

    /// Completes the files and gives them their names. A writer that is dropped instead removes its
    /// files.
    ///
    /// # Errors
    /// When the files cannot be written or named.
    fn finish(self: Box<Self>) -> Result<Written>;
}
