//! Books for one side: they have no moves of the other, but the positions after them.

use tabia::Error;
use tabia::core::books::{Book, BookPosition};
use tabia::core::chess::Position;

use crate::context::Context;

/// Number of moves that are named.
const MAX_NAMED: usize = 4;

/// If a book without moves for a position has positions after it, notes the moves that lead to them.
pub(super) fn note_other_side(
    context: &Context,
    book: &dyn Book,
    position: &Position,
) -> Result<(), Error> {
    let mut page = BookPosition::default();
    let mut names = Vec::new();
    for &m in &*position.legal_moves() {
        let mut after = position.clone();
        after.play(m);
        if book.moves(&after, &mut page)? && !page.entries.is_empty() {
            names.push(position.san(m).to_string());
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    let side = |is_white: bool| if is_white { "White" } else { "Black" };
    let is_white = position.turn().is_white();
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let mut moves = names.join(", ");
    if more > 0 {
        moves = format!("{moves} and {more} more");
    }
    context.messages.note(&format!(
        "it goes on after {moves}: it may play {} only, so give a move of {} with `--moves`",
        side(!is_white),
        side(is_white)
    ));
    Ok(())
}
