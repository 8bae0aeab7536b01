//! The key of a position: its pieces, rights and en passant file in 12 to 31 bytes.

use tabia_core::chess::{Color, Move, Piece, Position, Role, Setup, Square};

use super::hash::hash;
use crate::books::mirrored::board_code::Bits;
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::Sight;

/// Bits of the first byte: length of the key, en passant file present, rights present.
const LENGTH: u8 = 0x1f;
const EN_PASSANT: u8 = 0x20;
const CASTLING: u8 = 0x40;

/// The shortest key: 64 squares of which 62 are empty take 74 bits.
pub(super) const SHORTEST: usize = 11;
/// The longest key its first byte can tell.
const LONGEST: usize = 31;

/// The key of a position, its length in the first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    bytes: [u8; 32],
}

impl Key {
    /// The bytes as they are stored.
    pub fn as_bytes(&self) -> &[u8] {
        let length = usize::from(self.bytes[0] & LENGTH);
        self.bytes.get(..length).unwrap_or_default()
    }

    /// Whether a stored key tells an en passant file.
    pub(super) fn has_en_passant(stored: &[u8]) -> bool {
        stored.first().is_some_and(|head| head & EN_PASSANT != 0)
    }

    /// The hash that says on which page the record is.
    pub fn hash(&self) -> u32 {
        hash(self.as_bytes())
    }

    /// What tells keys apart in memory: see [`seen`].
    pub(super) fn seen(&self) -> Option<u64> {
        seen(self.as_bytes())
    }

    /// The bytes with zeros behind them.
    pub(super) const fn padded(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The way back.
    pub(super) const fn from_padded(bytes: [u8; 32]) -> Self {
        Self { bytes }
    }

    /// From bytes of a record.
    pub(super) fn from_stored(stored: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..stored.len())?.copy_from_slice(stored);
        (usize::from(bytes[0] & LENGTH) == stored.len()).then_some(Self { bytes })
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(")?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// The keys under which a position can be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// How the position is turned.
    pub frame: Frame,
    /// The key: the en passant file only when a capture is legal.
    pub key: Key,
    /// The other form, with the file, when a pawn stands ready that may not take.
    pub other: Option<Key>,
}

impl Keys {
    /// `None` for what has no key: more pieces than fit, rights of Chess960.
    pub fn of(position: &Position) -> Option<Self> {
        let frame = Frame::of(position);
        let castling = rights(position, frame)?;
        let Some(square) = position.en_passant() else {
            let (key, other) = (encode(position, frame, castling, None)?, None);
            return Some(Self { frame, key, other });
        };
        let with = encode(position, frame, castling, Some(frame.file(square.file())))?;
        if can_take(position, square) {
            let (key, other) = (with, None);
            return Some(Self { frame, key, other });
        }
        let key = encode(position, frame, castling, None)?;
        let other = Some(with);
        Some(Self { frame, key, other })
    }
}

/// The hash of a stored key as [`Sight`] has it; `None` for bytes that are the key of no position.
pub(super) fn seen(stored: &[u8]) -> Option<u64> {
    let &head = stored.first()?;
    let (board, behind) = position_hash::board(stored, 8)?;
    let (castles, takes) = (head & CASTLING != 0, head & EN_PASSANT != 0);
    let tail = if castles { 4 } else { 0 } + if takes { 3 } else { 0 };
    // Zeros up to the tail, which ends the byte; without one there is at least one of them.
    let end = (stored.len() * 8).checked_sub(tail)?;
    let zeros = end.checked_sub(behind)?;
    let fits = if tail == 0 { 1..=8 } else { 0..=7 };
    let &last = stored.last()?;
    let rights = if castles { last & 15 } else { 0 };
    let is_key = head & !(CASTLING | EN_PASSANT) == stored.len() as u8
        && fits.contains(&zeros)
        && position_hash::is_empty(stored, behind, end)
        && castles == (rights != 0);
    let file = if castles { last >> 4 } else { last };
    let taken = if takes {
        position_hash::en_passant(file)
    } else {
        0
    };
    is_key.then_some(board ^ position_hash::rights(rights) ^ taken)
}

/// How a position is turned, and the hashes under which it can be stored, like [`Keys`]; `sight` is
/// that of the position.
pub(super) fn seen_keys(position: &Position, sight: Sight) -> Option<(Frame, u64, Option<u64>)> {
    let frame = Frame::of(position);
    rights(position, frame)?;
    let sight = if frame.mirrored {
        Sight::mirrored(position)
    } else {
        sight
    };
    let key = sight.seen_by(frame.turn());
    let Some(square) = position.en_passant() else {
        return Some((frame, key, None));
    };
    let with = key ^ position_hash::en_passant(frame.file(square.file()));
    if can_take(position, square) {
        Some((frame, with, None))
    } else {
        Some((frame, key, Some(with)))
    }
}

/// Whether a pawn may really take en passant.
fn can_take(position: &Position, square: Square) -> bool {
    let back = if position.turn().is_white() { 4 } else { 3 };
    [square.file().wrapping_sub(1), square.file() + 1]
        .into_iter()
        .filter_map(|file| Square::from_coords(file, back))
        .any(|from| {
            let pawn = Piece {
                color: position.turn(),
                role: Role::Pawn,
            };
            position.piece_at(from) == Some(pawn) && position.is_legal(Move::normal(from, square))
        })
}

/// The rights as four bits, from the high one: opponent's king side and queen side, own king side
/// and queen side. `None` when king or rook stand elsewhere than usual.
fn rights(position: &Position, frame: Frame) -> Option<u8> {
    let own = frame.turn();
    let mut bits = 0;
    for (color, back) in [(own.other(), 7), (own, 0)] {
        for (side, file) in [(0, 7), (1, 0)] {
            bits <<= 1;
            if let Some(rook) = position.castling_rook(color, side) {
                let usual = frame.stored(rook) == file * 8 + back
                    && frame.stored(position.king(color)) == 4 * 8 + back;
                if !usual {
                    return None;
                }
                bits |= 1;
            }
        }
    }
    Some(bits)
}

fn encode(position: &Position, frame: Frame, castling: u8, en_passant: Option<u8>) -> Option<Key> {
    let mut bits = Bits::behind(1);
    bits.push_board(position, frame.turn(), frame.flipped, frame.mirrored);
    let mut head = 0;
    let mut tail = 0;
    if en_passant.is_some() {
        head |= EN_PASSANT;
        tail += 3;
    }
    if castling != 0 {
        head |= CASTLING;
        tail += 4;
    }
    // The end stands at the end of a byte; without one there is at least one zero.
    let odd = bits.length() % 8;
    let pad = match tail {
        0 => 8 - odd,
        _ => (16 - odd - tail) % 8,
    };
    bits.push(0, pad);
    bits.push(en_passant.unwrap_or(0), tail & 3);
    bits.push(castling, tail & 4);
    let (all, length) = bits.finish();
    if length > LONGEST {
        return None;
    }
    let mut bytes = *all.first_chunk::<32>()?;
    bytes[0] = head | length as u8;
    Some(Key { bytes })
}

/// The position of a stored key, turned back by `frame`; `None` when the bytes are no position.
///
/// Which of the frames is right the key does not say: the record stands for all of them.
pub fn decode(key: &[u8], frame: Frame) -> Option<Position> {
    let &head = key.first()?;
    let own = frame.turn();
    let mut setup = Setup::empty();
    setup.turn = own;
    let behind = position_hash::each_piece(key, 8, |stored, role, is_theirs| {
        let color = if is_theirs { own.other() } else { own };
        setup.set(frame.square(stored), Some(Piece { color, role }));
    })?;
    if behind > key.len() * 8 {
        return None;
    }
    let last = key.last().copied().unwrap_or_default();
    let mut en_passant = last;
    if head & CASTLING != 0 {
        en_passant = last >> 4;
        let rooks = [(own.other(), 0), (own.other(), 1), (own, 0), (own, 1)];
        for (bit, (color, side)) in (0..4).rev().zip(rooks) {
            if last >> bit & 1 == 1 {
                setup.grant_classical_castling(color, side);
            }
        }
    }
    if head & EN_PASSANT != 0 {
        let file = frame.file(en_passant & 7);
        setup.en_passant = Square::from_coords(file, if own == Color::White { 5 } else { 2 });
    }
    Position::from_setup(&setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(fen: &str) -> Keys {
        let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
        Keys::of(&Position::from_setup(&setup).unwrap()).unwrap()
    }

    /// Keys and hashes found in real books.
    #[rustfmt::skip]
    const KNOWN: [(&str, &str, u32); 9] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "56b60f7960f3a60f58b078e0c1e1a60f5960f3b60f7f", 0xeb7e_d3d7),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "56b60f7960f3a60f58b078e0c721a60f5960f3b60f7f", 0x8c97_8593),
        ("rnbqkbnr/pp3ppp/4p3/2ppP3/3P4/8/PPP2PPP/RNBQKBNR w KQkq c6 0 1",
            "56b60f7960f3a639588dc8e01ba1a60f5960f3b60f7f", 0x5fdd_f641),
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 1",
            "56b60f7960f3a18f58b078e0c742a60f5960f3b60f73", 0x0a27_d994),
        ("rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N2N2/PP2PPPP/2RQKB1R b K - 0 1",
            "56b60e960ea63cd788dc8d4c3c36d227eb0654e60f78", 0x67b5_6116),
        ("rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 1",
            "77b60f7960f3a639588678e0c721a60f5960f3b60f704f", 0x7dc0_5607),
        ("rnbq1rk1/pp3pbp/3p1np1/2pPp3/2P5/4PN2/PP2BPPP/RNBQ1RK1 w - e6 0 1",
            "36b60f7960f3a1b95886e8d4ce2da44fde0c3d6160e4", 0xebce_b335),
        ("rnbq1rk1/pp2ppbp/2pp1np1/6B1/3PP3/2N5/PPPQ1PPP/2KR1BNR w - - 0 1",
            "16b60e9629eb0d309fb8c75a267470691d560f360f70", 0xcb32_4c28),
        ("2kr1bnr/ppp1pppp/2n5/3q4/6b1/5N1P/PPPPBPP1/RNBQ1RK1 b - - 0 1",
            "16b61c9628f0d309fbb0556223c70690f560f360f700", 0x2b71_44c3),
    ];

    #[test]
    fn known_keys_and_hashes() {
        for (fen, bytes, hash) in KNOWN {
            let keys = key(fen);
            assert_eq!(format!("{:?}", keys.key), format!("Key({bytes})"), "{fen}");
            assert_eq!(keys.key.hash(), hash, "{fen}");
            let back = decode(keys.key.as_bytes(), keys.frame).unwrap();
            assert_eq!(Keys::of(&back), Some(keys), "{fen}");
            let stored = Key::from_stored(keys.key.as_bytes());
            assert_eq!(stored, Some(keys.key));
            let seen = seen_keys(&back, Sight::of(&back)).unwrap();
            let other = keys.other.and_then(|other| other.seen());
            assert_eq!(
                Some(seen),
                keys.key.seen().map(|key| (keys.frame, key, other))
            );
        }
    }

    #[test]
    fn twins_share_a_key() {
        // The position after 1.e4 c5 2.Ke2 with colours, then files exchanged.
        let white = key("4k3/8/8/3p4/8/2N5/8/K7 w - - 0 1");
        let black = key("k7/8/2n5/8/3P4/8/8/4K3 b - - 0 1");
        let mirrored = key("3k4/8/8/4p3/8/5N2/8/7K w - - 0 1");
        assert_eq!(white.key, black.key);
        assert_eq!(white.key, mirrored.key);
        assert_ne!(white.frame, black.frame);
    }

    #[test]
    fn a_pinned_pawn_takes_nothing() {
        let pinned = key("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1");
        assert!(pinned.other.is_some_and(|other| other != pinned.key));
        assert_eq!(pinned.key, key("4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1").key);
        assert_eq!(key("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").other, None);
    }

    #[test]
    fn what_has_no_key() {
        let setup = Setup::chess960_start(0).unwrap();
        assert_eq!(Keys::of(&Position::from_setup(&setup).unwrap()), None);
        let crowd = "qqqqqqqq/qqqqqqqq/qqqqqqqq/4k3/4K3/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1";
        let setup = Setup::parse_fen(crowd.as_bytes()).unwrap();
        assert_eq!(Keys::of(&Position::from_setup(&setup).unwrap()), None);
        assert_eq!(decode(&[], Frame::PLAIN), None);
        assert_eq!(decode(&[0x56, 0xb6], Frame::PLAIN), None);
        assert_eq!(seen(&[]), None);
        assert_eq!(seen(&[0x02, 0xb6]), None);
        assert_eq!(seen(&[0; 40]), None);
    }
}
