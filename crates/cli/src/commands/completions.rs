//! `tabia completions`.

use std::fmt::Write as _;

use clap::builder::{PossibleValue, PossibleValuesParser, Resettable};
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use indicatif::ProgressBar;
use tabia::core::chess::PieceLetters;
use tabia::formats::Format;
use tabia::names::NamedThing;
use tabia::query::SortOrder;
use tabia::stats::StatsKey;
use tabia::{Error, Profile};

use crate::args::{self, CompletionsArgs};
use crate::commands::completion_values;
use crate::exit_code::ExitCode;
use crate::ls_row::COLUMNS;
use crate::stdout::StdoutWriter;

/// The character sets that files of chess are in. Others are known, too.
const CHARSETS: [&str; 21] = [
    "auto",
    "utf-8",
    "cp1250",
    "cp1251",
    "cp1252",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
    "latin1",
    "latin2",
    "iso-8859-5",
    "iso-8859-15",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "cp437",
    "cp850",
    "cp866",
];
/// Options whose value is a list with commas.
const LISTS: [&str; 4] = ["columns", "sort", "by", "language"];
/// What numbers are called in the help.
const NUMBERS: [&str; 6] = ["N", "NUMBER", "NUMBERS", "PLY", "PORT", "P"];
/// The languages in which ChessBase has comments most often.
const LANGUAGES: [&str; 9] = ["en", "de", "es", "fr", "it", "nl", "pl", "pt", "ru"];

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode, Error> {
    let mut text = Vec::new();
    let mut command = with_values(args::command(), Vec::new());
    clap_complete::generate(args.shell, &mut command, "tabia", &mut text);
    let script = String::from_utf8_lossy(&text);
    let script = match args.shell {
        Shell::Bash => with_query_in_bash(&with_lists_in_bash(&without_blanks(&script))),
        Shell::Zsh => with_query_in_zsh(&with_lists_in_zsh(&with_options_after_inputs(&script))),
        Shell::Fish => with_lists_in_fish(&script) + &query_in_fish(),
        Shell::Elvish => completion_values::in_elvish(&script, &command),
        Shell::PowerShell => completion_values::in_powershell(&script, &command),
        _ => script.into_owned(),
    };
    let mut out = StdoutWriter::new(&ProgressBar::hidden());
    out.bytes(script.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::Done)
}

/// A verb with the values of options that clap does not know: fields of queries, formats, keys, columns.
/// `above` holds the verbs that it belongs to.
fn with_values(command: Command, above: Vec<String>) -> Command {
    let mut verbs = above;
    verbs.push(command.get_name().to_owned());
    let group = verbs.get(1).cloned().unwrap_or_default();
    command
        .mut_args(|argument| {
            let values = match argument.get_long() {
                Some(long) => values_of(long, &group),
                None if group == "man" && argument.get_id() == "verb" => Some(all_verbs()),
                None => None,
            };
            match values {
                Some(values) => argument
                    .value_parser(PossibleValuesParser::new(values))
                    .default_value(Resettable::Reset),
                // A number is no file.
                None if is_number(&argument) => argument.value_hint(ValueHint::Other),
                None => argument,
            }
        })
        .mut_subcommands(|inner| with_values(inner, verbs.clone()))
}

/// Whether the value of an option is a number, as its name in the help shows.
fn is_number(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| NUMBERS.contains(&name.as_str()))
}

/// The values of an option of the verbs of a group, as `book`.
fn values_of(option: &str, group: &str) -> Option<Vec<PossibleValue>> {
    let plain = |names: Vec<&'static str>| names.into_iter().map(PossibleValue::new).collect();
    Some(match (option, group) {
        ("where", _) => fields(),
        ("from", _) => formats(|_| true),
        ("to", "book") => formats(|format| format.book().is_some()),
        ("to", "archive") => formats(|format| format.archive().is_some()),
        ("to", _) => formats(|format| format.game_writer().is_some()),
        ("profile", _) => plain(Profile::ALL.iter().map(|(_, name)| *name).collect()),
        ("pieces", _) => plain(PieceLetters::codes().collect()),
        ("kind", "names") => plain(NamedThing::ALL.iter().map(|kind| kind.name()).collect()),
        ("encoding" | "to-encoding", _) => plain(CHARSETS.to_vec()),
        ("language", _) => plain(LANGUAGES.to_vec()),
        ("sort", _) => plain(SortOrder::names()),
        ("by", "stats") => plain(StatsKey::names().collect()),
        ("columns", "ls" | "search") => plain(COLUMNS.to_vec()),
        _ => return None,
    })
}

fn all_verbs() -> Vec<PossibleValue> {
    let verbs = args::command();
    let names = verbs.get_subcommands().map(Command::get_name);
    names
        .map(|name| PossibleValue::new(name.to_owned()))
        .collect()
}

fn formats(is_meant: impl Fn(&Format) -> bool) -> Vec<PossibleValue> {
    let formats = tabia::formats().filter(is_meant);
    let value = |format: Format| PossibleValue::new(format.id().to_string()).help(format.name());
    formats.map(value).collect()
}

fn fields() -> Vec<PossibleValue> {
    let fields = tabia::query::fields().iter();
    let value = |field: &tabia::query::Field| {
        PossibleValue::new(format!("{}:", field.name)).help(field.asks)
    };
    fields.map(value).collect()
}

/// A value follows the colon of a field at once, so bash must not add a blank.
fn without_blanks(script: &str) -> String {
    let option = "--where)\n";
    script.replace(option, &format!("{option}{:20}compopt -o nospace\n", ""))
}

/// What follows a comma in a list, and the minus of a reversed order, is completed as its first word is.
fn with_lists_in_bash(script: &str) -> String {
    let mut script = script.to_owned();
    for option in LISTS {
        let words = format!(
            "                --{option})\n{:20}COMPREPLY=($(compgen -W ",
            ""
        );
        let list = format!(
            "                --{option})
                    local list=\"\"
                    [[ ${{cur}} == *,* ]] && list=\"${{cur%,*}},\"
                    [[ ${{cur#\"${{list}}\"}} == -* ]] && list=\"${{list}}-\"
                    compopt -o nospace
                    COMPREPLY=($(compgen -P \"${{list}}\" -W "
        );
        let mut changed = String::with_capacity(script.len());
        let mut parts = script.split(&words);
        changed.push_str(parts.next().unwrap_or_default());
        for part in parts {
            changed.push_str(&list);
            changed.push_str(&part.replacen("-- \"${cur}\"", "-- \"${cur#\"${list}\"}\"", 1));
        }
        script = changed;
    }
    script
}

/// The names of all fields with their colons, between blanks.
fn field_words() -> String {
    let fields = tabia::query::fields().iter();
    let words: Vec<String> = fields.map(|field| format!("{}:", field.name)).collect();
    words.join(" ")
}

/// The arguments of `search` are files and a query: a word that begins no file's name is completed as a field.
fn with_query_in_bash(script: &str) -> String {
    let verb = "        tabia__subcmd__search)\n";
    let condition = "${cur} == [a-z]* && ${prev} != -* && ${COMP_CWORD} -gt 2 && -z $(compgen -f -- \"${cur}\")";
    let fields = tabia::query::fields().iter();
    let mut values = String::new();
    for field in fields {
        let words: Vec<&str> = field.words().collect();
        if !words.is_empty() {
            let (name, words) = (field.name, words.join(" "));
            let _ = writeln!(values, "                    {name}) words=\"{words}\" ;;");
        }
    }
    // Of `has:co` bash makes three words.
    let query = format!(
        "{verb}            local field=\"\" words=\"\"
            [[ ${{COMP_WORDS[COMP_CWORD]}} == : ]] && field=\"${{COMP_WORDS[COMP_CWORD-1]}}\"
            [[ ${{COMP_WORDS[COMP_CWORD-1]}} == : ]] && field=\"${{COMP_WORDS[COMP_CWORD-2]}}\"
            if [[ -n ${{field}} ]] ; then
                case \"${{field##[-(]}}\" in
{values}                esac
                COMPREPLY=( $(compgen -W \"${{words}}\" -- \"${{cur#:}}\") )
                return 0
            fi
            if [[ {condition} ]] ; then
                compopt -o nospace
                COMPREPLY=( $(compgen -W \"{}\" -- \"${{cur}}\") )
                return 0
            fi
",
        field_words()
    );
    script.replacen(verb, &query, 1)
}

/// What follows the first input is an input or an option. In zsh two colons after the asterisk would leave inputs alone.
fn with_options_after_inputs(script: &str) -> String {
    script.replace("\n'*::", "\n'*:")
}

/// Replaces the values in parentheses of an option by a function, which is given them if `keeps_values`.
fn with_function_in_zsh(script: &str, option: &str, function: &str, keeps_values: bool) -> String {
    let begin = format!("--{option}=[");
    let mut parts = script.split(&begin);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        changed.push_str(&begin);
        // `TEXT]:NAME:(VALUES)'`, in which colons of the text are escaped.
        let split = part.split_once("]:").and_then(|(text, rest)| {
            let (name, rest) = rest.split_once(":(")?;
            let (values, rest) = rest.split_once(")'")?;
            Some((text, name, values, rest))
        });
        let Some((text, name, values, rest)) = split else {
            changed.push_str(part);
            continue;
        };
        let values = if keeps_values {
            format!(" {values}")
        } else {
            String::new()
        };
        let _ = write!(changed, "{text}]:{name}:{{{function}{values}}}'{rest}");
    }
    changed
}

/// Lists as in bash; a query is completed by `_tabia_fields`.
fn with_lists_in_zsh(script: &str) -> String {
    let script = with_function_in_zsh(script, "where", "_tabia_fields", false);
    LISTS.iter().fold(script, |script, option| {
        with_function_in_zsh(&script, option, "_tabia_list", true)
    })
}

/// As in bash, but files and fields are both offered.
fn with_query_in_zsh(script: &str) -> String {
    let Some((before, after)) = script.split_once("\n(search)\n") else {
        return script.to_owned();
    };
    // The first arguments after the options of `search` are its own.
    let after = match after.split_once("'*:inputs -- ") {
        Some((options, rest)) => match rest.split_once(":_default'") {
            Some((help, rest)) => {
                format!("{options}'*:inputs -- {help}:_tabia_files_or_fields'{rest}")
            }
            None => after.to_owned(),
        },
        None => after.to_owned(),
    };
    let fields = tabia::query::fields().iter();
    let lines = fields.map(|field| {
        let asks = field.asks.replace('\'', "'\\''");
        format!("        '{}\\::{asks}'\n", field.name)
    });
    let fields = lines.collect::<Vec<_>>().concat();
    let values = tabia::query::fields().iter().filter_map(|field| {
        let words: Vec<&str> = field.words().collect();
        let words = words.join(" ");
        let name = field.name;
        (!words.is_empty()).then(|| format!("        {name}:*) words=({words});;\n"))
    });
    let values = values.collect::<Vec<_>>().concat();
    let function = format!(
        "
(( $+functions[_tabia_fields] )) ||
_tabia_fields() {{
    local -a fields; fields=(
{fields}    )
    compset -P '* '
    compset -P '[-(]'
    local -a words
    case $PREFIX in
{values}    esac
    if (( $#words )); then
        compset -P '*:'
        compadd -- $words
        return
    fi
    _describe -t fields 'field of a query' fields -S ''
}}
(( $+functions[_tabia_files_or_fields] )) ||
_tabia_files_or_fields() {{
    _files
    _tabia_fields
}}
(( $+functions[_tabia_list] )) ||
_tabia_list() {{
    compset -P '*,'
    compset -P '-'
    compadd -S '' -- \"$@\"
}}
"
    );
    let script = format!("{before}\n(search)\n{after}");
    // The function is defined before the script asks how it was loaded.
    match script.rsplit_once("\nif [ \"$funcstack[1]\"") {
        Some((functions, end)) => {
            format!("{functions}{function}\nif [ \"$funcstack[1]\"{end}")
        }
        None => script,
    }
}

/// Lists as in bash.
fn with_lists_in_fish(script: &str) -> String {
    let begin = "\ncomplete ";
    let commands: Vec<String> = script.split(begin).map(with_list_in_fish).collect();
    commands.join(begin)
        + "
function __fish_tabia_list
    set -l typed (commandline -ct | string replace -r '^--[a-z]+=' '')
    set -l before (string match -r '^.*,' -- $typed; or echo)
    string match -q -- '-*' (string replace -r '^.*,' '' -- $typed); and set before $before'-'
    for value in $argv
        printf '%s%s\\t\\n' $before $value
    end
end
"
}

/// One `complete` of fish: of an option whose value is a list, with what is before the last comma in front of each value.
fn with_list_in_fish(command: &str) -> String {
    let is_list = |option: &str| command.contains(&format!(" -l {option} -d "));
    let split = LISTS
        .into_iter()
        .find(|option| is_list(option))
        .and_then(|_| {
            let (begin, values) = command.split_once(" -r -f -a \"")?;
            let (values, end) = values.split_once('"')?;
            Some((begin, values, end))
        });
    let Some((begin, values, end)) = split else {
        return command.to_owned();
    };
    // A value a line, its description after a tab.
    let names = values.lines().filter_map(|line| line.split("\\t").next());
    let names: Vec<&str> = names.collect();
    let names = names.join(" ");
    format!("{begin} -r -f -a \"(__fish_tabia_list {names})\"{end}")
}

fn query_in_fish() -> String {
    let verb = "__fish_tabia_using_subcommand search";
    let fields = tabia::query::fields().iter();
    let mut lines = String::new();
    for field in fields {
        let (name, asks) = (field.name, field.asks.replace('\'', "\\'"));
        let _ = writeln!(
            lines,
            "complete -c tabia -n \"{verb}\" -a \"{name}:\" -d '{asks}'"
        );
        let words: Vec<String> = field.words().map(|word| format!("{name}:{word}")).collect();
        if !words.is_empty() {
            // Only for the field that is typed: all of them would be too many.
            let is_typed = format!("{verb}; and string match -q '{name}:*' -- (commandline -ct)");
            let words = words.join(" ");
            let _ = writeln!(
                lines,
                "complete -c tabia -n \"{is_typed}\" -f -a \"{words}\""
            );
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia::core::game::Language;
    use tabia::core::io::Charset;

    #[test]
    fn completed_values_are_known() {
        for name in CHARSETS {
            assert!(Charset::parse(name).is_some(), "{name}");
        }
        for code in LANGUAGES {
            assert!(Language::parse(code).is_some(), "{code}");
        }
    }
}
