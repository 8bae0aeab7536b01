//! Suites of positions: they round-trip, and games are written as their last position.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::io::Read;

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{
    Annotation, Game, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor, Want,
};
use tabia_core::games::Database;
use tabia_core::io::{Blob, Source};
use tabia_core::loss::Feature;
use tabia_formats::games::epd::{FEN, FORMAT};
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{shared_data, tiny};

use support::{ReadGame, fixtures, read_database, write_text};

fn suite(text: &[u8], options: &OpenOptions) -> Box<dyn Database> {
    let members = vec![("a.epd".to_owned(), Blob::from(text.to_vec()))];
    let source = Source::from_members("a.epd", "a.epd", members).unwrap();
    (FORMAT.open)(&source, options).unwrap()
}

fn read(text: &[u8]) -> Vec<ReadGame> {
    read_database(&*suite(text, &OpenOptions::default()), Want::ALL)
}

fn games(read: Vec<ReadGame>) -> Vec<Game> {
    read.into_iter().map(|read| read.game).collect()
}

#[test]
fn suites_round_trip_with_all_operations() {
    let text = std::fs::read(&fixtures(&FORMAT)[0]).unwrap();
    let read_once = read(&text);
    assert_eq!(read_once.len(), 7);
    assert!(
        read_once
            .iter()
            .all(|read| read.error.is_none() && read.problems.is_empty())
    );
    let first = &read_once[0].game.head;
    assert_eq!(first.tags.get("bm"), Some("Qg6"));
    assert_eq!(first.tags.get("c0"), Some("White mates in four"));
    assert_eq!(
        read_once[3]
            .game
            .head
            .start
            .setup
            .as_ref()
            .unwrap()
            .en_passant
            .unwrap()
            .letters(),
        *b"f6"
    );
    assert!(read_once[4].game.head.start.chess960);
    assert!(read_once[6].game.head.start.setup.is_none());
    let once = games(read_once);
    let mut full = CreateOptions::default();
    full.profile = Profile::Full;
    let (written, losses) = write_text(&FORMAT, &full, &once);
    assert!(losses.is_empty(), "{losses}");
    let again = games(read(&written));
    assert!(once == again);
    assert_eq!(write_text(&FORMAT, &full, &again).0, written);
    // In other profiles only operations are written, and the other tags are reported as losses.
    let (standard, losses) = write_text(&FORMAT, &CreateOptions::default(), &once);
    assert_eq!(losses.count(Feature::Tags), 2);
    let standard = String::from_utf8(standard).unwrap();
    let lines: Vec<&str> = standard.lines().collect();
    assert_eq!(
        lines[0],
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"Own.001\"; \
         c0 \"White mates in four\";"
    );
    assert_eq!(
        lines[1],
        "rnbqkbnr/1p1ppppp/p1p5/8/8/4PQ2/PPPP1PPP/RNB1KBNR w KQkq - fmvn 3;"
    );
    assert_eq!(
        lines[2],
        "r3k2r/8/8/8/8/8/8/R3K2R b Kq - hmvc 7; fmvn 30; D1 26; D2 568;"
    );
    assert_eq!(
        lines[5],
        "8/8/8/3k4/8/3K4/3P4/8 w - - hmvc 12; fmvn 61; am d3; noop;"
    );
}

#[test]
fn epd_has_four_fields_and_fen_has_six() {
    let text = b"4k3/8/8/8/8/8/8/4K2R b K -\n4k3/8/8/8/8/8/8/4K2R w K - 3 2\n\
        4k3/8/8/8/8/8/8/4K3 w - - fmvn 17; id \"a b\"; hmvc 13;\n";
    let games = games(read(text));
    let text = |format| {
        let (text, losses) = write_text(format, &CreateOptions::default(), &games);
        assert!(losses.is_empty(), "{losses}");
        String::from_utf8(text).unwrap()
    };
    assert_eq!(
        text(&FORMAT),
        "4k3/8/8/8/8/8/8/4K2R b K -\n4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 2;\n\
         4k3/8/8/8/8/8/8/4K3 w - - hmvc 13; fmvn 17; id \"a b\";\n"
    );
    assert_eq!(
        text(&FEN),
        "4k3/8/8/8/8/8/8/4K2R b K - 0 1\n4k3/8/8/8/8/8/8/4K2R w K - 3 2\n\
         4k3/8/8/8/8/8/8/4K3 w - - 13 17 id \"a b\";\n"
    );
}

#[test]
fn games_become_their_last_position() {
    let mut all = tiny::games();
    all.push(tiny::annotated());
    let (text, losses) = write_text(&FORMAT, &CreateOptions::default(), &all);
    let positions = read(&text);
    let with_start: Vec<&Game> = all.iter().collect();
    assert_eq!(positions.len(), with_start.len());
    let mut moves = 0;
    for (game, read) in with_start.iter().zip(&positions) {
        moves += game.mainline().count() as u64;
        let Some(mut position) = game.head.start.position() else {
            continue;
        };
        for ply in game.mainline() {
            position.play_ply(ply);
        }
        let found = read.game.head.start.position().unwrap();
        assert_eq!(found.fen(), position.fen());
    }
    assert_eq!(losses.count(Feature::Moves), moves);
    assert!(losses.count(Feature::Variations) > 0 && losses.count(Feature::Comments) > 0);
}

#[test]
fn invalid_lines_do_not_affect_others() {
    let text =
        b"4k3/8/8/8/8/8/8/4K2R w K -\nnonsense\n4k3/8 w - -\nk7/8/8/8/8/8/8/K6P w - -\n\0\xff;\n";
    let found = read(text);
    assert_eq!(found.len(), 5);
    assert!(found[0].error.is_none() && found[0].problems.is_empty());
    for (number, line) in [(1, "line 2"), (2, "line 3"), (4, "line 5")] {
        let error = found[number].error.as_ref().unwrap();
        assert!(error.contains(line), "{error}");
    }
    // A position with a pawn on the first rank is read, and reported as a problem.
    assert_eq!(found[3].problems.len(), 1);
    assert!(found[3].game.head.start.setup.is_some());
    let mut strict = OpenOptions::default();
    strict.strict = true;
    let found = read_database(&*suite(text, &strict), Want::ALL);
    assert!(found[0].error.is_none() && found[3].error.is_some());
}

#[test]
fn real_suites_round_trip() {
    let Some(folder) = shared_data("real_suites_round_trip", "books/suites") else {
        return;
    };
    let mut count = 0;
    for path in files_below(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".epd.zip") {
            continue;
        }
        let source = Source::from_path(&path).unwrap();
        let zip = tabia_formats::ARCHIVES
            .iter()
            .find(|archive| archive.file.id.as_str() == "zip")
            .unwrap();
        let archive = (zip.open)(&source, &OpenOptions::default()).unwrap();
        let mut text = Vec::new();
        // The start of a long suite is sufficient.
        archive
            .read(0)
            .unwrap()
            .take(200_000)
            .read_to_end(&mut text)
            .unwrap();
        let end = text.iter().rposition(|byte| *byte == b'\n').unwrap();
        text.truncate(end + 1);
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty());
        let lines = lines.count();
        let found = read(&text);
        assert_eq!(found.len(), lines, "{name}");
        assert!(
            found
                .iter()
                .all(|read| read.error.is_none() && read.problems.is_empty()),
            "{name}"
        );
        let games = games(found);
        let chess960 = games.iter().filter(|game| game.head.start.chess960).count();
        assert_eq!(chess960 > 900, name.starts_with("FRC"), "{name}");
        // The lines of both texts are equal in the format that the lines have, whatever the file's name.
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_fen = first.trim_ascii().split(|byte| *byte == b' ').count() == 6;
        let format = if is_fen { &FEN } else { &FORMAT };
        let (written, losses) = write_text(format, &CreateOptions::default(), &games);
        assert!(losses.is_empty(), "{name}");
        let lines_of = |text: &[u8]| {
            String::from_utf8_lossy(text)
                .lines()
                .map(|line| line.trim_end().to_owned())
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
        };
        let (ours, theirs) = (lines_of(&written), lines_of(&text));
        let differs = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
        // This includes en passant squares on which no pawn can capture.
        assert_eq!(differs, 0, "{name}");
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn a_guiding_text_is_one_loss() {
    let mut game = Game::new();
    let mut out = game.recorder();
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    let _ = out.begin_game(GameIndex(0), &head);
    for kind in [TextKind::Title, TextKind::Html] {
        let (language, text) = (0, "About");
        let part = TextPart {
            kind,
            language,
            text,
        };
        let _ = out.visit_annotation(Annotation::Text(part));
    }
    out.end_game(GameResult::Unknown);
    let (text, losses) = write_text(&FORMAT, &CreateOptions::default(), &[game]);
    assert!(text.is_empty());
    assert_eq!(losses.count(Feature::GuidingTexts), 1);
    assert_eq!(losses.iter().count(), 1, "{losses}");
}
