//! Globs: names of files with `*`, `?` and `[a-z]`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use tabia_core::{Error, Result};

/// Whether a text has characters that make a glob of it.
fn is_glob(text: &OsStr) -> bool {
    text.to_str()
        .is_some_and(|text| text.contains(['*', '?', '[']))
}

/// The files that a glob names, sorted; `None` if it is none, is the name of a file, or names nothing. `*`, `?` and
/// `[a-z]` have the meaning that they have in a shell. A folder that cannot be listed is an error in the list, whose
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
    let mut found = vec![PathBuf::new()];
    let mut unread = Vec::new();
    for component in Path::new(path).components() {
        let name = component.as_os_str();
        match component {
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
