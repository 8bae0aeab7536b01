//! What books hold is kept, counted or refused: damaged lists of sources, records, appended games, rows by key.

use tabia_testkit::Scratch;

use crate::common::tabia;

/// Writes games, each of these moves, between rated players.
fn write_games(folder: &Scratch, name: &str, games: &[&str]) {
    let games = games.iter().enumerate().map(|(number, moves)| {
        format!(
            "[White \"White{number}\"]\n[Black \"Black{number}\"]\n[Result \"1/2-1/2\"]\n[WhiteElo \"2500\"]\n\
             [BlackElo \"2400\"]\n\n{moves} 1/2-1/2\n\n"
        )
    });
    std::fs::write(folder.join(name), games.collect::<String>()).unwrap();
}

const GAMES: [&str; 4] = [
    "1. e4 e5 2. Nf3 Nc6",
    "1. d4 d5 2. c4 e6",
    "1. c4 e6 2. d4 d5",
    "1. e4 c5 2. Nf3 d6",
];

fn build(folder: &Scratch, games: &str, book: &str) {
    let build = ["book", "build", games, "-o", book, "--min-games", "1"];
    tabia(folder, &build).expect(0);
}

#[test]
fn ratings_and_advice_that_a_target_lacks_are_counted() {
    let folder = Scratch::new("book-ratings");
    write_games(&folder, "g.pgn", &GAMES);
    build(&folder, "g.pgn", "a.ctg");
    let edit = [
        "book", "edit", "a.ctg", "-o", "b.ctg", "--move", "e4", "--advice", "play",
    ];
    tabia(&folder, &edit).expect(0);
    for target in ["b.bin", "b.abk"] {
        for verb in ["convert", "merge"] {
            let run = tabia(&folder, &["book", verb, "b.ctg", "-o", target, "-f"]).expect(0);
            for text in ["ratings of book moves", "book moves with advice  "] {
                assert!(run.err.contains(text), "{target}: {text}: {}", run.err);
            }
            assert!(!run.err.contains("weights of book moves"), "{}", run.err);
        }
    }
}

#[test]
fn a_list_of_sources_that_was_cut_is_found_and_mended() {
    let folder = Scratch::new("book-sources-cut");
    let games: Vec<&str> = GAMES.iter().copied().cycle().take(40).collect();
    write_games(&folder, "g.pgn", &games);
    let build = ["book", "build", "g.pgn", "-o", "a.kob", "--game-links"];
    tabia(&folder, &build).expect(0);
    tabia(&folder, &["check", "a_0.kob"]).expect(0);
    let sources = folder.join("a.ksf");
    let bytes = std::fs::read(&sources).unwrap();
    std::fs::write(&sources, &bytes[..bytes.len() - 100]).unwrap();
    let check = tabia(&folder, &["check", "a_0.kob"]).expect(3);
    let text = "games in the list of sources (.ksf) are cut off or damaged";
    assert!(
        format!("{}{}", check.out, check.err).contains(text),
        "{}",
        check.err
    );
    let fix = tabia(&folder, &["book", "fix", "a_0.kob", "-o", "b.kob"]);
    assert!(fix.err.contains("links to games"), "{}", fix.err);
    tabia(&folder, &["check", "b_0.kob"]).expect(0);
    // The games before the cut are linked as before.
    let found = tabia(
        &folder,
        &[
            "book",
            "find",
            "b_0.kob",
            "--moves",
            "e4 e5 Nf3 Nc6",
            "--json",
        ],
    );
    let found = found.expect(0).json();
    assert_eq!(found["topGames"][0]["white"]["name"], "White0", "{found}");
}

#[test]
fn games_are_appended_by_the_settings_of_the_book() {
    let folder = Scratch::new("book-append");
    write_games(&folder, "g.pgn", &GAMES);
    write_games(&folder, "h.pgn", &["1. Nf3 d5 2. g3"]);
    let build = [
        "book",
        "build",
        "g.pgn",
        "-o",
        "a.kob",
        "--game-links",
        "--max-ply",
        "2",
    ];
    tabia(&folder, &build).expect(0);
    let append = [
        "book",
        "build",
        "h.pgn",
        "-o",
        "a.kob",
        "--game-links",
        "--append",
    ];
    let refused = tabia(&folder, &[&append[..], &["--max-ply", "3"]].concat()).expect(2);
    assert!(
        refused.err.contains("holds 2 plies of each game"),
        "{}",
        refused.err
    );
    let run = tabia(&folder, &append).expect(0);
    assert!(!run.err.contains("already"), "{}", run.err);
    let record = || -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(folder.join("a.kob.json")).unwrap()).unwrap()
    };
    let row = record();
    assert_eq!(row["options"]["maxPly"], 2);
    assert_eq!(
        (&row["games"]["used"], &row["sources"][1]["used"]),
        (&5.into(), &1.into())
    );
    assert_eq!(
        (&row["sources"][0]["path"], &row["sources"][1]["path"]),
        (&"g.pgn".into(), &"h.pgn".into())
    );
    // The same source again.
    let refused = tabia(&folder, &append).expect(2);
    assert!(refused.err.contains("`--again`"), "{}", refused.err);
    let run = tabia(&folder, &[&append[..], &["--again"]].concat()).expect(0);
    let text = "the book has the games of h.pgn already, from a file with the same bytes";
    assert!(run.err.contains(text), "{}", run.err);
    assert_eq!(record()["sources"].as_array().unwrap().len(), 3);
}

#[test]
fn lost_links_to_games_have_a_reason() {
    let folder = Scratch::new("book-links-lost");
    let games = vec!["1. e4 e5"; 1500];
    write_games(&folder, "g.pgn", &games);
    let build = ["book", "build", "g.pgn", "-o", "a.kob", "--game-links"];
    let run = tabia(&folder, &build).expect(0);
    let text = "lost: where more games end than fit into the record of a position";
    assert!(run.err.contains(text), "{}", run.err);
}

#[test]
fn new_moves_by_key_are_legal_moves() {
    let folder = Scratch::new("book-import-key");
    write_games(&folder, "g.pgn", &GAMES);
    build(&folder, "g.pgn", "a.bin");
    let import = |rows: &str| {
        std::fs::write(
            folder.join("rows.csv"),
            format!("key,move,weight\n{rows}\n"),
        )
        .unwrap();
        let edit = [
            "book", "edit", "a.bin", "-o", "b.bin", "-f", "--import", "rows.csv",
        ];
        tabia(&folder, &edit)
    };
    let run = import("463b96181691fc9c,e2e5,7").expect(4);
    let text = "rows.csv: line 2";
    assert!(
        run.err.contains("`e2e5` is not a legal move in rnbq"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains(text) || run.err.contains("rows.csv:2"),
        "{}",
        run.err
    );
    // After 1.e4, which the book reaches.
    let run = import("823c9b50fd114196,e7e4,7").expect(4);
    assert!(
        run.err.contains("is not a legal move in rnbq"),
        "{}",
        run.err
    );
    import("823c9b50fd114196,e7e6,7").expect(0);
    import("463b96181691fc9c,a2a3,7").expect(0);
    let run = import("0000000000000001,e2e4,7").expect(4);
    assert!(run.err.contains("is not known"), "{}", run.err);
}

#[test]
fn an_empty_book_is_not_written() {
    let folder = Scratch::new("book-build-empty");
    write_games(&folder, "g.pgn", &GAMES);
    for option in [["--where", "player:zzz"], ["--min-games", "99999"]] {
        for target in ["a.bin", "a.abk", "a.ctg", "a.kob"] {
            let build = ["book", "build", "g.pgn", "-o", target];
            let run = tabia(&folder, &[&build[..], &option].concat()).expect(1);
            assert!(
                run.err.contains("nothing is written"),
                "{target}: {}",
                run.err
            );
        }
    }
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 1, "only the games");
}

#[test]
fn weights_that_add_up_in_games_are_counted() {
    let folder = Scratch::new("book-shared-games");
    write_games(&folder, "g.pgn", &GAMES);
    build(&folder, "g.pgn", "a.bin");
    let run = tabia(&folder, &["book", "convert", "a.bin", "-o", "a.ctg"]).expect(0);
    // 1.d4 d5 2.c4 e6 is 1.c4 e6 2.d4 d5.
    let text = "1 move leads to a position that another leads to";
    assert!(run.err.contains(text), "{}", run.err);
    assert!(!run.err.contains("in proportion to them"), "{}", run.err);
}

#[test]
fn lines_report_what_they_do_not_hold() {
    let folder = Scratch::new("book-lines-losses");
    write_games(&folder, "g.pgn", &GAMES);
    build(&folder, "g.pgn", "a.ctg");
    let convert = [
        "book", "convert", "a.ctg", "-o", "a.pgn", "--report", "r.json",
    ];
    let run = tabia(&folder, &convert).expect(0);
    for text in [
        "game counts of book moves",
        "results of book moves",
        "ratings of book moves",
    ] {
        assert!(run.err.contains(text), "{text}: {}", run.err);
    }
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("r.json")).unwrap()).unwrap();
    assert_eq!(report["losses"][0]["kind"], "bookCounts", "{report}");
    // A book for Black is walked through the moves of White.
    let build = [
        "book",
        "build",
        "g.pgn",
        "-o",
        "b.bin",
        "--min-games",
        "1",
        "--only-black",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "convert", "b.bin", "-o", "b.pgn"]).expect(0);
    let text = "on these lines not in the book";
    assert!(run.err.contains(text), "{}", run.err);
}

#[test]
fn a_fen_without_castling_rights_is_completed() {
    let folder = Scratch::new("book-find-side");
    write_games(&folder, "g.pgn", &GAMES);
    build(&folder, "g.pgn", "a.bin");
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b";
    let run = tabia(&folder, &["book", "find", "a.bin", "--fen", board]).expect(0);
    assert!(
        run.out.contains("e5") && run.out.contains("c5"),
        "{}",
        run.out
    );
    let text = "the FEN does not state castling rights; found: rnbq";
    assert!(run.err.contains(text), "{}", run.err);
    // Of the other side the book has nothing.
    let other = board.replace(" b", " w");
    let run = tabia(&folder, &["book", "find", "a.bin", "--fen", &other]).expect(2);
    assert!(
        run.err.contains("does not state castling rights"),
        "{}",
        run.err
    );
    // Without a king at home there are none to state.
    let none = "8/8/4k3/8/8/4K3/4P3/8 w";
    tabia(&folder, &["book", "find", "a.bin", "--fen", none]).expect(1);
}

#[test]
fn a_walk_counts_the_last_move() {
    let folder = Scratch::new("book-depth");
    write_games(&folder, "g.pgn", &GAMES);
    for book in ["a.bin", "a.ctg"] {
        build(&folder, "g.pgn", book);
        let info = tabia(&folder, &["book", "info", book, "--walk", "--json"]).json();
        assert_eq!(info[0]["depth"], 4, "{book}");
    }
}

#[test]
fn a_record_of_another_book_is_not_used() {
    let folder = Scratch::new("book-record-stale");
    write_games(&folder, "g.pgn", &GAMES);
    let build = [
        "book",
        "build",
        "g.pgn",
        "-o",
        "a.bin",
        "--min-games",
        "1",
        "--max-ply",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let explain = ["book", "explain", "a.bin", "--moves", "e4", "g.pgn"];
    // One ply of each game is in the book, so none of this position.
    let run = tabia(&folder, &explain).expect(1);
    assert!(!run.err.contains("is not used"), "{}", run.err);
    let record = folder.join("a.bin.json");
    let kept = std::fs::read(&record).unwrap();
    let convert = ["book", "build", "g.pgn", "-o", "b.bin", "--min-games", "1"];
    tabia(&folder, &convert).expect(0);
    let run = tabia(&folder, &["book", "convert", "b.bin", "-o", "a.bin", "-f"]).expect(0);
    assert!(run.err.contains("a.bin.json: removed"), "{}", run.err);
    assert!(!record.exists());
    std::fs::write(&record, kept).unwrap();
    let run = tabia(&folder, &explain).expect(0);
    let text = "a.bin.json is the record of another book than a.bin as it is now, and is not used";
    assert!(run.err.contains(text), "{}", run.err);
}
