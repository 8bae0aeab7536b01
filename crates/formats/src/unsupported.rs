//! Names of file formats that tabia recognises but does not read, for error messages.

use tabia_core::error::UnknownContents;
use tabia_core::formats::Probe;

use crate::books::polyglot;

/// Why a file of no supported format is not read, for an error message; `None` if the file is unknown.
pub fn explain(probe: &Probe<'_>) -> Option<String> {
    let contents = UnknownContents::of(probe.head);
    if matches!(
        contents,
        UnknownContents::WebPage | UnknownContents::GitLfsPointer
    ) {
        return None;
    }
    if let Some(what) = name(probe) {
        return Some(format!("{what}: recognised, but not read"));
    }
    if UnknownContents::is_text(probe.head) {
        return None;
    }
    polyglot::why_not(probe).map(|why| format!("named like a Polyglot book, but it is none: {why}"))
}

/// The name of an unsupported format; `None` if the file is unknown.
fn name(probe: &Probe<'_>) -> Option<&'static str> {
    let extension = probe.extension();
    if probe.head.starts_with(b"BOO!") || probe.head.starts_with(b"UGWS") {
        return Some("a Chessmaster book");
    }
    let name = probe.name.unwrap_or_default().to_ascii_lowercase();
    Some(match extension.as_str() {
        "obk" => "a Chessmaster book",
        "bkt" => "a Shredder book",
        "exp" => "the experience file of an engine",
        "hce" | "hcb" => "a HIARCS book",
        "stc" => "a tree cache of Scid",
        "dat" if name == "book.dat" => "a book of GNU Chess 5",
        // Books of Polyglot are recognised by their content and never reach this function.
        "bin" if name == "book.bin" || name == "books.bin" || name == "bookc.bin" => {
            "a book of Crafty or of another engine"
        }
        "db3" if name.ends_with(".obs.db3") => "an opening book database (OOBS)",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_formats_are_named() {
        let name_of = |file: &str, head: &[u8]| {
            name(&Probe {
                name: Some(file),
                head,
                len: None,
            })
        };
        assert_eq!(name_of("x", b"BOO!\0\0"), Some("a Chessmaster book"));
        assert_eq!(name_of("A.BKT", b""), Some("a Shredder book"));
        assert!(name_of("book.bin", b"\x01").is_some_and(|name| name.contains("Crafty")));
        assert_eq!(name_of("x.txt", b"text"), None);
    }
}
