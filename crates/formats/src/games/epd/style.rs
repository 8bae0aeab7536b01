//! The two forms of a line.

/// How the position of a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineStyle {
    /// Four fields, and the two numbers as operations.
    Epd,
    /// Six fields.
    Fen,
}
