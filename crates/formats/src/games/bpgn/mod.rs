//! Bughouse games (BPGN): see `FORMAT.md` in this folder.

mod game;
mod game_boundary;
mod read;
mod tag_parser;
mod token;
mod write;

use tabia_core::formats::{Confidence, FileFormat, FormatId, GameFormat, Probe};
use tabia_core::loss::{Feature, Features};

/// Bughouse matches as text.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "Bughouse games",
        extensions: &["bpgn"],
        companions: &[],
        by_products: &[],
        score,
        evidence: "made by the tests",
    },
    can: Features::of(&[Feature::Tags, Feature::Comments, Feature::CommentText]),
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: read::open,
    open_stream: Some(|input, options| Ok(read::open_stream(input, options))),
    open_blocks: None,
    create_text: if cfg!(feature = "writers") {
        Some(|options| Ok(Box::new(write::Writer::new(options))))
    } else {
        None
    },
    create: None,
    edit: None,
};

const ID: FormatId = FormatId::new("bpgn");

/// How certainly a file is bughouse: by a tag or move of one of two boards, or its extension.
fn score(probe: &Probe<'_>) -> Confidence {
    let is_text = memchr::memchr(0, probe.head).is_none();
    let kind = kind(probe.head).filter(|_| is_text);
    match (kind, probe.extension().as_str()) {
        (Some(Kind::Bughouse), _) | (Some(Kind::Unknown), "bpgn") => Confidence::Certain,
        (_, "bpgn") if is_text => Confidence::ByName,
        _ => Confidence::No,
    }
}

/// What the start of a text shows of its games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tag for a player of one of the boards, or the number of a move on one of them.
    Bughouse,
    /// A tag for a player, or other movetext.
    Chess,
    /// Neither, as in a game without players and moves.
    Unknown,
}

/// The tags for the players of the two boards.
const PLAYERS: [&str; 4] = ["WhiteA", "BlackA", "WhiteB", "BlackB"];

/// Whether a text is bughouse: its first line of moves begins with the number of a move on one of the boards, or it
/// has a tag for a player of one of them and is not PGN with the moves as a comment.
pub(crate) fn is_bughouse(head: &[u8]) -> bool {
    kind(head) == Some(Kind::Bughouse)
}

/// Whether a text that has the name of a bughouse file has nothing of a game of chess.
pub(crate) fn is_named_bughouse(probe: &Probe<'_>) -> bool {
    probe.extension() == "bpgn" && score(probe) == Confidence::Certain
}

/// What the tags and the first line of moves show; `None` for an empty text.
fn kind(head: &[u8]) -> Option<Kind> {
    let mut kind = None;
    let (mut in_comment, mut has_comment) = (false, false);
    let (mut has_boards, mut has_variant) = (false, false);
    for line in head.split(|&byte| byte == b'\n').take(200) {
        let line = line.trim_ascii();
        if in_comment || line.starts_with(b"{") {
            has_comment = true;
            in_comment = !line.contains(&b'}');
            continue;
        }
        if line.starts_with(b"[") {
            if has_boards && has_comment {
                // Of the next game.
                break;
            }
            kind.get_or_insert(Kind::Unknown);
            for tag in tag_parser::Tags::new(line) {
                has_boards |= PLAYERS.iter().any(|name| name.as_bytes() == tag.name);
                has_variant |= tag.name == b"Variant";
                if matches!(tag.name, b"White" | b"Black") {
                    kind = Some(Kind::Chess);
                }
            }
        } else if line == b"*" {
            kind.get_or_insert(Kind::Unknown);
        } else if !line.is_empty() && !line.starts_with(b"%") {
            let end = line.iter().position(u8::is_ascii_whitespace);
            let first = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
            if token::move_number(first).is_some() {
                return Some(Kind::Bughouse);
            }
            kind = Some(Kind::Chess);
            break;
        }
    }
    if has_boards {
        // In PGN the moves of a match are a comment, and the tag `Variant` states what they are.
        let is_pgn = has_variant && has_comment;
        return Some(if is_pgn { Kind::Chess } else { Kind::Bughouse });
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bughouse_is_distinguished_from_chess() {
        for text in [
            "[Event \"x\"]\n[WhiteA \"a\"][WhiteAElo \"1800\"]\n",
            "[Event \"x\"]\n\n1A. e4 {180} 1a. e5 {180}",
            "1b.Nf6\n",
            "[WhiteA \"a\"]\n\n{a resigns} 0-1\n",
            "[WhiteA \"a\"]\n[Variant \"Bughouse\"]\n\n{late}\n1A. e4 {180} *\n",
            "[WhiteA \"a\"]\n[Variant \"Bughouse\"]\n",
        ] {
            assert!(is_bughouse(text.as_bytes()), "{text}");
        }
        for text in [
            "[Event \"x\"]\n[White \"a\"]\n\n1. e4 {1A. is no move} e5",
            "1. e4 e5 1-0",
            "[Event \"[WhiteA \"]\n",
            "[WhiteA \"a\"]\n[Variant \"Bughouse\"]\n\n{1A. e4 (180)\n1a. e5} 0-1\n\n[WhiteA \"a\"]\n",
            "[WhiteA \"a\"]\n[Variant \"Bughouse\"]\n\n{1A. e4 (180)\n1a. e5}\n0-1\n",
            "",
        ] {
            assert!(!is_bughouse(text.as_bytes()), "{text}");
        }
        let score = |name, head: &str| {
            score(&Probe {
                name: Some(name),
                head: head.as_bytes(),
                len: None,
            })
        };
        assert_eq!(score("a.pgn", "[BlackB \"d\"]"), Confidence::Certain);
        assert_eq!(
            score("a.bpgn", "[Event \"?\"]\n\n{a\n1. e4}\n*\n"),
            Confidence::Certain
        );
        assert_eq!(score("a.bpgn", "[White \"?\"]"), Confidence::ByName);
        assert_eq!(score("a.bpgn", "1. e4 e5 *"), Confidence::ByName);
        assert_eq!(score("a.bpgn", "\0"), Confidence::No);
        assert_eq!(score("a.pgn", "[Event \"?\"]"), Confidence::No);
    }
}
