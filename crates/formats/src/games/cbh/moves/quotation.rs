//! The moves of quoted games: simple words with their own substitution table, mainline only.

use tabia_core::chess::{Ply, Position, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Cursor, Sink};

use super::compact_codes;
use super::move_reader::{Board, MoveReader, SIMPLE_END, Step};
use super::piece_numbers::PieceNumbers;
use super::start_position;
use super::substitution::QUOTATIONS;

/// Reads the moves of a quoted game from all of `bytes`, whose last word must be the end mark: a
/// null move that ends the line.
pub fn decode_quoted_moves(bytes: &[u8], setup: Option<&Setup>) -> Result<Vec<Ply>, Malformed> {
    let position = match setup {
        Some(setup) => Position::from_setup(setup).map_err(|_| illegal(0))?,
        None => Position::standard(),
    };
    let numbers = PieceNumbers::new(&position, false);
    let mut board = Board { position, numbers };
    let mut reader = MoveReader::quotation(bytes);
    let mut plies = Vec::new();
    loop {
        let at = reader.offset();
        match reader.next(&mut board) {
            Step::Play(ply) => {
                board.position.play_ply(ply);
                plies.push(ply);
            }
            Step::Branch => return Err(illegal(at)),
            Step::Unreadable => return Err(reader.malformed()),
            Step::End => {
                let ended = plies.pop() == Some(Ply::Null);
                if ended && at == bytes.len() && !bytes.is_empty() {
                    return Ok(plies);
                }
                return Err(Malformed {
                    field: "moves",
                    at,
                    why: Why::Value(0),
                });
            }
        }
    }
}

/// Writes the moves of a quoted game and the end mark. `None` if a move is illegal or the start
/// position cannot be played from.
pub fn encode_quoted_moves(plies: &[Ply], setup: Option<&Setup>, sink: &mut Sink) -> Option<()> {
    let mut position = match setup {
        Some(setup) => Position::from_setup(setup).ok()?,
        None => Position::standard(),
    };
    for (count, ply) in plies.iter().enumerate() {
        let word = match *ply {
            Ply::Null => 0,
            Ply::Move(m) if !position.is_legal(m) => return None,
            Ply::Move(m) if m.is_castling() => {
                let file = if m.to().file() > m.from().file() {
                    6
                } else {
                    2
                };
                let to = Square::from_coords(file, m.from().rank())?;
                compact_codes::two_bytes(m.from(), to, None)
            }
            Ply::Move(m) => compact_codes::two_bytes(m.from(), m.to(), m.promotion_role()),
        };
        put(sink, word, count);
        position.play_ply(*ply);
    }
    put(sink, SIMPLE_END, plies.len());
    Some(())
}

/// Reads the start position of a quoted game, 28 bytes.
pub fn decode_quoted_start(cursor: &mut Cursor<'_>) -> Result<Setup, Malformed> {
    start_position::decode(cursor, false).map(|(setup, _)| setup)
}

/// Writes the start position of a quoted game. `false` if the format cannot store all of it.
pub fn encode_quoted_start(setup: &Setup, sink: &mut Sink) -> bool {
    start_position::encode(setup, false, 0, sink)
}

fn put(sink: &mut Sink, word: u16, count: usize) {
    for value in [(word >> 8) as u8, word as u8] {
        sink.u8(QUOTATIONS.stored[usize::from(value)].wrapping_add(count as u8));
    }
}

const fn illegal(at: usize) -> Malformed {
    Malformed {
        field: "move",
        at,
        why: Why::IllegalMove,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::{Move, san};

    fn plies(text: &str) -> Vec<Ply> {
        let mut position = Position::standard();
        text.split(' ')
            .map(|token| {
                let ply = san::read(&position, token.as_bytes()).unwrap();
                position.play_ply(ply);
                ply
            })
            .collect()
    }

    #[test]
    fn moves_round_trip() {
        let game = plies("e4 e5 Nf3 Nc6 Bc4 Nf6 O-O Be7 -- O-O");
        let mut sink = Sink::new();
        encode_quoted_moves(&game, None, &mut sink).unwrap();
        assert_eq!(sink.len(), 22);
        assert_eq!(decode_quoted_moves(sink.as_slice(), None), Ok(game));
    }

    #[test]
    fn empty_games_consist_of_the_end_mark() {
        let mut sink = Sink::new();
        encode_quoted_moves(&[], None, &mut sink).unwrap();
        assert_eq!(sink.as_slice(), [0xb5, 0xaf]);
        assert_eq!(decode_quoted_moves(&[0xb5, 0xaf], None), Ok(Vec::new()));
        assert!(decode_quoted_moves(&[], None).is_err());
        assert!(decode_quoted_moves(&[0xb5], None).is_err());
        assert!(decode_quoted_moves(&[0xb5, 0xaf, 0], None).is_err());
    }

    #[test]
    fn illegal_moves_are_refused() {
        let m = Move::normal(Square::ALL[4], Square::ALL[36]);
        let mut sink = Sink::new();
        assert_eq!(encode_quoted_moves(&[Ply::Move(m)], None, &mut sink), None);
    }
}
