//! The cells of the table `games`.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int8Type, Int16Type, Int32Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, StringArray};
use tabia::{Feature, Profile};
use tabia_columns::schema::{GameColumns, Table, markdown, sql};
use tabia_columns::write::TableOptions;

use crate::common::{batches, table};

fn column<'b>(batch: &'b RecordBatch, name: &str) -> &'b ArrayRef {
    batch.column_by_name(name).unwrap()
}

/// A column of texts, with or without a dictionary.
fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let array = column(batch, name);
    match array.as_dictionary_opt::<Int32Type>() {
        Some(names) => {
            let names = names.downcast_dict::<StringArray>().unwrap();
            names
                .into_iter()
                .map(|name| name.map(str::to_owned))
                .collect()
        }
        None => array
            .as_string::<i32>()
            .iter()
            .map(|text| text.map(str::to_owned))
            .collect(),
    }
}

fn text(batch: &RecordBatch, name: &str) -> Option<String> {
    texts(batch, name).remove(0)
}

fn number<T: ArrowPrimitiveType>(batch: &RecordBatch, name: &str) -> Option<T::Native> {
    column(batch, name)
        .as_primitive::<T>()
        .iter()
        .next()
        .unwrap()
}

/// The list in the first row of a column of numbers.
fn list<T: ArrowPrimitiveType>(batch: &RecordBatch, name: &str) -> Option<Vec<Option<T::Native>>> {
    let lists = column(batch, name).as_list::<i32>();
    let is_valid = lists.is_valid(0);
    is_valid.then(|| lists.value(0).as_primitive::<T>().iter().collect())
}

fn moves(batch: &RecordBatch) -> Vec<String> {
    let list = column(batch, "moves").as_list::<i32>().value(0);
    let names = list.as_dictionary::<Int16Type>();
    let names = names.downcast_dict::<StringArray>().unwrap();
    names
        .into_iter()
        .map(|name| name.unwrap().to_owned())
        .collect()
}

fn tags(batch: &RecordBatch) -> Vec<(String, String)> {
    let pairs = column(batch, "tags").as_map().value(0);
    let text = |column: usize| pairs.column(column).as_string::<i32>().clone();
    let (names, values) = (text(0), text(1));
    let names = names.iter().map(|name| name.unwrap().to_owned());
    names
        .zip(values.iter().map(|value| value.unwrap().to_owned()))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    expected.iter().map(owned).collect()
}

#[test]
fn tags_have_columns_of_their_own() {
    let pgn = r#"[Event "Rated game"]
[Site "?"]
[Date "2013.09.??"]
[Round "-"]
[White "A, B"]
[Black "C"]
[Result "1-0"]
[WhiteElo "2700"]
[BlackElo "?"]
[WhiteTitle "GM"]
[WhiteFideId "1503014"]
[ECO "B90"]
[Opening "Sicilian"]
[TimeControl "180+2"]
[Termination "Normal"]
[UTCTime "01:02:03"]
[WhiteTeam "Here"]
[Annotator "D"]
[PlyCount "1"]
[EventDate "2013.09.01"]

1. e4 1-0
"#;
    let batch = table(pgn, &TableOptions::default());
    for (name, expected) in [
        ("source", Some("games.pgn")),
        ("event", Some("Rated game")),
        ("site", None),
        ("round", Some("-")),
        ("white", Some("A, B")),
        ("black", Some("C")),
        ("result", Some("1-0")),
        ("white_title", Some("GM")),
        ("black_title", None),
        ("white_team", Some("Here")),
        ("annotator", Some("D")),
        ("date_text", Some("2013.09.??")),
        ("eco", Some("B90")),
        ("opening", Some("Sicilian")),
        ("time_control", Some("180+2")),
        ("speed", Some("blitz")),
        ("termination", Some("Normal")),
        ("variant", Some("standard")),
        ("fen", None),
    ] {
        assert_eq!(text(&batch, name).as_deref(), expected, "{name}");
    }
    assert_eq!(number::<Int32Type>(&batch, "game"), Some(1));
    assert_eq!(number::<Int16Type>(&batch, "white_elo"), Some(2700));
    assert_eq!(number::<Int16Type>(&batch, "black_elo"), None);
    assert_eq!(number::<Int32Type>(&batch, "white_fide_id"), Some(1503014));
    assert_eq!(number::<Int16Type>(&batch, "year"), Some(2013));
    assert_eq!(number::<Int8Type>(&batch, "month"), Some(9));
    assert_eq!(number::<Int8Type>(&batch, "day"), None);
    assert_eq!(number::<Date32Type>(&batch, "date"), None);
    assert_eq!(number::<Int32Type>(&batch, "utc_time_s"), Some(3723));
    assert_eq!(number::<Int32Type>(&batch, "initial_s"), Some(180));
    assert_eq!(number::<Int16Type>(&batch, "increment_s"), Some(2));
    assert_eq!(number::<Int16Type>(&batch, "ply_count"), Some(1));
    assert_eq!(number::<Int16Type>(&batch, "problems"), Some(0));
    assert_eq!(
        tags(&batch),
        pairs(&[("PlyCount", "1"), ("EventDate", "2013.09.01")])
    );
}

#[test]
fn values_that_do_not_fit_their_column_are_tags() {
    let pgn = r#"[White "A"]
[White "B"]
[WhiteElo "2700?"]
[BlackElo "9999"]
[BlackFideId "-1"]
[UTCTime "25:00:00"]
[Date "1950.02.31"]
[Result "0-1"]

1. e4 1-0
"#;
    let batch = table(pgn, &TableOptions::default());
    assert_eq!(text(&batch, "white").as_deref(), Some("A"));
    assert_eq!(text(&batch, "result").as_deref(), Some("1-0"));
    assert_eq!(number::<Int16Type>(&batch, "black_elo"), None);
    assert_eq!(number::<Int8Type>(&batch, "day"), Some(31));
    assert_eq!(number::<Date32Type>(&batch, "date"), None);
    let expected = pairs(&[
        ("White", "B"),
        ("WhiteElo", "2700?"),
        ("BlackElo", "9999"),
        ("BlackFideId", "-1"),
        ("UTCTime", "25:00:00"),
        ("Result", "0-1"),
    ]);
    assert_eq!(tags(&batch), expected);
}

#[test]
fn complete_dates_are_days() {
    for (date, days) in [
        ("1970.01.02", Some(1)),
        ("2000.02.29", Some(11016)),
        ("1900.02.29", None),
        ("1851.06.21", Some(-43293)),
    ] {
        let pgn = format!("[Date \"{date}\"]\n\n1. e4 *\n");
        let batch = table(&pgn, &TableOptions::default());
        assert_eq!(number::<Date32Type>(&batch, "date"), days, "{date}");
    }
}

#[test]
fn the_mainline_has_a_value_for_each_ply() {
    let pgn = "1. e4 {[%eval 0.31,20] [%clk 0:03:00.5] good} e5 $1 $14 2. -- {[%eval #-3]} \
               (2. Nf3 {never $2}) 2... Nc6 {[%clk 0:02:59] [%emt 0:00:01]} *\n";
    let mut options = TableOptions::default();
    options.columns = GameColumns::parse("+move_codes").unwrap();
    let (found, summary) = batches(pgn, &options);
    let batch = &found[0];
    assert_eq!(moves(batch), ["e2e4", "e7e5", "0000", "b8c6"]);
    let codes = [12 + 64 * 28, 52 + 64 * 36, 0, 57 + 64 * 42]
        .map(Some)
        .to_vec();
    assert_eq!(list::<Int16Type>(batch, "move_codes"), Some(codes));
    let clocks = vec![Some(180_500), None, None, Some(179_000)];
    assert_eq!(list::<Int32Type>(batch, "clocks_ms"), Some(clocks));
    let elapsed = vec![None, None, None, Some(1000)];
    assert_eq!(list::<Int32Type>(batch, "elapsed_ms"), Some(elapsed));
    let centipawns = vec![Some(31), None, None, None];
    assert_eq!(list::<Int16Type>(batch, "evals_cp"), Some(centipawns));
    let mates = vec![None, None, Some(-3), None];
    assert_eq!(list::<Int16Type>(batch, "evals_mate"), Some(mates));
    let depths = vec![Some(20), None, None, None];
    assert_eq!(list::<Int16Type>(batch, "evals_depth"), Some(depths));
    let nags = column(batch, "nags").as_list::<i32>().value(0);
    let nags: Vec<Vec<i16>> = nags
        .as_list::<i32>()
        .iter()
        .map(|list| list.unwrap().as_primitive::<Int16Type>().values().to_vec())
        .collect();
    assert_eq!(nags, [vec![], vec![1, 14], vec![], vec![]]);
    let comments = column(batch, "comments").as_list::<i32>().value(0);
    let comments: Vec<Option<&str>> = comments.as_string::<i32>().iter().collect();
    assert_eq!(comments, [Some("good"), None, None, None]);
    for flag in ["has_variations", "has_comments", "has_nags"] {
        assert!(column(batch, flag).as_boolean().value(0), "{flag}");
    }
    assert_eq!(summary.losses.count(Feature::Variations), 1);
    assert_eq!(summary.losses.iter().count(), 1);
}

#[test]
fn a_game_without_values_has_null_lists() {
    let pgn = "1. e4 {[%clk 0:01:00]} *\n\n[White \"B\"]\n\n1. d4 *\n";
    let batch = table(pgn, &TableOptions::default());
    let clocks = column(&batch, "clocks_ms").as_list::<i32>();
    assert!(clocks.is_valid(0) && clocks.is_null(1));
    for name in [
        "elapsed_ms",
        "evals_cp",
        "evals_mate",
        "evals_depth",
        "nags",
        "comments",
    ] {
        assert_eq!(column(&batch, name).null_count(), 2, "{name}");
    }
}

#[test]
fn castling_takes_the_rook_only_in_chess960() {
    let movetext = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O *\n";
    let batch = table(movetext, &TableOptions::default());
    assert_eq!(moves(&batch).last().unwrap(), "e1g1");
    let chess960 = format!("[Variant \"Chess960\"]\n\n{movetext}");
    let batch = table(&chess960, &TableOptions::default());
    assert_eq!(moves(&batch).last().unwrap(), "e1h1");
    assert_eq!(text(&batch, "variant").as_deref(), Some("chess960"));
    assert_eq!(tags(&batch), []);
}

#[test]
fn setup_positions_are_fen() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let pgn = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *\n");
    let batch = table(&pgn, &TableOptions::default());
    assert_eq!(text(&batch, "fen").as_deref(), Some(fen));
    assert_eq!(tags(&batch), []);
}

#[test]
fn problems_are_counted_in_their_row() {
    let pgn = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"C\"]\n\n1. d4 *\n";
    let (found, summary) = batches(pgn, &TableOptions::default());
    let problems = column(&found[0], "problems").as_primitive::<Int16Type>();
    assert_eq!(problems.values(), &[0, 1, 0]);
    let plies = column(&found[0], "ply_count").as_primitive::<Int16Type>();
    assert_eq!(plies.values(), &[1, 2, 1]);
    assert_eq!(summary.problems, 1);
}

#[test]
fn the_column_pgn_has_everything() {
    let pgn = "[White \"A\"]\n\n{before} 1. e4 (1. d4 d5) e5 {[%cal Ge2e4]} *\n";
    let mut options = TableOptions::default();
    options.with_pgn = Some(Profile::Full);
    let (found, summary) = batches(pgn, &options);
    assert!(summary.losses.is_empty(), "{:?}", summary.losses);
    let stored = text(&found[0], "pgn").unwrap();
    let read = |text: String| {
        let mut games = tabia::open_reader(std::io::Cursor::new(text))
            .unwrap()
            .games();
        games.next().unwrap().unwrap()
    };
    let mut again = read(stored);
    // The full profile writes the seven tags; the rest is equal.
    let game = read(pgn.to_owned());
    again.head.tags.retain(|name, _| name == "White");
    assert_eq!(again, game);
}

#[test]
fn one_language_of_comments_is_chosen() {
    let folder = tabia_testkit::Scratch::new("languages");
    let path = folder.join("games.pgn");
    let pgn = "1. e4 {[%lang de] gut} {[%lang en] good} *\n";
    std::fs::write(&path, pgn).unwrap();
    let all = {
        let mut options = TableOptions::default();
        options.all_comments = true;
        table(pgn, &options)
    };
    let one = table(pgn, &TableOptions::default());
    let comment = |batch: &RecordBatch| {
        let list = column(batch, "comments").as_list::<i32>().value(0);
        list.as_string::<i32>().value(0).to_owned()
    };
    assert!(comment(&all).contains("gut") && comment(&all).contains("good"));
    assert!(comment(&one).contains("good"));
}

#[test]
fn columns_are_chosen_by_name() {
    let mut options = TableOptions::default();
    options.columns = GameColumns::header();
    let batch = table("1. e4 *\n", &options);
    assert_eq!(batch.schema().fields().last().unwrap().name(), "tags");
    options.columns = GameColumns::parse("moves, game").unwrap();
    let batch = table("1. e4 *\n", &options);
    let names: Vec<&String> = batch
        .schema_ref()
        .fields()
        .iter()
        .map(|field| field.name())
        .collect();
    assert_eq!(names, ["game", "moves"]);
    assert!(GameColumns::parse("").is_err());
}

#[test]
fn tables_describe_themselves() {
    for table in Table::ALL {
        assert_eq!(Table::parse(table.name()), Some(table));
        assert_eq!(markdown(table).lines().count(), table.columns().len() + 2);
        assert_eq!(sql(table).lines().count(), table.columns().len() + 2);
    }
}

#[test]
fn the_guide_has_the_tables() {
    let page = tabia_testkit::repository().join("docs/guide/columns.md");
    let page = std::fs::read_to_string(page).unwrap();
    for table in [Table::Games, Table::Positions] {
        assert!(page.contains(&markdown(table)), "{}", markdown(table));
    }
}
