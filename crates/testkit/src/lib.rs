//! Helpers of the workspace's tests. Never part of what ships.
//!
//! | module | holds |
//! |---|---|
//! | [`arbitrary`] | games with everything the model can hold, made from a number |
//! | [`shared`](mod@shared) | finds the folder of real data, or says that a test was skipped |
//! | [`tiny`] | small games and databases in memory |
//! | [`dump`] | a stable text form of games, for expected files and for comparing |
//! | [`corrupt`] | damaged copies of files: cut short, changed byte by byte, changed at random |
//! | [`fuzz`] | what the fuzz targets do with their input |
//! | [`guard`] | bounds on the time and memory of a test |
//! | [`rich`] | games with odd heads and remarks, made from a number |
//! | [`sample`] | the games of the sample database |
//! | [`scratch`] | folders that go away with the test |
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "helpers of tests fail by panicking and read the environment"
)]

pub mod arbitrary;
pub mod corrupt;
pub mod dump;
pub mod fuzz;
pub mod guard;
pub mod rich;
pub mod sample;
pub mod scratch;
pub mod shared;
pub mod skipped;
pub mod tiny;

pub use scratch::Scratch;
pub use shared::{shared, shared_data, skip};
pub use skipped::skip_without_peer;
