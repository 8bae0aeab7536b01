//! Globs: names of files with `*`, `?`, `[a-z]`, `{a,b}`, and `**` for folders at any depth.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use tabia_core::{Error, Result};

/// Whether a text has characters that make a glob of it.
fn is_glob(text: &OsStr) -> bool {
    text.to_str()
        .is_some_and(|text| text.contains(['*', '?', '[']) || is_choice(text))
}

/// Names of which `{a,b}` is short, at most.
const MAX_CHOICES: usize = 1000;
/// Folders that `**` lists, at most.
const MAX_FOLDERS: usize = 100_000;

/// Whether a text has alternatives in braces.
fn is_choice(text: &str) -> bool {
    alternatives(text).is_some()
}

/// What is before the first braces with a comma between them, the alternatives, and what is after.
fn alternatives(text: &str) -> Option<(&str, &str, &str)> {
    let mut ends = text.match_indices('}');
    ends.find_map(|(close, _)| {
        let (before, inner) = text.get(..close)?.rsplit_once('{')?;
        let after = text.get(close + 1..)?;
        inner.contains(',').then_some((before, inner, after))
    })
}

/// The texts that one with alternatives in braces is: `{a,b}.pgn` as `a.pgn` and `b.pgn`.
fn without_choices(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match alternatives(&text) {
            Some((before, inner, after)) if open.len() + done.len() < MAX_CHOICES => {
                let choices = inner.split(',').rev();
                open.extend(choices.map(|choice| format!("{before}{choice}{after}")));
            }
            _ => done.push(text),
        }
    }
    done
}

/// The files that a glob names, sorted; `None` if it is none, is the name of a file, or names nothing. `*`, `?`,
/// `[a-z]` and `{a,b}` have the meaning that they have in a shell, and `**` is a folder and all folders in it. A folder that cannot be listed is an error in the list, whose
/// location is the folder: what it has may be meant.
///
/// ```
/// use tabia::globs::expand_glob;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-globs-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// for name in ["b.pgn", "a.pgn", "c.cbh"] {
///     std::fs::write(folder.join(name), "")?;
/// }
/// let found = expand_glob(folder.join("*.pgn").as_os_str()).unwrap_or_default();
/// let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(found, [folder.join("a.pgn"), folder.join("b.pgn")]);
/// assert!(expand_glob(folder.join("*.si5").as_os_str()).is_none());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub fn expand_glob(path: &OsStr) -> Option<Vec<Result<PathBuf>>> {
    if !is_glob(path) || Path::new(path).exists() {
        return None;
    }
    let text = path.to_str().filter(|text| is_choice(text));
    let Some(text) = text else {
        return expand(path);
    };
    let mut all: Vec<Result<PathBuf>> = Vec::new();
    for choice in without_choices(text) {
        match expand(OsStr::new(&choice)) {
            Some(found) => all.extend(found),
            None if Path::new(&choice).exists() => all.push(Ok(choice.into())),
            None => {}
        }
    }
    (!all.is_empty()).then_some(all)
}

/// As [`expand_glob`], without alternatives in braces.
fn expand(path: &OsStr) -> Option<Vec<Result<PathBuf>>> {
    if !is_glob(path) || Path::new(path).exists() {
        return None;
    }
    let mut found = vec![PathBuf::new()];
    let mut unread = Vec::new();
    for component in Path::new(path).components() {
        let name = component.as_os_str();
        match component {
            Component::Normal(_) if name == "**" => {
                let (folders, errors) = folders_below(found);
                found = folders;
                unread.extend(errors);
            }
            Component::Normal(_) if is_glob(name) => {
                let pattern: Vec<char> = name.to_str()?.chars().collect();
                let mut matches = Vec::new();
                for folder in found {
                    match matching(&folder, &pattern) {
                        Ok(names) => matches.extend(names),
                        Err(error) => unread.push(error.in_path(&listed(&folder))),
                    }
                }
                found = matches;
            }
            _ => {
                for path in &mut found {
                    path.push(name);
                }
                found.retain(|path| match std::fs::metadata(path) {
                    Ok(_) => true,
                    Err(error) if is_absent(&error) => false,
                    Err(error) => {
                        unread.push(Error::from(error).in_path(path));
                        false
                    }
                });
            }
        }
    }
    let found = found.into_iter().map(Ok);
    let all: Vec<Result<PathBuf>> = found.chain(unread.into_iter().map(Err)).collect();
    (!all.is_empty()).then_some(all)
}

/// The folders and all that are in them, without hidden ones and links, each sorted after the one that it is in.
fn folders_below(folders: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let mut open: Vec<PathBuf> = folders.into_iter().rev().collect();
    while let Some(folder) = open.pop() {
        let entries = match std::fs::read_dir(listed(&folder)) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => continue,
            Err(error) => {
                errors.push(Error::from(error).in_path(&listed(&folder)));
                continue;
            }
        };
        let entries = entries.flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let names = inner.map(|entry| entry.file_name());
        let mut names: Vec<OsString> = names
            .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
            .collect();
        names.sort();
        if all.len() + open.len() < MAX_FOLDERS {
            open.extend(names.into_iter().rev().map(|name| folder.join(name)));
        } else if !names.is_empty() {
            let text = format!("`**` lists at most {MAX_FOLDERS} folders, not those in this one");
            errors.push(Error::unsupported(text).in_path(&listed(&folder)));
        }
        all.push(folder);
    }
    (all, errors)
}

/// The folder that an empty path is.
fn listed(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_path_buf()
    }
}

/// Whether nothing of that name is there.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The names in a folder that fit a pattern, sorted; hidden ones only if the pattern begins with a dot. What is no folder
/// has no names.
fn matching(folder: &Path, pattern: &[char]) -> Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(listed(folder)) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut names: Vec<OsString> = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let letters: Vec<char> = name.to_string_lossy().chars().collect();
        let is_hidden = letters.first() == Some(&'.') && pattern.first() != Some(&'.');
        if !is_hidden && fits(pattern, &letters) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Whether a name fits a pattern of `*`, `?`, `[a-z]` and letters.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    // Where the last `*` is, and from where on it fits the rest of the name.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&'*') {
            star = Some((p + 1, n));
            p += 1;
            continue;
        }
        let letter = name.get(n).copied();
        if p == pattern.len() && letter.is_none() {
            return true;
        }
        let one = letter.and_then(|letter| one_fits(pattern.get(p..).unwrap_or_default(), letter));
        match (one, star) {
            (Some(length), _) => {
                p += length;
                n += 1;
            }
            // The `*` takes one letter more.
            (None, Some((after, from))) if from < name.len() => {
                star = Some((after, from + 1));
                p = after;
                n = from + 1;
            }
            _ => return false,
        }
    }
}

/// The length of the part of a pattern that fits one letter.
fn one_fits(pattern: &[char], letter: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            // The first letter of a set may be the closing bracket.
            let end = rest.iter().skip(1).position(|c| *c == ']').map(|at| at + 1);
            let Some(end) = end else {
                return (letter == '[').then_some(1);
            };
            let set = rest.get(..end)?;
            let (is_negated, set) = match set {
                ['!' | '^', set @ ..] if !set.is_empty() => (true, set),
                set => (false, set),
            };
            let mut has = false;
            let mut at = 0;
            while let Some(&first) = set.get(at) {
                if let (Some('-'), Some(&last)) = (set.get(at + 1), set.get(at + 2)) {
                    has |= (first..=last).contains(&letter);
                    at += 3;
                } else {
                    has |= first == letter;
                    at += 1;
                }
            }
            (has != is_negated).then_some(end + 2)
        }
        [c, ..] => {
            let is_same =
                *c == letter || cfg!(windows) && c.to_lowercase().eq(letter.to_lowercase());
            is_same.then_some(1)
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn braces_are_alternatives() {
        let all = super::without_choices("{a,b}/{1,2}.pgn");
        assert_eq!(all, ["a/1.pgn", "a/2.pgn", "b/1.pgn", "b/2.pgn"]);
        assert_eq!(super::without_choices("{a}.pgn"), ["{a}.pgn"]);
        assert_eq!(super::without_choices("a{,-b}"), ["a", "a-b"]);
        assert!(super::without_choices(&"{a,b}".repeat(40)).len() <= super::MAX_CHOICES + 40);
    }

    #[test]
    fn patterns_fit_whole_names() {
        let fits = |pattern: &str, name: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            super::fits(&letters(pattern), &letters(name))
        };
        for (pattern, name) in [
            ("*.pgn", "a.pgn"),
            ("*", ""),
            ("a*b*c", "axxbyybc"),
            ("?", "王"),
            ("twic[0-9]*.cbv", "twic1134.cbv"),
            ("[!a]b", "bb"),
            ("[]]", "]"),
            ("[x", "[x"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.pgn", "a.pgnx"),
            ("?", ""),
            ("a*b", "acbd"),
            ("[!a]b", "ab"),
            ("[a-c]", "d"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
