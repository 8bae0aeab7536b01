//! Names of members that are safe as names of files.

use std::path::PathBuf;

use tabia_core::{Error, Result};

/// The longest part of a name that file systems accept, in bytes.
const MAX_PART: usize = 255;

/// The longest name, in bytes. The path of the target folder comes on top.
const MAX_NAME: usize = 2048;

/// The path of a member with that name, relative to a target folder. Both `/` and `\` separate
/// folders.
///
/// # Errors
/// Names that leave the folder or have a special meaning on some system: absolute paths, `..`,
/// colons (drive letters), control characters, names of devices, empty names, and names longer than
/// file systems accept.
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
        if part.len() > MAX_PART {
            return Err(refused(name, "is too long"));
        }
        if is_device(part) {
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

fn refused(name: &str, why: &str) -> Error {
    let shown: String = name.chars().take(200).collect();
    Error::invalid(format!("the member name `{}` {why}", shown.escape_debug()))
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    let lower = stem.to_ascii_lowercase();
    match lower.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        _ => {
            let digit = lower
                .strip_prefix("com")
                .or_else(|| lower.strip_prefix("lpt"));
            matches!(digit.map(str::as_bytes), Some([b'1'..=b'9']))
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
        ] {
            assert!(safe_name(name).is_err(), "{name}");
        }
    }
}
