//! Damaged copies of bytes. The same seed produces the same damage.

use crate::random::Random;

/// A damaged copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The bytes of the copy.
    pub bytes: Vec<u8>,
    /// Offset of the first byte that differs from the original, or the length of a truncated copy.
    pub from: usize,
    /// A description of the damage, for messages.
    pub how: String,
}

/// All prefixes of `original` that are shorter than it, the shortest first.
pub fn prefixes(original: &[u8]) -> impl Iterator<Item = Damaged> + '_ {
    (0..original.len()).map(|length| prefix(original, length))
}

/// The first `length` bytes of `original`.
pub fn prefix(original: &[u8], length: usize) -> Damaged {
    Damaged {
        bytes: original[..length].to_vec(),
        from: length,
        how: format!("cut to {length} of {} bytes", original.len()),
    }
}

/// Copies of `original` with one byte changed, for every byte: to its complement, to 0, to 255 and by
/// one bit, without repetitions.
pub fn single_bytes(original: &[u8]) -> impl Iterator<Item = Damaged> + '_ {
    (0..original.len()).flat_map(move |at| {
        let old = original[at];
        let mut values = vec![!old, 0, 255, old ^ (1 << (at % 8))];
        values.sort_unstable();
        values.dedup();
        values
            .into_iter()
            .filter(move |new| *new != old)
            .map(move |new| {
                let mut bytes = original.to_vec();
                bytes[at] = new;
                Damaged {
                    bytes,
                    from: at,
                    how: format!("byte {at:#x} changed from {old:#04x} to {new:#04x}"),
                }
            })
    })
}

/// `count` randomly damaged copies of `original`: bytes changed, bits flipped, a run of bytes filled,
/// removed or duplicated, the end cut off, or bytes added.
pub fn random(original: &[u8], count: usize, seed: u64) -> impl Iterator<Item = Damaged> + '_ {
    let mut random = Random::new(seed);
    (0..count).map(move |number| {
        let mut damaged = damage(original, &mut random);
        damaged.how = format!("damage {number} of seed {seed}: {}", damaged.how);
        damaged
    })
}

/// One randomly damaged copy of `original`.
pub fn damage(original: &[u8], random: &mut Random) -> Damaged {
    let mut bytes = original.to_vec();
    let length = original.len();
    let kind = random.below(9);
    let how = if length == 0 || kind == 8 {
        for _ in 0..=random.below(64) {
            bytes.push(random.byte());
        }
        "bytes added".to_owned()
    } else {
        let at = random.below(length);
        // Mostly short runs, after which enough of the file is intact to be read further.
        let limit = 1 << random.below(10);
        let run = 1 + random.below((length - at).min(limit));
        match kind {
            0 | 1 => {
                let changes = 1 + random.below(4);
                for _ in 0..changes {
                    let at = random.below(length);
                    bytes[at] = random.byte();
                }
                format!("{changes} bytes changed")
            }
            2 => {
                bytes[at] ^= 1 << random.below(8);
                format!("bit flipped at {at:#x}")
            }
            3 => {
                let value = [0, 0xff, random.byte()][random.below(3)];
                bytes[at..at + run].fill(value);
                format!("{run} bytes at {at:#x} set to {value:#04x}")
            }
            4 => {
                for byte in &mut bytes[at..at + run] {
                    *byte = random.byte();
                }
                format!("{run} random bytes at {at:#x}")
            }
            5 => {
                bytes.drain(at..at + run);
                format!("{run} bytes at {at:#x} removed")
            }
            6 => {
                let copy = bytes[at..at + run].to_vec();
                let to = random.below(length);
                bytes.splice(to..to, copy);
                format!("{run} bytes at {at:#x} duplicated at {to:#x}")
            }
            _ => {
                bytes.truncate(at);
                format!("cut to {at} of {length} bytes")
            }
        }
    };
    let from = original
        .iter()
        .zip(&bytes)
        .position(|(a, b)| a != b)
        .unwrap_or(length.min(bytes.len()));
    Damaged { bytes, from, how }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_prefixes_and_all_bytes_are_covered() {
        let original = b"abc";
        let cut: Vec<Vec<u8>> = prefixes(original).map(|damaged| damaged.bytes).collect();
        assert_eq!(cut, [b"".to_vec(), b"a".to_vec(), b"ab".to_vec()]);
        let changed: Vec<Damaged> = single_bytes(original).collect();
        assert_eq!(changed.len(), 12);
        assert!(changed.iter().all(|damaged| damaged.bytes != original));
        assert_eq!(changed[11].from, 2);
    }

    #[test]
    fn damage_is_repeatable_and_begins_where_stated() {
        let original: Vec<u8> = (0..200).collect();
        let once: Vec<Damaged> = random(&original, 500, 7).collect();
        let again: Vec<Damaged> = random(&original, 500, 7).collect();
        assert_eq!(once, again);
        for damaged in &once {
            assert_eq!(
                damaged.bytes[..damaged.from],
                original[..damaged.from],
                "{}",
                damaged.how
            );
        }
        let untouched = once.iter().filter(|damaged| damaged.bytes == original);
        assert!(untouched.count() < 10);
        assert!(random(b"", 20, 1).all(|damaged| !damaged.bytes.is_empty()));
    }
}
