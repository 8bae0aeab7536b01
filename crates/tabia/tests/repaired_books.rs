//! Damaged books of every format are repaired by merging each alone, as `tabia book fix` does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and have an option"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use tabia::book::build::{BuildOptions, BuildTarget, build};
use tabia::book::merge::{MergeOptions, Merged, merge};
use tabia::check::{CheckOptions, check};
use tabia::core::chess::{Move, Ply, Position, Role, san};
use tabia::core::{BookFormat, Problem};
use tabia::formats::BOOKS;
use tabia::{Error, InputItem, NoObserver, Observer, Progress, Resolver};
use tabia_testkit::{Random, Scratch, corrupt};

/// Random games with many equal beginnings.
fn games(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..60 {
        let result = ["1-0", "1/2-1/2", "0-1"][random.below(3)];
        let elo = 2000 + random.below(600);
        let _ = write!(text, "[WhiteElo \"{elo}\"]\n[Result \"{result}\"]\n\n");
        let mut position = Position::standard();
        for ply in 0..14 {
            let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            // ChessBase's books have no code for promotions to other pieces.
            moves.retain(|m| m.promotion_role().is_none_or(|role| role == Role::Queen));
            moves.sort_by_key(|m| m.to_bits());
            let choices = moves.len().min(if ply < 8 { 2 } else { 9 });
            let Some(m) = moves.get(random.below(choices.max(1)) * (moves.len() / choices.max(1)))
            else {
                break;
            };
            let mut name = Vec::new();
            san::write_and_play(&mut position, Ply::Move(*m), &mut name);
            text.push_str(&String::from_utf8_lossy(&name));
            text.push(' ');
        }
        let _ = write!(text, "{result}\n\n");
    }
    text
}

fn item(path: &Path) -> Result<InputItem, Error> {
    let items = Resolver::default().resolve(path.as_os_str())?;
    Ok(items.into_iter().next().unwrap())
}

/// A set of files by name.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Scratch) -> Files {
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    folder.names().into_iter().map(read).collect()
}

/// Collects what is reported.
#[derive(Default)]
struct Reported(Vec<String>);

impl Observer for Reported {
    fn problem(&mut self, _: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.push(problem.error.to_string());
        Ok(())
    }
}

/// What a complete check of a book finds.
fn problems(path: &Path) -> Result<Vec<String>, Error> {
    let mut options = CheckOptions::default();
    options.threads = 1;
    options.deep = true;
    let mut reported = Reported::default();
    check(
        &item(path)?,
        &options,
        &Arc::new(Progress::new()),
        &mut reported,
    )?;
    Ok(reported.0)
}

/// Repairs a book, whose main file is the first in the folder with the extension of the format.
fn fix(format: &'static BookFormat, from: &Path, to: &Path) -> Result<Merged, Error> {
    let mut options = MergeOptions::default();
    options.create.force = true;
    options.only_legal = true;
    merge(&[item(from)?], format, to, &options, &Progress::new())
}

/// The main file of the book in a folder.
fn main_file(format: &BookFormat, files: &Files) -> String {
    let extension = format.file.extensions.first().unwrap();
    let mut names = files.keys();
    let main = names.find(|name| name.ends_with(extension));
    main.unwrap().clone()
}

/// What is wrong with a repaired copy of the book; `None` if nothing, and the book is readable at all.
fn wrong(format: &'static BookFormat, book: &Files, counts: &mut [u32; 3]) -> Option<String> {
    let [damaged, first, second] = ["damaged", "first", "second"].map(Scratch::new);
    for (name, bytes) in book {
        std::fs::write(damaged.join(name), bytes).unwrap();
    }
    let main = main_file(format, book);
    let target = format!("book.{}", format.file.extensions.first().unwrap());
    let found = problems(&damaged.join(&main));
    let Ok(merged) = fix(format, &damaged.join(&main), &first.join(&target)) else {
        counts[2] += 1;
        assert_eq!(first.names(), [""; 0], "nothing is left of a failure");
        return None;
    };
    let has_reported = merged.damage.iter().any(|lines| !lines.is_empty())
        || merged.unreached > 0
        || merged.fixes != Merged::default().fixes;
    counts[usize::from(found.is_ok_and(|lines| !lines.is_empty()) || has_reported)] += 1;
    let fixed = files(&first);
    let main = main_file(format, &fixed);
    let left = match problems(&first.join(&main)) {
        Ok(left) => left,
        Err(error) => vec![error.to_string()],
    };
    if !left.is_empty() {
        return Some(left.join("; "));
    }
    if let Err(error) = fix(format, &first.join(&main), &second.join(&target)) {
        return Some(format!("a second time: {error}"));
    }
    if fixed != files(&second) {
        let sizes = |files: &Files| files.values().map(Vec::len).collect::<Vec<_>>();
        let (fixed, again) = (sizes(&fixed), sizes(&files(&second)));
        return Some(format!("a second time: {fixed:?}, {again:?}"));
    }
    None
}

/// A book of games in PGN.
fn new_book(format: &'static BookFormat, text: &str) -> Files {
    let folder = Scratch::new("fixed-books");
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let new = Scratch::new("new-book");
    let extension = format.file.extensions.first().unwrap();
    let target = BuildTarget::new(format, new.join(format!("book.{extension}")));
    let mut options = BuildOptions::default();
    options.threads = 1;
    options.move_filter.min_games = 1;
    options.move_filter.scoreless = true;
    let games = [item(&folder.join("games.pgn")).unwrap()];
    let progress = Arc::new(Progress::new());
    build(&games, &target, &options, &progress, &mut NoObserver).unwrap();
    files(&new)
}

/// Whatever the damage, a repaired book has no problems, and repairing it again changes no byte.
#[test]
fn repaired_books_have_no_problems() {
    let count = std::env::var("TABIA_DAMAGED_BOOKS").map_or(40, |text| text.parse().unwrap());
    let mut random = Random::new(0xb00c);
    let text = games(&mut random);
    let mut all = Vec::new();
    let mut seen = BTreeMap::new();
    for format in BOOKS {
        let whole = new_book(format, &text);
        let mut counts = [0; 3];
        assert_eq!(
            wrong(format, &whole, &mut counts),
            None,
            "{}",
            format.file.id
        );
        let mut found = BTreeSet::new();
        for number in 0..count {
            let mut book = whole.clone();
            let mut how = String::new();
            for _ in 0..=random.below(3) {
                let names: Vec<String> = book.keys().cloned().collect();
                let name = names[random.below(names.len())].clone();
                let bytes = &book[&name];
                let damage = if number % 4 == 0 {
                    corrupt::prefix(bytes, random.below(bytes.len() + 1))
                } else {
                    corrupt::damage(bytes, &mut random)
                };
                let _ = write!(how, "{name}: {}; ", damage.how);
                book.insert(name, damage.bytes);
            }
            if let Some(what) = wrong(format, &book, &mut counts) {
                let kind = what.replace(|letter: char| letter.is_ascii_digit(), "");
                if found.insert(kind) {
                    all.push(format!("{}, {number}: {how}\n    {what}", format.file.id));
                }
            }
        }
        seen.insert(format.file.id.as_str(), counts);
    }
    assert!(all.is_empty(), "{seen:?}\n{}", all.join("\n"));
    // Each format has books without and with problems that could be read.
    let is_enough = |counts: &[u32; 3]| counts[1] > count / 4;
    assert!(seen.values().all(is_enough), "{seen:?}");
}

/// A position with more games than a record can count, at two nodes of an Arena book.
#[test]
fn counts_that_do_not_fit_are_repaired_once() {
    let format = BOOKS
        .iter()
        .find(|format| format.file.extensions[0] == "abk");
    let mut random = Random::new(0xb00c);
    let whole = new_book(format.unwrap(), &games(&mut random));
    let (name, bytes) = whole.iter().next().unwrap();
    let mut bytes = bytes[..46082].to_vec();
    let part = bytes[0x5885..0x5885 + 19].to_vec();
    bytes.splice(0x8e57..0x8e57, part);
    let book = Files::from([(name.clone(), bytes)]);
    assert_eq!(wrong(format.unwrap(), &book, &mut [0; 3]), None);
}

/// A book of which nothing is left is a book without positions.
#[test]
fn empty_books_have_no_problems_once_repaired() {
    for format in BOOKS {
        let mut counts = [0; 3];
        let extension = format.file.extensions.first().unwrap();
        let book = Files::from([(format!("book.{extension}"), Vec::new())]);
        assert_eq!(
            wrong(format, &book, &mut counts),
            None,
            "{}",
            format.file.id
        );
    }
}
