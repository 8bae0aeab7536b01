//! How far the work is, on standard error.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;
use tabia::core::io::Progress;

use crate::args::ProgressChoice;
use crate::json;
use crate::terminal::stderr_is_terminal;
use crate::units::{counted, grouped};

/// Shows progress until it is dropped.
#[derive(Debug)]
pub(crate) struct Display {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a line is drawn and redrawn.
pub(crate) fn draws_line(choice: ProgressChoice, quiet: bool) -> bool {
    choice == ProgressChoice::Auto && !quiet && stderr_is_terminal()
}

impl Display {
    /// Starts to show `progress`, when it is to be shown at all.
    pub(crate) fn start(progress: &Arc<Progress>, choice: ProgressChoice, quiet: bool) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let as_json = choice == ProgressChoice::Json;
        if !as_json && !draws_line(choice, quiet) {
            return Self { over, thread: None };
        }
        let (progress, flag) = (Arc::clone(progress), Arc::clone(&over));
        let thread = std::thread::spawn(move || show(&progress, &flag, as_json));
        Self {
            over,
            thread: Some(thread),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Nothing depends on the display.
            let _ = thread.join();
        }
    }
}

fn show(progress: &Progress, over: &AtomicBool, as_json: bool) {
    let start = Instant::now();
    let mut drawn = false;
    let pause = Duration::from_millis(if as_json { 500 } else { 150 });
    loop {
        std::thread::park_timeout(pause);
        let is_over = over.load(Ordering::Relaxed);
        let state = State::of(progress, start.elapsed());
        // A display that cannot be written is no reason to stop.
        let mut out = io::stderr().lock();
        if as_json {
            let event = if is_over { "done" } else { "progress" };
            let mut line = json::compact(&state.event(event));
            line.push(b'\n');
            let _ = out.write_all(&line);
        } else if is_over {
            if drawn {
                let _ = write!(out, "\r\u{1b}[K");
            }
        } else if start.elapsed() > Duration::from_millis(300) {
            drawn = true;
            let _ = write!(out, "\r\u{1b}[K{}", state.line());
        }
        let _ = out.flush();
        if is_over {
            return;
        }
    }
}

struct State {
    games: u64,
    per_second: u64,
    /// 0 to 1.
    share: Option<f64>,
    seconds: f64,
    memory: Option<u64>,
}

impl State {
    fn of(progress: &Progress, elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs_f64();
        let (done, total) = (progress.done(), progress.total());
        Self {
            games: progress.games(),
            per_second: (progress.games() as f64 / seconds.max(0.001)) as u64,
            share: (total > 0).then(|| (done as f64 / total as f64).min(1.0)),
            seconds,
            memory: Some(progress.memory()).filter(|bytes| *bytes > 0),
        }
    }

    fn left(&self) -> Option<u64> {
        let share = self.share.filter(|share| *share > 0.005)?;
        Some((self.seconds * (1.0 - share) / share) as u64)
    }

    fn line(&self) -> String {
        let mut line = format!(
            "{}  {}/s",
            counted(self.games, "game"),
            grouped(self.per_second)
        );
        if let Some(share) = self.share {
            let _ = write!(line, "  {:.0}%", share * 100.0);
        }
        if let Some(memory) = self.memory {
            let _ = write!(line, "  {} MB", memory / 1_000_000);
        }
        if let Some(left) = self.left() {
            let _ = write!(line, "  {}:{:02} left", left / 60, left % 60);
        }
        line
    }

    fn event(&self, event: &'static str) -> ProgressEvent {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        ProgressEvent {
            event,
            games: self.games,
            games_per_second: self.per_second,
            share: self.share.map(rounded),
            seconds: rounded(self.seconds),
            seconds_left: self.left(),
            memory: self.memory,
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
    share: Option<f64>,
    seconds: f64,
    seconds_left: Option<u64>,
    memory: Option<u64>,
}
