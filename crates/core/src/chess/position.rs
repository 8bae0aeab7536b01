//! A playable position: bitboards, a mailbox, and the Polyglot key, all updated incrementally.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::keys;
use super::setup::Setup;
use super::types::{Bitboard, Color, Move, Piece, Role, Square};

/// No castling rook, no en passant square.
pub(super) const NONE: u8 = 64;

pub(super) const PAWN: u8 = Role::Pawn as u8 + 1;
pub(super) const KNIGHT: u8 = Role::Knight as u8 + 1;
pub(super) const BISHOP: u8 = Role::Bishop as u8 + 1;
pub(super) const ROOK: u8 = Role::Rook as u8 + 1;
pub(super) const QUEEN: u8 = Role::Queen as u8 + 1;
pub(super) const KING: u8 = Role::King as u8 + 1;

/// A position that can be played from: one king per side, no pawns on the first and last ranks.
///
/// Positions are equal if all six FEN fields are equal. The key is Polyglot's: an en passant square
/// is stored, and counts in the key, only when a pawn of the side to move is next to the pawn that
/// just moved (whether or not taking it is legal).
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Position;
///
/// let mut position = Position::standard();
/// for text in ["e4", "e5", "Nf3"] {
///     let ply = position.parse_san(text)?;
///     position.play_ply(ply);
/// }
/// assert_eq!(
///     position.fen(),
///     "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
/// );
///
/// let mate = Position::parse_fen(b"6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1")?;
/// let ply = mate.parse_san("Re8")?;
/// assert_eq!(mate.san(ply).to_string(), "Re8#");
/// assert!(mate.after(ply).is_checkmate());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub struct Position {
    /// Squares of each role, at index role + 1. At index 0, the code of an empty square, are those of all
    /// pieces; index 7 is unused.
    pub(super) roles: [u64; 8],
    /// Squares of each colour.
    pub(super) colors: [u64; 2],
    /// Piece codes by square: 0 for an empty square, otherwise 1 + role + 8 * colour.
    pub(super) board: [u8; 64],
    pub(super) key: u64,
    pub(super) checkers: Checkers,
    pub(super) next_move: NextMoveCache,
    /// Squares of the kings, by colour.
    pub(super) kings: [u8; 2],
    /// Squares of the kings and rooks that may still castle.
    pub(super) castlers: u64,
    /// Squares of the rooks that may castle, by colour and side (0 h-side, 1 a-side); `NONE` without
    /// the right.
    pub(super) castling: [[u8; 2]; 2],
    pub(super) turn: Color,
    pub(super) en_passant: u8,
    pub(super) opponent_in_check: OpponentMayBeInCheck,
    chess960: bool,
    pub(super) half_move_clock: u16,
    pub(super) full_move_number: u16,
}
const _: () = assert!(size_of::<Position>() == 192);

/// The pieces that give check to the side to move, computed on first use. A cache: ignored by `Eq`
/// and `Hash`.
#[derive(Clone, Copy)]
pub(super) struct Checkers(u64);

impl Checkers {
    pub(super) const UNKNOWN: Checkers = Checkers(u64::MAX);
    pub(super) const NONE: Checkers = Checkers(0);

    pub(super) const fn new(pieces: u64) -> Self {
        Self(pieces)
    }

    /// Whether the cache holds that nothing gives check.
    #[inline(always)]
    pub(super) fn are_none(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub(super) fn get(self) -> Option<u64> {
        (self.0 != Self::UNKNOWN.0).then_some(self.0)
    }
}

/// Whether the move that is written or played next is legal and gives check. A cache: ignored by
/// `Eq` and `Hash`. Bits 0-15 hold the move.
#[derive(Clone, Copy)]
pub(super) struct NextMoveCache(u32);

impl NextMoveCache {
    pub(super) const EMPTY: NextMoveCache = NextMoveCache(0);
    const KNOWN: u32 = 1 << 18;
    /// The move was tested for legality. Without this bit the caller vouches for it.
    const LEGAL: u32 = 1 << 17;
    const CHECK: u32 = 1 << 16;

    #[inline(always)]
    pub(super) fn new(m: Move, gives_check: bool) -> Self {
        let check = if gives_check { Self::CHECK } else { 0 };
        Self(u32::from(m.to_bits()) | Self::KNOWN | check)
    }

    /// As [`new`](Self::new), for a move that was tested for legality.
    #[inline(always)]
    pub(super) fn legal(m: Move, gives_check: bool) -> Self {
        Self(Self::new(m, gives_check).0 | Self::LEGAL)
    }

    /// Whether `m` gives check; `None` if the cache is for another move.
    #[inline(always)]
    pub(super) fn gives_check(self, m: Move) -> Option<bool> {
        (self.0 & !(Self::CHECK | Self::LEGAL) == u32::from(m.to_bits()) | Self::KNOWN)
            .then_some(self.0 & Self::CHECK != 0)
    }

    /// Whether the cache holds that `m` gives no check.
    #[inline(always)]
    pub(super) fn is_quiet(self, m: Move) -> bool {
        self.0 & !Self::LEGAL == u32::from(m.to_bits()) | Self::KNOWN
    }

    /// Whether the cache holds that `m` is legal.
    #[inline(always)]
    pub(super) fn is_legal(self, m: Move) -> bool {
        self.0 & !Self::CHECK == u32::from(m.to_bits()) | Self::KNOWN | Self::LEGAL
    }

    /// Whether the cache holds that `m` is legal and gives no check.
    #[inline(always)]
    pub(super) fn is_legal_and_quiet(self, m: Move) -> bool {
        self.0 == u32::from(m.to_bits()) | Self::KNOWN | Self::LEGAL
    }
}

/// Whether the side that is not to move may be in check: in positions from a setup, and after a null
/// move. Ignored by `Eq` and `Hash`.
#[derive(Clone, Copy)]
pub(super) struct OpponentMayBeInCheck(pub(super) bool);

macro_rules! ignore_in_eq_and_hash {
    ($name:ty) => {
        impl PartialEq for $name {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, _: &mut H) {}
        }
    };
}

ignore_in_eq_and_hash!(Checkers);
ignore_in_eq_and_hash!(NextMoveCache);
ignore_in_eq_and_hash!(OpponentMayBeInCheck);

/// Why a [`Setup`] cannot be played from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// A side has no king or several kings.
    Kings,
    /// A pawn is on the first or the eighth rank.
    PawnOnLastRank,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kings => "a side has not exactly one king",
            Self::PawnOnLastRank => "a pawn is on the first or eighth rank",
        })
    }
}

impl std::error::Error for SetupError {}

pub(super) const fn code(piece: Piece) -> u8 {
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
    /// The standard start position of chess.
    pub fn standard() -> Self {
        static STANDARD: std::sync::LazyLock<Position> =
            std::sync::LazyLock::new(|| Position::build(&Setup::standard()));
        STANDARD.clone()
    }

    /// The position of a setup.
    ///
    /// Castling rights without king and rook on the back rank, and en passant squares on which no
    /// pawn can take, are dropped. The side that is not to move may be in check.
    ///
    /// # Errors
    /// When a side has no king or several kings, or a pawn is on the first or eighth rank.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupError> {
        let position = Self::build(setup);
        let kings = position.roles[usize::from(KING)];
        if position.colors.map(|side| (kings & side).count_ones()) != [1; 2] {
            return Err(SetupError::Kings);
        }
        if position.roles[usize::from(PAWN)] & 0xff00_0000_0000_00ff != 0 {
            return Err(SetupError::PawnOnLastRank);
        }
        Ok(position)
    }

    /// The position of any setup, even without kings.
    fn build(setup: &Setup) -> Self {
        let mut position = Self {
            roles: [0; 8],
            colors: [0; 2],
            board: [0; 64],
            key: 0,
            checkers: Checkers::UNKNOWN,
            next_move: NextMoveCache::EMPTY,
            kings: [0; 2],
            castlers: 0,
            castling: [[NONE; 2]; 2],
            turn: setup.turn,
            en_passant: NONE,
            opponent_in_check: OpponentMayBeInCheck(true),
            chess960: false,
            half_move_clock: setup.half_move_clock,
            full_move_number: setup.full_move_number,
        };
        for square in setup.occupied() {
            if let Some(piece) = setup.piece(square) {
                position.put(square, code(piece));
            }
        }
        for color in [Color::White, Color::Black] {
            let king = position.king(color);
            for side in 0..2 {
                let Some(rook) = setup.castling[color as usize][side] else {
                    continue;
                };
                if setup.can_have_right(color, side, rook) {
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
        if let Some(square) = setup.en_passant
            && setup.was_passed(square)
        {
            position.offer_en_passant(square);
        }
        position.cache_checkers();
        position
    }

    /// The arrangement of pieces with all other FEN fields.
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

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square; `None` if it is empty.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        decode(self.board[square.index()])
    }

    /// All occupied squares.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.roles[0])
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

    /// The square of a side's king.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::wrap(self.kings[color as usize])
    }

    /// The square of the rook that may castle; `None` without the right. `side` is 0 for the h-side
    /// (`O-O`), 1 for the a-side (`O-O-O`).
    #[inline]
    pub fn castling_rook(&self, color: Color, side: usize) -> Option<Square> {
        self.castling[color as usize]
            .get(side)
            .copied()
            .and_then(Square::new)
    }

    /// The square that a pawn just passed over, if a pawn of the side to move attacks it.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant)
    }

    /// The Zobrist hash that Polyglot uses as key.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Plies since the last capture or pawn move, up to 65,535.
    pub const fn half_move_clock(&self) -> u16 {
        self.half_move_clock
    }

    /// Number of the full move that the next ply belongs to, up to 65,535.
    #[inline]
    pub const fn full_move_number(&self) -> u16 {
        self.full_move_number
    }

    /// Whether the setup had a castling right with king or rook off their classical squares, or
    /// [`set_chess960`](Self::set_chess960) was called.
    pub const fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Marks the game as Chess960 even if the castling rights do not show it.
    pub const fn set_chess960(&mut self) {
        self.chess960 = true;
    }

    /// Grants the castling right of a side (0 h-side, 1 a-side) if king and rook are on their
    /// classical squares; returns whether they are. Games in databases that start from a setup
    /// position castle without a stored right.
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
            self.next_move = NextMoveCache::EMPTY;
            *right = rook.number();
            self.castlers |= rook.bit() | self.king(color).bit();
            self.key ^= keys::castling(color, side);
        }
        true
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        Bitboard(self.checkers.get().unwrap_or_else(|| self.find_checkers()))
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no legal move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }

    /// Whether no sequence of legal moves mates either side because of the material alone (FIDE Laws of Chess 5.2.2): the
    /// kings with at most one knight or bishop, or with bishops that all move on squares of one colour.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Position;
    ///
    /// let is_draw = |fen: &str| fen.parse().map(|position: Position| position.is_insufficient_material());
    /// assert!(is_draw("8/8/4k3/8/8/3KB3/8/8 w - - 0 1")?);
    /// // A king in the corner can be mated by two knights, though not by force.
    /// assert!(!is_draw("8/8/4k3/8/8/3KN3/4N3/8 w - - 0 1")?);
    /// # Ok::<(), tabia_core::chess::PositionError>(())
    /// ```
    pub fn is_insufficient_material(&self) -> bool {
        const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
        let others = [Role::Pawn, Role::Rook, Role::Queen];
        if others.iter().any(|role| !self.by_role(*role).is_empty()) {
            return false;
        }
        let (knights, bishops) = (self.by_role(Role::Knight), self.by_role(Role::Bishop));
        if knights.is_empty() {
            let light = bishops.0 & LIGHT;
            return light == 0 || light == bishops.0;
        }
        knights.count() + bishops.count() <= 1
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_that_cannot_mate_is_found() {
        for (pieces, is_draw) in [
            ("8/8/4k3/8/8/3K4/8/8", true),
            ("8/8/4k3/8/8/3KN3/8/8", true),
            ("8/8/4kb2/8/8/3K4/8/8", true),
            // Bishops on squares of one colour, also of both sides.
            ("8/8/4kb2/8/8/3KB3/8/8", true),
            ("8/8/4kb2/8/5B2/3KB3/8/8", true),
            ("8/8/4kb2/8/6B1/3KB3/8/8", false),
            ("8/8/4k1b1/8/8/3KB3/8/8", false),
            ("8/8/4kn2/8/8/3KB3/8/8", false),
            ("8/8/4kn2/8/8/3KN3/8/8", false),
            ("8/8/4k3/8/8/3KP3/8/8", false),
            ("8/8/4k3/8/8/3KR3/8/8", false),
            ("8/8/4kq2/8/8/3K4/8/8", false),
        ] {
            let fen = format!("{pieces} w - - 0 1");
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            assert_eq!(position.is_insufficient_material(), is_draw, "{fen}");
        }
    }
}
