//! Real databases compared with the PGN that another program made of them: the same moves, variations
//! and NAGs in the same order, the same comments, tags and start positions.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Event, Game, RecordKind, Want};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::games::cbh::CbhDatabase;
use tabia_testkit::shared_data;

/// Each set with the number of games in its export, and whether the comments there are complete (one
/// export lacks letters).
const EXPORTS: &[(&str, usize, bool)] = &[
    ("uncbv-twic1134/twic1134", 6117, true),
    ("morphy-hedgehog/Hedgehog", 204, false),
    ("chesscore-fob/fob", 111, true),
    ("morphy-veryold/Mate2", 7, true),
    ("morphy-cbhlib_test/cbhlib_test", 14, true),
    ("morphy-cbmplayertest/cbmplayertest", 8, true),
    ("morphy-cbh_test/cbh_test", 4, true),
    ("morphy-cb12/cb12", 1, true),
];

/// The content of a game that both programs write.
#[derive(Debug, Default, PartialEq)]
struct ComparedContent {
    /// The key of the position after each move, `(`, `)`, and `$n` after its move. The NAGs of a move
    /// are sorted, because the other program sorts them.
    tokens: Vec<String>,
    /// The characters of all comments, because PGN has comments before a move in another position.
    comments: BTreeMap<char, usize>,
}

impl ComparedContent {
    fn of(game: &Game) -> Self {
        let mut content = Self::default();
        let start = game.head.start.position().unwrap();
        let mut before = start.clone();
        let mut now = start;
        let mut open = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(ply) => {
                    before.clone_from(&now);
                    now.play_ply(ply);
                    content.tokens.push(format!("{:x}", now.key()));
                }
                Event::BeginVariation => {
                    open.push((before.clone(), now));
                    now = before.clone();
                    content.tokens.push("(".to_owned());
                }
                Event::EndVariation => {
                    (before, now) = open.pop().unwrap();
                    content.tokens.push(")".to_owned());
                }
                Event::Annotation(Annotation::Nag(nag)) => {
                    content.tokens.push(format!("${}", nag.0));
                }
                Event::Annotation(Annotation::Comment(comment)) => content.comment(comment.text),
                Event::Annotation(_) => {}
            }
        }
        let is_nag = |token: &String| token.starts_with('$');
        for run in content.tokens.chunk_by_mut(|a, b| is_nag(a) && is_nag(b)) {
            run.sort();
        }
        content
    }

    fn comment(&mut self, text: &str) {
        let figures = ['♔', '♕', '♖', '♗', '♘', '♙'];
        let text = text.replace("[#]", "");
        for c in text
            .chars()
            .filter(|c| !c.is_whitespace() && !figures.contains(c))
        {
            *self.comments.entry(c).or_default() += 1;
        }
    }
}

/// The games of a PGN file, which must have no problems.
fn read_pgn(path: &Path) -> Vec<Game> {
    let source = Source::from_path(path).unwrap();
    let open = tabia_formats::games::pgn::FORMAT.open;
    let database = open(&source, &OpenOptions::default()).unwrap();
    let mut reader = database.reader();
    let read = |index| {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = reader.read(index, Want::ALL, &mut recorder).unwrap();
        let problems = recorder.take_problems();
        let problems = problems.iter().map(|problem| problem.error.to_string());
        assert_eq!(problems.collect::<Vec<_>>(), [""; 0], "{}", path.display());
        drop(recorder);
        game
    };
    (0..database.len()).map(GameIndex).map(read).collect()
}

#[test]
fn games_equal_the_exports_of_another_program() {
    let Some(folder) = shared_data("cbh exports", "cbh") else {
        return;
    };
    for (set, count, has_comments) in EXPORTS {
        let source = Source::from_path(&folder.join(format!("{set}.cbh"))).unwrap();
        let db = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
        let exported = read_pgn(&folder.join(format!("{set}.cbvault.pgn")));
        assert_eq!(exported.len(), *count, "{set}");
        let mut exported = exported.into_iter();
        let mut reader = db.reader();
        let mut game = Game::new();
        for i in (0..db.len()).map(GameIndex) {
            let _ = reader.read(i, Want::ALL, &mut game.recorder()).unwrap();
            // The other program leaves deleted games and texts out.
            if game.head.deleted || game.head.kind == RecordKind::Text {
                continue;
            }
            let export = exported.next().unwrap();
            let (our, their) = (ComparedContent::of(&game), ComparedContent::of(&export));
            assert_eq!(our.tokens, their.tokens, "{set} game {i}");
            if *has_comments {
                assert_eq!(our.comments, their.comments, "{set} game {i}");
            }
            assert_eq!(game.result.to_pgn(), export.result, "{set} game {i}");
            compare_heads(&game, &export, &format!("{set} game {i}"));
        }
        assert!(exported.next().is_none(), "{set}");
    }
}

fn compare_heads(game: &Game, export: &Game, what: &str) {
    let start = |game: &Game| {
        let mut setup = game.head.start.setup.as_deref()?.clone();
        // The move numbers 0 and 1 are equivalent.
        setup.full_move_number = setup.full_move_number.max(1);
        Some(setup)
    };
    assert_eq!(start(game), start(export), "{what}");
    for (name, value) in export.head.tags.iter() {
        let our = game.head.tags.text(name);
        match name {
            // Ours come from the moves and from the start.
            "PlyCount" | "SetUp" | "FEN" => {}
            // The other program adds a period to an initial.
            "White" | "Black" => {
                assert!(
                    our == value || format!("{our}.") == *value,
                    "{what}: {our} {value}"
                );
            }
            // It decodes the Cyrillic set as Western, and writes a sub-round without round as `?`.
            "Event" | "Round" if what.starts_with("morphy-hedgehog") => {}
            _ => assert_eq!(our, value, "{what}: {name}"),
        }
    }
}
