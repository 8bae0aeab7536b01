//! Databases as [`Database`].

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::FenStyle;
use tabia_core::error::{Error, ErrorKind, Malformed, Problem, Result, Why};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind, PartKind, StoredPart,
};
use tabia_core::io::{Blob, Cursor, Source, name_text};
use tabia_core::plural::counted;

use crate::games::common::record_context::{Origin, end_game};
use crate::games::common::salvage::is_for_repair;

use super::moves::Board;
use super::record::{HEADER, Header, Parts, setup};
use super::replay::{Buffers, Replay, Walker};
use super::{ID, charset};

/// Opens a database.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CbfDatabase::open(source, options)?))
}

/// An open database.
#[derive(Debug)]
struct CbfDatabase {
    games: Blob,
    file: Arc<Path>,
    index_file: Arc<Path>,
    /// Offsets of the records.
    offsets: Vec<u32>,
    /// Offset of the next record to be added, as the index states it.
    end: Option<u32>,
    info: DatabaseInfo,
    options: OpenOptions,
}

/// The most games of an index.
const MAX_GAMES: usize = 1 << 24;

impl CbfDatabase {
    fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let is_index = |path: &Path| {
            let extension = path.extension().unwrap_or_default();
            extension.eq_ignore_ascii_case("cbi")
        };
        if is_index(source.label()) {
            // The index has offsets and nothing of the games.
            let file = source.label_of("cbf");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let kind = ErrorKind::MissingFile(name.into_owned());
            return Err(Error::new(kind).in_file(source.label()));
        }
        let is_for_repair = is_for_repair(options)?;
        let games = source.main().open()?;
        let index = source.open_companion("cbi")?;
        let mut info = DatabaseInfo::default();
        info.format = ID;
        info.version = "ChessBase for DOS".into();
        info.encoding = match options.charset {
            charset if charset.is_single_byte() => charset.name().to_owned(),
            _ => "CP850".to_owned(),
        };
        info.companions = vec![("cbi".to_owned(), index.is_some())];
        let index_file = source.label_of("cbi");
        let (offsets, end) = if let Some(index) = &index {
            let Index {
                mut offsets,
                announced,
                end,
            } = read_index(index, &mut info.problems);
            let is_cut = announced.is_none_or(|announced| announced > offsets.len());
            if is_cut || is_for_repair {
                let found = add_records(&mut offsets, &games);
                if found > 0 {
                    let found = counted(found, "game was", "games were");
                    let text = format!("{found} found in the file that the index does not have");
                    info.problems.push(text);
                }
            }
            if is_for_repair {
                let missing = announced.unwrap_or_default().saturating_sub(offsets.len());
                info.missing = u32::try_from(missing).unwrap_or(u32::MAX);
            }
            (offsets, end)
        } else {
            let name = name_text(index_file.as_os_str());
            info.problems.push(format!(
                "{name} is missing: records are searched for one after another"
            ));
            (find_records(&games), None)
        };
        info.records = offsets.len() as u32;
        Ok(Self {
            games,
            file: Arc::clone(source.label()),
            index_file,
            offsets,
            end,
            info,
            options: options.clone(),
        })
    }

    /// The bytes of a record and what follows it.
    fn record(&self, game: GameIndex) -> Result<(u32, &[u8])> {
        let Some(&offset) = self.offsets.get(game.0 as usize) else {
            let last = self.offsets.len();
            let text = format!("there is no such game, the last one is {last}");
            return Err(Error::invalid(text).in_game(game).in_file(&self.file));
        };
        let bytes = self.games.get(offset as usize..).unwrap_or_default();
        Ok((offset, bytes))
    }

    fn header(&self, game: GameIndex) -> Result<(u32, Header, &[u8])> {
        let (offset, bytes) = self.record(game)?;
        let header = Header::read(bytes).ok_or_else(|| {
            let why = Why::Truncated {
                needed: HEADER,
                left: bytes.len(),
            };
            let malformed = Malformed {
                field: "header",
                at: 0,
                why,
            };
            malformed
                .at_base(offset.into())
                .in_game(game)
                .in_file(&self.file)
        })?;
        Ok((offset, header, bytes))
    }

    fn names(&self, parts: &Parts) -> Names {
        let charset = self.options.charset;
        let (white, black) = parts.players();
        let source = charset::name(parts.source(), charset, false);
        let (event, round) = split_round(&source);
        Names {
            white: or_unknown(charset::name(white, charset, true)),
            black: or_unknown(charset::name(black, charset, true)),
            event: or_unknown(event),
            round: or_unknown(round),
        }
    }
}

/// The names of a record; `?` for those that are empty.
#[derive(Debug)]
struct Names {
    white: String,
    black: String,
    event: String,
    round: String,
}

fn or_unknown(text: String) -> String {
    if text.is_empty() {
        "?".to_owned()
    } else {
        text
    }
}

/// What an index states.
#[derive(Debug, PartialEq)]
struct Index {
    offsets: Vec<u32>,
    /// The number of games; `None` if it is cut off.
    announced: Option<usize>,
    /// The offset of the next record to be added.
    end: Option<u32>,
}

/// Reads an index. Each stored offset includes the number of records before it.
fn read_index(index: &[u8], problems: &mut Vec<String>) -> Index {
    let mut cursor = Cursor::new(index);
    let Ok(count) = cursor.u32_be("count") else {
        problems.push("the index is shorter than its counter".to_owned());
        return Index {
            offsets: Vec::new(),
            announced: None,
            end: None,
        };
    };
    let announced = count.saturating_sub(1) as usize;
    let stored = cursor.left() / 4;
    let games = announced.min(stored).min(MAX_GAMES);
    if games < announced {
        problems.push(format!(
            "the index states {} and has {}",
            counted(announced, "game", "games"),
            counted(games, "offset", "offsets")
        ));
    }
    let mut offset = |number: u32| {
        let value = cursor.u32_be("offset").ok()?;
        Some(value.checked_sub(number + 2).unwrap_or(u32::MAX))
    };
    let offsets = (0..games as u32).filter_map(&mut offset).collect();
    Index {
        offsets,
        announced: Some(announced),
        end: offset(games as u32),
    }
}

/// Adds the records of the file to which no offset leads: to offsets at which no record begins, between the same
/// neighbours at which one does, else at the end. Returns how many were found.
fn add_records(offsets: &mut Vec<u32>, games: &[u8]) -> usize {
    let record_at = |offset: u32| games.get(offset as usize..).and_then(Header::read);
    let is_hole = |offset: u32| !record_at(offset).is_some_and(|header| header.is_checked);
    let mut known: Vec<u32> = offsets.clone();
    known.retain(|offset| record_at(*offset).is_some());
    known.sort_unstable();
    let mut found = Vec::new();
    let mut at = 0_usize;
    while let Some(header) = games.get(at..).and_then(Header::read)
        && let Ok(offset) = u32::try_from(at)
    {
        let next = known.partition_point(|known| *known <= offset);
        let next = known.get(next).map(|next| *next as usize);
        let end = at + header.record_length();
        if !header.is_checked || next.is_some_and(|next| end > next) {
            // Not the start of a record, or one of unknown length.
            match next {
                Some(next) => at = next,
                None => break,
            }
            continue;
        }
        if known.binary_search(&offset).is_err() {
            found.push(offset);
        }
        at = end;
    }
    let count = found.len();
    let mut runs = holes(offsets, is_hole).into_iter().peekable();
    for offset in found {
        // The offsets ascend: a run that ends before this one gets none of the others.
        while runs
            .next_if(|run| run.is_full() || run.before <= offset)
            .is_some()
        {}
        let run = runs
            .peek_mut()
            .filter(|run| run.after.is_none_or(|after| after < offset));
        match run.and_then(|run| offsets.get_mut(run.next()?)) {
            Some(hole) => *hole = offset,
            None => offsets.push(offset),
        }
    }
    count
}

/// Offsets one after another at which no record begins.
struct Holes {
    /// The offset of the record before them.
    after: Option<u32>,
    /// The offset of the record after them.
    before: u32,
    /// Their indices that are not used yet.
    indices: Range<usize>,
}

impl Holes {
    fn is_full(&self) -> bool {
        self.indices.is_empty()
    }

    fn next(&mut self) -> Option<usize> {
        self.indices.next()
    }
}

/// The runs of offsets at which no record begins, by the offset of the record before them.
fn holes(offsets: &[u32], is_hole: impl Fn(u32) -> bool) -> Vec<Holes> {
    let mut runs: Vec<Holes> = Vec::new();
    let mut after = None;
    let mut open: Option<Holes> = None;
    for (index, &offset) in offsets.iter().enumerate() {
        if is_hole(offset) {
            let run = open.get_or_insert(Holes {
                after,
                before: u32::MAX,
                indices: index..index,
            });
            run.indices.end = index + 1;
        } else {
            after = Some(offset);
            runs.extend(open.take().map(|run| Holes {
                before: offset,
                ..run
            }));
        }
    }
    runs.extend(open);
    runs.sort_by_key(|run| run.after);
    runs
}

/// Records one after another, as long as their check bytes fit.
fn find_records(games: &[u8]) -> Vec<u32> {
    let mut offsets = Vec::new();
    let mut at = 0_usize;
    while let Some(header) = games.get(at..).and_then(Header::read)
        && header.is_checked
        && let Ok(offset) = u32::try_from(at)
    {
        offsets.push(offset);
        at += header.record_length();
    }
    offsets
}

/// Splits a source into the event and the round in parentheses: `(3)`, `(3.2)`, `(3/1)`, `(m/3)`.
fn split_round(source: &str) -> (String, String) {
    let no_round = || (source.to_owned(), String::new());
    let (Some(open), Some(close)) = (source.rfind('('), source.rfind(')')) else {
        return no_round();
    };
    let (Some(before), Some(inner), Some(after)) = (
        source.get(..open),
        source.get(open + 1..close),
        source.get(close + 1..),
    ) else {
        return no_round();
    };
    let number = |text: &str| text.parse::<u8>().ok().map(|number| number.to_string());
    let round = match inner.split_once(['.', '/']) {
        None => number(inner),
        Some(("m", round)) => number(round),
        Some((round, sub)) => number(round)
            .zip(number(sub))
            .map(|(round, sub)| format!("{round}.{sub}")),
    };
    let Some(round) = round else {
        return no_round();
    };
    let event = match (before.trim_end(), after.trim_start()) {
        (before, "") => before.to_owned(),
        (before, after) => format!("{before} {after}"),
    };
    (event, round)
}

impl Database for CbfDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.offsets.len() as u32
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let (_, header, _) = self.header(game)?;
        let id = game.0;
        Ok(IndexEntry {
            white: Some(NameId(id.saturating_mul(2))),
            black: Some(NameId(id.saturating_mul(2).saturating_add(1))),
            event: Some(NameId(id)),
            round: Some(NameId(id)),
            date: header.date,
            white_elo: header.white_elo,
            black_elo: header.black_elo,
            result: header.result,
            eco: header.eco,
            move_count: Some(header.move_count),
            has_setup: header.setup.is_some(),
            ..IndexEntry::default()
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let part = self.header(game).ok().and_then(|(offset, header, _)| {
            let length = header.record_length();
            StoredPart::of_file(
                PartKind::Game,
                &self.file,
                &self.games,
                offset.into(),
                length,
            )
        });
        part.into_iter().collect()
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let game = match kind {
            NameKind::Player => id.0 / 2,
            _ => id.0,
        };
        let (_, header, bytes) = self.header(GameIndex(game))?;
        let mut parts = Parts::default();
        parts.read_names(&header, bytes);
        let names = self.names(&parts);
        Ok(Cow::Owned(match kind {
            NameKind::Player if id.0.is_multiple_of(2) => names.white,
            NameKind::Player => names.black,
            NameKind::Event => names.event,
            NameKind::Round => names.round,
            _ => "?".to_owned(),
        }))
    }

    fn verify(&self, found: &mut dyn FnMut(Problem)) {
        let length = self.games.len() as u64;
        let mut report = |text: String, game: u32| {
            let error = Error::invalid(text).in_file(&self.index_file);
            found(Problem::from(error.in_game(GameIndex(game))));
        };
        let next = self.offsets.iter().copied().skip(1).chain(self.end);
        for (game, (&offset, next)) in (0..).zip(self.offsets.iter().zip(next)) {
            let Some(header) = self.games.get(offset as usize..).and_then(Header::read) else {
                continue;
            };
            let end = u64::from(offset) + header.record_length() as u64;
            if end > u64::from(next) && end <= length {
                report(
                    format!(
                        "the next record begins at {next:#x}, before this one ends at {end:#x}"
                    ),
                    game,
                );
            }
        }
        if let Some(end) = self.end.filter(|&end| u64::from(end) != length) {
            let error = Error::invalid(format!(
                "the records end at {end:#x} and the file at {length:#x}"
            ));
            found(Problem::from(error.in_file(&self.index_file)));
        }
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(CbfReader {
            database: self,
            head: GameHead::default(),
            parts: Parts::default(),
            buffers: Buffers::default(),
        })
    }
}

/// Reads games, reusing its buffers.
#[derive(Debug)]
struct CbfReader<'d> {
    database: &'d CbfDatabase,
    head: GameHead,
    parts: Parts,
    buffers: Buffers,
}

impl GameReader for CbfReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let database = self.database;
        let (offset, header, bytes) = database.header(game)?;
        let origin = Origin {
            file: &database.file,
            base: offset.into(),
            game,
            format: ID,
            strict: database.options.strict,
        };
        self.head.clear();
        let mut problems = Vec::new();
        if !header.is_checked {
            problems.push(Malformed {
                field: "check",
                at: HEADER - 1,
                why: Why::Checksum,
            });
        }
        let has_moves = match self.parts.read(&header, bytes) {
            Ok(()) => true,
            Err(malformed) => {
                problems.push(malformed);
                // The moves can be complete, and only the text or the position cut.
                !self.parts.moves.is_empty() && header.setup.is_none()
            }
        };
        let start = self.read_start(&header, &mut problems);
        if want.has(Want::TAGS) {
            self.push_tags(&header);
        }
        let errors = problems.into_iter().map(|problem| origin.error(problem));
        let mut flow = origin.begin(&self.head, errors, visitor)?;
        if flow == Flow::Go
            && has_moves
            && want.has(Want::MAINLINE)
            && let Some(board) = start
        {
            let depth = database.options.limits.depth;
            let walker = Walker::new(origin, want, depth, board, &mut self.buffers, visitor);
            flow = Replay::new(walker, &self.parts, database.options.charset).run()?;
        }
        Ok(end_game(flow, header.result, visitor))
    }
}

impl CbfReader<'_> {
    /// The position the moves start from; `None` if they cannot be played.
    fn read_start(&mut self, header: &Header, problems: &mut Vec<Malformed>) -> Option<Board> {
        let Some(bits) = header.setup else {
            return Some(Board::standard());
        };
        let board = self.parts.board.as_ref()?;
        let at = self.parts.text_at + self.parts.text.len();
        let (setup, passed) = match setup(bits, board, at) {
            Ok(read) => read,
            Err(malformed) => {
                problems.push(malformed);
                return None;
            }
        };
        let board = Board::from_setup(&setup, passed);
        if board.is_none() {
            problems.push(Malformed {
                field: "board",
                at,
                why: Why::IllegalMove,
            });
        }
        self.head.start.setup = Some(Box::new(setup));
        board
    }

    fn push_tags(&mut self, header: &Header) {
        let names = self.database.names(&self.parts);
        let tags = &mut self.head.tags;
        tags.push("Event", &names.event);
        tags.push("Site", "?");
        tags.push("Date", &header.date.to_string());
        tags.push("Round", &names.round);
        tags.push("White", &names.white);
        tags.push("Black", &names.black);
        tags.push("Result", header.result.pgn());
        for (name, elo) in [
            ("WhiteElo", header.white_elo),
            ("BlackElo", header.black_elo),
        ] {
            if let Some(elo) = elo {
                tags.push(name, &elo.to_string());
            }
        }
        if let Some(eco) = header.eco {
            tags.push("ECO", &eco.to_string());
        }
        if let Some(setup) = &self.head.start.setup {
            tags.push("SetUp", "1");
            tags.push("FEN", &setup.fen(FenStyle::XFen));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_in_parentheses() {
        for (source, event, round) in [
            ("London (3)", "London", "3"),
            ("Wch (m/12)", "Wch", "12"),
            ("Ol (3/1) Nice", "Ol Nice", "3.1"),
            ("A (3.2)", "A", "3.2"),
            ("Hastings (1895)", "Hastings (1895)", ""),
            ("no ) round (", "no ) round (", ""),
            ("x (Ger)", "x (Ger)", ""),
        ] {
            assert_eq!(split_round(source), (event.to_owned(), round.to_owned()));
        }
    }

    #[test]
    fn offsets_include_the_number_of_records_before() {
        let mut problems = Vec::new();
        let index = [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0x3a, 0, 0, 0, 0xa0];
        let read = |offsets: &[u32], end| Index {
            offsets: offsets.to_vec(),
            announced: Some(2),
            end,
        };
        assert_eq!(
            read_index(&index, &mut problems),
            read(&[0, 0x37], Some(0x9c))
        );
        assert_eq!(read_index(&index[..9], &mut problems), read(&[0], None));
        assert_eq!(problems.len(), 1);
    }
}
