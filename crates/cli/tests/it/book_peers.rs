//! Other programs make the same Polyglot books and read ours. Each runs if it is installed.
#![allow(clippy::print_stdout, reason = "a test that prints its counts")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tabia::core::chess::{Ply, Position, san};
use tabia_testkit::{Random, Scratch, shared_data, skip_without_peer};

use crate::common::tabia;

/// Runs polyglot, which Debian installs outside the usual folders of programs.
fn polyglot(folder: &Scratch, args: &[&str]) -> Option<String> {
    let run = |program: &str| {
        Command::new(program)
            .args(args)
            .current_dir(folder.path())
            .output()
    };
    let Ok(output) = run("/usr/games/polyglot").or_else(|_| run("polyglot")) else {
        skip_without_peer("polyglot_makes_the_same_bytes_and_reads_ours", "polyglot");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Games of random moves, few of them at first, so that positions come again; all results.
fn random_games(games: usize, plies: usize, choice: usize) -> String {
    let mut random = Random::new(0x00c0_ffee_1234_5678);
    let mut text = String::new();
    for _ in 0..games {
        let result = ["1-0", "1/2-1/2", "0-1", "*"][random.below(4)];
        let _ = writeln!(
            text,
            "[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n"
        );
        let mut position = Position::standard();
        let mut line = Vec::new();
        for ply in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Later in the game any move will do: promotions, castlings, en passant.
            let most = if ply < 12 {
                choice.min(moves.len())
            } else {
                moves.len()
            };
            let m = moves[random.below(most)];
            san::write_and_play(&mut position, Ply::Move(m), &mut line);
            line.push(if ply % 8 == 7 { b'\n' } else { b' ' });
        }
        let _ = write!(text, "{}{result}\n\n", String::from_utf8(line).unwrap());
    }
    text
}

/// Enough games with the same first moves that 16-bit counts are halved.
fn many_short_games() -> String {
    let mut random = Random::new(77);
    let mut text = String::new();
    for _ in 0..40_000 {
        let result = ["1-0", "1-0", "1/2-1/2", "0-1"][random.below(4)];
        let reply = ["1... e5", "1... e5", "1... c5", "1... e5"][random.below(4)];
        let _ = write!(text, "[Result \"{result}\"]\n\n1. e4 {reply} {result}\n\n");
    }
    text
}

/// The corpora: random games, halving, real games where they are.
fn corpora(folder: &Scratch, test: &str) -> Vec<(&'static str, PathBuf)> {
    let mut corpora = vec![
        ("random", random_games(1500, 90, 3)),
        ("halving", many_short_games()),
    ];
    if let Some(real) = shared_data(test, "pgn/m10k.pgn.zst") {
        let whole = folder.join("all.pgn");
        tabia(
            folder,
            &[
                "convert",
                real.to_str().unwrap(),
                "-o",
                "all.pgn",
                "--games",
                "1-3000",
                "-q",
            ],
        )
        .expect(0);
        corpora.push(("real", std::fs::read_to_string(whole).unwrap()));
    }
    let write = |(name, text): (&'static str, String)| {
        let path = folder.join(format!("{name}.pgn"));
        std::fs::write(&path, text).unwrap();
        (name, path)
    };
    corpora.into_iter().map(write).collect()
}

/// `--compat polyglot` writes what `polyglot make-book` writes, and polyglot writes every entry of
/// it again as it read it.
#[test]
fn polyglot_makes_the_same_bytes_and_reads_ours() {
    let folder = Scratch::new("book-polyglot");
    for (name, games) in corpora(&folder, "polyglot_makes_the_same_bytes_and_reads_ours") {
        let games = games.to_str().unwrap();
        for least in ["1", "3"] {
            let theirs = [
                "make-book",
                "-pgn",
                games,
                "-bin",
                "theirs.bin",
                "-min-game",
                least,
            ];
            if polyglot(&folder, &theirs).is_none() {
                return;
            }
            let ours = [
                "book", "build", games, "-o", "ours.bin", "--compat", "polyglot",
            ];
            tabia(
                &folder,
                &[&ours[..], &["--min-games", least, "-f", "-q"]].concat(),
            )
            .expect(0);
            let (ours, theirs) = (read(&folder, "ours.bin"), read(&folder, "theirs.bin"));
            assert!(!ours.is_empty() && ours == theirs, "{name}, {least}");
            println!(
                "{name}, at least {least}: {} entries equal",
                ours.len() / 16
            );
        }
        // In our own way of weighing, entry by entry.
        tabia(
            &folder,
            &["book", "build", games, "-o", "ours.bin", "-f", "-q"],
        )
        .expect(0);
        std::fs::write(folder.join("none.bin"), "").unwrap();
        let args = [
            "merge-book",
            "-in1",
            "ours.bin",
            "-in2",
            "none.bin",
            "-out",
            "again.bin",
        ];
        polyglot(&folder, &args).unwrap();
        assert!(
            read(&folder, "ours.bin") == read(&folder, "again.bin"),
            "{name}"
        );
        let counted = polyglot(&folder, &["info-book", "-bin", "ours.bin"]).unwrap();
        assert!(
            counted.contains("Positions on lines for white"),
            "{counted}"
        );
    }
}

fn read(folder: &Scratch, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

/// Prints with python-chess every stored entry, then the moves of every position whose board is in the
/// rows.
const READ: &str = "
import csv, sys
import chess, chess.polyglot
with chess.polyglot.open_reader(sys.argv[1]) as reader:
    for entry in reader:
        print(entry.key, entry.raw_move, entry.weight, entry.learn)
    print('boards')
    boards = {}
    for row in csv.DictReader(open(sys.argv[2])):
        if row['fen']:
            boards.setdefault(row['fen'], []).append((row['move'], int(row['weight'])))
    differ = 0
    for fen, ours in boards.items():
        board = chess.Board(fen)
        # A king next to its rook castles as in our rows, by the king's two steps.
        theirs = [(entry.move.uci(), entry.weight) for entry in reader.find_all(board, minimum_weight=0)]
        if sorted(theirs) != sorted(ours):
            differ += 1
            print(fen, theirs, ours)
    print('compared', len(boards), 'differ', differ)
";

#[test]
fn python_chess_reads_the_same_entries() {
    let is_there = Command::new("python3")
        .args(["-c", "import chess.polyglot"])
        .output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        skip_without_peer("python_chess_reads_the_same_entries", "python-chess");
        return;
    }
    let folder = Scratch::new("book-python");
    for (name, games) in corpora(&folder, "python_chess_reads_the_same_entries") {
        let games = games.to_str().unwrap();
        tabia(
            &folder,
            &[
                "book",
                "build",
                games,
                "-o",
                "ours.bin",
                "-f",
                "-q",
                "--max-ply",
                "40",
            ],
        )
        .expect(0);
        let rows = tabia(&folder, &["book", "edit", "ours.bin", "--csv", "-q"])
            .expect(0)
            .out;
        std::fs::write(folder.join("rows.csv"), rows).unwrap();
        let script = folder.join("read.py");
        std::fs::write(&script, READ).unwrap();
        let output = Command::new("python3")
            .arg(&script)
            .args(["ours.bin", "rows.csv"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let printed = String::from_utf8(output.stdout).unwrap();
        let (entries, boards) = printed.split_once("boards\n").unwrap();
        assert_eq!(entries, entries_of(&folder.join("ours.bin")), "{name}");
        assert!(boards.ends_with("differ 0\n"), "{name}: {boards}");
        println!(
            "{name}: {} entries equal, {boards}",
            entries.lines().count()
        );
    }
}

/// jja, which looks pages up by their bounds, finds the same moves in a copy as in the original.
#[test]
fn jja_reads_a_copy_as_the_original() {
    let test = "jja_reads_a_copy_as_the_original";
    let Some(original) = shared_data(test, "books/ctg/perfect2021/Perfect2021.ctg") else {
        return;
    };
    let folder = Scratch::new("book-jja");
    let original = original.to_str().unwrap();
    tabia(
        &folder,
        &["book", "convert", original, "-o", "copy.ctg", "-q"],
    )
    .expect(0);
    for (book, out) in [(original, "theirs.bin"), ("copy.ctg", "ours.bin")] {
        let args = ["edit", book, "-o", out];
        let run = Command::new("jja")
            .args(args)
            .current_dir(folder.path())
            .output();
        if run.is_err() {
            skip_without_peer(test, "jja");
            return;
        }
    }
    let (theirs, ours) = (read(&folder, "theirs.bin"), read(&folder, "ours.bin"));
    assert!(theirs.len() > 1_000_000 && theirs == ours);
    println!("{} entries equal", ours.len() / 16);
}

/// The entries of a book as python-chess prints them.
fn entries_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let mut text = String::new();
    for entry in bytes.chunks(16) {
        let [key, bits, weight, learn] =
            [&entry[..8], &entry[8..10], &entry[10..12], &entry[12..]].map(number);
        let _ = writeln!(text, "{key} {bits} {weight} {learn}");
    }
    text
}
