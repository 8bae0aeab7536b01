//! `dedupe` and `eco`: which games are dropped, which codes games get.

use crate::common::{tabia, with_sample};

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
