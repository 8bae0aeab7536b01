//! Polyglot books straight from folded records, which come in the order of the file.

use std::cmp::Reverse;
use std::io::Write;
use std::path::Path;

use tabia_core::chess::Move;
use tabia_core::error::{Error, Result};
use tabia_core::external::PARTITIONS;
use tabia_core::formats::CreateOptions;
use tabia_core::games::Written;
use tabia_core::io::{OutputSet, Progress};
use tabia_formats::books::polyglot::{Entry, encode_move};
use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U16, U64};

use super::aggregate::Cell;
use super::grouping::Folder;
use super::record::Stored;
use super::{BuildOptions, Built, Gathered, Weighing};
use crate::parallel::ordered;

/// The book under construction.
pub(super) struct Out(OutputSet);

#[derive(Default)]
struct Job {
    part: usize,
    entries: Vec<Entry>,
    positions: u64,
    failure: Option<Error>,
}

impl Out {
    /// A new book at `path`.
    pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut set = OutputSet::new(options.force);
        set.create(path)?;
        Ok(Self(set))
    }

    /// Writes everything that is kept.
    pub(super) fn write<S: Stored>(
        self,
        gathered: Gathered<S>,
        options: &BuildOptions,
        progress: &Progress,
        built: &mut Built,
    ) -> Result<(), Error> {
        let Self(mut set) = self;
        let mut next = 0;
        let fill = |job: &mut Job| {
            job.part = next;
            next += 1;
            job.part < PARTITIONS && !progress.is_cancelled()
        };
        let worker = || {
            let mut folder = Folder::new(&gathered, options, false);
            let mut kept = Vec::new();
            move |job: &mut Job| job.run(&mut folder, options, &mut kept)
        };
        ordered(options.threads, fill, worker, |job| {
            if let Some(error) = job.failure.take() {
                return Err(error.in_output());
            }
            built.positions += job.positions;
            built.moves += job.entries.len() as u64;
            let Some(out) = set.file(0) else {
                return Ok(false);
            };
            let bytes = job.entries.as_bytes();
            let written = out.write_all(bytes);
            written.map_err(|error| Error::from(error).in_path(out.target()).in_output())?;
            Ok(true)
        })?;
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        // What is left of it would be written to the disk together with the book.
        drop(gathered);
        let (files, bytes) = set.commit().map_err(Error::in_output)?;
        let records = u32::try_from(built.moves).unwrap_or(u32::MAX);
        built.written = Written::new(records, files, bytes);
        Ok(())
    }
}

impl Job {
    fn run<S: Stored>(
        &mut self,
        folder: &mut Folder<'_, S>,
        options: &BuildOptions,
        kept: &mut Vec<(Cell, u16)>,
    ) {
        self.entries.clear();
        self.positions = 0;
        let entries = &mut self.entries;
        let positions = &mut self.positions;
        let done = folder.groups(self.part, &mut |group, _| {
            group.weigh(&options.keep, options.weighing, options.stretch, kept);
            if options.uniform {
                for (_, weight) in &mut *kept {
                    *weight = 1;
                }
            }
            // Polyglot leaves moves of one weight in the order they first came.
            if options.weighing == Weighing::Polyglot {
                kept.sort_by_key(|(_, weight)| Reverse(*weight));
            } else {
                kept.sort_by_key(|(cell, weight)| (Reverse(*weight), bits(cell.move_bits)));
            }
            *positions += u64::from(!kept.is_empty());
            entries.extend(kept.iter().map(|(cell, weight)| Entry {
                key: U64::new(group.key),
                move_bits: U16::new(bits(cell.move_bits)),
                weight: U16::new(*weight),
                learn: [0; 4],
            }));
        });
        self.failure = done.err();
    }
}

/// The bits of a move as the book has them.
fn bits(own: u16) -> u16 {
    Move::from_bits(own).map_or(0, encode_move)
}
