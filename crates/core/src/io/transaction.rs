//! Outputs of one job that get their names together.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use super::lock::SetLock;
use super::output::{OutputSet, WrittenSets};
use crate::error::Result;

/// The outputs of one job, such as a database and the report about it, which get their names together.
///
/// Sets that have [joined](Transaction::join) it are written to disk by their own
/// [`commit`](OutputSet::commit), in the order of importance, and get their names in
/// [`Transaction::commit`]. Files in the folder of the first one are named as one set: after an error, and
/// after a kill as soon as a journal is completed, either all of them are there or none. Those in other
/// folders get their names before: an error takes these back, a kill may leave them without the others.
/// Dropping all clones removes the files.
///
/// ```
/// use std::io::Write;
/// use tabia_core::io::{OutputSet, Transaction};
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-joint-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let transaction = Transaction::new();
/// let targets = ["games.pgn", "report.json"].map(|name| folder.join(name));
/// for target in &targets {
///     let mut set = OutputSet::new(false);
///     transaction.join(&mut set);
///     let number = set.create(target)?;
///     if let Some(file) = set.file(number) {
///         file.write_all(b"*")?;
///     }
///     set.commit()?;
/// }
/// assert!(targets.iter().all(|target| !target.exists()));
/// transaction.commit()?;
/// assert!(targets.iter().all(|target| target.exists()));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Transaction(WrittenSets);

impl Transaction {
    /// A transaction without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the names of a set those of the transaction: its [`commit`](OutputSet::commit) only writes the
    /// files to disk, and that of the transaction gives them their names.
    pub fn join(&self, set: &mut OutputSet) {
        set.leave_names_to(&self.0);
    }

    /// Holds the lock of a set that is replaced until the files have their names. If another program has
    /// replaced the set by then, [`commit`](Self::commit) fails.
    pub fn hold(&self, lock: Arc<SetLock>) {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = sets.last_mut() {
            last.hold(lock);
        }
    }

    /// Gives all files their names that were written so far.
    ///
    /// # Errors
    /// When a file cannot get its name, or a set that is replaced was replaced by another program. All old
    /// files then have their names again, and the new ones are removed.
    pub fn commit(&self) -> Result<()> {
        let sets = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut sets = sets.into_iter();
        let Some(mut all) = sets.next() else {
            return Ok(());
        };
        for set in sets {
            all.append(set);
        }
        all.name_all()
    }

    /// Removes the files written so far, which then get no names. Files that are written later can still be
    /// committed.
    pub fn discard(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The names that the files written so far will get.
    pub fn targets(&self) -> Vec<PathBuf> {
        let sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.iter().flat_map(OutputSet::targets).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use super::*;
    use crate::io::failure_injection::{FailureInjection, FailureMode};
    use tabia_testkit::Scratch;

    /// Writes a set of two files, and a report about it.
    fn write(set: &Path, report: &Path, text: &[u8], force: bool) -> Result<()> {
        let transaction = Transaction::new();
        let mut about = OutputSet::new(force);
        transaction.join(&mut about);
        about.create(report)?;
        let mut result = OutputSet::new(force);
        transaction.join(&mut result);
        for target in [set.to_path_buf(), set.with_extension("cbg")] {
            result.create(&target)?;
        }
        for number in 0..2 {
            result.file(number).unwrap().write_all(text)?;
        }
        about.file(0).unwrap().write_all(text)?;
        result.commit()?;
        about.commit()?;
        transaction.commit()
    }

    /// What the files contain, as the next run finds them.
    fn contents(paths: &[&Path]) -> Vec<Option<Vec<u8>>> {
        let read = |path: &&Path| {
            let source = crate::io::Source::from_path(path).ok()?;
            Some(source.main().open().unwrap().to_vec())
        };
        paths.iter().map(read).collect()
    }

    #[test]
    fn nothing_has_a_name_before_the_commit() {
        let folder = Scratch::new("transaction");
        let transaction = Transaction::new();
        for name in ["a.pgn", "report.json"] {
            let mut set = OutputSet::new(false);
            transaction.join(&mut set);
            set.create(&folder.join(name)).unwrap();
            let (names, _) = set.commit().unwrap();
            assert_eq!(names, [folder.join(name)]);
        }
        let targets = ["a.pgn", "report.json"].map(|name| folder.join(name));
        assert_eq!(transaction.targets(), targets);
        assert!(targets.iter().all(|target| !target.exists()));
        transaction.commit().unwrap();
        assert_eq!(folder.names(), ["a.pgn", "report.json"]);
        // What is not committed is removed.
        let dropped = Transaction::new();
        let mut set = OutputSet::new(false);
        dropped.join(&mut set);
        set.create(&folder.join("b.pgn")).unwrap();
        set.commit().unwrap();
        drop(dropped);
        assert_eq!(folder.names(), ["a.pgn", "report.json"]);
        let partly = Transaction::new();
        for name in ["b.pgn", "c.pgn"] {
            let mut set = OutputSet::new(false);
            partly.join(&mut set);
            set.create(&folder.join(name)).unwrap();
            set.commit().unwrap();
            if name == "b.pgn" {
                partly.discard();
            }
        }
        partly.commit().unwrap();
        assert_eq!(folder.names(), ["a.pgn", "c.pgn", "report.json"]);
    }

    #[test]
    fn each_output_keeps_what_it_may_replace() {
        let folder = Scratch::new("transaction-force");
        for name in ["a.pgn", "report.json"] {
            std::fs::write(folder.join(name), b"old").unwrap();
        }
        let transaction = Transaction::new();
        let mut result = OutputSet::new(true);
        transaction.join(&mut result);
        result.create(&folder.join("a.pgn")).unwrap();
        result.commit().unwrap();
        let mut about = OutputSet::new(false);
        transaction.join(&mut about);
        let error = about.create(&folder.join("report.json")).unwrap_err();
        assert!(matches!(error.kind(), crate::ErrorKind::Exists));
        about.create(&folder.join("other.json")).unwrap();
        about.commit().unwrap();
        // Of another program, meanwhile.
        std::fs::write(folder.join("other.json"), b"theirs").unwrap();
        let error = transaction.commit().unwrap_err();
        assert!(matches!(error.kind(), crate::ErrorKind::Exists));
        assert_eq!(std::fs::read(folder.join("a.pgn")).unwrap(), b"old");
        assert_eq!(folder.names(), ["a.pgn", "other.json", "report.json"]);
    }

    /// A failure at any step leaves everything old; after a kill the next writer finds everything old or
    /// everything new, but for a report in another folder, which may be new next to an old set. A new set
    /// without its main file is none.
    #[test]
    fn a_result_and_its_report_appear_together() {
        for report_at in [
            "report.json",
            "reports/../report.json",
            "reports/report.json",
        ] {
            let is_elsewhere = report_at == "reports/report.json";
            for has_old in [false, true] {
                let run = |mode, at| {
                    let folder = Scratch::new("transaction-steps");
                    std::fs::create_dir(folder.join("reports")).unwrap();
                    let (set, report) = (folder.join("a.cbh"), folder.join(report_at));
                    if has_old {
                        write(&set, &report, b"old", false).unwrap();
                    }
                    let injection = FailureInjection::start(mode, at);
                    let outcome = write(&set, &report, b"new", has_old);
                    let steps = injection.steps();
                    drop(injection);
                    (folder, set, report, outcome, steps)
                };
                let (.., outcome, steps) = run(FailureMode::Fails, u64::MAX);
                outcome.unwrap();
                assert!(steps > 6, "{steps}");
                let old = has_old.then(|| b"old".to_vec());
                for mode in [FailureMode::Fails, FailureMode::Stops] {
                    for at in 0..steps {
                        let what = format!("{report_at} {has_old} {mode:?} {at}");
                        let (folder, set, report, outcome, _) = run(mode, at);
                        let moves = set.with_extension("cbg");
                        let found = contents(&[&set, &moves, &report]);
                        let is_new = found.iter().all(|text| text.as_deref() == Some(b"new"));
                        let is_old = found.iter().all(|text| *text == old);
                        if mode == FailureMode::Fails {
                            // Else the failed step was the removal of a file that is no longer needed.
                            assert_eq!(outcome.is_ok(), is_new, "{what} {found:?}");
                            assert!(is_old || is_new, "{what} {found:?}");
                            let hidden = folder
                                .names()
                                .into_iter()
                                .filter(|name| name.starts_with('.'));
                            assert!(is_new || hidden.count() == 0, "{what}");
                            continue;
                        }
                        let is_ahead =
                            is_elsewhere && found[0] == old && found[2].as_deref() == Some(b"new");
                        assert!(is_old || is_new || is_ahead, "{what} {found:?}");
                    }
                }
            }
        }
    }
}
