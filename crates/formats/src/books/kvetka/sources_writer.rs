//! Writes the list of sources (`.ksf`).

use std::io::{Seek, SeekFrom, Write};

use tabia_core::error::{Error, Result};
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, Charset, Cursor, Output, Sink, encode};

use super::key::Key;
use super::record_sorter::RecordSorter;
use super::sources::{SourceKind, contents_length};
use super::text_byte_order::TextOrder;

/// Bytes of the longest name, so that a game fits into a record of the sorter.
const MAX_NAME: usize = 1 << 12;

/// A game in the list of sources.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceGame<'a> {
    /// Offset in the source, in bytes.
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
    /// Player with White.
    pub white: &'a str,
    /// Player with Black.
    pub black: &'a str,
    /// Elo of White; 0 if unknown.
    pub white_elo: u16,
    /// Elo of Black; 0 if unknown.
    pub black_elo: u16,
    /// The result.
    pub result: GameResult,
}

impl SourceGame<'_> {
    /// The bytes of the game; `false` if a name has characters outside the set or is cut. `None` if the
    /// game is beyond the first 4 GiB of its source.
    pub(super) fn write(&self, charset: Charset) -> Option<(Vec<u8>, bool)> {
        let mut sink = Sink::new();
        let mut is_exact = true;
        sink.u32_be(u32::try_from(self.address).ok()?);
        sink.u32_be(u32::try_from(self.length).ok()?);
        for name in [self.white, self.black] {
            let (bytes, fits) = encode(name, charset);
            let written = bytes.get(..MAX_NAME).unwrap_or(&bytes);
            is_exact &= fits && written.len() == bytes.len();
            sink.u32_be(written.len() as u32);
            sink.bytes(written);
        }
        sink.u16_be(self.white_elo);
        sink.u16_be(self.black_elo);
        sink.u8(match self.result.to_pgn() {
            GameResult::BlackWins => 0,
            GameResult::WhiteWins => 1,
            GameResult::Draw => 2,
            _ => 3,
        });
        Some((sink.into_vec(), is_exact))
    }
}

/// A source of a new book.
#[derive(Debug)]
pub(super) enum NewSource {
    /// The bytes of a source of another book, with its games.
    Copied(Blob),
    /// A source whose games are in the sorter.
    New {
        kind: SourceKind,
        address: String,
        games: u32,
    },
}

/// The key by which a game is sorted.
pub(super) fn game_key(source: u32, game: u32) -> Key {
    let mut sink = Sink::new();
    sink.u32_be(source);
    sink.u32_be(game);
    let mut key = Key([0; Key::SIZE]);
    for (to, from) in key.0.iter_mut().zip(sink.as_slice()) {
        *to = *from;
    }
    key
}

/// Writes the sources, each followed by its games.
pub(super) fn write(
    sources: &[NewSource],
    games: RecordSorter,
    order: TextOrder,
    out: &mut Output,
) -> Result<()> {
    let target = out.target().to_path_buf();
    let named = |error: std::io::Error| Error::from(error).in_path(&target);
    let mut writer = Writer {
        out,
        offset: 0,
        offsets: Vec::new(),
    };
    writer
        .write(&vec![0; contents_length(sources.len())])
        .map_err(named)?;
    let mut pending = sources.iter().enumerate();
    let mut current = None;
    let mut begin = |writer: &mut Writer<'_>| -> Result<Option<usize>> {
        let Some((number, source)) = pending.next() else {
            return Ok(None);
        };
        let offset = u32::try_from(writer.offset);
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
    games.finish(|key, game| {
        let source = Cursor::new(&key.0).u32_be("source")?;
        while current.is_none_or(|current| current < source as usize) {
            match begin(&mut writer)? {
                Some(number) => current = Some(number),
                None => break,
            }
        }
        writer.write(game).map_err(named)
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

/// Counts the bytes written.
struct Writer<'o> {
    out: &'o mut Output,
    offset: u64,
    offsets: Vec<u32>,
}

impl Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}
