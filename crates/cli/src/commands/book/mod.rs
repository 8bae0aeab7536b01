//! `tabia book`: opening books.

mod build;
mod build_record;
mod convert;
mod convert_to_lines;
mod diff;
mod edit;
mod explain;
mod find;
mod find_in_several;
mod fix;
mod info;
mod line;
mod merge;
mod novelty;
mod one_sided_books;
mod open_books;
mod report_written;
#[cfg(feature = "parquet")]
mod tables;
mod target_format;

use tabia::Error;

pub(crate) use report_written::Problems;

use crate::args::book::BookVerb;
use crate::exit_code::ExitCode;

pub(crate) fn run(verb: &BookVerb) -> Result<ExitCode, Error> {
    match verb {
        BookVerb::Info(args) => info::run(args),
        BookVerb::Find(args) => find::run(args),
        BookVerb::Line(args) => line::run(args),
        #[cfg(feature = "parquet")]
        BookVerb::Build(args) if tables::is_to_be_built(args) => tables::build(args),
        BookVerb::Build(args) => build::run(args),
        BookVerb::Merge(args) => merge::run(args),
        BookVerb::Convert(args) => convert::run(args),
        BookVerb::Diff(args) => diff::run(args),
        BookVerb::Fix(args) => fix::run(args),
        BookVerb::Edit(args) => edit::run(args),
        BookVerb::Explain(args) => explain::run(args),
        BookVerb::Novelty(args) => novelty::run(args),
        #[cfg(feature = "parquet")]
        BookVerb::FromParquet(args) => tables::from_parquet(args),
    }
}
