//! Finds positions in a saved index.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use tabia_core::chess::{Color, Material, Ply, Position, Role};
use tabia_core::io::{Blob, LostFiles, Progress};
use zerocopy::little_endian::U32;

use crate::directory::{Directory, Unusable, damaged, read_directory};
use crate::fast_replay::{FastReplay, Sameness, Wanted};
use crate::game_facts_row::Row;
use crate::keys::{class_of, extra_of, is_same, white_of};
use crate::layout::{
    Kind, LINES_PER_BLOCK, LongPrefix, MAX_SEGMENT_GAMES, MaterialClass, Node, SegmentRecord, WHOLE,
};
use crate::mainline_collector::MAX_PLIES;
use crate::move_symbols;
use crate::postings::{CLASSES, POSITIONS, Table};
use crate::rank_lists::{ListReader, low_bits};
use crate::read_mark::{ReadMark, StoredReadMark};
use crate::section_reader::{SectionReader, check_file, read_number};
use crate::segment_builder::POPULAR;

type Result<T> = std::result::Result<T, Unusable>;

/// A saved index of the positions of a database. Shared between threads.
///
/// Every part of the file is checked before it is used for the first time.
#[derive(Debug)]
pub struct PositionIndex {
    directory: Directory,
    stamp: SectionReader,
    read_mark: Option<ReadMark>,
    segments: Vec<Segment>,
    length: u64,
    /// Who watches the file.
    file: LostFiles,
    /// Whether a game is marked as deleted, once that was asked.
    has_deleted: OnceLock<bool>,
}

/// The sections of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SectionFacts {
    /// Four letters, without blanks at the end.
    pub name: String,
    /// What is in them, for users; `""` if it is not known.
    pub holds: &'static str,
    /// Number of records.
    pub records: u64,
    /// Length in bytes, without checksums.
    pub bytes: u64,
}

/// Games that reached a position by the same moves for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Which segment of the index.
    pub segment: usize,
    /// First rank of the games in that segment.
    pub first: u32,
    /// The rank after the last one.
    pub end: u32,
    /// Number of plies before the position.
    pub ply: u32,
}

impl Arrival {
    /// The ranks.
    pub fn ranks(&self) -> Range<u32> {
        self.first..self.end
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.end - self.first
    }
}

/// The number of a segment and some of its ranks.
pub type SegmentRanks = (usize, Range<u32>);

/// A move by which games went on from a position; `None` for games that ended there.
pub type Continuation = (Option<Ply>, Arrival);

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) games: u32,
    plies: u64,
    exact_plies: u32,
    digest: u64,
    nodes: SectionReader,
    positions: Table,
    classes: Table,
    common: SectionReader,
    /// The least byte of each chunk of `common`; 0 where it was not looked for.
    least_common: Box<[AtomicU8]>,
    long: SectionReader,
    rows: SectionReader,
    starts: Vec<Start>,
    lines: SectionReader,
    line_blocks: SectionReader,
    materials: SectionReader,
    material_ranks: SectionReader,
    irregular: SectionReader,
}

/// A start position.
#[derive(Debug)]
struct Start {
    /// The first rank whose line begins with it.
    first: u32,
    position: Position,
    replay: FastReplay,
}

/// A position that is looked for, and what it is looked up by.
#[derive(Debug)]
struct Hashed<'p> {
    men: Wanted<'p>,
    key: u64,
    white: u64,
    extra: (u64, u64),
    class: u64,
}

impl<'p> Hashed<'p> {
    fn new(position: &'p Position) -> Self {
        Self {
            men: Wanted::new(position),
            key: position.key(),
            white: white_of(position),
            extra: extra_of(position),
            class: class_of(position),
        }
    }
}

/// Memory for finding positions, to be used again.
#[derive(Debug, Default)]
struct Scratch {
    line: Vec<u8>,
}

impl PositionIndex {
    /// The index in a file.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open(file: &Blob) -> Result<Self> {
        Self::open_watched(file, &LostFiles::default())
    }

    /// As [`open`](Self::open), for a file that `watching` watches: once bytes of it are lost, every answer is an error.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open_watched(file: &Blob, watching: &LostFiles) -> Result<Self> {
        let directory = read_directory(file)?;
        let find = |kind: Kind, segment: u32| {
            let mut entries = directory.entries.iter();
            let entry = entries.find(|entry| entry.kind == kind && entry.segment.get() == segment);
            let entry =
                entry.ok_or_else(|| damaged(format!("section {} is missing", kind.name())))?;
            SectionReader::open(file, entry, watching)
        };
        let mut numbers: Vec<u32> = directory
            .entries
            .iter()
            .filter(|entry| entry.kind == Kind::SEGMENT)
            .map(|entry| entry.segment.get())
            .collect();
        numbers.sort_unstable();
        let mut segments = Vec::new();
        for number in numbers {
            segments.push(Segment::open(&|kind| find(kind, number))?);
        }
        let stamp = find(Kind::STAMP, WHOLE)?;
        stamp.check_all()?;
        let mut entries = directory.entries.iter();
        let read_mark = entries
            .find(|entry| entry.kind == Kind::READ_MARK)
            .map(|entry| {
                let mark = SectionReader::open(file, entry, watching)?;
                Ok(ReadMark::from(*mark.record::<StoredReadMark>(0)?))
            })
            .transpose()?;
        Ok(Self {
            stamp,
            read_mark,
            segments,
            has_deleted: OnceLock::new(),
            length: file.len() as u64,
            file: watching.clone(),
            directory,
        })
    }

    /// Whether the answers so far were read from the file. What was made of [`rows`](Self::rows) is to be discarded if
    /// not.
    ///
    /// # Errors
    /// When bytes of it were lost.
    pub fn check_file(&self) -> Result<()> {
        check_file(&self.file)
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// What the index was made from, as its builder described it.
    pub fn stamp(&self) -> &[u8] {
        self.stamp.bytes(0, self.stamp.len()).unwrap_or_default()
    }

    /// How far the database was read, if that is known.
    pub fn read_mark(&self) -> Option<ReadMark> {
        self.read_mark
    }

    /// Number of games, those that are [irregular](Self::irregular) too.
    pub fn games(&self) -> u64 {
        let segments = self.segments.iter();
        segments
            .map(|segment| u64::from(segment.games) + segment.irregular.count())
            .sum()
    }

    /// Plies of all games.
    pub fn plies(&self) -> u64 {
        self.segments.iter().map(|segment| segment.plies).sum()
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.length
    }

    /// The lowest number of a game in the segments from one on; `None` if they have no games.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(crate) fn first_game_from(&self, segment: usize) -> Result<Option<u32>> {
        let mut first = None;
        for segment in self.segments.get(segment..).unwrap_or_default() {
            let irregular = &segment.irregular;
            let irregular = irregular.records::<U32>(0, irregular.count() as usize)?;
            let rows = segment.rows.records::<Row>(0, segment.games as usize)?;
            let rows = rows.iter().map(|row| row.game().0);
            let games = rows.chain(irregular.iter().map(|number| number.get()));
            first = games.chain(first).min();
        }
        Ok(first)
    }

    /// Number of games of a segment and the digest of them.
    pub(crate) fn digests(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let segments = self.segments.iter();
        segments.map(|segment| {
            let irregular = segment.irregular.count() as u32;
            (segment.games.saturating_add(irregular), segment.digest)
        })
    }

    /// Checks every byte, and that every line can be played.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<()> {
        let mut scratch = Scratch::default();
        for segment in &self.segments {
            let postings = [&segment.positions, &segment.classes];
            for section in postings.iter().flat_map(|table| table.sections()) {
                section.check_all()?;
            }
            for section in [
                &segment.nodes,
                &segment.common,
                &segment.long,
                &segment.rows,
                &segment.lines,
                &segment.line_blocks,
                &segment.materials,
                &segment.material_ranks,
                &segment.irregular,
            ] {
                section.check_all()?;
            }
            let mut plies = 0;
            for rank in 0..segment.games {
                segment.read_line(rank, &mut scratch.line)?;
                plies += u64::from(move_symbols::count(&scratch.line));
            }
            if plies != segment.plies {
                return Err(damaged(
                    "the lines have another number of plies than stated",
                ));
            }
        }
        Ok(())
    }

    /// The games that the index lists without their moves: what they reached is not known.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn irregular(&self) -> Result<Vec<u32>> {
        let mut games = Vec::new();
        for segment in &self.segments {
            let section = &segment.irregular;
            let numbers = section.records::<U32>(0, section.count() as usize)?;
            games.extend(numbers.iter().map(|number| number.get()));
        }
        Ok(games)
    }

    /// The games that reached a position, each once, at its first arrival there. Positions are equal if
    /// they are so but for their clocks.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn find(&self, position: &Position) -> Result<Vec<Arrival>> {
        let wanted = Hashed::new(position);
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            segment.find(number, &wanted, &mut scratch, &mut found)?;
        }
        Ok(found)
    }

    /// How the games of an arrival at a position went on.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn continuations(
        &self,
        position: &Position,
        arrival: &Arrival,
        out: &mut Vec<Continuation>,
    ) -> Result<()> {
        let segment = self.segment(arrival.segment)?;
        segment.continuations(position, arrival, out)
    }

    /// What is stored of the games of some ranks.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn rows(&self, segment: usize, ranks: Range<u32>) -> Result<&[Row]> {
        let count = ranks.end.saturating_sub(ranks.start);
        let rows = &self.segment(segment)?.rows;
        rows.records(ranks.start as usize, count as usize)
    }

    /// Whether a game is marked as deleted, [irregular](Self::irregular) ones aside. All rows are read for the first
    /// answer.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn has_deleted(&self) -> Result<bool> {
        if let Some(known) = self.has_deleted.get() {
            return Ok(*known);
        }
        let mut found = false;
        for segment in &self.segments {
            let rows = segment.rows.records::<Row>(0, segment.games as usize)?;
            found |= rows.iter().any(Row::is_deleted);
        }
        Ok(*self.has_deleted.get_or_init(|| found))
    }

    /// The sections of each kind, those of all segments added up.
    ///
    /// ```
    /// # use tabia_core::io::{Blob, Progress};
    /// # use tabia_index::{BuildOptions, Builder, PositionIndex};
    /// # let progress = Progress::new();
    /// let builder = Builder::in_memory(BuildOptions::default(), &progress)?;
    /// let (_, bytes) = builder.finish_bytes(b"no games")?.unwrap_or_default();
    /// let index = PositionIndex::open(&Blob::from(bytes))?;
    /// let sections = index.sections();
    /// assert_eq!((sections[0].name.as_str(), sections[0].bytes), ("STMP", 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sections(&self) -> Vec<SectionFacts> {
        let mut sections: Vec<SectionFacts> = Vec::new();
        for entry in &self.directory.entries {
            let (records, bytes) = (entry.count.get(), entry.length.get());
            let name = entry.kind.name();
            match sections.iter_mut().find(|other| other.name == name) {
                Some(facts) => {
                    facts.records = facts.records.saturating_add(records);
                    facts.bytes = facts.bytes.saturating_add(bytes);
                }
                None => sections.push(SectionFacts {
                    name,
                    holds: entry.kind.holds(),
                    records,
                    bytes,
                }),
            }
        }
        sections
    }

    /// The ranks of the lines on which there is material that fits, as ranges. No other material than that of
    /// `listed`, ascending, is asked about. `None` if more than `most` lines would have to be looked at, or
    /// if `progress` is cancelled.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn with_material(
        &self,
        fits: &dyn Fn(Material) -> bool,
        listed: Option<&[Material]>,
        most: u64,
        progress: &Progress,
    ) -> Result<Option<Vec<SegmentRanks>>> {
        let mut found = Vec::new();
        let mut left = most;
        for (number, segment) in self.segments.iter().enumerate() {
            let Some(ranges) = segment.with_material(fits, listed, &mut left, progress)? else {
                return Ok(None);
            };
            found.extend(ranges.into_iter().map(|ranks| (number, ranks)));
        }
        Ok(Some(found))
    }

    /// The ranks of a segment: of all its games but the irregular ones.
    pub fn ranks(&self, segment: usize) -> Range<u32> {
        0..self
            .segments
            .get(segment)
            .map_or(0, |segment| segment.games)
    }

    pub(crate) fn segment(&self, number: usize) -> Result<&Segment> {
        let segment = self.segments.get(number);
        segment.ok_or_else(|| damaged("a segment is missing"))
    }
}

impl Segment {
    fn open(find: &dyn Fn(Kind) -> Result<SectionReader>) -> Result<Self> {
        let facts = find(Kind::SEGMENT)?;
        let record = facts.record::<SegmentRecord>(0)?;
        let mut segment = Self {
            games: record.games.get(),
            plies: record.plies.get(),
            exact_plies: record.exact_plies.get(),
            digest: record.digest.get(),
            nodes: find(Kind::NODE)?,
            positions: Table::open(&POSITIONS, record.bucket_bits.get(), find)?,
            classes: Table::open(&CLASSES, record.class_bits.get(), find)?,
            common: find(Kind::COMMON)?,
            least_common: Box::default(),
            long: find(Kind::LONG)?,
            rows: find(Kind::ROWS)?,
            starts: Vec::new(),
            lines: find(Kind::LINES)?,
            line_blocks: find(Kind::LINE_BLOCKS)?,
            materials: find(Kind::MATERIALS)?,
            material_ranks: find(Kind::MATERIAL_RANKS)?,
            irregular: find(Kind::IRREGULAR)?,
        };
        segment.starts = read_starts(&find(Kind::STARTS)?)?;
        segment.check_sizes()?;
        let chunks = (segment.games as usize).div_ceil(CHUNK_OF_RANKS);
        segment.least_common = (0..chunks).map(|_| AtomicU8::new(0)).collect();
        Ok(segment)
    }

    /// Compares the lengths of the sections.
    fn check_sizes(&self) -> Result<()> {
        let games = self.games as usize;
        if games > MAX_SEGMENT_GAMES {
            return Err(damaged("section SEGM: a number is impossible"));
        }
        for (section, count, size) in [
            (&self.nodes, self.nodes.count(), size_of::<Node>()),
            (&self.common, games as u64, 1),
            (&self.long, self.long.count(), size_of::<LongPrefix>()),
            (&self.rows, games as u64, size_of::<Row>()),
            (
                &self.line_blocks,
                games.div_ceil(LINES_PER_BLOCK) as u64 + 1,
                size_of::<U32>(),
            ),
            (
                &self.materials,
                self.materials.count(),
                size_of::<MaterialClass>(),
            ),
            (&self.irregular, self.irregular.count(), size_of::<U32>()),
        ] {
            if count.checked_mul(size as u64) != Some(section.len() as u64) {
                return Err(section.damaged("its length is wrong"));
            }
        }
        if games > 0 && self.starts.first().is_none_or(|start| start.first != 0) {
            return Err(damaged(
                "section STRT: the first line has no start position",
            ));
        }
        Ok(())
    }

    /// Positions that a rank shares with the one before; 0 after the last.
    pub(crate) fn common(&self, rank: u32) -> Result<u32> {
        if rank >= self.games {
            return Ok(0);
        }
        match *self.common.record::<u8>(rank as usize)? {
            255 => self.long_common(rank),
            common => Ok(common.into()),
        }
    }

    #[cold]
    fn long_common(&self, rank: u32) -> Result<u32> {
        let long = self
            .long
            .records::<LongPrefix>(0, self.long.count() as usize)?;
        let index = long.binary_search_by_key(&rank, |prefix| prefix.rank.get());
        let found = index.ok().and_then(|index| long.get(index));
        let found = found.ok_or_else(|| self.long.damaged("a rank is missing"))?;
        Ok(found.common.get())
    }

    /// The symbols of a line.
    fn read_line(&self, rank: u32, line: &mut Vec<u8>) -> Result<()> {
        let (mut rest, first) = self.lines_from(rank)?;
        let mut parts: [(usize, &[u8]); LINES_PER_BLOCK] = [(0, &[]); LINES_PER_BLOCK];
        let parts = parts.get_mut(..=(rank - first) as usize);
        let parts = parts.ok_or_else(|| self.damaged_line())?;
        let mut length = 0;
        for part in &mut *parts {
            *part = read_part(&mut rest, length).ok_or_else(|| self.damaged_line())?;
            length = part.0 + part.1.len();
        }
        // Only what the line has is copied: its own bytes, those before from the line before, and so on.
        line.clear();
        line.resize(length, 0);
        let mut end = length;
        for (shared, own) in parts.iter().rev() {
            let to = line.get_mut(*shared..end);
            let from = end
                .checked_sub(*shared)
                .and_then(|length| own.get(..length));
            if let Some((to, from)) = to.zip(from) {
                to.copy_from_slice(from);
                end = *shared;
            }
        }
        Ok(())
    }

    /// The bytes of the lines from the block of a rank on, and the rank of the first of them.
    pub(crate) fn lines_from(&self, rank: u32) -> Result<(&[u8], u32)> {
        let block = rank as usize / LINES_PER_BLOCK;
        let [from, to] = *self.line_blocks.records::<U32>(block, 2)? else {
            return Err(self.line_blocks.damaged("a block is missing"));
        };
        let (from, to) = (from.get() as usize, to.get() as usize);
        let length = to.checked_sub(from);
        let length = length.ok_or_else(|| self.line_blocks.damaged("a block ends too early"))?;
        Ok((
            self.lines.bytes(from, length)?,
            (block * LINES_PER_BLOCK) as u32,
        ))
    }

    pub(crate) fn damaged_line(&self) -> Unusable {
        self.lines.damaged("a line cannot be read")
    }

    pub(crate) fn start(&self, rank: u32) -> Result<&Position> {
        self.start_of(rank).map(|start| &start.position)
    }

    fn start_of(&self, rank: u32) -> Result<&Start> {
        let after = self.starts.partition_point(|start| start.first <= rank);
        let start = after
            .checked_sub(1)
            .and_then(|index| self.starts.get(index));
        start.ok_or_else(|| damaged("section STRT: a start position is missing"))
    }

    /// See [`PositionIndex::with_material`].
    fn with_material(
        &self,
        fits: &dyn Fn(Material) -> bool,
        listed: Option<&[Material]>,
        left: &mut u64,
        progress: &Progress,
    ) -> Result<Option<Vec<Range<u32>>>> {
        let count = self.materials.count() as usize;
        let classes = self.materials.records::<MaterialClass>(0, count)?;
        let numbers: Vec<usize> = match listed {
            Some(listed) => listed
                .iter()
                .filter_map(|wanted| {
                    let wanted = wanted.to_bits();
                    let found = classes.binary_search_by_key(&wanted, |class| class.material.get());
                    found.ok()
                })
                .collect(),
            None => (0..count).collect(),
        };
        let mut owners: Vec<(u32, u32)> = Vec::new();
        for number in numbers {
            let Some(class) = classes.get(number) else {
                continue;
            };
            let material = class.material.get();
            if !fits(Material::from_bits(material)) {
                continue;
            }
            let before = number.checked_sub(1).and_then(|before| classes.get(before));
            let start = before.map_or(0, |before| before.end.get() as usize);
            let end = class.end.get() as usize;
            let Some(rest) = left.checked_sub(u64::from(class.count.get())) else {
                return Ok(None);
            };
            *left = rest;
            let length = end.checked_sub(start);
            let length = length.ok_or_else(|| self.materials.damaged("a class ends too early"))?;
            let bytes = self.material_ranks.bytes(start, length)?;
            let low = low_bits(self.games.into(), class.count.get().into());
            let mut list = ListReader::new(bytes, low, 0);
            let mut rank = 0;
            for _ in 0..class.count.get() {
                let step = list.next();
                let (step, _) =
                    step.ok_or_else(|| self.material_ranks.damaged("a rank cannot be read"))?;
                rank += step;
                if rank >= u64::from(self.games) {
                    let why = "a rank exceeds the games";
                    return Err(self.material_ranks.damaged(why));
                }
                owners.push((rank as u32, material));
            }
        }
        owners.sort_unstable();
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut scratch = Scratch::default();
        for (number, owner) in owners.chunk_by(|a, b| a.0 == b.0).enumerate() {
            if number % 1024 == 0 && progress.is_cancelled() {
                return Ok(None);
            }
            let Some(&(rank, _)) = owner.first() else {
                continue;
            };
            let wanted = |material: u32| owner.iter().any(|(_, other)| *other == material);
            let plies = owner
                .iter()
                .map(|(_, material)| self.least_plies(rank, *material));
            // The position is after those that the next line shares.
            let end = if self.common(rank + 1)? <= plies.min().unwrap_or_default() {
                rank + 1
            } else {
                self.end_of_material(rank, &wanted, &mut scratch)?
            };
            match ranges.last_mut() {
                Some(last) if last.end >= rank => last.end = last.end.max(end),
                _ => ranges.push(rank..end),
            }
        }
        Ok(Some(ranges))
    }

    /// The number of plies before which a line cannot have some material: each takes one man at most.
    fn least_plies(&self, rank: u32, material: u32) -> u32 {
        let second = self.starts.get(1).map_or(self.games, |start| start.first);
        let first = self.starts.first().map(|start| &start.position);
        if rank >= second || first.is_none_or(|start| *start != Position::standard()) {
            return 0;
        }
        let material = Material::from_bits(material);
        let mut men = 2;
        for color in [Color::White, Color::Black] {
            for (role, many) in [
                (Role::Pawn, 15),
                (Role::Knight, 3),
                (Role::Bishop, 3),
                (Role::Rook, 3),
                (Role::Queen, 3),
            ] {
                let count = material.count(color, role);
                if count == many {
                    return 0;
                }
                men += count;
            }
        }
        32_u32.saturating_sub(men)
    }

    /// The rank after the last one that shares the first position with such material of a line.
    fn end_of_material(
        &self,
        rank: u32,
        wanted: &dyn Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> Result<u32> {
        let mut position = self.start(rank)?.clone();
        self.read_line(rank, &mut scratch.line)?;
        let mut rest = scratch.line.as_slice();
        let mut ply = 0;
        while !wanted(Material::of(&position).to_bits()) {
            let Some(&first) = rest.first() else {
                return Err(self.materials.damaged("a line lacks its material"));
            };
            let played = move_symbols::decode(&position, rest);
            let played = played.ok_or_else(|| self.lines.damaged("a move cannot be read"))?;
            position.play_ply(played);
            rest = rest.get(move_symbols::length(first)..).unwrap_or_default();
            ply += 1;
        }
        let mut end = rank + 1;
        while self.common(end)? > ply {
            end += 1;
        }
        Ok(end)
    }

    /// The ply at which a line reaches a position first.
    fn first_arrival(
        &self,
        rank: u32,
        wanted: &Wanted<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<u32>> {
        let Start {
            position, replay, ..
        } = self.start_of(rank)?;
        self.read_line(rank, &mut scratch.line)?;
        let mut replay = replay.clone();
        let mut rest = scratch.line.as_slice();
        let mut ply = 0;
        loop {
            let is_reached = match replay.compare(wanted) {
                Sameness::Other => false,
                Sameness::Same => true,
                Sameness::SameButForEnPassant => {
                    let reached = self.position_at(position, &scratch.line, ply)?;
                    is_same(&reached, wanted.position)
                }
            };
            if is_reached {
                return Ok(Some(ply));
            }
            if rest.is_empty() || !replay.may_reach(wanted) {
                return Ok(None);
            }
            let length = replay.play(rest);
            let length = length.ok_or_else(|| self.lines.damaged("a move cannot be read"))?;
            rest = rest.get(length..).unwrap_or_default();
            ply += 1;
        }
    }

    /// The position of a line after some plies.
    fn position_at(&self, start: &Position, line: &[u8], plies: u32) -> Result<Position> {
        let mut position = start.clone();
        let mut rest = line;
        for _ in 0..plies {
            let played = move_symbols::decode(&position, rest);
            let played = played.ok_or_else(|| self.lines.damaged("a move cannot be read"))?;
            position.play_ply(played);
            let length = rest.first().map_or(0, |&first| move_symbols::length(first));
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(position)
    }

    fn find(
        &self,
        number: usize,
        wanted: &Hashed<'_>,
        scratch: &mut Scratch,
        found: &mut Vec<Arrival>,
    ) -> Result<()> {
        let before = found.len();
        let mut arrivals = Vec::new();
        self.find_nodes(wanted, scratch, &mut arrivals)?;
        let mut ranks = Vec::new();
        self.positions
            .find(wanted.white, self.games, wanted.extra, &mut ranks)?;
        for &rank in &ranks {
            if let Some(ply) = self.first_arrival(rank, &wanted.men, scratch)? {
                arrivals.extend(self.rare_line(rank, ply)?);
            }
        }
        ranks.clear();
        self.classes
            .find(wanted.class, self.games, (0, 0), &mut ranks)?;
        let mut done = 0;
        for &first in &ranks {
            // The lines that share the first position of this class, some of which left it later.
            for rank in first..first.saturating_add(POPULAR as u32 - 1).min(self.games) {
                if rank > first && self.common(rank)? <= self.exact_plies + 1 {
                    break;
                }
                if rank < done {
                    continue;
                }
                if let Some(ply) = self.first_arrival(rank, &wanted.men, scratch)? {
                    let arrival = self.rare_line(rank, ply)?;
                    done = arrival.as_ref().map_or(done, |(range, _)| range.end);
                    arrivals.extend(arrival);
                }
                done = done.max(rank + 1);
            }
        }
        // Of lines that reach it more than once the first arrival has the larger range.
        arrivals
            .sort_unstable_by_key(|(range, ply)| (range.start, std::cmp::Reverse(range.end), *ply));
        for (range, ply) in arrivals {
            let last = found.get(before..).and_then(<[Arrival]>::last);
            if last.is_none_or(|last| last.end <= range.start) {
                found.push(Arrival {
                    segment: number,
                    first: range.start,
                    end: range.end,
                    ply,
                });
            }
        }
        Ok(())
    }

    /// The lines shared by many games that end with the position.
    fn find_nodes(
        &self,
        wanted: &Hashed<'_>,
        scratch: &mut Scratch,
        arrivals: &mut Vec<(Range<u32>, u32)>,
    ) -> Result<()> {
        let key = wanted.key;
        let (mut low, mut high) = (0, self.nodes.count() as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.nodes.record::<Node>(middle)?.key.get() < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for index in low..self.nodes.count() as usize {
            let node = *self.nodes.record::<Node>(index)?;
            if node.key.get() != key {
                break;
            }
            let (first, ply) = (node.first.get(), u32::from(node.ply.get()));
            let end = first.checked_add(node.count.get());
            let end = end.filter(|&end| first < end && end <= self.games);
            let end = end.ok_or_else(|| self.nodes.damaged("a range exceeds the games"))?;
            if self.first_arrival(first, &wanted.men, scratch)? == Some(ply) {
                arrivals.push((first..end, ply));
            }
        }
        Ok(())
    }

    /// The games that share the line of a rank up to a ply; `None` if they are so numerous that the line
    /// has a node.
    fn rare_line(&self, rank: u32, ply: u32) -> Result<Option<(Range<u32>, u32)>> {
        let (mut first, mut end) = (rank, rank + 1);
        while (end - first) < POPULAR as u32 {
            if first > 0 && self.common(first)? > ply {
                first -= 1;
            } else if self.common(end)? > ply {
                end += 1;
            } else {
                return Ok(Some((first..end, ply)));
            }
        }
        Ok(None)
    }

    fn continuations(
        &self,
        position: &Position,
        arrival: &Arrival,
        out: &mut Vec<Continuation>,
    ) -> Result<()> {
        let mut line = Vec::new();
        let mut first = arrival.first;
        while first < arrival.end {
            // Lines that go on with the same move share one position more.
            let end = self.end_of_run(first, arrival.end, arrival.ply)?;
            self.read_line(first, &mut line)?;
            let mut rest = line.as_slice();
            for _ in 0..arrival.ply {
                let length = rest.first().map_or(0, |&first| move_symbols::length(first));
                rest = rest.get(length..).unwrap_or_default();
            }
            let played = if rest.is_empty() {
                None
            } else {
                let played = move_symbols::decode(position, rest);
                Some(played.ok_or_else(|| self.lines.damaged("a move cannot be read"))?)
            };
            out.push((
                played,
                Arrival {
                    first,
                    end,
                    ..*arrival
                },
            ));
            first = end;
        }
        Ok(())
    }

    /// The rank after the last one that plays the same move after `ply` plies as `first`.
    fn end_of_run(&self, first: u32, end: u32, ply: u32) -> Result<u32> {
        let mut rank = first as usize + 1;
        let end = end.min(self.games) as usize;
        while rank < end {
            let chunk = rank / CHUNK_OF_RANKS;
            let count = (chunk * CHUNK_OF_RANKS + CHUNK_OF_RANKS).min(end) - rank;
            // All of the arrival share `ply + 1` positions; those of a move share one more. 255 means more.
            if ply + 2 < 255 {
                let least = self.least_common(chunk)?;
                if u32::from(least) <= ply + 1 {
                    let common = self.common.bytes_up_to(rank, count)?;
                    if let Some(index) = first_at_most(common, ply as u8 + 1) {
                        return Ok((rank + index) as u32);
                    }
                }
            } else {
                for index in 0..count {
                    if self.common((rank + index) as u32)? <= ply + 1 {
                        return Ok((rank + index) as u32);
                    }
                }
            }
            rank += count;
        }
        Ok(end as u32)
    }

    /// The least byte of a chunk of `common`.
    fn least_common(&self, chunk: usize) -> Result<u8> {
        let kept = self.least_common.get(chunk);
        match kept.map_or(0, |least| least.load(Ordering::Relaxed)) {
            0 => {
                let bytes = self
                    .common
                    .bytes_up_to(chunk * CHUNK_OF_RANKS, CHUNK_OF_RANKS)?;
                let least = bytes.iter().fold(255, |least, &byte| byte.min(least));
                if let Some(kept) = kept {
                    kept.store(least, Ordering::Relaxed);
                }
                Ok(least)
            }
            least => Ok(least),
        }
    }
}

/// The index of the first byte that is not above a limit. Batches are tested without a branch.
fn first_at_most(bytes: &[u8], limit: u8) -> Option<usize> {
    let (batches, rest) = bytes.as_chunks::<64>();
    for (number, batch) in batches.iter().enumerate() {
        let found = batch
            .iter()
            .fold(0, |found, &byte| found | u8::from(byte <= limit));
        if found != 0 {
            let index = batch.iter().position(|&byte| byte <= limit);
            return index.map(|index| number * 64 + index);
        }
    }
    let index = rest.iter().position(|&byte| byte <= limit)?;
    Some(bytes.len() - rest.len() + index)
}

/// Ranks whose least common prefix is kept.
const CHUNK_OF_RANKS: usize = 512;
/// Bytes of a line at most.
const MAX_LINE: usize = 3 * MAX_PLIES as usize;

/// Reads the next line of a block; `line` holds the one before.
pub(crate) fn read_next(rest: &mut &[u8], line: &mut Vec<u8>) -> Option<()> {
    let (shared, own) = read_part(rest, line.len())?;
    line.truncate(shared);
    line.extend_from_slice(own);
    Some(())
}

/// How many bytes the next line of a block shares with the one before, which has `length`, and its own bytes.
#[inline]
fn read_part<'b>(rest: &mut &'b [u8], length: usize) -> Option<(usize, &'b [u8])> {
    let shared = read_number(rest)?;
    let own = read_number(rest)?;
    if shared > length || own > rest.len() || shared + own > MAX_LINE {
        return None;
    }
    let (own, after) = rest.split_at(own);
    *rest = after;
    Some((shared, own))
}

fn read_starts(section: &SectionReader) -> Result<Vec<Start>> {
    let mut rest = section.bytes(0, section.len())?;
    let mut starts = Vec::new();
    let wrong = || section.damaged("a start position cannot be read");
    while !rest.is_empty() {
        let [a, b, c, d, length, after @ ..] = rest else {
            return Err(wrong());
        };
        let rank = [*a, *b, *c, *d];
        let rank = U32::from_bytes(rank).get();
        let fen = after.get(..usize::from(*length)).ok_or_else(wrong)?;
        let position = Position::parse_fen(fen).map_err(|_| wrong())?;
        let replay = FastReplay::at(&position);
        starts.push(Start {
            first: rank,
            position,
            replay,
        });
        rest = after.get(usize::from(*length)..).unwrap_or_default();
    }
    if starts
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.first >= b.first))
    {
        return Err(wrong());
    }
    Ok(starts)
}
