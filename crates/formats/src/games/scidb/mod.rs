//! Databases of Scidb: sci.
//!
//! A database is three files of one name: the index `.sci` with a fixed entry for every game, the
//! names `.scn`, and the games `.scg`. `FORMAT.md` in this folder describes the bytes.
mod blob_finder;
mod board;
mod code_tables;
mod entry;
mod file_set;
mod format_identity;
mod index_header;
mod legacy_entries;
mod mainline_squares;
mod name_writer;
mod names;
mod other_variant_records;
mod read;
mod read_tags;
mod record_body;
mod record_body_encoder;
mod replay;
mod salvage;
mod shapes_clocks_and_evals;
mod tag_fields;
mod text;
mod write;

use std::path::Path;

use tabia_core::error::Result;
use tabia_core::formats::{
    Companion, Confidence, CreateOptions, FileFormat, GameFormat, OpenOptions, Probe,
};
use tabia_core::games::{Database, GameWriter};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Features};

use format_identity::{ID, MAGIC};
use read::ScidbDatabase;
use write::ScidbWriter;

/// Features of Scidb.
const CAN: Features = Features::of(&[
    Feature::Moves,
    Feature::ChessGames,
    Feature::Tags,
    Feature::TagSpellings,
    Feature::TagText,
    Feature::HeaderFacts,
    Feature::Characters,
    Feature::SetupPositions,
    Feature::Chess960,
    Feature::NullMoves,
    Feature::Variations,
    Feature::Comments,
    Feature::CommentPlacement,
    Feature::Languages,
    Feature::CommentText,
    Feature::Nags,
    Feature::Shapes,
    Feature::ShapeColors,
    Feature::Clocks,
    Feature::Evals,
    Feature::EvalDepths,
    Feature::SpecialResults,
    Feature::DeletionMarks,
    Feature::Foreign,
]);

/// Databases of Scidb.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "Scidb database",
        extensions: &["sci"],
        companions: &[
            Companion {
                extension: "scg",
                required: true,
                has_parts_of_games: true,
                holds: "games",
            },
            Companion {
                extension: "scn",
                required: true,
                has_parts_of_games: true,
                holds: "names",
            },
        ],
        by_products: &[],
        score,
        evidence: "",
    },
    can: CAN,
    in_part: Features::NONE,
    can_with: Some(features_with),
    copies_texts: false,
    media_folders: &[],
    open,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(create)
    } else {
        None
    },
    edit: None,
};

fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(ScidbDatabase::open(source, options)?))
}

fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    options.is_utf8("a Scidb database")?;
    Ok(Box::new(ScidbWriter::create(path, options)?))
}

/// The features of a new database. One of another variant has raw records and no games of chess.
fn features_with(options: &CreateOptions) -> Features {
    if other_variant_records::has_chess_moves(write::variant(options)) {
        CAN
    } else {
        CAN.with(&[Feature::UnreadMoves])
            .without(&[Feature::ChessGames])
    }
}

fn score(probe: &Probe<'_>) -> Confidence {
    if probe.head.starts_with(&MAGIC) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}
