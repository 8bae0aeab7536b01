//! `tabia-sql`: SQL over chess databases of any format, without a file between.

mod arguments;
mod exit_code;
mod file_tables;
mod moves_functions;
mod output;
mod pushdown;
mod scan;
mod session;

use std::io::Write;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use tabia::core::io::Interrupts;
use tokio::sync::Notify;

use crate::arguments::{Arguments, HELP, Request};
use crate::exit_code::{Failure, INTERRUPTED};

/// How long the work may take to react to Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// How long until Ctrl-C is noticed.
const WAIT: Duration = Duration::from_millis(20);

/// Bytes of the stack of the thread that plans and runs statements.
const STACK: usize = 64 << 20;

fn main() -> std::process::ExitCode {
    tabia::core::io::handle_lost_files(exit_code::INPUT);
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Request::Run(arguments)) => arguments,
        Ok(Request::Print(text)) => return exit(print(&text).map(|()| exit_code::DONE)),
        Err(failure) => return exit(Err(failure)),
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    let done = thread.spawn(move || run(&arguments));
    exit(match done.map(std::thread::JoinHandle::join) {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(Failure::usage(
            "this statement cannot be run: it ended in an error of ours",
        )),
        Err(error) => Err(Failure::usage(&error.to_string())),
    })
}

fn exit(done: Result<u8, Failure>) -> std::process::ExitCode {
    let code = done.unwrap_or_else(|failure| {
        if !failure.text.is_empty() {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "tabia-sql: {}", failure.text);
        }
        if let Some(hint) = &failure.hint {
            let _ = writeln!(std::io::stderr(), "hint: {hint}");
        }
        failure.code
    });
    std::process::ExitCode::from(code)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::of_output(&error))
}

/// Runs the statements until they are done or interrupted.
fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let text = arguments.statements()?;
    if text.trim().is_empty() {
        return Err(Failure::usage("there is no statement").with_hint(HELP));
    }
    let interrupt = Arc::new(Notify::new());
    let notify = Arc::clone(&interrupt);
    let interrupts = Interrupts::watch();
    std::thread::spawn(move || {
        while !interrupts.have_come() {
            std::thread::sleep(WAIT);
        }
        notify.notify_one();
        std::thread::sleep(GRACE);
        exit_now();
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .map_err(|error| Failure::usage(&error.to_string()))?;
    let done = runtime.block_on(async {
        let interrupted = pin!(interrupt.notified());
        let work = pin!(session::run(arguments, &text));
        match select(interrupted, work).await {
            Either::Left(_) => Err(Failure::interrupted()),
            Either::Right((done, _)) => done,
        }
    });
    // What still reads for a query that ended is not waited for.
    runtime.shutdown_background();
    done
}

#[expect(clippy::exit, reason = "the work does not react to Ctrl-C")]
fn exit_now() {
    std::process::exit(i32::from(INTERRUPTED));
}
