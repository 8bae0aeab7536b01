//! Move records (`.cbg`): start positions and the encodings of moves, decoded and encoded.

mod compact_codes;
mod decode;
mod encode;
mod move_reader;
mod piece_numbers;
mod quotation;
mod start_position;
mod substitution;
#[cfg(test)]
mod tests;

pub use decode::{AnnotationAnchor, AnnotationSource, Decoder, NoAnnotations, Visited};
pub use encode::{Encoded, Encoder};
pub(crate) use encode::{is_chess960, storable_part};
pub(super) use move_reader::begins_in_standard_position;
pub use move_reader::{MoveRecord, stored_plies};
pub use quotation::{
    decode_quoted_moves, decode_quoted_start, encode_quoted_moves, encode_quoted_start,
};
