//! Generated queries find the same games and moments with a saved index as without.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use tabia::base::{Base, SearchOptions};
use tabia::core::chess::FenStyle;
use tabia::core::game::{Game, GameResult};
use tabia::{GameIndex, Index, Position, Query};
use tabia_testkit::generated_query::generated_query;
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Random, Scratch};

/// How the games begin: with the lines that generated queries ask for, and some that transpose.
const BEGINNINGS: [&str; 5] = [
    "d4 d5 c4 e6",
    "e4 c5 Nf3 d6",
    "d4 Nf6 c4 d5",
    "c4 e6 d4 d5",
    "",
];

/// A game, and some of its positions as values of `fen:`.
fn game(random: &mut Random, positions: &mut Vec<String>) -> Game {
    let beginning = random.pick(&BEGINNINGS);
    let mut builder = GameBuilder::new().moves(beginning);
    let mut position = Position::standard();
    for san in beginning.split_whitespace() {
        position.play_ply(position.parse_san(san).unwrap());
    }
    for _ in 0..random.below(50) {
        let mut moves: Vec<_> = position.legal_moves().to_vec();
        if moves.is_empty() {
            break;
        }
        moves.sort_unstable();
        let choices = moves.len().min(if random.below(4) == 0 { 40 } else { 3 });
        let m = moves[random.below(choices)];
        builder = builder.moves(&position.san(m).to_string());
        position.play(m);
        if random.below(12) == 0 {
            let fen = position.to_setup().fen(FenStyle::XFen);
            let fields: Vec<&str> = fen.split(' ').take(3).collect();
            positions.push(fields.join("_"));
        }
    }
    let players = ["Tal, Mikhail", "Carlsen, Magnus", "So, Wesley"];
    builder
        .tag("White", random.pick(&players))
        .tag("WhiteElo", &(1900 + random.below(900)).to_string())
        .tag("BlackElo", &(1900 + random.below(900)).to_string())
        .tag("Date", &format!("{}.01.01", 1900 + random.below(125)))
        .result(random.pick(&[GameResult::WhiteWins, GameResult::Draw]))
}

/// A generated query, most often with a position that some games have.
fn query(random: &mut Random, positions: &[String]) -> String {
    let other = generated_query(random);
    let fen = format!("fen:{}", positions[random.below(positions.len())]);
    match random.below(7) {
        0 => other,
        1 => format!("{fen} ({other})"),
        2 => format!("{fen} OR {other}"),
        3 => format!("({fen}) elo:>=2000 (is:check OR takes:P)"),
        4 => format!("pos:\"1.d4 d5 2.c4\" -> {fen}"),
        5 => format!("-({fen}) pos:\"1.e4 c5\",\"1.d4 d5 2.c4\""),
        _ => format!("{fen} -date:1950..1980 -> within:9 move:capture"),
    }
}

/// The numbers of the games found, with the plies of their moments.
fn found(path: &Path, query: &Query, index: Index) -> Vec<(GameIndex, Vec<u32>)> {
    let base = Base::open(&[path], index).unwrap();
    let hits = base.search(query, &SearchOptions::default());
    let hits = hits.map(|hit| {
        let hit = hit.unwrap();
        let plies = hit.moments.iter().map(|moment| moment.ply);
        (hit.game, plies.collect())
    });
    hits.collect()
}

#[test]
fn a_thousand_generated_queries_find_the_same_with_an_index() {
    let folder = Scratch::new("generated-queries");
    let random = &mut Random::new(63);
    let (mut games, mut positions) = (Vec::new(), Vec::new());
    for _ in 0..48 {
        games.push(game(random, &mut positions));
    }
    // Equal games, and one from another position.
    games.push(games[3].clone());
    let castle = GameBuilder::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    games.push(castle.moves("O-O O-O-O").result(GameResult::Draw));
    positions.push("r3k2r/8/8/8/8/8/8/R4RK1_b_kq".to_owned());
    let paths = ["g.pgn", "g.si4"].map(|name| folder.join(name));
    for path in &paths {
        let mut writer = tabia::create(path).unwrap();
        for game in &games {
            writer.write(game).unwrap();
        }
        writer.finish().unwrap();
    }
    let mut fitting = 0;
    for number in 0..1000 {
        let text = query(random, &positions);
        let query = Query::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let path = &paths[number % paths.len()];
        let expected = found(path, &query, Index::Never);
        assert_eq!(found(path, &query, Index::Require), expected, "{text}");
        fitting += u32::from(!expected.is_empty());
    }
    assert!(fitting > 300, "{fitting}");
}
