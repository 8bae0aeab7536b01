//! Formats of opening books.

pub mod abk;
pub mod ctg;
pub(crate) mod external_sort;
pub mod interpolation_search;
pub mod kvetka;
pub(crate) mod mirrored;
pub mod polyglot;
