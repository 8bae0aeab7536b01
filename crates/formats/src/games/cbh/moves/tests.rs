//! Move records of real databases, of generated games, and damaged ones.

use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position, Setup};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Event, Flow, Game, GameHead, GameResult, Start, Visitor,
    Want,
};
use tabia_core::io::Cursor;
use tabia_testkit::shared_data;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Random, corrupt};

use super::{AnnotationAnchor, AnnotationSource, Decoder, Encoder, MoveRecord, NoAnnotations};

const DEPTH: u32 = 1 << 16;

/// A comment on every move: its number in stored order.
struct NumberComments(u32);

impl AnnotationSource for NumberComments {
    fn visit(&mut self, anchor: AnnotationAnchor, visitor: &mut dyn Visitor) -> Flow {
        let text = match anchor {
            AnnotationAnchor::Move(number) => number.to_string(),
            AnnotationAnchor::Game => "game".to_owned(),
            AnnotationAnchor::Past(number) => format!("past {number}"),
        };
        visitor.visit_annotation(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: &text,
        }))
    }

    fn end_number(&self) -> u32 {
        self.0
    }
}

/// Reads a record; also the error message, empty if there is no error.
fn read(
    decoder: &mut Decoder,
    bytes: &[u8],
    want: Want,
    annotations: &mut dyn AnnotationSource,
) -> (Game, String) {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let record = match decoder.open(bytes, 0, None) {
        Ok(record) => record,
        Err(error) => return (game, error.to_string()),
    };
    let mut head = GameHead::default();
    head.start = record.start.clone();
    let _ = recorder.begin_game(GameIndex(0), &head);
    let visited = decoder.visit(&record, want, &mut recorder, annotations);
    recorder.end_game(GameResult::Unknown);
    (
        game,
        visited
            .error
            .map_or_else(String::new, |error| error.to_string()),
    )
}

fn encode(game: &Game) -> Vec<u8> {
    Encoder::new().encode(game).unwrap().record.to_vec()
}

fn dump(game: &Game) -> String {
    tabia_testkit::dump::game(GameIndex(0), game)
}

#[test]
fn mainline_is_stored_first() {
    let game = GameBuilder::new()
        .moves("e4 c5")
        .begin()
        .moves("c6 d4")
        .end()
        .moves("Nf3")
        .result(GameResult::Unknown);
    let mut encoder = Encoder::new();
    let encoded = encoder.encode(&game).unwrap();
    assert_eq!(encoded.stored, [0, 1, 3, 4, 2]);
    assert_eq!((encoded.mainline, encoded.variations), (3, 2));
    assert_eq!(encoded.record.len(), 4 + 5 + 3);
    let record = encoded.record.to_vec();
    let (back, error) = read(
        &mut Decoder::new(DEPTH),
        &record,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert_eq!((dump(&back), error.as_str()), (dump(&game), ""));
}

#[test]
fn annotations_follow_their_moves() {
    let game = GameBuilder::new()
        .moves("e4 e5")
        .begin()
        .moves("c5")
        .end()
        .begin()
        .moves("e6 d4")
        .begin()
        .moves("d3")
        .end()
        .moves("d5")
        .end()
        .moves("Nf3")
        .begin()
        .moves("Nc3")
        .end()
        .result(GameResult::Unknown);
    let bytes = encode(&game);
    let mut decoder = Decoder::new(DEPTH);
    let comments = |want, end_number| {
        let (back, error) = read(
            &mut Decoder::new(DEPTH),
            &bytes,
            want,
            &mut NumberComments(end_number),
        );
        assert_eq!(error, "");
        back.events()
            .filter_map(|event| match event {
                Event::Annotation(Annotation::Comment(comment)) => Some(comment.text.to_owned()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(comments(Want::ALL, 9), "game 0 1 4 5 6 8 7 2 3");
    assert_eq!(comments(Want::ALL, 10), "game 0 1 4 5 6 8 7 2 past 9 3");
    let mainline = Want::MAINLINE.and(Want::ANNOTATIONS);
    assert_eq!(comments(mainline, 9), "game 0 1 2");
    assert_eq!(comments(mainline, 10), "game 0 1 2 past 9");
    // The decoder can be reused.
    let (back, _) = read(&mut decoder, &bytes, Want::ALL, &mut NoAnnotations);
    assert_eq!(dump(&back), dump(&game));
}

#[test]
fn setup_games_that_castle_get_the_missing_right() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1";
    let stored = GameBuilder::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1")
        .moves("O-O O-O-O")
        .result(GameResult::Unknown);
    let mut bytes = encode(&stored);
    assert_eq!(bytes[6], 0b0110);
    bytes[6] = 0;
    let (back, error) = read(
        &mut Decoder::new(DEPTH),
        &bytes,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert_eq!((dump(&back), error.as_str()), (dump(&stored), ""));
    // A right that the game does not need is not granted.
    let quiet = GameBuilder::from_fen(fen)
        .moves("Ke2 Ke7")
        .result(GameResult::Unknown);
    let (back, error) = read(
        &mut Decoder::new(DEPTH),
        &encode(&quiet),
        Want::ALL,
        &mut NoAnnotations,
    );
    assert_eq!((dump(&back), error.as_str()), (dump(&quiet), ""));
}

#[test]
fn moves_of_unsupported_variants_are_kept_as_bytes() {
    let bytes = [8, 0, 0, 7, 1, 2, 3];
    let (game, error) = read(
        &mut Decoder::new(DEPTH),
        &bytes,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert_eq!(
        error,
        "offset 0x0: moves in encoding mode 8 (losing chess) are not read"
    );
    let kept: Vec<_> = game.events().collect();
    assert!(matches!(
        kept[..],
        [Event::Annotation(Annotation::Foreign(foreign))]
            if foreign.is_unread_moves() && foreign.bytes == bytes
    ));
}

#[test]
fn moves_before_an_unreadable_one_are_read() {
    let game = GameBuilder::new()
        .moves("e4 e5")
        .begin()
        .moves("c5 Nf3")
        .end()
        .moves("Nf3 Nc6")
        .result(GameResult::Unknown);
    let mut bytes = encode(&game);
    let last = bytes.len() - 2;
    // The king's step back instead of the sixth move.
    bytes[last] = super::substitution::MODES[0].stored[5].wrapping_add(5);
    let (back, error) = read(
        &mut Decoder::new(DEPTH),
        &bytes,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert!(error.contains("ply 2, offset 0xb"), "{error}");
    let events: Vec<_> = back.events().collect();
    assert_eq!(events.len(), 8);
    assert!(matches!(
        events[4],
        Event::Annotation(Annotation::Foreign(foreign)) if foreign.bytes == &bytes[last..]
    ));
}

#[test]
fn variation_depth_is_bounded() {
    let mut bytes = vec![0, 0, 0, 0];
    let branch = super::substitution::MODES[0].stored[254];
    bytes.resize(1000, branch);
    bytes[1..4].copy_from_slice(&[0, 3, 232]);
    let (_, error) = read(
        &mut Decoder::new(100),
        &bytes,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert!(error.contains("`variation`"), "{error}");
    let (_, error) = read(
        &mut Decoder::new(DEPTH),
        &bytes,
        Want::ALL,
        &mut NoAnnotations,
    );
    assert!(error.contains("`move` needs 1 byte"), "{error}");
}

/// A game of random legal moves with variations, null moves, comments and NAGs.
fn random_game(random: &mut Random) -> Game {
    let setup = match random.below(4) {
        0 => Setup::chess960_start(random.below(960) as u16),
        1 => Setup::parse_fen(b"4k3/PPP3PP/8/2qqqq2/2QQQQ2/8/ppp3pp/4K3 w - - 0 7").ok(),
        2 => {
            Setup::parse_fen(b"r3k2r/pppppppp/1nn2nn1/8/8/1NN2NN1/PPPPPPPP/R3K2R b KQkq - 0 1").ok()
        }
        _ => None,
    };
    let mut head = GameHead::default();
    head.start = Start {
        chess960: setup
            .as_ref()
            .is_some_and(|setup| setup.chess960_number().is_some()),
        setup: setup.map(Box::new),
    };
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &head);
    let position = head.start.position().unwrap();
    let length = random.below(120);
    random_line(random, &mut recorder, position, length, 0, None);
    recorder.end_game(GameResult::Unknown);
    game
}

/// A line. With `taken` it is a variation, whose first move is a new one and is added to `taken`.
fn random_line(
    random: &mut Random,
    recorder: &mut dyn Visitor,
    mut position: Position,
    length: usize,
    depth: u32,
    mut taken: Option<&mut Vec<Ply>>,
) {
    for _ in 0..length {
        let Some(ply) = random_ply(random, &position, taken.as_deref().map_or(&[], |list| list))
        else {
            return;
        };
        // An alternative to a variation's first move is stored as an alternative to the variation.
        let is_alternative = taken.is_some();
        if let Some(list) = taken.take() {
            list.push(ply);
            let _ = recorder.begin_variation();
        }
        let _ = recorder.visit_move(&position, ply);
        if !is_alternative && depth < 4 && random.below(12) == 0 {
            let mut taken = vec![ply];
            for _ in 0..=random.below(3) {
                let count = taken.len();
                let length = 1 + random.below(12);
                let before = position.clone();
                random_line(
                    random,
                    recorder,
                    before,
                    length,
                    depth + 1,
                    Some(&mut taken),
                );
                if taken.len() > count {
                    recorder.end_variation();
                }
            }
        }
        position.play_ply(ply);
    }
}

fn random_ply(random: &mut Random, position: &Position, taken: &[Ply]) -> Option<Ply> {
    if random.below(40) == 0 && !position.is_check() && !taken.contains(&Ply::Null) {
        return Some(Ply::Null);
    }
    let moves: Vec<Ply> = position
        .legal_moves()
        .iter()
        .map(|m| Ply::Move(*m))
        .filter(|ply| !taken.contains(ply))
        .collect();
    moves.get(random.below(moves.len())).copied()
}

#[test]
fn random_games_round_trip() {
    let mut random = Random::new(22);
    let mut decoder = Decoder::new(DEPTH);
    let mut encoder = Encoder::new();
    for number in 0..300 {
        let game = random_game(&mut random);
        let encoded = encoder.encode(&game).unwrap();
        let (back, error) = read(&mut decoder, encoded.record, Want::ALL, &mut NoAnnotations);
        assert_eq!(error, "", "game {number}");
        assert_eq!(back, game, "game {number}");
        let want = Want::MAINLINE;
        let (mainline, _) = read(&mut decoder, encoded.record, want, &mut NoAnnotations);
        assert!(mainline.mainline().eq(game.mainline()), "game {number}");
        let again = encode(&back);
        assert_eq!(again, encoded.record, "game {number}");
    }
}

/// A game of random moves; `is_tested`: the position has found each of them legal.
fn long_game(seed: u64, is_tested: bool) -> Game {
    let mut random = Random::new(seed);
    let mut recorder = tabia_core::game::Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
    let mut position = Position::standard();
    for _ in 0..300 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Special moves more often than others.
        let special: Vec<_> = moves
            .iter()
            .copied()
            .filter(|m| !m.is_normal() || Some(m.to()) == position.en_passant())
            .collect();
        let m = if special.is_empty() || random.one_in(3) {
            moves[random.below(moves.len())]
        } else {
            special[random.below(special.len())]
        };
        if is_tested {
            assert!(position.is_legal_cached(m));
        }
        let _ = recorder.visit_move(&position, Ply::Move(m));
        position.play(m);
    }
    recorder.end_game(GameResult::Draw);
    recorder.replace(Game::new())
}

#[test]
fn known_moves_are_encoded_as_others() {
    let mut plies = 0;
    for seed in 0..60 {
        let (known, other) = (long_game(seed, true), long_game(seed, false));
        assert!(known.has_known_moves() && !other.has_known_moves());
        let record = encode(&known);
        assert_eq!(record, encode(&other), "{seed}");
        let stored = super::stored_plies(&record, 0);
        assert_eq!(stored.map(|count| count as usize), Some(known.ply_count()));
        plies += known.ply_count();
    }
    assert!(plies > 5_000);
}

#[test]
fn plies_of_the_mainline_are_counted_without_decoding() {
    let mut random = Random::new(31);
    let mut decoder = Decoder::new(DEPTH);
    for _ in 0..200 {
        let game = random_game(&mut random);
        let record = encode(&game);
        let (read, error) = read(&mut decoder, &record, Want::ALL, &mut NoAnnotations);
        assert_eq!(error, "");
        if let Some(plies) = super::stored_plies(&record, 0) {
            assert_eq!(plies as usize, read.ply_count());
        } else {
            assert!(read.head.start != Start::default());
        }
        for length in 0..record.len() {
            let _ = super::stored_plies(&record[..length], 0);
        }
    }
}

#[test]
fn simple_words_are_read_in_every_mode() {
    let game = GameBuilder::new()
        .moves("e4 e5")
        .begin()
        .moves("c5 -- Nc6")
        .end()
        .moves("Nf3 Nc6 Bc4 Nf6 O-O")
        .result(GameResult::Unknown);
    // In stored order, with the flags of branches and ends.
    let words: [(&str, u16); 10] = [
        ("e2e4", 0),
        ("e7e5", 0x8000),
        ("g1f3", 0),
        ("b8c6", 0),
        ("f1c4", 0),
        ("g8f6", 0),
        ("e1g1", 0x4000),
        ("c7c5", 0),
        ("a1a1", 0),
        ("b8c6", 0x4000),
    ];
    for mode in [1u8, 3, 5, 7] {
        let mut bytes = vec![mode, 0, 0, 24];
        for (count, (squares, flags)) in words.iter().enumerate() {
            let square = |text: &str| {
                super::compact_codes::number(
                    tabia_core::chess::Square::parse(text.as_bytes()).unwrap(),
                )
            };
            let (mut from, mut to) = (square(&squares[..2]), square(&squares[2..]));
            if mode % 4 == 3 {
                (from, to) = (to, from);
            }
            let table = &super::substitution::MODES[usize::from(mode)].stored;
            let word = from | to << 6 | flags;
            for value in [(word >> 8) as u8, word as u8] {
                bytes.push(if mode < 4 {
                    table[usize::from(value)].wrapping_add(count as u8)
                } else {
                    table[usize::from(value.wrapping_add(count as u8))]
                });
            }
        }
        let (back, error) = read(
            &mut Decoder::new(DEPTH),
            &bytes,
            Want::ALL,
            &mut NoAnnotations,
        );
        assert_eq!(
            (dump(&back), error.as_str()),
            (dump(&game), ""),
            "mode {mode}"
        );
    }
}

#[test]
fn damaged_records_do_not_add_moves() {
    let mut random = Random::new(5);
    let mut decoder = Decoder::new(DEPTH);
    for seed in 0..12 {
        let intact = encode(&random_game(&mut random));
        let damaged = corrupt::prefixes(&intact)
            .chain(corrupt::single_bytes(&intact))
            .chain(corrupt::random(&intact, 200, seed));
        for mut damaged in damaged {
            for mode in [
                damaged.bytes.first().copied().unwrap_or(0),
                0x45,
                0x43,
                0x4b,
            ] {
                if let Some(first) = damaged.bytes.first_mut() {
                    *first = mode;
                }
                let length = damaged.bytes.len();
                let (game, error) = read(
                    &mut decoder,
                    &damaged.bytes,
                    Want::ALL,
                    &mut NumberComments(9999),
                );
                let moves = game
                    .events()
                    .filter(|event| matches!(event, Event::Move(_)));
                assert!(moves.count() <= length, "{}: {error}", damaged.how);
            }
        }
    }
}

/// The result of reading and writing all games of the shared databases.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    games: u32,
    legal: u32,
    same: u32,
    plies: u64,
}

#[test]
fn real_games_are_read_and_written_back() {
    let Some(folder) = shared_data("real_games_are_read_and_written_back", "cbh") else {
        return;
    };
    let mut counts = Counts::default();
    let mut decoder = Decoder::new(DEPTH);
    let mut encoder = Encoder::new();
    for path in files_below(&folder) {
        let in_history = path.to_string_lossy().contains("-history");
        if path.extension().is_some_and(|extension| extension == "cbh") && !in_history {
            read_database(&path, &mut decoder, &mut encoder, &mut counts);
        }
    }
    // One game has the filler value, which is not written; two have move number 0 instead of 1.
    let expected = Counts {
        games: 6485,
        legal: 6485,
        same: 6482,
        plies: 542_905,
    };
    assert_eq!(counts, expected);
}

fn read_database(path: &Path, decoder: &mut Decoder, encoder: &mut Encoder, counts: &mut Counts) {
    let headers = std::fs::read(path).unwrap();
    let Ok(moves) = std::fs::read(path.with_extension("cbg")) else {
        return;
    };
    for (number, header) in headers.chunks_exact(46).enumerate().skip(1) {
        if header[0] & 2 != 0 {
            continue;
        }
        let at = Cursor::new(&header[1..]).u32_be("moves_at").unwrap() as usize;
        let Some(bytes) = moves.get(at..) else {
            println!("{} {number}: no moves", path.display());
            continue;
        };
        counts.games += 1;
        let (game, error) = read(decoder, bytes, Want::ALL, &mut NoAnnotations);
        if !error.is_empty() {
            println!("{} {number}: {error}", path.display());
            continue;
        }
        counts.legal += 1;
        let encoded = encoder.encode(&game).unwrap();
        counts.plies += u64::from(encoded.mainline + encoded.variations);
        let size = MoveRecord::read(bytes, 0, None).unwrap().bytes.len();
        if encoded.record == &bytes[..size] {
            counts.same += 1;
        } else {
            println!(
                "{} {number}:\n{:02x?}\n{:02x?}",
                path.display(),
                &bytes[..size.min(48)],
                &encoded.record[..encoded.record.len().min(48)]
            );
        }
    }
}

#[test]
fn real_records_of_every_kind_are_read() {
    let test = "real_records_of_every_kind_are_read";
    let Some(folder) = shared_data(test, "cbh/morphy-fixtures-loose/moves") else {
        return;
    };
    let mut decoder = Decoder::new(DEPTH);
    let mut same = 0;
    for path in files_below(&folder) {
        let bytes = std::fs::read(&path).unwrap();
        let (game, error) = read(&mut decoder, &bytes, Want::ALL, &mut NoAnnotations);
        assert_eq!(error, "", "{}", path.display());
        let (_, error) = read(&mut decoder, &bytes, Want::MAINLINE, &mut NoAnnotations);
        assert_eq!(error, "", "{}", path.display());
        let written = encode(&game);
        let (back, error) = read(&mut decoder, &written, Want::ALL, &mut NoAnnotations);
        assert_eq!((dump(&back), error.as_str()), (dump(&game), ""));
        println!("{} {}", path.display(), written == bytes);
        same += u32::from(written == bytes);
    }
    assert_eq!(same, 8);
}
