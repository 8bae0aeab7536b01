//! `tabia eco`: openings of games by position.

use std::ffi::OsString;

use serde::Serialize;
use tabia::list_openings::{EcoOptions, EcoUpdate, openings_of};
use tabia::{Error, ErrorSide};

use crate::absent_games::AbsentGames;
use crate::args::EcoArgs;
use crate::commands::convert;
use crate::context::{Context, Wanted};
use crate::exit_code::ExitCode;
use crate::listing::{Listing, NextRow};
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::readable_numbers::counted;

#[derive(Serialize)]
struct EcoRow<'a> {
    game: u64,
    ply: Option<u32>,
    eco: Option<&'static str>,
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

pub(crate) fn run(args: &EcoArgs) -> Result<ExitCode, Error> {
    if let Some(output) = &args.output {
        return write(args, output);
    }
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("eco", args.force, None)?;
    let mut options = EcoOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.common.strict;
    options.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    options.selection.deleted = args.select.records.include_deleted;
    options.filter = parse_query(&args.select.filter, &context.messages)?;
    let several = context.are_several(&args.paths);
    let mut columns = vec!["game", "ply", "eco", "name"];
    columns.extend(several.then_some("path"));
    let listing = Listing::new(&context.bar, &args.listing, &columns, &["game", "ply"]);
    let mut listing = listing.paged(&context);
    let mut found = 0_u64;
    // Games of Chess960 among those without a name.
    let mut unnamed = 0_u64;
    let mut absent = AbsentGames::new(options.selection.numbers.as_ref());
    let display = context.display();
    // The numbers of games that are not there are known at the end only.
    let last = args
        .listing
        .limit
        .filter(|_| options.selection.numbers.is_none());
    let last = last.map(|limit| args.listing.offset.saturating_add(limit));
    let done = context.for_each_input(&args.paths, Wanted::Games, |item| {
        options.limit = last.map(|last| last.saturating_sub(found));
        let read = item.and_then(|item| {
            let path = item.name();
            let summary = openings_of(
                &item,
                &options,
                &context.progress,
                &mut reporter,
                &mut |row| {
                    found += 1;
                    unnamed += u64::from(row.chess960 && row.opening.is_none());
                    if listing.next_row() != NextRow::Shown {
                        return Ok(());
                    }
                    let opening = row.opening.map(|(opening, _)| opening);
                    listing.push(&EcoRow {
                        game: u64::from(row.game.0) + 1,
                        ply: row.opening.map(|(_, ply)| ply),
                        eco: opening.map(|opening| opening.eco),
                        name: opening.map(|opening| opening.name),
                        path: several.then_some(path.as_str()),
                    })
                },
            )?;
            absent.add_counted(&context, &item, &summary.counts, options.filter.is_empty());
            Ok(summary)
        });
        match read {
            Ok(summary) => Ok(ExitCode::of_problems(summary.problems)),
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                Ok(ExitCode::Input)
            }
            Err(other) => Err(other),
        }
    });
    drop(display);
    let code = reporter.end_at_strict(done)?;
    listing.finish_with(code)?;
    if unnamed > 0 {
        let games = counted(unnamed, "game");
        let have = if unnamed == 1 { "has" } else { "have" };
        context.messages.note(&format!(
            "{games} of Chess960 {have} no name: openings are named from the usual start position"
        ));
    }
    reporter.finish(None)?;
    let code = code.worse(absent.report(&context));
    Ok(if found == 0 && !options.filter.is_empty() {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}

/// Writes the games with their codes.
fn write(args: &EcoArgs, output: &OsString) -> Result<ExitCode, Error> {
    let listing = &args.listing;
    if listing.limit.is_some() || listing.offset > 0 {
        return Err(Error::usage(
            "`--limit` and `--offset` are for rows; `--games` chooses games",
        ));
    }
    let mut convert = convert::plain(&args.paths, output, args.to.as_deref(), &args.common);
    convert.force = args.force;
    convert.select = args.select.clone();
    convert.eco = args.eco.unwrap_or(EcoUpdate::Fill);
    convert::convert_files(&convert).map(|converted| converted.code)
}
