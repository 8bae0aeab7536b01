//! `tabia edit`: deletes, replaces and packs records in a copy of a database.

use std::path::Path;

use tabia::Summary;
use tabia::check::{CheckOptions, check};
use tabia::core::GameIndex;
use tabia::core::shell_argument::file_argument;
use tabia::edit::{Change, EditOptions, Edited, edit, pack_to};
use tabia::formats::Format;
use tabia::read_one::load_to_copy;
use tabia::repair::remains;
use tabia::select::RecordRanges;
use tabia::{Error, InputItem};

use crate::args::EditArgs;
use crate::commands::salvage;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::{refuse_inputs, refuse_other_format};
use crate::parse_where_and_games::parse_ranges;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped, size};
use crate::report::{Reporter, report_file_losses};
use crate::resolve_output_target::{free_name, refuse_existing};

pub(crate) fn run(args: &EditArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let path = Path::new(&args.output);
    let mut reporter = context.reporter("edit", args.force, None)?;
    let item = if args.salvage {
        remains(&context.resolver, &args.path)?
    } else {
        single_input(&context, &args.path)?
    };
    refuse_inputs(
        std::slice::from_ref(&item),
        &[Some(path), args.common.report.as_deref()],
    )?;
    refuse_existing(path, args.force)?;
    let is_editable = item
        .format()
        .games()
        .is_some_and(|format| format.edit.is_some());
    if is_editable {
        refuse_other_format(&item, path, "tabia convert")?;
    }
    let mut options = EditOptions::default();
    options.open = context.open.clone();
    options.create.force = args.force;
    options.create.charset = args.common.encoding;
    let mut changes = if args.pack {
        Vec::new()
    } else {
        changes(args, &context, &mut reporter)?
    };
    let salvaged = if args.salvage {
        salvage::prepare(&context, &item, path, &mut reporter)?
    } else {
        None
    };
    let item = match &salvaged {
        Some(salvaged) => {
            changes = salvaged.renumber(changes)?;
            salvaged.item()?
        }
        None => item,
    };
    if salvaged.is_none() {
        report_damage(&context, &item, args, &changes, &mut reporter)?;
    }
    options.strict = args.common.strict;
    options.create.transaction = reporter.transaction();
    let edited = if args.pack {
        pack_to(&item, path, &options)
    } else {
        edit(&item, path, &changes, &options)
    };
    let edited = edited.map_err(|error| error.with_hint(hint(&context, &item)))?;
    let mut summary = Summary::default();
    summary.losses.add_whole(&item.name(), &edited.losses);
    reporter.commit(Some(&summary), None::<&()>)?;
    report_edited(&context, args, &edited);
    let code = ExitCode::of_problems(reporter.count() + u64::from(salvaged.is_some()));
    reporter.finish(Some(&summary))?;
    Ok(code)
}

/// Reports what is damaged of the records that will be in the copy.
fn report_damage(
    context: &Context,
    item: &InputItem,
    args: &EditArgs,
    changes: &[Change],
    reporter: &mut Reporter,
) -> Result<(), Error> {
    let mut options = CheckOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.selection.deleted = !args.pack;
    for change in changes {
        if let Change::Replace(record, _) = change {
            options.selection.leave_out(*record);
        }
    }
    let display = context.display();
    let checked = check(item, &options, &context.progress, reporter);
    drop(display);
    checked.map(|_| ())
}

/// What to do where the records of an item cannot be changed.
fn hint(context: &Context, item: &InputItem) -> String {
    let name = item.name();
    let is_editable = |format: &Format| format.games().is_some_and(|format| format.edit.is_some());
    if !is_editable(&item.format()) {
        let mut formats = context.resolver.formats().iter();
        let extension = formats.find(|format| is_editable(format));
        let extension = extension.and_then(|format| format.extensions().first());
        let target = Path::new(&name).with_extension(extension.unwrap_or(&""));
        let target = free_name(&target.file_name().unwrap_or_default().to_string_lossy());
        let (name, target) = (file_argument(&name), file_argument(&target));
        return format!("`tabia convert {name} -o {target}` makes a database that can be changed");
    }
    if item.source().is_none() {
        let archive = item.label().path_text().into_owned();
        let archive = archive.split(':').next().unwrap_or(&archive);
        let archive = file_argument(archive);
        return format!("`tabia archive extract {archive} -d FOLDER` takes its files out");
    }
    let name = file_argument(&name);
    format!("`tabia ls {name} --include-deleted --texts` lists the records with their numbers")
}

/// The single input that a path names.
fn single_input(context: &Context, path: &std::ffi::OsString) -> Result<InputItem, Error> {
    let mut items = context.items(std::slice::from_ref(path))?;
    if let (Some(item), true) = (items.pop(), items.is_empty()) {
        return Ok(item);
    }
    let path = Path::new(path).path_text();
    Err(Error::usage(format!("{path}: name one database")))
}

fn changes(
    args: &EditArgs,
    context: &Context,
    reporter: &mut Reporter,
) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    let ranges = |option, text: &Option<String>| {
        let text = text.as_deref();
        text.map(|text| parse_ranges(option, text)).transpose()
    };
    let deleted = ranges("--delete", &args.delete)?;
    let restored = ranges("--restore", &args.restore)?;
    if let (Some(deleted), Some(restored)) = (&deleted, &restored)
        && let Some(record) = first_common(deleted, restored)
    {
        let number = u64::from(record) + 1;
        let text = format!("`--delete` and `--restore` both name record {number}");
        return Err(Error::usage(text));
    }
    changes.extend(deleted.map(Change::Delete));
    changes.extend(restored.map(Change::Restore));
    if let (Some(number), Some(file)) = (args.replace, &args.with) {
        let index = number
            .checked_sub(1)
            .ok_or_else(|| Error::usage("`--replace 0`: games are counted from 1"))?;
        let item = single_input(context, file)?;
        let first = load_to_copy(
            &item,
            GameIndex(0),
            &context.open,
            &context.progress,
            reporter,
        )?;
        let game = first.ok_or_else(|| {
            let text = format!("{}: it contains no game", item.name());
            Error::usage(text)
        })?;
        changes.push(Change::Replace(GameIndex(index), Box::new(game)));
    }
    if changes.is_empty() {
        let text = "nothing to change: `--delete`, `--restore`, `--replace` or `--pack`";
        return Err(Error::usage(text));
    }
    Ok(changes)
}

/// The first record that both name.
fn first_common(one: &RecordRanges, other: &RecordRanges) -> Option<u32> {
    let mut at = 0;
    loop {
        let first = one.next_from(at)?;
        at = other.next_from(first)?;
        if at == first {
            return Some(at);
        }
    }
}

fn report_edited(context: &Context, args: &EditArgs, edited: &Edited) {
    let written = &edited.written;
    let file = written.files.first();
    let file = file.map_or_else(String::new, |file| format!(" in {}", file.path_text()));
    let change = if args.pack {
        "packed".to_owned()
    } else {
        format!("{} changed", grouped(edited.changed))
    };
    let records = counted(written.records.into(), "record");
    let bytes = size(written.bytes);
    context
        .messages
        .note(&format!("{change}: {records}{file}, {bytes}"));
    if edited.media_copied > 0 {
        let count = counted(edited.media_copied, "media file");
        context.messages.note(&format!("{count} copied"));
    }
    report_file_losses(&context.messages, &edited.losses);
}
