//! The way in: [`open`] finds and recognises anything, [`Input`] gives its games, headers, book or
//! archive.

use std::io::Read;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use tabia_core::books::Book;
use tabia_core::game::Visitor;
use tabia_core::io::{Blob, Progress};
use tabia_core::{Error, GameFormat, Result};
use tabia_formats::Format;
use tabia_formats::archives::Archive;

use crate::convert::{ConvertOptions, Target, convert as convert_items};
use crate::game_iterators::{Games, Headers};
use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::observer::NoObserver;
use crate::parallel_visit::visit;
use crate::read_games::ReadGames;
use crate::read_options::ReadOptions;
use crate::resolve::Resolver;

/// Opens whatever a path names: a file, any file of a set (`mega.cbg`), a base name (`mega`), a
/// folder, an archive or a member of one (`all.zip:two.pgn`), a compressed file, or `-` for standard
/// input.
///
/// The format is recognised by content first, then by name. Nothing but the first bytes of the
/// files is read before something is asked of the [`Input`].
///
/// Large files are mapped into memory. If another program cuts off the file of a database or a book meanwhile, or its
/// disk fails, reading it is an error of the kind [`LostFile`](crate::ErrorKind::LostFile). For that, opening installs a
/// handler of `SIGBUS` on Unix, which passes on to the one before whatever happens elsewhere.
///
/// # Errors
/// When nothing is there, or what is there is not recognised.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// for game in tabia::open(path)?.games() {
///     let game = game?;
///     println!("{} - {}", game.head.tags.text("White"), game.head.tags.text("Black"));
/// }
/// # Ok(())
/// # }
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Input, Error> {
    open_with(path, ReadOptions::default())
}

/// Like [`open`], with options.
///
/// # Errors
/// As [`open`].
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let mut options = tabia::ReadOptions::default();
/// options.filter = tabia::Query::parse("date:>=1900")?;
/// options.threads = 2;
/// let headers = tabia::open_with(path, options)?.headers();
/// # assert!(headers.count() > 0);
/// # Ok(())
/// # }
/// ```
pub fn open_with(path: impl AsRef<Path>, options: ReadOptions) -> Result<Input, Error> {
    let resolver = options.resolver();
    let mut items = Vec::new();
    let mut unreadable = Vec::new();
    for found in resolver.resolve_each(path.as_ref().as_os_str())? {
        match found {
            Ok(item) => items.push(item),
            Err(error) => unreadable.push(error),
        }
    }
    let mut input = Input::new(items, resolver, options);
    input.unreadable = Arc::new(unreadable);
    Ok(input)
}

/// Opens a stream of bytes: PGN or another format of text, also compressed.
///
/// # Errors
/// When the first bytes cannot be read or are not recognised.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// let pgn = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 *\n";
/// let games = tabia::open_reader(pgn.as_bytes())?.games();
/// assert_eq!(games.count(), 2);
/// # Ok(())
/// # }
/// ```
pub fn open_reader(reader: impl Read + Send + 'static) -> Result<Input, Error> {
    open_reader_with(reader, ReadOptions::default())
}

/// Like [`open_reader`], with options.
///
/// # Errors
/// As [`open_reader`].
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// let mut options = tabia::ReadOptions::default();
/// options.filter = tabia::Query::parse("white:A")?;
/// options.open.strict = true;
/// let pgn = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 *\n";
/// let games = tabia::open_reader_with(pgn.as_bytes(), options)?.games();
/// assert_eq!(games.count(), 1);
/// # Ok(())
/// # }
/// ```
pub fn open_reader_with(
    reader: impl Read + Send + 'static,
    options: ReadOptions,
) -> Result<Input, Error> {
    let resolver = options.resolver();
    let item = resolver.stream(Path::new("-"), Box::new(reader))?;
    Ok(Input::of_item(item, resolver, options))
}

/// Opens a file or a set of files that is in memory: `main` is the name of its main file, and `files` are the names and
/// bytes of all of them. The format is recognised as that of a file with that name.
///
/// # Errors
/// When the main file is not among them or is not recognised.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");
/// let archive = tabia::open(format!("{folder}/tabia.cbv"))?.archive()?;
/// let mut files = Vec::new();
/// for (index, member) in archive.members().iter().enumerate() {
///     // Of bytes it is `Blob::from(bytes)`.
///     files.push((member.name.clone(), archive.read(index)?));
/// }
/// let input = tabia::open_files("tabia.cbh", files)?;
/// assert_eq!(input.games().count(), 7);
/// # Ok(())
/// # }
/// ```
pub fn open_files(main: &str, files: Vec<(String, Blob)>) -> Result<Input, Error> {
    open_files_with(main, files, ReadOptions::default())
}

/// Like [`open_files`], with options.
///
/// # Errors
/// As [`open_files`].
///
/// ```
/// use tabia::{Blob, ReadOptions, format};
///
/// # fn main() -> Result<(), tabia::Error> {
/// let mut options = ReadOptions::default();
/// // Its name does not show it.
/// options.from = format("pgn");
/// let files = vec![("games.dat".to_owned(), Blob::from(b"1. e4 e5 *".to_vec()))];
/// let input = tabia::open_files_with("games.dat", files, options)?;
/// assert_eq!(input.games().count(), 1);
/// # Ok(())
/// # }
/// ```
pub fn open_files_with(
    main: &str,
    files: Vec<(String, Blob)>,
    options: ReadOptions,
) -> Result<Input, Error> {
    let resolver = options.resolver();
    let item = resolver.files(main, files)?;
    Ok(Input::of_item(item, resolver, options))
}

/// What [`open`] found: one or more databases, books or archives.
#[derive(Debug)]
pub struct Input {
    items: Arc<Vec<InputItem>>,
    /// Files in a folder that are not what their names claim.
    unreadable: Arc<Vec<Error>>,
    resolver: Resolver,
    options: ReadOptions,
}

impl Input {
    pub(crate) fn of_item(item: InputItem, resolver: Resolver, options: ReadOptions) -> Self {
        Self::new(vec![item], resolver, options)
    }

    fn new(items: Vec<InputItem>, resolver: Resolver, options: ReadOptions) -> Self {
        Self {
            items: Arc::new(items),
            unreadable: Arc::default(),
            resolver,
            options,
        }
    }

    /// The databases, books and archives found, in order. A folder has many, everything else one.
    pub fn items(&self) -> &[InputItem] {
        &self.items
    }

    /// The format, if one thing was found.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let input = tabia::open(path)?;
    /// assert_eq!(input.format().map(|format| format.name()), Some("ChessBase archive"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn format(&self) -> Option<Format> {
        match self.items.as_slice() {
            [item] => Some(item.format()),
            _ => None,
        }
    }

    /// Every game of every database found, of databases inside archives too, in order; guiding
    /// texts and games marked as deleted are left out.
    ///
    /// An `Err` is something of which no game came: a record that cannot be read, a stream
    /// that breaks off. The iterator goes on after it wherever that is possible, so a loop that is to read
    /// all there is matches it instead of returning it. Problems that cost
    /// only part of a game, or no game at all, are in [`Games::problems`]; with [`OpenOptions::strict`](crate::OpenOptions::strict) they are errors
    /// too.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let mut plies = 0;
    /// for game in tabia::open(path)?.games() {
    ///     plies += game?.ply_count();
    /// }
    /// # assert!(plies > 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn games(&self) -> Games {
        Games::new(self.job())
    }

    /// The header of every game: players, ratings, result, date, event and so on. Moves are not
    /// decoded where the format has an index.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// for header in tabia::open(path)?.headers() {
    ///     let header = header?;
    ///     println!("{} {} {}", header.white, header.result, header.black);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn headers(&self) -> Headers {
        Headers::new(self.job())
    }

    /// Hands every game to visitors on `threads` threads, without an owned copy of any: the
    /// fastest way through a database. Each thread has a visitor of its own, which `visitor`
    /// makes; all of them are returned.
    ///
    /// A database gives the numbers of its games. The games of a text are cut into parts that are read at the same
    /// time, so that their numbers are counted from the start of a part; with one thread they are those of the
    /// whole text. What cannot be read goes to [`Visitor::problem`]: of a game, to the visitor of the game; of a
    /// file as a whole, such as a stream that breaks off, to the first visitor.
    ///
    /// As soon as one of the visitors returns [`Flow::Stop`](crate::Flow::Stop), none of them is called again.
    ///
    /// # Errors
    /// The first input that cannot be opened.
    ///
    /// ```
    /// use tabia::{Flow, Ply, Position, Visitor};
    ///
    /// #[derive(Default)]
    /// struct CountNullMoves(u64);
    ///
    /// impl Visitor for CountNullMoves {
    ///     fn visit_move(&mut self, _before: &Position, ply: Ply) -> Flow {
    ///         self.0 += u64::from(ply == Ply::Null);
    ///         Flow::Go
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let counts = tabia::open(path)?.visit(2, CountNullMoves::default)?;
    /// let null_moves: u64 = counts.iter().map(|count| count.0).sum();
    /// # Ok(())
    /// # }
    /// ```
    pub fn visit<V: Visitor + Send>(
        &self,
        threads: usize,
        visitor: impl FnMut() -> V,
    ) -> Result<Vec<V>, Error> {
        visit(&self.job(), threads, visitor)
    }

    /// The opening book.
    ///
    /// # Errors
    /// A [usage error](Error::usage) if not one book was found; otherwise why it cannot be read.
    ///
    /// ```no_run
    /// use tabia::{BookPosition, Position};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// let book = tabia::open("book.bin")?.book()?;
    /// let mut found = BookPosition::default();
    /// if book.probe(&Position::standard(), &mut found)? {
    ///     println!("{} moves", found.entries.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn book(&self) -> Result<Box<dyn Book>, Error> {
        crate::book::open(self.one()?, &self.options.open)
    }

    /// The archive.
    ///
    /// # Errors
    /// A [usage error](Error::usage) if not one archive was found; otherwise why it cannot be read.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let archive = tabia::open(path)?.archive()?;
    /// for member in archive.members() {
    ///     println!("{} {} bytes", member.name, member.packed_size);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn archive(&self) -> Result<Arc<dyn Archive>, Error> {
        let item = self.one()?;
        let other = || {
            let (name, format) = (item.name(), item.format().name());
            Error::usage(format!("{name} is not an archive, its format is {format}"))
        };
        // A stream can be read only once: this is no reason to do so.
        if !item.is_archive() {
            return Err(other());
        }
        match item.open(&self.options.open, None)?.input {
            OpenInput::Archive(archive) => Ok(archive),
            _ => Err(other()),
        }
    }

    fn one(&self) -> Result<&InputItem, Error> {
        match self.items.as_slice() {
            [item] => Ok(item),
            items => Err(Error::usage(format!(
                "{} files are here; open one of them",
                items.len()
            ))),
        }
    }

    fn job(&self) -> ReadGames {
        ReadGames {
            items: Arc::clone(&self.items),
            unreadable: Arc::clone(&self.unreadable),
            resolver: self.resolver.clone(),
            options: self.options.clone(),
        }
    }
}

/// Converts everything at `from` into a new file or set `to`; the extension of `to` chooses the
/// format. Uses all processors; the result does not depend on their number.
///
/// The summary counts games, problems of the input and everything the target could not hold.
/// [`convert::convert`](crate::convert::convert()) has options, progress and cancellation.
///
/// # Errors
/// The first input that cannot be read, or why the target cannot be written: nothing is left
/// under its name then. An existing target is not replaced.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// # let to = std::env::temp_dir().join(format!("tabia-doc-convert-{}.pgn", std::process::id()));
/// let summary = tabia::convert(from, &to)?;
/// for (feature, loss) in summary.losses.iter() {
///     println!("lost: {} {}", loss.count, feature.noun(loss.count));
/// }
/// # assert!(summary.counts.games > 0);
/// # let _ = std::fs::remove_file(to);
/// # Ok(())
/// # }
/// ```
pub fn convert(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Summary, Error> {
    let resolver = Resolver::default();
    let found = resolver.resolve_games(from.as_ref().as_os_str())?;
    let items = found
        .into_iter()
        .collect::<Result<Vec<InputItem>, Error>>()?;
    let target = Target::file(&resolver, to.as_ref(), None)?;
    let mut options = ConvertOptions::default();
    options.plan.threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let progress = Arc::new(Progress::default());
    convert_items(&items, target, &options, &progress, &mut NoObserver).map(|(summary, _)| summary)
}

/// The format whose files have this name or extension: `format("cbh")`, `format("pgn")`.
///
/// ```
/// assert_eq!(tabia::format("cbh").map(|format| format.name()), Some("ChessBase database"));
/// assert!(tabia::format("doc").is_none());
/// ```
pub fn format(name: &str) -> Option<Format> {
    Resolver::default().format(name)
}

/// Every format of games that can be written and read.
///
/// ```
/// assert!(tabia::writable_formats().any(|format| format.file.id.as_str() == "si5"));
/// ```
pub fn writable_formats() -> impl Iterator<Item = &'static GameFormat> {
    let games = tabia_formats::GAMES.iter().copied();
    games.filter(|format| format.is_writable())
}
