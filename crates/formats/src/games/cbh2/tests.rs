//! Sets that the test encoder makes after the notes: intact, damaged and of other versions.

mod encoder;

use tabia_core::GameIndex;
use tabia_core::chess::{Color, Piece, Role, Setup, Square};
use tabia_core::error::{ErrorKind, Result};
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::game::{
    Annotation, Event, Flow, Foreign, Game, GameHead, GameResult, RecordKind, Start, TextKind,
    TextPart, Training, Visitor,
};
use tabia_core::games::{Database, NameId, NameKind};
use tabia_testkit::database::{assert_fixture, open_files, read_games};
use tabia_testkit::dump;
use tabia_testkit::tiny::{self, GameBuilder};

use super::annotations::{ANY_LANGUAGE, foreign};
use super::{FORMAT, ID, move_codes};
use encoder::{Files, files};

/// The games of the fixture: everything that is read except texts, which few formats can store.
fn games() -> Vec<Game> {
    let mut games = tiny::games();
    games.push(annotated());
    games.push(promotions());
    games.extend(chess960());
    games.push(nulls());
    let mut deleted = GameBuilder::new()
        .tag("Event", "Tiny Open")
        .tag("Site", "Berlin")
        .tag("Date", "2021.05.03")
        .tag("Round", "3.2")
        .tag("White", "Abel, Ada")
        .tag("Black", "Čapek, Ida")
        .tag("Result", "0-1")
        .tag("Board", "4")
        .tag("Annotator", "Brandt, Bo")
        .tag("EventType", "swiss")
        .tag("EventRounds", "7")
        .tag("EventCountry", "NED")
        .tag("CbEventTieBreaks", "3 9")
        .tag("SourceTitle", "Tiny Magazine")
        .tag("WhiteTeam", "North")
        .tag("BlackTeam", "South")
        .tag("WhiteFideId", "1234567")
        .tag("CbGameTagEnglish", "A find")
        .tag("CbGameTagGerman", "Ein Fund")
        .tag("Cb2GameTag121", "Nalez")
        .moves("e4 e5")
        .result(GameResult::BlackWins);
    deleted.head.deleted = true;
    games.push(deleted);
    let analysis = GameBuilder::new()
        .tag("Event", "?")
        .tag("Site", "?")
        .tag("Date", "????.??.??")
        .tag("Round", "?")
        .tag("White", "?")
        .tag("Black", "?")
        .tag("Result", "*")
        .tag("Cb2Content", "analysis")
        .tag("Annotator", "Brandt, Bo")
        .tag("CbGameTagEnglish", "What if?")
        .moves("e4 c5")
        .begin()
        .moves("e5")
        .end()
        .begin()
        .moves("e6 d4")
        .comment("quiet")
        .end()
        .moves("Nf3")
        .comment("better")
        .result(GameResult::Unknown);
    games.push(analysis);
    games
}

/// A game with every kind of annotation whose layout is in the notes.
fn annotated() -> Game {
    let model = tiny::annotated();
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &model.head);
    for event in model.events() {
        let annotation = match event {
            Event::Move(ply) => {
                recorder.push_move(ply);
                continue;
            }
            Event::Annotation(annotation) => annotation,
            _ => panic!("there are no variations"),
        };
        let _ = match annotation {
            // The layouts of these are not in the notes.
            Annotation::Quotation(_) | Annotation::VariationColor(_) | Annotation::Foreign(_) => {
                Flow::Go
            }
            Annotation::Training(training) => {
                let mut training: Training = training.clone();
                for text in &mut training.question {
                    text.language = ANY_LANGUAGE;
                }
                recorder.visit_annotation(Annotation::Training(&training))
            }
            other => recorder.visit_annotation(other),
        };
    }
    // The colour of a variation is kept as bytes.
    let _ = recorder.visit_annotation(Annotation::Foreign(Foreign {
        format: ID,
        kind: 0x23,
        bytes: &[1, 2, 3, 4],
    }));
    recorder.end_game(model.result);
    game
}

fn named(builder: GameBuilder) -> GameBuilder {
    builder
        .tag("Event", "?")
        .tag("Site", "?")
        .tag("Date", "2023.01.02")
        .tag("Round", "?")
        .tag("White", "Abel, Ada")
        .tag("Black", "Brandt, Bo")
        .tag("Result", "*")
}

fn promotions() -> Game {
    let fen = "r3k2r/1P6/8/3pP3/8/8/7p/R3K3 w Qkq d6 0 20";
    named(GameBuilder::from_fen(fen))
        .moves("exd6 O-O O-O-O h1=N bxa8=R")
        .result(GameResult::Unknown)
}

/// A numbered start position, and another one.
fn chess960() -> [Game; 2] {
    let numbered = Setup::chess960_start(959).unwrap();
    let mut other = Setup::empty();
    for (square, color, role) in [
        (Square::parse(b"b1"), Color::White, Role::Rook),
        (Square::parse(b"c1"), Color::White, Role::King),
        (Square::parse(b"c8"), Color::Black, Role::King),
        (Square::parse(b"h8"), Color::Black, Role::Rook),
        (Square::parse(b"e2"), Color::White, Role::Pawn),
    ] {
        other.set(square.unwrap(), Some(Piece { color, role }));
    }
    other.castling[0][1] = Square::parse(b"b1");
    other.castling[1][0] = Square::parse(b"h8");
    other.full_move_number = 7;
    [(numbered, "e2e4 e7e5"), (other, "e2e4 c8h8 c1b1")].map(|(setup, moves)| {
        let mut head = GameHead::default();
        head.tags = named(GameBuilder::new())
            .result(GameResult::Unknown)
            .head
            .tags;
        head.start = Start {
            setup: Some(Box::new(setup)),
            chess960: true,
        };
        let mut position = head.start.position().unwrap();
        position.set_chess960();
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &head);
        for text in moves.split(' ') {
            let square = |at: usize| Square::parse(&text.as_bytes()[at..at + 2]).unwrap();
            let (from, to) = (square(0), square(2));
            let legal = position.legal_moves();
            let m = legal.iter().find(|m| m.from() == from && m.to() == to);
            let ply = tabia_core::chess::Ply::Move(*m.unwrap());
            recorder.push_move(ply);
            position.play_ply(ply);
        }
        recorder.end_game(GameResult::Unknown);
        game
    })
}

fn nulls() -> Game {
    let model = named(GameBuilder::new())
        .moves("e4")
        .result(GameResult::Unknown);
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &model.head);
    for ply in model.mainline() {
        recorder.push_move(ply);
    }
    recorder.push_move(tabia_core::chess::Ply::Null);
    recorder.end_game(GameResult::Unknown);
    game
}

fn text() -> Game {
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    head.tags.push("Event", "Tiny Open");
    head.tags.push("Site", "Berlin");
    head.tags.push("Round", "?");
    head.tags.push("Annotator", "Brandt, Bo");
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &head);
    for (kind, language, text) in [
        (TextKind::Title, 0, "Preface"),
        (TextKind::Title, 1, "Vorwort"),
        (TextKind::Html, 0, "<p>Ada & Bo</p>"),
        (TextKind::Html, ANY_LANGUAGE, "<p>♔</p>"),
    ] {
        let _ = recorder.visit_annotation(Annotation::Text(TextPart {
            kind,
            language,
            text,
        }));
    }
    recorder.end_game(GameResult::Unknown);
    game
}

fn open(files: &Files, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let files = files
        .iter()
        .map(|(extension, bytes)| (format!("tiny.{extension}"), bytes.clone()));
    open_files(&FORMAT, &files.collect::<Vec<_>>(), options)
}

#[test]
fn move_codes_match_the_notes() {
    use Color::{Black, White};
    let first = |color, role| {
        let piece = Piece { color, role };
        let found = move_codes::entries()
            .iter()
            .position(|entry| entry.piece == piece);
        found.unwrap() + 1
    };
    for (color, role, word) in [
        (White, Role::King, 0x0001),
        (White, Role::Queen, 0x09d9),
        (White, Role::Knight, 0x2bf9),
        (White, Role::Bishop, 0x33d9),
        (White, Role::Rook, 0x40f9),
        (Black, Role::King, 0x55f9),
        (Black, Role::Queen, 0x5fd1),
        (Black, Role::Knight, 0x81f1),
        (Black, Role::Bishop, 0x89d1),
        (Black, Role::Rook, 0x96f1),
        (White, Role::Pawn, 0xabf1),
        (Black, Role::Pawn, 0xae8d),
    ] {
        assert_eq!(first(color, role), word, "{color:?} {role:?}");
    }
    assert_eq!(
        move_codes::entries().len() + 1,
        usize::from(move_codes::CASTLING)
    );
    assert_eq!(move_codes::CASTLING + 4 + 4 * 960, move_codes::AFTER_MOVES);
}

#[test]
fn games_round_trip() {
    let mut written = games();
    // The files of this database are a fixture; `TABIA_UPDATE=1` writes it.
    for (extension, bytes) in &files(&written) {
        assert_fixture(&FORMAT, &format!("tiny.{extension}"), bytes);
    }
    written.push(text());
    let database = open(&files(&written), &OpenOptions::default()).unwrap();
    assert_eq!(database.info().problems, [""; 0]);
    assert_eq!((database.info().texts, database.info().deleted), (1, 1));
    let (found, problems) = read_games(&*database);
    assert_eq!(problems, [""; 0]);
    assert_eq!(found.len(), written.len());
    for (index, (expected, found)) in (0..).zip(written.iter().zip(&found)) {
        let (expected, found) = (&in_order(expected), &in_order(found));
        let index = GameIndex(index);
        dump::assert_same(
            "a game",
            &dump::game(index, expected),
            &dump::game(index, found),
        );
        assert_eq!(expected, found);
    }
}

/// The game with its tags sorted by name, without those of its start position.
fn in_order(game: &Game) -> Game {
    let mut game = game.clone();
    let tags = &mut game.head.tags;
    let mut sorted: Vec<(String, String)> = tags
        .iter()
        .filter(|(name, _)| !["SetUp", "FEN"].contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    sorted.sort();
    tags.clear();
    for (name, value) in sorted {
        tags.push(&name, &value);
    }
    game
}

#[test]
fn index_entries_have_names() {
    let written = games();
    let database = open(&files(&written), &OpenOptions::default()).unwrap();
    let last = written.len() as u32 - 2;
    let entry = database.entry(GameIndex(last)).unwrap();
    let name = |kind, id: Option<NameId>| database.name(kind, id.unwrap()).unwrap().into_owned();
    assert_eq!(name(NameKind::Player, entry.white), "Abel, Ada");
    assert_eq!(name(NameKind::Event, entry.event), "Tiny Open");
    assert_eq!(name(NameKind::Site, entry.site), "Berlin");
    assert_eq!(name(NameKind::Round, entry.round), "3.2");
    assert_eq!(name(NameKind::Annotator, entry.annotator), "Brandt, Bo");
    assert!(entry.deleted && entry.result == GameResult::BlackWins);
    assert_eq!(entry.move_count, Some(1));
    let names = &database.info().names;
    assert_eq!(names[0], (NameKind::Player, 5), "one more is deleted");
    assert!(database.entry(GameIndex(last + 2)).is_err());
}

#[test]
fn annotations_of_unknown_kinds_are_kept() {
    let mut game = Game::new();
    let plain = named(GameBuilder::new())
        .moves("e4 e5 Nf3")
        .result(GameResult::Unknown);
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &plain.head);
    for (ply, kind) in plain.mainline().zip([0x18, 0x13, 0x18]) {
        recorder.push_move(ply);
        let _ = recorder.visit_annotation(Annotation::Foreign(Foreign {
            format: ID,
            kind,
            bytes: &[2],
        }));
    }
    recorder.end_game(GameResult::Unknown);
    let database = open(&files(&[game]), &OpenOptions::default()).unwrap();
    let (found, problems) = read_games(&*database);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].contains("the length of annotations of kind 0x13 is unknown"),
        "{}",
        problems[0]
    );
    let annotations: Vec<_> = found[0]
        .events()
        .filter(|event| matches!(event, Event::Annotation(_)))
        .collect();
    assert!(
        matches!(annotations[0], Event::Annotation(Annotation::Critical(_))),
        "{annotations:?}"
    );
    let rest: &[u8] = &[
        0x13, 0, 2, 2, 0, 0, 0, 1, 0, 0, 0, 0x18, 0, 2, 0xff, 0xff, 0xff, 0x7f,
    ];
    let kept = Foreign {
        format: ID,
        kind: foreign::REST,
        bytes: rest,
    };
    assert_eq!(annotations[1], Event::Annotation(Annotation::Foreign(kept)));
    assert_eq!(annotations.len(), 2);
    let mut strict = OpenOptions::default();
    strict.strict = true;
    let database = open(&files(&[found[0].clone()]), &strict);
    assert!(database.is_ok(), "opening reads no annotations");
}

#[test]
fn words_without_a_legal_move_end_their_line() {
    let game = named(GameBuilder::new())
        .moves("e4 e5 Nf3")
        .begin()
        .moves("Bc4 Nf6")
        .comment("lost")
        .end()
        .moves("Nc6")
        .comment("lost, too")
        .begin()
        .moves("d6")
        .end()
        .result(GameResult::Unknown);
    let mut set = files(&[game]);
    // The third word becomes that of another piece.
    let moves = &mut set[1].1;
    let at = 12 + 26 + 2 + 2 * 2;
    moves[at] ^= 0x40;
    let database = open(&set, &OpenOptions::default()).unwrap();
    let (found, problems) = read_games(&*database);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("checksum"), "{}", problems[0]);
    assert!(problems[1].contains("game 1, ply 2"), "{}", problems[1]);
    assert_eq!(
        (found[0].ply_count(), found[0].has_variations()),
        (2, false)
    );
    let unread: Vec<usize> = found[0]
        .events()
        .filter_map(|event| match event {
            Event::Annotation(Annotation::Foreign(kept)) if kept.is_unread_moves() => {
                Some(kept.bytes.len())
            }
            _ => None,
        })
        .collect();
    // Five moves, two marks of alternatives, three ends.
    assert_eq!(unread, [2 * (5 + 2 + 3)]);
    let comments = found[0]
        .events()
        .filter(|event| matches!(event, Event::Annotation(Annotation::Comment(_))));
    assert_eq!(comments.count(), 2, "annotations of unread moves are kept");
}

#[test]
fn missing_files_are_reported() {
    let complete = files(&games());
    for missing in ["2cbg", "2cba", "2lid"] {
        let mut set = complete.clone();
        set.retain(|(extension, _)| *extension != missing);
        let database = open(&set, &OpenOptions::default()).unwrap();
        let problems = &database.info().problems;
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(missing) && problems[0].contains("missing"));
        let (found, _) = read_games(&*database);
        assert_eq!(found[0].ply_count() > 0, missing != "2cbg");
        assert_eq!(found[0].head.tags.text("White") == "?", missing == "2lid");
    }
}

#[test]
fn other_versions_are_refused() {
    let mut set = files(&games());
    set[0].1[10] = 200;
    let error = open(&set, &OpenOptions::default()).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::WrongFormat { .. }));
    assert!(error.to_string().contains("200 a record"), "{error}");
    let error = open(&vec![("2cbh", vec![0; 100])], &OpenOptions::default());
    let error = error.err().unwrap();
    assert!(error.to_string().contains("100 bytes"), "{error}");
}

#[test]
fn files_are_recognized_by_extension_and_record_size() {
    let set = files(&games());
    let score = |name, head| {
        (FORMAT.file.score)(&Probe {
            name: Some(name),
            head,
            len: None,
        })
    };
    assert_eq!(score("a.2CBH", &set[0].1), Confidence::Certain);
    assert_eq!(score("a.2cbh", b"short"), Confidence::ByName);
    assert_eq!(score("a.cbh", &set[0].1), Confidence::No);
}
