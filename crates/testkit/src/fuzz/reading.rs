//! Targets for files and sets of files of a format.

use std::io::{Cursor, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::GameFormat;
use tabia_core::books::{Book, BookKey, BookPosition};
use tabia_core::chess::Position;
use tabia_core::error::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Flow, Game, Recorder, Want};
use tabia_core::games::{Database, NameId, NameKind};
use tabia_core::io::{Blob, Source};
use tabia_formats::ARCHIVES;
use tabia_formats::archives::compressed;
use tabia_formats::archives::compressed::Compression;
use tabia_formats::archives::{Archive, OnError, salvage};
use tabia_formats::{Format, formats};

use super::{CheckedVisitor, file_set};

/// The most bytes that are unpacked from an input, so that small inputs do not take long.
const MAX_UNPACKED: u64 = 4 << 20;

/// Options with limits for small inputs.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.limits.member = MAX_UNPACKED;
    options.limits.record = MAX_UNPACKED;
    options
}

/// The format of that name.
pub(super) fn format(id: &str) -> Format {
    let found = formats().find(|format| format.id().as_str() == id);
    found.expect("a format of that name")
}

/// The format of games of that name.
pub(super) fn game_format(id: &str) -> &'static GameFormat {
    format(id).games().expect("a format of games")
}

/// The extensions of a format's set, main file first.
pub(super) fn extensions(format: Format) -> Vec<&'static str> {
    let companions = format
        .companions()
        .iter()
        .map(|companion| companion.extension);
    let mut all = Vec::new();
    for extension in format.extensions().iter().copied().chain(companions) {
        if !all.contains(&extension) {
            all.push(extension);
        }
    }
    all
}

/// Opens a set of files as a database, every second one with `salvage`, and reads all index entries,
/// names and games, these also as mainlines alone.
pub(super) fn database(id: &str, data: &[u8]) {
    let format = format(id);
    let (Some(games), Some(source)) = (format.games(), file_set::source(data, &extensions(format)))
    else {
        return;
    };
    let mut options = options();
    options.salvage = data.iter().fold(0, |sum, byte| sum ^ byte) & 1 == 1;
    match (games.open)(&source, &options) {
        Ok(database) => read_all(&*database, options.salvage),
        Err(error) => drop(error.to_string()),
    }
}

/// Opens an incomplete ChessBase set, whichever files it has, and reads all of it. For some inputs the
/// games are written to a new database, which must be valid.
pub(super) fn salvaged(data: &[u8]) {
    let format = format("cbh");
    let members = file_set::unpack(data, &extensions(format));
    let Some(name) = members.first().map(|(name, _)| name.clone()) else {
        return;
    };
    let source = Source::from_members(&name, &name, members).expect("the first file is there");
    let mut options = options();
    options.salvage = true;
    let games = game_format("cbh");
    let Ok(database) = (games.open)(&source, &options) else {
        return;
    };
    read_all(&*database, true);
    // Writing takes much longer than reading.
    if data.iter().fold(0, |sum, byte| sum ^ byte) & 7 == 1 {
        write_again(games, &*database);
    }
}

/// Writes the games of a database to a new one, which must be valid.
fn write_again(format: &GameFormat, database: &dyn Database) {
    let folder = crate::Scratch::new("salvaged");
    let target = folder.join("new.cbh");
    let create = format.create.expect("it is written");
    let mut writer = create(&target, &CreateOptions::default()).expect("a new database");
    let mut reader = database.reader();
    let mut written = 0;
    for index in (0..database.len().min(50)).map(GameIndex) {
        let mut recorder = Recorder::new();
        if reader.read(index, Want::ALL, &mut recorder).is_ok() {
            let saved = writer.write(&recorder.replace(Game::new()));
            written += u32::from(saved.is_ok());
        }
    }
    let done = writer.finish().expect("the database is completed");
    assert_eq!(done.records, written);
    let source = Source::from_path(&target).expect("the database is there");
    let open = format.open;
    let again = open(&source, &OpenOptions::default()).expect("the database opens");
    assert_eq!(again.info().problems, [""; 0]);
    again.verify(&mut |problem| panic!("{}", problem.error));
}

/// Reads all games. With `salvage`, the mainline alone can be longer than that of the game, which can
/// end at damage inside a variation.
fn read_all(database: &dyn Database, salvage: bool) {
    let _ = format!("{:?}", database.info());
    let mut reader = database.reader();
    for index in (0..database.len().min(200)).map(GameIndex) {
        if let Ok(entry) = database.entry(index) {
            for (kind, id) in [
                (NameKind::Player, entry.white),
                (NameKind::Player, entry.black),
                (NameKind::Event, entry.event),
                (NameKind::Site, entry.site),
                (NameKind::Round, entry.round),
                (NameKind::Annotator, entry.annotator),
            ] {
                let _ = id.map(|id| database.name(kind, id).map(|name| name.len()));
            }
        }
        let mut read = |want| {
            let mut recorder = Recorder::new();
            let result = reader.read(index, want, &mut CheckedVisitor::new(&mut recorder));
            (result.is_ok(), recorder.replace(Game::new()))
        };
        let (is_ok, game) = read(Want::ALL);
        let (is_mainline_ok, mainline) = read(Want::MAINLINE);
        assert_eq!(is_ok, is_mainline_ok, "game {index}");
        let mut alone = mainline.mainline();
        let same = game.mainline().all(|ply| alone.next() == Some(ply));
        assert!(
            same && (salvage || alone.next().is_none()),
            "game {index}: the mainline alone"
        );
    }
    assert!(database.entry(GameIndex(database.len())).is_err());
    let _ = database.name(NameKind::Player, NameId(u32::MAX));
}

/// Opens a book and reads all of its positions.
pub(super) fn book(id: &str, data: &[u8]) {
    let format = format(id);
    let (Some(book), Some(source)) = (format.book(), file_set::source(data, &extensions(format)))
    else {
        return;
    };
    if let (Ok(book), Ok(other)) = (
        (book.open)(&source, &options()),
        (book.open)(&source, &options()),
    ) {
        read_book(&*book, &*other);
    }
}

/// An Arena book. Its header is longer than inputs should be, so the input is what follows it.
pub(super) fn abk(data: &[u8]) {
    let mut bytes = abk_header();
    bytes.extend_from_slice(data);
    let members = vec![("fuzz.abk".to_owned(), Blob::from(bytes))];
    let source = Source::from_members("fuzz.abk", "fuzz.abk", members).expect("it is there");
    let open = || {
        let book = tabia_formats::books::abk::AbkBook::open(&source, &options());
        book.expect("a book with a header opens")
    };
    read_book(&open(), &open());
}

/// The bytes before the first record of an Arena book.
fn abk_header() -> Vec<u8> {
    let mut bytes = b"\x03ABKpb\0\0\x1c\0\0\0".to_vec();
    bytes.resize(ABK_HEADER, 0);
    bytes
}

/// The number of bytes before the first record of an Arena book.
pub(super) const ABK_HEADER: usize = 900 * 28;

/// The most positions that are visited in a book.
const MAX_VISITED: usize = 10_000;
/// The most positions that are probed afterwards.
const MAX_PROBED: usize = 40;

/// Visits all positions of `book` in both orders, then probes some of them in `book`, which may have
/// built an index meanwhile, and in `other`, the same book without one.
fn read_book(book: &dyn Book, other: &dyn Book) {
    let _ = format!("{:?}", book.info());
    let mut page = BookPosition::default();
    let _ = book.probe(&Position::standard(), &mut page);
    let mut visited = vec![Position::standard()];
    let mut ordered = VisitSummary::default();
    let _ = book.for_each(&mut |position, page| {
        if let BookKey::Board(position) = position
            && visited.len() < MAX_PROBED
        {
            visited.push(position.clone());
        }
        ordered.take(position, page)
    });
    let mut unordered = VisitSummary::default();
    let _ = book.for_each_unordered(&mut |position, page| unordered.take(position, page));
    if ordered.count < MAX_VISITED {
        assert_eq!(ordered, unordered);
    }
    let mut other_page = BookPosition::default();
    for position in &visited {
        let found = book.probe(position, &mut page).ok();
        assert_eq!(other.probe(position, &mut other_page).ok(), found);
        assert_eq!(page, other_page, "{}", position.fen());
        assert_eq!(book.moves(position, &mut page).ok(), found);
    }
    let _ = book.size();
    let _ = book.problems();
}

/// A summary of visited positions that does not depend on their order.
#[derive(Debug, Default, PartialEq)]
struct VisitSummary {
    count: usize,
    entries: usize,
    keys: u64,
}

impl VisitSummary {
    fn take(&mut self, position: BookKey<'_>, page: &BookPosition) -> Flow {
        let key = match position {
            BookKey::Board(position) => {
                for m in page.entries.iter().filter_map(|entry| entry.m) {
                    assert!(position.is_legal(m), "{m:?} in {}", position.fen());
                }
                position.key()
            }
            BookKey::Key(key) => key,
        };
        self.count += 1;
        self.entries += page.entries.len();
        self.keys = self
            .keys
            .wrapping_add(key.wrapping_mul(2 * page.entries.len() as u64 + 1));
        if self.count == MAX_VISITED {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}

/// Opens an archive and reads all members into memory, as streams, and with `salvage`.
pub(super) fn archive(id: &str, data: &[u8]) {
    let found = ARCHIVES.iter().find(|format| format.file.id.as_str() == id);
    let format = found.expect("an archive format of that name");
    let extension = format.file.extensions.first().copied().unwrap_or_default();
    let name = format!("fuzz.{extension}");
    let members = vec![(name.clone(), Blob::from(data.to_vec()))];
    let source = Source::from_members(&name, &name, members).expect("the main file is there");
    let mut options = options();
    options.password = Some("password".to_owned());
    let Ok(archive) = (format.open)(&source, &options) else {
        return;
    };
    let _ = format!("{:?} {:?}", archive.info(), archive.members());
    for index in 0..archive.members().len().min(50) {
        read_member(&*archive, index);
    }
}

fn read_member(archive: &dyn Archive, index: usize) {
    let bytes = archive.read(index).ok();
    let _ = archive.checksum(index);
    let saved = salvage(archive, index).ok();
    if let Ok(stream) = archive.stream(index, &OnError::stop()) {
        let mut streamed = Vec::new();
        let _ = stream.take(MAX_UNPACKED).read_to_end(&mut streamed);
        if let Some(bytes) = &bytes {
            assert_eq!(streamed, **bytes, "member {index}");
        }
    }
    if let (Some(bytes), Some((saved, _))) = (bytes, saved) {
        assert_eq!(*bytes, *saved, "member {index} is intact");
    }
}

/// Unpacks a compressed stream up to its first error. For some inputs, compresses the input in one of
/// the available ways: it round trips.
pub(super) fn compressed(data: &[u8]) {
    let unpack = |bytes: &[u8]| {
        let mut unpacked = Vec::new();
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let (stream, kind) = compressed::decompress(reader).ok()?;
        let read = stream.take(MAX_UNPACKED).read_to_end(&mut unpacked);
        Some((unpacked, kind, read.is_ok()))
    };
    let _ = unpack(data);
    // Compressing takes much longer than unpacking, so it is done for one input in 16.
    let kinds = Compression::ALL;
    let kind = kinds[data.len() % kinds.len()];
    if !kind.is_available()
        || data.len() > 2048
        || data.iter().fold(0, |sum, byte| sum ^ byte) % 16 != 0
    {
        return;
    }
    let packed = packed(data, kind);
    let (unpacked, found, is_complete) = unpack(&packed).expect("a stream just written");
    assert!(is_complete && found == kind, "{kind} is read as {found}");
    assert_eq!(unpacked, data, "{kind}");
}

/// The compressed bytes.
pub(super) fn packed(data: &[u8], kind: Compression) -> Vec<u8> {
    let target = SharedBuffer::default();
    let mut writer =
        compressed::compress(Box::new(target.clone()), kind).expect("a writer of that kind");
    writer.write_all(data).expect("memory takes all");
    let mut inner = writer.finish().expect("memory takes all");
    inner.flush().expect("memory takes all");
    let packed = target.0.lock().unwrap_or_else(PoisonError::into_inner);
    packed.clone()
}

/// A target in memory that can be read after its writer was given away.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut target = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        target.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
