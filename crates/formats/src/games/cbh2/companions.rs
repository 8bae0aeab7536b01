//! The files of a set beyond its main file: their extensions and what they hold.

use tabia_core::formats::Companion;

/// The companions of the main file; none is required.
pub(super) static COMPANIONS: [Companion; 6] = [
    part_of_games("2cbg", "moves and guiding texts"),
    part_of_games("2cba", "annotations"),
    part_of_games("2lid", "players, tournaments, sources, teams, titles"),
    companion("2lcd", "orders of names"),
    companion("2lgd", "games of names"),
    companion("ini", "title and window settings"),
];

const fn companion(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        extension,
        required: false,
        has_parts_of_games: false,
        holds,
    }
}

const fn part_of_games(extension: &'static str, holds: &'static str) -> Companion {
    Companion {
        has_parts_of_games: true,
        ..companion(extension, holds)
    }
}
