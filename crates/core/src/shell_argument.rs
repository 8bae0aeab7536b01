//! File names in commands that messages recommend.

use std::borrow::Cow;

/// `text` as one argument of a shell: unchanged if it consists of letters, digits and a few signs that
/// no shell treats specially, else in quotes (single ones, on Windows double ones).
///
/// ```
/// # #[cfg(not(windows))]
/// # {
/// use tabia_core::shell_argument::argument;
///
/// assert_eq!(argument("mega.cbh"), "mega.cbh");
/// assert_eq!(argument("my games.pgn"), "'my games.pgn'");
/// assert_eq!(argument("Tal's.pgn"), r"'Tal'\''s.pgn'");
/// # }
/// ```
pub fn argument(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=.,:/@%".contains(c);
    let is_separator = |c: char| cfg!(windows) && c == '\\';
    if !text.is_empty() && text.chars().all(|c| is_plain(c) || is_separator(c)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(if cfg!(windows) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    })
}
