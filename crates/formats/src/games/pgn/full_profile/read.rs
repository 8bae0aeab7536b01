//! Parses the commands of the profile `full`.

use base64::Engine as _;
use tabia_core::FormatId;
use tabia_core::chess::{Move, Ply, Setup, Square};
use tabia_core::game::{
    Annotation, CriticalPosition, Date, Eval, EvalPoint, EvalProfile, Foreign, GameResult,
    Language, Media, MediaKind, PiecePath, Quotation, Score, Shape, ShapeColor, ShapeKind,
    TextKind, TextPart, TimeControl, TimeStage, Training, TrainingChoice, TrainingSolution,
    TrainingText, VariationColor, WebLink,
};

use super::percent_encoding::{decode, decode_bytes};
use super::{BASE64, ParsedCommand};
use crate::games::pgn::shape_colors::color_of;

/// The arguments of a command: `key=value` pairs between blanks.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    /// The value of `key`, still percent-encoded; `None` if absent.
    fn raw(&self, key: &str) -> Option<&'a str> {
        self.0
            .split_ascii_whitespace()
            .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }

    fn are_pairs(&self) -> bool {
        let mut words = self.0.split_ascii_whitespace();
        words.all(|word| word.contains('='))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.raw(key).map(decode)
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.raw(key)?.parse().ok()
    }

    /// The items of a value that is a comma-separated list; empty if the key is absent.
    fn list(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let raw = self.raw(key).unwrap_or_default();
        raw.split(',').filter(|item| !item.is_empty())
    }

    fn language(&self) -> Option<Language> {
        self.raw("lang").and_then(Language::parse)
    }
}

/// Parses a command of this profile, as [`command_parser::read`](crate::games::pgn::command_parser::read) does.
pub(in crate::games::pgn) fn read<'a>(
    name: &str,
    args: &'a str,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> Option<ParsedCommand<'a>> {
    let fields = Fields(args);
    // A word of its own belongs to a value with a blank, and would be lost.
    if name.starts_with("cb") && !fields.are_pairs() {
        return None;
    }
    match name {
        "lang" => return Language::parse(args).map(ParsedCommand::Language),
        "tabia" => return read_tabia(args, sink),
        "cbshape" => sink(Annotation::Shape(read_shape(&fields)?)),
        "cbeval" => sink(Annotation::Eval(Eval {
            score: match fields.number("mate") {
                Some(mate) => Score::Mate(mate),
                None => Score::Centipawns(fields.number("value")?),
            },
            depth: match fields.raw("depth") {
                Some(depth) => Some(depth.parse().ok()?),
                None => None,
            },
            engine: fields.number("engine")?,
        })),
        "cbcritical" => sink(Annotation::Critical(CriticalPosition(
            fields.number("phase")?,
        ))),
        "cbvariation" => sink(Annotation::VariationColor(VariationColor {
            flags: fields.number("flags")?,
            red: fields.number("red")?,
            green: fields.number("green")?,
            blue: fields.number("blue")?,
        })),
        "cbpawns" => sink(Annotation::PawnStructure(fields.number("value")?)),
        "cbpath" => sink(Annotation::PiecePath(PiecePath {
            kind: fields.number("kind")?,
            square: fields.number("square")?,
        })),
        "cbvideotime" => sink(Annotation::VideoTime(fields.number("value")?)),
        "cbtimecontrol" => sink(Annotation::TimeControl(read_time_control(&fields)?)),
        "cbevals" => {
            let points = fields
                .list("points")
                .map(read_point)
                .collect::<Option<_>>()?;
            sink(Annotation::EvalProfile(&EvalProfile { points }));
        }
        "cbtraining" => sink(Annotation::Training(&read_training(&fields)?)),
        "cbquotation" => sink(Annotation::Quotation(&read_quotation(&fields)?)),
        "cblink" => sink(Annotation::WebLink(WebLink {
            url: &fields.text("url")?,
            caption: &fields.text("caption")?,
        })),
        "cbmedia" => sink(Annotation::Media(Media {
            kind: match fields.raw("kind")? {
                "sound" => MediaKind::Sound,
                "picture" => MediaKind::Picture,
                "video" => MediaKind::Video,
                _ => return None,
            },
            language: fields.language(),
            text: &fields.text("text")?,
        })),
        "cbtext" => sink(Annotation::Text(TextPart {
            kind: match fields.raw("kind")? {
                "title" => TextKind::Title,
                "plain" => TextKind::Plain,
                "html" => TextKind::Html,
                "file" => TextKind::File,
                _ => return None,
            },
            language: fields.number("lang")?,
            text: &fields.text("text")?,
        })),
        _ => return None,
    }
    Some(ParsedCommand::Annotation)
}

/// Parses the arguments of `[%tabia …]`.
fn read_tabia<'a>(
    args: &'a str,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> Option<ParsedCommand<'a>> {
    let (word, rest) = match args.split_once([' ', '\n', '\r']) {
        Some((word, rest)) => (word, rest.trim_ascii_start()),
        None => (args, ""),
    };
    match word {
        "before" if rest == "here" => return Some(ParsedCommand::BeforeHere),
        "before" => return Some(ParsedCommand::Before),
        "after" => return Some(ParsedCommand::After),
        "lines" => return Some(ParsedCommand::Lines(rest)),
        "chars" => return Some(ParsedCommand::Chars(rest)),
        "ends" => return Some(ParsedCommand::Ends(rest)),
        "variation" => return Some(ParsedCommand::Variation),
        "text" => return Some(ParsedCommand::Text(rest)),
        "unread" => {
            sink(Annotation::Foreign(Foreign {
                format: crate::games::pgn::ID,
                kind: Foreign::UNREAD_MOVES,
                bytes: &decode_bytes(rest),
            }));
            return Some(ParsedCommand::Annotation);
        }
        _ => {}
    }
    let mut parts = rest.split_ascii_whitespace();
    let kind = u16::from_str_radix(parts.next()?, 16).ok()?;
    let mut bytes = Vec::new();
    for part in parts {
        let digits = part.trim_end_matches('=');
        BASE64.decode_vec(digits, &mut bytes).ok()?;
    }
    let is_id = word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if word.len() > 8 || word.is_empty() || !is_id {
        return None;
    }
    sink(Annotation::Foreign(Foreign {
        format: FormatId::new(if word == "0" { "" } else { word }),
        kind,
        bytes: &bytes,
    }));
    Some(ParsedCommand::Annotation)
}

fn read_shape(fields: &Fields<'_>) -> Option<Shape> {
    let square = |key: &str| Square::parse(fields.raw(key)?.as_bytes());
    let at = square("square")?;
    let kind = match fields.raw("kind")? {
        "square" => ShapeKind::Square(at),
        "arrow" => ShapeKind::Arrow(at, square("to")?),
        "circle" => ShapeKind::Circle(at),
        "disk" => ShapeKind::Disk(at),
        "frame" => ShapeKind::Frame(at),
        "letter" => ShapeKind::Letter(at, fields.text("letter")?.chars().next()?),
        _ => return None,
    };
    let color = read_color(fields.raw("color")?)?;
    Some(Shape { kind, color })
}

/// Parses `G`, `cb8` or `#ff8000`.
fn read_color(color: &str) -> Option<ShapeColor> {
    if let Some(digits) = color.strip_prefix('#') {
        return Some(ShapeColor::Rgb(u32::from_str_radix(digits, 16).ok()?));
    }
    match color.strip_prefix("cb") {
        Some(number) => Some(ShapeColor::of_chessbase(number.parse().ok()?)),
        None => color_of(*color.as_bytes().first()?),
    }
}

/// Parses exactly `N` numbers between slashes.
fn numbers<const N: usize>(text: &str) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut parts = text.split('/');
    for number in &mut found {
        *number = parts.next()?.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn read_point(text: &str) -> Option<EvalPoint> {
    let [flag, depth, value] = numbers(text)?;
    Some(EvalPoint {
        flag: flag.try_into().ok()?,
        depth: depth.try_into().ok()?,
        value: value.try_into().ok()?,
    })
}

fn read_time_control(fields: &Fields<'_>) -> Option<TimeControl> {
    let mut stages = [TimeStage::default(); 3];
    for (stage, text) in stages.iter_mut().zip(fields.list("stages")) {
        let [start, increment, moves, kind] = numbers(text)?;
        *stage = TimeStage {
            start: start.try_into().ok()?,
            increment: increment.try_into().ok()?,
            moves: moves.try_into().ok()?,
            kind: kind.try_into().ok()?,
        };
    }
    Some(TimeControl { stages })
}

/// Parses `language:text`, which squares and arrows may follow: `:G-e2e4`.
fn read_entry(item: &str) -> Option<TrainingText> {
    let mut parts = item.split(':');
    let language = parts.next()?.parse().ok()?;
    let mut entry = TrainingText::new(language, decode(parts.next()?));
    for part in parts {
        let (color, squares) = part.split_once('-')?;
        let square = |from: usize| Square::parse(squares.as_bytes().get(from..from + 2)?);
        let kind = match squares.len() {
            2 => ShapeKind::Square(square(0)?),
            4 => ShapeKind::Arrow(square(0)?, square(2)?),
            _ => return None,
        };
        let color = read_color(color)?;
        entry.shapes.push(Shape { kind, color });
    }
    Some(entry)
}

fn read_texts<'a>(items: impl Iterator<Item = &'a str>) -> Option<Vec<TrainingText>> {
    items.map(read_entry).collect()
}

/// Parses `points/a7:answer/r7:reply`.
fn read_choice(text: &str) -> Option<TrainingChoice> {
    let (points, texts) = text.split_once('/').unwrap_or((text, ""));
    let mut choice = TrainingChoice {
        points: points.parse().ok()?,
        ..TrainingChoice::default()
    };
    for item in texts.split('/').filter(|item| !item.is_empty()) {
        let (list, entry) = match item.strip_prefix('a') {
            Some(entry) => (&mut choice.answer, entry),
            None => (&mut choice.reply, item.strip_prefix('r')?),
        };
        list.push(read_entry(entry)?);
    }
    Some(choice)
}

fn read_training(fields: &Fields<'_>) -> Option<Training> {
    let solutions = fields.list("solutions").map(|text| {
        let mut parts = text.split('/');
        let squares = parts.next()?.as_bytes();
        Some(TrainingSolution {
            from: Square::parse(squares.get(..2)?)?,
            to: Square::parse(squares.get(2..4)?)?,
            promotion: parts.next()?.parse().ok()?,
            points: parts.next()?.parse().ok()?,
            comments: read_texts(parts)?,
        })
    });
    Some(Training {
        seconds: fields.number("seconds")?,
        points: fields.number("points")?,
        question: read_texts(fields.list("question"))?,
        wrong: read_texts(fields.list("wrong"))?,
        first_help: read_texts(fields.list("help1"))?,
        second_help: read_texts(fields.list("help2"))?,
        solutions: solutions.collect::<Option<_>>()?,
        choices: fields
            .list("choices")
            .map(read_choice)
            .collect::<Option<_>>()?,
    })
}

fn read_quotation(fields: &Fields<'_>) -> Option<Quotation> {
    let [year, month, day] = numbers(fields.raw("date")?)?;
    Some(Quotation {
        white: fields.text("white")?,
        black: fields.text("black")?,
        white_elo: fields.number("whiteElo")?,
        black_elo: fields.number("blackElo")?,
        eco: fields.number("eco")?,
        event: fields.text("event")?,
        site: fields.text("site")?,
        date: Date::new(
            year.try_into().ok()?,
            month.try_into().ok()?,
            day.try_into().ok()?,
        ),
        tournament_type: fields.number("type")?,
        nation: fields.number("nation")?,
        category: fields.number("category")?,
        rounds: fields.number("rounds")?,
        round: fields.number("round")?,
        sub_round: fields.number("subRound")?,
        result: GameResult::parse(fields.text("result")?.as_bytes())?,
        flags: fields.number("flags")?,
        unknown: fields.number("unknown")?,
        setup: match fields.text("fen") {
            None => None,
            Some(fen) => Some(Box::new(Setup::parse_fen(fen.as_bytes()).ok()?)),
        },
        moves: match fields.raw("moves") {
            None => None,
            Some(_) => Some(
                fields
                    .list("moves")
                    .map(|text| {
                        if text == "--" {
                            return Some(Ply::Null);
                        }
                        let bits = u16::from_str_radix(text, 16).ok()?;
                        Move::from_bits(bits).map(Ply::Move)
                    })
                    .collect::<Option<_>>()?,
            ),
        },
    })
}
