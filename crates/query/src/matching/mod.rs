//! Tests games against a query: by the columns of an index first, then by tags, then by moves and
//! annotations, and no further than needed.
//!
//! | module | holds |
//! |---|---|
//! | `answer`, `evaluate_alternatives` | three-valued answers, and the answer of a query from those of its terms |
//! | `matcher` | the state of a thread, and the game being read |
//! | `by_entry`, `by_head`, `by_moves` | what each stage decides |
//! | `by_facts` | queries that ratings, date and result decide |
//! | `moments` | the positions that fit, steps and groups |
//! | `rating_filter`, `player_filter` | terms on ratings and players, tested for many records at once |

mod answer;
mod by_entry;
mod by_facts;
mod by_head;
mod by_moves;
mod evaluate_alternatives;
mod matcher;
mod moments;
mod player_filter;
mod rating_filter;
mod worth_looking_at;

pub use answer::Answer;
pub use by_facts::FactsMatcher;
pub use matcher::Matcher;
pub use moments::FoundMoment;
