//! Writes sets of files that appear complete or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::blob::Blob;
use super::disk::{
    DiskFile, folder, hard_link, link, open_unnamed, remove, rename, rename_new,
    require_replaceable, sync_folder, temporary_name,
};
use super::failure_injection;
use super::journal::{Journal, Step, set_name};
use super::lock::{FolderLock, SetLock, existing_path, finish_journals};
use super::stale_files;
use crate::error::{Error, ErrorKind, Result};

/// The files of one target while they are written. They get their names in
/// [`commit`](OutputSet::commit); dropping the set removes them.
///
/// On Linux the files have no name at all until then, so that even a killed process leaves nothing.
/// Elsewhere, and on file systems without unnamed files, they have a hidden temporary name in the
/// target's folder, which is removed on drop.
///
/// If several files replace others, a killed process may leave some of them under hidden names with a
/// journal of their targets: [`Source`](super::Source) then finds the new set, and the next
/// `OutputSet` in that folder completes the replacement. Both believe only journals that were sealed with
/// the secret key of this user (`tabia/journal.key` in `$XDG_STATE_HOME` or the system's folder for such
/// files, created when it is first needed) for the files that are there. A process that is killed before
/// it wrote the journal leaves hidden files; the next `OutputSet` that writes the same files removes them
/// (on Unix only, where it can be found out that the process has ended).
///
/// ```
/// use std::io::Write;
/// use tabia_core::io::OutputSet;
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let target = folder.join("games.pgn");
/// let mut set = OutputSet::new(false);
/// let number = set.create(&target)?;
/// if let Some(file) = set.file(number) {
///     file.write_all(b"*")?;
/// }
/// assert!(!target.exists());
/// let (names, bytes) = set.commit()?;
/// assert_eq!((names, bytes), (vec![target], 1));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputSet {
    force: bool,
    outputs: Vec<Output>,
    /// Old files to remove when the new ones get their names.
    obsolete: Vec<PathBuf>,
    /// The locks of the sets that the new ones were made from and replace.
    locks: Vec<Arc<SetLock>>,
    /// What gives the files their names, together with others.
    written_sets: Option<WrittenSets>,
    /// New folders, those in other new ones first: after the files, which have to be gone before.
    folders: Vec<NewFolder>,
}

/// Sets that are written to disk and get their names together.
pub(super) type WrittenSets = Arc<Mutex<Vec<OutputSet>>>;

/// One file of an [`OutputSet`]: a buffered, seekable writer.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    /// The name that was asked for; another than `target` if that is a symbolic link.
    asked: PathBuf,
    /// Whether it may replace a file.
    force: bool,
    /// The temporary name; `None` for a file without a name.
    temporary: Option<PathBuf>,
    file: Option<BufWriter<DiskFile>>,
    /// The thread that syncs the bytes written so far.
    syncing: Option<JoinHandle<io::Result<()>>>,
    /// Bytes written since the last background sync.
    unsynced: usize,
    /// Number of unsynced bytes that starts the next background sync.
    sync_interval: usize,
    /// Whether it is a complete file that was [adopted](OutputSet::adopt): only its name changes.
    is_adopted: bool,
}

/// Bytes written before the first background sync; the interval doubles up to [`MAX_SYNC_INTERVAL`].
const FIRST_SYNC_INTERVAL: usize = 4 << 20;
const MAX_SYNC_INTERVAL: usize = 64 << 20;

/// Size of the write buffer in bytes. Larger pieces are written without a copy.
const BUFFER: usize = 1 << 16;

impl OutputSet {
    /// An empty set; `force` allows existing targets to be replaced.
    pub fn new(force: bool) -> Self {
        Self {
            force,
            outputs: Vec::new(),
            obsolete: Vec::new(),
            locks: Vec::new(),
            written_sets: None,
            folders: Vec::new(),
        }
    }

    /// Holds the lock of the set that is replaced until the new files have their names. If another
    /// program has replaced the set by then, [`commit`](Self::commit) fails.
    pub fn hold(&mut self, lock: Arc<SetLock>) {
        self.locks.push(lock);
    }

    /// Leaves the names to others: [`commit`](Self::commit) writes the files to disk and moves the set to
    /// `sets`.
    pub(super) fn leave_names_to(&mut self, sets: &WrittenSets) {
        self.written_sets = Some(Arc::clone(sets));
    }

    /// Adds a new file with the name `target` and returns its number for [`OutputSet::file`]. The first
    /// file is the main one: it gets its name last.
    ///
    /// If `target` is a symbolic link that may be replaced, the link stays and the file that it leads to
    /// is replaced. A new file has the permissions of the file that it replaces, and its owner and group
    /// where the system allows that.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] if the target exists and may not be replaced; [`ErrorKind::NotReplaceable`] for
    /// a device, a pipe or a socket, and for a link that leads to no file, or to another set or folder than
    /// the other files of its set; errors of the file system.
    pub fn create(&mut self, target: &Path) -> Result<usize> {
        let asked = target.to_path_buf();
        let resolved = self.check_target(target)?;
        let target = resolved.as_deref().unwrap_or(target);
        let (file, temporary) = failure_injection::step()
            .and_then(|()| open_unnamed(target))
            .map_err(|error| Error::from(error).in_path(target))?;
        if cfg!(unix) && temporary.is_some() {
            // As long as the lock is there, the file is not left over from another process.
            let _ = file.try_lock();
        }
        let file = Some(BufWriter::with_capacity(BUFFER, DiskFile(file)));
        self.outputs.push(Output {
            target: target.to_path_buf(),
            asked,
            force: self.force,
            temporary,
            file,
            syncing: None,
            unsynced: 0,
            sync_interval: FIRST_SYNC_INTERVAL,
            is_adopted: false,
        });
        Ok(self.outputs.len() - 1)
    }

    /// Adds a complete file, which another `OutputSet` wrote on the same file system, as a new file with the
    /// name `target`. It gets a hidden name next to `target` at once, and is removed if this set is dropped.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn adopt(&mut self, file: &Path, target: &Path) -> Result<()> {
        let asked = target.to_path_buf();
        let resolved = self.check_target(target)?;
        let target = resolved.as_deref().unwrap_or(target);
        let temporary = temporary_name(target);
        rename(file, &temporary).map_err(|error| Error::from(error).in_path(target))?;
        self.outputs.push(Output {
            target: target.to_path_buf(),
            asked,
            force: self.force,
            temporary: Some(temporary),
            file: None,
            syncing: None,
            unsynced: 0,
            sync_interval: FIRST_SYNC_INTERVAL,
            is_adopted: true,
        });
        Ok(())
    }

    /// Makes a folder for files of the set at once, and the folders that it is in. Those in which no file gets a
    /// name are removed with the set.
    ///
    /// # Errors
    /// When something else has the name of a folder; errors of the file system.
    pub fn make_folder(&mut self, path: &Path) -> Result<()> {
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
        let mut missing: Vec<&Path> = path.ancestors().take_while(missing).collect();
        while let Some(folder) = missing.pop() {
            let made = failure_injection::step().and_then(|()| std::fs::create_dir(folder));
            match made {
                Ok(()) => self.folders.insert(0, NewFolder(folder.to_path_buf())),
                // Another process was first.
                Err(_) if folder.is_dir() => {}
                Err(error) => return Err(Error::from(error).in_path(folder).in_output()),
            }
        }
        Ok(())
    }

    /// Checks that a file can get the name `asked`. Returns the file that this leads to if it is a link.
    fn check_target(&mut self, asked: &Path) -> Result<Option<PathBuf>> {
        require_replaceable(asked)?;
        let resolved = self.follow_link(asked)?;
        let target = resolved.as_deref().unwrap_or(asked);
        let is_elsewhere = |output: &Output| folder(&output.target) != folder(target);
        if self.outputs.iter().all(is_elsewhere) {
            // Complete interrupted replacements now, so that they do not overwrite this one later.
            finish_journals(target)?;
        }
        if !self.force && std::fs::symlink_metadata(target).is_ok() {
            return Err(Error::new(ErrorKind::Exists).in_path(target));
        }
        self.require_one_set(asked, target)?;
        // Completing a replacement may have changed what is there.
        require_replaceable(target)?;
        Ok(resolved)
    }

    /// Checks that the files of one set stay files of one set, in one folder, where links lead: a main
    /// file among the companions of another set would destroy that.
    fn require_one_set(&self, asked: &Path, target: &Path) -> Result<()> {
        let is_link = |asked: &Path, target: &Path| asked != target;
        let mut outputs = self.outputs.iter();
        if !is_link(asked, target) && !outputs.any(|other| is_link(&other.asked, &other.target)) {
            return Ok(());
        }
        let is_of_set = |output: &&Output| {
            set_name(&output.asked) == set_name(asked) && folder(&output.asked) == folder(asked)
        };
        for other in self.outputs.iter().filter(is_of_set) {
            let why = if identity(folder(&other.target)) != identity(folder(target)) {
                "is a link into another folder than the files of its set"
            } else if set_name(&other.target) != set_name(target) {
                "is a link to a file of another set"
            } else {
                continue;
            };
            let link = if is_link(asked, target) {
                asked
            } else {
                &other.asked
            };
            let text = format!("{why}; name the file that it leads to instead");
            let error = Error::new(ErrorKind::NotReplaceable(text));
            return Err(error.in_path(link).in_output());
        }
        Ok(())
    }

    /// The file that a target leads to if it is a symbolic link that may be replaced.
    fn follow_link(&mut self, target: &Path) -> Result<Option<PathBuf>> {
        let is_link = std::fs::symlink_metadata(target).is_ok_and(|data| data.is_symlink());
        if !is_link {
            return Ok(None);
        }
        let resolved = match existing_path(target) {
            Ok(resolved) if self.force => resolved,
            Ok(_) => return Ok(None),
            Err(error) if error.is_not_found() => {
                let text = "is a link to a file that does not exist; name that file instead";
                let error = Error::new(ErrorKind::NotReplaceable(text.to_owned()));
                return Err(error.in_path(target).in_output());
            }
            Err(error) => return Err(error),
        };
        Ok(Some(resolved))
    }

    /// The file with the number that [`create`](Self::create) returned.
    pub fn file(&mut self, number: usize) -> Option<&mut Output> {
        self.outputs.get_mut(number)
    }

    /// Removes the file that was added last; [`file`](Self::file) knows it no more.
    pub fn remove_last(&mut self) {
        self.outputs.pop();
    }

    /// Removes an old file, which does not belong to the new ones, on [`commit`](Self::commit). It need
    /// not exist.
    pub fn obsolete(&mut self, path: PathBuf) {
        self.obsolete.push(path);
    }

    /// Writes everything to disk and gives the files their names, the first one last. Returns the names
    /// in order of creation and the total number of bytes. In a [transaction](super::Transaction) the files get
    /// these names later.
    ///
    /// # Errors
    /// When a file cannot be written or named. All old files then have their names again, and the new
    /// ones are removed.
    pub fn commit(mut self) -> Result<(Vec<PathBuf>, u64)> {
        let bytes = self.write_to_disk()?;
        let names = self.targets();
        match self.written_sets.take() {
            Some(sets) => sets
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(self),
            None => self.name_all()?,
        }
        Ok((names, bytes))
    }

    /// Writes everything to disk; returns the number of bytes.
    fn write_to_disk(&mut self) -> Result<u64> {
        let mut bytes = 0;
        for output in &mut self.outputs {
            output.keep_permissions();
        }
        // In parallel: each sync waits for the disk.
        for output in &mut self.outputs {
            let begun = output.begin_sync();
            begun.map_err(|error| Error::from(error).in_path(&output.target))?;
        }
        for output in &mut self.outputs {
            let synced = output.end_sync();
            bytes += synced.map_err(|error| Error::from(error).in_path(&output.target))?;
        }
        Ok(bytes)
    }

    /// The names of the files, in order of creation.
    pub(super) fn targets(&self) -> Vec<PathBuf> {
        let targets = self.outputs.iter();
        targets.map(|output| output.target.clone()).collect()
    }

    /// Adds the files of another set, which are written to disk, after those of this one.
    pub(super) fn append(&mut self, mut other: Self) {
        let home = self.outputs.first().map(|output| output.target.clone());
        for output in &mut other.outputs {
            if let Some(home) = &home {
                output.move_next_to(home);
            }
        }
        self.outputs.append(&mut other.outputs);
        self.obsolete.append(&mut other.obsolete);
        self.locks.append(&mut other.locks);
        other.folders.append(&mut self.folders);
        self.folders = std::mem::take(&mut other.folders);
    }

    /// Gives the files, which are written to disk, their names.
    pub(super) fn name_all(self) -> Result<()> {
        let names = self.targets();
        // One process at a time gives names in a folder, so that sets are never mixed.
        let _locks = self.lock_folders()?;
        for path in names.iter().chain(&self.obsolete) {
            require_replaceable(path)?;
        }
        if let Some(lock) = self.locks.iter().find(|lock| !lock.is_current()) {
            return Err(Error::new(ErrorKind::Replaced).in_path(lock.path()));
        }
        self.name_in_all_folders()?;
        stale_files::clear(&names);
        Ok(())
    }

    /// Locks the folders of all files, in the order of their paths: so two processes never wait for
    /// each other.
    fn lock_folders(&self) -> Result<Vec<FolderLock>> {
        let mut targets: Vec<&Path> = self.outputs.iter().map(Output::target).collect();
        targets.sort_by_key(|target| folder(target));
        // A process that locks a folder under two names waits for itself.
        targets.dedup_by_key(|target| folder(target));
        let mut targets: Vec<_> = targets
            .into_iter()
            .map(|target| (identity(folder(target)), target))
            .collect();
        targets.sort();
        targets.dedup_by(|one, other| one.0 == other.0);
        let mut locks = Vec::new();
        for (_, target) in targets {
            // This completes the replacements of processes that ended since the files were created.
            locks.push(FolderLock::acquire(target)?);
        }
        Ok(locks)
    }

    /// Files in other folders than the first one get their names before those in its folder: a journal
    /// lists the files of one folder.
    fn name_in_all_folders(mut self) -> Result<()> {
        let names = self.targets();
        self.obsolete
            .retain(|path| !names.contains(path) && path.exists());
        let home = names.first().map(|name| folder(name).to_path_buf());
        let is_at_home = |path: &Path| home.as_deref() == Some(folder(path));
        let outputs = std::mem::take(&mut self.outputs);
        let (outputs, mut elsewhere): (Vec<_>, Vec<_>) = outputs
            .into_iter()
            .partition(|output| is_at_home(&output.target));
        self.outputs = outputs;
        let obsolete = std::mem::take(&mut self.obsolete);
        let (obsolete, obsolete_elsewhere): (Vec<_>, Vec<_>) =
            obsolete.into_iter().partition(|path| is_at_home(path));
        self.obsolete = obsolete;
        let mut named = name_each(&mut elsewhere, &obsolete_elsewhere)?;
        match self.name_at_home() {
            Ok(at_home) => named.extend(at_home),
            Err(error) => {
                undo_names(&mut named);
                return Err(error);
            }
        }
        named.into_iter().for_each(Named::remove_old);
        Ok(())
    }

    /// Gives the files in the folder of the first one their names.
    fn name_at_home(&mut self) -> Result<Vec<Named>> {
        if self.needs_journal() && self.replace()? {
            return Ok(Vec::new());
        }
        name_each(&mut self.outputs, &self.obsolete)
    }

    /// Whether a killed process could leave some files with and others without their names, although a set
    /// is complete with its main file, which gets its name last.
    fn needs_journal(&self) -> bool {
        let mut names = self.outputs.iter().map(|output| &output.target);
        let replaces = self.outputs.iter().any(|output| {
            let is_there = std::fs::symlink_metadata(&output.target).is_ok();
            output.force && is_there
        });
        let first = names.next().and_then(|name| set_name(name));
        let is_joint = names.any(|name| set_name(name) != first);
        self.outputs.len() + self.obsolete.len() > 1 && (replaces || is_joint)
    }

    /// Replaces a set by another with the help of a journal; `false` if a journal cannot describe it.
    fn replace(&mut self) -> Result<bool> {
        let mut steps = Vec::new();
        for output in &mut self.outputs {
            let new = output.hide();
            let new = new.map_err(|error| Error::from(error).in_path(&output.target))?;
            steps.push(Step {
                new: Some(new),
                old: temporary_name(&output.target),
                target: output.target.clone(),
            });
        }
        steps.extend(self.obsolete.iter().map(|path| Step {
            new: None,
            old: temporary_name(path),
            target: path.clone(),
        }));
        let main = steps.first().map(|step| step.target.clone());
        let main = main.unwrap_or_default();
        let journal = Journal::write(steps);
        let Some(journal) = journal.map_err(|error| Error::from(error).in_path(&main))? else {
            return Ok(false);
        };
        let mut moved = Vec::new();
        // Files that are only removed may be.
        let forces = self.outputs.iter().map(|output| output.force);
        let forces: Vec<bool> = forces
            .chain(std::iter::repeat_n(true, self.obsolete.len()))
            .collect();
        if let Err((error, path)) = move_all(journal.steps(), &forces, &mut moved) {
            if !undo(journal, &moved) {
                // The new files are needed to complete the replacement later.
                for output in &mut self.outputs {
                    output.temporary = None;
                }
            }
            return Err(name_error(error).in_path(&path));
        }
        for output in &mut self.outputs {
            output.temporary = None;
        }
        sync_folder(&main);
        journal.clean_up();
        Ok(true)
    }
}

/// The absolute path of a folder without symbolic links; the path itself if there is no such folder.
fn identity(folder: &Path) -> PathBuf {
    folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf())
}

/// Gives files their names one by one, the first one last: all of them or none. `obsolete` files lose theirs.
fn name_each(outputs: &mut [Output], obsolete: &[PathBuf]) -> Result<Vec<Named>> {
    let mut named = Vec::new();
    if let Err(error) = name_each_into(outputs, obsolete, &mut named) {
        undo_names(&mut named);
        return Err(error);
    }
    Ok(named)
}

/// As [`name_each`]; `named` lists the files that have got or lost their names, also after an error.
fn name_each_into(
    outputs: &mut [Output],
    obsolete: &[PathBuf],
    named: &mut Vec<Named>,
) -> Result<()> {
    for target in main_files(outputs, obsolete).iter().chain(obsolete) {
        let hidden = hide_old(target).map_err(|error| Error::from(error).in_path(target))?;
        named.extend(hidden);
    }
    for output in outputs.iter_mut().rev() {
        let done = output.name();
        named.push(done.map_err(|error| name_error(error).in_path(&output.target))?);
    }
    Ok(())
}

/// The main files, which may be replaced, of those sets of which several files change. They have to lose
/// their names first: else a reader takes new companions for those of the old main file, also after this
/// process was killed.
fn main_files(outputs: &[Output], obsolete: &[PathBuf]) -> Vec<PathBuf> {
    let set = |path: &Path| (folder(path).to_path_buf(), set_name(path));
    let mut sets: Vec<(&Output, usize)> = Vec::new();
    let targets = outputs
        .iter()
        .map(|output| (Some(output), output.target.as_path()));
    let obsolete = obsolete.iter().map(|path| (None, path.as_path()));
    for (output, path) in targets.chain(obsolete) {
        let mut known = sets.iter_mut();
        match known.find(|(main, _)| set(&main.target) == set(path)) {
            Some((_, files)) => *files += 1,
            None => sets.extend(output.map(|main| (main, 1))),
        }
    }
    let replaced = sets
        .into_iter()
        .filter(|(main, files)| *files > 1 && main.force);
    replaced.map(|(main, _)| main.target.clone()).collect()
}

/// Gives an old file a hidden name; `None` if there is none.
fn hide_old(target: &Path) -> io::Result<Option<Named>> {
    if std::fs::symlink_metadata(target).is_err() {
        return Ok(None);
    }
    let old = temporary_name(target);
    rename(target, &old)?;
    Ok(Some(Named {
        target: target.to_path_buf(),
        old: Some(old),
    }))
}

/// Takes the names back, the last one first.
fn undo_names(named: &mut Vec<Named>) {
    named.drain(..).rev().for_each(Named::undo);
}

/// Gives the old files hidden names, the main file first, and the new ones their names, the main file
/// last. `forces` are those of the steps: whether a file may be replaced. `moved` lists the renamed files, also after an error.
fn move_all(
    steps: &[Step],
    forces: &[bool],
    moved: &mut Vec<(PathBuf, PathBuf)>,
) -> std::result::Result<(), (io::Error, PathBuf)> {
    let mut step_done = |from: &Path, to: &Path, target: &Path| {
        rename(from, to).map_err(|error| (error, target.to_path_buf()))?;
        moved.push((from.to_path_buf(), to.to_path_buf()));
        Ok(())
    };
    for (step, &force) in steps.iter().zip(forces) {
        if std::fs::symlink_metadata(&step.target).is_ok() {
            if !force {
                return Err((io::ErrorKind::AlreadyExists.into(), step.target.clone()));
            }
            step_done(&step.target, &step.old, &step.target)?;
        }
    }
    for (step, &force) in steps.iter().zip(forces).rev() {
        if let Some(new) = &step.new {
            // Of another program, since the names were checked.
            if !force && std::fs::symlink_metadata(&step.target).is_ok() {
                return Err((io::ErrorKind::AlreadyExists.into(), step.target.clone()));
            }
            step_done(new, &step.target, &step.target)?;
        }
    }
    Ok(())
}

/// Gives the old files their names back, the main file last, then removes the journal. Until then the new
/// set counts: if the process is killed, or a file cannot be renamed (`false`), it is completed later.
fn undo(journal: Journal, moved: &[(PathBuf, PathBuf)]) -> bool {
    let mut renames = moved.iter().rev();
    if renames.any(|(from, to)| rename(to, from).is_err()) {
        return false;
    }
    // If it stays, it is about files that are no longer there.
    let _ = journal.cancel();
    true
}

/// A file that has got its name, and how to undo that.
#[derive(Debug)]
struct Named {
    target: PathBuf,
    /// The replaced file under a hidden name; `None` if nothing was replaced.
    old: Option<PathBuf>,
}

impl Named {
    /// Restores the old file. A failure is ignored.
    fn undo(self) {
        let _ = match &self.old {
            Some(old) => rename(old, &self.target),
            None => remove(&self.target),
        };
    }

    /// Removes the old file. A failure is ignored: its hidden name is not read.
    fn remove_old(self) {
        if let Some(old) = &self.old {
            let _ = remove(old);
        }
    }
}

fn name_error(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::AlreadyExists {
        Error::new(ErrorKind::Exists)
    } else {
        Error::from(error)
    }
}

fn join(running: JoinHandle<io::Result<()>>) -> io::Result<()> {
    running
        .join()
        .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

/// A folder that is removed on drop if it is empty.
#[derive(Debug)]
struct NewFolder(PathBuf);

impl Drop for NewFolder {
    fn drop(&mut self) {
        // This fails if there is a file in it.
        let _ = std::fs::remove_dir(&self.0);
    }
}

impl Output {
    /// The name the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The bytes written so far.
    ///
    /// # Errors
    /// When they cannot be written to disk or read again.
    pub fn read_back(&mut self) -> Result<Blob> {
        let flushed = self.flush();
        flushed.map_err(|error| Error::from(error).in_path(&self.target).in_output())?;
        let read = |path: &Path| {
            Blob::read(path).map_err(|error| Error::from(error).in_path(&self.target).in_output())
        };
        if let Some(temporary) = &self.temporary {
            return read(temporary);
        }
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let file = self.file.as_ref();
            let file = file.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
            let number = file.get_ref().0.as_raw_fd();
            read(Path::new(&format!("/proc/self/fd/{number}")))
        }
        #[cfg(not(target_os = "linux"))]
        Err(Error::from(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Gives the new file the permissions, the owner and the group of the file that it replaces, as far as
    /// the system allows that.
    fn keep_permissions(&mut self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
            let old = std::fs::metadata(&self.target).ok();
            let adopted = self.temporary.as_ref().filter(|_| self.is_adopted);
            let adopted = adopted.and_then(|path| File::open(path).ok());
            let file = self.file.as_ref().map(|file| &file.get_ref().0);
            let file = file.or(adopted.as_ref());
            let (Some(old), Some(file)) = (old.filter(std::fs::Metadata::is_file), file) else {
                return;
            };
            let Ok(new) = file.metadata() else {
                return;
            };
            let mut mode = old.mode() & 0o777;
            if new.uid() != old.uid() || new.gid() != old.gid() {
                // Only the administrator may give a file to another user, and each user to own groups.
                let group = || fchown(file, None, Some(old.gid()));
                let changed = fchown(file, Some(old.uid()), Some(old.gid())).or_else(|_| group());
                if changed.is_err() {
                    // Another group gets no more than all others.
                    mode = mode & !0o070 | (mode & 0o007) << 3;
                }
            }
            let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
        }
    }

    fn inner(&mut self) -> io::Result<&mut BufWriter<DiskFile>> {
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// Starts a background sync: bytes written so far go to disk while more are written, which leaves
    /// less work for [`commit`](OutputSet::commit). Large files do so by themselves at intervals. Does
    /// nothing while an earlier sync is running.
    ///
    /// # Errors
    /// When an earlier sync has failed.
    pub fn start_sync(&mut self) -> io::Result<()> {
        if let Some(running) = self.syncing.take() {
            if !running.is_finished() {
                self.syncing = Some(running);
                return Ok(());
            }
            join(running)?;
        }
        self.unsynced = 0;
        self.sync_interval = (2 * self.sync_interval).min(MAX_SYNC_INTERVAL);
        self.spawn_sync(File::sync_data)
    }

    /// Syncs on a thread. If none can be started, [`end_sync`](Self::end_sync) does the work.
    fn spawn_sync(&mut self, sync: fn(&File) -> io::Result<()>) -> io::Result<()> {
        let file = self.inner()?.get_ref().0.try_clone()?;
        let thread = std::thread::Builder::new().spawn(move || sync(&file));
        self.syncing = thread.ok();
        Ok(())
    }

    /// Flushes the buffer and starts to sync the complete file.
    fn begin_sync(&mut self) -> io::Result<()> {
        if self.is_adopted {
            return Ok(());
        }
        // The system reports a failed sync only once.
        self.syncing.take().map_or(Ok(()), join)?;
        self.inner()?.flush()?;
        failure_injection::step()?;
        self.spawn_sync(File::sync_all)
    }

    /// Waits until the complete file is on disk; returns its length in bytes.
    fn end_sync(&mut self) -> io::Result<u64> {
        if let Some(adopted) = self.temporary.as_ref().filter(|_| self.is_adopted) {
            return Ok(std::fs::metadata(adopted)?.len());
        }
        let synced = self.syncing.take().map(join);
        let file = &self.inner()?.get_ref().0;
        synced.unwrap_or_else(|| file.sync_all())?;
        Ok(file.metadata()?.len())
    }

    /// Closes the file under a hidden name, which is returned.
    fn hide(&mut self) -> io::Result<PathBuf> {
        if let Some(temporary) = &self.temporary {
            self.file = None;
            return Ok(temporary.clone());
        }
        let temporary = temporary_name(&self.target);
        link(&self.inner()?.get_ref().0, &temporary)?;
        self.temporary = Some(temporary.clone());
        self.file = None;
        Ok(temporary)
    }

    /// Changes only the path of the folder, if the file is in that of `home` under another path.
    fn move_next_to(&mut self, home: &Path) {
        let canonical = |path: &Path| folder(path).canonicalize().ok();
        let (own, its) = (canonical(&self.target), canonical(home));
        if own.is_none() || own != its {
            return;
        }
        for path in std::iter::once(&mut self.target).chain(&mut self.temporary) {
            if let Some(name) = path.file_name() {
                *path = home.with_file_name(name);
            }
        }
    }

    /// Closes the file under its target's name.
    fn name(&mut self) -> io::Result<Named> {
        let force = self.force;
        let target = self.target.clone();
        let mut named = Named { target, old: None };
        if self.temporary.is_none() {
            let Some(file) = self.file.as_ref() else {
                return Ok(named);
            };
            match link(&file.get_ref().0, &self.target) {
                Ok(()) => {
                    self.file = None;
                    return Ok(named);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && force => {
                    // Only a rename replaces a file, and it needs a name to start from.
                    let temporary = temporary_name(&self.target);
                    link(&file.get_ref().0, &temporary)?;
                    self.temporary = Some(temporary);
                }
                Err(error) => return Err(error),
            }
        }
        self.file = None;
        let Some(temporary) = &self.temporary else {
            return Ok(named);
        };
        if force {
            let old = temporary_name(&self.target);
            match hard_link(&self.target, &old) {
                Ok(()) => named.old = Some(old),
                Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
                // Nothing to replace, or the file system has no hard links.
                Err(_) => {}
            }
            if let Err(error) = rename(temporary, &self.target) {
                named.remove_old();
                return Err(error);
            }
        } else {
            rename_new(temporary, &self.target)?;
        }
        self.temporary = None;
        Ok(named)
    }
}

impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner()?.write(bytes)?;
        self.unsynced += written;
        if self.unsynced >= self.sync_interval {
            self.start_sync()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner()?.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner()?.seek(to)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.file = None;
        if let Some(temporary) = self.temporary.take() {
            // There is no way to report an error here.
            let _ = remove(&temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::failure_injection::{FailureInjection, FailureMode};
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn nothing_shows_before_the_commit() {
        let folder = Scratch::new("commit");
        let target = folder.join("a.pgn");
        let mut set = OutputSet::new(false);
        let number = set.create(&target).unwrap();
        set.file(number).unwrap().write_all(b"x").unwrap();
        assert!(!target.exists());
        let (names, bytes) = set.commit().unwrap();
        assert_eq!((names, bytes), (vec![target.clone()], 1));
        assert_eq!(std::fs::read(&target).unwrap(), b"x");

        let error = OutputSet::new(false).create(&target).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));

        let mut set = OutputSet::new(true);
        let number = set.create(&target).unwrap();
        set.file(number).unwrap().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"x");
        set.commit().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(folder.names().len(), 1);
    }

    #[test]
    fn synced_bytes_are_in_the_file() {
        let folder = Scratch::new("synced");
        let mut set = OutputSet::new(false);
        let number = set.create(&folder.join("a")).unwrap();
        let out = set.file(number).unwrap();
        for _ in 0..3 {
            out.write_all(b"piece").unwrap();
            out.start_sync().unwrap();
        }
        set.commit().unwrap();
        let text = std::fs::read(folder.join("a")).unwrap();
        assert_eq!(text, b"piecepiecepiece");
    }

    #[test]
    fn large_files_are_synced_while_they_are_written() {
        let folder = Scratch::new("large");
        let mut set = OutputSet::new(false);
        let number = set.create(&folder.join("a")).unwrap();
        let out = set.file(number).unwrap();
        let piece = vec![b'x'; FIRST_SYNC_INTERVAL / 4];
        for _ in 0..3 {
            out.write_all(&piece).unwrap();
        }
        assert!(out.syncing.is_none() && out.unsynced == 3 * piece.len());
        out.write_all(&piece).unwrap();
        assert!(out.syncing.is_some() && out.unsynced == 0);
        assert_eq!(out.sync_interval, 2 * FIRST_SYNC_INTERVAL);
        let (_, bytes) = set.commit().unwrap();
        assert_eq!(bytes, FIRST_SYNC_INTERVAL as u64);
    }

    #[test]
    fn a_dropped_set_leaves_nothing() {
        let folder = Scratch::new("drop");
        let mut set = OutputSet::new(false);
        set.create(&folder.join("a")).unwrap();
        set.create(&folder.join("b")).unwrap();
        drop(set);
        assert_eq!(folder.names().len(), 0);
    }

    /// The names contain what a journal cannot hold, and the other set is in another folder than the first.
    #[cfg(unix)]
    #[test]
    fn sets_without_a_journal_are_never_mixed() {
        for (name, other) in [("a\nb", "a\nb"), ("first", "sub/set")] {
            let mut at = 0;
            loop {
                let folder = Scratch::new("no-journal");
                std::fs::create_dir(folder.join("sub")).unwrap();
                let files = ["one", "two", "old"];
                let path = |extension| folder.join(format!("{other}.{extension}"));
                for extension in files {
                    std::fs::write(path(extension), b"1").unwrap();
                }
                let mut set = OutputSet::new(true);
                for target in [folder.join(format!("{name}.one")), path("one"), path("two")] {
                    if set.outputs.iter().any(|output| output.target == target) {
                        continue;
                    }
                    let file = set.create(&target).unwrap();
                    set.file(file).unwrap().write_all(b"2").unwrap();
                }
                set.obsolete(path("old"));
                set.write_to_disk().unwrap();
                let failure = FailureInjection::start(FailureMode::Stops, at);
                let done = set.name_all();
                drop(failure);
                let now = files.map(|extension| std::fs::read(path(extension)).ok());
                let [one, two, old] = now.each_ref().map(Option::as_deref);
                let is_whole = match one {
                    Some(b"1") => two == Some(b"1") && old == Some(b"1"),
                    Some(b"2") => two == Some(b"2") && old.is_none(),
                    _ => one.is_none(),
                };
                assert!(is_whole, "{name:?}, step {at}: {now:?}");
                let bytes = folder.files();
                if one.is_none() && other == name {
                    assert!(bytes.values().any(|bytes| bytes == b"1"), "step {at}");
                }
                if done.is_ok() {
                    assert_eq!(one, Some(&b"2"[..]));
                    break;
                }
                at += 1;
            }
            assert!(at > 5, "{at}");
        }
    }

    #[test]
    fn a_target_that_appears_meanwhile_is_not_replaced() {
        let folder = Scratch::new("race");
        let target = folder.join("a");
        let mut set = OutputSet::new(false);
        set.create(&target).unwrap();
        std::fs::write(&target, b"theirs").unwrap();
        let error = set.commit().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
    }

    /// Writes files with this content.
    fn write(targets: &[PathBuf], text: &[u8]) -> Result<Vec<PathBuf>> {
        let mut set = OutputSet::new(true);
        for target in targets {
            let number = set.create(target)?;
            set.file(number).unwrap().write_all(text).unwrap();
        }
        Ok(set.commit()?.0)
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_their_files_are_replaced() {
        use std::os::unix::fs::symlink;
        let folder = Scratch::new("links");
        for name in ["data", "links", "other"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        for name in ["a.cbh", "a.cbg"] {
            std::fs::write(folder.join("data").join(name), b"old").unwrap();
            symlink(format!("../data/{name}"), folder.join("links").join(name)).unwrap();
        }
        let links = ["a.cbh", "a.cbg"].map(|name| folder.join("links").join(name));
        write(&links, b"new").unwrap();
        for name in ["a.cbh", "a.cbg"] {
            let link = folder.join("links").join(name);
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(
                std::fs::read(folder.join("data").join(name)).unwrap(),
                b"new"
            );
        }
        // A link without `force` is in the way.
        let error = OutputSet::new(false).create(&links[0]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));
        // No set over two folders.
        let apart = [folder.join("other/a.cbh"), folder.join("other/a.cbg")];
        symlink("../data/a.cbg", &apart[1]).unwrap();
        let error = write(&apart, b"apart").unwrap_err();
        assert!(error.to_string().contains("another folder"), "{error}");
        // No main file among the companions of another set.
        write(
            &[folder.join("data/b.cbh"), folder.join("data/b.cbg")],
            b"b",
        )
        .unwrap();
        let other_set = [folder.join("data/c.cbh"), folder.join("data/c.cbg")];
        symlink("b.cbh", &other_set[0]).unwrap();
        let error = write(&other_set, b"c").unwrap_err();
        assert!(error.to_string().contains("another set"), "{error}");
        assert_eq!(std::fs::read(folder.join("data/b.cbh")).unwrap(), b"b");
        // A single file may have any name.
        write(&other_set[..1], b"single").unwrap();
        assert_eq!(std::fs::read(folder.join("data/b.cbh")).unwrap(), b"single");
        for name in ["data/b.cbh", "data/b.cbg", "data/c.cbh"] {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
        // No file where a link leads to none.
        let lost = folder.join("links/lost.pgn");
        symlink("../data/lost.pgn", &lost).unwrap();
        let error = write(&[lost], b"x").unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        let names = |name: &str| std::fs::read_dir(folder.join(name)).unwrap().count();
        assert_eq!((names("data"), names("links"), names("other")), (2, 3, 1));
    }

    #[cfg(unix)]
    #[test]
    fn new_files_have_the_permissions_of_old_ones() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Scratch::new("modes");
        let targets = ["a.cbh", "a.cbg", "a.cba"].map(|name| folder.join(name));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&targets[2..], b"x").unwrap();
        let usual = mode(&targets[2]);
        std::fs::remove_file(&targets[2]).unwrap();
        for (path, bits) in targets.iter().zip([0o600, 0o444]) {
            std::fs::write(path, b"old").unwrap();
            std::fs::set_permissions(path, PermissionsExt::from_mode(bits)).unwrap();
        }
        write(&targets, b"new").unwrap();
        assert_eq!(targets.map(|path| mode(&path)), [0o600, 0o444, usual]);
    }

    #[cfg(unix)]
    #[test]
    fn files_left_over_from_ended_processes_are_removed() {
        let folder = Scratch::new("left-over");
        let target = folder.join("a.pgn");
        let left_over = folder.join(format!(".a.pgn.{}-1.tmp", u32::MAX));
        let locked = folder.join(format!(".a.pgn.{}-2.tmp", u32::MAX));
        std::fs::write(&left_over, b"x").unwrap();
        let other = File::create(&locked).unwrap();
        other.lock().unwrap();
        let mut set = OutputSet::new(false);
        set.create(&target).unwrap();
        set.commit().unwrap();
        assert!(!left_over.exists());
        assert!(
            locked.exists(),
            "a living process of another machine has it"
        );
        drop(other);
    }
}
