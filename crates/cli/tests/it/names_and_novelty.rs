//! `names` and `novelty`.

use tabia_testkit::Scratch;

use crate::common::{tabia, with_games, with_sample};

fn game(white: &str, black: &str, site: &str, date: &str, moves: &str) -> String {
    format!(
        "[Event \"E\"]\n[Site \"{site}\"]\n[Date \"{date}\"]\n[Round \"?\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"*\"]\n\n{moves} *\n\n"
    )
}

#[test]
fn names_are_changed_only_where_a_file_wants_it() {
    let folder = with_sample("names");
    let games = [
        game(
            "Carlsen, Magnus",
            "Aronian, L",
            "Wijk aan Zee",
            "2010.01.01",
            "1. e4",
        ),
        game(
            "Carlsen,M",
            "Aronian, Levon",
            "WIJK AAN ZEE",
            "2011.01.01",
            "1. d4",
        ),
        game(
            "Polgar, S",
            "Polgar, Susan",
            "Linares",
            "1990.01.01",
            "1. c4",
        ),
        game(
            "Polgar, Sofia",
            "Kasparow, G",
            "Linares",
            "1990.01.01",
            "1. c4",
        ),
    ];
    std::fs::write(folder.join("g.pgn"), games.concat()).unwrap();
    std::fs::write(
        folder.join("s.ssp"),
        "@PLAYER\nKasparov, Garry #GM\n=Kasparow, G\n",
    )
    .unwrap();
    let rows = |args: &[&str]| -> Vec<String> {
        let mut all = vec!["names", "g.pgn", "--tsv", "--no-header"];
        all.extend(args);
        let run = tabia(&folder, &all).expect(0);
        let cells = |row: &str| row.split('\t').take(7).collect::<Vec<_>>().join("|");
        run.out.lines().map(cells).collect()
    };
    let found = [
        "1|player|Aronian, L|1|2010||Aronian, Levon",
        "1|player|Aronian, Levon|1|2011||",
        "2|player|Carlsen, Magnus|1|2010||",
        "2|player|Carlsen,M|1|2011||Carlsen, Magnus",
        "3|site|WIJK AAN ZEE|1|2011||Wijk aan Zee",
        "3|site|Wijk aan Zee|1|2010||",
    ];
    assert_eq!(rows(&["-j1"]), found);
    assert_eq!(rows(&["-j2", "--kind", "player,site"]), found);
    let with_file = rows(&["--kind", "player", "--spelling", "s.ssp"]);
    assert_eq!(
        with_file[4..],
        ["3|player|Kasparow, G|1|1990||Kasparov, Garry"]
    );
    let run = tabia(&folder, &["names", "g.pgn", "--tsv"]).expect(0);
    // The user keeps all rows but that of Aronian.
    let kept: Vec<&str> = run
        .out
        .lines()
        .filter(|row| !row.contains("Aronian, L\t"))
        .collect();
    std::fs::write(folder.join("names.tsv"), kept.join("\n")).unwrap();
    // As a spreadsheet saves it.
    let csv = tabia(&folder, &["names", "g.pgn", "--csv"]).expect(0).out;
    std::fs::write(folder.join("names.csv"), csv.replace('\n', "\r\n")).unwrap();
    let args = ["names", "g.pgn", "--apply", "names.csv", "-o", "csv.pgn"];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("3 spellings replaced"), "{}", run.err);
    for output in ["out.pgn", "out.si5", "out.cbh"] {
        let run = tabia(
            &folder,
            &["names", "g.pgn", "--apply", "names.tsv", "-o", output],
        )
        .expect(0);
        let counts = "2 spellings replaced in 1 game\n";
        assert!(run.err.ends_with(counts), "{}", run.err);
        let run = tabia(
            &folder,
            &[
                "ls",
                output,
                "--columns",
                "white,black,site",
                "--csv",
                "--no-header",
            ],
        );
        assert_eq!(
            run.expect(0).out,
            "\"Carlsen, Magnus\",\"Aronian, L\",Wijk aan Zee\n\"Carlsen, Magnus\",\"Aronian, Levon\",Wijk aan Zee\n\
             \"Polgar, S\",\"Polgar, Susan\",Linares\n\"Polgar, Sofia\",\"Kasparow, G\",Linares\n",
            "{output}"
        );
    }
    let piped = crate::common::tabia_with_input(
        &folder,
        &["names", "g.pgn", "--apply", "-", "-o", "piped.pgn"],
        kept.join("\n").as_bytes(),
    );
    piped.expect(0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("piped.pgn"), read("out.pgn"));
    tabia(&folder, &["names", "-", "--apply", "-", "-o", "twice.pgn"]).expect(2);
    std::fs::write(folder.join("wrong.tsv"), "a\tb\n").unwrap();
    tabia(
        &folder,
        &["names", "g.pgn", "--apply", "wrong.tsv", "-o", "x.pgn"],
    )
    .expect(4);
    tabia(&folder, &["names", "g.pgn", "--apply", "names.tsv"]).expect(2);
    tabia(&folder, &["names", "out.pgn", "--kind", "event"]).expect(1);
}

#[test]
fn novelties_are_the_first_positions_that_no_earlier_game_had() {
    let folder = with_sample("novelty");
    let base = [
        game("A", "B", "?", "2000.01.01", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
        game("A", "B", "?", "2001.01.01", "1. d4 d5 2. c4"),
        game("A", "B", "?", "2005.01.01", "1. e4 e5 2. Nf3 d6 3. d4"),
        // Earlier than none, and earlier than the years after it.
        game(
            "A",
            "B",
            "?",
            "????.??.??",
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5",
        ),
        game("A", "B", "?", "2010.??.??", "1. f4 e5 2. Nf3"),
    ];
    let new = [
        // Leaves both after 2...Nc6.
        game(
            "A",
            "B",
            "?",
            "2010.01.01",
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5",
        ),
        // By another order of moves.
        game("A", "B", "?", "2010.??.??", "1. c4 d5 2. d4 e6"),
        // Between the games of the base.
        game("A", "B", "?", "2003.01.01", "1. e4 e5 2. Nf3 d6"),
        // Nothing new, and no date.
        game("A", "B", "?", "????.??.??", "1. e4 e5 2. Nf3 d6"),
        game("A", "B", "?", "1999.01.01", "1. e4"),
        game("A", "B", "?", "2010.12.31", "1. f4 d5"),
        game("A", "B", "?", "2011.01.??", "1. f4 d5"),
        game(
            "A",
            "B",
            "?",
            "????.??.??",
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5",
        ),
    ];
    std::fs::write(folder.join("base.pgn"), base.concat()).unwrap();
    std::fs::write(folder.join("new.pgn"), new.concat()).unwrap();
    let expected = [
        "1|5|Bc4|1",
        "2|1|c4|3",
        "3|4|d6|1",
        "4|||1",
        "5|0||0",
        "6|1|f4|3",
        "7|2|d5|1",
        "8|5|Bc4|1",
    ];
    tabia(&folder, &["convert", "base.pgn", "-o", "base.si5", "-q"]).expect(0);
    tabia(
        &folder,
        &["convert", "base.pgn", "-o", "old.pgn", "--games", "1", "-q"],
    )
    .expect(0);
    tabia(
        &folder,
        &[
            "convert", "base.pgn", "-o", "rest.cbh", "--games", "2-", "-q",
        ],
    )
    .expect(0);
    for indexed in [false, true] {
        if indexed {
            tabia(&folder, &["index", "base.pgn", "base.si5", "rest.cbh"]).expect(0);
        }
        for (base, threads) in [
            (&["base.pgn"][..], "1"),
            (&["base.si5"], "2"),
            (&["old.pgn", "rest.cbh"], "2"),
        ] {
            // Each `--base` names one, so that the games may come after them.
            let mut args = vec!["novelty", "--tsv", "--no-header", "-j", threads];
            args.extend(base.iter().flat_map(|base| ["--base", base]));
            args.push("new.pgn");
            let run = tabia(&folder, &args).expect(0);
            let cells = |row: &str| {
                let cells: Vec<&str> = row.split('\t').collect();
                [cells[0], cells[1], cells[2], cells[4]].join("|")
            };
            let rows: Vec<String> = run.out.lines().map(cells).collect();
            assert_eq!(rows, expected, "{base:?} {indexed}");
        }
    }
    let args = [
        "novelty", "new.pgn", "--games", "1", "--base", "base.pgn", "--json",
    ];
    let json = tabia(&folder, &args).expect(0).json();
    assert_eq!(
        json[0]["fen"],
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    );
    tabia(
        &folder,
        &[
            "novelty",
            "new.pgn",
            "--base",
            "base.pgn",
            "--where",
            "player:zzz",
        ],
    )
    .expect(1);
    tabia(&folder, &["novelty", "new.pgn"]).expect(2);
    // A glob that the shell did not expand names all its files.
    let args = ["novelty", "--base", "*.cbh", "--base", "old.pg?", "new.pgn"];
    let globs = tabia(&folder, &[&args[..], &["--no-header"]].concat()).expect(0);
    assert_eq!(globs.out.lines().count(), expected.len());
}

/// Games that are read twice are counted once.
#[test]
fn progress_counts_each_game_once() {
    let folder = Scratch::new("progress-counts");
    std::fs::write(folder.join("base.pgn"), crate::common::many_games(40)).unwrap();
    std::fs::write(folder.join("new.pgn"), crate::common::many_games(3)).unwrap();
    for (args, games) in [
        (&["names", "base.pgn", "new.pgn"][..], 43),
        (
            &[
                "novelty", "new.pgn", "--base", "base.pgn", "--index", "never",
            ],
            43,
        ),
        (&["dedupe", "base.pgn", "new.pgn", "--dry-run"], 43),
    ] {
        let run = tabia(&folder, &[args, &["--progress", "json"]].concat());
        let done = run
            .err
            .lines()
            .find(|line| line.contains("\"done\""))
            .unwrap();
        assert!(
            done.contains(&format!("\"games\":{games},")),
            "{args:?}: {done}"
        );
    }
    // Of the base, those games whose players are those of a new one.
    let args = [
        "append",
        "new.pgn",
        "-o",
        "base.pgn",
        "--dry-run",
        "--progress",
        "json",
    ];
    let run = tabia(&folder, &args);
    let done = run
        .err
        .lines()
        .find(|line| line.contains("\"done\""))
        .unwrap();
    let done: serde_json::Value = serde_json::from_str(done).unwrap();
    assert!(done["games"].as_u64() <= Some(43), "{done}");
}

#[test]
fn novelties_name_the_players() {
    let folder = Scratch::new("novelty-players");
    let new = game(
        "Carlsen, Magnus",
        "Aronian, L",
        "X",
        "2010.01.01",
        "1. e4 c5",
    );
    let old = game("Tal, M", "Petrosian, T", "Y", "1960.01.01", "1. e4 e5");
    std::fs::write(folder.join("new.pgn"), new).unwrap();
    std::fs::write(folder.join("old.pgn"), old).unwrap();
    let novelty =
        |style: &str| tabia(&folder, &["novelty", "new.pgn", "--base", "old.pgn", style]).expect(0);
    let row = &novelty("--json").json()[0];
    assert_eq!(
        (&row["white"], &row["black"]),
        (&"Carlsen, Magnus".into(), &"Aronian, L".into())
    );
    let rows = novelty("--csv").out;
    assert!(
        rows.starts_with("game,ply,san,fen,basegames,white,black\n"),
        "{rows}"
    );
    assert!(
        rows.ends_with(",\"Carlsen, Magnus\",\"Aronian, L\"\n"),
        "{rows}"
    );
}

#[test]
fn a_novelty_is_marked_once() {
    let folder = with_games("novelty-again");
    let text = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 $1 {mine} (2. f4 $146 {the book ends here}) 2... Nc6 *\n\n\
        1. Nf3 {the book has nothing} *\n";
    std::fs::write(folder.join("more.pgn"), text).unwrap();
    std::fs::write(
        folder.join("book.pgn"),
        "1. e4 e5 2. Bc4 1-0\n\n1. d4 1-0\n",
    )
    .unwrap();
    let build = [
        "book",
        "build",
        "book.pgn",
        "-o",
        "b.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let mut read = vec!["games.pgn".to_owned(), "more.pgn".to_owned()];
    let mut texts = Vec::new();
    for round in 0..3 {
        let out = format!("round{round}.pgn");
        let args = ["book", "novelty", "--book", "b.bin", "-o", &out];
        let inputs: Vec<&str> = read.iter().map(String::as_str).collect();
        tabia(&folder, &[&args[..], &inputs].concat()).expect(0);
        texts.push(std::fs::read_to_string(folder.join(&out)).unwrap());
        read = vec![out];
    }
    assert!(texts[0].contains("$146 {the book has"), "{}", texts[0]);
    let words: Vec<&str> = texts[0].split_whitespace().collect();
    let variation = "(2. f4 $146 {the book ends here})";
    assert!(words.join(" ").contains(variation), "{}", texts[0]);
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[1], texts[2]);
}
