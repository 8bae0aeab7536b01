//! `--position`: which positions of the games a list of positions gets.

use tabia_testkit::{Scratch, shared_data};

use crate::common::{Run, tabia, with_games, with_sample};

/// The first four fields of each line.
fn boards(text: &str) -> Vec<String> {
    let fields = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
    text.lines().map(fields).collect()
}

fn search(folder: &Scratch, path: &str, query: &str, options: &[&str]) -> Run {
    let args = ["search", path, query, "-o", "-", "--to", "epd"];
    tabia(folder, &[&args, options].concat())
}

/// The positions in the rows of a search.
fn moments(folder: &Scratch, path: &str, query: &str) -> Vec<String> {
    let rows = tabia(folder, &["search", path, query, "--ndjson"]).expect(0);
    let mut found = Vec::new();
    for line in rows.out.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        for moment in row["moments"].as_array().unwrap() {
            found.extend(boards(moment["fen"].as_str().unwrap()));
        }
    }
    found
}

#[test]
fn a_search_writes_the_positions_it_found() {
    let folder = with_sample("position-moment");
    tabia(&folder, &["convert", "mega.cbh", "-o", "all.pgn", "-q"]).expect(0);
    let queries = [
        "takes:Q OR is:mate",
        "move:O-O-O => stm:black",
        "in:variations takes:N",
    ];
    for query in queries {
        let expected = moments(&folder, "mega.cbh", query);
        assert!(!expected.is_empty(), "{query}");
        for (path, threads) in [("mega.cbh", "1"), ("all.pgn", "2")] {
            let run = search(&folder, path, query, &["-q", "-j", threads]).expect(0);
            assert_eq!(boards(&run.out), expected, "{query} in {path}");
            let run = search(&folder, path, query, &["-q", "--position", "moment"]).expect(0);
            assert_eq!(boards(&run.out), expected, "{query} in {path}");
        }
        let query = query.replace("in:variations ", "");
        let args = ["convert", "all.pgn", "--where", &query, "-o", "found.fen"];
        let run = tabia(
            &folder,
            &[&args[..], &["--position", "moment", "-f"]].concat(),
        )
        .expect(0);
        let lines = std::fs::read_to_string(folder.join("found.fen")).unwrap();
        assert_eq!(boards(&lines), moments(&folder, "all.pgn", &query));
        let counts = format!("{} positions of ", lines.lines().count());
        assert!(
            run.err.contains(&counts) && run.err.contains("to found.fen"),
            "{}",
            run.err
        );
    }
}

#[test]
fn a_saved_index_finds_the_same_positions() {
    let folder = with_sample("position-index");
    let start = "fen:rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR_w_KQkq_-";
    let expected = moments(&folder, "mega.cbh", start);
    assert!(!expected.is_empty());
    tabia(&folder, &["index", "mega.cbh", "-q"]).expect(0);
    let run = search(&folder, "mega.cbh", start, &["-q"]).expect(0);
    assert_eq!(boards(&run.out), expected);
}

#[test]
fn start_and_end_are_the_first_and_the_last_position() {
    let folder = with_games("position-ends");
    let lines = |args: &[&str]| {
        let args = [&["convert", "games.pgn", "--to", "epd", "-q"], args].concat();
        boards(&tabia(&folder, &args).expect(0).out)
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(lines(&["--position", "start"]), [start; 3]);
    let ends = lines(&["--position", "end"]);
    assert_eq!(ends, lines(&[]));
    assert_eq!(
        ends[2],
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -"
    );
    // A query about no position has none of its own.
    let found = search(&folder, "games.pgn", "player:carlsen", &["-q"]).expect(0);
    assert_eq!(boards(&found.out), ends[..1]);
    let found = search(
        &folder,
        "games.pgn",
        "move:Bb5",
        &["-q", "--position", "end"],
    )
    .expect(0);
    assert_eq!(boards(&found.out), ends[..1]);
}

#[test]
fn games_that_fit_without_a_position_are_counted() {
    let folder = with_games("position-none");
    let args = [
        "search",
        "games.pgn",
        "move:Bb5 OR white:A",
        "-o",
        "found.epd",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(
        run.err.contains("1 game fits the query without a position"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("1 position of 1 game to found.epd"),
        "{}",
        run.err
    );
    let lines = std::fs::read_to_string(folder.join("found.epd")).unwrap();
    assert_eq!(lines.lines().count(), 1);
    assert_eq!(boards(&lines), moments(&folder, "games.pgn", "move:Bb5"));
}

#[test]
fn positions_are_refused_where_they_have_no_meaning() {
    let folder = with_games("position-refused");
    for (args, words) in [
        (
            &["convert", "games.pgn", "-o", "x.pgn", "--position", "start"][..],
            "-o positions.epd",
        ),
        (
            &["convert", "games.pgn", "-o", "x.si5", "--position", "end"],
            "-o positions.epd",
        ),
        (
            &[
                "convert",
                "games.pgn",
                "-o",
                "x.epd",
                "--position",
                "moment",
            ],
            "no moment to write",
        ),
        (
            &[
                "search",
                "games.pgn",
                "white:A",
                "-o",
                "x.epd",
                "--position",
                "moment",
            ],
            "mat:KRPKR",
        ),
        (
            &["search", "games.pgn", "move:Bb5", "-o", "x.epd", "--mark"],
            "-o found.pgn",
        ),
        (
            &["search", "games.pgn", "move:Bb5", "--position", "end"],
            "--output",
        ),
    ] {
        let run = tabia(&folder, args).expect(2);
        assert!(run.err.contains(words), "{args:?}: {}", run.err);
    }
    assert_eq!(folder.names(), ["games.pgn"]);
}

#[test]
fn positions_of_real_games_are_those_of_the_rows() {
    let test = "positions_of_real_games_are_those_of_the_rows";
    let Some(path) = shared_data(test, "pgn/m10k.pgn.zst") else {
        return;
    };
    let folder = Scratch::new("position-real");
    let path = path.display().to_string();
    for query in ["mat:KRPKR", "takes:Q -> takes:R", "pawns:iqp"] {
        let expected = moments(&folder, &path, query);
        assert!(expected.len() > 50, "{query}: {}", expected.len());
        let run = search(&folder, &path, query, &["-q", "-j2"]).expect(0);
        assert_eq!(boards(&run.out), expected, "{query}");
    }
}
