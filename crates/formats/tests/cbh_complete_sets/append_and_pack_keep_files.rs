//! Appending keeps every file and name of a set, packing all that the remaining records use.

use tabia_core::GameIndex;
use tabia_core::error::ErrorKind;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::games::cbh::edit::{self, Editor};
use tabia_testkit::{Scratch, dump};

use super::complete_set::{EXTENSIONS, bytes, findings, game, open, records, set, text, write};

/// Whether a record has this text.
fn contains(record: &str, text: &str) {
    assert!(record.contains(text), "{text} is not in {record}");
}

#[test]
fn the_set_is_complete() {
    let folder = Scratch::new("complete");
    let found = records(&open(&set(&folder)));
    for (number, pair) in (1..).zip(found.chunks(2)) {
        contains(&pair[0], &format!("picture{number}.jpg"));
        for text in ["Tag", "Home", "Guests", "Annotator", "Source", "Comment"] {
            contains(&pair[1], &format!("{text} {number}"));
        }
        contains(&pair[1], &format!("CbEventLatitude \"{number}.5\""));
        contains(&pair[1], "[CbExtra \"");
    }
    contains(&found[1], "[CbTopGame \"1\"]");
    contains(&found[3], "[CbTopGame \"2\"]");
}

#[test]
fn appending_keeps_every_file() {
    let folder = Scratch::new("complete-append");
    let path = set(&folder);
    let before = records(&open(&path));
    let old: Vec<Vec<u8>> = EXTENSIONS.map(|extension| bytes(&path, extension)).to_vec();
    let mut writer = edit::append(&path, &CreateOptions::default()).unwrap();
    writer.write(&game(4, "e4")).unwrap();
    writer.write(&text(4)).unwrap();
    writer.finish().unwrap();
    let after = records(&open(&path));
    assert_eq!(after.len(), 8);
    for (old, new) in before.iter().zip(&after) {
        dump::assert_same("an old record", old, new);
    }
    contains(&after[6], "[CbTopGame \"1\"]");
    contains(&after[6], "Tag 4");
    contains(&after[7], "picture4.jpg");
    assert_eq!(findings(&path), [""; 0]);
    assert_eq!(bytes(&path, "cbh")[5], 3);
    assert_eq!(bytes(&path, "cbj")[..8], [12, 0, 0, 0, 122, 0, 0, 0]);
    assert_eq!(bytes(&path, "ini"), old[13]);
    // Records that are only appended to begin with the old ones, after the header.
    for (extension, header) in [("cbg", 26), ("cba", 26), ("cbj", 32), ("cbm", 32)] {
        let at = EXTENSIONS.iter().position(|other| *other == extension);
        let old = &old[at.unwrap()];
        let new = bytes(&path, extension);
        assert!(new[header..].starts_with(&old[header..]), "{extension}");
        assert!(new.len() > old.len(), "{extension}");
    }
    // Names are found, and not added a second time.
    for extension in ["cbp", "cbt", "cbc", "cbs", "cbe", "cbl"] {
        let sizes = |bytes: &[u8]| (bytes.len() - 32) as f64 / f64::from(bytes[0]);
        let (old, new) = (
            &old[EXTENSIONS.iter().position(|e| *e == extension).unwrap()],
            bytes(&path, extension),
        );
        assert!(
            (sizes(old) - sizes(&new)).abs() < f64::EPSILON,
            "{extension}"
        );
    }
}

#[test]
fn packing_keeps_all_that_remaining_records_use() {
    let folder = Scratch::new("complete-pack");
    let path = set(&folder);
    let source = Source::from_path(&path).unwrap();
    let mut options = CreateOptions::default();
    options.force = true;
    let open_options = OpenOptions::default();
    let mut editor = Editor::new(&source, &path, &options, &open_options).unwrap();
    editor.set_deleted(GameIndex(0), true).unwrap();
    editor.set_deleted(GameIndex(1), true).unwrap();
    editor.finish().unwrap();
    // The annotations of the last game are those of no game, as other programs leave them.
    let mut annotations = bytes(&path, "cba");
    let last = annotations
        .windows(9)
        .rposition(|bytes| bytes == b"Comment 3");
    let head = annotations[..last.unwrap()]
        .windows(7)
        .rposition(|bytes| bytes[..2] == [0, 0] && bytes[3..] == [1, 0, 14, 14]);
    annotations[head.unwrap() + 2] = 0;
    write(&path, "cba", &annotations);

    let before = records(&open(&path));
    let target = folder.join("packed.cbh");
    let source = Source::from_path(&path).unwrap();
    let written = edit::pack(&source, &target, &options, &open_options).unwrap();
    assert_eq!(written.records, 4);
    let after = records(&open(&target));
    assert_eq!(after.len(), 4);
    for (old, new) in before[2..].iter().zip(&after) {
        dump::assert_same("a kept record", old, new);
    }
    assert_eq!(findings(&target), [""; 0]);
    assert_eq!(bytes(&target, "cbh")[5], 3);
    assert_eq!(bytes(&target, "cbj")[..8], [12, 0, 0, 0, 122, 0, 0, 0]);
    assert_eq!(bytes(&target, "ini"), bytes(&path, "ini"));
    // Games have their new numbers in the annotations, unless they had none.
    let annotations = bytes(&target, "cba");
    let numbers: Vec<u8> = annotations
        .windows(7)
        .filter(|bytes| bytes[3..] == [1, 0, 14, 14])
        .map(|bytes| bytes[2])
        .collect();
    assert_eq!(numbers, [2, 0]);
    // Names, media and offsets of the deleted records are gone.
    for (extension, count) in [
        ("cbp", 4),
        ("cbt", 4),
        ("cbc", 4),
        ("cbs", 4),
        ("cbe", 4),
        ("cbl", 2),
    ] {
        assert_eq!(bytes(&target, extension)[0], count, "{extension}");
    }
    for extension in ["cbg", "cba", "cbm", "cbtt"] {
        let sizes = [&path, &target].map(|path| bytes(path, extension).len());
        assert!(sizes[1] < sizes[0], "{extension}: {sizes:?}");
    }
    for gone in ["White 1", "Home 1", "Tag 1", "picture1", "Event 1"] {
        for extension in EXTENSIONS {
            let bytes = bytes(&target, extension);
            let is_found = bytes
                .windows(gone.len())
                .any(|part| part == gone.as_bytes());
            assert!(!is_found, "{gone} is in .{extension}");
        }
    }
    assert_eq!(open(&target).info().title.as_deref(), Some("Kept"));
}

/// Moves that cannot be copied are an error, and no file is written.
#[test]
fn packing_writes_nothing_if_a_record_cannot_be_copied() {
    let folder = Scratch::new("complete-unpacked");
    let path = set(&folder);
    let mut moves = bytes(&path, "cbg");
    // The size of the first record is made larger than the file.
    moves[27..30].copy_from_slice(&[0x7f, 0, 0]);
    write(&path, "cbg", &moves);
    let names = folder.names();
    let source = Source::from_path(&path).unwrap();
    let target = folder.join("packed.cbh");
    let refused = edit::pack(
        &source,
        &target,
        &CreateOptions::default(),
        &OpenOptions::default(),
    );
    assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Damaged(_)));
    assert_eq!(folder.names(), names);
}
