//! Kvetka books with links to the games they are made from: every position of every game, as the
//! program that the format comes from stores them.

use std::path::{Path, absolute};
use std::sync::Arc;

use tabia_core::books::{Book, BookWriter};
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::games::{Database, Written};
use tabia_core::io::{FolderLock, Progress, SetLock, Source};
use tabia_core::loss::Feature;
use tabia_core::{Error, GameIndex, Problem};
use tabia_formats::books::kvetka;
use tabia_formats::books::kvetka::{AddedGame, KvetkaBook, KvetkaBuilder, SourceGame, SourceKind};
use tabia_query::openings;

use super::collect_occurrences::{GameCounts, tagged_result};
use super::read_games::scan_options;
use super::{BuildOptions, BuildTarget, Built, CompleteBuild};
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanReporter, Task, scan_database};

/// What only Kvetka books have.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct KvetkaOptions {
    /// Least ratings of White, of Black, of the stronger and of the weaker player of a game; 0 for
    /// any.
    pub least_elo: [u16; 4],
    /// Whether positions in the list of openings get their name as a comment.
    pub names: bool,
    /// Whether the book links to the games.
    pub game_links: bool,
    /// Whether the games are added to the existing book.
    pub append: bool,
}

impl BuildOptions {
    /// Sets the least ratings of White, Black, the stronger and the weaker player; those that are missing are 0.
    ///
    /// # Errors
    /// A usage error for more than four.
    ///
    /// ```
    /// use tabia::book::build::BuildOptions;
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// let mut options = BuildOptions::default();
    /// options.set_least_elo(&[2400])?;
    /// assert_eq!(options.kvetka.least_elo, [2400, 0, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_least_elo(&mut self, ratings: &[u16]) -> Result<(), Error> {
        let least = &mut self.kvetka.least_elo;
        if ratings.len() > least.len() {
            let text = "`--least-elo` takes at most four ratings: White, Black, stronger, weaker";
            return Err(Error::usage(text));
        }
        *least = [0; 4];
        for (least, elo) in least.iter_mut().zip(ratings) {
            *least = *elo;
        }
        Ok(())
    }

    /// Sets what the header of a book states that has one: the caption, the least ratings and the number of plies, which
    /// are set before, and whether it has moves between all of its positions.
    pub fn set_header(&mut self, caption: Option<&str>, all_moves: bool) {
        self.create.title = caption.map(str::to_owned);
        let facts = &mut self.create.facts;
        for (name, elo) in kvetka::Header::ELO.iter().zip(self.kvetka.least_elo) {
            facts.push(((*name).to_owned(), elo.to_string()));
        }
        // 255 means all plies.
        let plies = self.max_ply.min(u32::from(u8::MAX));
        facts.push((kvetka::Header::MAX_MOVE.to_owned(), plies.to_string()));
        if all_moves {
            facts.push((kvetka::Header::LINKS.to_owned(), "yes".to_owned()));
        }
    }
}

/// Builds the book, one game after another.
pub(super) fn build(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<CompleteBuild, Error> {
    let mut builder = Box::new(create_builder(target, options)?);
    if options.kvetka.names {
        builder.name_openings(opening_comment);
    }
    let scan_options = scan_options(options);
    let mut built = Built::default();
    let mut summary = Summary::default();
    for item in items {
        let (database, kind, address) = open_source(item, &target.path, options)?;
        let source = builder
            .add_source(kind, &address)
            .map_err(Error::in_output)?;
        let task = || GameCollector {
            max_ply: options.max_ply,
            ..GameCollector::default()
        };
        let tasks = (0..options.threads.max(1)).map(|_| task()).collect();
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let before = reporter.summary.counts;
        let mut counts = GameCounts::default();
        let scan_options = scan_options.for_item(item, &options.open, progress)?;
        reporter.report_database_problems(&*database, options.strict)?;
        scan_database(
            &mut reporter,
            &*database,
            &scan_options,
            tasks,
            &mut |_, batch| {
                counts.add(batch.counts);
                for game in &batch.games {
                    let (added, is_linked) = add_game(&mut builder, source, &*database, game)?;
                    match added {
                        AddedGame::Yes(link) => {
                            built.unlinked_games += u64::from(link.is_none());
                            counts.used += 1;
                            counts.moves += game.plies.len() as u64;
                        }
                        AddedGame::Elo | AddedGame::Start => counts.filtered += 1,
                    }
                    let lost = u64::from(!is_linked);
                    built.losses.add(Feature::GameLinks, lost, None);
                }
                Ok(true)
            },
        )?;
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        counts.filtered += reporter.finish_item(before)?.filtered;
        built.games.add(counts);
        built.inputs.push(counts);
    }
    built.problems = summary.problems;
    let book = builder.complete().map_err(Error::in_output)?;
    (built.positions, built.moves) = (book.size.positions, book.size.moves);
    built.losses.merge(&book.losses);
    built.written = Written::new(book.records, Vec::new(), 0);
    Ok(CompleteBuild::new(built, book.files))
}

fn create_builder(target: &BuildTarget, options: &BuildOptions) -> Result<KvetkaBuilder, Error> {
    if !options.kvetka.append {
        let builder = KvetkaBuilder::create(&target.path, &options.create);
        return builder.map_err(Error::in_output);
    }
    let first = kvetka::first_part(&target.path);
    let mut create = options.create.clone();
    if create.lock.is_none() {
        let lock = SetLock::acquire_existing(&first).map_err(Error::in_output)?;
        create.lock = lock.map(Arc::new);
    }
    let source = {
        // The process that had the lock before may still be removing the old files.
        let _folder = FolderLock::acquire(&first)?;
        Source::from_path(&first)?
    };
    let book = KvetkaBook::open(&source, &options.open)?;
    refuse_damaged(&book, &first)?;
    // The book is read to its end before the new one replaces it.
    create.force = true;
    KvetkaBuilder::append(&book, &target.path, &create).map_err(Error::in_output)
}

/// Refuses a book that is not complete: what cannot be read of it would be lost.
fn refuse_damaged(book: &KvetkaBook, path: &Path) -> Result<(), Error> {
    let mut problems = book.info().problems.clone();
    for problem in book.problems()? {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if problems.is_empty() && !book.has_index() {
        problems.push("the index (.kin) is missing".to_owned());
    }
    let Some(first) = problems.first() else {
        return Ok(());
    };
    let more = match problems.len() {
        1 => String::new(),
        count => format!(" (and {} more problems)", count - 1),
    };
    let text = format!(
        "the book is damaged, so no games are added to it: {first}{more}; `tabia book fix` writes a \
         copy of what can be read"
    );
    Err(Error::invalid(text).in_path(path))
}

/// The comment that names a position.
pub(super) fn opening_comment(position: &Position) -> Option<String> {
    let opening = openings::lookup(position)?;
    Some(kvetka::eco_comment(opening.eco, opening.name))
}

/// Opens the games of an item; also the kind and the address of the source in the book.
fn open_source(
    item: &InputItem,
    book: &Path,
    options: &BuildOptions,
) -> Result<(Box<dyn Database>, SourceKind, String), Error> {
    let refused = |why: &str| {
        let name = item.name();
        Error::usage(format!("{name}: games cannot be linked to {why}"))
    };
    let kind = SourceKind::of_format(item.format().id())
        .ok_or_else(|| refused("in this format; PGN and ChessBase databases will do"))?;
    let path = item.source().and_then(|source| source.main().path());
    let Some(path) = path else {
        return Err(refused("inside of another file or a stream"));
    };
    let address = source_address(path, book).ok_or_else(|| refused("by a name that is no text"))?;
    let (Some(source), Some(format)) = (item.source(), item.format().games()) else {
        return Err(refused("in this format"));
    };
    let database =
        (format.open)(source, &options.open).map_err(|error| error.in_file(item.label()))?;
    Ok((database, kind, address))
}

/// The address of a file in a book: relative to the folder of the book if the file is in it or below,
/// so that both can be moved together.
fn source_address(file: &Path, book: &Path) -> Option<String> {
    let (file, book) = (absolute(file).ok()?, absolute(book).ok()?);
    let folder = book.parent();
    let Some(relative) = folder.and_then(|folder| file.strip_prefix(folder).ok()) else {
        return file.to_str().map(str::to_owned);
    };
    let names: Option<Vec<&str>> = relative.iter().map(|name| name.to_str()).collect();
    Some(format!("%currentdir{}", names?.join("\\")))
}

/// Adds a game; also returns whether it could be linked.
fn add_game(
    builder: &mut KvetkaBuilder,
    source: u32,
    database: &dyn Database,
    game: &CollectedGame,
) -> Result<(AddedGame, bool), Error> {
    let span = database.span(game.index);
    let (address, length) = span.unwrap_or_default();
    let row = SourceGame {
        address,
        length,
        white: &game.white,
        black: &game.black,
        white_elo: game.elo[0],
        black_elo: game.elo[1],
        result: game.result,
    };
    let source = span.map(|_| source);
    let standard = Position::standard();
    let start = game.start.as_deref().unwrap_or(&standard);
    let added = builder
        .add_game(source, &row, start, game.plies.iter().copied())
        .map_err(Error::in_output)?;
    Ok((added, span.is_some()))
}

/// A game of a source.
#[derive(Debug, Default)]
struct CollectedGame {
    index: GameIndex,
    white: String,
    black: String,
    elo: [u16; 2],
    result: GameResult,
    /// `None` for the standard position.
    start: Option<Box<Position>>,
    plies: Vec<Ply>,
}

#[derive(Debug, Default)]
struct Batch {
    games: Vec<CollectedGame>,
    counts: GameCounts,
}

/// Collects games; runs on several threads.
#[derive(Default)]
struct GameCollector {
    max_ply: u32,
    batch: Batch,
    current: CollectedGame,
    /// Whether the current game counts.
    counts_game: bool,
    /// Whether a move that counts cannot be read.
    is_bad: bool,
}

impl Visitor for GameCollector {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.counts_game = false;
        self.is_bad = false;
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        let tags = &head.tags;
        let result = tagged_result(tags);
        self.counts_game = true;
        let start = head.start.setup.as_ref();
        self.current = CollectedGame {
            index: game,
            white: tags.text("White").to_owned(),
            black: tags.text("Black").to_owned(),
            elo: [tags.white_elo(), tags.black_elo()].map(Option::unwrap_or_default),
            result,
            start: start.and_then(|setup| Position::from_setup(setup).ok().map(Box::new)),
            plies: Vec::new(),
        };
        Flow::Go
    }

    fn visit_move(&mut self, _: &Position, ply: Ply) -> Flow {
        if self.current.plies.len() as u64 >= u64::from(self.max_ply) {
            return Flow::Skip;
        }
        self.current.plies.push(ply);
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        if !std::mem::take(&mut self.counts_game) {
            return;
        }
        if self.is_bad {
            self.batch.counts.bad += 1;
            return;
        }
        self.current.result = result;
        self.batch.games.push(std::mem::take(&mut self.current));
    }
}

impl Task for GameCollector {
    type Out = Batch;

    fn swap(&mut self, out: &mut Batch) {
        out.games.clear();
        out.counts = GameCounts::default();
        std::mem::swap(&mut self.batch, out);
    }

    fn on_problem(&mut self, problem: &Problem) {
        let counts_next = (self.current.plies.len() as u64) < u64::from(self.max_ply);
        self.is_bad |= problem.error.location().ply.is_some() && counts_next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_below_the_folder_of_the_book_are_relative() {
        let address = |file: &str| source_address(Path::new(file), Path::new("books/a.kob"));
        assert_eq!(
            address("books/pgn/x.pgn").as_deref(),
            Some("%currentdirpgn\\x.pgn")
        );
        assert_eq!(address("books/x.cbh").as_deref(), Some("%currentdirx.cbh"));
        let elsewhere = address("other/x.pgn").unwrap();
        assert!(elsewhere.ends_with("x.pgn") && !elsewhere.starts_with('%'));
    }
}
