//! Reports: the problems and losses of a job.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabia_rust::{Error, Feature, GameIndex, InputItem, Losses, Observer, Problem, Summary};

use crate::error::tabia_error;
use crate::text;

/// Problems that a report has, at most; more are counted.
const MAX_PROBLEMS: usize = 100_000;

/// The problems and losses of a job. It is filled while the job runs, also by its own threads, and may be read meanwhile.
#[expect(non_camel_case_types, reason = "the name in C")]
pub struct tabia_report(Reported);

/// What the target of a job cannot hold.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tabia_loss {
    /// What is lost, as `convert --report` names it: `comments`.
    pub kind: *const c_char,
    /// The same in words.
    pub label: *const c_char,
    /// Number of items.
    pub count: u64,
    /// Number of games that lose some.
    pub games: u64,
    /// The first of these games, from 1; 0 if it is none of a game.
    pub first_game: u64,
}

/// A kind of loss.
struct Loss {
    kind: CString,
    label: CString,
    count: u64,
    games: u64,
    first: Option<GameIndex>,
}

#[derive(Default)]
struct Found {
    #[expect(clippy::vec_box, reason = "what is handed out stays where it is")]
    problems: Vec<Box<tabia_error>>,
    problem_count: u64,
    losses: BTreeMap<Feature, Box<Loss>>,
}

/// What was found, for the thread that finds more.
#[derive(Clone, Default)]
pub(crate) struct Reported(Arc<Mutex<Found>>);

impl tabia_report {
    pub(crate) fn reported(&self) -> Reported {
        self.0.clone()
    }
}

impl Reported {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add_problem(&self, error: Error) {
        let mut found = self.found();
        found.problem_count = found.problem_count.saturating_add(1);
        if found.problems.len() < MAX_PROBLEMS {
            found.problems.push(Box::new(error.into()));
        }
    }

    fn add_loss(&self, feature: Feature, count: u64, games: u64, first: Option<GameIndex>) {
        let mut found = self.found();
        let loss = found.losses.entry(feature).or_insert_with(|| {
            Box::new(Loss {
                kind: text::write(&feature.key()),
                label: text::write(feature.label()),
                count: 0,
                games: 0,
                first,
            })
        });
        loss.count = loss.count.saturating_add(count);
        loss.games = loss.games.saturating_add(games);
    }

    /// Adds the losses of a finished job.
    pub(crate) fn add_losses(&self, summary: &Summary) {
        for (feature, loss) in summary.losses.iter() {
            self.add_loss(feature, loss.count, loss.games, loss.first);
        }
    }
}

/// Notes the problems of a job.
pub(crate) struct NoteProblems(pub(crate) Reported);

impl Observer for NoteProblems {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.add_problem(problem.error.clone());
        Ok(())
    }
}

/// Notes the problems of a job and the losses of each game, of which there is no sum at the end.
pub(crate) struct NoteAll(pub(crate) Reported);

impl Observer for NoteAll {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.add_problem(problem.error.clone());
        Ok(())
    }

    fn losses(&mut self, _item: &InputItem, game: GameIndex, losses: &Losses) -> Result<(), Error> {
        for (feature, loss) in losses.iter() {
            self.0.add_loss(feature, loss.count, 1, Some(game));
        }
        Ok(())
    }
}

/// A report without problems and losses, which `tabia_report_free` frees.
#[unsafe(no_mangle)]
pub extern "C" fn tabia_report_new() -> *mut tabia_report {
    Box::into_raw(Box::new(tabia_report(Reported::default())))
}

/// Number of problems; 0 for NULL.
///
/// # Safety
/// `report` comes from `tabia_report_new` and is not freed, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_report_problem_count(report: *const tabia_report) -> u64 {
    // SAFETY: the caller vouches for it.
    let report = unsafe { report.as_ref() };
    report.map_or(0, |report| report.0.found().problem_count)
}

/// A problem, counted from 0, which lives as long as the report; NULL if there is none, as after the first
/// hundred thousand, and for NULL.
///
/// # Safety
/// As [`tabia_report_problem_count`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_report_problem(
    report: *const tabia_report,
    index: u64,
) -> *const tabia_error {
    // SAFETY: the caller vouches for it.
    let report = unsafe { report.as_ref() };
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    report.map_or(ptr::null(), |report| {
        let found = report.0.found();
        let problem = found.problems.get(index);
        problem.map_or(ptr::null(), |problem| ptr::from_ref(&**problem))
    })
}

/// Number of kinds of losses; 0 for NULL.
///
/// # Safety
/// As [`tabia_report_problem_count`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_report_loss_count(report: *const tabia_report) -> u64 {
    // SAFETY: the caller vouches for it.
    let report = unsafe { report.as_ref() };
    report.map_or(0, |report| report.0.found().losses.len() as u64)
}

/// Stores a kind of loss, counted from 0; its texts live as long as the report. False if there is none, and for NULL.
///
/// # Safety
/// As [`tabia_report_problem_count`]; `loss` can be written to or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_report_loss(
    report: *const tabia_report,
    index: u64,
    loss: *mut tabia_loss,
) -> bool {
    // SAFETY: the caller vouches for it.
    let report = unsafe { report.as_ref() };
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    let stored = report.and_then(|report| {
        let found = report.0.found();
        let loss = found.losses.values().nth(index)?;
        Some(tabia_loss {
            kind: loss.kind.as_ptr(),
            label: loss.label.as_ptr(),
            count: loss.count,
            games: loss.games,
            first_game: loss.first.map_or(0, |game| u64::from(game.0) + 1),
        })
    });
    if let Some(stored) = stored
        && !loss.is_null()
    {
        // SAFETY: the caller vouches for it.
        unsafe { *loss = stored };
        return true;
    }
    false
}

/// Frees a report; NULL is ignored. A stream that fills it may still be read.
///
/// # Safety
/// As [`tabia_report_problem_count`]; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_report_free(report: *mut tabia_report) {
    if !report.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller does not use it again.
        drop(unsafe { Box::from_raw(report) });
    }
}
