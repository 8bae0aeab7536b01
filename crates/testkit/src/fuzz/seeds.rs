//! Initial inputs of the fuzz targets, because a fuzzer cannot guess magic numbers.

use std::path::{Path, PathBuf};

use tabia_core::books::{BookEntry, BookPosition, BookWriter};
use tabia_core::chess::Ply;
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Event, Game};
use tabia_core::io::{Blob, Source};
use tabia_formats::archives::compressed::Compression;
use tabia_formats::archives::{self, NewMember};
use tabia_formats::books::ctg::CtgWriter;
use tabia_formats::books::polyglot::PolyglotWriter;
use tabia_formats::games::cbh;
use tabia_formats::{ARCHIVES, Format, GAMES};

use crate::repository;
use crate::shared_data_folder::files_below;
use crate::tiny;

use super::file_set;

/// The longest input, in bytes.
const LONGEST: usize = 16 << 10;

/// Inputs for the target with that name, made by the writers of tabia and by hand.
pub fn generated(target: &str) -> Vec<Vec<u8>> {
    match target {
        "pgn_read" | "pgn_roundtrip" | "database_writers" => {
            let folder = repository().join("crates/formats/tests/fixtures/pgn");
            let paths = with_extension(&folder, "pgn");
            let read = |path| std::fs::read(path).expect("the fixture can be read");
            paths.iter().map(read).collect()
        }
        "cbh_moves" => {
            let mut encoder = cbh::moves::Encoder::new();
            let mut record = |game: &Game| Some(encoder.encode(game).ok()?.record.to_vec());
            tiny::games().iter().filter_map(&mut record).collect()
        }
        "cbh_annotations" => tiny::games().iter().filter_map(annotation_seed).collect(),
        "compressed" => {
            let text = "[Event \"Tiny Open\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n".repeat(8);
            let kinds = Compression::ALL.into_iter();
            kinds
                .filter(|kind| kind.is_available())
                .map(|kind| super::reading::packed(text.as_bytes(), kind))
                .collect()
        }
        "query" => {
            let fields = tabia_query::fields().iter();
            let examples = fields.map(|field| field.example.as_bytes().to_vec());
            let all = tabia_query::fields().iter().map(|field| field.example);
            let all: Vec<&str> = all.collect();
            examples.chain([all.join(" OR ").into_bytes()]).collect()
        }
        "serve_url" => {
            let texts = [
                "/api/v1/games?filter=player:carlsen&sort=white,-date&offset=10&limit=50",
                "/lichess?variant=standard&fen=8/8/8/4k3/8/8/4P3/4K3%20w%20-%20-%200%201&play=e2e4",
                "/player?player=A&color=white&modes=rated&speeds=blitz,rapid&since=2013-02",
            ];
            texts.map(|text| text.as_bytes().to_vec()).to_vec()
        }
        "serve_json" => {
            let texts = [
                r#"{"kind": "index", "db": "games.pgn"}"#,
                r#"{"db": "a,b", "where": "elo:>=2700", "games": "1-3,7", "deleted": true, "to": "si5", "profile": "full", "name": "new.si5", "force": true}"#,
                r#"{"db": "a", "to": "pgn", "name": "x.pgn", "decisions": [{"kept": {"db": "a", "game": 1}, "dropped": {"db": "a", "game": 2}, "choice": "merge"}]}"#,
                r#"{"db": "a", "to": "pgn", "name": "x.pgn", "renames": [{"kind": "player", "name": "Tal,M", "proposal": "Tal, Mikhail"}]}"#,
                r#"{"name": "new.ctg", "to": "ctg", "changes": [{"fen": "", "play": "e2e4", "move": "e7e5", "weight": 7, "annotation": "! $14", "advice": "play", "comment": "x"}]}"#,
            ];
            texts.map(|text| text.as_bytes().to_vec()).to_vec()
        }
        "epd" => {
            let path = repository().join("crates/formats/tests/fixtures/epd/suite.epd");
            let bytes = std::fs::read(path).expect("the fixture can be read");
            vec![file_set::pack(&[(0, &bytes)])]
        }
        "kvetka" => {
            let folder = repository().join("crates/formats/tests/fixtures/kvetka");
            let read = |name: &str| std::fs::read(folder.join(name)).expect("the fixture is there");
            let files = ["mini_0.kob", "mini.kin", "mini.ksf"].map(read);
            vec![file_set::pack(&[
                (0, &files[0]),
                (1, &files[1]),
                (2, &files[2]),
            ])]
        }
        "abk" => {
            // 1.e4 with the answers 1...e5 and 1...c5, which leads back to the first move.
            let records = [(12, 28, 901u16, 0u16), (52, 36, 0, 902), (50, 34, 900, 0)];
            let record = |(from, to, child, sibling): (u8, u8, u16, u16)| {
                let mut bytes = vec![from, to, 0, 9, 7, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0];
                for number in [0, child, sibling] {
                    bytes.extend([number as u8, (number >> 8) as u8, 0, 0]);
                }
                bytes
            };
            vec![records.into_iter().flat_map(record).collect()]
        }
        "ctg" => vec![small_ctg()],
        "cbh2" => vec![fixture_set("2cbh")],
        "cbh_salvage" => incomplete_sets(),
        "cbh_edit" => {
            let set = fixture_set("cbh");
            (0..4).map(|job| [&[job], &set[..]].concat()).collect()
        }
        "salvage" => writable_sets(),
        "extract" => small_archives(),
        "archive_pack" => vec![(0..200).collect(), vec![3; 100], vec![0]],
        "journal" => {
            let journal = "tabia: files that replace others, version 1\n";
            let steps = [
                ".a.pgn.1-1.tmp\t.a.pgn.1-2.tmp\ta.pgn\n",
                ".b.pgn.1-2.tmp\t.b.pgn.1-3.tmp\tb.pgn\n",
                "-\t.a.pgn.1-2.tmp\tb.pgn\n",
            ];
            let seed = |step: &str| format!("{journal}{step}end\n").into_bytes();
            steps.map(seed).to_vec()
        }
        "book_writers" => vec![small_polyglot()],
        "tidx" => vec![vec![1, 0, 0, 0, 0], vec![3, 8, 0, 0, 255], vec![0; 64]],
        // Invalid inputs, which must be refused without panic.
        _ => vec![b"no such file".to_vec(), vec![0; 64]],
    }
}

/// The fixture of a format as one input.
fn fixture_set(id: &str) -> Vec<u8> {
    let folder = repository().join("crates/formats/tests/fixtures").join(id);
    let files = tiny_files(super::reading::format(id), &folder);
    let files: Vec<(u8, &[u8])> = files
        .iter()
        .map(|(index, bytes)| (*index, &**bytes))
        .collect();
    file_set::pack(&files)
}

/// The fixtures of all formats that databases are written in, each after the number of its format.
fn writable_sets() -> Vec<Vec<u8>> {
    let written = GAMES.iter().filter(|format| format.create.is_some());
    let sets = (0u8..).zip(written).filter_map(|(number, format)| {
        let set = fixture_set(format.file.id.as_str());
        (!set.is_empty()).then(|| [&[number], &set[..]].concat())
    });
    sets.collect()
}

/// A small archive of every kind, with safe names and with those that must be refused.
fn small_archives() -> Vec<Vec<u8>> {
    let scratch = crate::Scratch::new("seed");
    let members = ["games.pgn", "folder/more.pgn", "a.txt"].map(|name| {
        let bytes = Blob::from(name.repeat(9).into_bytes());
        NewMember::from_bytes(name.to_owned(), bytes, None)
    });
    let mut seeds = Vec::new();
    for format in ARCHIVES.iter().filter(|format| format.create.is_some()) {
        let path = scratch.join(format.file.id.as_str());
        let options = archives::CreateOptions::default();
        if archives::create(format, &path, &members, &options).is_ok() {
            let bytes = std::fs::read(&path).expect("the archive is there");
            // Another name of the same length.
            let mut other = bytes.clone();
            while let Some(at) = other.windows(9).position(|name| name == b"games.pgn") {
                other[at..at + 9].copy_from_slice(b"../ab.pgn");
            }
            seeds.extend([bytes, other]);
        }
    }
    seeds
}

/// A Polyglot book of the first moves of small games.
fn small_polyglot() -> Vec<u8> {
    let scratch = crate::Scratch::new("seed");
    let target = scratch.join("seed.bin");
    let writer = PolyglotWriter::create(&target, &CreateOptions::default());
    write_moves(Box::new(writer.expect("a new book")));
    std::fs::read(&target).expect("the book is there")
}

/// Writes the first moves of small games to a book.
fn write_moves(mut writer: Box<dyn BookWriter>) {
    for game in tiny::games() {
        let Some(mut position) = game.head.start.position() else {
            continue;
        };
        for ply in game.mainline().take(12) {
            let Ply::Move(m) = ply else { break };
            let mut entry = BookEntry::new(m);
            entry.games = Some(1);
            let mut page = BookPosition::default();
            page.entries = vec![entry];
            writer.put(&position, &page).expect("a position");
            position.play(m);
        }
    }
    writer.finish().expect("a book");
}

/// The files of the set `tiny` in a folder, with the indices of their extensions.
fn tiny_files(format: Format, folder: &Path) -> Vec<(u8, Vec<u8>)> {
    (0u8..)
        .zip(super::reading::extensions(format))
        .filter_map(|(index, extension)| {
            let bytes = std::fs::read(folder.join(format!("tiny.{extension}"))).ok()?;
            Some((index, bytes))
        })
        .collect()
}

/// The ChessBase fixture, complete and without each of its files.
fn incomplete_sets() -> Vec<Vec<u8>> {
    let folder = repository().join("crates/formats/tests/fixtures/cbh");
    let files = tiny_files(super::reading::format("cbh"), &folder);
    let without = |missing: usize| {
        let files = files.iter().enumerate();
        let left = files.filter(|(number, _)| *number != missing);
        let left: Vec<(u8, &[u8])> = left.map(|(_, (at, it))| (*at, &**it)).collect();
        file_set::pack(&left)
    };
    (0..=files.len()).map(without).collect()
}

/// A small CTG book as one input.
fn small_ctg() -> Vec<u8> {
    let scratch = crate::Scratch::new("seed");
    let target = scratch.join("seed.ctg");
    let writer = CtgWriter::create(&target, &CreateOptions::default());
    write_moves(Box::new(writer.expect("a new book")));
    let extensions = super::reading::extensions(super::reading::format("ctg"));
    let files: Vec<(u8, Vec<u8>)> = (0u8..)
        .zip(extensions)
        .filter_map(|(index, extension)| {
            let bytes = std::fs::read(target.with_extension(extension)).ok()?;
            Some((index, bytes))
        })
        .collect();
    let files: Vec<(u8, &[u8])> = files
        .iter()
        .map(|(index, bytes)| (*index, &**bytes))
        .collect();
    file_set::pack(&files)
}

/// The annotations of a game as a record, each on the move before it in PGN order.
fn annotation_seed(game: &Game) -> Option<Vec<u8>> {
    let mut encoder = cbh::annotations::Encoder::new(cbh::charset::TextForm::UTF8);
    let mut position = -1;
    for event in game.events() {
        match event {
            Event::Move(_) => position += 1,
            Event::Annotation(annotation) => {
                let lost = encoder.push(position, &annotation);
                assert_eq!(lost, None, "the tiny games fit");
            }
            _ => {}
        }
    }
    let mut seed = vec![0];
    seed.extend_from_slice(encoder.finish(1)?);
    Some(seed)
}

/// Inputs for the target with that name from the folder of real data.
pub fn real(target: &str, data: &Path) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        "cbh_moves" => records(data, "cbg", move_record),
        "cbh_annotations" => records(data, "cba", annotation_record),
        "pgn_read" | "pgn_roundtrip" => texts(data),
        "cbh_set" | "cbh_salvage" => sets(data, super::reading::format("cbh")),
        "sci" => sets(data, super::reading::format("sci")),
        "kvetka" | "polyglot" | "ctg" | "si3" | "si4" | "si5" | "cbf" => {
            sets(data, super::reading::format(target))
        }
        "cbv" | "cbz" | "scv" | "zip" | "bpgn" => files(data, target),
        "abk" => with_extension(data, target)
            .iter()
            .filter_map(|path| {
                let bytes = std::fs::read(path).expect("the file can be read");
                let records = bytes.get(super::reading::ABK_HEADER..)?;
                Some(records[..records.len().min(LONGEST / 28 * 28)].to_vec())
            })
            .collect(),
        "compressed" => ["gz", "zst", "bz2", "xz", "lz4"]
            .iter()
            .flat_map(|extension| files(data, extension))
            .collect(),
        _ => Vec::new(),
    };
    seeds.retain(|seed| !seed.is_empty() && seed.len() <= LONGEST);
    seeds.sort_by_key(Vec::len);
    seeds.dedup();
    seeds
}

/// Files with that extension; long ones are truncated.
fn files(data: &Path, extension: &str) -> Vec<Vec<u8>> {
    with_extension(data, extension)
        .iter()
        .map(|path| {
            let mut bytes = std::fs::read(path).expect("the file can be read");
            bytes.truncate(LONGEST);
            bytes
        })
        .collect()
}

/// Eight parts of each PGN file, each of which begins with a tag.
fn texts(data: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for path in with_extension(data, "pgn") {
        let bytes = std::fs::read(&path).expect("the file can be read");
        for part in 0..8 {
            let rest = &bytes[bytes.len() / 8 * part..];
            let mark = b"\n[Event ";
            let begin = rest.windows(mark.len()).position(|bytes| bytes == mark);
            let rest = &rest[begin.map_or(0, |begin| begin + 1)..];
            found.push(rest[..rest.len().min(3000)].to_vec());
        }
    }
    found
}

fn with_extension(data: &Path, extension: &str) -> Vec<PathBuf> {
    let has = |path: &PathBuf| {
        path.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension))
    };
    files_below(data).into_iter().filter(has).collect()
}

/// Sets of files as one input each. Files are truncated so that all fit into the input.
fn sets(data: &Path, format: Format) -> Vec<Vec<u8>> {
    let extensions = super::reading::extensions(format);
    let mut found = Vec::new();
    for path in with_extension(data, extensions[0]) {
        let Ok(source) = Source::from_path(&path) else {
            continue;
        };
        let mut parts = Vec::new();
        for (index, extension) in extensions.iter().enumerate() {
            if let Some(blob) = source.open_companion(extension).ok().flatten() {
                let length = blob.len().min(LONGEST / (2 + extensions.len() / 4));
                parts.push((index as u8, blob[..length].to_vec()));
            }
        }
        let parts: Vec<(u8, &[u8])> = parts
            .iter()
            .map(|(index, bytes)| (*index, &**bytes))
            .collect();
        found.push(file_set::pack(&parts));
    }
    found
}

/// Returns the length of the first record, and the input made from it; `None` if absent.
type NextRecord = fn(&[u8]) -> Option<(usize, Vec<u8>)>;

/// Records of all files with that extension, up to a hundred of each file.
fn records(data: &Path, extension: &str, next: NextRecord) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for path in with_extension(&data.join("cbh"), extension) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        // The headers of the files have 26 bytes, in old versions fewer.
        let mut rest = bytes.get(26..).unwrap_or_default();
        for _ in 0..100 {
            let Some((length, seed)) = next(rest) else {
                break;
            };
            found.push(seed);
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    found
}

fn big_endian(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// A move record: a byte of flags, three bytes of length.
fn move_record(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    let length = big_endian(rest.get(1..4)?).max(4);
    Some((length, rest.get(..length)?.to_vec()))
}

/// An annotation record: ten bytes of header, four bytes of length. The input begins with a byte for
/// the character set.
fn annotation_record(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    let length = big_endian(rest.get(10..14)?).max(14);
    let mut seed = vec![0];
    seed.extend_from_slice(rest.get(..length)?);
    Some((length, seed))
}
