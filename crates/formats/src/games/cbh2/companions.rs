//! The files of a set beyond its main file: their extensions and what they hold.

use tabia_core::formats::Companion;

use crate::games::cbh::companions::{companion, part_of_games};

/// The companions of the main file; none is required.
pub(super) static COMPANIONS: [Companion; 6] = [
    part_of_games("2cbg", "moves and guiding texts"),
    part_of_games("2cba", "annotations"),
    part_of_games("2lid", "players, tournaments, sources, teams, titles"),
    companion("2lcd", "orders of names"),
    companion("2lgd", "games of names"),
    companion("ini", "title and window settings"),
];
