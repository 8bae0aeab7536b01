//! `tabia convert` to tables: Parquet and Arrow.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use tabia::convert::ConvertOptions;
use tabia::select::PositionChoice;
use tabia::{Error, Summary, Written};
use tabia_columns::schema::Table;
use tabia_columns::write::{TableFile, TableOptions, TableRequest, write_table};

use crate::absent_games::absent_games;
use crate::args::ConvertArgs;
use crate::commands::converted::Converted;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::messages::NO_GAME_IN_SHARD;
use crate::output_conflicts::refuse_only_itself;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, size};
use crate::report::report_losses;
use crate::resolve_output_target::refuse_existing;
use crate::stdout::StdoutWriter;

/// Whether the output is a table.
pub(crate) fn is_asked_for(args: &ConvertArgs) -> bool {
    if let Some(kind) = args.to.as_deref() {
        return TableFile::is_format(kind);
    }
    let name = args.output.as_deref().map(|name| name.to_string_lossy());
    match name.as_deref().and_then(TableFile::of_name) {
        // Several outputs in a folder are another matter.
        Some(TableFile::Folder(..)) => !is_split(args),
        file => file.is_some(),
    }
}

/// Whether the games go to several outputs.
fn is_split(args: &ConvertArgs) -> bool {
    args.split.is_some() || args.split_by.is_some()
}

/// Refuses the options of tables for other outputs.
pub(crate) fn refuse_options(args: &ConvertArgs) -> Result<(), Error> {
    let of_folders = args.table.shards.is_some().then_some("--shards");
    match request(args).used().or(of_folders) {
        None => Ok(()),
        Some(option) => {
            let error = Error::usage(format!(
                "`{option}` is for tables: `-o games.parquet`, `-o games.arrow`, `-o folder/`"
            ));
            Err(if option == "--columns" {
                error.with_hint(
                    "`tabia ls IN --columns white,black --csv > games.csv` writes rows with the columns that it names",
                )
            } else {
                error
            })
        }
    }
}

/// Converts; the games are those that were read.
pub(crate) fn convert_files(
    args: &ConvertArgs,
    context: &Context,
    plan: ConvertOptions,
) -> Result<Converted, Error> {
    if args.append {
        return Err(Error::usage("`--append` needs a database: `-o mega.cbh`"));
    }
    if args.position.is_some() {
        return Err(PositionChoice::has_games());
    }
    if is_split(args) {
        let text = "tables are not split: `-o folder/` writes parts of about 256 MB";
        return Err(Error::usage(text));
    }
    if !plan.sort.is_empty() {
        let text = "tables are not sorted: their games are in the order of the input";
        let hint = "`-o sorted.pgn --sort …` writes games in order, and that file is an input";
        return Err(Error::usage(text).with_hint(hint));
    }
    let mut options = TableOptions::default();
    options.open = plan.open;
    options.plan = plan.plan;
    request(args).apply(&mut options)?;
    let start = Instant::now();
    let mut out = StdoutWriter::new(&context.bar);
    let name = args.output.as_deref().map(|name| name.to_string_lossy());
    let file = match name.as_deref() {
        None | Some("-") => {
            if args.to.as_deref() == Some("parquet") {
                let text =
                    "Parquet cannot go to standard output; give a file with `-o`, or `--to arrow`";
                return Err(Error::usage(text));
            }
            in_files(TableFile::Stream(out.writer()), args, context.threads)?
        }
        Some(name) => {
            let file = TableFile::of_format(name, args.to.as_deref())?;
            in_files(file, args, context.threads)?
        }
    };
    let target = file.path().map(Path::to_path_buf);
    if let Some(path) = target.as_deref().filter(|path| !path.is_dir()) {
        refuse_existing(path, args.force)?;
    }
    let rejects = args.rejects.as_deref();
    let mut reporter = context.reporter("convert", args.force, rejects)?;
    options.transaction = args.transaction.clone().or_else(|| reporter.transaction());
    let items = context.games(&args.paths, target.as_deref(), &mut reporter)?;
    refuse_only_itself(&items, target.as_deref())?;
    let display = context.display();
    let written = write_table(
        &items,
        file,
        &options,
        args.force,
        &context.progress,
        &mut reporter,
    );
    drop(display);
    let flushed = out.flush();
    let (summary, written) = written?;
    flushed?;
    reporter.commit(Some(&summary), None::<&()>)?;
    report_losses(&context.messages, &summary.losses, items.len() > 1);
    if summary.counts.deleted > 0 {
        let count = counted(summary.counts.deleted, "deleted game");
        let text = format!("{count} left out; `--include-deleted` also writes those");
        context.messages.note(&text);
    }
    if summary.counts.games == 0 && args.shard.is_some() {
        context.messages.note(NO_GAME_IN_SHARD);
    }
    if target.is_some() {
        let seconds = start.elapsed().as_secs_f64();
        let text = written_text(&options, &summary, &written, seconds);
        context.messages.note(&text);
    }
    let numbers = options.plan.selection.numbers.as_ref();
    let absent = absent_games(args, context, numbers, &items, &summary.counts);
    let code = ExitCode::of_problems(summary.problems.max(reporter.count())).worse(absent);
    reporter.finish(Some(&summary))?;
    Ok(Converted {
        code,
        games: summary.counts.games + summary.counts.texts,
        losses: summary.losses,
    })
}

/// What the options ask for.
fn request(args: &ConvertArgs) -> TableRequest<'_> {
    let table = &args.table;
    TableRequest {
        table: table.table.table(),
        columns: table.columns.as_deref(),
        with_pgn: table.with_pgn,
        all_comments: table.comments.is_some(),
        plies: table.plies.clone(),
        fen: table.fen,
        by_year: table.partition.is_some(),
    }
}

/// The folder in as many files as `--shards` asks for, or in the folders of `--partition`.
fn in_files<'a>(
    file: TableFile<'a>,
    args: &ConvertArgs,
    threads: usize,
) -> Result<TableFile<'a>, Error> {
    match args.table.shards {
        _ if args.table.partition.is_some() => file.by_year(),
        Some(count) => file.in_shards(count.into(), threads),
        None => Ok(file),
    }
}

/// `6,117 games to out.parquet: 4.1 MB in 0.3 s`.
fn written_text(
    options: &TableOptions,
    summary: &Summary,
    written: &Written,
    seconds: f64,
) -> String {
    let mut text = match options.table {
        Table::Positions => format!(
            "{} from {}",
            counted(u64::from(written.records), "position"),
            counted(summary.counts.games, "game")
        ),
        _ => counted(summary.counts.games, "game"),
    };
    if summary.counts.texts > 0 {
        let _ = write!(text, ", {}", counted(summary.counts.texts, "guiding text"));
    }
    match written.files.as_slice() {
        [] => {}
        [file] => {
            let _ = write!(text, " to {}", file.path_text());
        }
        [file, ..] => {
            let folder = file.parent().unwrap_or(file);
            let count = counted(written.files.len() as u64, "file");
            let _ = write!(text, " to {count} in {}", folder.path_text());
        }
    }
    text + &format!(": {} in {seconds:.1} s", size(written.bytes))
}
