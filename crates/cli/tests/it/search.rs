//! `search`: rows with moments, counts, files.

use tabia_testkit::Scratch;

use crate::common::{tabia, with_games, with_sample};

#[test]
fn rows_end_with_the_moment() {
    let folder = with_sample("search-rows");
    let run = tabia(&folder, &["search", "mega.cbh", "move:O-O-O => stm:black"]).expect(0);
    let mut lines = run.out.lines();
    assert!(lines.next().unwrap().ends_with("\tflags\tply\tfen\tmove"));
    assert!(lines.next().unwrap().ends_with("\tO-O-O"), "{}", run.out);
    let args = ["search", "mega.cbh", "move:O-O-O => stm:black", "--ndjson"];
    let run = tabia(&folder, &args).expect(0);
    let row: serde_json::Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    let moments = row["moments"].as_array().unwrap();
    assert_eq!((moments.len(), &row["move"]), (2, &moments[0]["move"]));
    let ply = |index: usize| moments[index]["ply"].as_u64().unwrap();
    assert_eq!((ply(0) + 1, row["ply"].as_u64()), (ply(1), Some(ply(0))));
    // A stream gives the same rows.
    tabia(&folder, &["convert", "mega.cbh", "-o", "all.pgn", "-q"]).expect(0);
    let moments = |path: &str| -> Vec<serde_json::Value> {
        let args = ["search", path, "takes:Q OR is:mate", "--ndjson", "-j2"];
        let run = tabia(&folder, &args).expect(0);
        let rows = run
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        rows.map(|row: serde_json::Value| row["moments"].clone())
            .collect()
    };
    assert_eq!(moments("mega.cbh"), moments("all.pgn"));
}

#[test]
fn games_are_counted_or_written() {
    let folder = with_sample("search-write");
    let count = |query: &str| tabia(&folder, &["search", "mega.cbh", query, "--count"]);
    assert_eq!(count("ends:mate").expect(0).out, "3\n");
    assert_eq!(count("ends:stalemate").expect(1).out, "0\n");
    let run = tabia(
        &folder,
        &["search", "mega.cbh", "ends:mate", "-o", "mates.si5"],
    )
    .expect(0);
    assert!(run.err.contains("3 of 7 games"), "{}", run.err);
    assert_eq!(
        tabia(&folder, &["search", "mates.si5", "ends:mate", "--count"])
            .expect(0)
            .out,
        "3\n"
    );
    let run = tabia(&folder, &["search", "mega.cbh", "mat:KQ"]).expect(2);
    assert!(run.err.contains("column 5 of the query"), "{}", run.err);
    let run = tabia(&folder, &["search", "mega.cbh", "mvoe:e4"]).expect(2);
    assert!(run.err.contains("did you mean `move`?"), "{}", run.err);
    tabia(&folder, &["search", "mega.cbh"]).expect(2);
    assert!(
        tabia(&folder, &["help", "search"])
            .expect(0)
            .out
            .contains("pawns")
    );
}

#[test]
fn rows_and_games_are_sorted() {
    let folder = with_sample("search-sort");
    let years = |args: &[&str]| -> Vec<String> {
        let run = tabia(&folder, args).expect(0);
        let rows = run.out.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["date"].as_str().unwrap_or_default().to_owned()
        });
        rows.collect()
    };
    let mut sorted = years(&[
        "search",
        "mega.cbh",
        "has:comments OR -has:comments",
        "--ndjson",
    ]);
    sorted.sort();
    assert!(sorted.len() > 3);
    let ascending = years(&["search", "mega.cbh", "sort:date-asc", "--ndjson", "-j2"]);
    assert_eq!(ascending, sorted);
    sorted.reverse();
    assert_eq!(
        years(&["ls", "mega.cbh", "--where", "sort:date", "--ndjson"]),
        sorted
    );
    let args = [
        "ls",
        "mega.cbh",
        "--where",
        "sort:date",
        "--ndjson",
        "--offset",
        "1",
        "--limit",
        "2",
    ];
    assert_eq!(years(&args), sorted[1..3]);
    // Every writer gets the games in that order, whatever the number of threads.
    for (name, threads) in [
        ("a.pgn", "1"),
        ("a.si5", "2"),
        ("a.cbh", "2"),
        ("a.sci", "1"),
    ] {
        let args = [
            "convert",
            "mega.cbh",
            "-o",
            name,
            "--sort",
            "-date,white",
            "-j",
            threads,
            "-q",
        ];
        tabia(&folder, &args).expect(0);
        assert_eq!(years(&["ls", name, "--ndjson"]), sorted, "{name}");
    }
    let args = ["search", "a.pgn", "sort:date-asc", "-o", "b.cbh"];
    tabia(&folder, &args).expect(0);
    sorted.reverse();
    assert_eq!(years(&["ls", "b.cbh", "--ndjson"]), sorted);
    let run = tabia(&folder, &["convert", "mega.cbh", "--sort", "colour"]).expect(2);
    assert!(run.err.contains("is not one of number"), "{}", run.err);
    let run = tabia(&folder, &["search", "mega.cbh", "sort:name"]).expect(2);
    assert!(run.err.contains("known are number"), "{}", run.err);
}

#[test]
fn moments_are_marked_in_written_games() {
    let folder = with_sample("search-mark");
    for (input, output) in [("mega.cbh", "a.pgn"), ("a.pgn", "b.pgn")] {
        let query = "move:O-O -> move:castling";
        let args = ["search", input, query, "-o", output, "--mark", "castles"];
        tabia(&folder, &args).expect(0);
        let text = std::fs::read_to_string(folder.join(output)).unwrap();
        assert!(text.contains("castles"), "{text}");
        let args = ["search", output, "text:castles -> text:castles", "--count"];
        let marked = tabia(&folder, &args).expect(0).out;
        assert_eq!(
            tabia(&folder, &["search", input, query, "--count"])
                .expect(0)
                .out,
            marked
        );
    }
    std::fs::write(folder.join("v.pgn"), "1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *\n").unwrap();
    let args = [
        "search",
        "v.pgn",
        "in:all move:c5 -> move:Nf3",
        "-o",
        "-",
        "--mark",
    ];
    let run = tabia(&folder, &args).expect(0);
    let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("({found} 1... c5 {found} 2. Nf3)"), "{text}");
    tabia(&folder, &["search", "v.pgn", "move:e4", "--mark"]).expect(2);
}

#[test]
fn ratings_of_other_kinds_are_no_elo() {
    let folder = Scratch::new("search-ratings");
    let text = "[White \"A\"]\n[Black \"B\"]\n[WhiteUSCF \"2000\"]\n[BlackUSCF \"1900\"]\n\n1. e4 *\n\n\
                [White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2100\"]\n[BlackElo \"2200\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("g.pgn"), text).unwrap();
    for name in ["g.pgn", "g.si3", "g.si4", "g.si5", "g.sci", "g.cbh"] {
        if name != "g.pgn" {
            tabia(&folder, &["convert", "g.pgn", "-o", name, "-q"]).expect(0);
        }
        for (query, games) in [
            ("elo:>=1900", "1"),
            ("has:elo", "1"),
            ("-has:anyelo", "1"),
            ("-elo:>=1900", "1"),
            ("whiteelo:2000", "0"),
        ] {
            let run = tabia(&folder, &["search", name, query, "--count"]);
            assert_eq!(run.out.trim(), games, "{name} {query}");
        }
        let run = tabia(
            &folder,
            &["ls", name, "--tsv", "--no-header", "--columns", "whiteElo"],
        );
        assert_eq!(run.expect(0).out, "\n2100\n", "{name}");
    }
}

#[test]
fn the_plan_shows_what_each_term_leaves() {
    let folder = with_sample("search-explain");
    tabia(&folder, &["convert", "mega.cbh", "-o", "all.pgn", "-q"]).expect(0);
    let query = "move:castling anderssen => stm:black";
    let plan = |path: &str| {
        tabia(&folder, &["search", path, query, "--explain"])
            .expect(0)
            .out
    };
    assert_eq!(plan("mega.cbh"), plan("all.pgn"));
    let text = plan("mega.cbh");
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows[0], ["alternative", "term", "reads", "games"]);
    let terms: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    assert_eq!(
        terms,
        [
            "term",
            "all games",
            "anderssen",
            "move:castling",
            "=> stm:black"
        ]
    );
    let count = tabia(&folder, &["search", "mega.cbh", query, "--count"])
        .expect(0)
        .out;
    assert_eq!(rows[4][3], count.trim());
    tabia(&folder, &["search", "mega.cbh", "nosuchname", "--explain"]).expect(1);
}

#[test]
fn a_query_may_begin_with_a_minus() {
    let folder = with_sample("search-minus");
    let count = |args: &[&str]| tabia(&folder, args).expect(0).out;
    let expected = count(&["search", "--count", "--", "mega.cbh", "-result:draw"]);
    assert_eq!(
        count(&["search", "mega.cbh", "-result:draw", "--count", "-j2"]),
        expected
    );
    assert_eq!(
        count(&["search", "mega.cbh", "-(result:draw)", "--count"]),
        expected
    );
    let run = tabia(&folder, &["search", "mega.cbh", "-elo:high"]).expect(2);
    assert!(run.err.contains("column 6 of the query"), "{}", run.err);
}

#[test]
fn blanks_after_commas_do_not_count_in_names() {
    let folder = Scratch::new("search-commas");
    let game = |white: &str, round: &str| {
        format!("[White \"{white}\"]\n[Black \"X\"]\n[Round \"{round}\"]\n\n1. e4 *\n\n")
    };
    let games = [
        game("Short,N", "1"),
        game("Short, Nigel", "10"),
        game("Shorter, N", "2.1"),
        game("Short", "1.3"),
        game("Y", "?.3"),
    ];
    std::fs::write(folder.join("g.pgn"), games.concat()).unwrap();
    for other in ["g.si4", "g.si5", "g.cbh", "g.2cbh", "g.sci"] {
        tabia(&folder, &["convert", "g.pgn", "-o", other]);
    }
    let check = |path: &str, options: &[&str]| {
        for (query, expected) in [
            ("\"Short, N\"", "1 2"),
            ("\"Short,N\"", "1 2"),
            ("player:\"short,n\"", "1 2"),
            ("white:\"=Short, N\"", "1"),
            ("white:\"=Short,Nigel\"", "2"),
            ("-white:\"Short, N\"", "3 4 5"),
            ("tag:White=\"Short, N\"", "1 2"),
            ("round:1", "1 4"),
            ("round:10", "2"),
            ("round:2.1", "3"),
            ("round:?.3", "5"),
        ] {
            let args = [
                "search",
                path,
                query,
                "--columns",
                "game",
                "--csv",
                "--no-header",
            ];
            let run = tabia(&folder, &[&args[..], options].concat()).expect(0);
            let found: Vec<&str> = run.out.lines().collect();
            assert_eq!(found.join(" "), expected, "{path} {query} {options:?}");
        }
    };
    for path in ["g.pgn", "g.si4", "g.si5", "g.cbh", "g.2cbh", "g.sci"] {
        check(path, &[]);
    }
    for path in ["g.pgn", "g.sci", "g.si5"] {
        tabia(&folder, &["index", path]).expect(0);
        check(path, &["--index", "require"]);
    }
}

/// `ply` is the moment, `plies` the length of the game.
#[test]
fn games_are_sorted_by_the_moment_at_which_they_fit() {
    let folder = with_games("sorted-by-ply");
    let games = "[White \"Late\"]\n\n1. e4 e5 2. d3 Nc6 3. Nf3 *\n\n\
                 [White \"Never\"]\n\n1. d4 *\n\n\
                 [White \"First\"]\n\n1. Nf3 d5 2. g3 Nf6 3. Bg2 e6 4. O-O Be7 *\n\n\
                 [White \"Second\"]\n\n1. e4 Nf6 2. Nf3 *\n\n";
    std::fs::write(folder.join("p.pgn"), games).unwrap();
    let listed = |verb: &str, query: &str| -> Vec<String> {
        let args = [verb, "p.pgn", "--columns", "white", "--no-header"];
        let query = if verb == "ls" {
            vec!["--where", query]
        } else {
            vec![query]
        };
        let run = tabia(&folder, &[&args[..], &query].concat()).expect(0);
        run.out.lines().map(str::to_owned).collect()
    };
    let by_ply = ["First", "Second", "Late"];
    for verb in ["search", "ls"] {
        assert_eq!(listed(verb, "by:white move:Nf3 sort:ply"), by_ply, "{verb}");
        let mut reverse = listed(verb, "by:white move:Nf3 sort:ply-desc");
        reverse.reverse();
        assert!(reverse[0] == "First" && reverse.len() == 3, "{reverse:?}");
        assert_eq!(
            listed(verb, "by:white move:Nf3 sort:plies"),
            ["Second", "Late", "First"]
        );
    }
    for target in ["-", "out.pgn", "out.si4"] {
        let args = [
            "convert",
            "p.pgn",
            "--where",
            "by:white move:Nf3 sort:ply",
            "--force",
            "-o",
            target,
        ];
        let run = tabia(&folder, &args).expect(0);
        if target == "-" {
            let at = by_ply.map(|name| run.out.find(name));
            assert!(at.is_sorted() && at[0].is_some(), "{}", run.out);
            continue;
        }
        let args = ["ls", target, "--columns", "white", "--no-header"];
        let names = tabia(&folder, &args).expect(0).out;
        assert_eq!(names.lines().collect::<Vec<_>>(), by_ply, "{target}");
    }
}

#[test]
fn queries_of_scoutfish_are_read_and_shown_as_ours() {
    let folder = with_games("scoutfish");
    let game = "[White \"A\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n";
    std::fs::write(folder.join("s.pgn"), game).unwrap();
    let json = r#"{"sequence": [{"white-move": "Bc4"}, {"white-move": "Qxf7#", "captured": "p"}], "result": "1-0"}"#;
    let args = ["search", "s.pgn", "--scoutfish", json, "--no-header"];
    // `sequence` and `result` are two conditions.
    let run = tabia(&folder, &args).expect(0);
    assert_eq!(run.out.lines().count(), 1, "{}", run.err);
    let ours = "result:1-0 by:white move:Bc4 -> takes:p by:white move:Qxf7#";
    assert!(run.err.contains(ours), "{}", run.err);
    let same = tabia(&folder, &["search", "s.pgn", ours, "--no-header"]).expect(0);
    assert_eq!(same.out, run.out);
    tabia(
        &folder,
        &["search", "s.pgn", "--scoutfish", r#"{"material": "KK"}"#],
    )
    .expect(1);
    tabia(&folder, &["search", "s.pgn", "--scoutfish", "tal"]).expect(2);
}

/// What a script or a shell leaves of a query is no query that fits everything.
#[test]
fn a_field_without_a_value_is_an_error() {
    let folder = with_games("no-value");
    for query in [
        "player:",
        "-player:",
        "elo:",
        "(date:)",
        "player:\"\"",
        "\"\"",
        "-\"\"",
        "tag:Event=",
        "sort:",
        "fen:",
        "elo:2700 eco:",
    ] {
        let run = tabia(&folder, &["search", "games.pgn", query, "--count"]).expect(2);
        assert_eq!(run.out, "", "{query}");
        let where_ = tabia(&folder, &["ls", "games.pgn", "--where", query]).expect(2);
        assert_eq!(where_.out, "", "{query}");
    }
    assert_eq!(
        tabia(&folder, &["search", "games.pgn", "", "--count"])
            .expect(0)
            .out,
        "3\n"
    );
    // The shell has taken `>=2800`.
    for words in [&["player:carlsen", "elo:"][..], &["elo:", "player:carlsen"]] {
        let run = tabia(
            &folder,
            &[&["search", "games.pgn"], words, &["--count"]].concat(),
        );
        let run = run.expect(2);
        assert!(run.err.contains("`elo:` has no value"), "{}", run.err);
        assert!(run.err.contains("elo:>=…"), "{}", run.err);
        assert!(run.err.contains("`>` writes to a file"), "{}", run.err);
    }
}

#[test]
fn expressions_have_blanks_and_commas() {
    let folder = with_games("expressions");
    let count = |query: &str| tabia(&folder, &["search", "games.pgn", query, "--count"]).out;
    for query in [
        "white:/carlsen, magnus/",
        "white:/carlsen,\\s*magnus/",
        "site:/wijk aan/ white:/unknown, x/,/^carlsen, m/",
        "(site:/wijk aan zee/)",
        "-white:/muller, j/ event:/tata steel/",
    ] {
        assert_eq!(count(query), "1\n", "{query}");
    }
    let run = tabia(&folder, &["search", "games.pgn", "white:/carlsen, magnus"]).expect(2);
    let error = "column 7 of the query: the expression `/carlsen,` has no closing `/`";
    assert!(run.err.contains(error), "{}", run.err);
}

#[test]
fn the_known_parts_of_a_date_are_asked() {
    let folder = with_games("date-parts");
    let game = |date: &str| format!("[White \"A\"]\n[Date \"{date}\"]\n\n1. e4 *\n\n");
    let dates = [
        "2011.??.11",
        "2011.05.11",
        "2011.12.16",
        "1999.05.??",
        "????.05.01",
    ];
    let text: String = dates.into_iter().map(game).collect();
    std::fs::write(folder.join("d.pgn"), text).unwrap();
    tabia(&folder, &["convert", "d.pgn", "-o", "d.si4"]).expect(0);
    for input in ["d.pgn", "d.si4"] {
        let count = |query: &str| tabia(&folder, &["search", input, query, "--count"]).out;
        assert_eq!(count("date:2011.??.11"), "2\n", "{input}");
        assert_eq!(count("date:2011"), "3\n", "{input}");
        assert_eq!(count("date:2011.12.??"), "1\n", "{input}");
    }
    for query in ["date:????.05", "date:????.05.??"] {
        let run = tabia(&folder, &["search", "d.pgn", query, "--count"]).expect(0);
        assert_eq!(run.out, "3\n", "{query}");
    }
    let run = tabia(&folder, &["search", "d.pgn", "date:>=2011.??.11"]).expect(2);
    assert!(
        run.err.contains("a part of 2011.??.11 is unknown"),
        "{}",
        run.err
    );
    let run = tabia(&folder, &["search", "d.pgn", "month:5"]).expect(2);
    assert!(
        run.err.contains("`date:????.05` asks for a month"),
        "{}",
        run.err
    );
}

#[test]
fn a_rating_that_no_game_has_exactly_is_named() {
    let folder = with_games("exact-rating");
    let hint = "`elo:2700` is exactly 2700; `elo:>=2700` is at least";
    for more in [&[][..], &["--count"]] {
        let run = tabia(
            &folder,
            &[&["search", "games.pgn", "elo:2700"], more].concat(),
        )
        .expect(1);
        assert!(run.err.contains(hint), "{}", run.err);
    }
    let run = tabia(&folder, &["search", "games.pgn", "whiteelo:2861"]).expect(0);
    assert_eq!(run.err, "");
    let one = "[White \"A\"]\n[WhiteElo \"2500\"]\n\n1. e4 *\n";
    std::fs::write(folder.join("one.pgn"), one).unwrap();
    let count = |query: &str| tabia(&folder, &["search", "one.pgn", query, "--count"]).out;
    assert_eq!(
        (count("has:elo"), count("has:anyelo")),
        ("0\n".into(), "1\n".into())
    );
}

#[test]
fn commands_are_no_comments_in_any_format() {
    let folder = Scratch::new("search-comments");
    let games = [
        "1. e4 {[%clk 1:00:00]} *",
        "1. e4 {[%csl Ge4]} *",
        "1. e4 {best by test} *",
        "1. e4 {[%eval 0.3]} *",
        "1. e4 *",
    ];
    std::fs::write(folder.join("a.pgn"), games.join("\n\n")).unwrap();
    for file in [
        "a.pgn", "a.si3", "a.si4", "a.si5", "a.sci", "a.cbh", "a.2cbh",
    ] {
        if file != "a.pgn" {
            tabia(&folder, &["convert", "a.pgn", "-o", file, "-q"]).expect(0);
        }
        for (query, count) in [("has:comments", "1\n"), ("-has:comments", "4\n")] {
            let run = tabia(&folder, &["search", file, query, "--count"]).expect(0);
            assert_eq!(run.out, count, "{query} in {file}");
        }
    }
}

#[test]
fn a_word_of_a_query_without_quotation_marks_is_no_file() {
    let folder = with_games("search-words");
    for words in [["player", "carlsen"], ["magnus", "carlsen"]] {
        let args = ["search", "games.pgn", words[0], words[1]];
        let run = tabia(&folder, &args).expect(2);
        let query = match words[0] {
            "player" => "player:carlsen",
            _ => "'magnus carlsen'",
        };
        let hint = format!("`tabia search games.pgn {query}`");
        assert!(run.err.contains(&hint) && run.out.is_empty(), "{}", run.err);
        let text = format!("`{}` is no file", words[0]);
        assert!(run.err.contains(&text), "{}", run.err);
    }
    // One missing file is reported as before.
    tabia(&folder, &["search", "absent", "carlsen"]).expect(4);
}

/// A round of `-` is none, whatever the index of the format has.
#[test]
fn a_round_that_is_not_known_fits_in_no_format() {
    let folder = Scratch::new("search-no-round");
    let game =
        |round: &str| format!("[White \"A\"]\n[Black \"B\"]\n[Round \"{round}\"]\n\n1. e4 *\n\n");
    std::fs::write(folder.join("a.pgn"), game("-") + &game("1")).unwrap();
    for extension in ["pgn", "si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        let name = format!("a.{extension}");
        if extension != "pgn" {
            tabia(&folder, &["convert", "a.pgn", "-o", &name, "-q"]).expect(0);
        }
        for (query, count) in [("round:-", "0"), ("round:/-/", "0"), ("round:1", "1")] {
            let run = tabia(&folder, &["search", &name, query, "--count"]);
            assert_eq!(run.out.trim(), count, "{name} {query}");
        }
    }
}

/// Records that a query asks for and the verb leaves out are hinted at.
#[test]
fn records_that_are_left_out_are_hinted_at() {
    let folder = with_sample("search-left-out");
    for (query, option) in [("is:text", "--texts"), ("is:deleted", "--include-deleted")] {
        let run = tabia(&folder, &["search", "mega.cbh", query]).expect(1);
        assert!(
            run.err.contains(&format!("`{option}` looks at")),
            "{}",
            run.err
        );
        tabia(&folder, &["search", "mega.cbh", query, option]).expect(0);
    }
}
