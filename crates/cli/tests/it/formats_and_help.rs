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
