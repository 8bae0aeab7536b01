//! Other programs read what is written here: the same games as from the originals. Each runs if
//! it is installed.
#![allow(clippy::print_stdout, reason = "a test that prints its counts")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, shared_data, skip_without_peer};

use crate::common::tabia;

/// What a program shows otherwise of a copy, for reasons of its own.
struct Differs {
    set: &'static str,
    tags: &'static [&'static str],
    /// Comments and symbols, too.
    notes: bool,
}

/// `cbvault` takes Cyrillic bytes for Western ones, which the copy has in UTF-8; it refuses annotations
/// whose head names no game, which the copy has; and it shows a first move number of 0.
const CBVAULT: &[Differs] = &[
    Differs {
        set: "Hedgehog",
        tags: &["Event"],
        notes: true,
    },
    Differs {
        set: "test-annotations",
        tags: &[],
        notes: true,
    },
    Differs {
        set: "cbhlib_test",
        tags: &["FEN"],
        notes: false,
    },
];

/// `cbh2pgn` reads UTF-8 as Western bytes, names in files with the short header four bytes off, and
/// gives deleted records of the original no number.
const CBH2PGN: &[Differs] = &[
    Differs {
        set: "Hedgehog",
        tags: &["Event"],
        notes: false,
    },
    Differs {
        set: "cbmplayertest",
        tags: &["White"],
        notes: false,
    },
    Differs {
        set: "cb12",
        tags: &["Black"],
        notes: false,
    },
    Differs {
        set: "text",
        tags: &["White", "Black"],
        notes: false,
    },
    Differs {
        set: "cbhlib_test",
        tags: &["White", "FEN", "GameId"],
        notes: false,
    },
    Differs {
        set: "Mate2",
        tags: &["Event", "White", "Black"],
        notes: false,
    },
    Differs {
        set: "fob",
        tags: &["Event", "Site", "White", "Black"],
        notes: false,
    },
];

/// The output of a program; `None` when it is not there.
fn run(program: &str, args: &[&Path]) -> Option<Output> {
    let output = Command::new(program).args(args).output().ok()?;
    assert!(
        output.status.success() || program == "cbvault" && output.status.code() == Some(1),
        "{program} {args:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output)
}

fn is_installed(test: &str, program: &str) -> bool {
    let found = Command::new(program).arg("--help").output().is_ok();
    if !found {
        skip_without_peer(test, program);
    }
    found
}

/// Real sets that have moves: their names and main files.
fn sets(test: &str) -> Vec<(String, PathBuf)> {
    let Some(folder) = shared_data(test, "cbh") else {
        return Vec::new();
    };
    let is_set = |path: &PathBuf| {
        path.extension().is_some_and(|it| it == "cbh")
            && path.with_extension("cbg").exists()
            && !path.to_string_lossy().contains("history")
    };
    let mut sets: Vec<(String, PathBuf)> = files_below(&folder)
        .into_iter()
        .filter(is_set)
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                path,
            )
        })
        .collect();
    sets.sort();
    assert!(sets.len() > 10);
    sets
}

/// A copy of a set, in a folder of its own.
fn copy(folder: &Scratch, main: &Path) -> PathBuf {
    let run = tabia(
        folder,
        &[
            "convert".as_ref(),
            main.as_os_str(),
            "-o".as_ref(),
            "copy.cbh".as_ref(),
        ],
    );
    assert!([0, 3].contains(&run.code), "{}", run.err);
    folder.join("copy.cbh")
}

/// The games in a text: tags that count, and moves without numbers.
fn games(path: &Path, differs: Option<&Differs>) -> Vec<String> {
    let text = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut games = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("[Event ") {
            games.push(String::new());
        }
        let Some(game) = games.last_mut() else {
            continue;
        };
        let tag = line.strip_prefix('[').and_then(|tag| tag.split_once(" \""));
        match tag {
            Some((name, _)) if differs.is_some_and(|it| it.tags.contains(&name)) => {}
            Some(_) => game.push_str(line),
            None => game.push_str(&moves(line, differs.is_some_and(|it| it.notes))),
        }
        game.push(' ');
    }
    games
}

fn moves(line: &str, is_bare: bool) -> String {
    let mut text = line.to_owned();
    if is_bare {
        while let Some((before, rest)) = text.split_once('{') {
            let after = rest.split_once('}').map_or("", |(_, after)| after);
            text = format!("{before}{after}");
        }
    }
    let text = text.replace('(', " ( ").replace(')', " ) ");
    let is_number =
        |token: &str| token.ends_with('.') && token.starts_with(|c: char| c.is_ascii_digit());
    let tokens = text
        .split_whitespace()
        .filter(|token| !(is_number(token) || is_bare && token.starts_with('$')));
    tokens.collect::<Vec<_>>().join(" ")
}

/// Compares what a program makes of the originals and of the copies.
fn compare(program: &str, differs: &[Differs], export: &dyn Fn(&Path, &Path)) {
    let (mut sets_read, mut games_read) = (0, 0);
    let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
    for (name, main) in sets("peers") {
        // It takes long over many games.
        if program == "cbh2pgn" && name == "twic1134" && !is_exhaustive {
            continue;
        }
        let folder = Scratch::new("peers");
        let copy = copy(&folder, &main);
        let differs = differs.iter().find(|it| it.set == name);
        let [old, new] = [(&main, "old.pgn"), (&copy, "new.pgn")].map(|(main, text)| {
            let text = folder.join(text);
            export(main, &text);
            games(&text, differs)
        });
        assert_eq!(old.len(), new.len(), "{program}, {name}");
        for (number, (old, new)) in old.iter().zip(&new).enumerate() {
            assert_eq!(old, new, "{program}, {name}, game {}", number + 1);
        }
        sets_read += 1;
        games_read += new.len();
    }
    println!("{program}: {games_read} games of {sets_read} sets are the same");
}

#[test]
fn cbvault_reads_the_same_games() {
    if is_installed("cbvault_reads_the_same_games", "cbvault") {
        compare("cbvault", CBVAULT, &|main, text| {
            // cbvault takes the name without its extension.
            let ran = run(
                "cbvault",
                &[Path::new("pgn"), &main.with_extension(""), text],
            );
            let messages = ran.map(|ran| String::from_utf8_lossy(&ran.stderr).into_owned());
            assert!(
                messages
                    .as_ref()
                    .is_some_and(|text| text.contains("exported")),
                "{messages:?}"
            );
        });
    }
}

#[test]
fn cbh2pgn_reads_the_same_games() {
    if is_installed("cbh2pgn_reads_the_same_games", "cbh2pgn") {
        compare("cbh2pgn", CBH2PGN, &|main, text| {
            run(
                "cbh2pgn",
                &[Path::new("convert"), main, Path::new("-o"), text],
            );
        });
    }
}

#[test]
fn cbvault_verifies_databases_and_unpacks_archives() {
    let test = "cbvault_verifies_databases_and_unpacks_archives";
    if !is_installed(test, "cbvault") {
        return;
    }
    let (mut records, mut members) = (0, 0);
    for (name, main) in sets("archives for peers") {
        let folder = Scratch::new("peers-archive");
        let copy = copy(&folder, &main);
        let verified = run("cbvault", &[Path::new("verify"), &copy]).unwrap();
        let text = String::from_utf8_lossy(&verified.stdout).into_owned();
        let count = |field: &str| -> u32 {
            let line = text.lines().find_map(|line| line.strip_prefix(field));
            line.unwrap_or_else(|| panic!("{name}: {text}"))
                .split_whitespace()
                .next()
                .and_then(|number| number.parse().ok())
                .unwrap()
        };
        assert_eq!(count("failures"), 0, "{name}: {text}");
        records += count("records verified");
        let files = folder.names();
        let mut args = vec!["archive", "create", "copy.cbv"];
        args.extend(files.iter().map(String::as_str));
        tabia(&folder, &args).expect(0);
        let out = folder.join("out");
        let archive = folder.join("copy.cbv");
        run(
            "cbvault",
            &[Path::new("archive"), Path::new("extract"), &archive, &out],
        );
        for file in &files {
            let unpacked = std::fs::read(out.join(file)).unwrap();
            assert!(
                unpacked == std::fs::read(folder.join(file)).unwrap(),
                "{name}: {file}"
            );
        }
        members += files.len();
    }
    println!("cbvault: {records} records verified, {members} members unpacked");
}
