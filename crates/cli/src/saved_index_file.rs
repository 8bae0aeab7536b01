//! Files of saved indexes, which are no inputs.

use std::path::Path;

/// Whether a file is named like a saved index: `games.pgn.tidx`.
pub(crate) fn is_saved_index(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "tidx")
}
