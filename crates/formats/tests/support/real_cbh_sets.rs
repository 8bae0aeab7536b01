//! Helpers of the tests with real sets of ChessBase.
#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Want};
use tabia_core::games::Database;
use tabia_core::io::{Charset, Source};
use tabia_core::loss::Losses;
use tabia_core::{GameFormat, GameIndex};
use tabia_formats::games::cbh::CbhDatabase;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, dump, shared_data};

/// Number of games of a set that a test reads, unless it is exhaustive.
pub(crate) const SAMPLE: usize = 120;

/// The main files of the real sets.
pub(crate) fn sets(test: &str) -> Vec<PathBuf> {
    let Some(folder) = shared_data(test, "cbh") else {
        return Vec::new();
    };
    let is_set = |path: &PathBuf| {
        let is_main = path.extension().is_some_and(|extension| extension == "cbh");
        is_main && !path.to_string_lossy().contains("fixtures-loose")
    };
    files_below(&folder).into_iter().filter(is_set).collect()
}

pub(crate) fn is_exhaustive() -> bool {
    std::env::var_os("TABIA_EXHAUSTIVE").is_some()
}

/// The indices of the games that a test reads: all, or [`SAMPLE`] distributed over the set.
pub(crate) fn sampled(count: u32) -> impl Iterator<Item = u32> {
    let step = if is_exhaustive() {
        1
    } else {
        (count as usize / SAMPLE).max(1)
    };
    (0..count).step_by(step)
}

pub(crate) fn open_set(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

/// The sampled games of a set.
pub(crate) fn games(database: &dyn Database) -> Vec<Game> {
    let mut reader = database.reader();
    sampled(database.len())
        .map(|index| {
            let mut game = Game::new();
            let mut recorder = game.recorder();
            let _ = reader
                .read(GameIndex(index), Want::ALL, &mut recorder)
                .unwrap();
            game
        })
        .collect()
}

/// The character set in which the texts of a set can be written again.
pub(crate) fn charset(path: &Path) -> Charset {
    let name = path.to_string_lossy();
    let page = if name.contains("edgehog") {
        "cp1251"
    } else if name.contains("World-ch") {
        "utf-8"
    } else {
        "cp1252"
    };
    Charset::parse(page).unwrap()
}

/// Writes a new database of `games` to `path`; returns the reported losses of each game.
pub(crate) fn write<'g>(
    format: &GameFormat,
    path: &Path,
    games: impl IntoIterator<Item = &'g Game>,
    charset: Charset,
) -> Vec<Losses> {
    let mut options = CreateOptions::default();
    options.charset = charset;
    let mut writer = format.create.unwrap()(path, &options).unwrap();
    let losses = games.into_iter().map(|game| writer.write(game).unwrap());
    let losses = losses.collect();
    writer.finish().unwrap();
    losses
}

pub(crate) fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    let stem = path.file_stem().unwrap();
    format!("{}/{}", folder.to_string_lossy(), stem.to_string_lossy())
}

pub(crate) fn assert_equal(what: &str, old: &Game, new: &Game) {
    if old != new {
        let index = GameIndex(0);
        dump::assert_same(what, &dump::game(index, old), &dump::game(index, new));
        panic!("{what} differs");
    }
}

pub(crate) fn clear(scratch: &Scratch) {
    for name in scratch.names() {
        std::fs::remove_file(scratch.join(&name)).unwrap();
    }
}

/// The game without the tag `CbMoveCount`, which a writer recomputes if there are no moves.
pub(crate) fn settled(game: &Game) -> Game {
    let mut game = game.clone();
    game.head.tags.retain(|name, _| name != "CbMoveCount");
    game
}
