//! Errors as handles.

use std::ffi::{CString, c_char};
use std::ptr;

use tabia_rust::{Error, ErrorKind, ErrorSide};

use crate::text;

/// Why a function failed.
#[expect(non_camel_case_types, reason = "the name in C")]
pub struct tabia_error {
    kind: tabia_error_kind,
    text: CString,
    path: Option<CString>,
    game: u32,
    offset: i64,
}

/// The kinds of errors.
#[expect(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy)]
pub enum tabia_error_kind {
    /// The call cannot be carried out as it is.
    TABIA_USAGE = 1,
    /// There is no such file.
    TABIA_NOT_FOUND = 2,
    /// The input cannot be read as what it is.
    TABIA_DAMAGED = 3,
    /// Nothing here reads or writes this.
    TABIA_UNSUPPORTED = 4,
    /// The system refused something.
    TABIA_IO = 5,
    /// The target exists.
    TABIA_EXISTS = 6,
    /// A defect of tabia.
    TABIA_BUG = 7,
}

impl tabia_error {
    /// A panic.
    pub(crate) fn bug() -> Self {
        Self {
            kind: tabia_error_kind::TABIA_BUG,
            text: text::write("this is a defect of tabia: please report it"),
            path: None,
            game: 0,
            offset: -1,
        }
    }
}

impl From<Error> for tabia_error {
    fn from(error: Error) -> Self {
        let kind = match (error.kind(), error.side()) {
            (_, ErrorSide::Usage) => tabia_error_kind::TABIA_USAGE,
            (ErrorKind::Io(io), _) if io.kind() == std::io::ErrorKind::NotFound => {
                tabia_error_kind::TABIA_NOT_FOUND
            }
            (ErrorKind::MissingFile(_), _) => tabia_error_kind::TABIA_NOT_FOUND,
            (ErrorKind::Io(_) | ErrorKind::TemporaryFile(_) | ErrorKind::LostFile, _) => {
                tabia_error_kind::TABIA_IO
            }
            (ErrorKind::Unsupported(_) | ErrorKind::UnknownFormat { .. }, _) => {
                tabia_error_kind::TABIA_UNSUPPORTED
            }
            (ErrorKind::Exists, _) => tabia_error_kind::TABIA_EXISTS,
            _ => tabia_error_kind::TABIA_DAMAGED,
        };
        let at = error.location();
        Self {
            kind,
            text: text::write(&error.to_string()),
            path: at
                .file
                .as_ref()
                .map(|file| text::write(&file.display().to_string())),
            game: at.game.map_or(0, |game| game.0.saturating_add(1)),
            offset: at
                .offset
                .and_then(|offset| offset.try_into().ok())
                .unwrap_or(-1),
        }
    }
}

/// What kind of error it is; `TABIA_USAGE` for NULL.
///
/// # Safety
/// `error` was stored by a function of this library and not freed, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_kind_of(error: *const tabia_error) -> tabia_error_kind {
    // SAFETY: the caller vouches for it.
    let error = unsafe { error.as_ref() };
    error.map_or(tabia_error_kind::TABIA_USAGE, |error| error.kind)
}

/// The error in words; it begins with the file, game and offset as far as they are known. Empty for NULL.
///
/// # Safety
/// As [`tabia_error_kind_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_text(error: *const tabia_error) -> *const c_char {
    // SAFETY: the caller vouches for it.
    let error = unsafe { error.as_ref() };
    error.map_or(c"".as_ptr(), |error| error.text.as_ptr())
}

/// The file with the error; NULL if it is of none, and for NULL.
///
/// # Safety
/// As [`tabia_error_kind_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_path(error: *const tabia_error) -> *const c_char {
    // SAFETY: the caller vouches for it.
    let error = unsafe { error.as_ref() };
    let path = error.and_then(|error| error.path.as_ref());
    path.map_or(ptr::null(), |path| path.as_ptr())
}

/// The number of the game with the error, from 1; 0 if it is of none, and for NULL.
///
/// # Safety
/// As [`tabia_error_kind_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_game(error: *const tabia_error) -> u32 {
    // SAFETY: the caller vouches for it.
    let error = unsafe { error.as_ref() };
    error.map_or(0, |error| error.game)
}

/// The offset of the error in its file, in bytes; -1 if unknown, and for NULL.
///
/// # Safety
/// As [`tabia_error_kind_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_offset(error: *const tabia_error) -> i64 {
    // SAFETY: the caller vouches for it.
    let error = unsafe { error.as_ref() };
    error.map_or(-1, |error| error.offset)
}

/// Frees an error; NULL is ignored.
///
/// # Safety
/// As [`tabia_error_kind_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_error_free(error: *mut tabia_error) {
    if !error.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller does not use it again.
        drop(unsafe { Box::from_raw(error) });
    }
}
