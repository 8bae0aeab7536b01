//! A set with every file and every kind of name.

use std::path::{Path, PathBuf};

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{
    Annotation, Game, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor as _, Want,
};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::games::cbh::verify::verify;
use tabia_formats::games::cbh::{self, CbhDatabase};
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Scratch, dump};

/// Every extension of the set, the main file first.
pub(crate) const EXTENSIONS: [&str; 14] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbm", "flags",
    "ini",
];

/// A game in which every tag contains its number.
pub(crate) fn game(number: u32, moves: &str) -> Game {
    let text = |what: &str| format!("{what} {number}");
    GameBuilder::new()
        .tag("Event", &text("Event"))
        .tag("Site", &text("Site"))
        .tag("Date", "2021.05.01")
        .tag("Round", "1")
        .tag("White", &text("White"))
        .tag("Black", &text("Black"))
        .tag("Annotator", &text("Annotator"))
        .tag("SourceTitle", &text("Source"))
        .tag("WhiteTeam", &text("Home"))
        .tag("BlackTeam", &text("Guests"))
        .tag("CbEventLatitude", &format!("{number}.5"))
        .tag("CbGameTagEnglish", &text("Tag"))
        .tag("CbTopGame", &(number % 3).to_string())
        .moves(moves)
        .comment(&text("Comment"))
        .result(GameResult::Draw)
}

/// A guiding text that refers to a file.
pub(crate) fn text(number: u32) -> Game {
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    head.tags.push("Event", &format!("Text event {number}"));
    head.tags.push("Annotator", &format!("Author {number}"));
    head.tags.push("SourceTitle", &format!("Book {number}"));
    let mut game = Game::new();
    let mut out = game.recorder();
    let _ = out.begin_game(GameIndex(0), &head);
    for (kind, text) in [
        (TextKind::Title, "Title"),
        (TextKind::Plain, "A text"),
        (TextKind::File, "picture"),
    ] {
        // Lists of files are those of all languages.
        let (text, language) = match kind {
            TextKind::File => (format!("{text}{number}.jpg"), 7),
            _ => (format!("{text} {number}"), 0),
        };
        let _ = out.visit_annotation(Annotation::Text(TextPart {
            kind,
            language,
            text: &text,
        }));
    }
    out.end_game(GameResult::Unknown);
    drop(out);
    game
}

pub(crate) fn open(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

/// The text of every record, numbered as in the first set.
pub(crate) fn records(db: &CbhDatabase) -> Vec<String> {
    let mut reader = db.reader();
    (0..db.len())
        .map(|index| {
            let mut game = Game::new();
            let mut recorder = game.recorder();
            let _ = reader
                .read(GameIndex(index), Want::ALL, &mut recorder)
                .unwrap();
            drop(recorder);
            dump::game(GameIndex(0), &game)
        })
        .collect()
}

pub(crate) fn findings(path: &Path) -> Vec<String> {
    verify(&open(path))
        .iter()
        .map(ToString::to_string)
        .collect()
}

pub(crate) fn bytes(path: &Path, extension: &str) -> Vec<u8> {
    std::fs::read(path.with_extension(extension)).unwrap()
}

pub(crate) fn write(path: &Path, extension: &str, bytes: &[u8]) {
    std::fs::write(path.with_extension(extension), bytes).unwrap();
}

/// Text, game, text, game, text, game: the first of each kind will be deleted.
pub(crate) fn set(folder: &Scratch) -> PathBuf {
    let path = folder.join("a.cbh");
    let mut writer = cbh::FORMAT.create.unwrap()(&path, &CreateOptions::default()).unwrap();
    for number in 1..=3 {
        let losses = writer.write(&text(number)).unwrap();
        assert!(losses.is_empty(), "{losses}");
        let moves = ["e4 e5 Nf3", "d4 d5", "c4 c5 g3 g6"][number as usize - 1];
        let losses = writer.write(&game(number, moves)).unwrap();
        assert!(losses.is_empty(), "{losses}");
    }
    writer.finish().unwrap();
    write(&path, "ini", b"[DescrCBG]\r\nTitle=Kept\r\n");
    // A version of the main file that is not that of new sets.
    let mut headers = bytes(&path, "cbh");
    headers[5] = 3;
    write(&path, "cbh", &headers);
    // Longer records of games, with bytes of unknown meaning.
    let extended = bytes(&path, "cbj");
    let mut longer = extended[..32].to_vec();
    longer[0] = 12;
    longer[4] = 122;
    for (number, record) in extended[32..].chunks_exact(120).enumerate() {
        longer.extend_from_slice(record);
        longer.extend_from_slice(&[0xab, number as u8]);
    }
    write(&path, "cbj", &longer);
    for extension in EXTENSIONS {
        assert!(path.with_extension(extension).exists(), "{extension}");
    }
    path
}
