//! Heads of records as the index of a database states them: names are numbers, whose texts are asked for once.

use crate::game::{Date, GameResult, Tags};
use crate::ids::GameIndex;

/// A tag whose values have numbers in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadName {
    /// The event.
    Event,
    /// The site.
    Site,
    /// The round.
    Round,
    /// The player with White.
    White,
    /// The player with Black.
    Black,
    /// The opening code.
    Eco,
    /// The annotator.
    Annotator,
}

impl HeadName {
    /// Every tag, in the order of [`IndexHead::names`].
    pub const ALL: [Self; 7] = [
        Self::Event,
        Self::Site,
        Self::Round,
        Self::White,
        Self::Black,
        Self::Eco,
        Self::Annotator,
    ];

    /// The name of the tag.
    ///
    /// ```
    /// use tabia_core::games::HeadName;
    ///
    /// let tags = HeadName::ALL.map(HeadName::tag);
    /// assert_eq!(tags, ["Event", "Site", "Round", "White", "Black", "ECO", "Annotator"]);
    /// ```
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Event => "Event",
            Self::Site => "Site",
            Self::Round => "Round",
            Self::White => "White",
            Self::Black => "Black",
            Self::Eco => "ECO",
            Self::Annotator => "Annotator",
        }
    }
}

/// The head of a game that begins in the standard position; see [`HeadReader`].
///
/// ```
/// use tabia_core::games::{HeadName, IndexHead};
///
/// let mut head = IndexHead::default();
/// let white = HeadName::ALL.iter().position(|name| *name == HeadName::White);
/// head.names[white.unwrap()] = Some(48_213);
/// assert_eq!(head.names.iter().flatten().count(), 1);
/// assert!(head.marks.is_none() && head.rest.is_empty());
/// ```
#[derive(Debug, Default)]
pub struct IndexHead {
    /// Numbers of values, by [`HeadName`]: [`HeadReader::push_value`] has the text. `None` without the tag.
    pub names: [Option<u32>; HeadName::ALL.len()],
    /// The tag `Date`.
    pub date: Date,
    /// The tags `WhiteElo` and `BlackElo`; 0 without the tag.
    pub elo: [u16; 2],
    /// The result, which the tag `Result` states too.
    pub result: GameResult,
    /// Whether the record is marked as deleted.
    pub deleted: bool,
    /// Number of plies of the mainline; `None` if the index does not store it exactly.
    pub ply_count: Option<u16>,
    /// Whether the game has variations, comments and NAGs; `None` if the index does not store one of them.
    pub marks: Option<[bool; 3]>,
    /// All other tags, in stored order.
    pub rest: Tags,
}

/// Reads heads from the index of a database. It has buffers of its own, for one thread.
///
/// ```
/// use tabia_core::GameIndex;
/// use tabia_core::games::{Database, HeadName, IndexHead};
///
/// /// The players with White, as far as the index states them.
/// fn whites(database: &dyn Database) -> Vec<Option<String>> {
///     let Some(mut heads) = database.head_reader() else {
///         return Vec::new();
///     };
///     let mut head = IndexHead::default();
///     let mut names = Vec::new();
///     for game in (0..database.len()).map(GameIndex) {
///         let number = heads.read(game, &mut head).then(|| head.names[HeadName::White as usize]);
///         names.push(number.flatten().map(|number| {
///             let mut name = String::new();
///             heads.push_value(HeadName::White, number, &mut name);
///             name
///         }));
///     }
///     names
/// }
/// ```
pub trait HeadReader {
    /// Reads the head of a record into `head`. `true` if a [`GameReader`](super::GameReader) hands on a game with
    /// this head, without a problem if nothing but tags is wanted. `false`, with any contents of `head`, if it has
    /// to be asked: of guiding texts, setup positions, records with damage or with a tag that `head` cannot state.
    fn read(&mut self, game: GameIndex, head: &mut IndexHead) -> bool;

    /// Appends the value of a tag that has a number in a head that was read.
    fn push_value(&self, name: HeadName, number: u32, out: &mut String);
}
