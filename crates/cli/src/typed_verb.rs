//! The verb of the command line: no hint names the command that is running.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The verb of the command line, as `book build`: the process has one.
static VERB: OnceLock<String> = OnceLock::new();

/// Whether the command lists what is in a folder.
static LISTS_FOLDER: AtomicBool = AtomicBool::new(false);

/// Sets what [`typed_verb`] answers. `lists_folder`: the command is `info` of a folder, which no hint recommends then.
pub(crate) fn set_verb(verb: &str, lists_folder: bool) {
    let _ = VERB.set(verb.to_owned());
    LISTS_FOLDER.store(lists_folder, Ordering::Relaxed);
}

/// The verb of the command line, as `book build`; empty before it is known.
pub(crate) fn typed_verb() -> &'static str {
    VERB.get().map_or("", String::as_str)
}

/// Whether the command is `info` of a folder.
pub(crate) fn lists_folder() -> bool {
    LISTS_FOLDER.load(Ordering::Relaxed)
}
