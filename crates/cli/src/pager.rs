//! A pager for long output on a terminal, as git uses one.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::terminal;

/// Whether a pager has the terminal.
static RUNNING: AtomicBool = AtomicBool::new(false);
/// Messages that wait until it has ended.
static HELD: Mutex<String> = Mutex::new(String::new());

/// Whether a pager has the terminal.
pub(crate) fn is_running() -> bool {
    RUNNING.load(Ordering::Relaxed)
}

/// Keeps a message until the pager has ended; `false` if none is running.
pub(crate) fn hold(line: &str) -> bool {
    if !is_running() {
        return false;
    }
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.push_str(line);
    true
}

/// The command of the pager: that of `TABIA_PAGER` or `PAGER`, else `less` where that is usual. `None` if
/// the user wants none, or if standard output is no terminal.
pub(crate) fn command() -> Option<String> {
    if !terminal::stdout_is_terminal() || terminal::is_dumb() {
        return None;
    }
    let variable = ["TABIA_PAGER", "PAGER"]
        .into_iter()
        .find_map(std::env::var_os);
    let command = match variable {
        Some(command) => command.into_string().ok()?,
        None if cfg!(unix) => "less".to_owned(),
        None => return None,
    };
    let command = command.trim();
    (!command.is_empty() && command != "cat").then(|| command.to_owned())
}

/// Whether the shell finds the program of a command: without it the rows would go nowhere.
fn is_there(command: &str) -> bool {
    let mut words = command.split_whitespace();
    // Variables before the program: `LESS=-S less`.
    let program = words.find(|word| !word.contains('='));
    let Some(program) = program.filter(|_| cfg!(unix)) else {
        return true;
    };
    // A shell is to take apart what is quoted.
    if program.contains(['"', '\'', '$', '\\', '(', '~']) {
        return true;
    }
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "command -v \"$0\"", program])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// Output that waits until it is longer than the terminal, and then goes to a pager.
#[derive(Debug)]
pub(crate) struct Pager {
    command: String,
    /// Lines that the terminal shows at once.
    height: usize,
    /// What was written before the pager started.
    waiting: Vec<u8>,
    lines: usize,
    child: Option<Child>,
    /// There is no pager, after all.
    is_direct: bool,
}

impl Pager {
    pub(crate) fn new(command: String, height: usize) -> Self {
        Self {
            command,
            height,
            waiting: Vec::new(),
            lines: 0,
            child: None,
            is_direct: false,
        }
    }

    /// Whether what is written waits, as it fits the terminal so far.
    pub(crate) fn is_waiting(&self) -> bool {
        self.child.is_none() && !self.is_direct
    }

    /// Starts the pager. Without one everything goes to the terminal.
    fn start(&mut self) -> io::Result<()> {
        let mut command = if cfg!(windows) {
            let mut shell = Command::new("cmd");
            shell.args(["/C", &self.command]);
            shell
        } else {
            let mut shell = Command::new("sh");
            // `exec`: a signal for the pager ends no other process.
            shell.args(["-c", &format!("exec {}", self.command)]);
            shell
        };
        // As git: colours, and no clearing of the screen at the end.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        RUNNING.store(true, Ordering::Relaxed);
        let is_there = is_there(&self.command);
        if is_there && let Ok(child) = command.stdin(Stdio::piped()).spawn() {
            self.child = Some(child);
        } else {
            RUNNING.store(false, Ordering::Relaxed);
            self.is_direct = true;
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.write_on(&waiting)
    }

    /// Writes where the output goes now.
    fn write_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            Some(pager) => pager.write_all(bytes),
            None => io::stdout().write_all(bytes),
        }
    }

    /// Shows what waits, if the output was short, or lets the user read to the end.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let written = if self.is_waiting() {
            self.is_direct = true;
            io::stdout()
                .write_all(&waiting)
                .and_then(|()| io::stdout().flush())
        } else {
            Ok(())
        };
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            // However it ends, the user has seen enough.
            let _ = child.wait();
            self.is_direct = true;
            RUNNING.store(false, Ordering::Relaxed);
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            // Standard error that cannot be written is no reason to stop.
            let _ = io::stderr().write_all(std::mem::take(&mut *held).as_bytes());
        }
        written
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_waiting() {
            self.waiting.extend_from_slice(bytes);
            self.lines += bytes.split(|byte| *byte == b'\n').count() - 1;
            if self.lines >= self.height {
                self.start()?;
            }
        } else {
            self.write_on(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            Some(pager) => pager.flush(),
            None if self.is_direct => io::stdout().flush(),
            None => Ok(()),
        }
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // Errors were reported when something was written.
        let _ = self.finish();
    }
}
