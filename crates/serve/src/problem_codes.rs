//! The codes of errors: what the page looks up in its language. Texts: `web/src/lang/errors`; the English one is the
//! detail of the error itself.

use std::io;

use tabia::{Error, ErrorKind};

/// Declares the codes with their names.
macro_rules! codes {
    ($($code:ident $name:literal,)*) => {
        /// What is wrong, whatever the language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code { $($code,)* }

        impl Code {
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$code,)*];

            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }
        }
    };
}

codes! {
    Request "request",
    NotFound "notFound",
    Conflict "conflict",
    Refused "refused",
    Key "key",
    WrongKeys "wrongKeys",
    ReadOnly "readOnly",
    Busy "busy",
    Internal "internal",
    NoInput "noInput",
    SameName "sameName",
    IsBook "isBook",
    NoBook "noBook",
    NoDatabase "noDatabase",
    IsArchive "isArchive",
    NoGame "noGame",
    NoTarget "noTarget",
    NoGameFits "noGameFits",
    FileName "fileName",
    WrongEnding "wrongEnding",
    FileExists "fileExists",
    ReplacesInput "replacesInput",
    SpaceIsFull "spaceIsFull",
    SameJob "sameJob",
    ManyJobs "manyJobs",
    Query "query",
    Io "io",
    FileIsMissing "fileIsMissing",
    Denied "denied",
    DiskIsFull "diskIsFull",
    TemporaryFile "temporaryFile",
    UnknownFormat "unknownFormat",
    AmbiguousFormat "ambiguousFormat",
    WrongFormat "wrongFormat",
    Unsupported "unsupported",
    SetIsIncomplete "setIsIncomplete",
    NotInFile "notInFile",
    Damaged "damaged",
    Malformed "malformed",
    Invalid "invalid",
    Limit "limit",
    Password "password",
    Exists "exists",
    InUse "inUse",
    Replaced "replaced",
    Cancelled "cancelled",
    Other "other",
}

/// The values that the texts of errors of the library contain, by their names.
pub(crate) fn values_of(error: &Error) -> Vec<(&'static str, String)> {
    let at = error.location();
    let mut values = vec![("detail", error.kind().to_string())];
    let location = [
        (
            "file",
            at.file.as_ref().map(|file| file.display().to_string()),
        ),
        ("game", at.game.map(|game| game.to_string())),
        ("ply", at.ply.map(|ply| ply.to_string())),
        ("line", at.line.map(|line| line.to_string())),
        ("offset", at.offset.map(|offset| format!("{offset:#x}"))),
    ];
    let known = location.into_iter();
    values.extend(known.filter_map(|(name, value)| Some((name, value?))));
    match error.kind() {
        ErrorKind::Query {
            column, message, ..
        } => {
            values.push(("column", column.to_string()));
            values.push(("message", message.clone()));
        }
        ErrorKind::MissingFile(name) => values.push(("name", name.clone())),
        ErrorKind::Limit { limit, size, .. } => {
            values.push(("limit", limit.to_string()));
            values.push(("size", size.to_string()));
        }
        _ => {}
    }
    values
}

impl From<&ErrorKind> for Code {
    fn from(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::Query { .. } => Self::Query,
            ErrorKind::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => Self::FileIsMissing,
                io::ErrorKind::PermissionDenied => Self::Denied,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskIsFull,
                _ => Self::Io,
            },
            ErrorKind::TemporaryFile(_) => Self::TemporaryFile,
            ErrorKind::UnknownFormat { .. } => Self::UnknownFormat,
            ErrorKind::AmbiguousFormat(_) => Self::AmbiguousFormat,
            ErrorKind::WrongFormat { .. } => Self::WrongFormat,
            ErrorKind::Unsupported(_) => Self::Unsupported,
            ErrorKind::MissingFile(_) => Self::SetIsIncomplete,
            ErrorKind::NotInFile(_) => Self::NotInFile,
            ErrorKind::Damaged(_) => Self::Damaged,
            ErrorKind::Malformed(_) => Self::Malformed,
            ErrorKind::Invalid(_) | ErrorKind::OutOfDate(_) | ErrorKind::OpenEnd(_) => {
                Self::Invalid
            }
            ErrorKind::Limit { .. } => Self::Limit,
            ErrorKind::Password => Self::Password,
            ErrorKind::Exists => Self::Exists,
            ErrorKind::InUse { .. } => Self::InUse,
            ErrorKind::Replaced => Self::Replaced,
            ErrorKind::Cancelled => Self::Cancelled,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_texts::{HINTS, PROBLEMS, QUERIES, SPELLINGS};

    use std::collections::BTreeMap;
    use std::path::Path;

    #[test]
    fn every_code_has_a_text_in_each_language() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/lang");
        let mut placeholders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let is_word = |name: &str| name.starts_with("part.") || name.starts_with("nag.");
        let text = std::fs::read_to_string(folder.join("errors/en.json")).unwrap();
        let mut english: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
        english.retain(|name, _| is_word(name));
        assert!(english.len() > 60);
        // The fifth is English: the detail of the error.
        for language in ["de", "ru", "fr", "es"] {
            let path = folder.join(format!("errors/{language}.json"));
            let text = std::fs::read_to_string(&path).unwrap();
            let mut texts: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
            for code in Code::ALL {
                let text = texts.remove(code.name());
                let text = text.unwrap_or_else(|| panic!("{language} has no text for {code:?}"));
                assert!(!text.trim().is_empty(), "{language}: {code:?}");
                let parts = text.split('{').skip(1);
                let mut found: Vec<String> = parts
                    .map(|part| part.split('}').next().unwrap().to_owned())
                    .collect();
                found.sort();
                let wanted = placeholders
                    .entry(code.name().into())
                    .or_insert_with(|| found.clone());
                assert_eq!(*wanted, found, "{language}: {code:?}");
            }
            for name in ["at.game", "at.ply", "at.line", "at.offset"] {
                assert!(
                    texts.remove(name).is_some_and(|text| text.contains("{n}")),
                    "{name}"
                );
            }
            for feature in tabia::Feature::ALL {
                let name = format!("feature.{}", feature.key());
                let text = texts.remove(&name).unwrap_or_default();
                assert!(!text.trim().is_empty(), "{language}: {name}");
            }
            for field in tabia::query::fields() {
                let name = format!("field.{}", field.name);
                let text = texts.remove(&name).unwrap_or_default();
                assert!(!text.trim().is_empty(), "{language}: {name}");
            }
            for (id, template) in [PROBLEMS, QUERIES, HINTS, SPELLINGS].concat() {
                let name = format!("text.{id}");
                let text = texts
                    .get(&name)
                    .unwrap_or_else(|| panic!("{language}: {name}"));
                let values = template.matches("{}").count();
                let is_of_template = |part: &str| {
                    let number = part
                        .split('}')
                        .next()
                        .and_then(|number| number.parse().ok());
                    number.is_some_and(|number: usize| (1..=values).contains(&number))
                };
                assert!(
                    text.split('{').skip(1).all(is_of_template),
                    "{language}: {name}"
                );
            }
            texts.retain(|name, _| !name.starts_with("text."));
            // The words for fields of formats and for symbols are the same ones as in English.
            let mut words = BTreeMap::new();
            while let Some(name) = texts.keys().find(|name| is_word(name)).cloned() {
                words.extend(texts.remove_entry(&name));
            }
            assert!(
                words.values().all(|word| !word.trim().is_empty()),
                "{language}"
            );
            assert!(words.keys().eq(english.keys()), "{language}");
            // What else is there is the hint of a code.
            for name in texts.keys() {
                let of = name.strip_suffix(".hint").unwrap_or_default();
                assert!(
                    Code::ALL.iter().any(|code| code.name() == of),
                    "{language}: {name}"
                );
            }
        }
        let names: std::collections::BTreeSet<_> =
            Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
