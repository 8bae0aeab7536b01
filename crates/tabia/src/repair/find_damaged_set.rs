//! What is left of a set when its main file is lost or no longer looks like one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::formats::FormatKind;
use tabia_core::io::{JournaledFolder, Source, existing_path, list_folder, name_text};
use tabia_core::shell_argument::file_argument;
use tabia_core::{Error, ErrorKind};
use tabia_formats::Format;

use crate::input::{InputItem, Origin, with_article};
use crate::resolve::Resolver;

/// The database that a path names, even if only companions of it are left: `base.si4`, `base.sg4`
/// and `base` all name what there is of `base`.
///
/// # Errors
/// When nothing of it is there, or no format with such files is known. A folder or an archive is a
/// wrong use.
pub fn remains(resolver: &Resolver, path: &OsStr) -> Result<InputItem, Error> {
    let refused = match resolver.resolve(path) {
        Ok(mut items) => match (items.pop(), items.is_empty()) {
            (Some(item), true) if item.format().games().is_some() => return Ok(item),
            (Some(item), true) => {
                let (name, format) = (item.name(), item.format());
                let quoted = file_argument(&name);
                let hint = match format.kind() {
                    FormatKind::Book => {
                        format!(
                            "`tabia book fix {quoted} -o FIXED` writes a corrected copy of a book"
                        )
                    }
                    _ => format!(
                        "`tabia repair {quoted} -o FOLDER` repairs the databases and books in it"
                    ),
                };
                let text = format!(
                    "{name} is no database: it is {}",
                    with_article(format.name())
                );
                return Err(Error::usage(text).with_hint(hint));
            }
            _ => {
                let name = Path::new(path).display().to_string();
                let text = format!("{name}: several databases; name one of them");
                let name = file_argument(&name);
                let hint =
                    format!("`tabia repair {name} -o FOLDER` repairs all that is in a folder");
                return Err(Error::usage(text).with_hint(hint));
            }
        },
        Err(error) if is_unreadable(&error) => return Err(error),
        Err(error) => error,
    };
    let path = Path::new(path);
    let found = candidates(resolver, path)?
        .into_iter()
        .max_by_key(|(_, files)| files.len())
        .filter(|(_, files)| !files.is_empty());
    let Some((format, files)) = found else {
        return Err(refused);
    };
    let Some(main) = files.first() else {
        return Err(refused);
    };
    let source = Source::from_path(main)?;
    Ok(InputItem {
        label: Arc::clone(source.label()),
        format,
        origin: Origin::Files(Box::new(source)),
        duplicates: Arc::default(),
        is_base: false,
    })
}

/// Whether a file exists and cannot be read.
fn is_unreadable(error: &Error) -> bool {
    let is_missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    error.is_system() && !matches!(error.kind(), ErrorKind::Io(error) if is_missing(error))
}

/// Suffixes that programs add to the name of a set that is about to replace another one.
const MARKS: [&str; 3] = ["__compact__", ".compact", ".partial-"];

/// Formats whose sets have files of that name, each with those that are there, the main file
/// first.
fn candidates(resolver: &Resolver, path: &Path) -> Result<Vec<(Format, Vec<PathBuf>)>, Error> {
    let name = path
        .file_name()
        .map(|name| name_text(name).to_lowercase())
        .unwrap_or_default();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let names = match list_folder(folder) {
        Ok(names) => names,
        Err(error) if is_unreadable(&error) => return Err(error),
        // The error of the path itself is the better one.
        Err(_) => Vec::new(),
    };
    let settled = JournaledFolder::new(folder, names);
    let mut files_here: Vec<(String, PathBuf)> = settled
        .files
        .into_iter()
        .map(|(name, _)| {
            let path = path.with_file_name(&name);
            (name_text(&name).to_lowercase(), path)
        })
        .collect();
    // Those in the letter case of the path first: there may be two sets whose names differ only in that.
    let asked = name_text(path.file_stem().unwrap_or_default()).into_owned();
    files_here.sort_by_key(|(_, file)| {
        let stem = file.file_stem().unwrap_or_default();
        name_text(stem) != asked.as_str()
    });
    let formats = resolver.formats().iter().copied().filter(|format| {
        format.games().is_some() && resolver.from.is_none_or(|only| only == *format)
    });
    let mut all = Vec::new();
    for format in formats {
        let extensions: Vec<&str> = format
            .extensions()
            .iter()
            .copied()
            .chain(format.companions().iter().map(|file| file.extension))
            .collect();
        let base = match name.rsplit_once('.') {
            Some((base, extension)) if extensions.contains(&extension) => base,
            Some(_) if files_here.iter().any(|(file, _)| *file == name) => continue,
            _ => name.as_str(),
        };
        // Programs that rewrite a set put it next to the old one under a longer name first.
        let matches = |exact: bool, extension: &str| {
            let file = files_here.iter().find(|(file, _)| {
                let stem = file
                    .strip_suffix(extension)
                    .and_then(|stem| stem.strip_suffix('.'));
                stem.is_some_and(|stem| {
                    if exact {
                        stem == base
                    } else {
                        stem.strip_prefix(base)
                            .is_some_and(|rest| MARKS.iter().any(|mark| rest.starts_with(mark)))
                    }
                })
            });
            file.map(|(_, path)| path.clone())
        };
        let mut files: Vec<PathBuf> = Vec::new();
        for exact in [true, false] {
            files.extend(
                extensions
                    .iter()
                    .filter_map(|extension| matches(exact, extension)),
            );
        }
        all.push((format, files));
    }
    Ok(all)
}

/// Whether a new file at `target`, or its first part, would replace a file that the input is read from.
pub fn is_part_of(target: &Path, item: &InputItem) -> bool {
    let mut part = target.file_stem().unwrap_or_default().to_owned();
    part.push("_0.");
    part.push(target.extension().unwrap_or_default());
    let part = target.with_file_name(part);
    let targets: Vec<PathBuf> = [target, part.as_path()]
        .iter()
        .filter_map(|path| existing_path(path).ok())
        .collect();
    if targets.is_empty() {
        return false;
    }
    let paths = item.paths().into_iter();
    let mut paths = paths.filter_map(|path| path.canonicalize().ok());
    paths.any(|path| targets.contains(&path))
}
