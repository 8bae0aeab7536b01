//! Games that a book points to.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use tabia_core::books::{Book, BookPosition, LinkedGame};
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Game, Recorder, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};

use crate::read_one;
use crate::resolve::Resolver;
use crate::summary::NoObserver;

/// Games told of one position at most.
const MOST: usize = 100;

/// The games that a page points to, as far as the book knows them: those that end in the position,
/// then the one that reached it.
///
/// # Errors
/// Those of the book.
pub fn of_page(book: &dyn Book, page: &BookPosition) -> Result<Vec<LinkedGame>> {
    let more = page
        .sample_game
        .filter(|link| !page.games_ending_here.contains(link));
    let mut games = Vec::new();
    for link in page
        .games_ending_here
        .iter()
        .copied()
        .chain(more)
        .take(MOST)
    {
        games.extend(book.linked_game(link)?);
    }
    Ok(games)
}

/// The game itself, out of its source; `None` when that is no file, or the game is not in it.
///
/// # Errors
/// When the source cannot be opened or read.
pub fn load(
    linked: &LinkedGame,
    resolver: &Resolver,
    options: &OpenOptions,
) -> Result<Option<Game>, Error> {
    let Some(path) = &linked.path else {
        return Ok(None);
    };
    let items = resolver.resolve(path.as_os_str())?;
    let [item] = items.as_slice() else {
        return Ok(None);
    };
    if let Some(index) = linked.index {
        let progress = Arc::new(Progress::default());
        return read_one::load(item, GameIndex(index), options, &progress, &mut NoObserver);
    }
    let (Some(offset), Some(length)) = (linked.offset, linked.length) else {
        return Ok(None);
    };
    let Some(open) = item.format().games().and_then(|format| format.open_stream) else {
        return Ok(None);
    };
    let bytes =
        bytes(path, offset, length, &options.limits).map_err(|error| error.in_path(path))?;
    let mut stream = open(Box::new(Cursor::new(bytes)), options)?;
    let mut recorder = Recorder::new();
    let found = stream
        .next(Want::ALL, &mut recorder)
        .map_err(|error| error.in_path(path))?;
    Ok(found.map(|_| recorder.replace(Game::new())))
}

fn bytes(path: &Path, offset: u64, length: u64, limits: &Limits) -> Result<Vec<u8>> {
    Limits::check("linked game", length, limits.record)?;
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(Error::from)?;
    Ok(bytes)
}
