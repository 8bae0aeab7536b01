//! The character sets of outputs.

use tabia_testkit::Scratch;

use crate::common::{tabia, with_games};

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
        messages.contains("characters that the target lacks"),
        "{messages}"
    );
    // `--strict` refuses them; nothing is written then.
    let players = std::fs::read(folder.join("ansi.cbp")).unwrap();
    let run = tabia(
        &folder,
        &[&args[..], &["cp1251", "--force", "--strict"]].concat(),
    )
    .expect(4);
    assert!(run.err.contains("first in game"), "{}", run.err);
    let hint = "`tabia convert games.pgn -o ansi.cbh --force --to-encoding utf-8` keeps them";
    assert!(run.err.contains(hint), "{}", run.err);
    assert!(
        run.err.contains("si5") && !run.err.contains("epd"),
        "{}",
        run.err
    );
    assert_eq!(std::fs::read(folder.join("ansi.cbp")).unwrap(), players);
    // What is added to a database is written in its set.
    let names = [
        "Иванов, Пётр",
        "Смирнов, Алексей",
        "Кузнецов, Дмитрий",
        "Попов, Сергей",
    ];
    let games = names.map(|name| format!("[White \"{name}\"]\n[Black \"Соколов\"]\n\n1. e4 *\n\n"));
    std::fs::write(folder.join("east.pgn"), games.concat()).unwrap();
    let args = [
        "convert",
        "east.pgn",
        "-o",
        "east.cbh",
        "--to-encoding",
        "cp1251",
    ];
    tabia(&folder, &args).expect(0);
    let rows = tabia(&folder, &["ls", "east.cbh"]).out;
    for verb in [&["append"][..], &["convert", "--append"]] {
        let args = [verb, &["games.pgn", "-o", "east.cbh"]].concat();
        let run = tabia(&folder, &[&args[..], &["--strict"]].concat()).expect(4);
        assert!(run.err.contains("first in game"), "{}", run.err);
        assert_eq!(tabia(&folder, &["ls", "east.cbh"]).out, rows);
        let commands = [
            &[
                "convert",
                "east.cbh",
                "-o",
                "utf8-east.cbh",
                "--to-encoding",
                "utf-8",
            ][..],
            &["append", "games.pgn", "-o", "utf8-east.cbh"],
        ];
        for command in commands {
            let quoted = format!("`tabia {}`", command.join(" "));
            assert!(run.err.contains(&quoted), "{quoted}: {}", run.err);
        }
    }
    for command in [
        &[
            "convert",
            "east.cbh",
            "-o",
            "utf8-east.cbh",
            "--to-encoding",
            "utf-8",
        ][..],
        &["append", "games.pgn", "-o", "utf8-east.cbh", "--strict"],
    ] {
        tabia(&folder, command).expect(0);
    }
    tabia(&folder, &["append", "games.pgn", "-o", "east.cbh"]).expect(0);
}

/// Files of DOS are read and written in its character sets.
#[test]
fn character_sets_of_dos_are_read_and_written() {
    let folder = with_games("dos-encoding");
    // ü and ñ are the same byte in both sets, the byte 0x9d is Ø in one of them.
    let game = b"[White \"M\x81ller\"]\n[Black \"N\xa4\x9d\"]\n\n1. e4 {sch\x94n} *\n\n";
    std::fs::write(folder.join("dos.pgn"), game).unwrap();
    for (encoding, black) in [("cp850", "NñØ"), ("cp437", "Nñ¥"), ("IBM850", "NñØ")] {
        let names = tabia(&folder, &["ls", "dos.pgn", "--encoding", encoding]).expect(0);
        assert!(
            names.out.contains("Müller") && names.out.contains(black),
            "{}",
            names.out
        );
        assert!(!names.err.contains("no character"), "{}", names.err);
        let args = [
            "convert",
            "dos.pgn",
            "--encoding",
            encoding,
            "--to-encoding",
            encoding,
        ];
        tabia(
            &folder,
            &[&args[..], &["-o", "again.pgn", "--force"]].concat(),
        )
        .expect(0);
        let again = std::fs::read(folder.join("again.pgn")).unwrap();
        for part in [&b"\"M\x81ller\""[..], b"\"N\xa4\x9d\"", b"{sch\x94n}"] {
            assert!(
                again.windows(part.len()).any(|bytes| bytes == part),
                "{encoding}"
            );
        }
    }
    // What the set lacks is counted.
    let args = [
        "convert",
        "dos.pgn",
        "--encoding",
        "cp850",
        "--to-encoding",
        "cp437",
        "-o",
        "-",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(
        run.err.contains("characters that the target lacks"),
        "{}",
        run.err
    );
    // Formats of Windows have none of them.
    let args = [
        "convert",
        "dos.pgn",
        "-o",
        "new.cbh",
        "--to-encoding",
        "cp850",
    ];
    let run = tabia(&folder, &args).expect(2);
    assert!(
        run.err.contains("character set of Windows, not in IBM850"),
        "{}",
        run.err
    );
    assert!(!folder.join("new.cbh").exists());
    tabia(&folder, &["convert", "dos.pgn", "-o", "new.cbh"]).expect(3);
    let run = tabia(&folder, &["ls", "new.cbh", "--encoding", "cp850"]).expect(4);
    assert!(run.err.contains("character set of Windows"), "{}", run.err);
}

/// Every format counts the texts that have such characters.
#[test]
fn texts_with_characters_outside_the_set_are_counted() {
    let folder = Scratch::new("counted-characters");
    let game = "[White \"Иванов, Пётр\"]\n[Black \"Müller\"]\n[Annotator \"Тал\"]\n\n\
        1. e4 {хорошо} e5 {é} 2. Nf3 {так, и так} *\n\n";
    std::fs::write(folder.join("games.pgn"), game.repeat(2)).unwrap();
    for target in ["out.pgn", "out.cbh"] {
        let args = [
            "convert",
            "games.pgn",
            "-o",
            target,
            "--to-encoding",
            "cp1252",
        ];
        let report = [&args[..], &["--report", "r.json", "--force"]].concat();
        let run = tabia(&folder, &report).expect(0);
        let text = "texts with characters that the target lacks";
        assert!(run.err.contains(text), "{target}: {}", run.err);
        let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let losses = report["summary"]["losses"].as_array().unwrap();
        let characters = losses.iter().find(|loss| loss["kind"] == "characters");
        // A database has two fields for the name of a player.
        let expected = if target == "out.pgn" { 8 } else { 10 };
        assert_eq!(characters.unwrap()["count"], expected, "{target}: {report}");
    }
}

#[test]
fn the_character_set_that_a_text_is_read_in_is_stated() {
    let folder = Scratch::new("assumed-set");
    let text = b"[White \"\xcf\xe5\xf2\xf0\xee\xe2\"]\n\n1. e4 *\n";
    std::fs::write(folder.join("east.pgn"), text).unwrap();
    std::fs::write(
        folder.join("west.pgn"),
        b"[White \"M\xfcller\"]\n\n1. e4 *\n",
    )
    .unwrap();
    std::fs::write(folder.join("utf8.pgn"), "[White \"Müller\"]\n\n1. e4 *\n").unwrap();
    let note = |set: &str, name: &str| {
        format!(
            "texts that are not UTF-8 are read as {set}, `--encoding` names another set: {name}\n"
        )
    };
    for args in [
        &["check", "east.pgn", "west.pgn", "utf8.pgn"][..],
        &[
            "convert", "east.pgn", "west.pgn", "utf8.pgn", "-o", "all.pgn",
        ],
    ] {
        let run = tabia(&folder, args).expect(0);
        for text in [
            note("windows-1251", "east.pgn"),
            note("windows-1252", "west.pgn"),
        ] {
            assert!(run.err.contains(&text), "{}", run.err);
        }
        assert!(!run.err.contains("utf8.pgn"), "{}", run.err);
    }
    let args = ["check", "east.pgn", "--encoding", "cp1251"];
    let run = tabia(&folder, &args).expect(0);
    assert!(!run.err.contains("UTF-8"), "{}", run.err);
    let info = tabia(&folder, &["info", "east.pgn", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["encoding"], "UTF-8, windows-1251 where invalid");
}
