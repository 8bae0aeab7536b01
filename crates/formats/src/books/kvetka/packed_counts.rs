//! Counts of an element, packed into spare bits of an index slot, so that a walk need not read it.

use super::read_element::{Counts, Element};
use crate::books::mirrored::record_index::PAYLOAD_BITS;

/// Bits of a count.
const COUNT_BITS: u32 = PAYLOAD_BITS / 3;
/// Instead of counts: they are too large, or the element is not intact.
const NOT_INLINE: u64 = (1 << PAYLOAD_BITS) - 1;

/// The payload for the slot of an element; `None` if the element is not intact.
pub(super) fn payload(element: Option<&Element<'_>>) -> u64 {
    match element.map(|element| element.counts) {
        Some(counts) if counts.iter().all(|count| *count < 1 << COUNT_BITS) => {
            let mut payload = 0;
            for count in counts.iter().rev() {
                payload = payload << COUNT_BITS | count;
            }
            payload
        }
        _ => NOT_INLINE,
    }
}

/// The counts of a payload; `None` if the element must be read.
pub(super) fn unpack(payload: u64) -> Option<Counts> {
    let count = |number| payload >> (number * COUNT_BITS) & ((1 << COUNT_BITS) - 1);
    (payload != NOT_INLINE).then(|| [0, 1, 2].map(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::kvetka::Key;
    use crate::books::mirrored::record_index::Slot;

    #[test]
    fn packed_counts_round_trip() {
        let element = |counts| Element {
            key: Key([0; Key::SIZE]),
            counts,
            moves: &[],
            flags: 0,
            source: None,
            comment: None,
            rest: &[],
            bad_comment: false,
        };
        assert_eq!(unpack(payload(None)), None);
        assert_eq!(
            unpack(payload(Some(&element([0, 1 << COUNT_BITS, 0])))),
            None
        );
        assert_eq!(unpack(payload(Some(&element([0, 0, u64::MAX])))), None);
        let max = (1 << COUNT_BITS) - 1;
        for counts in [[0, 0, 0], [1, 2, 3], [max, 0, 1], [max; 3]] {
            let slot = Slot::new(7, payload(Some(&element(counts))));
            assert_eq!((slot.offset(), unpack(slot.payload())), (7, Some(counts)));
        }
    }
}
