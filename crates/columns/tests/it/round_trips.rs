//! Tables of databases of every readable format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::formats::{Format, formats};
use tabia::{Error, Game, NoObserver, Profile, Progress};
use tabia_columns::schema::GameColumns;
use tabia_columns::write::{TableFile, TableOptions, each_batch};
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, repository, shared_data};

use crate::common::{items, write};
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
            found.push(path);
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
