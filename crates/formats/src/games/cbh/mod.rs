//! ChessBase databases (`.cbh` and its companions). The bytes are described in `FORMAT.md`.

pub mod annotations;
pub mod charset;
pub mod content_summary;
pub mod entities;
pub mod entity_order;
pub mod field_codecs;
pub mod guiding_texts;
mod hexadecimal;
mod index_entry;
pub mod moves;
pub mod nations;
mod open;
mod placeholder_names;
mod read;
pub mod records;
mod salvage;
mod search_boosters;
pub mod side_files;
pub mod tags;
pub mod timestamps;
pub mod verify;
pub mod write;

#[cfg(test)]
mod tests;

use tabia_core::formats::{
    Companion, Confidence, EditFunctions, FileFormat, FormatId, GameFormat, Probe,
};
use tabia_core::loss::{Feature, Features};

use records::FileHeader;

pub use open::{CbhDatabase, Record};
pub use write::edit;

/// ChessBase databases.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: FormatId::new("cbh"),
        name: "ChessBase database",
        extensions: &["cbh"],
        companions: &[
            companion("cbg", "moves and guiding texts"),
            companion("cba", "annotations"),
            companion("cbp", "players"),
            companion("cbt", "tournaments"),
            companion("cbc", "annotators"),
            companion("cbs", "sources"),
            companion("cbe", "teams"),
            companion("cbl", "game tags"),
            companion("cbtt", "tournament extras"),
            companion("cbj", "extended game headers"),
            companion("cbm", "media of guiding texts"),
            companion("flags", "top games"),
            companion("ini", "title and window settings"),
        ],
        score,
        evidence: "",
    },
    can: Features::ALL.without(&[
        Feature::DatabaseFacts,
        Feature::Tags,
        Feature::LongText,
        Feature::ShapeColors,
        Feature::UnreadMoves,
    ]),
    can_with: None,
    open: open::open,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: Some(write::create),
    edit: Some(EditFunctions {
        open: edit::open,
        append: edit::append,
        pack: edit::pack,
    }),
};

const fn companion(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        extension,
        required: false,
        holds,
    }
}

/// The header says how long it is and that records have 46 bytes.
fn score(probe: &Probe<'_>) -> Confidence {
    let is_named = probe.extension() == "cbh";
    match FileHeader::read(probe.head) {
        Some(header) if is_ours(header) => Confidence::Certain,
        // Too short to tell: the name gives the message about what is wrong.
        None if is_named => Confidence::ByName,
        _ => Confidence::No,
    }
}

fn is_ours(header: &FileHeader) -> bool {
    header.zero == 0
        && (30..=46).contains(&header.header_size.get())
        && usize::from(header.record_size.get()) == FileHeader::SIZE
}
