//! [`Base::search`]: the games that fit a query, found on a thread of its own.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use std::{thread, vec};

use tabia_core::formats::OpenOptions;
use tabia_core::game::Game;
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Problem, Result};
use tabia_query::{FoundMoment, Query};

use super::load_game::load_game;
use super::open_databases::{Base, Part};
use crate::game_iterators::{SharedProblems, take_problems};
use crate::list::{ListOptions, ListRow, list};

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
    source: Arc<HitSource>,
}

/// Where hits come from.
#[derive(Debug)]
struct HitSource {
    parts: Arc<Vec<Part>>,
    open: OpenOptions,
}

impl Hit {
    /// The game with its variations and annotations, and what of it could not be read.
    ///
    /// It is read from its database now. Of a text, the games before it are read each time:
    /// [`load_each`](crate::read_one::load_each) reads many games at once.
    ///
    /// # Errors
    /// When the database cannot be read, or has no such game any more.
    ///
    /// ```
    /// use tabia::{Base, Index, Query};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
    /// let base = Base::open(&[path], Index::Auto)?;
    /// for hit in base.search(&Query::parse("player:morphy")?, &Default::default()) {
    ///     let (game, problems) = hit?.load()?;
    ///     for (position, ply) in game.mainline().with_positions().take(3) {
    ///         println!("{}", position.san(ply));
    ///     }
    ///     # assert!(problems.is_empty());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn load(&self) -> Result<(Game, Vec<Problem>)> {
        let HitSource { parts, open } = &*self.source;
        let found = load_game(parts, self.database, self.game, open)?;
        found.ok_or_else(|| {
            let error = Error::invalid("the game is no longer there").in_game(self.game);
            match parts.get(self.database) {
                Some(part) => error.in_file(part.item.label()),
                None => error,
            }
        })
    }
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
    /// The games that fit a query, in the order of the databases; `sort:` in the query is left to the caller
    /// ([`Query::sort`]). They are searched on a thread of its own while the iterator
    /// is used.
    pub fn search(&self, query: &Query, options: &SearchOptions) -> Hits {
        let (sender, receiver) = sync_channel(WAITING);
        let job = SearchJob {
            list: ListOptions {
                filter: query.clone(),
                moments: true,
                limit: options.limit,
                is_hasty: options.deadline.is_some(),
                ..self.list_options()
            },
            source: Arc::new(HitSource {
                parts: Arc::clone(&self.parts),
                open: self.options.open.clone(),
            }),
            options: options.clone(),
        };
        thread::spawn(move || job.run(&sender));
        Hits {
            receiver,
            batch: Vec::new().into_iter(),
            problems: Vec::new(),
            is_complete: true,
        }
    }
}

/// What the searching thread sends.
enum Message {
    Hits(Vec<Hit>, Vec<Problem>),
    Failed(Error),
    /// The deadline has passed.
    Incomplete,
}

struct SearchJob {
    source: Arc<HitSource>,
    list: ListOptions,
    options: SearchOptions,
}

impl SearchJob {
    fn run(mut self, sender: &SyncSender<Message>) {
        let sizes = self.source.parts.iter().map(|part| part.item.bytes());
        self.options.progress.expect(sizes.flatten().sum());
        for number in 0..self.source.parts.len() {
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
        let Some(part) = self.source.parts.get(number) else {
            return Ok(0);
        };
        let mut is_over = false;
        let problems = Mutex::new(Vec::new());
        let listed = list(
            &part.item,
            &self.list,
            &|row, out: &mut Vec<ListRow<'static>>| out.push(row.clone().into_owned()),
            &self.options.progress,
            &mut SharedProblems::new(&problems),
            &mut |rows| {
                let hits = rows.drain(..).map(|mut header| Hit {
                    database: number,
                    game: header.game,
                    moments: std::mem::take(&mut header.moments),
                    header,
                    source: Arc::clone(&self.source),
                });
                let hits: Vec<Hit> = hits.collect();
                let problems = take_problems(&problems);
                let is_empty = hits.is_empty() && problems.is_empty();
                is_over = !is_empty && sender.send(Message::Hits(hits, problems)).is_err();
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
        let problems = take_problems(&problems);
        if !problems.is_empty() {
            is_over |= sender.send(Message::Hits(Vec::new(), problems)).is_err();
        }
        match listed {
            _ if is_over => Err(None),
            Ok((_, found)) => Ok(found),
            Err(error) => Err(Some(error)),
        }
    }
}

/// The games that fit a query, made by [`Base::search`].
#[derive(Debug)]
pub struct Hits {
    receiver: Receiver<Message>,
    batch: vec::IntoIter<Hit>,
    problems: Vec<Problem>,
    is_complete: bool,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Hits(..) => "Hits",
            Self::Failed(_) => "Failed",
            Self::Incomplete => "Incomplete",
        })
    }
}

impl Hits {
    /// Whether all games were searched, up to the limit of hits: the search did not end at its deadline, was not
    /// cancelled, and could read every database. Known at the end of the iterator.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// What could not be read of the games that were searched, each with its file, game and ply; those since the
    /// last call. Such a game may be missing among the hits, or be one because of the part that could be read.
    /// Games on which an index or their tags decide are not read.
    ///
    /// ```
    /// use tabia::{Base, Index, Query};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = std::env::temp_dir().join(format!("tabia-doc-hits-{}.pgn", std::process::id()));
    /// # std::fs::write(&path, "1. e4 e5 2. Ke3 Nf6 1-0\n").map_err(tabia::Error::from)?;
    /// let base = Base::open(&[&path], Index::Auto)?;
    /// let mut hits = base.search(&Query::parse("takes:Q")?, &Default::default());
    /// assert_eq!(hits.by_ref().count(), 0);
    /// for problem in hits.problems() {
    ///     eprintln!("{}", problem.error);
    ///     # assert!(problem.error.to_string().contains("illegal"));
    /// }
    /// # assert!(hits.problems().is_empty());
    /// # let _ = std::fs::remove_file(&path);
    /// # Ok(())
    /// # }
    /// ```
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
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
                Message::Hits(hits, problems) => {
                    self.batch = hits.into_iter();
                    self.problems.extend(problems);
                }
                Message::Failed(error) => {
                    self.is_complete = false;
                    return Some(Err(error));
                }
                Message::Incomplete => self.is_complete = false,
            }
        }
    }
}
