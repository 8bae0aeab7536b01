//! The game model: [`Visitor`], to which readers push games in PGN order, and the owned [`Game`] with its
//! tags, moves, variations and annotations.

mod annotation;
mod annotation_store;
mod change_annotations;
mod change_tokens;
mod check_moves;
mod date;
mod eco;
mod from_str;
#[expect(clippy::module_inception, reason = "the module of the type `Game`")]
mod game;
mod game_cursor;
mod game_head;
mod game_sink;
mod node;
mod quotation_text;
mod reduce_to_features;
mod result;
mod result_and_start;
mod rules;
mod tags;
mod visitor;

pub use annotation::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Eval, EvalPoint,
    EvalProfile, Foreign, Language, Media, MediaKind, Nag, PiecePath, Quotation, Score, Shape,
    ShapeColor, ShapeKind, TextKind, TextPart, TimeControl, TimeStage, Training, TrainingChoice,
    TrainingSolution, TrainingText, VariationColor, WebLink,
};
pub use date::Date;
pub use eco::Eco;
pub use from_str::ParseValueError;
pub use game::{Event, Game, Mainline, Recorder};
pub use game_cursor::GameCursor;
pub use game_head::{GameHead, RecordKind, Start};
pub use game_sink::{GameSink, RecordEach};
pub use node::{Line, Node};
pub use reduce_to_features::project;
pub use result::GameResult;
pub use rules::Rules;
pub use tags::{SEVEN_TAG_ROSTER, TagNames, Tags, is_blank_value};
pub use visitor::{Flow, Visitor, Want};
