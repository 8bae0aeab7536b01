//! Opening and probing a book.

use std::any::Any;
use std::path::Path;
use std::sync::OnceLock;

use tabia_core::books::{
    Book, BookInfo, BookInspection, BookKey, BookPosition, BookSize, GameLink, LinkedGame,
};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source, SourceFile};
use tabia_core::plural::counted;

use super::block_store::BlockStore;
use super::count_defects::{Findings, inspect, inspect_structure};
use super::header::Header;
use super::key::Key;
use super::parts::{Parts, file};
use super::read_element::{Element, HAS_LIST, KNOWN_FLAGS, ListForm};
use super::sources::Sources;
use super::text_byte_order::{TextOrder, TextOrderVotes};
use crate::books::mirrored::probe_and_walk;

/// Blocks at the start that are read to determine what the description leaves open.
const SAMPLE: u32 = 64;

/// A Kvetka book, mapped into memory.
#[derive(Debug)]
pub struct KvetkaBook {
    header: Header,
    store: BlockStore,
    sources: Option<Sources>,
    findings: OnceLock<Findings>,
    info: BookInfo,
}

impl KvetkaBook {
    /// Opens a book by any of its parts. Reads the header, the sizes of the files and a few blocks;
    /// [`KvetkaBook::inspect`] reads everything.
    ///
    /// `kvetka.strings` (`le`, `be`) and `kvetka.list` (`compact`, `u16`, `u32`, `bare`) among the
    /// hints of the options decide what the description leaves open.
    ///
    /// # Errors
    /// If the first part is missing or its header cannot be used.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut problems = Vec::new();
        let (base, header, parts) = Parts::open(source, &mut problems)?;
        let companion =
            |extension: &str| file(source, &format!("{base}.{extension}")).map(SourceFile::open);
        let kin = companion("kin").transpose()?;
        let expected = parts.len() as usize * Key::SIZE;
        if let Some(kin) = kin.as_ref().filter(|kin| kin.len() != expected) {
            problems.push(format!(
                "the index has {} instead of {expected} and is not used",
                counted(kin.len() as u64, "byte", "bytes")
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
        let (text_order, order_why) = match hint("kvetka.strings").and_then(TextOrder::parse) {
            Some(order) => (order, "as asked for"),
            None => match sample.text_order.winner() {
                Some(order) => (order, "as the texts show"),
                None => (TextOrder::Little, "assumed: no text shows it"),
            },
        };
        let (list_form, list_why) = match hint("kvetka.list").and_then(ListForm::parse) {
            Some(form) => (form, "as asked for"),
            None => match sample.list_form() {
                Some(form) => (form, "as the lists show"),
                None => (ListForm::Compact, "assumed: no list shows it"),
            },
        };
        let folder = source.label().parent().map(Path::to_path_buf);
        let sources =
            ksf.map(|ksf| Sources::open(ksf, folder.as_deref(), text_order, options.charset));
        match &sources {
            Some(sources) => problems.extend(sources.problems.iter().cloned()),
            None if header.has_game_links() => {
                problems.push(format!("{base}.ksf is missing: linked games are unknown"));
            }
            None => {}
        }
        let mut facts = vec![("caption".to_owned(), text_order.decode(&header.caption))];
        // An Elo of 0 excludes no player.
        let is_set = |(name, value): &(String, String)| {
            value != "0" || !Header::ELO.contains(&name.as_str())
        };
        facts.extend(header.facts().into_iter().filter(is_set));
        for (name, value) in [
            ("parts", parts.files().to_string()),
            ("blocks", parts.len().to_string()),
            ("text order", format!("{}, {order_why}", text_order.name())),
            ("game lists", format!("{}, {list_why}", list_form.name())),
            ("player names", options.charset.name().to_owned()),
        ] {
            facts.push((name.to_owned(), value));
        }
        if let Some(sources) = &sources {
            facts.push(("sources".to_owned(), sources.len().to_string()));
        }
        let games = sources.as_ref().map(|sources| {
            let games = |number| {
                let source = sources.source(number);
                source.map_or(0, |source| u64::from(source.games))
            };
            (0..sources.len() as u32).map(games).sum()
        });
        let mut info = BookInfo::default();
        info.format = super::FORMAT.file.id;
        info.version = "1".into();
        info.games = games;
        info.problems = problems;
        info.is_cut = parts.len() < header.blocks;
        info.facts = facts;
        info.counts = &["parts", "blocks", "sources"];
        let kin = kin.filter(|kin| kin.len() == expected);
        let has_links = header.has_game_links();
        Ok(Self {
            header,
            store: BlockStore::new(parts, kin, has_links, text_order, list_form),
            sources,
            findings: OnceLock::new(),
            info,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The sources; `None` if the book has no list of them.
    pub fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// Whether the book has an index file of the right length.
    pub fn has_index(&self) -> bool {
        self.store.kin.is_some()
    }

    /// The byte order in which texts are read.
    pub fn text_order(&self) -> TextOrder {
        self.store.text_order
    }

    /// The form in which lists of games are read.
    pub fn list_form(&self) -> ListForm {
        self.store.list_form
    }

    /// Checks all blocks, elements, links and fields of the index. The result is cached.
    pub fn inspect(&self) -> Findings {
        let inspect = || inspect(&self.store, self.sources(), &mut |_, _| Flow::Go);
        self.findings.get_or_init(inspect).clone()
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.store.parts
    }
}

/// What the first blocks and the sources show of what the description leaves open.
#[derive(Default)]
struct Sample {
    text_order: TextOrderVotes,
    /// Number of lists in each form.
    list_forms: [(ListForm, u64); 4],
}

impl Sample {
    fn of(header: &Header, parts: &Parts, ksf: Option<&Blob>) -> Self {
        let mut sample = Self {
            text_order: TextOrderVotes::default(),
            list_forms: ListForm::ALL.map(|(form, _)| (form, 0)),
        };
        let has_links = header.has_game_links();
        sample.text_order.add(&header.caption);
        if let Some(ksf) = ksf {
            Sources::vote(ksf, &mut sample.text_order);
        }
        for block in 0..parts.len().min(SAMPLE) {
            for body in parts.elements(block) {
                let Some(element) = Element::read(body, has_links) else {
                    continue;
                };
                sample.text_order.add(element.comment.unwrap_or_default());
                if element.flags & !KNOWN_FLAGS == 0
                    && element.flags & HAS_LIST != 0
                    && let Some(list) = element.list(has_links)
                    && let Some(form) = ListForm::of(list)
                {
                    for (candidate, lists) in &mut sample.list_forms {
                        *lists += u64::from(*candidate == form);
                    }
                }
            }
        }
        sample
    }

    /// The form of most lists; `None` if there are no lists.
    fn list_form(&self) -> Option<ListForm> {
        let (form, lists) = self
            .list_forms
            .iter()
            .rev()
            .max_by_key(|(_, lists)| *lists)?;
        (*lists > 0).then_some(*form)
    }
}

impl Book for KvetkaBook {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        Ok(probe_and_walk::probe(&self.store, position, page).is_some())
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

    fn linked_game(&self, link: GameLink) -> Result<Option<LinkedGame>> {
        Ok(self.sources.as_ref().and_then(|sources| sources.game(link)))
    }

    fn size(&self) -> Result<BookSize> {
        let findings = inspect_structure(&self.store);
        Ok(BookSize::new(findings.elements, findings.moves))
    }

    fn damage(&self) -> Result<Vec<String>> {
        let mut findings = KvetkaBook::inspect(self);
        // Whoever visits the positions counts these.
        findings.bad_keys = 0;
        findings.bad_moves = 0;
        Ok(findings.problems())
    }

    fn problems(&self) -> Result<Vec<String>> {
        Ok(KvetkaBook::inspect(self).problems())
    }

    fn inspect(
        &self,
        visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
    ) -> Result<BookInspection> {
        let findings = inspect(&self.store, self.sources(), &mut |position, page| {
            visit(position, page)
        });
        let size = BookSize::new(findings.elements, findings.moves);
        Ok(BookInspection::new(size, findings.problems()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::books::kvetka::KvetkaBuilder;
    use crate::books::kvetka::packed_counts::payload;
    use crate::books::kvetka::read_element::BLOCK;
    use crate::books::mirrored::probe_and_walk::tests::assert_inspection_finds_all;
    use crate::books::mirrored::reachable::Visited;
    use crate::books::mirrored::record_lookup::MirroredStore;
    use tabia_core::books::{BookEntry, BookWriter, Wdl};
    use tabia_core::formats::CreateOptions;
    use tabia_testkit::{Random, Scratch};

    /// A book of lines in which both kings move, in small blocks.
    fn book(scratch: &Scratch) -> KvetkaBook {
        let path = scratch.join("some.kob");
        let mut options = CreateOptions::default();
        options.facts.push(("kvetka.fill".into(), "20".into()));
        let mut builder = KvetkaBuilder::create(&path, &options).unwrap();
        let mut random = Random::new(5);
        for _ in 0..40 {
            let mut position = Position::standard();
            for _ in 0..50 {
                let bits = random.next_u64();
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[(bits % moves.len() as u64) as usize];
                let results = Wdl {
                    white: bits % 300,
                    ..Wdl::default()
                };
                let mut page = BookPosition::default();
                page.entries = vec![BookEntry::new(m).with_results(results)];
                page.results = Some(results);
                builder.put(&position, &page).unwrap();
                position.play(m);
            }
        }
        Box::new(builder).finish().unwrap();
        let source = Source::from_path(&scratch.join("some_0.kob")).unwrap();
        KvetkaBook::open(&source, &OpenOptions::default()).unwrap()
    }

    /// All keys with the orientations in which their elements are reachable.
    fn orientations(book: &KvetkaBook) -> Vec<([u8; 22], u8)> {
        let visited = Visited::reachable(&book.store);
        let with_key =
            |(offset, element): (u64, Element<'_>)| (element.key.0, visited.orientations(offset));
        (&book.store).records().map(with_key).collect()
    }

    #[test]
    fn walk_without_an_index_reaches_the_same_elements() {
        let scratch = Scratch::new("kvetka_without_index");
        let mut book = book(&scratch);
        let indexed = orientations(&book);
        assert!(indexed.len() > 1_500, "{}", indexed.len());
        assert!(indexed.iter().all(|(_, orientations)| *orientations != 0));
        book.store.disable_index();
        assert!((&book.store).index().is_none());
        assert_eq!(indexed, orientations(&book));
    }

    #[test]
    fn one_scan_finds_what_several_find() {
        let scratch = Scratch::new("kvetka_one_scan");
        assert_inspection_finds_all(&book(&scratch));
    }

    #[test]
    fn index_has_what_a_search_finds() {
        let scratch = Scratch::new("kvetka_index");
        let book = book(&scratch);
        let index = (&book.store).index().unwrap();
        let mut count = 0;
        for (offset, element) in (&book.store).records() {
            let slot = index.find(element.key.mirror_hash().unwrap()).unwrap();
            assert_eq!(slot.offset(), offset);
            assert_eq!(slot.payload(), payload(Some(&element)));
            let found = book.store.find_key(&element.key);
            assert_eq!(found.map(|found| found.1), Some(offset as usize % BLOCK));
            count += 1;
        }
        assert!(count > 1_500);
    }
}
