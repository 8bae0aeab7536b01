//! The key of a position: its pieces, castling rights and en passant file in 11 to 31 bytes.

use tabia_core::chess::{Color, Move, Piece, Position, Role, Setup, Square};
use tabia_core::hexadecimal;

use super::hash::hash;
use crate::books::mirrored::board_code::{BitWriter, for_each_piece, is_zero};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::MirrorHash;
use crate::books::mirrored::record_lookup::KeyHashes;

/// Bits of the first byte: length of the key, en passant file present, rights present.
const LENGTH: u8 = 0x1f;
const EN_PASSANT: u8 = 0x20;
const CASTLING: u8 = 0x40;

/// The shortest key: 64 squares of which 62 are empty take 74 bits.
pub(super) const SHORTEST: usize = 11;
/// The longest key that the length field of the first byte allows.
const LONGEST: usize = 31;

/// The key of a position, its length in the first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    bytes: [u8; 32],
}

impl Key {
    /// The bytes as stored.
    pub fn as_bytes(&self) -> &[u8] {
        let length = usize::from(self.bytes[0] & LENGTH);
        self.bytes.get(..length).unwrap_or_default()
    }

    /// Whether a stored key contains an en passant file.
    pub(super) fn has_en_passant(stored: &[u8]) -> bool {
        stored.first().is_some_and(|head| head & EN_PASSANT != 0)
    }

    /// The hash that determines the page of the record.
    pub fn hash(&self) -> u32 {
        hash(self.as_bytes())
    }

    /// The hash by which the index in memory finds the record: see [`mirror_hash`].
    pub(super) fn mirror_hash(&self) -> Option<u64> {
        mirror_hash(self.as_bytes())
    }

    /// The bytes, followed by zeros.
    pub(super) const fn padded(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The inverse of [`padded`](Key::padded).
    pub(super) const fn from_padded(bytes: [u8; 32]) -> Self {
        Self { bytes }
    }

    /// From the bytes of a record; `None` if their number is not that in the first byte.
    pub(super) fn from_stored(stored: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..stored.len())?.copy_from_slice(stored);
        (usize::from(bytes[0] & LENGTH) == stored.len()).then_some(Self { bytes })
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", hexadecimal::digits(self.as_bytes()))
    }
}

/// The keys under which a position can be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// The orientation in which the position is stored.
    pub orientation: Orientation,
    /// The key; it contains the en passant file only if a capture is legal.
    pub key: Key,
    /// The key with the en passant file, if a pawn could capture but may not.
    pub alternative: Option<Key>,
}

impl Keys {
    /// `None` for positions without a key: those with more pieces than fit into 31 bytes, and those
    /// with castling rights of Chess960.
    pub fn of(position: &Position) -> Option<Self> {
        let orientation = Orientation::of(position);
        let castling = rights(position, orientation)?;
        let encode = |file| encode(position, orientation, castling, file);
        let keys = |key, alternative| Self {
            orientation,
            key,
            alternative,
        };
        let Some(square) = position.en_passant() else {
            return Some(keys(encode(None)?, None));
        };
        let with_file = encode(Some(orientation.file(square.file())))?;
        if can_capture(position, square) {
            return Some(keys(with_file, None));
        }
        Some(keys(encode(None)?, Some(with_file)))
    }
}

/// The hash of a stored key, equal to that of [`key_hashes`]; `None` for bytes that are not the key
/// of a position.
pub(super) fn mirror_hash(stored: &[u8]) -> Option<u64> {
    let &head = stored.first()?;
    let (board, board_end) = position_hash::stored_board(stored, 8)?;
    let (has_rights, has_file) = (head & CASTLING != 0, head & EN_PASSANT != 0);
    let tail = if has_rights { 4 } else { 0 } + if has_file { 3 } else { 0 };
    // Zeros up to the tail, which ends the byte; without a tail at least one zero.
    let end = (stored.len() * 8).checked_sub(tail)?;
    let zeros = end.checked_sub(board_end)?;
    let valid_zeros = if tail == 0 { 1..=8 } else { 0..=7 };
    let &last = stored.last()?;
    let rights = if has_rights { last & 15 } else { 0 };
    let is_key = head & !(CASTLING | EN_PASSANT) == stored.len() as u8
        && valid_zeros.contains(&zeros)
        && is_zero(stored, board_end, end)
        && has_rights == (rights != 0);
    let file = if has_rights { last >> 4 } else { last };
    let en_passant = if has_file {
        position_hash::en_passant(file)
    } else {
        0
    };
    is_key.then_some(board ^ position_hash::rights(rights) ^ en_passant)
}

/// The hashes of a position's [`Keys`]; `hash` is that of the position.
pub(super) fn key_hashes(position: &Position, hash: MirrorHash) -> Option<KeyHashes> {
    let orientation = Orientation::of(position);
    rights(position, orientation)?;
    let key = hash.in_orientation(position, orientation);
    let hashes = |key, alternative| KeyHashes {
        orientation,
        key,
        alternative,
    };
    let Some(square) = position.en_passant() else {
        return Some(hashes(key, None));
    };
    let with_file = key ^ position_hash::en_passant(orientation.file(square.file()));
    if can_capture(position, square) {
        Some(hashes(with_file, None))
    } else {
        Some(hashes(key, Some(with_file)))
    }
}

/// Whether an en passant capture on a square is legal.
fn can_capture(position: &Position, square: Square) -> bool {
    let rank = if position.turn().is_white() { 4 } else { 3 };
    [square.file().wrapping_sub(1), square.file() + 1]
        .into_iter()
        .filter_map(|file| Square::from_coords(file, rank))
        .any(|from| {
            let pawn = Piece {
                color: position.turn(),
                role: Role::Pawn,
            };
            position.piece_at(from) == Some(pawn) && position.is_legal(Move::normal(from, square))
        })
}

/// The castling rights as four bits, from the highest: opponent's king side and queen side, king side
/// and queen side of the side to move. `None` if king or rook are not on their standard squares.
fn rights(position: &Position, orientation: Orientation) -> Option<u8> {
    let us = orientation.turn();
    let mut bits = 0;
    for (color, rank) in [(us.other(), 7), (us, 0)] {
        for (side, file) in [(0, 7), (1, 0)] {
            bits <<= 1;
            if let Some(rook) = position.castling_rook(color, side) {
                let is_standard = orientation.stored_square(rook) == file * 8 + rank
                    && orientation.stored_square(position.king(color)) == 4 * 8 + rank;
                if !is_standard {
                    return None;
                }
                bits |= 1;
            }
        }
    }
    Some(bits)
}

fn encode(
    position: &Position,
    orientation: Orientation,
    castling: u8,
    en_passant: Option<u8>,
) -> Option<Key> {
    let mut bits = BitWriter::with_prefix(1);
    bits.push_board(position, orientation);
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
    // The tail ends the last byte; without a tail there is at least one zero.
    let used = bits.length() % 8;
    let pad = match tail {
        0 => 8 - used,
        _ => (16 - used - tail) % 8,
    };
    bits.push(0, pad);
    bits.push(en_passant.unwrap_or(0), tail & 3);
    bits.push(castling, tail & 4);
    let (padded, length) = bits.finish();
    if length > LONGEST {
        return None;
    }
    let mut bytes = *padded.first_chunk::<32>()?;
    bytes[0] = head | length as u8;
    Some(Key { bytes })
}

/// The position of a stored key in an orientation; `None` if the bytes are not the key of a
/// position.
///
/// The key does not contain the orientation: the record is that of the positions in all of them.
pub fn decode(key: &[u8], orientation: Orientation) -> Option<Position> {
    let &head = key.first()?;
    let us = orientation.turn();
    let mut setup = Setup::empty();
    setup.turn = us;
    let board_end = for_each_piece(key, 8, |stored, role, is_opponent| {
        let color = if is_opponent { us.other() } else { us };
        setup.set(orientation.square(stored), Some(Piece { color, role }));
    })?;
    if board_end > key.len() * 8 {
        return None;
    }
    let last = key.last().copied().unwrap_or_default();
    let mut en_passant = last;
    if head & CASTLING != 0 {
        en_passant = last >> 4;
        let rights = [(us.other(), 0), (us.other(), 1), (us, 0), (us, 1)];
        for (bit, (color, side)) in (0..4).rev().zip(rights) {
            if last >> bit & 1 == 1 {
                setup.grant_classical_castling(color, side);
            }
        }
    }
    if head & EN_PASSANT != 0 {
        let file = orientation.file(en_passant & 7);
        setup.en_passant = Square::from_coords(file, if us == Color::White { 5 } else { 2 });
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
            let position = decode(keys.key.as_bytes(), keys.orientation).unwrap();
            assert_eq!(Keys::of(&position), Some(keys), "{fen}");
            let stored = Key::from_stored(keys.key.as_bytes());
            assert_eq!(stored, Some(keys.key));
            let hashes = key_hashes(&position, MirrorHash::of(&position)).unwrap();
            assert_eq!(hashes.orientation, keys.orientation);
            assert_eq!(Some(hashes.key), keys.key.mirror_hash());
            let alternative = keys.alternative.and_then(|key| key.mirror_hash());
            assert_eq!(hashes.alternative, alternative);
        }
    }

    #[test]
    fn mirror_images_share_a_key() {
        // The same with colours, then with files exchanged.
        let white = key("4k3/8/8/3p4/8/2N5/8/K7 w - - 0 1");
        let black = key("k7/8/2n5/8/3P4/8/8/4K3 b - - 0 1");
        let mirrored = key("3k4/8/8/4p3/8/5N2/8/7K w - - 0 1");
        assert_eq!(white.key, black.key);
        assert_eq!(white.key, mirrored.key);
        assert_ne!(white.orientation, black.orientation);
    }

    #[test]
    fn pinned_pawn_does_not_set_the_en_passant_file() {
        let pinned = key("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1");
        assert!(pinned.alternative.is_some_and(|key| key != pinned.key));
        assert_eq!(pinned.key, key("4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1").key);
        assert_eq!(key("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").alternative, None);
    }

    #[test]
    fn some_positions_have_no_key() {
        let setup = Setup::chess960_start(0).unwrap();
        assert_eq!(Keys::of(&Position::from_setup(&setup).unwrap()), None);
        let crowd = "qqqqqqqq/qqqqqqqq/qqqqqqqq/4k3/4K3/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1";
        let setup = Setup::parse_fen(crowd.as_bytes()).unwrap();
        assert_eq!(Keys::of(&Position::from_setup(&setup).unwrap()), None);
        assert_eq!(decode(&[], Orientation::IDENTITY), None);
        assert_eq!(decode(&[0x56, 0xb6], Orientation::IDENTITY), None);
        assert_eq!(mirror_hash(&[]), None);
        assert_eq!(mirror_hash(&[0x02, 0xb6]), None);
        assert_eq!(mirror_hash(&[0; 40]), None);
    }
}
