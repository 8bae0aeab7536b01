#![doc = include_str!("FORMAT.md")]

mod csv;
mod json_values;
mod move_facts;
mod ndjson;
mod origins;

use tabia_core::Error;
use tabia_core::formats::{Confidence, CreateOptions, FileFormat, FormatId, GameFormat};
use tabia_core::games::TextWriter;
use tabia_core::loss::{Feature, Features};

/// What both formats hold.
const CAN: Features = Features::of(&[
    Feature::Moves,
    Feature::ChessGames,
    Feature::Tags,
    Feature::TagSpellings,
    Feature::TagText,
    Feature::HeaderFacts,
    Feature::LongText,
    Feature::Characters,
    Feature::SetupPositions,
    Feature::IllegalPositions,
    Feature::Chess960,
    Feature::NullMoves,
    Feature::Comments,
    Feature::CommentPlacement,
    Feature::Languages,
    Feature::CommentText,
    Feature::SeveralComments,
    Feature::Nags,
    Feature::Clocks,
    Feature::Evals,
    Feature::EvalDepths,
    Feature::SpecialResults,
    Feature::DeletionMarks,
]);

/// Games as JSON objects, one on each line.
pub static NDJSON: GameFormat = descriptor(
    "ndjson",
    "games as JSON lines",
    &["ndjson", "jsonl"],
    |options| {
        options.is_utf8("JSON")?;
        Ok(Box::new(ndjson::Writer::default()) as Box<dyn TextWriter>)
    },
);

/// Games as rows of comma-separated values.
pub static CSV: GameFormat = descriptor("csv", "games as CSV rows", &["csv"], |options| {
    options.is_utf8("a table of games")?;
    Ok(Box::new(csv::Writer::default()) as Box<dyn TextWriter>)
});

const fn descriptor(
    id: &'static str,
    name: &'static str,
    extensions: &'static [&'static str],
    create: fn(&CreateOptions) -> tabia_core::Result<Box<dyn TextWriter>>,
) -> GameFormat {
    GameFormat {
        file: FileFormat {
            id: FormatId::new(id),
            name,
            extensions,
            companions: &[],
            by_products: &[],
            score: |_| Confidence::No,
            evidence: "made by the tests",
        },
        can: CAN,
        in_part: Features::of(&[
            Feature::Tags,
            Feature::Nags,
            Feature::Clocks,
            Feature::Evals,
            Feature::EvalDepths,
        ]),
        can_with: None,
        copies_texts: false,
        media_folders: &[],
        open: |_, _| Err(Error::unsupported("files of this format are only written")),
        open_stream: None,
        open_blocks: None,
        create_text: if cfg!(feature = "writers") {
            Some(create)
        } else {
            None
        },
        create: None,
        edit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tabia_core::GameIndex;
    use tabia_core::game::{
        Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Game, GameResult, Language,
        Score, Want,
    };
    use tabia_core::games::GameOrigin;
    use tabia_core::loss::Losses;
    use tabia_testkit::tiny::{self, GameBuilder};

    fn written(format: &GameFormat, games: &[Game]) -> (String, Losses) {
        let create = format.create_text.unwrap();
        let mut writer = create(&CreateOptions::default()).unwrap();
        let mut text = writer.header().to_owned();
        for (game, index) in games.iter().zip(0..) {
            let _ = game.replay(GameIndex(index), Want::ALL, &mut *writer);
            text.push_str(std::str::from_utf8(writer.text()).unwrap());
            writer.text().clear();
        }
        (text, writer.take_losses())
    }

    fn annotated() -> Game {
        let clock = |kind, millis| {
            let time = Duration::from_millis(millis);
            Annotation::Clock(Clock { kind, time })
        };
        let eval = |score, depth, engine| {
            Annotation::Eval(Eval {
                score,
                depth,
                engine,
            })
        };
        GameBuilder::new()
            .tag("White", "Tal \"Misha\", M")
            .tag("WhiteElo", "2705")
            .tag("Round", "?")
            .tag("TimeControl", "60+1")
            .tag("White", "again")
            .comment("before the game")
            .annotation(clock(ClockKind::Remaining, 60_000))
            .moves("e4")
            .nag(1)
            .comment("best\nby test")
            .annotation(clock(ClockKind::Remaining, 59_500))
            .annotation(clock(ClockKind::Mechanical, 1))
            .begin()
            .moves("d4")
            .end()
            .comment_before("first")
            .annotation(eval(Score::Centipawns(-25), Some(18), 0))
            .moves("e5 -- d5")
            .annotation(eval(Score::Mate(3), None, 1))
            .annotation(Annotation::Comment(Comment {
                placement: CommentPlacement::After,
                language: Language::parse("de"),
                text: "gut",
            }))
            .result(GameResult::WhiteWinsByForfeit)
    }

    #[test]
    fn games_are_json_lines() {
        let (text, losses) = written(&NDJSON, &[annotated(), Game::new()]);
        assert_eq!(
            losses.to_string(),
            "1 tag, 1 variation, 1 clock time, 1 depth of an evaluation"
        );
        let expected = concat!(
            r#"{"tags":{"White":"Tal \"Misha\", M","WhiteElo":"2705","Round":"?","TimeControl":"60+1"},"#,
            r#""clock":60,"comments":[{"text":"before the game"}],"moves":["#,
            r#"{"san":"e4","uci":"e2e4","clock":59.5,"eval":-25,"depth":18,"nags":[1],"#,
            r#""comments":[{"text":"best\nby test"},{"text":"first","before":true}]},"#,
            r#"{"san":"e5","uci":"e7e5"},{"san":"--","uci":"0000"},"#,
            r#"{"san":"d5","uci":"d7d5","mate":3,"comments":[{"text":"gut","language":"de"}]}],"#,
            r#""plies":4,"result":"+:-","problems":0,"game":1,"source":""}"#,
            "\n",
            r#"{"tags":{},"moves":[],"plies":0,"result":"*","problems":0,"game":2,"source":""}"#,
            "\n",
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn games_are_rows_of_csv() {
        let (text, losses) = written(&CSV, &[annotated(), Game::new()]);
        assert_eq!(
            losses.to_string(),
            "1 tag, 1 variation, 2 clock times, 1 depth of an evaluation"
        );
        let rows = parse_csv(&text);
        let value = |name: &str| {
            let column = rows[0].iter().position(|column| column == name).unwrap();
            (rows[1][column].as_str(), rows[2][column].as_str())
        };
        for (name, first, second) in [
            ("white", "Tal \"Misha\", M", ""),
            ("whiteElo", "2705", ""),
            ("result", "+:-", "*"),
            ("round", "", ""),
            ("plies", "4", "0"),
            ("fen", "", ""),
            ("deleted", "false", "false"),
            ("tags", r#"{"TimeControl":"60+1"}"#, ""),
            ("san", "e4 e5 -- d5", ""),
            ("uci", "e2e4 e7e5 0000 d7d5", ""),
            ("clocks", "[59.5,null,null,null]", ""),
            ("elapsed", "", ""),
            ("evals", "[-25,null,null,\"#3\"]", ""),
            ("depths", "[18,null,null,null]", ""),
            ("nags", "[[1],null,null,null]", ""),
            (
                "comments",
                concat!(
                    r#"[{"ply":0,"text":"before the game"},{"ply":1,"text":"best\nby test"},"#,
                    r#"{"ply":1,"text":"first","before":true},"#,
                    r#"{"ply":4,"text":"gut","language":"de"}]"#
                ),
                "",
            ),
        ] {
            assert_eq!(value(name), (first, second), "{name}");
        }
    }

    /// Cells are numbers, dates and codes, or empty; other texts are among the tags.
    #[test]
    fn texts_that_fit_no_column_are_tags() {
        let game = |elo: &str, date: &str, eco: &str| {
            let tags = [("WhiteElo", elo), ("Date", date), ("ECO", eco)];
            let builder = tags
                .into_iter()
                .fold(GameBuilder::new(), |builder, (name, value)| {
                    builder.tag(name, value)
                });
            builder.result(GameResult::Unknown)
        };
        let cases = [
            (("2690:2222", "24.12.2023", "B2"), ["", "", "", ""]),
            (("2500?", "?", "?"), ["", "", "", ""]),
            (("-", "", "-"), ["", "", "", ""]),
            (
                ("02500", "2023-12-24", "B20/03"),
                ["2500", "2023.12.24", "B20", "2023"],
            ),
            (
                ("2500", "1858.??.??", "C41"),
                ["2500", "1858.??.??", "C41", "1858"],
            ),
            (("0", "????.12.24", ""), ["", "????.12.24", "", ""]),
        ];
        let games: Vec<Game> = cases.iter().map(|((e, d, c), _)| game(e, d, c)).collect();
        let (text, losses) = written(&CSV, &games);
        assert!(losses.is_empty(), "{losses}");
        let rows = parse_csv(&text);
        let cell = |row: usize, name: &str| {
            let column = rows[0].iter().position(|column| column == name).unwrap();
            rows[row][column].clone()
        };
        let mut tags = Vec::new();
        for (row, (_, expected)) in (1..).zip(&cases) {
            let names = ["whiteElo", "date", "eco", "year"];
            assert_eq!(&names.map(|name| cell(row, name)), expected);
            tags.push(cell(row, "tags"));
        }
        assert_eq!(
            tags,
            [
                r#"{"WhiteElo":"2690:2222","Date":"24.12.2023","ECO":"B2"}"#,
                r#"{"WhiteElo":"2500?"}"#,
                r#"{"WhiteElo":"-","ECO":"-"}"#,
                r#"{"WhiteElo":"02500","Date":"2023-12-24","ECO":"B20/03"}"#,
                "",
                r#"{"WhiteElo":"0"}"#,
            ]
        );
    }

    /// Only one question mark is unknown: several are what the source states, as in the other formats.
    #[test]
    fn texts_of_question_marks_are_kept() {
        let game = GameBuilder::new()
            .tag("White", "?")
            .tag("Black", "????????")
            .tag("Event", "??")
            .tag("Site", ".")
            .tag("Date", "????.??.??")
            .tag("WhiteElo", "??");
        let (text, losses) = written(&CSV, &[game.result(GameResult::Unknown)]);
        assert!(losses.is_empty(), "{losses}");
        let rows = parse_csv(&text);
        let cell = |name: &str| {
            let column = rows[0].iter().position(|column| column == name).unwrap();
            rows[1][column].as_str()
        };
        let names = [
            "white", "black", "event", "site", "date", "whiteElo", "tags",
        ];
        let expected = ["", "????????", "??", ".", "", "", r#"{"WhiteElo":"??"}"#];
        assert_eq!(names.map(cell), expected);
    }

    /// The origin of a game can be written by a caller that knows it; a problem is counted where it belongs.
    #[test]
    fn origins_are_written_at_once_or_later() {
        let game = annotated();
        let problem = |game| {
            let error = Error::invalid("wrong").in_game(GameIndex(game));
            tabia_core::Problem::from(error)
        };
        for (format, at_once, later) in [
            (&CSV, ",1,6,\n", ",3,106,\"a,b.pgn\"\n"),
            (
                &NDJSON,
                r#","problems":1,"game":6,"source":""}"#,
                r#","problems":3,"game":106,"source":"a,b.pgn"}"#,
            ),
        ] {
            let create = format.create_text.unwrap();
            let mut writer = create(&CreateOptions::default()).unwrap();
            // One of another game, which is not read.
            let _ = writer.problem(problem(3));
            let _ = writer.problem(problem(5));
            let _ = game.replay(GameIndex(5), Want::ALL, &mut *writer);
            let text = String::from_utf8(std::mem::take(writer.text())).unwrap();
            assert!(text.trim_end().ends_with(at_once.trim_end()), "{text}");
            writer.defer_origins();
            let _ = writer.problem(problem(5));
            let _ = game.replay(GameIndex(5), Want::ALL, &mut *writer);
            let _ = writer.problem(problem(5));
            let offsets = writer.take_origins();
            let [offset] = offsets.as_slice() else {
                panic!("{offsets:?}")
            };
            assert_eq!((offset.game, offset.problems), (GameIndex(5), 2));
            let mut text = std::mem::take(writer.text());
            let end = text.split_off(offset.at);
            let origin = GameOrigin {
                game: GameIndex(105),
                source: "a,b.pgn",
                problems: offset.problems + 1,
            };
            writer.write_origin(&origin, &mut text);
            text.extend(end);
            let text = String::from_utf8(text).unwrap();
            assert!(text.trim_end().ends_with(later.trim_end()), "{text}");
        }
    }

    #[test]
    fn every_row_has_all_columns() {
        let mut games = tiny::games();
        games.push(tiny::annotated());
        let count = games
            .iter()
            .filter(|game| game.head.kind != tabia_core::game::RecordKind::Text)
            .count();
        let (text, _) = written(&CSV, &games);
        let rows = parse_csv(&text);
        assert_eq!(rows.len(), count + 1);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        let (text, _) = written(&NDJSON, &games);
        assert_eq!(text.lines().count(), count);
    }

    /// The cells of a table.
    fn parse_csv(text: &str) -> Vec<Vec<String>> {
        let mut rows = vec![vec![String::new()]];
        let mut quoted = false;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let row = rows.last_mut().unwrap();
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => {
                    letters.next();
                    row.last_mut().unwrap().push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(String::new()),
                '\n' if !quoted => rows.push(vec![String::new()]),
                letter => row.last_mut().unwrap().push(letter),
            }
        }
        rows.pop();
        rows
    }
}
