//! Opening and probing a book.

use std::path::Path;
use std::sync::Arc;

use tabia_core::books::{Book, BookInfo, BookInspection, BookKey, BookPosition, BookSize};
use tabia_core::chess::Position;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::Source;
use tabia_core::plural::counted;

use super::count_defects::{Findings, inspect};
use super::header::{Header, NO_PAGE};
use super::page_store::PageStore;
use super::page_tree::{Lookup, Tree};
use super::record::{PAGE, Record};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::probe_and_walk;
use crate::books::mirrored::probe_and_walk::MirroredBook;
use crate::books::mirrored::record_lookup::MirroredStore;

/// A CTG book, mapped into memory.
#[derive(Debug)]
pub struct CtgBook {
    label: Arc<Path>,
    header: Header,
    store: PageStore,
    info: BookInfo,
}

impl CtgBook {
    /// Opens a book with those of its companions that exist. Reads the headers only, whatever the
    /// size.
    ///
    /// # Errors
    /// [`ErrorKind::WrongFormat`] if the file does not begin with the header of a book.
    pub fn open(source: &Source, _options: &OpenOptions) -> Result<Self> {
        let label = Arc::clone(source.label());
        let blob = source.main().open()?;
        if !Header::is_book(blob.prefix(PAGE)) {
            let expected = super::FORMAT.file.id;
            let why = "the file does not begin with a header of 32 bytes and pages of 4096";
            let why = why.to_owned();
            return Err(Error::new(ErrorKind::WrongFormat { expected, why }).in_file(&label));
        }
        let header =
            Header::read(blob.prefix(PAGE)).map_err(|why| why.at_base(0).in_file(&label))?;
        let mut problems = Vec::new();
        if blob.len() % PAGE != 0 {
            let bytes = blob.len() % PAGE;
            problems.push(format!(
                "{} no complete page and ignored",
                counted(bytes, "byte at the end is", "bytes at the end are")
            ));
        }
        let pages = u32::try_from((blob.len() / PAGE).saturating_sub(1)).unwrap_or(u32::MAX);
        if pages != header.pages {
            let declared = header.pages;
            problems.push(format!(
                "the header states {}, the file has {pages}",
                counted(declared, "page", "pages")
            ));
        }
        let bits = source.open_companion("ctb")?;
        let nodes = source.open_companion("cto")?;
        let tree = Tree::open(bits, nodes, pages, &mut problems);
        let mut facts = vec![
            ("pages".to_owned(), pages.to_string()),
            ("records ever added".to_owned(), header.added.to_string()),
        ];
        if header.free != NO_PAGE {
            facts.push(("first free page".to_owned(), header.free.to_string()));
        }
        if let Some(options) = source.open_companion("ini")? {
            let bytes = options.len();
            facts.push((
                ".ini".to_owned(),
                format!("{}, not read", counted(bytes, "byte", "bytes")),
            ));
        }
        let (major, minor) = header.version;
        let mut info = BookInfo::default();
        info.format = super::FORMAT.file.id;
        info.version = format!("{major}.{minor}");
        info.games = Some(u64::from(header.games));
        info.problems = problems;
        info.is_cut = pages < header.pages;
        info.facts = facts;
        info.counts = &["pages", "records ever added", "first free page"];
        Ok(Self {
            label,
            header,
            store: PageStore::new(blob, pages, tree),
            info,
        })
    }

    /// The header on the first page.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How the page of a record is found.
    pub fn lookup(&self) -> Lookup {
        self.store.tree().lookup
    }

    /// Number of pages after the first.
    pub fn page_count(&self) -> u32 {
        self.store.page_count()
    }

    /// The name of the file, for messages.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// The 4096 bytes of a page, counted from 0 after the first.
    pub fn page(&self, number: u32) -> Option<&[u8]> {
        self.store.page(number)
    }

    /// Every intact record with the number of its page, in file order.
    pub fn records(&self) -> impl Iterator<Item = (u32, Record<'_>)> {
        let page = |offset: u64| (offset / PAGE as u64) as u32;
        let records = self.store.records();
        records.map(move |(offset, record)| (page(offset), record))
    }

    /// The record of a position, and the orientation in which the position is stored in it.
    pub fn record(&self, position: &Position) -> Option<(Orientation, Record<'_>)> {
        let hit = (&self.store).index_hit(position);
        let found = (&self.store).locate(position, hit)?;
        Some((found.orientation, found.record))
    }

    /// Checks all pages, records and moves, and that every record can be found.
    pub fn inspect(&self) -> Findings {
        inspect(&self.store, &self.header, &mut |_, _| Flow::Go)
    }
}

impl Book for CtgBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        let Some(record) = probe_and_walk::probe(&self.store, position, page) else {
            return Ok(false);
        };
        <&PageStore>::write_raw(&record, false, &mut page.raw);
        Ok(true)
    }

    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        Ok(probe_and_walk::moves(&self.store, position, page))
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64> {
        Ok(probe_and_walk::for_each(&self.store, visit))
    }

    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<u64> {
        Ok(probe_and_walk::for_each_unordered(&self.store, visit))
    }

    fn size(&self) -> Result<BookSize> {
        let mut size = BookSize::default();
        for (_, record) in self.records() {
            size.positions += 1;
            size.moves += record.moves.len() as u64;
        }
        Ok(size)
    }

    fn damage(&self) -> Result<Vec<String>> {
        let lines = match self.store.damaged_pages() {
            0 => Vec::new(),
            pages => vec![format!("{pages} pages are damaged")],
        };
        Ok(lines)
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(CtgBook::inspect(self).problems())
    }

    fn inspect(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
    ) -> Result<BookInspection> {
        let findings = inspect(&self.store, &self.header, &mut |position, page| {
            visit(position, page)
        });
        let size = BookSize::new(findings.records, findings.moves);
        Ok(BookInspection::new(size, findings.problems()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::books::mirrored::probe_and_walk::tests::assert_inspection_finds_all;
    use crate::books::mirrored::reachable::Visited;
    use tabia_core::books::{BookEntry, BookWriter};
    use tabia_core::formats::CreateOptions;
    use tabia_core::io::Blob;
    use tabia_testkit::{Random, Scratch};

    /// A book of 2,000 positions in lines with one move each.
    fn book(scratch: &Scratch) -> CtgBook {
        let path = scratch.join("some.ctg");
        let mut writer =
            crate::books::ctg::CtgWriter::create(&path, &CreateOptions::default()).unwrap();
        let mut random = Random::new(5);
        for _ in 0..100 {
            let mut position = Position::standard();
            for _ in 0..20 {
                let bits = random.next_u64();
                let moves = position.legal_moves();
                let m = moves[(bits % moves.len() as u64) as usize];
                let mut page = BookPosition::default();
                page.entries = vec![BookEntry::new(m).with_games(1)];
                page.games = Some(1);
                writer.put(&position, &page).unwrap();
                position.play(m);
            }
        }
        Box::new(writer).finish().unwrap();
        let source = Source::from_path(&path).unwrap();
        CtgBook::open(&source, &OpenOptions::default()).unwrap()
    }

    /// All keys with the orientations in which their records are reachable.
    fn orientations(book: &CtgBook) -> Vec<(Vec<u8>, u8)> {
        let visited = Visited::reachable(&book.store);
        let records = (&book.store).records();
        let with_key = |(offset, record): (u64, Record<'_>)| {
            (record.key.to_vec(), visited.orientations(offset))
        };
        records.map(with_key).collect()
    }

    #[test]
    fn one_scan_finds_what_several_find() {
        let scratch = Scratch::new("ctg_one_scan");
        let mut book = book(&scratch);
        assert_inspection_finds_all(&book);
        book.store.disable_index();
        assert_inspection_finds_all(&book);
    }

    #[test]
    fn walk_without_an_index_reaches_the_same_records() {
        let scratch = Scratch::new("ctg_without_index");
        let mut book = book(&scratch);
        let indexed = orientations(&book);
        assert!(indexed.len() > 1_500, "{}", indexed.len());
        let reachable = indexed.iter().filter(|(_, bits)| *bits != 0);
        assert!(reachable.count() > 1_500);
        book.store.disable_index();
        assert!((&book.store).index().is_none());
        assert_eq!(indexed, orientations(&book));
    }

    #[test]
    fn walks_skip_malformed_records() {
        let scratch = Scratch::new("ctg_malformed");
        let sound = book(&scratch);
        let read = |extension: &str| {
            let bytes = std::fs::read(scratch.join(format!("some.{extension}"))).unwrap();
            (format!("some.{extension}"), bytes)
        };
        let mut files = ["ctg", "ctb", "cto"].map(read);
        // The first record of every page keeps its length and becomes malformed: its key is shorter
        // by a byte and its moves, which are pairs, longer.
        let mut malformed = 0;
        for page in files[0].1.chunks_mut(PAGE).skip(1) {
            let moves = 4 + usize::from(page[4] & 31);
            page[4] -= 1;
            page[moves - 1] = page[moves] + 1;
            malformed += 1;
        }
        let members = files.map(|(name, bytes)| (name, Blob::from(bytes)));
        let source = Source::from_members("some.ctg", "some.ctg", members.into()).unwrap();
        let damaged = CtgBook::open(&source, &OpenOptions::default()).unwrap();
        let count = |book: &CtgBook| book.records().count();
        assert!(malformed > 20);
        assert_eq!(count(&damaged), count(&sound) - malformed);
        assert_eq!(damaged.inspect().damaged_pages, malformed as u64);
        let key = |position: BookKey<'_>| match position {
            BookKey::Board(position) => position.key(),
            BookKey::Key(key) => key,
        };
        let mut ordered = Vec::new();
        let visit = &mut |position: BookKey<'_>, _: &BookPosition| {
            ordered.push(key(position));
            Flow::Go
        };
        damaged.for_each(visit).unwrap();
        let mut unordered = Vec::new();
        let visit = &mut |position: BookKey<'_>, _: &mut BookPosition| {
            unordered.push(key(position));
            Flow::Go
        };
        damaged.for_each_unordered(visit).unwrap();
        ordered.sort_unstable();
        unordered.sort_unstable();
        assert_eq!(ordered, unordered);
    }
}
