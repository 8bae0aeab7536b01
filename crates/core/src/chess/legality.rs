//! Legality of single moves, without a list of all legal moves.

use super::attacks;
use super::position::{BISHOP, Checkers, KING, KNIGHT, PAWN, Position, QUEEN, ROOK};
use super::types::{Bitboard, Color, Move, Role, Square};

impl Position {
    /// The squares from which `color` attacks `square`.
    #[inline]
    pub fn attackers_to(&self, square: Square, color: Color) -> Bitboard {
        let pieces = self.colors[color as usize];
        Bitboard(self.attackers(square, color, pieces, self.occupied().0))
    }

    /// Whether a move is legal in this position; any value of [`Move`] is allowed.
    pub fn is_legal(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            return from == self.king(self.turn) && self.can_castle(to);
        }
        let ours = self.colors[self.turn as usize];
        if ours & from.bit() == 0 || (ours | self.kings().0) & to.bit() != 0 {
            return false;
        }
        let code = self.board[from.index()] & 7;
        let reaches = if code == PAWN {
            let last = to.rank() == if self.turn.is_white() { 7 } else { 0 };
            last == m.promotion_role().is_some() && self.reaches(Role::Pawn, from) & to.bit() != 0
        } else {
            m.promotion_role().is_none()
                && attacks::rays(code, from) & to.bit() != 0
                && attacks::between(from, to) & self.occupied().0 == 0
        };
        reaches && self.is_safe(from, to)
    }

    /// The squares of both kings.
    #[inline(always)]
    pub(super) fn kings(&self) -> Bitboard {
        Bitboard(self.roles[usize::from(KING)])
    }

    /// The pieces of `color` in `pieces` that attack `square`.
    #[inline(always)]
    fn attackers(&self, square: Square, color: Color, pieces: u64, occupied: u64) -> u64 {
        self.leapers(square, color, pieces) | self.sliders(square, pieces, occupied)
    }

    /// The pawns, knights and kings of `color` in `pieces` that attack `square`.
    #[inline(always)]
    fn leapers(&self, square: Square, color: Color, pieces: u64) -> u64 {
        (attacks::knight(square) & self.roles[usize::from(KNIGHT)]
            | attacks::king(square) & self.roles[usize::from(KING)]
            | attacks::pawn(color.other(), square) & self.roles[usize::from(PAWN)])
            & pieces
    }

    /// The bishops, rooks and queens in `pieces` that attack `square`.
    #[inline(always)]
    fn sliders(&self, square: Square, pieces: u64, occupied: u64) -> u64 {
        unblocked(square, self.aimed_at(square, pieces), occupied)
    }

    /// The bishops, rooks and queens in `pieces` that would attack `square` on an empty board.
    #[inline(always)]
    pub(super) fn aimed_at(&self, square: Square, pieces: u64) -> u64 {
        let queens = self.roles[usize::from(QUEEN)];
        let straight = (self.roles[usize::from(ROOK)] | queens) & attacks::straight_rays(square);
        let diagonal = (self.roles[usize::from(BISHOP)] | queens) & attacks::diagonal_rays(square);
        (straight | diagonal) & pieces
    }

    #[inline(always)]
    pub(super) fn find_checkers(&self) -> u64 {
        let them = self.turn.other();
        let (king, pieces) = (self.king(self.turn), self.colors[them as usize]);
        self.attackers(king, them, pieces, self.occupied().0)
    }

    /// The pieces that give check to the side to move; caches them.
    #[inline(always)]
    pub(super) fn cache_checkers(&mut self) -> Bitboard {
        let checkers = self.checkers();
        self.checkers = Checkers::new(checkers.0);
        checkers
    }

    /// Whether the mover's king is safe after a pseudo-legal move other than castling.
    #[inline(always)]
    pub(super) fn is_safe(&self, from: Square, to: Square) -> bool {
        self.is_safe_if(self.checkers.are_none(), from, to)
    }

    /// As [`is_safe`](Self::is_safe); `quiet` if nothing gives check in this position, as far as
    /// known.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "one branch instead of four")]
    pub(super) fn is_safe_if(&self, quiet: bool, from: Square, to: Square) -> bool {
        let king = self.king(self.turn);
        let stays = (from != king) & (to.number() != self.en_passant);
        let covers = covers(king, from, self.occupied().0);
        let is_aimed_at = self.aimed_at(king, self.colors[self.turn.other() as usize]) != 0;
        let easy = quiet & stays & !(covers & is_aimed_at);
        easy || self.stays_safe(quiet, from, to)
    }

    /// [`is_safe_if`](Self::is_safe_if) for moves of the king and of pinned pieces, en passant, and
    /// in check.
    #[inline(never)]
    pub(super) fn stays_safe(&self, quiet: bool, from: Square, to: Square) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let theirs = self.colors[us.other() as usize] & !to.bit();
        let occupied = self.occupied().0 & !from.bit() | to.bit();
        if from == king {
            return self.attackers(to, us.other(), theirs, occupied) == 0;
        }
        if to.number() == self.en_passant {
            return self.is_safe_en_passant(from, to);
        }
        if quiet {
            // Only a slider that the move uncovers can attack the king now.
            return self.sliders(king, theirs, occupied) == 0;
        }
        self.attackers(king, us.other(), theirs, occupied) == 0
    }

    /// [`is_safe`](Self::is_safe) for a move to the en passant square.
    #[inline(never)]
    fn is_safe_en_passant(&self, from: Square, to: Square) -> bool {
        let us = self.turn;
        let mut occupied = self.occupied().0 & !from.bit() | to.bit();
        let mut theirs = self.colors[us.other() as usize] & !to.bit();
        if to.number() == self.en_passant && self.roles[usize::from(PAWN)] & from.bit() != 0 {
            let pawn = Square::wrap(to.number() ^ 8).bit();
            occupied &= !pawn;
            theirs &= !pawn;
        }
        let king = self.king(us);
        self.attackers(king, us.other(), theirs, occupied) == 0
    }

    /// Whether a legal move gives check, from the cache if it is for this move.
    #[inline(always)]
    pub(super) fn will_check(&self, m: Move) -> bool {
        match self.next_move.gives_check(m) {
            Some(cached) => cached,
            None => self.gives_check_uncached(m),
        }
    }

    #[inline(never)]
    fn gives_check_uncached(&self, m: Move) -> bool {
        self.gives_check(m)
    }

    /// Whether a legal move gives check.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "one branch, seldom taken, instead of several unpredictable ones"
    )]
    pub(super) fn gives_check(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let moved = self.board[from.index()] & 7;
        if !m.is_normal() | (to.number() == self.en_passant) & (moved == PAWN) {
            return self.gives_check_slow(m);
        }
        let them = self.turn.other();
        let king = self.king(them);
        let pieces = self.occupied().0 & !from.bit() | to.bit();
        let unseen = !attacks::attacks_from(moved, them, king) >> to.number() & 1;
        if attacks::between(king, to) & pieces | unseen == 0 {
            return true;
        }
        self.opponent_in_check.0 | covers(king, from, pieces) && self.uncovers(king, from, pieces)
    }

    /// Whether a piece that does not move gives check after the piece on `from` has left.
    #[inline(never)]
    pub(super) fn uncovers(&self, king: Square, from: Square, pieces: u64) -> bool {
        let us = self.turn;
        let ours = self.colors[us as usize] & !from.bit();
        // The opponent may have been in check before the move, by any piece.
        let leapers = self.opponent_in_check.0 && self.leapers(king, us, ours) != 0;
        leapers || self.sliders(king, ours, pieces) != 0
    }

    /// Whether the king certainly has an escape square from the check that a legal move gives.
    /// `false` means unknown.
    #[inline]
    pub(super) fn lets_king_flee(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from(), m.to());
        let moved = self.board[from.index()] & 7;
        if m.is_castling() || to.number() == self.en_passant && moved == PAWN {
            return false;
        }
        let them = us.other();
        let king = self.king(them);
        let ours = self.colors[us as usize] & !from.bit();
        let pieces = (self.occupied().0 & !from.bit() | to.bit()) & !king.bit();
        let theirs = self.colors[them as usize] & !to.bit();
        Bitboard(attacks::king(king) & !theirs & !self.kings().0)
            .into_iter()
            .any(|square| {
                let seen = seen_by(m, moved, us, square) & to.bit() != 0;
                !(seen && attacks::between(square, to) & pieces == 0)
                    && self.attackers(square, us, ours, pieces) == 0
            })
    }

    /// [`gives_check`](Self::gives_check) for castling and en passant, which change more than two
    /// squares, and promotions.
    #[inline(never)]
    fn gives_check_slow(&self, m: Move) -> bool {
        if m.is_castling() && !self.opponent_in_check.0 {
            return self.castling_gives_check(m.from(), m.to());
        }
        let mut next = self.clone();
        next.play(m);
        next.is_check()
    }

    /// Whether legal castling gives check, if the opponent is not in check before: by the rook, or along a line
    /// that king and rook have left.
    fn castling_gives_check(&self, king: Square, rook: Square) -> bool {
        let us = self.turn;
        let back = king.number() & 0x38;
        let [king_to, rook_to] = if rook.file() > king.file() {
            [6, 5].map(|file| Square::wrap(back + file))
        } else {
            [2, 3].map(|file| Square::wrap(back + file))
        };
        let moved = king.bit() | rook.bit();
        let pieces = self.occupied().0 & !moved | king_to.bit() | rook_to.bit();
        let target = self.king(us.other());
        let is_seen = attacks::straight_rays(target) & rook_to.bit() != 0
            && attacks::between(target, rook_to) & pieces == 0;
        is_seen || self.sliders(target, self.colors[us as usize] & !moved, pieces) != 0
    }

    /// Whether castling with that rook is legal.
    pub(super) fn can_castle(&self, rook: Square) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let Some(side) = self.castling[us as usize]
            .iter()
            .position(|&r| r == rook.number())
        else {
            return false;
        };
        let back = king.number() & 0x38;
        let king_to = Square::wrap(back + if side == 0 { 6 } else { 2 });
        let rook_to = Square::wrap(back + if side == 0 { 5 } else { 3 });
        let others = self.occupied().0 & !king.bit() & !rook.bit();
        let path = attacks::between(king, king_to);
        let way = path | attacks::between(rook, rook_to) | king_to.bit() | rook_to.bit();
        if others & way != 0 || self.is_check() {
            return false;
        }
        let (them, theirs) = (us.other(), self.colors[us.other() as usize]);
        // On its target square the king may be attacked along the rank that the rook has left.
        Bitboard(path)
            .into_iter()
            .all(|square| self.attackers(square, them, theirs, others | rook.bit()) == 0)
            && self.attackers(king_to, them, theirs, others | rook_to.bit()) == 0
    }

    /// The squares that a piece of the side to move can go to, ignoring the king's safety. Squares
    /// with pieces of the same side are included, except for pawns.
    #[inline]
    pub(super) fn reaches(&self, role: Role, from: Square) -> u64 {
        let occupied = self.occupied().0;
        match role {
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, occupied),
            Role::Rook => attacks::rook(from, occupied),
            Role::Queen => attacks::bishop(from, occupied) | attacks::rook(from, occupied),
            Role::King => attacks::king(from),
            Role::Pawn => {
                let us = self.turn;
                let mut targets = self.colors[us.other() as usize];
                if let Some(square) = self.en_passant() {
                    targets |= square.bit();
                }
                let takes = attacks::pawn(us, from) & targets;
                let empty = !occupied;
                let steps = if us.is_white() {
                    let one = from.bit() << 8 & empty;
                    one | (one & 0xff_0000) << 8 & empty
                } else {
                    let one = from.bit() >> 8 & empty;
                    one | (one & 0xff00_0000_0000) >> 8 & empty
                };
                takes | steps
            }
        }
    }

    /// The squares of `mask` from which a piece of the side to move with that code (role + 1, not a
    /// pawn) can go to `to`, ignoring the king's safety.
    #[inline(always)]
    pub(super) fn sources(&self, code: u8, to: Square, mask: u64) -> u64 {
        let pieces = self.roles[usize::from(code & 7)] & self.colors[self.turn as usize];
        let candidates = pieces & attacks::rays(code, to) & mask;
        unblocked(to, candidates, self.occupied().0)
    }
}

/// The squares from which the piece moved by `us` attacks `square` after the move, on an empty
/// board; `moved` is its code before a promotion.
#[inline(always)]
fn seen_by(m: Move, moved: u8, us: Color, square: Square) -> u64 {
    let placed = m.promotion_role().map_or(moved, |role| role as u8 + 1);
    attacks::attacks_from(placed, us.other(), square)
}

/// Whether `from` is the first occupied square on a line from the king, so that leaving it may open
/// the line. `pieces` is not empty. Has no branch: it would be mispredicted often.
#[inline(always)]
pub(super) fn covers(king: Square, from: Square, pieces: u64) -> bool {
    attacks::barriers(king, from) & pieces == 0
}

/// The squares of `candidates` with only empty squares between them and `square`. All candidates
/// are on lines through `square` or a knight's move away.
#[inline(always)]
fn unblocked(square: Square, mut candidates: u64, occupied: u64) -> u64 {
    let mut seen = 0;
    while candidates != 0 {
        let lowest = candidates & candidates.wrapping_neg();
        let from = Square::wrap(candidates.trailing_zeros() as u8);
        if attacks::between(square, from) & occupied == 0 {
            seen |= lowest;
        }
        candidates ^= lowest;
    }
    seen
}
