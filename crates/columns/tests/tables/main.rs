//! Tables of games: cells, files, threads.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod book_rows;
mod common;
mod games;
mod output_files;
mod positions;
mod reading;
mod round_trips;
mod streams;
