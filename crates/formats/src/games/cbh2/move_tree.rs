//! The words of a game as a tree. They are stored line by line: the mainline to its end, then the
//! alternatives, the last announced one first.

use tabia_core::error::{Malformed, Why};

use super::move_codes;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The node before the first move.
pub(super) const ROOT: u32 = 0;

/// A move in the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Its word.
    pub(super) word: u16,
    /// Offset in the content.
    pub(super) at: u32,
    /// The first continuation.
    pub(super) child: u32,
    /// The next alternative.
    pub(super) next: u32,
    parent: u32,
    last_child: u32,
    /// The number of moves from this one on, variations included.
    pub(super) size: u32,
}

/// The words of a game.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Words of the start position.
    pub(super) start: Vec<u16>,
    /// Their offset in the content.
    pub(super) start_at: usize,
    /// Why reading ended early, and the last node before it.
    pub(super) problem: Option<(u32, Malformed)>,
    pending: Vec<u32>,
}

impl Tree {
    /// Reads the content of a record.
    pub(super) fn read(&mut self, content: &[u8]) {
        self.nodes.clear();
        self.start.clear();
        self.pending.clear();
        self.problem = None;
        self.push(NONE, 0, 0);
        let mut at = self.read_start(content);
        let mut last = ROOT;
        let mut is_first = true;
        loop {
            let Some(word) = word_at(content, at) else {
                let why = Why::Truncated {
                    needed: 2,
                    left: content.len().saturating_sub(at),
                };
                self.fail(last, at, why);
                break;
            };
            match word {
                move_codes::ALTERNATIVE if !is_first => {
                    let parent = self.node(last).map_or(ROOT, |node| node.parent);
                    self.pending.push(parent);
                }
                move_codes::END => {
                    let Some(parent) = self.pending.pop() else {
                        at += 2;
                        if at < content.len() {
                            let left = (content.len() - at) as u64;
                            self.fail(last, at, Why::Value(left));
                        }
                        break;
                    };
                    last = parent;
                    is_first = true;
                }
                word if move_codes::is_move(word) => {
                    last = self.push(last, word, at as u32);
                    is_first = false;
                }
                word => {
                    self.fail(last, at, Why::Value(word.into()));
                    break;
                }
            }
            at += 2;
        }
        self.count();
    }

    /// The plies of the mainline.
    pub(super) fn mainline(&self) -> u32 {
        let next = |node: &Node| self.node(node.child).copied();
        let first = self.node(ROOT).and_then(next);
        std::iter::successors(first, next).count() as u32
    }

    /// A node; `None` for [`NONE`].
    pub(super) fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    /// The bytes of a move, of the rest of its line and of the variations in it; for the first move
    /// of a position also those of its alternatives.
    pub(super) fn bytes<'c>(&self, number: u32, content: &'c [u8]) -> &'c [u8] {
        let Some(node) = self.node(number) else {
            return &[];
        };
        let from = node.at as usize;
        let is_first = self.is_first(number);
        let mut at = from + 2;
        if !is_first && word_at(content, at) == Some(move_codes::ALTERNATIVE) {
            at += 2;
        }
        let mut open = 0_u32;
        while let Some(word) = word_at(content, at) {
            at += 2;
            match word {
                move_codes::ALTERNATIVE => open += 1,
                move_codes::END if open == 0 => break,
                move_codes::END => open -= 1,
                _ => {}
            }
        }
        content.get(from..at).unwrap_or_default()
    }

    /// Whether a move is the first one stored for its position.
    pub(super) fn is_first(&self, number: u32) -> bool {
        let parent = self.node(number).and_then(|node| self.node(node.parent));
        parent.is_some_and(|parent| parent.child == number)
    }

    /// Reads the words of the start position and returns the offset of the moves.
    fn read_start(&mut self, content: &[u8]) -> usize {
        let mut at = 0;
        if word_at(content, at) == Some(move_codes::START) {
            at += 2;
            self.start_at = at;
            // At most 64 pieces, after up to four other words.
            while let Some(word) = word_at(content, at)
                && word != move_codes::MOVES
                && self.start.len() < 70
            {
                self.start.push(word);
                at += 2;
            }
        }
        if word_at(content, at) == Some(move_codes::MOVES) {
            at += 2;
        }
        at
    }

    fn push(&mut self, parent: u32, word: u16, at: u32) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            word,
            at,
            child: NONE,
            next: NONE,
            parent,
            last_child: NONE,
            size: 1,
        });
        let mut sibling = NONE;
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            sibling = std::mem::replace(&mut parent.last_child, number);
            if sibling == NONE {
                parent.child = number;
            }
        }
        if let Some(sibling) = self.nodes.get_mut(sibling as usize) {
            sibling.next = number;
        }
        number
    }

    fn fail(&mut self, after: u32, at: usize, why: Why) {
        let malformed = Malformed {
            field: "moves",
            at,
            why,
        };
        self.problem = Some((after, malformed));
    }

    /// Computes the sizes of all nodes; children have higher numbers than their parents.
    fn count(&mut self) {
        for number in (1..self.nodes.len()).rev() {
            let Some(&Node { parent, size, .. }) = self.nodes.get(number) else {
                continue;
            };
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.size += size;
            }
        }
    }
}

/// Whether a game states where it begins; others begin in the standard position.
pub(super) fn has_setup(content: &[u8]) -> bool {
    word_at(content, 0) == Some(move_codes::START)
}

/// Number of moves of the mainline of a game from the standard position. `None` if it states where it begins, or its
/// mainline has a word that is no move.
pub(super) fn mainline_plies(content: &[u8]) -> Option<u32> {
    let (words, _) = content.as_chunks::<2>();
    let mut words = words
        .iter()
        .map(|[low, high]| u16::from(*high) << 8 | u16::from(*low))
        .peekable();
    words.next_if_eq(&move_codes::MOVES);
    let mut plies = 0;
    for word in words {
        match word {
            move_codes::END => return Some(plies),
            move_codes::ALTERNATIVE if plies > 0 => {}
            word if move_codes::is_move(word) => plies += 1,
            _ => break,
        }
    }
    None
}

fn word_at(content: &[u8], at: usize) -> Option<u16> {
    let [low, high] = *content.get(at..)?.first_chunk()?;
    Some(u16::from(high) << 8 | u16::from(low))
}
