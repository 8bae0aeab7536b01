#![doc = include_str!("FORMAT.md")]

mod line;
mod read;
mod style;
mod write;

use tabia_core::error::Result;
use tabia_core::formats::{Confidence, CreateOptions, FileFormat, FormatId, GameFormat, Probe};
use tabia_core::games::TextWriter;
use tabia_core::loss::{Feature, Features};

use style::LineStyle;

const EPD_ID: FormatId = FormatId::new("epd");
const FEN_ID: FormatId = FormatId::new("fen");

/// The features of a game of both formats.
const CAN: Features = Features::of(&[
    Feature::Tags,
    Feature::SetupPositions,
    Feature::IllegalPositions,
    Feature::Chess960,
    Feature::ChessGames,
]);

/// Positions with operations.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: EPD_ID,
        name: "EPD suite",
        extensions: &["epd"],
        companions: &[],
        by_products: &[],
        score: score_epd,
        evidence: "",
    },
    can: CAN,
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: |source, options| Ok(Box::new(read::Suite::open(EPD_ID, source, options)?)),
    open_stream: None,
    open_blocks: None,
    create_text: if cfg!(feature = "writers") {
        Some(|options| create(LineStyle::Epd, options))
    } else {
        None
    },
    create: None,
    edit: None,
};

/// Positions, each with its counters.
pub static FEN: GameFormat = GameFormat {
    file: FileFormat {
        id: FEN_ID,
        name: "FEN list",
        extensions: &["fen"],
        companions: &[],
        by_products: &[],
        score: score_fen,
        evidence: "",
    },
    can: CAN,
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: |source, options| Ok(Box::new(read::Suite::open(FEN_ID, source, options)?)),
    open_stream: None,
    open_blocks: None,
    create_text: if cfg!(feature = "writers") {
        Some(|options| create(LineStyle::Fen, options))
    } else {
        None
    },
    create: None,
    edit: None,
};

fn create(style: LineStyle, options: &CreateOptions) -> Result<Box<dyn TextWriter>> {
    options.is_utf8("a suite of positions")?;
    Ok(Box::new(write::Writer::new(style, options)))
}

fn score_epd(probe: &Probe<'_>) -> Confidence {
    match score(&FORMAT, probe) {
        // A file without a name for either format.
        None => Confidence::Likely,
        Some(confidence) => confidence,
    }
}

fn score_fen(probe: &Probe<'_>) -> Confidence {
    score(&FEN, probe).unwrap_or(Confidence::No)
}

/// How certainly a file is of a format: by its extension, and whether its first line is a position.
/// `None` if it is a list of positions with another extension.
fn score(format: &GameFormat, probe: &Probe<'_>) -> Option<Confidence> {
    let named = format.file.extensions.contains(&probe.extension().as_str());
    let first = line::lines(probe.head).next();
    let is_position = first.is_some_and(|line| line::is_position(line.bytes));
    match (named, is_position) {
        (true, true) => Some(Confidence::Certain),
        (false, true) => None,
        (true, false) if !probe.head.contains(&0) => Some(Confidence::ByName),
        _ => Some(Confidence::No),
    }
}
