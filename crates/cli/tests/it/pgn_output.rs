//! PGN as it is written: profiles, and no control characters.

use tabia_testkit::Scratch;

use crate::common::{tabia, with_sample};

#[test]
fn annotations_are_written_to_pgn() {
    let folder = with_sample("sample");
    let run = tabia(&folder, &["convert", "mega.cbh"]).expect(0);
    assert!(run.out.starts_with("[Event "));
    assert!(
        run.out.contains('{') && run.out.contains('('),
        "comments and variations"
    );
    let full = tabia(&folder, &["convert", "mega.cbh", "--profile", "full"]).expect(0);
    let seven = tabia(&folder, &["convert", "mega.cbh", "--profile", "seven"]).expect(0);
    assert!(full.out.len() > run.out.len() && run.out.len() > seven.out.len());
    assert!(!seven.out.contains('{'));
}

/// A file that other programs do not take for text is not what PGN is for.
#[test]
fn pgn_contains_no_control_characters() {
    let folder = Scratch::new("control");
    let text = b"[Event \"a\x1b[31m\x07\"]\n[White \"b\0c\"]\n\n\
        1. e4 {\0one\x1b[1m two\x08\x7f} e5 {[%foo \x1b]} 2. d4 *\n";
    std::fs::write(folder.join("in.pgn"), text).unwrap();
    for profile in ["standard", "full", "lichess", "chessbase", "seven"] {
        let args = [
            "convert",
            "in.pgn",
            "-o",
            "out.pgn",
            "--force",
            "--profile",
            profile,
        ];
        tabia(&folder, &args).expect(0);
        let written = std::fs::read(folder.join("out.pgn")).unwrap();
        let is_bad = |byte: &u8| byte.is_ascii_control() && !b"\r\n".contains(byte);
        let found = written.iter().position(is_bad);
        assert_eq!(
            found,
            None,
            "{profile}: {}",
            String::from_utf8_lossy(&written)
        );
        let args = ["ls", "out.pgn", "--ndjson"];
        let listed = tabia(&folder, &args).expect(0);
        assert_eq!(listed.out.lines().count(), 1, "{profile}");
    }
}

/// Other programs read a tag without its control characters, we the one that was stored.
#[test]
fn tags_with_control_characters_are_shown_without_them() {
    let folder = Scratch::new("pgn-control");
    let text = "[Black \"And\u{4}es\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w\tK - 0 1\"]\n\n1. Rh8+ *\n";
    std::fs::write(folder.join("a.pgn"), text).unwrap();
    let convert = |from: &str, to: &str, profile: &str| {
        let args = ["convert", from, "-o", to, "--profile", profile];
        tabia(&folder, &args).expect(0);
        std::fs::read_to_string(folder.join(to)).unwrap()
    };
    let full = convert("a.pgn", "full.pgn", "full");
    assert!(full.contains("[Black \"And es\"]"), "{full}");
    assert!(
        full.contains("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]"),
        "{full}"
    );
    assert!(full.contains("\n1. Rh8+ *"), "{full}");
    assert_eq!(convert("full.pgn", "again.pgn", "full"), full);
    let rows = tabia(&folder, &["ls", "full.pgn", "--json"])
        .expect(0)
        .json();
    assert_eq!(rows[0]["black"], "And\u{4}es", "{rows}");
}
