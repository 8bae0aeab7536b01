//! The compact protocol of Thrift, as far as the headers of Parquet need it: looked through without a
//! value being built, so that hostile ones cost nothing.

/// How deep values in values may be.
const DEPTH: u32 = 32;

/// Reads values of a header; `None` where it is cut off or wrong.
pub(crate) struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The type of a field or element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    True,
    False,
    Byte,
    Int,
    Double,
    Binary,
    List,
    Map,
    Struct,
    Uuid,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::True,
            2 => Self::False,
            3 => Self::Byte,
            4..=6 => Self::Int,
            7 => Self::Double,
            8 => Self::Binary,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            13 => Self::Uuid,
            _ => return None,
        })
    }
}

impl<'a> Compact<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) const fn position(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip_bytes(&mut self, count: usize) -> Option<()> {
        let end = self.at.checked_add(count)?;
        self.bytes.get(self.at..end)?;
        self.at = end;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number.
    pub(crate) fn int(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The next field of a struct, after the field with number `last`; `Some(None)` at its end.
    #[expect(
        clippy::option_option,
        reason = "the end of a struct is not the end of the bytes"
    )]
    pub(crate) fn field(&mut self, last: i64) -> Option<Option<(i64, Kind)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let kind = Kind::of(head & 15)?;
        let number = match head >> 4 {
            0 => self.int()?,
            step => last + i64::from(step),
        };
        Some(Some((number, kind)))
    }

    /// The number and type of the elements of a list.
    pub(crate) fn list(&mut self) -> Option<(u64, Kind)> {
        let head = self.byte()?;
        let kind = Kind::of(head & 15)?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        Some((count, kind))
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self, kind: Kind) -> Option<()> {
        self.skip_inside(kind, DEPTH)
    }

    fn skip_inside(&mut self, kind: Kind, depth: u32) -> Option<()> {
        let inside = depth.checked_sub(1)?;
        match kind {
            Kind::True | Kind::False => Some(()),
            Kind::Byte => self.skip_bytes(1),
            Kind::Int => self.varint().map(drop),
            Kind::Double => self.skip_bytes(8),
            Kind::Uuid => self.skip_bytes(16),
            Kind::Binary => {
                let length = self.varint()?;
                self.skip_bytes(usize::try_from(length).ok()?)
            }
            Kind::List => {
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    self.skip_element(kind, inside)?;
                }
                Some(())
            }
            Kind::Map => {
                let count = self.varint()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 15)?);
                for _ in 0..count {
                    self.skip_element(key, inside)?;
                    self.skip_element(value, inside)?;
                }
                Some(())
            }
            Kind::Struct => {
                let mut last = 0;
                while let Some((number, kind)) = self.field(last)? {
                    last = number;
                    self.skip_inside(kind, inside)?;
                }
                Some(())
            }
        }
    }

    /// Elements that are true or false have a byte each, unlike fields.
    fn skip_element(&mut self, kind: Kind, depth: u32) -> Option<()> {
        match kind {
            Kind::True | Kind::False => self.skip_bytes(1),
            kind => self.skip_inside(kind, depth),
        }
    }
}
