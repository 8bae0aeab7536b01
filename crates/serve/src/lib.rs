//! The server of `tabia serve`: a page over databases and books, and its API, for browsers and programs of the
//! same machine.
//!
//! [`Shelf`] holds the inputs under ids, [`Server`] answers requests about them. Nothing is written to the
//! inputs, and no request names a path; new files are written into one folder, if the server has one.
//!
//! | module | contains |
//! |---|---|
//! | `inputs_by_id`, `numbered_inputs` | the inputs under ids, and how they get these |
//! | `shelf_input`, `opened_input` | one input, opened at first use and closed when it is idle or changed; an open one |
//! | `filter_and_sort` | the rows of a list: filtered and sorted record numbers |
//! | `rows` | rows as JSON |
//! | `indexed_databases` | databases with their saved indexes |
//! | `explore` | moves of a position in books and databases |
//! | `names_by_frequency`, `player_games` | names by frequency, and what one player played |
//! | `search_duplicates_and_previews` | searches of positions, duplicates, previews of conversions, pages of books |
//! | `decided_duplicates` | duplicates about which the reader has decided: the merged game, a new database |
//! | `renamed_spellings` | spellings of names that the reader has chosen: a preview, a new database |
//! | `read_record`, `stored_record` | one record as it is read, and as it is stored |
//! | `tried_writes` | one game in another format, and what a repair would save |
//! | `spellings_and_charsets` | names in several spellings, and as other character sets show them |
//! | `lichess` | answers in the shape of Lichess' opening explorer |
//! | `lichess_paths`, `lichess_answer_cache` | its paths, and the answers that are kept |
//! | `input_health` | checks that run while the page shows what they found so far |
//! | `jobs` | work in threads that ends when it is no longer asked for |
//! | `started_jobs`, `job_requests` | jobs that run until they are done, and the requests that start, follow and end them |
//! | `out_folder`, `write_requests` | the folder for new files, and the requests that write them |
//! | `app_state` | what all requests work with |
//! | `api` | the routes of the requests |
//! | `shelf_requests`, `list_requests`, `game_requests`, `explorer_requests` | requests for inputs, lists, games, positions |
//! | `report_requests`, `answers` | requests whose answers take time, and what all answers are made with |
//! | `search_tree_and_stats` | requests that answer as `tabia search`, `tree` and `stats` do |
//! | `etag` | answers that the client already has |
//! | `dropped_files` | files that are dropped on the page |
//! | `private_folder` | folders of temporary files that are removed even if the server is killed |
//! | `stream` | answers that are sent in parts |
//! | `problem`, `problem_codes` | answers that are errors, and the codes by which the page states them in its language |
//! | `guard` | which requests are answered at all |
//! | `fuzzing` | with the feature of that name: the body of a fuzz target |
//! | `assets` | the files of the page |
//! | `connections` | accepting and limiting connections |
#![warn(missing_docs)]

mod answer_schemas;
mod answers;
mod api;
mod app_state;
mod assets;
mod connections;
mod decided_duplicates;
mod dropped_files;
mod etag;
mod explore;
mod explorer_requests;
mod filter_and_sort;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod game_requests;
mod guard;
mod indexed_databases;
mod input_health;
mod inputs_by_id;
mod job_requests;
mod jobs;
mod known_texts;
mod lichess;
mod lichess_answer_cache;
mod lichess_paths;
mod list_requests;
mod names_by_frequency;
mod numbered_inputs;
mod openapi;
mod opened_input;
mod opening_inputs;
mod out_folder;
mod params;
mod player_games;
mod player_score;
mod player_tree;
mod private_folder;
mod problem;
mod problem_codes;
mod read_record;
mod renamed_spellings;
mod report_requests;
mod rows;
mod search_duplicates_and_previews;
mod search_tree_and_stats;
mod server;
mod shelf_input;
mod shelf_requests;
mod speeds;
mod spellings_and_charsets;
mod stable_ids;
mod started_jobs;
mod stored_record;
mod stream;
mod tried_writes;
mod unlikely_values;
mod watched_folders;
mod write_requests;

pub use app_state::GameDocument;
pub use connections::StopHandle;
pub use guard::Key;
pub use inputs_by_id::{CountedGames, Shelf, ShelfCounts, UncountedGames};
pub use private_folder::remove_abandoned_files;
pub use server::{Server, ServerOptions};
