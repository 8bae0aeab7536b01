//! Piece lists and squares without a position: all that writing moves needs which are known to be
//! playable.

use tabia_core::chess::{Color, Move, Piece, Ply, Role, Square};

use super::codes::{self, Dialect};
use super::pieces::{Board, MAX_PIECES};

/// No piece stands there. Else bits 4-6 are the role, bit 7 is set for Black, and bits 0-3 are the
/// place in the list.
const EMPTY: u8 = 0xff;

const PAWN: u8 = role_code(Role::Pawn);
const KNIGHT: u8 = role_code(Role::Knight);
const BISHOP: u8 = role_code(Role::Bishop);
const ROOK: u8 = role_code(Role::Rook);
const QUEEN: u8 = role_code(Role::Queen);
const KING: u8 = role_code(Role::King);

/// The pieces of both sides in the order in which moves name them.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    squares: [u8; 64],
    order: [[u8; MAX_PIECES]; 2],
    counts: [u8; 2],
    black_to_move: bool,
}

impl Lists {
    /// Those of a position.
    pub(crate) fn of(board: &Board) -> Self {
        let mut lists = Self {
            squares: [EMPTY; 64],
            order: [[0; MAX_PIECES]; 2],
            counts: [0; 2],
            black_to_move: !board.position.turn().is_white(),
        };
        for (color, side) in [Color::White, Color::Black].into_iter().zip(0..) {
            for (slot, square) in (0..).zip(board.listed(color)) {
                let Some(Piece { role, .. }) = board.position.piece_at(square) else {
                    continue;
                };
                lists.place(side, slot, square.number(), role_code(role));
                if let Some(count) = lists.counts.get_mut(usize::from(side)) {
                    *count = slot + 1;
                }
            }
        }
        lists
    }

    fn place(&mut self, side: u8, slot: u8, square: u8, role: u8) {
        let list = self.order.get_mut(usize::from(side));
        if let Some(place) = list.and_then(|list| list.get_mut(usize::from(slot))) {
            *place = square;
        }
        self.put(square, side << 7 | role << 4 | slot);
    }

    fn put(&mut self, square: u8, piece: u8) {
        if let Some(place) = self.squares.get_mut(usize::from(square)) {
            *place = piece;
        }
    }

    fn at(&self, square: Square) -> u8 {
        let square = usize::from(square.number());
        self.squares.get(square).copied().unwrap_or(EMPTY)
    }

    fn side(&self) -> u8 {
        u8::from(self.black_to_move)
    }

    /// Whether the side to move has a piece there.
    pub(crate) fn has_mover(&self, square: Square) -> bool {
        let piece = self.at(square);
        piece != EMPTY && piece >> 7 == self.side()
    }

    /// Appends the byte or bytes of a ply; `false` for a move that cannot be written.
    pub(crate) fn encode(&self, ply: Ply, out: &mut Vec<u8>) -> bool {
        let Ply::Move(m) = ply else {
            out.push(0);
            return true;
        };
        let from = m.from();
        if !self.has_mover(from) {
            return false;
        }
        let piece = self.at(from);
        codes::encode(Dialect::Scid, piece & 15, role_of(piece), m, out)
    }

    /// Plays a ply; the pawn that left home by it, as its number in signatures: 15 for a2 to 8 for
    /// h2, 7 for a7 to 0 for h7.
    pub(crate) fn play(&mut self, ply: Ply) -> Option<u8> {
        let side = self.side();
        self.black_to_move = !self.black_to_move;
        let Ply::Move(m) = ply else {
            return None;
        };
        let (from, to) = (m.from(), m.to());
        let piece = self.at(from);
        let slot = piece & 15;
        if m.is_castling() {
            self.castle(m, side, slot);
            return None;
        }
        let role = piece >> 4 & 7;
        let mut gone = (role == PAWN).then(|| home(side, from)).flatten();
        let taken = self.at(to);
        if taken != EMPTY {
            if taken >> 4 & 7 == PAWN {
                gone = gone.or_else(|| home(side ^ 1, to));
            }
            self.remove(taken);
        } else if role == PAWN
            && from.file() != to.file()
            && let Some(behind) = Square::from_coords(to.file(), from.rank())
        {
            let taken = self.at(behind);
            if taken != EMPTY && taken >> 7 != side {
                self.remove(taken);
                self.put(behind.number(), EMPTY);
            }
        }
        let role = m.promotion_role().map_or(role, role_code);
        self.put(from.number(), EMPTY);
        self.place(side, slot, to.number(), role);
        gone
    }

    /// The last piece of a list takes the slot of one that is taken.
    fn remove(&mut self, piece: u8) {
        let side = usize::from(piece >> 7);
        let slot = piece & 15;
        let (Some(list), Some(count)) = (self.order.get_mut(side), self.counts.get_mut(side))
        else {
            return;
        };
        *count = count.saturating_sub(1);
        let last = *count;
        if last == slot {
            return;
        }
        let Some(&square) = list.get(usize::from(last)) else {
            return;
        };
        if let Some(place) = list.get_mut(usize::from(slot)) {
            *place = square;
        }
        if let Some(place) = self.squares.get_mut(usize::from(square)) {
            *place = *place & 0xf0 | slot;
        }
    }

    fn castle(&mut self, m: Move, side: u8, slot: u8) {
        let (from, to) = (m.from(), m.to());
        let h_side = to.file() > from.file();
        let rook_slot = self.at(to) & 15;
        let king_to = Square::from_coords(if h_side { 6 } else { 2 }, from.rank());
        let rook_to = Square::from_coords(if h_side { 5 } else { 3 }, from.rank());
        if let (Some(king_to), Some(rook_to)) = (king_to, rook_to) {
            self.put(from.number(), EMPTY);
            self.put(to.number(), EMPTY);
            self.place(side, slot, king_to.number(), KING);
            self.place(side, rook_slot, rook_to.number(), ROOK);
        }
    }

    /// The signature of the material.
    pub(crate) fn material(&self) -> u32 {
        // Pawns have four bits, all others two, from the pawns of Black up.
        const SHIFTS: [u32; 5] = [0, 4, 6, 8, 10];
        let mut counts = [[0_u32; 5]; 2];
        for &piece in self.squares.iter().filter(|&&piece| piece != EMPTY) {
            let side = counts.get_mut(usize::from(piece >> 7));
            let role = usize::from(piece >> 4 & 7);
            if let Some(count) = side.and_then(|side| side.get_mut(role)) {
                *count += 1;
            }
        }
        let mut word = 0;
        for (counts, base) in counts.into_iter().zip([12, 0]) {
            for (role, (count, shift)) in counts.into_iter().zip(SHIFTS).enumerate() {
                let most = if role == usize::from(PAWN) { 15 } else { 3 };
                word |= count.min(most) << (base + shift);
            }
        }
        word
    }
}

/// The number of a pawn that stands on its first square.
fn home(side: u8, square: Square) -> Option<u8> {
    match (side, square.rank()) {
        (0, 1) => Some(15 - square.file()),
        (1, 6) => Some(7 - square.file()),
        _ => None,
    }
}

const fn role_code(role: Role) -> u8 {
    role as u8
}

/// The role of a piece.
const fn role_of(piece: u8) -> Role {
    match piece >> 4 & 7 {
        PAWN => Role::Pawn,
        KNIGHT => Role::Knight,
        BISHOP => Role::Bishop,
        ROOK => Role::Rook,
        QUEEN => Role::Queen,
        _ => Role::King,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::{HomePawns, Material, Setup};

    /// Random games from several starts: bytes, lists, material and home pawns are those of the
    /// board with a position.
    #[test]
    fn lists_say_what_the_board_says() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRK1B1RN w KQkq - 0 1",
        ];
        let mut random = 7_usize;
        for fen in fens.repeat(40) {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let mut board = Board::from_setup(&setup).unwrap();
            let mut lists = Lists::of(&board);
            let mut home = HomePawns::of(&board.position);
            for _ in 0..200 {
                let moves = board.position.legal_moves();
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                if moves.is_empty() {
                    break;
                }
                let m = moves[(random >> 33) % moves.len()];
                let ply = if random >> 60 == 0 && !board.position.is_check() {
                    Ply::Null
                } else {
                    Ply::Move(m)
                };
                let (mut left, mut right) = (Vec::new(), Vec::new());
                assert!(board.encode(ply, &mut left) && lists.encode(ply, &mut right));
                assert_eq!(left, right, "{ply:?} in {}", board.position.fen());
                board.play(left[0], ply);
                let gone = lists.play(ply);
                let now = HomePawns::of(&board.position);
                assert_eq!(gone, home.gone(now), "{ply:?} to {}", board.position.fen());
                home = now;
                assert_eq!(
                    lists.material(),
                    Material::of(&board.position).to_bits(),
                    "{}",
                    board.position.fen()
                );
                let again = Lists::of(&board);
                assert_eq!(lists.squares, again.squares, "{}", board.position.fen());
                assert_eq!(lists.counts, again.counts);
            }
        }
    }
}
