//! `tabia show`: games as PGN or JSON, guiding texts, boards.

use std::fmt::Write as _;

use tabia::core::GameIndex;
use tabia::core::formats::CreateOptions;
use tabia::core::game::{Annotation, Event, Game, RecordKind, TextKind};
use tabia::read_one::{load_each, load_each_cached};
use tabia::{Error, InputItem};
use unicode_width::UnicodeWidthStr;

use crate::args::{BoardPly, ShowArgs};
use crate::board;
use crate::context::{Context, cache_folder};
use crate::exit_code::ExitCode;
use crate::game_json::document;
use crate::game_pgn::pgn;
use crate::pgn_style;
use crate::select_args::parse_ranges;
use crate::stdout::StdoutWriter;
use crate::terminal;
use crate::units::counted_as;

/// Longest line of a guiding text on a terminal.
const MAX_LINE: usize = 100;

pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode, Error> {
    let numbers = parse_ranges("--game", &args.game)?;
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("show", false, None)?;
    let items = context.contents(std::slice::from_ref(&args.path))?;
    let item = match items.as_slice() {
        [item] => item,
        several => return Err(ambiguous(several)),
    };
    let mut open = context.open.clone();
    open.strict = args.common.strict;
    let mut out = StdoutWriter::new(&context.bar).with_pager(args.common.no_pager);
    let mut gap = "";
    let display = context.display();
    let progress = &context.progress;
    progress.set_total(item.bytes().unwrap_or_default());
    let mut show_one = |number: GameIndex, game: &Game| {
        out.text(std::mem::replace(&mut gap, "\n"))?;
        show(&context, args, number, game, &mut out)
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
    }?;
    drop(display);
    if shown == 0 {
        let text = format!("there is no game {}", args.game);
        return Err(Error::invalid(text).in_file(item.label()));
    }
    out.flush()?;
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish(None)?;
    Ok(code)
}

/// Writes one record.
fn show(
    context: &Context,
    args: &ShowArgs,
    number: GameIndex,
    game: &Game,
    out: &mut StdoutWriter,
) -> Result<(), Error> {
    if args.json {
        return out.bytes(&document(number, game));
    }
    if game.head.kind == RecordKind::Text {
        let text = guiding_text(game);
        return if terminal::stdout_is_terminal() {
            out.text(&wrapped(&text, terminal::width().min(MAX_LINE)))
        } else {
            out.text(&text)
        };
    }
    let mut options = CreateOptions::default();
    options.profile = args.profile;
    options.wrap = !args.no_wrap;
    let text = pgn(context, &options, number, game)?;
    let text = String::from_utf8_lossy(&text);
    pgn_style::write(text.trim_end(), out)?;
    out.text("\n")?;
    if let Some(ply) = args.board {
        out.text("\n")?;
        draw_board(game, ply, out)?;
    }
    Ok(())
}

/// The position after a ply of the mainline, as a board.
fn draw_board(game: &Game, ply: BoardPly, out: &mut StdoutWriter) -> Result<(), Error> {
    let Some(mut position) = game.start_position() else {
        return out.text("The game has no legal start position.\n");
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
    out.escaped(&board::draw(&position, out.is_colored()))
}

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

fn ambiguous(items: &[InputItem]) -> Error {
    let names: Vec<String> = items.iter().take(5).map(InputItem::name).collect();
    Error::usage(format!("name one of several: {}", names.join(", ")))
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

/// The text of an HTML document: tags removed, blocks on lines of their own, common entities decoded.
fn html_to_text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let mut hidden: Option<&str> = None;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if hidden.is_none() {
            push_text(text, &mut out);
        }
        let Some(end) = tag.find('>') else {
            return out.trim().to_owned();
        };
        let inner = tag.get(1..end).unwrap_or_default();
        let name = inner
            .trim_start_matches('/')
            .split([' ', '\n', '\r', '\t', '/'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match (hidden, name.as_str()) {
            (None, "style") => hidden = Some("style"),
            (None, "script") => hidden = Some("script"),
            (None, "title") => hidden = Some("title"),
            (Some(open), close) if open == close && inner.starts_with('/') => hidden = None,
            (None, "br") => out.push('\n'),
            (None, "p" | "div" | "tr" | "li" | "ul" | "ol" | "table" | "h1" | "h2" | "h3") => {
                while out.ends_with(' ') {
                    out.pop();
                }
                if !out.is_empty() && !out.ends_with("\n\n") {
                    out.push('\n');
                }
            }
            _ => {}
        }
        rest = tag.get(end + 1..).unwrap_or_default();
    }
    if hidden.is_none() {
        push_text(rest, &mut out);
    }
    out.trim().to_owned()
}

/// Appends text with white space collapsed and entities decoded.
fn push_text(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut used = c.len_utf8();
        match c {
            ' ' | '\n' | '\r' | '\t' => {
                if !out.is_empty() && !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            '&' => match entity(rest) {
                Some((value, length)) => {
                    out.push(value);
                    used = length;
                }
                None => out.push('&'),
            },
            other => out.push(other),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
}

/// The character of an entity at the start of `text`, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end < 12)?;
    let name = text.get(1..end)?;
    let value = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((value, end + 1))
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

    #[test]
    fn html_becomes_plain_text() {
        let html = "<html><head><title>x</title><style>p {}</style></head>\
            <body><p>One &amp; <b>two</b></p>\n<p>Three&#33;<br>Four</p></body></html>";
        assert_eq!(html_to_text(html), "One & two\n\nThree!\nFour");
    }
}
