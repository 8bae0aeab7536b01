//! Encodes games and texts as records, on any thread.

use tabia_core::chess::{Color, Setup};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::game::{Annotation, Event, Game, RecordKind, Start, TextKind, TimeControl};
use tabia_core::games::GameEncoder;
use tabia_core::io::Charset;
use tabia_core::loss::{Feature, Losses};
use zerocopy::IntoBytes;

use super::annotation_anchors;
use super::clock_conversion;
use super::encoded_record;
use super::game_losses::{GAME_ONLY_TAGS, MovesSummary, count_losses};
use super::header_fields::{HeaderFields, TagReader};
use super::set_files::media_text;
use crate::games::cbh::annotations;
use crate::games::cbh::annotations::{Items, foreign, kind};
use crate::games::cbh::charset::TextForm;
use crate::games::cbh::content_summary::{Contents, MoveSummary};
use crate::games::cbh::field_codecs::{CHESS960_ECO, encode_result};
use crate::games::cbh::format_id::ID;
use crate::games::cbh::guiding_texts;
use crate::games::cbh::moves;
use crate::games::cbh::records::{
    GameRecord, MovesHead, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TextRecord, U24,
};
use crate::games::cbh::stored_texts::{StoredTexts, is_stored_texts};
use crate::games::cbh::tags::parse_values::states_nothing;
use crate::games::common::playable_part::playable_part;
use crate::games::common::unread_moves_text::write_as_comment;

/// Encodes records; each thread has its own encoder.
#[derive(Debug)]
pub(super) struct RecordEncoder {
    charset: Charset,
    form: TextForm,
    /// Whether texts of other databases of the format are written as they are stored there.
    copies_texts: bool,
    moves: moves::Encoder,
    annotations: annotations::Encoder,
}

impl RecordEncoder {
    /// An encoder of new texts in `charset`.
    pub(super) fn new(charset: Charset, copies_texts: bool) -> Self {
        let form = TextForm::of(charset);
        Self {
            charset,
            form,
            copies_texts,
            moves: moves::Encoder::new(),
            annotations: annotations::Encoder::new(form),
        }
    }

    /// The texts of a game as they are stored in the database that it comes from, unless another character
    /// set was asked for.
    fn stored_texts(&self, game: &Game) -> StoredTexts {
        if self.copies_texts {
            StoredTexts::of(game)
        } else {
            StoredTexts::default()
        }
    }

    fn game(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut stored = self.stored_texts(game);
        let mut fields = TagReader::new(self.charset, &mut stored, losses).read(&game.head.tags);
        let bare;
        let (game, moves) = match self.moves.encode(game) {
            Ok(moves) => (game, moves),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                // The start position does not fit, so the moves and their annotations are lost too.
                losses.add(Feature::SetupPositions, 1, None);
                let mut part = playable_part(game, None, |_, _| false, losses);
                part.head.start = Start::default();
                bare = part;
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) if matches!(error.kind(), ErrorKind::Invalid(_)) => {
                // An illegal move loses the rest of its line, not the file.
                bare = moves::storable_part(game, losses);
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) => return Err(error),
        };
        let summary = MovesSummary {
            mainline: moves.mainline,
            is_start_exact: moves.is_start_exact,
            is_chess960: moves.is_chess960,
        };
        count_losses(game, summary, losses);
        self.annotations.clear();
        self.annotations.set_stored_texts(stored);
        let medals = {
            put_game_tags(&fields, &mut self.annotations);
            let control = fields.time_control.as_ref();
            encode_annotations(game, &moves, control, &mut self.annotations, losses)
        };
        fields.medals = medals.or(fields.medals);
        // The game's number is filled in when the record is appended.
        let differing = self.annotations.take_stored_texts().differing();
        let annotations = self.annotations.finish(0).unwrap_or_default();
        let contents = contents(game, &moves, annotations);
        let setup = game.head.start.setup.as_deref();
        let start_number = fields.start_number.take();
        if !moves.is_chess960 {
            losses.add(
                Feature::HeaderFacts,
                u64::from(start_number.is_some()),
                None,
            );
        } else if let Some(start_number) =
            start_number.or_else(|| setup.map_or(Some(518), Setup::chess960_number))
        {
            if fields.eco != 0 {
                losses.add(Feature::Tags, 1, None);
            }
            fields.eco = CHESS960_ECO + start_number;
        }
        let header = zerocopy::transmute!(game_record(game, &fields, contents));
        let parts = encoded_record::Parts {
            moves: moves.record,
            annotations,
            media: &[],
            differing,
        };
        encoded_record::write(header, &fields, parts, out);
        Ok(())
    }

    fn text(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> Result<()> {
        let mut stored = self.stored_texts(game);
        let mut fields = TagReader::new(self.charset, &mut stored, losses).read(&game.head.tags);
        let game_tags =
            game.head.tags.iter().filter(|(name, value)| {
                GAME_ONLY_TAGS.contains(name) && !states_nothing(name, value)
            });
        for (name, _) in game_tags {
            losses.add_named(Feature::Tags, name, None);
        }
        let mut text = guiding_texts::Encoder::default();
        let mut unread_body = None;
        let mut names = Vec::new();
        for event in game.events() {
            match event {
                Event::Annotation(annotation) if is_stored_texts(&annotation) => {}
                Event::Annotation(Annotation::Text(part)) if part.kind == TextKind::File => {
                    names.push(part.text);
                    if part.language != ANY_LANGUAGE {
                        losses.add(Feature::Languages, 1, None);
                    }
                }
                Event::Annotation(Annotation::Foreign(part))
                    if part.format == ID && part.kind == foreign::TEXT_BODY =>
                {
                    if guiding_texts::has_newer_version(part.bytes) {
                        unread_body = Some(part.bytes.to_vec());
                    } else {
                        // A damaged text: the parts before the damage are written.
                        losses.add(Feature::Foreign, 1, None);
                    }
                }
                Event::Annotation(annotation @ (Annotation::Text(_) | Annotation::Foreign(_))) => {
                    text.push(&annotation);
                }
                Event::Annotation(annotation) => losses.add(annotation.feature(), 1, None),
                Event::Move(_) => losses.add(Feature::UnreadMoves, 1, None),
                Event::BeginVariation | Event::EndVariation => {}
            }
        }
        let body = if let Some(body) = unread_body {
            with_size(body)
        } else {
            let record = stored.record(|record, texts| text.is_in(record, texts));
            record.or_else(|| text.finish(self.form))
        };
        let body = body.ok_or_else(|| Error::invalid("the text is too long"))?;
        let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
        let kind = fields.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED;
        let header = TextRecord {
            kind: kind | TYPE_TEXT | deleted,
            body_at: 0.into(),
            unknown_5: fields.text_unknown_5,
            tournament: U24::new(0),
            source: U24::new(0),
            annotator: U24::new(0),
            round: fields.round,
            sub_round: fields.sub_round,
            flags: fields.text_flags.into(),
            unknown_22: fields.text_unknown_22,
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
        fields.top_game = 0;
        let header = zerocopy::transmute!(header);
        let media = media.unwrap_or_default();
        let parts = encoded_record::Parts {
            moves: &body,
            annotations: &[],
            media: media.as_bytes(),
            differing: stored.differing(),
        };
        encoded_record::write(header, &fields, parts, out);
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

/// Encodes the annotations of a game and counts those that cannot be stored. Returns the medals of
/// the header, if an annotation contains them.
fn encode_annotations(
    game: &Game,
    moves: &moves::Encoded<'_>,
    control: Option<&TimeControl>,
    encoder: &mut annotations::Encoder,
    losses: &mut Losses,
) -> Option<u16> {
    if !game.has_annotations() {
        return None;
    }
    let mut header_medals = None;
    let mut anchored = annotation_anchors::annotations(game, moves.stored, |annotation| {
        losses.add(annotation.feature(), 1, None);
    });
    // Without the times before, the first time left shows nothing of the time spent.
    let control = control.filter(|_| game.head.start.setup.is_none());
    let ply_of = |position: i32| {
        let ply = u32::try_from(position).ok()?;
        (ply < moves.mainline).then_some(ply as usize)
    };
    let plies = moves.mainline as usize;
    clock_conversion::convert(&mut anchored, plies, ply_of, control, losses);
    for (position, annotation) in anchored {
        if is_stored_texts(&annotation) {
            continue;
        }
        if let Annotation::Foreign(foreign) = annotation {
            if foreign.is_unread_moves() {
                write_as_comment(&foreign, losses, |comment| encoder.push(position, comment));
                continue;
            }
            if foreign.format == ID && foreign.kind == foreign::HEADER_MEDALS {
                if let &[high, low] = foreign.bytes {
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

/// The summary of a game's moves and of its annotation record, which may be empty.
fn contents(game: &Game, moves: &moves::Encoded<'_>, annotations: &[u8]) -> Contents {
    let setup = game.head.start.setup.as_deref();
    let summary = MoveSummary {
        mainline: moves.mainline,
        variations: moves.variations,
        has_start: setup.is_some() || moves.is_chess960,
        black_first: setup.is_some_and(|setup| setup.turn == Color::Black),
        unorthodox: moves.is_chess960,
    };
    let items = Items::new(annotations).ok();
    let items = items.into_iter().flatten().flatten();
    Contents::of(summary, items.map(Into::into))
}

/// The header of a game; offsets and name ids are filled in when the record is appended.
fn game_record(game: &Game, fields: &HeaderFields, contents: Contents) -> GameRecord {
    let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
    let kind = fields.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED & !TYPE_TEXT;
    let result = fields.result;
    GameRecord {
        kind: kind | deleted,
        moves_at: 0.into(),
        annotations_at: 0.into(),
        white: U24::new(0),
        black: U24::new(0),
        tournament: U24::new(0),
        annotator: U24::new(0),
        source: U24::new(0),
        date: U24::new(fields.date),
        result: result.unwrap_or_else(|| encode_result(game.result)),
        line_evaluation: fields.line_evaluation,
        round: fields.round,
        sub_round: fields.sub_round,
        white_elo: fields.white_elo.into(),
        black_elo: fields.black_elo.into(),
        eco: fields.eco.into(),
        medals: fields.medals.unwrap_or(contents.medals).into(),
        flags: contents.flags.into(),
        magnitudes: contents.magnitudes.into(),
        move_count: contents.short_move_count(),
    }
}

/// The language number of the names of files.
const ANY_LANGUAGE: u16 = 7;

/// Sets the size in the head of an unread text, because a text that was cut off states its old size
/// and would overlap the next record. `None` if it is too large.
fn with_size(mut body: Vec<u8>) -> Option<Vec<u8>> {
    if body.len() < MovesHead::SIZE {
        body.resize(MovesHead::SIZE, 0);
    }
    let size = u32::try_from(body.len())
        .ok()
        .filter(|&size| size < 1 << 24)?;
    if let Some(head) = body.get_mut(1..MovesHead::SIZE) {
        head.copy_from_slice(U24::new(size).as_bytes());
    }
    Some(body)
}
