//! Heads of games from `.cbh` and the tables of names, without `.cbg`.

use tabia_core::error::GameIndex;
use tabia_core::games::{HeadName, HeadReader, IndexHead};

use super::annotations::Items;
use super::annotations::game_tags::GameTag;
use super::content_summary::{self, HAS_START, IS_UNORTHODOX};
use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::entity;
use super::field_codecs::{CHESS960_ECO, decode_date, decode_eco, decode_result};
use super::open::{CbhDatabase, Companions};
use super::records::{GameRecord, Record, TYPE_DELETED};
use super::tags::{
    SharedTags, TagWriter, ValueTags as _, has_regular_last_name, player_name, round_name,
};

/// Reads heads of a set that is not read for repair and has its moves.
pub(super) struct CbhHeads<'d> {
    db: &'d CbhDatabase,
    companions: &'d Companions,
    shared: SharedTags,
    players: IntactNames,
    tournaments: IntactNames,
    annotators: IntactNames,
    sources: IntactNames,
}

impl<'d> CbhHeads<'d> {
    /// `None` if records of the set have problems of their own.
    pub(super) fn new(db: &'d CbhDatabase) -> Option<Self> {
        let companions = db.companions();
        let is_whole = !db.is_salvaged && companions.moves.is_some();
        is_whole.then(|| Self {
            db,
            companions,
            shared: SharedTags::default(),
            players: IntactNames::default(),
            tournaments: IntactNames::default(),
            annotators: IntactNames::default(),
            sources: IntactNames::default(),
        })
    }

    /// Whether the names of a game are in their tables and no other tag has to complete them.
    fn has_intact_names(&mut self, game: &GameRecord) -> bool {
        let Companions { tables, texts, .. } = self.companions;
        let texts = *texts;
        let is_regular = |player: &_| has_regular_last_name(player, texts);
        let players = tables.players.as_ref();
        self.players.has(players, game.white.get(), is_regular)
            && self.players.has(players, game.black.get(), is_regular)
            && self
                .tournaments
                .has(tables.tournaments.as_ref(), game.tournament.get(), |_| true)
            && self
                .annotators
                .has(tables.annotators.as_ref(), game.annotator.get(), |_| true)
            && self
                .sources
                .has(tables.sources.as_ref(), game.source.get(), |_| true)
    }

    /// Whether an annotation record has an item that is a tag.
    fn has_tag_items(&self, at: u64) -> bool {
        let file = self.companions.annotations.as_ref();
        let record = file.and_then(|file| {
            let start = usize::try_from(at).ok()?;
            let size = Items::size(file.at_most(start, usize::MAX)?).ok()?;
            file.at_most(start, size)
        });
        let items = record.and_then(|record| Items::new(record).ok());
        items
            .into_iter()
            .flatten()
            .map_while(Result::ok)
            .any(|item| item.position < 0 && GameTag::of_kind(item.kind).is_some())
    }
}

impl HeadReader for CbhHeads<'_> {
    fn read(&mut self, index: GameIndex, head: &mut IndexHead) -> bool {
        let db = self.db;
        let Ok(Record::Game(game)) = db.stored_record(index) else {
            return false;
        };
        let eco = game.eco.get();
        if game.flags.get() & (HAS_START | IS_UNORTHODOX) != 0 || eco >= CHESS960_ECO {
            return false;
        }
        let (Some(date), Some(result)) = (decode_date(game.date.get()), decode_result(game.result))
        else {
            return false;
        };
        let code = decode_eco(eco);
        if code.is_none() && eco != 0 || !self.has_intact_names(game) {
            return false;
        }
        let extended = db.extended(index);
        let tables = &self.companions.tables;
        if extended
            .as_ref()
            .is_some_and(|(record, _)| !tables.has_sound_entry(index, record))
        {
            return false;
        }
        if game.annotations_at.get() != 0
            && self.has_tag_items(db.offsets(index, Record::Game(game)).annotations_at)
        {
            return false;
        }
        let tournament = game.tournament.get();
        let round = u32::from(game.round) << 8 | u32::from(game.sub_round);
        head.names = [
            Some(tournament),
            Some(tournament),
            Some(round),
            Some(game.white.get()),
            Some(game.black.get()),
            code.map(|_| eco.into()),
            Some(game.annotator.get()),
        ];
        head.date = date;
        head.elo = [game.white_elo.get(), game.black_elo.get()];
        head.result = result;
        head.deleted = game.kind & TYPE_DELETED != 0;
        head.ply_count = None;
        let content = content_summary::entry(game.flags.get());
        let marks = (
            content.has_variations,
            content.has_comments,
            content.has_nags,
        );
        head.marks = match marks {
            (Some(variations), Some(comments), Some(nags)) => Some([variations, comments, nags]),
            _ => None,
        };
        head.rest.clear();
        if let Some(code) = code {
            head.rest.number("CbEcoSub", code.sub());
        }
        TagWriter {
            tables: &self.companions.tables,
            texts: self.companions.texts,
            without_moves: false,
            without_medals: false,
            tags: &mut head.rest,
            shared: &mut self.shared,
        }
        .after_annotator(
            index.0.saturating_add(1),
            game,
            extended.as_ref().map(|(record, rest)| (record, *rest)),
        );
        true
    }

    fn push_value(&self, name: HeadName, number: u32, out: &mut String) {
        let Companions { tables, texts, .. } = self.companions;
        let texts = *texts;
        let start = out.len();
        match name {
            HeadName::White | HeadName::Black => {
                if let Some(player) = entity(tables.players.as_ref(), number) {
                    out.push_str(&player_name(player, texts));
                }
            }
            HeadName::Event => {
                if let Some(tournament) = entity(tables.tournaments.as_ref(), number) {
                    out.push_str(&texts.field(&tournament.title));
                }
            }
            HeadName::Site => {
                if let Some(tournament) = entity(tables.tournaments.as_ref(), number) {
                    out.push_str(&texts.field(&tournament.site));
                }
            }
            HeadName::Round => out.push_str(&round_name((number >> 8) as u8, number as u8)),
            HeadName::Eco => {
                if let Some(eco) = u16::try_from(number).ok().and_then(decode_eco) {
                    eco.push_to(out);
                }
            }
            HeadName::Annotator => {
                // Without a name there is no tag.
                if let Some(annotator) = entity(tables.annotators.as_ref(), number) {
                    out.push_str(&texts.field(&annotator.name));
                }
                return;
            }
        }
        if out.len() == start {
            out.push('?');
        }
    }
}

/// Ids of a table whose names were looked at and need no other tag and no message.
#[derive(Default)]
struct IntactNames(Vec<u64>);

impl IntactNames {
    /// Whether the name of an id is intact: every id without a table, of which no name is known.
    fn has<E: Entity>(
        &mut self,
        table: Option<&EntityTable<E>>,
        id: u32,
        is_regular: impl Fn(&E) -> bool,
    ) -> bool {
        let Some(table) = table else { return true };
        let (word, bit) = (id as usize / 64, 1_u64 << (id % 64));
        if self.0.get(word).is_some_and(|bits| bits & bit != 0) {
            return true;
        }
        let is_intact =
            id < table.capacity() && !table.is_blank(id) && table.get(id).is_none_or(is_regular);
        if is_intact {
            if self.0.is_empty() {
                // A bit for each record, which has 41 bytes at least.
                self.0.resize(table.capacity() as usize / 64 + 1, 0);
            }
            if let Some(bits) = self.0.get_mut(word) {
                *bits |= bit;
            }
        }
        is_intact
    }
}
