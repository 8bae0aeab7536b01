//! The process that keeps the server running: it holds the socket and starts the process that answers.

use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{ExitStatusExt, parent_id};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tabia::Error;
use tabia_serve::{Key, StopHandle};

use super::in_output;
use crate::exit_code::ExitCode;
use crate::messages::Messages;

/// The key, set for the process that answers; its standard input is the socket.
const VARIABLE: &str = "TABIA_SERVE_WORKER";
/// Set for a process that takes over from another one.
const RESTARTED: &str = "TABIA_SERVE_RESTARTED";
/// How often the state of the other process is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// How often it is looked whether a process has ended that was asked to.
const ENDING: Duration = Duration::from_millis(10);
/// Time for running requests, and a little more, after which the process is ended.
const GRACE: Duration = Duration::from_millis(950);
/// A server that ends this often in `LOOP_TIME` is not started again.
const MAX_RESTARTS: usize = 5;
const LOOP_TIME: Duration = Duration::from_secs(10);

/// What the first process gives to the one that answers.
pub(super) struct Inherited {
    pub(super) listener: TcpListener,
    pub(super) key: Key,
    /// Whether another process answered before.
    pub(super) is_restart: bool,
}

/// What the process that answers was given; `None` in the first process.
///
/// # Errors
/// When standard input is no socket.
pub(super) fn inherited() -> Result<Option<Inherited>, Error> {
    let key = std::env::var_os(VARIABLE);
    let Some(key) = key.and_then(|key| Key::parse(key.to_str()?)) else {
        return Ok(None);
    };
    let socket = std::io::stdin().as_fd().try_clone_to_owned();
    let listener = TcpListener::from(socket.map_err(in_output)?);
    listener.local_addr().map_err(in_output)?;
    Ok(Some(Inherited {
        listener,
        key,
        is_restart: std::env::var_os(RESTARTED).is_some(),
    }))
}

/// Ends the server when the first process is gone.
pub(super) fn stop_with_parent(stop: &StopHandle) {
    let (stop, parent) = (stop.clone(), parent_id());
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(Duration::from_millis(250));
        }
        stop.stop();
    });
}

/// Set by ^C and SIGTERM from now on.
pub(super) fn flag_of_signals() -> Arc<AtomicBool> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_stopped);
    // Without a handler the signal ends this process, and the other one follows.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    is_stopped
}

/// Keeps a process that answers running until `is_stopped` is set.
///
/// # Errors
/// When it cannot be started, or ends again and again.
pub(super) fn supervise(
    listener: &TcpListener,
    key: &Key,
    is_stopped: &AtomicBool,
    messages: &Messages,
) -> Result<(), Error> {
    let mut restarts: Vec<Instant> = Vec::new();
    let mut is_restart = false;
    loop {
        let mut child = start(listener, key, is_restart)?;
        is_restart = true;
        let Some(status) = wait(&mut child, is_stopped)? else {
            return Ok(());
        };
        // A file that is cut while it is read ends the process with the code of an unreadable input.
        let is_lost_file = status.code() == Some(ExitCode::Input as i32);
        if status.code().is_some_and(|code| code != 0) && !is_lost_file {
            let text = "the server ended; its message is above";
            return Err(Error::unsupported(text).in_output());
        }
        restarts.retain(|restart| restart.elapsed() < LOOP_TIME);
        if restarts.len() >= MAX_RESTARTS {
            let text = "the server ends again and again; its inputs may be damaged in a way that is \
                        new to us";
            return Err(Error::unsupported(text).in_output());
        }
        restarts.push(Instant::now());
        messages.warning(&format!(
            "{}: a file was probably cut while it was read; the server is started again",
            end_of(status)
        ));
    }
}

fn end_of(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("the server was ended by signal {signal}"),
        None => "the server ended".to_owned(),
    }
}

fn start(listener: &TcpListener, key: &Key, is_restart: bool) -> Result<Child, Error> {
    let socket: OwnedFd = listener.as_fd().try_clone_to_owned().map_err(in_output)?;
    let program = std::env::current_exe().map_err(in_output)?;
    let mut command = Command::new(program);
    command
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, key.as_str());
    if is_restart {
        command.env(RESTARTED, "1");
    }
    let command = command.stdin(Stdio::from(socket)).stdout(Stdio::null());
    command.spawn().map_err(in_output)
}

/// How the process ended; `None` if it was asked to.
fn wait(child: &mut Child, is_stopped: &AtomicBool) -> Result<Option<ExitStatus>, Error> {
    loop {
        if let Some(status) = child.try_wait().map_err(in_output)? {
            let is_asked = is_stopped.load(Ordering::Relaxed);
            return Ok(Some(status).filter(|_| !is_asked));
        }
        if is_stopped.load(Ordering::Relaxed) {
            break;
        }
        std::thread::sleep(INTERVAL);
    }
    if let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended already.
        let _ = kill_process(process, Signal::TERM);
    }
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if child.try_wait().map_err(in_output)?.is_some() {
            return Ok(None);
        }
        std::thread::sleep(ENDING);
    }
    // It may have ended since.
    let _ = child.kill();
    child.wait().map_err(in_output)?;
    Ok(None)
}
