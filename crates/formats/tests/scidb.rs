//! Scidb databases: those made by Scidb in the folder of shared data, and those that tabia writes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use tabia_core::chess::Square;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Event, Foreign, Game,
    GameResult, Language, Nag, Score, Shape, ShapeColor, ShapeKind, Visitor,
};
use tabia_core::games::{Database, NameKind};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{FormatId, GameFormat, GameIndex};
use tabia_formats::games::{pgn, scidb};
use tabia_testkit::open_and_read::{open_files, read_games};
use tabia_testkit::tiny::{self, GameBuilder};
use tabia_testkit::{Scratch, dump, shared_data};

/// Every database of the folder with the number of its games.
const SAMPLES: [(&str, u32); 4] = [
    ("features", 87),
    ("frc", 4),
    ("lichess_db_1000k", 438),
    ("twic1599_1000k", 1110),
];

fn open(path: &Path, format: &GameFormat) -> Box<dyn Database> {
    let source = Source::from_path(path).unwrap();
    (format.open)(&source, &OpenOptions::default()).unwrap()
}

/// The games and the messages of all problems.
fn read(database: &dyn Database) -> (Vec<Game>, Vec<String>) {
    let (games, found) = read_games(database);
    let problems = database.info().problems.iter().cloned().chain(found);
    (games, problems.collect())
}

fn write(path: &Path, games: &[Game]) -> Losses {
    let mut options = CreateOptions::default();
    options.title = Some("Our games".to_owned());
    write_with(path, games, &options)
}

fn write_with(path: &Path, games: &[Game], options: &CreateOptions) -> Losses {
    let mut writer = scidb::FORMAT.create.unwrap()(path, options).unwrap();
    let mut losses = Losses::new();
    for (number, game) in (0..).zip(games) {
        let mut lost = writer.write(game).unwrap();
        lost.in_game(GameIndex(number));
        losses.merge(&lost);
    }
    assert_eq!(writer.finish().unwrap().records as usize, games.len());
    losses
}

fn sample(test: &str, name: &str) -> Option<(PathBuf, PathBuf)> {
    let folder = shared_data(test, "scid")?;
    Some((
        folder.join("sci").join(format!("{name}.sci")),
        folder.join("pgn").join(format!("{name}.pgn")),
    ))
}

/// A game as lines (moves, brackets, and the annotations of a move, sorted), and the words of its
/// comments. Scidb reads evaluations with a sign only, others stay words; and it reads the digits after
/// the point as hundredths, so that -0.1 becomes -0.01.
fn lines(game: &Game, mut nag: impl FnMut(u8) -> u8) -> (Vec<String>, Vec<String>) {
    let mut moves = Vec::new();
    let mut comments: Vec<String> = Vec::new();
    let mut annotations: Vec<String> = Vec::new();
    for event in game.events() {
        match event {
            Event::Annotation(Annotation::Comment(comment)) => {
                let mut words = comment.text.split_whitespace();
                while let Some(word) = words.next() {
                    if word == "[%eval" {
                        let value = words.next().unwrap().trim_end_matches(']');
                        annotations.push(format!(
                            "eval {}",
                            value.parse().map_or(value.to_owned(), pawns)
                        ));
                    } else {
                        comments.push(word.to_owned());
                    }
                }
            }
            Event::Annotation(Annotation::Nag(Nag(number))) => {
                annotations.push(format!("${}", nag(number)));
            }
            Event::Annotation(Annotation::Eval(eval)) => annotations.push(match eval.score {
                Score::Centipawns(value) => format!("eval {}", pawns(value)),
                Score::Mate(moves) => format!("eval #{moves}"),
            }),
            Event::Annotation(annotation) => annotations.push(format!("{annotation:?}")),
            event => {
                annotations.sort();
                moves.append(&mut annotations);
                moves.push(format!("{event:?}"));
            }
        }
    }
    annotations.sort();
    moves.append(&mut annotations);
    (moves, comments)
}

/// A value in pawns, as short as possible, with the digits that Scidb reads as hundredths.
fn pawns(value: i32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (whole, hundredths) = (value.unsigned_abs() / 100, value.unsigned_abs() % 100);
    if hundredths.is_multiple_of(10) {
        let tenths = hundredths / 10;
        if value < 0 {
            return format!("{sign}{whole}.0{tenths}");
        }
        return format!("{sign}{whole}.{tenths}");
    }
    format!("{sign}{whole}.{hundredths:02}")
}

#[test]
fn samples_have_the_games_of_their_pgn_sources() {
    let test = "samples_have_the_games_of_their_pgn_sources";
    for (name, count) in SAMPLES {
        let Some((path, pgn_source)) = sample(test, name) else {
            return;
        };
        let database = open(&path, &scidb::FORMAT);
        assert_eq!(database.len(), count, "{name}");
        let (found, problems) = read(&*database);
        assert_eq!(problems, [""; 0], "{name}");
        let (expected, _) = read(&*open(&pgn_source, &pgn::FORMAT));
        assert_eq!(expected.len(), found.len(), "{name}");
        for (index, (expected, found)) in (1..).zip(expected.iter().zip(&found)) {
            let what = format!("{name}, game {index}");
            // Scidb has numbers of its own for some NAGs.
            let (expected_moves, expected_words) = lines(expected, |nag| match nag {
                220 => 155,
                nag => nag,
            });
            let (moves, words) = lines(found, |nag| nag);
            dump::assert_same(&what, &expected_moves.join("\n"), &moves.join("\n"));
            dump::assert_same(&what, &expected_words.join("\n"), &words.join("\n"));
            assert_eq!(expected.result, found.result, "{what}");
            // Scidb leaves out an en passant square that no pawn can take on.
            let start = |game: &Game| game.head.start.position();
            assert_eq!(start(expected), start(found), "{what}");
            for tag in ["White", "Black", "Date", "WhiteElo", "BlackElo"] {
                // Scidb changes blanks and points of names, and removes countries from them.
                let letters = |game: &Game| game.head.tags.text(tag).replace([' ', '?', '.'], "");
                let (expected, found) = (letters(expected), letters(found));
                assert!(
                    expected.starts_with(&found),
                    "{what}: {tag} {expected} {found}"
                );
                assert_eq!(expected.is_empty(), found.is_empty(), "{what}: {tag}");
            }
        }
    }
}

/// The rows of an index, without its header.
fn rows(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    bytes[128..].chunks(56).map(<[u8]>::to_vec).collect()
}

/// The record of a row.
fn record<'g>(row: &[u8], games: &'g [u8]) -> &'g [u8] {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |n, &byte| n << 8 | usize::from(byte));
    let at = number(&row[24..28]);
    &games[at..at + number(&games[at..at + 3])]
}

/// Games of Scidb's files are written again without a loss, and with the index entries of Scidb except
/// for ids of names, offsets, and the keys into Scidb's opening table.
#[test]
fn written_index_entries_equal_those_of_scidb() {
    let test = "written_index_entries_equal_those_of_scidb";
    let scratch = Scratch::new("scidb-rows");
    for (name, _) in SAMPLES {
        let Some((path, _)) = sample(test, name) else {
            return;
        };
        let (games, _) = read(&*open(&path, &scidb::FORMAT));
        let copy = scratch.join(format!("{name}.sci"));
        let losses = write(&copy, &games);
        assert_eq!(losses.to_string(), "", "{name}");
        let (again, problems) = read(&*open(&copy, &scidb::FORMAT));
        assert_eq!(problems, [""; 0], "{name}");
        for (index, (a, b)) in (0..).zip(games.iter().zip(&again)) {
            let what = format!("{name}, game {}", index + 1);
            let index = GameIndex(index);
            dump::assert_same(&what, &dump::game(index, a), &dump::game(index, b));
        }
        let (theirs, ours) = (rows(&path), rows(&copy));
        let their_games = std::fs::read(path.with_extension("scg")).unwrap();
        let our_games = std::fs::read(copy.with_extension("scg")).unwrap();
        assert_eq!(their_games[..11], our_games[..11]);
        let (mut same_records, mut with_evals) = (0, 0);
        for (index, (theirs, ours)) in (1..).zip(theirs.iter().zip(&ours)) {
            // Evaluations that Scidb left in comments become evaluations: the number of comments is another one.
            let eval = b"[%eval ";
            let has_evals = record(theirs, &their_games)
                .windows(eval.len())
                .any(|part| part == eval);
            with_evals += usize::from(has_evals);
            for at in 0..56 {
                let is_id_or_offset =
                    matches!(at, 8..=13 | 24..=30 | 32..=34) || has_evals && at == 31;
                let is_key =
                    matches!(at, 17..=19) || at == 16 && theirs[16] & 0x1f == ours[16] & 0x1f;
                assert!(
                    is_id_or_offset || is_key || theirs[at] == ours[at],
                    "{name}, game {index}, byte {at}: {:02x} {:02x}\n{theirs:02x?}\n{ours:02x?}",
                    theirs[at],
                    ours[at]
                );
            }
            same_records += usize::from(record(theirs, &their_games) == record(ours, &our_games));
        }
        println!(
            "{name}: {same_records} of {} records are the same bytes",
            ours.len()
        );
        assert!(
            (same_records + with_evals) * 10 >= ours.len() * 9,
            "{name}: {same_records} and {with_evals} with evaluations"
        );
    }
}

#[test]
fn pgn_round_trips_through_our_databases() {
    let test = "pgn_round_trips_through_our_databases";
    let scratch = Scratch::new("scidb-pgn");
    for name in ["features", "frc", "com"] {
        let Some((_, pgn_source)) = sample(test, name) else {
            return;
        };
        let (games, _) = read(&*open(&pgn_source, &pgn::FORMAT));
        let path = scratch.join(format!("{name}.sci"));
        let losses = write(&path, &games);
        let (found, problems) = read(&*open(&path, &scidb::FORMAT));
        assert_eq!(problems, [""; 0], "{name}");
        println!("{name}: {losses}");
        for (index, (expected, found)) in (1..).zip(games.iter().zip(&found)) {
            let what = format!("{name}, game {index}");
            let nag = |nag| nag;
            let (expected_moves, expected_words) = lines(expected, nag);
            let (moves, words) = lines(found, nag);
            dump::assert_same(&what, &expected_moves.join("\n"), &moves.join("\n"));
            dump::assert_same(&what, &expected_words.join("\n"), &words.join("\n"));
            assert_eq!(expected.result, found.result, "{what}");
            for (name, value) in expected.head.tags.iter() {
                if name != "FEN" {
                    assert_eq!(found.head.tags.get(name), Some(value), "{what}: {name}");
                }
            }
        }
    }
}

/// The mainline of a game with annotations after `after` plies.
fn with_annotations(game: &Game, after: usize, annotations: &[Annotation<'_>]) -> Game {
    let mut out = Game::new();
    let mut recorder = out.recorder();
    let _ = recorder.begin_game(GameIndex(0), &game.head);
    let mut plies = 0;
    let annotate = |recorder: &mut tabia_core::game::Recorder<&mut Game>, plies: usize| {
        if plies == after {
            for annotation in annotations {
                let _ = recorder.visit_annotation(*annotation);
            }
        }
    };
    annotate(&mut recorder, plies);
    for ply in game.mainline() {
        recorder.push_move(ply);
        plies += 1;
        annotate(&mut recorder, plies);
    }
    recorder.end_game(game.result);
    out
}

fn roster(builder: GameBuilder) -> GameBuilder {
    builder
        .tag("Event", "Tiny Open")
        .tag("Site", "Žižkov")
        .tag("Date", "2021.05.??")
        .tag("Round", "3.2")
        .tag("White", "Abel, Ada")
        .tag("Black", "Brandt, Bo")
        .tag("Result", "0-1")
}

/// All kinds of annotations of one move round trip in Scidb's order.
#[test]
fn annotations_round_trip() {
    let comment = |placement, language: Option<[u8; 2]>, text| {
        Annotation::Comment(Comment {
            placement,
            language: language.and_then(Language::iso),
            text,
        })
    };
    let foreign = |kind, bytes| {
        Annotation::Foreign(Foreign {
            format: FormatId::new("sci"),
            kind,
            bytes,
        })
    };
    let annotations = [
        Annotation::Nag(Nag(1)),
        Annotation::Nag(Nag(146)),
        Annotation::Shape(Shape {
            kind: ShapeKind::Arrow(Square::E2, Square::E4),
            color: ShapeColor::DarkBlue,
        }),
        Annotation::Shape(Shape {
            kind: ShapeKind::Letter(Square::A1, 'x'),
            color: ShapeColor::White,
        }),
        comment(CommentPlacement::Before, None, "so <far> & \"no\" further"),
        comment(CommentPlacement::After, Some(*b"en"), "Good."),
        comment(CommentPlacement::After, Some(*b"de"), "Gut,\nsehr gut."),
        comment(CommentPlacement::After, None, "$"),
        Annotation::Clock(Clock {
            kind: ClockKind::Remaining,
            time: Duration::from_secs(5399),
        }),
        Annotation::Clock(Clock {
            kind: ClockKind::ElapsedMove,
            time: Duration::from_millis(12_345),
        }),
        Annotation::Eval(Eval {
            score: Score::Centipawns(-31),
            depth: Some(22),
            engine: 2,
        }),
        foreign(3, &[0xe7, 1, 2, 3, 4]),
    ];
    let game = roster(GameBuilder::new())
        .moves("e4 e5 Nf3 Nc6")
        .result(GameResult::BlackWins);
    let engines = foreign(1, b"Stockfish\0Fritz\0");
    // A clock of the tournament hall, which belongs to no player.
    let times = foreign(2, &[2, 0xd0, 0, 1, 0, 0]);
    let mut before = with_annotations(&game, 0, &[engines, times]);
    let mut list = vec![engines, times];
    let with = with_annotations(&game, 2, &annotations);
    // Both at once: the engines are before the moves.
    let events: Vec<Event<'_>> = with.events().collect();
    let mut recorder = before.recorder();
    let _ = recorder.begin_game(GameIndex(0), &game.head);
    for annotation in list.drain(..) {
        let _ = recorder.visit_annotation(annotation);
    }
    for event in events {
        match event {
            Event::Move(ply) => recorder.push_move(ply),
            Event::Annotation(annotation) => {
                let _ = recorder.visit_annotation(annotation);
            }
            _ => {}
        }
    }
    recorder.end_game(GameResult::BlackWins);
    let scratch = Scratch::new("scidb-annotations");
    let path = scratch.join("annotations.sci");
    let losses = write(&path, &[before.clone()]);
    assert_eq!(losses.to_string(), "");
    let database = open(&path, &scidb::FORMAT);
    assert_eq!(database.info().title.as_deref(), Some("Our games"));
    let (found, problems) = read(&*database);
    assert_eq!(problems, [""; 0]);
    let index = GameIndex(0);
    dump::assert_same(
        "annotations",
        &dump::game(index, &before),
        &dump::game(index, &found[0]),
    );
    assert_eq!(found[0], before);
}

#[test]
fn data_that_cannot_be_stored_is_counted() {
    let game = roster(GameBuilder::new())
        .tag("WhiteFideId", "4600001")
        .tag("WhiteTitle", "XM")
        .tag("ECO", "B90k3")
        .tag("EventDate", "0999.01.01")
        .tag("ScidFlags", "WU1")
        .tag("ScidbFlags", "model nothing")
        .moves("e4 e5 Nf3")
        .result(GameResult::WhiteWinsByForfeit);
    let clock = |seconds| {
        Annotation::Clock(Clock {
            kind: ClockKind::Remaining,
            time: Duration::from_secs(seconds),
        })
    };
    let eval = |depth, engine, score| {
        Annotation::Eval(Eval {
            score,
            depth,
            engine,
        })
    };
    let comment = Annotation::Comment(Comment {
        placement: CommentPlacement::After,
        language: None,
        text: "a\0b",
    });
    let game = with_annotations(
        &game,
        1,
        &[
            clock(57_600),
            eval(Some(64), 1, Score::Mate(3)),
            eval(None, 0, Score::Centipawns(200_000)),
            Annotation::Nag(Nag(0)),
            Annotation::Medals(3),
            comment,
            comment,
        ],
    );
    let scratch = Scratch::new("scidb-lost");
    let path = scratch.join("lost.sci");
    let losses = write(&path, &[game]);
    let counts: Vec<(Feature, u64)> = losses
        .iter()
        .map(|(kind, loss)| (kind, loss.count))
        .collect();
    assert_eq!(
        counts,
        [
            // The tag `Result`.
            (Feature::Tags, 1),
            (Feature::HeaderFacts, 2),
            (Feature::Characters, 2),
            (Feature::SeveralComments, 1),
            (Feature::Nags, 1),
            (Feature::Clocks, 1),
            (Feature::Evals, 1),
            (Feature::EvalDepths, 2),
            (Feature::Medals, 1),
            (Feature::SpecialResults, 1),
        ]
    );
    let (found, _) = read(&*open(&path, &scidb::FORMAT));
    let tags = &found[0].head.tags;
    for (name, value) in [
        ("WhiteFideId", "4600001"),
        ("WhiteTitle", "XM"),
        ("ECO", "B90k3"),
        ("EventDate", "0999.01.01"),
        ("ScidFlags", "WU"),
        ("ScidbFlags", "model"),
    ] {
        assert_eq!(tags.get(name), Some(value));
    }
}

/// The files of a database of the tiny games.
fn tiny_files() -> Vec<(String, Vec<u8>)> {
    let scratch = Scratch::new("scidb-tiny");
    let path = scratch.join("tiny.sci");
    write(&path, &tiny::games());
    ["sci", "scn", "scg"]
        .iter()
        .map(|extension| {
            let bytes = std::fs::read(path.with_extension(extension)).unwrap();
            (format!("tiny.{extension}"), bytes)
        })
        .collect()
}

/// Opens a database of [`tiny_files`].
fn open_tiny(files: &[(String, Vec<u8>)]) -> tabia_core::Result<Box<dyn Database>> {
    open_files(&scidb::FORMAT, files, &OpenOptions::default())
}

/// Moves of other games than chess are read as bytes, with the tags. A database of the same variant
/// stores the bytes unchanged; one of chess cannot store them.
#[test]
fn variants_keep_their_moves() {
    for (number, name) in [(1, "Bughouse"), (2, "Crazyhouse"), (4, "Antichess")] {
        let mut files = tiny_files();
        files[0].1[13] = number;
        // Another opening key than the writer's own.
        for entry in files[0].1[128..].chunks_exact_mut(56) {
            entry[18..20].copy_from_slice(&[0x12, 0x34]);
        }
        let database = open_tiny(&files).unwrap();
        let facts = database.info().facts.clone();
        assert_eq!(facts[0], ("variant".to_owned(), name.to_owned()));
        let (found, problems) = read(&*database);
        assert_eq!(problems, [""; 0]);
        for game in &found {
            assert_eq!(game.head.tags.text("Variant"), name);
            assert_eq!(game.ply_count(), 0);
            let events: Vec<Event<'_>> = game.events().collect();
            let [Event::Annotation(Annotation::Foreign(kept))] = events[..] else {
                panic!("{events:?}");
            };
            assert!(kept.is_unread_moves() && kept.bytes.len() > 8);
        }
        let scratch = Scratch::new("scidb-variants");
        let path = scratch.join("tiny.sci");
        let mut options = CreateOptions::default();
        options.facts = facts;
        let again = write_with(&path, &found, &options);
        assert_eq!(again.to_string(), "", "{name}");
        let bytes = |extension: &str| std::fs::read(path.with_extension(extension)).unwrap();
        assert!(bytes("scn") == files[1].1 && bytes("scg") == files[2].1);
        let rows = |file: &[u8]| file[128..].to_vec();
        assert_eq!(rows(&bytes("sci")), rows(&files[0].1), "{name}");
        assert_eq!(bytes("sci")[13], number);
        assert_eq!(read(&*open(&path, &scidb::FORMAT)), (found.clone(), vec![]));
        // Such a database stores no games of chess, and one of chess no moves of the variant.
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut writer = scidb::FORMAT.create.unwrap()(&path, &options).unwrap();
        let lost = writer.write(&tiny::games()[0]).unwrap();
        assert_eq!(lost.count(Feature::ChessGames), 1);
        assert_eq!(writer.finish().unwrap().records, 0);
        let chess = scratch.join("chess.sci");
        let lost = write(&chess, &found);
        assert_eq!(lost.count(Feature::UnreadMoves), found.len() as u64);
    }
}

/// Three-check and Losers have the moves of chess.
#[test]
fn variants_with_moves_of_chess_are_read_and_written() {
    for (number, name) in [(3, "Three-check"), (5, "Losers")] {
        let mut files = tiny_files();
        files[0].1[13] = number;
        let database = open_tiny(&files).unwrap();
        let (found, _) = read(&*database);
        assert_eq!(found[0].head.tags.text("Variant"), name);
        assert_eq!(found[0].ply_count(), tiny::games()[0].ply_count());
        let scratch = Scratch::new("scidb-variants");
        let path = scratch.join("tiny.sci");
        let mut options = CreateOptions::default();
        options.facts.clone_from(&database.info().facts);
        assert_eq!(write_with(&path, &found, &options).to_string(), "");
        let bytes = |extension: &str| std::fs::read(path.with_extension(extension)).unwrap();
        assert!(bytes("scn") == files[1].1 && bytes("scg") == files[2].1);
        assert_eq!(bytes("sci")[13], number);
    }
}

/// A table of times is read as annotations of moves if all of it is known.
#[test]
fn times_of_a_table_belong_to_moves() {
    let clock = |kind, seconds| {
        Annotation::Clock(Clock {
            kind,
            time: Duration::from_secs(seconds),
        })
    };
    let game = roster(GameBuilder::new())
        .moves("e4 e5 Nf3 Nc6")
        .result(GameResult::BlackWins);
    // Clocks of the first and the third move, and the times all four took.
    let table = Annotation::Foreign(Foreign {
        format: FormatId::new("sci"),
        kind: 2,
        bytes: &[
            3, 0x90, 0, 59, 0, 0x90, 0, 58, 4, 0xb0, 0, 1, 0xb0, 0, 2, 0xb0, 0, 3, 0xb0, 0, 4, 0,
        ],
    });
    let with = with_annotations(&game, 0, &[table]);
    let scratch = Scratch::new("scidb-times");
    let path = scratch.join("times.sci");
    assert_eq!(write(&path, &[with]).to_string(), "");
    let (found, problems) = read(&*open(&path, &scidb::FORMAT));
    assert_eq!(problems, [""; 0]);
    let spent = |seconds| clock(ClockKind::ElapsedMove, seconds);
    let left = |seconds| clock(ClockKind::Remaining, seconds);
    let times = [
        &[left(59), spent(1)][..],
        &[spent(2)],
        &[left(58), spent(3)],
        &[spent(4)],
    ];
    let mut expected = Game::new();
    let mut recorder = expected.recorder();
    let _ = recorder.begin_game(GameIndex(0), &game.head);
    for (ply, times) in game.mainline().zip(times) {
        recorder.push_move(ply);
        for &time in times {
            let _ = recorder.visit_annotation(time);
        }
    }
    recorder.end_game(game.result);
    drop(recorder);
    assert_eq!(found, [expected]);
    // With more times than moves the table is kept as bytes.
    let short = roster(GameBuilder::new())
        .moves("e4 e5 Nf3")
        .result(GameResult::BlackWins);
    let short = with_annotations(&short, 0, &[table]);
    let path = scratch.join("short.sci");
    assert_eq!(write(&path, std::slice::from_ref(&short)).to_string(), "");
    assert_eq!(read(&*open(&path, &scidb::FORMAT)).0, [short]);
}

#[test]
fn other_versions_are_refused_by_number() {
    let mut files = tiny_files();
    for version in [90, 95] {
        files[0].1[9] = version;
        let error = open_tiny(&files).map(drop).unwrap_err().to_string();
        assert!(error.contains(&format!("version {version}")), "{error}");
    }
}

#[test]
fn missing_files_lose_only_their_own_data() {
    let files = tiny_files();
    let database = open_tiny(&files[..1]).unwrap();
    assert_eq!(database.info().problems.len(), 2);
    let (found, problems) = read(&*database);
    assert_eq!(found.len(), 3);
    assert!(problems.len() > 2);
    assert_eq!(found[0].head.tags.text("WhiteElo"), "2200");
    let database = open_tiny(&[files[0].clone(), files[2].clone()]).unwrap();
    let (found, _) = read(&*database);
    assert_eq!(found[0].ply_count(), tiny::games()[0].ply_count());
    assert_eq!(found[0].head.tags.text("White"), "?");
    let names = database.info().names.clone();
    assert_eq!(names[0], (NameKind::Player, 0));
}
