//! Options for opening and creating files: [`OpenOptions`], [`CreateOptions`], [`Profile`], [`Limits`].

use std::path::Path;
use std::sync::Arc;

use crate::chess::PieceLetters;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Blob, Charset, OutputSet, SetLock, Transaction};
use crate::loss::{Feature, Losses};

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
    /// Files are copied into memory when they are opened, not mapped: what other programs do to them does not matter
    /// afterwards. It costs as much memory as they are long.
    pub copy_files: bool,
}

impl OpenOptions {
    /// The same without what is stated about the texts of inputs, their character set and the letters of pieces: both
    /// are found out. A database to which games are added has those of its own.
    ///
    /// ```
    /// use tabia_core::formats::OpenOptions;
    /// use tabia_core::io::Charset;
    ///
    /// let mut options = OpenOptions::default();
    /// options.charset = Charset::Utf8;
    /// assert_eq!(options.of_base().charset, Charset::Auto);
    /// ```
    #[must_use]
    pub fn of_base(&self) -> Self {
        Self {
            charset: Charset::Auto,
            pieces: None,
            ..self.clone()
        }
    }

    /// The bytes of a file, mapped or [copied](Self::copy_files).
    ///
    /// # Errors
    /// As [`Blob::open`].
    pub fn bytes_of(&self, path: &Path) -> Result<Blob> {
        if self.copy_files {
            Blob::copy(path)
        } else {
            Blob::open(path)
        }
    }
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
    /// The lock of the database that is appended to, if the caller has it; else appending takes it.
    pub lock: Option<Arc<SetLock>>,
    /// What gives the new files their names, together with others of the same job: they have none before
    /// [`Transaction::commit`].
    pub transaction: Option<Transaction>,
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
            lock: None,
            transaction: None,
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
    /// A set for the files that are created.
    pub fn outputs(&self) -> OutputSet {
        let mut outputs = OutputSet::new(self.force);
        if let Some(transaction) = &self.transaction {
            transaction.join(&mut outputs);
        }
        outputs
    }

    /// Refuses a character set other than UTF-8, for formats that have no other.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`].
    pub fn is_utf8(&self, name: &str) -> Result<()> {
        match self.charset {
            Charset::Auto | Charset::Utf8 => Ok(()),
            other => Err(Error::unsupported(format!(
                "{name} has its texts in UTF-8, not in {}",
                other.name()
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
