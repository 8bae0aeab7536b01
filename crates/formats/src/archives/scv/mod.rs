//! Scidb's archives, `.scv`. Layout: FORMAT.md in this folder.

mod checksum;
mod header;
mod lzo;
mod read;
mod write;

use tabia_core::formats::{Confidence, Probe};

use super::{ArchiveFormat, descriptor};

/// The first line.
const MAGIC: &[u8] = b"iveArch";

/// Scidb's archives.
pub static SCV: ArchiveFormat = ArchiveFormat {
    format: descriptor(
        "scv",
        "Scidb archive",
        &["scv"],
        score,
        "LZO members: no program is known to write them",
    ),
    open: read::open,
    create: Some(write::create),
};

fn score(probe: &Probe<'_>) -> Confidence {
    match probe.head.strip_prefix(MAGIC) {
        Some([b'\n', ..] | [b'\r', b'\n', ..]) => Confidence::Certain,
        _ => Confidence::No,
    }
}
