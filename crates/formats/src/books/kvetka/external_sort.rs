//! Records in order of their keys, more of them than memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::scratch_file;
use zerocopy::byteorder::big_endian::U64;

use super::key::Key;

/// Bytes that records are sorted by: a key, and a number that keeps those of one key in order.
const ORDER: usize = Key::SIZE + 8;
type Place = [u8; ORDER];

/// Sorts records in runs of bounded size, kept in files without a name. Records of one key and
/// number stay in the order in which they came.
#[derive(Debug)]
pub(super) struct Runs {
    /// The scratch files lie in its folder.
    target: PathBuf,
    /// Bytes held in memory.
    most: usize,
    bytes: Vec<u8>,
    /// Where each record begins: its place, two bytes of length, what it says.
    starts: Vec<u32>,
    files: Vec<File>,
}

impl Runs {
    /// Keeps at most `most` bytes of records in memory.
    pub(super) fn new(target: &Path, most: usize) -> Self {
        Self {
            target: target.to_path_buf(),
            most: most.min(1 << 31),
            bytes: Vec::new(),
            starts: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Adds a record of at most 65535 bytes; what is longer is cut.
    pub(super) fn push(&mut self, key: &Key, number: u64, says: &[u8]) -> Result<()> {
        let says = says.get(..usize::from(u16::MAX)).unwrap_or(says);
        if self.bytes.len() + ORDER + 2 + says.len() > self.most && !self.starts.is_empty() {
            self.spill()?;
        }
        self.starts.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(&key.0);
        self.bytes.extend_from_slice(&U64::new(number).to_bytes());
        self.bytes
            .extend([(says.len() >> 8) as u8, says.len() as u8]);
        self.bytes.extend_from_slice(says);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.sort();
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let mut out = BufWriter::with_capacity(1 << 18, scratch_file(&self.target)?);
        for &start in &self.starts {
            out.write_all(record(&self.bytes, start)).map_err(named)?;
        }
        let mut file = out
            .into_inner()
            .map_err(|error| named(error.into_error()))?;
        file.rewind().map_err(named)?;
        self.files.push(file);
        self.bytes.clear();
        self.starts.clear();
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.starts
            .sort_by(|a, b| place(record(bytes, *a)).cmp(&place(record(bytes, *b))));
    }

    /// Hands every record on in order.
    pub(super) fn finish(mut self, mut each: impl FnMut(&Key, &[u8]) -> Result<()>) -> Result<()> {
        self.sort();
        let target = self.target.clone();
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        let files = std::mem::take(&mut self.files);
        let mut runs: Vec<Run> = files.into_iter().map(Run::new).collect();
        // The records in memory are the youngest run.
        let mut last = self.starts.iter().map(|start| record(&self.bytes, *start));
        let youngest = runs.len();
        let mut heads: Vec<Vec<u8>> = vec![Vec::new(); youngest + 1];
        let mut heap = BinaryHeap::new();
        let mut fill = |run: usize, head: &mut Vec<u8>| -> Result<bool> {
            head.clear();
            if let Some(run) = runs.get_mut(run) {
                return run.next(head).map_err(named);
            }
            let record = last.next();
            head.extend_from_slice(record.unwrap_or_default());
            Ok(record.is_some())
        };
        for (run, head) in heads.iter_mut().enumerate() {
            if fill(run, head)?
                && let Some(place) = place(head)
            {
                heap.push(Reverse((*place, run)));
            }
        }
        while let Some(Reverse((_, run))) = heap.pop() {
            let Some(head) = heads.get_mut(run) else {
                continue;
            };
            if let (Some(key), Some(says)) = (head.first_chunk(), head.get(ORDER + 2..)) {
                each(&Key(*key), says)?;
            }
            if fill(run, head)?
                && let Some(place) = place(head)
            {
                heap.push(Reverse((*place, run)));
            }
        }
        Ok(())
    }
}

/// The bytes of the record that begins there.
fn record(bytes: &[u8], start: u32) -> &[u8] {
    let rest = bytes.get(start as usize..).unwrap_or_default();
    let length = length(rest.get(ORDER..).unwrap_or_default());
    rest.get(..ORDER + 2 + length).unwrap_or_default()
}

fn place(record: &[u8]) -> Option<&Place> {
    record.first_chunk()
}

fn length(bytes: &[u8]) -> usize {
    match *bytes {
        [high, low, ..] => usize::from(high) << 8 | usize::from(low),
        _ => 0,
    }
}

struct Run {
    file: BufReader<File>,
}

impl Run {
    fn new(file: File) -> Self {
        Self {
            file: BufReader::with_capacity(1 << 17, file),
        }
    }

    /// Appends the next record to `head`; `false` at the end.
    fn next(&mut self, head: &mut Vec<u8>) -> std::io::Result<bool> {
        let mut start = [0; ORDER + 2];
        match self.file.read_exact(&mut start) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
        let says = length(start.get(ORDER..).unwrap_or_default());
        head.extend_from_slice(&start);
        head.resize(ORDER + 2 + says, 0);
        let rest = head.get_mut(ORDER + 2..).unwrap_or_default();
        self.file.read_exact(rest)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_merged_in_order() {
        let mut seed = 7u64;
        let mut given = Vec::new();
        for number in 0..500u64 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let mut key = Key([0; Key::SIZE]);
            key.0[3] = (seed % 20) as u8;
            let says = vec![number as u8; (seed >> 32) as usize % 40];
            given.push((key, number / 2, says));
        }
        let mut expected = given.clone();
        expected.sort_by_key(|(key, number, _)| (*key, *number));
        let expected: Vec<_> = expected.into_iter().map(|it| (it.0, it.2)).collect();
        for most in [1, 100, 5000, 1 << 20] {
            let mut runs = Runs::new(&std::env::temp_dir().join("runs.kob"), most);
            for (key, number, says) in &given {
                runs.push(key, *number, says).unwrap();
            }
            let mut sorted = Vec::new();
            runs.finish(|key, says| {
                sorted.push((*key, says.to_vec()));
                Ok(())
            })
            .unwrap();
            assert!(sorted == expected, "{most}");
        }
    }
}
