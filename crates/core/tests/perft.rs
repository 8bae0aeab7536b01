//! Numbers of move sequences (perft), which any mistake in the rules changes.
//!
//! Known from: the positions and counts that move generators are commonly tested with.
//! `cargo run --release -p tabia-bench -- perft` goes deeper and compares with another implementation.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use tabia_core::chess::{Position, Setup};

fn perft(position: &Position, depth: usize) -> u64 {
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

fn check(fen: &str, counts: &[u64]) {
    let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
    let position = Position::from_setup(&setup).unwrap();
    for (depth, &count) in (1..).zip(counts) {
        assert_eq!(perft(&position, depth), count, "{fen} depth {depth}");
    }
}

#[test]
fn standard_start() {
    check(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8902, 197_281, 4_865_609, 119_060_324],
    );
}

#[test]
fn castling_pins_and_captures() {
    check(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2039, 97862, 4_085_603, 193_690_690],
    );
    check(
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2079, 89890, 3_894_594],
    );
}

#[test]
fn en_passant_that_opens_a_line() {
    check(
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[14, 191, 2812, 43238, 674_624, 11_030_083],
    );
}

#[test]
fn promotions() {
    check(
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9467, 422_333, 15_833_292],
    );
    check(
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1486, 62379, 2_103_487, 89_941_194],
    );
}

#[test]
fn chess960() {
    check(
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        &[21, 528, 12189, 326_672, 8_146_062],
    );
    check(
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        &[21, 807, 18002, 667_366, 16_253_601],
    );
    check(
        "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
        &[20, 479, 10471, 273_318, 6_417_013],
    );
    check(
        "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        &[22, 593, 13440, 382_958, 9_183_776],
    );
    check(
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        &[28, 1120, 31058, 1_171_749, 34_030_312],
    );
}
