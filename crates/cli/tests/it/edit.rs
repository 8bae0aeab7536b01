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
    let args = ["edit", "b.cbh", "-o", "b.cbh", "--restore", "3"];
    tabia(&folder, &args).expect(5);
    let args = ["edit", "b.cbh", "-o", "b.cbh", "--restore", "3", "--force"];
    tabia(&folder, &args).expect(0);
    assert_eq!(games(&folder, "b.cbh"), (3, 1));
    let args = [
        "edit",
        "b.cbh",
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
    let args = ["edit", "d.cbh", "-o", "d.cbh", "--pack", "--force"];
    tabia(&folder, &args).expect(5);
    assert!(!folder.join("e.cbh").exists());
}
