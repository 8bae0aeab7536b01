//! Opening books.

use std::ffi::{c_char, c_void};
use std::ptr;

use tabia_rust::Error;
use tabia_rust::book::find::find;
use tabia_rust::book::position_arg::position_of;

use crate::error::tabia_error;
use crate::{guarded, is_null, pointee, text};

/// An opening book.
#[expect(non_camel_case_types, reason = "the name in C")]
pub struct tabia_book(Box<dyn tabia_rust::Book>);

/// A move of a book. Numbers that the book does not store are -1.
#[repr(C)]
pub struct tabia_book_move {
    /// The move in SAN.
    pub san: *const c_char,
    /// The move in UCI notation.
    pub uci: *const c_char,
    /// The stored weight.
    pub weight: i64,
    /// Games in which the move was played.
    pub games: i64,
    /// Games that White won.
    pub white: i64,
    /// Games that were drawn.
    pub draws: i64,
    /// Games that Black won.
    pub black: i64,
    /// Probability with which a program plays the move, 0 to 1.
    pub probability: f64,
}

/// Gets a move of a book, which is never NULL. `context` is what `tabia_book_find` got.
#[expect(non_camel_case_types, reason = "the name in C")]
pub type tabia_on_book_move =
    Option<unsafe extern "C" fn(context: *mut c_void, found: *const tabia_book_move)>;

/// Opens an opening book; NULL if it fails.
///
/// # Safety
/// `path` ends with a zero byte; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_book_open(
    path: *const c_char,
    error: *mut *mut tabia_error,
) -> *mut tabia_book {
    // SAFETY: the caller vouches for the pointers.
    let book = unsafe { guarded(error, || Ok(tabia_rust::open(text::read(path)?)?.book()?)) };
    book.map_or(ptr::null_mut(), |book| {
        Box::into_raw(Box::new(tabia_book(book)))
    })
}

/// Closes a book; NULL is ignored.
///
/// # Safety
/// `book` comes from `tabia_book_open` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_book_close(book: *mut tabia_book) {
    if !book.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller does not use it again.
        drop(unsafe { Box::from_raw(book) });
    }
}

/// Calls `visit` with each move of a position, heaviest first. `position` is a FEN, or moves from the
/// standard position as `1. e4 c5`. A position that is not in the book has no moves. It fails with
/// `TABIA_USAGE` if `book`, `position` or `visit` is NULL; `context` may be NULL.
///
/// # Safety
/// `book` is open or NULL, `position` ends with a zero byte or is NULL; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_book_find(
    book: *const tabia_book,
    position: *const c_char,
    visit: tabia_on_book_move,
    context: *mut c_void,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    let done = unsafe {
        guarded(error, || {
            let visit = visit.ok_or_else(|| is_null("visit"))?;
            let book = pointee(book, "book")?;
            let position = position_of(text::read(position)?).map_err(Error::usage)?;
            let found = find(&*book.0, &position)?;
            for found in found.into_iter().flat_map(|found| found.moves) {
                let (san, uci) = (text::write(&found.san), text::write(&found.uci));
                let count = |count: Option<u64>| count.map_or(-1, u64::cast_signed);
                let results = found.results;
                let found = tabia_book_move {
                    san: san.as_ptr(),
                    uci: uci.as_ptr(),
                    weight: found.weight.map_or(-1, i64::from),
                    games: count(found.games),
                    white: count(results.map(|results| results.white)),
                    draws: count(results.map(|results| results.draws)),
                    black: count(results.map(|results| results.black)),
                    probability: found.probability,
                };
                visit(context, &raw const found);
            }
            Ok(())
        })
    };
    done.is_some()
}
