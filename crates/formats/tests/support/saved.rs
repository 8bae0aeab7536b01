//! Files of a set that can be damaged, and what was saved of it.

use std::path::Path;

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Event, Game, GameResult, Recorder, Want};
use tabia_core::games::Database;
use tabia_core::io::{Blob, Source};
use tabia_core::{GameFormat, GameIndex};
use tabia_testkit::arbitrary::arbitrary_game;
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Scratch, shared_data};

/// Files of a set by name, the index first.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) format: &'static GameFormat,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl Files {
    /// The files beside a main file.
    pub(crate) fn read(format: &'static GameFormat, path: &Path) -> Self {
        let companions = format
            .file
            .companions
            .iter()
            .map(|companion| companion.extension);
        let files = [format.file.extensions[0]].into_iter().chain(companions);
        let files = files.map(|extension| {
            let bytes = std::fs::read(path.with_extension(extension)).unwrap();
            (format!("base.{extension}"), bytes)
        });
        Self {
            format,
            files: files.collect(),
        }
    }

    /// Those of the folder of real data, when it is at hand.
    pub(crate) fn real(test: &str, format: &'static GameFormat, name: &str) -> Option<Self> {
        let folder = shared_data(test, "scid")?;
        let id = format.file.id.as_str();
        let path = folder.join(id).join(format!("{name}.{id}"));
        Some(Self::read(format, &path))
    }

    /// A new database of these games, whatever it cannot hold of them.
    pub(crate) fn made(
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

    /// The file whose extension begins so.
    pub(crate) fn of(&mut self, kind: &str) -> &mut Vec<u8> {
        let start = format!("base.{kind}");
        let mut files = self.files.iter_mut();
        &mut files.find(|(name, _)| name.starts_with(&start)).unwrap().1
    }

    pub(crate) fn without(mut self, kind: &str) -> Self {
        let start = format!("base.{kind}");
        self.files.retain(|(name, _)| !name.starts_with(&start));
        self
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

    pub(crate) fn salvage(&self) -> Saved {
        let database = self.open();
        let mut reader = database.reader();
        let records = (0..database.len()).map(|number| {
            let mut recorder = Recorder::new();
            let read = reader.read(GameIndex(number), Want::ALL, &mut recorder);
            let told = recorder
                .take_problems()
                .iter()
                .map(|problem| problem.error.to_string())
                .collect();
            read.is_ok().then(|| (recorder.replace(Game::new()), told))
        });
        Saved {
            records: records.collect(),
            faults: database.info().problems.clone(),
        }
    }
}

/// Random games, and as many plain ones of many lengths; `words` follow the comment of each.
pub(crate) fn many_games(random: u64, plain: u16, words: &str) -> Vec<Game> {
    let plain = (1..plain).map(|number| {
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(usize::from(number % 50) + 2);
        GameBuilder::new()
            .tag("White", &format!("Player {number}"))
            .tag("Black", &format!("Player {}", number + 1))
            .tag("Event", &format!("Open {}", number / 10))
            .moves(knights.trim())
            .comment(&format!("Game {number}{words}"))
            .result(GameResult::Draw)
    });
    (1..random).map(arbitrary_game).chain(plain).collect()
}

/// The records of a damaged set; `None` for those that are lost.
pub(crate) struct Saved {
    pub(crate) records: Vec<Option<(Game, Vec<String>)>>,
    pub(crate) faults: Vec<String>,
}

impl Saved {
    pub(crate) fn whole(&self) -> Vec<Game> {
        let mut games = Vec::new();
        for record in &self.records {
            let (game, told) = record.as_ref().unwrap();
            assert_eq!(*told, Vec::<String>::new());
            games.push(game.clone());
        }
        games
    }

    /// How many are whole, damaged, lost.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let lost = self
            .records
            .iter()
            .filter(|record| record.is_none())
            .count();
        let whole = self.records.iter().flatten();
        let whole = whole.filter(|(_, told)| told.is_empty()).count();
        (whole, self.records.len() - whole - lost, lost)
    }
}

pub(crate) fn moves(game: &Game) -> Vec<String> {
    let events = game.events().map(|event: Event<'_>| format!("{event:?}"));
    events.collect()
}

pub(crate) fn same_moves(left: &Game, right: &Game) -> bool {
    left.head.start.setup == right.head.start.setup && moves(left) == moves(right)
}
