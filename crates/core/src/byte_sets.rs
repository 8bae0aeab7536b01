//! Finds bytes of a set, one after another or those of 64 bytes at once, and counts line breaks, with the vector
//! instructions of the processor.
//!
//! | processor | instructions | chosen |
//! |---|---|---|
//! | x86-64 with AVX2 | 64 bytes at a time, looked up by their halves | when the program runs |
//! | other x86-64 | SSE2: 16 bytes at a time, compared with each range of the set | when it is compiled |
//! | 64-bit ARM | NEON: 16 bytes at a time, looked up by their halves | when it is compiled |
//! | others | one byte at a time | when it is compiled |
//!
//! All of them find the same; `docs/decisions/0013-vector-instructions.md` gives the reasons.

/// Bytes that are tested together.
const BLOCK: usize = 64;
/// Bytes of a vector that every processor of its kind has.
const VECTOR: usize = 16;

/// A set of bytes.
///
/// ```
/// use tabia_core::byte_sets::ByteSet;
///
/// const BRACES: ByteSet = ByteSet::of_ranges(&[(b'{', b'{'), (b'}', b'}')]);
/// assert!(BRACES.contains(b'}') && !BRACES.contains(b'|'));
/// assert_eq!(BRACES.find(b"1. e4 {best by test} e5", 7), 19);
/// assert_eq!(BRACES.find(b"1. e4", 0), 5);
/// ```
#[derive(Debug, Clone)]
pub struct ByteSet {
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only SSE2 compares with the ranges")
    )]
    ranges: &'static [(u8, u8)],
    /// By the lower and by the upper half of a byte: the byte is in the set if both have a bit in common.
    lower: [u8; 16],
    upper: [u8; 16],
}

impl ByteSet {
    /// The set of the bytes in `ranges`, of which both ends belong to the set. The sixteen rows of sixteen
    /// bytes may have at most eight patterns of bytes in the set and not in it.
    ///
    /// # Panics
    /// If there are more patterns, which a constant does when it is compiled.
    pub const fn of_ranges(ranges: &'static [(u8, u8)]) -> Self {
        let mut set = Self {
            ranges,
            lower: [0; 16],
            upper: [0; 16],
        };
        let mut patterns = [0_u16; 8];
        let mut pattern_count = 0;
        let mut row = 0;
        while row < 16 {
            let pattern = pattern_of_row(ranges, row as u8);
            let mut class = 0;
            while class < pattern_count && patterns[class] != pattern {
                class += 1;
            }
            if pattern != 0 {
                if class == pattern_count {
                    assert!(pattern_count < 8, "too many patterns");
                    patterns[class] = pattern;
                    pattern_count += 1;
                }
                set.upper[row] = 1 << class;
            }
            row += 1;
        }
        let mut column = 0;
        while column < 16 {
            let mut class = 0;
            while class < pattern_count {
                set.lower[column] |= ((patterns[class] >> column & 1) as u8) << class;
                class += 1;
            }
            column += 1;
        }
        set
    }

    /// The set of one byte.
    pub const fn of_byte(byte: u8) -> Self {
        /// Each byte as a range.
        static RANGES: [(u8, u8); 256] = {
            let mut ranges = [(0, 0); 256];
            let mut byte = 0;
            while byte < 256 {
                ranges[byte] = (byte as u8, byte as u8);
                byte += 1;
            }
            ranges
        };
        Self::of_ranges(std::slice::from_ref(&RANGES[byte as usize]))
    }

    /// Whether a byte belongs to the set.
    #[inline(always)]
    pub const fn contains(&self, byte: u8) -> bool {
        self.lower[(byte & 15) as usize] & self.upper[(byte >> 4) as usize] != 0
    }

    /// The offset of the first byte of the set from `at` on, else the length of `text`. For bytes that
    /// are mostly far away, compared with [`find_near`](Self::find_near).
    #[inline]
    pub fn find(&self, text: &[u8], at: usize) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "instructions that not every processor has; see SAFETY"
            )]
            // SAFETY: the processor has AVX2, which is all that the function demands.
            return unsafe { avx2::find(self, text, at) };
        }
        self.find_in_vectors(text, at)
    }

    /// As [`find`](Self::find), for bytes that are mostly among the next sixteen: without a call.
    #[inline(always)]
    pub fn find_near(&self, text: &[u8], mut at: usize) -> usize {
        while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) {
            let mask = self.vector_mask(bytes);
            if mask != 0 {
                return at + mask.trailing_zeros() as usize;
            }
            at += VECTOR;
        }
        self.find_slowly(text, at)
    }

    /// Sets each of `masks` to the bits of the next 64 bytes of `text`: a bit for each byte that belongs to the
    /// set, the lowest for the first. `false`, with arbitrary masks, if `text` does not have as many bytes.
    ///
    /// ```
    /// use tabia_core::byte_sets::ByteSet;
    ///
    /// let mut masks = [0; 1];
    /// assert!(ByteSet::of_byte(b'4').masks("1. e4 ".repeat(20).as_bytes(), &mut masks));
    /// assert_eq!(masks[0] & 0xfff, 1 << 4 | 1 << 10);
    /// ```
    #[inline]
    pub fn masks(&self, text: &[u8], masks: &mut [u64]) -> bool {
        if text.len() / BLOCK < masks.len() {
            return false;
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "instructions that not every processor has; see SAFETY"
            )]
            // SAFETY: the processor has AVX2, which is all that the function demands.
            unsafe {
                avx2::masks(self, text, masks);
            }
            return true;
        }
        self.masks_in_vectors(text, masks);
        true
    }

    /// [`masks`](Self::masks) with the instructions that every processor of its kind has.
    #[inline(never)]
    fn masks_in_vectors(&self, text: &[u8], masks: &mut [u64]) {
        let (blocks, _) = text.as_chunks();
        for (mask, block) in masks.iter_mut().zip(blocks) {
            *mask = self.block_mask(block);
        }
    }

    /// A bit for each byte that belongs to the set, the lowest for the first.
    #[inline(always)]
    fn block_mask(&self, block: &[u8; BLOCK]) -> u64 {
        let (vectors, _) = block.as_chunks();
        let masks = vectors.iter().rev();
        masks.fold(0, |mask, bytes| {
            mask << VECTOR | u64::from(self.vector_mask(bytes))
        })
    }

    /// [`find`](Self::find) with the instructions that every processor of its kind has.
    #[inline(never)]
    fn find_in_vectors(&self, text: &[u8], at: usize) -> usize {
        self.find_near(text, at)
    }

    /// [`find`](Self::find), byte by byte.
    #[inline]
    fn find_slowly(&self, text: &[u8], at: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let found = rest.iter().position(|&byte| self.contains(byte));
        found.map_or(text.len(), |found| at + found)
    }

    /// A bit for each byte that belongs to the set, the lowest for the first.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn vector_mask(&self, bytes: &[u8; VECTOR]) -> u32 {
        use std::arch::x86_64::{
            __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
            _mm_setzero_si128, _mm_sub_epi8,
        };

        let bytes: __m128i = zerocopy::transmute!(*bytes);
        #[expect(
            unsafe_code,
            reason = "the compiler demands it for all of them; see SAFETY"
        )]
        // SAFETY: every x86-64 processor has SSE2, which is all that these functions demand.
        unsafe {
            let mut found = _mm_setzero_si128();
            for &(first, last) in self.ranges {
                let above = _mm_sub_epi8(bytes, _mm_set1_epi8(first.cast_signed()));
                let length = _mm_set1_epi8(last.wrapping_sub(first).cast_signed());
                let is_in = _mm_cmpeq_epi8(_mm_min_epu8(above, length), above);
                found = _mm_or_si128(found, is_in);
            }
            _mm_movemask_epi8(found).cast_unsigned()
        }
    }

    /// A bit for each byte that belongs to the set, the lowest for the first.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    #[inline(always)]
    fn vector_mask(&self, bytes: &[u8; VECTOR]) -> u32 {
        use std::arch::aarch64::{
            uint8x16_t, vaddv_u8, vandq_u8, vdupq_n_u8, vget_high_u8, vget_low_u8, vqtbl1q_u8,
            vshrq_n_u8, vtstq_u8,
        };

        const BITS: [u8; VECTOR] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let bytes: uint8x16_t = zerocopy::transmute!(*bytes);
        let (lower, upper): (uint8x16_t, uint8x16_t) = (
            zerocopy::transmute!(self.lower),
            zerocopy::transmute!(self.upper),
        );
        let bits: uint8x16_t = zerocopy::transmute!(BITS);
        #[expect(
            unsafe_code,
            reason = "the compiler demands it for all of them; see SAFETY"
        )]
        // SAFETY: this is compiled only for processors with NEON, which is all that these functions
        // demand.
        unsafe {
            let of_lower = vqtbl1q_u8(lower, vandq_u8(bytes, vdupq_n_u8(15)));
            let of_upper = vqtbl1q_u8(upper, vshrq_n_u8::<4>(bytes));
            let found = vandq_u8(vtstq_u8(of_lower, of_upper), bits);
            let first = vaddv_u8(vget_low_u8(found));
            let second = vaddv_u8(vget_high_u8(found));
            u32::from(first) | u32::from(second) << 8
        }
    }

    /// A bit for each byte that belongs to the set, the lowest for the first.
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    #[inline(always)]
    fn vector_mask(&self, bytes: &[u8; VECTOR]) -> u32 {
        let bits = bytes.iter().enumerate();
        bits.map(|(index, &byte)| u32::from(self.contains(byte)) << index)
            .sum()
    }
}

/// What is looked for in blocks of 64 bytes: the bytes of a set, two single bytes, and a pair of bytes.
#[derive(Debug)]
pub struct BlockScanner {
    /// The bytes of this set, except the second of these two where it follows the first.
    set: ByteSet,
    except: [Byte; 2],
    open: Byte,
    close: Byte,
    /// Two bytes, one after another.
    pair: [Byte; 2],
}

/// A byte, also as a set.
#[derive(Debug)]
struct Byte {
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only AVX2 compares with it")
    )]
    byte: u8,
    set: ByteSet,
}

impl Byte {
    const fn new(byte: u8) -> Self {
        let set = ByteSet::of_byte(byte);
        Self { byte, set }
    }
}

/// What a [`BlockScanner`] finds in 64 bytes: a bit for each byte, the lowest for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockMasks {
    /// The bytes of the set, without the exception.
    pub set: u64,
    /// The first of the two single bytes.
    pub open: u64,
    /// The second of them.
    pub close: u64,
    /// The first bytes of the pairs; the second of the last one may be in the next block.
    pub pair: u64,
}

impl BlockScanner {
    /// A scanner for the bytes of `set`, except the second byte of `except` where it follows the first; for
    /// `open` and `close`; and for `pair`.
    pub const fn new(set: ByteSet, except: [u8; 2], open: u8, close: u8, pair: [u8; 2]) -> Self {
        Self {
            set,
            except: [Byte::new(except[0]), Byte::new(except[1])],
            open: Byte::new(open),
            close: Byte::new(close),
            pair: [Byte::new(pair[0]), Byte::new(pair[1])],
        }
    }

    /// Calls `each` with the offset and the masks of one block of 64 bytes after another, from `at` on, until
    /// it returns something, which is returned. `None` if it does not before the last complete block that
    /// another byte follows, or if no byte precedes `at`.
    ///
    /// ```
    /// use tabia_core::byte_sets::{BlockScanner, ByteSet};
    ///
    /// static SCANNER: BlockScanner =
    ///     BlockScanner::new(ByteSet::of_byte(b'-'), *b"O-", b'{', b'}', *b"[E");
    /// let text = format!("\n1. e4 {{good}} O-O 1-0\n\n[Event{}", " ".repeat(64));
    /// let found = SCANNER.scan(text.as_bytes(), 1, |at, masks| {
    ///     assert_eq!((at, masks.open, masks.close), (1, 1 << 6, 1 << 11));
    ///     Some((masks.set.trailing_zeros(), masks.pair.trailing_zeros()))
    /// });
    /// assert_eq!(found, Some((18, 22)));
    /// ```
    #[inline(always)]
    pub fn scan<T>(
        &self,
        text: &[u8],
        at: usize,
        each: impl FnMut(usize, BlockMasks) -> Option<T>,
    ) -> Option<T> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "instructions that not every processor has; see SAFETY"
            )]
            // SAFETY: the processor has AVX2, which is all that the function demands.
            return unsafe { avx2::scan(self, text, at, each) };
        }
        self.scan_in_vectors(text, at, each)
    }

    /// [`scan`](Self::scan) with the instructions that every processor of its kind has.
    #[inline(never)]
    fn scan_in_vectors<T>(
        &self,
        text: &[u8],
        at: usize,
        mut each: impl FnMut(usize, BlockMasks) -> Option<T>,
    ) -> Option<T> {
        let mut before = at.checked_sub(1)?;
        loop {
            let [previous, block, next] = shifted_blocks(text, before)?;
            let [first, second] = &self.except;
            let excepted = first.set.block_mask(previous) & second.set.block_mask(block);
            let [first, second] = &self.pair;
            let masks = BlockMasks {
                set: self.set.block_mask(block) & !excepted,
                open: self.open.set.block_mask(block),
                close: self.close.set.block_mask(block),
                pair: first.set.block_mask(block) & second.set.block_mask(next),
            };
            if let Some(found) = each(before + 1, masks) {
                return Some(found);
            }
            before += BLOCK;
        }
    }
}

/// The blocks at `before`, one byte later, and two bytes later.
#[inline(always)]
fn shifted_blocks(text: &[u8], before: usize) -> Option<[&[u8; BLOCK]; 3]> {
    let bytes: &[u8; BLOCK + 2] = text.get(before..)?.first_chunk()?;
    Some([
        bytes.first_chunk()?,
        bytes.get(1..)?.first_chunk()?,
        bytes.last_chunk()?,
    ])
}

/// A bit for each byte of the row that belongs to one of the ranges; the upper halves of its bytes are
/// `row`.
const fn pattern_of_row(ranges: &[(u8, u8)], row: u8) -> u16 {
    let mut pattern = 0;
    let mut column = 0;
    while column < 16 {
        let byte = row << 4 | column;
        let mut index = 0;
        while index < ranges.len() {
            if ranges[index].0 <= byte && byte <= ranges[index].1 {
                pattern |= 1 << column;
            }
            index += 1;
        }
        column += 1;
    }
    pattern
}

/// The number of line breaks in the bytes of `text` from `from` to `to`: `\n`, and `\r` that no `\n`
/// follows in `text`. Of `\r\n` the second byte counts.
///
/// ```
/// use tabia_core::byte_sets::count_line_breaks;
///
/// let text = b"a\r\nb\rc\n";
/// assert_eq!(count_line_breaks(text, 0, text.len()), 3);
/// assert_eq!(count_line_breaks(text, 0, 2), 0);
/// ```
#[inline]
pub fn count_line_breaks(text: &[u8], from: usize, to: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "instructions that not every processor has; see SAFETY"
        )]
        // SAFETY: the processor has AVX2, which is all that the function demands.
        return unsafe { avx2::count_line_breaks(text, from, to) };
    }
    count_in_vectors(text, from, to)
}

/// [`count_line_breaks`] with the instructions that every processor of its kind has.
#[inline(never)]
fn count_in_vectors(text: &[u8], from: usize, to: usize) -> usize {
    count_without_branches(text, from, to)
}

/// [`count_line_breaks`] without a branch for each byte, for which the compiler takes vectors of the
/// instructions of the function that it is part of.
#[inline(always)]
fn count_without_branches(text: &[u8], from: usize, to: usize) -> usize {
    let part = text.get(from..to).unwrap_or_default();
    let next = text.get(from.saturating_add(1)..).unwrap_or_default();
    let is_break = |(&byte, &next): (&u8, &u8)| {
        u8::from(byte == b'\n') | u8::from(byte == b'\r') & u8::from(next != b'\n')
    };
    // The number of line breaks of a block fits a byte.
    let (blocks, _) = part.as_chunks::<{ 3 * BLOCK }>();
    let (next_blocks, _) = next.as_chunks::<{ 3 * BLOCK }>();
    let blocks = blocks.iter().zip(next_blocks);
    let mut done = 0;
    let mut count = 0;
    for (block, next) in blocks {
        let breaks = block.iter().zip(next).map(is_break);
        count += usize::from(breaks.sum::<u8>());
        done += block.len();
    }
    let part = part.get(done..).unwrap_or_default();
    let next = next.get(done..).unwrap_or_default();
    for pair in part.iter().zip(next) {
        count += usize::from(is_break(pair));
    }
    // The last byte of the text has no byte after it.
    let is_last = to == text.len()
        && part
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'));
    count + usize::from(is_last)
}

/// The functions for processors with AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    use super::{BLOCK, BlockMasks, BlockScanner, Byte, ByteSet, shifted_blocks};

    /// The two tables of a set, each twice.
    #[derive(Clone, Copy)]
    struct Tables {
        lower: __m256i,
        upper: __m256i,
    }

    impl Tables {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn new(set: &ByteSet) -> Self {
            let lower: __m128i = zerocopy::transmute!(set.lower);
            let upper: __m128i = zerocopy::transmute!(set.upper);
            Self {
                lower: _mm256_broadcastsi128_si256(lower),
                upper: _mm256_broadcastsi128_si256(upper),
            }
        }

        /// Sets each byte that does not belong to the set to 255 and the others to 0.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn others(self, bytes: __m256i) -> __m256i {
            let half = _mm256_set1_epi8(15);
            let of_lower = _mm256_shuffle_epi8(self.lower, _mm256_and_si256(bytes, half));
            let shifted = _mm256_srli_epi16::<4>(bytes);
            let of_upper = _mm256_shuffle_epi8(self.upper, _mm256_and_si256(shifted, half));
            let common = _mm256_and_si256(of_lower, of_upper);
            _mm256_cmpeq_epi8(common, _mm256_setzero_si256())
        }

        /// A bit for each byte that belongs to the set.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn mask(self, block: &[u8; BLOCK]) -> u64 {
            let block: [__m256i; 2] = zerocopy::transmute!(*block);
            let [first, second] = block.map(|bytes| self.others(bytes));
            !bits(first, second)
        }
    }

    /// The highest bit of each byte.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(first: __m256i, second: __m256i) -> u64 {
        let first = _mm256_movemask_epi8(first).cast_unsigned();
        let second = _mm256_movemask_epi8(second).cast_unsigned();
        u64::from(first) | u64::from(second) << 32
    }

    /// [`ByteSet::masks`].
    #[target_feature(enable = "avx2")]
    pub(super) fn masks(set: &ByteSet, text: &[u8], masks: &mut [u64]) {
        let tables = Tables::new(set);
        let (blocks, _) = text.as_chunks();
        for (mask, block) in masks.iter_mut().zip(blocks) {
            *mask = tables.mask(block);
        }
    }

    /// [`BlockScanner::scan`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn scan<T>(
        scanner: &BlockScanner,
        text: &[u8],
        at: usize,
        mut each: impl FnMut(usize, BlockMasks) -> Option<T>,
    ) -> Option<T> {
        let tables = Tables::new(&scanner.set);
        let all = |byte: &Byte| _mm256_set1_epi8(byte.byte.cast_signed());
        let (open, close) = (all(&scanner.open), all(&scanner.close));
        let [before_excepted, excepted] = scanner.except.each_ref().map(all);
        let pair = scanner.pair.each_ref().map(all);
        // Of 32 bytes: others than those of the set, the two single bytes, pairs.
        let look_up = |previous: __m256i, bytes: __m256i, next: __m256i| {
            let is_excepted = _mm256_and_si256(
                _mm256_cmpeq_epi8(previous, before_excepted),
                _mm256_cmpeq_epi8(bytes, excepted),
            );
            [
                _mm256_or_si256(tables.others(bytes), is_excepted),
                _mm256_cmpeq_epi8(bytes, open),
                _mm256_cmpeq_epi8(bytes, close),
                _mm256_and_si256(
                    _mm256_cmpeq_epi8(bytes, pair[0]),
                    _mm256_cmpeq_epi8(next, pair[1]),
                ),
            ]
        };
        let mut before = at.checked_sub(1)?;
        loop {
            let [previous, block, next] = shifted_blocks(text, before)?;
            let previous: [__m256i; 2] = zerocopy::transmute!(*previous);
            let block: [__m256i; 2] = zerocopy::transmute!(*block);
            let next: [__m256i; 2] = zerocopy::transmute!(*next);
            let first = look_up(previous[0], block[0], next[0]);
            let second = look_up(previous[1], block[1], next[1]);
            let masks = BlockMasks {
                set: !bits(first[0], second[0]),
                open: bits(first[1], second[1]),
                close: bits(first[2], second[2]),
                pair: bits(first[3], second[3]),
            };
            if let Some(found) = each(before + 1, masks) {
                return Some(found);
            }
            before += BLOCK;
        }
    }

    /// [`ByteSet::find`].
    #[target_feature(enable = "avx2")]
    pub(super) fn find(set: &ByteSet, text: &[u8], mut at: usize) -> usize {
        let tables = Tables::new(set);
        let mask = |block: &[u8; BLOCK]| tables.mask(block);
        while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk) {
            let mask = mask(block);
            if mask != 0 {
                return at + mask.trailing_zeros() as usize;
            }
            at += BLOCK;
        }
        // The last block begins before `at`.
        let left = text.len().saturating_sub(at);
        match text.last_chunk() {
            Some(block) if left > 0 => {
                let mask = mask(block) >> (BLOCK - left);
                let found = (mask.trailing_zeros() as usize).min(left);
                at + found
            }
            _ => set.find_slowly(text, at),
        }
    }

    /// [`count_line_breaks`](super::count_line_breaks).
    #[target_feature(enable = "avx2")]
    pub(super) fn count_line_breaks(text: &[u8], from: usize, to: usize) -> usize {
        super::count_without_branches(text, from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [(ByteSet, &[(u8, u8)]); 4] = {
        const MARKS: &[(u8, u8)] = &[
            (b'%', b'%'),
            (b'(', b'*'),
            (b'-', b'-'),
            (b'/', b'/'),
            (b':', b';'),
            (b'[', b'['),
            (b'{', b'{'),
            (0x80, 0xff),
        ];
        const SPECIAL: &[(u8, u8)] = &[(0, 31), (b'"', b'"'), (b'\\', b'\\'), (127, 127)];
        const ALL: &[(u8, u8)] = &[(0, 255)];
        const ENDS: &[(u8, u8)] = &[(0, 0), (255, 255)];
        [
            (ByteSet::of_ranges(MARKS), MARKS),
            (ByteSet::of_ranges(SPECIAL), SPECIAL),
            (ByteSet::of_ranges(ALL), ALL),
            (ByteSet::of_ranges(ENDS), ENDS),
        ]
    };

    fn is_in(ranges: &[(u8, u8)], byte: u8) -> bool {
        ranges
            .iter()
            .any(|&(first, last)| (first..=last).contains(&byte))
    }

    #[test]
    fn sets_contain_the_bytes_of_their_ranges() {
        for (set, ranges) in &SETS {
            for byte in 0..=255 {
                assert_eq!(set.contains(byte), is_in(ranges, byte), "{byte}");
            }
        }
    }

    #[test]
    fn masks_have_the_bytes_of_the_set() {
        let text: Vec<u8> = (0..300_u32).map(|i| (i * 7 % 256) as u8).collect();
        for (set, ranges) in &SETS {
            for start in 0..70 {
                let text = &text[start..];
                let mut masks = [0; 3];
                assert!(set.masks(text, &mut masks));
                let mut others = masks;
                set.masks_in_vectors(text, &mut others);
                assert_eq!(masks, others);
                for (at, &byte) in text.iter().take(3 * BLOCK).enumerate() {
                    let bit = masks[at / BLOCK] >> (at % BLOCK) & 1;
                    assert_eq!(bit == 1, is_in(ranges, byte), "{at}");
                }
            }
            assert!(!set.masks(&text[..3 * BLOCK - 1], &mut [0; 3]));
        }
    }

    #[test]
    fn scanners_find_bytes_exceptions_and_pairs() {
        static SCANNER: BlockScanner =
            BlockScanner::new(ByteSet::of_byte(b'-'), *b"O-", b'{', b'}', *b"[E");
        let mut random = 1_u32;
        let text: Vec<u8> = (0..400)
            .map(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"O-{}[E "[(random >> 24) as usize % 7]
            })
            .collect();
        for at in 1..140 {
            let (mut found, mut others) = (Vec::new(), Vec::new());
            let mut end = |at: usize, masks: BlockMasks| {
                found.push((at, masks));
                None::<()>
            };
            assert_eq!(SCANNER.scan(&text, at, &mut end), None);
            let mut end = |at: usize, masks: BlockMasks| {
                others.push((at, masks));
                None::<()>
            };
            assert_eq!(SCANNER.scan_in_vectors(&text, at, &mut end), None);
            assert_eq!(found, others);
            assert_eq!(found.len(), (text.len() - at - 1) / BLOCK);
            for (index, (start, masks)) in found.into_iter().enumerate() {
                assert_eq!(start, at + index * BLOCK);
                for bit in 0..BLOCK {
                    let [previous, byte, next] = [0, 1, 2].map(|i| text[start + bit + i - 1]);
                    let has = |mask: u64| mask >> bit & 1 == 1;
                    assert_eq!(has(masks.set), byte == b'-' && previous != b'O');
                    assert_eq!(has(masks.open), byte == b'{');
                    assert_eq!(has(masks.close), byte == b'}');
                    assert_eq!(has(masks.pair), byte == b'[' && next == b'E');
                }
            }
        }
        assert_eq!(SCANNER.scan(&text, 0, |_, _| Some(())), None);
        assert_eq!(SCANNER.scan(&text[..65], 1, |_, _| Some(())), None);
    }

    /// What each kind of instructions finds; those that this processor has.
    fn found(set: &ByteSet, text: &[u8], at: usize) -> Vec<usize> {
        let mut found = vec![
            set.find(text, at),
            set.find_near(text, at),
            set.find_in_vectors(text, at),
            set.find_slowly(text, at),
        ];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "instructions that not every processor has; see SAFETY"
            )]
            // SAFETY: the processor has AVX2.
            found.push(unsafe { avx2::find(set, text, at) });
        }
        found.dedup();
        found
    }

    #[test]
    fn every_byte_is_found_at_every_offset_with_all_instructions() {
        for (set, ranges) in &SETS {
            let Some(other) = (0..=255).find(|&byte| !is_in(ranges, byte)) else {
                continue;
            };
            for length in [1, 15, 16, 17, 63, 64, 65, 130] {
                for at in 0..length {
                    for byte in 0..=255 {
                        let mut text = vec![other; length];
                        text[at] = byte;
                        let expected = if is_in(ranges, byte) { at } else { length };
                        assert_eq!(found(set, &text, 0), [expected], "{byte} at {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn random_bytes_are_searched_alike_with_all_instructions() {
        let mut random = tabia_testkit::Random::new(13);
        for round in 0..20_000 {
            let length = random.below(200);
            let kinds = [2, 16, 256][round % 3];
            let start = random.below(256);
            let text: Vec<u8> = (0..length)
                .map(|_| (start + random.below(kinds)) as u8)
                .collect();
            for (set, ranges) in &SETS {
                for at in [0, random.below(length + 1), length, length + 1] {
                    let rest = text.get(at..).unwrap_or_default();
                    let next = rest.iter().position(|&byte| is_in(ranges, byte));
                    let expected = next.map_or(length, |next| at + next);
                    assert_eq!(found(set, &text, at), [expected], "{text:?} {at}");
                }
            }
        }
    }

    #[test]
    fn line_breaks_are_counted_alike_with_all_instructions() {
        let mut random = tabia_testkit::Random::new(17);
        for _ in 0..20_000 {
            let length = random.below(400);
            let text: Vec<u8> = (0..length).map(|_| b"\r\nab"[random.below(4)]).collect();
            let from = random.below(length + 1);
            let to = from + random.below(length - from + 1);
            let is_break = |&at: &usize| match text[at] {
                b'\n' => true,
                byte => byte == b'\r' && text.get(at + 1) != Some(&b'\n'),
            };
            let expected = (from..to).filter(is_break).count();
            assert_eq!(count_line_breaks(&text, from, to), expected, "{text:?}");
            assert_eq!(count_in_vectors(&text, from, to), expected, "{text:?}");
        }
        assert_eq!(count_line_breaks(b"\n", 2, 3), 0);
    }
}
