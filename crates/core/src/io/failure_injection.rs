//! For tests: lets what [`OutputSet`](super::OutputSet) asks of the system fail at a chosen step.
//!
//! Steps are creating, writing, syncing, and naming files, counted on the calling thread. Without a
//! trial a step is one look at a thread's own number.

use std::cell::Cell;
use std::io;

/// What happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureMode {
    /// It fails, and all others succeed: a full disk, a lost permission.
    Fails,
    /// It and all that follow fail: what a killed process does not do any more.
    Stops,
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    fault: FailureMode,
    at: u64,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// A trial on this thread, as long as it lives.
#[derive(Debug)]
pub struct FailureInjection(());

impl FailureInjection {
    /// Step number `at`, from 0, has the fault; counting begins anew.
    pub fn start(fault: FailureMode, at: u64) -> Self {
        PLAN.set(Some(Plan { fault, at }));
        STEPS.set(0);
        Self(())
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        STEPS.get()
    }
}

impl Drop for FailureInjection {
    fn drop(&mut self) {
        PLAN.set(None);
    }
}

/// One step.
pub(super) fn step() -> io::Result<()> {
    let Some(plan) = PLAN.get() else {
        return Ok(());
    };
    let number = STEPS.get();
    STEPS.set(number + 1);
    let fails = match plan.fault {
        FailureMode::Fails => number == plan.at,
        FailureMode::Stops => number >= plan.at,
    };
    if fails {
        return Err(io::ErrorKind::StorageFull.into());
    }
    Ok(())
}
