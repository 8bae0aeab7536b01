//! The key of a position: its pieces, en passant file and castling rights in 22 bytes.

use tabia_core::chess::{Color, Piece, Position, Setup, Square};

use crate::books::mirrored::board_code::{BitWriter, for_each_piece, is_zero};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::MirrorHash;

/// The key of a position (FORMAT.md § Key). Keys are ordered as unsigned big-endian numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; Key::SIZE]);

impl Key {
    /// Bytes of a key.
    pub const SIZE: usize = 22;
    const BITS: u32 = 8 * Self::SIZE as u32;

    /// The key of a position and the orientation in which it is stored. `None` for positions without
    /// a key: those with more pieces than fit, and those with castling rights of Chess960.
    pub fn of(position: &Position) -> Option<(Self, Orientation)> {
        let orientation = Orientation::of(position);
        let mut bits = BitWriter::with_prefix(0);
        bits.push_board(position, orientation);
        let en_passant = position.en_passant();
        let en_passant = en_passant.map_or(0, |square| orientation.file(square.file()) + 1);
        bits.push(en_passant, 4);
        bits.push(rights(position, orientation.turn())?, 4);
        if bits.length() > Self::BITS {
            return None;
        }
        let (bytes, _) = bits.finish();
        bytes.first_chunk().map(|key| (Self(*key), orientation))
    }

    /// The hash of the key, equal to [`mirror_hash_of`](Key::mirror_hash_of) its position; `None` for
    /// bytes that are not the key of a position.
    pub(super) fn mirror_hash(&self) -> Option<u64> {
        let (board, board_end) = position_hash::stored_board(&self.0, 0)?;
        let mut reader = BitReader {
            bytes: &self.0,
            at: board_end,
        };
        let en_passant = match reader.bits(4)? {
            0 => 0,
            file @ 1..=8 => position_hash::en_passant(file - 1),
            _ => return None,
        };
        let rights = position_hash::rights(reader.bits(4)?);
        let is_key = is_zero(&self.0, reader.at, Self::BITS as usize);
        is_key.then_some(board ^ en_passant ^ rights)
    }

    /// The hash of a position's key and the orientation in which the position is stored; `hash` is
    /// that of the position.
    pub(super) fn mirror_hash_of(
        position: &Position,
        hash: MirrorHash,
    ) -> Option<(u64, Orientation)> {
        let orientation = Orientation::of(position);
        rights(position, orientation.turn())?;
        let en_passant = position.en_passant();
        let en_passant = en_passant.map_or(0, |square| {
            position_hash::en_passant(orientation.file(square.file()))
        });
        let hash = hash.in_orientation(position, orientation);
        Some((hash ^ en_passant, orientation))
    }

    /// The position of a key in an orientation; `None` if the bytes are not the key of a position
    /// that is stored in this orientation.
    ///
    /// The key does not contain the orientation: it is that of the positions in all of them.
    pub fn position(&self, orientation: Orientation) -> Option<Position> {
        let us = orientation.turn();
        let mut setup = Setup::empty();
        setup.turn = us;
        let board_end = for_each_piece(&self.0, 0, |stored, role, is_opponent| {
            let color = if is_opponent { us.other() } else { us };
            setup.set(orientation.square(stored), Some(Piece { color, role }));
        });
        let mut reader = BitReader {
            bytes: &self.0,
            at: board_end?,
        };
        if let Some(file) = reader.bits(4)?.checked_sub(1) {
            let rank = if us.is_white() { 5 } else { 2 };
            setup.en_passant = Some(Square::from_coords(orientation.file(file), rank)?);
        }
        for (color, side) in rights_order(us) {
            if reader.bits(1)? == 1 && !setup.grant_classical_castling(color, side) {
                return None;
            }
        }
        let position = Position::from_setup(&setup).ok()?;
        // Rejects all other keys that no position has.
        (Self::of(&position)? == (*self, orientation)).then_some(position)
    }
}

/// The castling rights in the order of their bits: the opponent's, then those of the side to move,
/// each short and long.
fn rights_order(us: Color) -> [(Color, usize); 4] {
    [(us.other(), 0), (us.other(), 1), (us, 0), (us, 1)]
}

/// The castling rights as four bits; `None` if king or rook are not on their standard squares.
fn rights(position: &Position, us: Color) -> Option<u8> {
    let mut bits = 0;
    for (color, side) in rights_order(us) {
        bits <<= 1;
        if let Some(rook) = position.castling_rook(color, side) {
            let is_standard = rook.file() == if side == 0 { 7 } else { 0 };
            if !is_standard || position.king(color).file() != 4 {
                return None;
            }
            bits |= 1;
        }
    }
    Some(bits)
}

/// Reads bits, the most significant first.
struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn bits(&mut self, count: u32) -> Option<u8> {
        let mut bits = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            bits = bits << 1 | (byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(bits)
    }
}
