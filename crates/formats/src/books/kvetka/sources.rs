//! The sources of a book (`.ksf`): which games it was made from, and where they are.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabia_core::FormatId;
use tabia_core::books::{GameLink, LinkedGame};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, Charset, Cursor, decode};

use super::varint::{TextOrder, TextOrderVotes};
use crate::games::{cbh, pgn};

/// The table of contents ends at a multiple of this.
pub(super) const SECTOR: usize = 512;
/// Of every so many games the place is remembered.
const STEP: usize = 64;
/// Games of the format's own description: the shortest has two empty names.
const SHORTEST_GAME: usize = 21;
/// What an address begins with when it is below the folder of the program.
pub(super) const CURRENT: &str = "%currentdir";
/// Bytes of a record in the index of a ChessBase database, and of its header.
const CBH_RECORD: u64 = 46;

/// What kind of source it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// Left out.
    Empty,
    /// A PGN file.
    Pgn,
    /// A page of the web.
    Web,
    /// A ChessBase database.
    Cbh,
    /// Another number.
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

/// A source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookSource {
    /// What it is.
    pub kind: SourceKind,
    /// Whether Kvetka marked it as bad.
    pub is_bad: bool,
    /// Path or web address, as stored.
    pub address: String,
    /// Number of games.
    pub games: u32,
    /// Where the first game begins in the file.
    games_at: usize,
    /// Where the source begins in the file.
    at: usize,
}

/// All sources of a book.
#[derive(Debug)]
pub struct Sources {
    blob: Blob,
    folder: Option<PathBuf>,
    charset: Charset,
    /// `None` for those that cannot be read.
    known: Vec<Option<BookSource>>,
    /// Places of every 64th game of a source, found when first asked for; the last is the end.
    places: Vec<OnceLock<Vec<usize>>>,
    /// Sources that could not be read, as people are told.
    pub(super) problems: Vec<String>,
}

impl Sources {
    /// Reads the table of contents and the heads of the sources. `folder` is where the book lies.
    pub(super) fn open(
        blob: Blob,
        folder: Option<&Path>,
        order: TextOrder,
        charset: Charset,
    ) -> Self {
        let mut problems = Vec::new();
        let mut cursor = Cursor::new(&blob);
        let count = cursor.u32_be("source_number").unwrap_or(0) as usize;
        if count > blob.len() / 4 || blob.len() < 4 {
            problems.push(format!(
                "the table of {count} sources does not fit into its file"
            ));
        }
        let mut known = Vec::new();
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
            if let Err(fault) = &source {
                problems.push(format!("source {} cannot be read: {fault}", number + 1));
            }
            known.push(source.ok());
        }
        let places = known.iter().map(|_| OnceLock::new()).collect();
        Self {
            blob,
            folder: folder.map(Path::to_path_buf),
            charset,
            known,
            places,
            problems,
        }
    }

    /// Number of sources, unreadable ones too.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// A source by its number; `None` when there is none or it cannot be read.
    pub fn source(&self, number: u32) -> Option<&BookSource> {
        self.known.get(number as usize)?.as_ref()
    }

    /// The game that a link names.
    pub fn game(&self, link: GameLink) -> Option<LinkedGame> {
        let source = self.source(link.source)?;
        if link.game >= source.games {
            return None;
        }
        let places = self.places(link.source)?;
        let game = link.game as usize;
        let mut cursor = Cursor::new(&self.blob);
        cursor.seek(*places.get(game / STEP)?, "game").ok()?;
        for _ in 0..game % STEP {
            skip_game(&mut cursor).ok()?;
        }
        self.read_game(source, &mut cursor).ok()
    }

    /// The bytes of a source with all its games; `None` when it cannot be read to its end.
    pub(super) fn whole(&self, number: u32) -> Option<Blob> {
        let source = self.source(number)?;
        let places = self.places(number)?;
        let complete = places.len() == (source.games as usize).div_ceil(STEP) + 1;
        let end = *places.last().filter(|_| complete)?;
        self.blob.part(source.at, end.checked_sub(source.at)?)
    }

    /// Adds what the addresses tell of the byte order of texts.
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

    /// The places of every so manyth game, as far as the games can be read; then where they end.
    fn places(&self, number: u32) -> Option<&[usize]> {
        let source = self.source(number)?;
        let places = self.places.get(number as usize)?;
        Some(places.get_or_init(|| {
            let mut cursor = Cursor::new(&self.blob);
            let mut places = Vec::new();
            if cursor.seek(source.games_at, "games").is_err() {
                return places;
            }
            for game in 0..source.games as usize {
                if game % STEP == 0 {
                    places.push(cursor.offset());
                }
                if skip_game(&mut cursor).is_err() {
                    return places;
                }
            }
            places.push(cursor.offset());
            places
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
        let mut game = LinkedGame {
            source: source.address.clone(),
            path: self.path(source),
            white,
            black,
            white_elo,
            black_elo,
            result,
            ..LinkedGame::default()
        };
        match source.kind {
            SourceKind::Web => {
                let (site, place) = (address >> 26, address & 0x03ff_ffff);
                // On these pages games are counted, elsewhere they are found by offset.
                if [1, 2, 6].contains(&site) {
                    game.index = u32::try_from(place).ok();
                } else {
                    game.offset = Some(place);
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

    /// Where the file of a source should be, from where the book lies.
    fn path(&self, source: &BookSource) -> Option<PathBuf> {
        if !matches!(source.kind, SourceKind::Pgn | SourceKind::Cbh) {
            return None;
        }
        let (relative, address) = match source.address.strip_prefix(CURRENT) {
            Some(rest) => (true, rest),
            None => (false, source.address.as_str()),
        };
        let address = if std::path::MAIN_SEPARATOR == '\\' {
            address.to_owned()
        } else {
            address.replace('\\', "/")
        };
        let address = address.trim_start_matches(|c| relative && c == '/');
        match &self.folder {
            Some(folder) => Some(folder.join(address)),
            None => Some(PathBuf::from(address)),
        }
    }
}

/// Bytes of the table of contents of so many sources.
pub(super) fn contents_length(count: usize) -> usize {
    count
        .saturating_mul(4)
        .saturating_add(4)
        .div_ceil(SECTOR)
        .saturating_mul(SECTOR)
}

fn read_source(bytes: &[u8], at: usize, order: TextOrder) -> Result<BookSource, Malformed> {
    let mut cursor = Cursor::new(bytes);
    cursor.seek(at, "source")?;
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
        games_at: cursor.offset(),
        at,
    })
}

fn skip_game(cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    cursor.take(8, "game")?;
    for _ in 0..2 {
        let length = cursor.u32_be("name length")?;
        cursor.take(length as usize, "name")?;
    }
    cursor.take(5, "game")?;
    Ok(())
}
