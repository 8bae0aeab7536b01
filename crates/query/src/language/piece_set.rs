//! Sets of pieces.

use tabia_core::chess::{Color, Piece, Position, Role};

/// A set of pieces: bit 6 * colour + role; bit 12 for an empty square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceSet(pub(super) u16);

pub(super) const EMPTY: u16 = 1 << 12;

const WHITE: u16 = 0x3f;

const BLACK: u16 = WHITE << 6;

pub(super) const MEN: u16 = WHITE | BLACK;

const MINOR: u16 = 1 << Role::Knight as u16 | 1 << Role::Bishop as u16;

impl PieceSet {
    /// The set of a letter.
    pub(super) fn letter(letter: char) -> Option<u16> {
        Some(match letter {
            'A' => WHITE,
            'a' => BLACK,
            'M' => MINOR,
            'm' => MINOR << 6,
            '_' => EMPTY,
            '!' => MEN,
            '?' => MEN | EMPTY,
            _ => {
                let piece = Piece::from_fen_char(u8::try_from(letter).ok()?)?;
                1 << (6 * piece.color as u16 + piece.role as u16)
            }
        })
    }

    /// Parses `Q`, `[Qr]` or `[^P]` at the start of a text; the set and the rest.
    pub(super) fn parse(text: &str) -> Option<(Self, &str)> {
        if let Some(rest) = text.strip_prefix('[') {
            let (letters, rest) = rest.split_once(']')?;
            let (letters, is_negated) = match letters.strip_prefix('^') {
                Some(letters) => (letters, true),
                None => (letters, false),
            };
            let mut set = 0;
            for letter in letters.chars() {
                set |= Self::letter(letter)?;
            }
            let set = if is_negated {
                !set & (MEN | EMPTY)
            } else {
                set
            };
            return (!letters.is_empty()).then_some((Self(set), rest));
        }
        let letter = text.chars().next()?;
        let rest = text.get(letter.len_utf8()..)?;
        Some((Self(Self::letter(letter)?), rest))
    }

    /// The set with colours exchanged if `color`.
    pub(super) fn mirror(self, color: bool) -> Self {
        if !color {
            return self;
        }
        let (white, black) = (self.0 & WHITE, self.0 & BLACK);
        Self(white << 6 | black >> 6 | self.0 & EMPTY)
    }

    /// The squares with a piece of the set.
    pub(super) fn squares(self, position: &Position) -> u64 {
        let mut squares = 0;
        for (color, roles) in [
            (Color::White, self.0 & WHITE),
            (Color::Black, self.0 >> 6 & WHITE),
        ] {
            let own = position.by_color(color).0;
            let mut rest = roles;
            while rest != 0 {
                let role = Role::ALL.get(rest.trailing_zeros() as usize);
                squares |= role.map_or(0, |&role| own & position.by_role(role).0);
                rest &= rest - 1;
            }
        }
        if self.0 & EMPTY != 0 {
            squares |= !position.occupied().0;
        }
        squares
    }
}
