//! The files of a set under construction.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::{Charset, OutputSet, Sink, encode};
use zerocopy::IntoBytes;

use super::facts::Facts;
use super::names::Names;
use crate::cbh::records::{
    AnnotatorRecord, BodyHeader, ExtendedRecord, FLAGS_MAGIC, FileHeader, GameTagRecord,
    PlayerRecord, SourceRecord, TOURNAMENT_EXTRA_DEFAULT, TeamRecord, TournamentExtraRecord,
    TournamentRecord,
};

/// Every file of a database.
#[derive(Debug)]
pub(super) struct Files {
    outputs: OutputSet,
    path: PathBuf,
    records: u32,
    moves_end: u64,
    annotations_end: u64,
    players: Names<PlayerRecord>,
    tournaments: Names<TournamentRecord>,
    annotators: Names<AnnotatorRecord>,
    sources: Names<SourceRecord>,
    teams: Names<TeamRecord>,
    game_tags: Names<GameTagRecord>,
    /// By tournament, with its number; only those that differ from the default.
    extras: Vec<(u32, TournamentExtraRecord)>,
    media: Sink,
    /// Two bits a game, the first two unused.
    top_games: Vec<u8>,
}

/// The numbers of a game's names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ids {
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) tournament: u32,
    pub(super) annotator: u32,
    pub(super) source: u32,
    pub(super) white_team: i32,
    pub(super) black_team: i32,
    pub(super) game_tag: i32,
}

/// The files that games are appended to, by their place in [`EXTENSIONS`].
const HEADERS: usize = 0;
const MOVES: usize = 1;
const ANNOTATIONS: usize = 2;
const EXTENDED: usize = 3;
/// Every file of a set in the order of creation, the main file first.
const EXTENSIONS: [&str; 12] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbm",
];

/// Bytes of a media record.
const MEDIA_SIZE: usize = 1024;

impl Files {
    /// Creates the files beside `path`, which is that of the `.cbh` file.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self> {
        let mut outputs = OutputSet::new(force);
        for extension in EXTENSIONS {
            let target = if extension == "cbh" {
                path.to_path_buf()
            } else {
                path.with_extension(extension)
            };
            outputs.create(&target)?;
        }
        let mut files = Self {
            outputs,
            path: path.to_path_buf(),
            records: 0,
            moves_end: BodyHeader::SIZE as u64,
            annotations_end: BodyHeader::SIZE as u64,
            players: Names::new(),
            tournaments: Names::new(),
            annotators: Names::new(),
            sources: Names::new(),
            teams: Names::new(),
            game_tags: Names::new(),
            extras: Vec::new(),
            media: Sink::new(),
            top_games: Vec::new(),
        };
        // The headers get their numbers at the end.
        files.append(HEADERS, &[0; FileHeader::SIZE])?;
        files.append(MOVES, &[0; BodyHeader::SIZE])?;
        files.append(ANNOTATIONS, &[0; BodyHeader::SIZE])?;
        files.append(EXTENDED, &[0; 32])?;
        Ok(files)
    }

    /// Records so far.
    pub(super) fn count(&self) -> u32 {
        self.records
    }

    /// The number of the next record, from 1.
    pub(super) fn next_number(&self) -> Result<u32> {
        let limit = i32::MAX as u32 / ExtendedRecord::SIZE as u32;
        if self.records >= limit {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of games",
                limit: u64::from(limit),
                asked: u64::from(self.records) + 1,
            }));
        }
        Ok(self.records + 1)
    }

    /// Numbers and counts the names of a game.
    pub(super) fn ids(&mut self, facts: &Facts, game: u32) -> Result<Ids> {
        let mut ids = self.text_ids(facts, game)?;
        (ids.white, _) = self.players.id(&facts.white, &[])?;
        self.players.count(ids.white, game);
        (ids.black, _) = self.players.id(&facts.black, &[])?;
        self.players.count(ids.black, game);
        let [white, black] = &facts.teams;
        for (team, id) in [(white, &mut ids.white_team), (black, &mut ids.black_team)] {
            if let Some(team) = team {
                let (number, _) = self.teams.id(team, &[])?;
                self.teams.count(number, game);
                *id = number as i32;
            }
        }
        Ok(ids)
    }

    /// Numbers and counts the names of a guiding text.
    pub(super) fn text_ids(&mut self, facts: &Facts, game: u32) -> Result<Ids> {
        let extra = &facts.tournament_extra;
        let details = if *extra == TOURNAMENT_EXTRA_DEFAULT {
            &[]
        } else {
            extra.as_bytes()
        };
        let (tournament, is_new) = self.tournaments.id(&facts.tournament, details)?;
        if is_new && !details.is_empty() {
            self.extras.push((tournament, *extra));
        }
        let (annotator, _) = self.annotators.id(&facts.annotator, &[])?;
        let (source, _) = self.sources.id(&facts.source, &[])?;
        self.tournaments.count(tournament, game);
        self.annotators.count(annotator, game);
        self.sources.count(source, game);
        let mut game_tag = -1;
        if let Some(tag) = &facts.game_tag {
            let (id, _) = self.game_tags.id(tag, &[])?;
            self.game_tags.count(id, game);
            game_tag = id as i32;
        }
        Ok(Ids {
            white: 0,
            black: 0,
            tournament,
            annotator,
            source,
            white_team: -1,
            black_team: -1,
            game_tag,
        })
    }

    /// Appends a record to `.cbg`; gives its offset.
    pub(super) fn append_moves(&mut self, record: &[u8]) -> Result<u64> {
        let at = self.moves_end;
        self.append(MOVES, record)?;
        self.moves_end += record.len() as u64;
        Ok(at)
    }

    /// Appends a record to `.cba`; gives its offset.
    pub(super) fn append_annotations(&mut self, record: &[u8]) -> Result<u64> {
        let at = self.annotations_end;
        self.append(ANNOTATIONS, record)?;
        self.annotations_end += record.len() as u64;
        Ok(at)
    }

    /// Adds the names of the files that a text uses; gives what `.cbj` says of them, `None` when
    /// they do not fit.
    pub(super) fn append_media(&mut self, names: &[&str]) -> Option<i32> {
        let mut text = format!("FilesUsed\n{}\n", names.len());
        for name in names {
            text.push_str(name);
            text.push('\n');
        }
        let at = self.media.len() + 32 + 8;
        let media_at = i32::try_from(at).ok()?;
        if text.len() + 9 > MEDIA_SIZE {
            return None;
        }
        self.media.i32_le(-1);
        self.media.i32_le(1);
        self.media.fixed(text.as_bytes(), MEDIA_SIZE - 8);
        Some(media_at)
    }

    /// Appends the headers of the next record.
    pub(super) fn append_record(
        &mut self,
        header: &[u8],
        extended: &ExtendedRecord,
        top_game: u8,
    ) -> Result<()> {
        self.append(HEADERS, header)?;
        self.append(EXTENDED, extended.as_bytes())?;
        self.records += 1;
        if top_game != 0 {
            let at = (self.records / 4) as usize;
            if at >= self.top_games.len() {
                self.top_games.resize(at + 1, 0);
            }
            if let Some(byte) = self.top_games.get_mut(at) {
                *byte |= (top_game & 3) << (self.records % 4 * 2);
            }
        }
        Ok(())
    }

    /// Completes all files and gives them their names. Returns these, the main file first, and the
    /// bytes in all.
    pub(super) fn finish(
        mut self,
        title: Option<&str>,
        charset: Charset,
    ) -> Result<(Vec<PathBuf>, u64)> {
        self.write_headers()?;
        // In the order of `EXTENSIONS`, behind the four that are there already.
        let rest: [fn(&Self) -> Vec<u8>; 8] = [
            |files| files.players.file(),
            |files| files.tournaments.file(),
            |files| files.annotators.file(),
            |files| files.sources.file(),
            |files| files.teams.file(),
            |files| files.game_tags.file(),
            Self::tournament_extras,
            Self::media_file,
        ];
        for (file, make) in (EXTENDED + 1..).zip(rest) {
            let bytes = make(&self);
            self.append(file, &bytes)?;
        }
        if !self.top_games.is_empty() {
            let bytes = self.top_games_file();
            self.add("flags", &bytes)?;
        }
        if let Some(title) = title {
            let text = format!("[DescrCBG]\r\nTitle={title}\r\n");
            self.add("ini", &encode(&text, charset).0)?;
        }
        self.outputs.commit()
    }

    fn write_headers(&mut self) -> Result<()> {
        let next = self.records + 1;
        let header = FileHeader {
            zero: 0,
            header_size: 44.into(),
            record_size: (FileHeader::SIZE as u16).into(),
            version: 1,
            next_game: next.into(),
            unknown_10: 0.into(),
            next_sound: 0.into(),
            next_picture: 0.into(),
            next_video: 0.into(),
            unknown_24: [0; 16],
            next_game_again: next.into(),
            unknown_44: 0.into(),
        };
        self.overwrite(HEADERS, header.as_bytes())?;
        for (file, size) in [(MOVES, self.moves_end), (ANNOTATIONS, self.annotations_end)] {
            let header = BodyHeader {
                header_size: (BodyHeader::SIZE as u16).into(),
                file_size: (size as u32).into(),
                unused: 0.into(),
                file_size_wide: size.into(),
                unused_wide: 0.into(),
            };
            self.overwrite(file, header.as_bytes())?;
        }
        let extended = side_header(11, ExtendedRecord::SIZE as u32, self.records);
        self.overwrite(EXTENDED, extended.as_slice())
    }

    fn tournament_extras(&self) -> Vec<u8> {
        let count = self.extras.last().map_or(0, |(id, _)| id + 1);
        let size = TournamentExtraRecord::SIZE as u32;
        let mut sink = side_header(3, size, count.saturating_sub(1));
        let mut extras = self.extras.iter().peekable();
        for id in 0..count {
            let extra = extras.next_if(|(known, _)| *known == id);
            let extra = extra.map_or(&TOURNAMENT_EXTRA_DEFAULT, |(_, extra)| extra);
            sink.bytes(extra.as_bytes());
        }
        sink.into_vec()
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
        let mut sink = Sink::new();
        sink.u32_be(FLAGS_MAGIC);
        sink.u32_be(words);
        sink.u32_be(2);
        sink.bytes(&self.top_games);
        sink.zeros((words as usize * 4).saturating_sub(self.top_games.len()));
        sink.into_vec()
    }

    fn add(&mut self, extension: &str, bytes: &[u8]) -> Result<()> {
        let number = self.outputs.create(&self.path.with_extension(extension))?;
        self.append(number, bytes)
    }

    fn append(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| output.write_all(bytes))
    }

    fn overwrite(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| {
            output.seek(SeekFrom::Start(0))?;
            output.write_all(bytes)
        })
    }

    fn on_file(
        &mut self,
        file: usize,
        act: impl FnOnce(&mut tabia_core::io::Output) -> std::io::Result<()>,
    ) -> Result<()> {
        let Some(output) = self.outputs.file(file) else {
            return Ok(());
        };
        act(output).map_err(|error| Error::from(error).in_path(output.target()))
    }
}

fn side_header(version: u32, record_size: u32, count: u32) -> Sink {
    let mut sink = Sink::new();
    sink.u32_le(version);
    sink.u32_le(record_size);
    sink.u32_le(count);
    sink.zeros(20);
    sink
}
