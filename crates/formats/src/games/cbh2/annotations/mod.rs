//! Annotations (`.2cba`): blocks of them for each annotated move, in PGN order. Their lengths are not
//! stored, so that an annotation of an unknown kind ends the readable part.

mod data_lengths;
mod decode;
mod encode;
mod encoder;
pub(super) mod game_annotations;
mod quotation;
mod training;

pub(super) use self::encoder::Encoder;
use crate::games::cbh::charset::TextForm;

/// The move number after the last block.
pub(super) const END: i32 = i32::MAX;

/// Kinds of foreign data that are not kinds of annotations.
pub(super) mod foreign {
    /// With the kind of the annotation before it: all its bytes, some of which have no known meaning.
    pub(crate) const EXACT: u16 = 0x0100;
    /// The first four bytes of the comment before it: an unknown word, a language without a name.
    pub(crate) const COMMENT_HEAD: u16 = 0x7004;
    /// The medals of the header if they differ from those of the annotations.
    pub(crate) const HEADER_MEDALS: u16 = 0x7001;
    /// The rest of the annotations, from one of an unknown kind on.
    pub(crate) const REST: u16 = 0x7002;
    /// The content of a text's record that has another layout.
    pub(crate) const BODY: u16 = 0x7003;
}

/// Languages of comments and texts: number, code, nation.
pub(super) const LANGUAGES: [(u16, [u8; 2], u8); 9] = [
    (0, *b"en", 42),
    (1, *b"de", 53),
    (2, *b"fr", 49),
    (3, *b"es", 43),
    (4, *b"it", 70),
    (5, *b"nl", 103),
    (6, *b"pt", 117),
    (12, *b"pl", 116),
    (18, *b"el", 55),
];

/// The language number of texts for all languages.
pub(super) const ANY_LANGUAGE: u16 = 7;

/// The form in which texts are written.
pub(super) const FORM: TextForm = TextForm {
    diagram: "\u{e005}".as_bytes(),
    ..TextForm::UTF8
};
