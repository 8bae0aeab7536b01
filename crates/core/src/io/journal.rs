//! How a set of files replaces another, so that a stop in between leaves nothing half done.
//!
//! No system renames several files at once. Before the first old file goes, a hidden text file beside
//! them, the journal, names all new files, which are complete under hidden names, and where they
//! belong. From then on the set *is* the new one: whoever reads it here finds files that are not yet
//! in their places by the journal, and whoever writes in the folder first puts them there.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::disk::{DiskFile, folder, remove, rename, sync_folder, temporary_name};
use super::failure_injection;

/// The first line of a journal.
const FIRST: &str = "tabia: files that replace others, version 1";
/// The last one: without it the journal is not whole.
const LAST: &str = "end";
/// No file.
const NONE: &str = "-";
/// More is not read.
const LONGEST: u64 = 4 << 20;

/// A file that is to have another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Where the new file is until then; `None` when the old one only goes.
    pub(super) new: Option<PathBuf>,
    /// Where the old one goes until all is done.
    pub(super) old: PathBuf,
    /// The name.
    pub(super) target: PathBuf,
}

/// What has to be done, the main file first.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    steps: Vec<Step>,
}

impl Journal {
    /// Writes down steps of one set in one folder. `None` when they are not that, or have names that
    /// cannot be written down.
    pub(super) fn write(steps: Vec<Step>) -> io::Result<Option<Self>> {
        let Some(text) = describe(&steps) else {
            return Ok(None);
        };
        let Some(main) = steps.first().map(|step| step.target.as_path()) else {
            return Ok(None);
        };
        let name = main.file_name().unwrap_or_default().to_string_lossy();
        let path = main.with_file_name(format!(".{name}{SUFFIX}"));
        let temporary = temporary_name(main);
        let written = put(&temporary, &text).and_then(|()| rename(&temporary, &path));
        if let Err(error) = written {
            let _ = remove(&temporary);
            return Err(error);
        }
        sync_folder(main);
        Ok(Some(Self { path, steps }))
    }

    /// The journal at `path`; `None` when it is none, or not whole.
    fn read(path: &Path) -> Option<Self> {
        let is_small = std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= LONGEST);
        let text = is_small.then(|| std::fs::read_to_string(path).ok())??;
        let mut lines = text.lines();
        let is_ours = lines.next() == Some(FIRST) && text.lines().next_back() == Some(LAST);
        let lines = lines.take_while(|line| *line != LAST);
        let step = |line: &str| {
            let mut parts = line.split('\t');
            let (new, old, target) = (parts.next()?, parts.next()?, parts.next()?);
            // Whoever made the journal: only files of the set and their hidden names are its business.
            let is_name = Path::new(target).file_name() == Some(OsStr::new(target));
            let hidden = |name: &str| {
                let between = name.strip_prefix('.')?.strip_prefix(target)?;
                let number = between.strip_prefix('.')?.strip_suffix(".tmp")?;
                let is_ours = number.bytes().all(|it| it.is_ascii_digit() || it == b'-');
                (is_name && is_ours).then(|| path.with_file_name(name))
            };
            Some(Step {
                new: match new {
                    NONE => None,
                    name => Some(hidden(name)?),
                },
                old: hidden(old)?,
                target: path.with_file_name(target),
            })
        };
        let steps = lines.map(step).collect::<Option<Vec<_>>>()?;
        (is_ours && is_one_set(&steps)).then(|| Self {
            path: path.to_path_buf(),
            steps,
        })
    }

    /// The journals in the folder of `target`.
    pub(super) fn beside(target: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder(target)).into_iter().flatten();
        let named = entries
            .flatten()
            .filter(|entry| is_journal(&entry.file_name()));
        named
            .filter_map(|entry| Self::read(&target.with_file_name(entry.file_name())))
            .collect()
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Does all that is left to do. What is in its place already stays.
    pub(super) fn finish(self) -> io::Result<()> {
        for step in self.steps.iter().rev() {
            match &step.new {
                Some(new) if new.exists() => rename(new, &step.target)?,
                None if step.target.exists() => rename(&step.target, &step.old)?,
                _ => {}
            }
        }
        if let Some(step) = self.steps.first() {
            sync_folder(&step.target);
        }
        self.forget();
        Ok(())
    }

    /// All is done: the old files go, then the journal.
    pub(super) fn forget(self) {
        // What does not go away is in nobody's way.
        for step in &self.steps {
            if step.old.exists() {
                let _ = remove(&step.old);
            }
        }
        let _ = remove(&self.path);
    }

    /// Nothing is to be done any more.
    pub(super) fn cancel(self) -> io::Result<()> {
        remove(&self.path)
    }
}

/// End of the name of every journal.
const SUFFIX: &str = ".replaced";

/// Whether a file may be a journal, by its name.
pub(super) fn is_journal(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// The name of the set that a file belongs to: its own without extension and number of its part.
pub(super) fn set_name(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.to_lowercase();
    let base = name.rsplit_once('.').map_or(&*name, |(base, _)| base);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let set = base.rsplit_once('_').filter(|(_, part)| is_number(part));
    Some(set.map_or(base, |(set, _)| set).to_owned())
}

/// Whether all names are those of one set: the same but for extensions and numbers of parts.
fn is_one_set(steps: &[Step]) -> bool {
    let Some(first) = steps.first().and_then(|step| set_name(&step.target)) else {
        return false;
    };
    steps
        .iter()
        .all(|step| set_name(&step.target).as_ref() == Some(&first))
}

fn describe(steps: &[Step]) -> Option<String> {
    if !is_one_set(steps) {
        return None;
    }
    let home = folder(&steps.first()?.target);
    let name = |path: &Path| -> Option<String> {
        let name = path.file_name()?.to_str()?;
        let fits = folder(path) == home && !name.contains(['\t', '\n', '\r']) && name != NONE;
        fits.then(|| name.to_owned())
    };
    let mut text = format!("{FIRST}\n");
    for step in steps {
        let new = match &step.new {
            Some(new) => name(new)?,
            None => NONE.to_owned(),
        };
        text.push_str(&[new, name(&step.old)?, name(&step.target)?].join("\t"));
        text.push('\n');
    }
    text.push_str(LAST);
    text.push('\n');
    Some(text)
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    failure_injection::step()?;
    let file = File::options().write(true).create_new(true).open(path)?;
    let mut file = DiskFile(file);
    file.write_all(text.as_bytes())?;
    failure_injection::step()?;
    file.0.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_journals_about_their_own_set_count() {
        let folder = std::env::temp_dir().join(format!("tabia-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let read = |lines: &[&str]| {
            let path = folder.join(format!(".a.cbh{SUFFIX}"));
            std::fs::write(&path, lines.join("\n")).unwrap();
            Journal::read(&path).map(|journal| journal.steps.len())
        };
        let main = ".a.cbh.7-1.tmp\t.a.cbh.7-2.tmp\ta.cbh";
        let part = "-\t.a.cit.7-3.tmp\ta.cit";
        assert_eq!(read(&[FIRST, main, part, LAST]), Some(2));
        assert_eq!(read(&[FIRST, main, part]), None, "not whole");
        assert_eq!(read(&[FIRST, LAST]), None, "nothing to do");
        assert_eq!(read(&["1", main, LAST]), None, "another version");
        for other in [
            "-\t.b.cit.7-3.tmp\tb.cit",
            "a.cbg\t.a.cbg.7-3.tmp\ta.cbg",
            "-\ta.pgn\ta.cit",
            "-\t.../a.cit.7-3.tmp\t../a.cit",
            ".a.cbg.x.tmp\t.a.cbg.7-3.tmp\ta.cbg",
            "a.cbg",
        ] {
            assert_eq!(read(&[FIRST, main, other, LAST]), None, "{other}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
