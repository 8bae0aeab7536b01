//! The folder for what outlives a run: the key of the page.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tabia::Error;
use tabia_serve::Key;

const KEY_FILE: &str = "serve-key";

/// The user's folder for the state of programs; `None` if the environment names none.
#[derive(Debug)]
pub(super) struct StateFolder(Option<PathBuf>);

impl StateFolder {
    pub(super) fn from_environment() -> Self {
        let variable = |name: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
            Some(PathBuf::from(value)).filter(|path| path.is_absolute())
        };
        let folder = if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            variable("XDG_STATE_HOME")
                .or_else(|| Some(variable("HOME")?.join("Library/Application Support")))
        } else {
            variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))
        };
        Self(folder.map(|folder| folder.join("tabia")))
    }

    /// The stored key; a new one if there is none, or if `replace`. Without a folder the key is that of this run.
    ///
    /// # Errors
    /// When the system has no random numbers, or the key cannot be stored.
    pub(super) fn key(&self, replace: bool) -> Result<Key, Error> {
        let path = self.0.as_ref().map(|folder| folder.join(KEY_FILE));
        if let (Some(path), false) = (&path, replace)
            && let Ok(text) = fs::read_to_string(path)
            && let Some(key) = Key::parse(&text)
            && is_private(path)
        {
            return Ok(key);
        }
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::unsupported(format!("no random numbers: {error}")))?;
        let key = Key::from_bytes(bytes);
        self.write(KEY_FILE, format!("{}\n", key.as_str()).as_bytes())?;
        Ok(key)
    }

    /// Where files are stored that are dropped on the page; `None` without a folder.
    pub(super) fn for_dropped_files(&self) -> Option<PathBuf> {
        self.0.as_ref().map(|folder| folder.join("dropped"))
    }

    /// Writes a file that only the user can read, and returns its path; `None` without a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<Option<PathBuf>, Error> {
        let Some(folder) = &self.0 else {
            return Ok(None);
        };
        let path = folder.join(name);
        let written = fs::create_dir_all(folder).and_then(|()| {
            let hidden = folder.join(format!(".{name}.{}.tmp", std::process::id()));
            let _ = fs::remove_file(&hidden);
            let result = write_private(&hidden, bytes).and_then(|()| fs::rename(&hidden, &path));
            if result.is_err() {
                let _ = fs::remove_file(&hidden);
            }
            result
        });
        written.map_err(|error| Error::from(error).in_path(&path).in_output())?;
        Ok(Some(path))
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Whether other users cannot read the file.
#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| {
        let of_others = metadata.permissions().mode() & 0o077;
        of_others == 0
    })
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}
