//! What a database changes in the texts of added games, found out by the code that writes them.

use std::borrow::Cow;

use tabia_core::game::Tags;
use tabia_core::games::TextLimits;
use tabia_core::io::{Charset, decode, encode};
use tabia_core::loss::Losses;

use super::header_fields::TagReader;
use super::source_set;
use crate::games::cbh::charset::{TextForm, Texts};
use crate::games::cbh::field_codecs::decode_date;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::stored_texts::StoredTexts;
use crate::games::cbh::tags::{player_name, round_name};

/// The tags that games are compared by, and those that players are read with.
const COMPARED: [&str; 8] = [
    "White",
    "Black",
    "Event",
    "Site",
    "Round",
    "Date",
    "CbWhiteLast",
    "CbBlackLast",
];

/// The tags that games are compared by.
pub(crate) fn compared_tags(tags: &Tags) -> Tags {
    let compared = tags.iter().filter(|(name, _)| COMPARED.contains(name));
    compared.collect()
}

/// Gives a tag that exists another value.
pub(crate) fn change(tags: &mut Tags, name: &str, value: &str) {
    if tags.get(name).is_some_and(|old| old != value) {
        tags.set(name, value);
    }
}

/// The texts of games that are added to a database.
#[derive(Debug)]
pub(in crate::games::cbh) struct AddedTexts {
    charset: Charset,
    texts: Texts,
}

impl AddedTexts {
    pub(in crate::games::cbh) fn new(db: &CbhDatabase) -> Self {
        let charset = source_set::charset(db);
        // Texts that are written in UTF-8 are read as such, whatever the others are.
        let texts = match charset {
            Charset::Auto => TextForm::UTF8.texts(),
            _ => db.texts(),
        };
        Self { charset, texts }
    }
}

impl TextLimits for AddedTexts {
    fn limit_tags(&self, tags: &mut Tags) {
        let (mut stored, mut losses) = (StoredTexts::default(), Losses::new());
        let mut reader = TagReader::new(self.charset, &mut stored, &mut losses);
        let fields = reader.read(&compared_tags(tags));
        change(tags, "White", &player_name(&fields.white, self.texts));
        change(tags, "Black", &player_name(&fields.black, self.texts));
        let event = &fields.tournament;
        change(tags, "Event", &self.texts.field(&event.title));
        change(tags, "Site", &self.texts.field(&event.site));
        let round = round_name(fields.round, fields.sub_round);
        change(tags, "Round", &round);
        if let Some(date) = decode_date(fields.date) {
            change(tags, "Date", &date.to_string());
        }
    }

    fn limit_comment<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match encode(text, self.charset) {
            (_, true) => Cow::Borrowed(text),
            (bytes, false) => Cow::Owned(decode(&bytes, self.charset).into_owned()),
        }
    }
}
