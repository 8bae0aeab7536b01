//! Opens the files of a Scid database.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Source, decode};
use tabia_core::plural::counted;

use crate::games::common::salvage::is_for_repair;
use crate::games::common::use_counts::{Uses, foreign_names};
use crate::games::common::zeroed_files::{has_only_zeros, zeroed_games, zeroed_names};

use super::entry::{Entry, flag};
use super::file_set::{self, FileSet};
use super::names::{self, Names};
use super::salvage::{self, Index, SalvagedEntry};
use super::version::Version;

/// The kinds of names in texts for lost names.
pub(super) const NAME_KINDS: [&str; 4] = ["player", "event", "site", "round"];
/// An open Scid database.
#[derive(Debug)]
pub(crate) struct ScidDatabase {
    pub(super) version: Version,
    pub(super) index: Index,
    pub(super) names: Names,
    pub(super) games: Blob,
    pub(super) names_file: Arc<Path>,
    pub(super) games_file: Arc<Path>,
    pub(super) info: DatabaseInfo,
    pub(super) options: OpenOptions,
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
            charset if charset.is_single_byte() => charset.name().to_owned(),
            _ => "UTF-8, else windows-1252".to_owned(),
        };
        let set = FileSet::open(version, source, options, &mut info)?;
        let names = if set.names.is_empty() {
            Names::read(Version::V5, &set.names)
        } else if is_for_repair(options)? {
            Names::salvage(version, &set.names)
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
        let entries = if is_for_repair(options)? {
            file_set::entries_for_repair(version, &set.index, &names, &set.games, &mut info)
        } else {
            file_set::entries(version, &set.index, &mut info)
        };
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
        info.blank_entries = index.blank_entries();
        if let Some(text) = info.blank_entries.problem() {
            let problem = Error::invalid(text).in_file(index.file());
            info.problems.push(problem.to_string());
        }
        if !options.salvage {
            let zeroed = match names.zeroed(&set.names) {
                0 => None,
                count => Some((zeroed_names(count), &set.names_file)),
            };
            let has_zeroed_names = zeroed.is_some();
            let games = extent.zeroed_games(&index, &set.games);
            let games = games.map(|text| (text, &set.games_file));
            for (text, file) in zeroed.into_iter().chain(games) {
                info.problems
                    .push(Error::invalid(text).in_file(file).to_string());
            }
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
                && !has_zeroed_names
                && has_companion(&info, version.companions().0)
            {
                let problem = Error::invalid(text).in_file(&set.names_file);
                info.problems.push(problem.to_string());
            }
        }
        let has_names = names.is_complete && !set.names.is_empty();
        let mut misfit = extent.names_problem(&names).filter(|_| has_names);
        if is_for_repair(options)? && has_names && names.problems.is_empty() {
            misfit = misfit.or_else(|| misfit_of_uses(&index, &names));
            misfit = misfit.or_else(|| extent.inserted_names(&names));
        }
        info.has_doubtful_names = names.is_misread || misfit.is_some();
        if options.salvage
            && let Some(text) = misfit
            && names.problems.is_empty()
            && has_companion(&info, version.companions().0)
        {
            let problem = Error::invalid(text).in_file(&set.names_file);
            info.problems.push(problem.to_string());
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
    pub(super) fn indexed(&self, game: GameIndex) -> Result<SalvagedEntry> {
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

    /// Whether a name exists.
    pub(super) fn has_name(&self, kind: usize, id: u32) -> bool {
        self.names.get(kind, id).is_some()
    }

    /// Why the names are not those of the index.
    pub(super) fn misfit_of_names(&self) -> Option<Error> {
        let names = &self.names;
        // Builds that only read need no more than the names.
        let is_whole = cfg!(feature = "writers") && names.is_complete && names.problems.is_empty();
        let text = is_whole.then(|| misfit_of_uses(&self.index, names))??;
        Some(Error::invalid(text).in_file(&self.names_file))
    }

    /// A text of the files.
    pub(super) fn decoded<'t>(&self, bytes: &'t [u8]) -> Cow<'t, str> {
        decode(bytes, self.options.charset)
    }

    /// A name. `None` if it is missing.
    pub(super) fn text(&self, kind: usize, id: u32) -> Option<Cow<'_, str>> {
        let charset = self.options.charset;
        if !charset.is_single_byte()
            && let Some(name) = self.names.valid(kind, id)
        {
            return Some(Cow::Borrowed(name));
        }
        Some(decode(self.names.get(kind, id)?, charset))
    }
}

fn has_companion(info: &DatabaseInfo, extension: &str) -> bool {
    let mut companions = info.companions.iter();
    companions.any(|(name, exists)| name == extension && *exists)
}

/// Why the names are those of another database, by how often the index uses them. `None` if they fit.
fn misfit_of_uses(index: &Index, names: &Names) -> Option<String> {
    let mut found = [0, 1, 2, 3].map(|kind| vec![Uses::default(); names.count(kind) as usize]);
    index.for_each_own(|entry| {
        let ids = [entry.white, entry.event, entry.site, entry.round];
        for (kind, id) in (0..).zip(ids).chain([(0, entry.black)]) {
            let uses = found
                .get_mut(kind)
                .and_then(|uses| uses.get_mut(id as usize));
            if let Some(uses) = uses {
                // Which game is the first one is not stated.
                uses.add(0);
            }
        }
    });
    (0..).zip(&found).find_map(|(kind, found)| {
        let stated = names
            .stated_uses(kind)
            .map(|count| Uses { count, first: 0 });
        foreign_names(stated.zip(found.iter().copied()))
    })
}

/// What the entries of an index refer to.
#[derive(Debug, Default)]
struct Extent {
    /// The largest end of a game in the game file.
    games_end: u64,
    /// Where the last game of the game file begins, and its length.
    last_game: (u64, u32),
    /// One more than the greatest number of a name, by kind.
    names: [u32; 4],
}

impl Extent {
    fn include(&mut self, entry: &Entry) {
        let end = entry.blob_at.saturating_add(entry.blob_length.into());
        self.games_end = self.games_end.max(end);
        self.last_game = self.last_game.max((entry.blob_at, entry.blob_length));
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
            let size = counted(size, "byte", "bytes");
            format!("the file has {size}, the index refers to {end}: its end may be lost")
        })
    }

    /// How many games have only zeros in the game file, if the last one has; `None` if it has other bytes.
    fn zeroed_games(&self, index: &Index, games: &Blob) -> Option<String> {
        let is_zeroed = |at: u64, length: u32| has_only_zeros(games, at, u64::from(length.max(1)));
        let (at, length) = self.last_game;
        if !is_zeroed(at, length) {
            return None;
        }
        let mut count = 0;
        index.for_each(|entry| {
            let is_of_game = entry.blob_length > 0;
            count += u32::from(is_of_game && is_zeroed(entry.blob_at, entry.blob_length));
        });
        zeroed_games(count)
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

    /// Why names that the index does not refer to are those of inserted bytes; `None` if there is no such name.
    fn inserted_names(&self, names: &Names) -> Option<String> {
        let mut kinds = (0..).zip(NAME_KINDS).zip(self.names);
        let ((_, what), _) = kinds.find(|&((kind, _), end)| {
            let has_empty = || (0..names.count(kind)).any(|id| names.get(kind, id) == Some(b""));
            names.count(kind) > end && has_empty()
        })?;
        Some(format!(
            "a {what} has no name, and the index refers to fewer than there are: bytes were inserted"
        ))
    }
}
