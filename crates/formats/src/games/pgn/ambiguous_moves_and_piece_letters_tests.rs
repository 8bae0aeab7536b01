//! Moves that are decided by more than their own text: by the rest of the game, or by the language of all
//! games.

use std::io::Cursor;

use tabia_core::chess::PieceLetters;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Game, Recorder, Want};
use tabia_core::games::GameStream;

use super::blocks::{PgnBlocks, PgnStream};

/// The first game of a text, and the messages of the problems in all games.
fn read_with(text: &str, options: &OpenOptions) -> (Game, Vec<String>) {
    let input = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let mut stream = PgnStream::new(PgnBlocks::open(input, options).unwrap());
    let mut recorder = Recorder::new();
    let mut games = Vec::new();
    while stream.next(Want::ALL, &mut recorder).unwrap().is_some() {
        games.push(recorder.replace(Game::new()));
    }
    let problems = recorder.take_problems();
    let problems = problems.iter().map(|problem| problem.error.to_string());
    (games.swap_remove(0), problems.collect())
}

fn read_one(text: &str) -> (Game, Vec<String>) {
    read_with(text, &OpenOptions::default())
}

#[test]
fn the_rest_of_a_game_decides_ambiguous_moves() {
    let read_moves = |text: &str| {
        let (game, problems) = read_one(text);
        (game.ply_count(), problems)
    };
    // Nd2 can be played from b1 and f3; later the knight of f3 moves.
    let decided = "1. Nf3 d5 2. d3 e5 3. Nd2 (3. Bd2) e4 {x} 4. Ng5 f6 5. Nb3 *";
    let (plies, problems) = read_moves(decided);
    assert_eq!(plies, 9);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("only with Nbd2"), "{problems:?}");
    // Both choices stay legal: nothing is invented.
    let (plies, problems) = read_moves("1. Nf3 d5 2. d3 e5 3. Nd2 e4 *");
    assert_eq!(plies, 4);
    assert_eq!(problems.len(), 1);
    // Two ambiguous moves, the second of which is decided with the first.
    let (plies, _) = read_moves("1. Nf3 Nf6 2. d3 d6 3. Nd2 Nd7 4. Ng5 Ng4 *");
    assert_eq!(plies, 8);
    // In a variation its own end counts.
    let (game, problems) = read_one("1. Nf3 d5 2. d3 (2. d4 e5 3. Nd2 e4 4. Ng5) e5 *");
    assert_eq!(problems.len(), 1);
    assert_eq!(game.ply_count(), 4);
}

#[test]
fn deciding_ambiguous_moves_takes_bounded_time() {
    let text = format!(
        "1. Nf3 d5 2. d3 d4 {}*",
        "3. Nd2 Nd7 4. Nf3 Ngf6 ".repeat(2_000)
    );
    let start = std::time::Instant::now();
    let _ = read_one(&text);
    assert!(start.elapsed() < std::time::Duration::from_mins(1));
}

#[test]
fn letters_that_are_pawns_or_dutch_knights_are_reported() {
    let dutch = |text: &str| {
        let (_, problems) = read_one(text);
        problems
            .iter()
            .any(|problem| problem.contains("--pieces nl"))
    };
    assert!(dutch("1. d4 d5 2. Pf3 Pf6 1-0"));
    for text in [
        "1. d4 d5 2. Pe4 Pe5 *",
        "1. Pe4 Pe5 2. Nf3 Pf6 *",
        "1. d4 d5 2. Nf3 Nf6 *",
    ] {
        assert!(!dutch(text), "{text}");
    }
    let mut options = OpenOptions::default();
    options.pieces = PieceLetters::of_language("en");
    assert_eq!(read_with("1. d4 d5 2. Pf3 Pf6 1-0", &options).1, [""; 0]);
}

/// Two slips in one game are no agreement on a language.
#[test]
fn wrong_letters_that_english_has_are_no_other_language() {
    for text in ["1. a4 a5 2. Ba3 Ba6 *", "1. Rf3 Rc6 2. e4 *"] {
        let (game, problems) = read_one(text);
        assert!(game.ply_count() <= 2, "{text}");
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        assert!(problems[0].contains("illegal"), "{problems:?}");
    }
    // A letter that English does not have shows the language at once.
    let (game, _) = read_one("1. Sf3 Sc6 *");
    assert_eq!(game.ply_count(), 2);
    // So do many moves, all legal.
    let moves = "1. Rf3 Rc6 2. Rc3 Rf6 3. Rd5 Rxd5 4. Rd4 Rxd4 5. e3 Rc6 *";
    let (game, _) = read_one(moves);
    assert_eq!(game.ply_count(), 10);
}

#[test]
fn piece_letters_of_other_languages_are_read() {
    for (text, languages) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd4 6. Sxd4 exd4 7. Te1 Kd7 *",
            "de",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. Fxc6 dxc6 5. O-O Dd4 6. Cxd4 exd4 7. Te1 Rd7 *",
            "fr",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Ab5 a6 4. Axc6 dxc6 5. O-O Dd4 6. Cxd4 exd4 7. Te1 Rd7 *",
            "es it",
        ),
        (
            "1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd4 6. Pxd4 exd4 7. Te1 Kd7 *",
            "nl",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 3. Gb5 a6 4. Gxc6 dxc6 5. O-O Hd4 6. Sxd4 exd4 7. We1 Kd7 *",
            "pl",
        ),
        (
            "1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. Сxc6 dxc6 5. O-O Фd4 6. Кxd4 exd4 7. Лe1 Крd7 *",
            "ru",
        ),
    ] {
        let (game, problems) = read_one(text);
        assert_eq!(game.ply_count(), 14, "{text}: {problems:?}");
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        for language in languages.split(' ') {
            let mut options = OpenOptions::default();
            options.pieces = PieceLetters::of_language(language);
            let (again, problems) = read_with(text, &options);
            assert_eq!((problems.len(), again == game), (0, true), "{language}");
        }
        let mut english = OpenOptions::default();
        english.pieces = PieceLetters::of_language("en");
        assert!(read_with(text, &english).0.ply_count() < 14, "{text}");
    }
    // Games that do not agree, and letters that fit several languages with different moves.
    let mixed = "[Event \"a\"]\n\n1. e4 e5 2. Sf3 *\n\n[Event \"b\"]\n\n1. e4 e5 2. Nf3 *\n";
    let (first, problems) = read_one(mixed);
    assert_eq!(first.ply_count(), 2);
    // The way to read such games is a part of the problem.
    assert!(problems[0].contains("`--pieces de`"), "{problems:?}");
    let (_, problems) = read_one("[Event \"a\"]\n\n1. e4 e5 2. Ra5 *\n\n1. e4 Qh9 *\n");
    assert!(!problems[0].contains("--pieces"), "{problems:?}");
}
