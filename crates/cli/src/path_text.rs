//! Paths in messages and rows.

use std::borrow::Cow;
use std::ffi::OsStr;

use tabia::core::io::name_text;

/// A path as everything that is printed has it. `Path::display` would replace bytes that are not UTF-8 by signs from
/// which the name cannot be found again.
pub(crate) trait PathText {
    /// The path with such bytes as `\xe9`.
    fn path_text(&self) -> Cow<'_, str>;
}

impl<P: AsRef<OsStr> + ?Sized> PathText for P {
    fn path_text(&self) -> Cow<'_, str> {
        name_text(self.as_ref())
    }
}
