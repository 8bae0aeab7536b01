//! [`Database`] for Scid databases.

use std::borrow::Cow;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::{Material, PawnsGone};
use tabia_core::error::{Error, Result};
use tabia_core::games::{
    BlankEntries, Database, DatabaseInfo, GameReader, HeadReader, IndexEntry, NameId, NameKind,
    NameLimit, PartKind, StoredMoves, StoredPart, TextLimits,
};
use tabia_core::io::Cursor;

use crate::games::common::records_digest::RecordsDigest;
use crate::games::common::scid_and_scidb_index_codes;

use super::blob_parts::{read_start, read_tag};
use super::disk_layout::{Signature, decode, players, ratings, signature};
use super::entry::{self, flag};
use super::index_heads::ScidHeads;
use super::names;
use super::open::ScidDatabase;
use super::read::ScidReader;
use super::salvage::SalvagedEntry;

impl Database for ScidDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        let tags = &["Event", "Site", "Round", "White", "Black"];
        let bytes = self.version.max_name();
        Some(Arc::new(NameLimit { bytes, tags }))
    }

    fn len(&self) -> u32 {
        self.index.len()
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let intact = self.index.intact_bytes(game.0);
        let intact = intact.filter(|bytes| !BlankEntries::is_blank(bytes));
        let entry = if let Some(entry) = intact.and_then(|bytes| decode(self.version, bytes)) {
            entry
        } else {
            let indexed = self.indexed(game)?;
            if !indexed.has_entry {
                return Ok(IndexEntry::default());
            }
            indexed.entry
        };
        // Ratings of another kind are tags of their own.
        let elo = |elo: u16, kind| Some(elo).filter(|&elo| elo > 0 && entry::is_elo(kind));
        Ok(IndexEntry {
            white: Some(NameId(entry.white)),
            black: Some(NameId(entry.black)),
            event: Some(NameId(entry.event)),
            site: Some(NameId(entry.site)),
            round: Some(NameId(entry.round)),
            annotator: None,
            date: entry::date(entry.date),
            white_elo: elo(entry.white_elo, entry.white_rating),
            black_elo: elo(entry.black_elo, entry.black_rating),
            result: scid_and_scidb_index_codes::result(entry.result),
            eco: entry::eco(entry.eco),
            ply_count: Some(entry.plies).filter(|&plies| plies < entry::MAX_PLIES),
            move_count: None,
            deleted: entry.flags & flag::DELETED != 0,
            is_text: false,
            has_setup: entry.flags & flag::START != 0,
            has_variations: Some(entry.variations != 0),
            has_comments: Some(entry.comments != 0),
            has_nags: Some(entry.nags != 0),
            has_training: Some(false),
        })
    }

    fn counts_commands_as_comments(&self) -> bool {
        true
    }

    fn signature(&self, game: GameIndex) -> Option<(Material, Option<PawnsGone>)> {
        if let Some(bytes) = self.index.intact_bytes(game.0) {
            return signature(self.version, bytes).map(|stored| stored.decode());
        }
        let indexed = self.indexed(game).ok();
        let entry = &indexed.filter(|indexed| indexed.has_entry)?.entry;
        Some(Signature::from(entry).decode())
    }

    fn signatures(&self, first: GameIndex, out: &mut [(Material, Option<PawnsGone>)]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let stored = bytes.and_then(|bytes| signature(self.version, bytes));
            stored.map(|stored| *out = stored.decode()).is_some()
        })
    }

    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let ratings = bytes.and_then(|bytes| ratings(self.version, bytes));
            ratings.map(|ratings| *out = ratings).is_some()
        })
    }

    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let players = bytes.and_then(|bytes| players(self.version, bytes));
            players
                .map(|players| *out = players.map(|id| Some(NameId(id))))
                .is_some()
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let Ok(record) = self.indexed(game) else {
            return Vec::new();
        };
        let SalvagedEntry { entry, .. } = record;
        let length = entry.blob_length as usize;
        let blob = StoredPart::of_file(
            PartKind::Game,
            &self.games_file,
            &self.games,
            entry.blob_at,
            length,
        );
        let own = self.index.stored_entry(game.0);
        own.into_iter().chain(blob).collect()
    }

    fn stored_moves(&self, game: GameIndex) -> Option<StoredMoves<'_>> {
        if self.index.is_salvaged() {
            return None;
        }
        let entry = self.indexed(game).ok()?.entry;
        let at = usize::try_from(entry.blob_at).ok()?;
        let blob = self.games.at_most(at, entry.blob_length as usize)?;
        let is_whole = blob.len() == entry.blob_length as usize;
        if entry.chess960 || entry.flags & flag::START != 0 || !is_whole {
            return None;
        }
        let mut cursor = Cursor::new(blob);
        while read_tag(&mut cursor).ok()?.is_some() {}
        // Tags of a setup position may decide what it is.
        let is_standard = read_start(&mut cursor).ok()?.is_none();
        // Comments are among the bytes.
        is_standard.then(|| StoredMoves::new(cursor.rest(), false))
    }

    fn digest(&self, records: u32) -> Option<u64> {
        if self.index.is_salvaged() || records > self.len() {
            return None;
        }
        let mut digest = RecordsDigest::new(&self.games);
        for game in 0..records {
            let entry = self.indexed(GameIndex(game)).ok()?.entry;
            let ratings = u64::from(entry.white_elo) | u64::from(entry.black_elo) << 16;
            let types = u64::from(entry.white_rating) | u64::from(entry.black_rating) << 8;
            let flags = entry.flags & (flag::START | flag::DELETED);
            let rest = u64::from(entry.result) | u64::from(entry.chess960) << 8;
            let facts = [
                ratings | types << 32,
                u64::from(entry.date) | u64::from(flags) << 32 | rest << 40,
            ];
            digest.add(facts, entry.blob_at, entry.blob_length.into());
        }
        Some(digest.finish())
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let name = names::kind_index(kind).and_then(|kind| self.text(kind, id.0));
        Ok(name.unwrap_or(Cow::Borrowed("?")))
    }

    fn foreign_names(&self) -> Option<Error> {
        self.misfit_of_names()
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(ScidReader::new(self))
    }

    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        (!self.index.is_salvaged()).then(|| Box::new(ScidHeads::new(self)) as Box<dyn HeadReader>)
    }
}
