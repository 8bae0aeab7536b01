//! Searching, the saved index, duplicates and openings on a million games.

use std::path::{Path, PathBuf};

use super::{Bench, Contestant, own, text};
use crate::{Outcome, run_program};

const NAJDORF: &str = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
const MIDDLEGAME: &str = "4rrk1/1bp2pp1/p6p/1p1P4/3Qq3/2PN4/PP4PP/R4RK1 w - - 0 21";
const ENDING: &str = "8/5pk1/2R4p/1p6/p1b1R2P/P1P1K2r/8/8 w - - 11 56";

/// Scid's search for the position of its second argument.
const SCID_POSITION: &str = "\
proc ::progressCallBack {args} {}
set base [sc_base open [lindex $argv 0]]
sc_base switch $base
sc_game new
sc_game startBoard [lindex $argv 1]
sc_search board 2 E 0 0
sc_base close $base
";
/// Scid opens a database and does nothing with it.
const SCID_OPEN: &str = "\
proc ::progressCallBack {args} {}
sc_base close [sc_base open [lindex $argv 0]]
";

/// Queries that are asked without and with a saved index.
const QUERIES: [(&str, &str); 8] = [
    ("material", "mat:KRPKR"),
    ("material on ten positions", "mat:KRPKR for:10"),
    ("imbalance", "imb:MvR"),
    ("pawns at every position", "pawns:iqp"),
    ("men at every position", "on:Nf5 on:pg7 on:kg8"),
    ("moves at every position", "by:white move:Bxh7+"),
    ("steps", "takes:Q => takes:Q -> within:6 is:check"),
    ("ratings", "elo:>=2700"),
];

/// A database of a million games in three formats.
struct Million {
    pgn: PathBuf,
    si4: PathBuf,
    cbh: PathBuf,
}

impl Million {
    /// Three times the largest corpus, made once.
    fn new(bench: &Bench) -> Result<Self, String> {
        let named = |name: &str| bench.cache.join(name);
        let million = Self {
            pgn: named("m1m.pgn"),
            si4: named("m1m.si4"),
            cbh: named("m1m.cbh"),
        };
        if !million.pgn.exists() {
            let corpus = std::fs::read(bench.corpus("m340k")?);
            let corpus = corpus.map_err(|error| error.to_string())?;
            let written = std::fs::write(&million.pgn, corpus.repeat(3));
            written.map_err(|error| error.to_string())?;
        }
        for database in [&million.si4, &million.cbh] {
            if !database.exists() {
                let arguments = ["convert", text(&million.pgn), "-q", "-o", text(database)];
                Contestant::new("convert", &bench.tabia, &arguments).run()?;
            }
        }
        Ok(million)
    }
}

/// Every line of the table of searches, one thread unless stated.
pub(super) fn search(bench: &Bench) -> Outcome {
    let million = Million::new(bench)?;
    let ours = |name: &str, arguments: &[&str]| Contestant::new(name, &bench.tabia, arguments);
    let count = |name: &str, database: &Path, query: &str, index: &str| {
        let arguments = [
            "search",
            text(database),
            query,
            "--count",
            "-j1",
            "--index",
            index,
        ];
        Contestant::new(name, &bench.tabia, &arguments)
    };
    positions_without_an_index(bench, &million, &count)?;

    println!("\nbuilding the index from si4\n");
    let index = million.si4.with_extension("si4.tidx");
    let build = |threads: &str| {
        let arguments = ["index", text(&million.si4), threads];
        ours(&format!("tabia index {threads}"), &arguments).removing(&index)
    };
    bench.compare(&[build("-j1"), build("-j2")])?;
    for database in [&million.si4, &million.pgn] {
        ours("tabia index", &["index", text(database)]).run()?;
    }
    let program = run_program::program(&bench.tabia);
    let program = program.arg("index").arg(&million.si4);
    program.args(&["--sections", "--table"]).run()?;

    for (name, query) in QUERIES {
        println!("\n{name}: `{query}`\n");
        bench.compare(&[
            count("si4 without an index", &million.si4, query, "never"),
            count("si4 with an index", &million.si4, query, "auto"),
            count("PGN with an index", &million.pgn, query, "auto"),
        ])?;
    }
    println!("\npositions with an index\n");
    let fen = |position: &str| format!("fen:{}", position.replace(' ', "_"));
    bench.compare(&[
        count("Najdorf, si4", &million.si4, &fen(NAJDORF), "auto"),
        count("Najdorf, PGN", &million.pgn, &fen(NAJDORF), "auto"),
        ours(
            "tree of it",
            &["tree", text(&million.si4), "--fen", NAJDORF],
        ),
        ours(
            "tree of it, PGN",
            &["tree", text(&million.pgn), "--fen", NAJDORF],
        ),
    ])?;
    own(&["explorer", text(&million.si4)])?;

    println!("\nopenings and duplicates\n");
    let small = bench.corpus("m100k")?;
    bench.compare(&[
        ours("eco, si4", &["eco", text(&million.si4), "-j1"]),
        ours(
            "dedupe, si4",
            &["dedupe", text(&million.si4), "--dry-run", "-j1"],
        ),
        ours(
            "dedupe, 100,000 games of PGN",
            &["dedupe", text(&small), "--dry-run", "-j1"],
        ),
    ])
}

/// Positions in si4, ChessBase and PGN without an index, compared with Scid and pgn-extract.
fn positions_without_an_index(
    bench: &Bench,
    million: &Million,
    count: &dyn Fn(&str, &Path, &str, &str) -> Contestant,
) -> Outcome {
    let tkscid = Bench::debian_peer("scid")?.with_file_name("tkscid");
    let pgn_extract = Bench::debian_peer("pgn-extract")?;
    let script = |name: &str, script: &str| {
        let path = bench.out(name);
        let written = std::fs::write(&path, script);
        written.map(|()| path).map_err(|error| error.to_string())
    };
    let (search, open) = (
        script("position.tcl", SCID_POSITION)?,
        script("open.tcl", SCID_OPEN)?,
    );
    let base = million.si4.with_extension("");
    for (name, position) in [
        ("Najdorf", NAJDORF),
        ("middlegame", MIDDLEGAME),
        ("ending", ENDING),
    ] {
        println!("\n{name} without an index\n");
        let query = format!("fen:{}", position.replace(' ', "_"));
        bench.compare(&[
            count("tabia, si4", &million.si4, &query, "never"),
            count("tabia, ChessBase", &million.cbh, &query, "never"),
            count("tabia, PGN", &million.pgn, &query, "never"),
            Contestant::new(
                "Scid 4.7, si4",
                &tkscid,
                &[text(&search), text(&base), position],
            ),
            Contestant::new(
                "of it start and opening",
                &tkscid,
                &[text(&open), text(&base)],
            ),
        ])?;
    }
    println!("\nNajdorf in 100,000 games of PGN\n");
    let small = bench.corpus("m100k")?;
    let query = format!("fen:{}", NAJDORF.replace(' ', "_"));
    bench.compare(&[
        count("tabia, PGN", &small, &query, "never"),
        Contestant::new(
            "pgn-extract",
            &pgn_extract,
            &[
                "-s",
                &format!("-Tf{NAJDORF}"),
                "--output",
                "/dev/null",
                text(&small),
            ],
        ),
    ])
}
