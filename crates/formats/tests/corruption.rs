//! Damaged files: reading them neither panics nor hangs, takes memory only in proportion to the files,
//! and returns games before the damage unchanged.
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
use tabia_testkit::time_and_memory_limits::{self, Watchdog};
use tabia_testkit::{shared, shared_data, shared_data_folder, skip};

use support::{fixtures, game_formats, has_extension};

#[global_allocator]
static ALLOCATOR: time_and_memory_limits::Allocator = time_and_memory_limits::ALLOCATOR;

/// Memory is counted for the process, so only one test may run at a time.
static ONE_TEST: Mutex<()> = Mutex::new(());

/// The longest time to read one damaged set.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The number of damaged copies of a set.
struct Effort {
    /// Randomly damaged copies of each set.
    random: usize,
    /// Prefixes of each file; all prefixes of files that have fewer.
    prefixes: usize,
}

/// A sample; with `TABIA_EXHAUSTIVE`, all prefixes and many random copies, which takes long without
/// optimisation. With a value such as `1/4` only a fourth of the sets is tested, so that several
/// processes can share the work.
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

/// The part of the sets that this process tests, counted from 0, and the number of parts.
fn share() -> (u64, u64) {
    let text = std::env::var("TABIA_EXHAUSTIVE").unwrap_or_default();
    text.split_once('/')
        .and_then(|(part, parts)| Some((part.parse::<u64>().ok()?, parts.parse::<u64>().ok()?)))
        .filter(|(part, parts)| (1..=*parts).contains(part))
        .map_or((0, 1), |(part, parts)| (part - 1, parts))
}

/// The largest file of a small set, in bytes.
const MAX_FILE: usize = 64 << 10;

/// A database in memory.
struct Set {
    label: String,
    format: &'static GameFormat,
    main: String,
    files: Vec<(String, Vec<u8>)>,
}

/// Hashes of the parts of a game, for comparing games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct GameHashes {
    head: u64,
    mainline: u64,
    moves: u64,
    annotations: u64,
}

impl Set {
    /// The set of a main file on disk, without files that the format does not use.
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
            if bytes.len() <= MAX_FILE || file.name == name {
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

    /// Reads all index entries, names and games; `None` if the set cannot be opened. `damaged` replaces the
    /// bytes of the file with that index.
    fn read(&self, damaged: Option<(usize, &[u8])>) -> Option<Vec<GameHashes>> {
        let members = self.files.iter().enumerate().map(|(index, (name, bytes))| {
            let bytes = match damaged {
                Some((damaged, bytes)) if damaged == index => bytes.to_vec(),
                _ => bytes.clone(),
            };
            (name.clone(), Blob::from(bytes))
        });
        let source = Source::from_members(&self.label, &self.main, members.collect()).ok()?;
        let open = self.format.open;
        let database = open(&source, &OpenOptions::default()).ok()?;
        Some(read_all(&*database))
    }

    /// Reads the set with one file damaged, and compares the games with those of the intact set.
    fn check(&self, intact: &[GameHashes], file: usize, damaged: &Damaged, watchdog: &Watchdog) {
        let name = &self.files[file].0;
        let what = format!("{} with {name}: {}", self.label, damaged.how);
        watchdog.case(&what);
        let size: usize = self.files.iter().map(|(_, bytes)| bytes.len()).sum();
        let work =
            || time_and_memory_limits::peak(&ALLOCATOR, || self.read(Some((file, &damaged.bytes))));
        let Ok((found, peak)) = catch_unwind(AssertUnwindSafe(work)) else {
            panic!("{what}: panicked");
        };
        let allowed = (16 << 20) + 64 * (size + damaged.bytes.len());
        assert!(
            peak <= allowed,
            "{what}: {peak} bytes of memory for a set of {size} bytes"
        );
        if let Some(found) = found {
            self.compare(intact, &found, file, damaged.from, &what);
        }
    }

    /// Asserts that games whose bytes are all before the damage are unchanged.
    fn compare(
        &self,
        intact: &[GameHashes],
        found: &[GameHashes],
        file: usize,
        from: usize,
        what: &str,
    ) {
        let (name, bytes) = &self.files[file];
        if *name == self.main && self.files.len() == 1 {
            // In a single file the last game before the damage can extend into it.
            let before = self.read(Some((file, &bytes[..from]))).unwrap_or_default();
            let unharmed = before.len().saturating_sub(1).min(intact.len());
            assert!(found.len() >= unharmed, "{what}: games are missing");
            for (index, game) in intact[..unharmed].iter().enumerate() {
                assert_eq!(&found[index], game, "{what}: game {}", index + 1);
            }
            return;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "cbh" => {
                let unharmed = (from / HEADER).saturating_sub(1);
                for (index, game) in intact.iter().enumerate().take(unharmed) {
                    assert_eq!(found.get(index), Some(game), "{what}: game {}", index + 1);
                }
            }
            "cbg" | "cba" if from >= HEADER => {
                let moves = extension.eq_ignore_ascii_case("cbg");
                let field = if moves { 1 } else { 5 };
                let extents = self.extents(field, bytes.len());
                for (index, game) in intact.iter().enumerate() {
                    let unharmed = extents[index].end <= from;
                    let Some(found) = found.get(index) else {
                        panic!("{what}: game {} is missing", index + 1);
                    };
                    // The start position is stored with the moves, so the head depends on them.
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
            // The moves do not depend on names and other side files.
            "cbp" | "cbt" | "cbc" | "cbs" | "cbe" | "cbl" | "cbtt" | "cbm" | "flags" | "ini" => {
                assert_eq!(found.len(), intact.len(), "{what}: number of games");
                for (index, (found, game)) in found.iter().zip(intact).enumerate() {
                    assert_eq!(
                        found.moves,
                        game.moves,
                        "{what}: moves of game {}",
                        index + 1
                    );
                }
            }
            // The headers of data files and the extended headers contain the offsets of the moves.
            // For other formats it is not known which bytes belong to a game.
            _ => {}
        }
    }

    /// The range of the bytes of each game in a data file: from the offset in its header record (four
    /// bytes at `field`, big-endian) to the next greater offset.
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
        // A game without data has the offset 0 and no bytes.
        starts
            .iter()
            .map(|&start| if start == 0 { 0..0 } else { start..end(start) })
            .collect()
    }

    /// Checks prefixes and randomly damaged copies of each file.
    fn run(&self) {
        let (part, parts) = share();
        let mut number = 0;
        mix(&mut number, (&self.label, &self.files));
        if number % parts != part {
            return;
        }
        let watchdog = Watchdog::new(TIMEOUT);
        watchdog.case(&self.label);
        let intact = self.read(None).expect("the undamaged set opens");
        let mut cases = 0;
        let effort = effort();
        for (file, (_, bytes)) in self.files.iter().enumerate() {
            let step = bytes.len().div_ceil(effort.prefixes).max(1);
            for length in (0..bytes.len()).step_by(step) {
                self.check(&intact, file, &corrupt::prefix(bytes, length), &watchdog);
                cases += 1;
            }
            let share = effort.random.div_ceil(self.files.len());
            for damaged in corrupt::random(bytes, share, 1 + file as u64) {
                self.check(&intact, file, &damaged, &watchdog);
                cases += 1;
            }
        }
        println!(
            "{}: {} games, {cases} damaged sets",
            self.label,
            intact.len()
        );
    }
}

/// Size of the file header and of each record of `.cbh`, in bytes. Headers of data files are shorter.
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

fn read_all(database: &dyn Database) -> Vec<GameHashes> {
    let mut reader = database.reader();
    let mut games = Vec::new();
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
        let mut hasher = GameHasher::default();
        let _ = reader.read(index, Want::ALL, &mut hasher);
        games.push(hasher.hashes);
        // Readers of the mainline alone can take another path.
        let mut hasher = GameHasher::default();
        let _ = reader.read(index, Want::MAINLINE, &mut hasher);
        assert_eq!(hasher.hashes.mainline, games[games.len() - 1].mainline);
    }
    games
}

#[derive(Default)]
struct GameHasher {
    hashes: GameHashes,
    depth: usize,
}

fn mix(hash: &mut u64, value: impl Hash) {
    let mut hasher = DefaultHasher::new();
    (*hash, value).hash(&mut hasher);
    *hash = hasher.finish();
}

impl Visitor for GameHasher {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        mix(&mut self.hashes.head, format!("{head:?}"));
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if let Ply::Move(m) = ply {
            assert!(before.is_legal(m), "{m:?} in {}", before.fen());
        }
        mix(&mut self.hashes.moves, (before.key(), ply));
        if self.depth == 0 {
            mix(&mut self.hashes.mainline, (before.key(), ply));
        }
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        mix(&mut self.hashes.annotations, format!("{annotation:?}"));
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        mix(&mut self.hashes.moves, "(");
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("a variation is open");
        mix(&mut self.hashes.moves, ")");
    }

    fn end_game(&mut self, result: GameResult) {
        mix(&mut self.hashes.head, result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        // Formatting a message must not panic either.
        let _ = problem.error.to_string();
        Flow::Go
    }
}

#[test]
fn damaged_fixtures() {
    let _guard = ONE_TEST.lock();
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
    let _guard = ONE_TEST.lock();
    let Some(data) = shared().map(|folder| folder.join("data")) else {
        return skip("damaged_real_databases");
    };
    let mut count = 0;
    for format in game_formats().filter(|format| !format.file.companions.is_empty()) {
        for path in shared_data_folder::files_below(&data) {
            let length = path.metadata().map_or(0, |metadata| metadata.len());
            if !has_extension(&path, format.file.extensions) || length > MAX_FILE as u64 / 4 {
                continue;
            }
            let set = Set::from_folder(format, &path);
            let size: usize = set.files.iter().map(|(_, bytes)| bytes.len()).sum();
            if size <= MAX_FILE && set.read(None).is_some() {
                set.run();
                count += 1;
            }
        }
    }
    assert!(count > 5, "only {count} small databases were found");
}

#[test]
fn damaged_real_texts() {
    let _guard = ONE_TEST.lock();
    let name = "damaged_real_texts";
    let Some(folder) = shared_data(name, "pgn") else {
        return;
    };
    let mut count = 0;
    for format in game_formats().filter(|format| format.file.companions.is_empty()) {
        for path in shared_data_folder::files_below(&folder) {
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
            count += 1;
        }
    }
    assert!(count > 5, "only {count} texts were found");
}
