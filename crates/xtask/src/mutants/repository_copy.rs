//! A copy of the repository in which all chosen mutants are compiled at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::areas::TestRun;
use super::find::{Form, Mutant};
use crate::run_program;

/// The environment variable with the number of the mutant that is on.
pub(crate) const CHOSEN: &str = "TABIA_MUTANT";
/// The environment variable with the file to which reached mutants are appended.
pub(crate) const REACHED: &str = "TABIA_MUTANTS_REACHED";

/// The folders of the crates that are mutated, with their packages.
const PACKAGES: [(&str, &str); 5] = [
    ("crates/core/", "tabia-core"),
    ("crates/formats/", "tabia-formats"),
    ("crates/query/", "tabia-query"),
    ("crates/tabia/", "tabia"),
    ("crates/cli/", "tabia-cli"),
];

/// Lints of the copy: mutated conditions are full of parentheses and constants.
const LINTS: &str = "[workspace.lints.rust]
warnings = \"allow\"
arithmetic_overflow = \"allow\"
overflowing_literals = \"allow\"
unconditional_panic = \"allow\"
";

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
            let mut bytes = read(&run_program::root().join(name))?;
            if name.as_os_str() == "Cargo.toml" {
                bytes = without_lints(&String::from_utf8_lossy(&bytes)).into_bytes();
            }
            write_changed(&tree.root.join(name), &bytes)?;
        }
        // Files that no longer exist would still be compiled.
        for path in run_program::files(&tree.root, &[""])? {
            let name = path.strip_prefix(&tree.root).unwrap_or(&path);
            if !names.contains(name) && !name.starts_with("target") {
                std::fs::remove_file(&path).map_err(|error| named(&path, &error))?;
            }
        }
        tree.copy_foreign_crates()?;
        Ok(tree)
    }

    /// Copies what Cargo has built of the crates of others, unless there is a build already. They are the
    /// same here: the options of the compiler do not differ.
    fn copy_foreign_crates(&self) -> Result<(), String> {
        let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
            || run_program::root().join("target"),
            |folder| run_program::root().join(folder),
        );
        let (from, to) = (built.join("debug"), self.target.join("debug"));
        if to.exists() {
            return Ok(());
        }
        let names = |folder: &str| -> Vec<String> {
            let entries = std::fs::read_dir(from.join(folder)).into_iter().flatten();
            let names = entries.flatten().map(|entry| entry.file_name());
            names
                .map(|name| name.to_string_lossy().into_owned())
                .collect()
        };
        let is_ours = |name: &str| name.starts_with("tabia") || name.starts_with("xtask");
        let mut hashes = BTreeSet::new();
        for folder in [".fingerprint", "build"] {
            for name in names(folder).iter().filter(|name| !is_ours(name)) {
                hashes.extend(name.rsplit_once('-').map(|(_, hash)| hash.to_owned()));
                copy_all(&from.join(folder).join(name), &to.join(folder).join(name))?;
            }
        }
        for name in names("deps") {
            let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
            if hashes.contains(hash) {
                copy_all(&from.join("deps").join(&name), &to.join("deps").join(&name))?;
            }
        }
        Ok(())
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
            // Outer spans come before those inside them.
            numbers.sort_by_key(|&number| {
                let span = &mutants[number].span;
                (span.start, Reverse(span.end), number)
            });
            let switch = if file.starts_with("crates/core/") {
                "crate"
            } else if file.starts_with("crates/cli/") {
                "tabia::core"
            } else {
                "tabia_core"
            };
            let mut with_mutants = WithMutants {
                mutants,
                switch,
                original: &text,
                changed: String::new(),
                spans: Vec::new(),
            };
            with_mutants.add(0..text.len(), &numbers);
            spans.insert(file.to_owned(), with_mutants.spans);
            write_changed(&self.root.join(file), with_mutants.changed.as_bytes())?;
        }
        Ok(spans)
    }

    fn cargo(&self, arguments: &[&str], packages: &BTreeSet<&str>) -> run_program::Run {
        let mut cargo = run_program::cargo(arguments)
            .folder(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            // Most of the time is that of the compiler, which compiles the same crates several times.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .env("CARGO_INCREMENTAL", "1");
        for package in packages {
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
        let packages = PACKAGES.iter().filter(|(folder, _)| {
            let mut files = spans.keys();
            files.any(|file| file.starts_with(folder))
        });
        let packages = packages.map(|(_, package)| *package).collect();
        let (is_success, messages) = self.cargo(&arguments, &packages).messages()?;
        let mut failed = BTreeSet::new();
        let mut errors = String::new();
        for message in &messages {
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            errors.push_str(message["rendered"].as_str().unwrap_or_default());
            // The innermost one at the error; a removed statement can cause an error elsewhere in its
            // function.
            let near = distances(message, spans);
            failed.extend(near.iter().min().map(|(_, _, mutant)| *mutant));
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
        let packages = tests.iter().map(|test| test.0).collect();
        let (is_success, messages) = self.cargo(&arguments, &packages).messages()?;
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

/// A file while its mutants are added.
struct WithMutants<'m> {
    mutants: &'m [Mutant],
    /// The crate with the module that reads the environment.
    switch: &'m str,
    original: &'m str,
    changed: String,
    /// The mutants with their bytes in the changed file.
    spans: Vec<(Range<usize>, usize)>,
}

impl WithMutants<'_> {
    /// Adds bytes of the original with these mutants, which are sorted by their starts, outer ones first.
    /// A mutant of a part is in the text of the unchanged whole.
    fn add(&mut self, range: Range<usize>, numbers: &[usize]) {
        let mut at = range.start;
        let mut rest = numbers;
        while let Some((&number, others)) = rest.split_first() {
            let mutant = &self.mutants[number];
            let span = mutant.span.clone();
            let is_inside = |other: &&usize| self.mutants[**other].span.start < span.end;
            let is_insertion = mutant.form == Form::Return;
            let inside = if is_insertion {
                0
            } else {
                others.iter().take_while(is_inside).count()
            };
            let (inner, after) = others.split_at(inside);
            self.copy(at..span.start);
            let start = self.changed.len();
            let (before, end) =
                mutant.around(&format!("{}::mutants::is_on({number})", self.switch));
            self.changed.push_str(&before);
            self.add(span.clone(), inner);
            self.changed.push_str(end);
            self.spans.push((start..self.changed.len(), number));
            at = span.end;
            rest = after;
        }
        self.copy(at..range.end);
    }

    fn copy(&mut self, range: Range<usize>) {
        let text = self.original.get(range);
        self.changed.push_str(text.unwrap_or_default());
    }
}

/// The mutants in the files of an error of the compiler, with their distances from it and their lengths in
/// bytes.
fn distances(error: &serde_json::Value, spans: &Spans) -> Vec<(u64, usize, usize)> {
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
            found.push((distance, range.len(), *mutant));
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

/// The manifest of the workspace with other lints.
fn without_lints(manifest: &str) -> String {
    let mut is_lints = false;
    let mut text = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_lints = line.starts_with("[workspace.lints");
        }
        if !is_lints {
            text.push_str(line);
            text.push('\n');
        }
    }
    text + LINTS
}

/// Copies a file or folder with the times of its files, by which Cargo finds what has changed.
fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    let copied = if from.is_dir() {
        std::fs::create_dir_all(to).and_then(|()| {
            for entry in std::fs::read_dir(from)? {
                let name = entry?.file_name();
                copy_all(&from.join(&name), &to.join(&name)).map_err(std::io::Error::other)?;
            }
            Ok(())
        })
    } else {
        let folder = to.parent().unwrap_or(to);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::copy(from, to))
            .and_then(|_| from.metadata()?.modified())
            .and_then(|time| {
                std::fs::File::options()
                    .append(true)
                    .open(to)?
                    .set_modified(time)
            })
    };
    copied.map_err(|error| named(from, &error))
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
    fn mutants_of_parts_are_inside_those_of_the_whole() {
        let text = "fn f(a: u32) -> bool { a + 1 < 3 }";
        let mutants = super::super::find::mutants("crates/core/a.rs", text).unwrap();
        let mut numbers: Vec<usize> = (0..mutants.len()).collect();
        numbers.sort_by_key(|&number| {
            let span = &mutants[number].span;
            (span.start, Reverse(span.end), number)
        });
        let mut all = WithMutants {
            mutants: &mutants,
            switch: "m",
            original: text,
            changed: String::new(),
            spans: Vec::new(),
        };
        all.add(0..text.len(), &numbers);
        assert_eq!(all.spans.len(), mutants.len());
        let function: syn::ItemFn = syn::parse_str(&all.changed).unwrap();
        assert_eq!(function.sig.ident, "f");
        for number in 0..mutants.len() {
            let switch = format!("m::mutants::is_on({number})");
            assert_eq!(all.changed.matches(&switch).count(), 1, "{}", all.changed);
        }
        assert_eq!(all.changed.matches("a + 1 < 3").count(), 0);
    }

    #[test]
    fn lints_are_replaced() {
        let manifest = "[workspace]\nmembers = []\n[workspace.lints.rust]\nx = \"deny\"\n\n\
            [workspace.lints.clippy]\ny = \"warn\"\n[profile.dev]\nopt-level = 1\n";
        let expected = "[workspace]\nmembers = []\n[profile.dev]\nopt-level = 1\n";
        assert_eq!(without_lints(manifest), format!("{expected}{LINTS}"));
    }

    #[test]
    fn files_are_copied_with_their_times() {
        let folder = std::env::temp_dir().join(format!("tabia-mutants-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        std::fs::create_dir_all(from.join("inner")).unwrap();
        std::fs::write(from.join("inner/file"), "text").unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30);
        let file = std::fs::File::options()
            .append(true)
            .open(from.join("inner/file"));
        file.unwrap().set_modified(time).unwrap();
        copy_all(&from, &to).unwrap();
        let copy = to.join("inner/file");
        assert_eq!(std::fs::read(&copy).unwrap(), b"text");
        assert_eq!(copy.metadata().unwrap().modified().unwrap(), time);
        std::fs::remove_dir_all(&folder).unwrap();
    }

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
