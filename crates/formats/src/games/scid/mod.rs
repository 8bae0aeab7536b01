//! Databases of Scid: si3, si4, si5.
//!
//! A database is three files of one name: the index `.siN` with a fixed entry for every game, the
//! names `.snN`, and the games `.sgN`. `FORMAT.md` in this folder describes the bytes.
mod blob_encoder;
mod blob_finder;
mod blob_parts;
mod board;
mod comments;
mod database_impl;
mod disk_layout;
mod entry;
mod file_set;
pub(crate) mod home_pawns;
mod index_heads;
pub(crate) mod move_codes;
mod name_writer;
mod names;
mod open;
mod piece_lists;
mod read;
mod read_index_header;
mod record_encoder;
mod replay;
mod salvage;
mod stored_lines;
mod tag_writer;
mod version;
mod write;

use std::path::Path;

use tabia_core::GameFormat;
use tabia_core::error::Result;
use tabia_core::formats::FileFormat;
use tabia_core::formats::{Companion, Confidence, CreateOptions, OpenOptions, Probe, Profile};
use tabia_core::games::{Database, GameWriter};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Features};

use open::ScidDatabase;
use version::Version;
use write::ScidWriter;

/// Features of Scid 5.
const CAN: Features = Features::of(&[
    Feature::Moves,
    Feature::ChessGames,
    Feature::Tags,
    Feature::TagSpellings,
    Feature::TagText,
    Feature::HeaderFacts,
    Feature::DatabaseFacts,
    Feature::Characters,
    Feature::SetupPositions,
    Feature::Chess960,
    Feature::NullMoves,
    Feature::Variations,
    Feature::Comments,
    Feature::CommentPlacement,
    Feature::CommentText,
    Feature::Nags,
    Feature::Shapes,
    Feature::ShapeColors,
    Feature::Clocks,
    Feature::Evals,
    Feature::EvalDepths,
    Feature::DeletionMarks,
]);

/// Features that are written as commands in comments. Scid shows these as text, so they need the
/// profile `full`.
const COMMANDS: [Feature; 14] = [
    Feature::Medals,
    Feature::CriticalPositions,
    Feature::VariationColors,
    Feature::PawnStructures,
    Feature::PiecePaths,
    Feature::VideoTimes,
    Feature::TimeControls,
    Feature::EvalProfiles,
    Feature::Training,
    Feature::Quotations,
    Feature::WebLinks,
    Feature::Media,
    Feature::Foreign,
    Feature::UnreadMoves,
];

/// Features of Scid 3 and 4.
const CAN_OLD: Features = CAN.without(&[Feature::Chess960]);

const fn with_commands(can: Features, options: &CreateOptions) -> Features {
    if matches!(options.profile, Profile::Full) {
        can.with(&COMMANDS)
    } else {
        can
    }
}

/// Databases of Scid 3.
pub static SI3: GameFormat = GameFormat {
    file: FileFormat {
        id: Version::V3.id(),
        name: "Scid 3 database",
        extensions: &["si3"],
        companions: &[
            Companion {
                extension: "sg3",
                required: true,
                has_parts_of_games: true,
                holds: "games",
            },
            Companion {
                extension: "sn3",
                required: true,
                has_parts_of_games: true,
                holds: "names",
            },
        ],
        by_products: &[],
        score: |probe| score_header(probe, 300),
        evidence: "",
    },
    can: CAN_OLD,
    in_part: Features::NONE,
    can_with: Some(|options| with_commands(CAN_OLD, options)),
    copies_texts: false,
    media_folders: &[],
    open: |source, options| open(Version::V3, source, options),
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(|path, options| create(Version::V3, CAN_OLD, path, options))
    } else {
        None
    },
    edit: None,
};

/// Databases of Scid 4 and Scid vs. PC.
pub static SI4: GameFormat = GameFormat {
    file: FileFormat {
        id: Version::V4.id(),
        name: "Scid 4 database",
        extensions: &["si4"],
        companions: &[
            Companion {
                extension: "sg4",
                required: true,
                has_parts_of_games: true,
                holds: "games",
            },
            Companion {
                extension: "sn4",
                required: true,
                has_parts_of_games: true,
                holds: "names",
            },
        ],
        by_products: &[],
        score: |probe| score_header(probe, 400),
        evidence: "",
    },
    can: CAN_OLD,
    in_part: Features::NONE,
    can_with: Some(|options| with_commands(CAN_OLD, options)),
    copies_texts: false,
    media_folders: &[],
    open: |source, options| open(Version::V4, source, options),
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(|path, options| create(Version::V4, CAN_OLD, path, options))
    } else {
        None
    },
    edit: None,
};

/// Databases of Scid 5.
pub static SI5: GameFormat = GameFormat {
    file: FileFormat {
        id: Version::V5.id(),
        name: "Scid 5 database",
        extensions: &["si5"],
        companions: &[
            Companion {
                extension: "sg5",
                required: true,
                has_parts_of_games: true,
                holds: "games",
            },
            Companion {
                extension: "sn5",
                required: true,
                has_parts_of_games: true,
                holds: "names",
            },
        ],
        by_products: &[],
        score: score_bare,
        evidence: "",
    },
    can: CAN,
    in_part: Features::NONE,
    can_with: Some(|options| with_commands(CAN, options)),
    copies_texts: false,
    media_folders: &[],
    open: |source, options| open(Version::V5, source, options),
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: if cfg!(feature = "writers") {
        Some(|path, options| create(Version::V5, CAN, path, options))
    } else {
        None
    },
    edit: None,
};

fn open(version: Version, source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(ScidDatabase::open(version, source, options)?))
}

fn create(
    version: Version,
    can: Features,
    path: &Path,
    options: &CreateOptions,
) -> Result<Box<dyn GameWriter>> {
    options.is_utf8("a Scid database")?;
    let can = with_commands(can, options);
    Ok(Box::new(ScidWriter::create(version, can, path, options)?))
}

/// Recognises si3 and si4, which begin with a magic and the version.
fn score_header(probe: &Probe<'_>, version: u16) -> Confidence {
    let mut cursor = tabia_core::io::Cursor::new(probe.head);
    let magic = cursor.array("magic");
    if magic == Ok(disk_layout::MAGIC) && cursor.u16_be("version") == Ok(version) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// Recognises si5, which has no magic: its entries have a fixed size, and an empty file is an empty
/// database.
fn score_bare(probe: &Probe<'_>) -> Confidence {
    let Some(entry) = disk_layout::decode(Version::V5, probe.head) else {
        return by_name(probe, probe.head.is_empty());
    };
    let whole = probe
        .len
        .is_none_or(|length| length.is_multiple_of(Version::V5.entry_length() as u64));
    let plausible = entry.white_elo <= entry::MAX_ELO
        && entry.black_elo <= entry::MAX_ELO
        && entry.eco <= 65_500
        && entry.home_pawn_count <= 16
        && entry.stored_line < u8::MAX;
    if whole && plausible && probe.extension() == "si5" {
        Confidence::Likely
    } else {
        by_name(probe, plausible)
    }
}

fn by_name(probe: &Probe<'_>, possible: bool) -> Confidence {
    if possible && probe.extension() == "si5" {
        Confidence::ByName
    } else {
        Confidence::No
    }
}
