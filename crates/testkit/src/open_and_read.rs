//! Databases in tests: opened from bytes in memory, read to the end, compared with fixtures.

use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, Game, Want};
use tabia_core::games::Database;
use tabia_core::io::{Blob, Source};
use tabia_core::{GameFormat, GameIndex};

use crate::repository::repository;

/// Opens a database whose files, with their names, are in memory; the first is the main file.
pub fn open_files(
    format: &GameFormat,
    files: &[(String, Vec<u8>)],
    options: &OpenOptions,
) -> Result<Box<dyn Database>> {
    let main = &files[0].0;
    let members = files
        .iter()
        .map(|(name, bytes)| (name.clone(), Blob::from(bytes.clone())));
    let source = Source::from_members(main, main, members.collect())?;
    (format.open)(&source, options)
}

/// All games of a database, and the messages of the problems found while reading them.
pub fn read_games(database: &dyn Database) -> (Vec<Game>, Vec<String>) {
    let mut reader = database.reader();
    let mut games = Vec::new();
    let mut problems = Vec::new();
    for index in (0..database.len()).map(GameIndex) {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let flow = reader.read(index, Want::ALL, &mut recorder);
        assert_eq!(flow.unwrap(), Flow::Go);
        problems.extend(recorder.take_problems().iter().map(|p| p.error.to_string()));
        games.push(game);
    }
    (games, problems)
}

/// Compares a file with the fixture of that name in the folder of a format; writes the fixture instead
/// if `TABIA_UPDATE` is set.
pub fn assert_fixture(format: &GameFormat, name: &str, bytes: &[u8]) {
    let path = repository()
        .join("crates/formats/tests/fixtures")
        .join(format.file.id.as_str())
        .join(name);
    if std::env::var_os("TABIA_UPDATE").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    let fixture = std::fs::read(&path).unwrap();
    assert!(fixture == bytes, "{}", path.display());
}
