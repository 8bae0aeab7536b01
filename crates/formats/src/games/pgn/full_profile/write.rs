//! Writes the commands of the profile `full`.

use std::io::Write as _;

use base64::Engine as _;
use tabia_core::chess::{FenStyle, Ply};
use tabia_core::game::{
    Annotation, Date, EvalPoint, MediaKind, Quotation, Score, Shape, ShapeColor, ShapeKind,
    TextKind, TimeStage, Training, TrainingText,
};

use super::BASE64;
use super::percent_encoding::encode;
use crate::games::pgn::shape_colors::letter_of;

/// Appends the command of an annotation; nothing for the kinds that other modules write, such as
/// comments.
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
            out.extend_from_slice(BASE64.encode(foreign.bytes).as_bytes());
        }
        _ => return Ok(()),
    }
    out.push(b']');
    Ok(())
}

/// Appends ` key=value`.
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
        // Kinds that are added to the enum later.
        _ => return Ok(()),
    };
    write!(out, "[%cbshape kind={kind} square={square}")?;
    if let ShapeKind::Arrow(_, to) = shape.kind {
        write!(out, " to={to}")?;
    }
    if let ShapeKind::Letter(_, letter) = shape.kind {
        field("letter", letter.encode_utf8(&mut [0; 4]), out);
    }
    out.extend_from_slice(b" color=");
    write_color(shape.color, out)
}

/// Appends `G`, `cb8` or `#ff8000`.
fn write_color(color: ShapeColor, out: &mut Vec<u8>) -> std::io::Result<()> {
    match color.by_name() {
        ShapeColor::Rgb(color) => write!(out, "#{color:06x}"),
        ShapeColor::ChessBase(number) => write!(out, "cb{number}"),
        named => {
            out.push(letter_of(named).unwrap_or(b'G'));
            Ok(())
        }
    }
}

/// Appends `language:text`, and `:G-e2e4` for each square or arrow.
fn write_entry(entry: &TrainingText, out: &mut Vec<u8>) -> std::io::Result<()> {
    write!(out, "{}:", entry.language)?;
    encode(&entry.text, out);
    for shape in &entry.shapes {
        let (square, to) = match shape.kind {
            ShapeKind::Square(square) => (square, None),
            ShapeKind::Arrow(from, to) => (from, Some(to)),
            _ => continue,
        };
        out.push(b':');
        write_color(shape.color, out)?;
        write!(out, "-{square}")?;
        if let Some(to) = to {
            write!(out, "{to}")?;
        }
    }
    Ok(())
}

/// Appends ` key=language:text,…`, or nothing if there are no texts.
fn write_texts(key: &str, texts: &[TrainingText], out: &mut Vec<u8>) -> std::io::Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    write!(out, " {key}=")?;
    for (i, text) in texts.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        out.extend_from_slice(comma.as_bytes());
        write_entry(text, out)?;
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
            out.push(b'/');
            write_entry(text, out)?;
        }
    }
    for (i, choice) in training.choices.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b" choices=" } else { b"," });
        write!(out, "{}", choice.points)?;
        for (mark, texts) in [(b"/a", &choice.answer), (b"/r", &choice.reply)] {
            for text in texts {
                out.extend_from_slice(mark);
                write_entry(text, out)?;
            }
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
