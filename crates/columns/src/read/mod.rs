//! Parquet back to games: tables of our own, and those of others by the names of their columns.

mod cells;
mod column_roles;
mod file_checks;
mod parquet_database;
mod row_to_game;
mod rows_to_book;
mod table_file;
mod thrift;

pub use rows_to_book::{book_from_rows, is_book_rows};

use tabia::core::formats::{Confidence, FileFormat, GameFormat, Probe};
use tabia::core::loss::{Feature, Features};
use tabia::formats::Format;

/// Tables of games in Parquet, as a format that is read like any other.
pub static PARQUET: GameFormat = GameFormat {
    file: FileFormat {
        id: file_checks::ID,
        name: "Parquet table",
        extensions: &["parquet"],
        companions: &[],
        by_products: &[],
        score,
        evidence: "",
    },
    can: Features::of(&[
        Feature::Tags,
        Feature::TagText,
        Feature::SetupPositions,
        Feature::IllegalPositions,
        Feature::Chess960,
        Feature::NullMoves,
        Feature::Comments,
        Feature::Nags,
        Feature::Clocks,
        Feature::Evals,
        Feature::EvalDepths,
        Feature::SpecialResults,
        Feature::DeletionMarks,
        Feature::Moves,
        Feature::ChessGames,
    ]),
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: |source, options| {
        Ok(Box::new(parquet_database::ParquetDatabase::open(
            source, options,
        )?))
    },
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: None,
    edit: None,
};

/// The formats of this crate, for a [`Resolver`](tabia::Resolver).
pub fn formats() -> impl Iterator<Item = Format> {
    std::iter::once(Format::Games(&PARQUET))
}

/// A Parquet file begins with its magic number.
fn score(probe: &Probe<'_>) -> Confidence {
    if probe.head.starts_with(&file_checks::MAGIC) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}
