//! Bughouse matches: they round-trip, and games of chess are not written.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Want};
use tabia_core::io::Charset;
use tabia_core::loss::Feature;
use tabia_formats::games::bpgn::FORMAT;
use tabia_formats::games::pgn;
use tabia_testkit::{shared_data, tiny};

use support::{
    ReadGame, databases, fixtures, open, read_database, read_stream, stream, write_text,
};

fn read(text: &[u8]) -> Vec<ReadGame> {
    read_stream(&mut *stream(&FORMAT, text), Want::ALL)
}

fn games(text: &[u8]) -> Vec<Game> {
    read(text).into_iter().map(|read| read.game).collect()
}

fn options(wrap: bool) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.wrap = wrap;
    options
}

/// The tags of a text, and the words of its moves.
fn words(text: &[u8]) -> (Vec<String>, Vec<String>) {
    let text = String::from_utf8_lossy(text).into_owned();
    let (tags, moves): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('['));
    let tags = tags.iter().flat_map(|line| line.split("][")).map(|tag| {
        let tag = tag.trim_start_matches('[').trim_end_matches(']');
        tag.to_owned()
    });
    let moves = moves.iter().flat_map(|line| line.split_whitespace());
    (tags.collect(), moves.map(str::to_owned).collect())
}

#[test]
fn fixtures_round_trip() {
    let mut count = 0;
    for path in databases(&FORMAT) {
        let database = open(&FORMAT, &path, &OpenOptions::default());
        let all: Vec<Game> = read_database(&*database, Want::ALL)
            .into_iter()
            .map(|read| read.game)
            .collect();
        for wrap in [true, false] {
            let (text, losses) = write_text(&FORMAT, &options(wrap), &all);
            assert!(losses.is_empty(), "{}: {losses}", path.display());
            let again = games(&text);
            assert!(all == again, "{}, wrap {wrap}", path.display());
            assert_eq!(write_text(&FORMAT, &options(wrap), &again).0, text);
            count += all.len();
        }
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn written_text_has_the_words_of_the_file() {
    let test = "written_text_has_the_words_of_the_file";
    let Some(data) = shared_data(test, "bpgn") else {
        return;
    };
    let text = std::fs::read(data.join("sample.bpgn")).unwrap();
    let (written, _) = write_text(&FORMAT, &options(true), &games(&text));
    // Tags, moves, clocks, comments and results, in the same order.
    assert_eq!(words(&written), words(&text));
    let lines = String::from_utf8(written).unwrap();
    assert!(lines.lines().all(|line| line.len() <= 80));
}

#[test]
fn unusual_texts_round_trip() {
    let texts = [
        "[Event \"a \\\"b\\\" \\\\\"]\n[WhiteA \"x\"]\n\n1A. e4 {}{ two\n words } ; rest\n1a. P@e5 0-1 {late} 1-0\n",
        "1b.Nf6 1B. e4 *\n",
        "[WhiteA \"x\"]\n[Variant \"Bughouse\"]\n[White \"x + ?\"]\n\n{only words} *\n",
        "[BlackB \"\"]\n[x\n\"y\"] 1A. e4 %no 1a. [z \"z\"] 1/2\n",
        "[Result \"1-0\"]\n\n12A. ; closed } by nothing\n*",
        "[WhiteA \"a\"]\n\n[WhiteA \"b\"]\n\n",
    ];
    for text in texts {
        let once = games(text.as_bytes());
        for wrap in [true, false] {
            let (written, losses) = write_text(&FORMAT, &options(wrap), &once);
            let shown = String::from_utf8_lossy(&written);
            assert!(losses.is_empty(), "{text}: {losses}");
            let again = games(&written);
            assert_eq!(once.len(), again.len(), "{text}\n{shown}");
            for (a, b) in once.iter().zip(&again) {
                let comments = |game: &Game| format!("{:?}", game.events().collect::<Vec<_>>());
                assert_eq!(comments(a), comments(b), "{text}\n{shown}");
                assert_eq!(a.result, b.result, "{text}\n{shown}");
                for (name, value) in a.head.tags.iter() {
                    assert_eq!(b.head.tags.get(name), Some(value), "{text}\n{shown}");
                }
                assert_eq!(a.head.tags.len(), b.head.tags.len(), "{text}\n{shown}");
            }
            assert_eq!(
                write_text(&FORMAT, &options(wrap), &again).0,
                written,
                "{text}"
            );
        }
    }
}

#[test]
fn moves_survive_a_conversion_to_pgn_and_back() {
    let path = &fixtures(&FORMAT)[0];
    let all = games(&std::fs::read(path).unwrap());
    let (as_pgn, losses) = write_text(&pgn::FORMAT, &CreateOptions::default(), &all[..1]);
    // The braces around clocks become parentheses.
    assert_eq!(
        losses
            .iter()
            .map(|(feature, _)| feature)
            .collect::<Vec<_>>(),
        [Feature::CommentText]
    );
    assert!(String::from_utf8_lossy(&as_pgn).contains("[Variant \"Bughouse\"]"));
    let mut full = CreateOptions::default();
    full.profile = tabia_core::formats::Profile::Full;
    let (as_pgn, losses) = write_text(&pgn::FORMAT, &full, &all[..1]);
    assert!(losses.is_empty(), "{losses}");
    let read = read_stream(&mut *stream(&pgn::FORMAT, &as_pgn), Want::ALL);
    let back: Vec<Game> = read.into_iter().map(|read| read.game).collect();
    let (written, losses) = write_text(&FORMAT, &CreateOptions::default(), &back);
    assert!(losses.is_empty(), "{losses}");
    let (direct, _) = write_text(&FORMAT, &CreateOptions::default(), &all[..1]);
    assert_eq!(
        String::from_utf8(written).unwrap(),
        String::from_utf8(direct).unwrap()
    );
}

#[test]
fn games_of_chess_are_left_out_and_reported() {
    let mut mixed = tiny::games();
    let chess = mixed.len() as u64;
    mixed.extend(games(b"[WhiteA \"x\"]\n\n1A. e4 *\n"));
    let (text, losses) = write_text(&FORMAT, &CreateOptions::default(), &mixed);
    assert_eq!(losses.count(Feature::ChessGames), chess, "{losses}");
    assert_eq!(games(&text).len(), 1);
}

#[test]
fn losses_of_a_match_are_reported() {
    let mut game = tiny::annotated();
    game.head.tags.push("WhiteA", "x");
    game.head.deleted = true;
    let (text, losses) = write_text(&FORMAT, &CreateOptions::default(), &[game.clone()]);
    assert_eq!(
        losses.count(Feature::Moves),
        game.ply_count() as u64,
        "{losses}"
    );
    assert_eq!(losses.count(Feature::DeletionMarks), 1);
    assert!(losses.count(Feature::Nags) > 0, "{losses}");
    assert_eq!(losses.count(Feature::ChessGames), 0);
    assert_eq!(games(&text).len(), 1);
}

#[test]
fn characters_outside_the_character_set_are_reported() {
    let all = games("[WhiteA \"Čapek\"]\n\n1A. e4 {é} *\n".as_bytes());
    let mut latin = CreateOptions::default();
    latin.charset = Charset::parse("windows-1252").unwrap();
    let (text, losses) = write_text(&FORMAT, &latin, &all);
    assert_eq!(losses.count(Feature::Characters), 1, "{losses}");
    assert!(text.windows(8).any(|part| part == b"\"?apek\"]"));
    assert!(text.contains(&0xe9));
}

#[test]
fn movetext_that_begins_with_a_bracket_is_not_read_as_tags() {
    let text = b"[Event \"rated bughouse match\"]\n[Site \"In\"6860.04.12\"]\n[BuBughouseD\"]\n\
        [TimeCon{176} 4B. Qxd8+ {175} 4a. Ne4 {1ghouseD\"]\n[TimeCon{176} 4B. Qxd8+ {175}C 0-1\n";
    let once = games(text);
    for wrap in [true, false] {
        let (written, losses) = write_text(&FORMAT, &options(wrap), &once);
        assert!(losses.is_empty(), "{losses}");
        assert!(
            games(&written) == once,
            "{}",
            String::from_utf8_lossy(&written)
        );
    }
}
