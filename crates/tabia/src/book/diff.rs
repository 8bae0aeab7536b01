//! What two books say differently.

use tabia_core::Result;
use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, SmallBytes};
use tabia_core::chess::{Position, uci};
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_formats::books::polyglot::PolyglotBook;

use super::polyglot_entries::{Plain, Runs};

/// A move that differs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The Polyglot key of the position.
    pub key: u64,
    /// The position, when a book stores it.
    pub fen: Option<String>,
    /// The move in UCI coordinates; castling as king takes rook when only the key is known.
    pub uci: String,
    /// What the first book says; `None` when it does not have the move.
    pub first: Option<BookEntry>,
    /// What the second book says.
    pub second: Option<BookEntry>,
    /// What both say of the move, but not the same.
    pub differs: Vec<&'static str>,
}

/// How two books compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookDiff {
    /// Moves that both have and that are equal.
    pub same: u64,
    /// Moves only in the first.
    pub only_first: u64,
    /// Moves only in the second.
    pub only_second: u64,
    /// Moves that both have with other values.
    pub changed: u64,
    /// What only one of them says of a move is a difference too: they have the same format.
    strict: bool,
}

/// Hands on what differs.
pub type Each<'a> = &'a mut dyn FnMut(Difference) -> Result<Flow>;

impl BookDiff {
    fn count(
        &mut self,
        key: u64,
        fen: Option<&str>,
        uci: String,
        pair: (Option<BookEntry>, Option<BookEntry>),
        each: Each<'_>,
    ) -> Result<Flow> {
        let mut differs = Vec::new();
        match &pair {
            (Some(a), Some(b)) => {
                differs = differing(a, b, self.strict);
                if differs.is_empty() {
                    self.same += 1;
                    return Ok(Flow::Go);
                }
                self.changed += 1;
            }
            (Some(_), None) => self.only_first += 1,
            (None, _) => self.only_second += 1,
        }
        each(Difference {
            key,
            fen: fen.map(str::to_owned),
            uci,
            first: pair.0,
            second: pair.1,
            differs,
        })
    }
}

/// What two books say of a move, but not the same. Unless `strict`, what only one of them says at all
/// is no difference.
fn differing(a: &BookEntry, b: &BookEntry, strict: bool) -> Vec<&'static str> {
    fn differ<T: PartialEq>(a: Option<&T>, b: Option<&T>, strict: bool) -> bool {
        a != b && (strict || (a.is_some() && b.is_some()))
    }
    let some = |entry: &BookEntry| (!entry.nags.is_empty()).then(|| entry.nags.clone());
    let all = [
        (
            "weight",
            differ(a.weight.as_ref(), b.weight.as_ref(), strict),
        ),
        ("games", differ(a.games.as_ref(), b.games.as_ref(), strict)),
        (
            "results",
            differ(a.results.as_ref(), b.results.as_ref(), strict),
        ),
        (
            "averageRating",
            differ(a.average_rating.as_ref(), b.average_rating.as_ref(), strict),
        ),
        (
            "performance",
            differ(a.performance.as_ref(), b.performance.as_ref(), strict),
        ),
        (
            "annotation",
            differ(some(a).as_ref(), some(b).as_ref(), strict),
        ),
        (
            "advice",
            differ(a.recommended.as_ref(), b.recommended.as_ref(), strict),
        ),
        (
            "comment",
            differ(a.comment.as_ref(), b.comment.as_ref(), strict),
        ),
        ("learn", differ(a.learn.as_ref(), b.learn.as_ref(), strict)),
    ];
    let differing = all.into_iter().filter(|(_, is_so)| *is_so);
    differing.map(|(name, _)| name).collect()
}

/// Compares two Polyglot books by their keys, in one pass through both.
///
/// # Errors
/// Those of `each`.
#[doc(hidden)]
pub fn diff_entries(
    first: &PolyglotBook,
    second: &PolyglotBook,
    progress: &Progress,
    each: Each<'_>,
) -> Result<BookDiff> {
    let mut compared = BookDiff {
        strict: true,
        ..BookDiff::default()
    };
    let (mut a, mut b) = (Runs::new(first, progress)?, Runs::new(second, progress)?);
    let (mut run_a, mut run_b) = (Vec::new(), Vec::new());
    while let Some(key) = [a.key(), b.key()].into_iter().flatten().min() {
        progress.check()?;
        run_a.clear();
        run_b.clear();
        if a.key() == Some(key) {
            a.take(&mut run_a);
        }
        if b.key() == Some(key) {
            b.take(&mut run_b);
        }
        for plain in &run_a {
            let other = run_b.iter().find(|other| other.bits == plain.bits);
            let pair = (Some(entry_of(plain)), other.map(entry_of));
            let flow = compared.count(key, None, coordinates(plain.bits), pair, each)?;
            if flow == Flow::Stop {
                return Ok(compared);
            }
        }
        for plain in &run_b {
            if run_a.iter().any(|other| other.bits == plain.bits) {
                continue;
            }
            let pair = (None, Some(entry_of(plain)));
            let flow = compared.count(key, None, coordinates(plain.bits), pair, each)?;
            if flow == Flow::Stop {
                return Ok(compared);
            }
        }
    }
    Ok(compared)
}

pub(super) fn entry_of(plain: &Plain) -> BookEntry {
    let mut entry = BookEntry::default().with_weight(plain.weight);
    entry.learn = Some(plain.learn);
    entry
}

/// The coordinates of Polyglot's move bits.
pub(crate) fn coordinates(bits: u16) -> String {
    let square = |number: u16| {
        let (file, rank) = ((number & 7) as u8, (number >> 3 & 7) as u8);
        [char::from(b'a' + file), char::from(b'1' + rank)]
    };
    let mut text: String = square(bits >> 6).into_iter().chain(square(bits)).collect();
    text.extend(match bits >> 12 {
        1 => Some('n'),
        2 => Some('b'),
        3 => Some('r'),
        4 => Some('q'),
        _ => None,
    });
    text
}

/// Compares two books of any format: the positions that either stores with a board, else those
/// that a walk reaches. Between formats, what only one of them says of a move is no difference.
///
/// # Errors
/// Those of the books and of `each`.
pub fn diff_pages(
    first: &dyn Book,
    second: &dyn Book,
    progress: &Progress,
    each: Each<'_>,
) -> Result<BookDiff> {
    let mut compared = BookDiff {
        strict: first.info().format == second.info().format,
        ..BookDiff::default()
    };
    let mut other = BookPosition::default();
    let mut stopped = false;
    super::for_each_board::boards(first, progress, &mut |position, page| {
        second.probe(position, &mut other)?;
        let flow = compare(&mut compared, position, page, &other, each)?;
        stopped = flow == Flow::Stop;
        Ok(flow)
    })?;
    if stopped {
        return Ok(compared);
    }
    let nothing = BookPosition::default();
    super::for_each_board::boards(second, progress, &mut |position, page| {
        if first.probe(position, &mut other)? {
            return Ok(Flow::Go);
        }
        compare(&mut compared, position, &nothing, page, each)
    })?;
    Ok(compared)
}

fn compare(
    compared: &mut BookDiff,
    position: &Position,
    a: &BookPosition,
    b: &BookPosition,
    each: Each<'_>,
) -> Result<Flow> {
    let fen = position.fen();
    let key = position.key();
    for entry in &a.entries {
        let Some(m) = entry.m else { continue };
        let twin = b.entries.iter().find(|twin| twin.m == entry.m);
        let pair = (Some(common(entry)), twin.map(common));
        let mut text = Vec::new();
        uci::write(m, position.is_chess960(), &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        if compared.count(key, Some(&fen), text, pair, each)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    for entry in &b.entries {
        let Some(m) = entry.m else { continue };
        if a.entries.iter().any(|twin| twin.m == entry.m) {
            continue;
        }
        let mut text = Vec::new();
        uci::write(m, position.is_chess960(), &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let pair = (None, Some(common(entry)));
        if compared.count(key, Some(&fen), text, pair, each)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Go)
}

/// What formats have in common of an entry.
fn common(entry: &BookEntry) -> BookEntry {
    let mut common = entry.clone();
    common.m = None;
    common.raw = SmallBytes::new();
    common
}

/// Whether a book stores its positions with boards.
///
/// # Errors
/// Those of the book.
pub fn has_boards(book: &dyn Book) -> Result<bool> {
    let mut found = false;
    book.for_each(&mut |position, _| {
        found = matches!(position, BookKey::Board(_));
        Flow::Stop
    })?;
    Ok(found)
}
