//! The settings file (`.ini`), whose name a `.cbh` and a `.2cbh` set of one name share. The section of the
//! description shows whose it is.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::charset::Texts;

/// The kinds of sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetKind {
    /// `.cbh`.
    Classic,
    /// `.2cbh`.
    Second,
}

/// The section of descriptions of `.2cbh` sets; that of `.cbh` sets is the other one.
const SECOND_SECTION: &[u8] = b"[Descr2CBG]";
const CLASSIC_SECTION: &[u8] = b"[DescrCBG]";

/// The value of `Title=` in the settings of a set; `None` if absent or empty.
pub(crate) fn title(ini: &[u8], texts: Texts, kind: SetKind) -> Option<String> {
    let mut is_second = false;
    for line in ini.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
        if line.starts_with(b"[") {
            is_second = line == SECOND_SECTION;
        }
        if is_second == (kind == SetKind::Second)
            && let Some(value) = line.strip_prefix(b"Title=")
        {
            let title = texts.plain(value.trim_ascii());
            return (!title.is_empty()).then(|| title.into_owned());
        }
    }
    None
}

/// Whether the settings file of a set is only that of a set of the other kind, and must remain.
pub(crate) fn is_of_other_set(settings: &Path, kind: SetKind) -> bool {
    let mut start = Vec::new();
    let read = File::open(settings).and_then(|file| file.take(1 << 16).read_to_end(&mut start));
    let has = |section: &[u8]| memchr::memmem::find(&start, section).is_some();
    let (own, other) = match kind {
        SetKind::Classic => (CLASSIC_SECTION, SECOND_SECTION),
        SetKind::Second => (SECOND_SECTION, CLASSIC_SECTION),
    };
    read.is_ok() && has(other) && !has(own)
}
