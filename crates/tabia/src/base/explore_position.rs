//! [`Base::tree`]: the games that reached a position, from indexes and by reading.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tabia_core::chess::{Ply, Position};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};
use tabia_index::{PositionIndex, Unusable};
use tabia_query::Query;

use super::explore_scan::{Arrived, ExploreTask, Targets, Visit};
use super::game_set::GameSet;
use super::index_policy::Index;
use super::open_databases::{Base, BaseOptions, Part};
use super::row_sums::CountedRows;
use super::selected_games::SelectedGames;
use super::selection_cache::Selected;
use super::tree::{Tree, TreeOptions};
use super::tree_counts::{Reached, Tally};
use crate::job_summary::{Base as Numbering, Summary};
use crate::list::list;
use crate::observer::{NoObserver, Observer};
use crate::scan::{ScanOptions, ScanReporter, scan, scan_open};
use crate::select::{RecordRanges, Selection};

/// How often what was counted so far is handed on, and how soon at first.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
const FIRST_UPDATE: Duration = Duration::from_millis(20);

impl Base {
    /// The games that reached a position, by the moves that they went on with.
    ///
    /// # Errors
    /// When a database cannot be read.
    pub fn tree(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
    ) -> Result<Tree> {
        self.tree_with(
            position,
            selected,
            options,
            &Arc::default(),
            &mut NoObserver,
        )
    }

    /// As [`tree`](Self::tree), with progress and cancellation; the observer gets the problems of the
    /// databases that are read.
    ///
    /// # Errors
    /// As [`tree`](Self::tree), and when `progress` is cancelled.
    pub fn tree_with(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tree> {
        self.tree_updates(position, selected, options, progress, observer, &mut |_| {})
    }

    /// As [`tree_with`](Self::tree_with). While databases are read, `update` gets what was counted so far, about
    /// ten times a second.
    ///
    /// # Errors
    /// As [`tree_with`](Self::tree_with).
    pub fn tree_updates(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
        update: &mut dyn FnMut(Tree),
    ) -> Result<Tree> {
        let targets = Arc::new(Targets::new(position));
        let mut tally = Tally::new(
            options.side_in(position),
            options.games,
            options.ended_games,
        );
        let mut is_complete = true;
        for (number, part) in self.parts.iter().enumerate() {
            let before = tally.clone();
            let mut update = |partial: &Tally| {
                let mut sum = before.clone();
                sum.merge(partial);
                update(Tree::new(position, &sum, options, false));
            };
            let mut explorer = Explorer {
                number,
                part,
                options: &self.options,
                tree: options,
                targets: &targets,
                position,
                is_only: self.parts.len() == 1,
                query: selected.query(),
                selected: selected.games.get(number).cloned().flatten(),
                is_complete: true,
                update: &mut update,
            };
            let found = match &part.index {
                Some(index) => explorer.ask(index, progress, observer)?,
                None => explorer.read(None, None, progress, observer)?,
            };
            tally.merge(&found);
            is_complete &= explorer.is_complete;
        }
        if options.names {
            self.read_names(&mut tally)?;
        }
        Ok(Tree::new(position, &tally, options, is_complete))
    }

    /// Reads the names of the games that an index found.
    fn read_names(&self, tally: &mut Tally) -> Result<()> {
        for (number, part) in self.parts.iter().enumerate() {
            let games = || tally.top.games.iter().chain(&tally.recent.games);
            let nameless = games().filter(|game| game.database == number && game.names.is_none());
            let numbers: Vec<String> = nameless.map(|game| game.row.game().to_string()).collect();
            if numbers.is_empty() {
                continue;
            }
            let mut options = self.list_options();
            options.index = Index::Never;
            options.selection.deleted = true;
            options.selection.numbers =
                Some(RecordRanges::parse(&numbers.join(",")).map_err(Error::invalid)?);
            let mut rows: Vec<(GameIndex, [String; 3])> = Vec::new();
            list(
                &part.item,
                &options,
                &|row, out| {
                    let names = [&row.white, &row.black, &row.event];
                    out.push((row.game, names.map(|name| name.clone().into_owned())));
                },
                &Arc::default(),
                &mut NoObserver,
                &mut |more| {
                    rows.append(more);
                    Ok(())
                },
            )?;
            let games = tally.top.games.iter_mut().chain(&mut tally.recent.games);
            for game in games.filter(|game| game.database == number) {
                let row = rows.iter().find(|(index, _)| *index == game.row.game());
                if let Some((_, names)) = row {
                    game.names = Some(Box::new(names.clone()));
                }
            }
        }
        Ok(())
    }
}

/// Counts the games of one database.
struct Explorer<'a> {
    number: usize,
    part: &'a Part,
    options: &'a BaseOptions,
    tree: &'a TreeOptions,
    targets: &'a Arc<Targets>,
    position: &'a Position,
    /// There is no other database.
    is_only: bool,
    query: &'a Query,
    selected: Option<Arc<Selected>>,
    is_complete: bool,
    /// Gets what was counted so far.
    update: &'a mut dyn FnMut(&Tally),
}

impl Explorer<'_> {
    /// Asks the index, and reads the games that it does not know; all of them if it is damaged.
    fn ask(
        &mut self,
        index: &PositionIndex,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tally> {
        let found = self.look_up(index).and_then(|tally| {
            let irregular = index.irregular()?;
            Ok((tally, irregular))
        });
        match found {
            Ok((tally, irregular)) if irregular.is_empty() => Ok(tally),
            Ok((mut tally, irregular)) => {
                let mut games = GameSet::default();
                for game in irregular {
                    games.insert(GameIndex(game));
                }
                let found = self.read(Some(Arc::new(games)), Some(&tally), progress, observer)?;
                tally.merge(&found);
                Ok(tally)
            }
            Err(error) => {
                observer.index_unused(&self.part.item, &format!("the index is {error}"))?;
                self.read(None, None, progress, observer)
            }
        }
    }

    fn look_up(&self, index: &PositionIndex) -> std::result::Result<Tally, Unusable> {
        let mut tally = Tally::new(
            self.tree.side_in(self.position),
            self.tree.games,
            self.tree.ended_games,
        );
        // Where every game counts their number is known without their rows.
        let count_all =
            self.selected.is_none() && (self.options.deleted || !index.has_deleted()?);
        let selected = self.selected.as_deref();
        let counted = CountedRows {
            index,
            database: self.number,
            games: selected.map(|selected| &selected.games),
            deleted: self.options.deleted,
            turn: self.tree.side_in(self.position),
            sums: selected.map_or(&self.part.sums, |selected| &selected.sums),
        };
        let mut continuations = Vec::new();
        for arrival in self.part.found.find(index, self.position)?.iter() {
            index.continuations(self.position, arrival, &mut continuations)?;
        }
        let ranks = continuations.iter();
        let ranks = ranks.map(|(_, arrival)| (arrival.segment, arrival.ranks()));
        counted.sum_in_parallel(ranks, self.options.threads)?;
        for (played, arrival) in &continuations {
            let totals = counted.totals(arrival.segment, arrival.ranks())?;
            if totals.games == 0 {
                continue;
            }
            if tally.keeps_games() {
                counted.keep_best(arrival.segment, arrival.ranks(), *played, &mut tally)?;
            }
            tally.add_totals(*played, &totals);
        }
        let children: Vec<Ply> = if self.is_only {
            tally.moves.keys().copied().flatten().collect()
        } else {
            let moves = self.position.legal_moves();
            let moves = moves.iter().map(|&m| Ply::Move(m));
            moves.chain([Ply::Null]).collect()
        };
        for ply in children {
            let mut games = 0;
            for arrival in self
                .part
                .found
                .find(index, &self.position.after(ply))?
                .iter()
            {
                if count_all {
                    games += u64::from(arrival.games());
                    continue;
                }
                games += counted.totals(arrival.segment, arrival.ranks())?.games;
            }
            if games > 0 {
                tally.children.insert(ply, games);
            }
        }
        index.check_file()?;
        Ok(tally)
    }

    /// Reads the games, or some of them; `known` is what was counted of the others.
    fn read(
        &mut self,
        candidates: Option<Arc<GameSet>>,
        known: Option<&Tally>,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tally> {
        let threads = self.options.threads.max(1);
        let plan = ScanOptions {
            threads,
            selection: Selection {
                deleted: self.options.deleted,
                texts: false,
                ..Selection::default()
            },
            filter: Some(self.query.clone()).filter(|query| !query.is_empty()),
            want: tabia_index::Collector::WANT,
            candidates,
            ..ScanOptions::default()
        }
        .for_item(&self.part.item, &self.options.open, progress)?;
        let mut tally = Tally::new(
            self.tree.side_in(self.position),
            self.tree.games,
            self.tree.ended_games,
        );
        let mut summary = Summary::default();
        let item = &self.part.item;
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer,
            progress,
        };
        let mut is_complete = true;
        let (number, deadline) = (self.number, self.tree.deadline);
        let mut next_update = Instant::now() + FIRST_UPDATE;
        let update = &mut *self.update;
        let tasks = (0..threads)
            .map(|_| ExploreTask::new(self.targets, self.tree.games > 0))
            .collect();
        let mut take = |base: Numbering, visits: &mut Vec<Visit>| {
            for visit in visits.drain(..) {
                if let Arrived::Then(played) = visit.arrived {
                    tally.add(&Reached {
                        database: number,
                        row: visit.row.with_game(base.game(visit.row.game())),
                        played,
                        names: visit.names,
                    });
                }
                for ply in visit.children {
                    *tally.children.entry(ply).or_default() += 1;
                }
            }
            let now = Instant::now();
            if now >= next_update && !tally.moves.is_empty() {
                next_update = now + UPDATE_INTERVAL;
                match known {
                    Some(known) => {
                        let mut sum = known.clone();
                        sum.merge(&tally);
                        update(&sum);
                    }
                    None => update(&tally),
                }
            }
            is_complete = deadline.is_none_or(|deadline| now < deadline);
            Ok(is_complete)
        };
        if let Some(database) = self.part.opened() {
            reporter
                .read_opened(|reporter| scan_open(reporter, &*database, &plan, tasks, &mut take))?;
        } else {
            progress.expect(self.part.item.bytes().unwrap_or_default());
            reporter.read_item(&self.options.open, progress, false, |reporter, input| {
                scan(reporter, input, &plan, tasks, &mut take)
            })?;
        }
        self.is_complete &= is_complete;
        Ok(tally)
    }
}
