//! Features of games and books that a format can hold, and counts of what a conversion loses.

mod feature;
mod losses;

pub use feature::{Feature, Features};
pub use losses::{LossCount, Losses};
