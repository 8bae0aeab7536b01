//! Scidb databases as [`Database`].

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Malformed, Result, Why};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Flow, Foreign, GameHead, Tags, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind, NameLimit, PartKind,
    StoredPart, TextLimits,
};
use tabia_core::io::{Blob, Cursor, Source, decode};
use tabia_core::plural::counted;

use crate::games::common::record_context::{Origin, end_game};
use crate::games::common::salvage::is_for_repair;
use crate::games::common::setup_tags;
use crate::games::common::zeroed_files::{has_only_zeros, zeroed_games, zeroed_names};

use super::blob_finder::Scanner;
use super::board::Board;
use super::code_tables;
use super::entry::{self, DELETED, Entry, MAX_PLIES};
use super::file_set::FileSet;
use super::format_identity::ID;
use super::name_writer::MAX_NAME;
use super::names::Names;
use super::other_variant_records;
use super::other_variant_records::has_chess_moves;
use super::read_tags::{self, TagSources, round_text};
use super::record_body;
use super::record_body::{Body, LENGTH};
use super::replay::{Buffers, Replay, ReplayOptions, Walker};
use super::salvage::{self, Index, SalvagedEntry};

/// An open Scidb database.
#[derive(Debug)]
pub(crate) struct ScidbDatabase {
    version: u16,
    /// An index into `code_tables::VARIANTS`.
    variant: u8,
    index: Index,
    names: Names,
    games: Blob,
    names_file: Arc<Path>,
    games_file: Arc<Path>,
    info: DatabaseInfo,
    options: OpenOptions,
}

/// Why the names are those of another database: an event is missing although the file is whole, or more
/// than one in 16 players plays in no game, while the file has only names that are used. `None` if they
/// fit.
fn foreign_names(index: &Index, names: &Names) -> Option<String> {
    let mut used = HashSet::new();
    let mut missing = 0;
    index.for_each(|entry| {
        used.extend([entry.white, entry.black]);
        missing += u32::from(names.event(entry.event).is_none());
    });
    if missing > 0 {
        let games = counted(missing, "game", "games");
        return Some(format!(
            "the file may be that of another database: it lacks the event of {games}"
        ));
    }
    let players = names.player_ids().len();
    let unused = names.player_ids().filter(|id| !used.contains(id)).count();
    if unused <= players / 16 {
        return None;
    }
    let players = counted(players, "player", "players");
    Some(format!(
        "the file may be that of another database: of {players} {unused} play in no game of the index"
    ))
}

impl ScidbDatabase {
    /// Opens the files of a set. A missing or damaged name or game file is reported in the info; its
    /// names or games are missing.
    pub(crate) fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut info = DatabaseInfo::default();
        info.format = ID;
        info.encoding = "UTF-8".into();
        let set = FileSet::open(source, options, &mut info)?;
        let names = if set.names.is_empty() {
            Names::default()
        } else {
            let names = Names::read(&set.names, set.header.version);
            // Labels of sections, which a search needs, can be damaged without any loss.
            if is_for_repair(options)? && !names.problems.is_empty() {
                Names::salvage(&set.names, set.header.version)
            } else {
                names
            }
        };
        for &malformed in &names.problems {
            let error = malformed.at_base(0).in_file(&set.names_file);
            info.problems.push(error.to_string());
        }
        let kinds = [
            NameKind::Player,
            NameKind::Event,
            NameKind::Site,
            NameKind::Annotator,
        ];
        info.names = kinds.into_iter().zip(names.counts()).collect();
        info.has_doubtful_names = is_for_repair(options)? && names.are_misread();
        if info.has_doubtful_names && names.problems.is_empty() {
            let error =
                Error::invalid("several names have no character, as zeros that were inserted look");
            info.problems
                .push(error.in_file(&set.names_file).to_string());
        }
        let salvage = is_for_repair(options)?.then(|| {
            let scanner = Scanner {
                file: &set.games,
                depth: options.limits.depth,
                is_chess: has_chess_moves(set.header.variant),
                version: set.header.version,
            };
            salvage::find(&set.entries, scanner, &mut info)
        });
        let is_complete = info.missing == 0
            && salvage
                .as_ref()
                .is_some_and(|salvage| salvage.unindexed.is_empty() && salvage.blank.is_empty());
        let index = Index::new(set.entries, salvage, set.index_file);
        if is_complete
            && names.problems.is_empty()
            && let Some(text) = foreign_names(&index, &names)
        {
            let error = Error::invalid(text).in_file(&set.names_file);
            info.problems.push(error.to_string());
            info.has_doubtful_names = true;
        }
        info.records = index.len();
        let mut last_record = None;
        index.for_each(|entry| {
            info.deleted += u32::from(entry.flags & DELETED != 0);
            last_record = last_record.max(Some(entry.record_at));
        });
        let exists = |extension: &str| {
            let mut companions = info.companions.iter();
            companions.any(|(name, exists)| name == extension && *exists)
        };
        let (has_names, has_games) = (exists("scn"), exists("scg"));
        info.blank_entries = index.blank_entries();
        if let Some(text) = info.blank_entries.problem() {
            let error = Error::invalid(text).in_file(index.file());
            info.problems.push(error.to_string());
        }
        if let Some(at) = last_record.filter(|_| !options.salvage) {
            let mut problem = |text: String, file: &Arc<Path>| {
                let error = Error::invalid(text).in_file(file);
                info.problems.push(error.to_string());
            };
            if set.names.is_empty() && has_names {
                problem("the file is empty".to_owned(), &set.names_file);
            }
            let zeroed = names.zeroed(&set.names);
            if zeroed > 0 {
                problem(zeroed_names(zeroed), &set.names_file);
            }
            if has_games && let Some(text) = cut_games(&set.games, at) {
                problem(text, &set.games_file);
            } else if let Some(text) = zeroed_records(&index, &set.games, at) {
                problem(text, &set.games_file);
            }
        }
        Ok(Self {
            version: set.header.version,
            variant: set.header.variant,
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
        (entry.record_at as usize) < self.games.len()
            || self.names.counts() == [0; 4]
            || self.names.event(entry.event).is_some()
            || self.names.player(entry.white).is_some()
            || self.names.player(entry.black).is_some()
    }

    fn text<'t>(&self, bytes: &'t [u8]) -> Cow<'t, str> {
        decode(bytes, self.options.charset)
    }
}

/// Why a game file whose last record begins at an offset is not complete; `None` if it may be.
fn cut_games(games: &[u8], last: u32) -> Option<String> {
    let size = games.len();
    let record = games.get(last as usize..).unwrap_or_default();
    let length = Cursor::new(record).u24_be("length").unwrap_or(0);
    let needed = (length as usize).max(LENGTH);
    (record.len() < needed).then(|| {
        let end = counted(u64::from(last) + needed as u64, "byte", "bytes");
        format!("the index refers to {end}, the file has {size}")
    })
}

/// How many games have records whose length is zero, which no record has, if the last one in the file has such a record;
/// `None` if it has another length.
fn zeroed_records(index: &Index, games: &Blob, last: u32) -> Option<String> {
    let is_zeroed = |at: u32| has_only_zeros(games, at.into(), LENGTH as u64);
    if !is_zeroed(last) {
        return None;
    }
    let mut count = 0;
    index.for_each(|entry| count += u32::from(entry.record_at > 0 && is_zeroed(entry.record_at)));
    zeroed_games(count)
}

impl Database for ScidbDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn text_limits(&self) -> Option<Arc<dyn TextLimits>> {
        let tags = &["Event", "Site", "White", "Black"];
        Some(Arc::new(NameLimit {
            bytes: MAX_NAME,
            tags,
        }))
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
        let event = self.names.event(entry.event);
        let annotator = self.names.annotator(entry.annotator);
        Ok(IndexEntry {
            white: Some(NameId(entry.white)),
            black: Some(NameId(entry.black)),
            event: Some(NameId(entry.event)),
            site: event.map(|(_, facts)| NameId(facts.site)),
            // A round that is no number, as `?.3`, is among the tags of the record.
            round: Some(u32::from(entry.round) << 8 | u32::from(entry.sub_round))
                .filter(|&round| round != 0)
                .map(NameId),
            annotator: annotator
                .filter(|name| !name.is_empty())
                .map(|_| NameId(entry.annotator)),
            date: entry.date(),
            white_elo: elo(entry.white_elo),
            black_elo: elo(entry.black_elo),
            result: entry.game_result(),
            eco: entry.eco(),
            ply_count: Some(entry.plies).filter(|&plies| plies < MAX_PLIES),
            move_count: None,
            deleted: entry.flags & DELETED != 0,
            is_text: false,
            has_setup: entry.start != entry::STANDARD,
            has_variations: Some(entry.variations != 0),
            has_comments: Some(entry.comments != 0),
            // Marks are counted together with NAGs.
            has_nags: (entry.annotations == 0).then_some(false),
            has_training: Some(false),
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let Ok(SalvagedEntry { entry, .. }) = self.indexed(game) else {
            return Vec::new();
        };
        let record = self.games.get(entry.record_at as usize..);
        let length = Cursor::new(record.unwrap_or_default())
            .u24_be("length")
            .unwrap_or(0);
        let length = (length as usize).max(LENGTH);
        let record_at = entry.record_at.into();
        let record = StoredPart::of_file(
            PartKind::Game,
            &self.games_file,
            &self.games,
            record_at,
            length,
        );
        let own = self.index.stored_entry(game.0);
        own.into_iter().chain(record).collect()
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let name = match kind {
            NameKind::Player => self.names.player(id.0).map(|(name, _)| name),
            NameKind::Event => self.names.event(id.0).map(|(name, _)| name),
            NameKind::Site => self.names.site(id.0).map(|(name, _)| name),
            NameKind::Annotator => self.names.annotator(id.0),
            NameKind::Round => {
                let text = round_text((id.0 >> 8) as u8, id.0 as u8);
                return Ok(Cow::Owned(text));
            }
            _ => None,
        };
        Ok(name.map_or(Cow::Borrowed("?"), |name| self.text(name)))
    }

    fn foreign_names(&self) -> Option<Error> {
        // Builds that only read need no more than the names.
        let is_whole =
            cfg!(feature = "writers") && self.info.missing == 0 && self.names.problems.is_empty();
        let text = is_whole.then(|| foreign_names(&self.index, &self.names))??;
        Some(Error::invalid(text).in_file(&self.names_file))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(ScidbReader {
            database: self,
            head: GameHead::default(),
            extra: Tags::new(),
            problems: Vec::new(),
            buffers: Buffers::default(),
        })
    }
}

/// Reads games of one database, reusing its buffers.
#[derive(Debug)]
struct ScidbReader<'d> {
    database: &'d ScidbDatabase,
    head: GameHead,
    /// The tags of the record.
    extra: Tags,
    /// Problems found before the game begins.
    problems: Vec<Error>,
    buffers: Buffers,
}

impl GameReader for ScidbReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let database = self.database;
        let record = database.indexed(game)?;
        let entry = record.entry;
        let record_at = u64::from(entry.record_at);
        let origin = Origin {
            file: &database.games_file,
            base: record_at + LENGTH as u64,
            game,
            format: ID,
            strict: database.options.strict,
        };
        self.problems.clear();
        self.extra.clear();
        self.head.clear();
        let problem = record.entry_problem(&origin, database.index.file());
        self.problems.extend(problem);
        let bytes = self.record(&entry, &origin);
        let body = match bytes.map(|bytes| Body::read(bytes, database.version)) {
            None => None,
            Some(Ok((body, malformed))) => {
                let error = malformed.map(|malformed| origin.error(malformed));
                self.problems.extend(error);
                Some(body)
            }
            Some(Err(malformed)) => {
                self.problems.push(origin.error(malformed));
                None
            }
        };
        let start = self.read_head(&record, body.as_ref(), want, &origin);
        let result = entry.game_result();
        let mut flow = origin.begin(&self.head, self.problems.drain(..), visitor)?;
        if flow == Flow::Go
            && want.has(Want::MAINLINE)
            && let (Some(body), Some(bytes)) = (&body, bytes)
        {
            flow = if let Some(board) = start {
                let depth = database.options.limits.depth;
                let buffers = &mut self.buffers;
                let walker =
                    Walker::new(origin.clone(), want, depth, board, buffers, &mut *visitor);
                let options = ReplayOptions {
                    charset: database.options.charset,
                    version: database.version,
                    plies: entry.plies.into(),
                    salvage: database.index.is_salvaged(),
                };
                let mut replay = Replay::new(walker, body, options);
                let flow = replay.run()?;
                let end = replay.end();
                record.check_end(flow, end, &origin, visitor)?
            } else if want.has(Want::ANNOTATIONS) {
                // Moves of another variant, or from an unknown start.
                visitor.visit_annotation(Annotation::Foreign(Foreign {
                    format: ID,
                    kind: Foreign::UNREAD_MOVES,
                    bytes: &other_variant_records::to_bytes(&entry, bytes, database.version),
                }))
            } else {
                Flow::Go
            };
        }
        Ok(end_game(flow, result, visitor))
    }
}

impl<'d> ScidbReader<'d> {
    /// The bytes of a body, as many as there are.
    fn record(&mut self, entry: &Entry, origin: &Origin<'_>) -> Option<&'d [u8]> {
        let games = self.database.games.as_slice();
        let mut cursor = Cursor::new(games.get(entry.record_at as usize..).unwrap_or_default());
        let length = match cursor.u24_be("length") {
            Ok(length) => (length as usize).saturating_sub(LENGTH),
            Err(malformed) => {
                let error = origin.beyond_end(malformed.to_string(), entry.record_at.into());
                self.problems.push(error);
                return None;
            }
        };
        let left = cursor.rest();
        Some(origin.part("record", left, length, &mut self.problems))
    }

    /// Fills the head; the position the moves start from, if they are moves of chess.
    fn read_head(
        &mut self,
        record: &SalvagedEntry,
        body: Option<&Body<'_>>,
        want: Want,
        origin: &Origin<'_>,
    ) -> Option<Board> {
        let database = self.database;
        let entry = &record.entry;
        self.head.deleted = entry.flags & DELETED != 0;
        if let Some(body) = body {
            body.push_tags(database.options.charset, &mut self.extra);
        }
        let variant = code_tables::text(&code_tables::VARIANTS, database.variant);
        let is_chess = has_chess_moves(database.variant);
        let mut board = None;
        if let Some(body) = body.filter(|_| is_chess) {
            board = self.read_start(body, origin);
        } else if let Some(fen) = body.and_then(|body| body.fen) {
            self.extra.push("FEN", &database.text(fen));
        }
        let tag = self.extra.text("Variant");
        if ["chess960", "fischerandom", "fischerrandom"]
            .iter()
            .any(|name| tag.eq_ignore_ascii_case(name))
        {
            self.head.start.chess960 = true;
        }
        if self.head.start.chess960
            && let Some(board) = &mut board
        {
            board.position.set_chess960();
        }
        if want.has(Want::TAGS) {
            if record.has_entry && database.index.is_salvaged() {
                let names = database.names.of_entry(entry);
                let changed = names.into_iter().filter_map(|(field, name)| {
                    origin.changed_name(field, name?, &database.names_file)
                });
                self.problems.extend(changed);
            }
            let problems = &mut self.problems;
            read_tags::push(
                &mut self.head.tags,
                &TagSources {
                    record: &self.extra,
                    entry,
                    names: &database.names,
                    variant,
                    charset: database.options.charset,
                    numbers_lost_names: record.has_entry && database.index.is_salvaged(),
                },
                &mut |field, id| {
                    if record.has_entry {
                        problems.push(origin.lost_name(field, id, &database.names_file));
                    }
                },
            );
        }
        board
    }

    fn read_start(&mut self, body: &Body<'_>, origin: &Origin<'_>) -> Option<Board> {
        let error = |field, at, why| origin.error(Malformed { field, at, why });
        let Some(fen) = body.fen else {
            let Some((start, is_array)) = record_body::start(body.start) else {
                let why = Why::Value(body.start.into());
                self.problems.push(error("start", 0, why));
                return None;
            };
            let board = match &start.setup {
                None => Some(Board::standard()),
                Some(setup) => Board::from_setup(setup, is_array),
            };
            if let Some(setup) = &start.setup {
                setup_tags::push_setup(setup, &mut self.extra);
            }
            self.head.start = start;
            return board;
        };
        let mut board = None;
        let charset = self.database.options.charset;
        if let Some(setup) = setup_tags::read_fen(fen, charset, &mut self.extra) {
            board = Board::from_setup(&setup, false);
            self.head.start.setup = Some(Box::new(setup));
        }
        if board.is_none() {
            self.problems.push(error("fen", 2, Why::Text));
        }
        board
    }
}
