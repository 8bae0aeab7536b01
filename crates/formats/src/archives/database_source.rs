//! A database inside an archive as a [`Source`].

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(doc)]
use tabia_core::formats::Limits;
use tabia_core::io::{Blob, Source};
use tabia_core::{Error, ErrorKind, Result};

use super::memory_or_temporary_file::MemoryBudget;
use super::salvage::salvage_within;
use super::{Archive, Presence, in_member, member_label};

/// A member as a source, with the members that belong to the same database as companions. They are
/// unpacked into memory, or if they exceed [`Limits::member`] together into temporary files, which are
/// mapped; damaged ones as far as they can be read. The errors in these are returned as well.
///
/// # Errors
/// If the member itself cannot be read; [`ErrorKind::TemporaryFile`].
pub fn source(archive: &dyn Archive, index: usize) -> Result<(Source, Vec<Error>)> {
    let label = &archive.info().label;
    let main = archive.contents().member(index)?;
    let set = database_members(archive, index)?;
    let mut files = Vec::new();
    let mut problems = Vec::new();
    if set.iter().any(|(i, _)| is_lost(archive, *i)) {
        problems.clone_from(&archive.info().problems);
    }
    for ((i, name), unpacked) in set.iter().zip(read_all(archive, &set)) {
        match unpacked {
            Ok((bytes, errors)) => {
                files.push(((*name).to_owned(), bytes));
                problems.extend(
                    errors
                        .into_iter()
                        .map(|error| in_member(archive, *i, error)),
                );
            }
            Err(error) if *i == index || matches!(error.kind(), ErrorKind::TemporaryFile(_)) => {
                return Err(error);
            }
            // The reason is among the problems of the archive, which are returned.
            Err(_) if is_lost(archive, *i) => {}
            Err(error) => problems.push(in_member(archive, *i, error)),
        }
    }
    let name = member_label(label, &main.name);
    let (_, main_name) = split_folder(&main.name);
    let lost = set.iter().filter(|(i, _)| is_lost(archive, *i));
    let lost = lost.map(|(_, name)| (*name).to_owned());
    let source = Source::from_members(name, main_name, files)?.with_lost(lost);
    Ok((source, problems))
}

fn is_lost(archive: &dyn Archive, index: usize) -> bool {
    let member = archive.members().get(index);
    member.is_some_and(|member| member.presence == Presence::Lost)
}

/// The members that belong to the same database as the member with that index, itself included: those
/// in the same folder for which [`Source::is_of_set`] is true. Returns their indices and their names
/// without the folder; of several members with the same name one.
///
/// # Errors
/// [`ErrorKind::MissingFile`](tabia_core::ErrorKind::MissingFile) if the archive has no such member.
pub fn database_members<'a>(
    archive: &'a dyn Archive,
    index: usize,
) -> Result<Vec<(usize, &'a str)>> {
    let member = archive.contents().member(index)?;
    let (folder, main) = split_folder(&member.name);
    let names = archive.members().iter().enumerate();
    let names = names.filter_map(|(i, other)| {
        let (other_folder, name) = split_folder(&other.name);
        let is_part = i == index || (other_folder == folder && Source::is_of_set(main, name));
        is_part.then_some((i, name))
    });
    // An archive can have several members of one name: the second main file belongs to the second companions.
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, name) in names {
        by_name.entry(name).or_default().push(i);
    }
    let of_main = by_name.get(main).map_or(&[][..], Vec::as_slice);
    let rank = of_main.iter().position(|i| *i == index).unwrap_or_default();
    let one = |(name, all): (&&'a str, &Vec<usize>)| {
        let i = all.get(rank).or(all.last())?;
        Some((*i, *name))
    };
    let mut members: Vec<(usize, &str)> = by_name.iter().filter_map(one).collect();
    members.sort_unstable();
    Ok(members)
}

/// The bytes of a member, and the errors in it if it is damaged.
type Unpacked = Result<(Blob, Vec<Error>)>;

/// Unpacks members on all processors; the results are in the order of `wanted`.
fn read_all(archive: &dyn Archive, wanted: &[(usize, &str)]) -> Vec<Unpacked> {
    let budget = MemoryBudget::new(archive.limits().member);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, _)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*index, salvage_within(archive, *index, &budget)));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut done: Vec<(usize, Unpacked)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(wanted.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut done = work();
        // The members of a thread that panicked are missing here; they are read below.
        done.extend(
            others
                .into_iter()
                .filter_map(|other| other.join().ok())
                .flatten(),
        );
        done
    });
    done.sort_by_key(|(index, _)| *index);
    let mut done = done.into_iter().peekable();
    let mut all = Vec::with_capacity(wanted.len());
    for (index, _) in wanted {
        let found = done.next_if(|(done_index, _)| done_index == index);
        let again = || salvage_within(archive, *index, &budget);
        all.push(found.map_or_else(again, |(_, unpacked)| unpacked));
    }
    all
}

/// The folder of a member, `""` if absent, and its name in it.
fn split_folder(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}
