//! `search`: rows with moments, counts, files.

use crate::common::{tabia, with_sample};

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
    assert!(run.err.contains("3 games"), "{}", run.err);
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
