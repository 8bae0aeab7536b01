//! The files in folders and archives that commands do not look at, as no format has such a name.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tabia::core::shell_argument::file_argument;
use tabia::{InputItem, Resolver};

use crate::control_char_filter::one_line;
use crate::messages::Messages;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted_as, grouped};
use crate::saved_index_file::is_saved_index;

/// The files, as the summary of the report has them.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherFiles {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_checked: Vec<String>,
    /// Those among them that are no files whose names could be those of a format, with the reason.
    #[serde(skip)]
    not_files: Vec<(String, NotFile)>,
    /// Those among them whose content is that of a format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recognised: Vec<RecognisedFile>,
}

/// A file whose content is that of a format, though its name is not.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RecognisedFile {
    path: String,
    format: String,
    #[serde(skip)]
    format_name: &'static str,
}

/// Why something in a folder is not looked at, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotFile {
    Link,
    Device,
}

impl NotFile {
    const ALL: [Self; 2] = [Self::Link, Self::Device];

    /// `None` for a file, a link to one, or a folder.
    fn of(path: &Path) -> Option<Self> {
        let kind = std::fs::symlink_metadata(path).ok()?.file_type();
        let is_other = kind.is_dir() || kind.is_file() || kind.is_symlink() && path.is_file();
        (!is_other).then_some(if kind.is_symlink() {
            Self::Link
        } else {
            Self::Device
        })
    }

    /// The sentence about `count` of them.
    fn text(self, count: u64, looked_at: &str) -> String {
        let (one, several, reason) = match self {
            Self::Link => (
                "link was",
                "links were",
                "leading to nothing, or to a folder that is read without it",
            ),
            Self::Device => ("name was", "names were", "no file but a pipe or a device"),
        };
        format!(
            "{} not {looked_at}: {reason}",
            counted_as(count, one, several)
        )
    }
}

impl OtherFiles {
    /// Those of the folders and archives among the paths.
    pub(crate) fn of(resolver: &Resolver, paths: &[OsString]) -> Self {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        let folders = paths
            .iter()
            .filter(|path| path.as_os_str() != "-" && path.is_dir());
        // A folder that cannot be read is an input that cannot be read, which is reported.
        let files = folders.flat_map(|folder| resolver.other_files(folder).unwrap_or_default());
        // The record of how a book was built belongs to the book.
        let files = files.filter(|file| !is_record_of_book(resolver, file));
        // And a saved index to its database.
        let files =
            files.filter(|file| !(is_saved_index(file) && file.with_extension("").is_file()));
        let files: BTreeSet<PathBuf> = files.collect();
        let name = |file: &PathBuf| file.path_text().into_owned();
        let mut others = Self {
            recognised: files
                .iter()
                .filter_map(|file| recognised(resolver, file))
                .collect(),
            not_files: files
                .iter()
                .filter_map(|file| Some((name(file), NotFile::of(file)?)))
                .collect(),
            not_checked: files.iter().map(name).collect(),
        };
        for path in paths {
            for item in archives(resolver, path) {
                // An archive that cannot be opened is reported as an input.
                let Ok(Some(archive)) = resolver.archive(&item) else {
                    continue;
                };
                for member in resolver.other_members(&archive) {
                    let member = RecognisedFile::new(&member);
                    others.not_checked.push(member.path.clone());
                    others.recognised.push(member);
                }
            }
        }
        others
    }

    /// As [`OtherFiles::report`], but only if some of them are chess files by their content, or no files: who lists
    /// games need not hear of other files.
    pub(crate) fn report_recognised(&self, messages: &Messages) {
        if !(self.recognised.is_empty() && self.not_files.is_empty()) {
            self.report(messages, "read");
        }
    }

    /// Names the first ones, or with `--verbose` all of them. `looked_at`: what the command does with
    /// files, `checked`.
    pub(crate) fn report(&self, messages: &Messages, looked_at: &str) {
        for kind in NotFile::ALL {
            let names = self.not_files.iter().filter(|(_, other)| *other == kind);
            let names: Vec<String> = names.map(|(name, _)| one_line(name).into()).collect();
            if !names.is_empty() {
                messages.note_list(&kind.text(names.len() as u64, looked_at), &names);
            }
        }
        let is_file = |name: &&String| !self.not_files.iter().any(|(other, _)| other == *name);
        let names = self.not_checked.iter().filter(is_file);
        let names: Vec<String> = names.map(|name| one_line(name).into()).collect();
        if names.is_empty() {
            return;
        }
        let count = counted_as(names.len() as u64, "file was", "files were");
        let text = format!("{count} not {looked_at}, as no format has such a name");
        messages.note_list(&text, &names);
        let Some(first) = self.recognised.first() else {
            return;
        };
        let names = self.recognised.iter();
        let names = names.map(|file| format!("{} ({})", one_line(&file.path), file.format_name));
        let names: Vec<String> = names.collect();
        let text = match names.len() {
            1 => "1 of them is a chess file by its content".to_owned(),
            count => format!(
                "{} of them are chess files by their content",
                grouped(count as u64)
            ),
        };
        messages.note_list(&text, &names);
        let name = file_argument(&first.path);
        let command = if looked_at == "checked" {
            "check"
        } else {
            "info"
        };
        messages.hint(&format!(
            "`tabia {command} {name}`: a file that is named is read whatever its name"
        ));
    }
}

/// What a file is by its content, if it is that of a format.
fn recognised(resolver: &Resolver, file: &Path) -> Option<RecognisedFile> {
    // Pipes and devices would be waited for.
    if !std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    // A file that cannot be read is still among those that were not looked at.
    let items = resolver.resolve(file.as_os_str()).ok()?;
    let item = items.first()?;
    Some(RecognisedFile::new(item))
}

impl RecognisedFile {
    fn new(item: &InputItem) -> Self {
        Self {
            path: item.name(),
            format: item.format().id().to_string(),
            format_name: item.format().name(),
        }
    }
}

/// The archives at a path: itself, or those in a folder.
fn archives(resolver: &Resolver, path: &Path) -> Vec<InputItem> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = resolver.format(&extension.to_ascii_lowercase());
    let is_archive = format.is_some_and(|format| format.archive().is_some());
    if path.as_os_str() == "-" || !(is_archive || path.is_dir()) {
        return Vec::new();
    }
    let items = resolver.resolve_each(path.as_os_str()).unwrap_or_default();
    let items = items.into_iter().flatten();
    items.filter(InputItem::is_archive).collect()
}

/// Whether a file is named like the record that `book build` writes next to a book: `book.bin.json`.
fn is_record_of_book(resolver: &Resolver, file: &Path) -> bool {
    let is_json = file
        .extension()
        .is_some_and(|extension| extension == "json");
    let book = Path::new(file.file_stem().unwrap_or_default());
    let extension = book.extension().unwrap_or_default().to_string_lossy();
    let format = resolver.format(&extension.to_ascii_lowercase());
    is_json && format.is_some_and(|format| format.book().is_some())
}
