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

use tabia_core::formats::{Companion, Confidence, FileFormat, FormatId, GameFormat, Probe};
use tabia_core::loss::{Feature, Features};

use record::Header;

/// ChessBase databases of before 1994.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "ChessBase database for DOS",
        extensions: &["cbf"],
        companions: &[Companion {
            extension: "cbi",
            required: false,
            has_parts_of_games: false,
            holds: "offsets of the games",
        }],
        by_products: &[],
        score,
        evidence: "made by the tests",
    },
    can: Features::of(&[
        Feature::Moves,
        Feature::ChessGames,
        Feature::SetupPositions,
        Feature::Variations,
        Feature::Comments,
        Feature::CommentText,
        Feature::Nags,
    ]),
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: read::open,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: None,
    edit: None,
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
