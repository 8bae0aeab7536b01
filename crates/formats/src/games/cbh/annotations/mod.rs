//! Annotations (`.cba`): the items of records, decoded and encoded.

mod decode;
mod encode;
pub(crate) mod game_tags;
mod items;
mod quotation;
mod shapes;
mod training;

pub use decode::Decoder;
pub(crate) use decode::{common_fields, time_spent};
pub use encode::Encoder;
pub(crate) use encode::{symbol_slots, time_spent_bytes};
pub use items::{Item, Items, foreign, kind};
pub(crate) use shapes::{emit_shapes, encode_shape, shape};
pub(crate) use training::{TrainingLists, read_training, write_training};
