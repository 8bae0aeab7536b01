#![doc = include_str!("FORMAT.md")]

mod line;
mod read;
mod write;

use tabia_core::formats::{Confidence, FileFormat, FormatId, GameFormat, Probe};
use tabia_core::loss::{Feature, Features};

const ID: FormatId = FormatId::new("epd");

/// Suites of positions.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "EPD or FEN suite",
        extensions: &["epd", "fen"],
        companions: &[],
        score,
        evidence: "",
    },
    can: Features::of(&[
        Feature::Tags,
        Feature::SetupPositions,
        Feature::IllegalPositions,
        Feature::Chess960,
        Feature::ChessGames,
    ]),
    in_part: Features::NONE,
    can_with: None,
    open: |source, options| Ok(Box::new(read::Suite::open(source, options)?)),
    open_stream: None,
    open_blocks: None,
    create_text: Some(|options| {
        options.is_utf8("a suite of positions")?;
        Ok(Box::new(write::Writer::new(options)))
    }),
    create: None,
    edit: None,
};

/// How certainly a file is a suite: by its extension, and whether its first line is a position.
fn score(probe: &Probe<'_>) -> Confidence {
    let named = FORMAT.file.extensions.contains(&probe.extension().as_str());
    let first = line::lines(probe.head).next();
    let is_position = first.is_some_and(|line| line::is_position(line.bytes));
    match (named, is_position) {
        (true, true) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (true, false) if !probe.head.contains(&0) => Confidence::ByName,
        _ => Confidence::No,
    }
}
