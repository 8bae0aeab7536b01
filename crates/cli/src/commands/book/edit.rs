//! `tabia book edit`: changes moves, or lists them as rows that can be imported.

use std::path::Path;

use csv::StringRecord;
use serde::Serialize;
use tabia::book::edit::{BookRow, Change, EditTarget, StoredMoves, edit, rows};
use tabia::book::find::{nag_of, symbols};
use tabia::book::merge::MergeOptions;
use tabia::book::position_arg;
use tabia::core::books::Learn;
use tabia::core::chess::{Ply, Position, Square};
use tabia::core::game::Nag;
use tabia::core::io::Progress;
use tabia::query::nearest;
use tabia::{Error, InputItem};

use super::merge::merge_options;
use super::open_books::{book_input, open_book, report_damage, report_problems_of_all};
use super::report_written::{advice_name, keeps_old, report_merged};
use super::target_format::{book_format, is_stdout};
use crate::args::book::{Advice, BookEditArgs, whole_number};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Displayed;
use crate::listing::{Listing, RowStyle};
use crate::output_conflicts::{refuse_inputs, refuse_other_format};
use crate::readable_numbers::{counted, grouped};
use crate::typed_position::{TypedPosition, parse_move};

const COLUMNS: &[&str] = &[
    "key",
    "fen",
    "move",
    "weight",
    "games",
    "white",
    "draws",
    "black",
    "averageRating",
    "performance",
    "annotation",
    "advice",
    "comment",
    "learn",
];
/// The columns of what a book counts, which cannot be set.
const COUNTS: &[&str] = &[
    "games",
    "white",
    "draws",
    "black",
    "averageRating",
    "performance",
];
const NUMERIC: &[&str] = &[
    "weight",
    "games",
    "white",
    "draws",
    "black",
    "averageRating",
    "performance",
];

pub(crate) fn run(args: &BookEditArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let item = book_input(&context, &args.book)?;
    refuse_inputs(
        std::slice::from_ref(&item),
        &[args.output.as_deref(), args.common.report.as_deref()],
    )?;
    let mut reporter = context.reporter("book edit", args.force, None)?;
    let options = merge_options(&context, args.force, &mut reporter);
    let Some(output) = &args.output else {
        let book = open_book(&context, &item, &mut reporter)?;
        report_damage(&context, &item, &*book, &mut reporter)?;
        list(args, &context, &item, &options)?;
        let code = ExitCode::of_problems(reporter.count());
        reporter.finish(None)?;
        return Ok(code);
    };
    book_format(&context, output, None)?;
    refuse_other_format(&item, output, "tabia book convert")?;
    let stored = StoredMoves::of(&item, &options.open)?;
    let changes = match (&args.import, &args.m) {
        (Some(path), _) => import(path, &stored, &context.progress)?,
        (None, Some(m)) => vec![change(args, m, &stored)?],
        (None, None) => {
            let text = "nothing to change: give `--move` with `--weight`, or `--import`";
            return Err(Error::usage(text));
        }
    };
    report_problems_of_all(&context, std::slice::from_ref(&item), &mut reporter)?;
    let display = context.display();
    let merged = edit(&item, changes, output, &options, &context.progress);
    drop(display);
    let merged = merged?;
    let inputs = std::slice::from_ref(&item);
    let keeps_old = keeps_old(output, &merged);
    let code = report_merged(&context, reporter, inputs, output, &merged)?;
    if keeps_old {
        return Ok(code);
    }
    let edits = merged.edits;
    context.messages.note(&format!(
        "{} changed, {} added, {} removed",
        counted(edits.changed, "move"),
        grouped(edits.added),
        grouped(edits.removed)
    ));
    Ok(code)
}

/// A move of a position: a legal one, else one in coordinates that the book stores there.
fn parse_stored_move(
    stored: &StoredMoves,
    position: Position,
    text: &str,
) -> Result<EditTarget, Error> {
    let error = match parse_move(&position, text) {
        Ok(m) => return Ok(EditTarget::Board(Box::new(position), m)),
        Err(error) => error,
    };
    let bits = polyglot_bits(text).filter(|bits| stored.has(position.key(), *bits));
    Ok(EditTarget::Key(position.key(), bits.ok_or(error)?))
}

fn list(
    args: &BookEditArgs,
    context: &Context,
    item: &InputItem,
    options: &MergeOptions,
) -> Result<(), Error> {
    // Those of one position, if one is named.
    let is_named = args.position.fen.is_some() || args.position.moves.is_some();
    let wanted = if is_named {
        Some(args.position.parse()?.position.key())
    } else {
        None
    };
    let mut columns = COLUMNS.to_vec();
    let is_table = RowStyle::of(&args.listing) == RowStyle::Table;
    if is_table {
        // People read positions; keys are for scripts.
        columns.retain(|column| *column != "key");
    }
    let listing = Listing::new(&context.bar, &args.listing, &columns, NUMERIC);
    let mut listing = listing.paged(context);
    listing.keep_column("fen");
    let mut last = String::new();
    rows(item, options, &context.progress, &mut |row| {
        if wanted.is_some_and(|key| key != row.key) {
            return Ok(());
        }
        let mut shown = MoveRow::new(&row);
        if !is_table {
            return listing.push(&shown);
        }
        // Of each position the first row states it.
        let name = match shown.fen {
            Some(fen) => fen.to_owned(),
            None => format!("position {}", shown.key),
        };
        shown.fen = Some(if name == last { "" } else { &name });
        listing.push(&shown)?;
        last = name;
        Ok(())
    })?;
    listing.finish()
}

/// A move of a book; what the book does not hold is null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveRow<'a> {
    key: String,
    fen: Option<&'a str>,
    #[serde(rename = "move")]
    uci: &'a str,
    weight: Option<u32>,
    games: Option<u64>,
    white: Option<u64>,
    draws: Option<u64>,
    black: Option<u64>,
    average_rating: Option<u16>,
    performance: Option<u16>,
    annotation: Option<String>,
    advice: Option<&'static str>,
    comment: Option<&'a str>,
    /// Eight hexadecimal digits.
    learn: Option<Displayed<Learn>>,
}

impl<'a> MoveRow<'a> {
    fn new(row: &'a BookRow) -> Self {
        let entry = &row.entry;
        let learn = entry.learn.filter(|learn| !learn.is_zero());
        Self {
            key: format!("{:016x}", row.key),
            fen: row.fen.as_deref(),
            uci: &row.uci,
            weight: entry.weight,
            games: entry.games,
            white: entry.results.map(|results| results.white),
            draws: entry.results.map(|results| results.draws),
            black: entry.results.map(|results| results.black),
            average_rating: entry.average_rating,
            performance: entry.performance,
            annotation: symbols(&entry.nags),
            advice: entry.recommended.map(advice_name),
            comment: entry.comment.as_deref(),
            learn: learn.map(Displayed),
        }
    }
}

/// The change that the command line describes.
fn change(
    args: &BookEditArgs,
    m: &str,
    stored: &StoredMoves,
) -> Result<(EditTarget, Change), Error> {
    let TypedPosition { position, .. } = args.position.parse()?;
    let target = parse_stored_move(stored, position, m)?;
    let nags = args.annotation.as_deref().map(nags).transpose();
    let mut change = Change::default();
    change.remove = args.remove;
    change.weight = args.weight;
    change.nags = nags.map_err(Error::usage)?;
    change.advice = args.advice.map(|advice| match advice {
        Advice::Play => Some(true),
        Advice::Avoid => Some(false),
        Advice::None => None,
    });
    change.comment.clone_from(&args.comment);
    if change == Change::default() {
        let text = "nothing to change: give `--weight`, `--annotation`, `--advice`, `--comment` or `--remove`";
        return Err(Error::usage(text));
    }
    Ok((target, change))
}

fn nags(text: &str) -> Result<Vec<Nag>, String> {
    text.split_whitespace()
        .map(|word| nag_of(word).ok_or_else(|| format!("`{word}` is not a symbol")))
        .collect()
}

/// The changes of a file of rows, or of standard input if it is `-`.
fn import(
    path: &Path,
    stored: &StoredMoves,
    progress: &Progress,
) -> Result<Vec<(EditTarget, Change)>, Error> {
    let text = if is_stdout(path) {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| Error::from(error).in_path(path))?;
    let invalid = |line: u64, why: String| {
        let error = Error::invalid(why).at_line(line, 1);
        error.in_path(path)
    };
    let all = records(&text).map_err(|error| invalid(1, error.to_string()))?;
    let mut all = all.into_iter();
    let Some((_, names)) = all.next() else {
        return Err(invalid(1, "the file has no rows".to_owned()));
    };
    let has = |name: &str| names.iter().any(|column| column == name);
    if !has("move") || !(has("fen") || has("key")) {
        let why = "the first row names no columns `move` and `fen` or `key`";
        return Err(invalid(1, why.to_owned()));
    }
    if let Some(name) = names
        .iter()
        .find(|name| !name.is_empty() && !COLUMNS.contains(name))
    {
        let why = match nearest(name, COLUMNS) {
            Some(near) => format!("column `{name}` is unknown; did you mean `{near}`?"),
            None => format!(
                "column `{name}` is unknown: they are `{}`",
                COLUMNS.join("`, `")
            ),
        };
        return Err(invalid(1, why));
    }
    let mut changes = Vec::new();
    // Moves that the book does not have, in positions of which the rows have only the key: with their lines.
    let mut new_by_key: Vec<(u64, u64, String)> = Vec::new();
    // A listing of a book without anything that can be set has its counts alone, and changes nothing.
    let mut has_counts = false;
    for (line, cells) in all {
        let cell = |name: &str| {
            let column = names.iter().position(|column| column == name)?;
            cells.get(column).filter(|cell| !cell.is_empty())
        };
        let change = parse_change(&cell).map_err(|why| invalid(line, why))?;
        if change == Change::default() {
            has_counts |= COUNTS.iter().any(|name| cell(name).is_some());
            continue;
        }
        let target = parse_target(&cell, stored).map_err(|why| invalid(line, why))?;
        if let EditTarget::Key(key, bits) = target
            && !change.remove
            && !stored.has(key, bits)
        {
            new_by_key.push((line, key, cell("move").unwrap_or_default().to_owned()));
        }
        changes.push((target, change));
    }
    let keys = new_by_key.iter().map(|(_, key, _)| *key).collect();
    let positions = if new_by_key.is_empty() {
        None
    } else {
        stored.positions(&keys, progress)?
    };
    for (line, key, m) in new_by_key {
        let Some(positions) = &positions else { break };
        let Some(position) = positions.get(&key) else {
            let why = format!(
                "the position of key {key:016x} is not known, so that its new move cannot be checked: give its `fen`"
            );
            return Err(invalid(line, why));
        };
        if position.parse_uci(&m).and_then(Ply::to_move).is_none() {
            let why = format!("`{m}` is not a legal move in {}", position.fen());
            return Err(invalid(line, why));
        }
    }
    if changes.is_empty() && !has_counts {
        let why = "no row sets anything: all cells after the move are empty";
        return Err(invalid(1, why.to_owned()));
    }
    Ok(changes)
}

fn parse_change<'c>(cell: &impl Fn(&str) -> Option<&'c str>) -> Result<Change, String> {
    let weight = cell("weight");
    let mut change = Change::default();
    change.remove = weight == Some("-");
    if let Some(text) = weight.filter(|_| !change.remove) {
        let number: u16 = whole_number(text)
            .ok_or_else(|| format!("`{text}` is not a weight from 0 to {}", u16::MAX))?;
        change.weight = Some(u32::from(number));
    }
    change.nags = cell("annotation").map(nags).transpose()?;
    change.advice = match cell("advice") {
        None => None,
        Some("play") => Some(Some(true)),
        Some("avoid") => Some(Some(false)),
        Some("none") => Some(None),
        Some(text) => return Err(format!("`{text}` is not an advice: play, avoid or none")),
    };
    change.comment = cell("comment").map(str::to_owned);
    if let Some(text) = cell("learn") {
        let learn = Learn::parse(text);
        change.learn = Some(learn.ok_or_else(|| format!("`{text}` is not four bytes"))?);
    }
    Ok(change)
}

fn parse_target<'c>(
    cell: &impl Fn(&str) -> Option<&'c str>,
    stored: &StoredMoves,
) -> Result<EditTarget, String> {
    let m = cell("move").ok_or("the row names no move")?;
    if let Some(fen) = cell("fen") {
        let position = position_arg::position_of_fen(fen)?;
        let target = parse_stored_move(stored, position, m);
        return target.map_err(|failure| failure.to_string());
    }
    let key = cell("key").ok_or("the row names neither `fen` nor `key`")?;
    let key = u64::from_str_radix(key, 16).map_err(|_| format!("`{key}` is not a key"))?;
    let bits = polyglot_bits(m).ok_or_else(|| format!("`{m}` is not a move in coordinates"))?;
    Ok(EditTarget::Key(key, bits))
}

/// The 16 bits of a Polyglot move; castling is king takes rook.
fn polyglot_bits(text: &str) -> Option<u16> {
    let bytes = text.as_bytes();
    let from = Square::parse(bytes.get(..2)?)?;
    let to = Square::parse(bytes.get(2..4)?)?;
    let promotion = match bytes.get(4..)? {
        b"" => 0,
        b"n" => 1,
        b"b" => 2,
        b"r" => 3,
        b"q" => 4,
        _ => return None,
    };
    Some(u16::from(to.number()) | u16::from(from.number()) << 6 | promotion << 12)
}

/// The records of a file of values separated by commas, semicolons or tabs, as the first row is, each with
/// the line it begins in. Records without content are left out.
fn records(text: &str) -> csv::Result<Vec<(u64, StringRecord)>> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = *b"\t;"
        .iter()
        .find(|delimiter| first.contains(char::from(**delimiter)))
        .unwrap_or(&b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        // Listings separated by tabs quote nothing.
        .quoting(delimiter != b'\t')
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut all = Vec::new();
    let mut record = StringRecord::new();
    // The reader counts from before the line breaks that come before a record.
    let (mut line, mut counted) = (1, 0);
    while reader.read_record(&mut record)? {
        let start = record.position().map_or(0, csv::Position::byte) as usize;
        let rest = text.get(start..).unwrap_or_default();
        let start = text.len() - rest.trim_start_matches(['\r', '\n']).len();
        line += text
            .get(counted..start)
            .unwrap_or_default()
            .matches('\n')
            .count() as u64;
        counted = start;
        if record.iter().any(|cell| !cell.is_empty()) {
            all.push((line, record.clone()));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_know_their_line() {
        let text = "\u{feff}a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n,2";
        let record = |cells: &[&str]| StringRecord::from(cells.to_vec());
        assert_eq!(
            records(text).unwrap(),
            [
                (1, record(&["a", "b"])),
                (2, record(&["1", "x, \"y\"\nz"])),
                (5, record(&["", "2"])),
            ]
        );
    }

    #[test]
    fn rows_are_separated_as_the_first_row() {
        for text in ["key,move\n1,e2e4", "key;move\n1;e2e4", "key\tmove\n1\te2e4"] {
            let all = records(text).unwrap();
            let cells: Vec<&str> = all[1].1.iter().collect();
            assert_eq!(cells, ["1", "e2e4"], "{text}");
        }
    }

    #[test]
    fn coordinates_become_polyglot_moves() {
        assert_eq!(polyglot_bits("e2e4"), Some(0x031c));
        assert_eq!(polyglot_bits("e7e8q"), Some(0x4d3c));
        assert_eq!(polyglot_bits("e9"), None);
    }
}
