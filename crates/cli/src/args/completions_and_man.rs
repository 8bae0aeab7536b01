//! The verbs that write about the program itself.

use std::path::PathBuf;

use clap::Args;

/// Completions for a shell, on standard output
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia completions bash > ~/.local/share/bash-completion/completions/tabia
  tabia completions zsh > ~/.zfunc/_tabia
  tabia completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, powershell or elvish
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Manual pages (roff): on standard output, or all of them into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia man | man -l -
  tabia man book build | man -l -
  tabia man -d ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The page of this verb
    #[arg(value_name = "VERB")]
    pub(crate) verb: Vec<String>,
    /// Write every page into this folder
    #[arg(
        long = "directory",
        short,
        short_alias = 'o',
        alias = "output",
        value_name = "DIR",
        conflicts_with = "verb"
    )]
    pub(crate) directory: Option<PathBuf>,
}
