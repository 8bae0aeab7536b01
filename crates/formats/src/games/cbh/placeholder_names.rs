//! Names that a damaged set has lost: what refers to them keeps apart what it kept apart.
//!
//! Nothing else in a set has the names, so each gets a slot that says which it was: `(lost player
//! 12)`. Games that had a name in common have that in common again, and whoever finds the old file
//! can put the names back.

use std::fmt::Write as _;

use zerocopy::{FromZeros, IntoBytes};

use super::entities::{Entity, EntityTable};
use super::open::Record;
use super::records::{
    AnnotatorRecord, ExtendedRecord, FileHeader, GameRecord, GameTagRecord, PlayerRecord,
    SourceRecord, TYPE_TEXT, TeamRecord, TextRecord, TournamentRecord, U24,
};
use super::tags::Tables;

/// The number of a name that is not known.
pub(super) const UNKNOWN: U24 = U24::new(0xff_ffff);

/// Slots are made for that many names a record, so that one wrong number does not fill the memory.
const MOST: u32 = 4;

/// Where the numbers of lost names begin, by kind; all are there when it is `u32::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lost {
    players: u32,
    tournaments: u32,
    annotators: u32,
    sources: u32,
    teams: u32,
    game_tags: u32,
}

impl Lost {
    /// No name is lost.
    pub(super) const NOTHING: Self = Self {
        players: u32::MAX,
        tournaments: u32::MAX,
        annotators: u32::MAX,
        sources: u32::MAX,
        teams: u32::MAX,
        game_tags: u32::MAX,
    };

    /// Gives every name a slot that the records in `headers` (a whole `.cbh`) and `.cbj` refer to and
    /// the tables do not have.
    pub(super) fn fill(headers: &[u8], tables: &mut Tables) -> Self {
        let mut ends = Ends::default();
        let mut count = 0;
        for (index, record) in (0..).zip(headers.chunks_exact(FileHeader::SIZE).skip(1)) {
            ends.look(record);
            if let Some(table) = &tables.extended {
                ends.look_beside(&table.extended(index).0);
            }
            count = index + 1;
        }
        let most = count * MOST + 64;
        Self {
            players: fill(&mut tables.players, ends.players, most, |id| {
                let mut record = PlayerRecord::new_zeroed();
                put(&mut record.last_name, "player", id);
                record
            }),
            tournaments: fill(&mut tables.tournaments, ends.tournaments, most, |id| {
                let mut record = TournamentRecord::new_zeroed();
                put(&mut record.title, "tournament", id);
                record
            }),
            annotators: fill(&mut tables.annotators, ends.annotators, most, |id| {
                let mut record = AnnotatorRecord::new_zeroed();
                put(&mut record.name, "annotator", id);
                record
            }),
            sources: fill(&mut tables.sources, ends.sources, most, |id| {
                let mut record = SourceRecord::new_zeroed();
                put(&mut record.title, "source", id);
                record
            }),
            teams: fill(&mut tables.teams, ends.teams, most, |id| {
                let mut record = TeamRecord::new_zeroed();
                put(&mut record.title, "team", id);
                record
            }),
            // These are large, and few.
            game_tags: fill(&mut tables.game_tags, ends.game_tags, count, |id| {
                let mut record = GameTagRecord::new_zeroed();
                if let Some(english) = record.titles.first_mut() {
                    put(english, "title", id);
                }
                record
            }),
        }
    }

    /// What is lost of a record, in words.
    pub(super) fn of(
        &self,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
    ) -> Option<String> {
        if *self == Self::NOTHING {
            return None;
        }
        let beside = |id: Option<i32>| id.and_then(|id| u32::try_from(id).ok());
        let mut fields = Vec::new();
        match record {
            Record::Game(game) => {
                fields.push(("White", "cbp", used(game.white), self.players));
                fields.push(("Black", "cbp", used(game.black), self.players));
                fields.push((
                    "the tournament",
                    "cbt",
                    used(game.tournament),
                    self.tournaments,
                ));
                fields.push((
                    "the annotator",
                    "cbc",
                    used(game.annotator),
                    self.annotators,
                ));
                fields.push(("the source", "cbs", used(game.source), self.sources));
                let white = beside(extended.map(|it| it.white_team.get()));
                let black = beside(extended.map(|it| it.black_team.get()));
                fields.push(("White's team", "cbe", white, self.teams));
                fields.push(("Black's team", "cbe", black, self.teams));
            }
            Record::Text(text) => {
                fields.push((
                    "the tournament",
                    "cbt",
                    used(text.tournament),
                    self.tournaments,
                ));
                fields.push((
                    "the annotator",
                    "cbc",
                    used(text.annotator),
                    self.annotators,
                ));
                fields.push(("the source", "cbs", used(text.source), self.sources));
            }
        }
        let title = beside(extended.map(|it| it.game_tag.get()));
        fields.push(("the title", "cbl", title, self.game_tags));
        let mut text = String::new();
        for (field, extension, id, from) in fields {
            if let Some(id) = id.filter(|&id| id >= from) {
                let begin = if text.is_empty() {
                    "names are lost: "
                } else {
                    ", "
                };
                let _ = write!(text, "{begin}{field} ({id} in .{extension})");
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// One more than the largest number of each kind.
#[derive(Debug, Default)]
struct Ends {
    players: u32,
    tournaments: u32,
    annotators: u32,
    sources: u32,
    teams: u32,
    game_tags: u32,
}

impl Ends {
    fn look(&mut self, record: &[u8]) {
        let Some(game) = GameRecord::read(record) else {
            return;
        };
        if game.kind & TYPE_TEXT == 0 {
            reach(&mut self.players, used(game.white));
            reach(&mut self.players, used(game.black));
            reach(&mut self.tournaments, used(game.tournament));
            reach(&mut self.annotators, used(game.annotator));
            reach(&mut self.sources, used(game.source));
        } else if let Some(text) = TextRecord::read(record) {
            reach(&mut self.tournaments, used(text.tournament));
            reach(&mut self.annotators, used(text.annotator));
            reach(&mut self.sources, used(text.source));
        }
    }

    fn look_beside(&mut self, extended: &ExtendedRecord) {
        let known = |id: i32| u32::try_from(id).ok();
        reach(&mut self.teams, known(extended.white_team.get()));
        reach(&mut self.teams, known(extended.black_team.get()));
        reach(&mut self.game_tags, known(extended.game_tag.get()));
    }
}

fn reach(end: &mut u32, id: Option<u32>) {
    if let Some(id) = id {
        *end = (*end).max(id.saturating_add(1));
    }
}

fn used(id: U24) -> Option<u32> {
    (id != UNKNOWN).then_some(id.get())
}

/// Extends a table to `end`, when that is within `most` of what it has; where the made names begin.
fn fill<E: Entity + IntoBytes>(
    table: &mut Option<EntityTable<E>>,
    end: u32,
    most: u32,
    make: impl Fn(u32) -> E,
) -> u32 {
    let known = table.as_ref().map_or(0, EntityTable::capacity);
    let end = end.min(known.saturating_add(most));
    if end > known {
        *table = Some(EntityTable::extended(table.as_ref(), end, make));
        known
    } else {
        u32::MAX
    }
}

/// `(lost player 12)` into a field, which is longer.
fn put(field: &mut [u8], what: &str, id: u32) {
    let text = format!("(lost {what} {id})");
    for (byte, letter) in field.iter_mut().zip(text.bytes()) {
        *byte = letter;
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::io::Blob;

    use super::*;

    #[test]
    fn slots_are_made_for_what_is_referred_to() {
        let mut game = GameRecord::new_zeroed();
        game.kind = 1;
        game.white = U24::new(2);
        game.black = UNKNOWN;
        game.source = U24::new(0xff_fffe);
        let mut headers = vec![0; FileHeader::SIZE];
        headers.extend_from_slice(game.as_bytes());
        let mut tables = Tables::default();
        let lost = Lost::fill(&headers, &mut tables);
        let players = tables.players.as_ref().unwrap();
        assert_eq!((players.capacity(), players.live()), (3, 3));
        let name = players.get(2).unwrap().last_name;
        assert!(name.starts_with(b"(lost player 2)\0"));
        // A number that cannot be is not followed.
        assert_eq!(tables.sources.as_ref().unwrap().capacity(), 68);
        let text = lost.of(Record::Game(&game), None).unwrap();
        assert!(text.starts_with("names are lost: White (2 in .cbp), the tournament (0 in .cbt)"));
        assert!(text.contains("16777214 in .cbs") && !text.contains("Black"));
        // What is there stays, and records keep their length.
        let again = Lost::fill(&headers, &mut tables);
        assert_eq!(again.players, u32::MAX);
        let long = EntityTable::<PlayerRecord>::new(Blob::from(longer())).unwrap();
        let more = EntityTable::extended(Some(&long), 3, |_| PlayerRecord::new_zeroed());
        assert_eq!((more.capacity(), more.rest()), (3, 0));
        assert_eq!(more.get(0).unwrap().last_name[0], b'A');
    }

    /// One player in a record of two bytes more than known.
    fn longer() -> Vec<u8> {
        let mut sink = tabia_core::io::Sink::new();
        sink.u32_le(1);
        sink.i32_le(0);
        sink.u32_le(crate::games::cbh::records::ENTITY_MAGIC);
        sink.u32_le(60);
        sink.i32_le(-1);
        sink.u32_le(1);
        sink.u32_le(0);
        sink.zeros(9);
        sink.fixed(b"Abel", 60);
        sink.into_vec()
    }
}
