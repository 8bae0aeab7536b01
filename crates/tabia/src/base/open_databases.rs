//! [`Base`]: one or several databases that are opened and asked together.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tabia_core::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::games::Database;
use tabia_core::io::Progress;
use tabia_index::PositionIndex;

use super::found_positions::FoundPositions;
use super::index_policy::{Index, usable_index};
use super::row_sums::RowSums;
use super::saved_index::IndexOptions;
use super::selection_cache::SelectionCache;
use crate::input::InputItem;
use crate::list::ListOptions;
use crate::observer::{NoObserver, Observer};
use crate::resolve::Resolver;

/// How databases are opened and asked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct BaseOptions {
    /// How the databases are opened.
    pub open: OpenOptions,
    /// Whether saved indexes are used.
    pub index: Index,
    /// Where they are.
    pub index_options: IndexOptions,
    /// Threads that read; 0 counts as 1. Results do not depend on it.
    pub threads: usize,
    /// Games marked as deleted count too.
    pub deleted: bool,
}

/// One or several databases that are asked together, with their saved indexes.
///
/// ```
/// use tabia::{Base, Index, Position, Progress, Query};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
/// # let progress = Progress::new();
/// let query = Query::parse("date:1800.. (move:castling)")?;
/// let base = Base::open(&[path], Index::Auto)?;
/// let selected = base.select(&query.game_terms(), &progress)?;
/// for hit in base.search(&query, &Default::default()) {
///     println!("{}", hit?.game);
/// }
/// let tree = base.tree(&Position::standard(), &selected, &Default::default())?;
/// # assert!(tree.games > 0 && tree.moves[0].games > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Base {
    pub(super) parts: Arc<Vec<Part>>,
    pub(super) options: BaseOptions,
    pub(super) selections: SelectionCache,
}

pub(super) struct Part {
    pub(super) item: InputItem,
    pub(super) index: Option<Box<PositionIndex>>,
    /// Sums over all games of the index.
    pub(super) sums: RowSums,
    /// Where positions were found in the index.
    pub(super) found: FoundPositions,
    /// The same database, if the caller has it open.
    opened: Mutex<Option<Weak<dyn Database>>>,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part")
            .field("item", &self.item)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl Part {
    /// The database, if the caller has it open.
    pub(super) fn opened(&self) -> Option<Arc<dyn Database>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.as_ref()?.upgrade()
    }
}

impl Base {
    /// Opens the databases that paths name: files, sets, folders, archives, as [`open`](crate::open)
    /// does.
    ///
    /// # Errors
    /// When nothing is there, or an index that is required cannot be made.
    pub fn open<P: AsRef<Path>>(paths: &[P], index: Index) -> Result<Self> {
        let options = BaseOptions {
            index,
            ..BaseOptions::default()
        };
        let mut items = Vec::new();
        for path in paths {
            for item in Resolver::default().resolve_games(path.as_ref().as_os_str())? {
                items.push(item?);
            }
        }
        Self::of_items(items, options, &Arc::default(), &mut NoObserver)
    }

    /// The databases of items that were found before. The observer gets the reasons why indexes are not
    /// used.
    ///
    /// # Errors
    /// When files cannot be read, or an index that is required cannot be made.
    pub fn of_items(
        items: Vec<InputItem>,
        options: BaseOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for item in items {
            let mut how = options.index_options.clone();
            how.open.clone_from(&options.open);
            how.threads = options.threads;
            let index = usable_index(&item, options.index, &how, progress, observer)?;
            let opened = Mutex::default();
            let sums = index.as_deref().map(RowSums::new);
            parts.push(Part {
                item,
                index,
                sums: sums.unwrap_or_default(),
                found: FoundPositions::default(),
                opened,
            });
        }
        Ok(Self {
            parts: Arc::new(parts),
            options,
            selections: SelectionCache::default(),
        })
    }

    /// States that a database is open: while it is, [`tree`](Self::tree) reads it instead of opening it again, which
    /// takes a while for millions of games. It has to be that of the item with this number, opened with the same options.
    pub fn share(&self, number: usize, database: &Arc<dyn Database>) {
        if let Some(part) = self.parts.get(number) {
            let mut opened = part.opened.lock().unwrap_or_else(PoisonError::into_inner);
            *opened = Some(Arc::downgrade(database));
        }
    }

    /// The databases, in the order of their numbers.
    pub fn items(&self) -> impl Iterator<Item = &InputItem> {
        self.parts.iter().map(|part| &part.item)
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(super) fn base_options(&self) -> &BaseOptions {
        &self.options
    }

    /// Whether a database has an index that is used.
    pub fn has_index(&self, database: usize) -> bool {
        let part = self.parts.get(database);
        part.is_some_and(|part| part.index.is_some())
    }

    pub(super) fn list_options(&self) -> ListOptions {
        let mut options = ListOptions::default();
        options.open.clone_from(&self.options.open);
        options.threads = self.options.threads.max(1);
        options.selection.deleted = self.options.deleted;
        options.selection.texts = false;
        // Whether an index is used was decided when the databases were opened.
        options.index = match self.options.index {
            Index::Never => Index::Never,
            Index::Auto | Index::Require => Index::Auto,
        };
        options
            .index_options
            .clone_from(&self.options.index_options);
        options
    }
}
