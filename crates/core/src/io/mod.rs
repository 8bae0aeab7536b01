//! Bytes in and out: files and sets of files, cursors, texts, atomic outputs, progress.

mod blob;
mod charset;
mod cursor;
mod disk;
pub mod failure_injection;
mod field_writer;
mod file_with_companions;
mod fingerprint;
mod folder_with_journals_applied;
mod huge_table;
mod input_file;
mod journal;
mod journal_seal_key;
mod lock;
mod lost_file_signals;
mod output;
mod private_names;
mod progress;
mod stale_files;
mod unnamed_temporary_file;

pub use blob::Blob;
pub use charset::{Charset, decode, encode};
pub use cursor::Cursor;
pub use disk::{DiskFile, list_folder};
pub use field_writer::Sink;
pub use file_with_companions::{Source, SourceFile};
pub use folder_with_journals_applied::{JournaledFolder, UnprovenJournal};
pub use huge_table::HugeTable;
pub use input_file::InputFile;
pub use lock::{FolderLock, SetLock, existing_path};
pub use lost_file_signals::handle_lost_files;
pub use output::{Output, OutputSet};
pub use private_names::is_private_name;
pub use progress::{Progress, ProgressUnit};
pub use unnamed_temporary_file::TemporaryFile;
