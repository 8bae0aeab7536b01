//! Packing blocks with LZ and Huffman codes, and the choice between them.

use zerocopy::byteorder::big_endian::U32;
use zerocopy::byteorder::little_endian::U64;

use super::lz_decoder::{MAX_DISTANCE, MIN_DISTANCE};

/// The longest copy, in bytes.
const MAX_COPY: usize = 255 + 16;
/// The longest run of one byte, in bytes.
const MAX_RUN: usize = 0xfff + 19;
/// The most earlier positions that are compared to find a copy.
const MAX_CANDIDATES: usize = 48;
/// Runs of at least this length are not searched for copies.
const LONG_RUN: u16 = 32;

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

#[derive(Clone, Copy)]
enum Token {
    Literal,
    Run(u16),
    Copy { distance: u16, length: u16 },
}

/// Cost of a literal in bits, with its control bit.
const LITERAL: u32 = 9;
/// Cost of a token of two bytes.
const SHORT: u32 = 17;
/// Cost of a token of three bytes.
const LONG: u32 = 25;

/// Encodes one block with LZ. Copies stay inside the block and never overlap themselves: those in all
/// known archives do, and not every reader supports others.
pub(super) fn compress(data: &[u8]) -> Vec<u8> {
    let runs = run_lengths(data);
    let matches = longest_matches(data, &runs);
    // From the last byte on: the cheapest encoding of the bytes from each position to the end.
    let mut costs = vec![0_u32; data.len() + 1];
    let mut tokens = vec![Token::Literal; data.len()];
    for at in (0..data.len()).rev() {
        let rest = costs.get(at..).unwrap_or_default();
        let cost_at = |length: usize| rest.get(length).copied().unwrap_or(u32::MAX / 2);
        let mut best = (LITERAL + cost_at(1), Token::Literal);
        let mut offer = |cost: u32, token: Token| {
            if cost < best.0 {
                best = (cost, token);
            }
        };
        let run = runs.get(at).copied().unwrap_or_default();
        if run >= 3 {
            let (length, cost) = cheapest(rest, 3, run.min(18));
            offer(SHORT + cost, Token::Run(length));
            if run > 18 {
                offer(LONG + cost_at(usize::from(run)), Token::Run(run));
            }
        }
        let (distance, longest) = matches.get(at).copied().unwrap_or_default();
        if longest >= 3 {
            let (length, cost) = cheapest(rest, 3, longest.min(15));
            offer(SHORT + cost, Token::Copy { distance, length });
            if longest >= 16 {
                let (length, cost) = cheapest(rest, longest.saturating_sub(8).max(16), longest);
                offer(LONG + cost, Token::Copy { distance, length });
            }
        }
        if let (Some(cost), Some(token)) = (costs.get_mut(at), tokens.get_mut(at)) {
            (*cost, *token) = best;
        }
    }
    write_tokens(data, &tokens)
}

/// The length from `first` to `last` with the lowest cost of the bytes after it, the shortest of several,
/// and that cost.
#[inline(always)]
fn cheapest(costs: &[u32], first: u16, last: u16) -> (u16, u32) {
    let mut best = (first, u32::MAX / 2);
    let range = costs.get(usize::from(first)..=usize::from(last));
    for (length, cost) in (first..).zip(range.unwrap_or_default()) {
        if *cost < best.1 {
            best = (length, *cost);
        }
    }
    best
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

/// No position in a block.
const NO_POSITION: u16 = u16::MAX;

/// The longest copy at each position, as distance and length; (0, 0) if absent.
fn longest_matches(data: &[u8], runs: &[u16]) -> Vec<(u16, u16)> {
    let mut matches = vec![(0, 0); data.len()];
    let Some(window) = Window::of(data) else {
        return matches;
    };
    // Arrays of a fixed length on the heap: no index into them is checked.
    let newest = vec![NO_POSITION; 1 << 14].into_boxed_slice();
    let older = vec![NO_POSITION; 1 << 16].into_boxed_slice();
    let (Ok(mut newest), Ok(mut older)) = (
        <Box<[u16; 1 << 14]>>::try_from(newest),
        <Box<[u16; 1 << 16]>>::try_from(older),
    ) else {
        return matches;
    };
    let slots = matches.iter_mut().zip(runs).enumerate();
    for (at, (found, run)) in slots.take(data.len().saturating_sub(2)) {
        let three = u32::from(window.byte(at)) << 16
            | u32::from(window.byte(at + 1)) << 8
            | u32::from(window.byte(at + 2));
        let hash = three.wrapping_mul(0x9e37_79b1) >> 18;
        let slot = &mut newest[hash as usize & ((1 << 14) - 1)];
        let mut candidate = std::mem::replace(slot, at as u16);
        older[at & 0xffff] = candidate;
        if *run >= LONG_RUN {
            continue;
        }
        let rest = data.len() - at;
        let (mut best_distance, mut best) = (0_usize, 2_usize);
        // A longer match must also match at the end of the best one so far.
        let mut last = window.pair(at + best - 1);
        for _ in 0..MAX_CANDIDATES {
            let from = usize::from(candidate);
            let distance = at.wrapping_sub(from);
            if distance > MAX_DISTANCE {
                // No position is beyond every block, so that it ends here as well.
                break;
            }
            candidate = older[from];
            if distance <= best || window.pair(from + best - 1) != last {
                continue;
            }
            let same = window.same(from, at, distance.min(MAX_COPY).min(rest));
            if same > best {
                (best_distance, best) = (distance, same);
                if same == MAX_COPY || same == rest {
                    break;
                }
                last = window.pair(at + best - 1);
            }
        }
        if best_distance > 0 {
            *found = (best_distance as u16, best as u16);
        }
    }
    matches
}

/// The length of the run of equal bytes that begins at each position.
fn run_lengths(data: &[u8]) -> Vec<u16> {
    let mut runs = vec![1_u16; data.len()];
    for at in (1..data.len()).rev() {
        if data.get(at) == data.get(at - 1) {
            let next = runs.get(at).copied().unwrap_or(1);
            if let Some(run) = runs.get_mut(at - 1) {
                *run = (next + 1).min(MAX_RUN as u16);
            }
        }
    }
    runs
}

fn write_tokens(data: &[u8], tokens: &[Token]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 2);
    let mut at = 0;
    while at < data.len() {
        // A single last literal gets a control word too: uncbv 0.3.1 cannot read the short form.
        let control_at = out.len();
        out.extend([0, 0]);
        let mut control = 0_u16;
        for bit in 0..16 {
            let (Some(token), Some(byte)) = (tokens.get(at), data.get(at)) else {
                break;
            };
            if !matches!(token, Token::Literal) {
                control |= 0x8000 >> bit;
            }
            at += write_token(*token, *byte, &mut out);
        }
        if let Some([low, high]) = out.get_mut(control_at..control_at + 2) {
            (*low, *high) = (control as u8, (control >> 8) as u8);
        }
    }
    out
}

/// Writes a token and returns the number of bytes that it encodes.
fn write_token(token: Token, byte: u8, out: &mut Vec<u8>) -> usize {
    match token {
        Token::Literal => {
            out.push(byte);
            1
        }
        Token::Run(length @ ..=18) => {
            out.extend([(length - 3) as u8, byte]);
            usize::from(length)
        }
        Token::Run(length) => {
            let beyond = length - 19;
            out.extend([0x10 | (beyond & 15) as u8, (beyond >> 4) as u8, byte]);
            usize::from(length)
        }
        Token::Copy { distance, length } => {
            let beyond = distance - MIN_DISTANCE as u16;
            let (low, high) = ((beyond & 15) as u8, (beyond >> 4) as u8);
            if length <= 15 {
                out.extend([(length as u8) << 4 | low, high]);
            } else {
                out.extend([0x20 | low, high, (length - 16) as u8]);
            }
            usize::from(length)
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
