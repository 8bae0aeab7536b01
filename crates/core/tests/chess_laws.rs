//! Properties that hold for any arrangement of pieces, any move and any text.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use tabia_core::chess::{
    Bitboard, Color, FenStyle, Move, Piece, Ply, Position, Role, Setup, Square, san, uci,
};
use tabia_testkit::Random;

fn square(random: &mut Random) -> Square {
    Square::ALL[random.below(64)]
}

/// An arbitrary arrangement of pieces.
fn arbitrary_setup(random: &mut Random) -> Setup {
    let mut setup = Setup::empty();
    for _ in 0..random.below(40) {
        let color = if random.below(2) == 0 {
            Color::White
        } else {
            Color::Black
        };
        let role = Role::ALL[random.below(6)];
        setup.set(square(random), Some(Piece { color, role }));
    }
    setup.turn = if random.below(2) == 0 {
        Color::White
    } else {
        Color::Black
    };
    setup.half_move_clock = random.next_u64() as u16;
    setup.full_move_number = random.next_u64() as u16;
    if random.below(3) == 0 {
        setup.en_passant = Some(square(random));
    }
    setup
}

/// An arbitrary playable position: one king per side, otherwise not necessarily legal.
fn arbitrary_position(random: &mut Random) -> Position {
    let mut setup = arbitrary_setup(random);
    for square in Square::ALL {
        let last = square.rank() == 0 || square.rank() == 7;
        if let Some(piece) = setup.piece(square)
            && (piece.role == Role::King || piece.role == Role::Pawn && last)
        {
            setup.set(square, None);
        }
    }
    let home = random.below(3) == 0;
    let white = if home { Square::E1 } else { square(random) };
    let black = if home { Square::E8 } else { white.flip() };
    let role = Role::King;
    setup.set(
        white,
        Some(Piece {
            color: Color::White,
            role,
        }),
    );
    setup.set(
        black,
        Some(Piece {
            color: Color::Black,
            role,
        }),
    );
    if white == black {
        setup.set(
            white.flip(),
            Some(Piece {
                color: Color::White,
                role,
            }),
        );
    }
    for (color, rank) in [(Color::White, 0), (Color::Black, 7)] {
        for side in 0..2 {
            let rook = Square::from_coords(random.below(8) as u8, rank);
            setup.castling[color as usize][side] = rook;
            if home && random.below(2) == 0 {
                let corner = Square::from_coords(if side == 0 { 7 } else { 0 }, rank).unwrap();
                setup.set(
                    corner,
                    Some(Piece {
                        color,
                        role: Role::Rook,
                    }),
                );
                setup.castling[color as usize][side] = Some(corner);
            }
        }
    }
    Position::from_setup(&setup).unwrap()
}

fn assert_consistent(position: &Position) {
    let again = Position::from_setup(&position.to_setup()).unwrap();
    assert_eq!(again.key(), position.key(), "{position:?}");
    assert_eq!(again.checkers(), position.checkers(), "{position:?}");
    let mut count = 0;
    for color in [Color::White, Color::Black] {
        for role in Role::ALL {
            let piece = Piece { color, role };
            for square in position.by_piece(piece) {
                assert_eq!(position.piece_at(square), Some(piece));
                count += 1;
            }
        }
        let king = Bitboard::EMPTY.with(position.king(color));
        assert_eq!(
            position.by_piece(Piece {
                color,
                role: Role::King
            }),
            king
        );
    }
    assert_eq!(position.occupied().count(), count);
    let sides = [Color::White, Color::Black].map(|color| position.by_color(color).0);
    assert_eq!(position.occupied().0, sides[0] | sides[1], "{position:?}");
}

#[test]
fn fen_of_any_setup_round_trips() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let setup = arbitrary_setup(&mut random);
        for style in [FenStyle::XFen, FenStyle::Shredder] {
            let fen = setup.fen(style);
            assert_eq!(Setup::parse_fen(fen.as_bytes()), Ok(setup.clone()), "{fen}");
        }
        let _ = setup.legality();
    }
    for _ in 0..20_000 {
        let position = arbitrary_position(&mut random);
        for style in [FenStyle::XFen, FenStyle::Shredder] {
            let fen = position.to_setup().fen(style);
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            assert_eq!(setup, position.to_setup(), "{fen}");
            assert_eq!(
                Position::from_setup(&setup).unwrap().fen(),
                position.fen(),
                "{fen}"
            );
        }
    }
}

#[test]
fn is_legal_agrees_with_legal_moves() {
    let mut random = Random::new(2);
    let mut legal = 0;
    for _ in 0..400 {
        let position = arbitrary_position(&mut random);
        let mut moves = position.legal_moves().to_vec();
        moves.sort_unstable();
        assert!(moves.windows(2).all(|pair| pair[0] != pair[1]));
        legal += moves.len();
        for m in (0..=u16::MAX).filter_map(Move::from_bits) {
            assert_eq!(
                position.is_legal(m),
                moves.binary_search(&m).is_ok(),
                "{position:?} {m:?}"
            );
        }
        assert_eq!(position.has_legal_move(), !moves.is_empty());
        assert_eq!(
            position.is_checkmate(),
            moves.is_empty() && position.is_check()
        );
        assert_eq!(
            position.is_stalemate(),
            moves.is_empty() && !position.is_check()
        );
    }
    assert!(legal > 4000, "{legal}");
}

#[test]
fn legal_moves_round_trip_and_leave_the_king_safe() {
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let position = arbitrary_position(&mut random);
        for &m in &*position.legal_moves() {
            let mut text = Vec::new();
            san::write(&position, Ply::Move(m), &mut text);
            assert_eq!(
                san::read(&position, &text),
                Ok(Ply::Move(m)),
                "{position:?} {m:?}"
            );
            let mut next = position.clone();
            let mut again = Vec::new();
            san::write_and_play(&mut next, Ply::Move(m), &mut again);
            assert_eq!(text, again, "{position:?}");
            let mover = position.turn();
            assert!(
                next.attackers_to(next.king(mover), mover.other())
                    .is_empty()
            );
            let castles = m.is_castling() && !position.is_chess960();
            for chess960 in [castles, true] {
                let mut coordinates = Vec::new();
                uci::write(m, chess960, &mut coordinates);
                // Castling in Chess960 is written as king takes rook only.
                if chess960 || !m.is_castling() {
                    assert_eq!(uci::read(&position, &coordinates), Some(Ply::Move(m)));
                }
            }
        }
    }
}

#[test]
fn any_move_leaves_a_consistent_position() {
    let mut random = Random::new(4);
    for _ in 0..2000 {
        let mut position = arbitrary_position(&mut random);
        for _ in 0..40 {
            match Move::from_bits(random.next_u64() as u16) {
                Some(m) if random.below(20) > 0 => {
                    // Promoting a king, which no legal move does, removes it.
                    let king = position.king(position.turn()) == m.from();
                    let pawn = position.piece_at(m.from()).map(|piece| piece.role);
                    let ends = m.to().rank() == 0 || m.to().rank() == 7;
                    if m.promotion_role().is_some() && king
                        || pawn == Some(Role::Pawn) && ends && m.promotion_role().is_none()
                    {
                        continue;
                    }
                    // After an illegal move the other king can be in check already.
                    let them = position.turn().other();
                    let attackers = position.attackers_to(position.king(them), position.turn());
                    if attackers.is_empty() && random.below(2) == 0 && position.is_legal(m) {
                        let mut next = position.clone();
                        next.play(m);
                        let gives_check = !next.checkers().is_empty();
                        assert_eq!(position.cache_check(m), gives_check, "{position:?} {m:?}");
                    }
                    position.play(m);
                }
                _ => position.play_null(),
            }
            assert_consistent(&position);
        }
    }
}

#[test]
fn any_text_is_read_or_refused() {
    let mut random = Random::new(5);
    let letters = b"abcdefgh12345678NBRQKPO0x=+#-:()!?. epnqrkb/\xe2\x99\x98\x80\x93";
    for round in 0..60_000 {
        let position = if round % 2 == 0 {
            Position::standard()
        } else {
            arbitrary_position(&mut random)
        };
        let text: Vec<u8> = (0..random.below(9)).map(|_| random.pick(letters)).collect();
        if let Ok(Ply::Move(m)) = san::read(&position, &text) {
            assert!(position.is_legal(m), "{position:?} {text:?}");
        }
        if let Some(Ply::Move(m)) = uci::read(&position, &text) {
            assert!(position.is_legal(m), "{position:?} {text:?}");
        }
        let _ = Setup::parse_fen(&text);
    }
}

#[test]
fn polyglot_keys() {
    // Known from: the keys given with the description of Polyglot's book format.
    let keys = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0x463b_9618_1691_fc9c,
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            0x823c_9b50_fd11_4196,
        ),
        (
            "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
            0x0756_b944_61c5_0fb0,
        ),
        (
            "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
            0x662f_afb9_65db_29d4,
        ),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            0x22a4_8b5a_8e47_ff78,
        ),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
            0x652a_607c_a3f2_42c1,
        ),
        (
            "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4",
            0x00fd_d303_c946_bdd9,
        ),
        (
            "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
            0x3c81_23ea_7b06_7637,
        ),
        (
            "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
            0x5c3f_9b82_9b27_9560,
        ),
    ];
    for (fen, key) in keys {
        let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
        let position = Position::from_setup(&setup).unwrap();
        assert_eq!(position.key(), key, "{fen}");
    }
}
