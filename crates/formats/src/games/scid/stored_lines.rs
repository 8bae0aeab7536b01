//! The opening lines that index entries refer to by number, and the longest one that a game begins
//! with.

use std::sync::LazyLock;

use tabia_core::chess::{Move, Ply, Position, san};

/// The number of the longest stored line that the mainline begins with, from 1; 0 if none.
#[derive(Debug, Clone)]
pub(crate) struct StoredLine {
    node: Option<u16>,
    code: u8,
}

impl StoredLine {
    /// Before the first move from the standard position.
    pub(crate) const fn new() -> Self {
        Self {
            node: Some(0),
            code: 0,
        }
    }

    /// Plays the next ply of the mainline.
    #[inline(always)]
    pub(crate) fn play(&mut self, ply: Ply) {
        if let Some(node) = self.node.take() {
            self.step(node, ply);
        }
    }

    #[inline(never)]
    fn step(&mut self, node: u16, ply: Ply) {
        if let Ply::Move(m) = ply
            && let Some(step) = TREE.step(node, m)
        {
            self.node = Some(step.node);
            if step.code != 0 {
                self.code = step.code;
            }
        }
    }

    /// The number so far.
    pub(crate) const fn code(&self) -> u8 {
        self.code
    }
}

/// All lines as steps from node to node: a hash table with linear probing.
#[derive(Debug)]
struct Tree {
    steps: Vec<Step>,
}

/// A move of a line.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The node where it is played, and the move; `u32::MAX` in a free slot.
    key: u32,
    /// The node that it leads to; the start is 0.
    node: u16,
    /// The number of the line that ends there; 0 if none.
    code: u8,
}

/// Slots of the table, more than twice the number of steps.
const SLOTS: usize = 1 << 10;

const FREE: Step = Step {
    key: u32::MAX,
    node: 0,
    code: 0,
};

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let mut tree = Tree {
        steps: vec![FREE; SLOTS],
    };
    let mut nodes = 1;
    for (line, code) in LINES.into_iter().zip(1..) {
        let mut position = Position::standard();
        let mut node = 0;
        let mut last = None;
        for text in line.split(' ') {
            // A test checks that every move of the table can be played.
            let Ok(Ply::Move(m)) = san::read(&position, text.as_bytes()) else {
                break;
            };
            position.play(m);
            let slot = tree.slot(node, m);
            let Some(step) = tree.steps.get_mut(slot) else {
                break;
            };
            if step.key == FREE.key {
                *step = Step {
                    key: key(node, m),
                    node: nodes,
                    code: 0,
                };
                nodes += 1;
            }
            node = step.node;
            last = Some(slot);
        }
        if let Some(step) = last.and_then(|slot| tree.steps.get_mut(slot)) {
            step.code = code;
        }
    }
    tree
});

const fn key(node: u16, m: Move) -> u32 {
    (node as u32) << 16 | m.to_bits() as u32
}

impl Tree {
    /// The slot of a move, or the free slot where it belongs.
    #[inline(always)]
    fn slot(&self, node: u16, m: Move) -> usize {
        let key = key(node, m);
        // The high bits of the product depend on all bits of the key.
        let first = (key.wrapping_mul(0x9e37_79b1) >> 22) as usize;
        (0..SLOTS)
            .map(|by| (first + by) % SLOTS)
            .find(|&slot| {
                let step = self.steps.get(slot).unwrap_or(&FREE);
                step.key == key || step.key == FREE.key
            })
            .unwrap_or(SLOTS)
    }

    #[inline(always)]
    fn step(&self, node: u16, m: Move) -> Option<Step> {
        let step = *self.steps.get(self.slot(node, m))?;
        (step.key != FREE.key).then_some(step)
    }
}

/// The lines in the order of their numbers, 1 to 254. Observed: each was imported by Scid 5.0.2
/// and its number read back.
const LINES: [&str; 254] = [
    "b3",
    "c4",
    "c4 c5",
    "c4 c5 Nf3",
    "c4 e5",
    "c4 e5 Nc3",
    "c4 e5 Nc3 Nf6",
    "c4 e6",
    "c4 e6 Nf3",
    "c4 g6",
    "c4 Nf6",
    "c4 Nf6 Nc3",
    "c4 Nf6 Nc3 e6",
    "c4 Nf6 Nc3 g6",
    "d4",
    "d4 d5",
    "d4 d5 c4",
    "d4 d5 c4 c6",
    "d4 d5 c4 c6 Nc3",
    "d4 d5 c4 c6 Nc3 Nf6",
    "d4 d5 c4 c6 Nc3 Nf6 Nf3",
    "d4 d5 c4 c6 Nf3",
    "d4 d5 c4 c6 Nf3 Nf6",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6",
    "d4 d5 c4 dxc4",
    "d4 d5 c4 dxc4 Nf3",
    "d4 d5 c4 dxc4 Nf3 Nf6",
    "d4 d5 c4 e6",
    "d4 d5 c4 e6 Nc3",
    "d4 d5 c4 e6 Nc3 c6",
    "d4 d5 c4 e6 Nc3 Nf6",
    "d4 d5 c4 e6 Nf3",
    "d4 d5 Nf3",
    "d4 d5 Nf3 Nf6",
    "d4 d5 Nf3 Nf6 c4",
    "d4 d5 Nf3 Nf6 c4 c6",
    "d4 d5 Nf3 Nf6 c4 e6",
    "d4 d6",
    "d4 d6 Nf3",
    "d4 e6",
    "d4 e6 c4",
    "d4 e6 c4 Nf6",
    "d4 f5",
    "d4 f5 g3 Nf6 Bg2",
    "d4 g6",
    "d4 g6 c4 Bg7",
    "d4 Nf6",
    "d4 Nf6 Bg5",
    "d4 Nf6 Bg5 Ne4",
    "d4 Nf6 c4",
    "d4 Nf6 c4 c5",
    "d4 Nf6 c4 c5 d5",
    "d4 Nf6 c4 c5 d5 b5",
    "d4 Nf6 c4 c5 d5 b5 cxb5 a6",
    "d4 Nf6 c4 e6 g3",
    "d4 Nf6 c4 e6 g3 d5",
    "d4 Nf6 c4 e6 Nc3",
    "d4 Nf6 c4 e6 Nc3 Bb4",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3",
    "d4 Nf6 c4 e6 Nc3 d5",
    "d4 Nf6 c4 e6 Nf3",
    "d4 Nf6 c4 e6 Nf3 b6",
    "d4 Nf6 c4 e6 Nf3 b6 a3",
    "d4 Nf6 c4 e6 Nf3 b6 g3",
    "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6",
    "d4 Nf6 c4 e6 Nf3 Bb4+",
    "d4 Nf6 c4 e6 Nf3 d5",
    "d4 Nf6 c4 e6 Nf3 d5 Nc3",
    "d4 Nf6 c4 g6",
    "d4 Nf6 c4 g6 Nc3 Bg7",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O Nf3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O Be3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7",
    "d4 Nf6 c4 g6 Nc3 d5",
    "d4 Nf6 c4 g6 Nc3 d5 Nf3",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7",
    "d4 Nf6 Nf3",
    "d4 Nf6 Nf3 c5",
    "d4 Nf6 Nf3 d5",
    "d4 Nf6 Nf3 e6",
    "d4 Nf6 Nf3 e6 Bg5",
    "d4 Nf6 Nf3 e6 c4",
    "d4 Nf6 Nf3 g6",
    "d4 Nf6 Nf3 g6 Bg5",
    "d4 Nf6 Nf3 g6 c4",
    "d4 Nf6 Nf3 g6 c4 Bg7",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3 O-O",
    "d4 Nf6 Nf3 g6 g3",
    "d4 Nf6 Nf3 g6 g3 Bg7 Bg2",
    "e4",
    "e4 c5",
    "e4 c5 c3",
    "e4 c5 c3 d5 exd5 Qxd5 d4",
    "e4 c5 c3 d5 exd5 Qxd5 d4 Nf6",
    "e4 c5 c3 Nf6 e5 Nd5",
    "e4 c5 c3 Nf6 e5 Nd5 d4 cxd4",
    "e4 c5 d4 cxd4",
    "e4 c5 Nc3",
    "e4 c5 Nc3 Nc6",
    "e4 c5 Nc3 Nc6 g3",
    "e4 c5 Nc3 Nc6 g3 g6",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3",
    "e4 c5 Nf3",
    "e4 c5 Nf3 d6",
    "e4 c5 Nf3 d6 Bb5+",
    "e4 c5 Nf3 d6 d4",
    "e4 c5 Nf3 d6 d4 cxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bc4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5 e6 Qd2",
    "e4 c5 Nf3 e6",
    "e4 c5 Nf3 e6 d3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6 Bd3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3 Qc7",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6",
    "e4 c5 Nf3 Nc6 Bb5",
    "e4 c5 Nf3 Nc6 Bb5 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6 Bg5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5",
    "e4 c6",
    "e4 c6 d4 d5",
    "e4 c6 d4 d5 e5",
    "e4 c6 d4 d5 e5 Bf5",
    "e4 c6 d4 d5 exd5 cxd5",
    "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3",
    "e4 c6 d4 d5 Nc3",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4",
    "e4 c6 d4 d5 Nd2 dxe4 Nxe4",
    "e4 d5 exd5 Nf6",
    "e4 d5 exd5 Qxd5",
    "e4 d5 exd5 Qxd5 Nc3",
    "e4 d5 exd5 Qxd5 Nc3 Qa5",
    "e4 d6",
    "e4 d6 d4",
    "e4 d6 d4 Nf6",
    "e4 d6 d4 Nf6 Nc3",
    "e4 d6 d4 Nf6 Nc3 g6",
    "e4 d6 d4 Nf6 Nc3 g6 f4 Bg7 Nf3",
    "e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7",
    "e4 e5",
    "e4 e5 f4",
    "e4 e5 Nc3",
    "e4 e5 Nf3",
    "e4 e5 Nf3 Nc6",
    "e4 e5 Nf3 Nc6 Bb5",
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O b5 Bb3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 Nf6",
    "e4 e5 Nf3 Nc6 Bc4",
    "e4 e5 Nf3 Nc6 Bc4 Nf6",
    "e4 e5 Nf3 Nc6 d4 exd4",
    "e4 e5 Nf3 Nc6 d4 exd4 Nxd4",
    "e4 e5 Nf3 Nc6 Nc3",
    "e4 e5 Nf3 Nc6 Nc3 Nf6",
    "e4 e5 Nf3 Nf6",
    "e4 e5 Nf3 Nf6 Nxe5 d6",
    "e4 e6",
    "e4 e6 d3",
    "e4 e6 d4",
    "e4 e6 d4 d5",
    "e4 e6 d4 d5 e5 c5",
    "e4 e6 d4 d5 e5 c5 c3",
    "e4 e6 d4 d5 Nc3",
    "e4 e6 d4 d5 Nc3 Bb4",
    "e4 e6 d4 d5 Nc3 Bb4 e5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3",
    "e4 e6 d4 d5 Nc3 Nf6",
    "e4 e6 d4 d5 Nc3 Nf6 Bg5",
    "e4 e6 d4 d5 Nd2",
    "e4 e6 d4 d5 Nd2 c5",
    "e4 e6 d4 d5 Nd2 Nf6",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6 Ne2",
    "e4 g6",
    "e4 g6 d4",
    "e4 g6 d4 Bg7",
    "e4 g6 d4 Bg7 Nc3",
    "e4 g6 d4 Bg7 Nc3 d6",
    "e4 Nf6",
    "e4 Nf6 e5 Nd5",
    "e4 Nf6 e5 Nd5 d4 d6",
    "e4 Nf6 e5 Nd5 d4 d6 Nf3",
    "f4",
    "g3",
    "Nf3",
    "Nf3 c5",
    "Nf3 c5 c4",
    "Nf3 d5",
    "Nf3 d5 c4",
    "Nf3 d5 d4",
    "Nf3 d5 g3",
    "Nf3 g6",
    "Nf3 Nf6",
    "Nf3 Nf6 c4",
    "Nf3 Nf6 c4 c5",
    "Nf3 Nf6 c4 e6",
    "Nf3 Nf6 c4 g6",
    "Nf3 Nf6 c4 g6 Nc3",
    "Nf3 Nf6 g3",
    "Nf3 Nf6 g3 g6",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> u8 {
        let mut position = Position::standard();
        let mut stored = StoredLine::new();
        for text in line.split(' ') {
            let ply = san::read(&position, text.as_bytes()).unwrap();
            position.play_ply(ply);
            stored.play(ply);
        }
        stored.code()
    }

    #[test]
    fn lines_have_their_numbers() {
        for (number, line) in (1..=254).zip(LINES) {
            assert_eq!(code(line), number, "{line}");
        }
    }

    #[test]
    fn longest_line_is_found() {
        assert_eq!(code("e4"), 106);
        assert_eq!(code("e4 a5"), 106);
        assert_eq!(code("h4 h5"), 0);
        // The order of the moves matters.
        assert_ne!(code("c4 Nf6 d4"), code("d4 Nf6 c4"));
    }
}
