#![doc = include_str!("FORMAT.md")]

mod book;
mod count_defects;
mod hash;
mod header;
mod key;
mod merged_record;
mod moves;
mod nags;
mod packed_stats;
mod page_builder;
mod page_store;
mod page_tree;
mod raw_page_and_move;
mod record;
mod record_sorter;
mod record_to_book_position;
mod write;

pub use crate::books::mirrored::orientation::Orientation;
pub use book::CtgBook;
pub use count_defects::Findings;
pub use hash::hash;
pub use header::Header;
pub use key::{Key, Keys, decode};
pub use moves::{decode_move, encode_move};
pub use nags::{annotation, commentary};
pub use page_tree::Lookup;
pub use raw_page_and_move::{RawMove, RawPage};
pub use record::{DATA, PAGE, Record, Records, Stats};
pub use write::CtgWriter;

use std::path::Path;

use tabia_core::books::{Book, BookWriter};
use tabia_core::error::Result;
use tabia_core::formats::{
    BookFormat, Companion, Confidence, CreateOptions, FileFormat, FormatId, OpenOptions, Probe,
};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Features};

use super::MoveValues;

/// `ChessBase` opening books.
pub static FORMAT: BookFormat = BookFormat {
    file: FileFormat {
        id: FormatId::new("ctg"),
        name: "ChessBase book",
        extensions: &["ctg"],
        companions: &[
            Companion {
                extension: "ctb",
                required: false,
                has_parts_of_games: false,
                holds: "which pages were split",
            },
            Companion {
                extension: "cto",
                required: false,
                has_parts_of_games: false,
                holds: "where each page is",
            },
            Companion {
                extension: "ini",
                required: false,
                has_parts_of_games: false,
                holds: "options of the book (not read)",
            },
        ],
        by_products: &[],
        score,
        evidence: "",
    },
    can: Features::of(&[
        Feature::BookCounts,
        Feature::BookResults,
        Feature::BookRatings,
        Feature::BookAdvice,
        Feature::Nags,
    ]),
    is_mirrored: true,
    has_key_entries: false,
    open,
    create: if cfg!(feature = "writers") {
        create
    } else {
        super::not_written
    },
};

/// What `ChessBase` books hold of a move.
pub(super) const MOVE_VALUES: MoveValues = MoveValues {
    nags: true,
    advice: true,
    weights_become_games: true,
    ..MoveValues::NONE
};

/// The lengths of header and page, then numbers that are the same in every known book.
fn score(probe: &Probe<'_>) -> Confidence {
    if !Header::is_book(probe.head) {
        return Confidence::No;
    }
    let known = [0, 1, 0, 1, 0, 0, 0x10, 0, 0x7f, 0xff, 0x7f, 0xff];
    match (
        probe.head.get(4..16) == Some(&known),
        probe.extension() == "ctg",
    ) {
        (true, _) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (false, false) => Confidence::No,
    }
}

fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Book>> {
    Ok(Box::new(CtgBook::open(source, options)?))
}

fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn BookWriter>> {
    Ok(Box::new(CtgWriter::create(path, options)?))
}
