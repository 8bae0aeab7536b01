//! Generated queries find the same games and moments with a saved index as without.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tabia::base::{Base, SearchOptions};
use tabia::core::chess::FenStyle;
use tabia::core::game::{Game, GameResult};
use tabia::list::{ListOptions, list};
use tabia::{GameIndex, Index, NoObserver, Position, Query, Resolver};
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

/// Queries about moments, which an index answers from the moves that it holds.
const MOMENTS: [&str; 14] = [
    "count:Q=1 count:q=1",
    "count:Qq=0",
    "imb:MvR flip:color",
    "imb:Pv stm:white",
    "balance:>=4",
    "bishops:same for:3",
    "pawns:doubled",
    "is:check -> takes:Q",
    "takes:P => takes:P -> within:4 is:check",
    "on:Nf3 on:nc6 -on:Pe4",
    "-(is:check) ply:10",
    "(is:check OR takes:R) (count:q=0)",
    "repeats:2",
    "sac:>=3",
];

/// The number of games found, by counting alone, and their numbers.
fn counted(path: &Path, query: &Query, index: Index, threads: usize) -> (u64, Vec<GameIndex>) {
    let mut options = ListOptions::default();
    options.filter = query.clone();
    options.index = index;
    options.threads = threads;
    options.selection.texts = false;
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let mut count = |numbers_only: bool| {
        options.count_only = !numbers_only;
        options.numbers_only = numbers_only;
        let mut games = Vec::new();
        let rows = list(
            &items[0],
            &options,
            &|row, out: &mut Vec<GameIndex>| out.push(row.game),
            &Arc::default(),
            &mut NoObserver,
            &mut |rows| {
                games.append(rows);
                Ok(())
            },
        );
        (rows.unwrap().1, games)
    };
    let (rows, none) = count(false);
    assert_eq!(none, []);
    let (same, games) = count(true);
    assert_eq!((same, games.len() as u64), (rows, rows));
    (rows, games)
}

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
    match random.below(9) {
        7 => random.pick(&MOMENTS).to_owned(),
        8 => format!("{} {other}", random.pick(&MOMENTS)),
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
    // The index of a Scid database leaves out games that cannot have had a position.
    let fens = positions.iter().map(|fen| format!("fen:{fen}"));
    let flipped = positions.iter().map(|fen| format!("fen:{fen} flip:color"));
    let material = [
        "mat:KQ?R*B*N*P*KR*B*N*P*",
        "mat:KQRRBBNNPPPPPPPPKQRRBBNNP+",
        "mat:KK",
    ];
    let material = material.into_iter().map(str::to_owned);
    for text in fens.chain(flipped).chain(material) {
        let query = Query::parse(&text).unwrap();
        let [text_games, scid_games] = [0, 1].map(|path| found(&paths[path], &query, Index::Never));
        assert_eq!(text_games, scid_games, "{text}");
    }
    let mut fitting = 0;
    for number in 0..1000 {
        let text = query(random, &positions);
        let query = Query::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let path = &paths[number % paths.len()];
        let expected = found(path, &query, Index::Never);
        assert_eq!(found(path, &query, Index::Require), expected, "{text}");
        let numbers: Vec<GameIndex> = expected.iter().map(|(game, _)| *game).collect();
        let (count, games) = counted(path, &query, Index::Require, 1 + number % 2);
        assert_eq!((count, games), (numbers.len() as u64, numbers), "{text}");
        fitting += u32::from(!expected.is_empty());
    }
    assert!(fitting > 300, "{fitting}");
}
