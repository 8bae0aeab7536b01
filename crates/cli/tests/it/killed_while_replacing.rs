//! A process that is killed while it replaces a database leaves the complete old set or the complete
//! new one, and the next run removes all hidden files.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, many_games, names, tabia};

/// How often the process is killed.
const KILLS: u32 = 48;
/// The journal of the set while its files are renamed.
const JOURNAL: &str = ".mega.cbh.replaced";

/// The moment at which a process is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// This time after its start.
    After(Duration),
    /// When the first new file has a hidden name.
    Named,
    /// When the journal exists, and a little later.
    Journal(Duration),
    /// When the old main file is renamed.
    Renamed,
}

impl Moment {
    /// Waits until then, or until the process ends.
    fn wait(self, folder: &Path, child: &mut Child) {
        let start = Instant::now();
        let reached = || match self {
            Self::After(time) => start.elapsed() >= time,
            Self::Named => hidden(folder).next().is_some(),
            Self::Journal(_) => folder.join(JOURNAL).exists(),
            Self::Renamed => !folder.join("mega.cbh").exists(),
        };
        while !reached() {
            if child.try_wait().unwrap().is_some() {
                return;
            }
        }
        if let Self::Journal(delay) = self {
            std::thread::sleep(delay);
        }
    }
}

/// The hidden files of a folder.
fn hidden(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.'))
}

#[test]
fn killed_replacements_leave_the_old_or_the_new_set() {
    let folder = Scratch::new("killed");
    let texts = [many_games(400), many_games(700)];
    let sources = ["few.pgn", "many.pgn"];
    for (name, text) in sources.iter().zip(&texts) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let convert = |source: &'static str| ["convert", source, "-o", "mega.cbh", "--force"];
    let games = |code: &[i32]| {
        let run = tabia(&folder, &["convert", "mega.cbh", "-o", "-", "--to", "pgn"]);
        assert!(code.contains(&run.code), "{}: {}", run.code, run.err);
        run.out
    };
    let mut games_of = Vec::new();
    let mut time = Duration::ZERO;
    for source in sources {
        let start = Instant::now();
        tabia(&folder, &convert(source)).expect(0);
        time = time.max(start.elapsed());
        games_of.push(games(&[0]));
    }
    assert_ne!(games_of[0], games_of[1]);
    let files = names(&folder);
    assert_eq!(hidden(folder.path()).next(), None);

    let mut current = 1;
    let (mut replaced, mut journals, mut leftovers) = (0, 0, 0);
    for kill in 0..KILLS {
        let moment = match kill / 2 % 6 {
            0 => Moment::After(time * (kill + 1) / KILLS),
            1 => Moment::After(time * (KILLS - kill) / KILLS),
            2 => Moment::Named,
            3 => Moment::Renamed,
            _ => Moment::Journal(Duration::from_micros(u64::from(kill) * 25)),
        };
        let next = 1 - current;
        // A journal of the previous process: this one may be killed while it completes that.
        let was_open = folder.join(JOURNAL).exists();
        let mut child = command(folder.path())
            .args(convert(sources[next]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        moment.wait(folder.path(), &mut child);
        // The process may have ended.
        let _ = child.kill();
        child.wait().unwrap();

        let what = format!("kill {kill}, {moment:?}");
        for (name, text) in sources.iter().zip(&texts) {
            assert_eq!(
                std::fs::read_to_string(folder.join(name)).unwrap(),
                *text,
                "{what}"
            );
        }
        let is_open = folder.join(JOURNAL).exists();
        journals += u32::from(is_open);
        leftovers += u32::from(!is_open && hidden(folder.path()).next().is_some());
        let found = games(&[0, 3]);
        let is_new = found == games_of[next];
        assert!(
            is_new || found == games_of[current],
            "{what}: neither set is complete"
        );
        assert!(
            is_new || !is_open || was_open,
            "{what}: with a journal the new set counts"
        );
        let check = tabia(&folder, &["check", "--deep", "mega.cbh"]);
        assert_eq!(
            check.code,
            if is_open { 3 } else { 0 },
            "{what}: {}",
            check.out
        );
        if is_new {
            (current, replaced) = (next, replaced + 1);
        }
        if kill % 2 == 1 {
            // The next run completes the replacement and removes hidden files.
            tabia(&folder, &convert(sources[current])).expect(0);
            assert_eq!(names(&folder), files, "{what}");
            assert_eq!(hidden(folder.path()).next(), None, "{what}");
            assert_eq!(games(&[0]), games_of[current], "{what}");
            tabia(&folder, &["check", "--deep", "mega.cbh"]).expect(0);
        }
    }
    println!(
        "{KILLS} kills: {replaced} left the new set, {journals} an open journal, \
         {leftovers} hidden files without one"
    );
}
