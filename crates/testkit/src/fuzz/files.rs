//! Targets for whole files and sets of files, chosen by the format's name.

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

use super::{Checked, set};

/// More is not unpacked, so that a small input cannot keep the fuzzer busy for long.
const UNPACKED: u64 = 4 << 20;

/// Options with bounds that suit small inputs.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.limits.member = UNPACKED;
    options.limits.record = UNPACKED;
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

/// A database from a set of files, of every second one what is left: every row and name is asked for,
/// every game read, whole and the mainline alone.
pub(super) fn database(id: &str, data: &[u8]) {
    let format = format(id);
    let (Some(games), Some(source)) = (format.games(), set::source(data, &extensions(format)))
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

/// What is left of a ChessBase set, whichever of its files that is: all is read, and of some inputs
/// what was read is written again as a database with which nothing is wrong.
pub(super) fn salvaged(data: &[u8]) {
    let format = format("cbh");
    let members = set::unpack(data, &extensions(format));
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
    // Writing costs far more than reading.
    if data.iter().fold(0, |sum, byte| sum ^ byte) & 7 == 1 {
        write_again(games, &*database);
    }
}

/// Writes the games of a database into a new one, which must be sound.
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

/// Of a damaged database (`salvage`) a game can end at what only those see who read its variations.
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
            let answer = reader.read(index, want, &mut Checked::new(&mut recorder));
            (answer.is_ok(), recorder.replace(Game::new()))
        };
        let (whole, game) = read(Want::ALL);
        let (alone, mainline) = read(Want::MAINLINE);
        assert_eq!(whole, alone, "game {index}");
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

/// A book: every position, and what is said of the usual start.
pub(super) fn book(id: &str, data: &[u8]) {
    let format = format(id);
    let (Some(book), Some(source)) = (format.book(), set::source(data, &extensions(format))) else {
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

/// What stands before the first record of an Arena book.
fn abk_header() -> Vec<u8> {
    let mut bytes = b"\x03ABKpb\0\0\x1c\0\0\0".to_vec();
    bytes.resize(ABK_HEADER, 0);
    bytes
}

/// Bytes before the first record of an Arena book.
pub(super) const ABK_HEADER: usize = 900 * 28;

/// Positions a walk over a book hands on at most.
const WALKED: usize = 10_000;
/// Positions that are asked for afterwards.
const ASKED: usize = 40;

/// Walks over a book in both ways, and asks for what they met: a book that learned from a walk where
/// all stands and another one, the same, that did not.
fn read_book(book: &dyn Book, other: &dyn Book) {
    let _ = format!("{:?}", book.info());
    let mut page = BookPosition::default();
    let _ = book.probe(&Position::standard(), &mut page);
    let mut met = vec![Position::standard()];
    let mut in_order = Walked::default();
    let _ = book.for_each(&mut |position, page| {
        if let BookKey::Board(position) = position
            && met.len() < ASKED
        {
            met.push(position.clone());
        }
        in_order.take(position, page)
    });
    let mut as_moves_lead = Walked::default();
    let _ = book.for_each_unordered(&mut |position, page| as_moves_lead.take(position, page));
    if in_order.count < WALKED {
        assert_eq!(in_order, as_moves_lead);
    }
    let mut theirs = BookPosition::default();
    for position in &met {
        let known = book.probe(position, &mut page).ok();
        assert_eq!(other.probe(position, &mut theirs).ok(), known);
        assert_eq!(page, theirs, "{}", position.fen());
        assert_eq!(book.moves(position, &mut page).ok(), known);
    }
    let _ = book.size();
    let _ = book.problems();
}

/// What a walk handed on, in whatever order.
#[derive(Debug, Default, PartialEq)]
struct Walked {
    count: usize,
    entries: usize,
    keys: u64,
}

impl Walked {
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
        if self.count == WALKED {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}

/// An archive: every member is read whole, as a stream, and as far as it can be saved.
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
    let whole = archive.read(index).ok();
    let _ = archive.checksum(index);
    let saved = salvage(archive, index).ok();
    if let Ok(stream) = archive.stream(index, &OnError::stop()) {
        let mut streamed = Vec::new();
        let _ = stream.take(UNPACKED).read_to_end(&mut streamed);
        if let Some(whole) = &whole {
            assert_eq!(streamed, **whole, "member {index}");
        }
    }
    if let (Some(whole), Some((saved, _))) = (whole, saved) {
        assert_eq!(*whole, *saved, "member {index} is whole");
    }
}

/// A compressed stream is unpacked as far as it goes; and any bytes come back when they are
/// compressed in each of the ways.
pub(super) fn compressed(data: &[u8]) {
    let unpack = |bytes: &[u8]| {
        let mut unpacked = Vec::new();
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let (stream, kind) = compressed::decompress(reader).ok()?;
        let read = stream.take(UNPACKED).read_to_end(&mut unpacked);
        Some((unpacked, kind, read.is_ok()))
    };
    let _ = unpack(data);
    // Compressing costs far more than unpacking: one input in sixteen, in one way.
    let kinds = Compression::ALL;
    let kind = kinds[data.len() % kinds.len()];
    if !kind.is_available()
        || data.len() > 2048
        || data.iter().fold(0, |sum, byte| sum ^ byte) % 16 != 0
    {
        return;
    }
    let packed = packed(data, kind);
    let (unpacked, found, whole) = unpack(&packed).expect("a stream just written");
    assert!(whole && found == kind, "{kind} is read as {found}");
    assert_eq!(unpacked, data, "{kind}");
}

/// Bytes compressed in one of the ways.
pub(super) fn packed(data: &[u8], kind: Compression) -> Vec<u8> {
    let target = Shared::default();
    let mut writer =
        compressed::compress(Box::new(target.clone()), kind).expect("a writer of that kind");
    writer.write_all(data).expect("memory takes all");
    let mut inner = writer.finish().expect("memory takes all");
    inner.flush().expect("memory takes all");
    let packed = target.0.lock().unwrap_or_else(PoisonError::into_inner);
    packed.clone()
}

/// Bytes that stay within reach of whoever gave them away to be written to.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut target = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        target.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
