//! Opening books.

mod learn;
mod small_bytes;

pub use learn::Learn;
pub use small_bytes::SmallBytes;

use std::path::PathBuf;

use crate::chess::{Move, Position};
use crate::error::Result;
use crate::formats::FormatId;
use crate::game::{Flow, GameResult, Nag};
use crate::games::Written;
use crate::loss::Losses;

/// Games won by White, drawn, and won by Black. Always from White's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Wdl {
    /// Games won by White.
    pub white: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games won by Black.
    pub black: u64,
}

impl Wdl {
    /// All games.
    pub const fn games(self) -> u64 {
        self.white
            .saturating_add(self.draws)
            .saturating_add(self.black)
    }
}

/// A position as a book knows it: Polyglot has only the key, CTG has the board.
#[derive(Debug, Clone, Copy)]
pub enum BookKey<'a> {
    /// The whole position.
    Board(&'a Position),
    /// The Polyglot key.
    Key(u64),
}

/// One move of a book position. `None` means that the format does not say, not zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BookEntry {
    /// The move; `None` when the stored bytes name no legal move here.
    pub m: Option<Move>,
    /// How much the book likes the move, relative to its siblings.
    pub weight: Option<u32>,
    /// Games in which it was played.
    pub games: Option<u64>,
    /// How those games ended.
    pub results: Option<Wdl>,
    /// Average rating of those who played it.
    pub average_rating: Option<u16>,
    /// Performance of those who played it.
    pub performance: Option<u16>,
    /// Whether the book's author wants it played: `true` above all others (ChessBase shows it
    /// green), `false` never (red).
    pub recommended: Option<bool>,
    /// What the book's author says about it.
    pub nags: Vec<Nag>,
    /// A comment.
    pub comment: Option<String>,
    /// The `learn` value. `None` in formats without
    /// [`Feature::BookLearn`](crate::loss::Feature::BookLearn).
    pub learn: Option<Learn>,
    /// Fields that only this format has, so that a copy into it is exact.
    pub raw: SmallBytes,
}

/// A game a book points to, by numbers in its list of sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameLink {
    /// Number of the source, from 0.
    pub source: u32,
    /// Number of the game in it, from 0.
    pub game: u32,
}

/// A game that a book points to, as the book's list of sources describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedGame {
    /// The file or web page it is in, as stored.
    pub source: String,
    /// Where that file should be, when it is one.
    pub path: Option<PathBuf>,
    /// Offset of the game in the source, in bytes.
    pub offset: Option<u64>,
    /// Its length in bytes.
    pub length: Option<u64>,
    /// Its number in the source, from 0.
    pub index: Option<u32>,
    /// Player with White.
    pub white: String,
    /// Player with Black.
    pub black: String,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// How it ended.
    pub result: GameResult,
}

/// All a book knows of one position. `None` means that the format does not say, not zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BookPosition {
    /// Its moves, in the book's order.
    pub entries: Vec<BookEntry>,
    /// Games that reached the position.
    pub games: Option<u64>,
    /// How they ended.
    pub results: Option<Wdl>,
    /// Average rating of the side to move.
    pub average_rating: Option<u16>,
    /// Performance of the side to move.
    pub performance: Option<u16>,
    /// What the book's author says of the position.
    pub nags: Vec<Nag>,
    /// A comment, an opening name for example.
    pub comment: Option<String>,
    /// One game that reached the position.
    pub sample_game: Option<GameLink>,
    /// Games whose last stored position this is.
    pub games_ending_here: Vec<GameLink>,
    /// The page says what one of another position said before, since one record stands for both;
    /// set by [`Book::for_each`]. Whoever adds pages of one record up must leave this one out.
    pub is_duplicate: bool,
    /// Fields only this format has, for the way back.
    pub raw: Vec<u8>,
}

impl BookPosition {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        let Self {
            entries,
            games,
            results,
            average_rating,
            performance,
            nags,
            comment,
            sample_game,
            games_ending_here,
            is_duplicate,
            raw,
        } = self;
        entries.clear();
        nags.clear();
        games_ending_here.clear();
        raw.clear();
        (*games, *results, *average_rating, *performance) = (None, None, None, None);
        (*comment, *sample_game, *is_duplicate) = (None, None, false);
    }
}

/// What a book says about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BookInfo {
    /// The format.
    pub format: FormatId,
    /// Version or flavour in words.
    pub version: String,
    /// Positions stored, when known without a walk.
    pub positions: Option<u64>,
    /// Move entries stored, when known without a walk.
    pub moves: Option<u64>,
    /// Games behind the book, when it says.
    pub games: Option<u64>,
    /// Faults found on opening, one line each.
    pub problems: Vec<String>,
    /// Facts of this format, name and value, for people.
    pub facts: Vec<(String, String)>,
}

/// How much a book stores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BookSize {
    /// Positions, one a record.
    pub positions: u64,
    /// Moves in all of them.
    pub moves: u64,
}

/// An opening book.
pub trait Book: Send + Sync {
    /// What it is and what was found on opening.
    fn info(&self) -> &BookInfo;

    /// Fills `page` with all that is known of a position and its moves. `false`: the position is
    /// not in the book, and the page is empty.
    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool>;

    /// The moves alone, with what the position's own record says of them: what an engine needs.
    /// Formats whose statistics stand with the positions a move leads to leave those out here.
    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        self.probe(position, page)
    }

    /// Every stored position once, in file order; for copying, counting and checking.
    ///
    /// Where one record stands for several positions (those that differ only by colours or by
    /// left and right), each of them that play can reach is handed on.
    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<()>;

    /// Like [`for_each`](Book::for_each), in whatever order is fastest; ratings and the fields for
    /// the way back may be left out. For targets that hold moves and weights alone and bring them
    /// into an order of their own. The page is filled anew each time, so that `visit` may change it.
    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<()> {
        let mut own = BookPosition::default();
        self.for_each(&mut |position, page| {
            own.clone_from(page);
            visit(position, &mut own)
        })
    }

    /// How much is stored. May read the whole file.
    fn size(&self) -> Result<BookSize> {
        let mut size = BookSize::default();
        self.for_each(&mut |_, page| {
            size.positions += 1;
            size.moves += page.entries.len() as u64;
            Flow::Go
        })?;
        Ok(size)
    }

    /// The game that a link of this book names; `None` when the book does not know it.
    fn linked_game(&self, link: GameLink) -> Result<Option<LinkedGame>> {
        let _ = link;
        Ok(None)
    }

    /// Faults that only a look at the whole file finds, one line each, beside those that
    /// [`info`](Book::info) tells. May take as long as reading everything.
    fn faults(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// Writes a new book.
pub trait BookWriter: Send {
    /// Adds a position and its moves, in any order of positions; says what could not be kept.
    /// What is said of a position twice adds up.
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses>;

    /// Says, after the last position, what is lost because of what never came or found no room: a
    /// tree, for example, has no place for positions that nothing leads to. Once, before
    /// [`finish`](BookWriter::finish), which otherwise does it and keeps silent.
    fn finalize(&mut self) -> Result<Losses> {
        Ok(Losses::new())
    }

    /// How much the book holds, after [`finalize`](BookWriter::finalize); `None`: all that was put in
    /// and not said to be lost at once.
    fn stored(&self) -> Option<BookSize> {
        None
    }

    /// Completes the files and gives them their names.
    fn finish(self: Box<Self>) -> Result<Written>;
}
