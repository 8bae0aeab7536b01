//! Terms about positions and moves, steps and groups, on played games.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use tabia_core::GameIndex;
use tabia_core::chess::Position;
use tabia_core::game::{Game, GameHead, GameResult, Visitor};
use tabia_query::{Matcher, Query};

fn game(moves: &str) -> Game {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
    let mut position = Position::standard();
    for san in moves.split(' ') {
        let ply = position.parse_san(san).unwrap();
        recorder.push_move(ply);
        position.play_ply(ply);
    }
    recorder.end_game(GameResult::WhiteWins);
    game.head.tags.push("White", "Greco, Gioachino");
    game
}

/// The plies of the moments, or `None` if the game does not fit.
fn plies(query: &str, game: &Game) -> Option<Vec<u32>> {
    let query = Query::parse(query).unwrap();
    let mut matcher = Matcher::new(&query).with_moments();
    let fits = matcher.matches(GameIndex(0), game);
    assert_eq!(
        Matcher::new(&query).matches(GameIndex(0), game),
        fits,
        "{query}"
    );
    fits.then(|| matcher.moments().iter().map(|moment| moment.ply).collect())
}

#[test]
fn moments_steps_and_groups() {
    let game = game(
        "e4 e6 d4 Nf6 Nc3 d5 e5 Nfd7 Bd3 Be7 Nf3 O-O Bxh7+ Kxh7 Ng5+ Kg8 Qh5 Bxg5 Bxg5 Qxg5 Qxg5",
    );
    for (query, expected) in [
        ("move:Bxh7+", Some(vec![12])),
        ("move:Bh7 stm:white", Some(vec![12])),
        ("move:Bxh7+ stm:black", None),
        ("greco move:Bxh7+", Some(vec![12])),
        ("tal move:Bxh7+", None),
        (
            "move:Bxh7+ => move:Kxh7 -> within:6 move:Ng5",
            Some(vec![12, 13, 14]),
        ),
        ("move:Bxh7+ => move:Ng5", None),
        ("move:Ng5 -> move:Bxh7+", None),
        ("move:Bxh7+ -> within:2 move:Qh5", None),
        ("move:castling -> takes:Q", Some(vec![11, 20])),
        ("(move:Bxg6 OR move:Bxh7+) => moved:K", Some(vec![12, 13])),
        ("pawns:frenchchain (move:Qh5)", Some(vec![7])),
        ("pawns:frenchchain move:e4", None),
        ("-(move:Qh5)", None),
        ("-(move:Qh4)", Some(vec![])),
        ("move:Nc3 OR move:d4", Some(vec![2])),
        ("pawns:frenchchain for:15", Some(vec![7])),
        ("pawns:frenchchain for:16", None),
        ("ply:21 count:Q=1", Some(vec![21])),
        ("ply:22", None),
        ("is:check", Some(vec![13])),
        (
            "fen:rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            Some(vec![0]),
        ),
        ("mat:KK", None),
        ("pos:\"1.d4 e6 2.e4\"", Some(vec![3])),
        ("-stm:white -move:e6", Some(vec![3])),
        ("result:0-1 move:e4", None),
        ("moves:>9 move:e4", Some(vec![0])),
        ("balance:>=4", Some(vec![21])),
    ] {
        assert_eq!(plies(query, &game), expected, "{query}");
    }
}

#[test]
fn a_step_needs_a_moment_on_both_sides() {
    for (text, column) in [
        ("-> move:e4", 1),
        ("move:e4 ->", 9),
        ("white:x -> move:e4", 9),
        ("move:e4 => OR x", 9),
        ("(move:e4 -> ) move:e5", 10),
        ("move:e4 -> -> move:e5", 9),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
    }
    for text in [
        "for:x",
        "for:0",
        "within:1,2",
        "mat:KR",
        "fen:9/8",
        "is:check,deleted",
    ] {
        assert!(Query::parse(text).is_err(), "{text}");
    }
}
