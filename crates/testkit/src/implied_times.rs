//! Times that follow from other times of a game.

use std::time::Duration;

use tabia_core::GameIndex;
use tabia_core::game::{
    Annotation, Clock, ClockKind, Event, Game, TimeControl, TimeStage, Visitor as _,
};

/// The times of a move of the mainline.
#[derive(Debug, Clone, Copy, Default)]
struct MoveTimes {
    left: Option<i128>,
    spent: Option<i128>,
}

/// The game with both the time left and the time spent at each move of the mainline where one of them
/// follows from the other, the moves before, and the tag `TimeControl`. Formats that store one of them
/// hold the same game.
pub fn with_implied_times(game: &Game) -> Game {
    let control = game
        .head
        .tags
        .get("TimeControl")
        .and_then(TimeControl::parse);
    let Some(control) = control.filter(|_| game.head.start.setup.is_none()) else {
        return game.clone();
    };
    let times = implied(&control, &stated(game));
    let mut out = Game::new();
    let mut recorder = out.recorder();
    let _ = recorder.begin_game(GameIndex(0), &game.head);
    let (mut depth, mut plies) = (0, 0);
    // The times of the last move that were not written yet.
    let mut last: Option<MoveTimes> = None;
    let mut written = [false; 2];
    for event in game.events() {
        let _ = match event {
            Event::Move(ply) => {
                recorder.push_move(ply);
                if depth == 0 {
                    last = times.get(plies).copied();
                    written = [false; 2];
                    plies += 1;
                }
                continue;
            }
            Event::BeginVariation => {
                depth += 1;
                recorder.begin_variation()
            }
            Event::EndVariation => {
                depth -= 1;
                recorder.end_variation();
                continue;
            }
            Event::Annotation(Annotation::Clock(clock))
                if depth == 0 && plies > 0 && kind_number(clock.kind).is_some() =>
            {
                if let Some(times) = last.take() {
                    let all = [
                        (ClockKind::Remaining, times.left),
                        (ClockKind::ElapsedMove, times.spent),
                    ];
                    for (kind, time) in all {
                        if let Some(time) = time {
                            let time = Duration::from_nanos(time as u64);
                            let _ =
                                recorder.visit_annotation(Annotation::Clock(Clock { kind, time }));
                        }
                    }
                }
                // The first of each kind has been written.
                let seen = kind_number(clock.kind).and_then(|number| written.get_mut(number));
                if seen.is_none_or(|seen| std::mem::replace(seen, true)) {
                    recorder.visit_annotation(Annotation::Clock(clock))
                } else {
                    continue;
                }
            }
            Event::Annotation(annotation) => recorder.visit_annotation(annotation),
        };
    }
    recorder.end_game(game.result);
    drop(recorder);
    out
}

fn kind_number(kind: ClockKind) -> Option<usize> {
    match kind {
        ClockKind::Remaining => Some(0),
        ClockKind::ElapsedMove => Some(1),
        _ => None,
    }
}

/// The first times that are stated at each move of the mainline, in nanoseconds.
fn stated(game: &Game) -> Vec<MoveTimes> {
    let mut times: Vec<MoveTimes> = Vec::new();
    let mut depth = 0;
    for event in game.events() {
        match event {
            Event::Move(_) if depth == 0 => times.push(MoveTimes::default()),
            Event::BeginVariation => depth += 1,
            Event::EndVariation => depth -= 1,
            Event::Annotation(Annotation::Clock(clock)) if depth == 0 => {
                let time = clock.time.as_nanos() as i128;
                let Some(times) = times.last_mut() else {
                    continue;
                };
                match clock.kind {
                    ClockKind::Remaining => times.left = times.left.or(Some(time)),
                    ClockKind::ElapsedMove => times.spent = times.spent.or(Some(time)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    times
}

/// Adds the times that follow from others.
fn implied(control: &TimeControl, stated: &[MoveTimes]) -> Vec<MoveTimes> {
    let mut times = stated.to_vec();
    // What a format with hundredths and one byte for the hours can store.
    let is_storable = |time: Option<i128>| {
        time.is_none_or(|time| time % 10_000_000 == 0 && time < 256 * 3_600_000_000_000)
    };
    for side in 0..2 {
        let mut stages = control.stages.iter();
        let nanos = |hundredths: i32| i128::from(hundredths) * 10_000_000;
        let Some(mut stage) = stages.next().copied() else {
            continue;
        };
        let mut before = nanos(stage.start);
        let mut moves = 0;
        for times in times.iter_mut().skip(side).step_by(2) {
            moves += 1;
            before += nanos(stage.increment);
            if !is_storable(times.spent) || times.left.is_some_and(|left| left % 10_000_000 != 0) {
                break;
            }
            if stage.kind == 1 && moves == stage.moves {
                moves = 0;
                stage = stages.next().copied().unwrap_or(TimeStage::UNUSED);
                before += nanos(stage.start);
            }
            match *times {
                MoveTimes {
                    left: Some(left),
                    spent: None,
                } if left <= before && is_storable(Some(before - left)) => {
                    times.spent = Some(before - left);
                }
                MoveTimes {
                    left: None,
                    spent: Some(spent),
                } if spent <= before => times.left = Some(before - spent),
                MoveTimes {
                    left: Some(left),
                    spent: Some(spent),
                } if left == before - spent => {}
                _ => break,
            }
            before = times.left.unwrap_or(0);
        }
    }
    times
}
