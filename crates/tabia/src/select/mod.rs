//! Which records, and what of them.

mod record_selection;
mod select_visitor;
mod shard;

pub use record_selection::{LeaveOut, RecordRanges, Selection, SelectionCounts};
pub(crate) use select_visitor::{SelectVisitor, TakeMoments};
pub use shard::Shard;
