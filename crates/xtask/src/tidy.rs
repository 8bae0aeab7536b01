//! Rules of the repository that no compiler or linter checks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::code_that_names_formats::named_format;
use crate::forbidden_words::ForbiddenWords;
use crate::import_circles::CrateFiles;
use crate::{Outcome, run_program};

pub(crate) fn tidy(_: &[String]) -> Outcome {
    let root = run_program::root();
    let mut problems = Vec::new();
    for path in run_program::files(&root, &[".rs"])? {
        let text = read(&path)?;
        let name = relative(&root, &path);
        check_source(&name, &text, &mut problems);
    }
    for path in run_program::files(&root, &["Cargo.toml"])? {
        let name = relative(&root, &path);
        if !may_name_oracles(&name) {
            let text = read(&path)?;
            problems.extend(lines_with(
                &name,
                &text,
                &ORACLES,
                "belongs to the test oracles",
            ));
        }
    }
    let texts = [".rs", ".md", ".toml", ".yml", ".py", ".sh", "run"];
    for path in run_program::files(&root, &texts)? {
        let text = read(&path)?;
        let name = relative(&root, &path);
        problems.extend(lines_with(
            &name,
            &text,
            &MACHINE_PATHS,
            "is a path of one machine",
        ));
    }
    check_circles(&root, &mut problems)?;
    check_example_names(&root, &mut problems)?;
    check_words(&root, &mut problems)?;
    check_fixtures(&root, &mut problems)?;
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    ))
}

/// No file of a crate imports from another that needs it.
fn check_circles(root: &Path, problems: &mut Vec<String>) -> Outcome {
    let mut crates: BTreeMap<String, CrateFiles> = BTreeMap::new();
    for path in run_program::files(&root.join("crates"), &[".rs"])? {
        let name = relative(root, &path);
        let Some((folder, _)) = name.split_once("/src/") else {
            continue;
        };
        let files = crates.entry(folder.to_owned()).or_default();
        files.add(&name, &read(&path)?);
    }
    for files in crates.values() {
        for circle in files.circles() {
            problems.push(format!("import each other: {}", circle.join(", ")));
        }
    }
    Ok(())
}

/// The names that examples of the crates below `tabia` take from it are those of public items of it: readers of its
/// documentation copy them.
fn check_example_names(root: &Path, problems: &mut Vec<String>) -> Outcome {
    let items = read(&root.join("docs/public-api.txt"))?;
    for folder in ["crates/core", "crates/query"] {
        for path in run_program::files(&root.join(folder), &[".rs"])? {
            let name = relative(root, &path);
            for line in read(&path)?.lines() {
                for item in example_names(line) {
                    if !is_public_item(&items, &item) {
                        problems.push(format!(
                            "{name}: an example has `{item}`, which is not public"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether a list of public items, one a line (`struct tabia::Query: …`), has one of this name.
fn is_public_item(items: &str, name: &str) -> bool {
    items.lines().any(|line| {
        let item = line.split_once(' ').map(|(_, item)| item);
        let rest = item.and_then(|item| item.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with([':', ' ', '<']) || rest.is_empty())
    })
}

/// The items of `tabia` that a line of an example imports: `/// use tabia::chess::{FenStyle, Setup};`.
fn example_names(line: &str) -> Vec<String> {
    let text = line.trim_start().trim_start_matches(['/', '!', ' ']);
    let path = text
        .strip_prefix("use ")
        .filter(|path| path.starts_with("tabia::"));
    let Some(path) = path.and_then(|path| path.strip_suffix(';')) else {
        return Vec::new();
    };
    let Some((start, names)) = path.strip_suffix('}').and_then(|path| path.split_once('{')) else {
        return vec![path.to_owned()];
    };
    names
        .split(',')
        .map(|name| format!("{start}{}", name.trim()))
        .collect()
}

// Put together from parts, so that this file does not break the rules it checks.
const MACHINE_PATHS: [&str; 3] = [
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "home/"),
];
const ORACLES: [&str; 3] = [
    concat!("shak", "maty"),
    concat!("cozy", "-chess"),
    concat!("cozy", "_chess"),
];
/// Instructions that not every processor has, maps of files, handlers of signals, what runs before `main`, and the borders to C and to the host of
/// WebAssembly.
const MAY_BE_UNSAFE: [&str; 17] = [
    "crates/core/src/byte_sets.rs",
    "crates/core/src/io/blob.rs",
    "crates/core/src/io/interrupt_signals.rs",
    "crates/core/src/io/lost_file_signals.rs",
    "crates/cli/src/closed_stdout.rs",
    "bindings/c/src/arrow_stream.rs",
    "bindings/c/src/book.rs",
    "bindings/c/src/convert.rs",
    "bindings/c/src/database.rs",
    "bindings/c/src/error.rs",
    "bindings/c/src/lib.rs",
    "bindings/c/src/report.rs",
    "bindings/c/src/rows.rs",
    "bindings/c/src/text.rs",
    "bindings/c/src/write.rs",
    "bindings/wasm/src/host_file.rs",
    "bindings/wasm/src/lib.rs",
];
const IGNORED: [&str; 1] = [concat!("#[", "ignore")];
const UNFINISHED: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
];

fn check_source(name: &str, text: &str, problems: &mut Vec<String>) {
    if !may_name_oracles(name) && !name.starts_with("crates/xtask/") {
        let code: Vec<&str> = text.lines().map(without_comment).collect();
        let code = code.join("\n");
        problems.extend(lines_with(
            name,
            &code,
            &ORACLES,
            "belongs to the test oracles",
        ));
    }
    problems.extend(lines_with(name, text, &IGNORED, "hides a test"));
    problems.extend(lines_with(name, text, &UNFINISHED, "is unfinished"));
    if !MAY_BE_UNSAFE.contains(&name) {
        for (number, line) in code_lines(text) {
            if has_word(line, concat!("un", "safe")) {
                problems.push(format!(
                    "{name}:{number}: only {} may do this",
                    MAY_BE_UNSAFE.join(" and ")
                ));
            }
        }
    }
    let formats: Vec<_> = tabia_formats::formats().collect();
    let ids: Vec<&str> = formats
        .iter()
        .map(|format| format.file().id.as_str())
        .collect();
    for (number, line) in code_lines(text) {
        if let Some(why) = named_format(name, line, &ids) {
            problems.push(format!(
                "{name}:{number}: {why}; ask the descriptor of the format instead"
            ));
        }
    }
}

fn may_name_oracles(name: &str) -> bool {
    name.starts_with("crates/oracle/") || name.starts_with("crates/bench/")
}

/// Lines of code with their numbers: without comments, and without the tests at a file's foot.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .map(|(number, line)| (number + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The line, empty if it is a comment; prose may name any program.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with("//") {
        ""
    } else {
        line
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.split(|c| !part(c)).any(|found| found == word)
}

fn lines_with(name: &str, text: &str, patterns: &[&str], why: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for pattern in patterns.iter().filter(|pattern| line.contains(**pattern)) {
            found.push(format!("{name}:{}: {pattern} {why}", number + 1));
        }
    }
    found
}

/// Files that name forbidden words: the list, the dictionary, texts of other people, and names that a program makes.
const ABOUT_WORDS: [&str; 5] = [
    "docs/forbidden-words.txt",
    "docs/terms.md",
    "LICENSE-APACHE",
    "crates/xtask/src/forbidden_words.rs",
    "crates/serve/src/assets/table.rs",
];

/// Code, comments, help and documents use the terms of docs/terms.md.
fn check_words(root: &Path, problems: &mut Vec<String>) -> Outcome {
    let list = ForbiddenWords::parse(&read(&root.join("docs/forbidden-words.txt"))?)
        .map_err(|error| format!("docs/forbidden-words.txt: {error}"))?;
    for path in run_program::files(root, &[".rs", ".md", ".toml", ".py", ".sh", "run"])? {
        let name = relative(root, &path);
        if ABOUT_WORDS.contains(&name.as_str()) {
            continue;
        }
        let is_document = path.extension().is_some_and(|extension| extension == "md");
        let mut in_console = false;
        for (number, line) in read(&path)?.lines().enumerate() {
            if is_document && line.starts_with("```") {
                in_console = line == "```console";
            }
            // What the program prints: words of games and keys of JSON are not ours to choose.
            if in_console && !line.starts_with("$ ") {
                continue;
            }
            for (term, instead) in list.in_line(&name, line) {
                problems.push(format!("{name}:{}: `{term}`: write {instead}", number + 1));
            }
        }
    }
    Ok(())
}

/// Every folder of fixtures has a file that states where they come from.
fn check_fixtures(root: &Path, problems: &mut Vec<String>) -> Outcome {
    let mut folders: Vec<PathBuf> = vec![root.join("samples")];
    for kind in ["fixtures", "regression"] {
        let folder = root.join("crates/formats/tests").join(kind);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        folders.extend(
            entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_dir()),
        );
    }
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let files = run_program::files(folder, &[""])?;
        let only = files.iter().all(|path| path.ends_with("SOURCE.md"));
        let sources = ["SOURCE.md", "README.md"].map(|name| folder.join(name).is_file());
        if !only && sources == [false, false] {
            problems.push(format!("{}: SOURCE.md is missing", relative(root, folder)));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(name: &str, text: &str) -> usize {
        let mut problems = Vec::new();
        check_source(name, text, &mut problems);
        problems.len()
    }

    #[test]
    fn names_in_examples_are_public() {
        let names = example_names("    /// use tabia::chess::{FenStyle, Setup};");
        assert_eq!(names, ["tabia::chess::FenStyle", "tabia::chess::Setup"]);
        assert_eq!(example_names("//! use tabia::Query;"), ["tabia::Query"]);
        assert!(example_names("/// use other::Query;").is_empty());
        let items =
            "method tabia::Query::parse: pub fn parse()\nfn tabia::project: pub fn project()\n";
        assert!(is_public_item(items, "tabia::Query") && is_public_item(items, "tabia::project"));
        assert!(!is_public_item(items, "tabia::Que") && !is_public_item(items, "tabia::san"));
    }

    #[test]
    fn breaches_are_found_and_comments_are_not_code() {
        let word = concat!("un", "safe");
        assert_eq!(
            problems("crates/core/src/x.rs", &format!("{word} {{ f() }}")),
            1
        );
        assert_eq!(
            problems("crates/core/src/io/blob.rs", &format!("{word} {{ f() }}")),
            0
        );
        assert_eq!(
            problems("crates/core/src/x.rs", &format!("// {word}\n{word}_code")),
            0
        );
        assert_eq!(
            problems("crates/core/src/x.rs", concat!("#[", "ignore = \"slow\"]")),
            1
        );
        assert_eq!(
            problems("crates/core/src/x.rs", concat!("use shak", "maty::Chess;")),
            1
        );
        assert_eq!(
            problems(
                "crates/oracle/src/x.rs",
                concat!("use shak", "maty::Chess;")
            ),
            0
        );
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("a (b)", "b"));
        assert!(!has_word("ab b_c", "b"));
    }
}
