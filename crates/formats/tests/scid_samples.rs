//! Scid databases made by Scid and other programs, in the folder of shared data.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};

use tabia_core::GameFormat;
use tabia_core::GameIndex;
use tabia_core::formats::{Confidence, CreateOptions, OpenOptions, Probe};
use tabia_core::game::{Annotation, Event, Flow, Game, Want};
use tabia_core::games::{Database, DatabaseInfo};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Losses};
use tabia_formats::GAMES;
use tabia_formats::archives::compressed;
use tabia_testkit::open_and_read::read_games;
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
    assert!((format.file.score)(&probe) >= Confidence::Likely, "{name}");
    let source = Source::from_path(path).unwrap();
    (format.open)(&source, &OpenOptions::default()).unwrap()
}

fn format(id: &str) -> &'static GameFormat {
    GAMES
        .iter()
        .find(|format| format.file.id.as_str() == id)
        .unwrap()
}

fn read(database: &dyn Database) -> Vec<Game> {
    read_games(database).0
}

fn write(path: &Path, games: &[Game], info: &DatabaseInfo) -> Losses {
    let format = format(path.extension().unwrap().to_str().unwrap());
    let mut options = CreateOptions::default();
    options.title.clone_from(&info.title);
    options.facts.clone_from(&info.facts);
    let mut writer = format.create.unwrap()(path, &options).unwrap();
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
            assert_eq!(text.violation(), None, "{name}");
            assert!(!text.text.contains("problem"), "{name}: {}", text.text);
        }
    }
}

/// Games read from Scid's files and written again are Scid's files, byte for byte.
#[test]
fn written_databases_equal_those_of_scid() {
    let scratch = Scratch::new("scid-bytes");
    for (name, _) in SAMPLES {
        let Some(path) = sample("written_databases_equal_those_of_scid", name) else {
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
                // Bytes after the zero that ends a text in the header are arbitrary.
                ("si", "si4/scidtopgn/five.si4") => (25..182).contains(&at) && ours[at] == 0,
                // So are those that fill a block of games.
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

/// The PGN files that Scid made the databases from.
const PGN_SOURCES: [(&str, &str); 14] = [
    ("si3/features.si3", "pgn/features.pgn"),
    ("si3/lichess_db_1000k.si3", "pgn/lichess_db_1000k.pgn"),
    ("si3/twic1599_1000k.si3", "pgn/twic1599_1000k.pgn"),
    ("si4/features.si4", "pgn/features.pgn"),
    ("si4/lichess_db_1000k.si4", "pgn/lichess_db_1000k.pgn"),
    ("si4/twic1599_1000k.si4", "pgn/twic1599_1000k.pgn"),
    ("si4/scidtopgn/five.si4", "si4/scidtopgn/five.pgn"),
    ("si5/features.si5", "pgn/features.pgn"),
    ("si5/frc.si5", "pgn/frc.pgn"),
    ("si5/lichess_db_1000k.si5", "pgn/lichess_db_1000k.pgn"),
    ("si5/twic1599_1000k.si5", "pgn/twic1599_1000k.pgn"),
    ("big/many.si3", "big/many.pgn.gz"),
    ("big/many.si4", "big/many.pgn.gz"),
    ("big/many.si5", "big/many.pgn.gz"),
];

/// Number of games of a sample.
fn count(database: &str) -> usize {
    let sample = SAMPLES.iter().find(|(name, _)| *name == database);
    sample.unwrap().1 as usize
}

fn read_pgn(path: &Path) -> Vec<Game> {
    let file = Box::new(std::fs::File::open(path).unwrap());
    let (file, _) = compressed::decompress(file).unwrap();
    let open = format("pgn").open_stream.unwrap();
    let mut stream = open(file, &OpenOptions::default()).unwrap();
    let mut games = Vec::new();
    loop {
        let mut game = Game::new();
        let Some(flow) = stream.next(Want::ALL, &mut game.recorder()).unwrap() else {
            return games;
        };
        assert_eq!(flow, Flow::Go);
        games.push(game);
    }
}

/// Moves, variations and annotations, one a line. Kinds of blanks in comments and empty comments are
/// ignored, because Scid keeps the line breaks of PGN.
fn lines(game: &Game) -> Vec<String> {
    let line = |event: Event<'_>| match event {
        Event::Annotation(Annotation::Comment(comment)) => {
            let words: Vec<&str> = comment.text.split_whitespace().collect();
            let placement = comment.placement;
            (!words.is_empty()).then(|| format!("{placement:?} {}", words.join(" ")))
        }
        other => Some(format!("{other:?}")),
    };
    game.events().filter_map(line).collect()
}

#[test]
fn games_equal_those_of_the_pgn_sources() {
    let mut differences = Vec::new();
    for (database, pgn_source) in PGN_SOURCES {
        let test = "games_equal_those_of_the_pgn_sources";
        let Some(path) = sample(test, database) else {
            return;
        };
        let kind = path.extension().unwrap().to_str().unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let pgn = sample(test, pgn_source).unwrap();
        let (theirs, sources) = (read(&*open(&path)), read_pgn(&pgn));
        assert_eq!(
            (theirs.len(), sources.len()),
            (count(database), count(database))
        );
        for (number, (scid, pgn)) in (1..).zip(theirs.iter().zip(&sources)) {
            let mut differs =
                |what: &str| differences.push(format!("{kind} {name} {number} {what}"));
            if scid.head.start != pgn.head.start || scid.result != pgn.result {
                differs("head");
            }
            if lines(scid) != lines(pgn) {
                differs("moves");
            }
            for (tag, value) in pgn.head.tags.iter() {
                let is_name = matches!(tag, "White" | "Black");
                let letters = |value: &str| value.replace([' ', '.', ','], "").to_lowercase();
                let found = scid.head.tags.text(tag);
                // An ECO code of `?` is none; Scid 3.3 rewrites names.
                let is_same = found == value
                    || found.is_empty() && value.chars().all(|c| "?.".contains(c))
                    || kind == "si3" && is_name && letters(found) == letters(value);
                if !is_same {
                    differs(tag);
                }
            }
        }
    }
    let known = [
        // Scid 3.3 cannot read null moves, and keeps backslashes.
        "si3 features 4 moves",
        "si3 features 12 CustomTag",
        // More than three years away from the game.
        "si3 features 13 EventDate",
        // The rating type has another name since.
        "si3 features 19 BlackBCF",
        // Too long for Scid's PGN reader.
        "si3 features 25 LongTag",
        "si4 features 13 EventDate",
        "si4 features 25 LongTag",
        "si5 features 25 LongTag",
    ];
    assert_eq!(differences, known);
}

/// Our databases of the PGN files equal Scid's: names byte for byte, rows except for the known
/// differences.
#[test]
fn pgn_is_written_to_the_rows_and_names_of_scid() {
    let scratch = Scratch::new("scid-from-pgn");
    for (database, pgn_source) in PGN_SOURCES {
        let test = "pgn_is_written_to_the_rows_and_names_of_scid";
        let Some(path) = sample(test, database) else {
            return;
        };
        let kind = path.extension().unwrap().to_str().unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if kind == "si3" || name == "five" {
            // Scid 3.3 changes names and cannot read all moves; the five games were changed in Scid
            // after they were read.
            continue;
        }
        let pgn = sample(test, pgn_source).unwrap();
        let copy = scratch.join(format!("{name}.{kind}"));
        let mut games = read_pgn(&pgn);
        for game in &mut games {
            game.head.tags.retain(|tag, _| tag != "LongTag");
        }
        let database = open(&path);
        let losses = write(&copy, &games, database.info());
        // Unknown ratings, codes and dates of events are not read back.
        let is_unknown = |(tag, value): (&str, &str)| {
            let is_field = tag.ends_with("Elo") || ["ECO", "EventDate"].contains(&tag);
            is_field && matches!(value, "" | "?" | "-" | "????.??.??")
        };
        let unknown = games
            .iter()
            .map(|game| game.head.tags.iter().filter(|tag| is_unknown(*tag)).count());
        let unknown: usize = unknown.sum();
        assert_eq!(
            losses.count(Feature::TagSpellings),
            unknown as u64,
            "{kind} {name}"
        );
        assert!(
            losses
                .iter()
                .all(|(feature, _)| feature == Feature::TagSpellings),
            "{losses}"
        );
        let names = format!("sn{}", kind.chars().last().unwrap());
        let file = |path: &Path| std::fs::read(path).unwrap();
        assert!(file(&path.with_extension(&names)) == file(&copy.with_extension(&names)));
        let (theirs, ours) = (file(&path), file(&copy));
        let length = if kind == "si5" { 56 } else { 47 };
        let header = theirs.len() - games.len() * length;
        assert_eq!(theirs[..header], ours[..header]);
        if name != "features" {
            assert!(theirs == ours, "{kind} {name}");
            continue;
        }
        // Scid drops an empty comment and a distant event date, so later blobs have other offsets.
        let blob_fields = if kind == "si5" { 32..40 } else { 0..7 };
        let rows = theirs[header..]
            .chunks(length)
            .zip(ours[header..].chunks(length));
        for (number, (theirs, ours)) in (1..).zip(rows) {
            assert_eq!(
                theirs[..blob_fields.start],
                ours[..blob_fields.start],
                "{kind} game {number}"
            );
            assert_eq!(
                theirs[blob_fields.end..],
                ours[blob_fields.end..],
                "{kind} game {number}"
            );
        }
    }
}
