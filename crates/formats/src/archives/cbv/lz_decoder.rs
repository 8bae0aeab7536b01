//! Decoding LZ-coded blocks. Layout: FORMAT.md, "LZ".

use tabia_core::Malformed;
use tabia_core::error::Why;

/// Bytes after the end of the output that the decoder may overwrite.
pub(super) const SLACK: usize = 32;

/// The smallest distance of a copy.
pub(super) const MIN_DISTANCE: usize = 3;

/// The largest distance of a copy: the number of bytes before a block that must be retained.
pub(super) const MAX_DISTANCE: usize = 0xfff + MIN_DISTANCE;

/// Decodes `input` to `out[start..]`, at most up to `end`, and returns the end of the output. Copies
/// may refer to the bytes before `start`. `out` must be at least [`SLACK`] bytes longer than `end`.
///
/// # Errors
/// Truncated tokens; copies from before the first byte; output beyond `end`, with `Why::Value` of the
/// index at which it would end.
pub(super) fn decode(
    input: &[u8],
    out: &mut [u8],
    start: usize,
    end: usize,
) -> Result<usize, Malformed> {
    let end = end.min(out.len().saturating_sub(SLACK));
    let mut at = 0;
    let mut to = start;
    loop {
        let mut control = match input.get(at..) {
            Some([low, high, ..]) => u32::from(*high) << 24 | u32::from(*low) << 16,
            Some([literal]) => {
                return literals(&[*literal], out, to, end).map_err(|why| malformed(at, why));
            }
            _ => return Ok(to),
        };
        at += 2;
        let mut tokens = 16;
        while tokens > 0 {
            // Literals up to the next set bit.
            let run = control.leading_zeros().min(tokens) as usize;
            if run > 0 {
                tokens -= run as u32;
                control <<= run;
                let rest = input.get(at..).unwrap_or_default();
                match (rest.first_chunk::<16>(), out.get_mut(to..to + 16)) {
                    (Some(from), Some(target)) if to + run <= end => {
                        target.copy_from_slice(from);
                        to += run;
                        at += run;
                    }
                    _ => {
                        let rest = rest.get(..run).unwrap_or(rest);
                        to = literals(rest, out, to, end).map_err(|why| malformed(at, why))?;
                        at += rest.len();
                        if rest.len() < run || at == input.len() {
                            return Ok(to);
                        }
                    }
                }
                if tokens == 0 {
                    break;
                }
            }
            let Some((token, used)) = token(input, at) else {
                if at >= input.len() {
                    return Ok(to);
                }
                let why = Why::Truncated {
                    needed: 3,
                    left: input.len() - at,
                };
                return Err(malformed(at, why));
            };
            to = match token {
                Token::Copy { distance, length } => copy(out, to, end, distance, length),
                Token::Run { value, length } => fill(out, to, end, value, length),
            }
            .map_err(|why| malformed(at, why))?;
            at += used;
            tokens -= 1;
            control <<= 1;
        }
    }
}

enum Token {
    Copy { distance: usize, length: usize },
    Run { value: u8, length: usize },
}

/// The token at `at` and its length in bytes; `None` if it is cut off.
#[inline(always)]
fn token(input: &[u8], at: usize) -> Option<(Token, usize)> {
    let (tag, second, third) = match input.get(at..)? {
        [tag, second, third, ..] => (*tag, *second, Some(*third)),
        [tag, second] => (*tag, *second, None),
        _ => return None,
    };
    let low = usize::from(tag & 15);
    let wide = low | usize::from(second) << 4;
    Some(match tag >> 4 {
        0 => (
            Token::Run {
                value: second,
                length: low + 3,
            },
            2,
        ),
        1 => (
            Token::Run {
                value: third?,
                length: wide + 19,
            },
            3,
        ),
        2 => {
            let length = usize::from(third?) + 16;
            (
                Token::Copy {
                    distance: wide + MIN_DISTANCE,
                    length,
                },
                3,
            )
        }
        length => {
            let length = usize::from(length);
            (
                Token::Copy {
                    distance: wide + MIN_DISTANCE,
                    length,
                },
                2,
            )
        }
    })
}

const fn malformed(at: usize, why: Why) -> Malformed {
    Malformed {
        field: "lz",
        at,
        why,
    }
}

/// The end of `length` bytes of output at `to`, if it does not exceed `end`.
fn output_end(to: usize, length: usize, end: usize) -> Result<usize, Why> {
    let stop = to.saturating_add(length);
    if stop > end {
        Err(Why::Value(stop as u64))
    } else {
        Ok(stop)
    }
}

fn literals(bytes: &[u8], out: &mut [u8], to: usize, end: usize) -> Result<usize, Why> {
    let stop = output_end(to, bytes.len(), end)?;
    if let Some(target) = out.get_mut(to..stop) {
        target.copy_from_slice(bytes);
    }
    Ok(stop)
}

fn fill(out: &mut [u8], to: usize, end: usize, value: u8, length: usize) -> Result<usize, Why> {
    let stop = output_end(to, length, end)?;
    if let Some(target) = out.get_mut(to..stop) {
        target.fill(value);
    }
    Ok(stop)
}

/// Copies byte by byte in effect: the source can overlap the target.
#[inline(always)]
fn copy(
    out: &mut [u8],
    to: usize,
    end: usize,
    distance: usize,
    length: usize,
) -> Result<usize, Why> {
    let stop = output_end(to, length, end)?;
    let Some(from) = to.checked_sub(distance) else {
        return Err(Why::Value(distance as u64));
    };
    if distance >= 16 {
        // Steps of 16 bytes write at most 15 bytes beyond the end, which [`SLACK`] allows.
        let mut done = 0;
        while done < length {
            let Some(chunk) = out
                .get(from + done..)
                .and_then(|rest| rest.first_chunk::<16>())
            else {
                break;
            };
            let chunk = *chunk;
            if let Some(target) = out
                .get_mut(to + done..)
                .and_then(|rest| rest.first_chunk_mut())
            {
                *target = chunk;
            }
            done += 16;
        }
    } else if let Some(window) = out.get_mut(from..stop) {
        for i in distance..window.len() {
            if let Some(byte) = window.get(i - distance).copied()
                && let Some(target) = window.get_mut(i)
            {
                *target = byte;
            }
        }
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(input: &[u8], before: &[u8], end: usize) -> Result<Vec<u8>, Malformed> {
        let mut out = before.to_vec();
        out.resize(end + SLACK, 0);
        let length = decode(input, &mut out, before.len(), end)?;
        Ok(out[before.len()..length].to_vec())
    }

    #[test]
    fn every_kind_of_token_is_decoded() {
        // Bits: literal ×3, short run, long run, short copy, long copy.
        let input = [
            0b0000_0000,
            0b0001_1110,
            b'a',
            b'b',
            b'c',
            0x02,
            b'x',
            0x10,
            0x00,
            b'y',
            0x40,
            0x00,
            0x20,
            0x00,
            0x01,
        ];
        let mut expected = b"abcxxxxx".to_vec();
        expected.extend([b'y'; 19]);
        expected.extend(b"yyyy");
        expected.extend([b'y'; 17]);
        assert_eq!(decoded(&input, b"", 100).unwrap(), expected);
    }

    #[test]
    fn copies_may_overlap_and_refer_to_earlier_bytes() {
        // Distance 4, length 15, after one literal.
        let input = [0x00, 0x40, b'd', 0xf1, 0x00];
        assert_eq!(decoded(&input, b"abc", 100).unwrap(), b"dabcdabcdabcdabc");
        let error = decoded(&input, b"ab", 100).unwrap_err();
        assert_eq!((error.at, error.why), (3, Why::Value(4)));
    }

    #[test]
    fn a_single_last_byte_is_a_literal() {
        assert_eq!(decoded(b"x", b"", 100).unwrap(), b"x");
        let mut input = vec![0, 0];
        input.extend([b'a'; 16]);
        input.push(b'z');
        assert_eq!(decoded(&input, b"", 100).unwrap(), b"aaaaaaaaaaaaaaaaz");
    }

    #[test]
    fn output_beyond_the_end_is_refused() {
        let input = [0x00, 0x80, 0x1f, 0xff, b'x'];
        let length = 15 + 4080 + 19;
        assert_eq!(decoded(&input, b"", length).unwrap(), vec![b'x'; length]);
        let error = decoded(&input, b"", length - 1).unwrap_err();
        assert_eq!(error.why, Why::Value(length as u64));
        assert!(decoded(&[0, 0x80, 0x1f], b"", 10).is_err());
    }
}
