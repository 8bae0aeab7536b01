//! The id of the format and the files of a set.

use tabia_core::formats::{Companion, FormatId};

/// The id of the format.
pub(super) const ID: FormatId = FormatId::new("cbh");

/// The companions of the main file; none is required.
pub(super) static COMPANIONS: [Companion; 13] = [
    companion("cbg", "moves and guiding texts"),
    companion("cba", "annotations"),
    companion("cbp", "players"),
    companion("cbt", "tournaments"),
    companion("cbc", "annotators"),
    companion("cbs", "sources"),
    companion("cbe", "teams"),
    companion("cbl", "game tags"),
    companion("cbtt", "tournament extras"),
    companion("cbj", "extended game headers"),
    companion("cbm", "media of guiding texts"),
    companion("flags", "top games"),
    companion("ini", "title and window settings"),
];

const fn companion(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        extension,
        required: false,
        holds,
    }
}
