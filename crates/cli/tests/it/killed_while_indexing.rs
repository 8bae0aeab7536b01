//! A process that is killed while it indexes, or that finds the disk full, leaves the old index or the new
//! one, and the answers are right with either.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, many_games, tabia};

/// How often the process is ended in each way, for each state of the index.
const ENDS: u64 = 8;
/// Bytes of the unit of `ulimit -f`, at most; some shells have half of it.
const BLOCK: u64 = 1024;

/// How a process ends before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The write that makes a file longer than this number of blocks fails.
    FailsAt(u64),
    /// It is killed after this time.
    KilledAfter(Duration),
}

/// Runs `tabia index` until then.
fn index_until(folder: &Path, end: End) {
    let blocks = match end {
        End::KilledAfter(time) => {
            let mut child = command(folder)
                .args(["index", "g.pgn", "-q"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(time);
            // It may have ended.
            let _ = child.kill();
            child.wait().unwrap();
            return;
        }
        End::FailsAt(blocks) => blocks,
    };
    let script = format!("ulimit -f {blocks}; exec \"$0\" index g.pgn -q");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_tabia")])
        .current_dir(folder)
        .output()
        .unwrap();
    let is_expected = matches!(output.status.code(), Some(0 | 5));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(is_expected, "{end:?}: {}: {err}", output.status);
}

/// What `index --check` finds.
fn state(folder: &Scratch) -> String {
    let run = tabia(folder, &["index", "g.pgn", "--check", "--ndjson"]);
    let row: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    row["state"].as_str().unwrap().to_owned()
}

#[test]
fn ended_indexing_leaves_the_old_index_or_the_new_one() {
    let folder = Scratch::new("killed-index");
    let old = many_games(300);
    let more = format!("{old}{}", many_games(500));
    // One more game, before those that were there.
    let other = format!("{}{more}", many_games(1).replace("Open 0", "First"));
    let write = |text: &str| std::fs::write(folder.join("g.pgn"), text).unwrap();
    let path = folder.join("g.pgn.tidx");
    let count = || {
        let args = ["search", "g.pgn", "pos:\"1.e4 e5 2.Nf3\"", "--count"];
        tabia(&folder, &args).expect(0).out.trim().to_owned()
    };
    let (mut kept, mut renewed) = (0, 0);
    for (is_first, new, games) in [
        (true, &old, "300"),
        (false, &more, "800"),
        (false, &other, "801"),
    ] {
        let begin = || {
            let _ = std::fs::remove_file(&path);
            write(&old);
            if !is_first {
                tabia(&folder, &["index", "g.pgn", "-q"]).expect(0);
            }
            write(new);
        };
        begin();
        let start = Instant::now();
        tabia(&folder, &["index", "g.pgn", "-q"]).expect(0);
        let time = start.elapsed();
        let blocks = std::fs::metadata(&path).unwrap().len() / BLOCK * 2;
        for number in 0..ENDS {
            let at = 1 + 2 * blocks * number / ENDS;
            let after = time * (number as u32) / ENDS as u32;
            for end in [End::FailsAt(at), End::KilledAfter(after)] {
                begin();
                index_until(folder.path(), end);
                let what = format!("{games} games, {end:?}");
                assert_eq!(count(), games, "{what}");
                if state(&folder) == "current" {
                    renewed += 1;
                    continue;
                }
                kept += 1;
                // With its games the old index is whole.
                write(&old);
                let expected = if is_first { "no index" } else { "current" };
                assert_eq!(state(&folder), expected, "{what}");
                // The next run makes the new one.
                write(new);
                tabia(&folder, &["index", "g.pgn", "-q"]).expect(0);
                assert_eq!(state(&folder), "current", "{what}");
                assert_eq!(count(), games, "{what}");
            }
        }
    }
    assert!(kept > 0 && renewed > 0, "{kept} kept, {renewed} renewed");
}
