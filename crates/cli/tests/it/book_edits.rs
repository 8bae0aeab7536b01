//! Changes of books that would change nothing, and options and outputs that would be ignored.

use crate::books::with_books;
use crate::common::{tabia, tabia_with_input};

#[test]
fn changes_are_counted() {
    let folder = with_books("book-edits-counted");
    let edit = |more: &[&str]| {
        let mut args = vec!["book", "edit", "one.bin", "-o", "new.bin", "--force"];
        args.extend_from_slice(more);
        tabia(&folder, &args)
    };
    for (change, summary) in [
        (
            ["--move", "d4", "--weight", "99"].as_slice(),
            "1 move changed, 0 added, 0 removed",
        ),
        (
            &["--move", "d4", "--weight", "10"],
            "0 moves changed, 0 added, 0 removed",
        ),
        (
            &["--move", "h4", "--weight", "1"],
            "0 moves changed, 1 added, 0 removed",
        ),
        (
            &["--move", "d4", "--remove"],
            "0 moves changed, 0 added, 1 removed",
        ),
    ] {
        let run = edit(change).expect(0);
        assert!(run.err.contains(summary), "{change:?}: {}", run.err);
    }
    // A sign looks like a change by that number.
    edit(&["--move", "d4", "--weight", "+10"]).expect(2);
}

#[test]
fn moves_that_are_not_there_cannot_be_removed() {
    let folder = with_books("book-edits-missing");
    for book in ["one.bin", "one.ctg"] {
        if book != "one.bin" {
            tabia(&folder, &["book", "convert", "one.bin", "-o", book]).expect(0);
        }
        let target = format!("new.{}", &book[4..]);
        let args = [
            "book", "edit", book, "-o", &target, "--moves", "e4", "--move", "h5", "--remove",
        ];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("no such move"), "{}", run.err);
        assert!(!folder.join(&target).exists());
    }
    // One of two is there: written, and counted.
    let rows = "key,move,weight\n463b96181691fc9c,d2d4,-\n463b96181691fc9c,h2h4,-\n";
    std::fs::write(folder.join("rows.csv"), rows).unwrap();
    let import = [
        "book", "edit", "one.bin", "--import", "rows.csv", "-o", "x.bin",
    ];
    let run = tabia(&folder, &import).expect(3);
    for text in ["1 move to be removed not in the book", "0 added, 1 removed"] {
        assert!(run.err.contains(text), "{}", run.err);
    }
}

#[test]
fn rows_that_set_nothing_are_refused() {
    let folder = with_books("book-edits-rows");
    for (rows, text) in [
        (
            "key,move,wieght\n463b96181691fc9c,e2e4,5\n",
            "did you mean `weight`",
        ),
        (
            "key,move,weight\n463b96181691fc9c,e2e4,+5\n",
            "`+5` is not a weight",
        ),
        (
            "key,move,weight\n463b96181691fc9c,e2e4,\n",
            "no row sets anything",
        ),
        ("", "no rows"),
    ] {
        std::fs::write(folder.join("rows.csv"), rows).unwrap();
        let import = [
            "book", "edit", "one.bin", "--import", "rows.csv", "-o", "x.bin",
        ];
        let run = tabia(&folder, &import).expect(4);
        assert!(run.err.contains(text), "{rows}: {}", run.err);
        assert!(!folder.join("x.bin").exists());
    }
    // The default of a pipe is separated by tabs, and spreadsheets use semicolons.
    for separator in ["\t", ";"] {
        let rows = "key,move,weight\n463b96181691fc9c,e2e4,5\n".replace(',', separator);
        std::fs::write(folder.join("rows.txt"), rows).unwrap();
        let import = [
            "book", "edit", "one.bin", "--import", "rows.txt", "-o", "y.bin", "-f",
        ];
        let run = tabia(&folder, &import).expect(0);
        assert!(run.err.contains("1 move changed"), "{}", run.err);
    }
    let tabs = tabia(&folder, &["book", "edit", "one.bin"]).expect(0);
    std::fs::write(folder.join("rows.txt"), tabs.out).unwrap();
    let import = [
        "book", "edit", "two.bin", "--import", "rows.txt", "-o", "z.bin",
    ];
    let run = tabia(&folder, &import).expect(0);
    assert!(run.err.contains("1 move changed, 4 added"), "{}", run.err);
}

#[test]
fn the_listing_of_a_position_has_its_moves_alone() {
    let folder = with_books("book-edits-listing");
    let args = ["book", "edit", "one.bin", "--moves", "1.e4", "--csv"];
    let listed = tabia(&folder, &args).expect(0);
    let rows: Vec<&str> = listed.out.lines().skip(1).collect();
    assert_eq!(rows.len(), 1, "{}", listed.out);
    assert!(rows[0].contains(",c7c5,5,"), "{}", listed.out);
}

#[test]
fn a_book_is_not_converted_with_options_of_lines() {
    let folder = with_books("book-edits-plies");
    let args = [
        "book", "convert", "one.bin", "-o", "thin.bin", "--plies", "1",
    ];
    let run = tabia(&folder, &args).expect(2);
    assert!(
        run.err.contains("`--plies` is for lines of PGN"),
        "{}",
        run.err
    );
    assert!(!folder.join("thin.bin").exists());
}

#[test]
fn a_dash_is_standard_output_and_no_book() {
    let folder = with_books("book-edits-dash");
    std::fs::write(folder.join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 1-0\n").unwrap();
    for args in [
        ["book", "build", "a.pgn", "-o", "-", "--to", "polyglot"].as_slice(),
        &["book", "build", "a.pgn", "-o", "-"],
        &[
            "book", "merge", "one.bin", "two.bin", "-o", "-", "--to", "polyglot",
        ],
        &["book", "fix", "one.bin", "-o", "-", "--to", "polyglot"],
        &["book", "convert", "one.bin", "-o", "-", "--to", "ctg"],
        &[
            "book", "edit", "one.bin", "-o", "-", "--move", "e4", "--weight", "1",
        ],
    ] {
        let run = tabia(&folder, args).expect(2);
        assert!(run.err.contains("standard output"), "{args:?}: {}", run.err);
    }
    for args in [
        ["book", "convert", "one.bin", "-o", "-", "--to", "pgn"].as_slice(),
        &["book", "convert", "one.bin", "-o", "-"],
        &["book", "novelty", "a.pgn", "--book", "one.bin", "-o", "-"],
    ] {
        let run = tabia(&folder, args).expect(0);
        assert!(
            run.out.contains("1. e4"),
            "{args:?}: {}{}",
            run.out,
            run.err
        );
    }
    assert!(!folder.join("-").exists() && !folder.join("-.json").exists());
}

#[test]
fn an_empty_book_replaces_none() {
    let folder = with_books("book-edits-empty");
    std::fs::write(folder.join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 1-0\n").unwrap();
    let before = std::fs::read(folder.join("one.bin")).unwrap();
    for (filter, text) in [
        (["--where", "elo:>=9000"], "no game passes the filter"),
        (["--min-games", "3"], "3 games or more"),
    ] {
        let mut args = vec!["book", "build", "a.pgn", "-o", "one.bin", "--force"];
        args.extend(filter);
        let run = tabia(&folder, &args).expect(1);
        assert!(run.err.contains(text), "{}", run.err);
        assert!(run.err.contains("left as it was"), "{}", run.err);
        assert!(std::fs::read(folder.join("one.bin")).unwrap() == before);
        assert!(!folder.join("one.bin.json").exists());
        // Nor is a new one written.
        args[4] = "new.bin";
        let run = tabia(&folder, &args).expect(1);
        assert!(run.err.contains("the book is empty"), "{}", run.err);
        assert!(!folder.join("new.bin").exists());
    }
}

#[test]
fn changes_that_the_format_cannot_hold_are_refused() {
    let folder = with_books("book-edits-held");
    for target in ["one.ctg", "one.abk", "one.kob"] {
        tabia(&folder, &["book", "convert", "one.bin", "-o", target]).expect(0);
    }
    for (book, change, text, hint) in [
        (
            "one_0.kob",
            ["--comment", "x"],
            "Kvetka books hold no annotations, advice, comments",
            "",
        ),
        (
            "one_0.kob",
            ["--annotation", "!"],
            "Kvetka books hold no annotations",
            "one_0.ctg",
        ),
        (
            "one_0.kob",
            ["--weight", "4"],
            "has no weights of moves",
            "one_0.bin",
        ),
        (
            "one.ctg",
            ["--comment", "x"],
            "only annotations and advice",
            "",
        ),
        (
            "one.ctg",
            ["--weight", "0"],
            "has no weights of moves",
            "--advice avoid",
        ),
        (
            "one.abk",
            ["--advice", "play"],
            "Arena books hold no annotations, advice",
            "one.ctg",
        ),
        (
            "one.abk",
            ["--weight", "9999"],
            "from 0 to 9, not 9999",
            "--weight 9",
        ),
        (
            "one.bin",
            ["--annotation", "!"],
            "Polyglot books hold no annotations",
            "one.ctg",
        ),
        (
            "one.bin",
            ["--comment", "x"],
            "only weights and learn values",
            "",
        ),
    ] {
        let extension = book.rsplit_once('.').unwrap().1;
        let target = format!("new.{extension}");
        let mut args = vec!["book", "edit", book, "-o", &target, "--move", "e4"];
        args.extend(change);
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains(text), "{book} {change:?}: {}", run.err);
        assert!(run.err.contains(hint), "{book} {change:?}: {}", run.err);
        // No format holds comments of moves: nothing is promised.
        assert_eq!(
            run.err.contains("makes a book that"),
            hint.contains("one"),
            "{}",
            run.err
        );
        assert!(!folder.join(&target).exists() && !folder.join("new_0.kob").exists());
    }
    let args = [
        "book", "edit", "one.abk", "-o", "new.abk", "--move", "d4", "--weight", "9",
    ];
    tabia(&folder, &args).expect(0);
    let args = [
        "book", "edit", "one.ctg", "-o", "new.ctg", "--move", "d4", "--advice", "avoid",
    ];
    tabia(&folder, &args).expect(0);
}

#[test]
fn an_edited_book_keeps_its_format() {
    let folder = with_books("book-edits-format");
    for target in ["q.ctg", "q.pgn", "q.xyz", "q"] {
        let args = [
            "book", "edit", "one.bin", "-o", target, "--move", "e4", "--weight", "9",
        ];
        tabia(&folder, &args).expect(2);
        assert!(!folder.join(target).exists(), "{target}");
    }
    let args = [
        "book", "edit", "one.bin", "-o", "q.ctg", "--move", "e4", "--weight", "9",
    ];
    let run = tabia(&folder, &args).expect(2);
    assert!(
        run.err
            .contains("q.ctg: a changed copy has the format of its book, Polyglot book"),
        "{}",
        run.err
    );
    let hint = "`-o q.bin`, then `tabia book convert q.bin -o q.ctg`";
    assert!(run.err.contains(hint), "{}", run.err);
}

#[test]
fn listings_can_be_imported_unchanged() {
    let folder = with_books("book-edits-listings");
    // Repeats that add up to more than 16 bits hold.
    let mut repeated = Vec::new();
    for weight in [[0xff, 0xff], [0xff, 0xff]] {
        repeated.extend_from_slice(&[0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 3, 0x1c]);
        repeated.extend_from_slice(&weight);
        repeated.extend_from_slice(&[0; 4]);
    }
    std::fs::write(folder.join("repeated.bin"), repeated).unwrap();
    for target in ["one.ctg", "one.abk", "one.kob"] {
        tabia(&folder, &["book", "convert", "one.bin", "-o", target]).expect(0);
    }
    for (book, target) in [
        ("repeated.bin", "new.bin"),
        ("one.ctg", "new.ctg"),
        ("one.abk", "new.abk"),
    ] {
        let rows = tabia(&folder, &["book", "edit", book, "--csv"]).expect(0);
        std::fs::write(folder.join("rows.csv"), &rows.out).unwrap();
        let import = ["book", "edit", book, "--import", "rows.csv", "-o", target];
        let run = tabia(&folder, &import);
        assert!(
            run.code == 0 || book == "repeated.bin",
            "{book}: {}",
            run.err
        );
        assert!(
            run.err.contains(" 0 added, 0 removed"),
            "{book}: {}",
            run.err
        );
    }
}

#[test]
fn rows_come_from_standard_input_too() {
    let folder = with_books("book-edits-stdin");
    let rows = "key,move,weight\n463b96181691fc9c,e2e4,5\n";
    let import = ["book", "edit", "one.bin", "--import", "-", "-o", "x.bin"];
    let run = tabia_with_input(&folder, &import, rows.as_bytes()).expect(0);
    assert!(run.err.contains("1 move changed"), "{}", run.err);
}

#[test]
fn contradictions_are_refused() {
    let folder = with_books("book-edits-contradictions");
    let remove = [
        "book", "edit", "one.bin", "-o", "new.bin", "--move", "e4", "--remove",
    ];
    for option in [
        ["--weight", "7"],
        ["--comment", "x"],
        ["--advice", "play"],
        ["--annotation", "!"],
    ] {
        let run = tabia(&folder, &[&remove[..], &option].concat()).expect(2);
        assert!(run.err.contains(option[0]), "{}", run.err);
    }
    tabia(&folder, &remove).expect(0);
    for (factors, meant) in [("1", "--factors 1,1"), ("3,2,1", "--factors 3,2")] {
        let merge = [
            "book",
            "merge",
            "one.bin",
            "two.bin",
            "-o",
            "m.bin",
            "--factors",
            factors,
        ];
        let run = tabia(&folder, &merge).expect(2);
        assert!(
            run.err.contains(" for 2 books") && run.err.contains(meant),
            "{}",
            run.err
        );
    }
}
