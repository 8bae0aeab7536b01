use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, with_sample};

#[test]
fn text_does_not_depend_on_threads() {
    let folder = Scratch::new("threads");
    let mut text = many_games(9_000);
    // A problem in the middle: reports must not depend on threads either.
    let at = text.find("[Event \"Open 3\"]").unwrap();
    text.insert_str(at, "[Event \"bad\"]\n\n1. e4 Ke7 *\n\n");
    std::fs::write(folder.join("many.pgn"), text).unwrap();
    let run = |threads: &str, out: &str, report: &str| {
        let args = [
            "convert", "many.pgn", "-q", "-j", threads, "-o", out, "--report", report,
        ];
        tabia(&folder, &args).expect(3);
        let ls = tabia(
            &folder,
            &["ls", "many.pgn", "--ndjson", "-q", "-j", threads],
        );
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        (read(out), read(report), ls.out)
    };
    let one = run("1", "one.pgn", "one.json");
    for threads in ["2", "4", "7"] {
        let out = format!("{threads}.pgn");
        let report = format!("{threads}.json");
        assert!(one == run(threads, &out, &report), "{threads} threads");
    }
}

#[test]
fn conversion_of_databases_does_not_depend_on_threads() {
    let folder = with_sample("threads-cbh");
    let one = tabia(
        &folder,
        &["convert", "mega.cbh", "--profile", "full", "-q", "-j1"],
    )
    .expect(0);
    let four = tabia(
        &folder,
        &["convert", "mega.cbh", "--profile", "full", "-q", "-j4"],
    )
    .expect(0);
    assert_eq!(one.out, four.out);
}

#[test]
fn written_databases_do_not_depend_on_threads() {
    let folder = Scratch::new("threads-scid");
    std::fs::write(folder.join("many.pgn"), many_games(4_000)).unwrap();
    for version in ["3", "4", "5"] {
        let sets = ["1", "2", "5"].map(|threads| {
            let out = format!("out{threads}.si{version}");
            let args = ["convert", "many.pgn", "-q", "-j", threads, "-o", &out];
            tabia(&folder, &args).expect(0);
            ["si", "sn", "sg"].map(|kind| {
                let name = format!("out{threads}.{kind}{version}");
                std::fs::read(folder.join(&name)).unwrap()
            })
        });
        assert!(sets[0] == sets[1] && sets[0] == sets[2], "si{version}");
        assert!(sets[0][2].len() > 1 << 17, "several blocks");
    }
}
