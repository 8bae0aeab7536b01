//! Databases as one: searched, explored, with or without their saved indexes.
//!
//! | module | holds |
//! |---|---|
//! | `saved_index` | the index file of a database |
//! | `stamp` | whether the files of a database are unchanged |

mod saved_index;
mod stamp;

pub use saved_index::{
    BuiltIndex, IndexChange, IndexOptions, SavedIndex, build_index, check_index, drop_index,
    index_path, open_index,
};
pub use tabia_index::{PositionIndex, Unusable};
