//! Databases of ChessBase for DOS and Atari (`.cbf` and `.cbi`), read only. The bytes are described
//! in `FORMAT.md`.

mod annotations;
mod charset;
mod moves;
mod read;
mod record;
mod replay;

#[cfg(test)]
mod tests;

use tabia_core::formats::{Companion, Confidence, Format, FormatId, Kind, Probe};
use tabia_core::loss::{Feature, Features};

use record::Header;

/// ChessBase databases of before 1994.
pub static FORMAT: Format = Format {
    id: ID,
    name: "ChessBase database for DOS",
    kind: Kind::Database,
    extensions: &["cbf"],
    companions: &[Companion {
        extension: "cbi",
        required: false,
        holds: "where the games lie",
    }],
    score,
    can: Features::of(&[
        Feature::Moves,
        Feature::ChessGames,
        Feature::SetupPositions,
        Feature::Variations,
        Feature::Comments,
        Feature::CommentText,
        Feature::Nags,
    ]),
    evidence: "made by the tests",
    open_database: Some(read::open),
    open_stream: None,
    open_blocks: None,
    create_text: None,
    can_with: None,
    create_database: None,
    open_book: None,
    create_book: None,
};

const ID: FormatId = FormatId::new("cbf");

/// There is no magic; the header of the first record has a check byte.
fn score(probe: &Probe<'_>) -> Confidence {
    if probe.extension() != "cbf" {
        return Confidence::No;
    }
    match Header::read(probe.head) {
        Some(header) if header.is_checked => Confidence::Likely,
        _ => Confidence::ByName,
    }
}
