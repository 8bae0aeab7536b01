//! `stats`: games in groups.

use std::fmt::Write as _;

use crate::common::{tabia, with_sample};

/// White, its rating, Black, its rating, date, result, moves.
const GAMES: &[(&str, &str, &str, &str, &str, &str, &str)] = &[
    (
        "Adams, A",
        "2500",
        "Baker, B",
        "2400",
        "1999.05.01",
        "1-0",
        "1. e4 c5 2. Nf3 d6 3. d4",
    ),
    (
        "Baker, B",
        "2410",
        "Adams, A",
        "2510",
        "1999.06.??",
        "1/2-1/2",
        "1. d4 d5",
    ),
    (
        "Clark, C",
        "",
        "Adams, A",
        "2520",
        "2001.??.??",
        "1-0",
        "1. d4 d5 2. c4",
    ),
    (
        "Baker, B",
        "2600",
        "Clark, C",
        "",
        "????.??.??",
        "0-1",
        "1. e4 c5",
    ),
    (
        "Adams, A",
        "2530",
        "Clark, C",
        "2100",
        "2001.01.01",
        "*",
        "",
    ),
];

fn games() -> String {
    let mut text = String::new();
    for (white, white_elo, black, black_elo, date, result, moves) in GAMES {
        writeln!(
            text,
            "[Event \"E\"]\n[Site \"?\"]\n[Date \"{date}\"]\n[Round \"?\"]\n[White \"{white}\"]\n\
             [Black \"{black}\"]\n[Result \"{result}\"]"
        )
        .unwrap();
        for (tag, elo) in [("WhiteElo", white_elo), ("BlackElo", black_elo)] {
            if !elo.is_empty() {
                writeln!(text, "[{tag} \"{elo}\"]").unwrap();
            }
        }
        writeln!(text, "[TimeControl \"180+2\"]\n\n{moves} {result}\n").unwrap();
    }
    text
}

fn rows(folder: &tabia_testkit::Scratch, args: &[&str]) -> Vec<String> {
    let mut all = vec!["stats"];
    all.extend(args);
    all.push("--tsv");
    let run = tabia(folder, &all).expect(0);
    run.out.lines().map(str::to_owned).collect()
}

#[test]
fn games_are_counted_in_groups_of_every_format() {
    let folder = with_sample("stats");
    std::fs::write(folder.join("g.pgn"), games()).unwrap();
    let by_year = [
        "year\tgames\twhite\tdraws\tblack\tscore\taverageRating\tplies",
        "\t1\t0\t0\t1\t0\t2600\t2",
        "1999\t2\t1\t1\t0\t75\t2455\t3.5",
        "2001\t2\t1\t0\t0\t100\t2383\t1.5",
    ];
    let by_player = [
        "player\tgames\twins\tdraws\tlosses\tscore\taverageRating\tperformance\tplies",
        "Adams, A\t4\t1\t1\t1\t50\t2515\t2596\t2.5",
        "Baker, B\t3\t0\t1\t2\t16.7\t2470\t2314\t3",
        "Clark, C\t3\t2\t0\t0\t100\t2100\t3360\t1.7",
    ];
    for format in ["pgn", "si4", "si5", "cbh", "sci", "pgn.zst"] {
        let path = format!("g.{format}");
        if format != "pgn" {
            tabia(&folder, &["convert", "g.pgn", "-o", &path, "-q"]).expect(0);
        }
        for threads in ["1", "2"] {
            let found = rows(&folder, &[&path, "--by", "year", "-j", threads]);
            assert_eq!(found, by_year, "{format}");
            let found = rows(&folder, &[&path, "--by", "player", "-j", threads]);
            assert_eq!(found, by_player, "{format}");
        }
    }
}

#[test]
fn keys_filters_and_orders() {
    let folder = with_sample("stats-keys");
    std::fs::write(folder.join("g.pgn"), games()).unwrap();
    let first = |args: &[&str]| -> Vec<String> {
        let rows = rows(&folder, args).into_iter().skip(1);
        rows.map(|row| row.split('\t').take(3).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(first(&["g.pgn"]), ["5 2 1"]);
    assert_eq!(
        first(&["g.pgn", "--by", "openingFamily,speed"]),
        [
            " blitz 1",
            "Queen's Gambit blitz 1",
            "Queen's Pawn Game blitz 1",
            "Sicilian Defense blitz 2"
        ]
    );
    assert_eq!(
        first(&["g.pgn", "--player", "adams", "--by", "color,opponent"]),
        [
            "black Baker, B 1",
            "black Clark, C 1",
            "white Baker, B 1",
            "white Clark, C 1"
        ]
    );
    assert_eq!(
        first(&["g.pgn", "--by", "decade", "--order", "games"]),
        ["1990 2 1", "2000 2 1", " 1 0"]
    );
    // As `ls` has it.
    let args = ["stats", "g.pgn", "--by", "decade", "--json"];
    let rows = tabia(&folder, &args).expect(0).json();
    let decades = rows.as_array().unwrap().iter().map(|row| &row["decade"]);
    assert!(decades.into_iter().any(|decade| *decade == 1990), "{rows}");
    assert_eq!(
        first(&["g.pgn", "--by", "eloBand", "--where", "elo:1.."]),
        ["2300-2399 1 0", "2400-2499 2 1"]
    );
    assert_eq!(first(&["g.pgn", "g.pgn", "--by", "plyBand"]), ["0-19 10 4"]);
    assert_eq!(
        first(&[
            "g.pgn",
            "--by",
            "whitePlayer",
            "--limit",
            "1",
            "--offset",
            "1"
        ]),
        ["Baker, B 2 0"]
    );
    let json = tabia(
        &folder,
        &["stats", "g.pgn", "--by", "month,TimeControl", "--ndjson"],
    )
    .expect(0);
    assert_eq!(
        json.out.lines().next().unwrap(),
        "{\"month\":null,\"TimeControl\":\"180+2\",\"games\":2,\"white\":1,\"draws\":0,\"black\":1,\"score\":50,\
         \"averageRating\":2560,\"plies\":2.5}"
    );
    tabia(&folder, &["stats", "g.pgn", "--where", "player:zzz"]).expect(1);
    let run = tabia(&folder, &["stats", "g.pgn", "--by", "yaer"]).expect(2);
    assert!(run.err.contains("did you mean `year`"), "{}", run.err);
}

#[test]
fn tags_are_keys_in_any_case() {
    let folder = with_sample("stats-case");
    std::fs::write(folder.join("g.pgn"), games()).unwrap();
    let stats = |by| tabia(&folder, &["stats", "g.pgn", "--by", by, "--csv"]);
    let expected = stats("TimeControl").expect(0).out;
    assert!(expected.starts_with("TimeControl,games,"), "{expected}");
    for by in ["timecontrol", "TIMECONTROL", "timeControl"] {
        assert_eq!(stats(by).expect(0).out, expected, "{by}");
    }
    // A key is not a tag of that name.
    assert!(stats("opening").expect(0).out.starts_with("opening,"));
    stats("nosuchtag").expect(2);
}
