//! Opening, probing and walking a book.

use std::sync::OnceLock;

use tabia_core::books::{Book, BookEntry, BookInfo, BookKey, BookPosition, Wdl};
use tabia_core::chess::{Move, Position};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::external::{FixedRecord, FixedSorter, interpolation_lower_bound};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::header::{Header, RECORDS_AT, ROOT};
use super::position_table::Rows;
use super::record::{Record, decode_move};

/// Half-moves beyond which a line is left out.
const DEEPEST: usize = 1024;
/// Move bits of a record whose move is not legal.
const NO_MOVE: u16 = u16::MAX;

/// An Arena book. The tree is walked when the book is first asked for a position, and an index made
/// of it: 32 bytes a move of a position, wherever and however often it stands in the tree, in a
/// temporary file when it is large. Opening looks at the header alone.
#[derive(Debug)]
pub struct AbkBook {
    blob: Blob,
    header: Header,
    walked: OnceLock<Walked>,
    info: BookInfo,
}

/// Bytes of the index that are kept in memory.
const IN_MEMORY: usize = 32 << 20;

/// What a walk through the tree gives.
#[derive(Debug, Default)]
struct Walked {
    /// By key, then in the order of the walk.
    index: Index,
    findings: Findings,
}

/// Moves in memory, or in a file.
#[derive(Debug)]
enum Index {
    Memory(Vec<Known>),
    File(Blob),
}

impl Default for Index {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Index {
    fn as_slice(&self) -> &[Known] {
        match self {
            Self::Memory(moves) => moves,
            Self::File(blob) => <[Known]>::ref_from_bytes(blob).unwrap_or_default(),
        }
    }
}

/// What the walk through the tree found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Findings {
    /// Records in the file, from number 900.
    pub records: u64,
    /// Records that a line from the start reaches.
    pub reached: u64,
    /// Distinct positions with moves.
    pub positions: u64,
    /// Distinct moves of them.
    pub moves: u64,
    /// Records whose move is deleted.
    pub deleted: u64,
    /// Records whose move is not legal.
    pub illegal: u64,
    /// References to records that are reached another way already.
    pub repeated_references: u64,
    /// References to records that do not exist.
    pub bad_references: u64,
    /// Records whose counts make no sense.
    pub odd_counts: u64,
    /// Lines cut because they were too long.
    pub too_deep: u64,
    /// Half-moves of the longest line.
    pub depth: u64,
    /// Whether any record counts games.
    pub has_games: bool,
    /// Whether any record counts won or lost games.
    pub has_results: bool,
}

/// A move in one place of the tree.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Place {
    key: u64,
    record: u32,
    move_bits: u16,
    _unused: u16,
}

impl FixedRecord for Place {
    type Order = u64;

    fn order(&self) -> u64 {
        self.key
    }

    fn lead(&self) -> u64 {
        self.key
    }
}

/// A move of a position, from all places of the tree where the position is met.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Known {
    key: u64,
    games: u32,
    won: u32,
    lost: u32,
    /// The record it was first met in.
    first: u32,
    /// Flags and priority of the record that plays it most.
    flags: u32,
    move_bits: u16,
    priority: u8,
    _unused: u8,
}

impl Walked {
    fn of(records: &[Record]) -> Self {
        // Where there is no room for temporary files, all in memory.
        let walked = Self::within(records, IN_MEMORY);
        let walked = walked.or_else(|_| Self::within(records, usize::MAX));
        walked.unwrap_or_default()
    }

    /// With about so many bytes in memory.
    fn within(records: &[Record], memory: usize) -> Result<Self> {
        let mut findings = Findings {
            records: records.len().saturating_sub(ROOT) as u64,
            ..Findings::default()
        };
        let folder = std::env::temp_dir();
        let mut places = FixedSorter::new(&folder, memory);
        let mut failure = Ok(());
        walk(records, &mut findings, &mut |position, number, m| {
            failure = places.push(Place {
                key: position.key(),
                record: number as u32,
                move_bits: m.map_or(NO_MOVE, Move::to_bits),
                _unused: 0,
            });
            if failure.is_ok() {
                Flow::Go
            } else {
                Flow::Stop
            }
        });
        failure?;
        let is_large = records.len().saturating_mul(size_of::<Known>()) > memory;
        let mut rows = is_large.then(|| Rows::create(&folder)).transpose()?;
        let mut index = Vec::new();
        let mut run: Vec<Place> = Vec::new();
        let mut put = |run: &mut Vec<Place>| -> Result<()> {
            findings.positions += u64::from(!run.is_empty());
            let before = index.len();
            gather(records, run, &mut index);
            findings.moves += (index.len() - before) as u64;
            run.clear();
            match &mut rows {
                Some(rows) => index.drain(..).try_for_each(|known| rows.push(&known)),
                None => Ok(()),
            }
        };
        // Stable: the places of a key stay in the order of the walk.
        places.finish(|place| {
            if run.last().is_some_and(|last| last.key != place.key) {
                put(&mut run)?;
            }
            run.push(place);
            Ok(())
        })?;
        put(&mut run)?;
        index.shrink_to_fit();
        let index = match rows {
            Some(rows) => Index::File(rows.finish()?),
            None => Index::Memory(index),
        };
        Ok(Self { index, findings })
    }
}

impl AbkBook {
    /// Opens a book. Looks at the header, whatever the size.
    ///
    /// # Errors
    /// [`ErrorKind::WrongFormat`] for files that are no Arena book.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let label = source.label();
        let blob = source.main().open()?;
        let header = Header::read(&blob, options.charset);
        let Some(header) = header.filter(|_| blob.len() >= RECORDS_AT) else {
            let why = if blob.len() < RECORDS_AT {
                "it is shorter than the header".to_owned()
            } else {
                "it does not begin as such books do".to_owned()
            };
            let expected = super::FORMAT.file.id;
            return Err(Error::new(ErrorKind::WrongFormat { expected, why }).in_file(label));
        };
        let info = info(&header, blob.len() - RECORDS_AT);
        Ok(Self {
            blob,
            header,
            walked: OnceLock::new(),
            info,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What a walk through the tree finds.
    pub fn findings(&self) -> &Findings {
        &self.walked().findings
    }

    /// All records, those before the first move included.
    pub fn records(&self) -> &[Record] {
        records(&self.blob)
    }

    fn walked(&self) -> &Walked {
        self.walked.get_or_init(|| Walked::of(self.records()))
    }

    fn find(&self, key: u64) -> &[Known] {
        let index = self.walked().index.as_slice();
        let start = interpolation_lower_bound(index, key, |known| known.key);
        let rest = index.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|known| known.key == key).count();
        rest.get(..length).unwrap_or_default()
    }

    fn tell(&self, run: &[Known], out: &mut Vec<BookEntry>) {
        let findings = self.findings();
        out.extend(run.iter().map(|known| known.entry(findings)));
    }
}

/// Adds the moves of one position, each once, to the index.
fn gather(records: &[Record], run: &[Place], index: &mut Vec<Known>) {
    // Where each legal move stands; there are never many, however long a run is.
    let mut legal: Vec<(u16, usize)> = Vec::new();
    for place in run {
        let Some(record) = records.get(place.record as usize) else {
            continue;
        };
        let new = Known::of(record, place);
        let known = legal.iter().find(|(bits, _)| *bits == place.move_bits);
        if let Some(known) = known.and_then(|(_, at)| index.get_mut(*at)) {
            known.add(&new);
            continue;
        }
        if place.move_bits != NO_MOVE {
            legal.push((place.move_bits, index.len()));
        }
        index.push(new);
    }
}

impl Known {
    fn of(record: &Record, place: &Place) -> Self {
        let [games, won, lost] = counts(record);
        Self {
            key: place.key,
            games,
            won,
            lost,
            first: place.record,
            flags: record.flags.get(),
            move_bits: place.move_bits,
            priority: record.priority,
            _unused: 0,
        }
    }

    /// The same move in another place of the tree.
    fn add(&mut self, other: &Self) {
        // The bytes of the copy that plays the move are kept.
        if other.weight() > self.weight() {
            (self.flags, self.priority) = (other.flags, other.priority);
        }
        self.games = self.games.saturating_add(other.games);
        self.won = self.won.saturating_add(other.won);
        self.lost = self.lost.saturating_add(other.lost);
    }

    fn weight(&self) -> u32 {
        let is_deleted = self.flags & Record::DELETED != 0;
        if is_deleted {
            0
        } else {
            u32::from(self.priority)
        }
    }

    fn entry(&self, findings: &Findings) -> BookEntry {
        let [games, won, lost] = [self.games, self.won, self.lost].map(u64::from);
        let results = Wdl {
            white: won,
            draws: games.saturating_sub(won.saturating_add(lost)),
            black: lost,
        };
        let &[a, b, k] = RAW;
        let [f0, f1, f2, f3] = U32::new(self.flags).to_bytes();
        let raw = [a, b, k, self.priority, f0, f1, f2, f3].into();
        BookEntry {
            m: Move::from_bits(self.move_bits),
            weight: Some(self.weight()),
            games: findings.has_games.then_some(games),
            results: findings.has_results.then_some(results),
            raw,
            ..BookEntry::default()
        }
    }
}

/// Marks the bytes that only an Arena book writes: its name, the priority, the flags.
pub(super) const RAW: &[u8; 3] = b"abk";

fn records(blob: &Blob) -> &[Record] {
    let whole = blob.len() / Record::SIZE * Record::SIZE;
    let bytes = blob.get(..whole).unwrap_or_default();
    <[Record]>::ref_from_bytes(bytes).unwrap_or_default()
}

/// Games, won and lost, never negative and never more than there are games.
fn counts(record: &Record) -> [u32; 3] {
    let positive = |count: i32| u32::try_from(count).unwrap_or(0);
    let won = positive(record.won.get());
    let lost = positive(record.lost.get());
    // Two numbers of 31 bits fit.
    [positive(record.games.get()).max(won + lost), won, lost]
}

fn is_odd(record: &Record) -> bool {
    let [games, ..] = counts(record);
    record.won.get() < 0
        || record.lost.get() < 0
        || i64::from(record.games.get()) != i64::from(games)
}

/// Hands every record that a line from the start reaches to `visit`, once, with the position it is
/// played in and its move if that is legal. Lines go to their end before the next alternative.
fn walk(
    records: &[Record],
    findings: &mut Findings,
    visit: &mut dyn FnMut(&Position, usize, Option<Move>) -> Flow,
) {
    let mut seen = vec![0u64; records.len().div_ceil(64)];
    let mut first = |number: usize| {
        let word = seen.get_mut(number / 64)?;
        let bit = 1 << (number % 64);
        let new = *word & bit == 0;
        *word |= bit;
        Some(new)
    };
    let mut lines: Vec<(Position, usize)> = vec![(Position::standard(), ROOT)];
    while let Some((position, number)) = lines.last_mut() {
        let number_here = *number;
        // A book without a single record has none at its root.
        let Some(record) = records.get(number_here) else {
            lines.pop();
            continue;
        };
        if first(number_here) != Some(true) {
            findings.repeated_references += 1;
            lines.pop();
            continue;
        }
        findings.reached += 1;
        findings.deleted += u64::from(record.is_deleted());
        findings.odd_counts += u64::from(is_odd(record));
        let [games, won, lost] = counts(record);
        findings.has_games |= games > 0;
        findings.has_results |= won + lost > 0;
        let m = decode_move(position, record);
        findings.illegal += u64::from(m.is_none());
        if visit(position, number_here, m) == Flow::Stop {
            return;
        }
        let next = m.map(|m| {
            let mut next = position.clone();
            next.play(m);
            next
        });
        match follow(record.sibling.get(), records.len(), findings) {
            Some(sibling) => *number = sibling,
            None => *number = usize::MAX,
        }
        findings.depth = findings.depth.max(lines.len() as u64);
        let child = follow(record.child.get(), records.len(), findings);
        if let (Some(next), Some(child)) = (next, child) {
            if lines.len() < DEEPEST {
                lines.push((next, child));
            } else {
                findings.too_deep += 1;
            }
        }
    }
}

/// The record that a reference names.
fn follow(reference: i32, records: usize, findings: &mut Findings) -> Option<usize> {
    let number = usize::try_from(reference)
        .ok()
        .filter(|&number| number > 0)?;
    let valid = (ROOT..records).contains(&number);
    findings.bad_references += u64::from(!valid);
    valid.then_some(number)
}

fn info(header: &Header, bytes: usize) -> BookInfo {
    let mut problems = Vec::new();
    let rest = bytes % Record::SIZE;
    if rest > 0 {
        problems.push(format!(
            "{rest} trailing bytes are no record and are ignored"
        ));
    }
    let mut facts = vec![
        ("comment".to_owned(), header.comment.clone()),
        ("author".to_owned(), header.author.clone()),
    ];
    for (name, number) in Header::NAMES.iter().zip(header.numbers) {
        facts.push(((*name).to_owned(), number.to_string()));
    }
    let records = bytes / Record::SIZE;
    facts.push(("records".to_owned(), records.to_string()));
    BookInfo {
        format: super::FORMAT.file.id,
        version: String::new(),
        positions: None,
        moves: None,
        games: None,
        problems,
        facts,
    }
}

impl Findings {
    /// One line for each kind of fault that was found.
    pub fn problems(&self) -> Vec<String> {
        let orphans = self.records.saturating_sub(self.reached);
        [
            (orphans, "records are reached from no move"),
            (self.illegal, "moves are not legal"),
            (
                self.repeated_references,
                "references to records that are reached already",
            ),
            (
                self.bad_references,
                "references to records that do not exist",
            ),
            (self.odd_counts, "records with impossible counts"),
            (self.too_deep, "lines are too long and were cut"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}

impl Book for AbkBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let run = self.find(position.key());
        self.tell(run, &mut page.entries);
        Ok(!run.is_empty())
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<()> {
        let mut page = BookPosition::default();
        let mut findings = Findings::default();
        walk(self.records(), &mut findings, &mut |position, number, _| {
            let run = self.find(position.key());
            let is_first = run.first().map(|known| known.first as usize) == Some(number);
            if !is_first {
                return Flow::Go;
            }
            page.clear();
            self.tell(run, &mut page.entries);
            visit(BookKey::Board(position), &page)
        });
        Ok(())
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(self.findings().problems())
    }
}
