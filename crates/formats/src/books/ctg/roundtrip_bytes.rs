//! What only this format knows of a position or a move, carried along for the way back.

use tabia_core::books::SmallBytes;

use super::record::{Record, Stats};

/// Begins all of it, so that another format's bytes are not taken for ours.
const TAG: [u8; 3] = *b"ctg";

/// What comes with a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawPage<'a> {
    /// The same record came with another position before: nothing in it may be counted twice.
    pub again: bool,
    /// The record without its key.
    pub record: Record<'a>,
}

impl<'a> RawPage<'a> {
    /// From [`BookPosition::raw`](tabia_core::books::BookPosition::raw).
    pub fn read(raw: &'a [u8]) -> Option<Self> {
        let (&again, body) = raw.strip_prefix(&TAG)?.split_first()?;
        let again = match again {
            0 => false,
            1 => true,
            _ => return None,
        };
        let record = Record::from_body(body)?;
        Some(Self { again, record })
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&TAG);
        out.push(u8::from(self.again));
        out.extend_from_slice(self.record.body);
    }
}

/// What comes with a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawMove {
    /// Which move, see [`decode_move`](super::decode_move).
    pub code: u8,
    /// Its annotation, unknown bits included.
    pub annotation: u8,
    /// Flags, weight and commentary of the position it leads to, when that is stored.
    pub child: Option<(u8, i8, u8)>,
}

impl RawMove {
    /// From [`BookEntry::raw`](tabia_core::books::BookEntry::raw).
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

    /// What the flags say of the move: red before the annotations that forbid green, then green.
    pub(super) fn recommended(self) -> Option<bool> {
        let (flags, ..) = self.child?;
        let doubted = matches!(self.annotation & super::nags::ANNOTATION, 2 | 4 | 6);
        if flags & Stats::AVOID != 0 {
            Some(false)
        } else if flags & Stats::MAIN != 0 && !doubted {
            Some(true)
        } else {
            None
        }
    }
}
