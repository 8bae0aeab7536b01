//! Files and folders of tables.

use std::fs::File;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_ipc::reader::StreamReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tabia::{ErrorKind, NoObserver, Progress};
use tabia_columns::schema::{Table, VERSION, VERSION_KEY};
use tabia_columns::write::{PART_BYTES, TableFile, TableOptions, each_batch, write_table};
use tabia_testkit::Scratch;

use crate::common::{items, many_games, write};

fn folder_with_games(count: u32) -> (Scratch, std::path::PathBuf) {
    let folder = Scratch::new("tables");
    let path = folder.join("games.pgn");
    std::fs::write(&path, many_games(count)).unwrap();
    (folder, path)
}

fn threads(count: usize) -> TableOptions {
    let mut options = TableOptions::default();
    options.plan.threads = count;
    options
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let (folder, games) = folder_with_games(20_000);
    for extension in ["parquet", "arrow"] {
        let mut bytes = Vec::new();
        for count in [1, 2, 5] {
            let path = folder.join(format!("{count}.{extension}"));
            let file = TableFile::of_name(path.to_str().unwrap()).unwrap();
            write(&games, file, &threads(count)).unwrap();
            bytes.push(std::fs::read(path).unwrap());
        }
        assert!(bytes.iter().all(|other| *other == bytes[0]), "{extension}");
    }
}

#[test]
fn a_parquet_file_has_the_same_rows_as_a_stream() {
    let (folder, games) = folder_with_games(9000);
    let parquet = folder.join("x.parquet");
    write(&games, TableFile::Parquet(parquet.clone()), &threads(2)).unwrap();
    let arrow = folder.join("x.arrow");
    write(&games, TableFile::Arrow(arrow.clone()), &threads(2)).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(parquet).unwrap()).unwrap();
    let metadata = builder.schema().metadata().clone();
    assert_eq!(metadata.get(VERSION_KEY).map(String::as_str), Some(VERSION));
    let group = builder.metadata().row_group(0).clone();
    let white = group
        .columns()
        .iter()
        .find(|column| column.column_path().string() == "white");
    assert!(
        white.unwrap().statistics().is_some() && white.unwrap().bloom_filter_offset().is_some()
    );
    let from_parquet: Vec<RecordBatch> = builder
        .with_batch_size(8192)
        .build()
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let reader = StreamReader::try_new(File::open(arrow).unwrap(), None).unwrap();
    let from_arrow: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!((rows(&from_parquet), rows(&from_arrow)), (9000, 9000));
    for (left, right) in from_parquet.iter().zip(&from_arrow) {
        for (field, (left, right)) in left
            .schema_ref()
            .fields()
            .iter()
            .zip(left.columns().iter().zip(right.columns()))
        {
            assert_eq!(left, right, "{}", field.name());
        }
    }
}

#[test]
fn a_folder_has_parts() {
    let (folder, games) = folder_with_games(140_000);
    let out = folder.join("out");
    write(&games, TableFile::Folder(out.clone(), 1), &threads(2)).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "part-00000.parquet",
            "part-00001.parquet",
            "part-00002.parquet"
        ]
    );
    // Parts are not mixed with those of another table.
    let error = write(&games, TableFile::Folder(out.clone(), 1), &threads(1)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exists));
    let few = folder.join("few.pgn");
    std::fs::write(&few, many_games(10)).unwrap();
    let progress = Arc::new(Progress::default());
    let file = TableFile::Folder(out.clone(), 1);
    write_table(
        &items(&few),
        file,
        &threads(1),
        true,
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
}

#[test]
fn an_input_that_changes_ends_in_an_error() {
    let (folder, games) = folder_with_games(30_000);
    let progress = Arc::new(Progress::default());
    let mut batches = 0;
    let error = each_batch(
        &items(&games),
        &threads(1),
        &progress,
        &mut NoObserver,
        &mut |_| {
            if batches == 0 {
                let mut text = std::fs::read_to_string(&games).unwrap();
                text.push_str("\n1. e4 *\n");
                std::fs::write(&games, text).unwrap();
            }
            batches += 1;
            Ok(true)
        },
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("changed while it was read"),
        "{error}"
    );
    let file = TableFile::Parquet(folder.join("x.parquet"));
    // An input without games makes a table without rows.
    std::fs::write(&games, "").unwrap();
    let _ = write(&games, file, &threads(1));
}

#[test]
fn a_failure_leaves_nothing() {
    let (folder, games) = folder_with_games(100);
    let progress = Arc::new(Progress::default());
    progress.cancel();
    let out = folder.join("out");
    let file = TableFile::Folder(out.clone(), 1);
    write_table(
        &items(&games),
        file,
        &threads(1),
        false,
        &progress,
        &mut NoObserver,
    )
    .unwrap_err();
    assert!(!out.exists());
    let path = folder.join("x.parquet");
    let file = TableFile::Parquet(path.clone());
    write_table(
        &items(&games),
        file,
        &threads(1),
        false,
        &progress,
        &mut NoObserver,
    )
    .unwrap_err();
    assert!(!path.exists());
}

fn shards(folder: std::path::PathBuf, threads: usize) -> TableFile<'static> {
    TableFile::Shards {
        folder,
        count: 2,
        threads,
    }
}

/// The numbers of games of a table.
fn game_numbers(path: &std::path::Path) -> Vec<i32> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let mut numbers = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        numbers.extend(batch["game"].as_primitive::<Int32Type>().values());
    }
    numbers
}

#[test]
fn shards_have_the_same_bytes_on_any_number_of_threads() {
    let (folder, games) = folder_with_games(70_000);
    let mut written = Vec::new();
    for count in [1, 3] {
        let mut options = threads(count);
        options.table = Table::Positions;
        let out = folder.join(format!("out{count}"));
        write(&games, shards(out.clone(), count), &options).unwrap();
        let parts = ["part-00000.parquet", "part-00001.parquet"].map(|name| out.join(name));
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
        written.push(parts.clone().map(|part| std::fs::read(part).unwrap()));
        // Two plies a game: the first file has the row groups 1 and 3, the second has the other.
        let [first, second] = parts.map(|part| game_numbers(&part));
        let expected = (1..=32_768)
            .chain(65_537..=70_000)
            .flat_map(|game| [game, game]);
        assert!(first.into_iter().eq(expected));
        assert!(
            second
                .into_iter()
                .eq((32_769..=65_536).flat_map(|game| [game, game]))
        );
    }
    assert!(written[0] == written[1]);
}

#[test]
fn shards_without_rows_are_tables_too() {
    let (folder, games) = folder_with_games(10);
    let out = folder.join("out");
    write(&games, shards(out.clone(), 2), &threads(2)).unwrap();
    assert_eq!(game_numbers(&out.join("part-00000.parquet")).len(), 10);
    assert_eq!(game_numbers(&out.join("part-00001.parquet")).len(), 0);
    let error = write(&games, shards(out, 2), &threads(2)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exists));
    let progress = Arc::new(Progress::default());
    progress.cancel();
    let other = folder.join("other");
    let file = shards(other.clone(), 2);
    let options = threads(2);
    write_table(
        &items(&games),
        file,
        &options,
        false,
        &progress,
        &mut NoObserver,
    )
    .unwrap_err();
    assert!(!other.exists());
}

/// The files of a folder of years, with their rows.
fn rows_by_year(folder: &std::path::Path) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let file = File::open(entry.path().join("part-00000.parquet")).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        assert!(builder.schema().column_with_name("year").is_none());
        assert!(builder.schema().column_with_name("date_text").is_some());
        let rows = builder.metadata().file_metadata().num_rows();
        found.push((entry.file_name().into_string().unwrap(), rows));
    }
    found.sort();
    found
}

#[test]
fn years_have_folders() {
    let (folder, games) = folder_with_games(30_000);
    let mut text = std::fs::read_to_string(&games).unwrap();
    text.push_str("[White \"Player\"]\n[Date \"????.??.??\"]\n\n1. e4 *\n\n");
    std::fs::write(&games, text).unwrap();
    let out = folder.join("out");
    write(
        &games,
        TableFile::Years(out.clone(), PART_BYTES),
        &threads(2),
    )
    .unwrap();
    let found = rows_by_year(&out);
    assert_eq!(found.len(), 121);
    assert_eq!(found[0], ("year=1900".to_owned(), 250));
    assert_eq!(
        found[120],
        ("year=__HIVE_DEFAULT_PARTITION__".to_owned(), 1)
    );
    assert_eq!(found.iter().map(|(_, rows)| rows).sum::<i64>(), 30_001);
    // The same bytes on another number of threads.
    let other = folder.join("other");
    write(
        &games,
        TableFile::Years(other.clone(), PART_BYTES),
        &threads(1),
    )
    .unwrap();
    for (year, _) in &found {
        let [one, other] = [&out, &other]
            .map(|folder| std::fs::read(folder.join(year).join("part-00000.parquet")).unwrap());
        assert!(one == other, "{year}");
    }
    // Its games are not mixed with those of another table.
    for file in [
        TableFile::Years(out.clone(), PART_BYTES),
        TableFile::Folder(out.clone(), 1),
    ] {
        let error = write(&games, file, &threads(1)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists), "{error}");
    }
    let few = folder.join("few.pgn");
    std::fs::write(&few, many_games(3)).unwrap();
    let progress = Arc::new(Progress::default());
    write_table(
        &items(&few),
        TableFile::Years(out.clone(), PART_BYTES),
        &threads(1),
        true,
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    let years = ["year=1900", "year=1901", "year=1902"].map(|year| (year.to_owned(), 1));
    assert_eq!(rows_by_year(&out), years);
    // Without the column there are no folders, and none is left.
    let mut options = threads(1);
    options.columns = tabia_columns::schema::GameColumns::parse("white,moves").unwrap();
    let none = folder.join("none");
    let error = write(&games, TableFile::Years(none.clone(), PART_BYTES), &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Usage { .. }), "{error}");
    assert!(!none.exists());
}

#[test]
fn years_of_a_damaged_database_end_in_an_error() {
    let folder = Scratch::new("tables");
    let games = folder.join("games.pgn");
    let game = |year: u32| format!("[Date \"{year:04}.01.01\"]\n\n1. e4 *\n\n");
    let text: String = (1..=1000).map(game).collect();
    std::fs::write(&games, text).unwrap();
    let out = folder.join("out");
    let error = write(
        &games,
        TableFile::Years(out.clone(), PART_BYTES),
        &threads(1),
    )
    .unwrap_err();
    assert!(error.to_string().contains("900 years"), "{error}");
    assert!(!out.exists());
}
