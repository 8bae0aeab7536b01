//! The sample database that comes with the repository.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Want};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::archives::open_archive;
use tabia_formats::games::cbh;
use tabia_formats::games::cbh::CbhDatabase;
use tabia_formats::games::cbh::verify::verify;
use tabia_testkit::repository;
use tabia_testkit::{Scratch, dump, sample_database_games};

#[test]
fn the_sample_can_be_made_again() {
    let folder = Scratch::new("sample");
    let path = folder.join("tabia.cbh");
    let mut writer = cbh::write::create(&path, &CreateOptions::default()).unwrap();
    for game in sample_database_games::games() {
        let losses = writer.write(&game).unwrap();
        assert!(losses.is_empty(), "{losses}");
    }
    let written = writer.finish().unwrap();
    assert_eq!((written.records, written.files.len()), (9, 12));
    for file in &written.files {
        let name = file.file_name().unwrap();
        let shipped = repository().join("samples").join(name);
        assert!(
            std::fs::read(file).unwrap() == std::fs::read(&shipped).unwrap(),
            "{}: make it again with the example `make_sample`",
            shipped.display()
        );
    }
}

#[test]
fn the_sample_reads_as_written() {
    let path = repository().join("samples/tabia.cbh");
    let source = Source::from_path(&path).unwrap();
    let database = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
    let findings: Vec<String> = verify(&database).iter().map(ToString::to_string).collect();
    assert_eq!(findings, Vec::<String>::new());
    let mut reader = database.reader();
    let mut game = Game::new();
    for (index, expected) in (0..).map(GameIndex).zip(sample_database_games::games()) {
        let mut recorder = game.recorder();
        let _ = reader.read(index, Want::ALL, &mut recorder).unwrap();
        assert!(recorder.problems().is_empty());
        drop(recorder);
        let mut expected = expected;
        // The format has its own order of tags.
        let sorted_tags = |game: &Game| {
            let mut tags: Vec<(String, String)> = game
                .head
                .tags
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            tags.sort();
            tags
        };
        assert_eq!(sorted_tags(&game), sorted_tags(&expected), "{index}");
        expected.head.tags = game.head.tags.clone();
        dump::assert_same(
            &format!("game {index}"),
            &dump::game(index, &expected),
            &dump::game(index, &game),
        );
        assert!(game == expected, "{index}");
    }
}

#[test]
fn the_archive_contains_the_sample() {
    let samples = repository().join("samples");
    let source = Source::from_path(&samples.join("tabia.cbv")).unwrap();
    let archive = open_archive(&source, &OpenOptions::default())
        .unwrap()
        .unwrap();
    assert_eq!(archive.members().len(), 12);
    for (index, member) in archive.members().iter().enumerate() {
        let file = std::fs::read(samples.join(&member.name)).unwrap();
        assert!(archive.read(index).unwrap()[..] == file, "{}", member.name);
    }
}
