//! The formats: what is on disk, read and written.
//!
//! One folder a format, in the wing of what it holds: [`games`], [`books`] or [`archives`].

pub mod archives;
pub mod books;
pub mod games;
pub mod unsupported;

use tabia_core::Format;

/// Every format, in the order of the documentation. Everything that depends on formats iterates
/// this table.
pub static FORMATS: &[&Format] = &[
    &games::pgn::FORMAT,
    &games::epd::FORMAT,
    &games::bpgn::FORMAT,
    &games::cbh::FORMAT,
    &games::cbh2::FORMAT,
    &games::cbf::FORMAT,
    &books::polyglot::FORMAT,
    &books::abk::FORMAT,
    &books::ctg::FORMAT,
    &books::kvetka::FORMAT,
    &games::scid::SI3,
    &games::scid::SI4,
    &games::scid::SI5,
    &games::scidb::FORMAT,
];
