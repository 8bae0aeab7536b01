//! Archives and compressed files that lack bytes, and what else is in archives.

use tabia_testkit::Scratch;

use crate::common::{GAMES, many_games, samples, tabia, with_games};
use crate::repair_all::zip;

/// Paragraphs of a text with games: tag sections and moves.
fn paragraphs(text: &str) -> Vec<&str> {
    text.split("\n\n").map(str::trim).collect()
}

#[test]
fn damaged_blocks_of_bzip2_are_left_out() {
    let folder = Scratch::new("bzip2-block");
    std::fs::write(folder.join("many.pgn"), many_games(6000)).unwrap();
    for name in ["plain.pgn", "many.pgn.bz2"] {
        tabia(&folder, &["convert", "many.pgn", "-o", name, "-q"]).expect(0);
    }
    let mut bytes = std::fs::read(folder.join("many.pgn.bz2")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(folder.join("bad.pgn.bz2"), &bytes).unwrap();
    let run = tabia(&folder, &["convert", "bad.pgn.bz2", "-o", "left.pgn"]).expect(3);
    let line = "a block of the bzip2 stream is damaged; what was in it, up to offset ";
    assert!(run.err.contains(line), "{}", run.err);
    let whole = std::fs::read_to_string(folder.join("plain.pgn")).unwrap();
    let left = std::fs::read_to_string(folder.join("left.pgn")).unwrap();
    assert!(left.contains("Game 5999") && left.len() > whole.len() / 3);
    // No bytes of the block are among the games: only those at both of its ends are not whole.
    let known: std::collections::BTreeSet<&str> = paragraphs(&whole).into_iter().collect();
    let others = paragraphs(&left)
        .into_iter()
        .filter(|text| !known.contains(text));
    assert!(others.count() <= 3);
    // The same from a pipe, and from a list of a part.
    let input = tabia_with_stdin(&folder, &bytes);
    assert!(input.contains(line), "{input}");
    let run = tabia(&folder, &["check", "bad.pgn.bz2"]).expect(3);
    let hint = "`tabia repair bad.pgn.bz2 -o saved-bad.pgn` saves what is left";
    assert!(run.err.contains(hint), "{}", run.err);
    tabia(&folder, &["repair", "bad.pgn.bz2", "-o", "saved-bad.pgn"]).expect(3);
}

fn tabia_with_stdin(folder: &Scratch, bytes: &[u8]) -> String {
    let args = ["convert", "-", "-o", "piped.pgn"];
    crate::common::tabia_with_input(folder, &args, bytes)
        .expect(3)
        .err
}

#[test]
fn streams_after_a_damaged_one_are_read() {
    let folder = with_games("gzip-members");
    for name in ["one.pgn.gz", "one.pgn.xz"] {
        tabia(&folder, &["convert", "games.pgn", "-o", name, "-q"]).expect(0);
        let one = std::fs::read(folder.join(name)).unwrap();
        let mut all = one.repeat(3);
        // The checksum at the end of the second one.
        let last = one.len() * 2 - 6;
        all[last] ^= 0xff;
        let bad = format!("bad-{name}");
        std::fs::write(folder.join(&bad), all).unwrap();
        let run = tabia(&folder, &["ls", &bad, "--ndjson"]).expect(3);
        assert!(run.out.lines().count() >= 6, "{name}: {}", run.out);
    }
}

/// A zip archive with a picture, three texts and a database.
fn archive() -> Vec<u8> {
    let header = std::fs::read(samples().join("tabia.cbh")).unwrap();
    let moves = std::fs::read(samples().join("tabia.cbg")).unwrap();
    let games = GAMES.repeat(20);
    let picture: Vec<u8> = (0..3000).map(|number| number as u8 % 9).collect();
    zip(&[
        ("picture.jpg", &picture),
        ("one.pgn", games.as_bytes()),
        ("two.pgn", GAMES.as_bytes()),
        ("set/tabia.cbh", &header),
        ("set/tabia.cbg", &moves),
        ("three.pgn", GAMES.as_bytes()),
    ])
}

#[test]
fn members_after_a_hole_in_a_zip_are_found() {
    let folder = Scratch::new("zip-hole");
    let whole = archive();
    let count = |bytes: &[u8], name: &str| {
        std::fs::write(folder.join(name), bytes).unwrap();
        let run = tabia(&folder, &["check", name, "--json"]).expect(3);
        let rows = run.json();
        let of = |member: &str| {
            let path = format!("{name}:{member}");
            let mut rows = rows.as_array().unwrap().iter();
            let row = rows.find(|row| row["path"] == *path);
            row.map_or(0, |row| row["games"].as_u64().unwrap())
        };
        assert!(
            run.err.contains("bytes are missing or were inserted"),
            "{}",
            run.err
        );
        [
            of("one.pgn"),
            of("two.pgn"),
            of("set/tabia.cbh"),
            of("three.pgn"),
        ]
    };
    let mut hole = whole.clone();
    hole.drain(5000..5700);
    let [one, two, set, three] = count(&hole, "hole.zip");
    assert!((50..60).contains(&one), "{one}");
    assert_eq!((two, set, three), (3, 8, 3));
    // Its first bytes are lost, and with them the header of the first member.
    let [one, two, set, three] = count(&whole[1000..], "head.zip");
    assert_eq!((one, two, set, three), (60, 3, 8, 3));
    let run = tabia(&folder, &["check", "head.zip"]).expect(3);
    assert!(
        run.err.contains(
            "1 of 6 members has no header in the archive, so that nothing of it can be read: picture.jpg"
        ),
        "{}",
        run.err
    );
    let run = tabia(&folder, &["repair", "hole.zip", "-o", "saved"]).expect(3);
    assert!(folder.join("saved/three.pgn").exists(), "{}", run.err);
    assert!(folder.join("saved/set/tabia.cbh").exists(), "{}", run.err);
    // Other bytes before the archive are no damage.
    let text = [&b"From: archivist\n\n"[..], &whole].concat();
    std::fs::write(folder.join("text.zip"), text).unwrap();
    let run = tabia(&folder, &["ls", "text.zip", "--ndjson"]);
    assert!(run.out.lines().count() > 60, "{}", run.err);
}

#[test]
fn members_of_one_name_are_all_repaired() {
    let folder = Scratch::new("zip-same-names");
    let one = "[White \"One\"]\n\n1. e4 1-0\n\n";
    let two = "[White \"Two\"]\n\n1. d4 0-1\n\n";
    let bytes = zip(&[("a.pgn", one.as_bytes()), ("a.pgn", two.as_bytes())]);
    std::fs::write(folder.join("x.zip"), bytes).unwrap();
    tabia(&folder, &["repair", "x.zip", "-o", "saved"]).expect(0);
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(text("saved/a.pgn").contains("One"));
    assert!(text("saved/a (2).pgn").contains("Two"));
}

#[test]
fn chess_files_in_archives_under_other_names_are_named() {
    let folder = Scratch::new("zip-others");
    let bytes = zip(&[
        ("a.pgn", GAMES.as_bytes()),
        ("base.bak", GAMES.as_bytes()),
        ("trail.pgn ", GAMES.as_bytes()),
        ("README.md", b"To do: buy milk\n"),
    ]);
    std::fs::create_dir(folder.join("f")).unwrap();
    std::fs::write(folder.join("f/x.zip"), bytes).unwrap();
    for (args, what) in [
        (&["check", "f/x.zip"][..], "checked"),
        (&["check", "f"], "checked"),
        (&["convert", "f/x.zip", "-o", "one.pgn"], "read"),
        (&["convert", "f", "-o", "two.pgn"], "read"),
        (&["ls", "f"], "read"),
        (&["repair", "f", "-o", "three"], "repaired"),
        (&["repair", "f/x.zip", "-o", "four"], "repaired"),
    ] {
        let run = tabia(&folder, args).expect(0);
        let err = run.err.replace(std::path::MAIN_SEPARATOR, "/");
        let line =
            format!("2 files were not {what}, as no format has such a name: f/x.zip:base.bak");
        assert!(err.contains(&line), "{args:?}: {err}");
        let line =
            "2 of them are chess files by their content: f/x.zip:base.bak (Portable Game Notation)";
        assert!(err.contains(line), "{args:?}: {err}");
    }
    let report = ["repair", "f", "-o", "five", "--report", "r.json", "-q"];
    tabia(&folder, &report).expect(0);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let named = report["summary"]["recognised"].as_array().map(Vec::len);
    assert_eq!(named, Some(2), "{report}");
}

#[test]
fn problems_of_an_archive_are_reported_once() {
    let folder = Scratch::new("archive-problems-once");
    std::fs::create_dir(folder.join("in")).unwrap();
    let bytes = std::fs::read(samples().join("tabia.cbv")).unwrap();
    std::fs::write(folder.join("in").join("cut.cbv"), &bytes[..3000]).unwrap();
    for path in ["in", "in/cut.cbv"] {
        let args = [
            "check",
            path,
            "--json",
            "--report",
            "r.json",
            "--progress",
            "never",
        ];
        let run = tabia(&folder, &args).expect(3);
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("r.json")).unwrap()).unwrap();
        std::fs::remove_file(folder.join("r.json")).unwrap();
        let problems = report["problems"].as_array().unwrap();
        let of_archive = problems
            .iter()
            .filter(|problem| problem["file"].as_str().unwrap().ends_with("cut.cbv"));
        assert_eq!(of_archive.count(), 2, "{report}");
        let rows = run.json();
        let counts: u64 = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["problems"].as_u64().unwrap())
            .sum();
        assert_eq!(counts, problems.len() as u64, "{rows}");
    }
}

#[test]
fn members_of_the_same_name_are_all_extracted() {
    let folder = Scratch::new("same-names");
    for (name, white) in [("a.pgn", "One"), ("b.pgn", "Two"), ("c.pgn", "Three")] {
        std::fs::write(
            folder.join(name),
            format!("[White \"{white}\"]\n\n1. e4 *\n"),
        )
        .unwrap();
    }
    tabia(
        &folder,
        &["archive", "create", "all.zip", "a.pgn", "b.pgn", "c.pgn"],
    )
    .expect(0);
    let mut bytes = std::fs::read(folder.join("all.zip")).unwrap();
    for (name, other) in [(b"b.pgn", b"a.pgn"), (b"c.pgn", b"A.PGN")] {
        while let Some(at) = bytes.windows(5).position(|part| part == name) {
            bytes[at..at + 5].copy_from_slice(other);
        }
    }
    std::fs::write(folder.join("all.zip"), bytes).unwrap();
    let run = tabia(&folder, &["archive", "extract", "all.zip", "-d", "out"]).expect(3);
    for (name, white) in [("a.pgn", "One"), ("a-2.pgn", "Two"), ("A-3.PGN", "Three")] {
        let text = std::fs::read_to_string(folder.join("out").join(name));
        assert!(
            text.is_ok_and(|text| text.contains(white)),
            "{name}: {}",
            run.err
        );
    }
    assert!(run.err.contains("this one becomes a-2.pgn"), "{}", run.err);
}

#[test]
fn a_damaged_directory_of_a_cbv_archive_is_noticed() {
    let folder = Scratch::new("cbv-directory");
    let whole = std::fs::read(samples().join("tabia.cbv")).unwrap();
    // Size, offset and date of a member, and the name of another one.
    for (range, text) in [(939..1039, "belong to no member"), (320..366, "no name")] {
        let mut bytes = whole.clone();
        bytes[range].fill(0);
        std::fs::write(folder.join("a.cbv"), bytes).unwrap();
        for verb in ["test", "list"] {
            let run = tabia(&folder, &["archive", verb, "a.cbv"]).expect(3);
            assert!(run.err.contains(text), "{verb}: {}", run.err);
        }
    }
}

/// A record whose end became zeros is that of no empty file.
#[test]
fn records_of_a_cbv_archive_that_became_zeros_are_no_empty_files() {
    let folder = Scratch::new("cbv-zeroed-records");
    let whole = std::fs::read(samples().join("tabia.cbv")).unwrap();
    let records = usize::from(whole[2]) | usize::from(whole[3]) << 8;
    let data = 8 + 173 * records;
    for from in (8 + 173 * (records - 2)..data).step_by(7) {
        let mut bytes = whole.clone();
        bytes[from..].fill(0);
        std::fs::write(folder.join("a.cbv"), &bytes).unwrap();
        let run = tabia(&folder, &["archive", "list", "a.cbv", "--json"]).expect(3);
        for member in run.json().as_array().unwrap() {
            assert!(
                member["size"] != 0 || run.err.contains("damaged"),
                "{}",
                run.err
            );
        }
        let test = tabia(&folder, &["archive", "test", "a.cbv"]).expect(3);
        let ok = test.out.lines().filter(|line| line.ends_with("\tok"));
        assert_eq!(ok.count(), 0, "{from}: {}", test.out);
    }
}

#[test]
fn a_member_whose_header_is_damaged_is_not_complete() {
    let folder = Scratch::new("scv-flipped-header");
    std::fs::copy(samples().join("tabia.cbtt"), folder.join("tabia.cbtt")).unwrap();
    std::fs::write(folder.join("g.pgn"), "1. e4 *\n".repeat(100)).unwrap();
    tabia(
        &folder,
        &["archive", "create", "a.scv", "g.pgn", "tabia.cbtt"],
    )
    .expect(0);
    let whole = std::fs::read(folder.join("a.scv")).unwrap();
    let key = b"<FileSize> 32";
    let at = whole
        .windows(key.len())
        .position(|part| part == key)
        .unwrap()
        + key.len();
    for bit in 0..8 {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        std::fs::write(folder.join("b.scv"), bytes).unwrap();
        tabia(&folder, &["archive", "test", "b.scv"]).expect(3);
        let before = std::fs::read(folder.join("tabia.cbtt")).unwrap();
        tabia(&folder, &["archive", "extract", "b.scv", "--force"]).expect(3);
        assert_eq!(
            std::fs::read(folder.join("tabia.cbtt")).unwrap(),
            before,
            "{bit}"
        );
    }
}

#[test]
fn an_archive_does_not_replace_itself() {
    let folder = Scratch::new("archive-of-its-name");
    std::fs::write(folder.join("self.zip"), "inside").unwrap();
    std::fs::write(folder.join("a.pgn"), "1. e4 *\n").unwrap();
    tabia(
        &folder,
        &["archive", "create", "outer.zip", "self.zip", "a.pgn"],
    )
    .expect(0);
    std::fs::rename(folder.join("outer.zip"), folder.join("self.zip")).unwrap();
    let before = std::fs::read(folder.join("self.zip")).unwrap();
    let args = ["archive", "extract", "self.zip", "--force"];
    let run = tabia(&folder, &args).expect(3);
    assert!(
        run.err.contains("the name of the archive itself"),
        "{}",
        run.err
    );
    assert_eq!(std::fs::read(folder.join("self.zip")).unwrap(), before);
}

#[test]
fn a_book_in_an_archive_does_not_hide_its_games() {
    let folder = Scratch::new("archive-with-book");
    std::fs::write(folder.join("a.pgn"), "1. e4 e5 *\n".repeat(3)).unwrap();
    tabia(
        &folder,
        &["book", "build", "a.pgn", "-o", "b.bin", "--min-games", "1"],
    )
    .expect(0);
    tabia(&folder, &["archive", "create", "z.zip", "b.bin", "a.pgn"]).expect(0);
    let run = tabia(&folder, &["convert", "z.zip"]).expect(0);
    assert_eq!(run.out.matches("1. e4 e5").count(), 3);
    tabia(&folder, &["stats", "z.zip", "--by", "result"]).expect(0);
    // Of books alone nothing can be read as games.
    tabia(&folder, &["archive", "create", "book.zip", "b.bin"]).expect(0);
    tabia(&folder, &["convert", "book.zip"]).expect(2);
}

/// Archives in an archive unpack to no more, all together, than one alone.
#[test]
fn archives_in_an_archive_have_one_limit() {
    let folder = Scratch::new("nested-limit");
    let game = "[Event \"x\"]\n\n1. e4 e5 *\n\n";
    std::fs::write(folder.join("a.pgn"), game.repeat(1_000_000)).unwrap();
    tabia(&folder, &["archive", "create", "i.zip", "a.pgn"]).expect(0);
    let mut create = vec!["archive", "create", "o.zip"];
    let names: Vec<String> = (0..4).map(|number| format!("{number}.zip")).collect();
    for name in &names {
        std::fs::copy(folder.join("i.zip"), folder.join(name)).unwrap();
        create.push(name);
    }
    tabia(&folder, &create).expect(0);
    let run = tabia(&folder, &["search", "o.zip", "--count", "plies:2"]).expect(3);
    assert!(run.err.contains("--max-unpacked"), "{}", run.err);
    let whole = [
        "search",
        "o.zip",
        "--count",
        "plies:2",
        "--max-unpacked",
        "1G",
    ];
    assert_eq!(tabia(&folder, &whole).expect(0).out.trim(), "4000000");
}
