use serde_json::Value;
use tabia::core::books::{BookEntry, BookPosition};
use tabia::core::chess::{Ply, Position, san};
use tabia::core::formats::CreateOptions;
use tabia::formats::BOOKS;
use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, tabia_with_input};

/// A book of these moves: line to the position, move, weight.
pub(crate) fn write_book(folder: &Scratch, name: &str, lines: &[(&str, &str, u32)]) {
    let extension = name.rsplit_once('.').unwrap().1;
    let format = BOOKS
        .iter()
        .find(|format| format.file.extensions.contains(&extension))
        .unwrap();
    let create = format.create;
    let mut book = create(&folder.join(name), &CreateOptions::default()).unwrap();
    for (line, name, weight) in lines {
        let mut position = Position::standard();
        for word in line.split_whitespace() {
            san::read_and_play(&mut position, word.as_bytes()).unwrap();
        }
        let Ply::Move(m) = san::read(&position, name.as_bytes()).unwrap() else {
            panic!("{name}")
        };
        let mut page = BookPosition::default();
        page.entries = vec![BookEntry::new(m).with_weight(*weight)];
        let _ = book.put(&position, &page).unwrap();
    }
    book.finish().unwrap();
}

/// A folder with two books.
pub(crate) fn with_books(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let one = [
        ("", "e4", 30),
        ("", "d4", 10),
        ("", "a3", 0),
        ("e4", "c5", 5),
        ("e4 c5", "Nf3", 2),
    ];
    write_book(&folder, "one.bin", &one);
    write_book(&folder, "two.bin", &[("", "e4", 1), ("", "c4", 3)]);
    folder
}

fn san_of(moves: &Value) -> Vec<&str> {
    let moves = moves.as_array().unwrap();
    moves.iter().map(|m| m["san"].as_str().unwrap()).collect()
}

#[test]
fn find_has_the_keys_of_the_explorer() {
    let folder = with_books("book-find");
    let found = tabia(&folder, &["book", "find", "one.bin", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        found["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    assert_eq!(san_of(&found["moves"]), ["e4", "d4", "a3"]);
    let e4 = &found["moves"][0];
    assert_eq!((&e4["uci"], &e4["weight"]), (&"e2e4".into(), &30.into()));
    assert_eq!(e4["probability"], 0.75);
    for key in ["averageRating", "performance", "annotation"] {
        assert_eq!(e4[key], Value::Null, "{key}");
    }
    for key in ["white", "games"] {
        assert!(e4.get(key).is_none() && found.get(key).is_none(), "{key}");
    }
    assert_eq!(found["opening"], Value::Null);

    let args = ["book", "find", "one.bin", "--json", "--moves", "1.e4 c5"];
    let sicilian = tabia(&folder, &args).expect(0).json();
    assert_eq!(sicilian["opening"]["eco"], "B20");
    assert_eq!(san_of(&sicilian["moves"]), ["Nf3"]);
}

#[test]
fn several_books_are_shown_in_adjacent_rows() {
    let folder = with_books("book-side");
    let run = tabia(&folder, &["book", "find", "one.bin", "two.bin", "--tsv"]).expect(0);
    let rows: Vec<(&str, &str)> = run
        .out
        .lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split('\t');
            (cells.next().unwrap(), cells.next().unwrap())
        })
        .collect();
    let expected = [
        ("one.bin", "e4"),
        ("two.bin", "e4"),
        ("one.bin", "d4"),
        ("one.bin", "a3"),
        ("two.bin", "c4"),
    ];
    assert_eq!(rows, expected, "{}", run.out);
    let both = tabia(&folder, &["book", "find", "one.bin", "two.bin", "--json"]).json();
    assert_eq!(both[1]["book"], "two.bin");
}

#[test]
fn unknown_positions_exit_with_1() {
    let folder = with_books("book-nothing");
    tabia(&folder, &["book", "find", "one.bin", "--moves", "h4"]).expect(1);
    tabia(&folder, &["book", "line", "one.bin", "--moves", "h4"]).expect(1);
    tabia(&folder, &["book", "find", "one.bin", "--moves", "e5"]).expect(2);
    tabia(&folder, &["book", "find", "one.bin", "--fen", "8"]).expect(2);
    tabia(&folder, &["book", "find", "none.bin"]).expect(4);
    std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
    tabia(&folder, &["book", "find", "games.pgn"]).expect(2);
}

#[test]
fn lines_are_best_or_repeatable() {
    let folder = with_books("book-line");
    let best = tabia(&folder, &["book", "line", "one.bin", "--best"]).expect(0);
    assert_eq!(best.out, "1. e4 c5 2. Nf3\n");
    let random = ["book", "line", "one.bin", "--seed", "3", "--count", "20"];
    let first = tabia(&folder, &random).expect(0).out;
    assert_eq!(first, tabia(&folder, &random).out);
    assert!(
        first.contains("1. d4\n") && first.contains("1. e4 c5"),
        "{first}"
    );
    assert!(!first.contains("a3"), "{first}");
    let rows = tabia(&folder, &["book", "line", "one.bin", "--best", "--json"]).json();
    assert_eq!(rows[0]["plies"], 3);
    assert_eq!(rows[0]["uci"][2], "g1f3");
}

/// Some formats store the statistics of a move with the position it leads to.
#[test]
fn lines_follow_the_weights_of_every_format() {
    let folder = Scratch::new("book-line-formats");
    let games: String = ["a3", "e4", "e4", "e4", "e4", "e4", "e4", "d4", "d4"]
        .map(|m| format!("[Result \"1/2-1/2\"]\n\n1. {m} Nf6 2. Nc3 Ng8 1/2-1/2\n\n"))
        .concat();
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    for format in BOOKS {
        let name = format!("all.{}", format.file.extensions[0]);
        let build = [
            "book",
            "build",
            "games.pgn",
            "-o",
            &name,
            "--min-games",
            "1",
        ];
        tabia(&folder, &build).expect(0);
        let name = name.replace(".kob", "_0.kob");
        let best = tabia(&folder, &["book", "line", &name, "--best"]).expect(0);
        assert!(
            best.out.starts_with("1. e4 Nf6 2. Nc3"),
            "{name}: {}",
            best.out
        );
        let random = [
            "book", "line", &name, "--seed", "3", "--count", "2000", "--plies", "1",
        ];
        let lines = tabia(&folder, &random).expect(0).out;
        let count = |start: &str| lines.lines().filter(|line| line.starts_with(start)).count();
        let (e4, d4, a3) = (count("1. e4"), count("1. d4"), count("1. a3"));
        assert!(e4 > 2 * d4 && d4 > a3 && a3 > 0, "{name}: {e4} {d4} {a3}");
    }
    // The author's advice against a move, which a CTG book stores with the position after it.
    let position = Position::standard();
    let ctg = BOOKS
        .iter()
        .find(|format| format.file.id.as_str() == "ctg")
        .unwrap();
    let create = ctg.create;
    let mut writer = create(&folder.join("red.ctg"), &CreateOptions::default()).unwrap();
    let mut page = BookPosition::default();
    for (m, games, recommended) in [("e4", 10, Some(false)), ("d4", 1, None)] {
        let Ply::Move(m) = san::read(&position, m.as_bytes()).unwrap() else {
            panic!("{m}");
        };
        page.entries.push({
            let mut entry = BookEntry::new(m);
            entry.games = Some(games);
            entry.recommended = recommended;
            entry
        });
    }
    writer.put(&position, &page).unwrap();
    writer.finish().unwrap();
    let random = ["book", "line", "red.ctg", "--seed", "3", "--count", "50"];
    let lines = tabia(&folder, &random).expect(0).out;
    assert!(lines.lines().all(|line| line == "1. d4"), "{lines}");
}

#[test]
fn info_names_defects_and_counts_them() {
    let folder = with_books("book-info");
    let info = tabia(&folder, &["book", "info", "one.bin", "--walk", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["positions"], 3);
    assert_eq!(info[0]["moves"], 5);
    assert_eq!(info[0]["reachable"], 3);
    assert_eq!(info[0]["depth"], 3);
    assert_eq!(info[0]["learn"], "none");
    assert_eq!(info[0]["defects"][0]["name"], "moves of weight 0");
    assert_eq!(info[0]["toMove"]["black"], 1);
}

#[test]
fn files_that_only_look_like_books_are_refused() {
    let folder = Scratch::new("book-looks");
    let mut key = 1u64;
    let entries = (0..100).flat_map(|_| {
        key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(7);
        entry(key, 0x031c, 1)
    });
    std::fs::write(folder.join("x.bin"), entries.collect::<Vec<u8>>()).unwrap();
    let refused = tabia(&folder, &["book", "info", "x.bin"]).expect(4);
    let message = "named like a Polyglot book, but ";
    assert!(refused.err.contains(message), "{}", refused.err);
    assert!(refused.err.contains("out of order"), "{}", refused.err);
    // It may be a book all the same, which the hint makes a sound one.
    let hint = "`tabia book fix x.bin --from polyglot -o NEW.bin` puts it in order";
    assert!(refused.err.contains(hint), "{}", refused.err);
    let fix = [
        "book", "fix", "x.bin", "--from", "polyglot", "-o", "NEW.bin",
    ];
    tabia(&folder, &fix).expect(3);
    tabia(&folder, &["book", "info", "NEW.bin"]).expect(0);
    let folder = with_books("book-factors");
    for factors in ["--factors=-1", "--factors=nan", "--factors=1,inf"] {
        let arguments = [
            "book", "merge", "one.bin", "two.bin", "-o", "m.bin", factors,
        ];
        tabia(&folder, &arguments).expect(2);
    }
}

/// A CTG book cannot hold some moves and positions of a Chess960 game.
#[test]
fn written_counts_match_the_book() {
    let folder = Scratch::new("book-counts");
    let other = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. d4 1-0\n";
    std::fs::write(folder.join("games.pgn"), format!("{SIX}\n{other}")).unwrap();
    for book in ["all.bin", "all.ctg", "all.kob"] {
        let build = ["book", "build", "games.pgn", "-o", book, "--min-games", "1"];
        // One of the games is bad.
        tabia(&folder, &build).expect(3);
        let record = std::fs::read(folder.join(format!("{book}.json"))).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        let main = book.replace(".kob", "_0.kob");
        let info = tabia(&folder, &["book", "info", &main, "--json"]).json();
        assert_eq!(record["positions"], info[0]["positions"], "{book}");
        assert_eq!(record["moves"], info[0]["moves"], "{book}");
    }
}

/// Six games: 1. e4 four times, one of them unreadable and one without a result.
const SIX: &str = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n[Date \"2020.01.01\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4) Nc6 1-0\n\n\
[White \"C\"]\n[Black \"D\"]\n[WhiteElo \"2600\"]\n[BlackElo \"2600\"]\n[Date \"2010.01.01\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 d6 0-1\n\n\
[White \"E\"]\n[Black \"F\"]\n[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Ke8 1/2-1/2\n\n\
[White \"G\"]\n[Black \"H\"]\n[Result \"*\"]\n\n1. e4 c5 *\n\n\
[White \"I\"]\n[Black \"J\"]\n[Date \"2020.01.01\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n\
[White \"K\"]\n[Black \"L\"]\n[Result \"0-1\"]\n\n1. g4 d5 0-1\n\n";

pub(crate) fn with_six(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("six.pgn"), SIX).unwrap();
    folder
}

/// SAN and weight of every move of a position.
fn weights(folder: &Scratch, book: &str, moves: &str) -> Vec<(String, u64)> {
    let run = tabia(folder, &["book", "find", book, "--json", "--moves", moves]);
    let moves = run.json()["moves"].clone();
    let moves = moves.as_array().unwrap().iter();
    moves
        .map(|m| {
            (
                m["san"].as_str().unwrap().to_owned(),
                m["weight"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected
        .iter()
        .map(|(san, weight)| ((*san).to_owned(), *weight))
        .collect()
}

#[test]
fn build_writes_a_record_of_sources() {
    let folder = with_six("book-build");
    let args = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.bin",
        "--min-games",
        "1",
        "--report",
        "report.json",
    ];
    // One game cannot be read.
    tabia(&folder, &args).expect(3);
    // e4: won, lost, unknown; g4 never scored.
    assert_eq!(
        weights(&folder, "six.bin", ""),
        pairs(&[("e4", 3), ("d4", 1)])
    );
    assert_eq!(
        weights(&folder, "six.bin", "e4"),
        pairs(&[("e5", 2), ("c5", 1)])
    );
    let text = std::fs::read_to_string(folder.join("six.bin.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["games"]["used"], 5);
    assert_eq!(record["games"]["bad"], 1);
    assert_eq!(record["sources"][0]["path"], "six.pgn");
    assert_eq!(record["sources"][0]["xxh64"].as_str().unwrap().len(), 16);
    assert_eq!(record["options"]["minGames"], 1);
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["problems"][0]["game"], 3);

    tabia(&folder, &args).expect(5);
    assert_eq!(
        folder.names(),
        ["report.json", "six.bin", "six.bin.json", "six.pgn"]
    );
}

#[test]
fn options_choose_games_moves_and_weights() {
    let folder = with_six("book-options");
    let build = |name: &str, more: &[&str]| {
        let mut args = vec!["book", "build", "six.pgn", "-o", name, "--no-record", "-q"];
        args.extend_from_slice(more);
        // The illegal move is a problem only if the build reads it.
        let left_out = more.contains(&"--where") || more.contains(&"--max-ply");
        tabia(&folder, &args).expect(if left_out { 0 } else { 3 });
        let start = weights(&folder, name, "");
        (start, name.to_owned())
    };
    assert_eq!(build("3.bin", &[]).0, pairs(&[("e4", 3)]));
    assert_eq!(build("uniform.bin", &["--uniform"]).0, pairs(&[("e4", 1)]));
    let (start, name) = build("black.bin", &["--only-black", "--min-games", "2"]);
    assert_eq!(start, []);
    assert_eq!(weights(&folder, &name, "e4"), pairs(&[("e5", 2)]));
    let (_, name) = build("plies.bin", &["--max-ply", "1", "--min-games", "1"]);
    assert_eq!(weights(&folder, &name, "e4"), []);
    let (_, name) = build("var.bin", &["--variations", "--min-games", "1"]);
    assert_eq!(
        weights(&folder, &name, "e4 e5"),
        pairs(&[("Nf3", 2), ("f4", 2)])
    );
    assert_eq!(weights(&folder, &name, "e4 e5 f4"), []);
    let score = ["--min-score", "51", "--min-games", "1"];
    assert_eq!(build("score.bin", &score).0, []);
    let elo = ["--where", "elo:>=2450", "--min-games", "1", "--scoreless"];
    assert_eq!(build("elo.bin", &elo).0, pairs(&[("e4", 0)]));
    let stretched = ["--stretch", "--min-games", "1"];
    assert_eq!(
        build("full.bin", &stretched).0,
        pairs(&[("e4", 65535), ("d4", 21845)])
    );
    let recent = [
        "--recency",
        "10",
        "--min-games",
        "1",
        "--where",
        "date:1900..",
    ];
    assert_eq!(
        build("new.bin", &recent).0,
        pairs(&[("e4", 65535), ("d4", 32768)])
    );
}

#[test]
fn polyglot_options_are_accepted() {
    let folder = with_six("book-polyglot");
    let typed = "book make-book -pgn six.pgn -bin six.bin -min-game 2 -max-ply 2";
    let args: Vec<&str> = typed.split(' ').collect();
    tabia(&folder, &args).expect(3);
    assert_eq!(weights(&folder, "six.bin", ""), pairs(&[("e4", 4)]));
    assert_eq!(weights(&folder, "six.bin", "e4"), pairs(&[("e5", 3)]));
    assert_eq!(weights(&folder, "six.bin", "e4 e5"), []);
}

#[test]
fn a_move_after_the_last_ply_that_counts_is_not_needed() {
    let folder = Scratch::new("book-max-ply");
    let game = "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Qxh8 1-0\n";
    std::fs::write(folder.join("game.pgn"), game).unwrap();
    let build = |plies: &str, more: &[&str]| {
        let mut args = vec!["book", "build", "game.pgn", "-o", "game.bin", "--force"];
        args.extend(["--min-games", "1", "--max-ply", plies]);
        args.extend(more);
        let code = match plies {
            "5" => 0,
            "6" => 3,
            _ => 1,
        };
        // A book without moves does not replace another.
        let _ = std::fs::remove_file(folder.join("game.bin"));
        let _ = std::fs::remove_file(folder.join("game.bin.json"));
        tabia(&folder, &args).expect(code);
        std::fs::read(folder.join("game.bin")).map_or(0, |bytes| bytes.len())
    };
    // As many bytes as Polyglot writes: three moves that scored, or no book.
    let compat = &["--compat", "polyglot"][..];
    for more in [&[][..], compat] {
        assert_eq!(["5", "6", "7"].map(|plies| build(plies, more)), [48, 48, 0]);
    }
}

#[test]
fn contradictory_options_are_refused() {
    let folder = with_six("book-contradictions");
    let both = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "x.bin",
        "--only-white",
        "--only-black",
    ];
    tabia(&folder, &both).expect(2);
    write_book(&folder, "one.bin", &[("", "e4", 30), ("", "d4", 2)]);
    let edit = |weight: &str| {
        let args = [
            "book", "edit", "one.bin", "--move", "e4", "--weight", weight, "-o", "x.bin",
        ];
        tabia(&folder, &args)
    };
    let refused = edit("70000").expect(2);
    assert!(refused.err.contains("from 0 to 65535"), "{}", refused.err);
    std::fs::write(
        folder.join("rows.csv"),
        "key,move,weight\n463b96181691fc9c,e2e4,70000\n",
    )
    .unwrap();
    let import = [
        "book", "edit", "one.bin", "--import", "rows.csv", "-o", "x.bin",
    ];
    let refused = tabia(&folder, &import).expect(4);
    assert!(refused.err.contains("from 0 to 65535"), "{}", refused.err);
    assert!(!folder.join("x.bin").exists());
    edit("65535").expect(0);
}

#[test]
fn rare_moves_are_left_out() {
    let folder = Scratch::new("book-percent");
    let games = "1. e4 *\n\n".repeat(19) + "1. d4 *\n";
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    let moves = |percent: &str| {
        let mut args = vec!["book", "build", "games.pgn", "-o", "x.bin", "--force"];
        args.extend(["--min-games", "1", "--min-percent", percent]);
        tabia(&folder, &args).expect(0);
        weights(&folder, "x.bin", "").len()
    };
    assert_eq!(["0", "5", "5.1"].map(moves), [2, 2, 1]);
}

#[test]
fn book_and_record_appear_together() {
    let folder = with_six("book-record");
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.bin",
        "--force",
        "--min-games",
        "1",
    ];
    std::fs::write(folder.join("six.bin"), "old").unwrap();
    std::fs::create_dir(folder.join("six.bin.json")).unwrap();
    tabia(&folder, &build).expect(5);
    assert_eq!(std::fs::read(folder.join("six.bin")).unwrap(), b"old");
    std::fs::remove_dir(folder.join("six.bin.json")).unwrap();
    tabia(&folder, &build).expect(3);
    assert_eq!(folder.names(), ["six.bin", "six.bin.json", "six.pgn"]);
    let record = std::fs::read(folder.join("six.bin.json")).unwrap();
    let record: Value = serde_json::from_slice(&record).unwrap();
    assert_eq!(record["files"].as_array().unwrap().len(), 1);
}

#[test]
fn mixed_scales_are_reported() {
    let folder = Scratch::new("book-scales");
    write_book(&folder, "small.bin", &[("", "e4", 72)]);
    write_book(&folder, "large.bin", &[("", "d4", 65520)]);
    let merge = |more: &[&str]| {
        let mut args = vec![
            "book",
            "merge",
            "small.bin",
            "large.bin",
            "-o",
            "x.bin",
            "--force",
        ];
        args.extend(more);
        tabia(&folder, &args).expect(0).err
    };
    let text = merge(&[]);
    assert!(
        text.contains("different scales: at most 72 in small.bin"),
        "{text}"
    );
    for more in [
        &["--normalize"][..],
        &["--mode", "priority"],
        &["--factors", "900,1"],
    ] {
        assert!(!merge(more).contains("scales"), "{more:?}");
    }
    // Where all games begin it is enough that the scales differ there.
    std::fs::remove_file(folder.join("small.bin")).unwrap();
    write_book(&folder, "small.bin", &[("", "e4", 2), ("e4", "c5", 60000)]);
    let text = merge(&[]);
    assert!(
        text.contains(
            "in the standard position the weights have different scales: at most 2 in small.bin"
        ),
        "{text}"
    );
    assert!(!merge(&["--normalize"]).contains("scales"));
    std::fs::remove_file(folder.join("small.bin")).unwrap();
    write_book(&folder, "small.bin", &[("", "e4", 60000), ("e4", "c5", 2)]);
    assert!(!merge(&[]).contains("scales"));
}

#[test]
fn books_do_not_depend_on_threads_or_memory() {
    let folder = Scratch::new("book-same");
    std::fs::write(folder.join("many.pgn"), many_games(4000)).unwrap();
    std::fs::write(folder.join("six.pgn"), SIX).unwrap();
    let mut books = Vec::new();
    for (name, threads, memory) in [
        ("a.bin", "1", "512M"),
        ("b.bin", "3", "512M"),
        ("c.bin", "2", "16M"),
    ] {
        let args = [
            "book",
            "build",
            "many.pgn",
            "six.pgn",
            "many.pgn",
            "-o",
            name,
            "-j",
            threads,
            "--memory",
            memory,
            "--min-games",
            "1",
            "--compat",
            "polyglot",
        ];
        tabia(&folder, &args).expect(3);
        books.push(std::fs::read(folder.join(name)).unwrap());
    }
    assert!(books[0] == books[1] && books[0] == books[2]);
    assert!(books[0].len() > 16 * 16);
}

/// The weights of the usual start after merging the two books in a way.
fn merged(folder: &Scratch, mode: &[&str]) -> Vec<(String, u64)> {
    let mut args = vec![
        "book", "merge", "one.bin", "two.bin", "-o", "all.bin", "--force",
    ];
    args.extend_from_slice(mode);
    tabia(folder, &args).expect(0);
    weights(folder, "all.bin", "")
}

#[test]
fn books_are_merged_in_four_ways() {
    let folder = with_books("book-merge");
    let sum = [("e4", 31), ("d4", 10), ("c4", 3), ("a3", 0)];
    assert_eq!(merged(&folder, &[]), pairs(&sum));
    assert_eq!(weights(&folder, "all.bin", "e4 c5"), pairs(&[("Nf3", 2)]));
    let max = [("e4", 30), ("d4", 10), ("c4", 3), ("a3", 0)];
    assert_eq!(merged(&folder, &["--mode", "max"]), pairs(&max));
    let priority = [("e4", 30), ("d4", 10), ("a3", 0)];
    assert_eq!(merged(&folder, &["--mode", "priority"]), pairs(&priority));
    let average = [("e4", 16), ("d4", 5), ("c4", 2), ("a3", 0)];
    assert_eq!(merged(&folder, &["--mode", "average"]), pairs(&average));
    let factors = [("e4", 160), ("c4", 300), ("d4", 20), ("a3", 0)];
    let mut found = merged(&folder, &["--factors", "2,100"]);
    found.sort();
    let mut factors = pairs(&factors);
    factors.sort();
    assert_eq!(found, factors);
    tabia(&folder, &["book", "merge", "one.bin", "-o", "all.bin"]).expect(5);
    let many = [
        "book",
        "merge",
        "one.bin",
        "-o",
        "x.bin",
        "--factors",
        "1,2",
    ];
    tabia(&folder, &many).expect(2);
}

/// 1.e4 e5 and 1.e3 e5 2.e4 lead to the same position with exchanged colours: one record in some
/// formats, two positions in others.
#[test]
fn merges_distinguish_positions_with_exchanged_colours() {
    let folder = Scratch::new("book-mirrored");
    for (name, moves) in [
        ("white", "1. e4 e5 2. Nf3"),
        ("black", "1. e3 e5 2. e4 Nc6"),
    ] {
        let game = format!("[Result \"1-0\"]\n\n{moves} 1-0\n");
        std::fs::write(folder.join("game.pgn"), game).unwrap();
        let book = format!("{name}.ctg");
        let args = ["book", "build", "game.pgn", "-o", &book, "--min-games", "1"];
        tabia(&folder, &args).expect(0);
    }
    // An Arena book holds no position that its moves do not reach, so here only the first book counts.
    for (target, mode) in [
        ("both.bin", "sum"),
        ("both.bin", "priority"),
        ("both.abk", "sum"),
        ("both.ctg", "sum"),
    ] {
        let args = [
            "book",
            "merge",
            "white.ctg",
            "black.ctg",
            "-o",
            target,
            "-f",
        ];
        tabia(&folder, &[&args[..], &["--mode", mode]].concat()).expect(0);
        for (moves, own, other) in [("1.e4 e5", "Nf3", "Nc3"), ("1.e3 e5 2.e4", "Nf6", "Nc6")] {
            let args = ["book", "find", target, "--moves", moves, "--json"];
            let found = tabia(&folder, &args).expect(0).json();
            let mut found = san_of(&found["moves"]);
            found.sort_unstable();
            let both = [other, own];
            let expected = if mode == "sum" { &both[..] } else { &both[1..] };
            assert_eq!(found, expected, "{target} {mode} {moves}");
        }
    }
}

#[test]
fn large_weights_are_scaled_not_wrapped() {
    let folder = Scratch::new("book-wrap");
    write_book(&folder, "one.bin", &[("", "e4", 60000), ("", "d4", 30000)]);
    write_book(&folder, "two.bin", &[("", "e4", 60000)]);
    let expected = pairs(&[("e4", 65535), ("d4", 16383)]);
    assert_eq!(merged(&folder, &[]), expected);
}

/// An entry of a Polyglot book.
pub(crate) fn entry(key: u64, bits: u16, weight: u16) -> Vec<u8> {
    let mut sink = tabia::core::io::Sink::new();
    sink.u64_be(key);
    sink.u16_be(bits);
    sink.u16_be(weight);
    sink.bytes(&[0; 4]);
    sink.as_slice().to_vec()
}

#[test]
fn a_damaged_book_is_fixed() {
    let folder = Scratch::new("book-fix");
    let start = Position::standard().key();
    let mut castle = Position::standard();
    for word in ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"] {
        san::read_and_play(&mut castle, word.as_bytes()).unwrap();
    }
    let mut line: Vec<(u64, u16)> = Vec::new();
    let mut position = Position::standard();
    for word in ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"] {
        let key = position.key();
        let Ply::Move(m) = san::read_and_play(&mut position, word.as_bytes()).unwrap() else {
            panic!()
        };
        line.push((key, tabia::formats::books::polyglot::encode_move(m)));
    }
    let mut entries: Vec<(u64, u16, u16)> =
        line.iter().map(|(key, bits)| (*key, *bits, 1)).collect();
    // Castling as the king's two steps, a repeat, an entry without a move.
    entries.push((castle.key(), 0x0106, 7));
    entries.push((start, 0x031c, 4));
    entries.push((start, 0, 4));
    entries.sort_by_key(|(key, ..)| *key);
    let mut bytes: Vec<u8> = entries
        .iter()
        .flat_map(|(k, m, w)| entry(*k, *m, *w))
        .collect();
    // An entry out of order and a trailing byte.
    bytes.extend(entry(1, 0x031c, 1));
    bytes.push(b'\n');
    std::fs::write(folder.join("bad.bin"), bytes).unwrap();
    let info = tabia(&folder, &["book", "info", "bad.bin", "--walk", "--json"]).json();
    assert_eq!(info[0]["castlings"]["kingTwoSteps"], 1);
    let run = tabia(&folder, &["book", "fix", "bad.bin", "-o", "good.bin"]).expect(3);
    for message in [
        "1 entry put in order",
        "1 repeat added up",
        "1 castling rewritten",
        "1 entry without a move dropped",
    ] {
        assert!(run.err.contains(message), "{message}: {}", run.err);
    }
    assert_eq!(weights(&folder, "good.bin", ""), pairs(&[("e4", 5)]));
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5";
    assert_eq!(weights(&folder, "good.bin", moves), pairs(&[("O-O", 7)]));
    let info = tabia(&folder, &["book", "info", "good.bin", "--walk", "--json"]).json();
    assert_eq!(info[0]["castlings"]["kingTakesRook"], 1);
    assert_eq!(
        (&info[0]["defects"], &info[0]["problems"]),
        (&serde_json::json!([]), &0.into())
    );
}

#[test]
fn entries_out_of_order_are_all_taken() {
    let folder = Scratch::new("book-order");
    let games: String = [
        "e4 e5 Nf3",
        "d4 d5 c4",
        "c4 e5 Nc3",
        "Nf3 d5 g3",
        "e4 c5 Nf3",
    ]
    .map(|moves| ["[Event \"\"]\n\n", moves, " *\n\n"].concat())
    .concat();
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    let build = ["book", "build", "g.pgn", "-o", "a.bin", "--min-games", "1"];
    tabia(&folder, &build).expect(0);
    let sorted = std::fs::read(folder.join("a.bin")).unwrap();
    let entries: Vec<&[u8]> = sorted.chunks(16).collect();
    let (last, rest) = entries.split_last().unwrap();
    // The last entry at the start; the same with all in reverse.
    let moved = [&rest[..2], &[last], &rest[2..]].concat().concat();
    let reverse: Vec<&[u8]> = entries.iter().rev().copied().collect();
    for (name, bytes) in [("moved.bin", moved), ("reverse.bin", reverse.concat())] {
        std::fs::write(folder.join(name), bytes).unwrap();
        let from = ["--from", "polyglot"];
        let check = tabia(&folder, &[&["check", name][..], &from].concat()).expect(3);
        let text = "other programs search by halves and do not find";
        assert!(
            check.out.contains(text) || check.err.contains(text),
            "{}",
            check.out
        );
        let find = ["book", "find", name, "--moves", "e4 e5"];
        let found = tabia(&folder, &[&find[..], &from].concat()).expect(0);
        assert!(found.out.contains("Nf3"), "{}", found.out);
        for verb in ["fix", "convert", "merge"] {
            let verb = ["book", verb, name, "-o", "out.bin", "-f"];
            tabia(&folder, &[&verb[..], &from].concat()).expect(3);
            assert_eq!(
                std::fs::read(folder.join("out.bin")).unwrap(),
                sorted,
                "{verb:?}"
            );
        }
    }
    // Copies at the end are what is left of a book that became shorter, and count once.
    let copies = [&entries[..], &entries[entries.len() - 2..]].concat();
    std::fs::write(folder.join("copies.bin"), copies.concat()).unwrap();
    let fix = ["book", "fix", "copies.bin", "-o", "out.bin", "-f"];
    let run = tabia(&folder, &fix).expect(3);
    assert!(
        run.err.contains("2 copies out of order dropped"),
        "{}",
        run.err
    );
    assert_eq!(std::fs::read(folder.join("out.bin")).unwrap(), sorted);
}

#[test]
fn diff_lists_one_row_per_move() {
    let folder = with_books("book-diff");
    let rows = tabia(&folder, &["book", "diff", "one.bin", "two.bin", "--json"])
        .expect(0)
        .json();
    let rows = rows.as_array().unwrap();
    let mut changes: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| {
            (
                row["move"].as_str().unwrap(),
                row["change"].as_str().unwrap(),
            )
        })
        .collect();
    changes.sort_unstable();
    let expected = [
        ("a2a3", "removed"),
        ("c2c4", "added"),
        ("c7c5", "removed"),
        ("d2d4", "removed"),
        ("e2e4", "changed"),
        ("g1f3", "removed"),
    ];
    assert_eq!(changes, expected);
    let same = tabia(&folder, &["book", "diff", "one.bin", "one.bin", "--tsv"]).expect(0);
    assert_eq!(same.out.lines().count(), 1);
    assert!(
        same.err.starts_with("5 moves equal, 0 changed"),
        "{}",
        same.err
    );
}

#[test]
fn edited_rows_are_imported() {
    let folder = with_books("book-edit");
    let edit = |more: &[&str]| {
        let mut args = vec!["book", "edit", "one.bin", "-o", "new.bin", "--force"];
        args.extend_from_slice(more);
        tabia(&folder, &args)
    };
    edit(&["--move", "d4", "--weight", "99"]).expect(0);
    assert_eq!(weights(&folder, "new.bin", "")[0], ("d4".to_owned(), 99));
    edit(&["--moves", "e4", "--move", "e5", "--weight", "1"]).expect(0);
    assert_eq!(
        weights(&folder, "new.bin", "e4"),
        pairs(&[("c5", 5), ("e5", 1)])
    );
    edit(&["--move", "a3", "--remove"]).expect(0);
    assert_eq!(
        weights(&folder, "new.bin", ""),
        pairs(&[("e4", 30), ("d4", 10)])
    );
    edit(&["--move", "e4", "--annotation", "!"]).expect(2);
    edit(&["--move", "e4"]).expect(2);
    edit(&["--move", "e5", "--weight", "1"]).expect(2);

    // All rows into an empty book give the same book.
    let rows = tabia(&folder, &["book", "edit", "one.bin", "--csv"]).expect(0);
    std::fs::write(folder.join("rows.csv"), rows.out).unwrap();
    write_book(&folder, "none.bin", &[("h4", "h5", 1)]);
    let import = [
        "book", "edit", "none.bin", "--import", "rows.csv", "-o", "back.bin",
    ];
    tabia(&folder, &import).expect(0);
    let diff = tabia(&folder, &["book", "diff", "one.bin", "back.bin", "--tsv"]).expect(0);
    assert!(
        diff.err
            .starts_with("5 moves equal, 0 changed, 0 only in the first, 1 only"),
        "{}",
        diff.err
    );
    std::fs::write(folder.join("bad.csv"), "key,move,weight\nxyz,e2e4,1\n").unwrap();
    let bad = [
        "book", "edit", "none.bin", "--import", "bad.csv", "-o", "b.bin",
    ];
    let run = tabia(&folder, &bad).expect(4);
    assert!(run.err.contains("bad.csv: line 2"), "{}", run.err);
    // A book does not replace itself.
    let own = [
        "book", "edit", "one.bin", "-o", "one.bin", "--force", "--move", "d4", "--weight", "1",
    ];
    tabia(&folder, &own).expect(2);
}

#[test]
fn converted_lines_contain_every_move_once() {
    let folder = with_books("book-lines");
    let run = tabia(&folder, &["book", "convert", "one.bin"]).expect(0);
    assert!(
        run.out
            .contains("1. e4 {75%} 1... c5 {100%} 2. Nf3 {100%} *"),
        "{}",
        run.out
    );
    assert_eq!(run.out.matches("[Event ").count(), 3);
    let short = tabia(&folder, &["book", "convert", "one.bin", "--plies", "1"]).expect(0);
    assert!(short.out.contains("1. e4 {75%} *"), "{}", short.out);
    let from = [
        "book",
        "convert",
        "one.bin",
        "-o",
        "lines.pgn",
        "--moves",
        "e4 c5",
    ];
    tabia(&folder, &from).expect(0);
    let text = std::fs::read_to_string(folder.join("lines.pgn")).unwrap();
    assert!(
        text.contains("[FEN ") && text.contains("2. Nf3 {100%} *"),
        "{text}"
    );
    tabia(&folder, &["check", "lines.pgn"]).expect(0);
    tabia(&folder, &["book", "convert", "one.bin", "-o", "copy.bin"]).expect(0);
    let diff = tabia(&folder, &["book", "diff", "one.bin", "copy.bin"]).expect(0);
    assert!(
        diff.err
            .starts_with("5 moves equal, 0 changed, 0 only in the first, 0 only")
    );
}

#[test]
fn explain_lists_the_games_of_a_weight() {
    let folder = with_six("book-explain");
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(3);
    let explain = [
        "book", "explain", "six.bin", "six.pgn", "--moves", "e4", "--move", "e5", "--json",
    ];
    let run = tabia(&folder, &explain).expect(3);
    let rows = run.json();
    let points: Vec<(u64, u64)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["game"].as_u64().unwrap(),
                row["points"].as_u64().unwrap(),
            )
        })
        .collect();
    // The third game, which cannot be read to its end, is in the list but not in the book.
    assert_eq!(points, [(1, 0), (2, 2), (3, 1)]);
    assert!(run.err.contains("the book: e5, weight 2"), "{}", run.err);
    let nothing = ["book", "explain", "six.bin", "six.pgn", "--moves", "h4"];
    tabia(&folder, &nothing).expect(1);
}

#[test]
fn novelties_are_marked() {
    let folder = with_books("book-novelty");
    let games = "[Result \"1-0\"]\n\n1. e4 c5 2. c3 Nf6 1-0\n\n[Result \"*\"]\n\n1. e4 c5 (1... e5) *\n\n[Result \"*\"]\n\n1. c3 *\n";
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    let args = [
        "book",
        "novelty",
        "games.pgn",
        "--book",
        "one.bin",
        "-o",
        "marked.pgn",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(
        run.err.contains("3 games: 2 left the book, 1 ended in it"),
        "{}",
        run.err
    );
    let text = std::fs::read_to_string(folder.join("marked.pgn")).unwrap();
    assert!(
        text.contains("2. c3 $146 {the book has Nf3 (100%)} 2... Nf6 1-0"),
        "{text}"
    );
    assert!(
        text.contains("1. c3 $146 {the book has e4 (75%), d4 (25%)} *"),
        "{text}"
    );
    assert!(text.contains("1. e4 c5 (1... e5) *"), "{text}");
}

/// Every writable book format has the same statistics for the same games, as far as it can hold them.
#[test]
fn formats_built_from_the_same_games_agree() {
    let folder = with_six("book-formats");
    let filter = [
        "--where",
        "date:1900..",
        "--min-games",
        "1",
        "-q",
        "--no-record",
    ];
    for format in BOOKS {
        let extension = format.file.extensions[0];
        let name = format!("six.{extension}");
        let mut args = vec!["book", "build", "six.pgn", "-o", &name];
        args.extend_from_slice(&filter);
        tabia(&folder, &args).expect(0);
        // Kvetka's books are made of numbered parts.
        let name = if extension == "kob" {
            "six_0.kob".to_owned()
        } else {
            name
        };
        for (moves, expected) in [
            ("", ["e4", "d4"].as_slice()),
            ("e4", &["e5"]),
            ("e4 e5", &["Nf3"]),
        ] {
            let run = tabia(
                &folder,
                &["book", "find", &name, "--json", "--moves", moves],
            )
            .expect(0);
            let found = run.json();
            let mut names = san_of(&found["moves"]);
            names.sort_by_key(|name| expected.iter().position(|known| known == name));
            assert_eq!(names, expected, "{extension} after `{moves}`");
            let e4 = &found["moves"]
                .as_array()
                .unwrap()
                .iter()
                .find(|m| m["san"] == expected[0])
                .unwrap()
                .clone();
            if e4.get("white").is_some() {
                let counts: Vec<u64> = ["white", "draws", "black"]
                    .iter()
                    .map(|key| e4[key].as_u64().unwrap())
                    .collect();
                assert_eq!(counts, [1, 0, 1], "{extension} after `{moves}`");
            }
        }
    }
}

#[test]
fn links_of_a_book_lead_to_its_games() {
    let test = "links_of_a_book_lead_to_its_games";
    let Some(made) = tabia_testkit::shared_data_folder::shared_data(test, "books/made") else {
        return;
    };
    let folder = Scratch::new("book-links");
    for file in ["mini_0.kob", "mini.kin", "mini.ksf", "mini.pgn"] {
        std::fs::copy(made.join(file), folder.join(file)).unwrap();
    }
    let rows = tabia(&folder, &["book", "explain", "mini_0.kob", "--json"])
        .expect(0)
        .json();
    let rows = rows.as_array().unwrap();
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row["white"].is_string()), "{rows:?}");
    assert!(
        rows.iter().all(|row| row["source"] == "mini.pgn"),
        "{rows:?}"
    );
    tabia(&folder, &["book", "explain", "mini_0.kob", "--moves", "h4"]).expect(1);
    let text = tabia(&folder, &["book", "explain", "mini_0.kob", "--pgn"]);
    assert!(text.code == 0 || text.code == 3, "{}", text.err);
    assert!(
        text.code == 3 || text.out.contains("[White "),
        "{}",
        text.out
    );
}

/// A record for a position and its mirror images is one position wherever it is counted.
#[test]
fn check_counts_positions_as_info_does() {
    let folder = with_six("book-counts");
    for book in ["six.ctg", "six.bin", "six.abk"] {
        let build = [
            "book",
            "build",
            "six.pgn",
            "--min-games",
            "1",
            "-q",
            "-o",
            book,
        ];
        tabia(&folder, &build).expect(3);
        let checked = tabia(&folder, &["check", book, "--json"]).json();
        let info = tabia(&folder, &["book", "info", book, "--json"]).json();
        for key in ["positions", "moves"] {
            assert_eq!(checked[0][key], info[0][key], "{book}: {key}");
        }
    }
}

/// Kvetka's own: a header that keeps what was asked of games, links that lead back to them.
#[test]
fn kvetka_books_link_to_their_games() {
    let folder = with_six("book-kvetka");
    let build = |inputs: &[&str], out: &str, more: &[&str]| {
        let mut args = vec!["book", "build"];
        args.extend_from_slice(inputs);
        args.extend_from_slice(&["-o", out, "--game-links", "-q"]);
        args.extend_from_slice(more);
        tabia(&folder, &args)
    };
    let more = ["--names", "--max-ply", "3", "--caption", "Six games"];
    // One of the games cannot be read.
    build(&["six.pgn"], "linked.kob", &more).expect(3);
    let info = tabia(&folder, &["book", "info", "linked_0.kob", "--json"])
        .expect(0)
        .json();
    let facts = info[0]["facts"].as_array().unwrap();
    let fact = |name: &str| {
        let found = facts.iter().find(|fact| fact["name"] == name);
        found.map_or("", |fact| fact["value"].as_str().unwrap())
    };
    assert_eq!(fact("caption"), "Six games");
    assert_eq!(fact("plies of a game"), "3");
    assert_eq!(fact("links to games"), "yes");
    assert_eq!(info[0]["games"], 5);
    let pgn = |book: &str| {
        let args = ["book", "explain", book, "--pgn", "--moves", "1.e4 e5 2.Nf3"];
        tabia(&folder, &args).expect(0).out
    };
    let text = pgn("linked_0.kob");
    assert!(text.contains("[White \"A\"]") && text.contains("(2. f4 exf4)"));
    // What the file of a linked game has is in its row; without the file it is unknown, and that is reported.
    let hint = "hint: `tabia book explain linked_0.kob FILE --moves 1.e4` searches";
    let rows = |code: i32, why: &str| {
        let args = [
            "book",
            "explain",
            "linked_0.kob",
            "--moves",
            "1.e4",
            "--json",
        ];
        let run = tabia(&folder, &args).expect(code);
        assert!(run.err.contains(why), "{}", run.err);
        assert_eq!(run.err.contains(hint), code == 3, "{}", run.err);
        let rows = run.json().as_array().unwrap().clone();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["source"] == "six.pgn"));
        rows
    };
    let found = rows(0, "");
    assert!(
        found
            .iter()
            .any(|row| row["move"] == "e5" && row["ply"] == 2),
        "{found:?}"
    );
    std::fs::rename(folder.join("six.pgn"), folder.join("moved.pgn")).unwrap();
    let is_unknown = |row: &Value| row["move"].is_null() && row["ply"].is_null();
    let no_file = "linked games are not found in six.pgn: there is no such file";
    assert!(rows(3, no_file).iter().all(is_unknown));
    // What cannot be read is not absent.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("six.pgn", folder.join("six.pgn")).unwrap();
        assert!(
            rows(3, "six.pgn: it cannot be read: ")
                .iter()
                .all(is_unknown)
        );
        std::fs::remove_file(folder.join("six.pgn")).unwrap();
    }
    std::fs::create_dir(folder.join("six.pgn")).unwrap();
    assert!(rows(3, "six.pgn: it is no file").iter().all(is_unknown));
    std::fs::remove_dir(folder.join("six.pgn")).unwrap();
    let pgn_of_moved = [
        "book",
        "explain",
        "linked_0.kob",
        "--pgn",
        "--moves",
        "1.e4",
    ];
    let run = tabia(&folder, &pgn_of_moved).expect(3);
    let hint = "hint: `tabia book explain linked_0.kob FILE --moves 1.e4 --pgn` searches";
    assert!(run.err.contains(hint), "{}", run.err);
    // Another file of that name has other games there, which are not those of the book.
    let others = std::fs::read_to_string(folder.join("moved.pgn")).unwrap();
    for (from, to) in [("[White \"", "[White \"Z"), ("", "?")] {
        let others = if from.is_empty() {
            to.repeat(others.len())
        } else {
            others.replace(from, to)
        };
        std::fs::write(folder.join("six.pgn"), others).unwrap();
        let other_games = "linked games are not found in six.pgn: it does not have these games";
        assert!(rows(3, other_games).iter().all(is_unknown));
        let run = tabia(&folder, &pgn_of_moved).expect(3);
        assert!(run.err.contains(other_games), "{}", run.err);
        assert_eq!(run.out.trim(), "");
    }
    std::fs::rename(folder.join("moved.pgn"), folder.join("six.pgn")).unwrap();
    // Weights are refused, not left out.
    let edit = [
        "book",
        "edit",
        "linked_0.kob",
        "--move",
        "e4",
        "--weight",
        "3",
        "-o",
        "x.kob",
    ];
    let run = tabia(&folder, &edit).expect(2);
    assert!(run.err.contains("has no weights of moves"), "{}", run.err);
    assert!(text.contains("[White \"C\"]") && !text.contains("[White \"G\"]"));
    // The same through ChessBase's database.
    tabia(&folder, &["convert", "six.pgn", "-o", "six.cbh", "-q"]);
    build(&["six.cbh"], "base.kob", &more).expect(0);
    let text = pgn("base_0.kob");
    assert!(text.contains("[White \"A\"]") && text.contains("[White \"C\"]"));
    // One after the other is as good as at once.
    tabia(
        &folder,
        &["convert", "six.pgn", "-o", "a.pgn", "--games", "1-2", "-q"],
    );
    tabia(
        &folder,
        &["convert", "six.pgn", "-o", "b.pgn", "--games", "4-6", "-q"],
    );
    build(&["a.pgn", "b.pgn"], "once.kob", &more).expect(0);
    build(&["a.pgn"], "steps.kob", &more).expect(0);
    build(&["b.pgn"], "steps.kob", &["--append", "--names"]).expect(0);
    for end in ["_0.kob", ".kin", ".ksf"] {
        let read = |name: &str| std::fs::read(folder.join(format!("{name}{end}"))).unwrap();
        assert!(read("once") == read("steps"), "{end}");
    }
}

#[test]
fn kvetka_books_store_the_game_filters() {
    let folder = with_six("book-kvetka-asked");
    let base = ["book", "build", "six.pgn", "-q", "--min-games", "1", "-o"];
    let with = |more: &[&str]| {
        let mut args = base.to_vec();
        args.extend_from_slice(more);
        tabia(&folder, &args)
    };
    with(&["strong.kob", "--least-elo", "2450,0,2600"]).expect(0);
    let info = tabia(&folder, &["book", "info", "strong_0.kob", "--json"]).json();
    let facts = info[0]["facts"].to_string();
    assert!(facts.contains("\"least Elo of the stronger\",\"value\":\"2600\""));
    // Only the game of 2600 against 2600 is left.
    assert_eq!(info[0]["positions"], 5);
    let moves = |book: &str| {
        let info = tabia(&folder, &["book", "info", book, "--json"]).json();
        info[0]["moves"].as_u64().unwrap()
    };
    // From 1.g3 Nf6 the move 2.Nf3 leads to what the first game reached.
    let two = "[Result \"*\"]\n\n1. Nf3 Nf6 2. g3 *\n\n[Result \"*\"]\n\n1. g3 Nf6 *\n\n";
    std::fs::write(folder.join("two.pgn"), two).unwrap();
    let build = ["book", "build", "two.pgn", "--min-games", "1", "-q", "-o"];
    tabia(&folder, &[&build[..], &["plain.kob"]].concat()).expect(0);
    let more = ["all.kob", "--all-moves", "--names"];
    tabia(&folder, &[&build[..], &more].concat()).expect(0);
    assert_eq!((moves("plain_0.kob"), moves("all_0.kob")), (5, 6));
    for wrong in [
        &["x.bin", "--names"][..],
        &["x.bin", "--game-links"],
        &["x.kob", "--least-elo", "1,2,3,4,5"],
        &["x.kob", "--game-links", "--min-games", "2"],
        &["x.kob", "--game-links", "--variations"],
        &["x.kob", "--append"],
    ] {
        with(wrong).expect(2);
    }
}

#[test]
#[cfg(unix)]
fn interrupted_builds_leave_no_file() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = Scratch::new("book-interrupted");
    let mut child = crate::common::command(folder.path())
        .args(["book", "build", "-", "-o", "book.bin", "--min-games", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(many_games(3000).as_bytes()).unwrap();
    crate::common::wait_until_interrupts_are_handled(&child);
    let id = child.id().to_string();
    for _ in 0..2 {
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
    assert_eq!(folder.names(), Vec::<String>::new());
}

/// A book in an archive, compressed or on standard input is a book like any other.
#[test]
fn books_need_no_unpacking() {
    let folder = Scratch::new("book-members");
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    let args = [
        "book",
        "build",
        "many.pgn",
        "-o",
        "a.bin",
        "--min-games",
        "1",
        "-q",
    ];
    tabia(&folder, &args).expect(0);
    tabia(&folder, &["archive", "create", "a.zip", "a.bin"]).expect(0);
    let book = std::fs::read(folder.join("a.bin")).unwrap();
    for input in ["a.zip:a.bin", "a.zip"] {
        let convert = ["book", "convert", input, "-o", "b.bin", "--force"];
        tabia(&folder, &convert).expect(0);
        assert!(
            std::fs::read(folder.join("b.bin")).unwrap() == book,
            "{input}"
        );
        let positions = |input: &str| {
            let info = tabia(&folder, &["book", "info", input, "--json"]).expect(0);
            let info = info.json();
            let info = info.as_array().map_or(&info, |all| &all[0]).clone();
            info["positions"].as_u64().unwrap()
        };
        assert_eq!(positions(input), positions("a.bin"));
        let diff = tabia(&folder, &["book", "diff", input, "a.bin"]).expect(0);
        assert!(
            diff.err.contains("moves equal, 0 changed, 0 only"),
            "{}",
            diff.err
        );
    }
    let args = ["book", "convert", "-", "--from", "polyglot", "-o", "c.bin"];
    tabia_with_input(&folder, &args, &book).expect(0);
    assert!(std::fs::read(folder.join("c.bin")).unwrap() == book);
}

#[test]
fn damage_of_books_is_reported() {
    let folder = with_six("book-damage");
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.abk",
        "--min-games",
        "1",
        "--no-record",
    ];
    tabia(&folder, &build).expect(3);
    let whole = std::fs::read(folder.join("six.abk")).unwrap();
    tabia(&folder, &["book", "convert", "six.abk", "-o", "whole.bin"]).expect(0);
    std::fs::write(folder.join("cut.abk"), &whole[..whole.len() - 3 * 28]).unwrap();
    for verb in ["convert", "merge", "fix"] {
        let target = if verb == "fix" { "x.abk" } else { "x.bin" };
        let args = ["book", verb, "cut.abk", "-o", target, "--force"];
        let run = tabia(&folder, &args).expect(3);
        assert!(run.err.contains("do not exist"), "{verb}: {}", run.err);
    }
    tabia(&folder, &["check", "x.abk"]).expect(0);
}

#[test]
fn damaged_books_are_not_appended_to() {
    let folder = with_six("book-append-damaged");
    std::fs::write(folder.join("more.pgn"), "1. b3 b6 2. Bb2 *\n").unwrap();
    let build = |input: &str, more: &[&str]| {
        let mut args = vec![
            "book",
            "build",
            input,
            "-o",
            "t.kob",
            "--game-links",
            "--no-record",
        ];
        args.extend(more);
        tabia(&folder, &args)
    };
    build("six.pgn", &[]).expect(3);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let files = ["t_0.kob", "t.kin", "t.ksf"].map(|name| (name, read(name)));
    for (name, bytes) in &files {
        let half = &bytes[..bytes.len() / 2];
        for damaged in [Some(half), None] {
            let path = folder.join(name);
            match damaged {
                Some(bytes) => std::fs::write(&path, bytes).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            let run = build("more.pgn", &["--append"]).expect(4);
            let is_lost = *name == "t_0.kob" && damaged.is_none();
            assert!(
                is_lost || run.err.contains("tabia book fix"),
                "{name}: {}",
                run.err
            );
            assert_eq!(std::fs::read(&path).ok().as_deref(), damaged, "{name}");
            std::fs::write(&path, bytes).unwrap();
        }
    }
    build("more.pgn", &["--append"]).expect(0);
}

#[test]
fn learn_values_are_counted_as_lost() {
    let folder = Scratch::new("book-learn-lost");
    write_book(&folder, "one.bin", &[("", "e4", 30)]);
    let mut bytes = std::fs::read(folder.join("one.bin")).unwrap();
    *bytes.last_mut().unwrap() = 7;
    std::fs::write(folder.join("one.bin"), bytes).unwrap();
    for target in ["x.abk", "x.ctg", "x.kob"] {
        let run = tabia(
            &folder,
            &[
                "book", "convert", "one.bin", "-o", target, "--report", "r.json", "--force",
            ],
        );
        assert_eq!(run.code, 0, "{}", run.err);
        let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
        assert!(report.contains("learn"), "{target}: {report}");
    }
}

#[test]
fn copies_of_arena_books_do_not_grow() {
    let folder = Scratch::new("book-abk-copy");
    std::fs::write(folder.join("many.pgn"), many_games(500)).unwrap();
    let build = [
        "book",
        "build",
        "many.pgn",
        "-o",
        "a.abk",
        "--min-games",
        "1",
        "--no-record",
    ];
    let _ = tabia(&folder, &build);
    tabia(&folder, &["book", "fix", "a.abk", "-o", "b.abk"]).expect(0);
    let length = |name: &str| std::fs::read(folder.join(name)).unwrap().len();
    assert!(length("b.abk") <= length("a.abk"));
    let diff = tabia(&folder, &["book", "diff", "a.abk", "b.abk"]).expect(0);
    assert!(diff.err.contains("0 changed, 0 only"), "{}", diff.err);
}

#[test]
fn copies_of_kvetka_books_keep_links_to_games() {
    let folder = crate::common::with_games("book-links");
    let run = |args: &[&str]| tabia(&folder, args);
    run(&[
        "book",
        "build",
        "games.pgn",
        "-o",
        "linked.kob",
        "--game-links",
    ])
    .expect(0);
    let explained = |book: &str| {
        let run = run(&["book", "explain", book, "--moves", "1. e4", "--ndjson"]).expect(0);
        run.out.replace("linked", "book").replace("fixed", "book")
    };
    let before = explained("linked_0.kob");
    assert!(before.lines().count() > 1, "{before}");
    let fixed = run(&["book", "fix", "linked_0.kob", "-o", "fixed.kob"]).expect(0);
    assert!(!fixed.err.contains("links to games"), "{}", fixed.err);
    assert_eq!(explained("fixed_0.kob"), before);
    run(&["check", "fixed_0.kob"]).expect(0);
    // A copy of the copy is the same.
    run(&["book", "fix", "fixed_0.kob", "-o", "again.kob"]).expect(0);
    for end in ["_0.kob", ".kin", ".ksf"] {
        let read = |name: &str| std::fs::read(folder.join(format!("{name}{end}"))).unwrap();
        assert!(read("fixed") == read("again"), "{end}");
    }
    // A list of sources that is lost takes its links along.
    std::fs::remove_file(folder.join("linked.ksf")).unwrap();
    let lost = run(&["book", "fix", "linked_0.kob", "-o", "lost.kob"]).expect(3);
    assert!(lost.err.contains("links to games"), "{}", lost.err);
    run(&["check", "lost_0.kob"]).expect(0);
}

#[test]
fn an_empty_book_replaces_no_other() {
    let folder = with_six("empty-book-replaces");
    let build = [
        "book",
        "build",
        "six.pgn",
        "--min-games",
        "1",
        "--no-record",
        "-o",
    ];
    for good in ["good.bin", "good.abk", "one.bin"] {
        tabia(&folder, &[&build[..], &[good]].concat());
    }
    std::fs::write(folder.join("empty.bin"), b"").unwrap();
    tabia(
        &folder,
        &["book", "convert", "empty.bin", "-o", "empty.abk"],
    );
    for args in [
        &["book", "convert", "empty.bin", "-o", "good.abk", "--force"][..],
        &["book", "convert", "empty.abk", "-o", "good.bin", "--force"],
        &[
            "book",
            "merge",
            "empty.bin",
            "empty.bin",
            "-o",
            "good.bin",
            "--force",
        ],
        &[
            "book",
            "merge",
            "empty.bin",
            "empty.abk",
            "-o",
            "good.abk",
            "--force",
        ],
        &["book", "fix", "empty.bin", "-o", "good.bin", "--force"],
    ] {
        let target = folder.join(args.iter().find(|arg| arg.starts_with("good")).unwrap());
        let old = std::fs::read(&target).unwrap();
        assert!(!old.is_empty());
        for report in [&[][..], &["--report", "report.json"]] {
            let run = tabia(&folder, &[args, report].concat());
            // An empty source can be a problem.
            assert!([1, 3].contains(&run.code), "{args:?}: {}", run.err);
            assert!(
                run.err.contains("is left as it was"),
                "{args:?}: {}",
                run.err
            );
            assert_eq!(std::fs::read(&target).unwrap(), old, "{args:?}");
            assert_eq!(folder.join("report.json").exists(), !report.is_empty());
        }
        std::fs::remove_file(folder.join("report.json")).unwrap();
        assert!(folder.names().iter().all(|name| !name.starts_with('.')));
    }
}

#[test]
fn a_game_that_goes_on_with_a_null_move_counts_for_the_move_before() {
    let folder = Scratch::new("books-null");
    let games = [
        "1. f4 -- 2. h4",
        "1. f4 e5",
        "1. f4 -- 2. a3 a6",
        "1. f4 -- 2. a3 a6",
    ];
    let games = games.map(|moves| format!("[Result \"1-0\"]\n\n{moves} 1-0\n"));
    std::fs::write(folder.join("a.pgn"), games.join("\n")).unwrap();
    for book in ["a.ctg", "a.kob", "a.abk"] {
        let args = [
            "book",
            "build",
            "a.pgn",
            "-o",
            book,
            "--min-games",
            "1",
            "--no-record",
        ];
        tabia(&folder, &args).expect(0);
        let path = if book == "a.kob" { "a_0.kob" } else { book };
        let path = if folder.join(path).exists() {
            path
        } else {
            book
        };
        let run = tabia(&folder, &["book", "find", path, "--json"]).expect(0);
        let found = run.json();
        let moves = found["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 1, "{book}: {found}");
        assert_eq!(
            (&moves[0]["san"], &moves[0]["games"]),
            (&"f4".into(), &4.into()),
            "{book}: {found}"
        );
    }
}
