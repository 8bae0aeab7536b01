//! Header fields from tags: the reverse of [`TagWriter`](crate::games::cbh::tags::TagWriter).

use tabia_core::game::{Eco, Tags, TimeControl};
use tabia_core::io::Charset;
use tabia_core::loss::{Feature, Losses};
use zerocopy::FromZeros;

use crate::games::cbh::annotations::game_tags::{clock_text, parse_clock, parse_time_control};
use crate::games::cbh::charset::{TextForm, encode_plain};
use crate::games::cbh::field_codecs::encode_eco;
use crate::games::cbh::records::{
    AnnotatorRecord, EXTENDED_DEFAULT, ExtendedRecord, GameTagRecord, PlayerRecord, SourceRecord,
    TOURNAMENT_EXTRA_DEFAULT, TeamRecord, TournamentExtraRecord, TournamentRecord,
};
use crate::games::cbh::stored_texts::{StoredTexts, field};
use crate::games::cbh::tags::parse_values::{
    DoesNotFit, changed_eco_feature, changed_name_feature, date, feature, hex, is_chess960,
    is_joined, is_unknown, lost_feature, nation, number, rating, round, start_number,
};
use crate::games::cbh::tags::{GAME_TAG_NAMES, parse_event_type};
use crate::games::cbh::timestamps;
use crate::games::common::seen_tags::SeenTags;

/// The header fields of one game; its names have no ids yet.
#[derive(Debug, Clone)]
pub(super) struct HeaderFields {
    pub(super) white: PlayerRecord,
    pub(super) black: PlayerRecord,
    pub(super) tournament: TournamentRecord,
    pub(super) tournament_extra: TournamentExtraRecord,
    pub(super) annotator: AnnotatorRecord,
    pub(super) source: SourceRecord,
    pub(super) teams: [Option<TeamRecord>; 2],
    pub(super) game_tag: Option<Box<GameTagRecord>>,
    pub(super) extended: ExtendedRecord,
    /// The type byte, if it is not the usual one.
    pub(super) kind: Option<u8>,
    /// The result byte, if it is an unknown one.
    pub(super) result: Option<u8>,
    pub(super) line_evaluation: u8,
    pub(super) date: u32,
    pub(super) round: u8,
    pub(super) sub_round: u8,
    pub(super) white_elo: u16,
    pub(super) black_elo: u16,
    pub(super) eco: u16,
    pub(super) medals: Option<u16>,
    pub(super) top_game: u8,
    /// The number of the Chess960 start position that the game is of, if the setup position is another.
    pub(super) start_number: Option<u16>,
    /// Hundredths of a second on both clocks at the end of the game.
    pub(super) clocks: [Option<i32>; 2],
    pub(super) time_control: Option<TimeControl>,
    pub(super) text_flags: u32,
    pub(super) text_unknown_5: [u8; 2],
    pub(super) text_unknown_22: [u8; 24],
}

/// Reads tags and counts those that cannot be stored.
#[derive(Debug)]
pub(super) struct TagReader<'l> {
    charset: Charset,
    stored: &'l mut StoredTexts,
    losses: &'l mut Losses,
    /// Whether the last field was written as it was stored.
    is_copied: bool,
}

impl<'l> TagReader<'l> {
    /// `charset`: of texts that are not among the stored ones.
    pub(super) fn new(
        charset: Charset,
        stored: &'l mut StoredTexts,
        losses: &'l mut Losses,
    ) -> Self {
        Self {
            charset,
            stored,
            losses,
            is_copied: false,
        }
    }

    /// Counts a tag that is not stored as it is.
    fn lose(&mut self, name: &str) {
        let feature = feature(name);
        self.losses.add_named(feature, name, None);
    }

    /// The header fields of a game with these tags.
    pub(super) fn read(&mut self, tags: &Tags) -> HeaderFields {
        let mut fields = HeaderFields {
            white: FromZeros::new_zeroed(),
            black: FromZeros::new_zeroed(),
            tournament: FromZeros::new_zeroed(),
            tournament_extra: TOURNAMENT_EXTRA_DEFAULT,
            annotator: FromZeros::new_zeroed(),
            source: FromZeros::new_zeroed(),
            teams: [None; 2],
            game_tag: None,
            extended: EXTENDED_DEFAULT,
            kind: None,
            result: None,
            line_evaluation: 0,
            date: 0,
            round: 0,
            sub_round: 0,
            white_elo: 0,
            black_elo: 0,
            eco: 0,
            medals: None,
            top_game: 0,
            start_number: None,
            clocks: [None; 2],
            time_control: None,
            text_flags: 0,
            text_unknown_5: [0; 2],
            text_unknown_22: [0; 24],
        };
        fields.white = self.player(tags, "White", "CbWhiteLast", field::WHITE);
        fields.black = self.player(tags, "Black", "CbBlackLast", field::BLACK);
        fields.eco = self.eco(tags);
        let mut seen = SeenTags::default();
        for (name, value) in tags.iter() {
            if !seen.is_first(name) && name != "Result" {
                // A field stores only the first value.
                if !is_unknown(value) {
                    self.lose(name);
                }
                continue;
            }
            self.is_copied = false;
            let read = if name.starts_with("Cb") {
                self.format_tag(name, value, &mut fields)
            } else {
                self.common_tag(name, value, &mut fields)
            };
            if let Some(feature) = lost_feature(name, value, read.is_ok(), self.is_copied) {
                self.losses.add_named(feature, name, None);
            }
        }
        fields
    }

    /// Reads a tag that other programs also use.
    fn common_tag(
        &mut self,
        name: &str,
        value: &str,
        fields: &mut HeaderFields,
    ) -> Result<(), DoesNotFit> {
        let tournament = &mut fields.tournament;
        let mut exact = Ok(());
        match name {
            // Players and codes are read with other tags; the rest follows from the game.
            "White" | "Black" | "ECO" | "Result" | "SetUp" | "FEN" | "PlyCount" => {}
            "Variant" if is_chess960(value) => {}
            "Event" => tournament.title = self.name(field::EVENT, value),
            "Site" => tournament.site = self.name(field::SITE, value),
            "Date" => fields.date = date(value, &mut exact),
            "Round" => (fields.round, fields.sub_round) = round(value)?,
            "WhiteElo" => fields.white_elo = number(value)?,
            "BlackElo" => fields.black_elo = number(value)?,
            "Annotator" => fields.annotator.name = self.name(field::ANNOTATOR, value),
            "EventDate" => tournament.date = date(value, &mut exact).into(),
            "EventType" => {
                let (kind, team) = parse_event_type(value).ok_or(DoesNotFit)?;
                tournament.kind = kind;
                tournament.team |= u8::from(team);
            }
            "EventRounds" => tournament.rounds = number(value)?,
            "EventCountry" => tournament.nation = nation(value)?,
            "EventCategory" => tournament.category = number(value)?,
            "SourceTitle" => fields.source.title = self.name(field::SOURCE, value),
            "Source" => fields.source.publisher = self.name(field::PUBLISHER, value),
            "SourceDate" => fields.source.publication = date(value, &mut exact).into(),
            "SourceVersion" => fields.source.version = number(value)?,
            "SourceVersionDate" => fields.source.date = date(value, &mut exact).into(),
            "SourceQuality" => fields.source.quality = number(value)?,
            "WhiteTeam" | "BlackTeam" => {
                // Team titles may fill their field without a terminating zero.
                let [white, black] = field::TEAMS;
                let number = if name == "WhiteTeam" { white } else { black };
                let padded: [u8; 46] = self.name(number, value);
                team(name, fields).title.copy_from_slice(&padded[..45]);
            }
            "WhiteTeamCountry" | "BlackTeamCountry" => team(name, fields).nation = nation(value)?,
            _ if is_unknown(value) => {}
            "WhiteClock" | "BlackClock" => {
                let [white, black] = &mut fields.clocks;
                let clock = if name == "WhiteClock" { white } else { black };
                let stored = clock.insert(parse_clock(value).ok_or(DoesNotFit)?);
                // Another spelling, such as `15:00`.
                if clock_text(*stored).as_deref() != Some(value) {
                    return Err(DoesNotFit);
                }
            }
            "TimeControl" => {
                fields.time_control = Some(parse_time_control(value).ok_or(DoesNotFit)?);
            }
            _ => return Err(DoesNotFit),
        }
        exact
    }

    /// Reads a tag for a field of this format only.
    fn format_tag(
        &mut self,
        name: &str,
        value: &str,
        fields: &mut HeaderFields,
    ) -> Result<(), DoesNotFit> {
        let tournament = &mut fields.tournament;
        let extra = &mut fields.tournament_extra;
        let extended = &mut fields.extended;
        match name {
            "CbWhiteLast" | "CbBlackLast" | "CbEco" | "CbEcoSub" | "CbMoveCount" => {}
            "CbDate" => fields.date = number(value)?,
            "CbResult" => fields.result = Some(number(value)?),
            "CbEventDate" => tournament.date = number::<u32>(value)?.into(),
            "CbEventType" => tournament.kind = number(value)?,
            "CbEventNation" => tournament.nation = number(value)?,
            "CbEventFlags" => tournament.flags = number(value)?,
            "CbEventTeam" | "CbEventUnknown75" => tournament.team |= number::<u8>(value)?,
            "CbEventUnknown77" => tournament.unknown_77 = number(value)?,
            "CbEventUnknown81" => tournament.unknown_81 = number(value)?,
            "CbEventLatitude" => extra.latitude = number::<f64>(value)?.into(),
            "CbEventLongitude" => extra.longitude = number::<f64>(value)?.into(),
            "CbEventUnknown16" => hex(value, &mut extra.unknown_16)?,
            "CbEventTieBreaks" => {
                let rules = value.split_whitespace().map(number);
                let rules: Vec<u8> = rules.collect::<Result<_, _>>()?;
                let stored = extra.tie_breaks.get_mut(..rules.len());
                stored.ok_or(DoesNotFit)?.copy_from_slice(&rules);
                extra.tie_break_count = rules.len() as u8;
            }
            "CbEventTieBreakBytes" => hex(value, &mut extra.tie_breaks)?,
            "CbEventTieBreakCount" => extra.tie_break_count = number(value)?,
            "CbEventEndDate" => {
                let mut exact = Ok(());
                extra.end_date = date(value, &mut exact).into();
                return exact;
            }
            "CbEventEndDateRaw" => extra.end_date = number::<u32>(value)?.into(),
            "CbSourceDate" => fields.source.publication = number::<u32>(value)?.into(),
            "CbSourceVersionDate" => fields.source.date = number::<u32>(value)?.into(),
            "CbWhiteTeamNation" | "CbBlackTeamNation" => team(name, fields).nation = number(value)?,
            "CbWhiteTeamNumber" | "CbBlackTeamNumber" => {
                team(name, fields).number = number::<i32>(value)?.into();
            }
            "CbWhiteTeamYear" | "CbBlackTeamYear" => {
                team(name, fields).year = number::<i32>(value)?.into();
            }
            "CbWhiteTeamSeason" | "CbBlackTeamSeason" => team(name, fields).season = number(value)?,
            "CbType" => fields.kind = Some(number(value)?),
            "CbLineEvaluation" => fields.line_evaluation = number(value)?,
            "CbMedals" => fields.medals = Some(number(value)?),
            // The encoder of moves reads it.
            "CbChess960" => fields.start_number = Some(start_number(value)?),
            "CbTopGame" => fields.top_game = number::<u8>(value)? & 3,
            "CbWhiteRating" => extended.white_rating = rating(value)?,
            "CbBlackRating" => extended.black_rating = rating(value)?,
            "CbMaterial" => {
                let mut words = value
                    .split_whitespace()
                    .map(|word| u32::from_str_radix(word, 16).map_err(|_| DoesNotFit));
                let mut next = || words.next().unwrap_or(Err(DoesNotFit));
                extended.material_strong = next()?.into();
                extended.material_weak = next()?.into();
                extended.material_total = u16::try_from(next()?).map_err(|_| DoesNotFit)?.into();
            }
            "CbUnknown70" => hex(value, &mut extended.unknown_70)?,
            "CbUnknown74" => hex(value, &mut extended.unknown_74)?,
            "CbEndgames" => hex(value, &mut extended.endgames)?,
            "CbVersion" => extended.version = number::<u16>(value)?.into(),
            "CbCreated" => {
                extended.created = timestamps::Created::parse(value)
                    .ok_or(DoesNotFit)?
                    .0
                    .into();
            }
            "CbCreatedRaw" => extended.created = number::<u64>(value)?.into(),
            "CbSavedRaw" => extended.saved = number::<u64>(value)?.into(),
            "CbSaved" => {
                extended.saved = timestamps::Saved::parse(value).ok_or(DoesNotFit)?.0.into();
            }
            "CbTextFlags" => {
                let digits = value.strip_prefix("0x").ok_or(DoesNotFit)?;
                fields.text_flags = u32::from_str_radix(digits, 16).map_err(|_| DoesNotFit)?;
            }
            "CbTextUnknown5" => hex(value, &mut fields.text_unknown_5)?,
            "CbTextUnknown22" => hex(value, &mut fields.text_unknown_22)?,
            _ => {
                let index = GAME_TAG_NAMES.iter().position(|&other| other == name);
                let index = index.ok_or(DoesNotFit)?;
                let number = field::TITLES.saturating_add(index as u8);
                let title = self.field(number, value);
                let new = || Box::new(GameTagRecord::new_zeroed());
                let tag = fields.game_tag.get_or_insert_with(new);
                *tag.titles.get_mut(index).ok_or(DoesNotFit)? = title;
            }
        }
        Ok(())
    }

    /// `last` is the tag of the last name alone, `numbers` those of both fields.
    fn player(&mut self, tags: &Tags, name: &str, last: &str, numbers: [u8; 2]) -> PlayerRecord {
        let value = tags.text(name);
        let mut player = PlayerRecord::new_zeroed();
        let (last_name, first_name) = match tags.get(last) {
            Some(last) => {
                let first = value.strip_prefix(last).unwrap_or_default();
                (last, first.strip_prefix(", ").unwrap_or_default())
            }
            None if is_unknown(value) => ("", ""),
            None => {
                let (last, first) = value.split_once(',').unwrap_or((value, ""));
                (last, first.trim_start())
            }
        };
        let [last_number, first_number] = numbers;
        player.last_name = self.field(last_number, last_name);
        player.first_name = self.field(first_number, first_name);
        if last_name.is_empty() && first_name.is_empty() && is_unknown(value) {
            return player;
        }
        if is_joined(value, last_name, first_name) {
            return player;
        }
        let feature = changed_name_feature(value, last_name, first_name);
        self.losses.add_named(feature, name, None);
        player
    }

    fn eco(&mut self, tags: &Tags) -> u16 {
        let sub = tags.get("CbEcoSub").map_or(Ok(0), number::<u8>);
        let eco = match (tags.get("ECO"), sub) {
            (Some(text), _) if is_unknown(text) => None,
            (Some(text), Ok(sub)) => Eco::parse(text).and_then(|eco| Eco::new(eco.code(), sub)),
            (None, Ok(_)) => return tags.get("CbEco").and_then(|v| number(v).ok()).unwrap_or(0),
            (_, Err(DoesNotFit)) => None,
        };
        match eco {
            Some(eco) => {
                let lost = |text| changed_eco_feature(text, &eco.to_string());
                if let Some(feature) = tags.get("ECO").and_then(lost) {
                    self.losses.add_named(feature, "ECO", None);
                }
                encode_eco(eco)
            }
            None if tags.get("ECO").is_some_and(is_unknown) => 0,
            None => {
                self.lose("ECO");
                0
            }
        }
    }

    /// A text field; an unknown value is stored as empty.
    fn name<const N: usize>(&mut self, number: u8, value: &str) -> [u8; N] {
        self.field(number, if is_unknown(value) { "" } else { value })
    }

    /// A text field with a terminating zero; counts what does not fit.
    fn field<const N: usize>(&mut self, number: u8, value: &str) -> [u8; N] {
        let mut field = [0; N];
        if let Some(stored) = self.stored.field(number, value)
            && let Some(bytes) = field.get_mut(..stored.len())
        {
            bytes.copy_from_slice(&stored);
            self.is_copied = true;
            return field;
        }
        let has_space = value.len() < N;
        if has_space && value.bytes().all(|byte| byte.is_ascii() && byte != 0) {
            // Every character set has these.
            if let Some(start) = field.get_mut(..value.len()) {
                start.copy_from_slice(value.as_bytes());
            }
            return field;
        }
        let mut bytes = Vec::with_capacity(value.len());
        let is_lossless = encode_plain(value, TextForm::of(self.charset), &mut bytes);
        if !is_lossless || value.contains('\0') {
            self.losses.add(Feature::Characters, 1, None);
        }
        let mut length = bytes.len().min(N.saturating_sub(1));
        if length < bytes.len() {
            self.losses.add(Feature::LongText, 1, None);
            if bytes == value.as_bytes() {
                length = value.floor_char_boundary(length);
            }
        }
        for (stored, byte) in field.iter_mut().zip(bytes.iter().take(length)) {
            *stored = *byte;
        }
        field
    }
}

fn team<'f>(name: &str, fields: &'f mut HeaderFields) -> &'f mut TeamRecord {
    let [white, black] = &mut fields.teams;
    let side = if name.contains("White") { white } else { black };
    side.get_or_insert_with(FromZeros::new_zeroed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (HeaderFields, Losses) {
        let tags: Tags = pairs.iter().copied().collect();
        let mut losses = Losses::new();
        let fields =
            TagReader::new(Charset::Auto, &mut StoredTexts::default(), &mut losses).read(&tags);
        (fields, losses)
    }

    #[test]
    fn first_value_of_a_repeated_tag_is_stored() {
        let tags = [("Event", "Open"), ("Event", "?"), ("Event", "Other")];
        let (fields, losses) = read(&tags);
        let title = crate::games::cbh::charset::until_zero(&fields.tournament.title);
        assert_eq!(title, b"Open");
        assert_eq!(losses.count(Feature::Tags), 1);
    }

    #[test]
    fn tags_set_their_fields() {
        let (fields, losses) = read(&[
            ("Event", "?"),
            ("White", "Abel, Ada Anna"),
            ("Black", "Kasparov, G"),
            ("Round", "5.2"),
            ("ECO", "B90"),
            ("CbEcoSub", "3"),
            ("EventType", "team-swiss (rapid)"),
            ("EventCountry", "GER"),
            ("BlackTeam", "SK Bo"),
            ("CbBlackTeamNumber", "2"),
        ]);
        assert!(losses.is_empty(), "{losses}");
        assert_eq!(fields.white.last_name[..5], *b"Abel\0");
        assert_eq!(fields.white.first_name[..9], *b"Ada Anna\0");
        assert_eq!(fields.black.first_name[..2], *b"G\0");
        assert_eq!(fields.tournament.title, [0; 40]);
        assert_eq!((fields.round, fields.sub_round), (5, 2));
        assert_eq!(fields.eco, 191 * 128 + 3);
        assert_eq!(fields.tournament.kind, 4 | 0x40);
        assert_eq!((fields.tournament.team, fields.tournament.nation), (1, 53));
        assert!(fields.teams[0].is_none());
        assert_eq!(fields.teams[1].map(|team| team.number.get()), Some(2));
    }

    #[test]
    fn values_that_are_read_in_another_spelling_are_counted() {
        let counted = [
            ("TimeControl", "?"),
            ("X", ""),
            ("WhiteElo", "02400"),
            ("ECO", "c50"),
            ("EventDate", "????.??.??"),
            ("Date", "2024-01-05"),
            ("Date", "2024.1.5"),
            ("Date", "1.1.1"),
            ("White", "Carlsen,Magnus"),
            ("Black", "Carlsen,"),
        ];
        for tag in counted {
            let (_, losses) = read(&[tag]);
            assert_eq!(losses.count(Feature::TagSpellings), 1, "{tag:?}");
            assert_eq!(losses.count(Feature::Tags), 0, "{tag:?}");
        }
        for tag in [("WhiteElo", "-"), ("Round", "8.2.3"), ("Round", "5.0")] {
            assert_eq!(read(&[tag]).1.count(Feature::Tags), 1, "{tag:?}");
        }
        let kept = [
            ("Event", "?"),
            ("Date", "????.??.??"),
            ("Date", "0000.00.00"),
            ("Date", "2024.01.??"),
            ("EventDate", "2024.01.05"),
            ("White", ", M"),
            ("White", "Carlsen, Magnus"),
            ("White", "Carlsen"),
        ];
        for tag in kept {
            let (_, losses) = read(&[tag]);
            assert!(losses.is_empty(), "{tag:?}: {losses}");
        }
    }

    #[test]
    fn rounds_that_are_read_as_others_are_counted() {
        for value in [
            "5", "5.2", "?.4", "0.4", "0", "05", "5.0", "?.0", ".4", "-.4", "5.",
        ] {
            let (fields, losses) = read(&[("Round", value)]);
            let name = crate::games::cbh::tags::round_name(fields.round, fields.sub_round);
            let is_number_kept = ["05", "0"].contains(&value);
            let lost = if is_number_kept {
                Feature::TagSpellings
            } else {
                Feature::Tags
            };
            assert_eq!(losses.count(lost), u64::from(name != value), "{value}");
        }
    }

    #[test]
    fn values_that_do_not_fit_are_counted() {
        let (fields, losses) = read(&[
            ("Event", "Ünüsüälly lông nämé öf a tournament"),
            ("WhiteElo", "2400?"),
            ("WhiteTitle", "GM"),
            ("BlackTitle", "-"),
            ("Date", "2011.19.11"),
            ("ScidExtra", "1"),
            ("CbExtra", "00"),
        ]);
        assert_eq!(losses.count(Feature::LongText), 1);
        // Elo, both titles, of which the hyphen would become unknown, the month.
        assert_eq!(losses.count(Feature::Tags), 4);
        assert_eq!(fields.date, (2011 << 9) + 11);
        assert_eq!(losses.count(Feature::HeaderFacts), 2);
        assert!(fields.game_tag.is_none());
        let title = crate::games::cbh::charset::until_zero(&fields.tournament.title);
        assert!(std::str::from_utf8(title).is_ok() && title.len() > 36);
    }
}
