//! Words among paths that were probably meant to choose games.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use tabia::{Error, Query, Resolver};

use crate::typed_position::begins_with_move_number;

/// The error of an argument among several paths that was probably meant to choose games or a position:
/// `ls mega.cbh carlsen`, `ls mega.cbh 'elo:>=2700'`, `tree mega.cbh e4 e5`. The rows of the other paths would hide it.
pub(crate) fn misplaced_words(paths: &[OsString]) -> Option<Error> {
    let is_word = |path: &&OsString| {
        let path = Path::new(path);
        let text = path.to_string_lossy();
        let is_word = path.extension().is_none() || begins_with_move_number(&text);
        let is_name = is_word && path.components().count() == 1;
        let is_term = || text.contains(':') && Query::parse(&text).is_ok();
        let is_absent = std::fs::metadata(path).is_err_and(|error| {
            let why = error.kind();
            why == io::ErrorKind::NotFound || why == io::ErrorKind::InvalidFilename
        });
        is_absent && (is_name || is_term())
    };
    let word = paths.iter().find(is_word)?;
    if paths.len() < 2 {
        return None;
    }
    Resolver::default().resolve(word).err()
}
