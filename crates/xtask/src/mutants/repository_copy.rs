//! A copy of the repository in which all chosen mutants are compiled at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::areas::TestRun;
use super::find::Mutant;
use crate::run_program;

/// The environment variable with the number of the mutant that is on.
pub(crate) const CHOSEN: &str = "TABIA_MUTANT";
/// The environment variable with the file to which reached mutants are appended.
pub(crate) const REACHED: &str = "TABIA_MUTANTS_REACHED";

/// The crates that are mutated or test others.
const PACKAGES: [&str; 5] = [
    "tabia-core",
    "tabia-formats",
    "tabia-query",
    "tabia",
    "tabia-cli",
];

/// The copy.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    /// Of the built programs.
    target: PathBuf,
}

/// A test program: where it is and where it has to run.
#[derive(Debug, Clone)]
pub(crate) struct TestProgram {
    pub(crate) path: PathBuf,
    pub(crate) folder: PathBuf,
}

/// The bytes of a mutant in a changed file.
type Spans = BTreeMap<String, Vec<(Range<usize>, usize)>>;

impl Tree {
    /// Copies all files of the repository that are not ignored.
    pub(crate) fn copy(folder: &Path) -> Result<Self, String> {
        let tree = Self {
            root: folder.join("tree"),
            target: folder.join("build"),
        };
        let listed = run_program::program("git")
            .args(&[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .output()?;
        let names: BTreeSet<PathBuf> = listed
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            .filter(|name| run_program::root().join(name).is_file())
            .collect();
        for name in &names {
            let bytes = read(&run_program::root().join(name))?;
            write_changed(&tree.root.join(name), &bytes)?;
        }
        // Files that no longer exist would still be compiled.
        for path in run_program::files(&tree.root, &[""])? {
            let name = path.strip_prefix(&tree.root).unwrap_or(&path);
            if !names.contains(name) && !name.starts_with("target") {
                std::fs::remove_file(&path).map_err(|error| named(&path, &error))?;
            }
        }
        Ok(tree)
    }

    /// Compiles the mutants into the copy. Returns the indexes of those that do not compile.
    ///
    /// # Errors
    /// If the code does not compile for another reason.
    pub(crate) fn insert(&self, mutants: &[Mutant]) -> Result<BTreeSet<usize>, String> {
        let mut dropped = BTreeSet::new();
        self.write_switch(mutants.len())?;
        // Each pass finds errors of one crate, and of one phase of the compiler.
        for _ in 0..40 {
            let spans = self.write_mutants(mutants, &dropped)?;
            let failed = self.failing(&spans)?;
            if failed.is_empty() {
                return Ok(dropped);
            }
            dropped.extend(failed);
        }
        Err("mutants that do not compile remain".to_owned())
    }

    /// The module that reads the environment.
    fn write_switch(&self, count: usize) -> Result<(), String> {
        let text = format!(
            "//! The mutant that is switched on.\n\
             use std::fs::File;\n\
             use std::io::Write;\n\
             use std::sync::OnceLock;\n\
             use std::sync::atomic::{{AtomicBool, Ordering}};\n\
             static REACHED: [AtomicBool; {count}] = [const {{ AtomicBool::new(false) }}; {count}];\n\
             static SETTINGS: OnceLock<(Option<usize>, Option<File>)> = OnceLock::new();\n\
             /// Whether the mutant with this number is on.\n\
             pub fn is_on(number: usize) -> bool {{\n\
             let (chosen, log) = SETTINGS.get_or_init(|| {{\n\
             let chosen = std::env::var(\"{CHOSEN}\").ok().and_then(|text| text.parse().ok());\n\
             let log = std::env::var_os(\"{REACHED}\");\n\
             (chosen, log.and_then(|path| File::options().append(true).open(path).ok()))\n\
             }});\n\
             if let Some(mut log) = log.as_ref() && !REACHED[number].swap(true, Ordering::Relaxed) {{\n\
             let _ = log.write_all(format!(\"{{number}}\\n\").as_bytes());\n\
             }}\n\
             *chosen == Some(number)\n\
             }}\n"
        );
        let source = self.root.join("crates/core/src");
        write_changed(&source.join("mutants.rs"), text.as_bytes())?;
        let library = read(&run_program::root().join("crates/core/src/lib.rs"))?;
        let mut library = String::from_utf8_lossy(&library).into_owned();
        library.push_str("\n/// The mutant that is switched on.\npub mod mutants;\n");
        write_changed(&source.join("lib.rs"), library.as_bytes())
    }

    /// Writes the files with all mutants that are not dropped.
    fn write_mutants(
        &self,
        mutants: &[Mutant],
        dropped: &BTreeSet<usize>,
    ) -> Result<Spans, String> {
        let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, mutant) in mutants.iter().enumerate() {
            by_file.entry(&mutant.file).or_default().push(number);
        }
        let mut spans = Spans::new();
        for (file, mut numbers) in by_file {
            let bytes = read(&run_program::root().join(file))?;
            let text = String::from_utf8_lossy(&bytes);
            numbers.retain(|number| !dropped.contains(number));
            numbers.sort_by_key(|&number| {
                let span = &mutants[number].span;
                (span.start, span.end)
            });
            let switch = if file.starts_with("crates/core/") {
                "crate"
            } else if file.starts_with("crates/cli/") {
                "tabia::core"
            } else {
                "tabia_core"
            };
            let mut changed = String::new();
            let mut copied = 0;
            for number in numbers {
                let mutant = &mutants[number];
                changed.push_str(text.get(copied..mutant.span.start).unwrap_or_default());
                let start = changed.len();
                let switch = format!("{switch}::mutants::is_on({number})");
                changed.push_str(&mutant.text(&switch));
                let entry = spans.entry(file.to_owned()).or_default();
                entry.push((start..changed.len(), number));
                copied = mutant.span.end;
            }
            changed.push_str(text.get(copied..).unwrap_or_default());
            write_changed(&self.root.join(file), changed.as_bytes())?;
        }
        Ok(spans)
    }

    fn cargo(&self, arguments: &[&str]) -> run_program::Run {
        let mut cargo = run_program::cargo(arguments)
            .folder(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            // Mutated conditions are full of parentheses and constants.
            .env("RUSTFLAGS", "--cap-lints allow");
        for package in PACKAGES {
            cargo = cargo.args(&["--package", package]);
        }
        cargo
    }

    /// The mutants in which the compiler finds errors.
    fn failing(&self, spans: &Spans) -> Result<BTreeSet<usize>, String> {
        let arguments = [
            "check",
            "--quiet",
            "--keep-going",
            "--message-format",
            "json",
        ];
        let (is_success, messages) = self.cargo(&arguments).messages()?;
        let mut failed = BTreeSet::new();
        let mut errors = String::new();
        for message in &messages {
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            errors.push_str(message["rendered"].as_str().unwrap_or_default());
            let near = distances(message, spans);
            let inside: Vec<usize> = near
                .iter()
                .filter(|(distance, _)| *distance == 0)
                .map(|(_, mutant)| *mutant)
                .collect();
            if inside.is_empty() {
                // A removed statement can cause an error elsewhere in its function.
                failed.extend(near.iter().min().map(|(_, mutant)| *mutant));
            } else {
                failed.extend(inside);
            }
        }
        if failed.is_empty() && !is_success {
            return Err(format!("the copy does not compile:\n{errors}"));
        }
        Ok(failed)
    }

    /// Builds test programs.
    pub(crate) fn build(
        &self,
        tests: &BTreeSet<(&'static str, &'static str)>,
    ) -> Result<HashMap<(&'static str, &'static str), TestProgram>, String> {
        let mut arguments = vec!["test", "--quiet", "--no-run", "--message-format", "json"];
        let targets: BTreeSet<&str> = tests.iter().map(|test| test.1).collect();
        for target in targets {
            if target == "lib" {
                arguments.push("--lib");
            } else {
                arguments.extend(["--test", target]);
            }
        }
        let (is_success, messages) = self.cargo(&arguments).messages()?;
        if !is_success {
            let errors = messages
                .iter()
                .filter_map(|message| message["message"]["rendered"].as_str());
            return Err(errors.collect());
        }
        let mut programs = HashMap::new();
        for message in &messages {
            let Some(path) = message["executable"].as_str() else {
                continue;
            };
            let manifest = PathBuf::from(message["manifest_path"].as_str().unwrap_or_default());
            let folder = manifest.parent().unwrap_or(&self.root).to_path_buf();
            let kind = message["target"]["kind"][0].as_str().unwrap_or_default();
            let name = message["target"]["name"].as_str().unwrap_or_default();
            let package = message["package_id"].as_str().unwrap_or_default();
            for test in tests {
                let is_target = match kind {
                    "lib" => test.1 == "lib",
                    "test" => test.1 == name,
                    _ => false,
                };
                if is_target && is_package(package, test.0) {
                    let path = PathBuf::from(path);
                    let folder = folder.clone();
                    programs.insert(*test, TestProgram { path, folder });
                }
            }
        }
        if let Some(test) = tests.iter().find(|test| !programs.contains_key(*test)) {
            return Err(format!("there is no test {} of {}", test.1, test.0));
        }
        Ok(programs)
    }
}

/// The mutants in the files of an error of the compiler, with their distances from it in bytes.
fn distances(error: &serde_json::Value, spans: &Spans) -> Vec<(u64, usize)> {
    let mut found = Vec::new();
    for span in error["spans"].as_array().into_iter().flatten() {
        let (Some(start), Some(end)) = (span["byte_start"].as_u64(), span["byte_end"].as_u64())
        else {
            continue;
        };
        let file = span["file_name"].as_str().unwrap_or_default();
        for (range, mutant) in spans.get(file).into_iter().flatten() {
            let (first, last) = (range.start as u64, range.end as u64);
            let distance = first.saturating_sub(end).max(start.saturating_sub(last));
            found.push((distance, *mutant));
        }
    }
    found
}

/// The package and target of a test.
pub(crate) fn target(test: &TestRun) -> (&'static str, &'static str) {
    (test.package, test.target)
}

/// Whether a package id, as `path+file:///…/crates/tabia#0.1.0` or `…/crates/core#tabia-core@0.1.0`,
/// is that of a package.
fn is_package(id: &str, name: &str) -> bool {
    let (folder, version) = id.rsplit_once('#').unwrap_or((id, ""));
    match version.split_once('@') {
        Some((package, _)) => package == name,
        None => folder.rsplit('/').next() == Some(name),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| named(path, &error))
}

/// Writes a file unless it contains the bytes already: then nothing is compiled again.
fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    std::fs::write(path, bytes).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_recognised_by_their_ids() {
        assert!(is_package("path+file:///a/crates/tabia#0.1.0", "tabia"));
        assert!(is_package(
            "path+file:///a/crates/core#tabia-core@0.1.0",
            "tabia-core"
        ));
        assert!(!is_package(
            "path+file:///a/crates/core#tabia-core@0.1.0",
            "tabia"
        ));
    }
}
