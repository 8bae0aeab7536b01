//! The contents of [`BookPosition::raw`] and [`BookEntry::raw`]: what only this format stores of a
//! position or a move, so that a copy of a book is exact.
//!
//! [`BookPosition::raw`]: tabia_core::books::BookPosition::raw
//! [`BookEntry::raw`]: tabia_core::books::BookEntry::raw

use tabia_core::books::SmallBytes;

use super::record::{Record, Stats};

/// The first bytes, which distinguish them from another format's bytes.
const TAG: [u8; 3] = *b"ctg";

/// The raw bytes of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawPage<'a> {
    /// The record was visited before for a mirrored position; its counts must not be summed again.
    pub is_duplicate: bool,
    /// The record, with an empty key.
    pub record: Record<'a>,
}

impl<'a> RawPage<'a> {
    /// From [`BookPosition::raw`](tabia_core::books::BookPosition::raw); `None` if the bytes are of
    /// another format.
    pub fn read(raw: &'a [u8]) -> Option<Self> {
        let (&is_duplicate, body) = raw.strip_prefix(&TAG)?.split_first()?;
        let is_duplicate = match is_duplicate {
            0 => false,
            1 => true,
            _ => return None,
        };
        let record = Record::from_body(body)?;
        Some(Self {
            is_duplicate,
            record,
        })
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&TAG);
        out.push(u8::from(self.is_duplicate));
        out.extend_from_slice(self.record.body);
    }
}

/// The raw bytes of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawMove {
    /// The byte of the move, see [`decode_move`](super::decode_move).
    pub code: u8,
    /// The annotation byte, unknown bits included.
    pub annotation: u8,
    /// Flags, weight and commentary of the position after the move; `None` if the book does not
    /// contain it.
    pub child: Option<(u8, i8, u8)>,
}

impl RawMove {
    /// From [`BookEntry::raw`](tabia_core::books::BookEntry::raw); `None` if the bytes are of
    /// another format.
    pub fn read(raw: &[u8]) -> Option<Self> {
        let (code, annotation, child) = match *raw.strip_prefix(&TAG)? {
            [code, annotation] => (code, annotation, None),
            [code, annotation, flags, weight, commentary] => {
                let child = (flags, weight.cast_signed(), commentary);
                (code, annotation, Some(child))
            }
            _ => return None,
        };
        Some(Self {
            code,
            annotation,
            child,
        })
    }

    pub(super) fn new([code, annotation]: [u8; 2], child: Option<&Stats>) -> Self {
        Self {
            code,
            annotation,
            child: child.map(|stats| (stats.flags, stats.weight, stats.commentary)),
        }
    }

    pub(super) fn write(self) -> SmallBytes {
        let ([c, t, g], code, annotation) = (TAG, self.code, self.annotation);
        match self.child {
            Some((flags, weight, commentary)) => {
                let weight = weight.cast_unsigned();
                [c, t, g, code, annotation, flags, weight, commentary].into()
            }
            None => [c, t, g, code, annotation].into(),
        }
    }

    /// The recommendation: red if the flag is set, else green, unless the annotation is `?`, `??` or
    /// `?!`.
    pub(super) fn recommended(self) -> Option<bool> {
        let (flags, ..) = self.child?;
        let is_doubted = matches!(self.annotation & super::nags::ANNOTATION, 2 | 4 | 6);
        if flags & Stats::AVOID != 0 {
            Some(false)
        } else if flags & Stats::MAIN != 0 && !is_doubted {
            Some(true)
        } else {
            None
        }
    }
}
