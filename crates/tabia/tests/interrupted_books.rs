//! Failures injected into the steps of every job that writes a book, of repairs, and of conversions with a
//! report: the old files stay unchanged, and the new ones are absent or complete.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and have an option"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::book::build::{BuildOptions, BuildTarget, build, complete};
use tabia::book::convert::convert_book;
use tabia::book::edit::{Change, EditTarget, edit};
use tabia::book::merge::{MergeOptions, merge};

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::BookFormat;
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::core::io::{OutputSet, Source, Transaction};
use tabia::formats::{BOOKS, GAMES};
use tabia::repair::{RepairOptions, remains, repair};
use tabia::{
    CreateOptions, Error, ErrorSide, InputItem, Move, NoObserver, OpenOptions, Position, Progress,
    Resolver, Square,
};
use tabia_testkit::{Scratch, repository};

const GAMES_TEXT: &str = "[WhiteElo \"2500\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n\
    [WhiteElo \"2400\"]\n[Result \"0-1\"]\n\n1. e4 c5 2. Nf3 d6 0-1\n\n\
    [Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 e6 1/2-1/2\n\n";
const MORE_TEXT: &str = "[Result \"1-0\"]\n\n1. c4 e5 2. Nc3 Nf6 1-0\n";

type Files = BTreeMap<String, Vec<u8>>;

/// Up to `most` of the numbers below `steps`, the last ones among them: those of the renaming. All with
/// `TABIA_EXHAUSTIVE`.
fn chosen(steps: u64, most: u64) -> impl Iterator<Item = u64> {
    let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
    let stride = if is_exhaustive {
        1
    } else {
        steps.div_ceil(most)
    };
    (0..steps).rev().step_by(stride.max(1) as usize)
}

/// Writes the target at a path.
type RunJob<'j> = Box<dyn Fn(&Path) -> Result<(), Error> + 'j>;

/// What a job does to a target, the main file of which is named.
struct Job<'j> {
    what: String,
    main: String,
    /// Whether repeating the job adds to what is there.
    appends: bool,
    run: RunJob<'j>,
}

fn is_record(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "json")
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && Path::new(name).extension().is_some_and(|end| end == "tmp")
}

/// The files of the set whose main file is at `path`, as the next run finds them.
fn set_files(path: &Path) -> Files {
    let Ok(source) = Source::from_path(path) else {
        return Files::new();
    };
    let files = source.siblings().iter().chain(source.parts());
    files
        .filter(|file| !is_record(&file.name))
        .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
        .collect()
}

/// Runs a job with a failure at each of some steps; `old` are the files that it replaces.
fn interrupt(job: &Job<'_>, old: &Files) {
    let folder = Scratch::new("interrupted");
    let target = folder.join(&job.main);
    let run = |mode, at| {
        folder.restore(old);
        let injection = FailureInjection::start(mode, at);
        let outcome = (job.run)(&target);
        let steps = injection.steps();
        drop(injection);
        (outcome, steps)
    };
    let what = &job.what;
    let (outcome, outputs) = run(FailureMode::Fails, u64::MAX);
    outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
    let new = folder.files();
    assert!(outputs > 2, "{what}: {outputs} steps");
    let main = new
        .keys()
        .find(|name| name.ends_with(target.extension().unwrap().to_str().unwrap()));
    let main = folder.join(main.unwrap());
    let old_set = {
        folder.restore(old);
        set_files(&main)
    };
    let (outcome, inputs) = run(FailureMode::InputFails, u64::MAX);
    outcome.unwrap();
    assert!(inputs > 0, "{what}: {inputs} steps");
    for (mode, steps) in [
        (FailureMode::Fails, outputs),
        (FailureMode::Stops, outputs),
        (FailureMode::InputFails, inputs),
    ] {
        for at in chosen(steps, 24) {
            let (outcome, _) = run(mode, at);
            let found = folder.files();
            let what = format!("{what}, step {at} of {steps}, {mode:?}, {} old", old.len());
            let Err(error) = outcome else {
                // The failed step was the removal of a file that is no longer needed.
                assert_ne!(
                    mode,
                    FailureMode::InputFails,
                    "{what}: the failure is ignored"
                );
                for (name, bytes) in &new {
                    assert!(found.get(name) == Some(bytes), "{what}: {name}");
                }
                continue;
            };
            // A new file is read back before it is complete.
            let file = error.location().file.as_ref();
            let is_read_back = file.is_some_and(|file| file.starts_with(folder.path()));
            let side = match mode {
                FailureMode::InputFails if !is_read_back => ErrorSide::Input,
                _ => ErrorSide::Output,
            };
            // What is appended to is an input, too.
            if !(job.appends && mode == FailureMode::InputFails) {
                assert_eq!(error.side(), side, "{what}: {error}");
            }
            if mode != FailureMode::Stops {
                let names: Vec<&String> = found.keys().collect();
                assert_eq!(names, old.keys().collect::<Vec<_>>(), "{what}: {error}");
                assert!(found == *old, "{what}: an old file has changed");
                continue;
            }
            let set = set_files(&main);
            // A file that is not of the set, as the record of a book, is read by its own name.
            let read = |name: &String| {
                let source = Source::from_path(&folder.join(name)).ok()?;
                Some(source.main().open().unwrap().to_vec())
            };
            let others = || new.keys().filter(|name| is_record(name));
            let is_new = new.iter().all(|(name, bytes)| {
                set.get(name) == Some(bytes)
                    || is_record(name) && read(name).as_ref() == Some(bytes)
            });
            let is_old =
                set == old_set && others().all(|name| read(name).as_ref() == old.get(name));
            assert!(is_old || is_new, "{what}: neither old nor new");
            (job.run)(&target).unwrap_or_else(|error| panic!("{what}: repeated: {error}"));
            let mut after = folder.files();
            // A stopped process cannot remove its temporary files.
            after.retain(|name, _| !is_temporary(name));
            let is_same = after == new || job.appends && after.keys().eq(new.keys());
            assert!(is_same, "{what}: repeated: {:?}", after.keys());
        }
    }
}

fn item(path: &Path) -> Result<InputItem, Error> {
    let items = Resolver::default().resolve(path.as_os_str())?;
    Ok(items.into_iter().next().unwrap())
}

fn create() -> CreateOptions {
    let mut create = CreateOptions::default();
    create.force = true;
    create
}

fn options() -> MergeOptions {
    let mut options = MergeOptions::default();
    options.create = create();
    options
}

fn build_to(
    format: &'static BookFormat,
    games: &Path,
    target: &Path,
    append: bool,
) -> Result<(), Error> {
    let mut options = BuildOptions::default();
    options.threads = 1;
    options.move_filter.min_games = 1;
    options.move_filter.scoreless = true;
    options.create = create();
    options.kvetka.append = append;
    let target = BuildTarget::new(format, target);
    let progress = Arc::new(Progress::new());
    build(
        &[item(games)?],
        &target,
        &options,
        &progress,
        &mut NoObserver,
    )
    .map(|_| ())
}

/// Builds a book and a file with another name that records how it was built: both or neither.
fn build_with_record(
    format: &'static BookFormat,
    games: &Path,
    target: &Path,
) -> Result<(), Error> {
    let mut options = BuildOptions::default();
    options.threads = 1;
    options.move_filter.min_games = 1;
    options.move_filter.scoreless = true;
    options.create = create();
    let items = [item(games)?];
    let book = BuildTarget::new(format, target);
    let progress = Arc::new(Progress::new());
    let mut build = complete(&items, &book, &options, &progress, &mut NoObserver)?;
    let mut record = target.as_os_str().to_owned();
    record.push(".json");
    let number = build.files.create(Path::new(&record));
    let number = number.map_err(Error::in_output)?;
    let file = build.files.file(number).unwrap();
    file.write_all(b"{}\n")
        .map_err(|error| Error::from(error).in_output())?;
    build.commit().map(|_| ())
}

/// The name of the main file of a new book.
fn main_name(format: &BookFormat) -> String {
    format!("new.{}", format.file.extensions.first().unwrap())
}

/// The main file of the book in a folder.
fn main_file(folder: &Scratch, format: &BookFormat) -> PathBuf {
    let extension = format.file.extensions.first().unwrap();
    let mut names = folder.names().into_iter();
    folder.join(names.find(|name| name.ends_with(extension)).unwrap())
}

/// Sources of all jobs: games, and a book of each format in a folder of its own.
struct Sources {
    folder: Scratch,
    books: Vec<(&'static BookFormat, Scratch)>,
}

impl Sources {
    fn new() -> Self {
        let folder = Scratch::new("book-sources");
        std::fs::write(folder.join("games.pgn"), GAMES_TEXT).unwrap();
        std::fs::write(folder.join("more.pgn"), MORE_TEXT).unwrap();
        let books = BOOKS.iter().map(|format| {
            let book = Scratch::new("book-source");
            let target = book.join(main_name(format));
            build_to(format, &folder.join("games.pgn"), &target, false).unwrap();
            (*format, book)
        });
        let books = books.collect();
        Self { folder, books }
    }
}

#[test]
fn interrupted_jobs_leave_old_or_new_books() {
    let sources = Sources::new();
    let games = sources.folder.join("games.pgn");
    let more = sources.folder.join("more.pgn");
    for (format, source) in &sources.books {
        let format = *format;
        let main = main_name(format);
        let old = {
            let folder = Scratch::new("old-book");
            build_to(format, &more, &folder.join(&main), false).unwrap();
            folder.files()
        };
        let own = main_file(source, format);
        let mut jobs: Vec<(String, RunJob<'_>)> = Vec::new();
        let games = &games;
        jobs.push((
            "build".to_owned(),
            Box::new(move |path| build_to(format, games, path, false)),
        ));
        jobs.push((
            "build with a record".to_owned(),
            Box::new(move |path| build_with_record(format, games, path)),
        ));
        let book = own.clone();
        jobs.push((
            "fix".to_owned(),
            Box::new(move |path| {
                merge(&[item(&book)?], format, path, &options(), &Progress::new()).map(|_| ())
            }),
        ));
        let book = own.clone();
        jobs.push((
            "edit".to_owned(),
            Box::new(move |path| {
                let m = Move::normal(
                    Square::from_coords(4, 1).unwrap(),
                    Square::from_coords(4, 3).unwrap(),
                );
                let target = EditTarget::Board(Box::new(Position::standard()), m);
                let mut change = Change::default();
                change.remove = true;
                edit(
                    &item(&book)?,
                    vec![(target, change)],
                    path,
                    &options(),
                    &Progress::new(),
                )
                .map(|_| ())
            }),
        ));
        for (other, folder) in &sources.books {
            let (own, book) = (own.clone(), main_file(folder, other));
            let name = format!("convert from {}", other.file.id);
            let from = book.clone();
            jobs.push((
                name,
                Box::new(move |path| {
                    let open = OpenOptions::default();
                    convert_book(
                        &item(&from)?,
                        format,
                        path,
                        &open,
                        &create(),
                        &Progress::new(),
                    )
                    .map(|_| ())
                }),
            ));
            if other.file.id == format.file.id {
                continue;
            }
            jobs.push((
                format!("merge with {}", other.file.id),
                Box::new(move |path| {
                    let books = [item(&own)?, item(&book)?];
                    merge(&books, format, path, &options(), &Progress::new()).map(|_| ())
                }),
            ));
        }
        for (what, run) in jobs {
            let job = Job {
                what: format!("{}: {what}", format.file.id),
                main: main.clone(),
                appends: false,
                run,
            };
            interrupt(&job, &Files::new());
            interrupt(&job, &old);
        }
    }
}

#[test]
fn interrupted_appends_leave_old_or_new_books() {
    let sources = Sources::new();
    let more = sources.folder.join("more.pgn");
    let (format, source) = sources
        .books
        .iter()
        .find(|(format, _)| format.file.id.as_str() == "kvetka")
        .unwrap();
    let old = source.files();
    let job = Job {
        what: "kvetka: append".to_owned(),
        main: main_name(format),
        appends: true,
        run: Box::new(|path| build_to(format, &more, path, true)),
    };
    interrupt(&job, &old);
}

/// Repairs of a text and of a set without its players, to every format that is written.
#[test]
fn interrupted_repairs_leave_old_or_new_files() {
    let sources = Scratch::new("repair-sources");
    std::fs::write(sources.join("games.pgn"), format!("junk\n{GAMES_TEXT}")).unwrap();
    let fixtures = repository().join("crates/formats/tests/fixtures/cbh");
    for extension in ["cbh", "cbg", "cba", "cbt", "cbc", "cbs"] {
        let name = format!("tiny.{extension}");
        std::fs::copy(fixtures.join(&name), sources.join(&name)).unwrap();
    }
    for format in GAMES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        for source in ["games.pgn", "tiny.cbh"] {
            let from = sources.join(source);
            let run = |path: &Path| {
                let item = remains(&Resolver::default(), from.as_os_str())?;
                let mut options = RepairOptions::default();
                options.create = create();
                let progress = Arc::new(Progress::new());
                repair(&item, format, path, &options, &progress, &mut NoObserver).map(|_| ())
            };
            let job = Job {
                what: format!("repair of {source} to {extension}"),
                main: format!("new.{extension}"),
                appends: false,
                run: Box::new(run),
            };
            let old = {
                let folder = Scratch::new("old-set");
                tabia::convert(sources.join("games.pgn"), folder.join(&job.main)).unwrap();
                folder.files()
            };
            interrupt(&job, &Files::new());
            interrupt(&job, &old);
        }
    }
}

/// Conversions to every format that is written, with a report about them: both or neither.
#[test]
fn interrupted_conversions_leave_old_or_new_results_with_their_reports() {
    let sources = Scratch::new("convert-sources");
    std::fs::write(sources.join("games.pgn"), GAMES_TEXT).unwrap();
    let with_report = |path: &Path, append: bool| {
        let transaction = Transaction::new();
        let mut report = OutputSet::new(true);
        transaction.join(&mut report);
        let number = report.create(&path.with_file_name("report.json"));
        let number = number.map_err(Error::in_output)?;
        let mut options = ConvertOptions::default();
        options.append = append;
        options.create = create();
        options.create.transaction = Some(transaction.clone());
        options.plan.threads = 1;
        let target = Target::file(&Resolver::default(), path, None)?;
        let progress = Arc::new(Progress::new());
        let items = [item(&sources.join("games.pgn"))?];
        let (summary, _) = convert(&items, target, &options, &progress, &mut NoObserver)?;
        let file = report.file(number).unwrap();
        file.write_all(format!("{{\"games\":{}}}\n", summary.counts.games).as_bytes())
            .map_err(|error| Error::from(error).in_output())?;
        report.commit().map_err(Error::in_output)?;
        transaction.commit().map_err(Error::in_output)
    };
    let formats = GAMES.iter();
    for format in formats.filter(|format| format.create.is_some() || format.create_text.is_some()) {
        let main = format!("new.{}", format.file.extensions.first().unwrap());
        let old = {
            let folder = Scratch::new("old-result");
            std::fs::write(folder.join("report.json"), "{}\n").unwrap();
            std::fs::write(folder.join("more.pgn"), MORE_TEXT).unwrap();
            tabia::convert(folder.join("more.pgn"), folder.join(&main)).unwrap();
            std::fs::remove_file(folder.join("more.pgn")).unwrap();
            folder.files()
        };
        for append in [false, true] {
            let can_append = || {
                let folder = Scratch::new("append");
                folder.restore(&old);
                with_report(&folder.join(&main), true).is_ok()
            };
            if append && !can_append() {
                continue;
            }
            let job = Job {
                what: format!("{}: convert, append: {append}", format.file.id),
                main: main.clone(),
                appends: append,
                run: Box::new(move |path| with_report(path, append)),
            };
            interrupt(&job, &old);
        }
    }
}
