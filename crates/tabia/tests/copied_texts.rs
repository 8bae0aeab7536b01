//! Copies of ChessBase databases have the names, comments and texts of their source byte for byte, whatever
//! their character sets are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::GameIndex;
use tabia::core::formats::OpenOptions;
use tabia::core::games::Database;
use tabia::core::io::{Charset, Progress, Source};
use tabia::core::loss::Feature;
use tabia::edit::{Change, EditOptions, edit};
use tabia::query::SortOrder;
use tabia::read_one::load_to_copy;
use tabia::split::{SplitBy, split};
use tabia::{InputItem, NoObserver, Resolver, Summary};
use tabia_formats::ARCHIVES;
use tabia_formats::archives::{CreateOptions as Packing, NewMember, create};
use tabia_formats::formats;
use tabia_formats::games::cbh::annotations::{Items, kind};
use tabia_formats::games::cbh::charset::until_zero;
use tabia_formats::games::cbh::entity_and_side_tables::entity;
use tabia_formats::games::cbh::records::MovesHead;
use tabia_formats::games::cbh::{CbhDatabase, Record};
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, shared_data};

fn options() -> ConvertOptions {
    let mut options = ConvertOptions::default();
    options.plan.threads = 2;
    options.plan.selection = tabia::select::Selection::all();
    options
}

fn items(input: &Path) -> Vec<InputItem> {
    let resolver = Resolver::new(formats());
    let items = resolver.resolve(input.as_os_str()).unwrap();
    let items = items
        .into_iter()
        .flat_map(|item| resolver.expand(item).unwrap());
    items.map(Result::unwrap).collect()
}

fn run(input: &Path, target: &Path, options: &ConvertOptions) -> Summary {
    let target = Target::file(&Resolver::new(formats()), target, None).unwrap();
    let progress = Arc::new(Progress::new());
    let done = convert(&items(input), target, options, &progress, &mut NoObserver);
    done.unwrap().0
}

fn part(file: &[u8], at: u32, size: impl Fn(&[u8]) -> Option<usize>) -> Vec<u8> {
    let bytes = file.get(at as usize..).filter(|_| at != 0);
    let bytes = bytes.unwrap_or_default();
    let size = size(bytes).unwrap_or(0);
    bytes.get(..size).unwrap_or_default().to_vec()
}

/// The bytes of all texts of a record: names, then comments and other items with texts, or a guiding text.
type StoredRecord = (Vec<Vec<u8>>, Vec<Vec<u8>>);

fn texts_of(path: &Path) -> Vec<StoredRecord> {
    let db = CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap();
    let file = |extension: &str| {
        let source = Source::from_path(path).unwrap();
        let blob = source.open_companion(extension).unwrap();
        blob.map(|blob| blob.as_slice().to_vec())
            .unwrap_or_default()
    };
    let (moves, annotations) = (file("cbg"), file("cba"));
    let tables = db.tables();
    let records = (0..db.len()).map(|index| {
        let index = GameIndex(index);
        let mut names: Vec<&[u8]> = Vec::new();
        let mut texts = Vec::new();
        let (tournament, annotator, source) = match db.record(index).unwrap() {
            Record::Game(game) => {
                for player in [game.white, game.black] {
                    if let Some(player) = entity(tables.players.as_ref(), player.get()) {
                        names.extend([&player.last_name[..], &player.first_name]);
                    }
                }
                let record = part(&annotations, game.annotations_at.get(), |bytes| {
                    Items::size(bytes).ok()
                });
                for item in Items::new(&record)
                    .into_iter()
                    .flatten()
                    .map_while(Result::ok)
                {
                    let is_comment = matches!(item.kind, kind::TEXT_AFTER | kind::TEXT_BEFORE);
                    let has_texts = matches!(
                        item.kind,
                        kind::TRAINING | kind::QUOTATION | kind::WEB_LINK | kind::VIDEO
                    );
                    if is_comment || has_texts {
                        texts.push([&[item.kind], item.data].concat());
                    }
                }
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => {
                texts.push(part(&moves, text.body_at.get(), |bytes| {
                    Some(MovesHead::read(bytes)?.size.get() as usize)
                }));
                (text.tournament, text.annotator, text.source)
            }
        };
        if let Some(tournament) = entity(tables.tournaments.as_ref(), tournament.get()) {
            names.extend([&tournament.title[..], &tournament.site]);
        }
        if let Some(annotator) = entity(tables.annotators.as_ref(), annotator.get()) {
            names.push(&annotator.name);
        }
        if let Some(source) = entity(tables.sources.as_ref(), source.get()) {
            names.extend([&source.title[..], &source.publisher]);
        }
        let is_game = matches!(db.record(index), Some(Record::Game(_)));
        if let Some((extended, _)) = db.extended(index).filter(|_| is_game) {
            for team in [extended.white_team.get(), extended.black_team.get()] {
                let team = u32::try_from(team).ok();
                let team = team.and_then(|team| entity(tables.teams.as_ref(), team));
                names.extend(team.map(|team| &team.title[..]));
            }
            let tag = u32::try_from(extended.game_tag.get()).ok();
            let tag = tag.and_then(|tag| entity(tables.game_tags.as_ref(), tag));
            names.extend(
                tag.iter()
                    .flat_map(|tag| tag.titles.iter().map(|title| &title[..])),
            );
        }
        let names = names.into_iter().map(|name| until_zero(name).to_vec());
        let names = names.filter(|name| !name.is_empty());
        (names.collect(), texts)
    });
    records.collect()
}

fn pgn(number: u32, name: &str, comment: &str) -> String {
    format!(
        "[Event \"{name} Open\"]\n[Site \"{name}\"]\n[Date \"20{number:02}.01.01\"]\n[Round \"1\"]\n\
         [White \"{name}, {name}\"]\n[Black \"Bo\"]\n[Result \"1-0\"]\n[Annotator \"{name}\"]\n\
         [SourceTitle \"{name}\"]\n[WhiteTeam \"{name}\"]\n[CbGameTagEnglish \"{name}\"]\n\n\
         {{{comment}}} 1. e4 {{{comment} 1}} e5 ({{[%tabia before] {comment}}} 1... c5 {{{comment} 2}}) \
         2. Nf3 {{{comment} 1}} 1-0\n\n"
    )
}

/// A set with names and comments in windows-1251, windows-1252 and UTF-8.
fn mixed_set(scratch: &Scratch) -> PathBuf {
    let path = scratch.join("mixed.cbh");
    let parts = [
        ("cp1251", "Сильнов", "Хорошая позиция, но Лd1 и Кf3 сильнее"),
        ("cp1251", "Юдин", "Лd1"),
        ("utf-8", "Žlebčík", "gut für Weiß ∆ ♘f3 [#]\nÜber"),
        ("cp1252", "Müller", "gut für Weiß, öffnet ∆ ♘f3 [#]\nÜber"),
        ("cp1252", "Pé", "é"),
        ("utf-8", "Anna", "plain"),
        ("utf-8", "Сильнов", "Хорошая позиция, но Лd1 и Кf3 сильнее"),
    ];
    for (number, (charset, name, comment)) in (0..).zip(parts) {
        let file = scratch.join(format!("part{number}.pgn"));
        std::fs::write(&file, pgn(9 - number, name, comment)).unwrap();
        let mut options = options();
        options.append = number > 0;
        options.create.charset = Charset::parse(charset).unwrap();
        run(&file, &path, &options);
    }
    path
}

#[test]
fn copies_have_the_bytes_of_mixed_sets() {
    let scratch = Scratch::new("copied-texts");
    let source = mixed_set(&scratch);
    let expected = texts_of(&source);
    // The parts are in three sets.
    let cyrillic = b"\xd5\xee\xf0\xee\xf8\xe0\xff";
    assert_eq!(expected.len(), 7);
    assert!(expected[0].1[0].windows(7).any(|bytes| bytes == cyrillic));
    assert_eq!(expected[6].0[0], "Сильнов".as_bytes());
    assert!(expected[3].0[0].starts_with(b"M\xfc"));

    let copy = scratch.join("copy.cbh");
    let summary = run(&source, &copy, &options());
    assert_eq!(texts_of(&copy), expected);
    assert_eq!(summary.losses.count(Feature::Characters), 0);

    // Appended twice to a set of its own kind, once sorted.
    let mut adding = options();
    adding.append = true;
    run(&source, &copy, &adding);
    let sorted = SortOrder::parse("date").unwrap();
    adding.sort = sorted.clone();
    run(&source, &copy, &adding);
    let reversed: Vec<_> = expected.iter().rev().cloned().collect();
    let appended = [&expected[..], &expected, &reversed].concat();
    assert_eq!(texts_of(&copy), appended);

    let mut sorting = options();
    sorting.sort = sorted;
    let copy = scratch.join("sorted.cbh");
    run(&source, &copy, &sorting);
    assert_eq!(texts_of(&copy), reversed);

    // Members of an archive.
    let archive = scratch.join("mixed.zip");
    let members: Vec<NewMember> = scratch
        .names()
        .iter()
        .filter(|name| name.starts_with("mixed.") && !name.ends_with("zip"))
        .map(|name| NewMember::from_path(&scratch.join(name)).unwrap())
        .collect();
    let zip = ARCHIVES
        .iter()
        .find(|format| format.file.id.to_string() == "zip");
    create(zip.unwrap(), &archive, &members, &Packing::default()).unwrap();
    let copy = scratch.join("member.cbh");
    run(&archive, &copy, &options());
    assert_eq!(texts_of(&copy), expected);

    // One set for each year, with the games in the order of the source.
    let target = scratch.join("year.cbh");
    let target = Target::file(&Resolver::new(formats()), &target, None).unwrap();
    let progress = Arc::new(Progress::new());
    let done = split(
        &items(&source),
        &target,
        SplitBy::Year,
        &options(),
        &progress,
        &mut NoObserver,
    );
    let files = done.unwrap().1.files.into_iter();
    let is_main = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cbh");
    let files: Vec<PathBuf> = files.filter(is_main).collect();
    assert_eq!(files.len(), 7);
    for file in files {
        let [record] = &texts_of(&file)[..] else {
            panic!("{} has several games", file.display())
        };
        assert!(expected.contains(record), "{}", file.display());
    }
}

#[test]
fn a_record_that_replaces_another_has_its_own_bytes() {
    let scratch = Scratch::new("copied-replacement");
    let source = mixed_set(&scratch);
    let expected = texts_of(&source);
    let item = items(&source).remove(0);
    let open = OpenOptions::default();
    let progress = Arc::new(Progress::new());
    let game = load_to_copy(&item, GameIndex(3), &open, &progress, &mut NoObserver);
    let game = Box::new(game.unwrap().unwrap());
    let changed = scratch.join("changed.cbh");
    let changes = [Change::Replace(GameIndex(0), game)];
    let edited = edit(&item, &changed, &changes, &EditOptions::default()).unwrap();
    assert!(edited.losses.is_empty(), "{}", edited.losses);
    let found = texts_of(&changed);
    assert_eq!(found[0], expected[3]);
    assert_eq!(found[1..], expected[1..]);
}

#[test]
fn an_asked_for_character_set_is_that_of_all_texts() {
    let scratch = Scratch::new("copied-recoded");
    let source = mixed_set(&scratch);
    let mut options = options();
    options.create.charset = Charset::Utf8;
    let copy = scratch.join("copy.cbh");
    run(&source, &copy, &options);
    for (names, texts) in texts_of(&copy) {
        let texts = texts.iter().map(|item| &item[1..]);
        for bytes in names.iter().map(|name| &name[..]).chain(texts) {
            assert!(std::str::from_utf8(bytes).is_ok(), "{bytes:x?}");
        }
    }
}

#[test]
fn texts_that_are_read_differently_in_a_part_of_a_set_are_losses() {
    let scratch = Scratch::new("copied-part");
    let source = mixed_set(&scratch);
    // Only the games with the short texts: nothing in the copy shows that they are Russian.
    let mut options = options();
    let numbers = tabia::select::RecordRanges::parse("2").unwrap();
    options.plan.selection.numbers = Some(numbers);
    let copy = scratch.join("copy.cbh");
    let summary = run(&source, &copy, &options);
    assert_eq!(texts_of(&copy)[0], texts_of(&source)[1]);
    let lost = summary.losses.count(Feature::Characters);
    assert_eq!(lost > 0, page(&copy) != page(&source), "{lost}");
}

/// The single-byte set that is detected.
fn page(path: &Path) -> &'static str {
    let source = Source::from_path(path).unwrap();
    let db = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
    db.texts().page().name()
}

#[test]
fn copies_of_real_sets_have_their_bytes() {
    let Some(folder) = shared_data("copied texts", "cbh") else {
        return;
    };
    let scratch = Scratch::new("copied-real");
    let mut not_ascii = 0;
    for (number, path) in files_below(&folder).iter().enumerate() {
        let is_set = path.extension().is_some_and(|extension| extension == "cbh");
        if !is_set || !path.with_extension("cbp").exists() {
            continue;
        }
        let copy = scratch.join(format!("{number}.cbh"));
        run(path, &copy, &options());
        let (expected, found) = (texts_of(path), texts_of(&copy));
        assert_eq!(expected.len(), found.len(), "{}", path.display());
        for (game, (expected, found)) in expected.iter().zip(&found).enumerate() {
            // A text whose file is missing is empty.
            let has_body = expected.1 != [[]];
            let expected = if has_body {
                expected.clone()
            } else {
                (expected.0.clone(), found.1.clone())
            };
            assert_eq!(*found, expected, "{}, game {}", path.display(), game + 1);
            let all = expected.0.iter().chain(&expected.1);
            not_ascii += all.filter(|text| !text.is_ascii()).count();
        }
    }
    println!("{not_ascii} texts that are not ASCII");
    assert!(not_ascii > 1000);
}
