//! The program over real and made files: answers, what a query reads, errors and exit codes.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test fails by a panic; its numbers are small"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use tabia::Position;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabia-sql"));
    command.current_dir(repository()).args(arguments);
    command.stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The rows of an answer, without the names of the columns.
fn rows(statements: &str) -> Vec<Vec<String>> {
    let done = run(&["--tsv", "-c", statements]);
    assert!(
        done.status.success(),
        "{statements}: {}",
        text(&done.stderr)
    );
    let text = text(&done.stdout);
    let lines = text.lines().skip(1);
    lines
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// The exit code and what is on standard error.
fn failure(statements: &str) -> (Option<i32>, String) {
    let done = run(&["--tsv", "-c", statements]);
    (done.status.code(), text(&done.stderr))
}

/// A game that a test made.
#[derive(Debug, Default)]
struct Made {
    number: usize,
    white: String,
    black: String,
    result: &'static str,
    year: Option<i64>,
    eco: Option<&'static str>,
    elo: Option<[i64; 2]>,
    moves: Vec<String>,
    evals: Vec<Option<i64>>,
    clocks: Vec<Option<i64>>,
}

/// A sequence of numbers that is the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

const OPENINGS: [(&str, &str); 5] = [
    ("B50", "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6"),
    ("C60", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"),
    ("D30", "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7"),
    ("B20", "d2d4 c7c5 e2e4 c5d4 c2c3 d4c3 b1c3 b8c6"),
    ("A10", "c2c4 e7e5 b1c3 g8f6 g2g3 d7d5 c4d5 f6d5"),
];

fn make_game(number: usize, dice: &mut Dice, pgn: &mut String) -> Made {
    let (eco, line) = OPENINGS[dice.below(5)];
    let names = ["Alpha", "Beta", "Gamma", "Delta"];
    let white = dice.below(4);
    let black = (white + 1 + dice.below(3)) % 4;
    let mut made = Made {
        number,
        white: names[white].to_owned(),
        black: names[black].to_owned(),
        result: ["1-0", "0-1", "1/2-1/2", "*"][dice.below(4)],
        year: (number % 7 != 0).then(|| 1970 + dice.below(50) as i64),
        eco: (number % 5 != 0).then_some(eco),
        elo: (number % 11 != 0).then(|| [0; 2].map(|_| 2000 + dice.below(800) as i64)),
        ..Made::default()
    };
    let _ = write!(
        pgn,
        "[White \"{}\"]\n[Black \"{}\"]\n",
        made.white, made.black
    );
    let _ = writeln!(pgn, "[Result \"{}\"]", made.result);
    if let Some(year) = made.year {
        let _ = writeln!(pgn, "[Date \"{year}.{:02}.01\"]", 1 + dice.below(12));
    }
    if let Some(eco) = made.eco {
        let _ = writeln!(pgn, "[ECO \"{eco}\"]");
    }
    if let Some([white, black]) = made.elo {
        let _ = write!(pgn, "[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n");
    }
    pgn.push('\n');
    let mut position = Position::standard();
    let mut time = 3600;
    for ply in 0..8 + dice.below(62) {
        let uci = match line.split(' ').nth(ply) {
            Some(uci) => uci.to_owned(),
            None => {
                let moves = position.legal_moves();
                let mut moves: Vec<String> =
                    moves.iter().map(|m| position.uci(*m).to_string()).collect();
                moves.sort();
                if moves.is_empty() {
                    break;
                }
                moves.swap_remove(dice.below(moves.len()))
            }
        };
        let played = position.parse_uci(&uci).unwrap();
        let _ = write!(pgn, "{} ", position.san(played));
        position.play_ply(played);
        made.moves.push(uci);
        time -= dice.below(100) as i64;
        let clock = (number % 3 != 0).then_some(time);
        let eval = (number % 4 != 0 && ply % 10 != 9).then(|| dice.below(600) as i64 - 300);
        if let Some(time) = clock {
            let (hours, minutes, seconds) = (time / 3600, time / 60 % 60, time % 60);
            let _ = write!(pgn, "{{[%clk {hours}:{minutes:02}:{seconds:02}]}} ");
        }
        if let Some(eval) = eval {
            let _ = write!(pgn, "{{[%eval {:.2}]}} ", eval as f64 / 100.0);
        }
        made.clocks.push(clock);
        made.evals.push(eval);
    }
    let _ = write!(pgn, "{}\n\n", made.result);
    made
}

/// 300 games, in the folder as PGN and in two databases.
struct MadeGames {
    folder: PathBuf,
    games: Vec<Made>,
}

static MADE: LazyLock<MadeGames> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (mut dice, mut pgn) = (Dice(1), String::new());
    let games = (1..=300).map(|number| make_game(number, &mut dice, &mut pgn));
    let games = games.collect();
    std::fs::write(folder.join("games.pgn"), pgn).unwrap();
    for name in ["games.cbh", "games.si5"] {
        let summary = tabia::convert(folder.join("games.pgn"), folder.join(name)).unwrap();
        assert_eq!((summary.counts.games, summary.problems), (300, 0));
    }
    MadeGames { folder, games }
});

fn path(name: &str) -> String {
    MADE.folder.join(name).display().to_string()
}

/// Values by group, the groups in order.
fn grouped<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut groups = BTreeMap::<K, Vec<V>>::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn points(result: &str) -> f64 {
    match result {
        "1-0" => 1.0,
        "1/2-1/2" => 0.5,
        _ => 0.0,
    }
}

fn position_after(game: &Made, plies: usize) -> Option<Position> {
    let mut position = Position::standard();
    for uci in game.moves.get(..plies)? {
        position.play_ply(position.parse_uci(uci)?);
    }
    Some(position)
}

fn signed_key(position: &Position) -> i64 {
    (position.key() ^ (1 << 63)).cast_signed()
}

fn sicilian() -> Position {
    tabia::book::position_arg::position_of("1. e4 c5 2. d4").unwrap()
}

/// The answer to a question of the guide from the games one by one.
fn answer(heading: &str, games: &[Made]) -> Option<Vec<Vec<String>>> {
    let row = |cells: &[&dyn ToString]| -> Vec<String> {
        cells.iter().map(|cell| cell.to_string()).collect()
    };
    let rows: Vec<Vec<String>> = match heading {
        "Games and mean Elo by ECO code and decade" => {
            let known = games.iter().filter_map(|game| {
                Some((
                    (game.eco?, game.year? / 10 * 10),
                    game.elo.map(|elo| elo[0] as f64),
                ))
            });
            let groups = grouped(known);
            let groups = groups.iter().map(|((eco, decade), elo)| {
                let known: Vec<f64> = elo.iter().copied().flatten().collect();
                let elo_mean = (!known.is_empty()).then(|| mean(known).to_string());
                row(&[eco, decade, &elo.len(), &elo_mean.unwrap_or_default()])
            });
            groups.collect()
        }
        "Score of 1. e4 and 1. d4 by Elo" => {
            let known = games.iter().filter_map(|game| {
                let first = game.moves[0].as_str();
                let is_asked = matches!(first, "e2e4" | "d2d4") && game.result != "*";
                is_asked.then_some(((first, game.elo?[0] / 200 * 200), points(game.result)))
            });
            let groups = grouped(known);
            let groups = groups.iter().map(|((first, band), points)| {
                row(&[first, band, &points.len(), &mean(points.iter().copied())])
            });
            groups.collect()
        }
        "Share of draws by year" => {
            let known = games.iter().filter(|game| game.result != "*");
            let known = known.filter_map(|game| {
                Some((game.year?, f64::from(u8::from(game.result == "1/2-1/2"))))
            });
            let groups = grouped(known);
            let groups = groups
                .iter()
                .map(|(year, draws)| row(&[year, &mean(draws.iter().copied())]));
            groups.collect()
        }
        "The longest game" => {
            let longest = games
                .iter()
                .min_by_key(|game| (usize::MAX - game.moves.len(), game.number));
            let longest = longest.unwrap();
            vec![row(&[&longest.number, &longest.moves.len()])]
        }
        "Players with the most games against each other" => {
            let pairs = games.iter().map(|game| {
                let (white, black) = (game.white.as_str(), game.black.as_str());
                ((white.min(black), white.max(black)), ())
            });
            let groups = grouped(pairs);
            let mut groups: Vec<_> = groups
                .iter()
                .map(|(pair, games)| (games.len(), *pair))
                .collect();
            groups.sort_by_key(|(count, pair)| (usize::MAX - count, *pair));
            let groups = groups.iter().take(5);
            groups
                .map(|(count, (one, other))| row(&[one, other, count]))
                .collect()
        }
        "Time left at move 20, by result" => {
            let known = games
                .iter()
                .filter_map(|game| Some((game.result, (*game.clocks.get(38)?)? as f64)));
            let groups = grouped(known);
            let groups = groups
                .iter()
                .map(|(result, times)| row(&[result, &times.len(), &mean(times.iter().copied())]));
            groups.collect()
        }
        "Average centipawn loss by Elo" => {
            let mut pairs = Vec::new();
            for game in games {
                for (index, evals) in game.evals.windows(2).enumerate() {
                    let [Some(before), Some(after)] = evals else {
                        continue;
                    };
                    // The second move of the pair; Black plays the second of a game.
                    let is_black = index % 2 == 0;
                    let loss = if is_black {
                        after - before
                    } else {
                        before - after
                    };
                    let elo = game.elo.map(|elo| elo[usize::from(is_black)] / 200 * 200);
                    // Nulls are last.
                    pairs.push(((elo.is_none(), elo), loss.max(0) as f64));
                }
            }
            let groups = grouped(pairs);
            let groups = groups.iter().map(|((_, band), losses)| {
                let band = band.map_or(String::new(), |band| band.to_string());
                row(&[&band, &mean(losses.iter().copied())])
            });
            groups.collect()
        }
        "The first year of each ECO code" => {
            let known = games
                .iter()
                .filter_map(|game| Some((game.eco?, game.year?)));
            let groups = grouped(known);
            let groups = groups
                .iter()
                .map(|(eco, years)| row(&[eco, years.iter().min().unwrap()]));
            groups.collect()
        }
        "The most frequent positions after eight plies" => {
            let longer = games.iter().filter(|game| game.moves.len() > 8);
            let keys = longer.map(|game| (signed_key(&position_after(game, 8).unwrap()), ()));
            let groups = grouped(keys);
            let mut groups: Vec<(usize, i64)> = groups
                .iter()
                .map(|(key, games)| (games.len(), *key))
                .collect();
            groups.sort_by_key(|(count, key)| (usize::MAX - count, *key));
            groups
                .iter()
                .take(3)
                .map(|(count, key)| row(&[key, count]))
                .collect()
        }
        "Games that came from 1. d4 to a Sicilian" => {
            let is_one = |game: &&Made| {
                let reaches = |plies| {
                    position_after(game, plies).is_some_and(|found| found.key() == sicilian().key())
                };
                game.moves[0] == "d2d4" && (0..game.moves.len()).any(reaches)
            };
            let found = games.iter().filter(is_one);
            found.map(|game| row(&[&game.number])).collect()
        }
        _ => return None,
    };
    Some(rows)
}

/// The headings of the guide that have a statement, with it.
fn statements_of_the_guide() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(repository().join("docs/guide/sql.md")).unwrap();
    let sections = page.split("\n## ").skip(1);
    let statements = sections.filter_map(|section| {
        let (heading, rest) = section.split_once('\n')?;
        let statement = rest.split_once("```sql\n")?.1.split_once("```")?.0;
        Some((heading.to_owned(), statement.to_owned()))
    });
    statements.collect()
}

#[test]
fn the_questions_of_the_guide_have_the_answers_of_the_games() {
    let statements = statements_of_the_guide();
    assert_eq!(statements.len(), 10);
    for (heading, statement) in statements {
        // New ChessBase databases do not hold the time left after each move.
        let is_about_time = heading.starts_with("Time left");
        let file = path(if is_about_time {
            "games.si5"
        } else {
            "games.cbh"
        });
        let key = signed_key(&sicilian()).to_string();
        let text = format!(
            "create view games as select * from '{file}';
             create view positions as select * from tabia('{file}', 'positions') where ply <= 20;
             {}",
            statement.replace("KEY", &key)
        );
        let expected = answer(&heading, &MADE.games).unwrap_or_else(|| panic!("{heading}"));
        let found = rows(&text);
        assert_eq!(found.len(), expected.len(), "{heading}");
        assert!(!found.is_empty(), "{heading}");
        for (row, other) in found.iter().zip(&expected) {
            assert_eq!(row.len(), other.len(), "{heading}");
            for (cell, other) in row.iter().zip(other) {
                let are_near = match (cell.parse::<f64>(), other.parse::<f64>()) {
                    (Ok(one), Ok(other)) => (one - other).abs() < 1e-9,
                    _ => cell == other,
                };
                assert!(are_near, "{heading}: {row:?} {other:?}");
            }
        }
    }
}

/// The line of a plan that reads the file.
fn plan(statement: &str) -> String {
    let found = rows(&format!("explain format indent {statement}"));
    let plan = found.concat().join("\n").replace("\\n", "\n");
    let line = plan.lines().find(|line| line.contains("TabiaScan"));
    line.unwrap_or_else(|| panic!("{plan}")).trim().to_owned()
}

#[test]
fn only_the_columns_and_games_of_a_query_are_read() {
    let sample = "samples/tabia.cbv";
    for (statement, columns, query) in [
        ("select count(*) from '{}'", "columns=[]", None),
        ("select white from '{}'", "columns=[white]", None),
        ("select moves, game from '{}'", "moves", None),
        (
            "select black from '{}' where white = 'Morphy, Paul'",
            "columns=[white, black]",
            Some("where=white:\"=Morphy, Paul\""),
        ),
        (
            "select game from '{}' where white_elo >= 2500 and year between 1850 and 1860 and ply_count > 3",
            "game",
            Some("whiteelo:2500.."),
        ),
        (
            "select game from '{}' where date >= '1858-03-01'",
            "date",
            Some("date:1858.."),
        ),
        (
            "select game from '{}' where white like 'And%' or black in ('A', 'B')",
            "game",
            Some("((white:\"And\") OR (((black:\"=A\") OR (black:\"=B\"))))"),
        ),
        (
            "select game from '{}' where eco in ('C41', 'C52') and result = '1-0'",
            "eco",
            Some("result:1-0"),
        ),
        (
            "select game from '{}' where game = 3",
            "game",
            Some("game:3..3"),
        ),
        (
            "select move from tabia('{}', 'positions') where ply = 9",
            "move",
            Some("plies=9..9"),
        ),
        (
            "select fen from tabia('{}', 'positions') where ply > 3 and ply <= 20",
            "fen",
            Some("plies=4..20"),
        ),
    ] {
        let statement = statement.replace("{}", sample);
        let line = plan(&statement);
        assert!(line.contains(columns), "{statement}: {line}");
        match query {
            Some(query) => assert!(line.contains(query), "{statement}: {line}"),
            None => assert!(!line.contains("where="), "{statement}: {line}"),
        }
        let is_of_moves = statement.contains("moves") || statement.contains("positions");
        assert_eq!(
            line.contains("moves"),
            is_of_moves && statement.contains("moves"),
            "{line}"
        );
    }
}

#[test]
fn filters_that_a_database_tests_find_the_rows_that_the_engine_finds() {
    let files = [
        "samples/tabia.cbv".to_owned(),
        path("games.pgn"),
        path("games.cbh"),
        path("games.si5"),
        strange_games(),
    ];
    // With `|| ''` or `+ 0` nothing is left that a database could test.
    let filters = [
        ("white = 'Alpha'", "white || '' = 'Alpha'"),
        ("white like 'A%'", "white || '' like 'A%'"),
        ("white like 'Müller, %'", "white || '' like 'Müller, %'"),
        (
            "black in ('Beta', 'x', 'ÉTÉ')",
            "black || '' in ('Beta', 'x', 'ÉTÉ')",
        ),
        ("event = 'Offhand game'", "event || '' = 'Offhand game'"),
        ("annotator like 'tab%'", "annotator || '' like 'tab%'"),
        ("white_elo >= 2400", "white_elo + 0 >= 2400"),
        (
            "white_elo < 2100 or black_elo = 2187",
            "white_elo + 0 < 2100 or black_elo + 0 = 2187",
        ),
        (
            "white_elo between 2000 and 2300",
            "white_elo + 0 between 2000 and 2300",
        ),
        ("black_elo is not null", "black_elo + 0 is not null"),
        ("not (white_elo > 2300)", "not (white_elo + 0 > 2300)"),
        ("white_elo is null", "white_elo + 0 is null"),
        ("year >= 2000", "year + 0 >= 2000"),
        (
            "year in (1852, 1858, 1999)",
            "year + 0 in (1852, 1858, 1999)",
        ),
        (
            "date > '1851-06-20'",
            "cast(date as varchar) > '1851-06-20'",
        ),
        (
            "date = '1851-06-21'",
            "cast(date as varchar) = '1851-06-21'",
        ),
        ("date is not null", "cast(date as varchar) is not null"),
        ("eco = 'B20'", "eco || '' = 'B20'"),
        ("eco in ('B50', 'C33')", "eco || '' in ('B50', 'C33')"),
        ("eco like 'C%'", "eco || '' like 'C%'"),
        ("result = '1-0'", "result || '' = '1-0'"),
        ("result = '*'", "result || '' = '*'"),
        ("result <> '1/2-1/2'", "result || '' <> '1/2-1/2'"),
        ("result = '+/-'", "result || '' = '+/-'"),
        ("game between 3 and 5", "game + 0 between 3 and 5"),
        (
            "white = 'Alpha' and year > 2000 and eco = 'B50'",
            "white || '' = 'Alpha' and year + 0 > 2000 and eco || '' = 'B50'",
        ),
    ];
    let mut found = 0;
    for file in &files {
        // One process for all filters of a file.
        let each = filters.iter().enumerate().map(|(number, (pushed, plain))| {
            format!(
                "select {number}, 'pushed', game, moves from '{file}' where {pushed};
                 select {number}, 'plain', game, moves from '{file}' where {plain};"
            )
        });
        let done = run(&["--tsv", "-c", &each.collect::<String>()]);
        assert!(done.status.success(), "{file}: {}", text(&done.stderr));
        let answers = text(&done.stdout);
        let of = |number: usize, kind: &str| -> Vec<&str> {
            let start = format!("{number}\t{kind}\t");
            let lines = answers
                .lines()
                .filter_map(|line| line.strip_prefix(start.as_str()));
            lines.collect()
        };
        for (number, (filter, _)) in filters.iter().enumerate() {
            assert_eq!(
                of(number, "pushed"),
                of(number, "plain"),
                "{file}: {filter}"
            );
            found += of(number, "plain").len();
        }
    }
    assert!(found > 1000, "{found}");
}

/// Games whose headers have what queries and tables could take for different values.
fn strange_games() -> String {
    let heads = [
        "[White \"?\"]\n[White \"Alpha\"]\n[WhiteElo \"?\"]\n[WhiteElo \"2500\"]\n[Date \"?\"]\n[Date \"2001.01.01\"]",
        "[White \"Alpha\"]\n[White \"Beta\"]\n[ECO \"\"]\n[ECO \"B20\"]",
        "[White \" Alpha\"]\n[WhiteElo \" 2500 \"]\n[ECO \"B20/01\"]",
        "[White \"ALPHA\"]\n[WhiteElo \"2500?\"]\n[ECO \"b20\"]",
        "[White \"Müller,Karsten\"]\n[Date \"2011.19.11\"]\n[WhiteElo \"65535\"]",
        "[White \"Muller, Karsten\"]\n[Date \"2011\"]\n[WhiteElo \"-5\"]",
        "[White \"Müller, Karsten\"]\n[Date \"1851.06.31\"]\n[WhiteElo \"4999\"]",
        "[White \"\"]\n[Date \"1851-06-21\"]\n[WhiteElo \"0\"]\n[Event \"Offhand game\"]",
        "[White \"A\"]\n[Date \"x\"]\n[Black \"été\"]\n[Result \"1-0\"]",
        "[White \"Alpha\u{301}\"]\n[Date \"0000.00.00\"]\n[Black \"ÉTÉ\"]",
    ];
    let name = MADE.folder.join("strange.pgn");
    let games = heads.map(|head| format!("{head}\n\n1. e4 e5 *\n\n"));
    std::fs::write(&name, games.concat()).unwrap();
    name.display().to_string()
}

#[test]
fn functions_answer_from_moves() {
    let file = path("games.cbh");
    let found = rows(&format!(
        "select game, fen_at(moves, 8), key_at(moves, 8), material_at(moves, ply_count), opening_at(moves, ply_count),
         reaches(moves, '1. e4 c5 2. d4'), fen_at(moves, 1000), key_at(moves, -1) from '{file}'"
    ));
    assert_eq!(found.len(), 300);
    for (row, game) in found.iter().zip(&MADE.games) {
        let eighth = position_after(game, 8).unwrap();
        assert_eq!(row[1], eighth.fen());
        assert_eq!(row[2], signed_key(&eighth).to_string());
        let last = position_after(game, game.moves.len()).unwrap();
        let men = last.occupied().count() as usize;
        assert_eq!(row[3].len(), men, "{}", row[3]);
        let names = (0..=game.moves.len()).rev();
        let mut names =
            names.filter_map(|plies| tabia::query::openings::lookup(&position_after(game, plies)?));
        assert_eq!(row[4], names.next().map_or("", |opening| opening.name));
        let reaches = (0..=game.moves.len())
            .any(|plies| position_after(game, plies).unwrap().key() == sicilian().key());
        assert_eq!(row[5], reaches.to_string());
        assert_eq!(row[6..], ["", ""]);
    }
    // A game that begins elsewhere, and moves that are none.
    let found = rows(
        "select fen_at(make_array('e1c1'), 1, 'r3k3/8/8/8/8/8/8/R3K3 w Q - 0 1'), fen_at(make_array('e2e5'), 1),
         fen_at(make_array('x'), 0), fen_at(make_array('e2e4'), 1, 'no FEN'), fen_at(null, 1), reaches(make_array('e2e5'), '1. e4'),
         reaches(make_array('e2e4'), null)",
    );
    let castled = "r3k3/8/8/8/8/8/8/2KR4 b - - 1 1";
    let start = Position::standard().fen();
    assert_eq!(found, [vec![castled, "", &start, "", "", "", ""]]);
    let (code, error) = failure("select reaches(make_array('e2e4'), '1. e5')");
    assert!(code == Some(2) && error.contains("e5"), "{error}");
    let (code, error) = failure("select fen_at('e2e4', 1)");
    assert!(
        code == Some(2) && error.contains("fen_at(moves, ply)"),
        "{error}"
    );
}

#[test]
fn statements_come_from_a_file_and_from_standard_input() {
    let file = MADE.folder.join("question.sql");
    std::fs::write(&file, "select 1 as one;\nselect 2 as two").unwrap();
    let done = run(&["-f", file.to_str().unwrap(), "--csv"]);
    assert_eq!(text(&done.stdout), "one\n1\ntwo\n2\n");
    let mut child = command(&["--ndjson"])
        .stdin(std::fs::File::open(&file).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(text(&done.stdout), "{\"one\":1}\n{\"two\":2}\n");
    let done = run(&[
        "--table",
        "-c",
        "select 'a' as name, 10 as n, null as x union all select 'bcd', 9, null order by n",
    ]);
    assert_eq!(
        text(&done.stdout),
        "name   n  x\nbcd    9  ·\na     10  ·\n"
    );
}

#[test]
fn errors_name_the_file_and_have_exit_codes() {
    for (statement, code, word) in [
        ("select * from 'none.cbh'", 4, "none.cbh"),
        ("select * from 'docs/images/book.png'", 4, "book.png"),
        ("select * from tabia('none.cbh')", 4, "none.cbh"),
        (
            "select * from tabia('samples/tabia.cbv', 'moves')",
            2,
            "'positions'",
        ),
        ("select * from tabia(white)", 2, "tabia"),
        ("select wite from 'samples/tabia.cbv'", 2, "wite"),
        ("selec 1", 2, "selec"),
        ("", 2, "no statement"),
        ("copy (select 1) to 'x.csv'", 2, "read"),
        ("create table t as select 1", 2, "read"),
        (
            "create external table t stored as csv location 'Cargo.toml'",
            2,
            "read",
        ),
        (
            "insert into 'samples/tabia.cbv' select * from 'samples/tabia.cbv'",
            2,
            "",
        ),
        ("drop table 'samples/tabia.cbv'", 2, ""),
        (
            "select * from 'bindings/c/tests/book.bin'",
            2,
            "opening book",
        ),
    ] {
        let (found, error) = failure(statement);
        assert_eq!(found, Some(code), "{statement}: {error}");
        assert!(error.contains(word), "{statement}: {error}");
    }
    for arguments in [
        &["-x"][..],
        &["-c"],
        &["-c", "select 1", "-f", "x"],
        &["-j", "0", "-c", "select 1"],
        &["--memory", "x"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(run(&["-f", "none.sql"]).status.code(), Some(4));
    let help = run(&["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("Usage"));
    // Games with an illegal move are read as far as they go, and counted.
    let name = MADE.folder.join("illegal.pgn");
    std::fs::write(&name, "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n").unwrap();
    let done = run(&[
        "--csv",
        "-c",
        &format!("select ply_count from '{}'", name.display()),
    ]);
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "ply_count\n2\n");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_none() {
    if Path::new("/dev/full").exists() {
        let full = std::fs::File::create("/dev/full").unwrap();
        let done = command(&["-c", "select 1"]).stdout(full).output().unwrap();
        assert_eq!(done.status.code(), Some(5));
    }
    let mut child = command(&[
        "-c",
        &format!("select * from '{0}' a, '{0}' b", path("games.pgn")),
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn statements_without_sense_end() {
    // None of these may crash, hang or take the memory of the machine.
    let deep = format!("select {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let long = format!("select 1 where {}", vec!["1 = 1"; 300].join(" or "));
    for statement in [
        deep.as_str(),
        long.as_str(),
        "select '\u{0}'",
        "\u{1b}[2J",
        "select 1;;;",
        "select 1/0",
    ] {
        let file = MADE.folder.join("senseless.sql");
        std::fs::write(&file, statement).unwrap();
        let done = run(&["-f", file.to_str().unwrap()]);
        assert!(
            matches!(done.status.code(), Some(0 | 2)),
            "{:?}: {}",
            done.status,
            text(&done.stderr)
        );
    }
    // What does not fit into memory is sorted in files, or refused.
    let file = path("games.pgn");
    let sorted = format!("select * from tabia('{file}', 'positions') order by key, game");
    let joined = format!("select count(*) from '{file}' a join '{file}' b on a.year <> b.year");
    for statement in [sorted, joined] {
        let done = run(&["--memory", "2MB", "--csv", "-c", &statement]);
        let error = text(&done.stderr);
        match done.status.code() {
            Some(0) => assert!(!done.stdout.is_empty()),
            code => assert!(code == Some(2) && error.contains("--memory"), "{error}"),
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let statement = format!(
        "select white, avg(white_elo), count(*) from '{0}' group by white; select * from '{0}' limit 50",
        path("games.pgn")
    );
    let [one, two, eight] =
        ["1", "2", "8"].map(|threads| run(&["-j", threads, "--csv", "-c", &statement]).stdout);
    assert!(one.len() > 1000 && one == two && one == eight);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_query() {
    let text = format!(
        "select count(*) from '{0}' a, '{0}' b, '{0}' c, '{0}' d where a.white < b.white and c.black < d.black",
        path("games.pgn")
    );
    let mut child = command(&["-c", &text])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let start = std::time::Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed().as_secs() < 5);
}
