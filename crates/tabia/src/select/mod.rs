//! Which records, and what of them.

mod positions_of_games;
mod record_selection;
mod select_visitor;
mod shard;

pub use positions_of_games::PositionChoice;
pub(crate) use positions_of_games::PositionVisitor;
pub use record_selection::{LeaveOut, RecordRanges, Selection, SelectionCounts};
pub(crate) use select_visitor::{SelectVisitor, TakeMoments};
pub use shard::Shard;
