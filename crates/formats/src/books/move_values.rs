//! [`MoveValues`]: which values of a move a format of books can hold.

/// Which values of a move a format holds that can be set for it alone. Games, results and ratings are
/// counted, not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveValues {
    /// The greatest weight; `None` if moves have no weights.
    pub max_weight: Option<u32>,
    /// Whether moves have NAGs.
    pub nags: bool,
    /// Whether moves have the author's advice.
    pub advice: bool,
    /// Whether moves have comments.
    pub comments: bool,
    /// Whether moves have a `learn` value.
    pub learn: bool,
    /// Whether the weights of moves without games are written as games, all drawn.
    pub weights_become_games: bool,
}

impl MoveValues {
    /// No values.
    pub(super) const NONE: Self = Self {
        max_weight: None,
        nags: false,
        advice: false,
        comments: false,
        learn: false,
        weights_become_games: false,
    };
}
