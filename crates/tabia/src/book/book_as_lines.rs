//! The lines of a book as games, with a comment and NAGs for each move.

use tabia_core::books::{Book, BookPosition};
use tabia_core::chess::{Move, Ply, Position};
use tabia_core::external::DiskKeySet;
use tabia_core::game::{Annotation, Comment, CommentPlacement, GameHead, GameResult};
use tabia_core::games::TextWriter;
use tabia_core::io::Progress;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, GameIndex};

use super::share;

/// Counts of written lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinesWritten {
    /// Number of lines, each of which is a game.
    pub lines: u64,
    /// Number of positions of the book in these lines.
    pub positions: u64,
    /// Number of entries in these positions whose move is not legal; no line has them.
    pub illegal: u64,
    /// Number of moves of the book on these lines.
    pub moves: u64,
    /// Number of moves on these lines that the book does not contain.
    pub other_moves: u64,
    /// What lines cannot hold of these positions and moves.
    pub losses: Losses,
}

/// A position of the current line.
struct LinePosition {
    position: Position,
    page: BookPosition,
    /// Moves still to follow, the next one last.
    rest: Vec<Move>,
    /// The move of the current line.
    m: Option<Move>,
}

/// Writes the lines of a book with a text writer, heaviest moves first. Every position is on one line
/// only, so that a line ends at a position of an earlier one, or after `max_plies`. Moves that the book
/// does not contain are on a line only if they lead to positions of the book that its own moves do not
/// reach, as in a book for one side, and have a comment for that. `take` gets the text of each line.
///
/// # Errors
/// Those of the book and of `take`.
pub fn lines(
    book: &dyn Book,
    name: &str,
    start: &Position,
    max_plies: usize,
    writer: &mut dyn TextWriter,
    progress: &Progress,
    take: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), Error>,
) -> Result<LinesWritten, Error> {
    let mut done = LinesWritten::default();
    let mut seen = DiskKeySet::default();
    let own = own_positions(book, start, progress)?;
    let mut line: Vec<LinePosition> = Vec::new();
    if let Some(first) = line_position(book, start, &own, &mut seen, &mut done)? {
        line.push(first);
    }
    while let Some(last) = line.last_mut() {
        progress.check().map_err(Error::in_output)?;
        let Some(m) = last.rest.pop() else {
            line.pop();
            continue;
        };
        last.m = Some(m);
        let is_own = last.page.entries.iter().any(|entry| entry.m == Some(m));
        *(if is_own {
            &mut done.moves
        } else {
            &mut done.other_moves
        }) += 1;
        let mut after = last.position.clone();
        after.play(m);
        let is_new = !seen.contains(after.key());
        let next = if is_new && line.len() < max_plies {
            line_position(book, &after, &own, &mut seen, &mut done)?
        } else {
            None
        };
        if let Some(next) = next {
            line.push(next);
            continue;
        }
        write_line(&line, name, start, !is_new, done.lines, writer);
        take(writer.text())?;
        writer.text().clear();
        done.lines += 1;
        progress.advance(0, 1);
    }
    Ok(done)
}

/// The positions of the book that its own moves reach.
fn own_positions(
    book: &dyn Book,
    start: &Position,
    progress: &Progress,
) -> Result<DiskKeySet, Error> {
    let mut own = DiskKeySet::default();
    let mut rest = vec![start.clone()];
    let mut page = BookPosition::default();
    while let Some(position) = rest.pop() {
        progress.check().map_err(Error::in_output)?;
        if own.contains(position.key()) || !book.moves(&position, &mut page)? {
            continue;
        }
        own.insert(position.key()).map_err(Error::in_output)?;
        for m in page.entries.iter().filter_map(|entry| entry.m) {
            let mut after = position.clone();
            after.play(m);
            rest.push(after);
        }
    }
    Ok(own)
}

/// The position with the moves to follow; `None` if there are none. From a position that the book does
/// not contain, these are the moves that lead into the book.
fn line_position(
    book: &dyn Book,
    position: &Position,
    own: &DiskKeySet,
    seen: &mut DiskKeySet,
    done: &mut LinesWritten,
) -> Result<Option<LinePosition>, Error> {
    let mut page = BookPosition::default();
    let mut rest: Vec<Move> = Vec::new();
    if book.probe(position, &mut page)? {
        seen.insert(position.key()).map_err(Error::in_output)?;
        done.positions += 1;
        add_losses(&page, &mut done.losses);
        done.illegal += page
            .entries
            .iter()
            .filter(|entry| entry.m.is_none())
            .count() as u64;
        let mut weighted: Vec<(u64, Move)> = page
            .entries
            .iter()
            .filter_map(|entry| Some((share(entry), entry.m?)))
            .collect();
        weighted.sort_by_key(|(weight, _)| *weight);
        rest.extend(weighted.into_iter().map(|(_, m)| m));
    } else {
        let mut other = BookPosition::default();
        for &m in &*position.legal_moves() {
            let mut after = position.clone();
            after.play(m);
            let key = after.key();
            let may_be_new = !seen.contains(key) && !own.contains(key);
            if may_be_new && book.moves(&after, &mut other)? {
                rest.push(m);
            }
        }
        rest.sort_by_key(|m| std::cmp::Reverse(m.to_bits()));
        page.clear();
    }
    Ok((!rest.is_empty()).then(|| LinePosition {
        position: position.clone(),
        page,
        rest,
        m: None,
    }))
}

/// Adds what lines do not hold of a position: they have moves, NAGs, comments on moves, and rounded shares.
fn add_losses(page: &BookPosition, losses: &mut Losses) {
    let links = u64::from(page.sample_game.is_some()) + page.games_ending_here.len() as u64;
    losses.add(Feature::GameLinks, links, None);
    losses.add(Feature::Nags, page.nags.len() as u64, None);
    losses.add(Feature::Comments, u64::from(page.comment.is_some()), None);
    let rated = page.average_rating.is_some() || page.performance.is_some();
    losses.add(Feature::BookRatings, u64::from(rated), None);
    for entry in page.entries.iter().filter(|entry| entry.m.is_some()) {
        let counted = entry.games.is_some_and(|games| games > 0);
        losses.add(Feature::BookCounts, u64::from(counted), None);
        let decided = entry.results.is_some_and(|results| results.games() > 0);
        losses.add(Feature::BookResults, u64::from(decided), None);
        let rated = entry.average_rating.is_some() || entry.performance.is_some();
        losses.add(Feature::BookRatings, u64::from(rated), None);
        let advised = entry.recommended.is_some();
        losses.add(Feature::BookAdvice, u64::from(advised), None);
        // Advice against a move is a weight of 0, too.
        let weighted = entry.weight.is_some() && entry.recommended != Some(false);
        losses.add(Feature::BookWeights, u64::from(weighted), None);
        let learn = entry.learn.is_some_and(|learn| !learn.is_zero());
        losses.add(Feature::BookLearn, u64::from(learn), None);
    }
}

fn write_line(
    line: &[LinePosition],
    name: &str,
    start: &Position,
    ends_at_earlier_line: bool,
    number: u64,
    writer: &mut dyn TextWriter,
) {
    let mut head = GameHead::default();
    head.tags.push("Event", name);
    head.tags.push("Site", "?");
    head.tags.push("Date", "????.??.??");
    head.tags.push("Round", &(number + 1).to_string());
    head.tags.push("White", "?");
    head.tags.push("Black", "?");
    head.tags.push("Result", "*");
    if start.key() != Position::standard().key() {
        head.tags.push("SetUp", "1");
        head.tags.push("FEN", &start.fen());
        head.start.setup = Some(Box::new(start.to_setup()));
    }
    let _ = writer.begin_game(GameIndex(0), &head);
    for (i, at) in line.iter().enumerate() {
        let Some(m) = at.m else { continue };
        let _ = writer.visit_move(&at.position, Ply::Move(m));
        let entry = at.page.entries.iter().find(|entry| entry.m == Some(m));
        for nag in entry.iter().flat_map(|entry| &entry.nags) {
            let _ = writer.visit_annotation(Annotation::Nag(*nag));
        }
        let mut text = "not in the book".to_owned();
        if let Some(entry) = entry {
            let total: u64 = at.page.entries.iter().map(share).sum();
            let percent = share(entry) as f64 * 100.0 / total.max(1) as f64;
            text = format!("{percent:.0}%");
            if let Some(comment) = &entry.comment {
                text = format!("{text} {comment}");
            }
        }
        if ends_at_earlier_line && i + 1 == line.len() {
            text += "; goes on as in a line before";
        }
        let _ = writer.visit_annotation(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: &text,
        }));
    }
    writer.end_game(GameResult::Unknown);
}
