//! Writing databases and books game by game: [`create`] and [`create_book`].

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::books::BookWriter;
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Game, Want};
use tabia_core::games::{GameWriter, TextWriter, Written};
use tabia_core::io::{Output, OutputSet, SetLock, name_text};
use tabia_core::loss::Losses;
use tabia_core::{Error, GameFormat, GameIndex};
use tabia_formats::archives::compressed::{Compression, Compressor, compress};

use crate::resolve::Resolver;
use crate::target::{Target, missing_feature};

/// Creates a database or a text file of games; the extension of `path` chooses the format, an
/// extension after it, such as `.zst`, the compression. Nothing has the name `path` before
/// [`DatabaseWriter::finish`].
///
/// # Errors
/// When no format that can be written has the extension, or the file exists: [`create_with`] can
/// replace it.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let name = format!("tabia-doc-games-{}.pgn", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// # let input = "1. e4 e5 *\n".as_bytes();
/// let mut writer = tabia::create(&path)?;
/// for game in tabia::open_reader(input)?.games() {
///     let losses = writer.write(&game?)?;
///     assert!(losses.is_empty());
/// }
/// assert_eq!(writer.finish()?.records, 1);
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub fn create(path: impl AsRef<Path>) -> Result<DatabaseWriter, Error> {
    create_with(path, &CreateOptions::default())
}

/// Like [`create`], with options: replace a file, profile of PGN, title, character set.
///
/// # Errors
/// As [`create`].
pub fn create_with(
    path: impl AsRef<Path>,
    options: &CreateOptions,
) -> Result<DatabaseWriter, Error> {
    let resolver = Resolver::default();
    match Target::file(&resolver, path.as_ref(), None)? {
        Target::File {
            format,
            path,
            compression,
        } => DatabaseWriter::create(format, &path, compression, options),
        Target::Stream { format, .. } => {
            Err(Error::usage(format!("{} needs a file", format.file.name)))
        }
    }
}

/// Creates an opening book; the extension of `path` chooses the format.
///
/// # Errors
/// When no format of books has the extension, or the file exists and `options` do not allow to
/// replace it.
///
/// ```
/// use tabia::{BookEntry, BookPosition, CreateOptions, Move, Position, Square};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let name = format!("tabia-doc-book-{}.bin", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// let start = Position::standard();
/// let mut moves = BookPosition::default();
/// let e4 = Move::normal(Square::E2, Square::E4);
/// moves.entries.push(BookEntry::new(e4).with_weight(100));
/// let mut book = tabia::create_book(&path, &CreateOptions::default())?;
/// book.put(&start, &moves)?;
/// book.finish()?;
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub fn create_book(
    path: impl AsRef<Path>,
    options: &CreateOptions,
) -> Result<Box<dyn BookWriter>, Error> {
    let path = path.as_ref();
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let mut books = tabia_formats::BOOKS.iter();
    let format = books
        .find(|format| format.file.extensions.contains(&extension.as_str()))
        .ok_or_else(|| {
            let text = format!(
                "{}: no book has this extension",
                name_text(path.as_os_str())
            );
            Error::usage(text)
        })?;
    (format.create)(path, options).map_err(Error::in_output)
}

/// Writes games into a new database or text file.
pub struct DatabaseWriter(Writer);

enum Writer {
    Database(Box<dyn GameWriter>),
    Text {
        writer: Box<dyn TextWriter>,
        out: Box<dyn Compressor>,
        file: SharedFile,
        records: u32,
    },
}

impl std::fmt::Debug for DatabaseWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Writer::Database(_) => "DatabaseWriter(database)",
            Writer::Text { .. } => "DatabaseWriter(text)",
        })
    }
}

impl DatabaseWriter {
    pub(crate) fn create(
        format: &GameFormat,
        path: &Path,
        compression: Compression,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let writer = match (format.create, format.create_text) {
            (Some(create), _) if compression == Compression::None => {
                Writer::Database(create(path, options).map_err(Error::in_output)?)
            }
            (_, Some(create)) => {
                let writer = create(options).map_err(Error::in_output)?;
                let file = SharedFile::create(path, options.outputs())?;
                let mut out =
                    compress(Box::new(file.clone()), compression).map_err(Error::in_output)?;
                let header = writer.header().as_bytes();
                out.write_all(header)
                    .map_err(|error| Error::from(error).in_output())?;
                Writer::Text {
                    writer,
                    out,
                    file,
                    records: 0,
                }
            }
            _ => {
                let text = format!(
                    "{} cannot be written{}",
                    format.file.name,
                    missing_feature()
                );
                return Err(Error::usage(text));
            }
        };
        Ok(Self(writer))
    }

    /// Appends a game; returns what of it the format could not hold, empty if nothing was lost.
    ///
    /// # Errors
    /// When the files cannot be written, or a move of the game cannot be played where it is: nothing is
    /// written of that game.
    ///
    /// ```
    /// use tabia::{Game, Move, Ply, Square};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = std::env::temp_dir().join(format!("tabia-doc-illegal-{}.pgn", std::process::id()));
    /// let mut game = Game::new();
    /// game.recorder().push_move(Ply::Move(Move::normal(Square::E2, Square::E5)));
    /// let mut writer = tabia::create(&path)?;
    /// assert!(writer.write(&game).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(&mut self, game: &Game) -> Result<Losses, Error> {
        game.check_moves().map_err(Error::in_output)?;
        let game = game.with_current_tags();
        self.append(&game).map_err(Error::in_output)
    }

    pub(crate) fn append(&mut self, game: &Game) -> tabia_core::Result<Losses> {
        match &mut self.0 {
            Writer::Database(writer) => writer.write(game),
            Writer::Text {
                writer,
                out,
                records,
                ..
            } => {
                let _ = game.replay(GameIndex(*records), Want::ALL, &mut **writer);
                *records = records.saturating_add(1);
                let text = writer.text();
                let written = out.write_all(text);
                text.clear();
                written?;
                Ok(writer.take_losses())
            }
        }
    }

    /// Completes the files and gives them their names.
    ///
    /// # Errors
    /// When they cannot be written; nothing is left under the name then.
    pub fn finish(self) -> Result<Written, Error> {
        match self.0 {
            Writer::Database(writer) => writer.finish().map_err(Error::in_output),
            Writer::Text {
                out, file, records, ..
            } => {
                drop(out.finish().map_err(Error::in_output)?);
                let (files, bytes) = file.commit()?;
                Ok(Written::new(records, files, bytes))
            }
        }
    }
}

/// A file under construction that its compressor can own.
#[derive(Debug, Clone)]
pub(crate) struct SharedFile(Arc<Mutex<Option<OutputSet>>>);

impl SharedFile {
    pub(crate) fn create(path: &Path, mut set: OutputSet) -> Result<Self, Error> {
        set.create(path).map_err(Error::in_output)?;
        Ok(Self(Arc::new(Mutex::new(Some(set)))))
    }

    /// Holds the lock of the file that is replaced until the new one has its name.
    pub(crate) fn hold(&self, lock: Arc<SetLock>) {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = set.as_mut() {
            set.hold(lock);
        }
    }

    /// Completes the file and gives it its name; returns the names and the number of bytes.
    pub(crate) fn commit(self) -> Result<(Vec<PathBuf>, u64), Error> {
        let set = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match set {
            Some(set) => set.commit().map_err(Error::in_output),
            None => Ok((Vec::new(), 0)),
        }
    }

    fn with<T>(&self, job: impl FnOnce(&mut Output) -> io::Result<T>) -> io::Result<T> {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match set.as_mut().and_then(|set| set.file(0)) {
            Some(file) => job(file),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(Output::flush)
    }
}
