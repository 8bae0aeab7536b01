//! Targets for PGN.

use std::io::Cursor;

use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::game::project;
use tabia_core::game::{Annotation, Event, Game, RecordEach, Want};
use tabia_core::games::{Block, GameStream};
use tabia_core::io::{Blob, Source};
use tabia_core::{GameFormat, GameIndex};

use super::CheckedVisitor;
use super::reading::{game_format, options};
use crate::dump;

/// Any bytes are read to the same games as a stream, in blocks and by index. The mainlines alone are
/// those of the games.
pub(super) fn read(data: &[u8]) {
    let format = game_format("pgn");
    let streamed = games(format, data, Want::ALL);
    assert_same("blocks", &streamed, &blocks(format, data));
    assert_same("by index", &streamed, &indexed(format, data, Want::ALL));
    let alone = indexed(format, data, Want::MAINLINE);
    assert_eq!(alone.len(), streamed.len());
    for (number, (whole, alone)) in streamed.iter().zip(&alone).enumerate() {
        assert!(
            whole.mainline().eq(alone.mainline()),
            "game {}: the mainline alone",
            number + 1
        );
    }
}

/// Any bytes are read as bughouse to the same games as a stream and by index, without a chess move.
/// The games round trip, and writing them again produces the same text.
pub(super) fn bughouse(data: &[u8]) {
    let format = game_format("bpgn");
    let streamed = games(format, data, Want::ALL);
    assert_same("by index", &streamed, &indexed(format, data, Want::ALL));
    for game in &streamed {
        assert_eq!(game.ply_count(), 0);
    }
    // Words without a move number can be comments, so only matches are compared.
    let are_matches = streamed.iter().all(is_match);
    if let Some(create) = format.create_text.filter(|_| are_matches) {
        let mut options = CreateOptions::default();
        options.wrap = data.len().is_multiple_of(2);
        let write = |games: &[Game]| {
            let mut writer = create(&options).expect("the writer is made");
            for game in games {
                let _ = game.replay(GameIndex(0), Want::ALL, &mut *writer);
            }
            std::mem::take(writer.text())
        };
        let text = write(&streamed);
        let found = games(format, &text, Want::ALL);
        let what = String::from_utf8_lossy(&text);
        let sorted = |games: &[Game]| games.iter().map(with_sorted_tags).collect::<Vec<_>>();
        assert_same(&what, &sorted(&streamed), &sorted(&found));
        let again = write(&found);
        assert_eq!(what, String::from_utf8_lossy(&again), "written again");
    }
}

/// Whether a game is a match: its moves are numbered, and its result can be written in bughouse text.
fn is_match(game: &Game) -> bool {
    let is_move_number = |word: &str| {
        let letters = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_turn = ["A.", "a.", "B.", "b."].contains(&letters);
        is_turn && (3..10).contains(&word.len())
    };
    let has_numbers = game.events().all(|event| match event {
        Event::Annotation(Annotation::Comment(comment)) => {
            comment.text.split(' ').any(is_move_number)
        }
        _ => true,
    });
    has_numbers && !game.result.is_special()
}

/// The game with its tags sorted, because a reader adds tags at the end.
fn with_sorted_tags(game: &Game) -> Game {
    let mut game = game.clone();
    let mut pairs: Vec<(String, String)> = game
        .head
        .tags
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    pairs.sort();
    game.head.tags.clear();
    for (name, value) in &pairs {
        game.head.tags.push(name, value);
    }
    game
}

/// Games round trip in the profile `full`.
pub(super) fn roundtrip(data: &[u8]) {
    let format = game_format("pgn");
    let (Some(create), Some(can_with)) = (format.create_text, format.can_with) else {
        return;
    };
    let mut full = CreateOptions::default();
    full.profile = Profile::Full;
    full.wrap = data.len().is_multiple_of(2);
    let can = can_with(&full);
    let mut expected = Vec::new();
    let mut writer = create(&full).expect("the writer is made");
    for game in games(format, data, Want::ALL) {
        let (kept, _) = project(can, &game);
        let _ = kept.replay(GameIndex(0), Want::ALL, &mut *writer);
        expected.push(kept.into_owned());
    }
    let text = std::mem::take(writer.text());
    let found = games(format, &text, Want::ALL);
    assert_same(&String::from_utf8_lossy(&text), &expected, &found);
}

/// Collects all games.
type GameCollector = RecordEach<Vec<Game>>;

fn assert_same(what: &str, expected: &[Game], found: &[Game]) {
    for (number, (a, b)) in expected.iter().zip(found).enumerate() {
        if a != b {
            let index = GameIndex(number as u32);
            let (a, b) = (dump::game(index, a), dump::game(index, b));
            dump::assert_same(what, &a, &b);
            panic!("{what}: games differ in what the dump does not show\n{a}");
        }
    }
    assert_eq!(expected.len(), found.len(), "{what}: number of games");
}

fn games(format: &GameFormat, data: &[u8], want: Want) -> Vec<Game> {
    let open = format.open_stream.expect("PGN is a stream");
    let mut stream = match open(Box::new(Cursor::new(data.to_vec())), &options()) {
        Ok(stream) => stream,
        Err(error) => {
            let _ = error.to_string();
            return Vec::new();
        }
    };
    let mut all = GameCollector::default();
    // A stream has at most as many games and errors as bytes; more means that it does not end.
    for _ in 0..=data.len() {
        match next(&mut *stream, want, &mut all) {
            Ok(true) => {}
            Ok(false) => return all.sink,
            Err(message) => drop(message),
        }
    }
    panic!("the stream does not come to its end");
}

fn next(stream: &mut dyn GameStream, want: Want, all: &mut GameCollector) -> Result<bool, String> {
    stream
        .next(want, &mut CheckedVisitor::new(all))
        .map(|flow| flow.is_some())
        .map_err(|error| error.to_string())
}

fn blocks(format: &GameFormat, data: &[u8]) -> Vec<Game> {
    let open = format.open_blocks.expect("PGN can be cut");
    let Ok(mut blocks) = open(Box::new(Cursor::new(data.to_vec())), &options()) else {
        return Vec::new();
    };
    let mut reader = blocks.reader();
    let mut block = Block::default();
    let mut all = GameCollector::default();
    while blocks.next(&mut block).is_ok_and(|more| more) {
        let _ = reader.read(&block, Want::ALL, &mut CheckedVisitor::new(&mut all));
    }
    all.sink
}

fn indexed(format: &GameFormat, data: &[u8], want: Want) -> Vec<Game> {
    let open = format.open;
    let members = vec![("fuzz.pgn".to_owned(), Blob::from(data.to_vec()))];
    let source = Source::from_members("fuzz.pgn", "fuzz.pgn", members).expect("it is there");
    let Ok(database) = open(&source, &options()) else {
        return Vec::new();
    };
    let mut all = GameCollector::default();
    let mut reader = database.reader();
    for index in (0..database.len()).map(GameIndex) {
        let _ = database.entry(index);
        let _ = reader.read(index, want, &mut CheckedVisitor::new(&mut all));
    }
    all.sink
}
