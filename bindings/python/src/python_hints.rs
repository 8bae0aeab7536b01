//! Names of Python for what the library names as the command line does.

/// Calls by commands of the command line.
const CALLS: [(&str, &str); 8] = [
    ("tabia book convert", "tabia.convert_book"),
    ("tabia book from-parquet", "tabia.convert_book"),
    ("tabia book build", "tabia.build_book"),
    ("tabia book info", "tabia.open_book"),
    ("tabia book find", "tabia.open_book"),
    ("tabia convert", "tabia.convert"),
    ("tabia info", "tabia.open"),
    ("tabia search", "Database.games"),
];

/// Arguments by options.
const ARGUMENTS: [&str; 29] = [
    "--columns",
    "--comments",
    "--compat",
    "--encoding",
    "--games",
    "--index",
    "--least-elo",
    "--max-ply",
    "--max-unpacked",
    "--min-games",
    "--min-percent",
    "--min-score",
    "--partition",
    "--password",
    "--pieces",
    "--plies",
    "--position",
    "--profile",
    "--recency",
    "--report",
    "--shards",
    "--sort",
    "--split",
    "--split-by",
    "--table",
    "--to",
    "--to-encoding",
    "--where",
    "--with-pgn",
];

/// Arguments that are true by options without a value.
const FLAGS: [&str; 11] = [
    "--all-moves",
    "--append",
    "--fen",
    "--force",
    "--game-links",
    "--include-deleted",
    "--names",
    "--only-black",
    "--only-white",
    "--stretch",
    "--uniform",
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
    if let Some(argument) = argument(command) {
        return Some(argument);
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

/// The argument of an option with its value; `None` if Python has none.
fn argument(option: &str) -> Option<String> {
    let (option, value) = option.split_once(' ').unwrap_or((option, ""));
    let name = option.trim_start_matches('-').replace('-', "_");
    if FLAGS.contains(&option) {
        return Some(format!("{name}=True"));
    }
    if !ARGUMENTS.contains(&option) {
        return None;
    }
    let value = value.trim_matches('\'');
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_number {
        format!("{name}={value}")
    } else {
        format!("{name}={value:?}")
    })
}
