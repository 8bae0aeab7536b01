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
    /// The first position of the game; `None` if the setup position cannot be played from. That of a Chess960 game
    /// [is Chess960](Position::is_chess960) even if its king and rooks are on their classical squares, so that its
    /// castling is written as Chess960 has it.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Start;
    ///
    /// let mut start = Start::default();
    /// start.chess960 = true;
    /// let mut position = start.position().unwrap();
    /// for san in ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"] {
    ///     position.play_ply(position.parse_san(san)?);
    /// }
    /// assert_eq!(position.uci(position.parse_san("O-O")?).to_string(), "e1h1");
    /// # Ok::<(), tabia_core::chess::san::SanError>(())
    /// ```
    pub fn position(&self) -> Option<Position> {
        let mut position = match &self.setup {
            None => Position::standard(),
            Some(setup) => Position::from_setup(setup).ok()?,
        };
        if self.chess960 {
            position.set_chess960();
        }
        Some(position)
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
