//! Reads files and streams of matches.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Malformed, Problem, Result};
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Flow, GameHead, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, GameStream, IndexEntry, NameId, NameKind, PartKind,
    StoredPart,
};
use tabia_core::io::{Blob, Source};

use super::game::Match;
use super::{ID, game_boundary};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Opens a file.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let text = source.main().open()?;
    let mut games = Vec::new();
    let mut at = if text.starts_with(BOM) { BOM.len() } else { 0 };
    while let Some(range) = game_boundary::next_game(&text, at, true) {
        at = range.end;
        games.push((range.start as u64, range.end as u64));
    }
    let mut info = DatabaseInfo::default();
    info.format = ID;
    info.version = "text".into();
    info.records = games.len() as u32;
    info.encoding = match options.charset {
        charset if charset.is_single_byte() => charset.name().to_owned(),
        _ => "UTF-8, else windows-1252".to_owned(),
    };
    info.facts = vec![
        ("variant".to_owned(), "Bughouse".to_owned()),
        ("moves".to_owned(), "kept as text, not played".to_owned()),
    ];
    Ok(Box::new(BpgnDatabase {
        text,
        games,
        file: Arc::clone(source.label()),
        info,
        options: options.clone(),
    }))
}

/// Opens a stream.
pub(super) fn open_stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Box<dyn GameStream> {
    Box::new(BpgnStream {
        input,
        bytes: Vec::new(),
        at: 0,
        offset: 0,
        is_complete: false,
        games: 0,
        parsed: Match::default(),
        head: GameHead::default(),
        options: options.clone(),
    })
}

/// A file of matches.
#[derive(Debug)]
struct BpgnDatabase {
    text: Blob,
    /// The start and end of each match.
    games: Vec<(u64, u64)>,
    file: Arc<Path>,
    info: DatabaseInfo,
    options: OpenOptions,
}

impl BpgnDatabase {
    /// The bytes of a match and their offset.
    fn game(&self, game: GameIndex) -> Result<(&[u8], u64)> {
        let found = self.games.get(game.0 as usize).and_then(|&(start, end)| {
            let range: Range<usize> = start as usize..end as usize;
            Some((self.text.get(range)?, start))
        });
        found.ok_or_else(|| {
            let last = self.games.len();
            let text = format!("there is no such game, the last one is {last}");
            Error::invalid(text).in_game(game).in_file(&self.file)
        })
    }

    fn parse(&self, game: GameIndex) -> Result<Match> {
        let (bytes, _) = self.game(game)?;
        let mut parsed = Match::default();
        parsed.read(bytes, self.options.charset);
        Ok(parsed)
    }
}

impl Database for BpgnDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let parsed = self.parse(game)?;
        let id = NameId(game.0);
        Ok(IndexEntry {
            white: Some(NameId(game.0.saturating_mul(2))),
            black: Some(NameId(game.0.saturating_mul(2).saturating_add(1))),
            event: Some(id),
            site: Some(id),
            round: Some(id),
            annotator: parsed.tags.get("Annotator").map(|_| id),
            date: parsed.tags.date().unwrap_or_default(),
            white_elo: parsed.tags.white_elo(),
            black_elo: parsed.tags.black_elo(),
            result: parsed.result,
            eco: parsed.tags.eco(),
            has_comments: Some(!parsed.moves.is_empty()),
            ..IndexEntry::default()
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let part = self.game(game).ok().and_then(|(bytes, start)| {
            let length = bytes.trim_ascii_end().len();
            StoredPart::of_file(PartKind::Game, &self.file, &self.text, start, length)
        });
        part.into_iter().collect()
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let (game, tag) = match kind {
            NameKind::Player if id.0.is_multiple_of(2) => (id.0 / 2, "White"),
            NameKind::Player => (id.0 / 2, "Black"),
            NameKind::Event => (id.0, "Event"),
            NameKind::Site => (id.0, "Site"),
            NameKind::Round => (id.0, "Round"),
            NameKind::Annotator => (id.0, "Annotator"),
            _ => return Ok(Cow::Borrowed("?")),
        };
        let parsed = self.parse(GameIndex(game))?;
        Ok(Cow::Owned(parsed.tags.get(tag).unwrap_or("?").to_owned()))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(BpgnReader {
            database: self,
            parsed: Match::default(),
            head: GameHead::default(),
        })
    }
}

/// Reads matches, reusing its buffers.
#[derive(Debug)]
struct BpgnReader<'d> {
    database: &'d BpgnDatabase,
    parsed: Match,
    head: GameHead,
}

impl GameReader for BpgnReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let (bytes, start) = self.database.game(game)?;
        let options = &self.database.options;
        self.parsed.read(bytes, options.charset);
        let locate = |problem: Malformed| {
            let error = problem.at_base(start).in_game(game);
            error.in_file(&self.database.file)
        };
        visit(
            &self.parsed,
            &mut self.head,
            game,
            want,
            options,
            &locate,
            visitor,
        )
    }
}

/// Hands a match to the visitor.
fn visit(
    parsed: &Match,
    head: &mut GameHead,
    game: GameIndex,
    want: Want,
    options: &OpenOptions,
    locate: &dyn Fn(Malformed) -> Error,
    visitor: &mut dyn Visitor,
) -> Result<Flow> {
    head.clear();
    if want.has(Want::TAGS) {
        head.tags.clone_from(&parsed.tags);
    }
    match visitor.begin_game(game, head) {
        Flow::Go => {}
        Flow::Skip => {
            visitor.end_game(parsed.result);
            return Ok(Flow::Go);
        }
        Flow::Stop => return Ok(Flow::Stop),
    }
    let mut flow = Flow::Go;
    for &problem in &parsed.problems {
        let error = locate(problem);
        if options.strict {
            return Err(error);
        }
        flow = visitor.problem(Problem {
            error,
            unread_bytes: None,
        });
        if flow != Flow::Go {
            break;
        }
    }
    if flow == Flow::Go
        && want.has(Want::ANNOTATIONS)
        && let Some(annotation) = parsed.annotation()
    {
        flow = visitor.visit_annotation(annotation);
    }
    if flow == Flow::Stop {
        return Ok(Flow::Stop);
    }
    visitor.end_game(parsed.result);
    Ok(Flow::Go)
}

/// Minimal number of bytes that are read at a time.
const MIN_READ: usize = 64 << 10;

/// A stream of matches.
struct BpgnStream {
    input: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// Offset of the next match in `bytes`.
    at: usize,
    /// Offset of `bytes` in the stream.
    offset: u64,
    /// Whether `bytes` contains the end of the stream.
    is_complete: bool,
    games: u32,
    parsed: Match,
    head: GameHead,
    options: OpenOptions,
}

impl BpgnStream {
    /// The range of the next match in `bytes`.
    fn next_game(&mut self) -> Result<Option<Range<usize>>> {
        loop {
            if let Some(range) = game_boundary::next_game(&self.bytes, self.at, self.is_complete) {
                return Ok(Some(range));
            }
            if self.is_complete {
                return Ok(None);
            }
            self.bytes.drain(..self.at);
            self.offset += self.at as u64;
            self.at = 0;
            let length = self.bytes.len() as u64;
            Limits::check("a game", length, self.options.limits.record)?;
            // The size doubles each time, because the bytes are parsed again.
            let length = MIN_READ.max(self.bytes.len()) as u64;
            let mut part = Read::take(&mut self.input, length);
            let read = part.read_to_end(&mut self.bytes)?;
            self.is_complete = (read as u64) < length;
            if self.offset == 0 && self.games == 0 && self.bytes.starts_with(BOM) {
                self.at = BOM.len();
            }
        }
    }
}

impl GameStream for BpgnStream {
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>> {
        let Some(range) = self.next_game()? else {
            return Ok(None);
        };
        self.at = range.end;
        let start = self.offset + range.start as u64;
        let game = GameIndex(self.games);
        self.games = self.games.saturating_add(1);
        let bytes = self.bytes.get(range).unwrap_or_default();
        self.parsed.read(bytes, self.options.charset);
        let locate = |problem: Malformed| problem.at_base(start).in_game(game);
        let Self {
            parsed,
            head,
            options,
            ..
        } = self;
        visit(parsed, head, game, want, options, &locate, visitor).map(Some)
    }
}
