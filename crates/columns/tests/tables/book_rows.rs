//! The table of book rows, and books made of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, BinaryArray, Int32Array, Int64Array, StringArray};
use arrow_ipc::reader::StreamReader;
use tabia::book::build::{BuildOptions, BuildTarget, build};
use tabia::book::edit::{Change, EditTarget, edit};
use tabia::book::merge::{MergeOptions, Merged};
use tabia::book::positions::for_each;
use tabia::core::BookFormat;
use tabia::core::books::{BookPosition, Learn, SmallBytes};
use tabia::core::game::Nag;
use tabia::core::loss::Feature;
use tabia::{
    CreateOptions, Error, InputItem, NoObserver, OpenOptions, Position, Progress, Resolver,
};
use tabia_columns::book_rows::{each_book_row_batch, write_book_rows, write_move_sums};
use tabia_columns::read::{book_from_rows, is_book_rows};
use tabia_columns::write::{TableFile, TableOptions};
use tabia_testkit::Scratch;

use crate::common::{items, many_games, write_batch};

const PGN: &str = "\
[WhiteElo \"2700\"]\n[BlackElo \"2500\"]\n[Result \"1-0\"]\n\n\
1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 O-O 1-0\n\n\
[WhiteElo \"2300\"]\n[BlackElo \"2400\"]\n[Result \"1/2-1/2\"]\n\n\
1. d4 d5 2. c4 dxc4 3. e4 b5 4. a4 c6 5. axb5 cxb5 6. Nc3 a6 7. Nxb5 axb5 8. Rxa8 1/2-1/2\n\n";

fn format(extension: &str) -> &'static BookFormat {
    let has = |format: &&&BookFormat| format.file.extensions.contains(&extension);
    tabia::formats::BOOKS.iter().find(has).unwrap()
}

fn item(path: &Path) -> InputItem {
    let mut found = Resolver::default().resolve(path.as_os_str()).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// The resolver of the program, which knows tables.
fn table(path: &Path) -> InputItem {
    let formats = tabia::formats::formats().chain(tabia_columns::read::formats());
    let resolver = Resolver::new(formats);
    resolver.resolve(path.as_os_str()).unwrap().remove(0)
}

/// A book of some games, with a comment and the like where the format has them.
fn book(folder: &Scratch, extension: &str) -> PathBuf {
    let games = folder.join("games.pgn");
    std::fs::write(&games, PGN.to_owned() + &many_games(300)).unwrap();
    let plain = folder.join(format!("plain.{extension}"));
    let mut options = BuildOptions::default();
    options.move_filter.min_games = 1;
    let progress = Arc::new(Progress::default());
    let target = BuildTarget::new(format(extension), &plain);
    build(
        &items(&games),
        &target,
        &options,
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    let path = folder.join(format!("book.{extension}"));
    let start = Position::standard();
    let m = start.parse_san("e4").unwrap().to_move().unwrap();
    let mut change = Change::default();
    match extension {
        "bin" => {
            change.learn = Learn::parse("1f001400");
            change.weight = Some(77);
        }
        "ctg" => {
            change.nags = Some(vec![Nag(1)]);
            change.advice = Some(Some(true));
        }
        _ => {}
    }
    let changes = vec![(EditTarget::Board(Box::new(start), m), change)];
    let options = MergeOptions::default();
    edit(
        &item(&plain),
        changes,
        &path,
        &options,
        &Progress::default(),
    )
    .unwrap();
    path
}

fn rows_of(book: &Path, file: TableFile<'_>) -> Merged {
    let open = OpenOptions::default();
    write_book_rows(
        &item(book),
        file,
        &open,
        &CreateOptions::default(),
        &Progress::default(),
    )
    .unwrap()
}

fn book_of(tables: &[&Path], path: &Path) -> Result<Merged, Error> {
    let extension = path.extension().unwrap().to_str().unwrap();
    book_from_rows(
        &tables.iter().map(|path| table(path)).collect::<Vec<_>>(),
        format(extension),
        path,
        &OpenOptions::default(),
        &CreateOptions::default(),
        &Progress::default(),
    )
}

type Pages = BTreeMap<u64, (Option<String>, Vec<u16>, BookPosition)>;

/// Everything that a book stores of each position, but what only its format understands.
fn pages(path: &Path) -> Pages {
    let mut pages = Pages::new();
    let open = OpenOptions::default();
    for_each(&item(path), &open, &Progress::default(), &mut |stored| {
        let mut page = stored.page.clone();
        page.raw.clear();
        // The table has the averages, not how many games have a rating.
        (page.ratings, page.opponent_ratings) = (None, None);
        for entry in &mut page.entries {
            entry.raw = SmallBytes::new();
            entry.ratings = None;
            entry.performance = entry.performance.filter(|_| entry.average_rating.is_some());
        }
        let fen = stored.position.map(Position::fen);
        pages.insert(stored.key, (fen, stored.codes.to_vec(), page));
        Ok(())
    })
    .unwrap();
    pages
}

#[test]
fn books_of_every_format_come_back() {
    for extension in ["bin", "ctg", "abk", "kob"] {
        let folder = Scratch::new("book-rows");
        let original = book(&folder, extension);
        let rows = folder.join("rows.parquet");
        let written = rows_of(&original, TableFile::Parquet(rows.clone()));
        assert!(
            written.moves > 40 && written.unreached == 0,
            "{extension}: {written:?}"
        );
        assert!(written.losses.is_empty(), "{extension}: {}", written.losses);
        assert!(is_book_rows(&table(&rows), &OpenOptions::default()));
        let back = folder.join(format!("back.{extension}"));
        let read = book_of(&[&rows], &back).unwrap();
        assert_eq!(read.damage, [Vec::<String>::new()], "{extension}");
        // A CTG book stores the performance of those whose own ratings are unknown in a form of its own.
        let lost: Vec<Feature> = read.losses.iter().map(|(feature, _)| feature).collect();
        let expected: &[Feature] = match extension {
            "ctg" => &[Feature::BookRatings],
            _ => &[],
        };
        assert_eq!((&lost[..], read.unreached), (expected, 0), "{extension}");
        assert_eq!(
            read.moves,
            written.moves - duplicates(&original),
            "{extension}"
        );
        let (expected, found) = (pages(&original), pages(&back));
        assert_eq!(expected.len(), found.len(), "{extension}");
        for (key, page) in expected {
            assert_eq!(found.get(&key), Some(&page), "{extension}: {key:x}");
        }
        if extension == "bin" {
            assert_eq!(
                std::fs::read(&original).unwrap(),
                std::fs::read(&back).unwrap()
            );
        }
    }
}

/// Moves of positions that are mirror images of others.
fn duplicates(book: &Path) -> u64 {
    let pages = pages(book);
    let mirrored = pages.values().filter(|(_, _, page)| page.is_duplicate);
    mirrored.map(|(_, codes, _)| codes.len() as u64).sum()
}

#[test]
fn a_table_has_a_row_for_each_move() {
    let folder = Scratch::new("book-rows");
    let path = book(&folder, "bin");
    let mut batches = Vec::new();
    let open = OpenOptions::default();
    let merged = each_book_row_batch(&item(&path), &open, &Progress::default(), &mut |batch| {
        batches.push(batch);
        Ok(())
    });
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len())
    };
    assert_eq!(batch.num_rows() as u64, merged.unwrap().moves);
    let keys = batch["key"].as_primitive::<Int64Type>().values();
    assert!(keys.is_sorted());
    let start = (Position::standard().key() ^ (1 << 63)).cast_signed();
    let row = keys.iter().position(|key| *key == start).unwrap();
    let moves = batch["uci"].as_dictionary::<Int32Type>();
    let moves = moves.downcast_dict::<StringArray>().unwrap();
    let row = (row..batch.num_rows())
        .find(|row| moves.into_iter().nth(*row) == Some(Some("e2e4")))
        .unwrap();
    assert_eq!(batch["move"].as_primitive::<Int32Type>().value(row), 0x031c);
    assert_eq!(batch["weight"].as_primitive::<Int64Type>().value(row), 77);
    assert_eq!(batch["learn"].as_string::<i32>().value(row), "1f001400");
    assert_eq!(
        batch["fen"].as_string::<i32>().value(row),
        Position::standard().fen()
    );
    assert!(batch["games"].is_null(row) && batch["white"].is_null(row));
}

#[test]
fn parts_and_streams_hold_the_same_rows() {
    let folder = Scratch::new("book-rows");
    let path = book(&folder, "abk");
    let mut stream = Vec::new();
    rows_of(&path, TableFile::Stream(&mut stream));
    rows_of(&path, TableFile::Arrow(folder.join("rows.arrow")));
    assert!(std::fs::read(folder.join("rows.arrow")).unwrap() == stream);
    rows_of(&path, TableFile::Folder(folder.join("out"), 1));
    rows_of(&path, TableFile::Parquet(folder.join("rows.parquet")));
    let part = std::fs::read(folder.join("out/part-00000.parquet")).unwrap();
    assert!(std::fs::read(folder.join("rows.parquet")).unwrap() == part);
}

fn keys(keys: &[u64]) -> Arc<dyn Array> {
    let keys = keys.iter().map(|key| (key ^ (1 << 63)).cast_signed());
    Arc::new(Int64Array::from_iter_values(keys))
}

const E4: i32 = 0x031c;
const D4: i32 = 0x02db;

#[test]
fn rows_of_other_programs_are_summed_in_any_order() {
    let folder = Scratch::new("book-rows");
    let start = Position::standard().key();
    let path = folder.join("rows.parquet");
    let numbers =
        |values: &[i64]| -> Arc<dyn Array> { Arc::new(Int64Array::from(values.to_vec())) };
    write_batch(
        &path,
        vec![
            (
                "move",
                Arc::new(Int32Array::from(vec![E4, 0x0fad, D4, E4, 0])),
            ),
            ("key", keys(&[start, 7, start, start, 8])),
            ("white", numbers(&[3, 1, 2, 1, 1])),
            ("draws", numbers(&[2, 0, 1, 0, 1])),
            ("black", numbers(&[1, 0, 0, 0, 1])),
            ("last_year", numbers(&[1999, 1999, 1999, 1999, 1999])),
        ],
    );
    let book = folder.join("book.bin");
    let read = book_of(&[&path], &book).unwrap();
    assert_eq!((read.positions, read.moves), (2, 3));
    assert_eq!(read.damage, [["1 row left out: its move is not legal"]]);
    let pages = pages(&book);
    let (_, codes, page) = &pages[&start];
    let weights: Vec<_> = page.entries.iter().map(|entry| entry.weight).collect();
    assert_eq!(
        (&codes[..], &weights[..]),
        (&[0x031c, 0x02db][..], &[Some(7), Some(3)][..])
    );
    assert_eq!(pages[&7].0, None);
    // Two parts in either order are one table.
    let twice = folder.join("twice.bin");
    book_of(&[&path, &path], &twice).unwrap();
    assert_eq!(self::pages(&twice)[&start].2.entries[0].weight, Some(14));
    // A format of boards cannot hold positions of which only the key is known.
    let read = book_of(&[&path], &folder.join("book.ctg")).unwrap();
    assert_eq!((read.moves, read.unreached), (0, 3));
}

#[test]
fn what_is_wrong_with_rows_is_counted() {
    let folder = Scratch::new("book-rows");
    let start = Position::standard();
    let path = folder.join("rows.parquet");
    let fen = start.fen();
    write_batch(
        &path,
        vec![
            (
                "key",
                keys(&[
                    start.key(),
                    start.key(),
                    5,
                    start.key(),
                    start.key(),
                    start.key(),
                ]),
            ),
            (
                "move",
                Arc::new(Int32Array::from(vec![E4, D4, E4, E4, -1, 0x0fff])),
            ),
            (
                "fen",
                Arc::new(StringArray::from(vec![
                    &fen,
                    &fen,
                    &fen,
                    "8/8/8/8 w",
                    &fen,
                    &fen,
                ])),
            ),
            (
                "weight",
                Arc::new(Int64Array::from(vec![1, -5, 1, 1, 1, 1])),
            ),
        ],
    );
    let read = book_of(&[&path], &folder.join("book.bin")).unwrap();
    assert_eq!((read.positions, read.moves), (1, 1));
    assert_eq!(
        read.damage,
        [[
            "1 row left out: `key` is not that of `fen`",
            "2 rows left out: a number is out of range",
            "1 row left out: its `fen` is no position",
            "1 row left out: its move is not legal",
        ]]
    );
}

#[test]
fn comments_that_are_not_utf8_are_decoded_and_counted() {
    let folder = Scratch::new("book-rows");
    let start = Position::standard();
    let path = folder.join("rows.parquet");
    let comments: Vec<Option<&[u8]>> = vec![Some(b"good"), Some(b"caf\xe9")];
    write_batch(
        &path,
        vec![
            ("key", keys(&[start.key(), start.key()])),
            ("move", Arc::new(Int32Array::from(vec![E4, D4]))),
            ("weight", Arc::new(Int64Array::from(vec![2, 1]))),
            ("comment", Arc::new(BinaryArray::from(comments))),
        ],
    );
    let read = book_of(&[&path], &folder.join("book.bin")).unwrap();
    assert_eq!(read.moves, 2);
    assert_eq!(read.damage, [["1 `comment` is not UTF-8"]]);
}

#[test]
fn other_tables_are_refused_by_name() {
    let folder = Scratch::new("book-rows");
    let games = folder.join("games.pgn");
    std::fs::write(&games, PGN).unwrap();
    let path = folder.join("games.parquet");
    crate::common::write(
        &games,
        TableFile::Parquet(path.clone()),
        &TableOptions::default(),
    )
    .unwrap();
    assert!(!is_book_rows(&table(&path), &OpenOptions::default()));
    let error = book_of(&[&path], &folder.join("book.bin")).unwrap_err();
    assert!(error.to_string().contains("a table of games"), "{error}");
    let path = folder.join("other.parquet");
    write_batch(&path, vec![("key", keys(&[1]))]);
    let error = book_of(&[&path], &folder.join("book.bin")).unwrap_err();
    assert!(
        error.to_string().contains("no columns `key` and `move`"),
        "{error}"
    );
    assert!(!folder.join("book.bin").exists());
}

#[test]
fn damaged_tables_are_errors_or_counted() {
    let folder = Scratch::new("book-rows");
    let rows = folder.join("rows.parquet");
    rows_of(&book(&folder, "ctg"), TableFile::Parquet(rows.clone()));
    let good = std::fs::read(&rows).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (bad, target) = (folder.join("bad.parquet"), folder.join("target.bin"));
    let mut read = 0;
    for at in (0..good.len()).step_by(13) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&bad, &bytes).unwrap();
        // What does not begin as a table is none.
        if at >= 4 {
            read += u32::from(book_of(&[&bad], &target).is_ok());
        }
        let _ = std::fs::remove_file(&target);
    }
    std::panic::set_hook(hook);
    assert!(read > 0);
}

#[test]
fn sums_of_parts_make_the_book_of_all_games() {
    let folder = Scratch::new("book-rows");
    let all = folder.join("all.pgn");
    let text = PGN.to_owned() + &many_games(600);
    std::fs::write(&all, &text).unwrap();
    let (mut options, progress) = (BuildOptions::default(), Arc::new(Progress::default()));
    options.move_filter.min_games = 1;
    options.move_filter.scoreless = true;
    options.create.force = true;
    let direct = folder.join("direct.bin");
    let target = BuildTarget::new(format("bin"), &direct);
    build(&items(&all), &target, &options, &progress, &mut NoObserver).unwrap();
    let direct = std::fs::read(direct).unwrap();
    // Of the whole, and of parts in any order.
    let games: Vec<&str> = text.split_inclusive("\n\n").collect();
    for count in [1, 3] {
        let mut tables = Vec::new();
        for (number, part) in games.chunks((games.len() / count / 2 + 1) * 2).enumerate() {
            let pgn = folder.join(format!("part-{number}.pgn"));
            std::fs::write(&pgn, part.concat()).unwrap();
            for threads in [1, 3] {
                options.threads = threads;
                let table = folder.join(format!("part-{number}-{threads}.parquet"));
                let file = TableFile::Parquet(table.clone());
                let sums =
                    write_move_sums(&items(&pgn), file, &options, &progress, &mut NoObserver);
                assert!(sums.unwrap().moves > 0);
                tables.push(table);
            }
            let [one, other] =
                [tables.len() - 2, tables.len() - 1].map(|at| std::fs::read(&tables[at]).unwrap());
            assert!(one == other);
            tables.pop();
        }
        tables.reverse();
        let book = folder.join("from.bin");
        let tables: Vec<&Path> = tables.iter().map(PathBuf::as_path).collect();
        book_of(&tables, &book).unwrap();
        assert!(std::fs::read(&book).unwrap() == direct, "{count} tables");
        std::fs::remove_file(book).unwrap();
    }
}

#[test]
fn sums_of_games_have_ratings_and_years() {
    let folder = Scratch::new("book-rows");
    let games = folder.join("games.pgn");
    let game = |white: &str, black: &str, date: &str, moves: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n{white}{black}[Date \"{date}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let text = [
        game("[WhiteElo \"2700\"]\n", "", "1999.12.31", "1. e4 e5"),
        game(
            "[WhiteElo \"2401\"]\n",
            "[BlackElo \"2300\"]\n",
            "2021.??.??",
            "1. e4 c5",
        ),
        game("", "", "????.??.??", "1. e4 c5"),
    ];
    std::fs::write(&games, text.concat()).unwrap();
    let mut options = BuildOptions::default();
    options.move_filter.min_games = 1;
    let mut stream = Vec::new();
    write_move_sums(
        &items(&games),
        TableFile::Stream(&mut stream),
        &options,
        &Arc::new(Progress::default()),
        &mut NoObserver,
    )
    .unwrap();
    let batches = StreamReader::try_new(&stream[..], None).unwrap();
    let batch = batches.last().unwrap().unwrap();
    let number = |name: &str, row: usize| {
        let column = batch[name].as_primitive::<Int64Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    let year = |row: usize| {
        let column = batch["last_year"].as_primitive::<Int16Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    let mut rows: Vec<_> = (0..batch.num_rows())
        .map(|row| {
            let code = batch["move"].as_primitive::<Int32Type>().value(row);
            (
                code,
                number("elo_sum", row),
                number("elo_n", row),
                year(row),
            )
        })
        .collect();
    rows.sort_unstable();
    let (e5, c5) = (0x0d24, 0x0ca2);
    assert_eq!(
        rows,
        [
            (E4, Some(5101), Some(2), Some(2021)),
            (c5, Some(2300), Some(1), Some(2021)),
            (e5, Some(0), Some(0), Some(1999)),
        ]
    );
}
