//! Runs the program as a user would. One behaviour a file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod archives;
mod atomic_output;
mod book_json;
mod book_peers;
mod books;
mod bughouse;
mod check_tells_damage;
mod closed_pipe;
mod common;
mod compressed;
mod converts_the_sample;
mod edits;
mod exit_codes;
mod formats_and_help;
mod info_says_what_it_is;
mod interrupted;
mod killed;
mod losses_are_told;
mod ls_rows;
mod names_inputs;
mod outputs_fail;
mod peers_agree;
mod repairs;
mod reports;
mod scidb_archives;
mod selects_games;
mod shows_a_game;
mod streams;
mod terminal_escapes;
mod threads_do_not_show;
