//! The key of a position: its pieces, en passant file and rights in 22 bytes.

use tabia_core::chess::{Color, Piece, Position, Setup, Square};

use crate::books::mirrored::board_code::Bits;
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::Sight;

/// The key of a position (FORMAT.md § Key). Keys are ordered as numbers without sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; Key::SIZE]);

impl Key {
    /// Bytes of a key.
    pub const SIZE: usize = 22;
    const BITS: u32 = 8 * Self::SIZE as u32;

    /// The key of a position and how the position is turned for it; `None` for what has no key:
    /// more pieces than fit, rights of Chess960.
    pub fn of(position: &Position) -> Option<(Self, Frame)> {
        let frame = Frame::of(position);
        let us = frame.turn();
        let mut bits = Bits::behind(0);
        bits.push_board(position, us, frame.flipped, frame.mirrored);
        let en_passant = position.en_passant();
        let en_passant = en_passant.map_or(0, |square| frame.file(square.file()) + 1);
        bits.push(en_passant, 4);
        bits.push(rights(position, us)?, 4);
        if bits.length() > Self::BITS {
            return None;
        }
        let (bytes, _) = bits.finish();
        bytes.first_chunk().map(|key| (Self(*key), frame))
    }

    /// The hash of the key as [`Sight`] has it; `None` for bytes that are the key of no position.
    pub(super) fn seen(&self) -> Option<u64> {
        let (board, behind) = position_hash::board(&self.0, 0)?;
        let mut stream = Stream {
            bytes: &self.0,
            at: behind,
        };
        let taken = match stream.bits(4)? {
            0 => 0,
            file @ 1..=8 => position_hash::en_passant(file - 1),
            _ => return None,
        };
        let rights = position_hash::rights(stream.bits(4)?);
        let is_key = position_hash::is_empty(&self.0, stream.at, Self::BITS as usize);
        is_key.then_some(board ^ taken ^ rights)
    }

    /// The hash of a position's key and how the position is turned for it; `sight` is that of the
    /// position.
    pub(super) fn seen_of(position: &Position, sight: Sight) -> Option<(u64, Frame)> {
        let frame = Frame::of(position);
        rights(position, frame.turn())?;
        let sight = if frame.mirrored {
            Sight::mirrored(position)
        } else {
            sight
        };
        let taken = position.en_passant();
        let taken = taken.map_or(0, |square| {
            position_hash::en_passant(frame.file(square.file()))
        });
        Some((sight.seen_by(frame.turn()) ^ taken, frame))
    }

    /// The position of a key, turned back by `frame`; `None` when the bytes are no key of a
    /// position that is turned so.
    ///
    /// Which of the frames is right the key does not say: it stands for all of them.
    pub fn position(&self, frame: Frame) -> Option<Position> {
        let us = frame.turn();
        let mut setup = Setup::empty();
        setup.turn = us;
        let behind = position_hash::each_piece(&self.0, 0, |stored, role, is_theirs| {
            let color = if is_theirs { us.other() } else { us };
            setup.set(frame.square(stored), Some(Piece { color, role }));
        });
        let mut stream = Stream {
            bytes: &self.0,
            at: behind?,
        };
        if let Some(file) = stream.bits(4)?.checked_sub(1) {
            let rank = if us.is_white() { 5 } else { 2 };
            setup.en_passant = Some(Square::from_coords(frame.file(file), rank)?);
        }
        for (color, side) in rights_order(us) {
            if stream.bits(1)? == 1 && !setup.grant_classical_castling(color, side) {
                return None;
            }
        }
        let position = Position::from_setup(&setup).ok()?;
        // Whatever else contradicts the rules does not give the same key again.
        (Self::of(&position)? == (*self, frame)).then_some(position)
    }
}

/// The opponent short and long, then the side to move.
fn rights_order(us: Color) -> [(Color, usize); 4] {
    [(us.other(), 0), (us.other(), 1), (us, 0), (us, 1)]
}

/// The rights as four bits; `None` when king or rook stand elsewhere than usual.
fn rights(position: &Position, us: Color) -> Option<u8> {
    let mut bits = 0;
    for (color, side) in rights_order(us) {
        bits <<= 1;
        if let Some(rook) = position.castling_rook(color, side) {
            let usual = rook.file() == if side == 0 { 7 } else { 0 };
            if !usual || position.king(color).file() != 4 {
                return None;
            }
            bits |= 1;
        }
    }
    Some(bits)
}

/// Reads bits one after another.
struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Stream<'_> {
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
