//! The games of each name (`.2lgd`, FORMAT.md § Games of names).

use std::io::{self, Write};

use tabia_core::io::{Cursor, Sink};

use super::name_roles::Role;
use super::records::Record;

/// Bytes of the file header.
const HEADER: usize = 12;
/// Bytes of the heads and of the list block in a record.
const HALF: usize = 256;
/// Games in a list block.
const BLOCK_GAMES: u32 = 30;
/// Flag of a list of one game, with its number.
const SINGLE: u64 = 1 << 62;
/// Flag of a list of consecutive games, with the first or the last number.
const RANGE: u64 = 1 << 61;

/// A message about records that the file lacks; `None` if it has as many as it states and the last one is
/// complete.
pub(super) fn cut_off(file: &[u8]) -> Option<String> {
    let length = file.len();
    let mut cursor = Cursor::new(file);
    let blocks = cursor.take(4, "half").and_then(|_| cursor.u32_le("blocks"));
    let (Ok(blocks), Some(records)) = (blocks, length.checked_sub(HEADER)) else {
        return Some(format!("the file has {length} bytes, a header has 12"));
    };
    let (records, rest) = (records / (2 * HALF), records % (2 * HALF));
    if rest != 0 {
        return Some(format!("{rest} bytes at the end are not a complete record"));
    }
    ((records as u64) < u64::from(blocks))
        .then(|| format!("the header states {blocks} blocks of games, the file has {records}"))
}

/// The list of a name in a role.
#[derive(Debug, Clone, Copy)]
struct Head {
    count: u32,
    first: u32,
    last: u32,
    /// Whether all games are consecutive.
    is_range: bool,
    /// The first block of a list that is stored in blocks.
    block: u32,
}

impl Head {
    const EMPTY: Self = Self {
        count: 0,
        first: 0,
        last: 0,
        is_range: true,
        block: 0,
    };

    fn add(&mut self, game: u32) {
        if self.count == 0 {
            self.first = game;
        } else {
            self.is_range &= game == self.last.wrapping_add(1);
        }
        self.last = game;
        self.count += 1;
    }

    /// The number of blocks of the list.
    const fn blocks(&self) -> u32 {
        if self.is_range {
            0
        } else {
            self.count.div_ceil(BLOCK_GAMES)
        }
    }

    /// The fields *first*, *last* and *count*.
    fn fields(&self) -> [u64; 3] {
        let [first, last] = match (self.count, self.is_range) {
            (0, _) => [u64::MAX; 2],
            (1, _) => [SINGLE | u64::from(self.first), u64::MAX],
            (_, true) => [self.first, self.last].map(|game| RANGE | u64::from(game)),
            (_, false) => [self.block, self.block + self.blocks() - 1].map(u64::from),
        };
        [first, last, self.count.into()]
    }
}

/// The lists of all names, without their games.
#[derive(Debug)]
pub(super) struct Heads {
    /// By role and id.
    roles: Vec<Vec<Head>>,
    blocks: u32,
}

impl Heads {
    /// The lists of a database with these records; `count` is the number of names in a role. Other names
    /// that records refer to have no lists.
    pub(super) fn of<'r, I>(records: impl Fn() -> I, count: impl Fn(Role) -> u32) -> Self
    where
        I: Iterator<Item = Record<'r>>,
    {
        let mut roles: Vec<Vec<Head>> = Role::ALL
            .into_iter()
            .map(|role| vec![Head::EMPTY; count(role) as usize])
            .collect();
        for (number, record) in (1..).zip(records()) {
            for (role, heads) in Role::ALL.into_iter().zip(&mut roles) {
                for id in role.names(record) {
                    if let Some(head) = heads.get_mut(id as usize) {
                        head.add(number);
                    }
                }
            }
        }
        let mut blocks = 0;
        for head in roles.iter_mut().flatten() {
            head.block = blocks;
            blocks += head.blocks();
        }
        Self { roles, blocks }
    }

    fn role(&self, role: Role) -> &[Head] {
        let heads = self.roles.get(role as usize - 1);
        heads.map(Vec::as_slice).unwrap_or_default()
    }

    /// The names with games in a role, in ascending order.
    pub(super) fn used(&self, role: Role) -> impl Iterator<Item = u32> {
        let heads = (0..).zip(self.role(role));
        heads.filter(|(_, head)| head.count > 0).map(|(id, _)| id)
    }

    /// Writes the file. `records` are those that [`Heads::of`] has seen.
    pub(super) fn write<'r, I>(
        &self,
        records: impl Fn() -> I,
        output: &mut dyn Write,
    ) -> io::Result<()>
    where
        I: Iterator<Item = Record<'r>>,
    {
        let mut header = Sink::new();
        header.u32_le(HALF as u32);
        header.u32_le(self.blocks);
        header.u32_le(0);
        output.write_all(header.as_slice())?;
        let mut record = 0;
        for role in Role::ALL {
            let heads = self.role(role);
            let games = self.games(role, &records);
            let mut rest = games.as_slice();
            for head in heads.iter().filter(|head| head.blocks() > 0) {
                let (list, others) = rest
                    .split_at_checked(head.count as usize)
                    .unwrap_or_default();
                rest = others;
                let end = head.block + head.blocks();
                for (block, games) in (head.block + 1..).zip(list.chunks(BLOCK_GAMES as usize)) {
                    let next = if block < end { i64::from(block) } else { -1 };
                    self.write_heads(record, output)?;
                    record += 1;
                    let mut block = Sink::new();
                    block.i64_le(next);
                    block.u64_le(games.len() as u64);
                    for game in games {
                        block.u64_le(u64::from(*game));
                    }
                    block.zeros(HALF - block.len());
                    output.write_all(block.as_slice())?;
                }
            }
        }
        let names = self.roles.iter().map(Vec::len).max().unwrap_or(0);
        while (record as usize) < names {
            self.write_heads(record, output)?;
            record += 1;
            output.write_all(&[0; HALF])?;
        }
        Ok(())
    }

    /// The games of all lists in blocks of a role, one list after the other.
    fn games<'r, I>(&self, role: Role, records: &impl Fn() -> I) -> Vec<u32>
    where
        I: Iterator<Item = Record<'r>>,
    {
        let heads = self.role(role);
        let mut total = 0_usize;
        let mut next: Vec<usize> = Vec::with_capacity(heads.len());
        for head in heads {
            next.push(total);
            if head.blocks() > 0 {
                total += head.count as usize;
            }
        }
        let mut games = vec![0; total];
        if total == 0 {
            return games;
        }
        for (number, record) in (1..).zip(records()) {
            for id in role.names(record) {
                let is_stored = heads.get(id as usize).is_some_and(|head| head.blocks() > 0);
                let Some(next) = next.get_mut(id as usize).filter(|_| is_stored) else {
                    continue;
                };
                if let Some(game) = games.get_mut(*next) {
                    *game = number;
                }
                *next += 1;
            }
        }
        games
    }

    /// Writes the first half of a record: the lists of the names with its number.
    fn write_heads(&self, number: u32, output: &mut dyn Write) -> io::Result<()> {
        let mut fields = [[u64::MAX; 10], [u64::MAX; 10], [0; 10]];
        for role in Role::ALL {
            let head = self.role(role).get(number as usize);
            let stored = head.unwrap_or(&Head::EMPTY).fields();
            for (fields, value) in fields.iter_mut().zip(stored) {
                if let Some(field) = fields.get_mut(role as usize) {
                    *field = value;
                }
            }
        }
        let mut half = Sink::new();
        for value in fields.as_flattened() {
            half.u64_le(*value);
        }
        half.u64_le(12);
        half.u64_le(0);
        output.write_all(half.as_slice())
    }

    /// Compares the lists of a file with these; returns the number of names in a role whose lists differ.
    pub(super) fn different<'r, I>(&self, records: impl Fn() -> I, file: &[u8]) -> u64
    where
        I: Iterator<Item = Record<'r>>,
    {
        let lists = file.get(HEADER..).unwrap_or_default();
        let mut different = 0;
        for role in Role::ALL {
            let heads = self.role(role);
            // All games of the role, and where those of the next name begin.
            let mut starts = Vec::with_capacity(heads.len());
            let mut total = 0_usize;
            for head in heads {
                starts.push(total);
                total += head.count as usize;
            }
            let mut games = vec![0_u32; total];
            let mut next = starts.clone();
            for (number, record) in (1..).zip(records()) {
                for id in role.names(record) {
                    let Some(next) = next.get_mut(id as usize) else {
                        continue;
                    };
                    if let Some(game) = games.get_mut(*next) {
                        *game = number;
                    }
                    *next += 1;
                }
            }
            for ((id, head), start) in (0..).zip(heads).zip(starts) {
                let expected = games.get(start..start + head.count as usize);
                let found = StoredList::read(lists, role, id);
                let is_equal = found.is_some_and(|list| {
                    list.is_equal(lists, expected.unwrap_or_default()) == Some(true)
                });
                different += u64::from(!is_equal);
            }
        }
        different
    }
}

/// The fields of a stored list.
#[derive(Debug, Clone, Copy)]
struct StoredList {
    first: u64,
    last: u64,
    count: u64,
}

impl StoredList {
    /// The list of a name; an empty one if the file has no record for it.
    fn read(lists: &[u8], role: Role, id: u32) -> Option<Self> {
        let Some(half) = lists.get(id as usize * 2 * HALF..) else {
            return Some(Self {
                first: u64::MAX,
                last: u64::MAX,
                count: 0,
            });
        };
        let field = |number: usize| {
            let mut cursor = Cursor::new(half.get(8 * number..)?);
            cursor.u64_le("list").ok()
        };
        let role = role as usize;
        Some(Self {
            first: field(role)?,
            last: field(role + 10)?,
            count: field(role + 20)?,
        })
    }

    /// Whether the games of the list are these; `None` if it is malformed.
    fn is_equal(self, lists: &[u8], expected: &[u32]) -> Option<bool> {
        if self.first == u64::MAX {
            return Some(expected.is_empty() && self.count == 0);
        }
        if self.count != expected.len() as u64 {
            return Some(false);
        }
        let number = |field: u64| field & (RANGE - 1);
        if self.first & SINGLE != 0 {
            let stored = [number(self.first), number(self.last)];
            let count = if self.last == u64::MAX { 1 } else { 2 };
            let stored = stored.get(..count)?.iter().copied();
            return Some(stored.eq(expected.iter().map(|game| u64::from(*game))));
        }
        if self.first & RANGE != 0 {
            let stored = number(self.first)..=number(self.last);
            return Some(stored.eq(expected.iter().map(|game| u64::from(*game))));
        }
        let mut block = self.first;
        let mut rest = expected;
        while !rest.is_empty() {
            let at = usize::try_from(block).ok()?.checked_mul(2 * HALF)?;
            let bytes = lists.get(at.checked_add(HALF)?..)?;
            let mut cursor = Cursor::new(bytes.get(..HALF)?);
            let next = cursor.u64_le("next").ok()?;
            let count = usize::try_from(cursor.u64_le("count").ok()?).ok()?;
            if count == 0 || count > BLOCK_GAMES as usize {
                return None;
            }
            let (games, others) = rest.split_at_checked(count)?;
            for game in games {
                if cursor.u64_le("game").ok()? != u64::from(*game) {
                    return Some(false);
                }
            }
            rest = others;
            if rest.is_empty() {
                return Some(next == u64::MAX && self.last == block);
            }
            block = next;
        }
        Some(true)
    }
}
