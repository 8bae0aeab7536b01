//! Where positions were found in an index, kept for the next time: the explorer comes to a position after it was the next one,
//! goes back to those before, and asks the same one again with another filter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::chess::Position;
use tabia_index::{Arrival, PositionIndex, Unusable, is_same};

/// Bytes of what is kept, about.
const CACHED_BYTES: usize = 16 << 20;

/// The arrivals of positions in one index by their Polyglot keys.
#[derive(Debug, Default)]
pub(super) struct FoundPositions(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    found: HashMap<u64, Found>,
    /// Those that were asked before the last time [`CACHED_BYTES`] were reached.
    older: HashMap<u64, Found>,
    /// Bytes of `found`.
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Found {
    position: Box<Position>,
    arrivals: Arc<[Arrival]>,
}

impl Found {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<Position>() + size_of_val(&*self.arrivals)
    }
}

impl FoundPositions {
    /// The games that reached a position, as [`PositionIndex::find`] has them.
    pub(super) fn find(
        &self,
        index: &PositionIndex,
        position: &Position,
    ) -> Result<Arc<[Arrival]>, Unusable> {
        let key = position.key();
        if let Some(arrivals) = self.lock(|kept| kept.get(key, position)) {
            return Ok(arrivals);
        }
        let arrivals: Arc<[Arrival]> = index.find(position)?.into();
        let found = Found {
            position: Box::new(position.clone()),
            arrivals: Arc::clone(&arrivals),
        };
        self.lock(|kept| kept.insert(key, found));
        Ok(arrivals)
    }

    fn lock<T>(&self, run: impl FnOnce(&mut Kept) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    fn get(&mut self, key: u64, position: &Position) -> Option<Arc<[Arrival]>> {
        let is_asked = |found: &&Found| is_same(&found.position, position);
        if let Some(found) = self.found.get(&key).filter(is_asked) {
            return Some(Arc::clone(&found.arrivals));
        }
        let found = self.older.get(&key).filter(is_asked)?.clone();
        let arrivals = Arc::clone(&found.arrivals);
        self.insert(key, found);
        Some(arrivals)
    }

    fn insert(&mut self, key: u64, found: Found) {
        self.bytes += found.bytes();
        // Half of the bytes each, so that what is asked all the time is never forgotten.
        if self.bytes > CACHED_BYTES / 2 {
            self.bytes = found.bytes();
            self.older = std::mem::take(&mut self.found);
        }
        self.found.insert(key, found);
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::GameIndex;
    use tabia_core::game::{Game, Want};
    use tabia_core::io::{Blob, Progress};
    use tabia_index::{Batch, BuildOptions, Builder, Collector};

    use super::*;

    fn index_of_one_game() -> PositionIndex {
        let (mut collector, mut batch) = (Collector::new(), Batch::default());
        let _ = Game::new().replay(GameIndex(0), Want::ALL, &mut collector);
        collector.swap(&mut batch);
        let progress = Progress::new();
        let mut builder = Builder::in_memory(BuildOptions::default(), &progress).unwrap();
        builder.add(&batch, 0).unwrap();
        let (_, bytes) = builder.finish_bytes(b"one game").unwrap().unwrap();
        PositionIndex::open(&Blob::from(bytes)).unwrap()
    }

    #[test]
    fn a_position_is_found_once() {
        let index = index_of_one_game();
        let (kept, start) = (FoundPositions::default(), Position::standard());
        let first = kept.find(&index, &start).unwrap();
        assert_eq!(*first, *index.find(&start).unwrap());
        assert!(Arc::ptr_eq(&first, &kept.find(&index, &start).unwrap()));
        let after = start.after(start.parse_san("e4").unwrap());
        assert!(kept.find(&index, &after).unwrap().is_empty());
    }

    #[test]
    fn a_position_with_the_same_key_is_another_one() {
        let start = Position::standard();
        let other = start.after(start.parse_san("e4").unwrap());
        let mut kept = Kept::default();
        let found = Found {
            position: Box::new(start.clone()),
            arrivals: Arc::default(),
        };
        kept.insert(7, found);
        assert!(kept.get(7, &start).is_some());
        assert!(kept.get(7, &other).is_none());
    }

    #[test]
    fn memory_is_bounded_and_what_is_asked_stays() {
        let start = Position::standard();
        let arrival = Arrival {
            segment: 0,
            first: 0,
            end: 1,
            ply: 0,
        };
        let found = Found {
            position: Box::new(start.clone()),
            arrivals: vec![arrival; 1000].into(),
        };
        let mut kept = Kept::default();
        for key in 0..10_000 {
            kept.insert(key, found.clone());
            assert!(kept.get(0, &start).is_some());
        }
        let count = kept.found.len() + kept.older.len();
        assert!(count * found.bytes() <= CACHED_BYTES, "{count}");
        assert!(kept.get(5, &start).is_none());
    }
}
