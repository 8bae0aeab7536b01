//! A row of one game has the marks that a list of its database shows.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use tabia::core::formats::{CreateOptions, OpenOptions};
use tabia::core::game::GameResult;
use tabia::core::io::Source;
use tabia::core::{GameFormat, GameIndex};
use tabia_formats::GAMES;
use tabia_testkit::Scratch;
use tabia_testkit::tiny::GameBuilder;

#[test]
fn empty_comments_are_marked_as_the_index_states() {
    let scratch = Scratch::new("marks");
    let games = ["", "text"].map(|text| {
        let game = GameBuilder::new().moves("e4").comment(text);
        game.result(GameResult::Unknown)
    });
    for extension in ["si3", "si4", "si5", "sci", "cbh", "2cbh", "pgn"] {
        let path = scratch.join(format!("a.{extension}"));
        let mut formats = GAMES.iter();
        let is_named = |format: &&&GameFormat| format.file.extensions.contains(&extension);
        let format = formats.find(is_named).unwrap();
        if let Some(create) = format.create {
            let mut writer = create(&path, &CreateOptions::default()).unwrap();
            for game in &games {
                writer.write(game).unwrap();
            }
            writer.finish().unwrap();
        } else {
            std::fs::write(&path, "1. e4 {} *\n\n1. e4 {text} *\n").unwrap();
        }
        let source = Source::from_path(&path).unwrap();
        let database = (format.open)(&source, &OpenOptions::default()).unwrap();
        let mut reader = database.reader();
        for index in [0, 1].map(GameIndex) {
            let stated = database.entry(index).unwrap().has_comments;
            let row = tabia::list::row(&*database, &mut *reader, index).unwrap();
            let expected = stated.unwrap_or(true);
            assert_eq!(row.flags.comments, expected, "{extension}, game {index}");
        }
    }
}
