//! The formats: what is on disk, read and written.

use tabia_core::Format;

pub mod abk;
pub mod archive;
pub mod bpgn;
pub mod cbf;
pub mod cbh;
pub mod cbh2;
pub mod ctg;
pub mod epd;
mod frame;
mod guess;
pub mod kvetka;
mod numbering;
mod order;
mod origin;
pub mod pgn;
mod places;
mod plans;
pub mod polyglot;
pub mod scid;
pub mod scidb;
mod sight;
mod sorter;
mod turned;
pub mod unread;
mod walk;

pub use guess::lower_bound;

/// Every format, in the order of the documentation. Everything that depends on formats iterates
/// this table.
pub static FORMATS: &[&Format] = &[
    &pgn::FORMAT,
    &epd::FORMAT,
    &bpgn::FORMAT,
    &cbh::FORMAT,
    &cbh2::FORMAT,
    &cbf::FORMAT,
    &polyglot::FORMAT,
    &abk::FORMAT,
    &ctg::FORMAT,
    &kvetka::FORMAT,
    &scid::SI3,
    &scid::SI4,
    &scid::SI5,
    &scidb::FORMAT,
];
