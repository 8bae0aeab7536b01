//! The bodies of the fuzz targets. They are here and not in `fuzz/` so that ordinary tests can replay
//! the corpus and all findings.

mod cbh;
mod chess;
pub mod file_set;
mod pgn;
mod query;
mod reading;
pub mod seeds;
mod tidx;
mod writing;

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Visitor};
use tabia_core::{GameIndex, Problem};

/// A target: its name and its body, which panics if a guarantee is violated.
pub type Target = (&'static str, fn(&[u8]));

/// All targets. `fuzz/targets` has a file for each.
pub const TARGETS: &[Target] = &[
    ("fen", chess::fen),
    ("san", chess::san),
    ("pgn_read", pgn::read),
    ("pgn_roundtrip", pgn::roundtrip),
    ("cbh_moves", cbh::moves),
    ("cbh_annotations", cbh::annotations),
    ("cbh_set", |data| reading::database("cbh", data)),
    ("cbh_salvage", reading::salvaged),
    ("cbh2", |data| reading::database("2cbh", data)),
    ("polyglot", |data| reading::book("polyglot", data)),
    ("epd", |data| reading::database("epd", data)),
    ("abk", reading::abk),
    ("ctg", |data| reading::book("ctg", data)),
    ("kvetka", |data| reading::book("kvetka", data)),
    ("cbv", |data| reading::archive("cbv", data)),
    ("cbz", |data| reading::archive("cbz", data)),
    ("scv", |data| reading::archive("scv", data)),
    ("zip", |data| reading::archive("zip", data)),
    ("compressed", reading::compressed),
    ("si3", |data| reading::database("si3", data)),
    ("si4", |data| reading::database("si4", data)),
    ("si5", |data| reading::database("si5", data)),
    ("bpgn", pgn::bughouse),
    ("cbf", |data| reading::database("cbf", data)),
    ("sci", |data| reading::database("sci", data)),
    ("query", query::query),
    ("cbh_edit", writing::edit),
    ("salvage", writing::salvage),
    ("database_writers", writing::database_writers),
    ("extract", writing::extract),
    ("archive_pack", writing::archive_pack),
    ("journal", writing::journal),
    ("book_writers", writing::book_writers),
    ("tidx", tidx::index),
];

/// Runs the target with that name.
///
/// # Panics
/// If no target has that name, or a guarantee is violated.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    target.expect("a target with that name").1(data);
}

/// Passes all calls on to another visitor. Panics if a move is illegal, or if a variation ends that
/// was not begun.
pub(crate) struct CheckedVisitor<'v> {
    inner: &'v mut dyn Visitor,
    depth: u32,
}

impl<'v> CheckedVisitor<'v> {
    pub(crate) fn new(inner: &'v mut dyn Visitor) -> Self {
        Self { inner, depth: 0 }
    }
}

impl Visitor for CheckedVisitor<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.depth = 0;
        self.inner.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if let Ply::Move(m) = ply {
            assert!(before.is_legal(m), "{m:?} in {}", before.fen());
        }
        self.inner.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.inner.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        self.inner.begin_variation()
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("a variation is open");
        self.inner.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        assert_eq!(self.depth, 0, "the game ends inside a variation");
        self.inner.end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        // Formatting a message must not panic either.
        let _ = problem.error.to_string();
        self.inner.problem(problem)
    }
}
