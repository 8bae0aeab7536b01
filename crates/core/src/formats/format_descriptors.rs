//! Descriptors of formats and of their files, and the functions that open and create files.

use std::io;
use std::path::Path;

use super::options_and_limits::{CreateOptions, OpenOptions};
use crate::books::{Book, BookWriter};
use crate::error::Result;
use crate::game::{MediaKind, Want};
use crate::games::{Blocks, Database, DatabaseEditor, GameStream, GameWriter, TextWriter, Written};
use crate::ids::FormatId;
use crate::io::{Charset, Source};
use crate::loss::Features;

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

/// A companion file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// Extension in lower case.
    pub extension: &'static str,
    /// Whether the format cannot be read without it.
    pub required: bool,
    /// Whether games lack something without it, as their moves or the names of their players. Other programs always
    /// write it then.
    pub has_parts_of_games: bool,
    /// Its contents, for users.
    pub holds: &'static str,
}

/// A folder next to a database, called as the database with another extension. It has the files that games and
/// texts of the database refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaFolder {
    /// Extension of the folder in lower case.
    pub extension: &'static str,
    /// The annotations whose files are there, called by the number in the annotation and the folder's extension.
    /// `None` for the folder with the files that texts name.
    pub of: Option<MediaKind>,
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
    /// Extensions of files next to a set that programs make of it and make again: they are no part of it.
    pub by_products: &'static [&'static str],
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
    /// Whether a copy of a game in this format has the bytes of its texts, if it is read with
    /// [`Want::STORED_TEXTS`] and no character set is asked for.
    pub copies_texts: bool,
    /// Folders next to a database with files that its games refer to; they are no part of the database and are
    /// not copied with games.
    pub media_folders: &'static [MediaFolder],
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

    /// What is read of games that are to be written in this format, if `want` of them is written.
    pub fn want(&self, want: Want, options: &CreateOptions) -> Want {
        if self.copies_texts && options.charset == Charset::Auto {
            want.and(Want::STORED_TEXTS)
        } else {
            want
        }
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
