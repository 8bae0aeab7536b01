//! A search reports what it could not read, and a hit leads to its game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use tabia::base::SearchOptions;
use tabia::{Base, GameIndex, Index, Query};
use tabia_testkit::Scratch;

const GAMES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n1. d4 d5 2. c4 e6 *\n\n";

/// The games found, and what could not be read.
fn search(path: &Path, query: &str) -> (Vec<GameIndex>, Vec<String>) {
    let base = Base::open(&[path], Index::Never).unwrap();
    let query = Query::parse(query).unwrap();
    let mut hits = base.search(&query, &SearchOptions::default());
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for hit in hits.by_ref() {
        match hit {
            Ok(hit) => games.push(hit.game),
            Err(error) => errors.push(error.to_string()),
        }
    }
    let problems = hits.problems().into_iter();
    errors.extend(problems.map(|problem| problem.error.to_string()));
    (games, errors)
}

/// What reading all games reports.
fn read(path: &Path) -> Vec<String> {
    let mut games = tabia::open(path).unwrap().games();
    let mut errors: Vec<String> = games
        .by_ref()
        .filter_map(|game| Some(game.err()?.to_string()))
        .collect();
    let problems = games.problems().into_iter();
    errors.extend(problems.map(|problem| problem.error.to_string()));
    errors
}

#[test]
fn moves_that_cannot_be_read_are_reported() {
    for (extension, moves) in [("si4", "sg4"), ("si5", "sg5"), ("cbh", "cbg")] {
        let folder = Scratch::new(&format!("search-problems-{extension}"));
        let pgn = folder.join("g.pgn");
        std::fs::write(&pgn, GAMES).unwrap();
        let path = folder.join(format!("g.{extension}"));
        tabia::convert(&pgn, &path).unwrap();
        assert_eq!(search(&path, "-takes:Q ply:0 is:check").1, [""; 0]);
        let moves = folder.join(format!("g.{moves}"));
        let whole = std::fs::read(&moves).unwrap();
        let mut reported = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            std::fs::write(&moves, &bytes).unwrap();
            let errors = read(&path);
            if errors.is_empty() {
                continue;
            }
            reported += 1;
            // No position fits, so that each game is read to its end.
            let (games, found) = search(&path, "takes:K");
            assert_eq!(games, []);
            assert_eq!(found, errors, "{extension}: {at}");
        }
        assert!(reported > 4, "{extension}: {reported}");
    }
}

#[test]
fn only_games_that_the_damage_may_have_excluded_are_reported() {
    let folder = Scratch::new("search-problems-excluded");
    let pgn = folder.join("g.pgn");
    let games = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"B\"]\n\n1. d4 d5 *\n\n";
    std::fs::write(&pgn, games).unwrap();
    for (query, found, problems) in [
        // The tags exclude it, or moves before the illegal one.
        ("white:B", vec![1], 0),
        ("plies:1", vec![], 0),
        ("line:\"1.d4\"", vec![1], 0),
        // It fits whatever comes later; what is lost of it is reported all the same.
        ("move:e5", vec![0], 1),
        ("plies:>=3", vec![], 1),
        ("plies:2", vec![0, 1], 1),
    ] {
        let (hits, errors) = search(&pgn, query);
        let hits: Vec<u32> = hits.into_iter().map(|game| game.0).collect();
        assert_eq!(
            (hits, errors.len()),
            (found, problems),
            "{query} {errors:?}"
        );
    }
}

#[test]
fn a_hit_leads_to_its_game() {
    let folder = Scratch::new("search-problems-load");
    let pgn = folder.join("g.pgn");
    std::fs::write(
        &pgn,
        "1. d4 d5 *\n\n1. e4 {a} e5 2. Nf3 (2. Nc3) 2... Nc6 3. Ke3 *\n\n",
    )
    .unwrap();
    let base = Base::open(&[&pgn], Index::Never).unwrap();
    let query = Query::parse("move:e4").unwrap();
    let hits: Vec<_> = base.search(&query, &SearchOptions::default()).collect();
    let [Ok(hit)] = hits.as_slice() else {
        panic!("{hits:?}");
    };
    let (game, problems) = hit.load().unwrap();
    assert_eq!(
        (hit.game, game.ply_count(), problems.len()),
        (GameIndex(1), 4, 1)
    );
    assert!(tabia::pgn_of_game(&game).unwrap().contains("{a}"));
    let same = base.game(hit.database, hit.game).unwrap();
    assert_eq!(same.unwrap().0, game);
    // A file that has become shorter.
    std::fs::write(&pgn, "1. d4 d5 *\n\n").unwrap();
    let error = hit.load().unwrap_err();
    assert!(error.to_string().contains("no longer there"), "{error}");
}
