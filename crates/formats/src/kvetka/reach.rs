//! Which positions an element stands for: those that play reaches from the start.

use tabia_core::book::{BookPage, BookPosition};
use tabia_core::chess::Position;
use tabia_core::game::Flow;

use super::element::{Element, SLOTS};
use super::frame::Frame;
use super::key::Key;
use super::moves::decode_move;
use super::read::{KvetkaBook, RAW};

/// For every element, in which frames the moves of the book reach it from the usual start. One
/// byte for each element that could be in a block.
#[derive(Debug)]
struct Reach {
    frames: Vec<u8>,
}

impl Reach {
    fn of(book: &KvetkaBook) -> Self {
        let slots = (book.parts().len() as usize).saturating_mul(SLOTS);
        let mut reach = Self {
            frames: vec![0; slots],
        };
        // No more steps than elements and frames: each is taken once.
        let mut steps = Vec::new();
        if let Some((key, frame)) = Key::of(&Position::standard()) {
            steps.extend(reach.mark(book, key, frame));
        }
        while let Some((key, frame)) = steps.pop() {
            let (Some(position), Some(element)) = (key.position(frame), book.element(&key)) else {
                continue;
            };
            for &code in element.moves {
                let Some(m) = decode_move(&position, frame, code) else {
                    continue;
                };
                let mut next = position.clone();
                next.play(m);
                if let Some((key, frame)) = Key::of(&next) {
                    steps.extend(reach.mark(book, key, frame));
                }
            }
        }
        reach
    }

    /// The step that follows when the element is there and was not known in that frame.
    fn mark(&mut self, book: &KvetkaBook, key: Key, frame: Frame) -> Option<(Key, Frame)> {
        let (block, at, _) = book.find(&key)?;
        let slot = slot_of(book, block, at)?;
        let known = self.frames.get_mut(block as usize * SLOTS + slot)?;
        let bit = 1 << frame.number();
        let is_new = *known & bit == 0;
        *known |= bit;
        is_new.then_some((key, frame))
    }
}

/// How many elements stand before the one at that offset.
fn slot_of(book: &KvetkaBook, block: u32, at: usize) -> Option<usize> {
    let mut elements = book.parts().elements(block);
    let mut slot = 0;
    while elements.at() < at {
        elements.next()?;
        slot += 1;
    }
    (slot < SLOTS).then_some(slot)
}

/// Every element as each position that play reaches in it, or else as it is stored.
pub(super) fn for_each(
    book: &KvetkaBook,
    visit: &mut dyn FnMut(BookPosition<'_>, &BookPage) -> Flow,
) {
    let reach = Reach::of(book);
    let linked = book.header().has_game_links();
    let mut page = BookPage::default();
    for block in 0..book.parts().len() {
        for (slot, body) in book.parts().elements(block).enumerate() {
            let Some(element) = Element::read(body, linked) else {
                continue;
            };
            let found = reach.frames.get(block as usize * SLOTS + slot);
            let frames = found.copied().unwrap_or_default().max(1);
            let mut again = false;
            for frame in Frame::ALL {
                if frames >> frame.number() & 1 == 0 {
                    continue;
                }
                let Some(position) = element.key.position(frame) else {
                    continue;
                };
                page.clear();
                book.fill(&position, frame, &element, &mut page);
                book.fill_results(&position, book.look(&position), &mut page);
                page.raw.extend_from_slice(RAW);
                page.again = again;
                again = true;
                if visit(BookPosition::Board(&position), &page) == Flow::Stop {
                    return;
                }
            }
        }
    }
}
