//! The tables of a set: one for each entity file and side file.

use super::entities::{Entity, EntityTable};
use super::files_of_newer_versions::{SideTable, TopGames};
use super::records::{
    AnnotatorRecord, GameTagRecord, PlayerRecord, SourceRecord, TeamRecord, TournamentRecord,
};

/// The tables of a set; any may be missing.
#[derive(Debug, Default)]
pub struct Tables {
    /// `.cbp`.
    pub players: Option<EntityTable<PlayerRecord>>,
    /// `.cbt`.
    pub tournaments: Option<EntityTable<TournamentRecord>>,
    /// `.cbc`.
    pub annotators: Option<EntityTable<AnnotatorRecord>>,
    /// `.cbs`.
    pub sources: Option<EntityTable<SourceRecord>>,
    /// `.cbe`.
    pub teams: Option<EntityTable<TeamRecord>>,
    /// `.cbl`.
    pub game_tags: Option<EntityTable<GameTagRecord>>,
    /// `.cbj`.
    pub extended: Option<SideTable>,
    /// `.cbtt`.
    pub tournament_extras: Option<SideTable>,
    /// `.flags`.
    pub top_games: Option<TopGames>,
}

impl Tables {
    /// Whether bytes were inserted into a file of names or lost from it.
    pub(super) fn have_changed_names(&self) -> bool {
        fn have<E: Entity>(table: Option<&EntityTable<E>>) -> bool {
            table.is_some_and(EntityTable::has_changes)
        }
        have(self.players.as_ref())
            || have(self.tournaments.as_ref())
            || have(self.annotators.as_ref())
            || have(self.sources.as_ref())
            || have(self.teams.as_ref())
            || have(self.game_tags.as_ref())
    }
}

/// An entity in a table; `None` if the table or the entity is missing.
pub fn entity<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> Option<&E> {
    table?.get(id)
}
