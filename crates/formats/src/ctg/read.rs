//! Probing a book.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use tabia_core::book::{Book, BookEntry, BookInfo, BookPage, BookPosition, BookSize, Wdl};
use tabia_core::chess::Position;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::format::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};

use super::frame::Frame;
use super::hash::hash;
use super::header::Header;
use super::inspect::{self, Findings};
use super::key::{Key, Keys};
use super::moves::decode_move;
use super::nags;
use super::raw::RawMove;
use super::reach;
use super::record::{PAGE, Record, Records, Stats};
use super::sweep;
use super::tree::{Lookup, Tree};
use crate::places::Places;

/// The list of places tells them in 32 bits, of which one number is taken: 4 GiB of pages.
const MOST_LISTED: u32 = u32::MAX / PAGE as u32;

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
    places: Places,
    info: BookInfo,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) page: u32,
    pub(super) at: usize,
    pub(super) record: Record<'a>,
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
            let expected = super::FORMAT.id;
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
            format: super::FORMAT.id,
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
            places: Places::default(),
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
        let (frame, place) = self.place(position)?;
        Some((frame, place.record))
    }

    /// Looks at everything: pages, records, moves, and how they hang together.
    pub fn inspect(&self) -> Findings {
        inspect::inspect(self)
    }

    pub(super) fn place(&self, position: &Position) -> Option<(Frame, Place<'_>)> {
        let Keys { frame, key, other } = Keys::of(position)?;
        let place = self.by_key(&key);
        let place = place.or_else(|| self.by_key(&other?));
        Some((frame, place?))
    }

    pub(super) fn by_key(&self, key: &Key) -> Option<Place<'_>> {
        if self.tree.lookup != Lookup::Scan {
            let table = match self.pages {
                few if few <= MOST_LISTED => self.places.ask(few, |push| self.list(push)),
                _ => None,
            };
            return match table {
                Some(table) => table.find(key.quick_hash(), |place| self.at(place, key.as_bytes())),
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

    /// Every record that stands where the tree looks for it, by hash and place.
    fn list(&self, push: &mut dyn FnMut(u32, u32)) {
        for number in 0..self.pages {
            let page = self.page(number).unwrap_or_default();
            Records::of(page).each_key(|at, key| {
                if let Some(key) = Key::from_stored(key)
                    && self.tree.find(key.hash()) == Some(number)
                {
                    push(key.quick_hash(), number * PAGE as u32 + at as u32);
                }
            });
        }
    }

    fn at(&self, place: u32, key: &[u8]) -> Option<Place<'_>> {
        let (page, at) = (place / PAGE as u32, place as usize % PAGE);
        let record = Records::of(self.page(page)?).at_offset(at, key)?;
        Some(Place { page, at, record })
    }

    fn on_page(&self, page: u32, key: &[u8]) -> Option<Place<'_>> {
        let (at, record) = Records::of(self.page(page)?).find(key)?;
        Some(Place { page, at, record })
    }

    /// What a record says of its position and, when `whole`, what the records its moves lead to
    /// say of the moves.
    pub(super) fn fill(
        &self,
        position: &Position,
        frame: Frame,
        record: &Record<'_>,
        whole: bool,
        page: &mut BookPage,
    ) {
        describe_position(frame, &record.stats(), page);
        for &[code, annotation] in record.moves {
            let m = decode_move(position, frame, code);
            let mut entry = BookEntry {
                m,
                ..BookEntry::default()
            };
            entry.nags.extend(nags::annotation(annotation));
            if whole {
                let child = m.and_then(|m| {
                    let mut next = position.clone();
                    next.play(m);
                    self.place(&next).map(|(_, place)| place.record.stats())
                });
                let raw = RawMove::new([code, annotation], child.as_ref());
                if let Some(stats) = &child {
                    describe(&mut entry, stats, !frame.flipped, raw);
                }
                entry.raw = raw.write();
            }
            page.entries.push(entry);
        }
    }
}

/// What the statistics of a record say of its position.
fn describe_position(frame: Frame, stats: &Stats, page: &mut BookPage) {
    count_position(frame, stats, page);
    page.average_rating = stats.own_average();
    page.performance = stats.own_performance();
}

/// The same without ratings, which take longer than all the rest.
pub(super) fn count_position(frame: Frame, stats: &Stats, page: &mut BookPage) {
    page.games = Some(u64::from(stats.games));
    page.results = Some(results(stats, frame.flipped));
    page.nags
        .extend(nags::commentary(stats.commentary, frame.flipped));
}

/// What the record of the position behind a move says of the move; `flipped` is that position's.
fn describe(entry: &mut BookEntry, stats: &Stats, flipped: bool, raw: RawMove) {
    count(entry, stats, flipped, raw);
    entry.average_rating = stats.other_average();
    entry.performance = stats.other_performance();
}

/// The same without ratings.
pub(super) fn count(entry: &mut BookEntry, stats: &Stats, flipped: bool, raw: RawMove) {
    entry.games = Some(u64::from(stats.games));
    entry.results = Some(results(stats, flipped));
    entry.recommended = raw.recommended();
    if entry.recommended == Some(false) {
        entry.weight = Some(0);
    }
    entry
        .nags
        .extend(nags::commentary(stats.commentary, flipped));
}

pub(super) fn results(stats: &Stats, flipped: bool) -> Wdl {
    let (won, lost) = (u64::from(stats.won), u64::from(stats.lost));
    let (white, black) = if flipped { (lost, won) } else { (won, lost) };
    Wdl {
        white,
        draws: u64::from(stats.drawn),
        black,
    }
}

impl Book for CtgBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPage) -> Result<bool> {
        page.clear();
        let Some((frame, place)) = self.place(position) else {
            return Ok(false);
        };
        self.fill(position, frame, &place.record, true, page);
        let (again, record) = (false, place.record);
        super::RawPage { again, record }.write(&mut page.raw);
        Ok(true)
    }

    fn moves(&self, position: &Position, page: &mut BookPage) -> Result<bool> {
        page.clear();
        let Some((frame, place)) = self.place(position) else {
            return Ok(false);
        };
        self.fill(position, frame, &place.record, false, page);
        Ok(true)
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookPosition<'_>, &BookPage) -> Flow) -> Result<()> {
        reach::for_each(self, visit);
        Ok(())
    }

    fn sweep(&self, visit: &mut dyn FnMut(BookPosition<'_>, &mut BookPage) -> Flow) -> Result<()> {
        sweep::sweep(self, visit);
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

    fn faults(&self) -> Result<Vec<String>> {
        Ok(self.inspect().faults())
    }
}
