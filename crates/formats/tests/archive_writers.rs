//! Archives written by tabia: members round trip, and damaged archives are read or refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::io::Read;
use std::path::Path;

use tabia_core::formats::OpenOptions;
use tabia_core::io::{Blob, Progress, Sink, Source};
use tabia_core::{Error, ErrorKind};
use tabia_formats::archives;
use tabia_formats::archives::{
    Archive, ChecksumStatus, CreateOptions, ExtractOptions, NewMember, OnError, Packing, Timestamp,
};
use tabia_testkit::Scratch;
use tabia_testkit::{Random, corrupt};

/// Files that compress well, badly or not at all, that take several blocks, and an empty one.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut random = Random::new(9);
    let noise: Vec<u8> = (0..70_000).map(|_| random.byte()).collect();
    let records: Vec<u8> = (0..200_000_u32)
        .map(|i| (i / 46 * (i % 46 % 5)) as u8)
        .collect();
    let skewed: Vec<u8> = (0..3_000)
        .map(|_| [b'a', b'b', b'b', b'c'][random.below(4)])
        .collect();
    vec![
        ("Test.cbg".to_owned(), noise),
        ("Test.cbh".to_owned(), records),
        ("Test.cbl".to_owned(), vec![0; 150_000]),
        ("Test.ini".to_owned(), b"[Base]\r\nName=Test\r\n".to_vec()),
        ("Test.cbp".to_owned(), skewed),
        ("Test.html/one.txt".to_owned(), Vec::new()),
        ("one.txt".to_owned(), vec![b'x']),
    ]
}

fn members(files: &[(String, Vec<u8>)]) -> Vec<NewMember> {
    let modified = Timestamp::parse("2016-08-06 15:18:07");
    files
        .iter()
        .map(|(name, bytes)| NewMember::from_bytes(name, Blob::from(bytes.clone()), modified))
        .collect()
}

fn options(packing: Packing) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.packing = packing;
    options.password = Some("geheim".to_owned());
    options
}

/// Existing files stay.
fn keep() -> ExtractOptions {
    ExtractOptions::default()
}

/// Existing files are replaced.
fn replace() -> ExtractOptions {
    let mut options = keep();
    options.force = true;
    options
}

fn open_with(path: &Path, password: &str) -> tabia_core::Result<Box<dyn Archive>> {
    let mut options = OpenOptions::default();
    options.password = Some(password.to_owned());
    let archive = archives::open_archive(&Source::from_path(path)?, &options)?;
    archive.ok_or_else(|| Error::new(ErrorKind::UnknownFormat { found: Vec::new() }))
}

fn open(path: &Path) -> tabia_core::Result<Box<dyn Archive>> {
    open_with(path, "geheim")
}

/// Creates an archive of [`files`] with that name.
fn made(scratch: &Scratch, name: &str, packing: Packing) -> std::path::PathBuf {
    let path = scratch.join(name);
    let format = archives::format_of_name(name).unwrap();
    archives::create(format, &path, &members(&files()), &options(packing)).unwrap();
    path
}

const KINDS: [&str; 4] = ["a.cbv", "a.cbz", "a.scv", "a.zip"];

#[test]
fn members_round_trip() {
    let scratch = Scratch::new("archive-writers");
    for kind in KINDS {
        for packing in [Packing::Best, Packing::Stored] {
            let name = format!("{packing:?}-{kind}");
            let path = made(&scratch, &name, packing);
            let archive = open(&path).unwrap();
            assert_eq!(archive.members().len(), files().len(), "{name}");
            for (file, bytes) in files() {
                let index = archives::find_member(&*archive, &file).expect(&file);
                let member = &archive.members()[index];
                assert_eq!(member.size, Some(bytes.len() as u64));
                assert!(archive.read(index).unwrap()[..] == bytes, "{name}: {file}");
                assert_eq!(
                    archive.checksum(index),
                    ChecksumStatus::Ok,
                    "{name}: {file}"
                );
                let modified = member.modified.unwrap().to_string();
                assert_eq!(&modified[..17], "2016-08-06 15:18:");
                let mut streamed = Vec::new();
                let mut stream = archive.stream(index, &OnError::stop()).unwrap();
                stream.read_to_end(&mut streamed).unwrap();
                assert!(streamed == bytes, "{name}: {file} as a stream");
            }
            let size = std::fs::metadata(&path).unwrap().len();
            let plain: usize = files().iter().map(|(_, bytes)| bytes.len()).sum();
            assert_eq!(
                size < plain as u64,
                packing == Packing::Best,
                "{name}: {size}"
            );
        }
    }
}

#[test]
fn the_same_files_produce_the_same_bytes() {
    let scratch = Scratch::new("archive-same");
    for kind in KINDS {
        let one = std::fs::read(made(&scratch, &format!("1-{kind}"), Packing::Best)).unwrap();
        let two = std::fs::read(made(&scratch, &format!("2-{kind}"), Packing::Best)).unwrap();
        assert!(one == two, "{kind}");
    }
}

#[test]
fn files_of_a_database_are_in_the_order_of_chessbase() {
    let scratch = Scratch::new("archive-order");
    let archive = open(&made(&scratch, "a.cbv", Packing::Best)).unwrap();
    let names: Vec<&str> = archive
        .members()
        .iter()
        .map(|member| &*member.name)
        .collect();
    assert_eq!(
        names,
        [
            "Test.cbh",
            "Test.ini",
            "Test.cbg",
            "Test.cbp",
            "Test.cbl",
            "Test.html/one.txt",
            "one.txt"
        ]
    );
}

#[test]
fn extraction_replaces_files_only_if_forced() {
    let scratch = Scratch::new("archive-extract");
    for kind in KINDS {
        let archive = open(&made(&scratch, kind, Packing::Best)).unwrap();
        let all: Vec<usize> = (0..archive.members().len()).collect();
        let folder = scratch.join(format!("out-{kind}"));
        let progress = Progress::new();
        let done = archives::extract(&*archive, &all, &folder, &keep(), &progress).unwrap();
        assert!(done.problems.is_empty(), "{:?}", done.problems);
        assert_eq!(done.files.len(), files().len());
        for (name, bytes) in files() {
            assert!(
                std::fs::read(folder.join(&name)).unwrap() == bytes,
                "{kind}: {name}"
            );
        }
        let error = archives::extract(&*archive, &all, &folder, &keep(), &progress).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));
        archives::extract(&*archive, &all[..1], &folder, &replace(), &progress).unwrap();
    }
}

/// A member whose path conflicts with that of another one is refused; all others are extracted.
#[test]
fn conflicting_names_affect_only_their_member() {
    let scratch = Scratch::new("archive-conflicts");
    let path = scratch.join("conflicts.zip");
    let long = "n".repeat(255);
    let names = [
        "a", "a/x.pgn", "b/y.pgn", "B", &long, "d/ok.pgn", "none.pgn",
    ];
    let (mut bytes, mut directory) = (Sink::new(), Sink::new());
    // Stored members of one byte each: the fields that both headers of a member share.
    let common = |sink: &mut Sink, length: usize| {
        sink.zeros(8);
        sink.u32_le(0xd202_ef8d);
        sink.u32_le(1);
        sink.u32_le(1);
        sink.u16_le(length as u16);
    };
    for name in names {
        let at = bytes.len() as u32;
        bytes.bytes(b"PK\x03\x04\x0a\0");
        common(&mut bytes, name.len());
        bytes.zeros(2);
        bytes.bytes(name.as_bytes());
        bytes.u8(0);
        directory.bytes(b"PK\x01\x02\x0a\0\x0a\0");
        common(&mut directory, name.len());
        directory.zeros(12);
        directory.u32_le(at);
        directory.bytes(name.as_bytes());
    }
    let at = bytes.len() as u32;
    bytes.bytes(directory.as_slice());
    bytes.bytes(b"PK\x05\x06\0\0\0\0");
    bytes.u16_le(names.len() as u16);
    bytes.u16_le(names.len() as u16);
    bytes.u32_le(directory.len() as u32);
    bytes.u32_le(at);
    bytes.zeros(2);
    let bytes = bytes.into_vec();
    std::fs::write(&path, bytes).unwrap();
    let archive = open(&path).unwrap();
    let all: Vec<usize> = (0..names.len()).collect();
    let folder = scratch.join("out");
    let done = archives::extract(&*archive, &all, &folder, &keep(), &Progress::new()).unwrap();
    let made: Vec<String> = done
        .files
        .iter()
        .map(|file| file.strip_prefix(&folder).unwrap().display().to_string())
        .collect();
    assert_eq!(done.problems.len(), 2, "{:?}", done.problems);
    let mut made = made;
    made.sort();
    // A folder is called as the file, for systems to which case makes no difference.
    let mut expected = ["a", "b/y.pgn", "B-2", &long, "d/ok.pgn", "none.pgn"];
    expected.sort_unstable();
    assert_eq!(made, expected);
}

#[test]
fn unsafe_and_duplicate_names_are_refused() {
    let scratch = Scratch::new("archive-names");
    for kind in KINDS {
        let format = archives::format_of_name(kind).unwrap();
        for names in [["../a", "b"], ["A.txt", "a.TXT"], ["c:x", "b"]] {
            let members: Vec<NewMember> = names
                .iter()
                .map(|name| NewMember::from_bytes(*name, Blob::from(vec![1]), None))
                .collect();
            let path = scratch.join(kind);
            archives::create(format, &path, &members, &options(Packing::Best)).unwrap_err();
            assert!(!path.exists(), "{kind}: {names:?}");
        }
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn a_wrong_password_is_an_error() {
    let scratch = Scratch::new("archive-password");
    let path = made(&scratch, "a.cbz", Packing::Best);
    for password in ["", "Geheim", "geheim!"] {
        let error = open_with(&path, password).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Password), "{error}");
    }
}

/// Reads all members in every way; a member that cannot be read must report an error.
fn read_all(archive: &dyn Archive) {
    for index in 0..archive.members().len() {
        let read = archive.read(index);
        let checksum = archive.checksum(index);
        if let Ok(bytes) = &read {
            let size = archive.members()[index].size;
            assert!(size.is_none_or(|size| size == bytes.len() as u64));
        } else if checksum == ChecksumStatus::Ok {
            // The checksum is right although the size is wrong.
            assert!(
                archives::salvage(archive, index).map_or(true, |(_, errors)| !errors.is_empty())
            );
        }
        if let Ok((bytes, problems)) = archives::salvage(archive, index) {
            if let Ok(read) = &read {
                assert!(problems.is_empty() && bytes[..] == read[..], "{problems:?}");
            } else {
                assert!(!problems.is_empty());
            }
        }
    }
}

#[test]
fn damage_never_panics_and_is_reported() {
    let scratch = Scratch::new("archive-damage");
    let small: Vec<(String, Vec<u8>)> = files()
        .into_iter()
        .map(|(name, mut bytes)| {
            bytes.truncate(700);
            (name, bytes)
        })
        .collect();
    for kind in KINDS {
        let path = scratch.join(kind);
        let format = archives::format_of_name(kind).unwrap();
        archives::create(format, &path, &members(&small), &options(Packing::Best)).unwrap();
        let intact = std::fs::read(&path).unwrap();
        let prefixes = corrupt::prefixes(&intact);
        for damaged in prefixes.chain(corrupt::random(&intact, 2_000, 4)) {
            let mut options = OpenOptions::default();
            options.password = Some("geheim".to_owned());
            options.limits.member = 64 << 20;
            let files = vec![(kind.to_owned(), Blob::from(damaged.bytes))];
            let source = Source::from_members(kind, kind, files).unwrap();
            if let Ok(Some(archive)) = archives::open_archive(&source, &options) {
                read_all(&*archive);
            }
        }
    }
}

#[test]
fn damage_in_one_member_does_not_affect_others() {
    let scratch = Scratch::new("archive-bad-member");
    for kind in KINDS {
        let path = made(&scratch, kind, Packing::Best);
        let clean = open(&path).unwrap();
        let [_, (_, records), ..] = &files()[..] else {
            unreachable!()
        };
        let index = archives::find_member(&*clean, "Test.cbh").unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        // The data of Test.cbh is the first in ChessBase's order; in the others it follows its header.
        let find = |text: &[u8], from: usize| {
            let mut windows = bytes[from..].windows(text.len());
            from + windows.position(|window| window == text).unwrap() + text.len()
        };
        let head = match kind {
            "a.zip" => find(b"Test.cbh", 0),
            "a.scv" => find(b"<-- D A T A -->\n", find(b"Test.cbh", 0)),
            _ => 8 + 173 * 7,
        };
        let at = head + clean.members()[index].packed_size as usize / 2;
        for byte in &mut bytes[at..at + 16] {
            *byte ^= 0x55;
        }
        std::fs::write(&path, bytes).unwrap();
        let archive = open(&path).unwrap();
        assert!(archive.read(index).is_err(), "{kind}");
        assert_eq!(archive.checksum(index), ChecksumStatus::Bad);
        let (saved, problems) = archives::salvage(&*archive, index).unwrap();
        assert!(!problems.is_empty());
        assert!(problems[0].location().offset.is_some(), "{}", problems[0]);
        assert!(saved[..61_000] == records[..61_000], "{kind}");
        for (name, bytes) in files() {
            if name != "Test.cbh" {
                let other = archives::find_member(&*archive, &name).unwrap();
                assert!(archive.read(other).unwrap()[..] == bytes, "{kind}: {name}");
            }
        }
    }
}

/// Of an archive that is cut anywhere, what is missing is a problem, and a member whose header is a part of
/// two headers has the name of none.
#[test]
fn no_cut_of_a_scidb_archive_is_silent() {
    let scratch = Scratch::new("archive-scv-cut");
    let path = scratch.join("a.scv");
    let member =
        |name: &str, bytes: &[u8]| NewMember::from_bytes(name, Blob::from(bytes.to_vec()), None);
    let members = [
        member("one.sci", b"the index"),
        member("one.scg", b"the games of it"),
        member("one.scn", b"names"),
    ];
    archives::create(
        &archives::scv::SCV,
        &path,
        &members,
        &options(Packing::Best),
    )
    .unwrap();
    let whole = std::fs::read(&path).unwrap();
    let is_silent = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(archive) = open(&path) else {
            return false;
        };
        let count = archive.members().len();
        let is_good = (0..count).all(|index| archive.read(index).is_ok());
        archive.info().problems.is_empty() && is_good
    };
    assert!(is_silent(&whole));
    for length in 0..whole.len() {
        let is_head = whole[..length].iter().all(|byte| *byte != b'\n') || length < 20;
        assert!(is_head || !is_silent(&whole[..length]), "cut at {length}");
    }
    // Zeros over the end of one member and the start of the next.
    for at in 0..whole.len() - 150 {
        let mut bytes = whole.clone();
        bytes[at..at + 150].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        let Ok(archive) = open(&path) else {
            continue;
        };
        for (name, content) in [
            ("one.sci", &b"the index"[..]),
            ("one.scg", b"the games of it"),
            ("one.scn", b"names"),
        ] {
            let found = archives::find_member(&*archive, name);
            let found = found.and_then(|index| archive.read(index).ok());
            assert!(
                found.is_none_or(|found| found[..] == *content),
                "zeros at {at}: {name}"
            );
        }
    }
}

#[test]
fn scidb_archives_state_size_formats_and_type() {
    let scratch = Scratch::new("archive-scv");
    let path = scratch.join("a.scv");
    let modified = Timestamp::from_unix(1_300_000_000);
    let member = |name: &str, bytes: &[u8]| {
        NewMember::from_bytes(name, Blob::from(bytes.to_vec()), modified)
    };
    let members = [
        member("one.sn4", b"n"),
        member("two.pgn", b"abc"),
        member("one.si4", b"\xfc"),
        member("one.sg4", b""),
    ];
    let mut options = options(Packing::Stored);
    options.games = Some(7);
    archives::create(&archives::scv::SCV, &path, &members, &options).unwrap();
    let expected = "iveArch\n<TotalSize> 5          \n<Count> 7\n<Format> si4,pgn\n<Type> multi\n\
        <-- H E A D -->\n<FileName> one.si4\n<FileSize> 1\n<Compression> zlib\n\
        <Modified> 1300000000\n<Size> 12         \n<Checksum> ";
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes[..expected.len()]), expected);
    let last = "<-- H E A D -->\n<FileName> two.pgn\n<FileSize> 3\n<Compression> raw\n\
        <Modified> 1300000000\n<Size> 3          \n<Checksum> 891568578  \n<-- D A T A -->\nabc";
    assert!(bytes.ends_with(last.as_bytes()));
    let names: Vec<String> = open(&path)
        .unwrap()
        .members()
        .iter()
        .map(|member| member.name.clone())
        .collect();
    assert_eq!(names, ["one.si4", "one.sg4", "one.sn4", "two.pgn"]);
}

#[test]
fn members_packed_with_lzo_round_trip() {
    let scratch = Scratch::new("archive-lzo");
    let path = made(&scratch, "a.scv", Packing::Lzo);
    let archive = open(&path).unwrap();
    for (name, bytes) in files() {
        let index = archives::find_member(&*archive, &name).unwrap();
        assert_eq!(archive.members()[index].compression, "lzo");
        assert!(archive.read(index).unwrap()[..] == bytes, "{name}");
        assert_eq!(archive.checksum(index), ChecksumStatus::Ok);
    }
    assert!(std::fs::metadata(&path).unwrap().len() < 150_000);
}

/// Gives `path` a new file, as another process would.
fn replace_file(path: &Path, number: u32) {
    let new = path.with_extension("new");
    std::fs::write(&new, number.to_string()).unwrap();
    std::fs::rename(new, path).unwrap();
}

#[cfg(unix)]
#[test]
fn a_set_that_is_replaced_while_it_is_packed_is_packed_whole() {
    let sources = Scratch::new("archive-replaced");
    let paths = ["a.one", "a.two", "a.three"].map(|name| sources.join(name));
    for kind in KINDS {
        for replacements in (0..8).chain([100]) {
            let mut number = 0;
            let mut write_all = |with_three: bool| {
                number += 1;
                for path in &paths {
                    replace_file(path, number);
                }
                if !with_three {
                    std::fs::remove_file(&paths[2]).unwrap();
                }
            };
            write_all(true);
            let mut left = replacements;
            let mut list = || {
                let mut members = vec![NewMember::from_path(&paths[0])?];
                if left > 0 {
                    left -= 1;
                    write_all(left % 3 == 0);
                }
                members.push(NewMember::from_path(&paths[1])?);
                members.extend(NewMember::from_path(&paths[2]).ok());
                Ok(members)
            };
            let target = Scratch::new("archive-of-replaced");
            let target = target.join(kind);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            let format = archives::format_of_name(kind).unwrap();
            let created =
                archives::create_listed(format, &target, &mut list, &options(Packing::Best));
            if replacements == 100 {
                let error = created.unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Replaced), "{error}");
                assert!(!target.exists());
                continue;
            }
            let (count, _) = created.unwrap();
            let archive = open(&target).unwrap();
            assert_eq!(archive.members().len(), count);
            assert_eq!(paths[2].exists(), count == 3, "{kind}, {replacements}");
            for index in 0..count {
                let bytes = archive.read(index).unwrap();
                assert_eq!(*bytes, *number.to_string().as_bytes(), "{kind}");
            }
        }
    }
}

#[test]
fn a_file_that_gets_its_name_meanwhile_is_packed() {
    let scratch = Scratch::new("archive-named");
    let (hidden, named) = (scratch.join(".a.one.1-1.tmp"), scratch.join("a.one"));
    std::fs::write(&hidden, b"games").unwrap();
    let mut is_first = true;
    let mut list = || {
        if std::mem::take(&mut is_first) {
            NewMember::from_path(&named)?;
        }
        let is_named = named.exists();
        let mut member = NewMember::from_path(if is_named { &named } else { &hidden })?;
        "a.one".clone_into(&mut member.name);
        if !is_named {
            std::fs::rename(&hidden, &named).unwrap();
        }
        Ok(vec![member])
    };
    let path = scratch.join("a.zip");
    let format = archives::format_of_name("a.zip").unwrap();
    let created = archives::create_listed(format, &path, &mut list, &options(Packing::Best));
    assert_eq!(created.unwrap().0, 1);
    assert_eq!(*open(&path).unwrap().read(0).unwrap(), *b"games");
}

/// Bytes after the end of an archive are no member's, and are reported; zeros that fill up a block are none.
#[test]
fn bytes_after_an_archive_are_reported() {
    let scratch = Scratch::new("archive-bytes-after");
    for kind in KINDS {
        let path = made(&scratch, kind, Packing::Best);
        let whole = std::fs::read(&path).unwrap();
        let problems = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let archive = open(&path).unwrap();
            for index in 0..archive.members().len() {
                assert!(archive.read(index).is_ok(), "{kind}");
            }
            archive.info().problems.len()
        };
        assert_eq!(problems(&whole), 0, "{kind}");
        let with = |more: &[u8]| [whole.as_slice(), more].concat();
        assert_eq!(problems(&with(&[7; 5000])), 1, "{kind}");
        // Encrypted, they are no zeros any more.
        let zeros = problems(&with(&[0; 8]));
        assert_eq!(
            zeros,
            usize::from(matches!(kind, "a.scv" | "a.cbz")),
            "{kind}"
        );
    }
}
