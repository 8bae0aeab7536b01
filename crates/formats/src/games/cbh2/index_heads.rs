//! Heads of games from `.2cbh` and the names; of `.2cbg` only whether a record has a setup position.

use tabia_core::error::{Error, GameIndex};
use tabia_core::games::{HeadName, HeadReader, IndexHead};

use super::container::tag;
use super::move_tree;
use super::names::EntityKind;
use super::open::Cbh2Database;
use super::records::{GameRecord, Record, TYPE_DELETED, id};
use super::tags::{TagWriter, or_unknown, round_name};
use crate::games::cbh::content_summary;
use crate::games::cbh::field_codecs::{CHESS960_ECO, decode_date, decode_eco, decode_result};
use crate::games::cbh::tags::ValueTags as _;

/// The number of a name that a record does not have.
const NO_NAME: u32 = u32::MAX;

/// Reads heads of a set.
#[derive(Debug)]
pub(super) struct Cbh2Heads<'d> {
    db: &'d Cbh2Database,
    problems: Vec<Error>,
    players: RegularPlayers,
}

impl<'d> Cbh2Heads<'d> {
    pub(super) fn new(db: &'d Cbh2Database) -> Self {
        Self {
            db,
            problems: Vec::new(),
            players: RegularPlayers::default(),
        }
    }

    /// Whether all names of a game are in their file, and those of players need no other tag.
    fn has_intact_names(&mut self, game: &GameRecord) -> bool {
        let db = self.db;
        let is_there = |kind, stored| match id(stored) {
            Some(number) => !db.lacks(kind, number),
            None => stored.get() == -1,
        };
        is_there(EntityKind::Tournament, game.tournament)
            && is_there(EntityKind::Player, game.annotator)
            && is_there(EntityKind::Source, game.source)
            && is_there(EntityKind::Team, game.white_team)
            && is_there(EntityKind::Team, game.black_team)
            && is_there(EntityKind::Tag, game.tag)
            && [game.white, game.black].into_iter().all(|stored| {
                id(stored).map_or(stored.get() == -1, |number| self.players.has(db, number))
            })
    }
}

impl HeadReader for Cbh2Heads<'_> {
    fn read(&mut self, index: GameIndex, head: &mut IndexHead) -> bool {
        let db = self.db;
        let Ok(record @ Record::Game(game)) = db.record(index) else {
            return false;
        };
        let eco = game.eco.get();
        let code = decode_eco(eco);
        if eco >= CHESS960_ECO || code.is_none() && eco != 0 || !self.has_intact_names(game) {
            return false;
        }
        let (Some(date), Some(result)) = (decode_date(game.date.get()), decode_result(game.result))
        else {
            return false;
        };
        self.problems.clear();
        let moves = db.moves_record(game.moves_at.get(), &[tag::GAME], &mut self.problems);
        let Some(moves) = moves.filter(|_| self.problems.is_empty()) else {
            return false;
        };
        if move_tree::has_setup(moves.bytes) {
            return false;
        }
        let tournament = id(game.tournament).unwrap_or(NO_NAME);
        head.names = [
            Some(tournament),
            Some(tournament),
            Some(u32::from(game.round.get()) << 16 | u32::from(game.sub_round.get())),
            Some(id(game.white).unwrap_or(NO_NAME)),
            Some(id(game.black).unwrap_or(NO_NAME)),
            code.map(|_| eco.into()),
            id(game.annotator),
        ];
        head.date = date;
        head.elo = [game.white_elo.get(), game.black_elo.get()];
        head.result = result;
        head.deleted = record.kind() & TYPE_DELETED != 0;
        head.ply_count = None;
        let content = content_summary::entry(game.flags.get());
        head.marks = match (
            content.has_variations,
            content.has_comments,
            content.has_nags,
        ) {
            (Some(variations), Some(comments), Some(nags)) => Some([variations, comments, nags]),
            _ => None,
        };
        head.rest.clear();
        let mut writer = TagWriter {
            lookup: db.lookup(),
            tags: &mut head.rest,
        };
        writer.rest(game);
        writer.kind(record);
        let annotations_at = Some(game.annotations_at.get());
        let mut annotations = db.all_annotations(annotations_at, &mut self.problems);
        if annotations.is_empty() {
            head.rest.number("CbMedals", game.medals.get());
        }
        annotations.take_tags(Some(&mut head.rest));
        true
    }

    fn push_value(&self, name: HeadName, number: u32, out: &mut String) {
        let lookup = self.db.lookup();
        let texts = lookup.texts;
        let text = match name {
            HeadName::White | HeadName::Black => lookup.player_name(number),
            HeadName::Event => texts.plain(lookup.tournament(number).title).into_owned(),
            HeadName::Site => texts.plain(lookup.tournament(number).site).into_owned(),
            HeadName::Round => round_name((number >> 16) as u16, number as u16),
            HeadName::Eco => {
                if let Some(eco) = u16::try_from(number).ok().and_then(decode_eco) {
                    eco.push_to(out);
                }
                return;
            }
            HeadName::Annotator => {
                // Without a name there is no tag.
                out.push_str(&lookup.player_name(number));
                return;
            }
        };
        out.push_str(or_unknown(&text));
    }
}

/// Players whose names were looked at and need no other tag and no message.
#[derive(Debug, Default)]
struct RegularPlayers(Vec<u64>);

impl RegularPlayers {
    fn has(&mut self, db: &Cbh2Database, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1_u64 << (number % 64));
        if self.0.get(word).is_some_and(|bits| bits & bit != 0) {
            return true;
        }
        if db.lacks(EntityKind::Player, number) || db.lookup().has_last_name_tag(number) {
            return false;
        }
        if self.0.len() <= word {
            // The file has the name, so that it has more bytes than this bits.
            self.0.resize(word + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(word) {
            *bits |= bit;
        }
        true
    }
}
