//! Targets for the chess rules.

use std::collections::BTreeSet;

use tabia_core::chess::{FenStyle, Move, Ply, Position, Setup, Square, san, uci};

/// A FEN that is accepted round trips, and so does the position that it describes.
pub(super) fn fen(data: &[u8]) {
    let Ok(setup) = Setup::parse_fen(data) else {
        return;
    };
    for style in [FenStyle::XFen, FenStyle::Shredder] {
        let text = setup.fen(style);
        let again = Setup::parse_fen(text.as_bytes())
            .unwrap_or_else(|error| panic!("{text} does not read back: {error:?}"));
        assert_eq!(again, setup, "{text}");
    }
    let Ok(position) = Position::from_setup(&setup) else {
        return;
    };
    let text = position.fen();
    let setup = position.to_setup();
    let again = Position::from_setup(&setup)
        .unwrap_or_else(|error| panic!("{text} is no longer legal: {error:?}"));
    assert_eq!(again.key(), position.key(), "{text}");
    assert_eq!(again.fen(), text);
    moves(&position);
}

/// The first line is a FEN, the others are moves in SAN from that position. Accepted moves are legal
/// and round trip.
pub(super) fn san(data: &[u8]) {
    let mut lines = data.split(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut position = match Setup::parse_fen(first).map(|setup| Position::from_setup(&setup)) {
        Ok(Ok(position)) => position,
        _ => Position::standard(),
    };
    for line in lines.take(40) {
        let Ok(ply) = san::read(&position, line) else {
            continue;
        };
        if let Ply::Move(m) = ply {
            assert!(position.is_legal(m), "{m:?} in {}", position.fen());
        }
        let mut text = Vec::new();
        san::write(&position, ply, &mut text);
        let again = san::read(&position, &text);
        assert_eq!(again.ok(), Some(ply), "{}", String::from_utf8_lossy(&text));
        position.play_ply(ply);
        moves(&position);
    }
}

/// The generated moves are the legal ones; their SAN and UCI are unique and round trip. The key that
/// is updated by a move equals the key of the resulting position.
fn moves(position: &Position) {
    let generated: BTreeSet<Move> = position.legal_moves().iter().copied().collect();
    for from in 0..64 {
        for to in 0..64 {
            let (Some(from), Some(to)) = (Square::new(from), Square::new(to)) else {
                continue;
            };
            let m = Move::normal(from, to);
            assert_eq!(
                position.is_legal(m),
                generated.contains(&m),
                "{m:?} in {}",
                position.fen()
            );
        }
    }
    let mut seen = BTreeSet::new();
    for &m in &generated {
        let context = || format!("{m:?} in {}", position.fen());
        assert!(position.is_legal(m), "{}", context());
        let mut text = Vec::new();
        san::write(position, Ply::Move(m), &mut text);
        assert_eq!(
            san::read(position, &text).ok(),
            Some(Ply::Move(m)),
            "{}",
            context()
        );
        assert!(
            seen.insert(text),
            "{} has the SAN of another move",
            context()
        );
        let mut text = Vec::new();
        uci::write(m, position.is_chess960(), &mut text);
        assert_eq!(
            uci::read(position, &text),
            Some(Ply::Move(m)),
            "{}",
            context()
        );
        let mut after = position.clone();
        after.play(m);
        if let Ok(anew) = Position::from_setup(&after.to_setup()) {
            assert_eq!(
                anew.key(),
                after.key(),
                "{} gives {}",
                context(),
                after.fen()
            );
        } else {
            panic!("{} gives {}, which is not legal", context(), after.fen());
        }
    }
}
