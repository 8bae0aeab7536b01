//! Records of `.2cbg`, `.2cba` and `.2lid` over which zeros were written up to the end of the file.

use std::path::Path;
use std::sync::Arc;
use tabia_core::io::Blob;

use super::container::MARK;
use super::names::{EntityKind, Names};
use super::records::{Record, SIZE, id};
use crate::games::common::zeroed_files::{has_only_zeros, zeroed};

/// The files of a set, and their names in messages.
pub(super) struct SetFiles<'d> {
    pub(super) headers: &'d [u8],
    pub(super) moves: (Option<&'d Blob>, &'d Arc<Path>),
    pub(super) annotations: (Option<&'d Blob>, &'d Arc<Path>),
    pub(super) names: (Option<&'d Names>, &'d Arc<Path>),
}

/// Where the last records of the files are according to the headers.
#[derive(Debug, Default)]
pub(super) struct ZeroedRecords {
    moves_at: i64,
    annotations_at: i64,
}

impl ZeroedRecords {
    /// Adds what the header of a record states.
    pub(super) fn add(&mut self, record: Record<'_>) {
        let (moves_at, annotations_at) = record.offsets();
        self.moves_at = self.moves_at.max(moves_at);
        self.annotations_at = self.annotations_at.max(annotations_at.unwrap_or(0));
    }

    /// The problems of the files whose last records have only zeros: what is wrong, and the file.
    pub(super) fn problems<'d>(&self, files: &SetFiles<'d>) -> Vec<(String, &'d Arc<Path>)> {
        let (moves, moves_name) = files.moves;
        let (annotations, annotations_name) = files.annotations;
        let (names, names_name) = files.names;
        let headers = files.headers;
        let mut found = Vec::new();
        if begins_with_zeros(moves, self.moves_at) {
            let count = count(headers, |record| {
                begins_with_zeros(moves, record.offsets().0)
            });
            found.extend(zeroed("the moves of", count).map(|text| (text, moves_name)));
        }
        if begins_with_zeros(annotations, self.annotations_at) {
            let count = count(headers, |record| {
                let at = record.offsets().1;
                at.is_some_and(|at| begins_with_zeros(annotations, at))
            });
            let text = zeroed("the annotations of", count);
            found.extend(text.map(|text| (text, annotations_name)));
        }
        if let Some(names) = names.filter(|names| names.ends_in_zeros()) {
            let count = count(headers, |record| {
                let Record::Game(game) = record else {
                    return false;
                };
                let players = [game.white, game.black].map(|number| (EntityKind::Player, number));
                let tournament = (EntityKind::Tournament, game.tournament);
                players
                    .into_iter()
                    .chain([tournament])
                    .any(|(kind, number)| {
                        id(number).is_some_and(|number| !names.is_readable(kind, number))
                    })
            });
            found.extend(zeroed("names of", count).map(|text| (text, names_name)));
        }
        found
    }
}

/// Whether the mark with which every record begins has only zeros.
fn begins_with_zeros(file: Option<&Blob>, at: i64) -> bool {
    let at = u64::try_from(at).ok().filter(|at| *at > 0);
    let has_zeros = |(file, at)| has_only_zeros(file, at, MARK.len() as u64);
    file.zip(at).is_some_and(has_zeros)
}

fn count(headers: &[u8], is_zeroed: impl Fn(Record<'_>) -> bool) -> u32 {
    let records = headers.chunks_exact(SIZE).skip(1);
    let zeroed = records
        .filter_map(Record::read)
        .filter(|record| is_zeroed(*record));
    u32::try_from(zeroed.count()).unwrap_or(u32::MAX)
}
