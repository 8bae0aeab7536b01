//! What a database has already is not added again, whatever its format keeps of it.

use crate::common::{samples, tabia};
use tabia_testkit::{Scratch, shared_data};

/// Games of unknown players, which are compared by all that they contain.
const PGN: &str = "[Event \"Lines\"]\n[White \"Hedgehog\"]\n[Black \"?\"]\n[Result \"*\"]\n\n\
    {first} 1. c4 ({a line} 1. d4 {[%tabia lines 3] two lines} d5) 1... c5 $1 {after} \
    (1... {only} e5 2. Nc3) 2. {[%cbquotation white=Tal%2C%20M black=Fine event=Open site=Riga \
    result=1-0 date=0/0/0 whiteElo=0 blackElo=0 eco=0 type=0 nation=0 category=0 rounds=0 round=2 \
    subRound=0 flags=0 unknown=0]} Nf3 {a {brace} *\n\n\
    [Event \"Threats\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n\
    1. e4 e5 (1... -- 2. d4 {a threat}) 2. Nf3 {[%csl Ge5] seen} *\n\n";

#[test]
fn nothing_is_added_to_a_copy_in_any_format() {
    let folder = Scratch::new("appended-again");
    std::fs::write(folder.join("lines.pgn"), PGN).unwrap();
    let sample = samples().join("tabia.cbv");
    let formats = tabia(&folder, &["formats", "--json"]).expect(0).json();
    let formats = formats.as_array().unwrap().iter().filter(|format| {
        format["kind"] == "database" && format["read"] == true && format["write"] == true
    });
    let extensions = formats.map(|format| format["extensions"][0].as_str().unwrap());
    let mut tried = 0;
    for extension in extensions {
        for (number, input) in ["lines.pgn", sample.to_str().unwrap()].iter().enumerate() {
            let copy = format!("copy{number}.{extension}");
            let run = tabia(&folder, &["convert", *input, "-o", &copy]);
            let info = || tabia(&folder, &["info", &copy, "--json"]).json();
            let counts =
                |info: &serde_json::Value| (info[0]["games"].clone(), info[0]["texts"].clone());
            let before = info();
            let again = tabia(&folder, &["append", *input, "-o", &copy]);
            if run.code != 0 || again.code == 2 {
                // Lists of positions, and games of another kind.
                continue;
            }
            assert!(again.err.contains("\n0 games to "), "{copy}: {}", again.err);
            assert!(!again.err.contains("there are no"), "{copy}: {}", again.err);
            assert_eq!(counts(&info()), counts(&before), "{copy}");
            tried += 1;
        }
    }
    assert!(tried >= 12, "{tried}");
}

/// A format that keeps plain texts as HTML has them, too.
#[test]
fn changed_guiding_texts_and_empty_games_are_not_added_again() {
    let folder = Scratch::new("appended-plain-texts");
    let plain = "[Event \"?\"]\n[TabiaRecord \"text\"]\n\n{[%cbtext kind=title lang=0 text=On%20pawns]} \
        {[%cbtext kind=plain lang=0 text=They%20go%0Aforward%20%3C]} *\n\n";
    let empty = "[Event \"Club\"]\n[Site \"Here\"]\n[Date \"2017.01.01\"]\n[Round \"1\"]\n[White \"?\"]\n\
        [Black \"?\"]\n[Result \"*\"]\n\n*\n\n";
    std::fs::write(folder.join("new.pgn"), format!("{plain}{empty}")).unwrap();
    for extension in ["2cbh", "cbh", "sci", "si5", "pgn"] {
        let base = format!("base.{extension}");
        let convert = ["convert", "new.pgn", "-o", &base, "--profile", "full"];
        tabia(&folder, &convert).expect(0);
        let rows = || tabia(&folder, &["ls", &base, "--ndjson"]).expect(0).out;
        let before = rows();
        for dry_run in [&["--dry-run"][..], &[]] {
            let append = ["append", "new.pgn", "-o", &base];
            let run = tabia(&folder, &[&append[..], dry_run].concat()).expect(0);
            assert!(run.err.contains("\n0 games "), "{base}: {}", run.err);
            assert_eq!(rows(), before, "{base}: {}", run.err);
        }
    }
}

#[test]
fn other_guiding_texts_are_added() {
    let folder = Scratch::new("appended-texts");
    let sample = samples().join("tabia.cbv");
    let sample = sample.to_str().unwrap();
    let full = ["convert", sample, "-o", "all.pgn", "--profile", "full"];
    tabia(&folder, &full).expect(0);
    tabia(&folder, &["convert", "all.pgn", "-o", "base.cbh"]).expect(0);
    let text = std::fs::read_to_string(folder.join("all.pgn")).unwrap();
    let texts = |info: serde_json::Value| info[0]["texts"].as_u64().unwrap();
    let info = || texts(tabia(&folder, &["info", "base.cbh", "--json"]).json());
    let before = info();
    let run = tabia(
        &folder,
        &["append", "all.pgn", "-o", "base.cbh", "--dry-run"],
    )
    .expect(0);
    assert!(run.err.contains("1 guiding text left out"), "{}", run.err);
    assert!(run.err.contains("0 games would be added"), "{}", run.err);
    // One word of it is another.
    let changed = text.replacen("About%20this", "Of%20this", 1);
    assert_ne!(changed, text);
    std::fs::write(folder.join("all.pgn"), changed).unwrap();
    tabia(&folder, &["append", "all.pgn", "-o", "base.cbh"]).expect(0);
    assert_eq!(info(), before + 1);
}

/// Of some games of unknown players formats keep another variation, symbol or position of a comment.
#[test]
fn nothing_of_real_databases_is_added_again() {
    let folder = Scratch::new("appended-real");
    for input in [
        "cbh/morphy-hedgehog/Hedgehog.cbh",
        "cbh/morphy-cbhlib_test/cbhlib_test.cbh",
        "pgn/chess960/cutechess-fischerrandom.pgn",
    ] {
        let Some(path) = shared_data("nothing_of_real_databases_is_added_again", input) else {
            return;
        };
        let input = path.to_str().unwrap();
        for extension in ["si3", "si4", "si5", "sci", "cbh", "2cbh"] {
            let copy = format!("copy.{extension}");
            tabia(&folder, &["convert", input, "-o", &copy, "--force"]);
            let again = tabia(&folder, &["append", input, "-o", &copy]);
            assert!(
                again.err.contains("\n0 games"),
                "{input} to {copy}: {}",
                again.err
            );
        }
    }
}

/// A database of a format that is only read is refused before its games are compared with others.
#[test]
fn formats_that_are_only_read_are_refused_at_once() {
    let folder = Scratch::new("append-read-only-format");
    let fixtures = tabia_testkit::repository().join("crates/formats/tests/fixtures/cbf");
    let mut name = None;
    for file in std::fs::read_dir(fixtures).unwrap() {
        let path = file.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        std::fs::copy(&path, folder.join(&file)).unwrap();
        if path.extension().is_some_and(|extension| extension == "cbf") {
            name = Some(file);
        }
    }
    let name = name.unwrap();
    let new = name.replace(".cbf", ".cbh");
    std::fs::write(folder.join("games.pgn"), "[White \"A\"]\n\n1. e4 *\n").unwrap();
    for dry_run in [&[] as &[_], &["--dry-run"]] {
        let args = [&["append", "games.pgn", "-o", &name] as &[_], dry_run].concat();
        let run = tabia(&folder, &args).expect(2);
        assert!(!run.err.contains("duplicate"), "{}", run.err);
        let hint = format!("`tabia convert {name} games.pgn -o {new}` makes a database");
        assert!(run.err.contains(&hint), "{}", run.err);
    }
    tabia(&folder, &["convert", &name, "games.pgn", "-o", &new, "-q"]);
    let rows = tabia(&folder, &["ls", &new, "--columns", "white", "--no-header"]);
    assert!(rows.out.lines().any(|row| row == "A"), "{}", rows.out);
}
