//! The inputs under ids, opened at first use.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use tabia::formats::Format;
use tabia::{Error, ErrorKind, Resolver};

use crate::numbered_inputs::{Inputs, Origin};
use crate::opened_input::{Content, OpenedInput};
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::shelf_input::ShelfInput;
use crate::watched_folders::WatchedFolders;

/// The databases, books and archives that a server shows, each under an id that requests name it by. Ids exist
/// only for these inputs.
#[derive(Debug)]
pub struct Shelf {
    inputs: RwLock<Inputs>,
    /// Numbers of the inputs with games of masters.
    masters: Vec<usize>,
    /// Recognises dropped files.
    resolver: Resolver,
    /// The folders among the paths that the shelf was made of.
    folders: WatchedFolders,
}

/// The number of inputs by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShelfCounts {
    /// Databases, those in archives too.
    pub databases: usize,
    /// Books, those in archives too.
    pub books: usize,
    /// Archives.
    pub archives: usize,
    /// Inputs that cannot be opened.
    pub unreadable: usize,
}

/// What opening the inputs has shown.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CountedGames {
    /// The number of games.
    pub games: u64,
    /// Whether these are all games of the inputs.
    pub is_all: bool,
    /// The number of inputs by kind; what turned out to be unreadable is counted as that.
    pub inputs: ShelfCounts,
    /// Why inputs cannot be opened whose names and first bytes did not show it.
    pub errors: Vec<Error>,
}

/// The inputs of a shelf, whose games can be counted while the shelf is used.
#[derive(Debug)]
pub struct UncountedGames {
    inputs: Vec<Arc<ShelfInput>>,
    counts: ShelfCounts,
}

impl UncountedGames {
    /// Opens the inputs and counts the games, those of small inputs first, until that takes longer than `patience`.
    /// Long texts and large members of archives are left out.
    pub fn count(self, patience: Duration) -> CountedGames {
        let end = Instant::now() + patience;
        let (sender, receiver) = channel();
        let mut left = self.inputs.len();
        // One that takes too long goes on without us.
        std::thread::spawn(move || {
            let mut counts = self.inputs.iter();
            counts.all(|input| sender.send((input.is_book(), input.quick_count())).is_ok())
        });
        let mut counted = CountedGames {
            games: 0,
            is_all: true,
            inputs: self.counts,
            errors: Vec::new(),
        };
        while left > 0 {
            let rest = end.saturating_duration_since(Instant::now());
            let Ok((is_book, count)) = receiver.recv_timeout(rest) else {
                break;
            };
            left -= 1;
            match count {
                Ok(count) => {
                    counted.games += count.unwrap_or_default();
                    counted.is_all &= count.is_some();
                }
                Err(error) => {
                    let kind = if is_book {
                        &mut counted.inputs.books
                    } else {
                        &mut counted.inputs.databases
                    };
                    *kind = kind.saturating_sub(1);
                    counted.inputs.unreadable += 1;
                    counted.errors.push(error);
                }
            }
        }
        counted.is_all &= left == 0;
        counted
    }
}

impl Shelf {
    /// The inputs that paths name: files, sets, folders. Archives are looked into one level deep. What a folder
    /// contains and cannot be recognised is an input with an error.
    ///
    /// # Errors
    /// When a path does not exist or cannot be read.
    pub fn new(paths: &[impl AsRef<OsStr>], resolver: &Resolver) -> Result<Self, Error> {
        let mut inputs = Inputs::default();
        for path in paths {
            let found = match resolver.resolve_each(path.as_ref()) {
                // Files can be dropped on an empty shelf.
                Err(error) if is_empty_folder(path.as_ref(), &error) => continue,
                found => found?,
            };
            for found in found {
                inputs.add(resolver, found, Origin::default());
            }
        }
        inputs.distinguish_equal_names();
        Ok(Self {
            inputs: RwLock::new(inputs),
            masters: Vec::new(),
            resolver: resolver.clone(),
            folders: WatchedFolders::new(paths.iter().map(|path| Path::new(path.as_ref()))),
        })
    }

    /// Adds what came into the folders since the shelf was made, and reads again what could not be read, or was
    /// without a file that is there now.
    pub(crate) fn look_again(&self) {
        let unread = || {
            let inputs = self.inputs().into_iter();
            let unread = inputs.filter(|input| input.error.is_some());
            unread.map(|input| input.state_of_files()).collect()
        };
        self.folders.if_changed(unread, |folder| {
            // An empty folder, or one that is gone: nothing came.
            let Ok(found) = self.resolver.resolve_each(folder.as_os_str()) else {
                return;
            };
            for found in found {
                let inputs = self.inputs.write();
                let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
                inputs.add_or_complete(&self.resolver, found);
            }
        });
    }

    /// Adds inputs with the games that `/masters` answers from; without such inputs it answers from all.
    ///
    /// # Errors
    /// When a path does not exist or cannot be read.
    pub fn add_masters(
        &mut self,
        paths: &[impl AsRef<OsStr>],
        resolver: &Resolver,
    ) -> Result<(), Error> {
        let inputs = self.inputs.get_mut();
        let inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            for found in resolver.resolve_each(path.as_ref())? {
                let label = found.as_ref().ok().map(|item| Arc::clone(item.label()));
                let before = inputs.list.len();
                inputs.add(resolver, found, Origin::default());
                let known = label.and_then(|label| inputs.by_label.get(&label));
                self.masters.extend(known);
                // The members of an archive too.
                self.masters.extend(before..inputs.list.len());
            }
        }
        inputs.distinguish_equal_names();
        Ok(())
    }

    /// The numbers of the inputs with games of masters.
    pub(crate) fn masters(&self) -> &[usize] {
        &self.masters
    }

    /// The number of inputs by kind.
    pub fn counts(&self) -> ShelfCounts {
        let mut counts = ShelfCounts::default();
        for input in &self.read().list {
            match input.format {
                _ if input.error.is_some() => counts.unreadable += 1,
                Some(Format::Games(_)) => counts.databases += 1,
                Some(Format::Book(_)) => counts.books += 1,
                Some(Format::Archive(_)) => counts.archives += 1,
                Some(Format::Export(_)) | None => counts.unreadable += 1,
            }
        }
        counts
    }

    /// Calls `each` with why each input that cannot be opened cannot, in the order of the shelf.
    pub fn for_each_error(&self, each: &mut dyn FnMut(&Error)) {
        for input in &self.read().list {
            if let Some(error) = &input.error {
                each(error);
            }
        }
    }

    /// The databases and books, to open them and count the games.
    pub fn uncounted_games(&self) -> UncountedGames {
        let inputs = self.inputs().into_iter();
        let is_opened = |input: &Arc<ShelfInput>| {
            input.error.is_none() && (input.is_database() || input.is_book())
        };
        let mut inputs: Vec<_> = inputs.filter(is_opened).collect();
        inputs.sort_by_key(|input| input.bytes);
        UncountedGames {
            inputs,
            counts: self.counts(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Inputs> {
        self.inputs.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inputs(&self) -> Vec<Arc<ShelfInput>> {
        self.read().list.clone()
    }

    /// The input with a number from 0.
    pub(crate) fn numbered(&self, number: usize) -> Option<Arc<ShelfInput>> {
        self.read().list.get(number).map(Arc::clone)
    }

    /// Adds what is in a folder with dropped files, and returns it with the reasons why other files are not used.
    ///
    /// # Errors
    /// When nothing in it is recognised.
    pub(crate) fn add_dropped(
        &self,
        folder: &Path,
    ) -> Result<(Vec<Arc<ShelfInput>>, Vec<String>), Problem> {
        let entries = std::fs::read_dir(folder).map_err(Error::from)?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut found = match files.as_slice() {
            [_] => Vec::new(),
            _ => self.resolver.resolve_each(folder.as_os_str())?,
        };
        // A folder contains only what has the name of a format; these files were chosen one by one.
        for file in &files {
            match self.resolver.resolve_each(file.as_os_str()) {
                Ok(more) => found.extend(more),
                Err(error) => found.push(Err(error)),
            }
        }
        let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        let mut problems = Vec::new();
        let mut items = Vec::new();
        for found in found {
            match found {
                Ok(item) => items.push(item),
                Err(error) => problems.push(error.to_string().replace(&prefix, "")),
            }
        }
        problems.sort();
        problems.dedup();
        if items.is_empty() {
            let text = problems.into_iter().next();
            let text = text.unwrap_or_else(|| "there are no files".to_owned());
            let status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
            return Err(Problem::new(status, text));
        }
        let inputs = self.inputs.write();
        let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        let before = inputs.list.len();
        let origin = Origin {
            is_dropped: true,
            ..Origin::default()
        };
        for item in items {
            inputs.add(&self.resolver, Ok(item), origin);
        }
        let added = inputs.list.get(before..).unwrap_or_default().to_vec();
        Ok((added, problems))
    }

    /// Adds a file that was written, unless it is one of the inputs already, and returns the ids of what it is.
    /// What cannot be opened has none.
    pub(crate) fn add_written(&self, path: &Path) -> Vec<String> {
        let Ok(found) = self.resolver.resolve_each(path.as_os_str()) else {
            return Vec::new();
        };
        let inputs = self.inputs.write();
        let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        let mut ids = Vec::new();
        let origin = Origin {
            is_written: true,
            ..Origin::default()
        };
        for item in found.into_iter().flatten() {
            let label = Arc::clone(item.label());
            inputs.add(&self.resolver, Ok(item), origin);
            let known = inputs.by_label.get(&label);
            let known = known.and_then(|index| inputs.list.get(*index));
            if let Some(input) = known {
                // The folder can have been looked at between the writing and this.
                input.is_written.store(true, Ordering::Relaxed);
                ids.push(input.id.clone());
            }
        }
        ids
    }

    /// The input with an id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<ShelfInput>, Problem> {
        let inputs = self.read();
        let index = inputs.by_id.get(id);
        if let Some(input) = index.and_then(|index| inputs.list.get(*index)) {
            return Ok(Arc::clone(input));
        }
        let equal = inputs.by_name.get(id).into_iter().flatten();
        let equal = equal.filter_map(|index| Some(inputs.list.get(*index)?.id.as_str()));
        let equal: Vec<&str> = equal.take(10).collect();
        if equal.is_empty() {
            let problem = Problem::not_found(format!("no input has the id `{id}`"));
            return Err(problem.coded(Code::NoInput, &[("id", &id)]));
        }
        let problem = Problem::not_found(format!("several inputs are called `{id}`"));
        let ids = equal.join(", ");
        let problem = problem.coded(Code::SameName, &[("id", &id), ("ids", &ids)]);
        Err(problem.with_hint(format!("their ids: {ids}")))
    }

    /// Opens an archive with a password, and returns it with the databases and books in it. The password stays in
    /// memory, for the files of this archive.
    ///
    /// # Errors
    /// For an input that is no archive, and a password that is wrong.
    pub(crate) fn unlock(&self, id: &str, password: &str) -> Result<Vec<Arc<ShelfInput>>, Problem> {
        let input = self.find(id)?;
        if !matches!(input.format, Some(Format::Archive(_))) {
            return Err(Problem::bad_request(format!("`{id}` is no archive")));
        }
        if input.error.is_some() {
            let mut resolver = input.resolver.clone();
            resolver.options.password = Some(password.to_owned());
            let without_folder =
                |error: Error| Problem::from(error).map_texts(|text| input.without_folder(text));
            let item = input.resolve().map_err(without_folder)?;
            let archive = resolver.archive(&item).map_err(without_folder)?;
            if let Some(archive) = archive {
                let inputs = self.inputs.write();
                let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
                inputs.unlock(&resolver, &input.id, item, &archive);
            }
        }
        let mut found = self.inputs();
        found.retain(|other| other.id == input.id || other.container.as_ref() == Some(&input.id));
        Ok(found)
    }

    /// The number of the input whose games have a slot in their ids.
    pub(crate) fn of_slot(&self, slot: u64) -> Option<usize> {
        self.read().by_slot.get(&slot).copied()
    }

    /// The open database with an id.
    pub(crate) fn database(&self, id: &str) -> Result<Arc<OpenedInput>, Problem> {
        let opened = self.find(id)?.open()?;
        match opened.content {
            Content::Database(_) => Ok(opened),
            Content::Book(_) => {
                let problem = Problem::bad_request(format!("`{id}` is a book"));
                Err(problem.coded(Code::IsBook, &[("id", &id)]))
            }
        }
    }

    /// Closes inputs that are idle.
    pub(crate) fn close_idle(&self) {
        for input in self.inputs() {
            input.close_if_idle();
        }
    }
}

/// Whether the error is that a folder has nothing to show.
fn is_empty_folder(path: &OsStr, error: &Error) -> bool {
    Path::new(path).is_dir() && matches!(error.kind(), ErrorKind::Unsupported(_))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    use tabia_testkit::Scratch;

    fn ids(shelf: &Shelf) -> BTreeMap<String, String> {
        let inputs = shelf.inputs().into_iter();
        inputs
            .map(|input| (input.label.display().to_string(), input.id.clone()))
            .collect()
    }

    #[test]
    fn ids_do_not_depend_on_what_else_there_is() {
        let folder = Scratch::new("shelf-ids");
        let write = |name: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "1. e4 *\n").unwrap();
        };
        let shelf = || Shelf::new(&[folder.path()], &Resolver::default()).unwrap();
        write("m/games.pgn");
        write("other.pgn");
        let first = shelf();
        let label = |name: &str| folder.join(name).display().to_string();
        let of = |shelf: &Shelf, name: &str| ids(shelf).remove(&label(name)).unwrap();
        assert_eq!(of(&first, "m/games.pgn"), "games.pgn");
        let slot = |shelf: &Shelf, name: &str| {
            let found = shelf.inputs().into_iter();
            let mut found = found.filter(|input| input.label.ends_with(name));
            found.next().unwrap().slot.unwrap()
        };
        // Others before and after it, in the order of their paths.
        write("a/games.pgn");
        write("z/games.pgn");
        write("a/new.pgn");
        let second = shelf();
        let long = of(&second, "m/games.pgn");
        assert!(long.starts_with("games.pgn~"), "{long}");
        assert_eq!(slot(&first, "m/games.pgn"), slot(&second, "m/games.pgn"));
        assert_eq!(of(&second, "other.pgn"), "other.pgn");
        // A kept address leads to the same input, or asks which one is meant; never to another one.
        assert_eq!(first.find(&long).unwrap().id, "games.pgn");
        let problem = second.find("games.pgn").unwrap_err();
        assert_eq!(problem.status.as_u16(), 404);
        assert!(problem.hint.unwrap().contains(&long));
        std::fs::remove_file(folder.join("a/games.pgn")).unwrap();
        assert_eq!(of(&shelf(), "m/games.pgn"), long);
        // However the folder is given.
        let dotted = folder.join("m/../m/games.pgn");
        let dotted = Shelf::new(&[dotted], &Resolver::default()).unwrap();
        assert!(dotted.find(&long).is_ok());
    }

    #[test]
    fn members_of_archives_have_the_id_of_the_archive_first() {
        let folder = Scratch::new("shelf-ids-members");
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        for name in ["x/tabia.cbv", "y/tabia.cbv"] {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::copy(samples.join("tabia.cbv"), path).unwrap();
        }
        let one = Shelf::new(&[folder.join("x")], &Resolver::default()).unwrap();
        let found: Vec<String> = ids(&one).into_values().collect();
        assert_eq!(found, ["tabia.cbv", "tabia.cbv~tabia.cbh"]);
        let both = Shelf::new(&[folder.path()], &Resolver::default()).unwrap();
        let members = both.inputs().into_iter();
        for member in members.filter(|input| input.container.is_some()) {
            let container = member.container.clone().unwrap();
            assert_eq!(member.id, format!("{container}~tabia.cbh"));
            assert_eq!(both.find(&container).unwrap().id, container);
            assert_eq!(both.find(&member.id).unwrap().id, member.id);
        }
    }
}
