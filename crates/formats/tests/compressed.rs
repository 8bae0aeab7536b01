//! Compressed streams: round trips, and damage is reported with its offset.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use tabia_core::formats::Limits;
use tabia_core::{Error, ErrorKind, Result};
use tabia_formats::archives::compressed::{Compression, compress, decompress, decompress_within};
use tabia_testkit::{Random, corrupt};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The kinds that this build reads and writes.
fn kinds() -> impl Iterator<Item = Compression> {
    Compression::ALL
        .into_iter()
        .filter(|kind| kind.is_available())
}

fn packed(kind: Compression, data: &[u8]) -> Vec<u8> {
    let target = Shared::default();
    let mut writer = compress(Box::new(target.clone()), kind).unwrap();
    for part in data.chunks(7_001) {
        writer.write_all(part).unwrap();
    }
    writer.finish().unwrap();
    let bytes = target.0.lock().unwrap();
    bytes.clone()
}

/// The bytes that can be unpacked, the compression, and the error that ended the stream.
fn unpacked(bytes: &[u8]) -> (Vec<u8>, Compression, Result<()>) {
    let (mut stream, kind) = decompress(Box::new(io::Cursor::new(bytes.to_vec()))).unwrap();
    let mut data = Vec::new();
    let result = stream.read_to_end(&mut data);
    (data, kind, result.map(|_| ()).map_err(Error::from))
}

/// Text that compresses, with random bytes in it.
fn text(length: usize) -> Vec<u8> {
    let mut random = Random::new(5);
    let words = [
        "1.",
        "e4",
        "e5",
        "Nf3",
        "Nc6",
        "Bb5",
        "O-O",
        "{good}",
        "\n",
        "[%clk 0:01:02]",
    ];
    let mut text = Vec::new();
    while text.len() < length {
        text.extend(words[random.below(words.len())].bytes());
        text.push(b' ');
        if random.below(9) == 0 {
            text.push(random.byte());
        }
    }
    text.truncate(length);
    text
}

#[test]
fn streams_round_trip() {
    for kind in kinds() {
        for length in [0, 1, 100, 1_000_000] {
            let data = text(length);
            let bytes = packed(kind, &data);
            assert_eq!(bytes, packed(kind, &data), "{kind}: repeated");
            let (back, found, result) = unpacked(&bytes);
            result.unwrap();
            assert_eq!(found, kind);
            assert!(back == data, "{kind} {length}");
        }
    }
}

#[test]
fn consecutive_streams_are_concatenated() {
    for kind in kinds() {
        let (one, two) = (text(300_000), text(5));
        let mut bytes = packed(kind, &one);
        bytes.extend(packed(kind, &[]));
        bytes.extend(packed(kind, &two));
        if matches!(kind, Compression::Zstd | Compression::Lz4) {
            let frame = [0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'];
            bytes = [&frame[..], &bytes, &frame].concat();
        } else {
            bytes.extend([0; 512]);
        }
        let (back, found, result) = unpacked(&bytes);
        result.unwrap();
        assert_eq!(found, kind);
        assert!(back == [one, two].concat(), "{kind}");
    }
}

#[test]
fn uncompressed_input_is_unchanged() {
    for data in [
        &b""[..],
        b"[",
        b"BZh is no header",
        b"\x1f\x8b\x07",
        &text(600_000),
    ] {
        let (back, kind, result) = unpacked(data);
        result.unwrap();
        assert_eq!((kind, back.as_slice()), (Compression::None, data));
    }
}

#[test]
fn truncated_streams_end_with_an_error() {
    for kind in kinds() {
        let data = text(400_000);
        let bytes = packed(kind, &data);
        for cut in [bytes.len() - 1, bytes.len() - 5, bytes.len() / 2, 20] {
            let (back, _, result) = unpacked(&bytes[..cut]);
            let error = result.expect_err(kind.name());
            let at = error.location().offset.unwrap();
            assert!(at <= cut as u64, "{kind}: {error}");
            assert!(data.starts_with(&back), "{kind}");
            if cut + 5 >= bytes.len() && kind != Compression::Bzip2 {
                assert!(back.len() + 70_000 > data.len(), "{kind}: {}", back.len());
            }
            assert!(error.to_string().contains("stream"), "{error}");
        }
    }
}

#[test]
fn bytes_before_the_damage_are_delivered() {
    let data = text(3_000_000);
    for kind in kinds() {
        let mut bytes = packed(kind, &data);
        let at = bytes.len() * 3 / 4;
        for byte in &mut bytes[at..at + 64] {
            *byte = !*byte;
        }
        let (back, _, result) = unpacked(&bytes);
        let error = result.expect_err(kind.name());
        assert!(error.location().offset.is_some(), "{error}");
        let same = back.iter().zip(&data).take_while(|(a, b)| a == b).count();
        // Less than one block is missing: of bzip2, 900,000 bytes.
        let expected = if kind == Compression::Bzip2 {
            1_300_000
        } else {
            1_900_000
        };
        assert!(same > expected, "{kind}: only {same} bytes before {error}");
    }
}

#[test]
fn trailing_bytes_are_reported() {
    for kind in kinds() {
        let data = text(1000);
        let mut bytes = packed(kind, &data);
        let end = bytes.len() as u64;
        bytes.extend(b"rubbish");
        let (back, _, result) = unpacked(&bytes);
        let error = result.expect_err(kind.name());
        assert_eq!(error.location().offset, Some(end), "{kind}: {error}");
        assert!(back == data, "{kind}");
    }
}

#[test]
fn damage_never_panics_or_hangs() {
    let data = text(20_000);
    for kind in kinds() {
        let bytes = packed(kind, &data);
        for damaged in corrupt::random(&bytes, 400, 11) {
            let (mut stream, _) =
                decompress(Box::new(io::Cursor::new(damaged.bytes.clone()))).unwrap();
            // A damaged stream can unpack to very many bytes; only the first ones are read.
            let mut start = Vec::new();
            let _ = stream.by_ref().take(1 << 20).read_to_end(&mut start);
        }
        for cut in corrupt::prefixes(&bytes[..bytes.len().min(600)]) {
            let (back, _, _) = unpacked(&cut.bytes);
            assert!(
                data.starts_with(&back) || back == cut.bytes,
                "{kind}: {}",
                cut.how
            );
        }
    }
}

#[test]
fn few_bytes_unpack_to_a_limit_only() {
    let data = vec![0; 3 << 20];
    for kind in kinds() {
        let bytes = packed(kind, &data);
        let mut limits = Limits::default();
        limits.unpacked = 1 << 20;
        let allowed = limits.unpacked_from(bytes.len() as u64);
        let reader = Box::new(io::Cursor::new(bytes));
        let (mut stream, _) = decompress_within(reader, &limits).unwrap();
        let mut unpacked = Vec::new();
        let result = stream.read_to_end(&mut unpacked);
        if allowed >= data.len() as u64 {
            assert!(result.is_ok() && unpacked == data, "{kind}");
            continue;
        }
        let error = Error::from(result.unwrap_err());
        assert!(
            matches!(error.kind(), ErrorKind::Limit { .. }),
            "{kind}: {error}"
        );
        assert!(
            unpacked.len() >= 1 << 20 && unpacked.len() < 2 << 20,
            "{kind}: {}",
            unpacked.len()
        );
    }
}
