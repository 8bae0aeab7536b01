//! A process that is killed while it replaces a database: what stands is wholly the old set or
//! wholly the new one, and the next run leaves nothing behind.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, many_games, names, tabia};

/// How often the process is killed.
const KILLS: u32 = 48;
/// The journal of the set while its files change places.
const JOURNAL: &str = ".mega.cbh.replaced";

/// The moment at which a process is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after its start.
    After(Duration),
    /// When the first new file has a name, if a hidden one.
    Named,
    /// When the journal is there, and a little later.
    Journal(Duration),
    /// When the old main file is away.
    Away,
}

impl Moment {
    /// Waits until then, or until the process ends.
    fn wait(self, folder: &Path, child: &mut Child) {
        let start = Instant::now();
        let reached = || match self {
            Self::After(time) => start.elapsed() >= time,
            Self::Named => hidden(folder).next().is_some(),
            Self::Journal(_) => folder.join(JOURNAL).exists(),
            Self::Away => !folder.join("mega.cbh").exists(),
        };
        while !reached() {
            if child.try_wait().unwrap().is_some() {
                return;
            }
        }
        if let Self::Journal(more) = self {
            std::thread::sleep(more);
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
fn a_killed_process_leaves_the_old_or_the_new_set() {
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
    let mut whole = Vec::new();
    let mut time = Duration::ZERO;
    for source in sources {
        let start = Instant::now();
        tabia(&folder, &convert(source)).expect(0);
        time = time.max(start.elapsed());
        whole.push(games(&[0]));
    }
    assert_ne!(whole[0], whole[1]);
    let files = names(&folder);
    assert_eq!(hidden(folder.path()).next(), None);

    let mut stands = 1;
    let (mut replaced, mut journals, mut leftovers) = (0, 0, 0);
    for kill in 0..KILLS {
        let moment = match kill / 2 % 6 {
            0 => Moment::After(time * (kill + 1) / KILLS),
            1 => Moment::After(time * (KILLS - kill) / KILLS),
            2 => Moment::Named,
            3 => Moment::Away,
            _ => Moment::Journal(Duration::from_micros(u64::from(kill) * 25)),
        };
        let next = 1 - stands;
        // Of the process before: it may be killed again while that is completed.
        let was_open = folder.join(JOURNAL).exists();
        let mut child = command(folder.path())
            .args(convert(sources[next]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        moment.wait(folder.path(), &mut child);
        // It may have ended.
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
        let is_new = found == whole[next];
        assert!(
            is_new || found == whole[stands],
            "{what}: neither set is whole"
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
            (stands, replaced) = (next, replaced + 1);
        }
        if kill % 2 == 1 {
            // The next run completes what was begun, and clears up.
            tabia(&folder, &convert(sources[stands])).expect(0);
            assert_eq!(names(&folder), files, "{what}");
            assert_eq!(hidden(folder.path()).next(), None, "{what}");
            assert_eq!(games(&[0]), whole[stands], "{what}");
            tabia(&folder, &["check", "--deep", "mega.cbh"]).expect(0);
        }
    }
    println!(
        "{KILLS} kills: {replaced} left the new set, {journals} an open journal, \
         {leftovers} hidden files without one"
    );
}
