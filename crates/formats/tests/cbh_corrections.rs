//! What later notes about ChessBase's databases correct: rounds, results, marks and cut names.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Annotation, Event, Game, GameResult, RecordKind, Recorder, Want};
use tabia_core::io::Source;
use tabia_core::loss::Feature;
use tabia_formats::games::{cbh, cbh2};
use tabia_testkit::Scratch;
use tabia_testkit::tiny::GameBuilder;

/// The game as both kinds of database give it back, and the first loss of each.
fn stored(game: &Game) -> [(Game, Vec<Feature>); 2] {
    [&cbh::FORMAT, &cbh2::FORMAT].map(|format| {
        let scratch = Scratch::new("corrections");
        let path = scratch.join(format!("a.{}", format.file.extensions[0]));
        let mut writer = format.create.unwrap()(&path, &CreateOptions::default()).unwrap();
        let losses = writer.write(game).unwrap();
        writer.finish().unwrap();
        let losses = losses.iter().map(|(feature, _)| feature).collect();
        let source = Source::from_path(&path).unwrap();
        let database = (format.open)(&source, &OpenOptions::default()).unwrap();
        let mut recorder = Recorder::new();
        let mut reader = database.reader();
        let _ = reader.read(GameIndex(0), Want::ALL, &mut recorder).unwrap();
        (recorder.replace(Game::new()), losses)
    })
}

#[test]
fn rounds_without_a_number_have_one_of_the_game() {
    let game = GameBuilder::new().tag("Round", "?.4").moves("e4");
    for (game, losses) in stored(&game.result(GameResult::Draw)) {
        assert_eq!(game.head.tags.get("Round"), Some("?.4"));
        assert_eq!(losses, []);
    }
}

#[test]
fn an_empty_date_of_a_guiding_text_is_no_loss() {
    let game = GameBuilder::new()
        .tag("Event", "Open")
        .tag("Date", "0000.00.00");
    let mut text = game.result(GameResult::Unknown);
    text.head.kind = RecordKind::Text;
    for (_, losses) in stored(&text) {
        assert_eq!(losses, []);
    }
}

#[test]
fn lost_by_both_is_a_result() {
    let game = GameBuilder::new().tag("Result", "0-0").moves("e4");
    for (game, losses) in stored(&game.result(GameResult::BothLose)) {
        assert_eq!(game.result, GameResult::BothLose);
        assert_eq!(losses, []);
    }
}

#[test]
fn medals_keep_their_bits() {
    // Defence, sacrifice, and one without a name.
    for bits in [1 << 8, 1 << 9, 1 << 8 | 1 << 11] {
        let game = GameBuilder::new()
            .moves("e4")
            .annotation(Annotation::Medals(bits));
        for (game, losses) in stored(&game.result(GameResult::Unknown)) {
            let is_medal = |event| event == Event::Annotation(Annotation::Medals(bits));
            assert!(game.events().any(is_medal), "{bits}");
            assert_eq!(losses, []);
        }
    }
}

#[test]
fn names_are_cut_between_characters() {
    let name = "Ж".repeat(2000);
    let game = GameBuilder::new().tag("White", &name).moves("e4");
    for (game, losses) in stored(&game.result(GameResult::Unknown)) {
        let white = game.head.tags.get("White").unwrap();
        assert!(white.len() > 20 && name.starts_with(white), "{white}");
        assert_eq!(losses, [Feature::LongText]);
    }
}

#[test]
fn tags_of_games_are_lost_in_texts() {
    for (name, value) in [
        ("SetUp", "rook odds"),
        ("SetUp", "1"),
        ("FEN", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),
        ("Variant", "Atomic"),
        ("PlyCount", "12"),
        ("Result", "1-0"),
        ("ECO", "B00"),
        ("WhiteElo", "2000"),
    ] {
        let game = GameBuilder::new().tag("Event", "Open").tag(name, value);
        let mut text = game.result(GameResult::Unknown);
        text.head.kind = RecordKind::Text;
        for (text, losses) in stored(&text) {
            assert_eq!(text.head.tags.get(name), None, "{name}");
            assert_eq!(losses, [Feature::Tags], "{name} {value}");
        }
    }
}
