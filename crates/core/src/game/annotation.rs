//! What formats say about moves and games: typed where formats share a meaning, bytes where not.

use std::fmt;
use std::time::Duration;

use crate::chess::{Color, Ply, Setup, Square};
use crate::game::{Date, GameResult};
use crate::ids::FormatId;
use crate::loss::{Feature, Features, Losses};

/// Everything any of our formats says about a move or a game, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Annotation<'a> {
    /// A numeric annotation glyph; several keep their order.
    Nag(Nag),
    /// A comment; several on one move stay several.
    Comment(Comment<'a>),
    /// A coloured square, arrow or other mark on the board after the move.
    Shape(Shape),
    /// A clock reading or a time spent.
    Clock(Clock),
    /// An evaluation of the position after the move.
    Eval(Eval),
    /// Bits of ChessBase medals, as stored: bit 0 best game … bit 15 user.
    Medals(u32),
    /// The position after the move is critical.
    Critical(CriticalPosition),
    /// The colour in which the variation from here is shown.
    VariationColor(VariationColor),
    /// A pawn-structure mark (ChessBase type 14), value as stored.
    PawnStructure(u8),
    /// A piece-path mark (ChessBase type 15).
    PiecePath(PiecePath),
    /// Time in the accompanying video, in the format's own unit (ChessBase type 25).
    VideoTime(i32),
    /// The time control of the game.
    TimeControl(TimeControl),
    /// The clock of one side at the start of the game.
    StartClock(StartClock),
    /// Evaluations of the whole mainline.
    EvalProfile(&'a EvalProfile),
    /// A training question on the last move.
    Training(&'a Training),
    /// A quoted game.
    Quotation(&'a Quotation),
    /// A web link.
    WebLink(WebLink<'a>),
    /// A sound, picture or video that belongs to the move.
    Media(Media<'a>),
    /// A part of a guiding text.
    Text(TextPart<'a>),
    /// Not understood, or without a common meaning: carried byte for byte.
    Foreign(Foreign<'a>),
}

impl Annotation<'_> {
    /// The feature a format must have to hold this annotation at all.
    pub const fn feature(&self) -> Feature {
        match self {
            Self::Nag(_) => Feature::Nags,
            Self::Comment(_) => Feature::Comments,
            Self::Shape(_) => Feature::Shapes,
            Self::Clock(_) | Self::StartClock(_) => Feature::Clocks,
            Self::Eval(_) => Feature::Evals,
            Self::Medals(_) => Feature::Medals,
            Self::Critical(_) => Feature::CriticalPositions,
            Self::VariationColor(_) => Feature::VariationColors,
            Self::PawnStructure(_) => Feature::PawnStructures,
            Self::PiecePath(_) => Feature::PiecePaths,
            Self::VideoTime(_) => Feature::VideoTimes,
            Self::TimeControl(_) => Feature::TimeControls,
            Self::EvalProfile(_) => Feature::EvalProfiles,
            Self::Training(_) => Feature::Training,
            Self::Quotation(_) => Feature::Quotations,
            Self::WebLink(_) => Feature::WebLinks,
            Self::Media(_) => Feature::Media,
            Self::Text(_) => Feature::GuidingTexts,
            Self::Foreign(foreign) => {
                if foreign.is_unread_moves() {
                    Feature::UnreadMoves
                } else {
                    Feature::Foreign
                }
            }
        }
    }

    /// This annotation without the parts that lie outside `can`; what is left out is counted.
    #[must_use]
    pub fn reduce(mut self, can: Features, losses: &mut Losses) -> Self {
        match &mut self {
            Self::Comment(comment) => {
                if comment.language.is_some() && !can.has(Feature::Languages) {
                    comment.language = None;
                    losses.add(Feature::Languages, 1, None);
                }
                if comment.placement == CommentPlacement::Before
                    && !can.has(Feature::CommentPlacement)
                {
                    comment.placement = CommentPlacement::After;
                    losses.add(Feature::CommentPlacement, 1, None);
                }
            }
            Self::Eval(eval)
                if (eval.depth.is_some() || eval.engine != 0) && !can.has(Feature::EvalDepths) =>
            {
                eval.depth = None;
                eval.engine = 0;
                losses.add(Feature::EvalDepths, 1, None);
            }
            _ => {}
        }
        self
    }
}

/// A numeric annotation glyph, `$0` to `$255`. `Display` writes the PGN form.
///
/// ```
/// use tabia_core::game::Nag;
///
/// assert_eq!(Nag(1).to_string(), "$1");
/// assert_eq!("$14".parse(), Ok(Nag(14)));
/// assert_eq!("!?".parse(), Ok(Nag(5)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nag(pub u8);

impl fmt::Display for Nag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

/// Where a comment stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CommentPlacement {
    /// Before the move it belongs to.
    Before,
    /// After the move it belongs to.
    #[default]
    After,
}

/// A comment. Line breaks are `\n`; a diagram mark is `[#]`, as in PGN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'a> {
    /// Before or after its move.
    pub placement: CommentPlacement,
    /// The language, when the format says; `None` is *any*.
    pub language: Option<Language>,
    /// The text; may be empty.
    pub text: &'a str,
}

/// The language of a text: two letters of ISO 639-1, or a ChessBase nation number without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u16);

impl Language {
    /// From two lower-case ASCII letters, as in `en`.
    pub const fn iso(code: [u8; 2]) -> Option<Self> {
        if code[0].is_ascii_lowercase() && code[1].is_ascii_lowercase() {
            Some(Self((code[0] as u16) << 8 | code[1] as u16))
        } else {
            None
        }
    }

    /// A ChessBase nation number (1 to 255) that has no language code of its own.
    pub const fn nation(number: u8) -> Self {
        Self(number as u16)
    }

    /// The two letters, unless this is a nation number.
    pub fn letters(self) -> Option<[u8; 2]> {
        (self.0 > 255).then_some([(self.0 >> 8) as u8, (self.0 & 255) as u8])
    }

    /// The nation number, unless this is a language code.
    pub const fn nation_number(self) -> Option<u8> {
        if self.0 > 255 {
            None
        } else {
            Some(self.0 as u8)
        }
    }

    /// Reads what `Display` writes: `en`, `#121`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [b'#', number @ ..] => std::str::from_utf8(number)
                .ok()?
                .parse()
                .ok()
                .map(Self::nation),
            &[a, b] => Self::iso([a, b]),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.letters() {
            Some([a, b]) => write!(f, "{}{}", char::from(a), char::from(b)),
            None => write!(f, "#{}", self.0),
        }
    }
}

/// A mark on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Where, and of what form.
    pub kind: ShapeKind,
    /// Its colour.
    pub color: ShapeColor,
}

/// The form of a [`Shape`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
    /// A coloured square (`[%csl]`).
    Square(Square),
    /// An arrow (`[%cal]`).
    Arrow(Square, Square),
    /// A circle on a square (Scid, Scidb).
    Circle(Square),
    /// A disk on a square (Scid, Scidb).
    Disk(Square),
    /// A square frame on a square (Scid, Scidb).
    Frame(Square),
    /// A character on a square (Scid, Scidb).
    Letter(Square, char),
}

/// The colour of a shape. Named colours are those with a letter in PGN; the rest are numbers of
/// the format they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeColor {
    /// `G`; ChessBase 2.
    Green,
    /// `Y`; ChessBase 3.
    Yellow,
    /// `R`; ChessBase 4.
    Red,
    /// `B`.
    Blue,
    /// `O`.
    Orange,
    /// `C`.
    Cyan,
    /// `M`.
    Magenta,
    /// `P`: purple.
    Purple,
    /// `D`: dark blue.
    DarkBlue,
    /// `W`.
    White,
    /// `K`.
    Black,
    /// A ChessBase number without a known meaning.
    ChessBase(u8),
    /// A 24-bit colour, `0xRRGGBB` (Scid).
    Rgb(u32),
}

/// A clock reading or a time spent. Resolution of formats: 1 s to 1 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// What was measured.
    pub kind: ClockKind,
    /// How much.
    pub time: Duration,
}

/// What a [`Clock`] measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClockKind {
    /// Time left to the mover after the move (`[%clk]`).
    Remaining,
    /// Time spent on the move (`[%emt]`).
    ElapsedMove,
    /// Time spent in the game so far (`[%egt]`).
    ElapsedGame,
    /// Reading of a mechanical clock (`[%mct]`).
    Mechanical,
}

/// The clock of one side at the start of the game (ChessBase types 16 and 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StartClock {
    /// Whose clock.
    pub color: Color,
    /// Hundredths of a second.
    pub hundredths: i32,
}

/// An evaluation of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Eval {
    /// From White's side.
    pub score: Score,
    /// Search depth in plies, when known.
    pub depth: Option<u16>,
    /// Number of the engine in the game's list, from 1; 0 when unknown (Scidb).
    pub engine: u8,
}

/// A score from White's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves to mate, negative when Black mates.
    Mate(i32),
}

/// In which phase a critical position lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CriticalPosition(
    /// 1 opening, 2 middlegame, 3 endgame; other values as stored.
    pub u8,
);

/// How a variation is coloured (ChessBase type 23).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VariationColor {
    /// Bit 0 mainline only, bit 1 moves only.
    pub flags: u8,
    /// Red, 0 to 255.
    pub red: u8,
    /// Green, 0 to 255.
    pub green: u8,
    /// Blue, 0 to 255.
    pub blue: u8,
}

/// A piece-path mark, bytes as stored (ChessBase type 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PiecePath {
    /// First byte, 3 in every sample.
    pub kind: u8,
    /// Square number from 1 (a1 = 1, a2 = 2, …), as stored.
    pub square: u8,
}

/// A time control of up to three stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeControl {
    /// The stages in order; unused ones as stored.
    pub stages: [TimeStage; 3],
}

/// One stage of a [`TimeControl`], as ChessBase type 24 stores it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TimeStage {
    /// Start time in hundredths of a second.
    pub start: i32,
    /// Increment in hundredths of a second.
    pub increment: i32,
    /// Moves of the stage; 1000 is *rest of the game*.
    pub moves: u16,
    /// 1 fixed number of moves, 0 rest without and 3 rest with increment, 5 unused, 2 unknown.
    pub kind: u8,
}

/// Evaluations of the mainline: entry 0 for the start position, entry *k* after ply *k*.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvalProfile {
    /// The points in order.
    pub points: Vec<EvalPoint>,
}

/// One point of an [`EvalProfile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvalPoint {
    /// 0 value in centipawns, 1 moves to mate, 0xFF none; others as stored.
    pub flag: u8,
    /// Search depth in plies.
    pub depth: u8,
    /// From White's side.
    pub value: i16,
}

/// A text of a training question in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingText {
    /// ChessBase's language number of texts: 0 English, 1 German, 2 French, 3 Spanish, 4 Italian,
    /// 5 Dutch, 6 Portuguese, 7 any.
    pub language: u16,
    /// The text.
    pub text: String,
}

/// One accepted answer to a training question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingSolution {
    /// From square.
    pub from: Square,
    /// To square.
    pub to: Square,
    /// The byte after the squares, probably the promotion; as stored.
    pub promotion: u8,
    /// Points for this answer.
    pub points: u8,
    /// What is said about it.
    pub comments: Vec<TrainingText>,
}

/// A training question: find the move this annotation sits on (ChessBase type 09, variant 1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Training {
    /// Seconds allowed.
    pub seconds: i32,
    /// Points for the best answer.
    pub points: i16,
    /// The question.
    pub question: Vec<TrainingText>,
    /// What is said about a wrong answer.
    pub wrong: Vec<TrainingText>,
    /// The first help.
    pub first_help: Vec<TrainingText>,
    /// The second help.
    pub second_help: Vec<TrainingText>,
    /// The accepted answers.
    pub solutions: Vec<TrainingSolution>,
}

/// A quoted game (ChessBase type 13).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotation {
    /// As stored: `last,first`.
    pub white: String,
    /// As stored: `last,first`.
    pub black: String,
    /// 0 when unknown.
    pub white_elo: u16,
    /// 0 when unknown.
    pub black_elo: u16,
    /// As ChessBase stores ECO codes; 0 when unknown.
    pub eco: u16,
    /// Name of the event.
    pub event: String,
    /// Its place.
    pub site: String,
    /// When the game was played.
    pub date: Date,
    /// Low byte tournament type and time control, bit 8 team event.
    pub tournament_type: u16,
    /// ChessBase nation number.
    pub nation: u16,
    /// Category of the tournament.
    pub category: u16,
    /// Rounds of the tournament.
    pub rounds: u16,
    /// 0 when unknown.
    pub round: u8,
    /// 0 when unknown.
    pub sub_round: u8,
    /// How it ended.
    pub result: GameResult,
    /// Flags as stored; 0x40 says that a setup position is given.
    pub flags: u16,
    /// A number of unknown meaning, kept for the way back.
    pub unknown: u16,
    /// The first position, when it is not the usual one.
    pub setup: Option<Box<Setup>>,
    /// `None` for a reference without moves; otherwise the mainline.
    pub moves: Option<Vec<Ply>>,
}

/// A web link (ChessBase type 1c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebLink<'a> {
    /// The address.
    pub url: &'a str,
    /// What is shown for it; often empty.
    pub caption: &'a str,
}

/// A sound, picture or video that belongs to a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Media<'a> {
    /// What it is.
    pub kind: MediaKind,
    /// Language, for videos.
    pub language: Option<Language>,
    /// Number of the file for sounds and pictures, caption for videos.
    pub text: &'a str,
}

/// What a [`Media`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// A sound.
    Sound,
    /// A picture.
    Picture,
    /// A video.
    Video,
}

/// One part of a guiding text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPart<'a> {
    /// What part.
    pub kind: TextKind,
    /// ChessBase's language number of texts, see [`TrainingText::language`].
    pub language: u16,
    /// The content.
    pub text: &'a str,
}

/// What a [`TextPart`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// A title.
    Title,
    /// A body of plain text.
    Plain,
    /// A body that is a whole HTML document.
    Html,
    /// The name of a file that the text uses.
    File,
}

/// Bytes of one format's own, kept so that the way back loses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign<'a> {
    /// The format they are from.
    pub format: FormatId,
    /// The format's own number for the kind of data.
    pub kind: u16,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl Foreign<'_> {
    /// The kind used by every format for moves that could not be read: the rest of a line.
    pub const UNREAD_MOVES: u16 = 0xffff;

    /// Whether this is the unreadable rest of a line.
    pub const fn is_unread_moves(&self) -> bool {
        self.kind == Self::UNREAD_MOVES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_read_back() {
        for language in [Language::iso(*b"de").unwrap(), Language::nation(121)] {
            assert_eq!(Language::parse(&language.to_string()), Some(language));
        }
        assert_eq!(Language::parse("DE"), None);
        assert_eq!(Language::parse("#300"), None);
    }
}
