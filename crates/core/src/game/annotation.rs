//! Annotations of moves and games: typed if several formats share the meaning, otherwise as bytes.

use std::fmt;
use std::time::Duration;

use crate::chess::{Ply, Setup, Square};
use crate::game::{Date, GameResult};
use crate::ids::FormatId;
use crate::loss::{Feature, Features, Losses};

/// An annotation of a move, a variation or a game, with borrowed texts.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::annotation::{Comment, CommentPlacement};
/// use tabia::{Annotation, Feature};
///
/// let annotation = Annotation::Comment(Comment {
///     placement: CommentPlacement::After,
///     language: None,
///     text: "A novelty.",
/// });
/// assert_eq!(annotation.feature(), Feature::Comments);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Annotation<'a> {
    /// A numeric annotation glyph. A move may have several, in order.
    Nag(Nag),
    /// A comment. A move may have several.
    Comment(Comment<'a>),
    /// A coloured square, arrow or other mark on the board after the move.
    Shape(Shape),
    /// A clock reading or a time spent.
    Clock(Clock),
    /// An evaluation of the position after the move.
    Eval(Eval),
    /// A set of ChessBase medals, bits as stored: bit 0 best game … bit 15 user.
    Medals(u32),
    /// The position after the move is critical.
    Critical(CriticalPosition),
    /// The colour in which the variation from this move on is shown.
    VariationColor(VariationColor),
    /// A pawn-structure mark (ChessBase type 14), as stored.
    PawnStructure(u8),
    /// A piece-path mark (ChessBase type 15).
    PiecePath(PiecePath),
    /// Time in the accompanying video, in the unit of the format (ChessBase type 25).
    VideoTime(i32),
    /// A time control that a tag `TimeControl` cannot state, see [`TimeControl::pgn`].
    TimeControl(TimeControl),
    /// Evaluations of the mainline.
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
    /// Data of one format that is not understood or has no equivalent in other formats, as bytes.
    Foreign(Foreign<'a>),
}

impl Annotation<'_> {
    /// The feature that a format needs to hold this annotation.
    pub const fn feature(&self) -> Feature {
        match self {
            Self::Nag(_) => Feature::Nags,
            Self::Comment(_) => Feature::Comments,
            Self::Shape(_) => Feature::Shapes,
            Self::Clock(_) => Feature::Clocks,
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

    /// This annotation without the parts that are not in `can`, such as the language of a comment. Adds
    /// them to `losses`.
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
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Nag;
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

/// Whether a comment precedes or follows its move.
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
    /// Whether it precedes or follows its move.
    pub placement: CommentPlacement,
    /// The language; `None` if not stored or for any language.
    pub language: Option<Language>,
    /// The text; may be empty.
    pub text: &'a str,
}

/// The language of a text: an ISO 639-1 code of two letters, or a ChessBase nation number that has no such
/// code. `Display` writes `en` or `#121`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u16);

/// The codes of ISO 639-1, and `sh` of its first edition.
const ISO_CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io \
is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na \
nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr \
ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

impl Language {
    /// The language of an ISO 639-1 code in lower case, as in `en`; `None` for other bytes.
    pub const fn iso(code: [u8; 2]) -> Option<Self> {
        if code[0].is_ascii_lowercase() && code[1].is_ascii_lowercase() {
            Some(Self((code[0] as u16) << 8 | code[1] as u16))
        } else {
            None
        }
    }

    /// Whether ISO 639-1 gives the code to a language; a nation number is no code.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::annotation::Language;
    ///
    /// assert!(Language::parse("de").is_some_and(Language::is_assigned));
    /// assert!(!Language::parse("zz").is_some_and(Language::is_assigned));
    /// ```
    pub fn is_assigned(self) -> bool {
        let letters = self.letters();
        letters.is_some_and(|letters| {
            ISO_CODES
                .as_bytes()
                .chunks(3)
                .any(|code| code.starts_with(&letters))
        })
    }

    /// The language of a ChessBase nation number, 1 to 255, that has no ISO 639-1 code.
    pub const fn nation(number: u8) -> Self {
        Self(number as u16)
    }

    /// The ISO 639-1 code; `None` for a nation number.
    pub fn letters(self) -> Option<[u8; 2]> {
        (self.0 > 255).then_some([(self.0 >> 8) as u8, (self.0 & 255) as u8])
    }

    /// The nation number; `None` for an ISO 639-1 code.
    pub const fn nation_number(self) -> Option<u8> {
        if self.0 > 255 {
            None
        } else {
            Some(self.0 as u8)
        }
    }

    /// Parses a code that is typed: one that ISO 639-1 gives to a language, in any case, or `#121`.
    ///
    /// # Errors
    /// What such a code is.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::annotation::Language;
    ///
    /// assert_eq!(Language::of_code("DE").ok(), Language::parse("de"));
    /// assert!(Language::of_code("zz").is_err());
    /// ```
    pub fn of_code(text: &str) -> Result<Self, String> {
        Self::parse(&text.trim().to_ascii_lowercase())
            .filter(|language| language.letters().is_none() || language.is_assigned())
            .ok_or_else(|| {
                "a code of ISO 639-1, two letters such as de, en, es, fr, it, nl, pl, pt, ru"
                    .to_owned()
            })
    }

    /// Parses `en` or `#121`; `None` for anything else.
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
    /// Its form and squares.
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

/// The colour of a shape. Named colours have a letter in PGN; others are numbers of the format they come
/// from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeColor {
    /// `G`; ChessBase 2.
    Green,
    /// `Y`; ChessBase 3.
    Yellow,
    /// `R`; ChessBase 4.
    Red,
    /// `B`; ChessBase 7.
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

/// Its name in English; of colours without one `chessbase:` and the number, or `#rrggbb`.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::annotation::ShapeColor;
///
/// assert_eq!(ShapeColor::DarkBlue.to_string(), "darkblue");
/// assert_eq!(ShapeColor::Rgb(0xff8000).to_string(), "#ff8000");
/// ```
impl fmt::Display for ShapeColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
            Self::Blue => "blue",
            Self::Orange => "orange",
            Self::Cyan => "cyan",
            Self::Magenta => "magenta",
            Self::Purple => "purple",
            Self::DarkBlue => "darkblue",
            Self::White => "white",
            Self::Black => "black",
            Self::ChessBase(number) => return write!(f, "chessbase:{number}"),
            Self::Rgb(rgb) => return write!(f, "#{rgb:06x}"),
        })
    }
}

impl ShapeColor {
    /// The colour with this ChessBase number: one that has a name if the number has a known meaning.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::annotation::ShapeColor;
    ///
    /// assert_eq!(ShapeColor::of_chessbase(4), ShapeColor::Red);
    /// assert_eq!(ShapeColor::of_chessbase(8), ShapeColor::ChessBase(8));
    /// ```
    pub const fn of_chessbase(number: u8) -> Self {
        match number {
            2 => Self::Green,
            3 => Self::Yellow,
            4 => Self::Red,
            7 => Self::Blue,
            other => Self::ChessBase(other),
        }
    }

    /// The same colour, by its name if it has one: `ChessBase(4)` is [`Red`](Self::Red).
    #[must_use]
    pub const fn by_name(self) -> Self {
        match self {
            Self::ChessBase(number) => Self::of_chessbase(number),
            other => other,
        }
    }
}

/// A clock reading or a time spent. Formats store it with a resolution between 1 s and 1 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The kind of time.
    pub kind: ClockKind,
    /// The time.
    pub time: Duration,
}

/// The kind of time of a [`Clock`].
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

/// An evaluation of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Eval {
    /// The score, positive if White is better.
    pub score: Score,
    /// Search depth in plies; `None` if unknown.
    pub depth: Option<u16>,
    /// Number of the engine in the game's list of engines, from 1; 0 if unknown (Scidb).
    pub engine: u8,
}

/// A score, positive if White is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Number of moves to mate, negative if Black mates.
    Mate(i32),
}

/// The phase of the game of a critical position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CriticalPosition(
    /// 1 opening, 2 middlegame, 3 endgame; other values as stored.
    pub u8,
);

/// The colour of a variation (ChessBase type 23).
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

impl TimeStage {
    /// A stage that is not used.
    pub const UNUSED: TimeStage = TimeStage {
        start: 0,
        increment: 0,
        moves: 0,
        kind: 5,
    };

    /// The value of [`moves`](Self::moves) for the rest of the game.
    pub const REST: u16 = 1000;

    /// Whether the stage is not used, whatever its number of moves.
    fn is_unused(&self) -> bool {
        self.start == 0 && self.increment == 0 && (self.kind == 5 || *self == Self::default())
    }

    /// Parses `40/7200`, `5400+30` or `40/5400+30`; `None` for anything else.
    fn parse(text: &str) -> Option<Self> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(canonical_number(moves)?), time),
            None => (None, text),
        };
        let (start, increment) = match time.split_once('+') {
            Some((start, increment)) => (start, Some(canonical_number(increment)?)),
            None => (time, None),
        };
        let hundredths = |seconds: u32| i32::try_from(seconds).ok()?.checked_mul(100);
        let moves = moves.map(u16::try_from).transpose().ok()?;
        Some(Self {
            start: hundredths(canonical_number(start)?)?,
            increment: hundredths(increment.unwrap_or(0))?,
            moves: match moves {
                Some(moves) => Some(moves).filter(|moves| (1..Self::REST).contains(moves))?,
                None => Self::REST,
            },
            kind: match (moves, increment) {
                // `40/7200+0` would be written as `40/7200`.
                (Some(_), Some(0)) => return None,
                (Some(_), _) => 1,
                (None, Some(_)) => 3,
                (None, None) => 0,
            },
        })
    }

    /// The text that [`parse`](Self::parse) reads as this stage.
    fn pgn(&self) -> Option<String> {
        let (start, increment) = (self.start / 100, self.increment / 100);
        let text = match self.kind {
            1 if increment == 0 => format!("{}/{start}", self.moves),
            1 => format!("{}/{start}+{increment}", self.moves),
            0 => format!("{start}"),
            3 => format!("{start}+{increment}"),
            _ => return None,
        };
        (Self::parse(&text) == Some(*self)).then_some(text)
    }
}

/// A number without superfluous signs and zeros.
fn canonical_number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl TimeControl {
    /// Parses the value of a PGN tag `TimeControl`, such as `300+3` or `40/7200:3600`. `None` for values that
    /// [`pgn`](Self::pgn) would write differently or that have more than three stages: `?`, `*180`.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::annotation::TimeControl;
    ///
    /// let control = TimeControl::parse("40/7200+30:1800+30").unwrap();
    /// assert_eq!(control.stages[0].start, 720_000);
    /// assert_eq!(control.pgn().as_deref(), Some("40/7200+30:1800+30"));
    /// assert_eq!(TimeControl::parse("?"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut stages = [TimeStage::UNUSED; 3];
        let mut rest = stages.iter_mut();
        let mut is_complete = false;
        for part in text.split(':') {
            let stage = rest.next()?;
            *stage = TimeStage::parse(part)?;
            if is_complete {
                // Nothing can follow the rest of the game.
                return None;
            }
            is_complete = stage.moves == TimeStage::REST;
        }
        Some(Self { stages })
    }

    /// The value of a PGN tag `TimeControl`; `None` if PGN cannot state it: fractions of seconds, unknown
    /// kinds of stages.
    pub fn pgn(&self) -> Option<String> {
        let used = self.stages.iter().rposition(|stage| !stage.is_unused())?;
        let mut out = String::new();
        for (number, stage) in self.stages.iter().take(used + 1).enumerate() {
            if number > 0 {
                out.push(':');
            }
            out.push_str(&stage.pgn()?);
        }
        Self::parse(&out).map(|_| out)
    }
}

/// Evaluations of the mainline: entry 0 of the start position, entry *k* of the position after ply *k*.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvalProfile {
    /// The evaluations in order.
    pub points: Vec<EvalPoint>,
}

/// An evaluation of an [`EvalProfile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvalPoint {
    /// Unit of `value`: 0 centipawns, 1 moves to mate; 0xFF without an evaluation; others as stored.
    pub flag: u8,
    /// Search depth in plies.
    pub depth: u8,
    /// The evaluation, positive if White is better.
    pub value: i16,
}

/// A text of a training question in one language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingText {
    /// ChessBase's number of the language: 0 English, 1 German, 2 French, 3 Spanish, 4 Italian,
    /// 5 Dutch, 6 Portuguese, 7 any.
    pub language: u16,
    /// The text.
    pub text: String,
    /// Squares and arrows that are shown instead of a text; empty in all formats but 2CBH.
    pub shapes: Vec<Shape>,
}

impl TrainingText {
    /// A text without shapes; the language is a number as in [`language`](Self::language).
    pub fn new(language: u16, text: impl Into<String>) -> Self {
        Self {
            language,
            text: text.into(),
            shapes: Vec::new(),
        }
    }
}

/// One accepted answer to a training question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingSolution {
    /// The source square.
    pub from: Square,
    /// The target square.
    pub to: Square,
    /// The byte after the squares, probably the promotion; as stored.
    pub promotion: u8,
    /// Points for this answer.
    pub points: u8,
    /// Comments on this answer.
    pub comments: Vec<TrainingText>,
}

/// One of the answers to choose from (ChessBase type 09, variant 2).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingChoice {
    /// Points for this answer.
    pub points: u8,
    /// The answer.
    pub answer: Vec<TrainingText>,
    /// The comment on this answer.
    pub reply: Vec<TrainingText>,
}

/// A training question (ChessBase type 09): to find the annotated move, with `solutions`, or to choose an
/// answer, with `choices`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Training {
    /// Time allowed, in seconds.
    pub seconds: i32,
    /// Points for the best answer.
    pub points: i16,
    /// The question.
    pub question: Vec<TrainingText>,
    /// The comment on a wrong answer.
    pub wrong: Vec<TrainingText>,
    /// The first hint.
    pub first_help: Vec<TrainingText>,
    /// The second hint.
    pub second_help: Vec<TrainingText>,
    /// The accepted moves.
    pub solutions: Vec<TrainingSolution>,
    /// The answers to choose from.
    pub choices: Vec<TrainingChoice>,
}

/// A quoted game (ChessBase type 13).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotation {
    /// Player with White, as stored: `last,first`.
    pub white: String,
    /// Player with Black, as stored: `last,first`.
    pub black: String,
    /// Elo of White, 0 if unknown.
    pub white_elo: u16,
    /// Elo of Black, 0 if unknown.
    pub black_elo: u16,
    /// The ECO code in ChessBase's encoding, 0 if unknown.
    pub eco: u16,
    /// Name of the event.
    pub event: String,
    /// Site of the event.
    pub site: String,
    /// The date of the game.
    pub date: Date,
    /// Bits 0-7 tournament type and time control, bit 8 team event.
    pub tournament_type: u16,
    /// ChessBase nation number.
    pub nation: u16,
    /// Category of the tournament.
    pub category: u16,
    /// Rounds of the tournament.
    pub rounds: u16,
    /// The round, 0 if unknown.
    pub round: u8,
    /// The part of the round, 0 if unknown.
    pub sub_round: u8,
    /// The result of the game.
    pub result: GameResult,
    /// Flags as stored; 0x40: the game starts from a setup position.
    pub flags: u16,
    /// A number of unknown meaning, as stored; a copy in the same format needs it.
    pub unknown: u16,
    /// The setup position; `None` for the standard start position.
    pub setup: Option<Box<Setup>>,
    /// The moves of the mainline; `None` for a reference without moves.
    pub moves: Option<Vec<Ply>>,
}

/// A web link (ChessBase type 1c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebLink<'a> {
    /// The address.
    pub url: &'a str,
    /// The text shown for the link; often empty.
    pub caption: &'a str,
}

/// A sound, picture or video that belongs to a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Media<'a> {
    /// The kind of media.
    pub kind: MediaKind,
    /// The language of a video; `None` if not stored.
    pub language: Option<Language>,
    /// For sounds and pictures the number of the file, for videos the caption.
    pub text: &'a str,
}

/// The kind of a [`Media`].
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

/// A part of a guiding text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPart<'a> {
    /// The kind of part.
    pub kind: TextKind,
    /// ChessBase's number of the language, see [`TrainingText::language`].
    pub language: u16,
    /// The content.
    pub text: &'a str,
}

/// The kind of a [`TextPart`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// A title.
    Title,
    /// A body of plain text.
    Plain,
    /// A body that is an HTML document.
    Html,
    /// The name of a file that the text uses.
    File,
}

/// Bytes that only one format understands. They make a copy in the same format exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign<'a> {
    /// The format that the bytes are from.
    pub format: FormatId,
    /// Number of the kind of data in that format.
    pub kind: u16,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl Foreign<'_> {
    /// The kind that every format uses for moves that could not be read: the rest of a line.
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
    fn time_controls_of_pgn_round_trip() {
        for text in [
            "300",
            "300+3",
            "180+0",
            "0+1",
            "40/7200",
            "40/7200:3600",
            "40/5400+30:1800+30",
            "40/7200+30:20/3600+30:900+30",
        ] {
            let control = TimeControl::parse(text).unwrap();
            assert_eq!(control.pgn().as_deref(), Some(text));
        }
        for text in [
            "",
            "?",
            "-",
            "*180",
            "05",
            "300+",
            "40/7200+0",
            "0/5",
            "1000/5",
            "300:300",
            "1:2:3",
            "40/1:40/1:40/1:40/1",
            "99999999",
            "300 ",
        ] {
            assert_eq!(TimeControl::parse(text), None, "{text}");
        }
        let mut control = TimeControl::parse("300+3").unwrap();
        for unused in [
            TimeStage::default(),
            TimeStage {
                moves: 1000,
                ..TimeStage::UNUSED
            },
        ] {
            control.stages[2] = unused;
            assert_eq!(control.pgn().as_deref(), Some("300+3"));
        }
        control.stages[0].increment = 250;
        assert_eq!(control.pgn(), None);
        control.stages[0] = TimeStage::UNUSED;
        assert_eq!(control.pgn(), None);
    }

    #[test]
    fn languages_round_trip() {
        for language in [Language::iso(*b"de").unwrap(), Language::nation(121)] {
            assert_eq!(Language::parse(&language.to_string()), Some(language));
        }
        assert_eq!(Language::parse("DE"), None);
        assert_eq!(Language::parse("#300"), None);
    }
}
