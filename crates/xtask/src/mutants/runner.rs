//! Runs tests with one mutant switched on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::areas::TestRun;
use super::repository_copy::{CHOSEN, REACHED, TestProgram};

/// Memory that a test may take, in KiB: a mutant may take all there is.
const MEMORY: u64 = 6 << 20;

/// A test with its program, and what it does without a mutant.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) test: TestRun,
    program: TestProgram,
    time: Duration,
    /// The mutants that it reaches.
    pub(crate) reached: BTreeSet<usize>,
}

/// What the tests did with a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unreached,
    Caught,
    /// The tests did not end.
    TimedOut,
    Survived,
}

/// Runs a test without a mutant.
///
/// # Errors
/// If it fails, or reaches no test at all.
pub(crate) fn measure(
    test: TestRun,
    program: &TestProgram,
    folder: &Path,
) -> Result<Measured, String> {
    let log = folder.join("reached");
    std::fs::write(&log, b"").map_err(|error| format!("{}: {error}", log.display()))?;
    let start = Instant::now();
    let status = status(&test, program, folder, &[(REACHED, log.clone())], None)?;
    let what = format!("{} {} {}", test.package, test.target, test.filter);
    if !status.is_some_and(|status| status.success()) {
        return Err(format!("{what} fails without a mutant"));
    }
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    Ok(Measured {
        test,
        program: program.clone(),
        time: start.elapsed(),
        reached: text.lines().filter_map(|line| line.parse().ok()).collect(),
    })
}

/// Runs the tests that reach a mutant with it, until one fails.
pub(crate) fn run<'m>(
    number: usize,
    tests: impl Iterator<Item = &'m Measured>,
    folder: &Path,
) -> Result<Outcome, String> {
    let mut outcome = Outcome::Unreached;
    for test in tests.filter(|test| test.reached.contains(&number)) {
        outcome = Outcome::Survived;
        let limit = test.time * 8 + Duration::from_secs(8);
        let variables = [(CHOSEN, PathBuf::from(number.to_string()))];
        match status(&test.test, &test.program, folder, &variables, Some(limit))? {
            None => return Ok(Outcome::TimedOut),
            Some(status) if !status.success() => return Ok(Outcome::Caught),
            Some(_) => {}
        }
    }
    Ok(outcome)
}

/// Runs a test program; `None` if it did not end in time.
fn status(
    test: &TestRun,
    program: &TestProgram,
    folder: &Path,
    variables: &[(&str, PathBuf)],
    limit: Option<Duration>,
) -> Result<Option<ExitStatus>, String> {
    let temporary = folder.join("tmp");
    let _ = std::fs::remove_dir_all(&temporary);
    std::fs::create_dir_all(&temporary)
        .map_err(|error| format!("{}: {error}", temporary.display()))?;
    let mut command = limited(&program.path);
    command.arg("--quiet");
    if !test.filter.is_empty() {
        command.arg(test.filter);
    }
    for (name, value) in variables {
        command.env(name, value);
    }
    let child = command
        .current_dir(&program.folder)
        .env("TMPDIR", &temporary)
        // As in a clone without data of others.
        .env("TABIA_SHARED", folder.join("absent"))
        .env("TABIA_SKIP_LOG", folder.join("skipped"))
        .env_remove("TABIA_REQUIRE_SHARED")
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("{}: {error}", program.path.display()))?;
    let status = wait(&mut child, limit).map_err(|error| error.to_string());
    if !matches!(status, Ok(Some(_))) {
        end(&mut child);
    }
    status
}

/// A command in a process group of its own, with limited memory.
#[cfg(unix)]
fn limited(program: &Path) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new("sh");
    let line = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(line).arg(program).process_group(0);
    command
}

#[cfg(not(unix))]
fn limited(program: &Path) -> Command {
    Command::new(program)
}

fn wait(child: &mut Child, limit: Option<Duration>) -> std::io::Result<Option<ExitStatus>> {
    let Some(limit) = limit else {
        return child.wait().map(Some);
    };
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(None)
}

/// Ends a test and the programs that it started.
fn end(child: &mut Child) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        // If it fails, the group has ended.
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
    }
    let _ = child.kill();
    let _ = child.wait();
}
