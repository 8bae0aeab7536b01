//! Repairs every database and book of a folder or an archive into another folder.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::formats::FormatKind;
use tabia_core::io::{Progress, Transaction};
use tabia_core::shell_argument::file_argument;
use tabia_core::{Error, GameFormat, Result as CoreResult};
use tabia_formats::Format;
use tabia_formats::archives::compressed::Compression;
use tabia_formats::archives::{Archive, Presence, database_members, is_hidden_name, member_label};

use super::find_damaged_set::remains;
use super::target_names::{TargetNames, safe_path};
use super::{RepairObserver, RepairOptions, Repaired, repair};
use crate::book::merge::{MergeOptions, Merged, merge};
use crate::input::{InputItem, Origin};
use crate::resolve::{Resolver, not_an_archive};

/// What there is in a folder or an archive that is to be repaired.
#[derive(Debug)]
pub enum PlannedRepair {
    /// A database or a book.
    Job(Box<RepairJob>),
    /// What is wrong with an archive as a whole: its other members can be read.
    Damaged(Error),
    /// Something that cannot be read at all.
    Unreadable(Error),
}

/// A database or a book to be repaired.
#[derive(Debug)]
pub struct RepairJob {
    item: InputItem,
    target: PathBuf,
    format: Format,
}

/// What a [`RepairJob`] has written.
#[derive(Debug)]
pub enum RepairedFile {
    /// A database or a text file with games.
    Database(Box<Repaired>),
    /// An opening book.
    Book(Box<Merged>),
}

/// The databases and books that a path names, each with the file in `folder` into which it is to be repaired: those
/// of a folder, of an archive, and of the archives in these, one level down; any other path names a single one.
///
/// Databases are included of which only companions are left. A repaired file has the path that the input has in its
/// folder or archive, and those of an archive in a folder are in a folder with the name of the archive. Names of
/// members that are not safe as names of files are changed; no two files get the same name. Each file keeps its format
/// unless `to` is of the same kind; databases of formats that cannot be written become PGN.
///
/// # Errors
/// If nothing is at the path, the folder or archive itself cannot be read, `folder` is in the folder that is repaired,
/// or `to` cannot be written; not for what is in a folder or an archive.
///
/// ```
/// use std::sync::Arc;
/// use tabia::repair::{PlannedRepair, RepairOptions, plan_repairs};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-repairs-{}", std::process::id()));
/// let progress = Arc::new(Progress::new());
/// for planned in plan_repairs(&Resolver::default(), archive.as_ref(), &folder, None)? {
///     match planned {
///         PlannedRepair::Job(job) => {
///             job.run(&RepairOptions::default(), &progress, &mut NoObserver)?;
///             println!("{} to {}", job.item().name(), job.target().display());
///         }
///         PlannedRepair::Damaged(error) | PlannedRepair::Unreadable(error) => println!("{error}"),
///     }
/// }
/// assert!(folder.join("tabia.cbh").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub fn plan_repairs(
    resolver: &Resolver,
    path: &OsStr,
    folder: &Path,
    to: Option<Format>,
) -> Result<Vec<PlannedRepair>, Error> {
    if let Some(to) = to
        && (to.kind() == FormatKind::Archive || !to.is_writable())
    {
        let text = format!("{} cannot be written by a repair", to.name());
        return Err(Error::usage(text).with_hint("`tabia formats` lists what can be written"));
    }
    let source = Path::new(path);
    let is_folder = path != "-" && source.is_dir();
    let mut plan = Plan {
        resolver,
        folder,
        to,
        source: if is_folder { real_path(source) } else { None },
        names: TargetNames::default(),
        inputs: HashSet::new(),
        found: Vec::new(),
    };
    plan.refuse_source(folder)?;
    if is_folder {
        for item in resolver.resolve_each(path)? {
            plan.add_of_folder(source, item)?;
        }
    } else {
        match resolver.resolve(path).map(|mut items| items.pop()) {
            Ok(Some(item)) if item.is_archive() => {
                let archive = resolver.archive(&item)?;
                archive.map_or(Ok(()), |archive| {
                    plan.add_archive(&archive, Path::new(""), 1)
                })?;
            }
            // One that is damaged beyond recognition is found by the names of its files.
            Ok(Some(item)) if item.format().book().is_some() || item.is_once() => {
                plan.add_file(None, item)?;
            }
            _ => plan.add_file(None, remains(resolver, path)?)?,
        }
    }
    plan.refuse_inputs()?;
    Ok(plan.found)
}

impl RepairJob {
    /// The input.
    pub fn item(&self) -> &InputItem {
        &self.item
    }

    /// The main file that is written.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The format that is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes what is left of the input, into folders that are made if they do not exist. Books are written as by
    /// [`merge`](crate::book::merge::merge()) of one book. The files get their names at once, so that a transaction of
    /// the options is not used.
    ///
    /// # Errors
    /// As [`repair()`]; a book with problems of which no move is left is not written.
    pub fn run(
        &self,
        options: &RepairOptions,
        progress: &Arc<Progress>,
        reports: &mut dyn RepairObserver,
    ) -> Result<RepairedFile, Error> {
        let mut options = options.clone();
        options.makes_folders = true;
        options.create.transaction = None;
        let new_folders = missing_folders(&self.target);
        let repaired = self.write(&options, progress, reports);
        if repaired.is_err() {
            // The innermost ones first; what has been written meanwhile stays.
            for folder in new_folders {
                let _ = std::fs::remove_dir(folder);
            }
        }
        repaired
    }

    fn write(
        &self,
        options: &RepairOptions,
        progress: &Arc<Progress>,
        reports: &mut dyn RepairObserver,
    ) -> Result<RepairedFile, Error> {
        if let Some(format) = self.format.game_writer() {
            let repaired = repair(&self.item, format, &self.target, options, progress, reports)?;
            return Ok(RepairedFile::Database(Box::new(repaired)));
        }
        self.rewrite_book(options, progress, reports)
            .map(|book| RepairedFile::Book(Box::new(book)))
    }

    fn rewrite_book(
        &self,
        options: &RepairOptions,
        progress: &Progress,
        reports: &mut dyn RepairObserver,
    ) -> Result<Merged, Error> {
        let item = &self.item;
        progress.set_total(item.bytes().unwrap_or_default());
        let mut problems = 0_u64;
        let mut report = |error: Error| {
            problems += 1;
            reports
                .problem(item, &error.into())
                .map_err(Error::in_output)
        };
        if !item.is_once() {
            let (book, of_container) = crate::book::open_with_problems(item, &options.open)?;
            of_container.into_iter().try_for_each(&mut report)?;
            for text in &book.info().problems {
                report(item.problem_text(text))?;
            }
        }
        let format = self
            .format
            .book()
            .ok_or_else(|| Error::usage(format!("{} is no format of books", self.format.name())))?;
        make_folder_of(&self.target)?;
        let transaction = Transaction::new();
        let mut merge_options = MergeOptions {
            open: options.open.clone(),
            create: options.create.clone(),
            ..MergeOptions::default()
        };
        merge_options.create.transaction = Some(transaction.clone());
        let items = std::slice::from_ref(item);
        let merged = merge(items, format, &self.target, &merge_options, progress)?;
        for text in merged.damage.iter().flatten() {
            report(item.problem_text(text))?;
        }
        if merged.moves == 0 && problems > 0 {
            transaction.discard();
            let text = "nothing that can be recovered: no moves";
            return Err(Error::invalid(text).in_file(item.label()));
        }
        transaction.commit().map_err(Error::in_output)?;
        Ok(merged)
    }
}

/// The folders of a file that do not exist, the innermost first.
fn missing_folders(target: &Path) -> Vec<PathBuf> {
    let folders = target.ancestors().skip(1);
    let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
    let missing = folders.take_while(|folder| std::fs::symlink_metadata(folder).is_err());
    missing.map(Path::to_path_buf).collect()
}

/// Makes the folder of a file that is about to be written.
pub(super) fn make_folder_of(target: &Path) -> Result<(), Error> {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder)
            .map_err(|error| Error::from(error).in_path(folder).in_output()),
        _ => Ok(()),
    }
}

/// The path without links, as far as it exists.
fn real_path(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let mut existing = absolute.as_path();
    let mut rest = Vec::new();
    loop {
        if let Ok(real) = existing.canonicalize() {
            return Some(rest.iter().rev().fold(real, |path, name| path.join(name)));
        }
        rest.push(existing.file_name()?);
        existing = existing.parent()?;
    }
}

struct Plan<'a> {
    resolver: &'a Resolver,
    /// Where the repaired files go.
    folder: &'a Path,
    to: Option<Format>,
    /// The folder that is repaired, without links; nothing is written into it.
    source: Option<PathBuf>,
    names: TargetNames,
    /// The inputs: what they are called and, as members of an archive can have one name, their index in it.
    inputs: HashSet<(Arc<Path>, Option<usize>)>,
    found: Vec<PlannedRepair>,
}

impl Plan<'_> {
    /// Refuses a path in the folder that is repaired.
    fn refuse_source(&self, path: &Path) -> Result<(), Error> {
        let is_inside =
            |source: &PathBuf| real_path(path).is_some_and(|path| path.starts_with(source));
        if self.source.as_ref().is_some_and(is_inside) {
            let text = format!(
                "{} is in the folder that is repaired, into which nothing is written",
                path.display()
            );
            // Next to the folder.
            let name = path.file_name().unwrap_or_default();
            let outside = self.source.as_deref().and_then(Path::parent);
            let outside = outside.unwrap_or(Path::new("..")).join(name);
            let outside = outside.display().to_string();
            let hint = format!("`-o {}` is outside of it", file_argument(&outside));
            return Err(Error::usage(text).with_hint(hint));
        }
        Ok(())
    }

    /// Refuses targets that are files of an input: by a link, they can be.
    fn refuse_inputs(&self) -> Result<(), Error> {
        let jobs = || {
            self.found.iter().filter_map(|planned| match planned {
                PlannedRepair::Job(job) => Some(job),
                _ => None,
            })
        };
        if !jobs().any(|job| job.target.exists()) {
            return Ok(());
        }
        let inputs = jobs().flat_map(|job| job.item.paths());
        let inputs: BTreeSet<PathBuf> =
            inputs.filter_map(|path| path.canonicalize().ok()).collect();
        for job in jobs() {
            let target = job.target.canonicalize();
            if target.is_ok_and(|target| inputs.contains(&target)) {
                let text = format!("{} is input and output at once", job.target.display());
                return Err(Error::usage(text));
            }
        }
        Ok(())
    }

    fn add_of_folder(&mut self, source: &Path, item: CoreResult<InputItem>) -> Result<(), Error> {
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                let file = error.location().file.clone();
                let file = file.filter(|file| file.is_file());
                let left = file.and_then(|file| remains(self.resolver, file.as_os_str()).ok());
                let Some(item) = left else {
                    self.found.push(PlannedRepair::Unreadable(error));
                    return Ok(());
                };
                item
            }
        };
        let label = Arc::clone(item.label());
        let relative = label.strip_prefix(source);
        let relative =
            relative.unwrap_or_else(|_| Path::new(label.file_name().unwrap_or_default()));
        if !item.is_archive() {
            return self.add_file(Some(relative), item);
        }
        match self.resolver.archive(&item) {
            Ok(Some(archive)) => self.add_archive(&archive, &relative.with_extension(""), 1),
            Ok(None) => Ok(()),
            Err(error) => {
                self.found.push(PlannedRepair::Unreadable(error));
                Ok(())
            }
        }
    }

    /// Adds a database or book with its path in the folder that is repaired; `None`: it is the only input.
    fn add_file(&mut self, relative: Option<&Path>, item: InputItem) -> Result<(), Error> {
        let name = match (relative, item.is_once()) {
            (Some(relative), _) => relative.to_path_buf(),
            (None, true) => PathBuf::from("stdin"),
            // That of a member too, which is after the name of its archive.
            (None, false) => match &item.origin {
                Origin::Member { archive, index, .. } => {
                    PathBuf::from(member_name(&**archive, *index))
                }
                _ => PathBuf::from(item.label().file_name().unwrap_or_default()),
            },
        };
        self.add(&name, item)
    }

    /// Adds what is in an archive below `prefix`; archives in it are opened while `depth` is not 0.
    fn add_archive(
        &mut self,
        archive: &Arc<dyn Archive>,
        prefix: &Path,
        depth: u32,
    ) -> Result<(), Error> {
        let label = Arc::clone(&archive.info().label);
        for problem in &archive.info().problems {
            let problem = problem.clone().in_file(&label);
            self.found.push(PlannedRepair::Damaged(problem));
        }
        for member in archive_inputs(self.resolver, archive) {
            let opened = member.and_then(|item| {
                if item.is_archive() && depth == 0 {
                    return not_an_archive(item).map(|item| (item, None));
                }
                let inner = self.resolver.archive(&item)?;
                Ok((item, inner))
            });
            match opened {
                Ok((item, inner)) => {
                    let name = match &item.origin {
                        Origin::Member { archive, index, .. } => member_name(&**archive, *index),
                        _ => item.name(),
                    };
                    let path = prefix.join(safe_path(&name));
                    match inner {
                        Some(inner) => {
                            self.add_archive(&inner, &path.with_extension(""), depth - 1)?;
                        }
                        None => self.add(&path, item.listed())?,
                    }
                }
                Err(error) => self.found.push(PlannedRepair::Unreadable(error)),
            }
        }
        Ok(())
    }

    /// Adds an input whose repaired file has that path in the target folder, apart from its extension.
    fn add(&mut self, relative: &Path, item: InputItem) -> Result<(), Error> {
        let index = match &item.origin {
            Origin::Member { index, .. } => Some(*index),
            _ => None,
        };
        if !self.inputs.insert((Arc::clone(item.label()), index)) {
            return Ok(());
        }
        let format = self.format_of(&item);
        let relative = named_for(relative, &item, format);
        let target = self.folder.join(self.names.distinct(&relative));
        self.refuse_source(&target)?;
        self.found.push(PlannedRepair::Job(Box::new(RepairJob {
            item,
            target,
            format,
        })));
        Ok(())
    }

    fn format_of(&self, item: &InputItem) -> Format {
        let own = item.format();
        match self.to {
            Some(to) if to.kind() == own.kind() => to,
            _ if own.is_writable() => own,
            _ => {
                let formats = self.resolver.formats().iter().copied();
                let mut texts = formats.filter(|format| {
                    format.games().is_some_and(GameFormat::is_streamable) && format.is_writable()
                });
                texts.next().unwrap_or(own)
            }
        }
    }
}

/// The databases, books and archives in an archive, databases of which only companions are left too.
fn archive_inputs(resolver: &Resolver, archive: &Arc<dyn Archive>) -> Vec<CoreResult<InputItem>> {
    let mut items = resolver.members(archive);
    // Of a set without its main file the list has an error with the name of a companion.
    let mut lost: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (index, member) in archive.members().iter().enumerate() {
        if member.presence != Presence::Lost && !is_hidden_name(&member.name) {
            let label = member_label(&archive.info().label, &member.name);
            lost.entry(label).or_insert(index);
        }
    }
    for item in &mut items {
        let Err(error) = item else { continue };
        let file = error.location().file.as_ref();
        let index = file.and_then(|file| lost.get(&**file));
        if let Some(left) = index.and_then(|index| left_in_archive(resolver, archive, *index)) {
            *item = Ok(left);
        }
    }
    items
}

/// What is left of the database to which a member belongs.
fn left_in_archive(
    resolver: &Resolver,
    archive: &Arc<dyn Archive>,
    index: usize,
) -> Option<InputItem> {
    let members = database_members(&**archive, index).ok()?;
    let extensions: BTreeSet<String> = members
        .iter()
        .filter_map(|(_, name)| Path::new(name).extension())
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .collect();
    let files_of = |format: &Format| {
        let main = format.extensions().iter().copied();
        let companions = format.companions().iter().map(|file| file.extension);
        let names = main.chain(companions);
        names.filter(|name| extensions.contains(*name)).count()
    };
    let formats = resolver.formats().iter().copied().filter(|format| {
        format.games().is_some()
            && resolver
                .format_of_members()
                .is_none_or(|only| only == *format)
    });
    let (files, format) = formats
        .map(|format| (files_of(&format), format))
        .max_by_key(|(files, _)| *files)?;
    if files == 0 {
        return None;
    }
    let label = member_label(&archive.info().label, &member_name(&**archive, index));
    Some(InputItem {
        label: Arc::from(label),
        format,
        origin: Origin::Member {
            archive: Arc::clone(archive),
            index,
            is_listed: true,
        },
        duplicates: Arc::default(),
        is_base: false,
    })
}

fn member_name(archive: &dyn Archive, index: usize) -> String {
    let member = archive.members().get(index);
    member.map_or_else(String::new, |member| member.name.clone())
}

/// The path of a repaired file: without the extension of a compressed file, and with one of its format.
fn named_for(relative: &Path, item: &InputItem, format: Format) -> PathBuf {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let relative = match Compression::of_name(&name) {
        (Compression::None, _) => relative.to_path_buf(),
        // Without the last extension; the rest need not be UTF-8.
        _ => relative.with_extension(""),
    };
    let extension = relative.extension().unwrap_or_default();
    let extension = extension.to_string_lossy().to_lowercase();
    let is_own = format.extensions().contains(&extension.as_str());
    let has_parts = item
        .source()
        .is_some_and(|source| !source.parts().is_empty());
    let mut path = match format.extensions().first() {
        Some(first) if !is_own => relative.with_extension(first),
        _ => relative,
    };
    // The first part of a book in parts has `_0` after the name.
    if has_parts
        && let Some(stem) = path.file_stem().and_then(OsStr::to_str)
        && let Some(stem) = stem.strip_suffix("_0")
    {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}.{extension}");
        path.set_file_name(name);
    }
    path
}
