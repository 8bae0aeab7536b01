//! Format, size and defects of a book.

use tabia_core::Error;
use tabia_core::books::{Book, BookInfo, BookKey, BookPosition};
use tabia_core::chess::{Color, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Progress, ProgressUnit};
use tabia_formats::books::polyglot;
use tabia_formats::books::polyglot::PolyglotBook;

use super::merge::{has_key_entries, open_polyglot};
use super::walk::{Walked, walk};
use crate::input::InputItem;

/// Everything that an inspection of a complete book finds. `None`: not known, or not requested.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct BookReport {
    /// Properties of the book.
    pub info: BookInfo,
    /// Number of records.
    pub positions: u64,
    /// Number of positions: some formats store a position and its mirror images (colours or files
    /// exchanged) in one record.
    pub boards: u64,
    /// Number of move entries.
    pub moves: u64,
    /// Number of games that the book was made from.
    pub games: Option<u64>,
    /// What a walk from the standard position visits.
    pub walked: Option<Walked>,
    /// Number of positions with White and with Black to move.
    pub sides: Option<[u64; 2]>,
    /// Number of castlings written as king takes rook, and as the king's two steps.
    pub castlings: Option<[u64; 2]>,
    /// The convention of Polyglot's `learn`, in words.
    pub learn: Option<&'static str>,
    /// Whether the moves of every position are sorted by falling weight.
    pub by_weight: Option<bool>,
    /// Problems that the check of the format found, one line each.
    pub problems: Vec<String>,
    /// Defects by name, those that were found.
    pub defects: Vec<(&'static str, u64)>,
}

/// Inspects a complete book; with `with_walk`, also walks through it from the standard position.
///
/// # Errors
/// If the book cannot be opened or read.
pub fn inspect(
    item: &InputItem,
    options: &OpenOptions,
    with_walk: bool,
    progress: &Progress,
) -> Result<BookReport, Error> {
    let polyglot = has_key_entries(item)
        .then(|| open_polyglot(item, options))
        .transpose()?;
    let other;
    let book: &dyn Book = if let Some(polyglot) = &polyglot {
        polyglot
    } else {
        other = super::open(item, options)?;
        &*other
    };
    let mut report = BookReport {
        info: book.info().clone(),
        games: book.info().games,
        ..BookReport::default()
    };
    let mut unreadable = 0;
    match &polyglot {
        // Problems of Polyglot books are counted as defects.
        Some(book) => inspect_polyglot(&mut report, book),
        None => unreadable = count_entries(&mut report, book)?,
    }
    if with_walk {
        let illegal = walk_through(&mut report, book, progress)?;
        unreadable = unreadable.max(illegal);
        if illegal > 0 && report.problems.is_empty() {
            // The same as a check finds.
            report.problems = book.problems()?;
        }
    }
    report.defect("moves that are not legal", unreadable);
    Ok(report)
}

impl BookReport {
    fn defect(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            self.defects.push((name, count));
        }
    }
}

fn inspect_polyglot(report: &mut BookReport, book: &PolyglotBook) {
    let findings = book.inspect();
    report.positions = findings.positions;
    report.boards = findings.positions;
    report.moves = findings.moves;
    report.learn = Some(findings.learn.label());
    report.by_weight = Some(findings.by_weight);
    report.defect("entries out of order", findings.out_of_order);
    report.defect("repeated moves", findings.repeats);
    report.defect("moves of weight 0", findings.zero_weights);
    report.defect("entries without a move", findings.no_moves);
    if book.header().is_none() {
        report.defect("records with key 0 without a header", findings.null_records);
    }
}

/// Counts what is stored and checks it; returns how many moves are unreadable.
fn count_entries(report: &mut BookReport, book: &dyn Book) -> tabia_core::Result<u64> {
    let mut unreadable = 0;
    let mut zero = 0;
    let mut sides = [0; 2];
    let mut have_boards = false;
    let found = book.inspect(&mut |position, page: &BookPosition| {
        report.boards += 1;
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
    (report.positions, report.moves) = (found.size.positions, found.size.moves);
    report.problems = found.problems;
    if have_boards {
        report.sides = Some(sides);
    }
    report.defect("moves of weight 0", zero);
    Ok(unreadable)
}

/// Walks through the book; returns how many moves are not legal.
fn walk_through(
    report: &mut BookReport,
    book: &dyn Book,
    progress: &Progress,
) -> tabia_core::Result<u64> {
    let mut illegal = 0;
    let mut sides = [0; 2];
    let mut castlings = [0; 2];
    let is_polyglot = report.learn.is_some();
    let stored = report.boards;
    progress.begin(ProgressUnit::Positions, stored);
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
    report.walked = Some(walked);
    report.sides.get_or_insert(sides);
    if is_polyglot {
        report.castlings = Some(castlings);
    }
    Ok(illegal)
}
