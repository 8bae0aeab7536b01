//! A table of games as a database.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use tabia::core::game::RecordKind;
use tabia::core::games::{Database, DatabaseInfo, GameReader, IndexEntry};
use tabia::core::io::Source;
use tabia::core::{NameId, NameKind};
use tabia::{Error, Flow, GameIndex, OpenOptions, Visitor, Want};

use super::column_roles::{Layout, Role};
use super::file_checks;
use super::row_to_game::{Columns, RowHead};
use super::table_file::{SharedBatches, TableFile};

/// A table of games in a Parquet file.
pub(super) struct ParquetDatabase {
    table: TableFile,
    info: DatabaseInfo,
    columns: Columns,
    batches: SharedBatches,
    /// Roles of the columns that are no part of the moves, and their numbers in the file.
    header: Vec<(usize, Role)>,
    entries: OnceLock<Result<Entries, Error>>,
}

/// The index entries and names, made when the first is asked for.
#[derive(Default)]
struct Entries {
    rows: Vec<IndexEntry>,
    names: Names,
}

/// Names with numbers; one list for all kinds.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> Option<NameId> {
        if name.is_empty() || name == "?" {
            return None;
        }
        if let Some(number) = self.numbers.get(name) {
            return Some(NameId(*number));
        }
        let number = u32::try_from(self.list.len()).ok()?;
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Some(NameId(number))
    }
}

impl ParquetDatabase {
    /// # Errors
    /// When the file is damaged, or holds no table of games.
    pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Self, Error> {
        let file = source.main().open()?;
        let table = TableFile::open(file, &options.limits)?;
        let layout = Layout::of(table.schema())?;
        let is_read = |role: &&Role| **role != Role::Derived;
        let roles = || {
            let roles = layout.roles.iter().enumerate();
            roles.filter_map(|(index, role)| Some((index, role.as_ref().filter(is_read)?.clone())))
        };
        let header = roles().filter(|(_, role)| !role.is_of_moves()).collect();
        let mut info = DatabaseInfo::default();
        info.format = file_checks::ID;
        info.version = table.created_by().escape_default().to_string();
        info.records = table.rows();
        if !layout.unread.is_empty() {
            let text = format!("columns that are not read: {}", layout.unread.join(", "));
            info.problems.push(text);
        }
        Ok(Self {
            columns: Columns::new(roles().map(|(_, role)| role)),
            batches: SharedBatches::new(table.mask(roles().map(|(index, _)| index))),
            table,
            info,
            header,
            entries: OnceLock::new(),
        })
    }

    fn entries(&self) -> Result<&Entries, Error> {
        let entries = self.entries.get_or_init(|| self.read_entries());
        entries.as_ref().map_err(Error::clone)
    }

    fn read_entries(&self) -> Result<Entries, Error> {
        let mask = self.table.mask(self.header.iter().map(|(index, _)| *index));
        let columns = Columns::new(self.header.iter().map(|(_, role)| role.clone()));
        let mut entries = Entries::default();
        self.table.each_batch(&mask, &mut |batch| {
            for row in 0..batch.num_rows() {
                let head = columns.head(batch, row);
                let entry = entry_of(&head, &mut entries.names);
                entries.rows.push(entry);
            }
            Ok(())
        })?;
        Ok(entries)
    }
}

fn entry_of(row: &RowHead, names: &mut Names) -> IndexEntry {
    let tags = &row.head.tags;
    let mut name = |tag: &str| names.number(tags.text(tag));
    IndexEntry {
        white: name("White"),
        black: name("Black"),
        event: name("Event"),
        site: name("Site"),
        round: name("Round"),
        annotator: name("Annotator"),
        date: tags.date().unwrap_or_default(),
        white_elo: tags.white_elo(),
        black_elo: tags.black_elo(),
        result: row.result,
        eco: tags.eco(),
        deleted: row.head.deleted,
        is_text: row.head.kind == RecordKind::Text,
        has_setup: row.head.start.setup.is_some(),
        ..IndexEntry::default()
    }
}

impl Database for ParquetDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.table.rows()
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry, Error> {
        let entry = self.entries()?.rows.get(game.0 as usize).copied();
        entry.ok_or_else(|| Error::invalid("there is no such row").in_game(game))
    }

    fn name(&self, _kind: NameKind, id: NameId) -> Result<Cow<'_, str>, Error> {
        let name = self.entries()?.names.list.get(id.0 as usize);
        name.map(|name| Cow::Borrowed(name.as_str()))
            .ok_or_else(|| Error::invalid("there is no such name"))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(Reader(self))
    }
}

/// Reads the rows of a table; threads share the batches.
struct Reader<'d>(&'d ParquetDatabase);

impl GameReader for Reader<'_> {
    fn read(
        &mut self,
        game: GameIndex,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow, Error> {
        let database = self.0;
        let (batch, row) = database.batches.row(&database.table, game.0)?;
        database.columns.visit(&batch, row, game, want, visitor)
    }
}
