//! Portable Game Notation: see `FORMAT.md` in this folder.
//!
//! | module | contains |
//! |---|---|
//! | `index` | random access to the games of a file |
//! | `blocks`, `encoding` | streams and blocks of games, and their character sets |
//! | `read` | the reader: games to visitor calls |
//! | `event_boundary`, `text_cursor` | cutting a text into parts, and the position in it |
//! | `torn_games` | the next game where the end of one is lost |
//! | `tag_parser`, `tag_names`, `irregular_tags`, `looks_like_movetext`, `comment_parser`, `command_parser`, `nag_symbols`, `char_class`, `non_ascii_tokens` | the tokens |
//! | `movetext_skipper`, `regular_movetext`, `result_tokens` | skipping movetext that is not read, to its result |
//! | `national_move_to_english`, `letter_detection` | piece letters of other languages than English |
//! | `write`, `file_writer` | the writer: visitor calls to text |
//! | `tag_order`, `result_tag` | the order of tags, and the meaning of `Result` |
//! | `tag_writer`, `tag_plan`, `pending_annotations`, `wrap` | parts of the text |
//! | `profile_features`, `full_profile`, `eval_evp_and_tqu_commands`, `shape_colors` | features, tags and commands of the profiles |

#[cfg(test)]
mod ambiguous_moves_and_piece_letters_tests;
mod blocks;
mod char_class;
mod chessbase_tags;
pub(crate) mod command_parser;
mod comment_parser;
mod encoding;
mod eval_evp_and_tqu_commands;
mod event_boundary;
mod file_writer;
pub(crate) mod full_profile;
mod index;
mod irregular_tags;
mod letter_detection;
mod looks_like_movetext;
mod movetext_skipper;
mod nag_symbols;
mod national_move_to_english;
mod non_ascii_tokens;
mod pending_annotations;
mod profile_features;
#[cfg(test)]
mod property_tests;
mod read;
mod regular_movetext;
mod repeated_tags;
mod result_tag;
mod result_tokens;
pub(crate) mod shape_colors;
mod tag_names;
mod tag_order;
mod tag_parser;
mod tag_plan;
mod tag_writer;
mod text_cursor;
#[cfg(test)]
mod tolerance_tests;
mod torn_games;
mod wrap;
mod write;

pub(in crate::games) use write::texts_outside;

use tabia_core::formats::{Confidence, FileFormat, FormatId, GameFormat, Probe, Profile};

const ID: FormatId = FormatId::new("pgn");

/// Portable Game Notation.
pub static FORMAT: GameFormat = GameFormat {
    file: FileFormat {
        id: ID,
        name: "Portable Game Notation",
        extensions: &["pgn"],
        companions: &[],
        by_products: &[],
        score,
        evidence: "",
    },
    can: profile_features::features(Profile::Full),
    in_part: tabia_core::loss::Features::NONE,
    can_with: Some(profile_features::features_with),
    copies_texts: false,
    media_folders: &[],
    open: |source, options| Ok(Box::new(index::PgnDatabase::open(source, options)?)),
    open_stream: Some(|input, options| {
        let blocks = blocks::PgnBlocks::open(input, options)?;
        Ok(Box::new(blocks::PgnStream::new(blocks)))
    }),
    open_blocks: Some(|input, options| Ok(Box::new(blocks::PgnBlocks::open(input, options)?))),
    create_text: Some(|options| Ok(Box::new(write::Writer::new(options)))),
    create: if cfg!(feature = "writers") {
        Some(|path, options| Ok(Box::new(file_writer::PgnFileWriter::create(path, options)?)))
    } else {
        None
    },
    edit: None,
};

/// How certainly a file is PGN: by its extension, a tag pair, or a first move.
fn score(probe: &Probe<'_>) -> Confidence {
    let named = FORMAT.file.extensions.contains(&probe.extension().as_str());
    let text: Vec<u8>;
    let mut head = probe.head;
    if let Some(encoding) = encoding::utf16(head) {
        text = encoding
            .decode_with_bom_removal(head)
            .0
            .into_owned()
            .into_bytes();
        head = &text;
    }
    // A text can contain a NUL, as other bytes that no program shows, but it does not begin with one.
    let has_nul = memchr::memchr(0, head).is_some();
    let head = head.strip_prefix(char_class::BOM).unwrap_or(head);
    if crate::games::bpgn::is_bughouse(head) || crate::games::bpgn::is_named_bughouse(probe) {
        return Confidence::No;
    }
    let mut lines = head
        .split(|&byte| char_class::is_newline(byte))
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && !line.starts_with(b"%"));
    let tag = |line: &[u8]| line.starts_with(b"[") && tag_parser::is_tag(line, 0);
    if lines.clone().next().is_some_and(tag) {
        return Confidence::Certain;
    }
    if has_nul {
        return Confidence::No;
    }
    let has_tag = lines.any(tag);
    match (named, has_tag) {
        (true, true) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (true, false) => Confidence::ByName,
        (false, false) if begins_with_moves(head) => Confidence::Likely,
        (false, false) => Confidence::No,
    }
}

/// Whether a text begins with `1.` and a move that is legal in the standard position.
fn begins_with_moves(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let dot = [b"1. ".as_slice(), b"1."]
        .iter()
        .find_map(|number| head.strip_prefix(*number));
    dot.is_some_and(|rest| {
        let end = char_class::symbol_end(rest, 0);
        let token = rest.get(..end).unwrap_or_default();
        tabia_core::chess::san::read(&tabia_core::chess::Position::standard(), token).is_ok()
    })
}
