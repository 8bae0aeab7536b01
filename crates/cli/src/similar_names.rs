//! What the name of a missing file was probably meant to be.

use std::fs::DirEntry;
use std::path::Path;

use tabia::book::position_arg::position_of_fen;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::formats::archives::compressed::Compression;
use tabia::query::nearest;

use crate::path_text::PathText;
use crate::typed_verb::typed_verb;

/// Names that are proposed at most.
const MOST_NAMES: usize = 5;
/// Letters that the beginning of a name has at least if it is proposed for that.
const LEAST_BEGINNING: usize = 4;

/// How similar a name is, the most similar first; of equal ones those with the same extension first.
type Rank = (Similarity, bool);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Similarity {
    /// Only the extension or the case of letters differs.
    SameStem,
    /// One or two letters differ.
    NearStem,
    /// One begins the other.
    Beginning,
}

/// The files and folders of the same folder whose names are similar to that of a missing file, or what lists
/// those that are there.
pub(crate) fn hint(path: &Path) -> String {
    if let Ok(target) = std::fs::read_link(path) {
        return format!(
            "it is a link to {}, which does not exist",
            target.path_text()
        );
    }
    if let Some(address) = address_of(path) {
        let address = argument(&address).into_owned();
        let verb = typed_verb();
        let reads_streams = [
            "info", "ls", "convert", "check", "stats", "tree", "eco", "dedupe",
        ];
        return if reads_streams.contains(&verb) {
            format!("`curl -L {address} | tabia {verb} -` reads what is at an address")
        } else {
            format!("`curl -L -O {address}` downloads it")
        };
    }
    let text = path.path_text();
    if text.contains(['*', '?', '[', '{']) {
        let pattern = Path::new(&*text);
        let folders = pattern.ancestors().skip(1);
        let is_plain = |folder: &&Path| !folder.path_text().contains(['*', '?', '[', '{']);
        let folder = folders.into_iter().find(is_plain);
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).path_text().into_owned();
        return format!(
            "no file fits the pattern; `tabia info {}` lists the databases and books that are there",
            file_argument(&folder)
        );
    }
    if let Some(fen) = fen_of(path) {
        let fen = argument(&fen).into_owned();
        return format!("`--fen {fen}` names a position");
    }
    let wanted = path.file_name().map(PathText::path_text);
    let wanted = wanted.unwrap_or_default();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        let folder = folder.path_text();
        let text = "`tabia info .` lists what is in this one";
        return format!("the folder {folder} does not exist either; {text}");
    };
    let mut names: Vec<(Rank, String)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().path_text().into_owned();
            let rank = rank(&wanted, &name)?;
            can_be_meant(&entry, &name).then_some((rank, name))
        })
        .collect();
    names.sort();
    names.truncate(MOST_NAMES);
    if names.is_empty() && folder.parent().is_none() {
        return "give the path of a file or folder; `tabia info .` lists what is in this one"
            .to_owned();
    }
    if names.is_empty() {
        let folder = file_argument(&folder.path_text()).into_owned();
        return format!("`tabia info {folder}` lists the databases and books that are there");
    }
    let names: Vec<_> = names.iter().map(|(_, name)| file_argument(name)).collect();
    format!("similar names: {}", names.join(", "))
}

/// The address of a file on the web that was typed as the name of a file.
fn address_of(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    is_address.then(|| text.to_owned())
}

/// A FEN that was typed as the name of a file.
fn fen_of(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    (text.matches('/').count() == 7 && position_of_fen(text).is_ok()).then(|| text.to_owned())
}

/// How similar an existing name is to the one that is wanted; `None` if it is not clearly so.
fn rank(wanted: &str, name: &str) -> Option<Rank> {
    let ((wanted, wanted_extension), (name, extension)) = (parts(wanted), parts(name));
    let begins =
        |one: &str, other: &str| one.chars().count() >= LEAST_BEGINNING && other.starts_with(one);
    let similarity = if wanted.is_empty() || name.is_empty() {
        return None;
    } else if wanted == name {
        Similarity::SameStem
    } else if nearest(&wanted, &[&name]).is_some() {
        Similarity::NearStem
    } else if begins(&wanted, &name) || begins(&name, &wanted) {
        Similarity::Beginning
    } else {
        return None;
    };
    Some((similarity, extension != wanted_extension))
}

/// The name and its extension in lower case, without the extension of a compressed file.
fn parts(name: &str) -> (String, String) {
    let name = name.to_lowercase();
    let (_, bare) = Compression::of_name(&name);
    let (stem, extension) = bare.rsplit_once('.').unwrap_or((bare, ""));
    (stem.to_owned(), extension.to_owned())
}

/// Whether an entry is a folder, or its name that of the main file of a format that is read.
fn can_be_meant(entry: &DirEntry, name: &str) -> bool {
    if entry.path().is_dir() {
        return true;
    }
    let (_, extension) = parts(name);
    tabia::formats()
        .any(|format| format.is_readable() && format.extensions().contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clearly_similar_names_are_ranked() {
        let similarity = |wanted, name| rank(wanted, name).map(|(similarity, _)| similarity);
        for (wanted, name, expected) in [
            ("mega.pgn", "Mega.cbh", Some(Similarity::SameStem)),
            ("mega.pgn", "mega.pgn.zst", Some(Similarity::SameStem)),
            ("gamez.pgn", "games.pgn", Some(Similarity::NearStem)),
            ("twic1568.pgn", "twic1567.pgn", Some(Similarity::NearStem)),
            ("mega", "mega2024.cbh", Some(Similarity::Beginning)),
            ("mega-2024.cbh", "mega.cbh", Some(Similarity::Beginning)),
            ("nothere.pgn", "note13.pgn", None),
            ("nothere.pgn", "nothing-new.pgn", None),
            ("a.pgn", "b.pgn", None),
            ("a.pgn", "ab.pgn", None),
            ("", "games.pgn", None),
        ] {
            assert_eq!(similarity(wanted, name), expected, "{wanted} {name}");
        }
    }

    #[test]
    fn files_of_no_format_are_not_proposed() {
        let folder = tabia_testkit::Scratch::new("similar-names");
        for name in ["games.md", "games.txt", "games.cbg"] {
            std::fs::write(folder.join(name), "?").unwrap();
        }
        let none = hint(&folder.join("game.pgn"));
        assert!(none.starts_with("`tabia info "), "{none}");
        for name in ["games.pgn", "gamest.cbh", "games.pgn.zst", "other.pgn"] {
            std::fs::write(folder.join(name), "?").unwrap();
        }
        std::fs::create_dir(folder.join("games")).unwrap();
        let names = hint(&folder.join("game.pgn"));
        assert_eq!(
            names,
            "similar names: games.pgn, games.pgn.zst, games, gamest.cbh"
        );
    }
}
