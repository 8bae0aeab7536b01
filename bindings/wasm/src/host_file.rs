//! Files that the host reads.

use tabia::core::io::{Blob, ReadRange};

#[link(wasm_import_module = "tabia")]
unsafe extern "C" {
    /// Fills `length` bytes from `bytes` on with those of the file from the offset `at` on. 0 if it cannot; the host
    /// keeps the reason.
    fn read(file: u32, at: f64, bytes: *mut u8, length: usize) -> u32;
}

/// A file of the host, by its number.
struct HostFile(u32);

impl ReadRange for HostFile {
    fn read_range(&self, at: u64, bytes: &mut [u8]) -> bool {
        // Offsets are below 2^32, so that a double holds them exactly.
        let (target, length) = (bytes.as_mut_ptr(), bytes.len());
        // SAFETY: the host writes to these bytes only, and only during the call.
        unsafe { read(self.0, at as f64, target, length) != 0 }
    }
}

/// The bytes of the file with that number.
pub(crate) fn blob(number: u32, length: usize) -> Blob {
    Blob::in_ranges(length, Box::new(HostFile(number)))
}
