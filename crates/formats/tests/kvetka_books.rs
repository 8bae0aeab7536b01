//! Kvetka books: the published description's examples, books made byte by byte and by another
//! program, building at once and in steps, damage.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::io::Read;
use std::path::{Path, PathBuf};

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, GameLink, Wdl};
use tabia_core::chess::{Ply, Position, Setup, san, uci};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Flow, Game, GameResult};
use tabia_core::io::{Blob, Source};
use tabia_core::loss::{Feature, Losses};
use tabia_formats::archives::compressed;
use tabia_formats::books::kvetka::{
    AddedGame, Findings, Key, KvetkaBook, KvetkaBuilder, ListForm, Orientation, SourceGame,
    SourceKind, TextOrder, decode_move, encode_move,
};
use tabia_testkit::repository;
use tabia_testkit::{Scratch, shared_data};

fn open(path: &Path) -> KvetkaBook {
    let source = Source::from_path(path).unwrap();
    KvetkaBook::open(&source, &OpenOptions::default()).unwrap()
}

/// The book of a set in memory; its first file is the main one.
fn in_memory(files: &[(&str, &[u8])]) -> tabia_core::Result<KvetkaBook> {
    let members = files
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), Blob::from(bytes.to_vec())))
        .collect();
    let source = Source::from_members(files[0].0, files[0].0, members)?;
    KvetkaBook::open(&source, &OpenOptions::default())
}

fn position(fen: &str) -> Position {
    Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
}

fn after(moves: &str) -> Position {
    let mut position = Position::standard();
    for m in moves.split_whitespace() {
        san::read_and_play(&mut position, m.as_bytes()).unwrap();
    }
    position
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

#[test]
fn keys_match_the_description() {
    for (fen, key, flip, mirror) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "b60f7960f3a60f58b078e0c1e1a60f5960f3b60f70f0",
            false,
            false,
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "b60f7960f3a60f58b078e0c721a60f5960f3b60f70f0",
            true,
            false,
        ),
        (
            "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/2KR3R b kq - 0 1",
            "b60e60e6952b3f0a2c78ef029bd46913e60eb60f7030",
            true,
            false,
        ),
        (
            "2kr3r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/2KR3R w - - 0 1",
            "b60f760e6913e29bd4b458f1de0d2a567e160e60e000",
            false,
            true,
        ),
        (
            "8/8/5k2/8/8/8/1K6/8 w - - 0 1",
            "00000420000002000000000000000000000000000000",
            false,
            true,
        ),
        (
            "6k1/8/8/1Pp5/8/8/8/2K5 w - c6 0 1",
            "0001080000040380c001800000000000000000000000",
            false,
            true,
        ),
    ] {
        let position = position(fen);
        let (found, orientation) = Key::of(&position).unwrap();
        if !fen.starts_with('8') && !fen.starts_with("6k1") {
            assert_eq!(hex(&found.0), key, "{fen}");
        }
        assert_eq!(
            (orientation.flipped, orientation.mirrored),
            (flip, mirror),
            "{fen}"
        );
        let back = found.position(orientation).unwrap();
        assert_eq!(Key::of(&back), Some((found, orientation)), "{fen}");
    }
    let en_passant = after("e4 d5 e5 f5");
    let (key, orientation) = Key::of(&en_passant).unwrap();
    assert_eq!(hex(&key.0), "b60f7960f3a60f58b1c8e019e1a6395960f3b60f76f0");
    for (line, m, code) in [
        ("", "e4", 0x11),
        ("e4", "d5", 0x0d),
        ("", "Nf3", 0x29),
        ("Nf3", "Nc6", 0x20),
        ("e4 d5 e5 f5", "exf6", 0x12),
        ("d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7", "O-O-O", 0xc5),
    ] {
        let position = after(line);
        let Ok(Ply::Move(m)) = san::read(&position, m.as_bytes()) else {
            panic!("{m}")
        };
        let orientation = Orientation::of(&position);
        assert_eq!(encode_move(&position, orientation, m), Some(code), "{m}");
        assert_eq!(decode_move(&position, orientation, code), Some(m));
    }
    assert_eq!(orientation, Orientation::IDENTITY);
    assert_eq!(Key([0xff; 22]).position(Orientation::IDENTITY), None);
    assert_eq!(Key([0; 22]).position(Orientation::IDENTITY), None);
}

#[test]
fn keys_match_the_vectors() {
    let Some(path) = shared_data("keys_of_all_vectors", "books/vectors/kvetka_keys.tsv") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let position = position(columns[0]);
        let (key, orientation) = Key::of(&position).unwrap();
        assert_eq!(hex(&key.0), columns[1], "{line}");
        assert_eq!(
            u8::from(orientation.flipped).to_string(),
            columns[2],
            "{line}"
        );
        assert_eq!(
            u8::from(orientation.mirrored).to_string(),
            columns[3],
            "{line}"
        );
        let back = key.position(orientation).unwrap();
        assert_eq!(back.key(), position.key(), "{line}");
        // Every legal move comes back, and no two have the same code.
        let mut codes = [false; 256];
        for &m in &*position.legal_moves() {
            if let Some(code) = encode_move(&position, orientation, m) {
                assert_eq!(decode_move(&position, orientation, code), Some(m), "{line}");
                assert!(!std::mem::replace(&mut codes[usize::from(code)], true));
            }
        }
        count += 1;
    }
    assert_eq!(count, 327);
}

#[test]
fn moves_match_the_vectors() {
    let Some(path) = shared_data("moves_of_all_vectors", "books/vectors/kvetka_moves.tsv") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let position = position(columns[0]);
        // One vector takes a king, which is no move.
        let code = match uci::read(&position, columns[1].as_bytes()) {
            Some(Ply::Move(m)) => encode_move(&position, Orientation::of(&position), m),
            _ => None,
        };
        let code = code.map_or_else(|| "-".to_owned(), |code| format!("{code:02x}"));
        assert_eq!(code, columns[2], "{line}");
        count += 1;
    }
    assert_eq!(count, 1158);
}

fn fixture(name: &str) -> PathBuf {
    repository()
        .join("crates/formats/tests/fixtures/kvetka")
        .join(name)
}

#[test]
fn minimal_book_is_written_byte_by_byte() {
    let scratch = Scratch::new("kvetka-mini");
    let mut options = CreateOptions::default();
    options.title = Some("Test book".to_owned());
    options
        .facts
        .push(("plies of a game".to_owned(), "2".to_owned()));
    let mut builder = Box::new(KvetkaBuilder::create(&scratch.join("mini.kob"), &options).unwrap());
    builder.name_openings(|position| {
        let is_start = *position == Position::standard();
        is_start.then(|| "A00|Start position".to_owned())
    });
    let source = builder
        .add_source(SourceKind::Pgn, "%currentdirmini.pgn")
        .unwrap();
    let row = SourceGame {
        address: 0,
        length: 0x60,
        white: "Ivanov, I",
        black: "Smith",
        white_elo: 2500,
        black_elo: 0,
        result: GameResult::WhiteWins,
    };
    let plies = ["e4", "e5", "Nf3"].map(str::as_bytes);
    let added = builder
        .add_game(Some(source), &row, &Position::standard(), line(&plies))
        .unwrap();
    assert_eq!(added, AddedGame::Yes(Some(0)));
    let book = builder.finish().unwrap();
    assert_eq!(book.losses, Losses::new());
    assert_eq!((book.size.positions, book.written.records), (3, 3));
    assert_eq!(scratch.names(), ["mini.kin", "mini.ksf", "mini_0.kob"]);
    for name in scratch.names() {
        let expected = std::fs::read(fixture(&name)).unwrap();
        assert!(
            std::fs::read(scratch.join(&name)).unwrap() == expected,
            "{name}"
        );
    }
}

/// Plies of moves from the usual start.
fn line(moves: &[&[u8]]) -> Vec<Ply> {
    let mut position = Position::standard();
    moves
        .iter()
        .map(|m| san::read_and_play(&mut position, m).unwrap())
        .collect()
}

#[test]
fn minimal_book_is_read() {
    // Any file of the set names it.
    for name in ["mini_0.kob", "mini.kin", "mini.ksf"] {
        let source = Source::from_path(&fixture(name)).unwrap();
        let source = source.with_main("kob").unwrap_or(source);
        let book = KvetkaBook::open(&source, &OpenOptions::default()).unwrap();
        assert_eq!(book.info().problems, [""; 0], "{name}");
        assert!(book.sources().is_some(), "{name}");
    }
    let book = open(&fixture("mini_0.kob"));
    assert_eq!(book.inspect().problems(), [""; 0]);
    assert_eq!(book.text_order(), TextOrder::Little);
    let fact = |name: &str| {
        let found = book.info().facts.iter().find(|(key, _)| key == name);
        found.unwrap().1.clone()
    };
    assert_eq!(fact("caption"), "Test book");
    assert_eq!(fact("text order"), "UTF-16LE, as the texts show");
    assert_eq!(fact("game lists"), "compact, as the lists show");
    let mut page = BookPosition::default();
    assert!(book.probe(&Position::standard(), &mut page).unwrap());
    assert_eq!(page.comment.as_deref(), Some("A00|Start position"));
    let won = Wdl {
        white: 1,
        ..Wdl::default()
    };
    assert_eq!((page.games, page.results), (Some(1), Some(won)));
    assert_eq!(page.entries[0].m.unwrap().to_string(), "e2e4");
    assert_eq!(page.entries[0].results, Some(won));
    assert!(book.probe(&after("e4"), &mut page).unwrap());
    assert_eq!(page.results, Some(won));
    assert_eq!(page.entries[0].m.unwrap().to_string(), "e7e5");
    assert!(book.probe(&after("e4 e5"), &mut page).unwrap());
    assert_eq!(page.games_ending_here, [GameLink::default()]);
    assert!(!book.probe(&after("d4"), &mut page).unwrap());
    assert!(page.entries.is_empty());
    let game = book.linked_game(GameLink::default()).unwrap().unwrap();
    assert_eq!(
        (game.white.as_str(), game.white_elo),
        ("Ivanov, I", Some(2500))
    );
    assert_eq!((game.offset, game.length), (Some(0), Some(0x60)));
    assert_eq!(game.path, Some(fixture("mini.pgn")));
    let text = std::fs::read(game.path.unwrap()).unwrap();
    assert!(text.starts_with(b"["));
    let missing = GameLink { source: 0, game: 1 };
    assert_eq!(book.linked_game(missing).unwrap(), None);
}

/// A game of a PGN file, with its offset and length.
struct PgnGame {
    game: Game,
    address: u64,
    length: u64,
}

/// The first games of a compressed PGN file.
fn games_of(path: &Path, count: usize) -> Vec<PgnGame> {
    let file = Box::new(std::fs::File::open(path).unwrap());
    let (stream, _) = compressed::decompress(file).unwrap();
    let mut text = Vec::new();
    stream.take(400_000).read_to_end(&mut text).unwrap();
    let starts: Vec<usize> = (0..text.len())
        .filter(|&at| text[at..].starts_with(b"[Event ") && (at == 0 || text[at - 1] == b'\n'))
        .collect();
    let first_games = &text[..starts[count]];
    let mut stream = support::stream(&tabia_formats::games::pgn::FORMAT, first_games);
    support::read_stream(&mut *stream, tabia_core::game::Want::ALL)
        .into_iter()
        .zip(starts.windows(2))
        .map(|(read, starts)| PgnGame {
            game: read.game,
            address: starts[0] as u64,
            length: (starts[1] - starts[0]) as u64,
        })
        .collect()
}

fn add_all(builder: &mut KvetkaBuilder, source: Option<u32>, games: &[PgnGame]) -> usize {
    let mut added = 0;
    for PgnGame {
        game,
        address,
        length,
    } in games
    {
        let tags = &game.head.tags;
        let row = SourceGame {
            address: *address,
            length: *length,
            white: tags.text("White"),
            black: tags.text("Black"),
            white_elo: tags.white_elo().unwrap_or(0),
            black_elo: tags.black_elo().unwrap_or(0),
            result: game.result,
        };
        let start = game.head.start.position().unwrap();
        let outcome = builder.add_game(source, &row, &start, game.mainline());
        added += usize::from(matches!(outcome.unwrap(), AddedGame::Yes(_)));
    }
    added
}

fn options(facts: &[(&str, &str)]) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.title = Some("Test book".to_owned());
    for (name, value) in facts {
        options
            .facts
            .push(((*name).to_owned(), (*value).to_owned()));
    }
    options
}

/// All files of a folder.
fn files(scratch: &Scratch) -> Set {
    let read = |name: String| {
        let bytes = std::fs::read(scratch.join(&name)).unwrap();
        (name, bytes)
    };
    scratch.names().into_iter().map(read).collect()
}

#[test]
fn book_of_another_program_is_read_and_rebuilt() {
    let test = "the_book_of_another_program_is_read_and_made_again";
    let Some(folder) = shared_data(test, "books/made") else {
        return;
    };
    let book = open(&folder.join("kv400_0.kob"));
    assert_eq!(book.info().problems, [""; 0]);
    let findings = book.inspect();
    assert_eq!(findings.problems(), [""; 0]);
    assert_eq!(findings.elements, 8817);
    let Some(pgn) = shared_data(test, "pgn/m10k.pgn.zst") else {
        return;
    };
    let games = games_of(&pgn, 400);
    let scratch = Scratch::new("kvetka-400");
    let options = options(&[("plies of a game", "30")]);
    let mut builder =
        Box::new(KvetkaBuilder::create(&scratch.join("kv400.kob"), &options).unwrap());
    builder.name_openings(|position| {
        let is_start = *position == Position::standard();
        is_start.then(|| "A00|Start position".to_owned())
    });
    let source = builder.add_source(SourceKind::Pgn, "%currentdirm10k.pgn");
    assert_eq!(add_all(&mut builder, Some(source.unwrap()), &games), 400);
    builder.finish().unwrap();
    for (name, bytes) in files(&scratch) {
        let expected = std::fs::read(folder.join(&name)).unwrap();
        let differs = bytes.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!((differs, bytes.len()), (None, expected.len()), "{name}");
    }
}

/// Some short games with transpositions, a promotion without a code, and players beyond ASCII.
fn small_games() -> Vec<PgnGame> {
    let lines = [
        ("e4 e5 Nf3 Nc6 Bb5 a6", "1-0", "Müller", 2500, 2400),
        ("d4 d5 c4 e6", "1/2-1/2", "Ćirić", 2300, 0),
        ("c4 e6 d4 d5", "0-1", "Smith", 0, 2600),
        ("e4 e5 Nf3 Nc6 Bb5 a6", "*", "Novák", 2100, 2200),
        ("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4", "1-0", "Back", 0, 0),
        (
            "h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8=N",
            "1-0",
            "Knight",
            0,
            0,
        ),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6", "0-1", "Тест", 2450, 2450),
    ];
    lines
        .iter()
        .enumerate()
        .map(|(number, (moves, result, white, white_elo, black_elo))| {
            let moves: Vec<&[u8]> = moves.split(' ').map(str::as_bytes).collect();
            let mut game = Game::new();
            let mut recorder = game.recorder();
            for ply in line(&moves) {
                recorder.push_move(ply);
            }
            drop(recorder);
            let tags = &mut game.head.tags;
            tags.push("White", white);
            tags.push("Black", "B");
            tags.push("WhiteElo", &white_elo.to_string());
            tags.push("BlackElo", &black_elo.to_string());
            game.result = GameResult::parse(result.as_bytes()).unwrap();
            PgnGame {
                game,
                address: 100 * number as u64,
                length: 90,
            }
        })
        .collect()
}

fn build(path: &Path, options: &CreateOptions, games: &[PgnGame]) -> Losses {
    let mut builder = Box::new(KvetkaBuilder::create(path, options).unwrap());
    let source = builder.add_source(SourceKind::Pgn, "a.pgn").unwrap();
    add_all(&mut builder, Some(source), games);
    builder.finish().unwrap().losses
}

#[test]
fn a_game_counts_once_in_each_position() {
    let scratch = Scratch::new("kvetka-count");
    let losses = build(&scratch.join("a.kob"), &options(&[]), &small_games());
    // One promotion to a knight; names outside windows-1252.
    assert_eq!(losses.count(Feature::BookMoves), 1);
    assert_eq!(losses.count(Feature::Characters), 2);
    let book = open(&scratch.join("a_0.kob"));
    assert_eq!(book.inspect().problems(), [""; 0]);
    let mut page = BookPosition::default();
    assert!(book.probe(&Position::standard(), &mut page).unwrap());
    // Seven games, one without a result; one returns to the standard position.
    let results = Wdl {
        white: 3,
        draws: 1,
        black: 2,
    };
    assert_eq!(page.results, Some(results));
    let mut moves: Vec<String> = page
        .entries
        .iter()
        .map(|entry| entry.m.unwrap().to_string())
        .collect();
    moves.sort();
    assert_eq!(moves, ["c2c4", "d2d4", "e2e4", "g1f3", "h2h4"]);
    let e4 = page
        .entries
        .iter()
        .find(|entry| entry.m.is_some_and(|m| m.to_string() == "e2e4"));
    let results = Wdl {
        white: 2,
        draws: 0,
        black: 1,
    };
    assert_eq!(e4.unwrap().results, Some(results));
    assert_eq!(page.sample_game, Some(GameLink { source: 0, game: 0 }));
    let transposition = after("d4 d5 c4 e6");
    assert!(book.probe(&transposition, &mut page).unwrap());
    let links = [1, 2].map(|game| GameLink { source: 0, game });
    assert_eq!(page.games_ending_here, links);
    for (number, game) in small_games().iter().enumerate() {
        let link = GameLink {
            source: 0,
            game: number as u32,
        };
        let linked = book.linked_game(link).unwrap().unwrap();
        let white = game.game.head.tags.text("White");
        let shown = encoding_of(white);
        assert_eq!(
            (linked.white.as_str(), linked.offset),
            (&*shown, Some(game.address))
        );
        assert_eq!(linked.result, game.game.result);
    }
    // The game with a move that has no code ends in the last position stored.
    let knight = after("h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8=N");
    assert!(book.probe(&knight, &mut page).unwrap());
    assert_eq!(page.games_ending_here, [GameLink { source: 0, game: 5 }]);
}

fn encoding_of(name: &str) -> String {
    name.chars()
        .map(|c| {
            if "ÄÖÜäöüá".contains(c) || c.is_ascii() {
                c
            } else {
                '?'
            }
        })
        .collect()
}

#[test]
fn appending_games_gives_the_same_bytes_as_building_at_once() {
    let games = small_games();
    for facts in [
        &[][..],
        &[("kvetka.memory", "200"), ("kvetka.part", "2100")],
        &[("kvetka.strings", "be"), ("kvetka.list", "u16")],
        &[
            ("moves to all known positions", "yes"),
            ("plies of a game", "4"),
        ],
    ] {
        let options = options(facts);
        let once = Scratch::new("kvetka-once");
        let mut builder = Box::new(KvetkaBuilder::create(&once.join("x.kob"), &options).unwrap());
        for (name, part) in [("a.pgn", &games[..3]), ("b.pgn", &games[3..])] {
            let source = builder.add_source(SourceKind::Pgn, name).unwrap();
            add_all(&mut builder, Some(source), part);
        }
        builder.finish().unwrap();
        let steps = Scratch::new("kvetka-steps");
        build(&steps.join("x.kob"), &options, &games[..3]);
        let first = open(&steps.join("x_0.kob"));
        // The book replaces itself.
        let mut again = options.clone();
        again.force = true;
        let mut builder =
            Box::new(KvetkaBuilder::append(&first, &steps.join("x_0.kob"), &again).unwrap());
        let source = builder.add_source(SourceKind::Pgn, "b.pgn").unwrap();
        add_all(&mut builder, Some(source), &games[3..]);
        builder.finish().unwrap();
        let (once, steps) = (files(&once), files(&steps));
        let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
            files.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&once), names(&steps), "{facts:?}");
        assert!(once == steps, "{facts:?}");
    }
}

#[test]
fn header_filters_games_by_rating_and_start() {
    let scratch = Scratch::new("kvetka-filter");
    for (name, elo, expected) in [
        ("least Elo of White", "2400", 2),
        ("least Elo of Black", "2400", 3),
        ("least Elo of the stronger", "2450", 3),
        ("least Elo of the weaker", "2400", 2),
        ("least Elo of the weaker", "0", 7),
    ] {
        let options = options(&[(name, elo)]);
        let mut writer = KvetkaBuilder::create(&scratch.join("a.kob"), &options).unwrap();
        assert_eq!(
            add_all(&mut writer, None, &small_games()),
            expected,
            "{name}"
        );
    }
    // A game from a setup position.
    let start = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let add = |facts: &[(&str, &str)]| {
        let mut builder = KvetkaBuilder::create(&scratch.join("b.kob"), &options(facts)).unwrap();
        let row = SourceGame::default();
        builder.add_game(None, &row, &start, []).unwrap()
    };
    assert_eq!(add(&[]), AddedGame::Start);
    assert_eq!(add(&[("kvetka.any_start", "yes")]), AddedGame::Yes(None));
}

#[test]
fn order_of_games_does_not_change_the_moves() {
    let scratch = Scratch::new("kvetka-order");
    let mut games = small_games();
    let plies = line(&["c4", "d5", "Nf3"].map(str::as_bytes));
    let mut recorder = games[0].game.recorder();
    for ply in plies {
        recorder.push_move(ply);
    }
    drop(recorder);
    let options = options(&[("moves to all known positions", "yes")]);
    let moves = |name: &str, games: &[PgnGame]| {
        let path = scratch.join(format!("{name}.kob"));
        let mut builder = Box::new(KvetkaBuilder::create(&path, &options).unwrap());
        add_all(&mut builder, None, games);
        builder.finish().unwrap();
        std::fs::read(scratch.join(format!("{name}_0.kob"))).unwrap()
    };
    let forwards = moves("a", &games);
    games.reverse();
    assert!(forwards == moves("b", &games));
    // 2.d4 was never played after 1.c4 d5, but what it leads to is known.
    let book = open(&scratch.join("a_0.kob"));
    let mut page = BookPosition::default();
    assert!(book.moves(&after("c4 d5"), &mut page).unwrap());
    assert_eq!(page.entries.len(), 2);
    let before = book.inspect().moves;
    let plain = Scratch::new("kvetka-plain");
    build(&plain.join("a.kob"), &CreateOptions::default(), &games);
    assert!(before > open(&plain.join("a_0.kob")).inspect().moves);
}

#[test]
fn copied_positions_give_the_same_bytes() {
    let scratch = Scratch::new("kvetka-copy");
    let options = options(&[]);
    build(&scratch.join("a.kob"), &options, &small_games());
    let book = open(&scratch.join("a_0.kob"));
    let mut pages = Vec::new();
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("Kvetka books know the board")
        };
        pages.push((position.clone(), page.clone()));
        Flow::Go
    })
    .unwrap();
    // Positions are visited in the orientation in which they are reached.
    assert!(
        pages
            .iter()
            .any(|(position, _)| position.key() == after("e4").key())
    );
    for backwards in [false, true] {
        let path = scratch.join(if backwards { "c.kob" } else { "b.kob" });
        let mut writer = Box::new(KvetkaBuilder::create(&path, &options).unwrap());
        writer.copy_sources(&book).unwrap();
        let mut losses = Losses::new();
        if backwards {
            pages.reverse();
        }
        for (position, page) in &pages {
            losses.merge(&writer.put(position, page).unwrap());
        }
        losses.merge(&writer.finish().unwrap().losses);
        assert_eq!(losses, Losses::new());
    }
    let read = |name: &str| std::fs::read(scratch.join(name)).unwrap();
    for (ours, theirs) in [("_0.kob", "_0.kob"), (".kin", ".kin"), (".ksf", ".ksf")] {
        assert!(
            read(&format!("a{theirs}")) == read(&format!("b{ours}")),
            "{ours}"
        );
        assert!(
            read(&format!("a{theirs}")) == read(&format!("c{ours}")),
            "{ours}"
        );
    }
    // Without the sources the links are lost, and counted as lost.
    let mut writer = Box::new(KvetkaBuilder::create(&scratch.join("d.kob"), &options).unwrap());
    let losses = writer.put(&pages[0].0, &pages[0].1).unwrap();
    assert!(losses.count(Feature::GameLinks) > 0);
}

/// 1.e4 e5 and 1.e3 e5 2.e4 lead to mirror images, which share one record in a ChessBase book.
#[test]
fn mirror_images_in_a_chessbase_book_count_once() {
    let scratch = Scratch::new("kvetka-images");
    let path = scratch.join("a.ctg");
    let create = tabia_formats::books::ctg::FORMAT.create;
    let mut writer = create(&path, &CreateOptions::default()).unwrap();
    let wdl = |white, draws, black| Wdl {
        white,
        draws,
        black,
    };
    let lines = [("e4 e5 Nf3", wdl(3, 1, 0)), ("e3 e5 e4 Nf6", wdl(0, 0, 2))];
    for (line, results) in lines {
        let mut before = String::new();
        for name in line.split(' ') {
            let position = after(&before);
            let Ply::Move(m) = san::read(&position, name.as_bytes()).unwrap() else {
                panic!("{name}")
            };
            let mut page = BookPosition::default();
            page.games = Some(results.games());
            page.results = Some(results);
            page.entries = vec![
                BookEntry::new(m)
                    .with_games(results.games())
                    .with_results(results),
            ];
            writer.put(&position, &page).unwrap();
            before = format!("{before} {name}");
        }
    }
    writer.finish().unwrap();
    let source = Source::from_path(&path).unwrap();
    let book = tabia_formats::books::ctg::CtgBook::open(&source, &OpenOptions::default()).unwrap();
    let mut writer =
        Box::new(KvetkaBuilder::create(&scratch.join("a.kob"), &CreateOptions::default()).unwrap());
    let mut again = 0;
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("ChessBase's books know the board")
        };
        again += usize::from(page.is_duplicate);
        writer.put(position, page).unwrap();
        Flow::Go
    })
    .unwrap();
    writer.finish().unwrap();
    assert!(again > 0);
    let copy = open(&scratch.join("a_0.kob"));
    let mut page = BookPosition::default();
    for (moves, expected) in [("e4 e5", wdl(5, 1, 0)), ("e3 e5 e4", wdl(0, 1, 5))] {
        for known in [&book as &dyn Book, &copy] {
            assert!(known.probe(&after(moves), &mut page).unwrap(), "{moves}");
            assert_eq!(page.results, Some(expected), "{moves}");
        }
    }
}

#[test]
fn open_points_are_read_in_every_form() {
    let games = small_games();
    for (order, order_name) in [(TextOrder::Little, "le"), (TextOrder::Big, "be")] {
        for (form, form_name) in ListForm::ALL {
            let scratch = Scratch::new("kvetka-forms");
            let options = options(&[("kvetka.strings", order_name), ("kvetka.list", form_name)]);
            let mut builder =
                Box::new(KvetkaBuilder::create(&scratch.join("a.kob"), &options).unwrap());
            builder.name_openings(|_| Some("A00|Имя".to_owned()));
            let source = builder.add_source(SourceKind::Pgn, "a.pgn").unwrap();
            add_all(&mut builder, Some(source), &games);
            builder.finish().unwrap();
            let book = open(&scratch.join("a_0.kob"));
            assert_eq!((book.text_order(), book.list_form()), (order, form));
            assert_eq!(book.inspect().problems(), [""; 0]);
            assert_eq!(book.sources().unwrap().source(0).unwrap().address, "a.pgn");
            let mut page = BookPosition::default();
            assert!(book.probe(&after("d4 d5 c4 e6"), &mut page).unwrap());
            assert_eq!(
                (page.games_ending_here.len(), page.comment.as_deref()),
                (2, Some("A00|Имя"))
            );
        }
    }
}

#[test]
fn many_games_fill_parts_and_lists_to_their_limit() {
    let scratch = Scratch::new("kvetka-parts");
    let options = options(&[("kvetka.part", "8192"), ("kvetka.memory", "30000")]);
    let mut builder = Box::new(KvetkaBuilder::create(&scratch.join("a.kob"), &options).unwrap());
    builder.name_openings(|position| {
        Some(format!(
            "B00|{}",
            "long ".repeat(position.key() as usize % 90)
        ))
    });
    let source = builder.add_source(SourceKind::Pgn, "a.pgn").unwrap();
    // Every game ends after two moves: many in the same positions.
    let start = Position::standard();
    for number in 0..3000u64 {
        let mut position = start.clone();
        let mut plies = Vec::new();
        let mut seed = number * 7919;
        for _ in 0..2 {
            let moves = position.legal_moves();
            let m = moves[(seed % 5) as usize];
            seed /= 5;
            plies.push(Ply::Move(m));
            position.play(m);
        }
        let row = SourceGame {
            address: number,
            result: GameResult::Draw,
            ..SourceGame::default()
        };
        builder.add_game(Some(source), &row, &start, plies).unwrap();
    }
    let losses = builder.finish().unwrap().losses;
    assert!(losses.count(Feature::GameLinks) > 0 && losses.count(Feature::LongText) > 0);
    assert!(scratch.names().contains(&"a_1.kob".to_owned()));
    for name in scratch.names().iter().filter(|name| name.ends_with("kob")) {
        let length = scratch.join(name).metadata().unwrap().len();
        assert!(length <= 8192, "{name}");
    }
    for name in ["a_0.kob", "a_1.kob"] {
        let book = open(&scratch.join(name));
        assert_eq!(book.info().problems, [""; 0]);
        assert_eq!(book.inspect().problems(), [""; 0]);
        assert_eq!(book.inspect().elements, 31);
    }
}

/// Files by name.
type Set = Vec<(String, Vec<u8>)>;

/// A sound set of three blocks.
fn sound_set() -> Set {
    let scratch = Scratch::new("kvetka-whole");
    let options = options(&[("kvetka.part", "4200"), ("kvetka.fill", "30")]);
    build(&scratch.join("a.kob"), &options, &small_games());
    files(&scratch)
}

fn damaged(change: impl Fn(&mut Set)) -> tabia_core::Result<KvetkaBook> {
    let mut set = sound_set();
    change(&mut set);
    // The first part is the main file, if it is there.
    set.sort_by_key(|(name, _)| !name.ends_with("_0.kob"));
    let set: Vec<(&str, &[u8])> = set
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    in_memory(&set)
}

fn edit<'s>(set: &'s mut [(String, Vec<u8>)], name: &str) -> &'s mut Vec<u8> {
    &mut set.iter_mut().find(|(file, _)| file == name).unwrap().1
}

/// Uses all of a book, however damaged it is.
fn findings(book: &KvetkaBook) -> Findings {
    let mut page = BookPosition::default();
    for line in ["", "e4", "d4 d5 c4 e6", "Nf3 Nf6"] {
        let _ = book.probe(&after(line), &mut page);
        for link in page.games_ending_here.iter().chain(&page.sample_game) {
            let _ = book.linked_game(*link);
        }
    }
    let mut left = 500;
    book.for_each(&mut |_, _| {
        left -= 1;
        if left == 0 { Flow::Stop } else { Flow::Go }
    })
    .unwrap();
    book.inspect()
}

/// Header bytes of the test books: twenty and the caption.
const HEADER: usize = 38;

#[test]
fn every_kind_of_damage_is_reported() {
    let names: Vec<String> = sound_set().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a.kin", "a.ksf", "a_0.kob", "a_1.kob"]);
    let sound = damaged(|_| {}).unwrap();
    assert_eq!(
        (
            sound.info().problems.as_slice(),
            findings(&sound).problems()
        ),
        (&[][..], vec![])
    );
    let total = findings(&sound).elements;
    let problem = |change: &dyn Fn(&mut Set)| {
        let book = damaged(change).unwrap();
        let mut problems = book.info().problems.clone();
        problems.extend(findings(&book).problems());
        problems
    };
    let has_problem = |problems: &[String], what: &str| {
        assert!(
            problems.iter().any(|line| line.contains(what)),
            "{what}: {problems:?}"
        );
    };

    // The first part is missing, too short, of another type, with an impossible caption.
    let error = damaged(|set| set.retain(|(name, _)| name != "a_0.kob")).map(|_| ());
    assert!(error.is_err());
    for change in [
        |bytes: &mut Vec<u8>| bytes.truncate(12),
        |bytes: &mut Vec<u8>| bytes[0] = 2,
        |bytes: &mut Vec<u8>| bytes[1] = 0xff,
        |bytes: &mut Vec<u8>| bytes[4] = 0xff,
    ] {
        let error = damaged(|set| {
            let bytes = edit(set, "a_0.kob");
            change(bytes);
            bytes.truncate(300);
        });
        assert!(error.is_err());
    }
    let error = damaged(|set| edit(set, "a_0.kob")[0] = 3).unwrap_err();
    assert!(error.to_string().contains("type 3"), "{error}");

    // A gap in the numbers.
    let problems = problem(&|set| set[3].0 = "a_2.kob".to_owned());
    has_problem(&problems, "part 1 is missing: part 2");
    has_problem(&problems, "the header states");

    // Sizes.
    let problems = problem(&|set| edit(set, "a_1.kob").extend([1, 2, 3]));
    has_problem(
        &problems,
        "3 bytes at the end of part 1, which is no complete block",
    );
    has_problem(&problems, "the header states");
    let cut = damaged(|set| {
        edit(set, "a_1.kob").truncate(2047);
    })
    .unwrap();
    assert!(findings(&cut).elements < total);

    // Lengths of blocks.
    for length in [[0, 0], [0, 1], [8, 1], [0xff, 0xff]] {
        let problems = problem(&|set| {
            edit(set, "a_0.kob")[HEADER..HEADER + 2].copy_from_slice(&length);
        });
        has_problem(&problems, "1 block has an impossible length");
    }
    let book = damaged(|set| {
        edit(set, "a_0.kob")[HEADER..HEADER + 2].copy_from_slice(&[0, 2]);
    })
    .unwrap();
    assert_eq!(findings(&book).empty_blocks, 1);
    assert!(findings(&book).elements < total);

    // Lengths of elements: malformed, too short, past the end of what counts.
    for length in [0x1a, 0x00, 0x7f] {
        let book = damaged(|set| {
            let block = &mut edit(set, "a_0.kob")[HEADER..];
            block[2] = length;
            if length == 0x7f {
                block[0] = 0;
                block[1] = 60;
            }
        })
        .unwrap();
        assert!(findings(&book).lost_bytes > 0, "{length:x}");
    }
    let book = damaged(|set| edit(set, "a_0.kob")[HEADER + 2..HEADER + 16].fill(0x80)).unwrap();
    assert!(findings(&book).lost_bytes > 0);

    // Fields past the end of their element: the number of moves.
    let problems = problem(&|set| edit(set, "a_0.kob")[HEADER + 28] = 0xff);
    has_problem(&problems, "1 element is longer or shorter than its fields");

    // Flags: of a later version, or none for the bytes that are there.
    let flags = |set: &mut Set, new: u8| {
        let block = &mut edit(set, "a_0.kob")[HEADER..];
        let moves = usize::from(block[28]);
        block[29 + moves] = new;
    };
    has_problem(
        &problem(&|set| flags(set, 0x80)),
        "flags that are not known",
    );
    has_problem(
        &problem(&|set| flags(set, 0)),
        "bytes that no flag announces",
    );
    has_problem(&problem(&|set| flags(set, 5)), "longer than the element");
    let problems = problem(&|set| flags(set, 6));
    has_problem(&problems, "1 list of games cannot be read");

    // Keys: impossible, out of order, repeated.
    let problems = problem(&|set| edit(set, "a_0.kob")[HEADER + 3] = 0xff);
    has_problem(&problems, "a key that is no position");
    has_problem(&problems, "out of order");
    let problems = problem(&|set| {
        let block = &mut edit(set, "a_0.kob")[HEADER..];
        let next = 3 + usize::from(block[2]);
        let key = block[3..25].to_vec();
        block[next + 1..next + 23].copy_from_slice(&key);
    });
    has_problem(&problems, "1 element repeats a position");

    // Moves: a code that is never used, one that is not legal, the same one twice.
    let problems = problem(&|set| {
        for block in 0..2 {
            let block = &mut edit(set, "a_0.kob")[HEADER + 2048 * block..][..2048];
            let mut at = 2;
            while block[at] >= 27 {
                for code in 0..usize::from(block[at + 26]) {
                    block[at + 27 + code] = 0xc6;
                }
                at += 1 + usize::from(block[at]);
            }
        }
    });
    has_problem(&problems, "no legal move");

    // Links: no list of sources, no such source, no such game.
    let problems = problem(&|set| set.retain(|(name, _)| name != "a.ksf"));
    has_problem(&problems, "a.ksf is missing");
    has_problem(&problems, "to no known game");

    // The index.
    has_problem(
        &problem(&|set| edit(set, "a.kin").truncate(23)),
        "the index has 23 bytes",
    );
    let book = damaged(|set| edit(set, "a.kin").reverse()).unwrap();
    let mut page = BookPosition::default();
    assert!(book.probe(&after("e4 e5"), &mut page).unwrap());
    has_problem(
        &findings(&book).problems(),
        "fields of the index do not fit",
    );
    let book = damaged(|set| set.retain(|(name, _)| name != "a.kin")).unwrap();
    assert!(book.probe(&after("e4 e5"), &mut page).unwrap());
    assert_eq!(findings(&book).problems(), [""; 0]);

    // Sources: an offset outside or in the table, a length past the end, too many of them.
    for (at, bytes) in [
        (4, [0xff, 0xff, 0xff, 0xff]),
        (4, [0, 0, 0, 8]),
        (514, [0x7f, 0xff, 0xff, 0xff]),
        (528, [0x7f, 0xff, 0xff, 0xff]),
    ] {
        let problems = problem(&|set| edit(set, "a.ksf")[at..at + 4].copy_from_slice(&bytes));
        has_problem(&problems, "source 1 cannot be read");
    }
    let problems = problem(&|set| edit(set, "a.ksf")[..4].fill(0x7f));
    has_problem(&problems, "sources does not fit");

    // Bits of element_type that are not known: read, never rewritten.
    let book = damaged(|set| edit(set, "a_0.kob")[HEADER - 6] |= 0x80).unwrap();
    has_problem(&book.info().problems, "element_type 0x81");
    let scratch = Scratch::new("kvetka-later");
    let again = KvetkaBuilder::append(&book, &scratch.join("b.kob"), &CreateOptions::default());
    assert!(again.is_err());
}

#[test]
fn changed_bytes_cause_no_panic() {
    let set = sound_set();
    for name in ["a_0.kob", "a.ksf", "a.kin"] {
        let length = set.iter().find(|(file, _)| file == name).unwrap().1.len();
        for at in (0..length).step_by(7).chain(0..60.min(length)) {
            for new in [0u8, 0x7f, 0xff] {
                if let Ok(book) = damaged_with(&set, name, at, new) {
                    let _ = findings(&book);
                }
            }
        }
    }
}

fn damaged_with(
    set: &[(String, Vec<u8>)],
    name: &str,
    at: usize,
    new: u8,
) -> tabia_core::Result<KvetkaBook> {
    let mut set = set.to_vec();
    edit(&mut set, name)[at] = new;
    set.sort_by_key(|(name, _)| !name.ends_with("_0.kob"));
    let set: Vec<(&str, &[u8])> = set
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    in_memory(&set)
}

#[test]
fn book_without_a_part_number_is_read_alone() {
    let bytes = std::fs::read(fixture("mini_0.kob")).unwrap();
    for name in ["mini.kob", "mini_2011.kob"] {
        let book = in_memory(&[(name, &bytes)]).unwrap();
        assert_eq!(findings(&book).elements, 3, "{name}");
    }
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let scratch = Scratch::new("kvetka-exists");
    for taken in ["a_0.kob", "a_1.kob", "a.kin", "a.ksf"] {
        std::fs::write(scratch.join(taken), b"existing").unwrap();
        assert!(KvetkaBuilder::create(&scratch.join("a.kob"), &options(&[])).is_err());
        std::fs::remove_file(scratch.join(taken)).unwrap();
    }
    // A smaller book removes the other parts of the larger one.
    let mut large = options(&[("kvetka.part", "2100"), ("kvetka.fill", "1")]);
    large.force = true;
    build(&scratch.join("a.kob"), &large, &small_games());
    assert!(scratch.names().len() > 4);
    let mut small = options(&[]);
    small.force = true;
    let writer = Box::new(KvetkaBuilder::create(&scratch.join("a.kob"), &small).unwrap());
    writer.finish().unwrap();
    assert_eq!(scratch.names(), ["a.kin", "a_0.kob"]);
    let empty = open(&scratch.join("a_0.kob"));
    assert_eq!(
        (empty.info().problems.len(), findings(&empty).elements),
        (0, 0)
    );
}
