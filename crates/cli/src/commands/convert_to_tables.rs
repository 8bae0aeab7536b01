//! `tabia convert` to tables: Parquet and Arrow.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use tabia::convert::ConvertOptions;
use tabia::{Error, Summary, Written};
use tabia_columns::schema::{GameColumns, Table};
use tabia_columns::write::{TableFile, TableOptions, write_table};

use crate::absent_games::absent_games;
use crate::args::ConvertArgs;
use crate::args::parquet_options::TableArg;
use crate::commands::converted::Converted;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::messages::NO_GAME_IN_SHARD;
use crate::output_conflicts::refuse_only_itself;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, size};
use crate::report::report_losses;
use crate::resolve_output_target::{not_positions, refuse_existing};
use crate::stdout::StdoutWriter;

/// The kinds of tables that `--to` names.
const KINDS: [&str; 2] = ["parquet", "arrow"];

/// Whether the output is a table.
pub(crate) fn is_asked_for(args: &ConvertArgs) -> bool {
    if let Some(kind) = args.to.as_deref() {
        return KINDS.contains(&kind);
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
    let table = &args.table;
    let used = [
        (table.table != TableArg::Games, "--table"),
        (table.columns.is_some(), "--columns"),
        (table.with_pgn.is_some(), "--with-pgn"),
        (table.comments.is_some(), "--comments"),
        (table.plies.is_some(), "--plies"),
        (table.fen, "--fen"),
        (table.shards.is_some(), "--shards"),
        (table.partition.is_some(), "--partition"),
    ];
    match used.into_iter().find(|(is_used, _)| *is_used) {
        None => Ok(()),
        Some((_, option)) => {
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
        return Err(not_positions());
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
    let mut options = table_options(args, plan)?;
    if args.table.partition.is_some() && options.columns.names().all(|name| name != "year") {
        let text = "`--partition year` needs the column `year`: `--columns year,…`";
        return Err(Error::usage(text));
    }
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
        Some(name) => in_files(file_of(name, args)?, args, context.threads)?,
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

fn table_options(args: &ConvertArgs, plan: ConvertOptions) -> Result<TableOptions, Error> {
    let table = &args.table;
    let mut options = TableOptions::default();
    options.open = plan.open;
    options.plan = plan.plan;
    options.table = table.table.table();
    if options.table == Table::BookRows {
        let text = "book rows are made of books: `tabia book convert BOOK -o rows.parquet`";
        return Err(Error::usage(text));
    }
    let is_games = options.table == Table::Games;
    let wrong = [
        (is_games && table.plies.is_some(), "--plies", "positions"),
        (is_games && table.fen, "--fen", "positions"),
        (!is_games && table.columns.is_some(), "--columns", "games"),
        (!is_games && table.with_pgn.is_some(), "--with-pgn", "games"),
        (!is_games && table.comments.is_some(), "--comments", "games"),
        (
            !is_games && table.partition.is_some(),
            "--partition",
            "games",
        ),
    ];
    if let Some((_, option, name)) = wrong.into_iter().find(|(is_wrong, _, _)| *is_wrong) {
        let text = format!("`{option}` is for the table `{name}`");
        return Err(Error::usage(text));
    }
    if let Some(names) = &table.columns {
        options.columns = GameColumns::parse(names)?;
    }
    options.with_pgn = table.with_pgn;
    options.all_comments = table.comments.is_some();
    if let Some(plies) = &table.plies {
        options.plies = plies.clone();
    }
    options.fen = table.fen;
    Ok(options)
}

fn file_of<'a>(name: &str, args: &ConvertArgs) -> Result<TableFile<'a>, Error> {
    match (args.to.as_deref(), TableFile::of_name(name)) {
        (Some("arrow"), Some(TableFile::Folder(..))) => Err(Error::usage(
            "a folder has Parquet files; give a file for Arrow",
        )),
        (Some("arrow"), _) => Ok(TableFile::Arrow(name.into())),
        (_, Some(TableFile::Folder(path, bytes))) => Ok(TableFile::Folder(path, bytes)),
        (Some(_), _) => Ok(TableFile::Parquet(name.into())),
        (None, Some(file)) => Ok(file),
        (None, None) => Err(Error::usage(format!("{name}: no table has this extension"))),
    }
}

/// The folder in as many files as `--shards` asks for, or in the folders of `--partition`.
fn in_files<'a>(
    file: TableFile<'a>,
    args: &ConvertArgs,
    threads: usize,
) -> Result<TableFile<'a>, Error> {
    if args.table.partition.is_some() {
        return match file {
            TableFile::Folder(folder, bytes) => Ok(TableFile::Years(folder, bytes)),
            _ => Err(Error::usage("`--partition` is for folders: `-o folder/`")),
        };
    }
    match (args.table.shards, file) {
        (None, file) => Ok(file),
        (Some(count), TableFile::Folder(folder, _)) => Ok(TableFile::Shards {
            folder,
            count: usize::from(count),
            threads,
        }),
        (Some(_), _) => Err(Error::usage("`--shards` is for folders: `-o folder/`")),
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
