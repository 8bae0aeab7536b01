//! Packing blocks with LZ and Huffman codes, and the choice between them.

use zerocopy::byteorder::big_endian::U32;
use zerocopy::byteorder::little_endian::U64;

use super::lz_decoder::{MAX_DISTANCE, MIN_DISTANCE};

/// The longest copy, in bytes.
const MAX_COPY: usize = 255 + 16;
/// The longest run of one byte, in bytes.
const MAX_RUN: usize = 0xfff + 19;
/// The most earlier positions that are compared to find a copy.
const MAX_CANDIDATES: usize = 24;
/// Bytes of a run or copy from which on no longer one is searched.
const LONG: usize = 64;

/// The smallest payload for `data`, with the mode byte; with `stored`, the payload in mode 0.
pub(super) fn pack(data: &[u8], stored: bool) -> Vec<u8> {
    let mut best = Vec::with_capacity(data.len() + 1);
    best.push(0);
    best.extend_from_slice(data);
    if stored {
        return best;
    }
    let lz = compress(data);
    let packed = [
        (2, huffman(data, best.len().saturating_sub(1))),
        (
            3,
            huffman(&lz, best.len().min(lz.len() + 1).saturating_sub(1)),
        ),
        (1, Some(lz)),
    ];
    for (mode, bytes) in packed {
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() + 1 < best.len()) {
            best.clear();
            best.push(mode);
            best.extend_from_slice(&bytes);
        }
    }
    best
}

/// Encodes one block with LZ. Copies stay inside the block and never overlap themselves: those in all
/// known archives do, and not every reader supports others.
///
/// At each position the longest run or copy that is found is written, or a literal if the one at the
/// next position is longer.
pub(super) fn compress(data: &[u8]) -> Vec<u8> {
    let mut tokens = TokenWriter::new(data.len());
    let Some(mut finder) = MatchFinder::new(data) else {
        for byte in data {
            tokens.push(Token::Literal, *byte);
        }
        return tokens.out;
    };
    let mut at = 0;
    let mut token = finder.longest(0, Token::Literal);
    while at < data.len() {
        let byte = finder.window.byte(at);
        let length = token.length();
        let entered = if (2..LONG).contains(&length) {
            let later = finder.longest(at + 1, token);
            if later.length() > length {
                tokens.push(Token::Literal, byte);
                at += 1;
                token = later;
                continue;
            }
            at + 2
        } else {
            at + 1
        };
        tokens.push(token, byte);
        at += length;
        finder.enter_all(entered, at);
        token = finder.longest(at, Token::Literal);
    }
    tokens.out
}

#[derive(Debug, Clone, Copy)]
enum Token {
    Literal,
    Run(u16),
    Copy { distance: u16, length: u16 },
}

impl Token {
    /// The number of bytes that it encodes.
    #[inline(always)]
    fn length(self) -> usize {
        match self {
            Self::Literal => 1,
            Self::Run(length) | Self::Copy { length, .. } => usize::from(length),
        }
    }
}

/// Finds runs and copies in a block.
struct MatchFinder {
    window: Window,
    /// Bytes of the block.
    length: usize,
    /// The last position with each hash of three bytes. Arrays of a fixed length on the heap: no index
    /// into them is checked.
    newest: Box<[u16; HASHES]>,
    /// For each position the one before it with the same hash.
    older: Box<[u16; 1 << 16]>,
}

/// The number of hashes of three bytes.
const HASHES: usize = 1 << 14;

/// No position in a block.
const NO_POSITION: u16 = u16::MAX;

impl MatchFinder {
    /// `None` if the block is longer than positions of 16 bits reach.
    fn new(data: &[u8]) -> Option<Self> {
        let newest = vec![NO_POSITION; HASHES].into_boxed_slice();
        let older = vec![NO_POSITION; 1 << 16].into_boxed_slice();
        Some(Self {
            window: Window::of(data)?,
            length: data.len(),
            newest: newest.try_into().ok()?,
            older: older.try_into().ok()?,
        })
    }

    /// Enters a position; returns the one before it with the same hash.
    #[inline(always)]
    fn enter(&mut self, at: usize) -> u16 {
        let three = u32::from(self.window.pair(at)) << 8 | u32::from(self.window.byte(at + 2));
        let hash = three.wrapping_mul(0x9e37_79b1) >> 18;
        let slot = &mut self.newest[hash as usize & (HASHES - 1)];
        let before = std::mem::replace(slot, at as u16);
        self.older[at & 0xffff] = before;
        before
    }

    /// Enters positions of a run or copy; of many only the last ones, which are the nearest to what
    /// follows.
    #[inline(always)]
    fn enter_all(&mut self, from: usize, to: usize) {
        let from = from.max(to.saturating_sub(LONG));
        for at in from..to.min(self.length.saturating_sub(2)) {
            self.enter(at);
        }
    }

    /// Enters a position and returns the longest run or copy there, if it is longer than `best`; else a
    /// literal.
    #[inline(always)]
    fn longest(&mut self, at: usize, best: Token) -> Token {
        let rest = self.length.saturating_sub(at);
        if rest < 3 {
            return Token::Literal;
        }
        let mut candidate = self.enter(at);
        let window = &self.window;
        let mut length = best.length().max(2);
        let mut found = Token::Literal;
        if window.pair(at) == window.pair(at + 1) {
            let run = 1 + window.same(at, at + 1, rest.min(MAX_RUN) - 1);
            if run > length {
                (length, found) = (run, Token::Run(run as u16));
            }
            if run >= LONG {
                return found;
            }
        }
        let limit = rest.min(MAX_COPY);
        // A longer copy must also agree at the end of the longest so far.
        let mut last = window.pair(at + length - 1);
        for _ in 0..MAX_CANDIDATES {
            let from = usize::from(candidate);
            let distance = at.wrapping_sub(from);
            if distance > MAX_DISTANCE {
                // No position is beyond every block, so that it ends here as well.
                break;
            }
            candidate = self.older[from];
            if distance <= length || window.pair(from + length - 1) != last {
                continue;
            }
            let same = window.same(from, at, distance.min(limit));
            if same > length {
                length = same;
                found = Token::Copy {
                    distance: distance as u16,
                    length: same as u16,
                };
                if same >= LONG || same == rest {
                    break;
                }
                last = window.pair(at + length - 1);
            }
        }
        found
    }
}

/// Bytes of the buffer in which copies are searched: a power of two, so that a masked index is valid.
const WINDOW: usize = 1 << 17;

/// The bytes of a block, followed by zeros.
struct Window(Box<[u8; WINDOW]>);

impl Window {
    /// `None` if the block is longer than positions of 16 bits reach.
    fn of(data: &[u8]) -> Option<Self> {
        let mut bytes = vec![0; WINDOW].into_boxed_slice();
        if data.len() >= usize::from(NO_POSITION) {
            return None;
        }
        bytes.get_mut(..data.len())?.copy_from_slice(data);
        Some(Self(bytes.try_into().ok()?))
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.0[at & (WINDOW - 1)]
    }

    /// Two bytes in one number.
    #[inline(always)]
    fn pair(&self, at: usize) -> u16 {
        u16::from(self.byte(at)) | u16::from(self.byte(at + 1)) << 8
    }

    /// The number of equal bytes at two positions, at most `limit`.
    #[inline(always)]
    fn same(&self, one: usize, other: usize, limit: usize) -> usize {
        let word = |at: usize| {
            let bytes = self.0.get(at..)?.first_chunk::<8>()?;
            Some(U64::from_bytes(*bytes).get())
        };
        let mut same = 0;
        while same < limit
            && let (Some(x), Some(y)) = (word(one + same), word(other + same))
        {
            let different = x ^ y;
            if different != 0 {
                return limit.min(same + (different.trailing_zeros() / 8) as usize);
            }
            same += 8;
        }
        same.min(limit)
    }
}

/// Writes tokens in groups of 16, each with a control word before it.
struct TokenWriter {
    out: Vec<u8>,
    /// The offset of the last control word.
    control_at: usize,
    control: u16,
    /// Tokens after the last control word.
    count: u32,
}

impl TokenWriter {
    /// A writer for a block of `length` bytes.
    fn new(length: usize) -> Self {
        Self {
            out: Vec::with_capacity(length + length / 8 + 2),
            control_at: 0,
            control: 0,
            count: 16,
        }
    }

    /// Writes a token; `byte` is the first that it encodes.
    #[inline(always)]
    fn push(&mut self, token: Token, byte: u8) {
        if self.count == 16 {
            // A single last literal gets a control word too: uncbv 0.3.1 cannot read the short form.
            self.control_at = self.out.len();
            self.out.extend([0, 0]);
            self.control = 0;
            self.count = 0;
        }
        if !matches!(token, Token::Literal) {
            self.control |= 0x8000 >> self.count;
            let control = self.out.get_mut(self.control_at..self.control_at + 2);
            if let Some([low, high]) = control {
                (*low, *high) = (self.control as u8, (self.control >> 8) as u8);
            }
        }
        self.count += 1;
        write_token(token, byte, &mut self.out);
    }
}

/// Writes the bytes of a token.
#[inline(always)]
fn write_token(token: Token, byte: u8, out: &mut Vec<u8>) {
    match token {
        Token::Literal => out.push(byte),
        Token::Run(length @ ..=18) => out.extend([(length - 3) as u8, byte]),
        Token::Run(length) => {
            let beyond = length - 19;
            out.extend([0x10 | (beyond & 15) as u8, (beyond >> 4) as u8, byte]);
        }
        Token::Copy { distance, length } => {
            let beyond = distance - MIN_DISTANCE as u16;
            let (low, high) = ((beyond & 15) as u8, (beyond >> 4) as u8);
            if length <= 15 {
                out.extend([(length as u8) << 4 | low, high]);
            } else {
                out.extend([0x20 | low, high, (length - 16) as u8]);
            }
        }
    }
}

/// Encodes a block with Huffman codes; `None` if the result exceeds `limit` bytes or the input is too
/// long.
pub(super) fn huffman(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let length = u16::try_from(data.len()).ok()?;
    let mut counts = [0_u32; 256];
    for byte in data {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let codes = canonical(&code_lengths(&counts));
    let header: u64 = codes.iter().map(|(_, length)| 4 + u64::from(*length)).sum();
    let body: u64 = codes
        .iter()
        .zip(counts)
        .map(|((_, length), count)| u64::from(*length) * u64::from(count))
        .sum();
    if 2 + (header + body).div_ceil(8) > limit as u64 {
        return None;
    }
    let mut out = vec![(length >> 8) as u8, length as u8];
    let mut bits = BitWriter {
        buffer: 0,
        filled: 0,
    };
    for (code, length) in codes {
        bits.put(length, 4, &mut out);
        bits.put(code, length, &mut out);
    }
    for byte in data {
        let (code, length) = codes.get(usize::from(*byte)).copied().unwrap_or_default();
        bits.put(code, length, &mut out);
    }
    bits.flush(&mut out);
    Some(out)
}

/// Writes bits, the most significant first.
struct BitWriter {
    /// The lowest `filled` bits are not written yet.
    buffer: u64,
    /// Below 32 between two calls.
    filled: u32,
}

impl BitWriter {
    /// Writes the lowest `count` bits of `value`, at most 15.
    #[inline(always)]
    fn put(&mut self, value: u32, count: u32, out: &mut Vec<u8>) {
        self.buffer = self.buffer << count | u64::from(value);
        self.filled += count;
        if self.filled >= 32 {
            self.filled -= 32;
            let word = (self.buffer >> self.filled) as u32;
            out.extend_from_slice(&U32::new(word).to_bytes());
        }
    }

    fn flush(mut self, out: &mut Vec<u8>) {
        while self.filled >= 8 {
            self.filled -= 8;
            out.push((self.buffer >> self.filled) as u8);
        }
        if self.filled > 0 {
            out.push((self.buffer << (8 - self.filled)) as u8);
        }
    }
}

/// The longest code, in bits: its length is stored in four bits.
const MAX_CODE: u32 = 15;

/// Lengths of Huffman codes in bits. Counts are levelled until no code exceeds [`MAX_CODE`].
fn code_lengths(counts: &[u32; 256]) -> [u32; 256] {
    let mut counts = *counts;
    loop {
        let lengths = unlimited_lengths(&counts);
        if lengths.iter().all(|length| *length <= MAX_CODE) {
            return lengths;
        }
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

/// Lengths of Huffman codes without a limit.
fn unlimited_lengths(counts: &[u32; 256]) -> [u32; 256] {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    let mut heap: BinaryHeap<Reverse<(u32, u16)>> = (0_u16..)
        .zip(counts)
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| Reverse((*count, symbol)))
        .collect();
    let mut lengths = [0; 256];
    if let (1, Some(Reverse((_, symbol)))) = (heap.len(), heap.peek()) {
        if let Some(length) = lengths.get_mut(usize::from(*symbol)) {
            *length = 1;
        }
        return lengths;
    }
    // Inner nodes are numbered from 256 on, so a parent has a higher number than its children.
    let mut parents = [0_u16; 512];
    let mut next = 256_u16;
    while let (Some(Reverse(one)), Some(Reverse(two))) = (heap.pop(), heap.pop()) {
        for (_, node) in [one, two] {
            if let Some(parent) = parents.get_mut(usize::from(node)) {
                *parent = next;
            }
        }
        heap.push(Reverse((one.0 + two.0, next)));
        next += 1;
        if heap.len() == 1 {
            break;
        }
    }
    for (symbol, length) in lengths.iter_mut().enumerate() {
        let mut node = parents.get(symbol).copied().unwrap_or_default();
        while node != 0 {
            *length += 1;
            node = parents.get(usize::from(node)).copied().unwrap_or_default();
        }
    }
    lengths
}

/// The code and the length of each symbol, assigned in order of length, then symbol.
fn canonical(lengths: &[u32; 256]) -> [(u32, u32); 256] {
    let mut codes = [(0, 0); 256];
    let mut code = 0;
    for length in 1..=MAX_CODE {
        code <<= 1;
        for (slot, code_length) in codes.iter_mut().zip(lengths) {
            if *code_length == length {
                *slot = (code, length);
                code += 1;
            }
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::super::{huffman_decoder, lz_decoder};
    use super::*;
    use tabia_testkit::Random;

    /// Blocks of random bytes with runs and repetitions.
    fn samples() -> Vec<Vec<u8>> {
        let mut random = Random::new(3);
        let mut samples = vec![
            Vec::new(),
            vec![7],
            vec![1, 2],
            vec![9; 61_440],
            vec![0; 17],
        ];
        for round in 0..60 {
            let length = [3, 20, 300, 5_000, 61_440][round % 5];
            let alphabet = [2, 4, 30, 256][round % 4];
            let mut data: Vec<u8> = Vec::new();
            while data.len() < length {
                match random.below(4) {
                    0 => data.extend(vec![random.below(alphabet) as u8; 1 + random.below(6_000)]),
                    1 if !data.is_empty() => {
                        let from = random.below(data.len());
                        let upto = data.len().min(from + 1 + random.below(400));
                        data.extend_from_within(from..upto);
                    }
                    _ => {
                        for _ in 0..random.below(60) {
                            data.push(random.below(alphabet) as u8);
                        }
                    }
                }
            }
            data.truncate(length);
            samples.push(data);
        }
        samples
    }

    #[test]
    fn lz_round_trips() {
        for data in samples() {
            let packed = compress(&data);
            let mut out = vec![0; data.len() + lz_decoder::SLACK];
            let end = lz_decoder::decode(&packed, &mut out, 0, data.len()).unwrap();
            assert!(out[..end] == data, "{} bytes", data.len());
        }
    }

    fn unpacked(packed: &[u8], length: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut codes = huffman_decoder::CodeTable::default();
        huffman_decoder::decode(packed, &mut codes, &mut out, length).unwrap();
        out
    }

    #[test]
    fn huffman_round_trips() {
        for data in samples() {
            let packed = huffman(&data, usize::MAX).unwrap();
            assert!(
                unpacked(&packed, data.len()) == data,
                "{} bytes",
                data.len()
            );
        }
    }

    #[test]
    fn no_code_exceeds_the_maximum() {
        let mut counts = [0_u32; 256];
        let (mut a, mut b) = (1, 1);
        for count in counts.iter_mut().take(24) {
            *count = a;
            (a, b) = (b, a + b);
        }
        assert!(unlimited_lengths(&counts).iter().any(|length| *length > 15));
        let lengths = code_lengths(&counts);
        assert!(lengths.iter().all(|length| *length <= 15));
        let sum: f64 = lengths
            .iter()
            .filter(|l| **l > 0)
            .map(|l| 0.5_f64.powi(*l as i32))
            .sum();
        assert!((sum - 1.0).abs() < 1e-9, "the codes are complete: {sum}");
    }

    #[test]
    fn long_codes_round_trip() {
        let (mut a, mut b) = (1, 1);
        let mut data: Vec<u8> = Vec::new();
        for symbol in 0..22 {
            data.extend(vec![symbol; a]);
            (a, b) = (b, a + b);
        }
        let mut random = Random::new(8);
        for at in (1..data.len()).rev() {
            data.swap(at, random.below(at + 1));
        }
        let packed = huffman(&data, usize::MAX).unwrap();
        assert!(unpacked(&packed, data.len()) == data);
    }

    #[test]
    fn the_mode_with_the_smallest_result_is_used() {
        let mut random = Random::new(1);
        let noise: Vec<u8> = (0..5000).map(|_| random.byte()).collect();
        assert_eq!(pack(&noise, false)[0], 0);
        let skewed: Vec<u8> = (0..5000)
            .map(|_| random.below(3) as u8 * random.below(2) as u8)
            .collect();
        assert!(pack(&skewed, false)[0] >= 2);
        let zeros = [0; 5000];
        assert_eq!(pack(&zeros, false)[0], 1);
        assert_eq!(pack(&zeros, true)[0], 0);
    }
}
