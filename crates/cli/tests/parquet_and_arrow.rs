//! Tables in Parquet and Arrow on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::process::{Command, Output};

use tabia_testkit::Scratch;
use tabia_testkit::repository;

fn tabia(folder: &Scratch, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabia"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_name_of_the_output_asks_for_a_table() {
    let folder = Scratch::new("tables");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    for (name, file) in [
        ("games.parquet", "games.parquet"),
        ("games.arrow", "games.arrow"),
        ("out/", "out/part-00000.parquet"),
    ] {
        let done = tabia(&folder, &["convert", sample, "-o", name]);
        assert!(done.status.success(), "{}", error(&done));
        assert!(folder.join(file).exists(), "{file}");
        let again = tabia(&folder, &["convert", sample, "-o", name]);
        assert_eq!(again.status.code(), Some(5), "{}", error(&again));
    }
    let stream = tabia(&folder, &["convert", sample, "--to", "arrow"]);
    let file = std::fs::read(folder.join("games.arrow")).unwrap();
    assert!(stream.status.success() && stream.stdout == file);
}

#[test]
fn shards_are_files_of_a_folder() {
    let folder = Scratch::new("tables-shards");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let done = tabia(&folder, &["convert", sample, "-o", "out/", "--shards", "3"]);
    assert!(done.status.success(), "{}", error(&done));
    assert!(
        error(&done).contains("to 3 files in out"),
        "{}",
        error(&done)
    );
    // A folder of tables is an input as one of other databases is.
    let listed = tabia(&folder, &["ls", "out", "--ndjson"]);
    let single = tabia(&folder, &["ls", sample, "--ndjson"]);
    assert_eq!(
        listed.stdout.split(|byte| *byte == b'\n').count(),
        single.stdout.split(|byte| *byte == b'\n').count()
    );
}

#[test]
fn years_are_folders() {
    let folder = Scratch::new("tables-years");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let arguments = ["convert", sample, "-o", "out/", "--partition", "year"];
    let done = tabia(&folder, &arguments);
    assert!(done.status.success(), "{}", error(&done));
    let morphy = folder.join("out/year=1858/part-00000.parquet");
    assert!(morphy.is_file());
    // All of them are an input.
    let white = |input: &str| {
        let listed = tabia(&folder, &["ls", input, "--columns", "white,date", "--tsv"]);
        let text = String::from_utf8(listed.stdout).unwrap();
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert!(white(sample).len() > 5);
    assert_eq!(white("out"), white(sample));
}

#[test]
fn a_table_is_an_input() {
    let folder = Scratch::new("tables");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let table = ["convert", sample, "-o", "x.parquet", "--with-pgn", "full"];
    let done = tabia(&folder, &table);
    assert!(done.status.success(), "{}", error(&done));
    let pgn = |input: &str| {
        let done = tabia(&folder, &["convert", input, "--profile", "full"]);
        assert!(done.status.success(), "{}", error(&done));
        done.stdout
    };
    assert_eq!(
        String::from_utf8_lossy(&pgn("x.parquet")),
        String::from_utf8_lossy(&pgn(sample))
    );
    for arguments in [
        &["info", "x.parquet"][..],
        &["ls", "x.parquet"],
        &["search", "x.parquet", "player:morphy"],
        &["check", "x.parquet"],
        &["convert", "x.parquet", "-o", "x.si5"],
    ] {
        let done = tabia(&folder, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", error(&done));
    }
}

#[test]
fn shards_of_a_database_are_tables_of_its_games() {
    let folder = Scratch::new("tables-of-shards");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let rows = |input: &str| {
        let args = [
            "ls",
            input,
            "--ndjson",
            "--columns",
            "white,black,date,moves",
        ];
        let done = tabia(&folder, &args);
        assert!(done.status.success(), "{}", error(&done));
        String::from_utf8(done.stdout).unwrap()
    };
    let mut joined = String::new();
    for index in ["1", "2", "3"] {
        let args = [
            "shard",
            sample,
            "--of",
            "3",
            "--index",
            index,
            "-o",
            "x.parquet",
            "-f",
        ];
        let done = tabia(&folder, &args);
        assert!(done.status.success(), "{}", error(&done));
        joined += &rows("x.parquet");
    }
    let all = tabia(&folder, &["convert", sample, "-o", "all.parquet"]);
    assert!(all.status.success(), "{}", error(&all));
    assert_eq!(joined, rows("all.parquet"));
    let args = [
        "shard",
        sample,
        "--of",
        "90",
        "--index",
        "1",
        "-o",
        "none.parquet",
    ];
    let done = tabia(&folder, &args);
    assert!(done.status.success(), "{}", error(&done));
    assert!(error(&done).contains("no game is in this shard"));
    assert_eq!(rows("none.parquet"), "");
}

#[test]
fn options_of_tables_are_for_tables() {
    let folder = Scratch::new("tables");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    for (arguments, expected) in [
        (&["-o", "x.pgn", "--columns", "white"][..], "is for tables"),
        (
            &["-o", "x.parquet", "--columns", "whit"],
            "no column is called `whit`",
        ),
        (
            &["-o", "x.parquet", "--plies", "1..9"],
            "for the table `positions`",
        ),
        (
            &[
                "-o",
                "x.parquet",
                "--table",
                "positions",
                "--with-pgn",
                "full",
            ],
            "for the table `games`",
        ),
        (&["--to", "parquet"], "standard output"),
        (&["-o", "x.parquet", "--shards", "2"], "is for folders"),
        (&["--to", "arrow", "--shards", "2"], "is for folders"),
        (&["-o", "x.pgn", "--shards", "2"], "is for tables"),
        (
            &["-o", "x.parquet", "--partition", "year"],
            "is for folders",
        ),
        (&["-o", "x.pgn", "--partition", "year"], "is for tables"),
        (
            &["-o", "out/", "--partition", "year", "--columns", "white"],
            "needs the column `year`",
        ),
        (
            &["-o", "out/", "--partition", "year", "--table", "positions"],
            "for the table `games`",
        ),
        (
            &["-o", "out/", "--partition", "year", "--shards", "2"],
            "cannot be combined with",
        ),
        (&["-o", "x.parquet", "--split", "2"], "not split"),
        (&["-o", "x.arrow", "--split-by", "year"], "not split"),
        (&["-o", "x.parquet", "--sort", "date"], "not sorted"),
        (&["-o", "out/", "--where", "sort:date"], "not sorted"),
        (
            &["-o", "x.parquet", "--append"],
            "`--append` needs a database",
        ),
    ] {
        let done = tabia(&folder, &[&["convert", sample], arguments].concat());
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert!(error(&done).contains(expected), "{}", error(&done));
    }
}

#[test]
fn a_folder_of_several_outputs_is_no_table() {
    let folder = Scratch::new("tables-split");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let done = tabia(&folder, &["convert", sample, "-o", "out/", "--split", "2"]);
    assert_eq!(done.status.code(), Some(2), "{}", error(&done));
    assert!(!folder.join("out/part-00000.parquet").exists());
}

#[test]
fn the_columns_of_tables_are_listed() {
    let folder = Scratch::new("tables-schema");
    for (arguments, expected) in [
        (
            &["--schema", "games", "--tsv"][..],
            "game\tint32\tno\tnumber in its database, from 1\n",
        ),
        (
            &["--schema", "positions", "--ndjson"],
            r#""column":"fen","type":"string","null":true"#,
        ),
        (&["--schema", "games", "--sql"], "\"white\" VARCHAR,\n"),
        (
            &["--schema", "positions", "--markdown"],
            "| `key` | int64 | no |",
        ),
        (&["--schema", "book_rows", "--sql"], "\"move\" INTEGER,\n"),
    ] {
        let done = tabia(&folder, &[&["formats"], arguments].concat());
        assert!(done.status.success(), "{}", error(&done));
        let output = String::from_utf8_lossy(&done.stdout);
        assert!(output.contains(expected), "{output}");
    }
    for arguments in [&["--sql"][..], &["--schema", "games", "--sql", "--json"]] {
        let done = tabia(&folder, &[&["formats"], arguments].concat());
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_book_becomes_a_table_and_a_table_a_book() {
    let folder = Scratch::new("tables-books");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let build = ["book", "build", sample, "-o", "a.bin", "--min-games", "1"];
    for arguments in [
        &build[..],
        &["book", "convert", "a.bin", "-o", "rows.parquet"],
        &["book", "convert", "a.bin", "-o", "out/"],
        &["book", "convert", "a.bin", "-o", "rows.arrow"],
        &["book", "convert", "rows.parquet", "-o", "b.bin"],
        &["book", "from-parquet", "out", "-o", "c.bin"],
    ] {
        let done = tabia(&folder, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", error(&done));
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert!(read("a.bin") == read("b.bin") && read("a.bin") == read("c.bin"));
    let stream = tabia(&folder, &["book", "convert", "a.bin", "--to", "arrow"]);
    assert!(stream.status.success() && stream.stdout == read("rows.arrow"));
    for (arguments, code, expected) in [
        (
            &["book", "convert", "a.bin", "--to", "parquet"][..],
            2,
            "standard output",
        ),
        (
            &["book", "convert", "a.bin", "-o", "rows.parquet"],
            5,
            "exists",
        ),
        (
            &[
                "book",
                "convert",
                "a.bin",
                "-o",
                "x.parquet",
                "--moves",
                "e4",
            ],
            2,
            "lines of PGN",
        ),
        (
            &["book", "from-parquet", "a.bin", "-o", "x.bin"],
            4,
            "Parquet",
        ),
        (
            &["convert", sample, "-o", "x.parquet", "--table", "book_rows"],
            2,
            "book convert",
        ),
        (&["ls", "rows.parquet"], 4, "book from-parquet"),
        // The sample has games that begin elsewhere.
        (
            &["book", "convert", "rows.parquet", "-o", "d.ctg"],
            3,
            "27 positions known only by key",
        ),
    ] {
        let done = tabia(&folder, arguments);
        assert_eq!(
            done.status.code(),
            Some(code),
            "{arguments:?}: {}",
            error(&done)
        );
        assert!(error(&done).contains(expected), "{}", error(&done));
    }
}

/// The blocks of commands on the guide's page about columns: each command with the output below it.
fn guide_commands(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match (line, line.strip_prefix("$ ")) {
            ("```console parquet", _) => is_inside = true,
            ("```", _) => is_inside = false,
            (_, Some(command)) if is_inside => commands.push((command.to_owned(), String::new())),
            _ if is_inside => {
                let (_, output) = commands.last_mut().unwrap();
                output.push_str(line);
                output.push('\n');
            }
            _ => {}
        }
    }
    commands
}

#[test]
fn the_guide_shows_real_outputs() {
    let page = std::fs::read_to_string(repository().join("docs/guide/columns.md")).unwrap();
    let folder = Scratch::new("guide");
    std::fs::create_dir(folder.join("samples")).unwrap();
    let sample = repository().join("samples/tabia.cbv");
    std::fs::copy(sample, folder.join("samples/tabia.cbv")).unwrap();
    let commands = guide_commands(&page);
    assert!(commands.len() > 6, "{commands:?}");
    for (command, expected) in commands {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "tabia");
        let done = tabia(&folder, &words[1..]);
        assert!(done.status.success(), "{command}: {}", error(&done));
        let output = String::from_utf8_lossy(&done.stdout);
        assert_eq!(output, expected, "{command}");
    }
}

#[test]
fn sums_of_games_are_a_table_that_becomes_their_book() {
    let folder = Scratch::new("tables-sums");
    let sample = repository().join("samples/tabia.cbv");
    let sample = sample.to_str().unwrap();
    let build = ["book", "build", sample, "-o"];
    let direct = ["direct.bin", "--min-games", "1", "--scoreless"];
    for arguments in [
        &[&build[..], &direct].concat()[..],
        &[&build[..], &["rows.parquet"]].concat(),
        &[&build[..], &["rows.arrow"]].concat(),
        &["book", "from-parquet", "rows.parquet", "-o", "of-rows.bin"],
    ] {
        let done = tabia(&folder, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", error(&done));
        assert!(
            !error(&done).contains("left out"),
            "{arguments:?}: {}",
            error(&done)
        );
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert!(!read("direct.bin").is_empty() && read("of-rows.bin") == read("direct.bin"));
    let stream = tabia(&folder, &[&build[..], &["-", "--to", "arrow"]].concat());
    assert!(stream.status.success(), "{}", error(&stream));
    assert!(stream.stdout == read("rows.arrow"));
    for (more, code, expected) in [
        (&["rows.parquet"][..], 5, "exists"),
        (&["x.parquet", "--stretch"], 2, "`--stretch` is for books"),
        (&["x.parquet", "--compat", "polyglot"], 2, "`--compat`"),
        (&["-", "--to", "parquet"], 2, "standard output"),
    ] {
        let done = tabia(&folder, &[&build[..], more].concat());
        assert_eq!(done.status.code(), Some(code), "{more:?}");
        assert!(error(&done).contains(expected), "{}", error(&done));
    }
    assert!(!folder.join("x.parquet").exists());
}
