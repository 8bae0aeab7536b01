//! A game as JSON: the whole tree, annotations typed. docs/guide/json.md lists the keys.

use std::fmt::Write;

use tabia::core::GameIndex;
use tabia::core::chess::{FenStyle, Ply, Position, Setup, Square, san, uci};
use tabia::core::game::{
    Annotation, ClockKind, Comment, CommentPlacement, Flow, Game, GameHead, GameResult, MediaKind,
    RecordKind, Score, Shape, ShapeColor, ShapeKind, TextKind, TrainingText, Visitor, Want,
};

use crate::json::Json;

/// The document of a game.
pub(crate) fn document(number: GameIndex, game: &Game) -> String {
    let mut tree = Tree::new(game.head.start.chess960);
    // The tree takes everything.
    let _ = game.replay(number, Want::ALL, &mut tree);
    let head = &game.head;
    let tags = head
        .tags
        .iter()
        .map(|(name, value)| Json::Object(vec![("name", name.into()), ("value", value.into())]));
    let kind = match head.kind {
        RecordKind::Game => "game",
        RecordKind::Text => "text",
    };
    let fen = head
        .start
        .setup
        .as_ref()
        .map(|setup| setup.fen(FenStyle::XFen));
    let facts = Json::Object(vec![
        ("game", (u64::from(number.0) + 1).into()),
        ("kind", kind.into()),
        ("deleted", head.deleted.into()),
        ("tags", Json::List(tags.collect())),
        ("chess960", head.start.chess960.into()),
        ("fen", fen.into()),
        ("result", game.result.to_string().into()),
    ]);
    let mut out = facts.compact();
    out.pop();
    tree.write(&mut out);
    out.push('\n');
    out
}

/// Lines and moves by number, so that no depth of variations needs a deep stack.
struct Tree {
    lines: Vec<Line>,
    moves: Vec<Node>,
    open: Vec<usize>,
    chess960: bool,
}

#[derive(Default)]
struct Line {
    /// What is said about the game or the variation itself.
    annotations: Vec<Json>,
    moves: Vec<usize>,
}

struct Node {
    ply: u32,
    san: String,
    uci: String,
    annotations: Vec<Json>,
    variations: Vec<usize>,
}

impl Tree {
    fn new(chess960: bool) -> Self {
        Self {
            lines: vec![Line::default()],
            moves: Vec::new(),
            open: vec![0],
            chess960,
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

    /// Appends `,"annotations":[…],"moves":[…]}` for the mainline, everything inside it too.
    fn write(&self, out: &mut String) {
        enum Step {
            Line(usize),
            Move(usize),
            Text(&'static str),
        }
        let mut steps = vec![Step::Line(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(text) => out.push_str(text),
                Step::Line(number) => {
                    let Some(line) = self.lines.get(number) else {
                        continue;
                    };
                    out.push_str(if number == 0 { "," } else { "{" });
                    out.push_str("\"annotations\":");
                    out.push_str(&Json::List(line.annotations.clone()).compact());
                    out.push_str(",\"moves\":[");
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
                    let facts = Json::Object(vec![
                        ("ply", node.ply.into()),
                        ("san", node.san.clone().into()),
                        ("uci", node.uci.clone().into()),
                        ("annotations", Json::List(node.annotations.clone())),
                    ]);
                    out.push_str(&facts.compact());
                    out.pop();
                    out.push_str(",\"variations\":[");
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
        let mut text = Vec::new();
        san::write(before, ply, &mut text);
        let mut coordinates = Vec::new();
        match ply {
            Ply::Move(m) => uci::write(before, m, self.chess960, &mut coordinates),
            Ply::Null => coordinates.extend_from_slice(b"0000"),
        }
        let number = self.moves.len();
        let full = u32::from(before.full_move_number()).max(1);
        self.moves.push(Node {
            ply: (full - 1) * 2 + if before.turn().is_white() { 1 } else { 2 },
            san: String::from_utf8_lossy(&text).into_owned(),
            uci: String::from_utf8_lossy(&coordinates).into_owned(),
            annotations: Vec::new(),
            variations: Vec::new(),
        });
        if let Some(line) = self.line() {
            line.moves.push(number);
        }
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let value = annotation_json(&annotation);
        if let Some(node) = self.node() {
            node.annotations.push(value);
        } else if let Some(line) = self.line() {
            line.annotations.push(value);
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

fn annotation_json(annotation: &Annotation<'_>) -> Json {
    let typed = |kind: &'static str, mut pairs: Vec<(&'static str, Json)>| {
        pairs.insert(0, ("type", kind.into()));
        Json::Object(pairs)
    };
    match annotation {
        Annotation::Nag(nag) => typed("nag", vec![("nag", nag.0.into())]),
        Annotation::Comment(comment) => typed("comment", comment_pairs(comment)),
        Annotation::Shape(shape) => shape_json(shape),
        Annotation::Clock(clock) => {
            let kind = match clock.kind {
                ClockKind::Remaining => "remaining",
                ClockKind::ElapsedMove => "elapsedMove",
                ClockKind::ElapsedGame => "elapsedGame",
                ClockKind::Mechanical => "mechanical",
                _ => "other",
            };
            let seconds = Json::Real(clock.time.as_secs_f64());
            typed("clock", vec![("kind", kind.into()), ("seconds", seconds)])
        }
        Annotation::Eval(eval) => {
            let score = match eval.score {
                Score::Centipawns(value) => ("centipawns", value.into()),
                Score::Mate(moves) => ("mate", moves.into()),
            };
            let mut pairs = vec![score, ("depth", eval.depth.into())];
            if eval.engine != 0 {
                pairs.push(("engine", eval.engine.into()));
            }
            typed("eval", pairs)
        }
        Annotation::Medals(bits) => typed("medals", vec![("bits", (*bits).into())]),
        Annotation::Critical(critical) => typed("critical", vec![("phase", critical.0.into())]),
        Annotation::VariationColor(color) => {
            let rgb = format!("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
            typed(
                "variationColor",
                vec![("color", rgb.into()), ("flags", color.flags.into())],
            )
        }
        Annotation::PawnStructure(value) => {
            typed("pawnStructure", vec![("value", (*value).into())])
        }
        Annotation::PiecePath(path) => typed(
            "piecePath",
            vec![("kind", path.kind.into()), ("square", path.square.into())],
        ),
        Annotation::VideoTime(time) => typed("videoTime", vec![("value", (*time).into())]),
        Annotation::TimeControl(control) => {
            let stages = control.stages.iter().map(|stage| {
                Json::Object(vec![
                    ("start", hundredths(stage.start)),
                    ("increment", hundredths(stage.increment)),
                    ("moves", stage.moves.into()),
                    ("kind", stage.kind.into()),
                ])
            });
            typed(
                "timeControl",
                vec![("stages", Json::List(stages.collect()))],
            )
        }
        Annotation::StartClock(clock) => {
            let color = if clock.color.is_white() {
                "white"
            } else {
                "black"
            };
            let pairs = vec![
                ("color", color.into()),
                ("seconds", hundredths(clock.hundredths)),
            ];
            typed("startClock", pairs)
        }
        Annotation::EvalProfile(profile) => {
            let points = profile.points.iter().map(|point| {
                Json::Object(vec![
                    ("flag", point.flag.into()),
                    ("value", point.value.into()),
                    ("depth", point.depth.into()),
                ])
            });
            typed(
                "evalProfile",
                vec![("points", Json::List(points.collect()))],
            )
        }
        Annotation::Training(training) => {
            let solutions = training.solutions.iter().map(|solution| {
                Json::Object(vec![
                    ("from", square(solution.from)),
                    ("to", square(solution.to)),
                    ("promotion", solution.promotion.into()),
                    ("points", solution.points.into()),
                    ("comments", texts(&solution.comments)),
                ])
            });
            typed(
                "training",
                vec![
                    ("seconds", training.seconds.into()),
                    ("points", training.points.into()),
                    ("question", texts(&training.question)),
                    ("wrong", texts(&training.wrong)),
                    ("firstHelp", texts(&training.first_help)),
                    ("secondHelp", texts(&training.second_help)),
                    ("solutions", Json::List(solutions.collect())),
                ],
            )
        }
        Annotation::Quotation(quotation) => {
            let setup = quotation.setup.as_deref();
            let moves = quotation
                .moves
                .as_ref()
                .map(|moves| quoted_moves(setup, moves));
            typed(
                "quotation",
                vec![
                    ("white", quotation.white.clone().into()),
                    ("whiteElo", quotation.white_elo.into()),
                    ("black", quotation.black.clone().into()),
                    ("blackElo", quotation.black_elo.into()),
                    ("event", quotation.event.clone().into()),
                    ("site", quotation.site.clone().into()),
                    ("date", quotation.date.to_string().into()),
                    ("round", quotation.round.into()),
                    ("subRound", quotation.sub_round.into()),
                    ("result", quotation.result.to_string().into()),
                    ("fen", setup.map(|setup| setup.fen(FenStyle::XFen)).into()),
                    ("moves", moves.into()),
                ],
            )
        }
        Annotation::WebLink(link) => typed(
            "webLink",
            vec![("url", link.url.into()), ("caption", link.caption.into())],
        ),
        Annotation::Media(media) => {
            let kind = match media.kind {
                MediaKind::Sound => "sound",
                MediaKind::Picture => "picture",
                MediaKind::Video => "video",
                _ => "other",
            };
            let language = media.language.map(|language| language.to_string());
            typed(
                "media",
                vec![
                    ("kind", kind.into()),
                    ("language", language.into()),
                    ("text", media.text.into()),
                ],
            )
        }
        Annotation::Text(part) => {
            let kind = match part.kind {
                TextKind::Title => "title",
                TextKind::Plain => "plain",
                TextKind::Html => "html",
                TextKind::File => "file",
                _ => "other",
            };
            typed(
                "text",
                vec![
                    ("kind", kind.into()),
                    ("language", part.language.into()),
                    ("text", part.text.into()),
                ],
            )
        }
        Annotation::Foreign(foreign) => {
            let mut hex = String::new();
            for byte in foreign.bytes {
                let _ = write!(hex, "{byte:02x}");
            }
            typed(
                "foreign",
                vec![
                    ("format", foreign.format.to_string().into()),
                    ("kind", foreign.kind.into()),
                    ("bytes", hex.into()),
                ],
            )
        }
        _ => typed("other", Vec::new()),
    }
}

fn comment_pairs(comment: &Comment<'_>) -> Vec<(&'static str, Json)> {
    let placement = match comment.placement {
        CommentPlacement::Before => "before",
        CommentPlacement::After => "after",
    };
    vec![
        ("text", comment.text.into()),
        ("place", placement.into()),
        (
            "language",
            comment.language.map(|language| language.to_string()).into(),
        ),
    ]
}

fn shape_json(shape: &Shape) -> Json {
    let (kind, mut pairs) = match shape.kind {
        ShapeKind::Square(at) => ("square", vec![("square", square(at))]),
        ShapeKind::Arrow(from, to) => ("arrow", vec![("from", square(from)), ("to", square(to))]),
        ShapeKind::Circle(at) => ("circle", vec![("square", square(at))]),
        ShapeKind::Disk(at) => ("disk", vec![("square", square(at))]),
        ShapeKind::Frame(at) => ("frame", vec![("square", square(at))]),
        ShapeKind::Letter(at, letter) => (
            "letter",
            vec![
                ("square", square(at)),
                ("letter", letter.to_string().into()),
            ],
        ),
        _ => ("shape", Vec::new()),
    };
    pairs.insert(0, ("type", kind.into()));
    pairs.push(("color", color(shape.color).into()));
    Json::Object(pairs)
}

fn color(color: ShapeColor) -> String {
    match color {
        ShapeColor::DarkBlue => "darkBlue".to_owned(),
        ShapeColor::ChessBase(number) => format!("chessBase{number}"),
        ShapeColor::Rgb(rgb) => format!("#{rgb:06x}"),
        named => format!("{named:?}").to_lowercase(),
    }
}

fn square(square: Square) -> Json {
    square.to_string().into()
}

fn hundredths(value: i32) -> Json {
    Json::Real(f64::from(value) / 100.0)
}

fn texts(texts: &[TrainingText]) -> Json {
    let texts = texts.iter().map(|text| {
        Json::Object(vec![
            ("language", text.language.into()),
            ("text", text.text.clone().into()),
        ])
    });
    Json::List(texts.collect())
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
    fn the_whole_tree_is_there() {
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
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
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
