//! A log of the tests that were skipped, in whole or in part, because shared data or another
//! program was missing.
//!
//! Tests report through [`skip`](crate::skip) and [`skip_without_peer`]; [`summary`] counts them at
//! the end of a run. The log is the file that `TABIA_SKIP_LOG` names, else
//! `target/skipped-tests.log` in the repository. It holds the tests of one run: the first test that
//! is skipped in the next run empties it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::repository::repository;

/// What a skipped test lacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missing {
    SharedData,
    Peer,
}

impl Missing {
    /// The first column of a line of the log.
    const fn name(self) -> &'static str {
        match self {
            Self::SharedData => "data",
            Self::Peer => "peer",
        }
    }
}

/// Reports that a test, or a part of it, was skipped because `program` is not installed.
///
/// The message goes to standard error, also where the output of tests is captured.
pub fn skip_without_peer(test: &str, program: &str) {
    report(test, Missing::Peer, &format!("{program} is not installed"));
}

/// Writes why a test was skipped to standard error and to the log.
pub(crate) fn report(test: &str, missing: Missing, reason: &str) {
    let message = format!("{test}: skipped: {reason}\n");
    // A closed standard error or a log that cannot be written is no reason to fail.
    let _ = io::stderr().write_all(message.as_bytes());
    let _ = SkipLog::of_this_run().add(missing, &program_name(), &test_name(test));
}

/// The number of tests without shared data and without a peer program in this run, as one line.
pub fn summary() -> String {
    SkipLog::of_this_run().counts().to_string()
}

/// The name that libtest gave the thread of the current test, else `label`.
fn test_name(label: &str) -> String {
    let thread = std::thread::current();
    match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => label.to_owned(),
    }
}

/// The name of the running test program, without the hash that Cargo appends.
fn program_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.rsplit_once('-').map_or(&*name, |(name, _)| name);
    name.to_owned()
}

/// The number of skipped tests by what they lacked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    data: usize,
    peer: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data, peer } = self;
        let tests = if *data == 1 { "test" } else { "tests" };
        write!(
            f,
            "skipped: {data} {tests} had no shared data, {peer} had no peer program"
        )
    }
}

/// A log and the run whose tests it holds. The first line of the file names the run; each other
/// line has three columns, separated by tabs: what is missing, the test program, the test.
#[derive(Debug)]
struct SkipLog {
    path: PathBuf,
    run: String,
}

impl SkipLog {
    fn of_this_run() -> Self {
        let path = std::env::var_os("TABIA_SKIP_LOG").map_or_else(
            || repository().join("target/skipped-tests.log"),
            PathBuf::from,
        );
        Self {
            path,
            run: format!("run {}", runner()),
        }
    }

    /// Appends a test. Lines of an earlier run are removed first.
    fn add(&self, missing: Missing, program: &str, test: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = open(&self.path)?;
        // Several threads and programs may write; the lock ends when the file is closed.
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        if text.lines().next() != Some(&self.run) {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            writeln!(file, "{}", self.run)?;
        }
        let line = format!("{}\t{program}\t{test}\n", missing.name());
        file.write_all(line.as_bytes())
    }

    /// Counts each test once for each kind of thing that it lacked. A log that is absent or of
    /// another run counts as empty.
    fn counts(&self) -> Counts {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() != Some(&self.run) {
            return Counts::default();
        }
        let lines: BTreeSet<&str> = lines.collect();
        let count = |missing: Missing| {
            let has_kind = |line: &&&str| line.split('\t').next() == Some(missing.name());
            lines.iter().filter(has_kind).count()
        };
        Counts {
            data: count(Missing::SharedData),
            peer: count(Missing::Peer),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// The process that started this test program: one `cargo test` starts all of its programs.
#[cfg(unix)]
fn runner() -> u32 {
    std::os::unix::process::parent_id()
}

/// Without parent processes all runs count as one.
#[cfg(not(unix))]
fn runner() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;

    fn log(scratch: &Scratch, run: &str) -> SkipLog {
        SkipLog {
            path: scratch.join("target/skipped.log"),
            run: run.to_owned(),
        }
    }

    #[test]
    fn each_test_counts_once() {
        let scratch = Scratch::new("skipped");
        let log = log(&scratch, "run 1");
        assert_eq!(log.counts(), Counts::default());
        for (missing, program, test) in [
            (Missing::SharedData, "cbh_sets", "games"),
            (Missing::SharedData, "cbh_sets", "games"),
            (Missing::SharedData, "scid", "games"),
            (Missing::Peer, "scid", "games"),
        ] {
            log.add(missing, program, test).unwrap();
        }
        assert_eq!(log.counts(), Counts { data: 2, peer: 1 });
    }

    #[test]
    fn the_next_run_starts_an_empty_log() {
        let scratch = Scratch::new("skipped-runs");
        let (first, second) = (log(&scratch, "run 1"), log(&scratch, "run 2"));
        first.add(Missing::Peer, "scid", "games").unwrap();
        assert_eq!(second.counts(), Counts::default());
        second.add(Missing::SharedData, "scid", "games").unwrap();
        assert_eq!(second.counts(), Counts { data: 1, peer: 0 });
        assert_eq!(first.counts(), Counts::default());
    }

    #[test]
    fn the_summary_is_one_line() {
        let text = |data, peer| Counts { data, peer }.to_string();
        assert_eq!(
            text(37, 4),
            "skipped: 37 tests had no shared data, 4 had no peer program"
        );
        assert_eq!(
            text(1, 0),
            "skipped: 1 test had no shared data, 0 had no peer program"
        );
    }
}
