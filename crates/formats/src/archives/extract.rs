//! Extracting files from archives.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{OutputSet, Progress};
use tabia_core::{Error, ErrorKind, Result};

use super::memory_or_temporary_file::CHUNK;
use super::safe_names::{HiddenFile, hidden_file};
use super::unpacked_limit_error::exceeds_limit;
use super::{Archive, OnError, Presence, in_member, safe_name};

/// The most files that are written before they get their names: all of these are open.
const BATCH: usize = 200;
/// The most members of one name that are extracted, each under another name.
const MOST_OF_A_NAME: u32 = 100;
/// Names of members that one problem lists.
const MAX_NAMED: usize = 5;

/// How members are extracted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// Whether existing files are replaced.
    pub force: bool,
    /// Whether hidden files, which begin with a dot or are in a folder that does, are extracted too.
    pub hidden: bool,
    /// Files that the archive is read from: no member replaces them.
    pub sources: Vec<PathBuf>,
}

/// The result of [`extract`].
#[derive(Debug, Default)]
pub struct Extracted {
    /// The files written.
    pub files: Vec<PathBuf>,
    /// The total size of the files, in bytes.
    pub bytes: u64,
    /// The number of members left out because they are remarks of an operating system on a folder
    /// (`.DS_Store`, `__MACOSX`).
    pub system_metadata: u64,
    /// Problems of members: damage (the readable bytes are written), unsafe and hidden names and
    /// unsupported compressions (nothing is written). Members that are [`Presence::Lost`] have none here.
    pub problems: Vec<Error>,
}

/// Writes the members with the indices `wanted` below `folder`, which is created if absent. Files
/// appear complete or not at all; a damaged member does not affect others.
///
/// A damaged member replaces no file: the existing files of its set (the files with its name and other
/// extensions) stay as they are. A member of which nothing can be read creates no file.
///
/// # Errors
/// [`ErrorKind::Exists`], before anything is written, if a file exists and is not to be replaced; files
/// that cannot be written.
pub fn extract(
    archive: &dyn Archive,
    wanted: &[usize],
    folder: &Path,
    options: &ExtractOptions,
    progress: &Progress,
) -> Result<Extracted> {
    let mut done = Extracted::default();
    let plan = plan(archive, wanted, folder, options, &mut done);
    let exists = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    if !options.force
        && let Some((_, path)) = plan.iter().find(|(_, path)| exists(path))
    {
        return Err(Error::new(ErrorKind::Exists).in_path(path));
    }
    let packed = wanted
        .iter()
        .filter_map(|index| archive.members().get(*index))
        .fold(0_u64, |sum, member| sum.saturating_add(member.packed_size));
    let mut extraction = Extraction {
        archive,
        progress,
        force: options.force,
        limit: archive.limits().unpacked_from(packed),
        unpacked: 0,
        done,
    };
    let (replacing, fresh): (Vec<_>, Vec<_>) = sets(plan)
        .into_iter()
        .partition(|set| set.iter().any(|(_, path)| exists(path)));
    for batch in fresh.concat().chunks(BATCH) {
        extraction.write_new(batch)?;
    }
    for set in &replacing {
        extraction.replace(set)?;
    }
    Ok(extraction.done)
}

/// A member, by its index, and the path that it is written to.
type Step = (usize, PathBuf);

/// The members that are written and their paths. Members that may not be written are reported in `done`.
fn plan(
    archive: &dyn Archive,
    wanted: &[usize],
    folder: &Path,
    options: &ExtractOptions,
    done: &mut Extracted,
) -> Vec<Step> {
    let label = &archive.info().label;
    let mut taken = BTreeSet::new();
    let mut folders = BTreeSet::new();
    let folded = |path: &Path| path.to_string_lossy().to_lowercase();
    let mut links = LinkCheck::new(folder);
    let sources = options.sources.iter();
    let sources: Vec<PathBuf> = sources
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let is_source = |path: &Path| {
        let existing = folder.join(path).canonicalize();
        existing.is_ok_and(|path| sources.contains(&path))
    };
    let mut hidden = Vec::new();
    let mut plan = Vec::new();
    for &index in wanted {
        let member = match archive.contents().member(index) {
            Ok(member) => member,
            Err(error) => {
                done.problems.push(error);
                continue;
            }
        };
        if member.name.ends_with('/') && member.size.unwrap_or_default() == 0 {
            // A folder: it is created together with its files.
            continue;
        }
        match hidden_file(&member.name).filter(|_| !options.hidden) {
            Some(HiddenFile::SystemMetadata) => {
                done.system_metadata += 1;
                continue;
            }
            Some(HiddenFile::Other) if safe_name(&member.name).is_ok() => {
                hidden.push(member.name.as_str());
                continue;
            }
            _ => {}
        }
        match safe_name(&member.name) {
            Err(error) => done.problems.push(error.in_file(label)),
            Ok(asked) => {
                let is_free = |path: &PathBuf| {
                    let mut parents = path.ancestors().skip(1).map(folded);
                    let name = folded(path);
                    !folders.contains(&name)
                        && !taken.contains(&name)
                        && !parents.any(|parent| taken.contains(&parent))
                };
                let mut names = std::iter::once(asked.clone()).chain(numbered(&asked));
                let path = names.find(is_free);
                let text = format!("another member already has the name {}", member.name);
                let Some(path) = path else {
                    done.problems.push(Error::invalid(text).in_file(label));
                    continue;
                };
                if path != asked {
                    let text = format!("{text}: this one becomes {}", path.display());
                    done.problems.push(Error::invalid(text).in_file(label));
                }
                taken.insert(folded(&path));
                if is_source(&path) {
                    let text = format!(
                        "has the name of the archive itself, {}, and is left out; extract into another folder",
                        folder.join(&path).display()
                    );
                    done.problems
                        .push(in_member(archive, index, Error::invalid(text)));
                } else if let Err(error) = links.check(&path) {
                    done.problems.push(in_member(archive, index, error));
                } else {
                    folders.extend(path.ancestors().skip(1).map(folded));
                    plan.push((index, folder.join(path)));
                }
            }
        }
    }
    if !hidden.is_empty() {
        let count = hidden.len();
        hidden.truncate(MAX_NAMED);
        let more = if count > MAX_NAMED { ", …" } else { "" };
        let text = format!(
            "hidden files left out, {count} in all: {}{more}; `--hidden` extracts them too",
            hidden.join(", ")
        );
        done.problems.push(Error::invalid(text).in_file(label));
    }
    plan
}

/// The names that a file can have whose name is another's: `games-2.pgn`, …
fn numbered(path: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_os_string();
    let extension = path.extension().map(std::ffi::OsStr::to_os_string);
    (2..=MOST_OF_A_NAME).map(move |number| {
        let mut name = stem.clone();
        name.push(format!("-{number}"));
        if let Some(extension) = &extension {
            name.push(".");
            name.push(extension);
        }
        path.with_file_name(name)
    })
}

/// Finds symbolic links in the target folder that lead out of it.
struct LinkCheck<'f> {
    folder: &'f Path,
    /// The target folder without links; `None` if it does not exist, and thus holds no links.
    resolved: Option<PathBuf>,
    /// Folders without such links.
    safe: BTreeSet<PathBuf>,
}

impl<'f> LinkCheck<'f> {
    fn new(folder: &'f Path) -> Self {
        Self {
            folder,
            resolved: std::fs::canonicalize(folder).ok(),
            safe: BTreeSet::new(),
        }
    }

    /// Checks the folders of `path`, which is relative to the target folder, and the file itself.
    fn check(&mut self, path: &Path) -> Result<()> {
        let Some(resolved) = &self.resolved else {
            return Ok(());
        };
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.retain(|part| !part.as_os_str().is_empty());
        for part in ancestors.into_iter().rev() {
            if self.safe.contains(part) {
                continue;
            }
            let existing = self.folder.join(part);
            if std::fs::symlink_metadata(&existing).is_err() {
                break;
            }
            let is_inside =
                std::fs::canonicalize(&existing).is_ok_and(|target| target.starts_with(resolved));
            if !is_inside {
                let shown = existing.display();
                let text = format!("{shown} is a link that leads out of the folder");
                return Err(Error::invalid(text));
            }
            if part != path {
                self.safe.insert(part.to_path_buf());
            }
        }
        Ok(())
    }
}

/// Groups files whose names differ in extension and part number only, in the order of their first file.
fn sets(plan: Vec<Step>) -> Vec<Vec<Step>> {
    let mut sets: Vec<Vec<Step>> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for step in plan {
        let path = step.1.to_string_lossy().to_lowercase();
        let start = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
        let name = path.get(start..).unwrap_or_default();
        let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let base = match base.rsplit_once('_') {
            Some((base, part)) if is_number(part) => base,
            _ => base,
        };
        let key = path.get(..start + base.len()).unwrap_or(&path).to_owned();
        let number = *numbers.entry(key).or_insert(sets.len());
        match sets.get_mut(number) {
            Some(set) => set.push(step),
            None => sets.push(vec![step]),
        }
    }
    sets
}

/// How a member was written.
enum MemberOutcome {
    /// As it was packed.
    Complete,
    /// With what could be read of it; the errors are those of the member.
    Damaged(Vec<Error>),
    /// Not at all, as nothing can be read of it.
    Unreadable(Vec<Error>),
}

struct Extraction<'a> {
    archive: &'a dyn Archive,
    progress: &'a Progress,
    force: bool,
    /// The most bytes that all members together may unpack to.
    limit: u64,
    unpacked: u64,
    done: Extracted,
}

impl Extraction<'_> {
    /// Writes files that do not exist yet.
    fn write_new(&mut self, steps: &[Step]) -> Result<()> {
        let mut set = OutputSet::new(self.force);
        for (index, path) in steps {
            match self.write(*index, path, &mut set)? {
                MemberOutcome::Complete => {}
                MemberOutcome::Damaged(errors) | MemberOutcome::Unreadable(errors) => {
                    self.report(*index, errors);
                }
            }
        }
        self.commit(set)
    }

    /// Writes the files of a set, of which some exist, if all of them are as they were packed.
    fn replace(&mut self, steps: &[Step]) -> Result<()> {
        let mut set = OutputSet::new(self.force);
        let mut is_complete = true;
        for (index, path) in steps {
            match self.write(*index, path, &mut set)? {
                MemberOutcome::Complete => {}
                MemberOutcome::Damaged(errors) | MemberOutcome::Unreadable(errors) => {
                    is_complete = false;
                    self.report(*index, errors);
                }
            }
        }
        if is_complete {
            return self.commit(set);
        }
        let names = steps
            .iter()
            .filter(|(_, path)| std::fs::symlink_metadata(path).is_ok());
        let mut names: Vec<String> = names.map(|(_, path)| path.display().to_string()).collect();
        let more = if names.len() > MAX_NAMED { ", …" } else { "" };
        names.truncate(MAX_NAMED);
        let text = format!(
            "damaged members replace no file: {}{more} stay as they are; extract into another folder \
             to get what can be read",
            names.join(", ")
        );
        let error = Error::invalid(text).in_file(&self.archive.info().label);
        self.done.problems.push(error);
        Ok(())
    }

    fn report(&mut self, index: usize, errors: Vec<Error>) {
        let archive = self.archive;
        let errors = errors
            .into_iter()
            .map(|error| in_member(archive, index, error));
        self.done.problems.extend(errors);
    }

    fn commit(&mut self, set: OutputSet) -> Result<()> {
        let (files, bytes) = set.commit()?;
        self.done.files.extend(files);
        self.done.bytes += bytes;
        Ok(())
    }

    /// Adds the file of a member to `set`, unless nothing can be read of it.
    fn write(&mut self, index: usize, path: &Path, set: &mut OutputSet) -> Result<MemberOutcome> {
        self.progress.check()?;
        let member = self.archive.contents().member(index)?;
        if member.presence == Presence::Lost {
            return Ok(MemberOutcome::Unreadable(Vec::new()));
        }
        let on_error = OnError::collect();
        let mut stream = match self.archive.stream(index, &on_error) {
            Ok(stream) => stream,
            Err(error) => return Ok(MemberOutcome::Unreadable(vec![error])),
        };
        let mut buffer = vec![0; CHUNK];
        let mut number = None;
        let mut written = 0;
        let mut error = None;
        while error.is_none() {
            let length = match stream.read(&mut buffer) {
                Ok(length) => length,
                Err(interrupted) if interrupted.kind() == io::ErrorKind::Interrupted => continue,
                Err(read_error) => {
                    let read_error = Error::from(read_error);
                    if read_error.is_system() {
                        return Err(read_error.in_file(&self.archive.info().label));
                    }
                    error = Some(read_error);
                    0
                }
            };
            if length == 0 {
                break;
            }
            self.unpacked += length as u64;
            if self.unpacked > self.limit {
                error = Some(exceeds_limit(self.limit));
            }
            let number = match number {
                Some(number) => number,
                None => *number.insert(create(set, path)?),
            };
            if let Some(output) = set.file(number) {
                let bytes = buffer.get(..length).unwrap_or_default();
                let result = output.write_all(bytes);
                result.map_err(|error| Error::from(error).in_path(path))?;
            }
            written += length as u64;
            self.progress.advance(length as u64, 0);
            self.progress.check()?;
        }
        let mut errors = on_error.take();
        errors.extend(error);
        if errors.is_empty() {
            if number.is_none() {
                create(set, path)?;
            }
            return Ok(MemberOutcome::Complete);
        }
        if on_error.zeros() < written {
            return Ok(MemberOutcome::Damaged(errors));
        }
        if number.is_some() {
            set.remove_last();
        }
        Ok(MemberOutcome::Unreadable(errors))
    }
}

/// Adds a file to a set and creates its folder.
fn create(set: &mut OutputSet, path: &Path) -> Result<usize> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::from(error).in_path(folder))?;
    }
    set.create(path)
}
