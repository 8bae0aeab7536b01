//! Names of outputs that were hardly meant as they are typed.

use std::ffi::OsString;
use std::path::Path;

use tabia::core::shell_argument::argument;
use tabia::{Error, ErrorSide};

/// Options with the name of an output.
const OUTPUTS: [&str; 7] = [
    "-o",
    "--output",
    "-d",
    "--directory",
    "--report",
    "--rejects",
    "--explain",
];

/// The error of an output without a name: `-o ''`, as `-o "$OUT"` is if the variable is not set.
pub(crate) fn empty_output(arguments: &[OsString]) -> Option<Error> {
    let mut options = arguments.iter().take_while(|word| *word != "--").peekable();
    while let Some(word) = options.next() {
        let (name, value) = match word.to_str().and_then(|word| word.split_once('=')) {
            Some((name, value)) => (name, Some(value)),
            None => (word.to_str().unwrap_or_default(), None),
        };
        let is_empty = match value {
            Some(value) => value.is_empty(),
            None => options.peek().is_some_and(|next| next.is_empty()),
        };
        if is_empty && OUTPUTS.contains(&name) {
            let text = format!("`{name}`: the name of the output is empty");
            let hint = "a variable of the shell that is not set gives an empty name";
            return Some(Error::usage(text).with_hint(hint));
        }
    }
    None
}

/// An error of wrong use that a word like `-olafsson` is the cause of, with a hint at that.
pub(crate) fn with_attached_output(error: Error, arguments: &[OsString]) -> Error {
    if error.side() != ErrorSide::Usage {
        return error;
    }
    let text = error.to_string();
    match attached_output(arguments) {
        // It is the name of the output, or a query is missing.
        Some((name, hint)) if text.contains(name) || text.contains("a query") => {
            error.with_hint(hint)
        }
        _ => error,
    }
}

/// The name in a word that begins with `-o`, as `-olafsson`, which is `-o` and the name of an output without an
/// extension, and a hint at that.
fn attached_output(arguments: &[OsString]) -> Option<(&str, String)> {
    let mut options = arguments.iter().take_while(|word| *word != "--");
    let word = options.find_map(|word| {
        let word = word.to_str()?;
        let name = word.strip_prefix("-o")?;
        let is_word = !name.is_empty() && name.chars().all(char::is_alphabetic);
        (is_word && Path::new(name).extension().is_none()).then_some(word)
    })?;
    let name = word.strip_prefix("-o")?;
    let denied = argument(&format!(" {word}")).into_owned();
    let hint = format!(
        "`{word}` is `-o {name}`; a query that begins with `-` needs a blank before it: `{denied}`"
    );
    Some((name, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn outputs_have_names() {
        for typed in [
            "tabia convert x.pgn -o ",
            "tabia convert x.pgn --output=",
            "tabia ls x.pgn --report  --csv",
        ] {
            assert!(empty_output(&words(typed)).is_some(), "{typed}");
        }
        for typed in [
            "tabia convert x.pgn -o y.pgn",
            "tabia ls x.pgn --where  --csv",
            "tabia search x.pgn -- -o ",
            "tabia convert x.pgn -o",
        ] {
            assert!(empty_output(&words(typed)).is_none(), "{typed}");
        }
    }

    #[test]
    fn a_word_after_o_is_no_file() {
        let is_attached = |typed: &str| attached_output(&words(typed)).is_some();
        assert!(is_attached("tabia search x.pgn -olafsson"));
        assert!(!is_attached("tabia search x.pgn tal -oout.pgn"));
        assert!(!is_attached("tabia search x.pgn tal -o out"));
    }
}
