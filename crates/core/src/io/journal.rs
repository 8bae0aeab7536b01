//! Replaces a set of files by another, so that an interruption leaves either the old or the new set.
//!
//! No system renames several files at once. Before the first old file is renamed, a hidden text file in
//! the same folder, the journal, lists the new files, which are complete under hidden names, and their
//! targets. From then on the new set counts: readers follow the journal to files that are not renamed
//! yet, and the next writer in the folder completes the renaming.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::disk::{DiskFile, folder, remove, rename, sync_folder, temporary_name};
use super::failure_injection;

/// The first line of a journal.
const FIRST_LINE: &str = "tabia: files that replace others, version 1";
/// The last line; without it the journal is incomplete.
const LAST_LINE: &str = "end";
/// In the column of new files: the old file is only removed.
const NONE: &str = "-";
/// Size limit of a journal in bytes; a larger file is not read.
const MAX_SIZE: u64 = 4 << 20;

/// The replacement of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The new file under its hidden name; `None` if the old file is only removed.
    pub(super) new: Option<PathBuf>,
    /// The hidden name of the old file until all steps are done.
    pub(super) old: PathBuf,
    /// The name of the old and then of the new file.
    pub(super) target: PathBuf,
}

/// The steps of one replacement, the main file first, and the file that lists them.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    steps: Vec<Step>,
}

impl Journal {
    /// Writes a journal to disk. `None` if the steps are not those of one set in one folder, or a name
    /// cannot be stored in the journal.
    pub(super) fn write(steps: Vec<Step>) -> io::Result<Option<Self>> {
        let Some(text) = journal_text(&steps) else {
            return Ok(None);
        };
        let Some(main) = steps.first().map(|step| step.target.as_path()) else {
            return Ok(None);
        };
        let name = main.file_name().unwrap_or_default().to_string_lossy();
        let path = main.with_file_name(format!(".{name}{SUFFIX}"));
        let temporary = temporary_name(main);
        let written = write_file(&temporary, &text).and_then(|()| rename(&temporary, &path));
        if let Err(error) = written {
            let _ = remove(&temporary);
            return Err(error);
        }
        sync_folder(main);
        Ok(Some(Self { path, steps }))
    }

    /// The journal at `path`; `None` if the file is not a journal or is incomplete.
    fn read(path: &Path) -> Option<Self> {
        let is_small =
            std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= MAX_SIZE);
        let text = is_small.then(|| std::fs::read_to_string(path).ok())??;
        let mut lines = text.lines();
        let is_ours =
            lines.next() == Some(FIRST_LINE) && text.lines().next_back() == Some(LAST_LINE);
        let lines = lines.take_while(|line| *line != LAST_LINE);
        let step = |line: &str| {
            let mut parts = line.split('\t');
            let (new, old, target) = (parts.next()?, parts.next()?, parts.next()?);
            // Do not trust the journal: it may only name files of the set and their hidden names.
            let is_name = Path::new(target).file_name() == Some(OsStr::new(target));
            let hidden = |name: &str| {
                let between = name.strip_prefix('.')?.strip_prefix(target)?;
                let number = between.strip_prefix('.')?.strip_suffix(".tmp")?;
                let is_ours = number
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'-');
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
    pub(super) fn all_in_folder_of(target: &Path) -> Vec<Self> {
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

    /// Completes the renaming. Files that have their names already stay.
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
        self.clean_up();
        Ok(())
    }

    /// After the renaming: removes the old files, then the journal.
    pub(super) fn clean_up(self) {
        // A failed delete is harmless.
        for step in &self.steps {
            if step.old.exists() {
                let _ = remove(&step.old);
            }
        }
        let _ = remove(&self.path);
    }

    /// Removes the journal, so that the old set counts.
    pub(super) fn cancel(self) -> io::Result<()> {
        remove(&self.path)
    }
}

/// Suffix of the name of every journal.
const SUFFIX: &str = ".replaced";

/// Whether a file is a journal by its name.
pub(super) fn is_journal(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// The name of the set that a file belongs to: the file's name in lower case without extension and part
/// number. `None` if the name is not UTF-8.
pub(super) fn set_name(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.to_lowercase();
    let base = name.rsplit_once('.').map_or(&*name, |(base, _)| base);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let set = base.rsplit_once('_').filter(|(_, part)| is_number(part));
    Some(set.map_or(base, |(set, _)| set).to_owned())
}

/// Whether all targets belong to one set: their names differ in extension and part number only.
fn is_one_set(steps: &[Step]) -> bool {
    let Some(first) = steps.first().and_then(|step| set_name(&step.target)) else {
        return false;
    };
    steps
        .iter()
        .all(|step| set_name(&step.target).as_ref() == Some(&first))
}

fn journal_text(steps: &[Step]) -> Option<String> {
    if !is_one_set(steps) {
        return None;
    }
    let home = folder(&steps.first()?.target);
    let name = |path: &Path| -> Option<String> {
        let name = path.file_name()?.to_str()?;
        let fits = folder(path) == home && !name.contains(['\t', '\n', '\r']) && name != NONE;
        fits.then(|| name.to_owned())
    };
    let mut text = format!("{FIRST_LINE}\n");
    for step in steps {
        let new = match &step.new {
            Some(new) => name(new)?,
            None => NONE.to_owned(),
        };
        text.push_str(&[new, name(&step.old)?, name(&step.target)?].join("\t"));
        text.push('\n');
    }
    text.push_str(LAST_LINE);
    text.push('\n');
    Some(text)
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
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
    fn only_complete_journals_of_their_own_set_are_read() {
        let folder = tabia_testkit::Scratch::new("journal");
        let read = |lines: &[&str]| {
            let path = folder.join(format!(".a.cbh{SUFFIX}"));
            std::fs::write(&path, lines.join("\n")).unwrap();
            Journal::read(&path).map(|journal| journal.steps.len())
        };
        let main = ".a.cbh.7-1.tmp\t.a.cbh.7-2.tmp\ta.cbh";
        let part = "-\t.a.cit.7-3.tmp\ta.cit";
        assert_eq!(read(&[FIRST_LINE, main, part, LAST_LINE]), Some(2));
        assert_eq!(read(&[FIRST_LINE, main, part]), None, "incomplete");
        assert_eq!(read(&[FIRST_LINE, LAST_LINE]), None, "nothing to do");
        assert_eq!(read(&["1", main, LAST_LINE]), None, "another version");
        for other in [
            "-\t.b.cit.7-3.tmp\tb.cit",
            "a.cbg\t.a.cbg.7-3.tmp\ta.cbg",
            "-\ta.pgn\ta.cit",
            "-\t.../a.cit.7-3.tmp\t../a.cit",
            ".a.cbg.x.tmp\t.a.cbg.7-3.tmp\ta.cbg",
            "a.cbg",
        ] {
            assert_eq!(read(&[FIRST_LINE, main, other, LAST_LINE]), None, "{other}");
        }
    }
}
