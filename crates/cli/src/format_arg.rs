//! The format that an option names.

use tabia::formats::Format;
use tabia::{Error, Resolver};

/// The format of that name.
pub(crate) fn find_format(resolver: &Resolver, name: &str) -> Result<Format, Error> {
    resolver.format(name).ok_or_else(|| {
        let known: Vec<String> = resolver
            .formats()
            .iter()
            .map(|format| format.id().to_string())
            .collect();
        Error::usage(format!(
            "no format is called `{name}`; there are {}",
            known.join(", ")
        ))
        .with_hint("`tabia formats` lists what each can do")
    })
}
