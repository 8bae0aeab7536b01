//! Parses and writes lines: a position and its operations.

use tabia_core::chess::Setup;
use tabia_core::error::{Error, Result};
use tabia_core::game::{GameHead, Tags};
use tabia_core::io::{Charset, decode};

/// A line that is neither empty nor a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// Offset of the first byte in the text.
    pub(super) at: usize,
    /// The number of the line, from 1.
    pub(super) number: u64,
}

/// The byte order mark that some editors write.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of a text, without empty lines and comments.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let skipped = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let text = text.get(skipped..).unwrap_or_default();
    let mut at = skipped;
    text.split(|byte| *byte == b'\n')
        .zip(1u64..)
        .filter_map(move |(bytes, number)| {
            let start = at;
            at += bytes.len() + 1;
            let trimmed = bytes.trim_ascii();
            let is_comment = matches!(trimmed.first(), None | Some(b'#' | b'%'));
            let line = Line {
                bytes: trimmed,
                at: start + (bytes.len() - bytes.trim_ascii_start().len()),
                number,
            };
            (!is_comment).then_some(line)
        })
}

/// Splits a line after the fields of its position.
fn split_position(line: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    let mut end = 0;
    for field in 0..6 {
        let rest = line.get(at..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_ascii_start().len();
        let rest = rest.trim_ascii_start();
        let length = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || *byte == b';')
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        if word.is_empty() || field >= 4 && !is_number {
            break;
        }
        at += blanks + length;
        end = at;
    }
    line.split_at(end)
}

/// The operations without the dashes that some suites write before them, where FEN has its clocks.
fn without_absent_clocks(mut rest: &[u8]) -> &[u8] {
    while let Some(after) = rest.trim_ascii_start().strip_prefix(b"-")
        && after.first().is_none_or(u8::is_ascii_whitespace)
    {
        rest = after;
    }
    rest
}

/// Whether a line begins with a position.
pub(super) fn is_position(line: &[u8]) -> bool {
    let (position, _) = split_position(line);
    let board = position.split(u8::is_ascii_whitespace).next();
    let ranks = board.map(|board| board.split(|byte| *byte == b'/').count());
    ranks == Some(8) && Setup::parse_fen(position).is_ok()
}

/// Parses a line into `head`, and with `tags` its operations into tags. An error if the line is not a
/// position.
pub(super) fn read(line: &[u8], charset: Charset, tags: bool, head: &mut GameHead) -> Result<()> {
    head.clear();
    let (position, rest) = split_position(line);
    let rest = without_absent_clocks(rest);
    let mut setup =
        Setup::parse_fen(position).map_err(|error| Error::invalid(error.to_string()))?;
    for (name, operand) in operations(rest) {
        let number = || std::str::from_utf8(operand).ok()?.parse().ok();
        match (name, number()) {
            (b"hmvc", Some(plies)) => setup.half_move_clock = plies,
            (b"fmvn", Some(number)) => setup.full_move_number = number,
            _ if tags => {
                let name = decode(name, charset);
                let operand = if is_text(&name) {
                    unquoted(operand)
                } else {
                    operand
                };
                head.tags.push(&name, &decode(operand, charset));
            }
            _ => {}
        }
    }
    if setup != Setup::standard() {
        head.start.setup = Some(Box::new(setup));
        let position = head.start.position();
        head.start.chess960 = position.is_some_and(|position| position.is_chess960());
    }
    Ok(())
}

/// The operations of a line: names, and operands with their quotes.
fn operations(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        while let Some(after) = rest.strip_prefix(b";") {
            rest = after.trim_ascii_start();
        }
        if rest.is_empty() {
            return None;
        }
        let (operation, after) = rest.split_at(operation_end(rest));
        rest = after;
        let operation = operation.trim_ascii_end();
        let name = operation
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(operation.len());
        let (name, operand) = operation.split_at(name);
        Some((name, operand.trim_ascii()))
    })
}

/// The end of the first operation: a semicolon outside quotes, or the end of the text.
fn operation_end(text: &[u8]) -> usize {
    let mut quoted = false;
    let end = text.iter().position(|byte| {
        quoted ^= *byte == b'"';
        *byte == b';' && !quoted
    });
    // If a quote is not closed, the next semicolon ends the operation.
    let is_unclosed = quoted && end.is_none();
    let semicolon = || {
        text.iter()
            .position(|byte| *byte == b';')
            .filter(|_| is_unclosed)
    };
    end.or_else(semicolon).unwrap_or(text.len())
}

/// A single operand in quotes without these; other operands unchanged.
fn unquoted(operand: &[u8]) -> &[u8] {
    let inner = operand
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    inner
        .filter(|inner| !inner.contains(&b'"'))
        .unwrap_or(operand)
}

/// Appends the operations for the tags whose names `is_written` accepts. Returns the number of values
/// that had to be changed.
pub(super) fn write_operations(
    tags: &Tags,
    is_written: impl Fn(&str) -> bool,
    out: &mut Vec<u8>,
) -> u64 {
    let mut changed = 0;
    for (name, text) in tags.iter().filter(|(name, _)| is_written(name)) {
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        let quoted = format!("\"{text}\"");
        let round_trips = |written: &str| {
            let written = written.as_bytes();
            let unquoted = if is_text(name) {
                unquoted(written)
            } else {
                written
            };
            written.trim_ascii() == written
                && !written.contains(&b'\n')
                && !written.contains(&b'\r')
                && operation_end(written) == written.len()
                && unquoted == text.as_bytes()
        };
        if text.is_empty() && !is_text(name) {
            // Only the name.
        } else if !is_text(name) && round_trips(text) {
            out.push(b' ');
            out.extend_from_slice(text.as_bytes());
        } else if round_trips(&quoted) {
            out.push(b' ');
            out.extend_from_slice(quoted.as_bytes());
        } else if round_trips(text) {
            out.push(b' ');
            out.extend_from_slice(text.as_bytes());
        } else {
            changed += 1;
            let changed_text = text.replace('"', "'").replace(['\n', '\r'], " ");
            out.extend_from_slice(format!(" \"{changed_text}\"").as_bytes());
        }
        out.push(b';');
    }
    changed
}

/// Whether the operand of an operation is a text, which is written in quotes.
fn is_text(name: &str) -> bool {
    let mut letters = name.bytes();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(b'D'), Some(b'0'..=b'9'), _) => false,
        (Some(b'c' | b'v'), Some(b'0'..=b'9'), None) => true,
        (Some(b'A'..=b'Z'), ..) => !is_operation(name),
        _ => ["id", "eco", "nic", "rc", "ts"].contains(&name),
    }
}

/// Whether the name of a tag is that of an operation.
pub(super) fn is_operation(name: &str) -> bool {
    match name.as_bytes() {
        [b'D', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            rest.iter().all(u8::is_ascii_digit)
        }
        // Also names of two letters, for engines and authors in test suites; those of PGN are longer.
        [b'a'..=b'z', ..] | [b'A'..=b'Z', _] => is_name(name),
        _ => false,
    }
}

/// Whether a name can be that of an operation: not empty, without blanks, semicolons and quotes, and
/// neither `hmvc` nor `fmvn`.
pub(super) fn is_name(name: &str) -> bool {
    let is_reserved = ["hmvc", "fmvn"].contains(&name);
    let is_separator = |byte: u8| byte.is_ascii_whitespace() || byte == b';' || byte == b'"';
    !is_reserved && !name.is_empty() && !name.bytes().any(is_separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> GameHead {
        let mut head = GameHead::default();
        read(line.as_bytes(), Charset::Auto, true, &mut head).unwrap();
        head
    }

    #[test]
    fn dashes_instead_of_clocks_are_no_operation() {
        // ERET's first line has one.
        for dashes in ["-", "- -"] {
            let head = read_line(&format!(
                "8/8/8/8/4k3/8/8/4K2R w K - {dashes} bm O-O; id \"1\";"
            ));
            let tags: Vec<_> = head.tags.iter().collect();
            assert_eq!(tags, [("bm", "O-O"), ("id", "1")], "{dashes}");
        }
    }

    #[test]
    fn operations_are_tags() {
        let head = read_line(
            "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC; 001\"; \
             c0 \"a\" \"b\"; noop; hmvc 3; fmvn 40",
        );
        let tags: Vec<_> = head.tags.iter().collect();
        let expected = [
            ("bm", "Qg6"),
            ("id", "WAC; 001"),
            ("c0", "\"a\" \"b\""),
            ("noop", ""),
        ];
        assert_eq!(tags, expected);
        let setup = head.start.setup.unwrap();
        assert_eq!((setup.half_move_clock, setup.full_move_number), (3, 40));
        let mut out = Vec::new();
        assert_eq!(write_operations(&head.tags, is_operation, &mut out), 0);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, " bm Qg6; id \"WAC; 001\"; c0 \"a\" \"b\"; noop;");
    }

    #[test]
    fn fen_perft_and_unclosed_quotes_are_parsed() {
        let fen = read_line("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 5 3");
        assert_eq!(fen.start.setup.unwrap().full_move_number, 3);
        let perft = read_line("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66");
        let tags: Vec<_> = perft.tags.iter().collect();
        assert_eq!(tags, [("D1", "15"), ("D2", "66")]);
        let start = read_line("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(start.start.setup.is_none() && start.tags.is_empty());
        let open = read_line("4k3/8/8/8/8/8/8/4K2R w K - id \"open; bm Kf1;");
        assert_eq!(open.tags.get("bm"), Some("Kf1"));
        let mut head = GameHead::default();
        assert!(read(b"no position", Charset::Auto, true, &mut head).is_err());
        assert!(!is_position(b"no position") && !is_position(b"1. e4 e5 2. Nf3 *"));
        let text = b"\xef\xbb\xbf# a comment\r\n\n 8/8/8/8/8/8/8/8 w - -\r\n";
        let found: Vec<_> = lines(text).map(|line| (line.at, line.number)).collect();
        assert_eq!(found, [(18, 3)]);
    }

    #[test]
    fn operands_round_trip_with_their_quotes() {
        let line = " b \"foo bar\"; theme \"a; b\"; v \"Ke2\"; e \"\"; Ae \"x 15\"; id \"a b\"; bm Qg6 Nf3;";
        let head = read_line(&format!("4k3/8/8/8/8/8/8/4K3 w - -{line}"));
        assert_eq!(head.tags.get("b"), Some("\"foo bar\""));
        assert_eq!(head.tags.get("id"), Some("a b"));
        let mut out = Vec::new();
        assert_eq!(write_operations(&head.tags, is_operation, &mut out), 0);
        assert_eq!(String::from_utf8(out).unwrap(), line);
    }

    #[test]
    fn changed_values_are_counted() {
        let tags: Tags = [("id", "a \"b; c"), ("White", "X"), ("bm", "")]
            .into_iter()
            .collect();
        let mut out = Vec::new();
        assert_eq!(write_operations(&tags, is_operation, &mut out), 1);
        assert_eq!(out, b" id \"a 'b; c\"; bm;");
        out.clear();
        assert_eq!(write_operations(&tags, is_name, &mut out), 1);
        assert_eq!(out, b" id \"a 'b; c\"; White \"X\"; bm;");
    }
}
