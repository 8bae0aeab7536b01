//! Bytes inserted into a file of a set, or lost from it: records that `repair` calls whole are as they were.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use tabia_testkit::{Random, Scratch};

use crate::common::tabia;

const MOVES: [&str; 24] = [
    "e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "Be3", "e5", "Nb3", "Be6",
    "f3", "Be7", "Qd2", "O-O", "O-O-O", "Nbd7", "g4", "b5", "g5", "b4",
];

/// Games of different lengths with names, dates, ratings, comments and variations.
fn games(count: usize) -> String {
    let mut text = String::new();
    for number in 1..=count {
        let _ = write!(
            text,
            "[Event \"Open of town {}\"]\n[Site \"Site {}\"]\n[Date \"20{:02}.{:02}.{:02}\"]\n[Round \"{number}\"]\n\
             [White \"Player, White {number}\"]\n[Black \"Other, Black {}\"]\n[Result \"1-0\"]\n\
             [WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\n",
            number % 7,
            number % 5,
            number % 24,
            number % 12 + 1,
            number % 28 + 1,
            number * 7 % 50,
            2000 + number * 13 % 700,
            2100 + number * 17 % 600,
        );
        let plies = 3 + number * 11 % 21;
        for (ply, san) in MOVES.iter().take(plies).enumerate() {
            if ply % 2 == 0 {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            }
            let _ = write!(text, "{san} ");
            if (ply + number) % 5 == 0 {
                let _ = write!(text, "{{A comment on ply {ply} of game {number}}} ");
                if ply % 2 == 0 {
                    let _ = write!(text, "{}... ", ply / 2 + 1);
                }
            }
        }
        text += "1-0\n\n";
    }
    text
}

/// No entry of an index has more bytes.
const LARGEST_ENTRY: usize = 200;

/// The games of a PGN file as texts.
fn texts(folder: &Scratch, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    let games = text.trim().split("\n\n[Event ");
    let games = games.map(|game| game.trim_start_matches("[Event ").to_owned());
    games.filter(|game| !game.is_empty()).collect()
}

/// The numbers in the new file of the records that are not whole.
fn not_whole(account: &Value) -> HashSet<u64> {
    let records = account["recordList"].as_array().unwrap();
    let saved = records.iter().filter_map(|record| {
        let first = record["savedAs"].as_u64()?;
        let game = record["game"].as_u64()?;
        let last = record["lastGame"].as_u64().unwrap_or(game);
        Some(first..=first + last - game)
    });
    saved.flatten().collect()
}

/// The rounds; `TABIA_FIRST_ROUND` and `TABIA_ROUNDS` override them.
fn rounds() -> Range<u64> {
    let number = |name: &str| std::env::var_os(name)?.to_str()?.parse().ok();
    let first = number("TABIA_FIRST_ROUND").unwrap_or(0);
    first..first + number("TABIA_ROUNDS").unwrap_or(20)
}

fn records_called_whole_are_as_they_were(extension: &str) {
    let folder = Scratch::new(&format!("inserted-{extension}"));
    let base = format!("base.{extension}");
    std::fs::write(folder.join("games.pgn"), games(60)).unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", &base, "-q"]).expect(0);
    std::fs::remove_file(folder.join("games.pgn")).unwrap();
    let files: BTreeMap<String, Vec<u8>> = folder.files();
    let names: Vec<&String> = files
        .iter()
        .filter(|(name, bytes)| !name.contains(".ini") && bytes.len() > 40)
        .map(|(name, _)| name)
        .collect();
    tabia(&folder, &["repair", &base, "-o", "whole.pgn", "-q"]).expect(0);
    let whole: HashSet<String> = texts(&folder, "whole.pgn").into_iter().collect();
    assert_eq!(whole.len(), 60);
    let mut wrong = Vec::new();
    for round in rounds() {
        let mut random = Random::new(round);
        let name = random.pick(&names);
        let mut bytes = files[name].clone();
        let at = random.below(bytes.len());
        let count = random.pick(&[1, 1, 2, 3, 4, 16, 46, 100, 512]);
        let is_inserted = random.one_in(2);
        if is_inserted {
            let fill = (0..count).map(|_| if random.one_in(2) { 0 } else { random.byte() });
            let fill: Vec<u8> = fill.collect();
            bytes.splice(at..at, fill);
        } else if at + count + LARGEST_ENTRY < bytes.len() {
            bytes.drain(at..at + count);
        } else {
            // What was lost near the end of a file looks like a cut.
            continue;
        }
        std::fs::write(folder.join(name), bytes).unwrap();
        let run = tabia(
            &folder,
            &["repair", &base, "-o", "r.pgn", "--json", "--force"],
        );
        std::fs::write(folder.join(name), &files[name]).unwrap();
        if run.out.is_empty() {
            assert_eq!(run.code, 4, "round {round}: {}", run.err);
            continue;
        }
        let damaged = not_whole(&run.json());
        for (number, game) in (1..).zip(texts(&folder, "r.pgn")) {
            if !damaged.contains(&number) && !whole.contains(&game) {
                let what = if is_inserted { "inserted" } else { "lost" };
                wrong.push(format!(
                    "round {round}, {name}, {count} {what} at {at}:\n{game}"
                ));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn records_of_si3_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("si3");
}

#[test]
fn records_of_si4_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("si4");
}

#[test]
fn records_of_si5_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("si5");
}

#[test]
fn records_of_scidb_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("sci");
}

#[test]
fn records_of_chessbase_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("cbh");
}

#[test]
fn records_of_2cbh_called_whole_are_as_they_were() {
    records_called_whole_are_as_they_were("2cbh");
}
