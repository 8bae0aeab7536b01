//! A database and the archive that it is packed into: names for hints, and the folders that belong to it.

use std::path::{Path, PathBuf};

use tabia::core::GameFormat;
use tabia::core::io::Source;
use tabia::core::loss::Feature;
use tabia::core::shell_argument::argument;
use tabia::formats::{ArchiveFormat, Format, GAMES};
use tabia::{InputItem, Resolver};

/// The folders next to a database, called as it is, in which the pictures, sounds and videos lie that its games
/// and guiding texts refer to.
const MEDIA_FOLDERS: [&str; 4] = ["html", "bmp", "wav", "avi"];

/// The format of the databases that the program of an archive format packs into it: the two have the program's
/// name. `None` if the archive is that of no chess program.
pub(crate) fn database_format(archive: &ArchiveFormat) -> Option<&'static GameFormat> {
    let program = |name: &'static str| name.split(' ').next();
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
        let name = free.file_name().unwrap_or_default().to_string_lossy();
        free = free.with_file_name(format!("new-{name}"));
    }
    free
}

/// A path as an argument.
pub(crate) fn quoted(path: &Path) -> String {
    argument(&path.display().to_string()).into_owned()
}

/// The folders on disk with the media of a set.
pub(crate) fn media_folders(source: &Source, format: Format) -> Vec<PathBuf> {
    if !refers_to_media(format) {
        return Vec::new();
    }
    let found = MEDIA_FOLDERS.iter().filter_map(|extension| {
        let folder = source.companion(extension)?;
        folder.path().map(Path::to_path_buf)
    });
    found.filter(|path| path.is_dir()).collect()
}

/// Whether games of the format refer to files in folders that are called as the database.
fn refers_to_media(format: Format) -> bool {
    let is_set = !format.companions().is_empty();
    let games = format.games().filter(|_| is_set);
    games.is_some_and(|format| format.can.has(Feature::Media))
}

/// The folders with media that an input has and their number of files, as it names them: paths on disk, or
/// names of folders in its archive.
pub(crate) fn media_of(resolver: &Resolver, item: &InputItem) -> Vec<(String, usize)> {
    if !refers_to_media(item.format()) {
        return Vec::new();
    }
    if let Some(source) = item.source() {
        let folders = media_folders(source, item.format()).into_iter();
        let counted = folders.map(|folder| {
            let files = std::fs::read_dir(&folder).map_or(0, |files| files.flatten().count());
            (folder.display().to_string(), files)
        });
        return counted.filter(|(_, files)| *files > 0).collect();
    }
    media_in_archive(resolver, item).unwrap_or_default()
}

fn media_in_archive(resolver: &Resolver, item: &InputItem) -> Option<Vec<(String, usize)>> {
    let path = item.paths().into_iter().next()?;
    let name = item.name();
    let (archive_name, member) = name.rsplit_once(':')?;
    if archive_name != path.display().to_string() {
        return None;
    }
    let archive_item = resolver
        .resolve(path.as_os_str())
        .ok()?
        .into_iter()
        .next()?;
    let archive = resolver.archive(&archive_item).ok()??;
    let stem = member.rsplit_once('.').map_or(member, |(stem, _)| stem);
    let counted = MEDIA_FOLDERS.iter().map(|extension| {
        let folder = format!("{stem}.{extension}");
        let prefix = format!("{folder}/").to_lowercase();
        let members = archive.members().iter();
        let files = members.filter(|member| member.name.to_lowercase().starts_with(&prefix));
        (format!("{archive_name}:{folder}"), files.count())
    });
    Some(counted.filter(|(_, files)| *files > 0).collect())
}
