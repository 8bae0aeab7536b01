//! The answers that are kept for programs made for Lichess' explorer.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;

/// Answers that are kept, and their bytes together.
const MAX_ANSWERS: usize = 4096;
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Games whose Lichess id is known because an answer had it.
const MAX_IDS: usize = 100_000;

/// Finished answers, and games by their Lichess id.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    kept: Mutex<KeptAnswers>,
    ids: Mutex<BTreeMap<String, (usize, u32)>>,
}

#[derive(Debug, Default)]
struct KeptAnswers {
    by_key: BTreeMap<String, Bytes>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Answers {
    /// The answer that was kept under a key.
    pub(crate) fn find(&self, key: &str) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_key.get(key).cloned()
    }

    /// Keeps an answer; the oldest ones make way for it.
    pub(crate) fn keep(&self, key: String, answer: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += answer.len();
        if let Some(old) = kept.by_key.insert(key.clone(), answer) {
            kept.bytes -= old.len();
        } else {
            kept.order.push_back(key);
        }
        while kept.order.len() > MAX_ANSWERS || kept.bytes > MAX_ANSWER_BYTES {
            let Some(oldest) = kept.order.pop_front() else {
                return;
            };
            if let Some(old) = kept.by_key.remove(&oldest) {
                kept.bytes -= old.len();
            }
        }
    }

    /// Remembers which game has a Lichess id: the number of its input, and its index there.
    pub(crate) fn name_game(&self, id: &str, at: (usize, u32)) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() < MAX_IDS {
            ids.insert(id.to_owned(), at);
        }
    }

    /// The game with a Lichess id.
    pub(crate) fn game(&self, id: &str) -> Option<(usize, u32)> {
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.get(id).copied()
    }
}
