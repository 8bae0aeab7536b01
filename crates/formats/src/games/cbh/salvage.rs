//! What is left of a damaged set: headers are made again from `.cbj`, `.cbg` and `.cba`.
//!
//! Records of `.cbg` are found by `.cbj`, else one after another by their sizes; where one makes no
//! sense, by trying every byte up to the next that can be read whole. Annotation records name their
//! game. Names know the first game that uses them, search boosters all: events, annotators and
//! sources come back as far as that goes. Players do not, neither says which side they had.

use std::collections::HashMap;

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::io::Blob;
use zerocopy::{FromZeros, IntoBytes};

use super::annotations::Items;
use super::content_summary::HAS_START;
use super::entities::{Entity, EntityTable};
use super::moves::{Decoder, Notes, Spot};
use super::placeholder_names::UNKNOWN;
use super::records::{
    ANNOTATIONS_MARK, AnnotationsHead, BodyHeader, FileHeader, GameRecord, MovesHead, TYPE_ALWAYS,
    TYPE_TEXT, TextRecord, U24,
};
use super::search_boosters::Boosters;
use super::side_files::SideTable;
use super::tags::Tables;

/// Result: none.
const NO_RESULT: u8 = 3;
/// Bit of a moves head: a start position follows.
const START_FOLLOWS: u8 = 0x40;
/// The first byte of a guiding text.
const TEXT_MODE: u8 = 0x80;
/// Modes of ordinary games, and that of Chess960.
const LAST_MODE: u8 = 11;
/// Bytes of the header of old `.cbg` files.
const OLD_HEADER: u16 = 10;
/// Places that are tried where a record makes no sense.
const MOST_TRIES: u32 = 1 << 20;

/// Headers that can be read.
#[derive(Debug)]
pub(super) struct Headers {
    /// A whole `.cbh` file.
    pub(super) file: Blob,
    /// The records whose headers are made, sorted.
    pub(super) made: Vec<u32>,
    /// The last record whose number is sure.
    pub(super) last_sure: u32,
    /// What was done, one line each.
    pub(super) told: Vec<String>,
}

/// Makes the headers of a set again, those that are there kept.
///
/// `headers` is what is left of `.cbh`; `moves`, `annotations`, `tables` and `boosters` what is left
/// of the others.
pub(super) fn headers(
    headers: Option<&[u8]>,
    moves: Option<&[u8]>,
    annotations: Option<&[u8]>,
    tables: &Tables,
    boosters: &Boosters,
) -> Headers {
    let mut told = Vec::new();
    let old = headers.unwrap_or_default();
    let has_header = FileHeader::read(old).is_some_and(super::is_ours);
    let records = if has_header {
        old.get(FileHeader::SIZE..).unwrap_or_default()
    } else {
        told.push("the header is lost".to_owned());
        &[]
    };
    let mut records: Vec<[u8; FileHeader::SIZE]> = records
        .chunks_exact(FileHeader::SIZE)
        .filter_map(|record| record.try_into().ok())
        .collect();
    let kept = records.len();
    let moves = moves.unwrap_or_default();
    let extended = tables.extended.as_ref();
    let mut found = Found::new(annotations, tables, boosters);
    let mut made = Vec::new();
    // Records that are there but say what cannot be.
    for (index, record) in (0..).zip(&mut records) {
        if !is_record(record) {
            let at = extended.map_or(0, |table| table.extended(index).0.moves_at.get());
            if let Some(again) = found.record(index, at, moves, extended) {
                *record = again;
                made.push(index);
            }
        } else if head(moves, moves_at(record)).is_none() {
            let at = extended.map_or(0, |table| table.extended(index).0.moves_at.get());
            if head(moves, at).is_some()
                && let (Ok(short), Some(game)) = (u32::try_from(at), GameRecord::read(record))
            {
                // Texts have the offset in the same place.
                let mut game = *game;
                game.moves_at = short.into();
                record.copy_from_slice(game.as_bytes());
            }
        }
    }
    // Those behind the last, unless the header says that there are none.
    let header = FileHeader::read(old).filter(|_| has_header);
    let is_whole = header.is_some_and(|header| header.next_game.get() as usize == kept + 1);
    let places = if is_whole {
        Vec::new()
    } else {
        let known = extended.map_or(0, SideTable::len);
        let rest = (kept as u32).min(known)..known;
        let extended = extended.into_iter();
        let rest = extended.flat_map(|table| {
            let rest = rest.clone();
            rest.map(|index| table.extended(index).0.moves_at.get())
        });
        let mut places: Vec<u64> = rest.collect();
        // Old sets have no offsets there.
        if places.iter().all(|&at| at == 0) {
            places = boosted(&records, boosters, moves);
        }
        let last = records
            .iter()
            .map(moves_at)
            .chain(places.iter().copied())
            .max();
        let scanned = scan(moves, last.and_then(|at| end(moves, at)));
        if scanned.sure < scanned.places.len() {
            let text = "behind a hole in .cbg games cannot be numbered; annotations there are lost";
            told.push(text.to_owned());
            // Remnants of games that were replaced lie in holes, too.
            found.last_sure = (kept + places.len() + scanned.sure) as u32;
        }
        places.extend(scanned.places);
        places
    };
    for at in places {
        let index = records.len() as u32;
        let empty = || made_record(None, index, 0, &found);
        let again = found.record(index, at, moves, extended);
        records.push(again.unwrap_or_else(empty));
        made.push(index);
    }
    if !made.is_empty() {
        let count = made.len();
        told.push(format!(
            "{count} headers are made again from the other files"
        ));
    }
    made.sort_unstable();
    let header = FileHeader::read(old).filter(|header| super::is_ours(header));
    let mut header = header.copied().unwrap_or_else(|| {
        let mut header = FileHeader::new_zeroed();
        header.header_size = 44.into();
        header.record_size = (FileHeader::SIZE as u16).into();
        header.version = 1;
        header
    });
    header.next_game = (records.len() as u32 + 1).into();
    let mut file = header.as_bytes().to_vec();
    for record in &records {
        file.extend_from_slice(record);
    }
    Headers {
        file: Blob::from(file),
        made,
        last_sure: found.last_sure,
        told,
    }
}

/// Where the records behind those in `records` begin, by `.cbgi`, if that fits those that are there.
fn boosted(records: &[[u8; FileHeader::SIZE]], boosters: &Boosters, moves: &[u8]) -> Vec<u64> {
    let known = records.iter().zip(&boosters.moves);
    let fits = |(record, &at): (&[u8; FileHeader::SIZE], &u32)| {
        at == 0 || !is_record(record) || moves_at(record) == u64::from(at)
    };
    let rest = boosters.moves.get(records.len()..).unwrap_or_default();
    let is_head = |at: u32| at == 0 || head(moves, at.into()).is_some();
    if !known.clone().all(fits) || !rest.iter().all(|&at| is_head(at)) {
        return Vec::new();
    }
    let mut before = records.last().map(moves_at);
    let mut places = Vec::new();
    for &at in rest {
        // A text is not listed; it lies behind the record before.
        let at = match (at, before) {
            (0, Some(before)) => end(moves, before).unwrap_or(0),
            (0, None) => start(moves),
            (at, _) => at.into(),
        };
        before = Some(at).filter(|&at| at != 0).or(before);
        places.push(at);
    }
    places
}

fn moves_at(record: &[u8; FileHeader::SIZE]) -> u64 {
    GameRecord::read(record).map_or(0, |record| record.moves_at.get().into())
}

/// Whether a header can be one.
fn is_record(record: &[u8; FileHeader::SIZE]) -> bool {
    GameRecord::read(record).is_some_and(|record| record.kind & TYPE_ALWAYS != 0)
}

/// The head of the record at an offset of `.cbg`, when it makes sense.
fn head(moves: &[u8], at: u64) -> Option<&MovesHead> {
    let bytes = moves.get(usize::try_from(at).ok()?..).filter(|_| at != 0)?;
    let head = MovesHead::read(bytes)?;
    let size = head.size.get() as usize;
    let is_text = head.mode == TEXT_MODE;
    let mode = head.mode & 0x3f;
    (size > MovesHead::SIZE && size <= bytes.len() && (is_text || mode <= LAST_MODE))
        .then_some(head)
}

/// Records found by looking for them.
struct Scanned {
    /// Their offsets.
    places: Vec<u64>,
    /// How many of them come before the first hole.
    sure: usize,
}

/// The records of `.cbg`, from `from` on.
fn scan(moves: &[u8], from: Option<u64>) -> Scanned {
    let mut places = Vec::new();
    let mut sure = None;
    let start = start(moves);
    let mut at = from.unwrap_or(start).max(start);
    let mut decoder = Decoder::new(1 << 10);
    let mut tries = 0;
    while at < moves.len() as u64 {
        if let Some(next) = end(moves, at) {
            // Where the next record is not in its place, this one must be readable.
            if goes_on(moves, next) || reads(moves, at, &mut decoder, &mut tries) {
                places.push(at);
                at = next;
                continue;
            }
        }
        sure = sure.or(Some(places.len()));
        at = match resume(moves, at + 1, &mut decoder, &mut tries) {
            Some(at) => at,
            None => break,
        };
    }
    Scanned {
        sure: sure.unwrap_or(places.len()),
        places,
    }
}

/// Where the first record of `.cbg` begins.
fn start(moves: &[u8]) -> u64 {
    let header = BodyHeader::read(moves).map(|header| header.header_size.get());
    let old = header.filter(|&size| size == OLD_HEADER);
    old.map_or(BodyHeader::SIZE as u64, u64::from)
}

/// Where the record at an offset ends.
fn end(moves: &[u8], at: u64) -> Option<u64> {
    Some(at + u64::from(head(moves, at)?.size.get()))
}

/// Whether a record begins at an offset, or the file ends there.
fn goes_on(moves: &[u8], at: u64) -> bool {
    at == moves.len() as u64 || head(moves, at).is_some()
}

/// The next offset where a record can be read whole.
fn resume(moves: &[u8], from: u64, decoder: &mut Decoder, tries: &mut u32) -> Option<u64> {
    let follows = |at| end(moves, at).is_some_and(|next| goes_on(moves, next));
    (from..moves.len() as u64).find(|&at| follows(at) && reads(moves, at, decoder, tries))
}

/// Whether all moves of a game can be read; of a text, whether its version is known.
fn reads(moves: &[u8], at: u64, decoder: &mut Decoder, tries: &mut u32) -> bool {
    let Some(head) = head(moves, at).filter(|_| *tries < MOST_TRIES) else {
        return false;
    };
    // Large records count for more, so that the work is bounded.
    *tries += 1 + head.size.get() / 1024;
    let bytes = usize::try_from(at).ok().and_then(|at| {
        let end = at.checked_add(head.size.get() as usize)?;
        moves.get(at..end)
    });
    let bytes = bytes.unwrap_or_default();
    if head.mode == TEXT_MODE {
        return matches!(bytes.get(4..6), Some([1..=3, 0]));
    }
    let Ok(record) = decoder.open(bytes, at, None) else {
        return false;
    };
    let visited = decoder.visit(&record, Want::MAINLINE, &mut Nobody, &mut Nothing);
    visited.fault.is_none()
}

struct Nobody;

impl Visitor for Nobody {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }
}

struct Nothing;

impl Notes for Nothing {
    fn visit(&mut self, _spot: Spot, _visitor: &mut dyn Visitor) -> Flow {
        Flow::Go
    }

    fn reach(&self) -> u32 {
        0
    }
}

/// What is known of games beside their headers.
struct Found<'b> {
    /// Offsets of annotation records by number of the game.
    annotations: HashMap<u32, u64>,
    /// The last game whose number is sure.
    last_sure: u32,
    tournaments: Firsts,
    annotators: Firsts,
    sources: Firsts,
    boosters: &'b Boosters,
}

impl<'b> Found<'b> {
    fn new(annotations: Option<&[u8]>, tables: &Tables, boosters: &'b Boosters) -> Self {
        Self {
            annotations: annotations.map(scan_annotations).unwrap_or_default(),
            last_sure: u32::MAX,
            tournaments: Firsts::of(tables.tournaments.as_ref()),
            annotators: Firsts::of(tables.annotators.as_ref()),
            sources: Firsts::of(tables.sources.as_ref()),
            boosters,
        }
    }

    /// The name that a game uses, by the boosters or as the first that does.
    fn name(&self, number: u32, all: &HashMap<u32, u32>, firsts: &Firsts) -> U24 {
        let boosted = all.get(&number).filter(|_| number <= self.last_sure);
        boosted.map_or_else(|| firsts.of_game(number), |&id| U24::new(id))
    }

    /// The header of the record whose moves or text begin at `at`; `None` when nothing begins there.
    fn record(
        &self,
        index: u32,
        at: u64,
        moves: &[u8],
        extended: Option<&SideTable>,
    ) -> Option<[u8; FileHeader::SIZE]> {
        let head = head(moves, at)?;
        let place = u32::try_from(at).ok()?;
        let known = extended.map_or(0, |table| table.extended(index).0.annotations_at.get());
        let number = index + 1;
        let found = self.annotations.get(&number).copied();
        let found = found.filter(|_| number <= self.last_sure);
        let annotations_at = if known == 0 {
            found.unwrap_or(0)
        } else {
            known
        };
        let place = Some((head, place));
        Some(made_record(place, index, annotations_at, self))
    }
}

fn made_record(
    place: Option<(&MovesHead, u32)>,
    index: u32,
    annotations_at: u64,
    found: &Found<'_>,
) -> [u8; FileHeader::SIZE] {
    let number = index + 1;
    let boosters = found.boosters;
    let tournament = found.name(number, &boosters.tournaments, &found.tournaments);
    let annotator = found.name(number, &boosters.annotators, &found.annotators);
    let source = found.name(number, &boosters.sources, &found.sources);
    let mut bytes = [0; FileHeader::SIZE];
    if let Some((head, at)) = place
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
    if let Some((head, at)) = place {
        game.moves_at = at.into();
        if head.mode & START_FOLLOWS != 0 {
            game.flags = HAS_START.into();
        }
    }
    game.annotations_at = (annotations_at as u32).into();
    game.white = UNKNOWN;
    game.black = UNKNOWN;
    game.tournament = tournament;
    game.annotator = annotator;
    game.source = source;
    game.result = NO_RESULT;
    bytes.copy_from_slice(game.as_bytes());
    bytes
}

/// Which names have a game as their first.
#[derive(Debug, Default)]
struct Firsts {
    by_game: HashMap<u32, u32>,
    /// The one name that there is.
    only: Option<u32>,
}

impl Firsts {
    fn of<E: Entity>(table: Option<&EntityTable<E>>) -> Self {
        let mut firsts = Self::default();
        let Some(table) = table else {
            return firsts;
        };
        let mut live = 0;
        for (id, entity) in table.iter() {
            live += 1;
            firsts.only = (live == 1).then_some(id);
            let (count, first) = entity.uses();
            if let Ok(first @ 1..) = u32::try_from(first)
                && count > 0
            {
                firsts.by_game.entry(first).or_insert(id);
            }
        }
        firsts
    }

    fn of_game(&self, number: u32) -> U24 {
        let id = self.only.or_else(|| self.by_game.get(&number).copied());
        id.map_or(UNKNOWN, U24::new)
    }
}

/// Annotation records by the number of their game, found by the bytes that all of them have.
fn scan_annotations(file: &[u8]) -> HashMap<u32, u64> {
    let mut found = HashMap::new();
    for mark in memchr::memmem::find_iter(file, &ANNOTATIONS_MARK) {
        let Some(at) = mark.checked_sub(3) else {
            continue;
        };
        let bytes = file.get(at..).unwrap_or_default();
        let Some(head) = AnnotationsHead::read(bytes) else {
            continue;
        };
        let fits = Items::size(bytes).is_ok_and(|size| size <= bytes.len());
        let game = head.game.get();
        if fits && game != 0 {
            found.entry(game).or_insert(at as u64);
        }
    }
    found
}
