//! Kvetka books with links to the games they are made from: every position of every game, as the
//! program that the format comes from stores them.

use std::path::{Path, absolute};
use std::sync::Arc;

use tabia_core::books::BookWriter;
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::games::Database;
use tabia_core::io::{Progress, Source};
use tabia_core::loss::Feature;
use tabia_core::{Error, GameIndex, Problem};
use tabia_formats::books::kvetka;
use tabia_formats::books::kvetka::{AddedGame, KvetkaBook, KvetkaBuilder, SourceGame, SourceKind};
use tabia_query::openings;

use super::{BuildOptions, BuildTarget, Built, GameCounts, plan};
use crate::input::InputItem;
use crate::scan::{ScanReporter, Task, scan_database};
use crate::summary::{Observer, Summary};

/// What only Kvetka books have.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct KvetkaOptions {
    /// Least ratings of White, of Black, of the stronger and of the weaker player of a game; 0 for
    /// any.
    pub least_elo: [u16; 4],
    /// Positions that have a name in the list of openings get it as a comment.
    pub names: bool,
    /// The book links to the games.
    pub game_links: bool,
    /// The games are added to the book that is there.
    pub append: bool,
}

/// Builds the book, one game after another.
pub(super) fn build(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    let mut builder = Box::new(builder(target, options)?);
    if options.kvetka.names {
        builder.name_openings(name_of);
    }
    let plan = plan(options);
    let mut built = Built::default();
    let mut ledger = Summary::default();
    for item in items {
        let (database, kind, address) = source_of(item, &target.path, options)?;
        let number = builder
            .add_source(kind, &address)
            .map_err(Error::in_output)?;
        let task = || Noting {
            max_ply: options.max_ply,
            ..Noting::default()
        };
        let tasks = (0..options.threads.max(1)).map(|_| task()).collect();
        let mut reporter = ScanReporter {
            item,
            summary: &mut ledger,
            observer: &mut *observer,
            progress,
        };
        let before = reporter.summary.counts;
        let mut own = GameCounts::default();
        scan_database(&mut reporter, &*database, &plan, tasks, &mut |_, batch| {
            own.add(batch.counts);
            for game in &batch.games {
                let (added, linked) = add(&mut builder, number, &*database, game)?;
                match added {
                    AddedGame::Yes(_) => {
                        own.used += 1;
                        own.moves += game.plies.len() as u64;
                    }
                    AddedGame::Elo | AddedGame::Start => own.filtered += 1,
                }
                let lost = u64::from(!linked);
                built.losses.add(Feature::GameLinks, lost, None);
            }
            Ok(true)
        })?;
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        let counts = reporter.summary.counts.since(before);
        own.filtered += counts.filtered;
        reporter
            .observer
            .finished(reporter.item, &counts)
            .map_err(Error::in_output)?;
        built.games.add(own);
        built.inputs.push(own);
    }
    built.problems = ledger.problems;
    finish(builder, built)
}

fn finish(builder: Box<KvetkaBuilder>, mut built: Built) -> Result<Built, Error> {
    let book = builder.finish().map_err(Error::in_output)?;
    (built.positions, built.moves) = (book.size.positions, book.size.moves);
    built.losses.merge(&book.losses);
    built.written = book.written;
    Ok(built)
}

fn builder(target: &BuildTarget, options: &BuildOptions) -> Result<KvetkaBuilder, Error> {
    if !options.kvetka.append {
        return KvetkaBuilder::create(&target.path, &options.create).map_err(Error::in_output);
    }
    let first = kvetka::first_part(&target.path);
    let source = Source::from_path(&first)?;
    let book = KvetkaBook::open(&source, &options.open)?;
    let mut create = options.create.clone();
    // The book is read to its end before the new one takes its place.
    create.force = true;
    KvetkaBuilder::append(&book, &target.path, &create).map_err(Error::in_output)
}

/// The comment that names a position.
pub(super) fn name_of(position: &Position) -> Option<String> {
    let opening = openings::lookup(position)?;
    Some(kvetka::eco_comment(opening.eco, opening.name))
}

/// The games of an item, and how a book tells where they are.
fn source_of(
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
    let address = address(path, book).ok_or_else(|| refused("by a name that is no text"))?;
    let (Some(source), Some(format)) = (item.source(), item.format().games()) else {
        return Err(refused("in this format"));
    };
    let database =
        (format.open)(source, &options.open).map_err(|error| error.in_file(item.label()))?;
    Ok((database, kind, address))
}

/// Below the book's own folder the address is told from there, so that both can move together.
fn address(file: &Path, book: &Path) -> Option<String> {
    let (file, book) = (absolute(file).ok()?, absolute(book).ok()?);
    let below = book
        .parent()
        .and_then(|folder| file.strip_prefix(folder).ok());
    let Some(below) = below else {
        return file.to_str().map(str::to_owned);
    };
    let steps: Option<Vec<&str>> = below.iter().map(|step| step.to_str()).collect();
    Some(format!("%currentdir{}", steps?.join("\\")))
}

/// Adds a game; whether it could be linked.
fn add(
    builder: &mut KvetkaBuilder,
    source: u32,
    database: &dyn Database,
    game: &Noted,
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
    let usual = Position::standard();
    let start = game.start.as_deref().unwrap_or(&usual);
    let added = builder
        .add_game(source, &row, start, game.plies.iter().copied())
        .map_err(Error::in_output)?;
    Ok((added, span.is_some()))
}

/// A game as it was read.
#[derive(Debug, Default)]
struct Noted {
    index: GameIndex,
    white: String,
    black: String,
    elo: [u16; 2],
    result: GameResult,
    /// `None` for the usual start.
    start: Option<Box<Position>>,
    plies: Vec<Ply>,
}

#[derive(Debug, Default)]
struct Batch {
    games: Vec<Noted>,
    counts: GameCounts,
}

/// Notes games; runs on several threads.
#[derive(Default)]
struct Noting {
    max_ply: u32,
    batch: Batch,
    current: Noted,
    passing: bool,
    bad: bool,
}

impl Visitor for Noting {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.passing = false;
        self.bad = false;
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        let tags = &head.tags;
        let result = super::collect::tagged_result(tags);
        self.passing = true;
        let start = head.start.setup.as_ref();
        self.current = Noted {
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
        if !std::mem::take(&mut self.passing) {
            return;
        }
        if self.bad {
            self.batch.counts.bad += 1;
            return;
        }
        self.current.result = result;
        self.batch.games.push(std::mem::take(&mut self.current));
    }
}

impl Task for Noting {
    type Out = Batch;

    fn swap(&mut self, out: &mut Batch) {
        out.games.clear();
        out.counts = GameCounts::default();
        std::mem::swap(&mut self.batch, out);
    }

    fn on_problem(&mut self, problem: &Problem) {
        self.bad |= problem.error.location().ply.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_book_are_told_from_there() {
        let address = |file: &str| address(Path::new(file), Path::new("books/a.kob"));
        assert_eq!(
            address("books/pgn/x.pgn").as_deref(),
            Some("%currentdirpgn\\x.pgn")
        );
        assert_eq!(address("books/x.cbh").as_deref(), Some("%currentdirx.cbh"));
        let elsewhere = address("other/x.pgn").unwrap();
        assert!(elsewhere.ends_with("x.pgn") && !elsewhere.starts_with('%'));
    }
}
