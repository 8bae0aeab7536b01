//! Sets whose files have names in capital letters, as Windows leaves them, on file systems that distinguish letter cases.

use tabia_testkit::Scratch;

use crate::common::{names, tabia};

const OLD: &str = "[Event \"Old\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[WhiteTeam \"Old team\"]\n\n1. e4 e5 1-0\n\n";
const NEW: &str =
    "[Event \"New\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n";

/// A database or book `GAMES` with all names in capital letters. `None` if the file system does not distinguish cases.
fn in_capital_letters(folder: &Scratch, verb: &[&str], extension: &str) -> Option<String> {
    let output = format!("games.{extension}");
    tabia(folder, &[verb, &["old.pgn", "-o", &output]].concat()).expect(0);
    for name in names(folder) {
        let Some(rest) = name.strip_prefix("games") else {
            continue;
        };
        // How the book was built; it has the name of the book with an extension more.
        if is_record(rest) {
            std::fs::remove_file(folder.join(&name)).unwrap();
            continue;
        }
        let upper = format!("GAMES{}", rest.to_uppercase());
        std::fs::rename(folder.join(&name), folder.join(&upper)).unwrap();
        if folder.join(&name).exists() {
            return None;
        }
    }
    let first = if extension == "kob" {
        "_0.KOB".to_owned()
    } else {
        format!(".{}", extension.to_uppercase())
    };
    Some(format!("GAMES{first}"))
}

/// Whether the file is the record of how a book was built.
fn is_record(name: &str) -> bool {
    std::path::Path::new(name).extension() == Some("json".as_ref())
}

/// The files of the set; all are in capital letters.
fn files(folder: &Scratch) -> Vec<String> {
    let all = names(folder).into_iter();
    let files: Vec<String> = all
        .filter(|name| name.to_lowercase().starts_with("games") && !is_record(name))
        .collect();
    for name in &files {
        assert_eq!(*name, name.to_uppercase(), "{files:?}");
    }
    files
}

#[test]
fn they_are_replaced_as_a_whole() {
    for extension in ["si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        let folder = Scratch::new("capital-letters");
        std::fs::write(folder.join("old.pgn"), OLD).unwrap();
        std::fs::write(folder.join("new.pgn"), NEW).unwrap();
        let Some(main) = in_capital_letters(&folder, &["convert"], extension) else {
            return;
        };
        let before = files(&folder);
        let text = || {
            tabia(&folder, &["convert", &main, "-o", "-", "--to", "pgn"])
                .expect(0)
                .out
        };
        assert!(text().contains("1. e4 e5"), "{main}");
        tabia(&folder, &["append", "new.pgn", "-o", &main]).expect(0);
        assert_eq!(files(&folder), before, "append {main}");
        tabia(&folder, &["check", &main]).expect(0);
        let both = text();
        assert!(
            both.contains("1. e4 e5") && both.contains("1. d4 d5"),
            "{both}"
        );
        tabia(&folder, &["convert", "new.pgn", "-o", &main, "--force"]).expect(0);
        tabia(&folder, &["check", &main, "--deep"]).expect(0);
        assert_eq!(files(&folder), before, "convert {main}");
        let new = text();
        assert!(new.contains("1. d4 d5") && !new.contains("Old"), "{new}");
        // A new one has them, too.
        for name in before {
            std::fs::remove_file(folder.join(&name)).unwrap();
        }
        tabia(&folder, &["convert", "old.pgn", "-o", &main]).expect(0);
        assert!(files(&folder).len() > 1, "{main}");
        assert!(text().contains("1. e4 e5"), "{main}");
    }
}

#[test]
fn books_are_replaced_as_a_whole() {
    let build = ["book", "build", "--min-games", "1"];
    for extension in ["ctg", "kob"] {
        let folder = Scratch::new("capital-letters-books");
        std::fs::write(folder.join("old.pgn"), OLD).unwrap();
        std::fs::write(folder.join("new.pgn"), NEW).unwrap();
        let Some(main) = in_capital_letters(&folder, &build, extension) else {
            return;
        };
        let before = files(&folder);
        let force = [&build[..], &["new.pgn", "-o", &main, "--force"]].concat();
        tabia(&folder, &force).expect(0);
        assert_eq!(files(&folder), before);
        let found = tabia(&folder, &["book", "find", &main]).expect(0);
        assert!(
            found.out.contains("\nd4") && !found.out.contains("\ne4"),
            "{}",
            found.out
        );
    }
}
