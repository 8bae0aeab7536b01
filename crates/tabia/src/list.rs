//! A row for each record.

use std::borrow::Cow;
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{
    Annotation, Date, Eco, Flow, GameHead, GameResult, RecordKind, Tags, TextKind, Visitor, Want,
};
use tabia_core::games::{Database, GameReader, IndexEntry, NameId, NameKind};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};

use tabia_query::{Filter, Matcher};

use crate::input::{InputItem, OpenInput};
use crate::parallel::ordered;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;
use crate::summary::{Observer, Summary};

/// Rows that one thread makes at a time.
const CHUNK: usize = 512;

/// What is known of a record without showing its moves.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListRow<'a> {
    /// Number of the record.
    pub game: GameIndex,
    /// Player with White; `""` when unknown, as for all names. The title, for a guiding text.
    pub white: Cow<'a, str>,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Player with Black.
    pub black: Cow<'a, str>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// How it ended.
    pub result: GameResult,
    /// When.
    pub date: Date,
    /// Event.
    pub event: Cow<'a, str>,
    /// Site: town or server.
    pub site: Cow<'a, str>,
    /// Round.
    pub round: Cow<'a, str>,
    /// Opening code.
    pub eco: Option<Eco>,
    /// Plies of the mainline, when they can be read.
    pub plies: Option<u32>,
    /// Annotator.
    pub annotator: Cow<'a, str>,
    /// Marks.
    pub flags: Flags,
}

/// Marks of a record: `D` deleted, `T` guiding text, `P` setup position, `V` variations,
/// `C` comments, `S` symbols.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// Marked as deleted.
    pub deleted: bool,
    /// A guiding text.
    pub text: bool,
    /// Starts from a setup position.
    pub setup: bool,
    /// Has variations.
    pub variations: bool,
    /// Has comments.
    pub comments: bool,
    /// Has symbols.
    pub nags: bool,
}

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for (is_set, letter) in [
            (self.deleted, 'D'),
            (self.text, 'T'),
            (self.setup, 'P'),
            (self.variations, 'V'),
            (self.comments, 'C'),
            (self.nags, 'S'),
        ] {
            if is_set {
                text.push(letter);
            }
        }
        f.pad(&text)
    }
}

/// Which rows.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read.
    pub threads: usize,
    /// Which records; deleted ones and guiding texts only when asked for.
    pub selection: Selection,
    /// What a game must be to be listed.
    pub filter: Filter,
    /// Rows left out at the start.
    pub offset: u64,
    /// Rows at most.
    pub limit: Option<u64>,
    /// The first problem ends the list.
    pub strict: bool,
}

impl ListRow<'_> {
    /// The row with names of its own.
    pub fn into_owned(self) -> ListRow<'static> {
        let own = |name: Cow<'_, str>| Cow::Owned(name.into_owned());
        ListRow {
            game: self.game,
            white: own(self.white),
            white_elo: self.white_elo,
            black: own(self.black),
            black_elo: self.black_elo,
            result: self.result,
            date: self.date,
            event: own(self.event),
            site: own(self.site),
            round: own(self.round),
            eco: self.eco,
            plies: self.plies,
            annotator: own(self.annotator),
            flags: self.flags,
        }
    }
}

/// Adds what is wanted of a row to a buffer, its text for example; runs on several threads.
pub type Render<'a, E> = &'a (dyn Fn(&ListRow<'_>, &mut Vec<E>) + Sync);

/// Lists the records of an item: `emit` gets the rendered rows in order. Returns how many rows
/// there were, those before `offset` too.
///
/// # Errors
/// When the item cannot be read, and errors of `emit`.
pub fn list<E: Send>(
    item: &InputItem,
    options: &ListOptions,
    render: Render<'_, E>,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<(Summary, u64), Error> {
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    if options.limit == Some(0) {
        return Ok((summary, 0));
    }
    let strict = options.strict;
    let rows = reporter.read_item(
        &options.open,
        progress,
        strict,
        |reporter, input| match input {
            OpenInput::Database(database) => {
                reporter.report_database_problems(&*database, strict)?;
                list_database(reporter, &*database, options, render, emit)
            }
            stream => list_stream(reporter, stream, options, render, emit),
        },
    )?;
    Ok((summary, rows))
}

struct RowJob<E> {
    entries: Vec<(GameIndex, IndexEntry)>,
    rendered: Vec<E>,
    problems: Vec<Error>,
}

impl<E> Default for RowJob<E> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            rendered: Vec::new(),
            problems: Vec::new(),
        }
    }
}

fn list_database<E: Send>(
    reporter: &mut ScanReporter<'_>,
    database: &dyn Database,
    options: &ListOptions,
    render: Render<'_, E>,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<u64, Error> {
    let numbers = options.selection.numbers.as_ref();
    let progress = reporter.progress;
    let mut at = 0;
    let mut passed = 0;
    let mut matcher = Matcher::new(&options.filter);
    let end = options
        .limit
        .map(|limit| options.offset.saturating_add(limit));
    let fill = |job: &mut RowJob<E>| {
        job.entries.clear();
        job.rendered.clear();
        job.problems.clear();
        while job.entries.len() < CHUNK && !progress.is_cancelled() {
            if end.is_some_and(|end| passed >= end) {
                break;
            }
            at = matcher.next_candidate(database, at, database.len());
            let next = numbers.map_or(Some(at), |numbers| numbers.next_from(at));
            let Some(game) = next.filter(|game| *game < database.len()).map(GameIndex) else {
                break;
            };
            at = game.0.saturating_add(1);
            let entry = database.entry(game).and_then(|entry| {
                let wanted = options.selection.keeps(entry.deleted, entry.is_text)
                    && matcher.matches_entry(database, &entry)?;
                Ok(wanted.then_some(entry))
            });
            match entry {
                Ok(Some(entry)) => {
                    passed += 1;
                    if passed > options.offset {
                        job.entries.push((game, entry));
                    }
                }
                Ok(None) => {}
                Err(error) => job.problems.push(error.in_game(game)),
            }
        }
        !job.entries.is_empty() || !job.problems.is_empty()
    };
    let worker = || {
        let mut reader = database.reader();
        move |job: &mut RowJob<E>| {
            for (game, entry) in &job.entries {
                let row = database_row(database, &mut *reader, *game, entry);
                render(&row, &mut job.rendered);
            }
        }
    };
    ordered(options.threads, fill, worker, |job: &mut RowJob<E>| {
        for error in job.problems.drain(..) {
            let error = error.in_file(reporter.item.label());
            reporter.problem(error.into(), options.strict)?;
        }
        progress.advance(0, job.entries.len() as u64);
        emit(&mut job.rendered)?;
        Ok::<_, Error>(true)
    })?;
    if progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    Ok(passed)
}

fn database_row<'d>(
    database: &'d dyn Database,
    reader: &mut (dyn GameReader + 'd),
    game: GameIndex,
    entry: &IndexEntry,
) -> ListRow<'d> {
    let name = |kind: NameKind, id: Option<NameId>| {
        id.and_then(|id| database.name(kind, id).ok())
            .filter(|name| name != "?")
            .unwrap_or_default()
    };
    let mut row = ListRow {
        game,
        white: name(NameKind::Player, entry.white),
        white_elo: entry.white_elo,
        black: name(NameKind::Player, entry.black),
        black_elo: entry.black_elo,
        result: entry.result,
        date: entry.date,
        event: name(NameKind::Event, entry.event),
        site: name(NameKind::Site, entry.site),
        round: name(NameKind::Round, entry.round),
        eco: entry.eco,
        plies: entry.ply_count.map(u32::from),
        annotator: name(NameKind::Annotator, entry.annotator),
        flags: Flags {
            deleted: entry.deleted,
            text: entry.is_text,
            setup: entry.has_setup,
            variations: entry.has_variations.unwrap_or_default(),
            comments: entry.has_comments.unwrap_or_default(),
            nags: entry.has_nags.unwrap_or_default(),
        },
    };
    // What the index does not know is read from the record, as little as will do.
    let lacks_round = entry.round.is_none();
    if entry.is_text || row.plies.is_none() || lacks_round {
        let mut facts = Facts::default();
        let want = Want::TAGS.and(if entry.is_text {
            Want::ANNOTATIONS
        } else {
            Want::MAINLINE
        });
        if reader.read(game, want, &mut facts).is_ok() {
            if !entry.is_text && row.plies.is_none() {
                row.plies = Some(facts.plies);
            }
            if lacks_round {
                row.round = Cow::Owned(facts.round);
            }
            if entry.is_text {
                row.white = Cow::Owned(facts.title);
            }
        }
    }
    row
}

/// Counts the plies of the mainline and keeps round and title.
#[derive(Debug, Default)]
struct Facts {
    plies: u32,
    round: String,
    title: String,
}

impl Visitor for Facts {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        known(head.tags.text("Round")).clone_into(&mut self.round);
        title(head).clone_into(&mut self.title);
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.plies += 1;
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match annotation {
            Annotation::Text(part) if part.kind == TextKind::Title && self.title.is_empty() => {
                part.text.clone_into(&mut self.title);
                Flow::Skip
            }
            _ => Flow::Go,
        }
    }
}

/// The title of a guiding text.
fn title(head: &GameHead) -> &str {
    match head.kind {
        RecordKind::Text => ["Title", "White", "Event"]
            .into_iter()
            .map(|tag| known(head.tags.text(tag)))
            .find(|value| !value.is_empty())
            .unwrap_or_default(),
        RecordKind::Game => "",
    }
}

/// `""` for PGN's question mark.
fn known(value: &str) -> &str {
    if value == "?" { "" } else { value }
}

fn list_stream<E: Send>(
    reporter: &mut ScanReporter<'_>,
    input: OpenInput,
    options: &ListOptions,
    render: Render<'_, E>,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<u64, Error> {
    let plan = ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        strict: options.strict,
        // How many games hold as many rows as are wanted is known only without a filter.
        at_most: options
            .limit
            .filter(|_| options.filter.is_empty())
            .map(|limit| options.offset.saturating_add(limit)),
        ..ScanOptions::default()
    };
    // With a limit but no filter one thread counts the rows, so that it knows which come first.
    let skip = plan.at_most.map_or(0, |_| options.offset);
    let tasks = (0..options.threads.max(1))
        .map(|_| RowTask::new(&options.filter, skip))
        .collect();
    let mut passed = 0_u64;
    let mut text = Vec::new();
    let mut matcher = Matcher::new(&options.filter);
    let end = options
        .limit
        .map_or(u64::MAX, |limit| options.offset.saturating_add(limit));
    scan(reporter, input, &plan, tasks, &mut |base, rows| {
        text.clear();
        for row in rows {
            if !options.filter.is_empty() && !row_matches(&mut matcher, row) {
                continue;
            }
            passed += 1;
            if passed > options.offset && passed <= end {
                row.game = base.game(row.game);
                render(row, &mut text);
            }
        }
        emit(&mut text)?;
        Ok(passed < end)
    })?;
    Ok(passed)
}

/// Asks a filter about a game that has no index entry.
fn row_matches(matcher: &mut Matcher<'_>, row: &ListRow<'_>) -> bool {
    let elo = |elo: Option<u16>| elo.map_or_else(String::new, |elo| elo.to_string());
    let (white_elo, black_elo) = (elo(row.white_elo), elo(row.black_elo));
    let date = row.date.to_string();
    let eco = row.eco.map_or_else(String::new, |eco| eco.to_string());
    let tags: Tags = [
        ("White", &*row.white),
        ("Black", &*row.black),
        ("Event", &*row.event),
        ("Site", &*row.site),
        ("Round", &*row.round),
        ("Annotator", &*row.annotator),
        ("WhiteElo", &white_elo),
        ("BlackElo", &black_elo),
        ("Date", &date),
        ("ECO", &eco),
    ]
    .into_iter()
    .collect();
    let entry = IndexEntry {
        ply_count: row.plies.and_then(|plies| u16::try_from(plies).ok()),
        deleted: row.flags.deleted,
        is_text: row.flags.text,
        has_setup: row.flags.setup,
        has_variations: Some(row.flags.variations),
        has_comments: Some(row.flags.comments),
        has_nags: Some(row.flags.nags),
        ..IndexEntry::default()
    };
    matcher.matches_tags(&tags, row.result, &entry)
}

/// Makes rows of games that come in a stream, except of those whose tags the filter excludes.
#[derive(Debug)]
struct RowTask<'f> {
    filter: &'f Filter,
    is_excluded: bool,
    /// Number of next games whose rows are not shown, and are therefore empty.
    skip: u64,
    row: ListRow<'static>,
    plies: u32,
    depth: u32,
    rows: Vec<ListRow<'static>>,
}

impl<'f> RowTask<'f> {
    fn new(filter: &'f Filter, skip: u64) -> Self {
        Self {
            filter,
            is_excluded: false,
            skip,
            row: ListRow::default(),
            plies: 0,
            depth: 0,
            rows: Vec::new(),
        }
    }
}

impl Visitor for RowTask<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.skip > 0 {
            self.skip -= 1;
            self.is_excluded = true;
            self.rows.push(ListRow::default());
            return Flow::Skip;
        }
        let tags = &head.tags;
        let value = |tag: &str| match (tag, known(tags.text(tag))) {
            ("Round", "-") => "",
            (_, value) => value,
        };
        let text = |tag: &str| Cow::Owned(value(tag).to_owned());
        let is_text = head.kind == RecordKind::Text;
        // The title of a guiding text may follow.
        self.is_excluded = !is_text && self.filter.excludes(value);
        if self.is_excluded {
            return Flow::Skip;
        }
        self.plies = 0;
        self.depth = 0;
        self.row = ListRow {
            game,
            white: if is_text {
                Cow::Owned(title(head).to_owned())
            } else {
                text("White")
            },
            white_elo: tags.white_elo(),
            black: text("Black"),
            black_elo: tags.black_elo(),
            result: GameResult::Unknown,
            date: tags.date().unwrap_or_default(),
            event: text("Event"),
            site: text("Site"),
            round: text("Round"),
            eco: tags.eco(),
            plies: None,
            annotator: text("Annotator"),
            flags: Flags {
                deleted: head.deleted,
                text: is_text,
                setup: head.start.setup.is_some(),
                ..Flags::default()
            },
        };
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.plies += u32::from(self.depth == 0);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match annotation {
            Annotation::Comment(_) => self.row.flags.comments = true,
            Annotation::Nag(_) => self.row.flags.nags = true,
            Annotation::Text(part) if part.kind == TextKind::Title && self.row.white.is_empty() => {
                self.row.white = Cow::Owned(part.text.to_owned());
            }
            _ => {}
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.row.flags.variations = true;
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, result: GameResult) {
        if self.is_excluded {
            return;
        }
        self.row.result = result;
        if !self.row.flags.text {
            self.row.plies = Some(self.plies);
        }
        self.rows.push(std::mem::take(&mut self.row));
    }
}

impl Task for RowTask<'_> {
    type Out = Vec<ListRow<'static>>;

    fn swap(&mut self, out: &mut Vec<ListRow<'static>>) {
        out.clear();
        std::mem::swap(&mut self.rows, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_without_a_row_are_skipped() {
        let filter = Filter::parse("-round:-").unwrap();
        let mut task = RowTask::new(&filter, 1);
        let mut head = GameHead::default();
        for (round, flow) in [("1", Flow::Skip), ("-", Flow::Go), ("1", Flow::Go)] {
            head.tags.clear();
            head.tags.push("Round", round);
            assert_eq!(task.begin_game(GameIndex(0), &head), flow, "{round}");
            task.end_game(GameResult::Unknown);
        }
        let filter = Filter::parse("round:1").unwrap();
        task.filter = &filter;
        assert_eq!(task.begin_game(GameIndex(0), &head), Flow::Go);
        head.tags.clear();
        assert_eq!(task.begin_game(GameIndex(0), &head), Flow::Skip);
        task.end_game(GameResult::Unknown);
        assert_eq!(task.rows.len(), 3);
    }
}
