//! `dedupe` and `eco`: which games are dropped, which codes games get.

use tabia_testkit::Scratch;

use crate::common::{tabia, tabia_with_input, with_sample};

const MOVES: &str = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6 8. f3 Be7 \
                     9. Qd2 O-O 10. O-O-O Nbd7 11. g4 b5 12. g5 b4";

fn game(white: &str, black: &str, event: &str, date: &str, moves: &str) -> String {
    format!(
        "[Event \"{event}\"]\n[Site \"?\"]\n[Date \"{date}\"]\n[Round \"?\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
    )
}

#[test]
fn duplicates_are_left_out_and_explained() {
    let folder = with_sample("dedupe");
    let shorter = MOVES.rsplit_once(" b4").unwrap().0;
    let other_start = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6";
    let beginning = other_start.split_once(" 7.").unwrap().0;
    let games = [
        game(
            "Topalov, Veselin",
            "Anand, Viswanathan",
            "Linares",
            "2005.02.24",
            shorter,
        ),
        game(
            "Topalov,V",
            "ANAND, V",
            "Linares (Spain)",
            "2005.??.??",
            MOVES,
        ),
        game(
            "Topalov, V",
            "Anand, V",
            "Linares",
            "2005.02.24",
            &format!("{MOVES} {{good}}"),
        ),
        // Other players, another year, another game of the same players.
        game(
            "Kasparov, Garry",
            "Anand, V",
            "Linares",
            "2005.02.24",
            MOVES,
        ),
        game("Topalov, V", "Anand, V", "Linares", "2006.02.24", MOVES),
        game("Topalov, V", "Anand, V", "Sofia", "2005.05.12", other_start),
        // Its beginning, at the same event and at another.
        game("Topalov, V", "Anand, V", "Sofia", "2005.??.??", beginning),
        game(
            "Topalov, V",
            "Anand, V",
            "Dortmund",
            "2005.07.09",
            beginning,
        ),
    ];
    std::fs::write(folder.join("games.pgn"), games.concat()).unwrap();
    let run = tabia(&folder, &["dedupe", "games.pgn", "--dry-run", "--tsv"]).expect(0);
    let rows: Vec<Vec<&str>> = run
        .out
        .lines()
        .map(|row| row.split('\t').collect())
        .collect();
    assert_eq!(
        rows[0],
        ["group", "kind", "kept", "dropped", "reason", "score"]
    );
    let found: Vec<&[&str]> = rows[1..].iter().map(|row| &row[1..4]).collect();
    assert_eq!(
        found,
        [
            ["near", "3", "1"],
            ["exact", "3", "2"],
            ["embedded", "6", "7"]
        ],
        "{}",
        run.out
    );
    for (output, threads) in [("kept.pgn", "1"), ("kept.si5", "2"), ("kept.cbh", "1")] {
        let args = [
            "dedupe",
            "games.pgn",
            "-o",
            output,
            "--explain",
            "why.tsv",
            "-f",
            "-j",
            threads,
        ];
        let run = tabia(&folder, &args).expect(0);
        assert!(run.err.contains("3 duplicates left out"), "{}", run.err);
        let rows = tabia(&folder, &["ls", output, "--ndjson"]).expect(0).out;
        assert_eq!(rows.lines().count(), 5, "{output}");
        assert_eq!(
            std::fs::read_to_string(folder.join("why.tsv"))
                .unwrap()
                .lines()
                .count(),
            4
        );
    }
    // From a database, and over two inputs.
    tabia(&folder, &["convert", "games.pgn", "-o", "games.si4", "-q"]).expect(0);
    let args = ["dedupe", "games.si4", "kept.cbh", "--dry-run", "--ndjson"];
    let run = tabia(&folder, &args).expect(0);
    assert_eq!(run.out.lines().count(), 8, "{}", run.out);
    assert!(run.out.contains("games.si4:3"), "{}", run.out);
    tabia(&folder, &["dedupe", "games.pgn"]).expect(2);
    tabia(&folder, &["dedupe", "-", "--dry-run"]).expect(2);
}

#[test]
fn openings_are_listed_and_filled_in() {
    let folder = with_sample("eco");
    let najdorf = game("A", "B", "E", "2005.02.24", MOVES);
    let coded = najdorf.replace("[Result", "[ECO \"A00\"]\n[Result");
    let transposed = game(
        "A",
        "B",
        "E",
        "2005.02.24",
        "1. Nf3 d5 2. d4 Nf6 3. c4 e6 4. Nc3",
    );
    std::fs::write(
        folder.join("in.pgn"),
        format!("{najdorf}{coded}{transposed}"),
    )
    .unwrap();
    let run = tabia(&folder, &["eco", "in.pgn", "--tsv"]).expect(0);
    let rows: Vec<Vec<&str>> = run
        .out
        .lines()
        .map(|row| row.split('\t').collect())
        .collect();
    assert_eq!(rows[0], ["game", "ply", "eco", "name"]);
    assert!(
        rows[1][2].starts_with("B9") && rows[1][3].contains("Najdorf"),
        "{}",
        run.out
    );
    assert_eq!((rows[3][1], &rows[3][2][..2]), ("7", "D3"), "{}", run.out);
    let codes = |path: &str| -> Vec<String> {
        let run = tabia(&folder, &["ls", path, "--ndjson"]).expect(0);
        let row = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let codes = run
            .out
            .lines()
            .map(|line| row(line)["eco"].as_str().map(str::to_owned));
        codes.map(Option::unwrap_or_default).collect()
    };
    let (first, last) = (rows[1][2].to_owned(), rows[3][2].to_owned());
    for (output, how, second) in [
        ("fill.pgn", None, "A00"),
        ("replace.si5", Some("replace"), first.as_str()),
        ("fill.cbh", Some("fill"), "A00"),
    ] {
        let mut args = vec!["eco", "in.pgn", "-o", output, "-q"];
        args.extend(how.iter().flat_map(|how| ["--eco", how]));
        tabia(&folder, &args).expect(0);
        assert_eq!(
            codes(output),
            [first.as_str(), second, last.as_str()],
            "{output}"
        );
    }
    tabia(
        &folder,
        &["eco", "in.pgn", "-o", "keep.pgn", "--eco", "keep"],
    )
    .expect(0);
    assert_eq!(codes("keep.pgn"), ["", "A00", ""]);
    tabia(&folder, &["eco", "in.pgn", "-o", "x.pgn", "--eco", "all"]).expect(2);
}

#[test]
fn only_new_games_are_appended_and_the_index_grows() {
    let folder = with_sample("append");
    let other =
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 8. Bd3 dxc4";
    let old = [
        game("Topalov, V", "Anand, V", "Linares", "2005.02.24", MOVES),
        // A duplicate in the base stays.
        game("Topalov, V", "Anand, V", "Linares", "2005.02.24", MOVES),
    ];
    let new = [
        game(
            "Topalov, Veselin",
            "Anand, V",
            "Linares",
            "2005.02.24",
            &format!("{MOVES} {{new}}"),
        ),
        game("Topalov, V", "Leko, P", "Linares", "2005.02.25", other),
        game("Topalov, V.", "Leko, Peter", "Linares", "2005.02.25", other),
    ];
    std::fs::write(folder.join("base.pgn"), old.concat().trim_end()).unwrap();
    std::fs::write(folder.join("new.pgn"), new.concat()).unwrap();
    tabia(&folder, &["convert", "base.pgn", "-o", "base.cbh", "-q"]).expect(0);
    tabia(&folder, &["convert", "base.pgn", "-o", "base.pgn.gz", "-q"]).expect(0);
    let count = |base: &str, query: &str| {
        let run = tabia(&folder, &["search", base, query, "--count"]);
        assert!(run.err.is_empty(), "{}", run.err);
        run.out.trim().to_owned()
    };
    let bases = ["base.si3", "base.si4", "base.si5", "base.sci", "base.2cbh"];
    for base in bases {
        tabia(&folder, &["convert", "base.pgn", "-o", base, "-q"]).expect(0);
    }
    for base in ["base.pgn", "base.cbh", "base.pgn.gz"]
        .into_iter()
        .chain(bases)
    {
        tabia(&folder, &["index", base, "-q"]).expect(0);
        let args = [
            "append",
            "new.pgn",
            "-o",
            base,
            "--dry-run",
            "--tsv",
            "--no-header",
        ];
        let run = tabia(&folder, &args).expect(0);
        assert_eq!(run.out.lines().count(), 2, "{}", run.out);
        let args = [
            "append",
            "new.pgn",
            "-o",
            base,
            "--explain",
            "why.tsv",
            "-f",
        ];
        let run = tabia(&folder, &args).expect(0);
        assert!(run.err.contains("2 duplicates left out"), "{}", run.err);
        assert!(run.err.contains(": grown"), "{base}: {}", run.err);
        let why = std::fs::read_to_string(folder.join("why.tsv")).unwrap();
        assert_eq!(why.lines().count(), 3);
        assert_eq!(count(base, "pos:\"1.d4 d5 2.c4\""), "1");
        assert_eq!(count(base, "player:topalov"), "3");
        let run = tabia(&folder, &["append", "new.pgn", "-o", base]).expect(0);
        assert!(run.err.contains("3 duplicates left out"), "{}", run.err);
        assert_eq!(count(base, "player:topalov"), "3");
    }
    let whole = std::fs::read_to_string(folder.join("base.pgn")).unwrap();
    assert!(whole.starts_with(old.concat().trim_end()));
    tabia(&folder, &["append", "new.pgn", "-o", "none.pgn"]).expect(5);
    tabia(&folder, &["append", "-", "-o", "base.pgn"]).expect(2);
    tabia(&folder, &["append", "base.pgn", "-o", "base.pgn"]).expect(2);
    tabia(&folder, &["append", "new.pgn", "-o", "none.si5"]).expect(5);
    // What the new database could not have.
    let args = ["convert", "base.pgn", "-o", "base.ndjson", "-q"];
    tabia(&folder, &args).expect(0);
    tabia(&folder, &["append", "new.pgn", "-o", "base.ndjson"]).expect(4);
    let args = ["convert", "new.pgn", "-o", "base.ndjson", "--append"];
    let run = tabia(&folder, &args).expect(2);
    assert!(run.err.contains("cannot be appended to"), "{}", run.err);
}

/// A game of a number of full moves that leads nowhere.
fn long_game(white: &str, moves: usize) -> String {
    let mut text =
        format!("[White \"{white}\"]\n[Black \"Gligoric, S\"]\n[Date \"1958.??.??\"]\n\n");
    for number in 1..=moves {
        text += match number % 2 {
            0 => "Ng1 Ng8 ",
            _ => "Nf3 Nf6 ",
        };
    }
    text + "1/2-1/2\n\n"
}

/// The surname of a name without a comma is its last word, or its first in long games with the same moves.
#[test]
fn names_without_a_comma_are_read_both_ways() {
    let folder = Scratch::new("dedupe-names");
    let duplicates = |names: &[&str], moves: usize| {
        let games = names.iter().map(|name| long_game(name, moves));
        std::fs::write(folder.join("games.pgn"), games.collect::<String>()).unwrap();
        let run = tabia(&folder, &["dedupe", "games.pgn", "--dry-run", "--json"]);
        let rows = run.json();
        let rows = rows.as_array().unwrap();
        let kept: Vec<_> = rows.iter().map(|row| row["kept"].clone()).collect();
        assert!(kept.iter().all(|other| *other == kept[0]), "{rows:?}");
        kept.len()
    };
    assert_eq!(duplicates(&["Padevsky Nikola", "Padevsky, Nikola"], 25), 1);
    assert_eq!(duplicates(&["Padevsky Nikola", "Padevsky, N"], 25), 1);
    // All are the same game, which is kept once.
    let spellings = ["Nikola Padevsky", "Padevsky, Nikola", "Padevsky Nikola"];
    assert_eq!(duplicates(&spellings, 25), 2);
    // Too short, and another player.
    assert_eq!(duplicates(&["Padevsky Nikola", "Padevsky, Nikola"], 15), 0);
    assert_eq!(duplicates(&["Padevsky Nikola", "Nikolic, Predrag"], 25), 0);
    assert_eq!(duplicates(&["Nikola Nikola", "Nikola Nikola"], 25), 1);

    std::fs::write(folder.join("new.pgn"), long_game("Padevsky Nikola", 25)).unwrap();
    std::fs::write(folder.join("old.pgn"), long_game("Padevsky, Nikola", 25)).unwrap();
    tabia(&folder, &["convert", "old.pgn", "-o", "base.si5"]).expect(0);
    let run = tabia(&folder, &["append", "new.pgn", "-o", "base.si5"]);
    assert!(run.err.contains("1 duplicate left out"), "{}", run.err);
    let run = tabia(&folder, &["ls", "base.si5", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
}

#[test]
fn queries_ask_for_duplicates() {
    let folder = with_sample("is-duplicate");
    let games = [
        game("Topalov, V", "Anand, V", "Linares", "2005.02.24", MOVES),
        game("Kasparov, G", "Anand, V", "Linares", "2005.02.24", MOVES),
        game(
            "Topalov, Veselin",
            "Anand, V",
            "Linares",
            "2005.02.24",
            MOVES,
        ),
    ];
    std::fs::write(folder.join("g.pgn"), games.concat()).unwrap();
    tabia(&folder, &["convert", "g.pgn", "-o", "g.si4", "-q"]).expect(0);
    for path in ["g.pgn", "g.si4"] {
        for (query, expected) in [
            ("is:duplicate", "3\n"),
            ("-is:duplicate", "1\n2\n"),
            ("is:duplicate,deleted player:topalov", "3\n"),
        ] {
            let args = [
                "search",
                path,
                query,
                "--columns",
                "game",
                "--tsv",
                "--no-header",
            ];
            assert_eq!(
                tabia(&folder, &args).expect(0).out,
                expected,
                "{path} {query}"
            );
        }
        let run = tabia(
            &folder,
            &["search", path, "is:duplicate", "--explain", "--tsv"],
        );
        let explained = run.expect(0).out;
        assert!(explained.contains("is:duplicate\theader\t1"), "{explained}");
        let args = ["convert", path, "--where", "-is:duplicate", "-o", "-", "-q"];
        assert_eq!(
            tabia(&folder, &args)
                .expect(0)
                .out
                .matches("[White ")
                .count(),
            2
        );
    }
}

/// Every verb with `--where` knows the duplicates; from a pipe, which is read once, none does.
#[test]
fn every_verb_with_a_query_asks_for_duplicates() {
    let folder = with_sample("is-duplicate-verbs");
    let of = |white: &str| game(white, "Anand, V", "Linares", "2005.02.24", MOVES);
    let games = ["Topalov, V", "Kasparov, G", "Topalov, Veselin"].map(of);
    std::fs::write(folder.join("g.pgn"), games.concat()).unwrap();
    tabia(&folder, &["convert", "g.pgn", "-o", "g.si4", "-q"]).expect(0);
    for path in ["g.pgn", "g.si4"] {
        for (query, count) in [("is:duplicate", 1), ("-is:duplicate", 2)] {
            let run = |args: &[&str]| {
                let args = [args, &["--where", query]].concat();
                tabia(&folder, &args).expect(0)
            };
            let tree = run(&["tree", path, "--tsv"]).out;
            let all = format!("\tall\t{count}\t");
            assert!(tree.contains(&all), "{path} {query}: {tree}");
            for verb in [&["eco", path][..], &["novelty", path, "--base", "mega.cbh"]] {
                let rows = run(&[verb, &["--tsv", "--no-header"]].concat()).out;
                assert_eq!(rows.lines().count(), count, "{verb:?} {query}: {rows}");
            }
            let games = format!("from {count} game");
            for book in ["new.bin", "new.kob"] {
                let build = [
                    "book",
                    "build",
                    path,
                    "-o",
                    book,
                    "--force",
                    "--min-games",
                    "1",
                ];
                let err = run(&build).err;
                assert!(err.contains(&games), "{path} {query}: {err}");
            }
            let linked = [
                "book",
                "build",
                path,
                "-o",
                "linked.kob",
                "--force",
                "--game-links",
            ];
            if path == "g.pgn" {
                let err = run(&linked).err;
                assert!(err.contains(&games), "{query}: {err}");
            }
            let split = ["convert", path, "-o", "part.pgn", "--force", "--split", "9"];
            let err = run(&split).err;
            assert!(
                err.contains(&format!("{count} of 3 games")),
                "{query}: {err}"
            );
        }
    }
    let piped = ["eco", "-", "--where", "is:duplicate"];
    let run = tabia_with_input(&folder, &piped, games.concat().as_bytes()).expect(2);
    assert!(run.err.contains("reads the games twice"), "{}", run.err);
}

#[test]
fn annotations_of_duplicates_are_merged() {
    let folder = with_sample("merge-annotations");
    let annotated = |after: &str| MOVES.replacen("3. d4", &format!("3. d4 {after}"), 1);
    let games = |texts: &[&str]| -> String {
        let of = |text: &&str| game("Topalov, V", "Anand, V", "Linares", "2005.02.24", text);
        texts.iter().map(of).collect()
    };
    let first = annotated("{sharp} (3. Bb5+ Bd7 $14)");
    let second = annotated("{the main line} $1");
    std::fs::write(folder.join("a.pgn"), games(&[&second, MOVES])).unwrap();
    std::fs::write(folder.join("b.pgn"), games(&[&first])).unwrap();
    tabia(&folder, &["convert", "a.pgn", "-o", "a.cbh", "-q"]).expect(0);
    for (inputs, threads) in [(["a.pgn", "b.pgn"], "2"), (["a.cbh", "b.pgn"], "1")] {
        let mut args = vec![
            "dedupe",
            "-o",
            "-",
            "--to",
            "pgn",
            "--merge-annotations",
            "-j",
            threads,
        ];
        args.extend(inputs);
        let run = tabia(&folder, &args).expect(0);
        assert_eq!(run.out.matches("[White ").count(), 1);
        let text = run.out.replace('\n', " ");
        for part in ["{sharp}", "$14", "{the main line}", "$1 "] {
            assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
        }
    }
    // Without it only the game with most annotations is left.
    let run = tabia(
        &folder,
        &["dedupe", "-o", "-", "--to", "pgn", "a.pgn", "b.pgn"],
    )
    .expect(0);
    assert!(!run.out.contains("the main line"), "{}", run.out);
}

/// A game without moves or players is a duplicate if all of it is the same, in every format that the base can
/// have; a game that differs in anything is none.
#[test]
fn games_of_unknown_players_and_without_moves_are_appended_once() {
    let folder = Scratch::new("append-twice");
    let games = "1. e4 {first} *\n\n1. e4 {second} *\n\n1. e4 (1. d4) {first} *\n\n1. e4! {first} *\n\n\
        1. e4 {first [%csl Ge4]} *\n\n\
        [Event \"a\"]\n[White \"B\"]\n[Black \"C\"]\n[Result \"1-0\"]\n\n1-0\n\n\
        [Event \"a\"]\n[White \"B\"]\n[Black \"C\"]\n[Result \"0-1\"]\n\n0-1\n\n\
        [Event \"a\"]\n[White \"B\"]\n[Black \"C\"]\n[Round \"2.3\"]\n[Result \"0-1\"]\n\n0-1\n\n\
        [Event \"Grand Final of the Online Nations Cup of Europe 2020\"]\n[Site \"chess.com INT\"]\n\
        [Date \"2020.11.01\"]\n[White \"D\"]\n[Black \"E\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n\
        [Event \"b\"]\n\n{only a  comment,\nfür dich} *\n\n[Event \"b\"]\n\n1. c4 e5 1/2-1/2\n\n\
        [SetUp \"1\"]\n[FEN \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {[%clk 0:01:00]} Kd4 $14 *\n\n\
        [White \"F\"]\n\n1. d4 *\n\n";
    let count = 13;
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    let left_out = format!("{count} duplicates left out");
    for extension in ["pgn", "pgn.gz", "si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        let target = &format!("base.{extension}");
        let run = tabia(&folder, &["convert", "games.pgn", "-o", target]).expect(0);
        for _ in 0..2 {
            let run = tabia(&folder, &["append", "games.pgn", "-o", target]).expect(0);
            assert!(run.err.contains(&left_out), "{target}: {}", run.err);
            let checked = tabia(&folder, &["check", target, "--json"]).expect(0);
            assert_eq!(checked.json()[0]["games"], count, "{target}");
        }
        // All are compared, not only the next ones.
        let once = &format!("once.{extension}");
        let run_of_copy = tabia(&folder, &["append", target, "-o", target]);
        assert_eq!(run_of_copy.code, 2, "{}{}", run.err, run_of_copy.err);
        tabia(&folder, &["dedupe", target, "games.pgn", "-o", once]).expect(0);
        let checked = tabia(&folder, &["check", once, "--json"]).expect(0);
        assert_eq!(checked.json()[0]["games"], count, "{target}");
    }
    std::fs::write(folder.join("many.pgn"), games.repeat(50)).unwrap();
    let run = tabia(&folder, &["append", "many.pgn", "-o", "base.pgn"]).expect(0);
    let left_out = format!("{} duplicates left out", 50 * count);
    assert!(run.err.contains(&left_out), "{}", run.err);
    tabia(&folder, &["dedupe", "many.pgn", "-o", "once-more.pgn"]).expect(0);
    let checked = tabia(&folder, &["check", "once-more.pgn", "--json"]).expect(0);
    assert_eq!(checked.json()[0]["games"], count);
    // Of copies that differ in what only some formats keep, the one with most is kept.
    let clocks = "1. e4 {first} *\n\n1. e4 {first [%clk 0:01:00]} *\n\n1. e4 {first} *\n";
    std::fs::write(folder.join("clocks.pgn"), clocks).unwrap();
    let run = tabia(&folder, &["dedupe", "clocks.pgn", "-o", "-"]).expect(0);
    assert_eq!(run.out.matches("[Event").count(), 1, "{}", run.out);
    assert!(run.out.contains("%clk"), "{}", run.out);
}

#[test]
fn games_are_compared_as_the_database_would_store_them() {
    let folder = with_sample("append-cut-names");
    // Enough that the character set is found out.
    let names = [
        "Иванов, Пётр",
        "Смирнов, Алексей",
        "Кузнецов, Дмитрий",
        "Попов, Сергей",
    ];
    let start = names.map(|name| {
        game(
            name,
            "Müller, Jörg",
            "Первенство города Москвы",
            "2019.01.01",
            "1. e4",
        )
    });
    std::fs::write(folder.join("start.pgn"), start.concat()).unwrap();
    let long = "Абвгдежз".repeat(80);
    let games = [
        // Names of more than 29 and 39 bytes.
        game(
            "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine Theodor",
            "Müller-Lüdenscheidt-von-und-zu-Hohenstein, Ä",
            "An improbably long name of a tournament in a town",
            "2020.01.01",
            MOVES,
        ),
        // Longer than any format has them.
        game(&long, "Short, N", &long, "2020.01.02", MOVES),
        game(&long, "Short, N", "Open", "2020.01.03", ""),
        // No set of one byte has all of these letters.
        game(
            "Дворецкий, Марк",
            "Święcicki, Łukasz",
            "Турнир Łódź",
            "2020.01.04",
            MOVES,
        ),
        game(
            "Дворецкий, Марк",
            "Święcicki, Łukasz",
            "Турнир Łódź",
            "2020.01.04",
            "",
        ),
        // Names of equal length, all letters of which are lost in a set for the West.
        game("Иванов, Марк", "Петров, Олег", "Турнир", "2020.01.05", ""),
        game("Петров, Марк", "Иванов, Олег", "Турнир", "2020.01.05", ""),
        game(
            "?",
            "Święcicki, Łukasz",
            "Турнир",
            "2020.01.06",
            "1. e4 {Łódź, Кижи}",
        ),
    ];
    std::fs::write(folder.join("new.pgn"), games.concat()).unwrap();
    for (base, encoding) in [
        ("b.cbh", "utf-8"),
        ("west.cbh", "cp1252"),
        ("east.cbh", "cp1251"),
        ("b.2cbh", "auto"),
        ("b.si3", "auto"),
        ("b.si4", "auto"),
        ("b.si5", "auto"),
        ("b.sci", "auto"),
    ] {
        let args = [
            "convert",
            "start.pgn",
            "-o",
            base,
            "--to-encoding",
            encoding,
        ];
        tabia(&folder, &args).expect(0);
        let added = || {
            let run = tabia(&folder, &["append", "new.pgn", "-o", base]).expect(0);
            let rows = tabia(&folder, &["ls", base, "--tsv"]).out.lines().count();
            (rows - 1 - names.len(), run.err)
        };
        assert_eq!(added().0, 8, "{base}");
        let (games, messages) = added();
        assert_eq!(games, 8, "{base}: {messages}");
        assert!(
            messages.contains("8 duplicates left out"),
            "{base}: {messages}"
        );
    }
}

/// Rows without a name are explained where no name is to be expected.
#[test]
fn games_of_chess960_without_a_name_are_counted() {
    let folder = with_sample("eco-chess960");
    let start = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1";
    let game =
        format!("[Variant \"Chess960\"]\n[FEN \"{start}\"]\n[SetUp \"1\"]\n\n1. e4 e5 *\n\n");
    std::fs::write(folder.join("g.pgn"), game.repeat(2)).unwrap();
    let run = tabia(&folder, &["eco", "g.pgn", "--csv"]).expect(0);
    assert_eq!(run.out, "game,ply,eco,name\n1,,,\n2,,,\n");
    assert!(
        run.err.contains("2 games of Chess960 have no name"),
        "{}",
        run.err
    );
}

/// Rows that are asked for are there also where games are written.
#[test]
fn dropped_games_are_rows_where_a_form_of_rows_is_asked_for() {
    let folder = with_sample("dedupe-rows");
    let text = game("A, B", "C, D", "Open", "2020.01.02", MOVES);
    std::fs::write(folder.join("two.pgn"), text.repeat(2)).unwrap();
    let run = tabia(&folder, &["dedupe", "two.pgn", "-o", "one.pgn", "--json"]).expect(0);
    assert_eq!(run.json()[0]["kind"], "exact");
    let run = tabia(&folder, &["append", "two.pgn", "-o", "one.pgn", "--json"]).expect(0);
    assert_eq!(run.json().as_array().unwrap().len(), 2);
    let run = tabia(&folder, &["append", "two.pgn", "-o", "one.pgn"]).expect(0);
    assert_eq!(run.out, "");
}
