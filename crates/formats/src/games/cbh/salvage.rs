//! Opens damaged sets: lost headers are rebuilt from `.cbj`, `.cbg` and `.cba`.
//!
//! Records of `.cbg` are found by `.cbj`, else by scanning the file. Annotation records contain the
//! number of their game. Entities contain the number of the first game that uses them, search
//! boosters contain all games of an entity: events, annotators and sources are restored as far as
//! these go. Neither restores the colours of the players.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::io::{Blob, Source};
use tabia_core::plural::counted;
use zerocopy::{FromZeros, IntoBytes};

use crate::games::common::realign_entries::{REALIGNED, next_to_zeros, realign};
use crate::games::common::salvage::{LocatedRecord, changed_records};

use super::annotations::Items;
use super::content_summary::HAS_START;
use super::entities::{Entity, EntityTable, UNKNOWN_ID};
use super::entity_and_side_tables::Tables;
use super::files_of_newer_versions::SideTable;
use super::headerless_record_finder::{
    TEXT_MODE, end, head, is_annotations, scan, scan_annotations, start,
};
use super::name_uses::foreign_name_files;
use super::open::{CbhDatabase, CompanionOpener, OpenFiles};
use super::placeholder_names::Placeholders;
use super::records::{
    FileHeader, GameRecord, MovesHead, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TextRecord, U24,
    agreeing_offset,
};
use super::search_boosters::Boosters;
use super::shifted_records::ShiftedRecords;
use super::zeroed_parts::is_cut_header;

/// The stored form of an unknown result.
const NO_RESULT: u8 = 3;
/// Bit of the first byte of a move record: a start position follows.
const START_FOLLOWS: u8 = 0x40;

/// Opens what is left of a damaged set.
///
/// # Errors
/// If a file exists and cannot be read.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<CbhDatabase> {
    let files = OpenFiles::open(source, &["cbh", "cit", "cib", "cbgi"])?;
    let mut opener = CompanionOpener::new(source, &files, true);
    let old = opener.open("cbh");
    let moves = opener.open("cbg");
    let annotations = opener.open("cba");
    for (extension, file) in [("cbg", &moves), ("cba", &annotations)] {
        if file.is_none() {
            opener.missing(extension, "the file is missing");
        }
    }
    let mut tables = opener.tables();
    let boosters = Boosters::read(
        opener.open("cit").as_ref(),
        opener.open("cib").as_ref(),
        opener.open("cbgi").as_ref(),
        &tables,
    );
    let headers = rebuild_headers(
        old.as_deref().unwrap_or_default(),
        moves.as_deref().unwrap_or_default(),
        annotations.as_deref(),
        &tables,
        &boosters,
    );
    for text in &headers.problems {
        opener.problem("cbh", text);
    }
    let foreign = foreign_name_files(&tables, &headers.file, headers.rebuilt.is_empty());
    for (extension, text) in &foreign {
        opener.problem(extension, text);
    }
    let label = Arc::from(source.label().with_extension("cbh"));
    let has_shifted_names = opener.has_shifted_names;
    let problems = std::mem::take(&mut opener.problems);
    let mut database =
        CbhDatabase::from_headers(source, options, label, headers.file, files, problems);
    database.has_foreign_names = !foreign.is_empty() || has_shifted_names;
    database.has_foreign_annotations = headers.has_foreign_annotations;
    database.rebuilt = headers.rebuilt;
    database.changed = headers.changed;
    database.changed_headers = headers.changed_entries;
    database.changed_annotations = headers.changed_annotations;
    database.has_shifted_moves = headers.has_shifted_moves;
    database.player_pairs = boosters.players;
    database
        .player_pairs
        .retain(|&number, _| number <= headers.last_sure);
    database.placeholders = Placeholders::add_to(&mut tables, &database.headers);
    let companions = database.complete_companions(Vec::new(), moves, annotations, tables);
    database.companions = OnceLock::from(companions);
    Ok(database)
}

/// The bytes of a record of `.cbh`.
type RecordBytes = [u8; FileHeader::SIZE];

/// A `.cbh` file in which every record can be read.
#[derive(Debug)]
struct Headers {
    /// The complete file.
    file: Blob,
    /// Indexes of the rebuilt records, sorted.
    rebuilt: Vec<u32>,
    /// Indexes of the records in whose moves bytes were inserted or lost, sorted.
    changed: Vec<u32>,
    /// Indexes of the records in whose annotations bytes were inserted or lost.
    changed_annotations: BTreeSet<u32>,
    /// Indexes of the headers into which bytes were inserted, or that lost some, sorted.
    changed_entries: Vec<u32>,
    /// Whether records of `.cbg` are not where their headers have them.
    has_shifted_moves: bool,
    /// The last game whose number is certain.
    last_sure: u32,
    /// Messages about what was lost and rebuilt.
    problems: Vec<String>,
    /// Whether `.cba` is that of another database, as far as the offsets of its records show.
    has_foreign_annotations: bool,
}

/// Rebuilds the lost headers of a set and keeps the others. `old`, `moves` and `annotations` are
/// what is left of `.cbh`, `.cbg` and `.cba`.
fn rebuild_headers(
    old: &[u8],
    moves: &[u8],
    annotations: Option<&[u8]>,
    tables: &Tables,
    boosters: &Boosters,
) -> Headers {
    let (head_of_file, records) = old.split_at(old.len().min(FileHeader::SIZE));
    let is_entry = |bytes: &[u8]| leads_to_moves(bytes, moves, tables);
    let realigned = realign(records, FileHeader::SIZE, is_entry);
    let mut changed_entries = Vec::new();
    let records = match &realigned {
        Some(realigned) => {
            changed_entries.clone_from(&realigned.changed);
            &realigned.bytes
        }
        None => records,
    };
    let stored = FileHeader::read(head_of_file);
    let header = stored.filter(|header| header.is_cbh());
    let mut rebuilder = HeaderRebuilder {
        moves,
        extended: tables.extended.as_ref(),
        shifted: ShiftedRecords::default(),
        restored: RestoredFields::new(annotations, tables, boosters),
        records: Vec::new(),
        rebuilt: Vec::new(),
        changed: Vec::new(),
        changed_annotations: BTreeSet::new(),
        problems: Vec::new(),
        has_foreign_annotations: false,
    };
    let (records, _): (&[RecordBytes], _) = records.as_chunks();
    // The usual layout shows in the records, whatever the header states.
    let has_records = header.is_some() || are_records(records, moves);
    if has_records {
        rebuilder.records = records.to_vec();
    }
    if realigned.is_some() {
        rebuilder.problems.push(REALIGNED.to_owned());
    }
    if header.is_none() {
        let text = if has_records {
            "the header is damaged: records of 46 bytes are read"
        } else {
            "the header is lost"
        };
        rebuilder.problems.push(text.to_owned());
    }
    rebuilder.drop_zeros(header);
    changed_entries.extend(next_to_zeros(
        rebuilder.records.as_flattened(),
        FileHeader::SIZE,
    ));
    changed_entries.extend(rebuilder.cut_headers());
    changed_entries.sort_unstable();
    changed_entries.dedup();
    rebuilder.find_shifted();
    rebuilder.repair_records();
    let count = rebuilder.records.len();
    let states_count = |header: &FileHeader| header.next_game.get() as usize == count + 1;
    let is_complete =
        has_records && stored.is_some_and(states_count) && !rebuilder.has_more_in_extended();
    if !is_complete {
        rebuilder.append_missing();
    }
    let mut headers = rebuilder.finish(header);
    headers.changed_entries = changed_entries;
    headers
}

/// Rebuilds the headers of one set.
struct HeaderRebuilder<'f> {
    /// `.cbg`.
    moves: &'f [u8],
    shifted: ShiftedRecords,
    extended: Option<&'f SideTable>,
    restored: RestoredFields<'f>,
    records: Vec<RecordBytes>,
    rebuilt: Vec<u32>,
    changed: Vec<u32>,
    changed_annotations: BTreeSet<u32>,
    problems: Vec<String>,
    has_foreign_annotations: bool,
}

impl HeaderRebuilder<'_> {
    /// Drops zeros after the records that the header states.
    fn drop_zeros(&mut self, header: Option<&FileHeader>) {
        let stated = header.map_or(usize::MAX, |header| {
            (header.next_game.get() as usize).saturating_sub(1)
        });
        let before = self.records.len();
        while self.records.len() > stated && self.records.last().is_some_and(is_zero) {
            self.records.pop();
        }
        let dropped = before - self.records.len();
        if dropped > 0 {
            let text = format!(
                "{} of zeros at the end",
                counted(dropped, "record", "records")
            );
            self.problems.push(text);
        }
    }

    /// The headers at the end, or before one of zeros, that end in zeros although their games have moves.
    fn cut_headers(&self) -> impl Iterator<Item = u32> {
        let next_is_lost = |index: &u32| {
            let next = self.records.get(*index as usize + 1);
            next.is_none_or(is_zero)
        };
        let is_cut = |index: &u32| {
            let record = self.records.get(*index as usize);
            let game = record.filter(|record| is_record(record));
            let game = game.and_then(|record| GameRecord::read(record));
            game.is_some_and(|game| {
                let at = agreeing_offset(game.moves_at.get(), self.extended_offset(*index));
                game.kind & TYPE_TEXT == 0 && is_cut_header(game, at, self.moves)
            })
        };
        (0..self.records.len() as u32).filter(move |index| next_is_lost(index) && is_cut(index))
    }

    /// Whether `.cbj` has games after the last record, which are those of no other record: `.cbh` is an older one.
    fn has_more_in_extended(&self) -> bool {
        let more = self.extended_offsets();
        if more.is_empty() {
            return false;
        }
        let owned: HashSet<u64> = self
            .records
            .iter()
            .map(|record| u64::from(moves_at(record)))
            .collect();
        let is_more = |at: &u64| head(self.moves, *at).is_some() && !owned.contains(at);
        more.iter().all(is_more)
    }

    /// Finds the records that are not where `.cbh` or `.cbj` have them.
    fn find_shifted(&mut self) {
        let stored = (0..).zip(&self.records).flat_map(|(index, record)| {
            let extended = self.extended_offset(index);
            let stated = is_record(record).then(|| agreeing_offset(moves_at(record), extended));
            let game = GameRecord::read(record).filter(|game| game.kind & TYPE_TEXT == 0);
            let move_count = game
                .filter(|_| stated.is_some())
                .map(|game| game.move_count);
            [stated, Some(extended)]
                .into_iter()
                .flatten()
                .map(move |at| (at, move_count))
        });
        let missing = self.extended_offsets().into_iter().map(|at| (at, None));
        self.shifted = ShiftedRecords::find(self.moves, stored.chain(missing));
        self.problems.extend(self.shifted.problems());
    }

    /// Rebuilds stored records that are impossible, and changes offsets at which no record begins.
    fn repair_records(&mut self) {
        let mut records = std::mem::take(&mut self.records);
        let mut moved_annotations = 0;
        let mut distances = HashSet::new();
        let mut located = Vec::new();
        for (index, record) in (0..).zip(&mut records) {
            let extended = self.extended_offset(index);
            let elsewhere = self.shifted.offset(extended);
            if !is_record(record) {
                let rebuilt = self
                    .restored
                    .record(index, elsewhere, self.moves, self.extended);
                if let Some(rebuilt) = rebuilt {
                    *record = rebuilt;
                    self.rebuilt.push(index);
                }
                continue;
            }
            let Some(game) = GameRecord::read(record) else {
                continue;
            };
            // Texts have the offset in the same field.
            let mut game = *game;
            let stated = agreeing_offset(game.moves_at.get(), extended);
            if self.shifted.is_changed(stated) {
                self.changed.push(index);
            }
            let mut at = self.shifted.offset(stated);
            if head(self.moves, at).is_none() && head(self.moves, elsewhere).is_some() {
                at = elsewhere;
            }
            if let Ok(short) = u32::try_from(at)
                && at != stated
            {
                game.moves_at = short.into();
            }
            if game.kind & TYPE_TEXT == 0 && game.annotations_at.get() != 0 {
                let stated = u64::from(game.annotations_at.get());
                let at = self.restored.annotations_at(index + 1, stated);
                let length = self.restored.annotations_length(at);
                if is_annotations(self.restored.annotations_file, at) {
                    located.push(LocatedRecord {
                        at,
                        stated_at: stated,
                        stated_end: stated.saturating_add(length),
                        game: index,
                    });
                }
                if at != stated
                    && let Ok(at) = u32::try_from(at)
                {
                    game.annotations_at = at.into();
                    moved_annotations += 1;
                    distances.insert(i64::from(at) - stated as i64);
                }
            }
            record.copy_from_slice(game.as_bytes());
        }
        self.records = records;
        if moved_annotations > 0 {
            self.changed_annotations = changed_records(located);
            let games = counted(moved_annotations, "game were", "games were");
            let mut text = format!("the annotations of {games} found elsewhere in .cba");
            // Inserted and lost bytes shift all that follow by the same distance.
            self.has_foreign_annotations =
                moved_annotations > 3 && 2 * distances.len() > moved_annotations;
            if self.has_foreign_annotations {
                text += ", each at another distance: the file may be that of another database";
            }
            self.problems.push(text);
        }
    }

    /// The offset in `.cbj` of a record; 0 if it has none.
    fn extended_offset(&self, index: u32) -> u64 {
        let table = self.extended;
        table.map_or(0, |table| table.extended(index).0.moves_at.get())
    }

    /// Appends the records after the last stored one.
    fn append_missing(&mut self) {
        let count = self.records.len();
        let mut offsets = self.extended_offsets();
        // Old sets have no offsets in `.cbj`.
        if offsets.iter().all(|&at| at == 0) {
            offsets = boosted_offsets(&self.records, self.restored.boosters, self.moves);
        }
        for at in &mut offsets {
            *at = self.shifted.offset(*at);
        }
        let last = self
            .records
            .iter()
            .map(|record| u64::from(moves_at(record)))
            .chain(offsets.iter().copied())
            .max();
        let scanned = scan(self.moves, last.and_then(|at| end(self.moves, at)));
        if scanned.before_gap < scanned.offsets.len() {
            let text = "games after a gap in .cbg cannot be numbered; their annotations are lost";
            self.problems.push(text.to_owned());
            // Remnants of replaced games also lie in gaps.
            self.restored.last_sure = (count + offsets.len() + scanned.before_gap) as u32;
        }
        for at in offsets.into_iter().chain(scanned.offsets) {
            let index = self.records.len() as u32;
            let rebuilt = self.restored.record(index, at, self.moves, self.extended);
            let empty = || self.restored.record_with_body(None, index, 0);
            self.records.push(rebuilt.unwrap_or_else(empty));
            self.rebuilt.push(index);
        }
    }

    /// The offsets in `.cbj` of the records after the last stored one.
    fn extended_offsets(&self) -> Vec<u64> {
        let Some(table) = self.extended else {
            return Vec::new();
        };
        let count = self.records.len() as u32;
        (count.min(table.len())..table.len())
            .map(|index| table.extended(index).0.moves_at.get())
            .collect()
    }

    /// The complete file; `header` is the stored header if it is intact.
    fn finish(mut self, header: Option<&FileHeader>) -> Headers {
        if !self.rebuilt.is_empty() {
            let count = counted(self.rebuilt.len(), "header is", "headers are");
            self.problems
                .push(format!("{count} rebuilt from the other files"));
        }
        self.rebuilt.sort_unstable();
        let mut header = header.copied().unwrap_or_else(|| {
            let mut header = FileHeader::new_zeroed();
            header.header_size = 44.into();
            header.record_size = (FileHeader::SIZE as u16).into();
            header.version = 1;
            header
        });
        header.next_game = (self.records.len() as u32 + 1).into();
        let mut file = header.as_bytes().to_vec();
        file.extend_from_slice(self.records.as_flattened());
        Headers {
            file: Blob::from(file),
            rebuilt: self.rebuilt,
            changed: self.changed,
            changed_annotations: self.changed_annotations,
            changed_entries: Vec::new(),
            has_shifted_moves: self.shifted.any(),
            last_sure: self.restored.last_sure,
            problems: self.problems,
            has_foreign_annotations: self.has_foreign_annotations,
        }
    }
}

/// The offsets in `.cbgi` of the records after those in `records`; empty if `.cbgi` contradicts
/// these or `.cbg`.
fn boosted_offsets(records: &[RecordBytes], boosters: &Boosters, moves: &[u8]) -> Vec<u64> {
    let mut stored = records.iter().zip(&boosters.moves);
    let agrees = |(record, &at): (&RecordBytes, &u32)| {
        at == 0 || !is_record(record) || moves_at(record) == at
    };
    let rest = boosters.moves.get(records.len()..).unwrap_or_default();
    let is_head = |at: u32| at == 0 || head(moves, at.into()).is_some();
    if !stored.all(agrees) || !rest.iter().all(|&at| is_head(at)) {
        return Vec::new();
    }
    let mut previous = records.last().map(|record| u64::from(moves_at(record)));
    let mut offsets = Vec::new();
    for &at in rest {
        // Texts have no offset in `.cbgi`; they follow the previous record.
        let at = match (at, previous) {
            (0, Some(previous)) => end(moves, previous).unwrap_or(0),
            (0, None) => start(moves),
            (at, _) => at.into(),
        };
        previous = Some(at).filter(|&at| at != 0).or(previous);
        offsets.push(at);
    }
    offsets
}

/// Whether most of the blocks after a damaged header are records whose moves are where they state, or that have no
/// unknown bits if the moves are lost. Blocks of zero bytes do not count.
fn are_records(blocks: &[RecordBytes], moves: &[u8]) -> bool {
    let written = blocks
        .iter()
        .filter(|block| **block != [0; FileHeader::SIZE]);
    let (mut all, mut records) = (0_usize, 0_usize);
    for block in written {
        let kinds = TYPE_ALWAYS | TYPE_TEXT | TYPE_DELETED;
        let fits = if moves.is_empty() {
            GameRecord::read(block).is_some_and(|record| record.kind & !kinds == 0)
        } else {
            head(moves, moves_at(block).into()).is_some()
        };
        all += 1;
        records += usize::from(is_record(block) && fits);
    }
    2 * records > all
}

/// Whether a block of `.cbh` is a record of known players, whose moves or text begin where it states.
fn leads_to_moves(block: &[u8], moves: &[u8], tables: &Tables) -> bool {
    let Some(record) = GameRecord::read(block) else {
        return false;
    };
    let has_kind = record.kind & TYPE_ALWAYS != 0
        && record.kind & !(TYPE_ALWAYS | TYPE_TEXT | TYPE_DELETED) == 0;
    let Some(body) = head(moves, record.moves_at.get().into()).filter(|_| has_kind) else {
        return false;
    };
    let is_text = record.kind & TYPE_TEXT != 0;
    if is_text || body.mode == TEXT_MODE {
        return is_text && body.mode == TEXT_MODE;
    }
    let players = tables.players.as_ref();
    let is_known = |id: u32| players.is_none_or(|players| players.get(id).is_some());
    is_known(record.white.get()) && is_known(record.black.get())
}

fn is_zero(record: &RecordBytes) -> bool {
    *record == [0; FileHeader::SIZE]
}

fn moves_at(record: &RecordBytes) -> u32 {
    GameRecord::read(record).map_or(0, |record| record.moves_at.get())
}

/// Whether the bytes can be a record: the bit that all records have is set.
fn is_record(record: &RecordBytes) -> bool {
    GameRecord::read(record).is_some_and(|record| record.kind & TYPE_ALWAYS != 0)
}

/// Fields of lost headers that other files contain.
struct RestoredFields<'b> {
    /// `.cba`.
    annotations_file: &'b [u8],
    /// Offsets of annotation records by game number (from 1).
    annotations: HashMap<u32, u64>,
    /// The last game whose number is certain.
    last_sure: u32,
    tournaments: FirstUses,
    annotators: FirstUses,
    sources: FirstUses,
    boosters: &'b Boosters,
}

impl<'b> RestoredFields<'b> {
    fn new(annotations: Option<&'b [u8]>, tables: &Tables, boosters: &'b Boosters) -> Self {
        Self {
            annotations_file: annotations.unwrap_or_default(),
            annotations: annotations.map(scan_annotations).unwrap_or_default(),
            last_sure: u32::MAX,
            tournaments: FirstUses::of(tables.tournaments.as_ref()),
            annotators: FirstUses::of(tables.annotators.as_ref()),
            sources: FirstUses::of(tables.sources.as_ref()),
            boosters,
        }
    }

    /// The id of a game's name, by the boosters or by the first uses.
    fn id(&self, number: u32, boosted: &HashMap<u32, u32>, first_uses: &FirstUses) -> U24 {
        let boosted = boosted.get(&number).filter(|_| number <= self.last_sure);
        boosted.map_or_else(|| first_uses.id(number), |&id| U24::new(id))
    }

    /// The bytes of the annotations at an offset; 0 if there are none.
    fn annotations_length(&self, at: u64) -> u64 {
        let bytes = usize::try_from(at)
            .ok()
            .and_then(|at| self.annotations_file.get(at..));
        bytes
            .and_then(|bytes| Items::size(bytes).ok())
            .unwrap_or_default() as u64
    }

    /// The offset of the annotations of a game: that which is stored if there are some, else that of those with its number.
    fn annotations_at(&self, number: u32, stored: u64) -> u64 {
        let is_there = stored != 0 && is_annotations(self.annotations_file, stored);
        let scanned = self.annotations.get(&number);
        let scanned = scanned.filter(|_| !is_there && number <= self.last_sure);
        scanned.copied().unwrap_or(stored)
    }

    /// The header of the record whose moves or text begin at `at`; `None` if no record begins
    /// there.
    fn record(
        &self,
        index: u32,
        at: u64,
        moves: &[u8],
        extended: Option<&SideTable>,
    ) -> Option<RecordBytes> {
        let head = head(moves, at)?;
        let at = u32::try_from(at).ok()?;
        let stored = extended.map_or(0, |table| table.extended(index).0.annotations_at.get());
        let number = index + 1;
        let annotations_at = self.annotations_at(number, stored);
        Some(self.record_with_body(Some((head, at)), index, annotations_at))
    }

    /// A header with all fields that can be restored. `body` is the head of the record in `.cbg`
    /// and its offset, if there is one.
    fn record_with_body(
        &self,
        body: Option<(&MovesHead, u32)>,
        index: u32,
        annotations_at: u64,
    ) -> RecordBytes {
        let number = index + 1;
        let boosters = self.boosters;
        let tournament = self.id(number, &boosters.tournaments, &self.tournaments);
        let annotator = self.id(number, &boosters.annotators, &self.annotators);
        let source = self.id(number, &boosters.sources, &self.sources);
        let mut bytes = [0; FileHeader::SIZE];
        if let Some((head, at)) = body
            && head.mode == TEXT_MODE
        {
            let mut text = TextRecord::new_zeroed();
            text.kind = TYPE_ALWAYS | TYPE_TEXT;
            text.body_at = at.into();
            text.tournament = tournament;
            text.annotator = annotator;
            text.source = source;
            bytes.copy_from_slice(text.as_bytes());
            return bytes;
        }
        let mut game = GameRecord::new_zeroed();
        game.kind = TYPE_ALWAYS;
        if let Some((head, at)) = body {
            game.moves_at = at.into();
            if head.mode & START_FOLLOWS != 0 {
                game.flags = HAS_START.into();
            }
        }
        game.annotations_at = (annotations_at as u32).into();
        game.white = UNKNOWN_ID;
        game.black = UNKNOWN_ID;
        game.tournament = tournament;
        game.annotator = annotator;
        game.source = source;
        game.result = NO_RESULT;
        bytes.copy_from_slice(game.as_bytes());
        bytes
    }
}

/// The names of one kind by the first game that uses them.
#[derive(Debug, Default)]
struct FirstUses {
    /// Ids by game number (from 1).
    by_game: HashMap<u32, u32>,
    /// The id of the only name, if there is exactly one.
    only: Option<u32>,
}

impl FirstUses {
    fn of<E: Entity>(table: Option<&EntityTable<E>>) -> Self {
        let mut first_uses = Self::default();
        let Some(table) = table else {
            return first_uses;
        };
        let mut live = 0;
        for (id, entity) in table.iter() {
            live += 1;
            first_uses.only = (live == 1).then_some(id);
            let (count, first) = entity.uses();
            if let Ok(first @ 1..) = u32::try_from(first)
                && count > 0
            {
                first_uses.by_game.entry(first).or_insert(id);
            }
        }
        first_uses
    }

    fn id(&self, number: u32) -> U24 {
        let id = self.only.or_else(|| self.by_game.get(&number).copied());
        id.map_or(UNKNOWN_ID, U24::new)
    }
}
