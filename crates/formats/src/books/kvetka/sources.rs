//! The sources of a book (`.ksf`): the files and web pages of the games that it was made from.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabia_core::FormatId;
use tabia_core::books::{GameLink, LinkedGame};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, Charset, Cursor, Sink, decode};
use tabia_core::plural::counted;

use super::text_byte_order::{TextOrder, TextOrderVotes};
use crate::games::{cbh, pgn};

/// The table of contents ends at a multiple of this.
pub(super) const SECTOR: usize = 512;
/// The offset of every `STEP`-th game is cached.
const STEP: usize = 64;
/// Bytes of the shortest game, with two empty names.
const SHORTEST_GAME: usize = 21;
/// The start of an address relative to the folder of the program.
pub(super) const CURRENT: &str = "%currentdir";
/// Bytes of a record, and of the header, in the index of a ChessBase database.
const CBH_RECORD: u64 = 46;

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// No source; keeps the numbers of the others.
    Empty,
    /// A PGN file.
    Pgn,
    /// A page of the web.
    Web,
    /// A ChessBase database.
    Cbh,
    /// An unknown kind, by its number.
    Other(u8),
}

impl SourceKind {
    /// The kind of a source of that format; `None` if a book cannot link to games in it.
    pub fn of_format(format: FormatId) -> Option<Self> {
        match format {
            id if id == pgn::FORMAT.file.id => Some(Self::Pgn),
            id if id == cbh::FORMAT.file.id => Some(Self::Cbh),
            _ => None,
        }
    }

    pub(super) const fn from_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Empty,
            1 => Self::Pgn,
            2 => Self::Web,
            3 => Self::Cbh,
            other => Self::Other(other),
        }
    }

    pub(super) const fn to_byte(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Pgn => 1,
            Self::Web => 2,
            Self::Cbh => 3,
            Self::Other(other) => other,
        }
    }
}

/// A file or web page with games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookSource {
    /// The kind of the source.
    pub kind: SourceKind,
    /// Whether Kvetka marked it as bad.
    pub is_bad: bool,
    /// Path or web address, as stored.
    pub address: String,
    /// Number of games.
    pub games: u32,
    /// Offset of the first game in `.ksf`.
    games_offset: usize,
    /// Offset of the source in `.ksf`.
    offset: usize,
}

/// The games of a source up to the first that cannot be read.
#[derive(Debug, Default)]
struct ReadableGames {
    /// Offsets of every `STEP`-th.
    offsets: Vec<usize>,
    count: u32,
    /// The offset after the last.
    end: usize,
}

/// All sources of a book.
#[derive(Debug)]
pub struct Sources {
    blob: Blob,
    folder: Option<PathBuf>,
    charset: Charset,
    /// `None` for sources that cannot be read.
    list: Vec<Option<BookSource>>,
    /// By source, the [`game_offsets`](Self::game_offsets), found at the first use.
    game_offsets: Vec<OnceLock<ReadableGames>>,
    /// Problems found on opening, one line each.
    pub(super) problems: Vec<String>,
}

impl Sources {
    /// Reads the table of contents and the fields before the games of each source. `folder` is that of
    /// the book.
    pub(super) fn open(
        blob: Blob,
        folder: Option<&Path>,
        order: TextOrder,
        charset: Charset,
    ) -> Self {
        let mut problems = Vec::new();
        let mut cursor = Cursor::new(&blob);
        let count = cursor.u32_be("source_number").unwrap_or(0) as usize;
        if blob.len() < 4 || count > (blob.len() - 4) / 4 {
            problems.push(format!(
                "the table of {} does not fit into its file",
                counted(count, "source", "sources")
            ));
        }
        let mut sources = Vec::new();
        let contents = contents_length(count);
        for number in 0..count.min(blob.len() / 4) {
            let Ok(at) = cursor.u32_be("source offset") else {
                break;
            };
            let at = at as usize;
            let source = if at < contents || at >= blob.len() {
                let why = cursor.malformed("source offset", Why::Value(at as u64));
                Err(why)
            } else {
                read_source(&blob, at, order)
            };
            if let Err(error) = &source {
                problems.push(format!("source {} cannot be read: {error}", number + 1));
            }
            sources.push(source.ok());
        }
        let game_offsets = sources.iter().map(|_| OnceLock::new()).collect();
        Self {
            blob,
            folder: folder.map(Path::to_path_buf),
            charset,
            list: sources,
            game_offsets,
            problems,
        }
    }

    /// Number of sources, unreadable ones too.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the book has no sources.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The source of a number; `None` if absent or unreadable.
    pub fn source(&self, number: u32) -> Option<&BookSource> {
        self.list.get(number as usize)?.as_ref()
    }

    /// The game of a link; `None` if absent or unreadable.
    pub fn game(&self, link: GameLink) -> Option<LinkedGame> {
        let source = self.source(link.source)?;
        if link.game >= source.games {
            return None;
        }
        let offsets = self.game_offsets(link.source)?;
        let game = link.game as usize;
        let mut cursor = Cursor::new(&self.blob);
        cursor
            .seek(*offsets.offsets.get(game / STEP)?, "game")
            .ok()?;
        for _ in 0..game % STEP {
            skip_game(&mut cursor).ok()?;
        }
        self.read_game(source, &mut cursor).ok()
    }

    /// The bytes of a source with its games up to the first that cannot be read; `None` if the source cannot be read.
    pub(super) fn source_bytes(&self, number: u32) -> Option<Blob> {
        let source = self.source(number)?;
        let readable = self.game_offsets(number)?;
        let length = readable.end.checked_sub(source.offset)?;
        let bytes = self.blob.part(source.offset, length)?;
        if readable.count == source.games {
            return Some(bytes);
        }
        // The number of games comes right before them.
        let before = source.games_offset.checked_sub(source.offset + 4)?;
        let mut sink = Sink::new();
        sink.bytes(bytes.get(..before)?);
        sink.u32_be(readable.count);
        sink.bytes(bytes.get(before + 4..)?);
        Some(Blob::from(sink.into_vec()))
    }

    /// The number of games of a source that can be read.
    pub(super) fn readable_games(&self, number: u32) -> u32 {
        self.game_offsets(number)
            .map_or(0, |readable| readable.count)
    }

    /// The number of games that cannot be read, of the sources that can.
    pub(super) fn lost_games(&self) -> u64 {
        let numbers = 0..self.list.len() as u32;
        let lost = numbers.filter_map(|number| {
            let games = self.source(number)?.games;
            Some(u64::from(games.saturating_sub(self.readable_games(number))))
        });
        lost.sum()
    }

    /// Adds the addresses of the first sources to the votes.
    pub(super) fn vote(blob: &Blob, votes: &mut TextOrderVotes) {
        let mut cursor = Cursor::new(blob);
        let count = cursor.u32_be("source_number").unwrap_or(0);
        for _ in 0..count.min(16) {
            let Ok(at) = cursor.u32_be("source offset") else {
                return;
            };
            let mut head = Cursor::new(blob.get(at as usize..).unwrap_or_default());
            let address = head
                .take(2, "source")
                .and_then(|_| head.u32_be("address length"))
                .and_then(|units| head.take((units as usize).saturating_mul(2), "address"));
            votes.add(address.unwrap_or_default());
        }
    }

    /// The games of a source up to the first unreadable one.
    fn game_offsets(&self, number: u32) -> Option<&ReadableGames> {
        let source = self.source(number)?;
        let cache = self.game_offsets.get(number as usize)?;
        Some(cache.get_or_init(|| {
            let mut cursor = Cursor::new(&self.blob);
            let mut readable = ReadableGames {
                end: source.games_offset,
                ..ReadableGames::default()
            };
            if cursor.seek(source.games_offset, "games").is_err() {
                return readable;
            }
            for game in 0..source.games as usize {
                let at = cursor.offset();
                if skip_game(&mut cursor).is_err() {
                    break;
                }
                if game % STEP == 0 {
                    readable.offsets.push(at);
                }
                readable.count += 1;
                readable.end = cursor.offset();
            }
            readable
        }))
    }

    fn read_game(
        &self,
        source: &BookSource,
        cursor: &mut Cursor<'_>,
    ) -> Result<LinkedGame, Malformed> {
        let address = u64::from(cursor.u32_be("game_address")?);
        let length = u64::from(cursor.u32_be("game_length")?);
        let mut name = || -> Result<String, Malformed> {
            let length = cursor.u32_be("name length")?;
            let bytes = cursor.take(length as usize, "name")?;
            Ok(decode(bytes, self.charset).into_owned())
        };
        let (white, black) = (name()?, name()?);
        let mut elo = || Ok(Some(cursor.u16_be("Elo")?).filter(|elo| *elo > 0));
        let (white_elo, black_elo) = (elo()?, elo()?);
        let result = match cursor.u8("game_result")? {
            0 => GameResult::BlackWins,
            1 => GameResult::WhiteWins,
            2 => GameResult::Draw,
            _ => GameResult::Unknown,
        };
        let mut game = LinkedGame::default();
        game.source.clone_from(&source.address);
        game.path = self.path(source);
        game.white = white;
        game.black = black;
        game.white_elo = white_elo;
        game.black_elo = black_elo;
        game.result = result;
        match source.kind {
            SourceKind::Web => {
                let (site, number) = (address >> 26, address & 0x03ff_ffff);
                // These sites number their games; for others it is an offset.
                if [1, 2, 6].contains(&site) {
                    game.index = u32::try_from(number).ok();
                } else {
                    game.offset = Some(number);
                    game.length = Some(length);
                }
            }
            SourceKind::Cbh => {
                game.offset = Some(address);
                game.length = Some(length);
                game.index = (address % CBH_RECORD == 0)
                    .then(|| (address / CBH_RECORD).checked_sub(1))
                    .flatten()
                    .and_then(|index| u32::try_from(index).ok());
            }
            _ => {
                game.offset = Some(address);
                game.length = Some(length);
            }
        }
        Ok(game)
    }

    /// The expected path of the file of a source; `None` for web pages.
    fn path(&self, source: &BookSource) -> Option<PathBuf> {
        if !matches!(source.kind, SourceKind::Pgn | SourceKind::Cbh) {
            return None;
        }
        let (is_relative, address) = match source.address.strip_prefix(CURRENT) {
            Some(rest) => (true, rest),
            None => (false, source.address.as_str()),
        };
        let address = if std::path::MAIN_SEPARATOR == '\\' {
            address.to_owned()
        } else {
            address.replace('\\', "/")
        };
        let address = address.trim_start_matches(|c| is_relative && c == '/');
        match &self.folder {
            Some(folder) => Some(folder.join(address)),
            None => Some(PathBuf::from(address)),
        }
    }
}

/// Bytes of the table of contents of `count` sources.
pub(super) fn contents_length(count: usize) -> usize {
    count
        .saturating_mul(4)
        .saturating_add(4)
        .div_ceil(SECTOR)
        .saturating_mul(SECTOR)
}

fn read_source(bytes: &[u8], offset: usize, order: TextOrder) -> Result<BookSource, Malformed> {
    let mut cursor = Cursor::new(bytes);
    cursor.seek(offset, "source")?;
    let kind = SourceKind::from_byte(cursor.u8("source_type")?);
    let is_bad = cursor.u8("is_bad")? != 0;
    let units = cursor.u32_be("address length")? as usize;
    let address = cursor.take(units.saturating_mul(2), "address")?;
    let games = cursor.u32_be("games_number")?;
    if games as usize > cursor.left() / SHORTEST_GAME {
        return Err(cursor.malformed("games_number", Why::Value(u64::from(games))));
    }
    Ok(BookSource {
        kind,
        is_bad,
        address: order.decode(address),
        games,
        games_offset: cursor.offset(),
        offset,
    })
}

fn skip_game(cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    let mut is_zero = cursor.take(8, "game")? == [0; 8];
    for _ in 0..2 {
        let length = cursor.u32_be("name length")?;
        cursor.take(length as usize, "name")?;
        is_zero &= length == 0;
    }
    is_zero &= cursor.take(5, "game")? == [0; 5];
    // A game has a length; its record became zeros.
    if is_zero {
        return Err(cursor.malformed("game", Why::Value(0)));
    }
    Ok(())
}
