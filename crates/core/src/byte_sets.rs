//! Finds the next byte of a set, and counts line breaks, with the vector instructions of the processor.
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
        _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_srli_epi16,
    };

    use super::{BLOCK, ByteSet};

    /// [`ByteSet::find`].
    #[target_feature(enable = "avx2")]
    pub(super) fn find(set: &ByteSet, text: &[u8], mut at: usize) -> usize {
        let lower: __m128i = zerocopy::transmute!(set.lower);
        let upper: __m128i = zerocopy::transmute!(set.upper);
        let lower = _mm256_broadcastsi128_si256(lower);
        let upper = _mm256_broadcastsi128_si256(upper);
        let half = _mm256_set1_epi8(15);
        let vector_mask = |bytes: __m256i| {
            let of_lower = _mm256_shuffle_epi8(lower, _mm256_and_si256(bytes, half));
            let shifted = _mm256_srli_epi16::<4>(bytes);
            let of_upper = _mm256_shuffle_epi8(upper, _mm256_and_si256(shifted, half));
            let common = _mm256_and_si256(of_lower, of_upper);
            let others = _mm256_cmpeq_epi8(common, _mm256_setzero_si256());
            _mm256_movemask_epi8(others).cast_unsigned()
        };
        let mask = |block: &[u8; BLOCK]| {
            let [first, second]: [__m256i; 2] = zerocopy::transmute!(*block);
            !(u64::from(vector_mask(first)) | u64::from(vector_mask(second)) << 32)
        };
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
