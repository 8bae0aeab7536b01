//! Files that appear complete or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::blob::Blob;
use super::disk::{
    DiskFile, folder, hard_link, link, open_unnamed, remove, rename, sync_folder, temporary_name,
};
use super::failure_injection;
use super::journal::{Journal, Step};
use super::stale_files;
use crate::error::{Error, ErrorKind, Result};

/// The files of one target under construction. None has its name before
/// [`commit`](OutputSet::commit); dropping the set leaves nothing behind.
///
/// On Linux the files have no name at all until then, so that even a killed process leaves
/// nothing; elsewhere, and on file systems without unnamed files, they have a hidden temporary
/// name beside the target, removed on drop.
///
/// Where several files replace others, a killed process may leave some of them under hidden names,
/// with a journal that says where they belong: [`Source`](super::Source) then finds the new set, and
/// the next `OutputSet` in that folder completes it. One that is killed before it wrote the journal
/// leaves hidden files; the next `OutputSet` that replaces the same files removes them (on Linux,
/// where it can be told that the process is gone).
#[derive(Debug)]
pub struct OutputSet {
    force: bool,
    outputs: Vec<Output>,
    /// Old files that go when the new ones come.
    obsolete: Vec<PathBuf>,
}

/// One file of an [`OutputSet`]: a buffered, seekable writer.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    /// `None` for a file without a name.
    temporary: Option<PathBuf>,
    file: Option<BufWriter<DiskFile>>,
    /// What was written so far, on its way to the disk.
    syncing: Option<JoinHandle<io::Result<()>>>,
    /// Bytes written since the last time that something was brought to the disk, and how many it
    /// takes for the next time.
    waiting: usize,
    patience: usize,
}

/// So many bytes are written before the first ones are brought to the disk while more is written,
/// and at most so many between one time and the next, which is twice as long each time.
const PATIENCE: usize = 4 << 20;
const MOST_PATIENCE: usize = 64 << 20;

/// Bytes that are gathered before they go to the system; pieces above that are not copied.
const BUFFER: usize = 1 << 16;

impl OutputSet {
    /// An empty set; `force` allows existing targets to be replaced.
    pub fn new(force: bool) -> Self {
        Self {
            force,
            outputs: Vec::new(),
            obsolete: Vec::new(),
        }
    }

    /// A new file that will be called `target`; the number is for [`OutputSet::file`]. The first
    /// file is the main one: it gets its name last.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] when the target exists and may not be replaced.
    pub fn create(&mut self, target: &Path) -> Result<usize> {
        let is_elsewhere = |output: &Output| folder(&output.target) != folder(target);
        if self.outputs.iter().all(is_elsewhere) {
            // What another process was stopped at, else it would be done after this.
            for journal in Journal::beside(target) {
                let done = journal.finish();
                done.map_err(|error| Error::from(error).in_path(target))?;
            }
        }
        if !self.force && std::fs::symlink_metadata(target).is_ok() {
            return Err(Error::new(ErrorKind::Exists).in_path(target));
        }
        if target.is_dir() {
            return Err(Error::from(io::Error::from(io::ErrorKind::IsADirectory)).in_path(target));
        }
        let (file, temporary) = failure_injection::step()
            .and_then(|()| open_unnamed(target))
            .map_err(|error| Error::from(error).in_path(target))?;
        let file = Some(BufWriter::with_capacity(BUFFER, DiskFile(file)));
        self.outputs.push(Output {
            target: target.to_path_buf(),
            temporary,
            file,
            syncing: None,
            waiting: 0,
            patience: PATIENCE,
        });
        Ok(self.outputs.len() - 1)
    }

    /// The file of that number.
    pub fn file(&mut self, number: usize) -> Option<&mut Output> {
        self.outputs.get_mut(number)
    }

    /// An old file that would not fit the new ones: it goes when they come. There may be none.
    pub fn obsolete(&mut self, path: PathBuf) {
        self.obsolete.push(path);
    }

    /// Writes everything to disk and gives the files their names, the first one last. Returns the
    /// names and the number of bytes in all.
    ///
    /// # Errors
    /// When something cannot be written or named; then all old files are in their places again, and
    /// no new one is.
    pub fn commit(self) -> Result<(Vec<PathBuf>, u64)> {
        let force = self.force;
        let (names, bytes) = self.name_all()?;
        if let Some(main) = names.first().filter(|_| force) {
            stale_files::clear(main);
        }
        Ok((names, bytes))
    }

    fn name_all(mut self) -> Result<(Vec<PathBuf>, u64)> {
        let mut bytes = 0;
        // All at once: each waits for the disk.
        for output in &mut self.outputs {
            let begun = output.begin_sync();
            begun.map_err(|error| Error::from(error).in_path(&output.target))?;
        }
        for output in &mut self.outputs {
            let synced = output.end_sync();
            bytes += synced.map_err(|error| Error::from(error).in_path(&output.target))?;
        }
        let names: Vec<PathBuf> = self.outputs.iter().map(|it| it.target.clone()).collect();
        self.obsolete
            .retain(|path| !names.contains(path) && path.exists());
        let replaces = names
            .iter()
            .any(|path| std::fs::symlink_metadata(path).is_ok());
        let is_several = names.len() + self.obsolete.len() > 1;
        if self.force && replaces && is_several && self.replace()? {
            return Ok((names, bytes));
        }
        let mut named = Vec::new();
        for output in self.outputs.iter_mut().rev() {
            match output.name(self.force) {
                Ok(done) => named.push(done),
                Err(error) => {
                    named.into_iter().rev().for_each(Named::undo);
                    return Err(name_error(error).in_path(&output.target));
                }
            }
        }
        named.into_iter().for_each(Named::keep);
        for path in &self.obsolete {
            remove(path).map_err(|error| Error::from(error).in_path(path))?;
        }
        Ok((names, bytes))
    }

    /// Replaces a set by another with the help of a journal; `false` when there can be none.
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
        if let Err((error, path)) = move_all(journal.steps(), &mut moved) {
            // Without the journal the old set counts, whose main file comes back last.
            let _ = journal.cancel();
            for (from, to) in moved.iter().rev() {
                let _ = rename(to, from);
            }
            return Err(Error::from(error).in_path(&path));
        }
        for output in &mut self.outputs {
            output.temporary = None;
        }
        sync_folder(&main);
        journal.forget();
        Ok(true)
    }
}

/// Takes the old files out of the way, the main file first, and gives the new ones their names, the
/// main file last. `moved` has what was done, also when something fails.
fn move_all(
    steps: &[Step],
    moved: &mut Vec<(PathBuf, PathBuf)>,
) -> std::result::Result<(), (io::Error, PathBuf)> {
    let mut go = |from: &Path, to: &Path, target: &Path| {
        rename(from, to).map_err(|error| (error, target.to_path_buf()))?;
        moved.push((from.to_path_buf(), to.to_path_buf()));
        Ok(())
    };
    for step in steps {
        if std::fs::symlink_metadata(&step.target).is_ok() {
            go(&step.target, &step.old, &step.target)?;
        }
    }
    for step in steps.iter().rev() {
        if let Some(new) = &step.new {
            go(new, &step.target, &step.target)?;
        }
    }
    Ok(())
}

/// A file that has its name, and how that is taken back.
#[derive(Debug)]
struct Named {
    target: PathBuf,
    /// The file that was replaced, under a name beside it; `None` when there was none.
    old: Option<PathBuf>,
}

impl Named {
    /// Puts things as they were. What does not go back stays.
    fn undo(self) {
        let _ = match &self.old {
            Some(old) => rename(old, &self.target),
            None => remove(&self.target),
        };
    }

    /// The old file goes.
    fn keep(self) {
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

impl Output {
    /// The name the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// What was written so far, as a reader will find it.
    ///
    /// # Errors
    /// When it cannot be written to disk or read again.
    pub fn read_back(&mut self) -> Result<Blob> {
        self.flush()?;
        if let Some(temporary) = &self.temporary {
            return Blob::open(temporary);
        }
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let number = self.inner()?.get_ref().0.as_raw_fd();
            Blob::open(Path::new(&format!("/proc/self/fd/{number}")))
        }
        #[cfg(not(target_os = "linux"))]
        Err(Error::from(io::Error::from(io::ErrorKind::NotFound)))
    }

    fn inner(&mut self) -> io::Result<&mut BufWriter<DiskFile>> {
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// Starts to bring what was written so far to the disk, while more is written, so that less is
    /// left for [`commit`](OutputSet::commit). Large files do so of themselves from time to time.
    /// Does nothing while an earlier call is at work.
    ///
    /// # Errors
    /// When what an earlier call brought to the disk did not get there.
    pub fn start_sync(&mut self) -> io::Result<()> {
        if let Some(running) = self.syncing.take() {
            if !running.is_finished() {
                self.syncing = Some(running);
                return Ok(());
            }
            join(running)?;
        }
        self.waiting = 0;
        self.patience = (2 * self.patience).min(MOST_PATIENCE);
        self.spawn_sync(File::sync_data)
    }

    /// Without a thread everything is left for the end.
    fn spawn_sync(&mut self, sync: fn(&File) -> io::Result<()>) -> io::Result<()> {
        let file = self.inner()?.get_ref().0.try_clone()?;
        let thread = std::thread::Builder::new().spawn(move || sync(&file));
        self.syncing = thread.ok();
        Ok(())
    }

    /// Starts to bring everything to the disk.
    fn begin_sync(&mut self) -> io::Result<()> {
        // A fault of the disk is told only once.
        self.syncing.take().map_or(Ok(()), join)?;
        self.inner()?.flush()?;
        failure_injection::step()?;
        self.spawn_sync(File::sync_all)
    }

    /// Waits until everything is on the disk; how many bytes that is.
    fn end_sync(&mut self) -> io::Result<u64> {
        let synced = self.syncing.take().map(join);
        let file = &self.inner()?.get_ref().0;
        synced.unwrap_or_else(|| file.sync_all())?;
        Ok(file.metadata()?.len())
    }

    /// Gives the file a hidden name, if it has none.
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

    fn name(&mut self, force: bool) -> io::Result<Named> {
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
                    // Only a rename replaces, and only what has a name can be renamed.
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
                // There is none, or none of the file system's files has two names.
                Err(_) => {}
            }
            if let Err(error) = rename(temporary, &self.target) {
                named.keep();
                return Err(error);
            }
        } else {
            // Unlike a rename, a link never replaces a file that appeared meanwhile.
            hard_link(temporary, &self.target)?;
            let _ = remove(temporary);
        }
        self.temporary = None;
        Ok(named)
    }
}

impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner()?.write(bytes)?;
        self.waiting += written;
        if self.waiting >= self.patience {
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
            // Nothing more can be done about a file that does not go away.
            let _ = remove(&temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tabia-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn nothing_shows_before_the_commit() {
        let folder = fresh("commit");
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
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_goes_to_the_disk_early_is_there() {
        let folder = fresh("behind");
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
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn large_files_go_to_the_disk_while_they_are_written() {
        let folder = fresh("large");
        let mut set = OutputSet::new(false);
        let number = set.create(&folder.join("a")).unwrap();
        let out = set.file(number).unwrap();
        let piece = vec![b'x'; PATIENCE / 4];
        for _ in 0..3 {
            out.write_all(&piece).unwrap();
        }
        assert!(out.syncing.is_none() && out.waiting == 3 * piece.len());
        out.write_all(&piece).unwrap();
        assert!(out.syncing.is_some() && out.waiting == 0);
        assert_eq!(out.patience, 2 * PATIENCE);
        let (_, bytes) = set.commit().unwrap();
        assert_eq!(bytes, PATIENCE as u64);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_dropped_set_leaves_nothing() {
        let folder = fresh("drop");
        let mut set = OutputSet::new(false);
        set.create(&folder.join("a")).unwrap();
        set.create(&folder.join("b")).unwrap();
        drop(set);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_target_that_appears_meanwhile_is_not_replaced() {
        let folder = fresh("race");
        let target = folder.join("a");
        let mut set = OutputSet::new(false);
        set.create(&target).unwrap();
        std::fs::write(&target, b"theirs").unwrap();
        let error = set.commit().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
