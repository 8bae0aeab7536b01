//! [`GameHead`]: the data of a game that precede its first move.

use crate::chess::{Position, Setup};
use crate::game::{Rules, Tags, is_blank_value};

/// The kind of a record of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// A game.
    #[default]
    Game,
    /// A guiding text: a record without moves, whose content is visited as [`Annotation::Text`](crate::game::Annotation::Text).
    Text,
}

/// The start position of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The setup position; `None` for the standard start position.
    pub setup: Option<Box<Setup>>,
    /// Whether the game is Chess960; also possible with the standard start position.
    pub chess960: bool,
}

impl Start {
    /// The first position of the game; `None` if the setup position cannot be played from.
    pub fn position(&self) -> Option<Position> {
        match &self.setup {
            None => Some(Position::standard()),
            Some(setup) => Position::from_setup(setup).ok(),
        }
    }

    /// Whether a tag `FEN` with this value contains another position, or is not FEN.
    pub fn contradicts(&self, fen: &str) -> bool {
        let parsed = Setup::parse_fen(fen.trim_ascii().as_bytes());
        !parsed.is_ok_and(|parsed| match &self.setup {
            Some(setup) => parsed == **setup,
            None => parsed == Setup::standard(),
        })
    }

    /// Whether a tag `SetUp` with this value states something else than the start: `1` means a
    /// setup position, `0` for the usual one (PGN standard, 9.7.1), and a blank value for nothing.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Start;
    ///
    /// let usual = Start::default();
    /// assert!(!usual.contradicts_setup_tag("0"));
    /// assert!(usual.contradicts_setup_tag("1"));
    /// assert!(usual.contradicts_setup_tag("rook odds"));
    /// ```
    pub fn contradicts_setup_tag(&self, value: &str) -> bool {
        let expected = if self.setup.is_some() { "1" } else { "0" };
        !is_blank_value(value) && value.trim_ascii() != expected
    }
}

/// The data of a game that precede its first move.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameHead {
    /// The tag pairs, in stored order.
    pub tags: Tags,
    /// The start position.
    pub start: Start,
    /// Whether the record is a game or a guiding text.
    pub kind: RecordKind,
    /// Whether the record is marked as deleted.
    pub deleted: bool,
}

impl Clone for GameHead {
    fn clone(&self) -> Self {
        Self {
            tags: self.tags.clone(),
            start: self.start.clone(),
            kind: self.kind,
            deleted: self.deleted,
        }
    }

    /// Keeps the buffers.
    fn clone_from(&mut self, source: &Self) {
        self.tags.clone_from(&source.tags);
        self.start.clone_from(&source.start);
        self.kind = source.kind;
        self.deleted = source.deleted;
    }
}

impl GameHead {
    /// The position before the first move; `None` if the setup position cannot be played from, or the game has
    /// [other rules](Rules::Other): what its moves lead to is not known.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let mut head = tabia::GameHead::default();
    /// assert!(head.first_position().is_some());
    /// head.tags.set("Variant", "Atomic");
    /// assert!(head.first_position().is_none());
    /// ```
    pub fn first_position(&self) -> Option<Position> {
        let variant = self.tags.get("Variant").map(Rules::of_variant);
        match variant {
            Some(Rules::Other) => None,
            _ => self.start.position(),
        }
    }

    /// Resets the head for reuse, keeping its buffers.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.start = Start::default();
        self.kind = RecordKind::Game;
        self.deleted = false;
    }
}
