//! Moves as numbers of 16 bits, and all of them as text.

use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, StringArray};
use tabia::{Move, Ply, Role, Square};

/// The number of a null move.
pub(crate) const NULL_MOVE: i16 = 0;

/// Codes are below this: 64 · 64 squares and five kinds of promotion.
const CODES: usize = 64 * 64 * 5;

const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The number of a move: from + 64·to + 4096·promotion, with castling as UCI writes it: the king's move of
/// two squares, or king takes rook in Chess960 and where the king would not move.
pub(crate) fn encode(ply: Ply, chess960: bool) -> i16 {
    let Ply::Move(m) = ply else {
        return NULL_MOVE;
    };
    let (from, mut to) = (m.from(), m.to());
    if m.is_castling() && !chess960 {
        let file = if to.file() > from.file() { 6 } else { 2 };
        to = Square::from_coords(file, from.rank())
            .filter(|target| *target != from)
            .unwrap_or(to);
    }
    let promotion = m.promotion_role().map_or(0, |role| {
        PROMOTIONS
            .iter()
            .position(|other| *other == role)
            .map_or(0, |index| index + 1)
    });
    (from.index() + 64 * to.index() + 4096 * promotion) as i16
}

/// The texts of all moves that a piece can make on an empty board, and `0000`; the key of each code.
pub(crate) struct MoveTexts {
    texts: ArrayRef,
    /// For each code its index in `texts`, or -1.
    keys: Vec<i16>,
}

impl MoveTexts {
    pub(crate) fn get() -> &'static Self {
        static TEXTS: OnceLock<MoveTexts> = OnceLock::new();
        TEXTS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut texts = vec!["0000".to_owned()];
        let mut keys = vec![-1; CODES];
        for (code, key) in keys.iter_mut().enumerate() {
            if let Some(text) = text_of(code) {
                *key = texts.len() as i16;
                texts.push(text);
            } else if code == NULL_MOVE as usize {
                *key = 0;
            }
        }
        Self {
            texts: Arc::new(StringArray::from(texts)),
            keys,
        }
    }

    /// The texts, in the order of their codes.
    pub(crate) fn texts(&self) -> &ArrayRef {
        &self.texts
    }

    /// The text of a code; `None` for numbers that are no code.
    pub(crate) fn text(&self, code: i16) -> Option<&str> {
        let key = *self.keys.get(code as u16 as usize)?;
        let key = usize::try_from(key).ok()?;
        let texts = self.texts.as_string_opt::<i32>()?;
        (key < texts.len()).then(|| texts.value(key))
    }

    /// The index of a code's text; that of a null move for numbers that are no code.
    pub(crate) fn key(&self, code: i16) -> i16 {
        let key = self.keys.get(code as u16 as usize).copied();
        key.filter(|key| *key >= 0).unwrap_or(0)
    }
}

/// The text of a code, if a piece can make the move on an empty board.
fn text_of(code: usize) -> Option<String> {
    let from = Square::new((code % 64) as u8)?;
    let to = Square::new((code / 64 % 64) as u8)?;
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    let m = match code / 4096 {
        0 => {
            let is_line = files == 0 || ranks == 0 || files == ranks;
            let is_knight = files.min(ranks) == 1 && files.max(ranks) == 2;
            (from != to && (is_line || is_knight)).then(|| Move::normal(from, to))?
        }
        promotion => {
            let role = *PROMOTIONS.get(promotion - 1)?;
            let is_last = matches!((from.rank(), to.rank()), (6, 7) | (1, 0));
            (is_last && files <= 1).then(|| Move::promotion(from, to, role))?
        }
    };
    Some(m.to_string())
}

#[cfg(test)]
mod tests {
    use tabia::Position;

    use super::*;

    #[test]
    fn there_are_1968_moves_and_a_null_move() {
        let texts = MoveTexts::get();
        assert_eq!(texts.texts().len(), 1969);
        assert_eq!(texts.texts().as_string::<i32>().value(0), "0000");
        assert_eq!(texts.key(NULL_MOVE), 0);
    }

    #[test]
    fn codes_have_the_text_of_uci() {
        let texts = MoveTexts::get();
        let text = |code| {
            texts
                .texts()
                .as_string::<i32>()
                .value(texts.key(code) as usize)
        };
        let e4 = Move::normal(Square::E2, Square::E4);
        assert_eq!(encode(e4.into(), false), 12 + 64 * 28);
        assert_eq!(text(encode(e4.into(), false)), "e2e4");
        let promotion = Move::promotion(Square::A7, Square::B8, Role::Queen);
        assert_eq!(text(encode(promotion.into(), false)), "a7b8q");
        let castling = Move::castling(Square::E1, Square::H1);
        assert_eq!(text(encode(castling.into(), false)), "e1g1");
        assert_eq!(text(encode(castling.into(), true)), "e1h1");
        assert_eq!(text(encode(Ply::Null, false)), "0000");
    }

    #[test]
    fn every_legal_move_has_a_text() {
        let fens = [
            "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/1P6/3K4/8/8/6k1/1p6/R7 b - - 0 1",
        ];
        for fen in fens {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            for m in position.legal_moves() {
                for chess960 in [false, true] {
                    let mut uci = Vec::new();
                    tabia::core::chess::uci::write(m, chess960, &mut uci);
                    let texts = MoveTexts::get();
                    let key = texts.key(encode(m.into(), chess960)) as usize;
                    assert_eq!(texts.texts().as_string::<i32>().value(key).as_bytes(), uci);
                }
            }
        }
    }
}
