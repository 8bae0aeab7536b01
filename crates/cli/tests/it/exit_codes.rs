use crate::common::{tabia, with_games};

#[test]
fn success_is_0() {
    let folder = with_games("done");
    let run = tabia(&folder, &["convert", "games.pgn"]).expect(0);
    assert_eq!(run.err, "", "no losses, no messages");
}

#[test]
fn usage_errors_are_2() {
    let folder = with_games("usage");
    for args in [
        &["ls", "games.pgn", "--no-such-option"][..],
        &["ls"],
        &["ls", "games.pgn", "--json", "--csv"],
        &["ls", "games.pgn", "--games", "5-2"],
        &["convert", "games.pgn", "-o", "x.unknown"],
        &["convert", "games.pgn", "--to", "nothing"],
        &["ls", "games.pgn", "--from", "nothing"],
        &["show", "games.pgn", "--game", "0"],
        &["convert", "games.pgn", "--profile", "baroque"],
        &["nonsense"],
        &["ls", "games.pgn", "--encoding", "utf-17"],
        &["ls", "games.pgn", "-j", "0"],
        &["book", "info", "games.pgn", "--json"],
    ] {
        let run = tabia(&folder, args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
}

#[test]
fn problems_are_3() {
    let folder = with_games("problems");
    let bad = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    let run = tabia(&folder, &["convert", "bad.pgn"]).expect(3);
    assert!(run.out.contains("1. d4"), "the next game is found");
    assert!(run.err.contains("bad.pgn: game 1"), "{}", run.err);
    assert!(run.err.contains("line 5"), "{}", run.err);
    tabia(&folder, &["check", "bad.pgn"]).expect(3);
}

#[test]
fn inputs_that_cannot_be_opened_are_4() {
    let folder = with_games("inputs");
    std::fs::write(
        folder.join("noise.xyz"),
        [0x93, 0x11, 0xfe, 0xff, 0, 1, 2, 3],
    )
    .unwrap();
    for args in [
        &["info", "missing.pgn"][..],
        &["ls", "gamez.pgn"],
        &["convert", "missing.cbh", "-o", "x.pgn"],
        &["show", "games.pgn", "--game", "4"],
        &["check", "noise.xyz"],
        &["ls", "games.pgn:member"],
    ] {
        let run = tabia(&folder, args);
        assert_eq!(run.code, 4, "{args:?}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
    let run = tabia(&folder, &["ls", "gamez.pgn"]);
    assert!(run.err.contains("hint: "), "{}", run.err);
    assert!(run.err.contains("games.pgn"), "{}", run.err);
}

#[test]
fn outputs_that_cannot_be_written_are_5() {
    let folder = with_games("outputs");
    std::fs::write(folder.join("there.pgn"), "theirs").unwrap();
    let run = tabia(&folder, &["convert", "games.pgn", "-o", "there.pgn"]).expect(5);
    assert!(run.err.contains("there.pgn: exists already"), "{}", run.err);
    assert!(run.err.contains("hint: `--force`"), "{}", run.err);
    assert_eq!(std::fs::read(folder.join("there.pgn")).unwrap(), b"theirs");
    tabia(
        &folder,
        &["convert", "games.pgn", "-o", "there.pgn", "--force"],
    )
    .expect(0);
    tabia(&folder, &["convert", "games.pgn", "-o", "no/folder/x.pgn"]).expect(5);
    tabia(&folder, &["convert", "games.pgn", "-o", "games.pgn/x.pgn"]).expect(5);
    std::fs::create_dir(folder.join("folder.pgn")).unwrap();
    tabia(
        &folder,
        &["convert", "games.pgn", "-o", "folder.pgn", "--force"],
    )
    .expect(5);
    let report = &["ls", "games.pgn", "--report", "there.pgn"];
    tabia(&folder, report).expect(5);
}

#[test]
#[cfg(unix)]
fn read_only_folders_are_5() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_games("readonly");
    let closed = folder.join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may do anything may also write here.
    let may_do_anything = std::fs::write(closed.join("probe"), "").is_ok();
    let run = tabia(&folder, &["convert", "games.pgn", "-o", "closed/x.pgn"]);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.code, if may_do_anything { 0 } else { 5 }, "{}", run.err);
}

#[test]
fn strict_stops_at_the_first_problem() {
    let folder = with_games("strict");
    let bad = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"C\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    tabia(&folder, &["convert", "--strict", "bad.pgn", "-o", "x.pgn"]).expect(4);
    assert!(!folder.join("x.pgn").exists());
    tabia(&folder, &["check", "--strict", "bad.pgn"]).expect(3);
    tabia(
        &folder,
        &["convert", "--strict", "games.pgn", "-o", "x.pgn"],
    )
    .expect(0);
}

/// Commands that only list read the other inputs, commands that write need all of them.
#[test]
fn one_of_several_inputs_that_cannot_be_read_ends_no_list() {
    let folder = with_games("one-missing");
    tabia(
        &folder,
        &[
            "book",
            "build",
            "games.pgn",
            "--min-games",
            "1",
            "-o",
            "b.bin",
        ],
    )
    .expect(0);
    for (args, rows) in [
        (&["tree", "none.pgn", "games.pgn"][..], 2),
        (&["names", "none.pgn", "games.pgn", "games.pgn"], 1),
        (
            &["novelty", "none.pgn", "games.pgn", "--base", "games.pgn"],
            4,
        ),
        (
            &["dedupe", "none.pgn", "games.pgn", "games.pgn", "--dry-run"],
            4,
        ),
        (&["book", "find", "none.bin", "b.bin"], 2),
    ] {
        let run = tabia(&folder, args).expect(4);
        assert!(run.out.lines().count() >= rows, "{args:?}: {}", run.out);
        assert_eq!(run.err.matches("error: none.").count(), 1, "{}", run.err);
    }
    for args in [
        &["convert", "none.pgn", "games.pgn", "-o", "x.pgn"][..],
        &["dedupe", "none.pgn", "games.pgn", "-o", "x.pgn"],
        &["book", "merge", "none.bin", "b.bin", "-o", "x.bin"],
    ] {
        tabia(&folder, args).expect(4);
        assert!(!folder.join("x.pgn").exists() && !folder.join("x.bin").exists());
    }
    // Nothing can be listed.
    for args in [
        ["tree", "none.pgn", "none2.pgn"],
        ["names", "none.pgn", "none2.pgn"],
    ] {
        let run = tabia(&folder, &args).expect(4);
        assert_eq!(run.out, "", "{args:?}");
        assert!(
            run.err.contains("none.pgn") && run.err.contains("none2.pgn"),
            "{}",
            run.err
        );
    }
}
