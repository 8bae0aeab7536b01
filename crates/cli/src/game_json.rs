//! A game as JSON: the move tree with typed annotations. docs/guide/json.md lists the keys.

use serde::Serialize;
use tabia::core::chess::{FenStyle, Ply, Position, Setup, Square, san};
use tabia::core::game::{
    Annotation, ClockKind, Comment, CommentPlacement, Date, Flow, Game, GameHead, GameResult,
    Language, MediaKind, Quotation, RecordKind, Score, Shape, ShapeColor, ShapeKind, TextKind,
    Training, TrainingText, Visitor, Want,
};
use tabia::core::{FormatId, GameIndex, hexadecimal};

use crate::json::{self, Displayed};

/// The JSON document of a game, with a line break at its end.
pub(crate) fn document(index: GameIndex, game: &Game) -> Vec<u8> {
    let mut tree = Tree::new();
    // The tree never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut tree);
    let head = &game.head;
    let tags = head.tags.iter();
    let mut out = Vec::new();
    json::append(
        &HeadJson {
            game: u64::from(index.0) + 1,
            kind: match head.kind {
                RecordKind::Game => "game",
                RecordKind::Text => "text",
            },
            deleted: head.deleted,
            tags: tags.map(|(name, value)| TagJson { name, value }).collect(),
            chess960: head.start.chess960,
            fen: head.start.setup.as_deref().map(fen),
            result: Displayed(game.result),
        },
        &mut out,
    );
    // The annotations and moves belong to the same object.
    out.pop();
    tree.write(&mut out);
    out.push(b'\n');
    out
}

/// What comes before the moves.
#[derive(Serialize)]
struct HeadJson<'a> {
    game: u64,
    kind: &'static str,
    deleted: bool,
    tags: Vec<TagJson<'a>>,
    chess960: bool,
    fen: Option<String>,
    result: Displayed<GameResult>,
}

#[derive(Serialize)]
struct TagJson<'a> {
    name: &'a str,
    value: &'a str,
}

/// Lines and moves by number, so that deeply nested variations need no deep stack.
struct Tree {
    lines: Vec<Line>,
    moves: Vec<Node>,
    open: Vec<usize>,
}

#[derive(Default)]
struct Line {
    /// The annotations of the game or the variation itself.
    annotations: AnnotationList,
    moves: Vec<usize>,
}

struct Node {
    ply: u32,
    san: String,
    uci: String,
    annotations: AnnotationList,
    variations: Vec<usize>,
}

/// Annotations as JSON, separated by commas.
#[derive(Default)]
struct AnnotationList(Vec<u8>);

impl AnnotationList {
    fn push(&mut self, annotation: &Annotation<'_>) {
        if !self.0.is_empty() {
            self.0.push(b',');
        }
        json::append(&AnnotationJson::new(annotation), &mut self.0);
    }
}

#[derive(Serialize)]
struct MoveJson<'a> {
    ply: u32,
    san: &'a str,
    uci: &'a str,
}

impl Tree {
    fn new() -> Self {
        Self {
            lines: vec![Line::default()],
            moves: Vec::new(),
            open: vec![0],
        }
    }

    fn line(&mut self) -> Option<&mut Line> {
        let line = self.open.last()?;
        self.lines.get_mut(*line)
    }

    /// The last move of the open line.
    fn node(&mut self) -> Option<&mut Node> {
        let number = *self.line()?.moves.last()?;
        self.moves.get_mut(number)
    }

    /// Appends `,"annotations":[…],"moves":[…]}` for the mainline and everything in it.
    fn write(&self, out: &mut Vec<u8>) {
        enum Step {
            Line(usize),
            Move(usize),
            Text(&'static str),
        }
        let mut steps = vec![Step::Line(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(text) => out.extend_from_slice(text.as_bytes()),
                Step::Line(number) => {
                    let Some(line) = self.lines.get(number) else {
                        continue;
                    };
                    out.push(if number == 0 { b',' } else { b'{' });
                    out.extend_from_slice(b"\"annotations\":[");
                    out.extend_from_slice(&line.annotations.0);
                    out.extend_from_slice(b"],\"moves\":[");
                    steps.push(Step::Text("]}"));
                    for (i, number) in line.moves.iter().enumerate().rev() {
                        steps.push(Step::Move(*number));
                        steps.push(Step::Text(if i == 0 { "\n" } else { ",\n" }));
                    }
                }
                Step::Move(number) => {
                    let Some(node) = self.moves.get(number) else {
                        continue;
                    };
                    let (ply, san, uci) = (node.ply, &node.san, &node.uci);
                    json::append(&MoveJson { ply, san, uci }, out);
                    out.pop();
                    out.extend_from_slice(b",\"annotations\":[");
                    out.extend_from_slice(&node.annotations.0);
                    out.extend_from_slice(b"],\"variations\":[");
                    steps.push(Step::Text("]}"));
                    for (i, line) in node.variations.iter().enumerate().rev() {
                        steps.push(Step::Line(*line));
                        if i > 0 {
                            steps.push(Step::Text(","));
                        }
                    }
                }
            }
        }
    }
}

impl Visitor for Tree {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let number = self.moves.len();
        let full = u32::from(before.full_move_number()).max(1);
        self.moves.push(Node {
            ply: (full - 1) * 2 + if before.turn().is_white() { 1 } else { 2 },
            san: before.san(ply).to_string(),
            uci: before.uci(ply).to_string(),
            annotations: AnnotationList::default(),
            variations: Vec::new(),
        });
        if let Some(line) = self.line() {
            line.moves.push(number);
        }
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if let Some(node) = self.node() {
            node.annotations.push(&annotation);
        } else if let Some(line) = self.line() {
            line.annotations.push(&annotation);
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        let number = self.lines.len();
        if let Some(node) = self.node() {
            node.variations.push(number);
        }
        self.lines.push(Line::default());
        self.open.push(number);
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.open.pop();
    }

    fn end_game(&mut self, _result: GameResult) {}
}

/// An annotation; the variant is the value of the key `type`.
#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum AnnotationJson<'a> {
    Nag {
        nag: u8,
    },
    Comment {
        text: &'a str,
        #[serde(rename = "place")]
        placement: &'static str,
        language: Option<Displayed<Language>>,
    },
    Square {
        square: String,
        color: String,
    },
    Circle {
        square: String,
        color: String,
    },
    Disk {
        square: String,
        color: String,
    },
    Frame {
        square: String,
        color: String,
    },
    Arrow {
        from: String,
        to: String,
        color: String,
    },
    Letter {
        square: String,
        letter: char,
        color: String,
    },
    /// A kind of shape without a name here.
    Shape {
        color: String,
    },
    Clock {
        kind: &'static str,
        seconds: f64,
    },
    Eval {
        #[serde(flatten)]
        score: ScoreJson,
        depth: Option<u16>,
        #[serde(skip_serializing_if = "Option::is_none")]
        engine: Option<u8>,
    },
    EvalProfile {
        points: Vec<EvalPointJson>,
    },
    TimeControl {
        stages: Vec<TimeStageJson>,
    },
    Medals {
        bits: u32,
    },
    Critical {
        phase: u8,
    },
    VariationColor {
        color: String,
        flags: u8,
    },
    PawnStructure {
        value: u8,
    },
    PiecePath {
        kind: u8,
        square: u8,
    },
    VideoTime {
        value: i32,
    },
    Training(TrainingJson<'a>),
    Quotation(QuotationJson<'a>),
    WebLink {
        url: &'a str,
        caption: &'a str,
    },
    Media {
        kind: &'static str,
        language: Option<Displayed<Language>>,
        text: &'a str,
    },
    Text {
        kind: &'static str,
        language: u16,
        text: &'a str,
    },
    Foreign {
        format: Displayed<FormatId>,
        kind: u16,
        bytes: String,
    },
    /// A kind of annotation without a name here.
    Other,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ScoreJson {
    Centipawns(i32),
    Mate(i32),
}

#[derive(Serialize)]
struct EvalPointJson {
    flag: u8,
    value: i16,
    depth: u8,
}

/// Times in seconds.
#[derive(Serialize)]
struct TimeStageJson {
    start: f64,
    increment: f64,
    moves: u16,
    kind: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TrainingJson<'a> {
    seconds: i32,
    points: i16,
    question: Vec<TextJson<'a>>,
    wrong: Vec<TextJson<'a>>,
    first_help: Vec<TextJson<'a>>,
    second_help: Vec<TextJson<'a>>,
    solutions: Vec<SolutionJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<ChoiceJson<'a>>,
}

#[derive(Serialize)]
struct SolutionJson<'a> {
    from: String,
    to: String,
    promotion: u8,
    points: u8,
    comments: Vec<TextJson<'a>>,
}

#[derive(Serialize)]
struct ChoiceJson<'a> {
    points: u8,
    answer: Vec<TextJson<'a>>,
    reply: Vec<TextJson<'a>>,
}

#[derive(Serialize)]
struct TextJson<'a> {
    language: u16,
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<AnnotationJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuotationJson<'a> {
    white: &'a str,
    white_elo: u16,
    black: &'a str,
    black_elo: u16,
    event: &'a str,
    site: &'a str,
    date: Displayed<Date>,
    round: u8,
    sub_round: u8,
    result: Displayed<GameResult>,
    fen: Option<String>,
    moves: Option<Vec<String>>,
}

impl<'a> AnnotationJson<'a> {
    fn new(annotation: &Annotation<'a>) -> Self {
        match annotation {
            Annotation::Nag(nag) => Self::Nag { nag: nag.0 },
            Annotation::Comment(comment) => Self::comment(comment),
            Annotation::Shape(shape) => Self::shape(shape),
            Annotation::Clock(clock) => Self::Clock {
                kind: match clock.kind {
                    ClockKind::Remaining => "remaining",
                    ClockKind::ElapsedMove => "elapsedMove",
                    ClockKind::ElapsedGame => "elapsedGame",
                    ClockKind::Mechanical => "mechanical",
                    _ => "other",
                },
                seconds: clock.time.as_secs_f64(),
            },
            Annotation::Eval(eval) => Self::Eval {
                score: match eval.score {
                    Score::Centipawns(value) => ScoreJson::Centipawns(value),
                    Score::Mate(moves) => ScoreJson::Mate(moves),
                },
                depth: eval.depth,
                engine: Some(eval.engine).filter(|engine| *engine != 0),
            },
            Annotation::EvalProfile(profile) => {
                let points = profile.points.iter().map(|point| EvalPointJson {
                    flag: point.flag,
                    value: point.value,
                    depth: point.depth,
                });
                Self::EvalProfile {
                    points: points.collect(),
                }
            }
            Annotation::TimeControl(control) => {
                let stages = control.stages.iter().map(|stage| TimeStageJson {
                    start: hundredths(stage.start),
                    increment: hundredths(stage.increment),
                    moves: stage.moves,
                    kind: stage.kind,
                });
                Self::TimeControl {
                    stages: stages.collect(),
                }
            }
            Annotation::Medals(bits) => Self::Medals { bits: *bits },
            Annotation::Critical(critical) => Self::Critical { phase: critical.0 },
            Annotation::VariationColor(color) => Self::VariationColor {
                color: format!("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue),
                flags: color.flags,
            },
            Annotation::PawnStructure(value) => Self::PawnStructure { value: *value },
            Annotation::PiecePath(path) => Self::PiecePath {
                kind: path.kind,
                square: path.square,
            },
            Annotation::VideoTime(time) => Self::VideoTime { value: *time },
            Annotation::Training(training) => Self::Training(TrainingJson::new(training)),
            Annotation::Quotation(quotation) => Self::Quotation(QuotationJson::new(quotation)),
            Annotation::WebLink(link) => Self::WebLink {
                url: link.url,
                caption: link.caption,
            },
            Annotation::Media(media) => Self::Media {
                kind: match media.kind {
                    MediaKind::Sound => "sound",
                    MediaKind::Picture => "picture",
                    MediaKind::Video => "video",
                    _ => "other",
                },
                language: media.language.map(Displayed),
                text: media.text,
            },
            Annotation::Text(part) => Self::Text {
                kind: match part.kind {
                    TextKind::Title => "title",
                    TextKind::Plain => "plain",
                    TextKind::Html => "html",
                    TextKind::File => "file",
                    _ => "other",
                },
                language: part.language,
                text: part.text,
            },
            Annotation::Foreign(foreign) => Self::Foreign {
                format: Displayed(foreign.format),
                kind: foreign.kind,
                bytes: hexadecimal::digits(foreign.bytes),
            },
            _ => Self::Other,
        }
    }

    fn comment(comment: &Comment<'a>) -> Self {
        Self::Comment {
            text: comment.text,
            placement: match comment.placement {
                CommentPlacement::Before => "before",
                CommentPlacement::After => "after",
            },
            language: comment.language.map(Displayed),
        }
    }

    fn shape(shape: &Shape) -> Self {
        let color = color(shape.color);
        let name = |square: Square| square.to_string();
        match shape.kind {
            ShapeKind::Square(at) => Self::Square {
                square: name(at),
                color,
            },
            ShapeKind::Circle(at) => Self::Circle {
                square: name(at),
                color,
            },
            ShapeKind::Disk(at) => Self::Disk {
                square: name(at),
                color,
            },
            ShapeKind::Frame(at) => Self::Frame {
                square: name(at),
                color,
            },
            ShapeKind::Arrow(from, to) => Self::Arrow {
                from: name(from),
                to: name(to),
                color,
            },
            ShapeKind::Letter(at, letter) => Self::Letter {
                square: name(at),
                letter,
                color,
            },
            _ => Self::Shape { color },
        }
    }
}

impl<'a> TrainingJson<'a> {
    fn new(training: &'a Training) -> Self {
        let solutions = training.solutions.iter().map(|solution| SolutionJson {
            from: solution.from.to_string(),
            to: solution.to.to_string(),
            promotion: solution.promotion,
            points: solution.points,
            comments: texts(&solution.comments),
        });
        let choices = training.choices.iter().map(|choice| ChoiceJson {
            points: choice.points,
            answer: texts(&choice.answer),
            reply: texts(&choice.reply),
        });
        Self {
            choices: choices.collect(),
            seconds: training.seconds,
            points: training.points,
            question: texts(&training.question),
            wrong: texts(&training.wrong),
            first_help: texts(&training.first_help),
            second_help: texts(&training.second_help),
            solutions: solutions.collect(),
        }
    }
}

impl<'a> QuotationJson<'a> {
    fn new(quotation: &'a Quotation) -> Self {
        let setup = quotation.setup.as_deref();
        let moves = quotation.moves.as_ref();
        Self {
            white: &quotation.white,
            white_elo: quotation.white_elo,
            black: &quotation.black,
            black_elo: quotation.black_elo,
            event: &quotation.event,
            site: &quotation.site,
            date: Displayed(quotation.date),
            round: quotation.round,
            sub_round: quotation.sub_round,
            result: Displayed(quotation.result),
            fen: setup.map(fen),
            moves: moves.map(|moves| quoted_moves(setup, moves)),
        }
    }
}

fn fen(setup: &Setup) -> String {
    setup.fen(FenStyle::XFen)
}

fn color(color: ShapeColor) -> String {
    match color {
        ShapeColor::DarkBlue => "darkBlue".to_owned(),
        ShapeColor::ChessBase(number) => format!("chessBase{number}"),
        ShapeColor::Rgb(rgb) => format!("#{rgb:06x}"),
        named => format!("{named:?}").to_lowercase(),
    }
}

/// Seconds.
fn hundredths(value: i32) -> f64 {
    f64::from(value) / 100.0
}

fn texts(texts: &[TrainingText]) -> Vec<TextJson<'_>> {
    let texts = texts.iter().map(|text| TextJson {
        language: text.language,
        text: &text.text,
        shapes: text.shapes.iter().map(AnnotationJson::shape).collect(),
    });
    texts.collect()
}

/// The moves of a quoted game in SAN, as far as they can be played.
fn quoted_moves(setup: Option<&Setup>, moves: &[Ply]) -> Vec<String> {
    let start = match setup {
        None => Some(Position::standard()),
        Some(setup) => Position::from_setup(setup).ok(),
    };
    let Some(mut position) = start else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for ply in moves {
        if matches!(ply, Ply::Move(m) if !position.is_legal(*m)) {
            break;
        }
        let mut text = Vec::new();
        san::write(&position, *ply, &mut text);
        names.push(String::from_utf8_lossy(&text).into_owned());
        position.play_ply(*ply);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::tiny::GameBuilder;

    #[test]
    fn documents_contain_the_move_tree() {
        let game = GameBuilder::new()
            .tag("White", "Tal")
            .moves("e4 e5")
            .begin()
            .moves("c5")
            .comment("Sicilian")
            .begin()
            .moves("e6")
            .end()
            .moves("Nf3")
            .end()
            .nag(1)
            .moves("Nf3")
            .result(GameResult::Draw);
        let text = document(GameIndex(4), &game);
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(value["game"], 5);
        assert_eq!(value["tags"][0]["value"], "Tal");
        assert_eq!(value["result"], "1/2-1/2");
        assert_eq!(value["moves"][0]["uci"], "e2e4");
        let reply = &value["moves"][1];
        assert_eq!(reply["ply"], 2);
        assert_eq!(reply["annotations"][0]["nag"], 1);
        let line = &reply["variations"][0]["moves"];
        assert_eq!(line[0]["san"], "c5");
        assert_eq!(line[0]["annotations"][0]["text"], "Sicilian");
        assert_eq!(line[0]["variations"][0]["moves"][0]["san"], "e6");
        assert_eq!(line[1]["san"], "Nf3");
        assert_eq!(value["moves"][2]["san"], "Nf3");
    }
}
