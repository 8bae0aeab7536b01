//! `tabia completions` and `tabia man`.

use std::io::Write;
use std::path::Path;

use indicatif::ProgressBar;
use tabia::Error;
use tabia::core::io::OutputSet;

use crate::args::{self, CompletionsArgs, ManArgs};
use crate::exit_code::ExitCode;
use crate::stdout::StdoutWriter;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Error> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "tabia", &mut text);
    let mut out = StdoutWriter::new(&ProgressBar::hidden());
    out.bytes(&text)?;
    out.flush()?;
    Ok(ExitCode::Done)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Error> {
    let pages = pages();
    if let Some(folder) = &args.directory {
        return write_all(&pages, folder);
    }
    let wanted = match &args.verb {
        Some(verb) => format!("tabia-{verb}"),
        None => "tabia".to_owned(),
    };
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let verb = args.verb.clone().unwrap_or_default();
        return Err(Error::usage(format!("there is no verb `{verb}`")));
    };
    let mut out = StdoutWriter::new(&ProgressBar::hidden());
    out.bytes(&render(page)?)?;
    out.flush()?;
    Ok(ExitCode::Done)
}

/// Every page with its name.
fn pages() -> Vec<(String, clap::Command)> {
    let mut pages = Vec::new();
    let mut waiting = vec![("tabia".to_owned(), args::command())];
    while let Some((name, command)) = waiting.pop() {
        let inner: Vec<(String, clap::Command)> = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
            .map(|inner| (format!("{name}-{}", inner.get_name()), inner.clone()))
            .collect();
        waiting.extend(inner);
        let page = command.name(name.clone()).disable_help_subcommand(true);
        pages.push((name, page));
    }
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    pages
}

fn render(page: &clap::Command) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone())
        .render(&mut text)
        .map_err(|error| Error::from(error).in_output())?;
    Ok(text)
}

fn write_all(pages: &[(String, clap::Command)], folder: &Path) -> Result<ExitCode, Error> {
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
