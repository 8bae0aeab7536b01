//! Copies of the files that games and texts of a database refer to: which of them a new database gets, and which
//! are lost.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{InputFile, OutputSet, Transaction, existing_path, name_text};
use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, GameFormat};
use tabia_formats::archives::{OnError, in_member, safe_name};

use crate::hidden_folder::{HiddenFolder, final_path};
use crate::input::InputItem;
use crate::job_summary::{LostMedia, Summary};
use crate::media_files::{FileContents, FoundFolder};
use crate::media_references::References;

/// Bytes that are copied or compared at a time.
const CHUNK: usize = 1 << 16;

/// The media files that a target gets, and those that it does not get.
#[derive(Debug, Default)]
pub(crate) struct MediaCopies {
    copies: Vec<MediaCopy>,
    /// The folders with lost files, and how many, by input.
    lost: Vec<LostMedia>,
    copied: u64,
}

#[derive(Debug)]
struct MediaCopy {
    contents: FileContents,
    to: PathBuf,
    /// The folder of the target, which may have to be made.
    folder: PathBuf,
    /// What is lost if it cannot be read.
    from: LostMedia,
}

/// Which of the media files of an input are needed.
pub(crate) type FindReferences<'a> =
    &'a mut dyn FnMut(usize, &InputItem) -> Result<Option<References>, Error>;

impl MediaCopies {
    /// Of games of the inputs that go to a database, or to several or none. `references` finds the files that the
    /// written records refer to; `None` if all files are needed. A file that is in the target's own
    /// folder already is not copied, and no file there is ever replaced.
    ///
    /// # Errors
    /// When it cannot be found out which files there are.
    pub(crate) fn plan(
        items: &[InputItem],
        target: Option<(&GameFormat, &Path)>,
        references: FindReferences<'_>,
    ) -> Result<Self, Error> {
        let mut plan = Self::default();
        let mut planned = HashMap::new();
        for (number, item) in items.iter().enumerate() {
            let mut needed = None;
            for found in item.media_in_folders() {
                let takes =
                    target.filter(|(format, _)| format.media_folders.contains(found.folder));
                let own = takes.map(|(_, path)| target_folder(path, found.folder.extension));
                let mut lost = LostMedia {
                    input: item.name(),
                    folder: found.label.clone(),
                    target: own.clone(),
                    files: 0,
                };
                let Some(own) = own else {
                    lost.files = found.files.len() as u64 + u64::from(found.error.is_some());
                    plan.lose(lost);
                    continue;
                };
                if found
                    .path
                    .as_deref()
                    .is_some_and(|path| is_same(path, &own))
                {
                    continue;
                }
                if let Some(error) = found.error {
                    return Err(error);
                }
                if needed.is_none() {
                    needed = Some(references(number, item)?);
                }
                let needed = needed.as_ref().and_then(Option::as_ref);
                plan.add_folder(found, &own, lost, needed, &mut planned)?;
            }
        }
        Ok(plan)
    }

    fn add_folder(
        &mut self,
        found: FoundFolder,
        own: &Path,
        mut lost: LostMedia,
        needed: Option<&References>,
        planned: &mut HashMap<String, FileContents>,
    ) -> Result<(), Error> {
        for file in found.files {
            if needed.is_some_and(|needed| !needed.has(found.folder, &file.name)) {
                continue;
            }
            let relative = safe_name(&file.name).ok();
            let relative = relative.filter(|_| !matches!(file.contents, FileContents::Irregular));
            let Some(relative) = relative.filter(|relative| is_free(own, relative)) else {
                lost.files += 1;
                continue;
            };
            let to = own.join(relative);
            let other = if fs::symlink_metadata(&to).is_ok() {
                Some(FileContents::OnDisk(to.clone()))
            } else {
                // Files whose names differ in letter case are the same on some systems.
                match planned.entry(to.to_string_lossy().to_lowercase()) {
                    Entry::Occupied(other) => Some(other.get().clone()),
                    Entry::Vacant(free) => {
                        free.insert(file.contents.clone());
                        None
                    }
                }
            };
            match other {
                Some(other) => lost.files += u64::from(!has_same_bytes(&file.contents, &other)?),
                None => self.copies.push(MediaCopy {
                    contents: file.contents,
                    to,
                    folder: own.to_path_buf(),
                    from: LostMedia {
                        files: 1,
                        ..lost.clone()
                    },
                }),
            }
        }
        self.lose(lost);
        Ok(())
    }

    fn lose(&mut self, lost: LostMedia) {
        if lost.files == 0 {
            return;
        }
        let is_same = |other: &&mut LostMedia| {
            other.input == lost.input && other.folder == lost.folder && other.target == lost.target
        };
        match self.lost.iter_mut().find(is_same) {
            Some(other) => other.files += lost.files,
            None => self.lost.push(lost),
        }
    }

    /// Refuses to lose any.
    ///
    /// # Errors
    /// If any is lost.
    pub(crate) fn refuse(&self) -> Result<(), Error> {
        let Some(first) = self.lost.first() else {
            return Ok(());
        };
        let (input, folder) = (&first.input, name_text(first.folder.as_os_str()));
        let of_input = self.lost.iter().filter(|lost| lost.input == *input);
        let count = of_input.map(|lost| lost.files).sum();
        let noun = Feature::MediaFiles.noun(count);
        let why = match &first.target {
            Some(target) => format!(
                "{folder} has files that cannot be copied, or {} has others of these names",
                name_text(target.as_os_str())
            ),
            None => format!("the target has no folder for those in {folder}"),
        };
        let text = format!("{input}: {count} {noun} next to it would not be copied: {why}");
        Err(Error::invalid(text).under_strict())
    }

    /// Whether any file is to be copied.
    pub(crate) fn has_copies(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Writes the copies next to the target, as files of a transaction. Returns their names and their size. Those
    /// that are damaged in their archive are lost; `on_problem` gets the reason of each.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(crate) fn write(
        &mut self,
        transaction: &Transaction,
        on_problem: &mut dyn FnMut(Error) -> Result<(), Error>,
    ) -> Result<(Vec<PathBuf>, u64), Error> {
        let copies = std::mem::take(&mut self.copies);
        let Some(first) = copies.first() else {
            return Ok((Vec::new(), 0));
        };
        let staging = HiddenFolder::new(&first.folder)?;
        let mut outputs = OutputSet::new(false);
        transaction.join(&mut outputs);
        for (number, copy) in copies.iter().enumerate() {
            let staged = staging.path().join(number.to_string());
            match copy_file(&copy.contents, &staged) {
                Ok(()) => {}
                Err(CopyError::Read(error)) if !error.is_system() => {
                    on_problem(error)?;
                    self.lose(copy.from.clone());
                    continue;
                }
                Err(CopyError::Read(error)) => return Err(error),
                Err(CopyError::Write(error)) => {
                    return Err(error.in_path(&copy.to).in_output());
                }
            }
            outputs.make_folder(copy.to.parent().unwrap_or(&copy.folder))?;
            outputs.adopt(&staged, &copy.to).map_err(Error::in_output)?;
            self.copied += 1;
        }
        outputs.commit().map_err(Error::in_output)
    }

    /// Adds what was copied and what was lost to the summary of a job, if it wrote any record.
    pub(crate) fn add_to(self, summary: &mut Summary) {
        if summary.counts.games + summary.counts.texts == 0 {
            return;
        }
        for lost in &self.lost {
            summary.losses.add_whole(&lost.input, &losses(lost.files));
        }
        summary.media_copied += self.copied;
        summary.lost_media.extend(self.lost);
    }

    /// How many were copied, and all losses.
    pub(crate) fn counts(&self) -> (u64, Losses) {
        let lost = self.lost.iter().map(|lost| lost.files).sum();
        (self.copied, losses(lost))
    }
}

fn losses(count: u64) -> Losses {
    let mut losses = Losses::new();
    losses.add(Feature::MediaFiles, count, None);
    losses
}

/// The folder where a database with this path has its media files.
fn target_folder(path: &Path, extension: &str) -> PathBuf {
    let path = final_path(path);
    // A link stays, the set that it leads to is replaced.
    let path = match existing_path(&path) {
        Ok(existing) if path.is_symlink() => existing,
        _ => path,
    };
    path.with_extension(extension)
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Whether everything on the way to a file in a folder is a folder, or not there yet: no link leads elsewhere.
fn is_free(folder: &Path, relative: &Path) -> bool {
    let mut parents: Vec<PathBuf> = relative
        .ancestors()
        .skip(1)
        .map(|parent| folder.join(parent))
        .collect();
    parents.push(folder.to_path_buf());
    parents
        .iter()
        .all(|parent| match fs::symlink_metadata(parent) {
            Ok(data) => data.is_dir(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        })
}

fn open(contents: &FileContents) -> Result<Box<dyn Read + Send>, Error> {
    match contents {
        FileContents::OnDisk(path)
            if fs::symlink_metadata(path).is_ok_and(|data| data.is_file()) =>
        {
            Ok(Box::new(InputFile::open(path)?))
        }
        FileContents::Member(archive, index) => {
            let stream = archive.stream(*index, &OnError::stop());
            stream.map_err(|error| in_contents(error, contents))
        }
        FileContents::OnDisk(path) => {
            Err(Error::from(io::Error::from(io::ErrorKind::NotFound)).in_path(path))
        }
        FileContents::Irregular => Err(Error::invalid("is no regular file")),
    }
}

/// Names the file in an error of reading it.
fn in_contents(error: Error, contents: &FileContents) -> Error {
    match contents {
        FileContents::OnDisk(path) => error.in_path(path),
        FileContents::Member(archive, index) => in_member(&**archive, *index, error),
        FileContents::Irregular => error,
    }
}

fn read_chunk(
    stream: &mut dyn Read,
    contents: &FileContents,
    chunk: &mut [u8],
) -> Result<usize, Error> {
    let mut read = 0;
    while read < chunk.len() {
        match stream.read(chunk.get_mut(read..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(in_contents(error.into(), contents)),
        }
    }
    Ok(read)
}

/// Whether two files have the same bytes. A damaged or irregular one is like no other.
///
/// # Errors
/// When one cannot be read.
fn has_same_bytes(one: &FileContents, other: &FileContents) -> Result<bool, Error> {
    let compare = || -> Result<bool, Error> {
        let (mut stream, mut its_stream) = (open(one)?, open(other)?);
        let (mut chunk, mut its_chunk) = (vec![0; CHUNK], vec![0; CHUNK]);
        loop {
            let read = read_chunk(&mut *stream, one, &mut chunk)?;
            let its_read = read_chunk(&mut *its_stream, other, &mut its_chunk)?;
            let is_same = chunk.get(..read) == its_chunk.get(..its_read);
            if !is_same || read == 0 {
                return Ok(is_same);
            }
        }
    };
    match compare() {
        Err(error) if error.is_system() => Err(error),
        compared => Ok(compared.unwrap_or(false)),
    }
}

enum CopyError {
    Read(Error),
    Write(Error),
}

/// Writes a complete copy.
fn copy_file(contents: &FileContents, to: &Path) -> Result<(), CopyError> {
    let mut stream = open(contents).map_err(CopyError::Read)?;
    let mut outputs = OutputSet::new(false);
    let number = outputs.create(to).map_err(CopyError::Write)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = read_chunk(&mut *stream, contents, &mut chunk).map_err(CopyError::Read)?;
        if read == 0 {
            break;
        }
        if let Some(file) = outputs.file(number) {
            let written = file.write_all(chunk.get(..read).unwrap_or_default());
            written.map_err(|error| CopyError::Write(error.into()))?;
        }
    }
    outputs.commit().map(drop).map_err(CopyError::Write)
}
