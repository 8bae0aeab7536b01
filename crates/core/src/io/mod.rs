//! Bytes in and out: files and sets of files, cursors, texts, atomic outputs, progress.

mod blob;
mod charset;
mod cursor;
mod disk;
pub mod failure_injection;
mod fingerprint;
mod huge_table;
mod input_file;
mod journal;
mod journaled_folder;
mod lock;
mod output;
mod private_names;
mod progress;
mod signals;
mod sink;
mod source;
mod stale_files;
mod temporary_file;
mod user_key;

pub use blob::Blob;
pub use charset::{Charset, decode, encode};
pub use cursor::Cursor;
pub use disk::{DiskFile, list_folder};
pub use huge_table::HugeTable;
pub use input_file::InputFile;
pub use journaled_folder::{JournaledFolder, UnprovenJournal};
pub use lock::{FolderLock, SetLock};
pub use output::{Output, OutputSet};
pub use private_names::is_private_name;
pub use progress::{Progress, ProgressUnit};
pub use signals::handle_lost_files;
pub use sink::Sink;
pub use source::{Source, SourceFile};
pub use temporary_file::TemporaryFile;
