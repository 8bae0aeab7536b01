//! A damaged set that is repaired before it is changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::EditFunctions;
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::games::Database;
use tabia_core::io::{
    CompanionNames, FolderLock, OutputSet, Progress, ProgressPhase, SetLock, Source, Transaction,
    existing_path, list_folder,
};
use tabia_core::loss::Losses;
use tabia_core::shell_argument::file_argument;
use tabia_core::{Error, ErrorKind, GameFormat, GameIndex, Problem, Result as CoreResult};

use super::{RecordOutcome, RepairObserver, RepairOptions, Repaired, repair};
use crate::edit::Change;
use crate::hidden_folder::HiddenFolder;
use crate::input::{InputItem, OpenInput, Origin, with_article};
use crate::observer::Observer;
use crate::select::SelectionCounts;

/// What is left of a damaged set, as a new set in a hidden folder. It can be appended to or edited there; the
/// damaged one stays as it is until [`replace`](Self::replace) puts the new one in its stead. The hidden folder is
/// removed on drop.
#[derive(Debug)]
pub struct SalvagedSet {
    folder: HiddenFolder,
    main: PathBuf,
    target: PathBuf,
    label: Arc<Path>,
    format: &'static GameFormat,
    functions: EditFunctions,
    lock: Option<SetLock>,
    repaired: Repaired,
    /// The records that are not in the new set, ascending.
    lost: Vec<u32>,
    transaction: Option<Transaction>,
}

impl SalvagedSet {
    /// Repairs the set of `item` into a hidden folder next to `target`. `None` if it is not damaged. If `target`
    /// is the set itself, no other program can write it until this value is dropped.
    ///
    /// # Errors
    /// When the set cannot be read or the new one cannot be written; a [usage error](Error::usage) for formats
    /// that cannot be changed.
    pub fn create(
        item: &InputItem,
        target: &Path,
        options: &RepairOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn RepairObserver,
    ) -> Result<Option<Self>, Error> {
        let name = item.name();
        let format = item.format().games();
        let Some((format, functions)) = format.and_then(|format| Some((format, format.edit?)))
        else {
            let format = with_article(item.format().name());
            let text = format!("{name}: `--salvage` does not replace {format}");
            let hint = format!(
                "`tabia repair {} -o NEW` makes a new one, to which games can be added",
                file_argument(&name)
            );
            return Err(Error::usage(text).with_hint(hint));
        };
        let text = format!("{name}: is inside of another file; `archive extract` takes it out");
        let source = item.source().ok_or(Error::usage(text))?;
        let canonical = |path: &Path| existing_path(path).ok();
        let is_target =
            canonical(source.label()).is_some_and(|path| canonical(target) == Some(path));
        let relisted;
        let (lock, item) = if is_target {
            let lock = SetLock::acquire(target)?;
            // What is there now is read.
            let _folder = FolderLock::acquire(target)?;
            relisted = InputItem {
                label: Arc::clone(item.label()),
                format: item.format(),
                origin: Origin::Files(Box::new(
                    Source::from_path(target).map_err(Error::in_input)?,
                )),
                duplicates: Arc::default(),
                is_base: item.is_base,
            };
            (Some(lock), &relisted)
        } else {
            (None, item)
        };
        let source = item.source().unwrap_or(source);
        match (functions.check)(source, &options.open) {
            // The check reads no moves: it is made before every change.
            Ok(()) if !has_unreadable_games(item, options, progress)? => return Ok(None),
            Err(error) if error.is_system() => return Err(error),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let folder = HiddenFolder::new(target)?;
        let name = target.file_name().unwrap_or_default();
        let main = folder.path().join(name);
        let mut observer = LostRecords {
            observer,
            lost: Vec::new(),
        };
        let repaired = repair(item, format, &main, options, progress, &mut observer)?;
        let mut lost = observer.lost;
        lost.sort_unstable();
        lost.dedup();
        Ok(Some(Self {
            folder,
            main,
            target: target.to_path_buf(),
            label: Arc::clone(item.label()),
            format,
            functions,
            lock,
            repaired,
            lost,
            transaction: None,
        }))
    }

    /// Leaves the names that [`replace`](Self::replace) gives to a transaction.
    pub fn join(&mut self, transaction: &Transaction) {
        self.transaction = Some(transaction.clone());
    }

    /// The main file of the new set.
    pub fn path(&self) -> &Path {
        &self.main
    }

    /// The new set as an input, with the name of the damaged one in messages.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn item(&self) -> Result<InputItem, Error> {
        Ok(InputItem {
            label: Arc::clone(&self.label),
            format: tabia_formats::Format::Games(self.format),
            origin: Origin::Files(Box::new(Source::from_path(&self.main)?)),
            duplicates: Arc::default(),
            is_base: false,
        })
    }

    /// What the repair has done.
    pub fn repaired(&self) -> &Repaired {
        &self.repaired
    }

    /// The changes with the numbers that their records have in the new set; those of lost records are left
    /// out.
    ///
    /// # Errors
    /// A [usage error](Error::usage) if a lost record is to be replaced.
    pub fn renumber(&self, changes: Vec<Change>) -> Result<Vec<Change>, Error> {
        let renumber = |change| {
            Ok(match change {
                Change::Delete(records) => Change::Delete(records.without(&self.lost)),
                Change::Restore(records) => Change::Restore(records.without(&self.lost)),
                Change::Replace(game, by) => match self.lost.binary_search(&game.0) {
                    Ok(_) => {
                        let text = format!("nothing is left of game {game} that can be replaced");
                        return Err(Error::usage(text));
                    }
                    Err(lost) => Change::Replace(GameIndex(game.0 - lost as u32), by),
                },
            })
        };
        changes.into_iter().map(renumber).collect()
    }

    /// Replaces the damaged set by the new one, all files at once. Returns the files, the main file first, and
    /// their size in bytes.
    ///
    /// # Errors
    /// When files cannot get their names, or the set was replaced meanwhile. The damaged set is unchanged then.
    pub fn replace(mut self) -> Result<(Vec<PathBuf>, u64), Error> {
        let target = self.target.clone();
        let mut outputs = OutputSet::new(true);
        if let Some(transaction) = &self.transaction {
            transaction.join(&mut outputs);
        }
        let companions = CompanionNames::of(&target)?;
        let mut has_settings = false;
        let mut names = list_folder(self.folder.path()).map_err(Error::in_output)?;
        let main = self.main.file_name().unwrap_or_default().to_owned();
        names.retain(|name| *name != main);
        names.sort();
        names.insert(0, main.clone());
        for name in names {
            let file = self.folder.path().join(&name);
            let extension = file.extension().unwrap_or_default().to_string_lossy();
            let extension = extension.to_lowercase();
            let is_companion = file.file_stem() == self.main.file_stem() && name != main;
            let path = if is_companion {
                companions.path(&extension)
            } else {
                target.with_file_name(&name)
            };
            // Settings are not damaged, and other sets may share them.
            if extension == self.functions.settings && path.exists() {
                has_settings = true;
                continue;
            }
            outputs.adopt(&file, &path).map_err(Error::in_output)?;
        }
        has_settings |= companions.path(self.functions.settings).exists();
        for extension in self.functions.derived {
            if !(has_settings && *extension == self.functions.settings) {
                outputs.obsolete(companions.path(extension));
            }
        }
        if let Some(lock) = self.lock.take() {
            outputs.hold(Arc::new(lock));
        }
        outputs.commit().map_err(Error::in_output)
    }
}

/// Whether a record of a set cannot be read completely.
///
/// # Errors
/// When the set cannot be opened.
fn has_unreadable_games(
    item: &InputItem,
    options: &RepairOptions,
    progress: &Arc<Progress>,
) -> Result<bool, Error> {
    let (input, _) = item.open(&options.open, Some(progress))?.into_parts();
    let OpenInput::Database(database) = input else {
        return Ok(false);
    };
    let records = u64::from(database.len());
    progress.during_phase(ProgressPhase::Comparing, records, || {
        has_unreadable_records(&*database, progress)
    })
}

fn has_unreadable_records(database: &dyn Database, progress: &Progress) -> Result<bool, Error> {
    let mut reader = database.reader();
    for game in (0..database.len()).map(GameIndex) {
        if game.0.is_multiple_of(1024) {
            progress.check()?;
        }
        progress.advance(1, 0);
        match reader.read(game, Want::ALL, &mut UntilProblem) {
            Ok(Flow::Stop) => return Ok(true),
            Ok(_) => {}
            Err(error) if error.is_system() => return Err(error),
            Err(_) => return Ok(true),
        }
    }
    Ok(false)
}

/// Stops at the first problem.
struct UntilProblem;

impl Visitor for UntilProblem {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }

    fn problem(&mut self, _problem: Problem) -> Flow {
        Flow::Stop
    }
}

/// Notes which records are lost.
struct LostRecords<'o> {
    observer: &'o mut dyn RepairObserver,
    lost: Vec<u32>,
}

impl Observer for LostRecords<'_> {
    fn problem(&mut self, item: &InputItem, problem: &Problem) -> CoreResult<()> {
        self.observer.problem(item, problem)
    }

    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        is_first: bool,
    ) -> CoreResult<bool> {
        self.observer.record_problem(item, problem, is_first)
    }

    fn out_of_date(&mut self, item: &InputItem, number: &Error) -> CoreResult<()> {
        self.observer.out_of_date(item, number)
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> CoreResult<()> {
        self.observer.losses(item, game, losses)
    }

    fn index_unused(&mut self, item: &InputItem, why: &str) -> CoreResult<()> {
        self.observer.index_unused(item, why)
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> CoreResult<()> {
        self.observer.finished(item, counts)
    }
}

impl RepairObserver for LostRecords<'_> {
    fn record_outcome(&mut self, item: &InputItem, record: &RecordOutcome<'_>) -> CoreResult<()> {
        if record.saved_as.is_none() {
            self.lost.push(record.game.0);
        }
        self.observer.record_outcome(item, record)
    }
}
