//! Names of files as texts that differ wherever the names do.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

/// The name of a file, or its path, as text from which the name can be found again: a byte that is not UTF-8 is `\x` and
/// its two hexadecimal digits. Where a name has such letters of its own, their `\` is `\x5c`, so that names that differ
/// have texts that differ. Names of Windows are Unicode and stay as they are.
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
/// assert_eq!(name_text(OsStr::from_bytes(b"M\xfcller.pgn")), r"M\xfcller.pgn");
/// assert_eq!(name_text(r"M\xfcller.pgn".as_ref()), r"M\x5cxfcller.pgn");
/// assert_eq!(name_text(r"a\b.pgn".as_ref()), r"a\b.pgn");
/// # }
/// ```
pub fn name_text(name: &OsStr) -> Cow<'_, str> {
    if let Some(text) = name.to_str()
        && (cfg!(windows) || !has_escaped_byte(text))
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        let mut parts = chunk.valid().split('\\');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            text.push_str(if begins_with_byte(part) {
                r"\x5c"
            } else {
                "\\"
            });
            text.push_str(part);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

/// The name that [`name_text`] has made such a text of; `None` if it has no byte as `\x` and two hexadecimal digits, so that
/// it is the name itself.
///
/// ```
/// use tabia_core::io::{name_of_text, name_text};
///
/// assert_eq!(name_of_text("Müller.pgn"), None);
/// # #[cfg(unix)]
/// # {
/// let name = name_of_text(r"M\xfcller.pgn").unwrap();
/// assert_eq!(name_text(&name), r"M\xfcller.pgn");
/// # }
/// ```
pub fn name_of_text(text: &str) -> Option<OsString> {
    #[cfg(unix)]
    if has_escaped_byte(text) {
        use std::os::unix::ffi::OsStringExt;

        let mut parts = text.split('\\');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let byte = part.get(1..3).filter(|_| begins_with_byte(part));
            if let Some(byte) = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                bytes.push(byte);
                bytes.extend_from_slice(part.get(3..).unwrap_or_default().as_bytes());
            } else {
                bytes.push(b'\\');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
        return Some(OsString::from_vec(bytes));
    }
    let _ = text;
    None
}

/// Whether a text has a byte as [`name_text`] writes it: `\x` and two hexadecimal digits.
pub(crate) fn has_escaped_byte(text: &str) -> bool {
    text.split('\\').skip(1).any(begins_with_byte)
}

/// Whether a text begins as the byte that `\` was before.
pub(crate) fn begins_with_byte(text: &str) -> bool {
    match text.as_bytes() {
        [b'x', high, low, ..] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}
