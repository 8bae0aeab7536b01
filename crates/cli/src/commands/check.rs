//! `tabia check`: decodes everything, verifies all it can.

use tabia::check::{CheckOptions, Checked, check};
use tabia::{Failure, InputItem};

use crate::args::CheckArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::{Listing, Style};
use crate::report::Reporter;

const COLUMNS: &[&str] = &[
    "path",
    "format",
    "games",
    "texts",
    "deleted",
    "plies",
    "variations",
    "annotations",
    "positions",
    "problems",
];

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let mut reporter = Reporter::new(&context, "check", false, None)?;
    let numeric = COLUMNS.get(2..).unwrap_or_default();
    let mut listing = Listing::new(&args.listing, COLUMNS, numeric)?;
    let options = CheckOptions {
        open: context.open.clone(),
        threads: context.threads,
        strict: args.common.strict,
        deep: args.deep,
    };
    let display = context.display();
    let mut desk = ScanReporter {
        context: &context,
        options: &options,
        reporter: &mut reporter,
        listing: &mut listing,
    };
    let code = context.each(&args.paths, false, |item| match item {
        Ok(item) => desk.all(&item),
        Err(failure) => desk.failed(&failure),
    });
    drop(display);
    // The problem itself was told when it was found.
    let code = match code {
        Err(Failure::Strict(_)) => ExitCode::Problems,
        other => other?,
    };
    listing.finish()?;
    reporter.finish(None)?;
    Ok(code)
}

struct ScanReporter<'a> {
    context: &'a Context,
    options: &'a CheckOptions,
    reporter: &'a mut Reporter,
    listing: &'a mut Listing,
}

impl ScanReporter<'_> {
    fn failed(&mut self, failure: &Failure) -> Result<ExitCode, Failure> {
        self.reporter.failed_input(failure)?;
        Ok(ExitCode::Input)
    }

    /// An item, and for an archive what is in it.
    fn all(&mut self, item: &InputItem) -> Result<ExitCode, Failure> {
        let mut worst = self.one(item)?;
        let resolver = &self.context.resolver;
        let Ok(Some(archive)) = resolver.archive(item) else {
            return Ok(worst);
        };
        match resolver.members(&archive) {
            Ok(items) => {
                for item in items {
                    worst = worst.worse(self.one(&item)?);
                }
            }
            Err(error) => worst = self.failed(&Failure::Input(error))?,
        }
        Ok(worst)
    }

    fn one(&mut self, item: &InputItem) -> Result<ExitCode, Failure> {
        self.reporter.kept.clear();
        match check(item, self.options, &self.context.progress, self.reporter) {
            Ok(checked) => {
                let row = row(item, &checked, &self.reporter.kept, self.listing.style());
                self.listing.push(row)?;
                Ok(ExitCode::of_problems(checked.summary.problems))
            }
            Err(failure @ Failure::Input(_)) => self.failed(&failure),
            Err(other) => Err(other),
        }
    }
}

fn row(
    item: &InputItem,
    checked: &Checked,
    problems: &[Json],
    style: Style,
) -> Vec<(&'static str, Json)> {
    let mut row: Vec<(&'static str, Json)> = vec![
        ("path", item.name().into()),
        ("format", item.format().id().to_string().into()),
    ];
    let summary = &checked.summary;
    if item.format().book().is_some() {
        row.push(("positions", checked.positions.into()));
        row.push(("moves", checked.entries.into()));
    } else if !item.is_archive() {
        row.push(("games", summary.counts.games.into()));
        row.push(("texts", summary.counts.texts.into()));
        row.push(("deleted", checked.deleted.into()));
        row.push(("plies", checked.plies.into()));
        row.push(("variations", checked.variations.into()));
        let annotations = if style.has_cells() {
            let sum: u64 = checked.annotations.values().sum();
            sum.into()
        } else {
            let kinds = checked.annotations.iter().map(|(feature, count)| {
                Json::Object(vec![
                    ("kind", feature.key().into()),
                    ("count", (*count).into()),
                ])
            });
            Json::List(kinds.collect())
        };
        row.push(("annotations", annotations));
    }
    row.push(("problems", summary.problems.into()));
    if summary.problems > 0 {
        row.push(("problemList", Json::List(problems.to_vec())));
    }
    row
}
