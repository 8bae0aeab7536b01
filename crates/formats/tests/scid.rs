//! Scid databases made by Scid and others, in the folder of real data.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};

use tabia_core::GameIndex;
use tabia_core::database::Database;
use tabia_core::format::{Confidence, OpenOptions, Probe};
use tabia_core::game::{Flow, Want};
use tabia_core::io::Source;
use tabia_formats::FORMATS;
use tabia_testkit::{dump, shared_data};

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
    let extension = path.extension().unwrap().to_str().unwrap();
    let format = FORMATS
        .iter()
        .find(|format| format.id.as_str() == extension)
        .unwrap();
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
