//! A table as a stream of record batches that a consumer asks for, as the C interface of Arrow wants it.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::task::Poll;
use std::thread::Builder;
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tabia::{Error, InputItem, NoObserver, Observer, Progress};

use crate::book_rows::each_batch_of_books;
use crate::schema::Table;
use crate::write::{TableOptions, each_batch};

/// Batches that wait for the consumer.
const WAITING: usize = 2;

/// A batch or why there is none.
type Message = Result<RecordBatch, Error>;

/// The batches of a table, in order. They are made on a thread of their own, which begins with the first
/// that is asked for and ends when the stream is dropped.
///
/// ```
/// use std::sync::Arc;
/// use tabia_columns::stream::TableStream;
/// use tabia_columns::write::TableOptions;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = tabia::Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let mut rows = 0;
/// for batch in TableStream::new(Arc::new(items), TableOptions::default()) {
///     rows += batch?.num_rows();
/// }
/// assert!(rows > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TableStream {
    schema: SchemaRef,
    state: State,
    progress: Arc<Progress>,
}

#[derive(Debug)]
enum State {
    Waiting(Arc<Vec<InputItem>>, Box<TableOptions>, SentObserver),
    Running(Receiver<Message>),
    Done,
}

/// What observes the reading, on its thread.
struct SentObserver(Box<dyn Observer + Send>);

impl fmt::Debug for SentObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SentObserver")
    }
}

impl TableStream {
    /// The table of the games of all items, or of the moves of items that are books.
    pub fn new(items: Arc<Vec<InputItem>>, options: TableOptions) -> Self {
        Self::with_observer(items, options, Box::new(NoObserver))
    }

    /// The table of the games of all items. The observer gets the problems of the inputs on the thread that reads; those
    /// of the games of a batch before the batch is taken.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use tabia::{Error, InputItem, Observer, Problem};
    /// use tabia_columns::stream::TableStream;
    /// use tabia_columns::write::TableOptions;
    ///
    /// struct Texts(Arc<Mutex<Vec<String>>>);
    ///
    /// impl Observer for Texts {
    ///     fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
    ///         if let Ok(mut texts) = self.0.lock() {
    ///             texts.push(problem.error.to_string());
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let items = tabia::Resolver::default().resolve_games(path.as_ref())?;
    /// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let texts = Arc::default();
    /// let observer = Box::new(Texts(Arc::clone(&texts)));
    /// for batch in TableStream::with_observer(Arc::new(items), TableOptions::default(), observer) {
    ///     batch?;
    /// }
    /// assert!(texts.lock().is_ok_and(|texts| texts.is_empty()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_observer(
        items: Arc<Vec<InputItem>>,
        options: TableOptions,
        observer: Box<dyn Observer + Send>,
    ) -> Self {
        Self {
            schema: options.schema(),
            state: State::Waiting(items, Box::new(options), SentObserver(observer)),
            progress: Arc::new(Progress::default()),
        }
    }

    /// The next batch; `None` at the end and after an error.
    ///
    /// # Errors
    /// The first input that cannot be read or changes while it is read.
    pub fn next_batch(&mut self) -> Option<Result<RecordBatch, Error>> {
        loop {
            if let Poll::Ready(batch) = self.poll_batch(Duration::MAX) {
                return batch;
            }
        }
    }

    /// As [`next_batch`](Self::next_batch); pending if there is none after this time. So whoever waits for a long answer
    /// can look meanwhile whether it is still wanted.
    pub fn poll_batch(&mut self, wait: Duration) -> Poll<Option<Result<RecordBatch, Error>>> {
        let receiver = match std::mem::replace(&mut self.state, State::Done) {
            State::Running(receiver) => receiver,
            State::Done => return Poll::Ready(None),
            State::Waiting(items, options, mut observer) => {
                let (sender, receiver) = sync_channel(WAITING);
                let progress = Arc::clone(&self.progress);
                let started = Builder::new()
                    .spawn(move || run(&items, &options, &progress, &mut *observer.0, &sender));
                if let Err(error) = started {
                    return Poll::Ready(Some(Err(error.into())));
                }
                receiver
            }
        };
        let message = match receiver.recv_timeout(wait) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                self.state = State::Running(receiver);
                return Poll::Pending;
            }
        };
        if matches!(message, Some(Ok(_))) {
            self.state = State::Running(receiver);
        }
        Poll::Ready(message)
    }

    /// What ends the reading when it is cancelled. The stream then ends with an error.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

fn run(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    sender: &SyncSender<Message>,
) {
    let mut is_closed = false;
    let take = &mut |batch| {
        // A piece of an input can make many batches.
        progress.check()?;
        is_closed = sender.send(Ok(batch)).is_err();
        Ok(!is_closed)
    };
    let done = match options.table {
        Table::BookRows => each_batch_of_books(items, options, progress, take),
        Table::Games | Table::Positions => each_batch(items, options, progress, observer, take),
    };
    if let Err(error) = done
        && !is_closed
    {
        // The consumer may have gone meanwhile.
        let _ = sender.send(Err(error));
    }
}

impl Drop for TableStream {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

impl Iterator for TableStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch()?;
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for TableStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
