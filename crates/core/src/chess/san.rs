//! Standard algebraic notation: read what real files hold, write what the standard says.

use std::fmt;

use super::attacks;
use super::position::Position;
use super::types::{Bitboard, Move, Piece, Ply, Role, Square};

/// Why a text is no move here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SanError {
    /// Not the notation of a move.
    Unreadable,
    /// No piece can make this move.
    Illegal,
    /// Several pieces can, and the text does not say which.
    Ambiguous,
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "not the notation of a move",
            Self::Illegal => "an illegal move",
            Self::Ambiguous => "an ambiguous move",
        })
    }
}

impl std::error::Error for SanError {}

/// What a text says about a move.
struct Said {
    role: Role,
    to: Square,
    file: Option<u8>,
    rank: Option<u8>,
    promotion: Option<Role>,
}

/// Reads a move.
///
/// Accepts SAN with or without `x`, `+`, `#`, `=`, evaluations at the end, over-specified and long
/// algebraic forms (`Ng1f3`, `e2-e4`), castling with `O`, `o` or `0`, `e8Q`, `e8(Q)`, `e.p.`, and
/// null moves `--`, `Z0`, `null`, `0000`. A lower-case `b` is a file, never a bishop.
///
/// # Errors
/// Text that is no move, and moves that no piece or more than one piece can make.
#[inline]
pub fn read(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    match read_plain(position, text) {
        Some(m) => Ok(Ply::Move(m)),
        None => read_any(position, text),
    }
}

/// The forms nearly every move has, when they name one legal move.
#[inline]
fn read_plain(position: &Position, text: &[u8]) -> Option<Move> {
    let text = if let [plain @ .., b'+' | b'#'] = text {
        plain
    } else {
        text
    };
    let (role, mask, [file, rank]) = match *text {
        [file, rank] => return read_step(position, square(file, rank)?),
        [letter, file, rank] | [letter, b'x', file, rank] if letter < b'a' => {
            (letter, u64::MAX, [file, rank])
        }
        [pawn, b'x', file, rank] => return read_capture(position, pawn, square(file, rank)?),
        [letter, from, file, rank] | [letter, from, b'x', file, rank] => {
            let mask = match from {
                b'a'..=b'h' => 0x0101_0101_0101_0101 << (from - b'a'),
                b'1'..=b'8' => 0xff << (8 * (from - b'1')),
                _ => return None,
            };
            (letter, mask, [file, rank])
        }
        _ => return None,
    };
    let role = match role {
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        b'K' => Role::King,
        _ => return None,
    };
    let to = square(file, rank)?;
    let from = sources(position, role, to).0 & mask;
    if from == 0 || position.by_color(position.turn()).has(to) {
        return None;
    }
    let first = Square::wrap(from.trailing_zeros() as u8);
    let rest = from & (from - 1);
    let first_is_safe = position.is_safe(first, to);
    let from = if rest == 0 {
        first_is_safe.then_some(first)?
    } else {
        let mut safe = Bitboard(rest)
            .into_iter()
            .filter(|&other| position.is_safe(other, to));
        match (first_is_safe, safe.next()) {
            (true, None) => first,
            (false, Some(other)) if safe.next().is_none() => other,
            _ => return None,
        }
    };
    Some(Move::normal(from, to))
}

#[inline(always)]
const fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    if file < 8 && rank < 8 {
        Some(Square::wrap(rank * 8 + file))
    } else {
        None
    }
}

/// A pawn's step of one or two, short of the last rank.
#[inline]
fn read_step(position: &Position, to: Square) -> Option<Move> {
    let occupied = position.occupied().0;
    let us = position.turn();
    if matches!(to.rank(), 0 | 7) || occupied & to.bit() != 0 {
        return None;
    }
    let pawns = position.by_piece(Piece {
        color: us,
        role: Role::Pawn,
    });
    let back = |square: Square, by: u8| {
        let number = square.number();
        Square::wrap(if us.is_white() {
            number.wrapping_sub(by)
        } else {
            number + by
        })
    };
    let one = back(to, 8);
    let from = if pawns.has(one) {
        one
    } else if occupied & one.bit() == 0 && to.rank() == if us.is_white() { 3 } else { 4 } {
        let two = back(to, 16);
        pawns.has(two).then_some(two)?
    } else {
        return None;
    };
    position.is_safe(from, to).then(|| Move::normal(from, to))
}

/// A pawn's capture, short of the last rank.
#[inline]
fn read_capture(position: &Position, file: u8, to: Square) -> Option<Move> {
    let us = position.turn();
    let file = file.wrapping_sub(b'a');
    let takes = position.by_color(us.other()).has(to) || position.en_passant() == Some(to);
    if file > 7 || matches!(to.rank(), 0 | 7) || !takes {
        return None;
    }
    let pawns = position.by_piece(Piece {
        color: us,
        role: Role::Pawn,
    });
    let from = attacks::pawn(us.other(), to) & pawns.0 & 0x0101_0101_0101_0101 << file;
    let from = Bitboard(from).first()?;
    position.is_safe(from, to).then(|| Move::normal(from, to))
}

#[cold]
#[inline(never)]
fn read_any(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    let Some(said) = parse(text)? else {
        return special(position, text);
    };
    find(position, &said).map(Ply::Move)
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b'+' | b'#' | b'!' | b'?'] = text {
        text = rest;
    }
    for suffix in [b"e.p.".as_slice(), b"ep"] {
        if let Some(rest) = text.strip_suffix(suffix) {
            text = rest;
        }
    }
    text
}

fn special(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    let side = match trim(text) {
        b"O-O" | b"0-0" | b"o-o" | b"OO" | b"00" => 0,
        b"O-O-O" | b"0-0-0" | b"o-o-o" | b"OOO" | b"000" => 1,
        b"--" | b"Z0" | b"null" | b"0000" | b"@@@@" => return Ok(Ply::Null),
        _ => return Err(SanError::Unreadable),
    };
    let rook = position
        .castling_rook(position.turn(), side)
        .ok_or(SanError::Illegal)?;
    if !position.can_castle(rook) {
        return Err(SanError::Illegal);
    }
    Ok(Ply::Move(Move::castling(
        position.king(position.turn()),
        rook,
    )))
}

/// `None` for castling and null moves.
fn parse(text: &[u8]) -> Result<Option<Said>, SanError> {
    let text = trim(text);
    let (role, mut rest) = match text {
        [
            letter @ (b'N' | b'B' | b'R' | b'Q' | b'K' | b'P'),
            rest @ ..,
        ] => (Role::from_char(*letter).unwrap_or(Role::Pawn), rest),
        [b'a'..=b'h', ..] => (Role::Pawn, text),
        _ => return Ok(None),
    };
    let mut promotion = None;
    if role == Role::Pawn {
        if let [before @ .., b'(', letter, b')'] = rest {
            promotion = Some(promoted(*letter)?);
            rest = before;
        } else if let [before @ .., letter] = rest
            && letter.is_ascii_alphabetic()
        {
            promotion = Some(promoted(*letter)?);
            rest = before
                .strip_suffix(b"=")
                .or(before.strip_suffix(b"/"))
                .unwrap_or(before);
        }
    }
    let [before @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] = rest else {
        return Err(SanError::Unreadable);
    };
    let to = Square::wrap((rank - b'1') * 8 + (file - b'a'));
    let mut said = Said {
        role,
        to,
        file: None,
        rank: None,
        promotion,
    };
    let mut before = before;
    if let [rest @ .., b'x' | b'-' | b':' | b'X'] = before {
        before = rest;
    }
    if let [rest @ .., rank @ b'1'..=b'8'] = before {
        said.rank = Some(rank - b'1');
        before = rest;
    }
    if let [rest @ .., file @ b'a'..=b'h'] = before {
        said.file = Some(file - b'a');
        before = rest;
    }
    if before.is_empty() {
        Ok(Some(said))
    } else {
        Err(SanError::Unreadable)
    }
}

fn promoted(letter: u8) -> Result<Role, SanError> {
    match Role::from_char(letter) {
        Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => Ok(role),
        _ => Err(SanError::Unreadable),
    }
}

fn find(position: &Position, said: &Said) -> Result<Move, SanError> {
    let us = position.turn();
    let to = said.to;
    if position.by_color(us).has(to) {
        return Err(SanError::Illegal);
    }
    let mut from = sources(position, said.role, to).0;
    if let Some(file) = said.file {
        from &= 0x0101_0101_0101_0101 << file;
    }
    if let Some(rank) = said.rank {
        from &= 0xff << (8 * rank);
    }
    if said.role == Role::Pawn {
        let last = to.rank() == if us.is_white() { 7 } else { 0 };
        if last != said.promotion.is_some() {
            return Err(SanError::Illegal);
        }
    }
    let mut safe = Bitboard(from)
        .into_iter()
        .filter(|&from| position.is_safe(from, to));
    let from = safe.next().ok_or(SanError::Illegal)?;
    if safe.next().is_some() {
        // A pawn's move without a file is a step when one can step: `exd5` is never written `d5`.
        return Err(SanError::Ambiguous);
    }
    Ok(match said.promotion {
        Some(role) => Move::promotion(from, to, role),
        None => Move::normal(from, to),
    })
}

/// The squares from which a piece of that kind of the side to move can go to `to`, its king's
/// safety aside.
#[inline]
fn sources(position: &Position, role: Role, to: Square) -> Bitboard {
    let us = position.turn();
    let own = position.by_piece(Piece { color: us, role });
    let occupied = position.occupied().0;
    let reach = match role {
        Role::Knight => attacks::knight(to),
        Role::Bishop => attacks::bishop(to, occupied),
        Role::Rook => attacks::rook(to, occupied),
        Role::Queen => attacks::bishop(to, occupied) | attacks::rook(to, occupied),
        Role::King => attacks::king(to),
        Role::Pawn => {
            if occupied & to.bit() != 0 || position.en_passant() == Some(to) {
                let takes = attacks::pawn(us.other(), to);
                if occupied & to.bit() != 0 {
                    takes
                } else {
                    takes | steps_to(position, to)
                }
            } else {
                steps_to(position, to)
            }
        }
    };
    Bitboard(own.0 & reach)
}

/// Where a pawn can come from by a step of one or two.
fn steps_to(position: &Position, to: Square) -> u64 {
    let occupied = position.occupied().0;
    if position.turn().is_white() {
        let one = to.bit() >> 8;
        if one & occupied == 0 && to.rank() == 3 {
            one | one >> 8
        } else {
            one
        }
    } else {
        let one = to.bit() << 8;
        if one & occupied == 0 && to.rank() == 4 {
            one | one << 8
        } else {
            one
        }
    }
}

/// Writes a legal move with the least disambiguation, `+` and `#`; a null move as `--`.
pub fn write(position: &Position, ply: Ply, out: &mut Vec<u8>) {
    let Ply::Move(m) = ply else {
        out.extend_from_slice(b"--");
        return;
    };
    let (from, to) = (m.from(), m.to());
    let Some(piece) = position.piece_at(from) else {
        // Not a legal move; coordinates say what was asked for.
        super::uci::write(position, m, true, out);
        return;
    };
    if m.is_castling() {
        out.extend_from_slice(if to.file() > from.file() {
            b"O-O"
        } else {
            b"O-O-O"
        });
    } else {
        let captures = position.occupied().has(to);
        if piece.role == Role::Pawn {
            if from.file() != to.file() {
                out.extend_from_slice(&[b'a' + from.file(), b'x']);
            }
        } else {
            out.push(piece.role.upper_char());
            disambiguate(position, piece.role, from, to, out);
            if captures {
                out.push(b'x');
            }
        }
        out.extend_from_slice(&to.letters());
        if let Some(role) = m.promotion_role() {
            out.extend_from_slice(&[b'=', role.upper_char()]);
        }
    }
    if position.gives_check(m) {
        let mut next = position.clone();
        next.play(m);
        out.push(if next.has_legal_move() { b'+' } else { b'#' });
    }
}

fn disambiguate(position: &Position, role: Role, from: Square, to: Square, out: &mut Vec<u8>) {
    let others = position
        .by_piece(Piece {
            color: position.turn(),
            role,
        })
        .without(from);
    if others.is_empty() || role == Role::King {
        return;
    }
    let others = Bitboard(others.0 & sources(position, role, to).0);
    if others.is_empty() {
        return;
    }
    let (mut any, mut file, mut rank) = (false, false, false);
    for other in others
        .into_iter()
        .filter(|&other| position.is_safe(other, to))
    {
        any = true;
        file |= other.file() == from.file();
        rank |= other.rank() == from.rank();
    }
    let [file_letter, rank_letter] = from.letters();
    match (any, file, rank) {
        (false, ..) => {}
        (true, false, _) => out.push(file_letter),
        (true, true, false) => out.push(rank_letter),
        (true, true, true) => out.extend_from_slice(&[file_letter, rank_letter]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Setup;

    fn position(fen: &str) -> Position {
        Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
    }

    fn written(position: &Position, ply: Ply) -> String {
        let mut out = Vec::new();
        write(position, ply, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_legal_move_is_read_back() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/8/1Q1Q4/8/1Q1Q4/8/7k/K7 w - - 0 1",
            "rnbqkb1r/ppppp1pp/5n2/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        ];
        for fen in fens {
            let position = position(fen);
            for &m in &*position.legal_moves() {
                let san = written(&position, Ply::Move(m));
                assert_eq!(
                    read(&position, san.as_bytes()),
                    Ok(Ply::Move(m)),
                    "{fen} {san}"
                );
            }
        }
    }

    #[test]
    fn forms_of_real_files() {
        let start = Position::standard();
        let e4 = read(&start, b"e4").unwrap();
        for text in ["e2e4", "e2-e4", "e4!", "Pe4", "e4+?"] {
            assert_eq!(read(&start, text.as_bytes()), Ok(e4), "{text}");
        }
        let knight = read(&start, b"Nf3").unwrap();
        for text in ["Ng1f3", "Ngf3", "N1f3", "Ng1-f3", "Nxf3"] {
            assert_eq!(read(&start, text.as_bytes()), Ok(knight), "{text}");
        }
        assert_eq!(read(&start, b"Z0"), Ok(Ply::Null));
        assert_eq!(read(&start, b"O-O"), Err(SanError::Illegal));
        assert_eq!(read(&start, b"e5"), Err(SanError::Illegal));
        assert_eq!(read(&start, b"nonsense"), Err(SanError::Unreadable));
        let promotes = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let queen = read(&promotes, b"a8=Q").unwrap();
        for text in ["a8Q", "a8(Q)", "a8=q", "a7a8Q"] {
            assert_eq!(read(&promotes, text.as_bytes()), Ok(queen), "{text}");
        }
        assert_eq!(read(&promotes, b"a8"), Err(SanError::Illegal));
        let twins = position("7k/8/8/8/8/8/7K/N1N5 w - - 0 1");
        assert_eq!(read(&twins, b"Nb3"), Err(SanError::Ambiguous));
    }

    #[test]
    fn suffixes_are_exact() {
        let mates = position("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1");
        assert_eq!(written(&mates, read(&mates, b"Re8").unwrap()), "Re8#");
        // A pinned twin needs no disambiguation.
        let pinned = position("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1");
        assert_eq!(written(&pinned, read(&pinned, b"Nac2").unwrap()), "Nc2");
    }
}
