//! Encodes annotations as items, byte for byte as they were decoded.

use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Foreign, Media, MediaKind,
    Score, Shape,
};
use tabia_core::io::{Charset, Sink};
use tabia_core::loss::Feature;

use super::items::{foreign, kind, web_link_texts};
use super::shapes::{EncodedShape, encode_shape};
use super::{quotation, training};
use crate::games::cbh::charset::{TextForm, Texts, encode_text};
use crate::games::cbh::field_codecs::{decode_language, encode_language};
use crate::games::cbh::format_id::ID;
use crate::games::cbh::records::{ANNOTATIONS_MARK, AnnotationsHead, ItemHead};
use crate::games::cbh::stored_texts::StoredTexts;

/// Builds the annotation record of one game. Annotations are added in ascending order of position;
/// those of one position in the order in which they are to be read again.
#[derive(Debug)]
pub struct Encoder {
    form: TextForm,
    stored: StoredTexts,
    record: Sink,
    count: u32,
    open: Option<OpenItem>,
    /// NAGs of the move `nags_position` that are not written yet.
    nags: Vec<u8>,
    nags_position: i32,
    text: Vec<u8>,
}

/// The last item, while it may still grow.
#[derive(Debug, Clone, Copy)]
struct OpenItem {
    /// Its offset in the record.
    at: usize,
    position: i32,
    kind: u8,
}

impl Encoder {
    /// An encoder that writes texts in this form.
    pub fn new(form: TextForm) -> Self {
        let mut encoder = Self {
            form,
            stored: StoredTexts::default(),
            record: Sink::new(),
            count: 0,
            open: None,
            nags: Vec::new(),
            nags_position: 0,
            text: Vec::new(),
        };
        encoder.clear();
        encoder
    }

    /// Empties the record and keeps its buffers.
    pub fn clear(&mut self) {
        self.record.clear();
        self.record.zeros(AnnotationsHead::SIZE);
        self.count = 0;
        self.open = None;
        self.nags.clear();
    }

    /// Changes the form of texts from here on.
    pub fn set_form(&mut self, form: TextForm) {
        self.form = form;
    }

    /// Sets the texts of the next annotations that are written as they are stored.
    pub(crate) fn set_stored_texts(&mut self, stored: StoredTexts) {
        self.stored = stored;
    }

    /// The stored texts, which know how many of them were used.
    pub(crate) fn take_stored_texts(&mut self) -> StoredTexts {
        std::mem::take(&mut self.stored)
    }

    /// Completes the record of the game with this number (from 1); `None` if nothing was added.
    pub fn finish(&mut self, game: u32) -> Option<&[u8]> {
        self.write_nags();
        self.close();
        if self.count == 0 {
            return None;
        }
        let size = u32::try_from(self.record.len()).ok()?;
        self.record.patch_u24_be(0, game);
        self.record.patch(3, &ANNOTATIONS_MARK);
        self.record.patch_u24_be(7, self.count + 1);
        self.record.patch_u32_be(10, size);
        Some(self.record.as_slice())
    }

    /// Adds a clock at the end of the game, in hundredths of a second.
    pub(crate) fn put_clock(&mut self, kind: u8, hundredths: i32) {
        let mut data = Sink::new();
        data.i32_be(hundredths);
        self.item(-1, kind, data.as_slice());
    }

    /// Adds an annotation; `position` is −1 for the game, else the number of the move in stored
    /// order. Returns what could not be stored, if anything.
    pub fn push(&mut self, position: i32, annotation: &Annotation<'_>) -> Option<Feature> {
        match annotation {
            Annotation::Nag(nag) => return self.nag(position, nag.0),
            Annotation::Shape(shape) => return self.shape(position, *shape),
            Annotation::Comment(comment) => return self.comment(position, comment),
            Annotation::Foreign(foreign) => return self.foreign(position, foreign),
            _ => {}
        }
        if let Some((kind, data)) = self.stored_item(annotation) {
            return self.item(position, kind, &data);
        }
        let mut data = Sink::new();
        let kind = match self.data(annotation, &mut data) {
            Ok(kind) => kind,
            Err(lost) => return Some(lost),
        };
        let loss = self.partial_loss(annotation, data.as_slice());
        self.item(position, kind, data.as_slice()).or(loss)
    }

    /// The kind and data of an annotation with several texts, as it is stored in the database that it comes
    /// from.
    fn stored_item(&mut self, annotation: &Annotation<'_>) -> Option<(u8, Vec<u8>)> {
        let stored = &mut self.stored;
        let (kind, data) = match annotation {
            Annotation::Training(training) => {
                let is_same = |data: &[u8], texts: Texts| {
                    training::decode(data, texts).as_ref() == Some(training)
                };
                (kind::TRAINING, stored.item(kind::TRAINING, is_same))
            }
            Annotation::Quotation(quotation) => {
                let is_same = |data: &[u8], texts: Texts| {
                    quotation::decode(data, texts).as_ref() == Some(quotation)
                };
                (kind::QUOTATION, stored.item(kind::QUOTATION, is_same))
            }
            Annotation::WebLink(link) => {
                let is_same = |data: &[u8], texts: Texts| {
                    web_link_texts(data).is_some_and(|[url, caption]| {
                        texts.is_text(url, 0, link.url) && texts.is_text(caption, 0, link.caption)
                    })
                };
                (kind::WEB_LINK, stored.item(kind::WEB_LINK, is_same))
            }
            Annotation::Media(media) if media.kind == MediaKind::Video => {
                let is_same = |data: &[u8], texts: Texts| {
                    matches!(data, [1, language, text @ ..]
                        if decode_language(*language) == media.language
                            && texts.is_text(text, 0, media.text))
                };
                (kind::VIDEO, stored.item(kind::VIDEO, is_same))
            }
            _ => return None,
        };
        Some((kind, data?))
    }

    /// The part of an annotation that its encoded data lacks, if any.
    fn partial_loss(&self, annotation: &Annotation<'_>, data: &[u8]) -> Option<Feature> {
        let texts = || match self.form.page {
            Some(page) => Texts::new(Charset::Single(page), page),
            None => Texts::new(Charset::Utf8, encoding_rs::WINDOWS_1252),
        };
        let (is_whole, feature) = match annotation {
            Annotation::Clock(clock) => {
                let is_whole = clock.time.subsec_nanos().is_multiple_of(10_000_000);
                (is_whole, Feature::Clocks)
            }
            Annotation::Eval(eval) => {
                let is_whole = eval.engine == 0 && eval.depth != Some(0);
                (is_whole, Feature::EvalDepths)
            }
            Annotation::Media(media) => {
                let is_whole = match media.kind {
                    MediaKind::Video => encode_language(media.language).is_some(),
                    _ => media.language.is_none(),
                };
                (is_whole, Feature::Languages)
            }
            Annotation::Training(training) => {
                let is_whole = training::decode(data, texts()).as_ref() == Some(training);
                (is_whole, Feature::Training)
            }
            Annotation::Quotation(quotation) => {
                let is_whole = quotation::decode(data, texts()).as_ref() == Some(quotation);
                (is_whole, Feature::Quotations)
            }
            _ => return None,
        };
        (!is_whole).then_some(feature)
    }

    /// Writes the data of an annotation that is always a separate item, and returns its kind.
    fn data(&self, annotation: &Annotation<'_>, data: &mut Sink) -> Result<u8, Feature> {
        Ok(match annotation {
            Annotation::Clock(clock) => {
                data.bytes(&time_spent_bytes(*clock).ok_or(Feature::Clocks)?);
                kind::TIME_SPENT
            }
            Annotation::Eval(eval) => {
                encode_eval(*eval, data).ok_or(Feature::Evals)?;
                kind::EVAL
            }
            Annotation::Medals(bits) => {
                data.u32_be(*bits);
                kind::MEDALS
            }
            Annotation::Critical(critical) => {
                data.u8(critical.0);
                kind::CRITICAL
            }
            Annotation::VariationColor(color) => {
                data.bytes(&[color.flags, color.blue, color.green, color.red]);
                kind::VARIATION_COLOR
            }
            Annotation::PawnStructure(value) => {
                data.u8(*value);
                kind::PAWN_STRUCTURE
            }
            Annotation::PiecePath(path) => {
                data.bytes(&[path.kind, path.square]);
                kind::PIECE_PATH
            }
            Annotation::VideoTime(time) => {
                data.i32_be(*time);
                kind::VIDEO_TIME
            }
            Annotation::TimeControl(control) => {
                for stage in &control.stages {
                    data.i32_be(stage.start);
                    data.i32_be(stage.increment);
                    data.u16_be(stage.moves);
                    data.u8(stage.kind);
                }
                kind::TIME_CONTROL
            }
            Annotation::EvalProfile(profile) => {
                let count =
                    u16::try_from(profile.points.len()).map_err(|_| Feature::EvalProfiles)?;
                data.u16_be(count);
                for point in &profile.points {
                    data.bytes(&[point.flag, point.depth]);
                    data.i16_be(point.value);
                }
                kind::EVAL_PROFILE
            }
            Annotation::Training(training) => {
                training::encode(training, self.form, data).ok_or(Feature::Training)?;
                kind::TRAINING
            }
            Annotation::Quotation(quotation) => {
                quotation::encode(quotation, self.form, data).ok_or(Feature::Quotations)?;
                // Values that no quotation has would make all of it unreadable.
                let bytes = data.as_slice();
                quotation::is_readable(bytes).ok_or(Feature::Quotations)?;
                kind::QUOTATION
            }
            Annotation::WebLink(link) => {
                data.u16_le(0);
                for text in [link.url, link.caption] {
                    let mut bytes = Vec::new();
                    encode_text(text, 0, self.form, &mut bytes);
                    data.u8(u8::try_from(bytes.len()).map_err(|_| Feature::WebLinks)?);
                    data.bytes(&bytes);
                }
                data.patch_u16_le(0, data.len() as u16);
                kind::WEB_LINK
            }
            Annotation::Media(media) => self.media(media, data)?,
            Annotation::Text(_) => return Err(Feature::GuidingTexts),
            other => return Err(other.feature()),
        })
    }

    fn media(&self, media: &Media<'_>, data: &mut Sink) -> Result<u8, Feature> {
        let kind = match media.kind {
            MediaKind::Sound => kind::SOUND,
            MediaKind::Picture => kind::PICTURE,
            _ if media.text.contains('\0') => return Err(Feature::Media),
            MediaKind::Video => {
                data.bytes(&[1, encode_language(media.language).unwrap_or(0)]);
                kind::VIDEO
            }
            _ => return Err(Feature::Media),
        };
        let mut bytes = Vec::new();
        encode_text(media.text, 0, self.form, &mut bytes);
        data.bytes(&bytes);
        Ok(kind)
    }

    fn comment(&mut self, position: i32, comment: &Comment<'_>) -> Option<Feature> {
        let kind = match comment.placement {
            CommentPlacement::Before => kind::TEXT_BEFORE,
            CommentPlacement::After => kind::TEXT_AFTER,
        };
        let language = encode_language(comment.language);
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let stored = language.and_then(|language| self.stored.comment(language, comment.text));
        let is_exact = if let Some((language, bytes)) = stored {
            text.extend_from_slice(&[0, language]);
            text.extend_from_slice(&bytes);
            true
        } else {
            text.extend_from_slice(&[0, language.unwrap_or(0)]);
            // A zero ends a text.
            let without_zeros = comment.text.replace('\0', "");
            encode_text(&without_zeros, language.unwrap_or(0), self.form, &mut text)
                && without_zeros.len() == comment.text.len()
        };
        let fits = text.len() <= MAX_DATA;
        if !fits {
            // A partial character would make all of the text invalid UTF-8.
            let is_start = |&end: &usize| text.get(end).is_none_or(|byte| byte & 0xc0 != 0x80);
            let end = (0..=MAX_DATA)
                .rev()
                .find(|end| self.form.page.is_some() || is_start(end));
            text.truncate(end.unwrap_or(MAX_DATA));
        }
        let lost = self.item(position, kind, &text);
        self.text = text;
        lost.or_else(|| (!fits).then_some(Feature::LongText))
            .or_else(|| (!is_exact).then_some(Feature::Characters))
            .or_else(|| language.is_none().then_some(Feature::Languages))
    }

    fn nag(&mut self, position: i32, nag: u8) -> Option<Feature> {
        if nag == 0 {
            return Some(Feature::Nags);
        }
        if self.nags_position != position {
            self.write_nags();
            self.nags_position = position;
        }
        self.nags.push(nag);
        None
    }

    /// Writes the pending NAGs, in the fewest items that preserve their order.
    fn write_nags(&mut self) {
        let mut nags = std::mem::take(&mut self.nags);
        let mut rest = nags.as_slice();
        while !rest.is_empty() {
            let longest = (1..=rest.len().min(3)).rev().find_map(|count| {
                let (first, remaining) = rest.split_at_checked(count)?;
                let (slots, length) = symbol_slots(first.iter().copied())?;
                Some((slots, length, remaining))
            });
            let Some((slots, length, remaining)) = longest else {
                break;
            };
            self.begin(self.nags_position, kind::SYMBOLS);
            self.record.bytes(slots.get(..length).unwrap_or(&slots));
            rest = remaining;
        }
        nags.clear();
        self.nags = nags;
    }

    fn shape(&mut self, position: i32, shape: Shape) -> Option<Feature> {
        let Some(EncodedShape {
            kind,
            bytes,
            is_exact,
        }) = encode_shape(shape)
        else {
            return Some(Feature::Shapes);
        };
        let has_space = self.nags.is_empty()
            && self
                .open_data(position, kind)
                .is_some_and(|data| data.len() + 3 <= MAX_DATA);
        if !has_space {
            self.write_nags();
            self.begin(position, kind);
        }
        self.record.bytes(&bytes);
        (!is_exact).then_some(Feature::ShapeColors)
    }

    fn foreign(&mut self, position: i32, foreign: &Foreign<'_>) -> Option<Feature> {
        if foreign.format != ID {
            return Some(Feature::Foreign);
        }
        match (foreign.kind, u8::try_from(foreign.kind)) {
            (_, Ok(kind)) => self.item(position, kind, foreign.bytes),
            (foreign::SYMBOL_SLOTS, _) => {
                // Replaces the NAGs before it.
                let replaced = foreign.bytes.iter().filter(|&&nag| nag != 0).count();
                self.nags.truncate(self.nags.len().saturating_sub(replaced));
                self.write_nags();
                self.item(position, kind::SYMBOLS, foreign.bytes)
            }
            (foreign::TEXT_REST, _) => {
                let is_text = |open: &OpenItem| {
                    open.position == position
                        && matches!(open.kind, kind::TEXT_AFTER | kind::TEXT_BEFORE)
                };
                match self.open.filter(is_text) {
                    Some(_) => self.record.bytes(foreign.bytes),
                    None => return Some(Feature::Foreign),
                }
                None
            }
            // Data of guiding texts, or of an unknown kind.
            _ => Some(Feature::Foreign),
        }
    }

    fn item(&mut self, position: i32, kind: u8, data: &[u8]) -> Option<Feature> {
        self.write_nags();
        if data.len() > MAX_DATA {
            return Some(Feature::LongText);
        }
        self.begin(position, kind);
        self.record.bytes(data);
        None
    }

    fn begin(&mut self, position: i32, kind: u8) {
        self.close();
        self.open = Some(OpenItem {
            at: self.record.len(),
            position,
            kind,
        });
        self.count += 1;
        self.record.u24_be(position as u32 & 0x00ff_ffff);
        self.record.u8(kind);
        self.record.u16_be(0);
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let size = self.record.len() - open.at;
            self.record.patch_u16_be(open.at + 4, size as u16);
        }
    }

    /// The data of the open item, if it has this position and kind.
    fn open_data(&self, position: i32, kind: u8) -> Option<&[u8]> {
        let open = self.open?;
        let is_same = open.position == position && open.kind == kind;
        let data = self.record.as_slice().get(open.at + ItemHead::SIZE..)?;
        is_same.then_some(data)
    }
}

/// The maximum number of data bytes of an item.
const MAX_DATA: usize = u16::MAX as usize - ItemHead::SIZE;

/// The slot of a NAG in a symbols item: 0 for NAGs of the move, 1 of the position, 2 before the
/// move. The first `used` slots are occupied. `None` if the slot is one of them.
fn symbol_slot(nag: u8, used: usize) -> Option<usize> {
    let usual = match nag {
        1..=9 | 22 | 23 => 0,
        140..=145 => 2,
        _ => 1,
    };
    // *Only move* and *zugzwang* can be in either of the first two.
    let slot = if matches!(nag, 8 | 22) && used == 1 {
        1
    } else {
        usual
    };
    (slot >= used).then_some(slot)
}

/// The data of one symbols item with these NAGs in their usual slots, and its length. `None` if one
/// item cannot store them in this order.
pub(crate) fn symbol_slots(nags: impl Iterator<Item = u8>) -> Option<([u8; 3], usize)> {
    let mut slots = [0; 3];
    let mut length = 0;
    for nag in nags {
        let slot = symbol_slot(nag, length)?;
        *slots.get_mut(slot)? = nag;
        length = slot + 1;
    }
    Some((slots, length))
}

/// Hours, minutes, seconds and hundredths; `None` for other clocks and for 256 hours or more.
pub(crate) fn time_spent_bytes(clock: Clock) -> Option<[u8; 4]> {
    if clock.kind != ClockKind::ElapsedMove {
        return None;
    }
    let seconds = clock.time.as_secs();
    let hundredths = clock.time.subsec_nanos() / 10_000_000;
    let hours = u8::try_from(seconds / 3600).ok()?;
    Some([
        hours,
        (seconds / 60 % 60) as u8,
        (seconds % 60) as u8,
        hundredths as u8,
    ])
}

/// Appends an evaluation; `None` if a number does not fit.
fn encode_eval(eval: Eval, data: &mut Sink) -> Option<()> {
    let (value, kind) = match eval.score {
        Score::Centipawns(value) => (value, 0),
        Score::Mate(moves) => (moves, 1),
    };
    data.i16_le(i16::try_from(value).ok()?);
    data.i16_le(kind);
    data.i16_le(i16::try_from(eval.depth.unwrap_or(0)).ok()?);
    Some(())
}
