//! Files that are known by sight but not read: it helps to be told what one has.

use tabia_core::formats::Probe;

use crate::books::polyglot;

/// Why a file that no format recognises is not read, in words; `None` if nothing is known of it.
pub fn explain(probe: &Probe<'_>) -> Option<String> {
    if let Some(what) = name(probe) {
        return Some(format!("{what}: recognised, but not read"));
    }
    polyglot::why_not(probe).map(|why| format!("named like a Polyglot book, but {why}"))
}

/// What a file is that none of the formats here reads; `None` when it is not known either.
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
        // Books of Polyglot are told by what is in them; these only share their name.
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
    fn files_are_known_by_sight() {
        let told = |file: &str, head: &[u8]| {
            name(&Probe {
                name: Some(file),
                head,
                len: None,
            })
        };
        assert_eq!(told("x", b"BOO!\0\0"), Some("a Chessmaster book"));
        assert_eq!(told("A.BKT", b""), Some("a Shredder book"));
        assert!(told("book.bin", b"\x01").is_some_and(|it| it.contains("Crafty")));
        assert_eq!(told("x.txt", b"text"), None);
    }
}
