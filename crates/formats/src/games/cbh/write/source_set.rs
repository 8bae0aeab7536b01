//! The set that is changed or copied: opening it, its lock.

use std::path::Path;

use tabia_core::error::{Error, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::io::{Charset, SetLock, Source, existing_path};

use crate::games::cbh::charset::until_zero;
use crate::games::cbh::entities::EntityTable;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::verify::require_sound;

/// Opens a database that can be changed safely.
pub(super) fn open_sound(source: &Source, options: &OpenOptions) -> Result<CbhDatabase> {
    let db = CbhDatabase::open(source, options).map_err(Error::in_input)?;
    require_sound(&db).map_err(Error::in_input)?;
    Ok(db)
}

/// The lock of a set that will be replaced by its changed copy; `None` if `path` is another one.
pub(super) fn lock_source(source: &Source, path: &Path) -> Result<Option<SetLock>> {
    let is_file = source.main().path().is_some();
    let is_source = is_file && (**source.label() == *path || is_same_file(source, path));
    is_source.then(|| SetLock::acquire(path)).transpose()
}

/// Whether `path` is the main file of `source`.
pub(super) fn is_same_file(source: &Source, path: &Path) -> bool {
    let canonical = |path: &Path| existing_path(path).ok();
    let source_path = source.main().path().and_then(canonical);
    source_path.is_some() && source_path == canonical(path)
}

/// The character set for new names: that of most existing names that are not ASCII, else UTF-8.
pub(super) fn charset(db: &CbhDatabase) -> Charset {
    let (mut utf8, mut other) = (0_u32, 0_u32);
    let mut count = |bytes: &[u8]| match std::str::from_utf8(until_zero(bytes)) {
        Ok(text) if text.is_ascii() => {}
        Ok(_) => utf8 += 1,
        Err(_) => other += 1,
    };
    let tables = db.tables();
    for (_, player) in tables.players.iter().flat_map(EntityTable::iter) {
        count(&player.last_name);
        count(&player.first_name);
    }
    for (_, tournament) in tables.tournaments.iter().flat_map(EntityTable::iter) {
        count(&tournament.title);
        count(&tournament.site);
    }
    for (_, annotator) in tables.annotators.iter().flat_map(EntityTable::iter) {
        count(&annotator.name);
    }
    if other > utf8 {
        Charset::Single(db.texts().page())
    } else {
        Charset::Auto
    }
}
