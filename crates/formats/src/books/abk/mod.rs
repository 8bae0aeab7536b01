#![doc = include_str!("FORMAT.md")]

mod header;
mod position_table;
mod read;
mod record;
mod tree;
mod write;

pub use header::Header;
pub use read::{AbkBook, Findings};
pub use record::{Record, decode_move, encode_move};
pub use write::AbkWriter;

use tabia_core::formats::{Confidence, Format, FormatId, Kind, Probe};
use tabia_core::loss::{Feature, Features};

/// Arena opening books.
pub static FORMAT: Format = Format {
    id: FormatId::new("abk"),
    name: "Arena book",
    kind: Kind::Book,
    extensions: &["abk"],
    companions: &[],
    score,
    can: Features::of(&[
        Feature::BookWeights,
        Feature::BookCounts,
        Feature::BookResults,
    ]),
    evidence: "",
    open_database: None,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    can_with: None,
    create_database: None,
    open_book: Some(|source, options| Ok(Box::new(AbkBook::open(source, options)?))),
    create_book: Some(|path, options| Ok(Box::new(AbkWriter::create(path, options)?))),
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
