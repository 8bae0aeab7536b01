//! One game as a text: [`game_of_pgn`] and [`pgn_of_game`].

use std::io::Cursor;
use std::path::Path;

use tabia_core::formats::CreateOptions;
use tabia_core::game::{Game, Want};
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex};
use tabia_formats::Format;

use crate::open::{Input, format};
use crate::read_options::ReadOptions;

pub(crate) fn pgn() -> Result<Format, Error> {
    format("pgn").ok_or_else(|| Error::unsupported("PGN is not built in"))
}

/// The first game of a PGN text, with its variations and annotations. Tags are not required: `"1. e4 e5"` is a game.
///
/// # Errors
/// If the text has no game, or something in it cannot be read: the game then has no move from there on, which
/// [`open_reader`](crate::open_reader) would accept.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// let game = tabia::game_of_pgn("1. e4 e5 2. Nf3 {Attacks e5.} *")?;
/// for (position, ply) in game.mainline().with_positions() {
///     println!("{} {} {}", position.fen(), position.san(ply), position.uci(ply));
/// }
/// assert_eq!(game.ply_count(), 3);
/// assert!(tabia::game_of_pgn("1. e4 Ke4").is_err());
/// # Ok(())
/// # }
/// ```
pub fn game_of_pgn(text: &str) -> Result<Game, Error> {
    let mut options = ReadOptions {
        from: Some(pgn()?),
        ..ReadOptions::default()
    };
    options.open.strict = true;
    let resolver = options.resolver();
    let text = Cursor::new(text.as_bytes().to_vec());
    let item = resolver.stream(Path::new("-"), Box::new(text))?;
    let mut games = Input::of_item(item, resolver, options).games();
    games
        .next()
        .unwrap_or_else(|| Err(Error::invalid("no game in this text")))
}

/// A game as PGN: the tags, a blank line, the moves with variations and annotations, and a blank line at the end.
///
/// The result is that of [`Game::result`], whatever a tag `Result` states, and the start position that of
/// [`GameHead::start`](crate::GameHead::start), whatever a tag `FEN` states. What PGN cannot hold is left out;
/// [`pgn_and_losses`] counts it, and the profile [`Full`](crate::Profile::Full) of [`pgn_with`] keeps it.
///
/// # Errors
/// If a move cannot be played where it is: no program could read what follows it. The feature `writers` is not needed.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// let mut game = tabia::game_of_pgn("1. e4 e5 *")?;
/// game.head.tags.set("White", "Morphy, Paul");
/// let pgn = tabia::pgn_of_game(&game)?;
/// assert!(pgn.contains("[White \"Morphy, Paul\"]\n"));
/// assert!(pgn.ends_with("\n\n1. e4 e5 *\n\n"));
/// # Ok(())
/// # }
/// ```
pub fn pgn_of_game(game: &Game) -> Result<String, Error> {
    let pgn = pgn_with(game, GameIndex(0), &CreateOptions::default())?;
    // Without a choice of another character set it is UTF-8.
    Ok(String::from_utf8_lossy(&pgn).into_owned())
}

/// As [`pgn_of_game`], in the [profile](crate::Profile) and character set of the options; `index` is the number of the game in
/// its database.
///
/// # Errors
/// As [`pgn_of_game`], and if it cannot be written with these options.
///
/// ```
/// use tabia::{CreateOptions, GameIndex, Profile};
///
/// # fn main() -> Result<(), tabia::Error> {
/// let game = tabia::game_of_pgn("1. e4 {A comment} e5 *")?;
/// let mut options = CreateOptions::default();
/// options.profile = Profile::Seven;
/// let pgn = tabia::pgn_with(&game, GameIndex(0), &options)?;
/// assert!(pgn.ends_with(b"1. e4 e5 *\n\n"));
/// # Ok(())
/// # }
/// ```
pub fn pgn_with(game: &Game, index: GameIndex, options: &CreateOptions) -> Result<Vec<u8>, Error> {
    pgn_and_losses(game, index, options).map(|(text, _)| text)
}

/// As [`pgn_with`], with what PGN cannot hold of the game in these options.
///
/// # Errors
/// As [`pgn_with`].
///
/// ```
/// use tabia::{CreateOptions, GameIndex, Profile};
///
/// # fn main() -> Result<(), tabia::Error> {
/// let game = tabia::game_of_pgn("1. e4 {A comment} e5 *")?;
/// let mut options = CreateOptions::default();
/// options.profile = Profile::Seven;
/// let (pgn, losses) = tabia::pgn_and_losses(&game, GameIndex(0), &options)?;
/// assert!(pgn.ends_with(b"1. e4 e5 *\n\n"));
/// assert_eq!(losses.to_string(), "1 comment");
/// # Ok(())
/// # }
/// ```
pub fn pgn_and_losses(
    game: &Game,
    index: GameIndex,
    options: &CreateOptions,
) -> Result<(Vec<u8>, Losses), Error> {
    game.check_moves().map_err(Error::in_output)?;
    let game = game.with_current_tags();
    let format = pgn()?;
    let Some(create) = format.games().and_then(|format| format.create_text) else {
        let text = format!("{} cannot be written", format.name());
        return Err(Error::unsupported(text).in_output());
    };
    let mut writer = create(options).map_err(Error::in_output)?;
    // The writer never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut *writer);
    let text = std::mem::take(writer.text());
    Ok((text, writer.take_losses()))
}
