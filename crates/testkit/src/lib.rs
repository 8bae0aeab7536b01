//! Helpers for the tests of the workspace; not part of any release.
//!
//! | module | contents |
//! |---|---|
//! | [`random`] | pseudo-random numbers |
//! | [`arbitrary_game`] | random games with everything that the game model can hold |
//! | [`shared_data_folder`] | finds the folder of real data, or reports that a test is skipped |
//! | [`skipped_tests`] | the log of skipped tests and their number |
//! | [`game_builder`], [`tiny`] | games from moves in SAN, and small games made with it |
//! | [`tiny_database`] | a database in memory |
//! | [`dump`] | a stable text form of games, for expected files and comparisons |
//! | [`open_and_read`] | databases opened from memory, read to the end, compared with fixtures |
//! | [`implied_times`] | times that follow from other times of a game |
//! | [`corrupt`] | damaged copies of files: truncated, changed byte by byte, changed at random |
//! | [`fuzz`] | the bodies of the fuzz targets |
//! | [`time_and_memory_limits`] | limits on the time and memory of a test |
//! | [`generated_query`] | random queries |
//! | [`games_with_unusual_tags`] | random games with unusual tags and comments |
//! | [`sample_database_games`] | the games of the sample database |
//! | [`scratch`] | temporary folders |
//!
//! Modules that use the crates under test need the feature `formats`. Without it this crate depends
//! on none of them, so that `tabia-core` can use it in its own tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "helpers for tests fail by panicking and read the environment"
)]

#[cfg(feature = "formats")]
pub mod arbitrary_game;
pub mod corrupt;
#[cfg(feature = "formats")]
pub mod dump;
#[cfg(feature = "formats")]
pub mod fuzz;
#[cfg(feature = "formats")]
pub mod game_builder;
#[cfg(feature = "formats")]
pub mod games_with_unusual_tags;
pub mod generated_query;
#[cfg(feature = "formats")]
pub mod implied_times;
#[cfg(feature = "formats")]
pub mod open_and_read;
pub mod random;
mod repository;
#[cfg(feature = "formats")]
pub mod sample_database_games;
pub mod scratch;
pub mod shared_data_folder;
pub mod skipped_tests;
pub mod time_and_memory_limits;
#[cfg(feature = "formats")]
pub mod tiny;
#[cfg(feature = "formats")]
pub mod tiny_database;

pub use random::Random;
pub use repository::repository;
pub use scratch::{Scratch, files_in};
pub use shared_data_folder::{shared, shared_data, skip};
pub use skipped_tests::skip_without_peer;
