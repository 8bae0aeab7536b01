//! The games of the sample database in `samples`, which shows games, annotations and texts of many
//! kinds. The comments were written for it.

use std::time::Duration;

use tabia_core::GameIndex;
use tabia_core::chess::Square;
use tabia_core::game::{
    Annotation, Clock, ClockKind, CommentPlacement, CriticalPosition, Eval, EvalPoint, EvalProfile,
    Game, GameHead, GameResult, Language, Quotation, RecordKind, Recorder, Score, Shape,
    ShapeColor, ShapeKind, TextKind, TextPart, Training, TrainingSolution, TrainingText,
    VariationColor, Visitor, WebLink,
};

use crate::game_builder::GameBuilder;

/// All records in the order of the sample: eight games, one of them deleted, and a guiding text.
pub fn games() -> Vec<Game> {
    vec![
        welcome(),
        opera(),
        immortal(),
        evergreen(),
        club_game(),
        study(),
        chess960(),
        trap(),
        deleted(),
    ]
}

const MEDAL_BEST_GAME: u32 = 1;
const MEDAL_MODEL_GAME: u32 = 1 << 2;
const MEDAL_TACTICS: u32 = 1 << 6;

/// A guiding text in two languages.
fn welcome() -> Game {
    let mut head = GameHead::default();
    head.tags = [
        ("Event", "tabia sample"),
        ("Site", "?"),
        ("Round", "?"),
        ("Annotator", "tabia"),
    ]
    .into_iter()
    .collect();
    head.kind = RecordKind::Text;
    let mut recorder = Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &head);
    for (kind, language, text) in [
        (TextKind::Title, 0, "About this sample"),
        (TextKind::Title, 1, "Über dieses Beispiel"),
        (
            TextKind::Html,
            0,
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"></head><body><h1>About this \
             sample</h1><p>Eight games that use what a database can hold: variations, comments in \
             two languages, arrows, evaluations, clocks, a study, Chess960 and a question to \
             solve.</p></body></html>",
        ),
        (
            TextKind::Html,
            1,
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"></head><body><h1>Über dieses \
             Beispiel</h1><p>Acht Partien, die zeigen, was eine Datenbank aufnehmen kann.</p>\
             </body></html>",
        ),
    ] {
        let _ = recorder.visit_annotation(Annotation::Text(TextPart {
            kind,
            language,
            text,
        }));
    }
    recorder.end_game(GameResult::Unknown);
    recorder.replace(Game::new())
}

fn opera() -> Game {
    let training = Training {
        seconds: 120,
        points: 10,
        question: texts("White to move ends it.", "Weiß am Zug beendet die Partie."),
        wrong: texts("Look at the d-file.", "Schau auf die d-Linie."),
        first_help: texts("The queen is not needed.", "Die Dame wird nicht gebraucht."),
        second_help: texts("Lure the knight away.", "Lenke den Springer ab."),
        solutions: vec![TrainingSolution {
            from: square("b3"),
            to: square("b8"),
            promotion: 0,
            points: 10,
            comments: texts("Well done!", "Gut gemacht!"),
        }],
        choices: Vec::new(),
    };
    GameBuilder::new()
        .tags(&[
            ("Event", "Opera box"),
            ("Site", "Paris"),
            ("Date", "1858.??.??"),
            ("Round", "?"),
            ("White", "Morphy, Paul"),
            ("Black", "Duke Karl and Count Isouard"),
            ("Result", "1-0"),
            ("ECO", "C41"),
            ("Annotator", "tabia"),
        ])
        .english("Development against a queen that stays behind.")
        .annotation(Annotation::Medals(MEDAL_MODEL_GAME | MEDAL_TACTICS))
        .moves("e4 e5 Nf3 d6 d4 Bg4")
        .nag(6)
        .german("Danach muss Schwarz den Läufer hergeben.")
        .begin()
        .moves("exd4 Nxd4 Nf6")
        .english("keeps both bishops.")
        .end()
        .moves("dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3")
        .nag(1)
        .arrow(ShapeColor::Green, "b3", "f7")
        .arrow(ShapeColor::Green, "b3", "b7")
        .square(ShapeColor::Red, "f7")
        .square(ShapeColor::Yellow, "b7")
        .moves("Qe7 Nc3")
        .before("Morphy goes on developing.")
        .begin()
        .moves("Qxb7 Qb4+")
        .english("forces the queens off.")
        .end()
        .begin()
        .moves("Bxf7+ Qxf7 Qxb7")
        .nag(16)
        .end()
        .moves("c6 Bg5 b5")
        .nag(2)
        .moves("Nxb5 cxb5 Bxb5+ Nbd7 O-O-O")
        .annotation(Annotation::Critical(CriticalPosition(2)))
        .english("Every white piece plays.")
        .german("Alle weißen Figuren spielen mit.")
        .moves("Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+")
        .nag(3)
        .annotation(Annotation::Training(&training))
        .moves("Nxb8 Rd8#")
        .result(GameResult::WhiteWins)
}

fn immortal() -> Game {
    GameBuilder::new()
        .tags(&[
            ("Event", "Offhand game"),
            ("Site", "London"),
            ("Date", "1851.06.21"),
            ("Round", "?"),
            ("White", "Anderssen, Adolf"),
            ("Black", "Kieseritzky, Lionel"),
            ("Result", "1-0"),
            ("ECO", "C33"),
            ("Annotator", "tabia"),
        ])
        .annotation(Annotation::Medals(MEDAL_BEST_GAME))
        .moves("e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1")
        .nag(1)
        .english("A bishop for time: ♗b5 stays en prise.")
        .moves("cxb5 h4 Qg6 h5 Qg5 Qf3 Ng8 Bxf4 Qf6 Nc3 Bc5 Nd5")
        .nag(5)
        .begin()
        .moves("d4")
        .nag(18)
        .english("is simpler, for instance")
        .moves("Bf8 Nd5")
        .end()
        .moves("Qxb2 Bd6 Bxg1")
        .nag(4)
        .begin()
        .moves("Qxa1+ Ke2 Qb2")
        .nag(146)
        .english("would have held out longer.")
        .begin()
        .moves("Qxg1 Nxg7+")
        .end()
        .end()
        .moves("e5")
        .arrow(ShapeColor::Red, "d6", "e7")
        .moves("Qxa1+ Ke2 Na6 Nxg7+ Kd8 Qf6+ Nxf6 Be7#")
        .english("Three minor pieces against the whole black army. [#]")
        .result(GameResult::WhiteWins)
}

fn evergreen() -> Game {
    GameBuilder::new()
        .tags(&[
            ("Event", "Offhand game"),
            ("Site", "Berlin"),
            ("Date", "1852.??.??"),
            ("Round", "?"),
            ("White", "Anderssen, Adolf"),
            ("Black", "Dufresne, Jean"),
            ("Result", "1-0"),
            ("ECO", "C52"),
        ])
        .moves("e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5 d4 exd4 O-O d3")
        .eval(-20, 18)
        .moves("Qb3 Qf6 e5 Qg6 Re1 Nge7 Ba3 b5 Qxb5 Rb8 Qa4 Bb6 Nbd2 Bb7 Ne4 Qf5 Bxd3 Qh5 Nf6+")
        .nag(5)
        .begin()
        .moves("Ng3 Qh6")
        .annotation(Annotation::VariationColor(VariationColor {
            flags: 0,
            red: 0x40,
            green: 0x40,
            blue: 0xff,
        }))
        .eval(210, 20)
        .end()
        .moves("gxf6 exf6 Rg8 Rad1")
        .nag(132)
        .moves("Qxf3")
        .nag(4)
        .begin()
        .moves("Qh3 Bf1 Qf5")
        .eval(-35, 24)
        .end()
        .moves("Rxe7+ Nxe7")
        .begin()
        .moves("Kd8 Rxd7+ Kc8 Rd8+ Kxd8")
        .begin()
        .moves("Rxd8 gxf3")
        .end()
        .moves("Be2+")
        .end()
        .moves("Qxd7+ Kxd7 Bf5+")
        .mate(3, 12)
        .moves("Ke8 Bd7+ Kf8 Bxe7#")
        .result(GameResult::WhiteWins)
}

fn club_game() -> Game {
    let profile = EvalProfile {
        points: (0..17)
            .map(|ply| EvalPoint {
                flag: 0,
                depth: 14,
                value: if ply % 2 == 0 { 25 } else { 10 } + ply,
            })
            .collect(),
    };
    GameBuilder::new()
        .tags(&[
            ("Event", "Sample League"),
            ("Site", "Mainz"),
            ("Date", "2024.03.17"),
            ("Round", "3.1"),
            ("White", "Abel, Ada"),
            ("Black", "Çelik, Bülent"),
            ("Result", "1/2-1/2"),
            ("ECO", "C96"),
            ("WhiteElo", "2214"),
            ("BlackElo", "2187"),
            ("EventDate", "2024.03.15"),
            ("EventType", "team-swiss"),
            ("EventRounds", "7"),
            ("EventCountry", "GER"),
            ("WhiteTeam", "SK Abelheim"),
            ("WhiteTeamCountry", "GER"),
            ("BlackTeam", "Rochade Brandt"),
            ("BlackTeamCountry", "GER"),
            ("CbWhiteTeamNumber", "1"),
            ("SourceTitle", "tabia sample"),
            ("SourceDate", "2024.04.01"),
            ("TimeControl", "40/5400+30:900+30"),
            ("WhiteClock", "1:30:00"),
            ("BlackClock", "1:30:00"),
        ])
        .annotation(Annotation::EvalProfile(&profile))
        .timed("e4", 4)
        .timed("e5", 6)
        .timed("Nf3", 5)
        .timed("Nc6", 3)
        .timed("Bb5", 11)
        .timed("a6", 8)
        .timed("Ba4", 9)
        .timed("Nf6", 15)
        .timed("O-O", 7)
        .timed("Be7", 21)
        .timed("Re1", 30)
        .timed("b5", 12)
        .timed("Bb3", 3725)
        .timed("d6", 42)
        .timed("c3", 18)
        .timed("O-O", 95)
        .nag(11)
        .english("Draw agreed.")
        .german("Remis vereinbart.")
        .begin()
        .moves("--")
        .before("What does White threaten?")
        .moves("a4 Bb7 axb5 axb5 Rxa8 Qxa8")
        .nag(10)
        .end()
        .result(GameResult::Draw)
}

fn study() -> Game {
    GameBuilder::from_fen("7K/8/k1P5/7p/8/8/8/8 w - - 0 1")
        .tags(&[
            ("Event", "Study"),
            ("Site", "?"),
            ("Date", "1921.??.??"),
            ("Round", "?"),
            ("White", "Réti, Richard"),
            ("Black", "?"),
            ("Result", "1/2-1/2"),
            ("Annotator", "tabia"),
        ])
        .english("White draws: the king goes two ways at once.")
        .german("Weiß hält remis: der König geht zwei Wege zugleich.")
        .moves("Kg7")
        .arrow(ShapeColor::Green, "g7", "d6")
        .arrow(ShapeColor::Yellow, "g7", "h4")
        .moves("h4 Kf6 Kb6")
        .begin()
        .moves("h3 Ke7 h2 c7 Kb7 Kd7")
        .nag(11)
        .end()
        .moves("Ke5 h3 Kd6 h2 c7 Kb7 Kd7")
        .nag(10)
        .result(GameResult::Draw)
}

fn chess960() -> Game {
    let mut builder =
        GameBuilder::from_fen("nrkbbqnr/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQNR w HBhb - 0 1").tags(&[
            ("Event", "Sample League, blitz"),
            ("Site", "Mainz"),
            ("Date", "2024.03.18"),
            ("Round", "1"),
            ("White", "Brandt, Bo"),
            ("Black", "Abel, Ada"),
            ("Result", "1/2-1/2"),
            ("EventType", "swiss (blitz)"),
        ]);
    builder.head.start.chess960 = true;
    builder
        .moves("e4 e5 Be2 Be7 O-O-O")
        .english("The king stays where it is.")
        .moves("O-O-O Nf3 Nf6 d4 exd4 Nxd4 d5 exd5 Nxd5 Bf3 Nab6")
        .nag(11)
        .result(GameResult::Draw)
}

fn trap() -> Game {
    let quotation = Quotation {
        white: "Abel, Ada".to_owned(),
        black: "Brandt, Bo".to_owned(),
        event: "Sample League".to_owned(),
        site: "Mainz".to_owned(),
        round: 2,
        result: GameResult::BlackWins,
        ..Quotation::default()
    };
    GameBuilder::new()
        .tags(&[
            ("Event", "Opening traps"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "Albin Counter-Gambit"),
            ("Black", "?"),
            ("Result", "*"),
            ("ECO", "D08"),
            ("Annotator", "tabia"),
        ])
        .moves("d4 d5 c4 e5 dxe5 d4 e3")
        .nag(2)
        .moves("Bb4+ Bd2 dxe3 Bxb4")
        .nag(4)
        .begin()
        .moves("fxe3 Qh4+ g3 Qe4")
        .nag(15)
        .end()
        .moves("exf2+ Ke2 fxg1=N+")
        .nag(3)
        .english("Not a queen!\nThe knight gives check and stays alive.")
        .annotation(Annotation::WebLink(WebLink {
            url: "https://example.org/albin",
            caption: "More about it",
        }))
        .begin()
        .moves("fxg1=Q Qxd8+ Kxd8 Rxg1")
        .end()
        .moves("Ke1")
        .begin()
        .moves("Rxg1 Bg4+")
        .square(ShapeColor::Green, "d1")
        .end()
        .moves("Qh4+ Kd2 Nc6 Bc3 Bg4")
        .nag(19)
        .annotation(Annotation::Quotation(&quotation))
        .result(GameResult::Unknown)
}

fn deleted() -> Game {
    let mut builder = GameBuilder::new().tags(&[
        ("Event", "Sample League"),
        ("Site", "Mainz"),
        ("Date", "2024.03.16"),
        ("Round", "2"),
        ("White", "Çelik, Bülent"),
        ("Black", "Brandt, Bo"),
        ("Result", "1-0"),
    ]);
    builder.head.deleted = true;
    builder
        .moves("e4 f6 d4 g5 Qh5#")
        .result(GameResult::WhiteWins)
}

/// The annotations of the sample.
impl GameBuilder {
    fn tags(self, tags: &[(&str, &str)]) -> Self {
        let add = |builder: Self, (name, value): &(&str, &str)| builder.tag(name, value);
        tags.iter().fold(self, add)
    }

    fn timed(self, text: &str, seconds: u64) -> Self {
        self.moves(text).annotation(Annotation::Clock(Clock {
            kind: ClockKind::ElapsedMove,
            time: Duration::from_secs(seconds),
        }))
    }

    fn english(self, text: &str) -> Self {
        self.text(CommentPlacement::After, Language::iso(*b"en"), text)
    }

    fn german(self, text: &str) -> Self {
        self.text(CommentPlacement::After, Language::iso(*b"de"), text)
    }

    fn before(self, text: &str) -> Self {
        self.text(CommentPlacement::Before, Language::iso(*b"en"), text)
    }

    fn arrow(self, color: ShapeColor, from: &str, to: &str) -> Self {
        self.annotation(Annotation::Shape(Shape {
            kind: ShapeKind::Arrow(square(from), square(to)),
            color,
        }))
    }

    fn square(self, color: ShapeColor, at: &str) -> Self {
        self.annotation(Annotation::Shape(Shape {
            kind: ShapeKind::Square(square(at)),
            color,
        }))
    }

    fn eval(self, centipawns: i32, depth: u16) -> Self {
        self.score(Score::Centipawns(centipawns), depth)
    }

    fn mate(self, moves: i32, depth: u16) -> Self {
        self.score(Score::Mate(moves), depth)
    }

    fn score(self, score: Score, depth: u16) -> Self {
        self.annotation(Annotation::Eval(Eval {
            score,
            depth: Some(depth),
            engine: 0,
        }))
    }
}

fn texts(english: &str, german: &str) -> Vec<TrainingText> {
    vec![TrainingText::new(0, english), TrainingText::new(1, german)]
}

fn square(name: &str) -> Square {
    Square::parse(name.as_bytes()).expect("a square")
}
