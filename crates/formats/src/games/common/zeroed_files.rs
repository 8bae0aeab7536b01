//! Files of a set whose end was overwritten with zeros, as an interrupted copy or a power failure leaves it: they have
//! their length, so that nothing seems to be missing. What is tried first is the last record of a file.

use tabia_core::games::BlankEntries;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

/// Whether `length` bytes of a file, or those that are left of them, have only zeros; `false` beyond its end. Nothing else
/// of the file is read.
pub(crate) fn has_only_zeros(file: &Blob, at: u64, length: u64) -> bool {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let bytes = usize::try_from(at).ok();
    let bytes = bytes.and_then(|at| file.at_most(at, length));
    bytes.is_some_and(|bytes| !bytes.is_empty() && BlankEntries::is_blank(bytes))
}

/// The problem of a file of moves; `None` for no game.
pub(crate) fn zeroed_games(count: u32) -> Option<String> {
    zeroed("the moves of", count)
}

/// The problem of a file in which something of games is lost; `None` for no game.
pub(crate) fn zeroed(what: &str, count: u32) -> Option<String> {
    let are = if count == 1 { "is" } else { "are" };
    let count = (count > 0).then(|| counted(count, "game", "games"))?;
    Some(format!(
        "zeros were written over its end, which no program does: {what} {count} {are} lost"
    ))
}

/// The problem of a file of names.
pub(crate) fn zeroed_names(count: usize) -> String {
    let count = counted(count, "name has", "names have");
    format!(
        "zeros were written over its end, which no program does: {count} no characters or zero bytes"
    )
}
