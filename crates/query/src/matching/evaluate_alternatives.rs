//! The answer to alternatives of a query from the answers to their terms.

use tabia_core::Result;

use super::answer::Answer;
use crate::language::{AnyOf, Term, What};

/// The answer to alternatives from the answers to their terms, of which no more are asked for than
/// needed. Guiding texts fit no term about games, negated or not.
pub(super) fn evaluate(
    any_of: &AnyOf,
    is_guiding_text: bool,
    answer: &mut dyn FnMut(&Term) -> Result<Answer>,
) -> Result<Answer> {
    if any_of.0.is_empty() {
        return Ok(Answer::Yes);
    }
    let mut best = Answer::No;
    for list in &any_of.0 {
        let mut all = Answer::Yes;
        for item in &list.0 {
            let item = match &item.what {
                What::Term(term) if is_guiding_text && !term.test.fits_guiding_texts() => {
                    Answer::No
                }
                What::Term(term) => answer(term)?.negate_if(item.negated),
                What::Step { .. } => Answer::Yes,
                What::Group(group) if item.negated && is_guiding_text && !is_about_texts(group) => {
                    Answer::No
                }
                What::Group(group) => {
                    evaluate(group, is_guiding_text, answer)?.negate_if(item.negated)
                }
            };
            all = all.min(item);
            if all == Answer::No {
                break;
            }
        }
        best = best.max(all);
        if best == Answer::Yes {
            break;
        }
    }
    Ok(best)
}

/// Whether guiding texts can fit every term of a group.
fn is_about_texts(group: &AnyOf) -> bool {
    let mut fits = true;
    group.for_each_term(&mut |term| fits &= term.test.fits_guiding_texts());
    fits
}
