//! Decodes bzip2 streams block by block. The bytes of a block are delivered only if its checksum is right, and the
//! blocks after a damaged one are found by the 48 bits that each begins with, at any bit of a byte.

use std::io;

use tabia_core::Error;
use tabia_core::plural::counted;

use super::input_buffer::InputBuffer;
use super::stream_decoder::{DecodeStatus, StreamDecoder};

/// The bits that a block begins with.
const BLOCK: u64 = 0x3141_5926_5359;
/// The bits before the checksum at the end of a stream.
const END: u64 = 0x1772_4538_5090;
/// The number of bits of both.
const MARKER_BITS: u64 = 48;
const MARKER_MASK: u64 = (1 << MARKER_BITS) - 1;
/// Bytes of the header of a stream: `BZh9`.
const HEADER: u64 = 4;
/// The most bytes of a packed block: 900,000 bytes with codes of at most 20 bits, and the tables of the codes.
const MAX_PACKED: usize = 3 << 20;
/// The most bytes of a block: 900,000, of which each five can be 259.
const MAX_UNPACKED: usize = 48 << 20;
/// Bytes that are unpacked at once.
const CHUNK: usize = 1 << 16;

/// For each value of a byte the shifts, as bits, at which it can be the second byte from the end of a marker.
const SHIFTS: [u8; 256] = shifts();

const fn shifts() -> [u8; 256] {
    let mut shifts = [0; 256];
    let mut shift = 0;
    while shift < 8 {
        shifts[(BLOCK << shift >> 8 & 0xff) as usize] |= 1 << shift;
        shifts[(END << shift >> 8 & 0xff) as usize] |= 1 << shift;
        shift += 1;
    }
    shifts
}

/// The table of the checksum of blocks: CRC-32 from the highest bit on.
const CRC: [u32; 256] = crc_table();

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            let has_high_bit = value >> 31 == 1;
            value <<= 1;
            if has_high_bit {
                value ^= 0x04c1_1db7;
            }
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let index = (crc >> 24) as u8 ^ byte;
        crc << 8 ^ CRC.get(usize::from(index)).copied().unwrap_or_default()
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// What the bits since the last marker are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Those of no block.
    Unknown,
    Block,
    /// The checksum at the end of the stream.
    Trailer,
}

/// Blocks that follow each other and cannot be unpacked.
struct Gap {
    /// Offset of the byte in which it begins.
    start: u64,
    blocks: usize,
}

/// Decodes one stream.
pub(super) struct Bzip2Blocks {
    is_started: bool,
    part: Part,
    /// The bytes since the last marker, the marker included, from the byte on in which it begins.
    packed: Vec<u8>,
    /// The bit of the first of these bytes at which it begins, counted from the highest.
    first_bit: u64,
    /// Offset of the first of these bytes in the input.
    start: u64,
    /// Offset of the byte in which the last marker begins.
    part_start: u64,
    /// Whether they were too many to be kept.
    is_too_long: bool,
    /// The last bits read, and how many of them can belong to a marker.
    window: u64,
    fresh_bits: u64,
    /// The bytes of a block, and how many of them were delivered.
    unpacked: Vec<u8>,
    delivered: usize,
    /// The number of unpacked bytes that were not delivered.
    discarded: u64,
    /// The checksum of the checksums of all blocks.
    combined: u32,
    has_gap: bool,
    gap: Option<Gap>,
    /// An error that is returned before the bytes of the block, after which there are more.
    skipped: Option<Error>,
    /// What the stream ends with after the bytes of the block.
    end: Option<io::Result<DecodeStatus>>,
    goes_on: bool,
}

impl Bzip2Blocks {
    pub(super) fn new() -> Self {
        Self {
            is_started: false,
            part: Part::Unknown,
            packed: Vec::new(),
            first_bit: 0,
            start: 0,
            part_start: 0,
            is_too_long: false,
            window: 0,
            fresh_bits: 0,
            unpacked: Vec::new(),
            delivered: 0,
            discarded: 0,
            combined: 0,
            has_gap: false,
            gap: None,
            skipped: None,
            end: None,
            goes_on: false,
        }
    }

    /// Reads up to the next marker, or as much as there is at once.
    fn advance(&mut self, input: &mut InputBuffer) -> io::Result<()> {
        if !self.is_started {
            input.skip(HEADER)?;
            self.is_started = true;
            self.start = input.consumed();
            self.part_start = self.start;
        }
        let bytes = input.fill(1)?;
        if bytes.is_empty() {
            self.end_early();
            return Ok(());
        }
        let mut count = 0;
        for byte in bytes {
            count += 1;
            if self.push(*byte) {
                break;
            }
        }
        input.consume(count);
        Ok(())
    }

    /// Adds a byte; `true` if something is complete with it.
    fn push(&mut self, byte: u8) -> bool {
        if self.packed.len() >= MAX_PACKED {
            self.is_too_long = true;
            // The bytes in which the next marker can begin are kept.
            let dropped = self.packed.len() - MARKER_BITS as usize;
            self.packed.drain(..dropped);
            self.start += dropped as u64;
        }
        self.packed.push(byte);
        self.window = self.window << 8 | u64::from(byte);
        self.fresh_bits += 8;
        if self.part == Part::Trailer {
            return self.end_with_checksum();
        }
        let mut shifts = SHIFTS
            .get((self.window >> 8 & 0xff) as usize)
            .copied()
            .unwrap_or_default();
        while shifts != 0 {
            // The marker that begins first.
            let shift = 7 - u64::from(shifts.leading_zeros());
            shifts &= !(1 << shift);
            let found = self.window >> shift & MARKER_MASK;
            if (found == BLOCK || found == END) && self.fresh_bits >= MARKER_BITS + shift {
                self.end_part(shift);
                self.part = if found == BLOCK {
                    Part::Block
                } else {
                    Part::Trailer
                };
                return true;
            }
        }
        false
    }

    /// Ends the bits before a marker after which there are `shift` bits in the last byte.
    fn end_part(&mut self, shift: u64) {
        let end = self.packed.len() as u64 * 8 - shift - MARKER_BITS;
        let length = end.saturating_sub(self.first_bit);
        if length > 0 || self.is_too_long {
            self.take_part(length);
        }
        let dropped = (end / 8) as usize;
        self.packed.drain(..dropped);
        self.start += dropped as u64;
        self.part_start = self.start;
        self.first_bit = end % 8;
        self.is_too_long = false;
        self.fresh_bits = shift;
    }

    /// Unpacks a block of `length` bits, or notes that it cannot be unpacked.
    fn take_part(&mut self, length: u64) {
        self.unpacked.clear();
        self.delivered = 0;
        let start = self.part_start;
        if self.part == Part::Block && !self.is_too_long {
            let packed = one_block_stream(&self.packed, self.first_bit, length);
            let is_complete = unpack(&packed, &mut self.unpacked);
            if let Some(stored) = stored_checksum(&packed)
                // The end of a complete stream has the checksum, too.
                && (is_complete || stored == checksum(&self.unpacked))
                && !self.unpacked.is_empty()
            {
                self.combined = self.combined.rotate_left(1) ^ stored;
                self.skipped = self.gap_error(start);
                // Bits may follow that are no block.
                self.gap = (!is_complete).then_some(Gap { start, blocks: 0 });
                return;
            }
        }
        self.discarded += self.unpacked.len() as u64;
        self.unpacked.clear();
        let gap = self.gap.get_or_insert(Gap { start, blocks: 0 });
        gap.blocks += usize::from(self.part == Part::Block);
    }

    /// The error for the blocks left out before `end`.
    fn gap_error(&mut self, end: u64) -> Option<Error> {
        let gap = self.gap.take()?;
        self.has_gap = true;
        let text = match gap.blocks {
            0 => format!("bytes of the bzip2 stream up to offset {end} are no block"),
            1 => format!(
                "a block of the bzip2 stream is damaged; what was in it, up to offset {end}, is left out"
            ),
            count => format!(
                "{} of the bzip2 stream are damaged; what was in them, up to offset {end}, is left out",
                counted(count, "block", "blocks")
            ),
        };
        Some(Error::invalid(text).at_offset(gap.start))
    }

    /// Ends the stream once the checksum at its end has been read; `true` if it has.
    fn end_with_checksum(&mut self) -> bool {
        let start = self.first_bit + MARKER_BITS;
        let Some(stored) = bits_at(&self.packed, start) else {
            return false;
        };
        let end = self.start + self.packed.len() as u64;
        self.end = Some(Ok(DecodeStatus::End));
        self.unpacked.clear();
        self.delivered = 0;
        self.skipped = self.gap_error(self.part_start);
        if self.skipped.is_none() && !self.has_gap && stored != self.combined {
            let text =
                "the checksum at the end of the bzip2 stream does not match: a block is missing";
            self.skipped = Some(Error::invalid(text).at_offset(end));
        }
        true
    }

    /// Ends the stream at the end of the input: the last block can be complete.
    fn end_early(&mut self) {
        let start = self.part_start;
        if self.part == Part::Block {
            let length = (self.packed.len() as u64 * 8).saturating_sub(self.first_bit);
            self.take_part(length);
            // What follows a complete block, or a block that is not, is what the end of the input cuts off.
            match &mut self.gap {
                Some(gap) if gap.start < start => gap.blocks -= 1,
                _ => self.gap = None,
            }
        }
        if self.skipped.is_none() {
            self.skipped = self.gap_error(start);
        }
        self.end = Some(Err(io::ErrorKind::UnexpectedEof.into()));
    }
}

impl StreamDecoder for Bzip2Blocks {
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>) {
        self.goes_on = false;
        if let Some(error) = self.skipped.take() {
            self.goes_on = true;
            return (0, Err(error.into()));
        }
        let left = self.unpacked.get(self.delivered..).unwrap_or_default();
        if !left.is_empty() {
            let length = left.len().min(out.len());
            if let (Some(from), Some(to)) = (left.get(..length), out.get_mut(..length)) {
                to.copy_from_slice(from);
            }
            self.delivered += length;
            return (length, Ok(DecodeStatus::More));
        }
        if let Some(end) = self.end.take() {
            return (0, end);
        }
        (0, self.advance(input).map(|()| DecodeStatus::More))
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }

    fn take_discarded(&mut self) -> u64 {
        std::mem::take(&mut self.discarded)
    }
}

/// 32 bits from a bit on.
fn bits_at(bytes: &[u8], first_bit: u64) -> Option<u32> {
    let first = (first_bit / 8) as usize;
    let shift = first_bit % 8;
    let mut value = 0_u64;
    for index in 0..5 {
        let byte = bytes.get(first + index).copied();
        // The last one is needed for its highest bits only.
        let byte = match (byte, index, shift) {
            (None, 4, 0) => Some(0),
            _ => byte,
        };
        value = value << 8 | u64::from(byte?);
    }
    Some((value << shift >> 8) as u32)
}

/// A stream of one block: the bits, and the end with the checksum of the block.
fn one_block_stream(bytes: &[u8], first_bit: u64, length: u64) -> Vec<u8> {
    let mut stream = Vec::with_capacity(bytes.len() + 16);
    stream.extend_from_slice(b"BZh9");
    let mut bits = BitWriter {
        stream,
        value: 0,
        count: 0,
    };
    let at = |index: u64| {
        let first = (index / 8) as usize;
        let [high, low] =
            [first, first + 1].map(|i| u16::from(bytes.get(i).copied().unwrap_or_default()));
        ((high << 8 | low) << (index % 8) >> 8) as u8
    };
    for index in 0..length / 8 {
        bits.stream.push(at(first_bit + index * 8));
    }
    let rest = length % 8;
    bits.push(u64::from(at(first_bit + length - rest)) >> (8 - rest), rest);
    let stored = stored_checksum(&bits.stream).unwrap_or_default();
    bits.push(END, MARKER_BITS);
    bits.push(u64::from(stored), 32);
    bits.push(0, 7);
    bits.stream
}

/// The checksum that the block of a stream of one block states.
fn stored_checksum(stream: &[u8]) -> Option<u32> {
    bits_at(stream, 8 * HEADER + MARKER_BITS)
}

/// Appends bits to bytes.
struct BitWriter {
    stream: Vec<u8>,
    value: u64,
    count: u64,
}

impl BitWriter {
    /// Appends the lowest `count` bits, at most 48.
    fn push(&mut self, bits: u64, count: u64) {
        self.value = self.value << count | bits & ((1 << count) - 1);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.stream.push((self.value >> self.count) as u8);
        }
    }
}

/// Unpacks a stream; `true` if it was read to its end.
fn unpack(stream: &[u8], unpacked: &mut Vec<u8>) -> bool {
    let mut decoder = bzip2::Decompress::new(false);
    let mut chunk = vec![0; CHUNK];
    loop {
        let before = (decoder.total_in(), decoder.total_out());
        let rest = stream.get(before.0 as usize..).unwrap_or_default();
        let result = decoder.decompress(rest, &mut chunk);
        let produced = (decoder.total_out() - before.1) as usize;
        unpacked.extend_from_slice(chunk.get(..produced).unwrap_or_default());
        match result {
            Ok(bzip2::Status::StreamEnd) => return true,
            Ok(bzip2::Status::MemNeeded) | Err(_) => return false,
            Ok(_) if unpacked.len() > MAX_UNPACKED => return false,
            Ok(_) if produced == 0 && decoder.total_in() == before.0 => return false,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use tabia_core::formats::Limits;

    use super::super::{GAP, decompress_rest};
    use crate::archives::OnError;

    /// Bytes of which no two in a row are equal, which fill several blocks of a stream of level 1.
    fn text(length: usize) -> Vec<u8> {
        let mut random = tabia_testkit::Random::new(7);
        let mut letter = |at: usize| {
            let first = [b'a', b'n'][at % 2];
            first + (random.next_u64() % 13) as u8
        };
        (0..length).map(&mut letter).collect()
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let level = bzip2::Compression::fast();
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), level);
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// What is unpacked, the number of gaps, and whether the stream ended well.
    fn unpacked(packed: &[u8]) -> (Vec<u8>, usize, bool) {
        let gaps = OnError::collect();
        let reader = Box::new(std::io::Cursor::new(packed.to_vec()));
        let (mut stream, _) = decompress_rest(reader, &Limits::default(), &gaps).unwrap();
        let mut out = Vec::new();
        let is_complete = stream.read_to_end(&mut out).is_ok();
        (out, gaps.take().len(), is_complete)
    }

    /// The lengths of the blocks of a stream of level 1.
    const BLOCK: usize = 99_981;

    /// The blocks of the text of which `out` consists; fails if there are other bytes.
    fn blocks_in(text: &[u8], out: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut rest = out;
        while !rest.is_empty() {
            rest = rest.strip_prefix(GAP).unwrap_or(rest);
            let block = text.chunks(BLOCK).position(|block| rest.starts_with(block));
            let Some(block) = block else {
                assert!(rest.is_empty(), "{} bytes of no block", rest.len());
                break;
            };
            found.push(block);
            rest = &rest[text.chunks(BLOCK).nth(block).unwrap().len()..];
        }
        found
    }

    #[test]
    fn whole_streams_are_unpacked() {
        for length in [0, 1, 5000, 250_000] {
            let text = text(length);
            let stream = packed(&text);
            assert_eq!(unpacked(&stream), (text.clone(), 0, true), "{length}");
            // Several streams, and zeros after them.
            let two = [&stream[..], &stream, &[0; 100]].concat();
            assert_eq!(unpacked(&two), ([&text[..], &text].concat(), 0, true));
        }
        let zeros = vec![b' '; 3_000_000];
        assert_eq!(unpacked(&packed(&zeros)), (zeros, 0, true));
    }

    #[test]
    fn of_a_damaged_block_nothing_is_delivered() {
        let text = text(350_000);
        let stream = packed(&text);
        for at in (10..stream.len()).step_by(9973) {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x10;
            let (out, gaps, is_complete) = unpacked(&damaged);
            let blocks = blocks_in(&text, &out);
            assert!(is_complete && gaps == 1, "{at}: {gaps}");
            assert_eq!(blocks.len(), 3, "{at}");
        }
        // Bytes that are missing tear one block or two.
        let mut damaged = stream.clone();
        damaged.drain(stream.len() / 2..stream.len() / 2 + 500);
        let (out, gaps, is_complete) = unpacked(&damaged);
        assert_eq!(
            (blocks_in(&text, &out).len(), gaps, is_complete),
            (3, 1, true)
        );
    }

    #[test]
    fn damage_between_blocks_is_reported() {
        let text = text(350_000);
        let stream = packed(&text);
        let two = [&stream[..], &stream].concat();
        // The end of the first stream, which the header of the second one follows.
        let mut damaged = two.clone();
        damaged[stream.len() - 9] ^= 0xff;
        let (out, gaps, is_complete) = unpacked(&damaged);
        assert_eq!(
            (blocks_in(&text, &out).len(), gaps, is_complete),
            (8, 1, true)
        );
        let mut damaged = stream.clone();
        let last = damaged.len() - 2;
        damaged[last] ^= 0xff;
        let (out, gaps, is_complete) = unpacked(&damaged);
        assert_eq!(
            (blocks_in(&text, &out).len(), gaps, is_complete),
            (4, 1, true)
        );
    }

    #[test]
    fn of_a_cut_stream_the_whole_blocks_are_left() {
        let text = text(350_000);
        let stream = packed(&text);
        for length in (20..stream.len()).step_by(20_011) {
            let (out, gaps, is_complete) = unpacked(&stream[..length]);
            let blocks = blocks_in(&text, &out);
            assert!(!is_complete && gaps == 0, "{length}");
            assert_eq!(blocks, (0..blocks.len()).collect::<Vec<_>>());
            assert!(blocks.len() * 4 <= length * 16 / stream.len() + 4);
        }
        // A block is complete without the end of the stream.
        let (out, gaps, is_complete) = unpacked(&stream[..stream.len() - 7]);
        assert_eq!(
            (blocks_in(&text, &out).len(), gaps, is_complete),
            (4, 0, false)
        );
    }

    #[test]
    fn without_a_collector_the_first_error_ends_the_stream() {
        let text = text(350_000);
        let mut stream = packed(&text);
        let middle = stream.len() / 2;
        stream[middle] ^= 0x10;
        let reader = Box::new(std::io::Cursor::new(stream));
        let (mut stream, _) = super::super::decompress(reader).unwrap();
        let mut out = Vec::new();
        let error = stream.read_to_end(&mut out).unwrap_err();
        assert!(error.to_string().contains("is damaged"), "{error}");
        assert_eq!(out.len() % BLOCK, 0);
    }
}
