//! Databases as one: searched, explored, with or without their saved indexes.
//!
//! | module | holds |
//! |---|---|
//! | `several_databases` | [`Base`]: select, search, explore |
//! | `tree` | what is found of a position |
//! | `explore_scan`, `tree_counts` | counting games by reading them, and what is counted |
//! | `candidates` | the games that may fit a query |
//! | `game_set` | sets of games |
//! | `novelties` | where games leave what was played before |
//! | `saved_index` | the index file of a database |
//! | `index_stamp` | whether the files of a database are unchanged |

mod candidates;
mod explore_scan;
mod game_set;
mod index_stamp;
mod novelties;
mod saved_index;
mod several_databases;
mod tree;
mod tree_counts;

pub use candidates::Index;
pub(crate) use candidates::candidates;
pub use game_set::GameSet;
pub use novelties::{NewPosition, Novelty, NoveltyOptions};
pub use saved_index::{
    BuiltIndex, IndexChange, IndexOptions, SavedIndex, build_index, check_index, drop_index,
    index_path, open_index,
};
pub use several_databases::{Base, BaseOptions, Hit, Hits, SearchOptions, SelectedGames};
pub use tabia_index::{PositionIndex, Unusable};
pub use tree::{Tree, TreeGame, TreeMove, TreeOptions};
