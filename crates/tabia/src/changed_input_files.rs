//! Notices that another program changes the files of an input while they are read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tabia_core::Error;
use tabia_core::io::SourceFile;

use crate::input::{InputItem, Origin};

/// Lengths and times of the files of an input, to notice that another program changes them. Streams and members
/// of archives have none.
///
/// ```
/// use tabia::FileStates;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let name = format!("tabia-doc-states-{}.pgn", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// std::fs::write(&path, "1. e4 *\n")?;
/// let items = tabia::Resolver::default().resolve_games(path.as_os_str())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let before = FileStates::of(&items[0]);
/// before.check()?;
/// std::fs::write(&path, "1. e4 e5 *\n")?;
/// assert!(before.check().is_err() && before != FileStates::of(&items[0]));
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStates(Vec<(PathBuf, FileState)>);

/// Length, and time of the last change; `None` for a file that is not there.
type FileState = Option<(u64, Option<SystemTime>)>;

impl FileStates {
    /// The present states of the files of `item`.
    pub fn of(item: &InputItem) -> Self {
        let paths: Vec<PathBuf> = match &item.origin {
            Origin::Packed(path) => vec![path.clone()],
            Origin::Files(source) => {
                let companions = item.format().companions();
                let is_companion = |path: &&Path| {
                    let extension = path.extension().unwrap_or_default().to_string_lossy();
                    let mut known = companions.iter().map(|companion| companion.extension);
                    known.any(|known| extension.eq_ignore_ascii_case(known))
                };
                let siblings = source.siblings().iter().filter_map(SourceFile::path);
                let main = source.main().path();
                let files = siblings.filter(is_companion).chain(main);
                files.map(Path::to_path_buf).collect()
            }
            Origin::PackedInMemory(_) | Origin::Once(_) | Origin::Member { .. } => Vec::new(),
        };
        let files = paths.into_iter().map(|path| (Self::state(&path), path));
        Self(files.map(|(state, path)| (path, state)).collect())
    }

    fn state(path: &Path) -> FileState {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }

    /// Whether the files are still in these states.
    ///
    /// # Errors
    /// With the first file that is not.
    pub fn check(&self) -> Result<(), Error> {
        let changed = self
            .0
            .iter()
            .find(|(path, state)| Self::state(path) != *state);
        match changed {
            None => Ok(()),
            Some((path, _)) => {
                let text = "changed while it was read; read it again when no program writes it";
                Err(Error::invalid(text).in_path(path).in_input())
            }
        }
    }
}
