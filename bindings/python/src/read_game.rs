//! Reads one game of a database.

use std::sync::Arc;

use tabia::core::games::Database as OpenDatabase;
use tabia::{Error, GameIndex, InputItem, Recorder, Want};

use crate::game::Game;

/// What is wanted of a record, with its problems.
pub(crate) fn read_record(
    database: &dyn OpenDatabase,
    index: GameIndex,
    want: Want,
    item: &InputItem,
) -> Result<(tabia::Game, Vec<Error>), Error> {
    let mut recorder = Recorder::new();
    let read = database.reader().read(index, want, &mut recorder);
    let locate = |error: Error| error.in_game(index).in_file(item.label());
    let _ = read.map_err(locate)?;
    let problems = recorder.take_problems();
    let game = recorder.replace(tabia::Game::new());
    let located = problems.into_iter().map(|problem| locate(problem.error));
    Ok((game, located.collect()))
}

/// Reads a game with its problems.
pub(crate) fn read_game(
    database: &dyn OpenDatabase,
    index: GameIndex,
    item: &InputItem,
) -> Result<Game, Error> {
    let (game, problems) = read_record(database, index, Want::ALL, item)?;
    let source: Arc<str> = item.name().into();
    let mut game = Game::new(Box::new(game), Some(index.0), source);
    game.problems = problems;
    Ok(game)
}
