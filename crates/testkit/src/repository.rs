//! Where the repository is.

use std::path::{Path, PathBuf};

/// The root folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
