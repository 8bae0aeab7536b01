//! Writes inputs to begin with for fuzz targets, from real data: `seeds FOLDER TARGET...`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a tool of the tests"
)]

use std::path::PathBuf;

use tabia_testkit::fuzz::seeds;
use tabia_testkit::shared;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let data = shared().map(|shared| shared.join("data"));
    if data.is_none() {
        println!("no shared data: only seeds made here");
    }
    for target in arguments {
        let target = target.to_string_lossy();
        let folder = folder.join(&*target);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let mut inputs = seeds::own(&target);
        let own = inputs.len();
        inputs.extend(data.iter().flat_map(|data| seeds::real(&target, data)));
        for (number, seed) in inputs.iter().enumerate() {
            let path = folder.join(format!("seed-{number}"));
            std::fs::write(path, seed).expect("the seed can be written");
        }
        println!(
            "{target}: {own} seeds of our own, {} from real data",
            inputs.len() - own
        );
    }
}
