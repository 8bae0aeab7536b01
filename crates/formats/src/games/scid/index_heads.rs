//! Heads of games from the index and the tags at the start of their blobs.

use tabia_core::GameIndex;
use tabia_core::game::Tags;
use tabia_core::games::{HeadName, HeadReader, IndexHead};
use tabia_core::io::Cursor;

use crate::games::common::merge_record_tags::push_remaining;
use crate::games::common::scid_and_scidb_index_codes;

use super::blob_parts::{Tag, read_start, read_tag};
use super::entry::{self, Entry, flag};
use super::open::ScidDatabase;

/// Tags that the index states: a blob that has one of them too is read as a whole.
const OF_INDEX: [&str; 12] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "EventDate",
    "ScidFlags",
];

/// Reads heads of a set that is not read for repair.
pub(super) struct ScidHeads<'d> {
    database: &'d ScidDatabase,
    /// The tags of the blob.
    extra: Tags,
}

impl<'d> ScidHeads<'d> {
    pub(super) fn new(database: &'d ScidDatabase) -> Self {
        Self {
            database,
            extra: Tags::new(),
        }
    }

    /// Reads the tags of the blob; `false` if its game begins in a setup position, or it is damaged.
    fn read_blob(&mut self, entry: &Entry) -> bool {
        self.extra.clear();
        let length = entry.blob_length as usize;
        let start = usize::try_from(entry.blob_at).unwrap_or(usize::MAX);
        let games = &self.database.games;
        let Some(bytes) = games
            .at_most(start, length)
            .filter(|bytes| bytes.len() == length)
        else {
            return false;
        };
        let mut cursor = Cursor::new(bytes);
        loop {
            match read_tag(&mut cursor) {
                Ok(Some(Tag::Text { name, value })) => {
                    let text = |bytes| self.database.decoded(bytes);
                    self.extra.push(&text(name), &text(value));
                }
                Ok(None) => return matches!(read_start(&mut cursor), Ok(None)),
                _ => return false,
            }
        }
    }
}

impl HeadReader for ScidHeads<'_> {
    fn read(&mut self, game: GameIndex, head: &mut IndexHead) -> bool {
        let database = self.database;
        let Some(entry) = database.intact_entry(game) else {
            return false;
        };
        if entry.chess960
            || entry.flags & flag::START != 0
            || entry.white_elo > 0 && !entry::is_elo(entry.white_rating)
            || entry.black_elo > 0 && !entry::is_elo(entry.black_rating)
            || !self.read_blob(&entry)
        {
            return false;
        }
        let names = [
            (1, entry.event),
            (2, entry.site),
            (3, entry.round),
            (0, entry.white),
            (0, entry.black),
        ];
        if !names.iter().all(|&(kind, id)| database.has_name(kind, id)) {
            return false;
        }
        if self.extra.iter().any(|(name, _)| OF_INDEX.contains(&name)) {
            return false;
        }
        head.names = [
            Some(entry.event),
            Some(entry.site),
            Some(entry.round),
            Some(entry.white),
            Some(entry.black),
            entry::eco(entry.eco).map(|_| entry.eco.into()),
            None,
        ];
        head.date = entry::date(entry.date);
        head.elo = [entry.white_elo, entry.black_elo];
        head.result = scid_and_scidb_index_codes::result(entry.result);
        head.deleted = entry.flags & flag::DELETED != 0;
        head.ply_count = Some(entry.plies).filter(|&plies| plies < entry::MAX_PLIES);
        head.marks = Some([entry.variations != 0, entry.comments != 0, entry.nags != 0]);
        head.rest.clear();
        if entry.event_date != 0 {
            let date = entry::date(entry.event_date);
            head.rest.push_with("EventDate", |text| date.push_to(text));
        }
        if entry.flags >> 4 != 0 {
            let letters = entry::flag_letters(entry.flags);
            if !letters.is_empty() {
                head.rest.push("ScidFlags", &letters);
            }
        }
        push_remaining(&mut head.rest, &self.extra);
        true
    }

    fn push_value(&self, name: HeadName, number: u32, out: &mut String) {
        let kind = match name {
            HeadName::White | HeadName::Black => 0,
            HeadName::Event => 1,
            HeadName::Site => 2,
            HeadName::Round => 3,
            HeadName::Eco => {
                if let Some(eco) = u16::try_from(number).ok().and_then(entry::eco) {
                    entry::push_eco(eco, out);
                }
                return;
            }
            // It is among the tags of the blob.
            HeadName::Annotator => return,
        };
        if let Some(text) = self.database.text(kind, number) {
            out.push_str(&text);
        }
    }
}
