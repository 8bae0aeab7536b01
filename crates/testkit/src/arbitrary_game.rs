//! Random games with everything that the game model can hold.

use std::time::Duration;

use tabia_core::chess::{Move, Ply, Position, Setup, Square};
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Date, Eval,
    EvalPoint, EvalProfile, Foreign, Game, GameHead, GameResult, Language, Media, MediaKind, Nag,
    PiecePath, Quotation, RecordKind, Recorder, Score, Shape, ShapeColor, ShapeKind, Start,
    TextKind, TextPart, TimeControl, TimeStage, Training, TrainingChoice, TrainingSolution,
    TrainingText, VariationColor, Visitor as _, WebLink,
};
use tabia_core::{FormatId, GameIndex};

use crate::random::Random;

/// A random game of legal moves with variations, null moves, setup positions and annotations of every
/// kind. The same seed produces the same game.
pub fn arbitrary_game(seed: u64) -> Game {
    let n = &mut Random::new(seed);
    let mut game = Game::new();
    let head = head(n);
    let position = head.start.position();
    let is_text = head.kind == RecordKind::Text;
    let mut out = game.recorder();
    let _ = out.begin_game(GameIndex(0), &head);
    if is_text {
        for _ in 0..n.below_u64(4) {
            let text = text(n);
            let _ = out.visit_annotation(Annotation::Text(TextPart {
                kind: n.pick(&[
                    TextKind::Title,
                    TextKind::Plain,
                    TextKind::Html,
                    TextKind::File,
                ]),
                language: n.below_u64(8) as u16,
                text: &text,
            }));
        }
    } else {
        annotations(n, &mut out, Context::Game);
        if let Some(position) = position {
            line(n, &mut out, position, 0, 40);
        }
    }
    out.end_game(n.pick(&GameResult::ALL));
    drop(out);
    game
}

fn head(n: &mut Random) -> GameHead {
    let mut head = GameHead::default();
    let roster = [
        ("Event", "Šachová olympiáda"),
        ("Site", "?"),
        ("Date", "1950.??.??"),
        ("Round", "5.2"),
        ("White", "Müller, \"Max\" \\"),
        ("Black", "Петросян"),
        ("Result", "1-0"),
    ];
    let is_complete = !n.one_in(3);
    for (name, value) in roster {
        if is_complete || n.one_in(2) {
            head.tags.push(name, value);
        }
    }
    for _ in 0..n.below_u64(5) {
        let name = n.pick(&[
            "WhiteElo",
            "CbTitle",
            "X",
            "Event",
            "Result",
            "two two_texts",
            "ECO",
            "",
        ]);
        let value = text(n);
        head.tags.push(name, &value);
    }
    head.deleted = n.one_in(10);
    if n.one_in(12) {
        head.kind = RecordKind::Text;
    }
    head.start = match n.below_u64(8) {
        0 => Start {
            setup: Setup::chess960_start(n.below_u64(960) as u16).map(Box::new),
            chess960: true,
        },
        1 => Start {
            setup: None,
            chess960: true,
        },
        2 => {
            let fen = n.pick(&[
                "8/P6k/8/8/8/8/6p1/K7 w - - 3 40",
                "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "4k3/8/8/8/8/8/8/4K3 w - - 0 0",
            ]);
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            Start {
                setup: Some(Box::new(setup)),
                chess960: n.one_in(5),
            }
        }
        _ => Start::default(),
    };
    head
}

fn line(
    n: &mut Random,
    out: &mut Recorder<&mut Game>,
    start: Position,
    depth: u32,
    max_plies: u64,
) {
    let mut position = start;
    for i in 0..n.below_u64(max_plies) {
        let moves = position.legal_moves();
        let ply = if n.one_in(20) && !position.is_check() {
            Ply::Null
        } else if moves.is_empty() {
            return;
        } else {
            Ply::Move(n.pick(&moves))
        };
        let before = position.clone();
        let _ = out.visit_move(&before, ply);
        position.play_ply(ply);
        if n.one_in(6) {
            let first = i == 0 && depth == 0;
            annotations(n, out, if first { Context::First } else { Context::Move });
        }
        while n.one_in(5) && depth < 4 {
            let _ = out.begin_variation();
            let empty = n.one_in(8);
            annotations(
                n,
                out,
                if empty {
                    Context::Empty
                } else {
                    Context::Variation
                },
            );
            if !empty {
                let moves = before.legal_moves();
                if let Some(&m) = moves.get(n.below_u64(moves.len() as u64) as usize) {
                    let _ = out.visit_move(&before, Ply::Move(m));
                    let mut next = before.clone();
                    next.play(m);
                    annotations(n, out, Context::Move);
                    line(n, out, next, depth + 1, 8);
                }
            }
            out.end_variation();
            if n.one_in(3) {
                annotations(n, out, Context::AfterVariation);
            }
        }
    }
}

/// Where annotations are in a game, which decides about the comments that are possible.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Context {
    Game,
    First,
    Move,
    AfterVariation,
    Variation,
    Empty,
}

fn annotations(n: &mut Random, out: &mut Recorder<&mut Game>, context: Context) {
    if matches!(context, Context::Move | Context::First) {
        while n.one_in(4) {
            comment(n, out, CommentPlacement::Before);
        }
    }
    for _ in 0..n.below_u64(4) {
        if n.one_in(2) {
            if context != Context::Variation {
                comment(n, out, CommentPlacement::After);
            }
        } else {
            annotation(n, out);
        }
    }
}

fn comment(n: &mut Random, out: &mut Recorder<&mut Game>, placement: CommentPlacement) {
    let language = match n.below_u64(6) {
        0 => Language::iso(*b"de"),
        1 => Some(Language::nation(121)),
        _ => None,
    };
    let text = text(n);
    let _ = out.visit_annotation(Annotation::Comment(Comment {
        placement,
        language,
        text: &text,
    }));
}

const FRAGMENTS: [&str; 24] = [
    "good",
    "move",
    " ",
    "  ",
    "\n",
    "{",
    "}",
    "[%clk 0:00:01]",
    "[#]",
    "%",
    "[",
    "]",
    "ž",
    "♞",
    "\"",
    "\\",
    ";",
    "1-0",
    "(",
    ")",
    "[Event \"",
    "\u{a0}",
    "\t",
    ",:=/",
];

fn text(n: &mut Random) -> String {
    (0..n.below_u64(9)).map(|_| n.pick(&FRAGMENTS)).collect()
}

fn texts(n: &mut Random) -> Vec<TrainingText> {
    (0..n.below_u64(3))
        .map(|_| {
            let language = n.below_u64(8) as u16;
            let mut entry = TrainingText::new(language, text(n));
            if n.one_in(6) {
                entry.text.clear();
                entry.language = 7;
                let squares = n.one_in(2);
                for _ in 0..=n.below_u64(3) {
                    let (at, to) = (square(n), square(n));
                    let kind = if squares {
                        ShapeKind::Square(at)
                    } else {
                        ShapeKind::Arrow(at, to)
                    };
                    let color = n.pick(&[ShapeColor::Green, ShapeColor::Blue]);
                    entry.shapes.push(Shape { kind, color });
                }
            }
            entry
        })
        .collect()
}

fn square(n: &mut Random) -> Square {
    Square::new(n.below_u64(64) as u8).unwrap()
}

fn shape(n: &mut Random) -> Shape {
    let at = square(n);
    let kind = match n.below_u64(8) {
        0..3 => ShapeKind::Square(at),
        3..5 => ShapeKind::Arrow(at, square(n)),
        5 => ShapeKind::Circle(at),
        6 => ShapeKind::Frame(at),
        _ => ShapeKind::Letter(at, n.pick(&['a', '+', '♞', ']'])),
    };
    let color = match n.below_u64(8) {
        0 => ShapeColor::Rgb(n.below_u64(1 << 24) as u32),
        1 => ShapeColor::of_chessbase(n.below_u64(256) as u8),
        2 => ShapeColor::Black,
        3 => ShapeColor::Red,
        _ => ShapeColor::Green,
    };
    Shape { kind, color }
}

fn quotation(n: &mut Random) -> Quotation {
    let number = |n: &mut Random| n.below_u64(1 << 16) as u16;
    Quotation {
        white: text(n),
        black: text(n),
        white_elo: number(n),
        black_elo: number(n),
        eco: number(n),
        event: text(n),
        site: text(n),
        date: Date::new(
            n.below_u64(3000) as u16,
            n.below_u64(13) as u8,
            n.below_u64(32) as u8,
        ),
        tournament_type: number(n),
        nation: number(n),
        category: number(n),
        rounds: number(n),
        round: n.below_u64(256) as u8,
        sub_round: n.below_u64(256) as u8,
        result: n.pick(&[GameResult::Draw, GameResult::BothLose, GameResult::Unknown]),
        flags: number(n),
        unknown: number(n),
        setup: n
            .one_in(3)
            .then(|| Box::new(Setup::chess960_start(n.below_u64(960) as u16).unwrap())),
        moves: n.one_in(2).then(|| {
            (0..n.below_u64(5))
                .map(|_| {
                    if n.one_in(4) {
                        Ply::Null
                    } else {
                        Ply::Move(Move::normal(square(n), square(n)))
                    }
                })
                .collect()
        }),
    }
}

fn annotation(n: &mut Random, out: &mut Recorder<&mut Game>) {
    let two_texts = [text(n), text(n)];
    let training = Training {
        seconds: n.below_u64(100) as i32,
        points: -3,
        question: texts(n),
        wrong: texts(n),
        first_help: texts(n),
        second_help: texts(n),
        solutions: (0..n.below_u64(3))
            .map(|_| TrainingSolution {
                from: square(n),
                to: square(n),
                promotion: n.below_u64(6) as u8,
                points: n.below_u64(10) as u8,
                comments: texts(n),
            })
            .collect(),
        choices: Vec::new(),
    };
    let training = if n.one_in(4) {
        Training {
            solutions: Vec::new(),
            choices: (0..n.below_u64(3))
                .map(|_| TrainingChoice {
                    points: n.below_u64(10) as u8,
                    answer: texts(n),
                    reply: texts(n),
                })
                .collect(),
            ..training
        }
    } else {
        training
    };
    let profile = EvalProfile {
        points: (0..n.below_u64(5))
            .map(|_| EvalPoint {
                flag: n.pick(&[0, 1, 0xff]),
                depth: n.below_u64(40) as u8,
                value: n.below_u64(400) as i16 - 200,
            })
            .collect(),
    };
    let quotation = quotation(n);
    let bytes: Vec<u8> = (0..n.below_u64(10))
        .map(|_| n.below_u64(256) as u8)
        .collect();
    let _ = out.visit_annotation(match n.below_u64(22) {
        0..3 => Annotation::Nag(Nag(n.below_u64(256) as u8)),
        3..6 => Annotation::Shape(shape(n)),
        6 | 7 => Annotation::Clock(Clock {
            kind: n.pick(&[
                ClockKind::Remaining,
                ClockKind::ElapsedMove,
                ClockKind::ElapsedGame,
                ClockKind::Mechanical,
            ]),
            time: Duration::from_millis(n.below_u64(40_000_000)),
        }),
        8 | 9 => Annotation::Eval(Eval {
            score: if n.one_in(4) {
                Score::Mate(n.below_u64(40) as i32 - 20)
            } else {
                Score::Centipawns(n.below_u64(4000) as i32 - 2000)
            },
            depth: n.one_in(2).then_some(20),
            engine: n.pick(&[0, 0, 3]),
        }),
        10 => Annotation::Medals(n.below_u64(1 << 16) as u32),
        11 => Annotation::Critical(CriticalPosition(n.below_u64(4) as u8)),
        12 => Annotation::VariationColor(VariationColor {
            flags: n.below_u64(4) as u8,
            red: 1,
            green: 2,
            blue: 255,
        }),
        13 => n.pick(&[
            Annotation::PawnStructure(3),
            Annotation::PiecePath(PiecePath {
                kind: 3,
                square: 12,
            }),
            Annotation::VideoTime(-5),
        ]),
        14 => Annotation::TimeControl(TimeControl {
            stages: [
                TimeStage {
                    start: 720_000,
                    increment: 0,
                    moves: 40,
                    kind: 1,
                },
                TimeStage {
                    start: 90_000,
                    increment: 3000,
                    moves: 1000,
                    kind: 3,
                },
                TimeStage::default(),
            ],
        }),
        15 => Annotation::EvalProfile(&profile),
        16 => Annotation::Training(&training),
        17 => Annotation::Quotation(&quotation),
        18 => Annotation::WebLink(WebLink {
            url: &two_texts[0],
            caption: &two_texts[1],
        }),
        19 => Annotation::Media(Media {
            kind: n.pick(&[MediaKind::Sound, MediaKind::Picture, MediaKind::Video]),
            language: n.one_in(2).then(|| Language::nation(7)),
            text: &two_texts[0],
        }),
        20 => Annotation::Foreign(Foreign {
            format: FormatId::new("pgn"),
            kind: Foreign::UNREAD_MOVES,
            bytes: two_texts[0].as_bytes(),
        }),
        _ => Annotation::Foreign(Foreign {
            format: FormatId::new(n.pick(&["cbh", "si4", "pgn"])),
            kind: n.pick(&[0x1a, 0xfffe, Foreign::UNREAD_MOVES]),
            bytes: &bytes,
        }),
    });
}
