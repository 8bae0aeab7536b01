//! Tables of databases of every readable format: back to equal games, and cells that are those of `ls`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray};
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::formats::{Format, formats};
use tabia::list::{ListOptions, ListRow, list};
use tabia::{Error, Game, NoObserver, Profile, Progress};
use tabia_columns::schema::GameColumns;
use tabia_columns::write::{TableFile, TableOptions, each_batch};
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, repository, shared_data};

use crate::common::{items, many_games, write};
use crate::reading::{games, item, resolver};

/// Whether a file is the main file of a database that is read.
fn is_database(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_of = |format: Format| {
        let extensions = format.games().map(|games| games.file.extensions);
        extensions.is_some_and(|all| extension.is_some_and(|one| all.contains(&one)))
    };
    formats().any(is_of)
}

/// A database of every readable format: the fixtures of the formats, and the sample in every format that can
/// be written.
fn databases(folder: &Scratch) -> Vec<PathBuf> {
    let fixtures = repository().join("crates/formats/tests/fixtures");
    let mut found = files_below(&fixtures);
    found.retain(|path| is_database(path) && !path.to_string_lossy().contains("bad"));
    let sample = repository().join("samples/tabia.cbh");
    for format in formats().filter_map(Format::games) {
        if format.is_writable() {
            let path = folder.join(format!("sample.{}", format.file.extensions[0]));
            convert_to(&sample, &path);
            // A file of bughouse would have none of these games.
            if path.exists() {
                found.push(path);
            }
        }
    }
    found.push(sample);
    found.push(repository().join("samples/tabia.cbv"));
    found
}

/// Converts every record, with everything that the format holds.
fn convert_to(from: &Path, to: &Path) {
    let mut options = ConvertOptions::default();
    options.create.profile = Profile::Full;
    options.create.force = true;
    options.plan.selection.deleted = true;
    let target = Target::file(&resolver(), to, None).unwrap();
    let progress = Arc::new(Progress::default());
    convert(
        &[item_of_games(from)],
        target,
        &options,
        &progress,
        &mut NoObserver,
    )
    .unwrap_or_else(|error| panic!("{} to {}: {error}", from.display(), to.display()));
}

/// The database that a path names, also in an archive, or as a table.
fn item_of_games(path: &Path) -> tabia::InputItem {
    let found = resolver().resolve_games(path.as_os_str()).unwrap();
    found.into_iter().next().unwrap().unwrap()
}

/// The games of a database, by way of complete PGN, so that all have the same tags.
fn games_of(path: &Path, folder: &Scratch) -> Vec<Game> {
    let pgn = folder.join("games-of.pgn");
    convert_to(path, &pgn);
    let games = tabia::open(&pgn)
        .unwrap()
        .games()
        .collect::<Result<_, Error>>();
    games.unwrap()
}

fn check_round_trip(path: &Path, folder: &Scratch) {
    let name = path.display();
    let table = folder.join("round-trip.parquet");
    let _ = std::fs::remove_file(&table);
    let mut options = TableOptions::default();
    options.with_pgn = Some(Profile::Full);
    options.plan.selection.deleted = true;
    write(path, TableFile::Parquet(table.clone()), &options).unwrap();
    let before = games_of(path, folder);
    let (after, _) = games(&table, 2).unwrap();
    assert_eq!(after.len(), before.len(), "{name}");
    for (number, (after, before)) in after.iter().zip(&before).enumerate() {
        assert!(
            after == before,
            "{name}, game {}: {after:#?}\n{before:#?}",
            number + 1
        );
    }
    let format = item(path).format().games();
    if let Some(format) = format.filter(|format| format.is_writable()) {
        let (direct, back) = ["direct", "back"]
            .map(|stem| folder.join(format!("{stem}.{}", format.file.extensions[0])))
            .into();
        convert_to(path, &direct);
        convert_to(&table, &back);
        let (direct, back) = (games_of(&direct, folder), games_of(&back, folder));
        assert_eq!(back.len(), direct.len(), "{name}");
        for (number, (back, direct)) in back.iter().zip(&direct).enumerate() {
            assert!(back == direct, "{name}, game {} written again", number + 1);
        }
    }
}

#[test]
fn databases_of_every_format_come_back_from_a_table() {
    let folder = Scratch::new("round-trips");
    let databases = databases(&folder);
    assert!(databases.len() > 20, "{databases:?}");
    for path in &databases {
        check_round_trip(path, &folder);
    }
    let test = "databases_of_every_format_come_back_from_a_table";
    for path in [
        "cbf/features.cbf",
        "scid/si3/features.si3",
        "scid/si5/features.si5",
        "scid/sci/features.sci",
    ] {
        let Some(path) = shared_data(test, path) else {
            return;
        };
        check_round_trip(&path, &folder);
    }
}

/// The cells of a column of texts.
fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column: &ArrayRef = batch.column_by_name(name).unwrap();
    let cells = column.as_dictionary::<Int32Type>();
    let cells = cells.downcast_dict::<StringArray>().unwrap();
    let cells = cells.into_iter();
    cells
        .map(|cell| cell.unwrap_or_default().to_owned())
        .collect()
}

fn flags(batch: &RecordBatch, name: &str) -> BooleanArray {
    batch.column_by_name(name).unwrap().as_boolean().clone()
}

/// Where the annotator is in a row.
const ANNOTATOR: usize = 6;

/// A row of `ls` as texts, the same of a table.
fn cells_of_row(row: &ListRow<'_>) -> Vec<String> {
    let number = |number: Option<u16>| number.map(|number| number.to_string());
    let mut cells = vec![(row.game.0 + 1).to_string()];
    for text in [
        &row.white,
        &row.black,
        &row.event,
        &row.site,
        &row.round,
        &row.annotator,
    ] {
        cells.push(text.to_string());
    }
    cells.push(number(row.white_elo).unwrap_or_default());
    cells.push(number(row.black_elo).unwrap_or_default());
    cells.push(row.result.to_string());
    for part in [row.date.year, row.date.month.into(), row.date.day.into()] {
        cells.push(if part == 0 {
            String::new()
        } else {
            part.to_string()
        });
    }
    cells.push(row.eco.map(|eco| eco.to_string()).unwrap_or_default());
    cells.push(row.plies.map(|plies| plies.to_string()).unwrap_or_default());
    cells.push(row.flags.setup.to_string());
    cells.push(row.flags.deleted.to_string());
    cells
}

fn cells_of_table(batch: &RecordBatch) -> Vec<Vec<String>> {
    let mut columns: Vec<Vec<String>> = Vec::new();
    let games = batch
        .column_by_name("game")
        .unwrap()
        .as_primitive::<Int32Type>();
    columns.push(games.values().iter().map(ToString::to_string).collect());
    for name in ["white", "black", "event", "site", "round", "annotator"] {
        let mut cells = texts(batch, name);
        // Stored, and no name.
        cells
            .iter_mut()
            .filter(|cell| *cell == "-")
            .for_each(String::clear);
        columns.push(cells);
    }
    let small = |name: &str| {
        let column = batch
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Int16Type>();
        let cells = column.iter();
        let cells = cells.map(|cell| cell.map(|cell| cell.to_string()).unwrap_or_default());
        cells.collect::<Vec<String>>()
    };
    columns.extend(["white_elo", "black_elo"].map(small));
    columns.push(texts(batch, "result"));
    columns.push(small("year"));
    for name in ["month", "day"] {
        let column = batch
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Int8Type>();
        let cells = column.iter();
        let cells = cells.map(|cell| cell.map(|cell| cell.to_string()).unwrap_or_default());
        columns.push(cells.collect());
    }
    columns.push(texts(batch, "eco"));
    columns.push(small("ply_count"));
    let fen = batch.column_by_name("fen").unwrap();
    columns.push(
        (0..batch.num_rows())
            .map(|row| fen.is_valid(row).to_string())
            .collect(),
    );
    let deleted = flags(batch, "deleted");
    columns.push(
        (0..batch.num_rows())
            .map(|row| deleted.value(row).to_string())
            .collect(),
    );
    let rows = 0..batch.num_rows();
    rows.map(|row| columns.iter().map(|column| column[row].clone()).collect())
        .collect()
}

#[test]
fn cells_of_a_table_are_those_of_ls() {
    let folder = Scratch::new("cells-of-ls");
    let mut different: Vec<String> = Vec::new();
    for path in databases(&folder) {
        let progress = Arc::new(Progress::default());
        let items = items(&path);
        let mut options = ListOptions::default();
        options.threads = 1;
        options.selection.deleted = true;
        options.selection.texts = false;
        let mut expected = Vec::new();
        let render = |row: &ListRow<'_>, rows: &mut Vec<Vec<String>>| rows.push(cells_of_row(row));
        list(
            &items[0],
            &options,
            &render,
            &progress,
            &mut NoObserver,
            &mut |rows| {
                expected.append(rows);
                Ok(())
            },
        )
        .unwrap();
        let mut options = TableOptions::default();
        options.columns = GameColumns::parse("header").unwrap();
        options.plan.selection.deleted = true;
        let mut found = Vec::new();
        each_batch(&items, &options, &progress, &mut NoObserver, &mut |batch| {
            let is_text = flags(&batch, "is_text");
            let rows = cells_of_table(&batch).into_iter().enumerate();
            found.extend(
                rows.filter(|(row, _)| !is_text.value(*row))
                    .map(|(_, cells)| cells),
            );
            Ok(true)
        })
        .unwrap();
        assert_eq!(found.len(), expected.len(), "{}", path.display());
        for (found, expected) in found.iter_mut().zip(&expected) {
            // Si3 and other indexes do not have the annotator, which `ls` then leaves out; a tag of the game has.
            if expected[ANNOTATOR].is_empty() {
                found[ANNOTATOR].clear();
            }
            if found != expected {
                different.push(format!("{}: {found:?}, {expected:?}", path.display()));
            }
        }
    }
    assert_eq!(different, [""; 0]);
}

/// Only what the columns need is read of the games.
#[test]
fn a_column_does_not_depend_on_the_others() {
    let folder = Scratch::new("columns-alone");
    for path in databases(&folder) {
        let items = items(&path);
        let batch = |names: &str| {
            let mut options = TableOptions::default();
            options.columns = GameColumns::parse(names).unwrap();
            options.plan.selection.deleted = true;
            let mut batches = Vec::new();
            let progress = Arc::new(Progress::default());
            each_batch(&items, &options, &progress, &mut NoObserver, &mut |batch| {
                batches.push(batch);
                Ok(true)
            })
            .unwrap();
            assert!(batches.len() < 2);
            batches.pop()
        };
        let Some(all) = batch("+move_codes") else {
            continue;
        };
        for field in all.schema().fields() {
            let name = field.name();
            let alone = batch(name).unwrap();
            let expected = all.column_by_name(name).unwrap();
            assert_eq!(alone.column(0), expected, "{name} of {}", path.display());
        }
    }
}

/// The columns `header` as the database states them: moves are neither read nor tested. By name they are exact.
#[test]
fn headers_are_made_without_moves() {
    let folder = Scratch::new("stated-header");
    let pgn = folder.join("games.pgn");
    let text = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n";
    std::fs::write(&pgn, text).unwrap();
    let (mut undamaged, mut found) = (0, 0);
    for (main, moves) in [("games.si5", "games.sg5"), ("games.cbh", "games.cbg")] {
        let path = folder.join(main);
        convert_to(&pgn, &path);
        let plies = |columns: &str| {
            let mut options = TableOptions::default();
            options.columns = GameColumns::parse(columns).unwrap();
            let mut batches = Vec::new();
            let progress = Arc::new(Progress::default());
            let items = items(&path);
            each_batch(&items, &options, &progress, &mut NoObserver, &mut |batch| {
                batches.push(batch);
                Ok(true)
            })
            .unwrap();
            let number = |name: &str| {
                let column = batches[0].column_by_name(name).unwrap();
                column.as_primitive::<Int16Type>().value(0)
            };
            (number("ply_count"), number("problems"))
        };
        let file = folder.join(moves);
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!([plies("header"), plies("ply_count,problems")], [(6, 0); 2]);
        undamaged += 1;
        // Some of the damaged moves cannot be played and still have their length.
        for at in (0..bytes.len()).rev() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            std::fs::write(&file, damaged).unwrap();
            if plies("header") == (6, 0) {
                let (played, problems) = plies("ply_count,problems");
                found += u32::from(played < 6 && problems > 0);
                assert_eq!(plies("header,moves"), (played, problems));
            }
        }
    }
    assert_eq!(undamaged, 2);
    assert!(found > 1, "{found}");
}

/// Rows from the index of a database are those of games that are visited, whatever numbers their names have.
#[test]
fn rows_of_the_index_are_those_of_the_games() {
    let folder = Scratch::new("rows-of-the-index");
    let pgn = folder.join("games.pgn");
    let mut text = many_games(9000);
    text += "[White \"One, Two, Three\"]\n[Black \"?\"]\n[Date \"2001.02.31\"]\n[WhiteElo \"5000\"]\n[EventDate \"2001.02.01\"]\n\
             [Annotator \"N\"]\n[ECO \"B90/03\"]\n\n1. e4 (1. d4) $1 c5 *\n\n\
             [White \"A\"]\n[FEN \"8/8/8/4k3/8/4K3/4P3/8 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd3 *\n";
    std::fs::write(&pgn, text).unwrap();
    for main in [
        "games.cbh",
        "games.2cbh",
        "games.si3",
        "games.si4",
        "games.si5",
    ] {
        let path = folder.join(main);
        convert_to(&pgn, &path);
        let items = items(&path);
        for columns in [
            "header",
            "white,white_elo,date_text,annotator",
            "tags,fen,problems",
        ] {
            let table = |at_most| {
                let mut options = TableOptions::default();
                options.columns = GameColumns::parse(columns).unwrap();
                options.plan.threads = 2;
                options.plan.selection.deleted = true;
                // Heads of an index are not counted one by one.
                options.plan.at_most = at_most;
                let mut batches = Vec::new();
                let progress = Arc::new(Progress::default());
                each_batch(&items, &options, &progress, &mut NoObserver, &mut |batch| {
                    batches.push(batch);
                    Ok(true)
                })
                .unwrap();
                let data = batches.iter().flat_map(RecordBatch::columns);
                data.map(Array::to_data).collect::<Vec<_>>()
            };
            let is_equal = table(None) == table(Some(u64::MAX));
            assert!(is_equal, "{main}: {columns}");
        }
    }
}
