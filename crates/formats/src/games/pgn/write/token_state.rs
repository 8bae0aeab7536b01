//! The state of the writer between two tokens of movetext.

use tabia_core::chess::Color;

/// The last thing that was written. It decides whether the next token needs a blank before it, and the
/// next move a number, and whether a comment can still be put before the last move.
///
/// Annotations are collected before they are written, so that "annotated" includes those that
/// are pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenState {
    /// A move without annotations; comments before it do not count.
    Move,
    /// A move with annotations, of which no comment is written yet.
    AnnotatedMove,
    /// A move, its annotations, and at least one comment among them.
    CommentedMove,
    /// The `)` of a variation.
    VariationEnd,
    /// Annotations at the start of a line, before its first move.
    AnnotatedStart,
    /// The blank line before the movetext, or the `(` of a variation.
    LineStart,
    /// Nothing: the record is left out of the text.
    LeftOut,
}

impl TokenState {
    /// Whether the next token needs a blank before it.
    #[inline]
    pub(super) fn needs_blank(self) -> bool {
        self != Self::LineStart
    }

    /// Whether a move of Black needs its number.
    #[inline]
    pub(super) fn needs_number(self) -> bool {
        !matches!(self, Self::Move | Self::AnnotatedMove)
    }

    /// Whether the next move is the first of its line.
    #[inline]
    pub(super) fn is_line_start(self) -> bool {
        matches!(self, Self::LineStart | Self::AnnotatedStart)
    }

    /// Whether the last token is a move, apart from annotations.
    #[inline]
    pub(super) fn is_after_move(self) -> bool {
        matches!(self, Self::Move | Self::AnnotatedMove | Self::CommentedMove)
    }

    /// The state once an annotation is pending.
    #[inline]
    pub(super) fn annotated(self) -> Self {
        match self {
            Self::Move => Self::AnnotatedMove,
            other => other,
        }
    }

    /// The state once a NAG is written.
    #[inline]
    pub(super) fn after_nag(self) -> Self {
        match self {
            Self::LineStart => Self::AnnotatedStart,
            other => other,
        }
    }

    /// The state once a comment is written.
    #[inline]
    pub(super) fn after_comment(self) -> Self {
        match self {
            Self::Move | Self::AnnotatedMove | Self::CommentedMove => Self::CommentedMove,
            Self::VariationEnd => Self::VariationEnd,
            Self::AnnotatedStart | Self::LineStart => Self::AnnotatedStart,
            Self::LeftOut => Self::LeftOut,
        }
    }
}

/// The number that was written with a move, which decides where a comment before the move goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveNumber {
    /// No number. It is added with the comment: `1... {text} e5`.
    Omitted,
    /// A number; the comment goes between it and the move: `1. {text} e4`.
    Written,
    /// A number at the start of a line; the comment goes before it: `({text} 1. e4`.
    StartsLine,
}

/// The last move of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastMove {
    /// Offset of the move and its number.
    pub(super) start: usize,
    /// Offset of the move without its number.
    pub(super) san_start: usize,
    /// The full move number, and the side that moved.
    pub(super) number: (u16, Color),
    pub(super) number_state: MoveNumber,
}
