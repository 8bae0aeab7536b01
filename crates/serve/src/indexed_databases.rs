//! Databases together with their saved indexes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tabia::base::{Base, BaseOptions, Index, IndexOptions, SavedIndex, index_paths, open_index};
use tabia::{NoObserver, Progress};

use crate::problem::Problem;
use crate::shelf_input::ShelfInput;

/// Combinations of databases that stay open.
const MAX_KEPT: usize = 16;
/// How long one that nothing asks about stays open. Other programs cannot replace a mapped file on Windows, so it
/// is closed soon there.
const IDLE: Duration = if cfg!(windows) {
    Duration::from_secs(5)
} else {
    Duration::from_mins(10)
};

/// The combinations of databases that were asked, with their indexes.
#[derive(Debug)]
pub(crate) struct Bases {
    index: IndexOptions,
    threads: usize,
    kept: Mutex<Vec<Kept>>,
}

/// Lengths and times of index files.
type IndexFiles = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// Databases that are open are not opened again to be read. Texts are: in blocks they are read faster.
fn share_open(base: &Base, inputs: &[Arc<ShelfInput>]) {
    for (number, input) in inputs
        .iter()
        .enumerate()
        .filter(|(_, input)| !input.is_text())
    {
        if let Some(opened) = input.if_open()
            && let Some(database) = opened.shared_database()
        {
            base.share(number, database);
        }
    }
}

#[derive(Debug)]
struct Kept {
    key: String,
    base: Arc<Base>,
    files: IndexFiles,
    used: Instant,
}

impl Bases {
    pub(crate) fn new(index: IndexOptions, threads: usize) -> Self {
        Self {
            index,
            threads,
            kept: Mutex::default(),
        }
    }

    /// Where indexes are, for making one: in the cache only, because nothing is written to the folders of inputs.
    pub(crate) fn options_to_build(&self) -> IndexOptions {
        let mut options = self.index.clone();
        options.threads = self.threads;
        options.cache_only = true;
        options
    }

    /// Whether a database has a saved index: `current`, `absent`, `stale`, `unusable`, or `impossible`.
    pub(crate) fn state_of_index(&self, input: &ShelfInput) -> &'static str {
        if !input.is_indexable() {
            return "impossible";
        }
        let found = input
            .resolve()
            .and_then(|item| open_index(&item, &self.index));
        match found {
            Ok(SavedIndex::Current(_)) => "current",
            Ok(SavedIndex::Absent) => "absent",
            Ok(SavedIndex::Stale) => "stale",
            Ok(SavedIndex::Impossible) => "impossible",
            Ok(SavedIndex::Unusable(_)) | Err(_) => "unusable",
        }
    }

    /// The databases as one, and a text that changes when one of them or its index does.
    ///
    /// # Errors
    /// When one of them is gone.
    pub(crate) fn of(&self, inputs: &[Arc<ShelfInput>]) -> Result<(Arc<Base>, String), Problem> {
        let mut key = String::new();
        for input in inputs {
            key.push_str(&input.id);
            key.push('\n');
            key.push_str(&input.state_of_files());
            key.push('\n');
        }
        let known = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().find(|kept| kept.key == key);
            found.map(|kept| (Arc::clone(&kept.base), kept.files.clone()))
        };
        if let Some((base, files)) = known
            && self.index_files(&base) == files
        {
            self.touch(&key);
            share_open(&base, inputs);
            let key = format!("{key}{files:?}");
            return Ok((base, key));
        }
        let mut items = Vec::new();
        for input in inputs {
            let item = input.resolve().map_err(|error| {
                Problem::from(error).map_texts(|text| input.without_folder(text))
            })?;
            items.push(item);
        }
        let mut options = BaseOptions::default();
        if let Some(input) = inputs.first() {
            options.open.clone_from(input.options());
        }
        options.open.password = ShelfInput::password_of(inputs);
        options.index = Index::Auto;
        options.index_options.clone_from(&self.index);
        options.threads = self.threads;
        let progress = Arc::new(Progress::new());
        let base = Arc::new(Base::of_items(items, options, &progress, &mut NoObserver)?);
        share_open(&base, inputs);
        let files = self.index_files(&base);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.key != key);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        let name = format!("{key}{files:?}");
        kept.push(Kept {
            key,
            base: Arc::clone(&base),
            files,
            used: Instant::now(),
        });
        Ok((base, name))
    }

    fn touch(&self, key: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.iter_mut().find(|kept| kept.key == key) {
            kept.used = Instant::now();
        }
    }

    fn index_files(&self, base: &Base) -> IndexFiles {
        base.items()
            .flat_map(|item| index_paths(item, &self.index))
            .filter_map(|path| {
                let metadata = std::fs::metadata(&path).ok()?;
                Some((path, metadata.len(), metadata.modified().ok()))
            })
            .collect()
    }

    /// Closes what nothing asks about any more.
    pub(crate) fn clean(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.used.elapsed() < IDLE);
    }
}
