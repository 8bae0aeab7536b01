//! Reads one game of a database.

use tabia::core::games::Database as OpenDatabase;
use tabia::{Error, GameIndex, InputItem, Recorder, Want};

use crate::game::Game;

/// Reads a record with its problems.
pub(crate) fn read_game(
    database: &dyn OpenDatabase,
    index: GameIndex,
    item: &InputItem,
) -> Result<Game, Error> {
    let mut recorder = Recorder::new();
    let read = database.reader().read(index, Want::ALL, &mut recorder);
    let locate = |error: Error| error.in_game(index).in_file(item.label());
    let _ = read.map_err(locate)?;
    let problems = recorder.take_problems();
    let game = recorder.replace(tabia::Game::new());
    let mut game = Game::new(game, Some(index.0), item.name());
    game.problems = problems
        .into_iter()
        .map(|problem| locate(problem.error))
        .collect();
    Ok(game)
}
