//! Formats by extension, and the games of a file.

use std::path::Path;

use tabia::core::formats::OpenOptions;
use tabia::core::game::{Flow, Game, Recorder, Want};
use tabia::core::io::Source;
use tabia::core::{GameFormat, GameIndex};
use tabia_formats::GAMES;

pub(crate) fn format(extension: &str) -> &'static GameFormat {
    let mut formats = GAMES.iter();
    formats
        .find(|format| format.file.extensions.contains(&extension))
        .unwrap()
}

/// All games of a file, whose extension names its format.
pub(crate) fn read(path: &Path) -> Vec<Game> {
    let extension = path.extension().unwrap().to_str().unwrap();
    let source = Source::from_path(path).unwrap();
    let open = format(extension).open;
    let database = open(&source, &OpenOptions::default()).unwrap();
    let mut reader = database.reader();
    let games = (0..database.len()).map(|number| {
        let mut recorder = Recorder::new();
        let flow = reader.read(GameIndex(number), Want::ALL, &mut recorder);
        assert_eq!(flow.unwrap(), Flow::Go);
        recorder.replace(Game::new())
    });
    games.collect()
}
