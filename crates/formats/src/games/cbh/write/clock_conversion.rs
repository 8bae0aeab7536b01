//! Times left after moves as times spent on them, which is what ChessBase stores. No reader makes them times
//! left again, so that each is a loss.

use tabia_core::game::{Annotation, Clock, ClockKind, TimeControl};
use tabia_core::loss::{Feature, Losses};

use crate::games::cbh::time_left_from_time_spent::{MoveClocks, TimeLeft, times_left};

/// Counts the times left after moves, and replaces those of the mainline by the times spent that surely follow
/// from them and `control`; the others are removed. `anchored` is sorted by position; `ply_of` is
/// the ply of the mainline at a position, which has `plies` of them.
pub(crate) fn convert(
    anchored: &mut Vec<(i32, Annotation<'_>)>,
    plies: usize,
    ply_of: impl Fn(i32) -> Option<usize>,
    control: Option<&TimeControl>,
    losses: &mut Losses,
) {
    let is_left = |annotation: &Annotation<'_>| matches!(annotation, Annotation::Clock(clock) if clock.kind == ClockKind::Remaining);
    if !anchored.iter().any(|(_, annotation)| is_left(annotation)) {
        return;
    }
    let mut times = Vec::new();
    if let Some(control) = control {
        let mut clocks = vec![MoveClocks::default(); plies];
        for (position, annotation) in &*anchored {
            let ply = ply_of(*position);
            if let (Some(clocks), Annotation::Clock(clock)) =
                (ply.and_then(|ply| clocks.get_mut(ply)), annotation)
            {
                match clock.kind {
                    ClockKind::Remaining => clocks.left = clocks.left.or(Some(clock.time)),
                    ClockKind::ElapsedMove => clocks.spent = clocks.spent.or(Some(clock.time)),
                    _ => {}
                }
            }
        }
        times = times_left(control, &clocks);
    }
    anchored.retain_mut(|(position, annotation)| {
        if !is_left(annotation) {
            return true;
        }
        let ply = ply_of(*position);
        let time = ply.and_then(|ply| times.get_mut(ply)).map(std::mem::take);
        match time.unwrap_or_default() {
            TimeLeft::Spent(time) => {
                losses.add(Feature::Clocks, 1, None);
                *annotation = Annotation::Clock(Clock {
                    kind: ClockKind::ElapsedMove,
                    time,
                });
                true
            }
            TimeLeft::Lost => {
                losses.add(Feature::Clocks, 1, None);
                false
            }
        }
    });
}
