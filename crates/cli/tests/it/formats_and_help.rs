use std::fs;

use crate::common::{command, tabia};
use tabia_testkit::Scratch;

const VERBS: &[&str] = &[
    "info",
    "ls",
    "search",
    "show",
    "convert",
    "check",
    "formats",
    "completions",
    "man",
];

#[test]
fn every_registered_format_is_listed() {
    let folder = Scratch::new("formats");
    let formats = tabia(&folder, &["formats", "--json"]).expect(0).json();
    let find = |id: &str| {
        let mut all = formats.as_array().unwrap().iter();
        all.find(|format| format["format"] == id).cloned().unwrap()
    };
    for format in tabia::formats::GAMES {
        find(format.file.id.as_str());
    }
    assert_eq!(find("pgn")["write"], true);
    assert_eq!(find("cbh")["read"], true);
    assert_eq!(find("cbv")["kind"], "archive");
    let rows = tabia(&folder, &["formats"]).expect(0);
    assert_eq!(
        rows.out.lines().count(),
        formats.as_array().unwrap().len() + 1
    );
}

#[test]
fn short_help_fits_a_screen_and_has_three_examples() {
    let folder = Scratch::new("help");
    for verb in VERBS {
        let short = tabia(&folder, &[verb, "--help"]).expect(0);
        assert!(short.out.lines().count() <= 50, "{verb}: {}", short.out);
        let (_, examples) = short.out.split_once("Examples:\n").unwrap();
        let examples = examples
            .lines()
            .take_while(|line| line.starts_with("  tabia") || line.contains("| tabia"));
        assert_eq!(examples.count(), 3, "{verb}");
        let long = tabia(&folder, &["help", verb]).expect(0);
        assert!(long.out.len() >= short.out.len(), "{verb}");
    }
    assert!(tabia(&folder, &["help", "ls"]).out.contains("--progress"));
    assert!(
        tabia(&folder, &["--help"])
            .expect(0)
            .out
            .contains("convert")
    );
    tabia::<&str>(&folder, &[]).expect(2);
    assert!(
        tabia(&folder, &["--version"])
            .expect(0)
            .out
            .starts_with("tabia ")
    );
}

#[test]
fn every_verb_has_completions_and_a_manual_page() {
    let folder = Scratch::new("pages");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = tabia(&folder, &["completions", shell]).expect(0);
        assert!(run.out.contains("include-deleted"), "{shell}");
        // The fields of queries complete the value of `--where`.
        assert!(run.out.contains("avgelo"), "{shell}");
        // In zsh two colons would leave out the options after an input.
        assert!(!run.out.contains("\n'*::"), "{shell}");
    }
    let page = tabia(&folder, &["man", "convert"]).expect(0);
    for part in [
        ".TH tabia-convert 1",
        "tabia convert [OPTIONS]",
        "\\fB\\-\\-to\\fR \\fI<FORMAT>\\fR",
        ".SH EXAMPLES\n.nf\n  tabia convert mega.cbv \\-o mega.pgn",
        "auto",
        ".SH EXIT STATUS\n.nf\n0    done",
        "\n130  interrupted\n",
    ] {
        assert!(page.out.contains(part), "{part}: {}", page.out);
    }
    let page = tabia(&folder, &["man", "book", "build"]).expect(0).out;
    assert!(page.contains("tabia\\-book\\-build"), "{page}");
    for words in [&["man", "book build"] as &[_], &["man", "book-build"]] {
        assert_eq!(tabia(&folder, words).expect(0).out, page);
    }
    tabia(&folder, &["man", "-d", "man"]).expect(0);
    for verb in VERBS {
        assert!(
            folder.join(format!("man/tabia-{verb}.1")).exists(),
            "{verb}"
        );
        let page = fs::read_to_string(folder.join(format!("man/tabia-{verb}.1"))).unwrap();
        let options: Vec<&str> = page.split("\n.TP\n").skip(1).collect();
        for option in options {
            let text = option.lines().nth(1).unwrap_or_default();
            assert!(!text.trim().is_empty(), "{verb}: {option}");
        }
    }
    tabia(&folder, &["man", "nonsense"]).expect(2);
}

/// What bash proposes for the last word of a command line.
#[cfg(unix)]
fn completed_by_bash(folder: &Scratch, words: &[&str]) -> Vec<String> {
    let script = r#"
        source ./completions.bash
        COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
        _tabia tabia "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = std::process::Command::new("bash");
    let bash = bash.current_dir(folder.path()).args(["-c", script, "bash"]);
    let output = bash.args(words).output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn values_are_completed() {
    let folder = Scratch::new("completed");
    let completions = tabia(&folder, &["completions", "bash"]).expect(0).out;
    fs::write(folder.join("completions.bash"), completions).unwrap();
    fs::write(folder.join("player.pgn"), "").unwrap();
    for (words, expected) in [
        (&["search", "mega.cbh", "rou"][..], &["round:"][..]),
        // A file whose name begins so is completed by the shell itself.
        (&["search", "mega.cbh", "play"], &[]),
        (&["ls", "mega.cbh", "--where", "whitee"], &["whiteelo:"]),
        (&["ls", "mega.cbh", "--columns", "whiteE"], &["whiteElo"]),
        (
            &["ls", "mega.cbh", "--columns", "black,whiteE"],
            &["black,whiteElo"],
        ),
        (&["ls", "mega.cbh", "--sort", "white,-da"], &["white,-date"]),
        (&["convert", "mega.cbh", "--language", "de,f"], &["de,fr"]),
        (&["man", "boo"], &["book"]),
        (
            &["convert", "mega.cbh", "--to", "si"],
            &["si3", "si4", "si5"],
        ),
        (&["convert", "mega.cbh", "--sort", "whiteE"], &["whiteElo"]),
        (&["convert", "mega.cbh", "--profile", "li"], &["lichess"]),
        (&["ls", "mega.pgn", "--encoding", "koi8-r"], &["koi8-r"]),
        (&["convert", "mega.pgn", "--to-encoding", "ut"], &["utf-8"]),
        (&["convert", "mega.cbh", "--language", "d"], &["de"]),
        (&["ls", "mega.pgn", "--color", "al"], &["always"]),
        (&["names", "mega.cbh", "--kind", "pl"], &["player"]),
        (&["book", "convert", "x.bin", "--to", "po"], &["polyglot"]),
        (&["archive", "create", "x.y", "--to", "z"], &["zip"]),
        (&["ls", "x", "--from", "kv"], &["kvetka"]),
        // The colon is a word of its own.
        (&["search", "x", "has", ":", "co"], &["comments"]),
        (&["search", "x", "-is", ":", "che"], &["chess960", "check"]),
        (
            &["stats", "mega.cbh", "--by", "openingF"],
            &["openingFamily"],
        ),
    ] {
        let found = completed_by_bash(&folder, &[&["tabia"], words].concat());
        assert_eq!(found, expected, "{words:?}");
    }
    let zsh = tabia(&folder, &["completions", "zsh"]).expect(0).out;
    assert_eq!(zsh.matches(":_tabia_files_or_fields'").count(), 1);
    // Colons in lists of values would end them.
    assert!(zsh.matches(":QUERY:{_tabia_fields}'").count() > 5);
    assert!(!zsh.contains("((player"));
    assert!(zsh.contains(":NAMES:{_tabia_list game white whiteElo "));
    assert!(zsh.contains(":FIELDS:{_tabia_list "));
    let fish = tabia(&folder, &["completions", "fish"]).expect(0).out;
    let search = "using_subcommand search\" -a \"round:\"";
    assert!(fish.contains(search));
    assert!(fish.contains(" -f -a \"bishops:opposite bishops:same\"\n"));
    assert!(fish.contains(" -a \"(__fish_tabia_list game white whiteElo "));
    assert!(zsh.contains("\n        bishops:*) words=(opposite same);;\n"));
    // A number is no file.
    assert!(zsh.contains("]:N:'") && !zsh.contains(":N:_default"));
}

/// What Elvish proposes for the last word of a command line; `None` if it is not installed. Outside of a terminal
/// it has no editor, so that the script gets functions instead of the editor's.
#[cfg(unix)]
fn completed_by_elvish(script: &str, folder: &Scratch, words: &[&str]) -> Option<Vec<String>> {
    let candidate =
        "edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc";
    let setter = "set edit:completion:arg-completer[tabia] = ";
    let files = "edit:complete-filename $@words";
    for part in [candidate, setter, files] {
        assert!(script.contains(part), "{part}");
    }
    let script = script
        .replace(candidate, "put $text")
        .replace(setter, "var complete = ")
        .replace(files, "put '(files)'");
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let code = format!(
        "{script}\n$complete {} | each {{|word| echo $word}}\n",
        words.join(" ")
    );
    fs::write(folder.join("completions.elv"), code).unwrap();
    let mut elvish = std::process::Command::new("elvish");
    let elvish = elvish
        .current_dir(folder.path())
        .args(["-norc", "completions.elv"]);
    let output = elvish.output().ok()?;
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
#[cfg(unix)]
fn values_are_completed_by_elvish() {
    let folder = Scratch::new("completed-elvish");
    let script = tabia(&folder, &["completions", "elvish"]).expect(0).out;
    for (words, some, others) in [
        (
            &["ls", "mega.cbh", "--where", ""][..],
            &["whiteelo:", "round:"][..],
            "(files)",
        ),
        (
            &["search", "mega.cbh", "rou"],
            &["round:", "(files)"],
            "--where",
        ),
        (
            &["ls", "mega.cbh", "--columns", ""],
            &["whiteElo"],
            "(files)",
        ),
        (&["convert", "mega.cbh", "--to", ""], &["si5", "pgn"], "ctg"),
        (&["book", "convert", "x.bin", "--to", ""], &["ctg"], "si5"),
        (&["archive", "create", "x.y", "--to", ""], &["zip"], "si5"),
        (&["ls", "x", "--from", ""], &["kvetka"], "(files)"),
        (&["convert", "x", "--sort", ""], &["whiteElo"], "(files)"),
        (&["stats", "x", "--by", ""], &["openingFamily"], "(files)"),
        (&["ls", "x", "-"], &["--where", "--columns"], "(files)"),
        (&["ls", ""], &["(files)"], "--where"),
        (&["book", ""], &["find", "explain"], "(files)"),
        (
            &["--quiet", "ls", "x", "--where", ""],
            &["white:"],
            "(files)",
        ),
    ] {
        let words = [&["tabia"], words].concat();
        let Some(found) = completed_by_elvish(&script, &folder, &words) else {
            tabia_testkit::skip_without_peer("values_are_completed_by_elvish", "Elvish");
            return;
        };
        for word in some {
            assert!(
                found.iter().any(|one| one == word),
                "{words:?}: {word} in {found:?}"
            );
        }
        assert!(
            !found.iter().any(|one| one == others),
            "{words:?}: {found:?}"
        );
    }
}

/// PowerShell has the same tables; its script is checked where there is no PowerShell, too.
#[test]
fn values_are_completed_by_powershell() {
    let folder = Scratch::new("completed-powershell");
    let script = tabia(&folder, &["completions", "powershell"]).expect(0).out;
    let group_of = |key: &str| {
        let start = script
            .find(&format!("'{key}'"))
            .unwrap_or_else(|| panic!("{key}"));
        let group = &script[start..];
        &group[..group.find("            break\n").unwrap()]
    };
    for (key, value, other) in [
        ("tabia;ls;--where", "'whiteelo:'", "'si5'"),
        ("tabia;ls;--columns", "'whiteElo'", "'si5'"),
        ("tabia;convert;--to", "'si5'", "'ctg'"),
        ("tabia;book;convert;--to", "'ctg'", "'si5'"),
        ("tabia;stats;--by", "'openingFamily'", "'si5'"),
    ] {
        let group = group_of(key);
        assert!(
            group.contains(&format!("::new({value}, {value}, ")),
            "{key}: {group}"
        );
        assert!(!group.contains(other), "{key}: {group}");
    }
    // A tool tip must not be empty, and texts in quotes do not hide a brace.
    assert!(!script.contains(", '')"));
    let mut depth = 0;
    for line in script.lines() {
        let code: String = line.split('\'').step_by(2).collect();
        depth += code.matches(['{', '(']).count() as i64 - code.matches(['}', ')']).count() as i64;
        assert!(depth >= 0, "{line}");
    }
    assert_eq!(depth, 0);
}

#[test]
fn colour_follows_option_and_environment() {
    let folder = Scratch::new("color");
    assert!(!tabia(&folder, &["ls", "none"]).err.contains('\u{1b}'));
    let output = command(folder.path())
        .args(["ls", "none", "--color", "always"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains('\u{1b}'));
}
