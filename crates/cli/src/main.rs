//! The command line of tabia: chess databases and opening books.

mod absent_games;
mod archive_of_games;
mod args;
mod board;
mod closed_stdout;
mod commands;
mod context;
mod control_char_filter;
mod empty_result_hints;
mod exit_code;
mod fact_row;
mod format_arg;
mod game_json;
mod html_to_text;
mod json;
mod listing;
mod ls_columns;
mod ls_row;
mod messages;
mod misplaced_words;
mod opening_names;
mod option_examples;
mod output_conflicts;
mod pager;
mod parse_where_and_games;
mod path_text;
mod pgn_colors;
mod progress;
mod query_help;
mod readable_numbers;
mod report;
mod resolve_output_target;
mod result_bar;
mod saved_index_file;
mod similar_names;
mod spreadsheet_rows;
mod stdout;
mod table;
mod terminal;
mod typed_position;
mod typed_verb;
mod usage_errors;
mod without_tables;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::args::{Cli, Verb};
use crate::exit_code::ExitCode;
use crate::messages::Messages;
use crate::usage_errors::usage_error;

fn main() -> std::process::ExitCode {
    run().into()
}

fn run() -> ExitCode {
    tabia::core::io::handle_lost_files(ExitCode::Input as u8);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.len() < 2 {
        return commands::overview::run().unwrap_or_else(|error| ExitCode::of(&error));
    }
    if let Some(color) = args::rewrite_arguments::stated_color(&arguments) {
        terminal::set_color(color);
    }
    let arguments = args::rewrite_arguments::move_after_verb(arguments);
    let arguments = args::rewrite_arguments::without_options_of_help(arguments);
    let arguments = args::rewrite_arguments::protect_queries(arguments);
    let arguments = args::rewrite_arguments::with_names_as_printed(arguments);
    let arguments = args::rewrite_arguments::from_polyglot(arguments);
    let mut matches = args::command_without_help().try_get_matches_from(&arguments);
    if let Err(error) = &matches
        && matches!(
            error.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        )
    {
        matches = args::command().try_get_matches_from(&arguments);
    }
    let (mut cli, verb) = match matches {
        Ok(matches) => match Cli::from_arg_matches(&matches) {
            Ok(cli) => (cli, args::verb_name(&matches)),
            Err(error) => return print_clap_error(&error, &arguments),
        },
        Err(error) => return print_clap_error(&error, &arguments),
    };
    let lists_folder = match &cli.verb {
        Verb::Info(args) => args.paths.iter().any(|path| Path::new(path).is_dir()),
        _ => false,
    };
    typed_verb::set_verb(&verb, lists_folder);
    if let Some(error) = args::output_names::empty_output(&arguments) {
        Messages::for_final_error(cli.verb.common(), verb, false).error(&error);
        return ExitCode::of(&error);
    }
    if let Err(error) = args::stdin_and_globs::complete(&mut cli) {
        let error = args::output_names::with_attached_output(error, &arguments);
        Messages::for_final_error(cli.verb.common(), verb, false).error(&error);
        return ExitCode::of(&error);
    }
    let result = match &cli.verb {
        Verb::Info(args) => commands::info::run(args),
        Verb::Ls(args) => commands::ls::run(args),
        Verb::Search(args) => commands::search::run(args),
        Verb::Index(args) => commands::index::run(args),
        Verb::Tree(args) => commands::tree::run(args),
        Verb::Show(args) => commands::show::run(args),
        Verb::Convert(args) => commands::convert::run(args),
        Verb::Eco(args) => commands::eco::run(args),
        Verb::Dedupe(args) => commands::dedupe::run(args),
        Verb::Append(args) => commands::append::run(args),
        Verb::Shard(args) => commands::shard::run(args),
        Verb::Stats(args) => commands::stats::run(args),
        Verb::Novelty(args) => commands::novelty::run(args),
        Verb::Names(args) => commands::names::run(args),
        Verb::Check(args) => commands::check::run(args),
        Verb::Edit(args) => commands::edit::run(args),
        Verb::Repair(args) => commands::repair::run(args),
        Verb::Archive(verb) => commands::archive::run(verb),
        Verb::Book(verb) => commands::book::run(verb),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => commands::serve::run(args),
        Verb::Formats(args) => commands::formats::run(args),
        Verb::Completions(args) => commands::completions::run(args),
        Verb::Man(args) => commands::man::run(args),
    };
    result.unwrap_or_else(|error| {
        let error = args::output_names::with_attached_output(error, &arguments);
        Messages::for_final_error(cli.verb.common(), verb, cli.verb.appends()).error(&error);
        ExitCode::of(&error)
    })
}

/// Help goes to standard output, errors of the command line to standard error.
fn print_clap_error(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let text = error.render().to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Standard error may be closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        return ExitCode::Usage;
    }
    if error.use_stderr() {
        let error = usage_error(error, arguments);
        Messages::for_final_error(None, String::new(), false).error(&error);
        return ExitCode::Usage;
    }
    match closed_stdout::check().and_then(|()| std::io::stdout().write_all(text.as_bytes())) {
        Ok(()) => ExitCode::Done,
        Err(error) => {
            let error = stdout::output_error(error);
            Messages::for_final_error(None, String::new(), false).error(&error);
            ExitCode::of(&error)
        }
    }
}
