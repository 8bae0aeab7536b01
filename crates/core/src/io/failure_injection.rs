//! For tests: makes the n-th file-system call of a thread fail.
//!
//! Calls of an [`OutputSet`](super::OutputSet) that create, write, sync, name or remove files are
//! steps, counted per thread. Calls that open, read or list inputs are counted separately. Without a
//! running [`FailureInjection`] a step costs one read of a thread-local variable.

use std::cell::Cell;
use std::io;

/// Which steps fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureMode {
    /// The chosen step fails and all others succeed, as with a full disk or a missing permission.
    Fails,
    /// The chosen step and all later ones fail, as after the process was killed.
    Stops,
    /// Steps are the calls that open, read or list inputs; the chosen one fails as on a bad disk.
    InputFails,
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    mode: FailureMode,
    at: u64,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Makes steps of this thread fail until it is dropped.
#[derive(Debug)]
pub struct FailureInjection(());

impl FailureInjection {
    /// Starts counting at 0; the step with number `at` fails as `mode` states.
    pub fn start(mode: FailureMode, at: u64) -> Self {
        PLAN.set(Some(Plan { mode, at }));
        STEPS.set(0);
        Self(())
    }

    /// Number of steps since the start.
    pub fn steps(&self) -> u64 {
        STEPS.get()
    }
}

impl Drop for FailureInjection {
    fn drop(&mut self) {
        PLAN.set(None);
    }
}

/// Counts a step that changes files; an error if it has to fail.
pub(super) fn step() -> io::Result<()> {
    count(false, || io::ErrorKind::StorageFull.into())
}

/// Counts a step that reads files; an error if it has to fail.
pub(super) fn input_step() -> io::Result<()> {
    /// The number of the error of a bad disk on Unix.
    const EIO: i32 = 5;
    count(true, || io::Error::from_raw_os_error(EIO))
}

fn count(is_input: bool, error: impl FnOnce() -> io::Error) -> io::Result<()> {
    let Some(plan) = PLAN.get() else {
        return Ok(());
    };
    if is_input != (plan.mode == FailureMode::InputFails) {
        return Ok(());
    }
    let number = STEPS.get();
    STEPS.set(number + 1);
    let fails = match plan.mode {
        FailureMode::Fails | FailureMode::InputFails => number == plan.at,
        FailureMode::Stops => number >= plan.at,
    };
    if fails { Err(error()) } else { Ok(()) }
}
