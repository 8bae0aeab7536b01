//! Shared by CTG and Kvetka, which keep a position and its mirror images in one record.

pub(crate) mod board_code;
pub(crate) mod book;
pub(crate) mod orientation;
pub(crate) mod position_hash;
pub(crate) mod reachable;
pub(crate) mod record_index;
pub(crate) mod record_lookup;
