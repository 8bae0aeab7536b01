//! What a database changes in the texts of added games, found out by the code that writes them.

use tabia_core::game::Tags;
use tabia_core::games::TextLimits;
use tabia_core::io::Cursor;
use tabia_core::loss::Losses;

use super::header_fields::TagReader;
use crate::games::cbh::charset::Texts;
use crate::games::cbh::field_codecs::decode_date;
use crate::games::cbh::write::{change, compared_tags};
use crate::games::cbh2::names::{Player, Tournament};
use crate::games::cbh2::tags::{join_player, round_name};

/// The texts of games that are added to a database.
#[derive(Debug)]
pub(in crate::games::cbh2) struct AddedTexts {
    pub(in crate::games::cbh2) texts: Texts,
}

impl TextLimits for AddedTexts {
    fn limit_tags(&self, tags: &mut Tags) {
        let mut losses = Losses::new();
        let fields = TagReader::new(&mut losses).read(&compared_tags(tags));
        let names = &fields.names;
        for (name, stored) in [("White", &names.white), ("Black", &names.black)] {
            if let Ok(player) = Player::read(Cursor::new(stored)) {
                change(tags, name, &join_player(&player, self.texts));
            }
        }
        if let Ok(event) = Tournament::read(Cursor::new(&names.tournament)) {
            change(tags, "Event", &self.texts.plain(event.title));
            change(tags, "Site", &self.texts.plain(event.site));
        }
        let record = &fields.record;
        let round = round_name(record.round.get(), record.sub_round.get());
        change(tags, "Round", &round);
        if let Some(date) = decode_date(record.date.get()) {
            change(tags, "Date", &date.to_string());
        }
    }
}
