//! The [`Database`] of a set: its index entries and names, which need no moves.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Problem, Result};
use tabia_core::game::Date;
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, HeadReader, IndexEntry, NameId, NameKind, PartKind,
    StoredPart, TextLimits,
};
use tabia_core::io::Blob;

use super::container::{self, tag};
use super::index_heads::Cbh2Heads;
use super::move_tree;
use super::open::Cbh2Database;
use super::record_reader::Reader;
use super::records::{GameRecord, Record, SIZE, TYPE_DELETED, id};
use super::tags::round_name;
use super::verify;
use super::write::AddedTexts;
use crate::games::cbh::content_summary;
use crate::games::cbh::field_codecs::{decode_date, decode_eco, decode_result};

impl Database for Cbh2Database {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.info.records
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let record = self.record(game)?;
        let name = |number| id(number).map(NameId);
        let mut entry = match record {
            Record::Game(game) => game_entry(game),
            Record::Text(text) => IndexEntry {
                event: name(text.tournament),
                site: name(text.tournament),
                annotator: name(text.annotator),
                is_text: true,
                ..IndexEntry::default()
            },
            Record::Analysis(analysis) => IndexEntry {
                annotator: name(analysis.author),
                ..IndexEntry::default()
            },
        };
        entry.deleted = record.kind() & TYPE_DELETED != 0;
        Ok(entry)
    }

    fn stored_plies(&self, game: GameIndex) -> Option<u32> {
        let Ok(Record::Game(record)) = self.record(game) else {
            return None;
        };
        let mut problems = Vec::new();
        let moves = self.moves_record(record.moves_at.get(), &[tag::GAME], &mut problems)?;
        let plies = move_tree::mainline_plies(moves.bytes).filter(|_| problems.is_empty())?;
        // A header that states another number is that of another record, or the moves are damaged.
        (plies.div_ceil(2) == u32::from(record.move_count.get())).then_some(plies)
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let Ok(record) = self.record(game) else {
            return Vec::new();
        };
        let (moves_at, annotations_at) = record.offsets();
        let at = (u64::from(game.0) + 1) * SIZE as u64;
        let kind = PartKind::IndexEntry;
        let header = StoredPart::of_file(kind, &self.headers_name, self.headers(), at, SIZE);
        let moves = (PartKind::Moves, &self.moves_name);
        let moves = body_part(moves, self.moves.as_ref(), moves_at);
        let annotations = (PartKind::Annotations, &self.annotations_name);
        let annotations =
            annotations_at.and_then(|at| body_part(annotations, self.annotations.as_ref(), at));
        [header, moves, annotations].into_iter().flatten().collect()
    }

    fn name(&self, kind: NameKind, NameId(number): NameId) -> Result<Cow<'_, str>> {
        let lookup = self.lookup();
        let texts = self.texts;
        // A missing file has no names; `read` reports a number without a name.
        Ok(match kind {
            NameKind::Player | NameKind::Annotator => Cow::Owned(lookup.player_name(number)),
            NameKind::Event => texts.plain(lookup.tournament(number).title),
            NameKind::Site => texts.plain(lookup.tournament(number).site),
            NameKind::Round => Cow::Owned(round_name((number >> 16) as u16, number as u16)),
            NameKind::Source => texts.plain(lookup.source(number).title),
            NameKind::Team => texts.plain(lookup.team(number).title),
            _ => Cow::Borrowed(""),
        })
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        // Only who adds games asks.
        if !cfg!(feature = "writers") {
            return None;
        }
        Some(Arc::new(AddedTexts { texts: self.texts }))
    }

    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        // As of `.cbh`: builds that only read report that they lack it.
        if !cfg!(feature = "writers") {
            let error =
                Error::unsupported("comparing the files needs a build with the feature `writers`");
            found(error.into());
            return;
        }
        verify::verify(self, found);
    }

    fn foreign_names(&self) -> Option<Error> {
        if !cfg!(feature = "writers") {
            return None;
        }
        verify::misfit_of_names(self)
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(Reader::new(self))
    }

    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        Some(Box::new(Cbh2Heads::new(self)))
    }
}

/// A record of `.2cbg` or `.2cba`; `None` if none begins there.
fn body_part<'d>(
    (kind, name): (PartKind, &Arc<Path>),
    file: Option<&'d Blob>,
    at: i64,
) -> Option<StoredPart<'d>> {
    let bytes = file?.as_slice();
    let at = u64::try_from(at).ok()?;
    let length = container::record_length(bytes, at)?;
    StoredPart::of_file(kind, name, bytes, at, length)
}

fn game_entry(game: &GameRecord) -> IndexEntry {
    let elo = |elo: u16| (elo != 0).then_some(elo);
    let name = |number| id(number).map(NameId);
    let round = u32::from(game.round.get()) << 16 | u32::from(game.sub_round.get());
    IndexEntry {
        white: name(game.white),
        black: name(game.black),
        event: name(game.tournament),
        site: name(game.tournament),
        round: (round != 0).then_some(NameId(round)),
        annotator: name(game.annotator),
        date: decode_date(game.date.get()).unwrap_or(Date::UNKNOWN),
        white_elo: elo(game.white_elo.get()),
        black_elo: elo(game.black_elo.get()),
        result: decode_result(game.result).unwrap_or_default(),
        eco: decode_eco(game.eco.get()),
        ply_count: None,
        move_count: Some(u8::try_from(game.move_count.get()).unwrap_or(u8::MAX)),
        deleted: false,
        is_text: false,
        ..content_summary::entry(game.flags.get())
    }
}
