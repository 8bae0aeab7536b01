//! `tabia formats`: the formats and what each can hold.

use indicatif::ProgressBar;
use serde::Serialize;
use tabia::core::FormatId;
use tabia::core::formats::{Companion, FormatKind};
use tabia::core::loss::{Feature, Features};
use tabia::formats::Format;
use tabia::{Error, Resolver};

use crate::args::FormatsArgs;
use crate::exit_code::ExitCode;
use crate::json::Displayed;
use crate::listing::{Listing, RowStyle};
use crate::terminal::set_color;

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

pub(crate) fn run(args: &FormatsArgs) -> Result<ExitCode, Error> {
    set_color(args.common.color);
    #[cfg(feature = "parquet")]
    if let Some(table) = args.schema {
        return super::table_schema::list(table.table(), args);
    }
    let resolver = Resolver::default();
    let mut listing = Listing::new(&ProgressBar::hidden(), &args.listing, COLUMNS, &[]);
    for format in resolver.formats() {
        let row = FormatRow::new(*format, listing.style());
        listing.push(&row)?;
    }
    listing.finish()?;
    Ok(ExitCode::Done)
}

/// A format, with keys of features in JSON and their labels in cells.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FormatRow {
    format: Displayed<FormatId>,
    name: &'static str,
    kind: &'static str,
    extensions: &'static [&'static str],
    companions: Vec<CompanionRow>,
    read: bool,
    write: bool,
    holds: Vec<String>,
    cannot_hold: FeatureNames,
    evidence: &'static str,
}

#[derive(Serialize)]
struct CompanionRow {
    extension: &'static str,
    required: bool,
    holds: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FeatureNames {
    Keys(Vec<String>),
    Labels(String),
}

impl FormatRow {
    fn new(format: Format, style: RowStyle) -> Self {
        let (can, lacks) = match format {
            Format::Games(games) | Format::Export(games) => {
                let of_games = Feature::ALL.iter().filter(|feature| feature.is_of_games());
                let held: Vec<Feature> = games.can.iter().collect();
                let of_games: Vec<Feature> = of_games.copied().collect();
                (games.can, Features::of(&of_games).without(&held))
            }
            Format::Book(book) => (book.can, Features::NONE),
            Format::Archive(_) => (Features::NONE, Features::NONE),
        };
        let cannot_hold = if style.has_cells() {
            let labels: Vec<&str> = lacks.iter().map(Feature::label).collect();
            FeatureNames::Labels(labels.join(", "))
        } else {
            FeatureNames::Keys(keys(lacks))
        };
        Self {
            format: Displayed(format.id()),
            name: format.name(),
            kind: match format.kind() {
                FormatKind::Games => "database",
                FormatKind::Book => "book",
                FormatKind::Archive => "archive",
            },
            extensions: format.extensions(),
            companions: format.companions().iter().map(companion).collect(),
            read: format.is_readable(),
            write: format.is_writable(),
            holds: keys(can),
            cannot_hold,
            evidence: match format.file().evidence {
                "" => "checked against real files",
                other => other,
            },
        }
    }
}

fn companion(companion: &Companion) -> CompanionRow {
    CompanionRow {
        extension: companion.extension,
        required: companion.required,
        holds: companion.holds,
    }
}

fn keys(features: Features) -> Vec<String> {
    features.iter().map(Feature::key).collect()
}
