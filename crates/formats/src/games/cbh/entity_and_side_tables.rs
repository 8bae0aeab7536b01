//! The tables of a set: one for each entity file and side file.

use tabia_core::GameIndex;

use super::entities::{Entity, EntityTable};
use super::files_of_newer_versions::{SideTable, TopGames};
use super::records::{
    AnnotatorRecord, ExtendedRecord, GameTagRecord, PlayerRecord, SourceRecord, TeamRecord,
    TournamentRecord,
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

    /// Whether zeros were written over the start of a game's record in `.cbj`.
    pub(super) fn is_zeroed(&self, game: GameIndex) -> bool {
        let table = self.extended.as_ref();
        table.is_some_and(|table| table.is_zeroed(game.0))
    }

    /// What a record of `.cbj` refers to: the field, the extension of the file, the number of the record in it unless
    /// there is none, and how many records that file has, if there is one.
    pub(super) fn optional_ids(&self, extended: &ExtendedRecord) -> [OptionalId; 3] {
        let teams = self.teams.as_ref().map(EntityTable::capacity);
        let titles = self.game_tags.as_ref().map(EntityTable::capacity);
        [
            ("white_team", "cbe", extended.white_team, teams),
            ("black_team", "cbe", extended.black_team, teams),
            ("game_tag", "cbl", extended.game_tag, titles),
        ]
        .map(|(field, extension, id, count)| {
            (field, extension, u32::try_from(id.get()).ok(), count)
        })
    }

    /// Whether a game's record in `.cbj` is damaged nowhere where that can be seen.
    pub(super) fn has_sound_entry(&self, game: GameIndex, extended: &ExtendedRecord) -> bool {
        let is_lost =
            |(_, _, id, count): OptionalId| id.zip(count).is_some_and(|(id, count)| id >= count);
        !self.is_zeroed(game) && !self.optional_ids(extended).into_iter().any(is_lost)
    }
}

/// See [`Tables::optional_ids`].
type OptionalId = (&'static str, &'static str, Option<u32>, Option<u32>);

/// An entity in a table; `None` if the table or the entity is missing.
pub fn entity<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> Option<&E> {
    table?.get(id)
}
