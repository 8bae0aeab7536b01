//! Every position of a book with its board, whatever the format stores.

use tabia_core::books::{Book, BookKey, BookPosition, Wdl};
use tabia_core::chess::Position;
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_core::{Error, Result};

use super::walk::walk;

/// How much of a book was handed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub(super) struct ScanCounts {
    /// Positions handed on.
    pub(super) positions: u64,
    /// Positions that are stored by key only and were not reached.
    pub(super) unreached: u64,
}

/// Hands on every position of a book with all that is known of it. A book that knows only keys is
/// walked from the usual start; what the walk does not reach is counted.
///
/// # Errors
/// Those of the book and of `visit`.
pub(super) fn boards(
    book: &dyn Book,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &BookPosition) -> Result<Flow>,
) -> Result<ScanCounts> {
    let mut stand = RecordState::new(progress);
    book.for_each(&mut |position, page| stand.take(position, |position| visit(position, page)))?;
    stand.finish(book, visit)
}

/// The same in any order and without the fields of the format ([`Book::for_each_unordered`]).
///
/// # Errors
/// Those of the book and of `visit`.
pub(super) fn swept(
    book: &dyn Book,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &mut BookPosition) -> Result<Flow>,
) -> Result<ScanCounts> {
    let mut stand = RecordState::new(progress);
    book.for_each_unordered(&mut |position, page| {
        stand.take(position, |position| visit(position, page))
    })?;
    stand.finish(book, &mut |position, page| {
        visit(position, &mut page.clone())
    })
}

/// How far the handing on has come.
struct RecordState<'p> {
    progress: &'p Progress,
    reach: ScanCounts,
    /// Positions met, by board or by key.
    stored: u64,
    has_boards: bool,
    failure: Option<Error>,
}

impl<'p> RecordState<'p> {
    fn new(progress: &'p Progress) -> Self {
        Self {
            progress,
            reach: ScanCounts::default(),
            stored: 0,
            has_boards: false,
            failure: None,
        }
    }

    fn take(
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
                self.reach.positions += 1;
                self.progress.advance(1, 0);
                flow
            }
            Err(error) => {
                self.failure = Some(error);
                Flow::Stop
            }
        }
    }

    fn finish(
        mut self,
        book: &dyn Book,
        visit: &mut dyn FnMut(&Position, &BookPosition) -> Result<Flow>,
    ) -> Result<ScanCounts> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        if !self.has_boards {
            let start = [Position::standard()];
            let stored = self.stored;
            let walked = walk(
                book,
                &start,
                stored,
                self.progress,
                &mut |position, _, page| visit(position, page),
            )?;
            self.reach.positions = walked.positions;
            self.reach.unreached = stored - walked.positions.min(stored);
        }
        Ok(self.reach)
    }
}

/// Gives moves without a weight one: 0 when the author advises against them, two points for a win of the side that plays them and one for a
/// draw, else the games; and scales weights that do not fit into 16 bits.
pub(super) fn give_weights(page: &mut BookPosition, white_to_move: bool) {
    for entry in &mut page.entries {
        if entry.weight.is_some() {
            continue;
        }
        if entry.recommended == Some(false) {
            entry.weight = Some(0);
            continue;
        }
        let points = entry.results.filter(|results| results.games() > 0);
        let points = points.map(|results| points_of(results, white_to_move));
        entry.weight = points
            .or(entry.games)
            .map(|weight| u32::try_from(weight).unwrap_or(u32::MAX));
    }
    let most = page.entries.iter().filter_map(|entry| entry.weight).max();
    if let Some(most) = most.filter(|most| *most > u32::from(u16::MAX)) {
        for weight in page
            .entries
            .iter_mut()
            .filter_map(|entry| entry.weight.as_mut())
        {
            let scaled = u64::from(*weight) * u64::from(u16::MAX) / u64::from(most);
            *weight = (scaled as u32).max(u32::from(*weight > 0));
        }
    }
}

/// Two for a win of the side, one for a draw.
fn points_of(results: Wdl, white: bool) -> u64 {
    let wins = if white { results.white } else { results.black };
    wins.saturating_mul(2).saturating_add(results.draws)
}
