//! Parts of a game that no ChessBase database can store.

use tabia_core::game::{Event, Game};
use tabia_core::loss::{Feature, Losses};

use crate::games::cbh::tags::parse_values::{is_chess960, is_unknown};
use crate::games::common::annotation_order::comments_after_variations;

/// What is known of a game's encoded moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovesSummary {
    /// Plies of the mainline.
    pub(crate) mainline: u32,
    /// Whether the start position was stored completely.
    pub(crate) is_start_exact: bool,
    /// Whether the record is that of a Chess960 game.
    pub(crate) is_chess960: bool,
}

/// Counts what the moves and the header of a ChessBase database cannot store of a game.
pub(crate) fn count_losses(game: &Game, moves: MovesSummary, losses: &mut Losses) {
    let tags = &game.head.tags;
    losses.add(Feature::Tags, game.result.lost_tags(tags), None);
    let is_wrong = |name: &str, value: &str| match name {
        // An unknown one is counted with the other tags.
        "FEN" => game.head.start.contradicts(value) && !is_unknown(value),
        // Only setup positions have the tag when they are read.
        "SetUp" => {
            let start = &game.head.start;
            start.contradicts_setup_tag(value) || start.setup.is_none() && !is_unknown(value)
        }
        "Variant" => is_chess960(value) && !moves.is_chess960,
        "PlyCount" => value != moves.mainline.to_string() && !is_unknown(value),
        _ => false,
    };
    let wrong = tags.iter().filter(|(name, value)| is_wrong(name, value));
    for (name, _) in wrong {
        losses.add_named(Feature::Tags, name, None);
    }
    if game.has_variations() {
        losses.add(Feature::Variations, empty_variations(game), None);
        let moved = comments_after_variations(game);
        losses.add(Feature::CommentPlacement, moved, None);
    }
    if !moves.is_start_exact {
        losses.add_named(Feature::HeaderFacts, "FEN", None);
    }
}

/// Tags that games can store and texts cannot.
pub(crate) const GAME_ONLY_TAGS: [&str; 18] = [
    "White",
    "Black",
    "Date",
    "Result",
    "ECO",
    "WhiteElo",
    "BlackElo",
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    "FEN",
    "SetUp",
    "Variant",
    "PlyCount",
    "WhiteClock",
    "BlackClock",
    "TimeControl",
];

/// The number of variations without moves, which cannot be stored.
fn empty_variations(game: &Game) -> u64 {
    let mut is_empty = false;
    let mut count = 0;
    for event in game.events() {
        match event {
            Event::BeginVariation => is_empty = true,
            Event::Move(_) => is_empty = false,
            Event::EndVariation => {
                count += u64::from(is_empty);
                is_empty = false;
            }
            Event::Annotation(_) => {}
        }
    }
    count
}
