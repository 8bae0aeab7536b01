//! An input and how it is opened.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::books::Book;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::games::{Blocks, Database, GameStream};
#[doc(inline)]
pub use tabia_core::io::Source;
use tabia_core::io::{Blob, FolderLock, InputFile, Progress, name_text};
use tabia_core::{Error, GameFormat, Result};
use tabia_formats::Format;
use tabia_formats::archives;
use tabia_formats::archives::{Archive, OnError};

use crate::split_at_colons::splits_at_colons;
use crate::watched_inputs::{watched_archive, watched_book, watched_database};

/// How often a set is opened again that another process replaced meanwhile, before others have to wait.
const ATTEMPTS: u32 = 8;

/// An input that was found and recognised, not yet opened. A copy of a stream is the same stream: it can be read once.
///
/// ```
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
/// let input = tabia::open(path)?;
/// let items: Vec<tabia::InputItem> = input.items().to_vec();
/// assert_eq!(items[0].name(), input.items()[0].name());
/// # Ok::<(), tabia::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct InputItem {
    pub(crate) label: Arc<Path>,
    pub(crate) format: Format,
    pub(crate) origin: Origin,
    pub(crate) duplicates: Arc<Mutex<Option<KnownDuplicates>>>,
    /// Whether it is opened with [`OpenOptions::of_base`].
    pub(crate) is_base: bool,
}

/// Duplicates among the games of an item, found before.
#[derive(Debug, Clone)]
pub(crate) struct KnownDuplicates {
    /// The state of its files when they were found.
    pub(crate) state: String,
    /// The games that are not kept, ascending.
    pub(crate) games: Arc<Vec<u32>>,
}

/// Where the bytes of an item are.
#[derive(Clone)]
pub(crate) enum Origin {
    /// Files in a folder or in memory.
    Files(Box<Source>),
    /// A compressed file.
    Packed(PathBuf),
    /// A compressed file in memory.
    PackedInMemory(Blob),
    /// A stream that can be read once: standard input, a pipe.
    Once(Arc<Mutex<Option<OnceStream>>>),
    /// A member of an archive.
    Member {
        archive: Arc<dyn Archive>,
        index: usize,
        /// Whether whoever opens the member has the problems of the archive already.
        is_listed: bool,
    },
}

/// A stream that can be read once.
pub(crate) struct OnceStream {
    pub(crate) inner: Box<dyn Read + Send>,
    /// The errors of bytes that were left out.
    pub(crate) gaps: OnError,
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(source) => source.fmt(f),
            Self::Packed(path) => write!(f, "Packed({})", path.display()),
            Self::PackedInMemory(_) => f.write_str("PackedInMemory"),
            Self::Once(_) => f.write_str("Once"),
            Self::Member { index, .. } => write!(f, "Member({index})"),
        }
    }
}

/// An open input.
pub enum OpenInput {
    /// Random access to games.
    Database(Box<dyn Database>),
    /// Games in a stream that several threads can read.
    Blocks(Box<dyn Blocks>),
    /// Games in a stream.
    Stream(Box<dyn GameStream>),
    /// An opening book.
    Book(Box<dyn Book>),
    /// Files in a file.
    Archive(Arc<dyn Archive>),
}

/// An open input with what was found wrong on the way to it.
#[derive(Debug)]
pub struct OpenedInput {
    /// The input.
    pub input: OpenInput,
    /// Problems that did not prevent opening.
    pub problems: Vec<Error>,
    late: OnError,
}

impl fmt::Debug for OpenInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Database(_) => "Database",
            Self::Blocks(_) => "Blocks",
            Self::Stream(_) => "Stream",
            Self::Book(_) => "Book",
            Self::Archive(_) => "Archive",
        })
    }
}

impl OpenedInput {
    /// Problems of the container found while the stream was read; complete once it has been read.
    pub fn late_problems(&self) -> Vec<Error> {
        self.late.take()
    }

    pub(crate) fn into_parts(self) -> (OpenInput, OnError) {
        (self.input, self.late)
    }
}

/// The name of a format with its article: `an Arena book`.
pub(crate) fn with_article(name: &str) -> String {
    let article = if name.starts_with(['A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

impl InputItem {
    /// The same as a database that other inputs are compared with or added to: what options state about the texts of
    /// inputs is not about it, see [`OpenOptions::of_base`].
    ///
    /// ```
    /// use tabia::Resolver;
    ///
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
    /// let item = Resolver::default().resolve_games(path.as_ref())?.remove(0)?;
    /// let base = item.as_base();
    /// assert!(base.name().ends_with("tabia.cbh"));
    /// # Ok::<(), tabia::Error>(())
    /// ```
    #[must_use]
    pub fn as_base(mut self) -> Self {
        self.is_base = true;
        self
    }

    /// The path as messages show it; `-` for standard input, `archive:member` for a member.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// An error from a problem given as text: in the file of the item, or the archive with it, with whose name the
    /// text begins, else in the item.
    pub fn problem_text(&self, text: &str) -> Error {
        let stem = self.label.file_stem().unwrap_or_default();
        let stem = self.label.with_file_name(stem);
        let in_file = text
            .strip_prefix(&*name_text(stem.as_os_str()))
            .and_then(|rest| {
                let (extension, reason) = rest.split_once(": ")?;
                Some((extension, reason))
            });
        match in_file {
            Some((extension, reason)) => {
                let mut file = stem.clone().into_os_string();
                file.push(extension);
                Error::invalid(reason).in_path(Path::new(&file))
            }
            None => match self.archive_in(text) {
                Some((archive, reason)) => Error::invalid(reason).in_path(archive),
                None => Error::invalid(text).in_file(&self.label),
            },
        }
    }

    /// The archive with the item with whose name a text begins, and what follows.
    fn archive_in<'a>(&self, text: &'a str) -> Option<(&'a Path, &'a str)> {
        let label = self.name();
        let (archive, reason) = text.split_once(": ")?;
        let rest = label.strip_prefix(archive)?;
        rest.starts_with(':')
            .then_some((Path::new(archive), reason))
    }

    /// The label as text, from which the name of the file can be found again.
    pub fn name(&self) -> String {
        name_text(self.label.as_os_str()).into_owned()
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether it is an archive of files rather than games or a book.
    pub fn is_archive(&self) -> bool {
        self.format.archive().is_some()
    }

    /// Whether it can only be read from start to end: standard input, a pipe, a compressed file.
    pub fn is_stream(&self) -> bool {
        let is_streamable = self.format.games().is_some_and(GameFormat::is_streamable);
        is_streamable && !matches!(self.origin, Origin::Files(_))
    }

    /// The files of the set, when the item lies in a folder or in memory.
    pub fn source(&self) -> Option<&Source> {
        match &self.origin {
            Origin::Files(source) => Some(source),
            _ => None,
        }
    }

    /// The files on disk that it is read from: those of its set, the compressed file, or the archive that
    /// it is a member of.
    pub fn paths(&self) -> Vec<PathBuf> {
        let source = match &self.origin {
            Origin::Files(source) => source,
            Origin::Packed(path) => return vec![path.clone()],
            Origin::PackedInMemory(_) | Origin::Once(_) => return Vec::new(),
            Origin::Member { archive: outer, .. } => {
                // The label of an archive in an archive is `outer:inner`.
                let label = &outer.info().label;
                let names = splits_at_colons(label).into_iter().map(|(file, _)| file);
                let mut names = names.chain([label.to_path_buf()]);
                return names.find(|name| name.is_file()).into_iter().collect();
            }
        };
        let companions = self.format.companions().iter();
        let companions = companions.filter_map(|companion| {
            let file = source.companion(companion.extension)?;
            file.path().map(Path::to_path_buf)
        });
        let others = source.parts().iter().chain([source.main()]);
        let others = others.filter_map(|file| file.path().map(Path::to_path_buf));
        companions.chain(others).collect()
    }

    /// The same wherever it lies: members of archives and compressed files are unpacked.
    ///
    /// # Errors
    /// Why it cannot be unpacked, or that it is larger than the limits allow.
    pub fn files(&self, options: &OpenOptions) -> Result<Source> {
        let mut problems = Vec::new();
        let files = self.whole(options, &mut problems).and_then(|files| {
            let is_packed = !matches!(self.origin, Origin::Files(_) | Origin::Member { .. });
            match problems.into_iter().next().filter(|_| is_packed) {
                Some(damage) => Err(damage),
                None => Ok(files),
            }
        });
        files.map_err(|error| error.in_file(&self.label))
    }

    /// Whether it can be opened but once: standard input, a pipe.
    pub fn is_once(&self) -> bool {
        matches!(self.origin, Origin::Once(_))
    }

    /// Bytes of the main file, when known; for progress displays.
    pub fn bytes(&self) -> Option<u64> {
        match &self.origin {
            Origin::Files(source) => match source.main().path() {
                Some(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
                None => source.main().open().ok().map(|blob| blob.len() as u64),
            },
            Origin::Packed(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
            Origin::PackedInMemory(blob) => Some(blob.len() as u64),
            Origin::Once(_) => None,
            Origin::Member { archive, index, .. } => {
                archive.members().get(*index).and_then(|member| member.size)
            }
        }
    }

    /// Bytes of all its files together, when known: those of its set, the compressed file, or the members
    /// of its archive that belong to its set.
    pub fn total_bytes(&self) -> Option<u64> {
        match self.sizes_of_set().as_slice() {
            [] => self.bytes(),
            sizes => Some(sizes.iter().sum()),
        }
    }

    /// The number of files of the set that are there, those that programs make of the others too; 0 if the item has no
    /// files of its own.
    ///
    /// ```
    /// use tabia::Resolver;
    ///
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
    /// let item = Resolver::default().resolve_games(path.as_ref())?.remove(0)?;
    /// assert_eq!(item.file_count(), 12);
    /// # Ok::<(), tabia::Error>(())
    /// ```
    pub fn file_count(&self) -> usize {
        self.sizes_of_set().len()
    }

    /// The sizes of the files of the set.
    fn sizes_of_set(&self) -> Vec<u64> {
        let companions = self.format.companions().iter();
        let companions = companions.map(|companion| companion.extension);
        let by_products = self.format.by_products().iter().copied();
        let Origin::Member { archive, index, .. } = &self.origin else {
            let mut paths = self.paths();
            if let Origin::Files(source) = &self.origin {
                let made = by_products.filter_map(|extension| {
                    let file = source.companion(extension)?;
                    file.path().map(Path::to_path_buf)
                });
                paths.extend(made);
            }
            let sizes = paths.into_iter();
            return sizes
                .filter_map(|path| Some(std::fs::metadata(path).ok()?.len()))
                .collect();
        };
        let Some(main) = archive.members().get(*index) else {
            return Vec::new();
        };
        let stem = Path::new(&main.name).with_extension("");
        let names: Vec<PathBuf> = companions
            .chain(by_products)
            .map(|extension| stem.with_extension(extension))
            .collect();
        let is_companion = |name: &str| {
            let is_same = |companion: &PathBuf| {
                companion
                    .to_str()
                    .is_some_and(|other| other.eq_ignore_ascii_case(name))
            };
            names.iter().any(is_same)
        };
        let members = archive.members().iter();
        let others = members.filter(|member| is_companion(&member.name));
        let sizes: Option<Vec<u64>> = others
            .map(|member| member.size)
            .chain([main.size])
            .collect();
        sizes.unwrap_or_default()
    }

    /// Opens the item. Text formats are opened as streams, so that no index is built that is not
    /// asked for; `progress` advances by the bytes read from them.
    ///
    /// # Errors
    /// Why the format cannot read it; [`Unsupported`](crate::ErrorKind::Unsupported) for what is not read.
    pub fn open(
        &self,
        options: &OpenOptions,
        progress: Option<&Arc<Progress>>,
    ) -> Result<OpenedInput> {
        self.open_inner(options, progress, true)
            .map_err(|error| error.in_file(&self.label))
    }

    /// Opens the item for random access: a database is always an [`OpenInput::Database`]. An index of a
    /// text format is made in memory, for which all of its text is read once. Compressed files and
    /// members of archives are unpacked first.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if the unpacked bytes exceed the limits.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = std::env::temp_dir().join(format!("tabia-doc-indexed-{}.pgn", std::process::id()));
    /// # std::fs::write(&path, "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n").unwrap();
    /// use tabia::{OpenInput, OpenOptions};
    ///
    /// let input = tabia::open(&path)?;
    /// let opened = input.items()[0].open_indexed(&OpenOptions::default())?;
    /// # let _ = std::fs::remove_file(&path);
    /// assert!(matches!(opened.input, OpenInput::Database(database) if database.len() == 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_indexed(&self, options: &OpenOptions) -> Result<OpenedInput> {
        self.open_inner(options, None, false)
            .map_err(|error| error.in_file(&self.label))
    }

    /// `as_stream`: text formats are opened as streams.
    fn open_inner(
        &self,
        options: &OpenOptions,
        progress: Option<&Arc<Progress>>,
        as_stream: bool,
    ) -> Result<OpenedInput> {
        let of_base = self.is_base.then(|| options.of_base());
        let options = of_base.as_ref().unwrap_or(options);
        let late = OnError::collect();
        let mut problems = Vec::new();
        let text = self
            .format
            .games()
            .filter(|format| as_stream && format.is_streamable());
        let input = if let Some(text) = text {
            if let Origin::Files(source) = &self.origin {
                problems.extend(source.unproven_journal());
            }
            let reader = Box::new(UntilError {
                inner: self.reader(&late, &options.limits, progress)?,
                late: late.clone(),
            });
            match (text.open_blocks, text.open_stream) {
                (Some(open), _) => OpenInput::Blocks(open(reader, options)?),
                (None, Some(open)) => OpenInput::Stream(open(reader, options)?),
                (None, None) => return Err(Error::unsupported("not a stream")),
            }
        } else if let Origin::Files(source) = &self.origin {
            self.open_one_set(source, options, &mut problems)?
        } else {
            let source = self.whole(options, &mut problems)?;
            self.open_source(&source, options)?
        };
        Ok(OpenedInput {
            input,
            problems,
            late,
        })
    }

    /// Opens the files of a folder, which are those of one set, also while another process replaces it.
    fn open_one_set(
        &self,
        source: &Source,
        options: &OpenOptions,
        problems: &mut Vec<Error>,
    ) -> Result<OpenInput> {
        let is_one_file = self.format.companions().is_empty() && source.parts().is_empty();
        let mut source = source.clone();
        let mut lock = None;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let opened = self.open_source(&source, options);
            if is_one_file || lock.is_some() || attempts > ATTEMPTS || source.is_current() {
                problems.extend(source.unproven_journal());
                problems.extend(interruption(&source));
                return opened;
            }
            // Whoever replaces it again and again waits this time, if the folder has locks.
            if attempts == ATTEMPTS {
                let path = source.main().path();
                lock = path.and_then(|path| FolderLock::acquire(path).ok());
            }
            match source.listed_again() {
                Ok(now) => source = now,
                Err(error) => return opened.map_err(|_| error),
            }
        }
    }

    fn open_source(&self, source: &Source, options: &OpenOptions) -> Result<OpenInput> {
        Ok(match self.format {
            Format::Games(format) | Format::Export(format) => {
                OpenInput::Database(watched_database(|| (format.open)(source, options))?)
            }
            Format::Book(format) => {
                OpenInput::Book(watched_book(|| (format.open)(source, options))?)
            }
            Format::Archive(format) => {
                OpenInput::Archive(watched_archive(|| (format.open)(source, options))?)
            }
        })
    }

    /// Reads what can be read once, as an archive through a pipe, into memory or a temporary file, so that it can be
    /// opened several times.
    ///
    /// ```
    /// use tabia::Resolver;
    ///
    /// let text = std::io::Cursor::new(b"[White \"A\"]\n\n1. e4 *\n\n".to_vec());
    /// let item = Resolver::default().stream("games.pgn".as_ref(), Box::new(text))?;
    /// let kept = item.kept(&Default::default())?;
    /// assert!(item.is_once() && !kept.is_once());
    /// # Ok::<(), tabia::Error>(())
    /// ```
    ///
    /// # Errors
    /// When it was read before, or cannot be read.
    pub fn kept(&self, options: &OpenOptions) -> Result<InputItem> {
        let mut problems = Vec::new();
        let source = self.whole(options, &mut problems);
        let source = source.map_err(|error| error.in_file(&self.label))?;
        if let Some(problem) = problems.pop() {
            return Err(problem);
        }
        Ok(InputItem {
            label: Arc::clone(&self.label),
            format: self.format,
            origin: Origin::Files(Box::new(source)),
            duplicates: Arc::default(),
            is_base: self.is_base,
        })
    }

    /// As an item of a list that begins with the problems of its archive.
    pub(crate) fn listed(mut self) -> Self {
        if let Origin::Member { is_listed, .. } = &mut self.origin {
            *is_listed = true;
        }
        self
    }

    /// The bytes from start to end, unpacked.
    fn reader(
        &self,
        late: &OnError,
        limits: &Limits,
        progress: Option<&Arc<Progress>>,
    ) -> Result<Box<dyn Read + Send>> {
        let counting = |inner: Box<dyn Read + Send>| match progress {
            Some(progress) => Box::new(Counting {
                inner,
                progress: Arc::clone(progress),
            }),
            None => inner,
        };
        match &self.origin {
            Origin::Files(source) => Ok(counting(match source.main().path() {
                Some(path) => Box::new(InputFile::open(path)?),
                None => Box::new(Cursor::new(source.main().open()?)),
            })),
            Origin::Packed(path) => plain(counting(Box::new(InputFile::open(path)?)), limits, late),
            Origin::PackedInMemory(blob) => {
                plain(counting(Box::new(Cursor::new(blob.clone()))), limits, late)
            }
            Origin::Once(stream) => stream
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
                .map(|OnceStream { inner, gaps }| {
                    let late = late.clone();
                    counting(Box::new(ReportingGaps { inner, gaps, late }))
                })
                .ok_or_else(|| Error::unsupported("a stream can be read only once")),
            Origin::Member { archive, index, .. } => {
                plain(counting(archive.stream(*index, late)?), limits, late)
            }
        }
    }

    /// The set of files, for formats that need to jump about in them.
    fn whole(&self, options: &OpenOptions, problems: &mut Vec<Error>) -> Result<Source> {
        let is_text = self.format.games().is_some_and(GameFormat::is_streamable);
        match &self.origin {
            Origin::Files(source) => {
                problems.extend(interruption(source));
                let source = Source::clone(source);
                Ok(if options.copy_files {
                    source.copied()
                } else {
                    source
                })
            }
            Origin::Member { archive, index, .. } if !is_text => {
                let (source, found) = archives::source(&**archive, *index)?;
                self.extend_unlisted(problems, found);
                Ok(source)
            }
            Origin::Member { .. }
            | Origin::Packed(_)
            | Origin::PackedInMemory(_)
            | Origin::Once(_) => {
                // Games before the damage of a text are read, as from a stream.
                let late = if is_text {
                    OnError::collect()
                } else {
                    OnError::stop()
                };
                let mut reader = self.reader(&late, &options.limits, None)?;
                if is_text {
                    let (inner, late) = (reader, late.clone());
                    reader = Box::new(UntilError { inner, late });
                }
                let bytes = archives::read_unpacked(&mut *reader, options.limits.member)?;
                self.extend_unlisted(problems, late.take());
                let name = self
                    .label
                    .file_stem()
                    .map_or_else(|| "stdin".to_owned(), |name| name.to_string_lossy().into());
                let member = (name.clone(), bytes);
                Source::from_members(self.label.to_path_buf(), &name, vec![member])
            }
        }
    }

    /// Adds problems that whoever opens a member of an archive does not have already.
    fn extend_unlisted(&self, problems: &mut Vec<Error>, mut found: Vec<Error>) {
        if let Origin::Member {
            archive,
            is_listed: true,
            ..
        } = &self.origin
        {
            let known = archive.info().problems.iter().map(Error::to_string);
            let known: Vec<String> = known.collect();
            found.retain(|error| !known.contains(&error.to_string()));
        }
        problems.extend(found);
    }
}

/// What is wrong with a set whose replacement was interrupted.
fn interruption(source: &Source) -> Option<Error> {
    let text = "a program was stopped while it replaced these files: the new ones are read from hidden \
                files next to them, and get their names when a database is next written in this folder";
    source.is_interrupted().then(|| Error::invalid(text))
}

/// A stream, unpacked when it is compressed; `gaps` may collect the errors of bytes that are left out.
pub(crate) fn plain(
    reader: Box<dyn Read + Send>,
    limits: &Limits,
    gaps: &OnError,
) -> Result<Box<dyn Read + Send>> {
    Ok(archives::compressed::decompress_rest(reader, limits, gaps)?.0)
}

/// Reports the errors of bytes that were left out.
struct ReportingGaps {
    inner: Box<dyn Read + Send>,
    gaps: OnError,
    late: OnError,
}

impl Read for ReportingGaps {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        for error in self.gaps.take() {
            self.late.report(error)?;
        }
        read
    }
}

/// Ends where a stream is damaged, so that everything before is kept; the error is noted. A stream that
/// cannot be read is not damaged.
struct UntilError {
    inner: Box<dyn Read + Send>,
    late: OnError,
}

impl Read for UntilError {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                let error = Error::from(error);
                if error.is_system() {
                    return Err(error.into());
                }
                self.late.report(error)?;
                Ok(0)
            }
            other => other,
        }
    }
}

/// Counts the bytes that pass.
struct Counting {
    inner: Box<dyn Read + Send>,
    progress: Arc<Progress>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.advance(count as u64, 0);
        Ok(count)
    }
}
