//! Annotations (`.cba`): the items of records, decoded and encoded.

mod decode;
mod encode;
pub(crate) mod game_tags;
mod items;
mod quotation;
mod training;

pub use decode::Decoder;
pub(crate) use decode::{common_fields, emit_shapes, shape, time_spent};
pub use encode::Encoder;
pub(crate) use encode::{color_number, symbol_slots, time_spent_bytes};
pub use items::{Item, Items, foreign, kind};
