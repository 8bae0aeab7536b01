//! Descriptors of formats: [`GameFormat`] and [`BookFormat`], options, limits, detection.

use std::io;
use std::path::Path;

use crate::books::{Book, BookWriter};
use crate::chess::PieceLetters;
use crate::error::{Error, ErrorKind, Result};
use crate::games::{Blocks, Database, DatabaseEditor, GameStream, GameWriter, TextWriter, Written};
pub use crate::ids::FormatId;
use crate::io::{Charset, Source};
use crate::loss::{Feature, Features, Losses};

/// The kind of content of a format's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Games.
    Games,
    /// Positions and their moves.
    Book,
    /// Other files.
    Archive,
}

/// First bytes, length and name of a file about to be opened. No format may read further to score.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// File name without its folder.
    pub name: Option<&'a str>,
    /// Up to [`Probe::HEAD`] first bytes.
    pub head: &'a [u8],
    /// Length of the file in bytes; `None` if unknown.
    pub len: Option<u64>,
}

impl Probe<'_> {
    /// Maximal number of first bytes in a probe.
    pub const HEAD: usize = 4096;

    /// The extension in lower case, without the dot; `""` if absent.
    pub fn extension(&self) -> String {
        self.name
            .and_then(|name| name.rsplit_once('.'))
            .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
    }
}

/// The confidence that a file is of a format, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Certainly not.
    No,
    /// The name fits and the bytes do not contradict it.
    ByName,
    /// The bytes look like it.
    Likely,
    /// The bytes can hardly be anything else.
    Certain,
}

/// Sizes read from a file that exceed these are refused before memory is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one game record, its annotations, or one text.
    pub record: u64,
    /// Unpacked bytes of the members of an archive, or of a compressed file, in memory; the others are
    /// put into a temporary file.
    pub member: u64,
    /// Bytes that a member of an archive or a compressed file may unpack to, even if it is packed into
    /// very few; see [`Limits::unpacked_from`].
    pub unpacked: u64,
    /// Variations inside variations.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record: 256 << 20,
            member: 32 << 20,
            unpacked: 64 << 20,
            depth: 1 << 20,
        }
    }
}

impl Limits {
    /// Unpacked bytes that a packed byte may become. Databases and books have at most about 40.
    const RATIO: u64 = 250;

    /// The most bytes that `packed` bytes may unpack to: 250 times as many, and always
    /// [`Limits::unpacked`].
    pub const fn unpacked_from(&self, packed: u64) -> u64 {
        let justified = packed.saturating_mul(Self::RATIO);
        if justified > self.unpacked {
            justified
        } else {
            self.unpacked
        }
    }

    /// `size` when it is within `limit`.
    pub fn check(what: &'static str, size: u64, limit: u64) -> Result<usize> {
        match usize::try_from(size) {
            Ok(fits) if size <= limit => Ok(fits),
            _ => Err(Error::new(ErrorKind::Limit { what, limit, size })),
        }
    }
}

/// Options for opening files.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The first problem in a game is an error.
    pub strict: bool,
    /// Bounds on sizes read from files.
    pub limits: Limits,
    /// Character set of texts; automatic by default.
    pub charset: Charset,
    /// The letters of pieces in movetext; `None` to find out from the moves.
    pub pieces: Option<&'static PieceLetters>,
    /// Password of an archive.
    pub password: Option<String>,
    /// Open the remains of a damaged set, so that they can be repaired.
    ///
    /// The main file of the source may then be any file of the set, with any first bytes. The database
    /// has a record for every game that is known to have existed; games found without an index entry
    /// follow the others. Lost parts of a game are problems of that game, reading a game that is lost
    /// completely is an error, and problems of the set are in
    /// [`DatabaseInfo::problems`](crate::games::DatabaseInfo::problems). Formats without salvage
    /// ignore this.
    pub salvage: bool,
    /// Assumptions for properties that a file does not state, as pairs of a key of the format and a
    /// value; unknown keys are ignored.
    pub hints: Vec<(String, String)>,
}

/// The amount of detail in a PGN file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// The parts of PGN that every program reads.
    #[default]
    Standard,
    /// Everything: reading the file gives an equal game.
    Full,
    /// As Lichess writes it.
    Lichess,
    /// As ChessBase writes it.
    ChessBase,
    /// The seven required tags and the moves of the mainline.
    Seven,
}

impl Profile {
    /// Every profile with its name.
    pub const ALL: [(Profile, &'static str); 5] = [
        (Self::Standard, "standard"),
        (Self::Full, "full"),
        (Self::Lichess, "lichess"),
        (Self::ChessBase, "chessbase"),
        (Self::Seven, "seven"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(profile, _)| *profile == self)
            .map_or("", |(_, name)| name)
    }
}

/// Options for creating files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Replace an existing target.
    pub force: bool,
    /// The amount of detail in PGN.
    pub profile: Profile,
    /// PGN lines of at most 80 columns.
    pub wrap: bool,
    /// Character set of texts, in formats that support several; UTF-8 if automatic.
    pub charset: Charset,
    /// Password, for archives that support one.
    pub password: Option<String>,
    /// Title or description stored in the database.
    pub title: Option<String>,
    /// Further properties to store in the database, see [`DatabaseInfo::facts`]; unknown keys are
    /// ignored.
    ///
    /// [`DatabaseInfo::facts`]: crate::games::DatabaseInfo::facts
    pub facts: Vec<(String, String)>,
    /// The time to store as creation time, seconds since 1970 UTC; 0 for none.
    pub now: u64,
}

impl Default for CreateOptions {
    fn default() -> Self {
        Self {
            force: false,
            profile: Profile::Standard,
            wrap: true,
            charset: Charset::Auto,
            password: None,
            title: None,
            facts: Vec::new(),
            now: 0,
        }
    }
}

/// The facts of a database that people gave it, and when it was made; others describe its files.
const GIVEN_FACTS: [&str; 9] = [
    "type",
    "scidbType",
    "created",
    "flag1",
    "flag2",
    "flag3",
    "flag4",
    "flag5",
    "flag6",
];

impl CreateOptions {
    /// Refuses a character set other than UTF-8, for formats that have no other.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`].
    pub fn is_utf8(&self, name: &str) -> Result<()> {
        match self.charset {
            Charset::Auto | Charset::Utf8 => Ok(()),
            Charset::Single(set) | Charset::Fallback(set) => Err(Error::unsupported(format!(
                "{name} has its texts in UTF-8, not in {}",
                set.name()
            ))),
        }
    }

    /// The losses of title and facts in a database that stores only some of them. `max_length` returns
    /// the maximal length of a fact's value in bytes, or `None` if the format has no field for it; the
    /// title has the key `title`.
    pub fn lost_facts(&self, max_length: impl Fn(&str) -> Option<usize>) -> Losses {
        let mut losses = Losses::new();
        let title = self.title.iter().map(|title| ("title", title.as_str()));
        let facts = self
            .facts
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let given = title.chain(facts.filter(|(key, _)| GIVEN_FACTS.contains(key)));
        for (key, value) in given.filter(|(_, value)| !value.is_empty()) {
            match max_length(key) {
                None => losses.add(Feature::DatabaseFacts, 1, None),
                Some(max) => losses.add(Feature::LongText, u64::from(value.len() > max), None),
            }
        }
        losses
    }
}

/// A companion file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// Extension in lower case.
    pub extension: &'static str,
    /// Whether the format cannot be read without it.
    pub required: bool,
    /// Its contents, for users.
    pub holds: &'static str,
}

/// Opens a set of files as a database.
pub type OpenDatabase = fn(&Source, &OpenOptions) -> Result<Box<dyn Database>>;
/// Opens a stream of bytes as a stream of games.
pub type OpenStream = fn(Box<dyn io::Read + Send>, &OpenOptions) -> Result<Box<dyn GameStream>>;
/// Cuts a stream of bytes into blocks of complete games.
pub type OpenBlocks = fn(Box<dyn io::Read + Send>, &OpenOptions) -> Result<Box<dyn Blocks>>;
/// Makes a visitor that writes games as text.
pub type CreateText = fn(&CreateOptions) -> Result<Box<dyn TextWriter>>;
/// Creates a database.
pub type CreateDatabase = fn(&Path, &CreateOptions) -> Result<Box<dyn GameWriter>>;
/// Opens a book.
pub type OpenBook = fn(&Source, &OpenOptions) -> Result<Box<dyn Book>>;
/// Creates a book.
pub type CreateBook = fn(&Path, &CreateOptions) -> Result<Box<dyn BookWriter>>;
/// Opens a database to change a copy of it, which will be called by the path.
pub type OpenEditor =
    fn(&Source, &Path, &CreateOptions, &OpenOptions) -> Result<Box<dyn DatabaseEditor>>;
/// Writes a copy of a database without its deleted records, holes and unused names.
pub type PackDatabase = fn(&Source, &Path, &CreateOptions, &OpenOptions) -> Result<Written>;
/// Fails if a database is damaged, so that a change would lose or invent something.
pub type CheckDatabase = fn(&Source, &OpenOptions) -> Result<()>;

/// Names and detection of a format's files, common to all kinds of formats.
#[derive(Debug)]
pub struct FileFormat {
    /// Short name.
    pub id: FormatId,
    /// For people: `"ChessBase database"`.
    pub name: &'static str,
    /// Extensions of the main file, in lower case.
    pub extensions: &'static [&'static str],
    /// The other files of a set.
    pub companions: &'static [Companion],
    /// The confidence that a file is of this format.
    pub score: fn(&Probe<'_>) -> Confidence,
    /// Evidence for the implementation, for the table of formats: `""` if checked against real files.
    pub evidence: &'static str,
}

/// A format of games.
#[derive(Debug)]
pub struct GameFormat {
    /// Names and detection.
    pub file: FileFormat,
    /// The features that a game can have with the most permissive options.
    pub can: Features,
    /// Features of which a game can have only some; a writer reports the others as losses.
    pub in_part: Features,
    /// The features that a game can have under the given options; `None` if always `can`.
    pub can_with: Option<fn(&CreateOptions) -> Features>,
    /// Opens a file or a set of files.
    pub open: OpenDatabase,
    /// Opens a stream, for formats that need no random access.
    pub open_stream: Option<OpenStream>,
    /// Cuts a stream into blocks for several threads.
    pub open_blocks: Option<OpenBlocks>,
    /// Writes games as text, on several threads.
    pub create_text: Option<CreateText>,
    /// Creates a database.
    pub create: Option<CreateDatabase>,
    /// Changes databases.
    pub edit: Option<EditFunctions>,
}

impl GameFormat {
    /// The features that a game can have under these options.
    pub fn features(&self, options: &CreateOptions) -> Features {
        self.can_with.map_or(self.can, |can| can(options))
    }

    /// Whether games can be written, as text or as a database.
    pub fn is_writable(&self) -> bool {
        self.create_text.is_some() || self.create.is_some()
    }

    /// Whether games can be read from a stream of bytes.
    pub fn is_streamable(&self) -> bool {
        self.open_blocks.is_some() || self.open_stream.is_some()
    }
}

/// Changes databases of a format. All of these change a copy, which takes its name at the end.
#[derive(Debug, Clone, Copy)]
pub struct EditFunctions {
    /// Opens a database to delete and replace records.
    pub open: OpenEditor,
    /// Opens a database to add games.
    pub append: CreateDatabase,
    /// Writes a packed copy.
    pub pack: PackDatabase,
    /// Checks that a database can be changed.
    pub check: CheckDatabase,
    /// Extensions of files that other programs make of a database, and of those that not every database
    /// has: a database that replaces another removes them.
    pub derived: &'static [&'static str],
    /// The extension among them of a file of settings, which other databases may share.
    pub settings: &'static str,
}

/// A format of opening books.
#[derive(Debug)]
pub struct BookFormat {
    /// Names and detection.
    pub file: FileFormat,
    /// The features that a book can have.
    pub can: Features,
    /// One record represents a position and its mirror images (colours exchanged, files
    /// mirrored), so that statistics of all of them are stored together.
    pub is_mirrored: bool,
    /// A book is a list of Polyglot entries sorted by key, so that jobs can work on the entries as
    /// they are stored, in bounded memory.
    pub has_key_entries: bool,
    /// Opens a book.
    pub open: OpenBook,
    /// Creates a book.
    pub create: CreateBook,
}
