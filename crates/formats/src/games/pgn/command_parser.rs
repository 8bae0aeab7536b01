//! Parses the commands inside comments: `[%clk 0:01:00]`.

use std::time::Duration;

use tabia_core::chess::Square;
use tabia_core::game::{
    Annotation, Clock, ClockKind, Eval, EvalPoint, EvalProfile, Score, Shape, ShapeColor,
    ShapeKind, Training, TrainingSolution, TrainingText,
};

use super::eval_evp_and_tqu_commands::{self, TEXT_LANGUAGES};
use super::full_profile::{self, ParsedCommand};
use super::shape_colors::color_of;

/// Parses the command `[%name args]` and passes its annotations to `sink`. `None` if the name is
/// unknown or the arguments are invalid: then the command belongs to the text of the comment.
pub(crate) fn read<'a>(
    name: &str,
    args: &'a str,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> Option<ParsedCommand<'a>> {
    let args = args.trim_ascii();
    match name {
        "clk" => sink(clock(ClockKind::Remaining, args)?),
        "eval" => sink(Annotation::Eval(eval(args)?)),
        "emt" => sink(clock(ClockKind::ElapsedMove, args)?),
        "egt" => sink(clock(ClockKind::ElapsedGame, args)?),
        "mct" => sink(clock(ClockKind::Mechanical, args)?),
        "csl" => shapes(args, 3, sink)?,
        "cal" => shapes(args, 5, sink)?,
        "draw" | "mark" => sink(Annotation::Shape(scid_shape(args)?)),
        "mdl" => sink(Annotation::Medals(args.parse().ok()?)),
        "evp" => sink(Annotation::EvalProfile(&eval_profile(args)?)),
        "tqu" => sink(Annotation::Training(&training(args)?)),
        _ => return full_profile::read(name, args, sink),
    }
    Some(ParsedCommand::Annotation)
}

fn clock(kind: ClockKind, args: &str) -> Option<Annotation<'static>> {
    let time = duration(args)?;
    Some(Annotation::Clock(Clock { kind, time }))
}

/// Parses `h:mm:ss`, `m:ss` or `s`, with a fraction of up to nine digits.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (integer, fraction) = match text.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (text, None),
    };
    let mut seconds = 0_u64;
    let mut parts = 0;
    for part in integer.split(':') {
        if part.is_empty() || part.len() > 9 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
        parts += 1;
    }
    let nanos = match fraction {
        None => 0,
        Some(digits) => {
            if digits.is_empty()
                || digits.len() > 9
                || !digits.bytes().all(|byte| byte.is_ascii_digit())
            {
                return None;
            }
            digits.parse::<u32>().ok()? * 10_u32.pow(9 - digits.len() as u32)
        }
    };
    (parts <= 3).then(|| Duration::new(seconds, nanos))
}

/// Parses an evaluation and a depth: pawns if there is a decimal point (Lichess), else hundredths
/// (ChessBase), or `#` and the moves to mate.
fn eval(args: &str) -> Option<Eval> {
    let (value, depth) = match args.split_once(',') {
        Some((value, depth)) => (value.trim_ascii(), Some(depth.trim_ascii().parse().ok()?)),
        None => (args, None),
    };
    let score = if let Some(mate) = value.strip_prefix('#') {
        Score::Mate(mate.parse().ok()?)
    } else if let Some((pawns, decimals)) = value.split_once('.') {
        let negative = pawns.starts_with('-');
        let pawns = pawns.trim_start_matches(['-', '+']);
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_exact = decimals.trim_end_matches('0').len() <= 2;
        if !are_digits(pawns)
            || !are_digits(decimals)
            || !is_exact
            || pawns.len() + decimals.len() == 0
        {
            return None;
        }
        let pawns: i64 = if pawns.is_empty() {
            0
        } else {
            pawns.parse().ok()?
        };
        let hundredths = decimals
            .bytes()
            .chain([b'0', b'0'])
            .take(2)
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        let value = pawns.checked_mul(100)?.checked_add(hundredths)?;
        let value = if negative { -value } else { value };
        Score::Centipawns(i32::try_from(value).ok()?)
    } else {
        // ChessBase writes a depth always, 0 if it is unknown.
        let value = value.parse().ok()?;
        return Some(Eval {
            score: match depth {
                Some(_) => eval_evp_and_tqu_commands::score_of_number(value),
                None => Score::Centipawns(value),
            },
            depth: depth.filter(|depth| *depth != 0),
            engine: 0,
        });
    };
    Some(Eval {
        score,
        depth,
        engine: 0,
    })
}

/// Parses `Gd4,Rf5` or `Ge2e4`, items of `length` bytes; `None` if one of them is invalid.
fn shapes(args: &str, length: usize, sink: &mut dyn FnMut(Annotation<'_>)) -> Option<()> {
    let item = |text: &str| -> Option<Shape> {
        let bytes = text.trim_ascii().as_bytes();
        let (&letter, squares) = bytes.split_first()?;
        if bytes.len() != length {
            return None;
        }
        let from = Square::parse(squares.get(..2)?)?;
        let kind = match squares.get(2..)? {
            [] => ShapeKind::Square(from),
            to => ShapeKind::Arrow(from, Square::parse(to)?),
        };
        Some(Shape {
            kind,
            color: color_of(letter)?,
        })
    };
    let items = || args.split(',').filter(|text| !text.trim_ascii().is_empty());
    if args.is_empty() || items().any(|text| item(text).is_none()) {
        return None;
    }
    for shape in items().filter_map(item) {
        sink(Annotation::Shape(shape));
    }
    Some(())
}

/// Parses a shape of Scid: `full,d4,red`, `arrow,e2,e4,green`, `circle,e4,#00ff00`, `+,e4,blue`.
fn scid_shape(args: &str) -> Option<Shape> {
    let mut parts = args.split(',').map(str::trim_ascii);
    let kind = parts.next()?;
    let square = Square::parse(parts.next()?.as_bytes())?;
    let kind = match kind {
        "full" => ShapeKind::Square(square),
        "square" => ShapeKind::Frame(square),
        "circle" => ShapeKind::Circle(square),
        "disk" => ShapeKind::Disk(square),
        "arrow" => ShapeKind::Arrow(square, Square::parse(parts.next()?.as_bytes())?),
        text => {
            let mut chars = text.chars();
            let letter = chars.next()?;
            chars.next().is_none().then_some(())?;
            ShapeKind::Letter(square, letter)
        }
    };
    let color = match parts.next()? {
        "red" => ShapeColor::Red,
        "orange" => ShapeColor::Orange,
        "yellow" => ShapeColor::Yellow,
        "green" => ShapeColor::Green,
        "blue" => ShapeColor::Blue,
        "darkBlue" => ShapeColor::DarkBlue,
        "purple" => ShapeColor::Purple,
        "white" => ShapeColor::White,
        "black" => ShapeColor::Black,
        "cyan" => ShapeColor::Cyan,
        "magenta" => ShapeColor::Magenta,
        text => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
            ShapeColor::Rgb(u32::from_str_radix(digits, 16).ok()?)
        }
    };
    parts.next().is_none().then_some(Shape { kind, color })
}

/// Parses ChessBase's `<first>,<last>,v,…`: hundredths, 30000 - n for mate in n, 32767 for no value.
fn eval_profile(args: &str) -> Option<EvalProfile> {
    let mut numbers = args.split(',').map(|text| text.trim_ascii().parse::<i32>());
    let first = numbers.next()?.ok()?;
    let last = numbers.next()?.ok()?;
    let first = usize::try_from(first).ok()?;
    if first > eval_evp_and_tqu_commands::MAX_FIRST {
        return None;
    }
    let none = EvalPoint {
        flag: 0xff,
        depth: 0,
        value: 0,
    };
    let mut points = vec![none; first];
    for value in numbers {
        points.push(match i16::try_from(value.ok()?).ok()? {
            i16::MAX => none,
            mate @ 29_000.. => EvalPoint {
                flag: 1,
                depth: 0,
                value: 30_000 - mate,
            },
            mate @ -30_000..=-29_000 => EvalPoint {
                flag: 1,
                depth: 0,
                value: -30_000 - mate,
            },
            value => EvalPoint {
                flag: 0,
                depth: 0,
                value,
            },
        });
    }
    (i64::try_from(points.len()).ok()? == i64::from(last) + 1).then_some(EvalProfile { points })
}

/// Parses ChessBase's `"En","question","help 1","help 2","h6f8","comment",6`: a language, three
/// texts, then the coordinates, text and points of each answer.
fn training(args: &str) -> Option<Training> {
    let fields = fields(args)?;
    let mut fields = fields.iter().map(String::as_str);
    let name = fields.next()?;
    let language = TEXT_LANGUAGES
        .iter()
        .position(|language| language.eq_ignore_ascii_case(name))? as u16;
    let mut text = || -> Option<Vec<TrainingText>> {
        let text = fields.next()?.to_owned();
        Some(if text.is_empty() {
            Vec::new()
        } else {
            vec![TrainingText::new(language, text)]
        })
    };
    let mut training = Training {
        question: text()?,
        first_help: text()?,
        second_help: text()?,
        ..Training::default()
    };
    while let Some(squares) = fields.next() {
        let squares = squares.as_bytes();
        let comment = fields.next()?.to_owned();
        training.solutions.push(TrainingSolution {
            from: Square::parse(squares.get(..2)?)?,
            to: Square::parse(squares.get(2..4).filter(|_| squares.len() == 4)?)?,
            promotion: 0,
            points: fields.next()?.parse().ok()?,
            comments: if comment.is_empty() {
                Vec::new()
            } else {
                vec![TrainingText::new(language, comment)]
            },
        });
    }
    Some(training)
}

/// Splits fields at commas; those in quotes may contain commas. `None` if a quote is not closed.
fn fields(args: &str) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut rest = args;
    loop {
        rest = rest.trim_ascii_start();
        let after = if let Some(quoted) = rest.strip_prefix('"') {
            let (text, after) = quoted.split_once('"')?;
            fields.push(text.to_owned());
            after.trim_ascii_start()
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let (text, after) = rest.split_at_checked(end)?;
            fields.push(text.trim_ascii().to_owned());
            after
        };
        match after.strip_prefix(',') {
            Some(remaining) => rest = remaining,
            None => return after.is_empty().then_some(fields),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(name: &str, args: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        read(name, args, &mut |annotation| {
            found.push(format!("{annotation:?}"));
        })?;
        Some(found)
    }

    #[test]
    fn evaluations_of_lichess_and_chessbase_are_parsed() {
        let score = |text: &str| eval(text).map(|eval| (eval.score, eval.depth));
        assert_eq!(score("0.31"), Some((Score::Centipawns(31), None)));
        assert_eq!(score("-0.05,20"), Some((Score::Centipawns(-5), Some(20))));
        assert_eq!(score("31,20"), Some((Score::Centipawns(31), Some(20))));
        assert_eq!(score("-32767,0"), Some((Score::Mate(0), None)));
        assert_eq!(score("32764,7"), Some((Score::Mate(3), Some(7))));
        assert_eq!(score("32764"), Some((Score::Centipawns(32_764), None)));
        assert_eq!(score("#-3"), Some((Score::Mate(-3), None)));
        assert_eq!(score("1.5"), Some((Score::Centipawns(150), None)));
        for text in ["", ".", "1.234", "x", "0.31,", "-"] {
            assert_eq!(score(text), None, "{text}");
        }
    }

    #[test]
    fn clock_times_are_parsed() {
        assert_eq!(
            duration("1:02:03.5"),
            Some(Duration::new(3723, 500_000_000))
        );
        assert_eq!(duration("59"), Some(Duration::from_secs(59)));
        for text in ["", "-0:01", "1:2:3:4", "1:", "1.", "1e3"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn one_invalid_shape_invalidates_the_command() {
        assert_eq!(annotations("csl", "Gd4, Rf5").unwrap().len(), 2);
        assert_eq!(annotations("cal", "Ge2e4").unwrap().len(), 1);
        assert_eq!(annotations("csl", "Gd4,Rf9"), None);
        assert_eq!(annotations("csl", "Ge2e4"), None);
        assert_eq!(annotations("draw", "arrow,e2,e4,#00ff00").unwrap().len(), 1);
        assert_eq!(annotations("nonsense", "x"), None);
    }

    #[test]
    fn commands_of_chessbase_are_parsed() {
        let profile = eval_profile("0,2,10,32767,-29998").unwrap();
        let flags: Vec<_> = profile
            .points
            .iter()
            .map(|point| (point.flag, point.value))
            .collect();
        assert_eq!(flags, [(0, 10), (0xff, 0), (1, -2)]);
        assert_eq!(eval_profile("0,3,10"), None);
        let training =
            training(r#""En","Which move?","help, please","","h6f8","well done",6"#).unwrap();
        assert_eq!(training.solutions.len(), 1);
        assert_eq!(training.first_help[0].text, "help, please");
    }
}
