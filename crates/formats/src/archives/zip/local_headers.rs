//! Local headers: each precedes the data of its member and repeats the fields of its entry. They lead to
//! the members of an archive whose central directory is missing. Layout: APPNOTE.TXT, sections 4.3.7 and
//! 4.3.9.

use memchr::memmem;
use tabia_core::io::{Charset, Cursor};
use tabia_core::plural::counted;
use tabia_core::{Error, Malformed};

use super::STORED;
use super::directory::{Entry, Fields, read_wide, signature};

/// Flag: the checksum and the sizes follow the data.
const HAS_DESCRIPTOR: u16 = 1 << 3;
/// Length of the signature of a descriptor, which some programs leave out.
const WITH_SIGNATURE: usize = 4;
/// Length of a descriptor with sizes of 32 bits, and of 64 bits.
const NARROW: usize = 12;
const WIDE: usize = 20;

/// A local header.
pub(super) struct LocalHeader<'b> {
    pub(super) fields: Fields,
    pub(super) name: &'b [u8],
    extra: &'b [u8],
    /// Offset of the data.
    pub(super) data: usize,
}

impl<'b> LocalHeader<'b> {
    /// The local header at an offset.
    pub(super) fn read(bytes: &'b [u8], at: usize) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        cursor.seek(at, "local header")?;
        signature(&mut cursor, 4, "local header")?;
        cursor.take(2, "version")?;
        let fields = Fields::read(&mut cursor)?;
        let name = cursor.u16_le("name length")?;
        let extra = cursor.u16_le("extra length")?;
        Ok(Self {
            fields,
            name: cursor.take(usize::from(name), "name")?,
            extra: cursor.take(usize::from(extra), "extra field")?,
            data: cursor.offset(),
        })
    }

    /// The entry of its member, and the offset after its data; `None` if that is not known.
    fn entry(&self, bytes: &[u8], at: usize, charset: Charset) -> (Entry, Option<usize>) {
        let mut entry = self.fields.entry(self.name, charset);
        entry.at = at as u64;
        let (mut size, mut packed) = (self.fields.size, self.fields.packed);
        read_wide(self.extra, &mut [&mut size, &mut packed]);
        entry.packed = packed;
        entry.size = Some(size);
        let data_end = |packed: u64| {
            let packed = usize::try_from(packed).ok()?;
            self.data
                .checked_add(packed)
                .filter(|end| *end <= bytes.len())
        };
        if self.fields.flags & HAS_DESCRIPTOR == 0 {
            return (entry, data_end(packed));
        }
        if packed > 0
            && let Some(end) = data_end(packed)
        {
            return (entry, Some(after_descriptor(bytes, end)));
        }
        match find_descriptor(bytes, self.data, entry.method == STORED) {
            Descriptor::Found {
                crc,
                packed,
                size,
                end,
            } => {
                entry.crc = crc;
                entry.packed = packed;
                entry.size = Some(size);
                (entry, Some(end))
            }
            Descriptor::Missing { end } => {
                entry.packed = (end - self.data) as u64;
                entry.size = None;
                (entry, Some(end))
            }
        }
    }
}

/// The next local header, if it is in the data of a packed member that ends at no header: bytes of the data are missing.
fn header_in_data(
    bytes: &[u8],
    header: &LocalHeader<'_>,
    entry: &Entry,
    end: Option<usize>,
) -> Option<usize> {
    let is_end = |end: usize| {
        let rest = bytes.get(end..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(b"PK")
    };
    if entry.method == STORED || end.is_some_and(is_end) {
        return None;
    }
    let data = bytes.get(header.data..end.unwrap_or(bytes.len()))?;
    let mut headers = memmem::find_iter(data, b"PK\x03\x04").map(|at| header.data + at);
    headers.find(|at| LocalHeader::read(bytes, *at).is_ok_and(|header| !header.name.is_empty()))
}

/// The offset after a descriptor, if there is one at `at`.
fn after_descriptor(bytes: &[u8], at: usize) -> usize {
    let lengths = [
        0,
        WITH_SIGNATURE + NARROW,
        WITH_SIGNATURE + WIDE,
        NARROW,
        WIDE,
    ];
    let is_next = |length: &usize| is_header(bytes, at + length);
    at + lengths.into_iter().find(is_next).unwrap_or(0)
}

/// Whether a local header or an entry of the central directory begins at `at`.
fn is_header(bytes: &[u8], at: usize) -> bool {
    let found = bytes.get(at..).unwrap_or_default();
    found.starts_with(b"PK\x03\x04") || found.starts_with(b"PK\x01\x02")
}

/// The checksum and the sizes after the data of a member.
enum Descriptor {
    Found {
        crc: u32,
        packed: u64,
        size: u64,
        /// Offset after the descriptor.
        end: usize,
    },
    /// The data ends at `end`, or with the file.
    Missing { end: usize },
}

/// Searches for the descriptor of data that begins at `start`: it states the length of the data. Data that
/// is stored can contain headers of other archives; in compressed data a header begins the next member.
fn find_descriptor(bytes: &[u8], start: usize, is_stored: bool) -> Descriptor {
    let rest = bytes.get(start..).unwrap_or_default();
    for length in memmem::find_iter(rest, b"PK") {
        let at = start + length;
        if bytes.get(at + 2..at + 4) == Some(&[7, 8]) {
            let narrow = descriptor(bytes, at + WITH_SIGNATURE, NARROW, length);
            let wide = descriptor(bytes, at + WITH_SIGNATURE, WIDE, length);
            // The low half of a 64-bit size looks like a 32-bit size.
            let is_followed = |found: &Descriptor| match found {
                Descriptor::Found { end, .. } => is_header(bytes, *end),
                Descriptor::Missing { .. } => false,
            };
            match (narrow, wide) {
                (_, Some(found)) if is_followed(&found) => return found,
                (Some(found), _) | (None, Some(found)) => return found,
                (None, None) => {}
            }
        } else if is_header(bytes, at) {
            // Without its signature the descriptor is found by the header that follows it.
            let before = |kind: usize| {
                let packed = length.checked_sub(kind)?;
                descriptor(bytes, at - kind, kind, packed)
            };
            if let Some(found) = before(NARROW).or_else(|| before(WIDE)) {
                return found;
            }
            if !is_stored {
                return Descriptor::Missing { end: at };
            }
        }
    }
    Descriptor::Missing { end: bytes.len() }
}

/// The descriptor whose checksum is at `at`, if it states `packed` bytes. Its length without signature is
/// [`NARROW`] or [`WIDE`].
fn descriptor(bytes: &[u8], at: usize, length: usize, packed: usize) -> Option<Descriptor> {
    let mut cursor = Cursor::new(bytes);
    cursor.seek(at, "descriptor").ok()?;
    let crc = cursor.u32_le("crc").ok()?;
    let mut size = || {
        if length == WIDE {
            cursor.u64_le("size").ok()
        } else {
            cursor.u32_le("size").ok().map(u64::from)
        }
    };
    let (stated, size) = (size()?, size()?);
    (stated == packed as u64).then_some(Descriptor::Found {
        crc,
        packed: stated,
        size,
        end: at + length,
    })
}

/// The entries of all members, found by their local headers, and what is between them.
pub(super) fn scan(bytes: &[u8], charset: Charset) -> (Vec<Entry>, Vec<Error>) {
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Ok(header) = LocalHeader::read(bytes, at) {
            let (mut entry, mut end) = header.entry(bytes, at, charset);
            if let Some(next) = header_in_data(bytes, &header, &entry, end) {
                entry.packed = (next - header.data) as u64;
                end = Some(next);
            }
            entries.push(entry);
            match end {
                Some(end) => at = end,
                // The data is cut off: headers in it are those of archives that it contains.
                None => break,
            }
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        if let [b'P', b'K', 1 | 5 | 6, 2 | 5 | 6 | 7 | 8, ..] = rest {
            // The central directory and what follows it.
            break;
        }
        let after = rest.get(1..).unwrap_or_default();
        let next = memmem::find(after, b"PK\x03\x04").map(|length| at + 1 + length);
        let length = next.unwrap_or(bytes.len()) - at;
        let (one, several) = match next {
            Some(_) => (
                "byte between members is not part of any",
                "bytes between members are not part of any",
            ),
            None => (
                "byte at the end is not part of any member",
                "bytes at the end are not part of any member",
            ),
        };
        let text = counted(length as u64, one, several);
        problems.push(Error::invalid(text).at_offset(at as u64));
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    (entries, problems)
}

#[cfg(test)]
mod tests {
    use super::super::DEFLATE;
    use super::*;
    use tabia_core::io::Sink;

    /// A member of the method with an optional descriptor: 16, 24, 12 or 20 bytes.
    fn member(method: u16, name: &str, data: &[u8], descriptor: Option<usize>) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.bytes(b"PK\x03\x04\x14\0");
        sink.u16_le(if descriptor.is_some() {
            HAS_DESCRIPTOR
        } else {
            0
        });
        sink.u16_le(method);
        sink.zeros(4);
        let known = if descriptor.is_some() {
            0
        } else {
            data.len() as u32
        };
        for field in [0x1234, known, known] {
            sink.u32_le(if known == 0 { 0 } else { field });
        }
        sink.u16_le(name.len() as u16);
        sink.u16_le(0);
        sink.bytes(name.as_bytes());
        sink.bytes(data);
        let Some(length) = descriptor else {
            return sink.into_vec();
        };
        if length % 8 == 0 {
            sink.bytes(b"PK\x07\x08");
        }
        sink.u32_le(0x1234);
        for size in [data.len(), 99] {
            if length >= 20 {
                sink.u64_le(size as u64);
            } else {
                sink.u32_le(size as u32);
            }
        }
        sink.into_vec()
    }

    fn found(bytes: &[u8]) -> (Vec<(String, u64, Option<u64>)>, usize) {
        let (entries, problems) = scan(bytes, Charset::Auto);
        let entries = entries.into_iter();
        let entries = entries.map(|entry| (entry.name, entry.packed, entry.size));
        (entries.collect(), problems.len())
    }

    #[test]
    fn members_are_found_by_their_headers() {
        for descriptor in [None, Some(16), Some(24), Some(12), Some(20)] {
            for method in [STORED, DEFLATE] {
                let data = b"abPKcdPK\x07\x08efghijkl";
                let mut bytes = member(method, "a.pgn", data, descriptor);
                bytes.extend(member(method, "b/c.pgn", b"x", descriptor));
                let size = if descriptor.is_some() {
                    99
                } else {
                    data.len() as u64
                };
                let second = if descriptor.is_some() { 99 } else { 1 };
                let expected = vec![
                    ("a.pgn".to_owned(), data.len() as u64, Some(size)),
                    ("b/c.pgn".to_owned(), 1, Some(second)),
                ];
                let mut whole = bytes.clone();
                whole.extend(b"PK\x01\x02 and so on");
                assert_eq!(found(&whole), (expected, 0), "{descriptor:?} {method}");
            }
        }
    }

    #[test]
    fn headers_inside_of_stored_data_are_not_those_of_members() {
        let inner = member(STORED, "inner.pgn", b"inner data", None);
        for descriptor in [None, Some(16), Some(20)] {
            let mut bytes = member(STORED, "inner.zip", &inner, descriptor);
            let names = |bytes: &[u8]| -> Vec<String> {
                found(bytes).0.into_iter().map(|(name, ..)| name).collect()
            };
            // Cut off in the data.
            assert_eq!(names(&bytes[..bytes.len() - 30]), ["inner.zip"]);
            bytes.extend(member(DEFLATE, "last", b"12345", None));
            assert_eq!(names(&bytes), ["inner.zip", "last"], "{descriptor:?}");
        }
    }

    #[test]
    fn members_without_their_descriptor_have_no_size() {
        let mut bytes = member(DEFLATE, "a", b"abcdefgh", Some(16));
        let cut = bytes.len() - 3;
        assert_eq!(found(&bytes[..cut]).0, [("a".to_owned(), 8 + 13, None)]);
        bytes[cut - 5] ^= 1;
        bytes.extend(member(DEFLATE, "b", b"x", None));
        assert_eq!(found(&bytes).0[1], ("b".to_owned(), 1, Some(1)));
        assert_eq!(found(&bytes).0[0].2, None);
    }

    #[test]
    fn bytes_between_members_are_reported() {
        let mut bytes = member(STORED, "a", b"x", None);
        bytes.extend(b"garbage");
        bytes.extend(member(STORED, "b", b"y", None));
        let (entries, problems) = found(&bytes);
        assert_eq!((entries.len(), problems), (2, 1));
        bytes.extend(b"PK\x03\x04\x14");
        let (entries, problems) = found(&bytes);
        assert_eq!((entries.len(), problems), (2, 2));
        assert_eq!(found(b"PK"), (Vec::new(), 1));
    }
}
