//! How inputs are read: the options that all commands have.

use pyo3::prelude::*;
use tabia::core::chess::PieceLetters;
use tabia::{Charset, Error, OpenOptions, Resolver};

/// What the common options of the command line state, under their names.
#[derive(Clone, Default, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    /// The format; a word of Python without the `_`.
    pub(crate) from_: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) pieces: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) max_unpacked: Option<u64>,
    pub(crate) include_deleted: bool,
    /// Files are copied into memory instead of mapped.
    pub(crate) copies: bool,
}

impl Reading {
    /// The name of the first argument that is in use and that an open database has of its own.
    pub(crate) fn used(&self) -> Option<&'static str> {
        let used = [
            (self.from_.is_some(), "from_"),
            (self.encoding.is_some(), "encoding"),
            (self.pieces.is_some(), "pieces"),
            (self.password.is_some(), "password"),
            (self.max_unpacked.is_some(), "max_unpacked"),
        ];
        used.into_iter()
            .find_map(|(is_used, name)| is_used.then_some(name))
    }

    /// How files are opened.
    pub(crate) fn open_options(&self) -> Result<OpenOptions, Error> {
        let mut open = OpenOptions::default();
        if let Some(name) = self.encoding.as_deref() {
            let unknown = || Error::usage(format!("`{name}` is no character set"));
            open.charset = Charset::parse(name).ok_or_else(unknown)?;
        }
        if let Some(language) = self.pieces.as_deref() {
            let letters = PieceLetters::of_language(&language.to_ascii_lowercase());
            let unknown = || {
                let codes: Vec<&str> = PieceLetters::codes().collect();
                let codes = codes.join(", ");
                Error::usage(format!(
                    "`{language}` has no letters of pieces: there are {codes}"
                ))
            };
            open.pieces = Some(letters.ok_or_else(unknown)?);
        }
        open.password.clone_from(&self.password);
        if let Some(bytes) = self.max_unpacked {
            open.limits.unpacked = bytes;
        }
        open.copy_files = self.copies;
        Ok(open)
    }

    /// A resolver of every format, tables too.
    pub(crate) fn resolver(&self) -> Result<Resolver, Error> {
        let known = tabia::formats().chain(tabia_columns::read::formats());
        let mut resolver = Resolver::new(known);
        resolver.options = self.open_options()?;
        if let Some(name) = self.from_.as_deref() {
            let format = resolver.format(name);
            resolver.from = Some(format.ok_or_else(|| no_format(name))?);
        }
        Ok(resolver)
    }
}

/// The error of a name that is that of no format.
pub(crate) fn no_format(name: &str) -> Error {
    Error::usage(format!("`{name}` is no format"))
}
