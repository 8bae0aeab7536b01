//! An input: a file with its companions, in a folder, an archive or memory.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::io::Blob;
use crate::io::disk;
use crate::io::file_identity::FileIdentity;
use crate::io::folder_names::FolderNames;
use crate::io::journal::{FoundJournal, Journal, is_journal, set_name, set_of_journal};
use crate::io::lock::{follow_links, wait_for_names};
use crate::io::name_text::name_text;

/// A file that belongs to a [`Source`].
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The file's name without its folder, as stored; what is not UTF-8 in it is replaced.
    pub name: String,
    bytes: Bytes,
}

#[derive(Debug, Clone)]
enum Bytes {
    File {
        /// Where the bytes are.
        path: PathBuf,
        /// The path with its name, which a hidden file has not got yet.
        named: PathBuf,
        /// Whether the bytes are copied into memory, not mapped.
        is_copied: bool,
    },
    Memory(Blob),
}

impl SourceFile {
    /// A file of the folder of `folder_file`.
    fn in_folder(folder_file: &Path, name: &OsStr, path: PathBuf) -> Self {
        Self {
            name: name.to_string_lossy().into_owned(),
            bytes: Bytes::File {
                path,
                named: folder_file.with_file_name(name),
                is_copied: false,
            },
        }
    }

    /// Its name for comparisons.
    fn text(&self) -> Cow<'_, str> {
        match &self.bytes {
            Bytes::File { named, .. } => name_text(named.file_name().unwrap_or_default()),
            Bytes::Memory(_) => Cow::Borrowed(&self.name),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(&self) -> Result<Blob> {
        match &self.bytes {
            Bytes::File {
                path,
                named,
                is_copied,
            } => {
                let open = if *is_copied { Blob::copy } else { Blob::open };
                open(path).or_else(|error| {
                    // Another process may have given a hidden file its name meanwhile.
                    if named == path {
                        return Err(error);
                    }
                    open(named).map_err(|_| error)
                })
            }
            Bytes::Memory(blob) => Ok(blob.clone()),
        }
    }

    fn copy_bytes(&mut self) {
        if let Bytes::File { is_copied, .. } = &mut self.bytes {
            *is_copied = true;
        }
    }

    fn is_copied(&self) -> bool {
        matches!(
            self.bytes,
            Bytes::File {
                is_copied: true,
                ..
            }
        )
    }

    /// Its path; `None` for files of archives and of memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::File { path, .. } => Some(path),
            Bytes::Memory(_) => None,
        }
    }
}

/// A main file and its companions: the files of the same folder or archive whose names begin with the
/// same base name, in any letter case. Where two sets have names that differ only in letter case, the files of
/// the other one are none of them.
///
/// ```
/// use tabia_core::io::{Blob, Source};
///
/// let files = [("Mega.CBH", 1), ("mega.cbg", 2), ("other.cbg", 3)]
///     .map(|(name, byte)| (name.to_owned(), Blob::from(vec![byte])));
/// let source = Source::from_members("mega.zip", "Mega.CBH", files.to_vec())?;
/// assert_eq!(source.extension(), "cbh");
/// assert_eq!(&*source.main().open()?, [1]);
/// assert_eq!(source.open_companion("cbg")?.as_deref(), Some(&[2][..]));
/// assert!(source.companion("cba").is_none());
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Source {
    label: Arc<Path>,
    main: SourceFile,
    base: String,
    siblings: Vec<SourceFile>,
    parts: Vec<SourceFile>,
    is_interrupted: bool,
    unproven_journal: Option<Arc<Path>>,
    /// Why the folder cannot be listed; companions are then found by opening their names.
    unlisted: Option<ErrorKind>,
    /// The companions in lower case that an archive has lost, which is reported already.
    lost: Arc<[String]>,
    /// The main file when the folder was listed.
    stamp: MainStamp,
}

/// Which file the main file of a set is. It is the first of its set that loses its name when the set is
/// replaced, and the last one that gets it: as long as it is the same, so are its companions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct MainStamp {
    /// The file that has its name.
    named: Option<FileIdentity>,
    /// The file that is read: that one, or a new one under a hidden name.
    read: Option<FileIdentity>,
}

impl Source {
    /// The file at `path` and its companions in the same folder.
    ///
    /// In a folder that may be entered but not listed, the companions are those with exactly the base
    /// name of `path` and an extension in lower or upper case. A symbolic link without companions of its own is
    /// the set of the file that it leads to.
    ///
    /// # Errors
    /// When there is no file at `path`, or the folder cannot be read for another reason than a missing
    /// permission.
    pub fn from_path(path: &Path) -> Result<Self> {
        Self::listed(path, None)
    }

    /// As [`Source::from_path`], of a file in a folder whose names are known: if its many files are opened one
    /// after the other, it need not be listed for each. [`parts`](Self::parts) are found only `with_parts`: any
    /// number of single files can have names that end in numbers.
    ///
    /// # Errors
    /// As [`Source::from_path`].
    pub fn from_folder(path: &Path, names: &mut FolderNames, with_parts: bool) -> Result<Self> {
        let known = names
            .is_folder_of(path)
            .then_some(KnownNames { names, with_parts });
        Self::listed(path, known)
    }

    fn listed(path: &Path, names: Option<KnownNames<'_>>) -> Result<Self> {
        let listed = Self::listed_next_to(path, names)?;
        let Some(main) = listed.linked_main() else {
            return Ok(listed);
        };
        Ok(Self {
            label: listed.label,
            ..Self::listed_next_to(&main, None)?
        })
    }

    /// The main file that the main file, a symbolic link, leads to. `None` if that has another extension, or if a
    /// file next to the link could be a companion and is no link into the folder of that main file.
    fn linked_main(&self) -> Option<PathBuf> {
        let Bytes::File { path, named, .. } = &self.main.bytes else {
            return None;
        };
        if path != named || !path.is_symlink() {
            return None;
        }
        let target = follow_links(path);
        let folder_of = |file: &Path| disk::folder(file).canonicalize().ok();
        let set = folder_of(&target)?;
        let leads_there = |file: &SourceFile| {
            let path = file.path().filter(|path| path.is_symlink());
            path.is_some_and(|path| folder_of(&follow_links(path)).as_ref() == Some(&set))
        };
        let is_companion = |file: &&SourceFile| base_name(&file.text()).to_lowercase() == self.base;
        let mut companions = self.siblings.iter().filter(is_companion);
        let name = name_text(target.file_name()?);
        (extension(&name) == self.extension()
            && companions.all(leads_there)
            && self.parts.iter().all(leads_there))
        .then_some(target)
    }

    /// As [`from_path`](Self::from_path), with the companions in the folder of `path`, also if that is a link.
    pub(super) fn next_to(path: &Path) -> Result<Self> {
        Self::listed_next_to(path, None)
    }

    fn listed_next_to(path: &Path, mut names: Option<KnownNames<'_>>) -> Result<Self> {
        let names = &mut names;
        let name = path.file_name().unwrap_or_default();
        let base = base_name(&name_text(name)).to_lowercase();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let is_sibling = |name: &OsStr| name_text(name).to_lowercase().starts_with(&base);
        let mut unlisted = None;
        let mut named = FileIdentity::at(path);
        let (mut listing, mut found) =
            SetListing::with_main(path, name, &base, names, &mut unlisted);
        if listing.is_interrupted {
            // By a process that ended, or by one that is about to complete the replacement.
            wait_for_names(path);
            named = FileIdentity::at(path);
            (listing, found) = SetListing::with_main(path, name, &base, names, &mut unlisted);
        }
        let SetListing {
            files,
            is_interrupted,
            unproven_journal,
        } = listing;
        let listed = files.iter().find(|(file, _)| *file == name);
        let main_path = listed.map_or(path, |(_, file_path)| file_path);
        let read = found.as_ref().ok().and_then(FileIdentity::of);
        if let Err(error) = found {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            return Err(match unproven_journal.filter(|_| is_missing) {
                Some(journal) => unproven_error(&journal).in_path(path),
                None => Error::from(error).in_path(path),
            });
        }
        if let Some(error) =
            unlisted.take_if(|error| error.kind() != io::ErrorKind::PermissionDenied)
        {
            return Err(Error::from(error).in_path(folder));
        }
        let main = SourceFile::in_folder(path, name, main_path.to_path_buf());
        let mut siblings = Vec::new();
        let mut parts = Vec::new();
        for (name, file_path) in files {
            let of_set = if is_sibling(&name) {
                &mut siblings
            } else {
                &mut parts
            };
            of_set.push(SourceFile::in_folder(path, &name, file_path));
        }
        leave_out_other_sets(&main, &mut siblings);
        siblings.sort_by(|a: &SourceFile, b| a.name.cmp(&b.name));
        parts.sort_by(|a: &SourceFile, b| a.name.cmp(&b.name));
        Ok(Self {
            label: Arc::from(path),
            main,
            base,
            siblings,
            parts,
            is_interrupted,
            unproven_journal: unproven_journal.map(Arc::from),
            unlisted: unlisted.map(ErrorKind::Io),
            lost: Arc::default(),
            stamp: MainStamp { named, read },
        })
    }

    /// A file of an archive or of memory. `label` names it in messages; `members` are the names and
    /// bytes of all files, including `main`.
    ///
    /// # Errors
    /// [`ErrorKind::MissingFile`] if `main` is not a member.
    pub fn from_members(
        label: impl Into<PathBuf>,
        main: &str,
        members: Vec<(String, Blob)>,
    ) -> Result<Self> {
        let label: PathBuf = label.into();
        let base = base_name(main).to_lowercase();
        let (mut siblings, mut parts) = (Vec::new(), Vec::new());
        for (name, blob) in members {
            let is_sibling = name.to_lowercase().starts_with(&base);
            let is_part = is_part(&name, &base);
            let file = SourceFile {
                name,
                bytes: Bytes::Memory(blob),
            };
            if is_sibling {
                siblings.push(file);
            } else if is_part {
                parts.push(file);
            }
        }
        let Some(main) = siblings.iter().find(|file| file.name == main).cloned() else {
            return Err(Error::new(ErrorKind::MissingFile(main.to_owned())).in_path(&label));
        };
        leave_out_other_sets(&main, &mut siblings);
        Ok(Self {
            label: Arc::from(label),
            main,
            base,
            siblings,
            parts,
            is_interrupted: false,
            unproven_journal: None,
            unlisted: None,
            lost: Arc::default(),
            stamp: MainStamp::default(),
        })
    }

    /// The same files; those with `names` are lost with a part of their archive, which reports that.
    #[must_use]
    pub fn with_lost(mut self, names: impl Iterator<Item = String>) -> Self {
        self.lost = names.map(|name| name.to_lowercase()).collect();
        self
    }

    /// Whether there is no companion with an extension, given in lower case without dot, as a part of the archive
    /// is lost. Its absence is reported with the archive.
    ///
    /// ```
    /// use tabia_core::io::{Blob, Source};
    ///
    /// let files = vec![("Mega.cbh".to_owned(), Blob::from(vec![1]))];
    /// let source = Source::from_members("mega.cbv", "Mega.cbh", files)?;
    /// let source = source.with_lost(["Mega.cbg".to_owned()].into_iter());
    /// assert!(source.is_lost("cbg") && !source.is_lost("cba"));
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn is_lost(&self, wanted: &str) -> bool {
        let is_wanted = |name: &String| extension(name) == wanted && base_name(name) == self.base;
        self.lost.iter().any(is_wanted)
    }

    /// The same files, whose bytes are copied into memory when they are opened, not mapped.
    #[must_use]
    pub fn copied(mut self) -> Self {
        let siblings = self.siblings.iter_mut().chain(&mut self.parts);
        siblings
            .chain([&mut self.main])
            .for_each(SourceFile::copy_bytes);
        self
    }

    /// Whether the file `other` can belong to the set whose main file is `main`, both without their folder:
    /// its name begins with the base name of `main`, in any letter case, and no letter or digit follows
    /// there; or it is another part of a set that consists of parts.
    ///
    /// ```
    /// use tabia_core::io::Source;
    ///
    /// assert!(Source::is_of_set("Mega.cbh", "mega.CBG"));
    /// assert!(Source::is_of_set("book_0.kob", "book_1.kob"));
    /// assert!(!Source::is_of_set("twic1.cbh", "twic10.cbg"));
    /// ```
    pub fn is_of_set(main: &str, other: &str) -> bool {
        let base = base_name(main).to_lowercase();
        let lower = other.to_lowercase();
        let is_sibling = |rest: &str| !rest.starts_with(char::is_alphanumeric);
        lower.strip_prefix(&base).is_some_and(is_sibling) || is_part(other, &base)
    }

    /// Whether the replacement of this set was interrupted (see [`OutputSet`](super::OutputSet)). The
    /// new files are read then, and the next writer in the folder completes the replacement.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// The problem of a hidden file that claims to be the journal of an interrupted replacement of this
    /// set, and was not written by this user for the files that are there: it came with an archive or from
    /// another user, or the files were changed since. It is not followed. `None` if there is no such file.
    pub fn unproven_journal(&self) -> Option<Error> {
        self.unproven_journal.as_deref().map(unproven_error)
    }

    /// The name of the input in messages: its path.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// The name of a companion in messages: its path, or the label with that extension.
    pub fn label_of(&self, extension: &str) -> Arc<Path> {
        let file = self.companion(extension);
        match (file.as_deref().and_then(SourceFile::path), &self.main.bytes) {
            (Some(path), _) => Arc::from(path),
            // The label may be a link to the main file.
            (None, Bytes::File { named, .. }) => Arc::from(named.with_extension(extension)),
            (None, Bytes::Memory(_)) => Arc::from(self.label.with_extension(extension)),
        }
    }

    /// Name of the main file, without its folder.
    pub fn name(&self) -> &str {
        &self.main.name
    }

    /// Extension of the main file in lower case; `""` if absent.
    pub fn extension(&self) -> String {
        extension(&self.main.name)
    }

    /// The main file.
    pub fn main(&self) -> &SourceFile {
        &self.main
    }

    /// The companion with an extension, given in lower case without dot; `None` if absent. The one with exactly the
    /// base name of the main file; without such a file the only one that has it in another letter case.
    pub fn companion(&self, wanted: &str) -> Option<Cow<'_, SourceFile>> {
        let has_name = |file: &&SourceFile| {
            let name = file.text();
            extension(&name) == wanted && base_name(&name).to_lowercase() == self.base
        };
        let mut named = self.siblings.iter().filter(has_name);
        let first = named.next();
        let listed = if named.next().is_none() {
            first
        } else {
            let main = self.main.text();
            let (own, own_extension) = (base_name(&main), stored_extension(&main));
            // The main file itself, too, if that is wanted; else an extension in the letter case of that of the main file.
            let rank = |file: &&SourceFile| {
                let name = file.text();
                let is_upper = |text: &str| text.chars().any(char::is_uppercase);
                (
                    name != main,
                    is_upper(stored_extension(&name)) != is_upper(own_extension),
                )
            };
            let same = self.siblings.iter().filter(has_name);
            same.filter(|file| base_name(&file.text()) == own)
                .min_by_key(rank)
        };
        let listed = listed.map(Cow::Borrowed);
        listed.or_else(|| self.unlisted_companion(wanted).map(Cow::Owned))
    }

    /// The companion with an extension in a folder that cannot be listed. A file that exists and
    /// cannot be read is found, too.
    fn unlisted_companion(&self, wanted: &str) -> Option<SourceFile> {
        self.unlisted.as_ref()?;
        let main = self.main.path()?;
        let paths = [wanted.to_owned(), wanted.to_uppercase()].map(|ext| main.with_extension(ext));
        let path = paths.into_iter().find(|path| {
            let found = std::fs::symlink_metadata(path);
            !found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        })?;
        let mut file = SourceFile::in_folder(&path, path.file_name()?, path.clone());
        if self.main.is_copied() {
            file.copy_bytes();
        }
        Some(file)
    }

    /// The bytes of a companion; `None` if absent.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn open_companion(&self, wanted: &str) -> Result<Option<Blob>> {
        let file = self.companion(wanted);
        file.map(|file| file.open()).transpose()
    }

    /// The path by which others find the [companion](Self::companion); `None` if it is absent or in no folder.
    pub(super) fn companion_target(&self, wanted: &str) -> Option<PathBuf> {
        match &self.companion(wanted)?.bytes {
            Bytes::File { named, .. } => Some(named.clone()),
            Bytes::Memory(_) => None,
        }
    }

    /// Checks that [`siblings`](Self::siblings) and [`parts`](Self::parts) are complete.
    ///
    /// # Errors
    /// When the folder of the files cannot be listed.
    pub fn require_listing(&self) -> Result<()> {
        match &self.unlisted {
            Some(kind) => Err(Error::new(kind.clone()).in_path(disk::folder(&self.label))),
            None => Ok(()),
        }
    }

    /// The same set with another main file, named by extension: a companion, or its part 0 (`name_0.ext`).
    /// `None` if both are absent.
    pub fn with_main(&self, wanted: &str) -> Option<Self> {
        let first = format!("{}_0.{wanted}", self.base);
        let main = self.companion(wanted).or_else(|| {
            let all = &mut self.siblings.iter();
            let part = all.find(|file| file.text().to_lowercase() == first);
            part.map(Cow::Borrowed)
        });
        let main = main?.into_owned();
        let label = match main.path() {
            Some(path) => Arc::from(path),
            None => Arc::from(self.label.with_extension(wanted)),
        };
        Some(Self {
            label,
            main,
            base: self.base.clone(),
            siblings: self.siblings.clone(),
            parts: self.parts.clone(),
            is_interrupted: self.is_interrupted,
            unproven_journal: self.unproven_journal.clone(),
            unlisted: self.unlisted.clone(),
            lost: Arc::clone(&self.lost),
            // This main file may be newer than the listing.
            stamp: MainStamp::default(),
        })
    }

    /// Whether its main file is the same as when the folder was listed. If it is so after all files were
    /// opened, they are those of one set: another process that replaces the set changes its main file first
    /// and last. Always so for files of archives and of memory.
    ///
    /// ```
    /// use tabia_core::io::Source;
    ///
    /// # let folder = std::env::temp_dir().join(format!("tabia-doc-current-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("games.pgn");
    /// std::fs::write(&path, "*")?;
    /// let source = Source::from_path(&path)?;
    /// assert!(source.is_current());
    /// # if cfg!(unix) {
    /// std::fs::write(folder.join("new"), "1. e4 *")?;
    /// std::fs::rename(folder.join("new"), &path)?;
    /// assert!(!source.is_current());
    /// assert!(source.listed_again()?.is_current());
    /// # }
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn is_current(&self) -> bool {
        let Bytes::File { path, named, .. } = &self.main.bytes else {
            return true;
        };
        let is_hidden = path != named;
        let now = MainStamp {
            named: FileIdentity::at(named),
            read: FileIdentity::at(path),
        };
        // A file that was replaced between the two looks has two identities.
        now == self.stamp && (is_hidden || now.named == now.read)
    }

    /// The same set as it is now.
    ///
    /// # Errors
    /// As [`Source::from_path`].
    pub fn listed_again(&self) -> Result<Self> {
        match &self.main.bytes {
            Bytes::File {
                named, is_copied, ..
            } => {
                let listed = Self {
                    label: Arc::clone(&self.label),
                    ..Self::from_path(named)?
                };
                Ok(if *is_copied { listed.copied() } else { listed })
            }
            Bytes::Memory(_) => Ok(self.clone()),
        }
    }

    /// Every file whose name begins with the base name, including the main file, sorted by name.
    pub fn siblings(&self) -> &[SourceFile] {
        &self.siblings
    }

    /// If the base name of the main file ends in `_` and a number, as in sets that consist of parts: the
    /// files with another number or without one, sorted by name. Siblings are not among them.
    pub fn parts(&self) -> &[SourceFile] {
        &self.parts
    }
}

/// Leaves out the files of sets whose name differs from that of `main` only in letter case: those with the base
/// name of another file with the extension of `main`.
fn leave_out_other_sets(main: &SourceFile, siblings: &mut Vec<SourceFile>) {
    let main = main.text().into_owned();
    let (own, main_extension) = (base_name(&main), extension(&main));
    let lower = own.to_lowercase();
    let is_other = |name: &str| {
        let base = base_name(name);
        base != own && base.to_lowercase() == lower
    };
    let others: Vec<String> = siblings
        .iter()
        .map(|file| file.text().into_owned())
        .filter(|name| is_other(name) && extension(name) == main_extension)
        .map(|name| base_name(&name).to_owned())
        .collect();
    if !others.is_empty() {
        siblings.retain(|file| !others.iter().any(|other| base_name(&file.text()) == other));
    }
}

/// What a hidden file that is not followed means.
pub(super) fn unproven_error(journal: &Path) -> Error {
    let name = journal.file_name().map(lossy).unwrap_or_default();
    let text = format!(
        "the hidden file `{name}` states that these files are being replaced, but this user's tabia did \
         not write it for them: it is not followed; remove it if it is not needed"
    );
    Error::invalid(text)
}

/// The names in a folder, and whether those of the parts of a set are needed.
struct KnownNames<'n> {
    names: &'n mut FolderNames,
    with_parts: bool,
}

/// The files that may belong to a set, by their names, and where their bytes are.
struct SetListing {
    files: Vec<(OsString, PathBuf)>,
    is_interrupted: bool,
    unproven_journal: Option<PathBuf>,
}

impl SetListing {
    /// How often a folder is listed in which other processes replace files.
    const ATTEMPTS: u32 = 5;

    /// The time before a folder is listed again in which a file lost its name.
    const PAUSE: Duration = Duration::from_millis(2);

    /// As [`read`](Self::read); also the metadata of the main file `name`. If that was listed and has
    /// another name now, another process is replacing it: the folder is listed again.
    fn with_main(
        path: &Path,
        name: &OsStr,
        base: &str,
        names: &mut Option<KnownNames<'_>>,
        unlisted: &mut Option<io::Error>,
    ) -> (Self, io::Result<Metadata>) {
        let mut attempts = 1..Self::ATTEMPTS;
        loop {
            let listing = Self::read(path, base, names, unlisted);
            let listed = listing.files.iter().find(|(file, _)| file == name);
            let found = std::fs::metadata(listed.map_or(path, |(_, path)| path));
            let is_lost = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
            let is_replaced = listed.is_some() && found.as_ref().is_err_and(is_lost);
            if !is_replaced || attempts.next().is_none() {
                return (listing, found);
            }
            thread::sleep(Self::PAUSE);
        }
    }

    /// Lists the folder of `path`. `base` is the base name in lower case; an error of listing goes to
    /// `unlisted`.
    fn read(
        path: &Path,
        base: &str,
        names: &mut Option<KnownNames<'_>>,
        unlisted: &mut Option<io::Error>,
    ) -> Self {
        let mut attempts = 1..=Self::ATTEMPTS;
        loop {
            let is_last = attempts
                .next()
                .is_none_or(|number| number == Self::ATTEMPTS);
            let (listing, is_outdated) = Self::read_once(path, base, names, unlisted);
            if !is_outdated || is_last {
                return listing;
            }
        }
    }

    /// As [`read`](Self::read); also whether a journal disappeared after the folder was listed.
    fn read_once(
        path: &Path,
        base: &str,
        names: &mut Option<KnownNames<'_>>,
        unlisted: &mut Option<io::Error>,
    ) -> (Self, bool) {
        let mut listing = Self {
            files: Vec::new(),
            is_interrupted: false,
            unproven_journal: None,
        };
        let names = match names {
            Some(known) => {
                let parts = set_of_parts(base).filter(|_| known.with_parts);
                known.names.of_set(parts.unwrap_or(base))
            }
            None => disk::list(disk::folder(path)),
        };
        let names = names.unwrap_or_else(|error| {
            *unlisted = Some(error);
            Vec::new()
        });
        let set = set_name(path);
        let mut journals = Vec::new();
        for stored in names {
            let name = name_text(&stored);
            let is_about = |set: &Option<String>| {
                let joint = |set: &str| Journal::is_joint_with(&path.with_file_name(&stored), set);
                set_of_journal(&stored) == *set || set.as_deref().is_some_and(joint)
            };
            if is_journal(&stored) {
                if is_about(&set) {
                    journals.push(stored);
                }
            } else if !differs_at_first_letter(&name, base)
                && (name.to_lowercase().starts_with(base) || is_part(&name, base))
            {
                let file_path = path.with_file_name(&stored);
                listing.files.push((stored.clone(), file_path));
            }
        }
        let mut is_outdated = false;
        for (found_path, found) in Journal::find(path, journals.into_iter()) {
            match found {
                FoundJournal::Own(journal) => listing.follow(&journal, base),
                FoundJournal::Unproven => listing.unproven_journal = Some(found_path),
                FoundJournal::Gone => is_outdated = true,
            }
        }
        (listing, is_outdated)
    }

    /// Replaces the paths of files that a journal replaces and that do not have their names yet.
    fn follow(&mut self, journal: &Journal, base: &str) {
        for step in journal.steps() {
            let stored = step.target.file_name().unwrap_or_default();
            let name = name_text(stored);
            if !name.to_lowercase().starts_with(base) && !is_part(&name, base) {
                continue;
            }
            self.is_interrupted |= base_name(&name).to_lowercase() == base || is_part(&name, base);
            self.files.retain(|(file, _)| file != stored);
            if let Some(new) = &step.new {
                let path = if new.exists() { new } else { &step.target };
                self.files.push((stored.to_owned(), path.clone()));
            }
        }
    }
}

/// Whether a file is a part of the set that has the numbered part `base` (in lower case).
fn is_part(name: &str, base: &str) -> bool {
    let Some(set) = set_of_parts(base) else {
        return false;
    };
    let other = base_name(name).to_lowercase();
    let rest = other.strip_prefix(set);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(is_number))
}

/// The base name of the set whose numbered part `base` is; `None` if it has no number.
fn set_of_parts(base: &str) -> Option<&str> {
    let (set, _) = base
        .rsplit_once('_')
        .filter(|(_, number)| is_number(number))?;
    Some(set)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the first letter alone shows that a name does not begin with `base` (in lower case). Skips
/// most files of a large folder quickly.
fn differs_at_first_letter(name: &str, base: &str) -> bool {
    match (name.as_bytes(), base.as_bytes()) {
        // A set whose name begins with `_` can have parts whose names do not.
        ([first, ..], [wanted, ..]) if *wanted != b'_' => {
            first.is_ascii() && first.to_ascii_lowercase() != *wanted
        }
        _ => false,
    }
}

fn lossy(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

fn base_name(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(base, _)| base)
}

/// The extension in the letter case that it has.
fn stored_extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn extension(name: &str) -> String {
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_are_found_in_any_letter_case() {
        let members = [
            "Capa.CBH",
            "capa.cbg",
            "CAPA.Cba",
            "Capablanca.cbg",
            "other.cbp",
        ]
        .map(|name| (name.to_owned(), Blob::from(name.as_bytes().to_vec())));
        let source = Source::from_members("x.cbv", "Capa.CBH", members.to_vec()).unwrap();
        assert_eq!(source.extension(), "cbh");
        assert_eq!(
            &*source.open_companion("cbg").unwrap().unwrap(),
            b"capa.cbg"
        );
        assert_eq!(source.companion("cba").unwrap().name, "CAPA.Cba");
        assert!(source.companion("cbp").is_none());
        assert_eq!(source.with_main("cbg").unwrap().name(), "capa.cbg");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_without_companions_is_the_set_it_leads_to() {
        use std::os::unix::fs::symlink;

        let scratch = tabia_testkit::Scratch::new("linked-set");
        let (set, links) = (scratch.join("set"), scratch.join("links"));
        std::fs::create_dir(&set).unwrap();
        std::fs::create_dir(&links).unwrap();
        for name in ["mega.cbh", "mega.cbg", "mega.si4", "mega.sg4"] {
            std::fs::write(set.join(name), name).unwrap();
        }
        let companion = |link: &str, extension| {
            let source = Source::from_path(&links.join(link)).unwrap();
            assert_eq!(**source.label(), links.join(link));
            assert!(source.is_current());
            assert_eq!(**source.listed_again().unwrap().label(), links.join(link));
            let blob = source.open_companion(extension).unwrap();
            blob.map(|blob| String::from_utf8(blob.to_vec()).unwrap())
        };
        let link = |target: &str, name: &str| symlink(target, links.join(name)).unwrap();
        link("../set/mega.cbh", "current.cbh");
        link("current.cbh", "again.CBH");
        assert_eq!(companion("current.cbh", "cbg").unwrap(), "mega.cbg");
        assert_eq!(companion("again.CBH", "cbg").unwrap(), "mega.cbg");
        assert_eq!(companion("current.cbh", "cba"), None);
        // Links to several sets of one name, and to each file of a set.
        link("../set/mega.cbh", "mega.cbh");
        link("../set/mega.si4", "mega.si4");
        link("../set/mega.sg4", "mega.sg4");
        assert_eq!(companion("mega.cbh", "cbg").unwrap(), "mega.cbg");
        assert_eq!(companion("mega.si4", "sg4").unwrap(), "mega.sg4");
        // Next to own companions it is the main file of these.
        link("../set/mega.cbh", "own.cbh");
        std::fs::write(links.join("own.cba"), "own").unwrap();
        assert_eq!(companion("own.cbh", "cba").unwrap(), "own");
        assert_eq!(companion("own.cbh", "cbg"), None);
        link("../set/mega.cbh", "other.si4");
        assert_eq!(companion("other.si4", "cbg"), None);
    }

    /// The small files of a set are copied in any case.
    #[cfg(unix)]
    #[test]
    fn copied_sets_do_not_change_with_their_files() {
        let scratch = tabia_testkit::Scratch::new("copied");
        let folder = scratch.path();
        let bytes = |byte| vec![byte; 1 << 17];
        for name in ["a.cbh", "a.cbg", "a.cba"] {
            std::fs::write(folder.join(name), bytes(1)).unwrap();
        }
        let source = Source::from_path(&folder.join("a.cbh")).unwrap();
        let again = source.clone().copied().listed_again().unwrap();
        let open = |source: &Source| {
            let games = source.with_main("cbg").unwrap().main().open().unwrap();
            let companion = source.open_companion("cba").unwrap().unwrap();
            [source.main().open().unwrap(), games, companion]
        };
        let (mapped, copied) = (open(&source), open(&again));
        for name in ["a.cbh", "a.cbg", "a.cba"] {
            // The same file, not another with its name.
            let file = std::fs::OpenOptions::new()
                .write(true)
                .open(folder.join(name));
            io::Write::write_all(&mut file.unwrap(), &bytes(2)).unwrap();
        }
        assert!(mapped.iter().all(|blob| **blob == *bytes(2)));
        assert!(copied.iter().all(|blob| **blob == *bytes(1)));
    }

    #[test]
    fn sets_whose_names_differ_in_letter_case_are_distinguished() {
        let names = [
            "FOB.CBH", "FOB.CBP", "FOB.cba", "Fob.cbt", "fob.CBP", "fob.cbg", "fob.cbh", "fob.cbp",
        ];
        let members = || {
            let members = names.map(|name| (name.to_owned(), Blob::from(Vec::new())));
            members.to_vec()
        };
        let lower = Source::from_members("x", "fob.cbh", members()).unwrap();
        let upper = Source::from_members("x", "FOB.CBH", members()).unwrap();
        let name = |source: &Source, extension: &str| {
            source
                .companion(extension)
                .map(|file| file.name.clone())
                .unwrap_or_default()
        };
        let extensions = ["cbh", "cbp", "cbg", "cba", "cbt"];
        assert_eq!(
            extensions.map(|extension| name(&lower, extension)),
            ["fob.cbh", "fob.cbp", "fob.cbg", "", "Fob.cbt"]
        );
        assert_eq!(
            extensions.map(|extension| name(&upper, extension)),
            ["FOB.CBH", "FOB.CBP", "", "FOB.cba", "Fob.cbt"]
        );
        // Of one that has the name in two other letter cases, none is that of the set.
        let members = ["a.cbh", "A.cbp", "a.cbg", "A.CBP"]
            .map(|name| (name.to_owned(), Blob::from(Vec::new())));
        let source = Source::from_members("x", "a.cbh", members.to_vec()).unwrap();
        assert_eq!(name(&source, "cbp"), "");
    }

    #[test]
    fn parts_of_a_set_are_found() {
        let members = [
            "a_0.kob", "A_1.kob", "a.kin", "a_x.kin", "ab_1.kob", "a_12.kob",
        ]
        .map(|name| (name.to_owned(), Blob::from(Vec::new())));
        let source = Source::from_members("x", "a_0.kob", members.to_vec()).unwrap();
        let names = |files: &[SourceFile]| -> Vec<String> {
            files.iter().map(|file| file.name.clone()).collect()
        };
        assert_eq!(names(source.siblings()), ["a_0.kob"]);
        assert_eq!(names(source.parts()), ["A_1.kob", "a.kin", "a_12.kob"]);
        let index = Source::from_members("x", "a.kin", members.to_vec()).unwrap();
        assert_eq!(index.with_main("kob").unwrap().name(), "a_0.kob");
        assert_eq!(names(index.parts()), [""; 0]);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Source::from_path(Path::new("no/such.cbh")).unwrap_err();
        assert!(error.to_string().starts_with("no/such.cbh: "), "{error}");
    }
}
