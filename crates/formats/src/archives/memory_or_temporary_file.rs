//! Unpacked bytes: in memory up to a limit, beyond it in a temporary file.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use tabia_core::Result;
use tabia_core::io::{Blob, TemporaryFile};

/// Bytes of a member that are unpacked at once. Smaller buffers make unpacking half as slow again.
pub(super) const CHUNK: usize = 1 << 18;

/// The bytes of memory that unpacked files may still take. Several threads share it.
#[derive(Debug)]
pub(super) struct MemoryBudget(AtomicU64);

impl MemoryBudget {
    pub(super) fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Whether `bytes` more may be taken, which this call does.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: u64| left.checked_sub(bytes as u64);
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, less).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// Bytes in memory where there are no files.
const WITHOUT_FILES: usize = 1 << 30;

/// The bytes of a stream that is read to its end: in memory up to `limit` bytes, otherwise in a
/// temporary file without a name, mapped.
///
/// # Errors
/// Those of the stream; [`ErrorKind::TemporaryFile`](tabia_core::ErrorKind::TemporaryFile).
pub fn read_unpacked(stream: &mut dyn Read, limit: u64) -> Result<Blob> {
    let (blob, error) = collect(stream, &MemoryBudget::new(limit))?;
    error.map_or(Ok(blob), |error| Err(error.into()))
}

/// The bytes of a stream up to its end or first error, and that error.
///
/// # Errors
/// [`ErrorKind::TemporaryFile`](tabia_core::ErrorKind::TemporaryFile).
pub(super) fn collect(
    stream: &mut dyn Read,
    budget: &MemoryBudget,
) -> Result<(Blob, Option<io::Error>)> {
    let mut memory = Vec::new();
    let mut file: Option<TemporaryFile> = None;
    let mut chunk = vec![0; CHUNK];
    let error = loop {
        let read = match stream.read(&mut chunk) {
            Ok(0) => break None,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break Some(error),
        };
        let bytes = chunk.get(..read).unwrap_or_default();
        let is_small = cfg!(target_family = "wasm") && memory.len() < WITHOUT_FILES;
        if file.is_none() && (budget.take(read) || is_small) {
            memory.extend_from_slice(bytes);
            continue;
        }
        if file.is_none() {
            let mut target = TemporaryFile::new()?;
            target.write_all(&memory)?;
            budget.give_back(memory.len());
            memory = Vec::new();
            file = Some(target);
        }
        if let Some(file) = &mut file {
            file.write_all(bytes)?;
        }
    };
    let blob = if let Some(file) = file {
        file.map()?
    } else {
        memory.shrink_to_fit();
        Blob::from(memory)
    };
    Ok((blob, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_the_budget_are_in_a_file() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 5).map(|i| (i / 7) as u8).collect();
        for limit in [0, CHUNK, 2 * CHUNK, 4 * CHUNK] {
            let blob = read_unpacked(&mut &*bytes, limit as u64).unwrap();
            assert!(blob[..] == bytes, "{limit}");
        }
        let budget = MemoryBudget::new(2 * CHUNK as u64);
        // The first is in memory, the second is not, and gives its part of the budget back.
        let one = collect(&mut &bytes[..=CHUNK], &budget).unwrap().0;
        assert_eq!(one.len(), CHUNK + 1);
        assert_eq!(budget.0.load(Ordering::Relaxed), CHUNK as u64 - 1);
        collect(&mut &*bytes, &budget).unwrap();
        assert_eq!(budget.0.load(Ordering::Relaxed), CHUNK as u64 - 1);
    }

    #[test]
    fn bytes_before_an_error_are_kept() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut stream = (&b"abc"[..]).chain(Broken);
        let (blob, error) = collect(&mut stream, &MemoryBudget::new(9)).unwrap();
        assert_eq!((&blob[..], error.is_some()), (&b"abc"[..], true));
        let mut stream = (&b"abc"[..]).chain(Broken);
        assert!(read_unpacked(&mut stream, 9).is_err());
    }
}
