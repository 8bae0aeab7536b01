//! `tabia stats`: games in groups.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tabia::stats::{
    GroupedGames, StatsCount, StatsKey, StatsOptions, StatsOrder, StatsRow, StatsValue,
};
use tabia::{Error, ErrorSide};

use crate::absent_games::AbsentGames;
use crate::args::{StatsArgs, StatsOrderChoice};
use crate::commands::index::index_options;
use crate::context::{Context, Wanted};
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::ls_columns::{spelt_tag, usual_tag};
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::terminal;

/// A group as a row: its keys, then counts.
struct Row<'a> {
    options: &'a StatsOptions,
    group: &'a StatsRow,
    /// What is shown of a key that a game does not have.
    unknown: Option<&'static str>,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let row = self.group;
        for (key, value) in self.options.keys.iter().zip(&row.values) {
            match value {
                StatsValue::Number(number) => map.serialize_entry(key.name(), number)?,
                StatsValue::Text(text) => map.serialize_entry(key.name(), text)?,
                _ => map.serialize_entry(key.name(), &self.unknown)?,
            }
        }
        for (name, count) in row.counts(self.options) {
            match count {
                StatsCount::Whole(number) => map.serialize_entry(name, &number)?,
                StatsCount::Tenths(number) => map.serialize_entry(name, &number)?,
                _ => map.serialize_entry(name, &None::<u64>)?,
            }
        }
        map.end()
    }
}

pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter("stats", args.replace.force, None)?;
    let mut options = StatsOptions::default();
    if let Some(by) = &args.by {
        let names: Vec<&str> = by.split(',').map(as_tag).collect();
        let keys = StatsKey::parse_list(&names.join(","));
        options.keys = keys.map_err(|why| {
            let mut hint =
                "`tabia help stats` explains the keys; a tag is one too, as in `--by WhiteTeam`"
                    .to_owned();
            let names = by.split(',');
            let mut tags = names.filter(|name| name.starts_with(char::is_lowercase));
            if let Some(tag) = tags.find_map(usual_tag) {
                hint = format!("the tag is `--by {tag}`; {hint}");
            }
            Error::usage(format!("`--by {by}`: {why}")).with_hint(hint)
        })?;
    }
    options.player.clone_from(&args.player);
    options.order = match args.order {
        Some(StatsOrderChoice::Games) => StatsOrder::Games,
        Some(StatsOrderChoice::Key) => StatsOrder::Key,
        None => StatsOrder::usual(&options.keys),
    };
    let list = &mut options.list;
    list.open = context.open.clone();
    list.threads = context.threads;
    list.strict = args.rows.common.strict;
    list.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    list.selection.deleted = args.select.records.include_deleted;
    list.filter = parse_query(&args.select.filter, &context.messages)?;
    list.index = args.rows.index.use_index.into();
    list.index_options = index_options(&context);
    let counts = options.count_names();
    let keys = options.keys.iter().map(StatsKey::name);
    let names: Vec<&str> = keys.chain(counts.iter().copied()).collect();
    let listing = Listing::new(&context.bar, &args.rows.listing, &names, &numeric(&options));
    let mut listing = listing.paged(&context);
    let end = args.rows.listing.limit.unwrap_or(u64::MAX);
    let end = args.rows.listing.offset.saturating_add(end);
    // An empty cell of a table would look like an error.
    let unknown = (listing.style() == RowStyle::Table).then_some("unknown");
    let (mut rows, mut games) = (0, 0);
    let mut is_known = vec![false; options.keys.len()];
    let mut is_opened = false;
    let display = context.display();
    let mut grouped = GroupedGames::new(&options);
    let mut absent = AbsentGames::new(options.list.selection.numbers.as_ref());
    let is_unfiltered = options.list.filter.is_empty() && options.player.is_none();
    // One that cannot be opened is not the end of the others.
    let code = context.for_each_input(&args.paths, Wanted::Games, |item| {
        let added = item.and_then(|item| {
            let found = grouped.add(&item, &context.progress, &mut reporter)?;
            absent.add_counted(&context, &item, &found.counts, is_unfiltered);
            Ok(found)
        });
        match added {
            Ok(found) => {
                is_opened = true;
                Ok(ExitCode::of_problems(found.problems))
            }
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                Ok(ExitCode::Input)
            }
            Err(other) => Err(other),
        }
    })?;
    let mut push = |row: &StatsRow| {
        games += row.games;
        rows += 1;
        for (is_known, value) in is_known.iter_mut().zip(&row.values) {
            *is_known |= *value != StatsValue::Unknown;
        }
        listing.push(&Row {
            options: &options,
            group: row,
            unknown,
        })?;
        Ok::<bool, Error>(rows < end)
    };
    let code = code.worse(ExitCode::of_problems(reporter.count()));
    if is_opened || code != ExitCode::Input {
        grouped.rows(&mut push)?;
    }
    drop(display);
    listing.finish_with(code)?;
    let is_tag = |name: &str| StatsKey::names().all(|known| known != name);
    let names = options.keys.iter().map(StatsKey::name);
    for (name, _) in names
        .zip(&is_known)
        .filter(|(name, known)| !**known && is_tag(name))
    {
        if games > 0 && rows < end {
            let hint = match usual_tag(name) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "`tabia help stats` lists the keys".to_owned(),
            };
            let text = format!("no game has the tag `{name}`; {hint}");
            context.messages.warning(&text);
        }
    }
    reporter.finish_reading()?;
    let code = code.worse(absent.report(&context));
    let is_asked = !options.list.filter.is_empty() || options.player.is_some();
    if games == 0 && is_asked && end > 0 && terminal::stdout_is_terminal() {
        context.messages.note("no game fits");
    }
    Ok(if games == 0 && is_asked && end > 0 {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}

/// The name of a usual tag, however its letters are written; any other name as it is.
fn as_tag(name: &str) -> &str {
    let is_known = |key: &StatsKey| StatsKey::names().any(|known| known == key.name());
    let is_key = StatsKey::parse_list(name).is_ok_and(|keys| keys.iter().any(is_known));
    match spelt_tag(name) {
        Some(tag) if !is_key => tag,
        _ => name,
    }
}

/// The columns that are numbers.
fn numeric(options: &StatsOptions) -> Vec<&str> {
    let keys = options.keys.iter().map(StatsKey::name);
    let numbers = ["whiteElo", "blackElo", "plyCount"];
    let mut numeric: Vec<&str> = keys.filter(|name| numbers.contains(name)).collect();
    numeric.extend(options.count_names());
    numeric
}
