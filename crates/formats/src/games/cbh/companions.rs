//! The files of a set beyond its main file: their extensions and what they hold.

use tabia_core::formats::Companion;

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
