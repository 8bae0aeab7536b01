//! Damaged Scid and Scidb sets, and what salvage recovers of them.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Event, Game, GameResult, Recorder, Want};
use tabia_core::games::Database;
use tabia_core::io::{Blob, Source};
use tabia_core::{GameFormat, GameIndex};
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::corrupt;
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Scratch, shared_data};

/// A file of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Index,
    Names,
    Games,
}

/// The files of a set by name, the index first.
#[derive(Clone)]
pub(crate) struct SetFiles {
    pub(crate) format: &'static GameFormat,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl SetFiles {
    /// The files of the set whose index is at `path`.
    pub(crate) fn read(format: &'static GameFormat, path: &Path) -> Self {
        let parts = [Part::Index, Part::Games, Part::Names];
        let files = parts.map(|part| {
            let extension = extension(format, part);
            let bytes = std::fs::read(path.with_extension(extension)).unwrap();
            (format!("base.{extension}"), bytes)
        });
        Self {
            format,
            files: files.to_vec(),
        }
    }

    /// A set from the shared data. `None` if that is absent.
    pub(crate) fn shared(test: &str, format: &'static GameFormat, name: &str) -> Option<Self> {
        let folder = shared_data(test, "scid")?;
        let id = format.file.id.as_str();
        let path = folder.join(id).join(format!("{name}.{id}"));
        Some(Self::read(format, &path))
    }

    /// A new database of these games, whatever it cannot hold of them.
    pub(crate) fn written(
        test: &str,
        format: &'static GameFormat,
        games: impl IntoIterator<Item = Game>,
    ) -> Self {
        let scratch = Scratch::new(test);
        let path = scratch
            .join("made")
            .with_extension(format.file.extensions[0]);
        let create = format.create.unwrap();
        let mut writer = create(&path, &CreateOptions::default()).unwrap();
        for game in games {
            let _ = writer.write(&game);
        }
        writer.finish().unwrap();
        Self::read(format, &path)
    }

    /// A set of the same format with other files: the part, what follows the set's name, the bytes.
    pub(crate) fn with_files(&self, files: Vec<(Part, &str, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(part, suffix, bytes)| {
            let extension = extension(self.format, part);
            (format!("base{suffix}.{extension}"), bytes)
        });
        Self {
            format: self.format,
            files: files.collect(),
        }
    }

    fn name(&self, part: Part) -> String {
        format!("base.{}", extension(self.format, part))
    }

    /// The bytes of a file.
    pub(crate) fn part(&mut self, part: Part) -> &mut Vec<u8> {
        let wanted = self.name(part);
        let mut files = self.files.iter_mut();
        &mut files.find(|(name, _)| *name == wanted).unwrap().1
    }

    /// A copy of the bytes of a file.
    pub(crate) fn bytes(&self, part: Part) -> Vec<u8> {
        self.clone().part(part).clone()
    }

    /// The set with a file that `damage` has changed.
    pub(crate) fn damaged(&self, part: Part, damage: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut files = self.clone();
        damage(files.part(part));
        files
    }

    /// The set with bytes inserted into its index in and before the entry at an offset, and lost from it.
    pub(crate) fn with_shifted_index(&self, at: usize) -> [Self; 3] {
        [
            (at + 9..at + 9, vec![1, 2, 3]),
            (at..at, vec![0]),
            (at + 5..at + 10, vec![]),
        ]
        .map(|(range, inserted)| {
            self.damaged(Part::Index, |bytes| {
                bytes.splice(range, inserted);
            })
        })
    }

    pub(crate) fn without(&self, part: Part) -> Self {
        let wanted = self.name(part);
        let mut files = self.clone();
        files.files.retain(|(name, _)| *name != wanted);
        files
    }

    pub(crate) fn open(&self) -> Box<dyn Database> {
        let members = self.files.iter();
        let members = members.map(|(name, bytes)| (name.clone(), Blob::from(bytes.clone())));
        let main = &self.files[0].0;
        let source = Source::from_members(main.as_str(), main, members.collect()).unwrap();
        let mut options = OpenOptions::default();
        options.salvage = true;
        (self.format.open)(&source, &options).unwrap()
    }

    pub(crate) fn salvage(&self) -> SalvagedSet {
        let database = self.open();
        let mut reader = database.reader();
        let records = (0..database.len()).map(|number| {
            let mut recorder = Recorder::new();
            let read = reader.read(GameIndex(number), Want::ALL, &mut recorder);
            let problems = recorder
                .take_problems()
                .iter()
                .map(|problem| problem.error.to_string())
                .collect();
            read.is_ok()
                .then(|| (recorder.replace(Game::new()), problems))
        });
        SalvagedSet {
            records: records.collect(),
            problems: database.info().problems.clone(),
            missing: database.info().missing as usize,
        }
    }
}

fn extension(format: &GameFormat, part: Part) -> &'static str {
    match part {
        Part::Index => format.file.extensions[0],
        Part::Games => format.file.companions[0].extension,
        Part::Names => format.file.companions[1].extension,
    }
}

/// Random games, and as many short ones of many lengths; `words` follow the comment of each.
pub(crate) fn many_games(random: u64, short: u16, words: &str) -> Vec<Game> {
    let short = (1..short).map(|number| {
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(usize::from(number % 50) + 2);
        GameBuilder::new()
            .tag("White", &format!("Player {number}"))
            .tag("Black", &format!("Player {}", number + 1))
            .tag("Event", &format!("Open {}", number / 10))
            .moves(knights.trim())
            .comment(&format!("Game {number}{words}"))
            .result(GameResult::Draw)
    });
    (1..random).map(arbitrary_game).chain(short).collect()
}

/// A game and the problems reported with it.
type Record = (Game, Vec<String>);

/// What salvage recovered of a set.
pub(crate) struct SalvagedSet {
    /// `None` for lost games.
    pub(crate) records: Vec<Option<Record>>,
    /// The problems of the set.
    pub(crate) problems: Vec<String>,
    /// The games that only the header counts.
    pub(crate) missing: usize,
}

impl SalvagedSet {
    /// All games, which must have no problems.
    pub(crate) fn intact_games(&self) -> Vec<Game> {
        let mut games = Vec::new();
        for record in &self.records {
            let (game, problems) = record.as_ref().unwrap();
            assert_eq!(*problems, Vec::<String>::new());
            games.push(game.clone());
        }
        games
    }

    /// The number of intact, damaged and lost games.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let lost = self
            .records
            .iter()
            .filter(|record| record.is_none())
            .count();
        let intact = self.found().filter(|(_, problems)| problems.is_empty());
        let intact = intact.count();
        let damaged = self.records.len() - intact - lost;
        (intact, damaged, lost + self.missing)
    }

    /// The games that are not lost.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().flatten()
    }

    /// Each game with its problems and the game that it was. None may be lost.
    pub(crate) fn compared<'a>(
        &'a self,
        games: &'a [Game],
    ) -> impl Iterator<Item = (&'a Game, &'a [String], &'a Game)> {
        assert_eq!(self.records.len(), games.len(), "{:?}", self.problems);
        self.records.iter().zip(games).map(|(record, game)| {
            let (found, problems) = record.as_ref().unwrap();
            (found, problems.as_slice(), game)
        })
    }
}

pub(crate) fn moves(game: &Game) -> Vec<String> {
    let events = game.events().map(|event: Event<'_>| format!("{event:?}"));
    events.collect()
}

pub(crate) fn same_moves(left: &Game, right: &Game) -> bool {
    left.head.start.setup == right.head.start.setup && moves(left) == moves(right)
}

/// An intact set has no problems.
pub(crate) fn check_intact(files: &SetFiles) {
    let salvaged = files.salvage();
    assert_eq!(salvaged.problems, Vec::<String>::new());
    assert!(!salvaged.intact_games().is_empty());
}

/// Without the names, or all after `length` bytes of them, the moves are read, and every problem
/// contains `text`.
pub(crate) fn check_cut_names(files: &SetFiles, length: usize, text: &str) -> [SalvagedSet; 2] {
    let games = files.salvage().intact_games();
    let cut = files.damaged(Part::Names, |names| names.truncate(length));
    [cut, files.without(Part::Names)].map(|damaged| {
        let salvaged = damaged.salvage();
        let (_, damaged, lost) = salvaged.counts();
        assert!(damaged > 0 && lost == 0);
        for (found, problems, game) in salvaged.compared(&games) {
            assert!(same_moves(found, game));
            assert!(!problems.is_empty() || found == game);
            assert!(
                problems.iter().all(|problem| problem.contains(text)),
                "{problems:?}"
            );
        }
        salvaged
    })
}

/// `junk` after the entries of the index is three lost games, and the others are read.
pub(crate) fn check_junk_entries(files: &SetFiles, junk: &[u8]) {
    let games = files.salvage().intact_games();
    let salvaged = files
        .damaged(Part::Index, |index| index.extend(junk))
        .salvage();
    let expected = (games.len(), 0, 3);
    assert_eq!(salvaged.counts(), expected, "{:?}", salvaged.problems);
    for ((found, _), game) in salvaged.found().zip(&games) {
        assert_eq!(found, game);
    }
}

/// Without the index all games are found, each with one problem.
pub(crate) fn check_lost_index(files: &SetFiles) -> SalvagedSet {
    let games = files.salvage().intact_games();
    let salvaged = files.without(Part::Index).salvage();
    for (found, problems, game) in salvaged.compared(&games) {
        assert!(same_moves(found, game), "{problems:?}");
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
    salvaged
}

/// With an index of `length` bytes, about three quarters, the other games are found.
pub(crate) fn check_cut_index(files: &SetFiles, length: usize) {
    let games = files.salvage().intact_games();
    let cut = files.damaged(Part::Index, |index| index.truncate(length));
    let salvaged = cut.salvage();
    let (intact, damaged, lost) = salvaged.counts();
    assert!(intact >= games.len() * 7 / 10 && damaged > 0 && lost == 0);
    for (found, problems, game) in salvaged.compared(&games) {
        assert!(same_moves(found, game), "{problems:?}");
        assert_eq!(problems.is_empty(), found == game);
    }
}

/// With half of the game file the tags of all games are read.
pub(crate) fn check_cut_games(files: &SetFiles) -> (SalvagedSet, Vec<Game>) {
    let games = files.salvage().intact_games();
    let half = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    let salvaged = files.damaged(Part::Games, half).salvage();
    let (intact, damaged, lost) = salvaged.counts();
    assert!(intact > 0 && damaged > 0 && lost == 0);
    for (found, problems, game) in salvaged.compared(&games) {
        assert_eq!(found.head.tags.get("White"), game.head.tags.get("White"));
        assert!(!problems.is_empty() || found == game);
    }
    (salvaged, games)
}

/// With a page of zeros in the game file, games outside it are intact and those inside it keep
/// their first moves. The games outside are found without the index too, but for `missed`. Returns
/// what was salvaged, the games as they were, and the range of the page.
pub(crate) fn check_wiped_page(
    files: &SetFiles,
    missed: usize,
) -> (SalvagedSet, Vec<Game>, Range<usize>) {
    const PAGE: usize = 4096;
    let games = files.salvage().intact_games();
    let length = files.bytes(Part::Games).len();
    let from = length / 2 / PAGE * PAGE;
    let range = from..length.min(from + PAGE);
    let wiped = files.damaged(Part::Games, |bytes| bytes[range.clone()].fill(0));
    let salvaged = wiped.salvage();
    let (intact, damaged, lost) = salvaged.counts();
    assert!(damaged > 0 && lost == 0, "{damaged} {intact}");
    for (found, problems, game) in salvaged.compared(&games) {
        if problems.is_empty() {
            assert!(found == game);
        } else {
            let moves = found.mainline().count();
            assert!(
                game.mainline().take(moves).eq(found.mainline()),
                "{problems:?}"
            );
        }
    }
    let unindexed = wiped.without(Part::Index).salvage();
    let found = unindexed.found().count();
    assert!(
        found + damaged + missed >= games.len(),
        "{:?}",
        unindexed.problems
    );
    assert!(found <= games.len());
    (salvaged, games, range)
}

/// With zeros in the index from `range.start` on, where the entries of the games `wiped` are, these
/// games have problems and all games keep their index.
pub(crate) fn check_wiped_entries(files: &SetFiles, range: Range<usize>, wiped: Range<usize>) {
    let games = files.salvage().intact_games();
    let damaged = files.damaged(Part::Index, |index| index[range].fill(0));
    let salvaged = damaged.salvage();
    for (number, (found, problems, game)) in salvaged.compared(&games).enumerate() {
        assert!(same_moves(found, game), "{problems:?}");
        let is_wiped = wiped.contains(&number);
        assert_eq!(problems.is_empty(), !is_wiped, "{problems:?}");
    }
}

/// With a header of zeros the set has one problem, and its games none.
pub(crate) fn check_wiped_header(files: &SetFiles) {
    let games = files.salvage().intact_games();
    let wiped = files.damaged(Part::Index, |index| index[..100].fill(0));
    let salvaged = wiped.salvage();
    assert_eq!(salvaged.problems.len(), 1, "{:?}", salvaged.problems);
    assert!(salvaged.intact_games() == games);
}

/// Ten games whose entries, of `entry_length` bytes, and moves are cut off are lost, since the
/// header counts them.
pub(crate) fn check_announced_games(files: &SetFiles, entry_length: usize) {
    let count = files.salvage().intact_games().len();
    let cut = files
        .damaged(Part::Index, |index| {
            index.truncate(index.len() - entry_length * 10);
        })
        .damaged(Part::Games, |games| games.truncate(100));
    let salvaged = cut.salvage();
    assert_eq!(salvaged.counts().2, 10);
    assert_eq!(salvaged.missing, 10);
    assert_eq!(salvaged.records.len(), count - 10);
}

/// A header that announces more games than the files can hold, in three bytes from `at` on, makes no
/// record of them.
pub(crate) fn check_impossible_count(files: &SetFiles, at: usize) {
    let count = files.salvage().intact_games().len();
    let most = files.damaged(Part::Index, |index| index[at..at + 3].fill(0xff));
    let salvaged = most.salvage();
    assert_eq!(salvaged.records.len(), count);
    assert_eq!(salvaged.missing, 0xff_ffff - count);
    let problems = salvaged.problems.iter();
    let problems = problems.filter(|problem| problem.contains("neither an entry nor moves"));
    assert_eq!(problems.count(), 1, "{:?}", salvaged.problems);
}

/// A compaction that adds `marker` to the name of the set and was stopped at any point loses no
/// game.
pub(crate) fn check_unfinished_compaction(files: &SetFiles, marker: &str) {
    let games = files.salvage().intact_games();
    let compacted = |part: Part| (part, marker, files.bytes(part));
    // Stopped while the old files were removed: the old index is gone already.
    let removing = files.with_files(vec![
        (Part::Names, "", b"of other games".to_vec()),
        (Part::Games, "", b"from before".to_vec()),
        compacted(Part::Index),
        compacted(Part::Names),
        compacted(Part::Games),
    ]);
    // Stopped while the new files were renamed.
    let renaming = files.with_files(vec![
        (Part::Index, "", files.bytes(Part::Index)),
        compacted(Part::Names),
        compacted(Part::Games),
    ]);
    for stopped in [removing, renaming] {
        let salvaged = stopped.salvage();
        assert_eq!(salvaged.problems.len(), 1, "{:?}", salvaged.problems);
        assert!(salvaged.problems[0].contains("compaction"));
        assert!(salvaged.intact_games() == games);
    }
    // Stopped while the new files were written: all old files exist.
    let mut copying = files.clone();
    let partial = files.with_files(vec![(Part::Games, marker, vec![1, 2, 3])]);
    copying.files.extend(partial.files);
    assert!(copying.salvage().intact_games() == games);
}

/// Random damage of any file is survived. Damaged names do not change the moves of games.
pub(crate) fn check_random_damage(files: &SetFiles) {
    let games = files.salvage().intact_games();
    let games: HashSet<Vec<String>> = games.iter().map(moves).collect();
    for (seed, part) in (7..).zip([Part::Index, Part::Names, Part::Games]) {
        for damage in corrupt::random(&files.bytes(part), 5, seed) {
            let damaged = files.damaged(part, |bytes| *bytes = damage.bytes);
            let salvaged = damaged.salvage();
            let (intact, _, _) = salvaged.counts();
            assert!(intact <= salvaged.records.len(), "{}", damage.how);
            for (game, problems) in salvaged.found() {
                let same_moves = games.contains(&moves(game));
                assert!(part != Part::Names || !problems.is_empty() || same_moves);
            }
        }
    }
}
