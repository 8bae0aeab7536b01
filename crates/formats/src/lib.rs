//! The formats: what is on disk, read and written.
//!
//! One folder a format, in the wing of what it holds: [`games`], [`books`] or [`archives`]. Each wing
//! has a table of descriptors; everything that depends on formats iterates [`formats`].

pub mod archives;
pub mod books;
mod format;
pub mod games;
pub mod unsupported;

use tabia_core::{BookFormat, GameFormat};

pub use archives::ArchiveFormat;
pub use format::{Format, formats};

/// Every format of games, in the order of the documentation.
pub static GAMES: &[&GameFormat] = &[
    &games::pgn::FORMAT,
    &games::epd::FORMAT,
    &games::epd::FEN,
    &games::bpgn::FORMAT,
    &games::cbh::FORMAT,
    &games::cbh2::FORMAT,
    &games::cbf::FORMAT,
    &games::scid::SI3,
    &games::scid::SI4,
    &games::scid::SI5,
    &games::scidb::FORMAT,
];

/// Every format in which games are only written, in the order of the documentation.
pub static EXPORTS: &[&GameFormat] = &[&games::export::NDJSON, &games::export::CSV];

/// Every format of opening books, in the order of the documentation.
pub static BOOKS: &[&BookFormat] = &[
    &books::polyglot::FORMAT,
    &books::abk::FORMAT,
    &books::ctg::FORMAT,
    &books::kvetka::FORMAT,
];

/// Every format of archives, in the order of the documentation.
pub static ARCHIVES: &[&ArchiveFormat] = &[
    &archives::cbv::CBV,
    &archives::cbv::CBZ,
    &archives::scv::SCV,
    &archives::zip::ZIP,
];
