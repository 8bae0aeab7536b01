//! Compressed texts in archives and in memory are unpacked, however they are opened.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use tabia::core::games::Database;
use tabia::{InputItem, OpenInput, OpenOptions, Resolver};
use tabia_formats::archives::compressed::{Compression, compress};

const GAMES: u32 = 300;

fn pgn() -> Vec<u8> {
    let game = |number| {
        format!(
            "[Event \"{number}\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n"
        )
    };
    (0..GAMES).map(game).collect::<String>().into_bytes()
}

/// A target whose bytes can be taken.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn packed(bytes: &[u8], kind: Compression) -> Vec<u8> {
    let target = Shared::default();
    let mut compressor = compress(Box::new(target.clone()), kind).unwrap();
    compressor.write_all(bytes).unwrap();
    compressor.finish().unwrap();
    let bytes = target.0.lock().unwrap();
    bytes.clone()
}

/// A ZIP archive of one stored member.
#[expect(clippy::little_endian_bytes, reason = "the fields of ZIP")]
fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let crc = tabia_index::crc32(bytes).to_le_bytes();
    let size = (bytes.len() as u32).to_le_bytes();
    let common = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &crc,
        &size,
        &size,
        &(name.len() as u16).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    let local = [b"PK\x03\x04", &common[..], name.as_bytes(), bytes].concat();
    let central = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], name.as_bytes()].concat();
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &(central.len() as u32).to_le_bytes(),
        &(local.len() as u32).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    [local, central, end].concat()
}

fn opened(item: &InputItem) -> (Box<dyn Database>, usize) {
    let opened = item.open_indexed(&OpenOptions::default()).unwrap();
    let OpenInput::Database(database) = opened.input else {
        panic!("no database");
    };
    (database, opened.problems.len())
}

const KINDS: [(Compression, &str); 3] = [
    (Compression::Gzip, "games.pgn.gz"),
    (Compression::Bzip2, "games.pgn.bz2"),
    (Compression::Xz, "games.pgn.xz"),
];

#[test]
fn compressed_files_in_memory_are_unpacked() {
    let resolver = Resolver::default();
    for (kind, name) in KINDS {
        let item = resolver.bytes(name, packed(&pgn(), kind)).unwrap();
        for _ in 0..2 {
            let (database, problems) = opened(&item);
            assert_eq!((database.len(), problems), (GAMES, 0), "{name}");
        }
    }
}

#[test]
fn compressed_members_are_unpacked() {
    let resolver = Resolver::default();
    for (kind, name) in KINDS {
        let archive = zip(name, &packed(&pgn(), kind));
        let archive = resolver.bytes("games.zip", archive).unwrap();
        let items = resolver.expand(archive).unwrap();
        assert_eq!(items.len(), 1, "{name}");
        let (database, problems) = opened(items[0].as_ref().unwrap());
        assert_eq!((database.len(), problems), (GAMES, 0), "{name}");
    }
}

/// Of a text that was cut the games before are there, with a problem; as files it is an error.
#[test]
fn cut_texts_keep_their_first_games() {
    let resolver = Resolver::default();
    let folder = tabia_testkit::Scratch::new("cut-texts");
    // Hard to compress, so that the first half has games.
    let mut random = tabia_testkit::Random::new(1);
    let mut text = String::new();
    for _ in 0..2000 {
        let number = random.next_u64();
        let _ = write!(
            text,
            "[Event \"{number}\"]\n[White \"{number:x}\"]\n\n1. e4 *\n\n"
        );
    }
    let mut bytes = packed(text.as_bytes(), Compression::Gzip);
    bytes.truncate(bytes.len() / 2);
    let path = folder.path().join("cut.pgn.gz");
    std::fs::write(&path, &bytes).unwrap();
    let on_disk = resolver.resolve(path.as_ref()).unwrap().remove(0);
    for item in [resolver.bytes("cut.pgn.gz", bytes).unwrap(), on_disk] {
        let (database, problems) = opened(&item);
        assert!((500..1999).contains(&database.len()), "{}", database.len());
        assert_eq!(problems, 1);
        assert!(item.files(&OpenOptions::default()).is_err());
    }
}
