//! Commands of the profile `full`, which store everything that PGN has no notation for.
//!
//! `[%cb… key=value …]` for annotations of ChessBase, `[%lang de]` for the language of a comment,
//! `[%tabia …]` for all else. Values are percent-encoded, foreign data is in base64.

pub(crate) mod percent_encoding;
mod read;
pub(super) mod tags;
mod write;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tabia_core::game::Language;

pub(super) use self::read::read;
pub(crate) use self::write::write;

/// The meaning of a command for the comment that contains it.
#[derive(Debug, PartialEq)]
pub(crate) enum ParsedCommand<'a> {
    /// The command is an annotation, which the sink got.
    Annotation,
    /// The language of the comment.
    Language(Language),
    /// The comment belongs before the next move.
    Before,
    /// The comment belongs before the last move, other annotations of which precede it.
    BeforeHere,
    /// The comment belongs after the last move.
    After,
    /// The parentheses are a variation, although there is no move in them.
    Variation,
    /// The offsets of the line breaks in the text of the comment.
    Lines(&'a str),
    /// The offsets of characters for which others are in the text, and their codes.
    Chars(&'a str),
    /// The blanks and line breaks before and after the text of the comment, percent-encoded, with a comma between.
    Ends(&'a str),
    /// The exact text of the comment, percent-encoded.
    Text(&'a str),
}

/// Base64, written with padding and read without it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);
