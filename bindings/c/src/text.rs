//! Text between Rust and C.

use std::ffi::{CStr, CString, c_char};

use tabia_rust::Error;

/// A text of the caller.
///
/// # Safety
/// `text` is null or ends with a zero byte, and lives as long as the result.
pub(crate) unsafe fn read<'a>(text: *const c_char) -> Result<&'a str, Error> {
    if text.is_null() {
        return Err(Error::usage("a text is NULL"));
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Error::usage("a text is not UTF-8"))
}

/// A text of the caller, or `None` for null.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn read_optional<'a>(text: *const c_char) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller vouches for it.
    unsafe { read(text) }.map(Some)
}

/// A text for the caller; zero bytes inside become `U+FFFD`.
pub(crate) fn write(text: &str) -> CString {
    CString::new(text)
        .or_else(|_| CString::new(text.replace('\0', "\u{fffd}")))
        .unwrap_or_default()
}
