//! The LZ method of CBV blocks. Facts: FORMAT.md, "LZ".

use tabia_core::Malformed;
use tabia_core::error::Why;

/// Bytes behind the end of what is decoded that the decoder may overwrite.
pub(super) const SLACK: usize = 32;

/// The nearest a reference reaches back.
pub(super) const NEAREST: usize = 3;

/// The farthest a reference reaches back: how much of what came before must be kept.
pub(super) const FARTHEST: usize = 0xfff + NEAREST;

/// Decodes `input` to `out[start..]`, at most up to `end`; what stands before `start` may be
/// referred to. `out` must be at least [`SLACK`] longer than `end`. Returns where the output ends.
///
/// # Errors
/// Tokens cut off, references to before the start, more output than there is room: then
/// `Why::Value` of the place it would end at.
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
                return literals(&[*literal], out, to, end).map_err(|why| fault(at, why));
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
                    (Some(from), Some(room)) if to + run <= end => {
                        room.copy_from_slice(from);
                        to += run;
                        at += run;
                    }
                    _ => {
                        let rest = rest.get(..run).unwrap_or(rest);
                        to = literals(rest, out, to, end).map_err(|why| fault(at, why))?;
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
                return Err(fault(at, why));
            };
            to = match token {
                Token::Copy { distance, length } => copy(out, to, end, distance, length),
                Token::Run { value, length } => fill(out, to, end, value, length),
            }
            .map_err(|why| fault(at, why))?;
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

/// The token at `at` and its length; `None` when it is cut off.
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
                    distance: wide + NEAREST,
                    length,
                },
                3,
            )
        }
        length => {
            let length = usize::from(length);
            (
                Token::Copy {
                    distance: wide + NEAREST,
                    length,
                },
                2,
            )
        }
    })
}

const fn fault(at: usize, why: Why) -> Malformed {
    Malformed {
        field: "lz",
        at,
        why,
    }
}

fn room(to: usize, length: usize, end: usize) -> Result<usize, Why> {
    let stop = to.saturating_add(length);
    if stop > end {
        Err(Why::Value(stop as u64))
    } else {
        Ok(stop)
    }
}

fn literals(bytes: &[u8], out: &mut [u8], to: usize, end: usize) -> Result<usize, Why> {
    let stop = room(to, bytes.len(), end)?;
    if let Some(room) = out.get_mut(to..stop) {
        room.copy_from_slice(bytes);
    }
    Ok(stop)
}

fn fill(out: &mut [u8], to: usize, end: usize, value: u8, length: usize) -> Result<usize, Why> {
    let stop = room(to, length, end)?;
    if let Some(room) = out.get_mut(to..stop) {
        room.fill(value);
    }
    Ok(stop)
}

/// Copies as if byte by byte: what is copied may be part of the copy.
#[inline(always)]
fn copy(
    out: &mut [u8],
    to: usize,
    end: usize,
    distance: usize,
    length: usize,
) -> Result<usize, Why> {
    let stop = room(to, length, end)?;
    let Some(from) = to.checked_sub(distance) else {
        return Err(Why::Value(distance as u64));
    };
    if distance >= 16 {
        // Whole steps of sixteen bytes: never more than 15 beyond the end, which is slack.
        let mut done = 0;
        while done < length {
            let Some(chunk) = out
                .get(from + done..)
                .and_then(|rest| rest.first_chunk::<16>())
            else {
                break;
            };
            let chunk = *chunk;
            if let Some(room) = out
                .get_mut(to + done..)
                .and_then(|rest| rest.first_chunk_mut())
            {
                *room = chunk;
            }
            done += 16;
        }
    } else if let Some(window) = out.get_mut(from..stop) {
        for i in distance..window.len() {
            if let Some(byte) = window.get(i - distance).copied()
                && let Some(room) = window.get_mut(i)
            {
                *room = byte;
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
    fn every_kind_of_token() {
        // Bits: literal ×3, short run, long run, short reference, long reference.
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
    fn references_may_overlap_and_reach_into_what_came_before() {
        // Distance 4, length 15, after one literal.
        let input = [0x00, 0x40, b'd', 0xf1, 0x00];
        assert_eq!(decoded(&input, b"abc", 100).unwrap(), b"dabcdabcdabcdabc");
        let error = decoded(&input, b"ab", 100).unwrap_err();
        assert_eq!((error.at, error.why), (3, Why::Value(4)));
    }

    #[test]
    fn one_byte_that_is_left_is_a_literal() {
        assert_eq!(decoded(b"x", b"", 100).unwrap(), b"x");
        let mut input = vec![0, 0];
        input.extend([b'a'; 16]);
        input.push(b'z');
        assert_eq!(decoded(&input, b"", 100).unwrap(), b"aaaaaaaaaaaaaaaaz");
    }

    #[test]
    fn output_beyond_the_room_is_refused() {
        let input = [0x00, 0x80, 0x1f, 0xff, b'x'];
        let length = 15 + 4080 + 19;
        assert_eq!(decoded(&input, b"", length).unwrap(), vec![b'x'; length]);
        let error = decoded(&input, b"", length - 1).unwrap_err();
        assert_eq!(error.why, Why::Value(length as u64));
        assert!(decoded(&[0, 0x80, 0x1f], b"", 10).is_err());
    }
}
