//! ZIP archives that are cut, damaged or hostile.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::sync::Arc;

use tabia_core::formats::OpenOptions;
use tabia_core::io::{Blob, Cursor, Progress, Sink, Source};
use tabia_formats::archives;
use tabia_formats::archives::{
    Archive, ChecksumStatus, CreateOptions, ExtractOptions, NewMember, Packing, Presence,
};
use tabia_testkit::Scratch;

type Files = Vec<(String, Vec<u8>)>;

fn files() -> Files {
    let text = |i: usize| format!("game {i} ").repeat(40 * i).into_bytes();
    (1..6).map(|i| (format!("f/{i}.pgn"), text(i))).collect()
}

fn zip(files: &Files, packing: Packing) -> Vec<u8> {
    let scratch = Scratch::new("zip-of");
    let path = scratch.join("a.zip");
    let new = |(name, bytes): &(String, Vec<u8>)| {
        NewMember::from_bytes(name, Blob::from(bytes.clone()), None)
    };
    let members: Vec<NewMember> = files.iter().map(new).collect();
    let mut options = CreateOptions::default();
    options.packing = packing;
    archives::create(&archives::zip::ZIP, &path, &members, &options).unwrap();
    std::fs::read(path).unwrap()
}

fn open(bytes: &[u8]) -> tabia_core::Result<Arc<dyn Archive>> {
    let files = vec![("a.zip".to_owned(), Blob::from(bytes.to_vec()))];
    let source = Source::from_members("a.zip", "a.zip", files).unwrap();
    let archive = archives::open_archive(&source, &OpenOptions::default())?;
    Ok(Arc::from(archive.unwrap()))
}

fn names(archive: &dyn Archive) -> Vec<String> {
    let names = archive.members().iter().map(|member| member.name.clone());
    names.collect()
}

fn position(bytes: &[u8], wanted: &[u8]) -> usize {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted).unwrap()
}

#[test]
fn a_cut_archive_keeps_what_survives() {
    for packing in [Packing::Stored, Packing::Best] {
        let whole = zip(&files(), packing);
        let directory = position(&whole, b"PK\x01\x02");
        let mut most = 0;
        for length in 4..whole.len() {
            let Ok(archive) = open(&whole[..length]) else {
                // Not one local header is complete.
                assert!(length < 30 + "f/1.pgn".len(), "{length}");
                continue;
            };
            assert!(!archive.info().problems.is_empty(), "{length}");
            let mut intact = 0;
            for (index, name) in names(&*archive).iter().enumerate() {
                let (expected_name, expected) = &files()[index];
                assert_eq!(name, expected_name, "{length}");
                if let Ok(bytes) = archive.read(index) {
                    assert!(bytes[..] == expected[..], "{length}");
                    assert_eq!(archive.checksum(index), ChecksumStatus::Ok);
                    intact += 1;
                } else {
                    let (saved, problems) = archives::salvage(&*archive, index).unwrap();
                    assert!(expected.starts_with(&saved), "{length}");
                    assert!(!problems.is_empty(), "{length}");
                    assert_eq!(archive.checksum(index), ChecksumStatus::Bad);
                }
            }
            assert!(intact >= most, "{length}");
            most = intact;
            assert!(length < directory || intact == files().len(), "{length}");
        }
        assert_eq!(most, files().len());
    }
}

#[test]
fn a_directory_that_is_damaged_is_replaced_by_the_local_headers() {
    let whole = zip(&files(), Packing::Best);
    let second = position(&whole, b"PK\x01\x02") + 46 + "f/1.pgn".len();
    let mut damaged = whole.clone();
    damaged[second] = b'x';
    let archive = open(&damaged).unwrap();
    assert_eq!(archive.info().problems.len(), 1);
    for (index, (_, expected)) in files().iter().enumerate() {
        assert!(archive.read(index).unwrap()[..] == expected[..]);
    }
    // The number of members in the end record.
    let end = whole.len() - 22;
    let mut damaged = whole.clone();
    damaged[end + 10] = 3;
    let archive = open(&damaged).unwrap();
    let problem = archive.info().problems[0].to_string();
    assert!(
        problem.contains("states 3 members, its list has 5"),
        "{problem}"
    );
    assert_eq!(archive.members().len(), 5);
}

#[test]
fn an_archive_inside_is_not_taken_for_the_outer_one() {
    let inner = zip(&files(), Packing::Best);
    for (before, after) in [(0, 1), (1, 1), (1, 0)] {
        let mut outer: Files = Vec::new();
        for i in 0..before {
            outer.push((format!("before{i}.pgn"), b"before".to_vec()));
        }
        outer.push(("inner.zip".to_owned(), inner.clone()));
        for i in 0..after {
            outer.push((format!("after{i}.pgn"), b"after".repeat(50)));
        }
        let whole = zip(&outer, Packing::Stored);
        assert!(open(&whole).unwrap().info().problems.is_empty());
        let start = position(&whole, &inner);
        for length in start..whole.len() {
            let archive = open(&whole[..length]).unwrap();
            assert!(!archive.info().problems.is_empty(), "{length}");
            let expected: Vec<&String> = outer.iter().map(|(name, _)| name).collect();
            let found = names(&*archive);
            assert!(found.len() > before, "{length}: {found:?}");
            assert!(
                found.iter().eq(expected[..found.len()].iter().copied()),
                "{length}: {found:?}"
            );
            let read = archive.read(before);
            assert_eq!(read.is_ok(), length >= start + inner.len(), "{length}");
        }
    }
}

/// An archive whose entries all have the data of the last one: each stored member contains the local
/// headers of those that follow.
fn overlapping(count: usize, is_same: bool) -> Vec<u8> {
    let data = b"abcdefgh";
    let name = |i: usize| format!("{i:04}.pgn");
    let crc = {
        let one = zip(&vec![("x".to_owned(), data.to_vec())], Packing::Stored);
        Cursor::new(&one[14..]).u32_le("crc").unwrap()
    };
    let (mut bytes, mut list) = (Sink::new(), Sink::new());
    let header = 30 + name(0).len();
    for i in 0..count {
        let packed = (header * (count - i - 1) + data.len()) as u32;
        let packed = if is_same { data.len() as u32 } else { packed };
        let at = if is_same { 0 } else { bytes.len() as u32 };
        let common = |sink: &mut Sink| {
            sink.zeros(8);
            sink.u32_le(crc);
            sink.u32_le(packed);
            sink.u32_le(packed);
            sink.u16_le(name(i).len() as u16);
        };
        if !is_same || i == 0 {
            bytes.bytes(b"PK\x03\x04\x0a\0");
            common(&mut bytes);
            bytes.zeros(2);
            bytes.bytes(name(i).as_bytes());
        }
        list.bytes(b"PK\x01\x02\x0a\0\x0a\0");
        common(&mut list);
        list.zeros(12);
        list.u32_le(at);
        list.bytes(name(i).as_bytes());
    }
    bytes.bytes(data);
    let at = bytes.len() as u32;
    bytes.bytes(list.as_slice());
    bytes.bytes(b"PK\x05\x06\0\0\0\0");
    bytes.u16_le(count as u16);
    bytes.u16_le(count as u16);
    bytes.u32_le(list.len() as u32);
    bytes.u32_le(at);
    bytes.zeros(2);
    bytes.into_vec()
}

#[test]
fn members_that_share_bytes_are_refused_with_one_problem() {
    for is_same in [false, true] {
        let archive = open(&overlapping(100, is_same)).unwrap();
        assert_eq!(archive.members().len(), 100);
        let problems = &archive.info().problems;
        assert_eq!(problems.len(), 1);
        let text = problems[0].to_string();
        assert!(
            text.contains("99 of 100 members share their bytes"),
            "{text}"
        );
        let intact = if is_same { 0 } else { 99 };
        for (index, member) in archive.members().iter().enumerate() {
            let is_lost = index != intact;
            assert_eq!(member.presence == Presence::Lost, is_lost, "{index}");
            assert_eq!(archive.read(index).is_err(), is_lost, "{index}");
            assert_eq!(
                archives::salvage(&*archive, index).is_err(),
                is_lost,
                "{index}"
            );
        }
        let scratch = Scratch::new("zip-overlapping");
        let all: Vec<usize> = (0..100).collect();
        let options = ExtractOptions::default();
        let folder = scratch.join("out");
        let done = archives::extract(&*archive, &all, &folder, &options, &Progress::new()).unwrap();
        assert_eq!(
            (done.files.len(), done.bytes, done.problems.len()),
            (1, 8, 0)
        );
    }
}

#[test]
fn the_names_in_both_headers_are_compared() {
    let whole = zip(&files(), Packing::Best);
    let at = position(&whole, b"f/2.pgn");
    let mut damaged = whole;
    damaged[at] = b'g';
    let archive = open(&damaged).unwrap();
    assert_eq!(names(&*archive)[1], "f/2.pgn");
    let error = archive.read(1).unwrap_err().to_string();
    assert!(error.contains("names it `g/2.pgn`"), "{error}");
    let (saved, problems) = archives::salvage(&*archive, 1).unwrap();
    assert!(saved[..] == files()[1].1[..] && problems.len() == 1);
    assert!(archive.read(2).is_ok());
}
