//! Starting programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// A program about to be run in the root of the repository.
pub(crate) struct Run(Command);

/// Cargo, the one that runs this task.
pub(crate) fn cargo(arguments: &[&str]) -> Run {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    program(cargo).args(arguments)
}

/// Any program.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Run {
    let mut command = Command::new(name);
    command.current_dir(root());
    Run(command)
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

impl Run {
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: &[A]) -> Self {
        self.0.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs it in another folder.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// Runs it and returns whether it succeeded, and the lines of its output that are JSON.
    pub(crate) fn messages(mut self) -> Result<(bool, Vec<serde_json::Value>), String> {
        self.0.stderr(std::process::Stdio::inherit());
        let output = self.0.output().map_err(|error| self.cannot(&error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Ok((output.status.success(), messages.collect()))
    }

    /// Runs it, its output where ours goes.
    pub(crate) fn run(mut self) -> Outcome {
        let status = self.0.status().map_err(|error| self.cannot(&error))?;
        if status.success() {
            return Ok(());
        }
        Err(format!("{} failed: {status}", self.line()))
    }

    /// Runs it and returns what it writes to standard output.
    pub(crate) fn output(mut self) -> Result<String, String> {
        let output = self.0.output().map_err(|error| self.cannot(&error))?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "{} failed: {}\n{error}",
                self.line(),
                output.status
            ));
        }
        String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", self.line()))
    }

    fn cannot(&self, error: &std::io::Error) -> String {
        format!("{} cannot be run: {error}", self.line())
    }

    fn line(&self) -> String {
        let words = std::iter::once(self.0.get_program()).chain(self.0.get_args());
        let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
        words.join(" ")
    }
}

/// Every file below a folder whose name ends so, sorted; build outputs are left out.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", ".git", "artifacts", "node_modules"].contains(&name.as_str()) {
                    waiting.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
