//! Sets with every file and every kind of name: what changes of them keep, and which are refused.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::little_endian_bytes,
    reason = "a test fails by panicking"
)]

mod append_and_pack_keep_files;
mod complete_set;
mod refused_records;
