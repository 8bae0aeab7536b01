use std::io::Write as _;
use std::process::Stdio;

use tabia_testkit::Scratch;

use crate::common::{command, many_games, tabia, tabia_with_input, with_pipes, with_sample};

/// The shards of an input as complete PGN, in their order; `more` are further options.
fn shards(folder: &Scratch, input: &str, of: usize, more: &[&str]) -> Vec<String> {
    let of_text = of.to_string();
    let shard = |index: usize| {
        let index = index.to_string();
        let args = [
            "shard", input, "--of", &of_text, "--index", &index, "-o", "-",
        ];
        let profile = ["--profile", "full", "-q"];
        let run = tabia(folder, &[&args[..], &profile, more].concat());
        assert!(matches!(run.code, 0 | 3), "{args:?}: {}", run.err);
        run.out
    };
    (1..=of).map(shard).collect()
}

fn whole(folder: &Scratch, input: &str, more: &[&str]) -> String {
    let args = ["convert", input, "--profile", "full", "-q"];
    let run = tabia(folder, &[&args[..], more].concat());
    assert!(matches!(run.code, 0 | 3), "{args:?}: {}", run.err);
    run.out
}

/// The games of a text, each with the number in its tag `Round`.
fn games_by_round(text: &str) -> Vec<(u32, &str)> {
    let starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let games = starts.iter().zip(ends).map(|(&start, end)| {
        let game = &text[start..end];
        let (_, round) = game.split_once("[Round \"").unwrap();
        let (round, _) = round.split_once('"').unwrap();
        (round.parse().unwrap(), game)
    });
    games.collect()
}

#[test]
fn the_shards_of_a_database_in_order_are_the_database() {
    let folder = with_sample("shard-formats");
    let formats = tabia(&folder, &["formats", "--json"]).expect(0).json();
    let mut inputs = vec!["mega.cbh".to_owned(), "sample.cbv".to_owned()];
    let cbv = tabia_testkit::repository().join("samples/tabia.cbv");
    std::fs::copy(cbv, folder.join("sample.cbv")).unwrap();
    for format in formats.as_array().unwrap() {
        let is = |key: &str| format[key] == true;
        if format["kind"] != "database" || !is("read") || !is("write") {
            continue;
        }
        for extension in format["extensions"].as_array().unwrap() {
            let name = format!("copy.{}", extension.as_str().unwrap());
            let args = [
                "convert",
                "mega.cbh",
                "-o",
                &name,
                "--include-deleted",
                "-q",
            ];
            // A file of bughouse would have none of these games.
            let is_bughouse = name.contains("bpgn");
            let code = if is_bughouse { 3 } else { 0 };
            tabia(&folder, &args).expect(code);
            if !is_bughouse {
                inputs.push(name);
            }
        }
    }
    assert!(inputs.len() > 8, "{inputs:?}");
    for input in &inputs {
        let all = whole(&folder, input, &["--include-deleted"]);
        let parts = shards(&folder, input, 3, &["--include-deleted"]);
        assert_eq!(parts.concat(), all, "{input}");
    }
    for more in [&[][..], &["-j1"], &["-j4"]] {
        let all = whole(&folder, "mega.cbh", more);
        for of in [1, 2, 23] {
            let parts = shards(&folder, "mega.cbh", of, more);
            assert_eq!(parts.concat(), all, "{of} shards");
        }
    }
    // Fewer games than shards: those without any are databases too.
    let parts = shards(&folder, "mega.cbh", 23, &[]);
    assert!(parts.iter().filter(|part| part.is_empty()).count() > 10);
    for extension in ["cbh", "si5", "pgn", "2cbh", "sci"] {
        let output = format!("empty.{extension}");
        let args = ["shard", "mega.cbh", "--of", "23", "--index", "1"];
        let run = tabia(&folder, &[&args[..], &["-o", &output]].concat()).expect(0);
        assert!(run.err.contains("no game is in this shard"), "{}", run.err);
        let rows = tabia(&folder, &["ls", &output, "--tsv", "--no-header"]).expect(0);
        assert_eq!(rows.out, "", "{extension}");
    }
}

#[test]
fn a_stream_is_cut_into_the_same_blocks_however_it_is_read() {
    let folder = Scratch::new("shard-stream");
    let mut text = many_games(9_000);
    // A problem in the last block: its number is that of the whole stream.
    let at = text.find("[Round \"8900\"]").unwrap();
    let at = text[..at].rfind("[Event ").unwrap();
    text.insert_str(at, "[Event \"bad\"]\n[Round \"9000\"]\n\n1. e4 Ke7 *\n\n");
    std::fs::write(folder.join("many.pgn"), &text).unwrap();
    tabia(
        &folder,
        &[
            "convert",
            "many.pgn",
            "-o",
            "many.pgn.gz",
            "--profile",
            "full",
            "-q",
        ],
    )
    .expect(3);
    let all = whole(&folder, "many.pgn", &[]);
    let mut expected = games_by_round(&all);
    expected.sort_unstable();
    assert_eq!(expected.len(), 9_001);
    let parts = shards(&folder, "many.pgn", 3, &["-j1"]);
    assert!(
        parts.iter().all(|part| part.len() > 1 << 18),
        "all have blocks"
    );
    let joined = parts.concat();
    let mut found = games_by_round(&joined);
    found.sort_unstable();
    assert!(found == expected);
    assert!(parts == shards(&folder, "many.pgn", 3, &["-j4"]));
    // Compressed, its text is the output of tabia.
    let packed = shards(&folder, "many.pgn.gz", 4, &[]).concat();
    let mut found = games_by_round(&packed);
    found.sort_unstable();
    assert!(found == expected);
    for (index, part) in (1..).zip(&parts) {
        let index = index.to_string();
        let args = [
            "shard",
            "-",
            "--of",
            "3",
            "--index",
            &index,
            "-o",
            "-",
            "--profile",
            "full",
        ];
        let piped = tabia_with_input(&folder, &args, text.as_bytes());
        assert!(piped.out == *part, "shard {index} of a pipe");
        // As a program writes it that makes a game at a time.
        let mut child = with_pipes(command(folder.path()).args(args).stderr(Stdio::null()));
        let mut stdin = child.stdin.take().unwrap();
        let games = text.clone();
        let writer = std::thread::spawn(move || {
            for game in games.split_inclusive("1-0\n\n") {
                stdin.write_all(game.as_bytes()).unwrap();
            }
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(
            output.stdout == part.as_bytes(),
            "shard {index} of a slow pipe"
        );
    }
    let args = [
        "shard", "many.pgn", "--of", "3", "-o", "x.pgn", "-f", "--index",
    ];
    let runs = ["1", "2", "3"].map(|index| tabia(&folder, &[&args[..], &[index]].concat()));
    let with_problem: Vec<_> = runs.iter().filter(|run| run.code == 3).collect();
    assert_eq!(with_problem.len(), 1);
    let problem = tabia(&folder, &["convert", "many.pgn", "-o", "x.pgn", "-f"]).expect(3);
    let line = problem
        .err
        .lines()
        .find(|line| line.contains("8901"))
        .unwrap();
    assert!(
        with_problem[0].err.contains(line),
        "{}",
        with_problem[0].err
    );
}

#[test]
fn small_inputs_are_shared_evenly() {
    let folder = Scratch::new("shard-folder");
    std::fs::create_dir(folder.join("in")).unwrap();
    for number in 0..12 {
        let game = format!("[Event \"E\"]\n[Round \"{number}\"]\n\n1. e4 *\n\n");
        std::fs::write(folder.join(format!("in/{number:02}.pgn")), game).unwrap();
    }
    let parts = shards(&folder, "in", 4, &[]);
    let counts: Vec<usize> = parts
        .iter()
        .map(|part| games_by_round(part).len())
        .collect();
    assert_eq!(counts, [3, 3, 3, 3]);
    let joined = parts.concat();
    let mut rounds: Vec<u32> = games_by_round(&joined)
        .iter()
        .map(|(round, _)| *round)
        .collect();
    rounds.sort_unstable();
    assert!(rounds.into_iter().eq(0..12));
}

#[test]
fn options_without_a_shard_are_refused() {
    let folder = with_sample("shard-refused");
    std::fs::write(folder.join("games.pgn"), many_games(3)).unwrap();
    tabia(
        &folder,
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "book.bin",
            "--min-games",
            "1",
            "-q",
        ],
    )
    .expect(0);
    for (args, expected) in [
        (
            &["mega.cbh", "--of", "3", "--index", "4", "-o", "x.cbh"][..],
            "no shard 4 of 3",
        ),
        (
            &["mega.cbh", "--of", "3", "--index", "0", "-o", "x.cbh"],
            "--index",
        ),
        (
            &["mega.cbh", "--of", "0", "--index", "1", "-o", "x.cbh"],
            "--of",
        ),
        (&["mega.cbh", "--of", "3", "-o", "x.cbh"], "--index"),
        (&["mega.cbh", "--of", "3", "--index", "1"], "--output"),
        (
            &["book.bin", "--of", "3", "--index", "1", "-o", "x.pgn"],
            "holds no games",
        ),
        (
            &[
                "mega.cbh", "--of", "3", "--index", "1", "-o", "mega.cbh", "-f",
            ],
            "input and output at once",
        ),
    ] {
        let run = tabia(&folder, &[&["shard"], args].concat()).expect(2);
        assert!(run.err.contains(expected), "{args:?}: {}", run.err);
    }
    std::fs::write(folder.join("x.pgn"), "mine").unwrap();
    let args = [
        "shard", "mega.cbh", "--of", "3", "--index", "1", "-o", "x.pgn",
    ];
    tabia(&folder, &args).expect(5);
    assert_eq!(std::fs::read(folder.join("x.pgn")).unwrap(), b"mine");
}
