//! A hidden folder for files that get their names together.

use std::io;
use std::path::{Path, PathBuf};

use tabia_core::io::TemporaryFile;
use tabia_core::{Error, ErrorKind, GameFormat};

use crate::input::InputItem;

/// The folder. It is removed on drop, with all that is left in it.
#[derive(Debug)]
pub(super) struct Staging {
    hidden: PathBuf,
    /// Where the files go.
    folder: PathBuf,
    format: &'static GameFormat,
    force: bool,
    /// Number of replaced files.
    old: usize,
}

impl Staging {
    /// Next to `target`.
    pub(super) fn new(
        target: &Path,
        format: &'static GameFormat,
        force: bool,
    ) -> Result<Self, Error> {
        let folder = TemporaryFile::folder_of(target).to_path_buf();
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        for number in 0..u32::MAX {
            let hidden = folder.join(format!(".{name}.{process}-{number}.tmp"));
            match std::fs::create_dir(&hidden) {
                Ok(()) => {
                    return Ok(Self {
                        hidden,
                        folder,
                        format,
                        force,
                        old: 0,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::from(error).in_path(&folder).in_output()),
            }
        }
        Err(Error::new(ErrorKind::Exists).in_path(&folder).in_output())
    }

    /// Where the file of that name is written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.hidden.join(name)
    }

    /// Gives the files their names in the folder of the target: all of them, or none. Files of `inputs`
    /// are never replaced.
    pub(super) fn commit(
        &mut self,
        files: &[PathBuf],
        inputs: &[InputItem],
    ) -> Result<Vec<PathBuf>, Error> {
        let named = |file: &PathBuf| self.folder.join(file.file_name().unwrap_or_default());
        let targets: Vec<PathBuf> = files.iter().map(named).collect();
        let mut replaced = Vec::new();
        for target in &targets {
            replaced.extend(self.companions(target));
            if std::fs::symlink_metadata(target).is_err() {
                continue;
            }
            let exists = || Error::new(ErrorKind::Exists).in_path(target).in_output();
            if !self.force {
                return Err(exists());
            }
            let path = std::fs::canonicalize(target).ok();
            let is_same = |item: &InputItem| std::fs::canonicalize(item.label()).ok() == path;
            if path.is_some() && inputs.iter().any(is_same) {
                let text = format!("{}: the output would replace an input", target.display());
                return Err(Error::usage(text));
            }
        }
        let mut done = Vec::new();
        let result = self.name_all(files, &targets, &replaced, &mut done);
        if let Err((error, path)) = result {
            for (from, to) in done.iter().rev() {
                let _ = std::fs::rename(to, from);
            }
            return Err(Error::from(error).in_path(&path).in_output());
        }
        Ok(targets)
    }

    /// The companions of an old set with that main file, which would belong to the new set.
    fn companions(&self, target: &Path) -> Vec<PathBuf> {
        let extension = target.extension().and_then(|extension| extension.to_str());
        let is_main = extension.is_some_and(|name| self.format.file.extensions.contains(&name));
        if !is_main || !self.force {
            return Vec::new();
        }
        let companions = self.format.file.companions.iter();
        let paths = companions.map(|companion| target.with_extension(companion.extension));
        paths.filter(|path| path.exists()).collect()
    }

    /// Renames the files; `done` lists the renamed ones, also after an error.
    fn name_all(
        &mut self,
        files: &[PathBuf],
        targets: &[PathBuf],
        replaced: &[PathBuf],
        done: &mut Vec<(PathBuf, PathBuf)>,
    ) -> Result<(), (io::Error, PathBuf)> {
        let mut rename = |from: &Path, to: &Path, path: &Path| {
            std::fs::rename(from, to).map_err(|error| (error, path.to_path_buf()))?;
            done.push((from.to_path_buf(), to.to_path_buf()));
            Ok(())
        };
        for old in replaced.iter().chain(targets.iter().filter(|_| self.force)) {
            if std::fs::symlink_metadata(old).is_ok() {
                let hidden = self.hidden.join(format!(".{}.old", self.old));
                self.old += 1;
                rename(old, &hidden, old)?;
            }
        }
        for (file, target) in files.iter().zip(targets) {
            if std::fs::symlink_metadata(target).is_ok() {
                let error = io::Error::from(io::ErrorKind::AlreadyExists);
                return Err((error, target.clone()));
            }
            rename(file, target, target)?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.hidden);
    }
}
