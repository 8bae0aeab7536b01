//! Bytes in and out: files and sets of files, cursors, texts, atomic outputs, progress.

mod blob;
mod cursor;
mod journal;
mod leftovers;
mod output;
mod progress;
mod room;
mod sink;
mod source;
mod text;
pub mod trial;

pub use blob::Blob;
pub use cursor::Cursor;
pub use output::{Output, OutputSet, scratch_file};
pub use progress::Progress;
pub use room::Room;
pub use sink::Sink;
pub use source::{Source, SourceFile};
pub use text::{Charset, decode, encode};
