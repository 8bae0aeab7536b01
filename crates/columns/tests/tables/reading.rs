//! Tables back to games.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int16Builder, ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Float64Array, Int16Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tabia::formats::formats;
use tabia::{Error, Event, Game, InputItem, NoObserver, Position, Profile, Progress, Resolver};
use tabia_columns::read;
use tabia_columns::schema::GameColumns;
use tabia_columns::write::{TableFile, TableOptions, write_table};
use tabia_testkit::{Random, Scratch, repository};

use crate::common::{items, write, write_batch};

/// A resolver that knows tables.
pub(crate) fn resolver() -> Resolver {
    Resolver::new(formats().chain(read::formats()))
}

pub(crate) fn item(path: &Path) -> InputItem {
    resolver().resolve(path.as_os_str()).unwrap().remove(0)
}

/// The games of a table, read on some threads, and the problems.
pub(crate) fn games(path: &Path, threads: usize) -> Result<(Vec<Game>, Vec<String>), Error> {
    let folder = Scratch::new("back");
    let pgn = folder.join("games.pgn");
    let mut options = tabia::convert::ConvertOptions::default();
    options.create.profile = Profile::Full;
    options.plan.threads = threads;
    options.plan.selection.deleted = true;
    let resolver = resolver();
    let target = tabia::convert::Target::file(&resolver, &pgn, None)?;
    let progress = Arc::new(Progress::default());
    let mut problems = Problems::default();
    tabia::convert::convert(&[item(path)], target, &options, &progress, &mut problems)?;
    let games = tabia::open(&pgn)?
        .games()
        .collect::<Result<Vec<Game>, Error>>()?;
    Ok((games, problems.0))
}

#[derive(Default)]
struct Problems(Vec<String>);

impl tabia::Observer for Problems {
    fn problem(&mut self, _: &InputItem, problem: &tabia::Problem) -> tabia::Result<()> {
        self.0.push(problem.error.to_string());
        Ok(())
    }
}

/// The games of a file, written as PGN and read again, so that both sides have the same tags.
fn as_pgn(path: &Path) -> Vec<Game> {
    games(path, 1).unwrap().0
}

fn moves(game: &Game) -> Vec<String> {
    let mainline = game.mainline().with_positions();
    mainline
        .map(|(before, ply)| before.san(ply).to_string())
        .collect()
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn games_with_their_pgn_come_back_equal() {
    let folder = Scratch::new("reading");
    let sample = repository().join("samples/tabia.cbh");
    let table = folder.join("x.parquet");
    let mut options = TableOptions::default();
    options.with_pgn = Some(Profile::Full);
    options.plan.selection.deleted = true;
    write(&sample, TableFile::Parquet(table.clone()), &options).unwrap();
    let before = as_pgn(&sample);
    let (after, problems) = games(&table, 2).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert!(!before.is_empty());
    assert_eq!(after, before);
}

/// As `DuckDB`, Polars and pandas write a table that they have read.
fn rewrite_without_metadata(from: &Path, to: &Path) {
    let file = std::fs::File::open(from).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = Arc::new(Schema::new(builder.schema().fields().clone()));
    let file = std::fs::File::create(to).unwrap();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), None).unwrap();
    for batch in builder.build().unwrap() {
        let columns = batch.unwrap().columns().to_vec();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn parts_of_dates_are_dates_in_any_table() {
    let folder = Scratch::new("reading");
    let path = folder.join("parts.parquet");
    let moves = ("moves", texts(&["e2e4", "d2d4"]));
    write_batch(
        &path,
        vec![
            ("white", texts(&["a", "b"])),
            (
                "year",
                Arc::new(Float64Array::from(vec![Some(1858.0), None])),
            ),
            ("month", Arc::new(Int16Array::from(vec![Some(11), None]))),
            moves.clone(),
        ],
    );
    let found = games(&path, 1).unwrap().0;
    let dates: Vec<_> = found
        .iter()
        .map(|game| game.head.tags.text("Date").to_owned())
        .collect();
    assert_eq!(dates, ["1858.11.??", ""]);
    // Next to a date they are something else.
    let date = ("date", texts(&["2001.02.03", "2001.02.04"]));
    let year = ("year", Arc::new(Int16Array::from(vec![1, 2])) as ArrayRef);
    write_batch(
        &path,
        vec![("white", texts(&["a", "b"])), date, year, moves],
    );
    let found = games(&path, 1).unwrap().0;
    assert_eq!(found[0].head.tags.text("Date"), "2001.02.03");
    assert_eq!(found[0].head.tags.text("year"), "1");
}

#[test]
fn moves_from_a_position_that_cannot_be_read_are_not_played() {
    let folder = Scratch::new("reading");
    let path = folder.join("fen.parquet");
    write_batch(
        &path,
        vec![
            ("white", texts(&["a"])),
            ("fen", texts(&["junk"])),
            ("moves", texts(&["e2e4"])),
        ],
    );
    let (games, problems) = games(&path, 1).unwrap();
    assert_eq!(moves(&games[0]), Vec::<String>::new());
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn a_table_without_rows_is_a_database_without_games() {
    let folder = Scratch::new("reading");
    let path = folder.join("empty.parquet");
    write_batch(&path, vec![("white", texts(&[])), ("moves", texts(&[]))]);
    assert!(games(&path, 1).unwrap().0.is_empty());
}

#[test]
fn tables_of_our_own_keep_what_columns_hold() {
    let folder = Scratch::new("reading");
    let pgn = folder.join("games.pgn");
    let text = r#"[Event "Cup"]
[Site "Here"]
[Date "2013.09.??"]
[Round "1.2"]
[White "A \"x\" \\ B"]
[Black "C"]
[Result "1-0"]
[WhiteElo "2700"]
[ECO "B90"]
[UTCTime "01:02:03"]
[TimeControl "180+2"]
[EventDate "2013.09.01"]

1. e4 $1 {[%clk 0:03:00.5] [%eval 0.31,20] good} e5 {[%eval #-3]} 2. -- Nc6 {[%emt 0:00:01]} 1-0

[Event "Cup"]
[Site "Here"]
[Date "????.??.??"]
[Round "2"]
[White "D"]
[Black "E"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Ke7 1/2-1/2

[Event "Cup"]
[Site "Here"]
[Date "2020.01.02"]
[Round "3"]
[White "F"]
[Black "G"]
[Result "0-1"]
[Variant "Chess960"]

1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O 0-1
"#;
    std::fs::write(&pgn, text).unwrap();
    let table = folder.join("x.parquet");
    let summary = write(
        &pgn,
        TableFile::Parquet(table.clone()),
        &TableOptions::default(),
    )
    .unwrap();
    assert!(summary.losses.is_empty(), "{:?}", summary.losses);
    let (mut after, problems) = games(&table, 1).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    let plain = folder.join("plain.parquet");
    rewrite_without_metadata(&table, &plain);
    assert_eq!(games(&plain, 1).unwrap().0, after);
    let mut before = as_pgn(&pgn);
    for game in before.iter_mut().chain(&mut after) {
        let mut pairs: Vec<(String, String)> = game
            .head
            .tags
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        // They follow from the setup position.
        pairs.retain(|(name, _)| name != "FEN" && name != "SetUp");
        pairs.sort();
        game.head.tags = pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
    }
    assert_eq!(after, before);
}

#[test]
fn a_database_is_made_of_a_table_on_any_number_of_threads() {
    let folder = Scratch::new("reading");
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, crate::common::many_games(3000)).unwrap();
    let table = folder.join("x.parquet");
    write(
        &pgn,
        TableFile::Parquet(table.clone()),
        &TableOptions::default(),
    )
    .unwrap();
    let (one, _) = games(&table, 1).unwrap();
    let (three, _) = games(&table, 3).unwrap();
    assert_eq!(one.len(), 3000);
    assert_eq!(one, three);
    let database = folder.join("x.si5");
    let target = tabia::convert::Target::file(&resolver(), &database, None).unwrap();
    let progress = Arc::new(Progress::default());
    let options = tabia::convert::ConvertOptions::default();
    tabia::convert::convert(
        &[item(&table)],
        target,
        &options,
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    assert_eq!(tabia::open(&database).unwrap().games().count(), 3000);
}

#[test]
fn the_index_answers_queries() {
    let folder = Scratch::new("reading");
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, crate::common::many_games(1000)).unwrap();
    let table = folder.join("x.parquet");
    write(
        &pgn,
        TableFile::Parquet(table.clone()),
        &TableOptions::default(),
    )
    .unwrap();
    let query = "result:1-0 date:2000..";
    let mut options = TableOptions::default();
    options.plan.filter = Some(tabia::Query::parse(query).unwrap());
    let count = |items: &[InputItem]| {
        let progress = Arc::new(Progress::default());
        let file = TableFile::Parquet(folder.join("y.parquet"));
        let written = write_table(items, file, &options, true, &progress, &mut NoObserver);
        written.unwrap().0.counts.games
    };
    let expected = count(&items(&pgn));
    assert!(expected > 0);
    assert_eq!(count(&[item(&table)]), expected);
}

#[test]
fn tables_of_lichess_are_read() {
    let folder = Scratch::new("reading");
    let path = folder.join("lichess.parquet");
    write_batch(
        &path,
        vec![
            ("Event", texts(&["Rated Blitz game", "Rated Blitz game"])),
            ("White", texts(&["a", "b"])),
            ("Black", texts(&["c", "d"])),
            ("Result", texts(&["1-0", "1/2-1/2"])),
            (
                "WhiteElo",
                Arc::new(Int16Array::from(vec![Some(1500), None])),
            ),
            (
                "WhiteRatingDiff",
                Arc::new(Float64Array::from(vec![5.0, -3.0])),
            ),
            ("UTCDate", Arc::new(Date32Array::from(vec![16_984, 16_985]))),
            (
                "movetext",
                texts(&["1. e4 { [%clk 0:03:00] } e5 2. Nf3 1-0", "1. d4 *"]),
            ),
        ],
    );
    let (games, problems) = games(&path, 1).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(games.len(), 2);
    assert_eq!(moves(&games[0]), ["e4", "e5", "Nf3"]);
    assert_eq!(games[0].tag("WhiteElo"), Some("1500"));
    assert_eq!(games[0].tag("WhiteRatingDiff"), Some("5"));
    assert_eq!(games[0].tag("UTCDate"), Some("2016.07.02"));
    assert_eq!(games[1].tag("Date"), Some("2016.07.03"));
    assert!(
        games[0]
            .events()
            .any(|event| matches!(event, Event::Annotation(_)))
    );
    assert_eq!(games[1].tag("WhiteElo"), None);
}

#[test]
fn tables_of_aix_are_read() {
    let folder = Scratch::new("reading");
    let path = folder.join("aix.parquet");
    let list = |values: &[i16]| {
        let mut builder = ListBuilder::new(Int16Builder::new());
        builder.values().append_slice(values);
        builder.append(true);
        Arc::new(builder.finish()) as ArrayRef
    };
    write_batch(
        &path,
        vec![
            ("white", texts(&["a"])),
            ("black", texts(&["b"])),
            ("white_rating", Arc::new(Int16Array::from(vec![2500]))),
            ("uci", texts(&["e2e4 e7e5 e1e2"])),
            ("clocks_white", list(&[60, 59])),
            ("clocks_black", list(&[58])),
            ("evals", list(&[20, -32_764, 0])),
            ("result", texts(&["0-1"])),
        ],
    );
    let (games, problems) = games(&path, 1).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    let game = &games[0];
    assert_eq!(game.tag("WhiteElo"), Some("2500"));
    assert_eq!(moves(game), ["e4", "e5", "Ke2"]);
    let nodes: Vec<_> = game.root().moves().collect();
    let seconds: Vec<u64> = nodes
        .iter()
        .map(|node| node.clock().unwrap().as_secs())
        .collect();
    assert_eq!(seconds, [60, 58, 59]);
    let mate = nodes[1].eval().unwrap().score;
    assert_eq!(mate, tabia::core::game::Score::Mate(-3));
}

/// A random game with clocks of whole seconds and an evaluation for each ply, in the columns of other programs.
struct MadeGame {
    /// Tag pairs in PGN's order.
    tags: Vec<(&'static str, String)>,
    /// As Lichess writes it.
    movetext: String,
    uci: Vec<String>,
    seconds: [Vec<i16>; 2],
    /// A mate in n is 32,767 - n.
    evals: Vec<i16>,
}

impl MadeGame {
    fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let result = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
        let date = format!(
            "{}.{:02}.{:02}",
            2013 + random.below(12),
            1 + random.below(12),
            1 + random.below(28)
        );
        let mut tags = vec![
            (
                "Event",
                random
                    .pick(&["Rated Blitz game", "Cup \"A\"", "Open \\ 1"])
                    .to_owned(),
            ),
            ("Site", format!("https://lichess.org/{seed:08x}")),
            ("Date", date.clone()),
            ("Round", "-".to_owned()),
            ("White", format!("Müller {}", random.below(300))),
            ("Black", format!("Player-{}", random.below(300))),
            ("Result", result.to_owned()),
            ("UTCDate", date),
            (
                "UTCTime",
                format!("{:02}:{:02}:59", random.below(24), random.below(60)),
            ),
            ("ECO", format!("B{:02}", random.below(100))),
            ("Termination", "Normal".to_owned()),
            (
                "TimeControl",
                random.pick(&["180+2", "60+0", "-"]).to_owned(),
            ),
        ];
        for name in ["WhiteElo", "BlackElo"] {
            if !random.one_in(10) {
                tags.push((name, (600 + random.below(2400)).to_string()));
            }
        }
        let mut game = Self {
            tags,
            movetext: String::new(),
            uci: Vec::new(),
            seconds: [Vec::new(), Vec::new()],
            evals: Vec::new(),
        };
        let mut position = Position::standard();
        for ply in 0..random.below(80) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = random.pick(&moves);
            let second = random.below(7200) as i16;
            let (eval, text) = if random.one_in(4) {
                let moves = 1 + random.below(30) as i16;
                let sign = random.pick(&[1, -1]);
                (sign * (32_767 - moves), format!("#{}", sign * moves))
            } else {
                let score = random.below(2001) as i16 - 1000;
                let sign = if score < 0 { "-" } else { "" };
                let (pawns, rest) = (score.abs() / 100, score.abs() % 100);
                (score, format!("{sign}{pawns}.{rest:02}"))
            };
            let dots = if ply % 2 == 0 { "." } else { "..." };
            write!(
                game.movetext,
                "{}{dots} {} {{ [%eval {text}] [%clk {}:{:02}:{:02}] }} ",
                ply / 2 + 1,
                position.san(m),
                second / 3600,
                second / 60 % 60,
                second % 60
            )
            .unwrap();
            let mut uci = Vec::new();
            tabia::core::chess::uci::write(m, false, &mut uci);
            game.uci.push(String::from_utf8(uci).unwrap());
            game.seconds[ply % 2].push(second);
            game.evals.push(eval);
            position.play(m);
        }
        game.movetext += result;
        game
    }

    fn pgn(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(text, "[{name} \"{value}\"]").unwrap();
        }
        text + "\n" + &self.movetext + "\n\n"
    }

    fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(known, _)| *known == name);
        tag.map(|(_, value)| value.as_str())
    }
}

/// Tag pairs in the order of their names, and everything else in its order.
fn contents(game: &Game) -> (Vec<(String, String)>, Vec<String>) {
    let tags = game.head.tags.iter();
    let mut tags: Vec<_> = tags
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    tags.sort();
    // Evaluations are before clocks in Lichess' comments, and columns have no such order.
    let mut ply: Vec<String> = Vec::new();
    let mut events = Vec::new();
    for event in game.events() {
        match event {
            Event::Annotation(annotation) => ply.push(format!("{annotation:?}")),
            other => {
                ply.sort();
                events.append(&mut ply);
                events.push(format!("{other:?}"));
            }
        }
    }
    ply.sort();
    events.append(&mut ply);
    (tags, events)
}

#[test]
fn a_thousand_games_come_back_from_layouts_of_others() {
    let folder = Scratch::new("reading");
    let made: Vec<MadeGame> = (0..1000).map(MadeGame::new).collect();
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, made.iter().map(MadeGame::pgn).collect::<String>()).unwrap();
    let expected = as_pgn(&pgn);
    assert_eq!(expected.len(), 1000);
    let column = |name: &str| -> ArrayRef {
        Arc::new(
            made.iter()
                .map(|game| game.tag(name))
                .collect::<StringArray>(),
        )
    };
    let elo = |name: &str| -> ArrayRef {
        let parsed = made.iter().map(|game| game.tag(name)?.parse::<i16>().ok());
        Arc::new(parsed.collect::<Int16Array>())
    };
    let movetext = StringArray::from_iter_values(made.iter().map(|game| &game.movetext));
    let names = [
        "Event",
        "Site",
        "Date",
        "Round",
        "White",
        "Black",
        "Result",
        "UTCDate",
        "UTCTime",
        "ECO",
        "Termination",
        "TimeControl",
    ];
    let mut lichess: Vec<(&str, ArrayRef)> =
        names.iter().map(|name| (*name, column(name))).collect();
    lichess.extend(["WhiteElo", "BlackElo"].map(|name| (name, elo(name))));
    let mut aix = lichess.clone();
    lichess.push(("movetext", Arc::new(movetext)));
    let list = |values: &dyn Fn(&MadeGame) -> Vec<i16>| {
        let mut builder = ListBuilder::new(Int16Builder::new());
        for game in &made {
            builder.values().append_slice(&values(game));
            builder.append(true);
        }
        Arc::new(builder.finish()) as ArrayRef
    };
    for (name, _) in &mut aix {
        match *name {
            "WhiteElo" => *name = "white_rating",
            "BlackElo" => *name = "black_rating",
            "TimeControl" => *name = "time_control",
            _ => {}
        }
    }
    let uci = made.iter().map(|game| game.uci.join(" "));
    aix.push(("uci", Arc::new(StringArray::from_iter_values(uci))));
    aix.push(("clocks_white", list(&|game| game.seconds[0].clone())));
    aix.push(("clocks_black", list(&|game| game.seconds[1].clone())));
    aix.push(("evals", list(&|game| game.evals.clone())));
    for (name, columns) in [("lichess", lichess), ("aix", aix)] {
        let path = folder.join(format!("{name}.parquet"));
        write_batch(&path, columns);
        let (games, problems) = games(&path, 2).unwrap();
        assert_eq!(problems, Vec::<String>::new(), "{name}");
        assert_eq!(games.len(), expected.len(), "{name}");
        for (number, (game, expected)) in games.iter().zip(&expected).enumerate() {
            assert_eq!(contents(game), contents(expected), "{name}: game {number}");
        }
    }
}

/// Moves in SAN and movetext are read whatever the column is called, and the numbers of our own tables.
#[test]
fn moves_in_every_form_are_read() {
    let folder = Scratch::new("reading");
    let list = |moves: &[&str]| {
        let mut builder = ListBuilder::new(StringBuilder::new());
        for text in moves {
            builder.values().append_value(text);
        }
        builder.append(true);
        Arc::new(builder.finish()) as ArrayRef
    };
    for (name, column) in [
        ("san", list(&["e4", "e5", "Nf3"])),
        ("moves", list(&["e4", "e5", "Nf3"])),
        ("uci", list(&["e2e4", "e7e5", "g1f3"])),
        ("moves", texts(&["e4 e5 Nf3"])),
        ("moves", texts(&["1. e4 e5 2. Nf3 {a} *"])),
        ("san", texts(&["1.e4 e5 2.Nf3"])),
    ] {
        let path = folder.join("moves.parquet");
        write_batch(&path, vec![(name, column)]);
        let (games, problems) = games(&path, 1).unwrap();
        assert_eq!(problems, Vec::<String>::new(), "{name}");
        assert_eq!(moves(&games[0]), ["e4", "e5", "Nf3"], "{name}");
    }

    let pgn = folder.join("codes.pgn");
    std::fs::write(&pgn, "[Event \"a\"]\n\n1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Rg8 5. hxg8=N -- 6. Nf3 Bg7 7. Rh8 *\n").unwrap();
    let path = folder.join("codes.parquet");
    let mut options = TableOptions::default();
    options.columns = GameColumns::parse("event,move_codes").unwrap();
    write(&pgn, TableFile::Parquet(path.clone()), &options).unwrap();
    let (table, problems) = games(&path, 1).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(moves(&table[0]), moves(&as_pgn(&pgn)[0]));
    assert_eq!(moves(&table[0]).len(), 13);
}

#[test]
fn bad_rows_are_problems() {
    let folder = Scratch::new("reading");
    let path = folder.join("bad.parquet");
    let mut lists = ListBuilder::new(StringBuilder::new());
    for list in [Some(vec!["e2e4", "e2e4"]), None, Some(vec!["d2d4"])] {
        match list {
            Some(moves) => {
                for text in moves {
                    lists.values().append_value(text);
                }
                lists.append(true);
            }
            None => lists.append(false),
        }
    }
    let mut clocks = ListBuilder::new(Int16Builder::new());
    for length in [2, 0, 5] {
        clocks.values().append_slice(&vec![1; length]);
        clocks.append(true);
    }
    write_batch(
        &path,
        vec![
            ("white", texts(&["a", "b", "c"])),
            ("moves", Arc::new(lists.finish())),
            ("clocks_ms", Arc::new(clocks.finish())),
            ("result", texts(&["1-0", "*", "2-0"])),
        ],
    );
    let (games, problems) = games(&path, 1).unwrap();
    assert_eq!(games.len(), 3);
    assert_eq!(moves(&games[0]), ["e4"]);
    let expected = [
        "`e2e4` is no legal move",
        "its moves are null",
        "`2-0` is no result",
        "`clocks_ms` is not as long",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_decoded_and_reported() {
    let folder = Scratch::new("reading");
    let path = folder.join("bytes.parquet");
    let names: [&[u8]; 3] = [b"M\xfcller", "Müller".as_bytes(), b"Miller"];
    let mut comments = ListBuilder::new(BinaryBuilder::new());
    for text in [b"good".as_slice(), b"good", b"caf\xe9"] {
        comments.values().append_value(text);
        comments.append(true);
    }
    write_batch(
        &path,
        vec![
            ("white", Arc::new(BinaryArray::from(names.to_vec()))),
            ("moves", texts(&["e2e4", "d2d4", "c2c4"])),
            ("comments", Arc::new(comments.finish())),
        ],
    );
    for threads in [1, 2] {
        let (games, problems) = games(&path, threads).unwrap();
        let white: Vec<_> = games
            .iter()
            .map(|game| game.tag("White").unwrap_or_default())
            .collect();
        assert_eq!(white, ["Müller", "Müller", "Miller"]);
        assert_eq!(moves(&games[2]), ["c4"]);
        assert!(format!("{:?}", games[2]).contains("café"));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("game 1") && problems[0].contains("`white` is not UTF-8"));
        assert!(problems[1].contains("game 3") && problems[1].contains("`comments` is not UTF-8"));
    }
}

#[test]
fn zeros_in_texts_are_replaced_and_reported() {
    let folder = Scratch::new("reading");
    let path = folder.join("zeros.parquet");
    write_batch(
        &path,
        vec![
            ("white", texts(&["Mor\0phy", "Morphy"])),
            ("moves", texts(&["e2e4", "d2d4"])),
        ],
    );
    let (games, problems) = games(&path, 1).unwrap();
    assert_eq!(games[0].tag("White"), Some("Mor\u{fffd}phy"));
    assert_eq!(games[1].tag("White"), Some("Morphy"));
    assert_eq!(problems.len(), 1, "{problems:?}");
    let expected = "the tag `White` has characters U+0000: they are U+FFFD now";
    assert!(problems[0].contains("game 1") && problems[0].contains(expected));
}

#[test]
fn other_tables_are_refused() {
    let folder = Scratch::new("reading");
    let path = folder.join("other.parquet");
    write_batch(&path, vec![("price", texts(&["1"]))]);
    let error = games(&path, 1).unwrap_err();
    assert!(error.to_string().contains("no table of games"), "{error}");
    write_batch(
        &path,
        vec![("white", texts(&["a"])), ("movedata", texts(&["x"]))],
    );
    let error = games(&path, 1).unwrap_err();
    assert!(error.to_string().contains("`movedata`"), "{error}");
}

/// Every byte changed and every length cut: an error or games, never a crash.
#[test]
fn damaged_files_are_errors() {
    let folder = Scratch::new("reading");
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, crate::common::many_games(40)).unwrap();
    let table = folder.join("x.parquet");
    let mut options = TableOptions::default();
    options.columns = GameColumns::parse("white,result,tags,moves,clocks_ms").unwrap();
    write(&pgn, TableFile::Parquet(table.clone()), &options).unwrap();
    let good = std::fs::read(&table).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let bad = folder.join("bad.parquet");
    let mut read = 0;
    for at in (0..good.len()).step_by(7) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&bad, &bytes).unwrap();
        read += u32::from(open_all(&bad));
        std::fs::write(&bad, &good[..at]).unwrap();
        assert!(!open_all(&bad), "cut at {at}");
    }
    std::panic::set_hook(hook);
    assert!(read > 0);
}

/// Whether a table can be opened; its rows are read.
fn open_all(path: &Path) -> bool {
    struct Nothing;
    impl tabia::Visitor for Nothing {
        fn visit_move(&mut self, _: &Position, _: tabia::Ply) -> tabia::Flow {
            tabia::Flow::Go
        }
    }
    let found = resolver().resolve(path.as_os_str());
    let Ok(opened) = found.and_then(|items| items[0].open(&tabia::OpenOptions::default(), None))
    else {
        return false;
    };
    let tabia::OpenInput::Database(database) = opened.input else {
        return false;
    };
    let mut reader = database.reader();
    for row in 0..database.len().min(1000) {
        let game = tabia::GameIndex(row);
        let _ = reader.read(game, tabia::Want::ALL, &mut Nothing);
        let _ = database.entry(game);
    }
    true
}

#[test]
fn footers_that_nest_too_deep_are_refused() {
    let folder = Scratch::new("reading");
    let path = folder.join("deep.parquet");
    let mut data = DataType::Utf8;
    for _ in 0..40 {
        data = DataType::Struct(vec![Field::new("a", data, true)].into());
    }
    let schema = Arc::new(Schema::new(vec![Field::new("white", data, true)]));
    let writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), schema, None).unwrap();
    writer.close().unwrap();
    let error = games(&path, 1).unwrap_err();
    assert!(error.to_string().contains("nests too deep"), "{error}");
}
