//! Damaged copies of bytes. All of it is repeatable: the same seed gives the same damage.

/// A small generator of pseudo-random numbers (xorshift64*), the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    pub fn new(seed: u64) -> Self {
        // The state must not be 0; the multiplication spreads small seeds.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        (self.number() % bound as u64) as usize
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        (self.number() >> 32) as u8
    }
}

/// One damaged copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offset of the first byte that differs from the original, or the length if it was cut.
    pub from: usize,
    /// What was done, for messages.
    pub how: String,
}

/// Every prefix of `whole` shorter than `whole`, shortest first.
pub fn prefixes(whole: &[u8]) -> impl Iterator<Item = Damaged> + '_ {
    (0..whole.len()).map(|length| prefix(whole, length))
}

/// The first `length` bytes of `whole`.
pub fn prefix(whole: &[u8], length: usize) -> Damaged {
    Damaged {
        bytes: whole[..length].to_vec(),
        from: length,
        how: format!("cut to {length} of {} bytes", whole.len()),
    }
}

/// `whole` with one byte changed, for every byte: to its complement, to 0, to 255 and by one bit,
/// as far as these differ from what stands there.
pub fn single_bytes(whole: &[u8]) -> impl Iterator<Item = Damaged> + '_ {
    (0..whole.len()).flat_map(move |at| {
        let old = whole[at];
        let mut values = vec![!old, 0, 255, old ^ (1 << (at % 8))];
        values.sort_unstable();
        values.dedup();
        values
            .into_iter()
            .filter(move |new| *new != old)
            .map(move |new| {
                let mut bytes = whole.to_vec();
                bytes[at] = new;
                Damaged {
                    bytes,
                    from: at,
                    how: format!("byte {at:#x} changed from {old:#04x} to {new:#04x}"),
                }
            })
    })
}

/// `count` copies of `whole`, each damaged at random in one of several ways: bytes changed, bits
/// flipped, a run filled, moved, cut out or doubled, the end cut off or rubbish added.
pub fn random(whole: &[u8], count: usize, seed: u64) -> impl Iterator<Item = Damaged> + '_ {
    let mut random = Random::new(seed);
    (0..count).map(move |number| {
        let mut damaged = damage(whole, &mut random);
        damaged.how = format!("damage {number} of seed {seed}: {}", damaged.how);
        damaged
    })
}

/// One copy of `whole`, damaged at random.
pub fn damage(whole: &[u8], random: &mut Random) -> Damaged {
    let mut bytes = whole.to_vec();
    let length = whole.len();
    let kind = random.below(9);
    let how = if length == 0 || kind == 8 {
        for _ in 0..=random.below(64) {
            bytes.push(random.byte());
        }
        "rubbish added".to_owned()
    } else {
        let at = random.below(length);
        // Mostly short runs: those leave enough of the file standing to be read on.
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
                format!("{run} bytes at {at:#x} cut out")
            }
            6 => {
                let copy = bytes[at..at + run].to_vec();
                let to = random.below(length);
                bytes.splice(to..to, copy);
                format!("{run} bytes at {at:#x} doubled at {to:#x}")
            }
            _ => {
                bytes.truncate(at);
                format!("cut to {at} of {length} bytes")
            }
        }
    };
    let from = whole
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
    fn every_prefix_and_every_byte() {
        let whole = b"abc";
        let cut: Vec<Vec<u8>> = prefixes(whole).map(|damaged| damaged.bytes).collect();
        assert_eq!(cut, [b"".to_vec(), b"a".to_vec(), b"ab".to_vec()]);
        let changed: Vec<Damaged> = single_bytes(whole).collect();
        assert_eq!(changed.len(), 12);
        assert!(changed.iter().all(|damaged| damaged.bytes != whole));
        assert_eq!(changed[11].from, 2);
    }

    #[test]
    fn damage_is_repeatable_and_says_where_it_begins() {
        let whole: Vec<u8> = (0..200).collect();
        let once: Vec<Damaged> = random(&whole, 500, 7).collect();
        let again: Vec<Damaged> = random(&whole, 500, 7).collect();
        assert_eq!(once, again);
        for damaged in &once {
            assert_eq!(
                damaged.bytes[..damaged.from],
                whole[..damaged.from],
                "{}",
                damaged.how
            );
        }
        let untouched = once.iter().filter(|damaged| damaged.bytes == whole);
        assert!(untouched.count() < 10);
        assert!(random(b"", 20, 1).all(|damaged| !damaged.bytes.is_empty()));
    }
}
