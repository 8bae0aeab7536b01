//! The first plies of a player's games as a tree, and the replies in other games that the player has not faced.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tabia::book::find::opening_of;
use tabia::{
    Database, Error, Flow, GameIndex, GameResult, Ply, Position, Progress, Visitor, Want, Wdl,
};

use crate::player_score::{CHUNK, Score};

/// Plies of a tree.
pub(crate) const TREE_PLIES: usize = 12;
/// Nodes of a tree at most: what comes later is not in it.
const MAX_NODES: usize = 200_000;
/// Nodes that are shown, those with the most games.
const SHOWN_NODES: usize = 1_500;
/// Games that reach a position in the reference, at least, so that the share of a reply means something.
const MIN_REFERENCE: u64 = 20;
/// The share that a reply must have there.
const MIN_SHARE: f64 = 0.05;
/// Replies of one colour at most.
const MAX_REPLIES: usize = 40;

/// The first plies of games from the standard position.
#[derive(Debug, Clone)]
pub(crate) struct LineTree {
    /// The first one is the start. A node is after the one that leads to it.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// The moves from here, and the nodes that they lead to.
    next: Vec<(Ply, u32)>,
    score: Score,
}

impl Default for LineTree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
        }
    }
}

impl LineTree {
    /// Adds a game of the player.
    pub(crate) fn add(&mut self, plies: &[Ply], result: GameResult, is_white: bool) {
        let mut at = 0;
        let mut rest = plies.iter().take(TREE_PLIES);
        loop {
            let free = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            node.score.add(result, is_white);
            let Some(&ply) = rest.next() else {
                return;
            };
            match node.next.iter().find(|(known, _)| *known == ply) {
                Some(&(_, child)) => at = child as usize,
                None if free < MAX_NODES => {
                    node.next.push((ply, free as u32));
                    self.nodes.push(Node::default());
                    at = free;
                }
                None => return,
            }
        }
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn child(&self, at: u32, ply: Ply) -> Option<u32> {
        let next = &self.node(at)?.next;
        let found = next.iter().find(|(known, _)| *known == ply);
        found.map(|(_, child)| *child)
    }

    /// The moves with the most games as JSON, each with those after it.
    pub(crate) fn document(&self) -> Value {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let games = |at: &u32| self.node(*at).map_or(0, |node| node.score.games);
        // A node has at least the games of those after it, so these are shown only with the moves that lead there.
        order.sort_by_key(|at| (Reverse(games(at)), *at));
        let mut shown = vec![false; self.nodes.len()];
        for at in order.into_iter().take(SHOWN_NODES) {
            if let Some(shown) = shown.get_mut(at as usize) {
                *shown = true;
            }
        }
        self.moves(0, &Position::standard(), &mut Vec::new(), "", &shown)
    }

    fn moves(
        &self,
        at: u32,
        position: &Position,
        line: &mut Vec<Ply>,
        opening: &str,
        shown: &[bool],
    ) -> Value {
        let next = self.node(at).map(|node| node.next.clone());
        let mut next = next.unwrap_or_default();
        next.retain(|(_, child)| shown.get(*child as usize) == Some(&true));
        let games = |at: u32| self.node(at).map_or(0, |node| node.score.games);
        next.sort_by_key(|(_, child)| (Reverse(games(*child)), *child));
        let moves = next.into_iter().filter_map(|(ply, child)| {
            let node = self.node(child)?;
            line.push(ply);
            let name = opening_of(&Position::standard(), line).map_or("", |found| found.name);
            let mut document = node.score.document();
            document["uci"] = json!(position.uci(ply).to_string());
            document["san"] = json!(position.san(ply).to_string());
            document["opening"] = json!((name != opening && !name.is_empty()).then_some(name));
            document["moves"] = self.moves(child, &position.after(ply), line, name, shown);
            line.pop();
            Some(document)
        });
        Value::Array(moves.collect())
    }

    /// The moves that lead to each node.
    fn lines(&self) -> Vec<Vec<Ply>> {
        let mut lines = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let line = lines.get(at).cloned().unwrap_or_default();
            for (ply, child) in &node.next {
                if let Some(of_child) = lines.get_mut(*child as usize) {
                    of_child.clone_from(&line);
                    of_child.push(*ply);
                }
            }
        }
        lines
    }
}

/// What other games played against the lines of a player: by the node of the tree, the moves and their results.
#[derive(Debug)]
struct Replies {
    of_nodes: Vec<Vec<(Ply, Reply)>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Reply {
    games: u64,
    results: Wdl,
}

impl Reply {
    fn add(&mut self, other: Reply) {
        self.games += other.games;
        self.results.white += other.results.white;
        self.results.draws += other.results.draws;
        self.results.black += other.results.black;
    }
}

impl Replies {
    fn new(tree: &LineTree) -> Self {
        Self {
            of_nodes: vec![Vec::new(); tree.nodes.len()],
        }
    }

    fn add(&mut self, at: u32, ply: Ply, reply: Reply) {
        let Some(replies) = self.of_nodes.get_mut(at as usize) else {
            return;
        };
        match replies.iter_mut().find(|(known, _)| *known == ply) {
            Some((_, known)) => known.add(reply),
            None => replies.push((ply, reply)),
        }
    }

    fn merge(&mut self, other: &Self) {
        for (at, replies) in other.of_nodes.iter().enumerate() {
            for (ply, reply) in replies {
                self.add(at as u32, *ply, *reply);
            }
        }
    }
}

/// The replies to both trees of a player, the one with White first.
#[derive(Debug)]
pub(crate) struct ReferenceReplies {
    replies: [Replies; 2],
}

/// Follows one game through both trees.
struct Follower<'t> {
    trees: &'t [LineTree; 2],
    standard: u64,
    replies: [Replies; 2],
    at: [Option<u32>; 2],
    ply: usize,
    /// Replies of this game: the number of the tree, the node, the move.
    found: Vec<(usize, u32, Ply)>,
}

impl<'t> Follower<'t> {
    fn new(trees: &'t [LineTree; 2]) -> Self {
        Self {
            trees,
            standard: Position::standard().key(),
            replies: [Replies::new(&trees[0]), Replies::new(&trees[1])],
            at: [Some(0); 2],
            ply: 0,
            found: Vec::new(),
        }
    }
}

impl Visitor for Follower<'_> {
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.ply == 0 && before.key() != self.standard {
            return Flow::Skip;
        }
        for (number, (tree, at)) in self.trees.iter().zip(&mut self.at).enumerate() {
            let Some(node) = *at else {
                continue;
            };
            // The player with White is asked about the moves of Black.
            if self.ply % 2 != number {
                self.found.push((number, node, ply));
            }
            *at = tree.child(node, ply);
        }
        self.ply += 1;
        if self.ply < TREE_PLIES && self.at != [None; 2] {
            Flow::Go
        } else {
            Flow::Skip
        }
    }

    fn end_game(&mut self, result: GameResult) {
        let mut reply = Reply {
            games: 1,
            ..Reply::default()
        };
        match result.to_pgn() {
            GameResult::WhiteWins => reply.results.white = 1,
            GameResult::Draw => reply.results.draws = 1,
            GameResult::BlackWins => reply.results.black = 1,
            _ => {}
        }
        for (number, at, ply) in self.found.drain(..) {
            if let Some(replies) = self.replies.get_mut(number) {
                replies.add(at, ply, reply);
            }
        }
        self.at = [Some(0); 2];
        self.ply = 0;
    }
}

impl ReferenceReplies {
    pub(crate) fn new(trees: &[LineTree; 2]) -> Self {
        Self {
            replies: [Replies::new(&trees[0]), Replies::new(&trees[1])],
        }
    }

    /// Counts the games of a database.
    ///
    /// # Errors
    /// When it is cancelled.
    pub(crate) fn add(
        &mut self,
        database: &dyn Database,
        trees: &[LineTree; 2],
        threads: usize,
        progress: &Progress,
    ) -> Result<(), Error> {
        let next = AtomicU32::new(0);
        let chunks = database.len().div_ceil(CHUNK);
        let sum = Mutex::new(&mut self.replies);
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, chunks.max(1) as usize) {
                scope.spawn(|| {
                    let mut reader = database.reader();
                    let mut follower = Follower::new(trees);
                    loop {
                        let chunk = next.fetch_add(1, Ordering::Relaxed);
                        if chunk >= chunks || progress.is_cancelled() {
                            break;
                        }
                        let first = chunk * CHUNK;
                        let last = database.len().min(first.saturating_add(CHUNK));
                        for game in (first..last).map(GameIndex) {
                            // Deleted games are not counted; the others as far as they can be read.
                            if database.entry(game).is_ok_and(|entry| !entry.deleted) {
                                let _ = reader.read(game, Want::MAINLINE, &mut follower);
                                follower.end_game(GameResult::Unknown);
                            }
                        }
                        progress.advance(u64::from(last - first), u64::from(last - first));
                    }
                    let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                    for (sum, found) in sum.iter_mut().zip(&follower.replies) {
                        sum.merge(found);
                    }
                });
            }
        });
        progress.check()
    }

    /// The frequent replies that are in none of the player's games, those first that are most likely to come.
    pub(crate) fn document(&self, trees: &[LineTree; 2]) -> Value {
        let [white, black] = [0, 1].map(|number| {
            let found = trees.get(number).zip(self.replies.get(number));
            found.map_or(json!([]), |(tree, replies)| unfaced(tree, replies))
        });
        json!({"white": white, "black": black})
    }
}

fn unfaced(tree: &LineTree, replies: &Replies) -> Value {
    let lines = tree.lines();
    let mut found = Vec::new();
    for (at, of_node) in replies.of_nodes.iter().enumerate() {
        let (Some(node), Some(line)) = (tree.node(at as u32), lines.get(at)) else {
            continue;
        };
        let all: u64 = of_node.iter().map(|(_, reply)| reply.games).sum();
        let is_known = node.score.games > 0;
        if !is_known || all < MIN_REFERENCE || line.len() >= TREE_PLIES {
            continue;
        }
        for (ply, reply) in of_node {
            let share = reply.games as f64 / all as f64;
            if share >= MIN_SHARE && tree.child(at as u32, *ply).is_none() {
                found.push((node.score.games as f64 * share, line, *ply, reply, share));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())));
    found.truncate(MAX_REPLIES);
    let rows = found.into_iter().map(|(likely, line, ply, reply, share)| {
        let mut position = Position::standard();
        let (mut sans, mut ucis) = (Vec::new(), Vec::new());
        for &played in line {
            sans.push(position.san(played).to_string());
            ucis.push(position.uci(played).to_string());
            position.play_ply(played);
        }
        json!({
            "line": sans,
            "play": ucis,
            "uci": position.uci(ply).to_string(),
            "san": position.san(ply).to_string(),
            "playerGames": (likely / share).round() as u64,
            "games": reply.games,
            "share": share,
            "white": reply.results.white,
            "draws": reply.results.draws,
            "black": reply.results.black,
        })
    });
    Value::Array(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia::core::chess::uci;

    fn plies(text: &str) -> Vec<Ply> {
        let mut position = Position::standard();
        let plies = text.split(' ').map(|text| {
            let ply = uci::read(&position, text.as_bytes()).unwrap();
            position.play_ply(ply);
            ply
        });
        plies.collect()
    }

    #[test]
    fn a_tree_counts_results_from_the_side_of_the_player() {
        let mut tree = LineTree::default();
        tree.add(&plies("e2e4 c7c5 g1f3"), GameResult::WhiteWins, true);
        tree.add(&plies("e2e4 e7e5"), GameResult::BlackWins, true);
        tree.add(&plies("d2d4"), GameResult::Draw, true);
        let document = tree.document();
        assert_eq!(document[0]["san"], "e4");
        assert_eq!(document[0]["games"], 2);
        assert_eq!(document[0]["wins"], 1);
        assert_eq!(document[0]["losses"], 1);
        assert_eq!(document[0]["moves"][0]["moves"][0]["san"], "Nf3");
        assert_eq!(document[0]["moves"][0]["opening"], "Sicilian Defense");
        assert_eq!(document[1]["draws"], 1);
    }

    #[test]
    fn a_tree_ends_after_twelve_plies() {
        let line = "g1f3 g8f6 f3g1 f6g8 ".repeat(5);
        let mut tree = LineTree::default();
        tree.add(&plies(line.trim_end()), GameResult::Draw, true);
        assert_eq!(tree.nodes.len(), TREE_PLIES + 1);
    }

    #[test]
    fn replies_that_the_player_has_faced_are_not_listed() {
        let mut tree = LineTree::default();
        for _ in 0..4 {
            tree.add(&plies("e2e4 c7c5"), GameResult::WhiteWins, true);
        }
        let trees = [tree, LineTree::default()];
        let mut follower = Follower::new(&trees);
        for (line, games) in [
            ("e2e4 c7c5", 50),
            ("e2e4 e7e5", 40),
            ("e2e4 a7a6", 4),
            ("d2d4 d7d5", 9),
        ] {
            for _ in 0..games {
                let mut position = Position::standard();
                for ply in plies(line) {
                    let _ = follower.visit_move(&position, ply);
                    position.play_ply(ply);
                }
                follower.end_game(GameResult::Draw);
            }
        }
        let mut sum = ReferenceReplies::new(&trees);
        for (sum, found) in sum.replies.iter_mut().zip(&follower.replies) {
            sum.merge(found);
        }
        let found = sum.document(&trees);
        assert_eq!(found["white"].as_array().unwrap().len(), 1, "{found}");
        let reply = &found["white"][0];
        assert_eq!(reply["san"], "e5");
        assert_eq!(reply["line"], json!(["e4"]));
        assert_eq!(
            (&reply["games"], &reply["playerGames"]),
            (&json!(40), &json!(4))
        );
        // With Black there are no games: every first move of White would be new.
        assert_eq!(found["black"].as_array().unwrap().len(), 0, "{found}");
    }
}
