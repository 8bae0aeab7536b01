//! `tabia search`: the games that fit a query.

use std::ffi::OsString;

use tabia::Error;
use tabia::core::formats::Profile;
use tabia::core::io::Charset;

use crate::args::{ConvertArgs, LsArgs, SearchArgs, SelectArgs};
use crate::commands::{convert, ls};
use crate::exit_code::ExitCode;

pub(crate) fn run(args: &SearchArgs) -> Result<ExitCode, Error> {
    let Some((query, paths)) = args.inputs.split_last() else {
        return Err(Error::usage("name a database and a query"));
    };
    let Some(filter) = query.to_str().map(str::to_owned) else {
        return Err(Error::usage("the query is not UTF-8"));
    };
    let select = SelectArgs {
        games: args.games.clone(),
        include_deleted: args.include_deleted,
        filter,
    };
    if let Some(output) = &args.output {
        return write(args, paths, select, output);
    }
    let rows = LsArgs {
        paths: paths.to_vec(),
        select,
        texts: args.texts,
        columns: args.columns.clone(),
        listing: args.listing.clone(),
        common: args.common.clone(),
    };
    ls::search(&rows, args.count, args.index.use_index)
}

/// Writes the games to a new file.
fn write(
    args: &SearchArgs,
    paths: &[OsString],
    select: SelectArgs,
    output: &OsString,
) -> Result<ExitCode, Error> {
    let listing = &args.listing;
    if listing.limit.is_some() || listing.offset > 0 {
        return Err(Error::usage(
            "`--limit` and `--offset` are for rows; `--games` chooses games",
        ));
    }
    if args.columns.is_some() || listing.no_header {
        return Err(Error::usage(
            "`--columns` and `--no-header` are for rows, not for games that are written",
        ));
    }
    let is_filtered = !select.filter.trim().is_empty();
    let (code, games) = convert::convert_files(&ConvertArgs {
        paths: paths.to_vec(),
        output: Some(output.clone()),
        to: args.to.clone(),
        force: args.force,
        append: false,
        profile: Profile::default(),
        to_encoding: Charset::Auto,
        select,
        no_comments: false,
        language: Vec::new(),
        no_variations: false,
        no_nags: false,
        no_wrap: false,
        rejects: None,
        common: args.common.clone(),
    })?;
    Ok(if games == 0 && is_filtered {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}
