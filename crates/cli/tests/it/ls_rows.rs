use crate::common::{GAMES, command, tabia, tabia_with_input, with_games, with_sample};

const COLUMNS: &str =
    "game white whiteElo black blackElo result date event site round eco plies annotator flags";

#[test]
fn columns_and_rows_are_stable() {
    let folder = with_games("columns");
    let run = tabia(&folder, &["ls", "games.pgn"]).expect(0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], COLUMNS.replace(' ', "\t"));
    assert_eq!(
        lines[1],
        "1\tCarlsen, Magnus\t2861\tAronian, Levon\t2802\t1-0\t2013.01.12\tTata Steel\tWijk aan Zee\t1\tC65\t6\t\t"
    );
    assert_eq!(
        lines[2],
        "2\tMüller, Jörg\t\tŽižka\t\t1/2-1/2\t1950.??.??\tStudy\t\t\t\t3\tTal\tVCS"
    );
    let csv = tabia(&folder, &["ls", "games.pgn", "--csv"]).expect(0);
    assert!(
        csv.out.contains("\n1,\"Carlsen, Magnus\",2861,"),
        "{}",
        csv.out
    );
}

#[test]
fn json_has_the_same_keys() {
    let folder = with_games("keys");
    let document = tabia(&folder, &["ls", "games.pgn", "--json"])
        .expect(0)
        .json();
    let ndjson = tabia(&folder, &["ls", "games.pgn", "--ndjson"]).expect(0);
    for (i, line) in ndjson.out.lines().enumerate() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(row, document[i]);
        let keys: Vec<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut wanted: Vec<&str> = COLUMNS.split(' ').collect();
        wanted.sort_unstable();
        assert_eq!(keys, wanted);
    }
    assert_eq!(document[0]["whiteElo"], 2861);
    assert_eq!(document[1]["whiteElo"], serde_json::Value::Null);
    assert_eq!(document[1]["site"], serde_json::Value::Null);
    assert_eq!(document[2]["game"], 3);
}

/// An offset beyond the last row is a mistake, which a header alone would hide.
#[test]
fn an_offset_beyond_the_last_row_is_noted() {
    let folder = with_games("beyond");
    tabia(&folder, &["convert", "games.pgn", "-o", "games.cbh", "-q"]).expect(0);
    let note = "`--offset 3` leaves out all there is: 3 rows\n";
    for file in ["games.pgn", "games.cbh"] {
        for args in [
            &["ls", file, "--offset", "3"][..],
            &["ls", file, "--offset", "3", "--limit", "2", "--json"],
            &["search", file, "plies:>0", "--offset", "3"],
            &["ls", file, "--where", "sort:white", "--offset", "3"],
        ] {
            let run = tabia(&folder, args).expect(1);
            assert!(run.err.contains(note), "{args:?}: {}", run.err);
        }
        let run = tabia(&folder, &["ls", file, "--offset", "2"]).expect(0);
        assert!(!run.err.contains("--offset"), "{}", run.err);
    }
    let run = tabia(&folder, &["ls", "games.pgn", "games.cbh", "--offset", "5"]).expect(0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    let run = tabia(
        &folder,
        &["stats", "games.pgn", "--by", "year", "--offset", "99"],
    )
    .expect(0);
    assert!(
        run.err.contains("`--offset 99` leaves out all"),
        "{}",
        run.err
    );
}

#[test]
fn limit_and_offset_select_rows() {
    let folder = with_games("limit");
    std::fs::write(folder.join("many.pgn"), GAMES.repeat(3000)).unwrap();
    let numbers = |args: &[&str]| -> Vec<u64> {
        let mut all = vec!["ls", "--ndjson"];
        all.extend(args);
        let run = tabia(&folder, &all).expect(0);
        run.out
            .lines()
            .map(|line| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                row["game"].as_u64().unwrap()
            })
            .collect()
    };
    assert_eq!(numbers(&["many.pgn", "--limit", "2"]), [1, 2]);
    assert_eq!(numbers(&["many.pgn", "--offset", "8998"]), [8999, 9000]);
    assert_eq!(numbers(&["many.pgn", "--offset", "5", "--limit", "1"]), [6]);
    assert_eq!(
        numbers(&["games.pgn", "games.pgn", "--offset", "2", "--limit", "2"]),
        [3, 1]
    );
    assert_eq!(
        numbers(&["many.pgn", "--games", "7,8000-8001"]),
        [7, 8000, 8001]
    );
    assert!(numbers(&["many.pgn", "--limit", "0"]).is_empty());
}

#[test]
fn deleted_records_and_texts_are_optional() {
    let folder = with_sample("deleted");
    let count = |args: &[&str]| {
        let mut all = vec!["ls", "mega.cbh", "--ndjson"];
        all.extend(args);
        tabia(&folder, &all).expect(0).out.lines().count() as u64
    };
    let info = tabia(&folder, &["info", "mega.cbh", "--json"])
        .expect(0)
        .json();
    let number = |key: &str| info[0][key].as_u64().unwrap();
    let plain = count(&[]);
    assert_eq!(
        count(&["--texts", "--include-deleted"]),
        number("games") + number("texts")
    );
    assert!(plain <= number("games"));
    assert_eq!(count(&["--include-deleted"]), number("games"));
    assert_eq!(count(&["--include-deleted"]) - plain, number("deleted"));
}

#[test]
fn rows_of_several_inputs_have_a_path() {
    let folder = with_games("paths");
    let run = tabia(&folder, &["ls", "games.pgn", "games.pgn"]).expect(0);
    assert!(run.out.lines().next().unwrap().ends_with("\tflags\tpath"));
    assert!(run.out.lines().nth(1).unwrap().ends_with("\tgames.pgn"));
}

#[test]
fn filters_select_rows_of_streams_and_databases() {
    let folder = with_games("where");
    let rows =
        |path: &str, filter: &str| tabia(&folder, &["ls", path, "--ndjson", "--where", filter]);
    let numbers = |path: &str, filter: &str| -> Vec<u64> {
        let run = rows(path, filter).expect(0);
        let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        run.out
            .lines()
            .map(|line| row(line)["game"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(numbers("games.pgn", "player:carlsen elo:>=2800"), [1]);
    assert_eq!(numbers("games.pgn", "muller date:1950"), [2]);
    assert_eq!(
        rows("games.pgn", "-player:carlsen whiteelo:>=1")
            .expect(1)
            .out,
        ""
    );
    let run = tabia(
        &folder,
        &["ls", "games.pgn", "--where", "elo>2700 OR muller"],
    );
    let run = run.expect(2);
    assert!(run.err.contains("did you mean `elo:>2700`?"), "{}", run.err);
    let run = rows("games.pgn", "1/2-1/2 OR muller").expect(0);
    assert!(
        run.err.contains("did you mean `result:1/2-1/2`?"),
        "{}",
        run.err
    );
    let run = tabia(&folder, &["ls", "games.pgn", "--where", "colour:red"]).expect(2);
    assert!(run.err.contains("common fields: `player`"), "{}", run.err);
    assert!(run.err.contains("`tabia help search`"), "{}", run.err);
    assert!(!run.err.contains("annotator"), "{}", run.err);

    let folder = with_sample("where-database");
    let all = tabia(&folder, &["ls", "mega.cbh", "--ndjson"])
        .expect(0)
        .out
        .lines()
        .count();
    let some = tabia(
        &folder,
        &["ls", "mega.cbh", "--ndjson", "--where", "morphy"],
    )
    .expect(0);
    assert!(some.out.lines().count() >= 1 && some.out.lines().count() < all);
    assert!(
        some.out.lines().all(|line| line.contains("Morphy")),
        "{}",
        some.out
    );
}

#[test]
fn any_tag_can_be_a_column() {
    let folder = with_games("tag-columns");
    let pgn = "[White \"A\"]\n[Black \"B\"]\n[Opening \"Ruy, Lopez\"]\n\n1. e4 *\n\n\
               [White \"C\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("tags.pgn"), pgn).unwrap();
    let columns = ["--columns", "Opening,game,WHITE,plies"];
    let ls = |args: &[&str]| tabia(&folder, &[&["ls", "tags.pgn"], args, &columns[..]].concat());
    assert_eq!(
        ls(&[]).expect(0).out,
        "Opening\tgame\twhite\tplies\nRuy, Lopez\t1\tA\t1\n\t2\tC\t1\n"
    );
    assert_eq!(
        ls(&["--csv", "--no-header"]).expect(0).out,
        "\"Ruy, Lopez\",1,A,1\n,2,C,1\n"
    );
    let document = ls(&["--json"]).expect(0).json();
    assert_eq!(document[0]["Opening"], "Ruy, Lopez");
    assert_eq!(document[1]["Opening"], serde_json::Value::Null);
    assert_eq!(document[1]["plies"], 1);
    assert!(ls(&["--table"]).expect(0).out.starts_with("Opening"));
    // Databases have tags too, and so have streams.
    tabia(&folder, &["convert", "tags.pgn", "-o", "tags.si4"]).expect(0);
    let scid = tabia(&folder, &[&["ls", "tags.si4"], &columns[..]].concat()).expect(0);
    assert_eq!(scid.out, ls(&[]).out);
    let stream = tabia_with_input(
        &folder,
        &[&["ls", "-"], &columns[..]].concat(),
        pgn.as_bytes(),
    );
    assert_eq!(stream.expect(0).out, ls(&[]).out);
    let typo = tabia(&folder, &["ls", "tags.pgn", "--columns", "whit"]).expect(0);
    assert!(
        typo.err.contains("no game has the tag `whit`"),
        "{}",
        typo.err
    );
    for wrong in ["", "white,,black", "white,White", "ply"] {
        tabia(&folder, &["ls", "tags.pgn", "--columns", wrong]).expect(2);
    }
}

#[test]
fn headers_can_be_left_out() {
    let folder = with_games("no-header");
    for args in [
        &["ls", "games.pgn"][..],
        &["ls", "games.pgn", "--csv"],
        &["info", "games.pgn", "--tsv"],
        &["formats", "--csv"],
    ] {
        let with = tabia(&folder, args).expect(0).out;
        let without = tabia(&folder, &[args, &["--no-header"]].concat()).expect(0);
        assert_eq!(with.split_once('\n').unwrap().1, without.out, "{args:?}");
    }
    let with = tabia(&folder, &["ls", "games.pgn", "--table"])
        .expect(0)
        .out;
    let without = tabia(&folder, &["ls", "games.pgn", "--table", "--no-header"]).expect(0);
    assert_eq!(with.lines().count(), without.out.lines().count() + 1);
}

#[test]
fn other_words_for_columns_lead_to_them() {
    let folder = with_games("ls-other-words");
    for (word, hint) in [
        ("index", "did you mean `game`?"),
        ("white_team", "did you mean `WhiteTeam`?"),
        ("openning", "did you mean `Opening`?"),
        ("Rating", "did you mean `whiteElo` and `blackElo`?"),
        ("player", "did you mean `white` and `black`?"),
        ("moves", "`tabia convert IN -o games.csv` writes the moves"),
        ("blackelos", "did you mean `blackElo`?"),
    ] {
        let run = tabia(&folder, &["ls", "games.pgn", "--columns", word]).expect(0);
        let warning = format!("no game has the tag `{word}`; {hint}");
        assert!(run.err.contains(&warning), "{}", run.err);
    }
    // Rows that end before the last game do not hide a mistake, and nothing is stated of tags that later games may have.
    let ls = |columns| {
        let args = ["ls", "games.pgn", "--limit", "1", "--columns", columns];
        tabia(&folder, &args).expect(0)
    };
    let warning = "none of these games has the tag `openning`; did you mean `Opening`?";
    let run = ls("openning,white");
    assert!(run.err.contains(warning), "{}", run.err);
    assert_eq!(ls("Termination").err, "");
    // As tables and `--sort` spell them.
    let run = ls("number,white_elo,ply_count");
    assert_eq!(run.out, "game\twhiteElo\tplies\n1\t2861\t6\n");
    assert_eq!(run.err, "");
}

/// Names are the same in every format: what a format cannot escape is in the cell as it is.
#[test]
fn names_with_control_characters_are_the_same_in_every_format() {
    let folder = with_games("control-characters");
    let pgn = "[White \"St\u{6}hlberg, G\"]\n[Black \"St\u{7}hlberg, G\"]\n\n1. e4 *\n";
    std::fs::write(folder.join("c.pgn"), pgn).unwrap();
    let ls = |style| tabia(&folder, &["ls", "c.pgn", "--columns", "white,black", style]).out;
    assert_eq!(
        ls("--csv"),
        "white,black\n\"St\u{6}hlberg, G\",\"St\u{7}hlberg, G\"\n"
    );
    assert!(ls("--ndjson").contains(r"St\u0006hlberg"));
    tabia(&folder, &["convert", "c.pgn", "-o", "c.csv", "-q"]).expect(0);
    let converted = std::fs::read_to_string(folder.join("c.csv")).unwrap();
    assert!(converted.contains("\"St\u{6}hlberg, G\""), "{converted}");
    let by = ["stats", "c.pgn", "--by", "player", "--csv"];
    assert!(tabia(&folder, &by).out.contains("\"St\u{6}hlberg, G\""));
}

/// A header without rows would be a result: an empty table.
#[test]
fn the_names_of_columns_are_written_once_an_input_could_be_opened() {
    let folder = with_games("no-head");
    std::fs::write(folder.join("words.txt"), "Dear Ada\n").unwrap();
    for verb in [
        &["ls"][..],
        &["stats"],
        &["stats", "--by", "year"],
        &["eco"],
        &["check"],
        &["tree"],
        &["names"],
    ] {
        for style in ["--csv", "--tsv"] {
            let run = |inputs: &[&str]| tabia(&folder, &[verb, inputs, &[style]].concat());
            let failed = run(&["none.pgn"]).expect(4);
            assert_eq!(failed.out, "", "{verb:?}");
            assert_eq!(run(&["none.pgn", "none2.pgn"]).out, "", "{verb:?}");
            assert!(!failed.err.is_empty());
            if verb != ["check"] {
                assert_eq!(run(&["words.txt"]).expect(4).out, "", "{verb:?}");
            }
        }
    }
    let some = tabia(&folder, &["ls", "none.pgn", "games.pgn", "--csv"]).expect(4);
    assert_eq!(some.out.lines().count(), 4, "{}", some.out);
    std::fs::write(folder.join("empty.pgn"), "\n").unwrap();
    let none = tabia(&folder, &["ls", "games.pgn", "--games", "9", "--csv"]).expect(1);
    assert_eq!(none.out.lines().count(), 1, "{}", none.out);
    assert!(none.err.contains("there is no game 9"), "{}", none.err);
}

/// Of a date with one impossible part the others are known.
#[test]
fn the_possible_parts_of_a_date_are_listed_and_found() {
    let folder = with_games("half-dates");
    let game = |date: &str| format!("[White \"A\"]\n[Date \"{date}\"]\n\n1. e4 *\n\n");
    let dates = ["2021.13.05", "2021.02.31", "2021.02.32", "13.2021", "never"];
    let text: String = dates.into_iter().map(game).collect();
    std::fs::write(folder.join("d.pgn"), text).unwrap();
    // The index of a database has the possible parts, and its game the text.
    let mut inputs = vec!["d.pgn"];
    for database in ["d.si3", "d.si4", "d.si5", "d.sci"] {
        tabia(&folder, &["convert", "d.pgn", "-o", database]).expect(0);
        inputs.push(database);
    }
    let queries = [&[][..], &["--where", "white:A"]];
    let asked = inputs
        .iter()
        .flat_map(|input| queries.map(|more| (*input, more)));
    for (input, more) in asked {
        let args = ["ls", input, "--columns", "game,date", "--no-header"];
        let run = tabia(&folder, &[&args[..], more].concat()).expect(0);
        let listed = [
            "1\t2021.??.05",
            "2\t2021.02.31",
            "3\t2021.02.??",
            "4\t",
            "5\t",
        ];
        let rows: Vec<&str> = run.out.lines().collect();
        assert_eq!(rows, listed, "{input} {more:?}");
    }
    for input in inputs {
        let run = tabia(&folder, &["search", input, "date:2021", "--count"]).expect(0);
        assert_eq!(run.out.trim(), "3", "{input}");
        // The text stays.
        let run = tabia(&folder, &["convert", input, "--to", "pgn"]).expect(0);
        for date in dates {
            let tag = format!("[Date \"{date}\"]");
            assert!(run.out.contains(&tag), "{input}: {}", run.out);
        }
    }
}

/// `COLUMNS` is the width of a table that goes into a pipe.
#[test]
fn tables_are_as_wide_as_columns_states() {
    let folder = with_games("columns-variable");
    let widest = |columns: Option<&str>| {
        let mut list = command(folder.path());
        list.args(["ls", "games.pgn", "--table"])
            .env_remove("COLUMNS");
        if let Some(columns) = columns {
            list.env("COLUMNS", columns);
        }
        let rows = String::from_utf8(list.output().unwrap().stdout).unwrap();
        rows.lines().map(|row| row.chars().count()).max().unwrap()
    };
    let usual = widest(None);
    assert!(widest(Some("50")) <= 50 && usual > 50);
    assert_eq!(widest(Some("none")), usual);
}

#[test]
fn a_file_of_a_set_that_is_alone_has_a_next_step_for_every_verb_that_reads() {
    let folder = with_sample("ls-alone");
    std::fs::create_dir(folder.join("alone")).unwrap();
    std::fs::copy(folder.join("mega.cbh"), folder.join("alone/mega.cbh")).unwrap();
    for args in [
        &["ls", "alone/mega.cbh"][..],
        &["stats", "alone/mega.cbh"],
        &["search", "alone/mega.cbh", "date:..2100"],
        &["show", "alone/mega.cbh", "-g", "2"],
    ] {
        let run = tabia(&folder, args).expect(3);
        assert!(
            run.err
                .contains("hint: put the missing files next to the others"),
            "{args:?}: {}",
            run.err
        );
    }
}
