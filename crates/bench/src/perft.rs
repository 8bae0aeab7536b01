//! Counts of move sequences to depth 5 to 7, compared with those of shakmaty, and their times.

use std::time::Instant;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use tabia_core::chess::{Position, Setup};

/// The FENs and depths of the positions.
const POSITIONS: [(&str, u32); 12] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        6,
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        6,
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        5,
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        5,
    ),
    (
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        6,
    ),
    (
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        6,
    ),
    (
        "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
        6,
    ),
    (
        "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        6,
    ),
    (
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        5,
    ),
    ("8/8/8/8/k2pP2R/8/8/3K4 b - e3 0 1", 6),
];

/// Counts the move sequences of each position. The first argument is subtracted from all depths.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let lower: u32 = match arguments.first() {
        Some(text) => text.parse().map_err(|_| format!("{text}: not a number"))?,
        None => 0,
    };
    for (fen, depth) in POSITIONS {
        let depth = depth.saturating_sub(lower).max(1);
        let setup = Setup::parse_fen(fen.as_bytes()).map_err(|error| error.to_string())?;
        let ours = Position::from_setup(&setup).map_err(|error| error.to_string())?;
        let theirs: Chess = Fen::from_ascii(fen.as_bytes())
            .map_err(|error| error.to_string())?
            .into_position(CastlingMode::Chess960)
            .map_err(|error| error.to_string())?;
        let start = Instant::now();
        let count = perft(&ours, depth);
        let our_time = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let expected = shakmaty::perft(&theirs, depth);
        let their_time = start.elapsed().as_secs_f64();
        println!("{count:12} depth {depth} {our_time:6.2} s, shakmaty {their_time:6.2} s  {fen}");
        if count != expected {
            return Err(format!("shakmaty counts {expected}"));
        }
    }
    Ok(())
}

fn perft(position: &Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth <= 1 {
        return moves.len() as u64;
    }
    moves
        .iter()
        .map(|&m| {
            let mut next = position.clone();
            next.play(m);
            perft(&next, depth - 1)
        })
        .sum()
}
