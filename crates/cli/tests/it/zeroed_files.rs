//! Files whose end has zeros at its full length, as an interrupted copy or a power failure leaves them: nothing is
//! missing and nothing is cut, and no game is invented.

use tabia_testkit::Scratch;

use crate::common::{many_games, names, tabia, with_sample};

const NEW: &str = "[White \"Ghosh\"]\n[Black \"Hills\"]\n\n1. b3 e5 *\n\n";
const GAMES: usize = 40;

/// Fills a file with zeros from an offset on.
fn zero(folder: &Scratch, file: &str, from: usize) {
    let path = folder.join(file);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[from..].fill(0);
    std::fs::write(path, bytes).unwrap();
}

/// As [`zero`], of the second half.
fn zero_half(folder: &Scratch, file: &str) {
    let length = std::fs::metadata(folder.join(file)).unwrap().len();
    zero(folder, file, length as usize / 2);
}

/// The sample as `t.cbh`, with its deleted game.
fn copied_sample(name: &str) -> Scratch {
    let folder = with_sample(name);
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    let args = ["convert", "mega.cbh", "-o", "t.cbh", "--include-deleted"];
    tabia(&folder, &args).expect(0);
    folder
}

/// A database of [`GAMES`] games in a format.
fn many(name: &str, main: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("many.pgn"), many_games(GAMES)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", main, "-q"]).expect(0);
    folder
}

/// The commands that read an index.
fn readers(main: &str) -> [Vec<&str>; 4] {
    [
        vec!["ls", main],
        vec!["info", main],
        vec!["stats", main, "--by", "result"],
        vec!["search", main, "white:Player"],
    ]
}

fn warnings(err: &str) -> usize {
    let lines = err.lines();
    lines.filter(|line| line.starts_with("warning:")).count()
}

#[test]
fn zeroed_index_entries_are_no_games() {
    for extension in ["cbh", "si3", "si4", "si5", "sci", "2cbh"] {
        let main = &*format!("many.{extension}");
        let folder = many(&format!("zeroed-index-{extension}"), main);
        zero_half(&folder, main);
        for args in readers(main) {
            let run = tabia(&folder, &args).expect(3);
            let text = "entries have only zeros, which no program writes";
            assert!(run.err.contains(text), "{args:?}: {}", run.err);
            // Of Scid 5 the game file is larger than the rest of the index states.
            let expected = if extension == "si5" { 2 } else { 1 };
            assert_eq!(warnings(&run.err), expected, "{args:?}: {}", run.err);
        }
        let rows = tabia(&folder, &["ls", main, "--no-header"]).expect(3).out;
        let rows = rows.lines().count();
        assert!(
            (GAMES / 2 - 3..=GAMES / 2).contains(&rows),
            "{extension}: {rows}"
        );
        let info = tabia(&folder, &["info", main, "--json"]).expect(3).out;
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        assert_eq!(info[0]["games"], rows, "{extension}: {info}");
        let converted = tabia(&folder, &["convert", main, "-o", "-"]).expect(3);
        assert_eq!(
            converted.out.matches("[White ").count(),
            rows,
            "{extension}"
        );
        let query = ["search", main, "white:Unknownperson"];
        tabia(&folder, &query).expect(3);
    }
}

#[test]
fn names_and_moves_of_zeros_are_reported_once() {
    for (extension, files) in [
        ("cbh", &["cbp", "cbt", "cbg"][..]),
        ("si3", &["sg3"]),
        ("si4", &["sg4"]),
        ("si5", &["sg5", "sn5"]),
        ("sci", &["scg"]),
        ("2cbh", &["2lid", "2cbg"]),
    ] {
        for file in files {
            let main = &*format!("many.{extension}");
            let folder = many(&format!("zeroed-{file}"), main);
            zero_half(&folder, &format!("many.{file}"));
            for args in readers(main) {
                let run = tabia(&folder, &args).expect(3);
                assert!(
                    run.err.contains(&format!("many.{file}: ")),
                    "{file}: {}",
                    run.err
                );
            }
            let run = tabia(&folder, &["ls", main]).expect(3);
            assert_eq!(warnings(&run.err), 1, "{file}: {}", run.err);
        }
    }
}

/// Files of the sample and where zeros begin in them.
const DAMAGED: [(&str, usize); 8] = [
    ("t.cbg", 300),
    ("t.cbg", 0),
    ("t.cbg", 921),
    ("t.cba", 1745),
    ("t.cba", 0),
    ("t.cbe", 32),
    ("t.cbj", 600),
    ("t.cbh", 150),
];

#[test]
fn damaged_sets_are_not_changed() {
    for (file, from) in DAMAGED {
        let folder = copied_sample("zeroed-refused");
        zero(&folder, file, from);
        tabia(&folder, &["check", "t.cbh"]).expect(3);
        let before = names(&folder);
        for args in [
            &["append", "new.pgn", "-o", "t.cbh"][..],
            &["convert", "new.pgn", "-o", "t.cbh", "--append"],
            &["edit", "t.cbh", "-o", "copy.cbh", "--delete", "2"],
            &["edit", "t.cbh", "-o", "copy.cbh", "--pack"],
        ] {
            let run = tabia(&folder, args).expect(4);
            assert!(
                run.err.contains("`tabia repair"),
                "{file} {from}: {}",
                run.err
            );
            assert_eq!(names(&folder), before);
        }
        let run = tabia(&folder, &["append", "new.pgn", "-o", "t.cbh", "--salvage"]).expect(3);
        assert!(
            run.err.contains("damaged; what is left of it"),
            "{file} {from}: {}",
            run.err
        );
        tabia(&folder, &["check", "--deep", "t.cbh"]).expect(0);
    }
}

#[test]
fn salvage_reads_games() {
    for (file, at) in [("t.cbg", 550), ("t.cba", 935)] {
        let folder = copied_sample("salvage-reads");
        let path = folder.join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[at..at + 8].fill(0xff);
        std::fs::write(path, bytes).unwrap();
        tabia(&folder, &["append", "new.pgn", "-o", "t.cbh", "--salvage"]).expect(3);
        tabia(&folder, &["check", "--deep", "t.cbh"]).expect(0);
    }
}

#[test]
fn lost_teams_and_sources_are_reported_by_all_that_write() {
    for (file, from) in [("t.cbe", 32), ("t.cbs", 112)] {
        let folder = copied_sample("zeroed-names-written");
        zero(&folder, file, from);
        let convert = ["convert", "t.cbh", "-o", "o.pgn", "--profile", "full"];
        tabia(&folder, &convert).expect(3);
        for index in ["1", "2"] {
            let shard = [
                "shard", "t.cbh", "-o", "s.pgn", "--of", "2", "--index", index, "-f",
            ];
            tabia(&folder, &shard).expect(3);
        }
        tabia(&folder, &["check", "t.cbh"]).expect(3);
    }
}

#[test]
fn a_zero_in_the_last_name_is_reported() {
    for (main, file) in [("t.si4", "t.sn4"), ("t.si3", "t.sn3"), ("t.sci", "t.scn")] {
        let folder = copied_sample("zeroed-name");
        tabia(&folder, &["convert", "t.cbh", "-o", main, "-q"]).expect(0);
        let length = std::fs::metadata(folder.join(file)).unwrap().len() as usize;
        zero(&folder, file, length - 1);
        for args in [
            &["ls", main][..],
            &["check", main],
            &["convert", main, "-o", "o.pgn"],
        ] {
            let run = tabia(&folder, args).expect(3);
            assert!(run.err.contains("zero bytes"), "{}", run.err);
        }
    }
}

#[test]
fn an_entry_that_zeros_cut_is_not_recovered_completely() {
    let folder = with_sample("zeroed-entry");
    zero(&folder, "mega.cbh", 113);
    let args = [
        "repair",
        "mega.cbh",
        "-o",
        "r.cbh",
        "--report",
        "report.json",
    ];
    tabia(&folder, &args).expect(3);
    let report = std::fs::read(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let records = report["records"].as_array().unwrap();
    let of_game = records.iter().filter(|row| row["game"] == 2);
    assert_eq!(of_game.count(), 1, "{report}");
    // The last one, after which nothing is lost.
    let folder = with_sample("zeroed-last-entry");
    zero(&folder, "mega.cbh", 46 * 9 + 27);
    tabia(&folder, &["repair", "mega.cbh", "-o", "r.cbh"]).expect(3);
}

#[test]
fn what_is_converted_of_a_damaged_set_is_sound() {
    for (file, at, is_cut) in [
        ("t.cba", 103, true),
        ("t.cba", 103, false),
        ("t.cbg", 232, true),
        ("t.cbg", 232, false),
        ("t.cbg", 464, false),
    ] {
        let folder = copied_sample("zeroed-converted");
        if is_cut {
            let path = folder.join(file);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(path, &bytes[..at]).unwrap();
        } else {
            zero(&folder, file, at);
        }
        let convert = ["convert", "t.cbh", "-o", "n.cbh", "--include-deleted"];
        tabia(&folder, &convert).expect(3);
        let run = tabia(&folder, &["check", "--deep", "n.cbh"]);
        assert_eq!(run.code, 0, "{file} {at}: {}", run.err);
    }
}
