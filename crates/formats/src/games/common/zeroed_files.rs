//! Files of a set whose end was overwritten with zeros, as an interrupted copy or a power failure leaves it: they have
//! their length, so that nothing seems to be missing. What is tried first is the last record of a file.

use tabia_core::games::BlankEntries;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

/// Bytes that must be left of a record: fewer zeros may be its own, such as the first bytes of a length.
const LEAST_ZEROS: usize = 8;

/// Whether `length` bytes of a file, or those that are left of them, have only zeros; `false` beyond its end, and if so
/// few are left that the file may only have been cut off. Nothing else of the file is read.
pub(crate) fn has_only_zeros(file: &Blob, at: u64, length: u64) -> bool {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let bytes = usize::try_from(at).ok();
    let bytes = bytes.and_then(|at| file.at_most(at, length));
    let least = length.clamp(1, LEAST_ZEROS);
    bytes.is_some_and(|bytes| bytes.len() >= least && BlankEntries::is_blank(bytes))
}

/// The problem of a file of moves; `None` for no game.
pub(crate) fn zeroed_games(count: u32) -> Option<String> {
    zeroed("the moves of", count)
}

/// The problem of a file in which something of games is lost; `None` for no game.
pub(crate) fn zeroed(what: &str, count: u32) -> Option<String> {
    let count = (count > 0).then(|| counted(count, "game", "games"))?;
    Some(format!(
        "zeros were written over its end, which no program does: {what} {count} are lost"
    ))
}

/// The problem of a file of names.
pub(crate) fn zeroed_names(count: usize) -> String {
    let count = counted(count, "name has", "names have");
    format!(
        "zeros were written over its end, which no program does: {count} no characters or zero bytes"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_cut_off_has_no_zeros_written_over_it() {
        let file = Blob::from([&[7; 4][..], &[0; 12]].concat());
        for (at, length, expected) in [
            (4, 4, true),
            (4, 12, true),
            // What is left of a longer record.
            (4, 100, true),
            (8, 100, true),
            (9, 100, false),
            (13, 4, false),
            (12, 4, true),
            (2, 4, false),
            (16, 4, false),
            (4, 0, false),
        ] {
            assert_eq!(has_only_zeros(&file, at, length), expected, "{at} {length}");
        }
    }

    #[test]
    fn the_moves_of_one_game_are_lost() {
        assert_eq!(zeroed_games(0), None);
        for (count, end) in [
            (1, "the moves of 1 game are lost"),
            (2, "the moves of 2 games are lost"),
        ] {
            assert!(zeroed_games(count).is_some_and(|text| text.ends_with(end)));
        }
    }
}
