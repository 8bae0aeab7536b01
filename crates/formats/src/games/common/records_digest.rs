//! A digest of the records of a database as they are stored, for `Database::digest`.

use flate2::Crc;

/// Goes on from record to record; the moves of a record are bytes of a file.
#[derive(Debug)]
pub(crate) struct RecordsDigest<'f> {
    moves: &'f [u8],
    hash: u64,
    /// Bytes of the moves of the last records, which follow each other in the file: start and end.
    run: (u64, u64),
}

impl<'f> RecordsDigest<'f> {
    /// Before the first record; `moves` is the file with the moves.
    pub(crate) const fn new(moves: &'f [u8]) -> Self {
        Self {
            moves,
            hash: 0,
            run: (0, 0),
        }
    }

    /// Adds a record: other facts of it, and where its moves are.
    pub(crate) fn add(&mut self, facts: [u64; 2], at: u64, length: u64) {
        for fact in facts {
            self.mix(fact);
        }
        self.mix(length);
        if at != self.run.1 {
            self.end_run();
            self.run = (at, at);
        }
        self.run.1 = at.saturating_add(length);
    }

    fn mix(&mut self, number: u64) {
        let hash = (self.hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.hash = hash ^ hash >> 29;
    }

    fn end_run(&mut self) {
        let (start, end) = self.run;
        if start == end {
            return;
        }
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let bytes = range.and_then(|(start, end)| {
            let end = end.min(self.moves.len());
            self.moves.get(start..end)
        });
        let bytes = bytes.unwrap_or_default();
        self.mix(bytes.len() as u64);
        self.mix(checksum(bytes).into());
    }

    /// The digest of all records.
    pub(crate) fn finish(mut self) -> u64 {
        self.end_run();
        self.hash
    }
}

/// CRC-32 of bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_and_byte_counts() {
        let file: Vec<u8> = (0..200).collect();
        let digest = |file: &[u8], records: &[([u64; 2], u64, u64)]| {
            let mut digest = RecordsDigest::new(file);
            for &(facts, at, length) in records {
                digest.add(facts, at, length);
            }
            digest.finish()
        };
        let records = [([1, 2], 0, 10), ([3, 4], 10, 20), ([5, 6], 90, 5)];
        let expected = digest(&file, &records);
        assert_eq!(digest(&file, &records), expected);
        for at in (0..30).chain(90..95) {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert_ne!(digest(&changed, &records), expected, "{at}");
        }
        let mut changed = file.clone();
        changed[50] ^= 1;
        assert_eq!(digest(&changed, &records), expected);
        for number in 0..records.len() {
            for fact in 0..2 {
                let mut other = records;
                other[number].0[fact] ^= 1 << 40;
                assert_ne!(digest(&file, &other), expected);
            }
        }
        assert_ne!(digest(&file, &records[..2]), expected);
        // Moves beyond the end, and bytes that belong to another record.
        assert_ne!(digest(&file[..92], &records), expected);
        let moved = [([1, 2], 0, 11), ([3, 4], 11, 19), ([5, 6], 90, 5)];
        assert_ne!(digest(&file, &moved), expected);
        assert_ne!(digest(&file, &[([0; 2], u64::MAX, u64::MAX)]), 0);
    }
}
