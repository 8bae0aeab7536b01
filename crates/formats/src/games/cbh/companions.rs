//! The files of a set beyond its main file and the folders with media: their extensions and what they hold.

use tabia_core::formats::{Companion, MediaFolder};
use tabia_core::game::MediaKind;

/// The folders with the files that games and texts refer to.
pub(crate) static MEDIA_FOLDERS: [MediaFolder; 4] = [
    media_folder("html", None),
    media_folder("bmp", Some(MediaKind::Picture)),
    media_folder("wav", Some(MediaKind::Sound)),
    media_folder("avi", Some(MediaKind::Video)),
];

const fn media_folder(extension: &'static str, of: Option<MediaKind>) -> MediaFolder {
    MediaFolder { extension, of }
}

/// The companions of the main file; none is required.
pub(super) static COMPANIONS: [Companion; 13] = [
    part_of_games("cbg", "moves and guiding texts"),
    part_of_games("cba", "annotations"),
    part_of_games("cbp", "players"),
    part_of_games("cbt", "tournaments"),
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

/// Search boosters, keys and caches, see FORMAT.md.
pub(super) static BY_PRODUCTS: [&str; 16] = [
    "cbb", "cbgi", "cib", "cib2", "cit", "cit2", "ck1", "ck2", "ck3", "ckn", "cko", "cp1", "cp2",
    "cp3", "cpn", "cpo",
];

/// A file that a set may have.
pub(crate) const fn companion(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        extension,
        required: false,
        has_parts_of_games: false,
        holds,
    }
}

/// A file of which every game has a part.
pub(crate) const fn part_of_games(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        has_parts_of_games: true,
        ..companion(extension, holds)
    }
}
