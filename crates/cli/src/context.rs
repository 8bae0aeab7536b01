//! What every command works with, from the common options.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;
use tabia::core::formats::OpenOptions;
use tabia::core::io::{Progress, set_wait_notice};
use tabia::repair::is_part_of;
use tabia::{Error, ErrorKind, ErrorSide, InputItem, Resolver};

use crate::args::CommonArgs;
use crate::commands::other_files::OtherFiles;
use crate::exit_code::ExitCode;
use crate::format_arg::find_format;
use crate::messages::Messages;
use crate::misplaced_words::misplaced_words;
use crate::output_conflicts::{input_and_output, is_standard_input, refuse_inputs};
use crate::pager;
use crate::path_text::PathText as _;
use crate::progress::ProgressDisplay;
use crate::report::Reporter;
use crate::terminal::set_color;

/// Time that a command has to end after ^C.
const GRACE: Duration = Duration::from_secs(3);

/// The common options, the resolver of inputs, progress and messages.
#[derive(Debug, Clone)]
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
        let context = Self::without_signals(common)?;
        cancel_on_signal(&context.progress);
        Ok(context)
    }

    /// A context for a verb that decides for itself what ^C does.
    pub(crate) fn without_signals(common: &CommonArgs) -> Result<Self, Error> {
        set_color(common.color);
        let mut open = OpenOptions::default();
        open.charset = common.encoding;
        open.pieces = common.pieces;
        open.password.clone_from(&common.password);
        open.limits.unpacked = common.max_unpacked;
        let mut resolver = new_resolver();
        resolver.options = open.clone();
        if let Some(name) = &common.from {
            resolver.from = Some(find_format(&resolver, name)?);
        }
        let threads = match common.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let progress = Arc::new(Progress::new());
        let bar = ProgressBar::hidden();
        let messages = Messages::new(common, &bar);
        let waiting = messages.clone();
        set_wait_notice(move |path, process| {
            let writer = process.map_or("another process".to_owned(), |process| {
                format!("process {process}")
            });
            let path = path.path_text();
            waiting.note(&format!(
                "{path}: waiting for {writer}, which is writing it"
            ));
        });
        Ok(Self {
            resolver,
            open,
            threads,
            progress,
            messages,
            bar,
            common: common.clone(),
        })
    }

    /// The databases that inputs are compared with or added to: the options that state how inputs are read, `--from`,
    /// `--encoding` and `--pieces`, are not about them.
    ///
    /// # Errors
    /// As [`Context::games`].
    pub(crate) fn bases(
        &self,
        paths: &[OsString],
        reporter: &mut Reporter,
    ) -> Result<Vec<InputItem>, Error> {
        let mut own = self.clone();
        own.resolver.from = None;
        own.open = own.open.of_base();
        own.resolver.options = own.open.clone();
        let found = own.games(paths, None, reporter)?;
        Ok(found.into_iter().map(InputItem::as_base).collect())
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
                refuse_inputs(
                    std::slice::from_ref(&item),
                    &[self.common.report.as_deref()],
                )?;
                if !is_known(&item, &items) {
                    items.push(item);
                }
            }
        }
        Ok(items)
    }

    /// As [`Context::items`], but archives are replaced by the databases and books in them. What cannot
    /// be read in a folder is reported and left out.
    pub(crate) fn contents(&self, paths: &[OsString]) -> Result<Vec<InputItem>, Error> {
        let mut contents: Vec<InputItem> = Vec::new();
        for path in paths {
            for item in self.find(path, Wanted::Contents)? {
                match item {
                    Ok(item) if is_known(&item, &contents) => {}
                    Ok(item) => contents.push(item),
                    Err(error) => self.messages.warning(&self.messages.text_of(&error)),
                }
            }
        }
        Ok(contents)
    }

    /// The report of a command, and the file of rejected bytes: `--report` and `rejects`.
    ///
    /// # Errors
    /// When one of them cannot be written.
    pub(crate) fn reporter(
        &self,
        command: &str,
        force: bool,
        rejects: Option<&Path>,
    ) -> Result<Reporter, Error> {
        let report = self.common.report.as_deref();
        if report == Some(Path::new("-")) {
            let text = "`--report -`: a report is a file of its own";
            return Err(Error::usage(text).with_hint("`--report problems.json` writes one"));
        }
        let mut reporter =
            Reporter::create(self.messages.clone(), report, rejects, command, force)?;
        reporter.is_strict = self.common.strict;
        Ok(reporter)
    }

    /// The databases that paths name, also in archives and folders. What cannot be opened in a folder
    /// is a problem, and `target` in a folder is left out with a note.
    ///
    /// # Errors
    /// When a path cannot be read, all that is in the folders cannot, or `target` is one of the inputs; also when it
    /// exists and something in a folder is there but cannot be read.
    pub(crate) fn games(
        &self,
        paths: &[OsString],
        target: Option<&Path>,
        reporter: &mut Reporter,
    ) -> Result<Vec<InputItem>, Error> {
        let mut games: Vec<InputItem> = Vec::new();
        // Errors before the first input that can be read.
        let mut failed = Vec::new();
        let mut has_target = false;
        let replaced = target.filter(|target| target.exists());
        for path in paths {
            // A glob or a folder may name the output too.
            let is_folder = is_folder(path) || self.common.from_glob.contains(path);
            if path == "-"
                && let Some(target) = target.filter(|target| is_standard_input(target))
            {
                return Err(input_and_output(target.path_text()));
            }
            for item in self.find(path, Wanted::Games)? {
                let item = item.and_then(|item| {
                    if is_folder {
                        item.open(&self.open, None)?;
                    }
                    Ok(item)
                });
                let item = match item {
                    Ok(item) => item,
                    Err(error) if error.side() == ErrorSide::Input => {
                        if let Some(target) = replaced.filter(|_| is_unreadable(&error)) {
                            // Its games are missing, not lost: nothing is replaced by less.
                            let text = format!("{} is left as it was", target.path_text());
                            self.messages.note(&text);
                            return Err(error);
                        }
                        if games.is_empty() && !has_target {
                            failed.push(error);
                        } else {
                            reporter.report_problem_in_folder(&error)?;
                        }
                        continue;
                    }
                    Err(other) => return Err(other),
                };
                for error in failed.drain(..) {
                    reporter.report_problem_in_folder(&error)?;
                }
                if target.is_some_and(|target| is_part_of(target, &item)) {
                    let name = item.name();
                    if !is_folder {
                        return Err(input_and_output(name));
                    }
                    let text = format!("{name} is the output and left out of the inputs");
                    self.messages.note(&text);
                    has_target = true;
                } else if !is_known(&item, &games) {
                    games.push(item);
                }
            }
        }
        let last = failed.pop();
        for error in failed {
            reporter.report_problem_in_folder(&error)?;
        }
        OtherFiles::of(&self.resolver, paths).report(&self.messages, "read");
        last.map_or(Ok(games), Err)
    }

    /// As [`Context::games`], for a command that only lists: of several paths those that cannot be read are reported,
    /// and the others are read. The code is [`ExitCode::Input`] then.
    ///
    /// # Errors
    /// When no path can be read, or, with `--strict`, one of them cannot.
    pub(crate) fn games_to_list(
        &self,
        paths: &[OsString],
        reporter: &mut Reporter,
    ) -> Result<(Vec<InputItem>, ExitCode), Error> {
        if paths.len() < 2 {
            return Ok((self.games(paths, None, reporter)?, ExitCode::Done));
        }
        if let Some(error) = misplaced_words(paths) {
            return Err(error);
        }
        let mut games: Vec<InputItem> = Vec::new();
        let mut failed = Vec::new();
        for path in paths {
            let found = self.games(std::slice::from_ref(path), None, reporter);
            let found = found.and_then(|items| {
                // What cannot be opened is known before the games of the others are added up.
                let mut files = items.iter().filter(|item| !item.is_once());
                files.try_for_each(|item| item.open(&self.open, None).map(drop))?;
                Ok(items)
            });
            match found {
                Ok(items) => {
                    let new = items.into_iter().filter(|item| !is_known(item, &games));
                    games.extend(new.collect::<Vec<_>>());
                }
                Err(error) if error.side() == ErrorSide::Input && !self.common.strict => {
                    failed.push(error);
                }
                Err(other) => return Err(other),
            }
        }
        let last = failed.pop_if(|_| games.is_empty());
        let code = if failed.is_empty() {
            ExitCode::Done
        } else {
            ExitCode::Input
        };
        for error in failed {
            reporter.report_failed_input(&error)?;
        }
        last.map_or(Ok((games, code)), Err)
    }

    /// Runs `job` on every input that paths name, with the error for those that cannot be resolved.
    /// Inputs in a folder that cannot be read are problems ([`ExitCode::Problems`]) unless all of them are. Returns
    /// the highest exit code; with `--strict` the first input with a problem is the last one, and its code
    /// [`ExitCode::Input`].
    pub(crate) fn for_each_input(
        &self,
        paths: &[OsString],
        wanted: Wanted,
        mut job: impl FnMut(Result<InputItem, Error>) -> Result<ExitCode, Error>,
    ) -> Result<ExitCode, Error> {
        let mut worst = ExitCode::Done;
        let mut seen: Vec<Arc<Path>> = Vec::new();
        let mut found = Vec::new();
        for path in paths {
            found.push((path, self.find(path, wanted)));
        }
        let items = found.iter().filter_map(|(_, items)| items.as_ref().ok());
        let sizes: Option<Vec<u64>> = items.flatten().flatten().map(InputItem::bytes).collect();
        self.progress
            .set_total(sizes.unwrap_or_default().iter().sum());
        for (path, items) in found {
            let items = match items {
                Ok(items) => items,
                Err(error) if error.side() == ErrorSide::Input => {
                    let code = job(Err(error))?;
                    worst = worst.worse(code);
                    if self.is_stopped(&[code]) {
                        break;
                    }
                    continue;
                }
                Err(other) => return Err(other),
            };
            // Next to others, in a folder or an archive, an input that cannot be read is a problem.
            let is_folder = is_folder(path) || items.iter().any(Result::is_ok) && items.len() > 1;
            let mut codes = Vec::new();
            for item in items {
                if self.is_stopped(&codes) {
                    break;
                }
                if let Ok(item) = &item
                    && is_set(item)
                {
                    if seen.contains(item.label()) {
                        continue;
                    }
                    seen.push(Arc::clone(item.label()));
                }
                codes.push(job(item)?);
            }
            if self.is_stopped(&codes) {
                worst = ExitCode::Input;
                break;
            }
            let is_readable = codes.iter().any(|code| *code != ExitCode::Input);
            for code in codes {
                worst = worst.worse(match code {
                    ExitCode::Input if is_folder && is_readable => ExitCode::Problems,
                    code => code,
                });
            }
        }
        // Commands that look at everything report these files themselves.
        if wanted == Wanted::Games {
            OtherFiles::of(&self.resolver, paths).report_recognised(&self.messages);
        }
        Ok(worst)
    }

    /// Whether paths name, or can name, several databases, so that each row names its own: a folder, or an archive
    /// with more than one.
    pub(crate) fn are_several(&self, paths: &[OsString]) -> bool {
        let [path] = paths else {
            return paths.len() > 1;
        };
        // What is read only once, as a pipe, is not read for this.
        let can_be_read_again =
            || path != "-" && std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        let databases = || {
            self.resolver
                .resolve_games(path)
                .map_or(0, |items| items.len())
        };
        is_folder(path) || can_be_read_again() && databases() > 1
    }

    /// Whether `--strict` ends a list after inputs with these codes.
    fn is_stopped(&self, codes: &[ExitCode]) -> bool {
        let is_bad = |code: &ExitCode| matches!(code, ExitCode::Problems | ExitCode::Input);
        self.common.strict && codes.iter().any(is_bad)
    }

    pub(crate) fn find(
        &self,
        path: &OsString,
        wanted: Wanted,
    ) -> Result<Vec<Result<InputItem, Error>>, Error> {
        let found = self.find_any(path, wanted)?;
        let mut items = found.iter().flatten();
        if let Some(set) = items.find(|item| path == "-" && item.name() == "-" && is_set(item)) {
            let format = set.format();
            let main = format.extensions().first().unwrap_or(&"");
            self.messages.hint(&format!(
                "a {} is several files, and standard input has one of them: `tabia info games.{main}`, for example, \
                 reads all",
                format.name()
            ));
        }
        for item in found.iter().flatten() {
            // Nothing is written yet: the report gets its name at the end.
            refuse_inputs(std::slice::from_ref(item), &[self.common.report.as_deref()])?;
        }
        Ok(found)
    }

    fn find_any(
        &self,
        path: &OsString,
        wanted: Wanted,
    ) -> Result<Vec<Result<InputItem, Error>>, Error> {
        let resolver = &self.resolver;
        match wanted {
            Wanted::Inputs => resolver.resolve_each(path),
            Wanted::Games => resolver.resolve_games(path),
            Wanted::Contents => {
                let is_folder = is_folder(path);
                let mut contents = Vec::new();
                for item in resolver.resolve_each(path)? {
                    let expanded = item.and_then(|item| match resolver.archive(&item)? {
                        Some(archive) if is_folder => Ok(resolver.contents(&archive)),
                        _ => resolver.expand(item),
                    });
                    match expanded {
                        Ok(items) => contents.extend(items),
                        Err(error) if is_folder => contents.push(Err(error)),
                        Err(error) => return Err(error),
                    }
                }
                Ok(contents)
            }
        }
    }
}

/// What a command needs of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The inputs as they are, archives too.
    Inputs,
    /// Archives replaced by the databases and books in them.
    Contents,
    /// Databases, also in archives; books and other archives in a folder are left out.
    Games,
}

/// The folder for what can be computed again: `tabia` in `XDG_CACHE_HOME`, or in `.cache` of the home
/// folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    cache.or_else(home).map(|cache| cache.join("tabia"))
}

fn is_folder(path: &OsStr) -> bool {
    path != "-" && Path::new(path).is_dir()
}

/// Whether a set is among the inputs already: `mega.*` names the same database once for each of its
/// files.
/// Whether an input is there but cannot be read, which is no damage.
fn is_unreadable(error: &Error) -> bool {
    use std::io::ErrorKind as Io;
    let ErrorKind::Io(io) = error.kind() else {
        return false;
    };
    !matches!(
        io.kind(),
        Io::NotFound | Io::UnexpectedEof | Io::InvalidData
    )
}

fn is_known(item: &InputItem, items: &[InputItem]) -> bool {
    is_set(item) && items.iter().any(|old| old.label() == item.label())
}

/// Whether the format consists of several files.
fn is_set(item: &InputItem) -> bool {
    !item.format().companions().is_empty()
}

/// A resolver of every format that this program reads.
#[cfg(not(feature = "parquet"))]
pub(crate) fn new_resolver() -> Resolver {
    Resolver::default()
}

/// A resolver of every format that this program reads, tables too.
#[cfg(feature = "parquet")]
pub(crate) fn new_resolver() -> Resolver {
    Resolver::new(tabia::formats::formats().chain(tabia_columns::read::formats()))
}

/// The first ^C cancels the work. A second one, or `GRACE` without a reaction, ends the process.
fn cancel_on_signal(progress: &Arc<Progress>) {
    let progress = Arc::clone(progress);
    let is_cancelled = AtomicBool::new(false);
    // Without a handler ^C ends the process at once.
    let _ = ctrlc::set_handler(move || {
        if pager::is_running() {
            // The pager decides for itself what ^C does; this process ends with it.
            progress.cancel();
            return;
        }
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
