//! ChessBase's search boosters, read for repair only: the games that use a name (`.cit` and `.cib`)
//! and the offsets of their moves (`.cbgi`). FORMAT.md § Search boosters.

use std::collections::HashMap;

use tabia_core::io::{Blob, Cursor};

use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::Tables;

/// The contents of the boosters, by game number (from 1).
#[derive(Debug, Default)]
pub(super) struct Boosters {
    /// Offsets in `.cbg`, from the first game on; 0 for texts.
    pub(super) moves: Vec<u32>,
    pub(super) tournaments: HashMap<u32, u32>,
    pub(super) annotators: HashMap<u32, u32>,
    pub(super) sources: HashMap<u32, u32>,
    /// Both players of a game, without their colours.
    pub(super) players: HashMap<u32, [u32; 2]>,
}

/// Bytes of the header of `.cit` and `.cib`.
const HEADER: usize = 12;
/// Bytes of a record of `.cit`: the first and last block of five kinds of names.
const LIST_HEADS: usize = 40;
/// Bytes of a block of `.cib`.
const BLOCK: usize = 64;
/// Game numbers in a full block.
const GAMES_PER_BLOCK: u32 = 13;

/// Indexes of the kinds in a record of `.cit`.
const PLAYERS: usize = 0;
const TOURNAMENTS: usize = 1;
const SOURCES: usize = 3;
const ANNOTATORS: usize = 4;

impl Boosters {
    /// Reads the files that exist. A list is used only if its length is the stored number of uses
    /// of its name, because boosters may be out of date.
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
        if !has_record_size(lists.heads, LIST_HEADS) || !has_record_size(lists.blocks, BLOCK) {
            return boosters;
        }
        boosters.tournaments = lists.game_to_id(tables.tournaments.as_ref(), TOURNAMENTS);
        boosters.annotators = lists.game_to_id(tables.annotators.as_ref(), ANNOTATORS);
        boosters.sources = lists.game_to_id(tables.sources.as_ref(), SOURCES);
        let mut players: HashMap<u32, Vec<u32>> = HashMap::new();
        lists.for_each_use(tables.players.as_ref(), PLAYERS, |id, game| {
            players.entry(game).or_default().push(id);
        });
        let pairs = players.into_iter();
        let pairs = pairs.filter_map(|(game, ids)| Some((game, ids.try_into().ok()?)));
        boosters.players = pairs.collect();
        boosters
    }
}

/// Whether the header of a file states this record size.
fn has_record_size(file: &[u8], size: usize) -> bool {
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
    /// `.cit`: the first block of each list.
    heads: &'f [u8],
    /// `.cib`.
    blocks: &'f [u8],
    /// Blocks that a list has used already.
    seen: Vec<bool>,
}

impl Lists<'_> {
    /// The id of each game's name, for a kind of which a game has one.
    fn game_to_id<E: Entity>(
        &mut self,
        table: Option<&EntityTable<E>>,
        kind: usize,
    ) -> HashMap<u32, u32> {
        let mut ids = HashMap::new();
        self.for_each_use(table, kind, |id, game| {
            ids.entry(game).or_insert(id);
        });
        ids
    }

    /// Calls `add` with the id and the game number of every use of every name of a kind.
    fn for_each_use<E: Entity>(
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

    /// Appends the games of one name to `games`.
    fn list(&mut self, id: u32, kind: usize, games: &mut Vec<u32>) {
        let at = (id as usize)
            .checked_mul(LIST_HEADS)
            .map(|at| at + HEADER + kind * 8);
        let first = at.and_then(|at| number(self.heads, at));
        let mut next = first.unwrap_or(u32::MAX);
        // −1 ends the list; no file has that many blocks.
        while let Some(seen) = self.seen.get_mut(next as usize) {
            if std::mem::replace(seen, true) {
                return;
            }
            let at = HEADER + next as usize * BLOCK;
            let count = number(self.blocks, at + 8)
                .unwrap_or(0)
                .min(GAMES_PER_BLOCK) as usize;
            games.extend((0..count).filter_map(|i| number(self.blocks, at + 12 + i * 4)));
            next = number(self.blocks, at).unwrap_or(u32::MAX);
        }
    }
}

fn number(file: &[u8], at: usize) -> Option<u32> {
    Cursor::new(file.get(at..)?).u32_le("number").ok()
}
