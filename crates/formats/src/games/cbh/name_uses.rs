//! Finds files of names that belong to another database, by how often the records of `.cbh` and
//! `.cbj` use each name.

use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::Tables;
use super::records::{FileHeader, Record};
use crate::games::common::use_counts::{Uses, foreign_names};

/// The extensions of the files of names that are not those of the records in `headers`, a complete
/// `.cbh` file, each with the reason. `are_numbers_sure`: every record has its own number.
pub(super) fn foreign_name_files(
    tables: &Tables,
    headers: &[u8],
    are_numbers_sure: bool,
) -> Vec<(&'static str, String)> {
    let mut counts = [
        UsesById::of(tables.players.as_ref()),
        UsesById::of(tables.tournaments.as_ref()),
        UsesById::of(tables.annotators.as_ref()),
        UsesById::of(tables.sources.as_ref()),
        UsesById::of(tables.teams.as_ref()),
        UsesById::of(tables.game_tags.as_ref()),
    ];
    let [players, tournaments, annotators, sources, teams, game_tags] = &mut counts;
    for (index, record) in (0..).zip(headers.chunks_exact(FileHeader::SIZE).skip(1)) {
        let number = if are_numbers_sure {
            index + 1
        } else {
            u32::MAX
        };
        let Some(record) = Record::read(record) else {
            continue;
        };
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                players.add(game.white.get(), number);
                players.add(game.black.get(), number);
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        tournaments.add(tournament.get(), number);
        annotators.add(annotator.get(), number);
        sources.add(source.get(), number);
        let Some(table) = &tables.extended else {
            continue;
        };
        let extended = table.extended(index).0;
        if matches!(record, Record::Game(_)) {
            for team in [extended.white_team.get(), extended.black_team.get()] {
                if let Ok(id) = u32::try_from(team) {
                    teams.add(id, number);
                }
            }
        }
        if let Ok(id) = u32::try_from(extended.game_tag.get()) {
            game_tags.add(id, number);
        }
    }
    [
        players.problem(tables.players.as_ref()),
        tournaments.problem(tables.tournaments.as_ref()),
        annotators.problem(tables.annotators.as_ref()),
        sources.problem(tables.sources.as_ref()),
        teams.problem(tables.teams.as_ref()),
        game_tags.problem(tables.game_tags.as_ref()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The uses of the names of one file, by id.
struct UsesById(Vec<Uses>);

impl UsesById {
    fn of<E: Entity>(table: Option<&EntityTable<E>>) -> Self {
        let capacity = table.map_or(0, EntityTable::capacity);
        Self(vec![Uses::default(); capacity as usize])
    }

    /// Counts a use; ids that the file does not have are lost names.
    fn add(&mut self, id: u32, number: u32) {
        if let Some(uses) = self.0.get_mut(id as usize) {
            uses.add(number);
        }
    }

    fn problem<E: Entity>(&self, table: Option<&EntityTable<E>>) -> Option<(&'static str, String)> {
        let table = table?;
        let uses = (0..).zip(&self.0).filter_map(|(id, &found)| {
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
