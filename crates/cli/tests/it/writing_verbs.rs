//! Every verb that writes: two processes at once, a process that is killed, a full disk, a missing folder.
//! The outputs are complete, and those that they replace stay until then.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::{Scratch, files_in};

use crate::common::{Run, command, many_games, tabia, with_sample};

/// Commands that write. `OUT` is the folder of their outputs, with a `/`; all of them replace outputs that
/// are there.
const WRITERS: [&str; 29] = [
    "convert games.pgn -o OUTa.pgn --force",
    "convert games.pgn -o OUTa.pgn.gz --force",
    "convert mega.cbh -o OUTa.cbh --force",
    "convert mega.cbh -o OUTa.2cbh --force",
    "convert games.pgn -o OUTa.si4 --force --sort white,-date",
    "convert games.pgn -o OUTa.sci --force",
    "convert games.pgn -o OUTa.pgn --split 40 --force",
    "convert games.pgn -o OUTa.si5 --split-by event --force",
    "shard mega.cbh --of 2 --index 2 -o OUTa.cbh --force",
    "search games.pgn event:Open -o OUTa.pgn --mark --force",
    "append long.pgn -o OUTgrows.pgn",
    "edit mega.cbh --delete 1 -o OUTa.cbh --force",
    "edit mega.cbh --pack -o OUTa.cbh --force",
    "repair mega.cbh -o OUTa.cbh --force",
    "repair games.pgn -o OUTa.si5 --force",
    "repair packed.zip -o OUT --force",
    "dedupe games.pgn games.pgn -o OUTa.cbh --explain OUTdropped.tsv --force",
    "eco games.pgn -o OUTa.si4 --force",
    "names games.pgn --apply names.tsv -o OUTa.pgn --force",
    "index OUTgrows.pgn",
    "archive create OUTa.zip games.pgn mega.cbh --force",
    "archive create OUTa.cbv mega.cbh --force",
    "archive extract packed.zip -d OUT --force",
    "book build games.pgn --min-games 1 -o OUTa.ctg --force",
    "book merge one.bin two.bin -o OUTa.kob --force",
    "book convert one.bin -o OUTa.abk --force",
    "book fix one.bin -o OUTa.bin --force",
    "book edit one.bin --move e4 --weight 100 -o OUTa.bin --force",
    "book novelty games.pgn --book two.bin -o OUTa.pgn --force",
];

/// Verbs that write no file, or only what is asked of them on standard output.
const READERS: [&str; 19] = [
    "info",
    "ls",
    "tree",
    "show",
    "stats",
    "novelty",
    "check",
    "serve",
    "formats",
    "completions",
    "man",
    "help",
    "archive list",
    "archive test",
    "book info",
    "book find",
    "book line",
    "book diff",
    "book explain",
];

type Files = BTreeMap<String, Vec<u8>>;

/// A folder with all inputs, and its folder `out` with older outputs.
struct Inputs {
    folder: Scratch,
    /// The files of the folder itself.
    before: Files,
}

fn words(line: &str, folder: &str) -> Vec<String> {
    let words = line.split(' ');
    words.map(|word| word.replace("OUT", folder)).collect()
}

impl Inputs {
    fn new(name: &str) -> Self {
        let folder = with_sample(name);
        let spelt =
            "[White \"Carlsen, Magnus\"]\n\n1. c4 *\n\n[White \"Carlsen,M\"]\n\n1. f4 *\n\n";
        std::fs::write(folder.join("games.pgn"), many_games(120) + spelt).unwrap();
        std::fs::write(folder.join("few.pgn"), "1. d4 d5 2. c4 *\n\n1. e4 e5 *\n").unwrap();
        // Long enough to be known again: none is added twice.
        let moves =
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O";
        let long = |(number, end): (usize, &str)| {
            format!(
                "[Event \"E{number}\"]\n[Date \"202{number}.01.01\"]\n[White \"White {number}\"]\n\
                 [Black \"Black {number}\"]\n[Result \"1-0\"]\n\n{moves} {end} 1-0\n\n"
            )
        };
        let ends = ["9. h3 Nb8 10. d4", "9. d3 Na5 10. Bc2", "9. a4 b4 10. a5"];
        let long: String = ends.into_iter().enumerate().map(long).collect();
        std::fs::write(folder.join("long.pgn"), long).unwrap();
        let run = tabia(&folder, &["names", "games.pgn", "--tsv"]).expect(0);
        std::fs::write(folder.join("names.tsv"), run.out).unwrap();
        for line in [
            "book build games.pgn --min-games 1 -o one.bin",
            "book build few.pgn --min-games 1 --scoreless -o two.bin",
            "archive create packed.zip games.pgn mega.cbh",
        ] {
            tabia(&folder, &words(line, "")).expect(0);
        }
        let before = files_in(folder.path());
        Self { folder, before }
    }

    /// Empties the folder of the outputs, and makes the one that grows.
    fn clear(&self, name: &str) {
        let out = self.folder.join(name);
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir(&out).unwrap();
        std::fs::copy(self.folder.join("few.pgn"), out.join("grows.pgn")).unwrap();
    }

    fn run(&self, line: &str, out: &str) -> Run {
        tabia(&self.folder, &words(line, &format!("{out}/")))
    }

    fn start(&self, line: &str) -> Child {
        command(self.folder.path())
            .args(words(line, "out/"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn outputs(&self, out: &str) -> Files {
        files_in(&self.folder.join(out))
    }

    /// The outputs of a command, and the names of those that contain no times or random numbers.
    fn expected(&self, line: &str) -> (Files, Vec<String>) {
        let done = ["first", "out"].map(|out| {
            self.clear(out);
            let run = self.run(line, out);
            assert!(is_done(&run), "{line}: {}{}", run.out, run.err);
            self.outputs(out)
        });
        let [first, second] = done;
        assert!(first.keys().eq(second.keys()), "{line}: {:?}", first.keys());
        let stable = first
            .iter()
            .filter(|(name, bytes)| second[*name] == **bytes);
        let stable = stable.map(|(name, _)| name.clone()).collect();
        (second, stable)
    }

    /// The outputs are those of an undisturbed command, and the inputs unchanged.
    fn assert_done(&self, what: &str, (expected, stable): &(Files, Vec<String>)) {
        let found = self.outputs("out");
        let names: Vec<&String> = found.keys().collect();
        assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{what}");
        for name in stable {
            assert!(found[name] == expected[name], "{what}: {name}");
        }
        for (name, bytes) in expected {
            assert_eq!(found[name].is_empty(), bytes.is_empty(), "{what}: {name}");
        }
        assert!(
            files_in(self.folder.path()) == self.before,
            "{what}: an input"
        );
    }
}

fn verb(line: &str) -> String {
    let mut words = line.split(' ');
    let first = words.next().unwrap_or_default();
    match first {
        "book" | "archive" => format!("{first} {}", words.next().unwrap_or_default()),
        _ => first.to_owned(),
    }
}

#[test]
fn every_verb_is_listed_as_writer_or_reader() {
    let folder = Scratch::new("writing-verbs");
    let mut verbs = Vec::new();
    for (prefix, args) in [
        ("", &["help"][..]),
        ("book ", &["book", "--help"]),
        ("archive ", &["archive", "--help"]),
    ] {
        let help = tabia(&folder, args).expect(0).out;
        let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let list = list.take_while(|line| !line.is_empty());
        // Further lines of a description are indented further.
        let names = list.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let names = names.filter(|name| !name.is_empty() && *name != "help");
        verbs.extend(names.map(|name| format!("{prefix}{name}")));
    }
    verbs.retain(|verb| verb != "book" && verb != "archive");
    assert!(verbs.len() > 25, "{verbs:?}");
    let written: Vec<String> = WRITERS.iter().map(|line| verb(line)).collect();
    for name in &verbs {
        let is_writer = written.contains(name);
        let is_reader = READERS.contains(&name.as_str());
        assert!(is_writer != is_reader, "{name}");
    }
    for name in written {
        assert!(verbs.contains(&name), "{name}");
    }
}

#[test]
fn outputs_of_processes_at_once_are_complete() {
    let inputs = Inputs::new("writers-at-once");
    for line in WRITERS {
        let expected = inputs.expected(line);
        // Over older outputs, and without any.
        for is_new in [false, true] {
            if is_new {
                inputs.clear("out");
            }
            let running = [inputs.start(line), inputs.start(line)];
            for child in running {
                let output = child.wait_with_output().unwrap();
                let error = String::from_utf8_lossy(&output.stderr);
                let code = output.status.code();
                assert!(code.is_some_and(is_done_code), "{line}: {error}");
            }
            inputs.assert_done(line, &expected);
        }
    }
}

#[test]
fn killed_processes_leave_complete_outputs_or_none() {
    let inputs = Inputs::new("writers-killed");
    let mut killed = 0;
    for line in WRITERS {
        let expected = inputs.expected(line);
        inputs.clear("out");
        let start = Instant::now();
        let run = inputs.run(line, "out");
        let time = start.elapsed();
        assert!(is_done(&run), "{line}: {}", run.err);
        for part in 1..=4 {
            inputs.clear("out");
            let old = inputs.outputs("out");
            let mut child = inputs.start(line);
            let end = Instant::now() + time * part / 5;
            while Instant::now() < end && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            // It may have ended.
            let _ = child.kill();
            let is_killed = child.wait().unwrap().code().is_none();
            killed += u32::from(is_killed);
            let what = format!("{line}, killed at {part}/5 of {time:?}");
            let found = inputs.outputs("out");
            let has_journal = found.keys().any(|name| name.ends_with(".replaced"));
            for (name, bytes) in &found {
                let is_whole = !expected.1.contains(name)
                    || expected.0.get(name) == Some(bytes)
                    || old.get(name) == Some(bytes);
                assert!(
                    name.starts_with('.') || has_journal || is_whole,
                    "{what}: {name}"
                );
            }
            // The next run completes what was begun, and removes what was left.
            let run = inputs.run(line, "out");
            assert!(is_done(&run), "{what}: {}", run.err);
            inputs.assert_done(&what, &expected);
        }
    }
    assert!(killed > 10, "only {killed} were killed");
}

/// Whether everything was written, but for what the target cannot hold.
fn is_done(run: &Run) -> bool {
    is_done_code(run.code)
}

fn is_done_code(code: i32) -> bool {
    matches!(code, 0 | 3)
}

/// Runs a command with files of at most 512 bytes.
fn run_on_full_disk(inputs: &Inputs, line: &str) -> Run {
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_tabia"))
        .args(words(line, "out/"))
        .current_dir(inputs.folder.path())
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Exactly one line with an error; hints may follow.
fn assert_one_error(what: &str, run: &Run) {
    assert_eq!(run.code, 5, "{what}: {}", run.err);
    let errors = run.err.lines().filter(|line| line.starts_with("error:"));
    assert_eq!(errors.count(), 1, "{what}: {}", run.err);
    assert!(!run.err.contains("panicked"), "{what}: {}", run.err);
}

#[test]
fn every_verb_reports_a_full_disk() {
    let inputs = Inputs::new("writers-full-disk");
    let mut failed = 0;
    for line in WRITERS {
        let expected = inputs.expected(line);
        // Over older outputs, and without any.
        for is_new in [false, true] {
            if is_new {
                inputs.clear("out");
            }
            let old = inputs.outputs("out");
            let run = run_on_full_disk(&inputs, line);
            if is_done(&run) {
                // Small outputs fit.
                inputs.assert_done(line, &expected);
                continue;
            }
            failed += 1;
            assert_one_error(line, &run);
            assert!(inputs.outputs("out") == old, "{line}");
            assert!(files_in(inputs.folder.path()) == inputs.before, "{line}");
        }
    }
    assert!(failed > 40, "{failed}");
}

#[test]
fn every_verb_reports_a_missing_folder() {
    let inputs = Inputs::new("writers-no-folder");
    // What is in an archive makes its folder, and the others change what must be there.
    let others = ["archive extract", "append", "index"];
    for line in WRITERS {
        if others.contains(&verb(line).as_str()) || line.ends_with("-o OUT --force") {
            continue;
        }
        let run = inputs.run(line, "none");
        assert_one_error(line, &run);
        assert!(files_in(inputs.folder.path()) == inputs.before, "{line}");
    }
}
