//! The page of `tabia serve` in a browser, over twelve million games.

use std::path::PathBuf;

use super::{Bench, Contestant, text};
use crate::{Outcome, run_program};

/// How often the largest corpus is repeated.
const COPIES: usize = 35;
/// Games of `m100k` that are added, so that there are 11,964,285 with those of `m10k`.
const REST: &str = "1-1925";

/// `npm run measure` over the largest corpus many times over, and one three times over with a saved index.
pub(super) fn serve(bench: &Bench) -> Outcome {
    let large = large(bench)?;
    let indexed = copies(bench, "m1m", 3, &[])?;
    let build = ["index", text(&indexed)];
    Contestant::new("index", &bench.tabia, &build).run()?;
    let web = run_program::root().join("web");
    if !web.join("node_modules").is_dir() {
        run_program::program("npm")
            .args(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .folder(&web)
            .run()?;
    }
    run_program::program("npm")
        .args(&["run", "--silent", "measure", "--"])
        .arg(&large)
        .arg("Carlsen")
        .arg(&indexed)
        .env("TABIA", &bench.tabia)
        .folder(&web)
        .run()
}

/// 11,964,285 games in si5.
fn large(bench: &Bench) -> Result<PathBuf, String> {
    let rest = bench.cache.join("rest.si5");
    if !rest.exists() {
        let corpus = bench.corpus("m100k")?;
        let arguments = [
            "convert",
            text(&corpus),
            "-q",
            "--games",
            REST,
            "-o",
            text(&rest),
        ];
        Contestant::new("convert", &bench.tabia, &arguments).run()?;
    }
    copies(bench, "m12m", COPIES, &[bench.corpus("m10k")?, rest])
}

/// The largest corpus several times over in si5, and more.
fn copies(bench: &Bench, name: &str, count: usize, more: &[PathBuf]) -> Result<PathBuf, String> {
    let path = bench.cache.join(name).with_extension("si5");
    if path.exists() {
        return Ok(path);
    }
    let once = bench.cache.join("m340k.si5");
    if !once.exists() {
        let corpus = bench.corpus("m340k")?;
        let arguments = ["convert", text(&corpus), "-q", "-o", text(&once)];
        Contestant::new("convert", &bench.tabia, &arguments).run()?;
    }
    // A file is read once, however often it is named; links to it are files of their own.
    let folder = bench.cache.join("copies");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut inputs = Vec::new();
    for number in 0..count {
        for extension in ["si5", "sn5", "sg5"] {
            let link = folder.join(format!("{number:02}.{extension}"));
            if !link.exists() {
                let linked = std::fs::hard_link(once.with_extension(extension), &link);
                linked.map_err(|error| format!("{}: {error}", link.display()))?;
            }
        }
        inputs.push(folder.join(format!("{number:02}.si5")));
    }
    inputs.extend_from_slice(more);
    let inputs = inputs.iter().map(|input| text(input));
    let arguments: Vec<&str> = ["convert", "-q"]
        .into_iter()
        .chain(inputs)
        .chain(["-o", text(&path)])
        .collect();
    Contestant::new("convert", &bench.tabia, &arguments).run()?;
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(path)
}
