//! The deep check of a database: compares what the files state about themselves and each other with
//! their contents.

mod check_before_edit;
mod entities;
mod files;
mod game_records;

use std::collections::HashSet;
use std::fmt;

use tabia_core::error::{Error, GameIndex};
use tabia_core::games::Database;

use crate::games::cbh::files_of_newer_versions::SideTable;
use crate::games::cbh::name_uses::NameUses;
use crate::games::cbh::open::CbhDatabase;
pub(crate) use check_before_edit::require_sound;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A number is out of date that programs recompute or do not need.
    Stale,
    /// Data is missing or cannot be read.
    Damage,
}

/// An inconsistency in the files.
#[derive(Debug)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// Its message and location.
    pub error: Error,
    /// The other record, if two overlap.
    pub other: Option<GameIndex>,
    /// Whether whoever reads the game gets it too.
    pub is_of_reading: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.error)
    }
}

/// Reads and compares everything. Findings are in the order of the files, games first.
pub fn verify(db: &CbhDatabase) -> Vec<Finding> {
    run(db, true)
}

/// Compares everything except the contents of moves and annotations.
pub fn structure(db: &CbhDatabase) -> Vec<Finding> {
    run(db, false)
}

fn run(db: &CbhDatabase, contents: bool) -> Vec<Finding> {
    let mut verifier = Verifier {
        db,
        contents,
        findings: Vec::new(),
        bodies: Vec::new(),
        annotations: Vec::new(),
    };
    for problem in &db.info().problems {
        verifier.report(Severity::Damage, Error::invalid(problem.clone()));
    }
    let mut references = NameUses::new(db.tables());
    let mut reader = db.reader();
    for index in (0..db.len()).map(GameIndex) {
        verifier.record(index, &mut *reader, &mut references);
    }
    verifier.files();
    let tables = db.tables();
    verifier.table(tables.players.as_ref(), Some(&references.players));
    verifier.table(tables.tournaments.as_ref(), Some(&references.tournaments));
    verifier.table(tables.annotators.as_ref(), Some(&references.annotators));
    verifier.table(tables.sources.as_ref(), Some(&references.sources));
    // Without all records of `.cbj`, references to teams and tags cannot be counted.
    let extended = tables.extended.as_ref().map_or(0, SideTable::len);
    let is_complete = extended >= db.len();
    verifier.table(
        tables.teams.as_ref(),
        is_complete.then_some(&references.teams),
    );
    verifier.table(
        tables.game_tags.as_ref(),
        is_complete.then_some(&references.game_tags),
    );
    verifier.findings
}

/// The findings without those of games whose record is that of another game too, if more is wrong with the other game
/// and nothing else with this one: the record is its own.
pub(super) fn without_owners_of_shared_records(
    findings: Vec<Finding>,
) -> impl Iterator<Item = Finding> {
    let of_one = findings.iter().filter(|finding| finding.other.is_none());
    let wrong: HashSet<GameIndex> = of_one.filter_map(|f| f.error.location().game).collect();
    findings.into_iter().filter(move |finding| {
        let is_wrong = |game: Option<GameIndex>| game.is_some_and(|game| wrong.contains(&game));
        !is_wrong(finding.other) || is_wrong(finding.error.location().game)
    })
}

pub(super) struct Verifier<'d> {
    db: &'d CbhDatabase,
    /// Whether moves and annotations are read.
    contents: bool,
    findings: Vec<Finding>,
    /// Start, end and game of the records of `.cbg`.
    bodies: Vec<(u64, u64, GameIndex)>,
    /// Start, end and game of the records of `.cba`.
    annotations: Vec<(u64, u64, GameIndex)>,
}

impl Verifier<'_> {
    fn report(&mut self, severity: Severity, error: Error) {
        self.findings.push(Finding {
            severity,
            error,
            other: None,
            is_of_reading: false,
        });
    }

    /// Reports a problem of reading a game.
    fn unread(&mut self, error: Error) {
        self.report(Severity::Damage, error);
        if let Some(finding) = self.findings.last_mut() {
            finding.is_of_reading = true;
        }
    }

    /// Reports a finding in a game's header.
    fn header(&mut self, severity: Severity, game: GameIndex, text: String) {
        let name = &self.db.headers_name;
        let error = Error::invalid(text).in_file(name).in_game(game);
        self.report(severity, error);
    }
}
