//! Annotations of moves and commentaries of positions as NAGs.

use tabia_core::game::Nag;

/// The bits of an annotation that are its NAG; the others are kept and mean nothing known.
pub(super) const ANNOTATION: u8 = 0x1f;

/// The NAG of a move's annotation byte.
pub fn annotation(byte: u8) -> Option<Nag> {
    let nag = byte & ANNOTATION;
    (nag != 0).then_some(Nag(nag))
}

/// Whether a NAG speaks of a move rather than of a position, and has a code.
pub(super) const fn is_annotation(nag: Nag) -> bool {
    matches!(nag.0, 1..=9 | 22 | 23)
}

/// The NAG of a commentary byte in the real position, `flipped` when Black is to move there.
///
/// Judgements are stored as if the side to move were White. Remarks on initiative, attack and the
/// like are stored as White's when they are on the side that has just moved.
pub fn commentary(byte: u8, flipped: bool) -> Option<Nag> {
    (byte != 0).then(|| Nag(turn(byte, flipped)))
}

/// The way back.
pub(super) fn commentary_byte(nag: Nag, flipped: bool) -> u8 {
    turn(nag.0, flipped)
}

/// Exchanges the numbers for White and for Black where that is needed; its own inverse.
const fn turn(nag: u8, flipped: bool) -> u8 {
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
    fn judgements_are_those_of_the_real_colours() {
        // The side to move is better: White's NAG when White is to move.
        assert_eq!(commentary(14, false), Some(Nag(14)));
        assert_eq!(commentary(14, true), Some(Nag(15)));
        // The side that has just moved attacks.
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
    fn high_bits_are_no_annotation() {
        assert_eq!(annotation(0xe0), None);
        assert_eq!(annotation(0x21), Some(Nag(1)));
    }
}
