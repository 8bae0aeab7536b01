//! Databases, books and archives whose reads are errors once one of their files is lost: see [`LostFiles`].

use std::any::Any;
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tabia_core::books::{
    Book, BookInfo, BookInspection, BookKey, BookPosition, BookSize, GameLink, LinkedGame,
};
use tabia_core::chess::{Material, PawnsGone, Position};
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, HeadName, HeadReader, IndexEntry, IndexHead, StoredMoves,
    StoredPart, TextLimits,
};
use tabia_core::io::{Blob, LostFiles, Progress};
use tabia_core::{Error, GameIndex, NameId, NameKind, Problem, Result};
use tabia_formats::archives::{Archive, ArchiveContents, ChecksumStatus, OnError};

/// Opens a database and watches its files.
pub(crate) fn watched_database(
    open: impl FnOnce() -> Result<Box<dyn Database>>,
) -> Result<Box<dyn Database>> {
    Ok(Box::new(Watched::open(open)?))
}

/// Opens a book and watches its files.
pub(crate) fn watched_book(open: impl FnOnce() -> Result<Box<dyn Book>>) -> Result<Box<dyn Book>> {
    Ok(Box::new(Watched::open(open)?))
}

/// Opens an archive and watches its file.
pub(crate) fn watched_archive(
    open: impl FnOnce() -> Result<Box<dyn Archive>>,
) -> Result<Arc<dyn Archive>> {
    Ok(Arc::new(Watched::open(open)?))
}

/// What reads files that may be lost.
#[derive(Debug)]
struct Watched<T> {
    inner: T,
    files: LostFiles,
}

impl<T> Watched<T> {
    fn open(open: impl FnOnce() -> Result<T>) -> Result<Self> {
        let files = LostFiles::default();
        let opened = files.watch(open);
        files.check()?;
        Ok(Self {
            inner: opened?,
            files,
        })
    }

    /// The result of reading, unless it may have been made of zeros.
    fn checked<R>(&self, read: Result<R>) -> Result<R> {
        self.files.check()?;
        read
    }

    /// As [`checked`](Self::checked), of what is found out in another way if it is not known.
    fn known<R>(&self, read: Option<R>) -> Option<R> {
        read.filter(|_| self.files.check().is_ok())
    }
}

impl Database for Watched<Box<dyn Database>> {
    fn info(&self) -> &DatabaseInfo {
        self.inner.info()
    }

    fn len(&self) -> u32 {
        self.inner.len()
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        self.checked(self.inner.entry(game))
    }

    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        self.files.check().is_ok() && self.inner.ratings(first, out)
    }

    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        self.inner.players(first, out) && self.files.check().is_ok()
    }

    fn signature(&self, game: GameIndex) -> Option<(Material, Option<PawnsGone>)> {
        self.known(self.inner.signature(game))
    }

    fn signatures(&self, first: GameIndex, out: &mut [(Material, Option<PawnsGone>)]) -> bool {
        self.inner.signatures(first, out) && self.files.check().is_ok()
    }

    fn digest(&self, records: u32) -> Option<u64> {
        self.known(self.inner.digest(records))
    }

    fn stored_plies(&self, game: GameIndex) -> Option<u32> {
        self.known(self.inner.stored_plies(game))
    }

    fn stored_moves(&self, game: GameIndex) -> Option<StoredMoves<'_>> {
        self.known(self.inner.stored_moves(game))
    }

    fn span(&self, game: GameIndex) -> Option<(u64, u64)> {
        self.inner.span(game)
    }

    fn replaceable_span(&self, game: GameIndex) -> Result<(u64, u64)> {
        self.inner.replaceable_span(game)
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        self.inner.stored_parts(game)
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        self.checked(self.inner.name(kind, id))
    }

    fn counts_commands_as_comments(&self) -> bool {
        self.inner.counts_commands_as_comments()
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        self.inner.text_limits()
    }

    fn foreign_names(&self) -> Option<Error> {
        let found = self.inner.foreign_names();
        self.files.check().err().or(found)
    }

    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        self.inner.verify(found);
        if let Err(error) = self.files.check() {
            found(error.into());
        }
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(WatchedReader {
            inner: self.inner.reader(),
            files: &self.files,
        })
    }

    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        let inner = self.inner.head_reader()?;
        Some(Box::new(WatchedReader {
            inner,
            files: &self.files,
        }))
    }
}

/// A reader of files that may be lost.
struct WatchedReader<'d, R> {
    inner: R,
    files: &'d LostFiles,
}

impl GameReader for WatchedReader<'_, Box<dyn GameReader + '_>> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let read = self.inner.read(game, want, visitor);
        self.files.check()?;
        read
    }
}

impl HeadReader for WatchedReader<'_, Box<dyn HeadReader + '_>> {
    fn read(&mut self, game: GameIndex, head: &mut IndexHead) -> bool {
        // The reader of games is asked then, and has the error.
        self.inner.read(game, head) && self.files.check().is_ok()
    }

    fn push_value(&self, name: HeadName, number: u32, out: &mut String) {
        self.inner.push_value(name, number, out);
    }
}

impl Book for Watched<Box<dyn Book>> {
    fn info(&self) -> &BookInfo {
        self.inner.info()
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        self.checked(self.inner.probe(position, page))
    }

    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        self.checked(self.inner.moves(position, page))
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64> {
        self.checked(self.inner.for_each(visit))
    }

    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<u64> {
        self.checked(self.inner.for_each_unordered(visit))
    }

    fn size(&self) -> Result<BookSize> {
        self.checked(self.inner.size())
    }

    fn linked_game(&self, link: GameLink) -> Result<Option<LinkedGame>> {
        self.checked(self.inner.linked_game(link))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        self.inner.as_any()
    }

    fn damage(&self) -> Result<Vec<String>> {
        self.checked(self.inner.damage())
    }

    fn problems(&self) -> Result<Vec<String>> {
        self.checked(self.inner.problems())
    }

    fn inspect(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
    ) -> Result<BookInspection> {
        self.checked(self.inner.inspect(visit))
    }
}

impl Watched<Box<dyn Archive>> {
    /// As [`checked`](Self::checked), with the name of the archive.
    fn checked_member<R>(&self, read: Result<R>) -> Result<R> {
        let label = &self.inner.info().label;
        self.files.check().map_err(|error| error.in_file(label))?;
        read
    }
}

impl Archive for Watched<Box<dyn Archive>> {
    fn contents(&self) -> &ArchiveContents {
        self.inner.contents()
    }

    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>> {
        Ok(Box::new(WatchedStream {
            inner: self.checked_member(self.inner.stream(index, on_error))?,
            files: self.files.clone(),
            label: Arc::clone(&self.info().label),
        }))
    }

    fn read(&self, index: usize) -> Result<Blob> {
        self.checked_member(self.inner.read(index))
    }

    fn verify_with_progress(&self, index: usize, progress: &Progress) -> Result<ChecksumStatus> {
        self.checked_member(self.inner.verify_with_progress(index, progress))
    }
}

/// The bytes of a member of an archive whose file may be lost.
struct WatchedStream {
    inner: Box<dyn Read + Send>,
    files: LostFiles,
    /// The name of the archive in errors.
    label: Arc<Path>,
}

impl Read for WatchedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        let is_lost = self.files.check();
        is_lost.map_err(|error| io::Error::from(error.in_file(&self.label)))?;
        read
    }
}
