//! Games that a book links to.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use tabia_core::books::{Book, BookPosition, GameLink, LinkedGame};
use tabia_core::chess::Position;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Flow, Game, Recorder, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};

use super::walk::walk;
use crate::observer::NoObserver;
use crate::read_one;
use crate::resolve::Resolver;

/// Largest number of games listed for one position.
const MAX_LISTED: usize = 100;

/// The games that a position of a book links to, as far as the book describes them: those that end in
/// the position, then the sample game. At most 100.
///
/// # Errors
/// Those of the book.
pub fn games_of_position(book: &dyn Book, page: &BookPosition) -> Result<Vec<LinkedGame>> {
    let sample = page
        .sample_game
        .filter(|link| !page.games_ending_here.contains(link));
    let mut games = Vec::new();
    let links = page.games_ending_here.iter().copied().chain(sample);
    for link in links.take(MAX_LISTED) {
        games.extend(book.linked_game(link)?);
    }
    Ok(games)
}

/// Calls `visit` with each game to which a book links in the position and those reachable from it in
/// the book, once. A game may have come there by other moves. Returns the number of links.
///
/// # Errors
/// Those of the book and of `visit`.
pub fn for_each_linked_game(
    book: &dyn Book,
    start: &Position,
    progress: &Progress,
    visit: &mut dyn FnMut(&LinkedGame) -> Result<()>,
) -> Result<u64> {
    let mut seen: BTreeSet<GameLink> = BTreeSet::new();
    walk(
        book,
        std::slice::from_ref(start),
        0,
        progress,
        &mut |_, _, page| {
            for &link in page.games_ending_here.iter().chain(&page.sample_game) {
                if seen.insert(link)
                    && let Some(game) = book.linked_game(link)?
                {
                    visit(&game)?;
                }
            }
            Ok(Flow::Go)
        },
    )?;
    Ok(seen.len() as u64)
}

/// The game, read from its source; `None` if the source is not a file or does not contain the game: a game
/// of other players is another one.
///
/// # Errors
/// If the source cannot be opened or read.
pub fn load(
    linked: &LinkedGame,
    resolver: &Resolver,
    options: &OpenOptions,
) -> Result<Option<Game>> {
    let found = load_with_text(linked, resolver, options)?;
    Ok(found.map(|found| found.game))
}

/// A linked game as its source has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FoundGame {
    /// The game.
    pub game: Game,
    /// Its bytes in the source, if that is a text in which the book states where the game is.
    pub text: Option<Vec<u8>>,
}

/// As [`load`], with the bytes of a game of a text.
///
/// # Errors
/// As of [`load`].
pub fn load_with_text(
    linked: &LinkedGame,
    resolver: &Resolver,
    options: &OpenOptions,
) -> Result<Option<FoundGame>> {
    let Some(path) = &linked.path else {
        return Ok(None);
    };
    let items = resolver.resolve(path.as_os_str())?;
    let [item] = items.as_slice() else {
        return Ok(None);
    };
    if let Some(index) = linked.index {
        let progress = Arc::new(Progress::default());
        let found = read_one::load(item, GameIndex(index), options, &progress, &mut NoObserver)?;
        let found = found.filter(|game| has_players_of(game, linked));
        return Ok(found.map(|game| FoundGame { game, text: None }));
    }
    let Some(open) = item.format().games().and_then(|format| format.open_stream) else {
        return Ok(None);
    };
    let Some(text) = text_of(linked, &options.limits)? else {
        return Ok(None);
    };
    let mut stream = open(Box::new(Cursor::new(text.clone())), options)?;
    let mut recorder = Recorder::new();
    let found = stream
        .next(Want::ALL, &mut recorder)
        .map_err(|error| error.in_path(path))?;
    let game = found.map(|_| recorder.replace(Game::new()));
    let game = game.filter(|game| has_players_of(game, linked));
    Ok(game.map(|game| FoundGame {
        game,
        text: Some(text),
    }))
}

/// Whether the players of a game are those that the book names.
fn has_players_of(game: &Game, linked: &LinkedGame) -> bool {
    let name = |tag| game.head.tags.get(tag).unwrap_or_default();
    is_same_name(name("White"), &linked.white) && is_same_name(name("Black"), &linked.black)
}

/// Whether two names are the same up to characters that the character set of a book lacks, or that were decoded with
/// another one: letters beyond ASCII may be any characters, or none.
fn is_same_name(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> Vec<char> {
        let ascii = name.chars().filter(char::is_ascii_alphanumeric);
        ascii.map(|c| c.to_ascii_lowercase()).collect()
    };
    let beyond_ascii = |name: &str| name.chars().filter(|c| !c.is_ascii()).count();
    let (mut short, mut long) = (letters(a), letters(b));
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    if long.len() - short.len() > beyond_ascii(a).max(beyond_ascii(b)) {
        return false;
    }
    let mut rest = long.iter();
    short.iter().all(|c| rest.any(|other| other == c))
}

/// The text of a linked game in its source; `None` if the book does not state where in it the game is.
fn text_of(game: &LinkedGame, limits: &Limits) -> Result<Option<Vec<u8>>> {
    let (Some(path), Some(offset), Some(length)) = (&game.path, game.offset, game.length) else {
        return Ok(None);
    };
    let bytes = read_part(path, offset, length, limits);
    bytes.map(Some).map_err(|error| error.in_path(path))
}

fn read_part(path: &Path, offset: u64, length: u64, limits: &Limits) -> Result<Vec<u8>> {
    Limits::check("linked game", length, limits.record)?;
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(Error::from)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_what_a_character_set_lacks() {
        for (a, b, is_same) in [
            ("Adams, Michael", "Adams,Michael", true),
            ("Žižka, Jan", "?i?ka, Jan", true),
            ("Žižka, Jan", "Zizka, Jan", true),
            ("Žižka, Jan", "Å½iÅ¾ka, Jan", true),
            ("Žižka, Jan", "Hus, Jan", false),
            ("Adams, Michael", "Adams, M", false),
            ("?", "", true),
            ("Tal", "", false),
            ("Карпов", "??????", true),
        ] {
            assert_eq!(is_same_name(a, b), is_same, "{a} {b}");
            assert_eq!(is_same_name(b, a), is_same, "{b} {a}");
        }
    }
}
