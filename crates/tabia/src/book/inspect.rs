//! What a book is, how much it holds, what is wrong with it.

use tabia_core::Error;
use tabia_core::books::{Book, BookInfo, BookKey, BookPosition};
use tabia_core::chess::{Color, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_formats::books::polyglot;
use tabia_formats::books::polyglot::PolyglotBook;

use super::merge::{has_key_entries, open_polyglot};
use super::walk::{Walked, walk};
use crate::input::InputItem;

/// Everything a look at a whole book tells. `None`: not known, or not asked for.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct BookReport {
    /// What the book says of itself.
    pub info: BookInfo,
    /// Positions stored, one a record.
    pub positions: u64,
    /// Positions that the records stand for: some formats keep those that differ only by colours,
    /// or by left and right, in one record.
    pub boards: u64,
    /// Move entries stored.
    pub moves: u64,
    /// Games behind the book, when it says.
    pub games: Option<u64>,
    /// What a walk from the usual start meets.
    pub walked: Option<Walked>,
    /// Positions met with White and with Black to move.
    pub sides: Option<[u64; 2]>,
    /// Castlings met that are written as king takes rook, and as the king's two steps.
    pub castlings: Option<[u64; 2]>,
    /// The convention of Polyglot's `learn`, in words.
    pub learn: Option<&'static str>,
    /// Whether the moves of every position come by falling weight.
    pub by_weight: Option<bool>,
    /// Faults that the format names itself, one line each.
    pub faults: Vec<String>,
    /// Defects by name, those that were found.
    pub defects: Vec<(&'static str, u64)>,
}

/// Looks at all of a book; `reach`: also walks through it from the usual start.
///
/// # Errors
/// When the book cannot be opened or read.
pub fn survey(
    item: &InputItem,
    options: &OpenOptions,
    reach: bool,
    progress: &Progress,
) -> Result<BookReport, Error> {
    let is_polyglot = has_key_entries(item);
    let own = is_polyglot
        .then(|| open_polyglot(item, options))
        .transpose()?;
    let other;
    let book: &dyn Book = if let Some(own) = &own {
        own
    } else {
        other = super::open(item, options)?;
        &*other
    };
    let mut survey = BookReport {
        info: book.info().clone(),
        games: book.info().games,
        ..BookReport::default()
    };
    let mut unreadable = 0;
    match &own {
        Some(own) => look_at_polyglot(&mut survey, own),
        None => unreadable = count(&mut survey, book)?,
    }
    if reach {
        let illegal = go_through(&mut survey, book, progress)?;
        unreadable = unreadable.max(illegal);
    }
    survey.defect("moves that are not legal", unreadable);
    // Polyglot's are counted by name above.
    if !is_polyglot {
        survey.faults = book.problems()?;
    }
    Ok(survey)
}

impl BookReport {
    fn defect(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            self.defects.push((name, count));
        }
    }
}

fn look_at_polyglot(survey: &mut BookReport, book: &PolyglotBook) {
    let findings = book.inspect();
    survey.positions = findings.positions;
    survey.boards = findings.positions;
    survey.moves = findings.moves;
    survey.learn = Some(findings.learn.label());
    survey.by_weight = Some(findings.by_weight);
    survey.defect("entries out of order", findings.out_of_order);
    survey.defect("repeated moves", findings.repeats);
    survey.defect("moves of weight 0", findings.zero_weights);
    survey.defect("entries without a move", findings.no_moves);
    if book.header().is_none() {
        survey.defect("records with key 0 without a header", findings.null_records);
    }
}

/// Counts what is stored; returns how many moves are unreadable.
fn count(survey: &mut BookReport, book: &dyn Book) -> tabia_core::Result<u64> {
    let mut unreadable = 0;
    let mut zero = 0;
    let mut sides = [0; 2];
    let mut have_boards = false;
    let size = book.size()?;
    (survey.positions, survey.moves) = (size.positions, size.moves);
    book.for_each(&mut |position, page: &BookPosition| {
        survey.boards += 1;
        for entry in &page.entries {
            unreadable += u64::from(entry.m.is_none());
            zero += u64::from(entry.weight == Some(0));
        }
        if let BookKey::Board(position) = position {
            have_boards = true;
            let side = usize::from(position.turn() == Color::Black);
            sides[side] += 1;
        }
        Flow::Go
    })?;
    if have_boards {
        survey.sides = Some(sides);
    }
    survey.defect("moves of weight 0", zero);
    Ok(unreadable)
}

/// Walks through the book; returns how many moves are not legal.
fn go_through(
    survey: &mut BookReport,
    book: &dyn Book,
    progress: &Progress,
) -> tabia_core::Result<u64> {
    let mut illegal = 0;
    let mut sides = [0; 2];
    let mut castlings = [0; 2];
    let is_polyglot = survey.learn.is_some();
    let stored = survey.boards;
    progress.set_total(stored);
    let walked = walk(
        book,
        &[Position::standard()],
        stored,
        progress,
        &mut |position, _, page| {
            sides[usize::from(position.turn() == Color::Black)] += 1;
            for entry in &page.entries {
                let Some(m) = entry.m else {
                    illegal += 1;
                    continue;
                };
                if let (true, true, [high, low, ..]) = (is_polyglot, m.is_castling(), &*entry.raw) {
                    let stored = u16::from(*high) << 8 | u16::from(*low);
                    castlings[usize::from(stored != polyglot::encode_move(m))] += 1;
                }
            }
            Ok(Flow::Go)
        },
    )?;
    survey.walked = Some(walked);
    survey.sides.get_or_insert(sides);
    if is_polyglot {
        survey.castlings = Some(castlings);
    }
    Ok(illegal)
}
