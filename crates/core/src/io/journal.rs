//! Replaces a set of files by another, so that an interruption leaves either the old or the new set.
//!
//! No system renames several files at once. Before the first old file is renamed, a hidden text file in
//! the same folder, the journal, lists the new files, which are complete under hidden names, and their
//! targets. From then on the new set counts: readers follow the journal to files that are not renamed
//! yet, and the next writer in the folder completes the renaming. The outputs of a job that writes several
//! sets have one journal.
//!
//! Anyone can put a file of that name into a folder. A journal counts only if it is sealed with the
//! secret key of this user, for this folder, and if the files that are there have the sizes and
//! fingerprints that it lists. Any other is not followed, not changed and not removed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::disk::{
    DiskFile, MAX_NAME, folder, next_number, remove, rename, sync_folder, temporary_name,
};
use super::failure_injection;
use super::fingerprint::Fingerprint;
use super::journal_seal_key::UserKey;
use crate::hexadecimal;

/// The first line of the journal of one set.
const FIRST_LINE: &str = "tabia: files that replace others, version 2";
/// The first line of the journal of several sets, which are complete together.
const JOINT_FIRST_LINE: &str = "tabia: files of several sets, version 3";
/// The start of the last line; without it the journal is incomplete.
const SEAL: &str = "seal\t";
/// The start of the second line, which identifies the folder.
const FOLDER: &str = "folder\t";
/// In a column: there is no such file.
const NONE: &str = "-";
/// Size limit of a journal in bytes; a larger file is not read.
const MAX_SIZE: u64 = 4 << 20;
/// How often a journal is compared with files that a living process may be renaming.
const ATTEMPTS: u32 = 3;

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

/// The fingerprints of the new and the old file of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prints {
    new: Option<Fingerprint>,
    old: Option<Fingerprint>,
}

/// The steps of one replacement, of one set or of several, the main file first, and the file that lists them.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    steps: Vec<Step>,
}

/// What a file with the name of a journal is.
#[derive(Debug)]
pub(super) enum FoundJournal {
    /// That of a replacement by this user, which was interrupted or is running.
    Own(Journal),
    /// Not one of this user, or not about the files that are there.
    Unproven,
    /// No longer there.
    Gone,
}

impl Journal {
    /// Writes a journal to disk. `None` if the steps are not in one folder, if there are too many, or if a
    /// name cannot be stored in the journal.
    pub(super) fn write(steps: Vec<Step>) -> io::Result<Option<Self>> {
        Self::write_with(steps, UserKey::load_or_create)
    }

    fn write_with(
        steps: Vec<Step>,
        key: impl FnOnce() -> io::Result<UserKey>,
    ) -> io::Result<Option<Self>> {
        let Some(main) = steps.first().map(|step| step.target.clone()) else {
            return Ok(None);
        };
        let Some(text) = journal_text(&steps)? else {
            return Ok(None);
        };
        let path = free_name(&main);
        let text = sealed(text, &path, &key()?);
        let temporary = temporary_name(&main);
        let written = write_file(&temporary, &text).and_then(|()| rename(&temporary, &path));
        if let Err(error) = written {
            let _ = remove(&temporary);
            return Err(error);
        }
        sync_folder(&main);
        Ok(Some(Self { path, steps }))
    }

    /// The journal at `path`.
    fn read(path: &Path, key: Option<&UserKey>) -> FoundJournal {
        for _ in 0..ATTEMPTS {
            match std::fs::symlink_metadata(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return FoundJournal::Gone,
                Ok(data) if data.is_file() && data.len() <= MAX_SIZE => {}
                _ => return FoundJournal::Unproven,
            }
            let text = match std::fs::read_to_string(path) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return FoundJournal::Gone,
                Err(_) => return FoundJournal::Unproven,
            };
            let Some((steps, prints)) = key.and_then(|key| parse(&text, path, key)) else {
                return FoundJournal::Unproven;
            };
            let agrees = |(step, prints): (&Step, &Prints)| step.agrees(prints);
            if steps.iter().zip(&prints).all(agrees) {
                return FoundJournal::Own(Self {
                    path: path.to_path_buf(),
                    steps,
                });
            }
            // A living process may have renamed a file between two comparisons.
        }
        FoundJournal::Unproven
    }

    /// The journals of this user in the folder of `target`.
    pub(super) fn all_in_folder_of(target: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder(target)).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let found = Self::find(target, names.filter(|name| is_journal(name)));
        let own = found.into_iter().filter_map(|(_, journal)| match journal {
            FoundJournal::Own(journal) => Some(journal),
            FoundJournal::Unproven | FoundJournal::Gone => None,
        });
        own.collect()
    }

    /// The journals with these names in the folder of `target`.
    pub(super) fn find(
        target: &Path,
        names: impl Iterator<Item = OsString>,
    ) -> Vec<(PathBuf, FoundJournal)> {
        let paths: Vec<PathBuf> = names.map(|name| target.with_file_name(name)).collect();
        if paths.is_empty() {
            return Vec::new();
        }
        let key = UserKey::load();
        let read = |path: PathBuf| {
            let found = Self::read(&path, key.as_ref());
            (path, found)
        };
        paths.into_iter().map(read).collect()
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the file at `path`, whose name is that of the journal of another set, states that it replaces
    /// files of this one too.
    pub(super) fn is_joint_with(path: &Path, set: &str) -> bool {
        if !is_joint(path) {
            return false;
        }
        let file = File::open(path).and_then(|file| {
            let mut text = String::new();
            file.take(MAX_SIZE).read_to_string(&mut text)?;
            Ok(text)
        });
        file.is_ok_and(|text| {
            let targets = text.lines().filter_map(|line| line.split('\t').nth(2));
            targets
                .map(Path::new)
                .any(|target| set_name(target).as_deref() == Some(set))
        })
    }

    /// Completes the renaming. Files that have their names already stay.
    pub(super) fn finish(self) -> io::Result<()> {
        // An old main file that still has its name would be opened with new companions.
        if let Some(Step {
            new: Some(new),
            old,
            target,
        }) = self.steps.first()
            && new.exists()
            && target.exists()
        {
            rename(target, old)?;
        }
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

impl Step {
    /// Whether the files are those of the journal, before, during or after the renaming.
    ///
    /// They are compared in the order in which a living process renames them, so that none is missed.
    fn agrees(&self, prints: &Prints) -> bool {
        let found = |path: &Path| Fingerprint::of(path);
        let hidden = self.new.as_deref().map_or(Ok(None), found);
        let (Ok(hidden), Ok(target), Ok(old)) = (hidden, found(&self.target), found(&self.old))
        else {
            return false;
        };
        let is_new = |print: &Option<Fingerprint>| print.is_some() && *print == prints.new;
        let is_old_or_absent =
            |print: &Option<Fingerprint>| print.is_none() || *print == prints.old;
        let has_new = self.new.is_none() || is_new(&hidden) || hidden.is_none() && is_new(&target);
        has_new && (is_new(&target) || is_old_or_absent(&target)) && is_old_or_absent(&old)
    }
}

/// Suffix of the name of every journal.
const SUFFIX: &str = ".replaced";

/// Whether a file is a journal by its name.
pub(super) fn is_journal(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// Whether a file with the name of a journal is one of several sets, as its first line states.
pub(super) fn is_joint(path: &Path) -> bool {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let mut line = [0; JOINT_FIRST_LINE.len()];
    let read = |line: &mut [u8]| File::open(path).and_then(|mut file| file.read_exact(line));
    is_file && read(&mut line).is_ok() && line == JOINT_FIRST_LINE.as_bytes()
}

/// The name of the set that a file with the name of a journal is about, as by [`set_name`]. `None` for
/// other files. The journal of several sets has the name of one of them.
pub(super) fn set_of_journal(name: &OsStr) -> Option<String> {
    let name = name.to_str()?.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    let is_number = |part: &str| {
        let mut parts = part.split('-');
        parts.by_ref().take(2).all(is_digits) && part.contains('-') && parts.next().is_none()
    };
    let numbered = name.rsplit_once('.').filter(|(_, part)| is_number(part));
    set_name(Path::new(numbered.map_or(name, |(name, _)| name)))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name for the journal of a main file that no other file has: one that is not ours stays.
fn free_name(main: &Path) -> PathBuf {
    let name = main.file_name().unwrap_or_default().to_string_lossy();
    let path = main.with_file_name(format!(".{name}{SUFFIX}"));
    if std::fs::symlink_metadata(&path).is_err() {
        return path;
    }
    let numbers = format!("{}-{}", std::process::id(), next_number());
    main.with_file_name(format!(".{name}.{numbers}{SUFFIX}"))
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

/// The lines of a journal without its seal.
fn journal_text(steps: &[Step]) -> io::Result<Option<String>> {
    let Some(first) = steps.first() else {
        return Ok(None);
    };
    let first_line = if is_one_set(steps) {
        FIRST_LINE
    } else {
        JOINT_FIRST_LINE
    };
    let home = folder(&first.target);
    let name = |path: &Path| -> Option<String> {
        let name = path.file_name()?.to_str()?;
        let fits = folder(path) == home && !name.contains(['\t', '\n', '\r']) && name != NONE;
        fits.then(|| name.to_owned())
    };
    let print = |path: Option<&Path>| -> io::Result<String> {
        let found = path.map_or(Ok(None), Fingerprint::of)?;
        Ok(found.map_or_else(|| NONE.to_owned(), |print| print.to_string()))
    };
    let identity = FolderIdentity::of(home)?;
    let mut text = format!(
        "{first_line}\n{FOLDER}{}\t{}\n",
        identity.number, identity.path
    );
    for step in steps {
        let new = match &step.new {
            Some(new) => name(new),
            None => Some(NONE.to_owned()),
        };
        let names = [new, name(&step.old), name(&step.target)];
        let [Some(new), Some(old), Some(target)] = names else {
            return Ok(None);
        };
        // Names of temporary files contain the first bytes of a longer name only.
        if target.len() > MAX_NAME {
            return Ok(None);
        }
        let prints = [print(step.new.as_deref())?, print(Some(&step.target))?];
        text.push_str(&[&*new, &old, &target, &prints[0], &prints[1]].join("\t"));
        text.push('\n');
    }
    // The seal follows.
    let is_readable = text.len() as u64 + 256 <= MAX_SIZE;
    Ok(is_readable.then_some(text))
}

/// The text with its last line, which seals it for a file of that name.
fn sealed(mut text: String, path: &Path, key: &UserKey) -> String {
    let seal = seal(&text, path, key);
    text.push_str(SEAL);
    text.push_str(&seal);
    text.push('\n');
    text
}

fn seal(text: &str, path: &Path, key: &UserKey) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    key.seal(format!("{name}\n{text}").as_bytes())
}

/// The steps of a sealed journal at `path` with the fingerprints of their files; `None` if another user
/// or for another folder wrote it, or if it is incomplete.
fn parse(text: &str, path: &Path, key: &UserKey) -> Option<(Vec<Step>, Vec<Prints>)> {
    let at = text.rfind(SEAL)?;
    let (content, last) = text.split_at_checked(at)?;
    if last.strip_prefix(SEAL)?.strip_suffix('\n')? != seal(content, path, key) {
        return None;
    }
    let mut lines = content.lines();
    let is_joint = match lines.next()? {
        FIRST_LINE => false,
        JOINT_FIRST_LINE => true,
        _ => return None,
    };
    let (number, folder_path) = lines.next()?.strip_prefix(FOLDER)?.split_once('\t')?;
    let identity = FolderIdentity::of(folder(path)).ok()?;
    // A folder keeps its number when it is renamed, and its path when a disk is attached again.
    if identity.path != folder_path && (identity.number != number || number == NONE) {
        return None;
    }
    let mut all = (Vec::new(), Vec::new());
    for line in lines {
        let (step, prints) = parse_step(line, path)?;
        all.0.push(step);
        all.1.push(prints);
    }
    (is_joint || is_one_set(&all.0)).then_some(all)
}

fn parse_step(line: &str, path: &Path) -> Option<(Step, Prints)> {
    let mut parts = line.split('\t');
    let (new, old, target) = (parts.next()?, parts.next()?, parts.next()?);
    let mut print = || match parts.next()? {
        NONE => Some(None),
        text => Fingerprint::parse(text).map(Some),
    };
    let prints = Prints {
        new: print()?,
        old: print()?,
    };
    let is_name = Path::new(target).file_name() == Some(OsStr::new(target));
    let hidden = |name: &str| {
        let between = name.strip_prefix('.')?.strip_prefix(target)?;
        let number = between.strip_prefix('.')?.strip_suffix(".tmp")?;
        let is_ours = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        (is_name && is_ours).then(|| path.with_file_name(name))
    };
    let step = Step {
        new: match new {
            NONE => None,
            name => Some(hidden(name)?),
        },
        old: hidden(old)?,
        target: path.with_file_name(target),
    };
    Some((step, prints))
}

/// By what a folder is recognised.
struct FolderIdentity {
    /// Its number in its file system, where there is one.
    number: String,
    /// A hash of its absolute path.
    path: String,
}

impl FolderIdentity {
    fn of(folder: &Path) -> io::Result<Self> {
        use sha2::{Digest, Sha256};
        let path = folder.canonicalize()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&path.metadata()?).to_string();
        #[cfg(not(unix))]
        let number = NONE.to_owned();
        let hash = Sha256::digest(path.as_os_str().as_encoded_bytes());
        Ok(Self {
            number,
            path: hexadecimal::digits(&hash),
        })
    }
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    failure_injection::step()?;
    let file = File::options().write(true).create_new(true).open(path)?;
    let mut file = DiskFile(file);
    file.write_all(text.as_bytes())?;
    failure_injection::step()?;
    file.0.sync_all()
}

/// Completes the interrupted replacements in the folder of `target`, which is locked.
pub(super) fn finish_all(target: &Path) -> crate::error::Result<()> {
    for journal in Journal::all_in_folder_of(target) {
        let done = journal.finish();
        done.map_err(|error| crate::Error::from(error).in_path(target))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    /// A set of three files that is replaced by two, and its journal.
    struct Case {
        folder: Scratch,
        journal: PathBuf,
        steps: Vec<Step>,
    }

    fn key() -> UserKey {
        UserKey::from_byte(1)
    }

    impl Case {
        fn new(name: &str) -> Self {
            let folder = Scratch::new(name);
            let at = |name: &str| folder.join(name);
            for (name, text) in [
                ("a.cbh", "old main"),
                ("a.cbg", "old moves"),
                ("a.cit", "old index"),
                (".a.cbh.7-1.tmp", "new main"),
                (".a.cbg.7-2.tmp", "new moves"),
            ] {
                std::fs::write(at(name), text).unwrap();
            }
            let steps = vec![
                Step {
                    new: Some(at(".a.cbh.7-1.tmp")),
                    old: at(".a.cbh.7-3.tmp"),
                    target: at("a.cbh"),
                },
                Step {
                    new: Some(at(".a.cbg.7-2.tmp")),
                    old: at(".a.cbg.7-4.tmp"),
                    target: at("a.cbg"),
                },
                Step {
                    new: None,
                    old: at(".a.cit.7-5.tmp"),
                    target: at("a.cit"),
                },
            ];
            let written = Journal::write_with(steps.clone(), || Ok(key())).unwrap();
            let journal = written.unwrap().path;
            Self {
                folder,
                journal,
                steps,
            }
        }

        fn is_own(&self) -> bool {
            matches!(
                Journal::read(&self.journal, Some(&key())),
                FoundJournal::Own(_)
            )
        }

        fn text(&self) -> String {
            std::fs::read_to_string(&self.journal).unwrap()
        }
    }

    #[test]
    fn journals_of_this_user_are_followed_at_every_moment_of_the_renaming() {
        let case = Case::new("journal-own");
        assert!(case.is_own());
        let mut moves = Vec::new();
        for step in &case.steps {
            moves.push((step.target.clone(), step.old.clone()));
        }
        for step in case.steps.iter().rev() {
            moves.extend(step.new.clone().map(|new| (new, step.target.clone())));
        }
        for (from, to) in moves {
            std::fs::rename(&from, &to).unwrap();
            assert!(case.is_own(), "{} -> {}", from.display(), to.display());
        }
        for step in &case.steps {
            std::fs::remove_file(&step.old).unwrap();
            assert!(case.is_own());
        }
        std::fs::remove_file(&case.journal).unwrap();
        let found = Journal::read(&case.journal, Some(&key()));
        assert!(matches!(found, FoundJournal::Gone));
    }

    #[test]
    fn a_journal_is_completed_from_every_moment() {
        for done in 0..=5 {
            let case = Case::new("journal-finish");
            let olds = case.steps.iter().map(|s| (s.target.clone(), s.old.clone()));
            let news = case.steps.iter().rev();
            let news = news.filter_map(|s| Some((s.new.clone()?, s.target.clone())));
            for (from, to) in olds.chain(news).take(done) {
                std::fs::rename(from, to).unwrap();
            }
            let FoundJournal::Own(journal) = Journal::read(&case.journal, Some(&key())) else {
                panic!("{done}");
            };
            journal.finish().unwrap();
            assert_eq!(case.folder.names(), ["a.cbg", "a.cbh"], "{done}");
            assert_eq!(
                std::fs::read(case.folder.join("a.cbh")).unwrap(),
                b"new main"
            );
        }
    }

    #[test]
    fn changed_journals_and_those_of_others_are_not_followed() {
        let case = Case::new("journal-forged");
        let read = |key: Option<&UserKey>| Journal::read(&case.journal, key);
        assert!(matches!(read(None), FoundJournal::Unproven), "no key");
        let other = UserKey::from_byte(2);
        assert!(
            matches!(read(Some(&other)), FoundJournal::Unproven),
            "another user"
        );
        let text = case.text();
        let seal_at = text.find(SEAL).unwrap();
        for (what, forged) in [
            ("cut off", text[..seal_at].to_owned()),
            ("without line end", text.trim_end().to_owned()),
            ("another target", text.replace("a.cit", "b.cit")),
            ("another file", text.replace("\ta.cbg\t", "\ta.pgn\t")),
            ("fewer steps", {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.remove(3);
                lines.join("\n") + "\n"
            }),
            ("empty", String::new()),
            (
                "an earlier version",
                "tabia: files that replace others, version 1\n\
                 -\t.a.cbh.1-2.tmp\ta.cbh\nend\n"
                    .to_owned(),
            ),
        ] {
            std::fs::write(&case.journal, &forged).unwrap();
            assert!(!case.is_own(), "{what}");
            assert_eq!(case.text(), forged);
        }
        std::fs::write(&case.journal, &text).unwrap();
        assert!(case.is_own());
        // Under another name it would be about another set.
        let renamed = case.folder.join(".b.cbh.replaced");
        std::fs::rename(&case.journal, &renamed).unwrap();
        let found = Journal::read(&renamed, Some(&key()));
        assert!(matches!(found, FoundJournal::Unproven));
    }

    #[test]
    fn journals_about_other_files_are_not_followed() {
        let case = Case::new("journal-files");
        for (name, text) in [
            ("a.cbh", "a new game was added"),
            ("a.cit", "rebuilt index"),
            (".a.cbh.7-1.tmp", "bad main"),
            (".a.cbg.7-4.tmp", "hidden old file"),
        ] {
            let path = case.folder.join(name);
            let before = std::fs::read(&path).ok();
            std::fs::write(&path, text).unwrap();
            assert!(!case.is_own(), "{name}");
            match before {
                Some(before) => std::fs::write(&path, before).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            assert!(case.is_own(), "{name}");
        }
        std::fs::remove_file(case.folder.join(".a.cbg.7-2.tmp")).unwrap();
        assert!(!case.is_own(), "a new file is missing");
    }

    #[test]
    fn a_journal_counts_in_its_folder_only() {
        let case = Case::new("journal-folder");
        let copy = Scratch::new("journal-copy");
        for name in case.folder.names() {
            std::fs::copy(case.folder.join(&name), copy.join(&name)).unwrap();
        }
        let copied = copy.join(case.journal.file_name().unwrap());
        let found = Journal::read(&copied, Some(&key()));
        assert!(matches!(found, FoundJournal::Unproven));
        // A folder that is renamed is the same folder.
        #[cfg(unix)]
        {
            let renamed = copy.join("renamed");
            std::fs::rename(case.folder.path(), &renamed).unwrap();
            let path = renamed.join(case.journal.file_name().unwrap());
            assert!(matches!(
                Journal::read(&path, Some(&key())),
                FoundJournal::Own(_)
            ));
        }
    }

    #[test]
    fn journals_of_others_keep_their_name() {
        let case = Case::new("journal-name");
        std::fs::write(&case.journal, "foreign").unwrap();
        let second = Journal::write_with(case.steps.clone(), || Ok(key()));
        let second = second.unwrap().unwrap();
        assert_ne!(second.path, case.journal);
        assert_eq!(case.text(), "foreign");
        for path in [&second.path, &case.journal] {
            let name = path.file_name().unwrap();
            assert!(is_journal(name));
            assert_eq!(set_of_journal(name).as_deref(), Some("a"));
        }
        let found = Journal::read(&second.path, Some(&key()));
        assert!(matches!(found, FoundJournal::Own(_)));
        assert_eq!(
            set_of_journal(OsStr::new(".book_0.kob.replaced")).as_deref(),
            Some("book")
        );
        assert_eq!(set_of_journal(OsStr::new("a.cbh")), None);
    }
}
