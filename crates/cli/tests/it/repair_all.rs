//! `repair` of a folder or an archive: every database and book in it.
#![expect(clippy::little_endian_bytes, reason = "the numbers of a zip archive")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tabia_testkit::{Scratch, files_in};

use crate::common::{GAMES, command, many_games, samples, tabia, with_pipes};

/// A zip archive with members that are not compressed.
pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let step = |crc: u32, byte: &u8| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
            })
        };
        !bytes.iter().fold(u32::MAX, step)
    };
    let (mut out, mut index) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let offset = out.len() as u32;
        let mut common = [20_u16, 0, 0, 0, 0x21].map(u16::to_le_bytes).concat();
        for number in [crc(bytes), bytes.len() as u32, bytes.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(*bytes);
        index.extend(b"PK\x01\x02\x14\x00");
        index.extend(&common);
        index.extend([0; 10]);
        index.extend(offset.to_le_bytes());
        index.extend(name.as_bytes());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (start, size) = (out.len() as u32, index.len() as u32);
    out.extend(index);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].concat());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// The folder `f` with sound and damaged inputs, and one that cannot be read.
fn damaged(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let path = |name: &str| scratch.join(name);
    std::fs::create_dir_all(path("f/sub")).unwrap();
    std::fs::write(path("f/games.pgn"), GAMES).unwrap();
    std::fs::write(path("many.pgn"), many_games(50)).unwrap();
    tabia(
        &scratch,
        &["convert", "many.pgn", "-o", "f/sub/cut.si4", "-q"],
    )
    .expect(0);
    let games = std::fs::read(path("f/sub/cut.sg4")).unwrap();
    std::fs::write(path("f/sub/cut.sg4"), &games[..games.len() / 2]).unwrap();
    let book = [
        "book",
        "build",
        "many.pgn",
        "--min-games",
        "1",
        "-o",
        "f/book.bin",
        "-q",
    ];
    tabia(&scratch, &book).expect(0);
    let mut book = std::fs::read(path("f/book.bin")).unwrap();
    // A move that is there twice.
    book.extend_from_within(book.len() - 16..);
    std::fs::write(path("f/book.bin"), book).unwrap();
    // A database without its main file, and one of which nothing is left.
    for extension in ["cbg", "cba", "cbp", "cbt", "cbc", "cbs"] {
        let file = samples().join(format!("tabia.{extension}"));
        std::fs::copy(file, path(&format!("f/lone.{extension}"))).unwrap();
    }
    let noise: Vec<u8> = (0..9000_u32).map(|n| ((n * n) >> 7) as u8 | 0x80).collect();
    std::fs::write(path("f/noise.cbh"), noise).unwrap();
    let archive = std::fs::read(samples().join("tabia.cbv")).unwrap();
    let member =
        |extension: &str| std::fs::read(samples().join(format!("tabia.{extension}"))).unwrap();
    let (games, notes) = (member("cbg"), member("cba"));
    let members: [(&str, &[u8]); 7] = [
        ("deep/tabia.cbv", &archive),
        ("lost/tabia.cbg", &games),
        ("lost/tabia.cba", &notes),
        ("../up.pgn", b"1. e4 *\n"),
        ("/root.pgn", b"1. d4 *\n"),
        ("x.pgn", b"1. c4 *\n"),
        ("X.PGN", b"1. f4 *\n"),
    ];
    std::fs::write(path("f/pack.zip"), zip(&members)).unwrap();
    scratch
}

fn rows_by_path(rows: &Value) -> BTreeMap<String, Value> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| {
        let path = row["path"].as_str().unwrap().replace('\\', "/");
        (path, row.clone())
    })
    .collect()
}

/// The files in a folder and in the folders in it.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = files_in(folder);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let below = tree(&path).into_iter();
            all.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        }
    }
    all
}

#[test]
fn everything_in_a_folder_is_repaired() {
    let scratch = damaged("repair-folder");
    let before = tree(&scratch.join("f"));
    let args = [
        "repair",
        "f",
        "-o",
        "out",
        "--json",
        "--report",
        "report.json",
    ];
    let run = tabia(&scratch, &args).expect(4);
    assert!(tree(&scratch.join("f")) == before, "the source was changed");
    let rows = rows_by_path(&run.json());
    for (path, outcome, output) in [
        ("f/games.pgn", "complete", "games.pgn"),
        ("f/sub/cut.si4", "damaged", "sub/cut.si4"),
        ("f/book.bin", "damaged", "book.bin"),
        ("f/lone.cba", "damaged", "lone.cbh"),
        ("f/noise.cbh", "unreadable", ""),
        (
            "f/pack.zip:deep/tabia.cbv:tabia.cbh",
            "complete",
            "pack/deep/tabia/tabia.cbh",
        ),
        (
            "f/pack.zip:lost/tabia.cba",
            "damaged",
            "pack/lost/tabia.cbh",
        ),
        ("f/pack.zip:../up.pgn", "complete", "pack/_up.pgn"),
        ("f/pack.zip:/root.pgn", "complete", "pack/_root.pgn"),
        ("f/pack.zip:X.PGN", "complete", "pack/X.PGN"),
        ("f/pack.zip:x.pgn", "complete", "pack/x (2).pgn"),
    ] {
        let found = rows
            .get(path)
            .or_else(|| rows.get(&path.replace(".cba", ".cbg")));
        let row = found.unwrap_or_else(|| panic!("{path} in {:?}", rows.keys()));
        assert_eq!(row["outcome"], outcome, "{row}");
        if output.is_empty() {
            assert!(row["output"].is_null(), "{row}");
            continue;
        }
        let written = row["output"].as_str().unwrap().replace('\\', "/");
        assert_eq!(written, format!("out/{output}"));
        tabia(&scratch, &["check", &written]).expect(0);
    }
    assert_eq!(rows.len(), 11, "{:?}", rows.keys());
    let cut = &rows["f/sub/cut.si4"];
    let number = |key: &str| cut[key].as_u64().unwrap();
    assert_eq!(number("records"), 50);
    assert_eq!(number("whole") + number("damaged") + number("lost"), 50);
    assert!(number("damaged") > 0 && number("whole") > 0, "{cut}");
    let report = std::fs::read(scratch.join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let summary = &report["summary"];
    assert_eq!(
        (&summary["unreadable"], &summary["complete"]),
        (&1.into(), &6.into())
    );
    assert!(!report["records"].as_array().unwrap().is_empty());
    // Nothing is outside of the folder.
    let names = scratch.names();
    assert!(
        !names.iter().any(|name| name.ends_with("up.pgn")),
        "{names:?}"
    );
}

#[test]
fn exit_codes_are_those_of_the_worst_input() {
    let scratch = damaged("repair-codes");
    std::fs::remove_file(scratch.join("f/noise.cbh")).unwrap();
    let run = tabia(&scratch, &["repair", "f", "-o", "a", "--tsv"]).expect(3);
    assert!(
        run.out.starts_with("path\tformat\toutcome\toutput\t"),
        "{}",
        run.out
    );
    assert_eq!(run.out.lines().count(), 11);
    let archive = samples().join("tabia.cbv").display().to_string();
    tabia(&scratch, &["repair", &archive, "-o", "b", "-q"]).expect(0);
    assert!(scratch.join("b/tabia.cbh").exists());
    // A single database goes into an existing folder, in another format if that is wanted.
    let args = ["repair", "f/games.pgn", "-o", "b", "--to", "si5", "-q"];
    tabia(&scratch, &args).expect(0);
    tabia(&scratch, &["check", "b/games.si5"]).expect(0);
    // What is left of an archive that ends early is written, and the rest is accounted for.
    let whole = std::fs::read(&archive).unwrap();
    std::fs::write(scratch.join("cut.cbv"), &whole[..whole.len() * 3 / 4]).unwrap();
    let run = tabia(&scratch, &["repair", "cut.cbv", "-o", "c/d", "--ndjson"]).expect(3);
    let rows: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2, "{}", run.out);
    assert!(
        rows.iter().all(|row| row["outcome"] == "damaged"),
        "{}",
        run.out
    );
    assert!(scratch.join("c/d/tabia.cbh").exists());
    // Only one level of archives in archives is opened.
    let inner = std::fs::read(scratch.join("f/pack.zip")).unwrap();
    let twice = zip(&[("pack.zip", &inner), ("a.pgn", b"1. e4 *\n")]);
    std::fs::write(scratch.join("twice.zip"), twice).unwrap();
    let run = tabia(&scratch, &["repair", "twice.zip", "-o", "e", "--json"]).expect(4);
    let rows = rows_by_path(&run.json());
    assert_eq!(
        rows["twice.zip:pack.zip:deep/tabia.cbv"]["outcome"],
        "unreadable"
    );
    assert_eq!(rows["twice.zip:pack.zip:x.pgn"]["outcome"], "complete");
}

#[test]
fn nothing_good_is_replaced_and_the_source_is_not_written_into() {
    let scratch = damaged("repair-refused");
    let before = tree(scratch.path());
    for (args, code, text) in [
        (
            &["repair", "f", "-o", "f/out"][..],
            2,
            "into which nothing is written",
        ),
        (
            &["repair", "f", "-o", "f"],
            2,
            "into which nothing is written",
        ),
        (
            &["repair", "f", "-o", "all.pgn"],
            2,
            "`tabia repair f -o saved-f`",
        ),
        (
            &["repair", "f/pack.zip", "-o", "all.cbh"],
            2,
            "`tabia repair f/pack.zip -o saved-pack`",
        ),
        (
            &["repair", "f", "-o", "many.pgn"],
            2,
            "`tabia repair f -o saved-f`",
        ),
        (
            &["repair", "f", "-o", "out", "--to", "zip"],
            2,
            "cannot be written by a repair",
        ),
        (
            &["repair", "f", "-o", "out", "--strict"],
            2,
            "`check --strict`",
        ),
        (
            &["repair", "many.pgn", "-o", "new.pgn", "--tsv"],
            2,
            "`--json` writes",
        ),
        (&["repair", "none", "-o", "out"], 4, "none"),
    ] {
        let run = tabia(&scratch, args).expect(code);
        assert!(run.err.contains(text), "{args:?}: {}", run.err);
    }
    assert!(tree(scratch.path()) == before);
    // An old output stays, and nothing else is written next to it.
    std::fs::create_dir(scratch.join("out")).unwrap();
    std::fs::write(scratch.join("out/games.pgn"), "old").unwrap();
    let run = tabia(&scratch, &["repair", "f", "-o", "out"]).expect(5);
    assert!(run.err.contains("--force"), "{}", run.err);
    assert_eq!(tree(&scratch.join("out")).len(), 1);
    tabia(&scratch, &["repair", "f", "-o", "out", "--force", "-q"]).expect(4);
    let good = tree(&scratch.join("out"));
    // With `--force` what cannot be recovered leaves the old file as it is.
    std::fs::write(scratch.join("f/book.bin"), [0xff; 40]).unwrap();
    tabia(&scratch, &["repair", "f", "-o", "out", "--force", "-q"]).expect(4);
    assert!(tree(&scratch.join("out")) == good);
}

#[test]
#[cfg(unix)]
fn links_lead_to_no_input() {
    let scratch = damaged("repair-links");
    std::fs::create_dir(scratch.join("out")).unwrap();
    std::os::unix::fs::symlink("../f/sub", scratch.join("out/sub")).unwrap();
    let before = tree(&scratch.join("f/sub"));
    for force in ["--quiet", "--force"] {
        let run = tabia(&scratch, &["repair", "f", "-o", "out", force]).expect(2);
        assert!(
            run.err.contains("into which nothing is written"),
            "{}",
            run.err
        );
    }
    std::fs::remove_file(scratch.join("out/sub")).unwrap();
    std::os::unix::fs::symlink("../f/games.pgn", scratch.join("out/games.pgn")).unwrap();
    let run = tabia(&scratch, &["repair", "f", "-o", "out", "--force"]).expect(2);
    assert!(
        run.err.contains("into which nothing is written"),
        "{}",
        run.err
    );
    assert!(tree(&scratch.join("f/sub")) == before);
    assert_eq!(
        std::fs::read_to_string(scratch.join("f/games.pgn")).unwrap(),
        GAMES
    );
}

#[test]
fn two_repairs_at_once_write_whole_files() {
    let scratch = damaged("repair-twice");
    tabia(&scratch, &["repair", "f", "-o", "alone", "-q"]).expect(4);
    let alone = tree(&scratch.join("alone"));
    for force in [true, false] {
        let start = || {
            let mut command = command(scratch.path());
            command.args(["repair", "f", "-o", "out", "-q"]);
            if force {
                command.arg("--force");
            }
            command.stdin(Stdio::null());
            with_pipes(&mut command)
        };
        let both = [start(), start()];
        for child in both {
            let output = child.wait_with_output().unwrap();
            let code = output.status.code().unwrap();
            let is_expected = if force { code == 4 } else { code == 5 };
            assert!(
                is_expected,
                "{code}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        assert!(tree(&scratch.join("out")) == alone);
    }
}
