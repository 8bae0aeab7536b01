//! The forms in which real files write moves, and forms that must be refused.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use tabia_core::chess::san::{self, SanError};
use tabia_core::chess::{Move, Ply, Position, Role, Setup, Square, uci};

fn position(fen: &str) -> Position {
    Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
}

fn read(position: &Position, text: &str) -> Result<Ply, SanError> {
    san::read(position, text.as_bytes())
}

fn written(position: &Position, ply: Ply) -> String {
    let mut out = b"1. ".to_vec();
    san::write(position, ply, &mut out);
    let mut played = position.clone();
    let mut again = b"1. ".to_vec();
    san::write_and_play(&mut played, ply, &mut again);
    assert_eq!(out, again);
    String::from_utf8(out.split_off(3)).unwrap()
}

/// Asserts that all texts name the move whose SAN is the first text.
fn assert_same_move(position: &Position, texts: &[&str]) {
    let ply = read(position, texts[0]).unwrap();
    assert_eq!(written(position, ply), texts[0]);
    for text in texts {
        assert_eq!(read(position, text), Ok(ply), "{text}");
    }
}

const OPEN: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8";

#[test]
fn castling() {
    let open = position(OPEN);
    assert_same_move(
        &open,
        &[
            "O-O", "0-0", "o-o", "OO", "00", "O-O!", "0-0+", "e1g1", "Ke1g1", "Ke1-g1", "e1h1",
        ],
    );
    assert_same_move(
        &open,
        &[
            "O-O-O",
            "0-0-0",
            "o-o-o",
            "OOO",
            "O-O-O?!",
            "e1c1",
            "O\u{2013}O\u{2013}O",
        ],
    );
    let moved = position("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1");
    for text in ["O-O", "O-O-O", "e1g1", "e1h1"] {
        assert_eq!(read(&moved, text), Err(SanError::Illegal), "{text}");
    }
    let frc = position("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1");
    assert_same_move(&frc, &["O-O", "f1g1"]);
    assert_same_move(&frc, &["Kf2", "f1f2"]);
}

#[test]
fn pieces() {
    let open = position(OPEN);
    assert_same_move(
        &open,
        &[
            "Nd5",
            "nd5",
            "Nc3d5",
            "Nc3-d5",
            "Ncd5",
            "N3d5",
            "c3d5",
            "Nd5!?",
            "\u{2658}d5",
            "\u{265e}d5",
        ],
    );
    assert_same_move(
        &open,
        &[
            "Bxc5",
            "Bc5",
            "B:c5",
            "Be3xc5",
            "bxc5",
            "bc5",
            "Bec5",
            "B\u{d7}c5",
        ],
    );
    assert_same_move(&open, &["Bxe6", "bxe6", "be6"]);
    assert_same_move(&open, &["Rb1", "rb1", "Ra1b1", "Rab1", "R1b1"]);
    assert_same_move(&open, &["Kf1", "kf1", "e1f1"]);
    assert_eq!(read(&open, "Nd6"), Err(SanError::Illegal));
    assert_eq!(read(&open, "Nxd2"), Err(SanError::Illegal));
    assert_eq!(read(&open, "Rd1d2"), Err(SanError::Illegal));
    assert_eq!(read(&open, "Qd9"), Err(SanError::Unreadable));
    assert_eq!(read(&open, "Yd5"), Err(SanError::Unreadable));
    assert_eq!(read(&open, ""), Err(SanError::Unreadable));
    assert_eq!(read(&open, "+"), Err(SanError::Unreadable));
    assert_eq!(read(&open, "Nd5Nd5Nd5Nd5Nd5Nd5"), Err(SanError::Unreadable));
}

#[test]
fn pawns() {
    let tense = position("4k3/8/8/3pP3/2P1P3/8/1B6/4K3 w - d6 0 1");
    assert_same_move(
        &tense,
        &[
            "exd6",
            "ed6",
            "e5d6",
            "e5xd6",
            "exd6ep",
            "exd6e.p.",
            "exd6 e.p.",
            "e:d6",
        ],
    );
    assert_same_move(&tense, &["cxd5", "cd5", "c4xd5", "c4d5"]);
    assert_same_move(&tense, &["c5", "c4c5", "c4-c5", "Pc5", "cc5", "c5="]);
    // Without a file a pawn move is not a capture.
    assert_eq!(read(&tense, "d5"), Err(SanError::Illegal));
    assert_eq!(read(&tense, "xd5"), Err(SanError::Ambiguous));
    assert_eq!(read(&tense, "cxc5"), Err(SanError::Illegal));
}

#[test]
fn a_lower_case_b_is_a_file_before_a_bishop() {
    let both = position("4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1");
    let pawn = Ply::Move(Move::normal(Square::B3, Square::C4));
    assert_eq!(read(&both, "bxc4"), Ok(pawn));
    assert_eq!(read(&both, "bc4"), Ok(pawn));
    let bishop = Ply::Move(Move::normal(Square::D3, Square::C4));
    assert_eq!(read(&both, "Bxc4"), Ok(bishop));
    assert_eq!(
        read(&both, "be4"),
        Ok(Ply::Move(Move::normal(Square::D3, Square::E4)))
    );
    assert_eq!(
        read(&both, "b4"),
        Ok(Ply::Move(Move::normal(Square::B3, Square::B4)))
    );
}

#[test]
fn promotions() {
    let ready = position("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1");
    assert_same_move(
        &ready,
        &[
            "e8=Q+", "e8Q", "e8=q", "e8(Q)", "e8/Q", "e8=Q+!", "e7e8Q", "e7-e8=Q", "e7e8q",
        ],
    );
    assert_same_move(&ready, &["exd8=N", "ed8N", "e7xd8=n", "exd8(N)"]);
    assert_eq!(read(&ready, "e8"), Err(SanError::Illegal));
    assert_eq!(read(&ready, "e8=K"), Err(SanError::Unreadable));
    assert_eq!(read(&ready, "e8=P"), Err(SanError::Unreadable));
    let early = position("7k/8/4P3/8/8/8/8/K7 w - - 0 1");
    assert_eq!(read(&early, "e7=Q"), Err(SanError::Illegal));
    assert_eq!(
        read(&ready, "exd8=B"),
        Ok(Ply::Move(Move::promotion(
            Square::E7,
            Square::D8,
            Role::Bishop
        )))
    );
}

#[test]
fn null_moves() {
    let start = Position::standard();
    for text in ["--", "Z0", "null", "0000", "@@@@"] {
        assert_eq!(read(&start, text), Ok(Ply::Null), "{text}");
    }
    assert_eq!(written(&start, Ply::Null), "--");
    let mut passed = start.clone();
    passed.play_ply(Ply::Null);
    assert_eq!(
        passed.fen(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1"
    );
}

#[test]
fn disambiguation_counts_legal_moves_only() {
    let cases = [
        ("7k/8/8/8/1Q1Q4/8/8/K2Q4 w - - 0 1", "d4c3", "Qdc3+"),
        ("7k/8/8/8/R7/8/8/R3K3 w - - 0 1", "a4a3", "R4a3"),
        ("4k3/8/8/8/2Q5/8/1p5K/Q1Q5 w - - 0 1", "c1b2", "Qcxb2"),
        ("4k3/8/8/8/8/2Q5/1p5K/Q1Q5 w - - 0 1", "a1b2", "Qaxb2"),
        ("4k3/8/8/8/8/Q1Q5/1p5K/Q1Q5 w - - 0 1", "a1b2", "Qa1xb2"),
        // A check that existed before the move, in a position that no game reaches.
        ("k7/8/8/8/8/2Q5/1p5K/Q1Q5 w - - 0 1", "c1b2", "Qc1xb2#"),
        ("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"),
    ];
    for (fen, coordinates, expected) in cases {
        let position = position(fen);
        let ply = uci::read(&position, coordinates.as_bytes()).unwrap();
        assert_eq!(written(&position, ply), expected, "{fen}");
        assert_eq!(read(&position, expected), Ok(ply));
    }
}

#[test]
fn checks_of_every_kind() {
    let cases = [
        ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O+"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O+"),
        ("3k4/8/8/2pP4/8/8/8/3RK3 w - c6 0 1", "dxc6+"),
        ("8/8/8/k1pP3R/8/8/8/4K3 w - c6 0 1", "dxc6+"),
        ("3k4/8/8/8/3N4/8/8/3RK3 w - - 0 1", "Nb3+"),
        ("k7/7P/8/8/8/8/8/K7 w - - 0 1", "h8=Q+"),
        ("k7/7P/1K6/8/8/8/8/8 w - - 0 1", "h8=R#"),
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "Re8#"),
        ("7k/5K2/8/8/8/8/8/6R1 w - - 0 1", "Rh1#"),
        ("7k/5K2/6Q1/8/8/8/8/8 w - - 0 1", "Qg7#"),
        ("7k/8/8/8/8/8/5K2/8 w - - 0 1", "Kg3"),
        ("4k3/8/8/8/8/8/4K3/4R3 w - - 0 1", "Kd3+"),
    ];
    for (fen, text) in cases {
        let position = position(fen);
        let ply = read(&position, text).unwrap();
        assert_eq!(written(&position, ply), text, "{fen}");
    }
}

#[test]
fn mates_by_unusual_moves_are_marked() {
    for (fen, moves) in [
        // Castling on each side, with a rook that is the only attacker.
        ("5k2/8/8/4R1R1/8/8/8/4K2R w K - 0 1", "O-O#"),
        ("3k4/8/8/2R1R3/8/8/8/R3K3 w Q - 0 1", "O-O-O#"),
        ("4k2r/8/8/8/4r1r1/8/8/5K2 b k - 0 1", "O-O#"),
        // En passant (Gundersen and Faul, 1928), which a check alone does not end.
        (
            "r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15",
            "hxg6#",
        ),
        ("4k3/8/8/3pP3/8/8/8/4RK2 w - d6 0 1", "exd6+"),
        ("7k/5P2/6K1/8/8/8/8/8 w - - 0 1", "f8=Q#"),
    ] {
        let position = position(fen);
        let ply = read(&position, moves).unwrap();
        assert_eq!(written(&position, ply), moves, "{fen}");
        let mut after = position.clone();
        after.play_ply(ply);
        assert!(after.is_check(), "{fen}");
        assert_eq!(
            after.legal_moves().is_empty(),
            moves.ends_with('#'),
            "{fen}"
        );
    }
}
