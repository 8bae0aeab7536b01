//! A database and the archive that it is packed into: names for hints, and the folders that belong to it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tabia::core::GameFormat;
use tabia::core::io::Source;
use tabia::core::shell_argument::file_argument;
use tabia::formats::{ArchiveFormat, Format, GAMES};

use crate::path_text::PathText as _;

/// How the names of encrypted formats begin.
const ENCRYPTED: &str = "encrypted";

/// Whether an archive can only be made with a password.
pub(crate) fn needs_password(archive: &ArchiveFormat) -> bool {
    archive.file.name.starts_with(ENCRYPTED)
}

/// The format of the databases that the program of an archive format packs into it: the two have the program's
/// name. `None` if the archive is that of no chess program.
pub(crate) fn database_format(archive: &ArchiveFormat) -> Option<&'static GameFormat> {
    let program = |name: &'static str| {
        let mut words = name.split(' ').filter(|word| *word != ENCRYPTED);
        words.next()
    };
    let mut formats = GAMES.iter().copied();
    formats.find(|format| {
        format.create.is_some() && program(format.file.name) == program(archive.file.name)
    })
}

/// The extension of a database that can be packed into an archive.
pub(crate) fn database_extension(archive: &ArchiveFormat) -> &'static str {
    let extensions = database_format(archive).map(|format| format.file.extensions);
    extensions.and_then(<[_]>::first).unwrap_or(&"pgn")
}

/// A name that no file has: the one given, or that one after `new-`.
pub(crate) fn free_path(path: PathBuf) -> PathBuf {
    let mut free = path;
    while std::fs::symlink_metadata(&free).is_ok() {
        let mut name = OsString::from("new-");
        name.push(free.file_name().unwrap_or_default());
        free = free.with_file_name(name);
    }
    free
}

/// A path as an argument.
pub(crate) fn quoted(path: &Path) -> String {
    file_argument(&path.path_text()).into_owned()
}

/// The folders on disk with the media of a set.
pub(crate) fn media_folders(source: &Source, format: Format) -> Vec<PathBuf> {
    let format = format.games();
    let folders = format.map_or(&[][..], |format| format.media_folders);
    let found = folders.iter().filter_map(|folder| {
        let folder = source.companion(folder.extension)?;
        folder.path().map(Path::to_path_buf)
    });
    found.filter(|path| path.is_dir()).collect()
}
