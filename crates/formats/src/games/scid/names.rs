//! Reads the name files: players, events, sites and rounds by number.

use std::ops::Range;

use tabia_core::error::{Malformed, Why};
use tabia_core::games::NameKind;
use tabia_core::io::{Blob, Cursor};

use crate::games::common::record_context::has_zero_bytes;

use super::version::Version;

/// The first bytes of `.sn3` and `.sn4`.
pub(crate) const MAGIC: [u8; 8] = *b"Scid.sn\0";

/// Where the numbers of names begin in the header of `.sn3` and `.sn4`, and where it ends.
const COUNTS_AT: usize = 12;
const NAMES_AT: usize = 36;

/// The most bytes of a name file that is read once for each bit of its header.
const MAX_TRIED: usize = 8 << 20;

/// The kinds of names that Scid numbers, in the order of its files.
pub(crate) const KINDS: [NameKind; 4] = [
    NameKind::Player,
    NameKind::Event,
    NameKind::Site,
    NameKind::Round,
];

/// The index of a kind in [`KINDS`]. `None` if Scid does not number names of that kind.
pub(crate) fn kind_index(kind: NameKind) -> Option<usize> {
    KINDS.iter().position(|&numbered| numbered == kind)
}

/// All names of a database. Those that cannot be read are missing.
#[derive(Debug)]
pub(crate) struct Names {
    text: NamesText,
    tables: [Vec<Span>; 4],
    /// Facts of the database in `.sn5`: key and value as stored, in the order of the file.
    pub(crate) facts: Vec<(&'static str, Vec<u8>)>,
    pub(crate) problems: Vec<Malformed>,
    /// Whether the file was read to its end.
    pub(crate) is_complete: bool,
    /// Whether a value is impossible, so that names before it may be wrong, too.
    pub(crate) is_misread: bool,
    /// Whether the names of a front-coded file end where it ends.
    fills_file: bool,
    /// By kind, the numbers of names that are not in the order of a front-coded file, and of those before them.
    out_of_order: [Vec<u32>; 4],
}

/// The bytes of all names.
#[derive(Debug)]
enum NamesText {
    /// They are valid UTF-8, which is then not tested for each name that is read.
    Valid(String),
    Other(Blob),
}

impl NamesText {
    fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Valid(text),
            Err(error) => Self::Other(Blob::from(error.into_bytes())),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Valid(text) => text.as_bytes(),
            Self::Other(bytes) => bytes,
        }
    }
}

/// The location of a name in the text.
#[derive(Debug, Clone, Copy)]
struct Span {
    at: u64,
    length: u32,
    /// How often the index uses the name, as the file states; 0 in `.sn5`, which does not.
    uses: u32,
}

impl Span {
    const MISSING: Span = Span {
        at: u64::MAX,
        length: 0,
        uses: 0,
    };
}

/// Keys of database facts in `.sn5`.
pub(crate) const FACT_KEYS: [&str; 9] = [
    "type",
    "description",
    "autoload",
    "flag1",
    "flag2",
    "flag3",
    "flag4",
    "flag5",
    "flag6",
];

impl Names {
    /// Reads the names of a name file.
    pub(crate) fn read(version: Version, file: &Blob) -> Self {
        let mut names = Self {
            text: NamesText::Valid(String::new()),
            tables: Default::default(),
            facts: Vec::new(),
            problems: Vec::new(),
            is_complete: true,
            is_misread: false,
            fills_file: false,
            out_of_order: Default::default(),
        };
        let read = match version {
            Version::V3 | Version::V4 => names.read_front_coded(version, file),
            Version::V5 => names.read_appended(file),
        };
        if let Err(malformed) = read {
            names.problems.push(malformed);
            names.is_complete = false;
        }
        let is_of_names = |problem: &Malformed| {
            problem.field != "magic" && !matches!(problem.why, Why::Truncated { .. })
        };
        names.is_misread = names.problems.iter().any(is_of_names);
        names
    }

    /// As [`read`](Self::read), with one bit of the header changed if the names can be read without a problem to
    /// the end of the file only so.
    pub(crate) fn salvage(version: Version, file: &Blob) -> Self {
        let mut names = Self::read(version, file);
        // A file that ends too early has its other names, unless bytes were inserted or lost before its end.
        names.is_misread |= !names.problems.is_empty() && names.have_zero_bytes();
        names.report_empty_names();
        if version == Version::V5
            || names
                .problems
                .iter()
                .all(|problem| problem.field == "magic")
            || file.len() > MAX_TRIED
        {
            return names;
        }
        let Some(first) = names.problems.first().copied() else {
            return names;
        };
        let mut bytes = file.to_vec();
        for bit in 8 * COUNTS_AT..8 * NAMES_AT {
            let flip = |bytes: &mut Vec<u8>| {
                if let Some(byte) = bytes.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            };
            flip(&mut bytes);
            let mut tried = Self::read(version, &Blob::from(bytes.clone()));
            flip(&mut bytes);
            let is_intact = tried
                .problems
                .iter()
                .all(|problem| problem.field == "magic");
            if tried.is_complete && is_intact && tried.fills_file {
                tried.problems.push(Malformed {
                    field: "header",
                    at: bit / 8,
                    ..first
                });
                return tried;
            }
        }
        names
    }

    /// Reports names without a character if a kind has several: no name is stored twice, and zeros inserted into the file
    /// look like such names.
    fn report_empty_names(&mut self) {
        let is_empty = |span: &&Span| span.length == 0 && span.at != u64::MAX;
        let counts = self
            .tables
            .iter()
            .map(|table| table.iter().filter(is_empty).count());
        let most = counts.max().unwrap_or_default();
        if most > 1 {
            self.is_misread = true;
            self.problems.push(Malformed {
                field: "empty_names",
                at: 0,
                why: Why::Value(most as u64),
            });
        }
    }

    /// Names that zeros at the end of the file have changed: those with zero bytes, and those without a character after
    /// the first one of a kind. A file that ends in another byte has none.
    pub(crate) fn zeroed(&self, file: &[u8]) -> usize {
        if file.last() != Some(&0) {
            return 0;
        }
        let of_kind = |kind: usize| {
            let names = (0..self.count(kind)).filter_map(|id| self.get(kind, id));
            let (empty, other): (Vec<_>, Vec<_>) = names.partition(|name| name.is_empty());
            let with_zeros = other.into_iter().filter(|name| has_zero_bytes(name));
            with_zeros.count() + empty.len().saturating_sub(1)
        };
        (0..KINDS.len()).map(of_kind).sum()
    }

    fn have_zero_bytes(&self) -> bool {
        (0..KINDS.len()).any(|kind| {
            let names = (0..self.count(kind)).filter_map(|id| self.get(kind, id));
            names.into_iter().any(has_zero_bytes)
        })
    }

    /// A name as stored. `None` if it is missing.
    pub(crate) fn get(&self, kind: usize, id: u32) -> Option<&[u8]> {
        self.text.bytes().get(self.range(kind, id)?)
    }

    /// A name that is valid UTF-8, if that is known without a look at its letters. `None` states nothing.
    pub(crate) fn valid(&self, kind: usize, id: u32) -> Option<&str> {
        match &self.text {
            NamesText::Valid(text) => text.get(self.range(kind, id)?),
            NamesText::Other(_) => None,
        }
    }

    fn range(&self, kind: usize, id: u32) -> Option<Range<usize>> {
        let span = self.tables.get(kind)?.get(id as usize)?;
        let start = usize::try_from(span.at).ok()?;
        Some(start..start.checked_add(span.length as usize)?)
    }

    /// Whether a byte of a name, or of its neighbour in the file, was changed: one of them is not in the order of names.
    pub(crate) fn is_out_of_order(&self, kind: usize, id: u32) -> bool {
        let of_kind = self.out_of_order.get(kind);
        of_kind.is_some_and(|of_kind| of_kind.contains(&id))
    }

    /// How often each name of a kind is used, by number, as `.sn3` and `.sn4` state.
    pub(crate) fn stated_uses(&self, kind: usize) -> impl Iterator<Item = u32> {
        let spans = self.tables.get(kind).into_iter().flatten();
        spans.map(|span| span.uses)
    }

    /// One more than the greatest number of a kind.
    pub(crate) fn count(&self, kind: usize) -> u32 {
        self.tables.get(kind).map_or(0, |table| table.len() as u32)
    }

    /// Reads `.sn3` and `.sn4`, where a name shares its beginning with the one before.
    fn read_front_coded(&mut self, version: Version, file: &[u8]) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(file);
        if cursor.array("magic")? != MAGIC {
            // The names may be intact.
            self.problems.push(Malformed {
                field: "magic",
                at: 0,
                why: Why::Value(0),
            });
        }
        cursor.u32_be("time_stamp")?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = cursor.u24_be("name_count")?;
        }
        let mut frequencies = [0; 4];
        for frequency in &mut frequencies {
            *frequency = cursor.u24_be("max_frequency")?;
        }
        let mut text = Vec::new();
        let mut read = Ok(());
        let tables = self.tables.iter_mut().zip(&mut self.out_of_order);
        for (((table, out_of_order), &count), (&frequency, limit)) in tables
            .zip(&counts)
            .zip(frequencies.iter().zip(version.max_names()))
        {
            // Index entries cannot refer to numbers from `limit` on.
            table.resize(count.min(limit.saturating_add(1)) as usize, Span::MISSING);
            let mut table = Table {
                spans: table,
                count,
                frequency,
                problems: &mut self.problems,
                out_of_order,
            };
            read = table.read(&mut cursor, &mut text);
            if read.is_err() {
                break;
            }
        }
        self.text = NamesText::of(text);
        self.fills_file = cursor.is_empty();
        if read.is_ok() && !self.fills_file {
            let left = cursor.rest().len() as u64;
            self.problems
                .push(cursor.malformed("bytes_after_names", Why::Value(left)));
        }
        read
    }

    /// Reads `.sn5`: records of kind and length, then bytes.
    fn read_appended(&mut self, file: &Blob) -> Result<(), Malformed> {
        self.text = NamesText::Other(file.clone());
        let mut cursor = Cursor::new(file);
        while !cursor.is_empty() {
            let head = varint(&mut cursor, "name_head")?;
            let length = usize::try_from(head >> 3)
                .map_err(|_| cursor.malformed("name_head", Why::Value(head)))?;
            let at = cursor.offset() as u64;
            let kind = (head & 7) as usize;
            if kind > 4 {
                return Err(cursor.malformed("name_kind", Why::Value(head & 7)));
            }
            let bytes = cursor.take(length, "name")?;
            if let Some(table) = self.tables.get_mut(kind) {
                table.push(Span {
                    at,
                    length: u32::try_from(length)
                        .map_err(|_| cursor.malformed("name_head", Why::Value(head)))?,
                    uses: 0,
                });
            } else if let Some(key) = FACT_KEYS
                .into_iter()
                .find(|key| bytes.starts_with(key.as_bytes()))
            {
                let value = bytes.get(key.len()..).unwrap_or_default().to_vec();
                self.facts.retain(|(stored, _)| *stored != key);
                self.facts.push((key, value));
            }
        }
        Ok(())
    }
}

/// The names of one kind in a front-coded file.
struct Table<'n> {
    spans: &'n mut [Span],
    count: u32,
    frequency: u32,
    problems: &'n mut Vec<Malformed>,
    /// Numbers of names that are not in order, and of those before them.
    out_of_order: &'n mut Vec<u32>,
}

/// At most that many problems of single names are reported.
const MAX_PROBLEMS: usize = 16;

/// More names of a kind that are not in order are those of a program that does not sort them.
const MAX_OUT_OF_ORDER: usize = 16;

/// Whether a name follows the one before it, whose first `prefix` bytes it has. Scid stores the longest prefix and
/// compares the first bytes as unsigned, the others as signed numbers; where `char` is unsigned, those as well.
fn is_in_order(before: &[u8], name: &[u8], prefix: usize) -> bool {
    match (before.get(prefix), name.get(prefix)) {
        (Some(one), Some(other)) if prefix == 0 || one.is_ascii() == other.is_ascii() => {
            one < other
        }
        (None | Some(_), Some(_)) => true,
        (_, None) => false,
    }
}

impl Table<'_> {
    fn read(&mut self, cursor: &mut Cursor<'_>, text: &mut Vec<u8>) -> Result<(), Malformed> {
        let mut previous = 0..0;
        let mut previous_id = 0;
        let mut is_sorted = true;
        for number in 0..self.count {
            let record = cursor.offset();
            let id = if self.count < 1 << 16 {
                u32::from(cursor.u16_be("name_id")?)
            } else {
                cursor.u24_be("name_id")?
            };
            let uses = match self.frequency {
                0..=0xff => u32::from(cursor.u8("name_frequency")?),
                0x100..=0xffff => u32::from(cursor.u16_be("name_frequency")?),
                _ => cursor.u24_be("name_frequency")?,
            };
            let length = usize::from(cursor.u8("name_length")?);
            let prefix = match number {
                0 => 0,
                _ => usize::from(cursor.u8("name_prefix")?),
            };
            if prefix > length || prefix > previous.len() {
                return Err(cursor.malformed("name_prefix", Why::Value(prefix as u64)));
            }
            let start = text.len();
            text.extend_from_within(previous.start..previous.start + prefix);
            text.extend_from_slice(cursor.take(length - prefix, "name")?);
            let (before, name) = text.split_at(start);
            let before = before.get(previous).unwrap_or_default();
            if number > 0 && is_sorted && !is_in_order(before, name, prefix) {
                is_sorted = self.out_of_order.len() < 2 * MAX_OUT_OF_ORDER;
                self.out_of_order.extend([previous_id, id]);
            }
            previous = start..text.len();
            previous_id = id;
            match self.spans.get_mut(id as usize) {
                Some(span) if span.at == u64::MAX => {
                    *span = Span {
                        at: start as u64,
                        length: length as u32,
                        uses,
                    };
                }
                // A repeated number, or one from the count on: the first name of a number is kept.
                _ if self.problems.len() < MAX_PROBLEMS => self.problems.push(Malformed {
                    field: "name_id",
                    at: record,
                    why: Why::Value(u64::from(id)),
                }),
                _ => {}
            }
        }
        if !is_sorted {
            self.out_of_order.clear();
        }
        Ok(())
    }
}

/// The kind and the bytes of an appended name.
pub(crate) fn take_name<'a>(cursor: &mut Cursor<'a>) -> Result<(usize, &'a [u8]), Malformed> {
    let head = varint(cursor, "name_head")?;
    let length =
        usize::try_from(head >> 3).map_err(|_| cursor.malformed("name_head", Why::Value(head)))?;
    Ok(((head & 7) as usize, cursor.take(length, "name")?))
}

/// A number in groups of seven bits, lowest first.
fn varint(cursor: &mut Cursor<'_>, field: &'static str) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = cursor.u8(field)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(cursor.malformed(field, Why::Value(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two players and a site, as Scid writes them.
    const SN4: &[u8] = &[
        b'S', b'c', b'i', b'd', b'.', b's', b'n', 0, 0, 0, 0, 0, // magic, time stamp
        0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, // counts
        0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, // greatest frequencies: 256 players
        0, 1, 1, 0, 4, b'A', b'b', b'e', b'l', // id 1, frequency 256
        0, 0, 0, 1, 3, 2, b'c', // id 0: two characters of the name before
        0, 0, 1, 1, b'X', // the first of its kind has no prefix
    ];

    #[test]
    fn front_coded_names_are_decoded() {
        let names = Names::read(Version::V4, &Blob::from(SN4.to_vec()));
        assert_eq!(names.problems, []);
        assert!(names.is_complete);
        assert_eq!(names.get(0, 1), Some(b"Abel".as_slice()));
        assert_eq!(names.get(0, 0), Some(b"Abc".as_slice()));
        assert_eq!(names.get(2, 0), Some(b"X".as_slice()));
        assert_eq!(names.get(0, 2), None);
        assert_eq!([0, 1, 2, 3].map(|kind| names.count(kind)), [2, 0, 1, 0]);
    }

    #[test]
    fn cut_files_lose_only_the_last_names() {
        for length in 0..SN4.len() {
            let names = Names::read(Version::V4, &Blob::from(SN4[..length].to_vec()));
            assert!(!names.is_complete, "{length}");
            assert_eq!(names.get(0, 1).is_some(), length >= 45, "{length}");
            assert_eq!(names.get(0, 0).is_some(), length >= 52, "{length}");
        }
    }

    #[test]
    fn repeated_number_is_a_problem() {
        let mut bytes = SN4.to_vec();
        bytes[46] = 1;
        let names = Names::read(Version::V4, &Blob::from(bytes));
        assert_eq!(names.problems.len(), 1);
        assert_eq!(names.get(0, 1), Some(b"Abel".as_slice()));
        assert_eq!(names.get(0, 0), None);
    }

    #[test]
    fn appended_names_and_facts_are_read() {
        let mut bytes = vec![8 << 1, b'P', b'Q', 3 << 3 | 1, b'E', b'v', b't'];
        bytes.extend([7 << 3 | 4]);
        bytes.extend(b"flag1Xy");
        bytes.extend([0x80 | 0x02, 0x10]);
        bytes.extend([b's'; 256]);
        let names = Names::read(Version::V5, &Blob::from(bytes.clone()));
        assert_eq!(names.problems, []);
        assert_eq!(names.get(0, 0), Some(b"PQ".as_slice()));
        assert_eq!(names.get(1, 0), Some(b"Evt".as_slice()));
        assert_eq!(names.get(2, 0).map(<[u8]>::len), Some(256));
        assert_eq!(names.facts, [("flag1", b"Xy".to_vec())]);

        bytes.pop();
        let names = Names::read(Version::V5, &Blob::from(bytes));
        assert!(!names.is_complete);
        assert_eq!((names.get(1, 0).is_some(), names.count(2)), (true, 0));
    }

    #[test]
    fn names_are_valid_if_all_are() {
        let names = Names::read(Version::V4, &Blob::from(SN4.to_vec()));
        assert_eq!(names.valid(0, 1), Some("Abel"));
        assert_eq!(names.valid(0, 0), Some("Abc"));
        assert_eq!(names.valid(0, 2), None);
        // The last letter of `Abel`: another byte makes nothing but a test of each name certain.
        let mut bytes = SN4.to_vec();
        bytes[44] = 0xe4;
        let names = Names::read(Version::V4, &Blob::from(bytes));
        assert_eq!(names.get(0, 1), Some(b"Abe\xe4".as_slice()));
        assert_eq!((names.valid(0, 1), names.valid(0, 0)), (None, None));
        assert_eq!(names.get(0, 0), Some(b"Abc".as_slice()));
    }
}
