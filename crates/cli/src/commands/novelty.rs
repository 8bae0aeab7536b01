//! `tabia novelty`: where games leave what was played before.

use serde::Serialize;
use tabia::Error;
use tabia::base::{Base, BaseOptions, NewPosition, NoveltyOptions};

use crate::absent_games::AbsentGames;
use crate::args::NoveltyArgs;
use crate::commands::index::index_options;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::parse_where_and_games::{parse_games, parse_query};

#[derive(Serialize)]
struct Row<'a> {
    game: u64,
    white: &'a str,
    black: &'a str,
    ply: Option<u32>,
    san: Option<&'a str>,
    /// With the number of the move, for people.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    numbered: Option<String>,
    fen: Option<String>,
    basegames: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

pub(crate) fn run(args: &NoveltyArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter("novelty", args.replace.force, None)?;
    let mut options = NoveltyOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.rows.common.strict;
    options.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    options.selection.deleted = args.select.records.include_deleted;
    options.filter = parse_query(&args.select.filter, &context.messages)?;
    let (items, unread) = context.games_to_list(&args.paths, &mut reporter)?;
    let base_items = context.bases(&args.base, &mut reporter)?;
    let mut base_options = BaseOptions::default();
    base_options.open = context.open.clone();
    base_options.threads = context.threads;
    base_options.index = args.rows.index.use_index.into();
    base_options.index_options = index_options(&context);
    let several = items.len() > 1;
    let is_table = RowStyle::of(&args.rows.listing) == RowStyle::Table;
    let mut columns = if is_table {
        vec!["game", "white", "black", "move", "basegames", "fen"]
    } else {
        vec!["game", "ply", "san", "fen", "basegames", "white", "black"]
    };
    columns.extend(several.then_some("path"));
    let numeric = ["game", "ply", "basegames"];
    let listing = Listing::new(&context.bar, &args.rows.listing, &columns, &numeric);
    let mut listing = listing.paged(&context);
    let mut found = 0_u64;
    let display = context.display();
    let base = Base::of_items(base_items, base_options, &context.progress, &mut reporter)?;
    let done = base.novelties(
        &items,
        &options,
        &context.progress,
        &mut reporter,
        &mut |novelty| {
            found += 1;
            let first = novelty.first.as_ref();
            let [white, black] = &novelty.players;
            let path = items.get(novelty.input).filter(|_| several);
            listing.push(&Row {
                game: u64::from(novelty.game.0) + 1,
                white,
                black,
                ply: first.map(|first| first.ply),
                san: first.map(|first| first.san.as_str()),
                numbered: is_table.then(|| numbered(first)),
                fen: first.map(|first| first.position.fen()),
                basegames: novelty.base_games,
                path: path.map(tabia::InputItem::name),
            })
        },
    );
    drop(display);
    let mut absent = AbsentGames::new(options.selection.numbers.as_ref());
    // The summary counts the games of the base, too.
    for item in &items {
        absent.add(&context, item, None);
    }
    let done = done.map(|summary| ExitCode::of_problems(summary.problems));
    let code = reporter.end_at_strict(done)?.worse(unread);
    // Those of the base too.
    let code = code.worse(ExitCode::of_problems(reporter.count()));
    listing.finish()?;
    reporter.finish_reading()?;
    let code = code.worse(absent.report(&context));
    Ok(if found == 0 && !options.filter.is_empty() {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}

/// The move that leads to a new position, as `12. Nd5` and `12... Nd5`.
fn numbered(first: Option<&NewPosition>) -> String {
    let Some(first) = first else {
        return "none is new".to_owned();
    };
    if first.ply == 0 {
        return "the start".to_owned();
    }
    // The position is the one after the move.
    let (number, dots) = if first.position.turn().is_white() {
        (first.position.full_move_number().saturating_sub(1), "...")
    } else {
        (first.position.full_move_number(), ".")
    };
    format!("{number}{dots} {}", first.san)
}
