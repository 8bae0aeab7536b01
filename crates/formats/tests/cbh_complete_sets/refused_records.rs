//! Records of unknown sizes and records that refer to missing names are refused.

use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::error::ErrorKind;
use tabia_core::formats::CreateOptions;
use tabia_core::games::Database;
use tabia_formats::games::cbh::edit;
use tabia_testkit::Scratch;

use super::complete_set::{bytes, open, records, set, write};

/// Records larger than those of any version are not believed: copies would be as large as they state.
#[test]
fn record_sizes_of_unknown_versions_are_refused() {
    let folder = Scratch::new("complete-sizes");
    for extension in ["cbj", "cbtt"] {
        let path = set(&folder);
        let original = bytes(&path, extension);
        // Six records of that size; 512 bytes are the most.
        for (size, is_known) in [(512_u32, true), (513, false), (5000, false)] {
            let mut file = original.clone();
            file[4..8].copy_from_slice(&size.to_le_bytes());
            file.resize(32 + 6 * size as usize, 0xff);
            write(&path, extension, &file);
            let opened = edit::append(&path, &CreateOptions::default());
            let is_refused = opened.is_err_and(|error| {
                let size = size.to_string();
                matches!(error.kind(), ErrorKind::Unsupported(text) if text.contains(&size))
            });
            assert_eq!(is_refused, !is_known, "{extension}: {size}");
        }
        for name in folder.names() {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
}

/// A wrong record size is reported, and records are read with that of the version.
#[test]
fn record_sizes_that_the_file_does_not_justify_are_damage() {
    let folder = Scratch::new("complete-small-sizes");
    let path = set(&folder);
    // The version that is written, without the bytes of unknown meaning.
    let longer = bytes(&path, "cbj");
    let mut extended = longer[..32].to_vec();
    (extended[0], extended[4]) = (11, 120);
    for record in longer[32..].chunks_exact(122) {
        extended.extend_from_slice(&record[..120]);
    }
    write(&path, "cbj", &extended);
    let complete = records(&open(&path));
    for extension in ["cbj", "cbtt", "cbm"] {
        let intact = bytes(&path, extension);
        let right = u32::from_le_bytes(intact[4..8].try_into().unwrap());
        for size in [1, 8, 61, right - 1, right + 1, 2 * right, u32::MAX] {
            let mut file = intact.clone();
            file[4..8].copy_from_slice(&size.to_le_bytes());
            let what = format!("{extension}: {size}");
            assert!(!open_with(&path, extension, &file).is_empty(), "{what}");
            assert!(records(&open(&path)) == complete, "{what}");
            let refused = edit::append(&path, &CreateOptions::default());
            let error = refused.map(|_| ()).unwrap_err();
            let is_damage = matches!(error.kind(), ErrorKind::Damaged(_));
            assert!(is_damage, "{what}: {error}");
        }
        // A file that no size fills is not read.
        let unknown = [&intact[..4], &[1, 0, 0, 0], &intact[8..], &[0; 7]].concat();
        let problems = open_with(&path, extension, &unknown);
        let is_left_out = |text: &String| text.contains("they are not read");
        assert!(
            problems.iter().any(is_left_out),
            "{extension}: {problems:?}"
        );
        write(&path, extension, &intact);
    }
}

/// The problems of the set with another file.
fn open_with(path: &Path, extension: &str, file: &[u8]) -> Vec<String> {
    write(path, extension, file);
    open(path).info().problems.clone()
}

/// A name that does not exist would be that of the next new name.
#[test]
fn records_that_refer_to_missing_names_are_refused() {
    let folder = Scratch::new("complete-references");
    let path = set(&folder);
    let complete = bytes(&path, "cbh");
    // The tournament of each text; White, Black, the tournament, annotator and source of a game.
    let texts = [0, 2, 4].map(|record| (record, 7));
    let games = [9, 12, 15, 18, 21].map(|field| (5, field));
    for (record, field) in texts.into_iter().chain(games) {
        let mut headers = complete.clone();
        headers[46 * (record + 1) + field + 1] = 0x13;
        write(&path, "cbh", &headers);
        let refused = edit::append(&path, &CreateOptions::default());
        let error = refused.map(|_| ()).unwrap_err();
        let is_damage = matches!(error.kind(), ErrorKind::Damaged(_));
        assert!(is_damage, "record {record}, field {field}: {error}");
        let location = error.location();
        assert_eq!(location.game, Some(GameIndex(record as u32)), "{error}");
    }
}

/// Names of other programs can be longer than the known ones.
#[test]
fn records_of_names_of_an_unknown_size_are_refused() {
    let folder = Scratch::new("complete-names");
    let path = set(&folder);
    let old = bytes(&path, "cbs");
    let mut longer = old[..32].to_vec();
    longer[12] += 1;
    for record in old[32..].chunks_exact(9 + 59) {
        longer.extend_from_slice(record);
        longer.push(0);
    }
    write(&path, "cbs", &longer);
    let refused = edit::append(&path, &CreateOptions::default());
    let error = refused.map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
}
