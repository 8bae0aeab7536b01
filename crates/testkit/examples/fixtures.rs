//! Writes the fixtures that are made by the writers of tabia: `fixtures FOLDER`, where the folder is
//! `crates/formats/tests/fixtures`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a tool for the tests"
)]

use std::path::PathBuf;

use tabia_core::formats::CreateOptions;
use tabia_formats::GAMES;
use tabia_testkit::tiny;

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("a folder"));
    let mut games = tiny::games();
    games.push(tiny::annotated());
    for format in GAMES {
        let Some(create) = format.create else {
            continue;
        };
        let folder = folder.join(format.file.id.as_str());
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let path = folder.join(format!("tiny.{}", format.file.extensions[0]));
        let mut options = CreateOptions::default();
        options.force = true;
        let mut writer = create(&path, &options).expect("the target can be made");
        for game in &games {
            writer.write(game).expect("the game can be written");
        }
        let written = writer.finish().expect("the target can be completed");
        println!("{}: {} files", path.display(), written.files.len());
    }
}
