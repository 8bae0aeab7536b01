//! Random access to the positions of a suite.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, GameIndex, Result};
use tabia_core::formats::{FormatId, Limits, OpenOptions};
use tabia_core::game::{Flow, GameHead, GameResult, Tags, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind, PartKind, StoredPart,
};
use tabia_core::io::{Blob, Charset, Source};

use super::line;

/// A suite with an index of its lines, 16 bytes for each.
#[derive(Debug)]
pub(super) struct Suite {
    blob: Blob,
    label: Arc<Path>,
    charset: Charset,
    strict: bool,
    lines: Vec<LineSpan>,
    info: DatabaseInfo,
}

/// The location of a line.
#[derive(Debug, Clone, Copy)]
struct LineSpan {
    at: u64,
    length: u32,
    number: u32,
}

impl Suite {
    pub(super) fn open(id: FormatId, source: &Source, options: &OpenOptions) -> Result<Self> {
        let label = Arc::clone(source.label());
        let blob = source.main().open()?;
        let mut lines = Vec::new();
        for line in line::lines(&blob) {
            Limits::check("line", line.bytes.len() as u64, options.limits.record)
                .map_err(|error| error.in_file(&label))?;
            lines.push(LineSpan {
                at: line.at as u64,
                length: u32::try_from(line.bytes.len()).unwrap_or(u32::MAX),
                number: u32::try_from(line.number).unwrap_or(u32::MAX),
            });
        }
        let records = Limits::check("lines", lines.len() as u64, u64::from(u32::MAX))
            .map_err(|error| error.in_file(&label))?;
        let mut info = DatabaseInfo::default();
        info.format = id;
        info.records = records as u32;
        info.encoding = options.charset.name().into();
        Ok(Self {
            blob,
            label,
            charset: options.charset,
            strict: options.strict,
            lines,
            info,
        })
    }

    /// Parses the line of a position.
    fn head(&self, game: GameIndex, tags: bool, head: &mut GameHead) -> Result<()> {
        let Some(span) = self.lines.get(game.0 as usize) else {
            return Err(Error::invalid("no such position").in_file(&self.label));
        };
        let start = span.at as usize;
        let bytes = self.blob.get(start..start + span.length as usize);
        line::read(bytes.unwrap_or_default(), self.charset, tags, head)
            .map_err(|error| self.locate(error, game))
    }

    /// Adds the location of a position to `error`.
    fn locate(&self, error: Error, game: GameIndex) -> Error {
        let number = self
            .lines
            .get(game.0 as usize)
            .map_or(0, |line| line.number);
        error
            .at_line(u64::from(number), 1)
            .in_game(game)
            .in_file(&self.label)
    }
}

/// The tag that contains the name with this id; `None` if suites have no such names.
fn tag_of(kind: NameKind, id: u32) -> Option<&'static str> {
    Some(match kind {
        NameKind::Player if id & 1 == 0 => "White",
        NameKind::Player => "Black",
        NameKind::Event => "Event",
        NameKind::Site => "Site",
        NameKind::Round => "Round",
        NameKind::Annotator => "Annotator",
        _ => return None,
    })
}

impl Database for Suite {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.info.records
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let mut head = GameHead::default();
        self.head(game, true, &mut head)?;
        let tags = &head.tags;
        // The id of a name is twice the number of its line, and one more for Black.
        let id = |kind, low: u32| {
            let number = game.0.checked_mul(2)? | low;
            let text = tags.text(tag_of(kind, number)?);
            (!text.is_empty() && text != "?").then_some(NameId(number))
        };
        Ok(IndexEntry {
            white: id(NameKind::Player, 0),
            black: id(NameKind::Player, 1),
            event: id(NameKind::Event, 0),
            site: id(NameKind::Site, 0),
            round: id(NameKind::Round, 0),
            annotator: id(NameKind::Annotator, 0),
            date: tags.date().unwrap_or_default(),
            white_elo: tags.white_elo(),
            black_elo: tags.black_elo(),
            result: result_of(tags),
            eco: tags.eco(),
            ply_count: Some(0),
            has_setup: head.start.setup.is_some(),
            has_variations: Some(false),
            has_comments: Some(false),
            has_nags: Some(false),
            ..IndexEntry::default()
        })
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let part = self.lines.get(game.0 as usize).and_then(|line| {
            let length = line.length as usize;
            StoredPart::of_file(PartKind::Game, &self.label, &self.blob, line.at, length)
        });
        part.into_iter().collect()
    }

    fn name(&self, kind: NameKind, id: NameId) -> Result<Cow<'_, str>> {
        let mut head = GameHead::default();
        self.head(GameIndex(id.0 / 2), true, &mut head)?;
        let text = tag_of(kind, id.0).map(|tag| head.tags.text(tag).to_owned());
        Ok(Cow::Owned(text.unwrap_or_default()))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(Reader {
            suite: self,
            head: GameHead::default(),
        })
    }
}

/// The result of the game from which a position is; suites have none.
fn result_of(tags: &Tags) -> GameResult {
    let stated = tags.get("Result");
    let known = stated.and_then(|stated| GameResult::parse(stated.as_bytes()));
    known.unwrap_or_default()
}

struct Reader<'s> {
    suite: &'s Suite,
    head: GameHead,
}

impl GameReader for Reader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        self.suite.head(game, true, &mut self.head)?;
        let result = result_of(&self.head.tags);
        if !want.has(Want::TAGS) {
            self.head.tags.clear();
        }
        let error = match &self.head.start.setup {
            Some(setup) => tabia_core::chess::Position::from_setup(setup).err(),
            None => None,
        };
        let error = error.map(|error| {
            let error = Error::new(ErrorKind::Invalid(error.to_string()));
            self.suite.locate(error, game)
        });
        match error {
            Some(error) if self.suite.strict => return Err(error),
            _ => {}
        }
        if visitor.begin_game(game, &self.head) == Flow::Stop {
            return Ok(Flow::Stop);
        }
        if let Some(error) = error
            && visitor.problem(error.into()) == Flow::Stop
        {
            return Ok(Flow::Stop);
        }
        visitor.end_game(result);
        Ok(Flow::Go)
    }
}
