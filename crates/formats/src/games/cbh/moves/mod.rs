//! Move records (`.cbg`): start positions and the encodings of moves, both ways.

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

pub use decode::{Decoder, Notes, Spot, Visited};
pub use encode::{Encoded, Encoder};
pub use move_reader::MoveRecord;
pub use quotation::{
    decode_quoted_moves, decode_quoted_start, encode_quoted_moves, encode_quoted_start,
};
