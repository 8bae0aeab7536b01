//! Chess databases and opening books: open, list, convert, write, check, repair.
//!
//! tabia reads and writes the files that chess players have on their disks: databases of ChessBase,
//! Scid and Scidb, PGN, opening books of Polyglot, ChessBase, Kvetka and Arena, and the archives they
//! travel in; [`format()`] finds one by name.
//!
//! # Read games
//!
//! [`open`] takes a file, a set of files, a folder, an archive, a compressed file or a stream, and
//! recognises what it is:
//!
//! ```
//! # fn main() -> Result<(), tabia::Error> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
//! let mut games = tabia::open(path)?.games();
//! for game in games.by_ref() {
//!     match game {
//!         Ok(game) => println!("{} {}", game.head.tags.text("White"), game.ply_count()),
//!         Err(lost) => eprintln!("{lost}"),
//!     }
//! }
//! for problem in games.problems() {
//!     eprintln!("{}", problem.error);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! An `Err` is a record or a file that could not be read; the games after it follow. A game that could be read only in
//! part is `Ok`; what it lacks is in [`Games::problems`]. [`Games::numbered`] gives each game with its index and its own
//! problems.
//!
//! # One game: moves as SAN and UCI, positions as FEN, PGN
//!
//! ```
//! # fn main() -> Result<(), tabia::Error> {
//! let game = tabia::game_of_pgn("1. e4 e5 2. Nf3")?;
//! for (position, ply) in game.mainline().with_positions() {
//!     println!("{} {} {}", position.san(ply), position.uci(ply), position.fen());
//! }
//! print!("{}", tabia::pgn_of_game(&game)?);
//! # Ok(())
//! # }
//! ```
//!
//! # List games without their moves
//!
//! ```
//! # fn main() -> Result<(), tabia::Error> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
//! for header in tabia::open(path)?.headers() {
//!     let header = header?;
//!     println!("{} {} {}", header.white, header.result, header.black);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Convert, and see what the target could not hold
//!
//! ```
//! # fn main() -> Result<(), tabia::Error> {
//! # let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
//! # let to = std::env::temp_dir().join(format!("tabia-doc-front-{}.si5", std::process::id()));
//! let summary = tabia::convert(from, &to)?;
//! for (feature, loss) in summary.losses.iter() {
//!     println!("lost: {} {}", loss.count, feature.noun(loss.count));
//! }
//! # for end in ["si5", "sg5", "sn5"] { let _ = std::fs::remove_file(to.with_extension(end)); }
//! # Ok(())
//! # }
//! ```
//!
//! # Write games
//!
//! ```
//! # fn main() -> Result<(), tabia::Error> {
//! # let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
//! # let to = std::env::temp_dir().join(format!("tabia-doc-write-{}.pgn", std::process::id()));
//! let mut writer = tabia::create(&to)?;
//! for game in tabia::open(from)?.games() {
//!     let losses = writer.write(&game?)?;
//!     if !losses.is_empty() {
//!         println!("{losses}");
//!     }
//! }
//! writer.finish()?;
//! # let _ = std::fs::remove_file(to);
//! # Ok(())
//! # }
//! ```
//!
//! # Change one game, add others
//!
//! ```
//! use tabia::GameIndex;
//!
//! # fn main() -> Result<(), tabia::Error> {
//! # let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
//! # let path = std::env::temp_dir().join(format!("tabia-doc-front-{}.pgn", std::process::id()));
//! # tabia::convert(from, &path)?;
//! tabia::change_game(&path, GameIndex(0), |game| {
//!     game.head.tags.set("Event", "Paris, opera");
//!     game.set_comment(3, "Solid.")
//! })?;
//! tabia::append_games(&path, &[tabia::game_of_pgn("1. d4 d5 *")?])?;
//! # assert_eq!(tabia::open(&path)?.games().count(), 8);
//! # let _ = std::fs::remove_file(path);
//! # Ok(())
//! # }
//! ```
//!
//! # Check and repair
//!
//! ```
//! use std::sync::Arc;
//! use tabia::check::{CheckOptions, check};
//! use tabia::{NoObserver, Progress};
//!
//! # fn main() -> Result<(), tabia::Error> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
//! let input = tabia::open(path)?;
//! let progress = Arc::new(Progress::new());
//! let checked = check(&input.items()[0], &CheckOptions::default(), &progress, &mut NoObserver)?;
//! println!("{} problems in {} games", checked.summary.problems, checked.summary.counts.games);
//! # assert_eq!(checked.summary.problems, 0);
//! # Ok(())
//! # }
//! ```
//!
//! [`repair`](repair::repair) writes what survives of a damaged database into a new one.
//!
//! # Search, for a second at most
//!
//! ```
//! use std::time::{Duration, Instant};
//! use tabia::base::SearchOptions;
//! use tabia::{Base, Index, Query};
//!
//! # fn main() -> Result<(), tabia::Error> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
//! let base = Base::open(&[path], Index::Auto)?;
//! let mut options = SearchOptions::default();
//! options.deadline = Some(Instant::now() + Duration::from_secs(1));
//! let mut hits = base.search(&Query::parse("player:morphy result:1-0")?, &options);
//! for hit in hits.by_ref() {
//!     let hit = hit?;
//!     println!("{} {} - {}", hit.game, hit.header.white, hit.header.black);
//!     let (game, _) = hit.load()?;
//!     println!("{}", tabia::pgn_of_game(&game)?);
//! }
//! for problem in hits.problems() {
//!     eprintln!("{}", problem.error);
//! }
//! # assert!(hits.is_complete());
//! if !hits.is_complete() {
//!     println!("there may be more");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Progress, and the end of long work
//!
//! The jobs of the modules below that go through whole databases take a [`Progress`], which other threads read and by
//! which they end the job. The iterators of an [`Input`] end when they are dropped; [`convert`](convert()),
//! [`append_games`] and [`change_game`] here, and the functions of [`edit`](mod@edit), run to their end
//! ([`append_games_with`] takes a progress):
//!
//! ```
//! use std::sync::Arc;
//! use tabia::convert::{ConvertOptions, Target, convert};
//! use tabia::{ErrorSide, NoObserver, Progress, Resolver};
//!
//! # fn main() -> Result<(), tabia::Error> {
//! # let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
//! # let to = std::env::temp_dir().join(format!("tabia-doc-progress-{}.pgn", std::process::id()));
//! let resolver = Resolver::default();
//! // With what is in it, if it is an archive.
//! let items = resolver.resolve_games(from.as_ref())?;
//! let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
//! let target = Target::file(&resolver, &to, None)?;
//! let progress = Arc::new(Progress::new());
//! // A window would call this when its button is pressed, and show `progress.games()` until then.
//! progress.cancel();
//! let options = ConvertOptions::default();
//! let error = convert(&items, target, &options, &progress, &mut NoObserver).unwrap_err();
//! assert_eq!(error.side(), ErrorSide::Cancelled);
//! assert!(!to.exists());
//! # Ok(())
//! # }
//! ```
//!
//! # Probe an opening book
//!
//! ```no_run
//! # fn main() -> Result<(), tabia::Error> {
//! use tabia::{BookPosition, Position};
//!
//! let start = Position::standard();
//! let mut found = BookPosition::default();
//! if tabia::open("book.bin")?.book()?.probe(&start, &mut found)? {
//!     println!("{} moves", found.entries.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The folder `examples` has a program for each of these and more.
//!
//! # Features
//!
//! - `zstd`, on by default: Zstandard streams, the only dependency that needs a C compiler.
//! - `writers`, on by default: writing of databases and books, and what needs it. PGN is written without it too.
//!
//! # Modules
//!
//! The functions above cover common programs. The modules hold every job of the command line with its
//! options, progress and cancellation:
//!
//! | module | holds |
//! |---|---|
//! | [`resolve`] | from what a user typed to inputs: files, sets, folders, archives, streams |
//! | [`globs`] | the files that `*.pgn` names |
//! | [`input`] | one database, book or archive, and how it is opened |
//! | [`select`] | which records, and what of them |
//! | [`convert`](mod@convert) | any input to any format that can be written |
//! | [`collect_in_parallel`] | anything else made of games, on several threads, in order |
//! | [`check`](mod@check) | decodes everything and counts what is wrong |
//! | [`edit`](mod@edit) | changes a copy of a database: deletes, replaces, packs |
//! | [`repair`](mod@repair) | saves what survives of a damaged database into a new one |
//! | [`base`] | saved indexes of positions |
//! | [`list`](mod@list) | a row for each record |
//! | [`dedupe`] | duplicate games |
//! | [`list_openings`] | openings of games by position |
//! | [`count_games_per_query`] | how many games each term of a query leaves |
//! | [`names`] | names that are spelt in several ways |
//! | [`stats`] | games, results and ratings by year, player, opening, … |
//! | [`sort`](mod@sort) | games and rows in another order |
//! | [`read_one`] | one record |
//! | [`inspect`](mod@inspect) | what an input is, how much it holds |
//! | [`book`](mod@book) | opening books |
//! | [`annotation`] | what comments, shapes, clocks and other annotations contain |
//! | [`chess`] | setups, FEN, SAN |
#![warn(missing_docs)]

// For the program `tabia`, which is made of the same crates; no part of the interface for others.
#[doc(hidden)]
pub use tabia_core as core;
#[doc(hidden)]
pub use tabia_formats as formats;
#[doc(hidden)]
pub use tabia_query as query;

mod annotated_games;
pub mod base;
pub mod book;
mod change_one_game;
mod changed_input_files;
pub mod check;
pub mod collect_in_parallel;
mod comment_languages;
mod compare_with_repair;
pub mod convert;
pub mod count_games_per_query;
mod create;
pub mod dedupe;
mod detect;
mod eco_tagger;
pub mod edit;
mod end_of_text;
mod filter_stream;
mod folder_contents;
mod game_content;
mod game_iterators;
pub mod globs;
mod hidden_folder;
pub mod input;
pub mod inspect;
mod job_summary;
mod known_games;
pub mod known_texts;
pub mod list;
pub mod list_openings;
mod mark_moments;
mod media_copies;
mod media_files;
mod media_references;
mod merge_annotations;
pub mod names;
mod observer;
mod one_game;
mod open;
mod parallel;
mod parallel_visit;
mod rating_difference;
mod read_games;
pub mod read_one;
mod read_options;
pub mod repair;
pub mod resolve;
mod saved_block_offsets;
mod scan;
mod seen_moves;
pub mod select;
pub mod sort;
pub mod split;
mod split_at_colons;
pub mod stats;
mod target;
mod text_record_and_encode_tasks;
mod watched_inputs;

pub use base::{Base, Index};
#[doc(inline)]
pub use change_one_game::{append_games, append_games_with, change_game};
pub use changed_input_files::FileStates;
pub use create::{DatabaseWriter, create, create_book, create_with};
pub use game_iterators::{Games, Header, Headers, NumberedGame, NumberedGames};
pub use input::{InputItem, OpenInput, OpenedInput};
pub use job_summary::{LossEntry, LossTable, LostMedia, Summary};
pub use known_games::find_known_as_stored;
pub use media_files::MediaFiles;
pub use observer::{NoObserver, Observer};
#[doc(inline)]
pub use one_game::{game_of_pgn, pgn_and_losses, pgn_of_game, pgn_with};
#[doc(inline)]
pub use open::{
    Input, convert, format, open, open_files, open_files_with, open_reader, open_reader_with,
    open_with, writable_formats,
};
#[doc(inline)]
pub use read_options::ReadOptions;
pub use resolve::Resolver;
pub use scan::ScanOptions;
#[doc(inline)]
pub use tabia_core::books::{
    Book, BookEntry, BookInfo, BookInspection, BookKey, BookPosition, BookSize, BookWriter,
    CompleteBook, GameLink, Learn, LinkedGame, RatingSum, Wdl, WrittenBook,
};
#[doc(inline)]
pub use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Square};
#[doc(inline)]
pub use tabia_core::error::{
    Error, ErrorKind, ErrorSide, Location, Malformed, Problem, Result, Why,
};
#[doc(inline)]
pub use tabia_core::formats::{
    CreateOptions, CreateText, FormatKind, Limits, OpenOptions, Profile,
};
#[doc(inline)]
pub use tabia_core::game::{
    Annotation, Date, Eco, Event, Flow, Game, GameCursor, GameHead, GameResult, Line, Mainline,
    Nag, Node, RecordKind, Recorder, Rules, Start, TagNames, Tags, Visitor, Want, project,
};
#[doc(inline)]
pub use tabia_core::games::{
    Database, DatabaseInfo, GameReader, GameStream, HeadReader, IndexEntry, IndexHead, NameId,
    NameKind, StoredMoves, TextLimits, TextWriter, Written,
};
#[doc(inline)]
pub use tabia_core::io::{Blob, Charset, Progress, ProgressPhase, ProgressUnit, ReadRange};
#[doc(inline)]
pub use tabia_core::loss::{Feature, Features, LossCount, Losses};
#[doc(inline)]
pub use tabia_core::{BookFormat, FormatId, GameFormat, GameIndex};
#[doc(inline)]
pub use tabia_formats::archives::compressed::Compression;
#[doc(inline)]
pub use tabia_formats::archives::{Archive, ArchiveInfo, ChecksumStatus, Member};
#[doc(inline)]
pub use tabia_formats::{Format, formats};
#[doc(inline)]
pub use tabia_query::openings::Opening;
#[doc(inline)]
pub use tabia_query::{FilterError, Query};

pub mod annotation {
    //! The contents of [`Annotation`](crate::Annotation): comments, shapes, clocks, evaluations and the rest.

    #[doc(inline)]
    pub use tabia_core::game::{
        Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Eval, EvalPoint,
        EvalProfile, Foreign, Language, Media, MediaKind, PiecePath, Quotation, Score, Shape,
        ShapeColor, ShapeKind, TextKind, TextPart, TimeControl, TimeStage, Training,
        TrainingChoice, TrainingSolution, TrainingText, VariationColor, WebLink,
    };
}

pub mod chess {
    //! Squares, setups, FEN and SAN: what [`Position`](crate::Position) takes and returns.
    //!
    //! ```
    //! use tabia::Position;
    //!
    //! let mut position = Position::standard();
    //! let ply = position.parse_san("Nf3")?;
    //! assert_eq!(position.san(ply).to_string(), "Nf3");
    //! position.play_ply(ply);
    //! assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1");
    //! # Ok::<(), tabia::chess::SanError>(())
    //! ```

    #[doc(inline)]
    pub use tabia_core::chess::san::{SanError, SanText};
    #[doc(inline)]
    pub use tabia_core::chess::uci::UciText;
    #[doc(inline)]
    pub use tabia_core::chess::{
        Bitboard, FenError, FenStyle, Legality, Material, MoveList, PositionError, Setup,
        SetupError, SetupProblem, Squares,
    };
}
