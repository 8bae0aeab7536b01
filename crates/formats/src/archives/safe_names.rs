//! Names of members that are safe as names of files.

use std::path::PathBuf;

use tabia_core::io::is_private_name;
use tabia_core::{Error, Result};

/// The longest part of a name that file systems accept, in bytes.
const MAX_PART: usize = 255;

/// The longest name, in bytes. The path of the target folder comes on top.
const MAX_NAME: usize = 2048;

/// The path of a member with that name, relative to a target folder. Both `/` and `\` separate
/// folders.
///
/// # Errors
/// Names that leave the folder or have a special meaning on some system or for this program: absolute
/// paths, `..`, colons (drive letters), control characters, characters that change the direction of text,
/// dots and blanks at the end of a part, names of devices, names of this program's journals, locks and
/// temporary files, empty names, and names longer than file systems accept.
pub fn safe_name(name: &str) -> Result<PathBuf> {
    let mut path = PathBuf::new();
    if name.starts_with(['/', '\\']) {
        return Err(refused(name, "is absolute"));
    }
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => continue,
            ".." => return Err(refused(name, "leads out of the folder")),
            _ => {}
        }
        if part.contains(':') || part.chars().any(char::is_control) {
            return Err(refused(name, "contains a colon or a control character"));
        }
        if part.chars().any(misleads) {
            let why = "contains a character that changes the order in which it is shown";
            return Err(refused(name, why));
        }
        if part.ends_with(['.', ' ']) {
            return Err(refused(
                name,
                "ends in a dot or a blank, which some systems drop",
            ));
        }
        if is_private_name(part) {
            return Err(refused(name, "is one that tabia gives to files of its own"));
        }
        if part.len() > MAX_PART {
            return Err(refused(name, "is too long"));
        }
        if is_device_name(part) {
            return Err(refused(name, "is the name of a device on some systems"));
        }
        path.push(part);
    }
    if path.as_os_str().len() > MAX_NAME {
        return Err(refused(name, "is too long"));
    }
    if path.as_os_str().is_empty() {
        return Err(refused(name, "is empty"));
    }
    Ok(path)
}

/// Whether a character changes the order of the characters around it, or breaks the line.
fn misleads(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A hidden file in an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenFile {
    /// The remarks of an operating system on a folder: they are packed without being asked for.
    SystemMetadata,
    /// Any other.
    Other,
}

/// Whether a name is that of a hidden file: it or one of its folders begins with a dot.
pub(super) fn hidden_file(name: &str) -> Option<HiddenFile> {
    let mut parts = name.split(['/', '\\']);
    let is_metadata =
        |part: &str| part == "__MACOSX" || part == ".DS_Store" || part.starts_with("._");
    if parts.clone().any(is_metadata) {
        return Some(HiddenFile::SystemMetadata);
    }
    let is_hidden = |part: &str| part.starts_with('.') && part != "." && part != "..";
    parts.any(is_hidden).then_some(HiddenFile::Other)
}

/// Whether a name is that of a hidden file: it or one of its folders begins with a dot, or is a remark of
/// macOS (`__MACOSX`).
pub fn is_hidden_name(name: &str) -> bool {
    hidden_file(name).is_some()
}

fn refused(name: &str, why: &str) -> Error {
    let shown: String = name.chars().take(200).collect();
    Error::invalid(format!("the member name `{}` {why}", shown.escape_debug()))
}

/// Whether a file name is that of a device on Windows, whatever its extension: `CON`, `nul.pgn`, `com1`.
pub fn is_device_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    let lower = stem.to_ascii_lowercase();
    match lower.as_str() {
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" => true,
        _ => {
            let digit = lower
                .strip_prefix("com")
                .or_else(|| lower.strip_prefix("lpt"));
            let mut digit = digit.unwrap_or_default().chars();
            matches!(
                (digit.next(), digit.next()),
                (Some('1'..='9' | '¹' | '²' | '³'), None)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn unsafe_names_are_refused() {
        assert_eq!(
            safe_name("a.html/b.gif").unwrap(),
            Path::new("a.html/b.gif")
        );
        assert_eq!(
            safe_name("a.html\\b.gif").unwrap(),
            Path::new("a.html/b.gif")
        );
        assert_eq!(
            safe_name("./Müller & Co..cbh").unwrap(),
            Path::new("Müller & Co..cbh")
        );
        assert!(safe_name(&"a".repeat(255)).is_ok());
        let long = "b/".repeat(1100) + "c";
        for name in [
            &"a".repeat(256),
            &long,
            "",
            ".",
            "/",
            "/etc/passwd",
            "\\\\host\\x",
            "../a",
            "a/../../b",
            "a\\..\\b",
            "C:\\a",
            "c:a",
            "a\0b",
            "a\nb",
            "nul",
            "COM1.txt",
            "x/aux.cbh",
            "lpt².txt",
            "a.pgn.",
            "a /b",
            "...",
            "games\u{202e}ngp.exe",
            "a\u{2066}b",
            ".a.cbh.replaced",
            "x/.A.CBH.7-1.TMP",
            ".a.cbh.lock",
        ] {
            assert!(safe_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn hidden_files_are_recognised() {
        for name in ["a.pgn", "a/b..c", "./a", "a/../b", ""] {
            assert_eq!(hidden_file(name), None, "{name}");
        }
        for name in [".bashrc", ".ssh/config", "a\\.git\\config"] {
            assert_eq!(hidden_file(name), Some(HiddenFile::Other), "{name}");
        }
        for name in [".DS_Store", "a/.DS_Store", "__MACOSX/a/._b.pgn", "._b"] {
            assert_eq!(
                hidden_file(name),
                Some(HiddenFile::SystemMetadata),
                "{name}"
            );
        }
    }
}
