//! Where the blocks of a large text begin, and which games they hold: saved in a cache, so that a game far
//! into the text is read without all games before it.
//!
//! A map is a text: title, state of the file, a line for each block, and the checksum of all that. It is
//! used only if length, time and both ends of the file are those of its state, and if a block that is read
//! holds the games that the map states. Anything else is as good as no map: a new one is made.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::Metadata;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{Block, BlockCounts, BlockReader, Blocks};
use tabia_core::io::{Blob, Charset, OutputSet, Progress};
use tabia_core::{GameIndex, Result};
use tabia_index::crc32;

use crate::base::time_of_change;
use crate::input::{InputItem, OpenInput};
use crate::job_summary::Base;
use crate::select::RecordRanges;

/// First line of a map.
const TITLE: &str = "tabia blocks 1";
/// Extension that is added to the name of a text.
const EXTENSION: &str = "blocks";
/// Smaller files have no map.
const LEAST_SIZE: u64 = 4 << 20;
/// A map is made for games from this one on; those before are found at once.
const FIRST_GAME: u32 = 2000;
/// For games in more blocks than this, everything is read.
const MAX_BLOCKS: usize = 64;
/// Bytes at both ends of the file that are compared.
const SAMPLE: usize = 1 << 16;
/// A file that was changed this shortly before its map was made may have been changed again at the same
/// time.
const DOUBTFUL: Duration = Duration::from_secs(3);

/// A block of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MappedBlock {
    /// Of its first byte.
    offset: u64,
    /// In bytes.
    length: u64,
    /// Games and lines before it.
    games_before: u32,
    lines_before: u64,
    /// Games and lines in it.
    counts: BlockCounts,
}

/// All blocks of a file.
#[derive(Debug, Default)]
pub(crate) struct BlockMap(Vec<MappedBlock>);

impl BlockMap {
    /// The map of an item, if games of these numbers are read with one. It is loaded from the folder
    /// `cache`, or made and saved there; a map that cannot be saved is made again each time.
    ///
    /// # Errors
    /// When the item cannot be read.
    pub(crate) fn of(
        item: &InputItem,
        numbers: &RecordRanges,
        options: &OpenOptions,
        cache: &Path,
        progress: &Arc<Progress>,
    ) -> Result<Option<(Self, Blob)>> {
        // With other letters or characters other games may be found.
        if options.charset != Charset::Auto || options.pieces.is_some() {
            return Ok(None);
        }
        let source = item.source().filter(|source| !source.is_interrupted());
        let is_text = item
            .format()
            .games()
            .is_some_and(|format| format.open_blocks.is_some());
        let file = source
            .filter(|_| is_text)
            .and_then(|source| source.main().path());
        let (Some(file), Some(first)) = (file, numbers.next_from(0)) else {
            return Ok(None);
        };
        if std::fs::metadata(file)?.len() < LEAST_SIZE {
            return Ok(None);
        }
        let blob = options.bytes_of(file)?;
        let saved = saved_path(file, cache);
        if let Some(map) = Self::load(&saved, file, &blob) {
            return Ok(Some((map, blob)));
        }
        if first < FIRST_GAME {
            return Ok(None);
        }
        let state = state_of(file, &blob)?;
        let Some(map) = Self::build(item, options, &blob, progress)? else {
            return Ok(None);
        };
        if state_of(file, &blob)? == state {
            // Without a cache the answer is the same, only later.
            let _ = map.save(&saved, &state);
        }
        Ok(Some((map, blob)))
    }

    /// Goes through a text; `None` if its blocks are not parts of the file (UTF-16).
    fn build(
        item: &InputItem,
        options: &OpenOptions,
        file: &Blob,
        progress: &Arc<Progress>,
    ) -> Result<Option<Self>> {
        let mut options = options.clone();
        options.strict = false;
        let (input, _) = item.open(&options, Some(progress))?.into_parts();
        let OpenInput::Blocks(mut blocks) = input else {
            return Ok(None);
        };
        let mut reader = blocks.reader();
        let mut block = Block::default();
        let mut map = Self::default();
        let (mut games, mut lines) = (0_u32, 0_u64);
        while blocks.next(&mut block)? {
            progress.check()?;
            let length = block.bytes.len() as u64;
            if part(file, block.offset, length) != Some(&block.bytes[..]) {
                return Ok(None);
            }
            let (_, counts) = reader.read(&block, Want::TAGS, &mut SkipAll)?;
            progress.advance(0, u64::from(counts.games));
            map.0.push(MappedBlock {
                offset: block.offset,
                length,
                games_before: games,
                lines_before: lines,
                counts,
            });
            let Some(sum) = games.checked_add(counts.games) else {
                return Ok(None);
            };
            games = sum;
            lines += counts.lines;
        }
        Ok(Some(map))
    }

    /// The games and lines before the block at an offset.
    pub(crate) fn base_at(&self, offset: u64) -> Base {
        let index = self.0.binary_search_by_key(&offset, |block| block.offset);
        let block = index.ok().and_then(|index| self.0.get(index));
        Base {
            games: block.map_or(0, |block| block.games_before),
            lines: block.map_or(0, |block| block.lines_before),
            bytes: offset,
        }
    }

    /// The blocks with these games, and the first one, at which the text as a whole is reported on; `None`
    /// if there are too many, or if the text is not what the map states.
    pub(crate) fn blocks(
        &self,
        numbers: &RecordRanges,
        mut inner: Box<dyn Blocks>,
        file: Blob,
    ) -> std::result::Result<Box<dyn Blocks>, Box<dyn Blocks>> {
        let has_wanted = |(index, block): &(usize, &MappedBlock)| {
            let next = numbers.next_from(block.games_before);
            let end = block.games_before.saturating_add(block.counts.games);
            *index == 0 || next.is_some_and(|game| game < end)
        };
        let wanted = self.0.iter().enumerate().filter(has_wanted);
        let wanted: VecDeque<MappedBlock> = wanted.map(|(_, block)| *block).collect();
        if wanted.len() > MAX_BLOCKS {
            return Err(inner);
        }
        let mut reader = inner.reader();
        let is_right = wanted.iter().all(|mapped| {
            let block = mapped.read(&file);
            let counts = block.and_then(|block| reader.read(&block, Want::TAGS, &mut SkipAll).ok());
            counts.is_some_and(|(_, counts)| counts == mapped.counts)
        });
        if !is_right || skip_to_charset(&mut *inner, &file, &wanted).is_err() {
            return Err(inner);
        }
        Ok(Box::new(WantedBlocks {
            inner,
            file,
            wanted,
        }))
    }

    /// The input as far as it is read for these games, with its map if that is not all of it.
    pub(crate) fn restrict(
        map: Option<(Self, Blob)>,
        numbers: &RecordRanges,
        input: OpenInput,
    ) -> (OpenInput, Option<Arc<Self>>) {
        match (input, map) {
            (OpenInput::Blocks(blocks), Some((map, file))) => {
                match map.blocks(numbers, blocks, file) {
                    Ok(wanted) => (OpenInput::Blocks(wanted), Some(Arc::new(map))),
                    Err(all) => (OpenInput::Blocks(all), None),
                }
            }
            (input, _) => (input, None),
        }
    }

    fn load(saved: &Path, file: &Path, blob: &Blob) -> Option<Self> {
        let written = std::fs::metadata(saved).ok()?;
        // Each block has half a megabyte, and its line less than a hundred bytes.
        if written.len() > blob.len() as u64 / 100 + 4096 {
            return None;
        }
        let written = written.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        if written < last_change(&std::fs::metadata(file).ok()?)? + DOUBTFUL {
            return None;
        }
        let text = std::fs::read_to_string(saved).ok()?;
        Self::parse(&text, &state_of(file, blob).ok()?, blob.len() as u64)
    }

    fn save(&self, saved: &Path, state: &str) -> Result<()> {
        if let Some(folder) = saved.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut set = OutputSet::new(true);
        let number = set.create(saved)?;
        if let Some(file) = set.file(number) {
            file.write_all(self.to_text(state).as_bytes())?;
        }
        set.commit()?;
        Ok(())
    }

    fn to_text(&self, state: &str) -> String {
        let mut text = format!("{TITLE}\n{state}\n");
        for block in &self.0 {
            let BlockCounts { games, lines } = block.counts;
            let _ = writeln!(text, "{} {} {games} {lines}", block.offset, block.length);
        }
        let crc = crc32(text.as_bytes());
        let _ = writeln!(text, "{crc:08x}");
        text
    }

    /// Reads what [`to_text`](Self::to_text) writes, of a file of that state and length.
    fn parse(text: &str, state: &str, length: u64) -> Option<Self> {
        let checked = text.strip_suffix('\n')?;
        let end = checked.rfind('\n')? + 1;
        let (body, crc) = (text.get(..end)?, checked.get(end..)?);
        if crc != format!("{:08x}", crc32(body.as_bytes())) {
            return None;
        }
        let rest = body.strip_prefix(TITLE)?.strip_prefix('\n')?;
        let rest = rest.strip_prefix(state)?.strip_prefix('\n')?;
        let mut map = Self::default();
        let (mut at, mut games, mut lines) = (0_u64, 0_u32, 0_u64);
        for line in rest.lines() {
            let numbers: Option<Vec<u64>> = line.split(' ').map(|part| part.parse().ok()).collect();
            let [offset, size, inside, text_lines] = numbers?.try_into().ok()?;
            let counts = BlockCounts {
                games: u32::try_from(inside).ok()?,
                lines: text_lines,
            };
            // A byte order mark may come before the first.
            if offset < at || (!map.0.is_empty() && offset != at) {
                return None;
            }
            at = offset.checked_add(size).filter(|end| *end <= length)?;
            map.0.push(MappedBlock {
                offset,
                length: size,
                games_before: games,
                lines_before: lines,
                counts,
            });
            games = games.checked_add(counts.games)?;
            lines = lines.checked_add(counts.lines)?;
        }
        Some(map)
    }
}

impl MappedBlock {
    /// The block, from its file.
    fn read(&self, file: &Blob) -> Option<Block> {
        let bytes = part(file, self.offset, self.length)?;
        Some(Block {
            bytes: bytes.to_vec(),
            offset: self.offset,
        })
    }
}

/// Bytes of a file.
fn part(file: &Blob, offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    file.get(start..end)
}

/// Where the map of a file is saved.
fn saved_path(file: &Path, cache: &Path) -> PathBuf {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let crc = crc32(whole.as_os_str().as_encoded_bytes());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    cache.join(format!("{crc:08x}-{name}.{EXTENSION}"))
}

/// The time of a file since 1970, or when it was changed or got its name if that is later: copies can keep the time of
/// another file.
fn last_change(metadata: &Metadata) -> Option<Duration> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(time_of_change(metadata).unwrap_or_default().max(modified))
}

/// Length, time, and checksums of both ends of a file.
fn state_of(file: &Path, blob: &Blob) -> Result<String> {
    let metadata = std::fs::metadata(file)?;
    let modified = last_change(&metadata);
    let size = SAMPLE.min(blob.len());
    let head = crc32(blob.get(..size).unwrap_or_default());
    let tail = crc32(blob.get(blob.len() - size..).unwrap_or_default());
    let (length, nanos) = (metadata.len(), modified.unwrap_or_default().as_nanos());
    Ok(format!("{length} {nanos} {head:08x} {tail:08x}"))
}

/// Reads the blocks of a stream up to the first wanted one that is not UTF-8: what such bytes are is known
/// from the first of them on, which may be before that block. At the start of a file it is known already.
fn skip_to_charset(
    inner: &mut dyn Blocks,
    file: &Blob,
    wanted: &VecDeque<MappedBlock>,
) -> Result<()> {
    let is_utf8 = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    let is_first = |mapped: &&MappedBlock| {
        let block = mapped.read(file);
        block.is_some_and(|block| !is_utf8(&block.bytes))
    };
    let Some(first) = wanted.iter().find(is_first) else {
        return Ok(());
    };
    let start = file.get(..SAMPLE.min(file.len())).unwrap_or_default();
    let is_known = std::str::from_utf8(start).is_err_and(|error| error.error_len().is_some());
    let mut block = Block::default();
    while !is_known && inner.next(&mut block)? && block.offset < first.offset {}
    Ok(())
}

/// Some of the blocks of a file.
struct WantedBlocks {
    /// The stream of all blocks, for its readers.
    inner: Box<dyn Blocks>,
    file: Blob,
    wanted: VecDeque<MappedBlock>,
}

impl Blocks for WantedBlocks {
    fn next(&mut self, block: &mut Block) -> Result<bool> {
        let next = self.wanted.pop_front();
        let Some(next) = next.and_then(|mapped| mapped.read(&self.file)) else {
            return Ok(false);
        };
        *block = next;
        Ok(true)
    }

    fn reader(&self) -> Box<dyn BlockReader> {
        self.inner.reader()
    }
}

/// A visitor that counts nothing and wants nothing.
pub(crate) struct SkipAll;

impl Visitor for SkipAll {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        Flow::Skip
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> BlockMap {
        let block = |offset, games_before, lines_before| MappedBlock {
            offset,
            length: 10,
            games_before,
            lines_before,
            counts: BlockCounts { games: 2, lines: 5 },
        };
        BlockMap(vec![block(3, 0, 0), block(13, 2, 5)])
    }

    #[test]
    fn maps_read_back_and_damaged_ones_do_not() {
        let text = map().to_text("state");
        let read = |text: &str, state: &str, length| BlockMap::parse(text, state, length);
        assert_eq!(read(&text, "state", 23).unwrap().0, map().0);
        assert!(read(&text, "other", 23).is_none());
        assert!(read(&text, "state", 22).is_none(), "beyond the end");
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let damaged = String::from_utf8(bytes).unwrap();
            assert!(read(&damaged, "state", 23).is_none(), "{at}");
            assert!(read(&text[..at], "state", 23).is_none(), "{at}");
        }
    }

    #[test]
    fn blocks_without_gaps_only() {
        for text in [
            "3 10 2 5\n14 9 2 5\n",
            "3 10 2 5\n3 10 2 5\n",
            "3 10 2\n",
            "3 10 2 x\n",
        ] {
            let mut text = format!("{TITLE}\nstate\n{text}");
            let crc = crc32(text.as_bytes());
            let _ = writeln!(text, "{crc:08x}");
            assert!(BlockMap::parse(&text, "state", 23).is_none(), "{text}");
        }
    }

    #[test]
    fn numbers_before_a_block_are_those_of_the_blocks_before() {
        let base = map().base_at(13);
        assert_eq!((base.games, base.lines, base.bytes), (2, 5, 13));
        assert_eq!(map().base_at(14).games, 0);
    }
}
