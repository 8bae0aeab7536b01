//! Databases that the test encoder makes, and the public sample: read, damaged, detected.

use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::chess::{Color, Piece, Ply, Role, Square};
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::game::{Annotation, Event, Game, GameResult};
use tabia_core::games::PartKind;
use tabia_core::io::{Charset, Cursor, Sink, Source};
use tabia_testkit::open_and_read::{assert_fixture, open_files, read_games};
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{dump, shared_data};

use super::FORMAT;
use super::moves::Board;

/// The games of the fixture, which contain everything that the format can hold.
fn games() -> Vec<Game> {
    let named = |builder: GameBuilder, white: &str, round: &str, result: &str| {
        builder
            .tag("Event", "Tiny Open")
            .tag("Site", "?")
            .tag("Date", "1991.??.??")
            .tag("Round", round)
            .tag("White", white)
            .tag("Black", "Brandt, B")
            .tag("Result", result)
    };
    let first = named(GameBuilder::new(), "Hübner, A", "3", "1-0")
        .tag("WhiteElo", "2605")
        .tag("BlackElo", "1600")
        .tag("ECO", "C20")
        .moves("e4 e5")
        .nag(1)
        .nag(133)
        .nag(145)
        .comment("Grüße,\nzwei Zeilen")
        .begin()
        .moves("c5 Nf3")
        .begin()
        .moves("c3 d5")
        .comment("anders")
        .end()
        .moves("d6")
        .end()
        .begin()
        .moves("e6")
        .end()
        .moves("Nf3 Nc6 Bc4 Bc5 O-O Nf6")
        .nag(18)
        .result(GameResult::WhiteWins);
    let castled = named(GameBuilder::new(), "Abel, A", "2.1", "1/2-1/2")
        .moves("e4 Nf6 e5 g6 Nf3 Bg7 Bc4 d5 O-O O-O a4 h6 a5 b5 axb6 axb6 Rxa8")
        .result(GameResult::Draw);
    let fen = "r3k2r/1P6/8/3pP3/8/8/7p/R3K3 w Qkq d6 0 20";
    let setup = named(GameBuilder::from_fen(fen), "?", "?", "0-1")
        .tag("SetUp", "1")
        .tag("FEN", fen)
        .moves("exd6 O-O O-O-O h1=N bxa8=R")
        .result(GameResult::BlackWins);
    let empty = named(GameBuilder::new(), "Abel, A", "?", "*").result(GameResult::Unknown);
    vec![first, castled, setup, empty]
}

/// Applies the mask that `record.rs` removes.
fn mask(bytes: &mut [u8], mut mask: u8, factor: u8) {
    for byte in bytes.iter_mut().rev() {
        *byte ^= mask;
        mask = mask.wrapping_mul(factor);
    }
}

fn dos(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        'ü' => 0x81,
        'ß' => 0xe1,
        '\n' => 0xfe,
        c => u8::try_from(c).unwrap(),
    };
    text.chars().map(byte).collect()
}

/// Games as `.cbf` and `.cbi`.
fn files(games: &[Game]) -> [(String, Vec<u8>); 2] {
    let mut data = Vec::new();
    let mut index = Sink::new();
    index.u32_be(games.len() as u32 + 1);
    for (number, game) in (2..).zip(games) {
        index.u32_be(data.len() as u32 + number);
        data.extend(record(game));
    }
    index.u32_be(data.len() as u32 + games.len() as u32 + 2);
    [
        ("tiny.cbf".to_owned(), data),
        ("tiny.cbi".to_owned(), index.into_vec()),
    ]
}

fn record(game: &Game) -> Vec<u8> {
    let tags = &game.head.tags;
    let players = dos(&format!("{}-{}", tags.text("White"), tags.text("Black")));
    let source = dos(&match tags.text("Round") {
        "?" => tags.text("Event").to_owned(),
        round => format!("{} ({round})", tags.text("Event")),
    });
    let (mut moves, text) = moves(game);
    moves.push(0x80);
    let length = moves.len();
    let inner = length - 1;
    if inner > 1 {
        mask(&mut moves[1..inner], 49_u8.wrapping_mul(length as u8), 7);
    }
    let code = tags.eco().map_or(0, |eco| eco.code() + 1);
    let elo = |elo: Option<u16>| elo.map_or(0, |elo| ((elo - 1600) / 5) as u8);
    let year = tags.date().unwrap().year - 1900;
    let mut header = [
        year as u8,
        match game.result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
            _ => 3,
        },
        (length >> 8) as u8,
        length as u8,
        players.len() as u8 | (code << 1 & 0xc0) as u8,
        source.len() as u8 | (code >> 1 & 0xc0) as u8,
        ((text.len() + 1) >> 8) as u8,
        (text.len() + 1) as u8,
        // 1600 would be stored as 0, which means no rating.
        elo(tags.white_elo()),
        elo(tags.black_elo()),
        ((code & 31) << 1) as u8,
        0,
        game.ply_count().div_ceil(2) as u8,
        0,
    ];
    let board = game.head.start.setup.as_deref().map(|setup| {
        let mut rights = 1 | u8::from(!setup.turn.is_white()) << 1;
        for (bit, color, side) in [(4, 0, 1), (8, 0, 0), (16, 1, 1), (32, 1, 0)] {
            if setup.castling[color][side].is_some() {
                rights |= bit;
            }
        }
        header[10] = rights;
        header[11] = setup.en_passant.map_or(0, |square| square.file() + 1);
        let nibble = |square: Square| match setup.piece(square) {
            None => 0,
            Some(Piece { color, role }) => {
                let number = match role {
                    Role::King => 1,
                    Role::Queen => 2,
                    Role::Knight => 3,
                    Role::Bishop => 4,
                    Role::Rook => 5,
                    Role::Pawn => 6,
                };
                if color == Color::White {
                    number
                } else {
                    number + 8
                }
            }
        };
        let squares: Vec<u8> = Square::ALL.into_iter().map(nibble).collect();
        let mut board: Vec<u8> = squares.chunks(2).map(|two| two[0] << 4 | two[1]).collect();
        board.push((setup.full_move_number - 1) as u8);
        board
    });
    header[13] = header[0]
        .wrapping_mul(0x25)
        .wrapping_add(header[5])
        .wrapping_add(header[9]);
    header[11] ^= (14 + players.len() + source.len()) as u8;
    mask(&mut header, 101, 3);
    let mut names = [players, source].concat();
    let total = names.len() as u8;
    mask(&mut names, 3_u8.wrapping_mul(total), 3);
    [
        header.to_vec(),
        names,
        moves,
        text,
        board.unwrap_or_default(),
    ]
    .concat()
}

/// The moves without the last byte, and the text area.
fn moves(game: &Game) -> (Vec<u8>, Vec<u8>) {
    let start = match game.head.start.setup.as_deref() {
        None => Board::standard(),
        Some(setup) => {
            let en_passant_file = setup.en_passant.map(Square::file);
            Board::from_setup(setup, en_passant_file).unwrap()
        }
    };
    let mut line = (start.clone(), start);
    let mut open = Vec::new();
    let mut bytes = Vec::new();
    let mut text_area: Vec<u8> = Vec::new();
    let mut annotations: Option<(Vec<u8>, String)> = None;
    let mut last = 0;
    let flush = |annotations: &mut Option<(Vec<u8>, String)>, text_area: &mut Vec<u8>| {
        if let Some((codes, text)) = annotations.take() {
            let mut codes = codes;
            codes.resize(3, 0);
            text_area.extend(codes);
            text_area.extend(dos(&text));
            text_area.push(0xff);
        }
    };
    for event in game.events() {
        match event {
            Event::Move(Ply::Move(m)) => {
                flush(&mut annotations, &mut text_area);
                last = bytes.len();
                bytes.push(line.1.number_of(m).unwrap());
                line.0 = line.1.clone();
                line.1.play(m);
            }
            Event::Move(Ply::Null) => panic!("there are no null moves"),
            Event::Annotation(annotation) => {
                bytes[last] |= 0x80;
                let (codes, text) = annotations.get_or_insert_default();
                match annotation {
                    Annotation::Nag(nag) => {
                        let (index, code) = match nag.0 {
                            1 => (0, 1),
                            18 => (1, 1),
                            133 => (1, 11),
                            145 => (2, 1),
                            other => panic!("no code for {other}"),
                        };
                        codes.resize(3, 0);
                        codes[index] = code;
                    }
                    Annotation::Comment(comment) => text.push_str(comment.text),
                    other => panic!("{other:?} cannot be encoded"),
                }
            }
            Event::BeginVariation => {
                flush(&mut annotations, &mut text_area);
                bytes.push(0xff);
                let before = line.0.clone();
                open.push(std::mem::replace(&mut line, (before.clone(), before)));
            }
            Event::EndVariation => {
                flush(&mut annotations, &mut text_area);
                bytes.push(0x80);
                line = open.pop().unwrap();
            }
        }
    }
    flush(&mut annotations, &mut text_area);
    (bytes, text_area)
}

#[test]
fn encoded_games_are_read_back_equal() {
    let written = games();
    let files = files(&written);
    let database = open_files(&FORMAT, &files, &OpenOptions::default()).unwrap();
    assert_eq!(database.info().problems, [""; 0]);
    let (found, problems) = read_games(&*database);
    assert_eq!(problems, [""; 0]);
    for (index, (expected, found)) in (0..).zip(written.iter().zip(&found)) {
        let mut expected = expected.clone();
        // 1600 has no code.
        expected
            .head
            .tags
            .retain(|name, value| name != "BlackElo" || value != "1600");
        let index = GameIndex(index);
        dump::assert_same(
            "a game",
            &dump::game(index, &expected),
            &dump::game(index, found),
        );
        assert_eq!(expected, *found);
    }
    let mut wrong = 0;
    database.verify(&mut |_| wrong += 1);
    assert_eq!(wrong, 0);
    // The fixture is this database; `TABIA_UPDATE=1` writes it.
    for (name, bytes) in &files {
        assert_fixture(&FORMAT, name, bytes);
    }
}

#[test]
fn records_are_found_without_an_index() {
    let written = games();
    let [games, _] = files(&written);
    let database = open_files(&FORMAT, &[games], &OpenOptions::default()).unwrap();
    assert_eq!(database.len() as usize, written.len());
    assert_eq!(database.info().problems.len(), 1);
    let (found, problems) = read_games(&*database);
    assert_eq!(problems, [""; 0]);
    assert_eq!(found[1].ply_count(), written[1].ply_count());
}

#[test]
fn records_that_a_damaged_index_lacks_are_found() {
    let written = games();
    let [cbf, (name, index)] = files(&written);
    let read = |index: &[u8], options: &OpenOptions| {
        let files = [cbf.clone(), (name.clone(), index.to_vec())];
        open_files(&FORMAT, &files, options).unwrap()
    };
    let (intact, _) = read_games(&*read(&index, &OpenOptions::default()));
    let mut salvage = OpenOptions::default();
    salvage.salvage = true;
    let open = |index: &[u8], options: &OpenOptions| {
        let database = read(index, options);
        let same = read_games(&*database).0 == intact;
        (database.len(), same, database.info().problems.len())
    };
    let all = written.len() as u32;
    assert_eq!(open(&index, &salvage), (all, true, 0));
    for length in [0, 3, 4, 5, 8, 15] {
        for options in [&OpenOptions::default(), &salvage] {
            let (found, same, problems) = open(&index[..length], options);
            assert_eq!((found, same), (all, true), "{length}");
            assert!(problems > 0, "{length}");
        }
    }
    // A hole, and a count that is too small.
    let mut hole = index.clone();
    hole[8..12].fill(0xff);
    assert_eq!(open(&hole, &salvage), (all, true, 1));
    let mut small = index;
    small[3] -= 2;
    assert_eq!(open(&small, &salvage), (all, true, 1));
}

#[test]
fn many_holes_of_an_index_are_filled_in_order() {
    let one = record(&games()[0]);
    let count = 40_000;
    let data = one.repeat(count);
    let mut index = Sink::new();
    index.u32_be(count as u32 + 1);
    for number in 0..count {
        // Every third offset is right; the others lead nowhere, before the file or after it.
        index.u32_be(match number % 3 {
            0 => (number * one.len()) as u32 + number as u32 + 2,
            1 => u32::MAX,
            _ => 0,
        });
    }
    index.u32_be(data.len() as u32 + count as u32 + 2);
    let files = [
        ("tiny.cbf".to_owned(), data),
        ("tiny.cbi".to_owned(), index.into_vec()),
    ];
    let mut salvage = OpenOptions::default();
    salvage.salvage = true;
    let start = std::time::Instant::now();
    let database = open_files(&FORMAT, &files, &salvage).unwrap();
    let seconds = start.elapsed().as_secs();
    assert_eq!(database.len() as usize, count);
    for number in [0, 1, 2, 3, 20_000, count - 1] {
        let parts = database.stored_parts(GameIndex(number as u32));
        let mut games = parts.iter().filter(|part| part.kind == PartKind::Game);
        let offset = games.next().unwrap().offset;
        assert_eq!(offset as usize, number * one.len(), "{number}");
    }
    // In the square of the number of holes it took minutes.
    assert!(seconds < 10, "{seconds} s");
}

#[test]
fn a_number_without_a_move_ends_the_line() {
    let [(name, mut data), index] = files(&games());
    // The last move of the second game becomes one of a number that is too high: the mask is an
    // exclusive or, so the number can be changed under it.
    let start = Cursor::new(&index.1[8..]).u32_be("offset").unwrap() as usize - 3;
    let end = Cursor::new(&index.1[12..]).u32_be("offset").unwrap() as usize - 4;
    let last = end - 2;
    assert!(start < last);
    data[last] ^= 0x60;
    let database = open_files(&FORMAT, &[(name, data), index], &OpenOptions::default()).unwrap();
    let (found, problems) = read_games(&*database);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("game 2, ply 16"), "{}", problems[0]);
    assert_eq!(found[1].ply_count(), 16);
    let unread = found[1].events().filter(|event| {
        matches!(event, Event::Annotation(Annotation::Foreign(kept)) if kept.is_unread_moves())
    });
    assert_eq!(unread.count(), 1);
}

#[test]
fn a_wrong_check_byte_is_a_problem() {
    let [(name, mut data), index] = files(&games());
    data[13] ^= 1;
    let database = open_files(&FORMAT, &[(name, data), index], &OpenOptions::default()).unwrap();
    let (found, problems) = read_games(&*database);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("`check`"), "{}", problems[0]);
    assert_eq!(found[0].ply_count(), games()[0].ply_count());
}

#[test]
fn the_character_set_can_be_chosen() {
    let files = files(&games());
    let mut options = OpenOptions::default();
    options.charset = Charset::parse("cp1252").unwrap();
    let database = open_files(&FORMAT, &files, &options).unwrap();
    assert_eq!(database.info().encoding, "windows-1252");
    let (found, _) = read_games(&*database);
    assert_eq!(found[0].head.tags.text("White"), "H\u{81}bner, A");
}

#[test]
fn files_are_detected_by_extension_and_check_byte() {
    let [(_, data), _] = files(&games());
    let score = |name, head| {
        (FORMAT.file.score)(&Probe {
            name: Some(name),
            head,
            len: None,
        })
    };
    assert_eq!(score("a.CBF", &data), Confidence::Likely);
    assert_eq!(score("a.cbf", b"short"), Confidence::ByName);
    assert_eq!(score("a.cbh", &data), Confidence::No);
}

/// The public sample has the games of the PGN file it was made from. Others made it after the same
/// description, and Scidb reads it.
#[test]
fn the_sample_has_the_games_of_its_pgn_source() {
    let test = "the_sample_has_the_games_of_its_pgn_source";
    let Some(folder) = shared_data(test, "cbf") else {
        return;
    };
    let open = |path: &Path, format: &tabia_core::GameFormat| {
        let source = Source::from_path(path).unwrap();
        (format.open)(&source, &OpenOptions::default()).unwrap()
    };
    let database = open(&folder.join("features.cbf"), &FORMAT);
    let (found, problems) = read_games(&*database);
    assert_eq!((found.len(), problems), (86, Vec::new()));
    let pgn = open(&folder.join("features.pgn"), &crate::games::pgn::FORMAT);
    let (expected, problems) = read_games(&*pgn);
    assert_eq!((expected.len(), problems), (86, Vec::new()));
    let moves = |game: &Game| -> Vec<String> {
        let is_move = |event: &Event<'_>| !matches!(event, Event::Annotation(_));
        let moves = game.events().filter(is_move);
        moves.map(|event| format!("{event:?}")).collect()
    };
    // The words of the comments; those before the first move cannot be stored.
    let words = |game: &Game| -> Vec<String> {
        let mut seen = false;
        let mut words = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(_) => seen = true,
                Event::Annotation(Annotation::Comment(comment)) if seen => {
                    words.extend(comment.text.split_whitespace().map(str::to_owned));
                }
                _ => {}
            }
        }
        words
    };
    let mut other_words = Vec::new();
    for (index, (expected, found)) in (1..).zip(expected.iter().zip(&found)) {
        assert_eq!(moves(expected), moves(found), "game {index}");
        assert_eq!(expected.result, found.result, "game {index}");
        if words(expected) != words(found) {
            other_words.push(index);
        }
    }
    // A comment before the first move of a variation cannot be stored either, and the comment of
    // game 19 has letters that CP850 lacks.
    assert_eq!(other_words, [3, 19]);
}
