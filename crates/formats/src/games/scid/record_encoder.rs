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
        for detail in [Detail::All, Detail::Variations, Detail::Mainline] {
            let mut lost = Losses::new();
            encoder.blob.truncate(tags_end);
            entry = tags_entry;
            encoder.encode(game, detail, &mut entry, &mut lost)?;
            if encoder.blob.len() <= self.version.max_blob() {
                losses.merge(&lost);
                break;
            }
            if detail == Detail::Mainline {
                return Err(Error::new(ErrorKind::Limit {
                    what: "a game",
                    limit: self.version.max_blob() as u64,
                    size: encoder.blob.len() as u64,
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
