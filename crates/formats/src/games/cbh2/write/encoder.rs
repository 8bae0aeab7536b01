//! Encodes games, texts and analyses as records, on any thread.

use tabia_core::chess::{Color, Setup};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{Annotation, Event, Game, GameResult, RecordKind, TextKind};
use tabia_core::games::GameEncoder;
use tabia_core::io::Sink;
use tabia_core::loss::{Feature, Losses};
use zerocopy::{FromZeros, IntoBytes};

use super::encoded_record;
use super::header_fields::{HeaderFields, TagReader};
use super::moves::{EncodedMoves, MAX_CONTENT, MovesEncoder, storable_part};
use crate::games::cbh::annotations::kind;
use crate::games::cbh::content_summary::{Contents, MoveSummary};
use crate::games::cbh::field_codecs::{CHESS960_ECO, encode_result};
use crate::games::cbh::tags::parse_values::states_nothing;
use crate::games::cbh::write::game_losses::{GAME_ONLY_TAGS, MovesSummary, count_losses};
use crate::games::cbh::write::{annotation_anchors, clock_conversion};
use crate::games::cbh2::annotations::game_annotations::GameAnnotations;
use crate::games::cbh2::annotations::{self, FORM, foreign};
use crate::games::cbh2::container::tag;
use crate::games::cbh2::format_id::ID;
use crate::games::cbh2::names::{NATIONS, put_text};
use crate::games::cbh2::records::{
    ANALYSIS, AnalysisRecord, GAME_OR_TEXT, GameRecord, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT,
    TextRecord,
};
use crate::games::cbh2::start_position::STANDARD_NUMBER;
use crate::games::cbh2::tags::{NATION, text_nation};
use crate::games::common::unread_moves_text::write_as_comment;

/// Encodes records; each thread has its own encoder.
#[derive(Debug, Default)]
pub(super) struct RecordEncoder {
    moves: MovesEncoder,
    annotations: annotations::Encoder,
}

impl RecordEncoder {
    fn game(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut fields = TagReader::new(losses).read(&game.head.tags);
        let bare;
        let (game, moves) = match self.moves.encode(game) {
            Ok(moves) => (game, moves),
            Err(error) if matches!(error.kind(), ErrorKind::Invalid(_)) => {
                // A move that cannot be played from the stored start, such as castling with the inner one of two
                // rooks, loses the rest of its line.
                bare = storable_part(game, losses);
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) => return Err(error),
        };
        let mainline = moves.mainline.len() as u32;
        let summary = MovesSummary {
            mainline,
            is_start_exact: moves.is_start_exact,
            is_chess960: moves.is_chess960,
        };
        count_losses(game, summary, losses);
        self.annotations.clear();
        put_game_tags(&fields, &mut self.annotations);
        let medals = encode_annotations(game, &moves, &fields, &mut self.annotations, losses);
        let content = self.annotations.finish();
        if content.len() > MAX_CONTENT {
            return Err(Error::new(ErrorKind::Limit {
                what: "size of a game's annotations",
                limit: MAX_CONTENT as u64,
                size: content.len() as u64,
            }));
        }
        let (annotations, _) = GameAnnotations::read(content, FORM.texts());
        let contents = contents(game, &moves, &annotations);
        if fields.medals.is_some() && !annotations.is_empty() {
            // Only a game without annotations is read with such a tag again.
            losses.add(Feature::HeaderFacts, 1, None);
            fields.medals = None;
        }
        let tag = if moves.is_chess960 {
            tag::CHESS960
        } else {
            tag::GAME
        };
        if is_analysis(game) {
            let mut header = analysis_record(game, &fields);
            put_kind(header.as_mut_bytes(), &fields, losses);
            return encoded_record::write(
                header.as_bytes(),
                tag,
                moves.content,
                content,
                &fields.names,
                out,
            );
        }
        let tags = &game.head.tags;
        let others = NOT_OF_GAMES.iter().filter(|name| tags.get(name).is_some());
        for name in others {
            losses.add_named(Feature::HeaderFacts, name, None);
        }
        let start_number = moves.start_number;
        let is_useless = start_number.is_none() && tags.get("CbChess960").is_some();
        losses.add(Feature::HeaderFacts, u64::from(is_useless), None);
        if let Some(number) = start_number.filter(|number| *number != STANDARD_NUMBER) {
            losses.add(Feature::Tags, u64::from(fields.record.eco.get() != 0), None);
            fields.record.eco.set(CHESS960_ECO + number);
        }
        let medals = medals.or(fields.medals).unwrap_or(contents.medals);
        let mut header = game_record(game, &fields, &moves, contents, medals);
        put_kind(header.as_mut_bytes(), &fields, losses);
        encoded_record::write(
            header.as_bytes(),
            tag,
            moves.content,
            content,
            &fields.names,
            out,
        )
    }

    fn text(game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut reader = TagReader::new(losses);
        let mut fields = reader.read(&game.head.tags);
        let mut titles = Vec::new();
        let mut bodies: Vec<(i32, Vec<u8>)> = Vec::new();
        let mut unread_body = None;
        let mut lost = Losses::new();
        for event in game.events() {
            match event {
                Event::Annotation(Annotation::Text(part)) => {
                    let nation = part_nation(part.language);
                    if nation.is_none() {
                        lost.add(Feature::Languages, 1, None);
                    }
                    let nation = nation.unwrap_or(0);
                    match part.kind {
                        TextKind::Title => titles.push((nation, part.text)),
                        // The layout of the list of files is unknown.
                        TextKind::File => lost.add(Feature::Media, 1, None),
                        TextKind::Plain => {
                            bodies.push((nation, html(part.text)));
                        }
                        _ => bodies.push((nation, part.text.as_bytes().to_vec())),
                    }
                }
                Event::Annotation(Annotation::Foreign(part))
                    if part.format == ID && part.kind == foreign::BODY =>
                {
                    unread_body = Some(part.bytes.to_vec());
                }
                Event::Annotation(annotation) => lost.add(annotation.feature(), 1, None),
                Event::Move(_) => lost.add(Feature::UnreadMoves, 1, None),
                Event::BeginVariation | Event::EndVariation => {}
            }
        }
        fields.names.tag = reader.titles(&titles);
        let tags = &game.head.tags;
        let only_games = tags
            .iter()
            .filter(|(name, value)| is_of_games(name) && !states_nothing(name, value));
        for (name, _) in only_games {
            let is_fact = name.starts_with("Cb");
            let feature = if is_fact {
                Feature::HeaderFacts
            } else {
                Feature::Tags
            };
            lost.add_named(feature, name, None);
        }
        losses.merge(&lost);
        let content = match unread_body {
            Some(body) => body,
            None => text_content(bodies),
        };
        if content.len() > MAX_CONTENT {
            return Err(Error::invalid("the text is too long"));
        }
        let mut header = TextRecord::new_zeroed();
        let kind = TYPE_ALWAYS | TYPE_TEXT;
        header.kind = kind | deleted(game);
        header.unknown_1 = first_bytes(&fields, GAME_OR_TEXT, kind);
        header.created = fields.record.created;
        header.media.set(fields.media);
        header.version = fields.record.version;
        header.unknown_68 = fields.text_unknown;
        put_kind(header.as_mut_bytes(), &fields, losses);
        let header = header.as_bytes();
        encoded_record::write(header, tag::TEXT, &content, &[], &fields.names, out)
    }
}

impl GameEncoder for RecordEncoder {
    fn encode(&mut self, game: &Game, out: &mut Vec<u8>) -> Result<Losses> {
        let mut losses = Losses::new();
        match game.head.kind {
            RecordKind::Game => self.game(game, out, &mut losses)?,
            RecordKind::Text => Self::text(game, out, &mut losses)?,
        }
        Ok(losses)
    }
}

/// Bytes 1 to 7 of a text or an analysis.
fn first_bytes(fields: &HeaderFields, content: u8, kind: u8) -> [u8; 7] {
    let [a, b, c, d] = fields.record.unknown_4;
    [fields.record.unknown_1, content, kind, a, b, c, d]
}

/// Puts stored bytes of the kind into a header, unless a reader would take it for a record of another type.
fn put_kind(header: &mut [u8], fields: &HeaderFields, losses: &mut Losses) {
    let (Some(stored), [kind, _, content, again, ..]) = (fields.kind, header) else {
        return;
    };
    let is_analysis = *content == ANALYSIS;
    let is_same_type = (stored[1] == ANALYSIS) == is_analysis
        && (is_analysis || (stored[0] ^ *kind) & TYPE_TEXT == 0);
    if !is_same_type || stored[0] & TYPE_DELETED != 0 {
        losses.add(Feature::HeaderFacts, 1, None);
        return;
    }
    let deleted = *kind & TYPE_DELETED;
    [*kind, *content, *again] = stored;
    *kind |= deleted;
}

/// Adds the annotations for the clocks and the time control in the tags.
fn put_game_tags(fields: &HeaderFields, encoder: &mut annotations::Encoder) {
    if let Some(control) = fields.time_control {
        encoder.push(-1, &Annotation::TimeControl(control));
    }
    let kinds = [kind::WHITE_CLOCK, kind::BLACK_CLOCK];
    for (kind, clock) in kinds.into_iter().zip(fields.clocks) {
        if let Some(clock) = clock {
            encoder.put_clock(kind, clock);
        }
    }
}

/// Encodes the annotations of a game and counts those that cannot be stored. Returns the medals of the
/// header, if an annotation contains them.
fn encode_annotations(
    game: &Game,
    moves: &EncodedMoves<'_>,
    fields: &HeaderFields,
    encoder: &mut annotations::Encoder,
    losses: &mut Losses,
) -> Option<u16> {
    if !game.has_annotations() {
        return None;
    }
    let mut header_medals = None;
    let mut anchored = annotation_anchors::annotations(game, moves.numbers, |annotation| {
        losses.add(annotation.feature(), 1, None);
    });
    // Without the times before, the first time left shows nothing of the time spent.
    let control = fields.time_control.as_ref();
    let control = control.filter(|_| game.head.start.setup.is_none());
    let ply_of = |position: i32| {
        let number = u32::try_from(position).ok()?;
        moves.mainline.binary_search(&number).ok()
    };
    let plies = moves.mainline.len();
    clock_conversion::convert(&mut anchored, plies, ply_of, control, losses);
    for (position, annotation) in anchored {
        if let Annotation::Foreign(foreign) = annotation {
            if foreign.is_unread_moves() {
                write_as_comment(&foreign, losses, |comment| encoder.push(position, comment));
                continue;
            }
            if foreign.format == ID && foreign.kind == foreign::HEADER_MEDALS {
                if let &[low, high] = foreign.bytes {
                    header_medals = Some(u16::from(high) << 8 | u16::from(low));
                }
                continue;
            }
        }
        if let Some(lost) = encoder.push(position, &annotation) {
            losses.add(lost, 1, None);
        }
    }
    header_medals
}

/// The summary of a game's moves and of its annotations.
fn contents(game: &Game, moves: &EncodedMoves<'_>, annotations: &GameAnnotations<'_>) -> Contents {
    let setup = game.head.start.setup.as_deref();
    let mainline = moves.mainline.len() as u32;
    let summary = MoveSummary {
        mainline,
        variations: moves.numbers.len() as u32 - mainline,
        has_start: setup.is_some_and(|setup| *setup != Setup::standard()) || moves.is_chess960,
        black_first: setup.is_some_and(|setup| setup.turn == Color::Black),
        unorthodox: moves.is_chess960,
    };
    Contents::of(summary, annotations.summaries())
}

/// Bits of the magnitudes that ChessBase leaves empty in new databases: that of variations.
pub(in crate::games::cbh2) const UNUSED_MAGNITUDES: u16 = 3;

/// The header of a game.
fn game_record(
    game: &Game,
    fields: &HeaderFields,
    moves: &EncodedMoves<'_>,
    contents: Contents,
    medals: u16,
) -> GameRecord {
    let mut record = fields.record;
    record.kind = TYPE_ALWAYS | deleted(game);
    record.content = GAME_OR_TEXT;
    record.kind_again = TYPE_ALWAYS;
    record.result = fields.result.unwrap_or_else(|| encode_result(game.result));
    record.medals.set(medals);
    record.flags.set(contents.flags);
    record
        .magnitudes
        .set(contents.magnitudes & !UNUSED_MAGNITUDES);
    record
        .move_count
        .set(contents.move_count.min(i16::MAX as u32) as u16);
    let [strong, weak] = moves.material;
    record.material_strong.set(strong.into());
    record.material_weak.set(weak.into());
    record
}

/// The header of an analysis.
fn analysis_record(game: &Game, fields: &HeaderFields) -> AnalysisRecord {
    let mut record = AnalysisRecord::new_zeroed();
    record.kind = TYPE_ALWAYS | deleted(game);
    record.unknown_1 = first_bytes(fields, ANALYSIS, TYPE_ALWAYS);
    record.unknown_48 = fields.analysis_unknown;
    record
}

fn deleted(game: &Game) -> u8 {
    if game.head.deleted { TYPE_DELETED } else { 0 }
}

/// Whether a game is an analysis and has no properties that only games have.
fn is_analysis(game: &Game) -> bool {
    let tags = &game.head.tags;
    let is_blank = |value: &str| value.chars().all(|c| "?.*-".contains(c));
    let is_of_analyses = |name: &str| {
        let prefixes = ["CbGameTag", "Cb2GameTag", "CbSource", "Source"];
        matches!(
            name,
            "Annotator"
                | "SetUp"
                | "FEN"
                | "Variant"
                | "PlyCount"
                | "TimeControl"
                | "WhiteClock"
                | "BlackClock"
                | "Cb2Content"
                | "Cb2Kind"
                | "Cb2Unknown1"
                | "Cb2Unknown4"
                | "Cb2Unknown48"
        ) || prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    tags.get("Cb2Content") == Some("analysis")
        && game.result == GameResult::Unknown
        && tags
            .iter()
            .all(|(name, value)| is_of_analyses(name) || is_blank(value))
}

/// Whether a tag has a field in headers of games and none in those of texts.
fn is_of_games(name: &str) -> bool {
    const NAMES: [&str; 20] = [
        "CbChess960",
        "CbSavedRaw",
        "Round",
        "Board",
        "WhiteFideId",
        "BlackFideId",
        "CbResult",
        "CbDate",
        "CbEco",
        "CbEcoSub",
        "CbMedals",
        "CbLineEvaluation",
        "CbSaved",
        "Cb2Changed",
        "Cb2Content",
        "Cb2Endgames",
        "Cb2Scores",
        "Cb2Unknown148",
        "Cb2Unknown174",
        "Cb2Unknown182",
    ];
    const PREFIXES: [&str; 7] = [
        "CbWhite",
        "CbBlack",
        "Cb2White",
        "Cb2Black",
        "Cb2Unknown48",
        "CbGameTag",
        "Cb2GameTag",
    ];
    GAME_ONLY_TAGS.contains(&name)
        || NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Tags with a field in headers of texts or analyses and none in those of games.
const NOT_OF_GAMES: [&str; 4] = ["Cb2Content", "Cb2Media", "Cb2Unknown48", "Cb2Unknown68"];

/// The nation of a text by its language; `None` if it has none.
fn part_nation(language: u16) -> Option<i32> {
    if language & NATION != 0 {
        return Some(i32::from(language & !NATION));
    }
    text_nation(language)
}

/// Plain text as HTML, which is what a body contains.
fn html(text: &str) -> Vec<u8> {
    let mut marked = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => marked.push_str("&amp;"),
            '<' => marked.push_str("&lt;"),
            '>' => marked.push_str("&gt;"),
            '\n' => marked.push_str("<br>"),
            c => marked.push(c),
        }
    }
    marked.into_bytes()
}

/// The content of a text's record: the bodies by nation, with one for each of ChessBase's languages.
fn text_content(mut bodies: Vec<(i32, Vec<u8>)>) -> Vec<u8> {
    let is_absent = |nation: &i32| bodies.iter().all(|(other, _)| other != nation);
    let absent: Vec<i32> = NATIONS.into_iter().filter(is_absent).collect();
    bodies.extend(absent.into_iter().map(|nation| (nation, Vec::new())));
    bodies.sort_by_key(|(nation, _)| *nation);
    let mut sink = Sink::new();
    sink.u16_le(TEXT_VERSION);
    sink.u32_le(0);
    sink.u32_le(bodies.len() as u32);
    for (nation, body) in &bodies {
        sink.i32_le(*nation);
        put_text(body, &mut sink);
    }
    let size = sink.len() - 6;
    sink.patch_u32_le(2, size as u32);
    sink.into_vec()
}

/// The version of texts.
const TEXT_VERSION: u16 = 5;
