//! Placeholders for names lost to damage, one for each id, so that games by different players stay
//! distinct.
//!
//! No other file of a set contains the names, so a placeholder only states the id: `(lost player
//! 12)`. Games that shared a name still share one, and the names can be restored if the old file
//! turns up.

use std::fmt::Write as _;

use tabia_core::games::lost_name;
use zerocopy::{FromZeros, IntoBytes};

use super::entities::{Entity, EntityTable, UNKNOWN_ID};
use super::entity_and_side_tables::Tables;
use super::records::{
    AnnotatorRecord, ExtendedRecord, FileHeader, GameTagRecord, PlayerRecord, Record, SourceRecord,
    TeamRecord, TournamentRecord, U24,
};

/// At most this many placeholders are made per record, so that one wrong id cannot exhaust memory.
const MAX_PER_RECORD: u32 = 4;

/// The first id of the placeholders of each kind; `u32::MAX` if no name of the kind is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placeholders {
    players: u32,
    tournaments: u32,
    annotators: u32,
    sources: u32,
    teams: u32,
    game_tags: u32,
    /// Whether names inside the files were overwritten with zeros.
    blanks: bool,
    /// Whether bytes were inserted into the records of names or lost from them.
    changes: bool,
}

impl Placeholders {
    /// No name is lost.
    pub(super) const NONE: Self = Self {
        players: u32::MAX,
        tournaments: u32::MAX,
        annotators: u32::MAX,
        sources: u32::MAX,
        teams: u32::MAX,
        game_tags: u32::MAX,
        blanks: false,
        changes: false,
    };

    /// Fills blank records of the tables, and extends the tables by placeholders up to the highest ids that the records of `headers` (a
    /// complete `.cbh` file) and of `.cbj` refer to.
    pub(super) fn add_to(tables: &mut Tables, headers: &[u8]) -> Self {
        let mut ends = IdEnds::default();
        let mut count = 0;
        for (index, record) in (0..).zip(headers.chunks_exact(FileHeader::SIZE).skip(1)) {
            if let Some(record) = Record::read(record) {
                ends.include(record);
            }
            if let Some(table) = &tables.extended {
                ends.include_extended(&table.extended(index).0);
            }
            count = index + 1;
        }
        let limit = count * MAX_PER_RECORD + 64;
        let blanks = [
            fill(&mut tables.players),
            fill(&mut tables.tournaments),
            fill(&mut tables.annotators),
            fill(&mut tables.sources),
            fill(&mut tables.teams),
            fill(&mut tables.game_tags),
        ];
        Self {
            players: extend(&mut tables.players, ends.players, limit),
            tournaments: extend(&mut tables.tournaments, ends.tournaments, limit),
            annotators: extend_if_distinct(&mut tables.annotators, &ends.annotators, limit),
            sources: extend_if_distinct(&mut tables.sources, &ends.sources, limit),
            teams: extend(&mut tables.teams, ends.teams, limit),
            // Game tags are large and few: at most one per record.
            game_tags: extend(&mut tables.game_tags, ends.game_tags, count),
            blanks: blanks.contains(&true),
            changes: tables.have_changed_names(),
        }
    }

    /// A message about the lost names of a record; `None` if no name of it is lost.
    pub(super) fn describe(
        &self,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
        tables: &Tables,
    ) -> Option<String> {
        if *self == Self::NONE {
            return None;
        }
        let optional = |id: Option<i32>| id.and_then(|id| u32::try_from(id).ok());
        let mut fields = Vec::new();
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                fields.push(("White", "cbp", used(game.white), self.players));
                fields.push(("Black", "cbp", used(game.black), self.players));
                let white = optional(extended.map(|extended| extended.white_team.get()));
                let black = optional(extended.map(|extended| extended.black_team.get()));
                fields.push(("White's team", "cbe", white, self.teams));
                fields.push(("Black's team", "cbe", black, self.teams));
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        fields.push(("the tournament", "cbt", used(tournament), self.tournaments));
        fields.push(("the annotator", "cbc", used(annotator), self.annotators));
        fields.push(("the source", "cbs", used(source), self.sources));
        let title = optional(extended.map(|extended| extended.game_tag.get()));
        fields.push(("the title", "cbl", title, self.game_tags));
        let (mut text, mut changed) = (String::new(), String::new());
        for (field, extension, id, first) in fields {
            let Some(id) = id else { continue };
            let (is_blank, is_changed) = damage(tables, extension, id);
            let (text, start) = if id >= first || self.blanks && is_blank {
                (&mut text, LOST_NAMES)
            } else if is_changed {
                (&mut changed, CHANGED_NAMES)
            } else {
                continue;
            };
            let separator = if text.is_empty() { start } else { ", " };
            let _ = write!(text, "{separator}{field} ({id} in .{extension})");
        }
        if !text.is_empty() && !changed.is_empty() {
            text += "; ";
        }
        text += &changed;
        (!text.is_empty()).then_some(text)
    }
}

/// The starts of the message about lost names, and about those in whose records bytes were inserted or lost.
const LOST_NAMES: &str = "names are lost: ";
const CHANGED_NAMES: &str = "names may be other than they were: ";

/// One more than the highest id of each kind that is referred to; 0 if there are no references.
#[derive(Debug, Default)]
struct IdEnds {
    players: u32,
    tournaments: u32,
    annotators: IdRange,
    sources: IdRange,
    teams: u32,
    game_tags: u32,
}

/// The ids of one kind that records refer to.
#[derive(Debug, Default)]
struct IdRange {
    end: u32,
    /// The first id; `None` if there is none.
    one: Option<u32>,
    /// Whether there is another.
    is_several: bool,
}

impl IdRange {
    fn include(&mut self, id: Option<u32>) {
        raise(&mut self.end, id);
        let Some(id) = id else { return };
        self.is_several |= *self.one.get_or_insert(id) != id;
    }
}

impl IdEnds {
    fn include(&mut self, record: Record<'_>) {
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                raise(&mut self.players, used(game.white));
                raise(&mut self.players, used(game.black));
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        raise(&mut self.tournaments, used(tournament));
        self.annotators.include(used(annotator));
        self.sources.include(used(source));
    }

    fn include_extended(&mut self, extended: &ExtendedRecord) {
        let used = |id: i32| u32::try_from(id).ok();
        raise(&mut self.teams, used(extended.white_team.get()));
        raise(&mut self.teams, used(extended.black_team.get()));
        raise(&mut self.game_tags, used(extended.game_tag.get()));
    }
}

/// Raises `end` above an id.
fn raise(end: &mut u32, id: Option<u32>) {
    if let Some(id) = id {
        *end = (*end).max(id.saturating_add(1));
    }
}

/// The id that a record stores; `None` for [`UNKNOWN_ID`].
fn used(id: U24) -> Option<u32> {
    (id != UNKNOWN_ID).then_some(id.get())
}

/// A record for a lost name.
trait Placeholder: Entity + FromZeros + IntoBytes + Sized {
    /// The word for the name in `(lost player 12)`.
    const KIND: &'static str;

    /// The field of the name, which is longer than every placeholder.
    fn name_field(&mut self) -> &mut [u8];

    /// The record `(lost player 12)`.
    fn placeholder(id: u32) -> Self {
        let mut record = Self::new_zeroed();
        let text = lost_name(Self::KIND, id);
        for (byte, letter) in record.name_field().iter_mut().zip(text.bytes()) {
            *byte = letter;
        }
        record
    }
}

macro_rules! placeholder {
    ($record:ident, $kind:literal, $field:ident) => {
        impl Placeholder for $record {
            const KIND: &'static str = $kind;

            fn name_field(&mut self) -> &mut [u8] {
                &mut self.$field
            }
        }
    };
}

placeholder!(PlayerRecord, "player", last_name);
placeholder!(TournamentRecord, "tournament", title);
placeholder!(AnnotatorRecord, "annotator", name);
placeholder!(SourceRecord, "source", title);
placeholder!(TeamRecord, "team", title);

impl Placeholder for GameTagRecord {
    const KIND: &'static str = "title";

    fn name_field(&mut self) -> &mut [u8] {
        // The English title.
        self.titles.first_mut().map_or(&mut [], |title| title)
    }
}

/// Whether a name of the file with an extension was overwritten with zeros, and whether bytes were inserted into its record
/// or lost from it.
fn damage(tables: &Tables, extension: &str, id: u32) -> (bool, bool) {
    fn is<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> (bool, bool) {
        table.map_or((false, false), |table| {
            (table.is_blank(id), table.is_changed(id))
        })
    }
    match extension {
        PlayerRecord::EXTENSION => is(tables.players.as_ref(), id),
        TournamentRecord::EXTENSION => is(tables.tournaments.as_ref(), id),
        AnnotatorRecord::EXTENSION => is(tables.annotators.as_ref(), id),
        SourceRecord::EXTENSION => is(tables.sources.as_ref(), id),
        TeamRecord::EXTENSION => is(tables.teams.as_ref(), id),
        GameTagRecord::EXTENSION => is(tables.game_tags.as_ref(), id),
        _ => (false, false),
    }
}

/// Puts placeholders in the blank records of a table; whether there are any.
fn fill<E: Placeholder>(table: &mut Option<EntityTable<E>>) -> bool {
    let filled = table
        .as_ref()
        .and_then(|table| table.with_blanks_filled(E::placeholder));
    match filled {
        Some(filled) => {
            *table = Some(filled);
            true
        }
        None => false,
    }
}

/// Extends a table to `end` ids, by at most `limit`. The id of the first new name; `u32::MAX` if
/// no name is lost.
fn extend<E: Placeholder>(table: &mut Option<EntityTable<E>>, end: u32, limit: u32) -> u32 {
    let existing = table.as_ref().map_or(0, EntityTable::capacity);
    let end = end.min(existing.saturating_add(limit));
    if end > existing {
        *table = Some(EntityTable::extended(table.as_ref(), end, E::placeholder));
        existing
    } else {
        u32::MAX
    }
}

/// As [`extend`], but a missing file stays missing if all records refer to one name of it. Where no one
/// is named, as in most databases, that is the blank one; and a placeholder would distinguish nothing.
fn extend_if_distinct<E: Placeholder>(
    table: &mut Option<EntityTable<E>>,
    ids: &IdRange,
    limit: u32,
) -> u32 {
    if table.is_none() && ids.one.is_some() && !ids.is_several {
        return 0;
    }
    extend(table, ids.end, limit)
}

#[cfg(test)]
mod tests {
    use tabia_core::io::Blob;

    use super::super::records::GameRecord;
    use super::*;

    #[test]
    fn every_referenced_lost_name_gets_a_placeholder() {
        let mut game = GameRecord::new_zeroed();
        game.kind = 1;
        game.white = U24::new(2);
        game.black = UNKNOWN_ID;
        game.source = U24::new(0xff_fffe);
        let mut headers = vec![0; FileHeader::SIZE];
        headers.extend_from_slice(game.as_bytes());
        let mut other = game;
        other.source = U24::new(1);
        headers.extend_from_slice(other.as_bytes());
        let mut tables = Tables::default();
        let placeholders = Placeholders::add_to(&mut tables, &headers);
        let players = tables.players.as_ref().unwrap();
        assert_eq!((players.capacity(), players.live()), (3, 3));
        let name = players.get(2).unwrap().last_name;
        assert!(name.starts_with(b"(lost player 2)\0"));
        // The number of placeholders is bounded.
        assert_eq!(tables.sources.as_ref().unwrap().capacity(), 72);
        // All records have the same annotator, who is not invented.
        assert!(tables.annotators.is_none());
        let text = placeholders
            .describe(Record::Game(&game), None, &tables)
            .unwrap();
        assert!(text.starts_with("names are lost: White (2 in .cbp), the tournament (0 in .cbt)"));
        assert!(text.contains("16777214 in .cbs") && !text.contains("Black"));
        // Existing names stay, and records keep their size.
        let again = Placeholders::add_to(&mut tables, &headers);
        assert_eq!(again.players, u32::MAX);
        let long = EntityTable::<PlayerRecord>::new(Blob::from(long_player_file())).unwrap();
        let extended = EntityTable::extended(Some(&long), 3, |_| PlayerRecord::new_zeroed());
        assert_eq!((extended.capacity(), extended.rest()), (3, 0));
        assert_eq!(extended.get(0).unwrap().last_name[0], b'A');
    }

    /// One player in a record two bytes longer than the known ones.
    fn long_player_file() -> Vec<u8> {
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
