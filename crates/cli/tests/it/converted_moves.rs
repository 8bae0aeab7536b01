//! Converted games have the same moves.

use std::path::Path;

use tabia_testkit::Scratch;

use crate::common::{tabia, with_sample};

#[test]
fn every_writable_format_stores_the_same_moves() {
    let folder = with_sample("other");
    tabia(&folder, &["convert", "mega.cbh", "-o", "out.si5", "-q"]).expect(0);
    let moves = |path: &str| {
        tabia(
            &folder,
            &["convert", path, "--profile", "seven", "--no-wrap", "-q"],
        )
        .out
        .lines()
        .filter(|line| line.starts_with("1."))
        .map(str::to_owned)
        .collect::<Vec<_>>()
    };
    assert_eq!(moves("out.si5"), moves("mega.cbh"));
}

/// Moves of other rules are kept as the text of a comment, in each format that has comments.
#[test]
fn moves_that_are_not_played_here_are_kept_as_text() {
    let folder = Scratch::new("unread-moves");
    let game = "[Variant \"Atomic\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. Nf3 f6 2. Nd4 c6 3. Nxc6 1-0\n";
    std::fs::write(folder.join("a.pgn"), game).unwrap();
    for extension in ["si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        let name = format!("a.{extension}");
        let run = tabia(&folder, &["convert", "a.pgn", "-o", &name]).expect(3);
        assert!(run.err.contains("unreadable moves"), "{name}: {}", run.err);
        let shown = tabia(&folder, &["convert", &name]).out;
        assert!(shown.contains("2. Nd4 c6 3. Nxc6"), "{name}: {shown}");
    }
    // The rest of a line after a move that is not read, too.
    let cut = "[White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. e4 e5 2. Zf3 Nc6 *\n";
    std::fs::write(folder.join("b.pgn"), format!("{game}\n{cut}")).unwrap();
    for format in ["ndjson", "csv"] {
        let run = tabia(&folder, &["convert", "b.pgn", "--to", format]).expect(3);
        assert!(
            run.err.contains("unreadable moves"),
            "{format}: {}",
            run.err
        );
        let texts = ["1. Nf3 f6 2. Nd4 c6 3. Nxc6", "Zf3 Nc6"];
        for text in texts {
            assert!(run.out.contains(text), "{format}: {}", run.out);
        }
        let marked = run.out.replace("\"\"", "\"");
        assert_eq!(marked.matches("\"unread\":true").count(), 2, "{marked}");
    }
}

/// Formats whose index knows nothing of annotations have the marks of their games in rows.
#[test]
fn rows_have_the_marks_of_games_whatever_the_index_knows() {
    let folder = Scratch::new("marks-of-rows");
    let fixtures = tabia_testkit::repository().join("crates/formats/tests/fixtures/cbf");
    for file in std::fs::read_dir(fixtures).unwrap() {
        let path = file.unwrap().path();
        std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let name =
        |file: std::io::Result<std::fs::DirEntry>| file.unwrap().file_name().into_string().unwrap();
    let names = std::fs::read_dir(folder.path()).unwrap().map(name);
    let mut marked = 0;
    for cbf in names.filter(|name| {
        Path::new(name)
            .extension()
            .is_some_and(|found| found == "cbf")
    }) {
        tabia(
            &folder,
            &["convert", &cbf, "-o", "same.pgn", "--force", "-q"],
        );
        let rows = |path: &str| {
            tabia(
                &folder,
                &["ls", path, "--columns", "game,flags", "--no-header"],
            )
            .out
        };
        assert_eq!(rows(&cbf), rows("same.pgn"), "{cbf}");
        marked += rows(&cbf)
            .lines()
            .filter(|row| row.contains(['V', 'C', 'S']))
            .count();
    }
    assert!(marked > 0);
}
