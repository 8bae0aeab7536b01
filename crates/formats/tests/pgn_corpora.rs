//! Real PGN files: every game is read, and round-trips.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::io::{Cursor, Read as _};
use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Flow, Game, Recorder, Want};
use tabia_formats::games::pgn::FORMAT;
use tabia_testkit::shared_data;

/// The games of a text, and the messages of its problems.
fn read(text: Vec<u8>) -> (Vec<Game>, Vec<String>) {
    let open = FORMAT.open_stream.unwrap();
    let mut stream = open(Box::new(Cursor::new(text)), &OpenOptions::default()).unwrap();
    let mut recorder = Recorder::new();
    let mut games = Vec::new();
    while stream.next(Want::ALL, &mut recorder).unwrap().is_some() {
        games.push(recorder.replace(Game::new()));
    }
    let problems = recorder.take_problems();
    let problems = problems.iter().map(|p| p.error.to_string()).collect();
    (games, problems)
}

/// The text of games in a profile, and the losses.
fn write(games: &[Game], profile: Profile) -> (Vec<u8>, String) {
    let mut options = CreateOptions::default();
    options.profile = profile;
    let mut writer = FORMAT.create_text.unwrap()(&options).unwrap();
    for (i, game) in (0..).zip(games) {
        assert_eq!(game.replay(GameIndex(i), Want::ALL, &mut *writer), Flow::Go);
    }
    let losses = writer.take_losses().to_string();
    (std::mem::take(writer.text()), losses)
}

/// The bytes of a file, decompressed.
fn bytes(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "zst") {
        let mut text = Vec::new();
        let found = tabia_formats::archives::compressed::decompress(Box::new(Cursor::new(bytes)));
        found.unwrap().0.read_to_end(&mut text).unwrap();
        return text;
    }
    bytes
}

#[test]
fn every_game_round_trips() {
    let name = "every_game_round_trips";
    for (path, count, problems) in [
        ("pgn/annotated/europe_echecs.pgn", 307, 2),
        ("pgn/annotated/middleg.pgn", 481, 0),
        ("pgn/annotated/newyork1924.pgn", 110, 0),
        ("pgn/annotated/perle.pgn", 194, 1),
        ("pgn/annotated/scarborough_2001.pgn", 385, 0),
        ("pgn/chess960/cutechess-fischerrandom.pgn", 4, 0),
        ("pgn/engine/Obsidian.pgn", 1679, 0),
        ("pgn/lichess/kdave-lichess.pgn", 999, 0),
        ("pgn/lichess/lichess_broadcast.pgn", 504, 0),
        ("pgn/lichess/lichess_magnus.pgn", 989, 5),
        // A byte that windows-1252 has no character for.
        ("pgn/misc/BDG2.PGN", 3768, 1),
        ("pgn/misc/dortmund.pgn", 347, 0),
        ("pgn/misc/world_matches.pgn", 580, 0),
        ("pgn/m10k.pgn.zst", 10_000, 0),
    ] {
        let Some(file) = shared_data(name, path) else {
            return;
        };
        let text = bytes(&file);
        let (games, found) = read(text);
        assert_eq!(games.len(), count, "{path}");
        assert_eq!(found.len(), problems, "{path}: {found:#?}");
        let (full, losses) = write(&games, Profile::Full);
        assert_eq!(losses, "", "{path}");
        let (back, found) = read(full);
        assert_eq!(found, [""; 0], "{path}");
        for (i, (back, game)) in back.iter().zip(&games).enumerate() {
            assert!(back == game, "{path}, game {i}");
        }
        assert_eq!(back.len(), games.len(), "{path}");
        let (standard, losses) = write(&games, Profile::Standard);
        let (back, found) = read(standard.clone());
        // Moves of other variants are written as they are.
        let others: Vec<&String> = found
            .iter()
            .filter(|problem| !problem.ends_with("are not played here"))
            .collect();
        assert_eq!(others, [""; 0], "{path}");
        for (i, (back, game)) in back.iter().zip(&games).enumerate() {
            assert!(back.mainline().eq(game.mainline()), "{path}, game {i}");
            assert_eq!(back.result, game.result, "{path}, game {i}");
            if losses.is_empty() {
                assert_eq!(
                    back.events().count(),
                    game.events().count(),
                    "{path}, game {i}"
                );
            }
        }
        assert_eq!(back.len(), games.len(), "{path}");
        assert!(write(&back, Profile::Standard).0 == standard, "{path}");
    }
}
