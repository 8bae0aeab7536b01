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

/// An entity in a table; `None` if the table or the entity is missing.
pub fn entity<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> Option<&E> {
    table?.get(id)
}
