//! Decodes everything and counts what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::games::{Database, IndexEntry, NameId, NameKind};
use tabia_core::io::{Progress, ProgressPhase};
use tabia_core::loss::Feature;
use tabia_core::plural::counted;
use tabia_core::{Error, GameIndex, Problem};
use tabia_formats::archives::{Presence, in_member, read_member};

use crate::compare_with_repair::{located, report_as_repair};
use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::media_references::KnownMedia;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan, scan_database};
use crate::select::Selection;

/// How to check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read.
    pub threads: usize,
    /// The first problem ends the check.
    pub strict: bool,
    /// Also compares the files of a set with each other, and the media files that games and texts name with those
    /// that exist.
    pub deep: bool,
    /// The records that are read: all of them, deleted ones too.
    pub selection: Selection,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            open: OpenOptions::default(),
            threads: 0,
            strict: false,
            deep: false,
            selection: Selection::all(),
        }
    }
}

/// What a check has seen.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Checked {
    /// Records and problems.
    pub summary: Summary,
    /// Records marked as deleted among them.
    pub deleted: u64,
    /// Plies of all lines.
    pub plies: u64,
    /// Variations.
    pub variations: u64,
    /// Annotations by kind.
    pub annotations: BTreeMap<Feature, u64>,
    /// Positions of a book.
    pub positions: u64,
    /// Move entries of a book.
    pub entries: u64,
    /// References of records to media files that do not exist, which are problems too; counted by a deep check.
    pub missing_media: u64,
}

/// Reads all of an item: games, texts, deleted records, positions of a book, members of an archive
/// (with their checksums, but not what is in them).
///
/// # Errors
/// When it cannot be opened or read on; `strict`: the first problem.
pub fn check(
    item: &InputItem,
    options: &CheckOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Checked, Error> {
    let mut summary = Summary::default();
    let mut sums = Sums::default();
    if item.format().book().is_none() {
        progress.expect(item.bytes().unwrap_or_default());
    }
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    reporter.read_item(
        &options.open,
        progress,
        options.strict,
        |reporter, input| read_all(reporter, input, options, &mut sums),
    )?;
    let counts = reporter.summary.counts;
    reporter
        .observer
        .finished(item, &counts)
        .map_err(Error::in_output)?;
    Ok(Checked {
        summary,
        deleted: sums.deleted,
        plies: sums.plies,
        variations: sums.variations,
        annotations: Feature::ALL
            .iter()
            .map(|feature| (*feature, sums.of(*feature)))
            .filter(|(_, count)| *count > 0)
            .collect(),
        positions: sums.positions,
        entries: sums.entries,
        missing_media: sums.missing_media,
    })
}

/// Reads all of an opened item and adds up what there is.
fn read_all(
    reporter: &mut ScanReporter<'_>,
    input: OpenInput,
    options: &CheckOptions,
    sums: &mut Sums,
) -> Result<(), Error> {
    let (item, progress) = (reporter.item, reporter.progress);
    let plan = ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        strict: options.strict,
        ..ScanOptions::default()
    };
    let threads = 0..options.threads.max(1);
    let add = |sums: &mut Sums, out: &Sums| sums.add(out);
    match input {
        OpenInput::Database(database) => {
            let database = &*database;
            reporter.report_database_problems(database, options.strict)?;
            let media = options.deep.then(|| KnownMedia::new(item)).flatten();
            let tasks = threads
                .map(|_| CheckTask::new(Some(database), media.as_ref()))
                .collect();
            scan_database(reporter, database, &plan, tasks, &mut |_, out| {
                add(sums, out);
                Ok(true)
            })?;
            if let Some(text) = sums.foreign_moves() {
                let error = Error::invalid(text).in_file(item.label());
                reporter.problem(error.into(), options.strict)?;
            }
            if !options.deep
                && let Some(error) = database.foreign_names()
            {
                reporter.problem(error.into(), options.strict)?;
            }
            if options.deep && !progress.is_cancelled() {
                let bytes = item.bytes().unwrap_or_default();
                progress.during_phase(ProgressPhase::Comparing, bytes, || {
                    deep(reporter, database, options.strict)?;
                    // What is damaged for a repair, which knows more ways to be damaged, is not healthy.
                    if reporter.summary.problems == 0 {
                        report_as_repair(reporter, &options.open, options.threads, options.strict)?;
                    }
                    Ok::<_, Error>(())
                })?;
            }
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
        }
        OpenInput::Book(book) => {
            for text in &book.info().problems {
                reporter.problem(item.problem_text(text).into(), options.strict)?;
            }
            let found = book.inspect(&mut |_, _| {
                if progress.is_cancelled() {
                    Flow::Stop
                } else {
                    Flow::Go
                }
            })?;
            // As `inspect` counts them: a record is one position, also if it is stored for several boards.
            sums.positions += found.size.positions;
            sums.entries += found.size.moves;
            if !progress.is_cancelled() {
                for text in &found.problems {
                    reporter.problem(item.problem_text(text).into(), options.strict)?;
                }
            }
        }
        OpenInput::Archive(archive) => {
            for problem in &archive.info().problems {
                let problem = problem.clone().in_file(item.label());
                reporter.problem(problem.into(), options.strict)?;
            }
            let sizes = archive.members().iter().filter_map(|member| member.size);
            let unpacked = sizes.fold(0, u64::saturating_add);
            progress.during_phase(ProgressPhase::Reading, unpacked, || {
                for (index, member) in archive.members().iter().enumerate() {
                    progress.check()?;
                    if member.presence == Presence::Lost {
                        continue;
                    }
                    if let Err(error) = read_member(&*archive, index, progress) {
                        progress.check()?;
                        let error = in_member(&*archive, index, error).in_file(item.label());
                        reporter.problem(error.into(), options.strict)?;
                    }
                }
                Ok::<_, Error>(())
            })?;
        }
        stream => {
            let tasks = threads.map(|_| CheckTask::new(None, None)).collect();
            scan(reporter, stream, &plan, tasks, &mut |_, out| {
                add(sums, out);
                Ok(true)
            })?;
        }
    }
    Ok(())
}

/// What the format finds when it compares its files with each other.
fn deep(
    reporter: &mut ScanReporter<'_>,
    database: &dyn Database,
    strict: bool,
) -> Result<(), Error> {
    let mut outcome = Ok(());
    let item = reporter.item;
    // Those found when it was opened were reported then.
    let known = database.info().problems.iter();
    let known: BTreeSet<String> = known
        .map(|text| item.problem_text(text).to_string())
        .collect();
    database.verify(&mut |problem| {
        let problem = located(item, problem);
        if outcome.is_ok() && !known.contains(&problem.error.to_string()) {
            outcome = reporter.problem(problem, strict);
        }
    });
    outcome
}

/// Games with another number of moves than the index states that show that more is wrong than one of them.
const MIN_OTHER_LENGTHS: u64 = 3;

/// What was counted in one piece of work.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    deleted: u64,
    plies: u64,
    variations: u64,
    positions: u64,
    entries: u64,
    missing_media: u64,
    /// Games whose number of moves the index states, and those of them that have another.
    stated_lengths: u64,
    other_lengths: u64,
    /// By number of [`Feature`].
    annotations: Vec<u64>,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.deleted += other.deleted;
        self.plies += other.plies;
        self.variations += other.variations;
        self.missing_media += other.missing_media;
        self.stated_lengths += other.stated_lengths;
        self.other_lengths += other.other_lengths;
        if self.annotations.len() < other.annotations.len() {
            self.annotations.resize(other.annotations.len(), 0);
        }
        for (sum, more) in self.annotations.iter_mut().zip(&other.annotations) {
            *sum += more;
        }
    }

    /// What is wrong if most games have other numbers of moves than the index states. Single ones may have been made so.
    fn foreign_moves(&self) -> Option<String> {
        let (other, stated) = (self.other_lengths, self.stated_lengths);
        (other >= MIN_OTHER_LENGTHS && other > stated / 2).then(|| {
            let games = counted(stated, "game", "games");
            format!(
                "{other} of {games} have other numbers of moves than the index states: files of two databases may be mixed"
            )
        })
    }

    fn count(&mut self, feature: Feature) {
        if self.annotations.is_empty() {
            self.annotations.resize(Feature::ALL.len(), 0);
        }
        if let Some(sum) = self.annotations.get_mut(feature as usize) {
            *sum += 1;
        }
    }

    fn of(&self, feature: Feature) -> u64 {
        self.annotations
            .get(feature as usize)
            .copied()
            .unwrap_or_default()
    }
}

/// Counts, and compares a record with its row.
struct CheckTask<'d> {
    database: Option<&'d dyn Database>,
    /// To find references to files that do not exist.
    media: Option<&'d KnownMedia>,
    sums: Sums,
    problems: Vec<Problem>,
    /// The plies and full moves that the index states of the game.
    stated: (Option<u16>, Option<u8>),
    /// Plies of the mainline, and variations that are open.
    mainline: u32,
    depth: u32,
}

impl<'d> CheckTask<'d> {
    fn new(database: Option<&'d dyn Database>, media: Option<&'d KnownMedia>) -> Self {
        Self {
            database,
            media,
            sums: Sums::default(),
            problems: Vec::new(),
            stated: (None, None),
            mainline: 0,
            depth: 0,
        }
    }

    /// Whether the row agrees with the record.
    fn compare(&mut self, database: &dyn Database, game: GameIndex, head: &GameHead) {
        let entry = match database.entry(game) {
            Ok(entry) => entry,
            Err(error) => {
                self.problems.push(error.into());
                return;
            }
        };
        let problems = &mut self.problems;
        let differ = |problems: &mut Vec<Problem>, what: &str| {
            let text = format!("the index and the record differ: {what}");
            problems.push(Error::invalid(text).into());
        };
        if entry.is_text != (head.kind == RecordKind::Text) {
            differ(problems, "game or text");
        }
        if entry.deleted != head.deleted {
            differ(problems, "deletion mark");
        }
        if head.kind == RecordKind::Text {
            return;
        }
        // Numbers of moves count from the start of a setup position or from that of the game.
        if head.start.setup.is_none() {
            self.stated = (entry.ply_count, entry.move_count);
        }
        for (tag, kind, id) in names(&entry) {
            let (Some(id), Some(value)) = (id, head.tags.get(tag)) else {
                continue;
            };
            match database.name(kind, id) {
                Ok(name) if same_name(&name, value) => {}
                Ok(_) => differ(problems, tag),
                Err(error) => problems.push(error.into()),
            }
        }
    }
}

fn names(entry: &IndexEntry) -> [(&'static str, NameKind, Option<NameId>); 2] {
    [
        ("White", NameKind::Player, entry.white),
        ("Black", NameKind::Player, entry.black),
    ]
}

/// `?` and an empty name are the same nothing.
fn same_name(name: &str, value: &str) -> bool {
    let bare = |text: &str| text.trim().trim_end_matches(',').to_owned();
    name == value
        || (bare(name).is_empty() && (value.is_empty() || value == "?"))
        || bare(name) == bare(value)
}

impl Visitor for CheckTask<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.sums.deleted += u64::from(head.deleted);
        (self.stated, self.mainline, self.depth) = ((None, None), 0, 0);
        if let Some(database) = self.database {
            self.compare(database, game, head);
        }
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.sums.plies += 1;
        self.mainline += u32::from(self.depth == 0);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.sums.count(annotation.feature());
        for error in self
            .media
            .iter()
            .flat_map(|media| media.missing(&annotation))
        {
            let is_same = |problem: &Problem| problem.error.to_string() == error.to_string();
            if !self.problems.iter().any(is_same) {
                self.problems.push(error.into());
                self.sums.missing_media += 1;
            }
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.sums.variations += 1;
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, _result: GameResult) {
        let is_other = match self.stated {
            (Some(plies), _) => u32::from(plies) != self.mainline.min(u16::MAX.into()),
            // 255 is as many or more.
            (None, Some(moves)) => {
                u32::from(moves) != self.mainline.div_ceil(2).min(u8::MAX.into())
            }
            (None, None) => return,
        };
        // Moves that are lost have problems of their own.
        if self.mainline > 0 {
            self.sums.stated_lengths += 1;
            self.sums.other_lengths += u64::from(is_other);
        }
    }
}

impl Task for CheckTask<'_> {
    type Out = Sums;

    fn swap(&mut self, out: &mut Sums) {
        *out = std::mem::take(&mut self.sums);
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }
}
