//! Where games leave what was played before.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tabia_core::chess::{Ply, Position, san};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Date, Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};
use tabia_index::{PositionIndex, Row, Unusable};
use tabia_query::Query;

use super::open_databases::{Base, Part};
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::{NoObserver, Observer};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

/// The day of games with an unknown date, which is later than all others.
const LAST: u32 = u32::MAX;
/// Bits of the table that most positions of other games are not in.
const FILTER_BITS: u32 = 22;

/// Which games are looked at, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NoveltyOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read; 0 counts as 1.
    pub threads: usize,
    /// Which records.
    pub selection: Selection,
    /// Which games among them.
    pub filter: Query,
    /// The first problem ends the job.
    pub strict: bool,
}

/// Where a game leaves what was played before.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Novelty {
    /// Number of the input.
    pub input: usize,
    /// The record in it, counted from 0; its `Display` counts from 1, as people do.
    pub game: GameIndex,
    /// The players, White first; empty if unknown.
    pub players: [String; 2],
    /// The first position that no earlier game had; `None` if there is none.
    pub first: Option<NewPosition>,
    /// Earlier games that had the position before; the last position, if there is no new one.
    pub base_games: u64,
}

/// A position that no earlier game had.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NewPosition {
    /// Number of plies before it; 0 if the game starts with it.
    pub ply: u32,
    /// The move that leads to it, in SAN; empty if the game starts with it.
    pub san: String,
    /// The position.
    pub position: Position,
}

/// A game that is looked at.
struct Looked {
    input: usize,
    game: GameIndex,
    players: [String; 2],
    date: u32,
    start: Position,
    plies: Vec<Ply>,
    /// The keys of its positions.
    keys: Vec<u64>,
}

impl Base {
    /// The first position of each game of the items that no earlier game of the databases had, in the order
    /// of the games. A game of a database is earlier if its date certainly is: of a date with unknown parts the
    /// last possible day counts, of that of an item the first one. A game without a date is earlier than none,
    /// and to an item without a date all that have one are earlier. Databases without an index are read twice. Memory: the positions of the
    /// items.
    ///
    /// # Errors
    /// When an input cannot be read, or `progress` is cancelled; errors of `emit`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tabia::base::NoveltyOptions;
    /// use tabia::{Base, Index, NoObserver, Progress, Resolver};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let base = Base::open(&[path], Index::Auto)?;
    /// let items = Resolver::default().resolve_games(path.as_ref())?;
    /// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let progress = Arc::new(Progress::new());
    /// base.novelties(&items, &NoveltyOptions::default(), &progress, &mut NoObserver, &mut |novelty| {
    ///     if let Some(first) = &novelty.first {
    ///         println!("{}: ply {}, {}", novelty.game, first.ply, first.san);
    ///     }
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn novelties(
        &self,
        items: &[InputItem],
        options: &NoveltyOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
        emit: &mut dyn FnMut(&Novelty) -> Result<()>,
    ) -> Result<Summary> {
        let mut summary = Summary::default();
        let mut games = Vec::new();
        // The databases that are looked up, and those that are read.
        let (mut indexes, mut others) = (Vec::new(), Vec::new());
        for part in self.parts() {
            match &part.index {
                Some(index) if Self::is_regular(part, index, observer)? => indexes.push(&**index),
                _ => others.push(part),
            }
        }
        // Those that are read are read twice: for what is new, and for how often it was reached before.
        let sizes = items.iter().filter_map(InputItem::bytes);
        let of_base = others.iter().filter_map(|part| part.item.bytes());
        progress.set_total(sizes.sum::<u64>() + 2 * of_base.sum::<u64>());
        for (input, item) in items.iter().enumerate() {
            read_games(
                item,
                options,
                &mut summary,
                progress,
                &mut *observer,
                &mut |mut game| {
                    game.input = input;
                    games.push(game);
                },
            )?;
        }
        let mut dates = Dates::new(&games, progress)?;
        if !others.is_empty() {
            let shared = Arc::new(dates);
            for part in &others {
                let task = || SeenTask::new(Counter::Dates(Arc::clone(&shared)));
                self.read_base(part, &task, &mut summary, progress, &mut *observer)?;
            }
            dates = Arc::into_inner(shared).ok_or_else(Error::cancelled)?;
        }
        let mut first_new = Vec::new();
        for game in &games {
            progress.check()?;
            let is_known = |number: usize, position: &Position| -> Result<bool> {
                let key = game.keys.get(number).copied().unwrap_or_default();
                if dates.least(key).is_some_and(|least| least < game.date) {
                    return Ok(true);
                }
                for index in &indexes {
                    let (is_known, _) = self.look_up(index, position, game.date, false)?;
                    if is_known {
                        return Ok(true);
                    }
                }
                Ok(false)
            };
            let mut position = game.start.clone();
            let mut new = None;
            for number in 0..game.keys.len() {
                if !is_known(number, &position)? {
                    new = Some(number);
                    break;
                }
                if let Some(ply) = game.plies.get(number) {
                    position.play_ply(*ply);
                }
            }
            first_new.push(new);
        }
        let counts = self.count_before(&games, &first_new, &indexes, &others, progress)?;
        for ((game, new), base_games) in games.into_iter().zip(first_new).zip(counts) {
            emit(&Novelty {
                input: game.input,
                game: game.game,
                first: new.map(|ply| game.new_position(ply)),
                players: game.players,
                base_games,
            })?;
        }
        Ok(summary)
    }

    /// Whether an index knows what all of its games reached.
    fn is_regular(part: &Part, index: &PositionIndex, observer: &mut dyn Observer) -> Result<bool> {
        match index.irregular() {
            Ok(games) => Ok(games.is_empty()),
            Err(error) => {
                observer.index_unused(&part.item, &format!("the index is {error}"))?;
                Ok(false)
            }
        }
    }

    /// Whether games before a date reached a position, and how many, if that is asked for.
    fn look_up(
        &self,
        index: &PositionIndex,
        position: &Position,
        date: u32,
        counts: bool,
    ) -> Result<(bool, u64)> {
        let counted = || -> std::result::Result<(bool, u64), Unusable> {
            let mut games = 0;
            let is_earlier = |row: &&Row| {
                (self.base_options().deleted || !row.is_deleted()) && last_day(row.date()) < date
            };
            for arrival in index.find(position)? {
                let mut rows = index.rows(arrival.segment, arrival.ranks())?.iter();
                if counts {
                    games += rows.filter(is_earlier).count() as u64;
                } else if rows.any(|row| is_earlier(&row)) {
                    index.check_file()?;
                    return Ok((true, 0));
                }
            }
            index.check_file()?;
            Ok((games > 0, games))
        };
        counted().map_err(|error| {
            let text = format!("the index is {error}; `--index never` does without");
            Error::invalid(text)
        })
    }

    /// For each game the earlier games that had the position before the new one.
    fn count_before(
        &self,
        games: &[Looked],
        first_new: &[Option<usize>],
        indexes: &[&PositionIndex],
        others: &[&Part],
        progress: &Arc<Progress>,
    ) -> Result<Vec<u64>> {
        let before = |game: &Looked, new: Option<usize>| match new {
            None => game.keys.len().checked_sub(1),
            Some(new) => new.checked_sub(1),
        };
        let mut wanted = Vec::new();
        for (game, new) in games.iter().zip(first_new) {
            let key = before(game, *new).and_then(|ply| game.keys.get(ply));
            wanted.extend(key.map(|key| (*key, game.date)));
        }
        let mut earlier = Earlier::new(wanted, progress)?;
        if !others.is_empty() {
            let shared = Arc::new(earlier);
            for part in others {
                let task = || SeenTask::new(Counter::Earlier(Arc::clone(&shared)));
                // Its problems are reported already.
                let mut again = Summary::default();
                progress.without_games(|| {
                    self.read_base(part, &task, &mut again, progress, &mut NoObserver)
                })?;
            }
            earlier = Arc::into_inner(shared).ok_or_else(Error::cancelled)?;
        }
        let mut counts = Vec::new();
        for (game, new) in games.iter().zip(first_new) {
            progress.check()?;
            let Some(ply) = before(game, *new) else {
                counts.push(0);
                continue;
            };
            let key = game.keys.get(ply).copied().unwrap_or_default();
            let mut count = earlier.count(key, game.date);
            if !indexes.is_empty() {
                let position = game.position(ply);
                for index in indexes {
                    count += self.look_up(index, &position, game.date, true)?.1;
                }
            }
            counts.push(count);
        }
        Ok(counts)
    }

    fn read_base(
        &self,
        part: &Part,
        task: &dyn Fn() -> SeenTask,
        summary: &mut Summary,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let options = self.base_options();
        let threads = options.threads.max(1);
        let plan = ScanOptions {
            threads,
            selection: Selection {
                deleted: options.deleted,
                ..Selection::games()
            },
            want: Want::TAGS.and(Want::MAINLINE),
            ..ScanOptions::default()
        };
        let mut reporter = ScanReporter {
            item: &part.item,
            summary,
            observer,
            progress,
        };
        reporter.read_item(&options.open, progress, false, |reporter, input| {
            let tasks = (0..threads).map(|_| task()).collect();
            scan(reporter, input, &plan, tasks, &mut |_, ()| Ok(true))
        })
    }
}

impl Looked {
    /// The position after a number of plies.
    fn position(&self, plies: usize) -> Position {
        let mut position = self.start.clone();
        for ply in self.plies.iter().take(plies) {
            position.play_ply(*ply);
        }
        position
    }

    fn new_position(&self, ply: usize) -> NewPosition {
        let mut san = Vec::new();
        let mut position = self.position(ply.saturating_sub(1));
        if ply > 0
            && let Some(played) = self.plies.get(ply - 1)
        {
            san::write_and_play(&mut position, *played, &mut san);
        }
        NewPosition {
            ply: ply as u32,
            san: String::from_utf8_lossy(&san).into_owned(),
            position,
        }
    }
}

/// The first day that a date can be, as a number that grows with it; [`LAST`] if the year is unknown.
fn first_day(date: Date) -> u32 {
    if date.year == 0 {
        return LAST;
    }
    u32::from(date.year) << 9 | u32::from(date.month) << 5 | u32::from(date.day)
}

/// The last day that a date can be, as [`first_day`] counts; [`LAST`] if the year is unknown.
fn last_day(date: Date) -> u32 {
    let first = first_day(date);
    match date {
        Date { month: 0, .. } => first | 0x1ff,
        Date { day: 0, .. } => first | 0x1f,
        _ => first,
    }
}

/// Keys that are taken in between two checks whether the job was cancelled.
const KEYS_UNTIL_CHECK: usize = 1 << 12;

/// Keys of some positions: a table that excludes most others, and their numbers.
struct Keys {
    filter: Vec<u64>,
    numbers: HashMap<u64, u32>,
}

impl Keys {
    fn new(keys: impl Iterator<Item = u64>, progress: &Progress) -> Result<Self> {
        let mut filter = vec![0; 1 << (FILTER_BITS - 6)];
        let mut numbers = HashMap::new();
        for (number, key) in keys.enumerate() {
            if number % KEYS_UNTIL_CHECK == 0 {
                progress.check()?;
            }
            let (word, bit) = Self::at(key);
            if let Some(word) = filter.get_mut(word) {
                *word |= bit;
            }
            let next = numbers.len() as u32;
            numbers.entry(key).or_insert(next);
        }
        Ok(Self { filter, numbers })
    }

    fn at(key: u64) -> (usize, u64) {
        let bits = key >> (64 - FILTER_BITS);
        ((bits >> 6) as usize, 1 << (bits & 63))
    }

    fn number(&self, key: u64) -> Option<usize> {
        let (word, bit) = Self::at(key);
        if self.filter.get(word).is_none_or(|word| word & bit == 0) {
            return None;
        }
        self.numbers.get(&key).map(|number| *number as usize)
    }
}

/// For each position the date of the earliest game that had it.
struct Dates {
    keys: Keys,
    least: Vec<AtomicU32>,
}

impl Dates {
    fn new(games: &[Looked], progress: &Progress) -> Result<Self> {
        let keys = games.iter().flat_map(|game| game.keys.iter().copied());
        let keys = Keys::new(keys, progress)?;
        let least = (0..keys.numbers.len()).map(|_| AtomicU32::new(LAST));
        Ok(Self {
            least: least.collect(),
            keys,
        })
    }

    fn least(&self, key: u64) -> Option<u32> {
        let least = self.least.get(self.keys.number(key)?)?;
        Some(least.load(Ordering::Relaxed)).filter(|least| *least < LAST)
    }
}

/// For some positions and dates the number of games that had the position before the date.
struct Earlier {
    keys: Keys,
    /// For each position its dates, ascending, and the games between the date before and it.
    counts: Vec<Vec<(u32, AtomicU64)>>,
}

impl Earlier {
    fn new(mut wanted: Vec<(u64, u32)>, progress: &Progress) -> Result<Self> {
        wanted.sort_unstable();
        wanted.dedup();
        let keys = Keys::new(wanted.iter().map(|(key, _)| *key), progress)?;
        let mut counts: Vec<Vec<(u32, AtomicU64)>> = Vec::new();
        for (key, date) in wanted {
            let number = keys.number(key).unwrap_or_default();
            counts.resize_with(counts.len().max(number + 1), Vec::new);
            if let Some(dates) = counts.get_mut(number) {
                dates.push((date, AtomicU64::new(0)));
            }
        }
        Ok(Self { keys, counts })
    }

    fn count(&self, key: u64, date: u32) -> u64 {
        let dates = self
            .keys
            .number(key)
            .and_then(|number| self.counts.get(number));
        let dates = dates.into_iter().flatten();
        dates
            .take_while(|(other, _)| *other <= date)
            .map(|(_, games)| games.load(Ordering::Relaxed))
            .sum()
    }
}

/// What is noted of the positions of a base.
enum Counter {
    Dates(Arc<Dates>),
    Earlier(Arc<Earlier>),
}

/// Looks at the positions of the games of a base, on one thread.
struct SeenTask {
    counter: Counter,
    mainline: Mainline,
    date: u32,
    /// The positions of the game that count already.
    seen: Vec<u64>,
}

impl SeenTask {
    fn new(counter: Counter) -> Self {
        Self {
            counter,
            mainline: Mainline::default(),
            date: 0,
            seen: Vec::new(),
        }
    }

    fn look(&mut self, key: u64) {
        match &self.counter {
            Counter::Dates(dates) => {
                let number = dates.keys.number(key);
                if let Some(least) = number.and_then(|number| dates.least.get(number)) {
                    least.fetch_min(self.date, Ordering::Relaxed);
                }
            }
            Counter::Earlier(earlier) => {
                let number = earlier.keys.number(key);
                let Some(dates) = number.and_then(|number| earlier.counts.get(number)) else {
                    return;
                };
                if self.seen.contains(&key) {
                    return;
                }
                self.seen.push(key);
                let later = dates.partition_point(|(date, _)| *date <= self.date);
                if let Some((_, games)) = dates.get(later) {
                    games.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// The last position of a mainline that is followed.
#[derive(Default)]
struct Mainline {
    depth: u32,
    last: Option<(Position, Option<Ply>)>,
}

impl Mainline {
    fn begin(&mut self, head: &GameHead) {
        self.depth = 0;
        self.last = head.first_position().map(|position| (position, None));
    }

    /// Whether the move is of the mainline.
    fn visit_move(&mut self, before: &Position, ply: Ply) -> bool {
        if self.depth > 0 {
            return false;
        }
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = Some(ply);
            }
            last => *last = Some((before.clone(), Some(ply))),
        }
        true
    }

    fn end(&mut self) -> Option<Position> {
        let (mut position, ply) = self.last.take()?;
        if let Some(ply) = ply {
            position.play_ply(ply);
        }
        Some(position)
    }
}

impl Visitor for SeenTask {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        self.mainline.begin(head);
        self.date = last_day(head.tags.date().unwrap_or_default());
        self.seen.clear();
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.mainline.visit_move(before, ply) {
            self.look(before.key());
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {
        if let Some(position) = self.mainline.end() {
            self.look(position.key());
        }
    }
}

impl Task for SeenTask {
    type Out = ();

    fn swap(&mut self, _out: &mut ()) {}
}

/// Collects the games that are looked at.
#[derive(Default)]
struct LookedTask {
    mainline: Mainline,
    current: Option<Looked>,
    games: Vec<Looked>,
}

impl Visitor for LookedTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.current = None;
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        self.mainline.begin(head);
        let date = head.tags.date().unwrap_or_default();
        let player = |name| head.tags.get(name).unwrap_or_default().to_owned();
        self.current = head.first_position().map(|start| Looked {
            input: 0,
            game,
            players: ["White", "Black"].map(player),
            date: first_day(date),
            start,
            plies: Vec::new(),
            keys: Vec::new(),
        });
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.mainline.visit_move(before, ply)
            && let Some(current) = &mut self.current
        {
            current.keys.push(before.key());
            current.plies.push(ply);
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {
        if let (Some(mut current), Some(position)) = (self.current.take(), self.mainline.end()) {
            current.keys.push(position.key());
            self.games.push(current);
        }
    }
}

impl Task for LookedTask {
    type Out = Vec<Looked>;

    fn swap(&mut self, out: &mut Vec<Looked>) {
        out.clear();
        std::mem::swap(&mut self.games, out);
    }
}

fn read_games(
    item: &InputItem,
    options: &NoveltyOptions,
    summary: &mut Summary,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    take: &mut dyn FnMut(Looked),
) -> Result<()> {
    let threads = options.threads.max(1);
    let plan = ScanOptions {
        threads,
        selection: options.selection.clone(),
        filter: Some(options.filter.clone()).filter(|query| !query.is_empty()),
        strict: options.strict,
        want: Want::TAGS.and(Want::MAINLINE),
        ..ScanOptions::default()
    }
    .for_item(item, &options.open, progress)?;
    let mut reporter = ScanReporter {
        item,
        summary,
        observer,
        progress,
    };
    reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
        let tasks = (0..threads).map(|_| LookedTask::default()).collect();
        scan(reporter, input, &plan, tasks, &mut |base,
                                                  games: &mut Vec<
            Looked,
        >| {
            for mut game in games.drain(..) {
                game.game = base.game(game.game);
                take(game);
            }
            Ok(true)
        })
    })
}
