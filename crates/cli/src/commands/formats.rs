//! `tabia formats`: what can be read, written, held.

use tabia::core::Format;
use tabia::core::formats::Kind;
use tabia::core::loss::{Feature, Features};
use tabia::formats::archives::{ARCHIVES, ArchiveFormat};
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
        let row = row(format, listing.style());
        listing.push(row)?;
    }
    listing.finish()?;
    Ok(ExitCode::Done)
}

fn row(format: &Format, style: Style) -> Vec<(&'static str, Json)> {
    let container: Option<&ArchiveFormat> = ARCHIVES
        .iter()
        .find(|container| container.format.id == format.id)
        .copied();
    let reads = container.is_some()
        || format.open_database.is_some()
        || format.open_blocks.is_some()
        || format.open_stream.is_some()
        || format.open_book.is_some();
    let writes = container.is_some_and(|container| container.create.is_some())
        || format.create_text.is_some()
        || format.create_database.is_some()
        || format.create_book.is_some();
    let kind = match format.kind {
        Kind::Database => "database",
        Kind::Book => "book",
        Kind::Archive => "archive",
    };
    let extensions = format.extensions.iter().map(|name| Json::from(*name));
    let mut row: Vec<(&'static str, Json)> = vec![
        ("format", format.id.to_string().into()),
        ("name", format.name.into()),
        ("kind", kind.into()),
        ("extensions", Json::List(extensions.collect())),
    ];
    let lacks = match format.kind {
        Kind::Database => {
            let held: Vec<Feature> = format.can.iter().collect();
            Features::ALL.without(&held)
        }
        Kind::Book | Kind::Archive => Features::NONE,
    };
    if style.has_cells() {
        let yes = |value: bool| Json::from(if value { "yes" } else { "no" });
        let labels: Vec<&str> = lacks.iter().map(Feature::label).collect();
        row.push(("read", yes(reads)));
        row.push(("write", yes(writes)));
        row.push(("cannotHold", labels.join(", ").into()));
    } else {
        let companions = format.companions.iter().map(|companion| {
            Json::Object(vec![
                ("extension", companion.extension.into()),
                ("required", companion.required.into()),
                ("holds", companion.holds.into()),
            ])
        });
        row.push(("companions", Json::List(companions.collect())));
        row.push(("read", reads.into()));
        row.push(("write", writes.into()));
        row.push(("holds", keys(format.can)));
        row.push(("cannotHold", keys(lacks)));
    }
    let evidence = match format.evidence {
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
