#![doc = include_str!("FORMAT.md")]

mod add_moves_to_known_positions;
mod block_store;
mod block_writer;
mod book;
mod book_builder;
mod contribution;
mod count_defects;
mod element_file;
mod element_to_book_position;
mod from_book;
mod header;
mod key;
mod merged_element;
mod move_code;
mod packed_counts;
mod parts;
mod read_element;
mod record_sorter;
mod sources;
mod sources_writer;
mod text_byte_order;
mod varint;
mod write_elements;
mod writer_settings;

pub use crate::books::mirrored::orientation::Orientation;
pub use book::KvetkaBook;
pub use book_builder::{AddedGame, KvetkaBuilder, eco_comment, first_part};
pub use count_defects::Findings;
pub use header::{Header, admits};
pub use key::Key;
pub use move_code::{decode_move, encode_move};
pub use read_element::ListForm;
pub use sources::{BookSource, SourceKind, Sources};
pub use sources_writer::SourceGame;
pub use text_byte_order::TextOrder;

use tabia_core::formats::{BookFormat, Companion, Confidence, FileFormat, FormatId, Probe};
use tabia_core::loss::{Feature, Features};

use super::MoveValues;

/// Kvetka opening books.
pub static FORMAT: BookFormat = BookFormat {
    file: FileFormat {
        id: FormatId::new("kvetka"),
        name: "Kvetka book",
        extensions: &["kob"],
        companions: &[
            Companion {
                extension: "kin",
                required: false,
                has_parts_of_games: false,
                holds: "index of the blocks",
            },
            Companion {
                extension: "ksf",
                required: false,
                has_parts_of_games: false,
                holds: "games the book was made from",
            },
        ],
        by_products: &[],
        score,
        evidence: "from the published description",
    },
    can: Features::of(&[
        Feature::BookCounts,
        Feature::BookResults,
        Feature::Comments,
        Feature::GameLinks,
    ]),
    is_mirrored: true,
    has_key_entries: false,
    open: |source, options| Ok(Box::new(KvetkaBook::open(source, options)?)),
    create: if cfg!(feature = "writers") {
        |path, options| Ok(Box::new(KvetkaBuilder::create(path, options)?))
    } else {
        super::not_written
    },
};

/// A move is a code alone; its counts are those of the position after it.
pub(super) const MOVE_VALUES: MoveValues = MoveValues::NONE;

/// The header has no magic number, so the first block must contain an element too. Later parts have
/// no header and are recognised by their names.
fn score(probe: &Probe<'_>) -> Confidence {
    let is_named = probe.extension() == "kob";
    let header = Header::read(probe.head).ok();
    let first = header.as_ref().and_then(|header| {
        let block = probe.head.get(header.length..)?;
        let bytes = read_element::declared_bytes(block)?;
        read_element::Elements::of(bytes)
            .next()
            .and_then(read_element::key_of)
    });
    let has_element = first.is_some_and(|key| key.position(Orientation::IDENTITY).is_some());
    match (is_named, has_element) {
        (true, true) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (true, false) => Confidence::ByName,
        (false, false) => Confidence::No,
    }
}
