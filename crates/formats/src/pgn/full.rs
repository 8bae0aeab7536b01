//! Commands of the profile `full`: what PGN has no form for, written so that it is read back.
//!
//! `[%cb… key=value …]` for what ChessBase knows, `[%tabia …]` for the rest, `[%lang de]` for the
//! language of a comment. Values are percent-encoded.

use std::io::Write as _;

use tabia_core::FormatId;
use tabia_core::chess::{Color, FenStyle, Move, Ply, Setup, Square};
use tabia_core::game::{
    Annotation, CriticalPosition, Date, Eval, EvalPoint, EvalProfile, Foreign, GameResult,
    Language, Media, MediaKind, PiecePath, Quotation, Score, Shape, ShapeColor, ShapeKind,
    StartClock, TextKind, TextPart, TimeControl, TimeStage, Training, TrainingSolution,
    TrainingText, VariationColor, WebLink,
};

use super::base64;
use super::commands::Said;

/// Percent-encodes a value: no blanks, no characters that commands use.
pub(super) fn encode(text: &str, out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        let plain = byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-._~!?'()*+#".contains(&byte);
        put(byte, plain, out);
    }
}

/// Percent-encodes a text, leaving single blanks between words.
pub(super) fn encode_text(text: &[u8], out: &mut Vec<u8>) {
    let valid = std::str::from_utf8(text).is_ok();
    let mut was_blank = true;
    for (i, &byte) in text.iter().enumerate() {
        let blank = byte == b' ' && !was_blank && i + 1 < text.len();
        let plain = if byte < 0x80 {
            byte.is_ascii_graphic() && !b"%[]{}".contains(&byte)
        } else {
            valid
        };
        put(byte, plain || blank, out);
        was_blank = byte == b' ';
    }
}

fn put(byte: u8, plain: bool, out: &mut Vec<u8>) {
    if plain {
        out.push(byte);
    } else {
        let digit = |half: u8| {
            b"0123456789ABCDEF"
                .get(usize::from(half))
                .copied()
                .unwrap_or(b'0')
        };
        out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
    }
}

/// Undoes [`encode`] and [`encode_text`].
pub(super) fn decode_bytes(text: &str) -> Vec<u8> {
    let hex = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    let mut line_break = false;
    while let Some(byte) = bytes.next() {
        // A line break comes from wrapping and stands for the blank that was there.
        if matches!(byte, b'\n' | b'\r') {
            if !line_break {
                out.push(b' ');
            }
            line_break = true;
            continue;
        }
        line_break = false;
        if byte == b'%' {
            let mut ahead = bytes.clone();
            if let (Some(high), Some(low)) = (hex(ahead.next()), hex(ahead.next())) {
                out.push((high * 16 + low) as u8);
                bytes = ahead;
                continue;
            }
        }
        out.push(byte);
    }
    out
}

/// Undoes [`encode`] for a text.
pub(crate) fn decode(text: &str) -> String {
    match String::from_utf8(decode_bytes(text)) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// The keys and values of a command.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn raw(&self, key: &str) -> Option<&'a str> {
        self.0
            .split_ascii_whitespace()
            .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.raw(key).map(decode)
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.raw(key)?.parse().ok()
    }

    /// Items between commas; none when the key is missing or empty.
    fn list(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let raw = self.raw(key).unwrap_or_default();
        raw.split(',').filter(|item| !item.is_empty())
    }

    fn language(&self) -> Option<Language> {
        self.raw("lang").and_then(Language::parse)
    }
}

/// Reads a command of this profile; see [`commands::read`](super::commands::read).
pub(super) fn read<'a>(
    name: &str,
    args: &'a str,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> Option<Said<'a>> {
    let fields = Fields(args);
    match name {
        "lang" => return Language::parse(args).map(Said::Language),
        "tabia" => return read_own(args, sink),
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
        "cbclock" => sink(Annotation::StartClock(StartClock {
            color: if fields.raw("color")? == "b" {
                Color::Black
            } else {
                Color::White
            },
            hundredths: fields.number("value")?,
        })),
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
    Some(Said::Annotation)
}

fn read_own<'a>(args: &'a str, sink: &mut dyn FnMut(Annotation<'_>)) -> Option<Said<'a>> {
    let (word, rest) = match args.split_once([' ', '\n', '\r']) {
        Some((word, rest)) => (word, rest.trim_ascii_start()),
        None => (args, ""),
    };
    match word {
        "before" if rest == "here" => return Some(Said::BeforeHere),
        "before" => return Some(Said::Before),
        "after" => return Some(Said::After),
        "text" => return Some(Said::Text(rest)),
        "unread" => {
            sink(Annotation::Foreign(Foreign {
                format: super::ID,
                kind: Foreign::UNREAD_MOVES,
                bytes: &decode_bytes(rest),
            }));
            return Some(Said::Annotation);
        }
        _ => {}
    }
    let mut parts = rest.split_ascii_whitespace();
    let kind = u16::from_str_radix(parts.next()?, 16).ok()?;
    let mut bytes = Vec::new();
    for part in parts {
        base64::decode(part, &mut bytes)?;
    }
    let known = word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if word.len() > 8 || word.is_empty() || !known {
        return None;
    }
    sink(Annotation::Foreign(Foreign {
        format: FormatId::new(if word == "0" { "" } else { word }),
        kind,
        bytes: &bytes,
    }));
    Some(Said::Annotation)
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
    let color = fields.raw("color")?;
    let color = if let Some(digits) = color.strip_prefix('#') {
        ShapeColor::Rgb(u32::from_str_radix(digits, 16).ok()?)
    } else if let Some(number) = color.strip_prefix("cb") {
        ShapeColor::ChessBase(number.parse().ok()?)
    } else {
        super::commands::color_of(*color.as_bytes().first()?)?
    };
    Some(Shape { kind, color })
}

fn numbers<const N: usize>(text: &str) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut parts = text.split('/');
    for place in &mut found {
        *place = parts.next()?.parse().ok()?;
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

/// `0:text,1:text`, after what stands before them in a solution.
fn read_texts<'a>(items: impl Iterator<Item = &'a str>) -> Option<Vec<TrainingText>> {
    items
        .map(|item| {
            let (language, text) = item.split_once(':')?;
            Some(TrainingText {
                language: language.parse().ok()?,
                text: decode(text),
            })
        })
        .collect()
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

/// Writes the command of an annotation that has no form in the other profiles.
pub(crate) fn write(annotation: &Annotation<'_>, out: &mut Vec<u8>) {
    let done = write_command(annotation, out);
    debug_assert!(done.is_ok(), "writing to memory cannot fail");
}

fn write_command(annotation: &Annotation<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    match annotation {
        Annotation::Shape(shape) => write_shape(*shape, out)?,
        Annotation::Eval(eval) => {
            match eval.score {
                Score::Centipawns(value) => write!(out, "[%cbeval value={value}")?,
                Score::Mate(mate) => write!(out, "[%cbeval mate={mate}")?,
            }
            if let Some(depth) = eval.depth {
                write!(out, " depth={depth}")?;
            }
            write!(out, " engine={}", eval.engine)?;
        }
        Annotation::Critical(critical) => write!(out, "[%cbcritical phase={}", critical.0)?,
        Annotation::VariationColor(color) => write!(
            out,
            "[%cbvariation flags={} red={} green={} blue={}",
            color.flags, color.red, color.green, color.blue
        )?,
        Annotation::PawnStructure(value) => write!(out, "[%cbpawns value={value}")?,
        Annotation::PiecePath(path) => {
            write!(out, "[%cbpath kind={} square={}", path.kind, path.square)?;
        }
        Annotation::VideoTime(value) => write!(out, "[%cbvideotime value={value}")?,
        Annotation::StartClock(clock) => {
            let color = if clock.color.is_white() { 'w' } else { 'b' };
            write!(out, "[%cbclock color={color} value={}", clock.hundredths)?;
        }
        Annotation::TimeControl(control) => {
            out.extend_from_slice(b"[%cbtimecontrol stages=");
            for (i, stage) in control.stages.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let TimeStage {
                    start,
                    increment,
                    moves,
                    kind,
                } = stage;
                write!(out, "{comma}{start}/{increment}/{moves}/{kind}")?;
            }
        }
        Annotation::EvalProfile(profile) => {
            out.extend_from_slice(b"[%cbevals points=");
            for (i, point) in profile.points.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let EvalPoint { flag, depth, value } = point;
                write!(out, "{comma}{flag}/{depth}/{value}")?;
            }
        }
        Annotation::Training(training) => write_training(training, out)?,
        Annotation::Quotation(quotation) => write_quotation(quotation, out)?,
        Annotation::WebLink(link) => {
            out.extend_from_slice(b"[%cblink");
            field("url", link.url, out);
            field("caption", link.caption, out);
        }
        Annotation::Media(media) => {
            let kind = match media.kind {
                MediaKind::Sound => "sound",
                MediaKind::Picture => "picture",
                _ => "video",
            };
            write!(out, "[%cbmedia kind={kind}")?;
            if let Some(language) = media.language {
                write!(out, " lang={language}")?;
            }
            field("text", media.text, out);
        }
        Annotation::Text(part) => {
            let kind = match part.kind {
                TextKind::Title => "title",
                TextKind::Plain => "plain",
                TextKind::Html => "html",
                _ => "file",
            };
            write!(out, "[%cbtext kind={kind} lang={}", part.language)?;
            field("text", part.text, out);
        }
        Annotation::Foreign(foreign) => {
            let name = match foreign.format.as_str() {
                "" => "0".into(),
                name => name.to_owned(),
            };
            write!(out, "[%tabia {name} {:x} ", foreign.kind)?;
            base64::encode(foreign.bytes, out);
        }
        _ => return Ok(()),
    }
    out.push(b']');
    Ok(())
}

fn field(key: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(key.as_bytes());
    out.push(b'=');
    encode(value, out);
}

fn write_shape(shape: Shape, out: &mut Vec<u8>) -> std::io::Result<()> {
    let (kind, square) = match shape.kind {
        ShapeKind::Square(square) => ("square", square),
        ShapeKind::Arrow(from, _) => ("arrow", from),
        ShapeKind::Circle(square) => ("circle", square),
        ShapeKind::Disk(square) => ("disk", square),
        ShapeKind::Frame(square) => ("frame", square),
        ShapeKind::Letter(square, _) => ("letter", square),
        // Kinds not known here have no square to name.
        _ => return Ok(()),
    };
    write!(out, "[%cbshape kind={kind} square={square}")?;
    if let ShapeKind::Arrow(_, to) = shape.kind {
        write!(out, " to={to}")?;
    }
    if let ShapeKind::Letter(_, letter) = shape.kind {
        field("letter", letter.encode_utf8(&mut [0; 4]), out);
    }
    match shape.color {
        ShapeColor::Rgb(color) => write!(out, " color=#{color:06x}"),
        ShapeColor::ChessBase(number) => write!(out, " color=cb{number}"),
        named => {
            let letter = super::commands::letter_of(named).unwrap_or(b'G');
            write!(out, " color={}", char::from(letter))
        }
    }
}

fn write_texts(key: &str, texts: &[TrainingText], out: &mut Vec<u8>) -> std::io::Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    write!(out, " {key}=")?;
    for (i, text) in texts.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}{}:", text.language)?;
        encode(&text.text, out);
    }
    Ok(())
}

fn write_training(training: &Training, out: &mut Vec<u8>) -> std::io::Result<()> {
    let (seconds, points) = (training.seconds, training.points);
    write!(out, "[%cbtraining seconds={seconds} points={points}")?;
    write_texts("question", &training.question, out)?;
    write_texts("wrong", &training.wrong, out)?;
    write_texts("help1", &training.first_help, out)?;
    write_texts("help2", &training.second_help, out)?;
    for (i, solution) in training.solutions.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b" solutions=" } else { b"," });
        let (from, to) = (solution.from, solution.to);
        write!(out, "{from}{to}/{}/{}", solution.promotion, solution.points)?;
        for text in &solution.comments {
            write!(out, "/{}:", text.language)?;
            encode(&text.text, out);
        }
    }
    Ok(())
}

fn write_quotation(quotation: &Quotation, out: &mut Vec<u8>) -> std::io::Result<()> {
    out.extend_from_slice(b"[%cbquotation");
    field("white", &quotation.white, out);
    field("black", &quotation.black, out);
    field("event", &quotation.event, out);
    field("site", &quotation.site, out);
    field("result", &quotation.result.to_string(), out);
    let Date { year, month, day } = quotation.date;
    write!(out, " date={year}/{month}/{day}")?;
    for (key, value) in [
        ("whiteElo", quotation.white_elo),
        ("blackElo", quotation.black_elo),
        ("eco", quotation.eco),
        ("type", quotation.tournament_type),
        ("nation", quotation.nation),
        ("category", quotation.category),
        ("rounds", quotation.rounds),
        ("round", quotation.round.into()),
        ("subRound", quotation.sub_round.into()),
        ("flags", quotation.flags),
        ("unknown", quotation.unknown),
    ] {
        write!(out, " {key}={value}")?;
    }
    if let Some(setup) = &quotation.setup {
        field("fen", &setup.fen(FenStyle::Shredder), out);
    }
    if let Some(moves) = &quotation.moves {
        out.extend_from_slice(b" moves=");
        for (i, ply) in moves.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match ply {
                Ply::Null => write!(out, "{comma}--")?,
                Ply::Move(m) => write!(out, "{comma}{:x}", m.to_bits())?,
            }
        }
    }
    Ok(())
}
