//! What every command works with, from the common options.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;
use tabia::core::formats::OpenOptions;
use tabia::core::io::Progress;
use tabia::formats::Format;
use tabia::{Error, ErrorSide, InputItem, Resolver};

use crate::args::CommonArgs;
use crate::exit_code::ExitCode;
use crate::messages::Messages;
use crate::progress::ProgressDisplay;
use crate::terminal::set_color;

/// Time that a command has to end after ^C.
const GRACE: Duration = Duration::from_secs(3);

/// The common options, the resolver of inputs, progress and messages.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) resolver: Resolver,
    pub(crate) open: OpenOptions,
    pub(crate) threads: usize,
    pub(crate) progress: Arc<Progress>,
    /// Invisible unless a [`ProgressDisplay`] shows it.
    pub(crate) bar: ProgressBar,
    pub(crate) messages: Messages,
    pub(crate) common: CommonArgs,
}

impl Context {
    pub(crate) fn new(common: &CommonArgs) -> Result<Self, Error> {
        set_color(common.color);
        let mut open = OpenOptions::default();
        open.charset = common.encoding;
        open.password.clone_from(&common.password);
        open.limits.unpacked = common.max_unpacked;
        let mut resolver = Resolver::default();
        resolver.options = open.clone();
        if let Some(name) = &common.from {
            resolver.from = Some(find_format(&resolver, name)?);
        }
        let threads = match common.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let progress = Arc::new(Progress::new());
        cancel_on_signal(&progress);
        let bar = ProgressBar::hidden();
        Ok(Self {
            resolver,
            open,
            threads,
            progress,
            messages: Messages::new(common, &bar),
            bar,
            common: common.clone(),
        })
    }

    /// Shows progress until the result is dropped.
    pub(crate) fn display(&self) -> ProgressDisplay {
        let common = &self.common;
        ProgressDisplay::start(&self.progress, &self.bar, common.progress, common.quiet)
    }

    /// The inputs that paths name; archives are not opened. The first failure ends the search.
    pub(crate) fn items(&self, paths: &[OsString]) -> Result<Vec<InputItem>, Error> {
        let mut items: Vec<InputItem> = Vec::new();
        for path in paths {
            for item in self.resolver.resolve(path)? {
                // `mega.*` names the same database once for each of its files.
                let is_duplicate =
                    is_set(&item) && items.iter().any(|old| old.label() == item.label());
                if !is_duplicate {
                    items.push(item);
                }
            }
        }
        Ok(items)
    }

    /// As [`Context::items`], but archives are replaced by the databases and books in them.
    pub(crate) fn contents(&self, paths: &[OsString]) -> Result<Vec<InputItem>, Error> {
        let mut contents = Vec::new();
        for item in self.items(paths)? {
            contents.extend(self.resolver.expand(item)?);
        }
        Ok(contents)
    }

    /// Runs `job` on every input that paths name, with the failure for paths that cannot be resolved.
    /// `contents`: inputs as of [`Context::contents`]. Returns the highest exit code.
    pub(crate) fn for_each_input(
        &self,
        paths: &[OsString],
        contents: bool,
        mut job: impl FnMut(Result<InputItem, Error>) -> Result<ExitCode, Error>,
    ) -> Result<ExitCode, Error> {
        let mut worst = ExitCode::Done;
        let mut add = |code: ExitCode| worst = worst.worse(code);
        let mut seen: Vec<Arc<std::path::Path>> = Vec::new();
        for path in paths {
            let paths = std::slice::from_ref(path);
            let items = if contents {
                self.contents(paths)
            } else {
                self.items(paths)
            };
            match items {
                Ok(items) => {
                    for item in items {
                        if is_set(&item) {
                            if seen.contains(item.label()) {
                                continue;
                            }
                            seen.push(Arc::clone(item.label()));
                        }
                        add(job(Ok(item))?);
                    }
                }
                Err(error) if error.side() == ErrorSide::Input => add(job(Err(error))?),
                Err(other) => return Err(other),
            }
        }
        Ok(worst)
    }
}

/// Whether the format consists of several files.
fn is_set(item: &InputItem) -> bool {
    !item.format().companions().is_empty()
}

/// The format of that name.
pub(crate) fn find_format(resolver: &Resolver, name: &str) -> Result<Format, Error> {
    resolver.format(name).ok_or_else(|| {
        let known: Vec<String> = resolver
            .formats()
            .iter()
            .map(|format| format.id().to_string())
            .collect();
        Error::usage(format!(
            "no format is called `{name}`; there are {}",
            known.join(", ")
        ))
    })
}

/// The first ^C cancels the work. A second one, or `GRACE` without a reaction, ends the process.
fn cancel_on_signal(progress: &Arc<Progress>) {
    let progress = Arc::clone(progress);
    let is_cancelled = AtomicBool::new(false);
    // Without a handler ^C ends the process at once.
    let _ = ctrlc::set_handler(move || {
        if is_cancelled.swap(true, Ordering::Relaxed) {
            exit_now();
        }
        progress.cancel();
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            exit_now();
        });
    });
}

#[expect(
    clippy::exit,
    reason = "the second ^C, or the work does not react to the first"
)]
fn exit_now() {
    std::process::exit(i32::from(ExitCode::Interrupted as u8));
}
