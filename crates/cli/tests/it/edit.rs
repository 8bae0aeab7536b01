use crate::common::{names, tabia, with_games, with_sample};

fn games(folder: &tabia_testkit::Scratch, path: &str) -> (u64, u64) {
    let run = tabia(folder, &["check", path, "--deep", "--json"]).expect(0);
    let entry = &run.json()[0];
    let number = |key: &str| entry[key].as_u64().unwrap();
    (number("games"), number("deleted"))
}

#[test]
fn games_are_appended() {
    let folder = with_sample("append");
    std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
    let (before, _) = games(&folder, "mega.cbh");
    let files = names(&folder);
    let args = ["convert", "games.pgn", "-o", "mega.cbh", "--append"];
    tabia(&folder, &args).expect(0);
    assert_eq!(games(&folder, "mega.cbh").0, before + 3);
    assert_eq!(names(&folder), files);
    // Not to what is not there, nor to what is no database.
    let args = ["convert", "games.pgn", "-o", "none.cbh", "--append"];
    assert!(tabia(&folder, &args).expect(5).err.contains("none.cbh"));
    let args = ["convert", "games.pgn", "-o", "games.pgn", "--append"];
    tabia(&folder, &args).expect(2);
    let args = ["convert", "games.pgn", "--append"];
    tabia(&folder, &args).expect(2);
    assert_eq!(names(&folder), files);
}

#[test]
fn records_are_deleted_replaced_and_packed() {
    let folder = with_games("edit");
    tabia(&folder, &["convert", "games.pgn", "-o", "a.cbh"]).expect(0);
    let args = ["edit", "a.cbh", "-o", "b.cbh", "--delete", "1,3-"];
    let run = tabia(&folder, &args).expect(0);
    assert!(
        run.err.contains("2 changed: 3 records in b.cbh"),
        "{}",
        run.err
    );
    assert_eq!(games(&folder, "b.cbh"), (3, 2));
    assert_eq!(games(&folder, "a.cbh"), (3, 0));
    let args = ["edit", "b.cbh", "-o", "b2.cbh", "--restore", "3"];
    tabia(&folder, &args).expect(0);
    tabia(&folder, &args).expect(5);
    let args = ["edit", "b.cbh", "-o", "b2.cbh", "--restore", "3", "--force"];
    tabia(&folder, &args).expect(0);
    assert_eq!(games(&folder, "b2.cbh"), (3, 1));
    let args = [
        "edit",
        "b2.cbh",
        "-o",
        "c.cbh",
        "--replace",
        "2",
        "--with",
        "games.pgn",
    ];
    tabia(&folder, &args).expect(0);
    let shown = tabia(&folder, &["show", "c.cbh", "--game", "2"]).expect(0);
    assert!(shown.out.contains("Carlsen"), "{}", shown.out);
    tabia(&folder, &["edit", "c.cbh", "-o", "d.cbh", "--pack"]).expect(0);
    assert_eq!(games(&folder, "d.cbh"), (2, 0));
    for wrong in [
        &["edit", "c.cbh", "-o", "e.cbh"][..],
        &["edit", "c.cbh", "-o", "e.cbh", "--delete", "4"],
        &[
            "edit",
            "c.cbh",
            "-o",
            "e.cbh",
            "--replace",
            "9",
            "--with",
            "games.pgn",
        ],
        &["edit", "c.cbh", "-o", "e.cbh", "--pack", "--delete", "1"],
        &["edit", "games.pgn", "-o", "e.cbh", "--pack"],
    ] {
        tabia(&folder, wrong).expect(2);
    }
    tabia(&folder, &["edit", "none.cbh", "-o", "e.cbh", "--pack"]).expect(4);
    for change in [&["--pack"][..], &["--delete", "1"]] {
        for target in ["d.cbh", "./d.cbh", "d.cbg"] {
            let args = [&["edit", "d.cbh", "-o", target, "--force"], change].concat();
            let run = tabia(&folder, &args).expect(2);
            assert!(run.err.contains("input and output"), "{}", run.err);
        }
    }
    assert_eq!(games(&folder, "d.cbh"), (2, 0));
    assert!(!folder.join("e.cbh").exists());
}

/// Marks are those of the record, whichever game it has.
#[test]
fn replaced_records_keep_their_marks() {
    let folder = with_games("edit-replaced-marks");
    tabia(&folder, &["convert", "games.pgn", "-o", "a.cbh"]).expect(0);
    std::fs::write(
        folder.join("new.pgn"),
        "[White \"New\"]\n[Black \"Newer\"]\n\n1. h4 *\n",
    )
    .unwrap();
    let edit = |from: &str, to: &str, options: &[&str]| {
        let edit = [
            "edit",
            from,
            "-o",
            to,
            "--replace",
            "1",
            "--with",
            "new.pgn",
        ];
        tabia(&folder, &[&edit[..], options].concat()).expect(0);
        games(&folder, to)
    };
    let (_, deleted) = edit("a.cbh", "b.cbh", &["--delete", "1"]);
    assert_eq!(deleted, 1);
    let (_, deleted) = edit("b.cbh", "c.cbh", &[]);
    assert_eq!(deleted, 1);
    let (_, deleted) = edit("c.cbh", "d.cbh", &["--restore", "1"]);
    assert_eq!(deleted, 0);
}

#[test]
fn one_record_is_not_deleted_and_restored() {
    let folder = with_games("edit-contradiction");
    tabia(&folder, &["convert", "games.pgn", "-o", "a.cbh"]).expect(0);
    for (delete, restore, code) in [
        ("1", "1", 2),
        ("1-2", "2,3", 2),
        ("3", "1-", 2),
        ("1,3", "2", 0),
    ] {
        let args = [
            "edit",
            "a.cbh",
            "-o",
            "b.cbh",
            "--delete",
            delete,
            "--restore",
            restore,
        ];
        let run = tabia(&folder, &args).expect(code);
        assert_eq!(
            run.err.contains("both name record"),
            code == 2,
            "{}",
            run.err
        );
        assert_eq!(folder.join("b.cbh").exists(), code == 0);
    }
}

#[test]
fn damaged_databases_are_not_changed() {
    let cuts: [(&str, u64); 4] = [("cbp", 400), ("cbt", 330), ("cbh", 230), ("cbg", 200)];
    for (extension, length) in cuts {
        let folder = with_sample("damaged");
        std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
        let path = folder.join("mega.cbh").with_extension(extension);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        assert!(file.metadata().unwrap().len() > length);
        file.set_len(length).unwrap();
        let contents = || -> Vec<Vec<u8>> {
            let names = names(&folder).into_iter();
            names
                .map(|name| std::fs::read(folder.join(&name)).unwrap())
                .collect()
        };
        let before = contents();
        for args in [
            &["convert", "games.pgn", "-o", "mega.cbh", "--append"][..],
            &["edit", "mega.cbh", "-o", "new.cbh", "--delete", "1"],
            &["edit", "mega.cbh", "-o", "new.cbh", "--pack"],
        ] {
            let run = tabia(&folder, args).expect(4);
            assert!(run.err.contains("tabia repair"), "{args:?}: {}", run.err);
            assert!(contents() == before, "{args:?} changed a file");
        }
    }
}

/// A record size that no file justifies.
#[test]
fn sizes_of_records_are_not_believed() {
    let folder = with_sample("record-size");
    std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
    let path = folder.join("mega.cbj");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4..8].copy_from_slice(&[0, 0, 0, 8]);
    std::fs::write(&path, bytes).unwrap();
    let run = tabia(&folder, &["check", "mega.cbh"]).expect(3);
    assert!(run.err.contains("mega.cbj"), "{}", run.err);
    for args in [
        &["convert", "games.pgn", "-o", "mega.cbh", "--append"][..],
        &["edit", "mega.cbh", "-o", "new.cbh", "--delete", "1"],
    ] {
        tabia(&folder, args).expect(4);
        assert!(!folder.join("new.cbj").exists());
    }
}

/// A copy of damaged games is damaged: exit code 3, unless the change is what mends it.
#[test]
fn damaged_games_that_are_copied_are_problems() {
    let folder = with_sample("edit-damaged");
    let mut moves = std::fs::read(folder.join("mega.cbg")).unwrap();
    for byte in moves.iter_mut().skip(60).take(60) {
        *byte ^= 0x33;
    }
    std::fs::write(folder.join("mega.cbg"), moves).unwrap();
    std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
    let checked = tabia(&folder, &["check", "mega.cbh", "--json"]).expect(3);
    assert_eq!(checked.json()[0]["problems"], 1);
    let edit = |rest: &[&str]| {
        let args = ["edit", "mega.cbh", "-o", "copy.cbh", "--force"];
        tabia(&folder, &[&args, rest].concat())
    };
    let run = edit(&["--delete", "3"]).expect(3);
    assert!(run.err.contains("mega.cbg: game 1"), "{}", run.err);
    edit(&["--pack"]).expect(3);
    edit(&["--replace", "1", "--with", "games.pgn"]).expect(0);
    tabia(&folder, &["check", "copy.cbh"]).expect(0);
    // What cannot be read of the new game is one, too.
    std::fs::write(folder.join("bad.pgn"), "[Result \"*\"]\n\n1. e4 Ke4 *\n").unwrap();
    edit(&["--replace", "1", "--with", "bad.pgn"]).expect(3);
    // A deleted record is not packed.
    edit(&["--delete", "1"]).expect(3);
    let args = ["edit", "copy.cbh", "-o", "packed.cbh", "--pack"];
    tabia(&folder, &args).expect(0);
}

#[test]
fn what_is_set_to_what_it_is_does_not_count_as_changed() {
    let folder = with_games("edit-same");
    tabia(&folder, &["convert", "games.pgn", "-o", "a.cbh"]).expect(0);
    let edit = |from: &str, to: &str, options: &[&str]| {
        let args = [&["edit", from, "-o", to], options].concat();
        tabia(&folder, &args).expect(0).err
    };
    let changed = |count: u32, to: &str| format!("{count} changed: 3 records in {to}");
    let err = edit("a.cbh", "b.cbh", &["--delete", "1-2"]);
    assert!(err.contains(&changed(2, "b.cbh")), "{err}");
    let err = edit("b.cbh", "c.cbh", &["--delete", "1-"]);
    assert!(err.contains(&changed(1, "c.cbh")), "{err}");
    let err = edit("b.cbh", "d.cbh", &["--restore", "3"]);
    assert!(err.contains(&changed(0, "d.cbh")), "{err}");
    let err = edit("b.cbh", "e.cbh", &["--delete", "1", "--restore", "3"]);
    assert!(err.contains(&changed(0, "e.cbh")), "{err}");
    let show = ["show", "a.cbh", "--game", "2", "--profile", "full"];
    let game = tabia(&folder, &show).expect(0).out;
    std::fs::write(folder.join("game.pgn"), &game).unwrap();
    let replace = ["--replace", "2", "--with", "game.pgn"];
    let err = edit("a.cbh", "f.cbh", &replace);
    assert!(err.contains(&changed(0, "f.cbh")), "{err}");
    std::fs::write(
        folder.join("game.pgn"),
        game.replace("[White \"", "[White \"Zzz, "),
    )
    .unwrap();
    let err = edit("a.cbh", "g.cbh", &replace);
    assert!(err.contains(&changed(1, "g.cbh")), "{err}");
}

#[test]
fn a_changed_copy_has_the_name_of_its_format() {
    let folder = with_sample("edit-names");
    for (output, hint) in [
        (
            "lesson.pgn",
            "`-o lesson.cbh`, then `tabia convert lesson.cbh -o lesson.pgn`",
        ),
        (
            "lesson.2cbh",
            "then `tabia convert lesson.cbh -o lesson.2cbh`",
        ),
        ("lesson", "`-o lesson.cbh`"),
    ] {
        let args = ["edit", "mega.cbh", "-o", output, "--delete", "2"];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains(hint), "{}", run.err);
        assert!(!folder.join(output).exists());
    }
}
