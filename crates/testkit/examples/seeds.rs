//! Writes the initial inputs of fuzz targets: `seeds FOLDER TARGET...`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a tool for the tests"
)]

use std::path::PathBuf;

use tabia_testkit::fuzz::seeds;
use tabia_testkit::shared;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let data = shared().map(|shared| shared.join("data"));
    if data.is_none() {
        println!("no shared data: only generated seeds");
    }
    for target in arguments {
        let target = target.to_string_lossy();
        let folder = folder.join(&*target);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let mut inputs = seeds::generated(&target);
        let generated = inputs.len();
        inputs.extend(data.iter().flat_map(|data| seeds::real(&target, data)));
        for (number, seed) in inputs.iter().enumerate() {
            let path = folder.join(format!("seed-{number}"));
            std::fs::write(path, seed).expect("the seed can be written");
        }
        println!(
            "{target}: {generated} generated seeds, {} from real data",
            inputs.len() - generated
        );
    }
}
