//! Builds a segment: games sorted by their lines, and what finds the positions in them.
//!
//! Games with equal first moves are neighbours in that order, so that all games which reached a position
//! by the same moves are a range of *ranks*. A line that at least [`POPULAR`] games share is a node; the
//! positions of rarer lines have postings: up to ply [`EXACT_PLIES`] one for both positions with White's men
//! on the same squares, later one for each class of positions that a line goes through.

use std::collections::HashMap;
use std::thread;

use tabia_core::chess::{Material, Position, Role};
use tabia_core::io::{Progress, ProgressPhase};
use tabia_core::{GameIndex, Result};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32, U64};

use crate::directory::crc;
use crate::game_facts_row::Row;
use crate::keys::{class_with, extra_of, hash_of, is_same, mix, white_of};
use crate::layout::{
    Kind, LINES_PER_BLOCK, LongPrefix, MAX_SEGMENT_GAMES, MaterialClass, Node, POSTING_RANK_BITS,
    Section, SegmentRecord,
};
use crate::mainline_collector::Batch;
use crate::move_symbols;
use crate::postings::{CLASSES, POSITIONS, Postings};
use crate::rank_lists::{ListWriter, low_bits};

/// A line is a node from that number of games on.
pub(crate) const POPULAR: usize = 8;
/// Up to this ply each position of a rare line belongs to a posting of its own line.
pub(crate) const EXACT_PLIES: u32 = 32;
/// Games of a segment before it is built.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Lines, those that are equal once.
    symbols: Vec<u8>,
    games: Vec<PendingGame>,
    /// A game for each hash of a line.
    by_line: HashMap<u64, u32>,
    starts: Vec<Position>,
    irregular: Vec<U32>,
    plies: u64,
    /// Plies of the lines that differ.
    distinct_plies: u64,
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

    /// Plies of all games, those of equal games once: what building takes time and memory for.
    pub(crate) fn distinct_plies(&self) -> u64 {
        self.distinct_plies
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
        let line = batch.symbols.get(range).unwrap_or_default();
        let start = match start {
            None => 0,
            Some(start) => self.number_of_start(start),
        };
        let (from, to, is_new) = self.store(line, start);
        self.plies += u64::from(game.plies);
        if is_new {
            self.distinct_plies += u64::from(game.plies);
        }
        self.games.push(PendingGame {
            from,
            to,
            start,
            row,
        });
    }

    /// Where a line of the game that is added next is, and whether no game before has it.
    fn store(&mut self, line: &[u8], start: u32) -> (u32, u32, bool) {
        let hash = mix(u64::from(crc(line)) | (line.len() as u64) << 32) ^ u64::from(start);
        let number = self.games.len() as u32;
        let first = *self.by_line.entry(hash).or_insert(number);
        if let Some(first) = self.games.get(first as usize)
            && first.start == start
            && self.line(first) == line
        {
            return (first.from, first.to, false);
        }
        let from = self.symbols.len() as u32;
        self.symbols.extend_from_slice(line);
        (from, self.symbols.len() as u32, true)
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
        let games = lines.games.len();
        let (mut nodes, mut materials) = (Vec::new(), Vec::new());
        let (mut positions, mut classes) = (Vec::new(), Vec::new());
        for part in walked {
            nodes.extend(part.nodes);
            positions.push(part.positions);
            classes.push(part.classes);
            materials.extend(part.materials);
        }
        pack_materials(materials, games, &mut sections);
        progress.check()?;
        nodes.sort_unstable_by_key(|node: &Node| (node.key.get(), node.first.get()));
        sections.push((Kind::NODE, nodes.len() as u64, nodes.as_bytes().to_vec()));
        drop(nodes);
        let threads = threads.max(1);
        let bucket_bits = POSITIONS.pack(positions, threads, games, &mut sections);
        let class_bits = CLASSES.pack(classes, threads, games, &mut sections);
        progress.check()?;
        let record = SegmentRecord {
            games: (lines.games.len() as u32).into(),
            irregular: (self.irregular.len() as u32).into(),
            bucket_bits: bucket_bits.into(),
            class_bits: class_bits.into(),
            exact_plies: EXACT_PLIES.into(),
            reserved: U32::ZERO,
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
        self.by_line = HashMap::new();
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

/// The same for all games of a batch, whose numbers count from `base`; 0 before the first batch.
pub fn digest_of_games(before: u64, batch: &Batch, base: u32) -> u64 {
    let games = 0..batch.games.len();
    games.fold(before, |before, number| digest(before, batch, number, base))
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
    fn walk(&self, threads: usize, progress: &Progress) -> Vec<Walked> {
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

    fn walk_part(&self, first: usize, last: usize, progress: &Progress) -> Walked {
        let mut nodes: Vec<Node> = Vec::new();
        let mut materials: Vec<u64> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut positions, mut classes) = (Postings::default(), Postings::default());
        // The first positions of the line before, as far as this one shares them.
        let mut stack: Vec<Step> = Vec::new();
        let mut step = Step::at(&self.standard);
        // While games are read, their bytes are counted.
        let is_counted = progress.phase() == ProgressPhase::Writing;
        for rank in first..last {
            if (rank - first).is_multiple_of(1024) {
                if progress.is_cancelled() {
                    break;
                }
                if is_counted {
                    progress.advance(1024.min(last - rank) as u64, 0);
                }
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
            // Positions from this ply on are not needed for the next line.
            let kept = self.common(rank + 1) as usize;
            let mut ply = if rank == first { 0 } else { common };
            if let Some(before) = ply.checked_sub(1).and_then(|before| stack.get(before)) {
                step.clone_from(before);
            } else {
                ply = 0;
            }
            // The posting to which the next position may still belong.
            let mut open_posting = OpenPosting::default();
            loop {
                let mut before = None;
                if ply == 0 {
                    step = Step::at(self.start(game.start));
                } else {
                    before = Some((step.material, step.class));
                    if step.play(line).is_none() {
                        break;
                    }
                }
                if ply >= common {
                    if before.is_none_or(|(material, _)| material != step.material) {
                        let material = u64::from(step.material.to_bits());
                        materials.push(material << POSTING_RANK_BITS | rank as u64);
                    }
                    if ply < popular {
                        open.push(nodes.len());
                        nodes.push(Node {
                            key: U64::new(step.position.key()),
                            first: U32::new(rank as u32),
                            count: U32::new(0),
                            ply: U16::new(ply as u16),
                        });
                    } else if ply <= EXACT_PLIES as usize {
                        open_posting.add(&step.position, rank, &mut positions);
                    } else {
                        let is_first = before.is_none_or(|(_, class)| class != step.class)
                            || ply - 1 <= EXACT_PLIES as usize
                            || if ply > common {
                                ply - 1 < popular
                            } else {
                                self.is_popular(rank, ply as u32 - 1)
                            };
                        if is_first {
                            classes.push(step.class, rank, 0);
                        }
                    }
                }
                if ply < kept {
                    match stack.get_mut(ply) {
                        Some(slot) => slot.clone_from(&step),
                        None => stack.push(step.clone()),
                    }
                }
                ply += 1;
            }
            open_posting.end(rank, &mut positions);
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
        Walked {
            nodes,
            positions,
            classes,
            materials,
        }
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

/// What is found on the lines of consecutive ranks.
#[derive(Debug, Default)]
struct Walked {
    nodes: Vec<Node>,
    positions: Postings,
    classes: Postings,
    /// Material and the ranks on whose lines it is new.
    materials: Vec<u64>,
}

/// Positions that follow each other on a line, White's men on the same squares, as one posting: one
/// position with each side to move.
#[derive(Debug, Default)]
struct OpenPosting {
    white: u64,
    /// The ranks of the positions that it has, and their bits.
    mask: u64,
    extra: u64,
}

impl OpenPosting {
    /// Adds the next position of a line.
    fn add(&mut self, position: &Position, rank: usize, postings: &mut Postings) {
        let white = white_of(position);
        let (mask, extra) = extra_of(position);
        if white != self.white || self.mask & mask != 0 {
            self.end(rank, postings);
            self.white = white;
        }
        self.mask |= mask;
        self.extra |= extra;
    }

    /// No other position belongs to it.
    fn end(&mut self, rank: usize, postings: &mut Postings) {
        if self.mask != 0 {
            postings.push(self.white, rank, self.extra);
        }
        (self.mask, self.extra) = (0, 0);
    }
}

/// A position of the line that is walked along.
#[derive(Debug, Clone)]
struct Step {
    position: Position,
    material: Material,
    class: u64,
    /// Offset of the next symbol.
    next: usize,
}

impl Step {
    /// A start position.
    fn at(start: &Position) -> Self {
        let material = Material::of(start);
        Self {
            position: start.clone(),
            material,
            class: class_with(start, material),
            next: 0,
        }
    }

    /// Goes to the next position of the line; `None` at its end.
    fn play(&mut self, line: &[u8]) -> Option<()> {
        let rest = line.get(self.next..)?;
        let played = move_symbols::decode(&self.position, rest)?;
        self.next += move_symbols::length(*rest.first()?);
        let is_irreversible = match played.to_move() {
            Some(m) if !m.is_castling() => {
                self.position.occupied().has(m.to())
                    || self.position.by_role(Role::Pawn).has(m.from())
            }
            _ => false,
        };
        self.position.play_ply(played);
        if is_irreversible {
            self.material = Material::of(&self.position);
            self.class = class_with(&self.position, self.material);
        }
        Some(())
    }
}

/// Classes of material, and the ranks of each.
fn pack_materials(mut materials: Vec<u64>, games: usize, sections: &mut Vec<Section>) {
    materials.sort_unstable();
    materials.dedup();
    let mut classes: Vec<MaterialClass> = Vec::new();
    let mut ranks = ListWriter::default();
    for same in materials.chunk_by(|a, b| a >> POSTING_RANK_BITS == b >> POSTING_RANK_BITS) {
        let low = low_bits(games as u64, same.len() as u64);
        let mut last = 0;
        for entry in same {
            let rank = *entry & (MAX_SEGMENT_GAMES as u64 - 1);
            ranks.push(rank - last, low, 0, 0);
            last = rank;
        }
        ranks.end();
        let material = same.first().map_or(0, |entry| entry >> POSTING_RANK_BITS);
        classes.push(MaterialClass {
            material: U32::new(material as u32),
            count: U32::new(same.len() as u32),
            end: U32::new(ranks.len() as u32),
        });
    }
    let count = materials.len() as u64;
    sections.push((
        Kind::MATERIALS,
        classes.len() as u64,
        classes.as_bytes().to_vec(),
    ));
    sections.push((Kind::MATERIAL_RANKS, count, ranks.into_bytes()));
}

/// Number of equal bytes at the start.
fn shared(a: &[u8], b: &[u8]) -> usize {
    const WIDE: usize = 16;
    let ((wide_a, _), (wide_b, _)) = (a.as_chunks::<WIDE>(), b.as_chunks::<WIDE>());
    let wide = wide_a.iter().zip(wide_b);
    let first = wide.take_while(|(a, b)| a == b).count() * WIDE;
    let (a, b) = (a.get(first..), b.get(first..));
    let rest = a.unwrap_or_default().iter().zip(b.unwrap_or_default());
    first + rest.take_while(|(a, b)| a == b).count()
}

/// Appends a number in groups of seven bits, the lowest first.
fn number(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mainline_collector::Collector;
    use tabia_core::game::Want;
    use tabia_testkit::arbitrary_game::arbitrary_game;

    #[test]
    fn equal_lines_are_stored_once_and_count_once_for_the_size_of_a_segment() {
        let mut collector = Collector::new();
        for seed in 0..40 {
            let _ = arbitrary_game(seed).replay(GameIndex(0), Want::MAINLINE, &mut collector);
        }
        let mut batch = Batch::default();
        collector.swap(&mut batch);
        let mut pending = Pending::default();
        let push = |pending: &mut Pending| {
            for number in 0..batch.len() {
                pending.push(&batch, number, 0);
            }
            (
                pending.len(),
                pending.plies,
                pending.distinct_plies(),
                pending.symbols.len(),
            )
        };
        let (games, plies, distinct, bytes) = push(&mut pending);
        assert!(0 < distinct && distinct <= plies && bytes > 500);
        assert_eq!(push(&mut pending), (2 * games, 2 * plies, distinct, bytes));
        // Lines with equal bytes from other starts are others.
        let lines: std::collections::BTreeSet<_> = pending
            .games
            .iter()
            .map(|game| (game.start, pending.line(game).to_vec()))
            .collect();
        let stored: std::collections::BTreeSet<_> = pending
            .games
            .iter()
            .map(|game| (game.start, game.from, game.to))
            .collect();
        assert_eq!(lines.len(), stored.len());
    }

    #[test]
    fn equal_bytes_are_counted() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in [0, 1, 15, 16, 17, 64, 99, 100] {
            let mut other = bytes.clone();
            if let Some(byte) = other.get_mut(length) {
                *byte ^= 1;
            }
            assert_eq!(shared(&bytes, &other), length);
            assert_eq!(shared(&bytes[..length], &bytes), length);
        }
    }
}
