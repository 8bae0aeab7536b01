//! What the crate `tabia` has of this one, under the names that it has there: examples use them, since they are shown
//! in the documentation of `tabia`. `cargo xtask tidy` compares the examples with the list of its public items.

pub use crate::books::{
    Book, BookEntry, BookInfo, BookKey, BookPosition, BookSize, BookWriter, GameLink, Learn,
    LinkedGame, Wdl,
};
pub use crate::chess::{Color, Move, Piece, Ply, Position, Role, Square};
pub use crate::error::{Error, ErrorKind, ErrorSide, Location, Problem, Result};
pub use crate::formats::{CreateOptions, FormatKind, Limits, OpenOptions, Profile};
pub use crate::game::{
    Annotation, Date, Eco, Event, Flow, Game, GameHead, GameResult, Line, Mainline, Nag, Node,
    RecordKind, Recorder, Rules, Start, Tags, Visitor, Want, project,
};
pub use crate::games::{Database, DatabaseInfo, Written};
pub use crate::io::{Charset, Progress, ProgressPhase, ProgressUnit};
pub use crate::loss::{Feature, Features, LossCount, Losses};
pub use crate::{FormatId, GameIndex};

pub mod annotation {
    //! As `tabia::annotation`.
    pub use crate::game::{
        Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Eval, EvalPoint,
        EvalProfile, Foreign, Language, Media, MediaKind, PiecePath, Quotation, Score, Shape,
        ShapeColor, ShapeKind, TextKind, TextPart, TimeControl, TimeStage, Training,
        TrainingChoice, TrainingSolution, TrainingText, VariationColor, WebLink,
    };
}

pub mod chess {
    //! As `tabia::chess`.
    pub use crate::chess::san::{SanError, SanText};
    pub use crate::chess::uci::UciText;
    pub use crate::chess::{
        Bitboard, FenError, FenStyle, Legality, MoveList, PositionError, Setup, SetupError,
        SetupProblem, Squares,
    };
}
