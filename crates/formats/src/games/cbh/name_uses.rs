//! Counts how often the records of `.cbh` and `.cbj` use each name, and finds files of names that belong
//! to another database by it.

use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::Tables;
use super::records::{ExtendedRecord, FileHeader, Record};
use crate::games::common::use_counts::{Uses, foreign_names};

/// The extensions of the files of names that are not those of the records in `headers`, a complete
/// `.cbh` file, each with the reason. `are_numbers_sure`: every record has its own number.
pub(super) fn foreign_name_files(
    tables: &Tables,
    headers: &[u8],
    are_numbers_sure: bool,
) -> Vec<(&'static str, String)> {
    let mut uses = NameUses::new(tables);
    for (index, record) in (0..).zip(headers.chunks_exact(FileHeader::SIZE).skip(1)) {
        let number = if are_numbers_sure {
            index + 1
        } else {
            u32::MAX
        };
        if let Some(record) = Record::read(record) {
            let extended = tables.extended.as_ref();
            let extended = extended.map(|table| table.extended(index).0);
            uses.add(record, extended.as_ref(), number, &mut |_, _| ());
        }
    }
    [
        uses.players.problem(tables.players.as_ref()),
        uses.tournaments.problem(tables.tournaments.as_ref()),
        uses.annotators.problem(tables.annotators.as_ref()),
        uses.sources.problem(tables.sources.as_ref()),
        uses.teams.problem(tables.teams.as_ref()),
        uses.game_tags.problem(tables.game_tags.as_ref()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The uses of all names of a set.
pub(super) struct NameUses {
    pub(super) players: UsesById,
    pub(super) tournaments: UsesById,
    pub(super) annotators: UsesById,
    pub(super) sources: UsesById,
    pub(super) teams: UsesById,
    pub(super) game_tags: UsesById,
}

impl NameUses {
    pub(super) fn new(tables: &Tables) -> Self {
        Self {
            players: UsesById::of(tables.players.as_ref()),
            tournaments: UsesById::of(tables.tournaments.as_ref()),
            annotators: UsesById::of(tables.annotators.as_ref()),
            sources: UsesById::of(tables.sources.as_ref()),
            teams: UsesById::of(tables.teams.as_ref()),
            game_tags: UsesById::of(tables.game_tags.as_ref()),
        }
    }

    /// Counts the names of a record, whose number (from 1) is `number`. `missing` gets field and id of each
    /// name that its file does not have.
    pub(super) fn add(
        &mut self,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
        number: u32,
        missing: &mut dyn FnMut(&'static str, u32),
    ) {
        let mut add = |field, uses: &mut UsesById, id: u32| {
            if !uses.add(id, number) {
                missing(field, id);
            }
        };
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                add("white", &mut self.players, game.white.get());
                add("black", &mut self.players, game.black.get());
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        add("tournament", &mut self.tournaments, tournament.get());
        add("annotator", &mut self.annotators, annotator.get());
        add("source", &mut self.sources, source.get());
        let Some(extended) = extended else { return };
        if matches!(record, Record::Game(_)) {
            for (field, id) in [
                ("white_team", extended.white_team.get()),
                ("black_team", extended.black_team.get()),
            ] {
                if let Ok(id) = u32::try_from(id) {
                    add(field, &mut self.teams, id);
                }
            }
        }
        if let Ok(id) = u32::try_from(extended.game_tag.get()) {
            add("game_tag", &mut self.game_tags, id);
        }
    }
}

/// The uses of the names of one file, by id.
pub(super) struct UsesById(Vec<Uses>);

impl UsesById {
    fn of<E: Entity>(table: Option<&EntityTable<E>>) -> Self {
        let capacity = table.map_or(0, EntityTable::capacity);
        Self(vec![Uses::default(); capacity as usize])
    }

    /// Counts a use. `false` if the file exists and does not have the name.
    fn add(&mut self, id: u32, number: u32) -> bool {
        match self.0.get_mut(id as usize) {
            Some(uses) => {
                uses.add(number);
                true
            }
            None => self.0.is_empty(),
        }
    }

    /// The uses of each id, from 0.
    pub(super) fn iter(&self) -> impl Iterator<Item = Uses> {
        self.0.iter().copied()
    }

    fn problem<E: Entity>(&self, table: Option<&EntityTable<E>>) -> Option<(&'static str, String)> {
        let table = table?;
        let uses = (0..).zip(self.iter()).filter_map(|(id, found)| {
            let (count, first) = table.get(id)?.uses();
            let number = |stated: i32| u32::try_from(stated).unwrap_or(0);
            let stated = Uses {
                count: number(count),
                first: number(first),
            };
            Some((stated, found))
        });
        Some((E::EXTENSION, foreign_names(uses)?))
    }
}
