//! A stable text form of games, for expected files and for showing differences.

use std::fmt::Write;

use tabia_core::chess::{FenStyle, Ply, Position, san};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, Foreign, Game, GameHead, GameResult, RecordKind,
    Visitor, Want,
};
use tabia_core::games::Database;
use tabia_core::{GameIndex, Problem, hexadecimal};

/// A visitor that writes the games it visits as text: one line for each call, variations indented.
#[derive(Debug, Default)]
pub struct Dump {
    /// The text so far.
    pub text: String,
    depth: usize,
    violation: Option<String>,
}

impl Dump {
    /// An empty dump.
    pub fn new() -> Self {
        Self::default()
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The first violation of the order of calls or of the rules of chess, for example an illegal move
    /// or the end of a variation that was not begun; `None` if absent.
    pub fn violation(&self) -> Option<&str> {
        self.violation.as_deref()
    }

    fn fail(&mut self, what: String) {
        self.violation.get_or_insert(what);
    }
}

impl Visitor for Dump {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.depth != 0 {
            self.fail(format!("game {game} begins before the end of another"));
        }
        self.depth = 0;
        let kind = match head.kind {
            RecordKind::Game => "game",
            RecordKind::Text => "text",
        };
        let deleted = if head.deleted { " deleted" } else { "" };
        self.line(&format!("{kind} {game}{deleted}"));
        self.depth = 1;
        for (name, value) in head.tags.iter() {
            self.line(&format!("[{name} {value:?}]"));
        }
        if let Some(setup) = &head.start.setup {
            self.line(&format!("start {}", setup.fen(FenStyle::XFen)));
        }
        if head.start.chess960 {
            self.line("chess960");
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let number = before.full_move_number();
        let dots = if before.turn().is_white() { "." } else { "..." };
        let mut text = format!("{number}{dots} ").into_bytes();
        match ply {
            Ply::Null => text.extend_from_slice(b"--"),
            Ply::Move(m) if before.is_legal(m) => san::write(before, ply, &mut text),
            Ply::Move(m) => {
                self.fail(format!("{m:?} is illegal in {}", before.fen()));
                let _ = write!(self.text, "illegal {m:?} ");
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        self.line(&text);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let text = annotation_line(&annotation);
        self.line(&format!("  {text}"));
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.line("(");
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        if self.depth < 2 {
            self.fail("a variation ends that was not begun".to_owned());
            return;
        }
        self.depth -= 1;
        self.line(")");
    }

    fn end_game(&mut self, result: GameResult) {
        if self.depth != 1 {
            self.fail("the game ends inside a variation, or before it began".to_owned());
        }
        self.depth = 1;
        let text = if result.is_special() {
            format!("{result:?}")
        } else {
            result.pgn().to_owned()
        };
        self.line(&text);
        self.depth = 0;
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let kept = match &problem.unread_bytes {
            Some(bytes) => format!(" (kept {})", hexadecimal::digits(bytes)),
            None => String::new(),
        };
        self.line(&format!("problem: {}{kept}", problem.error));
        Flow::Go
    }
}

/// The text of one game.
pub fn game(index: GameIndex, game: &Game) -> String {
    let mut dump = Dump::new();
    let _ = game.replay(index, Want::ALL, &mut dump);
    dump.text
}

/// The text of a database, with the errors of records that cannot be read.
pub fn database(database: &dyn Database, want: Want) -> String {
    let mut dump = Dump::new();
    let mut reader = database.reader();
    for index in 0..database.len() {
        let index = GameIndex(index);
        if let Err(error) = reader.read(index, want, &mut dump) {
            let _ = writeln!(dump.text, "error in game {index}: {error}");
            dump.depth = 0;
        }
    }
    dump.text
}

fn annotation_line(annotation: &Annotation<'_>) -> String {
    match annotation {
        Annotation::Nag(nag) => format!("${}", nag.0),
        Annotation::Comment(Comment {
            placement,
            language,
            text,
        }) => {
            let placement = match placement {
                CommentPlacement::Before => " before",
                CommentPlacement::After => "",
            };
            let language = language.map_or_else(String::new, |language| format!(" {language}"));
            format!("comment{placement}{language} {text:?}")
        }
        Annotation::Foreign(Foreign {
            format,
            kind,
            bytes,
        }) => format!("foreign {format} {kind:#x} {}", hexadecimal::digits(bytes)),
        other => format!("{other:?}"),
    }
}

/// Compares two texts.
///
/// # Panics
/// If they differ. The message shows the first different line and those before it.
pub fn assert_same(what: &str, expected: &str, found: &str) {
    if expected == found {
        return;
    }
    let mut before: Vec<&str> = Vec::new();
    let mut left = expected.lines();
    let mut right = found.lines();
    loop {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => before.push(a),
            (a, b) => {
                let context = before[before.len().saturating_sub(12)..].join("\n");
                panic!(
                    "{what}: line {} differs\n{context}\nexpected: {}\nfound:    {}",
                    before.len() + 1,
                    a.unwrap_or("(end of text)"),
                    b.unwrap_or("(end of text)"),
                );
            }
        }
    }
}
