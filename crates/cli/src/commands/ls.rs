//! `tabia ls`: one row per game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tabia::list::{ListOptions, ListRow, list};
use tabia::sort::{GameSorter, row_key};
use tabia::{Error, ErrorSide};

use crate::absent_games::AbsentGames;
use crate::args::LsArgs;
use crate::commands::index::index_options;
use crate::context::{Context, Wanted};
use crate::empty_result_hints::hints_of_empty_result;
use crate::exit_code::ExitCode;
use crate::listing::{RowStyle, beyond, is_beyond, line};
use crate::ls_columns::{ColumnChoice, hint_at_column};
use crate::ls_row::{COLUMNS, MOMENT_COLUMNS, NUMERIC, render};
use crate::misplaced_words::misplaced_words;
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::stdout::StdoutWriter;
use crate::table::Table;
use crate::terminal;

pub(crate) fn run(args: &LsArgs) -> Result<ExitCode, Error> {
    if let Some(error) = misplaced_words(&args.paths) {
        return Err(error);
    }
    rows(args, "ls", false, false)
}

/// Rows with the moments at which the games fit the query, or the number of games.
pub(crate) fn search(args: &LsArgs, count_only: bool) -> Result<ExitCode, Error> {
    rows(args, "search", true, count_only)
}

fn rows(args: &LsArgs, verb: &str, moments: bool, count_only: bool) -> Result<ExitCode, Error> {
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter(verb, args.replace.force, None)?;
    let style = RowStyle::of(&args.rows.listing);
    let mut options = ListOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    options.selection.deleted = args.select.records.include_deleted;
    options.selection.texts = args.texts;
    options.filter = parse_query(&args.select.filter, &context.messages)?;
    let order = match &args.sort {
        Some(order) => order.clone(),
        None => options.filter.sort().clone(),
    };
    if order.has_moments() && !options.filter.asks_for_moments() {
        let text = "`--sort ply` sorts by the moment that a query asks for, and there is none";
        let hint = "`--sort plies` sorts by the length of the games";
        return Err(Error::usage(text).with_hint(hint));
    }
    // Only the number of rows does not depend on their order.
    let is_sorted = !order.is_empty() && !count_only;
    if !is_sorted {
        options.offset = args.rows.listing.offset;
        options.limit = args.rows.listing.limit;
    }
    let mut sorter = is_sorted.then(|| GameSorter::new(&order, &std::env::temp_dir()));
    options.strict = args.rows.common.strict;
    options.moments = (moments || order.has_moments()) && !count_only;
    options.count_only = count_only;
    let columns = args.columns.as_deref();
    let choice = columns
        .map(|columns| ColumnChoice::parse(columns, moments))
        .transpose()?;
    if let Some(choice) = &choice {
        options.tags.clone_from(&choice.tags);
    }
    options.annotators = choice
        .as_ref()
        .is_none_or(|choice| choice.names.iter().any(|name| name == "annotator"));
    let annotators_end = Arc::<AtomicBool>::default();
    options.annotators_end = Some(Arc::clone(&annotators_end));
    let has_tag = AtomicU64::new(0);
    options.index = args.rows.index.use_index.into();
    options.index_options = index_options(&context);
    let several = context.are_several(&args.paths);
    let names = match &choice {
        Some(choice) => choice.names.clone(),
        None => column_names(several, moments),
    };
    let layout = RowLayout {
        style: if count_only { RowStyle::Ndjson } else { style },
        names,
        is_chosen: choice.is_some(),
        has_header: !args.rows.listing.no_header,
    };
    let mut output = RowOutput::new(&context, &layout);
    let display = context.display();
    let (mut found, mut is_opened) = (0, false);
    let mut absent = AbsentGames::new(options.selection.numbers.as_ref());
    let is_filtered = !options.filter.is_empty();
    let done = context.for_each_input(&args.paths, Wanted::Games, |item| {
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                reporter.report_failed_input(&error)?;
                return Ok(ExitCode::Input);
            }
        };
        if options.limit == Some(0) {
            output.opened()?;
            return Ok(ExitCode::Done);
        }
        let name = item.name();
        let path = several.then_some(name.as_str());
        let render_row = |row: &ListRow<'_>, out: &mut Vec<u8>| match &choice {
            Some(choice) => {
                note_tags(row, &has_tag);
                choice.render(style, row, &name, out);
            }
            None => render(style, row, moments, path, out),
        };
        let listed = match &mut sorter {
            None => list(
                &item,
                &options,
                &render_row,
                &context.progress,
                &mut reporter,
                &mut |rows| {
                    output.rows(rows)?;
                    let table = output.table.as_ref();
                    if table.and_then(|table| table.shows("annotator")) == Some(false) {
                        annotators_end.store(true, Ordering::Relaxed);
                    }
                    // The next game of a stream may come later.
                    if item.is_stream() {
                        output.out.flush()?;
                    }
                    Ok(())
                },
            ),
            Some(sorter) => list(
                &item,
                &options,
                &|row, out| {
                    let (mut key, mut text) = (Vec::new(), Vec::new());
                    row_key(&order, row, &mut key);
                    render_row(row, &mut text);
                    out.push((key, text));
                },
                &context.progress,
                &mut reporter,
                &mut |rows: &mut Vec<(Vec<u8>, Vec<u8>)>| {
                    let mut rows = rows.drain(..);
                    rows.try_for_each(|(key, text)| sorter.push(key, &text))
                },
            ),
        };
        match listed {
            Ok((summary, rows)) => {
                output.opened()?;
                is_opened = true;
                // The rows may end before the numbers do.
                if options.limit.is_none() || is_sorted {
                    absent.add_counted(&context, &item, &summary.counts, !is_filtered);
                }
                found += rows;
                let shown = rows.saturating_sub(options.offset);
                options.offset = options.offset.saturating_sub(rows);
                options.limit = options.limit.map(|limit| limit.saturating_sub(shown));
                Ok(ExitCode::of_problems(summary.problems))
            }
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                Ok(ExitCode::Input)
            }
            Err(other) => Err(other),
        }
    });
    drop(display);
    let code = reporter.end_at_strict(done)?;
    // Also those that the making of an index has found.
    let code = code.worse(ExitCode::of_problems(reporter.count()));
    if let Some(sorter) = sorter {
        let end = args.rows.listing.limit.unwrap_or(u64::MAX);
        let shown = args.rows.listing.offset..args.rows.listing.offset.saturating_add(end);
        let mut number = 0;
        sorter.finish(&mut |row| {
            let is_shown = shown.contains(&number);
            number += 1;
            if is_shown { output.rows(row) } else { Ok(()) }
        })?;
    }
    // Without an input that can be opened nothing was counted.
    if count_only && (is_opened || code != ExitCode::Input) {
        output.out.text(&format!("{found}\n"))?;
    }
    if code != ExitCode::Input {
        output.opened()?;
    }
    output.finish()?;
    let has_tag = has_tag.into_inner();
    let tags = choice.iter();
    let tags = tags.flat_map(|choice| choice.tags.iter().take(choice.shown_tags));
    for (_, tag) in (0..u64::BITS)
        .zip(tags)
        .filter(|(i, _)| has_tag >> i & 1 == 0)
    {
        // Not all games were looked at if the rows end before.
        let hint = hint_at_column(tag);
        if found > 0 && args.rows.listing.limit.is_none_or(|limit| found < limit) {
            let text = format!("no game has the tag `{tag}`; {hint}");
            context.messages.warning(&text);
        } else if found > 0
            && (hint.starts_with("did you mean") || tag.starts_with(|c: char| c.is_lowercase()))
        {
            let text = format!("none of these games has the tag `{tag}`; {hint}");
            context.messages.warning(&text);
        }
    }
    reporter.finish_reading()?;
    let numbers = args.select.records.games.as_deref();
    let is_asked = !options.filter.is_empty() || numbers.is_some();
    let is_empty = found == 0 && is_asked && args.rows.listing.limit != Some(0);
    // An empty screen could be a mistake; scripts have the exit code.
    let absent = if code == ExitCode::Input {
        ExitCode::Done
    } else {
        absent.report(&context)
    };
    let code = code.worse(absent);
    let is_filtered = !options.filter.is_empty();
    if is_filtered
        && is_empty
        && !count_only
        && code != ExitCode::Input
        && terminal::stdout_is_terminal()
    {
        context.messages.note("no game fits the query");
    }
    if is_empty {
        let inputs = if code == ExitCode::Input {
            &[]
        } else {
            args.paths.as_slice()
        };
        hints_of_empty_result(&context, inputs, &options, &args.select.filter);
    }
    let offset = args.rows.listing.offset;
    let is_beyond = is_beyond(offset, found) && !count_only && args.rows.listing.limit != Some(0);
    if is_beyond {
        context.messages.note(&beyond(offset, found));
    }
    Ok(if is_empty || is_beyond {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}

/// A tab-separated cell as a table shows it: the draw in three characters.
fn table_cell(cell: &str) -> String {
    match cell {
        "1/2-1/2" => "½-½".to_owned(),
        other => other.to_owned(),
    }
}

/// Rows on standard output, with the header and the brackets of a JSON list.
struct RowOutput {
    style: RowStyle,
    out: StdoutWriter,
    table: Option<Table>,
    /// The line with the names of the columns, until an input could be opened.
    head: Vec<u8>,
    empty: bool,
}

/// What rows look like.
struct RowLayout {
    style: RowStyle,
    /// The names of the columns.
    names: Vec<String>,
    /// The user chose the columns.
    is_chosen: bool,
    has_header: bool,
}

/// The names of the columns that rows have without `--columns`.
fn column_names(several: bool, moments: bool) -> Vec<String> {
    let moments: &[&str] = if moments { MOMENT_COLUMNS } else { &[] };
    let path: &[&str] = if several { &["path"] } else { &[] };
    let columns = COLUMNS.iter().chain(moments).chain(path);
    columns.map(|column| (*column).to_owned()).collect()
}

/// Sets the bits of the tags that the row has a value of.
fn note_tags(row: &ListRow<'_>, has_tag: &AtomicU64) {
    let tags = (0..u64::BITS).zip(&row.tags);
    let bits = tags.filter(|(_, value)| value.is_some());
    let bits = bits.fold(0, |bits, (i, _)| bits | 1 << i);
    if bits & !has_tag.load(Ordering::Relaxed) != 0 {
        has_tag.fetch_or(bits, Ordering::Relaxed);
    }
}

impl RowOutput {
    fn new(context: &Context, layout: &RowLayout) -> Self {
        let style = layout.style;
        let mut output = Self {
            style,
            out: StdoutWriter::new(&context.bar).with_pager(context.common.no_pager),
            table: None,
            head: Vec::new(),
            empty: true,
        };
        match style {
            RowStyle::Tsv | RowStyle::Csv if layout.has_header => {
                let names = layout.names.iter().map(String::as_str);
                line(style, names, &mut output.head);
            }
            RowStyle::Table => {
                let mut table = Table::new(&layout.names, NUMERIC);
                if context.common.verbose {
                    table.with_details();
                }
                if layout.is_chosen {
                    table = table.with_all_columns();
                }
                if !layout.has_header {
                    table = table.without_header();
                }
                output.table = Some(table);
            }
            // A list begins with its first row: an error before it leaves nothing half written.
            RowStyle::Tsv | RowStyle::Csv | RowStyle::Json | RowStyle::Ndjson => {}
        }
        output
    }

    /// Writes the names of the columns, once: an error before leaves no table without rows, which looks like a result.
    fn opened(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.head) {
            head if head.is_empty() => Ok(()),
            head => self.out.bytes(&head),
        }
    }

    fn rows(&mut self, rows: &[u8]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        self.opened()?;
        let first = std::mem::take(&mut self.empty);
        if let Some(table) = &mut self.table {
            for row in String::from_utf8_lossy(rows).lines() {
                let cells: Vec<String> = row.split('\t').map(table_cell).collect();
                table.push(&cells, &mut self.out)?;
            }
            return Ok(());
        }
        // Each row of a JSON list begins with a comma, which the first of all must not have.
        let skip = usize::from(first && self.style == RowStyle::Json);
        if skip > 0 {
            self.out.text("[")?;
        }
        self.out.bytes(rows.get(skip..).unwrap_or_default())
    }

    fn finish(mut self) -> Result<(), Error> {
        if let Some(table) = self.table.take() {
            table.finish(&mut self.out)?;
        }
        if self.style == RowStyle::Json {
            self.out.text(if self.empty { "[]\n" } else { "\n]\n" })?;
        }
        self.out.flush()
    }
}
