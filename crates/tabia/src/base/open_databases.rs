//! [`Base`]: one or several databases that are opened together, and the games that fit a query.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::formats::OpenOptions;
use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::PositionIndex;
use tabia_query::Query;

use super::game_set::GameSet;
use super::index_policy::{Index, usable_index};
use super::saved_index::IndexOptions;
use crate::input::InputItem;
use crate::list::{ListOptions, list};
use crate::observer::{NoObserver, Observer};
use crate::resolve::Resolver;

/// Bytes of selections that are kept.
const CACHED_BYTES: u64 = 256 << 20;

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
    /// Sets of games by database and normal form of the query, the last one used last.
    selections: Mutex<Vec<(usize, String, Arc<GameSet>)>>,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) item: InputItem,
    pub(super) index: Option<Box<PositionIndex>>,
}

/// Games that fit a query.
#[derive(Debug, Clone, Default)]
pub struct SelectedGames {
    query: Query,
    /// For each database with an index the games that fit; all if `None`.
    pub(super) sets: Vec<Option<Arc<GameSet>>>,
}

impl SelectedGames {
    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The games of a database that has an index, if they are not all.
    pub fn games(&self, database: usize) -> Option<&GameSet> {
        self.sets.get(database)?.as_deref()
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
            parts.push(Part { item, index });
        }
        Ok(Self {
            parts: Arc::new(parts),
            options,
            selections: Mutex::default(),
        })
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

    /// The games that fit a query, for [`tree`](Self::tree). They are looked up now in databases with an
    /// index, and kept for the next time; without an index the games are asked when they are read.
    ///
    /// # Errors
    /// When a database cannot be read, or `progress` is cancelled.
    pub fn select(&self, query: &Query, progress: &Progress) -> Result<SelectedGames> {
        let mut sets = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            progress.check()?;
            sets.push(match &part.index {
                Some(_) if !query.is_empty() => Some(self.selection(number, part, query)?),
                _ => None,
            });
        }
        Ok(SelectedGames {
            query: query.clone(),
            sets,
        })
    }

    fn selection(&self, number: usize, part: &Part, query: &Query) -> Result<Arc<GameSet>> {
        let name = query.to_string();
        let mut kept = self
            .selections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let found = kept
            .iter()
            .position(|(part, other, _)| *part == number && *other == name);
        if let Some(index) = found {
            let entry = kept.remove(index);
            let set = Arc::clone(&entry.2);
            kept.push(entry);
            return Ok(set);
        }
        drop(kept);
        let mut options = self.list_options();
        options.filter = query.clone();
        options.numbers_only = true;
        let mut set = GameSet::default();
        list(
            &part.item,
            &options,
            &|row, out: &mut Vec<GameIndex>| out.push(row.game),
            &Arc::default(),
            &mut NoObserver,
            &mut |games| {
                for game in games.drain(..) {
                    set.insert(game);
                }
                Ok(())
            },
        )?;
        let set = Arc::new(set);
        kept = self
            .selections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.push((number, name, Arc::clone(&set)));
        let size = |entry: &(usize, String, Arc<GameSet>)| entry.2.bytes() + entry.1.len() as u64;
        while kept.iter().map(size).sum::<u64>() > CACHED_BYTES && kept.len() > 1 {
            kept.remove(0);
        }
        Ok(set)
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
