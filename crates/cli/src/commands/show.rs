//! `tabia show`: games as PGN or JSON, guiding texts, boards.

use std::fmt::Write as _;

use tabia::core::GameIndex;
use tabia::core::formats::CreateOptions;
use tabia::core::game::{Annotation, Event, Game, RecordKind, TextKind};
use tabia::core::shell_argument::file_argument;
use tabia::read_one::{load_each, load_each_cached};
use tabia::select::RecordRanges;
use tabia::{Error, InputItem};
use unicode_width::UnicodeWidthStr;

use crate::absent_games::{AbsentGames, count_records, no_such_game, records_of};
use crate::args::{BoardPly, ShowArgs};
use crate::board;
use crate::context::{Context, cache_folder};
use crate::exit_code::ExitCode;
use crate::game_json::document;
use crate::html_to_text::html_to_text;
use crate::parse_where_and_games::parse_ranges;
use crate::pgn_colors;
use crate::readable_numbers::counted_as;
use crate::stdout::StdoutWriter;
use crate::terminal;

/// Longest line of a guiding text on a terminal.
const MAX_LINE: usize = 100;

pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode, Error> {
    let numbers = match args.game.as_str() {
        "last" => None,
        numbers => Some(parse_ranges("--game", numbers)?),
    };
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("show", args.replace.force, None)?;
    let items = context.contents(std::slice::from_ref(&args.path))?;
    let item = match items.as_slice() {
        [item] => item,
        several => return Err(ambiguous(several, &args.game)),
    };
    let numbers = match numbers {
        Some(numbers) => numbers,
        None => last_game(&context, item)?,
    };
    let mut absent = AbsentGames::new(Some(&numbers));
    let mut open = context.open.clone();
    open.strict = args.common.strict;
    let mut out = StdoutWriter::new(&context.bar).with_pager(args.common.no_pager);
    let (mut gap, mut is_begun) = ("", false);
    // One game is an object, several are one list.
    let is_list = args.json && args.game.contains([',', '-']);
    let display = context.display();
    let progress = &context.progress;
    progress.set_total(item.bytes().unwrap_or_default());
    let mut show_one = |number: GameIndex, game: &Game| {
        let between = match (args.ndjson, is_list) {
            (true, _) => "",
            (false, true) => ",\n",
            (false, false) => "\n",
        };
        let gap = std::mem::replace(&mut gap, between);
        is_begun = true;
        out.text(if is_list && gap.is_empty() {
            "[\n"
        } else {
            gap
        })?;
        show(args, number, game, &mut out)
    };
    let reports = &mut reporter;
    let shown = match cache_folder() {
        Some(cache) => load_each_cached(
            item,
            numbers,
            &open,
            &cache,
            progress,
            reports,
            &mut show_one,
        ),
        None => load_each(item, numbers, &open, progress, reports, &mut show_one),
    };
    // `--strict` may end the list after some games.
    if is_list && is_begun {
        out.text("]\n")?;
    }
    let shown = shown?;
    drop(display);
    if shown == 0 {
        let (error, hint) = error_without_game(&context, item, &args.game);
        context.messages.error_with_hint(&error, &hint);
        return Ok(ExitCode::Input);
    }
    out.flush()?;
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish_reading()?;
    absent.add(&context, item, Some(shown));
    Ok(code.worse(absent.report(&context)))
}

/// The number of the last record.
fn last_game(context: &Context, item: &InputItem) -> Result<RecordRanges, Error> {
    if item.bytes().is_none() {
        let text = "standard input has been read before its last game is known";
        let hint = "save it as a file: `tabia show FILE --game last`";
        return Err(Error::usage(text).with_hint(hint));
    }
    let display = context.display();
    let records = records_of(context, item)?.unwrap_or_default();
    drop(display);
    let last = u32::try_from(records).unwrap_or(u32::MAX).max(1) - 1;
    Ok(RecordRanges::one(GameIndex(last)))
}

/// The error for numbers beyond the last record, and its hint.
fn error_without_game(context: &Context, item: &InputItem, numbers: &str) -> (Error, String) {
    let text = no_such_game(numbers, count_records(context, item));
    let name = item.name();
    let hint = format!(
        "`tabia ls {}` lists the games with their numbers",
        file_argument(&name)
    );
    (Error::invalid(text).in_file(item.label()), hint)
}

/// Writes one record.
fn show(
    args: &ShowArgs,
    number: GameIndex,
    game: &Game,
    out: &mut StdoutWriter,
) -> Result<(), Error> {
    if args.json {
        return out.bytes(&document(number, game));
    }
    if args.ndjson {
        // Line breaks are between values only: texts have them escaped.
        let mut line = document(number, game);
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        return out.bytes(&line);
    }
    if game.head.kind == RecordKind::Text {
        let text = guiding_text(game);
        return if terminal::stdout_is_terminal() {
            out.text(&wrapped(&text, terminal::width().min(MAX_LINE)))
        } else {
            out.text(&text)
        };
    }
    // A ply that the game does not have is an error before anything is printed.
    let board = args
        .board
        .map(|ply| draw_board(game, ply, out.is_colored()));
    let board = board.transpose()?;
    let mut options = CreateOptions::default();
    options.profile = args.profile;
    let is_narrow = terminal::stdout_is_terminal() && terminal::width() < PGN_WIDTH;
    options.wrap = !args.no_wrap && !is_narrow;
    let text = tabia::pgn_with(game, number, &options)?;
    let mut text = String::from_utf8_lossy(&text);
    if is_narrow
        && !args.no_wrap
        && let Some((tags, moves)) = text.split_once("\n\n")
    {
        text = format!("{tags}\n\n{}", wrapped(moves, terminal::width())).into();
    }
    pgn_colors::write(text.trim_end(), out)?;
    out.text("\n")?;
    if let Some(board) = board {
        out.text("\n")?;
        out.escaped(&board)?;
    }
    Ok(())
}

/// The position after a ply of the mainline, as a board.
fn draw_board(game: &Game, ply: BoardPly, is_colored: bool) -> Result<String, Error> {
    let Some(mut position) = game.start_position() else {
        return Ok("The game has no legal start position.\n".to_owned());
    };
    let plies = match ply {
        BoardPly::Last => usize::MAX,
        BoardPly::After(plies) => plies,
    };
    let mut played = 0;
    for ply in game.mainline().take(plies) {
        position.play_ply(ply);
        played += 1;
    }
    if let BoardPly::After(plies) = ply
        && plies > played
    {
        let played = counted_as(played as u64, "ply", "plies");
        let text = format!("`--board={plies}`: the game has {played}");
        return Err(Error::usage(text));
    }
    Ok(board::draw(&position, is_colored))
}

/// The width of lines of PGN.
const PGN_WIDTH: usize = 80;

/// Text broken between words into lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let length = word.trim_end().width();
            if column > 0 && column + length > width {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                column = 0;
            }
            out.push_str(word);
            column += word.width();
        }
    }
    out
}

fn ambiguous(items: &[InputItem], number: &str) -> Error {
    let names: Vec<String> = items.iter().take(5).map(InputItem::name).collect();
    let error = Error::usage(format!("name one of several: {}", names.join(", ")));
    let mut databases = items.iter().filter(|item| item.format().games().is_some());
    match databases.next() {
        Some(first) => error.with_hint(format!(
            "`tabia show {} --game {number}`, for example",
            file_argument(&first.name())
        )),
        None => error,
    }
}

/// Titles and bodies; HTML without its tags.
fn guiding_text(game: &Game) -> String {
    let mut out = String::new();
    for event in game.events() {
        let Event::Annotation(Annotation::Text(part)) = event else {
            continue;
        };
        match part.kind {
            TextKind::Title => drop(write!(out, "# {}\n\n", part.text.trim())),
            TextKind::Plain => drop(write!(out, "{}\n\n", part.text.trim_end())),
            TextKind::Html => drop(write!(out, "{}\n\n", html_to_text(part.text))),
            TextKind::File => drop(writeln!(out, "[{}]", part.text)),
            _ => {}
        }
    }
    let text = out.trim_end();
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(
            wrapped("one two three\nfour\n", 8),
            "one two\nthree\nfour\n"
        );
        assert_eq!(
            wrapped("anextremelylongword x", 8),
            "anextremelylongword\nx"
        );
    }
}
