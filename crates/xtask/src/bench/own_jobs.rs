//! Jobs of tabia compared with other jobs of tabia.

use std::path::{Path, PathBuf};

use super::{Bench, Contestant, text};
use crate::{Outcome, run_program};

/// Games of `m100k`.
const GAMES: f64 = 100_000.0;

/// `convert` on one thread.
fn convert(bench: &Bench, name: &str, from: &Path, to: &Path) -> Contestant {
    let arguments = ["convert", text(from), "-o", text(to), "-q", "-j1", "-f"];
    Contestant::new(name, &bench.tabia, &arguments)
}

/// `m100k` in another format, in the cache.
pub(super) fn converted(bench: &Bench, extension: &str) -> Result<PathBuf, String> {
    let path = bench.cache.join("m100k").with_extension(extension);
    if !path.exists() {
        convert(bench, "", &bench.corpus("m100k")?, &path).run()?;
    }
    Ok(path)
}

/// Searches by tags that find nothing, compared with pgn-extract's; megabytes a second.
pub(super) fn tag_search(bench: &Bench) -> Outcome {
    let peer = Bench::debian_peer("pgn-extract")?;
    let input = bench.corpus("m100k")?;
    let out = bench.out("none.pgn");
    let searched = ["--where", "date:1700"];
    let arguments = ["ls", "-j1", text(&input), searched[0], searched[1]];
    let mut listed = Contestant::new("ls --where date:1700", &bench.tabia, &arguments);
    let mut written = convert(bench, "convert --where date:1700", &input, &out);
    written.arguments.extend(searched.map(str::to_owned));
    // No game is found, which is exit code 1.
    listed.may_find_nothing = true;
    written.may_find_nothing = true;
    let arguments = ["-s", "-Tpzzzz", "-o", text(&out), text(&input)];
    let theirs = Contestant::new("pgn-extract -Tpzzzz", &peer, &arguments);
    let costs = bench.compare_costs(&[listed, written, theirs])?;
    let bytes = input.metadata().map_err(|error| error.to_string())?.len();
    println!();
    for (name, cpu) in ["ls", "convert", "pgn-extract"].iter().zip(costs) {
        println!("{name}: {:.0} MB/s", bytes as f64 / 1e6 / cpu);
    }
    Ok(())
}

/// The files of a ChessBase database.
const CHESSBASE_FILES: [&str; 13] = [
    "cbh", "cba", "cbc", "cbe", "cbg", "cbj", "cbl", "cbm", "cbp", "cbs", "cbt", "cbtt", "ini",
];

/// PGN to formats whose records are encoded, compared with si5.
pub(super) fn encode(bench: &Bench) -> Outcome {
    let input = bench.corpus("m100k")?;
    let contestant = |target: &str, parts: &[&str]| {
        let out = bench.out("encoded").with_extension(target);
        let contestant = convert(bench, &format!("PGN to {target}"), &input, &out);
        parts.iter().fold(contestant, |contestant, part| {
            contestant.removing(&out.with_extension(part))
        })
    };
    bench.compare(&[
        contestant("si5", &["si5", "sn5", "sg5"]),
        contestant("sci", &["sci", "scn", "scg"]),
        contestant("cbh", &CHESSBASE_FILES),
    ])
}

/// Books of 30 plies in every format, compared with Polyglot's.
pub(super) fn book_kinds(bench: &Bench) -> Outcome {
    let input = bench.corpus("m100k")?;
    let build = |kind: &str| {
        let out = bench.out("kinds").with_extension(kind);
        let arguments = [
            "book",
            "build",
            text(&input),
            "-o",
            text(&out),
            "--max-ply",
            "30",
            "--no-record",
            "-j1",
            "-q",
            "-f",
        ];
        Contestant::new(kind, &bench.tabia, &arguments)
    };
    bench.compare(&["bin", "abk", "kob", "ctg"].map(build))
}

/// `book info`, compared with converting the same book.
pub(super) fn book_info(bench: &Bench) -> Outcome {
    let book = bench.data.join("books/ctg/perfect2021/Perfect2021.ctg");
    let out = bench.out("info.bin");
    let arguments = ["book", "convert", text(&book), "-o", text(&out), "-q"];
    bench.compare(&[
        Contestant::new("book convert", &bench.tabia, &arguments).removing(&out),
        Contestant::new("book info", &bench.tabia, &["book", "info", text(&book)]),
    ])
}

/// Packing a CBV archive, in megabytes a second.
pub(super) fn archive_create(bench: &Bench) -> Outcome {
    let database = converted(bench, "cbh")?;
    let archive = bench.out("created.cbv");
    let arguments = ["archive", "create", text(&archive), text(&database), "-q"];
    let create = Contestant::new("archive create", &bench.tabia, &arguments).removing(&archive);
    let costs = bench.compare_costs(&[create])?;
    let folder = database.parent().ok_or("no folder")?;
    let files = run_program::files(folder, &[""])?;
    let own = files
        .iter()
        .filter(|file| file.file_stem() == database.file_stem())
        .filter(|file| file.extension().is_some_and(is_chessbase));
    let bytes: u64 = own
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum();
    let megabytes = bytes as f64 / 1e6;
    for cpu in costs {
        println!("\n{megabytes:.0} MB, {:.0} MB/s", megabytes / cpu);
    }
    Ok(())
}

fn is_chessbase(extension: &std::ffi::OsStr) -> bool {
    extension.to_string_lossy().starts_with("cb")
}

/// Rows of all games, in microseconds a game.
pub(super) fn list(bench: &Bench) -> Outcome {
    let mut contestants = Vec::new();
    let kinds = ["si5", "si4", "sci", "cbh"];
    for kind in kinds {
        let database = converted(bench, kind)?;
        let arguments = ["ls", "-j1", "--tsv", text(&database)];
        let name = format!("ls of {kind}");
        contestants.push(Contestant::new(&name, &bench.tabia, &arguments));
    }
    let costs = bench.compare_costs(&contestants)?;
    println!();
    for (kind, cpu) in kinds.iter().zip(costs) {
        println!("{kind}: {:.2} µs a game", cpu * 1e6 / GAMES);
    }
    Ok(())
}
