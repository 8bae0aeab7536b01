//! Writing Scid databases.

use std::borrow::Cow;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::database::{GameWriter, Written};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::format::CreateOptions;
use tabia_core::game::{Date, Game, RecordKind, Tags};
use tabia_core::io::{Output, OutputSet, Sink};
use tabia_core::loss::{Feature, Features, Losses};

use super::blob::{COMMON_TAGS, FIRST_COMMON_TAG};
use super::encode::{Encoder, Keep, is_playable};
use super::entry::{self, Entry, Version, flag};
use super::name_writer::NameWriter;
use super::records;

/// A database under construction. Blobs and rows go to the files as they come; names stay in
/// memory until the end.
#[derive(Debug)]
pub(crate) struct ScidWriter {
    version: Version,
    outputs: OutputSet,
    files: Files,
    names: NameWriter,
    encoder: Encoder,
    row: Vec<u8>,
    games: u32,
    /// Length of the game file so far.
    blobs_end: u64,
}

/// Numbers of the files in the set.
#[derive(Debug, Clone, Copy)]
struct Files {
    index: usize,
    names: usize,
    games: usize,
}

/// The longest name and value of a tag of the blob.
const MAX_TAG_NAME: usize = 240;
const MAX_TAG_VALUE: usize = 255;

impl ScidWriter {
    pub(crate) fn create(
        version: Version,
        can: Features,
        path: &Path,
        options: &CreateOptions,
    ) -> Result<Self> {
        let mut outputs = OutputSet::new(options.force);
        let (names_extension, games_extension) = version.companions();
        let files = Files {
            index: outputs.create(path)?,
            names: outputs.create(&path.with_extension(names_extension))?,
            games: outputs.create(&path.with_extension(games_extension))?,
        };
        let mut names = NameWriter::new(version);
        let mut header = Vec::new();
        match version {
            Version::V3 | Version::V4 => header = write_header(version, options),
            Version::V5 => write_facts(&mut names, options),
        }
        let mut writer = Self {
            version,
            outputs,
            files,
            names,
            encoder: Encoder::new(version, can),
            row: Vec::new(),
            games: 0,
            blobs_end: 0,
        };
        writer.file(files.index)?.write_all(&header)?;
        Ok(writer)
    }

    fn file(&mut self, number: usize) -> Result<&mut Output> {
        self.outputs
            .file(number)
            .ok_or_else(|| Error::invalid("a file of the set is closed"))
    }

    /// Writes what was encoded; where its first byte is.
    fn append_blob(&mut self) -> Result<u64> {
        let length = self.encoder.blob.len() as u64;
        let block = self.version.block();
        let mut at = self.blobs_end;
        if length > block - at % block {
            at = (at / block + 1) * block;
        }
        if at + length > self.version.max_offset() {
            return Err(Error::new(ErrorKind::Limit {
                what: "the file of games",
                limit: self.version.max_offset(),
                asked: at + length,
            }));
        }
        let fill = at - self.blobs_end;
        self.blobs_end = at + length;
        let number = self.files.games;
        if let Some(file) = self.outputs.file(number) {
            std::io::copy(&mut std::io::Read::take(std::io::repeat(0), fill), file)?;
            file.write_all(&self.encoder.blob)?;
        }
        Ok(at)
    }

    /// Fills the row from the tags and writes those the row has no field for.
    fn write_tags(&mut self, game: &Game, entry: &mut Entry, losses: &mut Losses) -> Result<()> {
        let tags = &game.head.tags;
        let mut left = Left {
            tags,
            taken: Vec::new(),
        };
        let names = &mut self.names;
        let mut number = |kind: usize, tag: &str, left: &mut Left<'_>| -> Result<u32> {
            let name = left.take(tag).unwrap_or("?");
            let name = cut(name, self.version.max_name(), losses);
            names.number(kind, name.as_bytes())
        };
        // The order in which Scid 5 appends them.
        entry.event = number(1, "Event", &mut left)?;
        entry.site = number(2, "Site", &mut left)?;
        entry.round = number(3, "Round", &mut left)?;
        entry.white = number(0, "White", &mut left)?;
        entry.black = number(0, "Black", &mut left)?;
        // As in Scid, a value that only says that it is unknown is no value.
        left.drop_unknown();
        entry.date = left.take_if("Date", date_bits).unwrap_or(0);
        entry.event_date = left
            .take_if("EventDate", |text| {
                let bits = date_bits(text)?;
                let fits =
                    self.version == Version::V5 || records::relative(entry.date, bits).is_some();
                fits.then_some(bits)
            })
            .unwrap_or(0);
        (entry.white_rating, entry.white_elo) = left.take_rating("White");
        (entry.black_rating, entry.black_elo) = left.take_rating("Black");
        entry.eco = left.take_if("ECO", entry::eco_code).unwrap_or(0);
        left.take_if("Result", |text| (text == game.result.pgn()).then_some(()));
        if let Some(letters) = left.take("ScidFlags") {
            let (flags, unknown) = entry::parse_flags(letters);
            losses.add(Feature::HeaderFacts, unknown, None);
            let mut kept = flags;
            if self.version == Version::V3 {
                kept &= !flag::CUSTOM;
                let lost = u64::from((flags & flag::CUSTOM).count_ones());
                losses.add(Feature::HeaderFacts, lost, None);
            }
            entry.flags |= kept;
        }
        // The FEN of a setup position that can be played from stands before the moves. Scid keeps
        // `SetUp` and `Variant` as they are.
        if game.head.start.setup.as_deref().is_some_and(is_playable) {
            left.take("FEN");
        }
        for (place, (name, value)) in tags.iter().enumerate() {
            if left.taken.contains(&place) || name == "Result" {
                continue;
            }
            write_tag(name, value, &mut self.encoder.blob, losses);
        }
        self.encoder.blob.push(0);
        Ok(())
    }
}

impl GameWriter for ScidWriter {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        if game.head.kind == RecordKind::Text {
            losses.add(Feature::GuidingTexts, 1, None);
            return Ok(losses);
        }
        if self.games >= self.version.max_games() {
            return Err(Error::new(ErrorKind::Limit {
                what: "the number of games",
                limit: u64::from(self.version.max_games()),
                asked: u64::from(self.games) + 1,
            }));
        }
        let mut entry = Entry {
            result: entry::result_code(game.result),
            chess960: game.head.start.chess960 && self.version == Version::V5,
            ..Entry::default()
        };
        if game.result.is_special() {
            losses.add(Feature::SpecialResults, 1, None);
        }
        if game.head.deleted {
            entry.flags |= flag::DELETED;
        }
        self.encoder.blob.clear();
        self.write_tags(game, &mut entry, &mut losses)?;
        let tags_end = self.encoder.blob.len();
        let head = entry;
        for keep in [Keep::Everything, Keep::Variations, Keep::Mainline] {
            let mut lost = Losses::new();
            self.encoder.blob.truncate(tags_end);
            entry = head;
            self.encoder.encode(game, keep, &mut entry, &mut lost)?;
            if self.encoder.blob.len() <= self.version.max_blob() {
                losses.merge(&lost);
                break;
            }
            if keep == Keep::Mainline {
                return Err(Error::new(ErrorKind::Limit {
                    what: "a game",
                    limit: self.version.max_blob() as u64,
                    asked: self.encoder.blob.len() as u64,
                }));
            }
        }
        entry.blob_length = self.encoder.blob.len() as u32;
        entry.blob_at = self.append_blob()?;
        self.row.clear();
        records::encode(self.version, &entry, &mut self.row);
        if let Some(file) = self.outputs.file(self.files.index) {
            file.write_all(&self.row)?;
        }
        if self.version == Version::V5
            && let Some(file) = self.outputs.file(self.files.names)
        {
            let appended = self.names.appended();
            file.write_all(appended)?;
            appended.clear();
        }
        self.games += 1;
        Ok(losses)
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let Files { index, names, .. } = self.files;
        match self.version {
            Version::V3 | Version::V4 => {
                let bytes = self.names.front_coded();
                self.file(names)?.write_all(&bytes)?;
                let games = records::to_u24(self.games);
                let file = self.file(index)?;
                file.seek(SeekFrom::Start(GAMES_AT))?;
                file.write_all(&games)?;
            }
            Version::V5 => {
                let bytes = std::mem::take(self.names.appended());
                self.file(names)?.write_all(&bytes)?;
            }
        }
        let records = self.games;
        let (files, bytes) = self.outputs.commit()?;
        Ok(Written {
            records,
            files,
            bytes,
        })
    }
}

/// Where the header of si3 and si4 has the number of games.
const GAMES_AT: u64 = 14;

/// The tags of a game and the places of those that have found a field.
struct Left<'g> {
    tags: &'g Tags,
    taken: Vec<usize>,
}

impl<'g> Left<'g> {
    /// The value of the first tag of that name, which needs no other place.
    fn take(&mut self, name: &str) -> Option<&'g str> {
        self.take_if(name, Some)
    }

    /// The same, if `fit` finds a field for the value.
    fn take_if<T>(&mut self, name: &str, fit: impl FnOnce(&'g str) -> Option<T>) -> Option<T> {
        let place = self.tags.iter().position(|(known, _)| known == name)?;
        if self.taken.contains(&place) {
            return None;
        }
        let (_, value) = self.tags.pair(place)?;
        let fitted = fit(value)?;
        self.taken.push(place);
        Some(fitted)
    }

    /// Takes tags of the row's own fields that say nothing.
    fn drop_unknown(&mut self) {
        for (place, (name, value)) in self.tags.iter().enumerate() {
            let is_field = matches!(name, "Date" | "EventDate" | "ECO" | "WhiteElo" | "BlackElo");
            if is_field && value.chars().all(|character| "?.-".contains(character)) {
                self.taken.push(place);
            }
        }
    }

    /// Type and value of the first rating of a side.
    fn take_rating(&mut self, color: &str) -> (u8, u16) {
        for (number, kind) in (0..).zip(entry::RATING_TYPES) {
            let elo = self.take_if(&format!("{color}{kind}"), |text| {
                let elo = text.parse().ok()?;
                // What reads back as the same text.
                ((1..=entry::MAX_ELO).contains(&elo) && elo.to_string() == text).then_some(elo)
            });
            if let Some(elo) = elo {
                return (number, elo);
            }
        }
        (0, 0)
    }
}

/// The bits of a date that reads back as the same date.
fn date_bits(text: &str) -> Option<u32> {
    entry::date_bits(Date::parse(text)?)
}

/// A text without zeros, as much of it as fits.
fn cut<'n>(text: &'n str, limit: usize, losses: &mut Losses) -> Cow<'n, str> {
    let mut kept = Cow::Borrowed(text);
    if text.contains('\0') {
        losses.add(Feature::Characters, 1, None);
        kept = Cow::Owned(text.replace('\0', ""));
    }
    if kept.len() > limit {
        losses.add(Feature::LongText, 1, None);
        let end = kept.floor_char_boundary(limit);
        kept.to_mut().truncate(end);
    }
    kept
}

/// Appends a tag to the blob.
fn write_tag(name: &str, value: &str, blob: &mut Vec<u8>, losses: &mut Losses) {
    if let Some(place) = COMMON_TAGS.iter().position(|&known| known == name) {
        blob.push(FIRST_COMMON_TAG + place as u8);
    } else {
        let name = cut(name, MAX_TAG_NAME, losses);
        if name.is_empty() {
            losses.add(Feature::Tags, 1, None);
            return;
        }
        blob.push(name.len() as u8);
        blob.extend_from_slice(name.as_bytes());
    }
    let value = cut(value, MAX_TAG_VALUE, losses);
    blob.push(value.len() as u8);
    blob.extend_from_slice(value.as_bytes());
}

/// The header of si3 and si4, for no games yet.
fn write_header(version: Version, options: &CreateOptions) -> Vec<u8> {
    let fact = |key: &str| {
        let found = options.facts.iter().find(|(known, _)| known == key);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut sink = Sink::new();
    sink.bytes(&records::MAGIC);
    sink.u16_be(if version == Version::V3 { 300 } else { 400 });
    sink.u32_be(fact("type").parse().unwrap_or(0));
    sink.u24_be(0);
    sink.u24_be(fact("autoload").parse().unwrap_or(1));
    let mut text = |text: &str, length: usize| {
        let whole = text.floor_char_boundary(length - 1);
        sink.fixed(text.get(..whole).unwrap_or_default().as_bytes(), length);
    };
    text(options.title.as_deref().unwrap_or_default(), 108);
    if version == Version::V4 {
        for number in 1..=6 {
            text(fact(&format!("flag{number}")), 9);
        }
    }
    sink.into_vec()
}

/// The facts of si5.
fn write_facts(names: &mut NameWriter, options: &CreateOptions) {
    if let Some(title) = &options.title {
        names.fact("description", title);
    }
    for (key, value) in &options.facts {
        if super::names::FACT_KEYS.contains(&key.as_str()) && key != "description" {
            names.fact(key, value);
        }
    }
}
