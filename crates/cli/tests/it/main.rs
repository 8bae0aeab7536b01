//! Runs the program as a user would. One verb or behaviour per file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod absent_games;
mod append_to_text;
mod appended_again;
mod archives;
mod book_edits;
mod book_json;
mod book_keys;
mod book_links;
mod book_losses;
mod book_merges;
mod book_peers;
mod book_records;
mod book_repeats;
mod book_scripts;
mod book_sides;
mod books;
mod bughouse;
mod check_and_repair_agree;
mod check_reports_damage;
mod closed_pipe;
mod common;
mod compression;
mod concurrent_writers;
mod converted_moves;
mod damaged_archives;
mod damaged_books;
mod damaged_inputs;
mod database_peers;
mod dedupe_and_eco;
mod edit;
mod exit_codes;
mod exports;
mod files_of_other_databases;
mod folders;
mod formats_and_help;
mod game_selection;
mod hints;
mod hints_that_hold;
mod index;
mod info;
mod input_paths;
mod inputs_cut_while_read;
mod inserted_and_lost_bytes;
mod interrupted;
mod killed_while_converting;
mod killed_while_indexing;
mod killed_while_replacing;
mod languages;
mod live_streams;
mod ls_rows;
mod names_and_novelty;
mod one_problem_per_cause;
mod options_of_inputs;
mod output_character_sets;
mod output_errors;
mod outputs_that_are_inputs;
mod pgn_output;
mod positions_of_games;
mod repair;
mod repair_account;
mod repair_all;
mod replacement_journals;
mod report_files;
mod reported_losses;
mod salvage;
mod scidb_archives;
#[cfg(unix)]
mod screens;
mod search;
#[cfg(all(feature = "serve", unix))]
mod serve;
mod sets_in_capital_letters;
mod shard;
mod show;
mod special_outputs;
mod split_outputs;
mod standard_streams;
mod stats;
mod strict;
mod terminal_escapes;
mod thread_independence;
mod tree;
mod writing_verbs;
mod zeroed_files;
