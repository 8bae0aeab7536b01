//! Any format, whatever it holds.

use std::fmt;

use tabia_core::formats::{Companion, Confidence, FileFormat, FormatKind, Probe};
use tabia_core::{BookFormat, FormatId, GameFormat};

use crate::archives::ArchiveFormat;
use crate::{ARCHIVES, BOOKS, EXPORTS, GAMES};

/// The descriptor of any format.
#[derive(Clone, Copy)]
pub enum Format {
    /// A format of games.
    Games(&'static GameFormat),
    /// A format in which games are only written.
    Export(&'static GameFormat),
    /// A format of opening books.
    Book(&'static BookFormat),
    /// A format of archives.
    Archive(&'static ArchiveFormat),
}

/// Every format, in the order of the documentation: games, exports of games, books, archives.
pub fn formats() -> impl Iterator<Item = Format> {
    let games = GAMES.iter().copied().map(Format::Games);
    let exports = EXPORTS.iter().copied().map(Format::Export);
    let books = BOOKS.iter().copied().map(Format::Book);
    let archives = ARCHIVES.iter().copied().map(Format::Archive);
    games.chain(exports).chain(books).chain(archives)
}

impl Format {
    /// How its files are named and recognised.
    pub fn file(self) -> &'static FileFormat {
        match self {
            Self::Games(format) | Self::Export(format) => &format.file,
            Self::Book(format) => &format.file,
            Self::Archive(format) => &format.file,
        }
    }

    /// Short name.
    pub fn id(self) -> FormatId {
        self.file().id
    }

    /// Name for people: `"ChessBase database"`.
    pub fn name(self) -> &'static str {
        self.file().name
    }

    /// What its files hold.
    pub fn kind(self) -> FormatKind {
        match self {
            Self::Games(_) | Self::Export(_) => FormatKind::Games,
            Self::Book(_) => FormatKind::Book,
            Self::Archive(_) => FormatKind::Archive,
        }
    }

    /// Extensions of the main file, in lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        self.file().extensions
    }

    /// The other files of a set.
    pub fn companions(self) -> &'static [Companion] {
        self.file().companions
    }

    /// Extensions of files next to a set that programs make of it and make again.
    pub fn by_products(self) -> &'static [&'static str] {
        self.file().by_products
    }

    /// How likely a file is of this format.
    pub fn score(self, probe: &Probe<'_>) -> Confidence {
        (self.file().score)(probe)
    }

    /// The descriptor, if games can be written in the format.
    pub fn game_writer(self) -> Option<&'static GameFormat> {
        match self {
            Self::Games(format) | Self::Export(format) => {
                Some(format).filter(|format| format.is_writable())
            }
            _ => None,
        }
    }

    /// Whether files of the format can be read.
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Export(_))
    }

    /// The descriptor, if the format is one of games that can be read.
    pub fn games(self) -> Option<&'static GameFormat> {
        match self {
            Self::Games(format) => Some(format),
            _ => None,
        }
    }

    /// The descriptor, if the format is one of books.
    pub fn book(self) -> Option<&'static BookFormat> {
        match self {
            Self::Book(format) => Some(format),
            _ => None,
        }
    }

    /// The descriptor, if the format is one of archives.
    pub fn archive(self) -> Option<&'static ArchiveFormat> {
        match self {
            Self::Archive(format) => Some(format),
            _ => None,
        }
    }

    /// Whether files of the format can be written.
    pub fn is_writable(self) -> bool {
        match self {
            Self::Games(format) | Self::Export(format) => format.is_writable(),
            Self::Book(_) => cfg!(feature = "writers"),
            Self::Archive(format) => format.create.is_some(),
        }
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({})", self.kind(), self.id())
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Format {}
