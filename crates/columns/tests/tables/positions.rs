//! The table `positions`.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, StringArray};
use tabia_columns::schema::Table;
use tabia_columns::write::TableOptions;

use crate::common::{batches, many_games, table};

fn options() -> TableOptions {
    let mut options = TableOptions::default();
    options.table = Table::Positions;
    options
}

#[test]
fn each_move_has_a_row() {
    let pgn = "[Result \"0-1\"]\n\n1. e4 {[%clk 0:01:00] [%eval 0.2]} e5 {[%eval #4]} (1... c5) 2. Nf3 0-1\n";
    let mut options = options();
    options.plies = 1..=2;
    options.fen = true;
    let batch = table(pgn, &options);
    assert_eq!(batch.num_rows(), 2);
    let column = |name| batch.column_by_name(name).unwrap();
    assert_eq!(column("game").as_primitive::<Int32Type>().values(), &[1, 1]);
    assert_eq!(column("ply").as_primitive::<Int16Type>().values(), &[1, 2]);
    let start = tabia::Position::standard();
    let key = column("key").as_primitive::<Int64Type>().value(0);
    assert_eq!(key.cast_unsigned() ^ (1 << 63), start.key());
    assert_eq!(column("fen").as_string::<i32>().value(0), start.fen());
    let moves = column("move").as_dictionary::<Int32Type>();
    let moves = moves.downcast_dict::<StringArray>().unwrap();
    let moves: Vec<&str> = moves.into_iter().flatten().collect();
    assert_eq!(moves, ["e2e4", "e7e5"]);
    let clocks = column("clock_ms").as_primitive::<Int32Type>();
    assert!(clocks.value(0) == 60_000 && clocks.is_null(1));
    assert_eq!(column("eval_cp").as_primitive::<Int16Type>().value(0), 20);
    assert_eq!(column("eval_mate").as_primitive::<Int16Type>().value(1), 4);
    assert_eq!(
        column("result").as_primitive::<Int8Type>().values(),
        &[-1, -1]
    );
}

#[test]
fn batches_are_cut_alike_on_any_number_of_threads() {
    let pgn = many_games(3000);
    let mut options = options();
    let (one, _) = batches(&pgn, &options);
    options.plan.threads = 3;
    let (three, _) = batches(&pgn, &options);
    assert_eq!(one, three);
    assert_eq!(
        one.iter()
            .map(arrow_array::RecordBatch::num_rows)
            .sum::<usize>(),
        6000
    );
}
