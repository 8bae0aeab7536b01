//! Entity files: counts, references, the tree, the chain of deleted records.

use tabia_core::error::Error;

use super::{Check, Counts, Severity};
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::entity_order::{Bytes, Ordered};
use crate::games::cbh::records::NODE_DELETED;

impl Check<'_> {
    /// All that an entity file says. `uses` are the references that were counted, when they could
    /// be.
    pub(super) fn table<E: Entity + Ordered>(
        &mut self,
        table: Option<&EntityTable<E>>,
        uses: Option<&Counts>,
    ) {
        let Some(table) = table else {
            return;
        };
        let name = self.db.headers_name.with_extension(E::EXTENSION);
        let mut find = |severity, text: String| {
            self.find(severity, Error::invalid(text).in_path(&name));
        };
        for text in header_faults(table) {
            find(Severity::Stale, text);
        }
        for (id, (count, first)) in (0..).zip(uses.into_iter().flat_map(|uses| &uses.0)) {
            if is_deleted(table, id) {
                if *count > 0 {
                    let text = format!("number {id} is deleted, {count} records refer to it");
                    find(Severity::Damage, text);
                }
                continue;
            }
            let Some(found) = table.get(id).map(Entity::uses) else {
                continue;
            };
            if found != (*count, *first) {
                let (references, first_game) = found;
                let text = format!(
                    "number {id} says {references} references, the first from game {first_game}; \
                     there are {count}, the first from game {first}"
                );
                find(Severity::Stale, text);
            }
        }
        for text in tree_faults(table) {
            find(Severity::Stale, text);
        }
        for text in chain_faults(table) {
            find(Severity::Stale, text);
        }
    }
}

fn is_deleted<E: Entity>(table: &EntityTable<E>, id: u32) -> bool {
    let node = table.node(id);
    node.is_some_and(|node| node.left.get() == NODE_DELETED)
}

/// Counts in the header. Files of ChessBase 6 count one too few: they forget the first entity.
fn header_faults<E: Entity>(table: &EntityTable<E>) -> Vec<String> {
    let header = table.header();
    let mut faults = Vec::new();
    let (stated, found) = (
        i64::from(header.capacity.get()),
        i64::from(table.capacity()),
    );
    if stated != found {
        faults.push(format!(
            "the header says {stated} records, {found} are there"
        ));
    }
    let (stated, found) = (i64::from(header.count.get()), table.iter().count() as i64);
    let is_old = header.extra.get() == 0 && stated + 1 == found;
    if stated != found && !is_old {
        faults.push(format!(
            "the header says {stated} entities, {found} are there"
        ));
    }
    let rest = table.rest();
    if rest > 0 {
        faults.push(format!("{rest} bytes at the end are no whole record"));
    }
    faults
}

/// The chain of deleted records must lead to each of them once.
fn chain_faults<E: Entity>(table: &EntityTable<E>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = vec![false; table.capacity() as usize];
    let mut next = table.header().first_deleted.get();
    while let Ok(id) = u32::try_from(next) {
        let Some(place) = seen.get_mut(id as usize) else {
            let capacity = table.capacity();
            faults.push(format!(
                "the chain of deleted records names number {id}, the file has {capacity}"
            ));
            break;
        };
        if *place {
            faults.push(format!(
                "the chain of deleted records comes back to number {id}"
            ));
            break;
        }
        *place = true;
        if !is_deleted(table, id) {
            faults.push(format!(
                "number {id} is in the chain of deleted records and is not deleted"
            ));
            break;
        }
        next = table.node(id).map_or(-1, |node| node.right.get());
    }
    if faults.is_empty() {
        let ids = (0..table.capacity()).zip(&seen);
        let lost = ids.filter(|(id, seen)| !**seen && is_deleted(table, *id));
        faults.extend(lost.map(|(id, _)| {
            format!("number {id} is deleted and not in the chain of deleted records")
        }));
    }
    faults
}

/// What is wrong with the tree of an entity file: every live record must be in it once, branches
/// must be as high as they say and differ by at most one, and the names must be in order.
fn tree_faults<E: Entity + Ordered>(table: &EntityTable<E>) -> Vec<String> {
    let mut walk = Walk::new(table.capacity());
    walk.run(table);
    let mut faults = std::mem::take(&mut walk.faults);
    if !walk.is_whole {
        return faults;
    }
    let seen = |id: u32| walk.seen.get(id as usize).copied().unwrap_or(true);
    let outside = table.iter().filter(|(id, _)| !seen(*id));
    faults.extend(outside.map(|(id, _)| format!("number {id} is not in the tree")));
    let is_sorted = |bytes| {
        walk.in_order
            .is_sorted_by(|a, b| match (table.get(*a), table.get(*b)) {
                (Some(a), Some(b)) => a.order(b, bytes).is_le(),
                _ => true,
            })
    };
    // Old versions compared bytes as signed numbers in all files.
    if !is_sorted(Bytes::Unsigned) && !is_sorted(Bytes::Signed) {
        faults.push("the tree is not in order".to_owned());
    }
    faults
}

/// A walk through a tree in order, without recursion.
struct Walk {
    faults: Vec<String>,
    /// It came to its end.
    is_whole: bool,
    heights: Vec<i32>,
    seen: Vec<bool>,
    in_order: Vec<u32>,
    /// A node, and how many of its branches are through.
    path: Vec<(u32, u8)>,
}

impl Walk {
    fn new(capacity: u32) -> Self {
        Self {
            faults: Vec::new(),
            is_whole: true,
            heights: vec![0; capacity as usize],
            seen: vec![false; capacity as usize],
            in_order: Vec::new(),
            path: Vec::new(),
        }
    }

    fn run<E: Entity>(&mut self, table: &EntityTable<E>) {
        let root = table.header().root.get();
        // An empty file names 0 as its root, too.
        let is_empty = table.iter().next().is_none() && root <= 0;
        let mut next = child(root).filter(|_| !is_empty);
        loop {
            if let Some(id) = next.take()
                && !self.enter(table, id)
            {
                return;
            }
            let Some((id, state)) = self.path.last_mut() else {
                return;
            };
            let id = *id;
            let Some(node) = table.node(id) else {
                return;
            };
            match *state {
                0 => {
                    *state = 1;
                    next = child(node.left.get());
                }
                1 => {
                    *state = 2;
                    self.in_order.push(id);
                    next = child(node.right.get());
                }
                _ => {
                    self.path.pop();
                    self.leave(id, node.left.get(), node.right.get(), node.balance);
                }
            }
        }
    }

    /// `false` when the tree cannot be walked on.
    fn enter<E: Entity>(&mut self, table: &EntityTable<E>, id: u32) -> bool {
        let fault = match self.seen.get_mut(id as usize) {
            None => {
                let capacity = table.capacity();
                format!("the tree names number {id}, the file has {capacity}")
            }
            Some(true) => format!("number {id} is in the tree twice"),
            Some(_) if is_deleted(table, id) => {
                format!("the tree names number {id}, which is deleted")
            }
            Some(seen) => {
                *seen = true;
                self.path.push((id, 0));
                return true;
            }
        };
        self.faults.push(fault);
        self.is_whole = false;
        false
    }

    fn leave(&mut self, id: u32, left: i32, right: i32, stated: i8) {
        let height = |link: i32| {
            let height = child(link).and_then(|id| self.heights.get(id as usize));
            height.copied().unwrap_or(0)
        };
        let (left, right) = (height(left), height(right));
        let found = right - left;
        if found != i32::from(stated) {
            let text = format!("number {id} says balance {stated}, it is {found}");
            self.faults.push(text);
        } else if found.abs() > 1 {
            let text = format!("the branches of number {id} differ by {found}");
            self.faults.push(text);
        }
        if let Some(height) = self.heights.get_mut(id as usize) {
            *height = left.max(right) + 1;
        }
    }
}

fn child(link: i32) -> Option<u32> {
    u32::try_from(link).ok()
}
