//! Records that hold a position and its mirror images do not state the side to move: a line to the
//! position shows it, or nothing does.

use tabia_testkit::Scratch;

use crate::books::write_book;
use crate::common::tabia;

/// Games whose common positions are reached by different orders of moves, so that `--min-games` leaves
/// holes in all lines to them.
fn build_with_holes(folder: &Scratch, target: &str) {
    let lines = [
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
        "1. Nf3 d6 2. e4 c5 3. d4 cxd4",
        "1. Nf3 c5 2. e4 d6 3. d4 cxd4",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
        "1. Nf3 d6 2. e4 c5 3. d4 cxd4",
        "1. Nf3 c5 2. e4 d6 3. d4 cxd4",
        "1. d4 d6 2. Nf3 c5 3. e4 cxd4",
    ];
    let games = lines.map(|line| format!("[Result \"0-1\"]\n\n{line} 0-1\n\n"));
    std::fs::write(folder.join("holes.pgn"), games.concat()).unwrap();
    let args = [
        "book",
        "build",
        "holes.pgn",
        "-o",
        target,
        "--min-games",
        "3",
        "-f",
    ];
    let scoreless = (target == "direct.bin").then_some("--scoreless");
    tabia(
        folder,
        &args.into_iter().chain(scoreless).collect::<Vec<_>>(),
    )
    .expect(0);
}

/// Weights may differ: a .ctg has the games of the position after a move, by whichever move.
fn assert_same_moves(folder: &Scratch, first: &str, second: &str) {
    let diff = tabia(folder, &["book", "diff", first, second, "--csv"]).expect(0);
    let summary = "0 only in the first, 0 only in the second";
    assert!(diff.err.contains(summary), "{}{}", diff.out, diff.err);
}

#[test]
fn moves_that_the_book_lacks_lead_to_records_with_their_side() {
    let folder = Scratch::new("book-sides-holes");
    build_with_holes(&folder, "direct.bin");
    for name in ["holes.ctg", "holes.kob"] {
        build_with_holes(&folder, name);
        // The parts of a Kvetka book are numbered.
        let name = if name == "holes.kob" && folder.join("holes_0.kob").exists() {
            "holes_0.kob"
        } else {
            name
        };
        for verb in ["convert", "merge"] {
            let args = ["book", verb, name, "-o", "back.bin", "-f"];
            tabia(&folder, &args).expect(0);
            assert_same_moves(&folder, "direct.bin", "back.bin");
        }
    }
}

#[test]
fn positions_without_a_line_are_left_out_and_counted() {
    let folder = Scratch::new("book-sides-unknown");
    // Four plies that the book does not contain.
    let lines = [("", "d4", 1), ("e4 c5 Nf3 d6 Bb5+", "Bd7", 1)];
    write_book(&folder, "far.ctg", &lines);
    write_book(&folder, "near.bin", &[("", "d4", 1)]);
    for (verb, target) in [("convert", "far.bin"), ("merge", "merged.bin")] {
        let run = tabia(&folder, &["book", verb, "far.ctg", "-o", target]).expect(3);
        let text = "1 position whose side to move the book does not state";
        assert!(run.err.contains(text), "{verb} {target}: {}", run.err);
    }
    let diff = tabia(&folder, &["book", "diff", "near.bin", "far.bin"]).expect(0);
    let summary = "0 only in the first, 0 only in the second";
    assert!(diff.err.contains(summary), "{}", diff.err);
    // Formats that do not store the side keep it, and it is found from either.
    tabia(&folder, &["book", "convert", "far.ctg", "-o", "copy.ctg"]).expect(0);
    for book in ["far.ctg", "copy.ctg"] {
        let moves = "1.e4 c5 2.Nf3 d6 3.Bb5+";
        let args = ["book", "find", book, "--moves", moves, "--json"];
        let found = tabia(&folder, &args).expect(0).json();
        assert_eq!(found["moves"][0]["san"], "Bd7", "{book}");
    }
}
