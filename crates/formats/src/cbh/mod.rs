//! ChessBase databases (`.cbh` and its companions). The bytes are described in `FORMAT.md`.

pub mod annotations;
pub mod charset;
pub mod entities;
pub mod moves;
pub mod records;
pub mod values;
