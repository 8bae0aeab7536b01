//! [`Answer`]: the three-valued answer whether a game fits a query.

/// Whether a game fits a query, as far as known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// It does not, whatever else is read of it.
    No,
    /// More of it must be read.
    #[default]
    Maybe,
    /// It does, whatever else is read of it.
    Yes,
}

impl Answer {
    pub(super) fn negate_if(self, negated: bool) -> Self {
        match (self, negated) {
            (Self::No, true) => Self::Yes,
            (Self::Yes, true) => Self::No,
            (answer, _) => answer,
        }
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}
