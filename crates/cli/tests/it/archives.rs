use crate::common::{GAMES, tabia, with_games, with_sample};

#[test]
fn archive_members_are_inputs() {
    let folder = with_games("members");
    std::fs::write(folder.join("two.pgn"), GAMES.replace("Carlsen", "Karlsen")).unwrap();
    for archive in ["all.zip", "all.scv"] {
        tabia(
            &folder,
            &["archive", "create", archive, "games.pgn", "two.pgn"],
        )
        .expect(0);
        let member = format!("{archive}:two.pgn");
        let run = tabia(&folder, &["ls", &member, "--limit", "1"]).expect(0);
        assert!(
            run.out.contains("Karlsen, Magnus"),
            "{archive}: {}",
            run.out
        );
        let all = tabia(&folder, &["ls", archive, "--ndjson"]).expect(0);
        assert_eq!(all.out.lines().count(), 6, "{archive}");
        let missing = format!("{archive}:three.pgn");
        let run = tabia(&folder, &["ls", &missing]).expect(4);
        assert!(run.err.contains("three.pgn"), "{}", run.err);
        let info = tabia(&folder, &["info", archive, "--json"])
            .expect(0)
            .json();
        assert_eq!(info[0]["kind"], "archive");
        assert_eq!(info[0]["games"], 6);
        assert_eq!(info[0]["databases"][1]["path"], member);
    }
}

#[test]
fn archived_databases_are_read_without_unpacking() {
    let folder = with_sample("inside");
    let mut args: Vec<String> = ["archive", "create", "mega.cbv"]
        .map(str::to_owned)
        .to_vec();
    args.extend(folder.names());
    tabia(&folder, &args).expect(0);
    let outside = tabia(&folder, &["convert", "mega.cbh", "--profile", "full", "-q"]).expect(0);
    for input in [
        "mega.cbv",
        "mega.cbv:mega.cbh",
        "mega.cbv:mega",
        "mega.cbv:mega.cbg",
    ] {
        let inside = tabia(&folder, &["convert", input, "--profile", "full", "-q"]).expect(0);
        assert_eq!(inside.out, outside.out, "{input}");
    }
    tabia(&folder, &["check", "mega.cbv"]).expect(0);
}

#[test]
fn archives_are_listed_extracted_and_tested() {
    let folder = with_games("list");
    tabia(&folder, &["archive", "create", "a.zip", "games.pgn"]).expect(0);
    let list = tabia(&folder, &["archive", "list", "a.zip", "--json"])
        .expect(0)
        .json();
    let member = &list[0];
    assert_eq!(member["name"], "games.pgn");
    assert_eq!(member["size"], GAMES.len());
    assert_eq!(member["checksum"], "ok");
    for key in ["stored", "compression", "modified", "uri"] {
        assert!(member.get(key).is_some(), "{key}");
    }
    tabia(&folder, &["archive", "test", "a.zip"]).expect(0);
    tabia(&folder, &["archive", "extract", "a.zip", "-d", "out"]).expect(0);
    assert_eq!(
        std::fs::read_to_string(folder.join("out/games.pgn")).unwrap(),
        GAMES
    );
    tabia(
        &folder,
        &["archive", "extract", "a.zip", "games.pgn", "-d", "out"],
    )
    .expect(5);
    tabia(
        &folder,
        &["archive", "extract", "a.zip", "-d", "out", "--force"],
    )
    .expect(0);
    tabia(
        &folder,
        &["archive", "extract", "a.zip", "other", "-d", "out"],
    )
    .expect(4);
    tabia(&folder, &["archive", "create", "a.zip", "games.pgn"]).expect(5);
    tabia(&folder, &["archive", "list", "games.pgn"]).expect(4);
    tabia(&folder, &["archive", "create", "a.rar", "games.pgn"]).expect(2);
}

#[test]
fn bad_checksums_are_reported() {
    let folder = with_games("bad-checksum");
    tabia(&folder, &["archive", "create", "a.zip", "games.pgn"]).expect(0);
    let mut bytes = std::fs::read(folder.join("a.zip")).unwrap();
    // Inside the packed data, after the local header.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(folder.join("b.zip"), bytes).unwrap();
    let run = tabia(&folder, &["archive", "list", "b.zip", "--json"]).expect(3);
    assert_eq!(run.json()[0]["checksum"], "bad");
    tabia(&folder, &["archive", "test", "b.zip"]).expect(3);
    tabia(&folder, &["check", "b.zip"]).expect(3);
}

#[test]
fn encrypted_archives_need_a_password() {
    let folder = with_sample("password");
    let mut args: Vec<String> = ["archive", "create", "m.cbz", "--password", "secret"]
        .map(str::to_owned)
        .to_vec();
    args.extend(folder.names());
    tabia(&folder, &args).expect(0);
    let run = tabia(&folder, &["ls", "m.cbz"]).expect(4);
    assert!(
        run.err.contains("hint: give it with `--password"),
        "{}",
        run.err
    );
    tabia(&folder, &["ls", "m.cbz", "--password", "wrong"]).expect(4);
    tabia(&folder, &["ls", "m.cbz", "--password", "secret"]).expect(0);
}

#[test]
fn main_files_bring_their_companions() {
    let folder = with_sample("pack-set");
    std::fs::write(folder.join("mega.txt"), "no part of it").unwrap();
    let names = |archive: &str| -> Vec<String> {
        let list = tabia(&folder, &["archive", "list", archive, "--json"]).expect(0);
        let list = list.json();
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    tabia(&folder, &["archive", "create", "a.cbv", "mega.cbh"]).expect(0);
    let packed = names("a.cbv");
    assert_eq!(packed[0], "mega.cbh");
    assert!(packed.len() > 8, "{packed:?}");
    let of_set = |name: &String| name.starts_with("mega.") && name != "mega.txt";
    assert!(packed.iter().all(of_set), "{packed:?}");
    // What is named too is there once.
    let args = [
        "archive", "create", "b.zip", "mega.cba", "mega.cbh", "mega.txt",
    ];
    tabia(&folder, &args).expect(0);
    let again = names("b.zip");
    assert_eq!(again[..2], ["mega.cba", "mega.cbh"]);
    assert_eq!(again.len(), packed.len() + 1);
    for archive in ["a.cbv", "b.zip"] {
        let games = |input: &str| tabia(&folder, &["convert", input]).expect(0).out;
        assert!(games(archive) == games("mega.cbh"), "{archive}");
    }
}
