//! Writing the list of sources.

use std::io::{Seek, SeekFrom, Write};

use tabia_core::error::{Error, Result};
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, Charset, Cursor, Output, Sink, encode};

use super::key::Key;
use super::record_sorter::RecordSorter;
use super::sources::{SourceKind, contents_length};
use super::varint::TextOrder;

/// A game as the list of sources tells of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct GameRow<'a> {
    /// Offset in the source, in bytes.
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
    /// Player with White.
    pub white: &'a str,
    /// Player with Black.
    pub black: &'a str,
    /// Rating of White, 0 when not known.
    pub white_elo: u16,
    /// Rating of Black, 0 when not known.
    pub black_elo: u16,
    /// How it ended.
    pub result: GameResult,
}

impl GameRow<'_> {
    /// The bytes of the row; `false` when a name has characters outside the set. `None` when the
    /// game lies beyond what an address can say.
    pub(super) fn write(&self, charset: Charset) -> Option<(Vec<u8>, bool)> {
        let mut sink = Sink::new();
        let mut whole = true;
        sink.u32_be(u32::try_from(self.address).ok()?);
        sink.u32_be(u32::try_from(self.length).ok()?);
        for name in [self.white, self.black] {
            let (bytes, fits) = encode(name, charset);
            // Nobody's name is longer; a row must fit into a record.
            let kept = bytes.get(..1 << 12).unwrap_or(&bytes);
            whole &= fits && kept.len() == bytes.len();
            sink.u32_be(kept.len() as u32);
            sink.bytes(kept);
        }
        sink.u16_be(self.white_elo);
        sink.u16_be(self.black_elo);
        sink.u8(match self.result.to_pgn() {
            GameResult::BlackWins => 0,
            GameResult::WhiteWins => 1,
            GameResult::Draw => 2,
            _ => 3,
        });
        Some((sink.into_vec(), whole))
    }
}

/// A source of a new book.
#[derive(Debug)]
pub(super) enum NewSource {
    /// As another book has it.
    Copied(Blob),
    /// Its games are rows.
    New {
        kind: SourceKind,
        address: String,
        games: u32,
    },
}

/// The key by which a row of a game is sorted.
pub(super) fn row_key(source: u32, game: u32) -> Key {
    let mut sink = Sink::new();
    sink.u32_be(source);
    sink.u32_be(game);
    let mut key = Key([0; Key::SIZE]);
    for (place, byte) in key.0.iter_mut().zip(sink.as_slice()) {
        *place = *byte;
    }
    key
}

/// Writes sources and rows.
pub(super) fn write(
    sources: &[NewSource],
    rows: RecordSorter,
    order: TextOrder,
    out: &mut Output,
) -> Result<()> {
    let target = out.target().to_path_buf();
    let named = |error: std::io::Error| Error::from(error).in_path(&target);
    let mut writer = Writer {
        out,
        at: 0,
        offsets: Vec::new(),
    };
    writer
        .write(&vec![0; contents_length(sources.len())])
        .map_err(named)?;
    let mut waiting = sources.iter().enumerate();
    let mut current = None;
    let mut begin = |writer: &mut Writer<'_>| -> Result<Option<usize>> {
        let Some((number, source)) = waiting.next() else {
            return Ok(None);
        };
        let offset = u32::try_from(writer.at);
        let offset = offset.map_err(|_| Error::unsupported("sources of more than 4 GiB"))?;
        writer.offsets.push(offset);
        match source {
            NewSource::Copied(bytes) => writer.write(bytes),
            NewSource::New {
                kind,
                address,
                games,
            } => {
                let address = order.encode(address);
                let mut sink = Sink::new();
                sink.u8(kind.to_byte());
                sink.u8(0);
                sink.u32_be((address.len() / 2) as u32);
                sink.bytes(&address);
                sink.u32_be(*games);
                writer.write(sink.as_slice())
            }
        }
        .map_err(named)?;
        Ok(Some(number))
    };
    rows.finish(|key, row| {
        let source = Cursor::new(&key.0).u32_be("source")?;
        while current.is_none_or(|current| current < source as usize) {
            match begin(&mut writer)? {
                Some(number) => current = Some(number),
                None => break,
            }
        }
        writer.write(row).map_err(named)
    })?;
    while begin(&mut writer)?.is_some() {}
    let mut contents = Sink::new();
    contents.u32_be(sources.len() as u32);
    for offset in &writer.offsets {
        contents.u32_be(*offset);
    }
    writer.out.seek(SeekFrom::Start(0)).map_err(named)?;
    writer.out.write_all(contents.as_slice()).map_err(named)
}

struct Writer<'o> {
    out: &'o mut Output,
    at: u64,
    offsets: Vec<u32>,
}

impl Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}
