//! Scid databases against Scid.

use std::path::Path;

use super::{Bench, Contestant, large_database, text};
use crate::Outcome;

/// What Debian's Scid runs: its first argument is a database, the second a PGN file.
const SCID_IMPORT: &str = "\
set base [sc_base create [lindex $argv 0]]
sc_base import $base [lindex $argv 1]
sc_base close $base
";
const SCID_EXPORT: &str = "\
set base [sc_base open [lindex $argv 0]]
sc_base export filter PGN [lindex $argv 1] -comments 1 -variations 1
sc_base close $base
";

/// Debian's Scid is version 4, whose databases are si4. Scid 5 takes about as long for si5.
pub(super) fn scid(bench: &Bench) -> Outcome {
    let tkscid = Bench::debian_peer("scid")?.with_file_name("tkscid");
    let input = bench.corpus("m100k")?;
    let script = |name: &str, text: &str| {
        let path = bench.out(name);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok::<_, String>(path)
    };
    let import = script("import.tcl", SCID_IMPORT)?;
    let export = script("export.tcl", SCID_EXPORT)?;
    let removing = |contestant: Contestant, base: &Path, version: char| {
        let remove = |contestant: Contestant, kind: &str| {
            contestant.removing(&base.with_extension(format!("{kind}{version}")))
        };
        ["si", "sn", "sg"].into_iter().fold(contestant, remove)
    };
    let tabia = |from: &Path, to: &Path, threads: &str| {
        let [source, target] =
            [from, to].map(|path| path.extension().unwrap_or_default().to_string_lossy());
        let name = format!("tabia -j{threads}, {source} to {target}");
        let arguments = [
            "convert",
            text(from),
            "-o",
            text(to),
            "-f",
            "-q",
            "-j",
            threads,
        ];
        Contestant::new(&name, &bench.tabia, &arguments)
    };
    let (si4, si5) = (bench.out("ours.si4"), bench.out("ours.si5"));
    let theirs = bench.out("theirs");
    let peer_import = Contestant::new(
        "Scid 4.7 import to si4",
        &tkscid,
        &[text(&import), text(&theirs), text(&input)],
    );
    bench.compare(&[
        tabia(&input, &si5, "1"),
        tabia(&input, &si5, "2"),
        tabia(&input, &si4, "1"),
        removing(peer_import, &theirs, '4'),
    ])?;
    let (ours_pgn, theirs_pgn) = (bench.out("ours.pgn"), bench.out("theirs.pgn"));
    println!();
    bench.compare(&[
        tabia(&si5, &ours_pgn, "1"),
        tabia(&si5, &ours_pgn, "2"),
        tabia(&si4, &ours_pgn, "1"),
        Contestant::new(
            "Scid 4.7 export from si4",
            &tkscid,
            &[text(&export), text(&theirs), text(&theirs_pgn)],
        )
        .removing(&theirs_pgn),
    ])?;
    println!();
    let list = |name: &str, database: &Path| {
        Contestant::new(name, &bench.tabia, &["ls", "-j1", text(database)])
    };
    let cbh = large_database(bench)?;
    bench.compare(&[
        list("tabia ls, si5, 100,000 games", &si5),
        list("tabia ls, si4, 100,000 games", &si4),
        list("tabia ls, cbh, 122,340 games", &cbh),
    ])
}
