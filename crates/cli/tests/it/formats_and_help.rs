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
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let run = tabia(&folder, &["completions", shell]).expect(0);
        assert!(run.out.contains("include-deleted"), "{shell}");
        // The fields of queries complete the value of `--where`, in shells whose scripts have values.
        assert!(
            shell == "powershell" || run.out.contains("avgelo"),
            "{shell}"
        );
    }
    let page = tabia(&folder, &["man", "convert"]).expect(0);
    for part in [
        ".TH tabia-convert 1",
        "tabia convert [OPTIONS]",
        "\\fB\\-\\-to\\fR \\fI<FORMAT>\\fR",
        ".SH EXAMPLES\n.nf\n  tabia convert mega.cbv \\-o mega.pgn",
        "auto",
    ] {
        assert!(page.out.contains(part), "{part}: {}", page.out);
    }
    tabia(&folder, &["man", "-d", "man"]).expect(0);
    for verb in VERBS {
        assert!(
            folder.join(format!("man/tabia-{verb}.1")).exists(),
            "{verb}"
        );
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
            &["convert", "mega.cbh", "--to", "si"],
            &["si3", "si4", "si5"],
        ),
        (&["convert", "mega.cbh", "--sort", "whiteE"], &["whiteElo"]),
        (&["book", "convert", "x.bin", "--to", "po"], &["polyglot"]),
        (&["archive", "create", "x.y", "--to", "z"], &["zip"]),
        (&["ls", "x", "--from", "kv"], &["kvetka"]),
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
    let fish = tabia(&folder, &["completions", "fish"]).expect(0).out;
    let search = "using_subcommand search\" -a \"round:\"";
    assert!(fish.contains(search));
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
