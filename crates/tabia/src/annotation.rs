//! The contents of [`Annotation`](crate::Annotation): comments, shapes, clocks, evaluations and the rest.

#[doc(inline)]
pub use tabia_core::game::{
    Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Eval, EvalPoint, EvalProfile,
    Foreign, Language, Media, MediaKind, PiecePath, Quotation, Score, Shape, ShapeColor, ShapeKind,
    TextKind, TextPart, TimeControl, TimeStage, Training, TrainingChoice, TrainingSolution,
    TrainingText, VariationColor, WebLink,
};
