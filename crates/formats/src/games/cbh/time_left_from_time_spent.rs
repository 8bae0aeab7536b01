//! The time spent on each move, from the clocks after the moves and the time control.

use std::time::Duration;

use tabia_core::game::TimeControl;

/// The clocks of a move of the mainline.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MoveClocks {
    /// Time left to the mover after the move.
    pub(crate) left: Option<Duration>,
    /// Time spent on the move.
    pub(crate) spent: Option<Duration>,
}

/// What becomes of the time left after a move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TimeLeft {
    /// The time spent is stated too, or not known.
    #[default]
    Lost,
    /// The time that was spent on the move.
    Spent(Duration),
}

/// Decides for each ply of a mainline from the standard start position how its time left is stored. The
/// increment is added after a move, and the time of the next stage after the last move of a stage. Some
/// servers add nothing after the first move, whose time is not known then unless the clock shows more than
/// it began with.
pub(crate) fn times_left(control: &TimeControl, moves: &[MoveClocks]) -> Vec<TimeLeft> {
    let in_minutes = in_minutes(control, moves);
    let control = in_minutes.as_ref().unwrap_or(control);
    let mut sides = [Side::new(control), Side::new(control)];
    let plies = moves.iter().enumerate();
    plies
        .map(|(ply, clocks)| {
            sides
                .get_mut(ply % 2)
                .map_or(TimeLeft::Lost, |side| side.play(*clocks))
        })
        .collect()
}

/// The time control whose minutes the tag has as seconds, as broadcasts of Lichess write `90+30`; `None` if the clocks
/// after the first moves do not show more than its seconds, or more than its minutes too.
fn in_minutes(control: &TimeControl, moves: &[MoveClocks]) -> Option<TimeControl> {
    let [first, ..] = &control.stages;
    let increment = i64::from(first.increment);
    let first_moves = moves.iter().take(2).filter_map(|clocks| clocks.left);
    let shown = first_moves.filter_map(hundredths).max()?;
    let mut control = *control;
    for stage in &mut control.stages {
        stage.start = stage.start.checked_mul(60)?;
    }
    let [minutes, ..] = &control.stages;
    let is_shown = shown > i64::from(first.start) + increment;
    (is_shown && shown <= i64::from(minutes.start) + 2 * increment).then_some(control)
}

/// Hundredths of a second; `None` for finer times.
fn hundredths(time: Duration) -> Option<i64> {
    let fraction = time.subsec_nanos();
    if !fraction.is_multiple_of(10_000_000) {
        return None;
    }
    i64::try_from(time.as_secs())
        .ok()?
        .checked_mul(100)?
        .checked_add(i64::from(fraction / 10_000_000))
}

/// Hours are stored in one byte.
const LIMIT: i64 = 256 * 360_000;

/// The clock of one side, all times in hundredths of a second.
struct Side<'c> {
    control: &'c TimeControl,
    stage: usize,
    /// Moves played in the stage.
    moves: u16,
    /// The time left; `None` once it is unknown.
    left: Option<i64>,
    /// No move was played.
    is_new: bool,
}

impl<'c> Side<'c> {
    fn new(control: &'c TimeControl) -> Self {
        let [first, ..] = &control.stages;
        Self {
            control,
            stage: 0,
            moves: 0,
            left: Some(first.start.into()),
            is_new: true,
        }
    }

    fn play(&mut self, clocks: MoveClocks) -> TimeLeft {
        let stages = &self.control.stages;
        let mut added = stages
            .get(self.stage)
            .map_or(0, |stage| i64::from(stage.increment));
        self.moves = self.moves.saturating_add(1);
        if let Some(stage) = stages.get(self.stage)
            && stage.kind == 1
            && self.moves >= stage.moves
            && let Some(next) = stages.get(self.stage + 1)
        {
            added += i64::from(next.start);
            self.stage += 1;
            self.moves = 0;
        }
        let before = self.left.take();
        let is_first = std::mem::replace(&mut self.is_new, false);
        let stated = clocks.left.map(hundredths);
        let spent = clocks.spent.map(hundredths);
        let clock = before;
        let Some(before) = before.and_then(|before| before.checked_add(added)) else {
            return TimeLeft::Lost;
        };
        match (stated, spent) {
            (_, Some(None)) | (Some(None) | None, None) => TimeLeft::Lost,
            (_, Some(Some(spent))) => {
                self.left = Some(before - spent).filter(|left| *left >= 0 && spent < LIMIT);
                TimeLeft::Lost
            }
            (Some(Some(stated)), None) => {
                let spent = before - stated;
                // Boards add the increment of the first move before it, too: what was spent on it is not known, but what
                // is left.
                if is_first && spent < 0 && -spent <= added {
                    self.left = Some(stated);
                    return TimeLeft::Lost;
                }
                if !(0..LIMIT).contains(&spent) {
                    return TimeLeft::Lost;
                }
                self.left = Some(stated);
                if is_first && added > 0 && clock.is_some_and(|clock| stated <= clock) {
                    return TimeLeft::Lost;
                }
                let nanos = (spent % 100) as u32 * 10_000_000;
                TimeLeft::Spent(Duration::new((spent / 100) as u64, nanos))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(seconds: u64) -> MoveClocks {
        MoveClocks {
            left: Some(Duration::from_secs(seconds)),
            spent: None,
        }
    }

    fn spent(seconds: u64) -> TimeLeft {
        TimeLeft::Spent(Duration::from_secs(seconds))
    }

    #[test]
    fn times_are_differences_of_clocks() {
        let control = TimeControl::parse("180+2").unwrap();
        // As Lichess counts: no time is added for the first move.
        let moves = [left(180), left(180), left(175), left(182), left(170)];
        let lost = TimeLeft::Lost;
        let expected = [lost, lost, spent(7), spent(0), spent(7)];
        assert_eq!(times_left(&control, &moves), expected);
        // More than at the start: the increment was added.
        let moves = [left(181), left(180)];
        assert_eq!(times_left(&control, &moves), [spent(1), lost]);
        let control = TimeControl::parse("180").unwrap();
        assert_eq!(times_left(&control, &[left(170)]), [spent(10)]);
    }

    #[test]
    fn minutes_that_are_written_as_seconds_are_recognised_by_the_clocks() {
        let control = TimeControl::parse("90+30").unwrap();
        let moves = [left(5425), left(5400), left(5440)];
        assert_eq!(
            times_left(&control, &moves),
            [spent(5), TimeLeft::Lost, spent(15)]
        );
        // The increment of the first move was added before it.
        let moves = [left(5456), left(5446), left(5472), left(5452)];
        let expected = [TimeLeft::Lost, TimeLeft::Lost, spent(14), spent(24)];
        assert_eq!(times_left(&control, &moves), expected);
        // More than the minutes, too.
        let moves = [left(7200), left(7200), left(7100)];
        assert_eq!(times_left(&control, &moves), [TimeLeft::Lost; 3]);
    }

    #[test]
    fn stages_add_their_time_after_their_last_move() {
        let control = TimeControl::parse("2/100+1:50+1").unwrap();
        let moves = [left(101), left(90), left(140), left(141), left(141)];
        let expected = [spent(0), TimeLeft::Lost, spent(12), spent(0), spent(0)];
        assert_eq!(times_left(&control, &moves), expected);
    }

    #[test]
    fn a_clock_after_a_gap_is_lost() {
        let control = TimeControl::parse("300").unwrap();
        let both = |left_over, used| MoveClocks {
            left: Some(Duration::from_secs(left_over)),
            spent: Some(Duration::from_secs(used)),
        };
        let fine = MoveClocks {
            left: Some(Duration::from_millis(290_001)),
            spent: None,
        };
        let moves = [
            both(290, 10),
            left(299),
            both(290, 10),
            MoveClocks::default(),
            both(270, 10),
            left(280),
            left(271),
            fine,
        ];
        let expected = [
            // The time spent is stated.
            TimeLeft::Lost,
            spent(1),
            // The two times contradict each other.
            TimeLeft::Lost,
            TimeLeft::Lost,
            TimeLeft::Lost,
            TimeLeft::Lost,
            TimeLeft::Lost,
            TimeLeft::Lost,
        ];
        assert_eq!(times_left(&control, &moves), expected);
    }
}
