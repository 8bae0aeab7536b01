//! The queries of a public corpus on ten records, written for another program's search; `elo:` there is
//! `anyelo:` here. Queries that are errors here are in the test of errors.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use tabia_core::GameIndex;
use tabia_core::chess::{Move, Ply, Square};
use tabia_core::game::{Date, Game, GameResult, RecordKind, Visitor};
use tabia_query::{Matcher, Query, SortValues};
use tabia_testkit::generated_query::generated_query;

/// Kind, White, Black, event, date, round, result, ECO, moves, ratings, annotator, time control.
const RECORDS: [&str; 10] = [
    "game|Morphy, Paul|Anderssen, Adolf|Paris m|1858.12.20|1|1-0|C52|17|0|0||40/7200",
    "game|Anderssen, Adolf|Morphy, Paul|Paris m|1858.12.21|2|0-1|B20|32|0|0||40/7200",
    "game|Morphy, Paul|Anderssen, Adolf|Paris m|1858.12.22|3|1/2-1/2|C51|45|0|0|Nimzowitsch, Aron|40/7200",
    "game|Steinitz, Wilhelm|Lasker, Emanuel|St Petersburg|1895.12.13|1|0-1|C62|60|2640|2690||900+10",
    "game|Lasker, Emanuel|Capablanca, Jose Raul|St Petersburg|1914.04.21|1(2)|1/2-1/2|D63|38|2720|2725|Nimzowitsch, Aron|900+10",
    "game|Capablanca, Jose Raul|Lasker, Emanuel|St Petersburg|1914.05.10|7|1-0|C68|38|2725|2720||900+10",
    "game|Tal, Mikhail|Lasker, Emanuel|Riga Club Ch|1951.??.??||*||0|2300|0||180+2",
    "text|||London|????.??.??||*||0|0|0||",
    "deleted|Morphy, Paul|Steinitz, Wilhelm|London|????.??.??|5|1-0|C52|28|0|0||1/86400",
    "game|Capablanca, Jose Raul|Tal, Mikhail|Riga Club Ch|1951.07.01|2|0-1|E60|50|2500|2600|Tal, Mikhail|180+2",
];

const CORPUS: &str = r##"
                                   => 1 2 3 4 5 6 7 8 9 10
morphy                             => 1 2 3 9
MORPHY                             => 1 2 3 9
white:morphy                       => 1 3 9
black:morphy                       => 2
player:morphy                      => 1 2 3 9
-player:morphy                     => 4 5 6 7 10
player:morphy,tal                  => 1 2 3 7 9 10
-player:morphy,tal                 => 4 5 6
white:capa black:lasker            => 6
event:paris                        => 1 2 3
tournament:"st petersburg"         => 4 5 6
london                             => 8 9
"paris m"                          => 1 2 3
#tal                               => 7 10
"#tal"                             => none
Lesson3:rooks                      => none
morphy result:1-0                  => 1 9
result:1-0                         => 1 6 9
result:draw                        => 3 5
result:½                           => 3 5
result:unknown                     => 7
-result:1-0 -result:0-1            => 3 5 7
eco:C5                             => 1 3 9
eco:c5                             => 1 3 9
eco:C60..C69                       => 4 6
eco:>=D                            => 5 10
eco:>D63                           => 10
eco:<C51                           => 2
eco:..B99                          => 2
date:1858                          => 1 2 3
date:1858-12-21                    => 2
date:>=1900                        => 5 6 7 10
date:1914-04..1914-05              => 5 6
date:<1859                         => 1 2 3
date:>1951                         => none
date:>=1951-07                     => 10
date:??                            => 7 9
round:1                            => 1 4 5
round:"1(2)"                       => 5
annotator:nimzo                    => 3 5
annotator:tal                      => 10
moves:38                           => 5 6
moves:>40                          => 3 4 10
moves:30..45                       => 2 3 5 6
anyelo:>=2700                      => 5 6
anyelo:2600                        => 10
anyelo:<2400                       => 7
anyelo:>=2700 anyelo:<2721         => 5 6
whiteelo:>=2700                    => 5 6
whiteelo:2300..2600                => 7 10
whiteelo:<2400                     => 7
blackelo:>=2700                    => 5 6
blackelo:..2600                    => 10
blackelo:2600..                    => 4 5 6 10
whiteelo:>=2500 blackelo:>=2600    => 4 5 6 10
-whiteelo:>=2700                   => 1 2 3 4 7 9 10
timecontrol:normal                 => 1 2 3
TimeControl:Rapid                  => 4 5 6
tc:blitz                           => 7 10
tc:correspondence                  => 9
tc:corr                            => 9
tc:normal,blitz                    => 1 2 3 7 10
-tc:normal                         => 4 5 6 7 9 10
tc:bullet                          => none
tc:normal moves:>20                => 2 3
morphy OR tal                      => 1 2 3 7 9 10
(white:morphy OR white:tal) -is:deleted => 1 3 7
-(morphy OR lasker)                => 8 10
-(white:morphy)                    => 2 4 5 6 7 10
winner:morphy                      => 1 2 9
loser:lasker                       => 6
avgelo:2550..2700                  => 4 10
elodiff:<0                         => 4 5 10
is:text                            => 8
is:deleted,text                    => 8 9
game:2..3,9                        => 2 3 9
elo:..                             => 4 5 6 10
"=tal, mikhail"                    => none
player:"=Tal, Mikhail"             => 7 10
player:/^(tal|ste)/                => 4 7 9 10
player:morphy sort:moves           => 3 2 9 1
player:morphy sort:moves-asc       => 1 9 2 3
tournament:"st petersburg" sort:white => 6 5 4
sort:number-desc                   => 10 9 8 7 6 5 4 3 2 1
sort:white                         => 8 2 6 10 5 1 3 9 4 7
sort:white-desc                    => 7 4 1 3 9 5 6 10 2 8
sort:black                         => 8 1 3 5 4 6 7 2 9 10
sort:black-desc                    => 10 9 2 4 6 7 5 1 3 8
sort:whiteElo                      => 1 2 3 8 9 7 10 4 5 6
sort:whiteelo-desc                 => 6 5 4 10 7 1 2 3 8 9
sort:blackElo                      => 1 2 3 7 8 9 10 4 6 5
sort:blackElo-desc                 => 5 6 4 10 1 2 3 7 8 9
sort:result                        => 7 8 2 4 10 1 6 9 3 5
sort:result-desc                   => 3 5 1 6 9 2 4 10 7 8
sort:moves                         => 4 10 3 5 6 2 9 1 7 8
sort:moves-asc                     => 7 8 1 9 2 5 6 3 10 4
sort:eco                           => 7 8 2 3 1 9 4 6 5 10
sort:eco-desc                      => 10 5 6 4 1 9 3 2 7 8
sort:tournament                    => 8 9 1 2 3 7 10 4 5 6
sort:event-desc                    => 4 5 6 7 10 1 2 3 8 9
sort:date                          => 10 7 6 5 4 3 2 1 8 9
sort:pgndate-asc                   => 8 9 1 2 3 4 5 6 7 10
sort:round                         => 7 8 1 4 5 2 10 3 9 6
sort:round-desc                    => 6 9 3 2 10 5 1 4 7 8
sort:annotator                     => 1 2 4 6 7 8 9 3 5 10
sort:annotator-desc                => 10 3 5 1 2 4 6 7 8 9
"##;

fn record(line: &str) -> Game {
    let fields: Vec<&str> = line.split('|').collect();
    let mut game = Game::new();
    let head = &mut game.head;
    head.deleted = fields[0] == "deleted";
    if fields[0] == "text" {
        head.kind = RecordKind::Text;
    }
    let tags = [
        ("White", 1),
        ("Black", 2),
        ("Event", 3),
        ("Date", 4),
        ("Round", 5),
        ("ECO", 7),
        ("WhiteElo", 9),
        ("BlackElo", 10),
        ("Annotator", 11),
        ("TimeControl", 12),
    ];
    for (name, index) in tags {
        head.tags.push(name, fields[index]);
    }
    let head = head.clone();
    let moves: usize = fields[8].parse().unwrap();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &head);
    let knights = [(Square::G1, Square::F3), (Square::G8, Square::F6)];
    let back = knights.map(|(from, to)| (to, from));
    for (from, to) in knights.into_iter().chain(back).cycle().take(2 * moves) {
        recorder.push_move(Ply::Move(Move::normal(from, to)));
    }
    recorder.end_game(GameResult::parse(fields[6].as_bytes()).unwrap());
    game
}

fn sort_key(query: &Query, game: &Game) -> Vec<u8> {
    let tags = &game.head.tags;
    let mut key = Vec::new();
    let mut values = SortValues::default();
    values.white = tags.text("White");
    values.black = tags.text("Black");
    values.white_elo = tags.white_elo();
    values.black_elo = tags.black_elo();
    values.result = game.result;
    values.plies = game.ply_count() as u32;
    values.eco = tags.eco();
    values.date = Date::parse(tags.text("Date")).unwrap_or_default();
    values.event = tags.text("Event");
    values.round = tags.text("Round");
    values.annotator = tags.text("Annotator");
    query.sort().key(&values, &mut key);
    key
}

#[test]
fn every_query_gives_its_result() {
    let records = RECORDS.map(record);
    let mut count = 0;
    for line in CORPUS.lines().filter(|line| line.contains("=>")) {
        let (text, expected) = line.rsplit_once("=>").unwrap();
        let query = Query::parse(text).unwrap();
        assert_eq!(Query::parse(&query.to_string()).unwrap(), query, "{text}");
        let mut matcher = Matcher::new(&query);
        let mut found: Vec<(Vec<u8>, u32)> = records
            .iter()
            .zip(0..)
            .filter(|(game, index)| matcher.matches(GameIndex(*index), game))
            .map(|(game, index)| (sort_key(&query, game), index + 1))
            .collect();
        let sign = if query.sort().reverses_equal() { -1 } else { 1 };
        found.sort_by_key(|(key, number)| (key.clone(), sign * i64::from(*number)));
        let found: Vec<String> = found.iter().map(|(_, number)| number.to_string()).collect();
        let expected: Vec<&str> = expected
            .split_whitespace()
            .filter(|n| *n != "none")
            .collect();
        assert_eq!(found, expected, "{text}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn errors_name_the_column_and_what_was_meant() {
    for (text, column, message, hint) in [
        (
            "weather:fine",
            1,
            "`weather` is not a field",
            "common fields: `player`, `elo`, `date`",
        ),
        (
            "elo:2700 colour:red",
            10,
            "`colour` is not a field",
            "`tabia help search` lists all fields",
        ),
        (
            "rating:2700",
            1,
            "`rating` is not a field",
            "similar fields: `elo`, `anyelo`, `avgelo`, `whiteelo`;",
        ),
        (
            "comment:novelty",
            1,
            "`comment` is not a field",
            "similar fields: `text`;",
        ),
        (
            "wihte:x",
            1,
            "`wihte` is not a field",
            "did you mean `white`?",
        ),
        (
            "x:",
            1,
            "`x` is not a field",
            "`\"x:…\"` searches for the text",
        ),
        (
            "sort:name",
            6,
            "`name` is not what games are sorted by",
            "known are number",
        ),
        ("tal for:3", 5, "no moment is asked for next to `for:`", ""),
        ("(move:e4) flip:color", 11, "next to `flip:`", ""),
        ("-in:all move:e4", 2, "`in` cannot be negated", ""),
        ("in:lines move:e4", 4, "`lines` is not a kind of line", ""),
        ("attacks:Q", 9, "`Q` is not a piece and what it attacks", ""),
        ("moves:x", 7, "`x` is not a number of moves", ""),
        ("whiteelo:x", 10, "`x` is not a rating", ""),
        ("tag:x no:tag", 7, "`no` is not a field", ""),
        (
            "-is:chapter",
            5,
            "`chapter` is not a mark of a record",
            "known are deleted",
        ),
        (
            "is:foo",
            4,
            "`foo` is not a mark of a record",
            "check, mate, stalemate",
        ),
        ("on:Nf9", 4, "there is no square f9", ""),
        ("move:Qz9", 6, "there is no square z9", ""),
        (
            "fen:8/8",
            5,
            "`8/8` is not FEN: unreadable board at column 4",
            "",
        ),
        ("elo:2000,high", 10, "`high` is not a rating", ""),
        (
            "result:drwa",
            8,
            "`drwa` is not a result",
            "did you mean `draw`?",
        ),
        ("date:soon", 6, "`soon` is not a date", ""),
        ("eco:F00", 5, "`F00` is not an ECO code", ""),
        // As other programs write it.
        (
            "eco:B20-B99",
            5,
            "is not an ECO code",
            "did you mean `eco:B20..B99`?",
        ),
        ("eco:B9*", 5, "is not an ECO code", "did you mean `eco:B9`?"),
        (
            "elo:2600-2700",
            5,
            "is not a rating",
            "did you mean `elo:2600..2700`?",
        ),
        (
            "elo:2700+",
            5,
            "is not a rating",
            "did you mean `elo:>=2700`?",
        ),
        (
            "elo:2700-",
            5,
            "is not a rating",
            "did you mean `elo:<=2700`?",
        ),
        (
            "sort:-white",
            6,
            "is not what games are sorted by",
            "did you mean `sort:white-desc`?",
        ),
        (
            "fen:8/8/8/8/8/8/8/K6k w - - 0 1 tal",
            5,
            "a blank ends a term",
            "`fen:\"8/8/8/8/8/8/8/K6k w - - 0 1\"`",
        ),
        (
            "tal 8/8/8/8/8/8/8/K6k b",
            5,
            "is a position",
            "`fen:\"8/8/8/8/8/8/8/K6k b\"`",
        ),
        (
            "year:2010-2012",
            6,
            "is not a date",
            "did you mean `year:2010..2012`?",
        ),
        (
            "date:31.5.2020",
            6,
            "is not a date",
            "did you mean `date:2020.05.31`?",
        ),
        (
            "result:white",
            8,
            "is not a result",
            "did you mean `result:1-0`?",
        ),
        (
            "result:5",
            8,
            "is not a result",
            "known are 1-0, 0-1, 1/2-1/2, *, draw",
        ),
        ("date:2020-13", 6, "is not a date", "there is no month 13"),
        ("date:>=2020.14", 6, "is not a date", "there is no month 14"),
        (
            "date:2020..2021.5.32",
            6,
            "is not a date",
            "there is no day 32",
        ),
        (
            "name:tal",
            1,
            "`name` is not a field",
            "did you mean `player`?",
        ),
        ("line:\"1.e4 e4\"", 6, "`e4` is an illegal move", ""),
        ("player:/(/", 8, "`/(/`: ", ""),
        ("a (b OR (c", 9, "this `(` is not closed", ""),
        ("tal OR", 5, "nothing is after this `OR`", "on both sides"),
        ("OR tal", 1, "nothing is before this `OR`", "`\"OR\"`"),
        ("tal OR OR x", 8, "nothing is before this `OR`", ""),
        ("tal (x OR)", 8, "nothing is after this `OR`", ""),
        (
            "tal ()",
            6,
            "nothing is between the parentheses",
            "`\"()\"`",
        ),
        (
            "move:Bxh7+ within:6",
            12,
            "no `->` is before it",
            "`move:Bxh7+ -> within:6",
        ),
        (
            "tal OR sort:date-up",
            13,
            "`date-up` is not what games are sorted by",
            "`sort:date-asc` is ascending, `sort:date-desc` descending",
        ),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.column, column, "{text}");
        assert!(error.message.contains(message), "{text}: {error}");
        let found = error.hint.unwrap_or_default();
        assert!(found.contains(hint), "{text}: {found}");
    }
}

#[test]
fn words_that_look_like_terms_are_noticed() {
    for (text, meant) in [
        ("a or b", "OR"),
        ("a || b", "OR"),
        ("a AND b", ""),
        ("a NOT b", "-"),
        ("a !result:draw", "-result:draw"),
        ("car*", "car"),
        ("1/2-1/2", "result:1/2-1/2"),
        ("1914/04", "date:1914/04"),
        ("kramnik 1-0", "result:1-0"),
        ("kramnik -draw", "result:draw"),
        ("b90", "eco:B90"),
        ("player morphy", "player:morphy"),
        ("player:Carlsen,M", "player:\"Carlsen,M\""),
        ("white:=Carlsen,M.", "white:\"=Carlsen,M.\""),
        ("black:carls*", "black:carls"),
        ("white:'carlsen'", "white:carlsen"),
        ("Adams,Mi", "\"Adams,Mi\""),
        ("kramnik Adams,M.", "\"Adams,M.\""),
        ("player:Adams,Mi", "player:\"Adams,Mi\""),
        ("winner:white", "result:1-0"),
        ("loser:white", "result:0-1"),
        ("1.e4 e5 2. Nf3", "line:\"1.e4 e5 2. Nf3\""),
        // No line from the start.
        (
            "morphy e4 O-O exd8=Q+! tal",
            "move:e4 -> move:O-O -> move:exd8=Q+",
        ),
        ("Bxh7+", "move:Bxh7+"),
        ("3.O-O-O", "move:O-O-O"),
        ("line:1.e4 e5 elo:2700", "line:\"1.e4 e5\""),
        ("player:'popov, l'", "player:\"popov, l\""),
        ("elo:2700 (event:'tata steel')", "event:\"tata steel\""),
        ("'tata steel' elo:2700", "\"tata steel\""),
        ("'tata'", "tata"),
    ] {
        let query = Query::parse(text).unwrap();
        let found: Vec<&str> = query
            .suggestions()
            .iter()
            .map(|s| s.meant.as_str())
            .collect();
        assert_eq!(found, [meant], "{text}");
    }
    for text in [
        "carlsen OR tal",
        "\"elo>2700\"",
        "AC/DC",
        "O'Kelly(de",
        "a>b",
        "line:e4",
        "line:\"e4 e5\"",
        "-e4",
        "\"e4\"",
        "1914",
        "player:carlsen,nepo",
        "carlsen,nepo",
        "tal,so",
        "\"Adams,Mi\"",
        "player:m,k",
        "player:\"Carlsen,M\"",
        "white:/car*/",
        "player OR morphy",
        "elo:<2000,>2700",
        "elo:2700,2800",
        "player:'t_hart blitz",
        "O'Kelly d'Orville",
        "Abe5",
        "e9",
        "Rb",
    ] {
        let query = Query::parse(text).unwrap();
        assert!(query.suggestions().is_empty(), "{text}");
    }
}

#[test]
fn terms_that_cannot_be_meant_are_errors() {
    for (text, message, hint) in [
        (
            "white: carlsen",
            "column 1: `white:` has no value: a blank ends a term",
            "did you mean `white:carlsen`?",
        ),
        (
            "elo: >2700 -white: \"Carlsen, M\"",
            "column 1: `elo:` has no value: a blank ends a term",
            "did you mean `elo:>2700`?",
        ),
        (
            "elo:>=2700,<2750",
            "column 5: `>=2700,<2750` fits every value: a comma separates alternatives",
            "both hold with `elo:>=2700 elo:<2750`",
        ),
        (
            "elo:>=2,700",
            "column 5: `>=2,700` is two alternatives: a comma separates them",
            "did you mean `elo:>=2700`?",
        ),
        (
            "date:2001..1999",
            "column 6: `2001..1999` ends before it begins",
            "did you mean `date:1999..2001`?",
        ),
        (
            "date:2017.05..2016.12",
            "column 6: `2017.05..2016.12` ends before it begins",
            "did you mean `date:2016.12..2017.05`?",
        ),
        (
            "-eco:B90..B80",
            "column 6: `B90..B80` ends before it begins",
            "did you mean `eco:B80..B90`?",
        ),
        (
            "eval:1.5..0.5",
            "column 6: `1.5..0.5` ends before it begins",
            "did you mean `eval:0.5..1.5`?",
        ),
        (
            "clock:1:30..0:45",
            "column 7: `1:30..0:45` ends before it begins",
            "did you mean `clock:0:45..1:30`?",
        ),
        (
            "balance:2..-1",
            "column 9: `2..-1` ends before it begins",
            "did you mean `balance:-1..2`?",
        ),
        (
            "count:Pp3..1",
            "column 7: `Pp3..1` ends before it begins",
            "did you mean `count:Pp1..3`?",
        ),
        (
            "-ply:20..10",
            "column 6: `20..10` ends before it begins",
            "did you mean `ply:10..20`?",
        ),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
        let hinted = error.hint.unwrap();
        assert_eq!(hinted, hint, "{text}");
        let meant = hinted.split('`').nth(1).unwrap();
        assert!(Query::parse(meant).is_ok(), "{meant}");
    }
    for text in [
        "date:2016..2016.05",
        "eco:B9..B90",
        "eco:b90..B9",
        "clock:30..1:30",
    ] {
        assert!(Query::parse(text).is_ok(), "{text}");
    }
    let error = Query::parse("sort:elo").unwrap_err();
    assert!(
        error
            .hint
            .unwrap()
            .starts_with("did you mean `sort:whiteElo`?")
    );
}

/// What a script leaves of a value that is empty, and a shell of a comparison, fits nothing and everything.
#[test]
fn fields_without_a_value_are_errors() {
    for (text, message, hint) in [
        (
            "elo:2700 -player:",
            "column 11: `player:` has no value",
            "`player:` takes text, \"=Last, First\", /expression/; `player:carlsen`, for example, and `tabia help search` has all fields",
        ),
        (
            "(elo: OR date:1990)",
            "column 2: `elo:` has no value",
            "`elo:` takes number, comparison, range; `elo:>=2700`, for example, and `tabia help search` has all fields; outside quotation marks a shell takes `>` and `<` for itself: 'elo:>=…'",
        ),
        (
            "tag:Opening=",
            "column 5: `Opening=` has no value",
            "`tag:Opening` alone fits the games that have the tag",
        ),
        (
            "date:>=2011.??.11",
            "column 6: `>=2011.??.11` is not a comparison or a range of days: a part of 2011.??.11 is unknown",
            "`2011.??.11` alone fits its known parts",
        ),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
        let hinted = error.hint.unwrap();
        assert!(hinted.starts_with(hint), "{text}: {hinted}");
    }
    for text in [
        "player:",
        "-player:",
        "player:\"\"",
        "(elo:)",
        "sort:",
        "\"\"",
        "-\"\"",
        "tag:=x",
        "fen:",
        "is: ply:3",
    ] {
        assert!(Query::parse(text).is_err(), "{text}");
    }
    assert!(Query::parse("").unwrap().is_empty());
    assert!(Query::parse("player:carlsen,").is_ok());
}

/// What only double quotes hold together is named where it is an error, too.
#[test]
fn single_quotes_are_named() {
    let query = Query::parse("player:'popov, l'").unwrap();
    assert_eq!(
        query.suggestions()[0].to_string(),
        "column 1: `player:'popov, l'` ends at the first blank; did you mean `player:\"popov, l\"`?"
    );
    let hint = Query::parse("line:'e4 e5'").unwrap_err().hint.unwrap();
    assert!(hint.starts_with("did you mean `line:\"e4 e5\"`?"), "{hint}");
}

/// An expression is no value that another program would write.
#[test]
fn wrong_expressions_have_no_suggestion() {
    for text in ["player:/[/", "white:/(/", "date:/1/2020", "event:/a*"] {
        let hint = Query::parse(text).err().and_then(|error| error.hint);
        let hint = hint.unwrap_or_default();
        assert!(!hint.contains("did you mean"), "{text}: {hint}");
    }
}

#[test]
fn comparisons_without_a_colon_are_errors() {
    for (text, column, meant) in [
        ("carlsen elo>2700", 9, "elo:>2700"),
        ("elo=2700", 1, "elo:2700"),
        ("eol>=2700", 1, "elo:>=2700"),
        ("-White=Carlsen", 2, "white:Carlsen"),
        ("year<1990", 1, "date:<1990"),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.column, column, "{text}");
        let hint = error.hint.unwrap();
        assert!(
            hint.starts_with(&format!("did you mean `{meant}`?")),
            "{text}: {hint}"
        );
    }
    let query = Query::parse("\"elo>2700\"").unwrap();
    assert_eq!(query.to_string(), "\"elo>2700\"");
}

#[test]
fn any_text_is_a_query_or_an_error() {
    let parts = [
        "(", ")", "-", "OR", " ", "\"", ":", ",", "[", "]", "/", ">=", "..", "=", "#", "\\", "elo",
        "player", "date", "eco", "x", "2700", "line", "e4", "has", "tag", "nag", "clock", "½", "ß",
    ];
    let mut random = tabia_testkit::Random::new(7);
    let mut parsed = 0;
    for _ in 0..20_000 {
        let length = random.below(12);
        let text: String = (0..length).map(|_| random.pick(&parts)).collect();
        if let Ok(query) = Query::parse(&text) {
            parsed += 1;
            let normal = query.to_string();
            let again =
                Query::parse(&normal).unwrap_or_else(|error| panic!("{text} {normal}: {error}"));
            assert_eq!(again, query, "{text} {normal}");
            assert_eq!(again.to_string(), normal, "{text}");
        }
    }
    assert!(parsed > 1000, "{parsed}");
}

#[test]
fn a_thousand_generated_queries_are_parsed_as_they_are_printed() {
    let mut random = tabia_testkit::Random::new(20);
    for _ in 0..1000 {
        let text = generated_query(&mut random);
        let query = Query::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let normal = query.to_string();
        let again = Query::parse(&normal).unwrap_or_else(|error| panic!("{normal}: {error}"));
        assert_eq!(again, query, "{text}: {normal}");
        assert_eq!(again.to_string(), normal, "{text}");
    }
}
