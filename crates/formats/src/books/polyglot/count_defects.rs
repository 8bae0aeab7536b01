//! Counts the defects of a book by kind.

use std::collections::HashSet;

use tabia_core::plural::counted;

use super::entry::Entry;

/// The convention that the [`Learn`](tabia_core::books::Learn) values of a book follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearnConvention {
    /// All values are zero.
    Unused,
    /// Centipawns (little-endian, side to move), depth, engine.
    ScoreAndDepth,
    /// Links to games, one entry a game.
    GameLinks,
    /// Times played and half-points scored.
    GamesAndPoints,
    /// Counts whose meaning is unknown (wins and losses, or those of `XBoard`).
    Counts,
}

impl LearnConvention {
    /// The name shown to people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unused => "none",
            Self::ScoreAndDepth => "score and depth",
            Self::GameLinks => "links to games",
            Self::GamesAndPoints => "games and points",
            Self::Counts => "counts of unknown meaning",
        }
    }
}

/// What a check of all entries found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Number of distinct keys.
    pub positions: u64,
    /// Number of entries, without those of the header and copies out of order.
    pub moves: u64,
    /// Number of entries from the first that is out of order.
    pub out_of_order: u64,
    /// Entries that repeat the key and the move of another.
    pub repeats: u64,
    /// Entries with weight 0.
    pub zero_weights: u64,
    /// Entries whose move is a1a1 or has bits that no book uses.
    pub no_moves: u64,
    /// Records with key 0 at the start.
    pub null_records: u64,
    /// Whether the moves of every key are sorted by falling weight.
    pub by_weight: bool,
    /// The convention of `learn`; a guess that nothing depends on.
    pub learn: LearnConvention,
}

impl Findings {
    /// The entries that a corrected copy does not have, one line for each kind; `castlings_twice`: moves that a position
    /// has in both forms of castling.
    pub(super) fn problems(&self, castlings_twice: u64) -> Vec<String> {
        let repeats = self.repeats + castlings_twice;
        [
            (
                repeats,
                "entry repeats a move of its position",
                "entries repeat a move of their position",
                ": their weights are added up; other programs may take only one of them",
            ),
            (
                self.no_moves,
                "entry has no move",
                "entries have no move",
                "",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several, end)| format!("{}{end}", counted(count, one, several)))
        .collect()
    }
}

pub(super) fn inspect(book: &[Entry], null_records: usize, out_of_order: u64) -> Findings {
    let mut findings = Findings {
        positions: 0,
        moves: book.len() as u64,
        out_of_order,
        repeats: 0,
        zero_weights: 0,
        no_moves: 0,
        null_records: null_records as u64,
        by_weight: true,
        learn: LearnConvention::Unused,
    };
    let mut linked = 0u64;
    for run in book.chunk_by(|a, b| a.key == b.key) {
        findings.positions += 1;
        for (i, entry) in run.iter().enumerate() {
            findings.zero_weights += u64::from(entry.weight.get() == 0);
            findings.no_moves += u64::from(entry.move_bits.get() == 0 || entry.is_foreign());
            // Runs are short; the limit keeps this linear in hostile files.
            let before = run.get(i.saturating_sub(512)..i).unwrap_or_default();
            if let Some(first) = before
                .iter()
                .find(|other| other.move_bits == entry.move_bits)
            {
                findings.repeats += 1;
                linked += u64::from(first.learn != entry.learn);
            }
            let previous = i.checked_sub(1).and_then(|i| run.get(i));
            findings.by_weight &= previous.is_none_or(|other| other.weight >= entry.weight);
        }
    }
    findings.learn = convention(book, linked);
    findings
}

/// The likely convention of `learn` (FORMAT.md § Learn).
fn convention(book: &[Entry], linked: u64) -> LearnConvention {
    let (mut used, mut scores, mut points) = (0u64, 0u64, 0u64);
    let mut depths = HashSet::new();
    for entry in book {
        let learn = entry.learn();
        if learn.is_zero() {
            continue;
        }
        used += 1;
        let (score, depth) = learn.score_and_depth();
        if (1..=60).contains(&depth) && score.unsigned_abs() < 3000 {
            scores += 1;
            depths.insert(depth);
        }
        let (played, scored) = learn.games_and_points();
        points += u64::from(u32::from(scored) <= 2 * u32::from(played));
    }
    match used {
        0 => LearnConvention::Unused,
        _ if scores * 100 >= used * 95 && depths.len() <= 16 => LearnConvention::ScoreAndDepth,
        _ if linked > 0 => LearnConvention::GameLinks,
        _ if points == used => LearnConvention::GamesAndPoints,
        _ => LearnConvention::Counts,
    }
}
