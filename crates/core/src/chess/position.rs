//! A playable position: bitboards, a mailbox, and the Polyglot key kept along.

use std::fmt;

use super::attacks;
use super::keys;
use super::setup::Setup;
use super::types::{Bitboard, Color, Move, Piece, Ply, Role, Square};

/// No castling rook, no en passant square.
const NONE: u8 = 64;

const PAWN: u8 = Role::Pawn as u8 + 1;
const KNIGHT: u8 = Role::Knight as u8 + 1;
const BISHOP: u8 = Role::Bishop as u8 + 1;
const ROOK: u8 = Role::Rook as u8 + 1;
const QUEEN: u8 = Role::Queen as u8 + 1;
const KING: u8 = Role::King as u8 + 1;

/// A position that can be played from: one king a side, no pawns on the last ranks.
///
/// Equality is that of everything FEN says. The key is Polyglot's: an en passant file counts only
/// when a pawn of the side to move stands beside the pawn that just moved (pseudo-legal rule), and
/// only then is the square kept.
#[derive(Clone, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub struct Position {
    /// By role + 1; the first and the last are unused.
    roles: [u64; 8],
    colors: [u64; 2],
    /// 0 empty, else 1 + role + 8 * colour.
    board: [u8; 64],
    key: u64,
    /// Squares of the kings and rooks that may still castle.
    castlers: u64,
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
            roles: [0; 8],
            colors: [0; 2],
            board: [0; 64],
            key: 0,
            castlers: 0,
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
                position.put(square, code(piece));
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
                    position.castlers |= rook.bit() | king.bit();
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
        Bitboard(self.roles[role as usize + 1])
    }

    /// The squares of one kind of piece of one side.
    #[inline]
    pub const fn by_piece(&self, piece: Piece) -> Bitboard {
        Bitboard(self.roles[piece.role as usize + 1] & self.colors[piece.color as usize])
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
            self.castlers |= rook.bit() | self.king(color).bit();
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

    #[inline(always)]
    fn role(&self, role: Role) -> u64 {
        self.roles[role as usize + 1]
    }

    #[inline]
    pub(super) fn attackers(&self, square: Square, color: Color, occupied: u64) -> u64 {
        let queens = self.role(Role::Queen);
        let straight = self.role(Role::Rook) | queens;
        let diagonal = self.role(Role::Bishop) | queens;
        (attacks::knight(square) & self.role(Role::Knight)
            | attacks::king(square) & self.role(Role::King)
            | attacks::pawn(color.other(), square) & self.role(Role::Pawn)
            | attacks::rook(square, occupied) & straight
            | attacks::bishop(square, occupied) & diagonal)
            & self.colors[color as usize]
    }

    /// Whether a piece of `color` in `mask` attacks `square`. Lines are only followed where a piece
    /// stands on one.
    #[inline(always)]
    fn is_attacked(&self, square: Square, color: Color, occupied: u64, mask: u64) -> bool {
        let theirs = self.colors[color as usize] & mask;
        let leapers = attacks::knight(square) & self.role(Role::Knight)
            | attacks::pawn(color.other(), square) & self.role(Role::Pawn)
            | attacks::king(square) & self.role(Role::King);
        if leapers & theirs != 0 {
            return true;
        }
        let queens = self.role(Role::Queen);
        let straight = (self.role(Role::Rook) | queens) & theirs & attacks::straight_rays(square);
        if straight != 0 && attacks::rook(square, occupied) & straight != 0 {
            return true;
        }
        let diagonal = (self.role(Role::Bishop) | queens) & theirs & attacks::diagonal_rays(square);
        diagonal != 0 && attacks::bishop(square, occupied) & diagonal != 0
    }

    /// Whether the mover's king is safe after a pseudo-legal move that is no castling.
    #[inline]
    pub(super) fn is_safe(&self, from: Square, to: Square) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let mut occupied = (self.occupied().0 & !from.bit()) | to.bit();
        let mut taken = to.bit();
        if to.number() == self.en_passant && self.role(Role::Pawn) & from.bit() != 0 {
            let pawn = Square::wrap(to.number() ^ 8).bit();
            occupied &= !pawn;
            taken = pawn;
        }
        let king = if king == from { to } else { king };
        !self.is_attacked(king, us.other(), occupied, !taken)
    }

    /// Whether a legal move gives check.
    #[inline]
    pub(super) fn gives_check(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from(), m.to());
        let king = self.king(us.other());
        let moved = self.board[from.index()] & 7;
        let passes = to.number() == self.en_passant && moved == Role::Pawn as u8 + 1;
        if m.is_castling() || passes {
            let mut next = self.clone();
            next.play(m);
            return next.is_check();
        }
        let role = m.promotion_role().map_or(moved, |role| role as u8 + 1);
        let occupied = (self.occupied().0 & !from.bit()) | to.bit();
        let (straight, diagonal) = (attacks::straight_rays(king), attacks::diagonal_rays(king));
        let direct = match role {
            PAWN => attacks::pawn(us, to) & king.bit() != 0,
            KNIGHT => attacks::knight(to) & king.bit() != 0,
            BISHOP | ROOK | QUEEN => {
                (role != BISHOP
                    && straight & to.bit() != 0
                    && attacks::rook(king, occupied) & to.bit() != 0)
                    || (role != ROOK
                        && diagonal & to.bit() != 0
                        && attacks::bishop(king, occupied) & to.bit() != 0)
            }
            _ => false,
        };
        if direct {
            return true;
        }
        // A line opened by the piece that left.
        let own = self.colors[us as usize] & !from.bit();
        let queens = self.role(Role::Queen);
        if straight & from.bit() != 0 {
            let sliders = (self.role(Role::Rook) | queens) & own & straight;
            sliders != 0 && attacks::rook(king, occupied) & sliders != 0
        } else if diagonal & from.bit() != 0 {
            let sliders = (self.role(Role::Bishop) | queens) & own & diagonal;
            sliders != 0 && attacks::bishop(king, occupied) & sliders != 0
        } else {
            false
        }
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
    fn put(&mut self, square: Square, code: u8) {
        let bit = square.bit();
        self.roles[usize::from(code & 7)] |= bit;
        self.colors[usize::from(code >> 3 & 1)] |= bit;
        self.board[square.index()] = code;
        self.key ^= keys::piece(code, square);
        if code & 7 == KING {
            self.kings[usize::from(code >> 3 & 1)] = square.number();
        }
    }

    #[inline(always)]
    fn take(&mut self, square: Square, code: u8) {
        let bit = !square.bit();
        self.roles[usize::from(code & 7)] &= bit;
        self.colors[usize::from(code >> 3 & 1)] &= bit;
        self.board[square.index()] = 0;
        self.key ^= keys::piece(code, square);
    }

    /// Drops the rights of the king or rook that left or was taken on one of the squares.
    #[inline(never)]
    fn drop_rights(&mut self, squares: u64) {
        let mut castlers = 0;
        for color in [Color::White, Color::Black] {
            let king = self.king(color).bit();
            for side in 0..2 {
                let Some(rook) = self.castling_rook(color, side) else {
                    continue;
                };
                if squares & (king | rook.bit()) != 0 {
                    self.castling[color as usize][side] = NONE;
                    self.key ^= keys::castling(color, side);
                } else {
                    castlers |= king | rook.bit();
                }
            }
        }
        self.castlers = castlers;
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
        let pawns = self.role(Role::Pawn) & self.colors[us as usize];
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
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        self.end_ply();
    }

    #[inline(always)]
    fn end_ply(&mut self) {
        self.full_move_number = self.full_move_number.saturating_add(self.turn as u16);
        self.turn = self.turn.other();
        self.key ^= keys::turn();
    }

    /// Plays a legal move. A move that is not legal leaves some position, without panic; a move
    /// from an empty square, of the other side or onto a king changes nothing.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            self.play_castling(from, to);
            return;
        }
        let piece = self.board[from.index()];
        let captured = self.board[to.index()];
        if piece == 0 || piece >> 3 & 1 != self.turn as u8 || captured & 7 == KING {
            return;
        }
        let passed = self.en_passant;
        self.clear_en_passant();
        let moved = from.bit() | to.bit();
        if self.castlers & moved != 0 {
            self.drop_rights(moved);
        }
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        if captured != 0 {
            self.take(to, captured);
            self.half_move_clock = 0;
        }
        let mut double_step = NONE;
        if piece & 7 == PAWN {
            self.half_move_clock = 0;
            if to.number() == passed && captured == 0 && from.file() != to.file() {
                let pawn = Square::wrap(to.number() ^ 8);
                self.take(pawn, self.board[pawn.index()]);
            } else if from.number().abs_diff(to.number()) == 16 {
                double_step = from.number().midpoint(to.number());
            }
        }
        match m.promotion_role() {
            None => self.shift(piece, from, to),
            Some(role) => {
                self.take(from, piece);
                self.put(to, piece & 8 | (role as u8 + 1));
            }
        }
        self.end_ply();
        if let Some(square) = Square::new(double_step) {
            self.offer_en_passant(square);
        }
    }

    /// Moves a piece to an empty square.
    #[inline(always)]
    fn shift(&mut self, code: u8, from: Square, to: Square) {
        let moved = from.bit() | to.bit();
        if from == to {
            return;
        }
        self.roles[usize::from(code & 7)] ^= moved;
        self.colors[usize::from(code >> 3 & 1)] ^= moved;
        self.board[from.index()] = 0;
        self.board[to.index()] = code;
        self.key ^= keys::piece(code, from) ^ keys::piece(code, to);
        if code & 7 == KING {
            self.kings[usize::from(code >> 3 & 1)] = to.number();
        }
    }

    fn play_castling(&mut self, king: Square, rook: Square) {
        let color = self.turn;
        let king_piece = code(Piece {
            color,
            role: Role::King,
        });
        let rook_piece = code(Piece {
            color,
            role: Role::Rook,
        });
        if self.board[king.index()] != king_piece || self.board[rook.index()] != rook_piece {
            return;
        }
        self.clear_en_passant();
        self.drop_rights(king.bit());
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
