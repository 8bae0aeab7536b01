//! [`TinyDatabase`]: a database in memory.

use std::borrow::Cow;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{Flow, Game, Visitor, Want};
use tabia_core::games::{Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind};
use tabia_core::{FormatId, GameIndex};

/// A database in memory.
#[derive(Debug)]
pub struct TinyDatabase {
    games: Vec<Game>,
    info: DatabaseInfo,
    names: Vec<(NameKind, String)>,
}

impl TinyDatabase {
    /// A database of these games.
    pub fn new(games: Vec<Game>) -> Self {
        let mut names: Vec<(NameKind, String)> = Vec::new();
        for game in &games {
            for (kind, tag) in NAME_TAGS {
                let name = (kind, game.head.tags.text(tag).to_owned());
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut info = DatabaseInfo::default();
        info.format = FormatId::new("tiny");
        info.version = "in memory".into();
        info.records = games.len() as u32;
        Self { games, info, names }
    }

    fn game(&self, game: GameIndex) -> Result<&Game> {
        self.games
            .get(game.0 as usize)
            .ok_or_else(|| Error::new(ErrorKind::Invalid("no such game".to_owned())).in_game(game))
    }

    fn id(&self, kind: NameKind, name: &str) -> Option<NameId> {
        self.names
            .iter()
            .position(|other| other.0 == kind && other.1 == name)
            .map(|index| NameId(index as u32))
    }
}

const NAME_TAGS: [(NameKind, &str); 7] = [
    (NameKind::Player, "White"),
    (NameKind::Player, "Black"),
    (NameKind::Event, "Event"),
    (NameKind::Site, "Site"),
    (NameKind::Round, "Round"),
    (NameKind::Annotator, "Annotator"),
    (NameKind::Source, "Source"),
];

impl Database for TinyDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let game = self.game(game)?;
        let tags = &game.head.tags;
        let id = |kind, tag| self.id(kind, tags.text(tag));
        Ok(IndexEntry {
            white: id(NameKind::Player, "White"),
            black: id(NameKind::Player, "Black"),
            event: id(NameKind::Event, "Event"),
            site: id(NameKind::Site, "Site"),
            round: id(NameKind::Round, "Round"),
            annotator: id(NameKind::Annotator, "Annotator"),
            date: tags.date().unwrap_or_default(),
            white_elo: tags.white_elo(),
            black_elo: tags.black_elo(),
            result: game.result,
            eco: tags.eco(),
            ply_count: u16::try_from(game.ply_count()).ok(),
            deleted: game.head.deleted,
            has_setup: game.head.start.setup.is_some(),
            has_variations: Some(game.has_variations()),
            ..IndexEntry::default()
        })
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        self.names
            .get(id.0 as usize)
            .filter(|name| name.0 == kind)
            .map(|name| Cow::Borrowed(name.1.as_str()))
            .ok_or_else(|| Error::new(ErrorKind::Invalid("no such name".to_owned())))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(TinyReader(self))
    }
}

struct TinyReader<'d>(&'d TinyDatabase);

impl GameReader for TinyReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        Ok(self.0.game(game)?.replay(game, want, visitor))
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::game::GameResult;

    use super::*;
    use crate::dump;
    use crate::tiny::games;

    #[test]
    fn a_database_answers_by_index_and_name() {
        let database = TinyDatabase::new(games());
        let entry = database.entry(GameIndex(1)).unwrap();
        let white = entry.white.unwrap();
        assert_eq!(
            database.name(NameKind::Player, white).unwrap(),
            "Brandt, Bo"
        );
        assert_eq!(entry.result, GameResult::Draw);
        assert_eq!(entry.ply_count, Some(10));
        assert!(database.entry(GameIndex(3)).is_err());
        let all = dump::database(&database, Want::ALL);
        assert_eq!(all.matches("\ngame ").count() + 1, 3);
        assert!(all.contains("start 4k3/P7/8/8/8/8/7p/4K3 w - - 0 1"));
    }
}
