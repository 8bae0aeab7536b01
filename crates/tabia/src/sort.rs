//! Games in an order of fields, with bounded memory.

use std::path::{Path, PathBuf};

use tabia_core::Result;
use tabia_core::chess::{Ply, Position};
use tabia_core::external::VariableSorter;
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::io::{Progress, ProgressPhase};
use tabia_core::loss::Losses;
use tabia_core::{GameIndex, Problem};
use tabia_query::FoundMoment;
use zerocopy::byteorder::big_endian::{U32, U64};

pub use tabia_query::{SortOrder, SortValues};

use crate::list::ListRow;
use crate::scan::Task;

/// Bytes of a key that are compared at once.
const CHUNK: usize = 64;
/// Bytes of records in memory.
const MEMORY: usize = 64 << 20;
/// Sorters that share a part of a key may be inside each other; each has half of the memory.
const MIN_MEMORY: usize = 1 << 20;

/// Sorts pieces of bytes, such as games or rows, by keys that [`SortOrder::key`] makes. Equal ones keep
/// their order. What does not fit in memory goes to a temporary file.
///
/// ```
/// use tabia::sort::{GameSorter, SortOrder, SortValues};
///
/// # fn main() -> Result<(), tabia::Error> {
/// let order = SortOrder::parse("-whiteElo").unwrap();
/// let mut sorter = GameSorter::new(&order, &std::env::temp_dir());
/// for (elo, row) in [(2500, "a"), (2700, "b"), (2500, "c")] {
///     let mut values = SortValues::default();
///     values.white_elo = Some(elo);
///     let mut key = Vec::new();
///     order.key(&values, &mut key);
///     sorter.push(key, row.as_bytes())?;
/// }
/// let mut rows = Vec::new();
/// sorter.finish(&mut |row| {
///     rows.extend_from_slice(row);
///     Ok(())
/// })?;
/// assert_eq!(rows, b"bac");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct GameSorter {
    sorter: KeySorter,
    reverses_equal: bool,
    count: u64,
}

impl GameSorter {
    /// A sorter for an order; `folder` is for temporary files.
    pub fn new(order: &SortOrder, folder: &Path) -> Self {
        Self {
            sorter: KeySorter::new(folder, MEMORY),
            reverses_equal: order.reverses_equal(),
            count: 0,
        }
    }

    /// Adds a piece with its key.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn push(&mut self, key: Vec<u8>, bytes: &[u8]) -> Result<()> {
        let mut key = key;
        if self.reverses_equal {
            key.extend(U64::new(!self.count).to_bytes());
        }
        self.count += 1;
        self.sorter.push(&key, bytes)
    }

    /// Hands out every piece in order.
    ///
    /// # Errors
    /// When the temporary file cannot be written or read, and those of `visit`.
    pub fn finish(self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.sorter.finish(visit)
    }

    /// [`finish`](Self::finish) as the [writing](ProgressPhase::Writing) phase of a job, which can be cancelled.
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish), and when the job is cancelled.
    ///
    /// ```
    /// use tabia::sort::{GameSorter, SortOrder};
    /// use tabia::{Progress, ProgressPhase};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// let order = SortOrder::parse("white").unwrap_or_default();
    /// let mut sorter = GameSorter::new(&order, &std::env::temp_dir());
    /// sorter.push(b"a".to_vec(), b"1. e4 *")?;
    /// let progress = Progress::new();
    /// sorter.write(&progress, &mut |_| Ok(()))?;
    /// assert_eq!(progress.phase(), ProgressPhase::Writing);
    /// assert_eq!((progress.done(), progress.total()), (1, 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(
        self,
        progress: &Progress,
        visit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        progress.begin_phase(ProgressPhase::Writing, self.count);
        self.finish(&mut |piece| {
            progress.check()?;
            visit(piece)?;
            progress.advance(1, 0);
            Ok(())
        })
    }
}

/// Sorts by keys of any length, none of which is the beginning of another: by their first bytes, then
/// those that agree in them by the next.
#[derive(Debug)]
struct KeySorter {
    folder: PathBuf,
    memory: usize,
    sorter: VariableSorter<CHUNK>,
    record: Vec<u8>,
}

impl KeySorter {
    fn new(folder: &Path, memory: usize) -> Self {
        Self {
            folder: folder.to_path_buf(),
            memory,
            sorter: VariableSorter::new(folder, memory),
            record: Vec::new(),
        }
    }

    fn push(&mut self, key: &[u8], bytes: &[u8]) -> Result<()> {
        let mut chunk = [0; CHUNK];
        let (first, rest) = key.split_at(key.len().min(CHUNK));
        for (to, from) in chunk.iter_mut().zip(first) {
            *to = *from;
        }
        self.record.clear();
        self.record.extend(U32::new(rest.len() as u32).to_bytes());
        self.record.extend_from_slice(rest);
        self.record.extend_from_slice(bytes);
        self.sorter.push(&chunk, &self.record)
    }

    fn finish(self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let (folder, memory) = (self.folder, (self.memory / 2).max(MIN_MEMORY));
        let mut group: Option<([u8; CHUNK], Self)> = None;
        self.sorter.finish(|chunk, record| {
            let (rest, bytes) = split(record);
            if let Some((first, inner)) = &mut group
                && first == chunk
            {
                return inner.push(rest, bytes);
            }
            if let Some((_, inner)) = group.take() {
                inner.finish(visit)?;
            }
            if rest.is_empty() {
                return visit(bytes);
            }
            let (_, inner) = group.insert((*chunk, Self::new(&folder, memory)));
            inner.push(rest, bytes)
        })?;
        match group {
            Some((_, inner)) => inner.finish(visit),
            None => Ok(()),
        }
    }
}

/// The rest of the key and the bytes of a record.
fn split(record: &[u8]) -> (&[u8], &[u8]) {
    let Some((length, rest)) = record.split_first_chunk() else {
        return (&[], &[]);
    };
    let length = U32::from_bytes(*length).get() as usize;
    rest.split_at_checked(length).unwrap_or((&[], rest))
}

/// Appends the key of a row.
pub fn row_key(order: &SortOrder, row: &ListRow<'_>, out: &mut Vec<u8>) {
    let is_text = row.flags.text;
    let mut values = SortValues::default();
    // The title of a guiding text is in the column of White.
    values.white = if is_text { "" } else { &row.white };
    values.black = &row.black;
    values.white_elo = row.white_elo;
    values.black_elo = row.black_elo;
    values.result = row.result;
    values.plies = row.plies.unwrap_or_default();
    values.ply = row.moments.first().map(|moment| moment.ply);
    values.eco = row.eco;
    values.date = row.date;
    values.event = if is_text { &row.white } else { &row.event };
    values.site = &row.site;
    values.round = &row.round;
    values.annotator = &row.annotator;
    order.key(&values, out);
}

/// Has another task make something of each game, and adds the key of the game.
pub(crate) struct SortTask<T: Task> {
    inner: T,
    order: SortOrder,
    head: GameHead,
    plies: u32,
    /// The ply of the first moment at which the game fits the query.
    moment: Option<u32>,
    depth: u32,
    made: Vec<(Vec<u8>, GameIndex, T::Out)>,
    game: GameIndex,
}

impl<T: Task> SortTask<T> {
    pub(crate) fn new(inner: T, order: &SortOrder) -> Self {
        Self {
            inner,
            order: order.clone(),
            head: GameHead::default(),
            plies: 0,
            moment: None,
            depth: 0,
            made: Vec::new(),
            game: GameIndex(0),
        }
    }

    fn key(&self, result: GameResult) -> Vec<u8> {
        let tags = &self.head.tags;
        let is_text = self.head.kind == RecordKind::Text;
        let title = || {
            let titles = ["Title", "White", "Event"].into_iter();
            let mut titles = titles.map(|tag| tags.text(tag));
            titles.find(|title| !matches!(*title, "" | "?"))
        };
        let mut values = SortValues::default();
        values.white = if is_text { "" } else { tags.text("White") };
        values.black = tags.text("Black");
        values.white_elo = tags.white_elo();
        values.black_elo = tags.black_elo();
        values.result = result;
        values.plies = self.plies;
        values.ply = self.moment;
        values.eco = tags.eco();
        values.date = tags.date().unwrap_or_default();
        values.event = if is_text {
            title().unwrap_or_default()
        } else {
            tags.text("Event")
        };
        values.site = tags.text("Site");
        values.round = tags.text("Round");
        values.annotator = tags.text("Annotator");
        let mut key = Vec::new();
        self.order.key(&values, &mut key);
        key
    }
}

impl<T: Task> Visitor for SortTask<T> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.head.clone_from(head);
        (self.plies, self.depth, self.game) = (0, 0, game);
        self.inner.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.plies += u32::from(self.depth == 0);
        self.inner.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.inner.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        let flow = self.inner.begin_variation();
        if flow == Flow::Go {
            self.depth += 1;
        }
        flow
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.inner.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.inner.end_game(result);
        let mut out = T::Out::default();
        self.inner.swap(&mut out);
        self.made.push((self.key(result), self.game, out));
    }
}

impl<T: Task> Task for SortTask<T> {
    type Out = Vec<(Vec<u8>, GameIndex, T::Out)>;

    fn swap(&mut self, out: &mut Self::Out) {
        out.clear();
        std::mem::swap(&mut self.made, out);
    }

    fn take_losses(&mut self) -> Losses {
        self.inner.take_losses()
    }

    fn take_moments(&mut self, moments: &[FoundMoment]) {
        self.moment = moments.first().map(|moment| moment.ply);
        self.inner.take_moments(moments);
    }

    fn on_problem(&mut self, problem: &Problem) {
        self.inner.on_problem(problem);
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        self.inner.take_problems()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_are_compared_to_their_end() {
        let mut sorter = KeySorter::new(&std::env::temp_dir(), 2048);
        let mut random = tabia_testkit::Random::new(5);
        let mut expected = Vec::new();
        for number in 0..400_u32 {
            // Keys of several chunks that differ at their end only, and short ones.
            let mut key = vec![b'a'; random.below(4) * CHUNK];
            key.push(b'0' + random.below(3) as u8);
            key.push(0);
            expected.push((key.clone(), number));
            sorter.push(&key, &U32::new(number).to_bytes()).unwrap();
        }
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let mut found = Vec::new();
        let mut visit = |bytes: &[u8]| {
            found.push(U32::from_bytes(bytes.try_into().unwrap()).get());
            Ok(())
        };
        sorter.finish(&mut visit).unwrap();
        let expected: Vec<u32> = expected.into_iter().map(|(_, number)| number).collect();
        assert_eq!(found, expected);
    }
}
