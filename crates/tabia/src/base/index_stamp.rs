//! From which files an index was made, and whether they are unchanged.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tabia_core::Result;
use tabia_core::io::Blob;

use crate::input::{InputItem, Origin};

/// First line of a stamp.
const TITLE: &str = "tabia index 1";
/// A file that was changed this shortly before its index was written may have been changed again at the
/// same time.
const DOUBTFUL: Duration = Duration::from_secs(3);

/// The files of an item, with their names; `None` if it is no file on the disk.
pub(super) fn files_of(item: &InputItem) -> Option<Vec<(String, PathBuf)>> {
    match &item.origin {
        Origin::Files(source) => {
            let main = source.main();
            let mut files = vec![(main.name.clone(), main.path()?.to_path_buf())];
            for companion in item.format.companions() {
                if let Some(file) = source.companion(companion.extension)
                    && file.name != main.name
                    && let Some(path) = file.path()
                {
                    files.push((file.name.clone(), path.to_path_buf()));
                }
            }
            Some(files)
        }
        Origin::Packed(path) => {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some(vec![(name, path.clone())])
        }
        Origin::PackedInMemory(_) | Origin::Once(_) | Origin::Member { .. } => None,
    }
}

/// Length and time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    length: u64,
    /// Since 1970, 0 if unknown.
    modified: Duration,
    /// When it was changed or got its name, which no program can state otherwise; that of `modified` on systems
    /// without such a time.
    changed: Duration,
}

impl State {
    fn of(path: &Path) -> Result<Self> {
        let metadata = std::fs::metadata(path)?;
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.unwrap_or_default();
        Ok(Self {
            length: metadata.len(),
            modified,
            changed: time_of_change(&metadata).unwrap_or(modified),
        })
    }
}

/// When a file was changed or got its name, since 1970.
#[cfg(unix)]
pub(crate) fn time_of_change(metadata: &Metadata) -> Option<Duration> {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) = (metadata.ctime(), metadata.ctime_nsec());
    Some(Duration::new(
        seconds.try_into().ok()?,
        nanos.try_into().ok()?,
    ))
}

#[cfg(not(unix))]
pub(crate) fn time_of_change(_metadata: &Metadata) -> Option<Duration> {
    None
}

/// The files of an item before they are read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Vec<(String, PathBuf, State)>);

impl Stamp {
    /// The stamp of an item; `None` if it is no file on the disk.
    pub(crate) fn of(item: &InputItem) -> Result<Option<Self>> {
        let Some(files) = files_of(item) else {
            return Ok(None);
        };
        let mut stamp = Vec::new();
        for (name, path) in files {
            let state = State::of(&path)?;
            stamp.push((name, path, state));
        }
        Ok(Some(Self(stamp)))
    }

    /// The text that is stored, with a checksum of every byte; `main`: that of the main file, if it is known.
    pub(super) fn to_text(&self, main: Option<u32>) -> Result<String> {
        let mut text = format!("{TITLE}\n");
        for (number, (name, path, state)) in self.0.iter().enumerate() {
            let crc = match main.filter(|_| number == 0) {
                Some(crc) => crc,
                None => tabia_index::crc32(&Blob::open(path)?),
            };
            let State {
                length, modified, ..
            } = state;
            let name = name.escape_debug();
            let _ = writeln!(text, "{length} {} {crc:08x} {name}", modified.as_nanos());
        }
        Ok(text)
    }

    /// Whether the files are those of a stored text. `written`: when the index was.
    pub(super) fn is_that_of(&self, stored: &[u8], written: Option<SystemTime>) -> bool {
        let Some(lines) = std::str::from_utf8(stored)
            .ok()
            .and_then(|text| text.strip_prefix(TITLE))
        else {
            return false;
        };
        let mut lines = lines.lines().skip(1);
        let all_are = self.0.iter().all(|file| {
            lines
                .next()
                .is_some_and(|line| is_file(file, line, written))
        });
        all_are && lines.next().is_none()
    }
}

fn is_file(
    (name, path, state): &(String, PathBuf, State),
    line: &str,
    written: Option<SystemTime>,
) -> bool {
    let mut fields = line.splitn(4, ' ');
    let mut next = || fields.next().unwrap_or_default();
    let (length, modified, crc, stored) = (next(), next(), next(), next());
    if name.escape_debug().to_string() != stored || length != state.length.to_string() {
        return false;
    }
    let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    // Copies that keep the time are as old as another file of that length and time.
    let last = state.modified.max(state.changed);
    let is_old = written.is_some_and(|written| last + DOUBTFUL < written);
    if is_old && modified == state.modified.as_nanos().to_string() {
        return true;
    }
    let wanted = u32::from_str_radix(crc, 16);
    let found = Blob::open(path).map(|blob| tabia_index::crc32(&blob));
    matches!((wanted, found), (Ok(wanted), Ok(found)) if wanted == found)
}
