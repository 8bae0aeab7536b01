//! What scripts and authors of engines rely on: exit codes that are true, files that are none, positions as engines name
//! them.

use tabia_testkit::Scratch;

use crate::books::{with_books, with_six, write_book};
use crate::common::{tabia, tabia_with_input, with_games};

/// A new Polyglot entry.
fn entry(key: u64, bits: u16, weight: u16) -> Vec<u8> {
    let number = u128::from(key) << 64 | u128::from(bits) << 48 | u128::from(weight) << 32;
    let bytes = (0..16).rev().map(|at| (number >> (8 * at)) as u8);
    bytes.collect()
}

fn start() -> u64 {
    tabia::core::chess::Position::standard().key()
}

#[test]
fn moves_that_a_book_cannot_hold_are_not_counted_as_added() {
    let folder = Scratch::new("book-unfit");
    write_book(&folder, "s.abk", &[("", "e4", 5), ("e4", "e5", 5)]);
    let elsewhere = "8/8/8/8/8/5k2/6p1/6K1 b - - 0 1";
    let edit = [
        "book", "edit", "s.abk", "--fen", elsewhere, "--move", "Kg3", "--weight", "5", "-o",
        "x.abk",
    ];
    let run = tabia(&folder, &edit).expect(2);
    assert!(
        run.err.contains("Kg3") && run.err.contains("cannot be added"),
        "{}",
        run.err
    );
    assert!(run.err.contains("s.bin"), "{}", run.err);
    assert!(!folder.join("x.abk").exists());
    // Of several what fits is added, and counted.
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let rows = format!("fen,move,weight\n{elsewhere},f3g3,5\n{usual},d2d4,3\n");
    std::fs::write(folder.join("rows.csv"), rows).unwrap();
    let import = [
        "book", "edit", "s.abk", "--import", "rows.csv", "-o", "x.abk",
    ];
    let run = tabia(&folder, &import).expect(3);
    for text in ["1 added, 0 removed", "1 move to be added cannot be held"] {
        assert!(run.err.contains(text), "{}", run.err);
    }
    let run = tabia(&folder, &["book", "diff", "s.abk", "x.abk"]).expect(0);
    assert!(run.err.contains("1 only in the second"), "{}", run.err);
    // A move after one that is added is on a line, too.
    let after = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1";
    let rows = format!("fen,move,weight\n{after},d7d5,5\n{usual},d2d4,3\n");
    std::fs::write(folder.join("rows.csv"), rows).unwrap();
    let import = [
        "book", "edit", "s.abk", "--import", "rows.csv", "-o", "y.abk",
    ];
    let run = tabia(&folder, &import).expect(0);
    assert!(run.err.contains("2 added, 0 removed"), "{}", run.err);
}

#[test]
fn a_promotion_without_a_code_is_not_added() {
    let folder = Scratch::new("book-unfit-code");
    write_book(&folder, "s.ctg", &[("", "e4", 5)]);
    let edit = [
        "book",
        "edit",
        "s.ctg",
        "--fen",
        "8/8/8/8/8/5k2/6p1/K7 b - - 0 1",
        "--move",
        "g1=N",
        "--advice",
        "play",
        "-o",
        "x.ctg",
    ];
    let run = tabia(&folder, &edit).expect(2);
    assert!(run.err.contains("cannot be added"), "{}", run.err);
    assert!(!folder.join("x.ctg").exists());
}

#[test]
fn nothing_written_is_neither_done_nor_done_with_problems() {
    let folder = with_books("book-nothing");
    std::fs::write(folder.join("page.pgn"), "<html>404</html>\n").unwrap();
    std::fs::write(
        folder.join("cut.pgn"),
        "[White \"A\"]\n\n1. e4 e5 2. Ke7 Nf6 *\n\n[White \"B\"]\n\n1. e4 e9 *\n",
    )
    .unwrap();
    let old = std::fs::read(folder.join("one.bin")).unwrap();
    for input in ["page.pgn", "cut.pgn"] {
        for output in ["new.bin", "one.bin"] {
            let run = tabia(&folder, &["book", "build", input, "-o", output, "-f", "-q"]).expect(1);
            assert!(run.err.starts_with("error: "), "{input}: {}", run.err);
            assert!(run.err.contains("empty"), "{input}: {}", run.err);
        }
    }
    assert!(!folder.join("new.bin").exists());
    assert_eq!(std::fs::read(folder.join("one.bin")).unwrap(), old);
}

#[test]
fn texts_are_no_books_whatever_their_name() {
    let folder = Scratch::new("book-texts");
    let page = "<html><head><title>404 Not Found</title></head></html>\n".repeat(8);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n";
    let json =
        "{\"message\": \"rate limit exceeded\", \"documentation_url\": \"https://example.org\"}\n";
    for name in ["page.bin", "page.ctg", "page.abk", "page_0.kob"] {
        for (text, what) in [
            ("<html>404</html>\n", "a web page"),
            (&*page, "a web page"),
            (json, "JSON"),
            (pointer, "a Git LFS pointer"),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
            let run = tabia(&folder, &["book", "info", name]).expect(4);
            assert!(run.err.contains(what), "{name}, {text}: {}", run.err);
            assert_eq!(
                run.err.contains("git lfs pull"),
                what.contains("LFS"),
                "{}",
                run.err
            );
        }
    }
    // Nor is it games.
    std::fs::write(folder.join("games.pgn"), pointer).unwrap();
    let run = tabia(&folder, &["ls", "games.pgn"]).expect(4);
    assert!(run.err.contains("git lfs pull"), "{}", run.err);
}

#[test]
fn entries_of_one_position_are_a_book() {
    let folder = Scratch::new("book-one-key");
    let entries = [
        entry(start(), 0x031c, 60_000),
        entry(start(), 0x02db, 5),
        entry(start(), 0x531c, 7),
    ];
    std::fs::write(folder.join("a.bin"), entries.concat()).unwrap();
    let run = tabia(&folder, &["book", "find", "a.bin", "--tsv"]).expect(0);
    assert!(
        run.out.contains("e4") && run.out.contains("d4"),
        "{}",
        run.out
    );
}

#[test]
fn moves_that_are_not_legal_are_named_alike() {
    let folder = with_books("book-illegal");
    // a2a5 and e2e5.
    let entries = [
        entry(start(), 0x031c, 9),
        entry(start(), 0x0220, 5),
        entry(start(), 0x0324, 5),
    ];
    std::fs::write(folder.join("bad.bin"), entries.concat()).unwrap();
    let info = ["book", "info", "bad.bin", "--walk", "--json"];
    let info = tabia(&folder, &info).expect(3).json();
    assert_eq!(info[0]["problems"], 1);
    let check = tabia(&folder, &["check", "bad.bin", "--json"])
        .expect(3)
        .json();
    assert_eq!(check[0]["problems"], 1);
    let merge = ["book", "merge", "bad.bin", "two.bin", "-o", "all.bin"];
    let run = tabia(&folder, &merge).expect(3);
    let text = "2 entries whose move is not legal dropped";
    assert!(run.err.contains(text), "{}", run.err);
    let info = ["book", "info", "all.bin", "--walk", "--json"];
    let info = tabia(&folder, &info).expect(0).json();
    assert_eq!(info[0]["problems"], 0);
    // The defects are words in a cell.
    let cells = tabia(&folder, &["book", "info", "one.bin", "bad.bin", "--csv"]);
    let cells = cells.expect(0).out;
    assert!(cells.contains("moves of weight 0 1"), "{cells}");
    assert!(!cells.contains('{'), "{cells}");
}

#[test]
fn a_position_may_be_in_the_part_that_is_missing() {
    let folder = Scratch::new("book-cut");
    let mut games = String::new();
    for number in 0..400 {
        let first = ["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"][number % 8];
        let reply = ["a6", "b6", "c6", "d6", "e6", "f6", "g6", "h6"][number / 8 % 8];
        let second = ["Na3", "Nc3", "Nf3", "Nh3"][number / 64 % 4];
        for part in [
            "[Result \"1-0\"]\n\n1. ",
            first,
            " ",
            reply,
            " 2. ",
            second,
            " 1-0\n\n",
        ] {
            games += part;
        }
    }
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    let build = ["book", "build", "g.pgn", "-o", "g.ctg", "--min-games", "1"];
    tabia(&folder, &build);
    let all = std::fs::read(folder.join("g.ctg")).unwrap();
    assert!(all.len() > 4 * 4096, "{}", all.len());
    std::fs::write(folder.join("half.ctg"), &all[..2 * 4096]).unwrap();
    std::fs::copy(folder.join("g.cto"), folder.join("half.cto")).unwrap();
    let mut cut = 0;
    for moves in ["", "1.a3", "1.b3", "1.c3", "1.d3", "1.e3"] {
        let whole = tabia(&folder, &["book", "find", "g.ctg", "--moves", moves]);
        whole.expect(0);
        for verb in ["find", "line"] {
            let run = tabia(&folder, &["book", verb, "half.ctg", "--moves", moves]);
            if run.code == 3 && run.out.trim().lines().count() <= 1 {
                cut += 1;
                let text = "may be in the part that is missing";
                assert!(run.err.contains(text), "{verb} {moves}: {}", run.err);
            } else {
                run.expect(0);
            }
        }
    }
    assert!(cut > 0);
    // What the whole book does not have is not there.
    tabia(&folder, &["book", "find", "g.ctg", "--moves", "1.e4"]).expect(1);
    tabia(&folder, &["book", "find", "half.ctg", "--moves", "1.e4"]).expect(3);
}

#[test]
fn nothing_on_standard_input_is_no_book_of_another_format() {
    let folder = with_books("book-stdin");
    let book = std::fs::read(folder.join("one.bin")).unwrap();
    let args = ["book", "find", "-"];
    let run = tabia_with_input(&folder, &args, &book).expect(0);
    assert!(run.out.contains("e4"), "{}", run.out);
    let run = tabia_with_input(&folder, &args, b"").expect(2);
    assert!(run.err.contains("standard input is empty"), "{}", run.err);
}

#[test]
fn explain_reads_the_games_that_the_record_names() {
    let folder = with_six("book-explain-games");
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "a.bin",
        "--games",
        "1-2",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "explain", "a.bin", "six.pgn", "--tsv"]).expect(0);
    assert_eq!(run.out.lines().count(), 1 + 2, "{}", run.out);
    assert!(!run.err.contains("the book was built with"), "{}", run.err);
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "b.bin",
        "--recency",
        "5",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build);
    let run = tabia(&folder, &["book", "explain", "b.bin", "six.pgn"]);
    assert!(run.err.contains("with `--recency 5`: "), "{}", run.err);
}

#[test]
fn positions_of_logs_and_of_pgn_are_read() {
    let folder = with_books("book-positions");
    let expected = tabia(
        &folder,
        &["book", "find", "one.bin", "--moves", "e4 c5", "--json"],
    );
    let expected = expected.expect(0).out;
    for position in [
        ["--moves", "position startpos moves e2e4 c7c5"],
        ["--moves", "startpos moves e2e4 c7c5"],
        ["--fen", "position startpos moves e2e4 c7c5"],
        [
            "--fen",
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 c7c5",
        ],
        ["--moves", "1. e4 {best by test} c5 (1... e5 2. Nf3) $1"],
    ] {
        let args = [
            "book",
            "find",
            "one.bin",
            position[0],
            position[1],
            "--json",
        ];
        assert_eq!(
            tabia(&folder, &args).expect(0).out,
            expected,
            "{position:?}"
        );
    }
    let args = [
        "book",
        "find",
        "one.bin",
        "--fen",
        "startpos moves e2e4",
        "--moves",
        "c5",
        "--json",
    ];
    assert_eq!(tabia(&folder, &args).expect(0).out, expected);
    let wrong = [
        "book",
        "find",
        "one.bin",
        "--moves",
        "position startpos moves e2e5",
    ];
    let run = tabia(&folder, &wrong).expect(2);
    assert!(
        run.err.contains("`e2e5` is not a legal move"),
        "{}",
        run.err
    );
}

#[test]
fn hints_lead_on() {
    let folder = with_books("book-hints");
    std::fs::write(folder.join("-dash.pgn"), "1. e4 *\n").unwrap();
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    for (args, text) in [
        (
            &["book", "build", "a.pgn", "-o", "x.bin", "--max-plies", "20"][..],
            "did you mean `--max-ply N`?",
        ),
        (
            &["book", "build", "a.pgn", "-o", "x.bin", "--max-depth", "20"],
            "did you mean `--max-ply N`?",
        ),
        (
            &[
                "book",
                "novelty",
                "a.pgn",
                "--book",
                "one.bin",
                "--max-ply",
                "20",
            ],
            "`tabia book build IN -o BOOK --max-ply N`",
        ),
        (
            &["book", "build", "--", "a.pgn", "-o", "x.bin"],
            "options go before `--`",
        ),
        (
            &["book", "build", "-dash.pgn", "-o", "x.bin"],
            "./-dash.pgn",
        ),
        (
            &["book", "merge", "one.bin", "two.bin", "-o", ".bin"],
            "`-o book.bin`",
        ),
    ] {
        let run = tabia(&folder, args).expect(2);
        assert!(run.err.contains(text), "{args:?}: {}", run.err);
    }
    let run = tabia(&folder, &["book", "find", "one.bin", fen]);
    assert!(run.err.contains("--fen '"), "{}", run.err);
    let input = b"fen,move,weight\nx,e2e4,7.5\n";
    let run = tabia_with_input(
        &folder,
        &["book", "edit", "one.bin", "--import", "-", "-o", "x.bin"],
        input,
    );
    assert!(!run.err.contains("> -"), "{}", run.err);
    write_book(&folder, "a.abk", &[("", "e4", 5)]);
    let edit = [
        "book", "edit", "a.abk", "--move", "e4", "--weight", "10", "-o", "x.abk",
    ];
    let run = tabia(&folder, &edit).expect(2);
    assert!(run.err.contains("weights of an Arena book"), "{}", run.err);
}

#[test]
fn a_book_of_chess960_is_named() {
    let folder = Scratch::new("book-960");
    let games = "[FEN \"bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n\
                 [Result \"1-0\"]\n\n1. e4 e5 2. f4 f5 1-0\n";
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    for output in ["g.ctg", "g.abk"] {
        let build = ["book", "build", "g.pgn", "-o", output, "--min-games", "1"];
        let run = tabia(&folder, &build).expect(1);
        assert!(
            run.err.contains("Chess960") && run.err.contains("`.bin`"),
            "{output}: {}",
            run.err
        );
    }
    let build = ["book", "build", "g.pgn", "-o", "g.bin", "--min-games", "1"];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "info", "g.bin", "--walk", "--json"]).expect(0);
    assert_eq!(run.json()[0]["reachable"], 0);
}

#[test]
fn reports_list_the_books_that_were_read() {
    let folder = with_books("book-inputs");
    for args in [
        &["book", "merge", "one.bin", "two.bin", "-o", "x.bin"][..],
        &["book", "diff", "one.bin", "two.bin"],
    ] {
        let args = [args, &["--report", "r.json", "-f"]].concat();
        let args: Vec<&str> = args.into_iter().filter(|arg| *arg != "-f").collect();
        tabia(&folder, &args).expect(0);
        let text = std::fs::read_to_string(folder.join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let inputs = report["summary"]["inputs"].as_array().unwrap();
        let files: Vec<_> = inputs.iter().map(|input| input["file"].as_str()).collect();
        assert_eq!(files, [Some("one.bin"), Some("two.bin")], "{text}");
        std::fs::remove_file(folder.join("r.json")).unwrap();
    }
}

#[test]
fn a_move_with_its_number_among_books_is_a_position() {
    let folder = with_games("book-move");
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "find", "book.bin", "1.e4"]);
    assert!(run.out.is_empty() && run.code != 0, "{}", run.out);
    assert!(run.err.contains("--moves"), "{}", run.err);
}

#[test]
fn side_by_side_a_share_is_one_of_the_games_next_to_it() {
    let folder = with_games("book-shares");
    let game = |first: &str, black: usize| {
        format!("[White \"A\"]\n[Black \"B{black}\"]\n[Result \"1-0\"]\n\n1. {first} Nf6 1-0\n\n")
    };
    let games: String = (0..21)
        .map(|number| game(if number < 15 { "e4" } else { "d4" }, number))
        .collect();
    std::fs::write(folder.join("shares.pgn"), games).unwrap();
    for name in ["a.abk", "b.abk"] {
        tabia(&folder, &["book", "build", "shares.pgn", "-o", name]).expect(0);
    }
    let found = tabia(&folder, &["book", "find", "a.abk", "--json"]).expect(0);
    let probability = found.json()["moves"][0]["probability"].as_f64().unwrap();
    assert!((probability - 15.0 / 21.0).abs() > 0.001, "{probability}");
    let run = tabia(&folder, &["book", "find", "a.abk", "b.abk", "--table"]).expect(0);
    let row = run.out.lines().find(|line| line.starts_with("e4")).unwrap();
    let cells: Vec<&str> = row
        .split_whitespace()
        .filter(|cell| cell.is_ascii())
        .collect();
    assert_eq!(cells, ["e4", "71.4%", "15", "71.4%", "15"], "{}", run.out);
}
