//! C bindings of tabia. They only translate: everything is done by the crates `tabia` and `tabia-columns`.
//!
//! No panic crosses the border: it becomes an error of the kind `bug`.

mod arrow_stream;
mod book;
mod convert;
mod database;
mod error;
mod report;
mod rows;
mod text;
mod write;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tabia_rust::Error;

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
