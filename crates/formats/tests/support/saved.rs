//! What was saved of a damaged database.

use tabia_core::game::{Event, Game};

/// The records of a damaged set; `None` for those that are lost.
pub(crate) struct Saved {
    pub(crate) records: Vec<Option<(Game, Vec<String>)>>,
    pub(crate) faults: Vec<String>,
}

impl Saved {
    pub(crate) fn whole(&self) -> Vec<Game> {
        let mut games = Vec::new();
        for record in &self.records {
            let (game, told) = record.as_ref().unwrap();
            assert_eq!(*told, Vec::<String>::new());
            games.push(game.clone());
        }
        games
    }

    /// How many are whole, damaged, lost.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let lost = self
            .records
            .iter()
            .filter(|record| record.is_none())
            .count();
        let whole = self.records.iter().flatten();
        let whole = whole.filter(|(_, told)| told.is_empty()).count();
        (whole, self.records.len() - whole - lost, lost)
    }
}

pub(crate) fn moves(game: &Game) -> Vec<String> {
    let events = game.events().map(|event: Event<'_>| format!("{event:?}"));
    events.collect()
}

pub(crate) fn same_moves(left: &Game, right: &Game) -> bool {
    left.head.start.setup == right.head.start.setup && moves(left) == moves(right)
}
