//! Archives by others: every member equals the file that was packed.
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
use tabia_formats::archives::{Archive, Checksum, Faults};
use tabia_testkit::{corrupt, shared_data};

fn open(path: &Path, password: Option<&str>) -> tabia_core::Result<Box<dyn Archive>> {
    let mut options = OpenOptions::default();
    options.password = password.map(str::to_owned);
    let source = Source::from_path(path)?;
    let archive = archives::open_archive(&source, &options)?;
    Ok(archive.expect("an archive"))
}

/// Compares every member that lies in `folder` in every way to read it; returns how many.
fn compare(archive: &dyn Archive, folder: &Path) -> usize {
    let mut equal = 0;
    for (index, member) in archive.members().iter().enumerate() {
        let whole = archive.read(index).expect(&member.name);
        assert_eq!(member.size, Some(whole.len() as u64), "{}", member.name);
        let wanted = if member.checked {
            Checksum::Ok
        } else {
            Checksum::Absent
        };
        assert_eq!(archive.checksum(index), wanted, "{}", member.name);
        let mut streamed = Vec::new();
        let mut stream = archive.stream(index, &Faults::stop()).unwrap();
        std::io::copy(&mut stream, &mut streamed).expect(&member.name);
        assert!(streamed == whole[..], "{}", member.name);
        let file = folder.join(&member.name);
        if file.exists() {
            assert!(
                std::fs::read(&file).unwrap() == whole[..],
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
fn a_database_in_an_archive_is_an_input() {
    let name = "a_database_in_an_archive_is_an_input";
    let Some(path) = shared_data(name, "cbh/uncbv-twic1134/twic1134.cbv") else {
        return;
    };
    let archive = open(&path, None).unwrap();
    let index = archives::find(&*archive, "TWIC1134.cbh").unwrap();
    let (source, problems) = archives::source(&*archive, index).unwrap();
    assert!(problems.is_empty());
    assert_eq!(source.siblings().len(), 13);
    assert_eq!(
        source.open_companion("cbg").unwrap().unwrap().len(),
        533_877
    );
}

#[test]
fn members_of_zip_are_what_their_names_say() {
    let name = "members_of_zip_are_what_their_names_say";
    let Some(folder) = shared_data(name, "books/suites") else {
        return;
    };
    let mut archives = 0;
    for path in tabia_testkit::shared::files_below(&folder) {
        if path.extension().is_some_and(|extension| extension == "zip") {
            let archive = open(&path, None).unwrap();
            assert_eq!(archive.members().len(), 1, "{}", path.display());
            assert!(
                archive.read(0).unwrap().len() > 10_000,
                "{}",
                path.display()
            );
            assert_eq!(archive.checksum(0), Checksum::Ok);
            assert!(path.to_string_lossy().contains(&archive.members()[0].name));
            archives += 1;
        }
    }
    assert_eq!(archives, 5);
}

#[test]
fn archives_by_scidb_verify_and_equal_what_was_packed() {
    let name = "archives_by_scidb_verify_and_equal_what_was_packed";
    let Some(data) = shared_data(name, "") else {
        return;
    };
    let mut compared = 0;
    for path in tabia_testkit::shared::files_below(&data.join("scv/scidb")) {
        let archive = open(&path, None).unwrap();
        assert!(archive.info().problems.is_empty(), "{}", path.display());
        assert_eq!(compare(&*archive, &data.join("none")), 0);
        for (index, member) in archive.members().iter().enumerate() {
            assert!(member.checked, "{}", path.display());
            let bytes = archive.read(index).unwrap();
            let twin = ["scid/sci", "scid/si3", "scid/pgn", "cbf"]
                .iter()
                .any(|folder| {
                    std::fs::read(data.join(folder).join(&member.name))
                        .is_ok_and(|twin| twin == bytes[..])
                });
            compared += usize::from(twin);
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
fn scv_by_hand_is_read_as_documented() {
    let Some(folder) = shared_data("scv_by_hand_is_read_as_documented", "scv/handmade") else {
        return;
    };
    let archive = |file: &str| open(&folder.join(file), None).expect(file);
    let game = archive("doc_example1_fixed_crc.scv").read(0).unwrap();
    assert_eq!(game.len(), 468);

    for file in ["worked_example.scv", "crlf_headers.scv"] {
        assert_eq!(&archive(file).read(0).unwrap()[..], b"abc", "{file}");
    }
    assert_eq!(archive("worked_example.scv").checksum(0), Checksum::Ok);
    assert_eq!(archive("crlf_headers.scv").checksum(0), Checksum::Absent);
    let modified = archive("worked_example.scv").members()[0].modified.unwrap();
    assert_eq!(modified.to_string(), "2011-03-13 07:06:40");
    assert_eq!(
        &archive("no_archinfo_no_userinfo.scv").read(0).unwrap()[..],
        &game[..]
    );
    assert_eq!(archive("fake_head_inside_data.scv").members().len(), 1);

    // The published checksum is that of the same game with CRLF.
    assert_eq!(archive("doc_example1_lf.scv").checksum(0), Checksum::Bad);
    assert_eq!(
        archive("doc_example1_crlf_body.scv").checksum(0),
        Checksum::Ok
    );
    for file in ["doc_example1_lf.scv", "bad_crc.scv"] {
        let archive = archive(file);
        assert!(archive.read(0).is_err(), "{file}");
        let (kept, problems) = archives::salvage(&*archive, 0).unwrap();
        assert_eq!(problems.len(), 1, "{file}");
        assert_eq!(Some(kept.len() as u64), archive.members()[0].size, "{file}");
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
    let done = archives::extract(&*hostile, &[0], &inner, false, &progress).unwrap();
    assert_eq!((done.files.len(), done.problems.len()), (0, 1));
    assert!(scratch.names().is_empty());
}

#[test]
fn no_damage_of_a_real_archive_does_harm() {
    let name = "no_damage_of_a_real_archive_does_harm";
    let Some(path) = shared_data(name, "cbh/uncbv-small/small.cbv") else {
        return;
    };
    let whole = std::fs::read(path).unwrap();
    let mut opened = 0;
    for damaged in corrupt::prefixes(&whole).chain(corrupt::random(&whole, 2_000, 12)) {
        let from = damaged.from as u64;
        let files = vec![("small.cbv".to_owned(), Blob::from(damaged.bytes))];
        let source = Source::from_members("small.cbv", "small.cbv", files).unwrap();
        let mut options = OpenOptions::default();
        options.limits.member = 16 << 20;
        let Ok(Some(archive)) = archives::open_archive(&source, &options) else {
            continue;
        };
        opened += 1;
        for index in 0..archive.members().len() {
            let whole = archive.read(index);
            let salvaged = archives::salvage(&*archive, index);
            match (&whole, &salvaged) {
                (Ok(whole), Ok((kept, problems))) => {
                    assert!(
                        problems.is_empty() && whole[..] == kept[..],
                        "{}",
                        damaged.how
                    );
                }
                (Err(error), Ok((_, problems))) => {
                    let size = archive.members()[index].size.unwrap_or_default();
                    assert!(
                        !problems.is_empty() || size > 16 << 20,
                        "{}: {error}",
                        damaged.how
                    );
                }
                (_, Err(error)) => panic!("{}: {error}", damaged.how),
            }
            if let Err(error) = whole {
                let at = error.location().offset.unwrap_or(from);
                assert!(at <= 2996 + 1024, "{}: {error}", damaged.how);
            }
        }
    }
    assert!(opened > 3_000, "{opened}");
}
