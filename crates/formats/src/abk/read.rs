//! Opening, probing and walking a book.

use std::sync::OnceLock;

use tabia_core::book::{Book, BookEntry, BookInfo, BookPage, BookPosition, Wdl};
use tabia_core::chess::{Move, Position};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::format::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use zerocopy::FromBytes;

use super::header::{Header, RECORDS_AT, ROOT};
use super::record::{Record, decode_move};

/// Half-moves beyond which a line is left out.
const DEEPEST: usize = 1024;
/// Move bits of a record whose move is not legal.
const NO_MOVE: u16 = u16::MAX;

/// An Arena book. The tree is walked when the book is first asked for a position, and an index made
/// of it: 16 bytes a move. Opening looks at the header alone.
#[derive(Debug)]
pub struct AbkBook {
    blob: Blob,
    header: Header,
    walked: OnceLock<Walked>,
    info: BookInfo,
}

/// What a walk through the tree gives.
#[derive(Debug)]
struct Walked {
    /// By key, then in the order of the walk.
    index: Vec<Place>,
    findings: Findings,
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

/// A move of a position.
#[derive(Debug, Clone, Copy)]
struct Place {
    key: u64,
    record: u32,
    move_bits: u16,
}

impl Walked {
    fn of(records: &[Record]) -> Self {
        let mut findings = Findings {
            records: records.len().saturating_sub(ROOT) as u64,
            ..Findings::default()
        };
        let mut index = Vec::new();
        walk(records, &mut findings, &mut |position, number, m| {
            index.push(Place {
                key: position.key(),
                record: number as u32,
                move_bits: m.map_or(NO_MOVE, Move::to_bits),
            });
            Flow::Go
        });
        // Stable: the places of a key stay in the order of the walk.
        index.sort_by_key(|place| place.key);
        for run in index.chunk_by(|a, b| a.key == b.key) {
            findings.positions += 1;
            findings.moves += distinct(run);
        }
        Self { index, findings }
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
            let expected = super::FORMAT.id;
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

    fn find(&self, key: u64) -> &[Place] {
        let index = self.walked().index.as_slice();
        let start = index.partition_point(|place| place.key < key);
        let rest = index.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|place| place.key == key).count();
        rest.get(..length).unwrap_or_default()
    }

    fn gather(&self, run: &[Place], out: &mut Vec<BookEntry>) {
        let records = self.records();
        let findings = self.findings();
        for place in run {
            let Some(record) = records.get(place.record as usize) else {
                continue;
            };
            let m = Move::from_bits(place.move_bits);
            let new = entry(record, m, findings);
            match out.iter_mut().find(|known| m.is_some() && known.m == m) {
                Some(known) => add(known, new),
                None => out.push(new),
            }
        }
    }
}

fn entry(record: &Record, m: Option<Move>, findings: &Findings) -> BookEntry {
    let [games, won, lost] = counts(record);
    let priority = if record.is_deleted() {
        0
    } else {
        record.priority
    };
    let results = Wdl {
        white: won,
        draws: games.saturating_sub(won.saturating_add(lost)),
        black: lost,
    };
    BookEntry {
        m,
        weight: Some(u32::from(priority)),
        games: findings.has_games.then_some(games),
        results: findings.has_results.then_some(results),
        raw: raw(record),
        ..BookEntry::default()
    }
}

/// Marks the bytes that only an Arena book writes: its name, the priority, the flags.
pub(super) const RAW: &[u8; 3] = b"abk";

fn raw(record: &Record) -> Vec<u8> {
    let mut raw = RAW.to_vec();
    raw.push(record.priority);
    raw.extend_from_slice(&record.flags.to_bytes());
    raw
}

/// The same move in another place of the tree.
fn add(known: &mut BookEntry, other: BookEntry) {
    // The bytes of the copy that plays the move are kept.
    if other.weight > known.weight {
        known.raw = other.raw;
        known.weight = other.weight;
    }
    if let (Some(sum), Some(more)) = (&mut known.games, other.games) {
        *sum = sum.saturating_add(more);
    }
    if let (Some(sum), Some(more)) = (&mut known.results, other.results) {
        sum.white = sum.white.saturating_add(more.white);
        sum.draws = sum.draws.saturating_add(more.draws);
        sum.black = sum.black.saturating_add(more.black);
    }
}

fn records(blob: &Blob) -> &[Record] {
    let whole = blob.len() / Record::SIZE * Record::SIZE;
    let bytes = blob.get(..whole).unwrap_or_default();
    <[Record]>::ref_from_bytes(bytes).unwrap_or_default()
}

/// Games, won and lost, never negative and never more than there are games.
fn counts(record: &Record) -> [u64; 3] {
    let positive = |count: i32| u64::try_from(count).unwrap_or(0);
    let won = positive(record.won.get());
    let lost = positive(record.lost.get());
    [
        positive(record.games.get()).max(won.saturating_add(lost)),
        won,
        lost,
    ]
}

fn is_odd(record: &Record) -> bool {
    let [games, ..] = counts(record);
    record.won.get() < 0 || record.lost.get() < 0 || i64::from(record.games.get()) != games as i64
}

/// Different moves in a run; a hostile run is long, so moves are marked and not compared.
fn distinct(run: &[Place]) -> u64 {
    let mut moves: Vec<u16> = run.iter().map(|place| place.move_bits).collect();
    moves.sort_unstable();
    let odd = moves.iter().filter(|&&bits| bits == NO_MOVE).count();
    moves.dedup();
    moves.retain(|&bits| bits != NO_MOVE);
    (moves.len() + odd) as u64
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
        format: super::FORMAT.id,
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
    pub fn faults(&self) -> Vec<String> {
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

    fn probe(&self, position: &Position, page: &mut BookPage) -> Result<bool> {
        page.clear();
        let run = self.find(position.key());
        self.gather(run, &mut page.entries);
        Ok(!run.is_empty())
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookPosition<'_>, &BookPage) -> Flow) -> Result<()> {
        let mut page = BookPage::default();
        let mut findings = Findings::default();
        walk(self.records(), &mut findings, &mut |position, number, _| {
            let run = self.find(position.key());
            let is_first = run.first().map(|place| place.record as usize) == Some(number);
            if !is_first {
                return Flow::Go;
            }
            page.clear();
            self.gather(run, &mut page.entries);
            visit(BookPosition::Board(position), &page)
        });
        Ok(())
    }

    fn faults(&self) -> Result<Vec<String>> {
        Ok(self.findings().faults())
    }
}
