//! Header fields from tags: the reverse of [`TagWriter`](crate::games::cbh2::tags::TagWriter).

use tabia_core::game::{Eco, Tags, TimeControl};
use tabia_core::io::Sink;
use tabia_core::loss::{Feature, Losses};
use zerocopy::FromZeros;

use crate::games::cbh::annotations::game_tags::{clock_text, parse_clock};
use crate::games::cbh::charset::encode_plain;
use crate::games::cbh::field_codecs::encode_eco;
use crate::games::cbh::records::RATING_DEFAULT;
use crate::games::cbh::tags::parse_values::{
    DoesNotFit, changed_eco_feature, changed_name_feature, date, feature, hex, is_chess960,
    is_joined, is_unknown, lost_feature, nation, number, rating, round, start_number,
};
use crate::games::cbh::tags::{GAME_TAG_NAMES, parse_event_type};
use crate::games::cbh::timestamps;
use crate::games::cbh2::annotations::FORM;
use crate::games::cbh2::names::{Player, Source, Team, Tournament, write_titles};
use crate::games::cbh2::records::GameRecord;
use crate::games::cbh2::tags::{
    FINE_TIMES, TIME_SHIFT, TITLE_NATIONS, rating_of_classic, tie_break_of_classic,
};
use crate::games::common::seen_tags::SeenTags;

/// Bytes of a slot for each kind of names.
pub(super) mod slot {
    pub(crate) const PLAYER: usize = 1024;
    pub(crate) const TOURNAMENT: usize = 1120;
    pub(crate) const SOURCE: usize = 220;
    pub(crate) const UNUSED: usize = 1024;
    pub(crate) const TEAM: usize = 314;
    pub(crate) const TAG: usize = 532;
}

/// The header fields of one record; its names have no ids yet.
#[derive(Debug, Clone)]
pub(super) struct HeaderFields {
    /// The header of a game, without ids, offsets and what follows from the moves.
    pub(super) record: GameRecord,
    pub(super) names: NameFields,
    /// The result byte, if it is an unknown one.
    pub(super) result: Option<u8>,
    /// Hundredths of a second on both clocks at the end of the game.
    pub(super) clocks: [Option<i32>; 2],
    pub(super) time_control: Option<TimeControl>,
    /// The medals of a game without annotations.
    pub(super) medals: Option<u16>,
    pub(super) media: i64,
    /// The bytes 0, 2 and 3, if they are not the usual ones.
    pub(super) kind: Option<[u8; 3]>,
    pub(super) text_unknown: [u8; 124],
    pub(super) analysis_unknown: [u8; 144],
}

/// The fields of a record's names as they are stored; an absent team is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct NameFields {
    pub(super) white: Vec<u8>,
    pub(super) black: Vec<u8>,
    pub(super) tournament: Vec<u8>,
    pub(super) annotator: Vec<u8>,
    pub(super) source: Vec<u8>,
    pub(super) teams: [Vec<u8>; 2],
    pub(super) tag: Vec<u8>,
}

/// Reads tags and counts those that cannot be stored.
#[derive(Debug)]
pub(super) struct TagReader<'l> {
    losses: &'l mut Losses,
}

/// The names of a game while its tags are read.
#[derive(Debug, Default)]
struct Names<'t> {
    players: [PlayerName<'t>; 2],
    event: &'t str,
    site: &'t str,
    tournament: Tournament<'static>,
    annotator: &'t str,
    source_title: &'t str,
    publisher: &'t str,
    source: Source<'static>,
    teams: [Option<TeamName<'t>>; 2],
    /// Nation and text.
    titles: Vec<(i32, &'t str)>,
}

#[derive(Debug, Default)]
struct PlayerName<'t> {
    last: &'t str,
    first: &'t str,
    fide: Option<i64>,
    number: Option<i32>,
}

#[derive(Debug, Default)]
struct TeamName<'t> {
    title: &'t str,
    fields: Team<'static>,
}

impl TeamName<'_> {
    fn is_empty(&self) -> bool {
        let Team {
            number,
            season,
            year,
            nation,
            ..
        } = self.fields;
        self.title.is_empty() && (number, season, year, nation) == (0, 0, 0, 0)
    }
}

/// Creation times in two tags.
#[derive(Debug, Default)]
struct Creation {
    coarse: Option<u64>,
    ticks: Option<u64>,
    raw: Option<i64>,
}

impl<'l> TagReader<'l> {
    pub(super) fn new(losses: &'l mut Losses) -> Self {
        Self { losses }
    }

    /// Counts a tag that is not stored as it is.
    fn lose(&mut self, name: &str) {
        let feature = feature(name);
        self.losses.add_named(feature, name, None);
    }

    /// The header fields of a game with these tags.
    pub(super) fn read(&mut self, tags: &Tags) -> HeaderFields {
        let mut fields = HeaderFields {
            record: GameRecord::new_zeroed(),
            names: NameFields::default(),
            result: None,
            clocks: [None; 2],
            time_control: None,
            medals: None,
            media: 0,
            kind: None,
            text_unknown: [0; 124],
            analysis_unknown: [0; 144],
        };
        let default = rating_of_classic(&RATING_DEFAULT).unwrap_or_default();
        fields.record.white_rating = default;
        fields.record.black_rating = default;
        fields.record.version.set(1);
        let mut names = Names::default();
        let [white, black] = &mut names.players;
        self.player(tags, "White", "CbWhiteLast", white);
        self.player(tags, "Black", "CbBlackLast", black);
        fields.record.eco.set(self.eco(tags));
        let mut creation = Creation::default();
        let mut seen = SeenTags::default();
        for (name, value) in tags.iter() {
            if !seen.is_first(name) && name != "Result" {
                // A field stores only the first value.
                if !is_unknown(value) {
                    self.lose(name);
                }
                continue;
            }
            let read = if name.starts_with("Cb") {
                format_tag(name, value, &mut fields, &mut names, &mut creation)
            } else {
                common_tag(name, value, &mut fields, &mut names)
            };
            if let Some(feature) = lost_feature(name, value, read.is_ok(), false) {
                self.losses.add_named(feature, name, None);
            }
        }
        match creation.stored() {
            Ok(created) => fields.record.created.set(created),
            Err(DoesNotFit) => self.losses.add(Feature::HeaderFacts, 1, None),
        }
        fields.names = self.encode_names(&names);
        fields
    }

    fn player<'t>(&mut self, tags: &'t Tags, name: &str, last: &str, player: &mut PlayerName<'t>) {
        let value = tags.text(name);
        (player.last, player.first) = match tags.get(last) {
            Some(last) => {
                let first = value.strip_prefix(last).unwrap_or_default();
                (last, first.strip_prefix(", ").unwrap_or_default())
            }
            None if is_unknown(value) => return,
            None => {
                let (last, first) = value.split_once(',').unwrap_or((value, ""));
                (last, first.trim_start())
            }
        };
        let is_nothing = player.last.is_empty() && player.first.is_empty() && is_unknown(value);
        if !is_nothing && !is_joined(value, player.last, player.first) {
            let feature = changed_name_feature(value, player.last, player.first);
            self.losses.add_named(feature, name, None);
        }
    }

    fn eco(&mut self, tags: &Tags) -> u16 {
        let sub = tags.get("CbEcoSub").map_or(Ok(0), number::<u8>);
        let eco = match (tags.get("ECO"), sub) {
            (Some(text), _) if is_unknown(text) => return 0,
            (Some(text), Ok(sub)) => Eco::parse(text).and_then(|eco| Eco::new(eco.code(), sub)),
            (None, Ok(_)) => return tags.get("CbEco").and_then(|v| number(v).ok()).unwrap_or(0),
            (_, Err(DoesNotFit)) => None,
        };
        let lost = match eco {
            Some(eco) => changed_eco_feature(tags.text("ECO"), &eco.to_string()),
            None => Some(Feature::Tags),
        };
        if let Some(feature) = lost {
            self.losses.add_named(feature, "ECO", None);
        }
        eco.map_or(0, encode_eco)
    }

    fn encode_names(&mut self, names: &Names<'_>) -> NameFields {
        let mut fields = NameFields::default();
        let sides = [&mut fields.white, &mut fields.black];
        for (player, stored) in names.players.iter().zip(sides) {
            *stored = self.encode_player(player);
        }
        // The reader joins both parts with a comma and a blank.
        let (last, first) = match names.annotator.split_once(", ") {
            Some((last, first)) if !last.is_empty() && !first.is_empty() => (last, first),
            _ => (names.annotator, ""),
        };
        fields.annotator = self.encode_player(&PlayerName {
            last,
            first,
            ..PlayerName::default()
        });
        let mut sink = Sink::new();
        let Tournament { tie_breaks, .. } = &names.tournament;
        let mut left = slot::TOURNAMENT - 120 - 2 * tie_breaks.len().min(100);
        let (site, title) = (
            self.text(names.site, &mut left),
            self.text(names.event, &mut left),
        );
        let tournament = Tournament {
            site: &site,
            title: &title,
            tie_breaks: tie_breaks.clone(),
            ..names.tournament
        };
        tournament.write(&mut sink);
        fields.tournament = std::mem::take(&mut sink).into_vec();
        let mut left = slot::SOURCE - 24;
        let title = self.text(names.source_title, &mut left);
        let publisher = self.text(names.publisher, &mut left);
        let source = Source {
            title: &title,
            publisher: &publisher,
            ..names.source
        };
        source.write(&mut sink);
        fields.source = std::mem::take(&mut sink).into_vec();
        for (team, stored) in names.teams.iter().zip(&mut fields.teams) {
            // A team without any property is no team.
            let Some(team) = team.as_ref().filter(|team| !team.is_empty()) else {
                continue;
            };
            let title = self.text(team.title, &mut (slot::TEAM - 13));
            let team = Team {
                title: &title,
                ..team.fields
            };
            team.write(&mut sink);
            *stored = std::mem::take(&mut sink).into_vec();
        }
        fields.tag = self.titles(&names.titles);
        fields
    }

    fn encode_player(&mut self, player: &PlayerName<'_>) -> Vec<u8> {
        let mut left = slot::PLAYER - 40;
        let (last, first) = (
            self.text(player.last, &mut left),
            self.text(player.first, &mut left),
        );
        let mut sink = Sink::new();
        let player = Player {
            last: &last,
            first: &first,
            number: player.number.unwrap_or(NOT_LOOKED_UP),
            fide: player.fide.unwrap_or(NOT_LOOKED_UP.into()),
        };
        player.write(&mut sink);
        sink.into_vec()
    }

    /// The fields of a game tag with these titles.
    pub(super) fn titles(&mut self, titles: &[(i32, &str)]) -> Vec<u8> {
        // Eight bytes for each title, those of all languages included.
        let mut left = (slot::TAG - 8).saturating_sub(8 * (titles.len() + 7));
        let texts: Vec<(i32, Vec<u8>)> = titles
            .iter()
            .map(|(nation, title)| (*nation, self.text(title, &mut left)))
            .collect();
        let mut titles: Vec<(i32, &[u8])> = Vec::new();
        for (nation, text) in &texts {
            // At most as many as fit.
            if titles.len() < 50 {
                titles.push((*nation, text));
            } else {
                self.losses.add(Feature::LongText, 1, None);
            }
        }
        let mut sink = Sink::new();
        write_titles(&titles, &mut sink);
        sink.into_vec()
    }

    /// A text, cut to the bytes that are left in its slot; counts what does not fit.
    fn text(&mut self, value: &str, left: &mut usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(value.len());
        if !encode_plain(value, FORM, &mut bytes) {
            self.losses.add(Feature::Characters, 1, None);
        }
        if bytes.len() > *left {
            self.losses.add(Feature::LongText, 1, None);
            bytes.truncate(value.floor_char_boundary(*left));
        }
        *left = left.saturating_sub(bytes.len());
        bytes
    }
}

/// A player that was not looked up in ChessBase's player database.
const NOT_LOOKED_UP: i32 = -1;

impl Creation {
    fn stored(&self) -> Result<i64, DoesNotFit> {
        if let Some(raw) = self.raw {
            return Ok(raw);
        }
        let coarse = self.coarse.unwrap_or(0);
        let stored = match self.ticks {
            // As in databases that were converted from `.cbh`.
            None if coarse < FINE_TIMES => coarse,
            ticks => {
                let ticks = ticks.unwrap_or(0);
                let fine = coarse.checked_mul(1 << TIME_SHIFT).ok_or(DoesNotFit)? | ticks;
                Some(fine)
                    .filter(|fine| *fine >= FINE_TIMES)
                    .ok_or(DoesNotFit)?
            }
        };
        i64::try_from(stored).map_err(|_| DoesNotFit)
    }
}

/// A number of at most 15 bits.
fn small(value: &str) -> Result<u16, DoesNotFit> {
    number::<u16>(value).and_then(in_15_bits)
}

fn in_15_bits(number: u16) -> Result<u16, DoesNotFit> {
    i16::try_from(number)
        .map(|_| number)
        .map_err(|_| DoesNotFit)
}

/// The text of a name; empty if it is unknown.
fn name(value: &str) -> &str {
    if is_unknown(value) { "" } else { value }
}

/// Reads a tag that other programs also use.
fn common_tag<'t>(
    tag: &str,
    value: &'t str,
    fields: &mut HeaderFields,
    names: &mut Names<'t>,
) -> Result<(), DoesNotFit> {
    let tournament = &mut names.tournament;
    let record = &mut fields.record;
    let mut exact = Ok(());
    match tag {
        // Players and codes are read with other tags; the rest follows from the game.
        "White" | "Black" | "ECO" | "Result" | "SetUp" | "FEN" | "PlyCount" => {}
        "Variant" if is_chess960(value) => {}
        "Event" => names.event = name(value),
        "Site" => names.site = name(value),
        "Date" => record.date.set(date(value, &mut exact)),
        "Round" => {
            let (number, part) = round(value)?;
            record.round.set(in_15_bits(number)?);
            record.sub_round.set(in_15_bits(part)?);
        }
        "Board" => record.board.set(small(value)?),
        "WhiteElo" => record.white_elo.set(small(value)?),
        "BlackElo" => record.black_elo.set(small(value)?),
        "Annotator" => names.annotator = name(value),
        "EventDate" => tournament.date = date(value, &mut exact),
        "EventType" => {
            let (kind, team) = parse_event_type(value).ok_or(DoesNotFit)?;
            tournament.kind = kind;
            tournament.team |= u8::from(team);
        }
        "EventRounds" => tournament.rounds = number(value)?,
        "EventCountry" => tournament.nation = nation(value)?,
        "EventCategory" => tournament.category = number(value)?,
        "SourceTitle" => names.source_title = name(value),
        "Source" => names.publisher = name(value),
        "SourceDate" => names.source.publication = date(value, &mut exact),
        "SourceVersion" => names.source.version = small(value)?,
        "SourceVersionDate" => names.source.date = date(value, &mut exact),
        "SourceQuality" => names.source.quality = small(value)?,
        "WhiteTeam" | "BlackTeam" => team(tag, names).title = name(value),
        "WhiteTeamCountry" | "BlackTeamCountry" => {
            team(tag, names).fields.nation = nation(value)?;
        }
        _ if is_unknown(value) => {}
        "WhiteFideId" | "BlackFideId" => {
            let id = number::<i64>(value)?;
            player(tag, names).fide = Some(Some(id).filter(|id| *id > 0).ok_or(DoesNotFit)?);
        }
        "WhiteClock" | "BlackClock" => {
            let [white, black] = &mut fields.clocks;
            let clock = if tag == "WhiteClock" { white } else { black };
            let stored = clock.insert(parse_clock(value).ok_or(DoesNotFit)?);
            // Another spelling, such as `15:00`.
            if clock_text(*stored).as_deref() != Some(value) {
                return Err(DoesNotFit);
            }
        }
        "TimeControl" => {
            fields.time_control = Some(TimeControl::parse(value).ok_or(DoesNotFit)?);
        }
        _ => return Err(DoesNotFit),
    }
    exact
}

/// Reads a tag for a field of ChessBase's formats only.
fn format_tag<'t>(
    tag: &str,
    value: &'t str,
    fields: &mut HeaderFields,
    names: &mut Names<'t>,
    creation: &mut Creation,
) -> Result<(), DoesNotFit> {
    let record = &mut fields.record;
    let tournament = &mut names.tournament;
    match tag {
        "CbWhiteLast" | "CbBlackLast" | "CbEco" | "CbEcoSub" | "Cb2Content" => {}
        "CbDate" => record.date.set(number(value)?),
        "CbResult" => fields.result = Some(number(value)?),
        "CbMedals" => fields.medals = Some(number(value)?),
        "CbLineEvaluation" => record.line_evaluation = number(value)?,
        "CbEventDate" => tournament.date = number(value)?,
        "CbEventType" => tournament.kind = number(value)?,
        "CbEventNation" => tournament.nation = number(value)?,
        "CbEventFlags" => tournament.flags = number(value)?,
        "CbEventTeam" | "CbEventUnknown75" => tournament.team |= number::<u8>(value)?,
        "CbEventLatitude" => return degrees(value, &mut tournament.latitude),
        "CbEventLongitude" => return degrees(value, &mut tournament.longitude),
        "Cb2EventNationNow" => tournament.nation_now = number(value)?,
        "Cb2EventUnknown21" => hex(value, &mut tournament.unknown)?,
        "CbEventTieBreaks" => {
            let rules = value.split_whitespace().map(|rule| {
                let rule = number(rule)?;
                tie_break_of_classic(rule).ok_or(DoesNotFit)
            });
            tournament.tie_breaks = at_most_100(rules.collect::<Result<_, _>>()?)?;
        }
        "Cb2EventTieBreaks" => {
            let rules = value.split_whitespace().map(number);
            tournament.tie_breaks = at_most_100(rules.collect::<Result<_, _>>()?)?;
        }
        "CbEventEndDate" => {
            let mut exact = Ok(());
            tournament.end_date = date(value, &mut exact);
            return exact;
        }
        "CbEventEndDateRaw" => tournament.end_date = number(value)?,
        "CbSourceDate" => names.source.publication = number(value)?,
        "CbSourceVersionDate" => names.source.date = number(value)?,
        "CbWhiteTeamNation" | "CbBlackTeamNation" => {
            team(tag, names).fields.nation = number(value)?;
        }
        "CbWhiteTeamNumber" | "CbBlackTeamNumber" => {
            team(tag, names).fields.number = number(value)?;
        }
        "CbWhiteTeamYear" | "CbBlackTeamYear" => team(tag, names).fields.year = number(value)?,
        "CbWhiteTeamSeason" | "CbBlackTeamSeason" => {
            team(tag, names).fields.season = number(value)?;
        }
        "Cb2WhiteNumber" | "Cb2BlackNumber" => player(tag, names).number = Some(number(value)?),
        "CbWhiteRating" => record.white_rating = classic(value)?,
        "CbBlackRating" => record.black_rating = classic(value)?,
        "Cb2WhiteRating" => hex(value, &mut record.white_rating)?,
        "Cb2BlackRating" => hex(value, &mut record.black_rating)?,
        "Cb2Endgames" => hex(value, &mut record.endgames)?,
        "Cb2Scores" => hex(value, &mut record.scores)?,
        "Cb2Unknown1" => {
            let mut byte = [0];
            hex(value, &mut byte)?;
            [record.unknown_1] = byte;
        }
        "Cb2Kind" => {
            let mut bytes = [0; 3];
            hex(value, &mut bytes)?;
            fields.kind = Some(bytes);
        }
        "Cb2Unknown4" => hex(value, &mut record.unknown_4)?,
        "Cb2Unknown148" => hex(value, &mut record.unknown_148)?,
        "Cb2Unknown174" => hex(value, &mut record.unknown_174)?,
        "Cb2Unknown182" => hex(value, &mut record.unknown_182)?,
        "Cb2Unknown68" => hex(value, &mut fields.text_unknown)?,
        "Cb2Unknown48" => hex(value, &mut fields.analysis_unknown)?,
        "Cb2Media" => fields.media = number(value)?,
        "CbVersion" => record.version.set(number(value)?),
        "CbCreated" => {
            let created = timestamps::Created::parse(value).ok_or(DoesNotFit)?;
            creation.coarse = Some(created.0);
        }
        "Cb2CreatedTicks" => {
            let ticks = number::<u64>(value)?;
            let is_fraction = ticks < 1 << TIME_SHIFT;
            creation.ticks = Some(is_fraction.then_some(ticks).ok_or(DoesNotFit)?);
        }
        "Cb2Created" => creation.raw = Some(number(value)?),
        "CbSaved" => {
            let saved = timestamps::Saved::parse(value).ok_or(DoesNotFit)?;
            record
                .changed
                .set(i64::try_from(saved.0).map_err(|_| DoesNotFit)?);
        }
        "CbSavedRaw" | "Cb2Changed" => record.changed.set(number(value)?),
        // The encoder of moves reads it.
        "CbChess960" => {
            start_number(value)?;
        }
        _ => {
            let index = GAME_TAG_NAMES.iter().position(|&other| other == tag);
            let nation = match index {
                Some(index) => TITLE_NATIONS.get(index).copied(),
                None => tag
                    .strip_prefix("Cb2GameTag")
                    .and_then(|nation| nation.parse().ok()),
            };
            names.titles.push((nation.ok_or(DoesNotFit)?, value));
        }
    }
    Ok(())
}

fn team<'n, 't>(tag: &str, names: &'n mut Names<'t>) -> &'n mut TeamName<'t> {
    let [white, black] = &mut names.teams;
    let side = if tag.contains("White") { white } else { black };
    side.get_or_insert_default()
}

fn player<'n, 't>(tag: &str, names: &'n mut Names<'t>) -> &'n mut PlayerName<'t> {
    let [white, black] = &mut names.players;
    if tag.contains("White") { white } else { black }
}

/// The type of a rating by that of `.cbj`.
fn classic(value: &str) -> Result<[u8; 14], DoesNotFit> {
    rating_of_classic(&rating(value)?).ok_or(DoesNotFit)
}

/// Stores degrees in fewer bits; an error if others are read again.
fn degrees(value: &str, stored: &mut u32) -> Result<(), DoesNotFit> {
    let degrees: f32 = number(value)?;
    *stored = degrees.to_bits();
    if degrees.to_string() == value {
        Ok(())
    } else {
        Err(DoesNotFit)
    }
}

fn at_most_100(rules: Vec<u16>) -> Result<Vec<u16>, DoesNotFit> {
    if rules.len() > 100 {
        return Err(DoesNotFit);
    }
    Ok(rules)
}
