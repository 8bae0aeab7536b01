//! The sorted names of each role (`.2lcd`, FORMAT.md § Orders of names).

use std::cmp::Ordering;
use std::io::{self, Write};

use tabia_core::io::{Cursor, Sink};

use super::collation::{self, Ignored};
use super::game_lists::Heads;
use super::name_roles::Role;
use super::names::{Player, Source, Team, Tournament, titles};
use crate::games::cbh::write::entity_tree::Tree;

/// Bytes of a page.
const PAGE: usize = 4096;
/// Pages before those of nodes: the file header, and the catalog of the orders.
const FIRST_PAGES: u32 = 2;
/// Nodes of a page, and bytes of a node.
const PAGE_NODES: u32 = 102;
const NODE: usize = 40;
/// Page numbers in a directory page.
const DIRECTORY: u32 = 1024;
/// Bytes of a catalog entry.
const ENTRY: usize = 128;

/// The name of a role's order, and its number in the catalog entry.
const fn order_name(role: Role) -> (&'static str, u8) {
    match role {
        Role::Player => ("Default Spieler", 1),
        Role::Tournament => ("Default Turnier", 2),
        Role::Source => ("Default Quelle", 3),
        Role::Annotator => ("Default Kommentator", 4),
        Role::Team => ("Default Mannschaften", 5),
        Role::GameTag => ("Default Partietitle", 6),
        Role::TextTitle => ("Texttitel", 6),
        Role::AnalysisTitle => ("Analysen", 6),
    }
}

/// Writes the file except its first two pages, which are returned. `lists` has the names in use, `name` the
/// stored fields of one.
pub(super) fn write<'n>(
    lists: &Heads,
    output: &mut dyn Write,
    name: impl Fn(Role, u32) -> &'n [u8],
) -> io::Result<Vec<u8>> {
    output.write_all(&[0; FIRST_PAGES as usize * PAGE])?;
    let mut pages = Pages {
        output,
        count: FIRST_PAGES,
    };
    let mut catalog = Sink::new();
    for role in Role::ALL {
        let ids: Vec<u32> = lists.used(role).collect();
        let entry = write_order(role, &ids, |id| name(role, id), &mut pages)?;
        catalog.bytes(&entry);
    }
    let mut first = Sink::new();
    first.u32_be(1);
    first.u32_be(pages.count);
    first.u32_be(PAGE as u32);
    first.zeros(PAGE - first.len());
    first.bytes(catalog.as_slice());
    first.zeros(FIRST_PAGES as usize * PAGE - first.len());
    Ok(first.into_vec())
}

/// The pages after the first two, written one after the other.
struct Pages<'o> {
    output: &'o mut dyn Write,
    count: u32,
}

impl Pages<'_> {
    /// Writes a page and returns its number.
    fn add(&mut self, page: &[u8; PAGE]) -> io::Result<u32> {
        self.output.write_all(page)?;
        self.count += 1;
        Ok(self.count - 1)
    }

    /// Writes directories of pages, given as their indexes and numbers. Returns the pages of the
    /// directories in the same form.
    fn add_directories(&mut self, listed: &[(u32, u32)]) -> io::Result<Vec<(u32, u32)>> {
        let mut directories = Vec::new();
        for group in listed.chunk_by(|a, b| a.0 / DIRECTORY == b.0 / DIRECTORY) {
            let mut numbers = Sink::new();
            let mut index = 0;
            for (number, page_number) in group {
                let at = (number % DIRECTORY) as usize * 4;
                numbers.zeros(at - numbers.len());
                numbers.u32_le(*page_number);
                index = number / DIRECTORY;
            }
            let mut page = [0; PAGE];
            for (byte, stored) in page.iter_mut().zip(numbers.as_slice()) {
                *byte = *stored;
            }
            directories.push((index, self.add(&page)?));
        }
        Ok(directories)
    }
}

/// Writes the nodes of one order and returns its catalog entry.
fn write_order<'n>(
    role: Role,
    ids: &[u32],
    name: impl Fn(u32) -> &'n [u8],
    pages: &mut Pages<'_>,
) -> io::Result<Vec<u8>> {
    let mut keys = Vec::new();
    let mut ends = Vec::with_capacity(ids.len());
    for &id in ids {
        sort_key(role, name(id), &mut keys);
        ends.push(keys.len());
    }
    let key = |index: u32| {
        let index = index as usize;
        let start = index.checked_sub(1).and_then(|i| ends.get(i)).copied();
        let end = ends.get(index).copied().unwrap_or(keys.len());
        keys.get(start.unwrap_or(0)..end)
    };
    let tree = Tree::build(ids.len() as u32, |a, b| key(a) < key(b));
    let id_of = |index: i32| {
        let id = usize::try_from(index).ok().and_then(|i| ids.get(i));
        id.map_or(-1, |id| i64::from(*id))
    };
    let mut parents = vec![-1_i32; ids.len()];
    for (index, node) in (0..).zip(tree.nodes()) {
        for child in [node.left, node.right] {
            if let Some(parent) = usize::try_from(child).ok().and_then(|i| parents.get_mut(i)) {
                *parent = index;
            }
        }
    }
    let mut node_pages: Vec<(u32, u32)> = Vec::new();
    let mut page = [0; PAGE];
    let mut index = ids.first().map_or(0, |id| id / PAGE_NODES);
    for ((&id, node), parent) in ids.iter().zip(tree.nodes()).zip(parents) {
        if id / PAGE_NODES != index {
            node_pages.push((index, pages.add(&page)?));
            page = [0; PAGE];
            index = id / PAGE_NODES;
        }
        let mut fields = Sink::new();
        fields.i64_le(id_of(node.left));
        fields.i64_le(id_of(node.right));
        fields.i64_le(id_of(parent));
        fields.u64_le(node_key(role, name(id)));
        fields.i16_le(node.balance.into());
        fields.u16_le(0);
        fields.u32_le(id % PAGE_NODES);
        let at = (id % PAGE_NODES) as usize * NODE;
        if let Some(slot) = page.get_mut(at..at + NODE) {
            slot.copy_from_slice(fields.as_slice());
        }
    }
    node_pages.push((index, pages.add(&page)?));
    let depth = depth(ids.last().copied());
    let mut top = node_pages;
    for _ in 0..depth {
        top = pages.add_directories(&top)?;
    }
    let root = if ids.is_empty() {
        -1
    } else {
        id_of(tree.root())
    };
    let (text, number) = order_name(role);
    let mut entry = Sink::new();
    entry.u16_be(depth);
    entry.u32_be(top.first().map_or(0, |(_, page)| *page));
    entry.i64_be(root);
    entry.u64_be(ids.len() as u64);
    entry.bytes(&[role.kind() as u8 + 1, 3, number, 1]);
    entry.u16_be(text.len() as u16);
    entry.fixed(text.as_bytes(), ENTRY - entry.len());
    Ok(entry.into_vec())
}

/// Levels of directory pages above the nodes, up to that with the highest number.
fn depth(last: Option<u32>) -> u16 {
    match last.unwrap_or(0) / PAGE_NODES {
        0 => 0,
        1..DIRECTORY => 1,
        _ => 2,
    }
}

/// The first eight bytes of what is compared, as a big-endian number: 0 if a character has another order
/// than its byte, 1 if nothing is compared.
fn node_key(role: Role, fields: &[u8]) -> u64 {
    let cursor = Cursor::new(fields);
    let parts = match role {
        Role::Player | Role::Annotator => Player::read(cursor).map(|player| {
            let is_empty = player.last.is_empty() && player.first.is_empty();
            let is_plain = |c: u8| c.is_ascii_alphanumeric() || c == b' ';
            (
                is_empty,
                Vec::new(),
                player.last,
                8,
                is_plain as fn(u8) -> bool,
            )
        }),
        Role::Tournament => Tournament::read(cursor).map(|tournament| {
            let year = two_bytes((tournament.date >> 9) as u16).to_vec();
            let is_empty =
                tournament.date == 0 && tournament.title.is_empty() && tournament.site.is_empty();
            (
                is_empty,
                year,
                tournament.title,
                6,
                (|c: u8| c.is_ascii_alphanumeric()) as fn(u8) -> bool,
            )
        }),
        Role::Source => Source::read(cursor).map(|source| {
            let is_ascii = (|c: u8| c.is_ascii()) as fn(u8) -> bool;
            (
                source.title.is_empty(),
                Vec::new(),
                source.title,
                8,
                is_ascii,
            )
        }),
        Role::Team => Team::read(cursor).map(|team| {
            let is_empty = team.title.is_empty()
                && (team.number, team.nation, team.year, team.season) == (0, 0, 0, 0);
            let is_ascii = (|c: u8| c.is_ascii()) as fn(u8) -> bool;
            (is_empty, Vec::new(), team.title, 8, is_ascii)
        }),
        Role::GameTag | Role::TextTitle | Role::AnalysisTitle => titles(cursor).map(|titles| {
            let first = first_title(&titles);
            let (nation, title) = first.unwrap_or((0, &[]));
            let is_ascii = (|c: u8| c.is_ascii()) as fn(u8) -> bool;
            (first.is_none(), vec![nation as u8], title, 7, is_ascii)
        }),
    };
    let Ok((is_empty, mut key, text, length, is_plain)) = parts else {
        return 0;
    };
    if is_empty {
        return 1;
    }
    // Of titles of game tags one more byte must be plain than is stored.
    let checked = text.get(..text.len().min(length.max(8 - 2 * usize::from(length == 6))));
    if !checked.unwrap_or_default().iter().all(|c| is_plain(*c)) {
        return 0;
    }
    let text = text.get(..text.len().min(length)).unwrap_or_default();
    key.extend(text.iter().map(u8::to_ascii_lowercase));
    key.resize(8, 0);
    let mut cursor = Cursor::new(&key);
    cursor.u64_be("key").unwrap_or(0)
}

/// The first title of a game tag that is not empty.
fn first_title<'t>(titles: &[(i32, &'t [u8])]) -> Option<(i32, &'t [u8])> {
    titles.iter().copied().find(|(_, title)| !title.is_empty())
}

/// Appends bytes that are ordered as ChessBase orders the names of a role.
fn sort_key(role: Role, fields: &[u8], key: &mut Vec<u8>) {
    let cursor = Cursor::new(fields);
    match role {
        Role::Player | Role::Annotator => {
            let player = Player::read(cursor).unwrap_or_default();
            for text in [player.last, player.first] {
                collation::push(text, Ignored::Apostrophes, key);
            }
        }
        Role::Tournament => {
            let tournament = Tournament::read(cursor).unwrap_or_default();
            key.extend(two_bytes((tournament.date >> 9) as u16));
            for text in [tournament.title, tournament.site] {
                collation::push(text, Ignored::ApostrophesAndHyphens, key);
            }
            key.extend(two_bytes((tournament.date & 0x1ff) as u16));
        }
        Role::Source => {
            let source = Source::read(cursor).unwrap_or_default();
            collation::push(source.title, Ignored::Nothing, key);
        }
        Role::Team => {
            let team = Team::read(cursor).unwrap_or_default();
            collation::push(team.title, Ignored::Nothing, key);
            key.extend([team.number, team.nation]);
            // Negative years first.
            key.extend(two_bytes(team.year as u16 ^ 0x8000));
            key.push(team.season);
        }
        Role::GameTag | Role::TextTitle | Role::AnalysisTitle => {
            let titles = titles(cursor).unwrap_or_default();
            if let Some((nation, title)) = first_title(&titles) {
                key.push(nation as u8);
                collation::push(title, Ignored::Nothing, key);
            }
        }
    }
}

/// The higher byte and the lower byte.
const fn two_bytes(number: u16) -> [u8; 2] {
    [(number >> 8) as u8, number as u8]
}

/// A message about pages that the file states to have and has not; `None` if it has them.
pub(super) fn cut_off(file: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(file);
    let pages = cursor
        .take(4, "version")
        .and_then(|_| cursor.u32_be("pages"));
    let found = file.len() / PAGE;
    match pages {
        Ok(pages) if found as u64 >= u64::from(pages) => None,
        Ok(pages) => Some(format!(
            "the header states {pages} pages, the file has {found}"
        )),
        Err(_) => Some(format!(
            "the file has {} bytes, a header has 12",
            file.len()
        )),
    }
}

/// Compares the orders of a file with the names in use. Returns the roles whose order lacks names, has
/// others, or is no balanced tree of them in the order of their keys.
pub(super) fn different(lists: &Heads, file: &[u8]) -> Vec<Role> {
    let wrong = Role::ALL.into_iter().zip(0..).filter(|(role, number)| {
        let used: Vec<u32> = lists.used(*role).collect();
        check_order(file, *number, &used) != Some(())
    });
    wrong.map(|(role, _)| role).collect()
}

/// The file's name of a role's names.
pub(super) fn label(role: Role) -> &'static str {
    order_name(role).0
}

/// Checks the order with a number in the catalog; `None` if it is not a tree of these names.
fn check_order(file: &[u8], number: usize, used: &[u32]) -> Option<()> {
    let entry = file.get(PAGE + number * ENTRY..)?.get(..ENTRY)?;
    let mut cursor = Cursor::new(entry);
    let depth = cursor.u16_be("depth").ok()?;
    let top = cursor.u32_be("page").ok()?;
    let root = cursor.i64_be("root").ok()?;
    let count = cursor.u64_be("nodes").ok()?;
    if count != used.len() as u64 || depth > 2 {
        return None;
    }
    let nodes = NodePages { file, depth, top };
    if used.is_empty() {
        return (root == -1).then_some(());
    }
    let mut seen = vec![false; used.len()];
    let mut last_key = 0;
    // The nodes above the current one, whose left subtrees have been visited, with their heights.
    let mut open: Vec<OpenNode> = Vec::new();
    let mut next = Some((root, -1));
    let mut height = 0_i32;
    loop {
        if let Some((id, parent)) = next.take() {
            let index = used.binary_search(&u32::try_from(id).ok()?).ok()?;
            let node = nodes.read(id)?;
            if node.parent != parent || std::mem::replace(seen.get_mut(index)?, true) {
                return None;
            }
            open.push(OpenNode {
                id,
                node,
                left: None,
            });
            if node.left == -1 {
                height = 0;
            } else {
                next = Some((node.left, id));
                continue;
            }
        }
        let Some(top) = open.last_mut() else {
            break;
        };
        if top.left.is_none() {
            top.left = Some(height);
            // Keys that take part in comparisons ascend.
            let key = top.node.key;
            if key > 1 {
                if key.cmp(&last_key) == Ordering::Less {
                    return None;
                }
                last_key = key;
            }
            if top.node.right != -1 {
                next = Some((top.node.right, top.id));
                continue;
            }
            height = 0;
        }
        let left = top.left.unwrap_or(0);
        if height - left != i32::from(top.node.balance) || (height - left).abs() > 1 {
            return None;
        }
        height = left.max(height) + 1;
        open.pop();
    }
    seen.iter().all(|seen| *seen).then_some(())
}

/// A node whose subtrees are being visited.
struct OpenNode {
    id: i64,
    node: StoredNode,
    /// The height of the left subtree, once it was visited.
    left: Option<i32>,
}

#[derive(Clone, Copy)]
struct StoredNode {
    left: i64,
    right: i64,
    parent: i64,
    key: u64,
    balance: i16,
}

/// The nodes of one order.
struct NodePages<'f> {
    file: &'f [u8],
    depth: u16,
    top: u32,
}

impl NodePages<'_> {
    fn read(&self, id: i64) -> Option<StoredNode> {
        let id = u32::try_from(id).ok()?;
        let index = id / PAGE_NODES;
        let mut page = self.top;
        for level in (0..self.depth).rev() {
            let slot = index / DIRECTORY.pow(level.into()) % DIRECTORY;
            let mut cursor = Cursor::new(self.page(page)?.get(slot as usize * 4..)?);
            page = cursor.u32_le("page").ok()?;
        }
        let at = (id % PAGE_NODES) as usize * NODE;
        let mut cursor = Cursor::new(self.page(page)?.get(at..at + NODE)?);
        Some(StoredNode {
            left: cursor.i64_le("left").ok()?,
            right: cursor.i64_le("right").ok()?,
            parent: cursor.i64_le("parent").ok()?,
            key: cursor.u64_le("key").ok()?,
            balance: cursor.i16_le("balance").ok()?,
        })
    }

    fn page(&self, number: u32) -> Option<&[u8]> {
        let at = (number as usize).checked_mul(PAGE)?;
        self.file.get(at..at.checked_add(PAGE)?)
    }
}
