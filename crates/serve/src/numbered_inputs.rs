//! The list of all inputs: their numbers, ids and names.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabia::formats::Format;
use tabia::{Archive, Error, InputItem, Resolver};

use crate::shelf_input::{ShelfInput, State, watched_files};
use crate::stable_ids::{Digest, RealFolders, plain_name};

/// The inputs; none is ever removed, so their numbers stay the same.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) list: Vec<Arc<ShelfInput>>,
    pub(crate) by_id: BTreeMap<String, usize>,
    pub(crate) by_label: HashMap<Arc<Path>, usize>,
    /// The inputs by the slots of their games.
    pub(crate) by_slot: HashMap<u64, usize>,
    /// The inputs in no archive by their names.
    pub(crate) by_name: BTreeMap<String, Vec<usize>>,
    folders: RealFolders,
}

/// An input that is found, and what is known of it besides.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin<'c> {
    /// The archive that contains it.
    pub(crate) container: Option<&'c ShelfInput>,
    /// It was dropped on the page.
    pub(crate) is_dropped: bool,
    /// A job of this server has written it.
    pub(crate) is_written: bool,
}

impl Inputs {
    pub(crate) fn add(
        &mut self,
        resolver: &Resolver,
        found: Result<InputItem, Error>,
        origin: Origin<'_>,
    ) {
        let Origin {
            container,
            is_dropped,
            is_written,
        } = origin;
        let label: Arc<Path> = match &found {
            Ok(item) => Arc::clone(item.label()),
            Err(error) => match &error.location().file {
                Some(file) => Arc::clone(file),
                None => return,
            },
        };
        if self.by_label.contains_key(&label) {
            return;
        }
        let text = label.to_string_lossy();
        let name = match container {
            Some(container) => {
                let outer = container.label.to_string_lossy();
                let inner = text.strip_prefix(&*outer).unwrap_or(&text);
                inner.trim_start_matches(':').to_owned()
            }
            None => label.file_name().map_or_else(
                || text.clone().into_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
        };
        let folder = match container {
            Some(container) => container.folder.clone(),
            None => label
                .parent()
                .map(|parent| parent.display().to_string())
                .unwrap_or_default(),
        };
        let files = watched_files(found.as_ref().ok(), container, &label);
        let (item, error) = match found {
            Ok(item) => (Some(item), None),
            Err(error) => (None, Some(error)),
        };
        let digest = match container {
            Some(container) => container.digest.with(&name),
            // Its folder is another one each time.
            None if is_dropped => Digest::of(&[&name]),
            None => Digest::of(&[&self.folders.path_of(&label).to_string_lossy()]),
        };
        let mut input = ShelfInput {
            id: self.free_id(&name, container, digest),
            slot: digest.slot(&self.by_slot),
            digest,
            name,
            folder,
            container: container.map(|container| container.id.clone()),
            is_dropped,
            is_written: AtomicBool::new(is_written),
            format: item.as_ref().map(InputItem::format),
            bytes: item.as_ref().and_then(InputItem::total_bytes),
            error,
            label,
            files,
            resolver: resolver.clone(),
            state: Mutex::new(State::new(None)),
        };
        let archive = match item.as_ref().map(|item| resolver.archive(item)) {
            _ if matches!(input.format, Some(Format::Export(_))) => {
                let error = Error::unsupported("games are only written in this format");
                input.error = Some(error.in_file(&input.label));
                None
            }
            Some(Ok(archive)) => archive,
            Some(Err(error)) => {
                input.error = Some(error);
                None
            }
            None => None,
        };
        input
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .item = item;
        let number = self.list.len();
        self.by_id.insert(input.id.clone(), number);
        self.by_slot.extend(input.slot.map(|slot| (slot, number)));
        if container.is_none() {
            let name = plain_name(&input.name);
            // An address that was kept while another input had the same name.
            let long = digest.after(&name);
            self.by_id.entry(long).or_insert(number);
            self.by_name.entry(name).or_default().push(number);
        }
        self.by_label
            .insert(Arc::clone(&input.label), self.list.len());
        let input = Arc::new(input);
        self.list.push(Arc::clone(&input));
        if let Some(archive) = archive {
            self.add_members(resolver, &input, &archive);
        }
    }

    /// Adds an input; of one that is there already, if it could not be read or has files that it had not, takes
    /// what is found now.
    pub(crate) fn add_or_complete(&mut self, resolver: &Resolver, found: Result<InputItem, Error>) {
        let label = found.as_ref().ok().map(|item| Arc::clone(item.label()));
        let known = label.and_then(|label| self.by_label.get(&label).copied());
        let Some(input) = known.and_then(|number| self.list.get_mut(number)) else {
            return self.add(resolver, found, Origin::default());
        };
        let Ok(item) = found else {
            return;
        };
        let files = watched_files(Some(&item), None, &input.label);
        if input.error.is_none() && files.iter().all(|file| input.files.contains(file)) {
            return;
        }
        // That of an archive with a password stays.
        let Ok(archive) = resolver.archive(&item) else {
            return;
        };
        let completed = Arc::new(input.completed(item, files));
        *input = Arc::clone(&completed);
        if let Some(archive) = archive {
            self.add_members(resolver, &completed, &archive);
        }
    }

    fn add_members(
        &mut self,
        resolver: &Resolver,
        container: &ShelfInput,
        archive: &Arc<dyn Archive>,
    ) {
        for member in resolver.contents(archive) {
            let origin = Origin {
                container: Some(container),
                is_dropped: container.is_dropped,
                is_written: container.is_written.load(Ordering::Relaxed),
            };
            self.add(resolver, member, origin);
        }
    }

    /// Replaces an archive that could not be read by one that can, with the password of `resolver`, and
    /// adds what is in it. An archive that another request has opened meanwhile stays as it is.
    pub(crate) fn unlock(
        &mut self,
        resolver: &Resolver,
        id: &str,
        item: InputItem,
        archive: &Arc<dyn Archive>,
    ) {
        let slot = self.by_id.get(id).copied();
        let Some(slot) = slot.and_then(|number| self.list.get_mut(number)) else {
            return;
        };
        if slot.error.is_none() {
            return;
        }
        let unlocked = Arc::new(slot.unlocked(resolver, item));
        *slot = Arc::clone(&unlocked);
        self.add_members(resolver, &unlocked, archive);
    }

    /// The name; for a member of an archive after the id of that; with the digest if another input has it.
    fn free_id(&self, name: &str, container: Option<&ShelfInput>, digest: Digest) -> String {
        let name = match container {
            Some(container) => format!("{}~{}", container.id, plain_name(name)),
            None => plain_name(name),
        };
        if !self.by_id.contains_key(&name) {
            return name;
        }
        let long = digest.after(&name);
        let mut id = long.clone();
        let mut number = 2;
        while self.by_id.contains_key(&id) {
            id = format!("{long}-{number}");
            number += 1;
        }
        id
    }

    /// Gives those inputs that have the same name ids with their digests, so that none of these ids depends on
    /// what else there is. Only before the server starts: later no id changes.
    pub(crate) fn distinguish_equal_names(&mut self) {
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        for (name, numbers) in &self.by_name {
            // The others have their digests already.
            if let [first, _, ..] = numbers.as_slice()
                && self.by_id.get(name) == Some(first)
                && let Some(input) = self.list.get(*first)
            {
                let long = input.digest.after(name);
                if self.by_id.get(&long) == Some(first) {
                    renamed.insert(name.clone(), long);
                }
            }
        }
        for input in &mut self.list {
            // Nothing else has the inputs yet.
            let Some(input) = Arc::get_mut(input) else {
                continue;
            };
            let (outer, inner) = match &input.container {
                Some(outer) => (outer, input.id.strip_prefix(outer.as_str())),
                None => (&input.id, Some("")),
            };
            if let (Some(long), Some(inner)) = (renamed.get(outer), inner) {
                let id = format!("{long}{inner}");
                if let Some(number) = self.by_id.remove(&input.id) {
                    self.by_id.insert(id.clone(), number);
                }
                if input.container.is_some() {
                    input.container = Some(long.clone());
                }
                input.id = id;
            }
        }
    }
}
