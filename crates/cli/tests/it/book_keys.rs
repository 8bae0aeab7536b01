//! Positions that a Polyglot book knows only by their key, and moves of it that are not legal: both are
//! compared, merged and counted, not left out.

use tabia_testkit::Scratch;

use crate::books::{with_books, write_book};
use crate::common::tabia;

/// A book with positions that no move of it leads to, nor a legal move from one of its positions.
const WITH_HOLES: [(&str, &str, u32); 3] =
    [("", "e4", 30), ("a4 h5 b4", "c6", 5), ("g4 g5 h3", "d6", 2)];

/// The start position with e2e5 and e1g1, which are not legal, and d2d4.
fn write_illegal(folder: &Scratch, name: &str) {
    let mut bytes = Vec::new();
    for bits in [0x0324_u16, 0x02db, 0x0106] {
        bytes.extend_from_slice(&[0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c]);
        bytes.extend_from_slice(&[(bits >> 8) as u8, bits as u8, 0, 5, 0, 0, 0, 0]);
    }
    std::fs::write(folder.join(name), bytes).unwrap();
}

#[test]
fn positions_without_a_line_are_compared_by_their_key() {
    let folder = Scratch::new("book-keys-diff");
    write_book(&folder, "one.bin", &WITH_HOLES);
    write_book(&folder, "less.ctg", &WITH_HOLES[..2]);
    let run = tabia(&folder, &["book", "diff", "one.bin", "less.ctg", "--csv"]).expect(0);
    let summary = "2 moves equal, 0 changed, 1 only in the first, 0 only in the second";
    assert!(run.err.contains(summary), "{}", run.err);
    assert!(
        run.err.contains("1 position known only by key"),
        "{}",
        run.err
    );
    assert!(
        run.out.contains("removed,") && run.out.contains(",d7d6,"),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["book", "diff", "less.ctg", "one.bin", "--csv"]).expect(0);
    let summary = "2 moves equal, 0 changed, 0 only in the first, 1 only in the second";
    assert!(run.err.contains(summary), "{}", run.err);
    write_book(&folder, "all.ctg", &WITH_HOLES);
    let run = tabia(&folder, &["book", "diff", "one.bin", "all.ctg"]).expect(0);
    assert!(
        run.err.contains("3 moves equal, 0 changed, 0 only"),
        "{}",
        run.err
    );
}

#[test]
fn positions_without_a_line_are_merged_by_their_key() {
    let folder = Scratch::new("book-keys-merge");
    write_book(&folder, "one.bin", &WITH_HOLES);
    write_book(&folder, "two.abk", &[("", "e4", 3), ("", "d4", 4)]);
    let merge = ["book", "merge", "one.bin", "two.abk", "-o", "both.bin"];
    let run = tabia(&folder, &merge).expect(0);
    assert!(run.err.contains("3 positions, 4 moves"), "{}", run.err);
    let diff = tabia(&folder, &["book", "diff", "one.bin", "both.bin"]).expect(0);
    let summary = "2 moves equal, 1 changed, 0 only in the first, 1 only in the second";
    assert!(diff.err.contains(summary), "{}", diff.err);
    // A target with boards cannot hold them.
    let merge = ["book", "merge", "one.bin", "two.abk", "-o", "both.ctg"];
    let run = tabia(&folder, &merge).expect(3);
    assert!(
        run.err.contains("2 positions known only by key"),
        "{}",
        run.err
    );
}

#[test]
fn moves_that_are_not_legal_are_counted_and_named() {
    let folder = Scratch::new("book-keys-illegal");
    write_illegal(&folder, "ill.bin");
    let run = tabia(&folder, &["book", "find", "ill.bin", "--csv"]).expect(0);
    assert!(
        run.err.contains("2 entries are no legal moves"),
        "{}",
        run.err
    );
    let run = tabia(&folder, &["check", "ill.bin"]).expect(3);
    let all = format!("{}{}", run.out, run.err);
    assert!(all.contains("2 entries are no legal moves: e2e5"), "{all}");
    let run = tabia(&folder, &["book", "fix", "ill.bin", "-o", "fixed.bin"]).expect(3);
    let text = "2 entries whose move is not legal dropped";
    assert!(run.err.contains(text), "{}", run.err);
    assert!(run.err.contains("1 position, 1 move"), "{}", run.err);
    tabia(&folder, &["check", "fixed.bin"]).expect(0);
    tabia(&folder, &["book", "fix", "fixed.bin", "-o", "again.bin"]).expect(0);
    let run = tabia(&folder, &["book", "convert", "ill.bin", "-o", "lines.pgn"]).expect(3);
    let text = "2 entries are no legal moves and on no line";
    assert!(run.err.contains(text), "{}", run.err);
    let run = tabia(&folder, &["book", "convert", "ill.bin", "-o", "ill.ctg"]).expect(3);
    let text = "2 entries whose move is not legal dropped";
    assert!(run.err.contains(text), "{}", run.err);
    // They can be removed, alone or by the rows of a listing.
    let edit = [
        "book", "edit", "ill.bin", "-o", "less.bin", "--remove", "--move",
    ];
    let run = tabia(&folder, &[&edit[..], &["e2e5"]].concat()).expect(0);
    assert!(run.err.contains("0 added, 1 removed"), "{}", run.err);
    tabia(&folder, &[&edit[..], &["a2a5"]].concat()).expect(2);
    let rows = tabia(&folder, &["book", "edit", "ill.bin", "--csv"]).expect(0);
    assert!(rows.out.contains(",e2e5,5,"), "{}", rows.out);
    std::fs::write(folder.join("rows.csv"), rows.out).unwrap();
    let import = [
        "book", "edit", "ill.bin", "--import", "rows.csv", "-o", "same.bin",
    ];
    let run = tabia(&folder, &import).expect(0);
    assert!(run.err.contains("0 moves changed, 0 added"), "{}", run.err);
}

#[test]
fn unchecked_positions_are_counted_with_illegal_moves() {
    let folder = Scratch::new("book-keys-unchecked");
    write_illegal(&folder, "ill.bin");
    write_book(&folder, "one.bin", &WITH_HOLES);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let bytes = [read("ill.bin"), read("one.bin")].concat();
    let mut entries: Vec<&[u8]> = bytes.chunks(16).collect();
    entries.sort();
    std::fs::write(folder.join("both.bin"), entries.concat()).unwrap();
    let run = tabia(&folder, &["check", "both.bin"]).expect(3);
    let all = format!("{}{}", run.out, run.err);
    assert!(
        all.contains("2 positions are known only by their key"),
        "{all}"
    );
}

#[test]
fn six_moves_of_one_position_are_a_book() {
    let folder = Scratch::new("book-keys-six");
    let moves = ["e4", "d4", "c4", "Nf3", "b3", "g3"];
    let lines: Vec<_> = moves.iter().map(|name| ("", *name, 3)).collect();
    write_book(&folder, "six.bin", &lines);
    assert_eq!(std::fs::read(folder.join("six.bin")).unwrap().len(), 96);
    tabia(&folder, &["book", "find", "six.bin"]).expect(0);
    // Nor need they be named so: no other file has the key of the standard position.
    std::fs::rename(folder.join("six.bin"), folder.join("six")).unwrap();
    tabia(&folder, &["book", "find", "six"]).expect(0);
}

#[test]
fn a_book_for_one_side_names_how_to_go_on() {
    let folder = with_books("book-keys-side");
    let black = [("e4", "c5", 5), ("d4", "d5", 2)];
    write_book(&folder, "black.bin", &black);
    for verb in ["find", "line"] {
        let run = tabia(&folder, &["book", verb, "black.bin"]).expect(1);
        assert!(run.err.contains("it may play Black only"), "{}", run.err);
        let moves = run.err.contains("e4, d4") || run.err.contains("d4, e4");
        assert!(moves, "{}", run.err);
    }
}

#[test]
fn a_board_alone_is_looked_up_for_both_sides() {
    let folder = with_books("book-keys-board");
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    let run = tabia(&folder, &["book", "find", "one.bin", "--fen", board]).expect(0);
    let found = format!("found: {board} b KQkq");
    assert!(run.err.contains(&found), "{}", run.err);
    let board = "rnbqkbnr/pppppppp/8/8/7P/8/PPPPPPP1/RNBQKBNR";
    let run = tabia(&folder, &["book", "find", "one.bin", "--fen", board]).expect(2);
    assert!(
        run.err.contains("does not state the side to move"),
        "{}",
        run.err
    );
}

#[test]
fn a_fen_without_quotes_is_named() {
    let folder = with_books("book-keys-quotes");
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    let args = [
        "book", "find", "one.bin", "--fen", board, "b", "KQkq", "-", "0", "1",
    ];
    let run = tabia(&folder, &args).expect(2);
    assert!(run.err.contains("it has to be in quotes"), "{}", run.err);
}

#[test]
fn lines_have_no_moves_that_the_book_needs_not() {
    let folder = Scratch::new("book-keys-lines");
    // 1.Nf3 d5 2.d4 comes to a position of the other line, but the book has no move there.
    let lines = [
        ("", "d4", 3),
        ("", "Nf3", 1),
        ("d4", "d5", 3),
        ("d4 d5", "Nf3", 3),
        ("d4 d5 Nf3", "Nf6", 3),
        ("Nf3", "d5", 1),
    ];
    write_book(&folder, "one.bin", &lines);
    let run = tabia(&folder, &["book", "convert", "one.bin", "-o", "-"]).expect(0);
    assert!(
        !run.out.contains("1. Nf3 {25%} d5 {100%} 2."),
        "{}",
        run.out
    );
    // Where nothing else leads there, the move is marked.
    write_book(&folder, "black.bin", &[("e4", "c5", 5)]);
    let run = tabia(&folder, &["book", "convert", "black.bin", "-o", "-"]).expect(0);
    let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("1. e4 {not in the book} 1... c5"), "{text}");
    // What no line reaches is a problem, unless fewer plies are asked for.
    write_book(&folder, "holes.bin", &WITH_HOLES);
    let args = ["book", "convert", "holes.bin", "-o", "lines.pgn", "-f"];
    let run = tabia(&folder, &args).expect(3);
    assert!(
        run.err
            .contains("2 positions with 2 moves of the book not on"),
        "{}",
        run.err
    );
    tabia(&folder, &[&args[..], &["--plies", "1"]].concat()).expect(0);
}
