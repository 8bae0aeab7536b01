//! Builds the files of a set.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::io::{Blob, Charset, CompanionNames, OutputSet, Sink, Source, encode};
use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U16, U32};

use super::cbtt_file::TournamentExtras;
use super::encoded_record::EncodedRecord;
use super::names::Names;
use crate::games::cbh::files_of_newer_versions::side_header;
use crate::games::cbh::records::{
    AnnotatorRecord, BodyHeader, ExtendedRecord, FLAGS_MAGIC, FileHeader, GameTagRecord,
    PlayerRecord, SideHeader, SourceRecord, TOURNAMENT_EXTRA_DEFAULT, TeamRecord, TournamentRecord,
};

/// All files of a database that is written.
#[derive(Debug)]
pub(super) struct SetFiles {
    pub(super) outputs: OutputSet,
    pub(super) path: PathBuf,
    pub(super) companions: CompanionNames,
    pub(super) records: u32,
    pub(super) header: FileHeader,
    /// `.cbg` and `.cba`.
    pub(super) bodies: [BodyFile; 2],
    pub(super) players: Names<PlayerRecord>,
    pub(super) tournaments: Names<TournamentRecord>,
    pub(super) annotators: Names<AnnotatorRecord>,
    pub(super) sources: Names<SourceRecord>,
    pub(super) teams: Names<TeamRecord>,
    pub(super) game_tags: Names<GameTagRecord>,
    pub(super) extended_version: u32,
    /// Bytes of a record of `.cbj`; those after the known fields are zero in new records.
    pub(super) extended_size: usize,
    pub(super) extras: TournamentExtras,
    pub(super) media: Sink,
    /// Two bits for each game, the first two unused.
    pub(super) top_games: Vec<u8>,
    /// Whether the set was copied, so that the uses of all names are counted at the end.
    pub(super) is_edited: bool,
    /// The `.ini` file of the copied set.
    pub(super) settings: Option<Blob>,
}

/// `.cbg` or `.cba`: a file of records of different sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyFile {
    /// Size of the file.
    pub(super) end: u64,
    /// Bytes that belong to no record.
    pub(super) unused: u64,
    /// Bytes of its header that are in use.
    pub(super) header_size: u16,
}

impl BodyFile {
    /// A file that contains only its header.
    const NEW: Self = Self {
        end: BodyHeader::SIZE as u64,
        unused: 0,
        header_size: BodyHeader::SIZE as u16,
    };
}

/// The ids of a record's names.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameIds {
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) tournament: u32,
    pub(super) annotator: u32,
    pub(super) source: u32,
    pub(super) white_team: i32,
    pub(super) black_team: i32,
    pub(super) game_tag: i32,
}

/// The files that games are appended to, by their index in [`EXTENSIONS`].
pub(super) const HEADERS: usize = 0;
pub(super) const MOVES: usize = 1;
pub(super) const ANNOTATIONS: usize = 2;
pub(super) const EXTENDED: usize = 3;
/// The files of a set in the order of creation, the main file first.
const EXTENSIONS: [&str; 12] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbm",
];

/// Bytes of a media record.
pub(super) const MEDIA_SIZE: usize = 1024;
/// Bytes in use of the header of `.cbh` in ChessBase 6.
const OLD_FILE_HEADER: usize = 36;

/// The header of a new database.
const NEW_HEADER: FileHeader = FileHeader {
    zero: 0,
    header_size: U16::new(44),
    record_size: U16::new(FileHeader::SIZE as u16),
    version: 1,
    next_game: U32::ZERO,
    unknown_10: U16::ZERO,
    next_sound: U32::ZERO,
    next_picture: U32::ZERO,
    next_video: U32::ZERO,
    unknown_24: [0; 16],
    next_game_again: U32::ZERO,
    unknown_44: U16::ZERO,
};

/// The span of an old record that may be overwritten.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeSpan {
    pub(super) at: u64,
    pub(super) size: u64,
}

impl SetFiles {
    /// Creates the files of a new set; `path` is that of the `.cbh` file.
    pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut files = Self::prepare(path, options)?;
        // The headers are completed at the end.
        files.append(HEADERS, &[0; FileHeader::SIZE])?;
        files.append(MOVES, &[0; BodyHeader::SIZE])?;
        files.append(ANNOTATIONS, &[0; BodyHeader::SIZE])?;
        files.append(EXTENDED, &[0; SideHeader::SIZE])?;
        Ok(files)
    }

    /// Creates the files, all of them empty.
    pub(super) fn prepare(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut outputs = options.outputs();
        // An interrupted replacement is complete then.
        outputs.create(path)?;
        let companions = CompanionNames::of(path)?;
        for extension in EXTENSIONS.into_iter().filter(|name| *name != "cbh") {
            outputs.create(&companions.path(extension))?;
        }
        Ok(Self {
            outputs,
            path: path.to_path_buf(),
            companions,
            records: 0,
            header: NEW_HEADER,
            bodies: [BodyFile::NEW; 2],
            players: Names::new(),
            tournaments: Names::new(),
            annotators: Names::new(),
            sources: Names::new(),
            teams: Names::new(),
            game_tags: Names::new(),
            extended_version: 11,
            extended_size: ExtendedRecord::SIZE,
            extras: TournamentExtras::new(),
            media: Sink::new(),
            top_games: Vec::new(),
            is_edited: false,
            settings: None,
        })
    }

    /// The number of records so far.
    pub(super) fn count(&self) -> u32 {
        self.records
    }

    /// The number of the next record, from 1.
    ///
    /// # Errors
    /// If the format cannot store more records.
    pub(super) fn next_number(&self) -> Result<u32> {
        let limit = i32::MAX as u32 / ExtendedRecord::SIZE as u32;
        if self.records >= limit {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of games",
                limit: u64::from(limit),
                size: u64::from(self.records) + 1,
            }));
        }
        Ok(self.records + 1)
    }

    /// Finds or adds the names of a record, and counts their uses.
    pub(super) fn ids(&mut self, record: &EncodedRecord<'_>, game: u32) -> Result<NameIds> {
        let fixed = record.fixed;
        let details = record.extra.map(IntoBytes::as_bytes).unwrap_or_default();
        let (tournament, is_new) = self.tournaments.id(&fixed.tournament, details)?;
        if is_new {
            let extra = record.extra.unwrap_or(&TOURNAMENT_EXTRA_DEFAULT);
            self.extras.set(tournament, extra)?;
        }
        let (annotator, _) = self.annotators.id(&fixed.annotator, &[])?;
        let (source, _) = self.sources.id(&fixed.source, &[])?;
        self.tournaments.count(tournament, game);
        self.annotators.count(annotator, game);
        self.sources.count(source, game);
        let mut ids = NameIds {
            white: 0,
            black: 0,
            tournament,
            annotator,
            source,
            white_team: -1,
            black_team: -1,
            game_tag: -1,
        };
        if let Some(tag) = record.game_tag {
            let (id, _) = self.game_tags.id(tag, &[])?;
            self.game_tags.count(id, game);
            ids.game_tag = id as i32;
        }
        if record.is_text() {
            return Ok(ids);
        }
        (ids.white, _) = self.players.id(&fixed.white, &[])?;
        self.players.count(ids.white, game);
        (ids.black, _) = self.players.id(&fixed.black, &[])?;
        self.players.count(ids.black, game);
        let [white, black] = record.teams;
        for (team, id) in [(white, &mut ids.white_team), (black, &mut ids.black_team)] {
            if let Some(team) = team {
                let (number, _) = self.teams.id(team, &[])?;
                self.teams.count(number, game);
                *id = number as i32;
            }
        }
        Ok(ids)
    }

    /// Writes a record to `.cbg`, over an old one if it fits there, and returns its offset.
    pub(super) fn put_moves(&mut self, record: &[u8], old: Option<FreeSpan>) -> Result<u64> {
        self.put(MOVES, record, old)
    }

    /// Writes a record to `.cba`, over an old one if it fits there, and returns its offset.
    pub(super) fn put_annotations(&mut self, record: &[u8], old: Option<FreeSpan>) -> Result<u64> {
        self.put(ANNOTATIONS, record, old)
    }

    /// Counts the bytes of a record that is no longer used.
    pub(super) fn release_annotations(&mut self, old: FreeSpan) {
        if let Some(body) = self.bodies.get_mut(ANNOTATIONS - MOVES) {
            body.unused += old.size;
        }
    }

    fn put(&mut self, file: usize, record: &[u8], old: Option<FreeSpan>) -> Result<u64> {
        let size = record.len() as u64;
        let Some(body) = self.bodies.get_mut(file - MOVES) else {
            return Ok(0);
        };
        match old {
            Some(old) if old.size >= size => {
                body.unused += old.size - size;
                self.on_file(file, |output| {
                    output.seek(SeekFrom::Start(old.at))?;
                    output.write_all(record)?;
                    output.seek(SeekFrom::End(0))?;
                    Ok(())
                })?;
                Ok(old.at)
            }
            old => {
                body.unused += old.map_or(0, |old| old.size);
                let at = body.end;
                body.end += size;
                self.append(file, record)?;
                Ok(at)
            }
        }
    }

    /// Appends a [`media_text`] to `.cbm` and returns its `media_at` for `.cbj`.
    pub(super) fn append_media(&mut self, text: &[u8]) -> Result<i32> {
        let at = self.media.len() + 32 + 8;
        let media_at = i32::try_from(at).map_err(|_| {
            Error::new(ErrorKind::Limit {
                what: "size of .cbm",
                limit: i32::MAX as u64,
                size: at as u64,
            })
        })?;
        self.media.i32_le(-1);
        self.media.i32_le(1);
        self.media.fixed(text, MEDIA_SIZE - 8);
        Ok(media_at)
    }

    /// Appends the headers of the next record to `.cbh` and `.cbj`.
    pub(super) fn append_record(
        &mut self,
        header: &[u8],
        extended: &ExtendedRecord,
        top_game: u8,
    ) -> Result<()> {
        self.append_raw(header, extended, &[], top_game)
    }

    /// Appends the headers of the next record, with `rest` after the known fields of `.cbj`.
    pub(super) fn append_raw(
        &mut self,
        header: &[u8],
        extended: &ExtendedRecord,
        rest: &[u8],
        top_game: u8,
    ) -> Result<()> {
        self.append(HEADERS, header)?;
        self.append_extended(extended, rest)?;
        self.records += 1;
        self.mark(self.records, top_game);
        Ok(())
    }

    /// Appends a record of `.cbj`, with `rest` after the known fields, cut or filled to the record
    /// size.
    pub(super) fn append_extended(&mut self, extended: &ExtendedRecord, rest: &[u8]) -> Result<()> {
        self.append(EXTENDED, extended.as_bytes())?;
        let rest_size = self.extended_size - ExtendedRecord::SIZE;
        let rest = rest.get(..rest.len().min(rest_size)).unwrap_or_default();
        self.append(EXTENDED, rest)?;
        if rest.len() < rest_size {
            self.append(EXTENDED, &vec![0; rest_size - rest.len()])?;
        }
        Ok(())
    }

    /// Overwrites the headers of the record with a number (from 1).
    pub(super) fn put_record(
        &mut self,
        number: u32,
        header: &[u8],
        extended: &ExtendedRecord,
        top_game: u8,
    ) -> Result<()> {
        self.put_header(number, header)?;
        let at = 32 + self.extended_size as u64 * u64::from(number.saturating_sub(1));
        self.on_file(EXTENDED, |output| {
            output.seek(SeekFrom::Start(at))?;
            output.write_all(extended.as_bytes())?;
            output.seek(SeekFrom::End(0))?;
            Ok(())
        })?;
        self.mark(number, top_game);
        Ok(())
    }

    /// Overwrites the first bytes of the `.cbh` record with a number (from 1).
    pub(super) fn put_header(&mut self, number: u32, header: &[u8]) -> Result<()> {
        let at = FileHeader::SIZE as u64 * u64::from(number);
        self.on_file(HEADERS, |output| {
            output.seek(SeekFrom::Start(at))?;
            output.write_all(header)?;
            output.seek(SeekFrom::End(0))?;
            Ok(())
        })
    }

    /// Sets the top-game mark of the record with a number (from 1).
    pub(super) fn mark(&mut self, number: u32, top_game: u8) {
        let at = (number / 4) as usize;
        if top_game != 0 && at >= self.top_games.len() {
            self.top_games.resize(at + 1, 0);
        }
        if let Some(byte) = self.top_games.get_mut(at) {
            let shift = number % 4 * 2;
            *byte = *byte & !(3 << shift) | (top_game & 3) << shift;
        }
    }

    /// Completes all files, which still have temporary names.
    pub(super) fn complete(&mut self, title: Option<&str>, charset: Charset) -> Result<()> {
        if self.is_edited {
            self.count_uses()?;
        }
        self.write_headers()?;
        for file in [HEADERS, MOVES, ANNOTATIONS, EXTENDED] {
            // These are complete; they go to the disk while the trees are built.
            self.on_file(file, |output| {
                output.flush()?;
                output.start_sync()
            })?;
        }
        // In the order of `EXTENSIONS`, after the first four.
        let [players, tournaments] = self.largest_names();
        let rest = [
            players,
            tournaments,
            self.annotators.file(),
            self.sources.file(),
            self.teams.file(),
            self.game_tags.file(),
            self.extras.file(),
            self.media_file(),
        ];
        for (file, bytes) in (EXTENDED + 1..).zip(rest) {
            self.append(file, &bytes)?;
        }
        if !self.top_games.is_empty() {
            let bytes = self.top_games_file();
            self.add("flags", &bytes)?;
        }
        if let Some(title) = title {
            let text = format!("[DescrCBG]\r\nTitle={title}\r\n");
            self.add("ini", &encode(&text, charset).0)?;
        } else if let Some(settings) = self.settings.take() {
            self.add("ini", &settings)?;
        }
        Ok(())
    }

    /// The files of players and tournaments, built in parallel.
    fn largest_names(&self) -> [Vec<u8>; 2] {
        let Self {
            players,
            tournaments,
            ..
        } = self;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, || players.file());
            let tournaments = tournaments.file();
            let players = match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(bytes)) => bytes,
                // No thread could be started.
                _ => players.file(),
            };
            [players, tournaments]
        })
    }

    /// The completed set, for reading it back.
    ///
    /// # Errors
    /// If the files cannot be read back.
    pub(super) fn read_back(&mut self) -> Result<Source> {
        let mut members = Vec::new();
        let mut number = 0;
        while let Some(output) = self.outputs.file(number) {
            let name = output.target().file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            let blob = output.read_back();
            members.push((name, blob.map_err(|error| error.in_path(output.target()))?));
            number += 1;
        }
        let main = self.path.file_name().unwrap_or_default().to_string_lossy();
        Source::from_members(&self.path, &main, members)
    }

    /// Marks files of an older database for removal when this one is committed.
    pub(super) fn remove_on_commit(&mut self, old: impl IntoIterator<Item = PathBuf>) {
        for path in old {
            self.outputs.obsolete(path);
        }
    }

    /// Gives the files their final names. Returns these, the main file first, and the total size in
    /// bytes.
    pub(super) fn commit(self) -> Result<(Vec<PathBuf>, u64)> {
        self.outputs.commit()
    }

    fn write_headers(&mut self) -> Result<()> {
        let next = self.records + 1;
        let mut header = self.header;
        header.next_game.set(next);
        if usize::from(header.header_size.get()) > OLD_FILE_HEADER {
            header.next_game_again.set(next);
        }
        self.overwrite(HEADERS, header.as_bytes())?;
        for (file, body) in [MOVES, ANNOTATIONS].into_iter().zip(self.bodies) {
            let header = BodyHeader {
                header_size: body.header_size.into(),
                file_size: (body.end as u32).into(),
                unused: (body.unused as u32).into(),
                file_size_wide: body.end.into(),
                unused_wide: body.unused.into(),
            };
            let bytes = header.as_bytes();
            let used = usize::from(body.header_size).min(bytes.len());
            self.overwrite(file, bytes.get(..used).unwrap_or(bytes))?;
        }
        let size = self.extended_size as u32;
        let extended = side_header(self.extended_version, size, self.records);
        self.overwrite(EXTENDED, extended.as_slice())
    }

    fn media_file(&self) -> Vec<u8> {
        let count = self.media.len() / MEDIA_SIZE;
        let mut sink = side_header(1, MEDIA_SIZE as u32, count as u32);
        sink.patch(12, &[0xff; 4]);
        sink.bytes(self.media.as_slice());
        sink.into_vec()
    }

    fn top_games_file(&self) -> Vec<u8> {
        let words = (self.records / 16 + 1).next_multiple_of(16);
        let used = self.top_games.len().div_ceil(4).min(u32::MAX as usize) as u32;
        let words = words.max(used);
        let mut sink = Sink::new();
        sink.u32_be(FLAGS_MAGIC);
        sink.u32_be(words);
        sink.u32_be(2);
        sink.bytes(&self.top_games);
        sink.zeros((words as usize * 4).saturating_sub(self.top_games.len()));
        sink.into_vec()
    }

    /// Creates an optional file of the set.
    fn add(&mut self, extension: &str, bytes: &[u8]) -> Result<()> {
        let number = self.outputs.create(&self.companions.path(extension))?;
        self.append(number, bytes)
    }

    pub(super) fn append(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| output.write_all(bytes))
    }

    pub(super) fn overwrite(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| {
            output.seek(SeekFrom::Start(0))?;
            output.write_all(bytes)
        })
    }

    fn on_file(
        &mut self,
        file: usize,
        write: impl FnOnce(&mut tabia_core::io::Output) -> std::io::Result<()>,
    ) -> Result<()> {
        let Some(output) = self.outputs.file(file) else {
            return Ok(());
        };
        write(output).map_err(|error| Error::from(error).in_path(output.target()))
    }
}

/// The text of a `.cbm` record about the files that a text uses; `None` if it does not fit.
pub(super) fn media_text(names: &[&str]) -> Option<String> {
    let mut text = format!("FilesUsed\n{}\n", names.len());
    for name in names {
        text.push_str(name);
        text.push('\n');
    }
    (text.len() + 9 <= MEDIA_SIZE).then_some(text)
}
