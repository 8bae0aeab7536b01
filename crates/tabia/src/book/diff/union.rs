//! Two books as one, for walks through the positions of both.

use tabia_core::Result;
use tabia_core::books::{Book, BookInfo, BookKey, BookPosition, BookSize};
use tabia_core::chess::Position;
use tabia_core::game::Flow;

/// The moves of both books in every position of either, without statistics.
pub(super) struct BookUnion<'b> {
    pub(super) first: &'b dyn Book,
    pub(super) second: &'b dyn Book,
}

impl Book for BookUnion<'_> {
    fn info(&self) -> &BookInfo {
        self.first.info()
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        let is_in_first = self.first.moves(position, page)?;
        let mut other = BookPosition::default();
        let is_in_second = self.second.moves(position, &mut other)?;
        for entry in other.entries {
            if page.entries.iter().all(|known| known.m != entry.m) {
                page.entries.push(entry);
            }
        }
        Ok(is_in_first || is_in_second)
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64> {
        let skipped = self.first.for_each(visit)?;
        Ok(skipped + self.second.for_each(visit)?)
    }

    /// The size of the larger book: the least that the union can have.
    fn size(&self) -> Result<BookSize> {
        let (first, second) = (self.first.size()?, self.second.size()?);
        Ok(BookSize::new(
            first.positions.max(second.positions),
            first.moves.max(second.moves),
        ))
    }
}
