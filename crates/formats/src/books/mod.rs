//! Formats of opening books.

pub mod abk;
pub mod ctg;
pub mod kvetka;
pub(crate) mod mirrored;
pub mod polyglot;
