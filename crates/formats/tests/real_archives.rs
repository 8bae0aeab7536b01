//! Archives made by other programs: every member equals the file that was packed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::path::Path;

use tabia_core::ErrorKind;
use tabia_core::formats::OpenOptions;
use tabia_core::io::{Blob, Source};
use tabia_formats::archives;
use tabia_formats::archives::{Archive, ChecksumStatus, ExtractOptions, OnError, Presence};
use tabia_testkit::{corrupt, shared_data};

fn open(path: &Path, password: Option<&str>) -> tabia_core::Result<Box<dyn Archive>> {
    let mut options = OpenOptions::default();
    options.password = password.map(str::to_owned);
    let source = Source::from_path(path)?;
    let archive = archives::open_archive(&source, &options)?;
    Ok(archive.expect("an archive"))
}

/// Reads every member in every way, compares those that are also in `folder` with the files, and
/// returns the number of these.
fn compare(archive: &dyn Archive, folder: &Path) -> usize {
    let mut equal = 0;
    for (index, member) in archive.members().iter().enumerate() {
        let bytes = archive.read(index).expect(&member.name);
        assert_eq!(member.size, Some(bytes.len() as u64), "{}", member.name);
        let wanted = if member.has_checksum {
            ChecksumStatus::Ok
        } else {
            ChecksumStatus::Absent
        };
        assert_eq!(archive.checksum(index), wanted, "{}", member.name);
        let mut streamed = Vec::new();
        let mut stream = archive.stream(index, &OnError::stop()).unwrap();
        std::io::copy(&mut stream, &mut streamed).expect(&member.name);
        assert!(streamed == bytes[..], "{}", member.name);
        let file = folder.join(&member.name);
        if file.exists() {
            assert!(
                std::fs::read(&file).unwrap() == bytes[..],
                "{}",
                member.name
            );
            equal += 1;
        }
    }
    equal
}

#[test]
fn members_of_cbv_equal_the_files_in_the_folder() {
    let Some(folder) = shared_data("members_of_cbv_equal_the_files_in_the_folder", "cbh") else {
        return;
    };
    for (name, members) in [
        ("uncbv-small/small.cbv", 12),
        ("uncbv-twic1134/twic1134.cbv", 13),
    ] {
        let path = folder.join(name);
        let archive = open(&path, None).unwrap();
        assert_eq!(archive.members().len(), members);
        assert_eq!(
            compare(&*archive, path.parent().unwrap()),
            members,
            "{name}"
        );
    }
    let path = folder.join("uncbv-small/decrypted_small.cbv");
    let archive = open(&path, None).unwrap();
    assert_eq!(compare(&*archive, path.parent().unwrap()), 12);
    let modified = archive.members()[0].modified.unwrap();
    assert_eq!(modified.to_string(), "2016-08-06 15:18:07");
}

#[test]
fn cbz_opens_with_its_password_only() {
    let name = "cbz_opens_with_its_password_only";
    let Some(folder) = shared_data(name, "cbh/uncbv-small") else {
        return;
    };
    for (file, password) in [
        ("small.cbz", "password"),
        ("small2.cbz", "pass"),
        ("small3.cbz", "my long password"),
    ] {
        let path = folder.join(file);
        let archive = open(&path, Some(password)).unwrap();
        assert_eq!(compare(&*archive, &folder), 12, "{file}");
        for wrong in [None, Some(""), Some("Password1"), Some("my long passworx")] {
            let error = open(&path, wrong).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Password),
                "{file}: {error}"
            );
        }
    }
}

#[test]
fn a_database_in_an_archive_opens_with_its_companions() {
    let name = "a_database_in_an_archive_opens_with_its_companions";
    let Some(path) = shared_data(name, "cbh/uncbv-twic1134/twic1134.cbv") else {
        return;
    };
    let archive = open(&path, None).unwrap();
    let index = archives::find_member(&*archive, "TWIC1134.cbh").unwrap();
    let (source, problems) = archives::source(&*archive, index).unwrap();
    assert!(problems.is_empty());
    assert_eq!(source.siblings().len(), 13);
    assert_eq!(
        source.open_companion("cbg").unwrap().unwrap().len(),
        533_877
    );
}

#[test]
fn zip_archives_contain_their_members() {
    let name = "zip_archives_contain_their_members";
    let Some(folder) = shared_data(name, "books/suites") else {
        return;
    };
    let mut archives = 0;
    for path in tabia_testkit::shared_data_folder::files_below(&folder) {
        if path.extension().is_some_and(|extension| extension == "zip") {
            let archive = open(&path, None).unwrap();
            assert_eq!(archive.members().len(), 1, "{}", path.display());
            assert!(
                archive.read(0).unwrap().len() > 10_000,
                "{}",
                path.display()
            );
            assert_eq!(archive.checksum(0), ChecksumStatus::Ok);
            assert!(path.to_string_lossy().contains(&archive.members()[0].name));
            archives += 1;
        }
    }
    assert_eq!(archives, 5);
}

#[test]
fn members_of_scidb_archives_equal_the_packed_files() {
    let name = "members_of_scidb_archives_equal_the_packed_files";
    let Some(data) = shared_data(name, "") else {
        return;
    };
    let mut compared = 0;
    for path in tabia_testkit::shared_data_folder::files_below(&data.join("scv/scidb")) {
        let archive = open(&path, None).unwrap();
        assert!(archive.info().problems.is_empty(), "{}", path.display());
        assert_eq!(compare(&*archive, &data.join("none")), 0);
        for (index, member) in archive.members().iter().enumerate() {
            assert!(member.has_checksum, "{}", path.display());
            let bytes = archive.read(index).unwrap();
            let has_original = ["scid/sci", "scid/si3", "scid/pgn", "cbf"]
                .iter()
                .any(|folder| {
                    std::fs::read(data.join(folder).join(&member.name))
                        .is_ok_and(|original| original == bytes[..])
                });
            compared += usize::from(has_original);
        }
    }
    // features.sci, .scg, .scn, .si3, .sg3, .sn3, .cbf, .cbi, .pgn.
    assert_eq!(compared, 9);
    let packed = |file: &str| open(&data.join("scv/scidb").join(file), None).unwrap();
    let (raw, zlib) = (packed("pgngz_raw_quirkcrc.scv"), packed("pgngz_zlib.scv"));
    assert!(raw.read(0).unwrap()[..] == zlib.read(0).unwrap()[..]);
    assert_eq!(
        (
            &*raw.members()[0].compression,
            &*zlib.members()[0].compression
        ),
        ("raw", "zlib")
    );
}

#[test]
fn scidb_archives_made_by_hand_are_read() {
    let Some(folder) = shared_data("scidb_archives_made_by_hand_are_read", "scv/handmade") else {
        return;
    };
    let archive = |file: &str| open(&folder.join(file), None).expect(file);
    let game = archive("doc_example1_fixed_crc.scv").read(0).unwrap();
    assert_eq!(game.len(), 468);

    for file in ["worked_example.scv", "crlf_headers.scv"] {
        assert_eq!(&archive(file).read(0).unwrap()[..], b"abc", "{file}");
    }
    assert_eq!(
        archive("worked_example.scv").checksum(0),
        ChecksumStatus::Ok
    );
    assert_eq!(
        archive("crlf_headers.scv").checksum(0),
        ChecksumStatus::Absent
    );
    let modified = archive("worked_example.scv").members()[0].modified.unwrap();
    assert_eq!(modified.to_string(), "2011-03-13 07:06:40");
    assert_eq!(
        &archive("no_archinfo_no_userinfo.scv").read(0).unwrap()[..],
        &game[..]
    );
    assert_eq!(archive("fake_head_inside_data.scv").members().len(), 1);

    // The published checksum is that of the same game with CRLF.
    assert_eq!(
        archive("doc_example1_lf.scv").checksum(0),
        ChecksumStatus::Bad
    );
    assert_eq!(
        archive("doc_example1_crlf_body.scv").checksum(0),
        ChecksumStatus::Ok
    );
    for file in ["doc_example1_lf.scv", "bad_crc.scv"] {
        let archive = archive(file);
        assert!(archive.read(0).is_err(), "{file}");
        let (saved, problems) = archives::salvage(&*archive, 0).unwrap();
        assert_eq!(problems.len(), 1, "{file}");
        assert_eq!(
            Some(saved.len() as u64),
            archive.members()[0].size,
            "{file}"
        );
    }

    for file in ["doc_example2_uri_revA.scv", "doc_example2_uri_revB.scv"] {
        let archive = archive(file);
        assert_eq!(archive.members().len(), 2, "{file}");
        for (index, member) in archive.members().iter().enumerate() {
            assert!(
                member
                    .uri
                    .as_deref()
                    .is_some_and(|uri| uri.starts_with("http://")),
                "{file}"
            );
            let error = archive.read(index).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Unsupported(_)),
                "{file}: {error}"
            );
        }
    }
    let fallback = archive("uri_with_fallback_data.scv");
    assert!(fallback.members()[0].uri.is_some());
    assert_eq!(&fallback.read(0).unwrap()[..], &game[..]);

    let two = archive("revB_database_mimetype.scv");
    assert_eq!(compare(&*two, &folder.join("none")), 0);
    let facts = &two.members()[0].facts;
    assert!(facts.contains(&("Database".to_owned(), "A".to_owned())));

    let cut = archive("truncated.scv");
    assert!(cut.read(0).is_err());
    assert_eq!(&archives::salvage(&*cut, 0).unwrap().0[..], b"abc");

    let lzo = archive("lzo.scv");
    assert!(lzo.read(0).unwrap_err().to_string().contains("LZO"));

    let hostile = archive("path_traversal.scv");
    assert!(archives::safe_name(&hostile.members()[0].name).is_err());
    let scratch = tabia_testkit::Scratch::new("archive-hostile");
    let inner = scratch.join("inner");
    let progress = tabia_core::io::Progress::new();
    let done = archives::extract(
        &*hostile,
        &[0],
        &inner,
        &ExtractOptions::default(),
        &progress,
    )
    .unwrap();
    assert_eq!((done.files.len(), done.problems.len()), (0, 1));
    assert!(scratch.names().is_empty());
}

#[test]
fn damaged_real_archives_are_read_or_refused() {
    let name = "damaged_real_archives_are_read_or_refused";
    let Some(path) = shared_data(name, "cbh/uncbv-small/small.cbv") else {
        return;
    };
    let intact = std::fs::read(path).unwrap();
    let mut opened = 0;
    for damaged in corrupt::prefixes(&intact).chain(corrupt::random(&intact, 2_000, 12)) {
        let from = damaged.from as u64;
        let files = vec![("small.cbv".to_owned(), Blob::from(damaged.bytes))];
        let source = Source::from_members("small.cbv", "small.cbv", files).unwrap();
        let mut options = OpenOptions::default();
        options.limits.unpacked = 16 << 20;
        let Ok(Some(archive)) = archives::open_archive(&source, &options) else {
            continue;
        };
        opened += 1;
        for index in 0..archive.members().len() {
            let read = archive.read(index);
            let salvaged = archives::salvage(&*archive, index);
            match (&read, &salvaged) {
                (Ok(bytes), Ok((saved, problems))) => {
                    assert!(
                        problems.is_empty() && bytes[..] == saved[..],
                        "{}",
                        damaged.how
                    );
                }
                (Err(error), Ok((_, problems))) => {
                    assert!(!problems.is_empty(), "{}: {error}", damaged.how);
                }
                (_, Err(error)) => {
                    let presence = archive.members()[index].presence;
                    assert_eq!(presence, Presence::Lost, "{}: {error}", damaged.how);
                    assert!(!archive.info().problems.is_empty(), "{}", damaged.how);
                }
            }
            if let Err(error) = read {
                let at = error.location().offset.unwrap_or(from);
                assert!(at <= 2996 + 1024, "{}: {error}", damaged.how);
            }
        }
    }
    assert!(opened > 3_000, "{opened}");
}
