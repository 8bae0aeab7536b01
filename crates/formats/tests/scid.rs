//! Scid databases made by Scid and others, in the folder of real data.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};

use tabia_core::Format;
use tabia_core::GameIndex;
use tabia_core::database::{Database, DatabaseInfo};
use tabia_core::format::{Confidence, CreateOptions, OpenOptions, Probe};
use tabia_core::game::{Flow, Game, Want};
use tabia_core::io::Source;
use tabia_core::loss::Losses;
use tabia_formats::FORMATS;
use tabia_testkit::{Scratch, dump, shared_data};

/// Every Scid database of the folder with the number of its games.
const SAMPLES: [(&str, u32); 14] = [
    ("si3/features.si3", 87),
    ("si3/lichess_db_1000k.si3", 438),
    ("si3/twic1599_1000k.si3", 1110),
    ("si4/features.si4", 87),
    ("si4/lichess_db_1000k.si4", 438),
    ("si4/twic1599_1000k.si4", 1110),
    ("si4/scidtopgn/five.si4", 5),
    ("si5/features.si5", 87),
    ("si5/frc.si5", 4),
    ("si5/lichess_db_1000k.si5", 438),
    ("si5/twic1599_1000k.si5", 1110),
    ("big/many.si3", 40_000),
    ("big/many.si4", 40_000),
    ("big/many.si5", 40_000),
];

fn open(path: &Path) -> Box<dyn Database> {
    let name = path.display();
    let format = format(path.extension().unwrap().to_str().unwrap());
    let bytes = std::fs::read(path).unwrap();
    let probe = Probe {
        name: path.file_name().unwrap().to_str(),
        head: &bytes[..bytes.len().min(Probe::HEAD)],
        len: Some(bytes.len() as u64),
    };
    assert!((format.score)(&probe) >= Confidence::Likely, "{name}");
    let source = Source::from_path(path).unwrap();
    format.open_database.unwrap()(&source, &OpenOptions::default()).unwrap()
}

fn format(id: &str) -> &'static Format {
    FORMATS
        .iter()
        .find(|format| format.id.as_str() == id)
        .unwrap()
}

fn read(database: &dyn Database) -> Vec<Game> {
    let mut reader = database.reader();
    (0..database.len())
        .map(|game| {
            let mut read = Game::new();
            let flow = reader.read(GameIndex(game), Want::ALL, &mut read.recorder());
            assert_eq!(flow.unwrap(), Flow::Go);
            read
        })
        .collect()
}

fn write(path: &Path, games: &[Game], info: &DatabaseInfo) -> Losses {
    let format = format(path.extension().unwrap().to_str().unwrap());
    let mut options = CreateOptions::default();
    options.title.clone_from(&info.title);
    options.facts.clone_from(&info.facts);
    let mut writer = format.create_database.unwrap()(path, &options).unwrap();
    let mut losses = Losses::new();
    for game in games {
        losses.merge(&writer.write(game).unwrap());
    }
    assert_eq!(writer.finish().unwrap().records as usize, games.len());
    losses
}

fn sample(test: &str, path: &str) -> Option<PathBuf> {
    shared_data(test, "scid").map(|folder| folder.join(path))
}

#[test]
fn every_sample_decodes_to_legal_games() {
    for (name, games) in SAMPLES {
        let Some(path) = sample("every_sample_decodes_to_legal_games", name) else {
            return;
        };
        let database = open(&path);
        assert_eq!(database.len(), games, "{name}");
        assert_eq!(database.info().problems, Vec::<String>::new(), "{name}");
        let mut reader = database.reader();
        let mut text = dump::Dump::new();
        for game in 0..games {
            text.text.clear();
            let flow = reader.read(GameIndex(game), Want::ALL, &mut text);
            assert_eq!(flow.unwrap(), Flow::Go);
            assert_eq!(text.breach(), None, "{name}");
            assert!(!text.text.contains("problem"), "{name}: {}", text.text);
        }
    }
}

/// Games read from Scid's files and written give Scid's files, byte for byte.
#[test]
fn writing_gives_the_bytes_of_scid() {
    let scratch = Scratch::new("scid-bytes");
    for (name, _) in SAMPLES {
        let Some(path) = sample("writing_gives_the_bytes_of_scid", name) else {
            return;
        };
        let database = open(&path);
        let games = read(&*database);
        let copy = scratch.join(path.file_name().unwrap().to_str().unwrap());
        let losses = write(&copy, &games, database.info());
        assert_eq!(losses.to_string(), "", "{name}");
        assert!(read(&*open(&copy)) == games, "{name}");
        let number = name.chars().last().unwrap();
        for kind in ["si", "sn", "sg"] {
            let extension = format!("{kind}{number}");
            let theirs = std::fs::read(path.with_extension(&extension)).unwrap();
            let ours = std::fs::read(copy.with_extension(&extension)).unwrap();
            assert_eq!(theirs.len(), ours.len(), "{name} {extension}");
            let differs = |at: &usize| theirs[*at] != ours[*at];
            let may_differ = |at: usize| match (kind, name) {
                // What follows the zero of a text in the header is left from before.
                ("si", "si4/scidtopgn/five.si4") => (25..182).contains(&at) && ours[at] == 0,
                // So is what fills a block of games.
                ("sg", _) => {
                    let block = if number == '3' { 1 << 15 } else { 1 << 17 };
                    let end = at.next_multiple_of(block).min(ours.len());
                    ours[at..end].iter().all(|&byte| byte == 0)
                }
                _ => false,
            };
            for at in (0..ours.len()).filter(differs) {
                assert!(may_differ(at), "{name} {extension}: byte {at:#x}");
            }
        }
    }
}
