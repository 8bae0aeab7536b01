//! Writes matches: the tags, one on each line, and the text of the moves.

use tabia_core::chess::{Ply, Position};
use tabia_core::error::GameIndex;
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Tags, Visitor};
use tabia_core::games::TextWriter;
use tabia_core::io::{Charset, encode};
use tabia_core::loss::{Feature, Losses};

use super::PLAYERS;
use super::game::{VARIANT, is_movetext, team};
use super::tag_parser::is_tag;
use crate::games::pgn::texts_outside;

/// Maximal columns of a line.
const WIDTH: usize = 80;

/// Writes matches. Games of chess are left out and reported as losses.
#[derive(Debug)]
pub(super) struct Writer {
    out: Vec<u8>,
    wrap: bool,
    charset: Charset,
    losses: Losses,
    game: GameIndex,
    head: GameHead,
    /// The comments of the game; the first one of a match contains its moves.
    comments: Vec<String>,
    /// Everything that a match cannot hold. It is reported if the game is a match.
    match_losses: Losses,
}

impl Writer {
    pub(super) fn new(options: &CreateOptions) -> Self {
        Self {
            out: Vec::new(),
            wrap: options.wrap,
            charset: options.charset,
            losses: Losses::new(),
            game: GameIndex(0),
            head: GameHead::default(),
            comments: Vec::new(),
            match_losses: Losses::new(),
        }
    }

    fn lose(&mut self, feature: Feature) {
        self.losses.add(feature, 1, Some(self.game));
    }

    fn cannot_hold(&mut self, feature: Feature) {
        self.match_losses.add(feature, 1, Some(self.game));
    }

    fn write_match(&mut self, has_moves: bool, result: GameResult) {
        let start = self.out.len();
        self.write_tags(result);
        self.out.push(b'\n');
        let mut body = String::new();
        for (i, text) in std::mem::take(&mut self.comments).iter().enumerate() {
            if !body.is_empty() {
                body.push(' ');
            }
            if i == 0 && has_moves {
                body.push_str(text);
            } else {
                self.push_comment(text, &mut body);
            }
        }
        if !body.is_empty() {
            body.push(' ');
        }
        body.push_str(result.to_pgn().pgn());
        if result.is_special() {
            self.lose(Feature::SpecialResults);
        }
        push_lines(&body, self.wrap, &mut self.out);
        self.out.extend_from_slice(b"\n\n");
        if self.charset.is_single_byte() {
            let text = self.out.split_off(start);
            let text = String::from_utf8_lossy(&text);
            let (bytes, is_complete) = encode(&text, self.charset);
            self.out.extend_from_slice(&bytes);
            if !is_complete {
                let count = texts_outside(&text, self.charset);
                self.losses.add(Feature::Characters, count, Some(self.game));
            }
        }
    }

    /// Writes the tags, except those that a reader adds by itself.
    fn write_tags(&mut self, result: GameResult) {
        let tags = std::mem::take(&mut self.head.tags);
        let last = tags.len().saturating_sub(1);
        let mut written = 0;
        for (i, (name, value)) in tags.iter().enumerate() {
            let is_redundant = match name {
                "Result" => i == last && value == result.pgn(),
                name => is_derived(&tags, name, value),
            };
            if is_redundant {
                continue;
            }
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if name.is_empty() || !name.bytes().all(is_name) {
                let game = self.game;
                self.losses.add_named(Feature::Tags, name, Some(game));
                continue;
            }
            if value.contains('\n') {
                self.lose(Feature::TagText);
                self.losses.add_name(Feature::TagText, name);
            }
            self.push_tag(name, value);
            written += 1;
        }
        if written == 0 {
            // A game begins with a tag.
            self.push_tag("Result", result.to_pgn().pgn());
        }
        self.head.tags = tags;
    }

    fn push_tag(&mut self, name: &str, value: &str) {
        self.out.push(b'[');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b" \"");
        for byte in value.bytes() {
            match byte {
                b'"' | b'\\' => self.out.extend_from_slice(&[b'\\', byte]),
                b'\n' => self.out.push(b' '),
                byte => self.out.push(byte),
            }
        }
        self.out.extend_from_slice(b"\"]\n");
    }

    /// Appends a comment that does not contain the moves.
    fn push_comment(&mut self, text: &str, body: &mut String) {
        body.push('{');
        let mut blank = "";
        for word in text.split_whitespace() {
            body.push_str(blank);
            body.push_str(&word.replace('}', ")"));
            blank = " ";
        }
        body.push('}');
        if text.contains(['}', '\n']) {
            self.lose(Feature::CommentText);
        }
    }
}

/// Whether a reader derives this tag from others.
fn is_derived(tags: &Tags, name: &str, value: &str) -> bool {
    let is_only = || tags.iter().filter(|(other, _)| *other == name).count() == 1;
    match name {
        "Variant" => value == VARIANT && is_only(),
        "White" | "Black" => team(tags, name).is_some_and(|team| team == value) && is_only(),
        _ => false,
    }
}

/// Appends a text, wrapped if `wrap`. No line is a tag or an escape line.
fn push_lines(body: &str, wrap: bool, out: &mut Vec<u8>) {
    let mut column = 0;
    let mut line_start = out.len();
    let mut checks = 0;
    for (i, word) in body.split(' ').enumerate() {
        let length = word.chars().count();
        let may_break = !word.starts_with(['[', '%', ';']);
        let is_full = wrap && column + 1 + length > WIDTH;
        let before = out.len();
        if i > 0 {
            out.push(b' ');
            column += 1;
        }
        out.extend_from_slice(word.as_bytes());
        column += length;
        // A line that begins with a bracket is a tag as soon as its quotes are closed.
        let could_close = checks < MAX_CHECKS && word.contains(['"', ']']);
        let line = out.get(line_start..).unwrap_or_default();
        let mut is_tag_like = false;
        if could_close && line.starts_with(b"[") {
            checks += 1;
            is_tag_like = is_tag(line);
        }
        if i > 0
            && (is_tag_like || may_break && is_full)
            && let Some(blank) = out.get_mut(before)
        {
            *blank = b'\n';
            line_start = before + 1;
            column = length;
        }
    }
}

/// The most words of a text that are tested for closing a tag, which bounds the time for long lines.
const MAX_CHECKS: u32 = 64;

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.head.clone_from(head);
        self.game = game;
        self.comments.clear();
        self.match_losses.clear();
        if head.deleted {
            self.cannot_hold(Feature::DeletionMarks);
        }
        Flow::Go
    }

    fn visit_move(&mut self, _: &Position, _: Ply) -> Flow {
        self.cannot_hold(Feature::Moves);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match annotation {
            Annotation::Comment(comment) => {
                if comment.language.is_some() {
                    self.cannot_hold(Feature::Languages);
                }
                self.comments.push(comment.text.to_owned());
            }
            other => self.cannot_hold(other.feature()),
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.cannot_hold(Feature::Variations);
        Flow::Skip
    }

    fn end_game(&mut self, result: GameResult) {
        if self.head.kind == RecordKind::Text {
            self.lose(Feature::GuidingTexts);
            return;
        }
        let has_moves = self.comments.first().is_some_and(|text| is_movetext(text));
        let tags = &self.head.tags;
        let is_match = PLAYERS.iter().any(|name| tags.get(name).is_some())
            || tags.text("Variant").eq_ignore_ascii_case(VARIANT)
            || has_moves;
        if !is_match {
            self.lose(Feature::ChessGames);
            return;
        }
        self.losses.merge(&self.match_losses);
        self.write_match(has_moves, result);
    }
}

impl TextWriter for Writer {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_begins_like_a_tag() {
        let lines = |body: &str, wrap| {
            let mut out = Vec::new();
            push_lines(body, wrap, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(lines("[x \"y\"] 1A. e4 *", true), "[x\n\"y\"] 1A. e4 *");
        assert_eq!(lines("[x [y \"z\"] *", true), "[x [y \"z\"] *");
        // The quote that closes the tag is many words after the bracket.
        assert_eq!(
            lines("[x\"] [y {1} z\"] 1A. e4 *", false),
            "[x\"] [y {1}\nz\"] 1A. e4 *"
        );
        assert_eq!(lines("[x\"] [y\" ] *", false), "[x\"] [y\"\n] *");
        let long = format!("{} %x {}", "1A. e4 ".repeat(11).trim(), "é".repeat(70));
        let found = lines(&long, true);
        assert!(
            found.lines().all(|line| !line.starts_with('%')) && found.lines().count() == 2,
            "{found}"
        );
        assert_eq!(found.replace('\n', " "), long);
        assert_eq!(lines(&long, false), long);
    }
}
