//! Finds the local headers of members whose entries in the central directory have wrong offsets: bytes of the archive
//! are missing before them, or others were inserted.

use std::collections::{BTreeSet, HashMap};

use memchr::memmem;
use tabia_core::Error;
use tabia_core::plural::counted;

use super::directory::{Entry, LOCAL_HEADER};
use super::local_headers::LocalHeader;

/// Corrects the offsets of entries that do not lead to a local header, and limits the data of members to what is
/// before the next header. Returns the problem, if there are such entries, and the indices of those of which no header
/// was found.
pub(super) fn relocate(bytes: &[u8], entries: &mut [Entry]) -> (Option<Error>, Vec<usize>) {
    let is_own = |entry: &Entry, at: usize| {
        LocalHeader::read(bytes, at).is_ok_and(|header| header.name == entry.stored_name)
    };
    let at = |entry: &Entry| usize::try_from(entry.at).unwrap_or(usize::MAX);
    let is_header = |entry: &Entry| LocalHeader::read(bytes, at(entry)).is_ok();
    if entries.iter().all(is_header) {
        return (None, Vec::new());
    }
    let found = headers_by_name(bytes, entries);
    let own = entries.iter().filter(|entry| is_own(entry, at(entry)));
    let mut claimed: BTreeSet<u64> = own.map(|entry| entry.at).collect();
    let mut missing = BTreeSet::new();
    let mut wrong = Vec::new();
    for (index, entry) in entries.iter_mut().enumerate() {
        if is_own(entry, at(entry)) {
            continue;
        }
        let headers = found.get(&entry.stored_name).map_or(&[][..], Vec::as_slice);
        let nearest = headers
            .iter()
            .filter(|header| !claimed.contains(&header.at))
            .min_by_key(|header| (header.crc != entry.crc, header.at.abs_diff(entry.at)));
        match nearest {
            Some(header) => {
                wrong.push(entry.at);
                entry.at = header.at;
                claimed.insert(header.at);
            }
            // Another name in its header is reported when it is read.
            None if is_header(entry) => {}
            None => {
                wrong.push(entry.at);
                missing.insert(index);
            }
        }
    }
    limit_to_next_header(entries, &missing);
    let moved = wrong.len() - missing.len();
    let text = format!(
        "bytes are missing or were inserted: {} no member; {} by their own headers",
        counted(
            wrong.len(),
            "offset in the list of members leads to",
            "offsets in the list of members lead to"
        ),
        counted(moved, "member was found", "members were found")
    );
    let first = wrong.into_iter().min();
    let problem = first.map(|at| Error::invalid(text).at_offset(at.min(bytes.len() as u64)));
    (problem, missing.into_iter().collect())
}

/// A local header.
struct FoundHeader {
    at: u64,
    crc: u32,
}

/// The local headers with the names of entries.
fn headers_by_name(bytes: &[u8], entries: &[Entry]) -> HashMap<Vec<u8>, Vec<FoundHeader>> {
    let names = entries.iter().map(|entry| entry.stored_name.clone());
    let mut found: HashMap<Vec<u8>, Vec<FoundHeader>> =
        names.map(|name| (name, Vec::new())).collect();
    for at in memmem::find_iter(bytes, b"PK\x03\x04") {
        let Ok(header) = LocalHeader::read(bytes, at) else {
            continue;
        };
        // Hostile files can repeat a header: as many as there can be members are enough.
        if let Some(headers) = found.get_mut(header.name)
            && headers.len() < MAX_HEADERS
        {
            headers.push(FoundHeader {
                at: at as u64,
                crc: header.fields.crc,
            });
        }
    }
    found
}

/// The most headers of one name that are considered.
const MAX_HEADERS: usize = 64;

/// Shortens the data of members that would reach beyond the header of the next one.
fn limit_to_next_header(entries: &mut [Entry], missing: &BTreeSet<usize>) {
    let starts = entries.iter().enumerate();
    let starts = starts.filter(|(index, _)| !missing.contains(index));
    let mut starts: Vec<u64> = starts.map(|(_, entry)| entry.at).collect();
    starts.sort_unstable();
    for entry in entries {
        let next = starts.partition_point(|start| *start <= entry.at);
        let Some(next) = starts.get(next) else {
            continue;
        };
        let data = entry.at + (LOCAL_HEADER + entry.stored_name.len()) as u64;
        entry.packed = entry.packed.min(next.saturating_sub(data));
    }
}
