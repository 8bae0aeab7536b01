//! Games that a book links to.
#![allow(clippy::unwrap_used, reason = "a test")]

use tabia::book::{find, linked_games};
use tabia::core::chess::{Position, san};
use tabia::core::formats::OpenOptions;
use tabia::core::game::GameResult;
use tabia::{Resolver, book};
use tabia_testkit::repository;

#[test]
fn linked_games_are_read_from_their_source() {
    let folder = repository().join("crates/formats/tests/fixtures/kvetka");
    let resolver = Resolver::default();
    let options = OpenOptions::default();
    let mut position = Position::standard();
    for m in ["e4", "e5"] {
        san::read_and_play(&mut position, m.as_bytes()).unwrap();
    }
    // Any file of the set; their common name is ambiguous.
    for name in ["mini_0.kob", "mini.kin", "mini.ksf", "mini"] {
        let path = if name == "mini" {
            // There is a PGN file of that name too.
            let error = resolver.resolve(folder.join(name).as_os_str()).unwrap_err();
            assert!(error.to_string().contains("mini_0.kob"), "{error}");
            continue;
        } else {
            folder.join(name)
        };
        let items = resolver.resolve(path.as_os_str()).unwrap();
        assert_eq!(items.len(), 1, "{name}");
        let book = book::open(&items[0], &options).unwrap();
        let found = find::find(&*book, &position).unwrap().unwrap();
        assert_eq!(found.linked.len(), 1, "{name}");
        let linked = &found.linked[0];
        assert_eq!(
            (linked.white.as_str(), linked.result),
            ("Ivanov, I", GameResult::WhiteWins)
        );
        let game = linked_games::load(linked, &resolver, &options)
            .unwrap()
            .unwrap();
        assert_eq!(game.head.tags.get("White"), Some("Ivanov, I"));
        assert_eq!(game.mainline().count(), 2);
        assert_eq!(game.result, GameResult::WhiteWins);
        // A missing source.
        let mut lost = linked.clone();
        lost.path = Some(folder.join("none.pgn"));
        assert!(linked_games::load(&lost, &resolver, &options).is_err());
        lost.path = None;
        assert!(
            linked_games::load(&lost, &resolver, &options)
                .unwrap()
                .is_none()
        );
    }
}

#[test]
fn unsupported_books_are_named() {
    let scratch = tabia_testkit::Scratch::new("unsupported");
    for (name, bytes, expected) in [
        ("a.obk", &b"BOO!\0\0\0\0"[..], "Chessmaster"),
        ("b.bkt", &b"\x01\x02"[..], "Shredder"),
    ] {
        let path = scratch.join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = Resolver::default().resolve(path.as_os_str()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains(expected) && error.contains("not read"),
            "{error}"
        );
    }
}
