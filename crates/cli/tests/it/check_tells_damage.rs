use tabia_testkit::Scratch;

use crate::common::{many_games, names, tabia, with_games, with_sample};

#[test]
fn a_sound_database_passes() {
    let folder = with_sample("sound");
    for args in [
        &["check", "mega.cbh", "--json"][..],
        &["check", "mega.cbh", "--json", "--deep"],
    ] {
        let run = tabia(&folder, args).expect(0);
        let entry = &run.json()[0];
        assert_eq!(entry["problems"], 0);
        assert!(entry["games"].as_u64().unwrap() > 5);
        assert!(entry["plies"].as_u64().unwrap() > 20);
        assert!(!entry["annotations"].as_array().unwrap().is_empty());
    }
}

#[test]
fn damage_is_told_with_its_place() {
    let folder = with_sample("damage");
    let path = folder.join("mega.cbg");
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes.truncate(half);
    std::fs::write(&path, bytes).unwrap();
    let run = tabia(
        &folder,
        &["check", "mega.cbh", "--json", "--report", "r.json"],
    )
    .expect(3);
    let problems = run.json()[0]["problems"].as_u64().unwrap();
    assert!(problems > 0);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        report["problems"].as_array().unwrap().len() as u64,
        problems
    );
    let placed = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .find(|problem| problem.get("game").is_some())
        .unwrap();
    assert!(placed["file"].as_str().unwrap().contains("mega.cb"));
    assert!(placed["reason"].is_string());
}

#[test]
fn more_than_ten_problems_are_counted_not_listed() {
    let folder = with_games("many-problems");
    let bad = "[White \"A\"]\n\n1. Ke3 *\n\n".repeat(25);
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    let run = tabia(&folder, &["check", "bad.pgn"]).expect(3);
    let listed = |run: &str| {
        run.lines()
            .filter(|line| line.contains("bad.pgn: game"))
            .count()
    };
    assert_eq!(listed(&run.err), 10);
    assert!(run.err.contains("15 more problems"), "{}", run.err);
    let run = tabia(&folder, &["check", "bad.pgn", "-v"]).expect(3);
    assert_eq!(listed(&run.err), 25);
}

/// Takes away or cuts one file of a set after another: what `info` says of the whole set is said by
/// whatever reads its games, and the run ends with 3. Returns how often something was said.
fn told_by_all_readers(folder: &Scratch, main: &str) -> u32 {
    let mut told = 0;
    let stem = main.split('.').next().unwrap();
    let files = names(folder);
    for file in files.iter().filter(|file| file.starts_with(stem)) {
        let whole = std::fs::read(folder.join(file)).unwrap();
        for length in [None, Some(whole.len() * 2 / 3), Some(whole.len() - 1)] {
            match length {
                None => std::fs::remove_file(folder.join(file)).unwrap(),
                Some(length) => std::fs::write(folder.join(file), &whole[..length]).unwrap(),
            }
            let info = tabia(folder, &["info", main, "--json"]);
            if info.code == 4 {
                std::fs::write(folder.join(file), &whole).unwrap();
                continue;
            }
            let faults: Vec<String> = info.json()[0]["problemList"]
                .as_array()
                .map(|list| list.iter().map(|text| text.as_str().unwrap().to_owned()))
                .into_iter()
                .flatten()
                .collect();
            for args in [
                &["convert", main, "-o", "out.pgn", "--force", "-v"][..],
                &["ls", main, "-v"],
                &["show", main, "--game", "2", "-v"],
                &["book", "build", main, "-o", "out.bin", "--force", "-v"],
            ] {
                let run = tabia(folder, args);
                let what = format!("{file} cut to {length:?}, {args:?}: {}", run.err);
                if !faults.is_empty() {
                    assert!([3, 4].contains(&run.code), "{} of {what}", run.code);
                }
                for fault in &faults {
                    assert!(run.err.contains(fault), "`{fault}` is not told with {what}");
                    told += 1;
                }
            }
            std::fs::write(folder.join(file), &whole).unwrap();
        }
    }
    told
}

#[test]
fn what_is_wrong_with_a_set_is_told_by_all_who_read_it() {
    let folder = Scratch::new("set-faults");
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    for (main, least) in [
        ("a.si3", 16),
        ("b.si4", 16),
        ("c.si5", 16),
        ("d.sci", 8),
        ("e.cbh", 16),
    ] {
        tabia(&folder, &["convert", "many.pgn", "-o", main, "-q"]).expect(0);
        let told = told_by_all_readers(&folder, main);
        assert!(told >= least, "{main}: {told}");
    }
}

#[test]
fn what_is_wrong_with_a_book_is_told_by_all_who_read_it() {
    let folder = Scratch::new("book-faults");
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    for main in ["b.ctg", "c.abk", "d.kob"] {
        let args = [
            "book",
            "build",
            "many.pgn",
            "-o",
            main,
            "--min-games",
            "1",
            "-q",
        ];
        tabia(&folder, &args).expect(0);
        let written = if main == "d.kob" { "d_0.kob" } else { main };
        let mut bytes = std::fs::read(folder.join(written)).unwrap();
        bytes.extend_from_slice(b"no more");
        std::fs::write(folder.join(written), bytes).unwrap();
        let info = tabia(&folder, &["info", written, "--json"])
            .expect(0)
            .json();
        let faults: Vec<&str> = info[0]["problemList"]
            .as_array()
            .map(|list| list.iter().map(|text| text.as_str().unwrap()))
            .into_iter()
            .flatten()
            .collect();
        assert!(!faults.is_empty(), "{main}");
        for (args, code) in [
            (
                &["book", "convert", written, "-o", "out.abk", "--force"][..],
                3,
            ),
            (&["book", "convert", written, "-o", "out.pgn", "--force"], 3),
            (&["book", "merge", written, "-o", "out.bin", "--force"], 3),
            (&["book", "line", written], 0),
            (&["book", "find", written], 0),
        ] {
            let run = tabia(&folder, args).expect(code);
            for fault in &faults {
                assert!(run.err.contains(fault), "{main}, {args:?}: {}", run.err);
            }
        }
        let args = ["book", "convert", written, "-o", "strict.bin", "--strict"];
        tabia(&folder, &args).expect(4);
        assert!(!folder.join("strict.bin").exists());
    }
}
