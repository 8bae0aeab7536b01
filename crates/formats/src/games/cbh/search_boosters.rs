//! ChessBase's search boosters, read for repair only: which games use a name (`.cit` and `.cib`), and
//! where their moves are (`.cbgi`). FORMAT.md § Search boosters.

use std::collections::HashMap;

use tabia_core::io::{Blob, Cursor};

use super::entities::{Entity, EntityTable};
use super::tags::Tables;

/// What boosters know of games, by their numbers from 1.
#[derive(Debug, Default)]
pub(super) struct Boosters {
    /// Offsets in `.cbg`, from the first game on; 0 for texts.
    pub(super) moves: Vec<u32>,
    pub(super) tournaments: HashMap<u32, u32>,
    pub(super) annotators: HashMap<u32, u32>,
    pub(super) sources: HashMap<u32, u32>,
    /// Both players of a game; which side each had is not known.
    pub(super) players: HashMap<u32, [u32; 2]>,
}

/// Bytes of the header of `.cit` and `.cib`.
const HEADER: usize = 12;
/// Bytes of a record of `.cit`: first and last block for five kinds of names.
const LISTS: usize = 40;
/// Bytes of a block of `.cib`.
const BLOCK: usize = 64;
/// Numbers of games in it.
const GAMES: u32 = 13;

/// Places of the kinds in a record of `.cit`.
const PLAYERS: usize = 0;
const TOURNAMENTS: usize = 1;
const SOURCES: usize = 3;
const ANNOTATORS: usize = 4;

impl Boosters {
    /// What those of the files say that are there. A list counts only when it is as long as its
    /// name says that it is used: boosters are not always kept up.
    pub(super) fn read(
        lists: Option<&Blob>,
        blocks: Option<&Blob>,
        moves: Option<&Blob>,
        tables: &Tables,
    ) -> Self {
        let mut boosters = Self {
            moves: moves.map(|moves| offsets(moves)).unwrap_or_default(),
            ..Self::default()
        };
        let (Some(lists), Some(blocks)) = (lists, blocks) else {
            return boosters;
        };
        let mut lists = Lists {
            seen: vec![false; blocks.len() / BLOCK],
            heads: lists,
            blocks,
        };
        if !starts_with(lists.heads, LISTS) || !starts_with(lists.blocks, BLOCK) {
            return boosters;
        }
        boosters.tournaments = lists.one(tables.tournaments.as_ref(), TOURNAMENTS);
        boosters.annotators = lists.one(tables.annotators.as_ref(), ANNOTATORS);
        boosters.sources = lists.one(tables.sources.as_ref(), SOURCES);
        let mut players: HashMap<u32, Vec<u32>> = HashMap::new();
        lists.each(tables.players.as_ref(), PLAYERS, |id, game| {
            players.entry(game).or_default().push(id);
        });
        let pairs = players.into_iter();
        let pairs = pairs.filter_map(|(game, ids)| Some((game, ids.try_into().ok()?)));
        boosters.players = pairs.collect();
        boosters
    }
}

/// Whether a file says that its parts have that size.
fn starts_with(file: &[u8], size: usize) -> bool {
    Cursor::new(file).u32_le("size") == Ok(size as u32)
}

/// The offsets in a `.cbgi` file.
fn offsets(file: &[u8]) -> Vec<u32> {
    let mut cursor = Cursor::new(file);
    let count = cursor.u32_le("count").unwrap_or(0);
    let offsets = (0..count).map_while(|_| cursor.u32_le("offset").ok());
    offsets.collect()
}

struct Lists<'f> {
    /// `.cit`, which says where lists begin.
    heads: &'f [u8],
    /// `.cib`.
    blocks: &'f [u8],
    /// Blocks that belong to a list already.
    seen: Vec<bool>,
}

impl Lists<'_> {
    /// The name that each game uses, of a kind of which it has one.
    fn one<E: Entity>(&mut self, table: Option<&EntityTable<E>>, kind: usize) -> HashMap<u32, u32> {
        let mut found = HashMap::new();
        self.each(table, kind, |id, game| {
            found.entry(game).or_insert(id);
        });
        found
    }

    /// All games of all names of a kind.
    fn each<E: Entity>(
        &mut self,
        table: Option<&EntityTable<E>>,
        kind: usize,
        mut add: impl FnMut(u32, u32),
    ) {
        let mut games = Vec::new();
        for (id, entity) in table.into_iter().flat_map(EntityTable::iter) {
            games.clear();
            self.list(id, kind, &mut games);
            let (count, first) = entity.uses();
            let first = u32::try_from(first).unwrap_or(0);
            if usize::try_from(count) == Ok(games.len()) && games.first() == Some(&first) {
                for &game in &games {
                    add(id, game);
                }
            }
        }
    }

    fn list(&mut self, id: u32, kind: usize, games: &mut Vec<u32>) {
        let at = (id as usize)
            .checked_mul(LISTS)
            .map(|at| at + HEADER + kind * 8);
        let first = at.and_then(|at| number(self.heads, at));
        let mut next = first.unwrap_or(u32::MAX);
        // −1 is no block, and no file has that many.
        while let Some(seen) = self.seen.get_mut(next as usize) {
            if std::mem::replace(seen, true) {
                return;
            }
            let at = HEADER + next as usize * BLOCK;
            let count = number(self.blocks, at + 8).unwrap_or(0).min(GAMES) as usize;
            games.extend((0..count).filter_map(|place| number(self.blocks, at + 12 + place * 4)));
            next = number(self.blocks, at).unwrap_or(u32::MAX);
        }
    }
}

fn number(file: &[u8], at: usize) -> Option<u32> {
    Cursor::new(file.get(at..)?).u32_le("number").ok()
}
