//! Laws of reading and writing.
