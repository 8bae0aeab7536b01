//! The files that games and texts name, compared with those in the folders of media.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use tabia_core::Error;
use tabia_core::formats::MediaFolder;
use tabia_core::game::{Annotation, MediaKind, TextKind};

use crate::input::InputItem;

/// The folders of media of an input with the files that exist.
#[derive(Debug)]
pub(crate) struct KnownMedia(Vec<KnownFolder>);

#[derive(Debug)]
struct KnownFolder {
    folder: &'static MediaFolder,
    label: Arc<Path>,
    /// In lower case, without folders.
    files: HashSet<String>,
}

impl KnownMedia {
    /// `None` for formats without such folders.
    pub(crate) fn new(item: &InputItem) -> Option<Self> {
        let format = item.format().games()?;
        let mut found = item.media_files();
        let folders = format.media_folders.iter().map(|folder| {
            let index = found.iter().position(|media| media.folder == folder);
            let media = index.map(|index| found.swap_remove(index));
            let (label, files) = match media {
                Some(media) => (media.label, media.files),
                None => (item.label().with_extension(folder.extension), Vec::new()),
            };
            let names = files.iter().map(|file| file_name(file).to_lowercase());
            KnownFolder {
                folder,
                label: label.into(),
                files: names.collect(),
            }
        });
        let folders: Vec<_> = folders.collect();
        (!folders.is_empty()).then_some(Self(folders))
    }

    /// The files that an annotation refers to and that do not exist.
    pub(crate) fn missing(&self, annotation: &Annotation<'_>) -> Vec<Error> {
        match annotation {
            Annotation::Text(part) => {
                let Some(known) = self.0.iter().find(|known| known.folder.of.is_none()) else {
                    return Vec::new();
                };
                match part.kind {
                    TextKind::File => known.error_if_missing(part.text).into_iter().collect(),
                    TextKind::Html => image_names(part.text)
                        .filter_map(|name| known.error_if_missing(name))
                        .collect(),
                    _ => Vec::new(),
                }
            }
            // Others than numbers are captions.
            Annotation::Media(media) if is_number(media.text) => {
                let mut folders = self.0.iter();
                let known = folders.find(|known| known.folder.of == Some(media.kind));
                let error = known.and_then(|known| {
                    known.error_if_missing(&format!("{}.{}", media.text, known.folder.extension))
                });
                error.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

impl KnownFolder {
    fn error_if_missing(&self, name: &str) -> Option<Error> {
        let name = file_name(name);
        if name.is_empty() || self.files.contains(&name.to_lowercase()) {
            return None;
        }
        let text = format!("the file \"{name}\" is missing, which games or texts refer to");
        Some(Error::invalid(text).in_file(&self.label))
    }
}

/// What of the files of media records refer to.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The files of annotations: kind and number in lower case.
    numbers: HashSet<(MediaKind, String)>,
    /// Kinds of which any file may be meant.
    kinds: HashSet<MediaKind>,
    /// Whether a text names a file. Such a document may need any other.
    texts: bool,
}

impl References {
    pub(crate) fn add(&mut self, annotation: &Annotation<'_>) {
        match annotation {
            Annotation::Text(part) => {
                self.texts |= matches!(part.kind, TextKind::File | TextKind::Html);
            }
            Annotation::Media(media) if is_number(media.text) => {
                self.numbers.insert((media.kind, media.text.to_owned()));
            }
            Annotation::Media(media) => {
                self.kinds.insert(media.kind);
            }
            _ => {}
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.kinds.extend(other.kinds);
        self.texts |= other.texts;
    }

    /// Whether a file of a folder may be meant.
    pub(crate) fn has(&self, folder: &MediaFolder, file: &str) -> bool {
        let Some(kind) = folder.of else {
            return self.texts;
        };
        let name = file_name(file);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        self.kinds.contains(&kind) || self.numbers.contains(&(kind, stem.to_owned()))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The last part of a path; texts have those of Windows.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The values of `src="…"` in a document that name a file next to it: no addresses, and none with escapes.
fn image_names(html: &str) -> impl Iterator<Item = &str> {
    let values = html.match_indices("src=").filter_map(|(at, start)| {
        let rest = html.get(at + start.len()..)?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest.get(1..)?.split_once(quote).map(|(value, _)| value)
    });
    values.filter(|value| !value.contains([':', '%', '&', '<', '>']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_records_refer_to() {
        let folder = |extension, of| MediaFolder { extension, of };
        let texts = folder("html", None);
        let pictures = folder("bmp", Some(MediaKind::Picture));
        let videos = folder("avi", Some(MediaKind::Video));
        let mut references = References::default();
        assert!(!references.has(&texts, "a.jpg") && !references.has(&pictures, "7.bmp"));
        let media = |kind, text| {
            Annotation::Media(tabia_core::game::Media {
                kind,
                language: None,
                text,
            })
        };
        references.add(&media(MediaKind::Picture, "7"));
        assert!(references.has(&pictures, "7.BMP") && references.has(&pictures, "b/7.bmp"));
        assert!(!references.has(&pictures, "8.bmp") && !references.has(&videos, "7.avi"));
        // A caption names no file.
        references.add(&media(MediaKind::Video, "Anand 1"));
        assert!(references.has(&videos, "7.avi") && !references.has(&texts, "a.jpg"));
    }

    #[test]
    fn images_of_a_document() {
        let html = "<img src=\"text.html\\a.jpg\"><img src='b/c.png'><img src=\"http://x/d.gif\">\
                    <img src=e.gif><img src=\"data:image/png;base64,AA\"><img src=\"";
        let names: Vec<&str> = image_names(html).map(file_name).collect();
        assert_eq!(names, ["a.jpg", "c.png"]);
        assert!(is_number("12") && !is_number("") && !is_number("Anand 1"));
    }
}
