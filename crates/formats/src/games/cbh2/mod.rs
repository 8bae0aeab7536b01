//! Databases of ChessBase 17 and later (`.2cbh` and its companions), implemented from published
//! notes without a sample file. The bytes are described in `FORMAT.md`.

mod annotations;
mod collation;
mod companions;
mod container;
mod database_impl;
mod format_id;
mod game_lists;
mod index_heads;
mod move_codes;
mod move_tree;
mod name_orders;
mod name_roles;
mod names;
mod open;
mod record_contents;
mod record_reader;
mod records;
mod replay;
mod salvage;
mod start_position;
mod tags;
mod verify;
mod write;
mod zeroed_records;

#[cfg(test)]
mod tests;

use tabia_core::formats::{Confidence, FileFormat, GameFormat, Probe};
use tabia_core::loss::{Feature, Features};

use crate::games::cbh::MEDIA_FOLDERS;
use companions::COMPANIONS;
use format_id::ID;
use records::FileHeader;

/// ChessBase databases of version 17 and later.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "ChessBase 17 database",
        extensions: &["2cbh"],
        companions: &COMPANIONS,
        by_products: &[],
        score,
        evidence: "from published notes, unverified",
    },
    can: Features::ALL.without(&[
        Feature::DatabaseFacts,
        Feature::Tags,
        Feature::TagSpellings,
        Feature::LongText,
        Feature::MediaFiles,
        Feature::ShapeColors,
        Feature::UnreadMoves,
    ]),
    in_part: Features::of(&[
        Feature::Tags,
        Feature::ShapeColors,
        Feature::Clocks,
        Feature::Media,
    ]),
    can_with: None,
    copies_texts: false,
    media_folders: &MEDIA_FOLDERS,
    open: open::open,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(write::create)
    } else {
        None
    },
    edit: None,
};

/// Recognizes the file by its extension and the record size of 192 bytes in the header, which has no
/// known magic number.
fn score(probe: &Probe<'_>) -> Confidence {
    let is_named = probe.extension() == "2cbh";
    match FileHeader::read(probe.head) {
        Some(header) if header.is_ours() && is_named => Confidence::Certain,
        // Too short, or a version with other records; opening it by name reports which.
        _ if is_named => Confidence::ByName,
        _ => Confidence::No,
    }
}
