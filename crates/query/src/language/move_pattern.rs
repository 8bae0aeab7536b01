//! [`MovePattern`]: a move as far as a text describes it.

use tabia_core::chess::{Ply, Position, Role, Square};

use super::inputs_of_tests::PlayedMoves;
use super::square_set::{FILE_A, mirror_squares};

/// A move as far as a text describes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct MovePattern {
    kind: MoveKind,
    role: Option<Role>,
    /// Squares that the piece may come from and go to; all if 0.
    from: u64,
    to: u64,
    captures: bool,
    promotes_to: Option<Role>,
    checks: bool,
    mates: bool,
}

const FIRST_AND_LAST_RANK: u64 = 0xff00_0000_0000_00ff;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MoveKind {
    #[default]
    Any,
    /// A move of one piece, castling excluded.
    Piece,
    /// In coordinates, where castling is the king's move.
    Coordinates,
    ShortCastling,
    LongCastling,
    Castling,
    EnPassant,
    Promotion,
    UnderPromotion,
    Null,
}

impl MovePattern {
    /// Parses SAN, coordinates, `=N` or the name of a kind of moves.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut pattern = Self::default();
        match text.to_ascii_lowercase().as_str() {
            "enpassant" => pattern.kind = MoveKind::EnPassant,
            "castling" => pattern.kind = MoveKind::Castling,
            "promotion" => pattern.kind = MoveKind::Promotion,
            "underpromotion" => pattern.kind = MoveKind::UnderPromotion,
            "capture" => pattern.captures = true,
            "check" => pattern.checks = true,
            "--" => pattern.kind = MoveKind::Null,
            _ => return Self::parse_san(text),
        }
        Some(pattern)
    }

    fn parse_san(text: &str) -> Option<Self> {
        let mut pattern = Self {
            kind: MoveKind::Piece,
            ..Self::default()
        };
        let mut rest = text;
        if let Some(before) = rest.strip_suffix('#') {
            (pattern.mates, rest) = (true, before);
        } else if let Some(before) = rest.strip_suffix('+') {
            (pattern.checks, rest) = (true, before);
        }
        match rest {
            "O-O" | "0-0" => {
                pattern.kind = MoveKind::ShortCastling;
                return Some(pattern);
            }
            "O-O-O" | "0-0-0" => {
                pattern.kind = MoveKind::LongCastling;
                return Some(pattern);
            }
            _ => {}
        }
        let promoted = |letter: &str| match letter.as_bytes() {
            [letter] => {
                Role::from_char(*letter).filter(|role| !matches!(role, Role::Pawn | Role::King))
            }
            _ => None,
        };
        if let Some((before, letter)) = rest.split_once('=') {
            pattern.promotes_to = Some(promoted(letter)?);
            rest = before;
            if rest.is_empty() {
                pattern.kind = MoveKind::Promotion;
                return Some(pattern);
            }
        }
        let bytes = rest.as_bytes();
        if let [a, b, c, d, more @ ..] = bytes
            && let (Some(from), Some(to)) = (Square::parse(&[*a, *b]), Square::parse(&[*c, *d]))
            && more.len() <= 1
        {
            pattern.kind = MoveKind::Coordinates;
            (pattern.from, pattern.to) = (from.bit(), to.bit());
            if let [letter] = more {
                let letter = Role::from_char(*letter);
                pattern.promotes_to =
                    Some(letter.filter(|role| !matches!(role, Role::Pawn | Role::King))?);
            }
            return Some(pattern);
        }
        pattern.role = Some(match bytes.first()? {
            letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P') => {
                rest = rest.get(1..)?;
                Role::from_char(*letter)?
            }
            _ => Role::Pawn,
        });
        let target = rest.len().checked_sub(2)?;
        let to = Square::parse(rest.get(target..)?.as_bytes())?;
        pattern.to = to.bit();
        let mut source = rest.get(..target)?;
        if let Some(before) = source.strip_suffix(['x', '-', ':']) {
            pattern.captures = !source.ends_with('-');
            source = before;
        }
        pattern.from = match source.as_bytes() {
            [] => 0,
            [file @ b'a'..=b'h'] => FILE_A << (file - b'a'),
            [rank @ b'1'..=b'8'] => 0xff << (8 * (rank - b'1')),
            square => Square::parse(square)?.bit(),
        };
        Some(pattern)
    }

    pub(super) fn mirror(&self, color: bool, files: bool) -> Self {
        let kind = match self.kind {
            MoveKind::ShortCastling if files => MoveKind::LongCastling,
            MoveKind::LongCastling if files => MoveKind::ShortCastling,
            kind => kind,
        };
        Self {
            kind,
            from: mirror_squares(self.from, color, files),
            to: mirror_squares(self.to, color, files),
            ..self.clone()
        }
    }

    /// The moves among which those are that fit.
    pub(super) fn played_moves(&self) -> PlayedMoves {
        let to = match self.kind {
            // A null move goes nowhere, and castling in coordinates to another square than the rook's.
            MoveKind::Null => return PlayedMoves::ANY,
            MoveKind::Coordinates => self.to | FIRST_AND_LAST_RANK,
            MoveKind::ShortCastling
            | MoveKind::LongCastling
            | MoveKind::Castling
            | MoveKind::Promotion
            | MoveKind::UnderPromotion => FIRST_AND_LAST_RANK,
            _ if self.to == 0 => u64::MAX,
            _ => self.to,
        };
        let captures = self.captures || self.kind == MoveKind::EnPassant;
        PlayedMoves { to, captures }
    }

    pub(super) fn fits(&self, position: &Position, ply: Ply) -> bool {
        let Ply::Move(m) = ply else {
            return self.kind == MoveKind::Null;
        };
        let (from, to) = (m.from(), m.to());
        let is_castling = m.is_castling();
        let is_long = to.file() < from.file();
        let role = position.piece_at(from).map(|piece| piece.role);
        let is_en_passant =
            role == Some(Role::Pawn) && from.file() != to.file() && position.piece_at(to).is_none();
        let captures = !is_castling && (is_en_passant || position.piece_at(to).is_some());
        let promotion = m.promotion_role();
        // In coordinates, the king's own target square.
        let target = if is_castling && self.kind == MoveKind::Coordinates {
            let file = if is_long { 2 } else { 6 };
            Square::from_coords(file, from.rank()).unwrap_or(to)
        } else {
            to
        };
        let is_kind = match self.kind {
            MoveKind::Any | MoveKind::Coordinates => true,
            MoveKind::Piece => !is_castling,
            MoveKind::ShortCastling => is_castling && !is_long,
            MoveKind::LongCastling => is_castling && is_long,
            MoveKind::Castling => is_castling,
            MoveKind::EnPassant => is_en_passant,
            MoveKind::Promotion => promotion.is_some(),
            MoveKind::UnderPromotion => promotion.is_some_and(|role| role != Role::Queen),
            MoveKind::Null => false,
        };
        let has = |set: u64, square: Square| set == 0 || set & square.bit() != 0;
        if !is_kind
            || !has(self.to, target)
            || !has(self.from, from)
            || self.role.is_some_and(|wanted| role != Some(wanted))
            || (self.captures && !captures)
            || self
                .promotes_to
                .is_some_and(|wanted| promotion != Some(wanted))
        {
            return false;
        }
        if !self.checks && !self.mates {
            return true;
        }
        let after = position.after(m);
        after.is_check() && (!self.mates || after.is_checkmate())
    }
}
