//! Builds a segment: games sorted by their lines, and what finds the positions in them.
//!
//! Games with equal first moves are neighbours in that order, so that all games which reached a position
//! by the same moves are a range of *ranks*. A line that at least [`POPULAR`] games share is a node; the
//! positions of rarer lines have postings: up to ply [`EXACT_PLIES`] one for each position, later one for
//! each class of positions that a line goes through.

use std::thread;

use tabia_core::chess::Position;
use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32, U64};

use crate::game_facts_row::Row;
use crate::keys::{class_of, hash_of, is_same, mix};
use crate::layout::{
    Kind, LINES_PER_BLOCK, LongPrefix, MAX_SEGMENT_GAMES, Node, POSTING_RANK_BITS, Section,
    SegmentRecord,
};
use crate::mainline_collector::Batch;
use crate::move_symbols;

/// A line is a node from that number of games on.
pub(crate) const POPULAR: usize = 8;
/// Up to this ply each position of a rare line has a posting.
pub(crate) const EXACT_PLIES: u32 = 32;
/// Partitions of the postings by the first bits of their hash.
const PARTITIONS: usize = 64;
/// Postings in a bucket, about.
const PER_BUCKET: usize = 12;

/// Games of a segment before it is built.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    symbols: Vec<u8>,
    games: Vec<PendingGame>,
    starts: Vec<Position>,
    irregular: Vec<U32>,
    plies: u64,
    digest: u64,
}

#[derive(Debug, Clone, Copy)]
struct PendingGame {
    from: u32,
    to: u32,
    start: u32,
    row: Row,
}

impl Pending {
    /// Number of games, those that are only listed too.
    pub(crate) fn len(&self) -> usize {
        self.games.len() + self.irregular.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Plies of all games.
    pub(crate) fn plies(&self) -> u64 {
        self.plies
    }

    /// Adds a game of a batch whose first game has the number `base`.
    pub(crate) fn push(&mut self, batch: &Batch, number: usize, base: u32) {
        let Some(game) = batch.games.get(number) else {
            return;
        };
        self.digest = digest(self.digest, batch, number, base);
        let index = game.row.game().0.saturating_add(base);
        let row = game.row.with_game(GameIndex(index));
        let start = batch.start(game.start);
        let is_known = start.is_none_or(|start| {
            Position::parse_fen(start.fen().as_bytes()).is_ok_and(|read| is_same(&read, start))
        });
        if game.irregular || !is_known {
            self.irregular.push(index.into());
            return;
        }
        let before = number.checked_sub(1).and_then(|last| batch.games.get(last));
        let range = before.map_or(0, |game| game.end as usize)..game.end as usize;
        let from = self.symbols.len() as u32;
        self.symbols
            .extend_from_slice(batch.symbols.get(range).unwrap_or_default());
        let start = match start {
            None => 0,
            Some(start) => self.number_of_start(start),
        };
        self.plies += u64::from(game.plies);
        self.games.push(PendingGame {
            from,
            to: self.symbols.len() as u32,
            start,
            row,
        });
    }

    fn number_of_start(&mut self, start: &Position) -> u32 {
        let mut known = self.starts.iter();
        let index = known.position(|other| is_same(other, start));
        let index = index.unwrap_or_else(|| {
            self.starts.push(start.clone());
            self.starts.len() - 1
        });
        index as u32 + 1
    }

    fn line(&self, game: &PendingGame) -> &[u8] {
        self.symbols
            .get(game.from as usize..game.to as usize)
            .unwrap_or_default()
    }

    /// Builds the segment.
    ///
    /// # Errors
    /// When `progress` is cancelled.
    pub(crate) fn build(mut self, threads: usize, progress: &Progress) -> Result<Vec<Section>> {
        let games = self.sort();
        progress.check()?;
        let lines = Lines::new(&self, games);
        progress.check()?;
        let walked = lines.walk(threads.max(1), progress);
        progress.check()?;
        let mut sections = Vec::new();
        let (mut nodes, mut parts) = (Vec::new(), Vec::new());
        for (more, part) in walked {
            nodes.extend(more);
            parts.push(part);
        }
        nodes.sort_unstable_by_key(|node: &Node| (node.key.get(), node.first.get()));
        sections.push((Kind::NODE, nodes.len() as u64, nodes.as_bytes().to_vec()));
        drop(nodes);
        let bits = pack(parts, threads.max(1), &mut sections);
        progress.check()?;
        let record = SegmentRecord {
            games: (lines.games.len() as u32).into(),
            irregular: (self.irregular.len() as u32).into(),
            bucket_bits: bits.into(),
            exact_plies: EXACT_PLIES.into(),
            plies: self.plies.into(),
            digest: self.digest.into(),
        };
        sections.push((Kind::SEGMENT, 1, record.as_bytes().to_vec()));
        let irregular = &self.irregular;
        sections.push((
            Kind::IRREGULAR,
            irregular.len() as u64,
            irregular.as_bytes().to_vec(),
        ));
        lines.pack(&mut sections);
        Ok(sections)
    }

    /// The games in the order of their lines.
    fn sort(&mut self) -> Vec<PendingGame> {
        let mut keyed: Vec<(u32, u64, u32)> = Vec::with_capacity(self.games.len());
        for (number, game) in self.games.iter().enumerate() {
            let line = self.line(game);
            let mut lead = 0;
            for index in 0..8 {
                lead = lead << 8 | u64::from(line.get(index).copied().unwrap_or_default());
            }
            keyed.push((game.start, lead, number as u32));
        }
        let games = &self.games;
        let line = |number: u32| {
            let game = games.get(number as usize);
            game.map_or(&[][..], |game| self.line(game))
        };
        keyed.sort_unstable_by(|a, b| {
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| line(a.2).cmp(line(b.2)))
                .then(a.2.cmp(&b.2))
        });
        let sorted = keyed.iter();
        let sorted: Vec<_> = sorted
            .filter_map(|(_, _, number)| games.get(*number as usize).copied())
            .collect();
        self.games = Vec::new();
        sorted
    }
}

/// Goes on with a digest of games: equal digests mean equal games with equal numbers.
pub(crate) fn digest(before: u64, batch: &Batch, number: usize, base: u32) -> u64 {
    let Some(game) = batch.games.get(number) else {
        return before;
    };
    let last = number.checked_sub(1).and_then(|last| batch.games.get(last));
    let range = last.map_or(0, |game| game.end as usize)..game.end as usize;
    let row = game
        .row
        .with_game(GameIndex(game.row.game().0.saturating_add(base)));
    let mut crc = flate2::Crc::new();
    crc.update(row.as_bytes());
    let start = batch.start(game.start).map_or(0, hash_of);
    let mut hash = before ^ u64::from(crc.sum());
    let mut crc = flate2::Crc::new();
    crc.update(batch.symbols.get(range).unwrap_or_default());
    hash = mix(hash ^ start.rotate_left(17));
    mix(hash ^ u64::from(crc.sum()) << 1 ^ u64::from(game.irregular))
}

/// The lines of a segment in their order.
struct Lines<'p> {
    symbols: &'p [u8],
    starts: &'p [Position],
    games: Vec<PendingGame>,
    /// Positions that a line shares with the one before, from the start position on.
    common: Vec<u16>,
    standard: Position,
}

impl<'p> Lines<'p> {
    fn new(pending: &'p Pending, games: Vec<PendingGame>) -> Self {
        let mut lines = Self {
            symbols: &pending.symbols,
            starts: &pending.starts,
            games,
            common: Vec::new(),
            standard: Position::standard(),
        };
        let mut common = Vec::with_capacity(lines.games.len());
        let mut before: Option<&PendingGame> = None;
        for game in &lines.games {
            common.push(match before {
                Some(last) if last.start == game.start => {
                    let (a, b) = (lines.line(last), lines.line(game));
                    let shared = shared(a, b);
                    1 + move_symbols::count(b.get(..shared).unwrap_or_default()) as u16
                }
                _ => 0,
            });
            before = Some(game);
        }
        lines.common = common;
        lines
    }

    fn line(&self, game: &PendingGame) -> &'p [u8] {
        self.symbols
            .get(game.from as usize..game.to as usize)
            .unwrap_or_default()
    }

    /// Positions that a rank shares with the one before; 0 after the last.
    fn common(&self, rank: usize) -> u32 {
        self.common.get(rank).map_or(0, |&common| common.into())
    }

    /// Whether the line of a rank up to a ply is shared by [`POPULAR`] games.
    fn is_popular(&self, rank: usize, ply: u32) -> bool {
        let (mut first, mut last) = (rank, rank + 1);
        while last - first < POPULAR {
            if self.common(first) > ply {
                first -= 1;
            } else if self.common(last) > ply {
                last += 1;
            } else {
                return false;
            }
        }
        true
    }

    /// Nodes and postings, in parts of consecutive ranks; postings in partitions.
    fn walk(&self, threads: usize, progress: &Progress) -> Vec<(Vec<Node>, Vec<Vec<u64>>)> {
        let size = self.games.len().div_ceil(threads).max(1);
        let firsts: Vec<usize> = (0..self.games.len()).step_by(size).collect();
        if firsts.len() < 2 {
            return vec![self.walk_part(0, self.games.len(), progress)];
        }
        thread::scope(|scope| {
            let parts: Vec<_> = firsts
                .into_iter()
                .map(|first| {
                    let last = (first + size).min(self.games.len());
                    scope.spawn(move || self.walk_part(first, last, progress))
                })
                .collect();
            let done = parts.into_iter();
            done.map(|part| part.join().unwrap_or_default()).collect()
        })
    }

    fn walk_part(
        &self,
        first: usize,
        last: usize,
        progress: &Progress,
    ) -> (Vec<Node>, Vec<Vec<u64>>) {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut postings = vec![Vec::new(); PARTITIONS];
        let mut post = |hash: u64, rank: usize| {
            let posting = hash & !(MAX_SEGMENT_GAMES as u64 - 1) | rank as u64;
            let partition = (hash >> (64 - PARTITIONS.ilog2())) as usize;
            if let Some(postings) = postings.get_mut(partition) {
                postings.push(posting);
            }
        };
        // For each ply of the line before: position, class, offset of the next symbol.
        let mut stack: Vec<(Position, u64, usize)> = Vec::new();
        for rank in first..last {
            if rank % 1024 == 0 && progress.is_cancelled() {
                break;
            }
            let Some(game) = self.games.get(rank) else {
                break;
            };
            let line = self.line(game);
            let common = self.common(rank) as usize;
            while let Some(&number) = open.last() {
                let Some(node) = nodes.get_mut(number).filter(|node| node.ply() >= common) else {
                    break;
                };
                node.count = (rank as u32 - node.first.get()).into();
                open.pop();
            }
            // Up to this ply the lines that begin here are shared by enough games.
            let popular = (rank + 1..rank + POPULAR)
                .map(|rank| self.common(rank))
                .min();
            let popular = popular.unwrap_or_default() as usize;
            let mut ply = common.min(if rank == first { 0 } else { usize::MAX });
            loop {
                if ply == 0 {
                    set_start(&mut stack, self.start(game.start));
                } else {
                    let Some((before, class, offset)) = stack.get(ply - 1) else {
                        break;
                    };
                    let rest = line.get(*offset..).unwrap_or_default();
                    let Some(played) = move_symbols::decode(before, rest) else {
                        break;
                    };
                    let next =
                        offset + rest.first().map_or(1, |&first| move_symbols::length(first));
                    let is_irreversible = match played.to_move() {
                        Some(m) if !m.is_castling() => {
                            before.piece_at(m.to()).is_some()
                                || before.by_role(tabia_core::chess::Role::Pawn).has(m.from())
                        }
                        _ => false,
                    };
                    let class = *class;
                    push_next(&mut stack, ply, played, next);
                    if let Some(entry) = stack.get_mut(ply) {
                        entry.1 = if is_irreversible {
                            class_of(&entry.0)
                        } else {
                            class
                        };
                    }
                }
                if ply >= common
                    && let Some((position, class, _)) = stack.get(ply)
                {
                    if ply < popular {
                        open.push(nodes.len());
                        nodes.push(Node {
                            key: U64::new(position.key()),
                            first: U32::new(rank as u32),
                            count: U32::new(0),
                            ply: U16::new(ply as u16),
                        });
                    } else if ply <= EXACT_PLIES as usize {
                        post(hash_of(position), rank);
                    } else {
                        let before = stack.get(ply - 1).map(|(_, class, _)| *class);
                        let is_first = before != Some(*class)
                            || ply - 1 <= EXACT_PLIES as usize
                            || if ply > common {
                                ply - 1 < popular
                            } else {
                                self.is_popular(rank, ply as u32 - 1)
                            };
                        if is_first {
                            post(*class, rank);
                        }
                    }
                }
                ply += 1;
            }
        }
        for number in open {
            if let Some(node) = nodes.get_mut(number) {
                let ply = node.ply() as u32;
                let mut end = last;
                while self.common(end) > ply {
                    end += 1;
                }
                node.count = (end as u32 - node.first.get()).into();
            }
        }
        (nodes, postings)
    }

    fn start(&self, number: u32) -> &Position {
        let other = (number as usize).checked_sub(1);
        other
            .and_then(|index| self.starts.get(index))
            .unwrap_or(&self.standard)
    }

    /// Lines, rows and common prefixes.
    fn pack(&self, sections: &mut Vec<Section>) {
        let games = self.games.len();
        let rows: Vec<Row> = self.games.iter().map(|game| game.row).collect();
        sections.push((Kind::ROWS, games as u64, rows.as_bytes().to_vec()));
        let short: Vec<u8> = self
            .common
            .iter()
            .map(|&common| common.min(255) as u8)
            .collect();
        sections.push((Kind::COMMON, games as u64, short));
        let long: Vec<LongPrefix> = (0..)
            .zip(&self.common)
            .filter(|(_, common)| **common >= 255)
            .map(|(rank, &common)| LongPrefix {
                rank: U32::new(rank),
                common: U32::new(common.into()),
            })
            .collect();
        sections.push((Kind::LONG, long.len() as u64, long.as_bytes().to_vec()));
        let mut starts = Vec::new();
        let mut count = 0;
        let mut last = None;
        for (rank, game) in self.games.iter().enumerate() {
            if last == Some(game.start) {
                continue;
            }
            last = Some(game.start);
            let fen = self.start(game.start).fen();
            starts.extend_from_slice(U32::new(rank as u32).as_bytes());
            starts.push(fen.len() as u8);
            starts.extend_from_slice(fen.as_bytes());
            count += 1;
        }
        sections.push((Kind::STARTS, count, starts));
        let (mut bytes, mut blocks) = (Vec::new(), Vec::new());
        let mut before: &[u8] = &[];
        for (rank, game) in self.games.iter().enumerate() {
            if rank % LINES_PER_BLOCK == 0 {
                blocks.push(U32::new(bytes.len() as u32));
                before = &[];
            }
            let line = self.line(game);
            let shared = shared(before, line);
            number(shared, &mut bytes);
            number(line.len() - shared, &mut bytes);
            bytes.extend_from_slice(line.get(shared..).unwrap_or_default());
            before = line;
        }
        blocks.push(U32::new(bytes.len() as u32));
        sections.push((Kind::LINES, games as u64, bytes));
        sections.push((
            Kind::LINE_BLOCKS,
            blocks.len() as u64,
            blocks.as_bytes().to_vec(),
        ));
    }
}

/// Puts a start position at the bottom of the stack.
fn set_start(stack: &mut Vec<(Position, u64, usize)>, start: &Position) {
    let entry = (start.clone(), class_of(start), 0);
    match stack.first_mut() {
        Some(bottom) => *bottom = entry,
        None => stack.push(entry),
    }
}

/// Puts the position after a move on the stack at `ply`, without allocating.
fn push_next(
    stack: &mut Vec<(Position, u64, usize)>,
    ply: usize,
    played: tabia_core::chess::Ply,
    next: usize,
) {
    if ply == stack.len()
        && let Some((before, ..)) = stack.last()
    {
        let before = before.clone();
        stack.push((before, 0, 0));
    }
    let (before, after) = stack.split_at_mut(ply);
    if let (Some((before, ..)), Some((position, _, offset))) = (before.last(), after.first_mut()) {
        position.clone_from(before);
        position.play_ply(played);
        *offset = next;
    }
}

/// Number of equal bytes at the start.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Appends a number in groups of seven bits, the lowest first.
fn number(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Sorts postings into buckets; returns the number of bits of a hash that choose the bucket.
fn pack(parts: Vec<Vec<Vec<u64>>>, threads: usize, sections: &mut Vec<Section>) -> u32 {
    let total: usize = parts.iter().flatten().map(Vec::len).sum();
    let bits = (total / PER_BUCKET).max(PARTITIONS).ilog2();
    // The lists of one partition from all parts, taken by one thread after the other.
    let mut partitions: Vec<Vec<Vec<u64>>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
    for part in parts {
        for (partition, list) in partitions.iter_mut().zip(part) {
            partition.push(list);
        }
    }
    let size = PARTITIONS.div_ceil(threads);
    let packed: Vec<(Vec<U32>, Vec<u32>)> = thread::scope(|scope| {
        let mut workers = Vec::new();
        let mut rest = partitions.into_iter().enumerate();
        loop {
            let share: Vec<_> = rest.by_ref().take(size).collect();
            if share.is_empty() {
                break;
            }
            workers.push(scope.spawn(move || {
                let share = share.into_iter();
                let packed = share.map(|(number, lists)| pack_partition(number, lists, bits));
                packed.collect::<Vec<_>>()
            }));
        }
        let done = workers.into_iter();
        done.flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    let mut postings: Vec<U32> = Vec::with_capacity(total);
    let mut buckets: Vec<U32> = Vec::with_capacity((1 << bits) + 1);
    for (list, counts) in packed {
        let mut end = postings.len() as u32;
        for count in counts {
            buckets.push(end.into());
            end += count;
        }
        postings.extend(list);
    }
    buckets.push((postings.len() as u32).into());
    sections.push((
        Kind::POSTINGS,
        postings.len() as u64,
        postings.as_bytes().to_vec(),
    ));
    drop(postings);
    sections.push((
        Kind::BUCKETS,
        buckets.len() as u64,
        buckets.as_bytes().to_vec(),
    ));
    bits
}

/// The postings of a partition as they are stored, and their number in each of its buckets.
fn pack_partition(number: usize, lists: Vec<Vec<u64>>, bits: u32) -> (Vec<U32>, Vec<u32>) {
    let mut all: Vec<u64> = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for list in lists {
        all.extend_from_slice(&list);
    }
    all.sort_unstable();
    let buckets = 1 << (bits - PARTITIONS.ilog2());
    let mut counts = vec![0; buckets];
    let mut postings = Vec::with_capacity(all.len());
    for posting in all {
        let bucket = (posting >> (64 - bits)) as usize - number * buckets;
        if let Some(count) = counts.get_mut(bucket) {
            *count += 1;
        }
        postings.push(stored(posting, posting as u32, bits).into());
    }
    (postings, counts)
}

/// A posting as it is stored: bits of the hash after those of the bucket, and the rank.
pub(crate) fn stored(hash: u64, rank: u32, bucket_bits: u32) -> u32 {
    let mark = (hash << bucket_bits >> 32) as u32;
    let ranks = (1 << POSTING_RANK_BITS) - 1;
    mark & !ranks | rank & ranks
}
