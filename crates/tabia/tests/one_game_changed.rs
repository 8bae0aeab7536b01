//! One game of a database is changed, others are added: in every format that can be written and read.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};

use tabia::{CreateOptions, Error, Game, GameIndex, Move, Ply, Position, ReadOptions, Square};
use tabia_testkit::{Scratch, shared_data};

/// All files of a folder with their contents.
fn contents(folder: &Scratch) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

const THREE: &str = "[Event \"First\"]\n[White \"Abel\"]\n[Black \"Brandt\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
    [Event \"Second\"]\n[White \"Çelik\"]\n[Black \"Doe\"]\n[Result \"*\"]\n\n1. d4 (1. c4 {English} e5) d5 *\n\n\
    [Event \"Third\"]\n[White \"Eve\"]\n[Black \"Fay\"]\n[Result \"0-1\"]\n\n1. g4 e5 2. f3 Qh4# 0-1\n";

fn games(path: &Path) -> Vec<Game> {
    let mut games = tabia::open(path).unwrap().games();
    let read = games.by_ref().map(Result::unwrap).collect();
    assert!(games.problems().is_empty(), "{}", path.display());
    read
}

/// Formats that hold players, variations and comments.
fn formats() -> impl Iterator<Item = &'static str> {
    let formats = tabia::writable_formats();
    let formats = formats.filter(|format| {
        [
            tabia::Feature::Comments,
            tabia::Feature::Variations,
            tabia::Feature::ChessGames,
        ]
        .iter()
        .all(|feature| format.can.has(*feature))
    });
    let readable = formats.filter(|format| format.can.has(tabia::Feature::Moves));
    readable
        .filter(|format| !["ndjson", "csv"].contains(&format.file.extensions[0]))
        .map(|format| format.file.extensions[0])
}

fn database(folder: &Scratch, extension: &str) -> PathBuf {
    let pgn = folder.join("three.txt.pgn");
    std::fs::write(&pgn, THREE).unwrap();
    let path = folder.join(format!("base.{extension}"));
    tabia::convert(&pgn, &path).unwrap();
    std::fs::remove_file(pgn).unwrap();
    path
}

#[test]
fn a_text_file_keeps_its_ends_of_lines() {
    let folder = Scratch::new("one-game-line-ends");
    let path = folder.join("games.pgn");
    for end in ["\r\n", "\r", "\n"] {
        std::fs::write(&path, THREE.replace('\n', end)).unwrap();
        tabia::change_game(&path, GameIndex(1), |game| game.set_comment(2, "Closed.")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.replace(end, "").find(['\r', '\n']), None, "{text:?}");
        let [before, after] =
            [THREE, &text.replace(end, "\n")].map(|text| text.matches('\n').count());
        // The changed game has three tags more.
        assert_eq!(before + 3, after, "{text:?}");
        assert_eq!(games(&path).len(), 3);
    }
}

/// Bytes of a PGN file of two games with a name that needs them.
fn two_games(name: &[u8]) -> Vec<u8> {
    let parts: [&[u8]; 3] = [
        b"[White \"A\"]\n\n1. e4 e5 *\n\n[White \"",
        name,
        b"\"]\n\n1. d4 d5 *\n",
    ];
    parts.concat()
}

#[test]
fn a_text_file_keeps_its_character_set() {
    let folder = Scratch::new("one-game-charset");
    let path = folder.join("games.pgn");
    // windows-1252, windows-1251, UTF-8 with and without a mark at its start, ASCII.
    for (name, text, comment, bytes) in [
        (
            &b"M\xfcller"[..],
            "Müller",
            "Größe – é",
            Some(&b"Gr\xf6\xdfe \x96 \xe9"[..]),
        ),
        (b"M\xfcller", "Müller", "Карпов", None),
        (
            b"\xca\xe0\xf0\xef\xee\xe2",
            "Карпов",
            "Таль",
            Some(b"\xd2\xe0\xeb\xfc"),
        ),
        (b"\xca\xe0\xf0\xef\xee\xe2", "Карпов", "Ø", None),
        (
            "Müller".as_bytes(),
            "Müller",
            "Карпов",
            Some("Карпов".as_bytes()),
        ),
        (b"Mu", "Mu", "Карпов", Some("Карпов".as_bytes())),
    ] {
        for mark in [&b""[..], b"\xef\xbb\xbf"] {
            if !mark.is_empty() && str::from_utf8(name).is_err() {
                continue;
            }
            for index in [0, 1] {
                let before = [mark, &two_games(name)].concat();
                std::fs::write(&path, &before).unwrap();
                let changed = tabia::change_game(&path, GameIndex(index), |game| {
                    game.set_comment(1, comment)
                });
                let after = std::fs::read(&path).unwrap();
                let Some(bytes) = bytes else {
                    let error = changed.unwrap_err().to_string();
                    assert!(error.contains("is in windows-125"), "{error}");
                    assert_eq!(after, before);
                    continue;
                };
                assert!(changed.unwrap().is_empty());
                assert!(after.starts_with(mark));
                let contains = |part: &[u8]| after.windows(part.len()).any(|found| found == part);
                assert!(contains(bytes), "{comment}");
                assert!(contains(name));
                let games = games(&path);
                assert_eq!(games[1].tag("White"), Some(text));
                let text = tabia::pgn_of_game(&games[index as usize]).unwrap();
                assert!(text.contains(comment), "{text}");
            }
        }
    }
}

#[test]
fn a_text_file_in_another_language_is_not_mixed() {
    let folder = Scratch::new("one-game-language");
    let path = folder.join("games.pgn");
    let moves = "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. La4 Sf6 5. O-O Le7 6. Te1 b5 7. Lb3 d6 8. c3 O-O 9. h3 Sb8";
    let text = format!("[White \"A\"]\n\n{moves} *\n\n[White \"B\"]\n\n{moves} *\n");
    std::fs::write(&path, &text).unwrap();
    let read = tabia::open(&path).unwrap().games().flatten();
    let plies: Vec<usize> = read.map(|game| game.ply_count()).collect();
    assert_eq!(plies, [18, 18]);
    let changed = tabia::change_game(&path, GameIndex(1), |game| game.set_comment(1, "x"));
    let error = changed.unwrap_err().to_string();
    assert!(error.contains("piece letters"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_reason_is_named_why_a_game_stays() {
    let folder = Scratch::new("one-game-reasons");
    let path = folder.join("games.pgn");
    let utf16: Vec<u8> = "\u{feff}1. e4 *\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let reasons = ["UTF-16", "no result", "begin with `%`"];
    for (text, reason) in [
        (utf16.as_slice(), reasons[0]),
        (b"[White \"A\"]\n\n1. e4 e5\n\n", reasons[1]),
        (b"[White \"A\"]\n\n1. e4\n% x\ne5 *\n", reasons[2]),
    ] {
        std::fs::write(&path, text).unwrap();
        let changed = tabia::change_game(&path, GameIndex(0), |game| game.set_comment(1, "x"));
        let error = changed.unwrap_err().to_string();
        for other in reasons {
            assert_eq!(error.contains(other), other == reason, "{error}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), text);
    }
    let changed = tabia::append_games(folder.join("none.pgn"), &[Game::new()]);
    let error = changed.unwrap_err();
    assert!(
        error.is_not_found() && !error.to_string().contains("entity"),
        "{error}"
    );
}

#[test]
fn a_changed_result_and_start_replace_their_tags() {
    use tabia::GameResult::{BlackWins, Draw};
    let mut seen = 0;
    for extension in formats() {
        let folder = Scratch::new(&format!("one-game-result-{extension}"));
        let path = database(&folder, extension);
        for result in [BlackWins, Draw] {
            let lost = tabia::change_game(&path, GameIndex(0), |game| {
                game.result = result;
                Ok(())
            })
            .unwrap();
            assert!(lost.is_empty(), "{extension}: {lost}");
            let read = &games(&path)[0];
            assert_eq!(read.result, result, "{extension}");
            assert_eq!(read.tag("Result"), Some(result.pgn()), "{extension}");
        }
        seen += 1;
    }
    assert!(seen >= 6, "{seen} formats");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let stored =
        format!("[White \"A\"]\n[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 1-0\n");
    let mut game = tabia::game_of_pgn(&stored).unwrap();
    game.head.start = tabia::Start::default();
    game.result = Draw;
    for profile in [tabia::Profile::Standard, tabia::Profile::Full] {
        let mut options = CreateOptions::default();
        options.profile = profile;
        let (text, lost) = tabia::pgn_and_losses(&game, GameIndex(0), &options).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(lost.is_empty(), "{profile:?}: {lost}");
        for absent in ["FEN", "SetUp", "TabiaResult", "1-0"] {
            assert!(!text.contains(absent), "{text}");
        }
        assert!(
            text.contains("[Result \"1/2-1/2\"]") && text.contains("1. e4 1/2-1/2"),
            "{text}"
        );
        // Of a file that contradicts itself, both results are kept.
        let contradicting = stored.replace("1. e4 1-0", "1. e4 0-1");
        let read = tabia::open_reader(std::io::Cursor::new(contradicting)).unwrap();
        let read = read.games().next().unwrap().unwrap();
        let text = tabia::pgn_with(&read, GameIndex(0), &options).unwrap();
        let text = String::from_utf8(text).unwrap();
        let is_full = profile == tabia::Profile::Full;
        assert_eq!(text.contains("[Result \"1-0\"]"), is_full, "{text}");
        assert!(text.contains("1. e4 0-1"), "{text}");
    }
}

#[test]
fn castling_of_chess960_is_written_as_chess960_has_it() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *";
    for fen in [String::new(), format!("[SetUp \"1\"]\n[FEN \"{start}\"]\n")] {
        for (variant, expected) in [("Chess960", "e1h1"), ("Standard", "e1g1")] {
            let pgn = format!("[Variant \"{variant}\"]\n{fen}\n{moves}");
            let game = tabia::game_of_pgn(&pgn).unwrap();
            let is_960 = game.start_position().unwrap().is_chess960();
            assert_eq!(is_960, variant == "Chess960");
            let (position, ply) = game.mainline().with_positions().last().unwrap();
            assert_eq!(position.uci(ply).to_string(), expected);
        }
    }
}

#[test]
fn a_game_is_changed_and_the_others_stay() {
    let mut seen = 0;
    for extension in formats() {
        let folder = Scratch::new(&format!("one-game-change-{extension}"));
        let path = database(&folder, extension);
        let before = games(&path);
        tabia::change_game(&path, GameIndex(1), |game| {
            game.head.tags.set("White", "Çelik, Bülent");
            game.set_comment(2, "Closed.")
        })
        .unwrap();
        let after = games(&path);
        assert_eq!(after.len(), 3, "{extension}");
        assert_eq!(after[0], before[0], "{extension}");
        assert_eq!(after[2], before[2], "{extension}");
        let mut expected = before[1].clone();
        expected.head.tags.set("White", "Çelik, Bülent");
        expected.set_comment(2, "Closed.").unwrap();
        assert_eq!(
            tabia::pgn_of_game(&after[1]).unwrap(),
            tabia::pgn_of_game(&expected).unwrap(),
            "{extension}"
        );
        seen += 1;
    }
    assert!(seen >= 6, "{seen} formats");
}

#[test]
fn games_are_added() {
    let mut seen = 0;
    for extension in formats() {
        let folder = Scratch::new(&format!("one-game-append-{extension}"));
        let path = database(&folder, extension);
        let before = games(&path);
        let game = tabia::game_of_pgn("[White \"Gil\"]\n\n1. Nf3 {Réti} d5 *").unwrap();
        let summary = tabia::append_games(&path, &[game.clone(), game]).unwrap();
        assert_eq!(summary.counts.games, 2, "{extension}");
        let after = games(&path);
        assert_eq!(after[..3], before[..], "{extension}");
        for game in &after[3..] {
            assert_eq!(game.tag("White"), Some("Gil"), "{extension}");
            let text = tabia::pgn_of_game(game).unwrap();
            assert!(
                text.contains("1. Nf3 {Réti} 1... d5"),
                "{extension}: {text}"
            );
        }
        assert_eq!(after.len(), 5, "{extension}");
        seen += 1;
    }
    assert!(seen >= 6, "{seen} formats");
}

#[test]
fn other_games_of_a_pgn_file_keep_their_bytes() {
    let folder = Scratch::new("one-game-bytes");
    let path = folder.join("own.pgn");
    let text = "% of a program\n[White   \"A\"]\r\n\r\n1.e4   e5 {strange\twriting} 1-0\r\n\r\n\r\n\
        [White \"B\"]\n\n1. d4 *\n\n\n[White \"C\"]\n\n1.c4 ; rest of line\n1/2-1/2\n\n; the end\n";
    std::fs::write(&path, text).unwrap();
    tabia::change_game(&path, GameIndex(1), |game| {
        game.set_comment(1, "Queen's pawn.")
    })
    .unwrap();
    let changed = std::fs::read_to_string(&path).unwrap();
    let (start, rest) = text.split_once("[White \"B\"]").unwrap();
    let (_, end) = rest.split_once("1. d4 *").unwrap();
    let middle = changed
        .strip_prefix(start)
        .and_then(|rest| rest.strip_suffix(end))
        .unwrap_or_else(|| panic!("{changed}"));
    assert!(middle.contains("[White \"B\"]"), "{middle}");
    assert!(middle.ends_with("1. d4 {Queen's pawn.} *"), "{middle}");
}

#[test]
fn what_cannot_be_changed_is_refused_and_stays() {
    let change = |game: &mut Game| game.set_comment(1, "x");
    let folder = Scratch::new("one-game-refused");
    for (name, text) in [
        (
            "escape.pgn",
            "[White \"A\"]\n\n1. e4 *\n% a line for a program\n",
        ),
        ("damaged.pgn", "[White \"A\"]\n\n1. e4 Ke4 2. d4 *\n"),
        ("cut.pgn", "[White \"A\"]\n\n1. e4 e5\n"),
        ("empty.pgn", "[White \"A\"]\n\n*\n"),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let error = tabia::change_game(&path, GameIndex(0), change).unwrap_err();
        assert!(!error.to_string().is_empty());
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            text,
            "{name}: {error}"
        );
    }
    let path = database(&folder, "si4");
    let before = contents(&folder);
    let error = tabia::change_game(&path, GameIndex(3), change).unwrap_err();
    assert!(error.to_string().contains("has no game 4"), "{error}");
    let failed = tabia::change_game(&path, GameIndex(0), |_| Err(Error::usage("no")));
    assert!(failed.is_err());
    let illegal = |game: &mut Game| {
        *game = with_illegal_move(false);
        Ok(())
    };
    let error = tabia::change_game(&path, GameIndex(0), illegal).unwrap_err();
    assert!(
        error.to_string().contains("e7e4 is not a legal move"),
        "{error}"
    );
    assert!(tabia::append_games(&path, &[with_illegal_move(true)]).is_err());
    assert!(tabia::append_games(folder.join("none.pgn"), &[Game::new()]).is_err());
    assert_eq!(contents(&folder), before);
}

/// `1. e4 e7xe4`, or the second move as a variation.
fn with_illegal_move(in_variation: bool) -> Game {
    use tabia::Visitor as _;
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let start = Position::standard();
    recorder.push_move(start.parse_san("e4").unwrap());
    if in_variation {
        recorder.push_move(Ply::Move(Move::normal(Square::E7, Square::E5)));
        let _ = recorder.begin_variation();
    }
    recorder.push_move(Ply::Move(Move::normal(Square::E7, Square::E4)));
    recorder.push_move(Ply::Move(Move::normal(Square::G1, Square::F3)));
    recorder.end_game(tabia::GameResult::Unknown);
    game
}

#[test]
fn no_format_is_written_with_a_move_that_cannot_be_played() {
    let mut seen = 0;
    for format in tabia::writable_formats() {
        for in_variation in [false, true] {
            let extension = format.file.extensions[0];
            let folder = Scratch::new(&format!("one-game-illegal-{extension}-{in_variation}"));
            let path = folder.join(format!("base.{extension}"));
            let mut writer = tabia::create(&path).unwrap();
            let error = writer.write(&with_illegal_move(in_variation)).unwrap_err();
            assert!(
                error.to_string().contains("e7e4 is not a legal move"),
                "{error}"
            );
            drop(writer);
            assert_eq!(contents(&folder), [], "{extension}");
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
    let options = CreateOptions::default();
    for in_variation in [false, true] {
        let game = with_illegal_move(in_variation);
        assert!(tabia::pgn_of_game(&game).is_err());
        assert!(tabia::pgn_with(&game, GameIndex(0), &options).is_err());
    }
}

/// Games from files can be written again: what readers hand on is what writers take.
#[test]
fn moves_that_were_read_can_be_played() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures");
    let mut seen = 0;
    for folder in [samples, fixtures] {
        seen += check_moves_below(Path::new(folder));
    }
    assert!(seen > 100, "{seen} games");
}

#[test]
fn moves_of_real_files_can_be_played() {
    let test = "moves_of_real_files_can_be_played";
    for (folder, least) in [
        ("cbh", 6_000),
        ("scid/si4", 1_000),
        ("scid/sci", 80),
        ("pgn/annotated", 1_000),
        ("pgn/chess960", 4),
        ("pgn/lichess", 2_400),
    ] {
        if let Some(path) = shared_data(test, folder) {
            let seen = check_moves_below(&path);
            assert!(seen >= least, "{folder}: {seen} games");
        }
    }
}

/// Checks the games that can be read in a folder and those below it; how many there were.
fn check_moves_below(folder: &Path) -> usize {
    let mut seen = 0;
    for folder in folders(folder) {
        let Ok(input) = tabia::open_with(&folder, ReadOptions::default()) else {
            continue;
        };
        for game in input.games().flatten() {
            if let Err(error) = game.check_moves() {
                panic!("{}: {error}", folder.display());
            }
            seen += 1;
        }
    }
    seen
}

/// A folder and those in it.
fn folders(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![path.to_path_buf()];
    let mut next = 0;
    while let Some(folder) = all.get(next).cloned() {
        next += 1;
        let entries = std::fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        all.extend(paths.filter(|path| path.is_dir()));
    }
    all
}
