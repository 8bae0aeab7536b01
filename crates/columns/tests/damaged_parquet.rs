//! Hostile Parquet: damaged tables of games and of book rows are errors or rows, within bounds of time and memory.
//!
//! `TABIA_FUZZ_SECONDS=600 cargo test -p tabia-columns --features parquet --test damaged_parquet` runs for that long; without it a
//! fixed sequence of inputs is tried.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::little_endian_bytes,
    clippy::print_stdout,
    reason = "a test, with an option"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::builder::{Int16Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};
use tabia::core::io::{Blob, Source};
use tabia::formats::formats;
use tabia::{
    CreateOptions, Flow, GameHead, GameIndex, NoObserver, OpenOptions, Ply, Position, Problem,
    Profile, Progress, Resolver, Visitor, Want,
};
use tabia_columns::read::{PARQUET, book_from_rows, is_book_rows};
use tabia_columns::write::{TableFile, TableOptions, write_table};
use tabia_testkit::time_and_memory_limits::{ALLOCATOR, Allocator, Watchdog, peak};
use tabia_testkit::{Random, Scratch, corrupt};

#[global_allocator]
static COUNTED: Allocator = ALLOCATOR;

/// Inputs of the fixed sequence.
const COUNT: usize = 400;

/// Bytes that an input of a few kilobytes may take.
const MEMORY: usize = 192 << 20;

/// Rows that are read from each end of a table.
const ROWS: u32 = 600;

const PGN: &str = "[Event \"Cup\"]\n[Date \"2013.09.??\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[WhiteElo \"2700\"]\n\
    [ECO \"B90\"]\n[TimeControl \"180+2\"]\n[EventDate \"2013.09.01\"]\n\n\
    1. e4 $1 {[%clk 0:03:00.5] [%eval 0.31,20] good} (1. d4) e5 {[%eval #-3]} 2. -- Nc6 {[%emt 0:00:01]} 1-0\n\n\
    [White \"D\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Ke7 1/2-1/2\n\n\
    [White \"F\"]\n[Variant \"Chess960\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O 0-1\n\n";

/// A visitor that checks what it gets.
#[derive(Default)]
struct Checked {
    depth: u32,
}

impl Visitor for Checked {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        self.depth = 0;
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if let Ply::Move(m) = ply {
            assert!(before.is_legal(m), "{m:?} in {}", before.fen());
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("a variation is open");
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let _ = problem.error.to_string();
        Flow::Go
    }
}

/// A file of columns, as one program or another writes it.
fn file_of(columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) -> Vec<u8> {
    let fields = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<Field>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Tables in the layouts of Lichess and aix, and book rows, in versions and compressions of the format.
fn foreign_tables() -> Vec<Vec<u8>> {
    let texts = |values: &[&str]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let lichess = vec![
        ("White", texts(&["a", "b", "c"])),
        ("Black", texts(&["d", "e", "f"])),
        ("Result", texts(&["1-0", "0-1", "*"])),
        (
            "UTCDate",
            texts(&["2015.12.01", "2015.12.02", "????.??.??"]),
        ),
        (
            "movetext",
            texts(&[
                "1. e4 { [%eval 0.2] [%clk 0:01:00] } e5 1-0",
                "1. d4 0-1",
                "",
            ]),
        ),
    ];
    let mut uci = ListBuilder::new(StringBuilder::new());
    let mut clocks = ListBuilder::new(Int16Builder::new());
    for moves in [&["e2e4", "e7e5"][..], &["d2d4"], &[]] {
        uci.append_value(moves.iter().map(|text| Some(*text)));
        clocks.append_value(moves.iter().map(|_| Some(60)));
    }
    let aix = vec![
        ("white", texts(&["a", "b", "c"])),
        (
            "white_rating",
            Arc::new(Int16Array::from(vec![Some(2500), None, Some(-1)])) as ArrayRef,
        ),
        ("moves", Arc::new(uci.finish()) as ArrayRef),
        ("clocks_white", Arc::new(clocks.finish()) as ArrayRef),
    ];
    let key = (Position::standard().key() ^ 1 << 63) as i64;
    let sums = vec![
        (
            "key",
            Arc::new(Int64Array::from(vec![key, key, 7])) as ArrayRef,
        ),
        (
            "move",
            Arc::new(Int32Array::from(vec![796, 731, 796])) as ArrayRef,
        ),
        (
            "white",
            Arc::new(Int64Array::from(vec![3, i64::MAX, -1])) as ArrayRef,
        ),
        (
            "weight",
            Arc::new(Int64Array::from(vec![5, 70_000, 0])) as ArrayRef,
        ),
    ];
    let mut files = Vec::new();
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for has_dictionary in [true, false] {
                let properties = || {
                    WriterProperties::builder()
                        .set_compression(compression)
                        .set_writer_version(version)
                        .set_dictionary_enabled(has_dictionary)
                        .build()
                };
                for columns in [&lichess, &aix, &sums] {
                    files.push(file_of(columns.clone(), properties()));
                }
            }
        }
    }
    files
}

/// Tables of our own, with every column.
fn own_tables(folder: &Scratch) -> Vec<Vec<u8>> {
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, PGN.repeat(5)).unwrap();
    let items: Vec<_> = Resolver::default().resolve_games(pgn.as_os_str()).unwrap();
    let items: Vec<_> = items.into_iter().map(Result::unwrap).collect();
    let mut tables = Vec::new();
    for profile in [None, Some(Profile::Full)] {
        let path = folder.join("own.parquet");
        let mut options = TableOptions::default();
        options.with_pgn = profile;
        let progress = Arc::new(Progress::default());
        let file = TableFile::Parquet(path.clone());
        write_table(&items, file, &options, true, &progress, &mut NoObserver).unwrap();
        tables.push(std::fs::read(path).unwrap());
    }
    tables
}

/// Reads the rows of a file as games, as headers and as book rows.
fn read(bytes: &[u8], folder: &Scratch) -> bool {
    let options = OpenOptions::default();
    let members = vec![("x.parquet".to_owned(), Blob::from(bytes.to_vec()))];
    let source = Source::from_members("x.parquet", "x.parquet", members).unwrap();
    let mut is_read = false;
    if let Ok(database) = (PARQUET.open)(&source, &options) {
        is_read = true;
        let mut reader = database.reader();
        let length = database.len();
        let rows = (0..length.min(ROWS)).chain(length.saturating_sub(ROWS)..length);
        for row in rows.map(GameIndex) {
            if let Err(error) = reader.read(row, Want::ALL, &mut Checked::default()) {
                let _ = error.to_string();
                break;
            }
        }
        let _ = database.entry(GameIndex(0));
        let _ = database.entry(GameIndex(length.saturating_sub(1)));
    }
    let path = folder.join("x.parquet");
    std::fs::write(&path, bytes).unwrap();
    let resolver = Resolver::new(formats().chain(tabia_columns::read::formats()));
    if let Ok(items) = resolver.resolve(path.as_os_str()) {
        let _ = is_book_rows(&items[0], &options);
        for format in tabia::formats::BOOKS
            .iter()
            .filter(|format| format.has_key_entries)
        {
            let target = folder.join("x.bin");
            let create = CreateOptions::default();
            let made = book_from_rows(
                &items,
                format,
                &target,
                &options,
                &create,
                &Progress::default(),
            );
            is_read |= made.is_ok();
            remove(&target);
        }
    }
    is_read
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// A damaged copy; half of the damage is in the footer, which decides how everything else is read.
fn damaged(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(3) {
        let length = bytes.len();
        let size = bytes.get(length.saturating_sub(8)..length.saturating_sub(4));
        let size = size.map_or(0, |size| {
            size.iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
        });
        let start = length.saturating_sub(8).saturating_sub(size);
        if random.below(2) == 0 && start > 4 && length > 16 {
            // The end stays, so that the footer is found.
            let footer = corrupt::damage(&bytes[start..length - 8], random).bytes;
            bytes.truncate(start);
            bytes.extend_from_slice(&footer);
            bytes.extend_from_slice(&(footer.len() as u32).to_le_bytes());
            bytes.extend_from_slice(b"PAR1");
        } else {
            bytes = corrupt::damage(&bytes, random).bytes;
        }
    }
    bytes
}

#[test]
fn damaged_tables_are_errors_or_rows() {
    let folder = Scratch::new("damaged-parquet");
    let mut seeds = own_tables(&folder);
    seeds.extend(foreign_tables());
    let watchdog = Watchdog::new(Duration::from_mins(1));
    for (number, seed) in seeds.iter().enumerate() {
        watchdog.case(&format!("seed {number}"));
        assert!(read(seed, &folder), "seed {number} is not read");
    }
    let seconds = std::env::var("TABIA_FUZZ_SECONDS").map(|text| text.parse::<f64>());
    let seconds = seconds.map_or(0.0, |seconds| seconds.expect("a number of seconds"));
    // Panics of the package `parquet` are caught, and not printed.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut random = Random::new(0x5eed);
    let (mut count, mut is_read, mut most) = (0, 0, 0);
    let mut failed = None;
    while (count < COUNT || start.elapsed().as_secs_f64() < seconds) && failed.is_none() {
        let bytes = damaged(&seeds[count % seeds.len()], &mut random);
        watchdog.case(&format!("input {count}"));
        let (outcome, memory) = peak(&COUNTED, || {
            catch_unwind(AssertUnwindSafe(|| read(&bytes, &folder)))
        });
        most = most.max(memory);
        match outcome {
            Ok(ok) => is_read += usize::from(ok),
            Err(_) => failed = Some(format!("input {count} panics")),
        }
        if memory > MEMORY {
            failed = Some(format!("input {count} takes {memory} bytes"));
        }
        if failed.is_some() {
            let _ = std::fs::write(std::env::temp_dir().join("tabia-finding.parquet"), &bytes);
        }
        count += 1;
    }
    let _ = std::panic::take_hook();
    println!(
        "{count} inputs, {is_read} of them read, {} kB at most",
        most >> 10
    );
    assert_eq!(failed, None);
    assert!(is_read > count / 20, "{is_read} of {count} inputs are read");
}
