//! Writes Scid databases.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::Game;
use tabia_core::games::{GameEncoder, GameWriter, Written};
use tabia_core::io::{Cursor, Sink};
use tabia_core::loss::{Features, Losses};

use crate::games::common::set_writer::{BlockLayout, SetWriter};

use super::disk_layout;
use super::name_writer::NameWriter;
use super::names::take_name;
use super::record_encoder::RecordEncoder;
use super::version::Version;

/// A database being written. Blobs and entries are written game by game; names stay in memory until
/// the end.
#[derive(Debug)]
pub(crate) struct ScidWriter {
    version: Version,
    files: SetWriter,
    names: NameWriter,
    can: Features,
    encoder: RecordEncoder,
    /// The encoded game that is being written.
    record: Vec<u8>,
    entry: Vec<u8>,
    games: u32,
    lost_facts: Losses,
}

impl ScidWriter {
    pub(crate) fn create(
        version: Version,
        can: Features,
        path: &Path,
        options: &CreateOptions,
    ) -> Result<Self> {
        let (names_extension, games_extension) = version.companions();
        let layout = BlockLayout {
            block: version.block(),
            max_length: version.max_offset(),
        };
        let files = SetWriter::create(path, names_extension, games_extension, layout, options)?;
        let mut names = NameWriter::new(version);
        let mut header = Vec::new();
        match version {
            Version::V3 | Version::V4 => header = write_header(version, options),
            Version::V5 => write_facts(&mut names, options),
        }
        let mut writer = Self {
            version,
            files,
            names,
            can,
            encoder: RecordEncoder::new(version, can),
            record: Vec::new(),
            entry: Vec::new(),
            games: 0,
            lost_facts: options.lost_facts(|key| max_fact_length(version, key)),
        };
        writer.files.index()?.write_all(&header)?;
        Ok(writer)
    }

    /// Appends a game that [`RecordEncoder`] has encoded.
    fn append_record(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        if self.games >= self.version.max_games() {
            return Err(Error::new(ErrorKind::Limit {
                what: "the number of games",
                limit: u64::from(self.version.max_games()),
                size: u64::from(self.games) + 1,
            }));
        }
        let entry = cursor.take(self.version.entry_length(), "entry")?;
        let Some(mut entry) = disk_layout::decode(self.version, entry) else {
            return Err(Error::invalid("an encoded game without its entry"));
        };
        for id in [
            &mut entry.event,
            &mut entry.site,
            &mut entry.round,
            &mut entry.white,
            &mut entry.black,
        ] {
            let (kind, name) = take_name(cursor)?;
            *id = self.names.number(kind, name)?;
        }
        let blob = cursor.take(entry.blob_length as usize, "blob")?;
        entry.blob_at = self.files.append_record(blob)?;
        self.entry.clear();
        disk_layout::encode(self.version, &entry, &mut self.entry);
        self.files.index()?.write_all(&self.entry)?;
        if self.version == Version::V5 {
            let appended = self.names.appended();
            self.files.names()?.write_all(appended)?;
            appended.clear();
        }
        self.games += 1;
        Ok(())
    }
}

impl GameWriter for ScidWriter {
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        Some(Box::new(RecordEncoder::new(self.version, self.can)))
    }

    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let mut cursor = Cursor::new(encoded);
        while !cursor.is_empty() {
            self.append_record(&mut cursor)?;
        }
        Ok(())
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut record = std::mem::take(&mut self.record);
        record.clear();
        let done = self
            .encoder
            .encode(game, &mut record)
            .and_then(|losses| self.append(&record).map(|()| losses));
        self.record = record;
        done
    }

    fn lost_facts(&self) -> Losses {
        self.lost_facts.clone()
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        match self.version {
            Version::V3 | Version::V4 => {
                let bytes = self.names.front_coded();
                self.files.names()?.write_all(&bytes)?;
                let games = disk_layout::to_u24(self.games);
                let file = self.files.index()?;
                file.seek(SeekFrom::Start(GAMES_AT))?;
                file.write_all(&games)?;
            }
            Version::V5 => {
                let bytes = std::mem::take(self.names.appended());
                self.files.names()?.write_all(&bytes)?;
            }
        }
        let records = self.games;
        let (files, bytes) = self.files.into_outputs().commit()?;
        Ok(Written::new(records, files, bytes))
    }
}

/// The offset of the number of games in the header of si3 and si4.
const GAMES_AT: u64 = 14;

/// The longest value of a fact in bytes. `None` if it cannot be stored.
fn max_fact_length(version: Version, key: &str) -> Option<usize> {
    match (version, key) {
        (_, "scidbType" | "created") => None,
        (Version::V3 | Version::V4, "title") => Some(DESCRIPTION - 1),
        (Version::V5, _) | (_, "type") => Some(MAX_FACT),
        (Version::V4, _) => Some(FLAG_NAME - 1),
        (Version::V3, _) => None,
    }
}

/// Bytes of the description and of the name of a flag in the header.
const DESCRIPTION: usize = 108;
const FLAG_NAME: usize = 9;

/// The longest fact of si5 in bytes; the format has no limit.
const MAX_FACT: usize = 1 << 20;

/// The header of si3 and si4, with no games.
fn write_header(version: Version, options: &CreateOptions) -> Vec<u8> {
    let fact = |key: &str| {
        let found = options.facts.iter().find(|(name, _)| name == key);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut sink = Sink::new();
    sink.bytes(&disk_layout::MAGIC);
    sink.u16_be(if version == Version::V3 { 300 } else { 400 });
    sink.u32_be(fact("type").parse().unwrap_or(0));
    sink.u24_be(0);
    sink.u24_be(fact("autoload").parse().unwrap_or(1));
    let mut text = |text: &str, length: usize| {
        let end = text.floor_char_boundary(length - 1);
        sink.fixed(text.get(..end).unwrap_or_default().as_bytes(), length);
    };
    text(options.title.as_deref().unwrap_or_default(), DESCRIPTION);
    if version == Version::V4 {
        for number in 1..=6 {
            text(fact(&format!("flag{number}")), FLAG_NAME);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_games_is_limited() {
        let folder = tabia_testkit::Scratch::new("scid-limit");
        for (version, limit) in [
            (Version::V3, 16_777_214),
            (Version::V4, 16_777_214),
            (Version::V5, u32::MAX - 1),
        ] {
            let path = folder.join(format!("full.{}", version.id()));
            let options = CreateOptions::default();
            let mut writer = ScidWriter::create(version, Features::NONE, &path, &options).unwrap();
            writer.games = limit - 1;
            assert!(writer.write(&Game::new()).is_ok());
            let error = writer.write(&Game::new()).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("number of games") && text.contains(&limit.to_string()));
        }
    }
}
