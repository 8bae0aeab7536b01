//! [`Observer`], which receives problems and losses in the order of the input.

use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex, Problem, Result};

use crate::input::InputItem;
use crate::select::SelectionCounts;

/// Receives every problem and loss in the order of the input, whatever the number of threads. Its
/// errors end the job.
pub trait Observer {
    /// Something could not be read.
    fn problem(&mut self, item: &InputItem, problem: &Problem) -> Result<()> {
        let _ = (item, problem);
        Ok(())
    }

    /// A number of the files that programs compute anew does not fit them ([`ErrorKind::OutOfDate`]): no problem of
    /// what is stored.
    ///
    /// [`ErrorKind::OutOfDate`]: crate::ErrorKind::OutOfDate
    fn out_of_date(&mut self, item: &InputItem, number: &Error) -> Result<()> {
        let _ = (item, number);
        Ok(())
    }

    /// A record lacks something that its file does not have. All such problems of one file have one cause,
    /// and are reported as one [`problem`](Self::problem) after the input was read, with the number
    /// of records; `is_first` distinguishes the first of them. `true` if this observer has reported it
    /// itself: the cause is not reported again.
    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        is_first: bool,
    ) -> Result<bool> {
        let _ = (item, problem, is_first);
        Ok(false)
    }

    /// The target cannot hold this of a game.
    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
        let _ = (item, game, losses);
        Ok(())
    }

    /// A saved index of an input is not used, for the reason given.
    fn index_unused(&mut self, item: &InputItem, why: &str) -> Result<()> {
        let _ = (item, why);
        Ok(())
    }

    /// An input is done.
    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<()> {
        let _ = (item, counts);
        Ok(())
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
