//! Conversion.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use tabia_rust::convert::{ConvertOptions, Target};
use tabia_rust::select::RecordRanges;
use tabia_rust::sort::SortOrder;
use tabia_rust::{
    Charset, Error, NoObserver, Observer, Profile, Progress, Query, Resolver, Summary,
};

use crate::database::tabia_counts;
use crate::error::tabia_error;
use crate::report::{NoteProblems, Reported, tabia_report};
use crate::write::store;
use crate::{guarded, text};

/// How a database is converted. What is zero or NULL is as usual: set all of it to zero, then `size`, and what is to be
/// different. Versions to come add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tabia_convert_options {
    /// `sizeof(tabia_convert_options)`.
    pub size: usize,
    /// The format; that of the extension of the target if NULL.
    pub to: *const c_char,
    /// Which games: a query as of `tabia search`.
    pub query: *const c_char,
    /// Which records, as `1-100,205`.
    pub games: *const c_char,
    /// Their order, as `white,-date`.
    pub sort: *const c_char,
    /// How much PGN shows: `standard`, `full`, `lichess`, `chessbase` or `seven`.
    pub profile: *const c_char,
    /// The character set of the source, if it does not name its own.
    pub encoding: *const c_char,
    /// The password of an archive.
    pub password: *const c_char,
    /// Number of threads; one if 0.
    pub threads: u32,
    /// Whether an existing target is replaced.
    pub force: bool,
    /// Whether games marked as deleted are converted too.
    pub include_deleted: bool,
}

/// Converts a database to another format, which the extension of `target` names: `games.pgn`,
/// `mega.cbh`, `mega.si5`. `force` replaces an existing file. What was done is stored in `counts`, if that
/// is not NULL.
///
/// # Safety
/// The texts end with a zero byte; `counts` and `error` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_convert(
    source: *const c_char,
    target: *const c_char,
    force: bool,
    counts: *mut tabia_counts,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let done = guarded(error, || {
            let (source, target) = (text::read(source)?, text::read(target)?);
            let mut options = ConvertOptions::default();
            options.create.force = force;
            Ok(convert(source, target, None, &options, None)?)
        });
        store(done, counts)
    }
}

/// Converts a database as `tabia_convert` does, in the way that `options` states, if that is not NULL. The problems of
/// the source and what the target cannot hold are added to `report`, if that is not NULL. If a query or numbers choose no
/// game, nothing is written, and `counts` has none.
///
/// # Safety
/// As `tabia_convert`; `options` is NULL, or has its size and texts that end with a zero byte or are NULL; `report` comes
/// from `tabia_report_new` or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_convert_with(
    source: *const c_char,
    target: *const c_char,
    options: *const tabia_convert_options,
    report: *const tabia_report,
    counts: *mut tabia_counts,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let done = guarded(error, || {
            let (source, target) = (text::read(source)?, text::read(target)?);
            let given = tabia_convert_options::read(options)?;
            let (options, to) = given.options()?;
            let reported = report.as_ref().map(tabia_report::reported);
            Ok(convert(source, target, to, &options, reported.as_ref())?)
        });
        store(done, counts)
    }
}

impl tabia_convert_options {
    /// The options of a caller, who may know fewer of them.
    ///
    /// # Safety
    /// `options` is null, or has its size.
    unsafe fn read(options: *const Self) -> Result<Self, Error> {
        // SAFETY: null pointers, numbers and `false` are zeros.
        let mut known: Self = unsafe { std::mem::zeroed() };
        if options.is_null() {
            return Ok(known);
        }
        // SAFETY: the caller vouches for it; the size is the first member of every version.
        let size = unsafe { options.cast::<usize>().read() };
        if size < size_of::<usize>() {
            let text = "`size` of the options is not that of the structure";
            return Err(Error::usage(text));
        }
        let length = size.min(size_of::<Self>());
        // SAFETY: both have that many bytes.
        unsafe {
            let own = (&raw mut known).cast::<u8>();
            options.cast::<u8>().copy_to_nonoverlapping(own, length);
        }
        Ok(known)
    }

    /// The same for the library, and the name of the format.
    ///
    /// # Safety
    /// The texts end with a zero byte or are null.
    unsafe fn options<'a>(&self) -> Result<(ConvertOptions, Option<&'a str>), Error> {
        // SAFETY: the caller vouches for it.
        let optional = |text: *const c_char| unsafe { text::read_optional(text) };
        let mut options = ConvertOptions::default();
        options.create.force = self.force;
        options.open.password = optional(self.password)?.map(str::to_owned);
        if let Some(name) = optional(self.encoding)? {
            options.open.charset = charset(name)?;
        }
        if let Some(name) = optional(self.profile)? {
            options.create.profile = profile(name)?;
        }
        options.plan.threads = usize::try_from(self.threads.max(1)).unwrap_or(1);
        options.plan.selection.deleted = self.include_deleted;
        let games = optional(self.games)?.map(RecordRanges::parse).transpose();
        options.plan.selection.numbers = games.map_err(Error::usage)?;
        let sort = optional(self.sort)?.map(SortOrder::parse).transpose();
        let query = optional(self.query)?.map(Query::parse).transpose()?;
        options.choose(query.unwrap_or_default(), sort.map_err(Error::usage)?)?;
        options.needs_records =
            options.plan.filter.is_some() || options.plan.selection.numbers.is_some();
        Ok((options, optional(self.to)?))
    }
}

/// The character set of a name.
pub(crate) fn charset(name: &str) -> Result<Charset, Error> {
    let unknown = || Error::usage(format!("`{name}` is no character set"));
    Charset::parse(name).ok_or_else(unknown)
}

/// The profile of PGN of a name.
fn profile(name: &str) -> Result<Profile, Error> {
    let known = Profile::ALL.iter().find(|(_, known)| *known == name);
    let unknown = || Error::usage(format!("`{name}` is no profile of PGN"));
    known.map(|(profile, _)| *profile).ok_or_else(unknown)
}

fn convert(
    source: &str,
    target: &str,
    to: Option<&str>,
    options: &ConvertOptions,
    reported: Option<&Reported>,
) -> Result<tabia_counts, Error> {
    let mut resolver = Resolver::default();
    resolver.options = options.open.clone();
    let mut items = Vec::new();
    let mut lost = 0;
    for item in resolver.resolve_games(source.as_ref())? {
        match (item, reported) {
            (Ok(item), _) => items.push(item),
            (Err(error), Some(reported)) => {
                lost += 1;
                reported.add_problem(error);
            }
            (Err(error), None) => return Err(error),
        }
    }
    if items.is_empty() && lost > 0 {
        return Err(Error::usage(format!(
            "{source} has no games that can be read"
        )));
    }
    let format = to.map(|name| {
        let unknown = || Error::usage(format!("`{name}` is no format"));
        tabia_rust::format(name).ok_or_else(unknown)
    });
    let target = Target::file(&resolver, Path::new(target), format.transpose()?)?;
    let progress = Arc::new(Progress::default());
    let mut observer: Box<dyn Observer> = match reported {
        Some(reported) => Box::new(NoteProblems(reported.clone())),
        None => Box::new(NoObserver),
    };
    let (summary, _) =
        tabia_rust::convert::convert(&items, target, options, &progress, &mut *observer)?;
    if let Some(reported) = reported {
        reported.add_losses(&summary);
    }
    Ok(counts(&summary, lost))
}

/// What was done, with the files that could not be read.
fn counts(summary: &Summary, lost: u64) -> tabia_counts {
    tabia_counts {
        games: summary.counts.games,
        texts: summary.counts.texts,
        problems: summary.problems + lost,
        losses: summary.losses.iter().map(|(_, loss)| loss.count).sum(),
    }
}
