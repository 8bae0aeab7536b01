//! File names in commands that messages recommend.

use std::borrow::Cow;

use crate::io::{begins_with_byte, has_escaped_byte};

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

/// The name of a file as one argument of a command: as [`argument`], with `./` before a name that would be taken for an
/// option. A byte of [`name_text`](crate::io::name_text) is what shells know as `$'\xe9'`.
///
/// ```
/// # #[cfg(not(windows))]
/// # {
/// use tabia_core::shell_argument::file_argument;
///
/// assert_eq!(file_argument("-rf.pgn"), "./-rf.pgn");
/// assert_eq!(file_argument("-"), "-");
/// assert_eq!(file_argument(r"Tal's\o \xe9.pgn"), r"$'Tal\'s\\o \xe9.pgn'");
/// # }
/// ```
pub fn file_argument(name: &str) -> Cow<'_, str> {
    if name.starts_with('-') && name != "-" {
        return Cow::Owned(file_argument(&format!("./{name}")).into_owned());
    }
    if !cfg!(windows) && has_escaped_byte(name) {
        let mut quoted = String::from("$'");
        for (i, part) in name.split('\\').enumerate() {
            quoted.push_str(match i {
                0 => "",
                _ if begins_with_byte(part) => r"\",
                _ => r"\\",
            });
            quoted.push_str(&part.replace('\'', r"\'"));
        }
        return Cow::Owned(quoted + "'");
    }
    argument(name)
}
