//! Sets that the writer makes after the notes: intact, damaged and of other versions.
#![allow(clippy::little_endian_bytes, reason = "the tests compare stored bytes")]

use tabia_core::GameIndex;
use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Setup, Square, san};
use tabia_core::error::{ErrorKind, Result};
use tabia_core::formats::{Confidence, CreateOptions, OpenOptions, Probe};
use tabia_core::game::{
    Annotation, Date, Event, Flow, Foreign, Game, GameHead, GameResult, Quotation, RecordKind,
    Shape, ShapeColor, ShapeKind, Start, TextKind, TextPart, Training, TrainingChoice,
    TrainingText, Visitor,
};
use tabia_core::games::{Database, IndexHead, NameId, NameKind};
use tabia_core::io::{Cursor, Sink};
use tabia_core::loss::{Feature, Losses};
use tabia_testkit::Scratch;
use tabia_testkit::dump;
use tabia_testkit::open_and_read::{assert_fixture, open_files, read_games};
use tabia_testkit::tiny::{self, GameBuilder};

use super::annotations::{ANY_LANGUAGE, foreign};
use super::format_id::ID;
use super::{FORMAT, container, move_codes, move_tree, names, start_position};

/// The files of a set: extension and bytes.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Games, texts and analyses as a set.
fn files(games: &[Game]) -> Files {
    let (files, losses) = written(games);
    for (number, losses) in (1..).zip(losses) {
        assert!(losses.is_empty(), "game {number}: {losses}");
    }
    files
}

/// Games as a set, and the losses of each.
fn written(games: &[Game]) -> (Files, Vec<Losses>) {
    let folder = Scratch::new("cbh2");
    let path = folder.join("tiny.2cbh");
    let create = FORMAT.create.unwrap();
    let mut writer = create(&path, &CreateOptions::default()).unwrap();
    let losses = games.iter().map(|game| writer.write(game).unwrap());
    let losses = losses.collect();
    let written = writer.finish().unwrap();
    assert_eq!(written.records as usize, games.len());
    let extensions = ["2cbh", "2cbg", "2cba", "2lid", "2lcd", "2lgd"];
    let files = extensions.map(|extension| {
        let bytes = std::fs::read(path.with_extension(extension)).unwrap();
        (extension, bytes)
    });
    (files.to_vec(), losses)
}

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
        .tag("CbEventTieBreaks", "12 201")
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

/// A game with every kind of annotation that can be stored.
fn annotated() -> Game {
    let model = tiny::annotated();
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let mut head = model.head.clone();
    head.tags.push("WhiteClock", "0:00:15");
    head.tags.push("BlackClock", "1:02:03.5");
    head.tags.push("TimeControl", "40/5400+30:1800+30");
    let _ = recorder.begin_game(GameIndex(0), &head);
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
            Annotation::Foreign(_) => Flow::Go,
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
    let choices = Training {
        question: vec![TrainingText::new(ANY_LANGUAGE, "Which?")],
        choices: vec![TrainingChoice {
            points: 5,
            answer: vec![TrainingText::new(ANY_LANGUAGE, "A")],
            reply: vec![TrainingText {
                shapes: vec![Shape {
                    kind: ShapeKind::Square(Square::parse(b"e4").unwrap()),
                    color: ShapeColor::Blue,
                }],
                ..TrainingText::new(ANY_LANGUAGE, "")
            }],
        }],
        ..Training::default()
    };
    let _ = recorder.visit_annotation(Annotation::Training(&choices));
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
            let ply = Ply::Move(*m.unwrap());
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
    recorder.push_move(Ply::Null);
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
        (TextKind::Html, ANY_LANGUAGE, "<p>♔</p>"),
        (TextKind::Html, 0, "<p>Ada & Bo</p>"),
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
    assert_eq!(deep(&*database), [""; 0]);
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

/// What the deep check finds.
fn deep(database: &dyn Database) -> Vec<String> {
    let mut found = Vec::new();
    database.verify(&mut |problem| found.push(problem.error.to_string()));
    found
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
fn stored_plies_are_those_of_the_mainline() {
    let mut written = games();
    written.push(text());
    let set = files(&written);
    let database = open(&set, &OpenOptions::default()).unwrap();
    let mut counted = 0;
    for (index, game) in (0..).map(GameIndex).zip(&written) {
        if let Some(plies) = database.stored_plies(index) {
            assert_eq!(plies as usize, game.mainline().count(), "game {index}");
            counted += 1;
        }
    }
    assert_eq!(counted, 5);
    // Moves with another checksum are not counted.
    let mut damaged = set.clone();
    let (_, moves) = damaged.iter_mut().find(|file| file.0 == "2cbg").unwrap();
    let at = container::FILE_HEADER + container::HEAD;
    moves[at] ^= 1;
    let database = open(&damaged, &OpenOptions::default()).unwrap();
    let first = (0..).map(GameIndex).take(written.len());
    let counts = first.filter(|game| database.stored_plies(*game).is_some());
    assert_eq!(counts.count(), counted - 1);
}

#[test]
fn heads_are_not_those_of_setups_or_damage() {
    let set = files(&games());
    let heads = |set: &Files| {
        let database = open(set, &OpenOptions::default()).unwrap();
        let mut reader = database.head_reader().unwrap();
        let mut head = IndexHead::default();
        let games = (0..database.len()).map(GameIndex);
        games
            .filter(|game| reader.read(*game, &mut head))
            .collect::<Vec<_>>()
    };
    let whole = heads(&set);
    assert_eq!(whole.len(), 5, "{whole:?}");
    for (game, read) in (0..).map(GameIndex).zip(games()) {
        let is_standard = read.head.start == Start::default();
        assert!(is_standard || !whole.contains(&game), "game {game}");
    }
    let mut without_moves = set.clone();
    without_moves.retain(|file| file.0 != "2cbg");
    assert_eq!(heads(&without_moves), []);
    let mut without_names = set.clone();
    without_names.retain(|file| file.0 != "2lid");
    assert_eq!(heads(&without_names), []);
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

/// A game of three moves whose annotation record has this content.
fn with_annotations(content: &[u8]) -> (Vec<Game>, Vec<String>) {
    let game = named(GameBuilder::new())
        .moves("e4 e5 Nf3")
        .result(GameResult::Unknown);
    let mut set = files(&[game]);
    let mut annotations = Sink::new();
    annotations.u64_le(12 + 34 + content.len() as u64);
    annotations.bytes(&[12, 0, 0, 5]);
    annotations.bytes(&container::MARK);
    annotations.u32_le(content.len() as u32);
    annotations.u32_le(0);
    annotations.u64_be(container::checksum(content));
    annotations.u16_le(0x2000);
    annotations.bytes(content);
    annotations.u64_le(content.len() as u64 + 34);
    set[2].1 = annotations.into_vec();
    let database = open(&set, &OpenOptions::default()).unwrap();
    assert_eq!(database.info().problems, [""; 0]);
    read_games(&*database)
}

/// The bytes of digits; other characters are ignored.
fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}

/// The annotations of a game after each move, as text.
fn annotations_of(game: &Game) -> Vec<String> {
    let mut found = Vec::new();
    for event in game.events() {
        if let Event::Annotation(annotation) = event {
            found.push(match annotation {
                Annotation::Comment(comment) => comment.text.to_owned(),
                other => format!("{other:?}"),
            });
        }
    }
    found
}

/// A comment after the second move, and the end.
const AFTER: &str = "0100 0000 0100 0000 0200 0000 0000 0500 0000 6166746572 ffffff7f";

/// The annotations before a comment that must not get lost.
fn before_a_comment(annotation: &str) -> Vec<String> {
    let content = [hex("0000 0000 0100 0000"), hex(annotation), hex(AFTER)].concat();
    let (games, problems) = with_annotations(&content);
    assert_eq!(problems, [""; 0], "{annotation}");
    if is_utf8(&hex(annotation)) {
        assert_eq!(annotation_content(&games[0]), content, "{annotation}");
    }
    let mut found = annotations_of(&games[0]);
    assert_eq!(found.pop().as_deref(), Some("after"), "{annotation}");
    found
}

/// Whether an annotation has no text of a single-byte set, which is written in UTF-8.
fn is_utf8(annotation: &[u8]) -> bool {
    let is_text = matches!(annotation[0], 0x02 | 0x82);
    !is_text || std::str::from_utf8(&annotation[10..]).is_ok()
}

/// The content of the record that is written for a game's annotations.
fn annotation_content(game: &Game) -> Vec<u8> {
    let set = files(std::slice::from_ref(game));
    content(&set, "2cba", 12)
}

/// The content of the record at an offset of a file.
fn content(set: &Files, extension: &str, at: i64) -> Vec<u8> {
    let content = container::content(file(set, extension), at, 1 << 20).unwrap();
    assert_eq!(content.problem, None);
    content.bytes.to_vec()
}

fn file<'f>(set: &'f Files, extension: &str) -> &'f [u8] {
    let found = set.iter().find(|(other, _)| *other == extension);
    &found.unwrap().1
}

#[test]
fn annotations_of_every_known_kind_are_read() {
    for (data, expected) in [
        ("0200 0000 0000 02000000 4869", vec!["Hi"]),
        // Knights, diagrams and line breaks in UTF-8 and in windows-1252.
        ("0200 0000 0000 05000000 eea0a86633", vec!["\u{e828}f3"]),
        ("0200 0000 0000 05000000 ee80a86633", vec!["♘f3"]),
        ("0200 0000 0000 03000000 ee8085", vec!["[#]"]),
        ("8200 0000 0100 04000000 a4663320", vec!["♘f3 "]),
        ("0200 0000 0700 06000000 d1e8ebfcedee", vec!["Сильно"]),
        // A language without a name.
        (
            "0200 0000 0d00 06000000 707269766574",
            vec![
                "privet",
                "Foreign(Foreign { format: 2cbh, kind: 28676, bytes: [0, 0, 13, 0] })",
            ],
        ),
        (
            "0700 1e 07 02 00",
            vec!["Clock(Clock { kind: ElapsedMove, time: 127.3s })"],
        ),
        (
            "0700 64 07 02 00",
            vec![
                "Clock(Clock { kind: ElapsedMove, time: 127s })",
                "Foreign(Foreign { format: 2cbh, kind: 263, bytes: [100, 7, 2, 0] })",
            ],
        ),
        (
            "0500 03000000 07 25 26",
            vec!["Shape(Shape { kind: Arrow(e5, e6), color: Blue })"],
        ),
        (
            "2300 ff 80 00 03",
            vec!["VariationColor(VariationColor { flags: 3, red: 255, green: 128, blue: 0 })"],
        ),
        (
            "2000 01 00 0000 05000000 612e776d76",
            vec!["Media(Media { kind: Video, language: Some(Language(25966)), text: \"a.wmv\" })"],
        ),
        (
            "2700 0100",
            vec!["Foreign(Foreign { format: 2cbh, kind: 39, bytes: [1, 0] })"],
        ),
        (
            "0800 06000000",
            vec!["Foreign(Foreign { format: 2cbh, kind: 8, bytes: [6, 0, 0, 0] })"],
        ),
        (
            "2100 ebff 0000 1000",
            vec!["Eval(Eval { score: Centipawns(-21), depth: Some(16), engine: 0 })"],
        ),
        ("0300 00 10 8c", vec!["Nag(Nag(16))", "Nag(Nag(140))"]),
    ] {
        assert_eq!(before_a_comment(data), expected, "{data}");
    }
}

#[test]
fn questions_with_answers_to_choose_from_are_read() {
    let data = "0900 0101 02 000000 3c000000 0a00 0100 0000 06000000 57686963683f 0000 0000 0000 \
                02 05 0100 0000 01000000 41 0100 0000 02000000 6e6f \
                09 0100 0000 01000000 42 0100 0000 03000000 796573";
    let content = [hex("0000 0000 0100 0000"), hex(data), hex(AFTER)].concat();
    let (games, problems) = with_annotations(&content);
    assert_eq!(problems, [""; 0]);
    let text = |text| vec![TrainingText::new(ANY_LANGUAGE, text)];
    let choice = |points, answer, reply| TrainingChoice {
        points,
        answer: text(answer),
        reply: text(reply),
    };
    let expected = Training {
        seconds: 60,
        points: 10,
        question: text("Which?"),
        choices: vec![choice(5, "A", "no"), choice(9, "B", "yes")],
        ..Training::default()
    };
    let annotations = games[0].events().filter_map(|event| match event {
        Event::Annotation(annotation) => Some(annotation),
        _ => None,
    });
    let found: Vec<Annotation<'_>> = annotations.collect();
    assert_eq!(found[0], Annotation::Training(&expected));
    assert_eq!(found.len(), 2);
    assert_eq!(annotation_content(&games[0]), content);
}

#[test]
fn quotations_are_read() {
    let head = "1300 01 0200 0000 01000000 00 \
                08 4361726c73656e00 07 4d61676e757300 06 416e616e6400 0c 566973776e6174686e616e00 \
                08 4368656e6e616900 04 57436800";
    let head = head.replace(
        "0c 566973776e6174686e616e00",
        "0c 5669737761 6e617468616e00",
    );
    let mut data = hex(&head);
    let mut tournament = vec![0; 35];
    tournament[..4].copy_from_slice(&[0x69, 0xbb, 0x0f, 0]);
    tournament[10] = 12;
    tournament[28..].copy_from_slice(&[0x36, 0x0b, 0xd7, 0x0a, 0x80, 0x64, 2]);
    data.extend(tournament);
    let mut round = vec![0; 44];
    round[8] = 5;
    data.extend(round);
    for _ in 0..2 {
        data.extend(hex("0100 0100 00 04000000 46494445"));
    }
    let mut start = vec![0; 29];
    start[26] = 1;
    data.extend(start);
    let moves = hex("02000000 2123000000 2624000000 00000000");
    let quoted = |data: &[u8]| -> (Quotation, usize) {
        let content = [&hex("0000 0000 0100 0000")[..], data, &hex(AFTER)].concat();
        let (games, problems) = with_annotations(&content);
        assert_eq!(problems, [""; 0]);
        assert_eq!(annotation_content(&games[0]), content);
        let count = annotations_of(&games[0]).len();
        let quotation = games[0].events().find_map(|event| match event {
            Event::Annotation(Annotation::Quotation(quotation)) => Some(quotation.clone()),
            _ => None,
        });
        (quotation.unwrap(), count)
    };
    let (quotation, count) = quoted(&[&data[..], &moves].concat());
    assert_eq!(count, 2, "a quotation and a comment");
    assert_eq!(quotation.white, "Carlsen,Magnus");
    assert_eq!(quotation.black, "Anand,Viswanathan");
    assert_eq!((&*quotation.site, &*quotation.event), ("Chennai", "WCh"));
    assert_eq!(quotation.date, Date::new(2013, 11, 9));
    assert_eq!((quotation.white_elo, quotation.black_elo), (2870, 2775));
    assert_eq!((quotation.rounds, quotation.round), (12, 5));
    assert_eq!(quotation.result, GameResult::WhiteWins);
    let expected: Vec<Ply> = GameBuilder::new()
        .moves("e4 e5")
        .result(GameResult::Unknown)
        .mainline()
        .collect();
    assert_eq!(quotation.moves.as_ref(), Some(&expected));
    // Unknown bytes are kept after it.
    let mut unknown = [&data[..], &moves].concat();
    unknown[5] = 7;
    let (again, count) = quoted(&unknown);
    assert_eq!((again, count), (quotation.clone(), 3));
    // So is a start position.
    let mut with_setup = data.clone();
    let at = with_setup.len() - 3;
    with_setup[at] = 0;
    let first = at + 1;
    with_setup.splice(first..first, [0; 75]);
    with_setup.extend(&moves);
    let (again, count) = quoted(&with_setup);
    assert_eq!((again.moves, count), (None, 3));
    assert_eq!(again.white, quotation.white);
}

#[test]
fn time_control_and_clocks_are_tags() {
    let control = "2400 01 603d0800 b80b0000 2800 01 20bf0200 b80b0000 e803 03 \
                   00000000 00000000 0000 05 00000000";
    let clocks = "1600 dc050000 1700 00000000";
    let of_game = format!("ffffffff 03000000 {control} {clocks}");
    let content = [hex(&of_game), hex(AFTER)].concat();
    let (games, problems) = with_annotations(&content);
    assert_eq!(problems, [""; 0]);
    let tags = &games[0].head.tags;
    assert_eq!(tags.get("TimeControl"), Some("40/5400+30:1800+30"));
    assert_eq!(tags.get("WhiteClock"), Some("0:00:15"));
    assert_eq!(tags.get("BlackClock"), Some("0:00:00"));
    assert_eq!(annotations_of(&games[0]), ["after"]);
    assert_eq!(annotation_content(&games[0]), content);
    // A fraction of a second is no tag.
    let fraction = of_game.replacen("b80b0000", "b90b0000", 1);
    let (games, _) = with_annotations(&[hex(&fraction), hex(AFTER)].concat());
    assert_eq!(games[0].head.tags.get("TimeControl"), None);
    let annotations = annotations_of(&games[0]);
    assert!(annotations[0].starts_with("TimeControl"), "{annotations:?}");
}

#[test]
fn annotations_past_the_last_move_are_read() {
    let content = hex("0900 0000 0100 0000 0200 0000 0000 0400 0000 70617374 ffffff7f");
    let (games, problems) = with_annotations(&content);
    assert_eq!(problems, [""; 0]);
    assert_eq!(annotations_of(&games[0]), ["past"]);
}

#[test]
fn annotations_of_unknown_kinds_are_kept() {
    let rest = hex("1900 02 02000000 01000000 1800 02 ffffff7f");
    let content = [hex("0000 0000 0200 0000 1800 01"), rest.clone()].concat();
    let (games, problems) = with_annotations(&content);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].contains("the length of annotations of kind 0x19 is unknown"),
        "{}",
        problems[0]
    );
    let annotations: Vec<_> = games[0]
        .events()
        .filter(|event| matches!(event, Event::Annotation(_)))
        .collect();
    assert!(
        matches!(annotations[0], Event::Annotation(Annotation::Critical(_))),
        "{annotations:?}"
    );
    let kept = Foreign {
        format: ID,
        kind: foreign::REST,
        bytes: &rest,
    };
    assert_eq!(annotations[1], Event::Annotation(Annotation::Foreign(kept)));
    assert_eq!(annotations.len(), 2);
}

/// Fields of names that ChessBase wrote, quoted in the notes of morphy.
#[test]
fn names_made_by_chessbase_are_read() {
    let player = hex(
        "08000000 4dc3a57264656c6c 05000000 4a696d6d79 00000000 00000000 ffffffff 08000000 \
         ffffffffffffffff",
    );
    let player = names::Player::read(Cursor::new(&player)).unwrap();
    assert_eq!(
        (player.last, player.first),
        ("Mårdell".as_bytes(), &b"Jimmy"[..])
    );
    assert_eq!((player.number, player.fide), (-1, -1));
    let mut source = hex("08000000");
    source.extend(b"MainBase");
    source.extend(hex("09000000"));
    source.extend(b"ChessBase");
    source.extend(hex("e19e0f00 e19e0f00 0200 0100"));
    let source = names::Source::read(Cursor::new(&source)).unwrap();
    assert_eq!((source.version, source.quality), (2, 1));
    assert_eq!(source.date, 1 | 7 << 5 | 1999 << 9);
    let mut titles = hex("02000000 2a000000 11000000");
    titles.extend(b"Tournament Report");
    titles.extend(hex("35000000 0e000000"));
    titles.extend(b"Turnierbericht");
    let titles = names::titles(Cursor::new(&titles)).unwrap();
    assert_eq!(
        titles,
        [(42, &b"Tournament Report"[..]), (53, b"Turnierbericht")]
    );
    let mut tournament = hex("06000000");
    tournament.extend(b"Havana");
    tournament.extend(hex(
        "00000000 34c20e00 02 00 22 00 00 03 11 00 8e29b941 c3dba4c2 00",
    ));
    tournament.extend([0; 37]);
    tournament.extend(hex("0300 1100 0500 0100 58c20e00"));
    tournament.extend([0; 44]);
    let tournament = names::Tournament::read(Cursor::new(&tournament)).unwrap();
    assert_eq!(
        (tournament.kind, tournament.nation, tournament.rounds),
        (2, 34, 17)
    );
    assert_eq!(tournament.tie_breaks, [17, 5, 1]);
    assert!((f32::from_bits(tournament.latitude) - 23.1453).abs() < 1e-4);
    assert_eq!(tournament.end_date, 24 + (2 << 5) + (1889 << 9));
}

/// Words of games that ChessBase wrote, quoted in the notes of morphy.
#[test]
fn moves_made_by_chessbase_are_read() {
    let played = |words: &[u16], chess960: bool| -> Vec<String> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut tree = move_tree::Tree::default();
        tree.read(&bytes);
        assert_eq!(tree.problem, None);
        let start = start_position::read(&tree.start, tree.start_at, chess960).unwrap();
        let mut position = start.position().unwrap();
        if start.chess960 {
            position.set_chess960();
        }
        let moves = words
            .iter()
            .skip_while(|&&word| word != move_codes::MOVES)
            .skip(1);
        let mut names = vec![position.fen()];
        for &word in moves.take_while(|&&word| word != move_codes::END) {
            let m = move_codes::find(word, &mut position).unwrap();
            names.push(position.san(Ply::Move(m)).to_string());
            position.play(m);
        }
        names
    };
    let open = [
        0xfffc, 0xad3f, 0xb02d, 0x325f, 0x836b, 0x3c61, 0x93eb, 0xffff,
    ];
    assert_eq!(
        played(&open, false)[1..],
        ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"]
    );
    let bytes: Vec<u8> = open.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(container::checksum(&bytes), 0xfe7e_9dee_91dd_ecfb);
    let numbered = [0xfffb, 0x007b, 0xfffc, 0xad40, 0xafcf, 0xffff];
    assert_eq!(played(&numbered, true)[1..], ["e3", "d5"]);
    let setup = [
        0xfffb, 1, 0, 0, 0xc2dd, 0xc183, 0xc047, 0xc2fb, 0xc2d0, 0xc301, 0xc2d6, 0xfffc, 0x0409,
        0xb03b, 0xae38, 0x9259, 0x5329, 0xffff,
    ];
    assert_eq!(
        played(&setup, false),
        [
            "8/2k2PP1/8/8/8/3K4/p4pp1/8 w - - 0 1",
            "Ke4",
            "f1=B",
            "g8=R",
            "Bc4",
            "Rg7"
        ]
    );
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

/// The games of a damaged set as a repair reads them, and the problems of each and of the set.
fn salvaged(set: &Files) -> (Vec<Game>, Vec<String>, Vec<String>) {
    let mut options = OpenOptions::default();
    options.salvage = true;
    let database = open(set, &options).unwrap();
    let (games, problems) = read_games(&*database);
    (games, problems, database.info().problems.clone())
}

#[test]
fn games_without_headers_are_found_again() {
    let complete = files(&games());
    let (whole, _) = read_games(&*open(&complete, &OpenOptions::default()).unwrap());
    let cut = |length: usize| {
        let mut set = complete.clone();
        set[0].1.truncate(length);
        set
    };
    let mut absent = complete.clone();
    absent.remove(0);
    let mut zeros = complete.clone();
    zeros[0].1.fill(0);
    let mut without_start = complete.clone();
    without_start[0].1[..192].fill(0xff);
    let mut hole = complete.clone();
    hole[0].1[3 * 192..5 * 192].fill(0);
    for (what, set, lost) in [
        ("complete", complete.clone(), 0),
        ("empty", cut(0), whole.len()),
        ("cut in the header", cut(100), whole.len()),
        ("header only", cut(192), whole.len()),
        ("cut between records", cut(192 * 4), whole.len() - 3),
        ("cut in a record", cut(192 * 4 + 50), whole.len() - 3),
        ("absent", absent, whole.len()),
        ("zeros", zeros, whole.len()),
        ("without a header", without_start, 0),
        ("hole", hole, 2),
    ] {
        let (found, problems, of_set) = salvaged(&set);
        assert_eq!(found.len(), whole.len(), "{what}: {of_set:?}");
        for (found, whole) in found.iter().zip(&whole) {
            assert_eq!(found.ply_count(), whole.ply_count(), "{what}");
            let comments = |game: &Game| {
                let annotation = |event| matches!(event, Event::Annotation(Annotation::Comment(_)));
                game.events().filter(|event| annotation(*event)).count()
            };
            assert_eq!(comments(found), comments(whole), "{what}");
            // Nothing is made of the zeros of a header.
            let whole = &whole.head.tags;
            for (name, _) in found.head.tags.iter() {
                assert!(whole.get(name).is_some(), "{what}: {name}");
            }
        }
        let is_lost = |problem: &&String| problem.contains("the header is lost");
        assert_eq!(
            problems.iter().filter(is_lost).count(),
            lost,
            "{what}: {problems:?}"
        );
        assert_eq!(of_set.is_empty(), what == "complete", "{what}: {of_set:?}");
    }
}

/// Bytes inserted into records, or lost from them, change no header.
#[test]
fn records_that_are_elsewhere_are_found() {
    let complete = files(&games());
    let (whole, _) = read_games(&*open(&complete, &OpenOptions::default()).unwrap());
    for extension in ["2cbg", "2cba"] {
        let number = complete.iter().position(|(other, _)| *other == extension);
        let number = number.unwrap();
        let middle = complete[number].1.len() / 2;
        for inserted in [true, false] {
            let mut set = complete.clone();
            let bytes = &mut set[number].1;
            if inserted {
                bytes.splice(middle..middle, [1, 2, 3]);
            } else {
                bytes.drain(middle..middle + 2);
            }
            let (found, problems, of_set) = salvaged(&set);
            let what = format!(".{extension}, {inserted}: {of_set:?}");
            assert_eq!(found.len(), whole.len(), "{what}");
            let is_lost = |problem: &String| problem.contains("the header is lost");
            assert!(!problems.iter().any(is_lost), "{what}");
            let same = whole.iter().zip(&found).filter(|(old, new)| old == new);
            assert!(same.count() + 1 >= whole.len(), "{what}");
            assert!(
                of_set.iter().any(|text| text.contains("found elsewhere")),
                "{what}"
            );
        }
    }
}

#[test]
fn annotations_are_not_assigned_to_other_games() {
    let complete = files(&games());
    let mut set = complete.clone();
    set[0].1.clear();
    // One record of annotations less: which game lacks it is unknown.
    let annotations = &mut set[2].1;
    let last = memchr::memmem::rfind(annotations, &[0x88, 0x77, 0x66, 0x55]).unwrap();
    annotations.truncate(last);
    let (found, _, of_set) = salvaged(&set);
    for game in &found {
        let is_comment = |event| matches!(event, Event::Annotation(Annotation::Comment(_)));
        assert!(!game.events().any(is_comment));
    }
    assert!(
        of_set.iter().any(|text| text.contains("which annotations")),
        "{of_set:?}"
    );
}

#[test]
fn marks_without_records_are_passed_quickly() {
    let mut set = files(&games());
    set[0].1.clear();
    let mut moves = vec![0; 12];
    for _ in 0..200_000 {
        moves.extend([0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]);
        // A size of megabytes, and the type of a game.
        moves.extend([0, 0, 0x40, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
    }
    set[1].1 = moves;
    let start = std::time::Instant::now();
    let (found, ..) = salvaged(&set);
    assert_eq!(found.len(), 0);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn cut_orders_and_lists_of_names_are_reported() {
    let complete = files(&games());
    for extension in ["2lcd", "2lgd"] {
        let length = file(&complete, extension).len();
        for cut in (0..20).map(|part| length * part / 20) {
            let mut set = complete.clone();
            let file = set.iter_mut().find(|(other, _)| *other == extension);
            // Where a record ends nothing shows that others followed.
            let is_between = extension == "2lgd" && cut >= 12 && (cut - 12) % 512 == 0;
            file.unwrap().1.truncate(cut);
            let database = open(&set, &OpenOptions::default()).unwrap();
            let problems = &database.info().problems;
            if !is_between {
                assert_eq!(problems.len(), 1, "{extension} {cut}: {problems:?}");
                assert!(problems[0].contains(extension), "{problems:?}");
            }
        }
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

/// The words of a record of `.2cbg`.
fn words(set: &Files) -> Vec<u16> {
    let bytes = content(set, "2cbg", 12);
    let pairs = bytes.chunks_exact(2);
    pairs
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect()
}

/// Bytes that ChessBase wrote, quoted in the notes of morphy, are what the writer writes.
#[test]
fn moves_are_written_as_chessbase_writes_them() {
    let play = |moves: &str| {
        named(GameBuilder::new())
            .moves(moves)
            .result(GameResult::Unknown)
    };
    let set = files(&[play("e4 e5 Nf3 Nc6")]);
    assert_eq!(
        words(&set),
        [0xfffc, 0xad3f, 0xb02d, 0x325f, 0x836b, 0xffff]
    );
    let record = &file(&set, "2cbg")[12..];
    assert_eq!(record[16..26], hex("325fb02dad3ffffc 0100")[..]);
    // The record ends at a multiple of eight, and states its size.
    let size = u32::from_le_bytes(record[8..12].try_into().unwrap());
    let free = u32::from_le_bytes(record[12..16].try_into().unwrap());
    assert_eq!((size, free, (record.len() + 12) % 8), (12, 102, 0));
    assert_eq!(
        record[record.len() - 8..],
        u64::from(size + free + 34).to_le_bytes()
    );
    for (moves, sum) in [
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "fe7e9dee91ddecfb"),
        ("e4 e5 Nf3 Nc6 Bc4 Be7", "fe72"),
    ] {
        let set = files(&[play(moves)]);
        let sum = hex(sum);
        assert_eq!(file(&set, "2cbg")[12 + 16..][..sum.len()], sum);
    }
    let fen = "8/2k2PP1/8/8/8/3K4/p4pp1/8 w - - 0 1";
    let game = named(GameBuilder::from_fen(fen))
        .moves("Ke4 f1=B g8=R Bc4 Rg7")
        .result(GameResult::Unknown);
    let expected = [
        0xfffb, 1, 0, 0, 0xc2dd, 0xc183, 0xc047, 0xc2fb, 0xc2d0, 0xc301, 0xc2d6, 0xfffc, 0x0409,
        0xb03b, 0xae38, 0x9259, 0x5329, 0xffff,
    ];
    assert_eq!(words(&files(&[game])), expected);
    let game = named(GameBuilder::from_fen(
        "r3k3/8/8/8/4pP2/8/8/4K2R b Kq f3 0 263",
    ))
    .moves("exf3 O-O f2+")
    .result(GameResult::Unknown);
    let words_of_it = words(&files(&[game]));
    assert_eq!(words_of_it[1..4], [0x0107, 0x0601, 0x0006]);
    assert_eq!(
        words_of_it[words_of_it.len() - 5..][..4],
        [0xfffc, 0xb016, 0xb12a, 0xb05d]
    );
    // Two alternatives to a move, one of them inside the other.
    let game = named(GameBuilder::new())
        .moves("e4 c5")
        .begin()
        .moves("c6 d4")
        .end()
        .begin()
        .moves("Nf6 e5")
        .end()
        .moves("Nf3 d6")
        .begin()
        .moves("Nc6 Bb5")
        .comment("nine")
        .end()
        .moves("d4")
        .result(GameResult::Unknown);
    let set = files(&[game]);
    let marks = |words: Vec<u16>| -> Vec<usize> {
        let all = words.iter().enumerate();
        let marks = all.filter(|(_, word)| **word >= move_codes::ALTERNATIVE);
        marks.map(|(at, _)| at).collect()
    };
    assert_eq!(marks(words(&set)), [3, 6, 8, 11, 13, 15, 18]);
    assert_eq!(content(&set, "2cba", 12)[..4], 9_i32.to_le_bytes());
}

#[test]
fn chess960_games_are_written_as_chessbase_writes_them() {
    let game = |number, moves: &str| {
        let setup = Setup::chess960_start(number).unwrap();
        let mut head = named(GameBuilder::new()).result(GameResult::Unknown).head;
        head.start = Start {
            setup: Some(Box::new(setup)),
            chess960: true,
        };
        let mut position = head.start.position().unwrap();
        position.set_chess960();
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &head);
        for san in moves.split(' ') {
            let ply = san::read(&position, san.as_bytes()).unwrap();
            recorder.push_move(ply);
            position.play_ply(ply);
        }
        recorder.end_game(GameResult::Unknown);
        game
    };
    let set = files(&[game(123, "e3 d5")]);
    assert_eq!(
        words(&set),
        [0xfffb, 0x007b, 0xfffc, 0xad40, 0xafcf, 0xffff]
    );
    let header = &file(&set, "2cbh")[192..];
    assert_eq!(header[128..130], 64_699_u16.to_le_bytes());
    assert_eq!(header[132..136], 0x0800_0001_u32.to_le_bytes());
    assert_eq!(file(&set, "2cbg")[12 + 24..][..2], [2, 0]);
    // The words of castling depend on the start position.
    let setup = Setup::chess960_start(566).unwrap();
    let mut head = GameHead::default();
    head.start.setup = Some(Box::new(setup.clone()));
    let mut position = head.start.position().unwrap();
    let castle = |position: &Position, color: Color, side: usize| {
        let rook = setup.castling[color as usize][side].unwrap();
        let m = Move::castling(position.king(color), rook);
        move_codes::word(position, m, Some(566))
    };
    assert_eq!(castle(&position, Color::White, 1), 0xba05);
    position.play_null();
    assert_eq!(castle(&position, Color::Black, 0), 0xba08);
}

/// Facts that the rest of a game does not imply.
#[test]
fn nominal_start_numbers_and_impossible_times_are_kept() {
    let [_, mut game] = chess960();
    game.head.tags.push("CbChess960", "253");
    game.head.tags.push("CbSavedRaw", "9000000000000000000");
    for format in [&FORMAT, &crate::games::cbh::FORMAT] {
        let folder = Scratch::new("nominal");
        let path = folder.join(format!("new.{}", format.file.id));
        let create = format.create.unwrap();
        let mut writer = create(&path, &CreateOptions::default()).unwrap();
        assert!(writer.write(&game).unwrap().is_empty());
        writer.finish().unwrap();
        let source = tabia_core::io::Source::from_path(&path).unwrap();
        let open = format.open;
        let database = open(&source, &OpenOptions::default()).unwrap();
        let (games, problems) = read_games(&*database);
        assert_eq!(problems, [""; 0]);
        assert_eq!(deep(&*database), [""; 0]);
        let tags = &games[0].head.tags;
        assert_eq!(tags.get("CbChess960"), Some("253"), "{}", format.file.id);
        assert_eq!(tags.get("CbSavedRaw"), Some("9000000000000000000"));
        assert_eq!(tags.get("CbSaved"), None);
        assert!(games[0].mainline().eq(game.mainline()));
    }
}

#[test]
fn names_are_written_as_chessbase_writes_them() {
    let degrees = [0x41b9_298e, 0xc2a4_dbc3].map(|bits| f32::from_bits(bits).to_string());
    let game = GameBuilder::new()
        .tag("White", "Mårdell, Jimmy")
        .tag("Black", "?")
        .tag("Event", "?")
        .tag("Site", "Havana")
        .tag("EventDate", "1889.01.20")
        .tag("EventType", "match")
        .tag("EventCountry", "CUB")
        .tag("EventRounds", "17")
        .tag("CbEventFlags", "3")
        .tag("CbEventLatitude", &degrees[0])
        .tag("CbEventLongitude", &degrees[1])
        .tag("CbEventTieBreaks", "22 14 10")
        .tag("CbEventEndDate", "1889.02.24")
        .tag("SourceTitle", "MainBase")
        .tag("Source", "ChessBase")
        .tag("SourceDate", "1999.07.01")
        .tag("SourceVersion", "2")
        .tag("SourceVersionDate", "1999.07.01")
        .tag("SourceQuality", "1")
        .result(GameResult::Unknown);
    let set = files(&[game]);
    let names = file(&set, "2lid");
    let header = "000000b8 00000006 00000400 0000000000000003 ffffffffffffffff \
                  00000460 0000000000000001 ffffffffffffffff";
    // White, and one without a name for Black and the annotator.
    let header = hex(&header.replacen("0000000000000003", "0000000000000002", 1));
    assert_eq!(names[..header.len()], header);
    let pairs = "ffffffff00000001 0000000000000001 0000000100000001 0000000200000001 \
                 0000000300000001 0000000400000001 0000000500000001";
    assert_eq!(names[0x80..184], hex(pairs));
    let player = "2d000000 08000000 4dc3a57264656c6c 05000000 4a696d6d79 00000000 00000000 \
                  ffffffff 08000000 ffffffffffffffff 00";
    let player = hex(player);
    assert_eq!(names[184..][..player.len()], player);
    let tournament = "06000000 486176616e61 00000000 34c20e00 02 00 22 00 00 03 11 00 8e29b941 \
                      c3dba4c2 00";
    let tournament = hex(tournament);
    let at = 184 + 1024 + 4;
    assert_eq!(names[at..][..tournament.len()], tournament);
    let rest = hex("0300 1100 0500 0100 58c20e00");
    assert_eq!(names[at + tournament.len() + 37..][..rest.len()], rest);
    let source = "25000000 08000000 4d61696e42617365 09000000 436865737342617365 e19e0f00 \
                  e19e0f00 0200 0100";
    let source = hex(source);
    let at = 184 + 1024 + 1120;
    assert_eq!(names[at..][..source.len()], source);
    // The last name is that without a name in the second block; nothing follows it.
    let empty =
        hex("20000000 00000000 00000000 00000000 00000000 ffffffff 08000000 ffffffffffffffff");
    assert_eq!(names[184 + 4234..], empty);
}

#[test]
fn texts_are_written_in_all_languages() {
    let set = files(&[text()]);
    let body = content(&set, "2cbg", 12);
    assert_eq!(body[..2], [5, 0]);
    let languages = hex("00000000 0a000000 3c703ee299943c2f703e 2a000000");
    // One without a language comes first.
    assert_eq!(body[6..10], 8_u32.to_le_bytes());
    assert_eq!(body[10..][..languages.len()], languages);
    let record = &file(&set, "2cbg")[12..];
    let free = u32::from_le_bytes(record[12..16].try_into().unwrap());
    assert!((193..=200).contains(&free) && file(&set, "2cbg").len().is_multiple_of(8));
}

#[test]
fn empty_databases_are_written_and_read() {
    let set = files(&[]);
    assert_eq!(file(&set, "2cbg"), hex("0c00000000000000 0c00 01 00"));
    assert_eq!(file(&set, "2cba"), hex("0c00000000000000 0c00 00 00"));
    assert_eq!(file(&set, "2lid").len(), 184);
    assert_eq!(file(&set, "2lgd"), hex("00010000 00000000 00000000"));
    assert_eq!(file(&set, "2lcd").len(), 10 * 4096);
    let database = open(&set, &OpenOptions::default()).unwrap();
    assert_eq!(database.info().problems, [""; 0]);
    assert_eq!((database.len(), deep(&*database)), (0, Vec::new()));
}

/// A database whose lists have all forms and whose orders have directories.
fn many_names() -> Vec<Game> {
    let game = |number: u32| {
        GameBuilder::new()
            .tag("White", &format!("Player {}, A", number % 130))
            .tag(
                "Black",
                if number.is_multiple_of(3) {
                    "Often"
                } else {
                    "?"
                },
            )
            .tag("Event", &format!("Event {}", number / 7))
            .tag(
                "WhiteTeam",
                if number.is_multiple_of(2) {
                    "Even"
                } else {
                    "Other"
                },
            )
            .result(GameResult::Draw)
    };
    let mut games: Vec<Game> = (0..300).map(game).collect();
    games.push(
        GameBuilder::new()
            .tag("White", "Both, Sides")
            .tag("Black", "Both, Sides")
            .result(GameResult::Draw),
    );
    games
}

#[test]
fn orders_and_lists_agree_with_the_headers() {
    let set = files(&many_names());
    let database = open(&set, &OpenOptions::default()).unwrap();
    assert_eq!(deep(&*database), [""; 0]);
    // The players have two pages of nodes and a directory.
    assert_eq!(file(&set, "2lcd")[4096..4098], [0, 1]);
    // Each damage is found.
    for (extension, at, expected) in [
        ("2lcd", 4096 + 17, "order `Default Spieler`"),
        ("2lcd", 2 * 4096 + 16, "order `Default Spieler`"),
        ("2lgd", 12 + 21 * 8, "another list of games"),
        ("2lgd", 12 + 256 + 16, "another list of games"),
        ("2cbh", 192 + 132, "`flags`"),
        ("2cbh", 192 + 138, "`move_count`"),
        ("2cbh", 192 + 140, "`material_strong`"),
    ] {
        let mut damaged = set.clone();
        let file = damaged.iter_mut().find(|(other, _)| *other == extension);
        file.unwrap().1[at] ^= 1;
        let database = open(&damaged, &OpenOptions::default()).unwrap();
        let found = deep(&*database);
        assert_eq!(found.len(), 1, "{extension} {at}: {found:?}");
        assert!(found[0].contains(expected), "{}", found[0]);
    }
    // The second record moves.
    let mut moved = set.clone();
    moved[0].1[2 * 192 + 8] ^= 8;
    let database = open(&moved, &OpenOptions::default()).unwrap();
    let found = deep(&*database);
    assert!(
        found.is_empty() || found[0].contains("does not follow"),
        "{found:?}"
    );
}

#[test]
fn what_does_not_fit_is_counted() {
    let long = "é".repeat(600);
    let game = GameBuilder::new()
        .tag("White", &long)
        .tag("SourceTitle", &long)
        .tag("WhiteTeam", &long)
        .tag("CbGameTagEnglish", &long)
        .tag("Event", &long)
        .tag("Round", "40000")
        .tag("CbTopGame", "1")
        .tag("CbEventTieBreaks", "99")
        .tag("Opening", "Unknown")
        .result(GameResult::Unknown);
    let (set, losses) = written(&[game]);
    assert_eq!(losses[0].count(Feature::LongText), 5);
    assert_eq!(losses[0].count(Feature::Tags), 2);
    assert_eq!(losses[0].count(Feature::HeaderFacts), 2);
    let database = open(&set, &OpenOptions::default()).unwrap();
    assert_eq!(deep(&*database), [""; 0]);
    let (games, problems) = read_games(&*database);
    assert_eq!(problems, [""; 0]);
    assert_eq!(games[0].head.tags.text("White"), "é".repeat(492));
}

/// Sets that another program made after the notes are written again with the same contents.
#[test]
fn contents_of_other_writers_are_written_again() {
    let test = "contents_of_other_writers_are_written_again";
    let Some(shared) = tabia_testkit::shared() else {
        tabia_testkit::skip(test);
        return;
    };
    let cases = shared.join("findings/cases/2cbh");
    for name in [
        "quote",
        "quotemoves",
        "t27",
        "time07",
        "timecontrol",
        "train2",
        "video",
    ] {
        let path = cases.join(name).join("db.2cbh");
        if !path.exists() {
            continue;
        }
        let source = tabia_core::io::Source::from_path(&path).unwrap();
        let open = FORMAT.open;
        let database = open(&source, &OpenOptions::default()).unwrap();
        let (games, problems) = read_games(&*database);
        assert_eq!(problems, [""; 0], "{name}");
        let set = files(&games);
        for extension in ["2cbg", "2cba"] {
            let stored = std::fs::read(path.with_extension(extension)).unwrap();
            let stored = container::content(&stored, 12, 1 << 20).unwrap();
            assert_eq!(
                content(&set, extension, 12),
                stored.bytes,
                "{name}.{extension}"
            );
        }
    }
}

/// The set that a copy of these files is.
fn copied(files: &Files) -> (Files, Vec<String>) {
    let database = open(files, &OpenOptions::default()).unwrap();
    let (games, problems) = read_games(&*database);
    (written(&games).0, problems)
}

#[test]
fn bytes_of_headers_without_a_known_meaning_are_kept() {
    let all = games();
    let is_analysis = |game: &&Game| game.head.tags.get("Cb2Content").is_some();
    let analysis = all.iter().find(is_analysis).unwrap().clone();
    let files = files(&[all[0].clone(), text(), analysis]);
    assert_eq!(copied(&files), (files.clone(), Vec::new()));
    let unknown = |record: usize| match record {
        // The version and the time of creation are no unknown bytes, and as easily lost.
        1 => [0..8, 148..152, 156..160, 174..176, 182..188],
        2 => [0..1, 1..8, 68..192, 64..68, 52..56],
        _ => [0..2, 3..8, 48..192, 0..0, 0..0],
    };
    for record in 1..=3 {
        // Of the long runs of bytes some are enough.
        let some = |at: &usize| *at < 70 || *at >= 148 && record == 1 || at.is_multiple_of(17);
        for at in unknown(record).into_iter().flatten().filter(some) {
            for bit in [0x01, 0x40] {
                let mut changed = files.clone();
                changed[0].1[record * 192 + at] ^= bit;
                let (copy, problems) = copied(&changed);
                let name = format!("record {record}, byte {at}, bit {bit:#x}: {problems:?}");
                assert!(copy[0] == changed[0], "{name}");
            }
        }
    }
    // The unknown bytes of a tournament may be zeros.
    let usual = names::USUAL_BYTES;
    let mut changed = files;
    let bytes = &mut changed[3].1;
    let at = bytes.windows(37).position(|found| found == usual).unwrap();
    bytes[at..at + 37].fill(0);
    assert_eq!(copied(&changed).0[3], changed[3]);
}

#[test]
fn impossible_numbers_of_names_are_reported() {
    let files = files(&games()[..1]);
    for (at, bytes, field) in [
        (28, [1, 0, 0, 0], "white"),
        (64, [0xfe, 0xff, 0xff, 0xff], "white_team"),
        (76, [0, 0, 0, 0], "black_team"),
        (80, [9, 0, 0, 0], "tag"),
    ] {
        let mut changed = files.clone();
        changed[0].1[192 + at..192 + at + 4].copy_from_slice(&bytes);
        let (_, problems) = copied(&changed);
        assert_eq!(problems.len(), 1, "{field}: {problems:?}");
        assert!(
            problems[0].contains(&format!("`{field}` is number")),
            "{problems:?}"
        );
    }
}
