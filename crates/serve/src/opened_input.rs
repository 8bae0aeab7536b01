//! An open database or book, and what is found out about it once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tabia::core::games::NameKind;
use tabia::{Book, BookSize, Database, GameIndex};

use crate::names_by_frequency::{CountedName, names};

/// A book up to this size is read to count its positions if it does not state their number.
const COUNTED_BOOK: u64 = 256 << 20;

/// An open database or book.
pub(crate) struct OpenedInput {
    pub(crate) content: Content,
    /// Changes when a file of the input changes.
    pub(crate) fingerprint: String,
    /// Problems found on opening.
    pub(crate) problems: Vec<String>,
    overview: OnceLock<Overview>,
    size: OnceLock<Option<BookSize>>,
    names: Mutex<Vec<(NameKind, Arc<Vec<CountedName>>)>>,
    used: Mutex<Instant>,
}

/// What the index entries of a database state together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Overview {
    /// The first and the last year; `None` if no game has a date.
    pub(crate) years: Option<(u16, u16)>,
    /// Games with variations, comments or symbols, and all games; `None` if the index does not store that.
    pub(crate) annotated: Option<(u32, u32)>,
}

pub(crate) enum Content {
    Database(Arc<dyn Database>),
    Book(Box<dyn Book>),
}

impl std::fmt::Debug for OpenedInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedInput")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl OpenedInput {
    pub(crate) fn new(content: Content, fingerprint: String, problems: Vec<String>) -> Self {
        Self {
            content,
            fingerprint,
            problems,
            overview: OnceLock::new(),
            size: OnceLock::new(),
            names: Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    /// It is in use now.
    pub(crate) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// The time since it was last used.
    pub(crate) fn idle_time(&self) -> Duration {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.elapsed()
    }

    pub(crate) fn database(&self) -> Option<&dyn Database> {
        match &self.content {
            Content::Database(database) => Some(&**database),
            Content::Book(_) => None,
        }
    }

    /// The database, to be kept.
    pub(crate) fn shared_database(&self) -> Option<&Arc<dyn Database>> {
        match &self.content {
            Content::Database(database) => Some(database),
            Content::Book(_) => None,
        }
    }

    pub(crate) fn book(&self) -> Option<&dyn Book> {
        match &self.content {
            Content::Database(_) => None,
            Content::Book(book) => Some(&**book),
        }
    }

    /// Years and annotated games of a database, of the records that are games and not deleted.
    pub(crate) fn overview(&self) -> Overview {
        *self.overview.get_or_init(|| {
            let mut found = Overview::default();
            let Some(database) = self.database() else {
                return found;
            };
            let (mut games, mut annotated, mut is_stored) = (0, 0, false);
            for game in 0..database.len() {
                let Ok(entry) = database.entry(GameIndex(game)) else {
                    continue;
                };
                if entry.deleted || entry.is_text {
                    continue;
                }
                games += 1;
                let marks = entry.annotations();
                is_stored |= marks.iter().any(Option::is_some);
                annotated += u32::from(marks.contains(&Some(true)));
                let year = entry.date.year;
                if year > 0 {
                    let (first, last) = found.years.unwrap_or((year, year));
                    found.years = Some((first.min(year), last.max(year)));
                }
            }
            found.annotated = is_stored.then_some((annotated, games));
            found
        })
    }

    /// The names of one kind by frequency.
    pub(crate) fn names(&self, kind: NameKind) -> Arc<Vec<CountedName>> {
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = known.iter().find(|(other, _)| *other == kind) {
            return Arc::clone(names);
        }
        let database = self.database();
        let names = database.map(|database| names(database, kind));
        let names = Arc::new(names.unwrap_or_default());
        known.push((kind, Arc::clone(&names)));
        names
    }

    /// Positions and moves of a book; `None` if only a long walk could count them.
    pub(crate) fn size(&self, bytes: Option<u64>) -> Option<BookSize> {
        *self.size.get_or_init(|| {
            let book = self.book()?;
            let info = book.info();
            match (info.positions, info.moves) {
                (Some(positions), Some(moves)) => Some(BookSize::new(positions, moves)),
                _ if bytes.is_some_and(|bytes| bytes <= COUNTED_BOOK) => book.size().ok(),
                _ => None,
            }
        })
    }
}
