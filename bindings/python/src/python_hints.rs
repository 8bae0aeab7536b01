//! Names of Python for what the library names as the command line does.

/// Calls by commands of the command line.
const CALLS: [(&str, &str); 6] = [
    ("tabia book build", "tabia.build_book"),
    ("tabia book info", "tabia.open_book"),
    ("tabia book find", "tabia.open_book"),
    ("tabia convert", "tabia.convert"),
    ("tabia info", "tabia.open"),
    ("tabia search", "Database.games"),
];

/// Arguments by options.
const ARGUMENTS: [(&str, &str); 6] = [
    ("--encoding", "charset="),
    ("--password", "password="),
    ("--force", "force=True"),
    ("--include-deleted", "deleted=True"),
    ("--report", "report="),
    ("--where", "where="),
];

/// A text in which commands and options between backquotes are calls and arguments, where Python has them.
pub(crate) fn of_python(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        let is_code = number % 2 == 1;
        match is_code.then(|| code(part)).flatten() {
            Some(code) => out.push_str(&code),
            None => out.push_str(part),
        }
    }
    out
}

/// The call of a command, or the argument of an option; `None` if Python has none.
fn code(command: &str) -> Option<String> {
    for (option, argument) in ARGUMENTS {
        let rest = command.strip_prefix(option);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) {
            return Some(argument.to_owned());
        }
    }
    let (call, rest) = CALLS.iter().find_map(|(command_name, call)| {
        let rest = command.strip_prefix(command_name)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some((call, rest))
    })?;
    let words: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| *word != "-o")
        .collect();
    let is_plain = |word: &&str| !word.starts_with('-') && !word.contains(['"', '\'', '\\']);
    if words.is_empty() || !words.iter().all(is_plain) {
        return Some((*call).to_owned());
    }
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    Some(format!("{call}({})", words.join(", ")))
}
