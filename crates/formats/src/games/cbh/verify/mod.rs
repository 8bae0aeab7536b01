//! The deep check of a database: does what the files say of themselves and of each other hold?

mod entities;
mod files;

use std::fmt;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::{Error, ErrorKind, GameIndex, Problem};
use tabia_core::game::{Flow, GameHead, Visitor, Want};
use tabia_core::games::{Database, GameReader};

use crate::games::cbh::annotations::{Item, Items};
use crate::games::cbh::content_summary::{Contents, MoveFacts};
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::open::{CbhDatabase, Record};
use crate::games::cbh::records::{AnnotationsHead, ExtendedRecord, GameRecord, MovesHead};
use crate::games::cbh::side_files::SideTable;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A number that programs compute again or do not need is out of date.
    Stale,
    /// Something points to what is not there, or cannot be read.
    Damage,
}

/// Something in the files that does not hold.
#[derive(Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What and where.
    pub error: Error,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.error)
    }
}

/// Reads everything and compares. Findings come in the order of the files, games first.
pub fn verify(db: &CbhDatabase) -> Vec<Finding> {
    run(db, true)
}

/// Compares all but what is inside moves and annotations.
pub fn structure(db: &CbhDatabase) -> Vec<Finding> {
    run(db, false)
}

fn run(db: &CbhDatabase, contents: bool) -> Vec<Finding> {
    let mut check = Check {
        db,
        contents,
        findings: Vec::new(),
        bodies: Vec::new(),
        comments: Vec::new(),
    };
    for problem in &db.info().problems {
        check.find(Severity::Damage, Error::invalid(problem.clone()));
    }
    let mut uses = Uses::new(db);
    let mut reader = db.reader();
    for index in (0..db.len()).map(GameIndex) {
        check.record(index, &mut *reader, &mut uses);
    }
    check.files();
    let tables = db.tables();
    check.table(tables.players.as_ref(), Some(&uses.players));
    check.table(tables.tournaments.as_ref(), Some(&uses.tournaments));
    check.table(tables.annotators.as_ref(), Some(&uses.annotators));
    check.table(tables.sources.as_ref(), Some(&uses.sources));
    // Records that `.cbj` lacks would refer to teams and tags.
    let extended = tables.extended.as_ref().map_or(0, SideTable::len);
    let is_whole = extended >= db.len();
    check.table(tables.teams.as_ref(), is_whole.then_some(&uses.teams));
    check.table(
        tables.game_tags.as_ref(),
        is_whole.then_some(&uses.game_tags),
    );
    check.findings
}

/// References to the entities of one file: how many, and the first record that refers.
#[derive(Debug, Default)]
struct Counts(Vec<(i32, i32)>);

impl Counts {
    fn new<E: Entity>(table: Option<&EntityTable<E>>) -> Self {
        let capacity = table.map_or(0, EntityTable::capacity);
        Self(vec![(0, 0); capacity as usize])
    }

    /// `false` when there is no such entity although there is a file.
    fn add(&mut self, id: u32, number: i32) -> bool {
        let Some((count, first)) = self.0.get_mut(id as usize) else {
            return self.0.is_empty();
        };
        *count = count.saturating_add(1);
        if *first == 0 {
            *first = number;
        }
        true
    }
}

struct Uses {
    players: Counts,
    tournaments: Counts,
    annotators: Counts,
    sources: Counts,
    teams: Counts,
    game_tags: Counts,
}

impl Uses {
    fn new(db: &CbhDatabase) -> Self {
        let tables = db.tables();
        Self {
            players: Counts::new(tables.players.as_ref()),
            tournaments: Counts::new(tables.tournaments.as_ref()),
            annotators: Counts::new(tables.annotators.as_ref()),
            sources: Counts::new(tables.sources.as_ref()),
            teams: Counts::new(tables.teams.as_ref()),
            game_tags: Counts::new(tables.game_tags.as_ref()),
        }
    }
}

struct Check<'d> {
    db: &'d CbhDatabase,
    /// Whether moves and annotations are read.
    contents: bool,
    findings: Vec<Finding>,
    /// Start, end and game of the records of `.cbg` and of `.cba`.
    bodies: Vec<(u64, u64, GameIndex)>,
    comments: Vec<(u64, u64, GameIndex)>,
}

impl Check<'_> {
    fn find(&mut self, severity: Severity, error: Error) {
        self.findings.push(Finding { severity, error });
    }

    fn header(&mut self, severity: Severity, game: GameIndex, text: String) {
        let name = &self.db.headers_name;
        let error = Error::invalid(text).in_file(name).in_game(game);
        self.find(severity, error);
    }

    fn record(&mut self, index: GameIndex, reader: &mut dyn GameReader, uses: &mut Uses) {
        let mut facts = Facts::default();
        let want = if self.contents { Want::ALL } else { Want::TAGS };
        if let Err(error) = reader.read(index, want, &mut facts) {
            self.find(Severity::Damage, error);
            return;
        }
        for problem in facts.problems {
            // That a file is missing is told once.
            if !matches!(problem.error.kind(), ErrorKind::MissingFile(_)) {
                self.find(Severity::Damage, problem.error);
            }
        }
        let Some(record) = self.db.record(index) else {
            return;
        };
        self.references(index, record, uses);
        let places = self.db.places(index, record);
        if let Some((extended, _)) = self.db.extended(index) {
            self.extended(index, record, &extended);
        }
        if let Some(moves) = &self.db.parts().moves
            && let Some(bytes) = from(moves, places.moves_at)
            && let Some(head) = MovesHead::read(bytes)
        {
            let end = places.moves_at + u64::from(head.size.get());
            self.bodies.push((places.moves_at, end, index));
        }
        if let Record::Game(game) = record {
            self.game(index, game, facts.moves, places.annotations_at);
        }
    }

    /// What `.cbj` repeats of the header, and the media that it names.
    fn extended(&mut self, index: GameIndex, record: Record<'_>, extended: &ExtendedRecord) {
        let (moves_at, annotations_at) = match record {
            Record::Game(game) => (game.moves_at.get(), Some(game.annotations_at.get())),
            // Old files leave anything there for texts.
            Record::Text(text) => (text.body_at.get(), None),
        };
        for (field, copy, short) in [
            ("moves_at", extended.moves_at.get(), Some(moves_at)),
            (
                "annotations_at",
                extended.annotations_at.get(),
                annotations_at,
            ),
        ] {
            let Some(short) = short else { continue };
            // Zero in records that are too short or were never filled.
            if copy != 0 && copy & 0xffff_ffff != u64::from(short) {
                let text = format!("`{field}` is {short:#x}, in .cbj {copy:#x}");
                self.header(Severity::Stale, index, text);
            }
        }
        let media_at = extended.media_at.get();
        if let (Record::Text(_), Ok(at @ 1..)) = (record, u64::try_from(media_at)) {
            let media = self.db.parts().media.as_ref();
            if media.is_some_and(|media| media.media(at).is_none()) {
                let text = format!("`media_at` is {at:#x}, where .cbm has no list of files");
                self.header(Severity::Stale, index, text);
            }
        }
    }

    /// What the header says of moves and annotations.
    fn game(&mut self, index: GameIndex, game: &GameRecord, moves: MoveFacts, at: u64) {
        let mut items: Vec<Item<'_>> = Vec::new();
        if let Some(file) = &self.db.parts().annotations
            && at != 0
            && let Some(bytes) = from(file, at)
            && let Ok(size) = Items::size(bytes)
            && let Some(record) = bytes.get(..size)
        {
            self.comments.push((at, at + size as u64, index));
            if let Ok(all) = Items::new(record) {
                items.extend(all.map_while(Result::ok));
            }
            self.annotations_head(index, record, items.len());
        }
        let total = moves.mainline.saturating_add(moves.variations);
        if self.db.parts().moves.is_none() || !self.contents {
            return;
        }
        let past = items
            .iter()
            .filter(|item| i64::from(item.position) >= i64::from(total))
            .count();
        if past > 0 {
            let text = format!("{past} annotations belong to moves past the last of {total}");
            self.header(Severity::Damage, index, text);
        }
        let true_contents = Contents::of(moves, items.into_iter());
        for (field, found, expected) in [
            ("flags", game.flags.get(), true_contents.flags),
            (
                "magnitudes",
                game.magnitudes.get().into(),
                true_contents.magnitudes.into(),
            ),
            (
                "medals",
                game.medals.get().into(),
                true_contents.medals.into(),
            ),
            (
                "move_count",
                game.move_count.into(),
                true_contents.move_count.into(),
            ),
        ] {
            if found != expected {
                let text = format!("`{field}` is {found:#x}, the game says {expected:#x}");
                self.header(Severity::Stale, index, text);
            }
        }
    }

    fn annotations_head(&mut self, index: GameIndex, record: &[u8], count: usize) {
        let Some(head) = AnnotationsHead::read(record) else {
            return;
        };
        let name = &self.db.parts().annotations_name;
        let stated = head.count.get() as usize;
        if stated != count + 1 {
            let text = format!("`count` is {stated} for {count} annotations");
            let error = Error::invalid(text).in_file(name).in_game(index);
            self.find(Severity::Stale, error);
        }
        let game = head.game.get();
        if game != 0 && game != (index.0 + 1) & 0x00ff_ffff {
            let text = format!("the annotations name game {game}");
            let error = Error::invalid(text).in_file(name).in_game(index);
            self.find(Severity::Damage, error);
        }
    }

    fn references(&mut self, index: GameIndex, record: Record<'_>, uses: &mut Uses) {
        let number = i32::try_from(index.0 + 1).unwrap_or(i32::MAX);
        let mut lost = Vec::new();
        let mut add = |what, counts: &mut Counts, id: u32| {
            if !counts.add(id, number) {
                lost.push((what, id));
            }
        };
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                add("white", &mut uses.players, game.white.get());
                add("black", &mut uses.players, game.black.get());
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        add("tournament", &mut uses.tournaments, tournament.get());
        add("annotator", &mut uses.annotators, annotator.get());
        add("source", &mut uses.sources, source.get());
        if let Some((extended, _)) = self.db.extended(index) {
            if matches!(record, Record::Game(_)) {
                for (what, id) in [
                    ("white_team", extended.white_team.get()),
                    ("black_team", extended.black_team.get()),
                ] {
                    if let Ok(id) = u32::try_from(id) {
                        add(what, &mut uses.teams, id);
                    }
                }
            }
            if let Ok(id) = u32::try_from(extended.game_tag.get()) {
                add("game_tag", &mut uses.game_tags, id);
            }
        }
        for (what, id) in lost {
            // Those that reading needs were told of there.
            if matches!(what, "white_team" | "black_team" | "game_tag") {
                let text = format!("`{what}` is number {id}, its file has fewer");
                self.header(Severity::Damage, index, text);
            }
        }
    }
}

fn from(file: &[u8], at: u64) -> Option<&[u8]> {
    file.get(usize::try_from(at).ok()?..)
}

/// Counts moves and keeps problems.
#[derive(Debug, Default)]
struct Facts {
    moves: MoveFacts,
    depth: u32,
    problems: Vec<Problem>,
}

impl Visitor for Facts {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        let turn = head.start.setup.as_ref().map(|setup| setup.turn);
        self.moves.has_start = turn.is_some();
        self.moves.black_first = turn == Some(Color::Black);
        self.moves.unorthodox = head.start.chess960;
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        if self.depth == 0 {
            self.moves.mainline += 1;
        } else {
            self.moves.variations += 1;
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}
