//! Opening, probing and walking a book.

use std::sync::OnceLock;

use tabia_core::books::{Book, BookEntry, BookInfo, BookKey, BookPosition, Wdl};
use tabia_core::chess::{Move, Position};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::external::{FixedRecord, FixedSorter, interpolation_lower_bound};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source, temporary_folder};
use tabia_core::plural::counted;
use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::header::{Header, RECORDS_OFFSET, ROOT};
use super::position_table::RecordFile;
use super::record::{Record, decode_move};

/// Plies after which a line is cut.
const MAX_PLIES: usize = 1024;
/// The move bits of a record whose move is not legal.
const NO_MOVE: u16 = u16::MAX;

/// An Arena book. Opening reads the header only. The first lookup walks the tree and builds an index:
/// 32 bytes for each distinct move of a position, in a temporary file if it is large.
#[derive(Debug)]
pub struct AbkBook {
    blob: Blob,
    header: Header,
    tree_index: OnceLock<TreeIndex>,
    info: BookInfo,
}

/// Bytes of the index kept in memory.
const MEMORY: usize = 32 << 20;

/// The result of a walk through the tree.
#[derive(Debug, Default)]
struct TreeIndex {
    /// By key, then in the order of the walk.
    moves: IndexMoves,
    findings: Findings,
}

/// The moves of the index, in memory or in a temporary file.
#[derive(Debug)]
enum IndexMoves {
    Memory(Vec<IndexMove>),
    File(Blob),
}

impl Default for IndexMoves {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl IndexMoves {
    fn as_slice(&self) -> &[IndexMove] {
        match self {
            Self::Memory(moves) => moves,
            Self::File(blob) => <[IndexMove]>::ref_from_bytes(blob).unwrap_or_default(),
        }
    }
}

/// What a walk through the tree found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Findings {
    /// Number of records from record 900 on.
    pub records: u64,
    /// Records that are reachable from the standard position.
    pub reached: u64,
    /// Distinct positions with moves.
    pub positions: u64,
    /// Distinct moves of these positions.
    pub moves: u64,
    /// Records whose move is deleted.
    pub deleted: u64,
    /// Records whose move is not legal.
    pub illegal: u64,
    /// References to records that another reference has reached.
    pub repeated_references: u64,
    /// References to records that do not exist.
    pub bad_references: u64,
    /// Records with impossible counts.
    pub impossible_counts: u64,
    /// Lines that were cut because they are too long.
    pub too_deep: u64,
    /// Plies of the longest line.
    pub depth: u64,
    /// Whether any record has a count of games.
    pub has_games: bool,
    /// Whether any record has a count of won or lost games.
    pub has_results: bool,
}

/// A move of a position at one node of the tree.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct TreeMove {
    key: u64,
    record: u32,
    move_bits: u16,
    _unused: u16,
}

impl FixedRecord for TreeMove {
    type Order = u64;

    fn order(&self) -> u64 {
        self.key
    }

    fn lead(&self) -> u64 {
        self.key
    }
}

/// A move of a position, merged from all nodes of the tree with the position.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct IndexMove {
    key: u64,
    games: u32,
    won: u32,
    lost: u32,
    /// The first record of the walk with this move.
    first: u32,
    /// Flags and priority of the record with the highest priority.
    flags: u32,
    move_bits: u16,
    priority: u8,
    _unused: u8,
}

impl TreeIndex {
    fn of(records: &[Record]) -> Self {
        // All in memory if temporary files cannot be written.
        let tree_index = Self::within(records, MEMORY);
        let tree_index = tree_index.or_else(|_| Self::within(records, usize::MAX));
        tree_index.unwrap_or_default()
    }

    /// With about `memory` bytes in memory.
    fn within(records: &[Record], memory: usize) -> Result<Self> {
        let mut findings = Findings {
            records: records.len().saturating_sub(ROOT) as u64,
            ..Findings::default()
        };
        let folder = temporary_folder();
        let mut tree_moves = FixedSorter::new(&folder, memory);
        let mut failure = Ok(());
        walk_tree(records, &mut findings, &mut |position, number, m| {
            failure = tree_moves.push(TreeMove {
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
        let is_large = records.len().saturating_mul(size_of::<IndexMove>()) > memory;
        let mut file = is_large.then(|| RecordFile::create(&folder)).transpose()?;
        let mut index = Vec::new();
        let mut run: Vec<TreeMove> = Vec::new();
        let mut push_position = |run: &mut Vec<TreeMove>| -> Result<()> {
            findings.positions += u64::from(!run.is_empty());
            let start = index.len();
            merge_moves(records, run, &mut index);
            findings.moves += (index.len() - start) as u64;
            run.clear();
            match &mut file {
                Some(file) => index.drain(..).try_for_each(|entry| file.push(&entry)),
                None => Ok(()),
            }
        };
        // The moves of a key stay in the order of the walk, because the sort is stable.
        tree_moves.finish(|tree_move| {
            if run.last().is_some_and(|last| last.key != tree_move.key) {
                push_position(&mut run)?;
            }
            run.push(tree_move);
            Ok(())
        })?;
        push_position(&mut run)?;
        index.shrink_to_fit();
        let moves = match file {
            Some(file) => IndexMoves::File(file.finish()?),
            None => IndexMoves::Memory(index),
        };
        Ok(Self { moves, findings })
    }
}

impl AbkBook {
    /// Opens a book. Reads the header only, whatever the size.
    ///
    /// # Errors
    /// [`ErrorKind::WrongFormat`] for other files than Arena books.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let label = source.label();
        let blob = source.main().open()?;
        let header = Header::read(&blob, options.charset);
        let Some(header) = header.filter(|_| blob.len() >= RECORDS_OFFSET) else {
            let why = if blob.is_empty() {
                "the file is empty".to_owned()
            } else if blob.len() < RECORDS_OFFSET {
                "it is shorter than the header".to_owned()
            } else {
                "it does not begin as such books do".to_owned()
            };
            let expected = super::FORMAT.file.id;
            return Err(Error::new(ErrorKind::WrongFormat { expected, why }).in_file(label));
        };
        let info = info(&header, blob.len() - RECORDS_OFFSET);
        Ok(Self {
            blob,
            header,
            tree_index: OnceLock::new(),
            info,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What a walk through the tree found. The first call walks the tree.
    pub fn findings(&self) -> &Findings {
        &self.tree_index().findings
    }

    /// All records, including those that the header occupies.
    pub fn records(&self) -> &[Record] {
        records(&self.blob)
    }

    fn tree_index(&self) -> &TreeIndex {
        self.tree_index
            .get_or_init(|| TreeIndex::of(self.records()))
    }

    fn find(&self, key: u64) -> &[IndexMove] {
        let index = self.tree_index().moves.as_slice();
        let start = interpolation_lower_bound(index, key, |entry| entry.key);
        let rest = index.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|entry| entry.key == key).count();
        rest.get(..length).unwrap_or_default()
    }

    fn push_entries(&self, moves: &[IndexMove], out: &mut Vec<BookEntry>) {
        let findings = self.findings();
        out.extend(moves.iter().map(|entry| entry.book_entry(findings)));
    }
}

/// Appends the distinct moves of one position to the index.
fn merge_moves(records: &[Record], run: &[TreeMove], index: &mut Vec<IndexMove>) {
    // Move bits and index of each legal move: few, however long the run is.
    let mut legal: Vec<(u16, usize)> = Vec::new();
    for tree_move in run {
        let Some(record) = records.get(tree_move.record as usize) else {
            continue;
        };
        let new = IndexMove::of(record, tree_move);
        let bits = tree_move.move_bits;
        let found = legal.iter().find(|(other, _)| *other == bits);
        if let Some(entry) = found.and_then(|(_, number)| index.get_mut(*number)) {
            entry.add(&new);
            continue;
        }
        if bits != NO_MOVE {
            legal.push((bits, index.len()));
        }
        index.push(new);
    }
}

impl IndexMove {
    fn of(record: &Record, tree_move: &TreeMove) -> Self {
        let [games, won, lost] = counts(record);
        Self {
            key: tree_move.key,
            games,
            won,
            lost,
            first: tree_move.record,
            flags: record.flags.get(),
            move_bits: tree_move.move_bits,
            priority: record.priority,
            _unused: 0,
        }
    }

    /// Adds the same move of another node.
    fn add(&mut self, other: &Self) {
        // Flags and priority are those of the copy that is played most.
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

    fn book_entry(&self, findings: &Findings) -> BookEntry {
        let [games, won, lost] = [self.games, self.won, self.lost].map(u64::from);
        let results = Wdl {
            white: won,
            draws: games.saturating_sub(won.saturating_add(lost)),
            black: lost,
        };
        let &[a, b, k] = RAW;
        let [f0, f1, f2, f3] = U32::new(self.flags).to_bytes();
        let raw = [a, b, k, self.priority, f0, f1, f2, f3].into();
        let mut entry = BookEntry::default();
        entry.m = Move::from_bits(self.move_bits);
        entry.weight = Some(self.weight());
        entry.games = findings.has_games.then_some(games);
        entry.results = findings.has_results.then_some(results);
        entry.raw = raw;
        entry
    }
}

/// The start of [`BookEntry::raw`], followed by the priority and the flags.
pub(super) const RAW: &[u8; 3] = b"abk";

fn records(blob: &Blob) -> &[Record] {
    let whole = blob.len() / Record::SIZE * Record::SIZE;
    let bytes = blob.get(..whole).unwrap_or_default();
    <[Record]>::ref_from_bytes(bytes).unwrap_or_default()
}

/// Counts of games, games won and games lost. Negative counts become 0, and games at least those won
/// and lost.
fn counts(record: &Record) -> [u32; 3] {
    let positive = |count: i32| u32::try_from(count).unwrap_or(0);
    let won = positive(record.won.get());
    let lost = positive(record.lost.get());
    // The sum of two numbers of 31 bits does not overflow.
    [positive(record.games.get()).max(won + lost), won, lost]
}

fn has_impossible_counts(record: &Record) -> bool {
    let [games, ..] = counts(record);
    record.won.get() < 0
        || record.lost.get() < 0
        || i64::from(record.games.get()) != i64::from(games)
}

/// Visits every record reachable from the standard position once, depth first, with the position
/// before its move, and the move if it is legal.
fn walk_tree(
    records: &[Record],
    findings: &mut Findings,
    visit: &mut dyn FnMut(&Position, usize, Option<Move>) -> Flow,
) {
    let mut visited = vec![0u64; records.len().div_ceil(64)];
    let mut insert = |number: usize| {
        let word = visited.get_mut(number / 64)?;
        let bit = 1 << (number % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        Some(is_new)
    };
    // The positions of the current line, each with its next record.
    let mut line: Vec<(Position, usize)> = vec![(Position::standard(), ROOT)];
    while let Some((position, next_record)) = line.last_mut() {
        let number = *next_record;
        // No further alternative, or no record in the book.
        let Some(record) = records.get(number) else {
            line.pop();
            continue;
        };
        if insert(number) != Some(true) {
            findings.repeated_references += 1;
            line.pop();
            continue;
        }
        findings.reached += 1;
        findings.deleted += u64::from(record.is_deleted());
        findings.impossible_counts += u64::from(has_impossible_counts(record));
        let [games, won, lost] = counts(record);
        findings.has_games |= games > 0;
        findings.has_results |= won + lost > 0;
        let m = decode_move(position, record);
        findings.illegal += u64::from(m.is_none());
        if visit(position, number, m) == Flow::Stop {
            return;
        }
        let next = m.map(|m| {
            let mut next = position.clone();
            next.play(m);
            next
        });
        match referenced_record(record.sibling.get(), records.len(), findings) {
            Some(sibling) => *next_record = sibling,
            None => *next_record = usize::MAX,
        }
        findings.depth = findings.depth.max(line.len() as u64);
        let child = referenced_record(record.child.get(), records.len(), findings);
        if let (Some(next), Some(child)) = (next, child) {
            if line.len() < MAX_PLIES {
                line.push((next, child));
            } else {
                findings.too_deep += 1;
            }
        }
    }
}

/// The number of the record that a reference names; `None` if absent or impossible.
fn referenced_record(reference: i32, records: usize, findings: &mut Findings) -> Option<usize> {
    let number = usize::try_from(reference)
        .ok()
        .filter(|&number| number > 0)?;
    let is_valid = (ROOT..records).contains(&number);
    findings.bad_references += u64::from(!is_valid);
    is_valid.then_some(number)
}

fn info(header: &Header, bytes: usize) -> BookInfo {
    let mut problems = Vec::new();
    let rest = bytes % Record::SIZE;
    let records = bytes / Record::SIZE;
    let [_, moves, ..] = header.numbers;
    // Deleted records are not counted, so that a whole file has at least that many.
    let lacks_records = records < moves as usize;
    if lacks_records {
        let has = match records {
            0 => "none".to_owned(),
            some => some.to_string(),
        };
        problems.push(format!(
            "the file is cut: it has {has} of the {} that its header counts",
            counted(moves, "move", "moves")
        ));
    } else if rest > 0 {
        problems.push(format!(
            "{} no record and ignored",
            counted(rest, "trailing byte is", "trailing bytes are")
        ));
    }
    let mut facts = vec![
        ("comment".to_owned(), header.comment.clone()),
        ("author".to_owned(), header.author.clone()),
    ];
    for (name, number) in Header::NAMES.iter().zip(header.numbers) {
        facts.push(((*name).to_owned(), number.to_string()));
    }
    facts.push(("records".to_owned(), records.to_string()));
    let mut info = BookInfo::default();
    info.format = super::FORMAT.file.id;
    info.problems = problems;
    info.is_cut = lacks_records || rest > 0;
    info.facts = facts;
    info.counts = &["records", "moves in the tree"];
    info
}

impl Findings {
    /// The defects, one line for each kind.
    pub fn problems(&self) -> Vec<String> {
        let orphans = self.records.saturating_sub(self.reached);
        [
            (orphans, "record is", "records are", "reached from no move"),
            (self.illegal, "move is", "moves are", "not legal"),
            (
                self.repeated_references,
                "reference",
                "references",
                "to records that are reached already",
            ),
            (
                self.bad_references,
                "reference",
                "references",
                "to records that do not exist",
            ),
            (
                self.impossible_counts,
                "record",
                "records",
                "with impossible counts",
            ),
            (
                self.too_deep,
                "line is",
                "lines are",
                "too long and cut off",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several, text)| format!("{} {text}", counted(count, one, several)))
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
        self.push_entries(run, &mut page.entries);
        Ok(!run.is_empty())
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64> {
        let mut page = BookPosition::default();
        let mut findings = Findings::default();
        walk_tree(self.records(), &mut findings, &mut |position, number, _| {
            let run = self.find(position.key());
            let is_first = run.first().map(|entry| entry.first as usize) == Some(number);
            if !is_first {
                return Flow::Go;
            }
            page.clear();
            self.push_entries(run, &mut page.entries);
            visit(BookKey::Board(position), &page)
        });
        Ok(0)
    }

    fn damage(&self) -> Result<Vec<String>> {
        self.problems()
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(self.findings().problems())
    }
}
