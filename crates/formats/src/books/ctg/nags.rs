//! NAGs of moves (annotations) and of positions (commentaries).

use tabia_core::game::Nag;

/// The bits of an annotation that are its NAG; the meaning of the others is unknown.
pub(super) const ANNOTATION: u8 = 0x1f;

/// The NAG of a move's annotation byte; `None` if absent.
pub fn annotation(byte: u8) -> Option<Nag> {
    let nag = byte & ANNOTATION;
    (nag != 0).then_some(Nag(nag))
}

/// Whether a NAG is one of a move, and fits into an annotation byte.
pub(super) const fn is_annotation(nag: Nag) -> bool {
    matches!(nag.0, 1..=9 | 22 | 23)
}

/// The NAG of a commentary byte; `None` if absent. `flipped`: Black is to move in the real position.
///
/// Evaluations are stored as if the side to move were White; initiative, attack and the like as
/// White's if the side that has just moved has them.
pub fn commentary(byte: u8, flipped: bool) -> Option<Nag> {
    (byte != 0).then(|| Nag(flip(byte, flipped)))
}

/// The inverse of [`commentary`].
pub(super) fn commentary_byte(nag: Nag, flipped: bool) -> u8 {
    flip(nag.0, flipped)
}

/// Exchanges the NAGs of White and Black where the stored position requires it; its own inverse.
const fn flip(nag: u8, flipped: bool) -> u8 {
    let exchange = match nag {
        14..=21 => flipped,
        24..=139 => !flipped,
        _ => false,
    };
    if exchange { nag ^ 1 } else { nag }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commentaries_are_converted_to_the_real_colours() {
        // The side to move is better: White's NAG when White is to move.
        assert_eq!(commentary(14, false), Some(Nag(14)));
        assert_eq!(commentary(14, true), Some(Nag(15)));
        // The side that has just moved has the attack.
        assert_eq!(commentary(40, true), Some(Nag(40)));
        assert_eq!(commentary(40, false), Some(Nag(41)));
        assert_eq!(commentary(11, true), Some(Nag(11)));
        assert_eq!(commentary(146, true), Some(Nag(146)));
        assert_eq!(commentary(0, true), None);
        for byte in 1..=255 {
            for flipped in [false, true] {
                let nag = commentary(byte, flipped).unwrap();
                assert_eq!(commentary_byte(nag, flipped), byte);
            }
        }
    }

    #[test]
    fn annotation_ignores_the_high_bits() {
        assert_eq!(annotation(0xe0), None);
        assert_eq!(annotation(0x21), Some(Nag(1)));
    }
}
