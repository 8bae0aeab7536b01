//! Damaged files: nothing panics, hangs or takes memory that the file does not account for, and
//! games before the damage read as before.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test"
)]

mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::Database;
use tabia_core::io::{Blob, Source};
use tabia_core::{GameFormat, GameIndex, Problem};
use tabia_testkit::corrupt::{self, Damaged};
use tabia_testkit::guard::{self, Watchdog};
use tabia_testkit::{shared, shared_data, skip};

use support::{fixtures, game_formats, has_extension};

#[global_allocator]
static ALLOCATOR: guard::Allocator = guard::ALLOCATOR;

/// Memory is counted for the whole process, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Longest time for one damaged set.
const PATIENCE: Duration = Duration::from_secs(20);
/// How much is tried.
struct Effort {
    /// Random damages of each set.
    random: usize,
    /// Prefixes of each file; of shorter ones every prefix.
    prefixes: usize,
}

/// A sample; everything when `TABIA_EXHAUSTIVE` is set, which takes long without optimisation. As
/// `1/4` it is everything of a fourth of the sets, so that several processes can share the work.
fn effort() -> Effort {
    match std::env::var_os("TABIA_EXHAUSTIVE") {
        Some(_) => Effort {
            random: 2000,
            prefixes: usize::MAX,
        },
        None => Effort {
            random: 200,
            prefixes: 24,
        },
    }
}

/// Which part of the sets this process takes, counted from 0, and of how many.
fn share() -> (u64, u64) {
    let text = std::env::var("TABIA_EXHAUSTIVE").unwrap_or_default();
    text.split_once('/')
        .and_then(|(part, parts)| Some((part.parse::<u64>().ok()?, parts.parse::<u64>().ok()?)))
        .filter(|(part, parts)| (1..=*parts).contains(part))
        .map_or((0, 1), |(part, parts)| (part - 1, parts))
}

/// Files beyond this size belong to no small set.
const SMALL: usize = 64 << 10;

/// A database in memory.
struct Set {
    label: String,
    format: &'static GameFormat,
    main: String,
    files: Vec<(String, Vec<u8>)>,
}

/// What was read of one game, as numbers that are equal when it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Print {
    head: u64,
    mainline: u64,
    moves: u64,
    annotations: u64,
}

impl Set {
    /// The set that lies in a folder, without files that the format does not know.
    fn from_folder(format: &'static GameFormat, main: &Path) -> Self {
        let source = Source::from_path(main).expect("the set is there");
        let name = main
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let mut files = Vec::new();
        for extension in extensions(format) {
            let Some(file) = source.companion(extension) else {
                continue;
            };
            let bytes = file.open().expect("the file can be read").to_vec();
            if bytes.len() <= SMALL || file.name == name {
                files.push((file.name.clone(), bytes));
            }
        }
        Self {
            label: name.clone(),
            format,
            main: name,
            files,
        }
    }

    /// Reads everything there is: rows, names, games.
    fn read(&self, damaged: Option<(usize, &[u8])>) -> Option<Vec<Print>> {
        let members = self.files.iter().enumerate().map(|(place, (name, bytes))| {
            let bytes = match damaged {
                Some((there, bytes)) if there == place => bytes.to_vec(),
                _ => bytes.clone(),
            };
            (name.clone(), Blob::from(bytes))
        });
        let source = Source::from_members(&self.label, &self.main, members.collect()).ok()?;
        let open = self.format.open;
        let database = open(&source, &OpenOptions::default()).ok()?;
        Some(read_all(&*database))
    }

    /// Reads the set with one file damaged, and holds the result against the whole set.
    fn check(&self, whole: &[Print], place: usize, damaged: &Damaged, watchdog: &Watchdog) {
        let name = &self.files[place].0;
        let what = format!("{} with {name}: {}", self.label, damaged.how);
        watchdog.case(&what);
        let size: usize = self.files.iter().map(|(_, bytes)| bytes.len()).sum();
        let work = || guard::peak(&ALLOCATOR, || self.read(Some((place, &damaged.bytes))));
        let Ok((found, peak)) = catch_unwind(AssertUnwindSafe(work)) else {
            panic!("{what}: panicked");
        };
        let allowed = (16 << 20) + 64 * (size + damaged.bytes.len());
        assert!(
            peak <= allowed,
            "{what}: {peak} bytes taken for a set of {size}"
        );
        if let Some(found) = found {
            self.compare(whole, &found, place, damaged.from, &what);
        }
    }

    /// Games whose bytes lie wholly before the damage are what they were.
    fn compare(&self, whole: &[Print], found: &[Print], place: usize, from: usize, what: &str) {
        let (name, bytes) = &self.files[place];
        if *name == self.main && self.files.len() == 1 {
            // One file: games follow each other, and the last one before the damage may reach
            // into it.
            let before = self.read(Some((place, &bytes[..from]))).unwrap_or_default();
            let unharmed = before.len().saturating_sub(1).min(whole.len());
            assert!(found.len() >= unharmed, "{what}: games are missing");
            for (index, game) in whole[..unharmed].iter().enumerate() {
                assert_eq!(&found[index], game, "{what}: game {}", index + 1);
            }
            return;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "cbh" => {
                let unharmed = (from / HEADER).saturating_sub(1);
                for (index, game) in whole.iter().enumerate().take(unharmed) {
                    assert_eq!(found.get(index), Some(game), "{what}: game {}", index + 1);
                }
            }
            "cbg" | "cba" if from >= HEADER => {
                let moves = extension.eq_ignore_ascii_case("cbg");
                let field = if moves { 1 } else { 5 };
                let extents = self.extents(field, bytes.len());
                for (index, game) in whole.iter().enumerate() {
                    let unharmed = extents[index].end <= from;
                    let Some(found) = found.get(index) else {
                        panic!("{what}: game {} is missing", index + 1);
                    };
                    // The start position lies with the moves, so the head does too.
                    if unharmed || !moves {
                        assert_eq!(found.head, game.head, "{what}: head of game {}", index + 1);
                        let moves = (found.mainline, found.moves);
                        let expected = (game.mainline, game.moves);
                        assert_eq!(moves, expected, "{what}: moves of game {}", index + 1);
                    }
                    if unharmed {
                        assert_eq!(found, game, "{what}: game {}", index + 1);
                    }
                }
            }
            // Names and other side files: the moves do not depend on them.
            "cbp" | "cbt" | "cbc" | "cbs" | "cbe" | "cbl" | "cbtt" | "cbm" | "flags" | "ini" => {
                assert_eq!(found.len(), whole.len(), "{what}: number of games");
                for (index, (found, game)) in found.iter().zip(whole).enumerate() {
                    assert_eq!(
                        found.moves,
                        game.moves,
                        "{what}: moves of game {}",
                        index + 1
                    );
                }
            }
            // The headers of the data files, and the extended headers, say where the moves lie;
            // of other formats that is not known here.
            _ => {}
        }
    }

    /// Where each game's bytes lie in a data file: from the offset in its header record (at
    /// `field`, four bytes big-endian) to the next greater one.
    fn extents(&self, field: usize, length: usize) -> Vec<Range<usize>> {
        let header = self
            .files
            .iter()
            .find(|(name, _)| *name == self.main)
            .map_or(&[][..], |(_, bytes)| bytes);
        let starts: Vec<usize> = header
            .chunks_exact(HEADER)
            .skip(1)
            .map(|record| {
                record[field..field + 4]
                    .iter()
                    .fold(0, |number, byte| number << 8 | usize::from(*byte))
            })
            .collect();
        let end = |start: usize| {
            let greater = starts.iter().filter(|other| **other > start).min();
            greater.copied().unwrap_or(length)
        };
        // A game without data has no bytes to be harmed, and an offset into the header none to
        // be spared.
        starts
            .iter()
            .map(|&start| if start == 0 { 0..0 } else { start..end(start) })
            .collect()
    }

    /// Every prefix, and random damage, of each file in turn.
    fn run(&self) {
        let (part, parts) = share();
        let mut number = 0;
        mix(&mut number, (&self.label, &self.files));
        if number % parts != part {
            return;
        }
        let watchdog = Watchdog::new(PATIENCE);
        watchdog.case(&self.label);
        let whole = self.read(None).expect("the undamaged set opens");
        let mut cases = 0;
        let effort = effort();
        for (place, (_, bytes)) in self.files.iter().enumerate() {
            let step = bytes.len().div_ceil(effort.prefixes).max(1);
            for length in (0..bytes.len()).step_by(step) {
                self.check(&whole, place, &corrupt::prefix(bytes, length), &watchdog);
                cases += 1;
            }
            let share = effort.random.div_ceil(self.files.len());
            for damaged in corrupt::random(bytes, share, 1 + place as u64) {
                self.check(&whole, place, &damaged, &watchdog);
                cases += 1;
            }
        }
        println!(
            "{}: {} games, {cases} damaged sets",
            self.label,
            whole.len()
        );
    }
}

/// Size of the file header and of each record of `.cbh`. The data files' headers are shorter.
const HEADER: usize = 46;

fn extensions(format: &GameFormat) -> impl Iterator<Item = &'static str> {
    let companions = format
        .file
        .companions
        .iter()
        .map(|companion| companion.extension);
    let mut all: Vec<&str> = format
        .file
        .extensions
        .iter()
        .copied()
        .chain(companions)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}

fn read_all(database: &dyn Database) -> Vec<Print> {
    let mut reader = database.reader();
    let mut prints = Vec::new();
    for index in (0..database.len()).map(GameIndex) {
        if let Ok(entry) = database.entry(index) {
            use tabia_core::games::NameKind;
            let names = [
                (NameKind::Player, entry.white),
                (NameKind::Player, entry.black),
                (NameKind::Event, entry.event),
                (NameKind::Site, entry.site),
                (NameKind::Annotator, entry.annotator),
            ];
            for (kind, id) in names {
                let _ = id.map(|id| database.name(kind, id).map(|name| name.len()));
            }
        }
        let mut printer = Printer::default();
        let _ = reader.read(index, Want::ALL, &mut printer);
        prints.push(printer.print);
        // The same again in part: other code may run.
        let mut printer = Printer::default();
        let _ = reader.read(index, Want::MAINLINE, &mut printer);
        assert_eq!(printer.print.mainline, prints[prints.len() - 1].mainline);
    }
    prints
}

#[derive(Default)]
struct Printer {
    print: Print,
    depth: usize,
}

fn mix(print: &mut u64, value: impl Hash) {
    let mut hasher = DefaultHasher::new();
    (*print, value).hash(&mut hasher);
    *print = hasher.finish();
}

impl Visitor for Printer {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        mix(&mut self.print.head, format!("{head:?}"));
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if let Ply::Move(m) = ply {
            assert!(before.is_legal(m), "{m:?} in {}", before.fen());
        }
        mix(&mut self.print.moves, (before.key(), ply));
        if self.depth == 0 {
            mix(&mut self.print.mainline, (before.key(), ply));
        }
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        mix(&mut self.print.annotations, format!("{annotation:?}"));
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        mix(&mut self.print.moves, "(");
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("a variation is open");
        mix(&mut self.print.moves, ")");
    }

    fn end_game(&mut self, result: GameResult) {
        mix(&mut self.print.head, result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        // A message must be made without panic too.
        let _ = problem.error.to_string();
        Flow::Go
    }
}

#[test]
fn damaged_fixtures() {
    let _alone = ALONE.lock();
    let mut count = 0;
    for format in game_formats() {
        for path in fixtures(format) {
            Set::from_folder(format, &path).run();
            count += 1;
        }
    }
    assert!(count > 0, "there are no fixtures");
}

#[test]
fn damaged_real_databases() {
    let _alone = ALONE.lock();
    let Some(data) = shared().map(|folder| folder.join("data")) else {
        return skip("damaged_real_databases");
    };
    let mut count = 0;
    for format in game_formats().filter(|format| !format.file.companions.is_empty()) {
        for path in shared::files_below(&data) {
            let length = path.metadata().map_or(0, |metadata| metadata.len());
            if !has_extension(&path, format.file.extensions) || length > SMALL as u64 / 4 {
                continue;
            }
            let set = Set::from_folder(format, &path);
            let size: usize = set.files.iter().map(|(_, bytes)| bytes.len()).sum();
            if size <= SMALL && set.read(None).is_some() {
                set.run();
                count += 1;
            }
        }
    }
    assert!(count > 5, "only {count} small databases were found");
}

#[test]
fn damaged_real_texts() {
    let _alone = ALONE.lock();
    let name = "damaged_real_texts";
    let Some(folder) = shared_data(name, "pgn") else {
        return;
    };
    for format in game_formats().filter(|format| format.file.companions.is_empty()) {
        for path in shared::files_below(&folder) {
            if !has_extension(&path, format.file.extensions) {
                continue;
            }
            let bytes = std::fs::read(&path).expect("the file can be read");
            // The beginning of a large file is a small one.
            let bytes = bytes[..bytes.len().min(6000)].to_vec();
            let main = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            let set = Set {
                label: main.clone(),
                format,
                main: main.clone(),
                files: vec![(main, bytes)],
            };
            set.run();
        }
    }
}
