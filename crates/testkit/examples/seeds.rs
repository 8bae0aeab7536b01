//! Writes inputs to begin with for fuzz targets, from real data: `seeds FOLDER TARGET...`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a tool of the tests"
)]

use std::path::PathBuf;

use tabia_testkit::fuzz::seeds::seeds;
use tabia_testkit::{shared, skip};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let Some(data) = shared().map(|shared| shared.join("data")) else {
        return skip("seeds");
    };
    for target in arguments {
        let target = target.to_string_lossy();
        let folder = folder.join(&*target);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let seeds = seeds(&target, &data);
        for (number, seed) in seeds.iter().enumerate() {
            let path = folder.join(format!("seed-{number}"));
            std::fs::write(path, seed).expect("the seed can be written");
        }
        println!("{target}: {} seeds from real data", seeds.len());
    }
}
