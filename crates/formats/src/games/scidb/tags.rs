//! The tags of a game: what the index, the names and the record say of it.

use std::borrow::Cow;

use tabia_core::game::Tags;
use tabia_core::io::{Charset, decode};

use super::code_tables;
use super::entry::Entry;
use super::names::Names;

/// What is known of a game beside its record.
pub(crate) struct Known<'a> {
    pub(crate) names: &'a Names,
    pub(crate) entry: &'a Entry,
    /// Another game than chess.
    pub(crate) variant: Option<&'a str>,
    pub(crate) charset: Charset,
    /// Names that are lost still keep apart what they kept apart.
    pub(crate) keeps_apart: bool,
}

/// Fills `tags`. A tag of the record (`extra`) says more than the same one of the index. Names that
/// are missing are told.
pub(crate) fn push(
    tags: &mut Tags,
    extra: &Tags,
    known: &Known<'_>,
    missing: &mut dyn FnMut(&'static str, u32),
) {
    let Known {
        names,
        entry,
        variant,
        charset,
        keeps_apart,
    } = *known;
    let shown = |what: &str, id: u32, name| match name {
        None if keeps_apart => Cow::Owned(format!("(lost {what} {id})")),
        name => shown(name, charset),
    };
    let event = names.event(entry.event);
    if event.is_none() {
        missing("event", entry.event);
    }
    let site = event.and_then(|(_, facts)| names.site(facts.site));
    if let (Some((_, facts)), None) = (event, site) {
        missing("site", facts.site);
    }
    let (white, black) = (names.player(entry.white), names.player(entry.black));
    for (field, player, id) in [("white", white, entry.white), ("black", black, entry.black)] {
        if player.is_none() {
            missing(field, id);
        }
    }
    let annotator = names.annotator(entry.annotator);
    if annotator.is_none() && entry.annotator != 0 {
        missing("annotator", entry.annotator);
    }
    let mut push = |name: &str, value: &str| {
        tags.push(name, extra.get(name).unwrap_or(value));
    };

    let place = event.map(|(_, facts)| facts.site);
    let site_name = site.map(|(name, _)| name);
    push(
        "Event",
        &shown("event", entry.event, event.map(|(name, _)| name)),
    );
    let site_name = match place {
        Some(id) => shown("site", id, site_name),
        None => Cow::Borrowed("?"),
    };
    push("Site", &site_name);
    push("Date", &entry.date().to_string());
    push("Round", &round_text(entry.round, entry.sub_round));
    push(
        "White",
        &shown("player", entry.white, white.map(|(name, _)| name)),
    );
    push(
        "Black",
        &shown("player", entry.black, black.map(|(name, _)| name)),
    );
    push("Result", entry.game_result().pgn());
    let mut some = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            push(name, value);
        }
    };
    let number = |value: u16| (value > 0).then(|| value.to_string());
    for (color, elo, rating, kind) in [
        (
            "White",
            entry.white_elo,
            entry.white_rating,
            entry.white_rating_kind,
        ),
        (
            "Black",
            entry.black_elo,
            entry.black_rating,
            entry.black_rating_kind,
        ),
    ] {
        some(&format!("{color}Elo"), number(elo).as_deref());
        let kind = code_tables::RATINGS
            .get(usize::from(kind))
            .unwrap_or(&"Elo");
        if elo == 0 || *kind != "Elo" {
            some(&format!("{color}{kind}"), number(rating).as_deref());
        }
    }
    some("ECO", entry.eco().map(|eco| eco.to_string()).as_deref());
    match annotator {
        None if keeps_apart && entry.annotator != 0 => {
            let lost = format!("(lost annotator {})", entry.annotator);
            some("Annotator", Some(&lost));
        }
        None | Some([]) => {}
        Some(annotator) => some("Annotator", Some(&decode(annotator, charset))),
    }
    for (color, player) in [("White", white), ("Black", black)] {
        let Some((_, facts)) = player else { continue };
        for (name, value) in [
            (
                "Title",
                code_tables::text(&code_tables::TITLES, facts.title),
            ),
            (
                "Country",
                code_tables::text(&code_tables::COUNTRIES, facts.country),
            ),
            (
                "Type",
                code_tables::text(&code_tables::SPECIES, facts.species),
            ),
            ("Sex", code_tables::text(&code_tables::SEXES, facts.sex)),
        ] {
            some(&format!("{color}{name}"), value);
        }
        let fide = (facts.fide > 0).then(|| facts.fide.to_string());
        some(&format!("{color}FideId"), fide.as_deref());
    }
    if let Some((_, facts)) = event {
        let date = (!facts.date.is_unknown()).then(|| facts.date.to_string());
        some("EventDate", date.as_deref());
        some(
            "EventType",
            code_tables::text(&code_tables::EVENT_TYPES, facts.kind),
        );
        some("Mode", code_tables::text(&code_tables::MODES, facts.mode));
        some(
            "TimeMode",
            code_tables::text(&code_tables::TIME_MODES, facts.time_mode),
        );
    }
    if let Some((_, country)) = site {
        some(
            "EventCountry",
            code_tables::text(&code_tables::COUNTRIES, country),
        );
    }
    some(
        "Termination",
        code_tables::text(&code_tables::TERMINATIONS, entry.termination),
    );
    some("Variant", variant);
    let (letters, words) = flag_texts(entry.flags);
    some("ScidFlags", Some(&*letters).filter(|text| !text.is_empty()));
    some("ScidbFlags", Some(&*words).filter(|text| !text.is_empty()));
    let shown = tags.len();
    for (place, (name, value)) in extra.iter().enumerate() {
        let is_shown = tags.iter().take(shown).any(|(tag, _)| tag == name)
            && !extra.iter().take(place).any(|(tag, _)| tag == name);
        if !is_shown {
            tags.push(name, value);
        }
    }
}

/// A name as text; `?` for one that is missing.
fn shown(name: Option<&[u8]>, charset: Charset) -> Cow<'_, str> {
    name.map_or(Cow::Borrowed("?"), |name| decode(name, charset))
}

/// A round and its part as text; `?` for none.
pub(crate) fn round_text(round: u8, sub_round: u8) -> String {
    match (round, sub_round) {
        (0, 0) => "?".to_owned(),
        (round, 0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
    }
}

/// The flags that a user sets, as Scid's letters and as words.
fn flag_texts(flags: u32) -> (String, String) {
    let letters = (1..).zip(code_tables::FLAG_LETTERS);
    let letters = letters.filter(|&(bit, _)| flags >> bit & 1 != 0);
    let words: Vec<&str> = (13..)
        .zip(code_tables::FLAG_WORDS)
        .filter(|&(bit, _)| flags >> bit & 1 != 0)
        .map(|(_, word)| word)
        .collect();
    (
        letters.map(|(_, &letter)| char::from(letter)).collect(),
        words.join(" "),
    )
}
