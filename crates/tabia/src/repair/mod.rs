//! Saves what survives of a damaged database into a new one, and accounts for every game.
//!
//! The format does the finding: it is opened with [`OpenOptions::salvage`]. What is here reads
//! every record that it names, writes those that are left, and judges each.

mod find_remains;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Location;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::games::Written;
use tabia_core::io::Progress;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{ErrorKind, GameFormat, GameIndex, Problem, Result as CoreResult};
use tabia_formats::archives::compressed::Compression;

use crate::create::DatabaseWriter;
use crate::error::Failure;
use crate::input::{InputItem, OpenInput};
use crate::output::{RecordTask, Recorded};
use crate::scan::{ScanOptions, ScanReporter, scan, scan_database};
use crate::select::{Selection, SelectionCounts};
use crate::summary::{Base, Observer, Summary};

pub use find_remains::{is_part_of, remains};

/// How to repair.
#[derive(Debug, Clone, Default)]
pub struct RepairOptions {
    /// How the input is opened; `salvage` is set whatever it says.
    pub open: OpenOptions,
    /// How the target is created; title and facts are those of the input.
    pub create: CreateOptions,
    /// Threads that read.
    pub threads: usize,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairOutcome {
    /// All of it was read.
    Whole,
    /// Some of it was lost in the input.
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
pub struct Reason {
    /// File, offset, ply, as far as they are known.
    pub at: Location,
    /// What is wrong there, for people.
    pub text: String,
}

/// The account of one record.
#[derive(Debug)]
pub struct RecordOutcome<'a> {
    /// The record, by its number in the input.
    pub game: GameIndex,
    /// What became of it.
    pub fate: RepairOutcome,
    /// Its number in the target; `None` also for texts where the target holds games only.
    pub saved_as: Option<GameIndex>,
    /// What was lost of it; empty when it is whole.
    pub reasons: &'a [Reason],
}

/// Is told what became of every record that is not whole, in order of the input.
pub trait RepairObserver: Observer {
    /// A record is damaged or lost.
    fn judged(&mut self, item: &InputItem, verdict: &RecordOutcome<'_>) -> CoreResult<()> {
        let _ = (item, verdict);
        Ok(())
    }
}

impl RepairObserver for crate::NoObserver {}

/// What a repair has done.
#[derive(Debug, Clone, Default)]
pub struct Repaired {
    /// Records read, problems, and what the target could not hold.
    pub ledger: Summary,
    /// Records of which nothing was lost.
    pub whole: u64,
    /// Records of which a part was lost.
    pub damaged: u64,
    /// Records of which nothing is left.
    pub lost: u64,
    /// What was wrong with the set as a whole.
    pub faults: Vec<String>,
    /// The new files.
    pub written: Written,
}

/// Reads all that is left of an item, deleted records and texts too, and writes it into a new
/// database or text file.
///
/// # Errors
/// When nothing of the input can be opened, or the target cannot be written.
pub fn repair(
    item: &InputItem,
    format: &'static GameFormat,
    path: &Path,
    options: &RepairOptions,
    progress: &Arc<Progress>,
    audit: &mut dyn RepairObserver,
) -> Result<Repaired, Failure> {
    progress.set_total(item.bytes().unwrap_or_default());
    let mut open = options.open.clone();
    open.salvage = true;
    let mut opened = item.open(&open, Some(progress)).map_err(Failure::input)?;
    let mut ledger = Summary::default();
    let audit = RefCell::new(audit);
    let pending = RefCell::new(Vec::new());
    let mut listener = ProblemCollector {
        audit: &audit,
        pending: &pending,
    };
    let mut desk = ScanReporter {
        item,
        ledger: &mut ledger,
        watch: &mut listener,
        progress,
    };
    for error in std::mem::take(&mut opened.problems) {
        desk.problem(error.into(), false)?;
    }
    let (input, late) = opened.into_parts();
    let mut create = options.create.clone();
    let mut faults = Vec::new();
    if let OpenInput::Database(database) = &input {
        let info = database.info();
        create.title.clone_from(&info.title);
        create.facts.clone_from(&info.facts);
        faults.clone_from(&info.problems);
        desk.faults_of(&**database, false)?;
    }
    let mut court = RepairCollector {
        sink: DatabaseWriter::create(format, path, Compression::None, &create)?,
        saved: 0,
        repaired: Repaired::default(),
        losses: Vec::new(),
    };
    let plan = ScanOptions {
        threads: options.threads,
        selection: Selection::all(),
        ..ScanOptions::default()
    };
    let tasks = (0..options.threads.max(1))
        .map(|_| RecordTask::default())
        .collect();
    let mut take = |base: Base, recorded: &mut Recorded| {
        let reasons = pending.take();
        court.judge(base, recorded, reasons, &mut |verdict| {
            let mut audit = audit.borrow_mut();
            audit.judged(item, verdict).map_err(Failure::output)
        })?;
        Ok(true)
    };
    match input {
        OpenInput::Database(database) => {
            scan_database(&mut desk, &*database, &plan, tasks, &mut take)?;
            if progress.is_cancelled() {
                return Err(Failure::Cancelled);
            }
        }
        other => scan(&mut desk, other, &plan, tasks, &mut take)?,
    }
    for error in late.take() {
        desk.problem(error.in_file(item.label()).into(), false)?;
    }
    let RepairCollector {
        sink,
        mut repaired,
        losses,
        ..
    } = court;
    for (game, losses) in losses {
        ledger.losses.add(&item.name(), game, &losses);
        let mut audit = audit.borrow_mut();
        audit.losses(item, game, &losses).map_err(Failure::output)?;
    }
    repaired.written = sink.finish()?;
    repaired.faults = faults;
    let counts = ledger.counts;
    repaired.ledger = ledger;
    let mut audit = audit.borrow_mut();
    audit.finished(item, &counts).map_err(Failure::output)?;
    Ok(repaired)
}

/// Keeps what is said of records until they come by.
struct ProblemCollector<'a, 'w> {
    audit: &'a RefCell<&'w mut dyn RepairObserver>,
    pending: &'a RefCell<Vec<(GameIndex, Reason)>>,
}

impl Observer for ProblemCollector<'_, '_> {
    fn problem(&mut self, item: &InputItem, problem: &Problem) -> CoreResult<()> {
        let at = problem.error.location();
        if let Some(game) = at.game {
            let reason = Reason {
                at: at.clone(),
                text: problem.error.kind().to_string(),
            };
            self.pending.borrow_mut().push((game, reason));
        }
        self.audit.borrow_mut().problem(item, problem)
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> CoreResult<()> {
        self.audit.borrow_mut().losses(item, game, losses)
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> CoreResult<()> {
        self.audit.borrow_mut().finished(item, counts)
    }
}

/// Writes records and counts what became of them.
struct RepairCollector {
    sink: DatabaseWriter,
    saved: u32,
    repaired: Repaired,
    /// What the target could not hold.
    losses: Vec<(GameIndex, Losses)>,
}

type Told<'a> = &'a mut dyn FnMut(&RecordOutcome<'_>) -> Result<(), Failure>;

impl RepairCollector {
    /// Judges the records of one piece of work: those that are there, and those that only faults
    /// speak of.
    fn judge(
        &mut self,
        base: Base,
        recorded: &Recorded,
        mut faults: Vec<(GameIndex, Reason)>,
        told: Told<'_>,
    ) -> Result<(), Failure> {
        faults.sort_by_key(|(game, _)| *game);
        let mut faults = faults.into_iter().peekable();
        let mut reasons = Vec::new();
        for (number, game) in recorded.iter() {
            let number = base.game(number);
            while let Some(missing) = faults.peek().map(|(game, _)| *game)
                && missing < number
            {
                take_reasons(missing, &mut faults, &mut reasons);
                self.lose(missing, &reasons, told)?;
            }
            take_reasons(number, &mut faults, &mut reasons);
            let mut saved_as = Some(GameIndex(self.saved));
            match self.sink.append(game) {
                Ok(losses) => {
                    if losses.count(Feature::GuidingTexts) > 0 {
                        saved_as = None;
                    }
                    if !losses.is_empty() {
                        self.losses.push((number, losses));
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
                    return Err(Failure::output(error));
                }
                Err(error) => {
                    reasons.push(Reason {
                        at: error.location().clone(),
                        text: format!("the target refuses it: {}", error.kind()),
                    });
                    self.lose(number, &reasons, told)?;
                    continue;
                }
            }
            self.saved += u32::from(saved_as.is_some());
            if reasons.is_empty() {
                self.repaired.whole += 1;
                continue;
            }
            self.repaired.damaged += 1;
            told(&RecordOutcome {
                game: number,
                fate: RepairOutcome::Damaged,
                saved_as,
                reasons: &reasons,
            })?;
        }
        while let Some(missing) = faults.peek().map(|(game, _)| *game) {
            take_reasons(missing, &mut faults, &mut reasons);
            self.lose(missing, &reasons, told)?;
        }
        Ok(())
    }

    fn lose(&mut self, game: GameIndex, reasons: &[Reason], told: Told<'_>) -> Result<(), Failure> {
        self.repaired.lost += 1;
        told(&RecordOutcome {
            game,
            fate: RepairOutcome::Lost,
            saved_as: None,
            reasons,
        })
    }
}

/// Takes what is said of one game.
fn take_reasons(
    game: GameIndex,
    faults: &mut std::iter::Peekable<std::vec::IntoIter<(GameIndex, Reason)>>,
    reasons: &mut Vec<Reason>,
) {
    reasons.clear();
    while let Some((_, reason)) = faults.next_if(|(number, _)| *number == game) {
        reasons.push(reason);
    }
}
