//! `tabia check`: decodes everything and reports every problem.

use std::ffi::OsString;
use std::path::Path;

use serde::Serialize;
use tabia::check::{CheckOptions, Checked, check};
use tabia::core::FormatId;
use tabia::core::formats::FormatKind;
use tabia::core::io::name_text;
use tabia::core::shell_argument::file_argument;
use tabia::formats::archives::compressed::Compression;
use tabia::{Error, ErrorSide, InputItem};

use crate::args::CheckArgs;
use crate::commands::other_files::OtherFiles;
use crate::commands::repair_all::repair_into_folder;
use crate::context::{Context, Wanted};
use crate::control_char_filter::one_line;
use crate::exit_code::ExitCode;
use crate::json::Displayed;
use crate::listing::{Listing, RowStyle};
use crate::messages::saved_name;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, grouped};
use crate::report::{ProblemRow, Reporter};
use crate::terminal::TextStyle;

const COLUMNS: &[&str] = &[
    "path",
    "format",
    "games",
    "texts",
    "deleted",
    "plies",
    "variations",
    "annotations",
    "positions",
    "problems",
];

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("check", args.force, None)?;
    let numeric = COLUMNS.get(2..).unwrap_or_default();
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, numeric);
    let mut options = CheckOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.common.strict;
    options.deep = args.deep;
    let display = context.display();
    let mut checker = Checker {
        context: &context,
        options: &options,
        reporter: &mut reporter,
        // On a terminal an input is a sentence instead of a row.
        is_described: listing.style() == RowStyle::Table && !args.listing.table,
        sentences: Vec::new(),
        damaged: Vec::new(),
        listing: &mut listing,
        is_strict_end: false,
    };
    let (mut seen, mut bad) = (0, 0);
    let code = context.for_each_input(&args.paths, Wanted::Inputs, |item| {
        let code = match item {
            Ok(item) => checker.check_with_members(&item, 1),
            Err(error) => checker.report_error(&error, None),
        };
        checker.write_sentences()?;
        let is_problem = matches!(code, Ok(ExitCode::Problems));
        checker.is_strict_end |= args.common.strict && is_problem;
        seen += 1;
        bad += u64::from(!matches!(code, Ok(ExitCode::Done)));
        code
    });
    let is_described = checker.is_described;
    let damaged = std::mem::take(&mut checker.damaged);
    let is_strict_end = std::mem::take(&mut checker.is_strict_end);
    drop(display);
    let mut code = reporter.end_at_strict(code)?;
    if is_strict_end && code == ExitCode::Input {
        // That there are problems is what was asked.
        code = ExitCode::Problems;
    }
    listing.finish_with(code)?;
    let others = OtherFiles::of(&context.resolver, &args.paths);
    reporter.finish_with(None, Some(&others))?;
    if let Some(hint) = next_step_of_all(&args.paths, &damaged) {
        context.messages.hint(&hint);
    }
    if is_described && seen > 1 {
        let inputs = counted(seen, "input");
        context.messages.note(&match bad {
            0 => format!("{inputs}, all healthy"),
            bad => format!(
                "{inputs}: {} healthy, {} with problems",
                grouped(seen - bad),
                grouped(bad)
            ),
        });
    }
    others.report(&context.messages, "checked");
    Ok(code)
}

struct Checker<'a> {
    context: &'a Context,
    options: &'a CheckOptions,
    reporter: &'a mut Reporter,
    is_described: bool,
    /// Of the current input: itself and what is in it.
    sentences: Vec<Sentence>,
    /// What to do about each input with problems.
    damaged: Vec<String>,
    listing: &'a mut Listing,
    /// `--strict` has ended the check at a problem of an input that could be opened.
    is_strict_end: bool,
}

/// What is printed about an input on a terminal.
struct Sentence {
    path: String,
    problems: u64,
    /// What was read.
    counts: Vec<String>,
}

impl Sentence {
    fn new(row: &CheckRow<'_>, members: Option<u64>) -> Self {
        let mut counts = Vec::new();
        if let Some(book) = &row.book {
            counts.push(counted(book.positions, "position"));
            counts.push(counted(book.moves, "move"));
        } else if let Some(database) = &row.database {
            counts.push(counted(database.games, "game"));
            if database.texts > 0 {
                counts.push(counted(database.texts, "guiding text"));
            }
            counts.push(counted_as(database.plies, "ply", "plies"));
        }
        counts.extend(members.map(|members| counted(members, "member")));
        Self {
            path: row.path.clone(),
            problems: row.problems,
            counts,
        }
    }
}

impl Checker<'_> {
    /// Writes what is known about the current input. A healthy archive with one database is one
    /// sentence.
    fn write_sentences(&mut self) -> Result<(), Error> {
        let mut sentences = std::mem::take(&mut self.sentences);
        if let [archive, inner] = sentences.as_mut_slice()
            && archive.problems + inner.problems == 0
        {
            let members = std::mem::take(&mut archive.counts);
            archive.counts.append(&mut inner.counts);
            archive.counts.extend(members);
            sentences.truncate(1);
        }
        for sentence in sentences {
            let (style, state) = match sentence.problems {
                0 => (TextStyle::Green, "healthy".to_owned()),
                count => (TextStyle::Red, counted(count, "problem")),
            };
            let out = self.listing.out();
            out.text(&format!("{}: ", one_line(&sentence.path)))?;
            out.styled(style, &state)?;
            let counts = sentence.counts.join(", ");
            let between = if counts.is_empty() { "" } else { "; " };
            out.text(&format!("{between}{counts}\n"))?;
            out.flush()?;
        }
        Ok(())
    }

    /// Adds a row, or a sentence.
    fn push(&mut self, row: &CheckRow<'_>, members: Option<u64>) -> Result<(), Error> {
        if self.is_described {
            self.sentences.push(Sentence::new(row, members));
            return Ok(());
        }
        self.listing.push(row)
    }

    /// Reports an input that cannot be opened; a file that is there has a row, and so has a member of an
    /// archive, whose format is given.
    fn report_error(&mut self, error: &Error, format: Option<FormatId>) -> Result<ExitCode, Error> {
        self.reporter.report_failed_input(error)?;
        let file = error.location().file.as_deref();
        if let Some(file) = file.filter(|file| format.is_some() || file.exists()) {
            self.push_failed(file.path_text().into_owned(), format, error)?;
        }
        Ok(ExitCode::Input)
    }

    /// Adds the row of an input that was not read to its end because of a problem.
    fn push_failed(
        &mut self,
        path: String,
        format: Option<FormatId>,
        error: &Error,
    ) -> Result<(), Error> {
        let row = CheckRow {
            path,
            format: format.map(Displayed),
            book: None,
            database: None,
            problems: 1,
            problem_list: &[ProblemRow::new(error)],
        };
        self.push(&row, None)
    }

    /// Checks an input, the members of an archive, and those of the archives in it.
    fn check_with_members(&mut self, item: &InputItem, depth: u32) -> Result<ExitCode, Error> {
        let resolver = &self.context.resolver;
        // It is read twice: as files with checksums, and for the databases in it.
        if item.is_once() && item.is_archive() {
            return match item.kept(&self.options.open) {
                Ok(kept) => self.check_with_members(&kept, depth),
                Err(error) => self.report_error(&error, Some(item.format().id())),
            };
        }
        let steps = self.damaged.len();
        let mut worst = self.check_input(item)?;
        if self.options.strict && worst != ExitCode::Done {
            return Ok(worst);
        }
        let Ok(Some(archive)) = resolver.archive(item) else {
            return Ok(worst);
        };
        for member in resolver.members(&archive) {
            let code = match member {
                Ok(member) if depth > 0 || !member.is_archive() => {
                    self.check_with_members(&member, depth.saturating_sub(1))?
                }
                Ok(member) => {
                    let text = "an archive in an archive in an archive is not opened; name it";
                    let error = Error::unsupported(text).in_file(member.label());
                    self.report_error(&error, Some(member.format().id()))?
                }
                Err(error) => self.report_error(&error, Some(item.format().id()))?,
            };
            // A member that cannot be opened is a problem of the archive.
            worst = worst.worse(match code {
                ExitCode::Input => ExitCode::Problems,
                code => code,
            });
            if self.options.strict && worst != ExitCode::Done {
                break;
            }
        }
        // The archive, and what is in it, or several members.
        if self.damaged.len() > steps + 1 && !item.name().starts_with('-') {
            let repair = repair_into_folder(item.label().as_os_str(), &item.name());
            let password = match self.options.open.password {
                Some(_) => " --password TEXT",
                None => "",
            };
            self.damaged.truncate(steps);
            self.damaged.push(format!(
                "`{repair}{password}` saves what is left of the databases and books in it"
            ));
        }
        Ok(worst)
    }

    fn check_input(&mut self, item: &InputItem) -> Result<ExitCode, Error> {
        self.reporter.input_problems.clear();
        self.reporter.repeated = 0;
        match check(item, self.options, &self.context.progress, self.reporter) {
            Ok(mut checked) => {
                let problems = std::mem::take(&mut self.reporter.input_problems);
                let repeated = std::mem::take(&mut self.reporter.repeated);
                checked.summary.problems = checked.summary.problems.saturating_sub(repeated);
                self.reporter.add_charsets(&checked.summary);
                let row = CheckRow::new(item, &checked, &problems, self.listing.style());
                let archive = self.context.resolver.archive(item).ok().flatten();
                let members = archive.map(|archive| archive.members().len() as u64);
                self.push(&row, members)?;
                if checked.summary.problems == checked.missing_media {
                    let missing = (checked.missing_media > 0).then_some(MISSING_MEDIA);
                    self.damaged.extend(missing.map(str::to_owned));
                } else if checked.summary.problems == problems.len() as u64
                    && problems.iter().all(is_no_damage)
                {
                    // There is nothing to repair.
                    let of_characters = problems
                        .iter()
                        .any(|problem| problem.reason().contains(ENCODING));
                    self.damaged
                        .extend(of_characters.then(|| NAME_ENCODING.to_owned()));
                } else if is_anything_left(item, &checked, &problems) {
                    let mut step = next_step(item, &problems);
                    if self.options.open.password.is_some() {
                        step = step.replacen("` ", " --password TEXT` ", 1);
                    }
                    self.damaged.push(step);
                }
                Ok(ExitCode::of_problems(checked.summary.problems))
            }
            Err(error) if error.side() == ErrorSide::Input => {
                self.report_error(&error, Some(item.format().id()))
            }
            Err(error) => {
                if error.side() == ErrorSide::Strict {
                    self.is_strict_end = true;
                    self.push_failed(item.name(), Some(item.format().id()), &error)?;
                }
                Err(error)
            }
        }
    }
}

/// What to do about an input of which only the character set is not known.
const NAME_ENCODING: &str = "`--encoding` names the character set of the names and comments";

/// The part of a problem with characters that names the remedy.
const ENCODING: &str = "`--encoding` names";

/// Whether a problem is none of the file: games that are not played here, and texts in another character set.
fn is_no_damage(problem: &ProblemRow) -> bool {
    let reason = problem.reason();
    reason.ends_with(" are not played here") || reason.contains(ENCODING)
}

/// What to do about a set of which only media files are missing.
const MISSING_MEDIA: &str = "the folders that lack files belong to the database: copy them from where it came from, \
     or pack it there with `tabia archive create`";

/// The name for what is left of an input; of a text whose name has another extension, with its own.
fn saved_like(item: &InputItem, file: &Path) -> String {
    let plain = name_text(file.as_os_str());
    let (_, plain) = Compression::of_name(&plain);
    let file = Path::new(plain);
    let saved = saved_name(file);
    let format = item.format();
    let is_text = format.companions().is_empty() && format.game_writer().is_some();
    let [extension, ..] = format.extensions() else {
        return saved;
    };
    if !is_text || saved == format!("saved-{}", file.display()) {
        return saved;
    }
    let stem = Path::new(file.file_stem().unwrap_or_default());
    if stem
        .extension()
        .is_some_and(|own| own.eq_ignore_ascii_case(extension))
    {
        return format!("saved-{}", stem.display());
    }
    format!("saved-{}.{extension}", stem.display())
}

/// What to do about the first input with problems, or about all of them if they are in one folder.
fn next_step_of_all(paths: &[OsString], damaged: &[String]) -> Option<String> {
    let first = damaged.first()?;
    let [path] = paths else {
        return Some(first.clone());
    };
    let folder = Path::new(path);
    let are_several = damaged
        .iter()
        .filter(|hint| *hint != MISSING_MEDIA && *hint != NAME_ENCODING)
        .count()
        > 1;
    if path == "-" || !folder.is_dir() || !are_several {
        return Some(first.clone());
    }
    let name = folder.path_text().into_owned();
    let quoted = file_argument(&name);
    // Next to the folder; `..` and `.` have no name.
    let saved = match folder.file_name() {
        Some(name) => {
            let mut saved = OsString::from("saved-");
            saved.push(name);
            folder.with_file_name(saved)
        }
        None => folder.join("..").join("saved"),
    };
    let saved = saved.strip_prefix(".").unwrap_or(&saved);
    let saved = format!("{}/", saved.path_text());
    let saved = file_argument(&saved);
    Some(format!(
        "`tabia repair {quoted} -o {saved}` saves what is left of all of them"
    ))
}

/// Whether something of an input with problems can be saved.
fn is_anything_left(item: &InputItem, checked: &Checked, problems: &[ProblemRow]) -> bool {
    let format = item.format();
    if format.kind() == FormatKind::Archive {
        // What another version stores, and members that are at an address.
        let is_unavailable = |problem: &ProblemRow| {
            let reason = problem.reason();
            reason.ends_with(" is not supported")
                || reason.contains("it is not in the archive but at ")
        };
        return !problems.iter().all(is_unavailable);
    }
    let counts = &checked.summary.counts;
    let is_text = format.kind() == FormatKind::Games && format.companions().is_empty();
    !is_text || counts.games + counts.texts > 0
}

/// The file of a book without which something of it is not known, if it is missing.
fn missing_companion(problems: &[ProblemRow]) -> Option<&str> {
    let mut missing = problems.iter().filter_map(|problem| {
        let (file, _) = problem.reason().split_once(" is missing: ")?;
        (file.contains('.') && !file.contains(' ')).then_some(file)
    });
    missing.next()
}

/// What to do about an input with problems.
fn next_step(item: &InputItem, problems: &[ProblemRow]) -> String {
    let path = item.label();
    let name = item.name();
    if name.starts_with("-:") {
        return "save standard input as a file; `tabia check FILE` has the next step then"
            .to_owned();
    }
    let quoted = file_argument(&name);
    let file = Path::new(path.file_name().unwrap_or_default());
    let saved = match item.format().kind() {
        FormatKind::Games => saved_like(item, file),
        FormatKind::Book | FormatKind::Archive => format!("saved-{}", name_text(file.as_os_str())),
    };
    let saved = file_argument(&saved);
    match item.format().kind() {
        FormatKind::Archive => {
            format!("`tabia archive extract {quoted} -d FOLDER` writes what is left of its files")
        }
        FormatKind::Book => match missing_companion(problems) {
            Some(file) => format!(
                "put {file} next to the book; `tabia book fix {quoted} -o {saved}` writes a copy without what it holds"
            ),
            None => format!("`tabia book fix {quoted} -o {saved}` writes a corrected copy"),
        },
        FormatKind::Games if path.exists() => {
            format!("`tabia repair {quoted} -o {saved}` saves what is left")
        }
        FormatKind::Games => {
            format!("`tabia convert {quoted} -o saved.pgn` saves the games that can be read")
        }
    }
}

/// What `check` shows of an input; keys that do not apply are absent.
#[derive(Serialize)]
struct CheckRow<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Displayed<FormatId>>,
    #[serde(flatten)]
    book: Option<BookCounts>,
    #[serde(flatten)]
    database: Option<DatabaseCounts>,
    problems: u64,
    #[serde(rename = "problemList", skip_serializing_if = "<[_]>::is_empty")]
    problem_list: &'a [ProblemRow],
}

#[derive(Serialize)]
struct BookCounts {
    positions: u64,
    moves: u64,
}

#[derive(Serialize)]
struct DatabaseCounts {
    games: u64,
    texts: u64,
    deleted: u64,
    plies: u64,
    variations: u64,
    annotations: AnnotationCounts,
}

/// Annotations by kind, or their sum for a cell.
#[derive(Serialize)]
#[serde(untagged)]
enum AnnotationCounts {
    Kinds(Vec<KindCount>),
    Sum(u64),
}

#[derive(Serialize)]
struct KindCount {
    kind: String,
    count: u64,
}

impl<'a> CheckRow<'a> {
    fn new(
        item: &InputItem,
        checked: &Checked,
        problems: &'a [ProblemRow],
        style: RowStyle,
    ) -> Self {
        let summary = &checked.summary;
        let mut row = Self {
            path: item.name(),
            format: Some(Displayed(item.format().id())),
            problems: summary.problems,
            problem_list: if summary.problems > 0 { problems } else { &[] },
            book: None,
            database: None,
        };
        if item.format().book().is_some() {
            row.book = Some(BookCounts {
                positions: checked.positions,
                moves: checked.entries,
            });
        } else if !item.is_archive() {
            row.database = Some(DatabaseCounts {
                games: summary.counts.games,
                texts: summary.counts.texts,
                deleted: checked.deleted,
                plies: checked.plies,
                variations: checked.variations,
                annotations: annotations(checked, style),
            });
        }
        row
    }
}

fn annotations(checked: &Checked, style: RowStyle) -> AnnotationCounts {
    if style.has_cells() {
        return AnnotationCounts::Sum(checked.annotations.values().sum());
    }
    let kinds = checked.annotations.iter();
    let kinds = kinds.map(|(feature, count)| KindCount {
        kind: feature.key(),
        count: *count,
    });
    AnnotationCounts::Kinds(kinds.collect())
}
