//! Small games and databases in memory.

use std::borrow::Cow;
use std::time::Duration;

use tabia_core::chess::{Ply, Position, Setup, Square, san};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Date, Eval,
    EvalPoint, EvalProfile, Flow, Foreign, Game, GameHead, GameResult, Language, Nag, PiecePath,
    Quotation, Score, Shape, ShapeColor, ShapeKind, Start, Training, TrainingSolution,
    TrainingText, VariationColor, Visitor, Want, WebLink,
};
use tabia_core::games::{Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind};
use tabia_core::{FormatId, GameIndex};

/// Builds a game from moves in SAN, comments and NAGs.
#[derive(Debug)]
pub struct GameBuilder {
    head: GameHead,
    steps: Vec<Step>,
    /// The position before the last move and the current one, for each open line.
    lines: Vec<(Position, Position)>,
}

#[derive(Debug)]
enum Step {
    Move(Position, Ply),
    Comment(CommentPlacement, String),
    Nag(u8),
    Annotation(Annotation<'static>),
    Begin,
    End,
}

impl GameBuilder {
    /// A game from the standard position.
    pub fn new() -> Self {
        Self::from_head(GameHead::default(), Position::standard())
    }

    /// A game from a setup position.
    ///
    /// # Panics
    /// If `fen` is not a legal position.
    pub fn from_fen(fen: &str) -> Self {
        let setup = Setup::parse_fen(fen.as_bytes()).expect("a FEN");
        let position = Position::from_setup(&setup).expect("a legal position");
        let start = Start {
            setup: Some(Box::new(setup)),
            chess960: false,
        };
        let mut head = GameHead::default();
        head.start = start;
        Self::from_head(head, position)
    }

    fn from_head(head: GameHead, position: Position) -> Self {
        Self {
            head,
            steps: Vec::new(),
            lines: vec![(position.clone(), position)],
        }
    }

    /// Adds a tag pair.
    pub fn tag(mut self, name: &str, value: &str) -> Self {
        self.head.tags.push(name, value);
        self
    }

    /// Adds moves in SAN, separated by blanks.
    ///
    /// # Panics
    /// If one of them is illegal.
    pub fn moves(mut self, text: &str) -> Self {
        for token in text.split_whitespace() {
            let (before, now) = self.lines.last_mut().expect("the mainline is open");
            let ply = san::read(now, token.as_bytes())
                .unwrap_or_else(|error| panic!("{token} in {}: {error:?}", now.fen()));
            before.clone_from(now);
            now.play_ply(ply);
            self.steps.push(Step::Move(before.clone(), ply));
        }
        self
    }

    /// Adds a comment after the last move.
    pub fn comment(mut self, text: &str) -> Self {
        self.steps
            .push(Step::Comment(CommentPlacement::After, text.to_owned()));
        self
    }

    /// Adds a comment before the last move.
    pub fn comment_before(mut self, text: &str) -> Self {
        self.steps
            .push(Step::Comment(CommentPlacement::Before, text.to_owned()));
        self
    }

    /// Adds a NAG to the last move.
    pub fn nag(mut self, number: u8) -> Self {
        self.steps.push(Step::Nag(number));
        self
    }

    /// Adds an annotation to the last move.
    pub fn annotation(mut self, annotation: Annotation<'static>) -> Self {
        self.steps.push(Step::Annotation(annotation));
        self
    }

    /// Begins a variation with an alternative to the last move.
    pub fn begin(mut self) -> Self {
        let (before, _) = self.lines.last().expect("the mainline is open");
        let before = before.clone();
        self.lines.push((before.clone(), before));
        self.steps.push(Step::Begin);
        self
    }

    /// Ends a variation.
    ///
    /// # Panics
    /// If no variation is open.
    pub fn end(mut self) -> Self {
        assert!(self.lines.len() > 1, "no variation is open");
        self.lines.pop();
        self.steps.push(Step::End);
        self
    }

    /// Ends the game and returns it.
    pub fn result(self, result: GameResult) -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &self.head);
        for step in &self.steps {
            let _ = match step {
                Step::Move(before, ply) => recorder.visit_move(before, *ply),
                Step::Annotation(annotation) => recorder.visit_annotation(*annotation),
                Step::Comment(placement, text) => {
                    recorder.visit_annotation(Annotation::Comment(Comment {
                        placement: *placement,
                        language: None,
                        text,
                    }))
                }
                Step::Nag(number) => recorder.visit_annotation(Annotation::Nag(Nag(*number))),
                Step::Begin => recorder.begin_variation(),
                Step::End => {
                    recorder.end_variation();
                    Flow::Go
                }
            };
        }
        recorder.end_game(result);
        game
    }
}

impl Default for GameBuilder {
    fn default() -> Self {
        Self::new()
    }
}

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

/// A database in memory.
#[derive(Debug)]
pub struct TinyDatabase {
    games: Vec<Game>,
    info: DatabaseInfo,
    names: Vec<(NameKind, String)>,
}

impl TinyDatabase {
    /// A database of these games.
    pub fn new(games: Vec<Game>) -> Self {
        let mut names: Vec<(NameKind, String)> = Vec::new();
        for game in &games {
            for (kind, tag) in NAME_TAGS {
                let name = (kind, game.head.tags.text(tag).to_owned());
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut info = DatabaseInfo::default();
        info.format = FormatId::new("tiny");
        info.version = "in memory".into();
        info.records = games.len() as u32;
        Self { games, info, names }
    }

    fn game(&self, game: GameIndex) -> Result<&Game> {
        self.games
            .get(game.0 as usize)
            .ok_or_else(|| Error::new(ErrorKind::Invalid("no such game".to_owned())).in_game(game))
    }

    fn id(&self, kind: NameKind, name: &str) -> Option<NameId> {
        self.names
            .iter()
            .position(|other| other.0 == kind && other.1 == name)
            .map(|index| NameId(index as u32))
    }
}

const NAME_TAGS: [(NameKind, &str); 7] = [
    (NameKind::Player, "White"),
    (NameKind::Player, "Black"),
    (NameKind::Event, "Event"),
    (NameKind::Site, "Site"),
    (NameKind::Round, "Round"),
    (NameKind::Annotator, "Annotator"),
    (NameKind::Source, "Source"),
];

impl Database for TinyDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let game = self.game(game)?;
        let tags = &game.head.tags;
        let id = |kind, tag| self.id(kind, tags.text(tag));
        Ok(IndexEntry {
            white: id(NameKind::Player, "White"),
            black: id(NameKind::Player, "Black"),
            event: id(NameKind::Event, "Event"),
            site: id(NameKind::Site, "Site"),
            round: id(NameKind::Round, "Round"),
            annotator: id(NameKind::Annotator, "Annotator"),
            date: tags.date().unwrap_or_default(),
            white_elo: tags.white_elo(),
            black_elo: tags.black_elo(),
            result: game.result,
            eco: tags.eco(),
            ply_count: u16::try_from(game.ply_count()).ok(),
            deleted: game.head.deleted,
            has_setup: game.head.start.setup.is_some(),
            has_variations: Some(game.has_variations()),
            ..IndexEntry::default()
        })
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        self.names
            .get(id.0 as usize)
            .filter(|name| name.0 == kind)
            .map(|name| Cow::Borrowed(name.1.as_str()))
            .ok_or_else(|| Error::new(ErrorKind::Invalid("no such name".to_owned())))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(TinyReader(self))
    }
}

struct TinyReader<'d>(&'d TinyDatabase);

impl GameReader for TinyReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        Ok(self.0.game(game)?.replay(game, want, visitor))
    }
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

    #[test]
    fn a_database_answers_by_index_and_name() {
        let database = TinyDatabase::new(games());
        let entry = database.entry(GameIndex(1)).unwrap();
        let white = entry.white.unwrap();
        assert_eq!(
            database.name(NameKind::Player, white).unwrap(),
            "Brandt, Bo"
        );
        assert_eq!(entry.result, GameResult::Draw);
        assert_eq!(entry.ply_count, Some(10));
        assert!(database.entry(GameIndex(3)).is_err());
        let all = dump::database(&database, Want::ALL);
        assert_eq!(all.matches("\ngame ").count() + 1, 3);
        assert!(all.contains("start 4k3/P7/8/8/8/8/7p/4K3 w - - 0 1"));
    }
}
