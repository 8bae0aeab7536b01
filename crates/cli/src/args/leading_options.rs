//! Common options before the verb, as git and cargo take them.

use std::ffi::OsString;

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
const FLAGS: &[&str] = &["--strict", "-q", "--quiet", "-v", "--verbose"];
/// Verbs that a second verb follows.
const GROUPS: &[&str] = &["archive", "book"];

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
}
