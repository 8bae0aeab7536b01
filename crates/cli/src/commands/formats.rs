//! `tabia formats`: what can be read, written, held.

use tabia::core::formats::FormatKind;
use tabia::core::loss::{Feature, Features};
use tabia::formats::Format;
use tabia::{Failure, Resolver};

use crate::args::FormatsArgs;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::{Listing, Style};

const COLUMNS: &[&str] = &[
    "format",
    "name",
    "kind",
    "extensions",
    "read",
    "write",
    "cannotHold",
    "evidence",
];

pub(crate) fn run(args: &FormatsArgs) -> Result<ExitCode, Failure> {
    let resolver = Resolver::default();
    let mut listing = Listing::new(&args.listing, COLUMNS, &[])?;
    for format in resolver.formats() {
        let row = row(*format, listing.style());
        listing.push(row)?;
    }
    listing.finish()?;
    Ok(ExitCode::Done)
}

fn row(format: Format, style: Style) -> Vec<(&'static str, Json)> {
    let kind = match format.kind() {
        FormatKind::Games => "database",
        FormatKind::Book => "book",
        FormatKind::Archive => "archive",
    };
    let extensions = format.extensions().iter().map(|name| Json::from(*name));
    let mut row: Vec<(&'static str, Json)> = vec![
        ("format", format.id().to_string().into()),
        ("name", format.name().into()),
        ("kind", kind.into()),
        ("extensions", Json::List(extensions.collect())),
    ];
    let (can, lacks) = match format {
        Format::Games(games) => {
            let of_games = Feature::ALL.iter().filter(|feature| feature.is_of_games());
            let held: Vec<Feature> = games.can.iter().collect();
            let of_games: Vec<Feature> = of_games.copied().collect();
            (games.can, Features::of(&of_games).without(&held))
        }
        Format::Book(book) => (book.can, Features::NONE),
        Format::Archive(_) => (Features::NONE, Features::NONE),
    };
    let writes = format.is_writable();
    if style.has_cells() {
        let yes = |value: bool| Json::from(if value { "yes" } else { "no" });
        let labels: Vec<&str> = lacks.iter().map(Feature::label).collect();
        row.push(("read", yes(true)));
        row.push(("write", yes(writes)));
        row.push(("cannotHold", labels.join(", ").into()));
    } else {
        let companions = format.companions().iter().map(|companion| {
            Json::Object(vec![
                ("extension", companion.extension.into()),
                ("required", companion.required.into()),
                ("holds", companion.holds.into()),
            ])
        });
        row.push(("companions", Json::List(companions.collect())));
        row.push(("read", true.into()));
        row.push(("write", writes.into()));
        row.push(("holds", keys(can)));
        row.push(("cannotHold", keys(lacks)));
    }
    let evidence = match format.file().evidence {
        "" => "checked against real files",
        other => other,
    };
    row.push(("evidence", evidence.into()));
    row
}

fn keys(features: Features) -> Json {
    Json::List(
        features
            .iter()
            .map(|feature| feature.key().into())
            .collect(),
    )
}
