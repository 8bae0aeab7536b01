//! Properties of reading and writing, most of them checked with random games.

use std::io::Cursor;

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{
    Annotation, Event, Flow, Game, GameResult, RecordKind, Recorder, Want, project,
};
use tabia_core::games::{GameStream as _, TextWriter as _};
use tabia_core::loss::{Feature, Losses};

use super::blocks::{PgnBlocks, PgnStream};
use super::profile_features::features;
use super::write::Writer;
use tabia_testkit::arbitrary_game::arbitrary_game;

/// All games of a text, and the messages of its problems.
pub(super) fn read(text: &[u8], block_size: usize) -> (Vec<Game>, Vec<String>) {
    read_wanted(text, block_size, Want::ALL)
}

/// What `want` asks for of all games of a text, and the messages of the problems.
pub(super) fn read_wanted(text: &[u8], block_size: usize, want: Want) -> (Vec<Game>, Vec<String>) {
    let input = Box::new(Cursor::new(text.to_vec()));
    let blocks = PgnBlocks::with_block_size(input, &OpenOptions::default(), block_size).unwrap();
    let mut stream = PgnStream::new(blocks);
    let mut games = Vec::new();
    let mut problems = Vec::new();
    let mut recorder = Recorder::new();
    while let Some(flow) = stream.next(want, &mut recorder).unwrap() {
        assert_eq!(flow, Flow::Go);
        problems.extend(recorder.take_problems().iter().map(|p| p.error.to_string()));
        games.push(recorder.replace(Game::new()));
    }
    problems.extend(recorder.take_problems().iter().map(|p| p.error.to_string()));
    (games, problems)
}

/// The text of games in a profile, and the losses.
pub(super) fn write(games: &[Game], profile: Profile) -> (String, Losses) {
    let mut options = CreateOptions::default();
    options.profile = profile;
    let mut writer = Writer::new(&options);
    for (i, game) in (0..).zip(games) {
        assert_eq!(game.replay(GameIndex(i), Want::ALL, &mut writer), Flow::Go);
    }
    let losses = writer.take_losses();
    (
        String::from_utf8(std::mem::take(writer.text())).unwrap(),
        losses,
    )
}

/// The movetext of a game after reading and writing it without problems and losses.
fn movetext(text: &str) -> String {
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0], "{text}");
    let (written, losses) = write(&games, Profile::Standard);
    assert!(losses.is_empty(), "{losses}");
    let (_, moves) = written.split_once("\n\n").unwrap();
    moves.trim_end().to_owned()
}

#[test]
fn notations_of_real_files_are_standardized() {
    for (text, expect) in [
        ("1. e4 e5 2. Nf3 Nc6 1-0", "1. e4 e5 2. Nf3 Nc6 1-0"),
        ("1.e4! e5?! 2 Nf3$14 *", "1. e4 $1 e5 $6 2. Nf3 $14 *"),
        ("1. e4 {a} {b} e5 *", "1. e4 {a} {b} 1... e5 *"),
        (
            "{start} 1. e4 (1. d4 d5) 1... e5 *",
            "{start} 1. e4 (1. d4 d5) 1... e5 *",
        ),
        (
            "1. e4 e5 ({why} 1... c5 {b}) *",
            "1. e4 e5 ({why} 1... c5 {b}) *",
        ),
        (
            "1. e4 1... {x} e5 2. {y} Nf3 *",
            "1. e4 1... {x} e5 2. {y} Nf3 *",
        ),
        (
            "1. e4 {[%csl Ge4]text[%clk 0:1:2]} *",
            "1. e4 {[%clk 0:01:02] [%csl Ge4] text} *",
        ),
        (
            "1. -- Z0 2. e4\u{b1} =\u{221e} N *",
            "1. -- -- 2. e4 $16 $44 $146 *",
        ),
        (
            "1. e4 ; to the end\n% escape\ne5 \u{bd}-\u{bd}",
            "1. e4 {to the end} 1... e5 1/2-1/2",
        ),
    ] {
        assert_eq!(movetext(text), expect, "{text}");
    }
}

#[test]
fn full_round_trips_every_game() {
    for seed in 0..1500 {
        let game = arbitrary_game(seed);
        let (text, losses) = write(std::slice::from_ref(&game), Profile::Full);
        assert!(losses.is_empty(), "seed {seed}: {losses}");
        let (games, problems) = read(text.as_bytes(), 1 << 20);
        assert_eq!(problems, [""; 0], "seed {seed}:\n{text}");
        assert_eq!(games.len(), 1, "seed {seed}:\n{text}");
        if games[0] != game {
            let found: Vec<_> = games[0].events().collect();
            let expect: Vec<_> = game.events().collect();
            for (i, (found, expect)) in found.iter().zip(&expect).enumerate() {
                assert_eq!(found, expect, "seed {seed}, event {i}:\n{text}");
            }
            assert_eq!(games[0].head, game.head, "seed {seed}:\n{text}");
            assert_eq!(games[0].result, game.result, "seed {seed}:\n{text}");
            panic!(
                "seed {seed}: {} events, not {}\n{text}",
                found.len(),
                expect.len()
            );
        }
    }
}

/// Whether all names of tags can be written in every profile, and no text contains a command.
fn is_representable(game: &Game) -> bool {
    let tags =
        game.head.tags.iter().all(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    tags && game.events().all(|event| match event {
        Event::Annotation(Annotation::Comment(comment)) => {
            !comment.text.contains('[') && !comment.text.contains('%')
        }
        _ => true,
    })
}

#[test]
fn writing_a_second_time_changes_nothing() {
    for (profile, name) in Profile::ALL {
        let mut checked = 0;
        for seed in 0..600 {
            let game = arbitrary_game(seed);
            if !is_representable(&game) {
                continue;
            }
            let (text, _) = write(std::slice::from_ref(&game), profile);
            let (games, problems) = read(text.as_bytes(), 1 << 20);
            assert_eq!(problems, [""; 0], "{name}, seed {seed}:\n{text}");
            let (again, losses) = write(&games, profile);
            assert!(losses.is_empty(), "{name}, seed {seed}: {losses}\n{text}");
            assert_eq!(again, text, "{name}, seed {seed}");
            checked += 1;
        }
        assert!(checked > 50, "{name}: {checked}");
    }
}

/// Whether a game has variations with moves; those without are written only in profile `full`.
fn has_variation_moves(game: &Game) -> bool {
    let mut begins = false;
    game.events().any(|event| {
        let is_move = matches!(event, Event::Move(_)) && begins;
        begins = match event {
            Event::BeginVariation => true,
            Event::Annotation(_) => begins,
            _ => false,
        };
        is_move
    })
}

#[test]
fn moves_and_losses_are_as_predicted() {
    for (profile, name) in Profile::ALL {
        for seed in 0..300 {
            let game = arbitrary_game(seed);
            let (projected, predicted) = project(features(profile), &game);
            let (text, losses) = write(std::slice::from_ref(&game), profile);
            // ChessBase has a marker for this result alone.
            let both_lose = profile == Profile::ChessBase && game.result == GameResult::BothLose;
            for (feature, loss) in predicted.iter() {
                let is_kept = both_lose && feature == Feature::SpecialResults;
                if game.head.kind == RecordKind::Game && !is_kept {
                    assert!(
                        losses.count(feature) >= loss.count,
                        "{name}, seed {seed}: {losses}, not {predicted}"
                    );
                }
            }
            let (games, _) = read(text.as_bytes(), 1 << 20);
            if let Some(game) = games.first() {
                assert!(
                    game.mainline().eq(projected.mainline()),
                    "{name}, seed {seed}"
                );
                assert_eq!(
                    has_variation_moves(game),
                    has_variation_moves(&projected),
                    "{name}, seed {seed}"
                );
                let result = if both_lose {
                    GameResult::BothLose
                } else {
                    projected.result
                };
                assert_eq!(game.result, result, "{name}, seed {seed}");
            }
        }
    }
}

/// A file with many kinds of errors.
fn dirty() -> String {
    let mut text = String::from("\u{feff}From: someone\n\n");
    for seed in 0..12 {
        let game = arbitrary_game(seed);
        text += &write(std::slice::from_ref(&game), Profile::Full).0;
        text += match seed % 6 {
            0 => "[Event \"a\"]\n\n1. e4 {never closed\n\n",
            1 => "1. d4 d5 (1... Nf6 2. c4 1-0\n\n[White \"no event\"]\n\n1. Qxe5 e5 {x} 0-1\n",
            2 => "\n\n[White \"x\"]\n\n\n1. e4 e5) 2. Nf3 1/2-1/2 {after}\ngarbage here\n",
            3 => "1. e4 1-0\r\n1. d4 0-1\r\n\r\n",
            4 => "\r\r[Event \"cr\"]\r\r1. e4 $999 e5\r",
            _ => "[Event \"open\n[Site \"x]\n\n1. c4 ((1. d4) 0-0\n\n",
        };
    }
    text
}

#[test]
fn block_size_does_not_change_games_and_problems() {
    let text = dirty();
    let expected = read(text.as_bytes(), 1 << 24);
    assert!(expected.0.len() > 20, "{}", expected.0.len());
    assert!(expected.1.len() > 8, "{:?}", expected.1);
    for block_size in [16, 17, 100, 333, 1000, 4096, 20_000] {
        let found = read(text.as_bytes(), block_size);
        assert_eq!(found.1, expected.1, "block size {block_size}");
        assert_eq!(found.0.len(), expected.0.len(), "block size {block_size}");
        assert!(found.0 == expected.0, "block size {block_size}");
    }
}

#[test]
fn games_before_a_cut_are_unchanged() {
    let text = dirty();
    let complete = read(text.as_bytes(), 1 << 24).0;
    let cut = text.len().min(6000);
    for end in (0..cut).step_by(7) {
        let Some(part) = text.as_bytes().get(..end) else {
            break;
        };
        let (games, _) = read(part, 1 << 24);
        let same = games
            .iter()
            .zip(&complete)
            .take_while(|(a, b)| a == b)
            .count();
        assert!(same + 1 >= games.len(), "cut at {end}");
    }
}

#[test]
fn heads_and_results_do_not_depend_on_want() {
    let text = dirty();
    let read_heads = |want: Want| {
        let input = Box::new(Cursor::new(text.clone().into_bytes()));
        let blocks = PgnBlocks::open(input, &OpenOptions::default()).unwrap();
        let mut stream = PgnStream::new(blocks);
        let mut recorder = Recorder::new();
        let mut found = Vec::new();
        while stream.next(want, &mut recorder).unwrap().is_some() {
            let game = recorder.replace(Game::new());
            found.push((game.head.clone(), game.result));
        }
        found
    };
    let all = read_heads(Want::ALL);
    assert_eq!(read_heads(Want::TAGS).len(), all.len());
    assert_eq!(read_heads(Want::TAGS.and(Want::MAINLINE)), all);
}

#[test]
fn variations_nest_deeply() {
    let depth = 50_000;
    let mut text = String::from("1. e4 ");
    for _ in 0..depth {
        text += "(1. d4 ";
    }
    text += &")".repeat(depth);
    text += " e5 *\n";
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0]);
    assert_eq!(games[0].ply_count(), 2);
    let (written, _) = write(&games, Profile::Standard);
    let again = read(written.as_bytes(), 1 << 20).0;
    assert!(again[0].events().eq(games[0].events()));
}

/// Texts of pieces of PGN, regular and not: where each game begins and ends does not depend on what is read
/// of the games before it, and the file's index has the same games.
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the environment is an option of the test"
)]
fn random_texts_have_the_same_games_however_they_are_read() {
    const PIECES: [&str; 88] = [
        " ",
        " ",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\n\n",
        "\t",
        "1-0",
        "0-1",
        "1/2-1/2",
        "*",
        " 1-0\n\n",
        " *\n\n",
        "0-0",
        " 0-0 ",
        "0-0-0",
        "+--",
        "--+",
        "0.5-0.5",
        "1:0",
        "\u{bd}-\u{bd}",
        "-:+",
        "1.",
        "1. e4 ",
        "1. e4 e5 ",
        "2 Nf3 ",
        "1. d4 d5 0-1\n\n",
        "e4",
        "Nf3 ",
        "Qxe9 ",
        "Sf3 ",
        "e4! ",
        "$1 ",
        "$",
        "$999",
        "?!",
        "(",
        ")",
        "(1. d4)",
        "(=)",
        "( ",
        " )",
        "{",
        "}",
        "{a}",
        "{1-0}",
        "{[White \"x\"]}",
        "; c",
        ";",
        "%",
        "\n% 1-0",
        "[",
        "]",
        "[\0\0",
        "\0",
        "[0-1]",
        "[x 1-0",
        "0-1\"]",
        "[Event \"a\"]\n",
        "\n\n[Event \"b\"]\n",
        "[White \"c\"]\n",
        "[Whi\0te \"c\"]\n",
        "[White \"\0\"]\n",
        "[\0White \"d\"]\n",
        "[White \0\"d\"]\n",
        "[White \"d\0]\n",
        "[Result \"1-0\"]\n",
        "[White x]\n",
        "[ \"x\"]",
        "[Result \"0-1]\n",
        "White: x\n",
        "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n",
        "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n",
        "\"",
        "\\",
        ",",
        ".",
        "...",
        "e.p.",
        "\u{2026}",
        "\u{a0}",
        "\u{feff}",
        "e8(Q)",
        "Nd2 ",
        "N ",
        "+-",
        "[Variant \"Atomic\"]\n",
    ];
    let count = std::env::var("TABIA_RANDOM_TEXTS").map_or(4_000, |text| text.parse().unwrap());
    let mut random = tabia_testkit::Random::new(0x9a3e);
    let mut failed = Vec::new();
    for number in 0..count {
        let mut text = String::new();
        for _ in 0..random.below(if number % 4 == 0 { 60 } else { 16 }) {
            text += random.pick(&PIECES);
        }
        let read = || tabia_testkit::fuzz::run("pgn_read", text.as_bytes());
        if std::panic::catch_unwind(read).is_err() {
            failed.push(text);
        }
    }
    failed.sort_by_key(String::len);
    failed.truncate(8);
    assert_eq!(failed, [""; 0]);
}
