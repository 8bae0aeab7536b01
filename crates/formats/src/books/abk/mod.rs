#![doc = include_str!("FORMAT.md")]

mod header;
mod position_table;
mod read;
mod record;
mod tree_writer;
mod write;

pub use header::Header;
pub use read::{AbkBook, Findings};
pub use record::{Record, decode_move, encode_move};
pub use write::AbkWriter;

use tabia_core::formats::{BookFormat, Confidence, FileFormat, FormatId, Probe};
use tabia_core::loss::{Feature, Features};

use super::MoveValues;

/// Arena opening books.
pub static FORMAT: BookFormat = BookFormat {
    file: FileFormat {
        id: FormatId::new("abk"),
        name: "Arena book",
        extensions: &["abk"],
        companions: &[],
        by_products: &[],
        score,
        evidence: "",
    },
    can: Features::of(&[
        Feature::BookWeights,
        Feature::BookCounts,
        Feature::BookResults,
    ]),
    is_mirrored: false,
    has_key_entries: false,
    open: |source, options| Ok(Box::new(AbkBook::open(source, options)?)),
    create: if cfg!(feature = "writers") {
        |path, options| Ok(Box::new(AbkWriter::create(path, options)?))
    } else {
        super::not_written
    },
};

/// What Arena books hold of a move.
pub(super) const MOVE_VALUES: MoveValues = MoveValues {
    max_weight: Some(9),
    ..MoveValues::NONE
};

fn score(probe: &Probe<'_>) -> Confidence {
    if header::is_arena(probe.head) {
        Confidence::Certain
    } else if probe.head.starts_with(header::MAGIC) && probe.extension() == "abk" {
        Confidence::ByName
    } else {
        Confidence::No
    }
}
