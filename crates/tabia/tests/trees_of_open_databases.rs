//! A tree is the same whether the caller has the database open or not, and whether an index or the games are counted.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::base::{Base, BaseOptions, IndexOptions, Tree, TreeOptions, build_index};
use tabia::list::{RowDetails, row_with};
use tabia::{
    Database, GameIndex, Index, InputItem, NoObserver, OpenInput, OpenOptions, Position, Progress,
    Query, Resolver,
};
use tabia_testkit::Scratch;

/// The games of the sample set in a folder of their own; one of them is marked as deleted.
fn sample(folder: &Scratch) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for file in std::fs::read_dir(samples).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name().to_str().unwrap())).unwrap();
    }
    folder.join("tabia.cbh")
}

fn item(path: &Path) -> InputItem {
    let mut found = Resolver::default().resolve(path.as_os_str()).unwrap();
    found.remove(0)
}

fn opened(path: &Path) -> Arc<dyn Database> {
    let opened = item(path).open_indexed(&OpenOptions::default()).unwrap();
    match opened.input {
        OpenInput::Database(database) => Arc::from(database),
        _ => panic!("no database"),
    }
}

/// What of games is asked: nothing, what the rows of an index decide, and other terms.
const QUERIES: [&str; 6] = [
    "",
    "avgelo:>=2200",
    "date:1850..1930 OR date:2020..",
    "-result:draw -date:..1900",
    "(result:1-0 OR elodiff:>0) -whiteelo:<1000",
    "date:1800.. player:a",
];

/// The trees of some positions, each with the games marked as deleted and without them.
fn trees(path: &Path, index: Index, database: Option<&Arc<dyn Database>>) -> Vec<Tree> {
    let mut found = Vec::new();
    for deleted in [false, true] {
        let mut options = BaseOptions::default();
        (options.index, options.deleted) = (index, deleted);
        let items = vec![item(path)];
        let base = Base::of_items(items, options, &Arc::default(), &mut NoObserver).unwrap();
        assert_eq!(base.has_index(0), index != Index::Never);
        if let Some(database) = database {
            base.share(0, database);
        }
        for line in ["", "e2e4", "e2e4 e7e5", "d2d4"] {
            let mut position = Position::standard();
            for text in line.split_whitespace() {
                let ply = tabia::core::chess::uci::read(&position, text.as_bytes());
                position.play_ply(ply.unwrap());
            }
            for query in QUERIES {
                let query = Query::parse(query).unwrap();
                let selected = base.select(&query, &Progress::new()).unwrap();
                let tree = base.tree(&position, &selected, &TreeOptions::default());
                found.push(tree.unwrap());
            }
        }
    }
    found
}

#[test]
fn trees_do_not_depend_on_who_opens_the_database() {
    let folder = Scratch::new("open-trees");
    let path = sample(&folder);
    let expected = trees(&path, Index::Never, None);
    assert!(expected[0].games > 0 && expected[4 * QUERIES.len()].games > expected[0].games);
    let database = opened(&path);
    assert_eq!(trees(&path, Index::Never, Some(&database)), expected);
    // It is read, and not opened again: the files are gone.
    let base = Base::of_items(
        vec![item(&path)],
        BaseOptions::default(),
        &Arc::default(),
        &mut NoObserver,
    );
    let base = base.unwrap();
    base.share(0, &database);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let tree = |base: &Base| {
        let selected = base.select(&Query::default(), &Progress::new()).unwrap();
        base.tree(&Position::standard(), &selected, &TreeOptions::default())
    };
    assert_eq!(tree(&base).unwrap(), expected[0]);
    // Nor is it kept open.
    drop(database);
    assert!(tree(&base).is_err());
}

#[test]
fn an_index_counts_what_the_games_have() {
    let folder = Scratch::new("index-trees");
    let path = sample(&folder);
    let expected = trees(&path, Index::Never, None);
    let mut options = IndexOptions::default();
    options.threads = 1;
    let progress = Arc::new(Progress::new());
    let built = build_index(&item(&path), &options, &progress, &mut NoObserver).unwrap();
    assert!(built.index.has_deleted().unwrap());
    let with_query = |number: usize| expected[number..].iter().step_by(QUERIES.len());
    for (number, query) in QUERIES.iter().enumerate().skip(1) {
        // Each query leaves some games and not all.
        let games = |number| -> u64 { with_query(number).map(|tree| tree.games).sum() };
        assert!((1..games(0)).contains(&games(number)), "{query}");
    }
    let counts = |trees: &[Tree]| -> Vec<Vec<(String, u64, u64)>> {
        let moves = |tree: &Tree| {
            let moves = tree.moves.iter();
            let moves = moves.map(|m| (m.san.clone(), m.games, m.child_games));
            moves.collect()
        };
        trees.iter().map(moves).collect()
    };
    assert_eq!(counts(&trees(&path, Index::Auto, None)), counts(&expected));
}

#[test]
fn rows_have_openings_and_medals_when_asked() {
    let folder = Scratch::new("row-details");
    let path = folder.join("a.pgn");
    let games = "1. e4 c5 {[%mdl 5]} (1... e5 {[%mdl 8]}) *\n\n1. a3 *\n\n";
    std::fs::write(&path, games).unwrap();
    let database = opened(&path);
    let mut reader = database.reader();
    let mut details = RowDetails::default();
    let row = row_with(&*database, &mut *reader, GameIndex(0), details).unwrap();
    assert_eq!((row.opening, row.medals), (None, 0));
    (details.opening, details.medals) = (true, true);
    let row = row_with(&*database, &mut *reader, GameIndex(0), details).unwrap();
    assert_eq!(row.opening.unwrap().name, "Sicilian Defense");
    assert_eq!(row.medals, 13);
    let row = row_with(&*database, &mut *reader, GameIndex(1), details).unwrap();
    assert_eq!(row.medals, 0);
}
