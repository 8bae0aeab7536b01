//! A row for each record.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{
    Annotation, Date, Eco, Flow, GameHead, GameResult, RecordKind, TextKind, Visitor, Want,
};
use tabia_core::games::{Database, GameReader, IndexEntry, NameId, NameKind};
use tabia_core::io::Progress;
use tabia_core::{Error, ErrorKind, GameIndex, Problem, Result};

use tabia_query::openings::Opening;
use tabia_query::{Answer, FoundMoment, Matcher, Query};

use crate::base::{Candidates, GameSet, Index, IndexOptions, IndexQuestion, candidates};
use crate::dedupe::known_duplicates;
use crate::eco_tagger::Mainline;
use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::parallel::ordered;
use crate::saved_block_offsets::BlockMap;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::{RecordRanges, Selection};

/// Games of a text that are read without those before them, at most.
const FEW: u32 = 48;
/// Rows that one thread makes at a time.
const CHUNK: usize = 512;

/// What is known of a record without showing its moves.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListRow<'a> {
    /// The record, counted from 0; its `Display` counts from 1, as people do.
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
    /// The first moments at which the game fits the query, one for each step, if asked for.
    pub moments: Vec<FoundMoment>,
    /// The values of [`ListOptions::tags`], in that order; `None` for a tag that the game does not have.
    pub tags: Vec<Option<String>>,
    /// The opening by position, if [`ListOptions::openings`] or [`RowDetails::opening`] asks for it.
    pub opening: Option<Opening>,
    /// The medals of all moves together, bits as of [`Annotation::Medals`], if [`RowDetails::medals`] asks for them.
    pub medals: u32,
}

/// What a row has that is read from the moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowDetails {
    /// The opening.
    pub opening: bool,
    /// The medals.
    pub medals: bool,
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
    /// Which records: all that are not marked as deleted, guiding texts too; [`Selection::games`] leaves these out.
    pub selection: Selection,
    /// What a game must be to be listed.
    pub filter: Query,
    /// Rows left out at the start.
    pub offset: u64,
    /// Rows at most.
    pub limit: Option<u64>,
    /// The first problem ends the list.
    pub strict: bool,
    /// Rows have the moments at which the game fits the query.
    pub moments: bool,
    /// Rows are counted and not rendered.
    pub count_only: bool,
    /// The names of further tags whose values rows have. A tag whose name differs in the case of letters only
    /// is taken where there is none of the very name.
    pub tags: Vec<String>,
    /// Rows have the opening of the last named position of the mainline.
    pub openings: bool,
    /// Rows have the annotator also in formats whose index does not know him: each game is read for it.
    pub annotators: bool,
    /// Once it is set, annotators are not read any more, as with `annotators` unset: whoever shows the rows found that
    /// he has no space for them. Rows of later games may still have them.
    pub annotators_end: Option<Arc<AtomicBool>>,
    /// The marks of comments, variations and symbols are not wanted.
    pub without_marks: bool,
    /// Rows have nothing but the number of the game.
    pub numbers_only: bool,
    /// Whether saved indexes are used.
    pub index: Index,
    /// Where saved indexes are.
    pub index_options: IndexOptions,
    /// The first rows are wanted soon: an index is not asked about all of its games before.
    pub(crate) is_hasty: bool,
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
            moments: self.moments,
            tags: self.tags,
            opening: self.opening,
            medals: self.medals,
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
    list_opened((item, None), options, render, progress, observer, emit)
}

/// As [`list`], of an item that may be open.
///
/// # Errors
/// As for [`list`].
pub(crate) fn list_opened<E: Send>(
    (item, opened): (&InputItem, Option<&dyn Database>),
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
    if options.filter.lacks_duplicates() {
        let (filter, threads) = (&options.filter, options.threads);
        let filter = known_duplicates(item, filter, &options.open, threads, progress)?;
        let options = ListOptions {
            filter,
            ..options.clone()
        };
        let item = (item, opened);
        return list_opened(item, &options, render, progress, reporter.observer, emit);
    }
    let strict = options.strict;
    let question = IndexQuestion {
        item,
        query: &options.filter,
        is_limited: options.limit.is_some() || options.is_hasty,
        strict,
        index: options.index,
        options: &options.index_options,
        threads: options.threads,
    };
    let found = candidates(&question, progress, reporter.observer)?;
    if let Some(found) = &found
        && let Some(rows) = list_decided(found, options, render, emit)?
    {
        return Ok((summary, rows));
    }
    let candidates = found.map(|found| found.games);
    if candidates.as_ref().is_some_and(|games| games.count() == 0) {
        return Ok((summary, 0));
    }
    if let Some(database) = opened {
        let rows = reporter.read_opened(|reporter| {
            let candidates = candidates.as_deref();
            list_database(reporter, database, options, candidates, render, emit)
        })?;
        return Ok((summary, rows));
    }
    // A few games of a large text are read without those before them.
    let few = few_games(options, candidates.as_deref()).unwrap_or_default();
    let map = match &options.index_options.cache {
        Some(cache) => BlockMap::of(item, &few, &options.open, cache, progress),
        None => Ok(None),
    };
    let map = map.map_err(|error| error.in_file(item.label()))?;
    progress.expect(item.bytes().unwrap_or_default());
    let rows = reporter.read_item(
        &options.open,
        progress,
        strict,
        |reporter, input| match input {
            OpenInput::Database(database) => {
                reporter.report_database_problems(&*database, strict)?;
                list_database(
                    reporter,
                    &*database,
                    options,
                    candidates.as_deref(),
                    render,
                    emit,
                )
            }
            stream => {
                let (stream, map) = BlockMap::restrict(map, &few, stream);
                let plan = ScanOptions {
                    candidates,
                    map,
                    ..stream_plan(options)
                };
                list_stream(reporter, stream, options, &plan, render, emit)
            }
        },
    )?;
    Ok((summary, rows))
}

/// The games that are listed at most, if they are few; `None` if they are not.
fn few_games(options: &ListOptions, candidates: Option<&GameSet>) -> Option<RecordRanges> {
    if options.strict {
        return None;
    }
    match (candidates, &options.selection.numbers) {
        (Some(games), _) if games.count() <= u64::from(FEW) => Some(RecordRanges::of(games.iter())),
        (_, Some(numbers)) if numbers.is_few(FEW) => Some(numbers.clone()),
        _ => None,
    }
}

/// Lists games that the index has decided on, if nothing has to be read of them; `None` if it has.
fn list_decided<E>(
    found: &Candidates,
    options: &ListOptions,
    render: Render<'_, E>,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<Option<u64>, Error> {
    let Selection {
        numbers,
        deleted,
        dropped,
        texts: _,
    } = &options.selection;
    let is_all = numbers.is_none() && dropped.is_none();
    if !found.is_decided || !is_all || !(options.count_only || options.numbers_only) {
        return Ok(None);
    }
    let without = if *deleted { 0 } else { found.deleted.count() };
    let count = found.games.count() - without;
    let end = options
        .limit
        .map_or(u64::MAX, |limit| options.offset.saturating_add(limit));
    if !options.count_only {
        let (mut rendered, mut from, mut passed) = (Vec::new(), 0, 0);
        while let Some(game) = found.games.next_from(from).map(GameIndex) {
            from = game.0.saturating_add(1);
            if !*deleted && found.deleted.has(game) {
                continue;
            }
            if (options.offset..end).contains(&passed) {
                let row = ListRow {
                    game,
                    ..ListRow::default()
                };
                render(&row, &mut rendered);
                if rendered.len() >= CHUNK {
                    emit(&mut rendered)?;
                    rendered.clear();
                }
            }
            passed += 1;
        }
        emit(&mut rendered)?;
    }
    Ok(Some(count.min(end)))
}

struct RowJob<E> {
    /// Records, their entries, and whether they fit as far as known.
    entries: Vec<(GameIndex, IndexEntry, Answer)>,
    /// Rows before `offset`, which are not rendered.
    skipped: u64,
    rendered: Vec<E>,
    /// The length of `rendered` after each row.
    ends: Vec<usize>,
    problems: Vec<Problem>,
}

impl<E> Default for RowJob<E> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            skipped: 0,
            rendered: Vec::new(),
            ends: Vec::new(),
            problems: Vec::new(),
        }
    }
}

fn list_database<E: Send>(
    reporter: &mut ScanReporter<'_>,
    database: &dyn Database,
    options: &ListOptions,
    candidates: Option<&GameSet>,
    render: Render<'_, E>,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<u64, Error> {
    let numbers = options.selection.numbers.as_ref();
    let progress = reporter.progress;
    let name = reporter.item.name();
    let mut at = 0;
    // Rows that the index decides on; `is_exact`: there was no other before.
    let (mut sure, mut is_exact) = (0, true);
    let mut matcher = Matcher::new(&options.filter).for_database(&name);
    let end = options
        .limit
        .map_or(u64::MAX, |limit| options.offset.saturating_add(limit));
    let fill = |job: &mut RowJob<E>| {
        job.entries.clear();
        job.rendered.clear();
        job.ends.clear();
        job.problems.clear();
        job.skipped = 0;
        while job.entries.len() < CHUNK && sure < end && !progress.is_cancelled() {
            if let Some(candidates) = candidates {
                at = candidates.next_from(at).unwrap_or(u32::MAX);
            }
            at = matcher.next_candidate(database, at, database.len());
            let next = numbers.map_or(Some(at), |numbers| numbers.next_from(at));
            let Some(game) = next.filter(|game| *game < database.len()).map(GameIndex) else {
                break;
            };
            at = game.0.saturating_add(1);
            if candidates.is_some_and(|set| !set.has(game)) || !options.selection.has(game) {
                continue;
            }
            let entry = database.entry(game).and_then(|entry| {
                let answer = if options.selection.keeps(entry.deleted, entry.is_text) {
                    matcher.entry(database, game, &entry)?
                } else {
                    Answer::No
                };
                Ok((entry, answer))
            });
            match entry {
                Ok((_, Answer::No)) => {}
                Ok((_, Answer::Yes)) if is_exact && sure < options.offset => {
                    sure += 1;
                    job.skipped += 1;
                }
                Ok((entry, answer)) => {
                    sure += u64::from(answer == Answer::Yes);
                    is_exact &= answer == Answer::Yes;
                    job.entries.push((game, entry, answer));
                }
                Err(error) => job.problems.push(error.in_game(game).into()),
            }
        }
        !job.entries.is_empty() || !job.problems.is_empty() || job.skipped > 0
    };
    let worker = || {
        let mut reader = database.reader();
        let mut matcher = Matcher::new(&options.filter).for_database(&name);
        if options.moments {
            matcher = matcher.with_moments();
        }
        move |job: &mut RowJob<E>| {
            for (game, entry, answer) in &job.entries {
                let fits = match answer {
                    Answer::Maybe => matcher
                        .entry(database, *game, entry)
                        .and_then(|_| matcher.read(&mut *reader, *game)),
                    answer => Ok(*answer == Answer::Yes),
                };
                if *answer == Answer::Maybe {
                    let problems = matcher.take_problems().into_iter();
                    job.problems.extend(problems.map(|problem| Problem {
                        error: problem.error.in_game(*game),
                        ..problem
                    }));
                }
                match fits {
                    Ok(true) => {
                        if !options.count_only {
                            let mut row = if options.numbers_only {
                                ListRow {
                                    game: *game,
                                    ..ListRow::default()
                                }
                            } else {
                                let wanted = Wanted::of(options);
                                let mut row =
                                    database_row(database, &mut *reader, *game, entry, wanted);
                                // The index knows nothing of them: it leads to the records, no more.
                                let is_unknown = marks(entry) == [None; 3] && !entry.is_text;
                                if is_unknown && !options.without_marks {
                                    read_marks(&mut *reader, *game, entry, &mut row.flags);
                                }
                                row
                            };
                            if *answer == Answer::Maybe {
                                row.moments = matcher.moments().to_vec();
                            }
                            render(&row, &mut job.rendered);
                        }
                        job.ends.push(job.rendered.len());
                    }
                    Ok(false) => {}
                    Err(error) => job.problems.push(error.in_game(*game).into()),
                }
            }
        }
    };
    let mut passed = 0;
    let (weight, length) = (reporter.item.bytes(), u64::from(database.len().max(1)));
    let all = weight.unwrap_or(length);
    let share = |game: GameIndex| u64::from(game.0) * all / length;
    let mut done = 0;
    ordered(options.threads, fill, worker, |job: &mut RowJob<E>| {
        for mut problem in job.problems.drain(..) {
            problem.error = problem.error.in_file(reporter.item.label());
            reporter.problem(problem, options.strict)?;
        }
        let reached = job.entries.last().map_or(done, |(game, ..)| share(*game));
        progress.advance(reached.saturating_sub(done), job.entries.len() as u64);
        done = done.max(reached);
        passed += job.skipped;
        let shown = |rows: u64| rows.clamp(options.offset, end) - options.offset;
        let first = shown(passed);
        let before = passed;
        passed += job.ends.len() as u64;
        let skip = (options.offset.saturating_sub(before) as usize).min(job.ends.len());
        let count = (shown(passed) - first) as usize;
        let length_at = |rows: usize| {
            let last = rows.checked_sub(1).and_then(|last| job.ends.get(last));
            last.copied().unwrap_or_default()
        };
        let (from, to) = (length_at(skip), length_at(skip + count));
        job.rendered.truncate(to);
        job.rendered.drain(..from);
        emit(&mut job.rendered)?;
        Ok::<_, Error>(passed < end)
    })?;
    if progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    // What comes after the last row was looked at too.
    progress.advance(all.saturating_sub(done), 0);
    Ok(passed.min(end))
}

/// The row of one record. What the index does not store is read from the record, also the marks of
/// comments, variations and symbols.
///
/// # Errors
/// When the record does not exist or its index entry cannot be read.
pub fn row<'d>(
    database: &'d dyn Database,
    reader: &mut (dyn GameReader + 'd),
    game: GameIndex,
) -> Result<ListRow<'d>> {
    row_with(database, reader, game, RowDetails::default())
}

/// As [`row`], with more that is read from the moves.
///
/// # Errors
/// As [`row`].
pub fn row_with<'d>(
    database: &'d dyn Database,
    reader: &mut (dyn GameReader + 'd),
    game: GameIndex,
    details: RowDetails,
) -> Result<ListRow<'d>> {
    let entry = database.entry(game)?;
    let wanted = Wanted {
        opening: details.opening && !entry.is_text,
        ..Wanted::default()
    };
    let mut row = database_row(database, reader, game, &entry, wanted);
    if row.plies == Some(0) && !entry.is_text {
        // Of a variant whose moves are not read their number is not known.
        let mut unread = UnreadMoves::default();
        if reader.read(game, Want::MAINLINE, &mut unread).is_ok() && unread.0 {
            row.plies = None;
        }
    }
    if (marks(&entry).contains(&None) || details.medals) && !entry.is_text {
        let medals = read_marks(reader, game, &entry, &mut row.flags);
        row.medals = if details.medals { medals } else { 0 };
    }
    Ok(row)
}

/// What the index states about variations, comments and symbols.
fn marks(entry: &IndexEntry) -> [Option<bool>; 3] {
    [entry.has_variations, entry.has_comments, entry.has_nags]
}

/// Reads from the game which of the marks it has that the index does not state. Returns the medals of its moves.
fn read_marks(
    reader: &mut (dyn GameReader + '_),
    game: GameIndex,
    entry: &IndexEntry,
    flags: &mut Flags,
) -> u32 {
    let mut found = Marks { flags, medals: 0 };
    // What cannot be read has no marks; reading the game reports it.
    let _ = reader.read(game, Want::ALL, &mut found);
    let medals = found.medals;
    // What the index states is shown as it is, as by a list that reads no games.
    flags.variations = entry.has_variations.unwrap_or(flags.variations);
    flags.comments = entry.has_comments.unwrap_or(flags.comments);
    flags.nags = entry.has_nags.unwrap_or(flags.nags);
    medals
}

/// Notes whether a game is of a kind whose moves are not read.
#[derive(Debug, Default)]
struct UnreadMoves(bool);

impl Visitor for UnreadMoves {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.0 |= matches!(problem.error.kind(), ErrorKind::Unsupported(_));
        Flow::Go
    }
}

/// Notes variations, comments, symbols and medals.
#[derive(Debug)]
struct Marks<'f> {
    flags: &'f mut Flags,
    medals: u32,
}

impl Visitor for Marks<'_> {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match annotation {
            Annotation::Comment(_) => self.flags.comments = true,
            Annotation::Nag(_) => self.flags.nags = true,
            Annotation::Medals(bits) => self.medals |= bits,
            _ => {}
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.flags.variations = true;
        Flow::Go
    }
}

fn database_row<'d>(
    database: &'d dyn Database,
    reader: &mut (dyn GameReader + 'd),
    game: GameIndex,
    entry: &IndexEntry,
    wanted: Wanted<'_>,
) -> ListRow<'d> {
    let name = |kind: NameKind, id: Option<NameId>| {
        id.and_then(|id| database.name(kind, id).ok())
            .filter(|name| name != "?")
            .unwrap_or_default()
    };
    let stored_plies = || database.stored_plies(game).filter(|_| !entry.is_text);
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
        plies: entry.ply_count.map(u32::from).or_else(stored_plies),
        annotator: name(NameKind::Annotator, entry.annotator),
        flags: Flags {
            deleted: entry.deleted,
            text: entry.is_text,
            setup: entry.has_setup,
            variations: entry.has_variations.unwrap_or_default(),
            comments: entry.has_comments.unwrap_or_default(),
            nags: entry.has_nags.unwrap_or_default(),
        },
        moments: Vec::new(),
        tags: Vec::new(),
        opening: None,
        medals: 0,
    };
    // What the index does not know is read from the record, as little as will do.
    let lacks_round = entry.round.is_none();
    let lacks_annotator = wanted.reads_annotators() && entry.annotator.is_none();
    let has_tags = !wanted.tags.is_empty();
    if entry.is_text
        || row.plies.is_none()
        || lacks_round
        || lacks_annotator
        || has_tags
        || wanted.opening
    {
        let mut facts = Facts {
            wanted: wanted.tags,
            mainline: wanted.opening.then(Mainline::default),
            ..Facts::default()
        };
        let mut want = Want::TAGS;
        if entry.is_text {
            want = want.and(Want::ANNOTATIONS);
        } else if row.plies.is_none() || wanted.opening {
            want = want.and(Want::MAINLINE);
        }
        if reader.read(game, want, &mut facts).is_ok() {
            // Of moves none of which can be read the number is not known.
            let is_known = facts.plies > 0 || !facts.has_problem;
            if !entry.is_text && row.plies.is_none() && is_known {
                row.plies = Some(facts.plies);
            }
            if lacks_round {
                row.round = Cow::Owned(facts.round);
            }
            if lacks_annotator {
                row.annotator = Cow::Owned(facts.annotator);
            }
            if entry.is_text {
                row.white = Cow::Owned(facts.title);
            }
            row.tags = facts.tags;
            row.opening = facts.opening;
        }
    }
    row.tags.resize(wanted.tags.len(), None);
    row
}

/// What rows have beyond their columns.
#[derive(Debug, Clone, Copy, Default)]
struct Wanted<'o> {
    tags: &'o [String],
    opening: bool,
    annotator: bool,
    annotators_end: Option<&'o AtomicBool>,
}

impl<'o> Wanted<'o> {
    fn of(options: &'o ListOptions) -> Self {
        Self {
            tags: &options.tags,
            opening: options.openings,
            annotator: options.annotators,
            annotators_end: options.annotators_end.as_deref(),
        }
    }

    fn reads_annotators(self) -> bool {
        let has_ended = |end: &AtomicBool| end.load(Ordering::Relaxed);
        self.annotator && !self.annotators_end.is_some_and(has_ended)
    }
}

/// The values of the tags that are wanted: of that name, else of that name in other cases of letters.
fn wanted_tags(head: &GameHead, wanted: &[String]) -> Vec<Option<String>> {
    let alike = |name: &str| {
        let mut tags = head.tags.iter();
        let found = tags.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    };
    let value = |name: &String| head.tags.get(name).or_else(|| alike(name));
    let value = |name| value(name).map(str::to_owned);
    wanted.iter().map(value).collect()
}

/// Counts the plies of the mainline and keeps round, title, the tags and the opening that are wanted.
#[derive(Default)]
struct Facts<'w> {
    wanted: &'w [String],
    tags: Vec<Option<String>>,
    plies: u32,
    /// Something could not be read.
    has_problem: bool,
    round: String,
    annotator: String,
    title: String,
    mainline: Option<Mainline>,
    opening: Option<Opening>,
}

impl Visitor for Facts<'_> {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        known(head.tags.text("Round")).clone_into(&mut self.round);
        known(head.tags.text("Annotator")).clone_into(&mut self.annotator);
        title(head).clone_into(&mut self.title);
        self.tags = wanted_tags(head, self.wanted);
        if let Some(mainline) = &mut self.mainline {
            mainline.begin(head);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.plies += 1;
        if let Some(mainline) = &mut self.mainline {
            mainline.visit_move(before, ply);
        }
        Flow::Go
    }

    fn problem(&mut self, _problem: Problem) -> Flow {
        self.has_problem = true;
        Flow::Go
    }

    fn end_game(&mut self, _result: GameResult) {
        let found = self.mainline.as_mut().and_then(Mainline::end);
        self.opening = found.map(|(opening, _)| opening);
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
    plan: &ScanOptions,
    render: Render<'_, E>,
    emit: &mut dyn FnMut(&mut Vec<E>) -> Result<(), Error>,
) -> Result<u64, Error> {
    // With a limit but no query one thread counts the rows, so that it knows which come first.
    let skip = plan.at_most.map_or(0, |_| options.offset);
    let tasks = (0..options.threads.max(1))
        .map(|_| RowTask::new(skip, options))
        .collect();
    let mut passed = 0_u64;
    let mut text = Vec::new();
    let end = options
        .limit
        .map_or(u64::MAX, |limit| options.offset.saturating_add(limit));
    scan(reporter, input, plan, tasks, &mut |base, rows| {
        text.clear();
        for row in rows {
            passed += 1;
            if passed > options.offset && passed <= end && !options.count_only {
                row.game = base.game(row.game);
                render(row, &mut text);
            }
        }
        emit(&mut text)?;
        Ok(passed < end)
    })?;
    Ok(passed)
}

/// How a stream is read.
fn stream_plan(options: &ListOptions) -> ScanOptions {
    ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        strict: options.strict,
        filter: Some(options.filter.clone()).filter(|query| !query.is_empty()),
        moments: options.moments,
        want: if options.count_only || options.numbers_only {
            Want::TAGS
        } else if options.without_marks {
            Want::TAGS.and(Want::MAINLINE)
        } else {
            Want::ALL
        },
        // How many games hold as many rows as are wanted is known only without a query.
        at_most: options
            .limit
            .filter(|_| options.filter.is_empty())
            .map(|limit| options.offset.saturating_add(limit)),
        ..ScanOptions::default()
    }
}

/// Makes rows of games that come in a stream.
struct RowTask {
    /// The row of this game is not shown.
    is_skipped: bool,
    /// Number of next games whose rows are not shown, and are therefore empty.
    skip: u64,
    wanted: Vec<String>,
    row: ListRow<'static>,
    moments: Vec<FoundMoment>,
    plies: u32,
    depth: u32,
    mainline: Option<Mainline>,
    rows: Vec<ListRow<'static>>,
}

impl RowTask {
    fn new(skip: u64, options: &ListOptions) -> Self {
        Self {
            is_skipped: false,
            skip,
            wanted: options.tags.clone(),
            row: ListRow::default(),
            moments: Vec::new(),
            plies: 0,
            depth: 0,
            mainline: options.openings.then(Mainline::default),
            rows: Vec::new(),
        }
    }
}

impl Visitor for RowTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.skip > 0 {
            self.skip -= 1;
            self.is_skipped = true;
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
        self.is_skipped = false;
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
            moments: Vec::new(),
            tags: wanted_tags(head, &self.wanted),
            opening: None,
            medals: 0,
        };
        if let Some(mainline) = &mut self.mainline {
            mainline.begin(head);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.depth > 0 {
            return Flow::Go;
        }
        self.plies += 1;
        if let Some(mainline) = &mut self.mainline {
            mainline.visit_move(before, ply);
        }
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
        if self.is_skipped {
            return;
        }
        self.row.result = result;
        self.row.moments = std::mem::take(&mut self.moments);
        let found = self.mainline.as_mut().and_then(Mainline::end);
        self.row.opening = found.map(|(opening, _)| opening);
        if !self.row.flags.text {
            self.row.plies = Some(self.plies);
        }
        self.rows.push(std::mem::take(&mut self.row));
    }
}

impl Task for RowTask {
    type Out = Vec<ListRow<'static>>;

    fn take_moments(&mut self, moments: &[FoundMoment]) {
        self.moments.clear();
        self.moments.extend_from_slice(moments);
    }

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
        let mut task = RowTask::new(1, &ListOptions::default());
        let mut head = GameHead::default();
        for (round, flow) in [("1", Flow::Skip), ("-", Flow::Go), ("2", Flow::Go)] {
            head.tags.clear();
            head.tags.push("Round", round);
            assert_eq!(task.begin_game(GameIndex(0), &head), flow, "{round}");
            task.end_game(GameResult::Unknown);
        }
        let rounds: Vec<&str> = task.rows.iter().map(|row| &*row.round).collect();
        assert_eq!(rounds, ["", "", "2"]);
    }
}
