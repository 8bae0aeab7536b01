//! Books from games.
//!
//! Every move of every game becomes an occurrence of 10 or 16 bytes (`occurrence`). Occurrences are
//! collected on several threads (`collect`), stored by the first byte of their key in memory and on
//! disk, then grouped by position (`grouping`), summed (`aggregate`) and weighted (`weighting`).
//! Formats that store boards get those of the positions that came often enough, which a rough count
//! decides while the games are read (`count_sketch`). The book depends neither on the number of
//! threads nor on the memory allowed.

mod aggregate;
mod book_rules;
mod build_by_position;
mod collect_occurrences;
mod count_sketch;
mod grouping;
mod hot_positions;
mod kvetka_with_game_links;
mod move_sums;
mod occurrence;
mod partitions;
mod polyglot;
mod read_games;
mod weighting;

pub use book_rules::{MoveFilter, Weighting};
pub use collect_occurrences::GameCounts;
pub use kvetka_with_game_links::KvetkaOptions;
pub use move_sums::{MoveSum, for_each_move_sum};

use std::io::Seek as _;
use std::path::PathBuf;
use std::sync::Arc;

use tabia_core::chess::Color;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::games::Written;
use tabia_core::io::{OutputSet, Progress};
use tabia_core::loss::{Feature, Losses};
use tabia_core::{BookFormat, Error};
use tabia_query::Query;

use crate::base::{Index, IndexOptions};
use crate::input::InputItem;
use crate::observer::Observer;
use crate::select::Selection;
use occurrence::{CompactOccurrence, Occurrence};

/// What kind of book to build.
///
/// ```
/// use tabia::book::build::BuildOptions;
///
/// let mut options = BuildOptions::default();
/// options.max_ply = 30;
/// options.move_filter.min_games = 5;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// Number of threads that read and aggregate.
    pub threads: usize,
    /// Which records of the inputs are read.
    pub selection: Selection,
    /// Which games count.
    pub filter: Query,
    /// Whether saved indexes are used to find them.
    pub index: Index,
    /// Where saved indexes are.
    pub index_options: IndexOptions,
    /// Number of plies that count of each line, at most.
    pub max_ply: u32,
    /// Which moves are in the book.
    pub move_filter: MoveFilter,
    /// How the weights of moves are computed.
    pub weighting: Weighting,
    /// Whether weights are scaled so that the heaviest move of each position has 65535.
    pub stretch: bool,
    /// Whether every weight is 1.
    pub uniform: bool,
    /// Whether moves of variations count too.
    pub variations: bool,
    /// Bytes of memory for occurrences and boards; the rest goes to temporary files.
    pub memory: u64,
    /// What only Kvetka books have.
    pub kvetka: KvetkaOptions,
    /// Whether the first problem ends the job.
    pub strict: bool,
}

impl Default for BuildOptions {
    /// Moves of the mainlines of all games to ply 1024, each played at least three times, weighted by
    /// points, on one thread with 512 MiB.
    fn default() -> Self {
        Self {
            open: OpenOptions::default(),
            create: CreateOptions::default(),
            threads: 1,
            selection: Selection::games(),
            filter: Query::default(),
            index: Index::default(),
            index_options: IndexOptions::default(),
            max_ply: 1024,
            move_filter: MoveFilter::default(),
            weighting: Weighting::default(),
            stretch: false,
            uniform: false,
            variations: false,
            memory: 512 << 20,
            kvetka: KvetkaOptions::default(),
            strict: false,
        }
    }
}

impl BuildOptions {
    /// Refuses options of books for a table with the sums of all moves.
    ///
    /// # Errors
    /// A usage error.
    pub fn require_sums_of_all_moves(&self) -> Result<(), Error> {
        let moves = &self.move_filter;
        let own = &self.kvetka;
        let of_books = [
            (moves.min_score > 0.0, "--min-score"),
            (moves.min_percent > 0.0, "--min-percent"),
            (moves.only == Some(Color::White), "--only-white"),
            (moves.only == Some(Color::Black), "--only-black"),
            (self.stretch, "--stretch"),
            (self.uniform, "--uniform"),
            (self.weighting == Weighting::Polyglot, "--compat"),
            (self.weighting != Weighting::Points, "--recency"),
            (own.least_elo != [0; 4], "--least-elo"),
            (own.names, "--names"),
            (own.game_links, "--game-links"),
        ];
        match of_books.iter().find(|(is_used, _)| *is_used) {
            None => Ok(()),
            Some((_, option)) => Err(Error::usage(format!(
                "`{option}` is for books; a table has the sums of all moves"
            ))),
        }
    }

    /// Refuses options that do not go together, and those that a format does not have.
    ///
    /// # Errors
    /// A usage error.
    ///
    /// ```
    /// use tabia::book::build::BuildOptions;
    ///
    /// let mut options = BuildOptions::default();
    /// options.uniform = true;
    /// options.stretch = true;
    /// let format = tabia::format("polyglot").and_then(|format| format.book());
    /// assert!(format.is_some_and(|format| options.check(format).is_err()));
    /// ```
    pub fn check(&self, format: &BookFormat) -> Result<(), Error> {
        let is_polyglot = self.weighting == Weighting::Polyglot;
        let has_half_life = matches!(self.weighting, Weighting::Recency { .. });
        let moves = &self.move_filter;
        if is_polyglot && !format.has_key_entries {
            return Err(Error::usage("`--compat polyglot` makes Polyglot books"));
        }
        if matches!(self.weighting, Weighting::Recency { half_life } if half_life.is_nan() || half_life <= 0.0)
        {
            let text = "`--recency` takes a number of years above 0";
            return Err(Error::usage(text));
        }
        let own = &self.kvetka;
        let of_links = [
            (own.game_links, "--game-links"),
            (own.names, "--names"),
            (own.least_elo != [0; 4], "--least-elo"),
        ];
        let used = of_links.iter().find(|(is_used, _)| *is_used);
        if let Some((_, option)) = used.filter(|_| !format.can.has(Feature::GameLinks)) {
            let text = format!("`{option}` is for Kvetka books (`.kob`)");
            return Err(Error::usage(text));
        }
        if own.game_links && moves.min_games > 1 {
            let text = "with `--game-links` every game counts: no `--min-games` above 1";
            return Err(Error::usage(text));
        }
        let of_weights = [
            (is_polyglot, "--compat"),
            (has_half_life, "--recency"),
            (self.stretch, "--stretch"),
            (self.uniform, "--uniform"),
        ];
        let of_moves = [
            (self.variations, "--variations"),
            (moves.min_score > 0.0, "--min-score"),
            (moves.min_percent > 0.0, "--min-percent"),
            (moves.only.is_some(), "--only-white` and `--only-black"),
        ];
        let first = |options: &[(bool, &'static str)]| {
            options
                .iter()
                .find_map(|(is_used, name)| is_used.then_some(*name))
        };
        let conflict = if own.game_links {
            let other = first(&of_weights).or_else(|| first(&of_moves));
            other.map(|other| ("--game-links", other))
        } else if self.uniform {
            first(&[(has_half_life, "--recency"), (self.stretch, "--stretch")])
                .map(|other| ("--uniform", other))
        } else if is_polyglot {
            let other = first(&[
                (self.stretch, "--stretch"),
                (moves.min_percent > 0.0, "--min-percent"),
            ]);
            other.map(|other| ("--compat", other))
        } else {
            None
        };
        match conflict {
            Some((one, other)) => Err(Error::usage(format!(
                "`{one}` and `{other}` do not go together"
            ))),
            None => Ok(()),
        }
    }
}

/// A book that was built.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Built {
    /// Counts of the games of all inputs.
    pub games: GameCounts,
    /// Counts of the games of each input.
    pub inputs: Vec<GameCounts>,
    /// Number of positions in the book.
    pub positions: u64,
    /// Number of moves in the book.
    pub moves: u64,
    /// What the format cannot hold.
    pub losses: Losses,
    /// Games that count but are not linked, because their offset in their file is not known or beyond its first
    /// 4 GiB. The other lost links are those of positions with more games than their record has space for.
    pub unlinked_games: u64,
    /// Number of problems of the inputs.
    pub problems: u64,
    /// Bytes written to temporary files.
    pub spilled: u64,
    /// The files of the book; empty before [`CompleteBuild::commit`].
    pub written: Written,
}

impl Built {
    /// Why the book has no moves; `None` if it has some.
    pub fn why_empty(&self, options: &BuildOptions) -> Option<String> {
        if self.moves > 0 {
            return None;
        }
        let games = self.games;
        if games.used == 0 && games.filtered > 0 {
            return Some("no game passes the filter".to_owned());
        }
        if games.used == 0 {
            return Some("no game was read".to_owned());
        }
        let moves = self.losses.count(Feature::BookMoves);
        let filter = &options.move_filter;
        Some(if moves > 0 && filter.only.is_some() {
            "the format has only what lines from the usual start reach, and moves of one side alone are no lines; a \
             Polyglot book (`.bin`) has them"
                .to_owned()
        } else if moves > 0 {
            let counted = if moves == 1 { "move" } else { "moves" };
            format!(
                "the format cannot hold {moves} {counted} of these games, as those of Chess960 or from setup positions; \
                 a Polyglot book (`.bin`) can"
            )
        } else if filter.min_games > 1 {
            let least = filter.min_games;
            format!("no move was played in {least} games or more; `--min-games 1` counts all")
        } else if filter.min_score > 0.0 {
            format!("no move scored {} percent or more", filter.min_score)
        } else {
            "the games have no moves that count".to_owned()
        })
    }
}

/// The book to be written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildTarget {
    /// A format of books that can be written.
    pub format: &'static BookFormat,
    /// Path of the main file.
    pub path: PathBuf,
}

impl BuildTarget {
    /// A book of `format` in the file `path`.
    pub fn new(format: &'static BookFormat, path: impl Into<PathBuf>) -> Self {
        Self {
            format,
            path: path.into(),
        }
    }
}

/// A book that was built, but whose files do not have their names yet. Without
/// [`commit`](CompleteBuild::commit) nothing of it remains.
#[derive(Debug)]
#[must_use = "without `commit` the book is removed"]
pub struct CompleteBuild {
    /// What the book contains.
    pub built: Built,
    /// The files, main file first. Further files created here appear together with the book.
    pub files: OutputSet,
    /// Number of files of the book itself.
    book_files: usize,
}

impl CompleteBuild {
    fn new(built: Built, mut files: OutputSet) -> Self {
        let mut book_files = 0;
        while files.file(book_files).is_some() {
            book_files += 1;
        }
        Self {
            built,
            files,
            book_files,
        }
    }

    /// Gives the files their names, all or none.
    ///
    /// # Errors
    /// If a file cannot get its name. All replaced files then have their names again.
    pub fn commit(mut self) -> Result<Built, Error> {
        let mut built = self.built;
        let mut other_bytes = 0;
        let mut number = self.book_files;
        while let Some(other) = self.files.file(number) {
            let length = other.stream_position().map_err(Error::from);
            other_bytes += length.map_err(|error| error.in_path(other.target()).in_output())?;
            number += 1;
        }
        let (mut files, bytes) = self.files.commit().map_err(Error::in_output)?;
        files.truncate(self.book_files);
        (built.written.files, built.written.bytes) = (files, bytes.saturating_sub(other_bytes));
        Ok(built)
    }
}

/// Builds a book from the games of all items. The book appears complete or not at all.
///
/// # Errors
/// Of the first input that cannot be read, or of the target.
pub fn build(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    complete(items, target, options, progress, observer)?.commit()
}

/// Builds a book as [`build`] does, but leaves it to the caller to give the files their names.
///
/// # Errors
/// As with [`build`].
pub fn complete(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<CompleteBuild, Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    if options.kvetka.game_links {
        return kvetka_with_game_links::build(items, target, options, progress, observer);
    }
    if !target.format.has_key_entries {
        return build_by_position::build(items, target, options, progress, observer);
    }
    match options.weighting {
        Weighting::Recency { .. } => {
            polyglot::build::<Occurrence>(items, target, options, progress, observer)
        }
        Weighting::Points | Weighting::Polyglot => {
            polyglot::build::<CompactOccurrence>(items, target, options, progress, observer)
        }
    }
}
