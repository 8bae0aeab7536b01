//! One game as PGN.

use tabia::Failure;
use tabia::core::formats::CreateOptions;
use tabia::core::game::{Game, Want};
use tabia::core::{Error, ErrorKind, GameIndex};

use crate::context::{Context, find_format};

/// The PGN of a game, as `options` profile and wrap it.
pub(crate) fn pgn(
    context: &Context,
    options: &CreateOptions,
    index: GameIndex,
    game: &Game,
) -> Result<Vec<u8>, Failure> {
    let format = find_format(&context.resolver, "pgn")?;
    let Some(create) = format.games().and_then(|format| format.create_text) else {
        let text = format!("{} cannot be written", format.name());
        return Err(Failure::Output(Error::new(ErrorKind::Unsupported(text))));
    };
    let mut writer = create(options).map_err(Failure::output)?;
    // The writer never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut *writer);
    Ok(std::mem::take(writer.text()))
}
