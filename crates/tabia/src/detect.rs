//! Which format a file has.

use tabia_core::error::UnknownContents;
use tabia_core::formats::{Confidence, Probe};
use tabia_core::{Error, ErrorKind, FormatId, Result};
use tabia_formats::Format;

/// The format of a file by its first bytes, then by its name.
///
/// Every format scores the file; the best score wins. Among equal scores the one whose extension
/// the file has wins; if that decides nothing either, the error names all of them.
///
/// A text is no book, whatever its name: the formats of books have no magic numbers, so that pages which a server sends
/// instead of a file would be some. What Git LFS has instead of a file is nothing at all.
///
/// # Errors
/// [`ErrorKind::UnknownFormat`], [`ErrorKind::AmbiguousFormat`].
pub(crate) fn detect(formats: &[Format], probe: &Probe<'_>) -> Result<Format> {
    let extension = probe.extension();
    let mut best: Vec<Format> = Vec::new();
    let mut best_score = (Confidence::No, false);
    let contents = UnknownContents::of(probe.head);
    let is_text = !probe.head.is_empty() && UnknownContents::is_text(probe.head);
    for format in formats {
        if contents == UnknownContents::GitLfsPointer || is_text && format.book().is_some() {
            continue;
        }
        let confidence = format.score(probe);
        let score = (
            confidence,
            format.extensions().contains(&extension.as_str()),
        );
        if confidence == Confidence::No || score < best_score {
            continue;
        }
        if score > best_score {
            best.clear();
            best_score = score;
        }
        best.push(*format);
    }
    match best.as_slice() {
        [format] => Ok(*format),
        [] => Err(Error::new(ErrorKind::UnknownFormat {
            found: probe.head.iter().copied().take(32).collect(),
        })),
        several => Err(Error::new(ErrorKind::AmbiguousFormat(
            several.iter().map(|format| format.id()).collect(),
        ))),
    }
}

/// The format of that name: its short name or one of its extensions, in any letter case.
pub(crate) fn by_name(formats: &[Format], name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name = name.trim_start_matches('.');
    let short = (name.len() <= 8).then(|| FormatId::new(name));
    formats
        .iter()
        .find(|format| Some(format.id()) == short)
        .or_else(|| {
            formats
                .iter()
                .find(|format| format.extensions().contains(&name))
        })
        .copied()
}
