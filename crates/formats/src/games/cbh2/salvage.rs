//! Headers of a damaged set: those that are lost are made again of the records in `.2cbg`, which begin with a mark and
//! state their size and type.
//!
//! Nothing in a record names its game: moves and texts are found, but not players, events and results. Annotations
//! belong to the games in their order, if the headers that are left and the numbers of records agree with that.

use std::collections::{BTreeMap, HashMap, HashSet};

use tabia_core::io::{Blob, Cursor};
use tabia_core::plural::counted;
use zerocopy::little_endian::U64;
use zerocopy::{FromZeros, IntoBytes};

use super::container::{self, FILE_HEADER, MARK, tag};
use super::records::{
    FileHeader, GAME_OR_TEXT, GameRecord, Record, SIZE, TYPE_ALWAYS, TYPE_TEXT, TextRecord,
};
use super::tags::rating_of_classic;
use crate::games::cbh::records::RATING_DEFAULT;
use crate::games::common::realign_entries::{CHANGED_ENTRY, REALIGNED, next_to_zeros, realign};

/// The stored form of an unknown result.
const NO_RESULT: u8 = 3;
/// Headers that show whether a file with a damaged beginning has any.
const SAMPLE: usize = 100;

/// The headers of a set.
pub(super) struct Headers {
    /// The complete file.
    pub(super) file: Blob,
    pub(super) damage: Damage,
}

/// What was found wrong with a set that is read for repair.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// Indexes of the records that were made again, ascending.
    pub(super) rebuilt: Vec<u32>,
    /// Why records may be other than they were, by index.
    pub(super) changed: BTreeMap<u32, &'static str>,
    /// Whether records are elsewhere than their headers have them.
    pub(super) has_moved: bool,
    /// Messages about what was lost and made again.
    pub(super) problems: Vec<String>,
}

/// The bytes of a header.
type HeaderBytes = [u8; SIZE];

/// A record of `.2cbg` or `.2cba`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    at: u64,
    tag: u16,
}

/// The headers of a set with these files; `moves` is `.2cbg`, and `annotations` is `.2cba`.
pub(super) fn rebuild(old: &[u8], moves: &[u8], annotations: &[u8], limit: u64) -> Headers {
    let header = FileHeader::read(old).filter(|header| header.is_ours());
    let mut problems = Vec::new();
    let mut changed = BTreeMap::new();
    let stored = old.get(SIZE..).unwrap_or_default();
    let is_entry = |bytes: &[u8]| {
        let (record, _) = bytes.as_chunks::<SIZE>();
        record
            .first()
            .is_some_and(|record| has_kind(record) && is_led(record, moves))
    };
    let realigned = realign(stored, SIZE, is_entry);
    if let Some(realigned) = &realigned {
        problems.push(REALIGNED.to_owned());
        let hit = realigned.changed.iter();
        changed.extend(hit.map(|index| (*index, CHANGED_ENTRY)));
    }
    let stored = realigned
        .as_ref()
        .map_or(stored, |realigned| &realigned.bytes);
    let (all, _) = stored.as_chunks::<SIZE>();
    let mut records: Vec<HeaderBytes> = all.to_vec();
    let next_to_zeros = next_to_zeros(records.as_flattened(), SIZE).into_iter();
    changed.extend(next_to_zeros.map(|index| (index, CHANGED_ENTRY)));
    if header.is_none() {
        let sample = records.iter().take(SAMPLE);
        let likely = sample
            .clone()
            .filter(|record| is_led(record, moves))
            .count();
        if 2 * likely > sample.len() {
            problems.push("the header is damaged: records of 192 bytes are read".to_owned());
        } else {
            records.clear();
            problems.push("the header is lost".to_owned());
        }
    }
    let found = find(moves, &[tag::GAME, tag::CHESS960, tag::TEXT], limit);
    let before = problems.len();
    move_shifted(
        &mut records,
        moves,
        &found,
        (annotations, limit),
        &mut problems,
        &mut changed,
    );
    let has_moved = problems.len() > before;
    let pairs = annotations_of(&found, annotations, &records, limit);
    let known: Vec<u64> = {
        let led = records.iter().filter(|record| is_led(record, moves));
        let mut known: Vec<u64> = led.filter_map(moves_at).collect();
        known.sort_unstable();
        known
    };
    let is_new = |found: &&Found| known.binary_search(&found.at).is_err();
    let mut rebuilt = Vec::new();
    fill_holes(&mut records, moves, &found, &known, &pairs, &mut rebuilt);
    let states = header.map(|header| i64::from(header.next_id.get()) - 1);
    if states != Some(records.len() as i64) {
        // Remnants of games that were replaced lie before the last record.
        let last = known.last().copied();
        let rest = found.iter().filter(is_new);
        for found in rest.filter(|found| last.is_none_or(|last| found.at > last)) {
            rebuilt.push(records.len() as u32);
            records.push(new_header(*found, &pairs));
        }
    }
    if !rebuilt.is_empty() {
        let count = counted(rebuilt.len(), "header is", "headers are");
        let annotations = if pairs.is_empty() {
            "; which annotations belong to their games is unknown"
        } else {
            "; annotations belong to their games by their order"
        };
        problems.push(format!(
            "{count} made again of the records of games{annotations}"
        ));
    }
    let mut header = header.copied().unwrap_or_else(|| {
        let mut header = FileHeader::new_zeroed();
        header.header_size = 38.into();
        header.record_size = (SIZE as u16).into();
        header.version = 5;
        header
    });
    header.next_id = i32::try_from(records.len() + 1).unwrap_or(i32::MAX).into();
    let mut file = header.as_bytes().to_vec();
    file.extend_from_slice(records.as_flattened());
    Headers {
        file: Blob::from(file),
        damage: Damage {
            rebuilt,
            changed,
            has_moved,
            problems,
        },
    }
}

/// Changes the offsets of records that are elsewhere than their headers have them, since bytes were inserted or lost before
/// them.
fn move_shifted(
    records: &mut [HeaderBytes],
    moves: &[u8],
    found: &[Found],
    (annotations, limit): (&[u8], u64),
    problems: &mut Vec<String>,
    changed: &mut BTreeMap<u32, &'static str>,
) {
    let annotations_at = |record: &HeaderBytes| {
        let at = Record::read(record).and_then(|record| record.offsets().1);
        at.and_then(|at| u64::try_from(at).ok())
            .filter(|&at| at > 0)
    };
    let headers = || records.iter().filter(|record| has_kind(record));
    let (moves, taken_moves) = elsewhere(headers().filter_map(moves_at).collect(), moves, found);
    let found = find(annotations, &[tag::ANNOTATIONS], limit);
    let stated = headers().filter_map(annotations_at).collect();
    let (annotations, taken_annotations) = elsewhere(stated, annotations, &found);
    // Inserted and lost bytes shift all that follow by the same distance.
    let usual = [usual_distance(&moves), usual_distance(&annotations)];
    let headers = (0..).zip(records.iter_mut());
    for (index, record) in headers.filter(|(_, record)| has_kind(record)) {
        let changes = [
            (8, moves_at(record), &moves, &taken_moves, usual[0]),
            (
                16,
                annotations_at(record),
                &annotations,
                &taken_annotations,
                usual[1],
            ),
        ];
        for (field, stated, moved, taken, usual) in changes {
            if stated.is_some_and(|at| taken.contains(&at)) {
                changed.entry(index).or_insert(FOUND_BY_ORDER);
            }
            let Some((stated, found)) = stated.and_then(|at| Some((at, *moved.get(&at)?))) else {
                continue;
            };
            if Some(found.wrapping_sub(stated)) != usual {
                changed.entry(index).or_insert(FOUND_BY_ORDER);
            }
            if let Some(bytes) = record.get_mut(field..field + size_of::<u64>()) {
                bytes.copy_from_slice(U64::new(found).as_bytes());
            }
        }
    }
    for (count, file) in [(moves.len(), "2cbg"), (annotations.len(), "2cba")] {
        if count > 0 {
            let records = counted(count, "record was", "records were");
            let text = format!("{records} found elsewhere in .{file} than the headers state");
            problems.push(text);
        }
    }
}

/// The problem of a record whose moves or annotations are known by nothing but their order.
const FOUND_BY_ORDER: &str = "its moves or annotations are elsewhere than the header states, and may be those of another game";

/// How far from where the headers have them most records are that are elsewhere.
fn usual_distance(moved: &HashMap<u64, u64>) -> Option<u64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    let distances = moved.iter();
    let distances = distances.map(|(stated, found)| found.wrapping_sub(*stated));
    distances.for_each(|distance| *counts.entry(distance).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(distance, _)| distance)
}

/// Whether the bytes can be a header: the bit that all have is set.
fn has_kind(record: &HeaderBytes) -> bool {
    record.first().is_some_and(|kind| kind & TYPE_ALWAYS != 0)
}

/// Where records of a file are that headers have at other offsets, at which none begins: those that are as far from there
/// as the ones after them, and where as many lie between those of the neighbours.
/// Also the offsets in headers at which others begin.
fn elsewhere(
    mut stated: Vec<u64>,
    file: &[u8],
    found: &[Found],
) -> (HashMap<u64, u64>, HashSet<u64>) {
    stated.sort_unstable();
    stated.dedup();
    let is_led = |at: &u64| container::record_length(file, *at).is_some();
    let (mut moved, taken) = shifted(&stated, is_led, found);
    let location = |at: &u64| match moved.get(at) {
        Some(found) => Some(*found),
        None => is_led(at).then_some(*at),
    };
    let mut by_order = HashMap::new();
    let (mut rest, mut after) = (stated.as_slice(), 0);
    while let Some((at, others)) = rest.split_first() {
        if let Some(location) = location(at) {
            (rest, after) = (others, location);
            continue;
        }
        let length = rest.iter().position(|at| location(at).is_some());
        let (hole, others) = rest.split_at(length.unwrap_or(rest.len()));
        let before = others.first().and_then(location).unwrap_or(u64::MAX);
        let first = found.partition_point(|found| found.at <= after);
        let end = found.partition_point(|found| found.at < before);
        let between = found.get(first..end).unwrap_or_default();
        if between.len() == hole.len() {
            let between = between.iter().map(|found| found.at);
            by_order.extend(hole.iter().copied().zip(between));
        }
        rest = others;
    }
    moved.extend(by_order);
    (moved, taken)
}

/// Records that may be lost in a row where bytes were lost.
const LOST_RECORDS: usize = 3;
/// Records in a row that are compared at a distance.
const LONG_RUN: usize = 64;
/// Records after the last one that are compared with an offset.
const NEAR: usize = 16;

/// The records at other offsets than those in headers of which several in a row are as far from there.
/// Also the offsets in headers at which others begin.
fn shifted(
    stated: &[u64],
    is_led: impl Fn(&u64) -> bool,
    found: &[Found],
) -> (HashMap<u64, u64>, HashSet<u64>) {
    let is_found = |at: u64| found.binary_search_by_key(&at, |found| found.at).is_ok();
    // How many records in a row are at a distance from where headers have them.
    let run = |index: usize, distance: u64| {
        let rest = stated.get(index..).unwrap_or_default();
        let here = rest.iter().take(LONG_RUN).take_while(|at| match distance {
            0 => is_led(at),
            _ => is_found(at.wrapping_add(distance)),
        });
        match here.count() {
            count if count == rest.len() => LONG_RUN,
            count => count,
        }
    };
    let longest_run = |index: usize, last: u64, distance: u64| {
        let at = *stated.get(index)?;
        let first = found.partition_point(|found| found.at <= last);
        let near = found.get(first..).unwrap_or_default().iter().take(NEAR);
        let near = near.map(|found| found.at.wrapping_sub(at));
        // Of equally long runs the last one is taken.
        let distances = near.chain([0, distance]);
        let possible = distances.filter(|distance| at.wrapping_add(*distance) > last);
        let runs = possible.map(|distance| (run(index, distance), distance));
        runs.max_by_key(|(run, _)| *run).filter(|(run, _)| *run > 0)
    };
    let (mut moved, mut taken) = (HashMap::new(), HashSet::new());
    let (mut index, mut distance, mut last) = (0, 0_u64, 0_u64);
    while index < stated.len() {
        let Some((count, best)) = longest_run(index, last, distance) else {
            index += 1;
            continue;
        };
        // Where sizes repeat, a lost record may be at the distance of others.
        let is_longer =
            |next| longest_run(next, last, distance).is_some_and(|(longer, _)| longer > count);
        let is_lost = count < LONG_RUN && (index + 1..=index + LOST_RECORDS).any(is_longer);
        if is_lost || (count == 1 && best != 0 && best != distance) {
            taken.extend(stated.get(index).filter(|at| is_led(at)));
            index += 1;
            continue;
        }
        distance = best;
        for at in stated.iter().skip(index).take(count) {
            last = at.wrapping_add(distance);
            if distance != 0 {
                moved.insert(*at, last);
            }
        }
        index += count;
    }
    (moved, taken)
}

/// The offset of the moves or the text of a record.
fn moves_at(record: &HeaderBytes) -> Option<u64> {
    u64::try_from(Record::read(record)?.offsets().0).ok()
}

/// Whether a record begins at the offset in a header.
fn is_led(record: &HeaderBytes, moves: &[u8]) -> bool {
    moves_at(record).is_some_and(|at| container::record_length(moves, at).is_some())
}

/// How many times the bytes of a file are read at most to find its records.
const READINGS: usize = 16;

/// The records of a file with these types, in their order: those with the right checksum, and those that end as they
/// state at their start.
fn find(file: &[u8], tags: &[u16], limit: u64) -> Vec<Found> {
    let mut found = Vec::new();
    let mut end = FILE_HEADER;
    // Marks with great sizes would be read to the end of the file, each of them.
    let mut left = file.len().saturating_mul(READINGS);
    for at in memchr::memmem::find_iter(file, &MARK) {
        // A mark inside of a record is none.
        let Some(length) = container::record_length(file, at as u64).filter(|_| at >= end) else {
            continue;
        };
        let Some(rest) = left.checked_sub(length.min(file.len() - at)) else {
            continue;
        };
        left = rest;
        let Ok(content) = container::content(file, at as i64, limit) else {
            continue;
        };
        let is_whole = is_framed(file, at, length);
        if tags.contains(&content.tag) && (is_whole || content.problem.is_none()) {
            end = at
                + if is_whole {
                    length
                } else {
                    container::HEAD + content.bytes.len()
                };
            found.push(Found {
                at: at as u64,
                tag: content.tag,
            });
        }
    }
    found
}

/// Whether a record of this length states it at its end too.
fn is_framed(file: &[u8], at: usize, length: usize) -> bool {
    let end = at.checked_add(length);
    let total = end.and_then(|end| file.get(end.checked_sub(8)?..end));
    let total = total.and_then(|total| Cursor::new(total).u64_le("total").ok());
    total == Some(length as u64)
}

/// The offsets of games and of their annotations, ascending, if the *n*th game has the *n*th annotations: there are as
/// many, and the headers that are left do not contradict. Otherwise empty.
fn annotations_of(
    found: &[Found],
    annotations: &[u8],
    records: &[HeaderBytes],
    limit: u64,
) -> Vec<(u64, u64)> {
    let games = found.iter().filter(|found| found.tag != tag::TEXT);
    let annotations = find(annotations, &[tag::ANNOTATIONS], limit);
    if games.clone().count() != annotations.len() {
        return Vec::new();
    }
    let pairs = games.zip(&annotations);
    let pairs: Vec<(u64, u64)> = pairs.map(|(game, own)| (game.at, own.at)).collect();
    let agrees = |record: &HeaderBytes| {
        let Some((at, Some(own))) = Record::read(record).map(Record::offsets) else {
            return true;
        };
        let (Ok(at), Ok(own)) = (u64::try_from(at), u64::try_from(own)) else {
            return true;
        };
        paired(&pairs, at).is_none_or(|paired| paired == own)
    };
    if records.iter().all(agrees) {
        pairs
    } else {
        Vec::new()
    }
}

fn paired(pairs: &[(u64, u64)], at: u64) -> Option<u64> {
    let index = pairs.binary_search_by_key(&at, |(game, _)| *game).ok()?;
    pairs.get(index).map(|(_, annotations)| *annotations)
}

/// Replaces headers that lead to no record where as many records lie between those of their neighbours.
fn fill_holes(
    records: &mut [HeaderBytes],
    moves: &[u8],
    found: &[Found],
    known: &[u64],
    pairs: &[(u64, u64)],
    rebuilt: &mut Vec<u32>,
) {
    let mut index = 0;
    let mut after = 0;
    while let Some(record) = records.get(index) {
        if is_led(record, moves) {
            after = moves_at(record).unwrap_or(after);
            index += 1;
            continue;
        }
        let rest = records.get(index..).unwrap_or_default();
        let length = rest.iter().position(|record| is_led(record, moves));
        let length = length.unwrap_or(rest.len());
        let before = rest.get(length).and_then(moves_at).unwrap_or(u64::MAX);
        let first = found.partition_point(|found| found.at <= after);
        let end = found.partition_point(|found| found.at < before);
        let between = found.get(first..end).unwrap_or_default();
        let is_new = |found: &Found| known.binary_search(&found.at).is_err();
        if between.len() == length && between.iter().all(is_new) {
            let holes = records.iter_mut().enumerate().skip(index);
            for ((index, record), found) in holes.zip(between) {
                *record = new_header(*found, pairs);
                rebuilt.push(index as u32);
            }
        }
        index += length;
    }
}

/// A header that states nothing but where the moves and the annotations are.
fn new_header(found: Found, pairs: &[(u64, u64)]) -> HeaderBytes {
    let stored = |at: u64| i64::try_from(at).unwrap_or(-1).into();
    let mut bytes = [0; SIZE];
    if found.tag == tag::TEXT {
        let mut text = TextRecord::new_zeroed();
        let kind = TYPE_ALWAYS | TYPE_TEXT;
        text.kind = kind;
        text.unknown_1 = [0, GAME_OR_TEXT, kind, 0, 0, 0, 0];
        text.body_at = stored(found.at);
        text.version = 1.into();
        for id in [
            &mut text.tournament,
            &mut text.source,
            &mut text.annotator,
            &mut text.title,
        ] {
            *id = (-1).into();
        }
        bytes.copy_from_slice(text.as_bytes());
        return bytes;
    }
    let mut game = GameRecord::new_zeroed();
    game.kind = TYPE_ALWAYS;
    game.content = GAME_OR_TEXT;
    game.kind_again = TYPE_ALWAYS;
    game.moves_at = stored(found.at);
    game.annotations_at = stored(paired(pairs, found.at).unwrap_or(0));
    game.result = NO_RESULT;
    // Zeros would state something.
    let rating = rating_of_classic(&RATING_DEFAULT).unwrap_or_default();
    (game.white_rating, game.black_rating) = (rating, rating);
    game.version = 1.into();
    for id in [
        &mut game.white,
        &mut game.black,
        &mut game.tournament,
        &mut game.annotator,
        &mut game.source,
        &mut game.white_team,
        &mut game.black_team,
        &mut game.tag,
    ] {
        *id = (-1).into();
    }
    bytes.copy_from_slice(game.as_bytes());
    bytes
}
