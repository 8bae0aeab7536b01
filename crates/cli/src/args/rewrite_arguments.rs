//! Rewrites of the typed arguments before they are parsed: common options before the verb move after it, as git
//! and cargo take them; queries that begin with `-` are protected; options of `polyglot make-book` are translated.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use tabia::core::io::name_of_text;

use crate::args::ColorChoice;

/// Common options that take a value.
const WITH_VALUE: &[&str] = &[
    "-j",
    "--threads",
    "--from",
    "--encoding",
    "--password",
    "--report",
    "--progress",
    "--color",
];
/// Common options without a value.
const FLAGS: &[&str] = &["--strict", "-q", "--quiet", "-v", "--verbose", "--no-pager"];
/// Verbs that a second verb follows.
const GROUPS: &[&str] = &["archive", "book"];

/// Whether an option is one that every verb has.
pub(crate) fn is_common_option(option: &str) -> bool {
    FLAGS.contains(&option) || WITH_VALUE.contains(&option)
}

/// `tabia --color never ls x` as `tabia ls --color never x`. Arguments that begin otherwise are
/// unchanged.
pub(crate) fn move_after_verb(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut verb = 1;
    while let Some(argument) = arguments.get(verb).and_then(|argument| argument.to_str()) {
        let name = argument.split_once('=').map(|(name, _)| name);
        if FLAGS.contains(&argument) || name.is_some_and(|name| WITH_VALUE.contains(&name)) {
            verb += 1;
        } else if WITH_VALUE.contains(&argument) {
            verb += 2;
        } else {
            break;
        }
    }
    if verb == 1 || verb >= arguments.len() {
        return arguments;
    }
    let is_group = |verb: &OsString| GROUPS.iter().any(|group| verb == group);
    let verbs = 1 + usize::from(arguments.get(verb).is_some_and(is_group));
    let mut arguments = arguments;
    let end = (verb + verbs).min(arguments.len());
    // The verbs come first.
    if let Some(head) = arguments.get_mut(1..end) {
        head.rotate_left(verb - 1);
    }
    arguments
}

/// Paths with `\\xe9` for a byte that is not UTF-8, or with the escapes of tab-separated values, as rows and messages have
/// them, as these paths; also
/// those of members of archives. Only those of files, or in folders, that exist so and not as they are typed.
pub(crate) fn with_names_as_printed(arguments: Vec<OsString>) -> Vec<OsString> {
    let name_of = |argument: &OsString| {
        let text = argument.to_str()?;
        if let Some(plain) = without_escapes(text)
            && !exists(argument)
        {
            // A cell has the escapes of both.
            let name = name_of_text(&plain).unwrap_or_else(|| OsString::from(&plain));
            if exists(&name) {
                return Some(name);
            }
        }
        let name = name_of_text(text)?;
        (!is_there(argument) && is_there(&name)).then_some(name)
    };
    let arguments = arguments.into_iter();
    arguments
        .map(|argument| name_of(&argument).unwrap_or(argument))
        .collect()
}

/// Whether a path, or the archive of a member, is there.
fn exists(path: &OsStr) -> bool {
    let is_file = |path: &Path| path.symlink_metadata().is_ok();
    is_file(Path::new(path)) || archives_in(path).any(|archive| is_file(&archive))
}

/// A cell of tab-separated values without its escapes; `None` if it has none.
fn without_escapes(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut has_escape = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            '\\' => '\\',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            _ => return None,
        });
        has_escape = true;
    }
    has_escape.then_some(out)
}

/// Whether a path, the folder that it is in or the archive of a member is there.
fn is_there(path: &OsStr) -> bool {
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    let whole = Path::new(path);
    let folder = whole
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if exists(whole) || folder.is_some_and(exists) {
        return true;
    }
    archives_in(path).any(|archive| exists(&archive))
}

/// What may be the path of an archive: what a colon ends.
fn archives_in(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let bytes = path.as_encoded_bytes();
    let colons = bytes.iter().enumerate().filter(|(_, byte)| **byte == b':');
    colons
        .filter_map(|(at, _)| bytes.get(..at))
        .map(path_of_bytes)
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;

    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// `tabia help --color never ls` as `tabia help ls`: help has no options, and common ones change nothing in it.
pub(crate) fn without_options_of_help(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|verb| verb != "help") {
        return arguments;
    }
    let mut words = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if WITH_VALUE.contains(&text) {
            // Its value is no verb.
            arguments.next();
        } else if !FLAGS.contains(&text) && !WITH_VALUE.contains(&name) {
            words.push(argument);
        }
    }
    words
}

/// The last `--color` of the command line, which may have errors.
pub(crate) fn stated_color(arguments: &[OsString]) -> Option<ColorChoice> {
    let options = arguments.iter().take_while(|argument| *argument != "--");
    let mut color = None;
    for (number, argument) in options.enumerate() {
        let value = match argument
            .to_str()
            .and_then(|text| text.strip_prefix("--color"))
        {
            Some("") => arguments.get(number + 1).and_then(|value| value.to_str()),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        color = value
            .and_then(|value| ColorChoice::from_str(value, false).ok())
            .or(color);
    }
    color
}

/// Puts a blank before a query that begins with `-`, so that it is not taken for an option: the blank
/// changes nothing in a query.
pub(crate) fn protect_queries(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_search = arguments.get(1).is_some_and(|verb| verb == "search");
    if !is_search {
        return arguments;
    }
    let protect = |argument: OsString| match argument.to_str() {
        Some(text) if is_negated_query(text) => OsString::from(format!(" {text}")),
        _ => argument,
    };
    arguments.into_iter().map(protect).collect()
}

/// Whether an argument is a query whose first term is negated: `-(`, `-"` or `-field:`.
fn is_negated_query(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('-') else {
        return false;
    };
    rest.starts_with(['(', '"'])
        || rest.split_once(':').is_some_and(|(name, _)| {
            let mut fields = tabia::query::fields().iter();
            fields.any(|field| {
                let mut names = field.aliases.iter().chain([&field.name]);
                names.any(|other| name.eq_ignore_ascii_case(other))
            })
        })
}

/// Translates the options of `polyglot make-book` into those of `book build`; other command lines stay
/// as they are.
pub(crate) fn from_polyglot(arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |i: usize, text: &str| arguments.get(i).is_some_and(|argument| argument == text);
    if !is(1, "book") || !(is(2, "build") || is(2, "make-book")) {
        return arguments;
    }
    let mut ours: Vec<OsString> = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let text = argument.to_str().unwrap_or_default();
        // Also `-pgn=games.pgn`.
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let option = match name {
            "make-book" if i == 2 => "build",
            "-pgn" => {
                ours.extend(value.map(OsString::from));
                continue;
            }
            "-bin" => "--output",
            "-max-ply" => "--max-ply",
            "-min-game" => "--min-games",
            "-min-score" => "--min-score",
            "-only-white" => "--only-white",
            "-only-black" => "--only-black",
            "-uniform" => "--uniform",
            _ => {
                ours.push(argument.clone());
                continue;
            }
        };
        ours.push(option.into());
        ours.extend(value.map(OsString::from));
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(line: &str) -> String {
        let arguments = line.split(' ').map(OsString::from).collect();
        let moved = move_after_verb(arguments);
        let words: Vec<&str> = moved.iter().map(|word| word.to_str().unwrap()).collect();
        words.join(" ")
    }

    #[test]
    fn common_options_may_precede_the_verb() {
        assert_eq!(
            moved("tabia --color never -q ls x --json"),
            "tabia ls --color never -q x --json"
        );
        assert_eq!(
            moved("tabia --color=never info x"),
            "tabia info --color=never x"
        );
        assert_eq!(
            moved("tabia -j 2 book find x.bin"),
            "tabia book find -j 2 x.bin"
        );
    }

    #[test]
    fn queries_may_begin_with_a_minus() {
        let queries = |words: &[&str]| -> Vec<String> {
            let arguments = protect_queries(words.iter().map(OsString::from).collect());
            let text = |word: &OsString| word.to_str().unwrap().to_owned();
            arguments.iter().map(text).collect()
        };
        for query in [
            "-result:draw",
            "-(tal OR morphy)",
            "-Elo:>=2000 tal",
            "-\"x y\"",
        ] {
            let words = queries(&["tabia", "search", "x.pgn", query, "-j2", "--count"]);
            let protected = format!(" {query}");
            assert_eq!(words[3..], [protected.as_str(), "-j2", "--count"]);
            assert_eq!(queries(&["tabia", "ls", query])[2], query);
        }
        for option in ["-oC:/x.pgn", "-q", "--where=-x:y", "-"] {
            assert_eq!(queries(&["tabia", "search", option])[2], option);
        }
    }

    #[test]
    fn other_arguments_are_unchanged() {
        for line in [
            "tabia ls -q x",
            "tabia --version",
            "tabia --help",
            "tabia",
            "tabia -q",
            "tabia --color",
            "tabia --limit 3 ls",
        ] {
            assert_eq!(moved(line), line);
        }
    }

    #[test]
    fn polyglot_options_are_translated() {
        let typed = "tabia book make-book -pgn a.pgn -bin b.bin -min-game 2 -uniform";
        let ours = from_polyglot(typed.split(' ').map(OsString::from).collect());
        let expected = "tabia book build a.pgn --output b.bin --min-games 2 --uniform";
        assert_eq!(ours.join(OsStr::new(" ")), expected);
        let typed = "tabia book make-book -pgn=a.pgn -bin=b.bin -min-game=2 -uniform";
        let ours = from_polyglot(typed.split(' ').map(OsString::from).collect());
        assert_eq!(ours.join(OsStr::new(" ")), expected);
    }

    #[test]
    fn help_has_no_options() {
        let help = |line: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            let words = without_options_of_help(move_after_verb(arguments));
            let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
            words.join(" ")
        };
        assert_eq!(help("tabia --color never help"), "tabia help");
        assert_eq!(
            help("tabia help -q book --color=never build"),
            "tabia help book build"
        );
        assert_eq!(help("tabia ls --color never"), "tabia ls --color never");
    }

    #[test]
    fn the_color_of_a_command_line_with_errors() {
        let color = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            stated_color(&arguments)
        };
        assert_eq!(color("tabia lss --color never"), Some(ColorChoice::Never));
        assert_eq!(
            color("tabia ls --color=always x --colums y"),
            Some(ColorChoice::Always)
        );
        assert_eq!(color("tabia ls -- --color never"), None);
        assert_eq!(color("tabia ls --color"), None);
        assert_eq!(color("tabia ls --color red"), None);
    }
}
