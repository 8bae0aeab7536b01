//! `tabia book build`: a book from games.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use tabia::book::build::{
    BuildOptions, BuildTarget, Built, CompleteBuild, GameCounts, Weighting, complete,
};
use tabia::core::books::Book as _;
use tabia::core::chess::Color;
use tabia::core::io::Source;
use tabia::core::loss::Feature;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::formats::books::kvetka::{KvetkaBook, Sources, first_part};
use tabia::{Error, InputItem};

use super::build_record::{GameCountsRow, StoredRecord, add_record, record_path};
use super::report_written::WrittenCounts;
use super::target_format::book_format;
use crate::absent_games::AbsentGames;
use crate::args::book::{BookBuildArgs, Compat};
use crate::commands::index::index_options;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, grouped, size};
use crate::report::{Reporter, report_file_losses};
use crate::resolve_output_target::{arguments, refuse_absent_folder, refuse_existing};

pub(crate) fn run(args: &BookBuildArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.output, args.to.as_deref())?;
    let is_polyglot = format.has_key_entries;
    let is_kvetka = format.can.has(Feature::GameLinks);
    if let Some(option) = args.kvetka.used().filter(|_| !is_kvetka) {
        let text = format!("`{option}` is for Kvetka books (`.kob`)");
        let error = Error::usage(text);
        return Err(match args.kvetka.least_elo.first() {
            Some(elo) => error.with_hint(format!(
                "`--where 'elo:>={elo}'` chooses the games of any book"
            )),
            None => error,
        });
    }
    let mut options = options(args, &context, is_polyglot)?;
    if is_kvetka {
        set_kvetka(&mut options, args)?;
    }
    options.check(format)?;
    let record = record_path(&args.output);
    let replaces = args.force || args.kvetka.append;
    refuse_existing(&args.output, replaces)?;
    if !args.no_record {
        refuse_existing(&record, replaces)?;
    }
    refuse_absent_folder(&args.output)?;
    let mut reporter = context.reporter("book build", args.force, None)?;
    let items = context.games(&args.paths, Some(&args.output), &mut reporter)?;
    let (before, games_before) = if args.kvetka.append {
        appended_to(args, &context, &items, &mut options)?
    } else {
        (None, None)
    };
    let named = (!args.no_record).then_some(&*record);
    let report = args.common.report.as_deref();
    refuse_inputs(&items, &[Some(&args.output), named, report])?;
    options.create.transaction = reporter.transaction();
    let start = Instant::now();
    let target = BuildTarget::new(format, &args.output);
    let display = context.display();
    let build = complete(&items, &target, &options, &context.progress, &mut reporter);
    drop(display);
    let mut build = build?;
    if let Some(text) = why_not_written(&options, &mut build) {
        // Nothing is written: neither done, nor done with problems, whatever the inputs had.
        let is_damaged = reporter.count() > 0;
        reporter.finish(None)?;
        context.messages.error(&Error::invalid(text));
        let games = arguments(&args.paths, "GAMES");
        let counts = build.built.games;
        if counts.used == 0 && counts.filtered > 0 && !args.filter.trim().is_empty() {
            context.messages.hint(&format!(
                "`tabia search {games} {}` lists the games that fit",
                argument(&args.filter)
            ));
        } else if counts.used == 0 && is_damaged {
            let hint = format!("`tabia check {games}` lists what is damaged");
            context.messages.hint(&hint);
        }
        return Ok(ExitCode::NoMatch);
    }
    if !args.no_record {
        let max_ply = options.max_ply;
        add_record(&record, args, &items, &target, max_ply, &mut build, before)?;
    }
    let built = build.commit()?;
    note_equal_inputs(&context, &items, &built);
    let seconds = start.elapsed().as_secs_f64();
    let code = finish(&context, args, reporter, &built, seconds, games_before)?;
    let mut absent = AbsentGames::new(options.selection.numbers.as_ref());
    for (item, counts) in items.iter().zip(&built.inputs) {
        let chosen = counts.used + counts.filtered + counts.bad;
        absent.add(&context, item, options.filter.is_empty().then_some(chosen));
    }
    Ok(code.worse(absent.report(&context)))
}

/// Prepares to add games to a book: takes over the number of plies in its header, refuses another, refuses sources that it
/// has already, and warns of those with the same name. Returns its record and the number of its games.
fn appended_to(
    args: &BookBuildArgs,
    context: &Context,
    items: &[InputItem],
    options: &mut BuildOptions,
) -> Result<(Option<StoredRecord>, Option<u64>), Error> {
    let first = first_part(&args.output);
    if !first.is_file() {
        // There is no book: the builder reports it.
        return Ok((None, None));
    }
    let source = Source::from_path(&first)?;
    let book = KvetkaBook::open(&source, &context.open)?;
    let plies = u32::from(book.header().max_move);
    let all = u32::from(u8::MAX);
    if let Some(asked) = args.max_ply.filter(|asked| (*asked).min(all) != plies) {
        let held = if plies == all {
            "all plies".to_owned()
        } else {
            counted_as(plies.into(), "ply", "plies")
        };
        let text = format!(
            "{} holds {held} of each game, so that of games added to it no other number can count, not {asked}",
            first.path_text()
        );
        let hint = "leave out `--max-ply`, or make a new book of all games";
        return Err(Error::usage(text).with_hint(hint));
    }
    if plies < all {
        options.max_ply = plies;
    }
    let record = StoredRecord::of(&args.output).filter(|record| record.fits(&args.output));
    let mut known = Vec::new();
    for number in 0..book.sources().map_or(0, Sources::len) as u32 {
        let source = book.sources().and_then(|sources| sources.source(number));
        let address = source.map_or("", |source| source.address.as_str());
        known.extend(address.rsplit(['/', '\\']).next().map(str::to_owned));
    }
    for item in items {
        let file: &Path = item.label();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_same = match &record {
            Some(record) => record.has_source(file)?,
            None => false,
        };
        let text = if is_same {
            let text = format!(
                "the book has the games of {} already, from a file with the same bytes",
                item.name()
            );
            if !args.kvetka.again {
                let hint = "`--again` counts them once more; leave the file out otherwise";
                return Err(Error::usage(text).with_hint(hint));
            }
            format!("{text}: they count once more")
        } else if known.iter().any(|known| *known == name) {
            format!(
                "the book has games of a file {name} already: those that {} has in common with it count once more",
                item.name()
            )
        } else {
            continue;
        };
        context.messages.warning(&text);
    }
    if record.is_none() && !args.no_record {
        let text =
            "the book has no record that fits it: the new one lists the sources added now alone";
        context.messages.warning(text);
    }
    Ok((record, book.info().games))
}

/// Number of games of inputs from which on equal counts of games and moves show that they are the same.
const CONCLUSIVE: u64 = 20;

/// Warns of inputs that have the same games, such as a database, its archive and its PGN in one folder:
/// each game counts as often as it is there.
fn note_equal_inputs(context: &Context, items: &[InputItem], built: &Built) {
    let mut rest: Vec<_> = items.iter().zip(&built.inputs).collect();
    rest.retain(|(_, counts)| counts.used >= CONCLUSIVE);
    while let Some((_, first)) = rest.first().copied() {
        let is_equal = |counts: &GameCounts| {
            (counts.used, counts.filtered, counts.moves)
                == (first.used, first.filtered, first.moves)
        };
        let equal: Vec<&InputItem> = rest
            .iter()
            .filter(|(_, counts)| is_equal(counts))
            .map(|(item, _)| *item)
            .collect();
        rest.retain(|(_, counts)| !is_equal(counts));
        let [only, _, ..] = &*equal else {
            continue;
        };
        let names: Vec<String> = equal.iter().map(|item| item.name()).collect();
        context.messages.warning(&format!(
            "{} of these inputs seem to have the same games, {} with {} that count each: {}; every game \
             counts {} times; `tabia book build {} -o BOOK` reads one of them",
            equal.len(),
            counted(first.used, "game"),
            counted(first.moves, "move"),
            names.join(", "),
            equal.len(),
            file_argument(&only.name())
        ));
    }
}

/// Reports what was built.
pub(super) fn finish(
    context: &Context,
    args: &BookBuildArgs,
    mut reporter: Reporter,
    built: &Built,
    seconds: f64,
    games_before: Option<u64>,
) -> Result<ExitCode, Error> {
    let problems = reporter.count();
    let main = built.written.files.first().unwrap_or(&args.output);
    let counts = BuiltCounts {
        book: WrittenCounts::new(built.positions, built.moves, &built.written),
        games: GameCountsRow::new(built.games),
    };
    reporter.commit_file(main, &built.losses, &counts)?;
    report_built(context, args, built, seconds, games_before);
    reporter.finish(None)?;
    Ok(ExitCode::of_problems(problems.max(built.games.bad)))
}

pub(super) fn options(
    args: &BookBuildArgs,
    context: &Context,
    is_polyglot: bool,
) -> Result<BuildOptions, Error> {
    let mut options = BuildOptions::default();
    options.weighting = match (args.compat, args.recency) {
        (Some(Compat::Polyglot), _) => Weighting::Polyglot,
        (None, Some(years)) => Weighting::Recency {
            half_life: years * 12.0,
        },
        (None, None) => Weighting::Points,
    };
    options.open.clone_from(&context.open);
    options.create.force = args.force;
    options.threads = context.threads;
    options.selection.numbers = parse_games(args.games.as_deref())?;
    options.selection.deleted = args.include_deleted;
    options.filter = parse_query(&args.filter, &context.messages)?;
    options.index = args.index.use_index.into();
    options.index_options = index_options(context);
    options.max_ply = args.max_ply.unwrap_or(options.max_ply);
    let moves = &mut options.move_filter;
    moves.min_games = args.least_games();
    moves.min_score = args.min_score;
    moves.min_percent = args.min_percent;
    moves.only = match (args.only_white, args.only_black) {
        (true, _) => Some(Color::White),
        (_, true) => Some(Color::Black),
        _ => None,
    };
    moves.scoreless = args.scoreless || !is_polyglot;
    options.stretch = args.stretch;
    options.uniform = args.uniform;
    options.variations = args.variations;
    options.memory = args.memory;
    options.strict = args.common.strict;
    Ok(options)
}

/// Options of Kvetka books, most of which are stored in the header.
fn set_kvetka(options: &mut BuildOptions, args: &BookBuildArgs) -> Result<(), Error> {
    let kvetka_args = &args.kvetka;
    options.set_least_elo(&kvetka_args.least_elo)?;
    let kvetka = &mut options.kvetka;
    kvetka.names = kvetka_args.names;
    kvetka.game_links = kvetka_args.game_links;
    kvetka.append = kvetka_args.append;
    options.set_header(kvetka_args.caption.as_deref(), kvetka_args.all_moves);
    Ok(())
}

/// The counts of a report's summary.
#[derive(Serialize)]
struct BuiltCounts {
    #[serde(flatten)]
    book: WrittenCounts,
    games: GameCountsRow,
}

/// `games_before`: the games that the book had before, if games were added.
fn report_built(
    context: &Context,
    args: &BookBuildArgs,
    built: &Built,
    seconds: f64,
    games_before: Option<u64>,
) {
    let games = built.games;
    // Formats that number their parts write another file than the one named.
    let main = built.written.files.first().unwrap_or(&args.output);
    let mut text = format!(
        "{}: {}, {}",
        main.path_text(),
        counted(built.positions, "position"),
        counted(built.moves, "move")
    );
    let used = counted(games.used, "game");
    let _ = match games_before {
        Some(before) => write!(
            text,
            "; {used} added, {} in all",
            grouped(before + games.used)
        ),
        None => write!(text, " from {used}"),
    };
    if games.filtered > 0 {
        let _ = write!(text, ", {} filtered out", grouped(games.filtered));
    }
    if games.bad > 0 {
        let _ = write!(text, ", {} left out", counted(games.bad, "bad game"));
    }
    let bytes = size(built.written.bytes);
    let _ = write!(text, "; {bytes}, {seconds:.1} s");
    let read = games.used + games.filtered + games.bad;
    if read > 0 {
        let rate = (read as f64 / seconds.max(0.001)) as u64;
        let _ = write!(text, ", {} games/s", grouped(rate));
    }
    context.messages.note(&text);
    report_file_losses(&context.messages, &built.losses);
    note_lost_links(context, built);
}

/// Names the reasons for which links to games are lost.
fn note_lost_links(context: &Context, built: &Built) {
    let unknown = built.unlinked_games;
    let no_space = built
        .losses
        .count(Feature::GameLinks)
        .saturating_sub(unknown);
    if no_space > 0 {
        let count = counted(no_space, "link");
        context.messages.note(&format!(
            "{count} lost: where more games end than fit into the record of a position, which has at most 682 bytes"
        ));
    }
    if unknown > 0 {
        let count = counted(unknown, "game");
        context.messages.note(&format!(
            "{count} not linked: their offset in their file is not known or beyond its first 4 GiB"
        ));
    }
}

/// Why the book is not written: it has no moves.
fn why_not_written(options: &BuildOptions, build: &mut CompleteBuild) -> Option<String> {
    let reason = build.built.why_empty(options)?;
    // Formats that number their parts write another file than the one named.
    let main = build.files.file(0).map(|file| file.target().to_owned());
    Some(match main.filter(|main| main.is_file()) {
        Some(main) => format!(
            "the new book is empty: {reason}; {} is left as it was",
            main.path_text()
        ),
        None => format!("the book is empty: {reason}; nothing is written"),
    })
}
