//! One game as PGN.

use tabia::core::formats::CreateOptions;
use tabia::core::game::{Game, Want};
use tabia::{Error, ErrorKind, GameIndex};

use crate::context::Context;
use crate::format_arg::find_format;

/// The PGN of a game, as `options` profile and wrap it.
pub(crate) fn pgn(
    context: &Context,
    options: &CreateOptions,
    index: GameIndex,
    game: &Game,
) -> Result<Vec<u8>, Error> {
    let format = find_format(&context.resolver, "pgn")?;
    let Some(create) = format.games().and_then(|format| format.create_text) else {
        let text = format!("{} cannot be written", format.name());
        return Err(Error::new(ErrorKind::Unsupported(text)).in_output());
    };
    let mut writer = create(options).map_err(Error::in_output)?;
    // The writer never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut *writer);
    Ok(std::mem::take(writer.text()))
}
