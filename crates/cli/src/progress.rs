//! Progress on standard error: a bar, or lines of JSON.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use tabia::core::io::Progress;

use crate::args::ProgressChoice;
use crate::json;
use crate::terminal::{is_dumb, stderr_is_terminal};
use crate::units::{counted, grouped};

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
    bar.set_style(style(progress, false));
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let mut has_total = false;
    while !over.load(Ordering::Relaxed) {
        if progress.total() > 0 {
            if !has_total {
                has_total = true;
                bar.set_style(style(progress, true));
            }
            bar.set_length(progress.total());
            bar.set_position(progress.done().min(progress.total()));
        }
        bar.tick();
        std::thread::park_timeout(REDRAW);
    }
    bar.finish_and_clear();
    bar.set_draw_target(ProgressDrawTarget::hidden());
}

/// The line of the bar: games and their rate, and if the total is known what is done and left.
fn style(progress: &Arc<Progress>, has_total: bool) -> ProgressStyle {
    let template = if has_total {
        "{games}  {rate}/s  {percent}%{memory}  {eta} left"
    } else {
        "{games}  {rate}/s{memory}"
    };
    let [games, rate, memory] = [(); 3].map(|()| Arc::clone(progress));
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key(
            "games",
            move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&counted(games.games(), "game"));
            },
        )
        .with_key(
            "rate",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let rate = per_second(rate.games(), state.elapsed());
                let _ = out.write_str(&grouped(rate));
            },
        )
        .with_key(
            "memory",
            move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                let bytes = memory.memory();
                if bytes > 0 {
                    let _ = write!(out, "  {} MB", bytes / 1_000_000);
                }
            },
        )
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
    games: u64,
    games_per_second: u64,
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
        let left = share.filter(|share| *share > 0.005);
        Self {
            event,
            games: progress.games(),
            games_per_second: per_second(progress.games(), elapsed),
            share: share.map(rounded),
            seconds: rounded(seconds),
            seconds_left: left.map(|share| (seconds * (1.0 - share) / share) as u64),
            memory: Some(progress.memory()).filter(|bytes| *bytes > 0),
        }
    }
}
