//! Probing a book.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tabia_core::books::{Book, BookInfo, BookKey, BookPosition, BookSize};
use tabia_core::chess::Position;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};

use super::book_page::fill_moves;
use super::fast_scan;
use super::for_each;
use super::hash::hash;
use super::header::Header;
use super::inspect::{self, Findings};
use super::key::{self, Key, Keys, seen_keys};
use super::packed_stats;
use super::record::{PAGE, Record, Records};
use super::tree::{Lookup, Tree};
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash::Sight;
use crate::books::mirrored::record_index::{Places, Slot, Table};

/// A CTG book, mapped into memory.
#[derive(Debug)]
pub struct CtgBook {
    label: Arc<Path>,
    blob: Blob,
    header: Header,
    pages: u32,
    pub(super) tree: Tree,
    /// Hash and page of every record, by hash; only for [`Lookup::Scan`].
    index: OnceLock<Vec<(u32, u32)>>,
    pub(super) places: Places,
    info: BookInfo,
}

/// A position as the table of places has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'b> {
    pub(super) table: &'b Table,
    pub(super) sight: Sight,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) page: u32,
    pub(super) at: usize,
    pub(super) record: Record<'a>,
}

impl Place<'_> {
    /// Bytes of pages before it.
    pub(super) const fn number(&self) -> u64 {
        self.page as u64 * PAGE as u64 + self.at as u64
    }
}

impl CtgBook {
    /// Opens a book with the companions that are there. Looks at the headers, whatever the size.
    ///
    /// # Errors
    /// [`ErrorKind::WrongFormat`] when the file does not begin as a book does.
    pub fn open(source: &Source, _options: &OpenOptions) -> Result<Self> {
        let label = Arc::clone(source.label());
        let blob = source.main().open()?;
        if !Header::is_book(&blob) {
            let expected = super::FORMAT.file.id;
            let why = "the file does not begin with a header of 32 bytes and pages of 4096";
            let why = why.to_owned();
            return Err(Error::new(ErrorKind::WrongFormat { expected, why }).in_file(&label));
        }
        let header = Header::read(&blob).map_err(|fault| fault.at_base(0).in_file(&label))?;
        let mut problems = Vec::new();
        if blob.len() % PAGE != 0 {
            let bytes = blob.len() % PAGE;
            problems.push(format!(
                "{bytes} bytes at the end are no whole page and are ignored"
            ));
        }
        let pages = u32::try_from((blob.len() / PAGE).saturating_sub(1)).unwrap_or(u32::MAX);
        if pages != header.pages {
            let said = header.pages;
            problems.push(format!("the header says {said} pages, {pages} are there"));
        }
        let bits = source.open_companion("ctb")?;
        let nodes = source.open_companion("cto")?;
        let tree = Tree::open(bits, nodes, pages, &mut problems);
        let mut facts = vec![
            ("pages".to_owned(), pages.to_string()),
            ("records ever added".to_owned(), header.added.to_string()),
        ];
        if header.free != super::header::NO_PAGE {
            facts.push(("first free page".to_owned(), header.free.to_string()));
        }
        if let Some(options) = source.open_companion("ini")? {
            let bytes = options.len();
            facts.push((".ini".to_owned(), format!("{bytes} bytes, not read")));
        }
        let (major, minor) = header.version;
        let info = BookInfo {
            format: super::FORMAT.file.id,
            version: format!("{major}.{minor}"),
            positions: None,
            moves: None,
            games: Some(u64::from(header.games)),
            problems,
            facts,
        };
        Ok(Self {
            label,
            blob,
            header,
            pages,
            tree,
            index: OnceLock::new(),
            places: Places::of(pages, PAGE),
            info,
        })
    }

    /// The first page.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How pages are found.
    pub fn lookup(&self) -> Lookup {
        self.tree.lookup
    }

    /// Number of pages behind the first.
    pub fn page_count(&self) -> u32 {
        self.pages
    }

    /// The name of the file, for messages.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// The bytes of a page, counted from 0 behind the first.
    pub fn page(&self, number: u32) -> Option<&[u8]> {
        let start = (number as usize).checked_add(1)?.checked_mul(PAGE)?;
        let end = start.checked_add(PAGE)?;
        self.blob.get(start..end)
    }

    /// Every record with the number of its page, in file order.
    pub fn records(&self) -> impl Iterator<Item = (u32, Record<'_>)> {
        (0..self.pages).flat_map(|number| {
            let page = self.page(number).unwrap_or_default();
            Records::of(page).map(move |record| (number, record))
        })
    }

    /// The record of a position, and how the position is turned in it.
    pub fn record(&self, position: &Position) -> Option<(Frame, Record<'_>)> {
        let (frame, place) = self.place(position, self.look(position))?;
        Some((frame, place.record))
    }

    /// Looks at everything: pages, records, moves, and how they hang together.
    pub fn inspect(&self) -> Findings {
        inspect::inspect(self)
    }

    /// A position as the table has it, once there is a table.
    pub(super) fn look(&self, position: &Position) -> Option<Seen<'_>> {
        let table = self.table()?;
        let sight = Sight::of(position);
        Some(Seen { table, sight })
    }

    /// The same for a position whose sight is known, with the table that [`all`](Self::all) gives.
    pub(super) fn seen(&self, sight: Sight) -> Option<Seen<'_>> {
        self.all().map(|table| Seen { table, sight })
    }

    /// Where the record of a position stands; `seen` is what [`look`](Self::look) says of it.
    pub(super) fn place(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
    ) -> Option<(Frame, Place<'_>)> {
        let Some(Seen { table, sight }) = seen else {
            let Keys { frame, key, other } = Keys::of(position)?;
            let place = self.by_key(&key);
            let place = place.or_else(|| self.by_key(&other?));
            return Some((frame, place?));
        };
        let (frame, key, other) = seen_keys(position, sight)?;
        let slot = table.find(key).or_else(|| table.find(other?))?;
        Some((frame, self.at(slot.place())?))
    }

    pub(super) fn by_key(&self, key: &Key) -> Option<Place<'_>> {
        if self.tree.lookup != Lookup::Scan {
            let listed = self.table().zip(key.seen());
            return match listed {
                Some((table, seen)) => {
                    let place = self.at(table.find(seen)?.place())?;
                    (place.record.key == key.as_bytes()).then_some(place)
                }
                None => self.on_page(self.tree.find(key.hash())?, key.as_bytes()),
            };
        }
        let index = self.index.get_or_init(|| {
            let records = self.records();
            let mut index: Vec<_> = records.map(|(page, r)| (hash(r.key), page)).collect();
            index.sort_unstable();
            index
        });
        let hash = key.hash();
        let start = index.partition_point(|entry| entry.0 < hash);
        index
            .iter()
            .skip(start)
            .take_while(|entry| entry.0 == hash)
            .find_map(|&(_, page)| self.on_page(page, key.as_bytes()))
    }

    /// Where all records stand, once many were asked for.
    fn table(&self) -> Option<&Table> {
        self.places.ask(|| self.list())
    }

    /// Where all records stand, at once.
    pub(super) fn all(&self) -> Option<&Table> {
        self.places.all(|| self.list())
    }

    /// Every record that stands where it is looked for, by what its key is seen as.
    fn list(&self) -> Option<Table> {
        let records = |number: u32| Records::of(self.page(number).unwrap_or_default());
        let count = (0..self.pages).map(|number| records(number).said()).sum();
        let mut table = Table::of(count)?;
        let mut found = Vec::new();
        for number in 0..self.pages {
            found.clear();
            let is_found = self.finder(number);
            let mut on_page = records(number);
            while let Some(record) = on_page.next() {
                if let Some(seen) = key::seen(record.key)
                    && is_found(hash(record.key))
                {
                    let place = u64::from(number) * PAGE as u64 + on_page.at() as u64;
                    found.push((seen, Slot::new(place, packed_stats::said_of(&record))));
                }
            }
            // One after another, so that their slots come from memory at the same time.
            for &(seen, slot) in &found {
                table.add(seen, slot);
            }
        }
        Some(table)
    }

    /// Tells for which hashes a page is looked at.
    fn finder(&self, page: u32) -> impl Fn(u32) -> bool {
        // Most pages are one leaf, so that one way down the tree does for all their records: bits
        // that decide on the page, and which bits those are, once known.
        let leaf = Cell::new(None);
        move |hash| {
            if self.tree.lookup == Lookup::Scan {
                return true;
            }
            if leaf
                .get()
                .is_some_and(|(bits, decided)| hash & decided == bits)
            {
                return true;
            }
            if let Some((found, decided)) = self.tree.leaf_page(hash) {
                if found == page {
                    leaf.set(Some((hash & decided, decided)));
                }
                return found == page;
            }
            self.tree.find(hash) == Some(page)
        }
    }

    pub(super) fn at(&self, place: u64) -> Option<Place<'_>> {
        let (page, at) = ((place / PAGE as u64) as u32, place as usize % PAGE);
        let record = Record::read(self.page(page)?.get(at..)?)?;
        Some(Place { page, at, record })
    }

    /// Bytes at a place.
    pub(super) fn bytes<const N: usize>(&self, place: u64) -> Option<&[u8; N]> {
        let start = usize::try_from(place).ok()?.checked_add(PAGE)?;
        self.blob.get(start..)?.first_chunk()
    }

    fn on_page(&self, page: u32, key: &[u8]) -> Option<Place<'_>> {
        let (at, record) = Records::of(self.page(page)?).find(key)?;
        Some(Place { page, at, record })
    }
}

impl Book for CtgBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let seen = self.look(position);
        let Some((frame, place)) = self.place(position, seen) else {
            return Ok(false);
        };
        self.fill(position, seen, frame, &place.record, page);
        let (again, record) = (false, place.record);
        super::RawPage { again, record }.write(&mut page.raw);
        Ok(true)
    }

    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let Some((frame, place)) = self.place(position, self.look(position)) else {
            return Ok(false);
        };
        fill_moves(position, frame, &place.record, page);
        Ok(true)
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<()> {
        for_each::for_each(self, visit);
        Ok(())
    }

    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<()> {
        fast_scan::sweep(self, visit);
        Ok(())
    }

    fn size(&self) -> Result<BookSize> {
        let mut size = BookSize::default();
        for (_, record) in self.records() {
            size.positions += 1;
            size.moves += record.moves.len() as u64;
        }
        Ok(size)
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(self.inspect().problems())
    }
}
