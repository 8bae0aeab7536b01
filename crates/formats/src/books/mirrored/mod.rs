//! Shared by CTG and Kvetka, which keep a position and its mirror images in one record.

pub(crate) mod board_code;
pub(crate) mod bridge;
pub(crate) mod orientation;
pub(crate) mod position_hash;
pub(crate) mod probe_and_walk;
pub(crate) mod reachable;
pub(crate) mod record_index;
pub(crate) mod record_lookup;
