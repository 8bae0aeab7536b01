//! By what a file is recognised without reading all of it: its size and a sample of its bytes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::hexadecimal;

/// Files up to this size are hashed completely.
const WHOLE: u64 = 1 << 19;
/// Size of the samples at the start and at the end of larger files, in bytes.
const END: u64 = 1 << 16;
/// Number and size of the samples between them.
const INNER: u64 = 6;
const INNER_SIZE: u64 = 1 << 14;

/// The size of a file, and a hash of a sample of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    size: u64,
    /// 32 hexadecimal digits; empty for a file that cannot be read.
    sample: String,
}

impl Fingerprint {
    /// The fingerprint of the file at `path`; `None` if there is none. Only the size of a file that
    /// cannot be read is known.
    ///
    /// # Errors
    /// When the file system cannot state whether there is a file.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let data = match std::fs::metadata(path) {
            Ok(data) => data,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut size = data.len();
        let mut sample = String::new();
        // Opening a pipe would wait for its other end.
        if data.is_file() {
            match File::open(path) {
                // It was renamed since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(_) => {}
                Ok(file) => {
                    // That of the file that was opened.
                    size = file.metadata()?.len();
                    sample = sample_of(file, size).unwrap_or_default();
                }
            }
        }
        Ok(Some(Self { size, sample }))
    }

    /// Reads what [`Display`](fmt::Display) writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (size, sample) = text.split_once(':')?;
        Some(Self {
            size: size.parse().ok()?,
            sample: sample.to_owned(),
        })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.size, self.sample)
    }
}

fn sample_of(mut file: File, size: u64) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = Vec::new();
    let mut add = |at: u64, length: u64| {
        buffer.clear();
        file.seek(SeekFrom::Start(at))?;
        (&mut file).take(length).read_to_end(&mut buffer)?;
        hash.update(&buffer);
        io::Result::Ok(())
    };
    if size <= WHOLE {
        add(0, size)?;
    } else {
        add(0, END)?;
        for number in 1..=INNER {
            add(size / (INNER + 1) * number, INNER_SIZE)?;
        }
        add(size - END, END)?;
    }
    let hash = hash.finalize();
    Ok(hexadecimal::digits(hash.get(..16).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn files_are_distinguished_by_size_and_samples() {
        let folder = Scratch::new("fingerprint");
        let path = folder.join("a");
        let of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let found = Fingerprint::of(&path).unwrap().unwrap();
            assert_eq!(Fingerprint::parse(&found.to_string()).unwrap(), found);
            found
        };
        assert_eq!(of(b"ab"), of(b"ab"));
        assert_ne!(of(b"ab"), of(b"ac"));
        assert_ne!(of(b""), of(b"\0"));
        let mut large = vec![0; 2_000_000];
        let before = of(&large);
        let middle = large.len() / 7;
        for at in [0, 65_535, middle, 1_999_999] {
            large[at] = 1;
            assert_ne!(of(&large), before, "{at}");
            large[at] = 0;
        }
        assert_eq!(of(&large), before);
        assert_eq!(Fingerprint::of(&folder.join("none")).unwrap(), None);
        for other in ["", "7", "x:00", "-1:00"] {
            assert_eq!(Fingerprint::parse(other), None, "{other}");
        }
    }
}
