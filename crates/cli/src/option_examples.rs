//! What to type instead of a value that an option does not take.

use clap::Command;

/// Options of many verbs, and what they take.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "--board",
        "`--board` draws the last position, `--board=20` that after 20 plies",
    ),
    (
        "--columns",
        "`--columns game,white,black` shows these three",
    ),
    (
        "--encoding",
        "`--encoding cp1252` is that of western Europe, `cp1250` of central Europe, `cp1251` of Cyrillic, `auto` \
         detects it",
    ),
    (
        "--game",
        "`--game 5` is the fifth game, `--game 5-7,12` are four",
    ),
    (
        "--games",
        "`--games 1-100,205` are 101 games, `--games 300-` all from number 300 on",
    ),
    ("--limit", "`--limit 20` is at most 20 of them"),
    ("--offset", "`--offset 100` leaves out the first 100"),
    ("--port", "`--port 0` takes one that is free"),
    (
        "--sort",
        "`--sort date,-whiteElo` is by date, of one day the highest rating first",
    ),
    (
        "--split",
        "`--split 10000` writes at most 10,000 games to each file",
    ),
    ("--threads", "without `--threads` all processors are used"),
];

/// What to type instead of `value`, which `option`, as `--limit`, does not take: a value, or an example of the
/// verb's help with the option.
pub(crate) fn option_example(command: &Command, option: &str, value: &str) -> Option<String> {
    if let Some(numbers) = ascending(value).filter(|_| option.starts_with("--game")) {
        return Some(format!("did you mean `{option} {numbers}`?"));
    }
    if let Some((_, text)) = EXAMPLES.iter().find(|(name, _)| *name == option) {
        return Some((*text).to_owned());
    }
    let first = || examples(command).into_iter().next();
    let of_argument = || first().filter(|_| option.starts_with('<'));
    let example = example_with(command, option).or_else(of_argument)?;
    Some(format!("for example `{example}`"))
}

/// Numbers of games, as `7-5,12`, with the lower number of each range first; `None` if that changes nothing.
fn ascending(numbers: &str) -> Option<String> {
    let part = |part: &str| match part.trim().split_once('-') {
        Some((first, last)) => {
            let (low, high) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
            (low > 0 && high > 0).then(|| format!("{}-{}", low.min(high), low.max(high)))
        }
        None => Some(part.trim().parse::<u32>().ok()?.to_string()),
    };
    let parts: Option<Vec<String>> = numbers.split(',').map(part).collect();
    Some(parts?.join(",")).filter(|ascending| ascending != numbers)
}

/// The commands in the examples of a verb's help.
pub(crate) fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help();
    let help = help.map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().map(str::trim);
    let lines = lines.filter(|line| line.starts_with("tabia "));
    lines.map(str::to_owned).collect()
}

/// The first example of a verb with an option, as `--limit` or `<BOOK>`, in its long or its short form.
pub(crate) fn example_with(command: &Command, option: &str) -> Option<String> {
    let mut options = command.get_arguments();
    let known = options
        .find(|known| Some(known.get_long().unwrap_or_default()) == option.strip_prefix("--"));
    let short = known
        .and_then(clap::Arg::get_short)
        .map(|short| format!("-{short}"));
    let has_option = |line: &String| {
        let mut words = line.split([' ', '=']);
        words.any(|word| word == option || short.as_deref() == Some(word))
    };
    examples(command).into_iter().find(has_option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    #[test]
    fn ranges_are_turned_around() {
        assert_eq!(ascending("5-2").as_deref(), Some("2-5"));
        assert_eq!(ascending("1-3,9-7,12").as_deref(), Some("1-3,7-9,12"));
        for other in ["", "5", "2-5", "0-0", "9-0", "x", "5-x", "300-"] {
            assert_eq!(ascending(other), None, "{other}");
        }
    }

    #[test]
    fn options_have_examples() {
        let root = args::command();
        let build = root
            .find_subcommand("book")
            .and_then(|book| book.find_subcommand("build"));
        let build = build.expect("`book build` is a verb");
        let example = option_example(build, "--max-ply", "x").unwrap();
        assert!(example.contains(" --max-ply "), "{example}");
        let example = option_example(build, "--output", "x").unwrap();
        assert!(example.contains(" -o "), "{example}");
        assert_eq!(option_example(build, "--unknown", "x"), None);
    }
}
