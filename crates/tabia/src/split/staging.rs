//! Files of several sets that get their names together.

use std::path::{Path, PathBuf};

use tabia_core::formats::CreateOptions;
use tabia_core::io::{CompanionNames, TemporaryFile, name_text};
use tabia_core::{Error, GameFormat};

use crate::hidden_folder::HiddenFolder;
use crate::input::InputItem;

/// The files, in a hidden folder. It is removed on drop, with all that is left in it.
#[derive(Debug)]
pub(super) struct Staging {
    hidden: HiddenFolder,
    /// Where the files go.
    folder: PathBuf,
    format: &'static GameFormat,
    options: CreateOptions,
}

impl Staging {
    /// Next to `target`.
    pub(super) fn new(
        target: &Path,
        format: &'static GameFormat,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        Ok(Self {
            hidden: HiddenFolder::new(target)?,
            folder: TemporaryFile::folder_of(target).to_path_buf(),
            format,
            options: options.clone(),
        })
    }

    /// Where the file of that name is written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.hidden.path().join(name)
    }

    /// Gives the files their names in the folder of the target: all of them, or none. Files of `inputs`
    /// are never replaced.
    pub(super) fn commit(
        &self,
        files: &[PathBuf],
        inputs: &[InputItem],
    ) -> Result<Vec<PathBuf>, Error> {
        let mut outputs = self.options.outputs();
        for file in files {
            let name = Path::new(file.file_name().unwrap_or_default());
            // A name in this folder is shown as it was given.
            let target = if self.folder == Path::new(".") {
                name.to_path_buf()
            } else {
                self.folder.join(name)
            };
            let path = std::fs::canonicalize(&target).ok();
            let is_same = |item: &InputItem| std::fs::canonicalize(item.label()).ok() == path;
            if self.options.force && path.is_some() && inputs.iter().any(is_same) {
                let text = format!(
                    "{}: the output would replace an input",
                    name_text(target.as_os_str())
                );
                return Err(Error::usage(text));
            }
            outputs.adopt(file, &target).map_err(Error::in_output)?;
            for companion in self.companions(&target)? {
                outputs.obsolete(companion);
            }
        }
        let (names, _) = outputs.commit().map_err(Error::in_output)?;
        Ok(names)
    }

    /// The companions of an old set with that main file, which would belong to the new set.
    fn companions(&self, target: &Path) -> Result<Vec<PathBuf>, Error> {
        let extension = target.extension().and_then(|extension| extension.to_str());
        let is_main = extension.is_some_and(|name| self.format.file.extensions.contains(&name));
        if !is_main || !self.options.force {
            return Ok(Vec::new());
        }
        let companions = self.format.file.companions.iter();
        let names = CompanionNames::of(target)?;
        let paths = companions.map(|companion| names.path(companion.extension));
        Ok(paths.filter(|path| path.exists()).collect())
    }
}
