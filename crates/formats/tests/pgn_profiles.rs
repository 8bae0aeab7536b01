//! One annotated game in every profile of PGN, byte for byte. `TABIA_UPDATE=1` rewrites the expected
//! files.
#![allow(clippy::disallowed_methods, reason = "an option of the test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::game::{Game, Want};
use tabia_core::loss::Feature;
use tabia_formats::games::pgn::FORMAT;
use tabia_testkit::dump::assert_same;
use tabia_testkit::repository;

use support::{read_stream, stream, write_text};

/// Comments in every position, commands of all kinds, a long line, and a result unlike the tag.
const TEXT: &str = r#"[Event "Profiles"]
[Site "Bern"]
[Date "2021.05.01"]
[Round "1"]
[White "Abel, Ada"]
[Black "Brandt, Bo"]
[Result "1-0"]
[WhiteElo "2200"]
[ECO "C20"]
[Annotator "Ce \"C\" \\"]
[WhiteClock "1:30:00"]

{Before the game.} 1. e4 {[%eval 0.25,20] [%clk 1:29:58] A comment that is long enough to reach the end of the line and to
continue on the next one, however the game is written.} e5 $1 $14 ( {Before a variation.} 1... c5 2. Nf3 {[%csl Ga1,Rb2,Yc3,Bd4]}
( 2. c3 $6 d5 {[%cal Ge2e4,Rd1d8]} ) 2... d6 ) ( 1... e6 ) 2. Qh5 $6 {[%emt 0:00:12] [%eval #-3]} Nc6 $18 3. Bc4 g6 4. Qf3 Nf6
5. g4 Bg7 6. Nc3 d6 7. d3 h6 8. h3 Be6 9. Bd2 Qd7 10. O-O-O O-O-O 11. Nge2 Kb8 12. Kb1 Ka8 13. Be3 a6 14. Rhe1 Rhe8 15. Nd5 Nxd5
16. exd5 {The end.} 1/2-1/2
"#;

const PROFILES: [(&str, Profile); 5] = [
    ("standard", Profile::Standard),
    ("full", Profile::Full),
    ("lichess", Profile::Lichess),
    ("chessbase", Profile::ChessBase),
    ("seven", Profile::Seven),
];

fn games(text: &[u8]) -> Vec<Game> {
    let read = read_stream(&mut *stream(&FORMAT, text), Want::ALL);
    read.into_iter().map(|read| read.game).collect()
}

fn options(profile: Profile, wrap: bool) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.profile = profile;
    options.wrap = wrap;
    options
}

#[test]
fn profiles_write_the_expected_text() {
    let games = games(TEXT.as_bytes());
    assert_eq!(games.len(), 1);
    for (name, profile) in PROFILES {
        let (text, losses) = write_text(&FORMAT, &options(profile, true), &games);
        let text = String::from_utf8(text).unwrap();
        let found = format!("{text}\nlosses: {losses}\n");
        let path = repository().join(format!("crates/formats/tests/expected/pgn/{name}.txt"));
        if std::env::var_os("TABIA_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert_same(name, &expected, &found);
    }
}

#[test]
fn lines_have_at_most_80_columns_unless_they_are_not_wrapped() {
    let games = games(TEXT.as_bytes());
    for (name, profile) in PROFILES {
        let lines = |wrap: bool| {
            let (text, _) = write_text(&FORMAT, &options(profile, wrap), &games);
            let text = String::from_utf8(text).unwrap();
            let moves = text.split_once("\n\n").unwrap().1.trim().to_owned();
            let longest = moves.lines().map(|line| line.chars().count()).max();
            (moves, longest.unwrap())
        };
        let (wrapped, longest) = lines(true);
        // Lichess writes one line.
        if profile != Profile::Lichess {
            assert!((60..=80).contains(&longest), "{name}: {longest}");
        }
        let (single, length) = lines(false);
        assert!(length > 80, "{name}: {length}");
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&wrapped), words(&single), "{name}");
    }
}

#[test]
fn evaluations_are_written_as_each_program_reads_them() {
    let games = games(TEXT.as_bytes());
    for (profile, expected) in [
        (Profile::Lichess, "[%eval 0.25]"),
        (Profile::Full, "[%eval 0.25,20]"),
        (Profile::ChessBase, "[%eval 25,20]"),
    ] {
        let (text, _) = write_text(&FORMAT, &options(profile, false), &games);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(expected), "{profile:?}: {text}");
    }
}

/// Lichess reads no game with a null move.
#[test]
fn lichess_gets_the_rest_of_a_line_with_a_null_move_as_text() {
    for (moves, expected, nulls) in [
        (
            "1. e4 e5 (1... -- 2. Nf3 $1 {[%csl Gd4] threat} 2... d5 (2... -- 3. Ne5) 3. d4) 2. Nf3 *",
            "1. e4 e5 { 1... -- 2. Nf3! ( threat ) 2... d5 (2... -- 3. Ne5) 3. d4 } 2. Nf3 *",
            2,
        ),
        (
            "1. e4 {a} e5 (1... c5 {b} 2. -- d5 3. exd5) 2. Nf3 *",
            "1. e4 { a } 1... e5 (1... c5 { b } { 2. -- d5 3. exd5 }) 2. Nf3 *",
            1,
        ),
        (
            "1. e4 -- 2. d4 {end} 1-0",
            "1. e4 { 1... -- 2. d4 ( end ) } 1-0",
            1,
        ),
        ("1. -- e5 *", "{ 1. -- e5 } *", 1),
    ] {
        let text = format!("[White \"A\"]\n\n{moves}\n");
        let parsed = games(text.as_bytes());
        let (written, losses) = write_text(&FORMAT, &options(Profile::Lichess, true), &parsed);
        let written = String::from_utf8(written).unwrap();
        let found = written.split_once("\n\n").unwrap().1.trim();
        assert_eq!(found, expected);
        assert_eq!(losses.count(Feature::NullMoves), nulls, "{moves}");
        // What was written has no null move, and is written again as it is.
        let again = games(written.as_bytes());
        let (text, losses) = write_text(&FORMAT, &options(Profile::Lichess, true), &again);
        assert_eq!(String::from_utf8(text).unwrap(), written);
        assert_eq!(losses.count(Feature::NullMoves), 0);
        let (standard, losses) = write_text(&FORMAT, &options(Profile::Standard, false), &parsed);
        assert!(String::from_utf8(standard).unwrap().contains("--"));
        assert_eq!(losses.count(Feature::NullMoves), 0);
    }
}

#[test]
fn chessbase_has_its_own_tags_and_results() {
    let text = r#"[Event "League"]
[Site "?"]
[Date "2021.05.01"]
[Round "1"]
[White "Svidler, P"]
[Black "Brandt, Bo"]
[Result "0-0"]
[WhiteElo "2200"]
[SourceTitle "Base"]
[SourceDate "1999.01.01"]
[EventDate "2021.05.01"]
[Annotator "Ce"]
[WhiteTeam "Eppingen"]
[CbWhiteTeamNumber "2"]
[ECO "C20"]

1. e4 {a} 1... e5 (1... c5 2. Nf3) 2. Nf3 {b} 2... Nc6 0-0
"#;
    let (text, losses) = write_text(
        &FORMAT,
        &options(Profile::ChessBase, true),
        &games(text.as_bytes()),
    );
    let expected = r#"[Event "League"]
[Site "?"]
[Date "2021.05.01"]
[Round "1"]
[White "Svidler, P."]
[Black "Brandt, Bo"]
[Result "0-0"]
[ECO "C20"]
[WhiteElo "2200"]
[Annotator "Ce"]
[PlyCount "4"]
[EventDate "2021.05.01"]
[SourceTitle "Base"]
[WhiteTeam "Eppingen II"]

1. e4 {a} e5 (1... c5 2. Nf3) 2. Nf3 {b} Nc6 0-0

"#;
    assert_same("tags", expected, &String::from_utf8(text).unwrap());
    assert_eq!(losses.count(Feature::Tags), 2);
    assert_eq!(losses.count(Feature::HeaderFacts), 1);
    assert_eq!(losses.count(Feature::SpecialResults), 0);
}

#[test]
fn chess960_has_its_tag_in_every_profile() {
    let fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1";
    let text = format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. g3 *\n");
    let mut games = games(text.as_bytes());
    // As out of a database, which has no such tags.
    games[0].head.tags.clear();
    for (name, profile) in PROFILES {
        let (text, _) = write_text(&FORMAT, &options(profile, true), &games);
        let text = String::from_utf8(text).unwrap();
        let variant = match profile {
            Profile::ChessBase => "[Variant \"chess 960\"]\n",
            _ => "[Variant \"Chess960\"]\n",
        };
        assert!(text.contains(variant), "{name}: {text}");
        let rights = match profile {
            Profile::ChessBase => " w HFhf - 0 1",
            _ => " w KQkq - 0 1",
        };
        assert!(text.contains(rights), "{name}: {text}");
        let read = self::games(text.as_bytes());
        assert_eq!(read[0].head.start, games[0].head.start, "{name}");
        if profile == Profile::Full {
            assert!(read[0].head.tags.is_empty(), "{:?}", read[0].head.tags);
        }
    }
}
