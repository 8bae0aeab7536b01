//! Errors and their locations: [`Error`] for users, [`Malformed`] for decoding loops, [`Problem`] for
//! errors in the input after which reading continued.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::chess::san::SanError;
use crate::chess::{FenError, PositionError, SetupError};
use crate::ids::FormatId;
pub use crate::ids::GameIndex;
use crate::io::name_text;
use crate::plural::counted;

/// The result of a function that can fail with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A location in the input. Callers add the parts they know; parts that do not apply stay `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file with the error.
    pub file: Option<Arc<Path>>,
    /// Byte offset from the start of `file`.
    pub offset: Option<u64>,
    /// The game or text record.
    pub game: Option<GameIndex>,
    /// Number of plies before the error in its line.
    pub ply: Option<u32>,
    /// Line of a text file, from 1.
    pub line: Option<u64>,
    /// Column of a text file in bytes, from 1.
    pub column: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{}", name_text(file.as_os_str()))?;
            separator = ": ";
        }
        if let Some(game) = self.game {
            write!(f, "{separator}game {game}")?;
            separator = ", ";
        }
        if let Some(ply) = self.ply {
            write!(f, "{separator}ply {ply}")?;
            separator = ", ";
        }
        if let Some(line) = self.line {
            write!(f, "{separator}line {line}")?;
            separator = ", ";
            if let Some(column) = self.column {
                write!(f, "{separator}column {column}")?;
            }
        }
        if let Some(offset) = self.offset {
            write!(f, "{separator}offset {offset:#x}")?;
        }
        Ok(())
    }
}

/// An error with its location. One machine word, so that `Result<u32>` stays small.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Error, ErrorKind, GameIndex};
///
/// let error = Error::invalid("no legal move").at_ply(12).in_game(GameIndex(3));
/// assert_eq!(error.to_string(), "game 4, ply 12: no legal move");
/// assert!(matches!(error.kind(), ErrorKind::Invalid(_)));
/// assert_eq!(error.location().ply, Some(12));
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    at: Location,
    /// `None` if the kind alone decides.
    side: Option<ErrorSide>,
}

/// The part of a job that an [`Error`] ended. The exit codes of the program depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorSide {
    /// The request makes no sense for these inputs or this target.
    Usage,
    /// An input cannot be opened, or is damaged beyond use.
    Input,
    /// Strict reading ended at this problem of an input.
    Strict,
    /// An output cannot be written.
    Output,
    /// The caller cancelled the job.
    Cancelled,
}

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request makes no sense for these inputs or this target.
    Usage {
        /// What is wrong, for users.
        message: String,
        /// What to do instead, for users.
        hint: Option<String>,
    },
    /// The text of a query cannot be read.
    Query {
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong, for users.
        message: String,
        /// What was probably meant and what is known, for users, if anything.
        hint: Option<String>,
    },
    /// The operating system reported an error.
    Io(io::Error),
    /// A file was cut off, or its disk failed, while it was read. What is read of it from then on is not what was
    /// stored: it has to be opened again.
    LostFile,
    /// A temporary file cannot be created, written or read; the location names its folder.
    TemporaryFile(io::Error),
    /// No known format fits these first bytes.
    UnknownFormat {
        /// Up to the first 32 bytes of the file.
        found: Vec<u8>,
    },
    /// Two or more formats fit equally well.
    AmbiguousFormat(Vec<FormatId>),
    /// The file is not of the format it was opened as.
    WrongFormat {
        /// The format that was tried.
        expected: FormatId,
        /// The reason, for users.
        why: String,
    },
    /// A variant or operation of the format that is not supported. The text is for users.
    Unsupported(String),
    /// The named file of a set is required and missing.
    MissingFile(String),
    /// A record refers to names, moves or annotations that are not in their file, or its index entry is
    /// lost. The location names the file that lacks something: all records with such an error of one
    /// file have one cause. The text is for users.
    NotInFile(String),
    /// A damaged database is not changed: the change would lose or invent something. The text names
    /// the damage.
    Damaged(String),
    /// A field contradicts the format.
    Malformed(Malformed),
    /// Moves or text that cannot be read. The text is for users.
    Invalid(String),
    /// A number in the files that does not fit them and that programs compute anew, such as the number of unused
    /// bytes: no game, name or text depends on it. The text is for users.
    OutOfDate(String),
    /// Something begins in a text and does not end, such as a comment: what follows the text would become part of
    /// it. The text is for users.
    OpenEnd(String),
    /// A size in the file exceeds [`Limits`](crate::formats::Limits).
    Limit {
        /// The noun for the item of that size.
        what: &'static str,
        /// The limit in force.
        limit: u64,
        /// The size found in the file.
        size: u64,
    },
    /// The password of an archive is missing or wrong.
    Password,
    /// The target exists and may not be replaced.
    Exists,
    /// What has the name of the target is nothing that a file replaces, whatever is allowed: a device, a
    /// pipe, a link to a file of another set. The text is for users.
    NotReplaceable(String),
    /// Another process is writing the files.
    InUse {
        /// Its number; `None` if unknown.
        process: Option<u32>,
    },
    /// The target was replaced by another program since it was opened.
    Replaced,
    /// The caller cancelled the work.
    Cancelled,
}

impl Clone for ErrorKind {
    /// A copy of an I/O error has the same kind and text.
    fn clone(&self) -> Self {
        match self {
            Self::Usage { message, hint } => Self::Usage {
                message: message.clone(),
                hint: hint.clone(),
            },
            Self::Query {
                column,
                message,
                hint,
            } => Self::Query {
                column: *column,
                message: message.clone(),
                hint: hint.clone(),
            },
            Self::Io(error) => Self::Io(copy(error)),
            Self::LostFile => Self::LostFile,
            Self::TemporaryFile(error) => Self::TemporaryFile(copy(error)),
            Self::UnknownFormat { found } => Self::UnknownFormat {
                found: found.clone(),
            },
            Self::AmbiguousFormat(ids) => Self::AmbiguousFormat(ids.clone()),
            Self::WrongFormat { expected, why } => Self::WrongFormat {
                expected: *expected,
                why: why.clone(),
            },
            Self::Unsupported(text) => Self::Unsupported(text.clone()),
            Self::MissingFile(name) => Self::MissingFile(name.clone()),
            Self::NotInFile(text) => Self::NotInFile(text.clone()),
            Self::Damaged(text) => Self::Damaged(text.clone()),
            Self::Malformed(malformed) => Self::Malformed(*malformed),
            Self::Invalid(text) => Self::Invalid(text.clone()),
            Self::OutOfDate(text) => Self::OutOfDate(text.clone()),
            Self::OpenEnd(text) => Self::OpenEnd(text.clone()),
            Self::Limit { what, limit, size } => Self::Limit {
                what,
                limit: *limit,
                size: *size,
            },
            Self::Password => Self::Password,
            Self::Exists => Self::Exists,
            Self::NotReplaceable(text) => Self::NotReplaceable(text.clone()),
            Self::InUse { process } => Self::InUse { process: *process },
            Self::Replaced => Self::Replaced,
            Self::Cancelled => Self::Cancelled,
        }
    }
}

fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// An error found in a decoding loop: `Copy`, without allocation. A format turns it into an [`Error`]
/// where file and base offset are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// The name of the field in the format's FORMAT.md, for example `"moves_at"`.
    pub field: &'static str,
    /// Offset in the decoded slice.
    pub at: usize,
    /// The kind of error.
    pub why: Why,
}

/// The kind of error in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The bytes end too early.
    Truncated {
        /// Bytes the field needs.
        needed: usize,
        /// Bytes that are left.
        left: usize,
    },
    /// A value the format does not allow.
    Value(u64),
    /// A move that cannot be played in its position.
    IllegalMove,
    /// Text that does not decode.
    Text,
    /// A checksum that does not match.
    Checksum,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match self.why {
            Why::Truncated { needed, left } => {
                let needed = counted(needed, "byte", "bytes");
                let left = counted(left, "is left", "are left");
                write!(f, "`{field}` needs {needed}, {left}")
            }
            Why::Value(value) => write!(f, "`{field}` has the impossible value {value:#x}"),
            Why::IllegalMove => write!(f, "`{field}` cannot be played"),
            Why::Text => write!(f, "`{field}` is not readable text"),
            Why::Checksum => write!(f, "`{field}` does not match its checksum"),
        }
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    /// An [`Error`] at the file offset `base + self.at`.
    pub fn at_base(self, base: u64) -> Error {
        Error::from(self).at_offset(base.saturating_add(self.at as u64))
    }
}

impl Error {
    /// An error without a location.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            at: Location::default(),
            side: None,
        }))
    }

    /// An error of kind [`ErrorKind::Usage`] with a text for users.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage {
            message: text.into(),
            hint: None,
        })
    }

    /// Adds what to do instead to an error of kind [`ErrorKind::Usage`]; others do not change.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Error, ErrorKind};
    ///
    /// let error = Error::usage("book.bin is a book").with_hint("`book info` reads books");
    /// assert_eq!(error.to_string(), "book.bin is a book");
    /// assert!(matches!(error.kind(), ErrorKind::Usage { hint: Some(_), .. }));
    /// ```
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let ErrorKind::Usage { hint, .. } = &mut self.0.kind {
            *hint = Some(text.into());
        }
        self
    }

    /// An error of kind [`ErrorKind::Cancelled`].
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled)
    }

    /// An error of kind [`ErrorKind::Invalid`] with a text for users.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid(text.into()))
    }

    /// An error of kind [`ErrorKind::Unsupported`] with a text for users.
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported(text.into()))
    }

    /// A record refers to what its file does not have; `text` is for users.
    pub fn not_in_file(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotInFile(text.into()))
    }

    /// The kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The part of the job that the error ended. Usage errors and cancellation follow from the kind.
    /// Other errors are of the input unless [`in_output`](Self::in_output) or
    /// [`under_strict`](Self::under_strict) marked them; a temporary file that cannot be used counts
    /// as an output.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Error, ErrorKind, ErrorSide};
    ///
    /// assert_eq!(Error::invalid("no legal move").side(), ErrorSide::Input);
    /// assert_eq!(Error::new(ErrorKind::Exists).in_output().side(), ErrorSide::Output);
    /// assert_eq!(Error::usage("name one file").side(), ErrorSide::Usage);
    /// assert_eq!(Error::cancelled().in_output().side(), ErrorSide::Cancelled);
    /// ```
    pub fn side(&self) -> ErrorSide {
        match (&self.0.kind, self.0.side) {
            (ErrorKind::Usage { .. }, Some(ErrorSide::Strict)) => ErrorSide::Strict,
            (ErrorKind::Usage { .. } | ErrorKind::Query { .. }, _) => ErrorSide::Usage,
            (ErrorKind::Cancelled, _) => ErrorSide::Cancelled,
            (_, Some(side)) => side,
            (ErrorKind::TemporaryFile(_), None) => ErrorSide::Output,
            (_, None) => ErrorSide::Input,
        }
    }

    /// Whether the reader of our output closed its end.
    pub fn is_closed_pipe(&self) -> bool {
        self.side() == ErrorSide::Output
            && matches!(&self.0.kind, ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The location of the error.
    pub fn location(&self) -> &Location {
        &self.0.at
    }

    /// The kind alone, without location and side.
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Marks the error as one of reading unless its side is set already.
    #[must_use]
    pub fn in_input(mut self) -> Self {
        self.0.side.get_or_insert(ErrorSide::Input);
        self
    }

    /// Whether [`in_input`](Self::in_input) marked the error.
    pub fn is_of_input(&self) -> bool {
        self.0.side == Some(ErrorSide::Input)
    }

    /// Marks the error as one of writing unless its side is set already.
    #[must_use]
    pub fn in_output(mut self) -> Self {
        self.0.side.get_or_insert(ErrorSide::Output);
        self
    }

    /// Marks the error as the problem that ended strict reading unless its side is set already.
    #[must_use]
    pub fn under_strict(mut self) -> Self {
        self.0.side.get_or_insert(ErrorSide::Strict);
        self
    }

    /// Whether the system reports that there is no such file or folder.
    pub fn is_not_found(&self) -> bool {
        matches!(&self.0.kind, ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the operating system could not do what was asked: a file cannot be opened or read, a
    /// disk fails. Bytes that are read and wrong are no such error.
    pub fn is_system(&self) -> bool {
        match &self.0.kind {
            ErrorKind::Io(error) => error.raw_os_error().is_some(),
            kind => matches!(kind, ErrorKind::LostFile),
        }
    }

    /// Sets the file unless it is set already.
    #[must_use]
    pub fn in_file(mut self, file: &Arc<Path>) -> Self {
        self.0.at.file.get_or_insert_with(|| Arc::clone(file));
        self
    }

    /// Sets the file by its path unless it is set already.
    #[must_use]
    pub fn in_path(mut self, file: &Path) -> Self {
        self.0.at.file.get_or_insert_with(|| Arc::from(file));
        self
    }

    /// Sets the game unless it is set already.
    #[must_use]
    pub fn in_game(mut self, game: GameIndex) -> Self {
        self.0.at.game.get_or_insert(game);
        self
    }

    /// Sets the byte offset in the file unless it is set already.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.at.offset.get_or_insert(offset);
        self
    }

    /// Sets the number of plies before the error unless it is set already.
    #[must_use]
    pub fn at_ply(mut self, ply: u32) -> Self {
        self.0.at.ply.get_or_insert(ply);
        self
    }

    /// Shifts the location by the games, bytes and lines that precede the block it was found in.
    #[must_use]
    pub fn shift(mut self, games: u32, bytes: u64, lines: u64) -> Self {
        let at = &mut self.0.at;
        at.game = at.game.map(|game| GameIndex(game.0.saturating_add(games)));
        at.offset = at.offset.map(|offset| offset.saturating_add(bytes));
        at.line = at.line.map(|line| line.saturating_add(lines));
        self
    }

    /// Sets line and column of a text file, both from 1, unless they are set already.
    #[must_use]
    pub fn at_line(mut self, line: u64, column: u32) -> Self {
        if self.0.at.line.is_none() {
            self.0.at.line = Some(line);
            self.0.at.column = Some(column);
        }
        self
    }
}

/// As [`Display`](fmt::Display), with the hint on a line of its own: it is what a `main` that returns the error
/// prints. `{:#?}` shows the fields.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.0.fmt(f);
        }
        write!(f, "{self}")?;
        if let ErrorKind::Usage {
            hint: Some(hint), ..
        }
        | ErrorKind::Query {
            hint: Some(hint), ..
        } = &self.0.kind
        {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = &self.0.at;
        if *at != Location::default() {
            write!(f, "{at}: ")?;
        }
        self.0.kind.fmt(f)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write_system_error(error, f),
            Self::LostFile => f.write_str("it was cut off, or its disk failed, while it was read"),
            Self::TemporaryFile(error) => {
                f.write_str("temporary file: ")?;
                write_system_error(error, f)
            }
            Self::UnknownFormat { found } => {
                write!(f, "of no known format: {}", UnknownContents::of(found))
            }
            Self::AmbiguousFormat(ids) => {
                f.write_str("could be")?;
                for (i, id) in ids.iter().enumerate() {
                    write!(f, "{}{id}", if i == 0 { " " } else { " or " })?;
                }
                Ok(())
            }
            Self::WrongFormat { expected, why } => write!(f, "not in the {expected} format: {why}"),
            Self::Usage { message: text, .. }
            | Self::Unsupported(text)
            | Self::NotInFile(text)
            | Self::NotReplaceable(text)
            | Self::Invalid(text)
            | Self::OutOfDate(text)
            | Self::OpenEnd(text) => write!(f, "{text}"),
            Self::Query {
                column, message, ..
            } => write!(f, "column {column} of the query: {message}"),
            Self::MissingFile(name) => write!(f, "the file {name} is missing"),
            Self::Damaged(text) => write!(f, "{text}; a damaged database is not changed"),
            Self::Malformed(malformed) => write!(f, "{malformed}"),
            Self::Limit { what, limit, size } => {
                write!(f, "{what} of {size} exceeds the limit of {limit}")
            }
            Self::Password => write!(f, "the password is missing or wrong"),
            Self::Exists => write!(f, "exists already"),
            Self::InUse {
                process: Some(process),
            } => write!(f, "process {process} is writing it"),
            Self::InUse { process: None } => write!(f, "another process is writing it"),
            Self::Replaced => {
                write!(
                    f,
                    "another program replaced it meanwhile; nothing was changed"
                )
            }
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

/// What a file of no known format is, as far as its first bytes show.
///
/// ```
/// use tabia_core::error::UnknownContents;
///
/// assert_eq!(UnknownContents::of(b"%PDF-1.7"), UnknownContents::Pdf);
/// assert_eq!(UnknownContents::of(b"Dear Ada"), UnknownContents::Text);
/// let pointer = b"version https://git-lfs.github.com/spec/v1";
/// assert_eq!(UnknownContents::of(pointer), UnknownContents::GitLfsPointer);
/// assert_eq!(UnknownContents::Picture.to_string(), "a picture");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownContents {
    /// No bytes.
    Empty,
    /// Zeros.
    Zeros,
    /// A text without games.
    Text,
    /// HTML or other XML.
    WebPage,
    /// What Git LFS has instead of a file that was not downloaded.
    GitLfsPointer,
    /// PDF.
    Pdf,
    /// PNG, JPEG or GIF.
    Picture,
    /// A program of Linux or Windows.
    Program,
    /// A database of `SQLite`.
    Sqlite,
    /// A table in Parquet.
    Parquet,
    /// A table in Arrow, as a stream or a file.
    Arrow,
    /// A saved index of positions.
    Index,
    /// Objects of JSON.
    Json,
    /// Comma-separated values, by the names of columns in its first line.
    Csv,
    /// A RAR archive.
    Rar,
    /// A 7z archive.
    SevenZip,
    /// Anything else.
    Other,
}

impl UnknownContents {
    /// What a file that begins with these bytes is.
    pub fn of(found: &[u8]) -> Self {
        const KNOWN: &[(&[u8], UnknownContents)] = &[
            (b"%PDF", UnknownContents::Pdf),
            (b"\x7fELF", UnknownContents::Program),
            (b"MZ", UnknownContents::Program),
            (b"SQLite f", UnknownContents::Sqlite),
            (b"<", UnknownContents::WebPage),
            (b"version https://git-lfs", UnknownContents::GitLfsPointer),
            (b"\x89PNG", UnknownContents::Picture),
            (b"\xff\xd8\xff", UnknownContents::Picture),
            (b"GIF8", UnknownContents::Picture),
            (b"PAR1", UnknownContents::Parquet),
            (b"ARROW1", UnknownContents::Arrow),
            (b"\xff\xff\xff\xff", UnknownContents::Arrow),
            (b"TABIAIDX", UnknownContents::Index),
            (b"{\"", UnknownContents::Json),
            (b"white,", UnknownContents::Csv),
            (b"game,", UnknownContents::Csv),
            (b"Rar!", UnknownContents::Rar),
            (b"7z\xbc\xaf", UnknownContents::SevenZip),
        ];
        let known = KNOWN.iter().find(|(start, _)| found.starts_with(start));
        match known {
            Some((_, contents)) => *contents,
            None if found.is_empty() => Self::Empty,
            None if found.iter().all(|byte| *byte == 0) => Self::Zeros,
            None if Self::is_text(found) => Self::Text,
            None => Self::Other,
        }
    }

    /// Whether bytes are those of a text: UTF-8, whose last character may be cut, without control characters.
    pub fn is_text(bytes: &[u8]) -> bool {
        let is_printable = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
        let is_utf8 = match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        is_utf8 && bytes.iter().all(is_printable)
    }
}

impl fmt::Display for UnknownContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the file is empty",
            Self::Zeros => "the file begins with zeros",
            Self::Text => "a text, but not one with games",
            Self::WebPage => "a web page, or XML",
            Self::GitLfsPointer => "a Git LFS pointer, not the file itself",
            Self::Pdf => "a PDF document",
            Self::Picture => "a picture",
            Self::Program => "a program",
            Self::Sqlite => "an SQLite database",
            Self::Parquet => "a table in Parquet",
            Self::Arrow => "a table in Arrow, which is written and not read; Parquet is read",
            Self::Index => "a saved index, which is used with its database and has no games itself",
            Self::Json => "JSON, which is written and not read",
            Self::Csv => "comma-separated values, which are written and not read",
            Self::Rar => "a RAR archive",
            Self::SevenZip => "a 7z archive",
            Self::Other => "no database, book or archive begins like this",
        })
    }
}

/// An error of the operating system in English, as Linux has it: on other systems, and in a program that has set its
/// locale, the system's own text is in the language of the user.
fn write_system_error(error: &io::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Some(code) = error.raw_os_error() else {
        return write!(f, "{error}");
    };
    let text = match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory",
        io::ErrorKind::PermissionDenied if cfg!(not(windows)) && code == 1 => {
            "Operation not permitted"
        }
        io::ErrorKind::PermissionDenied => "Permission denied",
        io::ErrorKind::AlreadyExists => "File exists",
        io::ErrorKind::NotADirectory => "Not a directory",
        io::ErrorKind::IsADirectory => "Is a directory",
        io::ErrorKind::DirectoryNotEmpty => "Directory not empty",
        io::ErrorKind::StorageFull => "No space left on device",
        io::ErrorKind::QuotaExceeded => "Disk quota exceeded",
        io::ErrorKind::FileTooLarge => "File too large",
        io::ErrorKind::ReadOnlyFilesystem => "Read-only file system",
        io::ErrorKind::InvalidFilename if cfg!(windows) => "Invalid or too long file name",
        io::ErrorKind::InvalidFilename => "File name too long",
        io::ErrorKind::ResourceBusy => "Device or resource busy",
        io::ErrorKind::ExecutableFileBusy => "Text file busy",
        io::ErrorKind::NotSeekable => "Illegal seek",
        io::ErrorKind::BrokenPipe => "Broken pipe",
        io::ErrorKind::OutOfMemory => "Cannot allocate memory",
        io::ErrorKind::StaleNetworkFileHandle => "Stale file handle",
        io::ErrorKind::CrossesDevices => "Invalid cross-device link",
        io::ErrorKind::TooManyLinks => "Too many links",
        io::ErrorKind::AddrInUse => "Address already in use",
        io::ErrorKind::AddrNotAvailable => "Cannot assign requested address",
        io::ErrorKind::ConnectionRefused => "Connection refused",
        io::ErrorKind::ConnectionReset => "Connection reset by peer",
        io::ErrorKind::HostUnreachable => "No route to host",
        io::ErrorKind::NetworkUnreachable => "Network is unreachable",
        io::ErrorKind::TimedOut => "Connection timed out",
        io::ErrorKind::Interrupted => "Interrupted system call",
        _ => match without_kind(code) {
            Some(text) => text,
            // In an unknown language, next to a number that can be looked up.
            None => return write!(f, "{error}"),
        },
    };
    write!(f, "{text} (os error {code})")
}

/// Errors of files and disks that have no [`io::ErrorKind`].
#[cfg(not(windows))]
fn without_kind(code: i32) -> Option<&'static str> {
    // The same numbers on Linux, the BSDs and macOS.
    Some(match code {
        5 => "Input/output error",
        6 => "No such device or address",
        9 => "Bad file descriptor",
        19 => "No such device",
        22 => "Invalid argument",
        23 => "Too many open files in system",
        24 => "Too many open files",
        40 if cfg!(target_os = "linux") => "Too many levels of symbolic links",
        62 if cfg!(not(target_os = "linux")) => "Too many levels of symbolic links",
        75 if cfg!(target_os = "linux") => "Value too large for defined data type",
        95 if cfg!(target_os = "linux") => "Operation not supported",
        121 if cfg!(target_os = "linux") => "Remote I/O error",
        _ => return None,
    })
}

/// Errors of files and disks that have no [`io::ErrorKind`].
#[cfg(windows)]
fn without_kind(code: i32) -> Option<&'static str> {
    Some(match code {
        4 => "Too many open files",
        15 => "There is no such drive",
        21 => "The drive is not ready",
        23 => "Input/output error: the data cannot be read from the disk",
        32 | 33 => "Another program is using the file",
        1117 => "Input/output error",
        1224 => "Another program has the file open in memory",
        1392 => "The file or folder is damaged",
        _ => return None,
    })
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) | ErrorKind::TemporaryFile(error) => Some(error),
            _ => None,
        }
    }
}

/// An [`Error`] that was passed through [`io::Read`] or [`io::Write`] keeps its kind, location and
/// side.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(error) => error,
            Err(system) => Self::new(ErrorKind::Io(system)),
        }
    }
}

/// For implementations of [`io::Read`] and [`io::Write`] on data of a format.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let Inner { kind, at, side } = *error.0;
        match (kind, side) {
            (ErrorKind::Io(inner), None) if at == Location::default() => inner,
            (kind, side) => io::Error::other(Error(Box::new(Inner { kind, at, side }))),
        }
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::new(ErrorKind::Malformed(malformed))
    }
}

/// Why a text is no move or position, so that a function with other errors can pass it on with `?`.
macro_rules! from_parse_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::invalid(error.to_string())
            }
        })*
    };
}

from_parse_errors!(SanError, FenError, SetupError, PositionError);

/// An error in the input after which reading continued, with the bytes that could not be read.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The error and its location.
    pub error: Error,
    /// The bytes that could not be read; `None` if there are none to keep.
    pub unread_bytes: Option<Box<[u8]>>,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self {
            error,
            unread_bytes: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_fails_prints_text_and_hint() {
        let error = Error::usage("`--plies` needs a number").with_hint("`--plies 30`");
        assert_eq!(
            format!("{error:?}"),
            "`--plies` needs a number\nhint: `--plies 30`"
        );
        assert_eq!(format!("{:?}", Error::invalid("no game")), "no game");
        assert!(format!("{error:#?}").contains("Usage"), "{error:#?}");
    }

    #[test]
    fn errors_of_parsing_are_passed_on() {
        fn parse(fen: &str, san: &str, date: &str) -> Result<()> {
            let position = crate::chess::Position::parse_fen(fen.as_bytes())?;
            position.parse_san(san)?;
            date.parse::<crate::game::Date>()?;
            Ok(())
        }
        let start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        assert!(parse(start, "e4", "2024.05.06").is_ok());
        for (fen, san, date, text) in [
            ("4k3", "e4", "2024", "FEN"),
            ("8/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4", "2024", "king"),
            (start, "e5", "2024", "an illegal move"),
            (start, "e4", "May", "not a date"),
        ] {
            let error = parse(fen, san, date).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Invalid(_)), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn errors_of_the_system_are_in_english() {
        let of_kinds = [
            io::ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::StorageFull,
        ];
        // What the system itself states has no other words on Linux.
        for code in (1..=133).filter(|_| cfg!(target_os = "linux")) {
            let system = io::Error::from_raw_os_error(code);
            let expected = system.to_string();
            assert_eq!(Error::from(system).to_string(), expected);
        }
        for kind in of_kinds {
            assert_eq!(
                Error::from(io::Error::from(kind)).to_string(),
                kind.to_string()
            );
        }
    }

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn an_error_passes_through_io() {
        let error = Error::new(ErrorKind::Password).at_offset(7).in_output();
        let back = Error::from(io::Error::from(error));
        assert!(matches!(back.kind(), ErrorKind::Password));
        assert_eq!(back.side(), ErrorSide::Output);
        assert_eq!(back.location().offset, Some(7));
        let system = Error::from(io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(io::Error::from(system).kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn display_names_file_game_ply_and_offset() {
        let malformed = Malformed {
            field: "move",
            at: 3,
            why: Why::IllegalMove,
        };
        let error = malformed
            .at_base(0x1a2f0)
            .at_ply(37)
            .in_game(GameIndex(1283))
            .in_path(Path::new("Mega.cbg"));
        assert_eq!(
            error.to_string(),
            "Mega.cbg: game 1284, ply 37, offset 0x1a2f3: `move` cannot be played"
        );
    }
}
