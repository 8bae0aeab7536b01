//! Sums over rows of an index. They are kept for blocks of rows, so that the next sum over the same rows adds blocks.

use std::array;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tabia_core::chess::{Color, Ply};
use tabia_index::{PositionIndex, Row, Unusable};

use super::counted_games::CountedGames;
use super::tree_counts::{Reached, Tally, Totals, number_of};

/// Rows of a part, the smallest number whose sum is kept.
const PART: u32 = 128;
/// Parts of a block.
const PARTS: usize = 64;
/// Rows of a block.
const BLOCK: u32 = PART * PARTS as u32;

/// Blocks whose sums are worth a thread.
const BLOCKS_PER_THREAD: usize = if cfg!(test) { 1 } else { 16 };

/// What is kept of some rows.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    totals: Totals,
    /// The highest rating of a game, as [`Reached::rating`] has it.
    rating: u32,
}

impl Sum {
    /// The last day of a game, as [`Row::date_number`] has it.
    fn day(&self) -> u32 {
        number_of(self.totals.last_played)
    }

    fn merge(&mut self, other: &Self) {
        self.totals.merge(&other.totals);
        self.rating = self.rating.max(other.rating);
    }
}

/// What is kept of a part.
#[derive(Debug, Clone, Copy, Default)]
struct PartSum {
    sum: Sum,
    /// A bit for each row that counts.
    counted: u128,
}
const _: () = assert!(PART == u128::BITS);

/// Rows whose numbers begin with a multiple of [`BLOCK`].
#[derive(Debug)]
struct Block {
    all: OnceLock<Sum>,
    parts: [OnceLock<PartSum>; PARTS],
}

impl Default for Block {
    fn default() -> Self {
        Self {
            all: OnceLock::new(),
            parts: array::from_fn(|_| OnceLock::new()),
        }
    }
}

/// Blocks of one segment.
type Blocks = Vec<OnceLock<Box<Block>>>;

/// Sums that were made of the rows of one index, for one set of games. A part is made when it is first asked as a whole.
#[derive(Debug, Default)]
pub(super) struct RowSums {
    /// By segment and by the side whose ratings are summed.
    segments: Vec<[Blocks; 2]>,
}

impl RowSums {
    /// No sums yet.
    pub(super) fn new(index: &PositionIndex) -> Self {
        let blocks = |segment| {
            let count = index.ranks(segment).end.div_ceil(BLOCK);
            (0..count).map(|_| OnceLock::new()).collect::<Blocks>()
        };
        let segments = 0..index.segments();
        Self {
            segments: segments
                .map(|segment| [blocks(segment), blocks(segment)])
                .collect(),
        }
    }

    /// Bytes of memory when all sums were made.
    pub(super) fn most_bytes(&self) -> u64 {
        let blocks: usize = self.segments.iter().flatten().map(Vec::len).sum();
        (blocks * (size_of::<Block>() + size_of::<OnceLock<Box<Block>>>())) as u64
    }

    fn block(&self, segment: usize, turn: Color, number: u32) -> Option<&Block> {
        let blocks = self.segments.get(segment)?;
        let blocks = blocks.get(usize::from(!turn.is_white()))?;
        let block = blocks.get(number as usize)?;
        Some(block.get_or_init(Box::default))
    }
}

/// The rows of an index that count.
pub(super) struct CountedRows<'a> {
    pub(super) index: &'a PositionIndex,
    /// Number of the database.
    pub(super) database: usize,
    /// The games that count; all if `None`.
    pub(super) games: Option<&'a CountedGames>,
    /// Games marked as deleted count too.
    pub(super) deleted: bool,
    /// The side whose ratings are summed.
    pub(super) turn: Color,
    /// Sums over the rows that count.
    pub(super) sums: &'a RowSums,
}

/// Rows that are added one by one, or whose sum is kept.
enum Piece {
    Rows(Range<u32>),
    /// Number of a block, and of a part in it; the whole block if `None`.
    Kept(u32, Option<usize>),
}

impl CountedRows<'_> {
    /// Sums over the rows of some ranks that count.
    pub(super) fn totals(&self, segment: usize, ranks: Range<u32>) -> Result<Totals, Unusable> {
        let mut totals = Totals::default();
        for piece in pieces(ranks) {
            match piece {
                Piece::Rows(ranks) => {
                    let (rows, counted) = self.rows(segment, ranks)?;
                    totals.add(self.database, rows, counted, self.turn);
                }
                Piece::Kept(block, part) => totals.merge(&self.kept(segment, block, part)?.totals),
            }
        }
        Ok(totals)
    }

    /// Keeps the best games of some ranks, which went on with a move.
    pub(super) fn keep_best(
        &self,
        segment: usize,
        ranks: Range<u32>,
        played: Option<Ply>,
        tally: &mut Tally,
    ) -> Result<(), Unusable> {
        for piece in pieces(ranks) {
            match piece {
                Piece::Rows(ranks) => self.keep_rows(segment, ranks, played, tally)?,
                Piece::Kept(block, part) => {
                    let sum = self.kept(segment, block, part)?;
                    if !tally.may_keep(sum.rating, sum.day()) {
                        continue;
                    }
                    let parts = part.map_or(0..PARTS, |part| part..part + 1);
                    for part in parts {
                        let sum = self.kept(segment, block, Some(part))?;
                        if tally.may_keep(sum.rating, sum.day()) {
                            let ranks = ranks_of(block, part);
                            self.keep_rows(segment, ranks, played, tally)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn keep_rows(
        &self,
        segment: usize,
        ranks: Range<u32>,
        played: Option<Ply>,
        tally: &mut Tally,
    ) -> Result<(), Unusable> {
        let (rows, counted) = self.rows(segment, ranks)?;
        for row in rows_of_bits(rows, counted) {
            tally.keep(&Reached {
                database: self.database,
                row: *row,
                played,
                names: None,
            });
        }
        Ok(())
    }

    /// Makes the sums over whole blocks of some ranks that are not known yet, where that takes several threads a while.
    pub(super) fn sum_in_parallel(
        &self,
        ranks: impl Iterator<Item = (usize, Range<u32>)>,
        threads: usize,
    ) -> Result<(), Unusable> {
        let mut unknown = Vec::new();
        for (segment, ranks) in ranks {
            for block in ranks.start.div_ceil(BLOCK)..ranks.end / BLOCK {
                let kept = self.sums.block(segment, self.turn, block);
                if kept.is_some_and(|kept| kept.all.get().is_none()) {
                    unknown.push((segment, block));
                }
            }
        }
        let threads = threads.min(unknown.len() / BLOCKS_PER_THREAD);
        if threads < 2 {
            return Ok(());
        }
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), Unusable> {
            while let Some(&(segment, block)) = unknown.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.kept(segment, block, None)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut done = work();
            for other in others {
                // A thread that panicked has not made all of its sums; they are made when they are asked for.
                done = done.and(other.join().unwrap_or(Ok(())));
            }
            done
        })
    }

    /// The rows of some ranks of one part, and a bit for each that counts.
    fn rows(&self, segment: usize, ranks: Range<u32>) -> Result<(&[Row], u128), Unusable> {
        let rows = self.index.rows(segment, ranks.clone())?;
        let block = self.sums.block(segment, self.turn, ranks.start / BLOCK);
        let part = (ranks.start % BLOCK / PART) as usize;
        let kept = block.and_then(|block| block.parts.get(part)?.get());
        let counted = match kept {
            Some(kept) => kept.counted >> (ranks.start % PART),
            None => self.counted(rows),
        };
        Ok((rows, counted))
    }

    /// A bit for each of at most 128 rows that counts.
    fn counted(&self, rows: &[Row]) -> u128 {
        let rows = rows.get(..PART as usize).unwrap_or(rows);
        let deleted = if self.deleted {
            0
        } else {
            bits_of(rows.iter().map(Row::is_deleted))
        };
        let counted = match self.games {
            None => u128::MAX,
            Some(CountedGames::InSet(games)) => {
                bits_of(rows.iter().map(|row| games.has(row.game())))
            }
            Some(CountedGames::ByRow(matcher)) => {
                let facts = |row: &Row| (row.ratings(), row.date(), row.result());
                matcher.fitting(&rows.iter().map(facts))
            }
        };
        counted & !deleted
    }

    /// The sum over a part of a block, or over all of it.
    fn kept(&self, segment: usize, block: u32, part: Option<usize>) -> Result<Sum, Unusable> {
        let kept = self.sums.block(segment, self.turn, block);
        let Some(part) = part else {
            if let Some(sum) = kept.and_then(|kept| kept.all.get()) {
                return Ok(*sum);
            }
            let mut sum = Sum::default();
            for part in 0..PARTS {
                sum.merge(&self.kept(segment, block, Some(part))?);
            }
            // Another thread may have been first, with the same sum.
            if let Some(kept) = kept {
                let _ = kept.all.set(sum);
            }
            return Ok(sum);
        };
        let slot = kept.and_then(|kept| kept.parts.get(part));
        if let Some(known) = slot.and_then(OnceLock::get) {
            return Ok(known.sum);
        }
        let rows = self.index.rows(segment, ranks_of(block, part))?;
        let counted = self.counted(rows);
        let mut sum = Sum::default();
        sum.rating = sum.totals.add(self.database, rows, counted, self.turn);
        if let Some(slot) = slot {
            let _ = slot.set(PartSum { sum, counted });
        }
        Ok(sum)
    }
}

/// A bit for each of at most 128 answers, the lowest for the first one.
#[inline(always)]
fn bits_of(answers: impl Iterator<Item = bool>) -> u128 {
    let answers = answers.enumerate();
    answers.fold(0, |bits, (number, answer)| {
        bits | u128::from(answer) << number
    })
}

/// The rows whose bits are set.
#[inline]
fn rows_of_bits(rows: &[Row], mut bits: u128) -> impl Iterator<Item = &Row> {
    std::iter::from_fn(move || {
        let row = rows.get(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(row)
    })
}

/// The ranks of a part of a block.
fn ranks_of(block: u32, part: usize) -> Range<u32> {
    let first = block * BLOCK + part as u32 * PART;
    first..first + PART
}

/// Whole blocks and parts among some ranks, and the rows at their ends.
fn pieces(ranks: Range<u32>) -> impl Iterator<Item = Piece> {
    let mut from = ranks.start;
    std::iter::from_fn(move || {
        let left = ranks.end.checked_sub(from).filter(|left| *left > 0)?;
        let (piece, count) = if from.is_multiple_of(BLOCK) && left >= BLOCK {
            (Piece::Kept(from / BLOCK, None), BLOCK)
        } else if from.is_multiple_of(PART) && left >= PART {
            let part = (from % BLOCK / PART) as usize;
            (Piece::Kept(from / BLOCK, Some(part)), PART)
        } else {
            let count = left.min(PART - from % PART);
            (Piece::Rows(from..from + count), count)
        };
        // Without an overflow: the end of the ranks is a number.
        from += count;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use tabia_core::GameIndex;
    use tabia_core::game::{Date, GameHead, GameResult, Visitor};
    use tabia_core::io::{Blob, Progress};
    use tabia_index::{Batch, BuildOptions, Builder, Collector};
    use tabia_query::FactsMatcher;
    use tabia_testkit::Random;

    use super::super::game_set::GameSet;
    use super::*;

    #[test]
    fn pieces_cover_all_ranks_in_order() {
        for (from, to) in [
            (0, 0),
            (5, 90),
            (128, 256),
            (100, 8192),
            (8192, 24576),
            (1, 40_000),
            (u32::MAX - 300, u32::MAX),
        ] {
            let mut at = from;
            for piece in pieces(from..to) {
                let ranks = match piece {
                    Piece::Rows(ranks) => ranks,
                    Piece::Kept(block, Some(part)) => ranks_of(block, part),
                    Piece::Kept(block, None) => block * BLOCK..(block + 1) * BLOCK,
                };
                assert_eq!(ranks.start, at);
                at = ranks.end;
            }
            assert_eq!(at, to);
        }
    }

    /// An index of random games, all of which end at the start, in segments of 18,000 games.
    fn index_of(games: u32) -> PositionIndex {
        let mut random = Random::new(5);
        let (mut collector, mut batch) = (Collector::new(), Batch::default());
        for game in 0..games {
            let mut head = GameHead::default();
            head.deleted = random.below(50) == 0;
            for tag in ["WhiteElo", "BlackElo"] {
                if random.below(5) > 0 {
                    head.tags
                        .push(tag, &format!("{}", 1200 + random.below(1600)));
                }
            }
            if random.below(9) > 0 {
                let date = Date::new(1900 + random.below(126) as u16, random.below(13) as u8, 0);
                head.tags.push("Date", &date.to_string());
            }
            let result = GameResult::ALL.get(random.below(GameResult::ALL.len()));
            let _ = collector.begin_game(GameIndex(game), &head);
            collector.end_game(result.copied().unwrap_or_default());
        }
        collector.swap(&mut batch);
        let progress = Progress::new();
        let mut options = BuildOptions::default();
        options.segment_games = 18_000;
        let mut builder = Builder::in_memory(options, &progress).unwrap();
        builder.add(&batch, 0).unwrap();
        let (_, bytes) = builder.finish_bytes(b"random").unwrap().unwrap();
        PositionIndex::open(&Blob::from(bytes)).unwrap()
    }

    #[test]
    fn kept_sums_are_those_of_the_rows() {
        let index = index_of(40_000);
        assert!(index.segments() > 1);
        let mut random = Random::new(6);
        let mut some = GameSet::default();
        for game in 0..40_000 {
            if random.below(3) == 0 {
                some.insert(GameIndex(game));
            }
        }
        let set = CountedGames::InSet(some.clone());
        let query = "anyelo:>=2000 OR result:draw".parse().unwrap();
        let matcher = FactsMatcher::new(&query).unwrap();
        let by_row = CountedGames::ByRow(matcher.clone());
        let counts = |row: &Row, games: Option<&CountedGames>, deleted: bool| {
            let is_one = match games {
                None => true,
                Some(CountedGames::InSet(_)) => some.has(row.game()),
                Some(CountedGames::ByRow(_)) => {
                    matcher.fits(row.ratings(), row.date(), row.result())
                }
            };
            is_one && (deleted || !row.is_deleted())
        };
        for (games, deleted) in [
            (None, true),
            (Some(&set), true),
            (Some(&set), false),
            (Some(&by_row), true),
            (Some(&by_row), false),
        ] {
            let sums = RowSums::new(&index);
            for round in 0..60 {
                let turn = if round % 2 == 0 {
                    Color::White
                } else {
                    Color::Black
                };
                let counted = CountedRows {
                    index: &index,
                    database: 3,
                    games,
                    deleted,
                    turn,
                    sums: &sums,
                };
                let segment = random.below(index.segments());
                let end = index.ranks(segment).end as usize;
                let (from, to) = (random.below(end), random.below(end) + 1);
                // All rows come at the end, when most sums are kept.
                let ranks = if round < 50 {
                    from.min(to) as u32..from.max(to) as u32
                } else {
                    0..end as u32
                };
                let mut expected = Tally::new(turn, 7, true);
                let rows = index.rows(segment, ranks.clone()).unwrap().iter();
                for row in rows.filter(|row| counts(row, games, deleted)) {
                    expected.add(&Reached {
                        database: 3,
                        row: *row,
                        played: None,
                        names: None,
                    });
                }
                let mut found = Tally::new(turn, 7, true);
                if round % 5 == 4 {
                    let ranks = [(segment, ranks.clone())].into_iter();
                    counted.sum_in_parallel(ranks, 3).unwrap();
                }
                let totals = counted.totals(segment, ranks.clone()).unwrap();
                if totals.games > 0 {
                    found.add_totals(None, &totals);
                }
                counted.keep_best(segment, ranks, None, &mut found).unwrap();
                assert_eq!(found.moves, expected.moves);
                assert_eq!(found.top.games, expected.top.games);
                assert_eq!(found.recent.games, expected.recent.games);
            }
            let whole = sums.segments.iter().flatten().flatten();
            let whole = whole.filter_map(OnceLock::get);
            assert!(whole.filter(|block| block.all.get().is_some()).count() > 1);
        }
    }
}
