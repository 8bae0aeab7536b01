//! Building and merging books against polyglot.

use std::path::Path;
use std::process::Command;

use super::{Bench, Contestant, own, text};
use crate::Outcome;

pub(super) fn hundred_thousand(bench: &Bench) -> Outcome {
    build_against_polyglot(bench, &bench.corpus("m100k")?)
}

pub(super) fn million(bench: &Bench) -> Outcome {
    let million = bench.cache.join("million.pgn");
    if !million.exists() {
        // polyglot ends at the first text that is no game, which `convert` leaves out.
        let part = bench.corpus("m340k")?;
        let part = text(&part);
        let status = Command::new(&bench.tabia)
            .args(["convert", part, part, part, "-o", text(&million)])
            .args(["--profile", "seven", "-q"])
            .status()
            .map_err(|error| error.to_string())?;
        if !million.exists() {
            return Err(format!("no million games: {status}"));
        }
    }
    build_against_polyglot(bench, &million)
}

pub(super) fn merge(bench: &Bench) -> Outcome {
    let peer = Bench::debian_peer("polyglot")?;
    let input = bench.corpus("m100k")?;
    let mut parts = Vec::new();
    for (name, ply) in [("part-a.bin", "60"), ("part-b.bin", "40")] {
        let part = bench.out(name);
        let status = Command::new(&bench.tabia)
            .args(["book", "build", text(&input), "-o", text(&part), "--force"])
            .args(["-q", "--no-record", "--min-games", "1", "--max-ply", ply])
            .status()
            .map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("{name}: {status}"));
        }
        parts.push(part);
    }
    let (a, b) = (text(&parts[0]), text(&parts[1]));
    let (ours, theirs) = (bench.out("ours.bin"), bench.out("theirs.bin"));
    bench.compare(&[
        Contestant::new(
            "tabia",
            &bench.tabia,
            &["book", "merge", a, b, "-o", text(&ours)],
        )
        .removing(&ours),
        Contestant::new(
            "polyglot 2.0.4",
            &peer,
            &["merge-book", "-in1", a, "-in2", b, "-out", text(&theirs)],
        )
        .removing(&theirs),
    ])
}

pub(super) fn ctg(bench: &Bench) -> Outcome {
    let input = bench.data.join("books/ctg/perfect2021/Perfect2021.ctg");
    let (ours, theirs) = (bench.out("ours.bin"), bench.out("theirs.bin"));
    let arguments = ["book", "convert", text(&input), "-o", text(&ours), "-q"];
    let mut contestants = vec![Contestant::new("tabia", &bench.tabia, &arguments).removing(&ours)];
    let jja = bench.installed("jja");
    if let Some(jja) = &jja {
        // With moves of weight 0, as ours has them.
        let arguments = ["edit", "--null", text(&input), "-o", text(&theirs)];
        contestants.push(Contestant::new("jja", jja, &arguments).removing(&theirs));
    } else {
        println!("jja is neither in target/peers/bin nor on the path\n");
    }
    bench.compare(&contestants)?;
    for (name, book) in [("tabia", &ours), ("jja", &theirs)] {
        if name == "tabia" || jja.is_some() {
            let bytes = std::fs::metadata(book).map_err(|error| error.to_string())?;
            println!("\n{name}: {} moves", bytes.len() / 16);
        }
    }
    Ok(())
}

/// The real books, and books of 100,000 games that are large in every format.
pub(super) fn probe(bench: &Bench) -> Outcome {
    let input = bench.corpus("m100k")?;
    let books = bench.data.join("books");
    let real = [
        "polyglot/komodo.bin",
        "ctg/perfect2021/Perfect2021.ctg",
        "abk/Perfect2021.abk",
        "made/kv400_0.kob",
    ];
    let mut all: Vec<_> = real.iter().map(|name| books.join(name)).collect();
    for (target, main, plies) in [
        ("large.bin", "large.bin", "90"),
        ("large.ctg", "large.ctg", "30"),
        ("large.abk", "large.abk", "24"),
        ("large.kob", "large_0.kob", "60"),
    ] {
        let main = bench.out(main);
        if !main.exists() {
            let target = bench.out(target);
            let status = Command::new(&bench.tabia)
                .args([
                    "book",
                    "build",
                    text(&input),
                    "-o",
                    text(&target),
                    "--force",
                ])
                .args(["-q", "--no-record", "--min-games", "1", "--max-ply", plies])
                .status()
                .map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{}: {status}", target.display()));
            }
        }
        all.push(main);
    }
    for book in &all {
        own(&["book", text(book), &bench.rounds.to_string()])?;
    }
    Ok(())
}

/// The same book by both programs; the bytes must be the same.
fn build_against_polyglot(bench: &Bench, input: &Path) -> Outcome {
    let peer = Bench::debian_peer("polyglot")?;
    let (ours, same, theirs) = (
        bench.out("ours.bin"),
        bench.out("same.bin"),
        bench.out("theirs.bin"),
    );
    let tabia = |name: &str, out: &Path, more: &[&str]| {
        let mut arguments = vec!["book", "build", text(input), "-o", text(out), "--no-record"];
        arguments.extend_from_slice(more);
        Contestant::new(name, &bench.tabia, &arguments).removing(out)
    };
    let mut contestants = vec![
        tabia("tabia, two threads", &ours, &["-j2"]),
        tabia("tabia, one thread", &ours, &["-j1"]),
        tabia(
            "tabia --compat polyglot, two threads",
            &same,
            &["-j2", "--compat", "polyglot"],
        ),
        Contestant::new(
            "polyglot 2.0.4",
            &peer,
            &["make-book", "-pgn", text(input), "-bin", text(&theirs)],
        )
        .removing(&theirs),
    ];
    if let Some(chess_db) = bench.installed("chess_db") {
        // An entry a position and move of all games; the book is written to the same folder.
        let book = input.with_extension("bin");
        let arguments = ["book", text(input)];
        contestants.push(Contestant::new("chess_db", &chess_db, &arguments).removing(&book));
    } else {
        println!("chess_db is neither in target/peers/bin nor on the path\n");
    }
    bench.compare(&contestants)?;
    let bytes = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    if bytes(&same)? == bytes(&theirs)? {
        println!("\nthe books of `--compat polyglot` and polyglot are equal, byte for byte");
        Ok(())
    } else {
        Err("the books differ".to_owned())
    }
}
