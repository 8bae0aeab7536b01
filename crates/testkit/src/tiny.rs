//! Small games.

use std::time::Duration;

use tabia_core::chess::Square;
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Date, Eval,
    EvalPoint, EvalProfile, Foreign, Game, GameResult, Language, Nag, PiecePath, Quotation, Score,
    Shape, ShapeColor, ShapeKind, Training, TrainingSolution, TrainingText, VariationColor,
    Visitor, WebLink,
};
use tabia_core::{FormatId, GameIndex};

pub use crate::game_builder::GameBuilder;
pub use crate::tiny_database::TinyDatabase;

/// Three games with the elements that most formats support: tags, nested variations, comments, NAGs and
/// a setup position.
pub fn games() -> Vec<Game> {
    let first = GameBuilder::new()
        .tag("Event", "Tiny Open")
        .tag("Site", "Berlin")
        .tag("Date", "2021.05.01")
        .tag("Round", "1")
        .tag("White", "Abel, Ada")
        .tag("Black", "Brandt, Bo")
        .tag("Result", "1-0")
        .tag("WhiteElo", "2200")
        .tag("BlackElo", "2100")
        .tag("ECO", "C20")
        .moves("e4")
        .comment("The centre.")
        .moves("e5")
        .begin()
        .moves("c5 Nf3")
        .begin()
        .moves("c3 d5")
        .end()
        .moves("d6")
        .end()
        .moves("Qh5")
        .nag(6)
        .moves("Ke7 Qxe5#")
        .nag(3)
        .comment("Mate.")
        .result(GameResult::WhiteWins);
    let second = GameBuilder::new()
        .tag("Event", "Tiny Open")
        .tag("Site", "Berlin")
        .tag("Date", "2021.05.??")
        .tag("Round", "2")
        .tag("White", "Brandt, Bo")
        .tag("Black", "Čapek, Ida")
        .tag("Result", "1/2-1/2")
        .moves("d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O")
        .result(GameResult::Draw);
    let fen = "4k3/P7/8/8/8/8/7p/4K3 w - - 0 1";
    let third = GameBuilder::from_fen(fen)
        .tag("Event", "?")
        .tag("Site", "?")
        .tag("Date", "????.??.??")
        .tag("Round", "?")
        .tag("White", "?")
        .tag("Black", "?")
        .tag("Result", "*")
        .tag("SetUp", "1")
        .tag("FEN", fen)
        .moves("a8=Q+ Kd7 Qb7+ Kd6")
        .result(GameResult::Unknown);
    vec![first, second, third]
}

/// A game with annotations of all kinds that formats support.
pub fn annotated() -> Game {
    let before = GameBuilder::new()
        .tag("Event", "Annotations")
        .tag("Site", "?")
        .tag("Date", "2024.02.29")
        .tag("Round", "3.2")
        .tag("White", "Abel, Ada")
        .tag("Black", "Brandt, Bo")
        .tag("Result", "0-1")
        .moves("f3 e5 g4 Qh4#")
        .result(GameResult::BlackWins);
    let square = |number| Square::new(number).expect("a square");
    let training = Training {
        seconds: 60,
        points: 10,
        question: vec![TrainingText::new(0, "What now?")],
        solutions: vec![TrainingSolution {
            from: square(59),
            to: square(31),
            promotion: 0,
            points: 10,
            comments: Vec::new(),
        }],
        ..Training::default()
    };
    let profile = EvalProfile {
        points: vec![
            EvalPoint {
                flag: 0,
                depth: 20,
                value: 30,
            },
            EvalPoint {
                flag: 1,
                depth: 12,
                value: -1,
            },
        ],
    };
    let quotation = Quotation {
        white: "Abel,Ada".to_owned(),
        black: "Capek,Ida".to_owned(),
        white_elo: 2200,
        event: "Elsewhere".to_owned(),
        date: Date::new(2020, 1, 0),
        result: GameResult::Draw,
        moves: Some(before.mainline().take(2).collect()),
        ..Quotation::default()
    };
    let comment = |placement, language, text| {
        Annotation::Comment(Comment {
            placement,
            language,
            text,
        })
    };
    let clock = |kind, seconds| {
        Annotation::Clock(Clock {
            kind,
            time: Duration::from_secs(seconds),
        })
    };
    let shape = |kind, color| Annotation::Shape(Shape { kind, color });
    let of_game = [
        comment(CommentPlacement::After, None, "Before everything."),
        Annotation::EvalProfile(&profile),
    ];
    let of_moves: [&[Annotation<'_>]; 4] = [
        &[
            comment(CommentPlacement::Before, None, "A bad beginning."),
            Annotation::Nag(Nag(2)),
            Annotation::Nag(Nag(16)),
            comment(CommentPlacement::After, Language::iso(*b"de"), "Schlecht."),
            comment(CommentPlacement::After, Language::iso(*b"en"), "Bad."),
            shape(ShapeKind::Square(square(28)), ShapeColor::Green),
            shape(ShapeKind::Arrow(square(12), square(28)), ShapeColor::Red),
        ],
        &[
            clock(ClockKind::ElapsedMove, 7),
            Annotation::Eval(Eval {
                score: Score::Centipawns(-150),
                depth: Some(22),
                engine: 0,
            }),
            Annotation::Medals(4),
            Annotation::Critical(CriticalPosition(1)),
            Annotation::PawnStructure(3),
            Annotation::PiecePath(PiecePath {
                kind: 3,
                square: 13,
            }),
        ],
        &[
            Annotation::Training(&training),
            Annotation::Quotation(&quotation),
            Annotation::WebLink(WebLink {
                url: "https://example.org/",
                caption: "a page",
            }),
            Annotation::VideoTime(1234),
            Annotation::VariationColor(VariationColor {
                flags: 1,
                red: 255,
                green: 0,
                blue: 9,
            }),
        ],
        &[
            Annotation::Nag(Nag(1)),
            Annotation::Foreign(Foreign {
                format: FormatId::new("cbh"),
                kind: 0x77,
                bytes: &[0, 1, 254, 255],
            }),
        ],
    ];
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &before.head);
    for annotation in of_game {
        let _ = recorder.visit_annotation(annotation);
    }
    for (ply, annotations) in before.mainline().zip(of_moves) {
        recorder.push_move(ply);
        for annotation in annotations {
            let _ = recorder.visit_annotation(*annotation);
        }
    }
    recorder.end_game(GameResult::BlackWins);
    game
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dump;

    #[test]
    fn a_tiny_game_reads_as_written() {
        let text = dump::game(GameIndex(0), &games()[0]);
        let expected = "\
game 1
  [Event \"Tiny Open\"]
  [Site \"Berlin\"]
  [Date \"2021.05.01\"]
  [Round \"1\"]
  [White \"Abel, Ada\"]
  [Black \"Brandt, Bo\"]
  [Result \"1-0\"]
  [WhiteElo \"2200\"]
  [BlackElo \"2100\"]
  [ECO \"C20\"]
  1. e4
    comment \"The centre.\"
  1... e5
  (
    1... c5
    2. Nf3
    (
      2. c3
      2... d5
    )
    2... d6
  )
  2. Qh5
    $6
  2... Ke7
  3. Qxe5#
    $3
    comment \"Mate.\"
  1-0
";
        dump::assert_same("the first tiny game", expected, &text);
    }
}
