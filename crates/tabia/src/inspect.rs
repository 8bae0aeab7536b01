//! What an input is, how much it holds.

use std::sync::Arc;

use tabia_core::books::BookInfo;
use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Date, Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::games::{Database, DatabaseInfo, NameKind};
use tabia_core::io::Progress;
use tabia_core::plural::counted;
use tabia_core::{Error, ErrorSide, FormatId, GameIndex};

use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::observer::NoObserver;
use crate::resolve::{Resolver, not_an_archive};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

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
    /// The first and the last year of the games whose year is known.
    pub years: Option<(u16, u16)>,
    /// The lowest and the highest Elo of the players that have one.
    pub elo: Option<(u16, u16)>,
    /// Games with variations, comments, symbols or training questions; `None` if the index of the database does not state
    /// it.
    pub annotated: Option<u64>,
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
    /// Bytes of all files of the set together.
    pub total_bytes: Option<u64>,
    /// How many files these are; 0 if the input has no files of its own.
    pub files: usize,
    /// Companion files and whether they are there.
    pub companions: Vec<(String, bool)>,
    /// Distinct names by kind.
    pub names: Vec<(NameKind, u64)>,
    /// Facts of the format, name and value.
    pub facts: Vec<(String, String)>,
    /// The facts that are counts of something.
    pub counts: &'static [&'static str],
    /// Members of an archive.
    pub members: Option<u64>,
    /// The databases and books in an archive.
    pub databases: Vec<Info>,
    /// Problems found on opening, one line each; one line is the number of those of all games.
    pub problems: Vec<String>,
    /// Problems that are only counted, beyond the first.
    further_problems: u64,
}

impl Info {
    /// How many problems there are, those of all games included.
    pub fn problem_count(&self) -> u64 {
        self.problems.len() as u64 + self.further_problems
    }
}

/// Describes an item. Of databases the index is read, of text all games, to see which of them are
/// annotated; books are counted, archives are looked into.
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
        total_bytes: item.total_bytes(),
        files: item.file_count(),
        problems: opened.problems.iter().map(ToString::to_string).collect(),
        ..Info::default()
    };
    let (input, late) = opened.into_parts();
    match input {
        OpenInput::Database(database) => {
            database_info(&mut info, database.info());
            let spans = Spans::of_database(&*database, progress)?;
            spans.fill(&mut info);
        }
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
                let found = inner.map(InputItem::listed).and_then(|inner| {
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
                want: Want::ALL,
                ..ScanOptions::default()
            };
            let tasks = (0..threads.max(1)).map(|_| SpanTask::default()).collect();
            let mut spans = Spans::default();
            scan(&mut reporter, stream, &plan, tasks, &mut |_, part| {
                spans.add(part);
                Ok(true)
            })?;
            info.games = Some(summary.counts.games);
            info.texts = Some(summary.counts.texts);
            info.deleted = Some(spans.deleted);
            spans.annotated.get_or_insert(0);
            spans.fill(&mut info);
            let assumed = summary.assumed_charsets.first();
            info.encoding = assumed.map(|(_, set)| format!("UTF-8, {set} where invalid"));
            if summary.problems > 0 {
                let count = counted(summary.problems, "problem", "problems");
                let text = format!("{count}; `tabia check` lists them");
                info.problems.push(text);
                info.further_problems = summary.problems - 1;
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
    // Those that have only zeros are a problem and no games.
    let no_games = database
        .texts
        .saturating_add(database.blank_entries.count());
    info.games = Some(u64::from(database.records.saturating_sub(no_games)));
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
    info.counts = book.counts;
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
    for inner in &info.databases {
        widen(&mut info.years, inner.years);
        widen(&mut info.elo, inner.elo);
    }
    let with_games = info.databases.iter().filter(|inner| inner.games > Some(0));
    info.annotated = with_games.map(|inner| inner.annotated).sum();
    info.annotated = info.annotated.filter(|_| info.games > Some(0));
    let inner = info.databases.iter();
    let problems: Vec<String> = inner.flat_map(|info| info.problems.clone()).collect();
    info.problems.extend(problems);
    info.further_problems = info
        .databases
        .iter()
        .map(|info| info.further_problems)
        .sum();
}

/// What the games of an input have in common, as far as an index states it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Spans {
    years: Option<(u16, u16)>,
    elo: Option<(u16, u16)>,
    annotated: Option<u64>,
    deleted: u64,
}

/// Widens a span to one that also includes another.
fn widen(span: &mut Option<(u16, u16)>, other: Option<(u16, u16)>) {
    *span = match (*span, other) {
        (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
        (one, other) => one.or(other),
    };
}

impl Spans {
    /// The spans of the index entries of a database. Entries that cannot be read are left out: reading
    /// the games reports them.
    fn of_database(database: &dyn Database, progress: &Progress) -> Result<Self, Error> {
        let mut spans = Self::default();
        let mut is_known = true;
        for game in (0..database.len()).map(GameIndex) {
            if game.0.is_multiple_of(4096) {
                progress.check()?;
            }
            let Ok(entry) = database.entry(game) else {
                continue;
            };
            if entry.is_text {
                continue;
            }
            spans.include(
                entry.date,
                [entry.white_elo, entry.black_elo].into_iter().flatten(),
            );
            let marks = entry.annotations();
            is_known &= marks.iter().any(Option::is_some);
            let is_annotated = marks.contains(&Some(true));
            *spans.annotated.get_or_insert(0) += u64::from(is_annotated);
        }
        if !is_known {
            spans.annotated = None;
        }
        Ok(spans)
    }

    fn include(&mut self, date: Date, ratings: impl Iterator<Item = u16>) {
        if date.year != 0 {
            widen(&mut self.years, Some((date.year, date.year)));
        }
        for elo in ratings.filter(|elo| *elo != 0) {
            widen(&mut self.elo, Some((elo, elo)));
        }
    }

    fn add(&mut self, other: &Self) {
        widen(&mut self.years, other.years);
        widen(&mut self.elo, other.elo);
        if let Some(annotated) = other.annotated {
            *self.annotated.get_or_insert(0) += annotated;
        }
        self.deleted += other.deleted;
    }

    fn fill(&self, info: &mut Info) {
        (info.years, info.elo) = (self.years, self.elo);
        info.annotated = self.annotated.filter(|_| info.games > Some(0));
    }
}

/// Sees the tags of games, and whether they are annotated.
#[derive(Debug, Default)]
struct SpanTask {
    spans: Spans,
    is_counted: bool,
}

impl SpanTask {
    /// The game is annotated; the rest of it does not matter.
    fn annotated(&mut self) -> Flow {
        if !std::mem::replace(&mut self.is_counted, true) {
            *self.spans.annotated.get_or_insert(0) += 1;
        }
        Flow::Skip
    }
}

impl Visitor for SpanTask {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.spans.deleted += u64::from(head.deleted);
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        self.is_counted = false;
        let elo = |tag: &str| head.tags.get(tag)?.trim().parse().ok();
        let ratings = ["WhiteElo", "BlackElo"].into_iter().filter_map(elo);
        let date = head.tags.get("Date").map(Date::of_text);
        self.spans.include(date.unwrap_or_default(), ratings);
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        if self.is_counted {
            Flow::Skip
        } else {
            Flow::Go
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        // Clocks and evaluations, which programs write, do not make a game an annotated one.
        if matches!(
            annotation,
            Annotation::Comment(_) | Annotation::Nag(_) | Annotation::Training(_)
        ) {
            // Before the first move the answer does not end the game; the first move does.
            let _ = self.annotated();
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.annotated()
    }

    fn end_game(&mut self, _result: GameResult) {}
}

impl Task for SpanTask {
    type Out = Spans;

    fn swap(&mut self, out: &mut Spans) {
        *out = std::mem::take(&mut self.spans);
    }
}
