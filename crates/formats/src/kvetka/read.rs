//! Opening and probing a book.

use std::path::Path;

use tabia_core::book::{
    Book, BookEntry, BookInfo, BookPage, BookPosition, BookSize, GameLink, LinkedGame, Wdl,
};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::format::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source, SourceFile};

use super::element::{BLOCK, Element, HAS_LIST, KNOWN, ListForm, key_of, links};
use super::frame::Frame;
use super::header::Header;
use super::inspect::{Findings, inspect};
use super::key::Key;
use super::moves::decode_move;
use super::number::{Order, Votes};
use super::parts::{Parts, file};
use super::reach;
use super::sources::Sources;
use crate::places::Places;

/// Blocks at the start that are looked through for what the description leaves open.
const SAMPLE: u32 = 64;
/// Blocks whose places can be told, far more than books have.
const MOST_BLOCKS: u32 = u32::MAX / BLOCK as u32;
/// Marks the pages of a Kvetka book.
pub(super) const RAW: &[u8; 3] = b"kob";

/// A Kvetka book, mapped into memory.
#[derive(Debug)]
pub struct KvetkaBook {
    header: Header,
    parts: Parts,
    kin: Option<Blob>,
    sources: Option<Sources>,
    order: Order,
    list: ListForm,
    places: Places,
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
            format: super::FORMAT.id,
            version: "1".to_owned(),
            positions: None,
            moves: None,
            games,
            problems,
            facts,
        };
        Ok(Self {
            header,
            parts,
            kin: kin.filter(|kin| kin.len() == expected),
            sources,
            order,
            list,
            places: Places::default(),
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

    /// Looks at everything.
    pub fn inspect(&self) -> Findings {
        inspect(self)
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(super) fn kin(&self) -> Option<&Blob> {
        self.kin.as_ref()
    }

    /// The block and the offset in it where the element of a key stands, and the element.
    pub(super) fn find(&self, key: &Key) -> Option<(u32, usize, &[u8])> {
        let table = self.places.ask(self.parts.len(), |push| self.list(push));
        match table {
            Some(table) => table.find(key.hash(), |place| {
                let (block, at) = (place / BLOCK as u32, place as usize % BLOCK);
                let body = self.parts.element(block, at)?;
                (body.first_chunk() == Some(&key.0)).then_some((block, at, body))
            }),
            None => self.search(key),
        }
    }

    /// Every element that [`search`](Self::search) finds, by hash and place.
    fn list(&self, push: &mut dyn FnMut(u32, u32)) {
        // Places are told in 32 bits, of which one number is taken.
        for block in 0..self.parts.len().min(MOST_BLOCKS) {
            let mut elements = self.parts.elements(block);
            loop {
                let at = elements.at();
                let Some(key) = elements.next().map(key_of) else {
                    break;
                };
                let Some(key) = key else { continue };
                let found = self.search(&key).map(|(block, at, _)| (block, at));
                if found == Some((block, at)) {
                    push(key.hash(), block * BLOCK as u32 + at as u32);
                }
            }
        }
    }

    /// Finds an element without the table.
    fn search(&self, key: &Key) -> Option<(u32, usize, &[u8])> {
        let block = self.by_index(key).or_else(|| self.parts.search(key))?;
        let mut elements = self.parts.elements(block);
        loop {
            let at = elements.at();
            let body = elements.next()?;
            if body.first_chunk() == Some(&key.0) {
                return Some((block, at, body));
            }
        }
    }

    /// The block by the index file, if the blocks bear it out.
    fn by_index(&self, key: &Key) -> Option<u32> {
        let kin = self.kin.as_ref()?;
        let field = |number: usize| {
            let start = number * Key::SIZE;
            kin.get(start..start + Key::SIZE)
        };
        let (mut low, mut high) = (0, self.parts.len() as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            if field(middle)? <= key.0.as_slice() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let block = low.checked_sub(1)?;
        let number = u32::try_from(block).ok()?;
        let first = self.parts.first_key(number)?;
        let fits = first <= *key && Some(first.0.as_slice()) == field(block);
        let next = self.parts.first_key(number + 1);
        let last = number + 1 == self.parts.len();
        (fits && (last || next.is_some_and(|next| next > *key))).then_some(number)
    }

    /// The element of a key.
    pub(super) fn element(&self, key: &Key) -> Option<Element<'_>> {
        let (_, _, body) = self.find(key)?;
        Element::read(body, self.header.has_game_links())
    }

    /// Fills a page with what an element says of a position in that frame.
    pub(super) fn fill(
        &self,
        position: &Position,
        frame: Frame,
        element: &Element<'_>,
        with_results: bool,
        page: &mut BookPage,
    ) {
        let results = results(element.counts, frame);
        page.games = Some(results.games());
        page.results = Some(results);
        page.comment = element.comment.map(|comment| self.order.decode(comment));
        page.example = element.source;
        links(
            element,
            self.header.has_game_links(),
            self.list,
            &mut page.ending,
        );
        let mut seen = [false; 256];
        for &code in element.moves {
            let Some(seen) = seen.get_mut(usize::from(code)) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            let m = decode_move(position, frame, code);
            let mut entry = BookEntry {
                m,
                ..BookEntry::default()
            };
            match m {
                Some(m) if with_results => {
                    let mut next = position.clone();
                    next.play(m);
                    if let Some((key, frame)) = Key::of(&next)
                        && let Some(child) = self.element(&key)
                    {
                        let results = self::results(child.counts, frame);
                        entry.games = Some(results.games());
                        entry.results = Some(results);
                    }
                }
                Some(_) => {}
                None => entry.raw.push(code),
            }
            page.entries.push(entry);
        }
    }

    fn look(&self, position: &Position, results: bool, page: &mut BookPage) -> bool {
        page.clear();
        let Some((key, frame)) = Key::of(position) else {
            return false;
        };
        let Some(element) = self.element(&key) else {
            return false;
        };
        self.fill(position, frame, &element, results, page);
        true
    }
}

/// From the side to move to White's side.
fn results([won, draws, lost]: [u64; 3], frame: Frame) -> Wdl {
    let (white, black) = if frame.flip { (lost, won) } else { (won, lost) };
    Wdl {
        white,
        draws,
        black,
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

    fn probe(&self, position: &Position, page: &mut BookPage) -> Result<bool> {
        Ok(self.look(position, true, page))
    }

    fn moves(&self, position: &Position, page: &mut BookPage) -> Result<bool> {
        Ok(self.look(position, false, page))
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookPosition<'_>, &BookPage) -> Flow) -> Result<()> {
        reach::for_each(self, visit);
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

    fn faults(&self) -> Result<Vec<String>> {
        Ok(self.inspect().faults())
    }
}
