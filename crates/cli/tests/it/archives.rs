use tabia_testkit::Scratch;

use crate::common::{GAMES, Run, many_games, tabia, tabia_with_input, with_games, with_sample};

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

#[cfg(unix)]
#[test]
fn linked_files_are_packed_and_what_is_left_out_is_named() {
    use std::os::unix::fs::symlink;
    let folder = with_sample("pack-links");
    std::fs::create_dir(folder.join("in")).unwrap();
    std::fs::write(folder.join("out.pgn"), GAMES).unwrap();
    symlink("../out.pgn", folder.join("in/b.pgn")).unwrap();
    for archive in ["in.zip", "in.scv"] {
        let run = tabia(&folder, &["archive", "create", archive, "in"]).expect(0);
        assert!(run.err.contains("1 file in"), "{}", run.err);
        let member = format!("{archive}:in/b.pgn");
        let run = tabia(&folder, &["convert", &member, "-q"]).expect(0);
        assert_eq!(
            run.out,
            tabia(&folder, &["convert", "in", "-q"]).expect(0).out
        );
    }
    symlink("../out.pgn", folder.join("in/secret")).unwrap();
    symlink("..", folder.join("in/folder")).unwrap();
    symlink("nothing", folder.join("in/dangling")).unwrap();
    let run = tabia(&folder, &["archive", "create", "rest.zip", "in"]).expect(3);
    for name in [
        "in/secret: a link to a file",
        "in/folder: a link to a folder",
        "in/dangling: the link",
    ] {
        assert!(run.err.contains(name), "{name} {}", run.err);
    }
    // A link has its own name, and its companions have it too.
    std::fs::create_dir_all(folder.join("p")).unwrap();
    std::fs::create_dir_all(folder.join("q")).unwrap();
    std::fs::write(folder.join("p/x.pgn"), GAMES).unwrap();
    std::fs::write(folder.join("q/x.pgn"), GAMES).unwrap();
    symlink("p/x.pgn", folder.join("one.pgn")).unwrap();
    symlink("q/x.pgn", folder.join("two.pgn")).unwrap();
    tabia(
        &folder,
        &["archive", "create", "two.zip", "one.pgn", "two.pgn"],
    )
    .expect(0);
    let names = |archive: &str| -> Vec<String> {
        let list = tabia(&folder, &["archive", "list", archive, "--tsv"]).expect(0);
        let rows = list.out.lines().skip(1);
        rows.map(|row| row.split('\t').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("two.zip"), ["one.pgn", "two.pgn"]);
    symlink("mega.cbh", folder.join("link.cbh")).unwrap();
    std::fs::write(folder.join("mega.cko"), "keys").unwrap();
    std::fs::write(folder.join("mega.cit"), "made by other programs").unwrap();
    tabia(&folder, &["archive", "create", "set.zip", "link.cbh"]).expect(0);
    let names = names("set.zip");
    assert!(
        names.iter().all(|name| name.starts_with("link.")),
        "{names:?}"
    );
    let has = |name: &str| names.iter().any(|other| other == name);
    assert!(
        has("link.cbg") && has("link.cko") && !has("link.cit"),
        "{names:?}"
    );
}

#[cfg(unix)]
#[test]
fn all_names_that_an_archive_cannot_have_are_named() {
    let folder = with_games("pack-names");
    std::fs::create_dir(folder.join("f")).unwrap();
    for name in ["col:on.pgn", "nul.pgn", "trail.pgn ", "good.pgn"] {
        std::fs::write(folder.join("f").join(name), GAMES).unwrap();
    }
    let run = tabia(&folder, &["archive", "create", "f.zip", "f"]).expect(5);
    assert!(run.err.contains("contains a colon"), "{}", run.err);
    assert!(
        run.err
            .contains("; the same for `f/nul.pgn`, `f/trail.pgn `"),
        "{}",
        run.err
    );
    assert!(!folder.join("f.zip").exists());
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
    tabia(&folder, &["archive", "list", "games.pgn"]).expect(2);
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
        run.err
            .contains("needs a password\nhint: `--password TEXT`"),
        "{}",
        run.err
    );
    let run = tabia(&folder, &["ls", "m.cbz", "--password", "wrong"]).expect(4);
    assert!(run.err.contains("not its password"), "{}", run.err);
    assert!(run.err.contains("hint: capitals"), "{}", run.err);
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

/// A ChessBase archive of the sample, cut off in the data of its second member.
fn cut_cbv(folder: &Scratch) -> Vec<u8> {
    let whole = std::fs::read(folder.join("mega.cbv")).unwrap();
    whole[..3000].to_vec()
}

#[test]
fn members_of_a_cut_archive_are_not_ok() {
    let folder = with_sample("cut-members");
    tabia(&folder, &["archive", "create", "mega.cbv", "mega.cbh"]).expect(0);
    std::fs::write(folder.join("cut.cbv"), cut_cbv(&folder)).unwrap();
    for verb in ["list", "test"] {
        let run = tabia(&folder, &["archive", verb, "cut.cbv", "--json"]).expect(3);
        let rows = run.json();
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), 12);
        assert_eq!(rows[0]["checksum"], "ok");
        assert_eq!(rows[1]["checksum"], "bad", "{verb}");
        assert!(
            rows[2..].iter().all(|row| row["checksum"] == "missing"),
            "{verb}"
        );
        // One problem for the damaged member, one for all that are missing.
        assert_eq!(run.err.matches("warning: ").count(), 2, "{}", run.err);
        let hint = "hint: `tabia repair cut.cbv -o saved-cut` saves";
        assert!(run.err.contains(hint), "{}", run.err);
        assert!(run.err.contains("of 12 members are missing"), "{}", run.err);
        assert!(
            run.err.contains("mega.cbg: the data ends too early"),
            "{}",
            run.err
        );
        if verb == "list" {
            assert_ne!(rows[1]["compression"], "unknown");
            assert_eq!(rows[11]["compression"], "unknown");
        }
    }
    tabia(&folder, &["check", "cut.cbv"]).expect(3);
}

#[test]
fn damaged_members_replace_no_file() {
    let folder = with_sample("keep-good");
    tabia(&folder, &["archive", "create", "mega.cbv", "mega.cbh"]).expect(0);
    let extract = |archive: &str, to: &str| {
        tabia(
            &folder,
            &["archive", "extract", archive, "-d", to, "--force"],
        )
    };
    extract("mega.cbv", "good").expect(0);
    std::fs::write(folder.join("good/mega.cbh"), b"older").unwrap();
    std::fs::write(folder.join("cut.cbv"), cut_cbv(&folder)).unwrap();
    let run = extract("cut.cbv", "good").expect(3);
    // Not even the members that are intact: they do not fit the others.
    assert_eq!(
        std::fs::read(folder.join("good/mega.cbh")).unwrap(),
        b"older"
    );
    for name in ["mega.cbg", "mega.cba", "mega.cbl"] {
        let kept = std::fs::read(folder.join("good").join(name)).unwrap();
        assert!(kept == std::fs::read(folder.join(name)).unwrap(), "{name}");
    }
    assert!(run.err.contains("stay as they are"), "{}", run.err);
    // Elsewhere what survives is written, and nothing of what does not.
    extract("cut.cbv", "new").expect(3);
    let mut names: Vec<_> = std::fs::read_dir(folder.join("new"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["mega.cbh"]);
    extract("mega.cbv", "good").expect(0);
    assert!(std::fs::read(folder.join("good/mega.cbh")).unwrap().len() > 5);
}

#[test]
fn hidden_and_private_names_are_not_extracted() {
    let folder = with_games("hidden-names");
    std::fs::create_dir_all(folder.join("in/__MACOSX")).unwrap();
    for name in [".bashrc", "a.pgn", ".DS_Store", "__MACOSX/._a.pgn"] {
        std::fs::write(folder.join("in").join(name), "x").unwrap();
    }
    tabia(&folder, &["archive", "create", "all.zip", "in"]).expect(0);
    let run = tabia(&folder, &["archive", "extract", "all.zip", "-d", "out"]).expect(3);
    assert!(run.err.contains("in/.bashrc; `--hidden`"), "{}", run.err);
    assert!(run.err.contains("2 files of macOS"), "{}", run.err);
    assert!(folder.join("out/in/a.pgn").exists());
    assert!(!folder.join("out/in/.bashrc").exists());
    let args = ["archive", "extract", "all.zip", "in/.bashrc", "-d", "out"];
    tabia(&folder, &args).expect(0);
    assert!(folder.join("out/in/.bashrc").exists());
    let args = ["archive", "extract", "all.zip", "-d", "all", "--hidden"];
    tabia(&folder, &args).expect(0);
    assert!(folder.join("all/in/__MACOSX/._a.pgn").exists());
    // Journals of replacements have a meaning in every folder.
    std::fs::write(folder.join("in/.games.pgn.replaced"), "x").unwrap();
    tabia(&folder, &["archive", "create", "own.zip", "in"]).expect(0);
    let run = tabia(&folder, &["archive", "list", "own.zip"]).expect(0);
    assert!(
        run.out.contains(".bashrc") && !run.out.contains(".replaced"),
        "{}",
        run.out
    );
    let journal = ["archive", "create", "one.zip", "in/.games.pgn.replaced"];
    let run = tabia(&folder, &journal).expect(5);
    assert!(run.err.contains("of its own"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn links_in_the_target_do_not_lead_out_of_it() {
    use std::os::unix::fs::symlink;
    let folder = with_games("links-out");
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("sub/games.pgn")).unwrap();
    tabia(&folder, &["archive", "create", "a.zip", "sub"]).expect(0);
    std::fs::create_dir_all(folder.join("out")).unwrap();
    std::fs::create_dir_all(folder.join("elsewhere")).unwrap();
    symlink(folder.join("elsewhere"), folder.join("out/sub")).unwrap();
    let args = ["archive", "extract", "a.zip", "-d", "out", "--force"];
    let run = tabia(&folder, &args).expect(3);
    assert!(run.err.contains("leads out of the folder"), "{}", run.err);
    assert!(!folder.join("elsewhere/games.pgn").exists());
    // A link that stays inside is followed.
    std::fs::remove_file(folder.join("out/sub")).unwrap();
    std::fs::create_dir_all(folder.join("out/real")).unwrap();
    symlink("real", folder.join("out/sub")).unwrap();
    tabia(&folder, &args).expect(0);
    assert!(folder.join("out/real/games.pgn").exists());
    // The file itself is a link, also one to nothing.
    std::fs::remove_file(folder.join("out/real/games.pgn")).unwrap();
    symlink(
        folder.join("elsewhere/x.pgn"),
        folder.join("out/real/games.pgn"),
    )
    .unwrap();
    tabia(&folder, &args).expect(3);
    assert!(!folder.join("elsewhere/x.pgn").exists());
}

#[test]
fn the_limit_of_unpacking_can_be_raised() {
    let folder = with_games("unpack-limit");
    // 70 MB of equal bytes, far beyond 250 times their packed size.
    std::fs::write(folder.join("zeros.pgn"), vec![b' '; 70 << 20]).unwrap();
    tabia(
        &folder,
        &["archive", "create", "a.zip", "zeros.pgn", "games.pgn"],
    )
    .expect(0);
    std::fs::remove_file(folder.join("zeros.pgn")).unwrap();
    let extract = |args: &[&str]| {
        let all = [
            &["archive", "extract", "a.zip", "-d", "out", "--force"],
            args,
        ]
        .concat();
        tabia(&folder, &all)
    };
    let run = extract(&["games.pgn"]).expect(0);
    assert!(!run.err.contains("--max-unpacked"), "{}", run.err);
    let run = extract(&[]).expect(3);
    assert!(
        run.err.contains("exceeds the limit of 67,108,864"),
        "{}",
        run.err
    );
    assert!(run.err.contains("--max-unpacked"), "{}", run.err);
    extract(&["--max-unpacked", "1G"]).expect(0);
    assert_eq!(
        std::fs::metadata(folder.join("out/zeros.pgn"))
            .unwrap()
            .len(),
        70 << 20
    );
}

#[test]
fn archives_in_archives_are_read_one_level_down() {
    let folder = with_sample("nested");
    std::fs::write(folder.join("a.pgn"), GAMES).unwrap();
    tabia(&folder, &["archive", "create", "mega.cbv", "mega.cbh"]).expect(0);
    std::fs::write(folder.join("cut.cbv"), cut_cbv(&folder)).unwrap();
    tabia(
        &folder,
        &["archive", "create", "nest.zip", "a.pgn", "mega.cbv"],
    )
    .expect(0);
    let paths = |run: &Run| -> Vec<String> {
        let rows = run.json();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let check = tabia(&folder, &["check", "nest.zip", "--json"]).expect(0);
    let expected = [
        "nest.zip",
        "nest.zip:a.pgn",
        "nest.zip:mega.cbv",
        "nest.zip:mega.cbv:mega.cbh",
    ];
    assert_eq!(paths(&check), expected);
    let games = |input: &str| {
        let run = tabia(&folder, &["ls", input, "--ndjson"]).expect(0);
        run.out.lines().count()
    };
    assert_eq!(games("nest.zip"), games("a.pgn") + games("mega.cbh"));
    // Two databases have games of the same numbers.
    for (verb, query) in [("ls", &[][..]), ("search", &["plies:>=0"]), ("eco", &[])] {
        let rows = |archive| {
            tabia(&folder, &[&[verb, archive], query].concat())
                .expect(0)
                .out
        };
        let several = rows("nest.zip");
        let ends = |run: &str, path: &str| run.lines().any(|line| line.ends_with(path));
        assert!(ends(&several, "\tpath"), "{verb}: {several}");
        assert!(ends(&several, "\tnest.zip:a.pgn"), "{verb}: {several}");
        assert!(
            ends(&several, "\tnest.zip:mega.cbv:mega.cbh"),
            "{verb}: {several}"
        );
        let one = rows("mega.cbv");
        assert!(!ends(&one, "\tpath"), "{verb}: {one}");
    }
    let info = tabia(&folder, &["info", "nest.zip", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["databases"][1]["databases"][0]["path"], expected[3]);
    // `ls` leaves deleted games out.
    let count = |key: &str| info[0][key].as_u64().unwrap() as usize;
    assert_eq!(count("games") - count("deleted"), games("nest.zip"));

    // What cannot be opened is named; the others are read.
    std::fs::write(folder.join("bad.si5"), "no database").unwrap();
    tabia(
        &folder,
        &[
            "archive", "create", "deep.zip", "nest.zip", "bad.si5", "cut.cbv",
        ],
    )
    .expect(0);
    let check = tabia(&folder, &["check", "deep.zip", "--json"]).expect(3);
    assert!(paths(&check).contains(&"deep.zip:nest.zip:a.pgn".to_owned()));
    for verb in ["check", "ls", "info"] {
        let run = tabia(&folder, &[verb, "deep.zip"]).expect(3);
        for name in ["bad.si5", "nest.zip:mega.cbv", "cut.cbv"] {
            assert!(run.err.contains(name), "{verb} {name}: {}", run.err);
        }
    }
    // The folder for what is left has no colon in its name, and a problem names its archive once.
    std::fs::write(folder.join("cut2.cbv"), cut_cbv(&folder)).unwrap();
    let two = ["archive", "create", "two.zip", "cut2.cbv", "a.pgn"];
    tabia(&folder, &two).expect(0);
    let run = tabia(&folder, &["check", "two.zip"]).expect(3);
    let hint = "`tabia repair two.zip:cut2.cbv -o saved-cut2`";
    assert!(run.err.contains(hint), "{}", run.err);
    let run = tabia(&folder, &["info", "two.zip"]).expect(3);
    for line in run.err.lines() {
        assert!(line.matches("two.zip").count() <= 1, "{line}");
    }
    let run = tabia(&folder, &["convert", "deep.zip", "-o", "deep.pgn"]).expect(3);
    assert!(run.err.contains("nest.zip:mega.cbv"), "{}", run.err);
    let text = std::fs::read_to_string(folder.join("deep.pgn")).unwrap();
    assert!(text.contains("Carlsen"));
}

/// A companion that is there and cannot be read is not one that is missing.
#[test]
fn a_set_with_a_folder_in_the_stead_of_a_companion_is_not_packed() {
    let folder = Scratch::new("archive-folder");
    std::fs::write(folder.join("games.pgn"), "1. e4 {good} *\n").unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "db.cbh"]).expect(0);
    std::fs::remove_file(folder.join("db.cba")).unwrap();
    std::fs::create_dir(folder.join("db.cba")).unwrap();
    for archive in ["a.zip", "a.cbv"] {
        let run = tabia(&folder, &["archive", "create", archive, "db.cbh"]).expect(4);
        assert!(run.err.contains("db.cba: is a directory"), "{}", run.err);
        assert!(!folder.join(archive).exists());
    }
}

#[test]
fn archives_report_their_progress() {
    let folder = with_games("archive-progress");
    for arguments in [
        &["archive", "create", "a.zip", "games.pgn"][..],
        &["archive", "create", "a.cbv", "games.pgn"],
        &["archive", "test", "a.zip"],
        &["archive", "list", "a.zip"],
        &["archive", "extract", "a.cbv", "-d", "out"],
    ] {
        let arguments = [arguments, &["--progress", "json"]].concat();
        let run = tabia(&folder, &arguments).expect(0);
        let last = run.err.lines().rfind(|line| line.starts_with('{')).unwrap();
        assert!(last.contains("\"event\":\"done\""), "{last}");
        assert!(last.contains("\"share\":1,"), "{arguments:?}: {last}");
    }
}

/// The files of a set include the folder with the pictures that its guiding texts show, and any one of them
/// names all.
#[test]
fn a_set_is_packed_with_its_pictures_however_it_is_named() {
    let folder = with_sample("pictures");
    std::fs::create_dir(folder.join("mega.html")).unwrap();
    std::fs::write(folder.join("mega.html/board.jpg"), "a picture").unwrap();
    std::fs::create_dir(folder.join("megalith.html")).unwrap();
    std::fs::write(folder.join("megalith.html/other.jpg"), "of another set").unwrap();
    let members = |archive: &str| -> Vec<String> {
        let list = tabia(&folder, &["archive", "list", archive, "--json"])
            .expect(0)
            .json();
        let list = list.as_array().unwrap().iter();
        let mut names: Vec<String> = list
            .map(|member| member["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    for (archive, named) in [
        ("main.cbv", &["mega.cbh"][..]),
        ("games.cbv", &["mega.cbg"]),
        ("bare.cbv", &["mega"]),
        ("two.cbv", &["mega.cba", "mega.cbg"]),
        ("all.cbv", &["mega.cbh", "mega.cbg", "mega.html"]),
    ] {
        let run = tabia(&folder, &[&["archive", "create", archive], named].concat()).expect(0);
        assert!(
            run.err.starts_with("13 files in "),
            "{named:?}: {}",
            run.err
        );
        let names = members(archive);
        assert_eq!(names.len(), 13, "{named:?}: {names:?}");
        assert!(names.contains(&"mega.cbh".to_owned()), "{names:?}");
        assert!(
            names.contains(&"mega.html/board.jpg".to_owned()),
            "{names:?}"
        );
    }
}

/// ChessBase packs the files of a database without a folder.
#[test]
fn a_folder_with_one_set_is_packed_without_its_name() {
    let folder = with_sample("flat");
    let names = folder.names();
    std::fs::create_dir_all(folder.join("Set/mega.html")).unwrap();
    std::fs::write(folder.join("Set/mega.html/board.jpg"), "a picture").unwrap();
    for name in &names {
        std::fs::copy(folder.join(name), folder.join("Set").join(name)).unwrap();
    }
    for (archive, expected) in [
        ("set.cbv", ["mega.cbh", "mega.html/board.jpg"]),
        ("set.zip", ["Set/mega.cbh", "Set/mega.html/board.jpg"]),
    ] {
        tabia(&folder, &["archive", "create", archive, "Set"]).expect(0);
        let list = tabia(&folder, &["archive", "list", archive, "--json"])
            .expect(0)
            .json();
        let list = list.as_array().unwrap();
        for name in expected {
            assert!(list.iter().any(|member| member["name"] == name), "{list:?}");
        }
    }
    std::fs::copy(folder.join("mega.cbh"), folder.join("Set/second.cbh")).unwrap();
    tabia(&folder, &["archive", "create", "two.cbv", "Set"]).expect(0);
    let list = tabia(&folder, &["archive", "list", "two.cbv", "--json"]).expect(0);
    assert!(list.out.contains("Set/second.cbh"), "{}", list.out);
}

/// An archive is refused before anything is read, and nothing that is proposed replaces it.
#[test]
fn games_are_not_added_to_an_archive() {
    let folder = with_sample("grown-archive");
    tabia(&folder, &["archive", "create", "copy.cbv", "mega"]).expect(0);
    let before = std::fs::read(folder.join("copy.cbv")).unwrap();
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["append", "games.pgn", "-o", "copy.cbv"]).expect(2);
    assert!(!run.err.contains("left out"), "{}", run.err);
    for command in [
        "tabia convert copy.cbv -o copy.cbh`",
        "tabia append games.pgn -o copy.cbh`",
        "tabia archive create new-copy.cbv copy.cbh`",
    ] {
        assert!(run.err.contains(command), "{}", run.err);
        let words: Vec<&str> = command.trim_end_matches('`').split(' ').skip(1).collect();
        tabia(&folder, &words).expect(0);
    }
    assert_eq!(std::fs::read(folder.join("copy.cbv")).unwrap(), before);
    let games = |archive: &str| {
        let count = tabia(&folder, &["ls", archive, "--ndjson"]).expect(0);
        count.out.lines().count()
    };
    assert_eq!(
        games("new-copy.cbv"),
        games("copy.cbv") + games("games.pgn")
    );
}

#[test]
fn a_database_without_its_moves_is_not_packed_without_a_word() {
    let folder = with_sample("pack-incomplete");
    std::fs::remove_file(folder.join("mega.cbg")).unwrap();
    let run = tabia(&folder, &["archive", "create", "lost.cbv", "mega.cbh"]).expect(3);
    assert!(
        run.err.contains("mega.cbg is missing (moves"),
        "{}",
        run.err
    );
    assert!(folder.join("lost.cbv").exists());
}

/// An archive through a pipe has no name that could be opened again.
#[test]
fn databases_in_an_archive_through_a_pipe_are_checked() {
    let folder = Scratch::new("piped-archive");
    std::fs::write(
        folder.join("bad.pgn"),
        "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n",
    )
    .unwrap();
    std::fs::write(folder.join("few.pgn"), many_games(3)).unwrap();
    tabia(&folder, &["convert", "few.pgn", "-o", "few.cbh", "-q"]).expect(0);
    tabia(&folder, &["archive", "create", "in.zip", "few.cbh", "-q"]).expect(0);
    let args = [
        "archive", "create", "a.zip", "bad.pgn", "few.cbh", "in.zip", "-q",
    ];
    tabia(&folder, &args).expect(0);
    let bytes = std::fs::read(folder.join("a.zip")).unwrap();
    let piped = tabia_with_input(&folder, &["check", "-"], &bytes).expect(3);
    let named = tabia(&folder, &["check", "a.zip"]).expect(3);
    // The same lines, under the name of standard input.
    let columns = |text: &str, name: &str| -> Vec<String> {
        let lines = text.lines();
        lines.map(|line| line.replacen(name, "-", 1)).collect()
    };
    assert_eq!(columns(&piped.out, "-"), columns(&named.out, "a.zip"));
    assert!(piped.out.contains("-:in.zip:few.cbh"), "{}", piped.out);
    assert!(
        piped.err.contains("-:bad.pgn: game 1, ply 2"),
        "{}",
        piped.err
    );
}

#[test]
fn an_encrypted_archive_is_made_with_a_password_only() {
    let folder = with_sample("archive-password");
    for password in [&[][..], &["--password", ""]] {
        let mut args = vec!["archive", "create", "x.cbz", "mega.cbh"];
        args.extend(password);
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("`--password TEXT`"), "{}", run.err);
        assert!(!folder.join("x.cbz").exists());
    }
    let args = ["archive", "create", "x.cbz", "mega.cbh", "--password", "a"];
    tabia(&folder, &args).expect(0);
}

/// Each file of a set whose absence `check` reports is named when the set is packed.
#[test]
fn files_that_check_misses_are_named_of_a_packed_set() {
    let folder = with_sample("archive-missing-parts");
    std::fs::write(folder.join("games.pgn"), many_games(30)).unwrap();
    tabia(&folder, &["book", "build", "games.pgn", "-o", "book.ctg"]).expect(0);
    let mut named = Vec::new();
    for (main, names) in [
        (
            "mega.cbh",
            &[
                "cba", "cbc", "cbe", "cbg", "cbj", "cbl", "cbm", "cbp", "cbs", "cbt", "cbtt",
            ][..],
        ),
        ("book.ctg", &["ctb", "cto"]),
    ] {
        let pack = ["archive", "create", "packed.zip", main, "--force"];
        tabia(&folder, &pack).expect(0);
        for extension in names {
            let path = folder.join(main).with_extension(extension);
            if !path.exists() {
                continue;
            }
            let away = folder.join("away");
            std::fs::rename(&path, &away).unwrap();
            let checked = tabia(&folder, &["check", main]);
            let packed = tabia(&folder, &pack);
            assert_eq!(packed.code, checked.code, "{extension}: {}", packed.err);
            if checked.code == 3 {
                let text = "the archive does not have it";
                assert!(packed.err.contains(text), "{extension}: {}", packed.err);
                assert_eq!(packed.err.matches("warning").count(), 1, "{}", packed.err);
                named.push(*extension);
            }
            std::fs::rename(&away, &path).unwrap();
        }
    }
    for extension in ["cbc", "cbg", "cbj", "cbp", "cbs", "ctb", "cto"] {
        assert!(named.contains(&extension), "{extension}: {named:?}");
    }
}
