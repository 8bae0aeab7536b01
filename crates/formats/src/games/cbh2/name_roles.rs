//! The roles in which records refer to names: each has an order of its own (`.2lcd`) and lists of games
//! (`.2lgd`).

use super::names::EntityKind;
use super::records::Record;

/// A role, with its number in `.2lgd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Player = 1,
    Tournament = 2,
    Source = 3,
    /// Of a game, or the author of a text or analysis.
    Annotator = 4,
    Team = 5,
    GameTag = 6,
    TextTitle = 7,
    AnalysisTitle = 8,
}

impl Role {
    /// All roles, in the order of their numbers.
    pub(super) const ALL: [Self; 8] = [
        Self::Player,
        Self::Tournament,
        Self::Source,
        Self::Annotator,
        Self::Team,
        Self::GameTag,
        Self::TextTitle,
        Self::AnalysisTitle,
    ];

    /// The kind of its names.
    pub(super) const fn kind(self) -> EntityKind {
        match self {
            Self::Player | Self::Annotator => EntityKind::Player,
            Self::Tournament => EntityKind::Tournament,
            Self::Source => EntityKind::Source,
            Self::Team => EntityKind::Team,
            Self::GameTag | Self::TextTitle | Self::AnalysisTitle => EntityKind::Tag,
        }
    }

    /// The names that a record refers to in this role; White's comes first.
    pub(super) fn names(self, record: Record<'_>) -> impl Iterator<Item = u32> {
        let names = match (record, self) {
            (Record::Game(game), Self::Player) => [Some(game.white), Some(game.black)],
            (Record::Game(game), Self::Tournament) => [Some(game.tournament), None],
            (Record::Game(game), Self::Source) => [Some(game.source), None],
            (Record::Game(game), Self::Annotator) => [Some(game.annotator), None],
            (Record::Game(game), Self::Team) => [Some(game.white_team), Some(game.black_team)],
            (Record::Game(game), Self::GameTag) => [Some(game.tag), None],
            (Record::Text(text), Self::Tournament) => [Some(text.tournament), None],
            (Record::Text(text), Self::Source) => [Some(text.source), None],
            (Record::Text(text), Self::Annotator) => [Some(text.annotator), None],
            (Record::Text(text), Self::TextTitle) => [Some(text.title), None],
            (Record::Analysis(analysis), Self::Source) => [Some(analysis.source), None],
            (Record::Analysis(analysis), Self::Annotator) => [Some(analysis.author), None],
            (Record::Analysis(analysis), Self::AnalysisTitle) => [Some(analysis.title), None],
            _ => [None; 2],
        };
        names.into_iter().flatten().filter_map(super::records::id)
    }
}
