//! The [`Database`] of a set: its description and index entries, which need no moves.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, GameIndex, Problem, Result};
use tabia_core::game::Date;
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, HeadReader, IndexEntry, NameId, NameKind, PartKind,
    StoredMoves, StoredPart, TextLimits,
};
use tabia_core::io::{Blob, name_text};

use super::annotations::Items;
use super::companions::COMPANIONS;
use super::content_summary;
use super::content_summary::{HAS_START, IS_UNORTHODOX};
use super::entities::EntityTable;
use super::entity_and_side_tables::entity;
use super::field_codecs::{CHESS960_ECO, decode_date, decode_eco, decode_result};
use super::format_id::ID;
use super::index_heads::CbhHeads;
use super::moves;
use super::name_uses::foreign_name_files;
use super::open::{CbhDatabase, Companions, RecordOffsets};
use super::record_reader::CbhReader;
use super::records::{FileHeader, GameRecord, MovesHead, Record, TYPE_DELETED, TYPE_TEXT};
use super::tags::{player_name, round_name};
use super::write::AddedTexts;
use super::zeroed_parts::ZeroedParts;
use crate::games::common::records_digest::{RecordsDigest, checksum};

impl Database for CbhDatabase {
    fn info(&self) -> &DatabaseInfo {
        self.info.get_or_init(|| self.describe())
    }

    fn len(&self) -> u32 {
        self.len
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let record = self.stored_record(game)?;
        Ok(match record {
            Record::Game(game) => game_entry(game),
            Record::Text(text) => IndexEntry {
                event: Some(NameId(text.tournament.get())),
                site: Some(NameId(text.tournament.get())),
                round: round_id(text.round, text.sub_round),
                annotator: Some(NameId(text.annotator.get())),
                deleted: text.kind & TYPE_DELETED != 0,
                is_text: true,
                ..IndexEntry::default()
            },
        })
    }

    fn span(&self, game: GameIndex) -> Option<(u64, u64)> {
        // The file header has the size of a record.
        let record = size_of::<GameRecord>() as u64;
        (game.0 < self.len).then(|| ((u64::from(game.0) + 1) * record, record))
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let (Some(record), Some((at, length))) = (self.record(game), self.span(game)) else {
            return Vec::new();
        };
        let Companions {
            moves,
            annotations,
            moves_name,
            annotations_name,
            tables,
            ..
        } = self.companions();
        // Headers that were made anew are in no file.
        let header = (!self.is_salvaged).then(|| {
            let (kind, headers) = (PartKind::IndexEntry, &self.headers);
            StoredPart::of_file(kind, &self.headers_name, headers, at, length as usize)
        });
        let extended = tables.extended.as_ref().and_then(|table| {
            let (offset, bytes) = table.stored_record(game.0)?;
            let name = self.source.label_of("cbj");
            Some(StoredPart::new(
                PartKind::ExtendedEntry,
                &name,
                offset,
                bytes,
            ))
        });
        let RecordOffsets {
            moves_at,
            annotations_at,
        } = self.offsets(game, record);
        let moves = body_part(
            (PartKind::Moves, moves_name),
            moves.as_ref(),
            moves_at,
            |head| MovesHead::read(head).map_or(0, |head| head.size.get() as usize),
        );
        let annotations = body_part(
            (PartKind::Annotations, annotations_name),
            annotations.as_ref(),
            annotations_at,
            |head| Items::size(head).unwrap_or(0),
        );
        let parts = [header.flatten(), extended, moves, annotations];
        parts.into_iter().flatten().collect()
    }

    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        let (records, _) = self.headers.as_slice().as_chunks::<{ GameRecord::SIZE }>();
        let first = (first.0 as usize).saturating_add(1);
        let records = records.get(first..).unwrap_or_default();
        for (record, players) in records.iter().zip(out.iter_mut()) {
            let game = GameRecord::read(record).filter(|game| game.kind & TYPE_TEXT == 0);
            *players = game.map_or([None; 2], |game| {
                [&game.white, &game.black].map(|id| Some(NameId(id.get())))
            });
        }
        out.len() <= records.len()
    }

    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        let (records, _) = self.headers.as_slice().as_chunks::<{ GameRecord::SIZE }>();
        let first = (first.0 as usize).saturating_add(1);
        for (record, ratings) in records.get(first..).unwrap_or_default().iter().zip(out) {
            *ratings = GameRecord::read(record).map_or([0; 2], |game| {
                // In a text these bytes are not ratings.
                let mask = u16::from(game.kind & TYPE_TEXT != 0).wrapping_sub(1);
                [game.white_elo.get() & mask, game.black_elo.get() & mask]
            });
        }
        true
    }

    fn stored_plies(&self, game: GameIndex) -> Option<u32> {
        let Some(Record::Game(record)) = self.record(game) else {
            return None;
        };
        let at = usize::try_from(self.offsets(game, Record::Game(record)).moves_at).ok()?;
        let moves = self.companions().moves.as_ref()?;
        let head = moves.at_most(at, MovesHead::SIZE)?;
        let bytes = moves.at_most(at, MovesHead::read(head)?.size.get() as usize)?;
        let plies = moves::stored_plies(bytes, at as u64).filter(|_| at != 0)?;
        // A header that states another number is that of another record, or the moves are damaged.
        (plies.div_ceil(2) == u32::from(record.move_count)).then_some(plies)
    }

    fn stored_moves(&self, game: GameIndex) -> Option<StoredMoves<'_>> {
        let Some(record @ Record::Game(header)) = self.record(game) else {
            return None;
        };
        let is_setup = header.flags.get() & (HAS_START | IS_UNORTHODOX) != 0;
        if self.is_salvaged || is_setup || header.eco.get() >= CHESS960_ECO {
            return None;
        }
        let RecordOffsets {
            moves_at,
            annotations_at,
        } = self.offsets(game, record);
        let at = usize::try_from(moves_at).ok().filter(|&at| at != 0)?;
        let moves = self.companions().moves.as_ref()?;
        let size = MovesHead::read(moves.at_most(at, MovesHead::SIZE)?)?
            .size
            .get() as usize;
        let bytes = moves
            .at_most(at, size)
            .filter(|bytes| bytes.len() == size)?;
        let is_standard = moves::begins_in_standard_position(bytes);
        is_standard.then(|| StoredMoves::new(bytes, annotations_at != 0))
    }

    fn digest(&self, records: u32) -> Option<u64> {
        if self.is_salvaged || records > self.len {
            return None;
        }
        let moves = self.companions().moves.as_ref()?;
        let mut digest = RecordsDigest::new(moves);
        for game in (0..records).map(GameIndex) {
            let header = u64::from(checksum(self.header_bytes(game)?));
            let (at, length) = match self.record(game)? {
                Record::Text(_) => (0, 0),
                record @ Record::Game(_) => {
                    let at = self.offsets(game, record).moves_at;
                    let head = moves.at_most(usize::try_from(at).ok()?, MovesHead::SIZE)?;
                    let size = MovesHead::read(head).map_or(0, |head| head.size.get());
                    (at, u64::from(size))
                }
            };
            digest.add([header, at], at, length);
        }
        Some(digest.finish())
    }

    fn name(&self, kind: NameKind, NameId(id): NameId) -> Result<Cow<'_, str>> {
        let Companions { tables, texts, .. } = self.companions();
        let texts = *texts;
        // A missing file has no names; `read` reports an id beyond the end of its file.
        Ok(match kind {
            NameKind::Player => entity(tables.players.as_ref(), id)
                .map(|player| Cow::Owned(player_name(player, texts))),
            NameKind::Event => {
                entity(tables.tournaments.as_ref(), id).map(|t| texts.field(&t.title))
            }
            NameKind::Site => entity(tables.tournaments.as_ref(), id).map(|t| texts.field(&t.site)),
            NameKind::Round => Some(Cow::Owned(round_name((id >> 8) as u8, id as u8))),
            NameKind::Annotator => {
                entity(tables.annotators.as_ref(), id).map(|a| texts.field(&a.name))
            }
            NameKind::Source => entity(tables.sources.as_ref(), id).map(|s| texts.field(&s.title)),
            NameKind::Team => entity(tables.teams.as_ref(), id).map(|t| texts.field(&t.title)),
            _ => None,
        }
        .unwrap_or_default())
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        // Only who adds games asks.
        if !cfg!(feature = "writers") {
            return None;
        }
        Some(Arc::new(AddedTexts::new(self)))
    }

    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        // The comparison is large; builds that only read report that they lack it.
        if !cfg!(feature = "writers") {
            let error =
                Error::unsupported("comparing the files needs a build with the feature `writers`");
            found(error.into());
            return;
        }
        // Whoever asks has read the games, or reads them: each problem is reported once.
        let findings = super::verify::verify(self);
        let findings = super::verify::without_owners_of_shared_records(findings);
        for finding in findings.filter(|finding| !finding.is_of_reading) {
            found(finding.error.into());
        }
    }

    fn foreign_names(&self) -> Option<Error> {
        if !cfg!(feature = "writers") {
            return None;
        }
        let files = foreign_name_files(self.tables(), &self.headers, true);
        let (extension, text) = files.into_iter().next()?;
        Some(Error::invalid(text).in_file(&self.source.label_of(extension)))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(CbhReader::new(self))
    }

    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        let heads = CbhHeads::new(self)?;
        Some(Box::new(heads))
    }
}

impl CbhDatabase {
    fn describe(&self) -> DatabaseInfo {
        let companions = self.companions();
        let (mut texts, mut deleted) = (0, 0);
        let mut zeroed = ZeroedParts::default();
        let records = self.headers.chunks_exact(FileHeader::SIZE).skip(1);
        for (index, record) in (0..).map(GameIndex).zip(records) {
            zeroed.add(index, record);
            let kind = record.first().copied().unwrap_or(0);
            texts += u32::from(kind & TYPE_TEXT != 0);
            deleted += u32::from(kind & TYPE_DELETED != 0);
        }
        let header = self.header();
        let mut version = match header.map(|header| (header.version, header.header_size.get())) {
            Some((1, 36)) => "classic, header of ChessBase 6".to_owned(),
            Some((1, _)) => "classic".to_owned(),
            Some((version, _)) => format!("header version {version}"),
            None => String::new(),
        };
        if let Some(extended) = &companions.tables.extended {
            version += ", .cbj version ";
            version += &extended.header().version.to_string();
        }
        let mut names = Vec::new();
        let tables = &companions.tables;
        let mut count = |kind, live: Option<u32>| names.extend(live.map(|live| (kind, live)));
        count(
            NameKind::Player,
            tables.players.as_ref().map(EntityTable::live),
        );
        count(
            NameKind::Event,
            tables.tournaments.as_ref().map(EntityTable::live),
        );
        count(
            NameKind::Annotator,
            tables.annotators.as_ref().map(EntityTable::live),
        );
        count(
            NameKind::Source,
            tables.sources.as_ref().map(EntityTable::live),
        );
        count(NameKind::Team, tables.teams.as_ref().map(EntityTable::live));
        let mut info = DatabaseInfo::default();
        info.format = ID;
        info.version = version;
        info.records = self.len;
        info.texts = texts;
        info.deleted = deleted;
        info.encoding = companions.texts.describe();
        info.title.clone_from(&companions.title);
        info.companions = COMPANIONS
            .iter()
            .map(|companion| {
                let exists = self.source.companion(companion.extension).is_some();
                (companion.extension.to_owned(), exists)
            })
            .collect();
        info.problems = self
            .problems
            .iter()
            .chain(&companions.problems)
            .cloned()
            .collect();
        if !self.is_salvaged {
            info.blank_entries = zeroed.blank;
            for (extension, text) in zeroed.problems(self) {
                let name = self.source.label_of(extension);
                info.problems
                    .push(format!("{}: {text}", name_text(name.as_os_str())));
            }
        }
        info.has_doubtful_names = self.has_foreign_names;
        info.names = names;
        info
    }
}

/// A record of `.cbg` or `.cba`, whose length `size` reads from its bytes; `None` if there is none.
fn body_part<'d>(
    (kind, name): (PartKind, &Arc<Path>),
    file: Option<&'d Blob>,
    at: u64,
    size: fn(&[u8]) -> usize,
) -> Option<StoredPart<'d>> {
    let bytes = file.filter(|_| at != 0)?.as_slice();
    let rest = bytes.get(usize::try_from(at).ok()?..)?;
    StoredPart::of_file(kind, name, bytes, at, size(rest))
}

fn game_entry(game: &GameRecord) -> IndexEntry {
    let elo = |elo: u16| (elo != 0).then_some(elo);
    IndexEntry {
        white: Some(NameId(game.white.get())),
        black: Some(NameId(game.black.get())),
        event: Some(NameId(game.tournament.get())),
        site: Some(NameId(game.tournament.get())),
        round: round_id(game.round, game.sub_round),
        annotator: Some(NameId(game.annotator.get())),
        date: decode_date(game.date.get()).unwrap_or(Date::UNKNOWN),
        white_elo: elo(game.white_elo.get()),
        black_elo: elo(game.black_elo.get()),
        result: decode_result(game.result).unwrap_or_default(),
        eco: decode_eco(game.eco.get()),
        ply_count: None,
        move_count: Some(game.move_count),
        deleted: game.kind & TYPE_DELETED != 0,
        is_text: false,
        ..content_summary::entry(game.flags.get())
    }
}

fn round_id(round: u8, sub_round: u8) -> Option<NameId> {
    let id = u32::from(round) << 8 | u32::from(sub_round);
    (id != 0).then_some(NameId(id))
}
