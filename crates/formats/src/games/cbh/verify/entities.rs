//! Entity files: counts, references, the tree, the chain of deleted records.

use tabia_core::error::Error;
use tabia_core::plural::counted;

use super::{Severity, Verifier};
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::entity_order::{ByteOrder, Ordered};
use crate::games::cbh::name_uses::UsesById;
use crate::games::cbh::records::NODE_DELETED;
use crate::games::common::use_counts::Uses;

impl Verifier<'_> {
    /// Checks an entity file. `references` are the counted references, if they could be counted.
    pub(super) fn table<E: Entity + Ordered>(
        &mut self,
        table: Option<&EntityTable<E>>,
        references: Option<&UsesById>,
    ) {
        let Some(table) = table else {
            return;
        };
        let name = self.db.headers_name.with_extension(E::EXTENSION);
        let mut report = |severity, text: String| {
            self.report(severity, Error::invalid(text).in_path(&name));
        };
        for text in header_problems(table) {
            report(Severity::Stale, text);
        }
        let references = references.into_iter().flat_map(UsesById::iter);
        for (id, Uses { count, first }) in (0..).zip(references) {
            if is_deleted(table, id) {
                if count > 0 {
                    let count = counted(count, "record refers", "records refer");
                    let text = format!("number {id} is deleted, {count} to it");
                    report(Severity::Damage, text);
                }
                continue;
            }
            let Some(stated) = table.get(id).map(Entity::uses) else {
                continue;
            };
            let (references, first_game) = stated;
            if (i64::from(references), i64::from(first_game)) != (count.into(), first.into()) {
                let references = counted(references, "reference", "references");
                let text = format!(
                    "number {id} states {references}, the first from game {first_game}; \
                     it has {count}, the first from game {first}"
                );
                report(Severity::Stale, text);
            }
        }
        for text in tree_problems(table) {
            report(Severity::Stale, text);
        }
        for text in chain_problems(table) {
            report(Severity::Stale, text);
        }
    }
}

pub(super) fn is_deleted<E: Entity>(table: &EntityTable<E>, id: u32) -> bool {
    let node = table.node(id);
    node.is_some_and(|node| node.left.get() == NODE_DELETED)
}

/// Problems of the header. Files of ChessBase 6 do not count the first entity.
fn header_problems<E: Entity>(table: &EntityTable<E>) -> Vec<String> {
    let header = table.header();
    let mut problems = Vec::new();
    let (stated, found) = (
        i64::from(header.capacity.get()),
        i64::from(table.capacity()),
    );
    // A file with fewer records than stated, or a part of one, was reported when it was opened.
    if stated < found {
        let stated = counted(stated, "record", "records");
        problems.push(format!("the header states {stated}, the file has {found}"));
    }
    let (stated, found) = (i64::from(header.count.get()), table.iter().count() as i64);
    let is_old = header.extra.get() == 0 && stated + 1 == found;
    if stated != found && !is_old {
        let stated = counted(stated, "entity", "entities");
        problems.push(format!("the header states {stated}, the file has {found}"));
    }
    problems
}

/// Problems of the chain of deleted records, which must contain each of them once.
fn chain_problems<E: Entity>(table: &EntityTable<E>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = vec![false; table.capacity() as usize];
    let mut next = table.header().first_deleted.get();
    while let Ok(id) = u32::try_from(next) {
        let Some(is_seen) = seen.get_mut(id as usize) else {
            let capacity = table.capacity();
            problems.push(format!(
                "the chain of deleted records contains number {id}, the file has {capacity}"
            ));
            break;
        };
        if *is_seen {
            problems.push(format!(
                "the chain of deleted records returns to number {id}"
            ));
            break;
        }
        *is_seen = true;
        if !is_deleted(table, id) {
            problems.push(format!(
                "number {id} is in the chain of deleted records and is not deleted"
            ));
            break;
        }
        next = table.node(id).map_or(-1, |node| node.right.get());
    }
    if problems.is_empty() {
        let ids = (0..table.capacity()).zip(&seen);
        let unchained = ids.filter(|(id, seen)| !**seen && is_deleted(table, *id));
        problems.extend(unchained.map(|(id, _)| {
            format!("number {id} is deleted and not in the chain of deleted records")
        }));
    }
    problems
}

/// Problems of the tree: every record that is not deleted must be in it once, the subtrees of a node
/// must differ in height as stated and by at most one, and the names must be in order.
fn tree_problems<E: Entity + Ordered>(table: &EntityTable<E>) -> Vec<String> {
    let mut walk = TreeWalk::new(table.capacity());
    walk.run(table);
    let mut problems = std::mem::take(&mut walk.problems);
    if !walk.is_complete {
        return problems;
    }
    let seen = |id: u32| walk.seen.get(id as usize).copied().unwrap_or(true);
    let outside = table.iter().filter(|(id, _)| !seen(*id));
    problems.extend(outside.map(|(id, _)| format!("number {id} is not in the tree")));
    let is_sorted = |bytes| {
        walk.in_order
            .is_sorted_by(|a, b| match (table.get(*a), table.get(*b)) {
                (Some(a), Some(b)) => a.order(b, bytes).is_le(),
                _ => true,
            })
    };
    // Old versions compared bytes as signed numbers in all files.
    if !is_sorted(ByteOrder::Unsigned) && !is_sorted(ByteOrder::Signed) {
        problems.push("the tree is not in order".to_owned());
    }
    problems
}

/// An in-order walk through a tree, without recursion.
struct TreeWalk {
    problems: Vec<String>,
    /// Whether the walk reached the end of the tree.
    is_complete: bool,
    heights: Vec<i32>,
    seen: Vec<bool>,
    in_order: Vec<u32>,
    /// The nodes from the root on, each with the number of its visited subtrees.
    path: Vec<(u32, u8)>,
}

impl TreeWalk {
    fn new(capacity: u32) -> Self {
        Self {
            problems: Vec::new(),
            is_complete: true,
            heights: vec![0; capacity as usize],
            seen: vec![false; capacity as usize],
            in_order: Vec::new(),
            path: Vec::new(),
        }
    }

    fn run<E: Entity>(&mut self, table: &EntityTable<E>) {
        let root = table.header().root.get();
        // An empty file also has 0 as its root.
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

    /// Enters a node. `false` if the walk cannot go on.
    fn enter<E: Entity>(&mut self, table: &EntityTable<E>, id: u32) -> bool {
        let problem = match self.seen.get_mut(id as usize) {
            None => {
                let capacity = table.capacity();
                format!("the tree contains number {id}, the file has {capacity}")
            }
            Some(true) => format!("number {id} is in the tree twice"),
            Some(_) if is_deleted(table, id) => {
                format!("the tree contains number {id}, which is deleted")
            }
            Some(seen) => {
                *seen = true;
                self.path.push((id, 0));
                return true;
            }
        };
        self.problems.push(problem);
        self.is_complete = false;
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
            let text = format!("number {id} states balance {stated}, it is {found}");
            self.problems.push(text);
        } else if found.abs() > 1 {
            let text = format!("the subtrees of number {id} differ in height by {found}");
            self.problems.push(text);
        }
        if let Some(height) = self.heights.get_mut(id as usize) {
            *height = left.max(right) + 1;
        }
    }
}

fn child(link: i32) -> Option<u32> {
    u32::try_from(link).ok()
}
