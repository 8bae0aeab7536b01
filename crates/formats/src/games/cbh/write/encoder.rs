//! Games and texts to drafts, on any thread.

use tabia_core::chess::{Color, Setup};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{Annotation, Event, Game, RecordKind, TextKind};
use tabia_core::games::GameEncoder;
use tabia_core::io::Charset;
use tabia_core::loss::{Feature, Losses};
use zerocopy::IntoBytes;

use super::annotation_anchors;
use super::encoded_record;
use super::header_fields::{TagReader, is_chess960, is_unknown};
use super::set_files::media_text;
use crate::games::cbh::annotations;
use crate::games::cbh::annotations::{CBH, Items, foreign};
use crate::games::cbh::charset::TextForm;
use crate::games::cbh::content_summary::{Contents, MoveSummary};
use crate::games::cbh::field_codecs::{CHESS960_ECO, encode_result};
use crate::games::cbh::guiding_texts;
use crate::games::cbh::moves;
use crate::games::cbh::records::{
    GameRecord, MovesHead, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TextRecord, U24,
};

/// Encodes records on one thread.
#[derive(Debug)]
pub(super) struct RecordEncoder {
    charset: Charset,
    form: TextForm,
    moves: moves::Encoder,
    annotations: annotations::Encoder,
}

impl RecordEncoder {
    pub(super) fn new(charset: Charset) -> Self {
        let form = match charset {
            Charset::Single(page) => TextForm {
                page: Some(page),
                ..TextForm::UTF8
            },
            _ => TextForm::UTF8,
        };
        Self {
            charset,
            form,
            moves: moves::Encoder::new(),
            annotations: annotations::Encoder::new(form),
        }
    }

    fn game(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut facts = TagReader::new(self.charset, losses).read(&game.head.tags);
        let bare;
        let (game, moves) = match self.moves.encode(game) {
            Ok(moves) => (game, moves),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                // The position does not fit, so neither moves nor what is said about them do.
                losses.add(Feature::SetupPositions, 1, None);
                bare = without_moves(game);
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) if matches!(error.kind(), ErrorKind::Invalid(_)) => {
                // A move that cannot be played costs its game's moves, not the file.
                losses.add(Feature::UnreadMoves, 1, None);
                bare = without_moves(game);
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) => return Err(error),
        };
        let tags = &game.head.tags;
        losses.add(Feature::Tags, game.result.lost_tags(tags), None);
        let plies = moves.mainline.to_string();
        let is_wrong = |name: &str, value: &str| match name {
            "FEN" => game.head.start.contradicts(value),
            "Variant" => is_chess960(value) && !moves.is_chess960,
            "PlyCount" => value != plies && !is_unknown(value),
            _ => false,
        };
        let wrong = tags.iter().filter(|(name, value)| is_wrong(name, value));
        losses.add(Feature::Tags, wrong.count() as u64, None);
        if game.has_variations() {
            losses.add(Feature::Variations, empty_variations(game), None);
        }
        if !moves.is_start_exact {
            losses.add(Feature::HeaderFacts, 1, None);
        }
        self.annotations.clear();
        let mut header_medals = facts.medals;
        let placed = if game.has_annotations() {
            annotation_anchors::annotations(game, moves.stored, |annotation| {
                losses.add(annotation.feature(), 1, None);
            })
        } else {
            Vec::new()
        };
        for (position, annotation) in placed {
            if let Annotation::Foreign(part) = annotation {
                if part.is_unread_moves() {
                    losses.add(Feature::UnreadMoves, 1, None);
                    continue;
                }
                if part.format == CBH && part.kind == foreign::HEADER_MEDALS {
                    if let &[high, low] = part.bytes {
                        header_medals = Some(u16::from(high) << 8 | u16::from(low));
                    }
                    continue;
                }
            }
            if let Some(lost) = self.annotations.push(position, &annotation) {
                losses.add(lost, 1, None);
            }
        }
        // Its number is known only when the records are put in order.
        let record = self.annotations.finish(0);
        let start = &game.head.start;
        let setup = start.setup.as_deref();
        let chess960 = moves.is_chess960;
        let facts_of_moves = MoveSummary {
            mainline: moves.mainline,
            variations: moves.variations,
            has_start: setup.is_some() || chess960,
            black_first: setup.is_some_and(|setup| setup.turn == Color::Black),
            unorthodox: chess960,
        };
        let items = record.and_then(|record| Items::new(record).ok());
        let contents = Contents::of(facts_of_moves, items.into_iter().flatten().flatten());
        if chess960 && let Some(start_number) = setup.map_or(Some(518), Setup::chess960_number) {
            if facts.eco != 0 {
                losses.add(Feature::Tags, 1, None);
            }
            facts.eco = CHESS960_ECO + start_number;
        }
        let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
        let kind = facts.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED & !TYPE_TEXT;
        let header = GameRecord {
            kind: kind | deleted,
            moves_at: 0.into(),
            annotations_at: 0.into(),
            white: U24::new(0),
            black: U24::new(0),
            tournament: U24::new(0),
            annotator: U24::new(0),
            source: U24::new(0),
            date: U24::new(facts.date),
            result: facts.result.unwrap_or_else(|| encode_result(game.result)),
            line_evaluation: facts.line_evaluation,
            round: facts.round,
            sub_round: facts.sub_round,
            white_elo: facts.white_elo.into(),
            black_elo: facts.black_elo.into(),
            eco: facts.eco.into(),
            medals: header_medals.unwrap_or(contents.medals).into(),
            flags: contents.flags.into(),
            magnitudes: contents.magnitudes.into(),
            move_count: contents.move_count,
        };
        let header = zerocopy::transmute!(header);
        let annotations = record.unwrap_or_default();
        encoded_record::write(header, &facts, moves.record, annotations, &[], out);
        Ok(())
    }

    fn text(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut facts = TagReader::new(self.charset, losses).read(&game.head.tags);
        let of_games =
            game.head.tags.iter().filter(|(name, value)| {
                OF_GAMES.contains(name) && !is_unknown(value) && *value != "*"
            });
        losses.add(Feature::Tags, of_games.count() as u64, None);
        let mut text = guiding_texts::Encoder::default();
        let mut whole = None;
        let mut names = Vec::new();
        for event in game.events() {
            match event {
                Event::Annotation(Annotation::Text(part)) if part.kind == TextKind::File => {
                    names.push(part.text);
                    if part.language != ANY_LANGUAGE {
                        losses.add(Feature::Languages, 1, None);
                    }
                }
                Event::Annotation(Annotation::Foreign(part))
                    if part.format == CBH && part.kind == foreign::TEXT_BODY =>
                {
                    whole = Some(part.bytes.to_vec());
                }
                Event::Annotation(annotation @ (Annotation::Text(_) | Annotation::Foreign(_))) => {
                    text.push(&annotation);
                }
                Event::Annotation(annotation) => losses.add(annotation.feature(), 1, None),
                Event::Move(_) => losses.add(Feature::UnreadMoves, 1, None),
                Event::BeginVariation | Event::EndVariation => {}
            }
        }
        let body = match whole {
            Some(body) => framed(body),
            None => text.finish(self.form),
        };
        let body = body.ok_or_else(|| Error::invalid("the text is too long"))?;
        let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
        let kind = facts.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED;
        let header = TextRecord {
            kind: kind | TYPE_TEXT | deleted,
            body_at: 0.into(),
            unknown_5: facts.text_unknown_5,
            tournament: U24::new(0),
            source: U24::new(0),
            annotator: U24::new(0),
            round: facts.round,
            sub_round: facts.sub_round,
            flags: facts.text_flags.into(),
            unknown_22: facts.text_unknown_22,
        };
        let media = if names.is_empty() {
            None
        } else {
            let media = media_text(&names);
            if media.is_none() {
                losses.add(Feature::Media, names.len() as u64, None);
            }
            media
        };
        facts.top_game = 0;
        let header = zerocopy::transmute!(header);
        let media = media.unwrap_or_default();
        encoded_record::write(header, &facts, &body, &[], media.as_bytes(), out);
        Ok(())
    }
}

impl GameEncoder for RecordEncoder {
    fn encode(&mut self, game: &Game, out: &mut Vec<u8>) -> Result<Losses> {
        let mut losses = Losses::new();
        match game.head.kind {
            RecordKind::Game => self.game(game, out, &mut losses)?,
            RecordKind::Text => self.text(game, out, &mut losses)?,
        }
        Ok(losses)
    }
}

/// The language that names of files have.
const ANY_LANGUAGE: u16 = 7;

/// Tags for which only games have fields.
const OF_GAMES: [&str; 14] = [
    "White",
    "Black",
    "Date",
    "Result",
    "ECO",
    "WhiteElo",
    "BlackElo",
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    "FEN",
    "Variant",
    "PlyCount",
];

/// Variations without moves, which have no place.
fn empty_variations(game: &Game) -> u64 {
    let mut is_fresh = false;
    let mut count = 0;
    for event in game.events() {
        match event {
            Event::BeginVariation => is_fresh = true,
            Event::Move(_) => is_fresh = false,
            Event::EndVariation => {
                count += u64::from(is_fresh);
                is_fresh = false;
            }
            Event::Annotation(_) => {}
        }
    }
    count
}

/// The game's head and what is said about the game, without its start, moves and their
/// annotations.
fn without_moves(game: &Game) -> Game {
    let mut bare = Game::new();
    let mut recorder = bare.recorder();
    let mut head = game.head.clone();
    head.start = tabia_core::game::Start::default();
    let _ = tabia_core::game::Visitor::begin_game(&mut recorder, tabia_core::GameIndex(0), &head);
    for event in game.events() {
        let Event::Annotation(annotation) = event else {
            break;
        };
        let _ = tabia_core::game::Visitor::visit_annotation(&mut recorder, annotation);
    }
    tabia_core::game::Visitor::end_game(&mut recorder, game.result);
    bare
}

/// The record of a text that was kept as it is. One that was cut says how long it is now, so that the
/// next does not seem to lie in it. `None` when it is too large.
fn framed(mut body: Vec<u8>) -> Option<Vec<u8>> {
    if body.len() < MovesHead::SIZE {
        body.resize(MovesHead::SIZE, 0);
    }
    let size = u32::try_from(body.len()).ok().filter(|&it| it < 1 << 24)?;
    if let Some(head) = body.get_mut(1..MovesHead::SIZE) {
        head.copy_from_slice(U24::new(size).as_bytes());
    }
    Some(body)
}
