//! The opening lines that rows name by number, and the longest one that a game begins with.

use std::sync::LazyLock;

use tabia_core::chess::{Move, Ply, Position, san};

/// The longest stored line that `mainline` begins with, by number from 1; 0 when there is none.
#[derive(Debug, Clone)]
pub(crate) struct StoredLine {
    node: Option<u16>,
    code: u8,
}

impl StoredLine {
    /// Before the first move of the usual start.
    pub(crate) const fn new() -> Self {
        Self {
            node: Some(0),
            code: 0,
        }
    }

    /// The next move of the mainline.
    pub(crate) fn play(&mut self, ply: Ply) {
        let Some(node) = self.node.take() else {
            return;
        };
        let Ply::Move(m) = ply else {
            return;
        };
        let child = TREE
            .get(usize::from(node))
            .and_then(|node| node.children.iter().find(|(known, _)| *known == m));
        if let Some(&(_, child)) = child {
            self.node = Some(child);
            if let Some(code) = TREE.get(usize::from(child)).map(|node| node.code)
                && code != 0
            {
                self.code = code;
            }
        }
    }

    /// The number so far.
    pub(crate) const fn code(&self) -> u8 {
        self.code
    }
}

#[derive(Debug, Default)]
struct Node {
    /// 0 where no line ends.
    code: u8,
    children: Vec<(Move, u16)>,
}

static TREE: LazyLock<Vec<Node>> = LazyLock::new(|| {
    let mut tree = vec![Node::default()];
    for (line, code) in LINES.into_iter().zip(1..) {
        let mut position = Position::standard();
        let mut at = 0;
        for text in line.split(' ') {
            // A test shows that every move of the table can be played.
            let Ok(Ply::Move(m)) = san::read(&position, text.as_bytes()) else {
                break;
            };
            position.play(m);
            at = child(&mut tree, at, m);
        }
        if let Some(node) = tree.get_mut(usize::from(at)) {
            node.code = code;
        }
    }
    tree
});

fn child(tree: &mut Vec<Node>, at: u16, m: Move) -> u16 {
    let fresh = tree.len() as u16;
    let Some(node) = tree.get_mut(usize::from(at)) else {
        return at;
    };
    if let Some(&(_, child)) = node.children.iter().find(|(known, _)| *known == m) {
        return child;
    }
    node.children.push((m, fresh));
    tree.push(Node::default());
    fresh
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
    fn every_line_has_its_own_number() {
        for (number, line) in (1..=254).zip(LINES) {
            assert_eq!(code(line), number, "{line}");
        }
    }

    #[test]
    fn the_longest_line_counts() {
        assert_eq!(code("e4"), 106);
        assert_eq!(code("e4 a5"), 106);
        assert_eq!(code("h4 h5"), 0);
        // Another order is another line.
        assert_ne!(code("c4 Nf6 d4"), code("d4 Nf6 c4"));
    }
}
