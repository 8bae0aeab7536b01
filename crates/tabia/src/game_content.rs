//! What a game without moves or without players contains, in a form that the copies of one game in all
//! formats have in common.

use std::fmt::Write as _;

use tabia_core::chess::Ply;
use tabia_core::game::{Annotation, CommentPlacement, GameHead, GameResult};

/// Characters of event and site that every format keeps.
const KEPT_CHARACTERS: usize = 30;
/// The greatest part of a round that every format keeps.
const MAX_ROUND: u32 = 255;

/// The greatest rating that every format keeps.
const MAX_RATING: u16 = 4000;

/// The content of a game while it is read: tags, start, moves, variations, comments, NAGs and the squares of
/// shapes. What some format writes in another way is left out: blanks and braces of comments, whether they
/// precede a move or follow the one before it, colours of shapes, unknown values.
#[derive(Debug, Default)]
pub(crate) struct GameContent {
    /// The moves of all lines with the bounds of variations, later all of the content.
    text: String,
    /// Moves so far.
    moves: usize,
    /// The numbers of the last move of the open lines, `None` before the first one of a variation, and of the one
    /// before it.
    lines: Vec<(Option<usize>, Option<usize>)>,
    notes: Vec<Note>,
    /// Quoted games are texts, as in a format that has no others.
    pub(crate) has_quotations_as_text: bool,
}

/// An annotation, which formats have in different orders: after a move or after its variations.
#[derive(Debug)]
struct Note {
    /// The number of its move from 1; 0 for the game.
    node: usize,
    kind: NoteKind,
    /// Precedes the first move of its line.
    comes_first: bool,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NoteKind {
    Nag,
    Shape,
    Comment,
}

impl GameContent {
    /// Begins another game.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.moves = 0;
        self.lines.clear();
        self.lines.push((Some(0), None));
        self.notes.clear();
    }

    /// Whether there is no move and no annotation.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.notes.is_empty()
    }

    /// Adds a move of any line.
    pub(crate) fn push_move(&mut self, ply: Ply) {
        let _ = write!(self.text, "{ply:?}");
        self.moves += 1;
        if let Some(last) = self.lines.last_mut() {
            *last = (Some(self.moves), last.0);
        }
    }

    /// Begins a variation.
    pub(crate) fn begin_variation(&mut self) {
        self.text.push('(');
        self.lines.push((None, None));
    }

    /// Ends a variation.
    pub(crate) fn end_variation(&mut self) {
        self.text.push(')');
        self.lines.pop();
    }

    /// Adds an annotation.
    pub(crate) fn push_annotation(&mut self, annotation: Annotation<'_>) {
        match annotation {
            Annotation::Nag(nag) => self.push_note(NoteKind::Nag, nag.0.to_string()),
            Annotation::Shape(shape) => {
                self.push_note(NoteKind::Shape, format!("{:?}", shape.kind));
            }
            Annotation::Comment(comment) => self.push_comment(comment.text, comment.placement),
            Annotation::Quotation(quotation) if self.has_quotations_as_text => {
                self.push_comment(&quotation.to_text(), CommentPlacement::After);
            }
            Annotation::Foreign(moves) if moves.is_unread_moves() => {
                let text = String::from_utf8_lossy(moves.bytes);
                self.push_comment(&text, CommentPlacement::After);
            }
            _ => {}
        }
    }

    fn push_comment(&mut self, text: &str, placement: CommentPlacement) {
        let is_kept = |c: &char| !c.is_whitespace() && !matches!(c, '{' | '}' | '(' | ')');
        let text = text.chars().filter(is_kept).collect();
        let kind = NoteKind::Comment;
        let before = self.lines.last().and_then(|line| line.1);
        let is_before = placement == CommentPlacement::Before;
        let note = match before {
            // Formats that have no such position of it have it after the move before.
            Some(node) if is_before => Note {
                node,
                kind,
                comes_first: false,
                text,
            },
            _ => Note {
                node: self.node(),
                kind,
                comes_first: is_before,
                text,
            },
        };
        self.notes.push(note);
    }

    fn push_note(&mut self, kind: NoteKind, text: String) {
        let node = self.node();
        self.notes.push(Note {
            node,
            kind,
            comes_first: false,
            text,
        });
    }

    /// The move that an annotation belongs to which comes now.
    fn node(&self) -> usize {
        // What precedes the first move of a variation belongs to it.
        let last = self.lines.last().and_then(|line| line.0);
        last.unwrap_or(self.moves + 1)
    }

    /// The content of the whole game, with what its head and its end state.
    pub(crate) fn finish(&mut self, head: &GameHead, players: &str, result: GameResult) -> &str {
        // Comments of one move keep their order.
        self.notes.sort_by(|a, b| {
            let text = |note: &Note| (note.kind != NoteKind::Comment).then(|| note.text.clone());
            let order = |note: &Note| (note.node, note.kind, !note.comes_first, text(note));
            order(a).cmp(&order(b))
        });
        let mut last = None;
        for note in self.notes.drain(..).filter(|note| !note.text.is_empty()) {
            if last.replace((note.node, note.kind)) != Some((note.node, note.kind)) {
                let _ = write!(self.text, "\n{} {:?} ", note.node, note.kind);
            }
            self.text.push_str(&note.text);
            if note.kind != NoteKind::Comment {
                self.text.push(' ');
            }
        }
        let tags = &head.tags;
        let kept = |name: &str| {
            let text: String = tags.text(name).chars().take(KEPT_CHARACTERS).collect();
            match text.trim() {
                "" | "?" | "-" => String::new(),
                text => tabia_query::fold(text),
            }
        };
        let _ = write!(
            self.text,
            "\n{players}\n{}\n{}\n{}\n{}\n{}\n{}\n{:x}\n{:?}",
            rating(tags.text("WhiteElo")),
            rating(tags.text("BlackElo")),
            kept("Event"),
            kept("Site"),
            tags.date().unwrap_or_default(),
            round(tags.text("Round")),
            head.start.position().map_or(0, |position| position.key()),
            result.to_pgn()
        );
        &self.text
    }
}

/// A rating that every format keeps; 0 for others.
fn rating(text: &str) -> u16 {
    let number = text.trim().parse().unwrap_or(0);
    if number <= MAX_RATING { number } else { 0 }
}

/// A round of one or two numbers that every format keeps; else empty.
fn round(text: &str) -> String {
    let number = |text: &str| {
        let number = text.trim().parse::<u32>().unwrap_or(0);
        (1..=MAX_ROUND).contains(&number).then_some(number)
    };
    let (main, part) = text.split_once('.').unwrap_or((text, ""));
    match (number(main), part.is_empty(), number(part)) {
        (Some(main), true, _) => main.to_string(),
        (Some(main), false, Some(part)) => format!("{main}.{part}"),
        _ => String::new(),
    }
}
