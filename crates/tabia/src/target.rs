//! Where games are written: a stream, a file or a set of files.

use std::io::Write;
use std::path::{Path, PathBuf};

use tabia_core::formats::FormatKind;
use tabia_core::io::name_text;
use tabia_core::{Error, GameFormat};
use tabia_formats::Format;
use tabia_formats::archives::compressed::Compression;

use crate::resolve::Resolver;

/// Where the games go.
pub enum Target<'a> {
    /// Text to a stream; it is not closed.
    Stream {
        /// A format that is text.
        format: &'static GameFormat,
        /// The stream.
        out: &'a mut dyn Write,
    },
    /// A file or a set of files.
    File {
        /// The format.
        format: &'static GameFormat,
        /// The main file.
        path: PathBuf,
        /// How it is compressed, for text.
        compression: Compression,
    },
}

impl std::fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stream { format, .. } => write!(f, "Stream({})", format.file.id),
            Self::File { format, path, .. } => {
                write!(f, "File({}, {})", format.file.id, path.display())
            }
        }
    }
}

impl Target<'_> {
    /// The format.
    pub fn format(&self) -> &'static GameFormat {
        match self {
            Self::Stream { format, .. } | Self::File { format, .. } => format,
        }
    }

    /// The target of that name: the format by extension, unless `to` is given.
    ///
    /// # Errors
    /// A [usage error](Error::usage) when no format that can be written has the extension.
    pub fn file(resolver: &Resolver, path: &Path, to: Option<Format>) -> Result<Self, Error> {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let (compression, bare) = Compression::of_name(&name);
        let extension = bare
            .rsplit_once('.')
            .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase());
        let format = match to {
            Some(format) => writable(format)?,
            None => writer_for(resolver, &extension, path)?,
        };
        if compression != Compression::None && format.create_text.is_none() {
            return Err(Error::usage(format!(
                "{}: only text can be compressed while it is written",
                name_text(path.as_os_str())
            )));
        }
        Ok(Self::File {
            format,
            path: path.to_path_buf(),
            compression,
        })
    }
}

/// The format that writes files with this extension.
fn writer_for(
    resolver: &Resolver,
    extension: &str,
    path: &Path,
) -> Result<&'static GameFormat, Error> {
    let known = resolver
        .formats()
        .iter()
        .copied()
        .filter(|format| format.extensions().contains(&extension));
    let writers = || known.clone().filter_map(Format::game_writer);
    match (writers().next(), known.clone().next()) {
        (Some(format), _) => Ok(format),
        (None, Some(format)) => Err(Error::usage(cannot_write(format))),
        (None, None) => {
            let name = name_text(path.as_os_str());
            Err(Error::usage(if extension.is_empty() {
                format!("{name}: the name has no extension that names a format")
            } else {
                format!("{name}: no format has the extension `.{extension}`")
            }))
        }
    }
}

/// What an error states of a build that writes little.
pub(crate) fn missing_feature() -> &'static str {
    if cfg!(feature = "writers") {
        ""
    } else {
        ": tabia was built without its feature `writers`"
    }
}

pub(crate) fn cannot_write(format: Format) -> String {
    let (name, id) = (format.name(), format.id());
    match format.kind() {
        FormatKind::Games => format!("{name} ({id}) cannot be written{}", missing_feature()),
        FormatKind::Book | FormatKind::Archive => {
            format!("{name} ({id}): games cannot be written in this format")
        }
    }
}

/// Refuses formats that games cannot be written in.
///
/// # Errors
/// A [usage error](Error::usage).
pub fn writable(format: Format) -> Result<&'static GameFormat, Error> {
    format
        .game_writer()
        .ok_or_else(|| Error::usage(cannot_write(format)))
}
