//! What conversions report as lost.

use std::fs;

use tabia_testkit::{Scratch, shared_data};

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

/// A database with references to a picture and a sound, and the files.
fn with_media(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let game = "1. e4 {[%cbmedia kind=picture text=7]} e5 {[%cbmedia kind=sound text=8]} *\n";
    fs::write(folder.join("games.pgn"), game).unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "db.cbh"]).expect(0);
    for (media, file) in [("db.bmp", "7.bmp"), ("db.wav", "8.WAV")] {
        fs::create_dir(folder.join(media)).unwrap();
        fs::write(folder.join(media).join(file), "media").unwrap();
    }
    folder
}

/// Whether a report counts this many media files as lost.
fn counts_media(folder: &Scratch, count: u64) -> bool {
    let text = fs::read_to_string(folder.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let losses = report["summary"]["losses"].as_array().unwrap().iter();
    let counts: Vec<u64> = losses
        .filter(|loss| loss["kind"] == "mediaFiles")
        .map(|loss| loss["count"].as_u64().unwrap())
        .collect();
    counts == [count]
}

/// The files of the folders of a database.
fn media_of(folder: &Scratch, stem: &str) -> Vec<String> {
    let mut names = Vec::new();
    for extension in ["bmp", "wav"] {
        let entries = fs::read_dir(folder.join(format!("{stem}.{extension}")));
        for entry in entries.into_iter().flatten() {
            names.push(entry.unwrap().file_name().into_string().unwrap());
        }
    }
    names
}

#[test]
fn media_files_are_copied_with_a_database() {
    let folder = with_media("media-copied");
    for (args, stem) in [
        (
            &["convert", "db.cbh", "-o", "new.cbh", "--strict"][..],
            "new",
        ),
        (&["convert", "db.cbh", "-o", "new2.2cbh"], "new2"),
        (&["repair", "db.cbh", "-o", "saved.cbh"], "saved"),
        (
            &["edit", "db.cbh", "--delete", "1", "-o", "edited.cbh"],
            "edited",
        ),
        (&["edit", "db.cbh", "--pack", "-o", "packed.cbh"], "packed"),
    ] {
        let run = tabia(
            &folder,
            &[args, &["--report", "r.json", "--force"]].concat(),
        )
        .expect(0);
        assert!(
            run.err.contains("2 media files copied"),
            "{args:?}: {}",
            run.err
        );
        assert!(!counts_media(&folder, 2), "{args:?}");
        assert_eq!(media_of(&folder, stem), ["7.bmp", "8.WAV"], "{args:?}");
    }
    // Added to another database, which has another file of that name.
    fs::write(folder.join("other.pgn"), "1. d4 *\n").unwrap();
    tabia(&folder, &["convert", "other.pgn", "-o", "base.cbh"]).expect(0);
    fs::create_dir(folder.join("base.bmp")).unwrap();
    fs::write(folder.join("base.bmp/7.bmp"), "other media").unwrap();
    let add = [
        "append", "db.cbh", "-o", "base.cbh", "--report", "r.json", "--force",
    ];
    let run = tabia(&folder, &add).expect(0);
    assert!(counts_media(&folder, 1));
    assert!(run.err.contains("base.bmp has others"), "{}", run.err);
    assert_eq!(media_of(&folder, "base"), ["7.bmp", "8.WAV"]);
    let kept = fs::read(folder.join("base.bmp/7.bmp")).unwrap();
    assert_eq!(kept, b"other media");
    // A set in an archive has them too.
    tabia(&folder, &["archive", "create", "db.cbv", "db.cbh"]).expect(0);
    tabia(&folder, &["convert", "db.cbv", "-o", "b.cbh"]).expect(0);
    assert_eq!(media_of(&folder, "b"), ["7.bmp", "8.WAV"]);
    assert_eq!(fs::read(folder.join("b.wav/8.WAV")).unwrap(), b"media");
}

#[test]
fn media_files_that_are_not_copied_are_a_loss() {
    let folder = with_media("media-lost");
    for (args, output) in [
        (&["convert", "db.cbh", "-o", "new.pgn"][..], "new.pgn"),
        (
            &["convert", "db.cbh", "-o", "s.cbh", "--split", "1"],
            "s-0001.cbh",
        ),
        (&["repair", "db.cbh", "-o", "saved.pgn"], "saved.pgn"),
    ] {
        let run = tabia(
            &folder,
            &[args, &["--report", "r.json", "--force"]].concat(),
        )
        .expect(0);
        assert!(run.err.contains("media files"), "{args:?}: {}", run.err);
        assert!(counts_media(&folder, 2), "{args:?}");
        assert!(folder.join(output).exists(), "{args:?}");
    }
}

#[test]
fn damaged_media_files_of_an_archive_are_reported() {
    let folder = with_media("media-damaged");
    // Bytes that cannot be packed.
    let picture: Vec<u8> = (1..200_u32)
        .map(|n| (n.wrapping_mul(2_654_435_769) >> 24) as u8)
        .collect();
    fs::write(folder.join("db.bmp/7.bmp"), &picture).unwrap();
    let pack = ["archive", "create", "db.zip", "db.cbh"];
    tabia(&folder, &pack).expect(0);
    let mut bytes = fs::read(folder.join("db.zip")).unwrap();
    let mut runs = bytes.windows(picture.len());
    let at = runs.position(|bytes| bytes == picture).unwrap();
    bytes[at] ^= 1;
    fs::write(folder.join("bad.zip"), bytes).unwrap();
    let args = ["convert", "bad.zip", "-o", "b.cbh", "--report", "r.json"];
    let run = tabia(&folder, &args).expect(3);
    assert!(run.err.contains("7.bmp"), "{}", run.err);
    assert!(counts_media(&folder, 1));
    assert_eq!(media_of(&folder, "b"), ["8.WAV"]);
}

#[test]
fn strict_refuses_to_lose_media_files() {
    let folder = with_media("media-strict");
    fs::create_dir(folder.join("out.wav")).unwrap();
    fs::write(folder.join("out.wav/8.WAV"), "others").unwrap();
    for (args, count) in [
        (&["convert", "db.cbh", "-o", "out.cbh", "--strict"][..], 1),
        (&["convert", "db.cbh", "-o", "out.pgn", "--strict"], 2),
        (
            &[
                "convert", "db.cbh", "-o", "out.cbh", "--strict", "--split", "1",
            ],
            2,
        ),
        (
            &[
                "edit", "db.cbh", "-o", "out.cbh", "--strict", "--delete", "1",
            ],
            1,
        ),
    ] {
        let run = tabia(&folder, args);
        assert_eq!(run.code, 4, "{args:?}: {}", run.err);
        let expected = format!("{count} media file");
        assert!(run.err.contains(&expected), "{args:?}: {}", run.err);
        assert!(!folder.join(args[3]).exists() && !folder.join("out-0001.cbh").exists());
    }
    assert!(!folder.join("out.bmp").exists());
}

#[test]
fn a_deep_check_finds_references_to_missing_media_files() {
    let folder = with_media("media-missing");
    tabia(&folder, &["check", "--deep", "db.cbh"]).expect(0);
    fs::remove_file(folder.join("db.bmp/7.bmp")).unwrap();
    tabia(&folder, &["check", "db.cbh"]).expect(0);
    let run = tabia(&folder, &["check", "--deep", "db.cbh"]).expect(3);
    let expected = "db.bmp: game 1: the file \"7.bmp\" is missing";
    assert!(run.err.contains(expected), "{}", run.err);
    assert!(!run.err.contains("tabia repair"), "{}", run.err);
    // Many of them are one line.
    let games = (1..=20).fold(String::new(), |games, number| {
        games
            + &format!(
                "[Event \"{number}\"]\n\n1. e4 {{[%cbmedia kind=picture text={number}]}} *\n\n"
            )
    });
    fs::write(folder.join("many.pgn"), games).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "many.cbh"]).expect(0);
    let args = ["check", "--deep", "many.cbh", "--report", "r.json"];
    let run = tabia(&folder, &args).expect(3);
    assert!(run.err.contains("and 19 more like this"), "{}", run.err);
    let report = fs::read_to_string(folder.join("r.json")).unwrap();
    for number in 1..=20 {
        assert!(
            report.contains(&format!("\\\"{number}.bmp\\\"")),
            "{report}"
        );
    }
    let Some(set) = shared_data("missing media", "cbh/morphy-text") else {
        return;
    };
    // Its texts show two pictures.
    for file in fs::read_dir(set).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
    }
    let run = tabia(&folder, &["check", "--deep", "text.cbh"]).expect(3);
    for name in ["13tNEW15POS84k384PK28888.jpg", "JaquesCookStaunton.jpg"] {
        assert!(run.err.contains(name), "{}", run.err);
    }
}

#[test]
fn lost_tags_are_named() {
    let folder = Scratch::new("losses-names");
    let tags = "[White \"A\"]\n[Zeta \"z\"]\n[Opening \"b\"]\n[Beta \"b\"]\n";
    fs::write(folder.join("a.pgn"), format!("{tags}\n1. e4 *\n")).unwrap();
    let run = tabia(&folder, &["convert", "a.pgn", "-o", "a.cbh"]).expect(0);
    let line = "  tags  3  first in game 1 (Beta, Opening, Zeta)\n";
    assert!(run.err.contains(line), "{}", run.err);
    let many: Vec<String> = (0..9).map(|i| format!("[Tag{i} \"x\"]\n")).collect();
    let many = many.concat();
    fs::write(folder.join("many.pgn"), format!("{many}\n1. e4 *\n")).unwrap();
    let args = [
        "convert", "a.pgn", "many.pgn", "-o", "b.cbh", "--report", "r.json",
    ];
    let run = tabia(&folder, &args).expect(0);
    let names = "(Beta, Opening, Tag0, Tag1, Tag2, …)";
    assert!(run.err.contains(names), "{}", run.err);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("r.json")).unwrap()).unwrap();
    let losses = &report["summary"]["losses"];
    assert_eq!(losses[0]["names"][1], "Opening", "{report}");
}

/// PGN has a blank for them.
#[test]
fn control_characters_of_tags_are_a_loss_with_the_tag_and_the_game() {
    let folder = Scratch::new("losses-control");
    let text = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n[Site \"Jyv\u{4}skyl\"]\n\
                [TabiaTag \"Opening two%0Alines\"]\n\n1. d4 *\n";
    fs::write(folder.join("a.pgn"), text).unwrap();
    let run = tabia(&folder, &["convert", "a.pgn", "-o", "b.pgn"]).expect(0);
    let line = "  tags with control characters, now blanks  2  first in game 2 (Opening, Site)\n";
    assert!(run.err.contains(line), "{}", run.err);
    assert!(!run.err.contains("\n  tags  "), "{}", run.err);
    let out = fs::read_to_string(folder.join("b.pgn")).unwrap();
    assert!(out.contains("[Opening \"two lines\"]"), "{out}");
    let args = ["convert", "a.pgn", "-o", "c.pgn", "--profile", "full"];
    assert!(!tabia(&folder, &args).expect(0).err.contains("not kept"));
}
