//! Anything made of games, on several threads and in the order of the games: tables, statistics,
//! files of other kinds.

use std::sync::Arc;

use tabia_core::formats::OpenOptions;
use tabia_core::game::{Visitor, Want};
use tabia_core::games::{Database, HeadReader, IndexHead};
use tabia_core::io::Progress;
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex, Problem};

use crate::changed_input_files::FileStates;
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};

/// Visits games and makes a piece of something of them. Each thread has one.
///
/// The problems of a game reach [`on_problem`](Collector::on_problem), not
/// [`Visitor::problem`].
pub trait Collector: Visitor + Send {
    /// What it makes of a piece of work; the consumer gives used pieces back.
    type Piece: Default + Send;

    /// Gives what was made since the last call in exchange for an empty or used piece.
    fn swap(&mut self, piece: &mut Self::Piece);

    /// The reader found something wrong with the game it is at, or with one that it could not begin.
    fn on_problem(&mut self, problem: &Problem) {
        let _ = problem;
    }

    /// A record of a database is read next; returns what of it is read, at most `want`. A collector that takes
    /// values from the index of the database has less read. Games of streams are read as the scan wants them.
    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        let _ = (database, game);
        want
    }

    /// Whether heads of records are offered to [`take_head`](Collector::take_head).
    fn wants_heads(&self) -> bool {
        false
    }

    /// The head of a record from the index of a database: the record is visited unless this returns `true`. Heads that
    /// an index cannot state are not offered.
    fn take_head(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        let _ = (database, game, heads, head);
        false
    }

    /// What of the last game the pieces cannot hold.
    fn take_losses(&mut self) -> Losses {
        Losses::new()
    }
}

impl<C: Collector> Task for C {
    type Out = C::Piece;

    fn swap(&mut self, out: &mut C::Piece) {
        Collector::swap(self, out);
    }

    fn take_losses(&mut self) -> Losses {
        Collector::take_losses(self)
    }

    fn on_problem(&mut self, problem: &Problem) {
        Collector::on_problem(self, problem);
    }

    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        Collector::want_of(self, database, game, want)
    }

    fn wants_heads(&self) -> bool {
        Collector::wants_heads(self)
    }

    fn take_head(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        Collector::take_head(self, database, game, heads, head)
    }
}

/// Takes a piece: its input, what to add to the numbers of its games, the piece. Returns whether to go
/// on; if not, nothing more is read, of no input.
pub type TakePiece<'a, P> = &'a mut dyn FnMut(&InputItem, GameIndex, &mut P) -> Result<bool, Error>;

/// Hands the games of all items to collectors, which `collector` makes, one for each thread and item;
/// `take` gets the pieces in order. The cut into pieces depends only on the input.
///
/// # Errors
/// The first input that cannot be read or that changes while it is read, and errors of `take`.
///
/// ```
/// use std::sync::Arc;
/// use tabia::collect_in_parallel::{Collector, collect};
/// use tabia::{Flow, NoObserver, Ply, Position, Progress, Resolver, ScanOptions, Visitor};
///
/// #[derive(Default)]
/// struct Plies(u64);
///
/// impl Visitor for Plies {
///     fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
///         self.0 += 1;
///         Flow::Go
///     }
/// }
///
/// impl Collector for Plies {
///     type Piece = u64;
///
///     fn swap(&mut self, piece: &mut u64) {
///         *piece = std::mem::take(&mut self.0);
///     }
/// }
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let mut plies = 0;
/// collect(
///     &items,
///     &tabia::OpenOptions::default(),
///     &ScanOptions::default(),
///     &mut |_| Ok(Plies::default()),
///     &Arc::new(Progress::default()),
///     &mut NoObserver,
///     &mut |_, _, piece| {
///         plies += *piece;
///         Ok(true)
///     },
/// )?;
/// assert!(plies > 0);
/// # Ok(())
/// # }
/// ```
pub fn collect<C: Collector>(
    items: &[InputItem],
    open: &OpenOptions,
    plan: &ScanOptions,
    collector: &mut dyn FnMut(&InputItem) -> Result<C, Error>,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    take: TakePiece<'_, C::Piece>,
) -> Result<Summary, Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let mut summary = Summary::default();
    for (number, item) in items.iter().enumerate() {
        let before = summary.counts;
        let files = FileStates::of(item);
        let tasks = (0..plan.threads.max(1))
            .map(|_| collector(item))
            .collect::<Result<Vec<C>, Error>>()?;
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let mut plan = plan.for_item(item, open, progress)?;
        plan.shard = plan.shard.map(|shard| shard.for_input(number));
        let mut goes_on = true;
        reporter.read_item(open, progress, plan.strict, |reporter, input| {
            scan(reporter, input, &plan, tasks, &mut |base, piece| {
                files.check()?;
                goes_on = take(item, GameIndex(base.games), piece)?;
                Ok(goes_on)
            })
        })?;
        files.check()?;
        reporter.finish_item(before)?;
        // A choice of records ends the reading of an input; a collector that stops wants no other input.
        let is_chosen = plan.at_most.is_some() || plan.selection.numbers.is_some();
        if !goes_on || summary.is_stopped && !is_chosen {
            break;
        }
    }
    Ok(summary)
}
