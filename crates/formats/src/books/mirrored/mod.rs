//! What CTG and Kvetka share: books in which one record stands for a position and its mirror images.

pub(crate) mod board_code;
pub(crate) mod orientation;
pub(crate) mod position_hash;
pub(crate) mod reachable;
pub(crate) mod record_index;
