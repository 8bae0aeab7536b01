//! Three implementations of the rules agree about the positions of real and random games.

#![expect(clippy::print_stdout, reason = "reports the numbers of comparisons")]

use std::path::Path;

use tabia_oracle::{Comparison, for_each_game};
use tabia_testkit::shared_data_folder::shared_data;

/// Without optimisation only one game in ten is compared.
const STEP: u64 = if cfg!(debug_assertions) { 10 } else { 1 };

fn compare(path: &Path, step: u64) -> Comparison {
    let mut comparison = Comparison::default();
    let mut number = 0;
    let read = for_each_game(path, |game| {
        number += 1;
        if number % step == 0
            && let Err(disagreement) = comparison.game(&game)
        {
            panic!("{}, game {number}: {disagreement}", path.display());
        }
    });
    assert!(read.is_ok(), "{}: {read:?}", path.display());
    println!("{}: {comparison}", path.display());
    comparison
}

#[test]
fn ten_thousand_games_of_masters() {
    let Some(path) = shared_data("ten_thousand_games_of_masters", "pgn/m10k.pgn.zst") else {
        return;
    };
    let comparison = compare(&path, STEP);
    assert_eq!(comparison.games, 10_000 / STEP);
    assert_eq!((comparison.refused, comparison.cut), (0, 0));
}

#[test]
fn annotated_engine_online_and_chess960_games() {
    for folder in ["annotated", "chess960", "engine", "lichess", "misc"] {
        let name = "annotated_engine_online_and_chess960_games";
        let Some(path) = shared_data(name, &format!("pgn/{folder}")) else {
            return;
        };
        for file in tabia_testkit::shared_data_folder::files_below(&path) {
            compare(&file, STEP);
        }
    }
}

#[test]
fn random_games_from_all_chess960_starts() {
    let mut comparison = Comparison::default();
    for start in (0..960).step_by(STEP as usize) {
        if let Err(disagreement) = comparison.random_game(start, 160) {
            panic!("from start {start}: {disagreement}");
        }
    }
    println!("{comparison}");
    assert!(comparison.positions > 90_000 / STEP);
}

#[test]
fn long_random_games_from_the_standard_position() {
    let mut comparison = Comparison::default();
    for _ in 0..200 / STEP {
        if let Err(disagreement) = comparison.random_game(518, 600) {
            panic!("{disagreement}");
        }
    }
    println!("{comparison}");
}
