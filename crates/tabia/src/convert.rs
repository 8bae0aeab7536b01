//! Any input to any format that can be written.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use tabia_core::formats::{CreateDatabase, CreateOptions, CreateText, OpenOptions};
use tabia_core::games::{GameWriter, Written};
use tabia_core::io::Progress;
use tabia_core::loss::Losses;
use tabia_core::{Error, ErrorKind, ErrorSide, GameIndex};
use tabia_formats::Format;
use tabia_formats::archives::compressed::{Compression, compress};

use crate::create::SharedFile;
use crate::edit::appender;
use crate::input::InputItem;
use crate::output::{EncodeSink, EncodeTask, RecordTask, Recorded};
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::summary::{Observer, Summary};
use crate::target::cannot_write;

pub use crate::target::{Target, writable};

/// How to convert.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// Which records, what of them, on how many threads.
    pub plan: ScanOptions,
    /// The games are added to the database that is the target. What was there is there until the
    /// copy with all games was read back.
    pub append: bool,
}

/// Converts the games of all items, in order, into one target. The target appears complete or not
/// at all; a stream has what was written before a failure.
///
/// # Errors
/// The first input that cannot be read, or why the target cannot be written.
pub fn convert(
    items: &[InputItem],
    target: Target<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    match target {
        Target::Stream { format, out } => {
            let Some(create) = format.create_text else {
                return Err(Error::usage(format!(
                    "{} cannot be written to a stream",
                    format.file.name
                )));
            };
            let summary = to_text(items, create, out, options, progress, observer)?;
            out.flush().map_err(stream_error)?;
            Ok((summary, Written::default()))
        }
        Target::File {
            format,
            path,
            compression,
        } if options.append => {
            if compression != Compression::None {
                let text = format!("{}: is no database", path.display());
                return Err(Error::usage(text));
            }
            to_database(items, appender(format)?, &path, options, progress, observer)
        }
        Target::File {
            format,
            path,
            compression,
        } => match (format.create_text, format.create) {
            (Some(create), _) => {
                let shared = SharedFile::create(&path, options.create.force)?;
                let mut out =
                    compress(Box::new(shared.clone()), compression).map_err(Error::in_output)?;
                let summary = to_text(items, create, &mut out, options, progress, observer)
                    .map_err(|error| in_target(error, &path))?;
                out.finish()
                    .map_err(|error| error.in_path(&path).in_output())?;
                let (files, bytes) = shared.commit()?;
                let records = (summary.counts.games + summary.counts.texts) as u32;
                let written = Written::new(records, files, bytes);
                Ok((summary, written))
            }
            (None, Some(create)) => to_database(items, create, &path, options, progress, observer),
            (None, None) => Err(Error::usage(cannot_write(Format::Games(format)))),
        },
    }
}

fn stream_error(error: io::Error) -> Error {
    Error::from(error).in_output()
}

/// A target that cannot be as it was asked for is the caller's matter.
fn uncreated(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unsupported(_) if !error.is_of_input() => Error::usage(error.to_string()),
        _ => error.in_output(),
    }
}

/// Names the target in errors of the output that name no file.
fn in_target(error: Error, path: &Path) -> Error {
    match error.side() {
        ErrorSide::Output => error.in_path(path),
        _ => error,
    }
}

fn to_text(
    items: &[InputItem],
    create: CreateText,
    out: &mut dyn Write,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Summary, Error> {
    let mut summary = Summary::default();
    let header = create(&options.create).map_err(uncreated)?.header();
    out.write_all(header.as_bytes()).map_err(stream_error)?;
    for item in items {
        let tasks = (0..options.plan.threads.max(1))
            .map(|_| create(&options.create))
            .collect::<Result<Vec<_>, _>>()
            .map_err(uncreated)?;
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        each_item(&mut reporter, options, progress, |reporter, input| {
            let lost = whole(options, &input).lost_facts(|_| None);
            reporter.summary.losses.add_whole(&item.name(), &lost);
            scan(reporter, input, &options.plan, tasks, &mut |_, text| {
                out.write_all(text).map_err(stream_error)?;
                Ok(true)
            })
        })?;
    }
    Ok(summary)
}

fn to_database(
    items: &[InputItem],
    create: CreateDatabase,
    path: &Path,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    let mut summary = Summary::default();
    if !options.append && !options.create.force && path.exists() {
        return Err(Error::new(ErrorKind::Exists).in_path(path).in_output());
    }
    let mut writer: Option<Box<dyn GameWriter>> = None;
    for item in items {
        let mut lost = Vec::new();
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        each_item(&mut reporter, options, progress, |reporter, input| {
            // A database made of one other is like it; of several, it is like none of them.
            let is_copy = items.len() == 1 && !options.append;
            let mut own = whole(options, &input);
            if !is_copy && options.create.title.is_some() {
                // It has the title that was asked for.
                own.title = None;
            }
            let mut lost_facts = own.lost_facts(|_| None);
            let writer = if let Some(writer) = &mut writer {
                writer
            } else {
                let own = if is_copy { &own } else { &options.create };
                let made = create(path, own).map_err(uncreated)?;
                if is_copy {
                    lost_facts = made.lost_facts();
                }
                writer.insert(made)
            };
            reporter.summary.losses.add_whole(&item.name(), &lost_facts);
            write_input(reporter, input, &options.plan, &mut **writer, &mut lost)
                .map_err(|error| in_target(error, path))
        })?;
        for (game, losses) in lost {
            summary.losses.add(&item.name(), game, &losses);
            observer
                .losses(item, game, &losses)
                .map_err(Error::in_output)?;
        }
    }
    let writer = match writer {
        Some(writer) => writer,
        None => create(path, &options.create).map_err(uncreated)?,
    };
    let written = writer.finish().map_err(Error::in_output);
    let written = written.map_err(|error| in_target(error, path))?;
    Ok((summary, written))
}

/// The options with the title of an input, unless another is asked for, and what else is known of
/// it.
fn whole(options: &ConvertOptions, input: &crate::OpenInput) -> CreateOptions {
    let mut own = options.create.clone();
    if let crate::OpenInput::Database(database) = input {
        let info = database.info();
        own.title = own.title.or_else(|| info.title.clone());
        own.facts.extend(info.facts.iter().cloned());
    }
    own
}

/// Writes the games of an input, encoded where they are read if the writer has encoders. Losses that
/// are not posted on the way go to `lost`.
fn write_input(
    reporter: &mut ScanReporter<'_>,
    input: crate::OpenInput,
    plan: &ScanOptions,
    writer: &mut dyn GameWriter,
    lost: &mut Vec<(GameIndex, Losses)>,
) -> Result<(), Error> {
    let threads = 0..plan.threads.max(1);
    let encoders: Option<Vec<EncodeTask>> = threads
        .clone()
        .map(|_| writer.encoder().map(EncodeSink::new).map(EncodeTask::new))
        .collect();
    if let Some(tasks) = encoders {
        return scan(reporter, input, plan, tasks, &mut |_, encoded| {
            writer.append(&encoded.bytes).map_err(Error::in_output)?;
            let failure = encoded.failure.take().map(Error::in_output);
            failure.map_or(Ok(true), Err)
        });
    }
    let tasks = threads.map(|_| RecordTask::default()).collect();
    scan(reporter, input, plan, tasks, &mut |base, recorded| {
        write_all(writer, recorded, |game, losses| {
            lost.push((base.game(game), losses));
        })
    })
}

fn write_all(
    writer: &mut dyn GameWriter,
    recorded: &Recorded,
    mut lost: impl FnMut(GameIndex, Losses),
) -> Result<bool, Error> {
    for (number, game) in recorded.iter() {
        let losses = writer.write(game).map_err(Error::in_output)?;
        if !losses.is_empty() {
            lost(number, losses);
        }
    }
    Ok(true)
}

/// Reads an item and reports its counts.
fn each_item(
    reporter: &mut ScanReporter<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    read: impl FnOnce(&mut ScanReporter<'_>, crate::OpenInput) -> Result<(), Error>,
) -> Result<(), Error> {
    let before = reporter.summary.counts;
    reporter.read_item(&options.open, progress, options.plan.strict, read)?;
    reporter.finish_item(before).map(drop)
}
