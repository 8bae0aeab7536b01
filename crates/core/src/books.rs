//! Opening books.

mod learn;
mod rating_sum;
mod small_bytes;

pub use learn::Learn;
pub use rating_sum::RatingSum;
pub use small_bytes::SmallBytes;

use std::any::Any;
use std::fmt;
use std::path::PathBuf;

use crate::chess::{Move, Position};
use crate::error::Result;
use crate::game::{Flow, GameResult, Nag};
use crate::games::Written;
use crate::ids::FormatId;
use crate::io::OutputSet;
use crate::loss::Losses;

/// Counts of games won by White, drawn, and won by Black.
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
    /// The sum of the three counts.
    pub const fn games(self) -> u64 {
        self.white
            .saturating_add(self.draws)
            .saturating_add(self.black)
    }

    /// Counts a game: a forfeit as the win or draw that it is, one without a result not at all.
    ///
    /// ```
    /// use tabia_core::books::Wdl;
    /// use tabia_core::game::GameResult;
    ///
    /// let mut results = Wdl::default();
    /// results.count(GameResult::BlackWinsByForfeit);
    /// results.count(GameResult::Unknown);
    /// assert_eq!((results.black, results.games()), (1, 1));
    /// ```
    pub fn count(&mut self, result: GameResult) {
        match result.to_pgn() {
            GameResult::WhiteWins => self.white += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::BlackWins => self.black += 1,
            _ => {}
        }
    }
}

/// What `count` entries of a book are that encode no legal move of their position, to follow the number in a message.
///
/// ```
/// use tabia_core::books::illegal_entries;
///
/// assert_eq!(illegal_entries(1), "entry is no legal move");
/// assert_eq!(illegal_entries(2), "entries are no legal moves");
/// ```
pub const fn illegal_entries(count: u64) -> &'static str {
    if count == 1 {
        "entry is no legal move"
    } else {
        "entries are no legal moves"
    }
}

/// How a book identifies a position: Polyglot stores only a key, CTG the board.
#[derive(Debug, Clone, Copy)]
pub enum BookKey<'a> {
    /// The position itself.
    Board(&'a Position),
    /// The Polyglot key; the position cannot be restored from it.
    Key(u64),
}

/// One move of a book position. `None` in a field means that the book does not store it, not zero.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BookEntry {
    /// The move; `None` if the stored bytes encode no legal move of the position.
    pub m: Option<Move>,
    /// The move's weight relative to the other moves of the position; 0: never to be played.
    pub weight: Option<u32>,
    /// Games in which the move was played.
    pub games: Option<u64>,
    /// Results of those games.
    pub results: Option<Wdl>,
    /// Average Elo of the players who played the move.
    pub average_rating: Option<u16>,
    /// The ratings of which [`average_rating`](Self::average_rating) is the average; `None` if the book stores none, or
    /// only their average.
    pub ratings: Option<RatingSum>,
    /// Performance of these players in these games, as an Elo number.
    pub performance: Option<u16>,
    /// The author's recommendation: `true` to play the move before all others (ChessBase shows it
    /// green), `false` never to play it (red).
    pub recommended: Option<bool>,
    /// The author's NAGs on the move, and on the position it leads to.
    pub nags: Vec<Nag>,
    /// A comment.
    pub comment: Option<String>,
    /// The `learn` value. `None` in formats without
    /// [`Feature::BookLearn`](crate::loss::Feature::BookLearn).
    pub learn: Option<Learn>,
    /// Bytes of the entry that only its format understands; they make a copy in the same format
    /// exact. Empty for most entries of most formats.
    pub raw: SmallBytes,
}

impl BookEntry {
    /// An entry that holds the move alone.
    pub fn new(m: Move) -> Self {
        Self {
            m: Some(m),
            ..Self::default()
        }
    }

    /// Sets the weight. Polyglot books have weights up to 65,535: a writer keeps that of larger ones, and reports
    /// [`Feature::BookWeights`](crate::loss::Feature::BookWeights). To keep proportions, scale the weights of a position.
    #[must_use]
    pub fn with_weight(mut self, weight: u32) -> Self {
        self.weight = Some(weight);
        self
    }

    /// Sets the number of games.
    #[must_use]
    pub fn with_games(mut self, games: u64) -> Self {
        self.games = Some(games);
        self
    }

    /// Sets the results.
    #[must_use]
    pub fn with_results(mut self, results: Wdl) -> Self {
        self.results = Some(results);
        self
    }
}

/// A game that a book links to, by its number in the book's list of sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameLink {
    /// Number of the source, from 0.
    pub source: u32,
    /// Number of the game in the source, from 0.
    pub game: u32,
}

/// A game that a book links to, as the book's list of sources describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkedGame {
    /// The file or web page that contains the game, as stored.
    pub source: String,
    /// The expected path of that file; `None` for a web page.
    pub path: Option<PathBuf>,
    /// Offset of the game in the source, in bytes.
    pub offset: Option<u64>,
    /// Length of the game in the source, in bytes.
    pub length: Option<u64>,
    /// Number of the game in the source, from 0.
    pub index: Option<u32>,
    /// Player with White.
    pub white: String,
    /// Player with Black.
    pub black: String,
    /// Elo of White.
    pub white_elo: Option<u16>,
    /// Elo of Black.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: GameResult,
}

/// The moves and statistics that a book stores for one position. `None` in a field means that the
/// book does not store it, not zero.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BookPosition {
    /// The moves, in the book's order.
    pub entries: Vec<BookEntry>,
    /// Games that reached the position.
    pub games: Option<u64>,
    /// Results of those games.
    pub results: Option<Wdl>,
    /// Average Elo of the side to move.
    pub average_rating: Option<u16>,
    /// The ratings of which [`average_rating`](Self::average_rating) is the average; `None` if the book stores none, or
    /// only their average.
    pub ratings: Option<RatingSum>,
    /// Ratings of the opponents; `None` if the book does not store them.
    pub opponent_ratings: Option<RatingSum>,
    /// Performance of the side to move, as an Elo number.
    pub performance: Option<u16>,
    /// The author's NAGs on the position.
    pub nags: Vec<Nag>,
    /// A comment, an opening name for example.
    pub comment: Option<String>,
    /// One game that reached the position.
    pub sample_game: Option<GameLink>,
    /// Games whose last stored position is this one.
    pub games_ending_here: Vec<GameLink>,
    /// True if [`Book::for_each`] visited the same record already for a mirrored position; skip the
    /// position when summing.
    pub is_duplicate: bool,
    /// True if the record does not state the side to move and no line to the position shows it:
    /// [`Book::for_each`] visits it with White to move. Formats that store the side to move cannot
    /// hold it.
    pub is_side_assumed: bool,
    /// Bytes of the record that only its format understands; they make a copy in the same format
    /// exact.
    pub raw: Vec<u8>,
}

impl BookPosition {
    /// Resets all fields to their defaults and keeps the allocated memory.
    pub fn clear(&mut self) {
        let Self {
            entries,
            games,
            results,
            average_rating,
            ratings,
            opponent_ratings,
            performance,
            nags,
            comment,
            sample_game,
            games_ending_here,
            is_duplicate,
            is_side_assumed,
            raw,
        } = self;
        entries.clear();
        nags.clear();
        games_ending_here.clear();
        raw.clear();
        (*games, *results, *average_rating, *performance) = (None, None, None, None);
        (*ratings, *opponent_ratings) = (None, None);
        (*comment, *sample_game) = (None, None);
        (*is_duplicate, *is_side_assumed) = (false, false);
    }
}

/// Properties of a book, known when it is opened.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BookInfo {
    /// The format.
    pub format: FormatId,
    /// Version or variant of the format, in words; empty if there is only one.
    pub version: String,
    /// Number of positions; `None` if only a walk can count them.
    pub positions: Option<u64>,
    /// Number of move entries; `None` if only a walk can count them.
    pub moves: Option<u64>,
    /// Number of games that the book was made from; `None` if it does not state it.
    pub games: Option<u64>,
    /// Problems found on opening, one line each.
    pub problems: Vec<String>,
    /// Whether the file is shorter than it states, so that a position that is not found may be in the part that is
    /// missing.
    pub is_cut: bool,
    /// Further properties, each a name and a value, to be shown to people.
    pub facts: Vec<(String, String)>,
    /// The names of those whose value is a number of things, which people read with separators.
    pub counts: &'static [&'static str],
}

/// The size of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookSize {
    /// Number of positions; a record that several mirrored positions share counts once.
    pub positions: u64,
    /// Number of move entries in all positions.
    pub moves: u64,
}

impl BookSize {
    /// The size of a book with `positions` positions and `moves` move entries.
    pub fn new(positions: u64, moves: u64) -> Self {
        Self { positions, moves }
    }
}

/// What [`Book::inspect`] finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookInspection {
    /// As of [`Book::size`].
    pub size: BookSize,
    /// As of [`Book::problems`].
    pub problems: Vec<String>,
}

impl BookInspection {
    /// A book of that size with those problems.
    pub fn new(size: BookSize, problems: Vec<String>) -> Self {
        Self { size, problems }
    }
}

/// An opening book.
pub trait Book: Send + Sync {
    /// Properties of the book and the problems found on opening.
    fn info(&self) -> &BookInfo;

    /// Fills `page` with the moves and statistics of a position. Returns `false` and leaves `page`
    /// empty if the book does not contain the position.
    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool>;

    /// Like [`probe`](Book::probe), but reads the position's own record only, which is enough to
    /// choose a move. In formats that store the statistics of a move with the position it leads to,
    /// the entries have no statistics.
    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        self.probe(position, page)
    }

    /// Calls `visit` once for every stored position, in file order. Returns the number of records
    /// that are skipped because they are not those of a position; see also
    /// [`damage`](Book::damage).
    ///
    /// A record that several mirrored positions share (colours exchanged, files mirrored) is
    /// visited once for each of them that is reachable from the standard position; see
    /// [`BookPosition::is_duplicate`]. A record that the moves of the book do not lead to is reached
    /// by one or two others where possible; see [`BookPosition::is_side_assumed`].
    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64>;

    /// Like [`for_each`](Book::for_each), in the fastest order. Ratings and `raw` bytes may be
    /// missing. Meant for targets that store only moves and weights and sort them anyway. The page
    /// is filled again for each position, so `visit` may change it.
    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<u64> {
        let mut copy = BookPosition::default();
        self.for_each(&mut |position, page| {
            copy.clone_from(page);
            visit(position, &mut copy)
        })
    }

    /// Counts positions and moves. May read the complete file.
    fn size(&self) -> Result<BookSize> {
        let mut size = BookSize::default();
        self.for_each(&mut |_, page| {
            size.positions += 1;
            size.moves += page.entries.len() as u64;
            Flow::Go
        })?;
        Ok(size)
    }

    /// The description of a linked game; `None` if the book's list of sources has no such game.
    fn linked_game(&self, link: GameLink) -> Result<Option<LinkedGame>> {
        let _ = link;
        Ok(None)
    }

    /// The book as its own type, for a writer of the same format (see [`BookWriter::keep_links_of`]); `None`
    /// if its links need no list of sources.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Parts of the file that cannot be read as records, and are therefore left out by
    /// [`for_each`](Book::for_each): one line for each kind, with its number. Faster than
    /// `for_each`.
    fn damage(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Problems that only a scan of the complete file finds, one line each, in addition to
    /// [`BookInfo::problems`]. May take as long as reading everything.
    fn problems(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Visits all positions as [`for_each_unordered`](Book::for_each_unordered) does and returns size
    /// and problems, all from one scan of the file. If `visit` stops, they are those of a part of it.
    fn inspect(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
    ) -> Result<BookInspection> {
        let mut size = BookSize::default();
        self.for_each(&mut |position, page| {
            size.positions += 1;
            size.moves += page.entries.len() as u64;
            visit(position, page)
        })?;
        Ok(BookInspection::new(size, self.problems()?))
    }
}

impl fmt::Debug for dyn Book + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Book").field(self.info()).finish()
    }
}

impl fmt::Debug for dyn BookWriter + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BookWriter")
    }
}

/// Writes a new book.
pub trait BookWriter: Send {
    /// Adds a position with its moves and returns what the format cannot store of it. Positions may
    /// come in any order; statistics of a position that is put twice are summed.
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses>;

    /// Copies the list of sources of a book of the same format, to which links of the positions refer that
    /// are put later. Returns whether it could: otherwise links to games are lost. To be called first.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn keep_links_of(&mut self, book: &dyn Book) -> Result<bool> {
        let _ = book;
        Ok(false)
    }

    /// Writes everything, to files that do not have their names yet.
    ///
    /// # Errors
    /// If a file cannot be written. Nothing is left of the new book then.
    fn complete(self: Box<Self>) -> Result<CompleteBook>;

    /// Completes the files and renames them to their final names.
    ///
    /// # Errors
    /// As with [`complete`](BookWriter::complete), and if the files cannot get their names.
    fn finish(self: Box<Self>) -> Result<WrittenBook> {
        self.complete()?.commit()
    }
}

/// A book that is written, but whose files do not have their names yet. Without
/// [`commit`](CompleteBook::commit) nothing of it remains.
#[derive(Debug)]
#[must_use = "without `commit` the book is removed"]
pub struct CompleteBook {
    /// What the book contains.
    pub size: BookSize,
    /// Losses known only at the end, such as positions that an ABK tree cannot reach; those that
    /// [`BookWriter::put`] returned are not repeated.
    pub losses: Losses,
    /// Positions for which the format states one game, since it needs a number and nothing counts any:
    /// those of moves whose own records are lost.
    pub assumed_games: u64,
    /// Number of records.
    pub records: u32,
    /// The files, main file first. Further files created here appear together with the book.
    pub files: OutputSet,
}

impl CompleteBook {
    /// Gives the files their names, all or none.
    ///
    /// # Errors
    /// If a file cannot get its name. All replaced files then have their names again.
    pub fn commit(self) -> Result<WrittenBook> {
        let (files, bytes) = self.files.commit()?;
        Ok(WrittenBook {
            size: self.size,
            losses: self.losses,
            assumed_games: self.assumed_games,
            written: Written::new(self.records, files, bytes),
        })
    }
}

/// A book that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenBook {
    /// What the book contains.
    pub size: BookSize,
    /// Losses known only at the end; those that [`BookWriter::put`] returned are not repeated.
    pub losses: Losses,
    /// As [`CompleteBook::assumed_games`].
    pub assumed_games: u64,
    /// The files.
    pub written: Written,
}
