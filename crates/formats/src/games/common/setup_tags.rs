//! Tags that state the setup position of a game.

use tabia_core::chess::{FenStyle, Setup};
use tabia_core::game::{Tags, is_blank_value};
use tabia_core::io::{Charset, decode};

/// Parses the FEN in a record and adds the tags that state it. A FEN that cannot be parsed is added as
/// it is, and the result is `None`.
pub(crate) fn read_fen(fen: &[u8], charset: Charset, tags: &mut Tags) -> Option<Setup> {
    if let Ok(setup) = Setup::parse_fen(fen) {
        push_setup(&setup, tags);
        return Some(setup);
    }
    tags.push("FEN", &decode(fen, charset));
    None
}

/// Adds the tags that state a setup position. A text that the record has as `SetUp` is kept.
pub(crate) fn push_setup(setup: &Setup, tags: &mut Tags) {
    if tags.get("SetUp").is_none_or(is_blank_value) {
        tags.set("SetUp", "1");
    }
    tags.push("FEN", &setup.fen(FenStyle::XFen));
}
