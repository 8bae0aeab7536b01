//! Files of a set that are missing although other files refer to them, or exist only together with them.
//!
//! ChessBase 6 has none of `.cbe`, `.cbj`, `.cbl`, `.cbtt` and `.cbm`; later versions added them one after
//! another. So a file that is missing is a problem only if records refer to it, or if a file that came
//! with it or after it is there.

use std::ops::Range;

use tabia_core::GameIndex;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

use super::entities::EntityTable;
use super::entity_and_side_tables::Tables;
use super::files_of_newer_versions::SideTable;
use super::records::{FileHeader, Record, TYPE_TEXT};

/// The first version of `.cbj` whose sets have a `.cbtt`.
const VERSION_WITH_EXTRAS: u32 = 11;

/// The missing files of a set, by extension, with what its records lack. `is_missing` states whether there is
/// no file with an extension, `headers` is a complete `.cbh` file and `media` what is parsed of `.cbm`.
pub(super) fn missing_files(
    is_missing: impl Fn(&str) -> bool,
    headers: &Blob,
    tables: &Tables,
    media: Option<&SideTable>,
) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if headers.len() < 2 * FileHeader::SIZE {
        return found;
    }
    let has_tags = !is_missing("cbl");
    let has_extras = !is_missing("cbtt");
    let extended = tables.extended.as_ref();
    if let Some(extended) = extended {
        let is_wanted = ["cbe", "cbl", "cbm"].into_iter().any(&is_missing);
        let counts = if is_wanted {
            count_references(headers, extended)
        } else {
            References::default()
        };
        for (extension, count, content) in [
            ("cbe", counts.teams, "teams"),
            ("cbl", counts.game_tags, "titles of games"),
            ("cbm", counts.media, "lists of files"),
        ] {
            if count > 0 && is_missing(extension) {
                let count = counted(count, "record refers", "records refer");
                let text = format!("the file is missing: {count} to {content} in it");
                found.push((extension, text));
            }
        }
    }
    // Without `.cbj` nothing refers to teams and lists of files.
    let teams = tables.teams.as_ref().map_or(0, EntityTable::capacity);
    let has_later = has_tags || has_extras || teams > 0 || media.is_some_and(|m| !m.is_empty());
    if has_later && is_missing("cbj") {
        let text = "the file is missing: teams, types of ratings and dates of changes are unknown";
        found.push(("cbj", text.to_owned()));
    }
    let version = extended.map_or(0, |table| table.header().version.get());
    if !has_extras && (has_tags || version >= VERSION_WITH_EXTRAS) {
        let text = "the file is missing: coordinates, last days and tie-breaks of tournaments are \
                    unknown";
        found.push(("cbtt", text.to_owned()));
    }
    found
}

/// The entries that `.cbj` and `.cbtt` have lost: records and tournaments have one each.
#[derive(Debug)]
pub(super) struct LostEntries {
    extended: Range<u32>,
    tournament_extras: Range<u32>,
    /// The records whose entries may be those of others, as bytes were inserted or lost in the file.
    shifted_extended: Range<u32>,
    shifted_tournament_extras: Range<u32>,
}

impl LostEntries {
    /// `is_lost` states of an extension whether a set without a readable file of it has lost one.
    /// `headers` is a complete `.cbh` file.
    pub(super) fn new(tables: &Tables, headers: &[u8], is_lost: impl Fn(&str) -> bool) -> Self {
        let lost = |table: Option<&SideTable>, extension: &str, is_last: bool| match table {
            None if is_lost(extension) => 0..u32::MAX,
            None => 0..0,
            Some(table) => {
                let stated = table.header().count.get();
                // The index of the last record, which is 0 both for one record and for none.
                let stated = stated.saturating_add(u32::from(is_last && stated > 0));
                table.len()..stated
            }
        };
        Self {
            extended: lost(tables.extended.as_ref(), "cbj", false),
            tournament_extras: lost(tables.tournament_extras.as_ref(), "cbtt", true),
            shifted_extended: shifted_extended(tables.extended.as_ref(), headers),
            shifted_tournament_extras: match &tables.tournament_extras {
                Some(table) if table.rest() > 0 => 0..table.len(),
                _ => 0..0,
            },
        }
    }

    /// What a record lacks, and the extension of the file in which it was.
    pub(super) fn of(
        &self,
        game: GameIndex,
        tournament: Option<u32>,
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lacks_extended = self.extended.contains(&game.0);
        let lacks_extras = tournament.is_some_and(|id| self.tournament_extras.contains(&id));
        let extended =
            lacks_extended.then_some(("cbj", "its teams and other extended data are lost"));
        let extras = lacks_extras.then_some((
            "cbtt",
            "the coordinates, last day and tie-breaks of its tournament are lost",
        ));
        let shifted_extended = self.shifted_extended.contains(&game.0).then_some((
            "cbj",
            "its teams and other extended data may be those of another game: bytes were inserted or lost in the file",
        ));
        let is_shifted = |id| self.shifted_tournament_extras.contains(&id);
        let shifted_extras = tournament.is_some_and(is_shifted).then_some((
            "cbtt",
            "the coordinates, last day and tie-breaks of its tournament may be those of another one: bytes were inserted \
             or lost in the file",
        ));
        let found = [extended, extras, shifted_extended, shifted_extras];
        found.into_iter().flatten()
    }
}

/// The records whose entries in `.cbj` may be those of others: from the last one on that states where the moves of its
/// game are, if one after it does not. None if the file has only complete entries.
fn shifted_extended(table: Option<&SideTable>, headers: &[u8]) -> Range<u32> {
    let Some(table) = table.filter(|table| table.rest() > 0) else {
        return 0..0;
    };
    let moves_at = |index: u32| {
        let at = FileHeader::SIZE.checked_mul(index as usize + 1)?;
        let record = Record::read(headers.get(at..at + FileHeader::SIZE)?)?;
        Some(match record {
            Record::Game(game) => game.moves_at.get(),
            Record::Text(text) => text.body_at.get(),
        })
    };
    let agrees = |index: u32| {
        let stated = table.extended(index).0.moves_at.get();
        moves_at(index).is_some_and(|at| stated & 0xffff_ffff == u64::from(at))
    };
    let agreeing = (0..table.len()).take_while(|&index| agrees(index)).count() as u32;
    if agreeing == table.len() {
        // The file was cut.
        return 0..0;
    }
    // The last one may be hit after its offset.
    agreeing.saturating_sub(1)..table.len()
}

/// How many records refer to each optional file.
#[derive(Debug, Default)]
struct References {
    teams: u32,
    game_tags: u32,
    media: u32,
}

fn count_references(headers: &[u8], extended: &SideTable) -> References {
    let mut counts = References::default();
    let kinds = headers.chunks_exact(FileHeader::SIZE).skip(1);
    let kinds = kinds.map(|record| record.first().copied().unwrap_or(0));
    for (index, kind) in (0..extended.len()).map(GameIndex).zip(kinds) {
        let (record, _) = extended.extended(index.0);
        let teams = [record.white_team.get(), record.black_team.get()];
        let has_team = kind & TYPE_TEXT == 0 && teams.iter().any(|&id| id >= 0);
        counts.teams += u32::from(has_team);
        counts.game_tags += u32::from(record.game_tag.get() >= 0);
        counts.media += u32::from(record.media_at.get() > 0);
    }
    counts
}
