//! Encodes a game on a worker thread: its index entry, five names, and its blob. The name numbers
//! and the offset are filled in when the game is appended.

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{Game, RecordKind};
use tabia_core::games::GameEncoder;
use tabia_core::loss::{Feature, Features, Losses};

use crate::games::common::scid_and_scidb_index_codes::result_code;

use super::blob_encoder::{Detail, Encoder};
use super::disk_layout;
use super::entry::{Entry, flag};
use super::tag_writer::TagWriter;
use super::version::Version;

/// Encodes games on one thread.
#[derive(Debug)]
pub(crate) struct RecordEncoder {
    version: Version,
    encoder: Encoder,
    tags: TagWriter,
    names: Vec<u8>,
}

impl RecordEncoder {
    pub(crate) fn new(version: Version, can: Features) -> Self {
        Self {
            version,
            encoder: Encoder::new(version, can),
            tags: TagWriter::new(version),
            names: Vec::new(),
        }
    }
}

/// What is written of a game that is too long: without some of its comments, else without variations, else
/// without its last moves.
struct Details {
    limit: usize,
    now: Detail,
}

impl Details {
    /// Bytes that a move and what belongs to it may take, and the end of a blob.
    const RESERVE: usize = 64;

    const fn new(limit: usize) -> Self {
        Self {
            limit,
            now: Detail::ALL,
        }
    }

    /// Takes the next lower detail, after a blob of `bytes` without its comments was too long. `false` if
    /// there is none.
    const fn reduce(&mut self, bytes: usize) -> bool {
        let detail = &mut self.now;
        if detail.moves != usize::MAX {
            return false;
        }
        if detail.comments == usize::MAX && bytes <= self.limit {
            detail.comments = self.limit - bytes;
        } else if detail.variations {
            detail.variations = false;
            detail.comments = usize::MAX;
        } else {
            detail.comments = 0;
            detail.moves = self.limit.saturating_sub(Self::RESERVE);
        }
        true
    }
}

impl GameEncoder for RecordEncoder {
    fn encode(&mut self, game: &Game, out: &mut Vec<u8>) -> Result<Losses> {
        let mut losses = Losses::new();
        if game.head.kind == RecordKind::Text {
            losses.add(Feature::GuidingTexts, 1, None);
            return Ok(losses);
        }
        let mut entry = Entry {
            result: result_code(game.result),
            chess960: game.head.start.chess960 && self.version == Version::V5,
            ..Entry::default()
        };
        if game.result.is_special() {
            losses.add(Feature::SpecialResults, 1, None);
        }
        if game.head.deleted {
            entry.flags |= flag::DELETED;
        }
        let encoder = &mut self.encoder;
        encoder.blob.clear();
        self.names.clear();
        let (names, blob) = (&mut self.names, &mut encoder.blob);
        self.tags.write(game, &mut entry, names, blob, &mut losses);
        let tags_end = encoder.blob.len();
        let tags_entry = entry;
        let limit = self.version.max_blob();
        let mut details = Details::new(limit);
        loop {
            let mut lost = Losses::new();
            encoder.blob.truncate(tags_end);
            entry = tags_entry;
            encoder.encode(game, details.now, &mut entry, &mut lost)?;
            let size = encoder.blob.len();
            if size <= limit {
                losses.merge(&lost);
                break;
            }
            if !details.reduce(size - encoder.comment_bytes) {
                return Err(Error::new(ErrorKind::Limit {
                    what: "a game",
                    limit: limit as u64,
                    size: size as u64,
                }));
            }
        }
        entry.blob_length = encoder.blob.len() as u32;
        disk_layout::encode(self.version, &entry, out);
        out.extend_from_slice(&self.names);
        out.extend_from_slice(&encoder.blob);
        Ok(losses)
    }
}
