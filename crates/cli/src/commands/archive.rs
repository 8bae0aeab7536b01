//! `tabia archive`: list, extract, create and test archives.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use tabia::core::Problem;
use tabia::core::formats::Companion;
use tabia::core::io::Source;
use tabia::core::shell_argument::file_argument;
use tabia::formats::archives;
use tabia::formats::archives::{
    Archive, ArchiveFormat, ChecksumStatus, Member, NewMember, Packing, Presence, create_listed,
    extract,
};
use tabia::formats::{ARCHIVES, Format, formats};
use tabia::{Error, ErrorKind, ErrorSide, InputItem, Observer, OpenInput};

use crate::archive_of_games::{database_format, free_path, media_folders, quoted};
use crate::args::{
    ArchiveCreateArgs, ArchiveExtractArgs, ArchiveListArgs, ArchiveTestArgs, ArchiveVerb,
    Compression,
};
use crate::commands::distinct_members::distinct_members;
use crate::context::{Context, Wanted};
use crate::control_char_filter::one_line;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, NextRow, RowStyle};
use crate::output_conflicts::input_and_output;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, size};
use crate::report::Reporter;

const COLUMNS: &[&str] = &[
    "name",
    "size",
    "stored",
    "compression",
    "checksum",
    "modified",
    "uri",
];

pub(crate) fn run(verb: &ArchiveVerb) -> Result<ExitCode, Error> {
    match verb {
        ArchiveVerb::List(args) => list(args),
        ArchiveVerb::Extract(args) => extract_members(args),
        ArchiveVerb::Create(args) => create_archive(args),
        ArchiveVerb::Test(args) => test(args),
    }
}

fn list(args: &ArchiveListArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("archive list", args.replace.force, None)?;
    let (item, archive) = open(&context, &args.archive)?;
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, &["size", "stored"]);
    report_problems(&item, &*archive, &mut reporter)?;
    let mut bad = 0;
    let all: Vec<usize> = (0..archive.members().len()).collect();
    context.progress.set_total(unpacked_size(&*archive, &all));
    let display = context.display();
    for (index, member) in archive.members().iter().enumerate() {
        // Rows that are not shown are not verified: a large archive is listed quickly in parts.
        match listing.next_row() {
            NextRow::Shown => {}
            NextRow::Skipped => continue,
            NextRow::Beyond => break,
        }
        let checksum = match verified(&context, &*archive, index)? {
            Ok(checksum) => checksum,
            Err(_) if member.presence == Presence::Elsewhere => ChecksumStatus::Absent,
            Err(error) => {
                bad += 1;
                report_member(&item, &*archive, index, error, &mut reporter)?;
                ChecksumStatus::Bad
            }
        };
        listing.push(&MemberRow::new(member, checksum))?;
    }
    drop(display);
    listing.finish()?;
    let code = ExitCode::of_problems(bad + reporter.count());
    reporter.finish(None)?;
    if code == ExitCode::Problems {
        hint_at_rest(&context, &item);
    }
    Ok(code)
}

/// How to save what is left of a damaged archive.
fn hint_at_rest(context: &Context, item: &InputItem) {
    let path = item.label();
    if !path.exists() {
        return;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let saved = free_path(PathBuf::from(format!("saved-{stem}")));
    let (path, saved) = (quoted(path), quoted(&saved));
    context.messages.hint(&format!(
        "`tabia repair {path} -o {saved}` saves what is left of its databases and books, \
         `tabia archive extract {path} -d {saved}` what is left of its files"
    ));
}

/// The checksum of a member, or what is wrong with it. Its bytes count as done, whether they could be read or not.
///
/// # Errors
/// If the work is cancelled.
fn verified(
    context: &Context,
    archive: &dyn Archive,
    index: usize,
) -> Result<Result<ChecksumStatus, Error>, Error> {
    let progress = &context.progress;
    progress.check()?;
    let end = progress
        .done()
        .saturating_add(unpacked_size(archive, &[index]));
    let checksum = archive.verify_with_progress(index, progress);
    progress.check()?;
    progress.advance(end.saturating_sub(progress.done()), 0);
    Ok(checksum)
}

/// Bytes that members unpack to, as far as the archive states it.
fn unpacked_size(archive: &dyn Archive, members: &[usize]) -> u64 {
    let members = members
        .iter()
        .filter_map(|index| archive.members().get(*index));
    members
        .map(|member| member.size.unwrap_or_default())
        .fold(0, u64::saturating_add)
}

/// A member, as `archive list` shows it.
#[derive(Serialize)]
struct MemberRow<'a> {
    name: &'a str,
    size: Option<u64>,
    stored: u64,
    compression: &'a str,
    checksum: &'static str,
    modified: Option<String>,
    uri: Option<&'a str>,
}

impl<'a> MemberRow<'a> {
    fn new(member: &'a Member, checksum: ChecksumStatus) -> Self {
        Self {
            name: &member.name,
            size: member.size,
            stored: member.packed_size,
            compression: &member.compression,
            checksum: state(member, checksum),
            modified: member.modified.map(|stamp| stamp.to_string()),
            uri: member.uri.as_deref(),
        }
    }
}

/// What a row states about a member: that nothing of it is there, or the name of what its checksum shows.
fn state(member: &Member, checksum: ChecksumStatus) -> &'static str {
    match member.presence {
        Presence::Lost => "missing",
        Presence::Stored | Presence::Elsewhere => checksum.name(),
    }
}

/// A member, as `archive test` shows it.
#[derive(Serialize)]
struct TestedRow<'a> {
    archive: &'a str,
    name: &'a str,
    size: Option<u64>,
    checksum: &'static str,
}

/// What the members of an archive are like, for a terminal.
#[derive(Default)]
struct TestedMembers {
    count: u64,
    without_checksum: u64,
    /// The names of those that are damaged.
    bad: Vec<String>,
    /// The names of those of which nothing is left.
    lost: Vec<String>,
}

impl TestedMembers {
    fn add(&mut self, member: &Member, checksum: ChecksumStatus) {
        self.count += 1;
        match checksum {
            ChecksumStatus::Bad if member.presence == Presence::Lost => {
                self.lost.push(member.name.clone());
            }
            ChecksumStatus::Bad => self.bad.push(member.name.clone()),
            _ if checksum == ChecksumStatus::Absent => self.without_checksum += 1,
            _ => {}
        }
    }

    fn sentence(&self, archive: &str) -> String {
        let members = counted(self.count, "member");
        let not_ok = self.bad.len() + self.lost.len();
        let mut text = match (not_ok, self.without_checksum) {
            (0, 0) => format!("{archive}: {members}, all ok"),
            (0, absent) => format!("{archive}: {members}, all ok; {absent} without a checksum"),
            (not_ok, _) => format!("{archive}: {members}, {not_ok} not ok:"),
        };
        text.push('\n');
        for (state, names) in [("damaged", &self.bad), ("missing", &self.lost)] {
            for name in names {
                let _ = writeln!(text, "  {state}  {}", one_line(name));
            }
        }
        text
    }
}

fn test(args: &ArchiveTestArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("archive test", args.replace.force, None)?;
    let columns = ["archive", "name", "size", "checksum"];
    let mut listing = Listing::new(&context.bar, &args.listing, &columns, &["size"]);
    // On a terminal an archive is a sentence, and members are rows only if they are not ok.
    let is_described = listing.style() == RowStyle::Table && !args.listing.table;
    let is_described = is_described && !args.common.verbose;
    let mut damaged: Option<InputItem> = None;
    let display = context.display();
    let code = context.for_each_input(&args.archives, Wanted::Inputs, |item| {
        let opened = item.and_then(|item| {
            let archive = archive_of(&context, &item)?;
            Ok((item, archive))
        });
        let (item, archive) = match opened {
            Ok(opened) => opened,
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                return Ok(ExitCode::Input);
            }
            Err(other) => return Err(other),
        };
        let before = reporter.count();
        let name = item.name();
        report_problems(&item, &*archive, &mut reporter)?;
        // Members that are elsewhere are no damage: nothing of them can be saved.
        let mut is_damaged = reporter.count() > before;
        let mut tested = TestedMembers::default();
        let all: Vec<usize> = (0..archive.members().len()).collect();
        let progress = &context.progress;
        progress.set_total(progress.done() + unpacked_size(&*archive, &all));
        for (index, member) in archive.members().iter().enumerate() {
            let checksum = match verified(&context, &*archive, index)? {
                Ok(checksum) => checksum,
                Err(error) => {
                    report_member(&item, &*archive, index, error, &mut reporter)?;
                    match member.presence {
                        Presence::Elsewhere => ChecksumStatus::Absent,
                        Presence::Stored | Presence::Lost => ChecksumStatus::Bad,
                    }
                }
            };
            is_damaged |= checksum == ChecksumStatus::Bad;
            if is_described {
                tested.add(member, checksum);
                continue;
            }
            listing.push(&TestedRow {
                archive: &name,
                name: &member.name,
                size: member.size,
                checksum: state(member, checksum),
            })?;
            if args.common.strict && reporter.count() > before {
                break;
            }
        }
        if is_described {
            listing.out().text(&tested.sentence(&name))?;
        }
        if is_damaged {
            damaged.get_or_insert(item);
        }
        Ok(ExitCode::of_problems(reporter.count() - before))
    })?;
    drop(display);
    listing.finish()?;
    reporter.finish(None)?;
    if let Some(item) = damaged {
        hint_at_rest(&context, &item);
    }
    Ok(code)
}

fn extract_members(args: &ArchiveExtractArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("archive extract", args.force, None)?;
    let (item, archive) = open(&context, &args.archive)?;
    let wanted = if args.members.is_empty() {
        (0..archive.members().len()).collect()
    } else {
        let find = |name: &String| {
            archives::find_member(&*archive, name).ok_or_else(|| {
                let text = format!("no member of the archive is called `{name}`");
                Error::invalid(text).in_file(item.label())
            })
        };
        args.members
            .iter()
            .map(find)
            .collect::<Result<Vec<_>, _>>()?
    };
    report_problems(&item, &*archive, &mut reporter)?;
    let mut options = archives::ExtractOptions::default();
    options.force = args.force;
    options.sources = item.paths();
    // Members that are named are meant.
    options.hidden = args.hidden || !args.members.is_empty();
    let progress = &context.progress;
    progress.set_total(unpacked_size(&*archive, &wanted));
    let display = context.display();
    let extracted = extract(&*archive, &wanted, &args.directory, &options, progress);
    drop(display);
    let extracted = extracted.map_err(Error::in_output)?;
    for error in extracted.problems {
        report_problem(&item, error, &mut reporter)?;
    }
    context.messages.note(&format!(
        "{} to {}: {}",
        counted(extracted.files.len() as u64, "file"),
        args.directory.path_text(),
        size(extracted.bytes)
    ));
    if extracted.system_metadata > 0 {
        let left_out = counted(extracted.system_metadata, "file");
        context.messages.note(&format!(
            "{left_out} of macOS itself left out (.DS_Store, __MACOSX); `--hidden` extracts them too"
        ));
    }
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish(None)?;
    Ok(code)
}

/// Why an encrypted archive is not made.
fn needs_password(args: &ArchiveCreateArgs) -> Error {
    let why = match args.common.password {
        None => "is an encrypted archive, which needs a password",
        Some(_) => "is an encrypted archive: its password cannot be empty",
    };
    let text = format!("{} {why}", args.archive.path_text());
    Error::usage(text).with_hint("`--password TEXT` sets it; a .cbv archive needs none")
}

fn create_archive(args: &ArchiveCreateArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("archive create", args.force, None)?;
    let format = target_format(args)?;
    let mut options = archives::CreateOptions::default();
    options.progress = Some(Arc::clone(&context.progress));
    options.force = args.force;
    options.transaction = reporter.transaction();
    options.password.clone_from(&args.common.password);
    options.packing = packing(args.compression, format)?;
    if options.packing == Packing::Lzo {
        context
            .messages
            .note("Scidb itself does not read members packed with lzo");
    }
    let files = whole_sets(&context, &args.files);
    let mut holds_itself = false;
    let mut left_out = Vec::new();
    let mut replaced_names = 0;
    let progress = &context.progress;
    let mut list = || {
        let found = new_members(args, format, &files).map_err(|error| match error.side() {
            ErrorSide::Input => error.in_input(),
            _ => error,
        });
        let FoundMembers {
            mut members,
            holds_archive,
            left_out: others,
        } = found?;
        replaced_names = distinct_members(&mut members);
        holds_itself |= holds_archive;
        left_out = others;
        let sizes: u64 = members.iter().map(NewMember::size).sum();
        progress.set_total(sizes);
        Ok(members)
    };
    let display = context.display();
    let created = create_listed(format, &args.archive, &mut list, &options);
    drop(display);
    let created = created.map_err(|error| match error.kind() {
        ErrorKind::Password => needs_password(args),
        _ => error,
    });
    let (members, bytes) = created.map_err(Error::in_output)?;
    reporter.commit(None, None::<&()>)?;
    if holds_itself {
        let text = format!("{} is left out of itself", args.archive.path_text());
        context.messages.note(&text);
    }
    if replaced_names > 0 {
        let names = counted_as(replaced_names, "name is", "names are");
        let text = format!("{names} not UTF-8: letters are replaced in the archive");
        context.messages.note(&text);
    }
    context.messages.note(&format!(
        "{} in {}: {}",
        counted(members as u64, "file"),
        args.archive.path_text(),
        size(bytes)
    ));
    for file in files.iter().filter(|file| file.is_file()) {
        report_missing_parts(&context, file, &mut reporter)?;
    }
    for path in &left_out {
        let error = Error::unsupported(why_left_out(path)).in_path(path);
        reporter.report_problem_in_folder(&error)?;
    }
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish(None)?;
    Ok(code)
}

/// What is wrong with a database or book as far as opening it shows.
fn problems_of_opening(context: &Context, item: &InputItem) -> Vec<String> {
    match item.open(&context.open, None).map(|opened| opened.input) {
        Ok(OpenInput::Database(database)) => database.info().problems.clone(),
        Ok(OpenInput::Book(book)) => book.info().problems.clone(),
        _ => Vec::new(),
    }
}

/// Whether a text names a file with that extension, or `.extension` alone.
fn names_extension(text: &str, extension: &str) -> bool {
    text.to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric() && letter != '.')
        .any(|word| {
            word.rsplit_once('.')
                .is_some_and(|(_, end)| end == extension)
        })
}

/// Reports the files that a database was packed without, such as that of its moves.
fn report_missing_parts(
    context: &Context,
    file: &Path,
    reporter: &mut Reporter,
) -> Result<(), Error> {
    let Ok(items) = context.resolver.resolve(file.as_os_str()) else {
        return Ok(());
    };
    for item in items {
        let companions = item.format().companions();
        let Some(source) = item.source().filter(|_| !companions.is_empty()) else {
            continue;
        };
        let is_absent = |companion: &&Companion| source.companion(companion.extension).is_none();
        let absent: Vec<&Companion> = companions.iter().filter(is_absent).collect();
        let is_needed = |companion: &&Companion| companion.required || companion.has_parts_of_games;
        let (needed, others): (Vec<&Companion>, Vec<&Companion>) =
            absent.into_iter().partition(is_needed);
        let mut texts = Vec::new();
        for companion in needed {
            let main = file.file_name().unwrap_or_default().to_string_lossy();
            let missing = Path::new(&*main).with_extension(companion.extension);
            texts.push(format!(
                "{} is missing ({}): the archive does not have it",
                missing.path_text(),
                companion.holds
            ));
        }
        // Whether a set lacks one of the others, only its other files show.
        if !others.is_empty() {
            let opening = problems_of_opening(context, &item);
            for companion in others {
                let named = opening
                    .iter()
                    .filter(|text| names_extension(text, companion.extension));
                texts.extend(named.map(|text| format!("{text}; the archive does not have it")));
            }
        }
        for text in texts {
            report_problem(&item, Error::invalid(text), reporter)?;
        }
    }
    Ok(())
}

/// What is to be packed.
#[derive(Default)]
struct FoundMembers {
    members: Vec<NewMember>,
    /// Whether the archive itself was among them.
    holds_archive: bool,
    /// What is in the folders and cannot be packed.
    left_out: Vec<PathBuf>,
}

/// Why what is in a folder is not packed.
fn why_left_out(path: &Path) -> &'static str {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    match std::fs::metadata(path) {
        _ if !is_link => "a pipe or a device, which the archive does not have",
        Err(_) => "the link leads to nothing: the archive does not have it",
        Ok(data) if data.is_dir() => "a link to a folder, which the archive does not have",
        Ok(_) => "a link to a file that is none of chess, which the archive does not have",
    }
}

/// The files to be packed as they are now.
fn new_members(
    args: &ArchiveCreateArgs,
    format: &ArchiveFormat,
    files: &[PathBuf],
) -> Result<FoundMembers, Error> {
    let mut all = FoundMembers::default();
    let target = args.archive.canonicalize().ok();
    let is_target = |path: &Path| target.is_some() && path.canonicalize().ok() == target;
    for (name, file) in &with_companions(files)? {
        if file.is_dir() {
            let mut found = NewMember::from_folder(file, &has_known_extension)?;
            if files.len() == 1 {
                flatten(&mut found.members, format);
            }
            let is_archive = |member: &NewMember| member.path().is_some_and(is_target);
            all.holds_archive |= found.members.iter().any(is_archive);
            let members = found.members.into_iter();
            all.members
                .extend(members.filter(|member| !is_archive(member)));
            all.left_out.append(&mut found.left_out);
        } else {
            if is_target(file) {
                return Err(input_and_output(file.path_text()));
            }
            let mut member = NewMember::from_path(file)?;
            if let Some(name) = name {
                member.name.clone_from(name);
            }
            all.members.push(member);
        }
    }
    if all.holds_archive && all.members.is_empty() {
        // Nothing would be left of it.
        return Err(input_and_output(args.archive.path_text()));
    }
    Ok(all)
}

/// Whether a format or its companions have the extension of a path.
fn has_known_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    formats().any(|format| {
        let mut companions = format.companions().iter();
        format.extensions().contains(&extension.as_str())
            || companions.any(|companion| companion.extension == extension)
    })
}

/// Takes the name of the folder from its members if it has the files of one database and the archive is that
/// of a chess program, which expects them without a folder.
fn flatten(members: &mut [NewMember], format: &ArchiveFormat) {
    let Some(database) = database_format(format) else {
        return;
    };
    let is_main = |name: &str| {
        let extension = Path::new(name).extension().unwrap_or_default();
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        database.file.extensions.contains(&extension.as_str())
    };
    let names = members.iter().map(|member| member.name.as_str());
    let mains: Vec<&str> = names.filter(|name| is_main(name)).collect();
    let is_at_top = |name: &&str| name.matches('/').count() == 1;
    if mains.len() != 1 || !mains.iter().all(is_at_top) {
        return;
    }
    for member in members {
        if let Some((_, name)) = member.name.split_once('/') {
            member.name = name.to_owned();
        }
    }
}

/// The files, with the main file of a set for one of its other files, or for its name without extension.
fn whole_sets(context: &Context, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for file in files {
        let main = main_file(context, file).filter(|main| !files.contains(main));
        let file = main.unwrap_or_else(|| file.clone());
        if !all.contains(&file) {
            all.push(file);
        }
    }
    all
}

/// The main file of the set that a path names by another of its files or without an extension.
fn main_file(context: &Context, file: &Path) -> Option<PathBuf> {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    let is_main = formats().any(|format| format.extensions().contains(&extension.as_str()));
    let is_companion = formats().any(|format| {
        let mut companions = format.companions().iter();
        companions.any(|companion| companion.extension == extension)
    });
    // A pipe is not opened: that would wait for another process.
    let can_be_of_set = match std::fs::metadata(file) {
        Ok(metadata) => is_companion && metadata.is_file(),
        Err(_) => is_companion || std::fs::symlink_metadata(file).is_err(),
    };
    if is_main || !can_be_of_set {
        return None;
    }
    let mut items = context.resolver.resolve(file.as_os_str()).ok()?;
    let item = items.pop().filter(|_| items.is_empty())?;
    let source = item.source()?;
    let main = source.main().path()?;
    // The name in the folder, not that of a file that is being replaced.
    Some(main.with_file_name(source.name()))
}

/// The files, and after the main file of a set its companions, without which it is of no use; each with
/// its name where that is not the name of the path.
fn with_companions(files: &[PathBuf]) -> Result<Vec<(Option<String>, PathBuf)>, Error> {
    let mut all: Vec<(Option<String>, PathBuf)> = Vec::new();
    let named = |name: &str, main: &Path| {
        let path = main.with_file_name(name);
        files.contains(&path)
    };
    for file in files {
        let extension = file.extension().map(OsStr::to_ascii_lowercase);
        let extension = extension.as_deref().and_then(OsStr::to_str);
        let is_main =
            |format: &Format| extension.is_some_and(|name| format.extensions().contains(&name));
        let format = formats().find(is_main).filter(|_| !file.is_dir());
        let source = match format.map(|_| Source::from_path(file)) {
            Some(Ok(source)) => Some(source),
            Some(Err(error)) => return Err(error),
            // A file that is being replaced has another name for a moment.
            None if file.exists() => None,
            None => Source::from_path(file).ok(),
        };
        let Some(source) = source else {
            all.push((None, file.clone()));
            continue;
        };
        let path = source.main().path().unwrap_or(file);
        // A link has its own name in the archive, and its companions that of the link.
        let link = file.file_stem().filter(|_| file.is_symlink());
        let in_archive = |name: &str| {
            let rest = stem(source.name()).and_then(|stem| {
                let (start, rest) = name.split_at_checked(stem.len())?;
                (start.to_lowercase() == stem.to_lowercase()).then_some(rest)
            });
            match link.zip(rest) {
                Some((link, rest)) => format!("{}{rest}", link.to_string_lossy()),
                None => name.to_owned(),
            }
        };
        all.push((Some(in_archive(source.name())), path.to_path_buf()));
        let companions = format.map_or(&[][..], |format| format.companions());
        let companions = companions.iter().map(|companion| companion.extension);
        for extension in companions.chain(format.into_iter().flat_map(kept_by_products)) {
            let found = source.companion(extension);
            let found = found.as_deref().filter(|found| !named(&found.name, file));
            if let Some((found, path)) = found.and_then(|found| Some((found, found.path()?))) {
                // A folder in the archive would not be the companion.
                if path.is_dir() {
                    let error = std::io::Error::from(std::io::ErrorKind::IsADirectory);
                    return Err(Error::from(error).in_path(path));
                }
                all.push((Some(in_archive(&found.name)), path.to_path_buf()));
            }
        }
        let media = format.map(|format| media_folders(&source, format));
        let media = media.into_iter().flatten();
        all.extend(
            media
                .filter(|folder| !files.contains(folder))
                .map(|folder| (None, folder)),
        );
    }
    Ok(all)
}

/// Extensions of files that other programs keep next to a database and do not make of its other files alone, such
/// as a classification of its openings that a user has changed.
fn kept_by_products(format: Format) -> impl Iterator<Item = &'static str> {
    let edit = format.game_writer().and_then(|games| games.edit.as_ref());
    let derived = edit.map_or(&[][..], |edit| edit.derived);
    let by_products = format.by_products().iter().copied();
    by_products.filter(|extension| !derived.contains(extension))
}

/// A file name without its extension.
fn stem(name: &str) -> Option<&str> {
    Path::new(name).file_stem()?.to_str()
}

fn packing(method: Option<Compression>, format: &ArchiveFormat) -> Result<Packing, Error> {
    let packing = match method {
        None => return Ok(Packing::Best),
        Some(Compression::Raw) => Packing::Stored,
        Some(Compression::Zlib) => Packing::Zlib,
        Some(Compression::Lzo) => Packing::Lzo,
    };
    if format.packings.contains(&packing) {
        return Ok(packing);
    }
    let id = format.file.id;
    Err(Error::usage(match packing {
        Packing::Lzo => {
            let packs = ARCHIVES
                .iter()
                .filter(|other| other.packings.contains(&packing));
            let names: Vec<&str> = packs.map(|other| other.file.id.as_str()).collect();
            format!(
                "only {} archives can be packed with lzo, not {id}",
                names.join(", ")
            )
        }
        _ => format!("{id} archives have a compression of their own: leave `--compression` out"),
    }))
}

fn target_format(args: &ArchiveCreateArgs) -> Result<&'static ArchiveFormat, Error> {
    let extension = args
        .archive
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let name = args.to.as_ref().map_or(extension, |to| to.to_lowercase());
    let matches = |container: &&&ArchiveFormat| {
        let format = &container.file;
        format.id.as_str() == name || format.extensions.contains(&name.as_str())
    };
    let known = || {
        let writers = ARCHIVES
            .iter()
            .filter(|container| container.create.is_some());
        let names: Vec<String> = writers.map(|c| c.file.id.to_string()).collect();
        names.join(", ")
    };
    match ARCHIVES.iter().find(matches) {
        Some(container) if container.create.is_some() => Ok(container),
        _ => {
            let text = format!(
                "no archive format `{name}` can be written; these can: {}",
                known()
            );
            let is_common = |container: &&ArchiveFormat| {
                container.create.is_some() && database_format(container).is_none()
            };
            let common = ARCHIVES
                .iter()
                .copied()
                .find(|container| is_common(container));
            let extension = common.and_then(|container| container.file.extensions.first());
            let archive = args.archive.with_extension(extension.unwrap_or(&""));
            let files: Vec<String> = args.files.iter().take(3).map(|file| quoted(file)).collect();
            let files = match files.len() {
                1 | 2 => files.join(" "),
                _ => "FILES".to_owned(),
            };
            Err(Error::usage(text).with_hint(format!(
                "`tabia archive create {} {files}` makes one that every program opens",
                quoted(&free_path(archive))
            )))
        }
    }
}

fn open(
    context: &Context,
    path: &std::ffi::OsString,
) -> Result<(InputItem, Arc<dyn Archive>), Error> {
    let mut items = context.items(std::slice::from_ref(path))?;
    if let (Some(item), true) = (items.pop(), items.is_empty()) {
        let archive = archive_of(context, &item)?;
        return Ok((item, archive));
    }
    let name = Path::new(path).path_text().into_owned();
    let hint = format!("`tabia info {}` lists those in it", file_argument(&name));
    let text = format!("{name} is a folder; name an archive");
    Err(Error::usage(text).with_hint(hint))
}

fn archive_of(context: &Context, item: &InputItem) -> Result<Arc<dyn Archive>, Error> {
    let archive = context.resolver.archive(item)?;
    archive.ok_or_else(|| {
        let (name, format) = (item.name(), item.format().name());
        Error::usage(format!("{name} is not an archive, its format is {format}")).with_hint(
            format!("`tabia info {}` reads every format", file_argument(&name)),
        )
    })
}

fn report_problems(
    item: &InputItem,
    archive: &dyn Archive,
    reporter: &mut Reporter,
) -> Result<(), Error> {
    for error in &archive.info().problems {
        report_problem(item, Error::invalid(error.kind().to_string()), reporter)?;
    }
    Ok(())
}

/// Reports the error of a member, unless a problem of the archive accounts for it.
fn report_member(
    item: &InputItem,
    archive: &dyn Archive,
    index: usize,
    error: Error,
    reporter: &mut Reporter,
) -> Result<(), Error> {
    let member = archive.members().get(index);
    if member.is_some_and(|member| member.presence == Presence::Lost) {
        return Ok(());
    }
    report_problem(item, archives::in_member(archive, index, error), reporter)
}

fn report_problem(item: &InputItem, error: Error, reporter: &mut Reporter) -> Result<(), Error> {
    let problem = Problem::from(error.in_file(item.label()));
    reporter.problem(item, &problem).map_err(Error::in_output)
}
