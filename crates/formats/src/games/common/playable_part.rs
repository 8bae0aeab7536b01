//! The part of a game that a format can store: each line to the first move that cannot be stored.

use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Event, Game, Visitor as _};
use tabia_core::loss::{Feature, Losses};

/// The game without the moves that cannot be stored and what follows them in their lines. `can_store` is asked
/// for each move with the position before it; without a start position no move is stored.
///
/// Counts what is left out: moves and annotations of the lines that end early, and variations, of which nothing
/// else is counted.
pub(crate) fn playable_part(
    game: &Game,
    mut position: Option<Position>,
    mut can_store: impl FnMut(&mut Position, Ply) -> bool,
    losses: &mut Losses,
) -> Game {
    let mut part = Game::new();
    let mut recorder = part.recorder();
    let _ = recorder.begin_game(GameIndex(0), &game.head);
    // The position before the last move, and the lines that are open around this one.
    let mut before = None;
    let mut open = Vec::new();
    // Of a line that has ended early, the number of its variations that are open.
    let mut ended: Option<u32> = None;
    for event in game.events() {
        if let Some(depth) = ended {
            match event {
                Event::BeginVariation => {
                    losses.add(Feature::Variations, u64::from(depth == 0), None);
                    ended = Some(depth + 1);
                }
                Event::EndVariation if depth > 0 => ended = Some(depth - 1),
                Event::EndVariation => ended = None,
                Event::Move(_) => losses.add(Feature::Moves, u64::from(depth == 0), None),
                Event::Annotation(annotation) => {
                    losses.add(annotation.feature(), u64::from(depth == 0), None);
                }
            }
            if ended.is_some() {
                continue;
            }
        }
        match event {
            Event::Move(ply) => {
                if let Some(now) = &mut position
                    && can_store(now, ply)
                {
                    let _ = recorder.visit_move(now, ply);
                    before = Some(now.clone());
                    now.play_ply(ply);
                } else {
                    losses.add(Feature::Moves, 1, None);
                    ended = Some(0);
                }
            }
            Event::Annotation(annotation) => {
                let _ = recorder.visit_annotation(annotation);
            }
            Event::BeginVariation => {
                let _ = recorder.begin_variation();
                let after = position.take();
                position.clone_from(&before);
                open.push((before.take(), after));
            }
            Event::EndVariation => {
                recorder.end_variation();
                (before, position) = open.pop().unwrap_or_default();
            }
        }
    }
    recorder.end_game(game.result);
    part
}
