//! Progress on standard error: a bar, or lines of JSON.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use tabia::core::io::{Progress, ProgressPhase, ProgressUnit};

use crate::args::ProgressChoice;
use crate::json;
use crate::pager;
use crate::readable_numbers::{counted, grouped, size};
use crate::terminal::{is_dumb, stderr_is_terminal};

/// Work that ends sooner shows no bar.
const DELAY: Duration = Duration::from_millis(300);
/// Between two states of the bar.
const REDRAW: Duration = Duration::from_millis(150);
/// Between two lines of `--progress json`.
const EVENT: Duration = Duration::from_millis(500);

/// Shows progress until it is dropped.
#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Starts to show `progress` as `choice` demands. The bar is visible only while the display
    /// lives.
    pub(crate) fn start(
        progress: &Arc<Progress>,
        bar: &ProgressBar,
        choice: ProgressChoice,
        quiet: bool,
    ) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&over);
        let progress = Arc::clone(progress);
        let thread = match choice {
            ProgressChoice::Json => {
                Some(std::thread::spawn(move || write_events(&progress, &flag)))
            }
            ProgressChoice::Auto if !quiet && stderr_is_terminal() && !is_dumb() => {
                let bar = bar.clone();
                Some(std::thread::spawn(move || draw(&progress, &bar, &flag)))
            }
            ProgressChoice::Auto | ProgressChoice::Never => None,
        };
        Self { over, thread }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Nothing depends on the display.
            let _ = thread.join();
        }
    }
}

/// Draws the bar on standard error until `over`.
fn draw(progress: &Arc<Progress>, bar: &ProgressBar, over: &AtomicBool) {
    std::thread::park_timeout(DELAY);
    if over.load(Ordering::Relaxed) {
        return;
    }
    bar.set_style(style(progress));
    bar.set_draw_target(ProgressDrawTarget::stderr());
    // A pager has the terminal for itself.
    while !over.load(Ordering::Relaxed) && !pager::is_running() {
        bar.tick();
        std::thread::park_timeout(REDRAW);
    }
    bar.finish_and_clear();
    bar.set_draw_target(ProgressDrawTarget::hidden());
}

/// The bar: one line of text.
fn style(progress: &Arc<Progress>) -> ProgressStyle {
    let progress = Arc::clone(progress);
    ProgressStyle::with_template("{line}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key(
            "line",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let elapsed = elapsed_of_phase(&progress, state.elapsed());
                let _ = out.write_str(&status(&progress, elapsed, memory(&progress)));
            },
        )
}

/// The time that the work in progress takes so far: `elapsed` since the start, or that of a later phase.
fn elapsed_of_phase(progress: &Progress, elapsed: Duration) -> Duration {
    // Games are counted from the start, whatever was done before they were read.
    if progress.phase() == ProgressPhase::Reading && progress.unit() == ProgressUnit::Games {
        return elapsed;
    }
    progress.phase_elapsed()
}

/// What is done and at which rate, and if the amount of all work is known, its share and the time that is
/// left: `52,310 games  98,000/s  24.0 MB in memory  47%  0:06 left`. Before the first game is counted, the bytes
/// that are read are shown. What follows on reading has a name: `writing  0:03  24.0 MB in memory  47%  0:04 left`.
/// `memory` is left out if it is 0.
fn status(progress: &Progress, elapsed: Duration, memory: u64) -> String {
    let (count, done, total) = (progress.counted(), progress.done(), progress.total());
    let (phase, unit) = (progress.phase(), progress.unit());
    let is_reading = phase == ProgressPhase::Reading;
    let noun = match unit {
        ProgressUnit::Positions => "position",
        ProgressUnit::Moves => "move",
        _ => "game",
    };
    let mut line = if !is_reading && (count == 0 || unit == ProgressUnit::Games) {
        // Its games were counted when they were read.
        format!("{}  {}", phase.name(), clock(elapsed.as_secs()))
    } else if count > 0 {
        let rate = grouped(per_second(count, elapsed));
        format!("{}  {rate}/s", counted(count, noun))
    } else if done > 0 && unit == ProgressUnit::Games {
        format!("{}  {}/s", size(done), size(per_second(done, elapsed)))
    } else {
        format!("working  {}", clock(elapsed.as_secs()))
    };
    if memory > 0 {
        let _ = write!(line, "  {} in memory", size(memory));
    }
    // What is left of very little or of more than was expected is not known.
    if total > 0 && done == total {
        // What comes after the last input is not counted: sorting, writing, closing files.
        line.push_str("  finishing");
    } else if done > 0 && total > 0 && done < total {
        let share = done as f64 / total as f64;
        let _ = write!(line, "  {:.0}%", (share * 100.0).floor());
        if share > 0.005 {
            let left = elapsed.as_secs_f64() * (1.0 - share) / share;
            let _ = write!(line, "  {} left", clock(left.ceil() as u64));
        }
    }
    line
}

/// Bytes in memory: those that count towards a memory budget, else all that the process has for itself, without
/// the files that are mapped; 0 if neither is known.
fn memory(progress: &Progress) -> u64 {
    match progress.memory() {
        0 => own_memory().unwrap_or_default(),
        budgeted => budgeted,
    }
}

/// Bytes of memory that only this process has: `RssAnon` of proc(5). `None` where there is none, as on macOS.
fn own_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| {
        let value = line.strip_prefix("RssAnon:")?.trim();
        value.strip_suffix(" kB")?.parse::<u64>().ok()
    })?;
    Some(kibibytes * 1024)
}

/// `0:05`, `1:02:30`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

fn per_second(count: u64, elapsed: Duration) -> u64 {
    (count as f64 / elapsed.as_secs_f64().max(0.001)) as u64
}

/// Writes a line of JSON twice a second to standard error, and one at the end.
fn write_events(progress: &Progress, over: &AtomicBool) {
    let start = Instant::now();
    loop {
        std::thread::park_timeout(EVENT);
        let is_over = over.load(Ordering::Relaxed);
        let event = if is_over { "done" } else { "progress" };
        let mut line = json::compact(&ProgressEvent::new(event, progress, start.elapsed()));
        line.push(b'\n');
        // A display that cannot be written is no reason to stop.
        let _ = io::stderr().write_all(&line);
        if is_over {
            return;
        }
    }
}

/// A line of `--progress json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressEvent {
    event: &'static str,
    /// `reading`, `comparing` or `writing`; share and time are those of the phase.
    phase: &'static str,
    games: u64,
    games_per_second: u64,
    /// Positions of books.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    /// Moves of books.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u64>,
    /// 0 to 1.
    share: Option<f64>,
    seconds: f64,
    seconds_left: Option<u64>,
    /// In bytes.
    memory: Option<u64>,
}

impl ProgressEvent {
    fn new(event: &'static str, progress: &Progress, elapsed: Duration) -> Self {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        let seconds = elapsed.as_secs_f64();
        let (done, total) = (progress.done(), progress.total());
        let share = (total > 0).then(|| (done as f64 / total as f64).min(1.0));
        let of_unit = |unit| (progress.unit() == unit).then(|| progress.counted());
        let left = share.filter(|share| *share > 0.005);
        let of_phase = elapsed_of_phase(progress, elapsed).as_secs_f64();
        Self {
            event,
            phase: progress.phase().name(),
            games: progress.games(),
            positions: of_unit(ProgressUnit::Positions),
            moves: of_unit(ProgressUnit::Moves),
            games_per_second: per_second(progress.games(), elapsed),
            share: share.map(rounded),
            seconds: rounded(seconds),
            seconds_left: left.map(|share| (of_phase * (1.0 - share) / share) as u64),
            memory: Some(memory(progress)).filter(|bytes| *bytes > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_shows_what_is_counted() {
        let second = Duration::from_secs(1);
        let progress = Progress::new();
        assert_eq!(status(&progress, second, 0), "working  0:01");
        progress.set_total(4_000_000);
        progress.advance(1_000_000, 0);
        assert_eq!(
            status(&progress, second, 0),
            "1.0 MB  1.0 MB/s  25%  0:03 left"
        );
        progress.advance(1_000_000, 5000);
        assert_eq!(
            status(&progress, second, 0),
            "5,000 games  5,000/s  50%  0:01 left"
        );
        assert_eq!(
            status(&progress, second, 24_000_000),
            "5,000 games  5,000/s  24.0 MB in memory  50%  0:01 left"
        );
        progress.begin(ProgressUnit::Positions, 300);
        assert_eq!(status(&progress, second, 0), "working  0:01");
        progress.advance(1, 0);
        assert_eq!(status(&progress, second, 0), "1 position  1/s  0%");
        progress.advance(499, 0);
        assert_eq!(status(&progress, second, 0), "500 positions  500/s");
        progress.begin_phase(ProgressPhase::Writing, 256);
        assert_eq!(status(&progress, second, 0), "writing  0:01");
        progress.advance(64, 0);
        let memory = 24_000_000;
        assert_eq!(
            status(&progress, second, memory),
            "writing  0:01  24.0 MB in memory  25%  0:03 left"
        );
        progress.begin(ProgressUnit::Positions, 0);
        progress.advance(700, 0);
        assert_eq!(status(&progress, second, 0), "700 positions  700/s");
        assert_eq!(clock(3750), "1:02:30");
    }

    #[test]
    fn memory_of_a_budget_precedes_that_of_the_process() {
        let progress = Progress::new();
        if cfg!(target_os = "linux") {
            assert!(memory(&progress) > 100_000);
        }
        progress.set_memory(7);
        assert_eq!(memory(&progress), 7);
    }
}
