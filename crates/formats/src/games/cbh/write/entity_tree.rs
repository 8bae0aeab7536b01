//! The AVL tree that sorts the records of an entity file.
//!
//! Inserting records in the order of their ids gives the same bytes that ChessBase writes (FORMAT.md
//! § Entity files).

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// Left child; −1 if absent.
    pub(crate) left: i32,
    /// Right child; −1 if absent.
    pub(crate) right: i32,
    /// Height of the right subtree less that of the left one: −1, 0 or 1.
    pub(crate) balance: i8,
}

/// A tree; nodes are indexed by id.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    root: i32,
    /// The path from the root to the new node: ids, and whether the path goes left.
    path: Vec<(i32, bool)>,
}

const NONE: i32 = -1;

impl Tree {
    /// The tree of the records 0 to `count` − 1; `is_less(a, b)` is whether *a* is before *b*. Equal
    /// records are in the order of their ids.
    pub(crate) fn build(count: u32, mut is_less: impl FnMut(u32, u32) -> bool) -> Self {
        let mut tree = Self::default();
        for id in 0..count {
            tree.insert(|other| is_less(id, other));
        }
        tree
    }

    /// The nodes by id.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The id of the root; 0 for an empty tree.
    pub(crate) fn root(&self) -> i32 {
        self.root
    }

    /// Inserts the next id; `is_less` is whether it is before another one.
    fn insert(&mut self, mut is_less: impl FnMut(u32) -> bool) {
        let id = self.nodes.len() as i32;
        self.nodes.push(Node {
            left: NONE,
            right: NONE,
            balance: 0,
        });
        if id == 0 {
            return;
        }
        self.path.clear();
        let mut at = self.root;
        while let Some(node) = self.node(at) {
            let left = is_less(at as u32);
            self.path.push((at, left));
            at = if left { node.left } else { node.right };
        }
        let Some(&(parent, left)) = self.path.last() else {
            return;
        };
        self.set_child(parent, left, id);
        while let Some((at, left)) = self.path.pop() {
            let Some(node) = self.nodes.get_mut(at as usize) else {
                return;
            };
            node.balance += if left { -1 } else { 1 };
            match node.balance {
                0 => return,
                -1 | 1 => {}
                _ => {
                    let top = self.rotate(at, left);
                    match self.path.last() {
                        Some(&(parent, left)) => self.set_child(parent, left, top),
                        None => self.root = top,
                    }
                    return;
                }
            }
        }
    }

    /// Rebalances the subtree of `at`, whose left (or right) subtree is higher by two, and returns
    /// the new root of the subtree.
    fn rotate(&mut self, at: i32, left: bool) -> i32 {
        let toward = if left { -1 } else { 1 };
        let child = self.child(at, left);
        if self.balance(child) == toward {
            let inner = self.child(child, !left);
            self.set_child(at, left, inner);
            self.set_child(child, !left, at);
            self.set_balance(at, 0);
            self.set_balance(child, 0);
            return child;
        }
        let middle = self.child(child, !left);
        let lean = self.balance(middle);
        let (near, far) = (self.child(middle, left), self.child(middle, !left));
        self.set_child(child, !left, near);
        self.set_child(at, left, far);
        self.set_child(middle, left, child);
        self.set_child(middle, !left, at);
        self.set_balance(at, if lean == toward { -toward } else { 0 });
        self.set_balance(child, if lean == -toward { toward } else { 0 });
        self.set_balance(middle, 0);
        middle
    }

    fn node(&self, id: i32) -> Option<Node> {
        usize::try_from(id)
            .ok()
            .and_then(|id| self.nodes.get(id))
            .copied()
    }

    fn child(&self, id: i32, left: bool) -> i32 {
        self.node(id)
            .map_or(NONE, |node| if left { node.left } else { node.right })
    }

    fn balance(&self, id: i32) -> i8 {
        self.node(id).map_or(0, |node| node.balance)
    }

    fn set_child(&mut self, id: i32, left: bool, child: i32) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            *(if left {
                &mut node.left
            } else {
                &mut node.right
            }) = child;
        }
    }

    fn set_balance(&mut self, id: i32, balance: i8) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.balance = balance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Random;

    /// Collects the ids in order, checks every balance and returns the height.
    fn walk(tree: &Tree, id: i32, order: &mut Vec<u32>) -> i32 {
        let Some(node) = tree.node(id) else {
            return 0;
        };
        let left = walk(tree, node.left, order);
        order.push(id as u32);
        let right = walk(tree, node.right, order);
        assert_eq!(i32::from(node.balance), right - left);
        assert!(node.balance.abs() <= 1);
        1 + left.max(right)
    }

    #[test]
    fn trees_are_sorted_and_balanced() {
        let mut random = Random::new(3);
        for count in [0, 1, 2, 3, 7, 100, 1000] {
            let keys: Vec<usize> = (0..count).map(|_| random.below(500)).collect();
            let key = |id: u32| keys[id as usize];
            let tree = Tree::build(count, |a, b| key(a) < key(b));
            let mut order = Vec::new();
            walk(
                &tree,
                if count == 0 { NONE } else { tree.root() },
                &mut order,
            );
            assert_eq!(order.len(), count as usize);
            assert!(order.is_sorted_by_key(|&id| (key(id), id)));
        }
    }

    #[test]
    fn three_ascending_keys_rotate() {
        let tree = Tree::build(3, |a, b| a < b);
        assert_eq!(tree.root(), 1);
        assert_eq!(tree.nodes()[1].balance, 0);
        assert_eq!((tree.nodes()[1].left, tree.nodes()[1].right), (0, 2));
    }
}
