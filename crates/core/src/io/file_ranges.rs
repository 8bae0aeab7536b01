//! The bytes of a file that is read in ranges.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 14;

/// Reads parts of a file, for [`Blob::in_ranges`](super::Blob::in_ranges).
pub trait ReadRange: Send + Sync {
    /// Fills `bytes` with those of the file from the offset `at` on, all of which are in it. False if they cannot be
    /// read; why is kept by the implementation.
    fn read_range(&self, at: u64, bytes: &mut [u8]) -> bool;
}

/// The bytes of a file, read when they are asked for. What was read is kept.
pub(super) struct FileRanges {
    file: Box<dyn ReadRange>,
    length: usize,
    chunks: Vec<Chunk>,
    whole: OnceLock<Box<[u8]>>,
    /// Bytes in all [`LongRange`]s.
    in_long_ranges: AtomicUsize,
}

#[derive(Default)]
struct Chunk {
    bytes: OnceLock<Box<[u8]>>,
    /// Ranges that begin in this chunk and end in another.
    long_ranges: OnceLock<Box<LongRange>>,
}

struct LongRange {
    start: usize,
    bytes: Box<[u8]>,
    next: OnceLock<Box<LongRange>>,
}

impl FileRanges {
    pub(super) fn new(length: usize, file: Box<dyn ReadRange>) -> Self {
        let mut chunks = Vec::new();
        chunks.resize_with(length.div_ceil(CHUNK), Chunk::default);
        Self {
            file,
            length,
            chunks,
            whole: OnceLock::new(),
            in_long_ranges: AtomicUsize::new(0),
        }
    }

    /// The bytes from `start` to before `end`; `None` if they exceed the file or cannot be read.
    pub(super) fn get(&self, start: usize, end: usize) -> Option<&[u8]> {
        if start > end || end > self.length {
            return None;
        }
        if start == end {
            return Some(&[]);
        }
        if let Some(whole) = self.whole.get() {
            return whole.get(start..end);
        }
        let number = start / CHUNK;
        let chunk = self.chunks.get(number)?;
        let offset = number * CHUNK;
        if (end - 1) / CHUNK > number {
            return self.long_range(chunk, start, end);
        }
        if chunk.bytes.get().is_none() {
            let length = CHUNK.min(self.length - offset);
            let _ = chunk.bytes.set(self.read(offset, length)?);
        }
        chunk.bytes.get()?.get(start - offset..end - offset)
    }

    fn long_range<'f>(&'f self, chunk: &'f Chunk, start: usize, end: usize) -> Option<&'f [u8]> {
        let mut link = &chunk.long_ranges;
        while let Some(range) = link.get() {
            let at = start.checked_sub(range.start);
            if let Some(found) = at.and_then(|at| range.bytes.get(at..at + (end - start))) {
                return Some(found);
            }
            link = &range.next;
        }
        // Ranges that overlap are kept only up to the size of the file.
        let kept = self.in_long_ranges.load(Ordering::Relaxed);
        if kept.saturating_add(end - start) >= self.length {
            let _ = self.whole.set(self.read(0, self.length)?);
            return self.whole.get()?.get(start..end);
        }
        self.in_long_ranges
            .fetch_add(end - start, Ordering::Relaxed);
        let mut range = Box::new(LongRange {
            start,
            bytes: self.read(start, end - start)?,
            next: OnceLock::new(),
        });
        // Another thread may have appended one meanwhile.
        while let Err(unset) = link.set(range) {
            range = unset;
            link = &link.get()?.next;
        }
        link.get()?.bytes.get(..end - start)
    }

    fn read(&self, at: usize, length: usize) -> Option<Box<[u8]>> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).ok()?;
        bytes.resize(length, 0);
        self.file
            .read_range(at as u64, &mut bytes)
            .then(|| bytes.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::io::Blob;

    #[derive(Default)]
    struct Log {
        reads: Mutex<Vec<(u64, usize)>>,
        fails: AtomicBool,
    }

    struct Numbered(Arc<Log>);

    fn byte(at: usize) -> u8 {
        (at / 7) as u8
    }

    impl ReadRange for Numbered {
        fn read_range(&self, at: u64, bytes: &mut [u8]) -> bool {
            self.0.reads.lock().unwrap().push((at, bytes.len()));
            for (i, target) in bytes.iter_mut().enumerate() {
                *target = byte(at as usize + i);
            }
            !self.0.fails.load(Ordering::Relaxed)
        }
    }

    fn blob(length: usize) -> (Blob, Arc<Log>) {
        let log = Arc::new(Log::default());
        let file = Box::new(Numbered(Arc::clone(&log)));
        (Blob::in_ranges(length, file), log)
    }

    fn expected(start: usize, end: usize) -> Vec<u8> {
        (start..end).map(byte).collect()
    }

    #[test]
    fn only_what_is_asked_for_is_read_and_once() {
        let (blob, log) = blob(10 * CHUNK + 3);
        assert_eq!(blob.len(), 10 * CHUNK + 3);
        for (start, end) in [
            (5, 9),
            (5, 9),
            (CHUNK - 1, CHUNK),
            (10 * CHUNK, 10 * CHUNK + 3),
        ] {
            assert_eq!(blob.get(start..end).unwrap(), expected(start, end));
        }
        let long = (CHUNK - 2, CHUNK + 2);
        for _ in 0..2 {
            assert_eq!(blob.get(long.0..long.1).unwrap(), expected(long.0, long.1));
        }
        let inside = (CHUNK - 1, CHUNK + 1);
        assert_eq!(
            blob.get(inside.0..inside.1).unwrap(),
            expected(inside.0, inside.1)
        );
        let part = blob.part(2 * CHUNK - 1, 8).unwrap();
        assert_eq!(part.get(1..3).unwrap(), expected(2 * CHUNK, 2 * CHUNK + 2));
        assert_eq!(blob.prefix(3), expected(0, 3));
        assert_eq!(
            part.at_most(6, 9).unwrap(),
            expected(2 * CHUNK + 5, 2 * CHUNK + 7)
        );
        let reads = log.reads.lock().unwrap();
        let wanted = [
            (0, CHUNK),
            (10 * CHUNK as u64, 3),
            (CHUNK as u64 - 2, 4),
            (2 * CHUNK as u64, CHUNK),
        ];
        assert_eq!(*reads, wanted);
    }

    #[test]
    fn what_exceeds_the_file_is_none() {
        let (blob, log) = blob(CHUNK);
        assert!(blob.get(0..=CHUNK).is_none());
        assert!(blob.get(CHUNK + 1..).is_none());
        assert!(blob.get(usize::MAX - 1..usize::MAX).is_none());
        assert_eq!(blob.get(CHUNK..), Some(&[][..]));
        assert!(log.reads.lock().unwrap().is_empty());
    }

    #[test]
    fn overlapping_ranges_are_kept_up_to_the_size_of_the_file() {
        let (blob, log) = blob(4 * CHUNK);
        for start in 0..200 {
            let end = 2 * CHUNK + start;
            assert_eq!(blob.get(start..end).unwrap().len(), 2 * CHUNK);
        }
        let read: usize = log.reads.lock().unwrap().iter().map(|(_, n)| n).sum();
        assert!(read <= 2 * 4 * CHUNK, "{read}");
        assert_eq!(blob.as_slice(), expected(0, 4 * CHUNK));
    }

    #[test]
    fn what_cannot_be_read_is_none_and_tried_again() {
        let (blob, log) = blob(3 * CHUNK);
        log.fails.store(true, Ordering::Relaxed);
        assert!(blob.get(1..2).is_none());
        assert!(blob.get(1..=CHUNK).is_none());
        assert!(blob.as_slice().is_empty());
        log.fails.store(false, Ordering::Relaxed);
        assert_eq!(blob.get(1..2).unwrap(), expected(1, 2));
        assert_eq!(blob.as_slice(), expected(0, 3 * CHUNK));
    }

    #[test]
    fn threads_share_what_is_read() {
        let (blob, _) = blob(64 * CHUNK);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 1..60 {
                        let (start, end) = (number * CHUNK - 3, number * CHUNK + 40);
                        assert_eq!(blob.get(start..end).unwrap(), expected(start, end));
                    }
                });
            }
        });
    }
}
