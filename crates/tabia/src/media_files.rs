//! The files that games and texts of a database refer to, in folders next to it: what an input has of them, and
//! which a conversion does not copy.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tabia_core::formats::MediaFolder;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, GameFormat};

use crate::hidden_folder::final_path;
use crate::input::{InputItem, Origin};
use crate::job_summary::Summary;
use crate::target::Target;

/// Folders in folders that are looked into.
const MAX_DEPTH: u32 = 8;

/// A folder next to a database with files that its games and texts refer to.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-media-{}", std::process::id()));
/// # std::fs::create_dir_all(folder.join("mega.html")).unwrap();
/// # std::fs::write(folder.join("mega.html/board.jpg"), "a picture").unwrap();
/// # let path = folder.join("mega.cbh");
/// # std::fs::write(folder.join("games.pgn"), "1. e4 *\n").unwrap();
/// # tabia::convert(folder.join("games.pgn"), &path)?;
/// let input = tabia::open(&path)?;
/// let media = input.items()[0].media_files();
/// # let _ = std::fs::remove_dir_all(&folder);
/// assert_eq!(media[0].folder.extension, "html");
/// assert_eq!(media[0].files, ["board.jpg"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MediaFiles {
    /// Which of the folders of its format it is.
    pub folder: &'static MediaFolder,
    /// The folder as messages name it; `archive:folder` in an archive.
    pub label: PathBuf,
    /// The folder on disk; `None` in an archive.
    pub path: Option<PathBuf>,
    /// The files in it, in order; those in folders with their folder, separated by `/`.
    pub files: Vec<String>,
}

impl InputItem {
    /// The folders with the files that games and texts refer to, those that exist. Folders that cannot be read
    /// are as empty.
    pub fn media_files(&self) -> Vec<MediaFiles> {
        let format = self.format.games();
        let folders = format.map_or(&[][..], |format| format.media_folders);
        let found = folders.iter().filter_map(|folder| match &self.origin {
            Origin::Files(source) => {
                let found = source.companion(folder.extension)?;
                let path = found.path().filter(|path| path.is_dir())?.to_path_buf();
                Some(MediaFiles {
                    folder,
                    label: path.clone(),
                    files: files_in(&path),
                    path: Some(path),
                })
            }
            Origin::Member { archive, index, .. } => {
                let main = &archive.members().get(*index)?.name;
                let name = Path::new(main).with_extension(folder.extension);
                let name = name.to_str()?.replace('\\', "/");
                let members = archive.members().iter();
                let files = members.filter_map(|member| below(&member.name, &name));
                let mut files: Vec<String> = files.map(str::to_owned).collect();
                files.sort();
                let label = self.label.with_extension(folder.extension);
                (!files.is_empty()).then_some(MediaFiles {
                    folder,
                    label,
                    path: None,
                    files,
                })
            }
            Origin::Packed(_) | Origin::Once(_) => None,
        });
        found.collect()
    }
}

/// The name of a file in a folder, both in an archive; in any letter case.
fn below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    let (head, rest) = name.split_at_checked(folder.len())?;
    let is_in = head.to_lowercase() == folder.to_lowercase();
    rest.strip_prefix('/')
        .filter(|rest| is_in && !rest.is_empty())
}

/// The files in a folder and in the folders in it; links are not followed.
fn files_in(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                    open.push((entry.path(), format!("{name}/"), depth + 1));
                }
                Ok(kind) if kind.is_dir() => {}
                _ => files.push(name),
            }
        }
    }
    files.sort();
    files
}

/// The media files of each input that a target does not get.
#[derive(Debug, Default)]
pub(crate) struct LostMedia(Vec<(String, u64)>);

impl LostMedia {
    /// Of games of the inputs that go to a target.
    pub(crate) fn of_target(items: &[InputItem], target: &Target<'_>) -> Self {
        match target {
            Target::File { format, path, .. } => Self::of(items, Some((format, path))),
            Target::Stream { .. } => Self::of(items, None),
        }
    }

    /// Of games of the inputs that go to a database, or to several or none. A file that is in the target's own
    /// folder already is not lost: so no file is of a database that is replaced.
    pub(crate) fn of(items: &[InputItem], target: Option<(&GameFormat, &Path)>) -> Self {
        let lost = items.iter().map(|item| {
            let folders = item.media_files().into_iter();
            let count = folders.map(|folder| lost_files(&folder, target)).sum();
            (item.name(), count)
        });
        Self(lost.filter(|(_, count)| *count > 0).collect())
    }

    /// Refuses to lose any.
    ///
    /// # Errors
    /// If any is lost.
    pub(crate) fn refuse(&self) -> Result<(), Error> {
        let Some((input, count)) = self.0.first() else {
            return Ok(());
        };
        let noun = Feature::MediaFiles.noun(*count);
        let text = format!(
            "{input}: {count} {noun} next to it would not be copied; copy its folders next to the target first"
        );
        Err(Error::invalid(text).under_strict())
    }

    /// Adds them to the losses of a job, if it wrote any record.
    pub(crate) fn add_to(&self, summary: &mut Summary) {
        if summary.counts.games + summary.counts.texts == 0 {
            return;
        }
        for (input, count) in &self.0 {
            summary.losses.add_whole(input, &losses(*count));
        }
    }

    /// All of them.
    pub(crate) fn total(&self) -> Losses {
        losses(self.0.iter().map(|(_, count)| count).sum())
    }
}

fn losses(count: u64) -> Losses {
    let mut losses = Losses::new();
    losses.add(Feature::MediaFiles, count, None);
    losses
}

/// How many files of a folder are not in the same folder of the target.
fn lost_files(media: &MediaFiles, target: Option<(&GameFormat, &Path)>) -> u64 {
    let target = target.filter(|(format, _)| format.media_folders.contains(media.folder));
    let own = target.map(|(_, path)| final_path(path).with_extension(media.folder.extension));
    let there: HashSet<String> = own
        .iter()
        .flat_map(|folder| files_in(folder))
        .map(|name| name.to_lowercase())
        .collect();
    let lost = media.files.iter();
    lost.filter(|name| !there.contains(&name.to_lowercase()))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_folder_in_an_archive() {
        assert_eq!(below("Set/mega.HTML/a.jpg", "Set/mega.html"), Some("a.jpg"));
        assert_eq!(below("mega.html/b/a.jpg", "mega.html"), Some("b/a.jpg"));
        for name in [
            "mega.html",
            "mega.html/",
            "mega.htmlx/a.jpg",
            "x/mega.html/a.jpg",
            "é",
        ] {
            assert_eq!(below(name, "mega.html"), None, "{name}");
        }
    }
}
