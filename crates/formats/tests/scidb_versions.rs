//! Older versions of Scidb's databases, converted from version 94 by the layouts of FORMAT.md, have the
//! same games.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::big_endian_bytes,
    reason = "tests that make files by hand"
)]

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Annotation, Event, Game, Score, Want};
use tabia_core::games::Database;
use tabia_formats::games::scidb::FORMAT;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::open_and_read::{open_files, read_games};
use tabia_testkit::{Scratch, corrupt, dump, tiny};

/// Index, names, games.
type Files = [Vec<u8>; 3];

fn made(games: &[Game]) -> Files {
    let scratch = Scratch::new("scidb-versions");
    let path = scratch.join("made.sci");
    let mut options = CreateOptions::default();
    options.title = Some("Old games".to_owned());
    let mut writer = FORMAT.create.unwrap()(&path, &options).unwrap();
    for game in games {
        // Losses do not matter here: the games that were stored are compared.
        let _ = writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    ["sci", "scn", "scg"].map(|extension| std::fs::read(path.with_extension(extension)).unwrap())
}

fn open(files: &Files, salvage: bool) -> Box<dyn Database> {
    try_open(files, salvage).unwrap()
}

fn try_open(files: &Files, salvage: bool) -> tabia_core::Result<Box<dyn Database>> {
    let names = ["made.sci", "made.scn", "made.scg"].into_iter();
    let files = names
        .zip(files)
        .map(|(name, bytes)| (name.to_owned(), bytes.clone()));
    let mut options = OpenOptions::default();
    options.salvage = salvage;
    open_files(&FORMAT, &files.collect::<Vec<_>>(), &options)
}

fn read(files: &Files, salvage: bool) -> (Vec<Game>, Vec<String>) {
    let database = open(files, salvage);
    let (games, found) = read_games(&*database);
    let problems = database.info().problems.iter().cloned().chain(found);
    (games, problems.collect())
}

fn number(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter();
    bytes.fold(0, |all, &byte| all << 8 | u32::from(byte))
}

/// Length of the first item of the side data.
fn item(side: &[u8]) -> usize {
    match side[0] {
        first @ 0x80.. => match first >> 4 & 7 {
            1 | 2 | 3 | 5 => 3,
            6 => 5,
            _ => 4,
        },
        1 if side[3] & 0x80 != 0 => 5,
        1 => 4,
        2 => 2 + side[1..].iter().position(|&byte| byte == 0).unwrap(),
        _ => 1,
    }
}

/// A move information with its bits in the order of version 92.
fn old_information(item: &[u8]) -> Vec<u8> {
    let value = number(&item[1..]);
    let engine = item[0] & 15;
    let content = (item[0] >> 4 & 7) + 1;
    let first = 0x80 | content << 4 | engine;
    match content {
        1 => {
            let (depth, sign) = (value >> 18, value >> 17 & 1);
            let (pawns, hundredths) = (value >> 7 & 0x3ff, value & 127);
            let word = depth | sign << 5 | pawns << 6 | hundredths << 17;
            [&[first], &word.to_be_bytes()[1..]].concat()
        }
        2..=4 => {
            let (hours, minutes, seconds) = (value >> 12, value >> 6 & 63, value & 63);
            let word = (hours | minutes << 4 | seconds << 10) as u16;
            [&[first], &word.to_be_bytes()[..]].concat()
        }
        content => panic!("version 92 has no kind {content}"),
    }
}

/// The body of a record in an older version.
fn old_body(body: &[u8], version: u16) -> Vec<u8> {
    let flags = number(&body[..2]) as u16;
    let mut at = 2;
    if flags.trailing_zeros() >= 12 {
        at += body[2..].iter().position(|&byte| byte == 0).unwrap() + 1;
    }
    let data_at = number(&body[at..at + 3]) as usize;
    let (head, run, moves) = (&body[..at], &body[at + 3..at + 5], &body[at + 5..data_at]);
    let mut rest = &body[data_at..];
    let mut take = |length: usize| {
        let (part, left) = rest.split_at(length);
        rest = left;
        part
    };
    let mut text: &[u8] = &[];
    if flags & 0x8000 != 0 {
        let length = number(take(3)) as usize;
        text = take(length);
    }
    let mut tags = Vec::new();
    if flags & 0x4000 != 0 {
        loop {
            let id = take(1)[0];
            if id == 0 {
                break;
            }
            tags.push(id);
            let count = if id == 0x80 { 2 } else { 1 };
            for _ in 0..count {
                loop {
                    let byte = take(1)[0];
                    tags.push(byte);
                    if byte == 0 {
                        break;
                    }
                }
            }
        }
        tags.push(0);
    }
    assert_eq!(flags & 0x3000, 0, "no engines and no tables of times here");
    let mut side = rest;
    let (mut old_moves, mut old_side) = (Vec::new(), Vec::new());
    let mut bytes = moves.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        old_moves.push(byte);
        let length = match byte {
            0 => item(side),
            1 | 2 => 1,
            4 => {
                let second = bytes.next().unwrap();
                old_moves.push(second);
                usize::from(second == 2)
            }
            _ => 0,
        };
        let (data, left) = side.split_at(length);
        side = left;
        match byte {
            1 => old_moves.extend(data),
            0 if data[0] >= 0x80 && version < 93 => old_side.extend(old_information(data)),
            _ => old_side.extend(data),
        }
    }
    assert!(side.is_empty());
    let mut out = head.to_vec();
    let data_at = head.len() + 5 + old_moves.len();
    out.extend(&(data_at as u32).to_be_bytes()[1..]);
    out.extend(run);
    out.extend(old_moves);
    let length = &(text.len() as u32).to_be_bytes()[1..];
    match version {
        93 => {
            if flags & 0x8000 != 0 {
                out.extend([length, text].concat());
            }
            out.extend([tags, old_side].concat());
        }
        92 => {
            out[..2].copy_from_slice(&(flags & 0x8fff).to_be_bytes());
            if flags & 0x8000 != 0 {
                out.extend([length, text].concat());
            }
            out.extend([old_side, tags].concat());
        }
        _ => {
            out[..2].copy_from_slice(&(flags & 0xfff).to_be_bytes());
            if tags.is_empty() {
                tags.push(0);
            }
            out.extend([length, text].concat());
            out.extend([tags, old_side].concat());
        }
    }
    out
}

/// A row in the words of version 92, or in the bit fields of version 91.
fn old_row(row: &[u8], version: u16) -> Vec<u8> {
    let mut words: Vec<u32> = row.chunks(4).map(number).collect();
    if version == 93 {
        return row.to_vec();
    }
    let (plies, day) = (words[3] >> 5 & 0x7ff, words[3] & 31);
    let (termination, result) = (words[13] >> 6 & 15, words[13] >> 3 & 7);
    let (black, languages) = (words[3] >> 16, words[13] & 3);
    words[3] = black << 16 | plies << 4 | termination;
    words[13] = words[13] & !0x3ff | day << 5 | result << 2 | languages;
    let bytes = |words: &[u32]| -> Vec<u8> {
        let words = words.iter();
        words.flat_map(|word| word.to_be_bytes()).collect()
    };
    if version == 92 {
        return bytes(&words);
    }
    let low_first = |word: u32, widths: &[u32]| {
        let (mut left, mut shift, mut out) = (32, 0, 0);
        for width in widths {
            left -= width;
            out |= (word >> left & ((1 << width) - 1)) << shift;
            shift += width;
        }
        out
    };
    let (white, black) = (words[2] >> 8, (words[2] & 0xff) << 16 | black);
    let players = u64::from(white)
        | u64::from(black) << 24
        | u64::from(plies) << 48
        | u64::from(termination) << 60;
    let start = words[11] >> 8 & 0xfff;
    let mut opening = words[4].to_be_bytes();
    if start != 518 {
        opening = [opening[1], opening[0], opening[3], opening[2]];
    }
    let mut out = row[..8].to_vec();
    out.extend(players.to_be_bytes());
    out.extend(words[5].to_be_bytes());
    out.extend(opening);
    out.extend(words[6].to_be_bytes());
    for (word, widths) in words[7..].iter().zip([
        &[24, 4, 4][..],
        &[24, 8],
        &[24, 4, 3, 1],
        &[24, 4, 3, 1],
        &[12, 12, 8],
        &[12, 12, 4, 4],
        &[12, 10, 5, 3, 1, 1],
    ]) {
        out.extend(low_first(*word, widths).to_be_bytes());
    }
    out
}

/// Size of a block; a record does not cross its end.
const BLOCK: usize = 1 << 17;

/// The same database in an older version.
fn old(files: &Files, version: u16) -> Files {
    let [index, names, games] = files;
    let mut header = index[..128].to_vec();
    header[8..10].copy_from_slice(&version.to_be_bytes());
    if version < 93 {
        header.remove(15);
        header.remove(13);
        header.extend([0, 0]);
    }
    let mut old_index = header;
    let mut old_games = b"Scidb.g\0".to_vec();
    old_games.extend(version.to_be_bytes());
    for row in index[128..].chunks(56) {
        let at = number(&row[24..28]) as usize;
        let length = number(&games[at..at + 3]) as usize;
        let body = old_body(&games[at + 3..at + length], version);
        let mut row = old_row(row, version);
        if body.len() + 3 > BLOCK - old_games.len() % BLOCK {
            old_games.resize(old_games.len().next_multiple_of(BLOCK), 0);
        }
        row[24..28].copy_from_slice(&(old_games.len() as u32).to_be_bytes());
        old_index.extend(row);
        old_games.extend(&(body.len() as u32 + 3).to_be_bytes()[1..]);
        old_games.extend(body);
    }
    let mut old_names = names.clone();
    old_names[8..10].copy_from_slice(&version.to_be_bytes());
    if version < 92 {
        for tag in [
            b"player\0\0",
            b"site\0\0\0\0",
            b"event\0\0\0",
            b"annota\0\0",
        ] {
            let at = memchr::memmem::find(&old_names, tag).unwrap() + 8 + 9;
            old_names.drain(at..at + 3);
        }
    }
    [old_index, old_names, old_games]
}

/// Whether a version can store all annotations of a game.
fn fits(game: &Game, version: u16) -> bool {
    game.events().all(|event| match event {
        Event::Annotation(Annotation::Eval(eval)) => {
            let is_old = matches!(eval.score, Score::Centipawns(_))
                && eval.depth.is_none_or(|depth| depth < 32)
                && eval.engine == 0;
            version == 93 || version == 92 && is_old
        }
        Event::Annotation(Annotation::Clock(clock)) => {
            let is_old = clock.time.subsec_nanos() == 0 && clock.time.as_secs() < 16 * 3600;
            version == 93 || version == 92 && is_old
        }
        Event::Annotation(Annotation::Foreign(_)) => false,
        _ => true,
    })
}

#[test]
fn older_versions_have_the_same_games() {
    let all: Vec<Game> = tiny::games()
        .into_iter()
        .chain((1..250).map(arbitrary_game))
        .collect();
    // The parts of them that Scidb can store.
    let (all, _) = read(&made(&all), false);
    for version in [93, 92, 91] {
        let mut games = all.clone();
        games.retain(|game| fits(game, version));
        assert!(games.len() > 40, "{version}: {}", games.len());
        let today = made(&games);
        let (expected, problems) = read(&today, false);
        assert_eq!(problems, [""; 0]);
        let files = old(&today, version);
        let database = open(&files, false);
        assert!(database.info().version.ends_with(&version.to_string()));
        assert_eq!(database.info().title.as_deref(), Some("Old games"));
        let now = open(&today, false);
        for game in (0..now.len()).map(GameIndex) {
            let entry = |database: &dyn Database| {
                let entry = database.entry(game).unwrap();
                format!("{entry:?}")
            };
            assert_eq!(entry(&*database), entry(&*now), "{version}: {game:?}");
        }
        for salvage in [false, true] {
            let (found, problems) = read(&files, salvage);
            assert_eq!(problems, [""; 0], "{version}");
            assert_eq!(found.len(), expected.len());
            for (number, (found, expected)) in (1..).zip(found.iter().zip(&expected)) {
                assert_eq!(found, expected, "{version}: game {number}");
            }
        }
        // Without an index the games are still found.
        let lost = [Vec::new(), files[1].clone(), files[2].clone()];
        let (found, _) = read(&lost, true);
        assert_eq!(found.len(), expected.len(), "{version}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.ply_count(), expected.ply_count());
        }
    }
}

#[test]
fn damage_to_older_versions_never_panics() {
    let games: Vec<Game> = (1..40).map(arbitrary_game).collect();
    let (mut games, _) = read(&made(&games), false);
    games.retain(|game| fits(game, 91));
    let today = made(&games);
    for version in [93, 92, 91] {
        let files = old(&today, version);
        for file in 0..3 {
            for damaged in corrupt::random(&files[file], 200, version.into()) {
                let mut files = files.clone();
                files[file] = damaged.bytes;
                for salvage in [false, true] {
                    let Ok(database) = try_open(&files, salvage) else {
                        assert_eq!((file, salvage), (0, false));
                        continue;
                    };
                    let mut reader = database.reader();
                    for number in 0..database.len().min(50) {
                        let mut text = dump::Dump::new();
                        // A game that is lost completely is an error.
                        let _ = reader.read(GameIndex(number), Want::ALL, &mut text);
                        assert_eq!(text.violation(), None, "{}", damaged.how);
                    }
                }
            }
        }
    }
}
