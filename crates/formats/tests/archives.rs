//! Archives by others: every member equals the file that was packed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::path::Path;

use tabia_core::ErrorKind;
use tabia_core::format::OpenOptions;
use tabia_core::io::Source;
use tabia_formats::archive::{self, Archive, Checksum, Faults};
use tabia_testkit::shared_data;

fn open(path: &Path, password: Option<&str>) -> tabia_core::Result<Box<dyn Archive>> {
    let mut options = OpenOptions::default();
    options.password = password.map(str::to_owned);
    let source = Source::from_path(path)?;
    let archive = archive::open_archive(&source, &options)?;
    Ok(archive.expect("an archive"))
}

/// Compares every member that lies in `folder` in every way to read it; returns how many.
fn compare(archive: &dyn Archive, folder: &Path) -> usize {
    let mut equal = 0;
    for (index, member) in archive.members().iter().enumerate() {
        let whole = archive.read(index).expect(&member.name);
        assert_eq!(member.size, Some(whole.len() as u64), "{}", member.name);
        assert_eq!(archive.checksum(index), Checksum::Ok, "{}", member.name);
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
    let index = archive::find(&*archive, "TWIC1134.cbh").unwrap();
    let (source, problems) = archive::source(&*archive, index).unwrap();
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
