//! Comments at the moments of games.

use tabia_core::game::{Annotation, Comment, CommentPlacement};
use tabia_query::FoundMoment;

/// Puts a comment at the moments at which a game fits a query: after the move that leads to the
/// position, or before the first move.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marker {
    text: String,
    /// Line and ply of the moments of the next game.
    moments: Vec<(u32, u32)>,
    /// Number and plies of the lines that are open.
    open: Vec<(u32, u32)>,
    lines: u32,
}

impl Marker {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn take_moments(&mut self, moments: &[FoundMoment]) {
        self.moments.clear();
        let at = |moment: &FoundMoment| (moment.line, moment.ply);
        self.moments.extend(moments.iter().map(at));
    }

    pub(crate) fn begin_game(&mut self) {
        self.open.clear();
        self.open.push((0, 0));
        self.lines = 0;
    }

    /// Counts a move.
    pub(crate) fn visit_move(&mut self) {
        if let Some((_, plies)) = self.open.last_mut() {
            *plies += 1;
        }
    }

    pub(crate) fn begin_variation(&mut self) {
        let plies = self.open.last().map_or(0, |(_, plies)| *plies);
        self.lines += 1;
        self.open.push((self.lines, plies.saturating_sub(1)));
    }

    pub(crate) fn end_variation(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// The comment, if the position here is a moment. Each moment has one.
    pub(crate) fn comment(&mut self) -> Option<Annotation<'_>> {
        let here = *self.open.last()?;
        let index = self.moments.iter().position(|moment| *moment == here)?;
        self.moments.swap_remove(index);
        Some(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: &self.text,
        }))
    }
}
