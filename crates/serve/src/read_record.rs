//! One record of a database, read whole.

use tabia::{Game, GameIndex, Recorder, Want};

use crate::opened_input::OpenedInput;
use crate::problem::Problem;
use crate::problem_codes::Code;

/// The game with a number from 1, and what was wrong with it.
pub(crate) fn read_game(
    opened: &OpenedInput,
    number: u32,
) -> Result<(GameIndex, Game, Vec<Problem>), Problem> {
    let database = opened
        .database()
        .ok_or_else(|| Problem::bad_request("a book has no games"))?;
    let index = number
        .checked_sub(1)
        .filter(|index| *index < database.len())
        .map(GameIndex)
        .ok_or_else(|| {
            let records = database.len();
            let text = format!("there is no game {number}; the last one is {records}");
            Problem::not_found(text).coded(Code::NoGame, &[("game", &number), ("last", &records)])
        })?;
    let mut recorder = Recorder::new();
    // The recorder never stops a reader.
    let _ = database.reader().read(index, Want::ALL, &mut recorder)?;
    let problems = recorder.take_problems();
    let problems = problems
        .into_iter()
        .map(|problem| Problem::from(problem.error));
    let problems = problems.collect();
    Ok((index, recorder.game().clone(), problems))
}
