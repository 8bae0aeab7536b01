//! `tabia append`: the games that a database does not have yet.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use tabia::base::{IndexChange, build_index, index_path};
use tabia::core::io::SetLock;
use tabia::dedupe::{DamagedRecord, DedupeOptions, Known, dropped_games};
use tabia::formats::Format;
use tabia::formats::archives::compressed::Compression;
use tabia::repair::remains;
use tabia::{Error, GameIndex, InputItem, find_known_as_stored};

use crate::archive_of_games::{database_extension, free_path, quoted};
use crate::args::AppendArgs;
use crate::commands::dedupe::GameCounts;
use crate::commands::index::index_options;
use crate::commands::{convert, dedupe, salvage};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::messages::is_named_like;
use crate::output_conflicts::refuse_inputs;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped};
use crate::resolve_output_target::{arguments, writable_like};

/// The main file of the database that is named by one of its other files, or without its extension.
fn main_file(context: &Context, output: &OsStr) -> OsString {
    let path = Path::new(output);
    // Opening a pipe would wait for its other end; the extension of a format names its main file.
    if path.exists() && !path.is_file() || is_named_like(path, |_| true) {
        return output.to_owned();
    }
    let mut resolver = context.resolver.clone();
    resolver.from = None;
    let found = resolver.resolve_games(output).unwrap_or_default();
    let main = match found.as_slice() {
        [Ok(item)] if item.source().is_some() => item.label().as_os_str(),
        _ => output,
    };
    let is_file = Path::new(main).is_file();
    if is_file { main } else { output }.to_owned()
}

pub(crate) fn run(args: &AppendArgs) -> Result<ExitCode, Error> {
    if args.output == "-" || args.paths.iter().any(|path| dedupe::is_read_once(path)) {
        return Err(dedupe::read_twice("the inputs and the database"));
    }
    let context = Context::new(&args.rows.common)?;
    let args = &AppendArgs {
        output: main_file(&context, &args.output),
        ..args.clone()
    };
    if !args.dry_run {
        refuse_archive(&context, args)?;
    }
    let mut reporter = context.reporter("append", args.force, None)?;
    let explained = dedupe::explained_file(args.explain.as_deref(), args.force, &mut reporter)?;
    // Two processes that do not know each other's games would both add them. A set that is repaired has a
    // lock of its own.
    let path = Path::new(&args.output);
    let lock = if args.dry_run || args.salvage {
        None
    } else {
        SetLock::acquire_existing(path).map_err(absent_output)?
    };
    let salvaged = if args.salvage {
        let item = remains(&context.resolver, &args.output)?.as_base();
        let can_change = item
            .format()
            .games()
            .is_some_and(|format| format.edit.is_some());
        // A database of another format is written again, and refused if it is damaged.
        if can_change {
            salvage::prepare(&context, &item, path, &mut reporter)?
        } else {
            None
        }
    } else {
        None
    };
    let mut items = match &salvaged {
        Some(salvaged) => vec![salvaged.item()?.as_base()],
        None => context
            .bases(std::slice::from_ref(&args.output), &mut reporter)
            .map_err(absent_output)?,
    };
    let [base] = items.as_slice() else {
        return Err(Error::usage("`-o` names one database"));
    };
    refuse_read_only(&context, base, args)?;
    let to = format_unlike_name(base, path);
    let has_index = index_path(base, &index_options(&context)).is_some();
    items.extend(context.games(&args.paths, Some(path), &mut reporter)?);
    refuse_inputs(&items, &[args.explain.as_deref()])?;
    let mut options = DedupeOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.rows.common.strict;
    options.selection.deleted = args.rows.include_deleted;
    let display = context.display();
    let found = find_known_as_stored(&items, &options, &context.progress, &mut reporter);
    drop(display);
    let Known {
        mut summary,
        duplicates,
        damaged,
        texts: known_texts,
        ..
    } = found?;
    let explained = dedupe::write_explained(explained, &duplicates, &items)?;
    let count = counted(duplicates.len() as u64, "duplicate");
    let code = ExitCode::of_problems(summary.problems.max(reporter.count()));
    if args.dry_run {
        explained.commit().map_err(Error::in_output)?;
        dedupe::show(&context, &args.rows.listing, &duplicates, &items)?;
        let (games, texts) = (reporter.games_read, reporter.texts_read);
        let texts = texts.saturating_sub(known_texts.len() as u64);
        reporter.finish(Some(&summary))?;
        context.messages.note(&format!("{count} found"));
        note_known_texts(&context, known_texts.len());
        note_damaged(&context, &damaged, "would be left out");
        let left_out = duplicates.len() as u64;
        let left_out = left_out
            + if args.salvage {
                0
            } else {
                damaged.len() as u64
            };
        context.messages.note(&format!(
            "{}{} would be added to {}",
            counted(games.saturating_sub(left_out), "game"),
            match texts {
                0 => String::new(),
                texts => format!(" and {}", counted(texts, "text")),
            },
            path.path_text()
        ));
        return Ok(code);
    }
    context.messages.note(&format!("{count} left out"));
    note_known_texts(&context, known_texts.len());
    let what = if args.salvage { "added" } else { "left out" };
    note_damaged(&context, &damaged, what);
    if !args.salvage && !damaged.is_empty() {
        let text = "`--salvage` adds what is left of them";
        context.messages.hint(text);
    }
    let mut convert = convert::plain(&args.paths, &args.output, to.as_deref(), &args.rows.common);
    convert.append = true;
    convert.lock = lock.map(Arc::new);
    convert.select.records.include_deleted = args.rows.include_deleted;
    convert.dropped = dropped_games(items.len(), &duplicates).split_off(1);
    if !args.salvage {
        let damaged = damaged.iter().map(|record| record.at);
        let damaged: Vec<_> = damaged.collect();
        leave_out(&damaged, &mut convert.dropped);
    }
    leave_out(&known_texts, &mut convert.dropped);
    convert.are_problems_reported = true;
    convert.common.report = None;
    convert.repaired_output = salvaged.as_ref().map(|set| set.path().to_path_buf());
    let transaction = reporter.transaction();
    if salvaged.is_none() {
        convert.transaction.clone_from(&transaction);
    }
    let converted = convert::convert_files(&convert)?;
    let mut code_of_games = converted.code;
    if let Some(mut salvaged) = salvaged {
        if let Some(transaction) = &transaction {
            salvaged.join(transaction);
        }
        salvaged.replace()?;
        code_of_games = code_of_games.worse(ExitCode::Problems);
    }
    explained.commit().map_err(Error::in_output)?;
    summary.losses = converted.losses;
    let left_out = if args.salvage { 0 } else { damaged.len() };
    let counts = GameCounts {
        written: converted.games,
        duplicates: duplicates.len() as u64,
        damaged: Some(left_out as u64),
    };
    reporter.finish_with(Some(&summary), Some(&counts))?;
    if has_index {
        grow_index(args, &context).inspect_err(|_| {
            let database = quoted(Path::new(&args.output));
            context.messages.note(&format!(
                "the games are in the database; its saved index is outdated until `tabia index {database}` or the next `append`"
            ));
        })?;
    }
    if args.rows.listing.has_style() {
        dedupe::show(&context, &args.rows.listing, &duplicates, &items)?;
    }
    Ok(code.worse(code_of_games))
}

/// The format of a database whose extension is not one of it.
fn format_unlike_name(base: &InputItem, path: &Path) -> Option<String> {
    let name = path.path_text().to_lowercase();
    let (_, plain) = Compression::of_name(&name);
    let extension = Path::new(plain).extension().unwrap_or_default();
    let mut known = base.format().extensions().iter();
    let is_like_name = known.any(|known| extension == *known);
    (!is_like_name).then(|| base.format().id().to_string())
}

/// The file `a.cbv` of `a.cbv:b.cbh`.
fn archive_of_member(path: &Path) -> Option<&Path> {
    let (archive, _) = path.to_str()?.rsplit_once(':').filter(|_| !path.exists())?;
    Some(Path::new(archive)).filter(|archive| archive.is_file())
}

/// Refuses an archive before anything is read, and shows how to make a new one with the games of both.
fn refuse_archive(context: &Context, args: &AppendArgs) -> Result<(), Error> {
    let path = Path::new(&args.output);
    let path = archive_of_member(path).unwrap_or(path);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = context.resolver.format(&extension.to_ascii_lowercase());
    let Some(format) = format.and_then(Format::archive) else {
        return Ok(());
    };
    let text = format!(
        "{} is an archive, to which no games can be added",
        path.path_text()
    );
    let error = Error::usage(text);
    if !path.exists() {
        let hint = "`tabia help append` has the options and examples";
        return Err(error.with_hint(hint));
    }
    let database = free_path(path.with_extension(database_extension(format)));
    let [database, archive] = [database, free_path(path.to_path_buf())].map(|path| quoted(&path));
    let games = match args.paths.as_slice() {
        [games] => quoted(Path::new(games)),
        _ => "GAMES".to_owned(),
    };
    let old = quoted(path);
    Err(error.with_hint(format!(
        "`tabia convert {old} -o {database}`, then `tabia append {games} -o {database}`, then \
         `tabia archive create {archive} {database}` makes a new archive"
    )))
}

/// A database that is not there is no output either.
fn absent_output(error: Error) -> Error {
    if error.is_not_found() {
        error.in_output()
    } else {
        error
    }
}

/// Refuses a database of a format that is only read before anything else is.
fn refuse_read_only(context: &Context, base: &InputItem, args: &AppendArgs) -> Result<(), Error> {
    let format = base.format();
    let written = writable_like(&context.resolver, format);
    if written.is_some_and(|written| written.id() == format.id()) {
        return Ok(());
    }
    let path = Path::new(&args.output);
    let (name, id) = (format.name(), format.id());
    let text = format!("{}: {name} ({id}) cannot be written", path.path_text());
    let error = Error::usage(text);
    let Some(extension) = written.and_then(|format| format.extensions().first()) else {
        return Err(error.with_hint("`tabia formats` lists what can be written"));
    };
    let inputs: Vec<_> = std::iter::once(&args.output)
        .chain(&args.paths)
        .cloned()
        .collect();
    Err(error.with_hint(format!(
        "`tabia convert {} -o {}` makes a database with the games of both",
        arguments(&inputs, "GAMES"),
        quoted(&free_path(path.with_extension(extension)))
    )))
}

/// Notes how many records of the inputs are damaged, and what becomes of them.
fn note_damaged(context: &Context, damaged: &[DamagedRecord], what: &str) {
    if damaged.is_empty() {
        return;
    }
    let (mut moves, mut names) = (0, 0);
    for record in damaged {
        moves += u64::from(record.moves);
        names += u64::from(record.names);
    }
    let all = counted(damaged.len() as u64, "damaged game");
    let (moves, names) = (grouped(moves), grouped(names));
    let text = format!("{all} {what}: {moves} with lost moves, {names} with lost names");
    context.messages.note(&text);
}

/// Notes how many guiding texts the database has.
fn note_known_texts(context: &Context, count: usize) {
    if count > 0 {
        let count = counted(count as u64, "guiding text");
        context
            .messages
            .note(&format!("{count} left out, which the database has"));
    }
}

/// Adds records of the inputs, which follow the database, to those that are left out.
fn leave_out(records: &[(u32, GameIndex)], dropped: &mut [Arc<Vec<u32>>]) {
    for (input, games) in (1..).zip(dropped) {
        let of_input = records.iter().filter(|record| record.0 == input);
        let mut all: Vec<u32> = of_input.map(|record| record.1.0).collect();
        if all.is_empty() {
            continue;
        }
        all.extend_from_slice(games);
        all.sort_unstable();
        all.dedup();
        *games = Arc::new(all);
    }
}

/// Adds the new games to the saved index.
fn grow_index(args: &AppendArgs, context: &Context) -> Result<(), Error> {
    let mut reporter = context.reporter("index", true, None)?;
    let options = index_options(context);
    // The files are others than before.
    for item in context.bases(std::slice::from_ref(&args.output), &mut reporter)? {
        let built = build_index(&item, &options, &context.progress, &mut reporter)?;
        let done = match built.change {
            IndexChange::Built => "built again",
            IndexChange::Grown => "grown",
            IndexChange::None => "current",
        };
        let path = built.path.path_text();
        context.messages.note(&format!("{path}: {done}"));
    }
    Ok(())
}
