//! What an input is, how much it holds.

use std::sync::Arc;

use tabia_core::books::BookInfo;
use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{DatabaseInfo, NameKind};
use tabia_core::io::Progress;
use tabia_core::plural::counted;
use tabia_core::{Error, ErrorSide, FormatId};

use crate::input::{InputItem, OpenInput};
use crate::resolve::{Resolver, not_an_archive};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;
use crate::summary::{NoObserver, Summary};

/// Format, counts and health of an input.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Info {
    /// The path.
    pub path: String,
    /// The format.
    pub format: FormatId,
    /// The format, for people.
    pub format_name: &'static str,
    /// Version or flavour, `""` if unknown.
    pub version: String,
    /// `database`, `book`, `archive` or `stream`.
    pub kind: &'static str,
    /// Games, deleted ones too; of all databases inside, for an archive.
    pub games: Option<u64>,
    /// Guiding texts.
    pub texts: Option<u64>,
    /// Records marked as deleted.
    pub deleted: Option<u64>,
    /// Positions of a book, if known.
    pub positions: Option<u64>,
    /// Move entries of a book, if known.
    pub moves: Option<u64>,
    /// The character set.
    pub encoding: Option<String>,
    /// The title stored.
    pub title: Option<String>,
    /// Bytes of the main file.
    pub bytes: Option<u64>,
    /// Companion files and whether they are there.
    pub companions: Vec<(String, bool)>,
    /// Distinct names by kind.
    pub names: Vec<(NameKind, u64)>,
    /// Facts of the format, name and value.
    pub facts: Vec<(String, String)>,
    /// Members of an archive.
    pub members: Option<u64>,
    /// The databases and books in an archive.
    pub databases: Vec<Info>,
    /// Problems found on opening, one line each.
    pub problems: Vec<String>,
}

/// Describes an item. Databases are only opened; books and streams are read to be counted,
/// without looking at their moves; archives are looked into.
///
/// # Errors
/// When the item cannot be opened or, for streams, read.
pub fn inspect(
    resolver: &Resolver,
    item: &InputItem,
    options: &OpenOptions,
    threads: usize,
    progress: &Arc<Progress>,
) -> Result<Info, Error> {
    inspect_within(resolver, item, options, threads, progress, NESTED)
}

/// How deep archives in archives are opened.
const NESTED: u32 = 1;

/// As [`inspect`]; archives in the item are opened `depth` levels deep.
fn inspect_within(
    resolver: &Resolver,
    item: &InputItem,
    options: &OpenOptions,
    threads: usize,
    progress: &Arc<Progress>,
    depth: u32,
) -> Result<Info, Error> {
    let opened = item.open(options, Some(progress))?;
    let mut info = Info {
        path: item.name(),
        format: item.format().id(),
        format_name: item.format().name(),
        kind: if item.is_stream() {
            "stream"
        } else {
            "database"
        },
        bytes: item.bytes(),
        problems: opened.problems.iter().map(ToString::to_string).collect(),
        ..Info::default()
    };
    let (input, late) = opened.into_parts();
    match input {
        OpenInput::Database(database) => database_info(&mut info, database.info()),
        OpenInput::Book(book) => {
            book_info(&mut info, book.info());
            let size = book.size()?;
            (info.positions, info.moves) = (Some(size.positions), Some(size.moves));
        }
        OpenInput::Archive(archive) => {
            info.kind = "archive";
            info.members = Some(archive.members().len() as u64);
            info.facts.clone_from(&archive.info().facts);
            let found = archive.info().problems.iter().map(ToString::to_string);
            info.problems.extend(found);
            for inner in resolver.members(&archive) {
                let found = inner.and_then(|inner| {
                    let inner = match depth {
                        0 => not_an_archive(inner)?,
                        _ => inner,
                    };
                    let depth = depth.saturating_sub(1);
                    inspect_within(resolver, &inner, options, threads, progress, depth)
                });
                match found {
                    Ok(found) => info.databases.push(found),
                    Err(error) if error.side() == ErrorSide::Input => {
                        info.problems.push(error.to_string());
                    }
                    Err(other) => return Err(other),
                }
            }
            sum_up(&mut info);
        }
        stream => {
            let mut summary = Summary::default();
            let mut reporter = ScanReporter {
                item,
                summary: &mut summary,
                observer: &mut NoObserver,
                progress,
            };
            let plan = ScanOptions {
                threads,
                selection: Selection::all(),
                want: Want::TAGS,
                ..ScanOptions::default()
            };
            let tasks = (0..threads.max(1)).map(|_| HeadTask::default()).collect();
            let mut deleted = 0;
            scan(&mut reporter, stream, &plan, tasks, &mut |_, count| {
                deleted += *count;
                Ok(true)
            })?;
            info.games = Some(summary.counts.games);
            info.texts = Some(summary.counts.texts);
            info.deleted = Some(deleted);
            if summary.problems > 0 {
                let count = counted(summary.problems, "problem", "problems");
                let text = format!("{count}; `check` lists them");
                info.problems.push(text);
            }
        }
    }
    info.problems
        .extend(late.take().iter().map(ToString::to_string));
    for text in &mut info.problems {
        *text = item.problem_text(text).to_string();
    }
    Ok(info)
}

fn database_info(info: &mut Info, database: &DatabaseInfo) {
    info.version.clone_from(&database.version);
    info.games = Some(u64::from(database.records.saturating_sub(database.texts)));
    info.texts = Some(u64::from(database.texts));
    info.deleted = Some(u64::from(database.deleted));
    if !database.encoding.is_empty() {
        info.encoding = Some(database.encoding.clone());
    }
    info.title.clone_from(&database.title);
    info.companions.clone_from(&database.companions);
    info.names = database
        .names
        .iter()
        .map(|(kind, count)| (*kind, u64::from(*count)))
        .collect();
    info.problems.extend(database.problems.iter().cloned());
}

fn book_info(info: &mut Info, book: &BookInfo) {
    info.kind = "book";
    info.version.clone_from(&book.version);
    info.games = book.games;
    info.facts.clone_from(&book.facts);
    info.problems.extend(book.problems.iter().cloned());
}

/// Adds up what the databases in an archive hold.
fn sum_up(info: &mut Info) {
    let sum = |of: fn(&Info) -> Option<u64>| {
        let counts: Vec<u64> = info.databases.iter().filter_map(of).collect();
        (!counts.is_empty()).then(|| counts.iter().sum())
    };
    let (games, texts) = (sum(|info| info.games), sum(|info| info.texts));
    let (deleted, positions) = (sum(|info| info.deleted), sum(|info| info.positions));
    (info.games, info.texts) = (games, texts);
    (info.deleted, info.positions) = (deleted, positions);
    let inner = info.databases.iter();
    let problems: Vec<String> = inner.flat_map(|info| info.problems.clone()).collect();
    info.problems.extend(problems);
}

/// Counts deletion marks; moves are not even looked at.
#[derive(Debug, Default)]
struct HeadTask(u64);

impl Visitor for HeadTask {
    fn begin_game(&mut self, _game: tabia_core::GameIndex, head: &GameHead) -> Flow {
        self.0 += u64::from(head.deleted);
        Flow::Skip
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {}
}

impl Task for HeadTask {
    type Out = u64;

    fn swap(&mut self, out: &mut u64) {
        *out = std::mem::take(&mut self.0);
    }
}
