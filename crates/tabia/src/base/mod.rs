//! Databases as one: searched, explored, with or without their saved indexes.
//!
//! | module | holds |
//! |---|---|
//! | `open_databases` | [`Base`]: the databases |
//! | `selected_games`, `selection_cache` | their games that fit a query, kept for the next time |
//! | `search_hits` | the games that fit a query |
//! | `load_game` | one of the games, whole |
//! | `explore_position` | the games that reached a position |
//! | `tree` | what is found of a position |
//! | `explore_scan`, `tree_counts` | counting games by reading them, and what is counted |
//! | `index_policy` | whether the index of a database is used |
//! | `candidates` | the games that may fit a query |
//! | `found_positions` | where positions were found in an index, kept for the next time |
//! | `game_set` | sets of games |
//! | `row_sums` | sums over games of an index, kept for blocks of them |
//! | `group_games` | statistics of games in groups |
//! | `novelties` | where games leave what was played before |
//! | `saved_index` | the index file of a database |
//! | `end_mark` | how far a database was read for its index |
//! | `index_stamp` | whether the files of a database are unchanged |

mod candidates;
mod candidates_of_databases;
mod counted_games;
mod end_mark;
mod explore_position;
mod explore_scan;
mod found_positions;
mod game_set;
mod group_games;
mod index_policy;
mod index_stamp;
mod load_game;
mod novelties;
mod open_databases;
mod row_sums;
mod saved_index;
mod search_hits;
mod selected_games;
mod selection_cache;
mod tree;
mod tree_counts;

pub(crate) use candidates::{Candidates, IndexQuestion, candidates, restrict_by_index};
pub use candidates::{IndexUse, index_use};
pub use game_set::GameSet;
pub use index_policy::Index;
pub(crate) use index_stamp::{Stamp, time_of_change};
pub use novelties::{NewPosition, Novelty, NoveltyOptions};
pub use open_databases::{Base, BaseOptions};
pub use saved_index::{
    BuiltIndex, IndexChange, IndexOptions, SavedIndex, build_index, check_index, drop_index,
    index_path, index_paths, open_index,
};
pub use search_hits::{Hit, Hits, SearchOptions};
pub use selected_games::SelectedGames;
pub use tabia_index::{Arrival, PositionIndex, Row, SectionFacts, Unusable};
pub use tree::{Tree, TreeGame, TreeMove, TreeOptions};
