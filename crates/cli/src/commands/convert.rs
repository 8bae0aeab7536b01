//! `tabia convert`: any database to any writable format.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum as _;
use tabia::convert::{ConvertOptions, Target, convert, writable};
use tabia::core::GameFormat;
use tabia::core::formats::Profile;
use tabia::core::game::Language;
use tabia::core::games::Written;
use tabia::core::io::{Charset, is_stream_device, require_replaceable};
use tabia::core::loss::Feature;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::formats::GAMES;
use tabia::formats::archives::compressed::Compression;
use tabia::list_openings::EcoUpdate;
use tabia::repair::remains;
use tabia::select::{PositionChoice, SelectionCounts};
use tabia::split::{SplitBy, other_parts, split};
use tabia::{Error, ErrorKind, ErrorSide, Query, Summary};

use crate::absent_games::absent_games;
use crate::archive_of_games::{free_path, quoted};
use crate::args::{CommonArgs, ConvertArgs, IndexUseArgs, PositionArg, SelectArgs, SplitField};
use crate::commands::converted::Converted;
use crate::commands::index::index_options;
use crate::commands::note_media::note_media;
use crate::commands::salvage;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::format_arg::find_format;
use crate::messages::NO_GAME_IN_SHARD;
use crate::output_conflicts::{input_and_output, refuse_inputs, refuse_only_itself};
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, grouped, size};
use crate::report::report_losses;
use crate::resolve_output_target::{
    arguments, format_of_to, refuse_existing, refuse_stream, selection, target_file,
};
use crate::stdout::{STANDARD_OUTPUT, StdoutWriter};

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode, Error> {
    convert_files(args).map(|converted| converted.code)
}

/// The arguments that write all games of the paths to an output.
pub(crate) fn plain(
    paths: &[OsString],
    output: &OsString,
    to: Option<&str>,
    common: &CommonArgs,
) -> ConvertArgs {
    ConvertArgs {
        paths: paths.to_vec(),
        output: Some(output.clone()),
        to: to.map(str::to_owned),
        force: false,
        append: false,
        salvage: false,
        repaired_output: None,
        profile: Profile::default(),
        to_encoding: Charset::Auto,
        select: SelectArgs::default(),
        sort: None,
        mark: None,
        eco: EcoUpdate::Keep,
        dropped: Vec::new(),
        lock: None,
        is_of_other_verb: true,
        are_problems_reported: false,
        transaction: None,
        shard: None,
        renames: None,
        merges: Vec::new(),
        position: None,
        prefers_moments: false,
        index: IndexUseArgs::default(),
        split: None,
        split_by: None,
        no_comments: false,
        language: Vec::new(),
        no_variations: false,
        no_nags: false,
        no_wrap: false,
        rejects: None,
        #[cfg(feature = "parquet")]
        table: crate::args::parquet_options::TableArgs::default(),
        common: common.clone(),
    }
}

/// Converts the games of the paths.
pub(crate) fn convert_files(args: &ConvertArgs) -> Result<Converted, Error> {
    let context = Context::new(&args.common)?;
    let mut options = options(args, &context)?;
    #[cfg(feature = "parquet")]
    {
        if super::convert_to_tables::is_asked_for(args) {
            return super::convert_to_tables::convert_files(args, &context, options);
        }
        super::convert_to_tables::refuse_options(args)?;
    }
    let to = format_of_to(&context.resolver, args.to.as_deref())?;
    let start = Instant::now();
    let mut out = StdoutWriter::new(&context.bar);
    let path = args.output.as_deref().filter(|path| *path != "-");
    let default_format = || find_format(&context.resolver, "pgn");
    let mut device = None;
    if let Some(path) = path {
        refuse_patterns(args, Path::new(path))?;
    }
    let target = if let Some(path) = path.filter(|path| is_stream_device(Path::new(path))) {
        let path = Path::new(path);
        let format = if to.is_none() && path.extension().is_none() {
            writable(default_format()?)?
        } else {
            stream_format(
                &target_file(&context.resolver, path, to, &args.paths, &args.select)?,
                path,
            )?
        };
        let file = File::options().write(true).open(path);
        let file = file.map_err(|error| Error::from(error).in_path(path).in_output())?;
        let out = device.insert(BufWriter::new(file));
        Target::Stream { format, out }
    } else if let Some(path) = path {
        let target = target_file(
            &context.resolver,
            Path::new(path),
            to,
            &args.paths,
            &args.select,
        )?;
        if !args.append && split_by(args).is_none() {
            refuse_input_path(args, Path::new(path))?;
            refuse_existing(Path::new(path), args.force)?;
        }
        target
    } else {
        let format = to.map_or_else(default_format, Ok)?;
        let format = writable(format)?;
        refuse_stream(format)?;
        Target::Stream {
            format,
            out: out.writer(),
        }
    };
    if args.append && !matches!(target, Target::File { .. }) {
        let text = "`--append` needs a database: `-o mega.cbh`";
        return Err(Error::usage(text));
    }
    let is_file = matches!(target, Target::File { .. });
    let (Target::File { format, .. } | Target::Stream { format, .. }) = &target;
    let format = *format;
    options.plan.positions = positions(args, format, options.plan.filter.as_ref())?;
    let rejects = args.rejects.as_deref();
    let mut reporter = context.reporter("convert", args.force, rejects)?;
    reporter.are_problems_reported = args.are_problems_reported;
    let by = split_by(args);
    if by.is_some() && !is_file {
        let text = "games cannot be split on standard output";
        let option = match args.split {
            Some(count) => format!("--split {count}"),
            None => "--split-by ".to_owned() + &split_field(args),
        };
        return Err(Error::usage(text).with_hint(format!(
            "`tabia convert {}{} -o games.pgn {option}` writes files",
            arguments(&args.paths, "GAMES"),
            selection(&args.select)
        )));
    }
    let chooses = !args.select.filter.trim().is_empty() || args.select.records.games.is_some();
    // A mistyped query must not replace games by none, nor leave an empty file that looks like a result.
    let is_whole_file = is_file && !args.append && by.is_none() && args.transaction.is_none();
    let needs_games = chooses && is_whole_file;
    // Nor are they replaced by nothing when a program in a pipe fails.
    let old = args
        .output
        .as_ref()
        .and_then(|path| std::fs::metadata(path).ok());
    let has_old = old.is_some_and(|old| old.is_file() && old.len() > 0);
    let would_lose = is_whole_file && args.shard.is_none() && has_old;
    options.needs_records = needs_games || would_lose;
    options.create.transaction = args.transaction.clone().or_else(|| reporter.transaction());
    // The file that `-o` names is not written if the games go to several.
    let single = path.map(Path::new).filter(|_| by.is_none());
    let items = context.games(&args.paths, single, &mut reporter)?;
    refuse_only_itself(&items, single.filter(|_| !args.append))?;
    if let (Some(book), Some(path)) = (
        items.iter().find(|item| item.format().book().is_some()),
        path,
    ) {
        let name = book.name();
        let text = format!(
            "{name} holds no games: its format is {}",
            book.format().name()
        );
        return Err(Error::usage(text).with_hint(format!(
            "`tabia book convert {} -o {}` converts a book",
            file_argument(&name),
            quoted(Path::new(path))
        )));
    }
    let report = args.common.report.as_deref();
    refuse_inputs(&items, &[single, report, rejects])?;
    let (target, salvaged) = match (target, &args.repaired_output) {
        (
            Target::File {
                format,
                path,
                compression,
            },
            None,
        ) if args.salvage => {
            let item = remains(&context.resolver, path.as_os_str())?;
            let salvaged = salvage::prepare(&context, &item, &path, &mut reporter)?;
            let path = salvaged
                .as_ref()
                .map_or(path, |set| set.path().to_path_buf());
            (
                Target::File {
                    format,
                    path,
                    compression,
                },
                salvaged,
            )
        }
        (
            Target::File {
                format,
                compression,
                ..
            },
            Some(path),
        ) => {
            let path = path.clone();
            (
                Target::File {
                    format,
                    path,
                    compression,
                },
                None,
            )
        }
        (target, _) => (target, None),
    };
    let transaction = options.create.transaction.clone();
    if salvaged.is_some() {
        // The new set is in a hidden folder, where it has its names at once.
        options.create.transaction = None;
    }
    let display = context.display();
    let progress = &context.progress;
    let converted = match by {
        Some(by) => split(&items, &target, by, &options, progress, &mut reporter),
        None => convert(&items, target, &options, progress, &mut reporter)
            .map(|(summary, written)| (summary, written, 1)),
    };
    drop(display);
    // Games from before a failure are written too.
    let flushed = out.flush();
    let in_device = |error: Error| match (path, error.side()) {
        (Some(path), ErrorSide::Output) => error.in_path(Path::new(path)),
        (None, ErrorSide::Output) => error.in_path(Path::new(STANDARD_OUTPUT)),
        _ => error,
    };
    let converted = converted.map_err(in_device);
    let (mut summary, mut written, targets) = converted.map_err(|error| match error.kind() {
        ErrorKind::Usage { hint: None, .. } if error.side() == ErrorSide::Strict => {
            error.with_hint(characters_hint(args, &context))
        }
        _ => error,
    })?;
    flushed?;
    let is_salvaged = salvaged.is_some();
    if let Some(mut salvaged) = salvaged {
        if let Some(transaction) = &transaction {
            salvaged.join(transaction);
        }
        let (files, bytes) = salvaged.replace()?;
        written = Written::new(written.records, files, bytes);
    }
    if !args.language.is_empty() && summary.comments_chosen.len() < 2 {
        // Whoever chose one language knows which it is.
        summary.losses.forget(Feature::Languages);
    }
    let has_records = summary.counts.games + summary.counts.texts > 0;
    let replaces = path.is_some_and(|path| Path::new(path).exists());
    // What the format cannot hold is not in it.
    let is_empty = !has_records || is_file && by.is_none() && written.records == 0;
    let is_unfit = is_whole_file && has_records && is_empty;
    let is_kept = (options.needs_records || is_unfit) && is_empty;
    if is_kept {
        reporter.discard_result();
    }
    reporter.commit(Some(&summary), None::<&()>)?;
    note_ineffective(args, &context, format, path.map(Path::new));
    // Of a query that nothing fits, what the database itself loses is of no interest.
    if has_records {
        report_losses(&context.messages, &summary.losses, items.len() > 1);
    }
    let lost: Vec<Feature> = summary.losses.iter().map(|(feature, _)| feature).collect();
    let keeps = |&feature: &Feature| format.can.has(feature) && !format.in_part.has(feature);
    // Who asked for a profile wants what it leaves out to be left out.
    let is_default = args.profile == Profile::default();
    // A character set that was asked for is that of every profile.
    let is_limited = !matches!(args.to_encoding, Charset::Auto | Charset::Utf8);
    let is_of_profile = |lost: &Feature| {
        *lost != Feature::DatabaseFacts && !(is_limited && *lost == Feature::Characters)
    };
    let of_games: Vec<Feature> = lost.iter().copied().filter(is_of_profile).collect();
    let loses_characters = is_limited && lost.contains(&Feature::Characters);
    let is_profiled = !of_games.is_empty() && is_default && of_games.iter().all(keeps);
    let all = if of_games.len() == lost.len() {
        "all of this"
    } else if loses_characters {
        "the rest of this"
    } else {
        "all of this that games have"
    };
    if loses_characters && !args.append && format.create_text.is_some() {
        let hint = "without `--to-encoding` the output is UTF-8, which keeps all characters";
        context.messages.hint(hint);
    }
    // A database keeps the same whatever the profile.
    if is_profiled && of_games == [Feature::Tags] && !format.can.has(Feature::Moves) {
        context
            .messages
            .hint("`--profile full` also writes the tags");
    } else if is_profiled && format.create_text.is_some() {
        context.messages.hint(&if args.is_of_other_verb {
            format!("`tabia convert` with `--profile full` keeps {all}")
        } else {
            format!("`--profile full` keeps {all}")
        });
    }
    if !args.is_of_other_verb
        && !args.append
        && format.create_text.is_none()
        && let Some(path) = path
        && let Some(hint) = fuller_formats(&context, format, Path::new(path), &of_games)
    {
        context.messages.hint(&hint);
    }
    if args.append
        && summary.losses.count(Feature::Characters) > 0
        && let Some(path) = &args.output
    {
        let old = Path::new(path);
        let name = old.file_name().unwrap_or_default().to_string_lossy();
        let new = quoted(&free_path(old.with_file_name(format!("utf8-{name}"))));
        let text = format!(
            "the games that were added keep their question marks; `tabia convert {} -o {new} --to-encoding utf-8` \
             makes a database to which further ones are added with all characters, and `--strict` refuses games that \
             would lose some",
            quoted(old)
        );
        context.messages.hint(&text);
    }
    note_media(&context, &summary);
    if summary.counts.deleted > 0 {
        let count = counted(summary.counts.deleted, "deleted game");
        let text = format!("{count} left out; `--include-deleted` also writes those");
        context.messages.note(&text);
    }
    note_languages(&context, &summary, &args.language);
    if summary.counts.games == 0 {
        match args.select.records.games.as_deref() {
            _ if !args.select.filter.is_empty() => {
                context.messages.note("no game fits the query");
            }
            Some(numbers) if summary.counts.texts > 0 => context.messages.note(&format!(
                "{numbers}: guiding texts only; `tabia show` shows one"
            )),
            None if args.shard.is_some() => context.messages.note(NO_GAME_IN_SHARD),
            // The duplicates have a line of their own.
            None if args.dropped.iter().any(|numbers| !numbers.is_empty()) => {}
            None if !has_records && summary.counts.deleted == 0 && reporter.count() == 0 => {
                context.messages.note("there are no games to convert");
            }
            Some(_) | None => {}
        }
    }
    let numbers = options.plan.selection.numbers.as_ref();
    let absent = absent_games(args, &context, numbers, &items, &summary.counts);
    if let (Some(by), Some(path)) = (by, path) {
        warn_of_other_parts(&context, &other_parts(Path::new(path), by, &written.files));
    }
    if args.profile == Profile::Lichess && summary.losses.count(Feature::NullMoves) > 0 {
        context.messages.note(
            "Lichess reads no game with a null move: what follows one in its line is a comment",
        );
    }
    if summary.counts.without_position > 0 {
        let count = summary.counts.without_position;
        context.messages.note(&format!(
            "{} without a position; `--position end` writes the last one of each game",
            counted_as(count, "game fits the query", "games fit the query")
        ));
    }
    if let Some(path) = path.filter(|_| is_kept) {
        let name = Path::new(path).path_text();
        let done = if replaces { "replaced" } else { "written" };
        let text = format!("{name} is not {done}: there would be no game in it");
        context.messages.note(&text);
    } else if is_file {
        let seconds = start.elapsed().as_secs_f64();
        let lost = |feature| summary.losses.count(feature);
        let mut counts = summary.counts;
        counts.games = counts.games.saturating_sub(lost(Feature::ChessGames));
        counts.texts = counts.texts.saturating_sub(lost(Feature::GuidingTexts));
        context.messages.note(&written_text(
            &counts,
            &shown(args, &written),
            targets,
            seconds,
        ));
    }
    let problems = summary.problems.max(reporter.count());
    let mut code = ExitCode::of_problems(problems.max(is_salvaged.into()));
    code = code.worse(absent);
    if (chooses || would_lose) && !has_records {
        code = code.worse(ExitCode::NoMatch);
    }
    let unfit = summary.losses.count(Feature::ChessGames);
    if unfit > 0
        && unfit >= summary.counts.games
        && !args.is_of_other_verb
        && args.shard.is_none()
        && !args.append
    {
        context.messages.warning(&format!(
            "{} holds no games of ordinary chess: none was written",
            format.file.name
        ));
        code = code.worse(ExitCode::Problems);
    }
    let hint = reporter.repair_hint();
    reporter.finish(Some(&summary))?;
    if let Some(hint) = hint {
        context.messages.hint(&hint);
    }
    Ok(Converted {
        code,
        games: summary.counts.games + summary.counts.texts,
        losses: summary.losses,
    })
}

/// Kinds of losses from which on other formats are named.
const MANY_LOSSES: usize = 4;

/// The formats that keep more of what was lost: of the same program, and PGN, which keeps all that games have.
fn fuller_formats(
    context: &Context,
    format: &GameFormat,
    path: &Path,
    lost: &[Feature],
) -> Option<String> {
    if lost.len() < MANY_LOSSES {
        return None;
    }
    let program = |name: &'static str| name.split(' ').next();
    let kept = |other: &GameFormat| {
        let is_kept = |lost: &&Feature| other.can.has(**lost) && !other.in_part.has(**lost);
        lost.iter().filter(is_kept).count()
    };
    let formats = context.resolver.formats().iter();
    let others = formats.filter_map(|other| other.games());
    let others = others.filter(|other| {
        other.create.is_some()
            && other.file.id != format.file.id
            && program(other.file.name) == program(format.file.name)
            && kept(other) > 0
    });
    let best = others.max_by_key(|other| kept(other));
    let best = best.and_then(|best| Some((kept(best), best.file.extensions.first()?)));
    let text = find_format(&context.resolver, "pgn").ok()?;
    let full = quoted(&path.with_extension(text.extensions().first()?));
    let full = format!("`-o {full} --profile full` all that games have");
    Some(match best {
        Some((count, extension)) => format!(
            "`-o {}` keeps {count} of these {} kinds, {full}",
            quoted(&path.with_extension(extension)),
            lost.len()
        ),
        None => full.replace("` all", "` keeps all"),
    })
}

/// Names of files that are shown.
const SHOWN_PARTS: usize = 5;

/// Warns of files named like parts of this conversion that it has not written.
fn warn_of_other_parts(context: &Context, others: &[PathBuf]) {
    if others.is_empty() {
        return;
    }
    let shown = others.iter().take(SHOWN_PARTS);
    let mut names: Vec<String> = shown.map(|path| path.path_text().into_owned()).collect();
    if others.len() > SHOWN_PARTS {
        names.push(format!(
            "{} more",
            grouped((others.len() - SHOWN_PARTS) as u64)
        ));
    }
    let text = format!(
        "not of this conversion, but perhaps of an earlier one: {}",
        names.join(", ")
    );
    context.messages.warning(&text);
}

/// Notes the comments that the choice of languages left out.
fn note_languages(context: &Context, summary: &Summary, wanted: &[Language]) {
    let left_out = &summary.comments_left_out;
    let is_absent = |language: &&Language| {
        !left_out.contains_key(*language) && !summary.comments_chosen.contains_key(*language)
    };
    let absent: Vec<String> = wanted
        .iter()
        .filter(is_absent)
        .map(ToString::to_string)
        .collect();
    if !absent.is_empty() {
        let text = format!("no comment is in {}", absent.join(" or "));
        context.messages.note(&text);
    }
    if left_out.is_empty() {
        return;
    }
    let count = counted(left_out.values().sum(), "comment");
    let languages: Vec<String> = left_out.keys().map(ToString::to_string).collect();
    let mut text = format!("{count} in {} left out", languages.join(", "));
    // Those of a language that was asked for need a reason.
    if wanted
        .iter()
        .any(|language| left_out.contains_key(language))
    {
        text += ", where there is one in a language before it in `--language`";
    }
    context.messages.note(&text);
}

/// Parts of names that other programs replace, by numbers or by what the games have in common.
const PLACEHOLDERS: [&str; 9] = [
    "{}", "{n}", "{i}", "{number}", "{event}", "{eco}", "{player}", "{year}", "%d",
];

/// Whether a name has a placeholder; `%d` is none in `50%draws`.
fn has_placeholder(name: &str, placeholder: &str) -> bool {
    let Some((_, after)) = name.split_once(placeholder) else {
        return false;
    };
    !placeholder.starts_with('%') || !after.starts_with(char::is_alphanumeric)
}

/// Refuses an output that is one of the paths, whatever else is there.
fn refuse_input_path(args: &ConvertArgs, path: &Path) -> Result<(), Error> {
    let Ok(output) = path.canonicalize() else {
        return Ok(());
    };
    let is_same = |input: &OsString| {
        let input = Path::new(input).canonicalize();
        output.is_file() && input.is_ok_and(|input| input == output)
    };
    // A glob may name the output too, which is then left out.
    let mut named = args.paths.iter();
    if !named.any(|input| is_same(input) && !args.common.from_glob.contains(input)) {
        return Ok(());
    }
    Err(input_and_output(path.path_text()))
}

/// Refuses names of outputs that are patterns of other programs, and a folder for several outputs.
fn refuse_patterns(args: &ConvertArgs, path: &Path) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (option, part) = match (args.split, args.split_by) {
        (Some(count), _) => (format!("--split {count}"), "0001"),
        (None, Some(SplitField::Event)) => ("--split-by event".to_owned(), "EVENT"),
        (None, Some(SplitField::Eco)) => ("--split-by eco".to_owned(), "B90"),
        (None, Some(SplitField::Player)) => ("--split-by player".to_owned(), "NAME"),
        (None, Some(SplitField::Year)) => ("--split-by year".to_owned(), "2024"),
        (None, None) => ("--split 64".to_owned(), "0001"),
    };
    let is_folder = path
        .as_os_str()
        .to_string_lossy()
        .ends_with(std::path::is_separator);
    let is_split = split_by(args).is_some();
    let placeholder = PLACEHOLDERS
        .iter()
        .find(|part| has_placeholder(&name, part));
    let (text, plain) = match placeholder {
        Some(placeholder) => {
            let name = name.replace(placeholder, "");
            // Without an extension the format is the usual one.
            let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
            let stem = stem.trim_matches(['-', '_', '.', ' ']);
            let stem = if stem.is_empty() { "games" } else { stem };
            let plain = path.with_file_name(if extension.is_empty() {
                format!("{stem}.pgn")
            } else {
                format!("{stem}.{extension}")
            });
            let text = format!("`{placeholder}` in the name of an output is not replaced");
            (text, plain)
        }
        None if is_split && (is_folder || path.is_dir()) => {
            let text = "it is a folder: the names of the outputs are made of that of a file";
            (text.to_owned(), path.join("games.pgn"))
        }
        None => return Ok(()),
    };
    let stem = plain.file_stem().unwrap_or_default().to_string_lossy();
    let extension = plain.extension().unwrap_or_default().to_string_lossy();
    let first = plain.with_file_name(format!("{stem}-{part}.{extension}"));
    Err(
        Error::usage(format!("{}: {text}", path.path_text())).with_hint(format!(
            "`-o {} {option}` writes {} and others",
            quoted(&plain),
            first.path_text()
        )),
    )
}

/// The format of games that go to a pipe or a device as they come, which has this target.
fn stream_format(target: &Target<'_>, path: &Path) -> Result<&'static GameFormat, Error> {
    let (format, is_plain) = match target {
        Target::File {
            format,
            compression,
            ..
        } => (*format, *compression == Compression::None),
        Target::Stream { format, .. } => (*format, true),
    };
    if !is_plain || format.create_text.is_none() {
        require_replaceable(path)?;
    }
    Ok(format)
}

/// The files that were written, under the names that they get.
fn shown(args: &ConvertArgs, written: &Written) -> Written {
    let mut shown = written.clone();
    if let (Some(_), Some(output)) = (&args.repaired_output, &args.output) {
        shown.files = vec![PathBuf::from(output)];
    }
    shown
}

/// The positions of each game that a list of positions gets.
fn positions(
    args: &ConvertArgs,
    format: &GameFormat,
    query: Option<&Query>,
) -> Result<PositionChoice, Error> {
    let has_moments = query.is_some_and(Query::asks_for_moments);
    let asked = args.position.map(|position| match position {
        PositionArg::Start => PositionChoice::Start,
        PositionArg::End => PositionChoice::End,
        PositionArg::Moment => PositionChoice::Moments,
    });
    let is_list = !format.can.has(Feature::Moves);
    let usual = (is_list && args.prefers_moments && has_moments).then_some(PositionChoice::Moments);
    let choice = PositionChoice::of_target(asked.or(usual), format, query)?;
    if choice == PositionChoice::Moments && args.mark.is_some() {
        let text = "`--mark` puts comments into games, and this output has only positions";
        return Err(Error::usage(text).with_hint("`-o found.pgn` writes the games"));
    }
    Ok(choice)
}

/// Notes options that change nothing in this output, and a name of another format.
fn note_ineffective(
    args: &ConvertArgs,
    context: &Context,
    format: &'static GameFormat,
    path: Option<&Path>,
) {
    if args.is_of_other_verb {
        return;
    }
    let has_layout = format.create_text.is_some()
        && format.can.has(Feature::Moves)
        && GAMES.iter().any(|games| games.file.id == format.file.id);
    let note = |option: &str, why: &str| {
        context.messages.note(&format!("`{option}` {why}"));
    };
    let is_for_pgn = "is for PGN and changes nothing in this output";
    if !has_layout && args.profile != Profile::default() {
        note("--profile", is_for_pgn);
    }
    if !has_layout && args.no_wrap {
        note("--no-wrap", is_for_pgn);
    }
    if args.force && path.is_none() {
        note("--force", "is for a file that `-o` names");
    }
    let (Some(path), Some(_)) = (path, &args.to) else {
        return;
    };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let named = context.resolver.format(&extension.to_ascii_lowercase());
    if let Some(named) = named.filter(|named| named.id() != format.file.id) {
        context.messages.warning(&format!(
            "{} is named like another format ({}) than it has ({})",
            path.path_text(),
            named.name(),
            format.file.name
        ));
    }
}

/// The value of `--split-by`.
fn split_field(args: &ConvertArgs) -> String {
    let value = args.split_by.and_then(|field| field.to_possible_value());
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// What the games of one output have in common, if there are to be several outputs.
fn split_by(args: &ConvertArgs) -> Option<SplitBy> {
    let by_field = || {
        args.split_by.map(|field| match field {
            SplitField::Event => SplitBy::Event,
            SplitField::Eco => SplitBy::Eco,
            SplitField::Player => SplitBy::Player,
            SplitField::Year => SplitBy::Year,
        })
    };
    args.split.map(SplitBy::Count).or_else(by_field)
}

/// `6,117 games to out.pgn: 4.1 MB in 0.3 s`, `10 of 6,117 games` if there is a query, or `to 12 outputs,
/// out-0001.pgn and others`.
fn written_text(counts: &SelectionCounts, written: &Written, targets: u32, seconds: f64) -> String {
    let mut text = match counts.positions {
        0 if counts.filtered > 0 => format!(
            "{} of {}",
            grouped(counts.games),
            counted(counts.games + counts.filtered, "game")
        ),
        0 => counted(counts.games, "game"),
        positions => {
            let games = counted(counts.games - counts.without_position, "game");
            format!("{} of {games}", counted(positions, "position"))
        }
    };
    if counts.texts > 0 {
        let _ = write!(text, ", {}", counted(counts.texts, "guiding text"));
    }
    if let Some(file) = written.files.first() {
        let _ = match targets {
            0 | 1 => write!(text, " to {}", file.path_text()),
            several => {
                let outputs = counted(several.into(), "output");
                write!(text, " to {outputs}, {} and others", file.path_text())
            }
        };
    }
    text + &format!(": {} in {seconds:.1} s", size(written.bytes))
}

fn options(args: &ConvertArgs, context: &Context) -> Result<ConvertOptions, Error> {
    let mut options = ConvertOptions::default();
    options.open = context.open.clone();
    options.append = args.append;
    let create = &mut options.create;
    create.lock.clone_from(&args.lock);
    create.force = args.force;
    create.profile = args.profile;
    create.wrap = !args.no_wrap;
    create.charset = args.to_encoding;
    let plan = &mut options.plan;
    plan.threads = context.threads;
    plan.strict = args.common.strict;
    plan.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    plan.selection.deleted = args.select.records.include_deleted;
    plan.shard = args.shard;
    plan.leave_out.comments = args.no_comments;
    plan.leave_out.variations = args.no_variations;
    plan.leave_out.nags = args.no_nags;
    plan.languages.clone_from(&args.language);
    let query = parse_query(&args.select.filter, &context.messages)?;
    options.choose(query, args.sort.clone())?;
    let plan = &mut options.plan;
    plan.mark.clone_from(&args.mark);
    plan.eco = args.eco;
    options.dropped.clone_from(&args.dropped);
    plan.renames.clone_from(&args.renames);
    options.merges.clone_from(&args.merges);
    options.index = args.index.use_index.into();
    options.index_options = index_options(context);
    plan.want = plan.leave_out.want();
    Ok(options)
}

/// What keeps the characters that the character set of the target lacks: a database in UTF-8, or a format that has
/// no other character set.
fn characters_hint(args: &ConvertArgs, context: &Context) -> String {
    let games = arguments(&args.paths, "GAMES");
    let target = PathBuf::from(args.output.clone().unwrap_or_default());
    if args.append {
        let old = quoted(&target);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let new = quoted(&free_path(target.with_file_name(format!("utf8-{name}"))));
        return format!(
            "`tabia convert {old} -o {new} --to-encoding utf-8`, then `tabia append {games} -o {new}`: a database in \
             UTF-8 keeps all characters"
        );
    }
    let formats = context.resolver.formats().iter();
    let formats = formats.filter(|format| {
        let writer = format.games().filter(|games| games.is_writable());
        writer.is_some_and(|games| {
            games.can.has(Feature::Characters) && !games.in_part.has(Feature::Characters)
        })
    });
    let names: Vec<String> = formats.map(|format| format.id().to_string()).collect();
    let to = args
        .to
        .as_ref()
        .map_or_else(String::new, |to| format!(" --to {}", argument(to)));
    let selection = selection(&args.select);
    let force = if args.force { " --force" } else { "" };
    format!(
        "`tabia convert {games}{selection} -o {}{to}{force} --to-encoding utf-8` keeps them; formats that have all \
         characters in UTF-8: {}",
        quoted(&target),
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::has_placeholder;

    #[test]
    fn names_with_percent_signs_are_names() {
        assert!(has_placeholder("games-%d.pgn", "%d") && has_placeholder("%d", "%d"));
        assert!(!has_placeholder("50%draws.pgn", "%d"));
        assert!(has_placeholder("{n}games.pgn", "{n}") && !has_placeholder("games.pgn", "{n}"));
    }
}
