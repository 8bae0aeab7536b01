//! [`Converted`]: the outcome of a conversion to games or to tables.

use tabia::LossTable;

use crate::exit_code::ExitCode;

/// What a conversion has done.
pub(crate) struct Converted {
    pub(crate) code: ExitCode,
    /// Games and guiding texts.
    pub(crate) games: u64,
    /// What the output does not hold.
    pub(crate) losses: LossTable,
}
