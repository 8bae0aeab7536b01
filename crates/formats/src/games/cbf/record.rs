//! A record: its masks, its header, its parts.

use tabia_core::chess::{Color, Piece, Role, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Date, Eco, GameResult};
use tabia_core::io::Cursor;

/// Bytes of a header.
pub(crate) const HEADER: usize = 14;

/// Bytes of a setup position.
const BOARD: usize = 33;

/// The header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Only the year is stored.
    pub(crate) date: Date,
    pub(crate) result: GameResult,
    pub(crate) eco: Option<Eco>,
    pub(crate) white_elo: Option<u16>,
    pub(crate) black_elo: Option<u16>,
    /// Full moves, about.
    pub(crate) move_count: u8,
    /// Rights and side to move of a setup position, as stored.
    pub(crate) setup: Option<SetupBits>,
    /// Lengths of the parts.
    players: usize,
    source: usize,
    moves: usize,
    text: usize,
    /// Whether the check byte fits.
    pub(crate) is_checked: bool,
}

/// The header's part of a setup position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetupBits {
    rights: u8,
    en_passant: u8,
}

impl Header {
    /// The header at the start of `bytes`; `None` if they are too short.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut h: [u8; HEADER] = *bytes.first_chunk()?;
        unmask(&mut h, 101, 3);
        let [
            year,
            result,
            m1,
            m0,
            players,
            source,
            t1,
            t0,
            white,
            black,
            rights,
            en_passant,
            moves,
            check,
        ] = h;
        let (players_length, source_length) = (players & 0x3f, source & 0x3f);
        let en_passant = en_passant ^ (HEADER as u8 + players_length + source_length);
        let first = year
            .wrapping_mul(0x25)
            .wrapping_add(source)
            .wrapping_add(black);
        let second = m0
            .wrapping_mul(0xc1)
            .wrapping_mul(white.wrapping_add(1))
            .wrapping_mul(year);
        let code = u16::from(rights & 0x3e) >> 1
            | u16::from(players & 0xc0) >> 1
            | u16::from(source & 0xc0) << 1;
        let is_setup = rights & 1 != 0;
        let elo = |value: u8| (value > 0).then(|| 1600 + 5 * u16::from(value));
        let length = |high: u8, low: u8| usize::from(high) << 8 | usize::from(low);
        let year = match year.cast_signed() {
            127 => 0,
            year => 1900_u16.saturating_add_signed(year.into()),
        };
        Some(Self {
            date: Date::new(year, 0, 0),
            result: match result {
                0 => GameResult::BlackWins,
                1 => GameResult::Draw,
                2 => GameResult::WhiteWins,
                _ => GameResult::Unknown,
            },
            eco: match code.checked_sub(1) {
                Some(code) if !is_setup => Eco::new(code, 0),
                _ => None,
            },
            white_elo: elo(white),
            black_elo: elo(black),
            move_count: moves,
            setup: is_setup.then_some(SetupBits {
                rights: rights >> 1,
                en_passant: en_passant & 15,
            }),
            players: players_length.into(),
            source: source_length.into(),
            moves: length(m1, m0),
            text: length(t1, t0).saturating_sub(1),
            is_checked: check == first || check == second,
        })
    }

    /// The length of the whole record.
    pub(crate) fn record_length(&self) -> usize {
        let board = if self.setup.is_some() { BOARD } else { 0 };
        HEADER + self.players + self.source + self.moves + self.text + board
    }
}

/// The parts of a record, without their masks.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Both players, then the source.
    names: Vec<u8>,
    players: usize,
    /// The moves without the byte that ends them.
    pub(crate) moves: Vec<u8>,
    /// Offset of the moves in the record.
    pub(crate) moves_at: usize,
    pub(crate) text: Vec<u8>,
    pub(crate) text_at: usize,
    pub(crate) board: Option<[u8; BOARD]>,
}

impl Parts {
    /// Splits a record into its parts; those before an error are filled in.
    pub(crate) fn read(&mut self, header: &Header, record: &[u8]) -> Result<(), Malformed> {
        self.clear();
        let mut cursor = Cursor::new(record);
        cursor.take(HEADER, "header")?;
        let total = header.players + header.source;
        self.names.extend_from_slice(cursor.take(total, "names")?);
        self.players = header.players;
        unmask(&mut self.names, 3_u8.wrapping_mul(total as u8), 3);
        self.moves_at = cursor.offset();
        self.read_moves(&mut cursor, header.moves)?;
        self.text_at = cursor.offset();
        self.text
            .extend_from_slice(cursor.take(header.text, "text")?);
        if header.setup.is_some() {
            self.board = Some(cursor.array("board")?);
        }
        Ok(())
    }

    /// Reads only the names.
    pub(crate) fn read_names(&mut self, header: &Header, record: &[u8]) {
        self.clear();
        let total = header.players + header.source;
        let end = (HEADER + total).min(record.len());
        self.names
            .extend_from_slice(record.get(HEADER..end).unwrap_or_default());
        self.players = header.players.min(self.names.len());
        unmask(&mut self.names, 3_u8.wrapping_mul(total as u8), 3);
    }

    fn clear(&mut self) {
        self.names.clear();
        self.players = 0;
        self.moves.clear();
        self.text.clear();
        self.board = None;
    }

    fn read_moves(&mut self, cursor: &mut Cursor<'_>, length: usize) -> Result<(), Malformed> {
        self.moves.extend_from_slice(cursor.take(length, "moves")?);
        if let Some(inner) = self.moves.get_mut(1..length.saturating_sub(1)) {
            unmask(inner, 49_u8.wrapping_mul(length as u8), 7);
        }
        self.moves.pop();
        Ok(())
    }

    /// White and Black, as stored.
    pub(crate) fn players(&self) -> (&[u8], &[u8]) {
        let players = self.names.get(..self.players).unwrap_or_default();
        match players.iter().position(|&byte| byte == b'-') {
            Some(at) => (
                players.get(..at).unwrap_or_default(),
                players.get(at + 1..).unwrap_or_default(),
            ),
            None => (players, b""),
        }
    }

    /// The source (event and round), as stored.
    pub(crate) fn source(&self) -> &[u8] {
        self.names.get(self.players..).unwrap_or_default()
    }
}

/// Removes a mask: each byte has its own, from the last byte to the first.
fn unmask(bytes: &mut [u8], mut mask: u8, factor: u8) {
    for byte in bytes.iter_mut().rev() {
        *byte ^= mask;
        mask = mask.wrapping_mul(factor);
    }
}

/// The pieces of a setup position by their nibbles less 1; Black's are 8 higher.
const PIECES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// The setup position, and the file on which a pawn has just made a double step.
pub(crate) fn setup(
    bits: SetupBits,
    board: &[u8; BOARD],
    at: usize,
) -> Result<(Setup, Option<u8>), Malformed> {
    let mut setup = Setup::empty();
    let (squares, number) = board.split_at(BOARD - 1);
    for (index, &byte) in squares.iter().enumerate() {
        for (low, nibble) in [byte >> 4, byte & 15].into_iter().enumerate() {
            let (color, role) = match nibble {
                0 => continue,
                1..9 => (Color::White, nibble - 1),
                _ => (Color::Black, nibble - 9),
            };
            let Some(&role) = PIECES.get(usize::from(role)) else {
                return Err(Malformed {
                    field: "board",
                    at: at + index,
                    why: Why::Value(nibble.into()),
                });
            };
            let square = Square::new((2 * index + low) as u8);
            if let Some(square) = square {
                setup.set(square, Some(Piece { color, role }));
            }
        }
    }
    if bits.rights & 1 != 0 {
        setup.turn = Color::Black;
    }
    for (bit, color, side) in [
        (2, Color::White, 1),
        (4, Color::White, 0),
        (8, Color::Black, 1),
        (16, Color::Black, 0),
    ] {
        if bits.rights & bit != 0 {
            setup.grant_classical_castling(color, side);
        }
    }
    let file = bits.en_passant.checked_sub(1).filter(|&file| file < 8);
    let rank = if setup.turn.is_white() { 5 } else { 2 };
    setup.en_passant = file.and_then(|file| Square::from_coords(file, rank));
    setup.full_move_number = u16::from(number.first().copied().unwrap_or(0)) + 1;
    Ok((setup, file))
}
