//! Scid databases as [`Database`].

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::{Color, Material, PawnsGone};
use tabia_core::decimal_digits;
use tabia_core::error::{Error, Result, Why};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, Tags, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, HeadReader, IndexEntry, NameId, NameKind, NameLimit,
    PartKind, StoredMoves, StoredPart, TextLimits, lost_name,
};
use tabia_core::io::{Blob, Cursor, Source, decode};
use tabia_core::plural::counted;

use crate::games::common::record_context::{Origin, end_game};
use crate::games::common::records_digest::RecordsDigest;
use crate::games::common::salvage::is_for_repair;
use crate::games::common::scid_and_scidb_index_codes;
use crate::games::common::{merge_record_tags, setup_tags};

use super::blob_parts::{Tag, malformed, read_start, read_tag};
use super::board::Board;
use super::disk_layout::{Signature, last_material, players, ratings, signature};
use super::entry::{self, Entry, flag};
use super::file_set::{self, FileSet};
use super::index_heads::ScidHeads;
use super::names::{self, Names};
use super::replay::{Buffers, Replay, Walker};
use super::salvage::{self, Index, SalvagedEntry};
use super::version::Version;

/// An open Scid database.
#[derive(Debug)]
pub(crate) struct ScidDatabase {
    version: Version,
    index: Index,
    names: Names,
    games: Blob,
    names_file: Arc<Path>,
    games_file: Arc<Path>,
    info: DatabaseInfo,
    options: OpenOptions,
}

impl ScidDatabase {
    /// Opens the files of a set. A missing or damaged name or game file is reported in the info; its
    /// names or games are missing.
    pub(crate) fn open(version: Version, source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut info = DatabaseInfo::default();
        info.format = version.id();
        info.version = match version {
            Version::V3 => "Scid 3",
            Version::V4 => "Scid 4",
            Version::V5 => "Scid 5",
        }
        .into();
        info.encoding = match options.charset {
            tabia_core::io::Charset::Single(encoding) => encoding.name().to_owned(),
            _ => "UTF-8, else windows-1252".to_owned(),
        };
        let set = FileSet::open(version, source, options, &mut info)?;
        let names = if set.names.is_empty() {
            Names::read(Version::V5, &set.names)
        } else {
            Names::read(version, &set.names)
        };
        for &malformed in &names.problems {
            let error = malformed.at_base(0).in_file(&set.names_file);
            info.problems.push(error.to_string());
        }
        for (key, value) in &names.facts {
            let value = decode(value, options.charset).into_owned();
            match *key {
                "description" => info.title = Some(value).filter(|title| !title.is_empty()),
                key => info.facts.push((key.to_owned(), value)),
            }
        }
        for (index, kind) in names::KINDS.into_iter().enumerate() {
            info.names.push((kind, names.count(index)));
        }
        let entries = file_set::entries(version, &set.index, &mut info);
        let salvage = is_for_repair(options)?.then(|| {
            let depth = options.limits.depth;
            salvage::find(version, &entries, &set.games, depth, &mut info)
        });
        let index = Index::new(entries, salvage, set.index_file);
        info.records = index.len();
        let mut extent = Extent::default();
        index.for_each(|entry| {
            info.deleted += u32::from(entry.flags & flag::DELETED != 0);
            extent.include(&entry);
        });
        if !options.salvage {
            let (_, games_extension) = version.companions();
            let has_games = has_companion(&info, games_extension);
            if let Some(text) = extent.games_problem(version, set.games.len() as u64)
                && has_games
            {
                let problem = Error::invalid(text).in_file(&set.games_file);
                info.problems.push(problem.to_string());
            }
            if let Some(text) = extent.names_problem(&names)
                && names.problems.is_empty()
                && has_companion(&info, version.companions().0)
            {
                let problem = Error::invalid(text).in_file(&set.names_file);
                info.problems.push(problem.to_string());
            }
        }
        Ok(Self {
            version,
            index,
            names,
            games: set.games,
            names_file: set.names_file,
            games_file: set.games_file,
            info,
            options: options.clone(),
        })
    }

    /// What is left of a game.
    fn indexed(&self, game: GameIndex) -> Result<SalvagedEntry> {
        self.index.entry(game, |entry| self.refers(entry))
    }

    /// True if any game or name the entry refers to exists; rejects junk that can be read as an entry.
    fn refers(&self, entry: &Entry) -> bool {
        let ids = [entry.white, entry.event, entry.site, entry.round];
        let mut names = (0..).zip(ids).chain([(0, entry.black)]);
        entry.blob_at < self.games.len() as u64
            || (0..4).all(|kind| self.names.count(kind) == 0)
            || names.any(|(kind, id)| self.names.get(kind, id).is_some())
    }

    /// The entry of a game of a set that is not read for repair.
    pub(super) fn intact_entry(&self, game: GameIndex) -> Option<Entry> {
        let entry = self.indexed(game).ok().filter(|entry| entry.has_entry);
        entry
            .filter(|_| !self.index.is_salvaged())
            .map(|entry| entry.entry)
    }

    /// The file of the games.
    pub(super) const fn games_file(&self) -> &Blob {
        &self.games
    }

    /// Whether a name exists.
    pub(super) fn has_name(&self, kind: usize, id: u32) -> bool {
        self.names.get(kind, id).is_some()
    }

    /// A text of the files.
    pub(super) fn decoded<'t>(&self, bytes: &'t [u8]) -> Cow<'t, str> {
        decode(bytes, self.options.charset)
    }

    /// A name. `None` if it is missing.
    pub(super) fn text(&self, kind: usize, id: u32) -> Option<Cow<'_, str>> {
        let bytes = self.names.get(kind, id)?;
        Some(decode(bytes, self.options.charset))
    }
}

fn has_companion(info: &DatabaseInfo, extension: &str) -> bool {
    let mut companions = info.companions.iter();
    companions.any(|(name, exists)| name == extension && *exists)
}

/// What the entries of an index refer to.
#[derive(Debug, Default)]
struct Extent {
    /// The largest end of a game in the game file.
    games_end: u64,
    /// One more than the greatest number of a name, by kind.
    names: [u32; 4],
}

impl Extent {
    fn include(&mut self, entry: &Entry) {
        let end = entry.blob_at.saturating_add(entry.blob_length.into());
        self.games_end = self.games_end.max(end);
        let player = entry.white.max(entry.black);
        let ids = [player, entry.event, entry.site, entry.round];
        for (end, id) in self.names.iter_mut().zip(ids) {
            *end = id.saturating_add(1).max(*end);
        }
    }

    /// Why a game file of that size is not that of the index; `None` if it may be.
    fn games_problem(&self, version: Version, size: u64) -> Option<String> {
        if self.games_end > size {
            let end = counted(self.games_end, "byte", "bytes");
            return Some(format!("the index refers to {end}, the file has {size}"));
        }
        // The index of Scid 5 does not state its number of games.
        (version == Version::V5 && self.games_end < size).then(|| {
            let end = counted(self.games_end, "byte", "bytes");
            format!("the file has {size} bytes, the index refers to {end}: its end may be lost")
        })
    }

    /// Why a name file is not that of the index; `None` if it may be.
    fn names_problem(&self, names: &Names) -> Option<String> {
        let kinds = (0..).zip(NAME_KINDS).zip(self.names);
        let mut kinds = kinds.map(|((kind, what), end)| (names.count(kind), what, end));
        let (count, what, end) = kinds.find(|(count, _, end)| count < end)?;
        let text = format!(
            "the index refers to {what} {}, the file has {count}",
            end - 1
        );
        Some(text)
    }
}

impl Database for ScidDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        let tags = &["Event", "Site", "Round", "White", "Black"];
        let bytes = self.version.max_name();
        Some(Arc::new(NameLimit { bytes, tags }))
    }

    fn len(&self) -> u32 {
        self.index.len()
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let SalvagedEntry {
            entry, has_entry, ..
        } = self.indexed(game)?;
        if !has_entry {
            return Ok(IndexEntry::default());
        }
        let elo = |elo: u16| Some(elo).filter(|&elo| elo > 0);
        Ok(IndexEntry {
            white: Some(NameId(entry.white)),
            black: Some(NameId(entry.black)),
            event: Some(NameId(entry.event)),
            site: Some(NameId(entry.site)),
            round: Some(NameId(entry.round)),
            annotator: None,
            date: entry::date(entry.date),
            white_elo: elo(entry.white_elo),
            black_elo: elo(entry.black_elo),
            result: scid_and_scidb_index_codes::result(entry.result),
            eco: entry::eco(entry.eco),
            ply_count: Some(entry.plies).filter(|&plies| plies < entry::MAX_PLIES),
            move_count: None,
            deleted: entry.flags & flag::DELETED != 0,
            is_text: false,
            has_setup: entry.flags & flag::START != 0,
            has_variations: Some(entry.variations != 0),
            has_comments: Some(entry.comments != 0),
            has_nags: Some(entry.nags != 0),
        })
    }

    fn signature(&self, game: GameIndex) -> Option<(Material, Option<PawnsGone>)> {
        let entry = if let Some(bytes) = self.index.intact_bytes(game.0) {
            signature(self.version, bytes)?
        } else {
            let indexed = self.indexed(game).ok();
            Signature::from(&indexed.filter(|indexed| indexed.has_entry)?.entry)
        };
        // A long game in which no pawn moved is rather one whose pawns were not stored.
        let is_known = entry.home_pawn_count > 0 || entry.plies < 16;
        let has_pawns = entry.flags & flag::START == 0 && is_known;
        let gone = has_pawns.then(|| PawnsGone::new(entry.home_pawn_count, entry.home_pawns));
        Some((Material::from_bits(entry.material), gone))
    }

    fn last_materials(&self, first: GameIndex, out: &mut [Material]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let material = bytes.and_then(|bytes| last_material(self.version, bytes));
            material
                .map(|material| *out = Material::from_bits(material))
                .is_some()
        })
    }

    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let ratings = bytes.and_then(|bytes| ratings(self.version, bytes));
            ratings.map(|ratings| *out = ratings).is_some()
        })
    }

    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        (first.0..).zip(out).all(|(game, out)| {
            let bytes = self.index.intact_bytes(game);
            let players = bytes.and_then(|bytes| players(self.version, bytes));
            players
                .map(|players| *out = players.map(|id| Some(NameId(id))))
                .is_some()
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let Ok(record) = self.indexed(game) else {
            return Vec::new();
        };
        let SalvagedEntry { entry, .. } = record;
        let length = entry.blob_length as usize;
        let blob = StoredPart::of_file(
            PartKind::Game,
            &self.games_file,
            &self.games,
            entry.blob_at,
            length,
        );
        let own = self.index.stored_entry(game.0);
        own.into_iter().chain(blob).collect()
    }

    fn stored_moves(&self, game: GameIndex) -> Option<StoredMoves<'_>> {
        if self.index.is_salvaged() {
            return None;
        }
        let entry = self.indexed(game).ok()?.entry;
        let at = usize::try_from(entry.blob_at).ok()?;
        let blob = self.games.at_most(at, entry.blob_length as usize)?;
        let is_whole = blob.len() == entry.blob_length as usize;
        if entry.chess960 || entry.flags & flag::START != 0 || !is_whole {
            return None;
        }
        let mut cursor = Cursor::new(blob);
        while read_tag(&mut cursor).ok()?.is_some() {}
        // Tags of a setup position may decide what it is.
        let is_standard = read_start(&mut cursor).ok()?.is_none();
        // Comments are among the bytes.
        is_standard.then(|| StoredMoves::new(cursor.rest(), false))
    }

    fn digest(&self, records: u32) -> Option<u64> {
        if self.index.is_salvaged() || records > self.len() {
            return None;
        }
        let mut digest = RecordsDigest::new(&self.games);
        for game in 0..records {
            let entry = self.indexed(GameIndex(game)).ok()?.entry;
            let ratings = u64::from(entry.white_elo) | u64::from(entry.black_elo) << 16;
            let types = u64::from(entry.white_rating) | u64::from(entry.black_rating) << 8;
            let flags = entry.flags & (flag::START | flag::DELETED);
            let rest = u64::from(entry.result) | u64::from(entry.chess960) << 8;
            let facts = [
                ratings | types << 32,
                u64::from(entry.date) | u64::from(flags) << 32 | rest << 40,
            ];
            digest.add(facts, entry.blob_at, entry.blob_length.into());
        }
        Some(digest.finish())
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let name = names::kind_index(kind).and_then(|kind| self.text(kind, id.0));
        Ok(name.unwrap_or(Cow::Borrowed("?")))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(ScidReader {
            database: self,
            head: GameHead::default(),
            extra: Tags::new(),
            text: String::new(),
            problems: Vec::new(),
            buffers: Buffers::default(),
        })
    }

    fn head_reader(&self) -> Option<Box<dyn HeadReader + '_>> {
        (!self.index.is_salvaged()).then(|| Box::new(ScidHeads::new(self)) as Box<dyn HeadReader>)
    }
}

/// The kinds of names in texts for lost names.
const NAME_KINDS: [&str; 4] = ["player", "event", "site", "round"];

/// Reads games of one database, reusing its buffers.
#[derive(Debug)]
struct ScidReader<'d> {
    database: &'d ScidDatabase,
    head: GameHead,
    /// The tags of the blob.
    extra: Tags,
    /// The value of a tag.
    text: String,
    /// Problems found before the game begins.
    problems: Vec<Error>,
    buffers: Buffers,
}

impl GameReader for ScidReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let database = self.database;
        let record = database.indexed(game)?;
        let entry = record.entry;
        let origin = Origin {
            file: &database.games_file,
            base: entry.blob_at,
            game,
            format: database.version.id(),
            strict: database.options.strict,
        };
        self.problems.clear();
        self.extra.clear();
        self.head.clear();
        let bytes = self.blob(&record, &origin);
        let start = self.read_head(&record, bytes, want, &origin);
        let result = scid_and_scidb_index_codes::result(entry.result);
        let mut flow = origin.begin(&self.head, self.problems.drain(..), visitor)?;
        if flow == Flow::Go
            && want.has(Want::MAINLINE)
            && let Some((at, board)) = start
        {
            let depth = database.options.limits.depth;
            let buffers = &mut self.buffers;
            let walker = Walker::new(origin.clone(), want, depth, board, buffers, &mut *visitor);
            let (charset, salvage) = (database.options.charset, database.index.is_salvaged());
            let mut replay = Replay::new(walker, bytes, at, charset, salvage);
            flow = replay.run()?;
            let end = replay.end();
            flow = record.check_end(flow, end, &origin, visitor)?;
        }
        Ok(end_game(flow, result, visitor))
    }
}

impl<'d> ScidReader<'d> {
    /// The bytes of a game, as many as there are.
    fn blob(&mut self, record: &SalvagedEntry, origin: &Origin<'_>) -> &'d [u8] {
        let entry = &record.entry;
        let lost = record.lost_entry(origin, self.database.index.file());
        self.problems.extend(lost);
        let games = &self.database.games;
        let start = usize::try_from(entry.blob_at).unwrap_or(usize::MAX);
        let length = entry.blob_length as usize;
        let left = games.at_most(start, length).unwrap_or_default();
        origin.part("blob", left, length, &mut self.problems)
    }

    /// Fills the head; where the moves begin and the position they start from, if they can be
    /// played.
    fn read_head(
        &mut self,
        record: &SalvagedEntry,
        bytes: &[u8],
        want: Want,
        origin: &Origin<'_>,
    ) -> Option<(usize, Board)> {
        let entry = &record.entry;
        self.head.deleted = entry.flags & flag::DELETED != 0;
        self.head.start.chess960 = entry.chess960;
        let mut cursor = Cursor::new(bytes);
        let start = self
            .read_tags(&mut cursor)
            .and_then(|()| read_start(&mut cursor));
        let fen = match start {
            Ok(fen) => fen,
            Err(malformed) => {
                // A cut blob is already a problem.
                if self.problems.is_empty() {
                    self.problems.push(origin.error(malformed));
                }
                self.push_tags(record, want, origin);
                return None;
            }
        };
        let mut board = Some(Board::standard());
        if let Some(fen) = fen {
            board = None;
            let charset = self.database.options.charset;
            if let Some(setup) = setup_tags::read_fen(fen, charset, &mut self.extra) {
                board = Board::from_setup(&setup);
                self.head.start.setup = Some(Box::new(setup));
            }
            if board.is_none() {
                let why = Why::Text;
                let at = cursor.offset().saturating_sub(fen.len() + 1);
                self.problems.push(origin.error(malformed("fen", at, why)));
            }
        }
        self.push_tags(record, want, origin);
        let mut board = board?;
        if entry.chess960 {
            board.position.set_chess960();
        }
        if !record.has_entry {
            self.head.start.chess960 = board.position.is_chess960();
        }
        Some((cursor.offset(), board))
    }

    /// Reads the tags of the blob.
    fn read_tags(&mut self, cursor: &mut Cursor<'_>) -> Result<(), tabia_core::Malformed> {
        let charset = self.database.options.charset;
        while let Some(tag) = read_tag(cursor)? {
            match tag {
                Tag::Text { name, value } => {
                    self.extra
                        .push(&decode(name, charset), &decode(value, charset));
                }
                Tag::EventDate(bits) => {
                    let date = entry::date(bits).to_string();
                    self.extra.push("EventDate", &date);
                }
                Tag::Unknown { number, value } => {
                    let name = format!("ScidTag{number}");
                    self.extra.push(&name, &decode(value, charset));
                }
            }
        }
        Ok(())
    }

    /// The tags of the index and of the blob, in the order in which Scid shows them. A tag of the
    /// blob precedes the same one of the index.
    fn push_tags(&mut self, record: &SalvagedEntry, want: Want, origin: &Origin<'_>) {
        let entry = &record.entry;
        if !want.has(Want::TAGS) {
            return;
        }
        if !record.has_entry {
            for (name, value) in self.extra.iter() {
                self.head.tags.push(name, value);
            }
            return;
        }
        let database = self.database;
        let extra = &self.extra;
        let tags = &mut self.head.tags;
        let text = &mut self.text;
        text.clear();
        let has_extra = !extra.is_empty();
        let mut push = |name: &str, value: &str, number: Option<u32>| {
            let better = if has_extra { extra.get(name) } else { None };
            tags.push(name, better.unwrap_or(value));
            if let (None, Some(number)) = (better, number) {
                tags.number_last(number);
            }
        };
        let problems = &mut self.problems;
        let mut named = |field: &'static str, kind: usize, id: u32| {
            database.text(kind, id).unwrap_or_else(|| {
                problems.push(origin.lost_name(field, id, &database.names_file));
                // Players with lost names stay distinct.
                match (database.index.is_salvaged(), NAME_KINDS.get(kind)) {
                    (true, Some(what)) => Cow::Owned(lost_name(what, id)),
                    _ => Cow::Borrowed("?"),
                }
            })
        };
        push("Event", &named("event", 1, entry.event), Some(entry.event));
        push("Site", &named("site", 2, entry.site), Some(entry.site));
        entry::date(entry.date).push_to(text);
        push("Date", text, None);
        push("Round", &named("round", 3, entry.round), Some(entry.round));
        push("White", &named("white", 0, entry.white), Some(entry.white));
        push("Black", &named("black", 0, entry.black), Some(entry.black));
        push(
            "Result",
            scid_and_scidb_index_codes::result(entry.result).pgn(),
            None,
        );
        for (color, elo, rating) in [
            (Color::White, entry.white_elo, entry.white_rating),
            (Color::Black, entry.black_elo, entry.black_rating),
        ] {
            if elo != 0 {
                text.clear();
                decimal_digits::push_number(elo.into(), text);
                push(entry::rating_tag(color, rating), text, None);
            }
        }
        if let Some(eco) = entry::eco(entry.eco) {
            text.clear();
            entry::push_eco(eco, text);
            push("ECO", text, Some(entry.eco.into()));
        }
        if entry.event_date != 0 {
            text.clear();
            entry::date(entry.event_date).push_to(text);
            push("EventDate", text, None);
        }
        let letters = entry::flag_letters(entry.flags);
        if !letters.is_empty() {
            push("ScidFlags", &letters, None);
        }
        merge_record_tags::push_remaining(&mut self.head.tags, &self.extra);
    }
}
