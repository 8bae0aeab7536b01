//! Databases and books that are cut off while a program reads them: its process goes on, with an error.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::fmt::Write;
use std::fs::File;
use std::path::Path;

use tabia::{
    BookPosition, Error, ErrorKind, GameIndex, OpenInput, OpenOptions, Position, Recorder, Want,
};
use tabia_testkit::Scratch;

const GAMES: usize = 8_000;

/// A database of many games, larger than what is read instead of mapped.
fn database(folder: &Scratch, name: &str) -> std::path::PathBuf {
    let mut pgn = String::new();
    for number in 0..GAMES {
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6";
        let _ = write!(
            pgn,
            "[White \"W{number}\"]\n[Black \"B{number}\"]\n\n{moves} *\n\n"
        );
    }
    let (from, to) = (folder.join("many.pgn"), folder.join(name));
    std::fs::write(&from, pgn).unwrap();
    tabia::convert(from, &to).unwrap();
    to
}

fn cut_off(path: &Path) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(4096).unwrap();
}

fn assert_lost(error: &Error) {
    assert!(matches!(error.kind(), ErrorKind::LostFile), "{error}");
    assert!(error.location().file.is_some(), "{error}");
}

#[test]
fn games_and_headers_of_a_lost_file_end_in_an_error() {
    for (name, file) in [
        ("b.si4", "b.sg4"),
        ("b.si4", "b.si4"),
        ("c.cbh", "c.cbg"),
        ("c.cbh", "c.cbh"),
    ] {
        let folder = Scratch::new("lost-while-read");
        let path = database(&folder, name);
        let mut games = tabia::open(&path).unwrap().games();
        assert!(games.next().unwrap().is_ok());
        cut_off(&folder.join(file));
        let mut count = 1;
        let mut last = None;
        for game in games {
            match game {
                // What was read before is right.
                Ok(game) => {
                    assert_eq!(
                        game.tag("White"),
                        Some(format!("W{count}").as_str()),
                        "{file}"
                    );
                    assert_eq!(game.ply_count(), 14, "{file}");
                    count += 1;
                }
                Err(error) => last = Some(error),
            }
        }
        assert!(count < GAMES, "{file}");
        assert_lost(&last.unwrap());
    }
    let folder = Scratch::new("lost-while-listed");
    let path = database(&folder, "b.si4");
    let mut headers = tabia::open(&path).unwrap().headers();
    assert!(headers.next().unwrap().is_ok());
    cut_off(&path);
    let errors: Vec<Error> = headers.filter_map(Result::err).collect();
    assert_lost(errors.last().unwrap());
}

#[test]
fn a_game_of_an_open_database_that_is_lost_is_an_error() {
    let folder = Scratch::new("lost-while-open");
    let path = database(&folder, "b.si4");
    let input = tabia::open(&path).unwrap();
    let opened = input.items()[0]
        .open_indexed(&OpenOptions::default())
        .unwrap();
    let OpenInput::Database(database) = opened.input else {
        panic!("no database");
    };
    let other = tabia::open(database_of_two(&folder)).unwrap();
    cut_off(&folder.join("b.sg4"));
    let mut recorder = Recorder::new();
    let last = GameIndex(GAMES as u32 - 1);
    let error = database
        .reader()
        .read(last, Want::ALL, &mut recorder)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LostFile), "{error}");
    // Its first bytes are still there, but other records may be made of zeros: it has to be opened again.
    let first = database
        .reader()
        .read(GameIndex(0), Want::ALL, &mut recorder);
    assert!(first.is_err());
    assert!(other.games().all(|game| game.is_ok()));
}

/// A second database next to the lost one.
fn database_of_two(folder: &Scratch) -> std::path::PathBuf {
    let path = folder.join("two.pgn");
    std::fs::write(&path, "1. e4 *\n\n1. d4 *\n").unwrap();
    path
}

#[test]
fn a_book_that_is_lost_is_an_error() {
    let folder = Scratch::new("lost-book");
    let path = folder.join("book.bin");
    // Keys in ascending order, none of them that of the position.
    let entries = (0..20_000_u64).flat_map(|number| {
        let mut entry = [0_u8; 16];
        (entry[0], entry[1]) = ((number >> 8) as u8, number as u8);
        entry[9] = 1;
        entry[11] = 1;
        entry
    });
    std::fs::write(&path, entries.collect::<Vec<u8>>()).unwrap();
    let book = tabia::open(&path).unwrap().book().unwrap();
    cut_off(&path);
    let mut page = BookPosition::default();
    let error = book.probe(&Position::standard(), &mut page).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LostFile), "{error}");
}

#[test]
fn a_member_of_a_lost_archive_is_an_error() {
    use tabia::formats::archives::{self, NewMember, OnError};

    let folder = Scratch::new("lost-archive");
    let path = folder.join("a.zip");
    // Blocks that no compression makes smaller.
    let mut state = 1_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    })
    .take(2_000_000)
    .collect();
    let member = NewMember::from_bytes("a.bytes", bytes.into(), None);
    let format = archives::format_of_name("a.zip").unwrap();
    archives::create(
        format,
        &path,
        &[member],
        &archives::CreateOptions::default(),
    )
    .unwrap();
    let input = tabia::open(&path).unwrap();
    let archive = input.items()[0]
        .open(&OpenOptions::default(), None)
        .unwrap();
    let OpenInput::Archive(archive) = archive.input else {
        panic!("no archive");
    };
    assert!(std::fs::metadata(&path).unwrap().len() > 1_900_000);
    let mut stream = archive.stream(0, &OnError::stop()).unwrap();
    cut_off(&path);
    let mut rest = Vec::new();
    let error = Error::from(std::io::Read::read_to_end(&mut stream, &mut rest).unwrap_err());
    assert_lost(&error);
    assert_lost(&archive.read(0).unwrap_err());
    assert_lost(&archive.verify(0).unwrap_err());
}

#[test]
fn games_are_read_without_an_index_that_is_lost() {
    use std::sync::Arc;

    use tabia::base::{IndexOptions, SavedIndex, build_index, index_path, open_index};
    use tabia::{NoObserver, Progress};

    let folder = Scratch::new("lost-index");
    let path = database(&folder, "b.si4");
    let input = tabia::open(&path).unwrap();
    let item = &input.items()[0];
    let options = IndexOptions::default();
    build_index(item, &options, &Arc::new(Progress::new()), &mut NoObserver).unwrap();
    let SavedIndex::Current(index) = open_index(item, &options).unwrap() else {
        panic!("no index");
    };
    let file = index_path(item, &options).unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() > 65_536);
    cut_off(&file);
    let error = index.check().unwrap_err().to_string();
    assert!(error.contains("cut off, or its disk failed"), "{error}");
    assert!(index.find(&Position::standard()).is_err() && index.check_file().is_err());
}
