//! Names of files as texts that differ wherever the names do.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// The name as text, for comparisons: names that differ have texts that differ, also if they are not UTF-8. It is not
/// for people, who see each such byte as `�`.
///
/// ```
/// use tabia_core::io::name_text;
///
/// assert_eq!(name_text("Müller.pgn".as_ref()), "Müller.pgn");
/// # #[cfg(unix)]
/// # {
/// use std::ffi::OsStr;
/// use std::os::unix::ffi::OsStrExt;
///
/// let names = [&b"M\xfcller.pgn"[..], b"M\xf6ller.pgn"].map(OsStr::from_bytes);
/// assert_ne!(name_text(names[0]), name_text(names[1]));
/// # }
/// ```
pub fn name_text(name: &OsStr) -> Cow<'_, str> {
    if let Some(text) = name.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // No file name has NUL.
            let _ = write!(text, "\0{byte:02x}");
        }
    }
    Cow::Owned(text)
}
