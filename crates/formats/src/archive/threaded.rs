//! A stream read ahead by a thread of its own.

use std::fmt;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes of one chunk.
const CHUNK: usize = 1 << 18;
/// Chunks that wait to be read at most.
const AHEAD: usize = 8;

/// `reader`, read ahead by a thread of its own, so that inflating and parsing overlap. At most
/// 2.25 MiB wait in the queue. Everything read before an error is delivered before the error.
/// Dropping the result ends the thread after its current read.
///
/// # Errors
/// When the system gives no thread.
pub fn threaded(mut reader: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let (full, chunks) = sync_channel::<io::Result<Vec<u8>>>(AHEAD);
    let (empties, back) = sync_channel::<Vec<u8>>(AHEAD + 2);
    std::thread::Builder::new()
        .name("read ahead".to_owned())
        .spawn(move || {
            loop {
                let mut chunk = back.try_recv().unwrap_or_default();
                chunk.resize(CHUNK, 0);
                let filled = fill(&mut *reader, &mut chunk);
                let (length, error) = match filled {
                    Ok(length) => (length, None),
                    Err((length, error)) => (length, Some(error)),
                };
                chunk.truncate(length);
                // An empty chunk says that the end was reached.
                if (length > 0 || error.is_none()) && full.send(Ok(chunk)).is_err() {
                    return;
                }
                if let Some(error) = error {
                    // A reader that has gone needs no error.
                    let _ = full.send(Err(error));
                    return;
                }
                if length == 0 {
                    return;
                }
            }
        })?;
    Ok(Box::new(Ahead {
        chunks,
        empties,
        current: Vec::new(),
        at: 0,
        over: false,
    }))
}

/// Reads until the chunk is full or the stream ends.
fn fill(reader: &mut dyn Read, chunk: &mut [u8]) -> Result<usize, (usize, io::Error)> {
    let mut length = 0;
    while let Some(rest) = chunk.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((length, error)),
        }
    }
    Ok(length)
}

struct Ahead {
    chunks: Receiver<io::Result<Vec<u8>>>,
    empties: SyncSender<Vec<u8>>,
    current: Vec<u8>,
    at: usize,
    over: bool,
}

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ahead")
    }
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.current.len() {
            if self.over {
                return Ok(0);
            }
            let next = self
                .chunks
                .recv()
                .unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
                .inspect_err(|_| self.over = true)?;
            self.over = next.is_empty();
            let used = std::mem::replace(&mut self.current, next);
            self.at = 0;
            // A chunk that nobody wants back is dropped.
            let _ = self.empties.try_send(used);
        }
        let rest = self.current.get(self.at..).unwrap_or_default();
        let length = rest.len().min(out.len());
        if let (Some(from), Some(to)) = (rest.get(..length), out.get_mut(..length)) {
            to.copy_from_slice(from);
        }
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(usize);

    impl Read for Failing {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::other("broken"));
            }
            let length = out.len().min(1000).min(self.0);
            self.0 -= length;
            out[..length].fill(7);
            Ok(length)
        }
    }

    #[test]
    fn all_bytes_arrive_before_the_error() {
        let mut stream = threaded(Box::new(Failing(1_234_000))).unwrap();
        let mut bytes = Vec::new();
        let error = stream.read_to_end(&mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "broken");
        assert_eq!(bytes.len(), 1_234_000);
        assert_eq!(stream.read(&mut [0; 4]).unwrap(), 0);
    }

    #[test]
    fn what_arrives_is_what_was_read() {
        let data: Vec<u8> = (0..3_000_000_u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8)
            .collect();
        let mut stream = threaded(Box::new(io::Cursor::new(data.clone()))).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, data);
        drop(threaded(Box::new(io::repeat(1))).unwrap());
    }
}
