//! Opening and probing a book.

use std::path::Path;
use std::sync::OnceLock;

use tabia_core::books::{Book, BookInfo, BookKey, BookPosition, BookSize, GameLink, LinkedGame};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source, SourceFile};

use super::book_page::said_of;
use super::element::{BLOCK, Element, HAS_LIST, KNOWN, ListForm, key_of};
use super::fast_scan;
use super::header::Header;
use super::inspect::{Findings, inspect};
use super::key::Key;
use super::parts::{Parts, Span, file};
use super::sources::Sources;
use super::varint::{Order, Votes};
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash::Sight;
use crate::books::mirrored::record_index::{Places, Slot, Table};

/// Blocks at the start that are looked through for what the description leaves open.
const SAMPLE: u32 = 64;
/// Marks the pages of a Kvetka book.
pub(super) const RAW: &[u8; 3] = b"kob";

/// A position as the table of places has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'b> {
    pub(super) table: &'b Table,
    pub(super) sight: Sight,
}

/// A Kvetka book, mapped into memory.
#[derive(Debug)]
pub struct KvetkaBook {
    header: Header,
    parts: Parts,
    kin: Option<Blob>,
    sources: Option<Sources>,
    order: Order,
    list: ListForm,
    pub(super) places: Places,
    findings: OnceLock<Findings>,
    info: BookInfo,
}

impl KvetkaBook {
    /// Opens a book by any of its parts. Looks at the header, the sizes of the files and a few
    /// blocks; [`KvetkaBook::inspect`] looks at everything.
    ///
    /// `kvetka.strings` (`le`, `be`) and `kvetka.list` (`compact`, `u16`, `u32`, `bare`) among the
    /// hints of the options decide what the description leaves open.
    ///
    /// # Errors
    /// When the first part is missing or its header cannot be used.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut problems = Vec::new();
        let (base, header, parts) = Parts::open(source, &mut problems)?;
        let companion =
            |extension: &str| file(source, &format!("{base}.{extension}")).map(SourceFile::open);
        let kin = companion("kin").transpose()?;
        let expected = parts.len() as usize * Key::SIZE;
        if let Some(kin) = kin.as_ref().filter(|kin| kin.len() != expected) {
            problems.push(format!(
                "the index has {} bytes instead of {expected} and is not used",
                kin.len()
            ));
        }
        let ksf = companion("ksf").transpose()?;
        if header.element_type & !1 != 0 {
            problems.push(format!(
                "element_type {:#04x} has bits that are not known",
                header.element_type
            ));
        }
        let sample = Sample::of(&header, &parts, ksf.as_ref());
        let hint = |name: &str| {
            let found = options.hints.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let (order, order_why) = match hint("kvetka.strings").and_then(Order::parse) {
            Some(order) => (order, "as asked for"),
            None => match sample.votes.order() {
                Some(order) => (order, "as the texts show"),
                None => (Order::Little, "assumed: no text shows it"),
            },
        };
        let (list, list_why) = match hint("kvetka.list").and_then(ListForm::parse) {
            Some(list) => (list, "as asked for"),
            None => match sample.list() {
                Some(list) => (list, "as the lists show"),
                None => (ListForm::Compact, "assumed: no list shows it"),
            },
        };
        let folder = source.label().parent().map(Path::to_path_buf);
        let sources = ksf.map(|ksf| Sources::open(ksf, folder.as_deref(), order, options.charset));
        match &sources {
            Some(sources) => problems.extend(sources.problems.iter().cloned()),
            None if header.has_game_links() => {
                problems.push(format!("{base}.ksf is missing: linked games are unknown"));
            }
            None => {}
        }
        let mut facts = vec![("caption".to_owned(), order.decode(&header.caption))];
        facts.extend(header.facts());
        for (name, value) in [
            ("parts", parts.files().to_string()),
            ("blocks", parts.len().to_string()),
            ("text order", format!("{}, {order_why}", order.name())),
            ("game lists", format!("{}, {list_why}", list.name())),
            ("player names", options.charset.name().to_owned()),
        ] {
            facts.push((name.to_owned(), value));
        }
        if let Some(sources) = &sources {
            facts.push(("sources".to_owned(), sources.len().to_string()));
        }
        let games = sources.as_ref().map(|sources| {
            let games = |number| sources.source(number).map_or(0, |it| u64::from(it.games));
            (0..sources.len() as u32).map(games).sum()
        });
        let info = BookInfo {
            format: super::FORMAT.file.id,
            version: "1".to_owned(),
            positions: None,
            moves: None,
            games,
            problems,
            facts,
        };
        let blocks = parts.len();
        Ok(Self {
            header,
            parts,
            kin: kin.filter(|kin| kin.len() == expected),
            sources,
            order,
            list,
            places: Places::of(blocks, BLOCK),
            findings: OnceLock::new(),
            info,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The sources, when the book has a list of them.
    pub fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// The byte order of texts in use.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The form of lists of games in use.
    pub fn list_form(&self) -> ListForm {
        self.list
    }

    /// Looks at everything, once.
    pub fn inspect(&self) -> Findings {
        self.findings.get_or_init(|| inspect(self)).clone()
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(super) fn kin(&self) -> Option<&Blob> {
        self.kin.as_ref()
    }

    /// The block and the offset in it where the element of a key stands, and the element.
    pub(super) fn find(&self, key: &Key) -> Option<(u32, usize, &[u8])> {
        match self.table().zip(key.seen()) {
            Some((table, seen)) => {
                let found = self.at(table.find(seen)?.place())?;
                (found.2.first_chunk() == Some(&key.0)).then_some(found)
            }
            None => self.search(key),
        }
    }

    /// Where all elements stand, once many were asked for.
    fn table(&self) -> Option<&Table> {
        self.places.ask(|| self.make_list())
    }

    /// Where all elements stand, at once.
    pub(super) fn all(&self) -> Option<&Table> {
        self.places.all(|| self.make_list())
    }

    /// Every element that [`search`](Self::search) finds, by what its key is seen as.
    fn make_list(&self) -> Option<Table> {
        let blocks = 0..self.parts.len();
        let count = blocks.map(|block| self.parts.elements(block).count()).sum();
        let mut table = Table::of(count)?;
        let linked = self.header.has_game_links();
        let mut found = Vec::new();
        for block in 0..self.parts.len() {
            found.clear();
            self.each_found(block, &mut |at, key, body| {
                if let Some(seen) = key.seen() {
                    let place = u64::from(block) * BLOCK as u64 + at as u64;
                    let element = Element::read(body, linked);
                    found.push((seen, Slot::new(place, said_of(element.as_ref()))));
                }
            });
            // One after another, so that their slots come from memory at the same time.
            for &(seen, slot) in &found {
                table.add(seen, slot);
            }
        }
        Some(table)
    }

    /// The elements of a block that are found there by their keys, with their offsets.
    fn each_found(&self, block: u32, each: &mut dyn FnMut(usize, &Key, &[u8])) {
        let mut elements = self.parts.elements(block);
        // One way to the block does for all its keys, unless something is out of order.
        let mut leads_here: Option<Span> = None;
        let mut greatest: Option<Key> = None;
        loop {
            let at = elements.at();
            let Some(body) = elements.next() else { return };
            let Some(key) = key_of(body) else { continue };
            if leads_here.is_none_or(|span| !span.contains(&key)) {
                let mut span = Span::ALL;
                if self.block_of(&key, &mut span) != Some(block) {
                    continue;
                }
                leads_here = Some(span);
            }
            if greatest.is_none_or(|greatest| greatest < key) {
                greatest = Some(key);
                each(at, &key, body);
            } else if self
                .in_block(block, &key)
                .is_some_and(|(first, _)| first == at)
            {
                each(at, &key, body);
            }
        }
    }

    fn at(&self, place: u64) -> Option<(u32, usize, &[u8])> {
        let (block, at) = ((place / BLOCK as u64) as u32, place as usize % BLOCK);
        Some((block, at, self.parts.element(block, at)?))
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

    /// The element behind a position; `seen` is what [`look`](Self::look) says of it.
    pub(super) fn of_position(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
    ) -> Option<(Element<'_>, Frame)> {
        let (frame, place) = self.place(position, seen)?;
        Some((self.placed(place)?, frame))
    }

    /// Where the element of a position is, in bytes of blocks, and how the position is turned in it.
    pub(super) fn place(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
    ) -> Option<(Frame, u64)> {
        let Some(Seen { table, sight }) = seen else {
            let (key, frame) = Key::of(position)?;
            let (block, at, _) = self.find(&key)?;
            return Some((frame, u64::from(block) * BLOCK as u64 + at as u64));
        };
        let (key, frame) = Key::seen_of(position, sight)?;
        Some((frame, table.find(key)?.place()))
    }

    /// The element at a place.
    pub(super) fn placed(&self, place: u64) -> Option<Element<'_>> {
        let (_, _, body) = self.at(place)?;
        Element::read(body, self.header.has_game_links())
    }

    /// Finds an element without the table.
    pub(super) fn search(&self, key: &Key) -> Option<(u32, usize, &[u8])> {
        let block = self.block_of(key, &mut Span::ALL.clone())?;
        let (at, body) = self.in_block(block, key)?;
        Some((block, at, body))
    }

    /// The block in which a key is looked for. `span` shrinks to keys that are looked for there too.
    fn block_of(&self, key: &Key, span: &mut Span) -> Option<u32> {
        let by_index = self.by_index(key, span);
        by_index.or_else(|| self.parts.search(key, span))
    }

    /// The first element of a block with that key, and its offset.
    fn in_block(&self, block: u32, key: &Key) -> Option<(usize, &[u8])> {
        let mut elements = self.parts.elements(block);
        loop {
            let at = elements.at();
            let body = elements.next()?;
            if body.first_chunk() == Some(&key.0) {
                return Some((at, body));
            }
        }
    }

    /// The block by the index file, if the blocks bear it out.
    fn by_index(&self, key: &Key, span: &mut Span) -> Option<u32> {
        let kin = self.kin.as_ref()?;
        let field = |number: usize| {
            let bytes = kin.get(number * Key::SIZE..)?.first_chunk()?;
            Some(Key(*bytes))
        };
        let (mut low, mut high) = (0, self.parts.len() as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            if span.reaches(key, field(middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let block = low.checked_sub(1)?;
        let number = u32::try_from(block).ok()?;
        let first = self.parts.first_key(number)?;
        if !span.reaches(key, first) || Some(first) != field(block) {
            return None;
        }
        let last = number + 1 == self.parts.len();
        let next = self.parts.first_key(number + 1);
        (last || next.is_some_and(|next| !span.reaches(key, next))).then_some(number)
    }
}

/// What the first blocks and the sources show of what the description leaves open.
#[derive(Default)]
struct Sample {
    votes: Votes,
    lists: [(ListForm, u64); 4],
}

impl Sample {
    fn of(header: &Header, parts: &Parts, ksf: Option<&Blob>) -> Self {
        let mut sample = Self {
            votes: Votes::default(),
            lists: ListForm::ALL.map(|(form, _)| (form, 0)),
        };
        let linked = header.has_game_links();
        sample.votes.add(&header.caption);
        if let Some(ksf) = ksf {
            Sources::vote(ksf, &mut sample.votes);
        }
        for block in 0..parts.len().min(SAMPLE) {
            for body in parts.elements(block) {
                let Some(element) = Element::read(body, linked) else {
                    continue;
                };
                sample.votes.add(element.comment.unwrap_or_default());
                if element.flags & !KNOWN == 0
                    && element.flags & HAS_LIST != 0
                    && let Some(list) = element.list(linked)
                    && let Some(form) = ListForm::of(list)
                {
                    for (known, votes) in &mut sample.lists {
                        *votes += u64::from(*known == form);
                    }
                }
            }
        }
        sample
    }

    /// The form that most lists have.
    fn list(&self) -> Option<ListForm> {
        let most = self.lists.iter().rev().max_by_key(|(_, votes)| *votes)?;
        (most.1 > 0).then_some(most.0)
    }
}

impl Book for KvetkaBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let seen = self.look(position);
        let Some((element, frame)) = self.of_position(position, seen) else {
            return Ok(false);
        };
        self.fill(position, frame, &element, page);
        self.fill_results(position, seen, page);
        Ok(true)
    }

    fn moves(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let Some((element, frame)) = self.of_position(position, self.look(position)) else {
            return Ok(false);
        };
        self.fill(position, frame, &element, page);
        Ok(true)
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<()> {
        fast_scan::for_each(self, visit);
        Ok(())
    }

    fn for_each_unordered(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    ) -> Result<()> {
        fast_scan::sweep(self, visit);
        Ok(())
    }

    fn linked_game(&self, link: GameLink) -> Result<Option<LinkedGame>> {
        Ok(self.sources.as_ref().and_then(|sources| sources.game(link)))
    }

    fn size(&self) -> Result<BookSize> {
        let found = self.inspect();
        Ok(BookSize {
            positions: found.elements,
            moves: found.moves,
        })
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(self.inspect().problems())
    }
}
