//! Saves what survives of a damaged database into a new one, and accounts for every game.
//!
//! The format itself finds the records: it is opened with [`OpenOptions::salvage`]. This module reads
//! every record, writes those that are left, and reports the outcome of each. [`plan_repairs`] does that for every
//! database and book of a folder or an archive.

mod find_damaged_set;
mod plan_repairs;
mod salvaged_set;
mod target_names;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Location, Why};
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Annotation, Date, Event, Game, RecordKind, Want};
use tabia_core::games::{Database, Written, is_lost_name};
use tabia_core::io::{Progress, ProgressPhase};
use tabia_core::loss::{Feature, Losses};
use tabia_core::plural::counted;
use tabia_core::{Error, ErrorKind, GameFormat, GameIndex, Problem, Result as CoreResult};
use tabia_formats::archives::compressed::Compression;

use crate::compare_with_repair::problems_of_comparison;
use crate::create::DatabaseWriter;
use crate::input::{InputItem, OpenInput};
use crate::job_summary::{Base, Summary};
use crate::media_copies::MediaCopies;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, scan, scan_database};
use crate::select::{Selection, SelectionCounts};
use crate::text_record_and_encode_tasks::{RecordTask, Recorded};

pub use find_damaged_set::{is_part_of, remains};
pub use plan_repairs::{PlannedRepair, RepairJob, RepairedFile, plan_repairs};
pub use salvaged_set::SalvagedSet;

/// How to repair. PGN is written with all that it can hold ([`Profile::Full`]), whatever the profile of `create`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RepairOptions {
    /// How the input is opened; `salvage` is always set.
    pub open: OpenOptions,
    /// How the target is created; title and facts are those of the input.
    pub create: CreateOptions,
    /// Threads that read.
    pub threads: usize,
    /// Media files are neither copied nor counted as lost: for a target that is only tried.
    pub without_media: bool,
    /// Whether the folder of the target is made once the input is open.
    makes_folders: bool,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairOutcome {
    /// All of it was read.
    Whole,
    /// Some of it was lost in the input or is in doubt there, or the target cannot hold it.
    Damaged,
    /// Nothing of it is in the target.
    Lost,
}

impl RepairOutcome {
    /// One word for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Damaged => "damaged",
            Self::Lost => "lost",
        }
    }
}

/// Why a record is not whole: what is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// File, offset, ply, as far as they are known.
    pub at: Location,
    /// What is wrong there, for people.
    pub text: String,
    /// Whether the record lacks something because a file is missing or cut off, so that other records lack
    /// the same.
    pub is_common: bool,
}

/// The outcome of one record.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordOutcome<'a> {
    /// The record, by its number in the input.
    pub game: GameIndex,
    /// What became of it.
    pub outcome: RepairOutcome,
    /// Its number in the target; `None` also for texts where the target holds games only.
    pub saved_as: Option<GameIndex>,
    /// What was lost of it; empty when it is whole.
    pub reasons: &'a [Reason],
}

/// Receives the outcome of every record that is not whole, in the order of the input.
pub trait RepairObserver: Observer {
    /// A record is damaged or lost.
    fn record_outcome(&mut self, item: &InputItem, record: &RecordOutcome<'_>) -> CoreResult<()> {
        let _ = (item, record);
        Ok(())
    }
}

impl RepairObserver for crate::NoObserver {}

/// How many records have lost what; one record can have lost several parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostParts {
    /// Games without a move, whose moves are lost as far as is known.
    pub all_moves: u64,
    /// Games whose moves are kept as text, since no move of them could be read.
    pub unread_moves: u64,
    /// Games with moves up to the ply from which on they could not be read.
    pub some_moves: u64,
    /// Games without the name of a player.
    pub names: u64,
}

impl LostParts {
    /// Counts a record from which something is missing for these reasons.
    fn add(&mut self, game: &Game, reasons: &[Reason]) {
        if game.head.kind != RecordKind::Game {
            return;
        }
        if game.ply_count() == 0 {
            // Of a game that never had moves only the header can be damaged.
            let is_lost = !reasons.iter().all(is_about_header);
            let are_kept = has_unread_moves(game);
            self.all_moves += u64::from(is_lost && !are_kept);
            self.unread_moves += u64::from(is_lost && are_kept);
        } else if reasons.iter().any(|reason| reason.at.ply.is_some()) {
            self.some_moves += 1;
        }
        let names = ["White", "Black"].map(|tag| game.head.tags.text(tag));
        let has_lost =
            names.into_iter().any(is_lost_name) || names.into_iter().all(is_unknown_or_lost);
        self.names += u64::from(has_lost);
    }
}

/// Whether a game has moves that could not be read, as text.
fn has_unread_moves(game: &Game) -> bool {
    game.events().any(|event| {
        matches!(event, Event::Annotation(Annotation::Foreign(moves)) if moves.is_unread_moves())
    })
}

/// Whether a reason states what is lost of a header, and nothing of moves.
fn is_about_header(reason: &Reason) -> bool {
    let starts = [
        IN_DOUBT,
        NOT_IN_TARGET,
        "names are lost: ",
        "names may be other than they were: ",
        "bytes of its index entry were changed, ",
        "the header is lost: ",
        "its ",
        "the coordinates",
    ];
    reason.at.ply.is_none()
        && (reason
            .text
            .contains(" is lost: the name file has no number ")
            || starts.iter().any(|start| reason.text.starts_with(start)))
}

/// The reason of records whose names may be those of others.
const IN_DOUBT: &str =
    "its names may be those of other games: the file of names does not fit the games";

/// The start of the reason of records of which the target lacks a part.
const NOT_IN_TARGET: &str = "the new file cannot hold ";

/// Whether a name is unknown, or replaces one that the input has lost.
fn is_unknown_or_lost(name: &str) -> bool {
    matches!(name, "" | "?") || is_lost_name(name)
}

/// Whether something of a record was found that cannot be anything else: all of it, a move, the name of a player,
/// an annotation or a text.
fn has_content(game: &Game, reasons: &[Reason]) -> bool {
    let is_named = |tag| !is_lost_name(game.head.tags.text(tag));
    reasons.is_empty()
        || game.head.kind == RecordKind::Text
        || reasons.iter().all(|reason| reason.text == IN_DOUBT)
        || game.has_annotations()
        || is_named("White")
        || is_named("Black")
        || game.mainline().next().is_some()
}

/// Whether the header of a record is one of a game: a complete date of the time of which games are known, and a result.
/// Few of the headers that are read from other bytes are.
fn is_plausible_header(game: &Game) -> bool {
    let tags = &game.head.tags;
    let is_known = |date: &Date| date.is_complete() && GAME_YEARS.contains(&date.year);
    tags.date().as_ref().is_some_and(is_known)
        && matches!(tags.text("Result"), "1-0" | "0-1" | "1/2-1/2")
}

/// The years of games with a known date.
const GAME_YEARS: RangeInclusive<u16> = 1800..=2100;

/// What a repair has done.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Repaired {
    /// Records read, problems, and what the target could not hold.
    pub summary: Summary,
    /// Records of which nothing was lost.
    pub whole: u64,
    /// Records of which a part was lost.
    pub damaged: u64,
    /// Records of which nothing is left, those included that only a header counts.
    pub lost: u64,
    /// What the records have lost of which a part was lost.
    pub lost_parts: LostParts,
    /// The input ends too early, so that what followed is not known.
    pub ends_early: bool,
    /// Whether any record is more than numbers that every file of other contents could hold.
    has_content: bool,
    /// Records whose header is that of a game.
    plausible_headers: u64,
    /// What was wrong with the set as a whole.
    pub problems: Vec<String>,
    /// The new files.
    pub written: Written,
}

/// Reads all that is left of an item, deleted records and texts too, and writes it into a new
/// database or text file.
///
/// # Errors
/// When nothing of the input can be opened, the target cannot be written, or the input has problems and no record
/// of it has a move, the name of a player, an annotation or a text, nor most of them a date and a result.
pub fn repair(
    item: &InputItem,
    format: &'static GameFormat,
    path: &Path,
    options: &RepairOptions,
    progress: &Arc<Progress>,
    reports: &mut dyn RepairObserver,
) -> Result<Repaired, Error> {
    progress.set_total(item.bytes().unwrap_or_default());
    let items = if options.without_media {
        &[]
    } else {
        std::slice::from_ref(item)
    };
    let mut media = MediaCopies::plan(items, Some((format, path)), &mut |_, _| Ok(None))?;
    let mut options = options.clone();
    let own_transaction = media.has_copies() && options.create.transaction.is_none();
    if media.has_copies() {
        options.create.transaction.get_or_insert_default();
    }
    let options = &options;
    let mut open = options.open.clone();
    open.salvage = true;
    let mut summary = Summary::default();
    let reports = RefCell::new(reports);
    let pending = RefCell::new(Vec::new());
    let mut listener = ProblemCollector {
        reports: &reports,
        pending: &pending,
        ends_early: false,
    };
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer: &mut listener,
        progress,
    };
    let collector = reporter.read_item(&open, progress, false, |reporter, input| {
        let sink = create_like(reporter, &input, format, path, options)?;
        let want = format.want(Want::ALL, &options.create);
        let mut collector = RepairCollector::new(sink, want);
        collector.read_records(reporter, input, options, &pending, &reports)?;
        Ok(collector)
    })?;
    let RepairCollector {
        sink,
        mut repaired,
        losses,
        ..
    } = collector;
    repaired.ends_early = listener.ends_early;
    for (game, losses) in losses {
        summary.losses.add(&item.name(), game, &losses);
        let mut reports = reports.borrow_mut();
        reports
            .losses(item, game, &losses)
            .map_err(Error::in_output)?;
    }
    let all = repaired.whole + repaired.damaged;
    let has_headers = 2 * repaired.plausible_headers > all;
    if !repaired.has_content && !has_headers && summary.problems > 0 {
        let text = "nothing that can be recovered: no moves, no names, no texts";
        return Err(Error::invalid(text).in_file(item.label()));
    }
    repaired.written = sink.finish()?;
    if let Some(transaction) = &options.create.transaction {
        let mut problems = Vec::new();
        let (files, bytes) = media.write(transaction, &mut |error| {
            problems.push(error);
            Ok(())
        })?;
        repaired.written.files.extend(files);
        repaired.written.bytes += bytes;
        for error in problems {
            summary.problems += 1;
            let mut reports = reports.borrow_mut();
            let reported = reports.problem(item, &error.into());
            reported.map_err(Error::in_output)?;
        }
        if own_transaction {
            transaction.commit().map_err(Error::in_output)?;
        }
    }
    let name = path.display().to_string();
    summary.losses.add_whole(&name, &repaired.written.losses);
    media.add_to(&mut summary);
    let counts = summary.counts;
    repaired.summary = summary;
    let mut reports = reports.borrow_mut();
    reports.finished(item, &counts).map_err(Error::in_output)?;
    Ok(repaired)
}

/// Creates the target with the title and facts of the source, whose problems as a whole are reported.
fn create_like(
    reporter: &mut ScanReporter<'_>,
    input: &OpenInput,
    format: &'static GameFormat,
    path: &Path,
    options: &RepairOptions,
) -> Result<DatabaseWriter, Error> {
    let mut create = options.create.clone();
    create.profile = Profile::Full;
    if let OpenInput::Database(database) = input {
        create.title.clone_from(&database.info().title);
        create.facts.clone_from(&database.info().facts);
        reporter.report_database_problems(&**database, false)?;
    }
    if options.makes_folders {
        plan_repairs::make_folder_of(path)?;
    }
    DatabaseWriter::create(format, path, Compression::None, &create)
}

/// Collects the problems of records until the records are written.
struct ProblemCollector<'a, 'w> {
    reports: &'a RefCell<&'w mut dyn RepairObserver>,
    pending: &'a RefCell<Vec<(GameIndex, Reason)>>,
    ends_early: bool,
}

impl ProblemCollector<'_, '_> {
    /// Remembers a problem as a reason why its record is not whole.
    fn remember(&mut self, problem: &Problem) {
        let at = problem.error.location();
        if let (None, ErrorKind::Malformed(malformed)) = (at.game, problem.error.kind()) {
            self.ends_early |= matches!(malformed.why, Why::Truncated { .. });
        }
        if let Some(game) = at.game {
            let kind = problem.error.kind();
            let is_common = matches!(kind, ErrorKind::MissingFile(_) | ErrorKind::NotInFile(_));
            let reason = Reason {
                at: at.clone(),
                text: kind.to_string(),
                is_common,
            };
            self.pending.borrow_mut().push((game, reason));
        }
    }
}

impl Observer for ProblemCollector<'_, '_> {
    fn problem(&mut self, item: &InputItem, problem: &Problem) -> CoreResult<()> {
        self.remember(problem);
        self.reports.borrow_mut().problem(item, problem)
    }

    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        is_first: bool,
    ) -> CoreResult<bool> {
        self.remember(problem);
        let mut reports = self.reports.borrow_mut();
        reports.record_problem(item, problem, is_first)
    }

    fn out_of_date(&mut self, item: &InputItem, number: &Error) -> CoreResult<()> {
        self.reports.borrow_mut().out_of_date(item, number)
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> CoreResult<()> {
        self.reports.borrow_mut().losses(item, game, losses)
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> CoreResult<()> {
        self.reports.borrow_mut().finished(item, counts)
    }
}

/// Writes records and counts what became of them.
struct RepairCollector {
    sink: DatabaseWriter,
    /// What is read of the records.
    want: Want,
    saved: u32,
    repaired: Repaired,
    /// What the target could not hold.
    losses: Vec<(GameIndex, Losses)>,
}

type OnOutcome<'a> = &'a mut dyn FnMut(&RecordOutcome<'_>) -> Result<(), Error>;

impl RepairCollector {
    fn new(sink: DatabaseWriter, want: Want) -> Self {
        Self {
            sink,
            want,
            saved: 0,
            repaired: Repaired::default(),
            losses: Vec::new(),
        }
    }

    /// Reads every record of `input` and writes what is left of it.
    fn read_records(
        &mut self,
        reporter: &mut ScanReporter<'_>,
        input: OpenInput,
        options: &RepairOptions,
        pending: &RefCell<Vec<(GameIndex, Reason)>>,
        reports: &RefCell<&mut dyn RepairObserver>,
    ) -> Result<(), Error> {
        let (item, progress) = (reporter.item, reporter.progress);
        let threads = options.threads;
        let plan = ScanOptions {
            threads,
            selection: Selection::all(),
            want: self.want,
            ..ScanOptions::default()
        };
        let tasks = (0..threads.max(1)).map(|_| RecordTask::default()).collect();
        let mut has_doubtful_names = false;
        let (database, input) = match input {
            OpenInput::Database(database) => (Some(database), None),
            other => (None, Some(other)),
        };
        let database = database.as_deref();
        if let Some(database) = database {
            let info = database.info();
            self.repaired.problems.clone_from(&info.problems);
            self.repaired.lost += u64::from(info.missing);
            has_doubtful_names = info.has_doubtful_names;
        }
        let mut compared = match database.filter(|database| database.info().problems.is_empty()) {
            Some(database) => self.compare(reporter, database.len(), options, reports)?,
            None => BTreeMap::new(),
        };
        let reads_moves = self.want.has(Want::MAINLINE);
        let mut of_comparison = 0;
        let mut take = |base: Base, recorded: &mut Recorded| {
            let mut reasons = pending.take();
            for (number, game) in recorded.iter() {
                let number_in_input = base.game(number);
                let found = compared.remove(&number_in_input).unwrap_or_default();
                // What reading the record finds is more exact.
                if !reasons.iter().any(|(other, _)| *other == number_in_input) {
                    for problem in found {
                        of_comparison += 1;
                        let reported = reports.borrow_mut().problem(item, &problem);
                        reported.map_err(Error::in_output)?;
                        reasons.push((
                            number_in_input,
                            Reason {
                                at: problem.error.location().clone(),
                                text: problem.error.kind().to_string(),
                                is_common: false,
                            },
                        ));
                    }
                }
                if game.head.kind != RecordKind::Game {
                    continue;
                }
                let number = base.game(number);
                // Other reasons are more exact.
                if reasons.iter().any(|(other, _)| *other == number) {
                    continue;
                }
                let mut doubt = |text: String, is_common| {
                    let reason = Reason {
                        at: Location::default(),
                        text,
                        is_common,
                    };
                    reasons.push((number, reason));
                };
                if has_doubtful_names {
                    doubt(IN_DOUBT.to_owned(), true);
                }
                if reads_moves
                    && game.ply_count() == 0
                    && let Some(moves) =
                        database.and_then(|database| stated_moves(database, number))
                {
                    let text = format!("all moves are lost: the index states {moves}");
                    doubt(text, false);
                }
            }
            self.record_outcomes(base, recorded, reasons, &mut |record| {
                let mut reports = reports.borrow_mut();
                reports
                    .record_outcome(item, record)
                    .map_err(Error::in_output)
            })?;
            Ok(true)
        };
        if let Some(input) = input {
            return scan(reporter, input, &plan, tasks, &mut take);
        }
        if let Some(database) = database {
            scan_database(reporter, database, &plan, tasks, &mut take)?;
            reporter.summary.problems += of_comparison;
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
        }
        Ok(())
    }

    /// What a check finds in a set in which the repair has found nothing: the problems of records. Those of the set as
    /// a whole are reported.
    fn compare(
        &mut self,
        reporter: &mut ScanReporter<'_>,
        records: u32,
        options: &RepairOptions,
        reports: &RefCell<&mut dyn RepairObserver>,
    ) -> Result<BTreeMap<GameIndex, Vec<Problem>>, Error> {
        let mut of_records: BTreeMap<GameIndex, Vec<Problem>> = BTreeMap::new();
        let bytes = reporter.item.bytes().unwrap_or_default();
        let problems = reporter
            .progress
            .during_phase(ProgressPhase::Comparing, bytes, || {
                problems_of_comparison(reporter.item, &options.open, records)
            })?;
        for problem in problems {
            if let Some(game) = problem.error.location().game {
                of_records.entry(game).or_default().push(problem);
                continue;
            }
            if matches!(problem.error.kind(), ErrorKind::OutOfDate(_)) {
                let reported = reports
                    .borrow_mut()
                    .out_of_date(reporter.item, &problem.error);
                reported.map_err(Error::in_output)?;
                continue;
            }
            reporter.summary.problems += 1;
            let reported = reports.borrow_mut().problem(reporter.item, &problem);
            reported.map_err(Error::in_output)?;
            self.repaired
                .problems
                .push(problem.error.kind().to_string());
        }
        Ok(of_records)
    }

    /// Writes the records of one piece of work and reports their outcomes, and those of records that only
    /// problems mention.
    fn record_outcomes(
        &mut self,
        base: Base,
        recorded: &Recorded,
        mut reasons_by_game: Vec<(GameIndex, Reason)>,
        on_outcome: OnOutcome<'_>,
    ) -> Result<(), Error> {
        reasons_by_game.sort_by_key(|(game, _)| *game);
        let mut reasons_by_game = reasons_by_game.into_iter().peekable();
        let mut reasons = Vec::new();
        for (number, game) in recorded.iter() {
            let number = base.game(number);
            while let Some(missing) = reasons_by_game.peek().map(|(game, _)| *game)
                && missing < number
            {
                take_reasons(missing, &mut reasons_by_game, &mut reasons);
                self.lose(missing, &reasons, on_outcome)?;
            }
            take_reasons(number, &mut reasons_by_game, &mut reasons);
            self.repaired.has_content |= has_content(game, &reasons);
            self.repaired.plausible_headers += u64::from(is_plausible_header(game));
            let mut saved_as = Some(GameIndex(self.saved));
            match self.sink.append(game) {
                Ok(losses) => {
                    if losses.count(Feature::GuidingTexts) > 0 {
                        saved_as = None;
                    }
                    if !losses.is_empty() {
                        if reasons.is_empty() {
                            reasons.push(reason_of(&losses));
                        }
                        self.losses.push((number, losses));
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
                    return Err(error.in_output());
                }
                Err(error) => {
                    reasons.push(Reason {
                        at: error.location().clone(),
                        text: format!("the target refuses it: {}", error.kind()),
                        is_common: false,
                    });
                    self.lose(number, &reasons, on_outcome)?;
                    continue;
                }
            }
            self.saved += u32::from(saved_as.is_some());
            if reasons.is_empty() {
                self.repaired.whole += 1;
                continue;
            }
            self.repaired.damaged += 1;
            self.repaired.lost_parts.add(game, &reasons);
            on_outcome(&RecordOutcome {
                game: number,
                outcome: RepairOutcome::Damaged,
                saved_as,
                reasons: &reasons,
            })?;
        }
        while let Some(missing) = reasons_by_game.peek().map(|(game, _)| *game) {
            take_reasons(missing, &mut reasons_by_game, &mut reasons);
            self.lose(missing, &reasons, on_outcome)?;
        }
        Ok(())
    }

    fn lose(
        &mut self,
        game: GameIndex,
        reasons: &[Reason],
        on_outcome: OnOutcome<'_>,
    ) -> Result<(), Error> {
        self.repaired.lost += 1;
        on_outcome(&RecordOutcome {
            game,
            outcome: RepairOutcome::Lost,
            saved_as: None,
            reasons,
        })
    }
}

/// The moves that the index of a database states for a game, if it states some.
fn stated_moves(database: &dyn Database, game: GameIndex) -> Option<String> {
    let entry = database.entry(game).ok()?;
    match (entry.ply_count, entry.move_count) {
        (Some(plies @ 1..), _) => Some(counted(plies, "ply", "plies")),
        (None, Some(moves @ 1..)) => Some(counted(moves, "move", "moves")),
        _ => None,
    }
}

/// Why a record is not whole of which the target cannot hold all.
fn reason_of(losses: &Losses) -> Reason {
    let parts = losses.iter().map(|(feature, _)| feature.label());
    let parts: Vec<_> = parts.collect();
    Reason {
        at: Location::default(),
        text: format!("{NOT_IN_TARGET}{}", parts.join(", ")),
        is_common: false,
    }
}

/// Moves the reasons of one game to `reasons`.
fn take_reasons(
    game: GameIndex,
    reasons_by_game: &mut std::iter::Peekable<std::vec::IntoIter<(GameIndex, Reason)>>,
    reasons: &mut Vec<Reason>,
) {
    reasons.clear();
    while let Some((_, reason)) = reasons_by_game.next_if(|(number, _)| *number == game) {
        reasons.push(reason);
    }
}
