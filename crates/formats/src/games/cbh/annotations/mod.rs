//! Annotations (`.cba`): the items of records, decoded and encoded.

mod decode;
mod encode;
mod items;
mod quotation;
mod training;

pub use decode::Decoder;
pub(crate) use decode::{common_fields, emit_shapes, start_clock, time_spent};
pub use encode::Encoder;
pub use items::{Item, Items, foreign, kind};
