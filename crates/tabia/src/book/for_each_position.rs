//! Every position of a book with its board, whatever the format stores.

use tabia_core::books::{Book, BookKey, BookPosition};
use tabia_core::chess::Position;
use tabia_core::game::Flow;
use tabia_core::io::{Progress, ProgressUnit};
use tabia_core::{Error, Result};

use super::walk::walk;

/// Counts of the positions of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BoardCounts {
    /// Positions visited.
    pub(super) positions: u64,
    /// Positions that are stored by key only and were not reached.
    pub(super) unreached: u64,
    /// Records skipped because they are not those of a position.
    pub(super) skipped: u64,
}

impl BoardCounts {
    /// The skipped records as a problem of the book; `None` if there are none.
    pub(super) fn problem(self) -> Option<String> {
        let text = match self.skipped {
            0 => return None,
            1 => "1 record is no position and is left out".to_owned(),
            count => format!("{count} records are no positions and are left out"),
        };
        Some(text)
    }
}

/// The number of positions that a book stores, counted if it does not state it: for a display of progress.
///
/// # Errors
/// Those of the book.
pub(super) fn stored_positions(book: &dyn Book) -> Result<u64> {
    match book.info().positions {
        Some(positions) => Ok(positions),
        None => Ok(book.size()?.positions),
    }
}

/// Visits every position of a book with all that is known of it. A book that stores keys only is
/// walked from the standard position; what the walk does not reach is counted.
///
/// # Errors
/// Those of the book and of `visit`.
pub(super) fn for_each_board(
    book: &dyn Book,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &BookPosition) -> Result<Flow>,
) -> Result<BoardCounts> {
    let mut visitor = BoardVisitor::new(progress);
    let skipped = book.for_each(&mut |position, page| {
        visitor.visit(position, |position| visit(position, page))
    })?;
    visitor.finish(book, skipped, visit)
}

/// Like [`for_each_board`], in any order and without the fields that only the format has
/// ([`Book::for_each_unordered`]).
///
/// # Errors
/// Those of the book and of `visit`.
pub(super) fn for_each_board_unordered(
    book: &dyn Book,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &mut BookPosition) -> Result<Flow>,
) -> Result<BoardCounts> {
    let mut visitor = BoardVisitor::new(progress);
    let skipped = book.for_each_unordered(&mut |position, page| {
        visitor.visit(position, |position| visit(position, page))
    })?;
    visitor.finish(book, skipped, &mut |position, page| {
        visit(position, &mut page.clone())
    })
}

struct BoardVisitor<'p> {
    progress: &'p Progress,
    counts: BoardCounts,
    /// Positions visited, by board or by key.
    stored: u64,
    has_boards: bool,
    error: Option<Error>,
}

impl<'p> BoardVisitor<'p> {
    fn new(progress: &'p Progress) -> Self {
        progress.count_if_unknown(ProgressUnit::Positions);
        Self {
            progress,
            counts: BoardCounts::default(),
            stored: 0,
            has_boards: false,
            error: None,
        }
    }

    fn visit(
        &mut self,
        position: BookKey<'_>,
        visit: impl FnOnce(&Position) -> Result<Flow>,
    ) -> Flow {
        self.stored += 1;
        let BookKey::Board(position) = position else {
            return Flow::Go;
        };
        self.has_boards = true;
        match self.progress.check().and_then(|()| visit(position)) {
            Ok(flow) => {
                self.counts.positions += 1;
                self.progress.advance(1, 0);
                flow
            }
            Err(error) => {
                self.error = Some(error);
                Flow::Stop
            }
        }
    }

    fn finish(
        mut self,
        book: &dyn Book,
        skipped: u64,
        visit: &mut dyn FnMut(&Position, &BookPosition) -> Result<Flow>,
    ) -> Result<BoardCounts> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.counts.skipped = skipped;
        if !self.has_boards {
            let start = [Position::standard()];
            let stored = self.stored;
            let mut visit =
                |position: &Position, _: u32, page: &BookPosition| visit(position, page);
            let walked = walk(book, &start, stored, self.progress, &mut visit)?;
            self.counts.positions = walked.positions;
            self.counts.unreached = stored - walked.positions.min(stored);
        }
        Ok(self.counts)
    }
}
