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

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(answers: &Answers, key: usize, length: usize) {
        answers.keep(key.to_string(), Bytes::from(vec![b'x'; length]));
    }

    fn has(answers: &Answers, key: usize) -> bool {
        answers.find(&key.to_string()).is_some()
    }

    #[test]
    fn the_oldest_answers_make_way_one_by_one() {
        let answers = Answers::default();
        for key in 0..MAX_ANSWERS {
            keep(&answers, key, 1);
        }
        assert!((0..MAX_ANSWERS).all(|key| has(&answers, key)));
        for new in MAX_ANSWERS..MAX_ANSWERS + 3 {
            keep(&answers, new, 1);
            assert!(!has(&answers, new - MAX_ANSWERS));
            assert!((new - MAX_ANSWERS + 1..=new).all(|key| has(&answers, key)));
        }
        // The same question again makes no answer go.
        keep(&answers, MAX_ANSWERS, 2);
        assert!(has(&answers, 3));
        assert_eq!(answers.kept.lock().unwrap().bytes, MAX_ANSWERS + 1);
    }

    #[test]
    fn long_answers_make_way_by_their_bytes() {
        let answers = Answers::default();
        let third = MAX_ANSWER_BYTES / 3;
        for key in 0..3 {
            keep(&answers, key, third);
        }
        assert!((0..3).all(|key| has(&answers, key)));
        keep(&answers, 3, third);
        assert_eq!(
            [0, 1, 2, 3].map(|key| has(&answers, key)),
            [false, true, true, true]
        );
        keep(&answers, 4, 2 * third);
        assert_eq!(
            [1, 2, 3, 4].map(|key| has(&answers, key)),
            [false, false, true, true]
        );
        assert_eq!(answers.kept.lock().unwrap().bytes, 3 * third);
    }
}
