//! Errors of the command line that clap finds, as messages of the program: one line with what is wrong,
//! one with the next step.

use std::borrow::Cow;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use tabia::Error;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::formats::Format;
use tabia::query::nearest;

use crate::archive_of_games::{database_format, free_path};
use crate::args::rewrite_arguments::from_polyglot;
use crate::messages::{is_named_like, is_named_like_book_only};
use crate::option_examples::{example_with, examples, option_example};
use crate::path_text::PathText as _;

/// What other programs call a verb: below which one of ours, `""` for none, that word, and our verb.
const FAMILIAR_VERBS: &[(&str, &str, &str)] = &[
    ("", "browse", "tabia serve"),
    ("", "build", "tabia book build"),
    ("", "cat", "tabia show"),
    ("", "compare", "tabia dedupe FIRST SECOND --dry-run"),
    ("", "count", "tabia search IN QUERY --count"),
    ("", "delete", "tabia edit IN --delete NUMBERS -o OUT"),
    ("", "diff", "tabia dedupe FIRST SECOND --dry-run"),
    ("", "dump-book", "tabia book edit BOOK --csv"),
    ("", "duplicates", "tabia dedupe"),
    ("", "explorer", "tabia tree"),
    ("", "export", "tabia convert"),
    ("", "extract", "tabia archive extract"),
    ("", "filter", "tabia search"),
    ("", "find", "tabia search"),
    ("", "fnid", "tabia book fnid"),
    ("", "fix", "tabia repair IN -o OUT"),
    ("", "games", "tabia ls"),
    ("", "grep", "tabia search"),
    ("", "gui", "tabia serve"),
    ("", "head", "tabia ls IN --limit 10"),
    ("", "import", "tabia convert"),
    ("", "info-book", "tabia book info BOOK"),
    ("", "list", "tabia ls"),
    ("", "make-book", "tabia book build"),
    ("", "merge", "tabia convert FIRST SECOND -o OUT"),
    ("", "merge-book", "tabia book merge FIRST SECOND -o OUT"),
    ("", "open", "tabia serve"),
    ("", "opening", "tabia eco"),
    ("", "openings", "tabia eco"),
    ("", "pack", "tabia archive create"),
    ("", "players", "tabia stats IN --by player"),
    ("", "polyglot", "tabia book build"),
    ("", "print", "tabia show"),
    ("", "queries", "tabia help search"),
    ("", "query", "tabia search"),
    ("", "recover", "tabia repair IN -o OUT"),
    ("", "salvage", "tabia repair IN -o OUT"),
    ("", "sort", "tabia convert IN --sort FIELDS -o OUT"),
    ("", "split", "tabia convert IN --split N -o OUT"),
    ("", "sql", "tabia convert IN -o TABLE.csv"),
    ("", "unpack", "tabia archive extract"),
    ("", "unzip", "tabia archive extract"),
    ("", "update", "tabia append"),
    ("", "validate", "tabia check"),
    ("", "verify", "tabia check"),
    ("", "version", "tabia --version"),
    ("", "view", "tabia show"),
    ("archive", "add", "tabia archive create"),
    ("archive", "check", "tabia archive test"),
    ("archive", "ls", "tabia archive list"),
    ("archive", "make", "tabia archive create"),
    ("archive", "pack", "tabia archive create"),
    ("archive", "repair", "tabia repair ARCHIVE -o FOLDER"),
    ("archive", "unpack", "tabia archive extract"),
    ("archive", "unzip", "tabia archive extract"),
    ("archive", "verify", "tabia archive test"),
    (
        "book",
        "add",
        "tabia book edit BOOK --move MOVE --weight N -o NEW",
    ),
    ("book", "append", "tabia book merge OLD NEW -o OUT"),
    ("book", "check", "tabia check BOOK"),
    ("book", "compare", "tabia book diff"),
    ("book", "create", "tabia book build"),
    ("book", "dump", "tabia book edit BOOK --csv"),
    ("book", "export", "tabia book convert"),
    ("book", "list", "tabia book edit BOOK"),
    ("book", "lookup", "tabia book find"),
    ("book", "ls", "tabia book edit BOOK"),
    ("book", "make", "tabia book build"),
    ("book", "moves", "tabia book find"),
    ("book", "play", "tabia book line"),
    ("book", "probe", "tabia book find"),
    ("book", "query", "tabia book find"),
    ("book", "random", "tabia book line"),
    (
        "book",
        "remove",
        "tabia book edit BOOK --move MOVE --remove -o NEW",
    ),
    ("book", "repair", "tabia book fix"),
    ("book", "search", "tabia book find"),
    ("book", "show", "tabia book find"),
    ("book", "tree", "tabia book find"),
    ("book", "update", "tabia book merge OLD NEW -o OUT"),
];

/// Shells without completions.
const OTHER_SHELLS: [&str; 8] = ["ash", "cmd", "csh", "dash", "ksh", "nu", "sh", "tcsh"];

/// How a game is changed.
const REPLACE_A_GAME: &str = "`tabia show IN --game 5 --profile full > game.pgn` writes a game as text; once changed, \
                              `--replace 5 --with game.pgn` puts it back";

/// How a book has the moves of one player.
const OWN_MOVES: &str = "`--where white:NAME --only-white` makes a book of a player's moves with White, `--where \
                         black:NAME --only-black` one of those with Black, and `tabia book merge` one of both";

/// How much the books count that are merged.
const MERGE_FACTORS: &str = "`--factors 2,1` weighs the books";

/// How deep a book is that is built.
const PLIES_OF_A_BOOK: &str =
    "did you mean `--max-ply N`? It is the number of plies that count of each game";

/// The same for the verbs that build none.
const PLIES_OF_BUILT_BOOKS: &str =
    "`tabia book build IN -o BOOK --max-ply N` decides how many plies of each game a book has";

/// What an option of other programs is here: the verb, `book` for all below it, or `""` for all that list rows, the
/// option, and what to do.
const FAMILIAR_OPTIONS: &[(&str, &str, &str)] = &[
    (
        "stats",
        "--group-by",
        "`--by` names what games are grouped by",
    ),
    (
        "stats",
        "--sort",
        "`--order games` has the largest groups first",
    ),
    (
        "book edit",
        "--list",
        "without changes `tabia book edit BOOK` lists all moves",
    ),
    ("edit", "--tag", REPLACE_A_GAME),
    ("edit", "--set", REPLACE_A_GAME),
    ("edit", "--comment", REPLACE_A_GAME),
    (
        "book line",
        "--random",
        "moves are drawn by their weights unless `--best` is given; `--seed N` draws others, `--count 5` draws five \
         lines",
    ),
    (
        "book",
        "--random",
        "`tabia book line BOOK` draws moves by their weights, `--count 5` five lines",
    ),
    ("book build", "--max-plies", PLIES_OF_A_BOOK),
    ("book build", "--max-depth", PLIES_OF_A_BOOK),
    ("book build", "--max-moves", PLIES_OF_A_BOOK),
    ("book build", "--moves", PLIES_OF_A_BOOK),
    ("book", "--max-ply", PLIES_OF_BUILT_BOOKS),
    ("book", "--max-plies", PLIES_OF_BUILT_BOOKS),
    (
        "book build",
        "--only",
        "`--only-white` or `--only-black` makes a book for one side",
    ),
    ("book build", "--player", OWN_MOVES),
    (
        "book build",
        "--min-weight",
        "`--min-games N` and `--min-percent P` leave rare moves out",
    ),
    (
        "book",
        "--min-weight",
        "`tabia book edit BOOK --csv` lists all moves with their weights, and `--import` removes those whose weight \
         is `-`",
    ),
    (
        "ls",
        "--output",
        "rows go to standard output: `--csv > games.csv`",
    ),
    (
        "stats",
        "--output",
        "rows go to standard output: `--csv > groups.csv`",
    ),
    (
        "tree",
        "--output",
        "rows go to standard output: `--csv > moves.csv`",
    ),
    (
        "info",
        "--output",
        "rows go to standard output: `--csv > info.csv`",
    ),
    (
        "eco",
        "--fill",
        "`--eco fill -o OUT` writes the games with their codes, where they have none",
    ),
    (
        "index",
        "--remove",
        "an index is a file that ends in `.tidx`, which `tabia index IN` names; it may be deleted",
    ),
    (
        "tree",
        "--position",
        "`--line '1.e4 c5'` and `--fen FEN` name a position",
    ),
    (
        "book find",
        "--position",
        "`--moves '1.e4 c5'` and `--fen FEN` name a position",
    ),
    (
        "convert",
        "--limit",
        "`--games 1-100` chooses games by their numbers",
    ),
    ("show", "--pgn", "`tabia show` prints PGN without an option"),
    (
        "show",
        "--language",
        "`tabia convert IN --games N --language de,en` prints a game in a language",
    ),
    ("", "--cvs", "did you mean `--csv`?"),
    ("", "--jsonl", "`--ndjson` prints one JSON object a line"),
    ("", "--head", "`--limit N` prints the first rows"),
    ("", "--tail", "`--limit N` and `--offset N` choose rows"),
    (
        "",
        "--delimiter",
        "`--csv` and `--tsv` separate values by commas and by tabs",
    ),
    (
        "ls",
        "--unique",
        "`tabia dedupe IN` leaves duplicate games out, `tabia stats IN --by player` counts each name once",
    ),
    (
        "ls",
        "--count",
        "`tabia info IN` counts games, `tabia search IN QUERY --count` those that fit",
    ),
    (
        "convert",
        "--jsonl",
        "an output that ends in `.ndjson` has one JSON object a game",
    ),
    (
        "convert",
        "--ndjson",
        "an output that ends in `.ndjson` has one JSON object a game",
    ),
    (
        "convert",
        "--csv",
        "an output that ends in `.csv` has one row a game, and `tabia ls IN --csv` prints rows",
    ),
    (
        "convert",
        "--unique",
        "`tabia dedupe IN -o OUT` leaves duplicate games out",
    ),
    ("book merge", "--weights", MERGE_FACTORS),
    ("book merge", "--weight", MERGE_FACTORS),
    (
        "",
        "--format",
        "`--csv`, `--tsv`, `--json` and `--ndjson` name the form of rows",
    ),
];

/// The error as one of usage, with its hint. `arguments` are those that clap parsed.
pub(crate) fn usage_error(error: &clap::Error, arguments: &[OsString]) -> Error {
    let command = crate::args::command();
    let verb = Verb::of(&command, arguments);
    let Message { text, hint } = match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, &verb, arguments),
        ErrorKind::InvalidSubcommand => unknown_verb(error, &verb, arguments),
        ErrorKind::MissingRequiredArgument => missing_argument(error, &verb, arguments),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => invalid_value(error, &verb),
        ErrorKind::ArgumentConflict => conflict(error, &verb, arguments),
        _ => Message {
            text: first_paragraph(error),
            hint: verb.has("the options and examples"),
        },
    };
    Error::usage(text).with_hint(hint)
}

struct Message {
    text: String,
    hint: String,
}

/// The verb that was typed.
struct Verb<'a> {
    /// As `book build`; empty if there is none.
    name: String,
    command: &'a Command,
    root: &'a Command,
}

impl<'a> Verb<'a> {
    fn of(root: &'a Command, arguments: &[OsString]) -> Self {
        let mut names = Vec::new();
        let mut command = root;
        for argument in arguments.iter().skip(1).filter(|word| *word != "help") {
            let Some(inner) = command.find_subcommand(argument) else {
                break;
            };
            names.push(inner.get_name());
            command = inner;
        }
        Self {
            name: names.join(" "),
            command,
            root,
        }
    }

    /// As `tabia book build`.
    fn typed(&self) -> String {
        format!("tabia {}", self.name).trim_end().to_owned()
    }

    /// What to do instead of an option of other programs.
    fn familiar_option(&self, option: &str) -> Option<&'static str> {
        let long = match option {
            "-o" => "--output",
            long => long,
        };
        let has = |long: &str| {
            let mut options = self.command.get_arguments();
            options.any(|option| option.get_long() == Some(long))
        };
        // Only a verb that lists rows has their forms.
        let applies = |verb: &str| {
            verb == self.name
                || verb.is_empty() && has("no-header")
                || !verb.is_empty() && self.name.split(' ').next() == Some(verb)
        };
        let mut familiar = FAMILIAR_OPTIONS.iter();
        let found = familiar.find(|(verb, name, _)| *name == long && applies(verb));
        found.map(|(_, _, hint)| *hint)
    }

    /// The option of the verb that does what one of another name does in other programs.
    fn same_option(&self, option: &str) -> Option<String> {
        const SAME: [(&str, &str, &str); 16] = [
            ("--filter", "where", " QUERY"),
            ("--query", "where", " QUERY"),
            ("-n", "limit", " N"),
            ("--max", "limit", " N"),
            ("--count", "limit", " N"),
            ("--skip", "offset", " N"),
            ("--format", "to", " FORMAT"),
            ("-f", "to", " FORMAT"),
            ("-t", "to", " FORMAT"),
            ("--overwrite", "force", ""),
            ("--replace", "force", ""),
            ("--yes", "force", ""),
            ("-y", "force", ""),
            ("-f", "force", ""),
            ("--out", "output", " FILE"),
            ("--outfile", "output", " FILE"),
        ];
        let has = |long: &str| {
            let mut options = self.command.get_arguments();
            options.any(|option| option.get_long() == Some(long))
        };
        let mut same = SAME.iter();
        let (_, ours, value) = same.find(|(other, ours, _)| *other == option && has(ours))?;
        Some(format!("did you mean `--{ours}{value}`?"))
    }

    /// How the games are chosen for which other programs have an option: by a field of queries.
    fn field_of_query(&self, option: &str) -> Option<String> {
        // `-g` of `show`.
        let name = match option {
            "-g" => "game",
            option => option.strip_prefix("--")?,
        };
        let mut options = self.command.get_arguments();
        if name == "game" && options.any(|option| option.get_long() == Some("games")) {
            return Some("`--games 1-100,205` chooses games by their numbers".to_owned());
        }
        // `--min-elo`, `--elo-max`.
        let is_bound = |part: &&str| matches!(*part, "min" | "max" | "least" | "most");
        let bound = name.split('-').find(is_bound);
        let parts: Vec<&str> = name.split('-').filter(|part| !is_bound(part)).collect();
        let name = parts.concat();
        let mut fields = tabia::query::fields().iter();
        let field = fields.find(|field| field.name == name || field.aliases.contains(&&*name))?;
        let example = match bound {
            Some("min" | "least") => format!("{name}:>=N"),
            Some(_) => format!("{name}:<=N"),
            None => field.example.to_owned(),
        };
        let mut options = self.command.get_arguments();
        if options.any(|option| option.get_long() == Some("where")) {
            return Some(format!("`--where '{example}'` chooses games"));
        }
        (self.name == "search").then(|| format!("`{example}` in the query chooses games"))
    }

    /// Where something about the verb is explained.
    fn has(&self, what: &str) -> String {
        if self.name.is_empty() {
            return "`tabia --help` lists the verbs".to_owned();
        }
        format!("`tabia help {}` has {what}", self.name)
    }
}

/// An option that the verb does not have, or an argument too many.
fn unknown_argument(error: &clap::Error, verb: &Verb<'_>, arguments: &[OsString]) -> Message {
    let typed = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
    let name = verb.typed();
    if !typed.starts_with('-') {
        let is_number = typed.starts_with(|c: char| c.is_ascii_digit())
            && typed
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '-' | ','));
        let with = |option: &str| {
            let instead = format!("{option} {}", argument(&typed));
            typed_command(arguments, Some((&typed, &instead)))
        };
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let usage = if let Some(command) = board_with_its_ply(verb, arguments) {
            Some(format!("`{command}` draws that position; "))
        } else if verb.name == "show" && is_number && !has("--game") && !has("-g") {
            Some(format!("`{}` shows game {typed}; ", with("--game")))
        } else if let Some(path) = shown_path(verb, arguments, &typed) {
            Some(format!(
                "`tabia search {path} {}` finds games; ",
                argument(&typed)
            ))
        } else if verb.name == "book edit" && !has("--move") {
            Some(format!(
                "`--move {}` names the move to change; ",
                argument(&typed)
            ))
        } else {
            usage_of(error).map(|usage| format!("`{usage}` is all it takes; "))
        };
        return Message {
            text: format!("`{typed}` is one argument too many for `{name}`"),
            hint: usage.unwrap_or_default() + &verb.has("examples"),
        };
    }
    let option = typed.split('=').next().unwrap_or(&typed);
    if let Some(file) = file_with_dash(option, arguments) {
        let command = typed_command(arguments, Some((&file, &file_argument(&file))));
        return Message {
            text: format!("`{file}` begins with `-` as options do"),
            hint: format!("`{command}` names the file"),
        };
    }
    if verb.name.is_empty() {
        if crate::args::rewrite_arguments::is_common_option(option) {
            let words: Vec<String> = arguments
                .iter()
                .skip(1)
                .map(|word| argument(&word.to_string_lossy()).into_owned())
                .collect();
            return Message {
                text: format!("a verb is missing: `{option}` is an option of all of them"),
                hint: format!(
                    "for example `tabia ls games.pgn {}`; `tabia --help` lists the verbs",
                    words.join(" ")
                ),
            };
        }
        if let Some(meant) = nearest(option, &["--version", "--help", "--color"]) {
            return Message {
                text: format!("`{option}` is not an option of tabia itself"),
                hint: format!("did you mean `tabia {meant}`?"),
            };
        }
        return Message {
            text: format!("`{option}` is not an option of tabia itself"),
            hint: "options come after the verb, as in `tabia ls games.pgn --limit 20`; `tabia --help` lists the verbs".to_owned(),
        };
    }
    if option.parse::<f64>().is_ok() {
        return Message {
            text: format!("`{option}`: no option of `{name}` takes a negative number"),
            hint: verb.has("all options"),
        };
    }
    // Of options whose names are hardly similar, none is meant.
    let suggested = text_of(error, ContextKind::SuggestedArg).filter(|suggested| {
        nearest(option, &[suggested]).is_some() || begin_alike(option, suggested)
    });
    let other = || verbs_with_option(verb.root, option.strip_prefix("--")?);
    if crate::without_tables::lacks_option(&verb.name, option) {
        return Message {
            text: format!("`{name}` has no option `{option}`"),
            hint: match option {
                "--columns" => format!(
                    "{}; `tabia ls IN --columns white,black --csv` writes rows with the columns that it names",
                    crate::without_tables::HINT
                ),
                _ => crate::without_tables::HINT.to_owned(),
            },
        };
    }
    if let Some(message) = operator_in_front(verb, option, arguments) {
        return message;
    }
    let familiar = verb.familiar_option(option).map(str::to_owned);
    let familiar = familiar.or_else(|| verb.same_option(option));
    let familiar = familiar.or_else(|| polyglot_option(verb, option, arguments));
    let familiar = familiar.or_else(|| verb.field_of_query(option));
    let hint = match (familiar, suggested, other()) {
        (Some(familiar), ..) if familiar.ends_with('?') => format!("{familiar} "),
        (Some(familiar), ..) => format!("{familiar}; "),
        (None, Some(suggested), _) => format!("did you mean `{suggested}`? "),
        (None, None, Some(others)) => format!("`{option}` is an option of {others}; "),
        (None, None, None) => String::new(),
    };
    Message {
        text: format!("`{name}` has no option `{option}`"),
        hint: hint + &verb.has("all options"),
    }
}

/// The argument that was taken for an option and is a file of that name.
fn file_with_dash(option: &str, arguments: &[OsString]) -> Option<String> {
    let words = arguments.iter().filter_map(|word| word.to_str());
    let mut words = words.filter(|word| word.starts_with(option) && Path::new(word).is_file());
    words.next().map(str::to_owned)
}

/// What is wrong with a query that begins with an operator, which would be an option: `-> mat:KK`, `-OR tal`.
fn operator_in_front(verb: &Verb<'_>, option: &str, arguments: &[OsString]) -> Option<Message> {
    if !matches!(verb.name.as_str(), "search" | "ls") {
        return None;
    }
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    let query = words.find(|word| {
        let starts = ["->", "-OR", "-AND", "-NOT"];
        word.starts_with(option) && starts.iter().any(|start| word.starts_with(start))
    })?;
    let error = tabia::Query::parse(query).err()?;
    Some(Message {
        text: error.to_string(),
        hint: error.hint.unwrap_or_default(),
    })
}

/// What to type instead of an option of Polyglot, as `-in1`, of which `option` is the first letter.
fn polyglot_option(verb: &Verb<'_>, option: &str, arguments: &[OsString]) -> Option<String> {
    const OPTIONS: [&str; 5] = ["-in1", "-in2", "-bin", "-pgn", "-out"];
    let is_meant = |word: &&OsString| {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or_default();
        name.starts_with(option) && OPTIONS.contains(&name)
    };
    let typed = arguments.iter().find(is_meant)?.to_string_lossy();
    let usage = match verb.name.as_str() {
        "book build" => "tabia book build GAMES -o BOOK",
        "book merge" => "tabia book merge FIRST SECOND -o BOOK",
        name if name.starts_with("book ") => {
            return Some(format!("the book is named without `{typed}`"));
        }
        _ => return None,
    };
    Some(format!("inputs are named without an option: `{usage}`"))
}

/// The command of `show` with the ply of `--board` as its value, if it was typed as an argument of its own.
fn board_with_its_ply(verb: &Verb<'_>, arguments: &[OsString]) -> Option<String> {
    let at = arguments.iter().position(|word| word == "--board")?;
    let ply = arguments.get(at + 1)?.to_str()?;
    let is_ply = ply == "last" || !ply.is_empty() && ply.bytes().all(|byte| byte.is_ascii_digit());
    if verb.name != "show" || !is_ply {
        return None;
    }
    let joined = OsString::from(format!("--board={ply}"));
    let before = arguments.iter().take(at).cloned();
    let after = arguments.iter().skip(at + 2).cloned();
    let words: Vec<OsString> = before.chain([joined]).chain(after).collect();
    Some(typed_command(&words, None))
}

/// What is to be shown, if another argument of `show` is a word to search for.
fn shown_path(verb: &Verb<'_>, arguments: &[OsString], typed: &str) -> Option<String> {
    if verb.name != "show" || Path::new(typed).exists() {
        return None;
    }
    let path = arguments
        .iter()
        .skip(2)
        .map(Path::new)
        .find(|path| path.is_file())?;
    Some(file_argument(&path.path_text()).into_owned())
}

/// The verbs that have a long option, as "`tabia convert`, `tabia names`"; `None` if there are none.
fn verbs_with_option(root: &Command, long: &str) -> Option<String> {
    let has_option = |command: &Command| {
        let mut options = command.get_arguments();
        options.any(|option| option.get_long() == Some(long))
    };
    let mut found = Vec::new();
    for verb in root.get_subcommands() {
        if has_option(verb) {
            found.push(format!("`tabia {}`", verb.get_name()));
        }
        for inner in verb.get_subcommands().filter(|inner| has_option(inner)) {
            found.push(format!("`tabia {} {}`", verb.get_name(), inner.get_name()));
        }
    }
    found.truncate(3);
    (!found.is_empty()).then(|| found.join(", "))
}

/// What engines do.
const OF_ENGINES: [&str; 6] = [
    "analyse", "analyze", "analysis", "annotate", "engine", "eval",
];

/// What people call leaving moves out of a book.
const LESS_OF_A_BOOK: [&str; 6] = ["thin", "prune", "trim", "filter", "reduce", "shrink"];

/// What a verb of other programs is here, below a verb of ours or in general.
fn familiar_verb(group: &str, typed: &str) -> Option<&'static str> {
    let below = |group: &str| {
        let mut known = FAMILIAR_VERBS.iter();
        let found = known.find(|(other, name, _)| *other == group && *name == typed);
        found.map(|(_, _, ours)| *ours)
    };
    below(group).or_else(|| below(""))
}

/// The verb of books that was meant by a verb without `book` if a book is among the arguments: `tabia find a.bin`.
fn verb_of_books(typed: &str, verb: &Verb<'_>, arguments: &[OsString]) -> Option<String> {
    let is_book = |word: &&OsString| {
        let path = Path::new(word);
        path.exists() && is_named_like_book_only(path)
    };
    if !verb.name.is_empty() {
        return None;
    }
    let book = arguments.iter().skip(1).find(is_book)?;
    let books = verb.root.find_subcommand("book")?;
    let own = books.find_subcommand(typed);
    let own = own.map(|own| format!("tabia book {}", own.get_name()));
    let familiar = || {
        let mut known = FAMILIAR_VERBS.iter();
        let found = known.find(|(group, name, _)| *group == "book" && *name == typed);
        found.map(|(_, _, ours)| (*ours).to_owned())
    };
    let ours = own.or_else(familiar)?;
    let is_plain = !ours.contains(|c: char| c.is_ascii_uppercase());
    Some(if is_plain {
        format!("{ours} {}", file_argument(&book.path_text()))
    } else {
        ours
    })
}

fn unknown_verb(error: &clap::Error, verb: &Verb<'_>, arguments: &[OsString]) -> Message {
    let typed = text_of(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let group = verb.typed();
    let text = if verb.name.is_empty() {
        format!("`{typed}` is not a verb of tabia")
    } else {
        format!("`{typed}` is not a verb of `{group}`")
    };
    if Path::new(&typed).exists() {
        let path = argument(&typed);
        let hint = match verb.name.as_str() {
            "book" if !is_named_like(Path::new(&typed), |format| format.book().is_some()) => {
                "`tabia book info BOOK` describes a book, `tabia book build IN -o OUT` makes one of games".to_owned()
            }
            "archive" => format!("`tabia archive list {path}` lists what is in it"),
            _ if is_named_like(Path::new(&typed), |format| format.book().is_some()) => {
                format!("`tabia info {path}` describes it, `tabia book find {path}` lists its first moves")
            }
            _ => format!("`tabia info {path}` shows what it is, `tabia ls {path}` lists its games"),
        };
        return Message {
            text: format!("`{typed}` is a file or folder; the verb comes first"),
            hint,
        };
    }
    if crate::without_tables::lacks_verb(&verb.name, &typed) {
        return Message {
            text,
            hint: crate::without_tables::HINT.to_owned(),
        };
    }
    if OF_ENGINES.contains(&typed.as_str()) {
        return Message {
            text,
            hint: "tabia has no engine; `tabia search IN 'has:eval'` finds games with stored evaluations".to_owned(),
        };
    }
    if verb.name == "book" && LESS_OF_A_BOOK.contains(&typed.as_str()) {
        return Message {
            text,
            hint: "`tabia book build` with `--min-games N` or `--min-percent P` leaves rare moves out; of a book \
                   that is there, `tabia book edit book.bin --csv` lists all moves, and `--import` removes those \
                   whose weight is `-`"
                .to_owned(),
        };
    }
    let familiar = polyglot_command(&typed, arguments);
    let familiar = familiar.or_else(|| verb_of_books(&typed, verb, arguments));
    let familiar = familiar.or_else(|| familiar_verb(&verb.name, &typed).map(str::to_owned));
    let suggested = text_of(error, ContextKind::SuggestedSubcommand);
    let suggested = suggested.or_else(|| {
        let mut verbs = verb.command.get_subcommands().map(Command::get_name);
        let alike = verbs.find(|name| name.starts_with(&typed) || typed.starts_with(name));
        let names: Vec<&str> = verb
            .command
            .get_subcommands()
            .map(Command::get_name)
            .collect();
        // Of what follows `help` the parser proposes nothing.
        alike.or_else(|| nearest(&typed, &names)).map(str::to_owned)
    });
    let hint = match (familiar, suggested) {
        (Some(ours), _) => format!("`{ours}` does that; "),
        (None, Some(suggested)) => format!("did you mean `{group} {suggested}`? "),
        (None, None) => String::new(),
    };
    Message {
        text,
        hint: format!("{hint}`{group} --help` lists the verbs"),
    }
}

fn missing_argument(error: &clap::Error, verb: &Verb<'_>, arguments: &[OsString]) -> Message {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => Vec::new(),
    };
    let names: Vec<String> = missing
        .iter()
        .map(|name| format!("`{}`", without_brackets(name)))
        .collect();
    let is = if names.len() == 1 { "is" } else { "are" };
    if let Some(hint) = options_after_dashes(&missing, verb, arguments) {
        let text = format!("{} {is} missing", names.join(" and "));
        return Message { text, hint };
    }
    let completed = completed(verb, &missing, arguments).map(|command| format!("`{command}`; "));
    let example =
        || example(verb.command, &missing).map(|example| format!("for example `{example}`; "));
    let usage = || usage_of(error).map(|usage| format!("`{usage}`; "));
    let next = completed.or_else(example).or_else(usage);
    Message {
        text: format!("{} {is} missing", names.join(" and ")),
        hint: next.unwrap_or_default() + &verb.has("examples"),
    }
}

/// What to do if a missing option comes after `--`, where nothing is an option.
fn options_after_dashes(
    missing: &[String],
    verb: &Verb<'_>,
    arguments: &[OsString],
) -> Option<String> {
    let at = arguments.iter().position(|word| word == "--")?;
    let name = missing.first()?.split(' ').next()?;
    let mut options = verb.command.get_arguments();
    let option = options.find(|option| option.get_long() == name.strip_prefix("--"))?;
    let short = option.get_short().map(|short| format!("-{short}"));
    let is_meant =
        |word: &&OsString| *word == name || short.as_ref().is_some_and(|short| *word == &**short);
    let typed = arguments.get(at + 1..)?.iter().find(is_meant)?;
    let typed = typed.to_string_lossy();
    Some(format!(
        "options go before `--`, after which `{typed}` is the name of a file; {}",
        verb.has("examples")
    ))
}

/// The command line as it was typed, `replaced` as something else.
fn typed_command(arguments: &[OsString], replaced: Option<(&str, &str)>) -> String {
    let words = arguments
        .iter()
        .skip(1)
        .map(|word| match (replaced, word.to_str()) {
            (Some((old, new)), _) if word.path_text() == old => new.to_owned(),
            (_, Some(word)) => argument(word).into_owned(),
            (_, None) => file_argument(&word.path_text()).into_owned(),
        });
    let words: Vec<String> = words.collect();
    format!("tabia {}", words.join(" "))
}

/// The command of ours for a verb of Polyglot with its options.
fn polyglot_command(typed: &str, arguments: &[OsString]) -> Option<String> {
    let verb = arguments.iter().position(|word| word == typed)?;
    let words = arguments.get(verb + 1..)?;
    if typed == "make-book" {
        let ours = ["tabia", "book", "make-book"].map(OsString::from);
        let ours = from_polyglot(ours.into_iter().chain(words.iter().cloned()).collect());
        let is_complete = ours.iter().any(|word| word == "--output");
        return is_complete.then(|| typed_command(&ours, None));
    }
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let value = |option: &str| {
        let of_next = words.iter().zip(words.iter().skip(1));
        let mut values = of_next.filter(|(name, _)| *name == option);
        let value = values.next().map(|(_, value)| value.as_ref());
        let joined = || {
            let mut rest = words.iter().filter_map(|word| word.strip_prefix(option));
            rest.find_map(|rest| rest.strip_prefix('='))
        };
        Some(argument(value.or_else(joined)?).into_owned())
    };
    Some(match typed {
        "merge-book" => {
            let (first, second, out) = (value("-in1")?, value("-in2")?, value("-out")?);
            format!("tabia book merge {first} {second} -o {out}")
        }
        "dump-book" => format!("tabia book edit {} --csv", value("-bin")?),
        "info-book" => format!("tabia book info {}", value("-bin")?),
        _ => return None,
    })
}

/// An output that was typed without `-o`: the command with it. The last argument is no file yet, or the book among
/// games of which a book is made.
fn with_output_option(verb: &str, arguments: &[OsString]) -> Option<String> {
    let words = arguments.get(1 + verb.split(' ').count()..)?;
    let (last, inputs) = words.split_last()?;
    let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
    let has_input = inputs.iter().any(|word| Path::new(word).exists());
    // What follows an option may be its value.
    if is_option(last) || !has_input || inputs.last().is_some_and(is_option) {
        return None;
    }
    let exists = Path::new(last).exists();
    let is_book = is_named_like(Path::new(last), |format| format.book().is_some());
    if exists && !(verb == "book build" && is_book) || Path::new(last).extension().is_none() {
        return None;
    }
    let force = if exists { " --force" } else { "" };
    let rest = arguments.get(..arguments.len() - 1)?;
    Some(format!(
        "{} -o {}{force}",
        typed_command(rest, None),
        file_argument(&last.path_text())
    ))
}

/// The command that was typed with what it lacks, if that is known: an output, or what one of the inputs seems to
/// be.
fn completed(verb: &Verb<'_>, missing: &[String], arguments: &[OsString]) -> Option<String> {
    let [missing] = missing else {
        return None;
    };
    // Whether the value of an option is an input is unknown.
    let words = || arguments.iter().skip(1 + verb.name.split(' ').count());
    let mut options = words().filter(|word| word.to_string_lossy().starts_with('-'));
    let typed = || typed_command(arguments, None);
    let last = || words().map(Path::new).rfind(|path| path.exists());
    match (verb.name.as_str(), missing.split(' ').next()?) {
        ("archive create", "<FILE>...") if options.next().is_none() => {
            let file = last()?;
            // An archive is packed into nothing.
            if is_named_like(file, |format| format.archive().is_some()) {
                return None;
            }
            let archive = free_path(archive_for(file));
            let archive = archive.path_text().into_owned();
            let file = file.path_text().into_owned();
            Some(format!(
                "tabia archive create {} {}",
                file_argument(&archive),
                file_argument(&file)
            ))
        }
        ("convert", "--append") => Some(format!("{} --append", typed())),
        ("book novelty", "--book") => {
            let book =
                last().filter(|path| is_named_like(path, |format| format.book().is_some()))?;
            let book = book.path_text();
            let option = format!("--book {}", file_argument(&book));
            Some(typed_command(arguments, Some((&book, &option))))
        }
        (name, "--output") => {
            if let Some(command) = with_output_option(name, arguments) {
                return Some(command);
            }
            // A book has no games to repair.
            if let ("repair", Some(book)) =
                (name, last().filter(|file| is_named_like_book_only(file)))
            {
                let mut fixed = OsString::from("new-");
                fixed.push(book.file_name()?);
                let fixed = free_path(fixed.into());
                return Some(format!(
                    "tabia book fix {} -o {}",
                    file_argument(&book.path_text()),
                    file_argument(&fixed.path_text())
                ));
            }
            let output = match name {
                "book build" | "book merge" => PathBuf::from("book.bin"),
                "convert" => PathBuf::from("games.pgn"),
                "repair" => crate::messages::saved_name(Path::new(last()?.file_name()?)).into(),
                "edit" | "book fix" => {
                    let mut name = OsString::from("new-");
                    name.push(last()?.file_name()?);
                    name.into()
                }
                _ => return None,
            };
            last()?;
            let output = free_path(output);
            let output = output.path_text().into_owned();
            Some(format!("{} -o {}", typed(), file_argument(&output)))
        }
        _ => None,
    }
}

/// An archive for a file: of the program that it comes from, or one that everybody reads.
fn archive_for(file: &Path) -> PathBuf {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    let formats = || {
        let archives = tabia::formats().filter_map(Format::archive);
        archives.filter(|format| format.create.is_some())
    };
    let mut own = formats().filter(|format| {
        let database = database_format(format);
        database.is_some_and(|database| database.file.extensions.contains(&&*extension))
    });
    let common = || formats().find(|format| database_format(format).is_none());
    let archive = own.next().or_else(common);
    let archive = archive.and_then(|format| format.file.extensions.first());
    file.with_extension(archive.unwrap_or(&""))
}

/// The first example of a verb with what is missing, or its first one.
fn example(command: &Command, missing: &[String]) -> Option<String> {
    let name = missing.first()?.split(' ').next()?;
    example_with(command, name).or_else(|| examples(command).into_iter().next())
}

fn invalid_value(error: &clap::Error, verb: &Verb<'_>) -> Message {
    let option = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
    let name = option.split(' ').next().unwrap_or(&option);
    let allowed = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            Some(format!("one of {}", values.join(", ")))
        }
        _ => error
            .source()
            .map(|source| in_words(&source.to_string()).into_owned()),
    };
    let similar = allowed
        .as_deref()
        .and_then(|allowed| similar_value(&value, allowed))
        .or_else(|| code_of_language(name, &value));
    let allowed = allowed.map(|values| format!(": {values}"));
    let text = if value.is_empty() {
        format!("`{option}` needs a value{}", allowed.unwrap_or_default())
    } else {
        let allowed = allowed.unwrap_or_default();
        format!("`{name}` does not take `{value}`{allowed}")
    };
    let suggested = text_of(error, ContextKind::SuggestedValue);
    let suggested = suggested.map(|value| format!("did you mean `{value}`? "));
    let suggested = suggested.or_else(|| other_option(&verb.name, name, &value));
    let suggested = suggested.or(similar);
    let name = name.split('[').next().unwrap_or(name);
    // Other shells have short names, too.
    let is_other_shell = verb.name == "completions" && OTHER_SHELLS.contains(&value.as_str());
    let suggested = suggested.filter(|_| !is_other_shell);
    let example = option_example(verb.command, name, &value).filter(|_| suggested.is_none());
    Message {
        text,
        hint: example.unwrap_or_else(|| {
            format!(
                "{}`tabia help {}` explains `{name}`",
                suggested.unwrap_or_default(),
                verb.name,
            )
        }),
    }
}

/// The value that was probably meant: of those that `allowed` lists, one that differs little or contains it.
fn similar_value(value: &str, allowed: &str) -> Option<String> {
    let (_, list) = allowed.split_once("one of ")?;
    let known: Vec<&str> = list.split(", ").collect();
    let lower = value.to_lowercase();
    let contains = |known: &&&str| lower.len() > 2 && known.to_lowercase().contains(&lower);
    let containing: Vec<&str> = known.iter().filter(contains).copied().collect();
    let similar = match containing.as_slice() {
        [] => vec![nearest(value, &known)?],
        _ => containing,
    };
    let similar: Vec<String> = similar.iter().map(|known| format!("`{known}`")).collect();
    Some(format!("did you mean {}? ", similar.join(" or ")))
}

/// The code of a language whose English name was typed, as `german`.
fn code_of_language(option: &str, value: &str) -> Option<String> {
    const CODES: [(&str, &str); 9] = [
        ("english", "en"),
        ("german", "de"),
        ("spanish", "es"),
        ("french", "fr"),
        ("italian", "it"),
        ("dutch", "nl"),
        ("polish", "pl"),
        ("portuguese", "pt"),
        ("russian", "ru"),
    ];
    let lower = value.to_lowercase();
    let (_, code) = CODES.iter().find(|(name, _)| *name == lower)?;
    matches!(option, "--language" | "--pieces").then(|| format!("did you mean `{option} {code}`? "))
}

/// The option that takes a value which another one refuses: a position is `--line` for `tree` and
/// `--moves` for books.
fn other_option(verb: &str, option: &str, value: &str) -> Option<String> {
    let is_move = value.contains(|c: char| c.is_ascii_alphabetic());
    if option == "--color" && ["white", "black", "w", "b"].contains(&value) {
        return Some("`--color` is that of the output; ".to_owned());
    }
    let is_number_of_moves = verb == "tree" && option == "--moves";
    (is_number_of_moves && is_move).then(|| {
        let line = argument(value);
        format!("`--line {line}` names a position; ")
    })
}

/// A reason of the standard library or of clap in the words of the other messages.
fn in_words(reason: &str) -> Cow<'_, str> {
    if let Some(range) = reason.split_once(" is not in ").map(|(_, range)| range)
        && let Some((least, most)) = range.split_once("..=")
    {
        return format!("a whole number from {least} to {most}").into();
    }
    match reason {
        "number would be zero for non-zero type" => "at least 1".into(),
        "number too large to fit in target type" => "the number is too large".into(),
        "invalid float literal" | "cannot parse float from empty string" => "a number".into(),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number".into()
        }
        _ => reason.into(),
    }
}

fn conflict(error: &clap::Error, verb: &Verb<'_>, arguments: &[OsString]) -> Message {
    let option = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
    let others = match error.get(ContextKind::PriorArg) {
        Some(ContextValue::String(other)) => vec![other.clone()],
        Some(ContextValue::Strings(others)) => others.clone(),
        _ => Vec::new(),
    };
    // Of a group of options clap names all.
    let typed = others
        .iter()
        .filter(|other| is_typed(other, verb, arguments));
    let mut typed: Vec<String> = typed.map(|other| format!("`{other}`")).collect();
    if typed.is_empty() {
        typed = others.iter().map(|other| format!("`{other}`")).collect();
    }
    let others = typed;
    let text = if others.is_empty() {
        first_paragraph(error)
    } else if others.len() == 1 && others.first() == Some(&format!("`{option}`")) {
        format!("`{option}` is given twice")
    } else {
        format!(
            "`{option}` cannot be combined with {}",
            others.join(" and ")
        )
    };
    Message {
        text,
        hint: format!("leave one out; `tabia help {}` explains them", verb.name),
    }
}

/// Whether an option that clap names, as `--output <OUT>`, is among the arguments.
fn is_typed(option: &str, verb: &Verb<'_>, arguments: &[OsString]) -> bool {
    let Some(long) = option.split([' ', '=']).next() else {
        return false;
    };
    let mut options = verb.command.get_arguments();
    let option = options.find(|option| option.get_long() == long.strip_prefix("--"));
    let short = option.and_then(clap::Arg::get_short);
    let words = arguments.iter().take_while(|word| *word != "--");
    words.filter_map(|word| word.to_str()).any(|word| {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word.split('=').next() == Some(long)
            || short.is_some_and(|short| letters.is_some_and(|letters| letters.starts_with(short)))
    })
}

/// A text that clap adds to an error; of several the last, which is the most similar one.
/// Whether the names of two options have their first letters in common.
fn begin_alike(option: &str, other: &str) -> bool {
    let letters = |name: &'_ str| name.trim_start_matches('-').to_lowercase();
    let (option, other) = (letters(option), letters(other));
    let common = option
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b);
    common.count() >= 4
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

/// The arguments that the verb takes, as `tabia book merge --output <OUT> <BOOK>...`.
fn usage_of(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::Usage)? {
        ContextValue::StyledStr(usage) => {
            let usage = usage.to_string();
            let usage = usage.trim().strip_prefix("Usage: ")?;
            let words: Vec<&str> = usage.split_whitespace().collect();
            Some(without_brackets(&words.join(" ")))
        }
        _ => None,
    }
}

/// `--output <OUT> <BOOK>...` as `--output OUT BOOK...`.
fn without_brackets(text: &str) -> String {
    text.replace("QUERY>...", "QUERY").replace(['<', '>'], "")
}

/// What clap itself writes, without its label, usage and tips.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let words: Vec<&str> = first.split_whitespace().collect();
    words.join(" ")
}
