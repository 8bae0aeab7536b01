//! Annotation records of real databases: every item is written again as the same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::game::{Annotation, Flow};
use tabia_core::io::Charset;
use tabia_formats::games::cbh::annotations::{Decoder, Encoder, Items, foreign};
use tabia_formats::games::cbh::charset::{Detector, TextForm, Texts};
use tabia_formats::games::cbh::records::{AnnotationsHead, GameRecord, TYPE_TEXT};
use tabia_testkit::shared_data_folder::{files_below, shared_data};

/// The annotation records of the games of a database.
fn records(main: &Path) -> Vec<Vec<u8>> {
    let headers = std::fs::read(main).unwrap();
    let Ok(bodies) = std::fs::read(main.with_extension("cba")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for header in headers.chunks_exact(46).skip(1) {
        let header = GameRecord::read(header).unwrap();
        let at = header.annotations_at.get() as usize;
        if header.kind & TYPE_TEXT == 0 && at != 0 {
            let size = Items::size(&bodies[at..]).unwrap();
            found.push(bodies[at..at + size].to_vec());
        }
    }
    found
}

fn texts(records: &[Vec<u8>]) -> Texts {
    let mut detector = Detector::default();
    for record in records {
        for item in Items::new(record).unwrap().flatten() {
            if matches!(item.kind, 0x02 | 0x82) {
                detector.add(&item.data[2..]);
            }
        }
    }
    Texts::new(Charset::Auto, detector.page())
}

#[derive(Debug, Default)]
struct Counts {
    foreign: BTreeMap<u16, u32>,
    forms: BTreeMap<String, u32>,
}

/// The record with every text in the form that fits its item.
fn written_back(record: &[u8], texts: Texts, counts: &mut Counts) -> Vec<u8> {
    let mut decoder = Decoder::new(texts);
    let mut encoder = Encoder::new(TextForm::UTF8);
    for item in Items::new(record).unwrap() {
        let item = item.unwrap();
        let form = TextForm::all(texts.page())
            .find(|form| {
                let mut single = Encoder::new(*form);
                let _ = decoder.decode(&item, &mut |annotation| {
                    single.push(item.position, &annotation);
                    Flow::Go
                });
                let record = single.finish(0).map(<[u8]>::to_vec).unwrap_or_default();
                record.get(AnnotationsHead::SIZE + 6..) == Some(item.data)
            })
            .unwrap_or_else(|| panic!("{item:x?} is not written back"));
        *counts.forms.entry(format!("{form:?}")).or_default() += 1;
        encoder.set_form(form);
        let _ = decoder.decode(&item, &mut |annotation| {
            if let Annotation::Foreign(foreign) = annotation {
                *counts.foreign.entry(foreign.kind).or_default() += 1;
            }
            encoder.push(item.position, &annotation);
            Flow::Go
        });
    }
    let game = AnnotationsHead::read(record).unwrap().game.get();
    encoder.finish(game).unwrap().to_vec()
}

#[test]
fn records_of_real_databases_round_trip() {
    let Some(folder) = shared_data("cbh annotations", "cbh") else {
        return;
    };
    let (mut count, mut items) = (0, 0);
    let mut counts = Counts::default();
    for main in files_below(&folder) {
        let is_set = main.extension().is_some_and(|e| e == "cbh")
            && !main.to_string_lossy().contains("history");
        if !is_set {
            continue;
        }
        let records = records(&main);
        let texts = texts(&records);
        let page = if main.ends_with("Hedgehog.cbh") {
            "windows-1251"
        } else {
            "windows-1252"
        };
        assert_eq!(texts.page().name(), page, "{}", main.display());
        for record in &records {
            let again = written_back(record, texts, &mut counts);
            assert_eq!(&again, record, "{}", main.display());
            items += Items::new(record).unwrap().count();
        }
        count += records.len();
    }
    println!("{count} records, {items} items, {counts:#?}");
    let kinds: Vec<u16> = counts.foreign.keys().copied().collect();
    assert_eq!(kinds, [foreign::SYMBOL_SLOTS]);
}

#[test]
fn single_records_round_trip() {
    let Some(folder) = shared_data("cbh annotation records", "cbh/morphy-fixtures-loose") else {
        return;
    };
    let mut counts = Counts::default();
    let texts = texts(&[]);
    for file in files_below(&folder.join("annotations")) {
        let name = file.to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).unwrap();
        let record = if name.ends_with(".annotations.bin") {
            &bytes[..]
        } else if name.ends_with("gamequotation.cba") {
            &bytes[26..]
        } else {
            continue;
        };
        let size = Items::size(record).unwrap();
        assert_eq!(
            &written_back(&record[..size], texts, &mut counts),
            &record[..size],
            "{name}"
        );
    }
    assert!(counts.foreign.is_empty(), "{counts:?}");
}
