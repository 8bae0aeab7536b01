//! [`Base::search`]: the games that fit a query, found on a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;
use std::{thread, vec};

use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};
use tabia_query::{FoundMoment, Query};

use super::open_databases::{Base, Part};
use crate::list::{ListOptions, ListRow, list};
use crate::observer::NoObserver;

/// Batches of hits that wait for the consumer.
const WAITING: usize = 2;

/// A game that fits a query.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// Number of the database among those that were opened, from 0.
    pub database: usize,
    /// The record in it, counted from 0; its `Display` counts from 1, as people do.
    pub game: GameIndex,
    /// Players, ratings, result and so on.
    pub header: ListRow<'static>,
    /// The first moments at which it fits, one for each step of the query.
    pub moments: Vec<FoundMoment>,
}

/// How a search ends.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SearchOptions {
    /// Hits at most.
    pub limit: Option<u64>,
    /// When the search ends; [`Hits::is_complete`] is then `false`.
    pub deadline: Option<Instant>,
    /// Counts the work done, and cancels it.
    pub progress: Arc<Progress>,
}

impl Base {
    /// The games that fit a query, in order. They are searched on a thread of its own while the iterator
    /// is used.
    pub fn search(&self, query: &Query, options: &SearchOptions) -> Hits {
        let (sender, receiver) = sync_channel(WAITING);
        let job = SearchJob {
            parts: Arc::clone(&self.parts),
            list: ListOptions {
                filter: query.clone(),
                moments: true,
                limit: options.limit,
                is_hasty: options.deadline.is_some(),
                ..self.list_options()
            },
            options: options.clone(),
        };
        thread::spawn(move || job.run(&sender));
        Hits {
            receiver,
            batch: Vec::new().into_iter(),
            is_complete: true,
        }
    }
}

/// What the searching thread sends.
enum Message {
    Hits(Vec<Hit>),
    Failed(Error),
    /// The deadline has passed.
    Incomplete,
}

struct SearchJob {
    parts: Arc<Vec<Part>>,
    list: ListOptions,
    options: SearchOptions,
}

impl SearchJob {
    fn run(mut self, sender: &SyncSender<Message>) {
        for number in 0..self.parts.len() {
            match self.part(number, sender) {
                Ok(found) => {
                    self.list.limit = self.list.limit.map(|limit| limit.saturating_sub(found));
                }
                Err(Some(error)) => {
                    if sender.send(Message::Failed(error)).is_err() {
                        return;
                    }
                }
                Err(None) => return,
            }
        }
    }

    /// The number of hits of a database; `Err(None)` ends the search.
    fn part(&self, number: usize, sender: &SyncSender<Message>) -> Result<u64, Option<Error>> {
        let Some(part) = self.parts.get(number) else {
            return Ok(0);
        };
        let mut is_over = false;
        let listed = list(
            &part.item,
            &self.list,
            &|row, out: &mut Vec<ListRow<'static>>| out.push(row.clone().into_owned()),
            &self.options.progress,
            &mut NoObserver,
            &mut |rows| {
                let hits = rows.drain(..).map(|mut header| Hit {
                    database: number,
                    game: header.game,
                    moments: std::mem::take(&mut header.moments),
                    header,
                });
                let hits: Vec<Hit> = hits.collect();
                is_over = !hits.is_empty() && sender.send(Message::Hits(hits)).is_err();
                let deadline = self.options.deadline;
                if !is_over && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    is_over = true;
                    let _ = sender.send(Message::Incomplete);
                }
                if is_over {
                    Err(Error::cancelled())
                } else {
                    Ok(())
                }
            },
        );
        match listed {
            Ok((_, found)) => Ok(found),
            Err(_) if is_over => Err(None),
            Err(error) => Err(Some(error)),
        }
    }
}

/// The games that fit a query, made by [`Base::search`].
#[derive(Debug)]
pub struct Hits {
    receiver: Receiver<Message>,
    batch: vec::IntoIter<Hit>,
    is_complete: bool,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Hits(_) => "Hits",
            Self::Failed(_) => "Failed",
            Self::Incomplete => "Incomplete",
        })
    }
}

impl Hits {
    /// Whether the search did not end at its deadline; known at the end of the iterator.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Iterator for Hits {
    type Item = Result<Hit>;

    fn next(&mut self) -> Option<Result<Hit>> {
        loop {
            if let Some(hit) = self.batch.next() {
                return Some(Ok(hit));
            }
            match self.receiver.recv().ok()? {
                Message::Hits(hits) => self.batch = hits.into_iter(),
                Message::Failed(error) => return Some(Err(error)),
                Message::Incomplete => self.is_complete = false,
            }
        }
    }
}
