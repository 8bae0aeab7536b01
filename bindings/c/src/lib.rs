//! C bindings of tabia. They only translate: everything is done by the crates `tabia` and `tabia-columns`.
//!
//! No panic crosses the border: it becomes an error of the kind `bug`.

mod arrow_stream;
mod book;
mod database;
mod error;
mod rows;
mod text;
mod write;

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tabia_rust::Error;

use crate::database::tabia_counts;
use crate::error::tabia_error;

/// The version of this interface: functions are only ever added to a version.
#[unsafe(no_mangle)]
pub extern "C" fn tabia_abi_version() -> u32 {
    1
}

/// What a pointer of the caller points to.
///
/// # Safety
/// `pointer` is null, or what it points to lives as long as the result.
unsafe fn pointee<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Error> {
    // SAFETY: the caller vouches for it.
    unsafe { pointer.as_ref() }.ok_or_else(|| is_null(name))
}

/// The error of an argument that must not be NULL.
fn is_null(name: &str) -> Error {
    Error::usage(format!("`{name}` is NULL"))
}

/// Runs `work`. An error or a panic is stored in `error`, if that is not null.
///
/// # Safety
/// `error` is null or can be written to.
unsafe fn guarded<T>(
    error: *mut *mut tabia_error,
    work: impl FnOnce() -> Result<T, tabia_error>,
) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(work));
    let failed = match result {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(failed)) => failed,
        Err(_) => tabia_error::bug(),
    };
    if !error.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { *error = Box::into_raw(Box::new(failed)) };
    }
    None
}

/// Converts a database to another format, which the extension of `target` names: `games.pgn`,
/// `mega.cbh`, `mega.si5`. `force` replaces an existing file. What was done is stored in `counts`, if that
/// is not NULL.
///
/// # Safety
/// The texts end with a zero byte; `counts` and `error` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_convert(
    source: *const c_char,
    target: *const c_char,
    force: bool,
    counts: *mut tabia_counts,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    let done = unsafe {
        guarded(error, || {
            let (source, target) = (text::read(source)?, text::read(target)?);
            Ok(database::convert(source.as_ref(), target.as_ref(), force)?)
        })
    };
    if let Some(done) = done
        && !counts.is_null()
    {
        // SAFETY: the caller vouches for it.
        unsafe { *counts = done };
    }
    done.is_some()
}
