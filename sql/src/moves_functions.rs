//! Functions over the column `moves`: the position after a number of plies, and what is on the board there.
//!
//! A game that begins elsewhere than usual needs its column `fen` as the last argument. What cannot be played from the
//! start has no position: the answer is null, never one of another game.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int64Array, ListArray, StringArray, StringViewArray,
};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{exec_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use tabia::Position;
use tabia::book::position_arg::{position_of, position_of_fen};
use tabia::query::openings::GameOpening;

/// What a function answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    Fen,
    Key,
    Material,
    Opening,
    Reaches,
}

/// All functions.
pub(crate) fn all() -> Vec<ScalarUDF> {
    use Question::{Fen, Key, Material, Opening, Reaches};
    let questions = [Fen, Key, Material, Opening, Reaches];
    let function = |question| ScalarUDF::new_from_impl(MovesFunction::new(question));
    questions.into_iter().map(function).collect()
}

/// A function of SQL.
#[derive(Debug, PartialEq, Eq, Hash)]
struct MovesFunction {
    question: Question,
    signature: Signature,
}

impl MovesFunction {
    fn new(question: Question) -> Self {
        Self {
            question,
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

/// The type of the column `moves` as the functions take it.
fn moves_type() -> DataType {
    DataType::new_list(DataType::Utf8View, true)
}

impl ScalarUDFImpl for MovesFunction {
    fn name(&self) -> &'static str {
        match self.question {
            Question::Fen => "fen_at",
            Question::Key => "key_at",
            Question::Material => "material_at",
            Question::Opening => "opening_at",
            Question::Reaches => "reaches",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.question {
            Question::Fen | Question::Material | Question::Opening => DataType::Utf8,
            Question::Key => DataType::Int64,
            Question::Reaches => DataType::Boolean,
        })
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.name();
        let second = match self.question {
            Question::Reaches => DataType::Utf8View,
            _ => DataType::Int64,
        };
        let wanted = [moves_type(), second, DataType::Utf8View];
        let is_list = types.first().is_some_and(|data| {
            matches!(
                data,
                DataType::List(_) | DataType::LargeList(_) | DataType::Null
            )
        });
        let is_number = match types.get(1) {
            Some(data) if self.question != Question::Reaches => data.is_integer() || data.is_null(),
            _ => true,
        };
        if !is_list || !is_number || !(2..=3).contains(&types.len()) {
            let second = match self.question {
                Question::Reaches => "'a FEN, or moves as 1. e4 c5'",
                _ => "ply",
            };
            return plan_err!(
                "{name} takes the moves of a game: {name}(moves, {second}), \
                 and the column fen for games that begin elsewhere"
            );
        }
        Ok(wanted.into_iter().take(types.len()).collect())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let (moves, second, start) = match arrays.as_slice() {
            [moves, second] => (moves, second, None),
            [moves, second, start] => (moves, second, Some(start.as_string_view())),
            _ => return exec_err!("{} takes two or three arguments", self.name()),
        };
        let games = Games {
            moves: moves.as_list::<i32>(),
            starts: start,
        };
        let rows = 0..rows.min(moves.len());
        let array: ArrayRef = match self.question {
            Question::Reaches => {
                let mut target = Target::default();
                let positions = second.as_string_view();
                let mut answers = Vec::with_capacity(rows.len());
                for row in rows {
                    let text = positions.is_valid(row).then(|| positions.value(row));
                    answers.push(match text {
                        Some(text) => games.reaches(row, target.key(text)?),
                        None => None,
                    });
                }
                Arc::new(BooleanArray::from(answers))
            }
            question => {
                let plies = second.as_primitive::<Int64Type>();
                let ply = |row: usize| {
                    let ply = plies.is_valid(row).then(|| plies.value(row));
                    ply.and_then(|ply| usize::try_from(ply).ok())
                };
                match question {
                    Question::Key => Arc::new(Int64Array::from_iter(rows.map(|row| {
                        let position = games.position(row, ply(row)?, &mut |_| ())?;
                        Some((position.key() ^ (1 << 63)).cast_signed())
                    }))),
                    Question::Opening => Arc::new(StringArray::from_iter(rows.map(|row| {
                        let mut opening = GameOpening::default();
                        games.position(row, ply(row)?, &mut |position| opening.look(position))?;
                        opening.found().map(|(opening, _)| opening.name)
                    }))),
                    _ => Arc::new(StringArray::from_iter(rows.map(|row| {
                        let position = games.position(row, ply(row)?, &mut |_| ())?;
                        let fen = position.fen();
                        Some(if question == Question::Fen {
                            fen
                        } else {
                            material(&fen)
                        })
                    }))),
                }
            }
        };
        Ok(ColumnarValue::Array(array))
    }
}

/// The moves of some games, and the positions that they begin from.
struct Games<'a> {
    moves: &'a ListArray,
    starts: Option<&'a StringViewArray>,
}

impl Games<'_> {
    /// The position before the first move; `None` for a FEN that is none.
    fn start(&self, row: usize) -> Option<Position> {
        match self.starts.filter(|starts| starts.is_valid(row)) {
            Some(starts) => position_of_fen(starts.value(row)).ok(),
            None => Some(Position::standard()),
        }
    }

    /// The position after some plies; all positions until then are looked at. `None` if the game has fewer plies, or one
    /// of them cannot be played.
    fn position(
        &self,
        row: usize,
        plies: usize,
        look: &mut dyn FnMut(&Position),
    ) -> Option<Position> {
        if self.moves.is_null(row) {
            return None;
        }
        let moves = self.moves.value(row);
        let moves = moves.as_string_view();
        if moves.len() < plies {
            return None;
        }
        let mut position = self.start(row)?;
        look(&position);
        for text in moves.iter().take(plies) {
            let ply = position.parse_uci(text?)?;
            position.play_ply(ply);
            look(&position);
        }
        Some(position)
    }

    /// Whether a position of the game has this key; `None` if that is not known.
    fn reaches(&self, row: usize, key: u64) -> Option<bool> {
        if self.moves.is_null(row) {
            return None;
        }
        let moves = self.moves.value(row);
        let moves = moves.as_string_view();
        let mut position = self.start(row)?;
        if position.key() == key {
            return Some(true);
        }
        for text in moves {
            let ply = position.parse_uci(text?)?;
            position.play_ply(ply);
            if position.key() == key {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The position that games are asked for; mostly it is the same in all rows.
#[derive(Default)]
struct Target {
    text: String,
    key: Option<u64>,
}

impl Target {
    /// # Errors
    /// A text that is neither a FEN nor moves.
    fn key(&mut self, text: &str) -> Result<u64> {
        if let Some(key) = self.key.filter(|_| self.text == text) {
            return Ok(key);
        }
        match position_of(text) {
            Ok(position) => {
                text.clone_into(&mut self.text);
                self.key = Some(position.key());
                Ok(position.key())
            }
            Err(error) => exec_err!("reaches: {error}"),
        }
    }
}

/// The pieces of a FEN as `mat:` of a query has them: White's, then Black's, the king first.
fn material(fen: &str) -> String {
    let board = fen.split(' ').next().unwrap_or_default();
    let count = |piece: char| board.chars().filter(|c| *c == piece).count();
    let side = |pieces: &str| -> String {
        let each = pieces.chars().map(|piece| {
            let name = piece.to_ascii_uppercase().to_string();
            name.repeat(count(piece))
        });
        each.collect()
    };
    side("KQRBNP") + &side("kqrbnp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_that_of_queries() {
        assert_eq!(material("8/5k1r/8/8/8/1PK5/8/R7 w - - 0 1"), "KRPKR");
    }
}
