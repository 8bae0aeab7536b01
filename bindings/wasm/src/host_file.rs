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
        // Files have at most 4 GiB, since lengths have 32 bits here.
        let Ok(at) = u32::try_from(at) else {
            return false;
        };
        let (target, length) = (bytes.as_mut_ptr(), bytes.len());
        // SAFETY: the host writes to these bytes only, and only during the call.
        unsafe { read(self.0, f64::from(at), target, length) != 0 }
    }
}

/// The bytes of the file with that number.
pub(crate) fn blob(number: u32, length: usize) -> Blob {
    Blob::in_ranges(length, Box::new(HostFile(number)))
}
