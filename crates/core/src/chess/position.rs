//! A playable position: bitboards, a mailbox, and the Polyglot key kept along.

use std::fmt;

use super::attacks;
use super::keys;
use super::setup::Setup;
use super::types::{Bitboard, Color, Move, Piece, Ply, Role, Square};

/// No castling rook, no en passant square.
const NONE: u8 = 64;

/// A position that can be played from: one king a side, no pawns on the last ranks.
///
/// Equality is that of everything FEN says. The key is Polyglot's: an en passant file counts only
/// when a pawn of the side to move stands beside the pawn that just moved (pseudo-legal rule), and
/// only then is the square kept.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    roles: [u64; 6],
    colors: [u64; 2],
    /// 0 empty, else 1 + role + 8 * colour.
    board: [u8; 64],
    key: u64,
    /// Rooks that may castle, by colour: h-side, a-side.
    castling: [[u8; 2]; 2],
    kings: [u8; 2],
    turn: Color,
    en_passant: u8,
    chess960: bool,
    half_move_clock: u16,
    full_move_number: u16,
}

/// Why a [`Setup`] cannot be played from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// A side has not exactly one king.
    Kings,
    /// A pawn stands on the first or the eighth rank.
    PawnOnLastRank,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kings => "a side has not exactly one king",
            Self::PawnOnLastRank => "a pawn stands on the first or eighth rank",
        })
    }
}

impl std::error::Error for SetupError {}

const fn code(piece: Piece) -> u8 {
    1 + piece.role as u8 + 8 * piece.color as u8
}

const fn decode(code: u8) -> Option<Piece> {
    let color = if code > 8 { Color::Black } else { Color::White };
    let role = match code & 7 {
        1 => Role::Pawn,
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        6 => Role::King,
        _ => return None,
    };
    Some(Piece { color, role })
}

impl Default for Position {
    fn default() -> Self {
        Self::standard()
    }
}

impl Position {
    /// The usual start.
    pub fn standard() -> Self {
        static STANDARD: std::sync::LazyLock<Position> =
            std::sync::LazyLock::new(|| Position::build(&Setup::standard()));
        STANDARD.clone()
    }

    /// The position of a setup.
    ///
    /// Castling rights without king and rook on their rank, and en passant squares that no pawn
    /// can take on, are dropped. A side that could take the king is let be.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupError> {
        let pawn = |color| {
            setup
                .squares(Piece {
                    color,
                    role: Role::Pawn,
                })
                .0
        };
        for color in [Color::White, Color::Black] {
            setup.king(color).ok_or(SetupError::Kings)?;
        }
        if (pawn(Color::White) | pawn(Color::Black)) & 0xff00_0000_0000_00ff != 0 {
            return Err(SetupError::PawnOnLastRank);
        }
        Ok(Self::build(setup))
    }

    fn build(setup: &Setup) -> Self {
        let mut position = Self {
            roles: [0; 6],
            colors: [0; 2],
            board: [0; 64],
            key: 0,
            castling: [[NONE; 2]; 2],
            kings: [NONE; 2],
            turn: setup.turn,
            en_passant: NONE,
            chess960: false,
            half_move_clock: setup.half_move_clock,
            full_move_number: setup.full_move_number,
        };
        for square in Square::ALL {
            if let Some(piece) = setup.piece(square) {
                position.put(square, piece);
            }
        }
        for color in [Color::White, Color::Black] {
            let back = if color.is_white() { 0 } else { 7 };
            let king = position.king(color);
            for side in 0..2 {
                let Some(rook) = setup.castling[color as usize][side] else {
                    continue;
                };
                let here = position.piece_at(rook)
                    == Some(Piece {
                        color,
                        role: Role::Rook,
                    });
                let right_side = (rook.file() > king.file()) == (side == 0);
                if here && right_side && king.rank() == back && rook.rank() == back {
                    position.castling[color as usize][side] = rook.number();
                    position.key ^= keys::castling(color, side);
                    position.chess960 |=
                        king.file() != 4 || rook.file() != if side == 0 { 7 } else { 0 };
                }
            }
        }
        if setup.turn.is_white() {
            position.key ^= keys::turn();
        }
        if let Some(square) = setup.en_passant {
            let (rank, pawn) = if setup.turn.is_white() {
                (5, square.number().wrapping_sub(8))
            } else {
                (2, square.number() + 8)
            };
            let theirs = Piece {
                color: setup.turn.other(),
                role: Role::Pawn,
            };
            if square.rank() == rank
                && position.piece_at(square).is_none()
                && position.piece_at(Square::wrap(pawn)) == Some(theirs)
            {
                position.offer_en_passant(square);
            }
        }
        position
    }

    /// Everything FEN says about this position.
    pub fn to_setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for square in Square::ALL {
            setup.set(square, self.piece_at(square));
        }
        setup.turn = self.turn;
        setup.castling = self.castling.map(|sides| sides.map(Square::new));
        setup.en_passant = self.en_passant();
        setup.half_move_clock = self.half_move_clock;
        setup.full_move_number = self.full_move_number;
        setup
    }

    /// Who is to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        decode(self.board[square.index()])
    }

    /// All occupied squares.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.colors[0] | self.colors[1])
    }

    /// The squares of one side.
    #[inline]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        Bitboard(self.colors[color as usize])
    }

    /// The squares of one kind of piece, both sides.
    #[inline]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        Bitboard(self.roles[role as usize])
    }

    /// The squares of one kind of piece of one side.
    #[inline]
    pub const fn by_piece(&self, piece: Piece) -> Bitboard {
        Bitboard(self.roles[piece.role as usize] & self.colors[piece.color as usize])
    }

    /// Where a side's king stands.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::wrap(self.kings[color as usize])
    }

    /// The rook that may castle; `side` is 0 for the h-side (`O-O`), 1 for the a-side.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: usize) -> Option<Square> {
        self.castling[color as usize]
            .get(side)
            .copied()
            .and_then(Square::new)
    }

    /// The square a pawn just passed over, when a pawn of the side to move stands beside it.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant)
    }

    /// The Polyglot key.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Plies since the last capture or pawn move.
    pub const fn half_move_clock(&self) -> u16 {
        self.half_move_clock
    }

    /// Number of the full move about to be played or finished.
    #[inline]
    pub const fn full_move_number(&self) -> u16 {
        self.full_move_number
    }

    /// Whether a castling right was ever there with king or rook off their classical squares.
    pub const fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Says that the game is Chess960, whatever the castling rights look like.
    pub const fn set_chess960(&mut self) {
        self.chess960 = true;
    }

    /// Grants the castling right of a side (0 h-side, 1 a-side) when king and rook stand on their
    /// classical squares; set-up games in databases castle without a stored right.
    pub fn grant_castling(&mut self, color: Color, side: usize) -> bool {
        if side > 1 {
            return false;
        }
        let back = if color.is_white() { 0 } else { 56 };
        let rook = Square::wrap(back + if side == 0 { 7 } else { 0 });
        if self.king(color) != Square::wrap(back + 4)
            || self.piece_at(rook)
                != Some(Piece {
                    color,
                    role: Role::Rook,
                })
        {
            return false;
        }
        let right = &mut self.castling[color as usize][side];
        if *right == NONE {
            *right = rook.number();
            self.key ^= keys::castling(color, side);
        }
        true
    }

    /// The squares from which `color` attacks `square`.
    #[inline]
    pub fn attackers_to(&self, square: Square, color: Color) -> Bitboard {
        Bitboard(self.attackers(square, color, self.occupied().0))
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        !self
            .attackers_to(self.king(self.turn), self.turn.other())
            .is_empty()
    }

    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }

    #[inline]
    pub(super) fn attackers(&self, square: Square, color: Color, occupied: u64) -> u64 {
        let roles = &self.roles;
        let queens = roles[Role::Queen as usize];
        let straight = roles[Role::Rook as usize] | queens;
        let diagonal = roles[Role::Bishop as usize] | queens;
        (attacks::knight(square) & roles[Role::Knight as usize]
            | attacks::king(square) & roles[Role::King as usize]
            | attacks::pawn(color.other(), square) & roles[Role::Pawn as usize]
            | attacks::rook(square, occupied) & straight
            | attacks::bishop(square, occupied) & diagonal)
            & self.colors[color as usize]
    }

    /// Whether the mover's king is safe after a pseudo-legal move that is no castling.
    #[inline]
    pub(super) fn is_safe(&self, from: Square, to: Square) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let mut occupied = (self.occupied().0 & !from.bit()) | to.bit();
        let mut taken = to.bit();
        if to.number() == self.en_passant && self.roles[Role::Pawn as usize] & from.bit() != 0 {
            let pawn = Square::wrap(to.number() ^ 8).bit();
            occupied &= !pawn;
            taken = pawn;
        }
        let king = if king == from { to } else { king };
        self.attackers(king, us.other(), occupied) & !taken == 0
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
        let way = attacks::between(king, king_to)
            | attacks::between(rook, rook_to)
            | king_to.bit()
            | rook_to.bit();
        if others & way != 0 {
            return false;
        }
        let path = attacks::between(king, king_to) | king.bit();
        let them = us.other();
        let on_the_way = Bitboard(path)
            .into_iter()
            .all(|square| self.attackers(square, them, self.occupied().0) == 0);
        // On its last square the king may be exposed along the rank that the rook has left.
        on_the_way && self.attackers(king_to, them, others | rook_to.bit()) == 0
    }

    /// Whether the move is legal here. Any value may be asked about.
    pub fn is_legal(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            return from == self.king(self.turn) && self.can_castle(to);
        }
        let Some(piece) = self.piece_at(from) else {
            return false;
        };
        if piece.color != self.turn || self.colors[self.turn as usize] & to.bit() != 0 {
            return false;
        }
        if piece.role == Role::Pawn {
            let last = to.rank() == if self.turn.is_white() { 7 } else { 0 };
            if last != m.promotion_role().is_some() {
                return false;
            }
        } else if m.promotion_role().is_some() {
            return false;
        }
        self.reaches(piece.role, from) & to.bit() != 0 && self.is_safe(from, to)
    }

    /// The squares that a piece of the side to move can go to, the king's safety aside. Own pieces
    /// are not left out, except for pawns.
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

    #[inline(always)]
    fn put(&mut self, square: Square, piece: Piece) {
        let bit = square.bit();
        self.roles[piece.role as usize] |= bit;
        self.colors[piece.color as usize] |= bit;
        self.board[square.index()] = code(piece);
        self.key ^= keys::piece(piece, square);
        if piece.role == Role::King {
            self.kings[piece.color as usize] = square.number();
        }
    }

    #[inline(always)]
    fn take(&mut self, square: Square, piece: Piece) {
        let bit = !square.bit();
        self.roles[piece.role as usize] &= bit;
        self.colors[piece.color as usize] &= bit;
        self.board[square.index()] = 0;
        self.key ^= keys::piece(piece, square);
    }

    #[inline(always)]
    fn drop_right(&mut self, color: Color, side: usize) {
        if self.castling[color as usize][side] != NONE {
            self.castling[color as usize][side] = NONE;
            self.key ^= keys::castling(color, side);
        }
    }

    #[inline(always)]
    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant() {
            self.key ^= keys::en_passant(square.file());
            self.en_passant = NONE;
        }
    }

    /// Keeps an en passant square if a pawn of the side to move stands beside the other pawn.
    #[inline(always)]
    fn offer_en_passant(&mut self, square: Square) {
        let us = self.turn;
        let pawns = self.roles[Role::Pawn as usize] & self.colors[us as usize];
        if attacks::pawn(us.other(), square) & pawns != 0 {
            self.en_passant = square.number();
            self.key ^= keys::en_passant(square.file());
        }
    }

    /// Plays a move or passes.
    #[inline]
    pub fn play_ply(&mut self, ply: Ply) {
        match ply {
            Ply::Move(m) => self.play(m),
            Ply::Null => self.play_null(),
        }
    }

    /// Passes: the other side is to move, the en passant square is gone.
    pub fn play_null(&mut self) {
        self.clear_en_passant();
        self.end_ply();
        self.half_move_clock = self.half_move_clock.saturating_add(1);
    }

    #[inline(always)]
    fn end_ply(&mut self) {
        if !self.turn.is_white() {
            self.full_move_number = self.full_move_number.saturating_add(1);
        }
        self.turn = self.turn.other();
        self.key ^= keys::turn();
    }

    /// Plays a legal move. A move that is not legal leaves some position, without panic; a move
    /// from an empty square or onto a king changes nothing.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let us = self.turn;
        let them = us.other();
        let (from, to) = (m.from(), m.to());
        let Some(piece) = self.piece_at(from) else {
            return;
        };
        if m.is_castling() {
            self.play_castling(from, to);
            return;
        }
        let captured = self.piece_at(to);
        if captured.is_some_and(|captured| captured.role == Role::King) || piece.color != us {
            return;
        }
        let passed = self.en_passant;
        self.clear_en_passant();
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        self.take(from, piece);
        if let Some(captured) = captured {
            self.take(to, captured);
            self.half_move_clock = 0;
            if captured.role == Role::Rook {
                self.drop_rook_right(them, to);
            }
        }
        let mut double_step = None;
        match piece.role {
            Role::Pawn => {
                self.half_move_clock = 0;
                if to.number() == passed && captured.is_none() && from.file() != to.file() {
                    let pawn = Square::wrap(to.number() ^ 8);
                    self.take(
                        pawn,
                        Piece {
                            color: them,
                            role: Role::Pawn,
                        },
                    );
                } else if from.number().abs_diff(to.number()) == 16 {
                    double_step = Some(Square::wrap(from.number().midpoint(to.number())));
                }
            }
            Role::King => {
                self.drop_right(us, 0);
                self.drop_right(us, 1);
            }
            Role::Rook => self.drop_rook_right(us, from),
            _ => {}
        }
        let role = m.promotion_role().unwrap_or(piece.role);
        self.put(to, Piece { color: us, role });
        self.end_ply();
        if let Some(square) = double_step {
            self.offer_en_passant(square);
        }
    }

    #[inline(always)]
    fn drop_rook_right(&mut self, color: Color, rook: Square) {
        for side in 0..2 {
            if self.castling[color as usize][side] == rook.number() {
                self.drop_right(color, side);
            }
        }
    }

    fn play_castling(&mut self, king: Square, rook: Square) {
        let us = self.turn;
        let (king_piece, rook_piece) = (
            Piece {
                color: us,
                role: Role::King,
            },
            Piece {
                color: us,
                role: Role::Rook,
            },
        );
        if self.piece_at(king) != Some(king_piece) || self.piece_at(rook) != Some(rook_piece) {
            return;
        }
        self.clear_en_passant();
        self.drop_right(us, 0);
        self.drop_right(us, 1);
        let back = king.number() & 0x38;
        let h_side = rook.file() > king.file();
        self.take(king, king_piece);
        self.take(rook, rook_piece);
        self.put(Square::wrap(back + if h_side { 6 } else { 2 }), king_piece);
        self.put(Square::wrap(back + if h_side { 5 } else { 3 }), rook_piece);
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        self.end_ply();
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
