//! Archives of Scidb, `.scv`. Layout: FORMAT.md in this folder.

mod checksum;
mod header;
mod lzo;
mod read;
mod write;

use tabia_core::formats::{Confidence, Probe};

use super::archive::file_format;
use super::{ArchiveFormat, Packing};

/// The first line.
const MAGIC: &[u8] = b"iveArch";

/// Archives of Scidb.
pub static SCV: ArchiveFormat = ArchiveFormat {
    file: file_format(
        "scv",
        "Scidb archive",
        &["scv"],
        score,
        "LZO members: no program is known to write them",
    ),
    open: read::open,
    create: if cfg!(feature = "writers") {
        Some(write::create)
    } else {
        None
    },
    packings: &[Packing::Stored, Packing::Zlib, Packing::Lzo],
};

fn score(probe: &Probe<'_>) -> Confidence {
    match probe.head.strip_prefix(MAGIC) {
        Some([b'\n', ..] | [b'\r', b'\n', ..]) => Confidence::Certain,
        _ => Confidence::No,
    }
}
