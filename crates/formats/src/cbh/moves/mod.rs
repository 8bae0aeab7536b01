//! Move records (`.cbg`): start positions and the encodings of moves, both ways.

mod codes;
mod decode;
mod encode;
mod input;
mod quotation;
mod slots;
mod start;
mod tables;
#[cfg(test)]
mod tests;

pub use decode::{Decoder, Notes, Spot, Visited};
pub use encode::{Encoded, Encoder};
pub use input::MoveRecord;
pub use quotation::{
    decode_quoted_moves, decode_quoted_start, encode_quoted_moves, encode_quoted_start,
};
