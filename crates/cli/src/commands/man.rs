//! `tabia man`.

use std::io::Write;
use std::path::Path;

use clap::Command;
use indicatif::ProgressBar;
use tabia::Error;
use tabia::core::io::OutputSet;

use crate::args::{self, ManArgs};
use crate::exit_code::ExitCode;
use crate::stdout::StdoutWriter;

pub(crate) fn run(args: &ManArgs) -> Result<ExitCode, Error> {
    let pages = pages();
    if let Some(folder) = &args.directory {
        return write_all(&pages, folder);
    }
    // `book build`, `book-build` and two words are the same.
    let words = args.verb.iter().flat_map(|verb| verb.split_whitespace());
    let verb = words.collect::<Vec<_>>().join("-");
    let wanted = match verb.as_str() {
        "" => "tabia".to_owned(),
        verb => format!("tabia-{verb}"),
    };
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let verb = verb.replacen('-', " ", 1);
        let text = format!("`{verb}` is not a verb of tabia");
        return Err(Error::usage(text).with_hint(page_hint(&verb, &pages)));
    };
    let mut out = StdoutWriter::new(&ProgressBar::hidden());
    out.bytes(&render(page)?)?;
    out.flush()?;
    Ok(ExitCode::Done)
}

/// The verb that was probably meant, and what lists them all.
fn page_hint(verb: &str, pages: &[(String, Command)]) -> String {
    let verbs = pages
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("tabia-"));
    let verbs: Vec<String> = verbs.map(|verb| verb.replacen('-', " ", 1)).collect();
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    let meant = match tabia::query::nearest(verb, &verbs) {
        Some(meant) => format!("did you mean `tabia man {meant}`? "),
        None => String::new(),
    };
    format!("{meant}`tabia --help` lists the verbs")
}

/// Every page with its name.
fn pages() -> Vec<(String, Command)> {
    let mut pages = Vec::new();
    let mut waiting = vec![("tabia".to_owned(), args::command())];
    while let Some((name, command)) = waiting.pop() {
        let inner: Vec<(String, Command)> = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
            .map(|inner| (format!("{name}-{}", inner.get_name()), inner.clone()))
            .collect();
        waiting.extend(inner);
        let mut page = command.name(name.clone()).disable_help_subcommand(true);
        if page.get_version().is_none() {
            // For the foot of the page; only `tabia` itself has the option.
            page = page
                .version(env!("CARGO_PKG_VERSION"))
                .disable_version_flag(true);
        }
        pages.push((name, page));
    }
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    pages
}

fn render(page: &Command) -> Result<Vec<u8>, Error> {
    let text_of = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    let examples = text_of(page.get_after_help()).unwrap_or_default();
    let notes = text_of(page.get_after_long_help()).unwrap_or_default();
    let notes = notes.replacen(&examples, "", 1);
    // The examples have a section of their own; options show their values, and their texts even where `-h` is short.
    let mut page = page
        .clone()
        .mut_args(|argument| argument.hide_possible_values(false).hide_short_help(false));
    let usage = page.render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    // The name of the page joins the words of the command.
    let name = page.get_name().to_owned();
    let usage = usage.replacen(&name, &name.replace('-', " "), 1);
    let has_verbs = page.has_subcommands();
    let man = clap_mangen::Man::new(page);
    let mut text = Vec::new();
    (|| {
        man.render_title(&mut text)?;
        man.render_name_section(&mut text)?;
        section("SYNOPSIS", &usage, &mut text);
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        if has_verbs {
            man.render_subcommands_section(&mut text)?;
        }
        Ok(())
    })()
    .map_err(|error: std::io::Error| Error::from(error).in_output())?;
    if !notes.trim().is_empty() {
        section("NOTES", notes.trim(), &mut text);
    }
    section("EXIT STATUS", &exit_status(), &mut text);
    let examples = examples.strip_prefix("Examples:\n").unwrap_or(&examples);
    if !examples.is_empty() {
        section("EXAMPLES", examples, &mut text);
    }
    Ok(text)
}

/// How every verb ends.
fn exit_status() -> String {
    let codes = [
        (
            ExitCode::Done,
            "done, nothing lost beyond what the target format cannot hold",
        ),
        (ExitCode::NoMatch, "nothing matches a query"),
        (ExitCode::Usage, "the command line is wrong"),
        (
            ExitCode::Problems,
            "done, but records are damaged or were skipped or repaired",
        ),
        (
            ExitCode::Input,
            "an input cannot be opened, or is damaged beyond use",
        ),
        (ExitCode::Output, "an output cannot be written"),
        (ExitCode::Interrupted, "interrupted"),
    ];
    let lines = codes.map(|(code, meaning)| format!("{:<5}{meaning}\n", code as u8));
    lines.concat()
}

/// Appends a section of a manual page with its lines as they are.
fn section(title: &str, lines: &str, page: &mut Vec<u8>) {
    page.extend_from_slice(format!(".SH {title}\n.nf\n").as_bytes());
    for line in lines.lines() {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A line that begins with a dot or an apostrophe would be a request.
        let shield = if line.starts_with(['.', '\'']) {
            "\\&"
        } else {
            ""
        };
        page.extend_from_slice(format!("{shield}{}\n", line.replace('\'', "\\(aq")).as_bytes());
    }
    page.extend_from_slice(b".fi\n");
}

fn write_all(pages: &[(String, Command)], folder: &Path) -> Result<ExitCode, Error> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::from(error).in_path(folder).in_output())?;
    // Pages of an older version are replaced.
    let mut set = OutputSet::new(true);
    for (name, page) in pages {
        let path = folder.join(format!("{name}.1"));
        let text = render(page)?;
        let number = set.create(&path).map_err(Error::in_output)?;
        if let Some(file) = set.file(number) {
            file.write_all(&text)
                .map_err(|error| Error::from(error).in_path(&path).in_output())?;
        }
    }
    set.commit().map_err(Error::in_output)?;
    Ok(ExitCode::Done)
}
