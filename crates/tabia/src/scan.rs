//! All records of an input on several threads, results in the order of the input.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{FormatKind, OpenOptions};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Language, Visitor, Want};
use tabia_core::games::{
    Block, BlockCounts, BlockReader, Blocks, Database, GameReader, GameStream, HeadReader,
    IndexHead, is_blank_entry,
};
use tabia_core::io::Progress;
use tabia_core::loss::Losses;
use tabia_core::shell_argument::argument;
use tabia_core::{Error, ErrorKind, GameIndex, Problem};
use tabia_query::{FoundMoment, Matcher, Query};

use crate::base::GameSet;
use crate::eco_tagger::{EcoTagger, EcoUpdate};
use crate::filter_stream::FilterVisitor;
use crate::input::{InputItem, OpenInput, with_article};
use crate::job_summary::{Base, Notes, Summary};
use crate::mark_moments::Marker;
use crate::merge_annotations::{Merger, Merges};
use crate::names::renames::Renames;
use crate::observer::Observer;
use crate::parallel::ordered;
use crate::saved_block_offsets::{BlockMap, SkipAll};
use crate::select::{
    LeaveOut, PositionChoice, PositionVisitor, SelectVisitor, Selection, SelectionCounts, Shard,
    TakeMoments,
};

/// Records of a database that one thread takes at a time.
const CHUNK: u32 = 256;
/// Games of a plain stream that are handed on together.
const BATCH: u32 = 64;

/// How to go through an input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Threads that read; results never depend on it.
    pub threads: usize,
    /// Which records.
    pub selection: Selection,
    /// Of which part of the input.
    pub shard: Option<Shard>,
    /// Which games among them.
    pub filter: Option<Query>,
    /// What of them is left out.
    pub leave_out: LeaveOut,
    /// Of comments on one move in several languages only those in the first of these that is among
    /// them; comments without a language always. All comments if the list is empty.
    pub languages: Vec<Language>,
    /// What is read of them.
    pub want: Want,
    /// The first problem ends the job.
    pub strict: bool,
    /// Problems of records that the selection leaves out, such as deleted ones, are not reported.
    pub(crate) only_selected: bool,
    /// What happens to the ECO codes.
    pub eco: EcoUpdate,
    /// New spellings of names.
    pub renames: Option<Arc<Renames>>,
    /// Games that get the annotations of others; read on one thread then, of a stream.
    pub(crate) merges: Option<Arc<Merges>>,
    /// The text of a comment at the moments at which a game fits the query.
    pub mark: Option<String>,
    /// Positions that are handed on in the stead of the games; `eco`, `mark` and annotations of duplicates are
    /// without effect then.
    pub positions: PositionChoice,
    /// Records at most, of a stream; read on one thread then.
    pub at_most: Option<u64>,
    /// The games of databases that the query leaves out are counted, as those of streams always are.
    pub count_filtered: bool,
    /// Tasks get the moments of games that fit the query, of a stream.
    pub(crate) moments: bool,
    /// No other games fit.
    pub(crate) candidates: Option<Arc<GameSet>>,
    /// Which games the blocks of a stream hold; they follow each other if there is none.
    pub(crate) map: Option<Arc<BlockMap>>,
    /// Where the first block begins that is read of a stream.
    pub(crate) from: Base,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            selection: Selection::default(),
            shard: None,
            filter: None,
            leave_out: LeaveOut::default(),
            languages: Vec::new(),
            want: Want::ALL,
            strict: false,
            only_selected: false,
            eco: EcoUpdate::default(),
            renames: None,
            merges: None,
            mark: None,
            positions: PositionChoice::default(),
            at_most: None,
            count_filtered: false,
            moments: false,
            candidates: None,
            map: None,
            from: Base::default(),
        }
    }
}

impl ScanOptions {
    /// Whether it matters at which moments a game fits the query.
    pub(crate) fn needs_moments(&self) -> bool {
        self.moments || self.mark.is_some() || self.positions == PositionChoice::Moments
    }
}

/// What a thread does with the records it reads.
pub(crate) trait Task: Visitor + Send {
    /// What it makes of a piece of work; recycled.
    type Out: Default + Send;

    /// Gives what was made since the last call in exchange for an empty or used buffer.
    fn swap(&mut self, out: &mut Self::Out);

    /// What the last game lost.
    fn take_losses(&mut self) -> Losses {
        Losses::new()
    }

    /// The number of the first game of the part of a stream that is read next.
    fn set_first_game(&mut self, first: u32) {
        let _ = first;
    }

    /// The next game fits the query at these moments.
    fn take_moments(&mut self, moments: &[FoundMoment]) {
        let _ = moments;
    }

    /// The reader found something wrong with the game it is at.
    fn on_problem(&mut self, problem: &Problem) {
        let _ = problem;
    }

    /// What is read of a record of a database, at most `want`.
    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        let _ = (database, game);
        want
    }

    /// Whether heads of records are offered to [`take_head`](Task::take_head).
    fn wants_heads(&self) -> bool {
        false
    }

    /// The head of a record from the index of a database; `false` if the record is to be visited.
    fn take_head(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        let _ = (database, game, heads, head);
        false
    }

    /// What the task itself finds wrong with the last game.
    fn take_problems(&mut self) -> Vec<Problem> {
        Vec::new()
    }
}

/// Takes the pieces of output in order.
pub(crate) type OnBatch<'a, O> = &'a mut dyn FnMut(Base, &mut O) -> Result<bool, Error>;

/// Where a scan reports to.
pub(crate) struct ScanReporter<'a> {
    pub(crate) item: &'a InputItem,
    pub(crate) summary: &'a mut Summary,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) progress: &'a Progress,
}

impl ScanReporter<'_> {
    /// Notes one problem of the input.
    ///
    /// # Errors
    /// If the input cannot be read: that is no damage, and what follows it is not known.
    pub(crate) fn problem(&mut self, problem: Problem, strict: bool) -> Result<(), Error> {
        if problem.error.is_system() {
            return Err(problem.error);
        }
        if matches!(problem.error.kind(), ErrorKind::OutOfDate(_)) {
            let reported = self.observer.out_of_date(self.item, &problem.error);
            return reported.map_err(Error::in_output);
        }
        if self.summary.knows_blank_entries && is_blank_entry(&problem.error) {
            // It was reported for all of them.
            return Ok(());
        }
        if !strict && let Some(is_first) = self.summary.add_to_cause(&problem) {
            let reported = self.observer.record_problem(self.item, &problem, is_first);
            if reported.map_err(Error::in_output)? {
                self.summary.cause_reported(&problem);
            }
            return Ok(());
        }
        self.summary.problems += 1;
        self.observer
            .problem(self.item, &problem)
            .map_err(Error::in_output)?;
        if strict {
            return Err(problem.error.under_strict());
        }
        Ok(())
    }

    /// Opens the item and has `read` read it. Problems of its container are reported before, and after
    /// that those found while it was read.
    pub(crate) fn read_item<T>(
        &mut self,
        options: &OpenOptions,
        progress: &Arc<Progress>,
        strict: bool,
        read: impl FnOnce(&mut Self, OpenInput) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let read = self.read_container(options, progress, strict, read);
        read.map(|(result, _)| result)
    }

    /// As [`read_item`](Self::read_item); also whether the container of the item is damaged: the compressed file, the
    /// archive.
    pub(crate) fn read_container<T>(
        &mut self,
        options: &OpenOptions,
        progress: &Arc<Progress>,
        strict: bool,
        read: impl FnOnce(&mut Self, OpenInput) -> Result<T, Error>,
    ) -> Result<(T, bool), Error> {
        let item = self.item;
        let mut opened = item.open(options, Some(progress))?;
        let mut is_damaged = !opened.problems.is_empty();
        for error in std::mem::take(&mut opened.problems) {
            self.problem(error.into(), strict)?;
        }
        let (input, late) = opened.into_parts();
        let result = self.read_opened(|reporter| read(reporter, input))?;
        for error in late.take() {
            is_damaged = true;
            self.problem(error.in_file(item.label()).into(), strict)?;
        }
        Ok((result, is_damaged))
    }

    /// Has `read` read the item, which is open, and reports the problems found meanwhile.
    pub(crate) fn read_opened<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = read(self);
        for problem in self.summary.take_causes() {
            let reported = self.observer.problem(self.item, &problem);
            reported.map_err(Error::in_output)?;
        }
        result
    }

    /// Reports that the item is done; `before` are the counts of the summary before it. Returns those of
    /// the item.
    pub(crate) fn finish_item(
        &mut self,
        before: SelectionCounts,
    ) -> Result<SelectionCounts, Error> {
        let counts = self.summary.counts.since(before);
        let finished = self.observer.finished(self.item, &counts);
        finished.map_err(Error::in_output)?;
        Ok(counts)
    }

    /// Notes what was wrong with a database as a whole when it was opened.
    pub(crate) fn report_database_problems(
        &mut self,
        database: &dyn Database,
        strict: bool,
    ) -> Result<(), Error> {
        let info = database.info();
        for text in &info.problems {
            self.problem(self.item.problem_text(text).into(), strict)?;
        }
        self.summary.knows_blank_entries = info.blank_entries.count() > 0;
        Ok(())
    }

    fn flush(&mut self, notes: &mut Notes, base: Base, strict: bool) -> Result<(), Error> {
        for mut problem in notes.problems.drain(..) {
            problem.error = base.locate(problem.error, self.item);
            self.problem(problem, strict)?;
        }
        let name = self.item.name();
        for (game, losses) in notes.losses.drain(..) {
            let game = base.game(game);
            self.summary.losses.add(&name, game, &losses);
            self.observer
                .losses(self.item, game, &losses)
                .map_err(Error::in_output)?;
        }
        self.summary.counts.add(notes.counts);
        for (language, count) in std::mem::take(&mut notes.comments_left_out) {
            *self.summary.comments_left_out.entry(language).or_default() += count;
        }
        for (language, count) in std::mem::take(&mut notes.comments_chosen) {
            *self.summary.comments_chosen.entry(language).or_default() += count;
        }
        Ok(())
    }
}

/// Collects problems and losses of the records that pass.
struct Collecting<T> {
    task: T,
    eco: Option<EcoTagger>,
    marker: Option<Marker>,
    positions: Option<PositionVisitor>,
    renames: Option<Arc<Renames>>,
    merger: Option<Merger>,
    /// Games before those of the part of a stream that is read.
    first_game: u32,
    notes: Notes,
    game: GameIndex,
    strict: bool,
}

impl<T: Task> TakeMoments for Collecting<T> {
    fn take_moments(&mut self, moments: &[FoundMoment]) {
        if let Some(marker) = &mut self.marker {
            marker.take_moments(moments);
        }
        if let Some(positions) = &mut self.positions {
            positions.take_moments(moments);
        }
        self.task.take_moments(moments);
    }
}

impl<T: Task> Collecting<T> {
    /// Puts the comment of a moment here; the flow if there is one and it is not to go on.
    fn mark(&mut self, flow: Flow) -> Flow {
        match self.marker.as_mut().and_then(Marker::comment) {
            Some(comment) if flow == Flow::Go => match &mut self.eco {
                Some(tagger) => tagger.visit_annotation(comment),
                None => self.task.visit_annotation(comment),
            },
            _ => flow,
        }
    }

    /// Whether moves go to the task and nowhere else. All fields are named, so that a new one is decided on here.
    fn passes_moves(&self) -> bool {
        let Self {
            task: _,
            eco,
            marker,
            positions,
            renames: _,
            merger,
            first_game: _,
            notes: _,
            game: _,
            strict: _,
        } = self;
        eco.is_none() && marker.is_none() && positions.is_none() && merger.is_none()
    }

    /// Whether the head of a game is all that the task has to get of it, and as it is stored.
    fn passes_heads(&self) -> bool {
        self.passes_moves() && self.renames.is_none() && self.task.wants_heads()
    }

    /// Where the parts of a game go.
    fn visitor(&mut self) -> &mut dyn Visitor {
        if let Some(recorder) = self.merger.as_mut().and_then(Merger::recorder) {
            return recorder;
        }
        match &mut self.eco {
            Some(tagger) => tagger,
            None => &mut self.task,
        }
    }
}

impl<T: Task> Visitor for Collecting<T> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        if let Some(merger) = &mut self.merger {
            merger.begin(game.0.saturating_add(self.first_game));
        }
        let renamed = self
            .renames
            .as_ref()
            .and_then(|renames| renames.apply(head));
        let head = renamed.as_ref().unwrap_or(head);
        if let Some(positions) = &mut self.positions
            && positions.begin_game(game, head)
        {
            return Flow::Skip;
        }
        let flow = self.visitor().begin_game(game, head);
        if let Some(marker) = &mut self.marker {
            marker.begin_game();
        }
        self.mark(flow)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let flow = self.visitor().visit_move(before, ply);
        if let Some(marker) = &mut self.marker {
            marker.visit_move();
        }
        self.mark(flow)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.visitor().visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        let flow = self.visitor().begin_variation();
        if flow == Flow::Go
            && let Some(marker) = &mut self.marker
        {
            marker.begin_variation();
            return self.mark(flow);
        }
        flow
    }

    fn end_variation(&mut self) {
        if let Some(marker) = &mut self.marker {
            marker.end_variation();
        }
        self.visitor().end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        let mut left_out = Losses::new();
        let merger = self.merger.as_mut();
        let merged = merger.and_then(|merger| merger.end(result, &mut left_out));
        let mut held = self.positions.as_mut().filter(|held| held.is_held());
        match (merged, &mut self.eco) {
            _ if held.is_some() => {
                if let Some(positions) = &mut held {
                    positions.end_game(result, &mut self.task);
                }
            }
            (None, Some(tagger)) => tagger.finish(result, &mut self.task),
            (None, None) => self.task.end_game(result),
            // The visitor's wish to stop has no effect: the game is complete.
            (Some(game), Some(tagger)) => {
                let _ = game.replay(self.game, Want::ALL, tagger);
                tagger.finish(result, &mut self.task);
            }
            (Some(game), None) => {
                let _ = game.replay(self.game, Want::ALL, &mut self.task);
            }
        }
        let mut losses = self.task.take_losses();
        losses.merge(&left_out);
        if !losses.is_empty() {
            self.notes.losses.push((self.game, losses));
        }
        for problem in self.task.take_problems() {
            let error = problem.error.in_game(self.game);
            self.notes.problems.push(Problem { error, ..problem });
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.task.on_problem(&problem);
        let error = problem.error.in_game(self.game);
        self.notes.problems.push(Problem { error, ..problem });
        if self.strict { Flow::Stop } else { Flow::Go }
    }
}

/// What the parts of a game go through on their way to a task.
struct Pipeline<T> {
    filter: FilterVisitor<SelectVisitor<Collecting<T>>>,
    /// Whether moves of games that fit the query go to the task as they are.
    passes_moves: bool,
}

impl<T: Task> Pipeline<T> {
    fn select(&mut self) -> &mut SelectVisitor<Collecting<T>> {
        &mut self.filter.inner
    }

    fn collecting(&mut self) -> &mut Collecting<T> {
        &mut self.filter.inner.inner
    }

    /// Notes what could not be read of a game that the query leaves out.
    fn note_problems(&mut self, problems: Vec<Problem>, game: GameIndex) -> Flow {
        let collecting = self.collecting();
        let is_stop = collecting.strict && !problems.is_empty();
        let notes = problems.into_iter().map(|problem| Problem {
            error: problem.error.in_game(game),
            ..problem
        });
        collecting.notes.problems.extend(notes);
        if is_stop { Flow::Stop } else { Flow::Go }
    }

    /// Not inlined, so that moves that go straight to the task save no registers for it.
    #[inline(never)]
    fn filter_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.filter.visit_move(before, ply)
    }
}

impl<T: Task> Visitor for Pipeline<T> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.filter.begin_game(game, head)
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.passes_moves && self.filter.is_passing() {
            self.filter.inner.inner.task.visit_move(before, ply)
        } else {
            self.filter_move(before, ply)
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.filter.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.filter.begin_variation()
    }

    fn end_variation(&mut self) {
        self.filter.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.filter.end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.filter.problem(problem)
    }
}

/// `matcher`: is asked about each game as it is read.
fn pipeline<T: Task>(task: T, plan: &ScanOptions, matcher: Option<Matcher>) -> Pipeline<T> {
    let noting = Collecting {
        task,
        eco: EcoTagger::new(plan.eco),
        marker: plan.mark.as_deref().map(Marker::new),
        positions: PositionVisitor::new(plan.positions),
        renames: plan.renames.clone(),
        merger: plan.merges.clone().map(Merger::new),
        first_game: 0,
        notes: Notes::default(),
        game: GameIndex(0),
        strict: plan.strict,
    };
    let mut pick = SelectVisitor::new(
        noting,
        plan.selection.clone(),
        plan.leave_out,
        &plan.languages,
    );
    pick.left = plan.at_most;
    pick.only_selected = plan.only_selected;
    let mut filter = FilterVisitor::new(pick, matcher, plan.want, plan.selection.clone());
    filter.candidates.clone_from(&plan.candidates);
    let passes_moves = filter.inner.passes_moves() && filter.inner.inner.passes_moves();
    Pipeline {
        filter,
        passes_moves,
    }
}

/// The matcher of one thread for a query that leaves games out.
fn matcher(reporter: &ScanReporter<'_>, plan: &ScanOptions) -> Option<Matcher> {
    let query = plan.filter.as_ref().filter(|query| !query.is_empty())?;
    let matcher = Matcher::new(query).for_database(&reporter.item.name());
    Some(if plan.needs_moments() {
        matcher.with_moments()
    } else {
        matcher
    })
}

/// What is read of the games of a stream, so that the query can be decided on as well.
fn want_of_stream(plan: &ScanOptions) -> Want {
    let wanted = plan.filter.as_ref().map(|query| Matcher::new(query).want());
    wanted.map_or(plan.want, |wanted| plan.want.and(wanted))
}

/// Takes the notes and the output of a pipeline.
fn drain<T: Task>(pipeline: &mut Pipeline<T>, notes: &mut Notes, out: &mut T::Out) {
    let pick = pipeline.select();
    std::mem::swap(&mut pick.inner.notes, notes);
    if !pick.left_out.is_empty() {
        let left_out = std::mem::take(&mut pick.left_out);
        notes.problems.retain(|problem| {
            let game = problem.error.location().game;
            game.is_none_or(|game| left_out.binary_search(&game).is_err())
        });
    }
    notes.counts = std::mem::take(&mut pick.counts);
    notes.comments_left_out = std::mem::take(&mut pick.languages.left_out);
    notes.comments_chosen = std::mem::take(&mut pick.languages.chosen);
    pick.inner.task.swap(out);
    if let Some(positions) = &mut pick.inner.positions {
        notes.counts.positions = std::mem::take(&mut positions.positions);
        notes.counts.without_position = std::mem::take(&mut positions.without_position);
    }
    notes.counts.filtered += std::mem::take(&mut pipeline.filter.filtered);
}

/// An error if the query asks for duplicates that `ScanOptions::for_item` has not found: no game would be one.
fn refuse_unknown_duplicates(plan: &ScanOptions) -> Result<(), Error> {
    if plan.filter.as_ref().is_some_and(Query::lacks_duplicates) {
        return Err(Error::usage("the query cannot ask for `is:duplicate` here"));
    }
    Ok(())
}

/// Goes through an open input; `tasks` holds one task for each thread.
pub(crate) fn scan<T: Task>(
    reporter: &mut ScanReporter<'_>,
    input: OpenInput,
    plan: &ScanOptions,
    tasks: Vec<T>,
    take: OnBatch<'_, T::Out>,
) -> Result<(), Error> {
    refuse_unknown_duplicates(plan)?;
    match input {
        OpenInput::Database(database) => {
            return scan_open(reporter, &*database, plan, tasks, take);
        }
        OpenInput::Blocks(blocks) => scan_blocks(reporter, blocks, plan, tasks, take),
        OpenInput::Stream(stream) => scan_stream(reporter, stream, plan, tasks, take),
        OpenInput::Book(_) | OpenInput::Archive(_) => {
            let (name, format) = (reporter.item.name(), reporter.item.format());
            let quoted = argument(&name);
            let hint = match format.kind() {
                FormatKind::Book => {
                    format!("`tabia book info {quoted}` and `tabia book find {quoted}` read books")
                }
                _ => format!("`tabia archive list {quoted}` lists what is in it"),
            };
            let what = with_article(format.name());
            let text = match format.kind() {
                FormatKind::Archive => format!(
                    "{name} holds no games itself: it is {what}, and `Resolver::resolve_games` finds the databases in it"
                ),
                _ => format!("{name} holds no games: it is {what}"),
            };
            Err(Error::usage(text).with_hint(hint))
        }
    }?;
    if reporter.progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    Ok(())
}

/// As [`scan`], of a database.
pub(crate) fn scan_open<T: Task>(
    reporter: &mut ScanReporter<'_>,
    database: &dyn Database,
    plan: &ScanOptions,
    tasks: Vec<T>,
    take: OnBatch<'_, T::Out>,
) -> Result<(), Error> {
    reporter.report_database_problems(database, plan.strict)?;
    scan_database(reporter, database, plan, tasks, take)?;
    reporter.progress.check()
}

struct DatabaseJob<O> {
    range: Range<u32>,
    /// Whether its task wants nothing after it.
    stop: bool,
    notes: Notes,
    out: O,
}

impl<O: Default> Default for DatabaseJob<O> {
    fn default() -> Self {
        Self {
            range: 0..0,
            stop: false,
            notes: Notes::default(),
            out: O::default(),
        }
    }
}

/// Goes through a database.
pub(crate) fn scan_database<T: Task>(
    reporter: &mut ScanReporter<'_>,
    database: &dyn Database,
    plan: &ScanOptions,
    tasks: Vec<T>,
    take: OnBatch<'_, T::Out>,
) -> Result<(), Error> {
    refuse_unknown_duplicates(plan)?;
    let length = database.len();
    let weight = reporter.item.bytes().unwrap_or(u64::from(length));
    let progress = reporter.progress;
    let numbers = plan.selection.numbers.as_ref();
    let records = match plan.shard {
        Some(shard) => shard.records(length),
        None => 0..length,
    };
    let end = match numbers.map(crate::select::RecordRanges::last) {
        Some(last) => last.map_or(0, |last| last.0.saturating_add(1)),
        None => length,
    };
    let end = end.min(records.end);
    let mut at = records.start;
    // The begin of the first range whose task stopped. What comes before is read to its end.
    let stopped = AtomicU32::new(u32::MAX);
    let fill = |job: &mut DatabaseJob<T::Out>| {
        let start = match numbers {
            Some(numbers) => numbers.next_from(at).unwrap_or(end),
            None => at,
        };
        let is_stopped = stopped.load(Ordering::Relaxed) < u32::MAX;
        if start >= end || is_stopped || progress.is_cancelled() {
            return false;
        }
        at = start.saturating_add(CHUNK).min(end);
        job.range = start..at;
        true
    };
    let tasks = Mutex::new(tasks);
    let new_matcher = matcher(reporter, plan);
    let worker = || {
        // A database is asked about its rows first, so that most games left out are not read.
        let mut pipeline = pop(&tasks).map(|task| pipeline(task, plan, None));
        let mut readers = Readers::new(database);
        let takes_heads = |pipeline: &mut Pipeline<T>| pipeline.collecting().passes_heads();
        if plan.at_most.is_none() && pipeline.as_mut().is_some_and(takes_heads) {
            readers.heads = database.head_reader();
        }
        let mut matcher = new_matcher.clone();
        let stopped = &stopped;
        move |job: &mut DatabaseJob<T::Out>| {
            if let Some(pipeline) = &mut pipeline {
                let range = job.range.clone();
                let goes_on = || range.start <= stopped.load(Ordering::Relaxed);
                let flow = readers.read_range(pipeline, plan, &range, &mut matcher, &goes_on);
                job.stop = flow == Flow::Stop;
                if job.stop {
                    stopped.fetch_min(range.start, Ordering::Relaxed);
                }
                drain(pipeline, &mut job.notes, &mut job.out);
            }
        }
    };
    let share = |game: u32| u64::from(game) * weight / u64::from(length.max(1));
    ordered(plan.threads, fill, worker, |job| {
        reporter.flush(&mut job.notes, Base::default(), plan.strict)?;
        let work = share(job.range.end) - share(job.range.start);
        // Games that a filter leaves out are read too.
        reporter
            .progress
            .advance(work, u64::from(job.range.end - job.range.start));
        let more = take(Base::default(), &mut job.out)?;
        reporter.summary.is_stopped |= job.stop;
        Ok(more && !job.stop)
    })
}

/// Reads the records of a database on one thread.
struct Readers<'d> {
    database: &'d dyn Database,
    games: Box<dyn GameReader + 'd>,
    /// Where nothing but heads is needed.
    heads: Option<Box<dyn HeadReader + 'd>>,
    /// The last head.
    head: IndexHead,
}

impl<'d> Readers<'d> {
    fn new(database: &'d dyn Database) -> Self {
        Self {
            database,
            games: database.reader(),
            heads: None,
            head: IndexHead::default(),
        }
    }

    /// Hands the head of a record on, if that is all that is needed of it.
    fn take_head<T: Task>(
        &mut self,
        game: GameIndex,
        pipeline: &mut Pipeline<T>,
        plan: &ScanOptions,
    ) -> bool {
        let Some(heads) = &mut self.heads else {
            return false;
        };
        if !heads.read(game, &mut self.head) {
            return false;
        }
        let select = pipeline.select();
        if !plan.selection.keeps(self.head.deleted, false) {
            select.counts.deleted += u64::from(self.head.deleted);
            return true;
        }
        let task = &mut select.inner.task;
        let is_taken = task.take_head(self.database, game, &**heads, &self.head);
        select.counts.games += u64::from(is_taken);
        is_taken
    }

    /// `goes_on` is asked before each record. [`Flow::Stop`] if the task wants no more records.
    fn read_range<T: Task>(
        &mut self,
        pipeline: &mut Pipeline<T>,
        plan: &ScanOptions,
        range: &Range<u32>,
        matcher: &mut Option<Matcher>,
        goes_on: &dyn Fn() -> bool,
    ) -> Flow {
        let database = self.database;
        for game in range.clone().map(GameIndex) {
            if !goes_on() {
                return Flow::Stop;
            }
            let is_candidate = plan.candidates.as_ref().is_none_or(|set| set.has(game));
            if !plan.selection.has(game) {
                continue;
            }
            if !is_candidate {
                count_filtered(database, game, plan, pipeline);
                continue;
            }
            if plan.only_selected
                && let Ok(entry) = database.entry(game)
                && !plan.selection.keeps(entry.deleted, entry.is_text)
            {
                pipeline.select().counts.deleted += u64::from(entry.deleted);
                continue;
            }
            pipeline.collecting().game = game;
            let wanted = match matcher {
                Some(matcher) => matcher.matches_record(database, &mut *self.games, game),
                None => Ok(true),
            };
            let read = match wanted {
                Ok(false) => {
                    count_filtered(database, game, plan, pipeline);
                    let problems = matcher.as_mut().map(Matcher::take_problems);
                    if pipeline.note_problems(problems.unwrap_or_default(), game) == Flow::Stop {
                        return Flow::Stop;
                    }
                    continue;
                }
                Ok(true) => {
                    if let Some(matcher) = matcher {
                        pipeline.select().take_moments(matcher.moments());
                    }
                    if self.take_head(game, pipeline, plan) {
                        let problems = matcher.as_mut().map(Matcher::take_problems);
                        if pipeline.note_problems(problems.unwrap_or_default(), game) == Flow::Stop
                        {
                            return Flow::Stop;
                        }
                        continue;
                    }
                    let task = &mut pipeline.collecting().task;
                    let want = task.want_of(database, game, plan.want);
                    self.games.read(game, want, pipeline)
                }
                Err(error) => Err(error),
            };
            match read {
                Ok(Flow::Stop) => return Flow::Stop,
                Ok(_) => {}
                Err(error) => {
                    let flow = pipeline.problem(error.in_game(game).into());
                    if flow == Flow::Stop {
                        return Flow::Stop;
                    }
                }
            }
        }
        Flow::Go
    }
}

/// Counts a game that the query leaves out, if it would have been read.
fn count_filtered<T: Task>(
    database: &dyn Database,
    game: GameIndex,
    plan: &ScanOptions,
    pipeline: &mut Pipeline<T>,
) {
    if plan.count_filtered {
        let entry = database.entry(game).unwrap_or_default();
        let is_counted = !entry.is_text && plan.selection.keeps(entry.deleted, false);
        pipeline.filter.filtered += u64::from(is_counted);
    }
}

struct BlockJob<O> {
    block: Block,
    /// Whether its games are read and not only counted.
    is_read: bool,
    counts: BlockCounts,
    failure: Option<Error>,
    stop: bool,
    notes: Notes,
    out: O,
}

impl<O: Default> Default for BlockJob<O> {
    fn default() -> Self {
        Self {
            block: Block::default(),
            is_read: true,
            counts: BlockCounts::default(),
            failure: None,
            stop: false,
            notes: Notes::default(),
            out: O::default(),
        }
    }
}

fn scan_blocks<T: Task>(
    reporter: &mut ScanReporter<'_>,
    mut blocks: Box<dyn Blocks>,
    plan: &ScanOptions,
    tasks: Vec<T>,
    take: OnBatch<'_, T::Out>,
) -> Result<(), Error> {
    // Numbers of games are known only when all before them were counted.
    let asks_for_numbers = plan.filter.as_ref().is_some_and(Query::asks_for_numbers);
    let is_numbered =
        plan.selection.numbers.is_some() || plan.candidates.is_some() || plan.merges.is_some();
    let threads = if is_numbered
        || plan.selection.dropped.is_some()
        || plan.at_most.is_some()
        || asks_for_numbers
    {
        1
    } else {
        plan.threads
    };
    let last = plan
        .selection
        .numbers
        .as_ref()
        .and_then(crate::select::RecordRanges::last);
    let workers: Vec<(T, Box<dyn BlockReader>)> = tasks
        .into_iter()
        .map(|task| (task, blocks.reader()))
        .collect();
    let workers = Mutex::new(workers);
    if plan.shard.is_some() {
        blocks.wait_for_full_blocks();
    }
    let mut number = 0_u64;
    let progress = reporter.progress;
    let before = AtomicU32::new(plan.from.games);
    let ended = AtomicBool::new(false);
    let fill = |job: &mut BlockJob<T::Out>| {
        if ended.load(Ordering::Relaxed) || progress.is_cancelled() {
            return false;
        }
        job.failure = None;
        job.stop = false;
        loop {
            job.is_read = plan.shard.is_none_or(|shard| shard.has_block(number));
            number += 1;
            match blocks.next(&mut job.block) {
                Ok(true) if job.block.offset < plan.from.bytes => {}
                Ok(more) => return more,
                Err(error) => {
                    ended.store(true, Ordering::Relaxed);
                    job.failure = Some(error);
                    job.block.bytes.clear();
                    return true;
                }
            }
            if progress.is_cancelled() {
                return false;
            }
        }
    };
    let want = want_of_stream(plan);
    let new_matcher = matcher(reporter, plan);
    let worker = || {
        let mut parts =
            pop(&workers).map(|(task, reader)| (pipeline(task, plan, new_matcher.clone()), reader));
        let (before, ended) = (&before, &ended);
        move |job: &mut BlockJob<T::Out>| {
            job.counts = BlockCounts::default();
            let Some((pipeline, reader)) = &mut parts else {
                return;
            };
            if job.failure.is_none() {
                let first = match &plan.map {
                    Some(map) => map.base_at(job.block.offset).games,
                    None => before.load(Ordering::Relaxed),
                };
                pipeline.select().base = first;
                pipeline.filter.set_first_game(first);
                pipeline.collecting().task.set_first_game(first);
                pipeline.collecting().first_game = first;
                pipeline.collecting().game = GameIndex(0);
                let read = if job.is_read {
                    reader.read(&job.block, want, pipeline)
                } else {
                    reader.read(&job.block, Want::TAGS, &mut SkipAll)
                };
                match read {
                    Ok((flow, counts)) => {
                        job.stop = flow == Flow::Stop;
                        if job.stop {
                            ended.store(true, Ordering::Relaxed);
                        }
                        job.counts = counts;
                    }
                    Err(error) => job.failure = Some(error),
                }
            }
            drain(pipeline, &mut job.notes, &mut job.out);
        }
    };
    let mut base = plan.from;
    let scanned = ordered(threads, fill, worker, |job| {
        match &plan.map {
            Some(map) => base = map.base_at(job.block.offset),
            None => base.bytes = job.block.offset,
        }
        reporter.flush(&mut job.notes, base, plan.strict)?;
        reporter.progress.advance(0, u64::from(job.counts.games));
        let more = take(base, &mut job.out)?;
        if let Some(error) = job.failure.take() {
            return Err(base.locate(error, reporter.item));
        }
        base.games = base.games.saturating_add(job.counts.games);
        base.lines = base.lines.saturating_add(job.counts.lines);
        before.store(base.games, Ordering::Relaxed);
        let past = last.is_some_and(|last| base.games > last.0);
        reporter.summary.is_stopped |= job.stop;
        Ok(more && !job.stop && !past)
    });
    if let Some(charset) = blocks.found().charset {
        let charsets = &mut reporter.summary.assumed_charsets;
        charsets.push((reporter.item.name(), charset.name()));
    }
    scanned
}

fn scan_stream<T: Task>(
    reporter: &mut ScanReporter<'_>,
    mut stream: Box<dyn GameStream>,
    plan: &ScanOptions,
    tasks: Vec<T>,
    take: OnBatch<'_, T::Out>,
) -> Result<(), Error> {
    let Some(task) = tasks.into_iter().next() else {
        return Ok(());
    };
    let want = want_of_stream(plan);
    let mut pipeline = pipeline(task, plan, matcher(reporter, plan));
    pipeline.select().shard = plan.shard;
    let mut notes = Notes::default();
    let mut out = T::Out::default();
    let mut more = true;
    while more && !reporter.progress.is_cancelled() {
        let mut failure = None;
        let mut games = 0;
        for _ in 0..BATCH {
            match stream.next(want, &mut pipeline) {
                Ok(end @ (Some(Flow::Stop) | None)) => {
                    games += u64::from(end.is_some());
                    reporter.summary.is_stopped |= end.is_some();
                    more = false;
                    break;
                }
                Ok(Some(_)) => games += 1,
                Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
                    failure = Some(error);
                    break;
                }
                Err(error) => {
                    if pipeline.problem(error.into()) == Flow::Stop {
                        more = false;
                        break;
                    }
                }
            }
        }
        drain(&mut pipeline, &mut notes, &mut out);
        reporter.flush(&mut notes, Base::default(), plan.strict)?;
        reporter.progress.advance(0, games);
        more &= take(Base::default(), &mut out)?;
        if let Some(error) = failure {
            return Err(error.in_file(reporter.item.label()));
        }
    }
    Ok(())
}

fn pop<T>(parts: &Mutex<Vec<T>>) -> Option<T> {
    parts.lock().unwrap_or_else(PoisonError::into_inner).pop()
}
