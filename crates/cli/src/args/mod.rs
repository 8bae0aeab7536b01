//! The arguments of the command line. They are turned into options of the library by [`Context`](crate::context::Context) and the
//! commands.

mod append;
mod archive;
pub(crate) mod book;
mod check;
mod common;
mod completions_and_man;
mod dedupe;
mod eco;
mod formats;
mod index;
mod info;
mod ls;
mod names;
mod novelty;
pub(crate) mod output_names;
#[cfg(feature = "parquet")]
pub(crate) mod parquet_options;
pub(crate) mod rewrite_arguments;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod show;
mod stats;
pub(crate) mod stdin_and_globs;
mod tree;
mod write_verbs;

use clap::{ArgAction, CommandFactory, Parser, Subcommand};

pub(crate) use append::*;
pub(crate) use archive::*;
pub(crate) use check::*;
pub(crate) use common::*;
pub(crate) use completions_and_man::*;
pub(crate) use dedupe::*;
pub(crate) use eco::*;
pub(crate) use formats::*;
pub(crate) use index::*;
pub(crate) use info::*;
pub(crate) use ls::*;
pub(crate) use names::*;
pub(crate) use novelty::*;
pub(crate) use search::*;
#[cfg(feature = "serve")]
pub(crate) use serve::*;
pub(crate) use shard::*;
pub(crate) use show::*;
pub(crate) use stats::*;
pub(crate) use tree::*;
pub(crate) use write_verbs::*;

use crate::args::book::BookVerb;

/// Chess databases and opening books: list, show, convert, check, edit, repair.
#[derive(Debug, Parser)]
#[command(
    name = "tabia",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  tabia info mega.cbv                  format, games, problems
  tabia ls games.pgn.zst --limit 20    one row per game
  tabia convert mega.cbh -o mega.pgn   with variations, comments and arrows

`tabia VERB --help` shows a verb's options, `tabia help VERB` explains all of them."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(InfoArgs),
    Ls(LsArgs),
    Search(SearchArgs),
    Tree(TreeArgs),
    Index(IndexArgs),
    Show(ShowArgs),
    Convert(ConvertArgs),
    Eco(EcoArgs),
    Dedupe(DedupeArgs),
    Append(AppendArgs),
    Shard(ShardArgs),
    Stats(StatsArgs),
    Novelty(NoveltyArgs),
    Names(NamesArgs),
    Check(CheckArgs),
    Edit(EditArgs),
    Repair(RepairArgs),
    #[command(subcommand)]
    Archive(ArchiveVerb),
    #[command(subcommand)]
    Book(BookVerb),
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    Formats(FormatsArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Verb {
    /// Whether games are added to an existing output.
    pub(crate) fn appends(&self) -> bool {
        match self {
            Self::Convert(args) => args.append,
            Self::Book(BookVerb::Build(args)) => args.kvetka.append,
            _ => false,
        }
    }

    /// The options that all verbs share, for those that have them.
    pub(crate) fn common(&self) -> Option<&CommonArgs> {
        Some(match self {
            Self::Info(args) => &args.common,
            Self::Ls(args) => &args.rows.common,
            Self::Search(args) => &args.rows.common,
            Self::Index(args) => &args.common,
            Self::Tree(args) => &args.rows.common,
            Self::Show(args) => &args.common,
            Self::Convert(args) => &args.common,
            Self::Eco(args) => &args.common,
            Self::Dedupe(args) => &args.rows.common,
            Self::Append(args) => &args.rows.common,
            Self::Shard(args) => &args.common,
            Self::Stats(args) => &args.rows.common,
            Self::Novelty(args) => &args.rows.common,
            Self::Names(args) => &args.common,
            Self::Check(args) => &args.common,
            Self::Edit(args) => &args.common,
            Self::Repair(args) => &args.common,
            Self::Archive(ArchiveVerb::List(args)) => &args.common,
            Self::Archive(ArchiveVerb::Extract(args)) => &args.common,
            Self::Archive(ArchiveVerb::Create(args)) => &args.common,
            Self::Archive(ArchiveVerb::Test(args)) => &args.common,
            Self::Book(verb) => verb.common(),
            #[cfg(feature = "serve")]
            Self::Serve(args) => &args.common,
            Self::Formats(args) => &args.common,
            Self::Completions(_) | Self::Man(_) => return None,
        })
    }
}

/// The command line as clap parses it. `--help` asks for the short help of a verb, whose text is that of [`command`].
pub(crate) fn command_without_help() -> clap::Command {
    let short_help = || {
        clap::Arg::new("help")
            .short('h')
            .long("help")
            .action(ArgAction::HelpShort)
    };
    Cli::command().mut_subcommands(move |verb| {
        let verb = verb.mut_subcommands(|inner| inner.disable_help_flag(true).arg(short_help()));
        verb.disable_help_flag(true).arg(short_help())
    })
}

/// As [`command_without_help`], with the texts of help, which take longer than all else at the start. `--help`
/// prints the short help of a verb, `help VERB` the long one.
pub(crate) fn command() -> clap::Command {
    Cli::command().mut_subcommands(|verb| {
        let group = verb.get_name().to_owned();
        let verb = verb.mut_subcommands(|inner| with_short_help(inner, &format!("{group} ")));
        with_short_help(verb, "")
    })
}

/// A verb, of the group `group`, whose `--help` is the short help. Options of its examples are in it, others that are
/// hidden are counted.
fn with_short_help(verb: clap::Command, group: &str) -> clap::Command {
    let examples = verb.get_after_help().map(ToString::to_string);
    let examples = examples.unwrap_or_default();
    let is_in_example = |option: &clap::Arg| {
        let long = option.get_long().map(|long| format!(" --{long}"));
        long.is_some_and(|long| examples.contains(&long))
    };
    let is_hidden = |option: &&clap::Arg| option.is_hide_short_help_set() && !is_in_example(option);
    let hidden = verb.get_arguments().filter(is_hidden).count();
    let name = verb.get_name();
    let text = match hidden {
        0 => format!("This help; `tabia help {group}{name}` explains more"),
        1 => format!("This help; `tabia help {group}{name}` explains more, and has another option"),
        count => format!(
            "This help; `tabia help {group}{name}` explains more, and has {count} more options"
        ),
    };
    let help = clap::Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help(text)
        .long_help(format!(
            "This help; `tabia {group}{name} --help` prints a shorter one"
        ));
    verb.mut_args(|option| {
        let is_shown = option.is_hide_short_help_set() && is_in_example(&option);
        if is_shown {
            option.hide_short_help(false)
        } else {
            option
        }
    })
    .disable_help_flag(true)
    .arg(help)
}

/// The name of the verb that was given, as `convert` or `book build`.
pub(crate) fn verb_name(matches: &clap::ArgMatches) -> String {
    let mut names = Vec::new();
    let mut inner = matches.subcommand();
    while let Some((name, matches)) = inner {
        names.push(name);
        inner = matches.subcommand();
    }
    names.join(" ")
}
