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
fn damage_is_reported_with_its_location() {
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
    let bad = |moves: &str| format!("[White \"A\"]\n\n1. {moves} *\n\n");
    // Many of one kind are one line, a few of another kind have a line each.
    std::fs::write(folder.join("bad.pgn"), bad("Ke3").repeat(25)).unwrap();
    let run = tabia(&folder, &["check", "bad.pgn"]).expect(3);
    let alike = "; and 24 more like this, the last in game 25\nhint: ";
    assert!(run.err.contains(alike), "{}", run.err);
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
    // Problems in different files are not of one kind.
    let mut files = Vec::new();
    for number in 0..12 {
        let name = format!("bad{number}.pgn");
        std::fs::write(folder.join(&name), bad("Ke3")).unwrap();
        files.push(name);
    }
    let mut args = vec!["check"];
    args.extend(files.iter().map(String::as_str));
    let run = tabia(&folder, &args).expect(3);
    assert_eq!(run.err.matches("warning: ").count(), 12, "{}", run.err);
    std::fs::write(folder.join("bad.pgn"), bad("Ke3").repeat(25)).unwrap();
    let listed = |run: &str| {
        run.lines()
            .filter(|line| line.contains("bad.pgn: game"))
            .count()
    };
    let run = tabia(&folder, &["check", "bad.pgn", "-v"]).expect(3);
    assert_eq!(listed(&run.err), 25);
}

/// Removes or truncates one file of a set after another: every verb that reads games reports the
/// problems that `info` reports, and exits with 3. Returns the number of reported problems.
fn count_reported_problems(folder: &Scratch, main: &str) -> u32 {
    let mut reported = 0;
    let stem = main.split('.').next().unwrap();
    let files = names(folder);
    for file in files.iter().filter(|file| file.starts_with(stem)) {
        let intact = std::fs::read(folder.join(file)).unwrap();
        for length in [None, Some(intact.len() * 2 / 3), Some(intact.len() - 1)] {
            match length {
                None => std::fs::remove_file(folder.join(file)).unwrap(),
                Some(length) => std::fs::write(folder.join(file), &intact[..length]).unwrap(),
            }
            let info = tabia(folder, &["info", main, "--json"]);
            if info.code == 4 {
                std::fs::write(folder.join(file), &intact).unwrap();
                continue;
            }
            let problems: Vec<String> = info.json()[0]["problemList"]
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
                if !problems.is_empty() {
                    // Of damage without a game no book is written.
                    let has_no_book = run.code == 1 && run.err.contains("book is empty");
                    let is_reported = has_no_book || [3, 4].contains(&run.code);
                    assert!(is_reported, "{} of {what}", run.code);
                }
                for problem in &problems {
                    assert!(
                        run.err.contains(problem),
                        "`{problem}` is not reported by {what}"
                    );
                    reported += 1;
                }
            }
            std::fs::write(folder.join(file), &intact).unwrap();
        }
    }
    reported
}

#[test]
fn every_reader_reports_problems_of_a_set() {
    let folder = Scratch::new("set-problems");
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    for (main, least) in [
        ("a.si3", 16),
        ("b.si4", 16),
        ("c.si5", 16),
        ("d.sci", 8),
        ("e.cbh", 16),
    ] {
        tabia(&folder, &["convert", "many.pgn", "-o", main, "-q"]).expect(0);
        let reported = count_reported_problems(&folder, main);
        assert!(reported >= least, "{main}: {reported}");
    }
}

#[test]
fn every_reader_reports_problems_of_a_book() {
    let folder = Scratch::new("book-problems");
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
            .expect(3)
            .json();
        let problems: Vec<&str> = info[0]["problemList"]
            .as_array()
            .map(|list| list.iter().map(|text| text.as_str().unwrap()))
            .into_iter()
            .flatten()
            .collect();
        assert!(!problems.is_empty(), "{main}");
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
            for problem in &problems {
                // Messages have separators in numbers.
                let shown = run.err.replace(',', "");
                let problem = problem.replace(',', "");
                assert!(shown.contains(&problem), "{main}, {args:?}: {}", run.err);
            }
        }
        let args = ["book", "convert", written, "-o", "strict.bin", "--strict"];
        tabia(&folder, &args).expect(4);
        assert!(!folder.join("strict.bin").exists());
    }
}

/// One cause is one problem: not one for each game.
#[test]
fn a_missing_file_is_not_reported_for_each_game() {
    let folder = Scratch::new("missing-once");
    std::fs::write(folder.join("many.pgn"), many_games(50)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "a.cbh"]).expect(0);
    std::fs::remove_file(folder.join("a.cbg")).unwrap();
    for args in [
        &["check", "a.cbh", "-v"][..],
        &["info", "a.cbh", "-v"],
        &["ls", "a.cbh", "-v"],
        &["convert", "a.cbh", "-o", "x.pgn", "-v", "--force"],
    ] {
        let run = tabia(&folder, args).expect(3);
        let count = run.err.matches("warning").count();
        assert!((1..=2).contains(&count), "{args:?}: {}", run.err);
        assert!(run.err.contains("a.cbg"), "{args:?}: {}", run.err);
    }
    let shown = tabia(&folder, &["show", "a.cbh", "-g", "7"]);
    assert!(shown.err.contains("a.cbg"), "{}", shown.err);
}

/// What is wrong with an archive is one problem, also where the database in it misses files.
#[test]
fn a_cut_archive_is_reported_once() {
    let folder = with_sample("cut-archive");
    let archive = tabia_testkit::repository().join("samples/tabia.cbv");
    let bytes = std::fs::read(archive).unwrap();
    std::fs::write(folder.join("cut.cbv"), &bytes[..3_500]).unwrap();
    for args in [
        &["convert", "cut.cbv", "-o", "-"][..],
        &["convert", "cut.cbv", "-o", "-", "--verbose"],
        &["ls", "cut.cbv"],
        &["check", "cut.cbv"],
        &["info", "cut.cbv"],
    ] {
        let run = tabia(&folder, args).expect(3);
        let count = run.err.matches("members are missing").count();
        assert_eq!(count, 1, "{args:?}: {}", run.err);
    }
}

/// Moves that are those of another database can be read, and are reported all the same.
#[test]
fn moves_of_another_database_are_reported() {
    let folder = Scratch::new("foreign-moves");
    // As long in every format: five moves, or three and the marks of a variation.
    let one = "1. e4 e5 2. Nf3 Nc6 3. Bc4 *";
    let two = "1. e4 (1. d4) 1... e5 *";
    let games = |moves: &str| format!("[White \"A\"]\n\n{moves}\n\n").repeat(4);
    for (format, file) in [("cbh", "cbg"), ("2cbh", "2cbg"), ("si4", "sg4")] {
        for (name, moves) in [("one", one), ("two", two)] {
            std::fs::write(folder.join("g.pgn"), games(moves)).unwrap();
            let target = format!("{name}.{format}");
            tabia(&folder, &["convert", "g.pgn", "-o", &target]).expect(0);
            let sound = tabia(&folder, &["check", &target]).expect(0);
            assert!(
                !sound.err.contains("two databases"),
                "{format}: {}",
                sound.err
            );
        }
        let copied = std::fs::copy(
            folder.join(format!("two.{file}")),
            folder.join(format!("one.{file}")),
        );
        assert!(copied.is_ok());
        let run = tabia(&folder, &["check", &format!("one.{format}")]).expect(3);
        let text = "4 of 4 games have other numbers of moves than the index states";
        assert!(run.err.contains(text), "{format}: {}", run.err);
    }
}

/// What is not played here, or is written in another character set, is no damage that a repair would mend.
#[test]
fn nothing_is_repaired_where_nothing_is_damaged() {
    let folder = with_games("no-repair");
    let atomic = "[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Ng5 *\n";
    std::fs::write(folder.join("atomic.pgn"), atomic).unwrap();
    let run = tabia(&folder, &["check", "atomic.pgn"]).expect(3);
    assert!(run.err.contains("are not played here"), "{}", run.err);
    assert!(!run.err.contains("hint"), "{}", run.err);
    std::fs::write(folder.join("set.pgn"), b"[White \"\x81\x8d\"]\n\n1. e4 *\n").unwrap();
    let run = tabia(&folder, &["check", "set.pgn"]).expect(3);
    assert!(!run.err.contains("tabia repair"), "{}", run.err);
    assert!(run.err.contains("hint: `--encoding` names"), "{}", run.err);
    // Next to damage the hint is there.
    std::fs::write(
        folder.join("both.pgn"),
        format!("{atomic}\n[White \"C\"]\n\n1. e4 e9 *\n"),
    )
    .unwrap();
    let run = tabia(&folder, &["check", "both.pgn"]).expect(3);
    assert!(run.err.contains("`tabia repair both.pgn"), "{}", run.err);
    // The moves are not lost.
    let run = tabia(&folder, &["repair", "atomic.pgn", "-o", "saved.pgn"]).expect(3);
    let text = "1  whose moves could not be read: they are kept as text";
    assert!(run.err.contains(text), "{}", run.err);
    assert!(!run.err.contains("only the header is left"), "{}", run.err);
    let saved = std::fs::read_to_string(folder.join("saved.pgn")).unwrap();
    assert!(saved.contains("Ng5"), "{saved}");
    let json = [
        "repair",
        "atomic.pgn",
        "-o",
        "saved.pgn",
        "--force",
        "--json",
    ];
    let json = tabia(&folder, &json).expect(3).json();
    assert_eq!(
        (&json["withoutMoves"], &json["withUnreadMoves"]),
        (&0.into(), &1.into())
    );
}

/// A deep check compares the files of a set; what is missing was reported when the set was opened.
#[test]
fn a_missing_file_is_one_problem_of_a_deep_check() {
    let folder = with_sample("deep-once");
    std::fs::remove_file(folder.join("mega.cbj")).unwrap();
    let problems = |args: &[&str]| {
        let run = tabia(&folder, &[&["check", "mega.cbh", "--json"], args].concat()).expect(3);
        let row = run.json()[0].clone();
        assert!(!run.err.contains("mega.cbh: mega.cb"), "{}", run.err);
        (
            row["problems"].as_u64().unwrap(),
            run.err.matches("mega.cbj: ").count(),
        )
    };
    assert_eq!(problems(&["--deep"]), problems(&[]));
}
