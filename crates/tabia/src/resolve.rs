//! From what a user typed to inputs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::formats::{Limits, OpenOptions, Probe};
use tabia_core::io::{
    Blob, FolderNames, InputFile, JournaledFolder, Source, list_folder, name_text,
};
use tabia_core::{Error, ErrorKind, GameFormat, Result};
use tabia_formats::archives;
use tabia_formats::archives::compressed::Compression;
use tabia_formats::archives::{Archive, OnError, Presence, member_label};
use tabia_formats::{ARCHIVES, Format, formats, unsupported};

use crate::detect::{by_name, detect};
use crate::input::{InputItem, OnceStream, Origin, plain};
use crate::split_at_colons::splits_at_colons;

/// How deep folders are searched; what is deeper is an error in the list of inputs.
pub(crate) const DEPTH: u32 = 256;

/// Extensions of companions that files of other programs have, too.
const COMMON_EXTENSIONS: [&str; 2] = ["ini", "flags"];

/// Finds and recognises inputs: files, any member file of a set, base names, folders, archives,
/// members of archives, compressed files, streams.
#[derive(Debug, Clone)]
pub struct Resolver {
    formats: Vec<Format>,
    /// Takes every input for this format.
    pub from: Option<Format>,
    /// How archives are opened on the way to their members.
    pub options: OpenOptions,
    last_folder: Arc<Mutex<LastFolder>>,
}

/// The folder of the file that was resolved last, and its names if it was not the first one of that folder.
#[derive(Debug, Default)]
struct LastFolder {
    path: PathBuf,
    names: Option<FolderNames>,
}

impl Default for Resolver {
    fn default() -> Self {
        Self::new(formats())
    }
}

impl Resolver {
    /// A resolver that knows these formats, and all archives.
    pub fn new(formats: impl IntoIterator<Item = Format>) -> Self {
        let mut all: Vec<Format> = formats.into_iter().collect();
        for archive in ARCHIVES.iter().copied().map(Format::Archive) {
            if !all.contains(&archive) {
                all.push(archive);
            }
        }
        Self {
            formats: all,
            from: None,
            options: OpenOptions::default(),
            last_folder: Arc::default(),
        }
    }

    /// Every format known here.
    pub fn formats(&self) -> &[Format] {
        &self.formats
    }

    /// The format of that name or extension.
    pub fn format(&self, name: &str) -> Option<Format> {
        by_name(&self.formats, name)
    }

    /// What a path names: one input, or all databases, books and archives of a folder, sorted.
    /// Archives stay archives; see [`Resolver::expand`].
    ///
    /// # Errors
    /// When nothing is there, or what is there is not recognised; of a folder the first of
    /// [`Resolver::resolve_each`].
    pub fn resolve(&self, path: &OsStr) -> Result<Vec<InputItem>> {
        self.resolve_each(path)?.into_iter().collect()
    }

    /// As [`Resolver::resolve`]. A file or folder in a folder that cannot be read, or is not what its
    /// name claims, is an error in the list and does not hide the others.
    ///
    /// # Errors
    /// When nothing is there, or what is there is not recognised; not for what is in a folder.
    pub fn resolve_each(&self, path: &OsStr) -> Result<Vec<Result<InputItem>>> {
        if path != "-" && Path::new(path).is_dir() {
            return self.folder(Path::new(path), DEPTH);
        }
        Ok(self.single(path)?.into_iter().map(Ok).collect())
    }

    /// The sources of games that a path names: as [`Resolver::resolve_each`], with archives replaced by
    /// what is in them. Books in a folder, or in an archive with a database, and archives in a folder without one are
    /// left out; a book in a folder that cannot be opened is an error in the list.
    ///
    /// # Errors
    /// When nothing is there, or what is there is not recognised or holds no database; not for what is
    /// in a folder.
    pub fn resolve_games(&self, path: &OsStr) -> Result<Vec<Result<InputItem>>> {
        let mut contents = Vec::new();
        if path == "-" || !Path::new(path).is_dir() {
            for item in self.single(path)? {
                let is_archive = item.is_archive();
                let mut items = self.expand(item)?;
                let has_games = items
                    .iter()
                    .flatten()
                    .any(|item| item.format().games().is_some());
                if is_archive && has_games {
                    let is_book = |item: &InputItem| item.format().book().is_some();
                    items.retain(|item| !item.as_ref().is_ok_and(is_book));
                }
                contents.extend(items);
            }
            return Ok(contents);
        }
        for item in self.folder(Path::new(path), DEPTH)? {
            let members = item.and_then(|item| match self.archive(&item)? {
                Some(archive) => Ok(self.contents(&archive)),
                None => Ok(vec![Ok(item)]),
            });
            let members = members.unwrap_or_else(|error| vec![Err(error)]);
            contents.extend(members.into_iter().filter_map(|item| match item {
                Ok(item) if item.format().games().is_none() => self.unreadable_book(&item).map(Err),
                item => Some(item),
            }));
        }
        if contents.is_empty() {
            return Err(Error::unsupported("no database in this folder").in_path(Path::new(path)));
        }
        Ok(contents)
    }

    /// As [`Resolver::resolve_each`] of a folder, with the folders in it down to `depth`: 0 for none of them.
    ///
    /// # Errors
    /// When the folder cannot be read or holds nothing that is known.
    pub fn resolve_folder(&self, path: &Path, depth: u32) -> Result<Vec<Result<InputItem>>> {
        self.folder(path, depth)
    }

    /// Why a book in a folder cannot be opened; `None` if it can, or is in an archive or no book.
    fn unreadable_book(&self, item: &InputItem) -> Option<Error> {
        item.source()?;
        item.format().book()?;
        item.open(&self.options, None).err()
    }

    fn single(&self, path: &OsStr) -> Result<Vec<InputItem>> {
        if path == "-" {
            let stdin: Box<dyn Read + Send> = Box::new(io::stdin());
            return Ok(vec![self.once(Path::new("-"), None, stdin)?]);
        }
        if path.is_empty() {
            let hint = "a variable of the shell that is not set gives an empty name";
            return Err(Error::usage("the name of an input is empty").with_hint(hint));
        }
        let path = Path::new(path);
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(vec![self.file(path)?]),
            Ok(_) => {
                let pipe = InputFile::open(path)?;
                Ok(vec![self.once(path, None, Box::new(pipe))?])
            }
            // Moved away while it is being replaced: another file has what belongs there.
            Err(_) if Source::from_path(path).is_ok() => Ok(vec![self.file(path)?]),
            Err(error) => match self.base_name(path)? {
                Some(item) => Ok(vec![item]),
                None => match self.member(path)? {
                    Some(item) => Ok(vec![item]),
                    // The error of the set may state more.
                    None => Err(match Source::from_path(path) {
                        Err(error) if !error.is_not_found() => error,
                        _ => Error::from(error).in_path(path),
                    }),
                },
            },
        }
    }

    /// A stream of bytes, by its first bytes; `label` names it in messages.
    ///
    /// # Errors
    /// When it cannot be read or is not recognised.
    pub fn stream(&self, label: &Path, stream: Box<dyn Read + Send>) -> Result<InputItem> {
        self.once(label, None, stream)
    }

    /// A file in memory, with the name that it would have.
    ///
    /// ```
    /// use tabia::{OpenInput, OpenOptions, Resolver};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// let item = Resolver::default().bytes("games.pgn", b"1. e4 e5 *".to_vec())?;
    /// let opened = item.open_indexed(&OpenOptions::default())?;
    /// assert!(matches!(opened.input, OpenInput::Database(database) if database.len() == 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it is not recognised.
    pub fn bytes(&self, name: &str, bytes: Vec<u8>) -> Result<InputItem> {
        self.files(name, vec![(name.to_owned(), Blob::from(bytes))])
    }

    /// A set of files in memory, or read in ranges ([`Blob::in_ranges`]): the name of its main file, and the names and
    /// bytes of all its files.
    ///
    /// # Errors
    /// When the main file is not among them or is not recognised.
    pub fn files(&self, main: &str, files: Vec<(String, Blob)>) -> Result<InputItem> {
        let source = Source::from_members(main, main, files)?;
        let blob = source.main().open()?;
        let head = blob.prefix(Probe::HEAD).to_vec();
        if Compression::of_content(&head) == Compression::None || is_container(&source, &head) {
            return self.source_item_with(source, &head);
        }
        let file = Box::new(Cursor::new(blob.clone()));
        let format = self.recognise_packed(main, file)?;
        Ok(item(
            Arc::from(Path::new(main)),
            format,
            Origin::PackedInMemory(blob),
        ))
    }

    /// The databases and books in an archive, as [`Resolver::contents`]; any other item itself.
    ///
    /// # Errors
    /// When the archive cannot be read, or nothing in it is recognised.
    pub fn expand(&self, item: InputItem) -> Result<Vec<Result<InputItem>>> {
        let Some(archive) = self.archive(&item)? else {
            return Ok(vec![Ok(item)]);
        };
        let mut items = self.contents(&archive);
        if items.iter().any(Result::is_ok) {
            return Ok(items);
        }
        if !items.is_empty() {
            items.swap_remove(0)?;
        }
        let count = archive.members().len();
        let text = match count {
            0 => "the archive is empty".to_owned(),
            1 => "its only member is no database or book".to_owned(),
            _ => format!("no database or book among its {count} members"),
        };
        Err(Error::unsupported(text).in_file(&item.label))
    }

    /// The open archive, when the item is one.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn archive(&self, item: &InputItem) -> Result<Option<Arc<dyn Archive>>> {
        if !item.is_archive() {
            return Ok(None);
        }
        match item.open(&self.options, None)?.input {
            crate::OpenInput::Archive(archive) => Ok(Some(archive)),
            _ => Ok(None),
        }
    }

    /// The databases, books and archives of an open archive, sorted by name; hidden files are left out. A
    /// member that cannot be read, or is not what its name claims, is an error in the list. Members that
    /// are [`Presence::Lost`] are not in the list: the problems of the archive account for them.
    pub fn members(&self, archive: &Arc<dyn Archive>) -> Vec<Result<InputItem>> {
        let mut names: Vec<(usize, &str)> = archive
            .members()
            .iter()
            .enumerate()
            .filter(|(_, member)| member.presence != Presence::Lost)
            .map(|(index, member)| (index, member.name.as_str()))
            .filter(|(_, name)| self.is_main_name(name) && !archives::is_hidden_name(name))
            .collect();
        names.sort_by(|a, b| a.1.cmp(b.1));
        let items = names
            .into_iter()
            .map(|(index, _)| self.member_item(archive, index));
        items.chain(self.orphans(archive)).collect()
    }

    /// The members of an open archive that [`Resolver::members`] does not return, as their names are of no format, but
    /// whose content is; hidden files are left out.
    pub fn other_members(&self, archive: &Arc<dyn Archive>) -> Vec<InputItem> {
        let members = archive.members().iter().enumerate();
        let others = members.filter(|(_, member)| {
            member.presence == Presence::Stored
                && !member.name.ends_with('/')
                && !self.is_main_name(&member.name)
                && !self.may_be_companion(&member.name)
                && !archives::is_hidden_name(&member.name)
        });
        let items = others.filter_map(|(index, _)| self.member_item(archive, index).ok());
        items.collect()
    }

    /// An error for each set of an archive of which only companions are there.
    fn orphans(&self, archive: &Arc<dyn Archive>) -> Vec<Result<InputItem>> {
        let members = archive.members().iter();
        let names = members.map(|member| (Path::new(&member.name), member.presence));
        let key = |path: &Path| (path.parent().map(Path::to_path_buf), set_of(path));
        let is_main = |path: &Path| self.is_main_name(&path.to_string_lossy());
        let mains = names.clone().filter(|(path, _)| is_main(path));
        let mut sets: BTreeSet<_> = mains.map(|(path, _)| key(path)).collect();
        let mut errors = Vec::new();
        for (path, presence) in names {
            let name = path.to_string_lossy();
            if presence == Presence::Lost
                || is_main(path)
                || !self.is_companion_name(&name)
                || archives::is_hidden_name(&name)
                || !sets.insert(key(path))
            {
                continue;
            }
            let label = &archive.info().label;
            let label = member_label(label, &name);
            errors.extend(
                self.missing_main(&name)
                    .map(|error| Err(error.in_path(&label))),
            );
        }
        errors
    }

    /// The error for a companion without its main file.
    fn missing_main(&self, name: &str) -> Option<Error> {
        let extension = extension(name);
        let owner = self
            .formats
            .iter()
            .find(|format| format.companions().iter().any(|c| c.extension == extension))?;
        let main = Path::new(name).with_extension(owner.extensions().first()?);
        let main = main.file_name().unwrap_or_default().display().to_string();
        Some(Error::new(ErrorKind::MissingFile(main)))
    }

    /// As [`Resolver::members`], with archives replaced by the databases and books in them. The problems
    /// of all these archives are errors in the list, and so are archives in archives in the archive, which
    /// are not opened, and archives that unpack, with those before them, to more than
    /// [`Limits::unpacked_from`](tabia_core::formats::Limits::unpacked_from) allows for the archive.
    pub fn contents(&self, archive: &Arc<dyn Archive>) -> Vec<Result<InputItem>> {
        let problems_of = |archive: &Arc<dyn Archive>| {
            let label = Arc::clone(&archive.info().label);
            let problems = archive.info().problems.clone();
            problems
                .into_iter()
                .map(move |problem| Err(problem.in_file(&label)))
        };
        let mut contents: Vec<Result<InputItem>> = problems_of(archive).collect();
        // All archives in the archive together: each of them could be as large as one alone.
        let packed = archive.members().iter().map(|member| member.packed_size);
        let limit = self
            .options
            .limits
            .unpacked_from(packed.fold(0, u64::saturating_add));
        let mut unpacked = 0_u64;
        for item in self.members(archive) {
            let inner = item.and_then(|item| match self.archive(&item)? {
                Some(inner) => Ok(Err(inner)),
                None => Ok(Ok(item)),
            });
            match inner {
                Ok(Ok(item)) => contents.push(Ok(item.listed())),
                Ok(Err(inner)) => {
                    contents.extend(problems_of(&inner));
                    let sizes = inner.members().iter();
                    let sizes = sizes.map(|member| member.size.unwrap_or(member.packed_size));
                    let size = sizes.fold(unpacked, u64::saturating_add);
                    if let Err(error) = Limits::check(archives::UNPACKED_SIZE, size, limit) {
                        contents.push(Err(error.in_file(&inner.info().label)));
                        continue;
                    }
                    unpacked = size;
                    let items = self.members(&inner).into_iter();
                    contents.extend(
                        items.map(|item| item.and_then(not_an_archive).map(InputItem::listed)),
                    );
                }
                Err(error) => contents.push(Err(error)),
            }
        }
        contents
    }

    /// Whether a file of that name may be the main file of something.
    pub(crate) fn is_main_name(&self, name: &str) -> bool {
        let bare = bare_name(name);
        let extension = extension(bare);
        self.formats
            .iter()
            .any(|format| format.is_readable() && format.extensions().contains(&extension.as_str()))
    }

    /// Whether a file of that name is the companion of a main file, and nothing else.
    pub(crate) fn is_companion_name(&self, name: &str) -> bool {
        let extension = extension(name);
        let mut companions = self.formats.iter().flat_map(|format| format.companions());
        !COMMON_EXTENSIONS.contains(&&*extension)
            && companions.any(|companion| companion.extension == extension)
    }

    /// Whether a file of that name may be the companion of a main file, or made of its set.
    pub(crate) fn may_be_companion(&self, name: &str) -> bool {
        let extension = extension(name);
        let mut formats = self.formats.iter();
        formats.any(|format| is_of_set(*format, &extension))
    }

    /// A file. Of thousands that follow each other the folder is listed twice, not for each of them.
    fn file(&self, path: &Path) -> Result<InputItem> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut last = self
            .last_folder
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let source = if last.path == folder {
            let names = last.names.get_or_insert_with(|| FolderNames::new(folder));
            let is_of_set = self.is_name_of_set(&path.to_string_lossy());
            Source::from_folder(path, names, is_of_set)
        } else {
            *last = LastFolder {
                path: folder.to_path_buf(),
                names: None,
            };
            Source::from_path(path)
        };
        drop(last);
        self.file_of(path, source?)
    }

    /// As [`Self::file`]; each folder is listed once.
    pub(crate) fn file_of_folder(
        &self,
        path: &Path,
        folders: &mut BTreeMap<PathBuf, FolderNames>,
    ) -> Result<InputItem> {
        let Some(folder) = path.parent() else {
            return self.file(path);
        };
        let names = folders.entry(folder.to_path_buf());
        let names = names.or_insert_with(|| FolderNames::new(folder));
        let is_of_set = self.is_name_of_set(&path.to_string_lossy());
        self.file_of(path, Source::from_folder(path, names, is_of_set)?)
    }

    /// Whether a file of that name may belong to a set of several files.
    fn is_name_of_set(&self, name: &str) -> bool {
        let extension = extension(name);
        self.formats.iter().any(|format| {
            let companions = format.companions();
            let mut companion_extensions = companions.iter().map(|known| known.extension);
            !companions.is_empty()
                && (format.extensions().contains(&extension.as_str())
                    || companion_extensions.any(|known| known == extension))
        })
    }

    fn file_of(&self, path: &Path, mut source: Source) -> Result<InputItem> {
        if self.options.copy_files {
            source = source.copied();
        }
        if self.from.is_none()
            && let Some(source) = self.main_of(&source)
        {
            return self.source_item(source);
        }
        let file_path = source.main().path().unwrap_or(path);
        let mut file = InputFile::open(file_path)?;
        let head = read_head(&mut file).map_err(|error| Error::from(error).in_path(path))?;
        if Compression::of_content(&head) != Compression::None && !is_container(&source, &head) {
            return self.packed(path);
        }
        self.source_item_with(source, &head)
    }

    /// The set that a companion file belongs to, when its main file is there.
    fn main_of(&self, source: &Source) -> Option<Source> {
        let extension = source.extension();
        if self.is_main_name(source.name()) {
            return None;
        }
        self.formats
            .iter()
            .filter(|format| is_of_set(**format, &extension))
            .flat_map(|format| format.extensions())
            .find_map(|main| source.with_main(main)?.listed_again().ok())
    }

    fn source_item(&self, source: Source) -> Result<InputItem> {
        let head = if let Some(path) = source.main().path() {
            let mut file = InputFile::open(path)?;
            read_head(&mut file).map_err(|error| Error::from(error).in_path(path))?
        } else {
            source.main().open()?.prefix(Probe::HEAD).to_vec()
        };
        self.source_item_with(source, &head)
    }

    fn source_item_with(&self, source: Source, head: &[u8]) -> Result<InputItem> {
        let length = source
            .main()
            .path()
            .and_then(|path| std::fs::metadata(path).ok())
            .map(|metadata| metadata.len());
        let format = self
            .recognise(Some(source.name()), head, length)
            .map_err(|error| self.explain(error, &source, head).in_file(source.label()))?;
        Ok(item(
            Arc::clone(source.label()),
            format,
            Origin::Files(Box::new(source)),
        ))
    }

    /// A better error for a companion file without its main file, and for files of formats that are
    /// recognised but not read.
    fn explain(&self, error: Error, source: &Source, head: &[u8]) -> Error {
        if !is_unrecognised(&error) {
            return error;
        }
        let probe = Probe {
            name: Some(source.name()),
            head,
            len: None,
        };
        if let Some(text) = unsupported::explain(&probe) {
            return Error::unsupported(text);
        }
        self.missing_main(source.name()).unwrap_or(error)
    }

    fn packed(&self, path: &Path) -> Result<InputItem> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let format = InputFile::open(path)
            .and_then(|file| self.recognise_packed(&name, Box::new(file)))
            .map_err(|error| error.in_path(path))?;
        Ok(item(
            Arc::from(path),
            format,
            Origin::Packed(path.to_path_buf()),
        ))
    }

    /// The format of a compressed file of that name.
    fn recognise_packed(&self, name: &str, file: Box<dyn Read + Send>) -> Result<Format> {
        let mut stream = plain(file, &self.options.limits, &OnError::collect())?;
        let head = read_head(&mut stream)?;
        self.recognise(Some(bare_name(name)), &head, None)
    }

    fn once(
        &self,
        label: &Path,
        name: Option<&str>,
        stream: Box<dyn Read + Send>,
    ) -> Result<InputItem> {
        let gaps = OnError::collect();
        let opened = (|| {
            let mut stream = plain(stream, &self.options.limits, &gaps)?;
            let is_text = |head: &[u8]| {
                has_blank_line(head) && self.recognise(name, head, None).is_ok_and(is_streamable)
            };
            let (head, damage) = read_head_until(&mut stream, &is_text)?;
            // Nothing comes from a program that found nothing: no games, in the first of the formats that are streams.
            let of_nothing = || {
                let mut streamable = self.formats.iter().filter(|format| is_streamable(**format));
                let is_nothing = head.is_empty() && name.is_none();
                streamable.next().copied().filter(|_| is_nothing)
            };
            let format = match self.recognise(name, &head, None) {
                Err(error) => of_nothing().ok_or(error)?,
                known => known?,
            };
            let rest = Damage(damage).chain(stream);
            let stream: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(rest));
            Ok((format, stream))
        })();
        let (format, stream) = opened.map_err(|error: Error| error.in_path(label))?;
        Ok(item(
            Arc::from(label),
            format,
            Origin::Once(Arc::new(Mutex::new(Some(OnceStream {
                inner: stream,
                gaps,
            })))),
        ))
    }

    /// The one main file of that base name in its folder.
    fn base_name(&self, path: &Path) -> Result<Option<InputItem>> {
        let Some(wanted) = path.file_name().map(|name| name_text(name).to_lowercase()) else {
            return Ok(None);
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let Ok(names) = list_folder(folder) else {
            return Ok(None);
        };
        let settled = JournaledFolder::new(folder, names);
        let first_part = wanted
            .rsplit_once('.')
            .map(|(stem, extension)| format!("{stem}_0.{extension}"));
        let mut found: Vec<&OsString> = settled
            .files
            .iter()
            .map(|(name, _)| name)
            .filter(|name| {
                let lower = name_text(name).to_lowercase();
                self.is_main_name(&lower)
                    && (stem(&lower) == wanted
                        || stem(bare_name(&lower)) == wanted
                        // Books in parts are called by the name that all their files begin with.
                        || stem(&lower).strip_suffix("_0") == Some(wanted.as_str())
                        || first_part.as_deref() == Some(lower.as_str()))
            })
            .collect();
        // Of several whose names differ in letter case that in the letter case of the path.
        let exact = |name: &&OsString| {
            path.file_name()
                .is_some_and(|wanted| name_text(wanted) == stem(&name_text(name)))
        };
        let differ_in_case = |name: &&OsString| stem(&name_text(name)).to_lowercase() == wanted;
        if found.iter().all(differ_in_case) && found.iter().filter(|name| exact(name)).count() == 1
        {
            found.retain(exact);
        }
        found.sort();
        match found.as_slice() {
            [] => Ok(None),
            [name] => self.file(&path.with_file_name(name)).map(Some),
            several => {
                let names = several.iter().map(|name| name_text(name));
                let names: Vec<_> = names.collect();
                let text = format!("could be {}: name one of them", names.join(" or "));
                Err(Error::unsupported(text).in_path(path))
            }
        }
    }

    /// `archive:member`, also inside archives that are members.
    fn member(&self, path: &Path) -> Result<Option<InputItem>> {
        for (outer, rest) in splits_at_colons(path) {
            if !outer.is_file() {
                continue;
            }
            let item = self.for_archives().file(&outer)?;
            return self.inside(&item, &rest).map(Some);
        }
        Ok(None)
    }

    fn inside(&self, item: &InputItem, name: &str) -> Result<InputItem> {
        let Some(archive) = self.archive(item)? else {
            let text = format!("{} is no archive", item.format.name());
            return Err(Error::unsupported(text).in_file(&item.label));
        };
        if let Some(index) = self.find(&archive, name) {
            return self.member_item(&archive, index);
        }
        for (at, _) in name.match_indices(':') {
            let (outer, rest) = (
                name.get(..at).unwrap_or(""),
                name.get(at + 1..).unwrap_or(""),
            );
            if let Some(index) = archives::find_member(&*archive, outer) {
                return self.inside(&self.member_item(&archive, index)?, rest);
            }
        }
        let text = format!("no member of the archive is called `{name}`");
        Err(Error::invalid(text).in_file(&item.label))
    }

    /// The member of that name or base name; the main file of its set when it is a companion.
    fn find(&self, archive: &Arc<dyn Archive>, name: &str) -> Option<usize> {
        let by_stem = |wanted: &str| {
            let wanted = wanted.to_lowercase();
            archive.members().iter().position(|member| {
                self.is_main_name(&member.name) && stem(&member.name.to_lowercase()) == wanted
            })
        };
        match archives::find_member(&**archive, name) {
            Some(_) if !self.is_main_name(name) => {
                by_stem(stem(name)).or_else(|| archives::find_member(&**archive, name))
            }
            Some(index) => Some(index),
            None => by_stem(name),
        }
    }

    fn member_item(&self, archive: &Arc<dyn Archive>, index: usize) -> Result<InputItem> {
        let label = &archive.info().label;
        let missing = || Error::new(ErrorKind::MissingFile(format!("number {index}")));
        let member = archive.members().get(index).ok_or_else(missing)?;
        let name = bare_name(&member.name);
        let of_archive = Arc::clone(label);
        let label = member_label(label, &member.name);
        let head = archive
            .stream(index, &OnError::collect())
            .and_then(|stream| plain(stream, &self.options.limits, &OnError::collect()))
            .and_then(|mut stream| Ok(read_head(&mut stream)?))
            .map_err(|error| {
                let is_of_archive = error.location().file.as_ref() == Some(&of_archive);
                if is_of_archive && !error.is_system() {
                    // It is about this member, whose reader does not know offsets in the archive.
                    return Error::new(error.into_kind()).in_path(&label);
                }
                error.in_path(&label)
            })?;
        let probe = Probe {
            name: Some(name),
            head: &head,
            len: member.size,
        };
        let format = match self.format_of_members() {
            Some(format) => Ok(format),
            None => detect(&self.formats, &probe),
        };
        let format = format.map_err(|error| error.in_path(&label))?;
        let archive = Arc::clone(archive);
        Ok(item(
            Arc::from(label),
            format,
            Origin::Member {
                archive,
                index,
                is_listed: false,
            },
        ))
    }

    fn recognise(&self, name: Option<&str>, head: &[u8], len: Option<u64>) -> Result<Format> {
        match self.from {
            Some(format) => Ok(format),
            None => detect(&self.formats, &Probe { name, head, len }),
        }
    }

    /// The format for which members of archives are taken: a stated format of an archive is that of the archive.
    pub(crate) fn format_of_members(&self) -> Option<Format> {
        self.from.filter(|format| format.archive().is_none())
    }

    /// The same for the archive of a member, whose format is not the stated one of the member.
    fn for_archives(&self) -> Cow<'_, Self> {
        if self.format_of_members().is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            from: None,
            ..self.clone()
        })
    }
}

fn item(label: Arc<Path>, format: Format, origin: Origin) -> InputItem {
    InputItem {
        label,
        format,
        origin,
        duplicates: Arc::default(),
        is_base: false,
    }
}

/// Whether compressed-looking bytes are an archive of files.
fn is_container(source: &Source, head: &[u8]) -> bool {
    let probe = Probe {
        name: Some(source.name()),
        head,
        len: None,
    };
    archives::detect(&probe).is_some()
}

/// An error for an archive that is nested too deep to be opened by itself.
pub(crate) fn not_an_archive(item: InputItem) -> Result<InputItem> {
    if item.is_archive() {
        let text = "an archive in an archive in an archive is not opened; name it to open it";
        return Err(Error::unsupported(text).in_file(&item.label));
    }
    Ok(item)
}

/// What the names of all files of a set in a folder have in common, in lower case.
pub(crate) fn set_of(file: &Path) -> String {
    let name = name_text(file.file_name().unwrap_or_default());
    let base = stem(&name).to_lowercase();
    base.strip_suffix("_0").unwrap_or(&base).to_owned()
}

fn is_unrecognised(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnknownFormat { .. })
}

/// The first bytes of a file or stream. What is damaged after some of them is noticed when all of it is read.
fn read_head(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    Ok(read_head_until(reader, &|_| false)?.0)
}

/// The first bytes of a stream, and the damage after them; fewer if those that are there are enough, so that a pipe is
/// not waited for.
fn read_head_until(
    reader: &mut dyn Read,
    is_enough: &dyn Fn(&[u8]) -> bool,
) -> io::Result<(Vec<u8>, Option<Error>)> {
    let mut head = vec![0; Probe::HEAD];
    let mut filled = 0;
    let mut damage = None;
    while let Some(space) = head.get_mut(filled..).filter(|space| !space.is_empty()) {
        match reader.read(space) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let error = Error::from(error);
                if filled == 0 || error.is_system() {
                    return Err(error.into());
                }
                damage = Some(error);
                break;
            }
        }
        if is_enough(head.get(..filled).unwrap_or_default()) {
            break;
        }
    }
    head.truncate(filled);
    Ok((head, damage))
}

/// A stream of one error.
struct Damage(Option<Error>);

impl Read for Damage {
    fn read(&mut self, _out: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), |error| Err(error.into()))
    }
}
/// Whether a text has a line end after a blank line, as after the tags and the moves of a game.
fn has_blank_line(text: &[u8]) -> bool {
    let has = |blank: &[u8]| text.windows(blank.len()).any(|part| part == blank);
    text.ends_with(b"\n") && (has(b"\n\n") || has(b"\n\r\n"))
}

fn is_streamable(format: Format) -> bool {
    format.games().is_some_and(GameFormat::is_streamable)
}

/// The name without the extension of a compressed file.
fn bare_name(name: &str) -> &str {
    Compression::of_name(name).1
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn extension(name: &str) -> String {
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

/// Whether files of a set of that format, or made of it, have this extension.
fn is_of_set(format: Format, extension: &str) -> bool {
    let mut companions = format.companions().iter();
    companions.any(|companion| companion.extension == extension)
        || format.by_products().contains(&extension)
}
