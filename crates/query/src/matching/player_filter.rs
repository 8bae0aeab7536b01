//! A term on players, tested for many records at once.

use tabia_core::GameIndex;
use tabia_core::games::{Database, NameId, NameKind};

use super::by_entry::NameCache;
use crate::language::{Item, NameField, NameTest, Test, What};

/// Number of records whose players are read at once.
const RECORDS_PER_READ: u32 = 4096;

/// A term on players that must hold, and the players of consecutive records.
#[derive(Debug, Clone)]
pub(super) struct PlayerFilter {
    tests: Vec<NameTest>,
    /// Which of White and Black the term is about.
    sides: [bool; 2],
    names: NameCache,
    players: Vec<[Option<NameId>; 2]>,
    from: u32,
    /// The database has no fast way to read them.
    is_useless: bool,
}

impl PlayerFilter {
    /// The filter of the first such term among items that must all hold.
    pub(super) fn of(items: &[Item]) -> Option<Self> {
        items.iter().find_map(|item| {
            let What::Term(term) = &item.what else {
                return None;
            };
            let Test::Name(field, tests) = &term.test else {
                return None;
            };
            let sides = match field {
                NameField::White => [true, false],
                NameField::Black => [false, true],
                // A winner or loser is a player too.
                NameField::Player | NameField::Winner | NameField::Loser => [true, true],
                _ => return None,
            };
            (!item.negated).then(|| Self {
                tests: tests.clone(),
                sides,
                names: NameCache::default(),
                players: Vec::new(),
                from: 0,
                is_useless: false,
            })
        })
    }

    /// The first record in `game..end` that may fit; `end` if there is none.
    pub(super) fn next(&mut self, database: &dyn Database, game: u32, end: u32) -> u32 {
        let mut game = game;
        while game < end {
            if !self.read(database, game, end) {
                return game;
            }
            let Self {
                tests,
                sides,
                names,
                players,
                from,
                ..
            } = self;
            let offset = (game - *from) as usize;
            let rest = players.get(offset..).unwrap_or_default();
            let rest = rest.get(..(end - game) as usize).unwrap_or(rest);
            let compare = |name: &str| tests.iter().any(|test| test.fits(name));
            let may_fit = |pair: &[Option<NameId>; 2]| {
                pair.iter().zip(&*sides).any(|(id, is_asked)| {
                    // What cannot be compared is left to those who test the record.
                    *is_asked
                        && id.is_none_or(|id| {
                            let fits = names.fits(database, NameKind::Player, id, &compare);
                            fits.unwrap_or(true)
                        })
                })
            };
            match rest.iter().position(may_fit) {
                Some(found) => return game + found as u32,
                None => game += rest.len() as u32,
            }
        }
        end
    }

    /// Reads the players of the next records, up to `end`, unless they are known.
    fn read(&mut self, database: &dyn Database, game: u32, end: u32) -> bool {
        if self.is_useless {
            return false;
        }
        let offset = game.wrapping_sub(self.from) as usize;
        if game >= self.from && offset < self.players.len() {
            return true;
        }
        let count = (end - game).min(RECORDS_PER_READ) as usize;
        self.players.resize(count, [None; 2]);
        if !database.players(GameIndex(game), &mut self.players) {
            self.players.clear();
            self.is_useless = true;
            return false;
        }
        self.from = game;
        true
    }
}
