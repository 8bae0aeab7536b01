use crate::common::{tabia, with_games, with_sample};

#[test]
fn losses_are_listed_by_kind() {
    let folder = with_sample("table");
    let run = tabia(
        &folder,
        &["convert", "mega.cbh", "-o", "out.pgn", "--profile", "seven"],
    )
    .expect(0);
    assert!(
        run.err.contains("not kept in the target format:"),
        "{}",
        run.err
    );
    assert!(run.err.contains("variations  "), "{}", run.err);
    assert!(run.err.contains("first in game "), "{}", run.err);
}

#[test]
fn conversions_without_loss_are_silent() {
    let folder = with_games("nothing");
    for profile in ["standard", "full"] {
        let args = ["convert", "games.pgn", "--profile", profile];
        assert_eq!(tabia(&folder, &args).expect(0).err, "", "{profile}");
    }
}

#[test]
fn full_profile_loses_nothing() {
    let folder = with_sample("whole");
    let args = [
        "convert",
        "mega.cbh",
        "-o",
        "out.pgn",
        "--profile",
        "full",
        "--include-deleted",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(!run.err.contains("not kept"), "{}", run.err);
}

#[test]
fn formats_with_one_character_set_refuse_others() {
    let folder = with_games("one-encoding");
    for target in ["out.si3", "out.si4", "out.si5", "out.sci", "out.epd"] {
        let args = ["convert", "games.pgn", "-o", target, "--to-encoding"];
        let run = tabia(&folder, &[&args[..], &["cp1252"]].concat()).expect(2);
        assert!(
            run.err.contains("UTF-8, not in windows-1252"),
            "{}",
            run.err
        );
        assert!(!folder.join(target).exists());
        tabia(&folder, &[&args[..], &["utf-8"]].concat()).expect(0);
    }
}

#[test]
fn texts_are_written_in_the_chosen_character_set() {
    let folder = with_games("to-encoding");
    let args = ["convert", "games.pgn", "-o", "ansi.cbh", "--to-encoding"];
    let messages = tabia(&folder, &[&args[..], &["cp1252"]].concat())
        .expect(0)
        .err;
    assert!(!messages.contains("characters outside"), "{messages}");
    let players = std::fs::read(folder.join("ansi.cbp")).unwrap();
    let has = |name: &[u8]| players.windows(name.len()).any(|bytes| bytes == name);
    assert!(has(b"M\xfcller\0") && has(b"\x8ei\x9eka\0"));
    let names = |encoding: &str| tabia(&folder, &["ls", "ansi.cbh", "--encoding", encoding]).out;
    for encoding in ["auto", "cp1252"] {
        let names = names(encoding);
        assert!(
            names.contains("Müller, Jörg") && names.contains("Žižka"),
            "{names}"
        );
    }
    // Characters that the set lacks are reported.
    let messages = tabia(&folder, &[&args[..], &["cp1251", "--force"]].concat())
        .expect(0)
        .err;
    assert!(
        messages.contains("characters outside the target's character set"),
        "{messages}"
    );
}
