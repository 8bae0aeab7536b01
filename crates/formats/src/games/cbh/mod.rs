//! ChessBase databases (`.cbh` and its companions). The bytes are described in `FORMAT.md`.

pub mod annotations;
pub mod charset;
pub(crate) mod companions;
pub mod content_summary;
mod database_impl;
pub mod entities;
pub mod entity_and_side_tables;
pub mod entity_order;
pub mod field_codecs;
pub mod files_of_newer_versions;
mod format_id;
pub mod guiding_texts;
mod headerless_record_finder;
mod hexadecimal;
mod index_heads;
pub(crate) mod ini_file;
mod missing_files;
pub mod moves;
mod name_uses;
pub mod nations;
mod open;
mod placeholder_names;
mod record_reader;
pub mod records;
mod salvage;
mod search_boosters;
mod shifted_records;
mod stored_texts;
pub mod tags;
pub(crate) mod time_left_from_time_spent;
pub mod timestamps;
pub mod verify;
pub mod write;
mod zeroed_parts;

#[cfg(test)]
mod tests;

use tabia_core::error::Result;
use tabia_core::formats::{Confidence, EditFunctions, FileFormat, GameFormat, OpenOptions, Probe};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Features};

use crate::games::common::salvage::is_for_repair;
use companions::COMPANIONS;
pub(crate) use companions::MEDIA_FOLDERS;
use format_id::ID;
use records::FileHeader;

pub use open::CbhDatabase;
pub use records::Record;
pub use write::edit;

/// ChessBase databases.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "ChessBase database",
        extensions: &["cbh"],
        companions: &COMPANIONS,
        by_products: &companions::BY_PRODUCTS,
        score,
        evidence: "",
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
    in_part: Features::of(&[Feature::Tags, Feature::ShapeColors, Feature::Clocks]),
    can_with: None,
    copies_texts: true,
    media_folders: &MEDIA_FOLDERS,
    open: open_database,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(write::create)
    } else {
        None
    },
    edit: if cfg!(feature = "writers") {
        Some(EditFunctions {
            open: edit::open,
            append: edit::append,
            pack: edit::pack,
            check: edit::check,
            derived: &write::DERIVED,
            settings: "ini",
        })
    } else {
        None
    },
};

fn open_database(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CbhDatabase::open(source, options)?))
}

impl CbhDatabase {
    /// Opens the set of the main file. Only that file is required; what the others lack is in
    /// [`Database::info`]. With [`OpenOptions::salvage`] no file is required, and lost headers and
    /// names are rebuilt from the files that are left.
    ///
    /// # Errors
    /// If a file of the set exists and cannot be read; if the main file is not that of a ChessBase
    /// database, unless it is salvaged.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        if is_for_repair(options)? {
            salvage::open(source, options)
        } else {
            open::open(source, options)
        }
    }
}

/// Recognizes the file by the header's own size and the record size of 46 bytes in it.
fn score(probe: &Probe<'_>) -> Confidence {
    let is_named = probe.extension() == "cbh";
    match FileHeader::read(probe.head) {
        Some(header) if header.is_cbh() => Confidence::Certain,
        // Too short to recognize; opening it by name reports why.
        None if is_named => Confidence::ByName,
        _ => Confidence::No,
    }
}
