//! [`Summary`]: what a job has counted, its losses and problems.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::game::Language;
use tabia_core::loss::{Feature, Losses};
use tabia_core::plural::counted;
use tabia_core::{Error, ErrorKind, GameIndex, Problem};

use crate::input::InputItem;
use crate::select::SelectionCounts;

/// What a job has counted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Records by what became of them.
    pub counts: SelectionCounts,
    /// Problems, those of whole inputs too.
    pub problems: u64,
    /// What was lost.
    pub losses: LossTable,
    /// Media files that were copied.
    pub media_copied: u64,
    /// The folders with media files that were not copied.
    pub lost_media: Vec<LostMedia>,
    /// Comments left out by the choice of languages, by their language.
    pub comments_left_out: BTreeMap<Language, u64>,
    /// Comments that a choice of languages kept, by language; those without a language are not counted.
    pub comments_chosen: BTreeMap<Language, u64>,
    /// Texts that are not all UTF-8, and the character set in which what is not was read, as none was asked for.
    pub assumed_charsets: Vec<(String, &'static str)>,
    /// Problems of records that have a common cause, by the file that lacks something.
    causes: BTreeMap<Arc<Path>, Cause>,
    /// Whether the database that is read was reported to have blank index entries.
    pub(crate) knows_blank_entries: bool,
    /// Whether a visitor of the games wants no more of them.
    pub(crate) is_stopped: bool,
}

/// Media files of an input that a job does not copy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostMedia {
    /// The input by label.
    pub input: String,
    /// The folder as messages name it.
    pub folder: PathBuf,
    /// The folder where the games and texts of the new database look for the files; `None` if there is none, or
    /// no single database.
    pub target: Option<PathBuf>,
    /// How many files.
    pub files: u64,
}

/// What several records lack because one file is missing or cut off.
#[derive(Debug, Clone)]
struct Cause {
    first: Problem,
    /// The last record so far.
    last: GameIndex,
    /// How many records after the first.
    others: u64,
    is_reported: bool,
}

impl Summary {
    /// Adds a problem of a record to those of the same cause. Returns whether it is the first of them; `None`
    /// if its cause concerns no other record.
    pub(crate) fn add_to_cause(&mut self, problem: &Problem) -> Option<bool> {
        let at = problem.error.location();
        let (ErrorKind::MissingFile(_) | ErrorKind::NotInFile(_), Some(file), Some(game)) =
            (problem.error.kind(), &at.file, at.game)
        else {
            return None;
        };
        if let Some(cause) = self.causes.get_mut(file) {
            // A deep check reads records again.
            if game > cause.last {
                cause.others += 1;
                cause.last = game;
            }
            return Some(false);
        }
        let cause = Cause {
            first: problem.clone(),
            last: game,
            others: 0,
            is_reported: false,
        };
        self.causes.insert(Arc::clone(file), cause);
        self.problems += 1;
        Some(true)
    }

    /// Notes that the cause of a problem was reported.
    pub(crate) fn cause_reported(&mut self, problem: &Problem) {
        let file = problem.error.location().file.as_ref();
        if let Some(cause) = file.and_then(|file| self.causes.get_mut(file)) {
            cause.is_reported = true;
        }
    }

    /// Takes the causes that were not reported: the first problem of each, with the number of records.
    pub(crate) fn take_causes(&mut self) -> impl Iterator<Item = Problem> + use<> {
        let causes = std::mem::take(&mut self.causes).into_values();
        let causes = causes.filter(|cause| !cause.is_reported);
        causes.map(|cause| {
            if cause.others == 0 {
                return cause.first;
            }
            let others = counted(cause.others, "more record lacks", "more records lack");
            let error = cause.first.error;
            let at = error.location().clone();
            let text = format!("{}; {others} something there", error.kind());
            let mut error = Error::not_in_file(text);
            if let Some(file) = &at.file {
                error = error.in_file(file);
            }
            if let Some(game) = at.game {
                error = error.in_game(game);
            }
            error.into()
        })
    }
}

/// What was lost, by kind, with the input and the game of the first of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LossTable(BTreeMap<Feature, LossEntry>);

/// One kind of loss.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossEntry {
    /// How many items.
    pub count: u64,
    /// How many games lost some.
    pub games: u64,
    /// The input that lost one first, by label.
    pub input: String,
    /// The first game of that input that lost one; `None` when the database as a whole did.
    pub first: Option<GameIndex>,
    /// Names of some that were lost, as those of tags: see [`Losses::names`].
    pub names: Vec<String>,
}

impl LossEntry {
    fn add_names<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if let Err(at) = self
                .names
                .binary_search_by(|known| known.as_str().cmp(name))
            {
                self.names.insert(at, name.to_owned());
                self.names.truncate(Losses::MAX_NAMES);
            }
        }
    }
}

impl LossTable {
    /// Counts the losses of one game.
    pub fn add(&mut self, input: &str, game: GameIndex, losses: &Losses) {
        self.count_in(input, Some(game), losses);
    }

    /// Counts the losses of a database as a whole.
    pub fn add_whole(&mut self, input: &str, losses: &Losses) {
        self.count_in(input, None, losses);
    }

    /// Adds the losses of another job.
    ///
    /// ```
    /// use tabia::{GameIndex, LossTable, Losses, Feature};
    ///
    /// let mut losses = Losses::default();
    /// losses.add(Feature::Medals, 2, None);
    /// let mut of_one = LossTable::default();
    /// of_one.add("a.cbh", GameIndex(0), &losses);
    /// let mut all = of_one.clone();
    /// all.add_table(&of_one);
    /// assert_eq!(all.count(Feature::Medals), 4);
    /// ```
    pub fn add_table(&mut self, other: &LossTable) {
        for (feature, row) in &other.0 {
            match self.0.get_mut(feature) {
                Some(sum) => {
                    sum.count += row.count;
                    sum.games += row.games;
                    sum.add_names(row.names.iter().map(String::as_str));
                }
                None => {
                    self.0.insert(*feature, row.clone());
                }
            }
        }
    }

    /// No longer lists a feature: one that was left out on purpose.
    pub fn forget(&mut self, feature: Feature) {
        self.0.remove(&feature);
    }

    fn count_in(&mut self, input: &str, game: Option<GameIndex>, losses: &Losses) {
        for (feature, loss) in losses.iter() {
            let row = self.0.entry(feature).or_insert_with(|| LossEntry {
                count: 0,
                games: 0,
                input: input.to_owned(),
                first: game,
                names: Vec::new(),
            });
            row.count += loss.count;
            row.games += u64::from(game.is_some());
            row.add_names(losses.names(feature));
        }
    }

    /// The rows in display order.
    pub fn iter(&self) -> impl Iterator<Item = (Feature, &LossEntry)> {
        self.0.iter().map(|(feature, row)| (*feature, row))
    }

    /// How many items of one kind were lost.
    pub fn count(&self, feature: Feature) -> u64 {
        self.0.get(&feature).map_or(0, |row| row.count)
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a LossTable {
    type Item = (Feature, &'a LossEntry);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

/// Counts, problems and losses of one piece of work, with positions relative to that piece.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) counts: SelectionCounts,
    pub(crate) problems: Vec<Problem>,
    pub(crate) losses: Vec<(GameIndex, Losses)>,
    pub(crate) comments_left_out: BTreeMap<Language, u64>,
    pub(crate) comments_chosen: BTreeMap<Language, u64>,
}

/// Where a piece of work begins in its input.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Base {
    pub(crate) games: u32,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

impl Base {
    pub(crate) fn game(self, game: GameIndex) -> GameIndex {
        GameIndex(game.0.saturating_add(self.games))
    }

    /// The error as seen from the start of the input, with the input's name.
    pub(crate) fn locate(self, error: Error, item: &InputItem) -> Error {
        error
            .shift(self.games, self.bytes, self.lines)
            .in_file(item.label())
    }
}
